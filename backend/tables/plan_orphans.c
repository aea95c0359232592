// SPDX-License-Identifier: MIT
/*
 * What remove_orphan_files would delete, by DeleteOrphanFilesSparkAction of Iceberg 1.11: files in
 * the table's folder, older than three days, that no snapshot has live, and that are no manifest,
 * list, statistics, nor metadata.json that the newest one still names. Names that begin with "." or
 * "_" are passed over. Nothing is proposed unless everything reachable was read, nor where another
 * table of any catalog lies in the same folder or below it, nor before it is known where they lie, nor
 * what is younger than a day: a commit that runs may have written it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

static const int64_t day = 86400000, age_default = 3 * 86400000LL;
enum { ROWS_MOST = 5000, NAMES_MOST = 2000000, CHECKED = 8 };

struct orphans {
	struct probe *p;
	const struct storage *at;
	const struct iceberg_metadata *m;
	struct iceberg_budget budget;
	struct plan_map reachable, manifests; /* manifests: those that were read */
	int64_t cutoff;
	bool full;
	struct err err;          /* of a manifest that could not be read */

	struct snapshot *s;
	struct table *rows;
	const char *folder;
	int64_t files, bytes, young, seen;
	struct stray { char url[STORAGE_URL_SIZE]; int64_t when; } strays[CHECKED]; /* newest metadata.json that the table does not name */
};

static bool used_up(struct orphans *o)
{
	o->full = true;
	return false;
}

/* ---- what is reachable ---- */

static bool reach(struct orphans *o, struct text url)
{
	return !url.len || plan_map_add(&o->reachable, plan_hash_url(url)) || used_up(o);
}

static bool reach_file(void *ctx, const struct iceberg_file *f)
{
	return reach(ctx, f->path);
}

static bool reach_manifest(void *ctx, const struct iceberg_manifest *of)
{
	struct orphans *o = ctx;
	int64_t *read = plan_map_add(&o->manifests, plan_hash(of->path));

	if (!read || !reach(o, of->path))
		return used_up(o);
	if (*read)
		return true;
	*read = 1;
	return plan_files(o->p, o->at, of, &o->budget, reach_file, o, &o->err) && !o->full;
}

static bool reach_metadata(struct orphans *o, const char *metadata)
{
	char url[STORAGE_URL_SIZE];

	if (!reach(o, text_of(metadata)) || !storage_child(url, o->m->location, "metadata/version-hint.text") || !reach(o, text_of(url)))
		return false;
	for (size_t i = 0; i < o->m->n_log; i++)
		if (!reach(o, text_of(o->m->log[i].file)))
			return false;
	for (size_t i = 0; i < o->m->n_statistics; i++)
		if (!reach(o, text_of(o->m->statistics[i].file)))
			return false;
	return true;
}

static bool reach_all(struct orphans *o, const char *metadata, struct err *err)
{
	struct iceberg_budget lists = o->budget; /* lists and manifests are read in turns: each has its own count */

	if (o->m->cut || o->m->n_snapshots < o->m->n_snapshots_all || o->m->n_log < o->m->n_log_all)
		return err_set(err, ERR_LIMIT, "its metadata is too large to know all that it names");
	if (!reach_metadata(o, metadata))
		return err_set(err, ERR_LIMIT, "more files than memory was given for");
	for (size_t i = 0; i < o->m->n_snapshots; i++) {
		const struct iceberg_snapshot *s = &o->m->snapshots[i];

		if (!s->kept)
			return err_set(err, ERR_LIMIT, "more snapshots than are kept in memory");
		if (!reach(o, text_of(s->manifest_list)))
			return err_set(err, ERR_LIMIT, "more files than memory was given for");
		if (!iceberg_each_manifest(o->p, o->at, o->m, s, &lists, reach_manifest, o, err))
			return false;
		if (o->full)
			return err_set(err, ERR_LIMIT, "more files than memory was given for");
		if (o->err.code) {
			*err = o->err;
			return false;
		}
	}
	return true;
}

/* ---- neighbours ---- */

/* "bucket/key", "/path": without scheme, doubled and last slashes. */
static const char *plain(char out[STORAGE_URL_SIZE], const char *url)
{
	struct text t = text_of(url);
	size_t n = 0;

	if (!text_skip(&t, "s3://") && !text_skip(&t, "s3a://") && !text_skip(&t, "s3n://"))
		text_skip(&t, "file:");
	for (size_t i = 0; i < t.len && n + 1 < STORAGE_URL_SIZE; i++)
		if (t.at[i] != '/' || !n || out[n - 1] != '/')
			out[n++] = t.at[i];
	while (n > 1 && out[n - 1] == '/')
		n--;
	out[n] = '\0';
	return out;
}

static bool lies_in(const char *inner, const char *outer)
{
	size_t len = strlen(outer);

	return !strncmp(inner, outer, len) && (inner[len] == '/' || !inner[len]);
}

/* true: nothing may be proposed, and it is said why. */
static bool has_neighbour(const struct iceberg_metadata *m, const struct plan_about *a, struct snapshot *s)
{
	char own[STORAGE_URL_SIZE], other[STORAGE_URL_SIZE];

	plain(own, m->location);
	for (size_t i = 0; i < a->n_others; i++) {
		if (!a->others[i].location || !a->others[i].location[0] || !lies_in(plain(other, a->others[i].location), own))
			continue;
		plan_say(s, "words", "nothing may be removed: %.200s lies %s, and the procedure would take its files for orphans", a->others[i].table,
			strcmp(own, other) ? "in a folder of this table" : "in the same folder");
		return true;
	}
	if (a->untold && a->untold[0])
		plan_say(s, "words", "nothing may be removed: %s", a->untold);
	return a->untold && a->untold[0];
}

/* ---- what is there ---- */

static bool is_hidden(struct text name)
{
	bool begins = true;

	for (size_t i = 0; i < name.len; i++) {
		if (begins && (name.at[i] == '.' || name.at[i] == '_'))
			return true;
		begins = name.at[i] == '/';
	}
	return false;
}

static void add_row(struct orphans *o, const struct storage_entry *e, const char *why)
{
	char name[STORAGE_URL_SIZE];
	struct value *row;

	if (!o->rows || o->rows->n_rows >= ROWS_MOST) {
		if (o->rows)
			o->rows->left_off++;
		return;
	}
	row = table_row(o->s, o->rows);
	table_set(o->s, o->rows, row, "what", value_text(text_clean(name, sizeof name, e->name)));
	table_set(o->s, o->rows, row, "files", value_int(1));
	table_set(o->s, o->rows, row, "bytes", value_int(e->size));
	table_set(o->s, o->rows, row, "when", value_int(e->when));
	table_set(o->s, o->rows, row, "why", value_text(why));
}

/* Young ones too: another table's may be in use. */
static void take_stray(struct orphans *o, const char *url, int64_t when)
{
	struct stray *oldest = o->strays;

	for (size_t i = 1; i < CHECKED; i++)
		if (!o->strays[i].url[0] || (oldest->url[0] && o->strays[i].when < oldest->when))
			oldest = &o->strays[i];
	if (oldest->url[0] && oldest->when >= when)
		return;
	oldest->when = when;
	text_copy(oldest->url, sizeof oldest->url, text_of(url));
}

static bool take_entry(void *ctx, const struct storage_entry *e)
{
	struct orphans *o = ctx;
	char name[STORAGE_URL_SIZE], url[STORAGE_URL_SIZE];
	bool metadata = text_starts(e->name, "metadata/") && text_ends(e->name, ".metadata.json");

	o->seen++;
	if (is_hidden(e->name) || text_ends(e->name, "/"))
		return true;
	if (e->name.len >= sizeof name || !storage_child(url, o->folder, text_copy(name, sizeof name, e->name)))
		return true; /* no reader could name it either */
	if (plan_map_find(&o->reachable, plan_hash_url(text_of(url))))
		return true;
	if (metadata)
		take_stray(o, url, e->when);
	if (e->when <= 0 || e->when >= o->cutoff) {
		o->young++;
		return true;
	}
	o->files++;
	o->bytes = plan_add(o->bytes, e->size);
	add_row(o, e, metadata ? "a metadata.json that the newest no longer names" : "no snapshot names it");
	return true;
}

/* ---- one table in the folder ---- */

struct reading {
	struct iceberg_reader *r;
	struct err err;
};

static bool take_bytes(void *ctx, const char *bytes, size_t len)
{
	struct reading *r = ctx;

	return iceberg_reader_feed(r->r, bytes, len, &r->err);
}

/* A metadata.json that this table does not name may be another's, whose files all are then no orphans. */
static bool is_anothers(struct orphans *o, const char *url)
{
	struct reading r = {.r = iceberg_reader_new()};
	struct iceberg_metadata *other = NULL;
	bool differs;

	if (storage_stream(o->p, o->at, url, o->budget.bytes, take_bytes, &r, &r.err) == STORAGE_OK)
		other = iceberg_reader_finish(r.r, &r.err);
	else
		iceberg_reader_free(r.r);
	differs = !other || strcmp(other->uuid, o->m->uuid) != 0;
	if (other)
		iceberg_metadata_free(other);
	return differs;
}

/* ---- the view ---- */

static void begin_rows(struct orphans *o)
{
	o->rows = snapshot_table(o->s, table_views, "orphans");
}

static void tell(struct orphans *o, const struct plan_about *a)
{
	char rest[160];
	bool anothers = false;

	for (size_t i = 0; i < CHECKED; i++)
		anothers = anothers || (o->strays[i].url[0] && is_anothers(o, o->strays[i].url));
	if (anothers) {
		if (o->rows)
			o->rows->n_rows = o->rows->left_off = 0;
		plan_say(o->s, "words", "nothing may be removed: its folder has a metadata.json of another table, or one that cannot be read");
		return;
	}
	plan_figure(o->s, "files", o->files);
	plan_figure(o->s, "bytes", o->bytes);
	if (!o->files) {
		plan_say(o->s, "words", "nothing to remove: of %" PRId64 " files in its folder all that are older than %s are named%s", o->seen,
			plan_days(a->now - o->cutoff).s, o->young ? "; younger ones may belong to a commit that runs" : "");
		return;
	}
	plan_say(o->s, "words", "%" PRId64 " of %" PRId64 " files in its folder are possible orphans: %s; none is younger than %s", o->files, o->seen,
		plan_bytes(o->bytes).s, plan_days(a->now - o->cutoff).s);
	plan_say(o->s, "caution", "a table that no catalog here lists may lie in the same folder%s%s; compare the list before it runs",
		a->caution && a->caution[0] ? ", and " : "", a->caution ? a->caution : "");
	snprintf(rest, sizeof rest, ", older_than => TIMESTAMP '%s'%s", plan_time(o->cutoff).s,
		text_starts(text_of(o->m->location), "s3") ? ", prefix_listing => true" : "");
	plan_sql(o->s, a, "remove_orphan_files", rest);
}

static bool find(struct orphans *o, const struct plan_about *a, struct err *err)
{
	return reach_all(o, a->metadata, err) &&
	       storage_walk(o->p, o->at, o->folder, NAMES_MOST, take_entry, o, err) != STORAGE_FAILED;
}

static const char *why_nothing(const struct iceberg_metadata *m, const struct plan_about *a)
{
	const char *gc = iceberg_property(m, "gc.enabled");

	if (gc && strcasecmp(gc, "true"))
		return "nothing may be removed: gc.enabled is false, and the procedure refuses";
	if (m->nessie)
		return "nothing may be removed: what other branches of Nessie name is not known here";
	if (!a->metadata || !a->metadata[0] || !m->location[0])
		return "nothing may be removed: it is not known where its metadata lies";
	return NULL;
}

bool plan_orphans(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct plan_about *a, struct snapshot *s)
{
	struct orphans *o;
	const char *nothing = why_nothing(m, a);
	int64_t older = a->older_than > 0 ? a->older_than : a->now - age_default;
	struct err err = {0};
	bool good = true;

	o = mem_new(1, sizeof *o);
	*o = (struct orphans){.p = p, .at = at, .m = m, .budget = a->budget, .s = s, .folder = m->location};
	o->cutoff = older < a->now - day ? older : a->now - day; /* the procedure refuses less */
	o->reachable.memory = o->manifests.memory = &o->budget.memory;
	begin_rows(o);
	plan_figure(s, "cutoff", o->cutoff);
	if (nothing)
		plan_say(s, "words", "%s", nothing);
	else if (has_neighbour(m, a, s))
		good = true;
	else if (find(o, a, &err))
		tell(o, a);
	else if (err.code == ERR_LIMIT)
		plan_say(s, "words", "not counted: %s", err.words);
	else
		good = false;
	if (!good)
		s->err = err;
	if ((err.code == ERR_LIMIT || !good) && o->rows) {
		o->rows->n_rows = 0; /* half a listing proposes nothing */
		o->rows->left_off = 0;
	}
	plan_map_free(&o->reachable);
	plan_map_free(&o->manifests);
	free(o);
	return good;
}
