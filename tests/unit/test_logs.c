// SPDX-License-Identifier: MIT
/* Lines of the logs of a lakehouse: when, how bad, what belongs together; and whatever bytes come. */
#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "clock.h"
#include "fixture_bytes.h"
#include "fixture_logs.h"
#include "canvas.h"
#include "host.h"
#include "panel.h"
#include "../../backend/logs/logs_own.h"

static int64_t now; /* 2026-11-29T20:00:00Z */
static struct host *host;

static int64_t at(int h, int m, int s, int ms)
{
	struct tm tm = {.tm_year = 126, .tm_mon = 10, .tm_mday = 29, .tm_hour = h, .tm_min = m, .tm_sec = s, .tm_isdst = -1};

	return (int64_t)timegm(&tm) * 1000 + ms;
}

/* As the servers wrote them: those of the lab, and of the versions that are named. */
static void test_lines(void **state)
{
	const struct {
		const char *line;
		int64_t at;
		enum log_level level;
		const char *rest;
	} cases[] = {
		/* Spark 4.1.4 */
		{"26/11/29 19:23:51 INFO MasterWebUI: Bound MasterWebUI to 127.0.0.1", at(19, 23, 51, 0), LOG_INFO, "MasterWebUI: Bound MasterWebUI to 127.0.0.1"},
		{"26/11/29 20:12:23 WARN ProcessingTimeExecutor: Current batch is falling behind.", at(20, 12, 23, 0), LOG_WARN, NULL},
		{"Using Spark's default log4j profile: org/apache/spark/log4j2-defaults.properties", -1, LOG_UNKNOWN, NULL},
		{"WARNING: Using incubator modules: jdk.incubator.vector", -1, LOG_WARN, "Using incubator modules: jdk.incubator.vector"},
		/* Kafka 4.1, ZooKeeper 3.8 */
		{"[2026-11-29 19:23:50,119] INFO Registered signal handlers for TERM, INT, HUP (org.apache.kafka.Signals)", at(19, 23, 50, 119), LOG_INFO, NULL},
		{"[2026-11-29 19:23:50,954] INFO [RaftManager id=1] Attempting durable transition", at(19, 23, 50, 954), LOG_INFO,
			"[RaftManager id=1] Attempting durable transition"},
		{"[2026-11-29 20:13:49,679] INFO clientPortAddress is 127.0.0.1:11901 (org.apache.zookeeper.server.quorum.QuorumPeerConfig)",
			at(20, 13, 49, 679), LOG_INFO, NULL},
		{"2026-11-29 20:13:49,679 [myid:1] - WARN  [main:QuorumPeerConfig@1] - no ERROR here", at(20, 13, 49, 679), LOG_WARN, NULL},
		/* PostgreSQL 15 */
		{"2026-11-29 19:23:48.113 GMT [7899] LOG:  listening on IPv4 address \"127.0.0.1\", port 14706", at(19, 23, 48, 113), LOG_INFO, NULL},
		{"2026-11-29 19:34:23.820 GMT [29565] lake@iceberg_catalog FATAL:  role \"x\" does not exist", at(19, 34, 23, 820), LOG_FATAL,
			"role \"x\" does not exist"},
		{"2026-11-29 19:34:23.820 UTC [61] ERROR:  relation \"t\" does not exist at character 15", at(19, 34, 23, 820), LOG_ERROR, NULL},
		/* SeaweedFS: glog */
		{"W1129 19:13:14.345315 s3_sse_s3.go:861 SSE-S3 KeyManager: neither is set", at(19, 13, 14, 345), LOG_WARN,
			"s3_sse_s3.go:861 SSE-S3 KeyManager: neither is set"},
		{"I1129 19:13:11.339122 file_util.go:29 Folder Permission: -rwxr-xr-x", at(19, 13, 11, 339), LOG_INFO, NULL},
		{"E1129 19:13:11.339122 x.go:1 ERROR is only a word", at(19, 13, 11, 339), LOG_ERROR, "x.go:1 ERROR is only a word"},
		/* Trino 476, with tabs and with what cleaning makes of them */
		{"2026-11-29T19:22:05.132Z\tINFO\tmain\tio.airlift.log.Logging\tLogging to stderr", at(19, 22, 5, 132), LOG_INFO, NULL},
		{"2026-11-29T19:22:05.132Z ERROR main Bootstrap bad", at(19, 22, 5, 132), LOG_ERROR, "main Bootstrap bad"},
		/* Nessie 0.99, Polaris: Quarkus */
		{"2026-11-29 19:13:19,620 INFO  [org.pro.qua.pro.sto.PersistProvider] (main) Using IN_MEMORY version store", at(19, 13, 19, 620), LOG_INFO, NULL},
		/* slf4j-simple, logback */
		{"[main] INFO org.apache.iceberg.CatalogUtil - Loading custom FileIO implementation", -1, LOG_INFO, NULL},
		{"2026-11-29 18:04:05.123 [vert.x-eventloop-thread-0] WARN  i.u.server.UnityCatalogServer - slow", at(18, 4, 5, 123), LOG_WARN, NULL},
		/* python */
		{"2026-11-29 18:04:05,123 - root - WARNING - careful", at(18, 4, 5, 123), LOG_WARN, "careful"},
		{"WARNING:root:careful", -1, LOG_WARN, "root:careful"},
		{"2026/11/29 18:04:05 INFO mlflow.store.db.utils: Creating initial MLflow database tables...", at(18, 4, 5, 0), LOG_INFO, NULL},
		/* Airflow 2.10 and 3.1 */
		{"[2026-11-29T18:04:05.123+0000] {taskinstance.py:2731} ERROR - Task failed with exception", at(18, 4, 5, 123), LOG_ERROR,
			"Task failed with exception"},
		{"2026-11-29T18:04:05.123456Z [warning  ] Skipping masking for a secret [airflow.sdk] loc=secrets_masker.py:1", at(18, 4, 5, 123), LOG_WARN, NULL},
		{"{\"timestamp\":\"2026-11-29T18:04:05.5Z\",\"level\":\"error\",\"event\":\"Task failed\"}", at(18, 4, 5, 500), LOG_ERROR, NULL},
		/* uvicorn, Jupyter, Ollama, gin */
		{"INFO:     127.0.0.1:53412 - \"GET / HTTP/1.1\" 200 OK", -1, LOG_INFO, NULL},
		{"[W 2026-11-29 18:04:05.123 ServerApp] 404 GET /error", at(18, 4, 5, 123), LOG_WARN, "404 GET /error"},
		{"time=2026-11-29T18:04:05.123Z level=WARN source=routes.go:1 msg=\"x\"", at(18, 4, 5, 123), LOG_WARN, NULL},
		{"time=\"2026-11-29T20:13:41.799146297Z\" level=warning msg=\"failed to load plugin\" error=\"none\"", at(20, 13, 41, 799), LOG_WARN, NULL},
		{"[GIN] 2026/11/29 - 18:04:05 | 200 | 1.2ms | 127.0.0.1 | GET \"/api/tags\"", at(18, 4, 5, 0), LOG_UNKNOWN, NULL},
		/* java.util.logging */
		{"Nov 29, 2026 6:04:05 PM org.apache.Foo run", at(18, 4, 5, 0), LOG_UNKNOWN, "org.apache.Foo run"},
		{"SEVERE: broken", -1, LOG_ERROR, "broken"},
		{"Exception in thread \"main\" java.lang.IllegalStateException: no", -1, LOG_ERROR, NULL},
		/* prose */
		{"26/11/29 19:23:51 INFO Job: 0 ERROR lines, WARN: none", at(19, 23, 51, 0), LOG_INFO, NULL},
		{"the LOG: of an ERROR: is no level", -1, LOG_UNKNOWN, NULL},
		{"2026-11-29 18:04:05 request with FATAL error in it", at(18, 4, 5, 0), LOG_UNKNOWN, NULL},
		{"LOG of what was done", -1, LOG_UNKNOWN, NULL},
		{"INFORMATION for all", -1, LOG_UNKNOWN, NULL},
		{"CONTEXT matters", -1, LOG_UNKNOWN, NULL},
		/* no stamps */
		{"2026-13-29 18:04:05 x", -1, LOG_UNKNOWN, NULL},
		{"2026-11-29", -1, LOG_UNKNOWN, NULL},
		{"1129", -1, LOG_UNKNOWN, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct log_line_facts facts;

		log_line_read(text_of(cases[i].line), now, &facts);
		if (facts.at != cases[i].at || facts.level != cases[i].level || facts.continues || (cases[i].rest && !text_is(facts.rest, cases[i].rest)))
			fail_msg("%s: at %lld, level %s, continues %d, rest \"%.*s\"", cases[i].line, (long long)facts.at, log_level_word(facts.level),
				facts.continues, (int)facts.rest.len, facts.rest.at);
	}
}

static void test_continued(void **state)
{
	static const char *const lines[] = {"\tat java.base/java.lang.Thread.run(Thread.java:840)", "    File \"x.py\", line 1", "Caused by: java.io.IOException: no",
		"java.lang.IllegalStateException: why", "ValueError: bad", "KeyboardInterrupt", "Traceback (most recent call last):", "... 12 more", ""};
	static const char *const others[] = {"An Exception: none", "Error", "error: x", "Exceptional: x", "Errors: 0"};
	struct log_line_facts facts;

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		log_line_read(text_of(lines[i]), now, &facts);
		assert_true(facts.continues);
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		log_line_read(text_of(others[i]), now, &facts);
		assert_false(facts.continues);
	}
}

/* December's lines read in January */
static void test_year(void **state)
{
	struct tm tm = {.tm_year = 127, .tm_mon = 0, .tm_mday = 2};
	struct log_line_facts facts;

	(void)state;
	log_line_read(text_of("I1231 23:59:59.5 x.go:1 last year"), (int64_t)timegm(&tm) * 1000, &facts);
	tm = (struct tm){.tm_year = 126, .tm_mon = 11, .tm_mday = 31, .tm_hour = 23, .tm_min = 59, .tm_sec = 59};
	assert_int_equal(facts.at, (int64_t)timegm(&tm) * 1000 + 500);
}

/* ---- folding ---- */

struct told {
	struct buf out;
	size_t events, lines, cut, longest;
	size_t left; /* events until it wants no more; 0: never */
};

static bool tell(void *ctx, const struct log_event *e)
{
	struct told *told = ctx;

	told->events++;
	told->lines += e->lines;
	told->cut += e->cut;
	if (e->text.len > told->longest)
		told->longest = e->text.len;
	/* nothing that a terminal would obey is ever handed over */
	for (size_t i = 0; i < e->text.len; i++)
		assert_true(e->text.at[i] == '\n' || (unsigned char)e->text.at[i] >= 0x20);
	buf_printf(&told->out, "%u %s|%.*s;", e->lines, log_level_word(e->level), (int)(e->text.len > 4000 ? 4000 : e->text.len), e->text.at);
	return !told->left || --told->left;
}

static void fold(struct told *told, struct text t, size_t piece)
{
	struct log_folder *f = log_folder_new(tell, told);

	buf_init(&told->out, 1 << 20);
	while (t.len) {
		size_t n = t.len < piece ? t.len : piece;

		if (!log_folder_feed(f, t.at, n, now))
			break;
		t = (struct text){t.at + n, t.len - n};
	}
	log_folder_flush(f, now);
	log_folder_free(f);
}

static void assert_folds(const char *log, const char *expected)
{
	static const size_t pieces[] = {1, 7, 1 << 20};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		struct told told = {0};

		fold(&told, text_of(log), pieces[i]);
		assert_string_equal(told.out.at, expected);
		buf_free(&told.out);
	}
}

static void test_folding(void **state)
{
	(void)state;
	assert_folds("26/11/29 19:23:51 INFO A: one\n26/11/29 19:23:52 ERROR B: two\njava.lang.X: why\n\tat a.b(C.java:1)\nCaused by: y\n\t... 3 more\n"
		     "26/11/29 19:23:53 WARN C: three\r\n",
		"1 INFO|26/11/29 19:23:51 INFO A: one;5 ERROR|26/11/29 19:23:52 ERROR B: two\njava.lang.X: why\n at a.b(C.java:1)\nCaused by: y\n ... 3 more;"
		"1 WARN|26/11/29 19:23:53 WARN C: three;");
	assert_folds("Nov 29, 2026 6:04:05 PM org.Foo run\nSEVERE: broken\nNov 29, 2026 6:04:06 PM org.Foo run\nINFO: well\n",
		"2 ERROR|Nov 29, 2026 6:04:05 PM org.Foo run\nSEVERE: broken;2 INFO|Nov 29, 2026 6:04:06 PM org.Foo run\nINFO: well;");
	assert_folds("ERROR:    Exception in ASGI application\nTraceback (most recent call last):\n  File \"x\"\nValueError: bad\nINFO:     1 - \"GET\" 200\n",
		"4 ERROR|ERROR:    Exception in ASGI application\nTraceback (most recent call last):\n  File \"x\"\nValueError: bad;"
		"1 INFO|INFO:     1 - \"GET\" 200;");
	/* no stamp, no level: each line is one, until the log is known to stamp its lines */
	assert_folds("a\nb\n[2026-11-29 19:23:50,119] INFO c\n[2026-11-29 19:23:51,119] INFO d\ne\n",
		"1 |a;1 |b;1 INFO|[2026-11-29 19:23:50,119] INFO c;2 INFO|[2026-11-29 19:23:51,119] INFO d\ne;");
	assert_folds("without an end", "1 |without an end;");
	assert_folds("\x1b[31mred\x1b[0m \x1b]52;c;eA==\x07 \xc2\x9b" "2J [YELLOW] %s%n\n", "1 |[31mred[0m ]52;c;eA== 2J [YELLOW] %s%n;");
}

static void test_caps(void **state)
{
	size_t len = 1 << 20;
	char *line = malloc(len + 32);
	struct told told = {0};

	(void)state;
	memset(line, 'x', len);
	line[len] = '\n';
	memcpy(line + len + 1, "INFO after\n", 11);
	fold(&told, (struct text){line, len + 12}, 4096);
	assert_int_equal(told.events, 2);
	assert_int_equal(told.longest, LOG_LINE_MAX);
	assert_int_equal(told.cut, len - LOG_LINE_MAX); /* counted to the byte */
	buf_free(&told.out);
	/* zeros and everything else: whatever it is, it ends and is clean */
	for (size_t i = 0; i < len; i++)
		line[i] = (char)(i * 2654435761u >> 13);
	told = (struct told){0};
	fold(&told, (struct text){line, len}, 1000);
	assert_true(told.events > 10);
	buf_free(&told.out);
	told = (struct told){.left = 3};
	fold(&told, (struct text){line, len}, 1000);
	assert_int_equal(told.events, 3); /* who wants no more gets no more */
	buf_free(&told.out);
	free(line);
}

static void read_any(struct text bytes)
{
	struct told told = {0};
	struct log_line_facts facts;

	log_line_read(bytes, now, &facts);
	fold(&told, bytes, 64);
	buf_free(&told.out);
}

static void test_fuzz(void **state)
{
	static const char log[] =
		"26/11/29 19:23:51 INFO A: one\nNov 29, 2026 6:04:05 PM org.Foo run\nSEVERE: broken\nI1129 19:13:11.339122 file_util.go:29 Folder\n"
		"{\"timestamp\":\"2026-11-29T18:04:05.5Z\",\"level\":\"error\"}\n[W 2026-11-29 18:04:05.123 ServerApp] 404\ntime=\"2026-11-29T20:13:41Z\" level=x\n"
		"[2026-11-29T18:04:05.123+0000] {taskinstance.py:2731} ERROR - Task\n\tat x\n2026-11-29 19:34:23.820 GMT [29565] a@b FATAL:  role\n";

	(void)state;
	fuzz(TEXT(log), read_any);
	for (size_t i = 0; i + 60 < sizeof log; i += 13) /* any line may begin anywhere */
		fuzz((struct text){log + i, 60}, read_any);
}

/* ---- sources ---- */

static char folder[64];

static char *path_in(char out[128], const char *name)
{
	snprintf(out, 128, "%s/%s", folder, name);
	return out;
}

static void write_to(const char *name, const char *how, const char *words)
{
	char path[128];
	FILE *f = fopen(path_in(path, name), how);

	assert_non_null(f);
	fputs(words, f);
	fclose(f);
}

static struct log_source file_source(const char *name)
{
	struct log_source s = {.kind = LOG_FILE};

	text_copy(s.service, sizeof s.service, text_of(name));
	path_in(s.at, name);
	return s;
}

/* Turns until so many events are there, or seconds have passed. */
static void await(struct logs *logs, size_t n)
{
	int64_t end = clock_ms() + 60000;

	while (logs_count(logs) < n && clock_ms() < end) {
		logs_turn(logs);
		wait_fd(wait_for(10, -1), -1, 0);
	}
	assert_int_equal(logs_count(logs), n);
}

/* Turns until the only source says that its file is not there: a name that is free may get the same inode again. */
static void await_gone(struct logs *logs)
{
	int64_t end = clock_ms() + 60000;
	char words[200] = "";

	while (!strstr(words, "is not there") && clock_ms() < end) {
		logs_turn(logs);
		logs_words(logs, 0, words);
		wait_fd(wait_for(10, -1), -1, 0);
	}
	assert_non_null(strstr(words, "is not there"));
}

static void test_merged(void **state)
{
	struct log_source sources[] = {file_source("a.log"), file_source("b.log"), file_source("missing.log")};
	struct logs *logs;
	char words[200];

	(void)state;
	write_to("a.log", "w", "no stamp yet\n26/11/29 19:00:01 INFO a1\n26/11/29 19:00:03 ERROR a3\njava.lang.X: why\n\tat y\n26/11/29 19:00:05 INFO a5\n");
	write_to("b.log", "w", "26/11/29 19:00:02 WARN b2\n26/11/29 19:00:04 INFO b4\n");
	logs = logs_open(&(struct log_options){.host = host, .sources = sources, .n = 3});
	logs_await(logs);
	assert_int_equal(logs_count(logs), 6);
	for (size_t i = 1; i < 6; i++) {
		const struct log_entry *e = logs_get(logs, i);
		char expected[8];

		snprintf(expected, sizeof expected, "%c%zu", e->source ? 'b' : 'a', i);
		assert_non_null(strstr(e->text, expected));
		assert_int_equal(e->at, at(19, 0, (int)i, 0));
		assert_int_equal(logs_find(logs, e->at, e->number), i);
	}
	assert_string_equal(logs_get(logs, 0)->text, "no stamp yet"); /* of the past, so before what is stamped */
	assert_int_equal(logs_get(logs, 3)->lines, 3);
	assert_int_equal(logs_find(logs, at(19, 0, 2, 500), 0), 3);
	assert_int_equal(logs_find(logs, INT64_MAX, 0), 6);
	logs_words(logs, 2, words);
	assert_non_null(strstr(words, "missing.log is not there"));
	logs_words(logs, 0, words);
	assert_string_equal(words, "");
	logs_close(logs, 20000);
}

/* A line without a stamp is as old as its file, whoever asks for all there is, or for what is young. */
static void test_unstamped(void **state)
{
	struct log_source source = file_source("u.log");
	struct timespec times[2] = {{at(19, 0, 0, 0) / 1000, 0}, {at(19, 0, 0, 0) / 1000, 0}};
	const int64_t sinces[] = {0, 1, at(18, 0, 0, 0), at(20, 0, 0, 0)};
	char path[128];

	(void)state;
	write_to("u.log", "w", "ERROR no stamp\nand this has none\n");
	assert_int_equal(utimensat(AT_FDCWD, path_in(path, "u.log"), times, 0), 0);
	for (size_t i = 0; i < sizeof sinces / sizeof *sinces; i++) {
		struct logs *logs = logs_open(&(struct log_options){.host = host, .sources = &source, .n = 1, .since = sinces[i], .patient = true});

		logs_await(logs);
		assert_int_equal(logs_count(logs) > 0, i < 3);
		for (size_t k = 0; k < logs_count(logs); k++) {
			assert_int_equal(logs_get(logs, k)->at, at(19, 0, 0, 0));
			assert_false(logs_get(logs, k)->stamped);
		}
		logs_close(logs, 20000);
	}
}

static void test_followed(void **state)
{
	struct log_source source = file_source("f.log");
	char from[128], to[128];
	struct logs *logs;

	(void)state;
	write_to("f.log", "w", "INFO: one\n");
	logs = logs_open(&(struct log_options){.host = host, .sources = &source, .n = 1, .follow = true});
	await(logs, 1);
	write_to("f.log", "a", "INFO: two\nhalf");
	await(logs, 2);
	write_to("f.log", "a", " and half\n"); /* a line that was not whole is not shown in two */
	await(logs, 3);
	assert_string_equal(logs_get(logs, 2)->text, "half and half");
	/* rotated while lines still came into the old one */
	assert_int_equal(rename(path_in(from, "f.log"), path_in(to, "f.log.1")), 0);
	write_to("f.log", "w", "");
	write_to("f.log.1", "a", "INFO: last of the old\n"); /* who writes goes on in the old one until it is told */
	await(logs, 4);
	assert_string_equal(logs_get(logs, 3)->text, "INFO: last of the old");
	write_to("f.log.1", "a", "INFO: and its very last\n");
	await(logs, 5);
	write_to("f.log", "w", "INFO: first of the new\n");
	await(logs, 6);
	assert_string_equal(logs_get(logs, 5)->text, "INFO: first of the new");
	write_to("f.log", "w", "INFO: cut\n"); /* truncated, as copytruncate does */
	await(logs, 7);
	assert_string_equal(logs_get(logs, 6)->text, "INFO: cut");
	assert_int_equal(unlink(path_in(from, "f.log")), 0);
	await_gone(logs);
	write_to("f.log", "w", "INFO: back again, and longer than before\n");
	await(logs, 8);
	assert_false(logs_over(logs));
	assert_int_equal(logs_missed(logs) + logs_gone(logs), 0);
	logs_close(logs, 20000);
}

/* A moment in a large file, and in what it was rotated into, also packed. */
static void test_since(void **state)
{
	struct log_source source = file_source("s.log");
	char path[128], line[160];
	struct logs *logs;
	gzFile packed;
	FILE *f;

	(void)state;
	packed = gzopen(path_in(path, "s.log.2.gz"), "wb");
	for (int i = 0; i < 60; i++)
		gzprintf(packed, "26/11/29 16:%02d:00 INFO packed\n", i);
	gzclose(packed);
	f = fopen(path_in(path, "s.log.1"), "w");
	for (int i = 0; i < 60; i++)
		fprintf(f, "26/11/29 17:%02d:00 INFO older\n", i);
	fclose(f);
	f = fopen(path_in(path, "s.log"), "w");
	for (int i = 0; i < 36000; i++)
		fprintf(f, "26/11/29 1%d:%02d:%02d INFO n %d%s\n", 8 + i / 18000, i / 300 % 60, i / 5 % 60, i, i % 50 ? "" : "\n\tat somewhere(Else.java:1)");
	fclose(f);
	logs = logs_open(&(struct log_options){.host = host, .sources = &source, .n = 1, .since = at(19, 30, 0, 0), .patient = true});
	logs_await(logs);
	assert_int_equal(logs_count(logs), 9000);
	assert_int_equal(logs_get(logs, 0)->at, at(19, 30, 0, 0));
	logs_close(logs, 20000);
	logs = logs_open(&(struct log_options){.host = host, .sources = &source, .n = 1, .since = at(16, 30, 0, 0), .patient = true, .bytes = 64 << 20});
	logs_await(logs);
	assert_int_equal(logs_count(logs), 30 + 60 + 36000);
	assert_non_null(strstr(logs_get(logs, 0)->text, "16:30:00 INFO packed"));
	logs_close(logs, 20000);
	/* bounded: what goes is counted to the line */
	logs = logs_open(&(struct log_options){.host = host, .sources = &source, .n = 1, .since = at(18, 0, 0, 0), .patient = true, .bytes = 100000});
	logs_await(logs);
	snprintf(line, sizeof line, "n %d", 35999);
	assert_non_null(strstr(logs_get(logs, logs_count(logs) - 1)->text, line));
	assert_true(logs_count(logs) < 1000);
	{
		uint64_t lines = logs_gone(logs);

		for (size_t i = 0; i < logs_count(logs); i++)
			lines += logs_get(logs, i)->lines;
		assert_int_equal(lines, 36000 + 36000 / 50);
	}
	logs_close(logs, 20000);
}

/* Nobody takes, and it is closed: no reader stays behind. */
/* ---- it gets another name while it is read once ---- */

static int pieces;

static bool read_and_rotate(struct host *h, const char *name, int64_t offset, size_t most, struct buf *out, struct err *err)
{
	char path[128], old[128];
	FILE *f;

	if (offset && most > 64 << 10 && !strcmp(name, path_in(path, "r.log")) && pieces++ == 0) { /* a piece, no probe */
		assert_int_equal(rename(path, path_in(old, "r.log.1")), 0);
		f = fopen(path, "w");
		fputs("26/11/29 19:00:00 INFO last\n", f);
		fclose(f);
	}
	return host->read_from(h, name, offset, most, out, err);
}

static void test_rotated_in_its_middle(void **state)
{
	struct log_source source = file_source("r.log");
	struct host rotating = *host;
	char path[128];
	struct logs *logs;
	FILE *f = fopen(path_in(path, "r.log"), "w");

	(void)state;
	for (int i = 0; i < 18000; i++)
		fprintf(f, "26/11/29 18:%02d:%02d INFO n %d\n", i / 300, i / 5 % 60, i);
	fclose(f);
	rotating.read_from = read_and_rotate;
	logs = logs_open(&(struct log_options){.host = &rotating, .sources = &source, .n = 1, .since = 1, .match = "n 17000$|last", .patient = true});
	logs_await(logs);
	assert_true(pieces > 0);
	assert_int_equal(logs_count(logs), 2);
	assert_non_null(strstr(logs_get(logs, 0)->text, "n 17000"));
	assert_non_null(strstr(logs_get(logs, 1)->text, "last"));
	logs_close(logs, 20000);
}

static void test_closed(void **state)
{
	struct log_source source = file_source("s.log");
	int64_t begun = clock_ms();
	struct logs *logs = logs_open(&(struct log_options){.host = host, .sources = &source, .n = 1, .since = 1, .follow = true});

	(void)state;
	wait_fd(wait_for(100, -1), -1, 0);
	logs_close(logs, 60000);
	assert_true(clock_ms() - begun < 30000);
}

/* ---- Docker's frames ---- */

struct parts {
	struct buf out;
};

static bool take_part(void *ctx, unsigned stream, const char *stamp, const char *bytes, size_t len)
{
	struct parts *p = ctx;

	buf_printf(&p->out, "%u %s ", stream, stamp);
	buf_add(&p->out, bytes, len);
	if (bytes[len - 1] != '\n')
		buf_puts(&p->out, "~");
	return true;
}

static size_t frame(char *to, unsigned stream, const char *words)
{
	size_t len = strlen(words);
	const unsigned char head[8] = {(unsigned char)stream, 0, 0, 0, 0, 0, (unsigned char)(len >> 8), (unsigned char)len};

	memcpy(to, head, 8);
	memcpy(to + 8, words, len);
	return 8 + len;
}

static void read_frames(struct text bytes)
{
	for (int raw = 0; raw < 2; raw++) {
		struct parts p = {0};
		struct log_frames f = {.raw = raw, .take = take_part, .ctx = &p};

		buf_init(&p.out, 1 << 20);
		log_frames_feed(&f, bytes.at, bytes.len);
		buf_free(&p.out);
	}
}

static void test_frames(void **state)
{
	char bytes[512];
	size_t n = 0;

	(void)state;
	n += frame(bytes + n, 1, "2026-11-29T18:04:05.000000001Z one\n");
	n += frame(bytes + n, 2, "2026-11-29T18:04:05.000000002Z long ");
	n += frame(bytes + n, 1, "2026-11-29T18:04:05.000000003Z between\n");
	n += frame(bytes + n, 2, "2026-11-29T18:04:05.000000004Z line\n");
	n += frame(bytes + n, 2, "2026-11-29T18:04:05.000000005Z \n");
	for (size_t piece = 1; piece <= n; piece = piece < 40 || piece == n ? piece + 1 : n) {
		struct parts p = {0};
		struct log_frames f = {.take = take_part, .ctx = &p};

		buf_init(&p.out, 1 << 16);
		for (size_t i = 0; i < n; i += piece)
			assert_true(log_frames_feed(&f, bytes + i, n - i < piece ? n - i : piece));
		if (piece == n) /* whole frames: the parts are known; otherwise only that it holds at every cut */
			assert_string_equal(p.out.at, "0 2026-11-29T18:04:05.000000001Z one\n1 2026-11-29T18:04:05.000000002Z long ~0 2026-11-29T18:04:05.000000003Z "
				"between\n1 2026-11-29T18:04:05.000000002Z line\n1 2026-11-29T18:04:05.000000005Z \n");
		assert_null(strstr(p.out.at, "000000004Z")); /* the stamp of a piece is none of the line's */
		buf_free(&p.out);
	}
	assert_false(log_frames_feed(&(struct log_frames){.take = take_part}, "HTTP/1.1 400", 12));
	fuzz((struct text){bytes, n}, read_frames);
}

/* ---- the journal ---- */

static bool journal(const char *line, int64_t *when, enum log_level *level, struct buf *out)
{
	char cursor[64];

	buf_init(out, 1 << 16);
	return log_journal_line(text_of(line), when, level, out, cursor, sizeof cursor);
}

static void read_journal(struct text bytes)
{
	char cursor[64];
	enum log_level level;
	struct buf out;
	int64_t when;

	buf_init(&out, 1 << 16);
	log_journal_line(bytes, &when, &level, &out, cursor, sizeof cursor);
	buf_free(&out);
}

static void test_journal(void **state)
{
	static const struct {
		const char *line, *text;
		enum log_level level;
	} cases[] = { /* systemd 252 */
		{"{\"__CURSOR\":\"s=1\",\"__REALTIME_TIMESTAMP\":\"1795975445123456\",\"PRIORITY\":\"3\",\"MESSAGE\":\"broken\"}", "broken\n", LOG_ERROR},
		{"{\"__REALTIME_TIMESTAMP\":\"1795975445123456\",\"PRIORITY\":\"6\",\"MESSAGE\":[27,91,51,49,109,114,101,100]}", "\x1b[31mred\n", LOG_INFO},
		{"{\"__REALTIME_TIMESTAMP\":\"1795975445123456\",\"MESSAGE\":[\"one\",\"two\"]}", "one\n\ttwo\n", LOG_UNKNOWN},
		{"{\"__REALTIME_TIMESTAMP\":\"1795975445123456\",\"PRIORITY\":\"4\",\"MESSAGE\":null}", "(a line that is too long for the journal's JSON)\n", LOG_WARN},
	};
	enum log_level level;
	struct buf out;
	int64_t when;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_true(journal(cases[i].line, &when, &level, &out));
		assert_int_equal(when, 1795975445123);
		assert_int_equal(level, cases[i].level);
		assert_string_equal(out.at, cases[i].text);
		buf_free(&out);
		fuzz(text_of(cases[i].line), read_journal);
	}
	assert_false(journal("Hint: You are currently not seeing messages", &when, &level, &out));
	buf_free(&out);
}

static void test_match(void **state)
{
	struct err err = {0};
	struct log_match *m = log_match_new("caf\u00e9|^\\d+ x", &err);
	size_t where, len;

	(void)state;
	assert_non_null(m);
	assert_true(log_match_in(m, TEXT("a CAF\u00c9 b"), 0, &where, &len));
	assert_int_equal(where, 2);
	assert_int_equal(len, 5); /* whole characters */
	assert_true(log_match_in(m, TEXT("a\n12 x"), 0, &where, &len));
	assert_false(log_match_in(m, TEXT("a 12 x"), 0, NULL, NULL));
	assert_true(log_match_in(m, TEXT("caf\xff caf\u00e9"), 0, &where, NULL)); /* not all is text */
	assert_int_equal(where, 5);
	log_match_free(m);
	m = log_match_new("Error", &err);
	assert_false(log_match_in(m, TEXT("error"), 0, NULL, NULL));
	log_match_free(m);
	assert_null(log_match_new("(", &err));
	assert_non_null(strstr(err.words, "letter"));
	/* one that would take for ever gives up */
	m = log_match_new("(a+)+$b", &err);
	assert_false(log_match_in(m, TEXT("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), 0, NULL, NULL));
	log_match_free(m);
}

/* ---- the panel ---- */

struct seen {
	struct canvas *c;
	struct buf text;
};

/* The picture as text, a line each. */
static const char *picture(struct seen *seen, struct log_stage *s, int width, int height)
{
	canvas_free(seen->c);
	seen->c = canvas_new(width, height, false);
	buf_free(&seen->text);
	buf_init(&seen->text, 1 << 20);
	canvas_clear(seen->c);
	s->panel->draw(&s->view, s->look, seen->c);
	for (int y = 0; y < height; y++) {
		for (int x = 0; x < width; x++) {
			uint32_t code = seen->c->cells[(ptrdiff_t)y * seen->c->stride + x].code[0];

			assert_true(!code || (code >= 0x20 && (code < 0x7f || code >= 0xa0))); /* no control reaches a cell */
			buf_puts(&seen->text, code >= 0x20 && code < 0x7f ? (const char[]){(char)code, '\0'} : " ");
		}
		buf_puts(&seen->text, "\n");
	}
	return seen->text.at;
}

static void assert_shows(const char *drawn, const char *words, bool shown)
{
	if ((strstr(drawn, words) != NULL) != shown)
		fail_msg("%s \"%s\" in\n%s", shown ? "no" : "there is", words, drawn);
}

static void test_panel(void **state)
{
	struct log_source sources[] = {file_source("a.log"), file_source("b.log")};
	struct log_stage s;
	struct seen seen = {0};

	(void)state;
	write_to("a.log", "w", "26/11/29 19:00:01 INFO One: \x1b]52;c;eA==\x07 [YELLOW] %s%n\n26/11/29 19:00:03 ERROR Three: broken\njava.lang.X: why\n\tat y.Z\n"
		"26/11/29 19:00:05 INFO Five: the last of a\n");
	write_to("b.log", "w", "26/11/29 19:00:02 WARN Two: careful\n26/11/29 19:00:04 DEBUG Four: caf\u00e9 \u65e5\u672c\n");
	log_stage_set(&s, host, now, sources, 2);
	for (int width = 40; width <= 300; width += 65)
		for (int height = 8; height <= 98; height += 30) {
			picture(&seen, &s, width, height);
			assert_shows(seen.text.at, "Five: the last", true);
			assert_shows(seen.text.at, "follows", true);
		}
	picture(&seen, &s, 100, 12);
	assert_shows(seen.text.at, "19:00:01.000 a.log INFO  One: ]52;c;eA== [YELLOW] %s%n", true);
	assert_shows(seen.text.at, "+2 lines", true);
	assert_shows(seen.text.at, "at y.Z", false);
	log_press(&s, ACT_PREVIOUS_ERROR);
	log_press(&s, ACT_ENTER);
	assert_shows(picture(&seen, &s, 100, 12), "at y.Z", true);
	assert_shows(seen.text.at, "held", true);
	assert_true(log_press(&s, ACT_COPY) & REACT_COPY);
	assert_string_equal(s.view.copy, "26/11/29 19:00:03 ERROR Three: broken\njava.lang.X: why\n at y.Z");
	log_press(&s, ACT_NEXT_VIEW); /* a alone */
	assert_shows(picture(&seen, &s, 100, 12), "Two", false);
	log_press(&s, ACT_PREVIOUS_VIEW);
	log_press(&s, ACT_LEVEL_UP); /* no line is below DEBUG: the first step hides that */
	assert_shows(picture(&seen, &s, 100, 12), "Four", false);
	assert_shows(seen.text.at, "from INFO", true);
	log_press(&s, ACT_LEVEL_UP);
	assert_shows(picture(&seen, &s, 100, 12), "One", false);
	assert_shows(seen.text.at, "from WARN", true);
	assert_shows(seen.text.at, "Two", true);
	log_press(&s, ACT_LEVEL_UP);
	assert_shows(picture(&seen, &s, 100, 12), "Two", false);
	assert_shows(seen.text.at, "from ERROR", true);
	log_press(&s, ACT_LEVEL_UP);
	log_press(&s, ACT_LEVEL_UP);
	assert_shows(picture(&seen, &s, 100, 12), "from FATAL", true);
	assert_shows(seen.text.at, "no line", true); /* which is not: nothing was written */
	log_press(&s, ACT_LEVEL_DOWN);
	assert_shows(picture(&seen, &s, 100, 12), "from ERROR", true);
	log_press(&s, ACT_LEVEL_DOWN);
	assert_shows(picture(&seen, &s, 100, 12), "Two", true);
	log_press(&s, ACT_LEVEL_DOWN);
	assert_shows(picture(&seen, &s, 100, 12), "One", true);
	log_press(&s, ACT_LEVEL_DOWN);
	assert_shows(picture(&seen, &s, 100, 12), "Four", true);
	assert_shows(seen.text.at, "from ", false);
	log_press(&s, ACT_LEVEL_DOWN);
	assert_shows(picture(&seen, &s, 100, 12), "all levels are shown", true);
	s.view.filter = "t(wo|hree)";
	assert_shows(picture(&seen, &s, 100, 12), "Four", false);
	assert_shows(seen.text.at, "Two", true);
	s.view.filter = "!careful";
	assert_shows(picture(&seen, &s, 100, 12), "Two", false);
	assert_shows(seen.text.at, "Four", true);
	s.view.filter = "(";
	assert_shows(picture(&seen, &s, 100, 12), "no regular expression", true);
	s.view.filter = "";
	s.view.search = "caf\u00e9";
	log_press(&s, ACT_FIND_NEXT);
	log_press(&s, ACT_COPY);
	if (!strstr(s.view.copy, "Four"))
		fail_msg("on %s, wrong or not:\n%s", s.view.copy, picture(&seen, &s, 100, 12));
	s.view.search = "@19:00:02";
	log_press(&s, ACT_FIND_NEXT);
	log_press(&s, ACT_COPY);
	assert_non_null(strstr(s.view.copy, "Two"));
	log_press(&s, ACT_FOLLOW);
	assert_shows(picture(&seen, &s, 100, 12), "follows", true);
	for (enum act a = ACT_UP; a < ACT_COUNT; a++) /* whatever is pressed, it can be drawn */
		for (int i = 0; i < 3; i++) {
			log_press(&s, a);
			picture(&seen, &s, 40 + i * 30, 9 + i);
		}
	canvas_free(seen.c);
	buf_free(&seen.text);
	log_stage_strike(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines), cmocka_unit_test(test_continued), cmocka_unit_test(test_year), cmocka_unit_test(test_folding),
		cmocka_unit_test(test_caps), cmocka_unit_test(test_fuzz), cmocka_unit_test(test_merged), cmocka_unit_test(test_unstamped),
		cmocka_unit_test(test_followed), cmocka_unit_test(test_since),
		cmocka_unit_test(test_rotated_in_its_middle),
		cmocka_unit_test(test_closed), cmocka_unit_test(test_frames), cmocka_unit_test(test_journal), cmocka_unit_test(test_match),
		cmocka_unit_test(test_panel),
	};

	static const char *const files[] = {"a.log", "b.log", "f.log", "f.log.1", "s.log", "s.log.1", "s.log.2.gz"};
	char path[128];
	int failed;

	setlocale(LC_CTYPE, "C.UTF-8"); /* which characters have a width */
	setenv("TZ", "UTC", 1);
	tzset();
	now = at(20, 0, 0, 0);
	snprintf(folder, sizeof folder, "/tmp/laketop-logs-XXXXXX");
	if (!mkdtemp(folder))
		return 2;
	host = host_local();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		unlink(path_in(path, files[i]));
	host->close(host);
	rmdir(folder);
	return failed;
}
