// SPDX-License-Identifier: MIT
/*
 * Declarative pipelines, by what a real Spark Connect server told while one ran and when it had ended (tests/recorded/
 * spark-4.1.4-pipeline-...), and by the beginnings and mutilations of that.
 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../backend/services/kinds.h"
#include "../../backend/services/spark_pipelines.h"
#include "fixture_bytes.h"

#define GRAPH "5084b4ad-5d65-4e1b-b9d5-8e6c85693586"

static const int64_t NOW = INT64_C(1796017776000); /* of the page: 05:49:36 */

static const char *words(const struct table *t, size_t row, const char *column)
{
	struct value v = table_get(t, row, column);

	return v.type == VALUE_TEXT ? v.u.s : "(none)";
}

static int64_t number(const struct table *t, size_t row, const char *column)
{
	struct value v = table_get(t, row, column);

	return v.type == VALUE_INT ? v.u.i : -1;
}

static size_t row_of(const struct table *t, const char *flow)
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (!strcmp(words(t, i, "flow"), flow))
			return i;
	fail_msg("no flow %s", flow);
	return 0;
}

static void read_list(const char *name, struct pipelines *out)
{
	struct json *root = json_parse(recorded(name), NULL);

	assert_non_null(root);
	for (const struct json *item = json_first(root); item; item = json_next(item)) {
		struct pipeline_execution *e = &out->executions[out->n_executions];

		if (!pipelines_read_execution(item, e))
			continue;
		pipelines_read_plan(text_of(json_string(json_get(item, "planDescription"))), e->table);
		e->planned = true;
		e->rows = pipelines_read_rows(item);
		out->n_executions++;
	}
	json_free(root);
}

static struct pipelines *of_running(void)
{
	struct pipelines *all = mem_new(1, sizeof *all);

	pipelines_read_requests(recorded("spark-4.1.4-pipeline-connect-page.html"), NOW, all);
	read_list("spark-4.1.4-pipeline-sql.json", all);
	return all;
}

static void query(struct snapshot *s, struct table *t, const char *name, const char *state, const char *begun, const char *reason, int64_t batch)
{
	struct value *row = table_row(s, t);

	table_set(s, t, row, "name", value_text(name));
	table_set(s, t, row, "state", value_text(state));
	table_set(s, t, row, "begun", value_text(begun));
	table_set(s, t, row, "reason", value_text(reason));
	table_set(s, t, row, "batch", batch < 0 ? value_unknown() : value_int(batch));
}

/* As the page of streaming queries told at that moment; and a run of the day before. */
static void put_queries(struct snapshot *s)
{
	struct table *t = snapshot_table(s, kind_spark_connect.tables, "queries");

	query(s, t, "spark_catalog.default.courier_pings", "RUNNING", "2026/11/30 05:49:22", NULL, 1);
	query(s, t, "spark_catalog.default.courier_tips", "FAILED", "2026/11/30 05:49:33", "[USER_RAISED_EXCEPTION] a tip below zero", -1);
	query(s, t, "spark_catalog.default.courier_tips", "FAILED", "2026/11/30 05:49:22", "[USER_RAISED_EXCEPTION] a tip below zero", -1);
	query(s, t, "spark_catalog.default.courier_tips", "FAILED", "2026/11/29 05:49:22", "an old reason", -1);
	snapshot_finding(s, "query-failed", SEVERITY_WARNING, NULL, "streaming query spark_catalog.default.courier_tips failed: a tip below zero");
	snapshot_finding(s, "query-failed", SEVERITY_WARNING, NULL, "streaming query menus failed: no such topic");
}

static struct table *tell(const struct pipelines *all, struct snapshot *s)
{
	struct table *t = snapshot_table(s, kind_spark_connect.tables, "flows");

	pipelines_tell(all, snapshot_find_table(s, "queries"), NOW, s, t);
	return t;
}

static const char *finding(const struct snapshot *s, const char *name, const char *part)
{
	for (size_t i = 0; i < s->n_findings; i++)
		if (!strcmp(s->findings[i].name, name) && strstr(s->findings[i].reason, part))
			return s->findings[i].reason;
	return NULL;
}

/* ---- reading ---- */

static void the_page_of_requests_has_the_run_and_what_was_defined(void **state)
{
	struct pipelines *all = of_running();

	(void)state;
	assert_int_equal(all->n_runs, 1);
	assert_string_equal(all->runs[0].graph, GRAPH);
	assert_string_equal(all->runs[0].session, "48b9e033-7a03-4e88-9423-09af59da7430");
	assert_string_equal(all->runs[0].storage, "file:///srv/pipeline/storage");
	assert_string_equal(all->runs[0].state, "RUNNING");
	assert_false(all->runs[0].over);
	assert_false(all->runs[0].dry);
	assert_int_equal(all->runs[0].started, NOW - 15235);
	assert_int_equal(all->n_flows, 7);
	assert_string_equal(all->flows[0].name, "demand");
	assert_string_equal(all->flows[0].target, "demand");
	assert_string_equal(all->flows[0].defined, "kitchen.py:47");
	assert_int_equal(all->flows[0].kind, FLOW_BATCH);
	assert_string_equal(all->flows[6].name, "courier_pings");
	assert_int_equal(all->flows[6].kind, FLOW_STREAMING);
	pipelines_read_requests(recorded("spark-4.1.4-pipeline-connect-page.html"), NOW + 10000, all); /* nothing twice */
	assert_int_equal(all->n_runs, 1);
	assert_int_equal(all->n_flows, 7);
	assert_int_equal(all->runs[0].started, NOW - 15235);
	pipelines_read_requests(recorded("spark-4.1.4-pipeline-connect-page-ended.html"), NOW + 400000, all);
	assert_int_equal(all->n_runs, 1);
	assert_true(all->runs[0].over);
	assert_non_null(strstr(all->runs[0].why, "[STREAM_FAILED] Query [id = 216c35b1-67dc-43b0-8fc0-24d9d6075bbf"));
	free(all);
}

static void a_plan_names_the_table_that_is_written(void **state)
{
	static const char *const iceberg[] = {"disk.pipe.orders", "disk.pipe.menu_prices", "disk.pipe.demand"};
	struct pipelines *all = mem_new(1, sizeof *all);
	char table[PIPELINE_NAME_SIZE];

	(void)state;
	read_list("spark-4.1.4-pipeline-sql.json", all);
	assert_int_equal(all->n_executions, 15); /* batches of streams are not of a client's session */
	assert_string_equal(all->executions[0].table, "default`.`menu_prices");
	assert_string_equal(all->executions[4].table, "spark_catalog`.`default`.`menu_prices");
	assert_int_equal(all->executions[6].failed_job, 1);
	assert_int_equal(all->executions[7].rows, 10000);
	assert_string_equal(all->executions[7].table, "spark_catalog`.`default`.`orders");
	free(all);
	all = mem_new(1, sizeof *all);
	read_list("spark-4.1.4-pipeline-iceberg-sql.json", all);
	assert_int_equal(all->n_executions, 4);
	assert_string_equal(all->executions[0].table, ""); /* it empties what it will fill */
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(all->executions[i + 1].table, iceberg[i]);
	assert_string_equal(all->executions[1].session, "b2be5796-4854-4836-b22f-0969b6bbc7a0");
	pipelines_read_plan(TEXT("(1) Scan\nArguments: `a`.`read`\n(2) OverwriteByExpression\nArguments: Write(table=lake.b.c)"), table);
	assert_string_equal(table, "lake.b.c");
	pipelines_read_plan(TEXT("(2) TruncateTableCommand\nArguments: `spark_catalog`.`default`.`orders`"), table);
	assert_string_equal(table, "");
	free(all);
}

static void names_meet_with_and_without_catalog_and_schema(void **state)
{
	(void)state;
	assert_true(pipelines_is_name(TEXT("spark_catalog.default.orders"), TEXT("orders")));
	assert_true(pipelines_is_name(TEXT("orders"), TEXT("default.orders")));
	assert_true(pipelines_is_name(TEXT("spark_catalog`.`default`.`orders"), TEXT("default.orders")));
	assert_false(pipelines_is_name(TEXT("spark_catalog.default.orders"), TEXT("other.orders")));
	assert_false(pipelines_is_name(TEXT("spark_catalog.default.reorders"), TEXT("orders")));
	assert_false(pipelines_is_name(TEXT(""), TEXT("orders")));
	assert_false(pipelines_is_name(TEXT("orders"), TEXT("")));
}

static void a_client_is_known_by_its_command_line_and_its_spec(void **state)
{
	static const char jvm[] = "java\0-cp\0x\0org.apache.spark.deploy.SparkPipelines\0/opt/pyspark/pipelines/cli.py\0--remote\0"
		"sc://127.0.0.1:15003\0run\0--spec\0/srv/pipeline/spark-pipeline.yml";
	static const char python[] = "python3\0/opt/pyspark/pipelines/cli.py\0run\0--spec=kitchen.yml";
	static const char init[] = "python3\0/opt/pyspark/pipelines/cli.py\0init\0--name\0kitchen";
	struct pipeline_client client;
	char name[PIPELINE_NAME_SIZE], storage[PIPELINE_PATH_SIZE];

	(void)state;
	assert_true(pipelines_read_client((struct text){jvm, sizeof jvm}, &client));
	assert_string_equal(client.spec, "/srv/pipeline/spark-pipeline.yml");
	assert_int_equal(client.port, 15003);
	assert_true(pipelines_read_client((struct text){python, sizeof python}, &client));
	assert_string_equal(client.spec, "kitchen.yml");
	assert_int_equal(client.port, 0);
	assert_false(pipelines_read_client((struct text){init, sizeof init}, &client));
	assert_false(pipelines_read_client(TEXT("vi\0spark-pipeline.yml"), &client));
	pipelines_read_spec(TEXT("# ours\nname: 'kitchen # 1'\nstorage: file:///srv/pipeline/storage   # local\nconfiguration:\n  name: no\n"), name, storage);
	assert_string_equal(name, "kitchen # 1");
	assert_string_equal(storage, "file:///srv/pipeline/storage");
	pipelines_read_spec(TEXT("libraries: []\n"), name, storage);
	assert_string_equal(name, "");
	assert_string_equal(storage, "");
}

/* ---- telling ---- */

static void each_flow_has_the_state_that_was_told(void **state)
{
	struct pipelines *all = of_running();
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct table *t;
	size_t at;

	(void)state;
	put_queries(s);
	snprintf(all->executions[6].why, sizeof all->executions[6].why, "an older try");
	snprintf(all->executions[14].why, sizeof all->executions[14].why, "[USER_RAISED_EXCEPTION] a price below zero");
	t = tell(all, s);
	assert_int_equal(t->n_rows, 7);
	assert_string_equal(words(t, 0, "flow"), "courier_pings"); /* as they were defined */
	assert_string_equal(words(t, 0, "state"), "RUNNING");
	assert_string_equal(words(t, 0, "kind"), "streaming");
	assert_int_equal(number(t, 0, "batch"), 1);
	at = row_of(t, "courier_tips");
	assert_string_equal(words(t, at, "state"), "FAILED");
	assert_int_equal(number(t, at, "attempts"), 2); /* that of the day before was another run */
	at = row_of(t, "orders");
	assert_string_equal(words(t, at, "state"), "COMPLETED");
	assert_string_equal(words(t, at, "kind"), "batch");
	assert_int_equal(number(t, at, "rows"), 10000);
	assert_int_equal(number(t, at, "duration"), 5522);
	assert_int_equal(number(t, at, "attempts"), 1);
	at = row_of(t, "menu_prices");
	assert_string_equal(words(t, at, "state"), "FAILED");
	assert_int_equal(number(t, at, "attempts"), 2);
	assert_string_equal(words(t, at, "why"), "[USER_RAISED_EXCEPTION] a price below zero");
	at = row_of(t, "demand");
	assert_string_equal(words(t, at, "state"), "RUNNING");
	assert_true(number(t, at, "since") > 0);
	assert_string_equal(words(t, row_of(t, "price_report"), "state"), "NOT BEGUN");
	assert_string_equal(words(t, at, "run"), "RUNNING");
	assert_string_equal(words(t, at, "pipeline"), "(none)"); /* the driver does not know it */
	assert_string_equal(words(t, at, "spec"), "(none)");
	assert_non_null(finding(s, "flow-failed", "flow menu_prices failed: [USER_RAISED_EXCEPTION] a price below zero"));
	assert_non_null(finding(s, "flow-failed", "flow courier_tips failed: [USER_RAISED_EXCEPTION] a tip below zero"));
	assert_null(finding(s, "query-failed", "courier_tips")); /* once is enough */
	assert_non_null(finding(s, "query-failed", "menus"));
	snapshot_unref(s);
	free(all);
}

static void what_was_not_told_is_unknown(void **state)
{
	struct pipelines *all = of_running();
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct table *t;

	(void)state;
	all->executions[3].planned = false; /* it may be of any flow */
	t = tell(all, s);
	assert_string_equal(words(t, row_of(t, "price_report"), "state"), "(none)");
	assert_string_equal(words(t, row_of(t, "courier_pings"), "state"), "(none)");
	assert_string_equal(words(t, row_of(t, "courier_pings"), "kind"), "streaming");
	snapshot_unref(s);
	s = snapshot_new("test", PART_DEPTH);
	all->executions[3].planned = true;
	all->first = 5; /* the driver has forgotten some */
	t = tell(all, s);
	assert_string_equal(words(t, row_of(t, "price_report"), "state"), "(none)");
	snapshot_unref(s);
	free(all);
}

static void a_newer_run_stands_for_its_pipeline(void **state)
{
	struct pipelines *all = of_running();
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct table *t;

	(void)state;
	all->runs[1] = all->runs[0];
	all->n_runs = 2;
	snprintf(all->runs[0].graph, sizeof all->runs[0].graph, "another");
	snprintf(all->runs[0].why, sizeof all->runs[0].why, "TableMaterializationException: no such schema");
	all->runs[0].over = true;
	t = tell(all, s);
	assert_int_equal(t->n_rows, 1); /* a run of which no flow is known */
	assert_string_equal(words(t, 0, "run"), "FAILED");
	assert_string_equal(words(t, 0, "state"), "(none)");
	assert_string_equal(words(t, 0, "why"), "TableMaterializationException: no such schema");
	assert_non_null(finding(s, "pipeline-failed", "no such schema"));
	snapshot_unref(s);
	s = snapshot_new("test", PART_DEPTH);
	all->runs[0].dry = true; /* that runs nothing, and hides nothing */
	assert_int_equal(tell(all, s)->n_rows, 7);
	snapshot_unref(s);
	free(all);
}

/* ---- whatever comes ---- */

static void read_bytes(struct text t)
{
	struct pipelines *all = mem_new(1, sizeof *all);
	struct snapshot *s = snapshot_new("test", PART_DEPTH);
	struct json *root = json_parse(t, NULL);
	struct pipeline_client client;
	char name[PIPELINE_NAME_SIZE], storage[PIPELINE_PATH_SIZE];

	pipelines_read_requests(t, NOW, all);
	for (const struct json *item = json_first(root); item && all->n_executions < PIPELINE_EXECUTIONS_MAX; item = json_next(item)) {
		if (!pipelines_read_execution(item, &all->executions[all->n_executions]))
			continue;
		pipelines_read_plan(text_of(json_string(json_get(item, "planDescription"))), all->executions[all->n_executions].table);
		pipelines_read_rows(item);
		all->n_executions++;
	}
	pipelines_read_plan(t, name);
	assert_true(text_is_clean(text_of(name)));
	pipelines_read_spec(t, name, storage);
	assert_true(text_is_clean(text_of(name)));
	pipelines_read_client(t, &client);
	pipelines_is_name(t, TEXT("a.b"));
	tell(all, s);
	json_free(root);
	snapshot_unref(s);
	free(all);
}

static void no_beginning_and_no_mutilation_does_harm(void **state)
{
	(void)state;
	fuzz(recorded("spark-4.1.4-pipeline-connect-page.html"), read_bytes);
	fuzz(recorded("spark-4.1.4-pipeline-iceberg-sql.json"), read_bytes);
	fuzz(TEXT("java\0/opt/pyspark/pipelines/cli.py\0--remote\0sc://127.0.0.1:15003\0run\0--spec\0/srv/spark-pipeline.yml"), read_bytes);
	fuzz(TEXT("name: 'kitchen'\nstorage: \"file:///srv\" # here\n"), read_bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_of_requests_has_the_run_and_what_was_defined),
		cmocka_unit_test(a_plan_names_the_table_that_is_written),
		cmocka_unit_test(names_meet_with_and_without_catalog_and_schema),
		cmocka_unit_test(a_client_is_known_by_its_command_line_and_its_spec),
		cmocka_unit_test(each_flow_has_the_state_that_was_told),
		cmocka_unit_test(what_was_not_told_is_unknown),
		cmocka_unit_test(a_newer_run_stands_for_its_pipeline),
		cmocka_unit_test(no_beginning_and_no_mutilation_does_harm),
	};

	setlocale(LC_ALL, "C.UTF-8"); /* what is clean depends on what the terminal can show */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
