// SPDX-License-Identifier: MIT
/*
 * JSON as it comes in, for documents larger than memory should be. Integers stay the digits that
 * they are; text is handed over decoded, up to a cap. A part that is wanted as a tree is captured
 * as bytes, for json_parse. Pure; a stream belongs to one thread.
 */
#ifndef LAKETOP_JSON_STREAM_H
#define LAKETOP_JSON_STREAM_H

#include "err.h"
#include "mem.h"

enum json_event { JSON_OBJECT, JSON_ARRAY, JSON_END, JSON_KEY, JSON_TEXT, JSON_NUMBER, JSON_TRUE, JSON_FALSE, JSON_NULL };
struct json_token {
	enum json_event event;
	int depth;        /* of an object or array its own, the root's being 1; of the rest that of what holds it */
	struct text text; /* key, text, digits; lives as long as the call; not clean */
	bool cut;         /* the text was longer than the cap */
};

struct json_stream;
/* each returns false to end it, which is ERR_CANCELLED unless it set an error itself. longest: bytes kept of one text. */
struct json_stream *json_stream_new(size_t longest, bool (*each)(void *ctx, const struct json_token *token), void *ctx);
void json_stream_free(struct json_stream *s); /* NULL is fine */
/* By each, at JSON_OBJECT or JSON_ARRAY: what is inside goes into out with its brackets, and is not handed over but for its JSON_END. */
void json_stream_capture(struct json_stream *s, struct buf *out);
bool json_stream_feed(struct json_stream *s, const char *bytes, size_t len, struct err *err);
bool json_stream_end(struct json_stream *s, struct err *err); /* false: cut off, or nothing at all */

#endif
