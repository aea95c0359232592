// SPDX-License-Identifier: MIT
/*
 * Kafka Connect, by its REST on 8083. GET / tells version and cluster, and proves Jetty alone; GET
 * /health (3.9 on) tells whether the worker works, before that /connectors within a short time: a
 * wedged worker hangs for 90 s there. Its health is not Kafka's: over a frozen broker it stays well.
 *
 * A connector that is RUNNING says nothing about its tasks. Of a failed one the last "Caused by" is
 * told; "Tolerance exceeded in error handler" above it says nothing. Configurations hold passwords in
 * clear: of them the class is read, nothing else, and the bytes are wiped.
 *
 * Every request leaves a line in its log: it is asked seldom. Its actor's thread.
 * Source: Kafka's ConnectorsResource, RootResource (KIP-1017), Debezium's PostgresOffsetContext; checked on 4.1.1 with
 * Debezium 3.6.1.
 */
#include "kafka_connect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kinds.h"

enum { HEALTH_MS = 1500, ANSWER_MAX = 8 << 20, ROWS_MAX = 2000, FINDINGS = 4, OFFSETS_A_LOOK = 8, NAME_MOST = 250 };

static const struct figure_spec figures[] = {
	{"connectors", "connectors", UNIT_COUNT, FIGURE_ROW, "that it was given"},
	{"tasks", "tasks", UNIT_COUNT, FIGURE_ROW, "of them"},
	{"failed", "failed", UNIT_COUNT, FIGURE_ROW | FIGURE_HISTORY,
		"tasks and connectors that failed, and are not begun again by themselves"},
	{"workers", "workers", UNIT_COUNT, 0, "that have a connector or task"},
	{"kafka_cluster", "kafka", UNIT_NONE, 0, "id of the cluster that it works with"},
	{0}};

static const struct table_spec tables[] = {
	{"connectors", "connectors", (const struct column_spec[]){
		{"name", VALUE_TEXT, UNIT_NONE, 0, "name"},
		{"type", VALUE_TEXT, UNIT_NONE, 1, "source or sink"},
		{"state", VALUE_TEXT, UNIT_NONE, 0, "RUNNING, PAUSED, STOPPED, FAILED, UNASSIGNED, RESTARTING; says nothing about its tasks"},
		{"tasks", VALUE_INT, UNIT_COUNT, 0, "how many it has"},
		{"failed", VALUE_INT, UNIT_COUNT, 0, "of them"},
		{"worker", VALUE_TEXT, UNIT_NONE, 2, "that has it"},
		{"class", VALUE_TEXT, UNIT_NONE, 2, "what it is"},
		{"version", VALUE_TEXT, UNIT_NONE, 3, "of it"},
		{"reads", VALUE_TEXT, UNIT_NONE, 2, "Debezium: snapshot, or streaming"},
		{"lsn", VALUE_INT, UNIT_NONE, 4, "Debezium on PostgreSQL: where it stands in the log"},
		{"change_at", VALUE_INT, UNIT_TIME, 3, "Debezium: the last change that it read"},
		{"slot", VALUE_TEXT, UNIT_NONE, 4, "Debezium on PostgreSQL: the replication slot that it reads from; what that holds back PostgreSQL tells"},
		{"cause", VALUE_TEXT, UNIT_NONE, 3, "why it failed itself"},
		{0}}},
	{"tasks", "tasks", (const struct column_spec[]){
		{"connector", VALUE_TEXT, UNIT_NONE, 0, "whose it is"},
		{"task", VALUE_INT, UNIT_NONE, 0, "number"},
		{"state", VALUE_TEXT, UNIT_NONE, 0, "RUNNING, PAUSED, FAILED, UNASSIGNED, RESTARTING"},
		{"worker", VALUE_TEXT, UNIT_NONE, 1, "that runs it"},
		{"cause", VALUE_TEXT, UNIT_NONE, 0, "why it failed"},
		{0}}},
	{0}};

/* ---- reading; pure ---- */

/* "org.apache.kafka.connect.errors.ConnectException: words" -> "ConnectException: words" */
static struct text without_package(struct text line)
{
	struct text type = text_until(line, ':');

	for (size_t i = type.len; i > 0; i--)
		if (type.at[i - 1] == ' ')
			return line; /* no name of a class stands there */
		else if (type.at[i - 1] == '.')
			return (struct text){line.at + i, line.len - i};
	return line;
}

static bool has_words(struct text line)
{
	return text_trim(text_after(line, ':')).len > 0;
}

/* Drivers put what they were given into what they say: "password=x", "//user:x@host". */
static void without_secrets(char *words)
{
	static const char *const names[] = {"password", "passwd", "pwd", "secret", "token"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (char *at = words; (at = strcasestr(at, names[i])); at += strlen(names[i])) {
			char *value = at + strlen(names[i]);

			value += strspn(value, "\"'");
			if (*value != '=' && *value != ':')
				continue;
			for (value += strspn(value, "=:\"' "); *value && !strchr("&;, \"')}", *value); value++)
				*value = '*';
		}
	for (char *at = words; (at = strstr(at, "://")); at += 3) {
		size_t user = strcspn(at + 3, ":@/ "), rest = strcspn(at + 3, "@/ ");

		if (at[3 + user] == ':' && at[3 + rest] == '@')
			memset(at + 4 + user, '*', rest - user - 1);
	}
}

void connect_cause(char out[CONNECT_CAUSE], const char *trace)
{
	struct text rest = text_of(trace), line, first = TEXT(""), cause = TEXT("");
	char *whole;
	size_t size;

	while (text_line(&rest, &line)) {
		if (!first.len)
			first = text_trim(line);
		if (text_skip(&line, "Caused by: "))
			cause = text_trim(line);
	}
	cause = without_package(has_words(cause) ? cause : first);
	size = 3 * cause.len + 1; /* a byte that is none becomes three */
	whole = text_clean(mem_new(1, size), size, cause);
	without_secrets(whole); /* before it is cut: half a URL does not show where its password is */
	text_copy(out, CONNECT_CAUSE, text_of(whole));
	free(whole);
}

static bool is_failed(const struct json *status)
{
	const char *state = json_string(json_get(status, "state"));

	return state && !strcmp(state, "FAILED");
}

struct reading {
	struct snapshot *s;
	struct table *connectors, *tasks;
	int64_t n_connectors, n_tasks, n_failed;
	size_t said;
	const char *workers[64];
	size_t n_workers;
};

static void see_worker(struct reading *r, const struct json *status)
{
	const char *worker = json_string(json_get(status, "worker_id"));
	size_t i = 0;

	while (worker && i < r->n_workers && strcmp(r->workers[i], worker) != 0)
		i++;
	if (worker && i == r->n_workers && i < sizeof r->workers / sizeof *r->workers)
		r->workers[r->n_workers++] = worker;
}

static void find_failed(struct reading *r, const char *remedy, const char *what, const char *name, const char *cause)
{
	if (r->said++ < FINDINGS)
		snapshot_finding(r->s, "task", SEVERITY_WARNING, remedy, "%s%.100s failed: %s", what, name,
			cause[0] ? cause : "it does not say why");
}

static bool read_task(struct reading *r, const char *connector, const struct json *task)
{
	struct value *row = r->tasks->n_rows < ROWS_MAX ? table_row(r->s, r->tasks) : NULL;
	bool failed = is_failed(task);
	char cause[CONNECT_CAUSE] = "", what[40];
	int64_t id = -1;

	json_i64(json_get(task, "id"), &id);
	if (failed) {
		connect_cause(cause, json_string(json_get(task, "trace")));
		snprintf(what, sizeof what, "task %lld of ", (long long)id);
		find_failed(r, "mend the cause, then restart the task: Connect does not by itself", what, connector, cause);
	}
	r->tasks->left_off += !row && r->tasks->n_rows >= ROWS_MAX;
	table_set(r->s, r->tasks, row, "connector", value_text(connector));
	table_set(r->s, r->tasks, row, "task", value_int(id));
	table_set(r->s, r->tasks, row, "state", json_value_text(task, "state"));
	table_set(r->s, r->tasks, row, "worker", json_value_text(task, "worker_id"));
	table_set(r->s, r->tasks, row, "cause", value_text(cause[0] ? cause : NULL));
	see_worker(r, task);
	return failed;
}

/* As Debezium names it where nobody does. */
static const char *slot_of(const struct json *config)
{
	const char *class = json_string(json_get(config, "connector.class")), *slot = json_string(json_get(config, "slot.name"));

	if (!class || strcmp(class, "io.debezium.connector.postgresql.PostgresConnector") != 0)
		return NULL;
	return slot && slot[0] ? slot : "debezium";
}

static void read_connector(struct reading *r, const struct json *item)
{
	const char *name = json_key(item);
	const struct json *own = json_path(item, "status.connector"), *tasks = json_path(item, "status.tasks");
	const struct json *config = json_path(item, "info.config");
	const char *state = json_string(json_get(own, "state"));
	struct value *row = r->connectors->n_rows < ROWS_MAX ? table_row(r->s, r->connectors) : NULL;
	char cause[CONNECT_CAUSE] = "";
	int64_t n = 0, failed = 0;

	for (const struct json *task = json_first(tasks); json_is_array(tasks) && task; task = json_next(task), n++)
		failed += read_task(r, name, task);
	if (is_failed(own)) {
		connect_cause(cause, json_string(json_get(own, "trace")));
		find_failed(r, "mend the cause, then restart the connector", "connector ", name, cause);
	} else if (state && !strcmp(state, "RUNNING") && n == 0) {
		snapshot_finding(r->s, "task", SEVERITY_WARNING, "see the log of its worker", "connector %.100s is RUNNING without a task", name);
	}
	r->connectors->left_off += !row && r->connectors->n_rows >= ROWS_MAX;
	table_set(r->s, r->connectors, row, "name", value_text(name));
	table_set(r->s, r->connectors, row, "type", json_value_text(json_get(item, json_get(item, "status") ? "status" : "info"), "type"));
	table_set(r->s, r->connectors, row, "state", value_text(state));
	table_set(r->s, r->connectors, row, "tasks", value_int(n));
	table_set(r->s, r->connectors, row, "failed", value_int(failed));
	table_set(r->s, r->connectors, row, "worker", json_value_text(own, "worker_id"));
	table_set(r->s, r->connectors, row, "class", json_value_text(config, "connector.class"));
	table_set(r->s, r->connectors, row, "version", json_value_text(own, "version"));
	table_set(r->s, r->connectors, row, "slot", value_text(slot_of(config)));
	table_set(r->s, r->connectors, row, "cause", value_text(cause[0] ? cause : NULL));
	see_worker(r, own);
	r->n_connectors++;
	r->n_tasks += n;
	r->n_failed += failed + is_failed(own);
}

bool connect_read(const struct json *answer, struct snapshot *s)
{
	struct reading r = {.s = s};

	if (!json_is_object(answer) || json_get(answer, "error_code"))
		return false;
	r.connectors = snapshot_table(s, tables, "connectors");
	r.tasks = snapshot_table(s, tables, "tasks");
	for (const struct json *item = json_first(answer); item; item = json_next(item))
		if (json_is_object(item) && json_key(item))
			read_connector(&r, item);
	if (r.said > FINDINGS)
		snapshot_finding(s, "task", SEVERITY_WARNING, NULL, "%zu more failed", r.said - FINDINGS);
	snapshot_figure(s, figures, "connectors", value_int(r.n_connectors));
	snapshot_figure(s, figures, "tasks", value_int(r.n_tasks));
	snapshot_figure(s, figures, "failed", value_int(r.n_failed));
	snapshot_figure(s, figures, "workers", value_int((int64_t)r.n_workers));
	return true;
}

bool connect_read_offset(const struct json *answer, struct connect_offset *out)
{
	const struct json *offset = json_get(json_first(json_get(answer, "offsets")), "offset"), *snapshot = json_get(offset, "snapshot");
	int64_t at;
	bool copies = false;

	*out = (struct connect_offset){.lsn = -1};
	if (!json_is_object(offset))
		return false;
	json_i64(json_get(offset, "lsn"), &out->lsn);
	if (json_i64(json_get(offset, "ts_usec"), &at))
		out->at = at / 1000;
	/* true, or the kind of snapshot: INITIAL, INCREMENTAL */
	json_bool(snapshot, &copies);
	out->snapshot = copies || (json_string(snapshot) && strcasecmp(json_string(snapshot), "false") != 0);
	return true;
}

/* ---- asking ---- */

static bool ask(struct probe *p, const char *path, int64_t ms, struct http_answer *out, struct err *err)
{
	const struct http_request request = {.path = path, .accept = "application/json", .user = p->credentials.user,
		.password = p->credentials.password, .most = ANSWER_MAX, .timeout_ms = ms};

	return http_ask(p, &p->at, &request, out, err);
}

static void forget(struct http_answer *answer)
{
	if (answer->body.at)
		explicit_bzero(answer->body.at, answer->body.len);
	http_answer_free(answer);
}

static enum answered failed(const struct err *err)
{
	if (err->code == ERR_CONNECT)
		return ANSWERED_REFUSED;
	return err->code == ERR_PROTOCOL || err->code == ERR_LIMIT ? ANSWERED_OTHER : ANSWERED_MUTE;
}

static enum answered identify(struct probe *p, struct identity *who)
{
	struct http_answer answer;
	struct err err = {0};
	int64_t begun = clock_ms();
	enum answered answered = ANSWERED_OTHER;
	struct json *json;

	if (!ask(p, "/", 0, &answer, &err)) {
		http_answer_free(&answer);
		return failed(&err);
	}
	json = answer.status == 200 ? json_parse(buf_text(&answer.body), &err) : NULL;
	if (json_string(json_get(json, "kafka_cluster_id")) && json_string(json_get(json, "commit"))) {
		answered = identity_say(p, who, &kind_kafka_connect, NULL, SURE_EXACT, json_string(json_get(json, "version")), "GET /",
			asked_in(p, "GET /", begun));
		who->revision = arena_clean(p->arena, text_of(json_string(json_get(json, "commit"))));
	}
	json_free(json);
	http_answer_free(&answer);
	return answered;
}

/* Before 3.9 there is no /health. */
static void judge_older(struct probe *p, struct snapshot *s)
{
	struct http_answer answer;
	struct err err = {0};
	bool heard = ask(p, "/connectors", HEALTH_MS, &answer, &err);

	if (!heard)
		snapshot_health(s, LINK_BAD, "GET /connectors", "its worker does not answer: %s", err.words);
	else if (answer.status == 200 || answer.status == 409) /* a rebalance is under way */
		snapshot_health(s, LINK_OK, "GET /connectors", answer.status == 409 ? "rebalances" : "its worker answers");
	else
		snapshot_health(s, answer.status == 401 || answer.status == 403 ? LINK_UNKNOWN : LINK_BAD, "GET /connectors", "answers %ld",
			answer.status);
	http_answer_free(&answer);
}

static void judge(struct probe *p, struct snapshot *s)
{
	struct http_answer answer;
	struct err err = {0};
	bool heard = ask(p, "/health", HEALTH_MS, &answer, &err);
	struct json *json = heard ? json_parse(buf_text(&answer.body), NULL) : NULL;
	const char *status = json_string(json_get(json, "status")), *words = json_string(json_get(json, "message"));
	char clean[160];

	text_clean(clean, sizeof clean, text_of(words));
	if (!heard)
		snapshot_health(s, LINK_BAD, "GET /health", "%s", err.words);
	else if (answer.status == 404)
		judge_older(p, s);
	else if (status && answer.status == 503)
		snapshot_health(s, LINK_UNKNOWN, "GET /health", "is starting: %s", clean);
	else if (answer.status == 401 || answer.status == 403)
		snapshot_health(s, LINK_UNKNOWN, "GET /health", "asks for a login");
	else if (status && !strcmp(status, "healthy"))
		snapshot_health(s, LINK_OK, "GET /health", "its worker is ready");
	else
		snapshot_health(s, LINK_BAD, "GET /health", "%s", clean[0] ? clean : "is not healthy");
	json_free(json);
	http_answer_free(&answer);
}

static void ask_cluster(struct probe *p, struct snapshot *s)
{
	struct http_answer answer;
	struct json *json = ask(p, "/", HEALTH_MS, &answer, NULL) ? json_parse(buf_text(&answer.body), NULL) : NULL;

	snapshot_figure(s, figures, "kafka_cluster", json_value_text(json, "kafka_cluster_id"));
	json_free(json);
	http_answer_free(&answer);
}

/* Names go into the path with everything escaped that is not plain. */
static const char *offsets_path(struct arena *arena, const char *name)
{
	static const char digits[] = "0123456789ABCDEF";
	char escaped[NAME_MOST * 3 + 1];
	size_t used = 0;

	for (const char *at = name; *at && used + 3 < sizeof escaped; at++) {
		unsigned char c = (unsigned char)*at;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-_.", c)) {
			escaped[used++] = *at;
			continue;
		}
		escaped[used++] = '%';
		escaped[used++] = digits[c >> 4];
		escaped[used++] = digits[c & 15];
	}
	escaped[used] = '\0';
	return arena_printf(arena, "/connectors/%s/offsets", escaped);
}

/* A few a look, of Debezium's. Before 3.5 nobody tells. */
static void ask_offsets(struct probe *p, struct snapshot *s, struct table *t)
{
	bool told = true;
	size_t asked = 0;

	for (size_t i = 0; i < t->n_rows && told && asked < OFFSETS_A_LOOK; i++) {
		struct value *row = &t->cells[i * t->n_columns], type = table_get(t, i, "class"), name = table_get(t, i, "name");
		struct connect_offset offset;
		struct http_answer answer;
		struct json *json;

		if (type.type != VALUE_TEXT || name.type != VALUE_TEXT || !text_starts(text_of(type.u.s), "io.debezium."))
			continue;
		asked++;
		told = ask(p, offsets_path(s->arena, name.u.s), HEALTH_MS, &answer, NULL) && answer.status == 200;
		json = told ? json_parse(buf_text(&answer.body), NULL) : NULL;
		if (connect_read_offset(json, &offset)) {
			table_set(s, t, row, "reads", value_text(offset.snapshot ? "snapshot" : "streaming"));
			table_set(s, t, row, "lsn", offset.lsn >= 0 ? value_int(offset.lsn) : value_unknown());
			table_set(s, t, row, "change_at", offset.at ? value_int(offset.at) : value_unknown());
		}
		json_free(json);
		http_answer_free(&answer);
	}
}

static bool inspect(struct probe *p, struct snapshot *s)
{
	struct http_answer answer;
	struct json *json = NULL;
	bool good = false, well;

	judge(p, s);
	if (s->health.state == LINK_BAD)
		return true; /* it would hang */
	well = ask(p, "/connectors?expand=status&expand=info", 0, &answer, &s->err);
	if (!well && s->err.code == ERR_LIMIT) { /* configurations are what is large */
		forget(&answer);
		s->err = (struct err){0};
		well = ask(p, "/connectors?expand=status", 0, &answer, &s->err);
	}
	if (well && (answer.status == 401 || answer.status == 403))
		err_set(&s->err, ERR_AUTH, "asks for a login");
	else if (well && answer.status == 409)
		err_set(&s->err, ERR_PROTOCOL, "rebalances: its connectors are told afterwards");
	else if (well)
		json = json_parse(buf_text(&answer.body), &s->err);
	if (json)
		good = connect_read(json, s) || err_set(&s->err, ERR_PARSE, "its answer about connectors makes no sense");
	json_free(json);
	forget(&answer);
	if (good) {
		ask_cluster(p, s);
		ask_offsets(p, s, &s->tables[0]);
	}
	return good;
}

const struct service_kind kind_kafka_connect = {
	.name = "kafka-connect",
	.title = "Kafka Connect",
	.group = "streams",
	.ports = (const struct port_role[]){{"rest", 8083, PORT_ASK, 0}, {0}},
	.owners_are_all = true,
	.owners = (const char *const[]){"connect.cli.ConnectDistributed", "connect.cli.ConnectStandalone", NULL},
	.figures = figures,
	.tables = tables,
	.pulse_ms = 6000, /* each request leaves a line in its log */
	.depth_ms = 20000,
	.identify = identify,
	.inspect = inspect,
};
