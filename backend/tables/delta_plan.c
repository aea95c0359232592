// SPDX-License-Identifier: MIT
/*
 * What OPTIMIZE and VACUUM would do, and how a Delta table does. Pure.
 *
 * OPTIMIZE: files below 1 GiB, and those of whose rows a deletion vector takes out more than 5 % (or that
 * have a vector and no count of rows), go by size into bins of 1 GiB per partition; a bin of two or more
 * becomes one file. The limits are settings of the session: delta.targetFileSize does not move them.
 * VACUUM: what is old in the folder and neither in the newest version nor removed within the retention.
 * Source: OptimizeExecutor, VacuumCommand of Delta; checked against both of 4.4.0.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delta_own.h"
#include "plan.h"

static const int64_t FILE_SIZE = 1 << 30;                    /* optimize.minFileSize, optimize.maxFileSize */
static const int64_t CUBE_LEAST = 100 * (int64_t)(1 << 30), CUBE_TARGET = 150 * (int64_t)(1 << 30);
enum { DUE_FILES = 5, GROUPS_MAX = 5000, ILL_FILES = 1000, LOG_FACTOR = 10 };

/* ---- OPTIMIZE ---- */

static bool is_candidate(const struct delta_table *t, const struct delta_file *f)
{
	if (t->clustered)
		return !f->provider[0] || !strcmp(f->provider, "liquid");
	if (f->bytes < FILE_SIZE)
		return true;
	if (!f->deleted)
		return false;
	return f->records <= 0 || (double)f->deleted / (double)f->records > 0.05;
}

static int by_size(const void *a, const void *b)
{
	const struct delta_file *x = *(const struct delta_file *const *)a, *y = *(const struct delta_file *const *)b;
	int order = strcmp(x->partition, y->partition);

	if (order)
		return order;
	return x->bytes != y->bytes ? x->bytes < y->bytes ? -1 : 1 : strcmp(x->path, y->path);
}

static int by_cube(const void *a, const void *b)
{
	const struct delta_file *x = *(const struct delta_file *const *)a, *y = *(const struct delta_file *const *)b;
	int order = strcmp(x->cube, y->cube);

	return order ? order : by_size(a, b);
}

/* Cubes that are large enough stay; so does a single one that holds everything. */
static size_t drop_cubes(const struct delta_file **files, size_t n)
{
	size_t kept = 0, cubes = 0;

	for (size_t i = 0, end; i < n; i = end) {
		int64_t bytes = 0;

		for (end = i; end < n && !strcmp(files[end]->cube, files[i]->cube); end++)
			bytes = plan_add(bytes, files[end]->bytes);
		if (files[i]->cube[0] && bytes >= CUBE_LEAST)
			continue;
		cubes++;
		memmove(&files[kept], &files[i], (end - i) * sizeof(struct delta_file *));
		kept += end - i;
	}
	return cubes == 1 && files[0]->cube[0] ? 0 : kept;
}

struct binning {
	const struct delta_table *t;
	struct delta_optimize *out;
	struct delta_group *groups;
	size_t room;
	const char *partition; /* of the last bin that is kept */
};

static void end_bin(struct binning *b, const struct delta_group *bin)
{
	struct delta_optimize *o = b->out;

	if (bin->files < (b->t->clustered ? 1 : 2))
		return;
	o->files += bin->files;
	o->becomes += bin->becomes;
	o->bytes = plan_add(o->bytes, bin->bytes);
	o->vectors += bin->vectors;
	o->partitions += !b->partition || strcmp(b->partition, bin->partition) != 0;
	b->partition = bin->partition;
	if (o->n_groups < b->room)
		b->groups[o->n_groups++] = *bin;
}

static void fill_bins(struct binning *b, const struct delta_file *const *files, size_t n, int64_t most)
{
	struct delta_group bin = {0};

	for (size_t i = 0; i < n; i++) {
		const struct delta_file *f = files[i];
		int64_t bytes = f->bytes > 0 ? f->bytes : 0;

		if (bin.partition && (strcmp(bin.partition, f->partition) != 0 || plan_add(bytes, bin.bytes) > most)) {
			end_bin(b, &bin);
			bin = (struct delta_group){0};
		}
		bin.partition = f->partition;
		bin.files++;
		bin.bytes = plan_add(bin.bytes, bytes);
		bin.vectors += f->deleted > 0;
		bin.becomes = b->t->clustered && bin.bytes > FILE_SIZE ? bin.bytes / FILE_SIZE : 1;
	}
	if (bin.partition)
		end_bin(b, &bin);
}

static int by_group(const void *a, const void *b)
{
	const struct delta_group *x = a, *y = b;

	return x->files != y->files ? x->files < y->files ? 1 : -1 : strcmp(x->partition, y->partition);
}

static const char *optimize_caution(const struct delta_table *t, struct arena *arena)
{
	if (t->catalog_managed)
		return "its catalog does the maintenance of this table; OPTIMIZE by others is refused unless it allows it";
	if (t->unsupported[0])
		return arena_printf(arena, "it uses %.80s, which is not known here", t->unsupported);
	return t->clustered ? "liquid clustering: how many files it becomes is an estimate, and all that is not yet clustered is rewritten" : "";
}

bool delta_optimize(const struct delta_table *t, struct arena *arena, struct delta_optimize *out)
{
	const struct delta_file **files;
	struct binning b = {.t = t, .out = out, .room = t->n_list < GROUPS_MAX ? t->n_list : GROUPS_MAX};
	size_t n = 0;

	*out = (struct delta_optimize){.words = "", .caution = ""};
	if (t->measured != MEASURE_EXACT) {
		*out = (struct delta_optimize){.files = -1, .becomes = -1, .bytes = -1, .partitions = -1, .vectors = -1, .words = t->lacks, .caution = ""};
		return true;
	}
	b.groups = arena_alloc(arena, b.room * sizeof *b.groups + 1);
	if (!b.groups)
		return false;
	files = mem_new(t->n_list, sizeof *files);
	for (size_t i = 0; i < t->n_list; i++)
		if (is_candidate(t, &t->list[i]))
			files[n++] = &t->list[i];
	if (n)
		qsort(files, n, sizeof *files, t->clustered ? by_cube : by_size);
	if (t->clustered && n)
		n = drop_cubes(files, n);
	fill_bins(&b, files, n, t->clustered ? CUBE_TARGET : FILE_SIZE);
	free(files);
	if (out->n_groups)
		qsort(b.groups, out->n_groups, sizeof *b.groups, by_group);
	out->groups = b.groups;
	out->words = out->files ? "" : "there are no two files in any partition that OPTIMIZE would join";
	out->caution = optimize_caution(t, arena);
	return true;
}

/* ---- VACUUM ---- */

/* What is named, by its path under the table's folder; "" of what lies elsewhere. */
static const char *under(const struct delta_table *t, const char *path)
{
	const char *a = strstr(path, "://"), *b = strstr(t->url, "://");
	size_t len;

	if (!a && path[0] != '/' && strncmp(path, "file:", 5) != 0)
		return path;
	a = a ? a + 3 : path + (path[0] == '/' ? 0 : 5);
	b = b ? b + 3 : t->url + (strncmp(t->url, "file:", 5) ? 0 : 5);
	len = strlen(b);
	return !strncmp(a, b, len) && a[len] == '/' ? a + len + 1 : "";
}

struct names { const char **list; size_t n; };

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void name_add(struct names *n, const struct delta_table *t, const char *path)
{
	path = path[0] ? under(t, path) : "";
	if (path[0])
		n->list[n->n++] = path;
}

static bool is_named(const struct names *n, const char *path)
{
	return n->n && bsearch(&path, n->list, n->n, sizeof *n->list, by_name);
}

/* Is anything of it below that folder? */
static bool is_above(const struct names *n, const char *folder)
{
	size_t len = strlen(folder), low = 0, high = n->n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strncmp(n->list[middle], folder, len);

		if (!order && n->list[middle][len] == '/')
			return true;
		if (order < 0 || (!order && (unsigned char)n->list[middle][len] < '/'))
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Whose time is not known is young. */
static bool is_old(const struct delta_found *f, int64_t cutoff)
{
	return !f->folder && f->modified > 0 && f->modified < cutoff;
}

static const char *fate(const struct delta_table *t, const struct delta_found *f, const struct names *stays, const struct names *went,
	const struct names *old, struct delta_vacuum *out)
{
	if (f->folder)
		return is_above(stays, f->path) || is_above(old, f->path) ? "" : "an empty folder, or of young files that nothing names";
	if (!is_old(f, out->cutoff) || is_named(stays, f->path))
		return "";
	if (is_named(went, f->path))
		return "removed longer ago than the retention";
	if (t->removed_since > out->cutoff) {
		out->unsure++;
		return "";
	}
	return "nothing in the log names it";
}

static int by_found(const void *a, const void *b)
{
	return strcmp(((const struct delta_found *)a)->path, ((const struct delta_found *)b)->path);
}

static void names_sort(struct names *n)
{
	if (n->n)
		qsort(n->list, n->n, sizeof *n->list, by_name);
}

bool delta_vacuum(const struct delta_table *t, struct delta_found *found, size_t n, int64_t now, struct arena *arena, struct delta_vacuum *out)
{
	struct names stays, went, old;

	*out = (struct delta_vacuum){.listed = (int64_t)n, .cutoff = now - t->retention, .words = "", .caution = ""};
	if (t->measured != MEASURE_EXACT) {
		out->files = out->folders = out->bytes = -1;
		out->words = t->lacks;
		return true;
	}
	stays = (struct names){mem_new(2 * (t->n_list + t->n_removed), sizeof *stays.list), 0};
	went = (struct names){mem_new(2 * t->n_removed, sizeof *went.list), 0};
	old = (struct names){mem_new(n, sizeof *old.list), 0};
	for (size_t i = 0; i < t->n_list; i++) {
		name_add(&stays, t, t->list[i].path);
		name_add(&stays, t, t->list[i].vector_path);
	}
	for (size_t i = 0; i < t->n_removed; i++) {
		struct names *to = t->removed[i].when < out->cutoff ? &went : &stays;

		name_add(to, t, t->removed[i].path);
		name_add(to, t, t->removed[i].vector_path);
	}
	for (size_t i = 0; i < n; i++)
		if (is_old(&found[i], out->cutoff))
			old.list[old.n++] = found[i].path;
	names_sort(&stays);
	names_sort(&went);
	names_sort(&old);
	for (size_t i = 0; i < n; i++) {
		found[i].why = fate(t, &found[i], &stays, &went, &old, out);
		out->files += found[i].why[0] && !found[i].folder;
		out->folders += found[i].why[0] && found[i].folder;
		out->bytes = plan_add(out->bytes, found[i].why[0] ? found[i].bytes : 0);
	}
	if (n)
		qsort(found, n, sizeof *found, by_found);
	free(stays.list);
	free(went.list);
	free(old.list);
	if (t->catalog_managed)
		out->caution = "its catalog does the maintenance of this table; VACUUM by others is refused unless it allows it";
	else if (t->retention < 7 * (int64_t)86400000)
		out->caution = "its retention is short: what a long commit is about to name, and what a slow reader still reads, may go";
	if (out->unsure)
		out->caution = arena_printf(arena, "%" PRId64 " old files are left out: only the Parquet of checkpoint %" PRId64 " could tell whether they were "
			"removed within the retention", out->unsure, t->checkpoint);
	return true;
}

/* ---- health ---- */

struct sentence { char *at; size_t size, len; };

static void add(struct sentence *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct sentence *s, const char *format, ...)
{
	va_list args;
	int n;

	if (s->len && s->len + 2 < s->size) {
		memcpy(s->at + s->len, "; ", 3);
		s->len += 2;
	}
	va_start(args, format);
	n = vsnprintf(s->at + s->len, s->size - s->len, format, args);
	va_end(args);
	s->len = n < 0 ? s->len : s->len + (size_t)n < s->size ? s->len + (size_t)n : s->size - 1;
}

static void say_files(const struct delta_table *t, struct table_health *h, struct sentence *s)
{
	struct arena *arena = arena_new(GROUPS_MAX * sizeof(struct delta_group) + 4096);
	struct delta_optimize o;
	char size[VALUE_TEXT_SIZE];

	if (delta_optimize(t, arena, &o) && o.files > 0) {
		bool holes = o.vectors > 0 && t->records > 0 && (double)t->deleted / (double)t->records > 0.05;

		if ((o.groups[0].files >= DUE_FILES || holes) && !t->catalog_managed) {
			h->due |= DUE_OPTIMIZE;
			h->grade = o.files >= ILL_FILES && o.becomes * 10 <= o.files ? GRADE_ILL : GRADE_DUE;
			h->weight += (double)(o.files - o.becomes);
		}
		if (t->small && h->due & DUE_OPTIMIZE)
			add(s, "%" PRId64 " %% of files are under %s", t->small * 100 / t->files, value_show(size, value_int(t->target / 4 * 3), UNIT_BYTES));
		if (h->due & DUE_OPTIMIZE)
			add(s, "OPTIMIZE makes %" PRId64 " of %" PRId64 "%s", o.becomes, o.files, t->clustered ? ", about" : "");
	}
	arena_free(arena);
	if (t->vectors > 0 && t->records > 0)
		add(s, "deletion vectors take out %.1f %% of rows", 100.0 * (double)t->deleted / (double)t->records);
}

static void say_log(const struct delta_table *t, struct table_health *h, struct sentence *s)
{
	int64_t since = t->version - t->checkpoint;
	char size[VALUE_TEXT_SIZE], span[CLOCK_TEXT];

	if (t->expired > 0 && t->expired_there && !t->catalog_managed) {
		h->due |= DUE_VACUUM;
		h->weight += (double)t->expired;
		add(s, "%" PRId64 " removed files (%s) are past their retention of %s", t->expired, value_show(size, value_int(t->expired_bytes), UNIT_BYTES),
			clock_span(span, t->retention));
	} else if (t->expired > 0 && t->expired_young) {
		add(s, "%" PRId64 " removed files are past their retention, and younger by their own time: VACUUM leaves them yet", t->expired);
	}
	if (since > LOG_FACTOR * t->interval && since >= 100) {
		h->due |= DUE_METADATA;
		h->weight += (double)since;
		add(s, "%" PRId64 " commits since %s", since, t->checkpoint < 0 ? "its beginning, and no checkpoint" : "its checkpoint");
	}
	if (h->due && h->grade == GRADE_GOOD)
		h->grade = GRADE_DUE;
}

enum { READER_KNOWN = 3 };

/* What no reader could open, or what counts here cannot be trusted of. */
static const char *unreadable(const struct delta_table *t)
{
	if (t->measured == MEASURE_EXACT && t->reader < 0)
		return "its log has no protocol: readers fail";
	if (t->measured == MEASURE_EXACT && !t->id[0])
		return "its log has no metaData: readers fail";
	return NULL;
}

void delta_health(const struct delta_table *t, struct table_health *out)
{
	const char *why = unreadable(t);
	struct sentence s = {out->words, sizeof out->words, 0};

	*out = (struct table_health){.grade = t->measured == MEASURE_NONE ? GRADE_UNKNOWN : GRADE_GOOD};
	if (t->gap >= 0) {
		add(&s, "commit %" PRId64 " is missing from its log: readers fail", t->gap);
		out->weight += 1e6;
	}
	if (why) {
		add(&s, "%s", why);
		out->weight += 1e6;
	}
	if (t->reader > READER_KNOWN)
		add(&s, "it asks for readers of version %d: what is told here may not hold", t->reader);
	say_files(t, out, &s);
	say_log(t, out, &s);
	if (t->gap >= 0 || why)
		out->grade = GRADE_ILL;
	if (t->unsupported[0])
		add(&s, "it uses %.60s, which is not known here", t->unsupported);
	if (t->mistrust[0])
		add(&s, "%.100s", t->mistrust);
	if (t->measured != MEASURE_EXACT && t->lacks[0])
		add(&s, "%.100s", t->lacks);
	if (t->measured != MEASURE_EXACT && !out->due && out->grade == GRADE_GOOD)
		out->grade = GRADE_UNKNOWN;
	if (t->reader > READER_KNOWN && out->grade == GRADE_GOOD)
		out->grade = GRADE_UNKNOWN;
	if (!s.len)
		add(&s, t->files == 0 ? "empty" : "nothing is due");
}
