// SPDX-License-Identifier: MIT
/*
 * Manifest lists and manifests, by field-id: writers before Iceberg 1.5 had other names for the
 * counts of files. What an entry does not say it inherits from the manifest that names it.
 * Source: the Iceberg table spec, "Manifests", "Manifest Lists", "Sequence Number Inheritance".
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "avro.h"
#include "iceberg_own.h"

static int64_t number(const struct avro_value *v, int64_t otherwise)
{
	return v->set && (v->type == AVRO_INT || v->type == AVRO_LONG) ? v->i : otherwise;
}

static int small_number(const struct avro_value *v, int otherwise)
{
	int64_t n = number(v, otherwise);

	return n >= 0 && n <= INT_MAX ? (int)n : otherwise;
}

static struct text text_of_value(const struct avro_value *v)
{
	return v->set && (v->type == AVRO_STRING || v->type == AVRO_BYTES) ? v->bytes : TEXT("");
}

/* ---- manifest lists ---- */

enum list_field {
	PATH, LENGTH, SPEC, CONTENT, SEQUENCE, MIN_SEQUENCE, SNAPSHOT, ADDED, EXISTING, DELETED, ADDED_ROWS, EXISTING_ROWS, DELETED_ROWS, KEY, LIST_FIELDS
};
static const int list_ids[LIST_FIELDS] = {[PATH] = 500, [LENGTH] = 501, [SPEC] = 502, [CONTENT] = 517, [SEQUENCE] = 515, [MIN_SEQUENCE] = 516,
	[SNAPSHOT] = 503, [ADDED] = 504, [EXISTING] = 505, [DELETED] = 506, [ADDED_ROWS] = 512, [EXISTING_ROWS] = 513, [DELETED_ROWS] = 514,
	[KEY] = 519};

struct list {
	bool (*each)(void *ctx, const struct iceberg_manifest *m);
	void *ctx;
	struct err why;
};

static bool take_manifest(void *ctx, const struct avro_value *v)
{
	struct list *l = ctx;
	struct iceberg_manifest m = {
		.path = text_of_value(&v[PATH]), .bytes = number(&v[LENGTH], -1), .spec = small_number(&v[SPEC], 0), .deletes = number(&v[CONTENT], 0) == 1,
		.sequence = number(&v[SEQUENCE], 0), .min_sequence = number(&v[MIN_SEQUENCE], 0), .snapshot = number(&v[SNAPSHOT], -1),
		.added_files = number(&v[ADDED], -1), .existing_files = number(&v[EXISTING], -1), .deleted_files = number(&v[DELETED], -1),
		.added_records = number(&v[ADDED_ROWS], -1), .existing_records = number(&v[EXISTING_ROWS], -1),
		.deleted_records = number(&v[DELETED_ROWS], -1), .encrypted = text_of_value(&v[KEY]).len > 0,
	};

	if (!m.path.len)
		return err_set(&l->why, ERR_PARSE, "names a manifest without a path");
	if (number(&v[CONTENT], 0) < 0 || number(&v[CONTENT], 0) > 1)
		return err_set(&l->why, ERR_PROTOCOL, "has a manifest of unknown content %" PRId64, number(&v[CONTENT], 0));
	return l->each(l->ctx, &m);
}

static bool fine(const struct err *why, struct err *err)
{
	if (why->code && err)
		*err = *why;
	return !why->code;
}

bool iceberg_read_manifest_list(struct text avro, bool (*each)(void *ctx, const struct iceberg_manifest *m), void *ctx, struct err *err)
{
	struct list l = {each, ctx, {0}};
	struct avro *a = avro_open(avro, ICEBERG_MANIFEST_MOST, err);
	bool read;

	if (!a)
		return false;
	read = avro_each(a, list_ids, LIST_FIELDS, take_manifest, &l, err) && fine(&l.why, err);
	avro_close(a);
	return read;
}

/* ---- manifests ---- */

enum entry_field {
	STATUS, ENTRY_SNAPSHOT, ENTRY_SEQUENCE, FILE_CONTENT, FILE_PATH, FORMAT, PARTITION, RECORDS, SIZE, LOWER, UPPER, SORT, REFERENCED, OFFSET,
	CONTENT_SIZE, ENTRY_FIELDS
};
static const int entry_ids[ENTRY_FIELDS] = {[STATUS] = 0, [ENTRY_SNAPSHOT] = 1, [ENTRY_SEQUENCE] = 3, [FILE_CONTENT] = 134, [FILE_PATH] = 100,
	[FORMAT] = 101, [PARTITION] = 102, [RECORDS] = 103, [SIZE] = 104, [LOWER] = 125, [UPPER] = 128, [SORT] = 140, [REFERENCED] = 143,
	[OFFSET] = 144, [CONTENT_SIZE] = 145};
enum { PATH_COLUMN = 2147483546 }; /* of a position delete file: the data file that a delete is of */

struct manifest {
	struct avro *avro;
	const struct iceberg_manifest *of;
	struct iceberg_partitions *partitions;
	int spec;
	bool (*each)(void *ctx, const struct iceberg_file *f);
	void *ctx;
	char format[16];
	struct err why;
};

static struct text lower_case(char out[16], struct text t)
{
	size_t n = t.len < 15 ? t.len : 15;

	for (size_t i = 0; i < n; i++)
		out[i] = (char)(t.at[i] >= 'A' && t.at[i] <= 'Z' ? t.at[i] + ('a' - 'A') : t.at[i]);
	out[n] = '\0';
	return (struct text){out, n};
}

/* As Java has it: said in so many words, or by bounds of the path column that are the same. */
static struct text referenced(const struct manifest *m, const struct avro_value *v, enum iceberg_content content)
{
	struct text said = text_of_value(&v[REFERENCED]);
	struct avro_value low, high;

	if (said.len || content != ICEBERG_POSITION_DELETES)
		return said;
	if (!avro_find(m->avro, &v[LOWER], PATH_COLUMN, &low) || !avro_find(m->avro, &v[UPPER], PATH_COLUMN, &high))
		return TEXT("");
	if (low.bytes.len != high.bytes.len || memcmp(low.bytes.at, high.bytes.at, low.bytes.len) != 0)
		return TEXT("");
	return low.bytes;
}

static bool is_sound(const struct avro_value *v, struct err *why)
{
	int64_t status = number(&v[STATUS], -1), content = number(&v[FILE_CONTENT], 0);

	if (status < 0 || status > 2)
		return err_set(why, ERR_PARSE, "has an entry of unknown status %" PRId64, status);
	if (content < 0 || content > 2)
		return err_set(why, ERR_PROTOCOL, "has a file of unknown content %" PRId64, content);
	if (!text_of_value(&v[FILE_PATH]).len)
		return err_set(why, ERR_PARSE, "has an entry without a path");
	if (number(&v[RECORDS], -1) < 0 || number(&v[SIZE], -1) < 0)
		return err_set(why, ERR_PARSE, "has an entry without a size or a count");
	return true;
}

static bool take_entry(void *ctx, const struct avro_value *v)
{
	struct manifest *m = ctx;
	struct iceberg_file f;

	if (!is_sound(v, &m->why))
		return false;
	f = (struct iceberg_file){
		.content = (enum iceberg_content)number(&v[FILE_CONTENT], 0), .status = (enum iceberg_status)number(&v[STATUS], 0),
		.path = text_of_value(&v[FILE_PATH]), .format = lower_case(m->format, text_of_value(&v[FORMAT])), .partition = TEXT(""), .spec = m->spec,
		.records = number(&v[RECORDS], 0), .bytes = number(&v[SIZE], 0), .snapshot = number(&v[ENTRY_SNAPSHOT], m->of ? m->of->snapshot : -1),
		.content_offset = number(&v[OFFSET], -1), .content_bytes = number(&v[CONTENT_SIZE], -1), .sort_order = small_number(&v[SORT], -1),
	};
	f.sequence = number(&v[ENTRY_SEQUENCE], f.status == ICEBERG_ADDED && m->of ? m->of->sequence : 0);
	f.vector = f.content == ICEBERG_POSITION_DELETES && text_is(f.format, "puffin");
	f.referenced = referenced(m, v, f.content);
	if (!iceberg_partition_text(m->partitions, &v[PARTITION], &f.partition, &f.partition_key))
		return err_set(&m->why, ERR_PARSE, "has a broken partition value");
	return m->each(m->ctx, &f);
}

static int spec_of(const struct avro *a, const struct iceberg_manifest *of)
{
	int64_t said;

	if (of && of->spec >= 0)
		return of->spec;
	return text_i64(avro_meta(a, "partition-spec-id"), &said) && said >= 0 && said <= INT_MAX ? (int)said : 0;
}

bool iceberg_read_manifest(struct text avro, const struct iceberg_manifest *of, bool (*each)(void *ctx, const struct iceberg_file *f), void *ctx,
	struct err *err)
{
	struct manifest m = {.of = of, .each = each, .ctx = ctx, .avro = avro_open(avro, ICEBERG_MANIFEST_MOST, err)};
	bool read;

	if (!m.avro)
		return false;
	m.spec = spec_of(m.avro, of);
	m.partitions = iceberg_partitions_new(m.avro, m.spec);
	read = avro_each(m.avro, entry_ids, ENTRY_FIELDS, take_entry, &m, err) && fine(&m.why, err);
	iceberg_partitions_free(m.partitions);
	avro_close(m.avro);
	return read;
}
