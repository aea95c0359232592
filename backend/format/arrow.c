// SPDX-License-Identifier: MIT
/*
 * See arrow.h. Lengths are uint64_t, and a range is tested as "off <= size && n <= size - off", which
 * cannot overflow. Fuzzed as arrow.
 */
#include "arrow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

enum kind {
	KIND_NULL, KIND_INT, KIND_UINT, KIND_FLOAT, KIND_DOUBLE, KIND_BOOL, KIND_UTF8, KIND_BINARY, KIND_DECIMAL, KIND_DATE, KIND_TIME,
	KIND_TIMESTAMP, KIND_DURATION, KIND_MONTHS, KIND_CALENDAR, KIND_FIXED, KIND_REFUSED, KIND_LIST, KIND_STRUCT, KIND_MAP,
};
enum { NAME_MOST = 256, MARKER = 4, DAY_S = 86400 };

struct field {
	char name[NAME_MOST];
	enum kind kind;
	uint32_t width;          /* bytes per value, of kinds that have one width */
	bool large;              /* 64-bit offsets */
	bool utc;                /* a timestamp that is an instant */
	int scale, precision;
	int unit;                /* 0 s, 1 ms, 2 us, 3 ns */
	size_t children, next;   /* next: the field after this one's subtree */
	const char *refused;
	/* of the current batch */
	uint64_t length;
	bool nulls;
	const uint8_t *valid, *offsets, *values;
	uint64_t n_offsets, n_values;
};

struct arrow {
	struct text rest;
	struct field *fields;    /* in pre-order */
	size_t n_fields, room;
	size_t columns[ARROW_FIELDS_MAX], n_columns;
	int64_t rows;
};

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t get32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t get64(const uint8_t *p)
{
	return get32(p) | (uint64_t)get32(p + 4) << 32;
}

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

/* ---- what it says of itself ---- */

size_t arrow_columns(const struct arrow *a)
{
	return a->n_columns;
}

int64_t arrow_rows(const struct arrow *a)
{
	return a->rows;
}

static const struct field *field_of(const struct arrow *a, size_t column)
{
	return &a->fields[a->columns[column]];
}

const char *arrow_name(const struct arrow *a, size_t column)
{
	return field_of(a, column)->name;
}

const char *arrow_refused(const struct arrow *a, size_t column)
{
	return field_of(a, column)->refused;
}

enum value_type arrow_value_type(const struct arrow *a, size_t column)
{
	switch (field_of(a, column)->kind) {
	case KIND_INT:
	case KIND_UINT:
		return VALUE_INT;
	case KIND_FLOAT:
	case KIND_DOUBLE:
		return VALUE_REAL;
	case KIND_BOOL:
		return VALUE_BOOL;
	case KIND_NULL: case KIND_UTF8: case KIND_BINARY: case KIND_DECIMAL: case KIND_DATE: case KIND_TIME: case KIND_TIMESTAMP:
	case KIND_DURATION: case KIND_MONTHS: case KIND_CALENDAR: case KIND_FIXED: case KIND_REFUSED: case KIND_LIST: case KIND_STRUCT:
	case KIND_MAP:
		break;
	}
	return VALUE_TEXT;
}

static void put_type(const struct arrow *a, size_t index, struct buf *out)
{
	static const char *const words[] = {
		[KIND_NULL] = "void", [KIND_FLOAT] = "float", [KIND_DOUBLE] = "double", [KIND_BOOL] = "boolean", [KIND_UTF8] = "string",
		[KIND_BINARY] = "binary", [KIND_DATE] = "date", [KIND_TIME] = "time", [KIND_DURATION] = "interval day to second",
		[KIND_MONTHS] = "interval year to month", [KIND_CALENDAR] = "interval", [KIND_FIXED] = "binary", [KIND_REFUSED] = "unknown",
		[KIND_LIST] = "array<", [KIND_STRUCT] = "struct<", [KIND_MAP] = "map<",
	};
	static const char *const integers[] = {[1] = "tinyint", [2] = "smallint", [4] = "int", [8] = "bigint"};
	const struct field *f = &a->fields[index];
	size_t first = f->kind == KIND_MAP ? index + 2 : index + 1;

	if (f->kind == KIND_INT || f->kind == KIND_UINT)
		buf_printf(out, "%s%s", f->kind == KIND_UINT ? "unsigned " : "", integers[f->width]);
	else if (f->kind == KIND_DECIMAL)
		buf_printf(out, "decimal(%d,%d)", f->precision, f->scale);
	else if (f->kind == KIND_TIMESTAMP)
		buf_puts(out, f->utc ? "timestamp" : "timestamp_ntz");
	else
		buf_puts(out, words[f->kind]);
	for (size_t c = first; f->kind >= KIND_LIST && c < f->next && !out->full; c = a->fields[c].next) {
		if (c > first)
			buf_puts(out, ",");
		if (f->kind == KIND_STRUCT)
			buf_printf(out, "%s:", a->fields[c].name);
		put_type(a, c, out);
	}
	if (f->kind >= KIND_LIST)
		buf_puts(out, ">");
}

char *arrow_type(const struct arrow *a, size_t column, char out[ARROW_TYPE_SIZE])
{
	struct buf text;

	buf_init(&text, ARROW_TYPE_SIZE - 1);
	put_type(a, a->columns[column], &text);
	text_copy(out, ARROW_TYPE_SIZE, buf_text(&text));
	buf_free(&text);
	return out;
}

/* ---- cells ---- */

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static const int64_t per_second[] = {1, 1000, 1000000, 1000000000};

/* Days since 1970 to a date of the proleptic Gregorian calendar. */
static void put_date(struct buf *out, int64_t days)
{
	int64_t z = days + 719468, era = floor_div(z, 146097), of_era = z - era * 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
	int64_t day = of_year - (153 * month + 2) / 5 + 1;

	month = month < 10 ? month + 3 : month - 9;
	year += era * 400 + (month <= 2);
	buf_printf(out, "%04" PRId64 "-%02" PRId64 "-%02" PRId64, year, month, day);
}

/* Without zeros at the end of the fraction. */
static void put_clock(struct buf *out, int64_t seconds, int64_t fraction, int unit)
{
	char digits[24];
	size_t len;

	buf_printf(out, "%02" PRId64 ":%02" PRId64 ":%02" PRId64, seconds / 3600, seconds / 60 % 60, seconds % 60);
	if (!fraction)
		return;
	len = (size_t)snprintf(digits, sizeof digits, ".%0*" PRId64, unit * 3, fraction);
	while (digits[len - 1] == '0')
		len--;
	buf_add(out, digits, len);
}

static void put_timestamp(struct buf *out, const struct field *f, int64_t at)
{
	int64_t seconds = floor_div(at, per_second[f->unit]), day = floor_div(seconds, DAY_S);

	put_date(out, day);
	buf_puts(out, " ");
	put_clock(out, seconds - day * DAY_S, at - seconds * per_second[f->unit], f->unit);
	if (f->utc)
		buf_puts(out, "Z");
}

static void put_duration(struct buf *out, const struct field *f, int64_t span)
{
	uint64_t all = span < 0 ? -(uint64_t)span : (uint64_t)span, unit = (uint64_t)per_second[f->unit], seconds = all / unit;

	buf_printf(out, "%s%" PRIu64 " ", span < 0 ? "-" : "", seconds / DAY_S);
	put_clock(out, (int64_t)(seconds % DAY_S), (int64_t)(all % unit), f->unit);
}

/* 128 bits, two's complement. */
static void put_decimal(struct buf *out, const uint8_t *p, int scale)
{
	uint64_t low = get64(p), high = get64(p + 8);
	bool negative = high >> 63;
	uint32_t words[4];
	char digits[48];
	int n = 0;

	if (negative) {
		low = ~low + 1;
		high = ~high + (low == 0);
	}
	words[0] = (uint32_t)(high >> 32);
	words[1] = (uint32_t)high;
	words[2] = (uint32_t)(low >> 32);
	words[3] = (uint32_t)low;
	while (words[0] | words[1] | words[2] | words[3] || n <= scale) {
		uint64_t rest = 0;

		for (int i = 0; i < 4; i++) {
			rest = rest << 32 | words[i];
			words[i] = (uint32_t)(rest / 10);
			rest %= 10;
		}
		digits[n++] = (char)('0' + rest);
	}
	if (negative)
		buf_puts(out, "-");
	for (; n > 0; n--) {
		if (n == scale)
			buf_puts(out, ".");
		buf_add(out, &digits[n - 1], 1);
	}
}

static void put_hex(struct buf *out, const uint8_t *p, uint64_t len)
{
	buf_puts(out, "0x");
	for (uint64_t i = 0; i < len && !out->full; i++)
		buf_printf(out, "%02X", p[i]);
}

/* What fits; a NUL, which no text of ours can hold, is left out. */
static void put_utf8(struct buf *out, const char *p, uint64_t len)
{
	while (len && !out->full) {
		size_t run = strnlen(p, len), room = out->max - out->len;

		buf_add(out, p, run < room ? run : room);
		out->full = run > room;
		p += run;
		len -= run;
		for (; len && !*p; p++)
			len--;
	}
}

static bool bit(const uint8_t *bits, uint64_t i)
{
	return bits[i >> 3] >> (i & 7) & 1;
}

static bool is_null(const struct field *f, uint64_t i)
{
	return f->kind == KIND_NULL || (f->nulls && !bit(f->valid, i));
}

/* Offsets are data: they are checked where they are used. */
static bool span_of(const struct field *f, uint64_t i, uint64_t limit, uint64_t *from, uint64_t *to)
{
	*from = f->large ? get64(f->offsets + 8 * i) : get32(f->offsets + 4 * i);
	*to = f->large ? get64(f->offsets + 8 * i + 8) : get32(f->offsets + 4 * i + 4);
	return *from <= *to && *to <= limit;
}

static int64_t integer_at(const struct field *f, const uint8_t *p)
{
	switch (f->width) {
	case 1:
		return f->kind == KIND_INT ? (int8_t)*p : *p;
	case 2:
		return f->kind == KIND_INT ? (int16_t)get16(p) : get16(p);
	case 4:
		return f->kind == KIND_INT ? (int32_t)get32(p) : (int64_t)get32(p);
	default:
		return (int64_t)get64(p);
	}
}

/* As a double that prints as the float does: 0.1, not 0.10000000149. */
static double float_at(const uint8_t *p)
{
	uint32_t bits = get32(p);
	char digits[32];
	float f;

	memcpy(&f, &bits, sizeof f);
	if (!isfinite(f))
		return (double)f;
	for (int n = 6; n <= 9; n++) {
		float back;

		snprintf(digits, sizeof digits, "%.*g", n, (double)f);
		back = strtof(digits, NULL);
		if (!(back < f) && !(back > f))
			break;
	}
	return strtod(digits, NULL);
}

static struct value real_value(double r)
{
	return isfinite(r) ? value_real(r) : value_text(isnan(r) ? "NaN" : r < 0 ? "-Infinity" : "Infinity");
}

/* Of the kinds that have a number or a flag. False: another kind. */
static bool plain_value(const struct field *f, uint64_t i, const uint8_t *p, struct value *v)
{
	uint64_t bits;
	double d;

	if (f->kind == KIND_BOOL) {
		*v = value_bool(bit(f->values, i));
	} else if (f->kind == KIND_FLOAT) {
		*v = real_value(float_at(p));
	} else if (f->kind == KIND_DOUBLE) {
		bits = get64(p);
		memcpy(&d, &bits, sizeof d);
		*v = real_value(d);
	} else if (f->kind == KIND_INT || (f->kind == KIND_UINT && (f->width < 8 || get64(p) <= INT64_MAX))) {
		*v = value_int(integer_at(f, p));
	} else {
		return false;
	}
	return true;
}

/* Of the kinds that are written as one text. False: an offset that leads out of the data. */
static bool put_text_of(const struct field *f, uint64_t i, const uint8_t *p, struct buf *out)
{
	uint64_t from, to;
	int64_t n;

	switch (f->kind) {
	case KIND_UINT:
		buf_printf(out, "%" PRIu64, get64(p));
		return true;
	case KIND_UTF8:
	case KIND_BINARY:
		if (!span_of(f, i, f->n_values, &from, &to))
			return false;
		if (f->kind == KIND_BINARY)
			put_hex(out, f->values + from, to - from);
		else
			put_utf8(out, (const char *)f->values + from, to - from);
		return true;
	case KIND_FIXED:
		put_hex(out, p, f->width);
		return true;
	case KIND_DECIMAL:
		put_decimal(out, p, f->scale);
		return true;
	case KIND_DATE:
		put_date(out, f->width == 8 ? floor_div((int64_t)get64(p), 1000 * (int64_t)DAY_S) : (int32_t)get32(p));
		return true;
	case KIND_TIME:
		n = f->width == 8 ? (int64_t)get64(p) : (int32_t)get32(p);
		put_clock(out, floor_div(n, per_second[f->unit]) % DAY_S, n - floor_div(n, per_second[f->unit]) * per_second[f->unit], f->unit);
		return true;
	case KIND_TIMESTAMP:
		put_timestamp(out, f, (int64_t)get64(p));
		return true;
	case KIND_DURATION:
		put_duration(out, f, (int64_t)get64(p));
		return true;
	case KIND_MONTHS:
		n = (int32_t)get32(p);
		buf_printf(out, "%s%" PRId64 "-%" PRId64, n < 0 ? "-" : "", (n < 0 ? -n : n) / 12, (n < 0 ? -n : n) % 12);
		return true;
	case KIND_CALENDAR:
		buf_printf(out, "%" PRId32 " months %" PRId32 " days %" PRId64 " ns", (int32_t)get32(p), (int32_t)get32(p + 4), (int64_t)get64(p + 8));
		return true;
	case KIND_NULL: case KIND_INT: case KIND_FLOAT: case KIND_DOUBLE: case KIND_BOOL: case KIND_REFUSED: case KIND_LIST: case KIND_STRUCT:
	case KIND_MAP:
		break;
	}
	return true;
}

static const uint8_t *value_at(const struct field *f, uint64_t i)
{
	return f->values ? f->values + i * f->width : NULL;
}

static bool put_json(const struct arrow *a, size_t index, uint64_t i, const char *key, struct json_writer *w);

/* The text of a cell that is not nested, as a member or a key of JSON. */
static bool scalar_text(const struct field *f, uint64_t i, size_t most, struct buf *text)
{
	buf_init(text, most);
	return put_text_of(f, i, value_at(f, i), text);
}

/* Keys of JSON are texts, whatever they are here. */
static bool key_text(const struct arrow *a, size_t index, uint64_t i, size_t most, struct buf *text)
{
	const struct field *f = &a->fields[index];
	struct value v;
	struct json_writer w;

	if (f->kind < KIND_LIST && !is_null(f, i) && !plain_value(f, i, value_at(f, i), &v))
		return scalar_text(f, i, most, text);
	buf_init(text, most);
	json_begin(&w, text, false);
	return put_json(a, index, i, NULL, &w);
}

static bool put_members(const struct arrow *a, size_t index, uint64_t i, struct json_writer *w)
{
	const struct field *f = &a->fields[index];
	uint64_t from, to;

	if (f->kind == KIND_STRUCT) {
		for (size_t c = index + 1; c < f->next && !w->out->full; c = a->fields[c].next)
			if (!put_json(a, c, i, a->fields[c].name, w))
				return false;
		return true;
	}
	if (!span_of(f, i, a->fields[index + 1].length, &from, &to))
		return false;
	for (uint64_t k = from; k < to && !w->out->full; k++) {
		struct buf key;
		bool good = true;

		if (f->kind == KIND_LIST) {
			good = put_json(a, index + 1, k, NULL, w);
		} else {
			good = key_text(a, index + 2, k, w->out->max, &key) &&
			       put_json(a, a->fields[index + 2].next, k, key.at ? key.at : "", w);
			buf_free(&key);
		}
		if (!good)
			return false;
	}
	return true;
}

static bool put_json(const struct arrow *a, size_t index, uint64_t i, const char *key, struct json_writer *w)
{
	const struct field *f = &a->fields[index];
	struct buf text;
	struct value v;
	bool good;

	if (is_null(f, i)) {
		json_put_null(w, key);
	} else if (f->kind >= KIND_LIST) {
		json_open(w, key, f->kind == KIND_LIST ? '[' : '{');
		good = put_members(a, index, i, w);
		json_close(w, f->kind == KIND_LIST ? ']' : '}');
		return good;
	} else if (plain_value(f, i, value_at(f, i), &v)) {
		json_put_value(w, key, v, UNIT_NONE);
	} else {
		good = scalar_text(f, i, w->out->max, &text);
		json_put_text(w, key, text.at ? text.at : "");
		w->out->full = w->out->full || text.full;
		buf_free(&text);
		return good;
	}
	return true;
}

bool arrow_cell(const struct arrow *a, size_t column, int64_t row, struct buf *out, struct value *v, bool *cut)
{
	const struct field *f = field_of(a, column);
	struct json_writer w;
	uint64_t i = (uint64_t)row;
	bool good;

	*v = value_unknown();
	*cut = false;
	buf_reset(out);
	if (row < 0 || row >= a->rows)
		return false;
	if (is_null(f, i) || (f->kind < KIND_LIST && plain_value(f, i, value_at(f, i), v)))
		return true;
	if (f->kind >= KIND_LIST) {
		json_begin(&w, out, false);
		good = put_json(a, a->columns[column], i, NULL, &w);
	} else {
		good = put_text_of(f, i, value_at(f, i), out);
	}
	*cut = out->full;
	*v = value_text(out->at && out->len ? out->at : "");
	return good;
}
