// SPDX-License-Identifier: MIT
/* Spark Connect's messages, apart from the connection: pure, tested and fuzzed as spark_connect. */
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
bool connect_read_sessions(struct text html, int64_t *sessions, int64_t *requests);
/* The rows of that page: sessions that are open first; requests newest first. now: the server's clock. */
void connect_read_session_rows(struct text html, int64_t now, struct snapshot *s, struct table *t);
void connect_read_execution_rows(struct text html, int64_t now, struct snapshot *s, struct table *t);

/* ---- spark_rows.c ---- */
void connect_put_settings(struct buf *out, const char *session); /* Config Set of what rows need */
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

#endif
