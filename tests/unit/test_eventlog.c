// SPDX-License-Identifier: MIT
/*
 * Spark's event logs: their names, their first lines, and what a directory of them tells. The recorded lines are the first
 * six of a log of Spark 4.1.4, its settings left out: they are a hundred kilobytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "../../backend/format/eventlog.h"
#include "../../backend/services/kinds.h"
#include "../../backend/services/spark.h"
#include "engine.h"
#include "fixture_bytes.h"
#include "fixture_server.h"
#include "profile.h"
#include "report.h"
#include "storage.h"

#define LINES "spark-4.1.4-eventlog.jsonl"
#define ID "app-20261129191015-0002"
#define LOG "eventlog_v2_" ID

/* ---- names ---- */

static void names_tell_the_log_and_whether_it_ended(void **state)
{
	static const struct {
		const char *path, *log, *application, *codec;
		bool status, in_progress;
		int64_t index;
	} good[] = {
		{"app-1", "app-1", "app-1", NULL, false, false, 0},
		{"app-1.inprogress", "app-1", "app-1", NULL, false, true, 0},
		{"local-17.lz4.inprogress", "local-17.lz4", "local-17", "lz4", false, true, 0},
		{"application_1_2_1.zstd", "application_1_2_1.zstd", "application_1_2_1", "zstd", false, false, 0},
		{"eventlog_v2_app-1/appstatus_app-1", "eventlog_v2_app-1", "app-1", NULL, true, false, 0},
		{"eventlog_v2_app-1/appstatus_app-1.inprogress", "eventlog_v2_app-1", "app-1", NULL, true, true, 0},
		{"eventlog_v2_app-1/events_12_app-1.zstd", "eventlog_v2_app-1", "app-1", "zstd", false, false, 12},
		{"eventlog_v2_app-1/events_2_app-1.snappy.compact", "eventlog_v2_app-1", "app-1", "snappy", false, false, 2},
	};
	static const char *const others[] = {"", ".app-1.crc", "_SUCCESS", "eventlog_v2_app-1/.appstatus_app-1.crc", "eventlog_v2_/events_1_a", "x/y",
		"eventlog_v2_a/events_x_a", "eventlog_v2_a/events_0_a", "eventlog_v2_a/events_1", "eventlog_v2_a/events_99999999999999999999_a"};
	struct eventlog_file f;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_true(eventlog_path(text_of(good[i].path), &f));
		assert_true(text_is(f.log, good[i].log));
		assert_true(text_is(f.application, good[i].application));
		assert_int_equal(f.status, good[i].status);
		assert_int_equal(f.in_progress, good[i].in_progress);
		assert_int_equal(f.index, good[i].index);
		assert_string_equal(f.codec ? f.codec : "", good[i].codec ? good[i].codec : "");
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (eventlog_path(text_of(others[i]), &f))
			fail_msg("\"%s\" is no event log", others[i]);
}

/* ---- first lines ---- */

static void assert_menu(const struct eventlog_start *s)
{
	assert_string_equal(s->id, "app-20261129191015-0002");
	assert_string_equal(s->name, "menu import");
	assert_string_equal(s->user, "root");
	assert_string_equal(s->version, "4.1.4");
	assert_int_equal(s->started, 1795979414949);
}

/* As Spark does while it writes: flushed, and not ended. */
static struct text packed(char *out, size_t size, struct text lines)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	ZSTD_outBuffer to = {out, size, 0};
	ZSTD_inBuffer in = {lines.at, lines.len, 0};

	assert_int_equal(ZSTD_compressStream2(c, &to, &in, ZSTD_e_flush), 0);
	ZSTD_freeCCtx(c);
	return (struct text){out, to.pos};
}

static void the_first_lines_tell_who_it_is(void **state)
{
	struct eventlog_start s;
	struct err err = {0};
	char bytes[8192];

	(void)state;
	assert_true(eventlog_start(recorded(LINES), NULL, &s, &err));
	assert_menu(&s);
	assert_true(eventlog_start(packed(bytes, sizeof bytes, recorded(LINES)), "zstd", &s, &err));
	assert_menu(&s);
}

static void what_is_not_read_is_said(void **state)
{
	struct text lines = recorded(LINES), young = text_until(lines, '\n');
	struct eventlog_start s;
	struct err err = {0};

	(void)state;
	assert_false(eventlog_start(lines, "lz4", &s, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_string_equal(err.words, "it is packed by lz4, which is not read here");
	assert_false(eventlog_start(young, NULL, &s, &err)); /* its start is not there yet: the version is */
	assert_int_equal(err.code, ERR_LIMIT);
	assert_string_equal(s.version, "4.1.4");
	assert_false(eventlog_start(TEXT("hello"), NULL, &s, &err));
	assert_int_equal(err.code, ERR_PARSE);
	assert_false(eventlog_start(TEXT("hello"), "zstd", &s, &err));
	assert_int_equal(err.code, ERR_PARSE);
	assert_true(eventlog_start(TEXT("{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"a\\u001b[31mb\",\"Timestamp\":-1}"), NULL, &s, &err));
	assert_null(strchr(s.name, '\x1b'));
	assert_int_equal(s.started, 0);
}

/* Five MiB of zeros in some hundred bytes. */
static void a_bomb_is_not_unpacked(void **state)
{
	static char zeros[5 << 20], bomb[8192];
	struct eventlog_start s;
	struct err err = {0};
	struct text t;

	(void)state;
	memset(zeros, '\n', sizeof zeros);
	memcpy(zeros, "{\"Event\":\"x\"}", 13);
	t = packed(bomb, sizeof bomb, (struct text){zeros, sizeof zeros});
	assert_false(eventlog_start(t, "zstd", &s, &err));
	assert_int_equal(err.code, ERR_LIMIT);
}

static void read_plain(struct text bytes)
{
	struct eventlog_start s;

	eventlog_start(bytes, NULL, &s, NULL);
}

static void read_packed(struct text bytes)
{
	struct eventlog_start s;

	eventlog_start(bytes, "zstd", &s, NULL);
}

static void read_path(struct text bytes)
{
	struct eventlog_file f;

	eventlog_path(bytes, &f);
}

static void chance_breaks_nothing(void **state)
{
	char bytes[8192];

	(void)state;
	fuzz(recorded(LINES), read_plain);
	fuzz(packed(bytes, sizeof bytes, recorded(LINES)), read_packed);
	fuzz(TEXT("eventlog_v2_app-1/events_12_app-1.zstd.compact"), read_path);
	fuzz(TEXT("eventlog_v2_app-1/appstatus_app-1.inprogress"), read_path);
}

/* ---- a directory ---- */

static void put(const char *directory, const char *path, struct text bytes, int64_t modified)
{
	struct timespec times[2] = {{.tv_sec = modified / 1000}, {.tv_sec = modified / 1000}};
	char at[300], *slash;
	FILE *f;

	snprintf(at, sizeof at, "%s/%s", directory, path);
	slash = strrchr(at, '/');
	*slash = '\0';
	mkdir(at, 0700);
	*slash = '/';
	f = fopen(at, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes.at, 1, bytes.len, f), bytes.len);
	fclose(f);
	assert_int_equal(utimensat(0, at, times, 0), 0);
}

static void fill(char directory[60])
{
	char bytes[8192];
	const int64_t ended = INT64_C(1795979420000);

	text_copy(directory, 60, TEXT("/tmp/laketop-eventlog-XXXXXX"));
	assert_non_null(mkdtemp(directory));
	put(directory, LOG "/events_2_" ID ".zstd", TEXT("later"), ended - 1000);
	put(directory, LOG "/events_1_" ID ".zstd", packed(bytes, sizeof bytes, recorded(LINES)), ended - 2000);
	put(directory, LOG "/appstatus_" ID, TEXT(""), ended);
	put(directory, "local-1.inprogress", text_until(recorded(LINES), '\n'), ended + 5000);
	put(directory, "local-2.lz4", TEXT("LZ4Block"), ended - 5000);
	put(directory, "eventlog_v2_b", TEXT("no folder"), ended);
	put(directory, "notes.txt", TEXT("a file of somebody's"), ended + 9000);
}

static void empty(const char *directory)
{
	static const char *const paths[] = {LOG "/events_2_" ID ".zstd", LOG "/events_1_" ID ".zstd", LOG "/appstatus_" ID, LOG, "eventlog_v2_b", "local-1.inprogress",
		"local-2.lz4", "notes.txt"};
	char path[300];

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		snprintf(path, sizeof path, "%s/%s", directory, paths[i]);
		assert_int_equal(remove(path), 0);
	}
	assert_int_equal(rmdir(directory), 0);
}

static void assert_cell(const struct table *t, size_t row, const char *column, const char *words)
{
	struct value v = table_get(t, row, column);

	assert_string_equal(v.type == VALUE_TEXT ? v.u.s : "-", words);
}

static void assert_directory(const struct table *t)
{
	assert_non_null(t);
	assert_int_equal(t->n_rows, 4); /* the newest first; what is no log is left out */
	assert_int_equal(t->left_off, 0);
	assert_cell(t, 0, "id", "local-1");
	assert_cell(t, 0, "state", "INCOMPLETE");
	assert_cell(t, 0, "version", "4.1.4");
	assert_cell(t, 0, "why", "its first 256 KiB do not tell its name");
	assert_int_equal(table_get(t, 0, "ended").type, VALUE_UNKNOWN);
	assert_cell(t, 1, "id", "app-20261129191015-0002");
	assert_cell(t, 1, "name", "menu import");
	assert_cell(t, 1, "state", "COMPLETED");
	assert_cell(t, 1, "told_by", "event log");
	assert_cell(t, 1, "log", "eventlog_v2_app-20261129191015-0002");
	assert_cell(t, 1, "why", "-");
	assert_int_equal(table_get(t, 1, "ended").u.i, 1795979420000);
	assert_int_equal(table_get(t, 1, "duration").u.i, 1795979420000 - 1795979414949);
	assert_int_equal(table_get(t, 1, "size").u.i > 5, true);
	assert_cell(t, 2, "id", "local-2");
	assert_cell(t, 2, "name", "-");
	assert_cell(t, 2, "state", "COMPLETED");
	assert_cell(t, 2, "why", "it is packed by lz4, which is not read here");
	assert_cell(t, 3, "id", "b"); /* cannot be read, and hides no other */
	assert_cell(t, 3, "state", "-");
	assert_true(table_get(t, 3, "why").type == VALUE_TEXT && strstr(table_get(t, 3, "why").u.s, "Not a directory"));
	assert_int_equal(table_get(t, 3, "ended").type, VALUE_UNKNOWN);
}

static void a_directory_tells_what_ended_and_what_did_not(void **state)
{
	const struct spark_specs specs = {kind_spark_history.figures, kind_spark_history.tables};
	struct spark_heads *heads = mem_new(1, sizeof *heads);
	struct expectation expected = {0};
	struct fake_probe f;
	char directory[60], gone[80];
	unsigned requests;

	(void)state;
	fill(directory);
	expected.event_log = directory;
	for (int look = 0; look < 2; look++) {
		fake_probe_begin(&f, (struct endpoint){0}, 60000);
		f.p.expected = &expected;
		assert_true(spark_inspect_event_log(&f.p, heads, &specs, f.s));
		assert_directory(snapshot_find_table(f.s, "applications"));
		if (look)
			assert_true(f.p.requests + 2 <= requests); /* what ended is read once; what is written is read again */
		requests = f.p.requests;
		fake_probe_end(&f);
	}
	snprintf(gone, sizeof gone, "%s/none", directory);
	expected.event_log = gone;
	fake_probe_begin(&f, (struct endpoint){0}, 60000);
	f.p.expected = &expected;
	assert_false(spark_inspect_event_log(&f.p, heads, &specs, f.s));
	assert_true(f.s->err.code != ERR_NONE);
	assert_null(snapshot_find_table(f.s, "applications"));
	fake_probe_end(&f);
	free(heads);
	empty(directory);
}

/* ---- on S3, and more logs than are told of ---- */

enum { MANY = 250 };

static bool serve(void *ctx, struct text question, struct buf *out)
{
	struct text path = text_until(text_after(question, ' '), ' ');
	struct buf body;

	(void)ctx;
	buf_init(&body, 1 << 20);
	if (text_starts(path, "/lake/?")) {
		buf_puts(&body, "<ListBucketResult><IsTruncated>false</IsTruncated>");
		for (int i = 0; i < MANY; i++)
			buf_printf(&body, "<Contents><Key>events/app-%03d</Key><LastModified>2026-11-29T19:%02d:%02d.000Z</LastModified><Size>7</Size></Contents>",
				i, 10 + i / 60, i % 60);
		buf_puts(&body, "</ListBucketResult>");
	} else {
		buf_add(&body, recorded(LINES).at, recorded(LINES).len);
	}
	buf_printf(out, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", body.len);
	buf_add(out, body.at, body.len);
	buf_free(&body);
	return false;
}

static void the_newest_are_told_and_the_others_counted(void **state)
{
	const struct spark_specs specs = {kind_spark_history.figures, kind_spark_history.tables};
	const struct expectation expected = {.event_log = "s3a://lake/events"};
	struct spark_heads *heads = mem_new(1, sizeof *heads);
	struct fake_server *server;
	struct storage storage = {0};
	const struct table *t;
	struct fake_probe f;

	(void)state;
	recorded(LINES); /* before a thread asks for it */
	server = fake_server_start(serve, NULL);
	storage.s3 = fake_server_at(server);
	fake_probe_begin(&f, storage.s3, 60000);
	f.p.expected = &expected;
	f.p.storage = &storage;
	if (!spark_inspect_event_log(&f.p, heads, &specs, f.s))
		fail_msg("%s", f.s->err.words);
	t = snapshot_find_table(f.s, "applications");
	assert_int_equal(t->n_rows, SPARK_ROWS_MAX);
	assert_int_equal(t->left_off, MANY - SPARK_ROWS_MAX);
	assert_cell(t, 0, "log", "app-249");
	assert_cell(t, 0, "name", "menu import");
	fake_probe_end(&f);
	fake_server_stop(server);
	free(heads);
}

/* ---- the whole way ---- */

static void a_service_that_is_not_there_stays_absent_and_is_told_of(void **state)
{
	struct wait wait = wait_for(60000, -1);
	struct host *host = host_local();
	struct err err = {0};
	const struct service *s = NULL;
	char directory[60], ini[300];
	struct profile *profile;
	struct engine *engine;
	struct buf out;

	(void)state;
	fill(directory);
	snprintf(ini, sizeof ini, "[service h]\nkind = spark-history\nport = 1\nrequired = no\nevent_log = file:%s\n", directory);
	profile = profile_parse(host, text_of(ini), "test.ini", &err);
	if (!profile)
		fail_msg("%s", err.words);
	engine = engine_start(&(struct engine_options){.host = host, .profile = profile, .headless = true}, &err);
	assert_non_null(engine);
	while (wait_left(wait) && (!s || !s->depth || s->verdict.shown.verdict != VERDICT_ABSENT)) {
		wait_fd(wait_for(200, -1), engine_fd(engine), POLLIN);
		engine_turn(engine);
		for (size_t i = 0; i < engine_lake(engine)->n_services; i++)
			if (!strcmp(engine_lake(engine)->services[i]->name, "h"))
				s = engine_lake(engine)->services[i];
	}
	assert_non_null(s);
	assert_directory(snapshot_find_table(s->depth, "applications"));
	assert_int_equal(s->verdict.shown.verdict, VERDICT_ABSENT);
	assert_true(s->verdict.shown.links[LINK_HEALTHY].state != LINK_OK);
	buf_init(&out, 1 << 20);
	report_spark(engine_lake(engine), &(struct report_options){0}, &out);
	assert_non_null(strstr(out.at, "\n  h, app-20261129191015-0002, menu import, COMPLETED, duration 5051 ms, told_by event log\n"));
	assert_null(strstr(out.at, "event log of h"));
	buf_free(&out);
	assert_int_equal(engine_stop(engine, 20000), 0);
	profile_free(profile);
	host->close(host);
	empty(directory);
}

static void the_profile_says_what_is_wrong_with_it(void **state)
{
	static const char *const wrong[][2] = {
		{"[service h]\nkind = spark-history\nevent_log = ftp://x/y\n", "event_log: "},
		{"[service h]\nkind = spark-history\nevent_log = s3a://b/x\n", "an event log on s3 needs storage = SERVICE"},
		{"[service h]\nkind = spark-history\nevent_log = /x\nstorage = h\n", "storage is for an event log on s3, and this one is a file"},
		{"[service h]\nkind = spark-history\nstorage = h\n", "storage is for event_log, and there is none"},
		{"[service h]\nkind = spark-history\nevent_log = s3a://b/x\nstorage = h\n", "has no S3"},
		{"[service h]\nkind = spark-history\nevent_log = s3a://b/x\nstorage = i\n", "unknown service"},
		{"[service m]\nkind = spark-master\nevent_log = /x\n", "event_log is for kind = spark-history"},
	};
	struct host *host = host_local();
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		err = (struct err){0};
		assert_null(profile_parse(host, text_of(wrong[i][0]), "test.ini", &err));
		if (!strstr(err.words, wrong[i][1]))
			fail_msg("%s", err.words);
	}
	host->close(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_tell_the_log_and_whether_it_ended),
		cmocka_unit_test(the_first_lines_tell_who_it_is),
		cmocka_unit_test(what_is_not_read_is_said),
		cmocka_unit_test(a_bomb_is_not_unpacked),
		cmocka_unit_test(chance_breaks_nothing),
		cmocka_unit_test(a_directory_tells_what_ended_and_what_did_not),
		cmocka_unit_test(the_newest_are_told_and_the_others_counted),
		cmocka_unit_test(a_service_that_is_not_there_stays_absent_and_is_told_of),
		cmocka_unit_test(the_profile_says_what_is_wrong_with_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
