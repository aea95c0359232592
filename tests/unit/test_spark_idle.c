// SPDX-License-Identifier: MIT
/*
 * Why an application gets nothing done, by what a master and the application's driver say: read off answers of
 * real servers, and with the workers and settings that a sentence is about.
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
#include "../../backend/services/spark_page.h"
#include "fixture_bytes.h"

static struct spark_specs of_master(void)
{
	return (struct spark_specs){kind_spark_master.figures, kind_spark_master.tables};
}

static struct json *parsed(struct text t)
{
	struct json *root = json_parse(t, NULL);

	assert_non_null(root);
	return root;
}

static const char *words(const struct table *t, size_t row, const char *column)
{
	struct value v = table_get(t, row, column);

	return v.type == VALUE_TEXT ? v.u.s : "(none)";
}

static bool finds(const struct snapshot *s, const char *name, const char *part, const char *remedy)
{
	for (size_t i = 0; i < s->n_findings; i++)
		if (!strcmp(s->findings[i].name, name) && strstr(s->findings[i].reason, part))
			return !remedy || !strcmp(s->findings[i].remedy, remedy);
	return false;
}

/* ---- what real servers said ---- */

static void more_cores_than_any_worker_has_never_start(void **state)
{
	struct json *master = parsed(recorded("spark-4.1.4-master-waiting.json"));
	struct json *environment = parsed(recorded("spark-4.1.4-driver-environment.json"));
	struct spark_seen_app *apps = mem_new(SPARK_PAGES_KEPT, sizeof *apps);
	const char *id = json_string(json_get(json_first(json_get(master, "activeapps")), "id"));
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct spark_specs specs = of_master();
	const struct table *t;

	(void)state;
	text_copy(apps[0].id, sizeof apps[0].id, text_of(id));
	apps[0].looked = 1;
	spark_read_cores(environment, &apps[0]);
	assert_int_equal(apps[0].executor_cores, 3);
	assert_int_equal(apps[0].cores_max, 3);
	assert_true(spark_read_master(master, 0, "", apps, &specs, s));
	t = snapshot_find_table(s, "applications");
	assert_string_equal(words(t, 0, "name"), "courier routes");
	assert_string_equal(words(t, 0, "why"), "it can never start: it asks for 3 cores an executor, the largest worker has 2");
	assert_true(finds(s, "waiting", "it asks for 3 cores an executor", "lower spark.executor.cores, or give a worker more cores"));
	snapshot_unref(s);
	json_free(master);
	json_free(environment);
	free(apps);
}

static void without_its_settings_all_cores_are_taken(void **state)
{
	struct json *master = parsed(recorded("spark-4.1.4-master-waiting.json"));
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct spark_specs specs = of_master();

	(void)state;
	assert_true(spark_read_master(master, 0, "", NULL, &specs, s));
	assert_true(finds(s, "waiting", "waits: all 2 cores are taken", "stop another application, or limit it by spark.cores.max"));
	snapshot_unref(s);
	json_free(master);
}

/* ---- single sentences ---- */

struct told {
	const char *workers; /* JSON */
	int64_t cores, most, memory; /* cores: 0 not known */
	const char *why, *remedy;
};

#define WORKER(CORES, FREE, MEMORY, LEFT) \
	"{\"state\":\"ALIVE\",\"cores\":" #CORES ",\"coresfree\":" #FREE ",\"memory\":" #MEMORY ",\"memoryfree\":" #LEFT "}"

static const struct told sentences[] = {
	{"", 3, 0, 512, "no worker is alive", "start a worker"},
	{WORKER(2, 2, 1024, 1024), 1, 0, 2048, "it can never start: it asks for 2048 MiB an executor, the largest worker has 1024 MiB",
		"lower spark.executor.memory, or give a worker more memory"},
	{WORKER(8, 8, 1024, 1024) "," WORKER(2, 2, 8192, 8192), 4, 0, 2048,
		"it can never start: no worker has both 4 cores and 2048 MiB, which an executor asks for", "lower spark.executor.cores or spark.executor.memory"},
	{WORKER(8, 8, 8192, 8192), 4, 2, 512, "it can never start: it asks for 4 cores an executor, and for 2 in all",
		"raise spark.cores.max, or lower spark.executor.cores"},
	{WORKER(4, 0, 8192, 8192), 4, 0, 512, "all 4 cores are taken", "stop another application, or limit it by spark.cores.max"},
	{WORKER(4, 1, 8192, 8192) "," WORKER(4, 2, 8192, 8192), 3, 0, 512, "it asks for 3 cores an executor, no worker has more than 2 free",
		"stop another application, or lower spark.executor.cores"},
	{WORKER(4, 1, 8192, 8192) "," WORKER(4, 4, 8192, 100), 2, 0, 512,
		"it asks for 512 MiB an executor, no worker with cores enough has more than 100 MiB left",
		"stop another application, or lower spark.executor.memory"},
	{WORKER(4, 4, 8192, 8192), 1, 0, 512, "its executors are not there yet", NULL},
	{WORKER(4, 1, 8192, 8192), 0, 0, 512, "its executors are not there yet; how many cores one asks for is not known", NULL},
};

static void it_is_said_what_an_executor_lacks(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
		const struct told *told = &sentences[i];
		struct spark_seen_app known = {.executor_cores = told->cores, .cores_max = told->most};
		struct spark_idle idle;
		struct json *root;
		struct buf text;

		buf_init(&text, 4096);
		buf_printf(&text, "{\"aliveworkers\":%d,\"cores\":4,\"workers\":[%s],\"activeapps\":[{\"state\":\"WAITING\",\"cores\":0,"
			"\"memoryperexecutor\":%lld}]}", told->workers[0] ? 1 : 0, told->workers, (long long)told->memory);
		root = parsed(buf_text(&text));
		spark_why_idle(root, json_first(json_get(root, "activeapps")), &known, &idle);
		assert_true(idle.waits);
		assert_string_equal(idle.why, told->why);
		assert_string_equal(idle.remedy ? idle.remedy : "", told->remedy ? told->remedy : "");
		json_free(root);
		buf_free(&text);
	}
}

static void running_is_no_work(void **state)
{
	struct json *root = parsed(TEXT("{\"aliveworkers\":1,\"activeapps\":[{\"state\":\"RUNNING\",\"cores\":1}]}"));
	struct json *alone = parsed(TEXT("{\"aliveworkers\":0,\"activeapps\":[{\"state\":\"RUNNING\",\"cores\":0}]}"));
	struct spark_seen_app known = {.page = {.started = 16, .alive = 1, .lost = 15}, .dying = 15, .span = 20000};
	const struct json *app = json_first(json_get(root, "activeapps"));
	struct spark_idle idle;

	(void)state;
	spark_why_idle(root, app, &known, &idle);
	assert_string_equal(idle.why, "its executors die at start: 15 died in 20s");
	assert_false(idle.waits);
	known = (struct spark_seen_app){.page = {.started = 3, .lost = 3}};
	spark_why_idle(root, app, &known, &idle);
	assert_string_equal(idle.why, "it has no executor: it lost 3");
	known.page.alive = 1;
	spark_why_idle(root, app, &known, &idle);
	assert_string_equal(idle.why, "");
	spark_why_idle(alone, json_first(json_get(alone, "activeapps")), NULL, &idle);
	assert_string_equal(idle.why, "it has no executor: no worker is alive");
	json_free(root);
	json_free(alone);
}

/* ---- who is asked for it ---- */

static void only_a_driver_on_its_master_s_machine_is_asked(void **state)
{
	(void)state;
	assert_int_equal(spark_port_beside("http://127.0.0.1:4050", "spark://10.0.0.7:7077", TEXT("")), 4050);
	assert_int_equal(spark_port_beside("http://10.0.0.7:4050", "spark://10.0.0.7:7077", TEXT("")), 4050);
	assert_int_equal(spark_port_beside("http://10.0.0.8:4050", "spark://10.0.0.7:7077", TEXT("")), 0);
	assert_int_equal(spark_port_beside("", "spark://10.0.0.7:7077", TEXT("")), 0);
	assert_int_equal(spark_port_beside("https://gate/app-1", "spark://10.0.0.7:7077", TEXT("")), 0);
	assert_int_equal(spark_port_beside("http://10.0.0.7:99999", "spark://10.0.0.7:7077", TEXT("")), 0);
}

static void settings_that_are_not_there_leave_it_open(void **state)
{
	static const struct {
		const char *json;
		int64_t cores, most;
	} told[] = {{"{}", 0, 0}, {"[]", 0, 0}, {"{\"sparkProperties\":{}}", 0, 0}, {"{\"sparkProperties\":[]}", 1, 0},
		{"{\"sparkProperties\":[[\"spark.executor.cores\",\"x\"]]}", 1, 0}, {"{\"sparkProperties\":[[\"spark.executor.cores\"],[],3,\"\"]}", 1, 0},
		{"{\"sparkProperties\":[[\"spark.executor.cores\",\"-4\"],[\"spark.cores.max\",\"9\"]]}", 1, 9}};

	(void)state;
	for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
		struct json *root = parsed(text_of(told[i].json));
		struct spark_seen_app known = {0};

		spark_read_cores(root, &known);
		assert_int_equal(known.executor_cores, told[i].cores);
		assert_int_equal(known.cores_max, told[i].most);
		json_free(root);
	}
}

static void read_mutilated(struct text bytes)
{
	struct json *root = json_parse(bytes, NULL);
	struct spark_seen_app known = {0};
	struct spark_idle idle;

	spark_read_cores(root, &known);
	for (const struct json *app = json_first(json_get(root, "activeapps")); app; app = json_next(app))
		spark_why_idle(root, app, &known, &idle);
	json_free(root);
}

static void mutilated_answers_are_read_to_their_end(void **state)
{
	(void)state;
	fuzz(recorded("spark-4.1.4-driver-environment.json"), read_mutilated);
	fuzz(recorded("spark-4.1.4-master-waiting.json"), read_mutilated);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_cores_than_any_worker_has_never_start),
		cmocka_unit_test(without_its_settings_all_cores_are_taken),
		cmocka_unit_test(it_is_said_what_an_executor_lacks),
		cmocka_unit_test(running_is_no_work),
		cmocka_unit_test(only_a_driver_on_its_master_s_machine_is_asked),
		cmocka_unit_test(settings_that_are_not_there_leave_it_open),
		cmocka_unit_test(mutilated_answers_are_read_to_their_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
