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

#include "kinds.h"
#include "spark.h"
#include "spark_pipelines.h"

enum {
	GRPC_UNKNOWN = -1, GRPC_OK = 0, GRPC_DEADLINE = 4, GRPC_DENIED = 7, GRPC_UNIMPLEMENTED = 12, GRPC_INTERNAL = 13,
	GRPC_UNAVAILABLE = 14, GRPC_UNAUTHENTICATED = 16,
};
enum { VERSION_EVERY_MS = 30000, SESSION_IDLE_MS = 30 * 60000, RELEASE_MS = 100, PROMPT_MS = 40, UI_AGAIN_MS = 60000, WORDS_SIZE = 200 };

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
	bool wanted, refused;          /* our token: it asked for one as Spark Connect does; it is not offered again to this server */
	/* for close, which has no probe */
	struct host *host;
	struct net *net;
	struct endpoint at;
	const char *token;
	/* of this process */
	bool configured;
	struct connect_settings settings;
	struct connect_ui ui;
	uint16_t service;              /* where its UI says that its service is, for one known by its UI; 0: not asked yet */
};

/* ---- calls ---- */

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

static const char *token_of(const struct probe *p, const struct connect *c)
{
	return c->wanted && !c->refused ? p->credentials.token : NULL;
}

/* Without the token first: it is for who asks for one as Spark Connect does. */
static bool call(struct probe *p, struct connect *c, const char *method, struct buf *message, struct grpc_answer *answer, struct err *err)
{
	*err = (struct err){0};
	if (!grpc_call(p, &p->at, method, buf_text(message), token_of(p, c), answer, err))
		return false;
	if (c->wanted || !p->credentials.token || !connect_asks_for_token(answer) || !credential_may_cross(p, NULL))
		return true;
	c->wanted = true;
	grpc_answer_free(answer);
	return grpc_call(p, &p->at, method, buf_text(message), token_of(p, c), answer, err);
}

static const char *locked_words(const struct probe *p, const struct connect *c)
{
	if (c->refused)
		return "refuses our token";
	if (!p->credentials.token)
		return "asks for a token";
	return credential_may_cross(p, NULL) ? "asks for a token, not as Spark Connect does: ours is kept" :
		"asks for a token: ours would cross the network in clear, which \"cleartext = yes\" allows";
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
		c->refused = c->refused || token_of(p, c);
		return identity_say(p, who, &kind_spark_connect, NULL, SURE_UNKNOWN, NULL, NULL,
			arena_printf(p->arena, "%s: %s", asked, locked_words(p, c)));
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
	connect_line_close(&c->line);
	c->owner_started = p->owner_started;
	c->asked = 0;
	c->wanted = c->refused = false;
	c->made = false;
	c->tuned[0] = '\0';
	c->configured = false;
	memset(&c->settings, 0, sizeof c->settings);
	connect_forget_ui(&c->ui);
}

static enum answered identify(struct probe *p, struct identity *who)
{
	struct connect *c;
	struct err err = {0};
	int64_t begun = clock_ms();
	size_t bytes = p->bytes;
	bool good;

	if (role_is(probe_role(p, &kind_spark_connect), "ui"))
		return connect_identify_ui(p, false, who);
	c = state_of(p);
	if (c->line < 0 || c->owner_started != p->owner_started) {
		forget_server(p, c);
		if (!connect_line_open(p, &c->line, &err))
			return said_by_error(p, &err, p->bytes > bytes, who);
	}
	good = ask_version(p, c, &err);
	if (good && c->status == GRPC_INTERNAL && text_has(text_of(c->words), "INVALID_HANDLE")) {
		c->session[0] = '\0'; /* closed by somebody else */
		good = ask_version(p, c, &err);
	}
	if (!good) {
		connect_line_close(&c->line);
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
		return connect_identify_ui(p, true, who);
	c = state_of(p);
	if (c->line < 0 || c->owner_started != p->owner_started || version_due(c))
		return identify(p, who);
	if (connect_line_settle(p, c->line, &err)) {
		who->source = asked_in(p, "HTTP/2 SETTINGS", begun);
		return ANSWERED_YES;
	}
	connect_line_close(&c->line); /* a late answer would be taken for the next one */
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
	if (c->made && c->line >= 0 && c->release_ms < PROMPT_MS && connect_line_settle(&p, c->line, NULL) && clock_ms() - begun < PROMPT_MS) {
		buf_init(&message, 512);
		connect_put_release(&message, c->session);
		call(&p, c, CONNECT_SERVICE "ReleaseSession", &message, &answer, &err);
		grpc_answer_free(&answer);
		buf_free(&message);
	}
	connect_line_close(&c->line);
	connect_forget_ui(&c->ui);
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
		connect_put_config(&message, c->session, i ? NULL : connect_keys, i ? connect_catalogs : NULL);
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
		snapshot_health(s, LINK_UNKNOWN, "ReleaseSession of no session", "%s", locked_words(p, c));
	else if (good && answer.status != GRPC_UNIMPLEMENTED) /* 3.4 does not know it */
		snapshot_health(s, LINK_BAD, "ReleaseSession of no session", "gRPC status %d: %s", answer.status, answer.message);
	grpc_answer_free(&answer);
	buf_free(&message);
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
	{"flows", "flows of declarative pipelines that clients run in it", spark_flow_columns},
	{"settings", "what the process was started with, as far as it is no secret", (const struct column_spec[]){
		{"name", VALUE_TEXT, UNIT_NONE, 0, "the setting"},
		{"value", VALUE_TEXT, UNIT_NONE, 0, "its value; user information and queries of URLs are cut off"},
		{0},
	}},
	{0},
};

/* "" where its service did not tell. */
static const char *version_of(const struct connect *c)
{
	return c->status == GRPC_OK ? c->version : "";
}

/* One that was found by its web UI, at a port that no words explain: the UI tells where the service is. */
static bool inspect_by_ui(struct probe *p, struct connect *c, struct snapshot *s, const struct spark_specs *specs)
{
	struct probe service = *p;

	if (!c->service)
		c->service = connect_service_port(&service);
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
	c->ui.port = p->at.port;
	connect_inspect_ui(p, &c->ui, version_of(c), s, specs);
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
	if (!c->ui.port && (!c->ui.tried || clock_ms() - c->ui.tried > UI_AGAIN_MS))
		connect_find_ui(p, &c->ui, &c->settings);
	if (c->configured)
		show_settings(c, s, &specs);
	if (!connect_inspect_ui(p, &c->ui, version_of(c), s, &specs))
		c->ui.port = 0; /* looked for again */
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
	const struct connect_caller who = {c->session, token_of(p, c)};

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

#define GRPC_PORT "spark.connect.grpc.binding.port"

static const char *role_of(struct text hint, uint16_t port)
{
	uint16_t grpc = option_port(hint, GRPC_PORT), ui = option_port(hint, "spark.ui.port");

	if (port == (grpc ? grpc : 15002))
		return "grpc";
	return spark_port_near(port, ui ? ui : CONNECT_UI_FIRST) ? "ui" : NULL;
}

const struct service_kind kind_spark_connect = {
	.name = "spark-connect",
	.title = "Spark Connect",
	.group = "compute",
	.ports = (const struct port_role[]){{"grpc", 15002, PORT_ASK, 0}, {"ui", 4040, PORT_ASK, 4041}, {0}},
	.port_key = GRPC_PORT,
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
