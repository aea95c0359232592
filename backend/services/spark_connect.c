// SPDX-License-Identifier: MIT
/*
 * Spark Connect: gRPC on 15002, and the web UI of the driver that it is. Its actor's thread.
 *
 * Who: AnalyzePlan spark_version, which needs no executor. Each new session id costs the server a
 * session for an hour, and a closed one leaves a stack trace in its log when it is used again. So
 * one id is made per server and run, drawn anew before it can have expired, and released at the
 * end, where it is certain that the server is still the same one. An AnalyzePlan leaves one INFO
 * line: it is asked at first, every 30 s, and when the server changed.
 *
 * Alive: one HTTP/2 connection is kept, and asked to settle (SETTINGS, acknowledged): no stream,
 * no line in the log, and its end means that the server ended. PING would do, were it not that
 * gRPC servers close on clients who ping without a call.
 *
 * Serving: ReleaseSession of an id that never was. It passes the whole service and checks the
 * token, and leaves no session and no line.
 *
 * Source: Spark's base.proto, RFC 9113; measured on 4.0.5, 4.1.4 and 4.2.1.
 */
#include "spark_connect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "kinds.h"
#include "profile.h"
#include "protobuf.h"
#include "spark.h"
#include "spark_page.h"

#define CONNECT_PAGE "/connect/?sqlstat.pageSize=1&sessionstat.pageSize=1"
#define WORK_PAGE "/connect/?sqlstat.pageSize=40&sessionstat.pageSize=60"

enum {
	GRPC_UNKNOWN = -1, GRPC_OK = 0, GRPC_DEADLINE = 4, GRPC_DENIED = 7, GRPC_UNIMPLEMENTED = 12, GRPC_INTERNAL = 13,
	GRPC_UNAVAILABLE = 14, GRPC_UNAUTHENTICATED = 16,
};
enum { VERSION_EVERY_MS = 30000, SESSION_IDLE_MS = 30 * 60000, RELEASE_MS = 100, PROMPT_MS = 40, UI_AGAIN_MS = 60000 };
enum { UI_FIRST = 4040, UI_TRIES = 4, WORDS_SIZE = 200 };
enum { FRAME_HEADER = 9, FRAME_MAX = 16384, FRAMES_MAX = 32, FRAME_SETTINGS = 4, FLAG_ACK = 1 };

struct connect { /* p->state */
	char session[CONNECT_ID_SIZE]; /* ours at the server; "" not drawn yet */
	char stray[CONNECT_ID_SIZE];   /* never made at the server */
	double release_ms;             /* what its release took; 0: not asked yet */
	bool made;                     /* the server has our session */
	int64_t used;                  /* clock_wall_ms() of its last use: also a sleeping machine lets it expire */
	int line;                      /* the kept connection; -1: none */
	int64_t asked;                 /* clock_ms() of the last AnalyzePlan; 0: of this server none yet */
	int64_t owner_started;
	int status;                    /* of the last AnalyzePlan */
	char words[WORDS_SIZE];        /* where it failed */
	char version[SPARK_VERSION_SIZE];
	char tuned[CONNECT_ID_SIZE];   /* the session that has our settings */
	bool refused;                  /* our token: it is not offered again to this server */
	/* for close, which has no probe */
	struct host *host;
	struct net *net;
	struct endpoint at;
	const char *token;
	/* of this process */
	bool configured;
	struct connect_settings settings;
	uint16_t ui;                   /* its web UI, proven to be its own; 0: not found */
	uint16_t service;              /* where its UI says that its service is, for one known by its UI; 0: not asked yet */
	int64_t ui_tried;              /* clock_ms(); 0: not yet */
	struct spark_memory memory;
};

/* ---- messages; pure ---- */

void connect_uuid(char out[CONNECT_ID_SIZE], const unsigned char bytes[16])
{
	unsigned char b[16];

	memcpy(b, bytes, sizeof b);
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	for (size_t i = 0; i < sizeof b; i++, out += 2) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*out++ = '-';
		snprintf(out, 3, "%02x", b[i]);
	}
}

/* session_id = 1, user_context = 2 {user_id = 1}. */
void connect_put_caller(struct buf *out, const char *session)
{
	struct buf user;

	buf_init(&user, 64);
	protobuf_put_text(&user, 1, "laketop");
	protobuf_put_text(out, 1, session);
	protobuf_put_bytes(out, 2, buf_text(&user));
	buf_free(&user);
}

void connect_put_analyze(struct buf *out, const char *session)
{
	connect_put_caller(out, session);
	protobuf_put_text(out, 3, "laketop");
	protobuf_put_bytes(out, 10, TEXT("")); /* spark_version */
}

void connect_put_release(struct buf *out, const char *session)
{
	connect_put_caller(out, session);
	protobuf_put_text(out, 3, "laketop");
}

/* ConfigRequest: operation = 3 {get_option = 4 {keys = 1}} or {get_all = 5 {prefix = 1}}. */
void connect_put_config(struct buf *out, const char *session, const char *const *keys, const char *prefix)
{
	struct buf what, operation;

	buf_init(&what, 4096);
	buf_init(&operation, 4096);
	for (size_t i = 0; keys && keys[i]; i++)
		protobuf_put_text(&what, 1, keys[i]);
	if (prefix)
		protobuf_put_text(&what, 1, prefix);
	protobuf_put_bytes(&operation, prefix ? 5 : 4, buf_text(&what));
	connect_put_caller(out, session);
	protobuf_put_bytes(out, 3, buf_text(&operation));
	protobuf_put_text(out, 4, "laketop");
	buf_free(&what);
	buf_free(&operation);
}

bool connect_is_about(struct text answer, const char *session)
{
	struct protobuf_field id;

	return protobuf_find(answer, 1, PROTOBUF_BYTES, &id) && text_is(id.bytes, session);
}

bool connect_read_version(struct text answer, const char *session, char out[SPARK_VERSION_SIZE])
{
	struct protobuf_field part, version;

	if (!connect_is_about(answer, session) || !protobuf_find(answer, 8, PROTOBUF_BYTES, &part) ||
	    !protobuf_find(part.bytes, 1, PROTOBUF_BYTES, &version) || !spark_is_version(version.bytes))
		return false;
	text_copy(out, SPARK_VERSION_SIZE, version.bytes);
	return true;
}

/* Up to the end of a URL in a list of them. */
static size_t url_run(struct text t, const char *stops)
{
	size_t run = 0;

	while (run < t.len && !strchr(stops, t.at[run]))
		run++;
	return run;
}

static void skip(struct text *t, size_t n)
{
	t->at += n;
	t->len -= n;
}

/* User information, queries and parameters of URLs may be secrets: they are cut off. What then still
 * looks like "user@host" is not shown at all. */
static void put_public(struct buf *out, struct text value)
{
	while (value.len) {
		struct text head = text_between(value, "", "://"), authority;

		if (!head.len) {
			buf_add(out, value.at, value.len);
			break;
		}
		buf_add(out, value.at, head.len + 3);
		skip(&value, head.len + 3);
		authority = (struct text){value.at, url_run(value, "/?,; ")};
		for (size_t i = authority.len; i > 0; i--)
			if (value.at[i - 1] == '@') {
				skip(&value, i);
				break;
			}
		buf_add(out, value.at, url_run(value, "?,; "));
		skip(&value, url_run(value, "?,; "));
		if (value.len && value.at[0] != ',')
			skip(&value, url_run(value, ","));
	}
	if (out->len && memchr(out->at, '@', out->len)) {
		buf_reset(out);
		buf_puts(out, "(not shown)");
	}
}

static const char *const keys[] = {
	"spark.app.id", "spark.app.name", "spark.app.startTime", "spark.master", "spark.submit.deployMode", "spark.driver.host",
	"spark.ui.port", "spark.jars", "spark.sql.extensions", "spark.sql.defaultCatalog", "spark.sql.warehouse.dir",
	"spark.eventLog.dir", NULL,
};
static const char catalogs[] = "spark.sql.catalog."; /* get_all takes it off its keys */

/* Of a catalog's settings the ones that say which it is; users, keys and all others are never kept. */
static bool catalog_setting(struct text name)
{
	static const char *const parts[] = {"type", "uri", "warehouse", "io-impl", "catalog-impl", "s3.endpoint", NULL};
	struct text part = text_after(name, '.');

	for (size_t i = 0; parts[i]; i++)
		if (text_is(part, parts[i]))
			return true;
	return !text_has(name, ".");
}

static bool setting_wanted(struct text name, bool of_catalogs)
{
	if (of_catalogs)
		return name.len > 0 && catalog_setting(name);
	for (size_t i = 0; keys[i]; i++)
		if (text_is(name, keys[i]))
			return true;
	return false;
}

void connect_read_config(struct text answer, bool of_catalogs, struct connect_settings *out)
{
	struct protobuf_field pair, name, value;
	bool damaged = false;

	while (protobuf_next(&answer, &pair, &damaged)) {
		struct connect_setting *at = &out->at[out->n];
		struct buf public;

		if (pair.number != 2 || pair.wire != PROTOBUF_BYTES || !protobuf_find(pair.bytes, 1, PROTOBUF_BYTES, &name) ||
		    !protobuf_find(pair.bytes, 2, PROTOBUF_BYTES, &value) || !setting_wanted(name.bytes, of_catalogs))
			continue;
		if (out->n == CONNECT_SETTINGS_MAX) {
			out->left_off++;
			continue;
		}
		buf_init(&public, sizeof at->value);
		put_public(&public, value.bytes);
		snprintf(at->name, sizeof at->name, "%s%.*s", of_catalogs ? catalogs : "", (int)(name.bytes.len < 100 ? name.bytes.len : 100),
			name.bytes.at);
		text_copy(at->value, sizeof at->value, buf_text(&public));
		buf_free(&public);
		out->n++;
	}
}

const char *connect_setting(const struct connect_settings *settings, const char *name)
{
	for (size_t i = 0; i < settings->n; i++)
		if (!strcmp(settings->at[i].name, name))
			return settings->at[i].value;
	return NULL;
}

/* "2 session(s) are online, running 0 Request(s)" */
bool connect_read_sessions(struct text html, int64_t *sessions, int64_t *requests)
{
	struct text word, last = TEXT(""), line = TEXT("");

	while (text_word(&html, &word) && !text_is(word, "session(s)"))
		last = word;
	line = text_trim(text_between(html, "are online,", "Request(s)"));
	return text_i64(last, sessions) && text_skip(&line, "running") && text_i64(text_trim(line), requests);
}

enum { CELLS_MAX = 16, CELL_SIZE = 300 };

/* The texts of a row's cells; a stack trace that a click would show comes into more. */
static int read_cells(struct text row, char cells[CELLS_MAX][CELL_SIZE], char more[SPARK_REASON_SIZE])
{
	struct text cell;
	char trace[2048];
	int n = 0;

	more[0] = '\0';
	for (; n < CELLS_MAX && page_cell(&row, &cell); n++) {
		page_text(cells[n], CELL_SIZE, cell);
		if (page_more(trace, sizeof trace, cell)[0])
			spark_reason(more, SPARK_REASON_SIZE, text_of(trace));
	}
	return n;
}

static struct value cell_words(const char *s)
{
	return s[0] ? value_text(s) : value_unknown();
}

static void put_span(struct snapshot *s, struct table *t, struct value *row, const char *words, int64_t now)
{
	int64_t ms;

	if (!page_span(text_of(words), &ms))
		return;
	table_set(s, t, row, "duration", value_int(ms));
	if (now > ms)
		table_set(s, t, row, "started", value_int(now - ms)); /* times on the page are in a zone that it does not name */
}

/* User, id, start, finish, duration, executions: of one that is open no finish is written. */
void connect_read_session_rows(struct text html, int64_t now, struct snapshot *s, struct table *t)
{
	char cells[CELLS_MAX][CELL_SIZE], more[SPARK_REASON_SIZE];
	struct text all, rows, row;
	int64_t total;

	if (!page_table(html, "sessionstat", &all))
		return;
	for (int closed = 0; closed < 2; closed++)
		for (rows = all; page_row(&rows, &row);) {
			struct value *to;
			int64_t n;

			if (read_cells(row, cells, more) < 6 || !cells[1][0] || (cells[3][0] != 0) != (closed != 0))
				continue;
			to = table_row(s, t);
			table_set(s, t, to, "user", cell_words(cells[0]));
			table_set(s, t, to, "session", value_text(cells[1]));
			table_set(s, t, to, "state", value_text(closed ? "CLOSED" : "OPEN"));
			put_span(s, t, to, cells[4], closed ? 0 : now);
			if (text_i64(text_of(cells[5]), &n))
				table_set(s, t, to, "executions", value_int(n));
		}
	if (page_count(html, "Session Statistics", &total) && total > (int64_t)t->n_rows)
		t->left_off += (size_t)total - t->n_rows;
}

/* Of a plan in SQL, which is the most common one, the statement itself. */
static const char *statement_of(char *words)
{
	struct text t = text_of(words);

	if (text_starts(t, "sql {") && page_skip(&t, "query: \"")) {
		size_t len = t.len;

		while (len && strchr("}\n \"", t.at[len - 1]))
			len--;
		memmove(words, t.at, len);
		words[len] = '\0';
	}
	return words;
}

/* User, jobs, SQL executions, session, start, finish, close, execution time, duration, statement, state, operation, tag, tags, detail. */
void connect_read_execution_rows(struct text html, int64_t now, struct snapshot *s, struct table *t)
{
	char cells[CELLS_MAX][CELL_SIZE], more[SPARK_REASON_SIZE];
	struct text rows, row;
	int64_t total;

	if (!page_table(html, "sqlstat", &rows))
		return;
	while (page_row(&rows, &row)) {
		struct value *to;

		if (read_cells(row, cells, more) < 15)
			continue;
		to = table_row(s, t);
		table_set(s, t, to, "user", cell_words(cells[0]));
		table_set(s, t, to, "jobs", cell_words(cells[1]));
		table_set(s, t, to, "sql", cell_words(cells[2]));
		table_set(s, t, to, "session", cell_words(cells[3]));
		put_span(s, t, to, cells[8], cells[6][0] ? 0 : now);
		table_set(s, t, to, "statement", cell_words(statement_of(cells[9])));
		table_set(s, t, to, "state", cell_words(cells[10]));
		table_set(s, t, to, "operation", cell_words(cells[11]));
		table_set(s, t, to, "reason", cell_words(more[0] ? more : cells[14]));
	}
	if (page_count(html, "Request Statistics", &total) && total > (int64_t)t->n_rows)
		t->left_off += (size_t)total - t->n_rows;
}

/* ---- the kept connection ---- */

static void line_close(struct connect *c)
{
	if (c->line >= 0)
		net_close(c->line);
	c->line = -1;
}

/* Reads frames until the server's SETTINGS (acknowledged: the answer to ours). */
static bool line_await(struct probe *p, int fd, bool acknowledged, struct err *err)
{
	for (int i = 0; i < FRAMES_MAX; i++) {
		unsigned char header[FRAME_HEADER], payload[FRAME_MAX];
		size_t len;

		if (!net_read_exact(p, fd, header, sizeof header, err))
			return false;
		len = (size_t)header[0] << 16 | (size_t)header[1] << 8 | header[2];
		if (!memcmp(header, "HTTP/1.", 7))
			return err_set(err, ERR_PROTOCOL, "HTTP/1, not gRPC");
		if (len > FRAME_MAX || (!acknowledged && header[3] != FRAME_SETTINGS))
			return err_set(err, ERR_PROTOCOL, "not HTTP/2, and so not gRPC");
		if (len && !net_read_exact(p, fd, payload, len, err))
			return false;
		if (header[3] == FRAME_SETTINGS && (header[4] & FLAG_ACK) == (acknowledged ? FLAG_ACK : 0))
			return true;
	}
	return err_set(err, ERR_PROTOCOL, "HTTP/2 without an answer to SETTINGS");
}

static bool line_settle(struct probe *p, struct connect *c, struct err *err)
{
	static const char settings[] = "\0\0\0\4\0\0\0\0\0";

	p->requests++;
	return net_send(p, c->line, settings, FRAME_HEADER, err) && line_await(p, c->line, true, err);
}

static bool line_open(struct probe *p, struct connect *c, struct err *err)
{
	static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" "\0\0\0\4\0\0\0\0\0", ack[] = "\0\0\0\4\1\0\0\0\0";

	c->line = net_dial(p, &p->at, err);
	if (c->line < 0)
		return false;
	if (net_send(p, c->line, preface, sizeof preface - 1, err) && line_await(p, c->line, false, err) &&
	    net_send(p, c->line, ack, FRAME_HEADER, err) && line_await(p, c->line, true, err))
		return true;
	line_close(c);
	return false;
}

/* ---- calls ---- */

void connect_draw_id(char out[CONNECT_ID_SIZE])
{
	unsigned char bytes[16];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		abort(); /* cannot be: 16 bytes are never cut short */
	connect_uuid(out, bytes);
}

static struct connect *state_of(struct probe *p)
{
	struct connect *c = p->state;

	if (!c) {
		c = mem_new(1, sizeof *c);
		c->line = -1;
		connect_draw_id(c->stray);
		p->state = c;
	}
	c->host = p->host;
	c->net = p->net;
	c->at = p->at;
	c->token = p->credentials.token;
	return c;
}

static bool call(struct probe *p, const struct connect *c, const char *method, struct buf *message, struct grpc_answer *answer,
	struct err *err)
{
	*err = (struct err){0};
	return grpc_call(p, &p->at, method, buf_text(message), c->refused ? NULL : p->credentials.token, answer, err);
}

/* AnalyzePlan spark_version in our session. false: no gRPC answer, err says why; else c->status and what it says. */
static bool ask_version(struct probe *p, struct connect *c, struct err *err)
{
	struct grpc_answer answer;
	struct buf message;
	int64_t idle = clock_wall_ms() - c->used;
	bool good;

	if (!c->session[0] || idle > SESSION_IDLE_MS || idle < -SESSION_IDLE_MS) {
		connect_draw_id(c->session);
		c->made = false;
	}
	buf_init(&message, 512);
	connect_put_analyze(&message, c->session);
	good = call(p, c, CONNECT_SERVICE "AnalyzePlan", &message, &answer, err);
	c->used = clock_wall_ms();
	c->made = true; /* even where no answer came in time */
	if (good) {
		c->status = answer.status;
		text_copy(c->words, sizeof c->words, text_of(answer.message));
		if (c->status == GRPC_OK && !connect_read_version(buf_text(&answer.body), c->session, c->version))
			good = err_set(err, ERR_PROTOCOL, "AnalyzePlan answers without a version");
		if (c->status == GRPC_UNAUTHENTICATED || c->status == GRPC_DENIED)
			c->made = false;
	}
	grpc_answer_free(&answer);
	buf_free(&message);
	return good;
}

/* ---- who, and alive ---- */

/* The page for Connect tells its UI from that of any driver; once known, the version is enough. */
static enum answered identify_ui(struct probe *p, bool known, struct identity *who)
{
	struct spark_reply reply;
	struct http_answer page = {0};
	struct err err;
	enum answered answered;
	int64_t sessions, requests;

	if (!spark_get(p, &p->at, "/api/v1/version", "application/json", &reply, &err)) {
		answered = spark_failed(p, &kind_spark_connect, &reply, &err, who);
	} else if (spark_rest_version(reply.json) && (known || (http_get(p, &p->at, CONNECT_PAGE, &page, NULL) &&
		   connect_read_sessions(buf_text(&page.body), &sessions, &requests)))) {
		answered = identity_say(p, who, &kind_spark_connect, "ui", SURE_EXACT, spark_rest_version(reply.json),
			"GET /api/v1/version", reply.source);
	} else {
		who->source = arena_clean(p->arena, text_of(reply.source));
		answered = ANSWERED_OTHER;
	}
	http_answer_free(&page);
	spark_reply_free(&reply);
	return answered;
}

/* What an AnalyzePlan that was answered says of who answers. */
static enum answered said_by_status(struct probe *p, struct connect *c, int64_t begun, struct identity *who)
{
	const char *asked = asked_in(p, "AnalyzePlan spark_version", begun);

	switch (c->status) {
	case GRPC_OK:
		return identity_say(p, who, &kind_spark_connect, NULL, SURE_EXACT, c->version, "AnalyzePlan spark_version", asked);
	case GRPC_UNKNOWN:
	case GRPC_UNIMPLEMENTED:
		who->says = arena_clean(p->arena, text_of(c->status == GRPC_UNKNOWN ? "HTTP/2, not gRPC" : "gRPC, not Spark Connect"));
		who->source = asked;
		return ANSWERED_OTHER;
	case GRPC_DEADLINE:
	case GRPC_UNAVAILABLE:
		return ANSWERED_MUTE;
	case GRPC_DENIED:
	case GRPC_UNAUTHENTICATED:
		c->refused = c->refused || p->credentials.token;
		return identity_say(p, who, &kind_spark_connect, NULL, SURE_UNKNOWN, NULL, NULL,
			arena_printf(p->arena, "%s: %s", asked, c->refused ? "refuses our token" : "asks for a token"));
	default: /* it knows the question and could not answer it */
		return identity_say(p, who, &kind_spark_connect, NULL, SURE_UNKNOWN, NULL, NULL,
			arena_printf(p->arena, "%s: %s", asked, c->words));
	}
}

static enum answered said_by_error(struct probe *p, const struct err *err, bool heard, struct identity *who)
{
	who->source = arena_clean(p->arena, text_of(err->words));
	if (heard && err->code == ERR_PROTOCOL)
		who->says = who->source;
	return spark_answered(err->code, heard);
}

/* Another process, another server: nothing that was learned holds. Our session was the old one's. */
static void forget_server(struct probe *p, struct connect *c)
{
	line_close(c);
	c->owner_started = p->owner_started;
	c->asked = 0;
	c->refused = false;
	c->made = false;
	c->tuned[0] = '\0';
	c->configured = false;
	memset(&c->settings, 0, sizeof c->settings);
	c->ui = 0;
	c->ui_tried = 0;
	memset(&c->memory, 0, sizeof c->memory);
}

static enum answered identify(struct probe *p, struct identity *who)
{
	struct connect *c;
	struct err err = {0};
	int64_t begun = clock_ms();
	size_t bytes = p->bytes;
	bool good;

	if (role_is(probe_role(p, &kind_spark_connect), "ui"))
		return identify_ui(p, false, who);
	c = state_of(p);
	if (c->line < 0 || c->owner_started != p->owner_started) {
		forget_server(p, c);
		if (!line_open(p, c, &err))
			return said_by_error(p, &err, p->bytes > bytes, who);
	}
	good = ask_version(p, c, &err);
	if (good && c->status == GRPC_INTERNAL && text_has(text_of(c->words), "INVALID_HANDLE")) {
		c->session[0] = '\0'; /* closed by somebody else */
		good = ask_version(p, c, &err);
	}
	if (!good) {
		line_close(c);
		return said_by_error(p, &err, true, who);
	}
	c->asked = clock_ms();
	return said_by_status(p, c, begun, who);
}

static bool version_due(const struct connect *c)
{
	if (c->status == GRPC_UNAUTHENTICATED || c->status == GRPC_DENIED)
		return false;
	return clock_ms() - c->asked >= VERSION_EVERY_MS;
}

static enum answered pulse(struct probe *p, struct identity *who)
{
	struct connect *c;
	struct err err = {0};
	int64_t begun = clock_ms();

	if (role_is(who->role, "ui"))
		return identify_ui(p, true, who);
	c = state_of(p);
	if (c->line < 0 || c->owner_started != p->owner_started || version_due(c))
		return identify(p, who);
	if (line_settle(p, c, &err)) {
		who->source = asked_in(p, "HTTP/2 SETTINGS", begun);
		return ANSWERED_YES;
	}
	line_close(c); /* a late answer would be taken for the next one */
	return err.code == ERR_TIMEOUT || err.code == ERR_CANCELLED ? said_by_error(p, &err, false, who) : identify(p, who);
}

static void close_state(void *state)
{
	struct connect *c = state;
	struct probe p = {.host = c->host, .net = c->net, .at = c->at, .credentials.token = c->token,
		.owner_started = c->owner_started, .wait = wait_for(RELEASE_MS, -1)};
	struct grpc_answer answer;
	struct buf message;
	struct err err;
	int64_t begun = clock_ms();

	/* Only to the one that has the session: by now somebody else may hold the port. And only to one that answers promptly:
	 * an answer that nobody waits for any more leaves a stack trace in its log, a session that is left just expires. */
	if (c->made && c->line >= 0 && c->release_ms < PROMPT_MS && line_settle(&p, c, NULL) && clock_ms() - begun < PROMPT_MS) {
		buf_init(&message, 512);
		connect_put_release(&message, c->session);
		call(&p, c, CONNECT_SERVICE "ReleaseSession", &message, &answer, &err);
		grpc_answer_free(&answer);
		buf_free(&message);
	}
	line_close(c);
	free(c);
}

/* ---- how it does ---- */

/* What the process says of itself: once, for it costs the log a line each. */
static void ask_settings(struct probe *p, struct connect *c)
{
	for (int i = 0; i < 2; i++) {
		struct grpc_answer answer;
		struct buf message;
		struct err err;

		buf_init(&message, 4096);
		connect_put_config(&message, c->session, i ? NULL : keys, i ? catalogs : NULL);
		c->used = clock_wall_ms();
		if (call(p, c, CONNECT_SERVICE "Config", &message, &answer, &err) && answer.status == GRPC_OK &&
		    connect_is_about(buf_text(&answer.body), c->session)) {
			connect_read_config(buf_text(&answer.body), i == 1, &c->settings);
			c->configured = true;
		}
		grpc_answer_free(&answer);
		buf_free(&message);
	}
}

/* Is the driver whose web UI is on that port this server? By the id of its application; without
 * settings, which a token keeps from us, by its page for Connect. */
static bool is_own_ui(struct probe *p, const struct connect *c, const struct endpoint *at)
{
	const char *id = connect_setting(&c->settings, "spark.app.id");
	struct http_answer page = {0};
	struct spark_reply reply;
	struct err err;
	int64_t sessions, requests;
	bool own = false;

	if (id) {
		own = spark_get(p, at, "/api/v1/applications?limit=1", "application/json", &reply, &err) &&
		      spark_state_is(json_first(reply.json), "id", id);
		spark_reply_free(&reply);
	} else if (http_get(p, at, CONNECT_PAGE, &page, NULL)) {
		own = connect_read_sessions(buf_text(&page.body), &sessions, &requests);
	}
	http_answer_free(&page);
	return own;
}

/* Where the profile says, else where the process was told to be; where that was taken it took the next free port. */
static void find_ui(struct probe *p, struct connect *c)
{
	const char *set = connect_setting(&c->settings, "spark.ui.port");
	struct endpoint at = p->at;
	int64_t first = p->expected ? expected_role_port(p->expected, "ui") : 0;

	if (!first && (!set || !text_i64(text_of(set), &first)))
		first = UI_FIRST;
	c->ui_tried = clock_ms();
	for (int64_t port = first; !c->ui && port > 0 && port < 65536 && port < first + UI_TRIES; port++) {
		if (port > first && !spark_port_near((uint16_t)port, UI_FIRST))
			break; /* beyond the usual numbers nothing says that a Spark is there */
		if (port == p->at.port)
			continue; /* its service is there: it would log HTTP/1 as an error */
		at.port = (uint16_t)port;
		if (is_own_ui(p, c, &at))
			c->ui = at.port;
	}
}

static void show_settings(const struct connect *c, struct snapshot *s, const struct spark_specs *specs)
{
	const char *started = connect_setting(&c->settings, "spark.app.startTime");
	struct table *t = snapshot_table(s, specs->tables, "settings");
	int64_t ms;

	for (size_t i = 0; i < c->settings.n; i++) {
		struct value *row = c->settings.at[i].value[0] ? table_row(s, t) : NULL;

		table_set(s, t, row, "name", value_text(c->settings.at[i].name));
		table_set(s, t, row, "value", value_text(c->settings.at[i].value));
	}
	t->left_off += c->settings.left_off;
	snapshot_figure(s, specs->figures, "application", value_text(connect_setting(&c->settings, "spark.app.id")));
	snapshot_figure(s, specs->figures, "name", value_text(connect_setting(&c->settings, "spark.app.name")));
	snapshot_figure(s, specs->figures, "master", value_text(connect_setting(&c->settings, "spark.master")));
	if (started && text_i64(text_of(started), &ms))
		snapshot_figure(s, specs->figures, "started", value_int(ms));
}

static void ask_sessions(struct probe *p, const struct endpoint *ui, struct snapshot *s, const struct spark_specs *specs)
{
	struct table *open = snapshot_table(s, specs->tables, "sessions"), *executions = snapshot_table(s, specs->tables, "executions");
	struct http_answer page;
	int64_t sessions, requests, now;

	if (http_get(p, ui, WORK_PAGE, &page, NULL) && connect_read_sessions(buf_text(&page.body), &sessions, &requests)) {
		now = spark_http_date(http_header(&page, "Date"));
		snapshot_figure(s, specs->figures, "sessions", value_int(sessions));
		snapshot_figure(s, specs->figures, "requests", value_int(requests));
		connect_read_session_rows(buf_text(&page.body), now, s, open);
		connect_read_execution_rows(buf_text(&page.body), now, s, executions);
	}
	http_answer_free(&page);
}

/* Passes the whole service and its token check, and leaves nothing behind. False: no gRPC answer. */
static bool ask_service(struct probe *p, struct connect *c, struct snapshot *s)
{
	struct grpc_answer answer;
	struct buf message;
	bool good;

	buf_init(&message, 512);
	connect_put_release(&message, c->stray);
	good = call(p, c, CONNECT_SERVICE "ReleaseSession", &message, &answer, &s->err);
	c->release_ms = good ? answer.ms : PROMPT_MS;
	if (good && answer.status == GRPC_OK && connect_is_about(buf_text(&answer.body), c->stray))
		snapshot_health(s, LINK_OK, "ReleaseSession of no session", "answers in %.0f ms", answer.ms);
	else if (good && (answer.status == GRPC_UNAUTHENTICATED || answer.status == GRPC_DENIED))
		snapshot_health(s, LINK_UNKNOWN, "ReleaseSession of no session", c->refused ? "refuses our token" : "asks for a token");
	else if (good && answer.status != GRPC_UNIMPLEMENTED) /* 3.4 does not know it */
		snapshot_health(s, LINK_BAD, "ReleaseSession of no session", "gRPC status %d: %s", answer.status, answer.message);
	grpc_answer_free(&answer);
	buf_free(&message);
	return good;
}

static bool inspect_work(struct probe *p, struct connect *c, struct snapshot *s, const struct spark_specs *specs)
{
	struct endpoint ui = p->at;
	struct spark_work work = {0};
	struct health service = s->health;
	struct err err = s->err;
	bool good;

	ui.port = c->ui;
	good = spark_inspect_driver(p, &ui, specs, &c->memory, s, &work);
	if (good)
		spark_find_in_work(&work, &c->memory, SEVERITY_INFO, s); /* whose query failed was told so */
	if (good && c->status == GRPC_OK && c->version[0] && strcmp(work.version, c->version) != 0)
		snapshot_finding(s, "versions-differ", SEVERITY_WARNING, NULL, "its web UI says Spark %s, its service %s", work.version,
			c->version);
	/* what serves is the service: its UI adds that nobody is left to run what it takes */
	if (!good || s->health.state != LINK_BAD)
		s->health = service;
	s->err = err;
	return good;
}

static const struct figure_spec figures[] = {
	{"sessions", "sessions", UNIT_COUNT, FIGURE_ROW | FIGURE_HISTORY, "client sessions that are open, ours among them"},
	{"requests", "requests", UNIT_COUNT, 0, "requests that run now"},
	SPARK_DRIVER_FIGURES,
	{"master", "master", UNIT_NONE, 0, "where its executors come from"},
	{"ui", "web UI", UNIT_NONE, 0, "where its web UI is"},
	{0},
};

static const struct table_spec tables[] = {
	SPARK_DRIVER_TABLES,
	{"sessions", "client sessions: those that are open, then those that were closed, newest first", (const struct column_spec[]){
		{"session", VALUE_TEXT, UNIT_NONE, 0, "its id; one of them is ours"},
		{"user", VALUE_TEXT, UNIT_NONE, 0, "who it says it is"},
		{"state", VALUE_TEXT, UNIT_NONE, 0, "OPEN or CLOSED"},
		{"executions", VALUE_INT, UNIT_COUNT, 1, "operations in it so far"},
		{"duration", VALUE_INT, UNIT_MS, 1, "how long it is open, or was"},
		{"started", VALUE_INT, UNIT_TIME, 2, "when it was opened, while it is open"},
		{0},
	}},
	{"executions", "what clients asked for, newest first", (const struct column_spec[]){
		{"state", VALUE_TEXT, UNIT_NONE, 0, "STARTED, COMPILED, READY, RUNNING, FINISHED, CLOSED, FAILED, CANCELED"},
		{"user", VALUE_TEXT, UNIT_NONE, 0, "whose it is"},
		{"statement", VALUE_TEXT, UNIT_NONE, 0, "its beginning"},
		{"duration", VALUE_INT, UNIT_MS, 1, "until its answer was taken, or so far"},
		{"reason", VALUE_TEXT, UNIT_NONE, 2, "why it failed; one that failed may be called CLOSED"},
		{"jobs", VALUE_TEXT, UNIT_NONE, 3, "its jobs"},
		{"sql", VALUE_TEXT, UNIT_NONE, 4, "its SQL executions"},
		{"started", VALUE_INT, UNIT_TIME, 4, "when it began, while it runs"},
		{"session", VALUE_TEXT, UNIT_NONE, 5, "its session"},
		{"operation", VALUE_TEXT, UNIT_NONE, 6, "its id"},
		{0},
	}},
	{"settings", "what the process was started with, as far as it is no secret", (const struct column_spec[]){
		{"name", VALUE_TEXT, UNIT_NONE, 0, "the setting"},
		{"value", VALUE_TEXT, UNIT_NONE, 0, "its value; user information and queries of URLs are cut off"},
		{0},
	}},
	{0},
};

/* By its settings, which its UI shows. Its default where it was not set. */
static uint16_t ask_service_port(struct probe *p)
{
	char path[SPARK_ID_SIZE + 60];
	struct spark_reply reply;
	struct err err;
	int64_t port = 0;
	const char *id = NULL;

	if (spark_get(p, &p->at, "/api/v1/applications?limit=1", "application/json", &reply, &err))
		id = json_string(json_get(json_first(reply.json), "id"));
	snprintf(path, sizeof path, "/api/v1/applications/%.*s/environment", SPARK_ID_SIZE, id && spark_is_id(id) ? id : "");
	spark_reply_free(&reply);
	if (path[sizeof "/api/v1/applications/" - 1] == '/' || !spark_get(p, &p->at, path, "application/json", &reply, &err))
		return 0;
	port = kind_spark_connect.ports[0].port;
	for (const struct json *pair = json_first(json_get(reply.json, "sparkProperties")); pair; pair = json_next(pair)) {
		const char *key = json_string(json_first(pair)), *value = json_string(json_next(json_first(pair)));
		int64_t set;

		if (key && !strcmp(key, "spark.connect.grpc.binding.port") && text_i64(text_of(value), &set) && set > 0 && set < 65536)
			port = set;
	}
	spark_reply_free(&reply);
	return (uint16_t)port;
}

static bool inspect_ui(struct probe *p, struct connect *c, struct snapshot *s, const struct spark_specs *specs)
{
	struct endpoint ui = p->at;

	if (!c->ui || !inspect_work(p, c, s, specs))
		return false;
	ui.port = c->ui;
	snapshot_figure(s, specs->figures, "ui", value_text(arena_printf(s->arena, "%s:%u", ui.address, ui.port)));
	ask_sessions(p, &ui, s, specs);
	return true;
}

/* One that was found by its web UI, at a port that no words explain: the UI tells where the service is. */
static bool inspect_by_ui(struct probe *p, struct connect *c, struct snapshot *s, const struct spark_specs *specs)
{
	struct probe service = *p;

	if (!c->service)
		c->service = ask_service_port(&service);
	service.at.port = c->service;
	if (!c->service || c->service == p->at.port) {
		snapshot_health(s, LINK_UNKNOWN, "GET /environment", "its web UI answers, and does not tell where its service is");
	} else if (!ask_service(&service, c, s)) {
		snapshot_health(s, s->err.code == ERR_SYSTEM ? LINK_UNKNOWN : LINK_BAD, "ReleaseSession of no session",
			"its web UI answers, its service does not: %s", s->err.words);
		s->err = (struct err){0};
	}
	p->requests = service.requests;
	p->bytes = service.bytes;
	c->ui = p->at.port;
	inspect_ui(p, c, s, specs);
	return true;
}

static bool inspect(struct probe *p, struct snapshot *s)
{
	static const struct spark_specs specs = {figures, tables};
	struct connect *c = state_of(p);
	bool locked = c->status == GRPC_UNAUTHENTICATED || c->status == GRPC_DENIED;

	if (role_is(s->who.role, "ui"))
		return inspect_by_ui(p, c, s, &specs);
	if (!ask_service(p, c, s))
		return false;
	if (c->status != GRPC_OK && !locked)
		snapshot_health(s, LINK_BAD, "AnalyzePlan spark_version", "gRPC status %d: %s", c->status, c->words);
	if (!c->configured && c->status == GRPC_OK)
		ask_settings(p, c);
	if (!c->ui && (!c->ui_tried || clock_ms() - c->ui_tried > UI_AGAIN_MS))
		find_ui(p, c);
	if (c->configured)
		show_settings(c, s, &specs);
	if (!inspect_ui(p, c, s, &specs))
		c->ui = 0; /* looked for again */
	return locked ? err_set(&s->err, ERR_AUTH, "%s", s->health.words ? s->health.words : "asks for a token") : true;
}

/* ---- rows ---- */

/* Our settings, once per session. */
static bool tune(struct probe *p, struct connect *c, struct err *err)
{
	struct grpc_answer answer;
	struct buf message;
	bool good;

	if (!strcmp(c->tuned, c->session))
		return true;
	buf_init(&message, 4096);
	connect_put_settings(&message, c->session, "0"); /* nobody looks at progress */
	good = call(p, c, CONNECT_SERVICE "Config", &message, &answer, err);
	if (good && answer.status != GRPC_OK)
		good = err_set(err, answer.status == GRPC_UNAUTHENTICATED || answer.status == GRPC_DENIED ? ERR_AUTH : ERR_PROTOCOL,
			"Spark Connect: %s", answer.message);
	if (good)
		memcpy(c->tuned, c->session, sizeof c->tuned);
	grpc_answer_free(&answer);
	buf_free(&message);
	return good;
}

static bool ask_rows(struct probe *p, struct connect *c, const char *subject, struct snapshot *s, bool *lost)
{
	const struct connect_caller who = {c->session, c->refused ? NULL : p->credentials.token};

	*lost = false;
	return tune(p, c, &s->err) && connect_rows(p, &who, subject, s, lost);
}

static bool answer(struct probe *p, const char *view, const char *subject, struct snapshot *s)
{
	struct connect *c = state_of(p);
	bool lost, good;

	(void)view;
	if (role_is(s->who.role, "ui") || !c->session[0])
		return err_set(&s->err, ERR_USAGE, "its web UI hands out no rows: the profile should name its gRPC port");
	good = ask_rows(p, c, subject, s, &lost);
	if (!good && lost) { /* the server was restarted, or somebody closed our session */
		c->session[0] = '\0';
		good = ask_version(p, c, &s->err) && ask_rows(p, c, subject, s, &lost);
	}
	c->used = clock_wall_ms();
	return good;
}

static const char *role_of(struct text hint, uint16_t port)
{
	uint16_t grpc = option_port(hint, "spark.connect.grpc.binding.port"), ui = option_port(hint, "spark.ui.port");

	if (port == (grpc ? grpc : 15002))
		return "grpc";
	return spark_port_near(port, ui ? ui : UI_FIRST) ? "ui" : NULL;
}

const struct service_kind kind_spark_connect = {
	.name = "spark-connect",
	.title = "Spark Connect",
	.group = "compute",
	.ports = (const struct port_role[]){{"grpc", 15002, PORT_ASK, 0}, {"ui", 4040, PORT_ASK, 4041}, {0}},
	.firm = true,
	.owners_are_all = true,
	.owners = (const char *const[]){"SparkConnectServer", NULL},
	.figures = figures,
	.tables = tables,
	.first_ms = 6000,
	.code_role = "grpc",
	.role_of = role_of,
	.identify = identify,
	.pulse = pulse,
	.inspect = inspect,
	.answer = answer,
	.views = (const char *const[]){ROWS_VIEW, NULL},
	.answer_ms = ROWS_MS,
	.close = close_state,
};
