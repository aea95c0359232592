// SPDX-License-Identifier: MIT
/*
 * Partition values as people read them: by the transform that made them, then by their type. The
 * words are those of Iceberg's own Java library ("ts_day=2026-11-01").
 * Source: the Iceberg table spec, "Partition Transforms"; Transforms.toHumanString of 1.11.0.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "avro.h"
#include "iceberg_own.h"

enum { FIELDS_MOST = 64, WORDS_MOST = 1024, VALUE_MOST = 256, HEX_MOST = 32, DECIMAL_MOST = 17 };
enum transform { IDENTITY, YEAR, MONTH, DAY, HOUR, VOID };

struct iceberg_partitions {
	const struct avro *avro;
	struct json *spec;
	struct { int id; enum transform transform; const char *name; } fields[FIELDS_MOST]; /* names lie in the spec */
	size_t n;
	uint64_t seed;
	struct buf raw;     /* of the partition rendered last */
	struct buf words;
	uint64_t key;
	bool known;
};

uint64_t iceberg_hash(uint64_t before, const void *bytes, size_t len)
{
	const char *at = bytes;
	uint64_t h = before ^ len * UINT64_C(0x9e3779b97f4a7c15), part;

	while (len) {
		size_t n = len < sizeof part ? len : sizeof part;

		part = 0;
		memcpy(&part, at, n);
		h = (h ^ part) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 32;
		at += n;
		len -= n;
	}
	h *= UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ h >> 29;
}

/* ---- the spec that the manifest carries ---- */

static enum transform transform_of(struct text word)
{
	static const struct {
		const char *word;
		enum transform is;
	} known[] = {{"year", YEAR}, {"month", MONTH}, {"day", DAY}, {"hour", HOUR}, {"void", VOID}};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (text_is(word, known[i].word))
			return known[i].is;
	return IDENTITY; /* a bucket's number and a truncated value are read as they are */
}

struct iceberg_partitions *iceberg_partitions_new(const struct avro *a, int spec)
{
	struct iceberg_partitions *p = mem_new(1, sizeof *p);
	const struct json *fields;

	p->avro = a;
	p->seed = iceberg_hash(0, &spec, sizeof spec);
	buf_init(&p->raw, WORDS_MOST);
	buf_init(&p->words, WORDS_MOST);
	p->spec = json_parse(avro_meta(a, "partition-spec"), NULL);
	fields = json_is_object(p->spec) ? json_get(p->spec, "fields") : p->spec;
	for (const struct json *field = json_first(fields); field && p->n < FIELDS_MOST; field = json_next(field)) {
		int64_t id = 1000 + (int64_t)p->n; /* format 1 may not say it: then they are counted */

		json_i64(json_get(field, "field-id"), &id);
		p->fields[p->n].id = (int)id;
		p->fields[p->n].name = json_string(json_get(field, "name"));
		p->fields[p->n++].transform = transform_of(text_of(json_string(json_get(field, "transform"))));
	}
	return p;
}

void iceberg_partitions_free(struct iceberg_partitions *p)
{
	json_free(p->spec);
	buf_free(&p->raw);
	buf_free(&p->words);
	free(p);
}

/* ---- values ---- */

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Days since 1970 to a date, by Howard Hinnant's algorithm; a number where there is no such year. */
static void put_date(struct buf *out, int64_t days)
{
	int64_t era, of_era, year, of_year, month;

	if (days < -100000000 || days > 100000000) {
		buf_printf(out, "%" PRId64, days);
		return;
	}
	days += 719468;
	era = floor_div(days, 146097);
	of_era = days - era * 146097;
	year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	of_year = of_era - (365 * year + year / 4 - year / 100);
	month = (5 * of_year + 2) / 153;
	buf_printf(out, "%04" PRId64 "-%02d-%02d", year + era * 400 + (month >= 10), (int)(month < 10 ? month + 3 : month - 9),
		(int)(of_year - (153 * month + 2) / 5 + 1));
}

/* parts: of a second, 1,000,000 or 1,000,000,000. */
static void put_clock(struct buf *out, int64_t in_day, int64_t parts)
{
	int64_t seconds = in_day / parts, rest = in_day % parts;

	buf_printf(out, "%02d:%02d:%02d", (int)(seconds / 3600), (int)(seconds / 60 % 60), (int)(seconds % 60));
	if (rest)
		buf_printf(out, ".%0*" PRId64, parts == 1000000 ? 6 : 9, rest);
}

static void put_timestamp(struct buf *out, int64_t i, enum avro_logical logical)
{
	int64_t parts = logical == AVRO_TIMESTAMP_NS || logical == AVRO_TIMESTAMP_NS_TZ ? 1000000000 : 1000000;
	int64_t days = floor_div(i, 86400 * parts);

	put_date(out, days);
	buf_puts(out, "T");
	put_clock(out, i - days * 86400 * parts, parts);
	if (logical == AVRO_TIMESTAMP_TZ || logical == AVRO_TIMESTAMP_NS_TZ)
		buf_puts(out, "+00:00");
}

static void put_hex(struct buf *out, struct text t, bool uuid)
{
	size_t n = t.len < HEX_MOST ? t.len : HEX_MOST;

	buf_puts(out, uuid ? "" : "0x");
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%02x", uuid && (i == 4 || i == 6 || i == 8 || i == 10) ? "-" : "", (unsigned)(unsigned char)t.at[i]);
	buf_puts(out, n < t.len ? "..." : "");
}

/* Two's complement, the highest byte first: divided by ten until nothing is left. */
static void put_decimal(struct buf *out, struct text t, int scale)
{
	unsigned char left[DECIMAL_MOST];
	char digits[48];
	int n = 0;
	bool negative = t.len && (unsigned char)t.at[0] >= 0x80, some = true;
	unsigned carry = negative;

	if (!t.len || t.len > DECIMAL_MOST || scale > 40) {
		put_hex(out, t, false);
		return;
	}
	for (size_t i = t.len; i--;) {
		unsigned byte = (unsigned char)t.at[i];

		byte = negative ? (byte ^ 0xff) + carry : byte;
		left[i] = (unsigned char)byte;
		carry = negative && byte > 0xff;
	}
	while ((some || n <= scale) && n < (int)sizeof digits) {
		unsigned rest = 0;

		some = false;
		for (size_t i = 0; i < t.len; i++) {
			unsigned byte = rest * 256 + left[i];

			left[i] = (unsigned char)(byte / 10);
			rest = byte % 10;
			some |= left[i] != 0;
		}
		digits[n++] = (char)('0' + rest);
	}
	buf_puts(out, negative ? "-" : "");
	while (n--)
		buf_printf(out, "%c%s", digits[n], n && n == scale ? "." : "");
}

static void put_clean(struct buf *out, struct text t)
{
	char clean[VALUE_MOST];

	buf_puts(out, text_clean(clean, sizeof clean, t));
}

static void put_number(struct buf *out, const struct avro_value *v)
{
	if (v->type == AVRO_BOOLEAN)
		buf_puts(out, v->i ? "true" : "false");
	else if (v->logical == AVRO_DATE)
		put_date(out, v->i);
	else if (v->logical == AVRO_TIME && v->i >= 0)
		put_clock(out, v->i, 1000000);
	else if (v->logical >= AVRO_TIMESTAMP && v->logical <= AVRO_TIMESTAMP_NS_TZ)
		put_timestamp(out, v->i, v->logical);
	else
		buf_printf(out, "%" PRId64, v->i);
}

static void put_bytes(struct buf *out, const struct avro_value *v)
{
	if (v->type == AVRO_STRING)
		put_clean(out, v->bytes);
	else if (v->logical == AVRO_DECIMAL)
		put_decimal(out, v->bytes, v->scale);
	else
		put_hex(out, v->bytes, v->logical == AVRO_UUID && v->bytes.len == 16);
}

/* The shortest digits that give it back, as a float where it is one. */
static void put_real(struct buf *out, const struct avro_value *v)
{
	struct json_writer w;
	double real = v->real;
	char digits[40];

	for (int n = 6; v->type == AVRO_FLOAT && n <= 9; n++) {
		snprintf(digits, sizeof digits, "%.*g", n, v->real);
		real = strtod(digits, NULL);
		if (!((float)real < (float)v->real) && !((float)real > (float)v->real))
			break;
	}
	json_begin(&w, out, false);
	if (isfinite(real))
		json_put_real(&w, NULL, real);
	else
		buf_puts(out, isnan(real) ? "NaN" : real < 0 ? "-Infinity" : "Infinity");
}

static void put_identity(struct buf *out, const struct avro_value *v)
{
	if (v->type == AVRO_BOOLEAN || v->type == AVRO_INT || v->type == AVRO_LONG || v->type == AVRO_ENUM)
		put_number(out, v);
	else if (v->type == AVRO_FLOAT || v->type == AVRO_DOUBLE)
		put_real(out, v);
	else
		put_bytes(out, v);
}

static void put_value(struct buf *out, enum transform transform, const struct avro_value *v)
{
	if (!v->set || transform == VOID) {
		buf_puts(out, "null");
	} else if (transform == IDENTITY || (v->type != AVRO_INT && v->type != AVRO_LONG) || v->i < INT32_MIN || v->i > INT32_MAX) {
		put_identity(out, v);
	} else if (transform == YEAR) {
		buf_printf(out, "%04" PRId64, 1970 + v->i);
	} else if (transform == MONTH) {
		buf_printf(out, "%04" PRId64 "-%02d", 1970 + floor_div(v->i, 12), (int)(v->i - floor_div(v->i, 12) * 12 + 1));
	} else if (transform == DAY) {
		put_date(out, v->i);
	} else {
		put_date(out, floor_div(v->i, 24));
		buf_printf(out, "-%02d", (int)(v->i - floor_div(v->i, 24) * 24));
	}
}

static bool put_field(void *ctx, int id, const char *name, const struct avro_value *v)
{
	struct iceberg_partitions *p = ctx;
	enum transform transform = IDENTITY;

	for (size_t i = 0; i < p->n; i++)
		if (p->fields[i].id == id) {
			transform = p->fields[i].transform;
			name = p->fields[i].name ? p->fields[i].name : name; /* Avro's has "_x2E" for a dot */
		}
	buf_puts(&p->words, p->words.len ? ", " : "");
	put_clean(&p->words, text_of(name));
	buf_puts(&p->words, "=");
	put_value(&p->words, transform, v);
	p->key = iceberg_hash(p->key, &v->set, sizeof v->set);
	p->key = iceberg_hash(p->key, &v->i, sizeof v->i);
	p->key = iceberg_hash(p->key, &v->real, sizeof v->real);
	p->key = iceberg_hash(p->key, v->bytes.at, v->bytes.len);
	return true;
}

bool iceberg_partition_text(struct iceberg_partitions *p, const struct avro_value *partition, struct text *out, uint64_t *key)
{
	struct text raw = partition->bytes;

	/* files of one partition come one after the other */
	if (!p->known || raw.len != p->raw.len || (raw.len && memcmp(raw.at, p->raw.at, raw.len) != 0)) {
		p->key = p->seed;
		buf_reset(&p->words);
		buf_reset(&p->raw);
		if (partition->set && !avro_fields(p->avro, partition, put_field, p))
			return false;
		p->known = buf_add(&p->raw, raw.at, raw.len);
	}
	*out = buf_text(&p->words);
	*key = p->key;
	return true;
}
