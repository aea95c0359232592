// SPDX-License-Identifier: MIT
/*
 * What Spark says of its work in depth: why jobs fail, which stages are skewed, executors that die in a
 * loop, SQL executions, streaming queries, sessions; read off answers of real servers
 * (tests/recorded/spark-VERSION-...), and off the beginnings and mutilations of them.
 */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../backend/services/kinds.h"
#include "../../backend/services/spark.h"
#include "../../backend/services/spark_connect.h"
#include "../../backend/services/spark_page.h"
#include "fixture_bytes.h"

static struct json *recorded_json(const char *name)
{
	struct err err = {0};
	struct json *root = json_parse(recorded(name), &err);

	if (!root)
		fail_msg("%s: %s", name, err.words);
	return root;
}

static const char *words(const struct table *t, size_t row, const char *column)
{
	struct value v = table_get(t, row, column);

	return v.type == VALUE_TEXT ? v.u.s : "(none)";
}

static int64_t number(const struct table *t, size_t row, const char *column)
{
	struct value v = table_get(t, row, column);

	if (v.type != VALUE_INT)
		fail_msg("%s of row %zu is not a number", column, row);
	return v.u.i;
}

static bool near(double a, double b)
{
	return fabs(a - b) < 0.001;
}

static const struct finding *found(const struct snapshot *s, const char *name, const char *part)
{
	for (size_t i = 0; i < s->n_findings; i++)
		if (!strcmp(s->findings[i].name, name) && strstr(s->findings[i].reason, part))
			return &s->findings[i];
	return NULL;
}

static struct spark_specs of_driver(void)
{
	return (struct spark_specs){kind_spark_driver.figures, kind_spark_driver.tables};
}

/* ---- why it failed ---- */

static const char *reason(const char *s)
{
	static char out[SPARK_REASON_SIZE];

	return spark_reason(out, sizeof out, text_of(s));
}

static void a_reason_is_the_cause_in_one_line(void **state)
{
	(void)state;
	assert_string_equal(reason("[USER_RAISED_EXCEPTION] '(id < 3)' is not true! SQLSTATE: P0001"),
		"[USER_RAISED_EXCEPTION] '(id < 3)' is not true! SQLSTATE: P0001");
	assert_string_equal(reason("Job aborted due to stage failure: Task 1 in stage 0.0 failed 4 times, most recent failure: Lost task 1.3 in stage 0.0 "
		"(TID 7) (10.0.0.7 executor 1): java.lang.IllegalStateException: menu is closed\n\tat kitchen.Menu(Menu.scala:7)"),
		"java.lang.IllegalStateException: menu is closed");
	assert_string_equal(reason("Lost task: x\nTraceback (most recent call last):\n"), "Lost task: x");
	assert_string_equal(reason("PythonException: Traceback (most recent call last):\n  File \"a.py\"\n    boom()\nKeyError: 'id'\n\n\tat x"),
		"KeyError: 'id'");
	assert_string_equal(reason("Traceback (most recent call last):\n  File"), "Traceback (most recent call last):");
	assert_string_equal(reason("\n\n"), "");
	assert_string_equal(reason(NULL), "");
}

static void a_failed_stage_says_what_the_python_code_raised(void **state)
{
	struct json *stages = recorded_json("spark-4.1.4-driver-stage-failed.json");
	struct spark_stage stage;

	(void)state;
	spark_read_stage(json_first(stages), &stage);
	assert_string_equal(stage.reason, "ValueError: menu of kitchen 7: price is not a number");
	assert_string_equal(stage.name, "import menus");
	assert_string_equal(stage.state, "FAILED");
	assert_int_equal(stage.failed, 8);
	json_free(stages);
}

static void a_failed_job_takes_the_reason_of_its_stage(void **state)
{
	struct json *jobs = recorded_json("spark-4.1.4-driver-jobs-failed.json"), *stages = recorded_json("spark-4.1.4-driver-stage-failed.json");
	struct spark_memory *memory = mem_new(1, sizeof *memory);
	struct spark_stage stage;
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct spark_specs specs = of_driver();
	struct spark_work work = {0};
	const struct table *t;

	(void)state;
	spark_read_stage(json_first(stages), &stage);
	spark_keep_stage(memory, &stage);
	spark_read_jobs(jobs, memory, &specs, s, &work);
	t = snapshot_find_table(s, "jobs");
	assert_int_equal(t->n_rows, 2);
	assert_int_equal(number(t, 1, "id"), 0);
	assert_string_equal(words(t, 1, "state"), "FAILED");
	assert_string_equal(words(t, 1, "reason"), "ValueError: menu of kitchen 7: price is not a number");
	assert_string_equal(words(t, 1, "group"), "imports");
	assert_string_equal(words(t, 1, "stages"), "0");
	assert_int_equal(number(t, 1, "duration"), 2176);
	assert_string_equal(words(t, 0, "reason"), "(none)"); /* its stage was not asked for yet */
	work.now = work.failed_at + 1000;
	spark_find_in_work(&work, memory, SEVERITY_WARNING, s);
	assert_non_null(found(s, "job-failed", "job 1, collect at /srv/kitchen/deep.py:12 failed"));
	json_free(jobs);
	json_free(stages);
	free(memory);
	snapshot_unref(s);
}

/* ---- stages ---- */

static void skew_is_the_slowest_task_against_the_median(void **state)
{
	struct json *stages = recorded_json("spark-4.1.4-driver-stage-complete.json"), *summary = recorded_json("spark-4.1.4-driver-task-summary.json");
	struct spark_memory *memory = mem_new(1, sizeof *memory);
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct spark_specs specs = of_driver();
	struct spark_work work = {0};
	struct spark_stage stage;
	struct table *t;

	(void)state;
	spark_read_stage(json_first(stages), &stage);
	assert_true(isnan(stage.skew));
	spark_read_skew(summary, &stage);
	assert_true(near(stage.skew, 4302.0 / 434.0));
	assert_int_equal(stage.slowest, 4302);
	spark_keep_stage(memory, &stage);
	t = snapshot_table(s, specs.tables, "stages");
	spark_stage_rows(memory->stages, memory->n_stages, 0, s, t);
	assert_string_equal(words(t, 0, "state"), "COMPLETE");
	assert_true(near(value_number(table_get(t, 0, "progress")), 100));
	assert_int_equal(number(t, 0, "duration"), 4352);
	work.now = stage.ended + 1000;
	spark_find_in_work(&work, memory, SEVERITY_WARNING, s);
	assert_non_null(found(s, "skew", "stage 2 (skewed deliveries): its slowest task took 10 times as long"));
	assert_int_equal(found(s, "skew", "")->severity, SEVERITY_INFO);
	json_free(stages);
	json_free(summary);
	free(memory);
	snapshot_unref(s);
}

static void what_happened_long_ago_is_no_finding(void **state)
{
	struct spark_memory *memory = mem_new(1, sizeof *memory);
	struct spark_stage stage = {.id = 1, .skew = 40, .slowest = 60000, .spilled = INT64_C(5) << 30, .ended = 1000};
	struct spark_work work = {.now = 1000 + 3600000, .failed_at = 1000, .lost_at = 1000};
	struct snapshot *s = snapshot_new("test", PART_DEPTH);

	(void)state;
	spark_keep_stage(memory, &stage);
	spark_find_in_work(&work, memory, SEVERITY_WARNING, s);
	assert_int_equal(s->n_findings, 0);
	work.now = 2000;
	spark_find_in_work(&work, memory, SEVERITY_WARNING, s);
	assert_non_null(found(s, "spill", "5.0 GiB"));
	assert_int_equal(s->n_findings, 4);
	free(memory);
	snapshot_unref(s);
}

static void the_newest_stages_are_kept(void **state)
{
	struct spark_memory *memory = mem_new(1, sizeof *memory);
	struct spark_stage stage = {.state = "COMPLETE"};

	(void)state;
	for (int64_t id = 0; id < 100; id++) {
		stage.id = (id * 37) % 100; /* in no order */
		spark_keep_stage(memory, &stage);
	}
	assert_int_equal(memory->n_stages, SPARK_STAGES_KEPT);
	for (size_t i = 0; i < SPARK_STAGES_KEPT; i++)
		assert_int_equal(memory->stages[i].id, 99 - (int64_t)i);
	free(memory);
}

static void a_stage_that_ended_is_asked_for_once(void **state)
{
	struct json *jobs = json_parse(TEXT("[{\"jobId\":9,\"status\":\"RUNNING\",\"stageIds\":[20,21]},{\"jobId\":1,\"status\":\"FAILED\","
		"\"stageIds\":[3,4]}]"), NULL);
	struct spark_memory *memory = mem_new(1, sizeof *memory);
	struct spark_stage running = {.id = 21}, ended = {.id = 20, .state = "COMPLETE"};
	int64_t wanted[SPARK_WANTED_MAX];

	(void)state;
	memory->running[memory->n_running++] = 18;
	assert_int_equal(spark_wanted_stages(memory, jobs, &running, 1, wanted), 6);
	assert_int_equal(wanted[0], 20); /* of the running job; 21 runs on */
	assert_int_equal(wanted[1], 19); /* next to the newest */
	assert_int_equal(wanted[2], 18); /* ran at the last look */
	assert_int_equal(wanted[3], 17);
	assert_int_equal(wanted[4], 4);
	assert_int_equal(wanted[5], 3);
	spark_keep_stage(memory, &ended);
	memory->forgotten[memory->n_forgotten++] = 19;
	assert_int_equal(spark_wanted_stages(memory, jobs, &running, 1, wanted), 4);
	assert_int_equal(wanted[0], 18);
	json_free(jobs);
	free(memory);
}

static void put_stages(struct spark_memory *memory, int64_t from, int64_t to, const char *state)
{
	for (int64_t id = from; id <= to; id++) {
		struct spark_stage stage = {.id = id};

		text_copy(stage.state, sizeof stage.state, text_of(state));
		spark_keep_stage(memory, &stage);
	}
}

static void a_stage_that_failed_is_known_long_after(void **state)
{
	struct json *jobs = json_parse(TEXT("[{\"status\":\"FAILED\",\"stageIds\":[3]}]"), NULL);
	struct spark_memory *memory = mem_new(1, sizeof *memory);
	struct spark_stage old = {.id = 3, .state = "COMPLETE"};
	int64_t wanted[SPARK_WANTED_MAX];

	(void)state;
	put_stages(memory, 1, 1, "FAILED");
	put_stages(memory, 10, 90, "COMPLETE");
	assert_int_equal(memory->n_stages, SPARK_STAGES_KEPT);
	assert_non_null(spark_kept_stage(memory, 1));
	assert_non_null(spark_kept_stage(memory, 90));
	assert_null(spark_kept_stage(memory, 10));
	for (size_t i = 1; i < memory->n_stages; i++)
		assert_true(memory->stages[i - 1].id > memory->stages[i].id);
	assert_false(spark_keep_stage(memory, &old));
	assert_int_equal(spark_wanted_stages(memory, jobs, NULL, 0, wanted), 2); /* of its job, though all are newer, and the one before */
	put_stages(memory, 3, 3, "FAILED");
	assert_int_equal(memory->stages[SPARK_STAGES_KEPT - 2].id, 3);
	put_stages(memory, 100, 200, "FAILED"); /* of many the newest */
	assert_null(spark_kept_stage(memory, 1));
	assert_null(spark_kept_stage(memory, 90));
	assert_int_equal(memory->stages[0].id, 200);
	assert_int_equal(memory->stages[SPARK_STAGES_KEPT - 1].id, 200 - SPARK_STAGES_KEPT + 1);
	json_free(jobs);
	free(memory);
}

/* ---- executors that die at once ---- */

static struct spark_app_page app_page(const char *name)
{
	struct spark_app_page page;

	assert_true(spark_read_app_page(recorded(name), &page));
	return page;
}

static void the_page_of_an_application_counts_its_executors(void **state)
{
	struct spark_app_page page = app_page("spark-4.1.4-master-app-page.html"), old = app_page("spark-4.0.5-master-app-page.html");
	struct spark_app_page new = app_page("spark-4.2.1-master-app-page.html"), none;

	(void)state;
	assert_false(page.cut);
	assert_int_equal(page.started, 1);
	assert_int_equal(page.alive, 1);
	assert_int_equal(page.lost, 0);
	assert_string_equal(page.ui, "http://127.0.0.1:24040");
	assert_int_equal(old.alive, 1);
	assert_string_equal(old.ui, "http://127.0.0.1:29004");
	assert_int_equal(new.alive, 1);
	assert_string_equal(new.ui, "http://127.0.0.1:29104");
	assert_false(spark_read_app_page(recorded("spark-4.1.4-master-page.html"), &none)); /* of an application that there is not */
}

static void of_a_long_page_the_beginning_says_how_many_there_were(void **state)
{
	struct spark_app_page page = app_page("spark-4.1.4-master-app-crash-loop-begin.html");

	(void)state;
	assert_true(page.cut);
	assert_int_equal(page.started, 3327);
	assert_int_equal(page.alive, 0);
	assert_int_equal(page.lost, 24);
}

static void executors_that_die_again_and_again_are_a_crash_loop(void **state)
{
	struct json *root = json_parse(TEXT("{\"status\":\"ALIVE\",\"aliveworkers\":1,\"activeapps\":[{\"id\":\"app-1\",\"name\":\"etl\","
		"\"state\":\"RUNNING\",\"cores\":2}]}"), NULL);
	struct spark_app_page page = app_page("spark-4.1.4-master-app-crash-loop-begin.html");
	struct spark_seen_app *apps = mem_new(SPARK_PAGES_KEPT, sizeof *apps);
	struct spark_specs specs = {kind_spark_master.figures, kind_spark_master.tables};
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	const struct table *t;

	(void)state;
	text_copy(apps[0].id, sizeof apps[0].id, TEXT("app-1"));
	spark_see_app(&apps[0], &page, 2, 70000, 5000);
	assert_true(spark_read_master(root, 0, "", apps, &specs, s));
	assert_non_null(found(s, "executor-crash-loop", "executor crash loop: at least 3325 executors of etl (app-1) died in 70s"));
	t = snapshot_find_table(s, "applications");
	assert_int_equal(number(t, 0, "executors_started"), 3327);
	assert_true(table_get(t, 0, "executors_lost").at_least);
	snapshot_unref(s);
	s = snapshot_new("test", PART_DEPTH);
	spark_see_app(&apps[0], &page, 2, 80000, 15000); /* no further one died since */
	assert_true(spark_read_master(root, 0, "", apps, &specs, s));
	assert_int_equal(s->n_findings, 0);
	json_free(root);
	free(apps);
	snapshot_unref(s);
}

static void a_slow_crash_loop_is_one_as_long_as_it_goes_on(void **state)
{
	struct spark_seen_app app = {.id = "app-1"};
	struct spark_app_page page = {.started = 21, .alive = 1, .lost = 20};

	(void)state;
	spark_see_app(&app, &page, 1, 100000, 1000);
	assert_int_equal(app.dying, 20);
	page.lost = 22;
	spark_see_app(&app, &page, 1, 110000, 11000);
	assert_int_equal(app.dying, 22);
	assert_int_equal(app.span, 110000);
	spark_see_app(&app, &page, 1, 120000, 21000);
	assert_int_equal(app.dying, 0);
}

static void a_few_executors_lost_in_a_long_life_are_no_crash_loop(void **state)
{
	struct spark_seen_app app = {.id = "app-1"};
	struct spark_app_page page = {.started = 60, .alive = 10, .lost = 12};

	(void)state;
	spark_see_app(&app, &page, 10, 86400000, 1000);
	assert_int_equal(app.dying, 0);
	page.lost = 14;
	spark_see_app(&app, &page, 10, 86410000, 11000);
	assert_int_equal(app.dying, 0);
	page.lost = 40;
	spark_see_app(&app, &page, 10, 86420000, 21000);
	assert_int_equal(app.dying, 28);
	assert_int_equal(app.span, 20000);
	page.alive = 400; /* a rack that failed */
	page.lost = 80;
	spark_see_app(&app, &page, 10, 86430000, 31000);
	assert_int_equal(app.dying, 0);
}

/* ---- SQL executions and streaming queries ---- */

static void sql_executions_come_newest_first(void **state)
{
	struct json *list = recorded_json("spark-4.1.4-driver-sql.json"), *streaming = recorded_json("spark-4.1.4-streaming-sql.json");
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct spark_specs specs = of_driver();
	struct table *t = snapshot_table(s, specs.tables, "sql");

	(void)state;
	assert_int_equal(spark_read_sql(list, s, t), 2);
	assert_string_equal(words(t, 0, "description"), "sort with spill");
	assert_string_equal(words(t, 1, "state"), "FAILED");
	assert_int_equal(number(t, 1, "jobs_failed"), 1);
	assert_int_equal(spark_read_sql(streaming, s, t), 20);
	assert_string_equal(words(t, 2, "description"), "orders_by_minute batch 16");
	assert_string_equal(words(t, 4, "description"), "(no name) batch 10");
	json_free(list);
	json_free(streaming);
	snapshot_unref(s);
}

static size_t queries_of(const char *page, struct spark_query *out)
{
	size_t left_off = 0, n = spark_read_queries(recorded(page), 1795972000000, out, SPARK_QUERIES_MAX, &left_off);

	assert_int_equal(left_off, 0);
	return n;
}

static void the_page_of_each_version_names_the_streaming_queries(void **state)
{
	static const char *const pages[] = {"spark-4.0.5-queries-page.html", "spark-4.1.4-queries-page.html", "spark-4.2.1-queries-page.html"};
	struct spark_query *q = mem_new(SPARK_QUERIES_MAX, sizeof *q);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(queries_of(pages[i], q), 3);
		assert_true(q[0].active && q[1].active && !q[2].active);
		assert_string_equal(q[0].name, "");
		assert_string_equal(q[1].name, "orders_by_minute");
		assert_string_equal(q[1].state, "RUNNING");
		assert_int_equal(strlen(q[1].id), 36);
		assert_int_equal(strlen(q[1].run), 36);
		assert_true(q[1].batch > 0);
		assert_true(q[1].started > 1795971000000 && q[1].started < 1795972000000);
		assert_string_equal(q[2].name, "broken <b>");
		assert_string_equal(q[2].state, "FAILED");
		assert_string_equal(q[2].reason, "ValueError: late order without a kitchen");
	}
	free(q);
}

static void the_page_of_a_query_says_how_its_last_batch_went(void **state)
{
	static const char *const others[] = {"spark-4.0.5-query-page.html", "spark-4.2.1-query-page.html"};
	struct spark_query q = {.batch_ms = -1, .state_rows = -1};

	(void)state;
	spark_read_query_page(recorded("spark-4.1.4-query-page.html"), &q);
	assert_true(near(q.input_rate, 4.972297201307004));
	assert_true(near(q.processing_rate, 5.200787547828671));
	assert_int_equal(q.batch_ms, 26919);
	assert_int_equal(q.state_rows, 625);
	assert_int_equal(q.last, INT64_C(1795970818832));
	assert_int_equal(q.gap_ms, INT64_C(1795970818832) - INT64_C(1795970790676)); /* batch after batch */
	assert_int_equal(q.watermark, INT64_C(1795970818832) - 39196);
	for (size_t i = 0; i < 2; i++) {
		q = (struct spark_query){.batch_ms = -1, .state_rows = -1};
		spark_read_query_page(recorded(others[i]), &q);
		assert_true(q.batch_ms > 0 && q.state_rows > 0 && q.last > 0 && q.watermark > 0);
	}
	assert_int_equal(q.gap_ms, 9998); /* of 4.2.1: each ten seconds, and a batch takes one */
	assert_int_equal(q.batch_ms, 728);
}

static void gauges_say_it_where_they_were_switched_on(void **state)
{
	struct json *metrics = recorded_json("spark-4.1.4-driver-gauges.json");
	struct spark_query named = {.name = "orders_by_minute"}, nameless = {.id = "75341887-4114-4df1-a4b3-2a43b0f98695"}, other = {.name = "other"};

	(void)state;
	assert_true(spark_read_query_gauges(metrics, "local-1795971614794", &named));
	assert_true(near(named.input_rate, 5));
	assert_true(near(named.processing_rate, 83.75209380234506));
	assert_int_equal(named.batch_ms, 597);
	assert_int_equal(named.state_rows, 1655);
	assert_int_equal(named.watermark, INT64_C(1795971929671));
	assert_true(spark_read_query_gauges(metrics, "local-1795971614794", &nameless));
	assert_int_equal(nameless.watermark, 0); /* none */
	assert_false(spark_read_query_gauges(metrics, "local-1795971614794", &other));
	assert_false(spark_read_query_gauges(metrics, "local-1", &named));
	json_free(metrics);
}

static void batches_are_found_among_sql_executions_by_their_run(void **state)
{
	struct json *sql = recorded_json("spark-4.1.4-streaming-sql.json");
	struct spark_query q = {.run = "9fd67690-96ae-4de4-ac7d-4292f9cfdc8b", .batch = 3, .batch_ms = -1, .gap_ms = -1},
		other = {.run = "none", .batch = -1, .batch_ms = -1, .gap_ms = -1};
	int64_t begun;

	(void)state;
	spark_read_query_batches(sql, &q);
	assert_int_equal(q.batch, 16);
	assert_int_equal(q.batch_ms, 262); /* the execution that holds the others */
	assert_true(spark_time("2026-11-29T17:02:50.049GMT", &begun));
	assert_int_equal(q.last, begun);
	assert_int_equal(q.gap_ms, 10009);
	assert_true(q.execution > 0);
	assert_int_equal(other.gap_ms, -1);
	spark_read_query_batches(sql, &other);
	assert_int_equal(other.batch, -1);
	assert_int_equal(other.last, 0);
	json_free(sql);
}

static void the_plan_of_a_batch_tells_real_time_and_no_interval(void **state)
{
	static const struct { const char *file, *words; } plans[] = {
		{"spark-4.1.4-sql-real-time.json", "real-time"}, {"spark-4.1.4-sql-batches.json", "batches"}, {"spark-4.1.4-driver-executors.json", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
		struct json *execution = recorded_json(plans[i].file);
		const char *words = spark_read_trigger(execution);

		assert_true(words ? plans[i].words && !strcmp(words, plans[i].words) : !plans[i].words);
		json_free(execution);
	}
	assert_null(spark_read_trigger(NULL));
}

static void spans_are_read_in_words(void **state)
{
	int64_t ms = 0;

	(void)state;
	assert_true(page_span(TEXT("2 minutes 10 seconds"), &ms));
	assert_int_equal(ms, 130000);
	assert_true(page_span(TEXT(" 1 day 2 hours "), &ms));
	assert_int_equal(ms, 93600000);
	assert_true(page_span(TEXT("1 second 265 ms"), &ms));
	assert_int_equal(ms, 1265);
	assert_false(page_span(TEXT(""), &ms));
	assert_false(page_span(TEXT("soon"), &ms));
	assert_false(page_span(TEXT("5"), &ms));
	assert_false(page_span(TEXT("5 fortnights"), &ms));
	assert_false(page_span(TEXT("-5 ms"), &ms));
}

/* ---- Connect ---- */

static void connect_says_who_is_there_and_what_they_ask(void **state)
{
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct table *sessions = snapshot_table(s, kind_spark_connect.tables, "sessions");
	struct table *executions = snapshot_table(s, kind_spark_connect.tables, "executions");
	struct text page = recorded("spark-4.1.4-connect-work-page.html");

	(void)state;
	connect_read_session_rows(page, 1795971000000, s, sessions);
	assert_int_equal(sessions->n_rows, 12);
	assert_int_equal(sessions->left_off, 0);
	assert_string_equal(words(sessions, 0, "user"), "kim");
	assert_string_equal(words(sessions, 0, "state"), "OPEN");
	assert_string_equal(words(sessions, 0, "session"), "0b9e97d9-a4c0-44c6-a38f-452068369fb2");
	assert_int_equal(number(sessions, 0, "started"), INT64_C(1795971000000) - 2487);
	assert_int_equal(number(sessions, 1, "executions"), 2);
	assert_string_equal(words(sessions, 11, "state"), "CLOSED");
	assert_int_equal(table_get(sessions, 11, "started").type, VALUE_UNKNOWN);
	connect_read_execution_rows(page, 1795971000000, s, executions);
	assert_int_equal(executions->n_rows, 3);
	assert_string_equal(words(executions, 0, "state"), "RUNNING");
	assert_string_equal(words(executions, 0, "statement"),
		"SELECT count(*) FROM range(300000) a, range(300000) b where a.id*b.id % 7 = 9");
	assert_string_equal(words(executions, 0, "jobs"), "[3][4]");
	assert_int_equal(number(executions, 0, "duration"), 2488);
	assert_string_equal(words(executions, 1, "state"), "CLOSED"); /* as the server says of one that failed */
	assert_string_equal(words(executions, 1, "reason"), "INTERNAL: [USER_RAISED_EXCEPTION] late order SQLSTATE: P0001");
	assert_string_equal(words(executions, 2, "reason"), "(none)");
	snapshot_unref(s);
}

/* ---- history ---- */

static void jobs_that_failed_are_known_once_they_were_counted(void **state)
{
	static const struct spark_counted counted[] = {{"app-1", 2}, {"app-2", -1}};
	struct json *list = json_parse(TEXT("[{\"id\":\"app-1\",\"attempts\":[{\"completed\":true}]},{\"id\":\"app-2\",\"attempts\":[{}]},"
		"{\"id\":\"app-3\",\"attempts\":[]}]"), NULL);
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct table *t = snapshot_table(s, kind_spark_history.tables, "applications");
	int64_t newest = 0;

	(void)state;
	assert_int_equal(spark_read_history(list, true, counted, 2, s, t, &newest), 3);
	assert_int_equal(number(t, 0, "jobs_failed"), 2);
	assert_string_equal(words(t, 0, "state"), "COMPLETED");
	assert_int_equal(table_get(t, 1, "jobs_failed").type, VALUE_UNKNOWN);
	assert_int_equal(table_get(t, 2, "jobs_failed").type, VALUE_UNKNOWN);
	json_free(list);
	snapshot_unref(s);
}

/* ---- whatever comes ---- */

static void read_page(struct text t)
{
	struct spark_query *q = mem_new(SPARK_QUERIES_MAX, sizeof *q);
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct spark_app_page page;
	char out[SPARK_REASON_SIZE];
	size_t left_off = 0;
	int64_t ms;

	spark_reason(out, sizeof out, t);
	assert_true(text_is_clean(text_of(out)));
	spark_read_app_page(t, &page);
	assert_true(text_is_clean(text_of(page.ui)));
	spark_read_queries(t, 1795971000000, q, SPARK_QUERIES_MAX, &left_off);
	spark_read_query_page(t, &q[0]);
	page_span(t, &ms);
	connect_read_session_rows(t, 1795971000000, s, snapshot_table(s, kind_spark_connect.tables, "sessions"));
	connect_read_execution_rows(t, 1795971000000, s, snapshot_table(s, kind_spark_connect.tables, "executions"));
	snapshot_unref(s);
	free(q);
}

static void read_json(struct text t)
{
	struct json *root = json_parse(t, NULL);
	struct spark_memory *memory = mem_new(1, sizeof *memory);
	struct spark_stage stages[4], stage = {.id = 3};
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct spark_specs specs = of_driver();
	struct spark_work work = {0};
	struct spark_query q = {.name = "orders_by_minute", .run = "9fd67690-96ae-4de4-ac7d-4292f9cfdc8b"};
	int64_t wanted[SPARK_WANTED_MAX];
	size_t n;

	spark_read_stage(json_first(root), &stage);
	spark_read_skew(root, &stage);
	spark_keep_stage(memory, &stage);
	n = spark_read_stages(root, &specs, s, stages, 4);
	spark_wanted_stages(memory, root, stages, n, wanted);
	spark_read_jobs(root, memory, &specs, s, &work);
	spark_stage_rows(stages, n, 0, s, snapshot_table(s, specs.tables, "stages"));
	spark_read_sql(root, s, snapshot_table(s, specs.tables, "sql"));
	spark_read_query_gauges(root, "local-1795971614794", &q);
	spark_read_query_batches(root, &q);
	spark_find_in_work(&work, memory, SEVERITY_WARNING, s);
	json_free(root);
	free(memory);
	snapshot_unref(s);
}

static void no_beginning_and_no_mutilation_of_an_answer_does_harm(void **state)
{
	static const char *const pages[] = {"spark-4.1.4-master-app-page.html", "spark-4.1.4-master-app-crash-loop-begin.html",
		"spark-4.1.4-query-page.html", "spark-4.1.4-connect-work-page.html", "spark-4.2.1-queries-page.html"};
	static const char *const documents[] = {"spark-4.1.4-driver-stage-failed.json", "spark-4.1.4-driver-task-summary.json",
		"spark-4.1.4-driver-jobs-failed.json", "spark-4.1.4-driver-sql.json", "spark-4.1.4-streaming-sql.json", "spark-4.1.4-driver-gauges.json"};

	(void)state;
	for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
		fuzz(recorded(pages[i]), read_page);
	for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
		fuzz(recorded(documents[i]), read_json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reason_is_the_cause_in_one_line),
		cmocka_unit_test(a_failed_stage_says_what_the_python_code_raised),
		cmocka_unit_test(a_failed_job_takes_the_reason_of_its_stage),
		cmocka_unit_test(skew_is_the_slowest_task_against_the_median),
		cmocka_unit_test(what_happened_long_ago_is_no_finding),
		cmocka_unit_test(the_newest_stages_are_kept),
		cmocka_unit_test(a_stage_that_ended_is_asked_for_once),
		cmocka_unit_test(the_page_of_an_application_counts_its_executors),
		cmocka_unit_test(of_a_long_page_the_beginning_says_how_many_there_were),
		cmocka_unit_test(a_stage_that_failed_is_known_long_after),
		cmocka_unit_test(executors_that_die_again_and_again_are_a_crash_loop),
		cmocka_unit_test(a_slow_crash_loop_is_one_as_long_as_it_goes_on),
		cmocka_unit_test(a_few_executors_lost_in_a_long_life_are_no_crash_loop),
		cmocka_unit_test(sql_executions_come_newest_first),
		cmocka_unit_test(the_page_of_each_version_names_the_streaming_queries),
		cmocka_unit_test(the_page_of_a_query_says_how_its_last_batch_went),
		cmocka_unit_test(gauges_say_it_where_they_were_switched_on),
		cmocka_unit_test(batches_are_found_among_sql_executions_by_their_run),
		cmocka_unit_test(the_plan_of_a_batch_tells_real_time_and_no_interval),
		cmocka_unit_test(spans_are_read_in_words),
		cmocka_unit_test(connect_says_who_is_there_and_what_they_ask),
		cmocka_unit_test(jobs_that_failed_are_known_once_they_were_counted),
		cmocka_unit_test(no_beginning_and_no_mutilation_of_an_answer_does_harm),
	};

	setlocale(LC_ALL, "C.UTF-8"); /* what is clean depends on what the terminal can show */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
