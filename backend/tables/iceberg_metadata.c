// SPDX-License-Identifier: MIT
/*
 * Reads metadata.json while it comes in, or a catalog's LoadTableResult around it. What is large
 * (snapshots, logs, properties) is taken token by token; what is nested (schemas, specs, orders,
 * refs) is captured and read as a tree.
 *
 * Source: the Iceberg table spec, appendix C; TableMetadataParser and SnapshotParser of Iceberg 1.11.0.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "iceberg_own.h"
#include "json_stream.h"
#include "value.h"

enum {
	FORMAT_MOST = 3, TEXT_MOST = 64 << 10, CAPTURE_MOST = 512 << 10, ARENA_MOST = 3 << 20, VALUE_MOST = 4 << 10, BLOCK_MOST = 64 << 10,
	LOG_MOST = 4096, PROPERTIES_MOST = 4096, REFS_MOST = 4096, WORDS_MOST = 64, STATISTICS_MOST = 4096, UNPACKED_KIB_MOST = 4 << 20,
	RATIO_FROM = 64 << 20, RATIO_MOST = 150,
};
static const char more[] = "...";

struct ring { /* the newest of a log */
	struct iceberg_log *at; /* file is NULL or of mem_new() */
	int64_t *ids;
	size_t n, size, oldest, all;
};

struct whole { /* what iceberg_metadata_free() frees */
	struct iceberg_metadata m; /* first */
	struct iceberg_shapes shapes;
	struct iceberg_shelf shelf;
	struct ring log, snapshot_log;
	struct iceberg_ref *refs;
	struct iceberg_property *properties;
	struct iceberg_log *statistics;
	int64_t *statistics_ids;
	const char *words[WORDS_MOST]; /* operations and engines: each is kept once */
	size_t n_words;
};

enum member {
	OTHER, FORMAT, UUID, LOCATION, UPDATED, SEQUENCE, CURRENT, SCHEMAS, SCHEMA, SCHEMA_ID, SPECS, SPEC, SPEC_ID, ORDERS, ORDER_ID, PROPERTIES,
	SNAPSHOTS, REFS, LOG, SNAPSHOT_LOG, STATISTICS, PARTITION_STATISTICS, KEYS, VIEW, CONFIG, METADATA, METADATA_LOCATION
};
static const char *const member_names[] = {
	[FORMAT] = "format-version", [UUID] = "table-uuid", [LOCATION] = "location", [UPDATED] = "last-updated-ms",
	[SEQUENCE] = "last-sequence-number", [CURRENT] = "current-snapshot-id", [SCHEMAS] = "schemas", [SCHEMA] = "schema",
	[SCHEMA_ID] = "current-schema-id", [SPECS] = "partition-specs", [SPEC] = "partition-spec", [SPEC_ID] = "default-spec-id",
	[ORDERS] = "sort-orders", [ORDER_ID] = "default-sort-order-id", [PROPERTIES] = "properties", [SNAPSHOTS] = "snapshots", [REFS] = "refs",
	[LOG] = "metadata-log", [SNAPSHOT_LOG] = "snapshot-log", [STATISTICS] = "statistics",
	[PARTITION_STATISTICS] = "partition-statistics", [KEYS] = "encryption-keys", [VIEW] = "view-uuid",
	[CONFIG] = "config", [METADATA] = "metadata", [METADATA_LOCATION] = "metadata-location",
};

struct iceberg_reader {
	struct json_stream *json;
	struct whole *w;
	struct err why;           /* the first thing that was wrong */
	bool failed;
	int base;                 /* depth of the metadata itself: 1, or 2 in a LoadTableResult */
	bool outside;             /* beside it, in a LoadTableResult */
	enum member member;
	char key[64];             /* the last one below the member */
	bool key_cut;
	bool in_summary;
	int64_t order;            /* default-sort-order-id */
	struct buf capture;
	struct iceberg_snapshot now;
	struct buf list, wap, engine, version, manifests; /* of the snapshot at hand; manifests are NUL-terminated */
	size_t n_manifests;
	bool said;                /* its summary has figures */
	struct iceberg_log entry; /* of the log at hand */
	int64_t entry_id;
	struct buf file;
	struct buf location;      /* metadata-location */
	bool lone_spec;
	z_stream gzip;
	bool zipped, unzipped;
	unsigned char head[2];
	size_t n_head;
	int64_t unpacked;
};

/* ---- what a token says ---- */

static int64_t number(const struct json_token *t, int64_t otherwise)
{
	int64_t n;

	return (t->event == JSON_NUMBER || t->event == JSON_TEXT) && text_i64(t->text, &n) ? n : otherwise;
}

static int small_number(const struct json_token *t, int otherwise)
{
	int64_t n = number(t, otherwise);

	return n >= INT_MIN && n <= INT_MAX ? (int)n : otherwise;
}

static void set_buf(struct buf *b, struct text t)
{
	buf_reset(b);
	buf_add(b, t.at, t.len);
}

static const char *text_of_buf(const struct buf *b)
{
	return b->len ? b->at : "";
}

static const char *word(struct whole *w, struct text t)
{
	char clean[80];

	text_clean(clean, sizeof clean, t);
	for (size_t i = 0; i < w->n_words; i++)
		if (!strcmp(w->words[i], clean))
			return w->words[i];
	if (w->n_words == WORDS_MOST)
		return "";
	return w->words[w->n_words++] = arena_copy(w->m.arena, text_of(clean));
}

/* A clean copy that is freed with free(). */
static char *clean_copy(struct text t)
{
	size_t size = 3 * t.len + 1;
	char *out = mem_new(size, 1);

	text_clean(out, size, t);
	return out;
}

/* ---- snapshots ---- */

static const struct {
	const char *key;
	size_t at;
} summary_keys[] = {
#define FIGURE(key, name) {key, offsetof(struct iceberg_summary, name)}
	FIGURE("added-data-files", added_files), FIGURE("deleted-data-files", deleted_files), FIGURE("added-delete-files", added_delete_files),
	FIGURE("removed-delete-files", removed_delete_files), FIGURE("added-records", added_records), FIGURE("deleted-records", deleted_records),
	FIGURE("added-files-size", added_bytes), FIGURE("removed-files-size", removed_bytes), FIGURE("total-data-files", total_files),
	FIGURE("total-delete-files", total_delete_files), FIGURE("total-records", total_records), FIGURE("total-files-size", total_bytes),
	FIGURE("total-position-deletes", total_position_deletes), FIGURE("total-equality-deletes", total_equality_deletes),
	FIGURE("changed-partition-count", changed_partitions),
#undef FIGURE
};

static int64_t *figure(struct iceberg_summary *s, size_t i)
{
	return (int64_t *)(void *)((char *)s + summary_keys[i].at);
}

static void begin_snapshot(struct iceberg_reader *r)
{
	r->now = (struct iceberg_snapshot){.parent = -1, .schema = -1, .operation = "", .engine = "", .wap = "", .kept = true};
	for (size_t i = 0; i < sizeof summary_keys / sizeof *summary_keys; i++)
		*figure(&r->now.summary, i) = -1;
	buf_reset(&r->list);
	buf_reset(&r->wap);
	buf_reset(&r->engine);
	buf_reset(&r->version);
	buf_reset(&r->manifests);
	r->n_manifests = 0;
	r->said = false;
}

static void take_snapshot_field(struct iceberg_reader *r, const struct json_token *t)
{
	struct iceberg_snapshot *s = &r->now;

	if (!strcmp(r->key, "snapshot-id"))
		s->id = number(t, 0);
	else if (!strcmp(r->key, "parent-snapshot-id"))
		s->parent = number(t, -1);
	else if (!strcmp(r->key, "sequence-number"))
		s->sequence = number(t, 0);
	else if (!strcmp(r->key, "timestamp-ms"))
		s->when = number(t, 0);
	else if (!strcmp(r->key, "schema-id"))
		s->schema = small_number(t, -1);
	else if (!strcmp(r->key, "manifest-list") && t->event == JSON_TEXT)
		set_buf(&r->list, t->text);
	else if (!strcmp(r->key, "key-id") && t->event == JSON_TEXT)
		s->encrypted = r->w->m.encrypted = true;
}

static void take_summary_field(struct iceberg_reader *r, const struct json_token *t)
{
	if (!strcmp(r->key, "operation"))
		r->now.operation = word(r->w, t->text);
	else if (!strcmp(r->key, "engine-name"))
		set_buf(&r->engine, t->text);
	else if (!strcmp(r->key, "engine-version"))
		set_buf(&r->version, t->text);
	else if (!strcmp(r->key, "wap.id"))
		set_buf(&r->wap, t->text);
	else if (!r->engine.len && (!strcmp(r->key, "trino_query_id") || !strcmp(r->key, "flink.job-id")))
		set_buf(&r->engine, text_until(text_until(text_of(r->key), '_'), '.'));
	for (size_t i = 0; i < sizeof summary_keys / sizeof *summary_keys; i++)
		if (!strcmp(r->key, summary_keys[i].key)) {
			*figure(&r->now.summary, i) = number(t, -1);
			r->said = true;
		}
}

static void take_manifest(struct iceberg_reader *r, const struct json_token *t)
{
	size_t before = r->manifests.len;

	if (!buf_add(&r->manifests, t->text.at, t->text.len) || !buf_add(&r->manifests, "", 1)) {
		r->manifests.len = before;
		r->w->m.cut = true;
		return;
	}
	r->n_manifests++;
}

/* One block: the list's path, wap.id, then pointers to manifests and their paths. */
static void pack_block(struct iceberg_reader *r, struct iceberg_snapshot *s)
{
	size_t words = r->list.len + r->wap.len + 2, align = _Alignof(const char *), before = (words + align - 1) / align * align;
	size_t size = before + r->n_manifests * sizeof(char *) + r->manifests.len + 1;
	char *block, *at;
	const char **manifests;

	if (!r->list.len && !r->wap.len && !r->n_manifests)
		return;
	block = mem_new(size, 1);
	memcpy(block, text_of_buf(&r->list), r->list.len);
	s->wap = text_clean(block + r->list.len + 1, r->wap.len + 1, buf_text(&r->wap));
	s->manifest_list = block;
	if (!r->n_manifests)
		return;
	manifests = (const char **)(void *)(block + before);
	at = block + before + r->n_manifests * sizeof(char *);
	memcpy(at, r->manifests.at, r->manifests.len);
	for (size_t i = 0; i < r->n_manifests; i++, at += strlen(at) + 1)
		manifests[i] = at;
	s->manifests = manifests;
	s->n_manifests = r->n_manifests;
}

static bool is_head(const void *ctx, int64_t id)
{
	const struct whole *w = ctx;

	if (w->m.has_current && w->m.current == id)
		return true;
	for (size_t i = 0; i < w->m.n_refs; i++)
		if (w->refs[i].snapshot == id)
			return true;
	return false;
}

static void end_snapshot(struct iceberg_reader *r)
{
	enum { DELTAS = 8 }; /* the first of summary_keys */
	struct iceberg_snapshot *s = &r->now;
	char engine[80];

	if (r->said && !s->operation[0])
		s->operation = word(r->w, TEXT("overwrite")); /* as Java reads it */
	for (size_t i = 0; r->said && i < DELTAS; i++)
		if (*figure(&s->summary, i) < 0)
			*figure(&s->summary, i) = 0;
	snprintf(engine, sizeof engine, "%.40s%s%.30s", text_of_buf(&r->engine), r->engine.len && r->version.len ? " " : "",
		r->engine.len ? text_of_buf(&r->version) : "");
	s->engine = word(r->w, text_of(engine));
	pack_block(r, s);
	iceberg_put_snapshot(&r->w->shelf, s, is_head, r->w);
}

static void take_snapshot(struct iceberg_reader *r, const struct json_token *t)
{
	int in = t->depth - r->base; /* 1 the array, 2 a snapshot, 3 its summary or manifests */

	if (t->event == JSON_OBJECT && in == 2)
		begin_snapshot(r);
	else if (t->event == JSON_OBJECT && in == 3)
		r->in_summary = !strcmp(r->key, "summary");
	else if (t->event == JSON_END && in == 3)
		r->in_summary = false;
	else if (t->event == JSON_END && in == 2)
		end_snapshot(r);
	else if (t->event == JSON_OBJECT || t->event == JSON_ARRAY || t->event == JSON_END)
		return;
	else if (in == 2)
		take_snapshot_field(r, t);
	else if (in == 3 && r->in_summary)
		take_summary_field(r, t);
	else if (in == 3 && t->event == JSON_TEXT && !strcmp(r->key, "manifests"))
		take_manifest(r, t);
}

/* ---- logs, properties ---- */

static void put_entry(struct ring *ring, struct iceberg_log entry, int64_t id)
{
	size_t place = ring->n;

	ring->all++;
	if (ring->n == LOG_MOST) {
		place = ring->oldest;
		ring->oldest = (ring->oldest + 1) % LOG_MOST;
		free((char *)(uintptr_t)ring->at[place].file);
	} else if (ring->n++ == ring->size) {
		ring->size = ring->size ? 2 * ring->size : 16;
		ring->at = mem_grow(ring->at, ring->size, sizeof *ring->at);
		ring->ids = mem_grow(ring->ids, ring->size, sizeof *ring->ids);
	}
	ring->at[place] = entry;
	ring->ids[place] = id;
}

static void end_entry(struct iceberg_reader *r)
{
	struct whole *w = r->w;

	if (r->member == LOG) {
		r->entry.file = clean_copy(buf_text(&r->file));
		put_entry(&w->log, r->entry, 0);
	} else if (r->member == SNAPSHOT_LOG) {
		put_entry(&w->snapshot_log, r->entry, r->entry_id);
	} else if (w->m.n_statistics == STATISTICS_MOST) {
		w->m.cut = true;
	} else {
		if (!(w->m.n_statistics & (w->m.n_statistics - 1))) {
			size_t size = w->m.n_statistics ? 2 * w->m.n_statistics : 1;

			w->statistics = mem_grow(w->statistics, size, sizeof *w->statistics);
			w->statistics_ids = mem_grow(w->statistics_ids, size, sizeof *w->statistics_ids);
		}
		w->statistics_ids[w->m.n_statistics] = r->entry_id;
		w->statistics[w->m.n_statistics++] = (struct iceberg_log){0, arena_clean(w->m.arena, buf_text(&r->file))};
	}
}

static void take_entry(struct iceberg_reader *r, const struct json_token *t)
{
	if (t->depth != r->base + 2)
		return;
	if (t->event == JSON_OBJECT) {
		r->entry = (struct iceberg_log){0};
		r->entry_id = 0;
		buf_reset(&r->file);
	} else if (t->event == JSON_END) {
		end_entry(r);
	} else if (!strcmp(r->key, "timestamp-ms")) {
		r->entry.when = number(t, 0);
	} else if (!strcmp(r->key, "snapshot-id")) {
		r->entry_id = number(t, 0);
	} else if (!strcmp(r->key, "metadata-file") || !strcmp(r->key, "statistics-path")) {
		set_buf(&r->file, t->text);
	}
}

static void take_property(struct iceberg_reader *r, const struct json_token *t)
{
	struct whole *w = r->w;
	struct text value = t->text;
	struct buf shown;

	if (t->depth != r->base + 1 || t->event == JSON_OBJECT || t->event == JSON_END)
		return;
	w->m.nessie |= text_starts(text_of(r->key), "nessie.");
	w->m.encrypted |= !strcmp(r->key, "encryption.key-id") && value.len;
	if (w->m.n_properties == PROPERTIES_MOST || r->key_cut) {
		w->m.cut = true;
		return;
	}
	if (!(w->m.n_properties & (w->m.n_properties - 1)))
		w->properties = mem_grow(w->properties, w->m.n_properties ? 2 * w->m.n_properties : 1, sizeof *w->properties);
	buf_init(&shown, VALUE_MOST + sizeof more);
	buf_add(&shown, value.at, value.len < VALUE_MOST ? value.len : VALUE_MOST);
	buf_puts(&shown, value.len > VALUE_MOST || t->cut ? more : "");
	w->properties[w->m.n_properties++] = (struct iceberg_property){arena_clean(w->m.arena, text_of(r->key)),
		arena_clean(w->m.arena, buf_text(&shown))};
	buf_free(&shown);
}

/* ---- what was captured ---- */

static int64_t number_of(const struct json *object, const char *key)
{
	int64_t n;

	return json_i64(json_get(object, key), &n) ? n : -1;
}

static void add_ref(struct whole *w, const char *name, struct iceberg_ref ref)
{
	struct iceberg_metadata *m = &w->m;

	if (m->n_refs == REFS_MOST) {
		m->cut = true;
		return;
	}
	if (!(m->n_refs & (m->n_refs - 1)))
		w->refs = mem_grow(w->refs, m->n_refs ? 2 * m->n_refs : 1, sizeof *w->refs);
	ref.name = arena_clean(m->arena, text_of(name));
	w->refs[m->n_refs++] = ref;
}

static void add_refs(struct whole *w, const struct json *refs)
{
	for (const struct json *ref = json_first(refs); ref; ref = json_next(ref))
		add_ref(w, json_key(ref), (struct iceberg_ref){.snapshot = number_of(ref, "snapshot-id"),
			.branch = !text_is(text_of(json_string(json_get(ref, "type"))), "tag"), .min_snapshots = number_of(ref, "min-snapshots-to-keep"),
			.max_snapshot_age = number_of(ref, "max-snapshot-age-ms"), .max_ref_age = number_of(ref, "max-ref-age-ms")});
}

static bool fail(struct iceberg_reader *r, struct err why)
{
	if (!r->failed)
		r->why = why;
	r->failed = true;
	return false;
}

static bool take_captured(struct iceberg_reader *r)
{
	struct err why = {0};
	struct json *tree;

	if (r->capture.full) {
		r->w->m.cut = true;
		return true;
	}
	tree = json_parse(buf_text(&r->capture), &why);
	if (!tree)
		return fail(r, why);
	if (r->member == SCHEMAS || (r->member == SCHEMA && !r->w->shapes.n_schemas)) {
		iceberg_add_schema(&r->w->shapes, tree);
	} else if (r->member == SPECS || (r->member == SPEC && !r->w->shapes.n_specs)) {
		iceberg_add_spec(&r->w->shapes, tree);
	} else if (r->member == ORDERS) {
		iceberg_add_order(&r->w->shapes, tree);
	} else if (r->member == REFS) {
		add_refs(r->w, tree);
	}
	json_free(tree);
	return true;
}

/* Whole members, or each element of those that are lists. */
static void maybe_capture(struct iceberg_reader *r, const struct json_token *t)
{
	bool whole = r->member == SCHEMA || r->member == SPEC || r->member == REFS, each = r->member == SCHEMAS || r->member == SPECS || r->member == ORDERS;

	if ((whole && t->depth == r->base + 1) || (each && t->depth == r->base + 2)) {
		buf_reset(&r->capture);
		r->capture.full = false;
		json_stream_capture(r->json, &r->capture);
	}
}

/* ---- members of the table ---- */

static bool take_format(struct iceberg_reader *r, const struct json_token *t)
{
	struct err why = {0};

	r->w->m.format = small_number(t, 0);
	if (r->w->m.format >= 1 && r->w->m.format <= FORMAT_MOST)
		return true;
	err_set(&why, ERR_PROTOCOL, "Iceberg format version %.*s is not read, 1 to %d are", (int)(t->text.len < 20 ? t->text.len : 20), t->text.at,
		FORMAT_MOST);
	return fail(r, why);
}

static bool take_plain(struct iceberg_reader *r, const struct json_token *t)
{
	struct iceberg_metadata *m = &r->w->m;
	struct err why = {0};

	if (r->member == FORMAT)
		return take_format(r, t);
	if (r->member == VIEW) {
		err_set(&why, ERR_PROTOCOL, "this is the metadata of a view");
		return fail(r, why);
	}
	if (r->member == UUID)
		m->uuid = arena_clean(m->arena, t->text);
	else if (r->member == LOCATION)
		m->location = arena_clean(m->arena, t->text);
	else if (r->member == UPDATED)
		m->updated = number(t, 0);
	else if (r->member == SEQUENCE)
		m->sequence = number(t, 0);
	else if (r->member == CURRENT)
		m->has_current = (m->current = number(t, -1)) != -1;
	else if (r->member == SCHEMA_ID)
		m->schema = small_number(t, 0);
	else if (r->member == SPEC_ID)
		m->spec = small_number(t, 0);
	else if (r->member == ORDER_ID)
		r->order = number(t, 0);
	else if (r->member == METADATA_LOCATION)
		set_buf(&r->location, t->event == JSON_TEXT ? t->text : TEXT(""));
	return true;
}

static enum member member_of(struct text key)
{
	for (size_t i = 1; i < sizeof member_names / sizeof *member_names; i++)
		if (text_is(key, member_names[i]))
			return (enum member)i;
	return text_is(key, "partition-statistics") ? STATISTICS : OTHER;
}

static void take_key(struct iceberg_reader *r, const struct json_token *t)
{
	if (t->depth == 1 || (t->depth == r->base && !r->outside)) {
		r->member = member_of(t->text);
		r->in_summary = false;
		return;
	}
	if (r->member == CONFIG && t->depth == 2)
		r->w->m.nessie |= text_starts(t->text, "nessie.");
	r->key_cut = t->cut || t->text.len >= sizeof r->key;
	text_copy(r->key, sizeof r->key, t->text);
}

static bool take_inside(struct iceberg_reader *r, const struct json_token *t)
{
	if (r->member == SNAPSHOTS)
		take_snapshot(r, t);
	else if (r->member == LOG || r->member == SNAPSHOT_LOG || r->member == STATISTICS || r->member == PARTITION_STATISTICS)
		take_entry(r, t);
	else if (r->member == PROPERTIES)
		take_property(r, t);
	else if (r->member == KEYS)
		r->w->m.encrypted |= t->event == JSON_OBJECT;
	return true;
}

static bool on_token(void *ctx, const struct json_token *t)
{
	struct iceberg_reader *r = ctx;
	bool opens = t->event == JSON_OBJECT || t->event == JSON_ARRAY;

	if (t->event == JSON_KEY) {
		take_key(r, t);
		return true;
	}
	if (opens && t->depth == 2 && r->base == 1 && r->member == METADATA) {
		r->base = 2;
		r->member = OTHER;
		return true;
	}
	if (r->base == 2 && t->depth <= 2 && t->event == JSON_END)
		r->outside = true;
	if (r->outside)
		return r->member != METADATA_LOCATION || t->depth > 1 || take_plain(r, t);
	if (opens)
		maybe_capture(r, t);
	if (t->event == JSON_END && r->capture.len)
		return take_captured(r) && (buf_reset(&r->capture), true);
	if (t->depth <= r->base)
		return opens || t->event == JSON_END || take_plain(r, t);
	return take_inside(r, t);
}

/* ---- bytes ---- */

struct iceberg_reader *iceberg_reader_new(void)
{
	struct iceberg_reader *r = mem_new(1, sizeof *r);
	struct buf *texts[] = {&r->list, &r->wap, &r->engine, &r->version, &r->file, &r->location};

	r->w = mem_new(1, sizeof *r->w);
	r->w->m = (struct iceberg_metadata){.arena = arena_new(ARENA_MOST), .uuid = "", .location = "", .sort = ""};
	r->w->shapes.arena = r->w->m.arena;
	r->json = json_stream_new(TEXT_MOST, on_token, r);
	r->base = 1;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		buf_init(texts[i], VALUE_MOST);
	buf_init(&r->manifests, BLOCK_MOST);
	buf_init(&r->capture, CAPTURE_MOST);
	return r;
}

static bool feed_plain(struct iceberg_reader *r, const char *bytes, size_t len)
{
	struct err why = {0};

	r->unpacked += (int64_t)len;
	if (r->unpacked > (int64_t)UNPACKED_KIB_MOST << 10)
		err_set(&why, ERR_LIMIT, "larger than %d GiB unpacked", UNPACKED_KIB_MOST >> 20);
	else if (r->zipped && r->unpacked > (int64_t)RATIO_FROM && r->unpacked / RATIO_MOST > r->w->m.bytes)
		err_set(&why, ERR_PARSE, "unpacks to more than %d times its size, as no metadata does", RATIO_MOST);
	else if (json_stream_feed(r->json, bytes, len, &why))
		return true;
	return fail(r, why);
}

static bool feed_gzip(struct iceberg_reader *r, const char *bytes, size_t len)
{
	char out[16 << 10];
	struct err why = {0};
	int result = Z_OK;

	r->gzip.next_in = (unsigned char *)(uintptr_t)bytes;
	r->gzip.avail_in = (unsigned)len;
	while (result == Z_OK && !r->unzipped) {
		r->gzip.next_out = (unsigned char *)out;
		r->gzip.avail_out = sizeof out;
		result = inflate(&r->gzip, Z_NO_FLUSH);
		r->unzipped = result == Z_STREAM_END;
		if (!feed_plain(r, out, sizeof out - r->gzip.avail_out))
			return false;
	}
	if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR)
		return true;
	err_set(&why, ERR_PARSE, "its gzip is broken: %s", r->gzip.msg ? r->gzip.msg : "not what it says");
	return fail(r, why);
}

static bool feed(struct iceberg_reader *r, const char *bytes, size_t len)
{
	return r->zipped ? feed_gzip(r, bytes, len) : feed_plain(r, bytes, len);
}

/* By its first two bytes, whatever its name says. */
static bool sniff(struct iceberg_reader *r)
{
	struct err why = {0};

	r->zipped = r->head[0] == 0x1f && r->head[1] == 0x8b;
	if (r->zipped && inflateInit2(&r->gzip, 16 + MAX_WBITS) != Z_OK) {
		r->zipped = false;
		err_set(&why, ERR_SYSTEM, "out of memory");
		return fail(r, why);
	}
	return feed(r, (const char *)r->head, 2);
}

bool iceberg_reader_feed(struct iceberg_reader *r, const char *bytes, size_t len, struct err *err)
{
	r->w->m.bytes += (int64_t)len;
	while (r->n_head < 2 && len) {
		r->head[r->n_head++] = (unsigned char)*bytes++;
		len--;
		if (r->n_head == 2 && !r->failed)
			sniff(r);
	}
	if (!r->failed && (!len || feed(r, bytes, len)))
		return true;
	if (err)
		*err = r->why;
	return false;
}

const char *iceberg_reader_location(const struct iceberg_reader *r)
{
	return text_of_buf(&r->location);
}

/* ---- the end ---- */

/* In order: what a ring begins with in its middle is put in its place. */
static void straighten(struct ring *ring)
{
	struct iceberg_log *at;
	int64_t *ids;

	if (!ring->oldest)
		return;
	at = mem_new(ring->n, sizeof *at);
	ids = mem_new(ring->n, sizeof *ids);
	for (size_t i = 0; i < ring->n; i++) {
		at[i] = ring->at[(ring->oldest + i) % ring->n];
		ids[i] = ring->ids[(ring->oldest + i) % ring->n];
	}
	free(ring->at);
	free(ring->ids);
	ring->at = at;
	ring->ids = ids;
	ring->oldest = 0;
}

static bool has_main(const struct whole *w)
{
	for (size_t i = 0; i < w->m.n_refs; i++)
		if (!strcmp(w->refs[i].name, "main"))
			return true;
	return false;
}

static void give_logs(struct whole *w)
{
	struct iceberg_metadata *m = &w->m;

	straighten(&w->log);
	straighten(&w->snapshot_log);
	for (size_t i = 0; i < w->snapshot_log.n; i++)
		w->snapshot_log.at[i].file = "";
	m->log = w->log.at;
	m->n_log = w->log.n;
	m->n_log_all = w->log.all;
	m->snapshot_log = w->snapshot_log.at;
	m->n_snapshot_log = w->snapshot_log.n;
	m->snapshot_log_ids = w->snapshot_log.ids;
	m->cut |= w->log.all > w->log.n || w->snapshot_log.all > w->snapshot_log.n;
}

static void give(struct iceberg_reader *r)
{
	struct whole *w = r->w;
	struct iceberg_metadata *m = &w->m;

	m->n_snapshots_all = w->shelf.all;
	m->cut |= w->shelf.cut;
	m->snapshots = iceberg_take_snapshots(&w->shelf, &m->n_snapshots);
	if (m->has_current && !has_main(w))
		add_ref(w, "main", (struct iceberg_ref){NULL, m->current, true, -1, -1, -1});
	m->refs = w->refs;
	m->properties = w->properties;
	m->statistics = w->statistics;
	m->statistics_ids = w->statistics_ids;
	give_logs(w);
	iceberg_end_shapes(&w->shapes, r->order >= 0 && r->order <= INT_MAX ? (int)r->order : 0, m);
	m->cut |= arena_full(m->arena);
}

static bool is_whole(struct iceberg_reader *r)
{
	struct err why = {0};

	if (r->failed)
		return false;
	if (r->n_head == 1)
		feed(r, (const char *)r->head, 1);
	if (r->zipped && !r->unzipped)
		err_set(&why, ERR_PARSE, "its gzip is cut off after %" PRId64 " bytes", r->w->m.bytes);
	else if (json_stream_end(r->json, &why) && !r->w->m.format)
		err_set(&why, ERR_PARSE, "this is not table metadata: it names no format-version");
	return !why.code || fail(r, why);
}

/* A table whose current snapshot is lost is not an empty one. */
static bool is_given(struct iceberg_reader *r)
{
	struct err why = {0};

	give(r);
	if (!r->w->m.has_current || iceberg_current(&r->w->m) || r->w->m.cut)
		return true;
	err_set(&why, ERR_PARSE, "its current snapshot %" PRId64 " is not among its snapshots", r->w->m.current);
	return fail(r, why);
}

struct iceberg_metadata *iceberg_reader_finish(struct iceberg_reader *r, struct err *err)
{
	struct iceberg_metadata *m = NULL;

	if (is_whole(r) && is_given(r)) {
		m = &r->w->m;
		r->w = NULL;
	} else if (err) {
		*err = r->why;
	}
	iceberg_reader_free(r);
	return m;
}

static void free_whole(struct whole *w)
{
	size_t n;
	struct iceberg_snapshot *left = iceberg_take_snapshots(&w->shelf, &n);

	iceberg_free_snapshots(left, n);
	iceberg_free_snapshots((struct iceberg_snapshot *)(uintptr_t)w->m.snapshots, w->m.n_snapshots); /* those were given already */
	iceberg_free_shapes(&w->shapes);
	for (size_t i = 0; i < w->log.n; i++)
		free((char *)(uintptr_t)w->log.at[i].file);
	free(w->log.at);
	free(w->log.ids);
	free(w->snapshot_log.at);
	free(w->snapshot_log.ids);
	free(w->refs);
	free(w->properties);
	free(w->statistics);
	free(w->statistics_ids);
	arena_free(w->m.arena);
	free(w);
}

void iceberg_reader_free(struct iceberg_reader *r)
{
	struct buf *bufs[] = {&r->list, &r->wap, &r->engine, &r->version, &r->file, &r->location, &r->manifests, &r->capture};

	if (!r)
		return;
	if (r->w)
		free_whole(r->w);
	if (r->zipped)
		inflateEnd(&r->gzip);
	for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
		buf_free(bufs[i]);
	json_stream_free(r->json);
	free(r);
}

void iceberg_metadata_free(struct iceberg_metadata *m)
{
	if (m)
		free_whole((struct whole *)(void *)m);
}

/* ---- what is asked of it ---- */

const struct iceberg_snapshot *iceberg_find(const struct iceberg_metadata *m, int64_t id)
{
	for (size_t i = m->n_snapshots; i--;)
		if (m->snapshots[i].id == id)
			return &m->snapshots[i];
	return NULL;
}

const struct iceberg_snapshot *iceberg_current(const struct iceberg_metadata *m)
{
	return m->has_current ? iceberg_find(m, m->current) : NULL;
}

const char *iceberg_property(const struct iceberg_metadata *m, const char *key)
{
	for (size_t i = 0; i < m->n_properties; i++)
		if (!strcmp(m->properties[i].key, key))
			return m->properties[i].value;
	return NULL;
}

int64_t iceberg_number(const struct iceberg_metadata *m, const char *key, int64_t otherwise)
{
	int64_t n;

	return text_i64(text_of(iceberg_property(m, key)), &n) ? n : otherwise;
}

int64_t iceberg_target(const struct iceberg_metadata *m)
{
	int64_t target = iceberg_number(m, "write.target-file-size-bytes", 512 << 20);

	return target > 0 ? target : 512 << 20;
}
