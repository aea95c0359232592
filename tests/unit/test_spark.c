// SPDX-License-Identifier: MIT
/*
 * Spark, read off answers that real servers gave (tests/recorded/spark-VERSION-...), and off the
 * beginnings and mutilations of them. How Connect is asked is in test_spark_connect.c.
 */
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
#include "fixture_bytes.h"
#include "profile.h"
#include "protobuf.h"

static const char SESSION[] = "6c616b65-746f-4000-8000-000000000001"; /* of the recordings */

static struct json *recorded_json(const char *name)
{
	struct err err = {0};
	struct json *root = json_parse(recorded(name), &err);

	if (!root)
		fail_msg("%s: %s", name, err.words);
	return root;
}

static int64_t figure(const struct snapshot *s, const char *name)
{
	struct value v = snapshot_get(s, name);

	if (v.type != VALUE_INT)
		fail_msg("%s is not a number", name);
	return v.u.i;
}

static const char *words(const struct table *t, size_t row, const char *column)
{
	struct value v = table_get(t, row, column);

	return v.type == VALUE_TEXT ? v.u.s : "(none)";
}

static const struct finding *found(const struct snapshot *s, const char *name, const char *part)
{
	for (size_t i = 0; i < s->n_findings; i++)
		if (!strcmp(s->findings[i].name, name) && strstr(s->findings[i].reason, part))
			return &s->findings[i];
	return NULL;
}

static struct spark_specs specs_of(const struct service_kind *kind)
{
	return (struct spark_specs){kind->figures, kind->tables};
}

static struct snapshot *master_read(const char *name, int64_t now)
{
	struct json *root = recorded_json(name);
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct spark_specs specs = specs_of(&kind_spark_master);

	assert_true(spark_read_master(root, now, "recorded", NULL, &specs, s));
	json_free(root);
	return s;
}

/* ---- versions ---- */

static void assert_page(const char *name, const char *version)
{
	if (!text_is(spark_page_version(recorded(name)), version))
		fail_msg("%s: not %s", name, version);
}

static void every_page_says_the_version_that_made_it(void **state)
{
	(void)state;
	assert_page("spark-4.0.5-master-page.html", "4.0.5");
	assert_page("spark-4.1.4-master-page.html", "4.1.4");
	assert_page("spark-4.2.1-master-page.html", "4.2.1");
	assert_page("spark-4.1.4-worker-page.html", "4.1.4");
	assert_page("spark-4.2.1-worker-page.html", "4.2.1");
	assert_page("spark-4.1.4-history-page.html", "4.1.4");
	assert_page("spark-4.2.1-driver-page.html", "4.2.1"); /* in its footer alone */
}

static void a_version_keeps_what_its_builder_put_behind_it(void **state)
{
	static const char *const good[] = {"4.1.4", "4.2.0-preview5", "5.0.0-SNAPSHOT", "3.5.3-amzn-0", "4.0.1+vendor_2"};
	static const char *const bad[] = {"", "4", "v4.1", ".1", "4.1 ", "4.1<b>", "4.1\n", "Spark 4.1"};
	char page[200];

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_true(spark_is_version(text_of(good[i])));
		snprintf(page, sizeof page, "<span class=\"version me-3\"> %s </span>", good[i]);
		assert_true(text_is(spark_page_version(text_of(page)), good[i]));
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(spark_is_version(text_of(bad[i])));
	assert_false(spark_is_version(TEXT("4.1.4444444444444444444444444444444444444444444444")));
}

static void a_page_without_a_version_has_none(void **state)
{
	(void)state;
	assert_int_equal(spark_page_version(TEXT("")).len, 0);
	assert_int_equal(spark_page_version(TEXT("<title>Airflow 3.1.0</title>")).len, 0);
	assert_int_equal(spark_page_version(TEXT("<span class=\"version\">")).len, 0);
	assert_int_equal(spark_page_version(TEXT("<span class=\"version\">about</span>")).len, 0);
	assert_int_equal(spark_page_version(TEXT("<footer><span")).len, 0);
}

static void the_version_of_dropwizard_is_not_that_of_spark(void **state)
{
	struct json *metrics = json_parse(TEXT("{\"version\":\"4.0.0\",\"gauges\":{}}"), NULL), *rest = recorded_json("spark-4.1.4-version.json");

	(void)state;
	assert_null(spark_rest_version(metrics));
	assert_string_equal(spark_rest_version(rest), "4.1.4");
	json_free(metrics);
	json_free(rest);
}

/* ---- masters ---- */

static void a_master_counts_what_is_alive(void **state)
{
	struct snapshot *s = master_read("spark-4.1.4-master-json.json", 0);
	const struct table *apps = snapshot_find_table(s, "applications");

	(void)state;
	assert_int_equal(s->health.state, LINK_OK);
	assert_int_equal(figure(s, "workers"), 1);
	assert_int_equal(figure(s, "workers_dead"), 0);
	assert_int_equal(figure(s, "cores"), 2);
	assert_int_equal(figure(s, "cores_used"), 2);
	assert_int_equal(figure(s, "memory"), INT64_C(1536) << 20);
	assert_int_equal(figure(s, "memory_used"), INT64_C(1024) << 20);
	assert_int_equal(figure(s, "applications"), 1);
	assert_int_equal(figure(s, "waiting"), 2);
	assert_int_equal(figure(s, "completed"), 0);
	assert_int_equal(apps->n_rows, 3);
	assert_string_equal(words(apps, 0, "name"), "late-orders"); /* the newest; they come in no order */
	assert_string_equal(words(apps, 1, "name"), "big-dream");
	assert_string_equal(words(apps, 2, "id"), "app-20261129154422-0000"); /* the oldest */
	assert_string_equal(words(apps, 2, "state"), "RUNNING");
	assert_int_equal(table_get(apps, 2, "started").u.i, INT64_C(1795967062573));
	snapshot_unref(s);
}

static void a_waiting_application_is_told_why_it_waits(void **state)
{
	struct snapshot *s = master_read("spark-4.1.4-master-json.json", 0);

	(void)state;
	assert_non_null(found(s, "waiting", "late-orders (app-20261129160630-0002) waits: all 2 cores are taken"));
	assert_non_null(found(s, "waiting", "it can never start: it asks for 8192 MiB an executor, the largest worker has 1536 MiB"));
	assert_int_equal(s->n_findings, 2);
	snapshot_unref(s);
}

static void a_dead_worker_is_a_finding_and_not_counted(void **state)
{
	struct snapshot *s = master_read("spark-4.0.5-master-json.json", 0);

	(void)state;
	assert_int_equal(figure(s, "workers"), 1);
	assert_int_equal(figure(s, "workers_dead"), 1);
	assert_non_null(found(s, "worker-dead", "worker-20261129160704-127.0.0.1-33303 is dead"));
	assert_int_equal(s->health.state, LINK_OK);
	snapshot_unref(s);
}

static struct snapshot *master_told(const char *json, int64_t now)
{
	struct json *root = json_parse(text_of(json), NULL);
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct spark_specs specs = specs_of(&kind_spark_master);

	assert_non_null(root);
	assert_true(spark_read_master(root, now, "told", NULL, &specs, s));
	json_free(root);
	return s;
}

static void a_dead_worker_that_came_back_is_history(void **state)
{
	struct snapshot *s = master_told("{\"status\":\"ALIVE\",\"aliveworkers\":1,\"workers\":["
		"{\"id\":\"worker-2\",\"state\":\"ALIVE\",\"webuiaddress\":\"http://127.0.0.1:8084\"},"
		"{\"id\":\"worker-1\",\"state\":\"DEAD\",\"webuiaddress\":\"http://127.0.0.1:8084\"}]}", 0);

	(void)state;
	assert_int_equal(figure(s, "workers_dead"), 0);
	assert_int_equal(s->n_findings, 0);
	assert_int_equal(snapshot_find_table(s, "workers")->n_rows, 2);
	assert_int_equal(table_get(snapshot_find_table(s, "workers"), 0, "came_back").type, VALUE_UNKNOWN); /* it lives */
	assert_true(table_get(snapshot_find_table(s, "workers"), 1, "came_back").u.b);
	snapshot_unref(s);
}

static void a_worker_is_late_by_the_clock_of_its_master(void **state)
{
	struct snapshot *early = master_read("spark-4.1.4-master-json.json", 1795968491000), *late;
	struct snapshot *unknown = master_read("spark-4.2.1-master-json.json", 0);

	(void)state;
	assert_null(found(early, "worker-late", ""));
	assert_null(found(unknown, "worker-late", ""));
	late = master_read("spark-4.2.1-master-json.json", 1795999999000);
	assert_non_null(found(late, "worker-late", "worker-20261129160427-127.0.0.1-41459 was last heard of"));
	snapshot_unref(early);
	snapshot_unref(late);
	snapshot_unref(unknown);
}

static void a_master_without_workers_is_not_healthy(void **state)
{
	struct snapshot *s = master_told("{\"status\":\"ALIVE\",\"aliveworkers\":0,\"activeapps\":["
		"{\"id\":\"app-1\",\"name\":\"etl\",\"state\":\"WAITING\",\"cores\":0,\"memoryperexecutor\":512}]}", 0);

	(void)state;
	assert_int_equal(s->health.state, LINK_BAD);
	assert_string_equal(s->health.words, "no worker is alive");
	assert_non_null(found(s, "waiting", "no worker is alive"));
	snapshot_unref(s);
}

static void a_master_that_does_not_lead_is_not_healthy(void **state)
{
	struct snapshot *standby = master_told("{\"status\":\"STANDBY\",\"aliveworkers\":0}", 0);
	struct snapshot *recovering = master_read("spark-4.1.4-master-recovering.json", 0);

	(void)state;
	assert_int_equal(standby->health.state, LINK_BAD);
	assert_non_null(strstr(standby->health.words, "standby"));
	assert_int_equal(recovering->health.state, LINK_BAD);
	assert_non_null(strstr(recovering->health.words, "RECOVERING"));
	snapshot_unref(standby);
	snapshot_unref(recovering);
}

static void what_a_master_leaves_out_is_unknown_and_not_zero(void **state)
{
	struct snapshot *s = master_told("{\"status\":\"ALIVE\",\"aliveworkers\":1,\"memory\":-1,\"memoryused\":9223372036854775807}", 0);

	(void)state;
	assert_int_equal(snapshot_get(s, "cores").type, VALUE_UNKNOWN);
	assert_int_equal(snapshot_get(s, "memory").type, VALUE_UNKNOWN);
	assert_int_equal(snapshot_get(s, "memory_used").type, VALUE_UNKNOWN);
	snapshot_unref(s);
}

static void more_rows_than_are_shown_are_said_to_be_left_off(void **state)
{
	struct buf text;
	struct snapshot *s;
	const struct table *apps;

	(void)state;
	buf_init(&text, 1 << 20);
	buf_puts(&text, "{\"status\":\"ALIVE\",\"aliveworkers\":1,\"completedapps\":[");
	for (int i = 0; i < 250; i++)
		buf_printf(&text, "%s{\"id\":\"app-%d\",\"starttime\":%d,\"state\":\"FINISHED\"}", i ? "," : "", i, i);
	buf_puts(&text, "]}");
	s = master_told(text.at, 0);
	apps = snapshot_find_table(s, "applications");
	assert_int_equal(apps->n_rows, SPARK_ROWS_MAX);
	assert_int_equal(apps->left_off, 50);
	assert_string_equal(words(apps, 0, "id"), "app-249");
	assert_int_equal(figure(s, "completed"), 250);
	snapshot_unref(s);
	buf_free(&text);
}

static void a_worker_is_no_master_and_a_master_no_worker(void **state)
{
	struct json *worker = recorded_json("spark-4.1.4-worker-json.json"), *master = recorded_json("spark-4.1.4-master-json.json");
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct spark_specs of_master = specs_of(&kind_spark_master), of_worker = specs_of(&kind_spark_worker);

	(void)state;
	assert_false(spark_read_master(worker, 0, "", NULL, &of_master, s));
	assert_false(spark_read_worker(master, &of_worker, s));
	json_free(worker);
	json_free(master);
	snapshot_unref(s);
}

/* ---- workers ---- */

static void a_worker_says_what_runs_on_it(void **state)
{
	struct json *root = recorded_json("spark-4.1.4-worker-json.json");
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct spark_specs specs = specs_of(&kind_spark_worker);
	const struct table *t;

	(void)state;
	assert_true(spark_read_worker(root, &specs, s));
	assert_int_equal(figure(s, "executors"), 2);
	assert_int_equal(figure(s, "finished"), 0);
	assert_int_equal(figure(s, "cores_used"), 2);
	assert_int_equal(figure(s, "memory_used"), INT64_C(1024) << 20);
	t = snapshot_find_table(s, "executors");
	assert_int_equal(t->n_rows, 2);
	assert_string_equal(words(t, 1, "application"), "app-20261129154422-0000");
	assert_string_equal(words(t, 1, "name"), "rush-hour");
	json_free(root);
	snapshot_unref(s);
}

static void the_gauges_of_a_worker_say_the_same_in_fewer_words(void **state)
{
	struct json *metrics = recorded_json("spark-4.2.1-worker-metrics.json"), *master = json_parse(TEXT("{\"gauges\":{\"master.workers\":"
		"{\"value\":1}}}"), NULL);
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct spark_specs specs = specs_of(&kind_spark_worker);

	(void)state;
	assert_true(spark_read_worker_gauges(metrics, &specs, s));
	assert_int_equal(figure(s, "executors"), 0);
	assert_int_equal(figure(s, "cores"), 2);
	assert_int_equal(figure(s, "cores_used"), 0);
	assert_int_equal(figure(s, "memory"), INT64_C(1536) << 20);
	assert_false(spark_read_worker_gauges(master, &specs, s));
	json_free(metrics);
	json_free(master);
	snapshot_unref(s);
}

static uint16_t master_of(const char *id, const char *rpc, const char *page)
{
	char text[500];
	struct json *root;
	uint16_t port;

	snprintf(text, sizeof text, "{\"id\":\"%s\",\"masterurl\":\"%s\",\"masterwebuiurl\":\"%s\"}", id, rpc, page);
	root = json_parse(text_of(text), NULL);
	port = spark_master_beside(root);
	json_free(root);
	return port;
}

static void a_master_is_asked_only_on_the_worker_s_own_machine(void **state)
{
	(void)state;
	assert_int_equal(master_of("worker-20261129154338-127.0.0.1-44719", "spark://127.0.0.1:7078", "http://localhost:8082"), 8082);
	assert_int_equal(master_of("worker-20261129154338-127.0.0.1-44719", "spark://127.0.0.1:7078", "http://127.0.0.1:8082/"), 8082);
	assert_int_equal(master_of("worker-20261129154338-kitchen-box-44719", "spark://kitchen-box:7077", "http://kitchen-box:8080"), 8080);
	assert_int_equal(master_of("worker-20261129154338-172.18.0.6-44719", "spark://spark-master:7077", "http://172.18.0.5:8080"), 0);
	assert_int_equal(master_of("worker-20261129154338-box-44719", "", ""), 0);
	assert_int_equal(master_of("worker-20261129154338-box-44719", "", "http://localhost"), 0);
	assert_int_equal(master_of("worker-20261129154338-box-44719", "", "http://localhost:99999"), 0);
	assert_int_equal(master_of("worker-20261129154338-box-44719", "", "http://localhost.example.com:8080"), 0);
	assert_int_equal(master_of("", "spark://:7077", "http://:8080"), 0);
}

static enum link_state judged_worker(const char *id, struct snapshot *s)
{
	struct json *root = recorded_json("spark-4.0.5-master-json.json");

	spark_judge_worker(root, id, "recorded", s);
	json_free(root);
	return s->health.state;
}

static void a_worker_is_healthy_when_its_master_says_so(void **state)
{
	struct snapshot *s = snapshot_new("test", PART_DEPTH);

	(void)state;
	assert_int_equal(judged_worker("worker-20261129160411-127.0.0.1-33845", s), LINK_OK);
	assert_int_equal(judged_worker("worker-20261129160704-127.0.0.1-33303", s), LINK_BAD);
	assert_string_equal(s->health.words, "its master counts it as DEAD");
	assert_int_equal(judged_worker("worker-20200101000000-127.0.0.1-1", s), LINK_BAD);
	assert_string_equal(s->health.words, "its master does not know it");
	snapshot_unref(s);
}

/* ---- drivers ---- */

static void a_driver_says_how_its_work_goes(void **state)
{
	struct json *applications = recorded_json("spark-4.1.4-driver-applications.json"), *jobs = recorded_json("spark-4.1.4-driver-jobs.json");
	struct json *stages = recorded_json("spark-4.1.4-driver-stages.json"), *executors = recorded_json("spark-4.1.4-driver-executors.json");
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct spark_specs specs = specs_of(&kind_spark_driver);
	struct spark_work work = {0};
	struct spark_stage rows[4];
	char id[SPARK_ID_SIZE];

	(void)state;
	assert_true(spark_read_application(applications, &specs, s, id, &work));
	spark_read_jobs(jobs, NULL, &specs, s, &work);
	assert_int_equal(spark_read_stages(stages, &specs, s, rows, 4), 1);
	spark_read_executors(executors, &specs, s, &work);
	spark_judge_work(&work, 1795969000000, "recorded", s);
	assert_string_equal(id, "app-20261129154422-0000");
	assert_string_equal(work.version, "4.1.4");
	assert_int_equal(figure(s, "jobs_active"), 1);
	assert_int_equal(figure(s, "jobs_failed"), 1);
	assert_int_equal(figure(s, "stages_active"), 1);
	assert_int_equal(figure(s, "stages_pending"), 0);
	assert_int_equal(figure(s, "executors"), 2); /* the driver is in the list too */
	assert_int_equal(figure(s, "executors_dead"), 0);
	assert_int_equal(figure(s, "cores"), 2);
	assert_int_equal(figure(s, "tasks_active"), 2);
	assert_int_equal(figure(s, "tasks_completed"), 8);
	assert_int_equal(figure(s, "tasks_failed"), 4);
	assert_int_equal(figure(s, "storage"), INT64_C(133378867) * 2 + 200500838);
	assert_int_equal(figure(s, "started"), INT64_C(1795967061564));
	assert_int_equal(s->health.state, LINK_OK);
	assert_string_equal(words(snapshot_find_table(s, "jobs"), 0, "name"), "sleeps on purpose");
	assert_string_equal(words(snapshot_find_table(s, "jobs"), 1, "state"), "FAILED");
	assert_string_equal(work.failed, "job 3, count at /srv/kitchen/orders.py:8");
	assert_int_equal(work.failed_at, INT64_C(1795967082134));
	json_free(applications);
	json_free(jobs);
	json_free(stages);
	json_free(executors);
	snapshot_unref(s);
}

static void jobs_without_an_executor_are_bad_after_a_while(void **state)
{
	struct json *jobs = json_parse(TEXT("[{\"jobId\":1,\"status\":\"RUNNING\",\"numActiveTasks\":0,"
		"\"submissionTime\":\"2026-11-29T16:00:00.000GMT\"}]"), NULL);
	struct json *none = json_parse(TEXT("[{\"id\":\"driver\",\"isActive\":true,\"totalCores\":0},{\"id\":\"0\",\"isActive\":false,"
		"\"totalCores\":4,\"removeReason\":\"worker lost\\nstack\",\"removeTime\":\"2026-11-29T15:59:00.000GMT\"},"
		"{\"id\":\"1\",\"isActive\":false,\"totalCores\":4,\"removeReason\":\"Executor killed by driver.\"}]"), NULL);
	struct json *local = json_parse(TEXT("[{\"id\":\"driver\",\"isActive\":true,\"totalCores\":2}]"), NULL);
	struct spark_specs specs = specs_of(&kind_spark_driver);
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct spark_work work = {0}, alone = {0};
	int64_t submitted = 1795968000000;

	(void)state;
	spark_read_jobs(jobs, NULL, &specs, s, &work);
	spark_read_executors(none, &specs, s, &work);
	assert_int_equal(work.starving, submitted);
	assert_int_equal(work.slots, 0);
	spark_judge_work(&work, submitted + 5000, "", s);
	assert_int_equal(s->health.state, LINK_OK); /* it may just be coming up */
	spark_judge_work(&work, submitted + 16000, "", s);
	assert_int_equal(s->health.state, LINK_BAD);
	assert_int_equal(figure(s, "executors_dead"), 2);
	assert_int_equal(work.executors_lost, 1); /* the other one was let go */
	assert_string_equal(work.lost, "worker lost");
	snapshot_unref(s);
	s = snapshot_new("test", PART_DEPTH);
	spark_read_jobs(jobs, NULL, &specs, s, &alone);
	spark_read_executors(local, &specs, s, &alone);
	spark_judge_work(&alone, submitted + 60000, "", s);
	assert_int_equal(s->health.state, LINK_OK); /* a local driver works by itself */
	json_free(jobs);
	json_free(none);
	json_free(local);
	snapshot_unref(s);
}

static void one_running_application_may_be_a_driver_or_not(void **state)
{
	struct json *driver = recorded_json("spark-4.1.4-driver-applications.json"), *history = recorded_json("spark-4.1.4-history-applications.json");
	struct json *none = json_parse(TEXT("[]"), NULL), *object = json_parse(TEXT("{\"a\":1}"), NULL);

	(void)state;
	assert_true(spark_list_of_driver(driver)); /* so / is asked as well */
	assert_false(spark_list_of_driver(history));
	assert_false(spark_list_of_driver(none));
	assert_false(spark_list_of_driver(object));
	json_free(driver);
	json_free(history);
	json_free(none);
	json_free(object);
}

static void an_id_that_is_not_one_is_never_put_in_a_path(void **state)
{
	(void)state;
	assert_true(spark_is_id("app-20261129154422-0000"));
	assert_true(spark_is_id("local-1795966935554"));
	assert_true(spark_is_id("application_1700000000000_0001"));
	assert_false(spark_is_id(NULL));
	assert_false(spark_is_id(""));
	assert_false(spark_is_id("../../jobs/job/kill"));
	assert_false(spark_is_id("a b"));
	assert_false(spark_is_id("a?b"));
}

static void times_are_read_to_the_millisecond(void **state)
{
	int64_t ms = 0;

	(void)state;
	assert_true(spark_time("2026-11-29T15:44:42.248GMT", &ms));
	assert_int_equal(ms, INT64_C(1795967082248));
	assert_false(spark_time("1969-12-31T23:59:59.999GMT", &ms)); /* as Spark says "not yet" */
	assert_false(spark_time("2026-11-29T15:44:42GMT", &ms));
	assert_false(spark_time("2026-13-29T15:44:42.248GMT", &ms));
	assert_false(spark_time(NULL, &ms));
	assert_int_equal(spark_http_date(TEXT("Sun, 29 Nov 2026 15:43:38 GMT")), INT64_C(1795967018000));
	assert_int_equal(spark_http_date(TEXT("Sunday, 29-Nov-26 15:43:38 GMT")), 0);
	assert_int_equal(spark_http_date(TEXT("")), 0);
}

/* ---- hints ---- */

static void assert_role(const struct service_kind *kind, const char *hint, uint16_t port, const char *role)
{
	const char *is = kind->role_of(text_of(hint), port);

	if ((is == NULL) != (role == NULL) || (is && strcmp(is, role) != 0))
		fail_msg("%s %u: %s, not %s", kind->name, port, is ? is : "nothing", role ? role : "nothing");
}

static void the_owner_s_words_say_which_port_may_be_asked(void **state)
{
	static const char master[] = "org.apache.spark.deploy.master.Master -h 127.0.0.1 -p 7078 --webui-port 8082";
	static const char image[] = "org.apache.spark.deploy.master.Master --host box --port 7077 --webui-port 8080";
	static const char worker[] = "org.apache.spark.deploy.worker.Worker --webui-port 8084 -c 2 spark://127.0.0.1:7078";
	static const char connect[] = "org.apache.spark.deploy.SparkSubmit --conf spark.connect.grpc.binding.port=15003 --conf spark.ui.port=4041 "
		"--class org.apache.spark.sql.connect.service.SparkConnectServer spark-internal";
	static const char driver[] = "org.apache.spark.deploy.SparkSubmit --conf spark.ui.port=14040 etl.py";

	(void)state;
	assert_role(&kind_spark_master, master, 8082, "ui");
	assert_role(&kind_spark_master, master, 8083, "ui"); /* it moves up where 8082 is taken */
	assert_role(&kind_spark_master, master, 7078, "rpc");
	assert_role(&kind_spark_master, master, 6066, "rest");
	assert_role(&kind_spark_master, master, 40000, NULL);
	assert_role(&kind_spark_master, image, 7077, "rpc");
	assert_role(&kind_spark_master, image, 8080, "ui");
	assert_role(&kind_spark_master, "org.apache.spark.deploy.master.Master", 7077, "rpc");
	assert_role(&kind_spark_worker, worker, 8084, "ui");
	assert_role(&kind_spark_worker, worker, 44719, NULL);
	assert_role(&kind_spark_connect, connect, 15003, "grpc");
	assert_role(&kind_spark_connect, connect, 4041, "ui");
	assert_role(&kind_spark_connect, connect, 39825, NULL);
	assert_role(&kind_spark_driver, connect, 4041, NULL);
	assert_role(&kind_spark_driver, driver, 14041, "ui");
	assert_role(&kind_spark_driver, driver, 42369, NULL);
	assert_role(&kind_spark_history, "org.apache.spark.deploy.history.HistoryServer", 18080, "ui");
	assert_role(&kind_spark_history, "org.apache.spark.deploy.history.HistoryServer", 17377, "ui"); /* set in a file */
	assert_role(&kind_spark_history, "", 18080, NULL); /* its number explains it */
	assert_int_equal(option_port(TEXT("--webui-port"), "--webui-port"), 0);
	assert_int_equal(option_port(TEXT("--webui-port x --webui-port 70000"), "--webui-port"), 0);
	assert_int_equal(settings_port(TEXT("# spark.ui.port 1\nspark.ui.port.x 2\n  spark.ui.port\t4041 \n"), "spark.ui.port"), 4041);
	assert_int_equal(settings_port(TEXT("spark.ui.port = 4041\r\nspark.ui.port:4042"), "spark.ui.port"), 4042); /* the last one holds */
	assert_int_equal(settings_port(TEXT("spark.ui.port\nspark.ui.port 70000\n"), "spark.ui.port"), 0);
	assert_int_equal(settings_port(TEXT(""), "spark.ui.port"), 0);
}

static void rpc_ports_are_never_asked(void **state)
{
	(void)state;
	for (const struct port_role *r = kind_spark_master.ports; r->role; r++)
		assert_int_equal(r->manner, strcmp(r->role, "rpc") ? PORT_ASK : PORT_SILENT);
}

/* ---- Connect ---- */

static void the_question_for_the_version_is_byte_for_byte_what_was_measured(void **state)
{
	static const char expected[] = "\x0a\x24" "6c616b65-746f-4000-8000-000000000001" "\x12\x09\x0a\x07laketop" "\x1a\x07laketop" "\x52\x00";
	struct buf out;

	(void)state;
	buf_init(&out, 500);
	connect_put_analyze(&out, SESSION);
	assert_int_equal(out.len, sizeof expected - 1);
	assert_memory_equal(out.at, expected, out.len);
	buf_free(&out);
}

static void assert_analyzed(const char *name, const char *version)
{
	char found_version[SPARK_VERSION_SIZE] = "";

	assert_true(connect_read_version(recorded(name), SESSION, found_version));
	assert_string_equal(found_version, version);
	assert_false(connect_read_version(recorded(name), "6c616b65-746f-4000-8000-000000000002", found_version));
}

static void connect_says_its_version_and_to_whom(void **state)
{
	(void)state;
	assert_analyzed("spark-4.0.5-connect-analyze.bin", "4.0.5");
	assert_analyzed("spark-4.1.4-connect-analyze.bin", "4.1.4");
	assert_analyzed("spark-4.2.1-connect-analyze.bin", "4.2.1");
	assert_true(connect_is_about(recorded("spark-4.1.4-connect-release.bin"), SESSION));
}

static void a_session_id_is_a_uuid_of_version_4(void **state)
{
	static const unsigned char zeros[16] = {0}, ones[16] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
	char id[CONNECT_ID_SIZE];

	(void)state;
	connect_uuid(id, zeros);
	assert_string_equal(id, "00000000-0000-4000-8000-000000000000");
	connect_uuid(id, ones);
	assert_string_equal(id, "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

static void settings_are_kept_by_a_list_of_what_may_be_shown(void **state)
{
	struct connect_settings *settings = mem_new(1, sizeof *settings);

	(void)state;
	connect_read_config(recorded("spark-4.1.4-connect-config.bin"), false, settings);
	connect_read_config(recorded("spark-4.1.4-connect-catalogs.bin"), true, settings);
	assert_string_equal(connect_setting(settings, "spark.app.id"), "local-1795968457729");
	assert_string_equal(connect_setting(settings, "spark.ui.port"), "4041");
	assert_string_equal(connect_setting(settings, "spark.sql.catalog.lake"), "org.apache.iceberg.spark.SparkCatalog");
	assert_string_equal(connect_setting(settings, "spark.sql.catalog.lake.uri"), "jdbc:postgresql://127.0.0.1:5432/iceberg_catalog");
	assert_null(connect_setting(settings, "spark.sql.catalog.lake.s3.access-key-id"));
	assert_null(connect_setting(settings, "spark.sql.catalog.lake.jdbc.user"));
	for (size_t i = 0; i < settings->n; i++)
		assert_null(strstr(settings->at[i].value, "examplekey"));
	free(settings);
}

static const char *shown_as(const char *value, struct connect_settings *settings)
{
	struct buf pair, answer;

	buf_init(&pair, 2000);
	buf_init(&answer, 2000);
	protobuf_put_text(&pair, 1, "spark.jars");
	protobuf_put_text(&pair, 2, value);
	protobuf_put_bytes(&answer, 2, buf_text(&pair));
	memset(settings, 0, sizeof *settings);
	connect_read_config(buf_text(&answer), false, settings);
	buf_free(&pair);
	buf_free(&answer);
	return connect_setting(settings, "spark.jars");
}

static void no_secret_of_a_url_is_kept(void **state)
{
	static const char *const cases[][2] = {
		{"file:/opt/a.jar,file:/opt/b.jar", "file:/opt/a.jar,file:/opt/b.jar"},
		{"s3://lakehouse/warehouse", "s3://lakehouse/warehouse"},
		{"jdbc:postgresql://lake:hunter2@box:5432/c", "jdbc:postgresql://box:5432/c"},
		{"jdbc:postgresql://box:5432/c?user=lake&password=hunter2", "jdbc:postgresql://box:5432/c"},
		{"jdbc:sqlserver://box;user=lake;password=hunter2", "jdbc:sqlserver://box"},
		{"http://a:hunter2@x/1?k=hunter2,http://b:hunter2@y/2", "http://x/1,http://y/2"},
		{"http://a:hun@ter2@x/", "http://x/"},
		{"jdbc:oracle:thin:lake/hunter2@box:1521:c", "(not shown)"},
		{"://lake:hunter2@box", "(not shown)"},
		{"", ""},
	};
	struct connect_settings *settings = mem_new(1, sizeof *settings);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(shown_as(cases[i][0], settings), cases[i][1]);
	free(settings);
}

static void sessions_are_counted_by_the_page_of_each_version(void **state)
{
	static const char *const pages[] = {"spark-4.0.5-connect-page.html", "spark-4.1.4-connect-page.html", "spark-4.2.1-connect-page.html"};
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct text page = recorded(pages[i]);
		int64_t sessions = -1, requests = -1;

		assert_true(connect_read_sessions(page, &sessions, &requests));
		assert_int_equal(sessions, 2);
		assert_int_equal(requests, 0);
		assert_false(connect_read_sessions((struct text){page.at, page.len / 2}, &sessions, &requests));
	}
}

/* ---- history ---- */

static void a_history_server_lists_what_ended_and_what_did_not(void **state)
{
	struct json *list = recorded_json("spark-4.1.4-history-applications.json");
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct table *t = snapshot_table(s, kind_spark_history.tables, "applications");
	int64_t newest = 0;

	(void)state;
	assert_int_equal(spark_read_history(list, false, NULL, 0, s, t, &newest), json_count(list));
	assert_int_equal(t->n_rows, json_count(list));
	assert_true(newest > INT64_C(1795966934857));
	assert_int_equal(table_get(t, 0, "ended").type, VALUE_UNKNOWN); /* not one ms before 1970 */
	json_free(list);
	snapshot_unref(s);
}

static void what_failed_is_known_while_only_the_files_tell(void **state)
{
	struct json *list = recorded_json("spark-4.1.4-history-applications.json");
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct table *t = snapshot_table(s, kind_spark_history.tables, "applications");
	struct spark_counted counted = {.jobs_failed = 3};
	int64_t newest = 0;

	(void)state;
	text_copy(counted.id, sizeof counted.id, text_of(json_string(json_get(json_first(list), "id"))));
	spark_read_history(list, true, NULL, 0, s, t, &newest);
	assert_int_equal(table_get(t, 0, "jobs_failed").type, VALUE_UNKNOWN);
	spark_keep_counted(&counted, 1, s, t);
	assert_int_equal(table_get(t, 0, "jobs_failed").u.i, 3);
	assert_int_equal(table_get(t, 1, "jobs_failed").type, VALUE_UNKNOWN);
	assert_ptr_equal(snapshot_table(s, kind_spark_history.tables, "applications"), t); /* one of a name, whoever asks for it */
	assert_int_equal(s->n_tables, 1);
	json_free(list);
	snapshot_unref(s);
}

/* ---- what failed questions say ---- */

static enum answered failed(const struct spark_reply *reply, enum err_code code, const struct expectation *expected, struct identity *who)
{
	struct arena *arena = arena_new(4096);
	struct probe p = {.arena = arena, .expected = expected, .hint = ""};
	struct err err;
	enum answered answered;

	err_set(&err, code, "GET /json/: so and so");
	*who = (struct identity){0};
	answered = spark_failed(&p, &kind_spark_master, reply, &err, who);
	who->says = who->says ? strcmp(who->says, "HTTP 500 text/html") ? "wrong" : "HTTP 500 text/html" : NULL; /* outlives the arena */
	arena_free(arena);
	return answered;
}

static void only_what_speaks_is_another(void **state)
{
	static const struct spark_reply none = {0}, error = {.status = 500, .type = "text/html"};
	struct identity who;

	(void)state;
	assert_int_equal(failed(&none, ERR_CONNECT, NULL, &who), ANSWERED_REFUSED);
	assert_int_equal(failed(&none, ERR_TIMEOUT, NULL, &who), ANSWERED_MUTE);
	assert_int_equal(failed(&none, ERR_PROTOCOL, NULL, &who), ANSWERED_MUTE); /* a proxy before a dead server closes, too */
	assert_null(who.says);
	assert_int_equal(failed(&none, ERR_CANCELLED, NULL, &who), ANSWERED_NOT_ASKED);
	assert_int_equal(failed(&error, ERR_PROTOCOL, NULL, &who), ANSWERED_OTHER);
	assert_string_equal(who.says, "HTTP 500 text/html");
}

static void a_locked_server_is_believed_to_be_the_expected_one(void **state)
{
	static const struct spark_reply locked = {.status = 401, .type = "text/html"};
	const struct expectation master = {.kind = &kind_spark_master}, worker = {.kind = &kind_spark_worker};
	struct identity who;

	(void)state;
	assert_int_equal(failed(&locked, ERR_AUTH, &master, &who), ANSWERED_YES);
	assert_int_equal(who.sure, SURE_UNKNOWN);
	assert_ptr_equal(who.kind, &kind_spark_master);
	assert_int_equal(failed(&locked, ERR_AUTH, &worker, &who), ANSWERED_OTHER);
	assert_int_equal(failed(&locked, ERR_AUTH, NULL, &who), ANSWERED_OTHER);
}

/* ---- whatever comes ---- */

static void read_everything(struct text t)
{
	struct json *root = json_parse(t, NULL);
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct connect_settings *settings = mem_new(1, sizeof *settings);
	struct spark_work work = {0};
	struct spark_specs of_master = specs_of(&kind_spark_master), of_worker = specs_of(&kind_spark_worker);
	struct spark_specs of_driver = specs_of(&kind_spark_driver);
	struct spark_stage rows[4];
	char id[SPARK_ID_SIZE], version[SPARK_VERSION_SIZE];
	int64_t a = 0, b = 0;

	spark_page_version(t);
	spark_http_date(t);
	option_port(t, "--webui-port");
	settings_port(t, "a");
	spark_read_trigger(root);
	connect_read_version(t, SESSION, version);
	connect_is_about(t, SESSION);
	connect_read_config(t, false, settings);
	connect_read_config(t, true, settings);
	connect_read_sessions(t, &a, &b);
	spark_rest_version(root);
	spark_list_of_driver(root);
	spark_read_master(root, 1795969000000, "", NULL, &of_master, s);
	spark_read_worker(root, &of_worker, s);
	spark_read_worker_gauges(root, &of_worker, s);
	spark_master_beside(root);
	spark_judge_worker(root, "worker-1", "", s);
	snapshot_unref(s);
	s = snapshot_new("test", PART_DEPTH);
	spark_read_application(root, &of_driver, s, id, &work);
	spark_read_jobs(root, NULL, &of_driver, s, &work);
	spark_read_stages(root, &of_driver, s, rows, 4);
	spark_read_executors(root, &of_driver, s, &work);
	spark_judge_work(&work, 1795969000000, "", s);
	snapshot_unref(s);
	s = snapshot_new("test", PART_DEPTH);
	spark_read_history(root, true, NULL, 0, s, snapshot_table(s, kind_spark_history.tables, "applications"), &a);
	snapshot_unref(s);
	json_free(root);
	free(settings);
}

static void no_beginning_and_no_mutilation_of_an_answer_does_harm(void **state)
{
	static const char *const names[] = {
		"spark-4.0.5-master-json.json", "spark-4.1.4-master-json.json", "spark-4.1.4-master-status.json", "spark-4.2.1-master-json.json", "spark-4.1.4-worker-json.json",
		"spark-4.1.4-driver-applications.json", "spark-4.1.4-driver-jobs.json", "spark-4.1.4-driver-stages.json", "spark-4.1.4-driver-executors.json",
		"spark-4.1.4-history-applications.json", "spark-4.1.4-version.json", "spark-4.1.4-rest-root.json", "spark-4.1.4-connect-analyze.bin",
		"spark-4.1.4-connect-config.bin", "spark-4.1.4-connect-catalogs.bin", "spark-4.1.4-connect-release.bin", "spark-4.1.4-master-page.html",
		"spark-4.2.1-connect-page.html",
	};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct text whole = recorded(names[i]);

		for (size_t len = 0; len < whole.len && len < 1500; len++) {
			char *cut = malloc(len ? len : 1); /* ends where its memory ends */

			assert_non_null(cut);
			memcpy(cut, whole.at, len);
			read_everything((struct text){cut, len});
			free(cut);
		}
		fuzz(whole, read_everything);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_page_says_the_version_that_made_it),
		cmocka_unit_test(a_version_keeps_what_its_builder_put_behind_it),
		cmocka_unit_test(a_page_without_a_version_has_none),
		cmocka_unit_test(the_version_of_dropwizard_is_not_that_of_spark),
		cmocka_unit_test(a_master_counts_what_is_alive),
		cmocka_unit_test(a_waiting_application_is_told_why_it_waits),
		cmocka_unit_test(a_dead_worker_is_a_finding_and_not_counted),
		cmocka_unit_test(a_dead_worker_that_came_back_is_history),
		cmocka_unit_test(a_worker_is_late_by_the_clock_of_its_master),
		cmocka_unit_test(a_master_without_workers_is_not_healthy),
		cmocka_unit_test(a_master_that_does_not_lead_is_not_healthy),
		cmocka_unit_test(what_a_master_leaves_out_is_unknown_and_not_zero),
		cmocka_unit_test(more_rows_than_are_shown_are_said_to_be_left_off),
		cmocka_unit_test(a_worker_is_no_master_and_a_master_no_worker),
		cmocka_unit_test(a_worker_says_what_runs_on_it),
		cmocka_unit_test(the_gauges_of_a_worker_say_the_same_in_fewer_words),
		cmocka_unit_test(a_master_is_asked_only_on_the_worker_s_own_machine),
		cmocka_unit_test(a_worker_is_healthy_when_its_master_says_so),
		cmocka_unit_test(a_driver_says_how_its_work_goes),
		cmocka_unit_test(jobs_without_an_executor_are_bad_after_a_while),
		cmocka_unit_test(one_running_application_may_be_a_driver_or_not),
		cmocka_unit_test(an_id_that_is_not_one_is_never_put_in_a_path),
		cmocka_unit_test(times_are_read_to_the_millisecond),
		cmocka_unit_test(the_owner_s_words_say_which_port_may_be_asked),
		cmocka_unit_test(rpc_ports_are_never_asked),
		cmocka_unit_test(the_question_for_the_version_is_byte_for_byte_what_was_measured),
		cmocka_unit_test(connect_says_its_version_and_to_whom),
		cmocka_unit_test(a_session_id_is_a_uuid_of_version_4),
		cmocka_unit_test(settings_are_kept_by_a_list_of_what_may_be_shown),
		cmocka_unit_test(no_secret_of_a_url_is_kept),
		cmocka_unit_test(sessions_are_counted_by_the_page_of_each_version),
		cmocka_unit_test(a_history_server_lists_what_ended_and_what_did_not),
		cmocka_unit_test(only_what_speaks_is_another),
		cmocka_unit_test(a_locked_server_is_believed_to_be_the_expected_one),
		cmocka_unit_test(what_failed_is_known_while_only_the_files_tell),
		cmocka_unit_test(no_beginning_and_no_mutilation_of_an_answer_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
