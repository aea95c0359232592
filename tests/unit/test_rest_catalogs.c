// SPDX-License-Identifier: MIT
/*
 * Catalogs that speak HTTP, and the services that they are. Unity Catalog 0.6.0 and Polaris 1.7.0 are replayed: their own
 * answers, recorded. What no server gave is said by a small one of the test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../backend/catalogs/catalogs.h"
#include "../../backend/catalogs/rest.h"
#include "../../backend/services/catalogs_look.h"
#include "../../backend/services/kinds.h"
#include "fixture_bytes.h"
#include "fixture_replay.h"

#define UNITY "unity-catalog-0.6.0"
#define POLARIS "polaris-1.7.0"
#define UNITY_ICEBERG "/api/2.1/unity-catalog/iceberg"

/* ---- reading ---- */

static struct text body_of(const char *file)
{
	struct text all = recorded(file);
	const char *end = memmem(all.at, all.len, "\r\n\r\n", 4);

	assert_non_null(end);
	return (struct text){end + 4, (size_t)(all.at + all.len - end - 4)};
}

static void fault_is(struct text body, const char *type, const char *words)
{
	struct web_fault f;

	web_read_fault(body, &f);
	assert_string_equal(f.type, type);
	if (strncmp(f.words, words, strlen(words)) != 0 || (!words[0] && f.words[0]))
		fail_msg("\"%s\" does not begin with \"%s\"", f.words, words);
}

static void errors_of_every_shape_are_read(void **state)
{
	(void)state;
	fault_is(body_of(POLARIS "/table-404.http"), "NoSuchTableException", "Table does not exist: sales.nope");
	fault_is(body_of(POLARIS "/token-badscope.http"), "invalid_scope", "The scope is invalid");
	fault_is(body_of(UNITY "/auth-catalogs-401.http"), "UNAUTHENTICATED", "No authorization found.");
	fault_is(body_of(UNITY "/wrong-path.http"), "", "Not Found");
	fault_is(body_of(UNITY "/scim-me.http"), "", "No user found");
	fault_is(TEXT("<html><head><title>Error 400 Suspicious Path Character</title></head></html>"), "", "Error 400 Suspicious Path");
	fault_is(TEXT("{\"status\":404,\"message\":\"gone\",\"errorCode\":\"REFERENCE_NOT_FOUND\"}"), "REFERENCE_NOT_FOUND", "gone");
	fault_is(TEXT(""), "", "");
	fault_is(TEXT("{\"error\":{\"message\":5,\"type\":null}}"), "", "");
	fault_is(TEXT("{"), "", "{");
}

static void a_configuration_prefers_overrides_and_keeps_what_is_encoded(void **state)
{
	struct rest_config c;

	(void)state;
	assert_true(rest_read_config(body_of(POLARIS "/config.http"), &c, NULL));
	assert_string_equal(c.prefix, "lab");
	assert_string_equal(c.separator, "%1F");
	assert_true(c.views && c.generic && c.has_endpoints && !c.nessie);
	assert_true(rest_read_config(body_of(UNITY "/irc-config.http"), &c, NULL));
	assert_string_equal(c.prefix, "catalogs/unity");
	assert_false(c.views);
	assert_true(rest_read_config(TEXT("{\"defaults\":{\"prefix\":\"main%7Cwarehouse\",\"nessie.is-nessie-catalog\":\"true\"}}"), &c, NULL));
	assert_string_equal(c.prefix, "main%7Cwarehouse");
	assert_true(c.nessie && !c.has_endpoints);
	assert_true(rest_read_config(TEXT("{\"defaults\":{\"prefix\":\"a\"},\"overrides\":{\"prefix\":\"my lake?#%z\",\"namespace-separator\":\".\"}}"), &c, NULL));
	assert_string_equal(c.prefix, "my%20lake%3F%23%25z");
	assert_string_equal(c.separator, ".");
	/* the reference server lists the endpoints of its own tests, too */
	assert_true(rest_read_config(TEXT("{\"defaults\":{},\"overrides\":{\"namespace-separator\":\"%2E\"},\"endpoints\":[\"POST v1/oauth/tokens\","
		"\"POST https://auth-server.com/token\",5,\"\",\"GET\",\"GET /v1/{prefix}/namespaces/{namespace}/views\"]}"), &c, NULL));
	assert_true(c.views);
	assert_string_equal(c.separator, "%2E");
}

static void what_is_no_configuration_is_said(void **state)
{
	struct rest_config c;
	struct err err = {0};

	(void)state;
	assert_false(rest_read_config(TEXT("{\"version\":1}"), &c, &err));
	assert_int_equal(err.code, ERR_PROTOCOL);
	assert_false(rest_read_config(TEXT("<html>"), &c, &err));
	assert_int_equal(err.code, ERR_PARSE);
}

static void quarkus_says_what_is_down(void **state)
{
	struct quarkus_health h;

	(void)state;
	quarkus_read_health(body_of(POLARIS "/health-ready.http"), &h);
	assert_true(h.known && h.up);
	quarkus_read_health(body_of(POLARIS "/pg-gone-ready.http"), &h);
	assert_true(h.known && !h.up);
	assert_non_null(strstr(h.words, "Database connections health check: "));
	assert_non_null(strstr(h.words, "failed for the default DataSource"));
	/* as Nessie 0.99.0 says it with its storage stopped */
	quarkus_read_health(TEXT("{\"status\":\"DOWN\",\"checks\":[{\"name\":\"Warehouses Object Stores\",\"status\":\"DOWN\",\"data\":{"
		"\"warehouse.warehouse.status\":\"DOWN\",\"warehouse.warehouse.error-id\":\"d3a1a1c4-4069-42d3-9804-4e85558be07e\","
		"\"warehouse.warehouse.error\":\"software.amazon.awssdk.core.exception.SdkClientException: Unable to execute\"}}]}"), &h);
	assert_string_equal(h.words, "Warehouses Object Stores: Unable to execute");
	quarkus_read_health(TEXT("{\"status\":\"UP\"}"), &h);
	assert_false(h.known);
}

static void read_all(struct text bytes)
{
	struct rest_config c;
	struct quarkus_health h;
	struct web_fault f;

	web_read_fault(bytes, &f);
	rest_read_config(bytes, &c, NULL);
	quarkus_read_health(bytes, &h);
	assert_true(strlen(c.prefix) < sizeof c.prefix && strlen(f.words) < sizeof f.words && strlen(h.words) < sizeof h.words);
}

static void mutilated_answers_do_no_harm(void **state)
{
	(void)state;
	fuzz(body_of(POLARIS "/config.http"), read_all);
	fuzz(body_of(POLARIS "/pg-gone-ready.http"), read_all);
	fuzz(body_of(UNITY "/dbgone-noauth-catalogs.http"), read_all);
	fuzz(body_of(UNITY "/wrong-path.http"), read_all);
}

/* ---- listing ---- */

struct told {
	char all[4096];            /* "sales.orders sales.t1": in the order in which they came */
	char key[512];             /* of the last one */
	enum table_format format;  /* likewise */
	char at[256];
	unsigned n, most;          /* most: after which each has enough; 0: never */
	struct catalog_said said;
	struct err err;
	bool good;
};

static bool tell(void *ctx, const struct catalog_entry *e)
{
	struct told *t = ctx;
	size_t len = strlen(t->all);

	snprintf(t->all + len, sizeof t->all - len, "%s%.*s", len ? " " : "", (int)e->name.len, e->name.at);
	text_copy(t->key, sizeof t->key, e->key);
	text_copy(t->at, sizeof t->at, e->at);
	t->format = e->format;
	return ++t->n != t->most;
}

static struct told *listed(struct probe *p, const struct catalog_kind *kind, const struct catalog *c, void **kept)
{
	static struct told t;

	t = (struct told){0};
	t.good = kind->list(p, c, kept, tell, &t, &t.said, &t.err);
	return &t;
}

static void as_root(struct replay *r)
{
	r->f.p.credentials = (struct credentials){.user = "root", .password = "recorded"};
}

static const struct catalog polaris = {.name = "p", .path = "/api/catalog", .warehouse = "lab"};

static void polaris_lists_every_namespace_with_a_token_of_its_own(void **state)
{
	struct replay r;
	void *kept = NULL;
	struct told *t;
	unsigned asked;

	(void)state;
	replay_begin(&r, POLARIS, "open");
	as_root(&r);
	t = listed(&r.f.p, &catalog_iceberg_rest, &polaris, &kept);
	assert_true(t->good);
	assert_string_equal(t->all, "sales.orders sales.t1 sales.t2 sales.t3");
	assert_string_equal(t->key, "lab/namespaces/sales/tables/t3");
	assert_false(t->said.cut);
	asked = r.asked;
	assert_true(listed(&r.f.p, &catalog_iceberg_rest, &polaris, &kept)->good);
	assert_int_equal(r.asked - asked, asked - 1); /* the token is kept */
	r.scene = "paged";
	t = listed(&r.f.p, &catalog_iceberg_rest, &polaris, &kept);
	assert_string_equal(t->all, "sales.orders sales.t1 sales.t2 sales.t3");
	catalog_iceberg_rest.close(kept);
	replay_end(&r);
}

static void polaris_without_a_warehouse_tells_of_all_that_it_manages(void **state)
{
	const struct catalog c = {.name = "p", .path = "/api/catalog"};
	struct replay r;
	void *kept = NULL;
	struct told *t;

	(void)state;
	replay_begin(&r, POLARIS, "open");
	as_root(&r);
	t = listed(&r.f.p, &catalog_iceberg_rest, &c, &kept);
	assert_true(t->good); /* the second one is not there any more: that of one is no reason */
	assert_string_equal(t->all, "lab.sales.orders lab.sales.t1 lab.sales.t2 lab.sales.t3");
	r.scene = "bob"; /* may not manage */
	t = listed(&r.f.p, &catalog_iceberg_rest, &c, &kept);
	assert_false(t->good);
	assert_non_null(strstr(t->err.words, "Please specify a warehouse"));
	assert_non_null(strstr(t->err.words, "warehouse = NAME"));
	catalog_iceberg_rest.close(kept);
	replay_end(&r);
}

/* scene, password, realm: what it comes to */
static const struct refusal {
	const char *scene, *password, *warehouse, *realm;
	enum err_code code;
	const char *words;
} refusals[] = {
	{"open", "wrong", "lab", NULL, ERR_AUTH, "refuses the credential (HTTP 401): The client is not authorized"},
	{"open", NULL, "lab", NULL, ERR_AUTH, "asks for a credential (HTTP 401)"},
	{"open", "recorded", "lab", "laketop-probe", ERR_AUTH, "makes no tokens (HTTP 404)"},
	{"open", "recorded", "nope", NULL, ERR_PROTOCOL, "there is no such thing (HTTP 404): Unable to find warehouse nope"},
	{"gone", "recorded", "lab", NULL, ERR_PROTOCOL, "fails (HTTP 500): Failed to retrieve polaris entity"},
	{"bare", "recorded", "lab", NULL, ERR_PROTOCOL, "fails (HTTP 500)"},
	{"bob", "recorded", "lab", NULL, ERR_AUTH, "does not let this credential see it (HTTP 403): Principal 'bob'"},
};

static void each_refusal_of_polaris_has_its_own_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		struct catalog c = polaris;
		struct replay r;
		void *kept = NULL;
		struct told *t;
		unsigned asked;

		c.warehouse = refusals[i].warehouse;
		c.realm = refusals[i].realm;
		replay_begin(&r, POLARIS, refusals[i].scene);
		r.f.p.credentials = (struct credentials){.user = refusals[i].password ? "root" : NULL, .password = refusals[i].password};
		t = listed(&r.f.p, &catalog_iceberg_rest, &c, &kept);
		assert_false(t->good);
		if (t->err.code != refusals[i].code || !strstr(t->err.words, refusals[i].words))
			fail_msg("%zu: %s: %s", i, err_name(t->err.code), t->err.words);
		asked = r.asked;
		listed(&r.f.p, &catalog_iceberg_rest, &c, &kept);
		if (!strncmp(refusals[i].words, "refuses the credential", 22))
			assert_int_equal(r.asked, asked); /* not tried again */
		r.f.p.owner_started = 5;
		listed(&r.f.p, &catalog_iceberg_rest, &c, &kept);
		assert_true(r.asked > asked); /* another server */
		catalog_iceberg_rest.close(kept);
		replay_end(&r);
	}
}

static bool take_bytes(void *ctx, const char *bytes, size_t len)
{
	(void)bytes;
	*(size_t *)ctx += len;
	return true;
}

static enum catalog_answer loaded(struct probe *p, const struct catalog *c, void **kept, const char *key, char known[200], size_t *bytes, struct err *err)
{
	const struct catalog_entry e = {.name = text_of(key), .key = text_of(key)};
	struct catalog_load load = {.entry = &e, .take = take_bytes, .ctx = bytes};
	enum catalog_answer said;

	*bytes = 0;
	*err = (struct err){0};
	text_copy(load.known, sizeof load.known, text_of(known));
	said = catalog_iceberg_rest.load(p, c, kept, &load, err);
	text_copy(known, 200, text_of(load.known));
	return said;
}

static void a_table_is_loaded_once_and_then_only_when_it_changed(void **state)
{
	struct replay r;
	void *kept = NULL;
	char known[200] = "", none[200] = "";
	size_t bytes;
	struct err err;

	(void)state;
	replay_begin(&r, POLARIS, "open");
	as_root(&r);
	assert_int_equal(loaded(&r.f.p, &polaris, &kept, "lab/namespaces/sales/tables/orders", known, &bytes, &err), CATALOG_OK);
	assert_true(bytes > 1000);
	assert_string_equal(known, "W/\"64fd2d97109e5fa497bb2ae737a32524f8dbb6567bcc44a4269c15887daa0ec4\"");
	assert_int_equal(loaded(&r.f.p, &polaris, &kept, "lab/namespaces/sales/tables/orders", known, &bytes, &err), CATALOG_SAME);
	assert_int_equal(bytes, 0);
	assert_int_equal(loaded(&r.f.p, &polaris, &kept, "lab/namespaces/sales/tables/nope", none, &bytes, &err), CATALOG_GONE);
	/* the same status, and it is the storage */
	assert_int_equal(loaded(&r.f.p, &polaris, &kept, "lab/namespaces/sales/tables/t2", none, &bytes, &err), CATALOG_FAILED);
	assert_non_null(strstr(err.words, "cannot read its metadata (HTTP 404): Failed to open input stream"));
	assert_int_equal(loaded(&r.f.p, &polaris, &kept, "", none, &bytes, &err), CATALOG_FAILED);
	catalog_iceberg_rest.close(kept);
	replay_end(&r);
}

static void unity_lists_delta_tables_by_their_folder_page_by_page(void **state)
{
	const struct catalog all = {.name = "u"}, one = {.name = "u", .warehouse = "unity"};
	struct replay r;
	void *kept = NULL;
	struct told *t;

	(void)state;
	replay_begin(&r, UNITY, "open");
	t = listed(&r.f.p, &catalog_unity, &all, &kept);
	assert_true(t->good);
	assert_string_equal(t->all, "unity.default.marksheet unity.default.marksheet_uniform unity.default.numbers unity.default.user_countries");
	assert_int_equal(t->format, FORMAT_DELTA);
	assert_string_equal(t->at, "file:///data/x/x/x/x/xx/etc/data/external/unity/default/tables/user_countries");
	t = listed(&r.f.p, &catalog_unity, &one, &kept);
	assert_string_equal(t->all, "default.marksheet default.marksheet_uniform default.numbers default.user_countries");
	r.scene = "gone";
	t = listed(&r.f.p, &catalog_unity, &all, &kept);
	assert_false(t->good);
	assert_non_null(strstr(t->err.words, "fails (HTTP 500): Error calling Driver.connect()"));
	catalog_unity.close(kept);
	replay_end(&r);
}

static void unity_s_iceberg_endpoint_tells_only_of_what_is_iceberg_as_well(void **state)
{
	const struct catalog c = {.name = "u", .path = UNITY_ICEBERG, .warehouse = "unity"};
	struct replay r;
	void *kept = NULL;
	struct told *t;
	char none[200] = "";
	size_t bytes;
	struct err err;

	(void)state;
	replay_begin(&r, UNITY, "open");
	t = listed(&r.f.p, &catalog_iceberg_rest, &c, &kept);
	assert_true(t->good);
	assert_string_equal(t->all, "default.marksheet_uniform");
	assert_string_equal(t->key, "catalogs/unity/namespaces/default/tables/marksheet_uniform");
	assert_false(t->said.cut);
	assert_non_null(strstr(t->said.words, "UniForm"));
	assert_int_equal(loaded(&r.f.p, &c, &kept, t->key, none, &bytes, &err), CATALOG_OK);
	assert_int_equal(loaded(&r.f.p, &c, &kept, "catalogs/unity/namespaces/default/tables/numbers", none, &bytes, &err), CATALOG_GONE);
	assert_int_equal(loaded(&r.f.p, &c, &kept, "catalogs/unity/namespaces/default/tables/lost", none, &bytes, &err), CATALOG_FAILED);
	assert_non_null(strstr(err.words, "cannot read its metadata (HTTP 500): Failed to read file"));
	catalog_iceberg_rest.close(kept);
	replay_end(&r);
}

/* ---- servers that no recording has ---- */

static bool circles(void *ctx, struct text q, struct buf *out)
{
	(void)ctx;
	if (text_has(q, "/v1/config"))
		fake_http(out, 200, "", "{\"defaults\":{},\"overrides\":{}}");
	else if (text_has(q, "/tables?"))
		fake_http(out, 200, "", "{\"identifiers\":[{\"name\":\"t\"},{\"name\":null},{}],\"next-page-token\":\"again\"}");
	else
		fake_http(out, 200, "", "{\"namespaces\":[[\"a\"],[\"a\",\"b\"],[\"a.b\"],[],[5],\"x\",[\"\"]]}");
	return false;
}

static void a_server_that_goes_in_circles_is_left(void **state)
{
	const struct catalog c = {.name = "c"};
	struct fake_server *server = fake_server_start(circles, NULL);
	struct fake_probe f;
	void *kept = NULL;
	struct told *t;

	(void)state;
	fake_probe_begin(&f, fake_server_at(server), 60000);
	t = listed(&f.p, &catalog_iceberg_rest, &c, &kept);
	assert_true(t->good && t->said.cut);
	assert_string_equal(t->all, "a.t a.b.t \"a.b\".t");
	assert_non_null(strstr(t->said.words, "circles"));
	catalog_iceberg_rest.close(kept);
	fake_probe_end(&f);
	fake_server_stop(server);
}

struct tokens {
	unsigned made;
	long dead;                 /* status for who comes with the first token */
};

/* Its first token ends without a word; then it is asked for another. */
static bool ageing(void *ctx, struct text q, struct buf *out)
{
	struct tokens *t = ctx;
	char body[160];

	if (text_has(q, "/oauth/tokens")) {
		snprintf(body, sizeof body, "{\"access_token\":\"token-%u\",\"expires_in\":3600}", ++t->made);
		fake_http(out, 200, "", body);
	} else if (!text_has(q, "Bearer token-2")) {
		fake_http(out, (int)t->dead, "", "{\"error\":{\"message\":\"token token-1 of s3cr3t-word is over\",\"type\":\"x\",\"code\":419}}");
	} else if (text_has(q, "/v1/config")) {
		fake_http(out, 200, "", "{\"defaults\":{},\"overrides\":{}}");
	} else {
		fake_http(out, 200, "", "{\"namespaces\":[]}");
	}
	return false;
}

static void a_token_that_has_ended_is_asked_for_anew_once(void **state)
{
	const struct catalog c = {.name = "c"};
	const long dead[] = {401, 419};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct tokens tokens = {.dead = dead[i]};
		struct fake_server *server = fake_server_start(ageing, &tokens);
		struct fake_probe f;
		void *kept = NULL;

		fake_probe_begin(&f, fake_server_at(server), 60000);
		f.p.credentials = (struct credentials){.user = "u", .password = "s3cr3t-word"};
		assert_true(listed(&f.p, &catalog_iceberg_rest, &c, &kept)->good);
		catalog_iceberg_rest.close(kept);
		kept = NULL;
		/* every token is bad now: it gives up, and repeats no secret that the server repeats */
		assert_false(listed(&f.p, &catalog_iceberg_rest, &c, &kept)->good);
		catalog_iceberg_rest.close(kept);
		fake_probe_end(&f);
		fake_server_stop(server);
		assert_int_equal(tokens.made, 4);
	}
}

static bool failing(void *ctx, struct text q, struct buf *out)
{
	(void)q;
	fake_http(out, *(int *)ctx, *(int *)ctx == 302 ? "Location: https://s3cr3t-word@catalog.example:8443/v1/config?key=s3cr3t-word\r\n" : "", "{\"error\":{\"message\":\"of s3cr3t-word and s3cr3t-word ............................................"
		".......................................................................... s3cr3t-word\",\"type\":\"x\"}}");
	return false;
}

static void every_status_has_its_own_words_and_none_repeats_a_secret(void **state)
{
	static const struct {
		int status;
		const char *words;
	} rows[] = {{401, "refuses the credential"}, {403, "does not let this credential see it"}, {404, "there is no such thing"}, {406, "does not offer this"},
		{419, "says that the token has ended"}, {429, "was asked too often"}, {500, "fails"}, {503, "cannot serve now"}, {302, "leads elsewhere (HTTP 302): to catalog.example:8443, by TLS"},
		{418, "is refused"}};
	const struct catalog c = {.name = "c"};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int status = rows[i].status;
		struct fake_server *server = fake_server_start(failing, &status);
		struct fake_probe f;
		void *kept = NULL;
		struct told *t;

		fake_probe_begin(&f, fake_server_at(server), 60000);
		f.p.credentials.token = "s3cr3t-word";
		t = listed(&f.p, &catalog_iceberg_rest, &c, &kept);
		assert_false(t->good);
		if (!strstr(t->err.words, rows[i].words) || strstr(t->err.words, "s3cr3t") || !strstr(t->err.words, "/v1/config"))
			fail_msg("%d: %s", status, t->err.words);
		catalog_iceberg_rest.close(kept);
		fake_probe_end(&f);
		fake_server_stop(server);
	}
}

/* ---- whom a credential is shown to ---- */

struct stranger {
	const char *config;        /* what it says to whoever asks; NULL: a page */
	bool seen;                 /* it was shown the credential */
};

static bool strange(void *ctx, struct text q, struct buf *out)
{
	struct stranger *s = ctx;

	s->seen |= text_has(q, "s3cr3t-word");
	if (text_has(q, "/v1/config") && s->config)
		fake_http(out, s->config[0] == '{' ? 200 : 401, s->config[0] == '{' ? "" : s->config, s->config[0] == '{' ? s->config : "");
	else if (text_has(q, "/namespaces") && s->config)
		fake_http(out, 200, "", "{\"namespaces\":[]}");
	else
		fake_http(out, 200, "", "<html><title>Welcome</title></html>");
	return false;
}

/* What is said of it; credential seen or not is in s. */
static const char *show_to(struct stranger *s, const struct expectation *x, enum holder holder, const char *address)
{
	static char said[sizeof ((struct err *)0)->words];
	const struct catalog c = {.name = "c", .service = x};
	struct fake_server *server = fake_server_start(strange, s);
	struct fake_probe f;
	void *kept = NULL;
	struct told *t;

	fake_probe_begin(&f, fake_server_at(server), 60000);
	f.p.credentials.token = "s3cr3t-word";
	f.p.expected = x;
	f.p.holder = holder;
	if (address)
		text_copy(f.p.at.address, sizeof f.p.at.address, text_of(address));
	t = listed(&f.p, &catalog_iceberg_rest, &c, &kept);
	text_copy(said, sizeof said, text_of(t->err.words));
	catalog_iceberg_rest.close(kept);
	fake_probe_end(&f);
	fake_server_stop(server);
	return said;
}

static void a_credential_is_for_who_answers_as_the_right_one(void **state)
{
	static const char fits[] = "{\"defaults\":{\"a\":\"b\"},\"overrides\":{},\"endpoints\":[]}";
	struct expectation rest = {.name = "cat", .kind = &kind_iceberg_rest}, other = {.name = "cat", .kind = service_kind_named("other")};
	struct stranger s = {.config = NULL};

	(void)state;
	assert_non_null(strstr(show_to(&s, &rest, HOLDER_UNKNOWN, NULL), "its credential is kept: who answers on"));
	assert_false(s.seen);
	assert_non_null(strstr(show_to(&s, &other, HOLDER_UNKNOWN, NULL), "its credential is kept: who answers on"));
	assert_false(s.seen);
	show_to(&s, &rest, HOLDER_RIGHT, NULL); /* its process is known to be the right one */
	assert_true(s.seen);
	for (int i = 0; i < 3; i++) {
		s = (struct stranger){.config = i < 2 ? fits : "WWW-Authenticate: Bearer\r\n"};
		show_to(&s, i == 1 ? &rest : &other, HOLDER_UNKNOWN, NULL);
		assert_true(s.seen);
	}
	s = (struct stranger){.config = fits};
	assert_non_null(strstr(show_to(&s, &rest, HOLDER_RIGHT, "192.0.2.1"), "cleartext = yes"));
	assert_false(s.seen);
}

static bool not_found(void *ctx, struct text q, struct buf *out)
{
	(void)ctx;
	(void)q;
	fake_http(out, 404, "", "404 page not found");
	return false;
}

/* As SeaweedFS answers on its catalog's port. */
static void who_has_no_list_of_catalogs_is_no_unity_catalog(void **state)
{
	const struct catalog all = {.name = "c"}, one = {.name = "c", .warehouse = "main"};
	struct fake_server *server = fake_server_start(not_found, NULL);

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct fake_probe f;
		void *kept = NULL;
		struct told *t;

		fake_probe_begin(&f, fake_server_at(server), 60000);
		t = listed(&f.p, &catalog_unity, i ? &one : &all, &kept);
		assert_false(t->good);
		assert_non_null(strstr(t->err.words, i ? "there is no catalog \"main\", or who answers there is no Unity Catalog" : "is no Unity Catalog: it has no"));
		catalog_unity.close(kept);
		fake_probe_end(&f);
	}
	fake_server_stop(server);
}

/* ---- the services ---- */

static const struct service_kind *answers(struct replay *r, const struct service_kind *kind, struct identity *who)
{
	*who = (struct identity){0};
	return kind->identify(&r->f.p, who) == ANSWERED_YES ? who->kind : NULL;
}

static void look(struct replay *r, const struct service_kind *kind)
{
	snapshot_unref(r->f.s);
	r->f.s = snapshot_new("test", PART_DEPTH);
	r->f.p.arena = r->f.s->arena;
	r->f.p.wait = wait_for(60000, -1);
	kind->inspect(&r->f.p, r->f.s);
}

static void health_is(const struct replay *r, enum link_state state, const char *words)
{
	const struct health *h = &r->f.s->health;

	if (h->state != state || !h->words || !strstr(h->words, words))
		fail_msg("%d: %s", (int)h->state, h->words ? h->words : "nothing");
}

static void end_state(struct replay *r, const struct service_kind *kind)
{
	kind->close(r->f.p.state);
	r->f.p.state = NULL;
}

static void each_is_known_by_what_only_it_answers(void **state)
{
	struct replay r;
	struct identity who;

	(void)state;
	replay_begin(&r, POLARIS, "open");
	assert_ptr_equal(answers(&r, &kind_polaris, &who), &kind_polaris);
	assert_null(who.version);
	end_state(&r, &kind_polaris);
	assert_null(answers(&r, &kind_unity_catalog, &who));
	assert_int_equal(who.answered, ANSWERED_NOT_ASKED);
	end_state(&r, &kind_unity_catalog);
	assert_null(answers(&r, &kind_iceberg_rest, &who));
	end_state(&r, &kind_iceberg_rest);
	assert_null(answers(&r, &kind_nessie, &who));
	replay_end(&r);
	replay_begin(&r, UNITY, "open");
	assert_ptr_equal(answers(&r, &kind_unity_catalog, &who), &kind_unity_catalog);
	assert_int_equal(who.sure, SURE_RANGE);
	assert_string_equal(who.version, "0.5");
	assert_string_equal(who.version_to, "0.6");
	end_state(&r, &kind_unity_catalog);
	assert_null(answers(&r, &kind_polaris, &who));
	end_state(&r, &kind_polaris);
	assert_null(answers(&r, &kind_nessie, &who));
	r.scene = "auth";
	assert_ptr_equal(answers(&r, &kind_unity_catalog, &who), &kind_unity_catalog);
	assert_null(who.version);
	end_state(&r, &kind_unity_catalog);
	replay_end(&r);
}

static void unity_is_as_well_as_its_catalogs_can_be_listed(void **state)
{
	struct replay r;
	unsigned asked;

	(void)state;
	replay_begin(&r, UNITY, "open");
	look(&r, &kind_unity_catalog);
	health_is(&r, LINK_OK, "lists its catalogs");
	assert_int_equal(snapshot_get(r.f.s, "catalogs").u.i, 1);
	assert_string_equal(snapshot_get(r.f.s, "metastore").u.s, "2403a88d-31bf-4728-8bd8-84f855caf701");
	r.scene = "gone";
	look(&r, &kind_unity_catalog);
	health_is(&r, LINK_BAD, "Error calling Driver.connect()");
	end_state(&r, &kind_unity_catalog);
	r.scene = "auth";
	look(&r, &kind_unity_catalog);
	health_is(&r, LINK_UNKNOWN, "the profile gives none");
	r.f.p.credentials.token = "bad";
	look(&r, &kind_unity_catalog);
	health_is(&r, LINK_UNKNOWN, "refuses the credential");
	assert_int_equal(r.f.s->err.code, ERR_AUTH);
	asked = r.asked;
	look(&r, &kind_unity_catalog);
	health_is(&r, LINK_UNKNOWN, "refuses the credential");
	assert_int_equal(r.asked, asked);
	r.f.p.credentials.token = "recorded";
	look(&r, &kind_unity_catalog);
	health_is(&r, LINK_OK, "lists its catalogs");
	r.scene = "authgone"; /* looks like lost rights */
	look(&r, &kind_unity_catalog);
	health_is(&r, LINK_BAD, "its database is down");
	end_state(&r, &kind_unity_catalog);
	replay_end(&r);
}

static void polaris_that_is_ready_may_still_be_sick(void **state)
{
	static const struct expected_port none[] = {{NULL, 1}};
	struct expectation expected = {.name = "polaris", .kind = &kind_polaris, .ports = none, .n_ports = 1};
	struct expected_port ports[2];
	struct replay r;

	(void)state;
	replay_begin(&r, POLARIS, "open");
	ports[0] = (struct expected_port){NULL, r.f.p.at.port};
	ports[1] = (struct expected_port){"management", r.f.p.at.port}; /* one server replays both */
	expected.ports = ports;
	expected.n_ports = 2;
	r.f.p.expected = &expected;
	look(&r, &kind_polaris);
	health_is(&r, LINK_UNKNOWN, "says that it is ready; the profile gives no credential");
	as_root(&r);
	look(&r, &kind_polaris);
	health_is(&r, LINK_OK, "reads its tables' metadata");
	assert_int_equal(snapshot_get(r.f.s, "catalogs").u.i, 2);
	assert_int_equal(snapshot_get(r.f.s, "namespaces").u.i, 3);
	assert_string_equal(snapshot_get(r.f.s, "ready").u.s, "UP");
	end_state(&r, &kind_polaris);
	r.scene = "bob";
	look(&r, &kind_polaris);
	health_is(&r, LINK_OK, "may not list catalogs");
	end_state(&r, &kind_polaris);
	r.scene = "bare";
	look(&r, &kind_polaris);
	health_is(&r, LINK_BAD, "polaris_schema.entities");
	r.scene = "gone";
	look(&r, &kind_polaris);
	health_is(&r, LINK_BAD, "is not ready: Database connections health check");
	end_state(&r, &kind_polaris);
	r.scene = "open";
	r.f.p.credentials.password = "wrong";
	look(&r, &kind_polaris);
	health_is(&r, LINK_UNKNOWN, "refuses the credential");
	end_state(&r, &kind_polaris);
	replay_end(&r);
}

static void ports_are_placed_by_the_words_of_their_process(void **state)
{
	(void)state;
	assert_string_equal(kind_unity_catalog.role_of(TEXT("io.unitycatalog.server.UnityCatalogServer --port 8081"), 8081), "api");
	assert_string_equal(kind_unity_catalog.role_of(TEXT("io.unitycatalog.server.UnityCatalogServer --port 8081"), 8082), "inner");
	assert_string_equal(kind_unity_catalog.role_of(TEXT("io.unitycatalog.server.UnityCatalogServer"), 8081), "inner");
	assert_null(kind_unity_catalog.role_of(TEXT("io.unitycatalog.server.UnityCatalogServer"), 9000));
	assert_string_equal(kind_nessie.role_of(TEXT("java -Dquarkus.http.port=7000 nessie-quarkus-0.99.0-runner.jar"), 7000), "api");
	assert_string_equal(kind_nessie.role_of(TEXT("nessie-quarkus-0.99.0-runner.jar"), 9000), "management");
	assert_string_equal(kind_polaris.role_of(TEXT("polaris-server"), 8182), "management");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_of_every_shape_are_read),
		cmocka_unit_test(a_configuration_prefers_overrides_and_keeps_what_is_encoded),
		cmocka_unit_test(what_is_no_configuration_is_said),
		cmocka_unit_test(quarkus_says_what_is_down),
		cmocka_unit_test(mutilated_answers_do_no_harm),
		cmocka_unit_test(polaris_lists_every_namespace_with_a_token_of_its_own),
		cmocka_unit_test(polaris_without_a_warehouse_tells_of_all_that_it_manages),
		cmocka_unit_test(each_refusal_of_polaris_has_its_own_words),
		cmocka_unit_test(a_table_is_loaded_once_and_then_only_when_it_changed),
		cmocka_unit_test(unity_lists_delta_tables_by_their_folder_page_by_page),
		cmocka_unit_test(unity_s_iceberg_endpoint_tells_only_of_what_is_iceberg_as_well),
		cmocka_unit_test(a_server_that_goes_in_circles_is_left),
		cmocka_unit_test(a_token_that_has_ended_is_asked_for_anew_once), cmocka_unit_test(a_credential_is_for_who_answers_as_the_right_one),
		cmocka_unit_test(who_has_no_list_of_catalogs_is_no_unity_catalog),
		cmocka_unit_test(every_status_has_its_own_words_and_none_repeats_a_secret),
		cmocka_unit_test(each_is_known_by_what_only_it_answers),
		cmocka_unit_test(unity_is_as_well_as_its_catalogs_can_be_listed),
		cmocka_unit_test(polaris_that_is_ready_may_still_be_sick),
		cmocka_unit_test(ports_are_placed_by_the_words_of_their_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
