// SPDX-License-Identifier: MIT
/*
 * An Iceberg table for the keeper: its metadata, from where the catalog points to or as the catalog
 * hands it out, then what its snapshot holds, and of both a row. One thread.
 */
#include "keeper_own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	MANIFESTS_MOST = 20000, URL_MAX = STORAGE_URL_SIZE,
	FRESH_MS = 10000, /* what a catalog handed out is taken for as new as this */
};
static const int64_t metadata_most = INT64_C(1) << 30, count_memory = INT64_C(16) << 20;

/* ---- metadata ---- */

struct feed {
	struct iceberg_reader *reader;
	struct err err; /* what is wrong with it */
	const struct keeper *hurried; /* whom an answer waits for, while this takes long; NULL: it does not */
};

static bool feed(void *ctx, const char *bytes, size_t len)
{
	struct feed *f = ctx;

	if (f->hurried && f->hurried->hurry && f->hurried->hurry(f->hurried->hurry_ctx))
		return false; /* begun anew after it */
	return iceberg_reader_feed(f->reader, bytes, len, &f->err);
}

static void set_text(char **place, const char *s)
{
	free(*place);
	*place = s && s[0] ? mem_copy(s) : NULL;
}

static enum read_answer from_storage(struct feed *f, struct probe *p, const struct storage *at, const struct record *r, struct err *err)
{
	if (!r->at) {
		err_set(err, ERR_PROTOCOL, "the catalog names no metadata of it");
		return READ_FAILED;
	}
	switch (storage_stream(p, at, r->at, metadata_most, feed, f, err)) {
	case STORAGE_OK:
		return READ_OK;
	case STORAGE_MISSING:
		err_set(err, ERR_PARSE, "its metadata is missing: %s", r->at);
		return READ_FAILED;
	case STORAGE_FAILED:
		break;
	}
	return READ_FAILED;
}

/* what: its known version is told, so that nothing comes where nothing changed. */
static enum read_answer from_catalog(struct feed *f, struct keeper *k, struct probe *p, struct record *r, bool known, struct err *err)
{
	const struct catalog_entry entry = {
		.name = text_of(r->name), .format = r->format, .words = text_of(r->words), .at = text_of(r->at), .key = text_of(r->key),
	};
	struct catalog_load load = {.entry = &entry, .take = feed, .ctx = f};

	if (known && r->known)
		text_copy(load.known, sizeof load.known, text_of(r->known));
	switch (k->catalog->kind->load(p, k->catalog, &k->state, &load, err)) {
	case CATALOG_OK:
		set_text(&r->known, load.known);
		return READ_OK;
	case CATALOG_SAME:
		return READ_SAME;
	case CATALOG_GONE:
		return READ_GONE;
	case CATALOG_FAILED:
		break;
	}
	return READ_FAILED;
}

static enum read_answer ill(const struct err *why, struct err *err)
{
	err_set(err, why->code, "its metadata: %s", why->words);
	return READ_FAILED;
}

/* Of READ_OK *out is the caller's; url: where it lies. */
static enum read_answer read_metadata(struct keeper *k, struct probe *p, const struct storage *at, struct record *r, bool known,
	struct iceberg_metadata **out, char url[URL_MAX], struct err *err)
{
	struct feed f = {.reader = iceberg_reader_new(), .hurried = r->slow ? k : NULL};
	enum read_answer answer = k->catalog->kind->load ? from_catalog(&f, k, p, r, known, err) : from_storage(&f, p, at, r, err);
	const char *location = iceberg_reader_location(f.reader);

	*out = NULL;
	text_copy(url, URL_MAX, text_of(location && location[0] ? location : r->at));
	if (answer == READ_OK && f.err.code == ERR_NONE) {
		*out = iceberg_reader_finish(f.reader, &f.err);
		return *out ? READ_OK : ill(&f.err, err);
	}
	iceberg_reader_free(f.reader);
	if (f.err.code == ERR_NONE)
		return answer;
	return ill(&f.err, err); /* that it was cut short is no news then */
}

/* ---- its row ---- */

struct cells {
	struct snapshot *s;
	struct table *t;
	struct value *row;
};

static void number(const struct cells *c, const char *column, int64_t n)
{
	table_set(c->s, c->t, c->row, column, n >= 0 ? value_int(n) : value_unknown());
}

static void words(const struct cells *c, const char *column, const char *s)
{
	table_set(c->s, c->t, c->row, column, s && s[0] ? value_text(s) : value_unknown());
}

static int64_t sum(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? -1 : a + b;
}

/* In the week that ends with the last one: how soon what is due will be due again. */
static double rate_of(const struct iceberg_metadata *m)
{
	int64_t newest = 0, oldest = INT64_MAX, commits = 0;

	for (size_t i = 0; i < m->n_snapshots; i++)
		newest = m->snapshots[i].when > newest ? m->snapshots[i].when : newest;
	for (size_t i = 0; i < m->n_snapshots; i++) {
		int64_t when = m->snapshots[i].when;

		if (newest - when > TABLE_RATE_MS)
			continue;
		commits++;
		oldest = when < oldest ? when : oldest;
	}
	return table_rate(commits, commits ? newest - oldest : 0);
}

static void put_metadata(const struct cells *c, const struct iceberg_metadata *m, const char *url)
{
	const struct iceberg_snapshot *now = iceberg_current(m);

	words(c, "format", arena_printf(c->s->arena, "iceberg v%d", m->format));
	words(c, "uuid", m->uuid);
	words(c, "location", m->location);
	words(c, "metadata", url);
	number(c, "snapshots", (int64_t)m->n_snapshots_all);
	number(c, "committed", now ? now->when : -1);
	table_set(c->s, c->t, c->row, "snapshot", now ? value_int(now->id) : value_unknown());
	words(c, "operation", now ? now->operation : NULL);
	words(c, "by", now ? now->engine : NULL);
	table_set(c->s, c->t, c->row, "rate", value_real(rate_of(m)));
	number(c, "metadata_bytes", m->bytes);
	number(c, "metadata_files", (int64_t)m->n_log);
}

static void put_truth(const struct cells *c, const struct iceberg_truth *t)
{
	number(c, "files", t->files);
	number(c, "small", t->small);
	number(c, "deletes", sum(sum(t->position_files, t->equality_files), t->vectors));
	number(c, "equality_files", t->equality_files);
	number(c, "vectors", t->vectors);
	number(c, "position_deletes", t->position_deletes);
	number(c, "equality_deletes", t->equality_deletes);
	number(c, "delete_bytes", t->delete_bytes);
	number(c, "records", t->records);
	number(c, "bytes", t->bytes);
	number(c, "manifests", t->manifests);
	if (t->measured == MEASURE_EXACT) {
		number(c, "partitions", (int64_t)t->n_partitions_all);
		number(c, "worst", t->n_partitions ? t->partitions[0].files : 0);
	}
	words(c, "measured", table_measure_word(t->measured));
}

/* Its files lie where nobody may look: what its metadata says is all that will be known. */
static void put_unmeasured(const struct cells *c, const struct iceberg_truth *t, const char *location)
{
	struct value said = table_get(c->t, 0, "words");

	if (t->measured == MEASURE_NONE)
		words(c, "measured", TABLE_NO_CREDENTIAL);
	words(c, "words", arena_printf(c->s->arena, "%s%snot measured: no credential for %s", said.type == VALUE_TEXT ? said.u.s : "",
		said.type == VALUE_TEXT ? "; " : "", location));
}

static void put_health(const struct cells *c, const struct iceberg_metadata *m, const struct iceberg_truth *t)
{
	struct table_health h = {0};
	char due[64];

	iceberg_health(m, t, clock_wall_ms(), &h);
	table_due_words(h.due, due);
	words(c, "grade", table_grade_word(h.grade));
	words(c, "due", due);
	table_set(c->s, c->t, c->row, "weight", value_real(h.weight));
	words(c, "words", arena_printf(c->s->arena, "%s%s%s", h.words, h.words[0] && t->mistrust[0] ? "; " : "", t->mistrust));
}

/* ---- counting ---- */

static bool is_encrypted(const struct iceberg_metadata *m, const struct iceberg_snapshot *s)
{
	return m->encrypted || (s && s->encrypted);
}

/* OK: counted as far as it will be. LATER: a whole look's budget may do more. */
static enum read_answer count(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, bool exact, struct spending *left,
	struct arena *arena, struct iceberg_truth *out, struct err *err)
{
	const struct iceberg_snapshot *now = iceberg_current(m);
	struct iceberg_budget budget = {.memory = count_memory};
	struct err why = {0};

	if (exact && !is_encrypted(m, now)) {
		budget.bytes = left->bytes;
		budget.files = MANIFESTS_MOST;
	}
	if (!now) {
		*out = (struct iceberg_truth){.measured = MEASURE_EXACT, .mistrust = ""}; /* nothing was ever written */
		return READ_OK;
	}
	if (iceberg_measure(p, at, m, now, &budget, arena, out, &why) || why.code == ERR_NONE || !budget.files)
		return READ_OK;
	if (why.code == ERR_LIMIT)
		return budget.bytes > left->whole / 8 || left->bytes >= left->whole / 4 * 3 ? READ_OK : READ_LATER;
	*err = why;
	return READ_FAILED;
}

enum read_answer keeper_iceberg(struct keeper *k, struct probe *p, const struct storage *at, struct record *r, bool exact,
	struct spending *left, struct snapshot *s, struct table *t, struct value *row, struct err *err)
{
	const struct cells c = {s, t, row};
	struct iceberg_metadata *m;
	struct iceberg_truth truth = {0};
	char url[URL_MAX];
	bool closed;
	enum read_answer answer = read_metadata(k, p, at, r, r->read && r->whole, &m, url, err);

	if (answer != READ_OK)
		return answer;
	closed = keeper_is_closed(at, m->location);
	answer = count(p, at, m, exact && !closed, left, s->arena, &truth, err);
	put_metadata(&c, m, url);
	put_truth(&c, &truth);
	put_health(&c, m, &truth);
	if (closed && iceberg_current(m))
		put_unmeasured(&c, &truth, m->location);
	iceberg_metadata_free(m);
	return answer;
}

/* ---- for views ---- */

void keeper_forget(struct keeper *k)
{
	iceberg_metadata_free(k->kept);
	free(k->kept_name);
	free(k->kept_at);
	k->kept = NULL;
	k->kept_name = k->kept_at = NULL;
}

const struct iceberg_metadata *keeper_metadata(struct keeper *k, struct probe *p, const struct storage *at, struct record *r, struct err *err)
{
	bool handed_out = k->catalog->kind->load != NULL;
	char url[URL_MAX];

	/* a metadata.json never changes; what a catalog hands out may be another one a moment later */
	if (k->kept && !strcmp(k->kept_name, r->name) && (handed_out ? clock_ms() - k->kept_when < FRESH_MS : r->at && !strcmp(k->kept_at, r->at)))
		return k->kept;
	keeper_forget(k);
	switch (read_metadata(k, p, at, r, false, &k->kept, url, err)) {
	case READ_OK:
		k->kept_name = mem_copy(r->name);
		k->kept_at = mem_copy(url);
		k->kept_when = clock_ms();
		return k->kept;
	case READ_GONE:
		r->gone = true;
		err_set(err, ERR_USAGE, "there is no table %s any more", r->name);
		break;
	case READ_FAILED:
	case READ_SAME:
	case READ_LATER:
		break;
	}
	return NULL;
}
