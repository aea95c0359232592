// SPDX-License-Identifier: MIT
/* Reports: the same facts as the screen, as lines and as JSON that keeps its schema. */
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <locale.h>
#include <time.h>

#include "fixture_lake.h"
#include "json.h"
#include "report.h"
#include "service.h"

/* ---- a JSON Schema validator of just what tests/schema uses ---- */

struct check {
	const struct json *root; /* the schema */
	char where[400];
};

static bool is_type(const struct json *node, const char *type)
{
	bool b;
	double r;

	if (!strcmp(type, "null"))
		return node && json_is_null(node);
	if (!strcmp(type, "object"))
		return json_is_object(node);
	if (!strcmp(type, "array"))
		return json_is_array(node);
	if (!strcmp(type, "string"))
		return json_string(node) != NULL;
	if (!strcmp(type, "boolean"))
		return json_bool(node, &b);
	if (!strcmp(type, "integer"))
		return json_value(node).type == VALUE_INT;
	assert_string_equal(type, "number");
	return json_real(node, &r);
}

static bool equal(const struct json *a, const struct json *b)
{
	struct value x = json_value(a), y = json_value(b);

	return x.type == y.type && value_compare(x, y) == 0;
}

static bool holds(struct check *c, const struct json *schema, const struct json *node);

static bool wrong(struct check *c, const char *key, const char *why)
{
	size_t len = strlen(c->where);

	snprintf(c->where + len, sizeof c->where - len, " %s: %s", key, why);
	return false;
}

static bool holds_types(const struct json *types, const struct json *node)
{
	if (json_string(types))
		return is_type(node, json_string(types));
	for (const struct json *t = json_first(types); t; t = json_next(t))
		if (is_type(node, json_string(t)))
			return true;
	return false;
}

static bool holds_enum(const struct json *values, const struct json *node)
{
	for (const struct json *v = json_first(values); v; v = json_next(v))
		if (equal(v, node))
			return true;
	return false;
}

static bool holds_pattern(const char *pattern, const char *s)
{
	regex_t re;
	bool found;

	if (!s)
		return true; /* not a string: "type" decides */
	assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
	found = regexec(&re, s, 0, NULL, 0) == 0;
	regfree(&re);
	return found;
}

static bool holds_members(struct check *c, const struct json *schema, const struct json *node)
{
	for (const struct json *name = json_first(json_get(schema, "required")); name; name = json_next(name))
		if (!json_get(node, json_string(name)))
			return wrong(c, json_string(name), "is missing");
	for (const struct json *m = json_first(node); m; m = json_next(m)) {
		const struct json *its = json_get(json_get(schema, "properties"), json_key(m));

		if (!its)
			its = json_get(schema, "additionalProperties");
		if (!its && json_get(schema, "properties"))
			return wrong(c, json_key(m), "is in no schema: name it there");
		if (its && !holds(c, its, m))
			return wrong(c, json_key(m), "(in it)");
	}
	return true;
}

static bool holds_bounds(const struct json *schema, const struct json *node)
{
	double r, bound;

	if (!json_real(node, &r))
		return true;
	if (json_real(json_get(schema, "minimum"), &bound) && r < bound)
		return false;
	return !json_real(json_get(schema, "maximum"), &bound) || r <= bound;
}

static bool holds(struct check *c, const struct json *schema, const struct json *node)
{
	static const char *const known[] = {"$ref", "$schema", "$defs", "title", "description", "type", "const", "enum", "pattern", "required",
		"properties", "additionalProperties", "items", "minItems", "minimum", "maximum"};
	const char *ref = json_string(json_get(schema, "$ref"));
	int64_t least = 0;

	for (const struct json *word = json_first(schema); word; word = json_next(word)) {
		size_t i = 0;

		while (i < sizeof known / sizeof *known && strcmp(known[i], json_key(word)) != 0)
			i++;
		if (i == sizeof known / sizeof *known)
			return wrong(c, json_key(word), "is a word of schemas that this test does not know");
	}
	if (ref && !holds(c, json_get(json_get(c->root, "$defs"), strrchr(ref, '/') + 1), node))
		return false;
	if (json_get(schema, "type") && !holds_types(json_get(schema, "type"), node))
		return wrong(c, "type", "is another");
	if (json_get(schema, "const") && !equal(json_get(schema, "const"), node))
		return wrong(c, "const", "is another");
	if (json_get(schema, "enum") && !holds_enum(json_get(schema, "enum"), node))
		return wrong(c, "enum", json_string(node) ? json_string(node) : "no string");
	if (json_get(schema, "pattern") && !holds_pattern(json_string(json_get(schema, "pattern")), json_string(node)))
		return wrong(c, "pattern", json_string(node));
	if (!holds_bounds(schema, node))
		return wrong(c, "number", "is out of bounds");
	json_i64(json_get(schema, "minItems"), &least);
	if (json_count(node) < (size_t)least)
		return wrong(c, "items", "are too few");
	if (json_is_array(node))
		for (const struct json *item = json_first(node); item; item = json_next(item))
			if (json_get(schema, "items") && !holds(c, json_get(schema, "items"), item))
				return false;
	return !json_is_object(node) || holds_members(c, schema, node);
}

static struct json *schema_of(const char *path)
{
	FILE *f = fopen(path, "re");
	struct err err = {0};
	struct json *schema;
	struct buf text;
	char bytes[4096];
	size_t n;

	if (!f)
		fail_msg("%s: tests run from the top of the checkout", path);
	buf_init(&text, 1 << 20);
	while ((n = fread(bytes, 1, sizeof bytes, f)) > 0)
		buf_add(&text, bytes, n);
	fclose(f);
	schema = json_parse(buf_text(&text), &err);
	if (!schema)
		fail_msg("%s: %s", path, err.words);
	buf_free(&text);
	return schema;
}

/* ---- reports of fixtures ---- */

static struct buf out;

static const char *text_of_status(struct fixture *f, const char *service, bool tables)
{
	buf_reset(&out);
	report_status(fixture_lake(f), &(struct report_options){.service = service, .tables = tables}, &out);
	return buf_text(&out).at;
}

static struct json *json_of_status(struct fixture *f, const char *service, bool tables)
{
	struct err err = {0};
	struct json *j;

	buf_reset(&out);
	report_status(fixture_lake(f), &(struct report_options){.json = true, .service = service, .tables = tables}, &out);
	assert_false(out.full);
	j = json_parse(buf_text(&out), &err);
	if (!j)
		fail_msg("%s", err.words);
	return j;
}

static const struct json *named(const struct json *array, const char *key, const char *name)
{
	for (const struct json *item = json_first(array); item; item = json_next(item))
		if (json_string(json_get(item, key)) && !strcmp(json_string(json_get(item, key)), name))
			return item;
	fail_msg("nothing is called %s", name);
	return NULL;
}

static void assert_text(const struct json *root, const char *path, const char *is)
{
	const char *s = json_string(json_path(root, path));

	if (!s)
		fail_msg("%s is no text", path);
	assert_string_equal(s, is);
}

static void assert_number(const struct json *root, const char *path, int64_t is)
{
	int64_t i;

	if (!json_i64(json_path(root, path), &i))
		fail_msg("%s is no number", path);
	assert_int_equal(i, is);
}

static void assert_null_there(const struct json *root, const char *path)
{
	const struct json *node = json_path(root, path);

	if (!node)
		fail_msg("%s is missing", path);
	assert_true(json_is_null(node));
}

static bool has_line(const char *page, const char *line)
{
	size_t len = strlen(line);

	for (const char *at = strstr(page, line); at; at = strstr(at + 1, line))
		if ((at == page || at[-1] == '\n') && (at[len] == '\n' || at[len] == '\0'))
			return true;
	print_error("not a line: %s\n--- of ---\n%s", line, page);
	return false;
}

static void first_line(const char *page, char line[600])
{
	snprintf(line, 600, "%.*s", (int)strcspn(page, "\n"), page);
}

/* ---- JSON ---- */

static void every_document_keeps_the_schema(void **state)
{
	struct json *schema = schema_of("tests/schema/status.json");

	(void)state;
	for (int which = 0; which < FIXTURE_COUNT; which++)
		for (int tables = 0; tables < 2; tables++) {
			struct fixture *f = fixture_new((enum fixture_which)which);
			struct json *j = json_of_status(f, NULL, tables);
			struct check c = {.root = schema};

			if (!holds(&c, schema, j))
				fail_msg("%s:%s", fixture_names[which], c.where);
			json_free(j);
			fixture_free(f);
		}
	json_free(schema);
}

static void the_schema_is_not_satisfied_by_anything(void **state)
{
	static const char *const broken[] = {"{}", "[]", "{\"schema\": 2}"};
	struct json *schema = schema_of("tests/schema/status.json"), *j;
	struct fixture *f = fixture_new(FIXTURE_POCKET);

	(void)state;
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		struct check c = {.root = schema};

		j = json_parse(text_of(broken[i]), NULL);
		assert_false(holds(&c, schema, j));
		json_free(j);
	}
	j = json_of_status(f, NULL, false);
	json_free(j);
	for (char *at = strstr(out.at, "\"serving\""); at; at = strstr(at, "\"serving\""))
		memcpy(at, "\"swrving\"", 9); /* one enum, one letter */
	j = json_parse(buf_text(&out), NULL);
	assert_non_null(j);
	{
		struct check c = {.root = schema};

		assert_false(holds(&c, schema, j));
		assert_non_null(strstr(c.where, "swrving"));
	}
	json_free(j);
	json_free(schema);
	fixture_free(f);
}

static void a_service_is_told_in_full(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_POCKET);
	struct json *j = json_of_status(f, NULL, false);
	const struct json *kafka = named(json_get(j, "services"), "name", "kafka");
	const struct json *lag = json_first(json_get(kafka, "findings"));
	bool yes = false;

	(void)state;
	assert_number(j, "schema", 1);
	assert_text(j, "host", "atlas");
	assert_text(j, "profile", "pocket");
	assert_null_there(j, "demo");
	assert_text(j, "at", "2026-11-29T12:04:31.000Z");
	assert_true(json_bool(json_get(j, "ready"), &yes) && yes);
	assert_int_equal(json_count(json_get(j, "problems")), 0);
	assert_number(j, "machine.disk_free", (int64_t)(41.0 * 1024 * 1024 * 1024));
	assert_number(j, "machine.oom_kills", 0);
	assert_text(kafka, "kind", "kafka");
	assert_text(kafka, "verdict", "serving");
	assert_null_there(kafka, "reason");
	assert_text(kafka, "since", "2026-11-29T11:46:31.000Z");
	assert_number(kafka, "age_ms", 900);
	assert_text(kafka, "version.found", "4.1");
	assert_text(kafka, "version.to", "4.2");
	assert_text(kafka, "version.expected", "4.1");
	assert_text(kafka, "version.sure", "range");
	assert_text(kafka, "endpoint.host", "127.0.0.1");
	assert_number(kafka, "endpoint.port", 9092);
	assert_number(kafka, "owner.pid", 921);
	assert_text(kafka, "owner.process", "java");
	assert_text(kafka, "owner.container", "kafka");
	assert_null_there(kafka, "owner.unit");
	assert_number(kafka, "owner.rss", 204472320);
	assert_text(named(json_get(kafka, "evidence"), "link", "identity"), "source", "ApiVersions v3, 2 ms");
	assert_int_equal(json_count(json_get(kafka, "evidence")), 8);
	assert_text(lag, "finding", "lag");
	assert_text(lag, "severity", "warning");
	assert_number(kafka, "figures.lag.value", 12401);
	assert_text(kafka, "figures.lag.unit", "records");
	assert_number(kafka, "figures.lag.age_ms", 900);
	assert_null(json_path(kafka, "figures.lag.at_least"));
	assert_null(json_get(kafka, "tables"));
	json_free(j);
	fixture_free(f);
}

static void unknown_is_null_and_never_0(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_TROUBLE);
	struct json *j = json_of_status(f, NULL, false);
	const struct json *kafka = named(json_get(j, "services"), "name", "kafka"), *nessie = named(json_get(j, "services"), "name", "nessie");
	bool yes = false;

	(void)state;
	assert_null_there(kafka, "figures.under_replicated.value"); /* declared by its kind, not told */
	assert_null_there(kafka, "figures.under_replicated.age_ms");
	assert_true(json_bool(json_path(kafka, "figures.lag.at_least"), &yes) && yes);
	assert_null_there(kafka, "owner.pid");
	assert_null_there(kafka, "owner.rss");
	assert_null_there(nessie, "owner.cpu");
	assert_null_there(nessie, "kind");
	assert_null_there(nessie, "version.found");
	assert_text(nessie, "version.sure", "unknown");
	json_free(j);
	fixture_free(f);
	f = fixture_new(FIXTURE_NOTHING);
	j = json_of_status(f, NULL, true);
	assert_null_there(j, "machine.memory_available");
	assert_null_there(j, "machine.load");
	assert_null_there(j, "machine.disk_free");
	assert_null_there(j, "machine.oom_kills");
	assert_null_there(j, "profile");
	json_free(j);
	fixture_free(f);
}

static void every_problem_is_among_the_services_and_names_its_cause(void **state)
{
	(void)state;
	for (int which = 0; which < FIXTURE_COUNT; which++) {
		struct fixture *f = fixture_new((enum fixture_which)which);
		struct json *j = json_of_status(f, NULL, false);

		for (const struct json *p = json_first(json_get(j, "problems")); p; p = json_next(p)) {
			named(json_get(j, "services"), "name", json_string(json_get(p, "service")));
			if (json_string(json_get(p, "caused_by")))
				named(json_get(j, "services"), "name", json_string(json_get(p, "caused_by")));
		}
		if (which == FIXTURE_TROUBLE) {
			assert_text(json_first(json_get(j, "problems")), "service", "unity-catalog");
			assert_text(json_first(json_get(j, "problems")), "verdict", "blocked");
			assert_text(named(json_get(j, "problems"), "service", "spark-history"), "caused_by", "spark-connect");
			assert_text(named(json_get(j, "problems"), "service", "kafka"), "finding", "stale");
			assert_text(named(json_get(j, "services"), "name", "spark-connect"), "verdict", "wrong-version");
		}
		json_free(j);
		fixture_free(f);
	}
}

static void what_is_in_no_profile_is_found_and_not_a_service(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_POCKET);
	struct json *j = json_of_status(f, NULL, false);
	const struct json *filer = json_first(json_get(j, "found"));

	(void)state;
	assert_int_equal(json_count(json_get(j, "services")), 7);
	assert_int_equal(json_count(json_get(j, "found")), 1);
	assert_number(filer, "port", 8888);
	assert_text(filer, "address", "127.0.0.1");
	assert_text(filer, "kind", "seaweedfs");
	assert_text(filer, "version.found", "4.48");
	assert_number(filer, "owner.pid", 903);
	json_free(j);
	/* without a profile what is found is all there is, and counts */
	fixture_service(f, "found:8888")->required = true;
	j = json_of_status(f, NULL, false);
	named(json_get(j, "services"), "name", "found:8888");
	assert_int_equal(json_count(json_get(j, "found")), 0);
	json_free(j);
	fixture_free(f);
}

static void one_service_can_be_asked_for_with_its_tables(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_POCKET);
	struct json *j = json_of_status(f, "kafka", true);
	const struct json *kafka = json_first(json_get(j, "services")), *group = json_first(json_path(kafka, "tables.groups"));

	(void)state;
	assert_int_equal(json_count(json_get(j, "services")), 1);
	assert_int_equal(json_count(json_get(j, "found")), 0);
	assert_text(group, "group", "orders-etl");
	assert_number(group, "lag", 12401);
	assert_text(group, "last_commit", "2026-11-29T12:04:30.000Z");
	group = named(json_path(kafka, "tables.groups"), "group", "replay");
	assert_string_equal(json_string(json_first(json_get(group, "at_least"))), "lag");
	assert_null_there(group, "last_commit");
	assert_number(kafka, "left_off.topics", 1200);
	json_free(j);
	fixture_free(f);
}

static void an_unjudged_service_is_unknown_and_not_the_first_verdict_there_is(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_STARTING);
	struct json *j = json_of_status(f, NULL, false);

	(void)state;
	assert_text(named(json_get(j, "services"), "name", "spark-history"), "verdict", "unknown");
	assert_text(named(json_get(j, "services"), "name", "kafka"), "progress", "fetching kafka-server 4.1.1: 48 of 132 MiB, 6 s");
	assert_non_null(strstr(text_of_status(f, NULL, false), "\nspark-history: unknown, 127.0.0.1:18080\n"));
	json_free(j);
	fixture_free(f);
}

/* ---- text ---- */

static void end_sentence(char words[REASON_SIZE])
{
	if (words[0])
		snprintf(words + strlen(words), REASON_SIZE - strlen(words), ".");
}

/* A server's words are a sentence, and bring a full stop along. */
static void no_full_stop_is_doubled(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_TROUBLE);
	struct service *s = fixture_lake(f)->services[0];
	const char *page;

	(void)state;
	for (size_t i = 0; i < fixture_lake(f)->n_services; i++) {
		s = fixture_lake(f)->services[i];
		end_sentence(s->verdict.shown.reason);
		end_sentence(s->verdict.shown.remedy);
		for (size_t k = 0; k < s->verdict.shown.n_findings; k++)
			end_sentence(s->verdict.shown.findings[k].reason);
	}
	page = text_of_status(f, NULL, false);
	assert_non_null(strstr(page, "Remedy: "));
	assert_null(strstr(page, ".."));
	fixture_free(f);
}

static void a_ready_lake_reads_well(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_POCKET);
	const char *page = text_of_status(f, NULL, false);
	char line[600];

	(void)state;
	first_line(page, line);
	assert_string_equal(line, "READY - 7 of 7 serving, 1 warning: kafka lag (pocket)");
	assert_true(has_line(page, "kafka: serving, 4.1 to 4.2 (expected 4.1), 127.0.0.1:9092, java pid 921 in container kafka, 195 MiB memory, "
		"2% CPU; 12,401 lag, 4 topics"));
	assert_true(has_line(page, "spark-worker-41: serving, 4.1.1, 127.0.0.1:8084, java pid 1060, 290 MiB memory, 137% CPU; 2 executors, "
		"512 MiB free"));
	assert_true(has_line(page, "kafka: warning, lag: orders-etl is slow: 12,401 behind, 310/s more each second. Remedy: start more members, "
		"or see what holds it up"));
	assert_true(has_line(page, "127.0.0.1:8888: SeaweedFS, 4.48, serving, weed pid 903"));
	assert_non_null(strstr(page, "; 6 finished, newest 4min ago\n"));
	assert_null(strstr(page, "\033"));
	fixture_free(f);
}

static void trouble_is_named_first_with_its_remedy_and_victims_are_not(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_TROUBLE);
	const char *page = text_of_status(f, NULL, false);
	char line[600];

	(void)state;
	first_line(page, line);
	assert_string_equal(line, "NOT READY - 5 problems: unity-catalog blocked: 8081 is held by spark-worker-40 (java, pid 4121). Remedy: stop "
		"spark-worker-40, or move unity-catalog's port; also spark-connect wrong version, kafka stale, postgres connections and 1 more");
	assert_true(has_line(page, "unity-catalog: blocked, expected 0.5, 127.0.0.1:8081, held by java pid 4121 in container spark-worker-40. "
		"Reason: 8081 is held by spark-worker-40 (java, pid 4121). Remedy: stop spark-worker-40, or move unity-catalog's port"));
	assert_true(has_line(page, "spark-history: mute, version not known (expected 4.1), 127.0.0.1:18080, java pid 1300, 201 MiB memory, 0% CPU. "
		"Reason: accepts connections on 18080 and says nothing. Caused by spark-connect. Remedy: look at its log; restart it"));
	assert_true(has_line(page, "zookeeper: absent (not required), 127.0.0.1:2181. Reason: nothing of it exists here"));
	assert_non_null(strstr(page, "4.0.1, only by a hint (expected 4.0)"));
	assert_non_null(strstr(page, "; \xe2\x89\xa5 120 lag, 4 topics"));
	assert_non_null(strstr(page, "2 buckets; this is 9s old\n"));
	fixture_free(f);
}

static void one_service_in_full_shows_what_its_verdict_rests_on(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_POCKET);
	const char *page = text_of_status(f, "kafka", true);

	(void)state;
	assert_non_null(strstr(page, "\nkafka: serving"));
	assert_null(strstr(page, "\npostgres: "));
	assert_null(strstr(page, "8888"));
	assert_non_null(strstr(page, "5L6g3nShT-eMCtK--X86sw")); /* also what is in no row */
	assert_true(has_line(page, "identity: ok, Kafka broker (ApiVersions v3, 2 ms, 0s)"));
	assert_non_null(strstr(page, "group orders-etl, "));
	assert_non_null(strstr(page, "30 rows, and 1200 more that are left off\n"));
	fixture_free(f);
}

static void a_finding_on_what_nobody_expects_is_counted_and_told_when_asked_for(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_POCKET);
	struct service *filer = fixture_service(f, "found:8888");
	const char *page;

	(void)state;
	filer->verdict.shown.findings[filer->verdict.shown.n_findings++] = (struct judged_finding){.name = "open", .reason = "open to all"};
	page = text_of_status(f, NULL, false);
	assert_true(has_line(page, "127.0.0.1:8888: SeaweedFS, 4.48, serving, weed pid 903, 1 finding"));
	assert_null(strstr(page, "open to all"));
	assert_true(has_line(text_of_status(f, "found:8888", false), "found:8888: for information, open: open to all"));
	fixture_free(f);
}

static void before_anything_is_known_nothing_is_claimed(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_NOTHING);
	char line[600];

	(void)state;
	first_line(text_of_status(f, NULL, false), line);
	assert_ptr_equal(strstr(line, "UNKNOWN - "), line);
	assert_int_equal(report_ready(fixture_lake(f)), EXIT_UNKNOWN);
	buf_reset(&out);
	report_ports(fixture_lake(f), &(struct report_options){0}, &out);
	report_events(fixture_lake(f), &out);
	assert_int_equal(out.len, 0);
	fixture_free(f);
}

static void hostile_names_stay_in_their_lines(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_HOSTILE);
	struct json *j = json_of_status(f, NULL, true);
	const char *page;
	size_t lines = 0;

	(void)state;
	assert_non_null(named(json_get(j, "services"), "name", "%s%n%d %%"));
	json_free(j);
	page = text_of_status(f, NULL, false);
	for (const char *at = page; *at; at++) {
		lines += *at == '\n';
		assert_true((unsigned char)*at >= ' ' || *at == '\n');
	}
	/* the head, the machine, and a line a service and finding, with a heading and a blank each */
	assert_int_equal(lines, 2 + 2 + fixture_lake(f)->n_services + 2 + 1);
	fixture_free(f);
}

/* ---- check ---- */

static const char *checked(struct fixture *f, const char *const *names, enum exit_code code)
{
	buf_reset(&out);
	assert_int_equal(report_check(fixture_lake(f), names, &out), code);
	assert_true(out.len && out.at[out.len - 1] == '\n' && memchr(out.at, '\n', out.len) == out.at + out.len - 1);
	return out.at;
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void check_tells_the_truth_by_line_and_code(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_POCKET);
	struct service *kafka = fixture_service(f, "kafka");

	(void)state;
	assert_string_equal(checked(f, NULL, EXIT_READY), "READY - 7 of 7 serving, 1 warning: kafka lag (pocket)\n");
	assert_int_equal(report_ready(fixture_lake(f)), EXIT_READY);
	/* what is not known is not well */
	kafka->verdict.shown.verdict = VERDICT_UNKNOWN;
	snprintf(kafka->verdict.shown.reason, REASON_SIZE, "did not answer in time");
	assert_string_equal(checked(f, NULL, EXIT_UNKNOWN), "UNKNOWN - 1 of 7 not known: kafka unknown: did not answer in time\n");
	/* one that is definitely bad decides */
	fixture_service(f, "postgres")->verdict.shown.verdict = VERDICT_SICK;
	assert_ptr_equal(strstr(checked(f, NULL, EXIT_NOT_READY), "NOT READY - 2 problems: postgres sick; also kafka unknown"), out.at);
	assert_int_equal(report_ready(fixture_lake(f)), EXIT_NOT_READY);
	fixture_free(f);
}

static void check_of_some_services_is_about_those(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_TROUBLE);

	(void)state;
	assert_string_equal(checked(f, NAMES("spark-master-41", "seaweedfs"), EXIT_READY), "READY - 2 of 2 serving (pocket)\n"); /* the warning is another's */
	assert_ptr_equal(strstr(checked(f, NAMES("kafka"), EXIT_NOT_READY), "NOT READY - 1 problem: kafka stale: started 41d ago"), out.at);
	assert_ptr_equal(strstr(checked(f, NAMES("nessie", "kafka"), EXIT_NOT_READY), "NOT READY - 2 problems: kafka stale"), out.at); /* not required */
	assert_ptr_equal(strstr(checked(f, NAMES("zookeeper"), EXIT_NOT_READY), "NOT READY - 1 problem: zookeeper absent"), out.at);
	assert_int_equal(report_check(fixture_lake(f), NAMES("kafka", "trino"), &out), EXIT_USAGE);
	fixture_free(f);
}

static void what_the_machine_lacks_is_a_warning_beside_ready(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_POCKET);
	struct lake *lake = fixture_lake(f);
	const struct json *finding;
	const char *page;
	struct json *j;
	char line[600];

	(void)state;
	lake->machine[lake->n_machine++] = (struct judged_finding){.name = "disk", .severity = SEVERITY_WARNING, .reason = "/srv is full: nothing of 16 MiB left",
		.remedy = "free space there"};
	lake->n_warnings++;
	page = text_of_status(f, NULL, false);
	first_line(page, line);
	assert_string_equal(line, "READY - 7 of 7 serving, 2 warnings: machine disk, kafka lag (pocket)");
	assert_true(has_line(page, "machine: warning, disk: /srv is full: nothing of 16 MiB left. Remedy: free space there"));
	assert_non_null(strstr(page, " memory available, 512 MiB of 8.0 GiB swap used, load 1.40 on 8 cores"));
	assert_null(strstr(text_of_status(f, "kafka", false), "machine: warning"));
	j = json_of_status(f, NULL, false);
	assert_number(j, "machine.swap_total", INT64_C(8) << 30);
	assert_number(j, "machine.swap_free", INT64_C(7680) << 20);
	finding = json_first(json_get(json_get(j, "machine"), "findings"));
	assert_text(finding, "finding", "disk");
	assert_text(finding, "severity", "warning");
	assert_text(finding, "reason", "/srv is full: nothing of 16 MiB left");
	assert_text(finding, "remedy", "free space there");
	json_free(j);
	assert_string_equal(checked(f, NULL, EXIT_READY), "READY - 7 of 7 serving, 2 warnings: machine disk, kafka lag (pocket)\n");
	assert_string_equal(checked(f, NAMES("kafka"), EXIT_READY), "READY - 1 of 1 serving, 1 warning: kafka lag (pocket)\n");
	fixture_free(f);
}

static void a_blocking_finding_keeps_ready_away_and_a_warning_does_not(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_POCKET);
	struct judged *j = &fixture_service(f, "kafka")->verdict.shown;

	(void)state;
	checked(f, NULL, EXIT_READY);
	j->findings[0].severity = SEVERITY_BLOCKING;
	assert_ptr_equal(strstr(checked(f, NULL, EXIT_NOT_READY), "NOT READY - 1 problem: kafka lag: orders-etl is slow"), out.at);
	fixture_free(f);
}

static void starting_is_not_ready_rather_than_not_known(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_STARTING);

	(void)state;
	assert_ptr_equal(strstr(checked(f, NULL, EXIT_NOT_READY), "NOT READY - 5 problems: seaweedfs starting: "), out.at);
	assert_string_equal(checked(f, NAMES("spark-history"), EXIT_UNKNOWN), "UNKNOWN - 1 of 1 not known: spark-history unknown\n");
	fixture_free(f);
}

/* ---- wait ---- */

static void a_condition_is_service_verdict_and_perhaps_version(void **state)
{
	struct condition c;

	(void)state;
	assert_true(condition_parse("kafka=serving", &c, NULL));
	assert_string_equal(c.service, "kafka");
	assert_int_equal(c.verdict, VERDICT_SERVING);
	assert_string_equal(c.version, "");
	assert_true(condition_parse("spark-connect=wrong-version@4.2.0-preview5", &c, NULL));
	assert_int_equal(c.verdict, VERDICT_WRONG_VERSION);
	assert_string_equal(c.version, "4.2.0-preview5");
	for (int v = 0; v < VERDICT_COUNT; v++) {
		char s[64];

		snprintf(s, sizeof s, "x=%s", verdict_key((enum verdict)v));
		assert_true(condition_parse(s, &c, NULL));
		assert_int_equal(c.verdict, v);
	}
}

static void a_wrong_condition_is_told_what_was_expected(void **state)
{
	static const struct {
		const char *s, *words;
	} cases[] = {
		{"", "is not SERVICE=VERDICT"}, {"kafka", "\"kafka\" is not SERVICE=VERDICT or SERVICE=VERDICT@VERSION"}, {"=serving", "is not SERVICE=VERDICT"},
		{"kafka=", "\"\" is no verdict: expected blocked, impostor, stopped, absent, starting, frozen, mute, wrong-version, sick, unknown or serving"},
		{"kafka=up", "\"up\" is no verdict"}, {"kafka=serving@", "\"\" is not a version: expected one like 4.1"}, {"kafka=serving@new", "\"new\" is not a version"},
		{"kafka=serving@1.2.3.4.5.6.7.8.9.10.11.12.13.14.15", "is not a version"},
		{"0123456789012345678901234567890123456789012345678901234567890123456789=serving", "is shorter than 64 bytes"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct condition c;
		struct err err = {0};

		assert_false(condition_parse(cases[i].s, &c, &err));
		assert_int_equal(err.code, ERR_USAGE);
		if (!strstr(err.words, cases[i].words))
			fail_msg("%s: %s", cases[i].s, err.words);
	}
}

static bool met(struct fixture *f, const char *s)
{
	struct condition c;

	assert_true(condition_parse(s, &c, NULL));
	return condition_met(fixture_lake(f), &c);
}

static void a_condition_is_met_by_what_is_known_and_by_nothing_less(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_TROUBLE);

	(void)state;
	assert_true(met(f, "postgres=serving"));
	assert_true(met(f, "postgres=serving@15"));
	assert_false(met(f, "postgres=serving@15.1")); /* whole parts */
	assert_false(met(f, "postgres=sick"));
	assert_true(met(f, "spark-connect=wrong-version@4.0"));
	assert_false(met(f, "spark-worker-40=serving@4.0")); /* a hint is no knowledge */
	assert_false(met(f, "trino=serving"));
	assert_false(met(f, "trino=unknown"));
	assert_true(met(f, "kafka=serving@4.1"));
	fixture_free(f);
	f = fixture_new(FIXTURE_POCKET);
	assert_true(met(f, "kafka=serving@4.1")); /* a range that has it in it */
	assert_true(met(f, "kafka=serving@4.2"));
	assert_false(met(f, "kafka=serving@4.3"));
	fixture_free(f);
	f = fixture_new(FIXTURE_STARTING);
	assert_false(met(f, "spark-history=blocked"));
	assert_true(met(f, "spark-history=unknown"));
	fixture_free(f);
}

/* ---- ports and events ---- */

static void ports_say_who_should_have_them_and_who_has(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_TROUBLE);

	(void)state;
	buf_reset(&out);
	report_ports(fixture_lake(f), &(struct report_options){0}, &out);
	assert_true(has_line(out.at, "127.0.0.1:2181: nobody listens, for zookeeper (absent)"));
	assert_true(has_line(out.at, "*:8081: Spark worker 4.0.1, for unity-catalog and also for spark-worker-40 (blocked), held by java pid 4121 "
		"in container spark-worker-40"));
	assert_true(has_line(out.at, "127.0.0.1:7077: not asked; by its owner a port of Spark master"));
	fixture_free(f);
}

static void ports_as_json_are_a_table(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_POCKET);
	struct json *j;
	const struct json *rows, *row;

	(void)state;
	buf_reset(&out);
	report_ports(fixture_lake(f), &(struct report_options){.json = true}, &out);
	j = json_parse(buf_text(&out), NULL);
	assert_non_null(j);
	assert_number(j, "schema", 1);
	assert_text(j, "at", "2026-11-29T12:04:31.000Z");
	assert_true(json_is_object(json_get(j, "left_off")));
	rows = json_path(j, "tables.ports");
	assert_int_equal(json_count(rows), fixture_lake(f)->n_ports);
	row = named(rows, "expected_role", "controller");
	assert_number(row, "port", 9093);
	assert_text(row, "expected", "kafka");
	assert_text(row, "kind", "kafka");
	assert_text(row, "version", "4.1");
	assert_number(row, "owner.pid", 921);
	assert_text(row, "verdict", "serving");
	row = named(rows, "expected_role", "master");
	assert_text(row, "verdict", "absent"); /* SeaweedFS serves, and this part of it does not */
	assert_null_there(row, "answers");
	row = named(rows, "words", "not asked");
	assert_number(row, "port", 40123);
	assert_null_there(row, "expected");
	assert_null_there(row, "kind");
	assert_text(row, "verdict", "unknown");
	json_free(j);
	fixture_free(f);
}

static void events_are_lines_with_a_time(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_TROUBLE);

	(void)state;
	buf_reset(&out);
	report_events(fixture_lake(f), &out);
	assert_true(has_line(out.at, "2026-11-28T08:17:51.000Z spark-connect: version 4.0.1 where 4.1.1 was")); /* more than a day ago */
	assert_true(has_line(out.at, "12:04:17 spark-history: mute: accepts connections on 18080 and says nothing"));
	fixture_free(f);
}

/* ---- tables ---- */

static struct json *json_of_buf(void)
{
	struct err err = {0};
	struct json *j;

	assert_false(out.full);
	j = json_parse(buf_text(&out), &err);
	if (!j)
		fail_msg("%s\n%s", err.words, buf_text(&out).at);
	return j;
}

static void assert_in_schema(const struct json *document)
{
	struct json *schema = schema_of("tests/schema/tables.json");
	struct check c = {.root = schema};

	if (!holds(&c, schema, document))
		fail_msg("not in tests/schema/tables.json:%s", c.where);
	json_free(schema);
}

static void tables_keep_their_schema_and_every_digit_of_an_id(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_TABLES);
	const struct json *orders, *log;
	struct json *j;
	bool yes;

	(void)state;
	buf_reset(&out);
	assert_int_equal(report_tables(fixture_lake(f), &(struct report_options){.json = true}, &out), EXIT_UNKNOWN); /* one of them is down */
	j = json_of_buf();
	assert_in_schema(j);
	assert_int_equal(json_count(json_path(j, "tables.tables")), 9);
	orders = named(json_path(j, "tables.tables"), "name", "bronze.orders");
	assert_number(orders, "snapshot_id", 3051729675574597004);
	assert_number(orders, "small_files", 7633);
	assert_number(orders, "format_version", 2);
	assert_text(orders, "format", "iceberg");
	assert_string_equal(json_string(json_first(json_get(orders, "also_in"))), "polaris");
	assert_int_equal(json_count(json_get(orders, "due")), 2);
	assert_true(json_bool(json_get(orders, "exact"), &yes) && yes);
	log = named(json_path(j, "tables.tables"), "name", "audit.log");
	assert_true(json_bool(json_get(log, "old"), &yes) && yes);
	assert_true(json_bool(json_get(log, "exact"), &yes) && !yes);
	assert_null_there(named(json_path(j, "tables.tables"), "name", "silver.new"), "data_files"); /* never 0 */
	assert_text(named(json_path(j, "tables.catalogs"), "catalog", "polaris"), "error", "127.0.0.1:8181 refuses the connection");
	json_free(j);
	fixture_free(f);
}

static void tables_as_text_say_the_worst_first_and_which_catalog_is_down(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_TABLES);
	const char *page;

	(void)state;
	buf_reset(&out);
	report_tables(fixture_lake(f), &(struct report_options){0}, &out);
	page = buf_text(&out).at;
	assert_true(has_line(page, "polaris: does not answer; its tables are as they were 4min ago: 127.0.0.1:8181 refuses the connection"));
	assert_true(strstr(page, "silver.broken: failed") < strstr(page, "bronze.orders: ill, due compact, expire"));
	assert_true(strstr(page, "bronze.orders: ill") < strstr(page, "audit.log: due, due expire"));
	assert_true(strstr(page, "audit.log: due") < strstr(page, "gold.hourly_metrics: good"));
	assert_non_null(strstr(page, "about 41 files"));
	assert_non_null(strstr(page, "12 delete files, 1,027,129 records, 7 of them deleted"));
	fixture_free(f);
}

static void nobody_answering_is_not_the_same_as_no_tables(void **state)
{
	struct fixture *f = fixture_tables(0);
	struct lake *lake = fixture_lake(f);

	(void)state;
	buf_reset(&out);
	assert_int_equal(report_tables(lake, &(struct report_options){0}, &out), EXIT_READY);
	assert_true(report_tables_told(lake));
	fixture_silence(f);
	assert_false(report_tables_told(lake));
	assert_int_equal(report_tables(lake, &(struct report_options){0}, &out), EXIT_UNKNOWN);
	assert_non_null(strstr(buf_text(&out).at, "lake: no answer in time"));
	fixture_free(f);
}

/* What a lake's catalog answers to a view, as a caller would have kept it. */
static const struct snapshot *view_of(struct fixture *f, const char *view, const char *why)
{
	fixture_table_answer(f, view, "bronze.orders", why);
	return fixture_lake(f)->catalogs[0].answer;
}

static void one_table_is_told_with_its_views_and_with_those_that_failed(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_TABLES);
	const struct snapshot *answers[16] = {0};
	const struct lake_table *t = lake_table_named(fixture_lake(f), "lake.bronze.orders");
	struct json *j;

	(void)state;
	for (size_t i = 0; report_table_views[i]; i++)
		answers[i] = view_of(f, report_table_views[i], !strcmp(report_table_views[i], "partitions") ? "the budget ended it" : NULL);
	buf_reset(&out);
	assert_int_equal(report_table(fixture_lake(f), t, answers, &(struct report_options){.json = true}, &out), EXIT_READY);
	j = json_of_buf();
	assert_in_schema(j);
	assert_number(json_first(json_path(j, "tables.snapshots")), "snapshot", 3051729675574597004);
	assert_text(j, "errors.partitions", "the budget ended it");
	json_free(j);
	buf_reset(&out);
	report_table(fixture_lake(f), t, answers, &(struct report_options){0}, &out);
	assert_true(has_line(buf_text(&out).at, "  write.delete.mode: merge-on-read"));
	assert_true(has_line(buf_text(&out).at, "  time: 2026-11-29T12:02:00.000Z")); /* its unit is for programs */
	assert_non_null(strstr(buf_text(&out).at, "  3051729675574597004, parent 2951729675574597004, refs main"));
	assert_true(has_line(buf_text(&out).at, "  the budget ended it"));
	fixture_free(f);
}

static void of_a_view_all_is_told_by_its_name(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_TABLES);
	const struct snapshot *answers[16] = {0};
	const struct lake_table *t = lake_table_named(fixture_lake(f), "lake.silver.some_view");

	(void)state;
	for (size_t i = 0; report_table_views[i]; i++)
		answers[i] = view_of(f, report_table_views[i], "silver.some_view is a view: it has no files");
	buf_reset(&out);
	assert_int_equal(report_table(fixture_lake(f), t, answers, &(struct report_options){0}, &out), EXIT_READY);
	assert_true(has_line(buf_text(&out).at, "  silver.some_view is a view: it has no files"));
	assert_null(strstr(buf_text(&out).at, "partitions"));
	fixture_free(f);
}

static void a_plan_says_what_would_be_done_and_by_which_words(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_TABLES);
	const struct lake_table *t = lake_table_named(fixture_lake(f), "lake.bronze.orders");
	struct json *j;

	(void)state;
	buf_reset(&out);
	assert_int_equal(report_plan(fixture_lake(f), t, "compact", view_of(f, "compact", NULL), &(struct report_options){.json = true}, &out), EXIT_READY);
	j = json_of_buf();
	assert_in_schema(j);
	assert_number(json_first(json_path(j, "tables.plan")), "files_in", 7633);
	assert_number(json_first(json_path(j, "tables.plan")), "files_out", 42);
	assert_text(json_first(json_path(j, "tables.plan")), "engine", "spark-connect");
	assert_null_there(json_first(json_path(j, "tables.plan")), "snapshots");
	json_free(j);
	buf_reset(&out);
	report_plan(fixture_lake(f), t, "compact", view_of(f, "compact", NULL), &(struct report_options){0}, &out);
	assert_true(has_line(buf_text(&out).at, "compact bronze.orders: 7,633 files of 160 KiB become 42 in 31 partitions; rewrites 1.2 GiB"));
	assert_true(has_line(buf_text(&out).at, "  CALL lake.system.rewrite_data_files(table => 'bronze.orders')"));
	buf_reset(&out);
	assert_int_equal(report_plan(fixture_lake(f), t, "orphans", NULL, &(struct report_options){0}, &out), EXIT_UNKNOWN);
	assert_true(has_line(buf_text(&out).at, "orphans bronze.orders: no answer in time"));
	assert_int_equal(report_plan(fixture_lake(f), t, "orphans", view_of(f, "orphans", "403: access denied"), &(struct report_options){.json = true}, &out),
		EXIT_UNKNOWN);
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_document_keeps_the_schema),
		cmocka_unit_test(the_schema_is_not_satisfied_by_anything),
		cmocka_unit_test(a_service_is_told_in_full),
		cmocka_unit_test(unknown_is_null_and_never_0),
		cmocka_unit_test(every_problem_is_among_the_services_and_names_its_cause),
		cmocka_unit_test(what_is_in_no_profile_is_found_and_not_a_service),
		cmocka_unit_test(one_service_can_be_asked_for_with_its_tables),
		cmocka_unit_test(an_unjudged_service_is_unknown_and_not_the_first_verdict_there_is),
		cmocka_unit_test(a_ready_lake_reads_well),
		cmocka_unit_test(what_the_machine_lacks_is_a_warning_beside_ready),
		cmocka_unit_test(no_full_stop_is_doubled),
		cmocka_unit_test(trouble_is_named_first_with_its_remedy_and_victims_are_not),
		cmocka_unit_test(one_service_in_full_shows_what_its_verdict_rests_on),
		cmocka_unit_test(a_finding_on_what_nobody_expects_is_counted_and_told_when_asked_for),
		cmocka_unit_test(before_anything_is_known_nothing_is_claimed),
		cmocka_unit_test(hostile_names_stay_in_their_lines),
		cmocka_unit_test(check_tells_the_truth_by_line_and_code),
		cmocka_unit_test(check_of_some_services_is_about_those),
		cmocka_unit_test(a_blocking_finding_keeps_ready_away_and_a_warning_does_not),
		cmocka_unit_test(starting_is_not_ready_rather_than_not_known),
		cmocka_unit_test(a_condition_is_service_verdict_and_perhaps_version),
		cmocka_unit_test(a_wrong_condition_is_told_what_was_expected),
		cmocka_unit_test(a_condition_is_met_by_what_is_known_and_by_nothing_less),
		cmocka_unit_test(ports_say_who_should_have_them_and_who_has),
		cmocka_unit_test(ports_as_json_are_a_table),
		cmocka_unit_test(events_are_lines_with_a_time),
		cmocka_unit_test(tables_keep_their_schema_and_every_digit_of_an_id),
		cmocka_unit_test(tables_as_text_say_the_worst_first_and_which_catalog_is_down),
		cmocka_unit_test(nobody_answering_is_not_the_same_as_no_tables),
		cmocka_unit_test(one_table_is_told_with_its_views_and_with_those_that_failed),
		cmocka_unit_test(of_a_view_all_is_told_by_its_name),
		cmocka_unit_test(a_plan_says_what_would_be_done_and_by_which_words),
	};
	int failed;

	setlocale(LC_CTYPE, "C.UTF-8");
	setenv("TZ", "UTC0", 1);
	tzset();
	buf_init(&out, 32 << 20);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	buf_free(&out);
	return failed;
}
