// SPDX-License-Identifier: MIT
/* Trino's statements and values, apart from the kind: trino_rows.c. Reading is pure, tested and fuzzed as trino. */
#ifndef LAKETOP_SERVICES_TRINO_H
#define LAKETOP_SERVICES_TRINO_H

#include "json.h"
#include "net.h"
#include "rows.h"

/* Asks as the user of the credentials, else as "laketop"; always with laketop as the source, by which it is known in the history. */
bool trino_ask(struct probe *p, const char *method, const char *path, const char *body, struct http_answer *out, struct err *err);
/* What an answer other than 200 says; always false. */
bool trino_refused(const struct http_answer *answer, struct err *err);
/* Runs one statement to its end. page gets the columns and the rows of each answer that has some; false ends the statement, also at the
 * server, and is no failure. False: err says why. */
bool trino_run(struct probe *p, const char *sql, bool (*page)(void *ctx, const struct json *columns, const struct json *data), void *ctx,
	struct err *err);
bool trino_rows(struct probe *p, const char *subject, struct snapshot *s);

/* The path of a nextUri, whose host may be one that only the server can reach. Empty: it is none of a statement. */
struct text trino_next(const struct json *answer);
/* One value as rows.h has it, by its type; its text, if it has one, comes into out. */
struct value trino_value(const struct json *node, const struct json *signature, struct buf *out, bool *cut);
bool trino_duration(const char *s, int64_t *ms);  /* "17.59s" */
bool trino_size(const char *s, int64_t *bytes);   /* "1.5GB" */

#endif
