// SPDX-License-Identifier: MIT
/*
 * See arrow.h. Lengths are uint64_t, and a range is tested as "off <= size && n <= size - off", which
 * cannot overflow. Fuzzed as arrow.
 */
#include "arrow_own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARKER = 4 };

static bool damaged(struct err *err, const char *what)
{
	return err_set(err, ERR_PARSE, "Arrow: %s", what);
}

/*
 * ---- FlatBuffers: a table begins with the signed distance back to its vtable, which holds its own size, the
 * table's size, and an offset per slot (0: absent, its default holds). Strings, vectors and tables are
 * reached by an unsigned distance forward from the place that holds it.
 */

struct flat { /* a message's metadata */
	const uint8_t *at;
	uint32_t len;
};
struct flat_table { /* at 0: none */
	uint32_t at, vtable;
	uint16_t size;
};

static bool inside(const struct flat *f, uint64_t off, uint64_t n)
{
	return off <= f->len && n <= f->len - off;
}

static struct flat_table table_at(const struct flat *f, uint64_t at)
{
	struct flat_table none = {0};
	int64_t vtable;
	uint16_t size;

	if (!at || !inside(f, at, 4))
		return none;
	vtable = (int64_t)at - (int32_t)get32(f->at + at);
	if (vtable < 0 || !inside(f, (uint64_t)vtable, 4))
		return none;
	size = get16(f->at + vtable);
	if (size < 4 || !inside(f, (uint64_t)vtable, size))
		return none;
	return (struct flat_table){(uint32_t)at, (uint32_t)vtable, size};
}

/* Where the slot's value of so many bytes lies; 0: absent. */
static uint32_t slot(const struct flat *f, struct flat_table t, uint32_t id, uint32_t bytes)
{
	uint32_t entry = 4 + 2 * id;
	uint16_t off;

	if (!t.at || entry + 2 > t.size)
		return 0;
	off = get16(f->at + t.vtable + entry);
	return off && inside(f, (uint64_t)t.at + off, bytes) ? t.at + off : 0;
}

static int64_t number(const struct flat *f, struct flat_table t, uint32_t id, uint32_t bytes, int64_t absent)
{
	uint32_t at = slot(f, t, id, bytes);
	const uint8_t *p = f->at + at;

	if (!at)
		return absent;
	return bytes == 1 ? *p : bytes == 2 ? (int16_t)get16(p) : bytes == 4 ? (int32_t)get32(p) : (int64_t)get64(p);
}

static uint64_t follow(const struct flat *f, uint32_t at)
{
	return at ? (uint64_t)at + get32(f->at + at) : 0;
}

static struct flat_table child(const struct flat *f, struct flat_table t, uint32_t id)
{
	return table_at(f, follow(f, slot(f, t, id, 4)));
}

/* Where its first element lies; 0: absent, or not all of it is there. */
static uint32_t vector(const struct flat *f, struct flat_table t, uint32_t id, uint32_t bytes, uint32_t *count)
{
	uint64_t at = follow(f, slot(f, t, id, 4));
	uint32_t n;

	*count = 0;
	if (!at || !inside(f, at, 4))
		return 0;
	n = get32(f->at + at);
	if (!inside(f, at + 4, (uint64_t)n * bytes))
		return 0;
	*count = n;
	return (uint32_t)at + 4;
}

/* ---- the schema ---- */

static void integer_type(struct field *f, const struct flat *m, struct flat_table type)
{
	int64_t bits = number(m, type, 0, 4, 0);

	f->kind = number(m, type, 1, 1, 0) ? KIND_INT : KIND_UINT;
	f->width = (uint32_t)(bits / 8);
	if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
		f->refused = "is an integer of an odd size";
}

static void float_type(struct field *f, const struct flat *m, struct flat_table type)
{
	int64_t precision = number(m, type, 0, 2, 0);

	f->kind = precision == 1 ? KIND_FLOAT : KIND_DOUBLE;
	f->width = precision == 1 ? 4 : 8;
	if (precision != 1 && precision != 2)
		f->refused = "is of half floats";
}

static void decimal_type(struct field *f, const struct flat *m, struct flat_table type)
{
	int64_t precision = number(m, type, 0, 4, 0), scale = number(m, type, 1, 4, 0);

	f->kind = KIND_DECIMAL;
	f->width = 16;
	if (number(m, type, 2, 4, 128) != 128 || scale < 0 || scale > 38 || precision < 1 || precision > 38) {
		f->refused = "is a decimal beyond 38 digits";
		return;
	}
	f->precision = (int)precision;
	f->scale = (int)scale;
}

/* Date, time, timestamp, interval, duration: ids 8 to 11, and 18. */
static void time_type(struct field *f, int64_t id, const struct flat *m, struct flat_table type)
{
	int64_t unit = number(m, type, 0, 2, id == 8 || id == 9 || id == 18 ? 1 : 0);
	uint32_t zone;

	f->width = 8;
	if (unit < 0 || unit > 3) {
		f->refused = "is in a unit that is not known";
		return;
	}
	f->unit = (int)unit;
	if (id == 8) {
		f->kind = KIND_DATE;
		f->width = unit ? 8 : 4; /* milliseconds, or days */
	} else if (id == 9) {
		f->kind = KIND_TIME;
		f->width = number(m, type, 1, 4, 32) == 64 ? 8 : 4;
	} else if (id == 10) {
		f->kind = KIND_TIMESTAMP;
		f->utc = vector(m, type, 1, 1, &zone) && zone;
	} else if (id == 18) {
		f->kind = KIND_DURATION;
	} else {
		f->kind = unit ? KIND_CALENDAR : KIND_MONTHS;
		f->width = unit ? 16 : 4;
		if (unit == 1)
			f->refused = "is an interval of days and milliseconds";
	}
}

static void fixed_type(struct field *f, const struct flat *m, struct flat_table type)
{
	int64_t width = number(m, type, 0, 4, 0);

	f->kind = KIND_FIXED;
	if (width < 1 || width > 4096)
		f->refused = "is of pieces of an odd size";
	else
		f->width = (uint32_t)width;
}

/* The numbers are those of the union Type in Schema.fbs. */
static void set_type(struct field *f, int64_t id, const struct flat *m, struct flat_table type)
{
	f->large = id == 19 || id == 20 || id == 21;
	switch (id) {
	case 1:
		f->kind = KIND_NULL;
		break;
	case 2:
		integer_type(f, m, type);
		break;
	case 3:
		float_type(f, m, type);
		break;
	case 4:
	case 19:
		f->kind = KIND_BINARY;
		break;
	case 5:
	case 20:
		f->kind = KIND_UTF8;
		break;
	case 6:
		f->kind = KIND_BOOL;
		break;
	case 7:
		decimal_type(f, m, type);
		break;
	case 8:
	case 9:
	case 10:
	case 11:
	case 18:
		time_type(f, id, m, type);
		break;
	case 12:
	case 21:
		f->kind = KIND_LIST;
		break;
	case 13:
		f->kind = KIND_STRUCT;
		break;
	case 15:
		fixed_type(f, m, type);
		break;
	case 17:
		f->kind = KIND_MAP;
		break;
	default:
		f->refused = "is of an Arrow type that is not read";
	}
}

static void set_name(struct field *f, const struct flat *m, struct flat_table t)
{
	uint32_t len, at = vector(m, t, 0, 1, &len);

	if (at)
		text_copy(f->name, sizeof f->name, (struct text){(const char *)m->at + at, len});
}

static struct field *new_field(struct arrow *a)
{
	if (a->n_fields == a->room) {
		a->room = a->room ? a->room * 2 : 32;
		a->fields = mem_grow(a->fields, a->room, sizeof *a->fields);
	}
	memset(&a->fields[a->n_fields], 0, sizeof *a->fields);
	return &a->fields[a->n_fields++];
}

static bool fits_children(const struct field *f, size_t n)
{
	if (f->kind == KIND_LIST || f->kind == KIND_MAP)
		return n == 1;
	return f->kind > KIND_REFUSED || f->refused || n == 0;
}

static bool add_field(struct arrow *a, const struct flat *m, struct flat_table t, int depth, struct err *err)
{
	size_t self = a->n_fields;
	struct field *f;
	uint32_t children, at;

	if (!t.at)
		return damaged(err, "a field without its table");
	if (depth > ARROW_DEPTH_MAX || self == ARROW_FIELDS_MAX)
		return err_set(err, ERR_LIMIT, "Arrow: %s", depth > ARROW_DEPTH_MAX ? "types nested too deep" : "too many fields");
	f = new_field(a);
	set_name(f, m, t);
	set_type(f, number(m, t, 2, 1, 0), m, child(m, t, 3));
	if (slot(m, t, 4, 4))
		f->refused = "is dictionary-encoded";
	if (f->refused)
		f->kind = KIND_REFUSED;
	at = vector(m, t, 5, 4, &children);
	if (!fits_children(f, children))
		return damaged(err, "a type with the wrong number of parts");
	f->children = children;
	for (uint32_t i = 0; i < children; i++)
		if (!add_field(a, m, table_at(m, follow(m, at + 4 * i)), depth + 1, err))
			return false;
	f = &a->fields[self]; /* they may have moved */
	f->next = a->n_fields;
	for (size_t c = self + 1; c < f->next && !f->refused; c++)
		f->refused = a->fields[c].refused;
	if (f->kind == KIND_MAP && !f->refused && (f[1].kind != KIND_STRUCT || f[1].children != 2))
		return damaged(err, "a map without key and value");
	return true;
}

/* ---- messages: a marker, the size of the metadata (0 ends the stream), metadata, body ---- */

struct message {
	struct flat flat;
	struct flat_table head;
	int64_t kind; /* 1 schema, 2 dictionary, 3 record batch */
	const uint8_t *body;
	uint64_t body_len;
};
enum { MESSAGE_SCHEMA = 1, MESSAGE_DICTIONARY = 2, MESSAGE_BATCH = 3 };

static const uint8_t *take(struct arrow *a, uint64_t len)
{
	const uint8_t *at = (const uint8_t *)a->rest.at;

	if (len > a->rest.len)
		return NULL;
	a->rest.at += len;
	a->rest.len -= len;
	return at;
}

/* False: the stream ends, or err says why not. */
static bool next_message(struct arrow *a, struct message *m, struct err *err)
{
	const uint8_t *at = take(a, MARKER);
	struct flat_table t;
	int64_t body;

	if (!at)
		return a->rest.len ? damaged(err, "cut in the length of a message") : false;
	if (get32(at) == UINT32_MAX && !(at = take(a, MARKER)))
		return damaged(err, "cut in the length of a message");
	m->flat.len = get32(at);
	if (!m->flat.len)
		return false;
	m->flat.at = take(a, m->flat.len);
	if (m->flat.len < 8 || !m->flat.at)
		return damaged(err, "cut in the metadata of a message");
	t = table_at(&m->flat, get32(m->flat.at));
	m->kind = number(&m->flat, t, 1, 1, 0);
	m->head = child(&m->flat, t, 2);
	body = number(&m->flat, t, 3, 8, 0);
	if (!t.at || !m->head.at)
		return damaged(err, "a message without its table");
	m->body_len = body < 0 ? UINT64_MAX : (uint64_t)body;
	m->body = take(a, m->body_len);
	return m->body || damaged(err, "cut in the body of a message");
}

static bool read_schema(struct arrow *a, struct err *err)
{
	struct message m;
	uint32_t n, at;

	if (!next_message(a, &m, err))
		return err->code != ERR_NONE ? false : damaged(err, "an empty stream");
	if (m.kind != MESSAGE_SCHEMA)
		return damaged(err, "a stream that does not begin with its schema");
	if (number(&m.flat, m.head, 0, 2, 0) != 0)
		return err_set(err, ERR_LIMIT, "Arrow: big-endian data is not read");
	at = vector(&m.flat, m.head, 1, 4, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (a->n_columns == ARROW_FIELDS_MAX)
			return err_set(err, ERR_LIMIT, "Arrow: too many fields");
		a->columns[a->n_columns++] = a->n_fields;
		if (!add_field(a, &m.flat, table_at(&m.flat, follow(&m.flat, at + 4 * i)), 0, err))
			return false;
	}
	return true;
}

struct arrow *arrow_open(struct text bytes, struct err *err)
{
	struct arrow *a = mem_new(1, sizeof *a);

	*err = (struct err){0};
	a->rest = bytes;
	if (read_schema(a, err))
		return a;
	arrow_close(a);
	return NULL;
}

void arrow_close(struct arrow *a)
{
	if (a)
		free(a->fields);
	free(a);
}

/* ---- a record batch: per field, in pre-order, its length and nulls, and a fixed number of buffers ---- */

struct walk {
	const struct message *m;
	uint32_t nodes, n_nodes, buffers, n_buffers, node, buffer;
};

static bool take_buffer(struct walk *w, const uint8_t **at, uint64_t *len, struct err *err)
{
	const uint8_t *entry = w->m->flat.at + w->buffers + 16 * (size_t)w->buffer;
	uint64_t off;

	if (w->buffer++ >= w->n_buffers)
		return damaged(err, "too few buffers");
	off = get64(entry);
	*len = get64(entry + 8);
	if (off > w->m->body_len || *len > w->m->body_len - off)
		return damaged(err, "a buffer outside of its body");
	*at = w->m->body + off;
	return true;
}

static bool has_offsets(const struct field *f)
{
	return f->kind == KIND_UTF8 || f->kind == KIND_BINARY || f->kind == KIND_LIST || f->kind == KIND_MAP;
}

static bool load_buffers(struct field *f, struct walk *w, struct err *err)
{
	uint64_t bits = (f->length + 7) / 8, len;

	if (!take_buffer(w, &f->valid, &len, err))
		return false;
	if (f->nulls && len < bits)
		return damaged(err, "a validity buffer that is too short");
	if (has_offsets(f)) {
		if (!take_buffer(w, &f->offsets, &f->n_offsets, err))
			return false;
		if (f->length && f->n_offsets < (f->length + 1) * (f->large ? 8u : 4u))
			return damaged(err, "an offsets buffer that is too short");
	}
	if (f->kind >= KIND_LIST)
		return true;
	if (!take_buffer(w, &f->values, &f->n_values, err))
		return false;
	return f->n_values >= (f->kind == KIND_BOOL ? bits : f->length * f->width) || damaged(err, "a data buffer that is too short");
}

static bool load(struct arrow *a, struct walk *w, size_t index, struct err *err)
{
	struct field *f = &a->fields[index];
	const uint8_t *node = w->m->flat.at + w->nodes + 16 * (size_t)w->node;

	if (w->node++ >= w->n_nodes)
		return damaged(err, "too few field nodes");
	f->length = get64(node);
	f->nulls = get64(node + 8) != 0;
	f->values = NULL;
	f->n_values = 0;
	if (f->length > INT32_MAX)
		return damaged(err, "a column of too many values");
	if (f->kind != KIND_NULL && !load_buffers(f, w, err)) /* that one has no buffers at all */
		return false;
	for (size_t c = index + 1; c < f->next; c = a->fields[c].next) {
		if (!load(a, w, c, err))
			return false;
		if (f->kind == KIND_STRUCT && a->fields[c].length < f->length)
			return damaged(err, "a member that is shorter than its struct");
	}
	return true;
}

bool arrow_next(struct arrow *a, struct err *err)
{
	struct message m;
	struct walk w = {.m = &m};
	int64_t rows;

	*err = (struct err){0};
	a->rows = 0;
	for (size_t i = 0; i < a->n_columns; i++)
		if (arrow_refused(a, i))
			return err_set(err, ERR_LIMIT, "column %s %s", arrow_name(a, i), arrow_refused(a, i));
	if (!next_message(a, &m, err))
		return false;
	if (m.kind != MESSAGE_BATCH)
		return m.kind == MESSAGE_DICTIONARY ? err_set(err, ERR_LIMIT, "Arrow: dictionaries are not read")
						    : damaged(err, "a message that is no record batch");
	if (slot(&m.flat, m.head, 3, 4))
		return err_set(err, ERR_LIMIT, "its batches are compressed (spark.sql.execution.arrow.compression.codec)");
	w.nodes = vector(&m.flat, m.head, 1, 16, &w.n_nodes);
	w.buffers = vector(&m.flat, m.head, 2, 16, &w.n_buffers);
	rows = number(&m.flat, m.head, 0, 8, 0);
	if (rows < 0 || rows > INT32_MAX)
		return damaged(err, "a batch of too many rows");
	for (size_t i = 0; i < a->n_columns; i++) {
		if (!load(a, &w, a->columns[i], err))
			return false;
		if (a->fields[a->columns[i]].length < (uint64_t)rows)
			return damaged(err, "a column that is shorter than its batch");
	}
	a->rows = rows;
	return true;
}
