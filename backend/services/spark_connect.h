// SPDX-License-Identifier: MIT
/* What the files of Spark Connect share. What reads is pure, tested and fuzzed as spark and spark_depth. */
#ifndef LAKETOP_SERVICES_SPARK_CONNECT_H
#define LAKETOP_SERVICES_SPARK_CONNECT_H

#include "mem.h"
#include "net.h"
#include "rows.h"
#include "spark.h"

enum { CONNECT_ID_SIZE = 37, CONNECT_SETTINGS_MAX = 48 };

struct connect_setting {
	char name[128], value[256];
};
struct connect_settings { /* what the process says of itself and may be shown */
	struct connect_setting at[CONNECT_SETTINGS_MAX];
	size_t n, left_off;
};

#define CONNECT_SERVICE "/spark.connect.SparkConnectService/"

/* ---- spark_messages.c; pure ---- */
void connect_uuid(char out[CONNECT_ID_SIZE], const unsigned char bytes[16]); /* version 4 of random bytes */
void connect_draw_id(char out[CONNECT_ID_SIZE]);
/* What every request begins with. */
void connect_put_caller(struct buf *out, const char *session);
void connect_put_analyze(struct buf *out, const char *session);
void connect_put_release(struct buf *out, const char *session);
/* keys: their values; else all that begin with prefix. */
void connect_put_config(struct buf *out, const char *session, const char *const *keys, const char *prefix);
bool connect_is_about(struct text answer, const char *session);
bool connect_read_version(struct text answer, const char *session, char out[SPARK_VERSION_SIZE]);
/* Adds the pairs that are on the list of what may be shown; nothing else is kept. */
void connect_read_config(struct text answer, bool of_catalogs, struct connect_settings *out);
const char *connect_setting(const struct connect_settings *settings, const char *name); /* NULL: not set, or kept back */
extern const char *const connect_keys[], connect_catalogs[]; /* which are asked for; the prefix of those of catalogs */

/* ---- spark_sessions.c: its page in the web UI; pure ---- */
bool connect_read_sessions(struct text html, int64_t *sessions, int64_t *requests);
/* The rows of that page: sessions that are open first; requests newest first. now: the server's clock. */
void connect_read_session_rows(struct text html, int64_t now, struct snapshot *s, struct table *t);
void connect_read_execution_rows(struct text html, int64_t now, struct snapshot *s, struct table *t);

/* ---- spark_line.c: one HTTP/2 connection that is kept. line: -1 where there is none ---- */
bool connect_line_open(struct probe *p, int *line, struct err *err);
/* SETTINGS, acknowledged: no stream, no line in the log. */
bool connect_line_settle(struct probe *p, int line, struct err *err);
void connect_line_close(int *line);

/* ---- spark_connect_ui.c: the web UI of the driver that it is ---- */
enum { CONNECT_UI_FIRST = 4040 };
struct connect_ui {
	uint16_t port;  /* proven to be its own; 0: not found */
	int64_t tried;  /* clock_ms(); 0: not yet */
	struct spark_memory memory;
	struct pipelines *pipelines; /* NULL: none was met */
};
void connect_forget_ui(struct connect_ui *ui);
enum answered connect_identify_ui(struct probe *p, bool known, struct identity *who);
void connect_find_ui(struct probe *p, struct connect_ui *ui, const struct connect_settings *settings);
uint16_t connect_service_port(struct probe *p); /* where a UI at p->at says that its service is; 0: it does not */
/* Its work and its clients. version: what its service says; "" unknown. False: it does not answer. */
bool connect_inspect_ui(struct probe *p, struct connect_ui *ui, const char *version, struct snapshot *s, const struct spark_specs *specs);

/* ---- spark_rows.c ---- */
enum { CONNECT_MESSAGE_MOST = 64 << 20, CONNECT_SQL_MOST = 64 << 10 };
/* Config Set of what reading a result needs; progress: how often it is told, "500ms"; "0": never. */
void connect_put_settings(struct buf *out, const char *session, const char *progress);
void connect_wrap(struct buf *inner, uint32_t number); /* becomes a message that holds nothing but itself, as that field */
void connect_put_select(struct buf *out, const char *session, const char *operation, struct text sql, int64_t limit);
void connect_put_interrupt(struct buf *out, const char *session, const char *operation);
bool connect_read_batch(struct text message, struct text *data); /* false: no batch in it */

struct connect_reading {
	struct rows rows;
	struct buf cell;
	struct buf select; /* what to select instead, where a column is refused */
	struct err err;
};
bool connect_take_batch(struct connect_reading *r, struct text data); /* false: no more is wanted; r->err says if something is wrong */

struct connect_caller {
	const char *session, *token;
};
/* Fills an answer with rows. False: s->err says why; lost: another session will do better. */
bool connect_rows(struct probe *p, const struct connect_caller *who, const char *subject, struct snapshot *s, bool *lost);

/* ---- spark_statement.c: a statement that changes something, in a session of its own ---- */
struct connect_progress { int64_t done, running, bytes; }; /* tasks; bytes that were read */
struct connect_statement {
	const char *token;
	void (*progress)(void *ctx, const struct connect_progress *progress);
	void *ctx;
	/* filled */
	char session[CONNECT_ID_SIZE], operation[CONNECT_ID_SIZE], server[CONNECT_ID_SIZE]; /* server: its own id of our session */
	bool open;        /* the server has the session */
	bool interrupted; /* it ran, and has heard that it is to end */
	bool running;     /* nobody knows that it ended: its session must stay */
	bool conflict;    /* another commit came between: it can be tried again */
	bool has_result;
	struct connect_progress told;
	struct buf result; /* rows that it answered, as an Arrow stream */
};
/* Draws the ids and makes the session. What the caller sets stays. */
bool connect_open(struct probe *p, struct connect_statement *s, struct err *err);
/* True: it ran to its end, and answered. What ends early is interrupted. */
bool connect_execute(struct probe *p, struct connect_statement *s, struct text sql, struct err *err);
void connect_close(struct probe *p, struct connect_statement *s); /* releases the session, unless something may still run in it */
void connect_put_statement(struct buf *out, const struct connect_statement *s, struct text sql);
bool connect_read_statement(struct connect_statement *s, struct text message); /* an ExecutePlanResponse; true: there was something in it */

/* In time of its own. False: nobody answered; found: it still ran. */
bool connect_interrupt(struct probe *p, const struct connect_caller *who, const char *operation, int64_t ms, bool *found);
/* Does that operation still run there? True: the server said it; there: whether. */
bool connect_is_there(struct probe *p, const struct connect_caller *who, const char *operation, int64_t ms, bool *there);
/* In time of its own, until it has ended or it is given up. */
bool connect_has_ended(struct probe *p, const struct connect_caller *who, const char *operation);
bool connect_release(struct probe *p, const struct connect_caller *who);
bool connect_failed(const struct grpc_answer *answer, struct err *err); /* always false */

/* ---- spark_statement.c: whom a token is for ---- */
bool connect_asks_for_token(const struct grpc_answer *answer); /* as Spark Connect does; pure */
/* The probe's token, where who answers asks for one so, asked without it; NULL: there is none, it is not wanted, or it is kept. */
const char *connect_token(struct probe *p);

#endif
