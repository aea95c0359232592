// SPDX-License-Identifier: MIT
/* Snapshots of an Iceberg table as a tree, its refs, how it grew, its log: all from its metadata. One thread. */
#include "keeper_views.h"

#include <stdlib.h>
#include <string.h>

/* ---- snapshots as a tree ---- */

struct line { /* snapshots one after another, newest first, off the line that they branched from */
	size_t head, tail;
	size_t base; /* where it branched off; SIZE_MAX: nobody knows any more */
};
struct tree {
	const struct iceberg_metadata *m;
	struct view_times ids;
	size_t *next;     /* in the order of rows; SIZE_MAX: the last */
	size_t *line_of;  /* 1 + its line; 0: not placed yet */
	int *depth;
	struct line *lines;
	size_t n_lines;
};

static int by_id(const void *a, const void *b)
{
	const struct view_time *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

size_t view_place_of(const struct view_times *t, int64_t id)
{
	const struct view_time key = {.id = id}, *found = id < 0 ? NULL : bsearch(&key, t->by_id, t->m->n_snapshots, sizeof key, by_id);

	return found ? found->at : SIZE_MAX;
}

void view_times_begin(struct view_times *t, const struct iceberg_metadata *m)
{
	*t = (struct view_times){.m = m, .by_id = mem_new(m->n_snapshots + 1, sizeof *t->by_id)};
	for (size_t i = 0; i < m->n_snapshots; i++)
		t->by_id[i] = (struct view_time){m->snapshots[i].id, i};
	qsort(t->by_id, m->n_snapshots, sizeof *t->by_id, by_id);
}

void view_times_end(struct view_times *t)
{
	free(t->by_id);
}

/* From a snapshot back to one that is placed, or to the first that is known. */
static void add_line(struct tree *t, size_t from)
{
	struct line *line = &t->lines[t->n_lines++];
	size_t at = from, before = SIZE_MAX;

	line->head = from;
	while (at != SIZE_MAX && !t->line_of[at]) {
		t->line_of[at] = t->n_lines;
		if (before != SIZE_MAX)
			t->next[before] = at;
		before = at;
		at = view_place_of(&t->ids, t->m->snapshots[at].parent);
	}
	line->tail = before;
	line->base = at;
	t->next[before] = SIZE_MAX;
	for (size_t i = from, depth = at == SIZE_MAX ? t->n_lines > 1 : (size_t)t->depth[at] + 1; i != SIZE_MAX; i = t->next[i])
		t->depth[i] = (int)depth;
}

static void grow_tree(struct tree *t)
{
	size_t n = t->m->n_snapshots, main_head;

	view_times_begin(&t->ids, t->m);
	main_head = t->m->has_current ? view_place_of(&t->ids, t->m->current) : SIZE_MAX;
	if (main_head != SIZE_MAX)
		add_line(t, main_head);
	for (size_t i = n; i-- > 0;)
		if (!t->line_of[i])
			add_line(t, i);
	/* the newest line is put in last, and so comes first under where it branched off */
	for (size_t i = t->n_lines; i-- > 1;) {
		struct line *line = &t->lines[i], *under;

		if (line->base == SIZE_MAX)
			continue;
		under = &t->lines[t->line_of[line->base] - 1];
		t->next[line->tail] = t->next[line->base];
		t->next[line->base] = line->head;
		under->tail = under->tail == line->base ? line->tail : under->tail;
	}
}

static const char *refs_at(const struct look *l, int64_t id)
{
	struct buf b;
	const char *out;

	buf_init(&b, 1000);
	for (size_t i = 0; i < l->m->n_refs; i++)
		if (l->m->refs[i].snapshot == id)
			buf_printf(&b, "%s%s%s", b.len ? ", " : "", l->m->refs[i].branch ? "" : "tag ", l->m->refs[i].name);
	out = b.at ? arena_clean(l->s->arena, buf_text(&b)) : NULL;
	buf_free(&b);
	return out;
}

static void put_snapshot(struct look *l, const struct iceberg_snapshot *x, int depth)
{
	struct value *row = table_row(l->s, l->t);

	set(l, row, "snapshot", value_int(x->id));
	set(l, row, "parent", known(x->parent));
	set(l, row, "depth", value_int(depth));
	set(l, row, "refs", said(refs_at(l, x->id)));
	set(l, row, "committed", value_int(x->when));
	if (!x->kept)
		return;
	set(l, row, "operation", said(x->operation));
	set(l, row, "by", said(x->engine));
	set(l, row, "added_files", known(x->summary.added_files));
	set(l, row, "removed_files", known(x->summary.deleted_files));
	set(l, row, "added_records", known(x->summary.added_records));
	set(l, row, "files", known(x->summary.total_files));
	set(l, row, "records", known(x->summary.total_records));
	set(l, row, "bytes", known(x->summary.total_bytes));
}

bool view_snapshots(struct look *l)
{
	size_t n = l->m->n_snapshots;
	struct tree t = {
		.m = l->m, .next = mem_new(n + 1, sizeof *t.next), .line_of = mem_new(n + 1, sizeof *t.line_of),
		.depth = mem_new(n + 1, sizeof *t.depth), .lines = mem_new(n + 1, sizeof *t.lines),
	};

	grow_tree(&t);
	table_reserve(l->s, l->t, n);
	for (size_t i = 0; i < t.n_lines; i++)
		for (size_t at = i && t.lines[i].base != SIZE_MAX ? SIZE_MAX : t.lines[i].head; at != SIZE_MAX; at = t.next[at])
			put_snapshot(l, &l->m->snapshots[at], t.depth[at]);
	l->t->left_off += l->m->n_snapshots_all - n;
	view_times_end(&t.ids);
	free(t.next);
	free(t.line_of);
	free(t.depth);
	free(t.lines);
	return true;
}

bool view_refs(struct look *l)
{
	for (size_t i = 0; i < l->m->n_refs; i++) {
		const struct iceberg_ref *r = &l->m->refs[i];
		const struct iceberg_snapshot *at = iceberg_find(l->m, r->snapshot);
		struct value *row = table_row(l->s, l->t);

		set(l, row, "ref", value_text(r->name));
		set(l, row, "kind", value_text(r->branch ? "branch" : "tag"));
		set(l, row, "snapshot", value_int(r->snapshot));
		set(l, row, "committed", at ? value_int(at->when) : value_unknown());
		set(l, row, "keeps", known(r->min_snapshots));
		set(l, row, "max_snapshot_age", known(r->max_snapshot_age));
		set(l, row, "max_ref_age", known(r->max_ref_age));
	}
	return true;
}

/* ---- growth ---- */

static const char *maintenance(const struct look *l, const struct iceberg_snapshot *x)
{
	bool cut = x->parent >= 0 && !iceberg_find(l->m, x->parent), replaced = x->kept && !strcmp(x->operation, "replace");
	bool files = x->summary.added_files > 0 || x->summary.deleted_files > 0 || x->summary.removed_delete_files > 0;

	if (!replaced)
		return cut ? "expired" : "";
	if (!files)
		return cut ? "manifests, expired" : "manifests";
	return cut ? "compacted, expired" : "compacted";
}

/* Along the current line: what branches hold is no growth of the table. */
bool view_growth(struct look *l)
{
	const struct iceberg_snapshot **line = mem_new(l->m->n_snapshots + 1, sizeof *line);
	struct view_times ids;
	size_t n = 0, at;

	view_times_begin(&ids, l->m);
	at = l->m->has_current ? view_place_of(&ids, l->m->current) : SIZE_MAX;
	for (; at != SIZE_MAX && n < l->m->n_snapshots; at = view_place_of(&ids, l->m->snapshots[at].parent))
		line[n++] = &l->m->snapshots[at];
	table_reserve(l->s, l->t, n);
	while (n-- > 0) {
		struct value *row = table_row(l->s, l->t);

		set(l, row, "committed", value_int(line[n]->when));
		set(l, row, "snapshot", value_int(line[n]->id));
		set(l, row, "files", line[n]->kept ? known(line[n]->summary.total_files) : value_unknown());
		set(l, row, "bytes", line[n]->kept ? known(line[n]->summary.total_bytes) : value_unknown());
		set(l, row, "records", line[n]->kept ? known(line[n]->summary.total_records) : value_unknown());
		set(l, row, "maintenance", said(maintenance(l, line[n])));
	}
	view_times_end(&ids);
	free(line);
	return true;
}

bool view_log(struct look *l)
{
	struct value *row = table_row(l->s, l->t);

	set(l, row, "written", known(l->m->updated));
	set(l, row, "file", view_cell(l, "metadata"));
	for (size_t i = l->m->n_log; i-- > 0;) {
		row = table_row(l->s, l->t);
		set(l, row, "written", known(l->m->log[i].when));
		set(l, row, "file", said(l->m->log[i].file));
	}
	return true;
}
