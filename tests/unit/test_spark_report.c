// SPDX-License-Identifier: MIT
/* laketop spark: one application as master, driver and history server tell of it together, in JSON and in lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture_lake.h"
#include "json.h"
#include "report.h"

static struct json *told(struct fixture *f)
{
	struct buf out;
	struct json *root;

	buf_init(&out, 1 << 20);
	assert_int_equal(report_spark(fixture_lake(f), &(struct report_options){.json = true}, &out), EXIT_READY);
	root = json_parse(buf_text(&out), NULL);
	buf_free(&out);
	assert_non_null(root);
	return root;
}

static const char *word(const struct json *root, const char *table, const char *key, const char *name, const char *what)
{
	for (const struct json *row = json_first(json_get(json_get(root, "tables"), table)); row; row = json_next(row))
		if (json_string(json_get(row, key)) && !strcmp(json_string(json_get(row, key)), name))
			return json_string(json_get(row, what)) ? json_string(json_get(row, what)) : "(none)";
	fail_msg("no %s is called %s", table, name);
	return "";
}

static void why_is_said_as_the_screen_says_it(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_DEEP);
	struct json *root = told(f);

	(void)state;
	assert_string_equal(word(root, "applications", "name", "forecast", "why"),
		"it can never start: it asks for 8 cores an executor, the largest worker has 4"); /* its master's word */
	assert_string_equal(word(root, "applications", "name", "orders-etl", "why"),
		"job 3 failed: stage 3, Task failed while writing rows"); /* its driver's */
	assert_string_equal(word(root, "applications", "name", "daily revenue", "why"), "2 of its jobs failed"); /* so a history server counts */
	assert_string_equal(word(root, "applications", "name", "night", "why"), "(none)");
	json_free(root);
	fixture_free(f);
}

static void a_stage_names_its_application(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_DEEP);
	struct json *root = told(f);
	struct buf out;

	(void)state;
	assert_string_equal(word(root, "stages", "driver", "found:4040", "application"), "orders-etl");
	assert_string_equal(word(root, "queries", "driver", "spark-connect", "application"), "Spark Connect server");
	buf_init(&out, 1 << 20);
	assert_int_equal(report_spark(fixture_lake(f), &(struct report_options){0}, &out), EXIT_READY);
	assert_non_null(strstr(out.at, "\n  found:4040, orders-etl, stage 3, FAILED, completed 2, tasks 16, failed 4, "));
	assert_non_null(strstr(out.at, "org.apache.spark.SparkException: Task failed while writing rows to s3a://lake/gold\n"));
	buf_free(&out);
	json_free(root);
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(why_is_said_as_the_screen_says_it),
		cmocka_unit_test(a_stage_names_its_application),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
