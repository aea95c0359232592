// SPDX-License-Identifier: MIT
/*
 * What expire_snapshots would drop, by RemoveSnapshots of Iceberg 1.11: refs other than main past
 * their own age go; of each branch that stays, snapshots are kept from its head back while there
 * are fewer than it wants or they are young enough, up to the first that is neither; heads of tags
 * stay; what no ref leads to stays while it is young. Files become unreachable where a snapshot
 * that goes has them live and none that stays does, which only their manifests can tell.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

static const int64_t age_default = 432000000; /* 5 d */
enum { ROWS_MOST = 2000, PROTECTS_SHOWN = 3 };

/* ---- which snapshots ---- */

struct policy {
	int64_t now, cutoff, least, ref_age;
};

struct tree { /* snapshots by id */
	const struct iceberg_metadata *m;
	struct plan_map index; /* + 1 */
	int64_t memory;
};

static size_t find(const struct tree *t, int64_t id)
{
	const int64_t *i = id < 0 ? NULL : plan_map_find(&t->index, plan_hash_more((uint64_t)id, 7));

	return i ? (size_t)*i - 1 : t->m->n_snapshots;
}

static void grow_tree(struct tree *t, const struct iceberg_metadata *m)
{
	t->m = m;
	t->memory = INT64_MAX / 2; /* as many cells as snapshots that are kept anyway */
	t->index.memory = &t->memory;
	for (size_t i = 0; i < m->n_snapshots; i++)
		*plan_map_add(&t->index, plan_hash_more((uint64_t)m->snapshots[i].id, 7)) = (int64_t)i + 1;
}

static bool is_main(const struct iceberg_ref *r)
{
	return !strcmp(r->name, "main");
}

static bool ref_stays(const struct tree *t, const struct policy *y, const struct iceberg_ref *r)
{
	size_t i = find(t, r->snapshot);
	int64_t most = r->max_ref_age >= 0 ? r->max_ref_age : y->ref_age;

	return is_main(r) || (i < t->m->n_snapshots && y->now - t->m->snapshots[i].when <= most);
}

enum { REACHED = 1, STAYS = 2 };

/* What a ref keeps. Gives how many it is the first to keep. */
static int64_t keep(const struct tree *t, const struct policy *y, const struct iceberg_ref *r, unsigned char *marks)
{
	int64_t oldest = r->max_snapshot_age >= 0 ? y->now - r->max_snapshot_age : y->cutoff;
	int64_t least = r->min_snapshots >= 0 ? r->min_snapshots : y->least, kept = 0, first = 0;
	bool on = true;
	size_t n = t->m->n_snapshots, steps = 0;

	for (size_t i = find(t, r->snapshot); i < n && steps < n; i = find(t, t->m->snapshots[i].parent), steps++) {
		const struct iceberg_snapshot *s = &t->m->snapshots[i];

		on = on && (r->branch ? kept < least || s->when >= oldest : !steps);
		if (on || !steps) {
			first += !(marks[i] & STAYS);
			marks[i] |= STAYS;
			kept++;
		}
		marks[i] |= REACHED;
		if (!r->branch)
			break;
	}
	return first;
}

static int64_t age_of(const struct iceberg_metadata *m, const char *key, int64_t otherwise)
{
	int64_t age = iceberg_number(m, key, otherwise);

	return age < -otherwise ? -otherwise : age; /* a wild one must not overflow */
}

static struct policy policy_of(const struct iceberg_metadata *m, int64_t now, int64_t older_than, int64_t retain_last)
{
	return (struct policy){
		.now = now,
		.cutoff = older_than > 0 ? older_than : now - age_of(m, "history.expire.max-snapshot-age-ms", age_default),
		.least = retain_last > 0 ? retain_last : iceberg_number(m, "history.expire.min-snapshots-to-keep", 1),
		.ref_age = iceberg_number(m, "history.expire.max-ref-age-ms", INT64_MAX),
	};
}

/* "tag audit keeps 1", of those that keep most. */
struct protect {
	const struct iceberg_ref *ref;
	int64_t keeps;
};

static int by_keeps(const void *a, const void *b)
{
	const struct protect *x = a, *y = b;

	return (x->keeps < y->keeps) - (x->keeps > y->keeps);
}

static const char *protect_words(struct protect *all, size_t n, struct arena *arena)
{
	struct buf b;
	const char *words;

	buf_init(&b, 1000);
	if (n)
		qsort(all, n, sizeof *all, by_keeps);
	for (size_t i = 0; i < n && i < PROTECTS_SHOWN; i++)
		buf_printf(&b, "%s%s %s keeps %" PRId64, i ? ", " : "", all[i].ref->branch ? "branch" : "tag", all[i].ref->name, all[i].keeps);
	if (n > PROTECTS_SHOWN)
		buf_printf(&b, ", %zu more refs keep some", n - PROTECTS_SHOWN);
	words = arena_clean(arena, buf_text(&b));
	buf_free(&b);
	return words;
}

static bool gc_is_off(const struct iceberg_metadata *m)
{
	const char *gc = iceberg_property(m, "gc.enabled");

	return gc && strcasecmp(gc, "true");
}

static const char *why_nothing(const struct iceberg_metadata *m)
{
	if (m->nessie)
		return "its history is in Nessie, which expires it";
	if (gc_is_off(m))
		return "gc.enabled is false: the procedure refuses, as its files may be another table's";
	return m->n_snapshots ? NULL : "it has no snapshots";
}

void expire_mark(const struct iceberg_metadata *m, int64_t now, int64_t older_than, int64_t retain_last, bool *marks, struct expire_plan *out,
	struct arena *arena)
{
	struct policy y = policy_of(m, now, older_than, retain_last);
	const char *nothing = why_nothing(m);
	unsigned char *kept = mem_new(m->n_snapshots + 1, 1);
	struct protect *protects = mem_new(m->n_refs + 1, sizeof *protects);
	struct tree t = {0};
	size_t n = 0;

	*out = (struct expire_plan){.cutoff = y.cutoff, .data_files = -1, .position_files = -1, .equality_files = -1, .manifests = -1,
		.lists = -1, .statistics = -1, .bytes = -1, .words = nothing ? nothing : ""};
	grow_tree(&t, m);
	for (size_t pass = 0; pass < 2 && !nothing; pass++) /* main first: others protect what it does not */
		for (size_t i = 0; i < m->n_refs; i++) {
			struct protect p = {.ref = &m->refs[i]};

			if (is_main(p.ref) == (pass > 0))
				continue;
			if (ref_stays(&t, &y, p.ref))
				p.keeps = keep(&t, &y, p.ref, kept);
			else
				out->refs++;
			if (p.keeps && pass)
				protects[n++] = p;
		}
	for (size_t i = 0; i < m->n_snapshots; i++) {
		marks[i] = !nothing && !(kept[i] & STAYS) && ((kept[i] & REACHED) || m->snapshots[i].when < y.cutoff);
		out->snapshots += marks[i];
		out->kept += !marks[i];
	}
	if (!nothing && arena)
		out->words = protect_words(protects, n, arena);
	plan_map_free(&t.index);
	free(protects);
	free(kept);
}

/* ---- which files ---- */

struct known { /* a manifest that only snapshots have that go, or that one has that stays */
	struct iceberg_manifest of; /* its path lies in the arena */
	bool stays;
};
struct reach {
	struct probe *p;
	const struct storage *at;
	const struct iceberg_metadata *m;
	struct iceberg_budget budget;
	struct arena *arena;
	struct plan_map by_path; /* index + 1 */
	struct known *manifests;
	size_t n_manifests, room;
	struct plan_map candidates; /* bytes * 4 + content + 1; 0: a snapshot that stays has it */
	bool stays;   /* of the snapshot that is read */
	bool full;
};

static bool used_up(struct reach *r)
{
	r->full = true;
	return false;
}

static bool take_manifest(void *ctx, const struct iceberg_manifest *of)
{
	struct reach *r = ctx;
	int64_t *index = plan_map_add(&r->by_path, plan_hash(of->path));
	struct known *k;

	if (!index)
		return used_up(r);
	if (*index) {
		r->manifests[*index - 1].stays |= r->stays;
		return true;
	}
	if (r->n_manifests == r->room && !plan_grow(&r->manifests, &r->room, sizeof *r->manifests, &r->budget.memory))
		return used_up(r);
	k = &r->manifests[r->n_manifests++];
	*k = (struct known){.of = *of, .stays = r->stays};
	k->of.path = text_of(arena_copy(r->arena, of->path));
	*index = (int64_t)r->n_manifests;
	return !arena_full(r->arena) || used_up(r);
}

static uint64_t file_key(const struct iceberg_file *f)
{
	return plan_hash_more(plan_hash(f->path), (uint64_t)f->content);
}

static bool take_candidate(void *ctx, const struct iceberg_file *f)
{
	struct reach *r = ctx;
	int64_t *value = plan_map_add(&r->candidates, file_key(f)), bytes = f->bytes > 0 && f->bytes < INT64_MAX / 8 ? f->bytes : 0;

	if (!value)
		return used_up(r);
	*value = bytes * 4 + (int64_t)f->content + 1;
	return true;
}

static bool drop_candidate(void *ctx, const struct iceberg_file *f)
{
	struct reach *r = ctx;
	int64_t *value = plan_map_find(&r->candidates, file_key(f));

	if (value)
		*value = 0;
	return true;
}

/* Manifests of all snapshots, those that stay marked. */
static bool read_lists(struct reach *r, const bool *marks, struct err *err)
{
	for (size_t i = 0; i < r->m->n_snapshots; i++) {
		const struct iceberg_snapshot *s = &r->m->snapshots[i];

		if (!s->kept)
			return err_set(err, ERR_LIMIT, "more snapshots than are kept in memory");
		r->stays = !marks[i];
		if (!iceberg_each_manifest(r->p, r->at, r->m, s, &r->budget, take_manifest, r, err))
			return false;
		if (r->full)
			return err_set(err, ERR_LIMIT, "more manifests than memory was given for");
	}
	return true;
}

static bool read_files(struct reach *r, bool stays, bool (*each)(void *ctx, const struct iceberg_file *f), struct err *err)
{
	for (size_t i = 0; i < r->n_manifests; i++) {
		const struct known *k = &r->manifests[i];

		if (k->stays != stays || (k->of.added_files == 0 && k->of.existing_files == 0))
			continue;
		if (!plan_files(r->p, r->at, &k->of, &r->budget, each, r, err))
			return false;
		if (r->full)
			return err_set(err, ERR_LIMIT, "more files than memory was given for");
	}
	return true;
}

static void count_files(const struct reach *r, struct expire_plan *out)
{
	int64_t of[4] = {0};

	for (size_t i = 0; i < r->candidates.room; i++) {
		int64_t value = r->candidates.cells[i].value;

		if (!r->candidates.cells[i].key || !value)
			continue;
		of[(value - 1) & 3]++;
		out->bytes = plan_add(out->bytes, (value - 1) / 4);
	}
	out->data_files = of[ICEBERG_DATA];
	out->position_files = of[ICEBERG_POSITION_DELETES];
	out->equality_files = of[ICEBERG_EQUALITY_DELETES];
}

static bool reach_files(struct reach *r, const bool *marks, struct expire_plan *out, struct err *err)
{
	int64_t bytes = 0, n = 0;

	if (!read_lists(r, marks, err))
		return false;
	for (size_t i = 0; i < r->n_manifests; i++)
		if (!r->manifests[i].stays) {
			bytes = plan_add(bytes, r->manifests[i].of.bytes);
			n++;
		}
	out->manifests = n;
	if (!read_files(r, false, take_candidate, err) || (r->candidates.n && !read_files(r, true, drop_candidate, err)))
		return false;
	out->bytes = bytes;
	count_files(r, out);
	return true;
}

static void count_lists(const struct tree *t, const bool *marks, struct expire_plan *out)
{
	const struct iceberg_metadata *m = t->m;

	out->lists = 0;
	for (size_t i = 0; i < m->n_snapshots; i++)
		out->lists += marks[i] && m->snapshots[i].manifest_list[0];
	out->statistics = 0;
	for (size_t i = 0; i < m->n_statistics; i++) {
		size_t of = find(t, m->statistics_ids[i]);

		out->statistics += of < m->n_snapshots && marks[of];
	}
}

/* false: some is not counted, err says why. */
static bool count_reach(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct plan_about *a,
	const bool *marks, struct expire_plan *out, struct err *err)
{
	struct reach r = {.p = p, .at = at, .m = m, .budget = a->budget};
	int64_t paths = r.budget.memory / 4;
	struct tree tree = {0};
	bool good;

	grow_tree(&tree, m);
	count_lists(&tree, marks, out);
	plan_map_free(&tree.index);
	if (!out->snapshots) {
		out->data_files = out->position_files = out->equality_files = out->manifests = out->bytes = 0;
		return true;
	}
	r.budget.memory -= paths;
	r.arena = arena_new((size_t)paths);
	r.by_path.memory = r.candidates.memory = &r.budget.memory;
	good = reach_files(&r, marks, out, err);
	plan_map_free(&r.by_path);
	plan_map_free(&r.candidates);
	free(r.manifests);
	arena_free(r.arena);
	return good;
}

/* ---- the view ---- */

static void add_row(struct snapshot *s, struct table *t, const char *what, int64_t when, const char *why)
{
	struct value *row;

	if (t->n_rows >= ROWS_MOST) {
		t->left_off++;
		return;
	}
	row = table_row(s, t);
	table_set(s, t, row, "what", value_text(what));
	if (when)
		table_set(s, t, row, "when", value_int(when));
	table_set(s, t, row, "why", value_text(why));
}

static void add_refs(struct snapshot *s, struct table *t, const struct iceberg_metadata *m, const struct plan_about *a)
{
	struct policy y = policy_of(m, a->now, a->older_than, a->retain_last);
	struct tree tree = {0};

	grow_tree(&tree, m);
	for (size_t i = 0; i < m->n_refs; i++) {
		char what[160];

		if (ref_stays(&tree, &y, &m->refs[i]))
			continue;
		snprintf(what, sizeof what, "%s %.120s", m->refs[i].branch ? "branch" : "tag", m->refs[i].name);
		add_row(s, t, what, 0, "goes: past its max-ref-age, or its snapshot is gone");
	}
	plan_map_free(&tree.index);
}

static void add_rows(struct snapshot *s, const struct iceberg_metadata *m, const struct plan_about *a, const bool *marks,
	const struct expire_plan *plan)
{
	struct table *t = snapshot_table(s, table_views, "expire");

	if (!t)
		return;
	if (plan->refs)
		add_refs(s, t, m, a);
	for (size_t i = 0; i < m->n_snapshots; i++) {
		char what[32], why[80];

		if (!marks[i])
			continue;
		snprintf(what, sizeof what, "%" PRId64, m->snapshots[i].id);
		if (m->snapshots[i].when < plan->cutoff && plan->cutoff < a->now)
			snprintf(why, sizeof why, "older than %s", plan_days(a->now - plan->cutoff).s);
		else
			snprintf(why, sizeof why, "past what its branch keeps");
		add_row(s, t, what, m->snapshots[i].when, why);
	}
}

static void say_what(struct snapshot *s, const struct plan_about *a, const struct expire_plan *plan, const struct err *why)
{
	char age[60] = "whatever their age", refs[60] = "", files[300];

	if (!plan->snapshots && !plan->refs) {
		plan_say(s, "words", "nothing to expire: %s", plan->words[0] ? plan->words : "all snapshots are within the policy");
		return;
	}
	if (plan->cutoff < a->now)
		snprintf(age, sizeof age, "older than %s", plan_days(a->now - plan->cutoff).s);
	if (plan->refs)
		snprintf(refs, sizeof refs, " and %" PRId64 " tags or branches", plan->refs);
	if (plan->data_files < 0)
		snprintf(files, sizeof files, "; files were not counted: %s", why->words);
	else
		snprintf(files, sizeof files, ", and with them %" PRId64 " data files, %" PRId64 " manifests: %s", plan->data_files, plan->manifests,
			plan_bytes(plan->bytes).s);
	plan_say(s, "words", "%" PRId64 " of %" PRId64 " snapshots%s go, %s%s%s%s", plan->snapshots, plan->snapshots + plan->kept, refs, age, files,
		plan->words[0] ? "; " : "", plan->words);
}

static void say_caution(struct snapshot *s, const struct iceberg_metadata *m, const struct expire_plan *plan)
{
	size_t others = 0;

	for (size_t i = 0; i < m->n_refs; i++)
		others += !is_main(&m->refs[i]);
	if (m->n_snapshots < m->n_snapshots_all)
		plan_say(s, "caution", "%zu older snapshots are not looked at: the metadata is too large", m->n_snapshots_all - m->n_snapshots);
	else if (plan->snapshots && others)
		plan_say(s, "caution", "it has %zu tags and branches: Iceberg 1.9 and older can delete files that they still need", others);
}

bool plan_expire(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct plan_about *a, struct snapshot *s)
{
	bool *marks = mem_new(m->n_snapshots + 1, sizeof *marks);
	struct expire_plan plan;
	struct err why = {0};
	char rest[120];

	expire_mark(m, a->now, a->older_than, a->retain_last, marks, &plan, s->arena);
	count_reach(p, at, m, a, marks, &plan, &why);
	plan_figure(s, "snapshots", plan.snapshots);
	plan_figure(s, "kept", plan.kept);
	plan_figure(s, "data_files", plan.data_files);
	plan_figure(s, "position_files", plan.position_files);
	plan_figure(s, "equality_files", plan.equality_files);
	plan_figure(s, "manifests", plan.manifests);
	plan_figure(s, "lists", plan.lists);
	plan_figure(s, "statistics", plan.statistics);
	plan_figure(s, "bytes", plan.bytes);
	plan_figure(s, "cutoff", plan.cutoff);
	say_what(s, a, &plan, &why);
	say_caution(s, m, &plan);
	if (plan.snapshots || plan.refs) {
		int n = snprintf(rest, sizeof rest, ", older_than => TIMESTAMP '%s'", plan_time(plan.cutoff).s);

		if (a->retain_last > 0)
			snprintf(rest + n, sizeof rest - (size_t)n, ", retain_last => %" PRId64, a->retain_last);
		plan_sql(s, a, "expire_snapshots", rest);
	}
	add_rows(s, m, a, marks, &plan);
	free(marks);
	return true;
}
