// SPDX-License-Identifier: MIT
/*
 * What metadata.json has much of, taken token by token: snapshots with their summaries, logs,
 * properties; and what is nested, captured and read as a tree.
 *
 * Source: the Iceberg table spec, appendix C; TableMetadataParser and SnapshotParser of Iceberg 1.11.0.
 */
#include "iceberg_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROPERTIES_MOST = 4096, REFS_MOST = 4096, STATISTICS_MOST = 4096 };
static const char more[] = "...";

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

void take_snapshot(struct iceberg_reader *r, const struct json_token *t)
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

void take_entry(struct iceberg_reader *r, const struct json_token *t)
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

void take_property(struct iceberg_reader *r, const struct json_token *t)
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

void reader_add_ref(struct whole *w, const char *name, struct iceberg_ref ref)
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
		reader_add_ref(w, json_key(ref), (struct iceberg_ref){.snapshot = number_of(ref, "snapshot-id"),
			.branch = !text_is(text_of(json_string(json_get(ref, "type"))), "tag"), .min_snapshots = number_of(ref, "min-snapshots-to-keep"),
			.max_snapshot_age = number_of(ref, "max-snapshot-age-ms"), .max_ref_age = number_of(ref, "max-ref-age-ms")});
}

bool take_captured(struct iceberg_reader *r)
{
	struct err why = {0};
	struct json *tree;

	if (r->capture.full) {
		r->w->m.cut = true;
		return true;
	}
	tree = json_parse(buf_text(&r->capture), &why);
	if (!tree)
		return reader_fail(r, why);
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
void maybe_capture(struct iceberg_reader *r, const struct json_token *t)
{
	bool whole = r->member == SCHEMA || r->member == SPEC || r->member == REFS, each = r->member == SCHEMAS || r->member == SPECS || r->member == ORDERS;

	if ((whole && t->depth == r->base + 1) || (each && t->depth == r->base + 2)) {
		buf_reset(&r->capture);
		r->capture.full = false;
		json_stream_capture(r->json, &r->capture);
	}
}
