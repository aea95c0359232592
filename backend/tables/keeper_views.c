// SPDX-License-Identifier: MIT
/*
 * What is asked of one Iceberg table: its facts, snapshots, refs, partitions, files, schema, properties,
 * log, growth; previews are asked of their own files. All from its metadata, and from manifests where
 * only they know. One thread.
 */
#include "keeper_own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

enum { FILES_SHOWN = 2000, MANIFESTS_MOST = 100000, PLACES_MOST = 16 << 20 };
static const int64_t view_bytes = INT64_C(512) << 20, view_memory = INT64_C(48) << 20;

struct look { /* one question */
	struct keeper *k;
	struct probe *p;
	const struct storage *at;
	const struct record *r;
	const struct iceberg_metadata *m;
	const char *view;
	struct snapshot *s;
	struct table *t;
};

static struct iceberg_budget budget_of_a_view(void)
{
	return (struct iceberg_budget){.bytes = view_bytes, .files = MANIFESTS_MOST, .memory = view_memory};
}

static struct value known(int64_t n)
{
	return n >= 0 ? value_int(n) : value_unknown();
}

static struct value said(const char *s)
{
	return s && s[0] ? value_text(s) : value_unknown();
}

static void set(struct look *l, struct value *row, const char *column, struct value v)
{
	table_set(l->s, l->t, row, column, v);
}

/* ---- facts ---- */

static void fact(struct look *l, const char *what, struct value v, enum unit unit)
{
	struct value *row;
	char words[VALUE_TEXT_SIZE], time[CLOCK_TEXT];

	if (v.type == VALUE_UNKNOWN)
		return;
	row = table_row(l->s, l->t);
	value_show(words, v, unit);
	if (v.type == VALUE_INT && unit == UNIT_TIME)
		text_copy(words, sizeof words, text_of(clock_rfc3339(time, v.u.i)));
	else if (v.type == VALUE_INT && unit == UNIT_NONE) /* an id: digits without separators */
		snprintf(words, sizeof words, "%lld", (long long)v.u.i);
	set(l, row, "what", value_text(what));
	set(l, row, "value", v.type == VALUE_TEXT ? v : value_text(words));
	set(l, row, "number", v.type == VALUE_INT ? v : value_unknown());
}

/* As its row has it: counted when the table was read. */
static struct value cell(const struct look *l, const char *column)
{
	const struct column_spec *columns = catalog_tables[0].columns;

	for (size_t i = 0; l->r->cells && columns[i].name; i++)
		if (!strcmp(columns[i].name, column))
			return l->r->cells[i];
	return value_unknown();
}

static const struct iceberg_spec *current_spec(const struct iceberg_metadata *m)
{
	for (size_t i = 0; i < m->n_specs; i++)
		if (m->specs[i].id == m->spec)
			return &m->specs[i];
	return NULL;
}

static void fact_refs(struct look *l)
{
	size_t branches = 0;

	for (size_t i = 0; i < l->m->n_refs; i++)
		branches += l->m->refs[i].branch;
	if (l->m->n_refs > 1)
		fact(l, "refs", value_text(arena_printf(l->s->arena, "%zu branches, %zu tags", branches, l->m->n_refs - branches)), UNIT_NONE);
}

static bool put_facts(struct look *l)
{
	static const struct { const char *what, *column; enum unit unit; } counts[] = {
		{"data files", "files", UNIT_COUNT}, {"small files", "small", UNIT_COUNT}, {"delete files", "deletes", UNIT_COUNT},
		{"records", "records", UNIT_RECORDS}, {"size", "bytes", UNIT_BYTES}, {"partitions", "partitions", UNIT_COUNT},
		{"files of the worst", "worst", UNIT_COUNT}, {"manifests", "manifests", UNIT_COUNT}, {"counted by", "measured", UNIT_NONE},
	};
	const struct iceberg_metadata *m = l->m;
	const struct iceberg_snapshot *now = iceberg_current(m);
	const struct iceberg_spec *spec = current_spec(m);

	fact(l, "format", value_text(arena_printf(l->s->arena, "Iceberg v%d", m->format)), UNIT_NONE);
	fact(l, "health", cell(l, "words"), UNIT_NONE);
	fact(l, "due", cell(l, "due"), UNIT_NONE);
	fact(l, "last commit", now ? value_int(now->when) : value_unknown(), UNIT_TIME);
	fact(l, "operation", said(now ? now->operation : NULL), UNIT_NONE);
	fact(l, "by", said(now ? now->engine : NULL), UNIT_NONE);
	fact(l, "commits a day", cell(l, "rate"), UNIT_COUNT);
	fact(l, "snapshots", value_int((int64_t)m->n_snapshots_all), UNIT_COUNT);
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		fact(l, counts[i].what, cell(l, counts[i].column), counts[i].unit);
	fact(l, "target file size", value_int(iceberg_target(m)), UNIT_BYTES);
	fact(l, "partitioned by", value_text(spec && spec->words[0] ? spec->words : "nothing"), UNIT_NONE);
	fact(l, "sorted by", value_text(m->sort && m->sort[0] ? m->sort : "nothing"), UNIT_NONE);
	fact_refs(l);
	fact(l, "current snapshot", now ? value_int(now->id) : value_text("none"), UNIT_NONE);
	fact(l, "metadata size", known(m->bytes), UNIT_BYTES);
	fact(l, "older metadata files", value_int((int64_t)m->n_log), UNIT_COUNT);
	fact(l, "metadata", cell(l, "metadata"), UNIT_NONE);
	fact(l, "location", said(m->location), UNIT_NONE);
	fact(l, "uuid", said(m->uuid), UNIT_NONE);
	if (m->encrypted)
		fact(l, "encrypted", value_text("counts are those of its summary: its manifests cannot be read"), UNIT_NONE);
	if (m->nessie)
		fact(l, "history", value_text("is kept by Nessie: one snapshot is all there is here"), UNIT_NONE);
	if (m->cut)
		fact(l, "left off", value_text("it is larger than laketop keeps: what is oldest is left off"), UNIT_NONE);
	return true;
}

static bool put_properties(struct look *l)
{
	for (size_t i = 0; i < l->m->n_properties; i++) {
		struct value *row = table_row(l->s, l->t);
		int64_t n;

		set(l, row, "what", value_text(l->m->properties[i].key));
		set(l, row, "value", value_text(l->m->properties[i].value));
		set(l, row, "number", text_i64(text_of(l->m->properties[i].value), &n) ? value_int(n) : value_unknown());
	}
	return true;
}

/* ---- snapshots as a tree ---- */

struct line { /* snapshots one after another, newest first, off the line that they branched from */
	size_t head, tail;
	size_t base; /* where it branched off; SIZE_MAX: nobody knows any more */
};
struct node {
	int64_t id;
	size_t at;    /* in m->snapshots */
};
struct tree {
	const struct iceberg_metadata *m;
	struct node *by_id;
	size_t *next;     /* in the order of rows; SIZE_MAX: the last */
	size_t *line_of;  /* 1 + its line; 0: not placed yet */
	int *depth;
	struct line *lines;
	size_t n_lines;
};

static int by_id(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static size_t place_of(const struct tree *t, int64_t id)
{
	const struct node key = {.id = id}, *found = id < 0 ? NULL : bsearch(&key, t->by_id, t->m->n_snapshots, sizeof key, by_id);

	return found ? found->at : SIZE_MAX;
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
		at = place_of(t, t->m->snapshots[at].parent);
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

	for (size_t i = 0; i < n; i++)
		t->by_id[i] = (struct node){t->m->snapshots[i].id, i};
	qsort(t->by_id, n, sizeof *t->by_id, by_id);
	main_head = t->m->has_current ? place_of(t, t->m->current) : SIZE_MAX;
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

static bool put_snapshots(struct look *l)
{
	size_t n = l->m->n_snapshots;
	struct tree t = {
		.m = l->m, .by_id = mem_new(n + 1, sizeof *t.by_id), .next = mem_new(n + 1, sizeof *t.next), .line_of = mem_new(n + 1, sizeof *t.line_of),
		.depth = mem_new(n + 1, sizeof *t.depth), .lines = mem_new(n + 1, sizeof *t.lines),
	};

	grow_tree(&t);
	table_reserve(l->s, l->t, n);
	for (size_t i = 0; i < t.n_lines; i++)
		for (size_t at = i && t.lines[i].base != SIZE_MAX ? SIZE_MAX : t.lines[i].head; at != SIZE_MAX; at = t.next[at])
			put_snapshot(l, &l->m->snapshots[at], t.depth[at]);
	l->t->left_off += l->m->n_snapshots_all - n;
	free(t.by_id);
	free(t.next);
	free(t.line_of);
	free(t.depth);
	free(t.lines);
	return true;
}

static bool put_refs(struct look *l)
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
static bool put_growth(struct look *l)
{
	const struct iceberg_snapshot **line = mem_new(l->m->n_snapshots + 1, sizeof *line);
	struct tree t = {.m = l->m, .by_id = mem_new(l->m->n_snapshots + 1, sizeof *t.by_id)};
	size_t n = 0, at;

	for (size_t i = 0; i < l->m->n_snapshots; i++)
		t.by_id[i] = (struct node){l->m->snapshots[i].id, i};
	qsort(t.by_id, l->m->n_snapshots, sizeof *t.by_id, by_id);
	at = l->m->has_current ? place_of(&t, l->m->current) : SIZE_MAX;
	for (; at != SIZE_MAX && n < l->m->n_snapshots; at = place_of(&t, l->m->snapshots[at].parent))
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
	free(t.by_id);
	free(line);
	return true;
}

static bool put_log(struct look *l)
{
	struct value *row = table_row(l->s, l->t);

	set(l, row, "written", known(l->m->updated));
	set(l, row, "file", cell(l, "metadata"));
	for (size_t i = l->m->n_log; i-- > 0;) {
		row = table_row(l->s, l->t);
		set(l, row, "written", known(l->m->log[i].when));
		set(l, row, "file", said(l->m->log[i].file));
	}
	return true;
}

/* ---- schema and its history ---- */

/* The newest before it; NULL: none. */
static const struct iceberg_schema *schema_before(const struct iceberg_metadata *m, int id)
{
	const struct iceberg_schema *best = NULL;

	for (size_t i = 0; i < m->n_schemas; i++)
		if (m->schemas[i].id < id && (!best || m->schemas[i].id > best->id))
			best = &m->schemas[i];
	return best;
}

static const struct iceberg_field *field_of(const struct iceberg_schema *s, int id)
{
	for (size_t i = 0; s && i < s->n_fields; i++)
		if (s->fields[i].id == id)
			return &s->fields[i];
	return NULL;
}

static const char *change_of(struct look *l, const struct iceberg_schema *before, const struct iceberg_field *f)
{
	const struct iceberg_field *was = field_of(before, f->id);
	struct arena *arena = l->s->arena;

	if (!before)
		return "";
	if (!was)
		return "added";
	if (strcmp(was->name, f->name) != 0)
		return arena_printf(arena, "renamed from %s", was->name);
	if (strcmp(was->type, f->type) != 0)
		return arena_printf(arena, "widened from %s", was->type);
	if (was->required != f->required)
		return f->required ? "now required" : "now optional";
	return was->depth != f->depth ? "moved" : "";
}

static void put_field(struct look *l, const struct iceberg_schema *schema, const struct iceberg_field *f, const char *change)
{
	struct value *row = table_row(l->s, l->t);

	set(l, row, "schema", value_int(schema->id));
	set(l, row, "id", value_int(f->id));
	set(l, row, "column", value_text(f->name));
	set(l, row, "depth", value_int(f->depth));
	set(l, row, "type", value_text(f->type));
	set(l, row, "required", value_bool(f->required));
	set(l, row, "change", said(change));
	set(l, row, "doc", said(f->doc));
}

static void put_schema(struct look *l, const struct iceberg_schema *schema)
{
	const struct iceberg_schema *before = schema_before(l->m, schema->id);

	for (size_t i = 0; i < schema->n_fields; i++)
		put_field(l, schema, &schema->fields[i], change_of(l, before, &schema->fields[i]));
	for (size_t i = 0; before && i < before->n_fields; i++)
		if (!field_of(schema, before->fields[i].id))
			put_field(l, schema, &before->fields[i], "dropped");
}

static bool put_schemas(struct look *l)
{
	for (size_t i = 0; i < l->m->n_schemas; i++)
		if (l->m->schemas[i].id == l->m->schema)
			put_schema(l, &l->m->schemas[i]);
	for (int id = INT32_MAX;;) { /* the others, newest first */
		const struct iceberg_schema *next = schema_before(l->m, id);

		if (!next)
			return true;
		id = next->id;
		if (id != l->m->schema)
			put_schema(l, next);
	}
}

/* ---- partitions and files: what only manifests know ---- */

static bool put_partitions(struct look *l)
{
	const struct iceberg_snapshot *now = iceberg_current(l->m);
	struct iceberg_budget budget = budget_of_a_view();
	struct arena *arena = arena_new((size_t)view_memory);
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
	struct tree times; /* when a snapshot was made */
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
	size_t at = place_of(&k->times, snapshot);

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

static bool put_files(struct look *l)
{
	const struct iceberg_snapshot *now = iceberg_current(l->m);
	struct iceberg_budget budget = budget_of_a_view();
	struct pick k = {
		.l = l, .order = !strcmp(l->view, "files") ? LARGEST : !strcmp(l->view, "files-smallest") ? SMALLEST : OLDEST,
		.heap = mem_new(FILES_SHOWN, sizeof *k.heap), .times = {.m = l->m, .by_id = mem_new(l->m->n_snapshots + 1, sizeof *k.times.by_id)},
	};
	bool good;

	for (size_t i = 0; i < l->m->n_snapshots; i++)
		k.times.by_id[i] = (struct node){l->m->snapshots[i].id, i};
	qsort(k.times.by_id, l->m->n_snapshots, sizeof *k.times.by_id, by_id);
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
	free(k.times.by_id);
	return good;
}

/* ---- previews ---- */

/* Those of this catalog as it has just been listed, beside what all catalogs told. */
static void add_listed(const struct look *l, struct places_known *known)
{
	size_t uuid = 0, location = 0;

	for (const struct column_spec *c = catalog_tables[0].columns; c->name; c++) {
		uuid = strcmp(c->name, "uuid") ? uuid : (size_t)(c - catalog_tables[0].columns);
		location = strcmp(c->name, "location") ? location : (size_t)(c - catalog_tables[0].columns);
	}
	known->at = mem_grow(known->at, known->n + l->k->n_records + 1, sizeof *known->at);
	for (size_t i = 0; i < l->k->n_records; i++) {
		const struct record *r = &l->k->records[i];
		const char *at = NULL;

		if (r == l->r || (r->cells && r->cells[uuid].type == VALUE_TEXT && l->m->uuid[0] && !strcmp(r->cells[uuid].u.s, l->m->uuid)))
			continue;
		if (r->cells && r->cells[location].type == VALUE_TEXT)
			at = r->cells[location].u.s;
		else if (r->at)
			at = r->format == FORMAT_ICEBERG ? places_folder(known->arena, r->at) : r->at;
		if (at && at[0])
			known->at[known->n++] = (struct plan_place){r->name, at};
		else if (r->format != FORMAT_VIEW && !r->error && !places_tells(known, r->name) && !known->untold[0])
			snprintf(known->untold, sizeof known->untold, "where %.120s lies is not read yet", r->name);
	}
}

static bool put_plan(struct look *l, const struct plan_choice *choice,
	bool (*plan)(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct plan_about *a, struct snapshot *s))
{
	const struct catalog *c = l->k->catalog;
	struct arena *arena = arena_new(PLACES_MOST);
	struct places_known known = {0};
	struct value metadata = cell(l, "metadata");
	char engine[NAME_SIZE];
	struct plan_about about = {
		.table = catalog_for_engine(c, l->k->said.named, l->r->name, engine), .engine = engine, .metadata = metadata.type == VALUE_TEXT ? metadata.u.s : "",
		.now = clock_wall_ms(), .budget = budget_of_a_view(),
		.older_than = choice->older_than, .retain_last = choice->retain_last, .target = choice->target, .min_files = choice->min_files,
	};
	bool good;

	if (plan == plan_orphans) {
		places_know(l->k->places, c, l->r->name, l->m->uuid, arena, &known);
		add_listed(l, &known);
		about.others = known.at;
		about.n_others = known.n;
		about.untold = known.untold;
		about.caution = known.caution;
	}
	good = plan(l->p, l->at, l->m, &about, l->s);
	places_known_free(&known);
	arena_free(arena);
	return good;
}

/* ---- */

bool keeper_view(struct keeper *k, struct probe *p, const struct storage *at, struct record *r, const char *view, const struct plan_choice *choice,
	struct snapshot *s)
{
	static const struct {
		const char *view;
		bool (*put)(struct look *l);
		bool (*plan)(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct plan_about *a, struct snapshot *s);
	} views[] = {
		{"table", put_facts, NULL}, {"snapshots", put_snapshots, NULL}, {"refs", put_refs, NULL}, {"partitions", put_partitions, NULL},
		{"files", put_files, NULL}, {"files-smallest", put_files, NULL}, {"files-oldest", put_files, NULL}, {"schema", put_schemas, NULL},
		{"properties", put_properties, NULL}, {"log", put_log, NULL}, {"growth", put_growth, NULL},
		{"compact", NULL, plan_compact}, {"expire", NULL, plan_expire}, {"manifests", NULL, plan_manifests}, {"deletes", NULL, plan_deletes},
		{"orphans", NULL, plan_orphans},
	};
	struct look l = {.k = k, .p = p, .at = at, .r = r, .view = view, .s = s};

	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		if (strcmp(views[i].view, view) != 0)
			continue;
		l.m = keeper_metadata(k, p, at, r, &s->err);
		if (!l.m)
			return false;
		if (views[i].plan)
			return put_plan(&l, choice, views[i].plan);
		l.t = snapshot_table(s, table_views, view);
		return views[i].put(&l);
	}
	return err_set(&s->err, ERR_USAGE, "\"%s\" is nothing that an Iceberg table has", view);
}
