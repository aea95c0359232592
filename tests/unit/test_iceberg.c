// SPDX-License-Identifier: MIT
/* Tables that Spark wrote, read without it: every figure is what Spark's own metadata tables say, to the last digit. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture_bytes.h"
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

static void formats_codecs_and_specs_of_every_kind_are_what_spark_counted(void **state)
{
	(void)state;
	assert_truths("formats");
}

/* ---- partitions as people read them ---- */

static void put_decoded(struct buf *out, struct text t)
{
	for (size_t i = 0; i < t.len; i++) {
		unsigned code = (unsigned char)t.at[i];

		if (code == '+')
			code = ' ';
		else if (code == '%' && i + 2 < t.len && sscanf(t.at + i + 1, "%2x", &code) == 1)
			i += 2;
		buf_add(out, &(char){(char)code}, 1);
	}
}

/* The folders that Java gave the file say the same, in an URL's escapes. */
static void folders_in_words(struct text path, struct buf *out)
{
	buf_init(out, 2000);
	buf_puts(out, "");
	path = text_between(path, "/data/", ".parquet");
	while (memchr(path.at, '/', path.len)) {
		buf_puts(out, out->len ? ", " : "");
		put_decoded(out, text_until(path, '/'));
		path = text_after(path, '/');
	}
}

static bool assert_folders(void *ctx, const struct iceberg_file *f)
{
	size_t *seen = ctx;
	struct buf words;

	folders_in_words(f->path, &words);
	if (f->content == ICEBERG_DATA && !text_is(f->partition, words.at))
		fail_msg("\"%.*s\" is not \"%s\"", (int)f->partition.len, f->partition.at, words.at);
	*seen += f->content == ICEBERG_DATA;
	buf_free(&words);
	return true;
}

static void partitions_are_called_as_java_calls_them(void **state)
{
	static const char *const tables[] = {"format1", "evolved", "codec_zstd", "codec_snappy", "codec_uncompressed"};
	struct lakehouse *l = lakehouse_open("formats");

	(void)state;
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		struct iceberg_budget budget = plenty();
		struct measured t;
		size_t seen = 0;

		open_table(&t, l, "formats", tables[i]);
		assert_true(iceberg_each_file(&t.f.p, &t.at, t.m, t.s, &budget, assert_folders, &seen, NULL));
		assert_int_equal(seen, t.t.files);
		close_table(&t);
	}
	lakehouse_close(l);
}

static bool has_partition(const struct iceberg_truth *t, const char *name)
{
	for (size_t i = 0; i < t->n_partitions; i++)
		if (!strcmp(t->partitions[i].name, name))
			return true;
	return false;
}

static void every_transform_of_every_type_is_shown(void **state)
{
	struct lakehouse *l = lakehouse_open("formats");
	struct measured t;

	(void)state;
	open_table(&t, l, "formats", "kinds");
	assert_int_equal(t.t.n_partitions, 3);
	assert_true(has_partition(&t.t, "d=2026-02-28, t=2026-01-01T10:11:12.345678+00:00, n=2026-01-01T10:11:12, amount=123456789.125, small=-1.05, "
		"s=a b/c=d,\xc3\xa9, b=true, bin=0x00ff10, l=-9007199254740993, r=1.5, f=0.25, h_hour=2026-03-01-23, m_month=2026-12, y_year=2026, "
		"k_bucket=6, l_trunc=-9007199254741000, w_trunc=wo"));
	assert_true(has_partition(&t.t, "d=1969-12-31, t=1969-12-31T23:59:59+00:00, n=1900-01-01T00:00:00, amount=-0.001, small=0.00, s=, b=false, bin=0x, "
		"l=15, r=-2.0, f=3.0, h_hour=1969-12-31-23, m_month=1969-12, y_year=1968, k_bucket=3, l_trunc=10, w_trunc="));
	assert_true(has_partition(&t.t, "d=null, t=null, n=null, amount=null, small=null, s=null, b=null, bin=null, l=null, r=null, f=null, h_hour=null, "
		"m_month=null, y_year=null, k_bucket=null, l_trunc=null, w_trunc=null"));
	assert_string_equal(t.m->specs[0].words, "d, t, n, amount, small, s, b, bin, l, r, f, hours(h), months(m), years(y), bucket(8, k), truncate(10, l), "
		"truncate(2, w)");
	close_table(&t);
	lakehouse_close(l);
}

/* ---- equality deletes: of a table made by hand, see tests/lab/fixture/equality.py ---- */

static bool referenced(void *ctx, const struct iceberg_file *f)
{
	size_t *seen = ctx;
	struct text name = f->path;

	text_skip(&name, "s3://lakehouse/warehouse/equality/visits/data/");
	if (text_is(name, "pos-one.parquet"))
		*seen += text_is(f->referenced, "s3://lakehouse/warehouse/equality/visits/data/a.parquet");
	else if (text_is(name, "a.parquet"))
		*seen += f->sequence == 1; /* its own; those that were added then have the manifest's */
	else
		*seen += f->sequence == 2 && !f->referenced.len;
	return true;
}

static void equality_deletes_are_counted_by_themselves(void **state)
{
	struct lakehouse *l = lakehouse_open("equality");
	struct iceberg_budget budget = plenty();
	const struct iceberg_partition *p;
	struct measured t;
	size_t seen = 0;

	(void)state;
	open_table(&t, l, "equality", "visits");
	assert_string_equal(t.err.words, "");
	assert_string_equal(t.t.mistrust, "");
	assert_true(t.t.files == 3 && t.t.bytes == 6000 && t.t.records == 600 && t.t.small == 2);
	assert_true(t.t.delete_files == 4 && t.t.equality_files == 2 && t.t.position_files == 2 && t.t.vectors == 0);
	assert_true(t.t.equality_deletes == 12 && t.t.position_deletes == 24 && t.t.delete_bytes == 1440);
	assert_int_equal(t.t.n_partitions, 2);
	p = &t.t.partitions[0];
	assert_string_equal(p->name, "visitor=f79c3e09-677c-4bbd-a479-3f349cb785e7, at_hour=2026-08-20-10");
	assert_true(p->files == 2 && p->small == 2 && p->bytes == 3000 && p->records == 300 && p->delete_files == 3 && p->newest == 2);
	assert_string_equal(t.t.partitions[1].name, "visitor=00000000-0000-4000-8000-00000000000b, at_hour=2026-08-20-11");
	assert_true(iceberg_each_file(&t.f.p, &t.at, t.m, t.s, &budget, referenced, &seen, NULL));
	assert_int_equal(seen, 7);
	close_table(&t);
	lakehouse_close(l);
}

static const struct iceberg_ref *ref_of(const struct iceberg_metadata *m, const char *name)
{
	for (size_t i = 0; i < m->n_refs; i++)
		if (!strcmp(m->refs[i].name, name))
			return &m->refs[i];
	fail_msg("no ref %s", name);
	return NULL;
}

static void what_evolved_keeps_its_history(void **state)
{
	enum { DAY = 86400000 };
	struct lakehouse *l = lakehouse_open("formats");
	const struct iceberg_ref *r;
	struct measured t;

	(void)state;
	open_table(&t, l, "formats", "evolved");
	r = ref_of(t.m, "audit");
	assert_true(!r->branch && r->max_ref_age == INT64_C(365) * DAY && r->min_snapshots == -1);
	r = ref_of(t.m, "trial");
	assert_true(r->branch && r->max_ref_age == 7 * DAY && r->min_snapshots == 2 && r->max_snapshot_age == 3 * DAY);
	assert_int_equal(ref_of(t.m, "main")->snapshot, t.m->current);
	assert_string_equal(t.m->sort, "new DESC NULLS LAST, id ASC NULLS FIRST");
	assert_true(t.m->n_schemas >= 4);
	assert_string_equal(t.m->schemas[0].fields[0].doc, "its key");
	assert_string_equal(t.m->schemas[0].fields[1].name, "old");
	assert_int_equal(t.m->n_statistics, 1);
	assert_string_equal(t.m->specs[t.m->n_specs - 1].words, "bucket(4, id), place.city");
	assert_int_equal(t.t.n_partitions_all, 8); /* four of the old spec, four of the new */
	close_table(&t);
	lakehouse_close(l);
}

/* ---- what can be wrong with one table ---- */

static void assert_fails(struct lakehouse *l, const char *space, const char *table, enum table_measure as_far_as, enum err_code code, const char *words)
{
	struct measured t;

	open_table(&t, l, space, table);
	assert_false(t.fine);
	assert_int_equal(t.t.measured, as_far_as);
	if (t.err.code != code || !strstr(t.err.words, words))
		fail_msg("\"%s\" (%s), not \"%s\"", t.err.words, err_name(t.err.code), words);
	close_table(&t);
}

static bool keep_path(void *ctx, const struct iceberg_manifest *m)
{
	char *path = ctx;

	text_copy(path, 400, m->path);
	return false;
}

static void a_file_that_is_broken_is_named_and_what_is_known_stays(void **state)
{
	struct lakehouse *l = lakehouse_open("kitchen");
	struct iceberg_budget budget = plenty();
	char path[400], list[400];
	struct text whole;
	struct measured t;

	(void)state;
	open_table(&t, l, "kitchen", "drivers");
	assert_true(iceberg_each_manifest(&t.f.p, &t.at, t.m, t.s, &budget, keep_path, path, NULL));
	snprintf(list, sizeof list, "%s", t.s->manifest_list);
	close_table(&t);
	whole = lakehouse_object(l, path);
	lakehouse_put(l, path, (struct text){whole.at, whole.len - 20});
	assert_fails(l, "kitchen", "drivers", MEASURE_LIST, ERR_PARSE, "m1.avro: is cut off in a block");
	lakehouse_put(l, path, TEXT("PAR1..."));
	assert_fails(l, "kitchen", "drivers", MEASURE_LIST, ERR_PARSE, "m1.avro: is no Avro file");
	lakehouse_put(l, path, TEXT(""));
	assert_fails(l, "kitchen", "drivers", MEASURE_LIST, ERR_SYSTEM, "there is no such file");
	lakehouse_put(l, path, whole);
	lakehouse_put(l, list, TEXT("x"));
	assert_fails(l, "kitchen", "drivers", MEASURE_SUMMARY, ERR_PARSE, ".avro: is no Avro file");
	lakehouse_close(l);
}

static void a_budget_ends_a_look_and_says_so(void **state)
{
	struct lakehouse *l = lakehouse_open("kitchen");
	struct measured t;

	(void)state;
	open_table(&t, l, "kitchen", "order_events");
	for (int which = 0; which < 3; which++) {
		struct iceberg_budget budget = plenty();
		struct iceberg_truth truth;
		struct err err = {0};

		*(int64_t *[]){&budget.bytes, &budget.files, &budget.memory}[which] = which == 0 ? 20000 : which == 1 ? 3 : 100;
		assert_false(iceberg_measure(&t.f.p, &t.at, t.m, t.s, &budget, t.f.s->arena, &truth, &err));
		assert_int_equal(err.code, ERR_LIMIT);
		assert_int_equal(truth.measured, MEASURE_LIST);
		assert_int_equal(truth.files, 205);
		assert_int_equal(truth.records, 2050);
		assert_int_equal(truth.small, -1);
	}
	close_table(&t);
	lakehouse_close(l);
}

static void a_summary_that_lies_is_found_out(void **state)
{
	struct lakehouse *l = lakehouse_open("kitchen");
	struct iceberg_budget budget = plenty();
	struct iceberg_snapshot lie;
	struct iceberg_truth truth;
	struct measured t;

	(void)state;
	open_table(&t, l, "kitchen", "order_events");
	lie = *t.s;
	lie.summary.total_files = 204;
	assert_true(iceberg_measure(&t.f.p, &t.at, t.m, &lie, &budget, t.f.s->arena, &truth, NULL));
	assert_string_equal(truth.mistrust, "summary says 204 data files, manifests hold 205");
	lie = *t.s;
	lie.summary.total_bytes = 1;
	assert_true(iceberg_measure(&t.f.p, &t.at, t.m, &lie, &budget, t.f.s->arena, &truth, NULL));
	assert_string_equal(truth.mistrust, "summary says 1 bytes, manifests hold 227192");
	assert_int_equal(truth.files, 205);
	lie.encrypted = true;
	assert_false(iceberg_measure(&t.f.p, &t.at, t.m, &lie, &budget, t.f.s->arena, &truth, &t.err));
	assert_int_equal(truth.measured, MEASURE_SUMMARY);
	assert_non_null(strstr(t.err.words, "encrypted"));
	close_table(&t);
	lakehouse_close(l);
}

/* Format 1 may name its manifests one by one: then nothing is known of each but its path. */
static void manifests_that_are_named_one_by_one_are_read(void **state)
{
	static const char *manifests[PATHS_MAX];
	struct lakehouse *l = lakehouse_open("formats");
	struct everything *all = mem_new(1, sizeof *all);
	struct iceberg_budget budget = plenty();
	struct iceberg_snapshot old;
	struct iceberg_truth truth;
	struct measured t;

	(void)state;
	open_table(&t, l, "formats", "format1");
	assert_int_equal(t.m->format, 1);
	all->t = &t;
	assert_true(iceberg_each_manifest(&t.f.p, &t.at, t.m, t.s, &budget, take_manifest, all, NULL));
	for (size_t i = 0; i < all->n; i++)
		manifests[i] = all->manifests[i];
	old = *t.s;
	old.manifest_list = "";
	old.manifests = manifests;
	old.n_manifests = all->n;
	assert_true(iceberg_measure(&t.f.p, &t.at, t.m, &old, &budget, t.f.s->arena, &truth, NULL));
	assert_int_equal(truth.measured, MEASURE_EXACT);
	assert_int_equal(truth.files, t.t.files);
	assert_int_equal(truth.bytes, t.t.bytes);
	assert_int_equal(truth.n_partitions_all, t.t.n_partitions_all);
	assert_int_equal(truth.manifests, 2);
	assert_int_equal(truth.partitions[0].key, t.t.partitions[0].key); /* the spec is known by the manifest itself */
	free_paths(all->manifests, all->n);
	free_paths(all->data.paths, all->data.n);
	free(all);
	close_table(&t);
	lakehouse_close(l);
}

/* ---- whatever comes ---- */

static bool any_manifest(void *ctx, const struct iceberg_manifest *m)
{
	*(size_t *)ctx += m->path.len;
	return true;
}

static bool any_file(void *ctx, const struct iceberg_file *f)
{
	*(size_t *)ctx += f->path.len + f->partition.len + f->referenced.len;
	assert_true(text_is_clean(f->partition));
	return true;
}

static void read_any(struct text bytes)
{
	size_t sum = 0;

	iceberg_read_manifest_list(bytes, any_manifest, &sum, NULL);
	iceberg_read_manifest(bytes, NULL, any_file, &sum, NULL);
}

static void no_manifest_breaks_the_reader(void **state)
{
	static const char *const tables[] = {"kinds", "upgraded", "codec_uncompressed", "codec_zstd", "codec_snappy"};
	struct lakehouse *l = lakehouse_open("formats");

	(void)state;
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		struct iceberg_budget budget = plenty();
		char path[400];
		struct measured t;

		open_table(&t, l, "formats", tables[i]);
		assert_true(iceberg_each_manifest(&t.f.p, &t.at, t.m, t.s, &budget, keep_path, path, NULL));
		fuzz(lakehouse_object(l, path), read_any);
		fuzz(lakehouse_object(l, t.s->manifest_list), read_any);
		close_table(&t);
	}
	lakehouse_close(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kitchen_is_what_spark_counted),
		cmocka_unit_test(a_puffin_with_several_vectors_counts_its_bytes_once),
		cmocka_unit_test(formats_codecs_and_specs_of_every_kind_are_what_spark_counted),
		cmocka_unit_test(partitions_are_called_as_java_calls_them),
		cmocka_unit_test(every_transform_of_every_type_is_shown),
		cmocka_unit_test(equality_deletes_are_counted_by_themselves),
		cmocka_unit_test(what_evolved_keeps_its_history),
		cmocka_unit_test(a_file_that_is_broken_is_named_and_what_is_known_stays),
		cmocka_unit_test(a_budget_ends_a_look_and_says_so),
		cmocka_unit_test(a_summary_that_lies_is_found_out),
		cmocka_unit_test(manifests_that_are_named_one_by_one_are_read),
		cmocka_unit_test(no_manifest_breaks_the_reader),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
