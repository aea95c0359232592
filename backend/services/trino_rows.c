// SPDX-License-Identifier: MIT
/*
 * Statements of Trino and what they bring. A statement is a POST, then a GET of each nextUri until
 * there is none; the server holds a GET for up to a second. A failed statement is HTTP 200 with an
 * error in it. A nextUri is as good as a password: only its path is used, at the endpoint that the
 * profile names, and it is never told. What ends early is ended by a DELETE: left alone, the server would
 * go on for five minutes.
 *
 * Types: data is JSON by the columns' signatures; they are told as Spark's values are (rows.h), so that
 * one table looks the same by both. The actor's thread; reading is pure.
 * Source: Trino's "Client protocol", JsonDecodingUtils.java; checked on 476.
 */
#include "trino.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"

enum { PAGE_MOST = 32 << 20, SQL_MOST = 16 << 10, PATH_MOST = 1024, AGAIN_MS = 80, AGAIN_MOST = 20, END_MS = 1000 };

/* ---- values; pure ---- */

static const char *raw_type(const struct json *signature)
{
	const char *raw = json_string(json_get(signature, "rawType"));

	return raw ? raw : "";
}

/* The type of a part: {"kind": "TYPE", "value": signature}, of a row {"value": {"fieldName": {"name"}, "typeSignature": signature}}. */
static const struct json *part_type(const struct json *argument, const char **name)
{
	const struct json *value = json_get(argument, "value"), *type = json_get(value, "typeSignature");

	*name = json_string(json_path(value, "fieldName.name"));
	return type ? type : value;
}

/* "2026-11-29 12:34:56.100000 UTC" as "2026-11-29 12:34:56.1Z". */
static void put_time(struct buf *out, struct text t)
{
	struct text utc = t;
	size_t dot = 0, digits;
	bool zulu = t.len > 4 && !memcmp(t.at + t.len - 4, " UTC", 4);

	if (zulu)
		utc.len -= 4;
	while (dot < utc.len && utc.at[dot] != '.')
		dot++;
	for (digits = dot + 1; digits < utc.len && utc.at[digits] >= '0' && utc.at[digits] <= '9'; digits++)
		continue;
	if (dot < utc.len) {
		size_t end = digits;

		while (end > dot + 1 && utc.at[end - 1] == '0')
			end--;
		buf_add(out, utc.at, end == dot + 1 ? dot : end);
		buf_add(out, utc.at + digits, utc.len - digits);
	} else {
		buf_add(out, utc.at, utc.len);
	}
	if (zulu)
		buf_puts(out, "Z");
}

static int base64_digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static void put_bytes(struct buf *out, const char *base64)
{
	unsigned bits = 0;
	int have = 0, digit;

	buf_puts(out, "0x");
	for (; (digit = base64_digit(*base64)) >= 0 && !out->full; base64++) {
		bits = bits << 6 | (unsigned)digit;
		have += 6;
		if (have >= 8) {
			have -= 8;
			buf_printf(out, "%02X", bits >> have & 0xff);
		}
	}
}

static void put_string(struct buf *out, const char *raw, const char *s)
{
	size_t len = strlen(s), room = out->max - out->len;

	if (!strcmp(raw, "varbinary")) {
		put_bytes(out, s);
	} else if (!strncmp(raw, "time", 4)) { /* time, timestamp, with and without a zone */
		put_time(out, text_of(s));
	} else {
		buf_add(out, s, len < room ? len : room);
		out->full = out->full || len > room;
	}
}

static void put_node(const struct json *node, const struct json *signature, const char *key, struct json_writer *w);

static void put_nested(const struct json *node, const struct json *signature, const char *key, struct json_writer *w)
{
	const struct json *argument = json_first(json_get(signature, "arguments")), *type;
	bool row = !strcmp(raw_type(signature), "row"), map = !strcmp(raw_type(signature), "map");
	const char *name = NULL;
	char number[24];
	unsigned n = 0;

	json_open(w, key, row || map ? '{' : '[');
	for (const struct json *part = json_first(node); part && !w->out->full; part = json_next(part)) {
		type = part_type(map ? json_next(argument) : argument, &name);
		snprintf(number, sizeof number, "_%u", ++n);
		put_node(part, type, map ? json_key(part) : !row ? NULL : name ? name : number, w);
		if (row)
			argument = json_next(argument);
	}
	json_close(w, row || map ? '}' : ']');
}

/* A flag or a number; unknown: something else. */
static struct value plain_value(const struct json *node, const char *raw)
{
	bool b;
	double r;

	if (json_bool(node, &b))
		return value_bool(b);
	if ((!strcmp(raw, "real") || !strcmp(raw, "double")) && json_real(node, &r))
		return value_real(r);
	return json_value(node).type == VALUE_TEXT ? value_unknown() : json_value(node);
}

static void put_node(const struct json *node, const struct json *signature, const char *key, struct json_writer *w)
{
	const char *s = json_string(node);
	struct value plain = plain_value(node, raw_type(signature));
	struct buf text;

	if (w->depth > 24) {
		w->out->full = true; /* deeper than any type that people make */
	} else if (json_is_array(node) || json_is_object(node)) {
		put_nested(node, signature, key, w);
	} else if (s) {
		buf_init(&text, w->out->max);
		put_string(&text, raw_type(signature), s);
		json_put_text(w, key, text.at ? text.at : "");
		w->out->full = w->out->full || text.full;
		buf_free(&text);
	} else if (plain.type != VALUE_UNKNOWN) {
		json_put_value(w, key, plain, UNIT_NONE);
	} else {
		json_put_null(w, key);
	}
}

struct value trino_value(const struct json *node, const struct json *signature, struct buf *out, bool *cut)
{
	const char *s = json_string(node);
	struct json_writer w;

	buf_reset(out);
	*cut = false;
	if (json_is_null(node))
		return value_unknown();
	if (s) {
		put_string(out, raw_type(signature), s);
	} else if (json_is_array(node) || json_is_object(node)) {
		json_begin(&w, out, false);
		put_nested(node, signature, NULL, &w);
	} else {
		return plain_value(node, raw_type(signature));
	}
	*cut = out->full;
	return value_text(out->at && out->len ? out->at : "");
}

/* A number and a unit, whose factors are in the order of the names. */
static bool measure(const char *s, const char *const *units, const double *factors, int64_t *out)
{
	char *unit = NULL;
	double n = s ? strtod(s, &unit) : 0;

	if (!s || unit == s || !(n >= 0) || n > 1e15)
		return false;
	for (size_t i = 0; units[i]; i++)
		if (!strcmp(unit, units[i])) {
			*out = (int64_t)llround(fmin(n * factors[i], 9e18));
			return true;
		}
	return false;
}

bool trino_duration(const char *s, int64_t *ms)
{
	static const char *const units[] = {"ns", "us", "ms", "s", "m", "h", "d", NULL};
	static const double factors[] = {1e-6, 1e-3, 1, 1e3, 6e4, 36e5, 864e5};

	return measure(s, units, factors, ms);
}

bool trino_size(const char *s, int64_t *bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", NULL};
	static const double factors[] = {1, 1024, 1048576, 1073741824, 1099511627776, 1125899906842624};

	return measure(s, units, factors, bytes);
}

struct text trino_next(const struct json *answer)
{
	struct text uri = text_of(json_string(json_get(answer, "nextUri")));
	size_t slash;

	if (!text_skip(&uri, "http://") && !text_skip(&uri, "https://"))
		return TEXT("");
	for (slash = 0; slash < uri.len && uri.at[slash] != '/'; slash++)
		continue;
	uri.at += slash;
	uri.len -= slash;
	return text_starts(uri, "/v1/statement/") && uri.len < PATH_MOST && text_is_clean(uri) ? uri : TEXT("");
}

/* ---- asking ---- */

/* A token is for a Trino: who answers says first, without it, that he is one. */
static bool may_show(struct probe *p, struct err *err)
{
	struct probe bare = *p;
	struct identity who = {0};

	if (!p->credentials.token)
		return true;
	if (!credential_may_cross(p, err))
		return false;
	if (!p->proven) {
		bare.credentials = (struct credentials){0};
		p->proven = credential_is_for(p, kind_trino.identify(&bare, &who), err);
		p->requests = bare.requests;
		p->bytes = bare.bytes;
	}
	return p->proven;
}

bool trino_ask(struct probe *p, const char *method, const char *path, const char *body, struct http_answer *out, struct err *err)
{
	char user[160], limit[80];
	const char *const headers[] = {user, limit, "X-Trino-Source: laketop", "X-Trino-Client-Capabilities: PARAMETRIC_DATETIME", "X-Trino-Time-Zone: UTC",
		NULL};
	struct http_request request = {.path = path, .method = method, .body = body, .content_type = body ? "text/plain" : NULL,
		.bearer = p->credentials.token, .lines = headers, .most = PAGE_MOST};

	snprintf(user, sizeof user, "X-Trino-User: %s", p->credentials.user ? p->credentials.user : "laketop");
	/* should it ever be left behind, it ends when nobody would wait for it any more */
	snprintf(limit, sizeof limit, "X-Trino-Session: query_max_run_time=%llds", (long long)(wait_left(p->wait) / 1000 + 1));
	*out = (struct http_answer){0};
	return may_show(p, err) && http_ask(p, &p->at, &request, out, err);
}

bool trino_refused(const struct http_answer *answer, struct err *err)
{
	char words[120];
	struct text line = buf_text(&answer->body), first = TEXT("");

	text_line(&line, &first);
	text_clean(words, sizeof words, first);
	if (answer->status == 401 || answer->status == 403)
		return err_set(err, ERR_AUTH, "Trino: HTTP %ld %s", answer->status, words);
	return err_set(err, ERR_PROTOCOL, "Trino: HTTP %ld %s", answer->status, words);
}

/* The coordinator takes statements all the same; they wait for a worker, minutes long. Always false. */
static bool no_worker(struct err *err)
{
	return err_set(err, ERR_CONNECT, "Trino has no worker that could run a statement now");
}

/* Its words for a statement that failed; always false. */
static bool statement_failed(const struct json *error, struct err *err)
{
	const char *name = json_string(json_get(error, "errorName")), *message = json_string(json_get(error, "message"));
	struct text t = text_of(name ? name : "");

	message = message ? message : "it failed, and does not say why";
	if (text_is(t, "TABLE_NOT_FOUND") || text_is(t, "SCHEMA_NOT_FOUND") || text_is(t, "CATALOG_NOT_FOUND"))
		return err_set(err, ERR_USAGE, "Trino finds no such table: %s", message);
	if (text_has(text_of(message), "still initializing"))
		return err_set(err, ERR_CONNECT, "Trino is still starting");
	if (text_is(t, "NO_NODES_AVAILABLE") || (text_is(t, "GENERIC_INSUFFICIENT_RESOURCES") && text_has(text_of(message), "worker")))
		return no_worker(err);
	if (text_is(t, "PERMISSION_DENIED"))
		return err_set(err, ERR_AUTH, "Trino: %s", message);
	if (text_is(t, "EXCEEDED_TIME_LIMIT"))
		return err_set(err, ERR_TIMEOUT, "Trino: %s", message);
	return err_set(err, ERR_PROTOCOL, "Trino: %s", message);
}

/* Busy for a moment: Trino's own clients ask again, too. */
static bool ask_patiently(struct probe *p, const char *method, const char *path, const char *body, struct http_answer *out, struct err *err)
{
	for (int i = 0;; i++) {
		bool busy, answered = trino_ask(p, method, path, body, out, err);
		struct wait pause = wait_for(AGAIN_MS, p->wait.cancel);

		busy = answered && (out->status == 429 || (out->status >= 502 && out->status <= 504));
		if (!busy || i == AGAIN_MOST || wait_left(p->wait) <= AGAIN_MS || wait_fd(pause, -1, 0) < 0)
			return answered && (out->status == 200 || trino_refused(out, err));
		http_answer_free(out);
	}
}

struct statement {
	char next[PATH_MOST + 32]; /* "" at its end */
	char id[64];               /* of its query; "" where it is not plain */
	bool (*page)(void *ctx, const struct json *columns, const struct json *data);
	void *ctx;
};

static void take_id(const struct json *answer, char *out, size_t size)
{
	const char *id = json_string(json_get(answer, "id"));

	text_copy(out, size, text_of(id && !id[strspn(id, "0123456789abcdefghijklmnopqrstuvwxyz_")] ? id : ""));
}

/* The statement's own answers say QUEUED all the time; its query says for what. */
static bool waits_for_workers(struct probe *p, const struct statement *st)
{
	struct http_answer answer;
	struct json *root = NULL;
	char path[96];
	const char *state;
	bool waits;

	snprintf(path, sizeof path, "/v1/query/%s", st->id);
	if (st->id[0] && trino_ask(p, "GET", path, NULL, &answer, NULL) && answer.status == 200)
		root = json_parse(buf_text(&answer.body), NULL);
	state = json_string(json_get(root, "state"));
	waits = state && !strcmp(state, "WAITING_FOR_RESOURCES");
	json_free(root);
	if (st->id[0])
		http_answer_free(&answer);
	return waits;
}

/* In time of its own: that of the question may be over. err: a time that is up has a reason, if it has waited for workers. */
static void end_statement(struct probe *p, const struct statement *st, struct err *err)
{
	struct probe late = *p;
	struct http_answer answer;

	late.wait = wait_for(END_MS, -1);
	if (err->code == ERR_TIMEOUT && waits_for_workers(&late, st))
		no_worker(err);
	trino_ask(&late, "DELETE", st->next, NULL, &answer, NULL);
	http_answer_free(&answer);
	p->requests = late.requests;
	p->bytes = late.bytes;
}

/* One answer of a statement. False: err says why, or nothing does, and page has enough. */
static bool take_answer(struct probe *p, const char *sql, struct statement *st, struct err *err)
{
	char *next = st->next;
	struct http_answer answer;
	struct json *root = NULL;
	bool good = ask_patiently(p, sql ? "POST" : "GET", sql ? "/v1/statement" : next, sql, &answer, err);

	if (good) {
		root = json_parse(buf_text(&answer.body), err);
		good = root != NULL;
	}
	if (good && json_get(root, "error"))
		good = statement_failed(json_get(root, "error"), err);
	if (root) {
		take_id(root, st->id, sizeof st->id);
		text_copy(next, PATH_MOST, trino_next(root));
		/* pages of 1 MB, the least there is, not of 16 */
		if (next[0] && !strchr(next, '?') && text_starts(text_of(next), "/v1/statement/executing/"))
			memcpy(next + strlen(next), "?targetResultSize=1MB", sizeof "?targetResultSize=1MB");
	}
	if (good && json_is_array(json_get(root, "columns")))
		good = st->page(st->ctx, json_get(root, "columns"), json_get(root, "data"));
	json_free(root);
	http_answer_free(&answer);
	return good;
}

bool trino_run(struct probe *p, const char *sql, bool (*page)(void *ctx, const struct json *columns, const struct json *data), void *ctx,
	struct err *err)
{
	struct statement st = {.page = page, .ctx = ctx};
	bool good;

	*err = (struct err){0};
	good = take_answer(p, sql, &st, err);
	while (good && st.next[0])
		good = take_answer(p, NULL, &st, err);
	if (!good && st.next[0])
		end_statement(p, &st, err);
	return good || err->code == ERR_NONE;
}

/* ---- rows ---- */

struct reading {
	struct rows rows;
	struct buf cell;
};

static enum value_type type_of(const struct json *column)
{
	static const struct {
		const char *raw;
		enum value_type type;
	} types[] = {{"boolean", VALUE_BOOL}, {"tinyint", VALUE_INT}, {"smallint", VALUE_INT}, {"integer", VALUE_INT}, {"bigint", VALUE_INT},
		{"real", VALUE_REAL}, {"double", VALUE_REAL}};
	const char *raw = raw_type(json_get(column, "typeSignature"));

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(raw, types[i].raw))
			return types[i].type;
	return VALUE_TEXT;
}

static void begin(struct reading *r, const struct json *columns)
{
	size_t n = json_count(columns), i = 0;
	struct rows_column *told = mem_new(n, sizeof *told);

	for (const struct json *c = json_first(columns); c && i < n; c = json_next(c), i++) {
		const char *name = json_string(json_get(c, "name")), *type = json_string(json_get(c, "type"));

		told[i] = (struct rows_column){name ? name : "", type ? type : "", type_of(c)};
	}
	rows_begin(&r->rows, told, n);
	free(told);
}

static bool take_page(void *ctx, const struct json *columns, const struct json *data)
{
	struct reading *r = ctx;

	if (!r->rows.table)
		begin(r, columns);
	for (const struct json *row = json_first(data); row; row = json_next(row)) {
		const struct json *column = json_first(columns);
		size_t i = 0;

		if (!rows_row(&r->rows))
			return false;
		for (const struct json *cell = json_first(row); cell && column; cell = json_next(cell), column = json_next(column)) {
			bool cut;
			struct value v = trino_value(cell, json_get(column, "typeSignature"), &r->cell, &cut);

			rows_cell(&r->rows, i++, v, cut);
		}
		if (!rows_row_end(&r->rows))
			return false;
	}
	return true;
}

/* A nested namespace is one schema with dots in its name. */
static bool put_select(struct buf *sql, const struct rows_ask *ask, struct err *err)
{
	if (ask->n_parts < 3)
		return err_set(err, ERR_USAGE, "a table of Trino is named CATALOG.SCHEMA.TABLE");
	buf_puts(sql, "SELECT * FROM ");
	rows_put_quoted(sql, ask->parts[0], '"');
	buf_puts(sql, ".");
	if (ask->n_parts == 3) {
		rows_put_quoted(sql, ask->parts[1], '"');
	} else {
		struct buf schema;

		buf_init(&schema, ROWS_SUBJECT_SIZE);
		for (size_t i = 1; i + 1 < ask->n_parts; i++)
			buf_printf(&schema, "%s%s", i > 1 ? "." : "", ask->parts[i]);
		rows_put_quoted(sql, schema.at ? schema.at : "", '"');
		buf_free(&schema);
	}
	buf_puts(sql, ".");
	rows_put_quoted(sql, ask->parts[ask->n_parts - 1], '"');
	return buf_printf(sql, " LIMIT %lld", (long long)ask->limit + 1) || err_set(err, ERR_USAGE, "the name is too long");
}

bool trino_rows(struct probe *p, const char *subject, struct snapshot *s)
{
	struct reading r = {.rows = {.s = s}};
	struct rows_ask ask;
	struct buf sql;
	int64_t begun = clock_ms();
	bool good;

	if (!rows_parse(subject, &ask, &s->err))
		return false;
	r.rows.limit = ask.limit;
	buf_init(&r.cell, ROWS_CELL_MAX);
	buf_init(&sql, SQL_MOST);
	good = put_select(&sql, &ask, &s->err) && trino_run(p, sql.at, take_page, &r, &s->err);
	rows_end(&r.rows);
	snapshot_figure(s, rows_figures, "took", value_int(clock_ms() - begun));
	buf_free(&sql);
	buf_free(&r.cell);
	return good;
}
