// SPDX-License-Identifier: MIT
/* Tables that Spark wrote, read without it: every figure is what Spark's own metadata tables say, to the last digit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture_lakehouse.h"

enum { WAIT_MS = 60000, PATHS_MAX = 4096 };

struct measured { /* one that is measured */
	struct fake_probe f;
	struct storage at;
	struct lakehouse *l;
	struct iceberg_metadata *m;
	const struct iceberg_snapshot *s;
	struct iceberg_truth t;
	struct err err;
	bool fine;
};

static struct iceberg_budget plenty(void)
{
	return (struct iceberg_budget){.bytes = 1 << 30, .files = 100000, .memory = 64 << 20};
}

static void open_table(struct measured *t, struct lakehouse *l, const char *space, const char *name)
{
	char folder[200];
	struct iceberg_budget budget = plenty();

	snprintf(folder, sizeof folder, "s3://lakehouse/warehouse/%s/%s", space, name);
	*t = (struct measured){.l = l, .at = lakehouse_storage(l)};
	fake_probe_begin(&t->f, t->at.s3, WAIT_MS);
	t->m = lakehouse_table(l, &t->f.p, folder);
	t->s = iceberg_current(t->m);
	t->fine = iceberg_measure(&t->f.p, &t->at, t->m, t->s, &budget, t->f.s->arena, &t->t, &t->err);
}

static void close_table(struct measured *t)
{
	iceberg_metadata_free(t->m);
	fake_probe_end(&t->f);
}

/* ---- what Spark's `files` table has, entry by entry ---- */

struct entries {
	char *paths[PATHS_MAX];   /* distinct, of one kind of file */
	size_t n, rows;
	bool deletes;             /* which kind */
	int64_t bytes, least, most;
	int specs[16];
	size_t n_specs;
};

static bool is_new(char **paths, size_t *n, struct text path)
{
	for (size_t i = 0; i < *n; i++)
		if (text_is(path, paths[i]))
			return false;
	assert_true(*n < PATHS_MAX);
	paths[*n] = mem_new(path.len + 1, 1);
	text_copy(paths[(*n)++], path.len + 1, path);
	return true;
}

static void free_paths(char **paths, size_t n)
{
	while (n--)
		free(paths[n]);
}

static bool take_entry(void *ctx, const struct iceberg_file *f)
{
	struct entries *e = ctx;
	size_t i = 0;

	if (f->status == ICEBERG_DELETED)
		return true;
	while (i < e->n_specs && e->specs[i] != f->spec)
		i++;
	if (i == e->n_specs && i < 16)
		e->specs[e->n_specs++] = f->spec;
	if ((f->content != ICEBERG_DATA) != e->deletes)
		return true;
	e->rows++;
	e->bytes += f->bytes;
	if (e->rows == 1 || f->bytes < e->least)
		e->least = f->bytes;
	if (f->bytes > e->most)
		e->most = f->bytes;
	is_new(e->paths, &e->n, f->path);
	return true;
}

/* ---- what `all_manifests` and `all_data_files` have: over every snapshot, each manifest once ---- */

struct everything {
	struct measured *t;
	char *manifests[PATHS_MAX];
	size_t n;
	struct entries data;
};

static bool take_manifest(void *ctx, const struct iceberg_manifest *m)
{
	struct everything *all = ctx;
	char url[400];
	struct err err = {0};

	if (is_new(all->manifests, &all->n, m->path) && !m->deletes)
		assert_true(iceberg_read_manifest(lakehouse_object(all->t->l, text_copy(url, sizeof url, m->path)), m, take_entry, &all->data, &err));
	return true;
}

static void read_everything(struct everything *all)
{
	for (size_t i = 0; i < all->t->m->n_snapshots; i++) {
		struct iceberg_budget budget = plenty();

		assert_true(iceberg_each_manifest(&all->t->f.p, &all->t->at, all->t->m, &all->t->m->snapshots[i], &budget, take_manifest, all, NULL));
	}
}

/* ---- the same? ---- */

static const char *asked; /* the table in question, for messages */

static void assert_says(const struct json *truth, const char *key, int64_t is)
{
	int64_t said = 0;

	json_i64(json_get(truth, key), &said); /* null of an empty table is 0 here */
	if (said != is)
		fail_msg("%s: %s is %lld, Spark says %lld", asked, key, (long long)is, (long long)said);
}

static void assert_files(struct measured *t, const struct json *truth)
{
	struct entries *both = mem_new(2, sizeof *both), *data = &both[0], *deletes = &both[1];
	struct iceberg_budget budget = plenty(), again = plenty();

	deletes->deletes = true;
	if (t->s) {
		assert_true(iceberg_each_file(&t->f.p, &t->at, t->m, t->s, &budget, take_entry, data, NULL));
		assert_true(iceberg_each_file(&t->f.p, &t->at, t->m, t->s, &again, take_entry, deletes, NULL));
	}
	assert_says(truth, "min_file", data->least);
	assert_says(truth, "max_file", data->most);
	assert_says(truth, "specs", (int64_t)data->n_specs);
	assert_says(truth, "delete_bytes_by_entry", deletes->bytes);
	assert_says(truth, "distinct_delete_paths", (int64_t)deletes->n);
	free_paths(data->paths, data->n);
	free_paths(deletes->paths, deletes->n);
	free(both);
}

static void assert_all(struct measured *t, const struct json *truth)
{
	struct everything *all = mem_new(1, sizeof *all);

	all->t = t;
	read_everything(all);
	assert_says(truth, "all_manifests_distinct", (int64_t)all->n);
	assert_says(truth, "all_data_files_rows", (int64_t)all->data.rows);
	assert_says(truth, "all_data_files_distinct", (int64_t)all->data.n);
	free_paths(all->manifests, all->n);
	free_paths(all->data.paths, all->data.n);
	free(all);
}

static void assert_truth(struct lakehouse *l, const char *space, const struct json *truth)
{
	struct measured t;

	asked = json_key(truth);
	open_table(&t, l, space, asked);
	if (!t.fine)
		fail_msg("%s: %s", asked, t.err.words);
	assert_int_equal(t.t.measured, MEASURE_EXACT);
	assert_string_equal(t.t.mistrust, "");
	assert_says(truth, "data_files", t.t.files);
	assert_says(truth, "position_delete_files", t.t.position_files + t.t.vectors); /* Spark has a vector as one */
	assert_says(truth, "equality_delete_files", t.t.equality_files);
	assert_says(truth, "data_records", t.t.records);
	assert_says(truth, "delete_records", t.t.position_deletes + t.t.equality_deletes);
	assert_says(truth, "data_bytes", t.t.bytes);
	assert_says(truth, "snapshots", (int64_t)t.m->n_snapshots);
	assert_int_equal(t.m->n_snapshots, t.m->n_snapshots_all);
	assert_says(truth, "manifests", t.t.manifests);
	assert_says(truth, "delete_manifests", t.t.delete_manifests);
	assert_says(truth, "manifest_bytes", t.t.manifest_bytes);
	assert_says(truth, "metadata_log_entries", (int64_t)t.m->n_log + 1); /* Spark counts the newest in */
	assert_says(truth, "partitions", (int64_t)t.t.n_partitions_all);
	assert_int_equal(t.t.n_partitions, t.t.n_partitions_all);
	assert_int_equal(t.t.small, t.t.files); /* all of the lab's are */
	assert_false(t.m->cut);
	assert_files(&t, truth);
	assert_all(&t, truth);
	close_table(&t);
}

static void assert_truths(const char *space)
{
	struct lakehouse *l = lakehouse_open(space);
	struct json *document = lakehouse_truth(space);
	const struct json *tables = json_get(document, "tables");

	assert_true(json_count(tables) > 0);
	for (const struct json *table = json_first(tables); table; table = json_next(table))
		assert_truth(l, space, table);
	json_free(document);
	lakehouse_close(l);
}

static void the_kitchen_is_what_spark_counted(void **state)
{
	(void)state;
	assert_truths("kitchen");
}

static void a_puffin_with_several_vectors_counts_its_bytes_once(void **state)
{
	struct lakehouse *l = lakehouse_open("kitchen");
	struct measured t;

	(void)state;
	open_table(&t, l, "kitchen", "deliveries_v3");
	assert_int_equal(t.m->format, 3);
	assert_int_equal(t.t.vectors, 3);
	assert_int_equal(t.t.position_files, 0);
	assert_int_equal(t.t.delete_files, 3);
	assert_int_equal(t.t.delete_bytes, 1521); /* of one file, which three entries name */
	close_table(&t);
	lakehouse_close(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kitchen_is_what_spark_counted),
		cmocka_unit_test(a_puffin_with_several_vectors_counts_its_bytes_once),
	};

	net_global_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
