// SPDX-License-Identifier: MIT
/*
 * What a batch of Arrow holds: names, types in Spark's words, and cells as values: numbers, flags, else texts; nested ones as
 * JSON. What stands in offsets is checked where it is used. Fuzzed as arrow.
 */
#include "arrow_own.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

enum { DAY_S = 86400 };

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
