// SPDX-License-Identifier: MIT
/*
 * Delta tables: their logs' names and actions, the replay, and what OPTIMIZE and VACUUM would do. The logs in
 * tests/recorded/delta-4.4.0-spark-4.0.5 are of tests/lab/spark/delta.py; what Spark said of those tables is in the tests' figures.
 * Others are made by hand, where Spark does not write such a log on demand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../backend/catalogs/catalogs.h"
#include "../../backend/tables/delta_own.h"
#include "fixture_bytes.h"

static const char LOGS[] = "tests/recorded/delta-4.4.0-spark-4.0.5";

/* ---- names and words ---- */

static void names_of_a_log_are_told_apart(void **state)
{
	static const struct {
		const char *name;
		struct delta_name is;
	} rows[] = {
		{"00000000000000000013.json", {DELTA_NAME_COMMIT, 13, -1, 0, 0, false}},
		{"00000000000000000013.crc", {DELTA_NAME_CHECKSUM, 13, -1, 0, 0, false}},
		{"00000000000000000010.checkpoint.parquet", {DELTA_NAME_CHECKPOINT, 10, -1, 1, 1, false}},
		{"00000000000000000010.checkpoint.0000000002.0000000003.parquet", {DELTA_NAME_CHECKPOINT, 10, -1, 2, 3, false}},
		{"00000000000000000010.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json", {DELTA_NAME_CHECKPOINT, 10, -1, 1, 1, true}},
		{"00000000000000000010.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.parquet", {DELTA_NAME_CHECKPOINT, 10, -1, 1, 1, false}},
		{"00000000000000000004.00000000000000000006.compacted.json", {DELTA_NAME_COMPACTED, 4, 6, 0, 0, false}},
		{"09223372036854775807.json", {DELTA_NAME_COMMIT, INT64_MAX, -1, 0, 0, false}},
	};
	static const char *const others[] = {
		"", "_last_checkpoint", "_staged_commits", "_sidecars", ".00000000000000000001.json.crc", "0000000000000000001.json", "00000000000000000001.json.tmp",
		"09223372036854775808.json", "00000000000000000006.00000000000000000004.compacted.json", "00000000000000000010.checkpoint.0000000004.0000000003.parquet",
		"00000000000000000010.checkpoint", "00000000000000000001json", "-0000000000000000001.json",
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct delta_name n = delta_name(text_of(rows[i].name));

		assert_int_equal(n.kind, rows[i].is.kind);
		assert_int_equal(n.version, rows[i].is.version);
		assert_int_equal(n.to, rows[i].is.to);
		assert_int_equal(n.part, rows[i].is.part);
		assert_int_equal(n.parts, rows[i].is.parts);
		assert_int_equal(n.json, rows[i].is.json);
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(delta_name(text_of(others[i])).kind, DELTA_NAME_OTHER);
}

static void intervals_and_sizes_are_read_as_spark_reads_them(void **state)
{
	static const struct {
		const char *words;
		int64_t is;
	} intervals[] = {{"interval 1 week", 604800000}, {"7 days", 604800000}, {"interval 0 hours", 0}, {"INTERVAL 1 day 12 hours", 129600000},
		{"interval 90 minutes", 5400000}},
	sizes[] = {{"134217728", 134217728}, {"128mb", 134217728}, {"1g", 1073741824}, {"100 KB", 102400}, {"5b", 5}};
	static const char *const no_intervals[] = {"", "interval", "1", "week", "-1 days", "1 month", "99999999 days"};
	static const char *const no_sizes[] = {"", "b", "mb", "-1", "9223372036854775807k", "1.5g", "1x"};
	int64_t n;

	(void)state;
	for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
		assert_true(delta_interval(text_of(intervals[i].words), &n));
		assert_int_equal(n, intervals[i].is);
	}
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		assert_true(delta_size(text_of(sizes[i].words), &n));
		assert_int_equal(n, sizes[i].is);
	}
	for (size_t i = 0; i < sizeof no_intervals / sizeof *no_intervals; i++)
		assert_false(delta_interval(text_of(no_intervals[i]), &n));
	for (size_t i = 0; i < sizeof no_sizes / sizeof *no_sizes; i++)
		assert_false(delta_size(text_of(no_sizes[i]), &n));
}

static void an_entry_is_read_with_its_vector(void **state)
{
	struct json *json = json_parse(TEXT("{\"path\":\"city=A%253Ab%252Fc/a%20b.parquet\",\"partitionValues\":{\"city\":\"A:b/c\",\"n\":null},\"size\":9007199254740993,"
		"\"modificationTime\":5,\"stats\":\"{\\\"numRecords\\\":500}\",\"deletionVector\":{\"storageType\":\"u\",\"pathOrInlineDv\":"
		"\"ab^-aqEH.-t@S}K{vb[*k^\",\"offset\":4,\"sizeInBytes\":40,\"cardinality\":6}}"), NULL);
	struct delta_scratch s;
	struct delta_entry e;

	(void)state;
	delta_scratch_begin(&s);
	assert_true(delta_entry(json, true, &s, &e));
	assert_true(text_is(e.path, "city=A%3Ab%2Fc/a b.parquet"));
	assert_true(text_is(e.partition, "city=A:b/c, n=null"));
	assert_int_equal(e.bytes, 9007199254740993);
	assert_int_equal(e.records, 500);
	assert_int_equal(e.deleted, 6);
	assert_true(text_is(e.vector, "uab^-aqEH.-t@S}K{vb[*k^@4"));
	assert_true(text_is(e.vector_path, "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin")); /* of the protocol's own example */
	json_free(json);
	delta_scratch_free(&s);
}

/* ---- real logs ---- */

struct reader {
	struct probe probe;
	struct arena *arena;
	struct delta_ask ask;
	struct delta_table t;
	struct err err;
};

static void begin(struct reader *r)
{
	*r = (struct reader){.probe = {.host = host_local(), .hint = "", .wait = wait_for(60000, -1)}, .arena = arena_new(16 << 20), .ask.latest = -1};
}

static enum delta_answer read_table(struct reader *r, const char *folder)
{
	static const struct storage nowhere;

	return delta_read(&r->probe, &nowhere, folder, &r->ask, r->arena, &r->t, &r->err);
}

static void end(struct reader *r)
{
	arena_free(r->arena);
	r->probe.host->close(r->probe.host);
}

static enum delta_answer read_recorded(struct reader *r, const char *name)
{
	char here[512], url[1024];

	begin(r);
	assert_non_null(getcwd(here, sizeof here));
	snprintf(url, sizeof url, "file:%s/%s/%s", here, LOGS, name);
	return read_table(r, url);
}

#define FIGURES(r, v, f, b, n) \
	do { \
		assert_int_equal((r).t.version, v); \
		assert_int_equal((r).t.files, f); \
		assert_int_equal((r).t.bytes, b); \
		assert_int_equal((r).t.records, n); \
	} while (0)

static void a_log_from_its_beginning_counts_exactly(void **state)
{
	struct reader r;
	struct delta_optimize o;
	struct table_health h;

	(void)state;
	assert_int_equal(read_recorded(&r, "orders"), DELTA_OK);
	FIGURES(r, 6, 252, 685302, 9916);
	assert_int_equal(r.t.measured, MEASURE_EXACT);
	assert_string_equal(r.t.mistrust, "");
	assert_string_equal(r.t.lacks, "");
	assert_int_equal(r.t.n_partitions_all, 14);
	assert_int_equal(r.t.n_partition_columns, 1);
	assert_string_equal(r.t.partition_columns[0], "day");
	assert_int_equal(r.t.reader, 1);
	assert_int_equal(r.t.writer, 2);
	assert_true(delta_optimize(&r.t, r.arena, &o));
	assert_int_equal(o.files, 252);
	assert_int_equal(o.becomes, 14);
	assert_int_equal(o.partitions, 14);
	delta_health(&r.t, &h);
	assert_int_equal(h.due, DUE_OPTIMIZE);
	assert_int_equal(h.grade, GRADE_DUE);
	end(&r);
}

static void what_no_reader_could_open_is_never_called_good(void **state)
{
	struct delta_table t = {.measured = MEASURE_EXACT, .gap = -1, .reader = 1, .id = "4e1f", .unsupported = "", .mistrust = "", .lacks = "", .how = ""};
	struct table_health h;

	(void)state;
	delta_health(&t, &h);
	assert_int_equal(h.grade, GRADE_GOOD);
	t.reader = -1;
	delta_health(&t, &h);
	assert_int_equal(h.grade, GRADE_ILL);
	assert_non_null(strstr(h.words, "no protocol"));
	t.reader = 1;
	t.id = "";
	delta_health(&t, &h);
	assert_int_equal(h.grade, GRADE_ILL);
	assert_non_null(strstr(h.words, "no metaData"));
	t.id = "4e1f";
	t.reader = 99;
	delta_health(&t, &h);
	assert_int_equal(h.grade, GRADE_UNKNOWN);
	assert_non_null(strstr(h.words, "readers of version 99"));
}

static void commits_say_what_they_did_and_what_was_there_after_them(void **state)
{
	static const struct {
		int64_t version, files, records, added, removed;
		const char *operation;
	} rows[] = {{4, 3, 1020, 3, 3, "DELETE"}, {3, 3, 1020, 3, 2, "UPDATE"}, {2, 2, 1000, 2, 2, "DELETE"}, {1, 2, 1000, 2, 0, "WRITE"}, {0, 0, 0, 0, 0, "CREATE TABLE"}};
	struct reader r;

	(void)state;
	assert_int_equal(read_recorded(&r, "drivers"), DELTA_OK);
	FIGURES(r, 4, 3, 13200, 1020);
	assert_int_equal(r.t.vectors, 3);
	assert_int_equal(r.t.deleted, 139);
	assert_int_equal(r.t.n_commits_read, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(r.t.commits[i].version, rows[i].version);
		assert_int_equal(r.t.commits[i].files, rows[i].files);
		assert_int_equal(r.t.commits[i].records, rows[i].records);
		assert_int_equal(r.t.commits[i].added, rows[i].added);
		assert_int_equal(r.t.commits[i].removed, rows[i].removed);
		assert_string_equal(r.t.commits[i].operation, rows[i].operation);
		assert_string_equal(r.t.commits[i].engine, "Apache-Spark/4.0.5 Delta-Lake/4.4.0");
	}
	assert_string_equal(r.t.commits[0].metrics[1].key, "numRemovedBytes");
	end(&r);
}

static void a_checksum_knows_the_files_of_a_log_that_was_cleaned(void **state)
{
	struct reader r;

	(void)state;
	assert_int_equal(read_recorded(&r, "menu_items"), DELTA_OK);
	FIGURES(r, 13, 3, 5005, 60);
	assert_int_equal(r.t.measured, MEASURE_EXACT);
	assert_int_equal(r.t.oldest, 12);
	assert_int_equal(r.t.checkpoint, 12);
	assert_string_equal(r.t.checkpoint_kind, "single file");
	assert_string_equal(r.t.how, "list in the checksum of version 13");
	assert_int_equal(r.t.gap, -1);
	assert_int_equal(r.t.retention, 0);
	assert_int_equal(r.t.expired, 2);
	end(&r);
}

static void without_checksum_and_beginning_a_count_says_what_it_lacks(void **state)
{
	struct reader r;
	struct delta_optimize o;
	struct table_health h;

	(void)state;
	assert_int_equal(read_recorded(&r, "order_events"), DELTA_OK);
	FIGURES(r, 4, 120, -1, -1);
	assert_int_equal(r.t.measured, MEASURE_SUMMARY);
	assert_true(r.t.about);
	assert_string_equal(r.t.how, "checkpoint of version 3, and the commits since");
	assert_string_equal(r.t.lacks, "each file's size and partition would need the Parquet of checkpoint 3");
	assert_true(delta_optimize(&r.t, r.arena, &o));
	assert_int_equal(o.files, -1);
	assert_string_equal(o.words, r.t.lacks);
	delta_health(&r.t, &h);
	assert_int_equal(h.grade, GRADE_UNKNOWN);
	end(&r);
}

static void a_table_that_was_read_is_the_same_until_a_commit_comes(void **state)
{
	struct reader r;
	char known[96];

	(void)state;
	assert_int_equal(read_recorded(&r, "kitchens"), DELTA_OK);
	memcpy(known, r.ask.known, sizeof known);
	end(&r);
	begin(&r);
	end(&r);
	assert_int_equal(read_recorded(&r, "kitchens"), DELTA_OK); /* nothing known: read anew */
	memcpy(r.ask.known, known, sizeof known);
	assert_int_equal(read_table(&r, r.t.url), DELTA_SAME);
	r.ask.latest = 3;
	assert_int_equal(read_table(&r, r.t.url), DELTA_OK);
	assert_int_equal(r.t.version, 3); /* what the catalog does not know is not there */
	end(&r);
}

/* ---- logs made by hand ---- */

struct made {
	char folder[64];
	struct reader r;
};

static void make(struct made *m)
{
	char log[96];

	snprintf(m->folder, sizeof m->folder, "/tmp/laketop-delta-XXXXXX");
	assert_non_null(mkdtemp(m->folder));
	snprintf(log, sizeof log, "%s/_delta_log", m->folder);
	assert_int_equal(mkdir(log, 0700), 0);
	begin(&m->r);
}

static void put(const struct made *m, const char *name, const char *bytes)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof path, "%s/_delta_log/%s", m->folder, name);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(bytes, f);
	fclose(f);
}

static void commit(const struct made *m, int version, const char *bytes)
{
	char name[40];

	snprintf(name, sizeof name, "%020d.json", version);
	put(m, name, bytes);
}

static bool each_to_remove(void *ctx, const char *name)
{
	char path[400];

	snprintf(path, sizeof path, "%s/_delta_log/%s", (const char *)ctx, name);
	unlink(path);
	return true;
}

static void unmake(struct made *m)
{
	char log[96];

	snprintf(log, sizeof log, "%s/_delta_log", m->folder);
	m->r.probe.host->list(m->r.probe.host, log, each_to_remove, m->folder, NULL);
	rmdir(log);
	rmdir(m->folder);
	end(&m->r);
}

#define META "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":2}}\n{\"metaData\":{\"id\":\"x\",\"schemaString\":\"{}\",\"partitionColumns\":[],\"configuration\":{}}}\n"
#define ADD(path, size) "{\"add\":{\"path\":\"" path "\",\"partitionValues\":{},\"size\":" size ",\"modificationTime\":1,\"dataChange\":true,\"stats\":\"{\\\"numRecords\\\":7}\"}}\n"
#define REMOVE(path) "{\"remove\":{\"path\":\"" path "\",\"deletionTimestamp\":2,\"dataChange\":true}}\n"

static void a_file_that_is_added_again_counts_once(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	commit(&m, 0, META ADD("a", "5") ADD("b", "6"));
	commit(&m, 1, ADD("a", "5"));
	commit(&m, 2, REMOVE("b") "{\"commitInfo\":{\"timestamp\":99,\"operation\":\"DELETE\"}}"); /* no line break at its end */
	commit(&m, 3, ADD("b", "6"));
	assert_int_equal(read_table(&m.r, m.folder), DELTA_OK);
	FIGURES(m.r, 3, 2, 11, 14);
	assert_int_equal(m.r.t.commits[1].files, 1);
	assert_int_equal(m.r.t.commits[1].removed_bytes, 6); /* the remove does not say it: its add does */
	assert_int_equal(m.r.t.commits[1].removed_records, 7);
	assert_int_equal(m.r.t.commits[2].files, 2);
	assert_int_equal(m.r.t.commits[3].files, 2);
	assert_int_equal(m.r.t.commits[3].records, 14);
	assert_int_equal(m.r.t.expired, 0); /* b came back */
	unmake(&m);
}

/* 2^62, twice: the sum is beyond 63 bits. */
static void what_cannot_be_summed_is_not_known(void **state)
{
	static const char *const broken[] = {
		META ADD("a", "4611686018427387904") ADD("b", "4611686018427387904"), META ADD("a", "5") ADD("b", "-6"),
		META ADD("a", "5") ADD("b", "\"6\"") ADD("c", "9223372036854775807"),
	};
	struct made m;

	(void)state;
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		struct delta_optimize o;

		make(&m);
		commit(&m, 0, broken[i]);
		commit(&m, 1, REMOVE("a") ADD("d", "1"));
		assert_int_equal(read_table(&m.r, m.folder), DELTA_OK);
		assert_int_equal(m.r.t.files, i == 2 ? 3 : 2);
		assert_int_equal(m.r.t.bytes, i ? -1 : INT64_C(4611686018427387905)); /* a went: what is left can be summed again */
		assert_int_equal(m.r.t.mistrust[0] != '\0', i > 0);
		assert_int_equal(m.r.t.commits[0].bytes, m.r.t.bytes);
		assert_int_equal(m.r.t.commits[1].bytes, -1);
		assert_true(delta_optimize(&m.r.t, m.r.arena, &o));
		assert_true(o.bytes >= 0);
		unmake(&m);
	}
}

/* VACUUM goes by a file's own time beside that of its removal: a copy of a table has young files only. */
static void vacuum_is_due_only_for_files_that_it_would_take(void **state)
{
	static const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	char path[200];
	struct made m;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct table_health h;

		make(&m);
		commit(&m, 0, META ADD("a", "5") ADD("b", "6"));
		commit(&m, 1, REMOVE("a"));
		snprintf(path, sizeof path, "%s/a", m.folder);
		m.r.ask.probe = true;
		if (i) {
			FILE *f = fopen(path, "we");

			assert_non_null(f);
			fclose(f);
		}
		if (i == 2)
			assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
		assert_int_equal(read_table(&m.r, m.folder), DELTA_OK);
		delta_health(&m.r.t, &h);
		assert_int_equal(m.r.t.expired, 1);
		assert_int_equal(h.due, i == 2 ? DUE_VACUUM : 0);
		assert_int_equal(strstr(h.words, "younger by their own time") != NULL, i == 1);
		unlink(path);
		unmake(&m);
	}
}

static struct value shown(const struct snapshot *s, const char *view, size_t row, const char *column)
{
	return table_get(snapshot_find_table(s, view), row, column);
}

#define SCHEMA(fields) "{\"metaData\":{\"id\":\"x\",\"schemaString\":\"{\\\"type\\\":\\\"struct\\\",\\\"fields\\\":[" fields "]}\"}}\n"
#define FIELD(name, type) "{\\\"name\\\":\\\"" name "\\\",\\\"type\\\":\\\"" type "\\\",\\\"nullable\\\":true}"

static void a_schema_is_shown_with_how_it_changed(void **state)
{
	static const struct {
		int64_t since;
		const char *column, *type, *change;
	} rows[] = {{2, "id", "bigint", "widened from int"}, {2, "new", "string", "added"}, {2, "old", "string", "dropped"}, {0, "id", "int", NULL},
		{0, "old", "string", NULL}};
	struct made m;
	struct snapshot *s = snapshot_new("t", PART_ANSWER);

	(void)state;
	make(&m);
	commit(&m, 0, "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":2}}\n" SCHEMA(FIELD("id", "integer") "," FIELD("old", "string")));
	commit(&m, 1, SCHEMA(FIELD("id", "integer") "," FIELD("old", "string"))); /* a property changed */
	commit(&m, 2, SCHEMA(FIELD("id", "long") "," FIELD("new", "string")));
	assert_int_equal(read_table(&m.r, m.folder), DELTA_OK);
	assert_true(delta_view(&m.r.probe, NULL, &m.r.t, "schema", NULL, s));
	assert_int_equal(snapshot_find_table(s, "schema")->n_rows, 5);
	for (size_t i = 0; i < 5; i++) {
		struct value change = shown(s, "schema", i, "change");

		assert_int_equal(shown(s, "schema", i, "schema").u.i, rows[i].since);
		assert_string_equal(shown(s, "schema", i, "column").u.s, rows[i].column);
		assert_string_equal(shown(s, "schema", i, "type").u.s, rows[i].type);
		assert_int_equal(change.type == VALUE_TEXT, rows[i].change != NULL);
		if (rows[i].change)
			assert_string_equal(change.u.s, rows[i].change);
	}
	snapshot_unref(s);
	unmake(&m);
}

static struct value fact(const struct snapshot *s, const char *what, const char *column)
{
	const struct table *t = snapshot_find_table(s, "table");

	for (size_t i = 0; i < t->n_rows; i++)
		if (!strcmp(table_get(t, i, "what").u.s, what))
			return table_get(t, i, column);
	return value_unknown();
}

static void what_is_known_of_it_has_the_names_that_iceberg_s_has(void **state)
{
	struct snapshot *s = snapshot_new("t", PART_ANSWER);
	struct reader r;
	char when[CLOCK_TEXT];

	(void)state;
	assert_int_equal(read_recorded(&r, "drivers"), DELTA_OK);
	assert_true(r.t.n_commits_read == 5 && r.t.rate > 4.9 && r.t.rate < 5.1); /* within a few seconds: one day's */
	assert_true(delta_view(&r.probe, &(struct storage){0}, &r.t, "table", "`lake`.`drivers`", s));
	assert_int_equal(fact(s, "last commit", "number").u.i, r.t.commits[0].when);
	assert_string_equal(fact(s, "last commit", "unit").u.s, "time");
	assert_string_equal(fact(s, "operation", "value").u.s, r.t.commits[0].operation);
	assert_string_equal(fact(s, "by", "value").u.s, "spark 4.0.5");
	assert_string_equal(fact(s, "created", "value").u.s, clock_rfc3339(when, r.t.created));
	assert_int_equal(fact(s, "data files", "number").u.i, r.t.files);
	assert_int_equal(fact(s, "size of data files", "number").u.i, r.t.bytes);
	assert_true(fact(s, "deleted by position", "number").u.i == r.t.deleted && r.t.deleted > 0);
	assert_int_equal(fact(s, "records", "number").u.i, r.t.records - r.t.deleted);
	for (size_t i = 0; i < s->tables[0].n_rows; i++)
		assert_true(strlen(table_get(&s->tables[0], i, "what").u.s) <= 22); /* what a page has room for */
	snapshot_unref(s);
	end(&r);
}

static void every_view_of_a_real_table_has_its_rows(void **state)
{
	static const struct {
		const char *view;
		size_t rows;
	} views[] = {{"snapshots", 5}, {"refs", 0}, {"partitions", 1}, {"files", 3}, {"files-smallest", 3}, {"files-oldest", 3}, {"schema", 3}, {"properties", 1},
		{"log", 5}, {"growth", 5}, {"optimize", 1}, {"vacuum", 0}};
	struct reader r;

	(void)state;
	assert_int_equal(read_recorded(&r, "drivers"), DELTA_OK);
	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		struct snapshot *s = snapshot_new("t", PART_ANSWER);

		assert_true(delta_has_view(views[i].view));
		assert_true(delta_view(&r.probe, &(struct storage){0}, &r.t, views[i].view, "`lake`.`drivers`", s));
		assert_int_equal(snapshot_find_table(s, views[i].view)->n_rows, views[i].rows);
		if (!strcmp(views[i].view, "optimize"))
			assert_string_equal(snapshot_get(s, "sql").u.s, "OPTIMIZE `lake`.`drivers`");
		snapshot_unref(s);
	}
	assert_false(delta_has_view("compact"));
	end(&r);
}

static void a_missing_commit_makes_a_table_ill(void **state)
{
	struct made m;
	struct table_health h;

	(void)state;
	make(&m);
	commit(&m, 0, META);
	commit(&m, 1, ADD("a", "5"));
	commit(&m, 3, ADD("b", "5"));
	assert_int_equal(read_table(&m.r, m.folder), DELTA_OK);
	assert_int_equal(m.r.t.gap, 2);
	assert_int_equal(m.r.t.files, -1);
	delta_health(&m.r.t, &h);
	assert_int_equal(h.grade, GRADE_ILL);
	assert_true(text_starts(text_of(h.words), "commit 2 is missing from its log"));
	unmake(&m);
}

static void a_damaged_commit_names_itself(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	commit(&m, 0, META "{\"add\":{\"path\":\"a\"");
	assert_int_equal(read_table(&m.r, m.folder), DELTA_FAILED);
	assert_int_equal(m.r.err.code, ERR_PARSE);
	assert_true(text_starts(text_of(m.r.err.words), "00000000000000000000.json of the log: line 3: not JSON"));
	unmake(&m);
}

static void a_folder_without_a_log_is_gone(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	assert_int_equal(read_table(&m.r, m.folder), DELTA_GONE);
	assert_int_equal(read_table(&m.r, "/nowhere/at/all"), DELTA_GONE);
	unmake(&m);
}

static void a_wrong_checksum_is_not_believed(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	commit(&m, 0, META ADD("a", "5"));
	put(&m, "00000000000000000000.crc", "{\"numFiles\":2,\"tableSizeBytes\":10}");
	assert_int_equal(read_table(&m.r, m.folder), DELTA_OK);
	FIGURES(m.r, 0, 1, 5, 7);
	assert_string_equal(m.r.t.mistrust, "checksum says 2 files of 10 bytes, the commits make it 1 of 5");
	unmake(&m);
}

static void a_catalog_keeps_maintenance_to_itself(void **state)
{
	struct made m;
	struct delta_optimize o;
	struct table_health h;

	(void)state;
	make(&m);
	commit(&m, 0, "{\"protocol\":{\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":[\"catalogManaged\",\"fromTheFuture\"],\"writerFeatures\":"
		"[\"catalogManaged\"]}}\n{\"metaData\":{\"id\":\"x\",\"schemaString\":\"{}\"}}\n" ADD("a", "5") ADD("b", "5") ADD("c", "5") ADD("d", "5") ADD("e", "5"));
	commit(&m, 1, ADD("f", "5"));
	m.r.ask.latest = 0;
	assert_int_equal(read_table(&m.r, m.folder), DELTA_OK);
	FIGURES(m.r, 0, 5, 25, 35);
	assert_true(m.r.t.catalog_managed);
	assert_string_equal(m.r.t.unsupported, "fromTheFuture");
	assert_true(delta_optimize(&m.r.t, m.r.arena, &o));
	assert_int_equal(o.files, 5);
	assert_true(text_starts(text_of(o.caution), "its catalog does the maintenance"));
	delta_health(&m.r.t, &h);
	assert_int_equal(h.due, 0);
	unmake(&m);
}

static void a_budget_that_ends_early_is_told(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	commit(&m, 0, META ADD("a", "5"));
	commit(&m, 1, ADD("b", "5"));
	m.r.ask.commits = 1;
	assert_int_equal(read_table(&m.r, m.folder), DELTA_OK);
	assert_int_equal(m.r.t.measured, MEASURE_NONE);
	assert_int_equal(m.r.t.files, -1);
	assert_string_equal(m.r.t.lacks, "more commits than were read at once");
	unmake(&m);
}

static void more_files_than_memory_are_not_counted_short(void **state)
{
	struct made m;
	char line[200];
	struct buf b;

	(void)state;
	make(&m);
	buf_init(&b, 4 << 20);
	buf_puts(&b, META);
	for (int i = 0; i < 3000; i++) {
		snprintf(line, sizeof line, "{\"add\":{\"path\":\"a-rather-long-name-of-a-file-number-%d.parquet\",\"size\":1}}\n", i);
		buf_puts(&b, line);
	}
	commit(&m, 0, b.at);
	put(&m, "00000000000000000000.crc", "{\"numFiles\":3000,\"tableSizeBytes\":3000}");
	arena_free(m.r.arena);
	m.r.arena = arena_new(100000);
	assert_int_equal(read_table(&m.r, m.folder), DELTA_OK);
	assert_int_equal(m.r.t.measured, MEASURE_SUMMARY);
	assert_int_equal(m.r.t.files, 3000);
	assert_string_equal(m.r.t.lacks, "not all of its files fit into the memory that is allowed");
	buf_free(&b);
	unmake(&m);
}

/* ---- OPTIMIZE and VACUUM ---- */

static const int64_t GIB = 1 << 30;

static struct delta_table table_of(const struct delta_file *files, size_t n)
{
	return (struct delta_table){.url = "s3://lake/t", .measured = MEASURE_EXACT, .list = files, .n_list = n, .files = (int64_t)n, .unsupported = "",
		.lacks = "", .target = GIB};
}

#define FILE_OF(p, part, size, n, gone) {.path = p, .partition = part, .vector_path = "", .bytes = size, .records = n, .deleted = gone, .cube = "", .provider = ""}

static void optimize_joins_what_its_rule_takes(void **state)
{
	const struct delta_file files[] = {
		FILE_OF("1", "p=1", 100, 10, 0), FILE_OF("2", "p=1", GIB - 100, 10, 0), FILE_OF("3", "p=1", GIB - 1, 10, 0), /* 1 with 2; 3 alone stays */
		FILE_OF("4", "p=2", 5, 10, 0), FILE_OF("5", "p=2", GIB, 10, 0),           /* one is small, one is large: nothing */
		FILE_OF("6", "p=3", GIB, 100, 5), FILE_OF("7", "p=3", 1, 10, 0),           /* 5 % is not more than 5 % */
		FILE_OF("8", "p=4", 2 * GIB, 100, 6), FILE_OF("9", "p=4", 3 * GIB, -1, 1), /* both are taken, and neither fits a bin with another */
		FILE_OF("a", "p=5", 10, 10, 0), FILE_OF("b", "p=5", 20, 10, 9), FILE_OF("c", "p=5", 30, 10, 0),
	};
	struct delta_table t = table_of(files, sizeof files / sizeof *files);
	struct arena *arena = arena_new(1 << 20);
	struct delta_optimize o;

	(void)state;
	assert_true(delta_optimize(&t, arena, &o));
	assert_int_equal(o.files, 5);
	assert_int_equal(o.becomes, 2);
	assert_int_equal(o.bytes, GIB + 60);
	assert_int_equal(o.partitions, 2);
	assert_int_equal(o.vectors, 1);
	assert_string_equal(o.groups[0].partition, "p=5");
	assert_string_equal(o.groups[1].partition, "p=1");
	arena_free(arena);
}

static void vacuum_takes_what_is_old_and_named_by_nothing(void **state)
{
	const struct delta_file live[] = {FILE_OF("p=1/live", "p=1", 1, 1, 0), FILE_OF("s3a://lake/t/whole", "", 1, 1, 0)};
	const struct delta_file removed[] = {
		{.path = "p=2/expired", .partition = "", .vector_path = "", .when = 100}, {.path = "p=3/kept", .partition = "", .vector_path = "kept.bin", .when = 900},
		{.path = "p=1/live", .partition = "", .vector_path = "gone.bin", .when = 100},
	};
	struct delta_found found[] = {
		{.path = "p=1", .folder = true}, {.path = "p=1/live", .modified = 1, .bytes = 1}, {.path = "p=1/orphan", .modified = 1, .bytes = 10},
		{.path = "p=1/young", .modified = 600, .bytes = 10}, {.path = "p=2", .folder = true}, {.path = "p=2/expired", .modified = 1, .bytes = 20},
		{.path = "p=3", .folder = true}, {.path = "p=3/kept", .modified = 1, .bytes = 1}, {.path = "p=4", .folder = true},
		{.path = "p=5", .folder = true}, {.path = "p=5/young", .modified = 600, .bytes = 1}, {.path = "kept.bin", .modified = 1, .bytes = 1},
		{.path = "gone.bin", .modified = 1, .bytes = 5}, {.path = "whole", .modified = 1, .bytes = 1}, {.path = "p=3x", .folder = true},
	};
	static const char *const goes[] = {"gone.bin", "p=1/orphan", "p=2/expired", "p=3x", "p=4", "p=5"};
	struct delta_table t = table_of(live, 2);
	struct arena *arena = arena_new(1 << 20);
	struct delta_vacuum v;
	size_t n = 0;

	(void)state;
	t.removed = removed;
	t.n_removed = 3;
	t.retention = 500;
	assert_true(delta_vacuum(&t, found, sizeof found / sizeof *found, 1000, arena, &v));
	for (size_t i = 0; i < sizeof found / sizeof *found; i++)
		if (found[i].why[0])
			assert_string_equal(found[i].path, goes[n++]);
	assert_int_equal(n, sizeof goes / sizeof *goes);
	assert_int_equal(v.files, 3);
	assert_int_equal(v.folders, 3);
	assert_int_equal(v.bytes, 35);
	t.removed_since = 700; /* what was removed between 500 and 700 is in a checkpoint */
	assert_true(delta_vacuum(&t, found, sizeof found / sizeof *found, 1000, arena, &v));
	assert_int_equal(v.files, 2);
	assert_int_equal(v.unsure, 1);
	arena_free(arena);
}

/* ---- by path ---- */

struct listed { char s[2000]; };

static bool each_entry(void *ctx, const struct catalog_entry *e)
{
	struct listed *l = ctx;
	size_t len = strlen(l->s);

	assert_int_equal(e->format, FORMAT_DELTA);
	snprintf(l->s + len, sizeof l->s - len, "%.*s ", (int)e->name.len, e->name.at);
	return true;
}

static void folders_are_tables_or_hold_them(void **state)
{
	char here[512], url[1024], table[1100];
	const char *folders[] = {url, table, NULL};
	struct catalog c = {.name = "lake", .folders = folders};
	struct catalog_said said = {0};
	struct listed l = {0};
	struct reader r;

	(void)state;
	begin(&r);
	assert_non_null(getcwd(here, sizeof here));
	snprintf(url, sizeof url, "%s/tests/recorded/delta-4.4.0-spark-4.0.5", here);
	snprintf(table, sizeof table, "%s/orders", url);
	assert_true(catalog_delta.list(&r.probe, &c, NULL, each_entry, &l, &said, &r.err));
	assert_non_null(strstr(l.s, "\"delta-4.4.0-spark-4.0.5\".drivers "));
	assert_non_null(strstr(l.s, "\"delta-4.4.0-spark-4.0.5\".waiting_list "));
	assert_non_null(strstr(l.s, " orders "));
	assert_false(said.cut);
	end(&r);
}

/* ---- what chance makes of them ---- */

static void read_lines(struct text bytes)
{
	struct arena *arena = arena_new(1 << 20);
	struct delta_table t = {.url = "s3://lake/t", .checkpoint_kind = "", .unsupported = "", .lacks = "", .files = -1, .bytes = -1, .records = -1};
	struct delta_replay r;
	struct delta_lines l;
	struct delta_optimize o;

	delta_replay_begin(&r, arena, &t);
	for (int64_t version = 1; version >= 0; version--) {
		bool good = true;

		delta_replay_commit(&r, version);
		delta_lines_begin(&l, delta_replay_action, &r);
		for (size_t at = 0; good && at < bytes.len; at += 97)
			good = delta_lines_feed(&l, bytes.at + at, bytes.len - at < 97 ? bytes.len - at : 97, NULL);
		if (good)
			delta_lines_end(&l, NULL);
		delta_lines_free(&l);
	}
	r.whole = !r.full;
	delta_replay_end(&r);
	assert_true(t.measured != MEASURE_EXACT || t.files == (int64_t)t.n_list);
	delta_optimize(&t, arena, &o);
	delta_replay_free(&r);
	arena_free(arena);
}

static void damaged_commits_do_no_harm(void **state)
{
	(void)state;
	fuzz(recorded("delta-4.4.0-spark-4.0.5/drivers/_delta_log/00000000000000000004.json"), read_lines);
	fuzz(recorded("delta-4.4.0-spark-4.0.5/kitchens/_delta_log/00000000000000000007.json"), read_lines);
	fuzz(recorded("delta-4.4.0-spark-4.0.5/drivers/_delta_log/00000000000000000000.json"), read_lines);
}

static void read_words(struct text bytes)
{
	struct json *json = json_parse(bytes, NULL);
	struct buf b;
	int64_t n;

	buf_init(&b, 1000);
	delta_name(bytes);
	delta_interval(bytes, &n);
	delta_size(bytes, &n);
	delta_type(json, &b);
	buf_free(&b);
	json_free(json);
}

static void damaged_words_do_no_harm(void **state)
{
	(void)state;
	fuzz(TEXT("00000000000000000010.checkpoint.0000000002.0000000003.parquet"), read_words);
	fuzz(TEXT("00000000000000000004.00000000000000000006.compacted.json"), read_words);
	fuzz(TEXT("interval 1 week 2 days 3 hours"), read_words);
	fuzz(TEXT("128mb"), read_words);
	fuzz(TEXT("{\"type\":\"array\",\"elementType\":{\"type\":\"map\",\"keyType\":\"string\",\"valueType\":{\"type\":\"struct\",\"fields\":[]}}}"), read_words);
}

static const struct made *fuzzed;

static void read_checksum_of(struct text bytes)
{
	struct delta_table t;
	struct arena *arena = arena_new(1 << 20);
	static const struct storage nowhere;
	struct delta_ask ask = {.latest = -1};
	struct probe p = fuzzed->r.probe;
	char *s = mem_new(bytes.len + 1, 1);

	memcpy(s, bytes.at, bytes.len);
	put(fuzzed, "00000000000000000007.crc", s);
	p.wait = wait_for(60000, -1);
	delta_read(&p, &nowhere, fuzzed->folder, &ask, arena, &t, NULL);
	free(s);
	arena_free(arena);
}

static void damaged_checksums_do_no_harm(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	fuzzed = &m;
	commit(&m, 7, "{\"commitInfo\":{}}\n");
	fuzz(recorded("delta-4.4.0-spark-4.0.5/drivers/_delta_log/00000000000000000004.crc"), read_checksum_of);
	unmake(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_a_log_are_told_apart),
		cmocka_unit_test(intervals_and_sizes_are_read_as_spark_reads_them),
		cmocka_unit_test(an_entry_is_read_with_its_vector),
		cmocka_unit_test(a_log_from_its_beginning_counts_exactly),
		cmocka_unit_test(what_no_reader_could_open_is_never_called_good),
		cmocka_unit_test(commits_say_what_they_did_and_what_was_there_after_them),
		cmocka_unit_test(a_checksum_knows_the_files_of_a_log_that_was_cleaned),
		cmocka_unit_test(without_checksum_and_beginning_a_count_says_what_it_lacks),
		cmocka_unit_test(a_table_that_was_read_is_the_same_until_a_commit_comes),
		cmocka_unit_test(a_file_that_is_added_again_counts_once), cmocka_unit_test(what_cannot_be_summed_is_not_known),
		cmocka_unit_test(vacuum_is_due_only_for_files_that_it_would_take),
		cmocka_unit_test(a_schema_is_shown_with_how_it_changed),
		cmocka_unit_test(what_is_known_of_it_has_the_names_that_iceberg_s_has),
		cmocka_unit_test(every_view_of_a_real_table_has_its_rows),
		cmocka_unit_test(a_missing_commit_makes_a_table_ill),
		cmocka_unit_test(a_damaged_commit_names_itself),
		cmocka_unit_test(a_folder_without_a_log_is_gone),
		cmocka_unit_test(a_wrong_checksum_is_not_believed),
		cmocka_unit_test(a_catalog_keeps_maintenance_to_itself),
		cmocka_unit_test(a_budget_that_ends_early_is_told),
		cmocka_unit_test(more_files_than_memory_are_not_counted_short),
		cmocka_unit_test(optimize_joins_what_its_rule_takes),
		cmocka_unit_test(vacuum_takes_what_is_old_and_named_by_nothing),
		cmocka_unit_test(folders_are_tables_or_hold_them),
		cmocka_unit_test(damaged_commits_do_no_harm),
		cmocka_unit_test(damaged_words_do_no_harm),
		cmocka_unit_test(damaged_checksums_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
