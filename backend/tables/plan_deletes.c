// SPDX-License-Identifier: MIT
/*
 * What rewrite_position_delete_files would do, by BinPackRewritePositionDeletePlanner of Iceberg
 * 1.8 to 1.11: position deletes outside 75 % to 180 % of their target, in bins by partition as data
 * files are, by size alone. Written anew they are one file per data file that still lives
 * (write.delete.granularity of Spark is file), or as many as fit; what named a file that is gone is
 * dropped. In format 3 only files that are not yet deletion vectors give it a reason.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

static const int64_t bin_most = 100LL << 30;
enum { TARGET = 64 << 20, FILES_LEAST = 5, ROWS_MOST = 2000 };

struct part {
	const char *name;
	uint32_t bin;             /* the open one's number */
	int64_t open_files, open_bytes;
	int64_t files, bytes, bins, fits; /* of bins that are kept; fits: files by size */
};
struct named { /* a data file that a delete file of a bin names */
	uint64_t file;
	uint32_t part, bin;
	bool lives;
};
struct deletes {
	struct plan_sizes sizes;
	int64_t memory;
	struct arena *names;
	struct plan_map parts_of, named_of; /* index + 1; named by file, part and bin */
	struct plan_map kept;               /* bins that are kept, by part and number */
	struct part *parts;
	size_t n_parts, room_parts;
	struct named *named;
	size_t n_named, room_named;
	int64_t all, vectors, equality, unknown; /* unknown: those that do not say of which file they are */
	bool full;
};

static bool used_up(struct deletes *d)
{
	d->full = true;
	return false;
}

static uint64_t bin_key(uint32_t part, uint32_t bin)
{
	return plan_hash_more((uint64_t)part << 32 | bin, 11);
}

static bool close_bin(struct deletes *d, uint32_t i)
{
	struct part *p = &d->parts[i];
	int64_t n = p->open_files;

	if ((n > 1 && (n >= FILES_LEAST || p->open_bytes > d->sizes.target)) || p->open_bytes > d->sizes.most) {
		int64_t *kept = plan_map_add(&d->kept, bin_key(i, p->bin));

		if (!kept)
			return used_up(d);
		*kept = 1;
		p->bins++;
		p->files += n;
		p->bytes = plan_add(p->bytes, p->open_bytes);
		p->fits += plan_becomes(&d->sizes, p->open_bytes);
	}
	p->open_files = p->open_bytes = 0;
	p->bin++;
	return true;
}

static int64_t part_of(struct deletes *d, const struct iceberg_file *f)
{
	int64_t *index = plan_map_add(&d->parts_of, f->partition_key);

	if (!index)
		return -1;
	if (*index)
		return *index - 1;
	if (d->n_parts == d->room_parts && !plan_grow(&d->parts, &d->room_parts, sizeof *d->parts, &d->memory))
		return -1;
	d->parts[d->n_parts++] = (struct part){.name = f->partition.len ? arena_clean(d->names, f->partition) : "all position deletes"};
	*index = (int64_t)d->n_parts;
	return *index - 1;
}

static bool take_name(struct deletes *d, const struct iceberg_file *f, uint32_t part)
{
	uint64_t file = plan_hash(f->referenced);
	int64_t *known = plan_map_add(&d->named_of, plan_hash_more(file, bin_key(part, d->parts[part].bin)));

	if (!known || (d->n_named == d->room_named && !plan_grow(&d->named, &d->room_named, sizeof *d->named, &d->memory)))
		return used_up(d);
	if (!*known) {
		d->named[d->n_named++] = (struct named){.file = file, .part = part, .bin = d->parts[part].bin};
		*known = (int64_t)d->n_named;
	}
	return true;
}

static bool take_delete(struct deletes *d, const struct iceberg_file *f)
{
	int64_t bytes = f->vector && f->content_bytes >= 0 ? f->content_bytes : f->bytes, part;

	bytes = bytes > 0 ? bytes : 0;
	d->all++;
	d->vectors += f->vector;
	d->unknown += !f->referenced.len;
	if (bytes >= d->sizes.least && bytes <= d->sizes.most)
		return true;
	part = part_of(d, f);
	if (part < 0)
		return used_up(d);
	if (d->parts[part].open_files && bytes > bin_most - d->parts[part].open_bytes && !close_bin(d, (uint32_t)part))
		return false;
	d->parts[part].open_files++;
	d->parts[part].open_bytes += bytes;
	return !f->referenced.len || take_name(d, f, (uint32_t)part);
}

static bool take_deletes(void *ctx, const struct iceberg_file *f)
{
	struct deletes *d = ctx;

	if (f->content == ICEBERG_DATA)
		return false; /* deletes come first */
	d->equality += f->content == ICEBERG_EQUALITY_DELETES;
	return f->content == ICEBERG_EQUALITY_DELETES || take_delete(d, f);
}

struct living {
	struct deletes *d;
	struct plan_map first; /* of a file: index + 1 into named */
};

static bool take_data(void *ctx, const struct iceberg_file *f)
{
	struct living *l = ctx;
	int64_t *alive;

	if (f->content != ICEBERG_DATA)
		return true;
	alive = plan_map_find(&l->first, plan_hash(f->path));
	if (alive)
		*alive = 1;
	return true;
}

/* Which of the files that deletes name still live. */
static bool mark_living(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, struct iceberg_budget *budget,
	struct deletes *d, struct err *err)
{
	struct living l = {.d = d, .first = {.memory = &d->memory}};
	bool good = true;

	for (size_t i = 0; i < d->n_named && good; i++)
		good = plan_map_add(&l.first, d->named[i].file) || err_set(err, ERR_LIMIT, "more delete files than memory was given for");
	good = good && iceberg_each_file(p, at, m, iceberg_current(m), budget, take_data, &l, err);
	for (size_t i = 0; i < d->n_named && good; i++)
		d->named[i].lives = *plan_map_find(&l.first, d->named[i].file) > 0;
	plan_map_free(&l.first);
	return good;
}

static bool by_file(const struct iceberg_metadata *m)
{
	const char *granularity = iceberg_property(m, "write.delete.granularity");

	return m->format >= 3 || !granularity || strcasecmp(granularity, "partition");
}

struct sums {
	int64_t files, bytes, bins, becomes, partitions;
};

static void add_row(struct snapshot *s, struct table *t, const struct part *p, int64_t becomes, bool at_least)
{
	struct value *row, n = value_int(becomes);

	if (t->n_rows >= ROWS_MOST) {
		t->left_off++;
		return;
	}
	n.at_least = at_least;
	row = table_row(s, t);
	table_set(s, t, row, "what", value_text(p->name));
	table_set(s, t, row, "files", value_int(p->files));
	table_set(s, t, row, "becomes", n);
	table_set(s, t, row, "bytes", value_int(p->bytes));
	table_set(s, t, row, "why", value_text(p->bins > 1 ? "more than one bin" : p->files >= FILES_LEAST ? "five or more files of the wrong size"
		: "together larger than the target"));
}

static void sum_up(struct snapshot *s, struct table *t, const struct deletes *d, bool one_each, struct sums *out)
{
	int64_t *lives = mem_new(d->n_parts + 1, sizeof *lives);

	for (size_t i = 0; i < d->n_named; i++)
		lives[d->named[i].part] += d->named[i].lives && plan_map_find(&d->kept, bin_key(d->named[i].part, d->named[i].bin));
	for (size_t i = 0; i < d->n_parts; i++) {
		const struct part *p = &d->parts[i];
		int64_t becomes = one_each ? lives[i] : p->fits;

		if (!p->bins)
			continue;
		out->files += p->files;
		out->bytes = plan_add(out->bytes, p->bytes);
		out->bins += p->bins;
		out->becomes += becomes;
		out->partitions++;
		if (t)
			add_row(s, t, p, becomes, one_each && d->unknown);
	}
	free(lives);
}

static void tell(struct snapshot *s, const struct deletes *d, const struct iceberg_metadata *m, const struct plan_about *a)
{
	struct table *t = snapshot_table(s, table_views, "deletes");
	bool one_each = by_file(m), vectors_only = m->format >= 3 && d->vectors == d->all;
	struct sums sums = {0};
	struct value becomes;

	if (!vectors_only)
		sum_up(s, t, d, one_each, &sums);
	becomes = value_int(sums.becomes);
	becomes.at_least = one_each && d->unknown && sums.files;
	plan_figure(s, "files", sums.files);
	snapshot_figure(s, plan_figures, "becomes", becomes);
	plan_figure(s, "bytes", sums.bytes);
	plan_figure(s, "groups", sums.bins);
	plan_figure(s, "partitions", sums.partitions);
	if (d->equality)
		plan_say(s, "caution", "%" PRId64 " equality delete files stay: the procedure does not take them", d->equality);
	if (sums.files) {
		plan_say(s, "words", "%" PRId64 " position delete files of %s become %s%" PRId64 " in %" PRId64 " partition%s", sums.files,
			plan_bytes(sums.bytes / sums.files).s, becomes.at_least ? "at least " : "", sums.becomes, sums.partitions,
			sums.partitions == 1 ? "" : "s");
		plan_sql(s, a, "rewrite_position_delete_files", "");
	} else if (!d->all) {
		plan_say(s, "words", "nothing to do: there are no position deletes");
	} else if (vectors_only) {
		plan_say(s, "words", "nothing to do: all %" PRId64 " are deletion vectors, which need no rewrite", d->all);
	} else {
		plan_say(s, "words", "nothing to do: of %" PRId64 " position delete files no partition has %d that belong together", d->all, FILES_LEAST);
	}
}

static bool read_all(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, struct iceberg_budget *budget,
	struct deletes *d, struct err *err)
{
	if (!iceberg_current(m))
		return true;
	if (!iceberg_each_file(p, at, m, iceberg_current(m), budget, take_deletes, d, err))
		return false;
	for (size_t i = 0; i < d->n_parts && !d->full; i++)
		close_bin(d, (uint32_t)i);
	if (d->full)
		return err_set(err, ERR_LIMIT, "more delete files than memory was given for");
	return !d->kept.n || !by_file(m) || mark_living(p, at, m, budget, d, err);
}

bool plan_deletes(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct plan_about *a, struct snapshot *s)
{
	struct iceberg_budget budget = a->budget;
	struct deletes d = {.memory = a->budget.memory / 4};
	bool good;

	if (!plan_sizes_of(iceberg_number(m, "write.delete.target-file-size-bytes", TARGET), &d.sizes)) {
		snapshot_table(s, table_views, "deletes");
		plan_say(s, "words", "nothing can be done: write.delete.target-file-size-bytes is a size that the procedure refuses");
		return true;
	}
	budget.memory /= 2;
	d.names = arena_new((size_t)d.memory);
	d.parts_of.memory = d.named_of.memory = d.kept.memory = &d.memory;
	good = read_all(p, at, m, &budget, &d, &s->err);
	if (good)
		tell(s, &d, m, a);
	plan_map_free(&d.parts_of);
	plan_map_free(&d.named_of);
	plan_map_free(&d.kept);
	free(d.parts);
	free(d.named);
	arena_free(d.names);
	return good;
}
