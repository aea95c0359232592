// SPDX-License-Identifier: MIT
/*
 * Arrow's IPC stream format, as far as Spark sends it, read without a library: a schema, then record
 * batches. The bytes are a server's: every offset is checked before it is used, nothing is read
 * through a pointer to a struct, and every number of things has a cap. Pure, any thread.
 * Source: "Arrow Columnar Format" and Schema.fbs, Message.fbs of apache/arrow; FlatBuffers internals.
 */
#ifndef LAKETOP_ARROW_H
#define LAKETOP_ARROW_H

#include "err.h"
#include "mem.h"
#include "value.h"

enum { ARROW_FIELDS_MAX = 4096 /* over all levels */, ARROW_DEPTH_MAX = 12, ARROW_TYPE_SIZE = 200 };

struct arrow; /* one stream; borrows its bytes */
/* NULL: damaged, or no stream of record batches; err says why. A column of a type that is not read is kept as refused: the columns are
 * told, batches are not. */
struct arrow *arrow_open(struct text bytes, struct err *err);
void arrow_close(struct arrow *a); /* NULL is fine */

size_t arrow_columns(const struct arrow *a);
const char *arrow_name(const struct arrow *a, size_t column);       /* cut at 255 bytes; not clean */
enum value_type arrow_value_type(const struct arrow *a, size_t column);
/* In Spark's words: "decimal(38,18)", "array<struct<a:int,b:string>>"; cut where it is longer. */
char *arrow_type(const struct arrow *a, size_t column, char out[ARROW_TYPE_SIZE]);
const char *arrow_refused(const struct arrow *a, size_t column);    /* why its type is not read: "is dictionary-encoded"; NULL: it is read */

/* The next batch. False: the stream ends, or err says why not (its code is ERR_NONE at the end). */
bool arrow_next(struct arrow *a, struct err *err);
int64_t arrow_rows(const struct arrow *a); /* of the batch */
/* One cell as rows.h has it; its text, if it has one, comes into out, up to out's maximum: *cut where that was too little.
 * False: an offset in the data leads out of it. */
bool arrow_cell(const struct arrow *a, size_t column, int64_t row, struct buf *out, struct value *v, bool *cut);

#endif
