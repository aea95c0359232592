// SPDX-License-Identifier: MIT
/* Trino by its recorded answers (476): who and how, statements whose nextUri leads elsewhere, rows typed as Spark's, and what ends early. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <stdatomic.h>

#include "../../backend/services/kinds.h"
#include "../../backend/services/trino.h"
#include "fixture_bytes.h"
#include "fixture_server.h"
#include "profile.h"

#define SLUG "y725fa24a49265516685759aa563473a180094c97"

/* ---- values ---- */

static struct json *page(void)
{
	struct json *root = json_parse(recorded("trino-476/page.json"), NULL);

	assert_non_null(root);
	return root;
}

static const struct json *nth(const struct json *list, size_t n)
{
	const struct json *at = json_first(list);

	while (n--)
		at = json_next(at);
	return at;
}

static struct value cell(const struct json *root, size_t row, const char *name, struct buf *out)
{
	const struct json *c = json_first(json_get(root, "columns"));
	bool cut;
	size_t i = 0;

	for (; c && strcmp(json_string(json_get(c, "name")), name) != 0; c = json_next(c))
		i++;
	assert_non_null(c);
	return trino_value(nth(nth(json_get(root, "data"), row), i), json_get(c, "typeSignature"), out, &cut);
}

static void says(const struct json *root, size_t row, const char *name, const char *words)
{
	struct buf out;
	struct value v;

	buf_init(&out, ROWS_CELL_MAX);
	v = cell(root, row, name, &out);
	assert_int_equal(v.type, VALUE_TEXT);
	assert_string_equal(v.u.s, words);
	buf_free(&out);
}

static void values_are_told_as_sparks_are(void **state)
{
	struct json *root = page();
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	assert_true(cell(root, 0, "l", &out).u.i == INT64_MAX);
	assert_int_equal(cell(root, 0, "i", &out).u.i, INT32_MIN);
	assert_int_equal(cell(root, 0, "f", &out).type, VALUE_REAL);
	says(root, 0, "c", "-12345678901234567890.123456789012345678");
	says(root, 0, "p", "12.50");
	says(root, 0, "day", "1583-01-01");
	says(root, 0, "at", "2026-11-29 12:34:56.123456Z");
	says(root, 0, "wall", "1969-12-31 23:59:59.5");
	says(root, 0, "x", "0x00FF10");
	says(root, 0, "a", "[\"a\",null,\"null\"]");
	says(root, 0, "m", "{\"k\":1}");
	says(root, 0, "t", "{\"id\":9007199254740993,\"name\":\"n\",\"list\":[{\"k\":1,\"v\":0.5}]}");
	for (size_t i = 0; i < json_count(json_get(root, "columns")); i++)
		assert_int_equal(cell(root, 1, json_string(json_get(nth(json_get(root, "columns"), i), "name")), &out).type, VALUE_UNKNOWN);
	says(root, 2, "f", "NaN");
	says(root, 2, "d", "-Infinity");
	says(root, 2, "s", "null");
	says(root, 2, "at", "1970-01-01 00:00:00Z");
	says(root, 3, "s", "");
	says(root, 3, "x", "0x41");
	buf_free(&out);
	json_free(root);
}

static void spans_and_sizes_have_units(void **state)
{
	int64_t n;

	(void)state;
	assert_true(trino_duration("17.59s", &n) && n == 17590);
	assert_true(trino_duration("9.97m", &n) && n == 598200);
	assert_true(trino_duration("0.00ns", &n) && n == 0);
	assert_true(trino_size("1.5GB", &n) && n == 1610612736);
	assert_true(trino_size("352B", &n) && n == 352);
	assert_false(trino_duration("", &n) || trino_duration("s", &n) || trino_duration("1x", &n) || trino_duration("-1s", &n) || trino_size(NULL, &n));
}

static struct text next_of(struct json **root, const char *uri)
{
	char body[300];

	snprintf(body, sizeof body, "{\"nextUri\":\"%s\"}", uri);
	*root = json_parse(text_of(body), NULL);
	return trino_next(*root);
}

static void of_a_next_uri_only_the_path_counts(void **state)
{
	static const char *const wrong[] = {"", "/v1/statement/x", "http://h/ui/", "file:///v1/statement/x", "http://h/v1/statement/x\\ny", "http://h"};
	struct json *root;

	(void)state;
	assert_true(text_is(next_of(&root, "http://elsewhere:1/v1/statement/queued/a/b/1"), "/v1/statement/queued/a/b/1"));
	json_free(root);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		if (next_of(&root, wrong[i]).len)
			fail_msg("%s", wrong[i]);
		json_free(root);
	}
}

static void read_garbage(struct text bytes)
{
	struct json *root = json_parse(bytes, NULL);
	const struct json *signature = json_get(json_first(json_get(root, "columns")), "typeSignature");
	struct buf out;
	bool cut;

	buf_init(&out, 300);
	trino_next(root);
	for (const struct json *c = json_first(json_get(root, "columns")), *row = json_first(json_get(root, "data")); row; row = json_next(row)) {
		c = json_first(json_get(root, "columns"));
		for (const struct json *v = json_first(row); v; v = json_next(v), c = json_next(c)) {
			trino_value(v, json_get(c, "typeSignature"), &out, &cut);
			trino_value(v, signature, &out, &cut);
		}
	}
	buf_free(&out);
	json_free(root);
}

static void garbage_ends_in_peace(void **state)
{
	(void)state;
	fuzz(recorded("trino-476/page.json"), read_garbage);
}

/* ---- asking ---- */

struct server {
	bool starting, locked, endless, unknown, more, idle;
	atomic_uint posts, gets, deletes, busy;
	struct text info, status, queries, page, nodes, catalogs, error;
};

static struct server good_server(void)
{
	return (struct server){
		.info = recorded("trino-476/info.json"), .status = recorded("trino-476/status.json"), .queries = recorded("trino-476/queries.json"),
		.page = recorded("trino-476/page.json"), .nodes = recorded("trino-476/nodes.json"), .catalogs = recorded("trino-476/catalogs.json"),
		.error = recorded("trino-476/error.json"),
	};
}

/* A statement that is queued at first; its next answer is at a host that nobody here can reach. */
static void say_queued(struct buf *body, const char *what)
{
	buf_printf(body, "{\"id\":\"1\",\"nextUri\":\"http://trino.internal:9/v1/statement/executing/%s/" SLUG "/1\",\"stats\":{\"state\":\"QUEUED\"}}", what);
}

static struct text say_statement(struct server *s, struct text q, struct buf *body)
{
	if (text_starts(q, "POST ")) {
		atomic_fetch_add(&s->posts, 1);
		say_queued(body, text_has(q, "runtime.nodes") ? "nodes" : text_has(q, "metadata.catalogs") ? "catalogs" : "rows");
		return buf_text(body);
	}
	atomic_fetch_add(&s->gets, 1);
	if (s->endless || s->idle) {
		say_queued(body, "rows");
		return buf_text(body);
	}
	if (s->more) { /* this page is not the last one */
		buf_printf(body, "{\"nextUri\":\"http://trino.internal:9/v1/statement/executing/rows/" SLUG "/2\",%.*s", (int)s->page.len - 1,
			s->page.at + 1);
		return buf_text(body);
	}
	return text_has(q, "executing/nodes/") ? s->nodes : text_has(q, "executing/catalogs/") ? s->catalogs : s->unknown ? s->error : s->page;
}

static bool answer(void *ctx, struct text q, struct buf *out)
{
	struct server *s = ctx;
	struct buf body;
	struct text say = TEXT("");
	int status = 200;

	buf_init(&body, 64 << 10);
	if (fake_asks_for(q, "/v1/info")) {
		say = s->starting ? TEXT("{\"nodeVersion\":{\"version\":\"476\"},\"coordinator\":true,\"starting\":true,\"uptime\":\"12.30s\"}") : s->info;
	} else if (fake_asks_for(q, "/v1/status")) {
		say = s->status;
	} else if (s->locked) {
		status = 401;
	} else if (s->idle && text_has(q, "/v1/query/1 ")) {
		say = TEXT("{\"queryId\":\"1\",\"state\":\"WAITING_FOR_RESOURCES\"}");
	} else if (text_has(q, "/v1/query")) {
		say = s->queries;
	} else if (text_starts(q, "DELETE ")) {
		atomic_fetch_add(&s->deletes, 1);
		status = 204;
	} else if (s->busy && atomic_fetch_sub(&s->busy, 1)) {
		status = 503;
	} else {
		say = say_statement(s, q, &body);
	}
	buf_printf(out, "HTTP/1.1 %d X\r\n%sContent-Length: %zu\r\nConnection: close\r\n\r\n", status,
		status == 401 ? "WWW-Authenticate: Basic realm=\"Trino\"\r\n" : "", say.len);
	buf_add(out, say.at, say.len);
	buf_free(&body);
	return false;
}

struct asked {
	struct fake_server *server;
	struct fake_probe probe;
	struct identity who;
};

static void begin(struct asked *a, struct server *s, int64_t ms)
{
	*a = (struct asked){.server = fake_server_start(answer, s)};
	fake_probe_begin(&a->probe, fake_server_at(a->server), ms);
}

static void done(struct asked *a)
{
	if (a->probe.p.state)
		kind_trino.close(a->probe.p.state);
	fake_probe_end(&a->probe);
	fake_server_stop(a->server);
}

static int64_t number_of(const struct asked *a, const char *figure)
{
	struct value v = snapshot_get(a->probe.s, figure);

	return v.type == VALUE_INT ? v.u.i : -1;
}

static void it_is_itself_with_its_version_and_says_how_it_does(void **state)
{
	struct server s = good_server();
	struct asked a;

	(void)state;
	begin(&a, &s, 60000);
	assert_int_equal(kind_trino.identify(&a.probe.p, &a.who), ANSWERED_YES);
	assert_string_equal(a.who.version, "476");
	assert_int_equal(a.who.sure, SURE_EXACT);
	assert_true(kind_trino.inspect(&a.probe.p, a.probe.s));
	assert_int_equal(a.probe.s->health.state, LINK_OK);
	assert_int_equal(number_of(&a, "running"), 0);
	assert_int_equal(number_of(&a, "failed"), 1);
	assert_int_equal(number_of(&a, "nodes"), 1);
	assert_int_equal(number_of(&a, "catalogs"), 3);
	assert_int_equal(snapshot_find_table(a.probe.s, "queries")->n_rows, 4);
	assert_string_equal(table_get(snapshot_find_table(a.probe.s, "queries"), 3, "error").u.s, "TABLE_NOT_FOUND");
	assert_int_equal(s.posts, 2);
	assert_true(kind_trino.inspect(&a.probe.p, a.probe.s));
	assert_int_equal(s.posts, 2); /* each is a row in its history: not with every look */
	done(&a);
}

static void one_that_starts_is_not_asked_to_run_anything(void **state)
{
	struct server s = good_server();
	struct asked a;

	(void)state;
	s.starting = true;
	begin(&a, &s, 60000);
	assert_int_equal(kind_trino.identify(&a.probe.p, &a.who), ANSWERED_YES);
	assert_true(kind_trino.inspect(&a.probe.p, a.probe.s));
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	assert_non_null(strstr(a.probe.s->health.words, "still starting, 12.30s"));
	assert_int_equal(s.posts, 0);
	done(&a);
}

/* A coordinator whose workers are gone: 476 says "starting": false, and lets every statement wait for five minutes. */
static void one_without_workers_does_not_serve(void **state)
{
	static const char waits[] = "[{\"state\":\"WAITING_FOR_RESOURCES\",\"query\":\"SELECT 1\",\"queryStats\":{\"elapsedTime\":\"%s\"}}]";
	struct server s = good_server();
	struct asked a;
	char list[160];

	(void)state;
	s.idle = true;
	begin(&a, &s, 3000);
	assert_true(kind_trino.inspect(&a.probe.p, a.probe.s));
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	assert_non_null(strstr(a.probe.s->health.words, "has no worker"));
	assert_int_equal(s.posts, 1);
	assert_int_equal(s.deletes, 1);
	a.probe.p.wait = wait_for(3000, -1);
	assert_true(kind_trino.inspect(&a.probe.p, a.probe.s)); /* not with every look */
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	assert_int_equal(s.posts, 1);
	done(&a);

	s = good_server();
	snprintf(list, sizeof list, waits, "7.00s"); /* somebody else's */
	s.queries = text_of(list);
	begin(&a, &s, 3000);
	assert_true(kind_trino.inspect(&a.probe.p, a.probe.s));
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	assert_non_null(strstr(a.probe.s->health.words, "1 waits for one"));
	assert_int_equal(s.posts, 0);
	done(&a);

	s = good_server();
	snprintf(list, sizeof list, waits, "12.00ms"); /* every statement is so for a moment */
	s.queries = text_of(list);
	begin(&a, &s, 60000);
	assert_true(kind_trino.inspect(&a.probe.p, a.probe.s));
	assert_int_equal(a.probe.s->health.state, LINK_OK);
	assert_int_equal(s.posts, 2);
	done(&a);
}

static void rows_that_no_worker_runs_are_told_so(void **state)
{
	struct server s = good_server();
	struct asked a;

	(void)state;
	s.unknown = true;
	s.error = TEXT("{\"error\":{\"errorName\":\"NO_NODES_AVAILABLE\",\"message\":\"No nodes available to run query\"}}");
	begin(&a, &s, 60000);
	assert_false(kind_trino.answer(&a.probe.p, ROWS_VIEW, "1 lake.kitchen.types", a.probe.s));
	assert_int_equal(a.probe.s->err.code, ERR_CONNECT);
	assert_non_null(strstr(a.probe.s->err.words, "no worker"));
	done(&a);
}

static void one_that_asks_for_a_credential_is_not_sick(void **state)
{
	struct server s = good_server();
	struct asked a;

	(void)state;
	s.locked = true;
	begin(&a, &s, 60000);
	assert_false(kind_trino.inspect(&a.probe.p, a.probe.s));
	assert_int_equal(a.probe.s->err.code, ERR_AUTH);
	assert_int_equal(a.probe.s->health.state, LINK_UNKNOWN);
	done(&a);
}

/* ---- whom a token is shown to ---- */

struct shown {
	struct server trino;
	bool wrong;                      /* it is something else, that answers everything */
	atomic_uint bare, shown;         /* questions without the token, and with it */
};

static bool note(void *ctx, struct text q, struct buf *out)
{
	struct shown *s = ctx;

	atomic_fetch_add(text_has(q, "s3cr3t-word") ? &s->shown : &s->bare, 1);
	if (!s->wrong)
		return answer(&s->trino, q, out);
	fake_http(out, 200, "", "[]");
	return false;
}

static void a_token_is_for_who_answers_as_trino(void **state)
{
	static const struct expectation x = {.name = "sql", .kind = &kind_trino};

	(void)state;
	for (int i = 0; i < 4; i++) {
		bool far = i & 1, wrong = i & 2;
		struct shown s = {.trino = good_server(), .wrong = wrong};
		struct asked a = {.server = fake_server_start(note, &s)};
		const char *words = wrong && !far ? "does not answer as Trino would" : "cleartext = yes";

		fake_probe_begin(&a.probe, fake_server_at(a.server), 3000);
		a.probe.p.expected = &x;
		a.probe.p.credentials.token = "s3cr3t-word";
		if (far)
			text_copy(a.probe.p.at.address, sizeof a.probe.p.at.address, TEXT("192.0.2.1"));
		assert_int_equal(kind_trino.answer(&a.probe.p, ROWS_VIEW, "10 lake.kitchen.types", a.probe.s), !far && !wrong);
		if ((far || wrong) && !strstr(a.probe.s->err.words, words))
			fail_msg("%s", a.probe.s->err.words);
		assert_int_equal(s.shown > 0, !far && !wrong);
		assert_int_equal(s.bare, !far); /* once, before it */
		done(&a);
	}
}

static void a_look_shows_its_token_after_it_was_recognised(void **state)
{
	static const struct expectation x = {.name = "sql", .kind = &kind_trino};

	(void)state;
	for (int wrong = 0; wrong < 2; wrong++) {
		struct shown s = {.trino = good_server(), .wrong = wrong};
		struct asked a = {.server = fake_server_start(note, &s)};

		fake_probe_begin(&a.probe, fake_server_at(a.server), 3000);
		a.probe.p.expected = &x;
		a.probe.p.credentials.token = "s3cr3t-word";
		assert_int_equal(kind_trino.inspect(&a.probe.p, a.probe.s), !wrong);
		assert_int_equal(s.shown > 0, !wrong);
		done(&a);
	}
}

static bool hear_limit(void *ctx, struct text q, struct buf *out)
{
	text_copy(ctx, 40, text_until(text_between(q, "query_max_run_time=", "\r\n"), '\n'));
	fake_http(out, 200, "", "{\"id\":\"1\",\"stats\":{\"state\":\"FINISHED\"}}");
	return false;
}

static bool no_page(void *ctx, const struct json *columns, const struct json *data)
{
	(void)ctx;
	(void)columns;
	(void)data;
	return true;
}

/* A compaction may take hours; rows that nobody waits for any more may not. */
static void a_statement_may_run_as_long_as_it_is_waited_for(void **state)
{
	static const int64_t waits[] = {43200, 20};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char limit[40] = "";
		int64_t seconds = 0;
		struct asked a = {.server = fake_server_start(hear_limit, limit)};
		struct err err;

		fake_probe_begin(&a.probe, fake_server_at(a.server), waits[i] * 1000);
		assert_true(trino_run(&a.probe.p, "ALTER TABLE t EXECUTE optimize", no_page, NULL, &err));
		done(&a);
		assert_true(text_i64(text_until(text_of(limit), 's'), &seconds));
		assert_true(seconds > waits[i] - 10 && seconds <= waits[i] + 1);
	}
}

/* ---- rows ---- */

static void rows_come_from_the_endpoint_whatever_the_next_uri_says(void **state)
{
	struct server s = good_server();
	struct asked a;
	const struct table *t;

	(void)state;
	s.busy = 2; /* HTTP 503: asked again */
	begin(&a, &s, 60000);
	assert_true(kind_trino.answer(&a.probe.p, ROWS_VIEW, "10 lake.kitchen.types", a.probe.s));
	t = snapshot_find_table(a.probe.s, ROWS_VIEW);
	assert_non_null(t);
	assert_int_equal(t->n_rows, 4);
	assert_string_equal(t->spec->columns[5].help, "decimal(38, 18)");
	assert_string_equal(table_get(t, 0, "p").u.s, "12.50");
	assert_int_equal(number_of(&a, "columns"), 15);
	done(&a);
}

static void a_statement_that_has_brought_enough_is_deleted(void **state)
{
	struct server s = good_server();
	struct asked a;

	(void)state;
	s.more = true;
	begin(&a, &s, 60000);
	assert_true(kind_trino.answer(&a.probe.p, ROWS_VIEW, "1 lake.kitchen.types", a.probe.s));
	assert_int_equal(snapshot_find_table(a.probe.s, ROWS_VIEW)->n_rows, 1);
	assert_true(snapshot_get(a.probe.s, "more").u.b);
	assert_int_equal(s.deletes, 1);
	done(&a);
}

static void a_statement_that_takes_too_long_is_deleted_and_its_slug_is_not_told(void **state)
{
	struct server s = good_server();
	struct asked a;

	(void)state;
	s.endless = true;
	begin(&a, &s, 2000);
	assert_false(kind_trino.answer(&a.probe.p, ROWS_VIEW, "1 lake.kitchen.types", a.probe.s));
	assert_int_equal(a.probe.s->err.code, ERR_TIMEOUT);
	assert_null(strstr(a.probe.s->err.words, SLUG));
	assert_int_equal(s.deletes, 1);
	done(&a);
}

static void a_table_that_is_not_there_is_said_to_be_so(void **state)
{
	struct server s = good_server();
	struct asked a;

	(void)state;
	s.unknown = true;
	begin(&a, &s, 60000);
	assert_false(kind_trino.answer(&a.probe.p, ROWS_VIEW, "1 lake.rowstest.nope", a.probe.s));
	assert_int_equal(a.probe.s->err.code, ERR_USAGE);
	assert_non_null(strstr(a.probe.s->err.words, "no such table"));
	a.probe.s->err = (struct err){0};
	assert_false(kind_trino.answer(&a.probe.p, ROWS_VIEW, "1 orders", a.probe.s));
	assert_int_equal(a.probe.s->err.code, ERR_USAGE);
	done(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_told_as_sparks_are),
		cmocka_unit_test(spans_and_sizes_have_units),
		cmocka_unit_test(of_a_next_uri_only_the_path_counts),
		cmocka_unit_test(garbage_ends_in_peace),
		cmocka_unit_test(it_is_itself_with_its_version_and_says_how_it_does),
		cmocka_unit_test(one_that_starts_is_not_asked_to_run_anything),
		cmocka_unit_test(one_without_workers_does_not_serve),
		cmocka_unit_test(rows_that_no_worker_runs_are_told_so),
		cmocka_unit_test(one_that_asks_for_a_credential_is_not_sick),
		cmocka_unit_test(a_token_is_for_who_answers_as_trino),
		cmocka_unit_test(a_look_shows_its_token_after_it_was_recognised),
		cmocka_unit_test(a_statement_may_run_as_long_as_it_is_waited_for),
		cmocka_unit_test(rows_come_from_the_endpoint_whatever_the_next_uri_says),
		cmocka_unit_test(a_statement_that_has_brought_enough_is_deleted),
		cmocka_unit_test(a_statement_that_takes_too_long_is_deleted_and_its_slug_is_not_told),
		cmocka_unit_test(a_table_that_is_not_there_is_said_to_be_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
