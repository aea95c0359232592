// SPDX-License-Identifier: MIT
/*
 * JSON with integers exact to 64 bits. Reading is cJSON behind this module, with every literal of
 * 16 digits or more kept as its digits; writing is a small writer that cannot produce invalid
 * JSON. Pure; a document belongs to one thread.
 */
#ifndef LAKETOP_JSON_H
#define LAKETOP_JSON_H

#include "err.h"
#include "mem.h"
#include "value.h"

struct json; /* a node; lives as long as its document */
struct json *json_parse(struct text t, struct err *err); /* NULL on error; one document, nothing after it */
void json_free(struct json *document);                   /* the root only; NULL is fine */

/* Every reader takes NULL and wrong types: it then gives NULL, false, or the empty text. */
const struct json *json_get(const struct json *object, const char *key);
const struct json *json_path(const struct json *root, const char *dotted); /* "server_stats.uptime" */
const struct json *json_first(const struct json *array_or_object);
const struct json *json_next(const struct json *item);
const char *json_key(const struct json *item); /* of an object's member */
size_t json_count(const struct json *array_or_object);
bool json_is_array(const struct json *node);
bool json_is_object(const struct json *node);
bool json_is_null(const struct json *node); /* missing or null */
const char *json_string(const struct json *node); /* NULL where it is no string; not clean */
bool json_i64(const struct json *node, int64_t *out); /* exact, or false */
bool json_moment(const struct json *node, int64_t *out); /* ms since 1970; false, and nothing written: of no calendar, ages of it would overflow */
bool json_real(const struct json *node, double *out);
bool json_bool(const struct json *node, bool *out);
struct value json_value(const struct json *node); /* as it is written: 5 an integer, 5.0 a real; unknown for the rest */
/* A member as a value: unknown where it is missing or of another type. */
struct value json_value_i64(const struct json *object, const char *key);
struct value json_value_text(const struct json *object, const char *key);

struct json_writer {
	struct buf *out;
	int depth;
	bool comma[32];
	bool after_key;
	bool pretty;
};
void json_begin(struct json_writer *w, struct buf *out, bool pretty);
void json_open(struct json_writer *w, const char *key, char bracket); /* '{' or '['; key NULL in arrays */
void json_close(struct json_writer *w, char bracket);
void json_put_text(struct json_writer *w, const char *key, const char *s); /* NULL writes null; invalid UTF-8 is mended */
void json_put_i64(struct json_writer *w, const char *key, int64_t i);
void json_put_real(struct json_writer *w, const char *key, double r); /* not finite writes null */
void json_put_bool(struct json_writer *w, const char *key, bool b);
void json_put_null(struct json_writer *w, const char *key);
void json_put_value(struct json_writer *w, const char *key, struct value v, enum unit unit); /* UNIT_TIME as RFC 3339 */
void json_put_time(struct json_writer *w, const char *key, int64_t wall_ms); /* 0 writes null */

#endif
