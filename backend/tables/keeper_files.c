// SPDX-License-Identifier: MIT
/* Partitions and files of an Iceberg table: what only its manifests know. One thread. */
#include "keeper_views.h"

#include <stdlib.h>
#include <string.h>

enum { FILES_SHOWN = 2000 };

bool view_partitions(struct look *l)
{
	const struct iceberg_snapshot *now = iceberg_current(l->m);
	struct iceberg_budget budget = budget_of_a_view();
	struct arena *arena = arena_new((size_t)VIEW_MEMORY);
	struct iceberg_truth truth = {0};
	bool good = !now || iceberg_measure(l->p, l->at, l->m, now, &budget, arena, &truth, &l->s->err);

	if (good)
		table_reserve(l->s, l->t, truth.n_partitions);
	for (size_t i = 0; good && i < truth.n_partitions; i++) {
		const struct iceberg_partition *x = &truth.partitions[i];
		struct value *row = table_row(l->s, l->t);

		set(l, row, "partition", value_text(x->name));
		set(l, row, "files", known(x->files));
		set(l, row, "small", known(x->small));
		set(l, row, "deletes", known(x->delete_files));
		set(l, row, "records", known(x->records));
		set(l, row, "bytes", known(x->bytes));
		set(l, row, "spec", value_int(x->spec));
	}
	l->t->left_off += truth.n_partitions_all - truth.n_partitions;
	arena_free(arena);
	return good;
}

struct kept { /* one of the files that are shown */
	int64_t key, bytes, records, snapshot, when;
	char *file, *partition, *format;
	const char *content;
};
struct pick { /* the first of all by an order: a heap with the last of them on top */
	struct look *l;
	struct view_times times; /* when a snapshot was made */
	enum { LARGEST, SMALLEST, OLDEST } order;
	struct kept *heap;
	size_t n, all;
};

static bool is_behind(const struct pick *k, const struct kept *a, const struct kept *b)
{
	return k->order == LARGEST ? a->key < b->key : a->key > b->key;
}

static void sift_down(struct pick *k, size_t n)
{
	for (size_t at = 0, child; (child = at * 2 + 1) < n; at = child) {
		struct kept swap;

		child += child + 1 < n && is_behind(k, &k->heap[child + 1], &k->heap[child]);
		if (!is_behind(k, &k->heap[child], &k->heap[at]))
			return;
		swap = k->heap[at];
		k->heap[at] = k->heap[child];
		k->heap[child] = swap;
	}
}

static void sift_up(struct pick *k)
{
	for (size_t at = k->n - 1; at && is_behind(k, &k->heap[at], &k->heap[(at - 1) / 2]); at = (at - 1) / 2) {
		struct kept swap = k->heap[at];

		k->heap[at] = k->heap[(at - 1) / 2];
		k->heap[(at - 1) / 2] = swap;
	}
}

static int64_t time_of(const struct pick *k, int64_t snapshot)
{
	size_t at = view_place_of(&k->times, snapshot);

	return at == SIZE_MAX ? 0 : k->l->m->snapshots[at].when;
}

static char *text_kept(struct text t)
{
	char *s = mem_new(t.len + 1, 1);

	return text_copy(s, t.len + 1, t);
}

static struct text under_table(const struct look *l, struct text path)
{
	if (text_skip(&path, l->m->location))
		while (text_skip(&path, "/"))
			continue;
	return path;
}

static const char *content_of(const struct iceberg_file *f)
{
	if (f->vector)
		return "deletion vector";
	return f->content == ICEBERG_DATA ? "data" : f->content == ICEBERG_POSITION_DELETES ? "position deletes" : "equality deletes";
}

static bool take_file(void *ctx, const struct iceberg_file *f)
{
	struct pick *k = ctx;
	struct kept new = {
		.bytes = f->vector && f->content_bytes >= 0 ? f->content_bytes : f->bytes, .records = f->records, .snapshot = f->snapshot,
		.when = time_of(k, f->snapshot), .content = content_of(f),
	};

	k->all++;
	/* sequence numbers tell the order of commits, also of those that are no longer known; format 1 has none */
	new.key = k->order != OLDEST ? new.bytes : f->sequence > 0 ? f->sequence : new.when;
	if (k->n == FILES_SHOWN && !is_behind(k, &k->heap[0], &new))
		return true;
	new.file = text_kept(under_table(k->l, f->path));
	new.partition = text_kept(f->partition);
	new.format = text_kept(f->format);
	if (k->n < FILES_SHOWN) {
		k->heap[k->n++] = new;
		sift_up(k);
		return true;
	}
	free(k->heap[0].file);
	free(k->heap[0].partition);
	free(k->heap[0].format);
	k->heap[0] = new;
	sift_down(k, k->n);
	return true;
}

static void put_file(struct look *l, struct kept *f)
{
	struct value *row = table_row(l->s, l->t);

	set(l, row, "file", value_text(f->file));
	set(l, row, "content", value_text(f->content));
	set(l, row, "bytes", known(f->bytes));
	set(l, row, "records", known(f->records));
	set(l, row, "partition", value_text(f->partition));
	set(l, row, "committed", f->when ? value_int(f->when) : value_unknown());
	set(l, row, "snapshot", known(f->snapshot));
	set(l, row, "format", said(f->format));
}

bool view_files(struct look *l)
{
	const struct iceberg_snapshot *now = iceberg_current(l->m);
	struct iceberg_budget budget = budget_of_a_view();
	struct pick k = {
		.l = l, .order = !strcmp(l->view, "files") ? LARGEST : !strcmp(l->view, "files-smallest") ? SMALLEST : OLDEST,
		.heap = mem_new(FILES_SHOWN, sizeof *k.heap),
	};
	bool good;

	view_times_begin(&k.times, l->m);
	good = !now || iceberg_each_file(l->p, l->at, l->m, now, &budget, take_file, &k, &l->s->err);
	table_reserve(l->s, l->t, k.n);
	l->t->left_off += k.all - k.n;
	for (size_t n = k.n; n-- > 1;) { /* the last of them goes to the end */
		struct kept swap = k.heap[0];

		k.heap[0] = k.heap[n];
		k.heap[n] = swap;
		sift_down(&k, n);
	}
	for (size_t i = 0; i < k.n; i++) {
		if (good)
			put_file(l, &k.heap[i]);
		free(k.heap[i].file);
		free(k.heap[i].partition);
		free(k.heap[i].format);
	}
	free(k.heap);
	view_times_end(&k.times);
	return good;
}
