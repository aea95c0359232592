// SPDX-License-Identifier: MIT
/* Where logs are: what a name means, what processes write, what a Spark worker's UI hands out. */
#include <ftw.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock.h"
#include "fixture_bytes.h"
#include "fixture_server.h"
#include "host.h"
#include "json.h"
#include "lake.h"
#include "../../backend/host/look.h"
#include "../../backend/logs/logs_own.h"
#include "../../backend/services/kinds.h"
#include "../../backend/services/spark.h"

static struct host *host;
static char folder[64];

static void write_to(const char *name, const char *words)
{
	char path[400];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	for (char *c = path + strlen(folder) + 1; (c = strchr(c, '/')) != NULL; *c++ = '/') {
		*c = '\0';
		mkdir(path, 0755);
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(words, f);
	fclose(f);
}

static void await_over(struct logs *logs)
{
	int64_t end = clock_ms() + 60000;

	while (!logs_over(logs) && clock_ms() < end) {
		logs_turn(logs);
		wait_fd(wait_for(5, -1), -1, 0);
	}
	assert_true(logs_over(logs));
	logs_turn(logs);
}

/* ---- names ---- */

static struct snapshot *worker_seen(void)
{
	struct json *root = json_parse(recorded("spark-4.1.4-worker-json.json"), NULL);
	struct snapshot *s = snapshot_new("worker", PART_DEPTH);
	struct spark_specs specs = {kind_spark_worker.figures, kind_spark_worker.tables};

	assert_true(spark_read_worker(root, &specs, s));
	json_free(root);
	return s;
}

static void test_names(void **state)
{
	static const char *const paths[] = {"/var/log/pg", "/var/log/pg.err", NULL};
	struct process processes[] = {{.pid = 7, .logs = paths, .log_words = ""}, {.pid = 8, .logs = paths + 2, .log_words = "its output goes into a pipe"}};
	struct facts facts = {.processes = processes, .n_processes = 2};
	struct snapshot *seen = worker_seen();
	const struct table *t = snapshot_find_table(seen, "executors");
	static struct service pg = {.name = "pg"}, quiet = {.name = "quiet"}, worker = {.name = "worker", .kind = &kind_spark_worker,
		.at = {.address = "127.0.0.1", .port = 8081}};
	struct service *all[] = {&pg, &quiet, &worker};
	struct lake lake = {.services = all, .n_services = 3, .facts = &facts};
	static struct log_source out[LOG_SOURCES_MAX];
	char name[200], why[240];

	(void)state;
	worker.depth = seen;
	pg.verdict.begun = quiet.verdict.begun = true;
	assert_int_equal(log_sources_named(&lake, "pg", out, 0, LOG_SOURCES_MAX), 0);
	pg.verdict.shown.owner.pid = 7;
	log_sources_keep(&lake, &pg);
	pg.verdict.shown.owner.pid = 0; /* it was killed: where it wrote is still known */
	assert_int_equal(log_sources_named(&lake, "pg", out, 0, LOG_SOURCES_MAX), 2);
	assert_string_equal(out[1].at, "/var/log/pg.err");
	assert_int_equal(out[1].kind, LOG_FILE);
	quiet.verdict.shown.owner.pid = 8;
	log_sources_keep(&lake, &quiet);
	assert_int_equal(log_sources_named(&lake, "quiet", out, 0, LOG_SOURCES_MAX), 0);
	assert_string_equal(log_sources_why(&lake, "quiet", why), "quiet: its output goes into a pipe; log = FILE in [service quiet] says where it is");
	quiet.verdict.shown.owner.pid = 0;
	assert_non_null(strstr(log_sources_why(&lake, "quiet", why), "does not run"));
	assert_int_equal(log_sources_named(&lake, "worker/app-1/3", out, 0, LOG_SOURCES_MAX), 1);
	assert_string_equal(out[0].at, "appId=app-1&executorId=3");
	assert_string_equal(out[0].service, "1/3");
	assert_int_equal(out[0].port, 8081);
	assert_int_equal(log_sources_named(&lake, "driver-1", out, 0, LOG_SOURCES_MAX), 1);
	assert_string_equal(out[0].at, "driverId=driver-1");
	assert_int_equal(log_sources_named(&lake, "worker/app-1&x=/3", out, 0, LOG_SOURCES_MAX), 0); /* it would be another question */
	assert_int_equal(log_sources_named(&lake, "nobody", out, 0, LOG_SOURCES_MAX), 0);
	assert_non_null(t);
	snprintf(name, sizeof name, "%s", table_get(t, 0, "application").u.s);
	assert_int_equal(log_sources_named(&lake, name, out, 0, LOG_SOURCES_MAX), 2);
	assert_int_equal(out[0].kind, LOG_WORKER);
	assert_non_null(strstr(out[0].at, name));
	assert_int_equal(log_sources_named(&lake, name, out, 0, 0), 0);
	snapshot_unref(seen);
}

/* ---- what processes write ---- */

static void test_outputs(void **state)
{
	struct outputs o = {0};
	char path[300], log[300], to[400];

	(void)state;
	write_to("proc/41/fdinfo/5", "pos:\t0\nflags:\t0102001\n");
	write_to("proc/41/fdinfo/6", "pos:\t0\nflags:\t0100002\n"); /* also read: data */
	write_to("proc/42/fdinfo/9", "");
	write_to("log/out.txt", "");
	write_to("log/server.log", "");
	write_to("log/00000000000000000012.log", "");
	write_to("log/data.log", "");
	write_to("pg/current_logfiles", "stderr log/postgresql-Sun.log\n");
	snprintf(log, sizeof log, "%s/log/out.txt", folder);
	for (int i = 0; i < 6; i++) {
		static const char *const links[][2] = {{"41/fd/1", "log/out.txt"}, {"41/fd/2", "log/out.txt"}, {"41/fd/5", "log/server.log"},
			{"41/fd/6", "log/data.log"}, {"42/fd/1", "proc"}, {"42/cwd", "pg"}};

		snprintf(path, sizeof path, "%s/proc/%.2s/fd", folder, links[i][0]);
		mkdir(path, 0755);
		snprintf(path, sizeof path, "%s/proc/%s", folder, links[i][0]);
		snprintf(to, sizeof to, "%s/%s", folder, links[i][1]);
		assert_int_equal(symlink(to, path), 0);
	}
	snprintf(path, sizeof path, "%s/proc", folder);
	outputs_look(path, 41, &o);
	assert_int_equal(o.n, 2);
	assert_string_equal(o.at[0], log);
	snprintf(log, sizeof log, "%s/log/server.log", folder);
	assert_string_equal(o.at[1], log);
	assert_string_equal(o.words, "");
	outputs_look(path, 42, &o);
	assert_int_equal(o.n, 1);
	snprintf(log, sizeof log, "%s/pg/log", folder);
	assert_string_equal(o.at[0], log);
	outputs_look(path, 43, &o);
	assert_int_equal(o.n, 0);
	assert_non_null(strstr(o.words, "not ours to see"));
}

/* ---- a worker's UI ---- */

static bool head_of(struct text page, struct log_page *out)
{
	return log_page_head(&page, out);
}

static void read_head(struct text page)
{
	struct log_page out;

	head_of(page, &out);
}

static void test_page(void **state)
{
	static const char page[] = "==== Bytes 100-200 of 10813 of /srv/app-1/0/std err ====\nfirst\nsecond";
	struct text rest = text_of(page);
	struct log_page out;

	(void)state;
	assert_true(log_page_head(&rest, &out));
	assert_int_equal(out.from, 100);
	assert_int_equal(out.to, 200);
	assert_int_equal(out.total, 10813);
	assert_true(text_is(out.path, "/srv/app-1/0/std err"));
	assert_true(text_is(rest, "first\nsecond"));
	assert_false(head_of(TEXT("<html>"), &out));
	assert_false(head_of(TEXT("==== Bytes 9-2 of 3 of x ====\n"), &out));
	assert_false(head_of(TEXT("==== Bytes 0-2 of 1 of x ====\n"), &out));
	fuzz(text_of(page), read_head);
}

struct written { /* what the worker has, by stream */
	char text[2][1000];
	unsigned asked;
};

static bool answer_page(void *ctx, struct text question, struct buf *out)
{
	struct written *w = ctx;
	bool err = text_has(question, "logType=stderr");
	struct text from = text_between(question, "&offset=", "&"), most = text_between(question, "&byteLength=", " ");
	int64_t total = (int64_t)strlen(w->text[err]), offset = -1, bytes = 0, end;
	char page[2000];

	w->asked++;
	text_i64(most, &bytes);
	if (!text_i64(from, &offset))
		offset = total > bytes ? total - bytes : 0;
	offset = offset < total ? offset : total;
	end = offset + bytes < total ? offset + bytes : total;
	snprintf(page, sizeof page, "==== Bytes %lld-%lld of %lld of /srv/x ====\n%.*s", (long long)offset, (long long)end, (long long)total,
		(int)(end - offset), w->text[err] + offset);
	fake_http(out, 200, "Content-Type: text/plain\r\n", page);
	return false;
}

static void await_count(struct logs *logs, size_t n)
{
	int64_t end = clock_ms() + 60000;

	while (logs_count(logs) < n && clock_ms() < end) {
		logs_turn(logs);
		wait_fd(wait_for(10, -1), -1, 0);
	}
	assert_int_equal(logs_count(logs), n);
}

static void test_worker(void **state)
{
	struct written w = {.text = {"printed\n", "Executor Command\n26/11/29 22:00:01 INFO a\n26/11/29 22:00:02 ERROR b\n"}};
	struct fake_server *server = fake_server_start(answer_page, &w);
	struct endpoint at = fake_server_at(server);
	struct log_source source = {.kind = LOG_WORKER, .service = "x/0", .at = "appId=app-1&executorId=0", .port = at.port};
	struct logs *logs;
	char words[200];

	(void)state;
	text_copy(source.address, sizeof source.address, text_of(at.address));
	logs = logs_open(&(struct log_options){.host = host, .sources = &source, .n = 1, .follow = true});
	await_count(logs, 4);
	assert_string_equal(logs_get(logs, 0)->text, "Executor Command"); /* no stamp: as old as the first one */
	assert_int_equal(logs_get(logs, 3)->level, LOG_ERROR);
	logs_close(logs, 20000);
	logs = logs_open(&(struct log_options){.host = host, .sources = &source, .n = 1, .tail = 30});
	await_over(logs);
	assert_int_equal(logs_count(logs), 2); /* the last line of stderr, and what was printed */
	logs_close(logs, 20000);
	fake_server_stop(server);
	logs = logs_open(&(struct log_options){.host = host, .sources = &source, .n = 1});
	await_over(logs);
	logs_words(logs, 0, words);
	assert_non_null(strstr(words, "refused"));
	logs_close(logs, 20000);
	assert_true(w.asked > 4);
}

static int begin(void **state)
{
	(void)state;
	setlocale(LC_ALL, "C.UTF-8");
	host = host_local();
	snprintf(folder, sizeof folder, "/tmp/laketop-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

/* ---- folders, and Airflow's in them ---- */

static void read_task(struct text line)
{
	struct buf out;

	buf_init(&out, 1 << 20);
	log_task_line(line, &out);
	buf_free(&out);
}

static void test_task(void **state)
{
	struct text rest = recorded("airflow-3.1.8/write_bronze.log"), line, last = TEXT("");
	struct buf out;

	(void)state;
	while (text_line(&rest, &line))
		last = line;
	buf_init(&out, 1 << 20);
	log_task_line(last, &out);
	assert_true(text_starts(buf_text(&out), "2026-11-29T22:31:37.877826Z ERROR Task failed with exception\nTraceback (most recent call last):\n"));
	assert_true(text_has(buf_text(&out), "lab_dags.py\", line 34, in write_bronze\n\tRuntimeError: NoSuchTableException: Table does not exist"));
	buf_reset(&out);
	log_task_line(TEXT("[2026-11-29T22:31:37.877+0000] {taskinstance.py:1} INFO - of Airflow 2"), &out);
	assert_string_equal(out.at, "[2026-11-29T22:31:37.877+0000] {taskinstance.py:1} INFO - of Airflow 2\n");
	buf_free(&out);
	fuzz(last, read_task);
}

static void put_task(const char *path, const char *from)
{
	struct text words = recorded(from);
	char copy[8192];

	snprintf(copy, sizeof copy, "%.*s", (int)words.len, words.at);
	write_to(path, copy);
}

static size_t source_named(const struct logs *logs, const char *name)
{
	for (size_t i = 0; i < logs_sources(logs); i++)
		if (!strcmp(logs_source(logs, i)->service, name))
			return i;
	fail_msg("no source is called %s", name);
	return 0;
}

static void test_folder(void **state)
{
	struct log_source source = {.kind = LOG_FILE, .service = "airflow"};
	size_t failed = 0, n;
	struct logs *logs;
	char words[200];

	(void)state;
	snprintf(source.at, sizeof source.at, "%s/air", folder);
	put_task("air/dag_id=ingest_orders/run_id=manual__2026-11-29T22:31:24+00:00/task_id=read_kafka/attempt=1.log", "airflow-3.1.8/read_kafka.log");
	put_task("air/dag_id=ingest_orders/run_id=manual__2026-11-29T22:31:24+00:00/task_id=write_bronze/map_index=3/attempt=2.log",
		"airflow-3.1.8/write_bronze.log");
	write_to("air/daily-1.log", "2026-11-29T21:00:00Z INFO yesterday's\n");
	write_to("air/daily-22.log", "2026-11-29T23:00:00Z INFO today's\n");
	write_to("air/daily-22.log.gz", "none of ours");
	logs = logs_open(&(struct log_options){.host = host, .sources = &source, .n = 1, .follow = true});
	await_count(logs, 10);
	assert_int_equal(logs_sources(logs), 4); /* the folder, two attempts, the newest of a file a day */
	n = source_named(logs, "ingest_orders.write_bronze[3] try 2");
	for (size_t i = 0; i < logs_count(logs); i++) {
		failed += logs_get(logs, i)->source == n && logs_get(logs, i)->level == LOG_ERROR && logs_get(logs, i)->lines == 12;
		assert_null(strstr(logs_get(logs, i)->text, "yesterday"));
	}
	assert_int_equal(failed, 1);
	source_named(logs, "ingest_orders.read_kafka");
	source_named(logs, "airflow/daily");
	put_task("air/dag_id=ingest_orders/run_id=manual__2026-11-29T22:31:24+00:00/task_id=read_kafka/attempt=2.log", "airflow-3.1.8/read_kafka.log");
	await_count(logs, 15); /* a retry of an old run is found while it is followed */
	source_named(logs, "ingest_orders.read_kafka try 2");
	logs_close(logs, 20000);
	logs = logs_open(&(struct log_options){.host = host, .sources = &source, .n = 1, .since = clock_wall_ms() + 3600000});
	await_over(logs);
	logs_words(logs, 0, words);
	assert_string_equal(words, "no log in that folder was written since then");
	logs_close(logs, 20000);
}

static int gone(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static int end(void **state)
{
	(void)state;
	host->close(host);
	return nftw(folder, gone, 16, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_outputs),
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_worker),
		cmocka_unit_test(test_task),
		cmocka_unit_test(test_folder),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
