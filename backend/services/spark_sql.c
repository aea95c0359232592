// SPDX-License-Identifier: MIT
/*
 * SQL executions of a driver. Their list begins with the oldest one and does not say how long it is: its end
 * is sought once, in small steps, and followed from there. The actor's thread.
 * Source: Spark's status/api/v1; checked on 4.0.5, 4.1.4, 4.2.1.
 */
#include <stdio.h>
#include <stdlib.h>

#include "spark.h"
#include "spark_page.h"

enum { WINDOW = 40, STEPS = 4 };

static void sql_row(const struct json *execution, struct snapshot *s, struct table *t)
{
	struct value *row = table_row(s, t);
	const char *error = json_string(json_get(execution, "errorMessage")); /* from 4.2 on */
	char title[120], why[SPARK_REASON_SIZE];

	table_set(s, t, row, "id", json_value_i64(execution, "id"));
	table_set(s, t, row, "description", value_text(spark_title(execution, title)));
	table_set(s, t, row, "state", json_value_text(execution, "status"));
	table_set(s, t, row, "submitted", spark_time_value(execution, "submissionTime"));
	table_set(s, t, row, "duration", json_value_i64(execution, "duration"));
	table_set(s, t, row, "jobs_running", value_int((int64_t)json_count(json_get(execution, "runningJobIds"))));
	table_set(s, t, row, "jobs_failed", value_int((int64_t)json_count(json_get(execution, "failedJobIds"))));
	table_set(s, t, row, "reason", error && error[0] ? value_text(spark_reason(why, sizeof why, text_of(error))) : value_unknown());
}

size_t spark_read_sql(const struct json *list, struct snapshot *s, struct table *t)
{
	size_t n = json_is_array(list) ? json_count(list) : 0, used = 0;
	const struct json **rows = mem_new(n + 1, sizeof *rows);

	for (const struct json *execution = json_first(list); execution && used < n; execution = json_next(execution))
		rows[used++] = execution;
	while (used > 0 && t->n_rows < SPARK_ROWS_MAX)
		sql_row(rows[--used], s, t);
	free(rows);
	return n;
}

static bool ask_sql(struct probe *p, const struct endpoint *at, const struct spark_memory *memory, int64_t offset, int length,
	struct spark_reply *reply)
{
	char path[SPARK_PATH_SIZE], part[100];

	snprintf(part, sizeof part, "sql?details=false&planDescription=false&offset=%lld&length=%d", (long long)offset, length);
	return spark_ask(p, at, spark_part(path, memory, part), reply);
}

/* 1: the list goes on there; 0: it does not; -1: no answer. */
static int sql_goes_on(struct probe *p, const struct endpoint *at, const struct spark_memory *memory, int64_t offset)
{
	struct spark_reply reply;
	int on = ask_sql(p, at, memory, offset, 1, &reply) ? json_count(reply.json) > 0 : -1;

	spark_reply_free(&reply);
	return on;
}

/* How long the list is: it begins with the oldest one, and does not say. Small questions, once. */
static void find_sql_end(struct probe *p, const struct endpoint *at, struct spark_memory *memory)
{
	int64_t has = 0, has_not = WINDOW / 2;
	int on;

	while ((on = sql_goes_on(p, at, memory, has_not)) > 0 && has_not < INT32_MAX) {
		has = has_not;
		has_not *= 4;
	}
	while (on >= 0 && has_not - has > WINDOW / 2) {
		int64_t middle = has + (has_not - has) / 2;

		on = sql_goes_on(p, at, memory, middle);
		if (on > 0)
			has = middle;
		else
			has_not = middle;
	}
	memory->sql_at = has > WINDOW / 2 ? has - WINDOW / 2 : 0;
	memory->sql_found = on >= 0;
}

/* The end of the list, from where it was last time; reply holds the newest part of it. */
static bool follow_sql(struct probe *p, const struct endpoint *at, struct spark_memory *memory, struct spark_reply *reply)
{
	for (int i = 0; i < STEPS; i++) {
		bool good = ask_sql(p, at, memory, memory->sql_at, WINDOW, reply);
		size_t n = json_count(reply->json);

		if (!good)
			return false;
		if (n == 0 && memory->sql_at > 0)
			memory->sql_at = memory->sql_at > WINDOW * 4 ? memory->sql_at - WINDOW * 4 : 0; /* old ones were dropped */
		else if (n < WINDOW || i == STEPS - 1)
			return true;
		else
			memory->sql_at += WINDOW / 2;
		spark_reply_free(reply);
	}
	return false;
}

bool spark_inspect_sql(struct probe *p, const struct endpoint *at, const struct spark_specs *specs, struct spark_memory *memory,
	struct snapshot *s, struct spark_reply *reply)
{
	struct table *t = snapshot_table(s, specs->tables, "sql");

	if (!memory->sql_found)
		find_sql_end(p, at, memory);
	if (!memory->sql_found || !follow_sql(p, at, memory, reply))
		return false;
	spark_read_sql(reply->json, s, t);
	t->left_off += (size_t)memory->sql_at;
	return true;
}

const struct column_spec spark_sql_columns[] = {
	{"id", VALUE_INT, UNIT_NONE, 0, "number of the execution"},
	{"state", VALUE_TEXT, UNIT_NONE, 0, "RUNNING, COMPLETED, FAILED"},
	{"description", VALUE_TEXT, UNIT_NONE, 0, "what it is, by its first line"},
	{"duration", VALUE_INT, UNIT_MS, 1, "how long it runs, or ran"},
	{"jobs_failed", VALUE_INT, UNIT_COUNT, 2, "jobs of it that failed"},
	{"jobs_running", VALUE_INT, UNIT_COUNT, 3, "jobs of it that run"},
	{"submitted", VALUE_INT, UNIT_TIME, 3, "when it began"},
	{"reason", VALUE_TEXT, UNIT_NONE, 4, "why it failed; told from Spark 4.2 on"},
	{0},
};
