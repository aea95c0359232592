// SPDX-License-Identifier: MIT
/* Lines of the logs of a lakehouse: when, how bad, what belongs together; and whatever bytes come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "clock.h"
#include "fixture_bytes.h"
#include "logs.h"

static int64_t now; /* 2026-11-29T20:00:00Z */

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines), cmocka_unit_test(test_continued), cmocka_unit_test(test_year), cmocka_unit_test(test_folding),
		cmocka_unit_test(test_caps), cmocka_unit_test(test_fuzz),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	now = at(20, 0, 0, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
