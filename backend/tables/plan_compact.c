// SPDX-License-Identifier: MIT
/*
 * What rewrite_data_files would do, by BinPackRewriteFilePlanner of Iceberg 1.8 to 1.11 with its
 * defaults: files outside 75 % to 180 % of the target, or with 30 % of their rows deleted by what
 * is known to be of that file alone, are packed partition by partition into bins of 100 GiB in the
 * order of the scan, one bin open at a time. A bin is rewritten where it holds five files, or two
 * and more bytes than the target, or too many bytes, or a file of the second kind. Files of another
 * partition spec than the current one share one bin. So a bin's sums are enough, and a million
 * files cost no more than their partitions and their deletes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "plan.h"

static const int64_t bin_most = 100LL << 30;
static const double ratio_most = 0.3;
enum { FILES_LEAST = 5, ROWS_MOST = 2000, FRESH_MS = 10 * 60000 };

enum scope { OF_ONE_FILE, VECTOR, WIDE_POSITION, WIDE_EQUALITY };
struct delete_file {
	int64_t sequence, records;
	uint32_t next; /* of the same file or partition: index + 1 */
	uint8_t scope;
	bool counted;
};

struct bin {
	int64_t files, bytes, deletes, oldest; /* oldest: sequence number */
	bool lives;                            /* a row of it may be left */
	bool must;                             /* holds a file that its deletes put there */
};
struct group { /* a partition, or all files of other specs */
	uint64_t key;
	const char *name;
	bool other;
	int64_t candidates, small; /* small: of them, below the least size */
	struct bin open;
	int64_t bins, by_deletes, files, bytes, becomes, deletes; /* of bins that are kept */
};

struct compact {
	struct plan_sizes sizes;
	int64_t files_least;
	int spec;
	int64_t memory;
	bool full;
	struct arena *names;
	struct plan_map deletes_of, groups_of; /* index + 1 */
	struct delete_file *deletes;
	size_t n_deletes, room_deletes;
	struct group *groups;
	size_t n_groups, room_groups;
	int64_t all, small, wide;
};

struct compact *compact_new(const struct iceberg_metadata *m, int64_t target, int64_t least, int64_t memory)
{
	struct plan_sizes sizes;
	struct compact *c;

	if (!plan_sizes_of(target > 0 ? target : iceberg_target(m), &sizes))
		return NULL;
	c = mem_new(1, sizeof *c);
	c->sizes = sizes;
	c->files_least = least > 0 ? least : FILES_LEAST;
	c->spec = m->spec;
	c->names = arena_new((size_t)(memory / 4));
	c->memory = memory - memory / 4;
	c->deletes_of.memory = c->groups_of.memory = &c->memory;
	return c;
}

static void compact_free(struct compact *c)
{
	plan_map_free(&c->deletes_of);
	plan_map_free(&c->groups_of);
	free(c->deletes);
	free(c->groups);
	arena_free(c->names);
	free(c);
}

static bool out_of_memory(struct compact *c)
{
	c->full = true;
	return false;
}

static bool take_delete(struct compact *c, const struct iceberg_file *f)
{
	bool of_one = f->content == ICEBERG_POSITION_DELETES && f->referenced.len;
	struct delete_file d = {.sequence = f->sequence, .records = f->records};
	int64_t *first;

	d.scope = f->content == ICEBERG_EQUALITY_DELETES ? WIDE_EQUALITY : !of_one ? WIDE_POSITION : f->vector ? VECTOR : OF_ONE_FILE;
	c->wide += !of_one;
	if (c->n_deletes == c->room_deletes && !plan_grow(&c->deletes, &c->room_deletes, sizeof *c->deletes, &c->memory))
		return out_of_memory(c);
	first = plan_map_add(&c->deletes_of, of_one ? plan_hash(f->referenced) : f->partition_key);
	if (!first || c->n_deletes >= UINT32_MAX - 1)
		return out_of_memory(c);
	d.next = (uint32_t)*first;
	c->deletes[c->n_deletes++] = d;
	*first = (int64_t)c->n_deletes;
	return true;
}

static struct delete_file *first_delete(const struct compact *c, uint64_t key)
{
	const int64_t *first = plan_map_find(&c->deletes_of, key);

	return first ? &c->deletes[*first - 1] : NULL;
}

static struct delete_file *next_delete(const struct compact *c, const struct delete_file *d)
{
	return d->next ? &c->deletes[d->next - 1] : NULL;
}

struct own {
	int64_t files, records;
	bool exact; /* records: none counted twice */
};

/* The deletes of this one file. Where it has a vector, nothing else applies. */
static struct own own_deletes(const struct compact *c, const struct iceberg_file *f)
{
	struct own own = {0}, vector = {0};

	for (const struct delete_file *d = first_delete(c, plan_hash(f->path)); d; d = next_delete(c, d)) {
		struct own *o = d->scope == VECTOR ? &vector : &own;

		if (d->sequence < f->sequence || d->scope > VECTOR)
			continue;
		o->files++;
		o->records = plan_add(o->records, d->records);
	}
	own.exact = own.files == 1;
	vector.exact = true;
	return vector.files ? vector : own;
}

static int64_t wide_deletes(struct compact *c, const struct group *g, const struct bin *b)
{
	int64_t n = 0;

	if (g->other)
		return 0;
	for (struct delete_file *d = first_delete(c, g->key); d; d = next_delete(c, d)) {
		bool applies = d->scope == WIDE_EQUALITY ? d->sequence > b->oldest : d->scope == WIDE_POSITION && d->sequence >= b->oldest;

		n += applies && !d->counted;
		d->counted = d->counted || applies;
	}
	return n;
}

static void close_bin(struct compact *c, struct group *g)
{
	struct bin *b = &g->open;
	bool by_size = (b->files > 1 && (b->files >= c->files_least || b->bytes > c->sizes.target)) || b->bytes > c->sizes.most;

	if (b->files && (by_size || b->must)) {
		g->bins++;
		g->by_deletes += !by_size;
		g->files += b->files;
		g->bytes = plan_add(g->bytes, b->bytes);
		g->becomes += b->lives ? plan_becomes(&c->sizes, b->bytes) : 0;
		g->deletes += b->deletes + wide_deletes(c, g, b);
	}
	*b = (struct bin){0};
}

static struct group *group_of(struct compact *c, const struct iceberg_file *f)
{
	bool other = f->spec != c->spec;
	int64_t *index = plan_map_add(&c->groups_of, other ? 1 : plan_hash_more(f->partition_key, 1));
	struct group *g;

	if (!index)
		return NULL;
	if (*index)
		return &c->groups[*index - 1];
	if (c->n_groups == c->room_groups && !plan_grow(&c->groups, &c->room_groups, sizeof *c->groups, &c->memory))
		return NULL;
	g = &c->groups[c->n_groups++];
	*g = (struct group){.key = f->partition_key, .other = other};
	g->name = other ? "files of older partition specs" : f->partition.len ? arena_clean(c->names, f->partition) : "all files";
	*index = (int64_t)c->n_groups;
	return g;
}

bool compact_take(void *compact, const struct iceberg_file *f)
{
	struct compact *c = compact;
	int64_t bytes = f->bytes > 0 ? f->bytes : 0;
	bool small = bytes < c->sizes.least, heavy;
	struct own own;
	struct group *g;

	if (f->content != ICEBERG_DATA)
		return take_delete(c, f);
	c->all++;
	c->small += small;
	own = own_deletes(c, f);
	heavy = own.files && f->records > 0 && (double)(own.records < f->records ? own.records : f->records) / (double)f->records >= ratio_most;
	if (!small && bytes <= c->sizes.most && !heavy)
		return true;
	g = group_of(c, f);
	if (!g)
		return out_of_memory(c);
	g->candidates++;
	g->small += small;
	if (g->open.files && bytes > bin_most - g->open.bytes)
		close_bin(c, g);
	if (!g->open.files || f->sequence < g->open.oldest)
		g->open.oldest = f->sequence;
	g->open.files++;
	g->open.bytes = plan_add(g->open.bytes, bytes);
	g->open.deletes += own.files;
	g->open.must = g->open.must || heavy;
	g->open.lives = g->open.lives || !own.exact || own.records < f->records;
	return true;
}

static void sum_up(struct compact *c, struct compact_plan *out)
{
	*out = (struct compact_plan){.target = c->sizes.target, .least = c->sizes.least, .most = c->sizes.most};
	for (size_t i = 0; i < c->n_groups; i++) {
		struct group *g = &c->groups[i];

		close_bin(c, g);
		out->candidates += g->candidates;
		out->groups += g->bins;
		out->files += g->files;
		out->bytes = plan_add(out->bytes, g->bytes);
		out->becomes += g->becomes;
		out->deletes += g->deletes;
		out->partitions += g->bins > 0;
		out->other_specs += g->other ? g->files : 0;
	}
}

bool compact_end(struct compact *c, struct compact_plan *out, struct err *err)
{
	bool full = c->full;

	sum_up(c, out);
	compact_free(c);
	return !full || err_set(err, ERR_LIMIT, "more partitions and delete files than memory was given for");
}

/* ---- the view ---- */

static int by_files(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->files != y->files)
		return x->files < y->files ? 1 : -1;
	return (x->candidates < y->candidates) - (x->candidates > y->candidates);
}

static void add_row(struct snapshot *s, struct table *t, const struct compact *c, const struct group *g)
{
	struct value *row = table_row(s, t), becomes = value_int(g->becomes);
	char why[160];

	becomes.at_least = g->other;
	if (g->by_deletes == g->bins)
		snprintf(why, sizeof why, "a file has 30 %% or more of its rows deleted");
	else if (g->other)
		snprintf(why, sizeof why, "an older partition spec, written anew by the current one");
	else
		snprintf(why, sizeof why, "%" PRId64 " files are under %s%s", g->small, plan_bytes(c->sizes.least).s,
			g->small < g->candidates ? ", others too large or with many deletes" : "");
	table_set(s, t, row, "what", value_text(g->name));
	table_set(s, t, row, "files", value_int(g->files));
	table_set(s, t, row, "becomes", becomes);
	table_set(s, t, row, "bytes", value_int(g->bytes));
	table_set(s, t, row, "why", value_text(why));
}

static void add_rows(struct snapshot *s, struct compact *c)
{
	struct table *t = snapshot_table(s, table_views, "compact");

	if (!t)
		return;
	if (c->n_groups)
		qsort(c->groups, c->n_groups, sizeof *c->groups, by_files);
	for (size_t i = 0; i < c->n_groups && c->groups[i].files; i++) {
		if (t->n_rows < ROWS_MOST)
			add_row(s, t, c, &c->groups[i]);
		else
			t->left_off++;
	}
}

static void say_what(struct snapshot *s, const struct compact *c, const struct compact_plan *plan)
{
	if (!c->all)
		plan_say(s, "words", "nothing to do: there are no files");
	else if (!plan->files && !plan->candidates)
		plan_say(s, "words", "nothing to do: %s of %" PRId64 " files %s between %s and %s", c->all == 1 ? "the one" : "all", c->all,
			c->all == 1 ? "is" : "are", plan_bytes(plan->least).s, plan_bytes(plan->most).s);
	else if (!plan->files)
		plan_say(s, "words", "nothing to do: %" PRId64 " of %" PRId64 " files are under %s, but no partition has %" PRId64 " that belong together",
			plan->candidates, c->all, plan_bytes(plan->least).s, c->files_least);
	else
		plan_say(s, "words", "%" PRId64 " files of %s on average become %s%" PRId64 " in %" PRId64 " partition%s; rewrites %s", plan->files,
			plan_bytes(plan->bytes / plan->files).s, plan->other_specs ? "at least " : "", plan->becomes, plan->partitions,
			plan->partitions == 1 ? "" : "s", plan_bytes(plan->bytes).s);
}

static void say_caution(struct snapshot *s, const struct compact *c, const struct compact_plan *plan, int64_t age)
{
	char words[600] = "";
	size_t len = 0;
	int64_t by_deletes = 0;

	for (size_t i = 0; i < c->n_groups; i++)
		by_deletes += c->groups[i].by_deletes;
	if (plan->files && age >= 0 && age < FRESH_MS)
		len += (size_t)snprintf(words + len, sizeof words - len, "; last commit %s ago: a rewrite fails where new deletes meet its files",
			plan_days(age).s);
	if (by_deletes)
		len += (size_t)snprintf(words + len, sizeof words - len, "; %" PRId64 " group%s for their deletes: Iceberg before 1.8 leaves those alone",
			by_deletes, by_deletes == 1 ? " is taken only" : "s are taken only");
	if (plan->files && c->wide)
		len += (size_t)snprintf(words + len, sizeof words - len, "; %" PRId64 " delete files stay in the metadata: remove-dangling-deletes drops them",
			c->wide);
	if (plan->other_specs)
		snprintf(words + len, sizeof words - len, "; files of older partition specs become as many as today's partitions ask for");
	if (words[0])
		plan_say(s, "caution", "%s", words + 2);
}

static void put_sql(struct snapshot *s, const struct plan_about *a)
{
	char rest[160] = "";
	int n = 0;

	if (a->target > 0 || a->min_files > 0)
		n = snprintf(rest, sizeof rest, ", options => map(");
	if (a->target > 0)
		n += snprintf(rest + n, sizeof rest - (size_t)n, "'target-file-size-bytes', '%" PRId64 "'", a->target);
	if (a->min_files > 0)
		n += snprintf(rest + n, sizeof rest - (size_t)n, "%s'min-input-files', '%" PRId64 "'", a->target > 0 ? ", " : "", a->min_files);
	if (n)
		snprintf(rest + n, sizeof rest - (size_t)n, ")");
	plan_sql(s, a, "rewrite_data_files", rest);
}

static void tell(struct snapshot *s, struct compact *c, const struct iceberg_metadata *m, const struct plan_about *a)
{
	const struct iceberg_snapshot *now = iceberg_current(m);
	struct compact_plan plan;
	struct value becomes;

	sum_up(c, &plan);
	becomes = value_int(plan.becomes);
	becomes.at_least = plan.other_specs > 0;
	plan_figure(s, "files", plan.files);
	snapshot_figure(s, plan_figures, "becomes", becomes);
	plan_figure(s, "bytes", plan.bytes);
	plan_figure(s, "groups", plan.groups);
	plan_figure(s, "partitions", plan.partitions);
	plan_figure(s, "deletes", plan.deletes);
	say_what(s, c, &plan);
	say_caution(s, c, &plan, now ? a->now - now->when : -1);
	if (plan.files)
		put_sql(s, a);
	add_rows(s, c);
}

bool plan_compact(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct plan_about *a, struct snapshot *s)
{
	struct iceberg_budget budget = a->budget;
	const struct iceberg_snapshot *now = iceberg_current(m);
	struct compact *c = compact_new(m, a->target, a->min_files, budget.memory / 2);
	bool good = true;

	if (!c) {
		snapshot_table(s, table_views, "compact");
		plan_say(s, "words", "nothing can be done: a target of %" PRId64 " bytes is a size that the procedure refuses", a->target > 0 ? a->target :
			iceberg_target(m));
		return true;
	}
	budget.memory -= budget.memory / 2;
	if (now)
		good = iceberg_each_file(p, at, m, now, &budget, compact_take, c, &s->err);
	if (good && c->full)
		good = err_set(&s->err, ERR_LIMIT, "more partitions and delete files than memory was given for");
	if (good)
		tell(s, c, m, a);
	compact_free(c);
	return good;
}
