// SPDX-License-Identifier: MIT
/*
 * Reads metadata.json while it comes in, or a catalog's LoadTableResult around it. What is large
 * (snapshots, logs, properties) is taken token by token; what is nested (schemas, specs, orders,
 * refs) is captured and read as a tree.
 *
 * Source: the Iceberg table spec, appendix C; TableMetadataParser and SnapshotParser of Iceberg 1.11.0.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iceberg_reader.h"

enum {
	FORMAT_MOST = 3, TEXT_MOST = 64 << 10, CAPTURE_MOST = 512 << 10, ARENA_MOST = 3 << 20, BLOCK_MOST = 64 << 10,
	UNPACKED_KIB_MOST = 4 << 20, RATIO_FROM = 64 << 20, RATIO_MOST = 150,
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

bool reader_fail(struct iceberg_reader *r, struct err why)
{
	if (!r->failed)
		r->why = why;
	r->failed = true;
	return false;
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
	return reader_fail(r, why);
}

static bool take_plain(struct iceberg_reader *r, const struct json_token *t)
{
	struct iceberg_metadata *m = &r->w->m;
	struct err why = {0};

	if (r->member == FORMAT)
		return take_format(r, t);
	if (r->member == VIEW) {
		err_set(&why, ERR_PROTOCOL, "this is the metadata of a view");
		return reader_fail(r, why);
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
	return reader_fail(r, why);
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
	return reader_fail(r, why);
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
		return reader_fail(r, why);
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
		reader_add_ref(w, "main", (struct iceberg_ref){NULL, m->current, true, -1, -1, -1});
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
	return !why.code || reader_fail(r, why);
}

/* A table whose current snapshot is lost is not an empty one. */
static bool is_given(struct iceberg_reader *r)
{
	struct err why = {0};

	give(r);
	if (!r->w->m.has_current || iceberg_current(&r->w->m) || r->w->m.cut)
		return true;
	err_set(&why, ERR_PARSE, "its current snapshot %" PRId64 " is not among its snapshots", r->w->m.current);
	return reader_fail(r, why);
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
