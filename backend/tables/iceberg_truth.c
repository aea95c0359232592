// SPDX-License-Identifier: MIT
/*
 * What a snapshot really holds. The summary's totals are cheap and may lie: one writer that counted
 * wrong poisons every later one. The manifest list has counts, the manifests have sizes. Each step
 * is told only once it is whole.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iceberg_own.h"

enum { FIRST_SLOTS = 1024, MISTRUST_MOST = 160 };

const char *table_measure_word(enum table_measure m)
{
	static const char *const words[] = {[MEASURE_NONE] = "", [MEASURE_SUMMARY] = "summary", [MEASURE_LIST] = "manifest list", [MEASURE_EXACT] = "exact"};

	return words[m];
}

static void add(int64_t *to, int64_t n)
{
	if (__builtin_add_overflow(*to, n, to))
		*to = INT64_MAX; /* sizes that a file claims */
}

/* ---- distinct keys: open addressing, as far as memory reaches ---- */

struct keys {
	uint64_t *at;      /* 0: free */
	uint32_t *index;   /* where the caller keeps what belongs to it; NULL: nowhere */
	size_t n, size;
};
enum seen { SEEN_NEW, SEEN_BEFORE, SEEN_FULL };

static size_t slot_of(const struct keys *k, uint64_t key)
{
	size_t i = (size_t)key & (k->size - 1);

	while (k->at[i] && k->at[i] != key)
		i = (i + 1) & (k->size - 1);
	return i;
}

static bool grow(struct keys *k, bool indexed, int64_t *memory)
{
	size_t one = sizeof *k->at + (indexed ? sizeof *k->index : 0);
	struct keys bigger = {.size = k->size ? 2 * k->size : FIRST_SLOTS, .n = k->n};
	int64_t more = (int64_t)(bigger.size * one);

	if (more > *memory)
		return false;
	*memory -= more - (int64_t)(k->size * one);
	bigger.at = mem_new(bigger.size, sizeof *bigger.at);
	bigger.index = indexed ? mem_new(bigger.size, sizeof *bigger.index) : NULL;
	for (size_t i = 0; i < k->size; i++)
		if (k->at[i]) {
			size_t to = slot_of(&bigger, k->at[i]);

			bigger.at[to] = k->at[i];
			if (indexed)
				bigger.index[to] = k->index[i];
		}
	free(k->at);
	free(k->index);
	*k = bigger;
	return true;
}

static enum seen see(struct keys *k, uint64_t key, bool indexed, int64_t *memory, size_t *slot)
{
	key += !key;
	if (k->n * 4 >= k->size * 3 && !grow(k, indexed, memory))
		return SEEN_FULL;
	*slot = slot_of(k, key);
	if (k->at[*slot])
		return SEEN_BEFORE;
	k->at[*slot] = key;
	k->n++;
	return SEEN_NEW;
}

/* ---- the measure ---- */

struct measure {
	struct iceberg_truth list, exact;
	struct iceberg_budget *budget;
	int64_t small;        /* below which a data file is */
	int64_t deletes_by_entry, vector_bytes; /* bytes as other writers' summaries may count them */
	struct keys paths, partitions;
	struct iceberg_partition *parts;
	size_t n_parts, parts_size;
	struct err why;
};

static const struct iceberg_truth unknown = {.files = -1, .bytes = -1, .records = -1, .delete_files = -1, .position_files = -1, .equality_files = -1,
	.vectors = -1, .delete_bytes = -1, .position_deletes = -1, .equality_deletes = -1, .small = -1, .manifests = -1, .delete_manifests = -1,
	.manifest_bytes = -1, .mistrust = ""};
static const struct iceberg_truth nothing = {.mistrust = ""};

static void no_deletes(struct iceberg_truth *t)
{
	t->position_files = t->equality_files = t->vectors = t->delete_bytes = t->position_deletes = t->equality_deletes = 0;
}

static void take_summary(const struct iceberg_summary *s, struct iceberg_truth *out)
{
	out->files = s->total_files;
	out->records = s->total_records;
	out->delete_files = s->total_delete_files;
	out->position_deletes = s->total_position_deletes;
	out->equality_deletes = s->total_equality_deletes;
	if (s->total_delete_files == 0) {
		out->bytes = s->total_bytes; /* of data and deletes together */
		no_deletes(out);
	}
	out->measured = s->total_files >= 0 ? MEASURE_SUMMARY : MEASURE_NONE;
}

/* Once one is not known the sum is not. */
static void add_known(int64_t *to, int64_t a, int64_t b)
{
	if (a < 0 || b < 0 || *to < 0) {
		*to = -1;
		return;
	}
	add(to, a);
	add(to, b);
}

static bool take_manifest(void *ctx, const struct iceberg_manifest *m)
{
	struct measure *t = ctx;
	struct iceberg_truth *out = &t->list;

	out->manifests++;
	out->delete_manifests += m->deletes;
	add_known(&out->manifest_bytes, m->bytes, 0);
	add_known(m->deletes ? &out->delete_files : &out->files, m->added_files, m->existing_files);
	if (!m->deletes)
		add_known(&out->records, m->added_records, m->existing_records);
	return true;
}

static struct iceberg_partition *partition_of(struct measure *t, const struct iceberg_file *f)
{
	size_t slot = 0;
	enum seen seen = see(&t->partitions, f->partition_key, true, &t->budget->memory, &slot);
	int64_t needs = (int64_t)(sizeof *t->parts + f->partition.len + 1);

	if (seen == SEEN_BEFORE)
		return t->partitions.index[slot] ? &t->parts[t->partitions.index[slot] - 1] : NULL;
	if (seen == SEEN_FULL || needs > t->budget->memory || t->n_parts == UINT32_MAX - 1) {
		t->exact.partitions_cut |= seen == SEEN_FULL;
		return NULL;
	}
	t->budget->memory -= needs;
	if (t->n_parts == t->parts_size) {
		t->parts_size = t->parts_size ? 2 * t->parts_size : 16;
		t->parts = mem_grow(t->parts, t->parts_size, sizeof *t->parts);
	}
	t->parts[t->n_parts] = (struct iceberg_partition){.key = f->partition_key, .spec = f->spec,
		.name = text_copy(mem_new(f->partition.len + 1, 1), f->partition.len + 1, f->partition)};
	t->partitions.index[slot] = (uint32_t)++t->n_parts;
	return &t->parts[t->n_parts - 1];
}

static void take_data(struct measure *t, const struct iceberg_file *f, struct iceberg_partition *in)
{
	bool small = f->bytes < t->small;

	t->exact.files++;
	t->exact.small += small;
	add(&t->exact.bytes, f->bytes);
	add(&t->exact.records, f->records);
	if (!in)
		return;
	in->files++;
	in->small += small;
	add(&in->bytes, f->bytes);
	add(&in->records, f->records);
}

static void take_deletes(struct measure *t, const struct iceberg_file *f, struct iceberg_partition *in, bool new_path)
{
	bool equality = f->content == ICEBERG_EQUALITY_DELETES;

	add(&t->deletes_by_entry, f->bytes);
	add(&t->vector_bytes, f->vector && f->content_bytes >= 0 ? f->content_bytes : f->bytes);
	if (new_path)
		add(&t->exact.delete_bytes, f->bytes);
	if (!new_path && !f->vector)
		return;
	t->exact.delete_files++;
	*(f->vector ? &t->exact.vectors : equality ? &t->exact.equality_files : &t->exact.position_files) += 1;
	add(equality ? &t->exact.equality_deletes : &t->exact.position_deletes, f->records);
	if (in)
		in->delete_files++;
}

static bool take_file(void *ctx, const struct iceberg_file *f)
{
	struct measure *t = ctx;
	size_t slot = 0;
	enum seen seen = see(&t->paths, iceberg_hash(1, f->path.at, f->path.len), false, &t->budget->memory, &slot);
	struct iceberg_partition *in;

	if (seen == SEEN_FULL)
		return err_set(&t->why, ERR_LIMIT, "more files than memory for a look holds");
	if (f->content == ICEBERG_DATA && seen == SEEN_BEFORE)
		return true; /* named twice; it is there once */
	in = partition_of(t, f);
	if (in && f->sequence > in->newest)
		in->newest = f->sequence;
	if (f->content == ICEBERG_DATA)
		take_data(t, f, in);
	else
		take_deletes(t, f, in, seen == SEEN_NEW);
	return true;
}

/* ---- what the summary said, and what there is ---- */

static bool differs(char out[MISTRUST_MOST], int64_t said, int64_t is, const char *what)
{
	if (said < 0 || said == is)
		return false;
	snprintf(out, MISTRUST_MOST, "summary says %" PRId64 " %s, manifests hold %" PRId64, said, what, is);
	return true;
}

/* Writers count a deletion vector's bytes as its own or as its file's, once or for each: none of these is a lie. */
static bool bytes_differ(char out[MISTRUST_MOST], int64_t said, const struct measure *t)
{
	int64_t data = t->exact.bytes;

	if (said == data || said == data + t->deletes_by_entry || said == data + t->vector_bytes)
		return false;
	return differs(out, said, data + t->exact.delete_bytes, "bytes");
}

static void compare(const struct iceberg_summary *s, const struct measure *t, struct arena *arena, struct iceberg_truth *out)
{
	char words[MISTRUST_MOST] = "";

	if (differs(words, s->total_files, out->files, "data files") || differs(words, s->total_delete_files, out->delete_files, "delete files") ||
	    differs(words, s->total_records, out->records, "records") ||
	    differs(words, s->total_position_deletes, out->position_deletes, "position deletes") ||
	    differs(words, s->total_equality_deletes, out->equality_deletes, "equality deletes") || bytes_differ(words, s->total_bytes, t))
		out->mistrust = arena_copy(arena, text_of(words));
}

static int by_files(const void *a, const void *b)
{
	const struct iceberg_partition *x = a, *y = b;

	if (x->files != y->files)
		return x->files < y->files ? 1 : -1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void give_partitions(struct measure *t, struct arena *arena, struct iceberg_truth *out)
{
	size_t n = t->n_parts < ICEBERG_PARTITIONS ? t->n_parts : ICEBERG_PARTITIONS;

	if (t->n_parts)
		qsort(t->parts, t->n_parts, sizeof *t->parts, by_files);
	out->partitions = n ? arena_alloc(arena, n * sizeof *out->partitions) : NULL;
	out->n_partitions = out->partitions ? n : 0;
	out->n_partitions_all = t->partitions.n;
	for (size_t i = 0; i < out->n_partitions; i++) {
		out->partitions[i] = t->parts[i];
		out->partitions[i].name = arena_copy(arena, text_of(t->parts[i].name));
	}
}

static void end(struct measure *t)
{
	for (size_t i = 0; i < t->n_parts; i++)
		free((char *)(uintptr_t)t->parts[i].name);
	free(t->parts);
	free(t->paths.at);
	free(t->partitions.at);
	free(t->partitions.index);
}

static bool measure_list(struct measure *t, const struct iceberg_snapshot *s, const struct buf *list, struct iceberg_truth *out, struct err *err)
{
	t->list = nothing;
	if (!iceberg_list_manifests(s, list, take_manifest, t, err))
		return false;
	out->manifests = t->list.manifests;
	out->delete_manifests = t->list.delete_manifests;
	out->manifest_bytes = t->list.manifest_bytes;
	if (t->list.files < 0 || t->list.delete_files < 0)
		return true; /* of format 1, which need not say: the summary's word stands */
	if (out->files != t->list.files || out->delete_files != t->list.delete_files)
		out->bytes = -1;
	out->files = t->list.files;
	out->delete_files = t->list.delete_files;
	out->records = t->list.records;
	out->measured = MEASURE_LIST;
	if (!out->delete_files)
		no_deletes(out);
	return true;
}

/* What was found in every manifest, in place of what was said of them. */
static void give_exact(struct measure *t, const struct iceberg_snapshot *s, struct arena *arena, struct iceberg_truth *out)
{
	t->exact.manifests = out->manifests;
	t->exact.delete_manifests = out->delete_manifests;
	t->exact.manifest_bytes = out->manifest_bytes;
	t->exact.measured = MEASURE_EXACT;
	*out = t->exact;
	give_partitions(t, arena, out);
	compare(&s->summary, t, arena, out);
}

bool iceberg_measure(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct iceberg_snapshot *s,
	struct iceberg_budget *budget, struct arena *arena, struct iceberg_truth *out, struct err *err)
{
	int64_t target = iceberg_target(m);
	struct measure t = {.budget = budget, .small = target / 4 * 3 + target % 4 * 3 / 4, .exact = nothing};
	struct err why = {0};
	struct buf list;

	*out = unknown;
	if (!s) {
		*out = nothing;
		out->measured = MEASURE_EXACT;
		return true;
	}
	take_summary(&s->summary, out);
	if (iceberg_load_list(p, at, m, s, budget, &list, &why) && measure_list(&t, s, &list, out, &why) &&
	    iceberg_list_files(p, at, s, &list, budget, take_file, &t, &why))
		why = t.why;
	if (!why.code)
		give_exact(&t, s, arena, out);
	else if (err)
		*err = why;
	buf_free(&list);
	end(&t);
	return !why.code;
}
