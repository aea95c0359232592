// SPDX-License-Identifier: MIT
/*
 * How a table does, said only where work is due: by the rules that Iceberg's own procedures choose
 * files by (75 % of the table's target, five of them in one partition, 30 % of rows deleted), its
 * retention policy, and the sizes of its manifests and metadata. What was not measured is not judged.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "plan.h"

enum {
	SMALL_DUE = 5,         /* small files in one partition: what the procedure rewrites */
	SMALL_ILL = 100,
	PAST_DUE = 20,         /* snapshots past their policy */
	PAST_ILL = 1000,
	DELETES_DUE = 5,
	MANIFESTS_DUE = 10,    /* fewer cost nobody anything, whatever their size */
	METADATA_LARGE = 8 << 20,
	METADATA_ILL = 64 << 20,
	OLD_METADATA = 100,
	MANIFEST_TARGET = 8 << 20,
	CROWD = 5,             /* partitions, of which few may hold most files */
};

struct judged {
	const struct iceberg_metadata *m;
	const struct iceberg_truth *t;
	struct table_health *out;
	int64_t now;
	size_t len;
};

static void say(struct judged *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct judged *j, const char *format, ...)
{
	char words[160];
	size_t size = sizeof j->out->words;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(words, sizeof words, format, args);
	va_end(args);
	if (n > 0 && j->len + (size_t)n + 3 < size) /* a whole part or none of it */
		j->len += (size_t)snprintf(j->out->words + j->len, size - j->len, "%s%s", j->len ? "; " : "", words);
}

static void due(struct judged *j, unsigned what, bool ill, double weight)
{
	j->out->due |= what;
	j->out->weight += weight;
	if (j->out->grade != GRADE_ILL)
		j->out->grade = ill ? GRADE_ILL : GRADE_DUE;
}

struct small {
	int64_t most;             /* in one partition */
	int64_t files, bytes;     /* of the partitions that are due; bytes by the partition's average */
	double saved;
};

static void count_small(int64_t files, int64_t small, int64_t bytes, int64_t target, struct small *out)
{
	double share = files > 0 ? (double)bytes * (double)small / (double)files : 0;

	if (small > out->most)
		out->most = small;
	if (small < SMALL_DUE)
		return;
	out->files += small;
	out->bytes += (int64_t)share;
	out->saved += fmax(1, (double)small - ceil(share / (double)target));
}

static struct small small_of(const struct judged *j, const struct plan_sizes *z)
{
	const struct iceberg_truth *t = j->t;
	struct small out = {0};
	int64_t files = 0, small = 0, bytes = 0; /* of other specs: one group */

	for (size_t i = 0; i < t->n_partitions; i++) {
		const struct iceberg_partition *p = &t->partitions[i];

		if (p->spec == j->m->spec) {
			count_small(p->files, p->small, p->bytes, z->target, &out);
			continue;
		}
		files += p->files;
		small += p->small;
		bytes = plan_add(bytes, p->bytes);
	}
	count_small(files, small, bytes, z->target, &out);
	/* an unpartitioned table's totals alone can prove it */
	if (t->measured != MEASURE_EXACT && t->files > 0 && t->bytes >= 0 && j->m->n_specs == 1 && !j->m->specs[0].n_fields)
		count_small(t->files, t->files - t->bytes / (z->least ? z->least : 1), t->bytes, z->target, &out);
	return out;
}

static void judge_files(struct judged *j)
{
	const struct iceberg_truth *t = j->t;
	struct plan_sizes z;
	struct small small;
	double heavy = t->records > 0 && t->position_deletes > 0 ? (double)t->position_deletes / (double)t->records : 0;

	if (plan_sizes_of(iceberg_target(j->m), &z) && t->files > 0) {
		small = small_of(j, &z);
		if (small.most >= SMALL_DUE) {
			due(j, DUE_COMPACT, small.most > SMALL_ILL, small.saved / (1 + (double)small.bytes / (double)(1 << 30)));
			say(j, "%.0f %% of files are under %s", floor(100.0 * (double)(t->small >= 0 ? t->small : small.files) / (double)t->files),
				plan_bytes(z.least).s);
		}
	}
	if (heavy >= 0.3) { /* less moves the procedure to nothing */
		due(j, DUE_COMPACT, true, 100 * heavy);
		say(j, "%.0f %% of its rows are deleted ones", floor(100 * heavy));
	}
}

static void judge_snapshots(struct judged *j)
{
	bool *marks = mem_new(j->m->n_snapshots + 1, sizeof *marks);
	int64_t oldest = j->now;
	struct expire_plan plan;

	expire_mark(j->m, j->now, 0, 0, marks, &plan, NULL);
	for (size_t i = 0; i < j->m->n_snapshots; i++)
		if (j->m->snapshots[i].when < oldest)
			oldest = j->m->snapshots[i].when;
	if (plan.snapshots > PAST_DUE) {
		due(j, DUE_EXPIRE, plan.snapshots > PAST_ILL, (double)plan.snapshots / 4);
		say(j, "%zu snapshots, the oldest %s", j->m->n_snapshots_all, plan_days(j->now - oldest).s);
	}
	free(marks);
}

static void judge_crowd(struct judged *j)
{
	const struct iceberg_truth *t = j->t;
	int64_t files = 0;
	size_t n = 0;

	if (!(j->out->due & DUE_COMPACT) || t->n_partitions < CROWD)
		return;
	while (n < t->n_partitions && (double)files < 0.8 * (double)t->files)
		files += t->partitions[n++].files; /* most files first */
	if (n * 5 <= t->n_partitions_all && (double)files >= 0.8 * (double)t->files)
		say(j, "%zu partition%s of %zu hold%s 80 %% of the files", n, n == 1 ? "" : "s", t->n_partitions_all, n == 1 ? "s" : "");
}

static void judge_manifests(struct judged *j)
{
	int64_t target = iceberg_number(j->m, "commit.manifest.target-size-bytes", MANIFEST_TARGET), fit;

	if (j->t->manifests < MANIFESTS_DUE || j->t->manifest_bytes < 0 || target < 1)
		return;
	fit = j->t->manifest_bytes / target + 1 + (j->t->delete_manifests > 0);
	if (j->t->manifests <= 2 * fit)
		return;
	due(j, DUE_MANIFESTS, false, (double)(j->t->manifests - fit));
	say(j, "%" PRId64 " manifests where %" PRId64 " would do", j->t->manifests, fit);
}

static void judge_deletes(struct judged *j)
{
	int64_t most = 0;

	for (size_t i = 0; i < j->t->n_partitions; i++)
		if (j->t->partitions[i].delete_files > most)
			most = j->t->partitions[i].delete_files;
	if (j->m->format >= 3 || j->t->position_files < DELETES_DUE || most < DELETES_DUE)
		return;
	due(j, DUE_DELETES, false, (double)j->t->position_files);
	say(j, "%" PRId64 " position delete files", j->t->position_files);
}

static void judge_metadata(struct judged *j)
{
	const char *drops = iceberg_property(j->m, "write.metadata.delete-after-commit.enabled");
	bool kept = !drops || text_is(text_of(drops), "false");
	int64_t old = (int64_t)j->m->n_log * (j->m->bytes / 2); /* they grew to what the newest is */

	if (j->m->bytes > METADATA_LARGE) {
		due(j, DUE_METADATA, j->m->bytes > METADATA_ILL, (double)j->m->bytes / (1 << 20));
		say(j, "metadata.json has %s", plan_bytes(j->m->bytes).s);
	} else if (kept && j->m->n_log >= OLD_METADATA && j->t->bytes >= 0 && old > j->t->bytes) {
		due(j, DUE_METADATA, false, (double)old / (1 << 20));
		say(j, "its old metadata.json are larger than its data");
	}
}

/* Were all questions answered that could have found work? */
static bool judged_all(const struct judged *j)
{
	return j->t->measured == MEASURE_EXACT || (j->t->measured != MEASURE_NONE && j->t->files >= 0 && j->t->files < SMALL_DUE);
}

void iceberg_health(const struct iceberg_metadata *m, const struct iceberg_truth *t, int64_t now, struct table_health *out)
{
	struct judged j = {.m = m, .t = t, .out = out, .now = now};

	*out = (struct table_health){.grade = GRADE_UNKNOWN};
	judge_files(&j);
	judge_snapshots(&j);
	judge_crowd(&j);
	judge_manifests(&j);
	judge_deletes(&j);
	judge_metadata(&j);
	if (out->grade == GRADE_UNKNOWN && (judged_all(&j) || (!m->has_current && !m->n_snapshots)))
		out->grade = GRADE_GOOD;
}
