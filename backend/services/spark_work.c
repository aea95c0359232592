// SPDX-License-Identifier: MIT
/*
 * What a driver says of its work, for a plain driver and for Spark Connect, which is one. Jobs by state
 * (succeeded ones may be a thousand, and are not asked for) and executors with the dead ones here; stages,
 * SQL executions and streaming queries in files of their own. The actor's thread.
 *
 * A driver answers while no executor is left to it; its jobs then run for ever. That is what its
 * health is about. With dynamic allocation no executor without a job is no fault.
 * Source: Spark's status/api/v1, "Monitoring" in its documentation; checked on 4.0.5, 4.1.4, 4.2.1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spark.h"
#include "spark_page.h"

enum { RECENT_MS = 10 * 60000, PATIENCE_MS = 15000, SPARE_MS = 400, ASK_MS = 1500 };

/* ---- reading; pure ---- */

bool spark_read_application(const struct json *applications, const struct spark_specs *specs, struct snapshot *s,
	char id[SPARK_ID_SIZE], struct spark_work *work)
{
	const struct json *application = json_first(applications);
	const struct json *attempt = json_first(json_get(application, "attempts"));
	const char *name = json_string(json_get(application, "id"));

	if (!json_is_array(applications) || !spark_is_id(name))
		return false;
	text_copy(id, SPARK_ID_SIZE, text_of(name));
	text_copy(work->version, sizeof work->version, text_of(json_string(json_get(attempt, "appSparkVersion"))));
	snapshot_figure(s, specs->figures, "application", value_text(name));
	snapshot_figure(s, specs->figures, "name", json_value_text(application, "name"));
	snapshot_figure(s, specs->figures, "user", json_value_text(attempt, "sparkUser"));
	snapshot_figure(s, specs->figures, "started", json_value_i64(attempt, "startTimeEpoch"));
	return true;
}

bool spark_batch_of(struct text description, struct text *name, struct text *run, int64_t *batch)
{
	struct text number = description;

	*name = text_until(description, '\n');
	*run = text_until(text_between(description, "\nrunId = ", "\nbatch = "), '\n');
	return run->len > 0 && page_skip(&number, "\nbatch = ") && text_i64(text_until(number, '\n'), batch);
}

/* "orders batch 12", or the description's first line, or the call. */
const char *spark_title(const struct json *item, char out[120])
{
	const char *description = json_string(json_get(item, "description"));
	struct text name, run;
	int64_t batch;

	if (!description || !description[0])
		return json_string(json_get(item, "name"));
	if (spark_batch_of(text_of(description), &name, &run, &batch))
		snprintf(out, 120, "%.*s batch %lld", name.len ? (int)(name.len < 80 ? name.len : 80) : (int)sizeof "(no name)" - 1,
			name.len ? name.at : "(no name)", (long long)batch);
	else
		text_copy(out, 120, text_until(text_of(description), '\n'));
	return out;
}

/* Of its newest stage that failed. */
static const char *why_failed(const struct spark_memory *memory, const struct json *job)
{
	const char *why = NULL;
	int64_t id, newest = -1;

	for (const struct json *stage = json_first(json_get(job, "stageIds")); stage; stage = json_next(stage)) {
		const struct spark_stage *known = json_i64(stage, &id) && id > newest ? spark_kept_stage(memory, id) : NULL;

		if (known && known->reason[0]) {
			newest = id;
			why = known->reason;
		}
	}
	return why;
}

static void put_stage_ids(const struct json *job, char *out, size_t size)
{
	struct buf ids;
	int64_t id;

	buf_init(&ids, size);
	for (const struct json *stage = json_first(json_get(job, "stageIds")); stage; stage = json_next(stage))
		if (json_i64(stage, &id) && !buf_printf(&ids, "%s%lld", ids.len ? " " : "", (long long)id))
			break;
	text_copy(out, size, buf_text(&ids));
	buf_free(&ids);
}

struct value spark_span(int64_t from, int64_t to)
{
	return from > 0 && to >= from ? value_int(to - from) : value_unknown();
}

static void job_row(const struct json *job, const char *why, int64_t now, struct snapshot *s, struct table *t)
{
	struct value *row = table_row(s, t);
	struct value ended = spark_time_value(job, "completionTime");
	char title[120], ids[80];
	int64_t submitted = 0;

	spark_time(json_string(json_get(job, "submissionTime")), &submitted);
	put_stage_ids(job, ids, sizeof ids);
	table_set(s, t, row, "id", json_value_i64(job, "jobId"));
	table_set(s, t, row, "name", value_text(spark_title(job, title)));
	table_set(s, t, row, "state", json_value_text(job, "status"));
	table_set(s, t, row, "submitted", submitted ? value_int(submitted) : value_unknown());
	table_set(s, t, row, "ended", ended);
	table_set(s, t, row, "duration", spark_span(submitted, ended.type == VALUE_INT ? ended.u.i : now));
	table_set(s, t, row, "tasks", json_value_i64(job, "numTasks"));
	table_set(s, t, row, "active", json_value_i64(job, "numActiveTasks"));
	table_set(s, t, row, "completed", json_value_i64(job, "numCompletedTasks"));
	table_set(s, t, row, "failed", json_value_i64(job, "numFailedTasks"));
	table_set(s, t, row, "stages", ids[0] ? value_text(ids) : value_unknown());
	table_set(s, t, row, "group", json_value_text(job, "jobGroup"));
	table_set(s, t, row, "reason", value_text(why));
}

static void running_job(const struct json *job, struct spark_work *work)
{
	int64_t submitted;

	work->jobs_active++;
	if (spark_number(job, "numActiveTasks") > 0 || !spark_time(json_string(json_get(job, "submissionTime")), &submitted))
		return;
	if (!work->starving || submitted < work->starving)
		work->starving = submitted;
}

static void failed_job(const struct json *job, const char *why, struct spark_work *work)
{
	char title[120];
	const char *name = spark_title(job, title);
	int64_t ended;

	work->jobs_failed++;
	if (!spark_time(json_string(json_get(job, "completionTime")), &ended) || ended <= work->failed_at)
		return;
	work->failed_at = ended;
	snprintf(work->failed, sizeof work->failed, "job %lld, %.90s", (long long)spark_number(job, "jobId"), name ? name : "without a name");
	text_copy(work->failed_why, sizeof work->failed_why, text_of(why));
}

void spark_read_jobs(const struct json *jobs, const struct spark_memory *memory, const struct spark_specs *specs, struct snapshot *s,
	struct spark_work *work)
{
	static const char *const states[] = {"RUNNING", "FAILED"};
	struct table *t = snapshot_table(s, specs->tables, "jobs");

	for (size_t i = 0; i < 2; i++)
		for (const struct json *job = json_first(jobs); job; job = json_next(job)) {
			const char *why = i == 1 ? why_failed(memory, job) : NULL;

			if (!spark_state_is(job, "status", states[i]))
				continue;
			if (i == 0)
				running_job(job, work);
			else
				failed_job(job, why, work);
			if (t->n_rows < SPARK_ROWS_MAX)
				job_row(job, why, work->now, s, t);
			else
				t->left_off++;
		}
	snapshot_figure(s, specs->figures, "jobs_active", value_int(work->jobs_active));
	snapshot_figure(s, specs->figures, "jobs_failed", value_int(work->jobs_failed));
}

struct value spark_percent(int64_t part, int64_t whole)
{
	return whole > 0 && part >= 0 ? value_real(100.0 * (double)(part < whole ? part : whole) / (double)whole) : value_unknown();
}

/* ---- executors ---- */

static void executor_row(const struct json *executor, bool alive, struct snapshot *s, struct table *t)
{
	struct value *row = table_row(s, t);
	const char *reason = json_string(json_get(executor, "removeReason"));
	char why[SPARK_REASON_SIZE];

	table_set(s, t, row, "id", json_value_text(executor, "id"));
	table_set(s, t, row, "host", json_value_text(executor, "hostPort"));
	table_set(s, t, row, "state", value_text(alive ? "alive" : "dead"));
	table_set(s, t, row, "cores", json_value_i64(executor, "totalCores"));
	table_set(s, t, row, "active", json_value_i64(executor, "activeTasks"));
	table_set(s, t, row, "completed", json_value_i64(executor, "completedTasks"));
	table_set(s, t, row, "failed", json_value_i64(executor, "failedTasks"));
	table_set(s, t, row, "gc_share", spark_percent(spark_number(executor, "totalGCTime"), spark_number(executor, "totalDuration")));
	table_set(s, t, row, "memory", json_value_i64(json_get(executor, "peakMemoryMetrics"), "JVMHeapMemory"));
	table_set(s, t, row, "storage_used", json_value_i64(executor, "memoryUsed"));
	table_set(s, t, row, "storage", json_value_i64(executor, "maxMemory"));
	table_set(s, t, row, "started", spark_time_value(executor, "addTime"));
	table_set(s, t, row, "ended", spark_time_value(executor, "removeTime"));
	table_set(s, t, row, "reason", reason ? value_text(spark_reason(why, sizeof why, text_of(reason))) : value_unknown());
}

/* One that ended by itself; the driver lets idle ones go, and says so. */
static void lost_executor(const struct json *executor, struct spark_work *work)
{
	const char *reason = json_string(json_get(executor, "removeReason"));
	int64_t at;

	if (reason && (strstr(reason, "killed by driver") || strstr(reason, "decommission")))
		return;
	work->executors_lost++;
	if (!spark_time(json_string(json_get(executor, "removeTime")), &at) || at <= work->lost_at)
		return;
	work->lost_at = at;
	text_copy(work->lost, sizeof work->lost, text_until(text_of(reason ? reason : "no reason given"), '\n'));
}

void spark_read_executors(const struct json *executors, const struct spark_specs *specs, struct snapshot *s,
	struct spark_work *work)
{
	static const char *const sums[][2] = {{"activeTasks", "tasks_active"}, {"completedTasks", "tasks_completed"},
		{"failedTasks", "tasks_failed"}, {"memoryUsed", "storage_used"}, {"maxMemory", "storage"}};
	enum { SUMS = sizeof sums / sizeof *sums };
	struct table *t = snapshot_table(s, specs->tables, "executors");
	int64_t sum[SUMS] = {0}, alive = 0, dead = 0;

	for (const struct json *executor = json_first(executors); executor; executor = json_next(executor)) {
		bool driver = spark_state_is(executor, "id", "driver"), active = false;

		json_bool(json_get(executor, "isActive"), &active);
		alive += active && !driver;
		dead += !active && !driver;
		if (!active && !driver)
			lost_executor(executor, work);
		for (size_t i = 0; i < SUMS; i++)
			if ((active || i == 1 || i == 2) && __builtin_add_overflow(sum[i], spark_number(executor, sums[i][0]), &sum[i]))
				sum[i] = INT64_MAX;
		if (active && __builtin_add_overflow(work->slots, spark_number(executor, "totalCores"), &work->slots))
			work->slots = INT64_MAX;
		if (t->n_rows < SPARK_ROWS_MAX)
			executor_row(executor, active, s, t);
		else
			t->left_off++;
	}
	snapshot_figure(s, specs->figures, "executors", value_int(alive));
	snapshot_figure(s, specs->figures, "executors_dead", value_int(dead));
	snapshot_figure(s, specs->figures, "cores", value_int(work->slots));
	for (size_t i = 0; i < SUMS; i++)
		snapshot_figure(s, specs->figures, sums[i][1], value_int(sum[i]));
}

/* ---- judging; pure ---- */

void spark_judge_work(const struct spark_work *work, int64_t now, const char *source, struct snapshot *s)
{
	if (work->starving && work->slots == 0 && now - work->starving > PATIENCE_MS)
		snapshot_health(s, LINK_BAD, source, "its jobs have no executor to run on (%lld running)", (long long)work->jobs_active);
	else
		snapshot_health(s, LINK_OK, source, "answers; running jobs: %lld, cores: %lld", (long long)work->jobs_active,
			(long long)work->slots);
}

void spark_find_in_work(const struct spark_work *work, const struct spark_memory *memory, enum severity of_failed_jobs, struct snapshot *s)
{
	int64_t since = work->now - RECENT_MS;

	if (work->failed_at > since)
		snapshot_finding(s, "job-failed", of_failed_jobs, "see its stages in the web UI", "%s failed%s%s", work->failed,
			work->failed_why[0] ? ": " : "", work->failed_why);
	if (work->lost_at > since)
		snapshot_finding(s, "executor-lost", SEVERITY_WARNING, NULL, "executors lost: %lld; of the last one Spark says: %s",
			(long long)work->executors_lost, work->lost);
	spark_find_in_stages(memory, since, s);
}

/* ---- asking ---- */

bool spark_ask(struct probe *p, const struct endpoint *at, const char *path, struct spark_reply *out)
{
	struct wait wait = p->wait;
	struct err err;
	bool good;

	*out = (struct spark_reply){0};
	if (wait_left(wait) < SPARE_MS)
		return false;
	if (wait_left(wait) > ASK_MS)
		p->wait = wait_for(ASK_MS, wait.cancel);
	good = spark_get(p, at, path, "application/json", out, &err);
	p->wait = wait;
	return good;
}

/* The path of a part of the application. */
const char *spark_part(char out[SPARK_PATH_SIZE], const struct spark_memory *memory, const char *part)
{
	snprintf(out, SPARK_PATH_SIZE, "/api/v1/applications/%s/%s", memory->application, part);
	return out;
}

static bool ask_part(struct probe *p, const struct endpoint *at, const struct spark_memory *memory, const char *part,
	struct spark_reply *reply, struct err *err)
{
	char path[SPARK_PATH_SIZE];

	return spark_get(p, at, spark_part(path, memory, part), "application/json", reply, err);
}

/* Jobs, stages, executors: what must answer. */
static bool inspect_core(struct probe *p, const struct endpoint *at, const struct spark_specs *specs, struct spark_memory *memory,
	struct snapshot *s, struct spark_work *work)
{
	struct spark_stage *now = mem_new(SPARK_ROWS_MAX, sizeof *now);
	struct spark_reply jobs, stages = {0}, executors = {0};
	struct table *t;
	size_t n;
	bool good = ask_part(p, at, memory, "jobs?status=running&status=failed", &jobs, &s->err) &&
		ask_part(p, at, memory, "stages?status=active&status=pending", &stages, &s->err) &&
		ask_part(p, at, memory, "allexecutors", &executors, &s->err);

	if (good) {
		work->now = executors.served ? executors.served : clock_wall_ms();
		spark_read_executors(executors.json, specs, s, work);
		n = spark_read_stages(stages.json, specs, s, now, SPARK_ROWS_MAX);
		spark_ask_stages(p, at, memory, jobs.json, now, n);
		spark_read_jobs(jobs.json, memory, specs, s, work);
		spark_judge_work(work, work->now, executors.source, s);
		t = snapshot_table(s, specs->tables, "stages");
		spark_stage_rows(now, n, work->now, s, t);
		t->left_off += json_count(stages.json) > n ? json_count(stages.json) - n : 0;
		spark_stage_rows(memory->stages, memory->n_stages, work->now, s, t);
	}
	spark_reply_free(&jobs);
	spark_reply_free(&stages);
	spark_reply_free(&executors);
	free(now);
	return good;
}

bool spark_inspect_driver(struct probe *p, const struct endpoint *at, const struct spark_specs *specs, struct spark_memory *memory,
	struct snapshot *s, struct spark_work *work)
{
	struct spark_reply reply, sql = {0};
	char id[SPARK_ID_SIZE];
	bool good = spark_get(p, at, "/api/v1/applications?limit=1", "application/json", &reply, &s->err);

	if (good && !spark_read_application(reply.json, specs, s, id, work))
		good = err_set(&s->err, ERR_PARSE, "GET /api/v1/applications: no application is in it");
	spark_reply_free(&reply);
	if (!good)
		return false;
	if (strcmp(memory->application, id) != 0) {
		*memory = (struct spark_memory){0};
		text_copy(memory->application, sizeof memory->application, text_of(id));
	}
	if (!inspect_core(p, at, specs, memory, s, work))
		return false;
	spark_inspect_sql(p, at, specs, memory, s, &sql);
	spark_inspect_queries(p, at, sql.json, specs, memory, s, work);
	spark_reply_free(&sql);
	return true;
}

/* ---- what its tables hold ---- */

const struct column_spec spark_job_columns[] = {
	{"id", VALUE_INT, UNIT_NONE, 0, "number of the job"},
	{"state", VALUE_TEXT, UNIT_NONE, 0, "RUNNING or FAILED"},
	{"name", VALUE_TEXT, UNIT_NONE, 1, "its description, else the call that made it"},
	{"tasks", VALUE_INT, UNIT_COUNT, 2, "tasks in all"},
	{"active", VALUE_INT, UNIT_COUNT, 2, "tasks that run"},
	{"completed", VALUE_INT, UNIT_COUNT, 2, "tasks that are done"},
	{"failed", VALUE_INT, UNIT_COUNT, 3, "tasks that failed"},
	{"duration", VALUE_INT, UNIT_MS, 3, "how long it runs, or ran"},
	{"reason", VALUE_TEXT, UNIT_NONE, 4, "why it failed, by its newest stage that did"},
	{"stages", VALUE_TEXT, UNIT_NONE, 5, "numbers of its stages"},
	{"submitted", VALUE_INT, UNIT_TIME, 6, "when it began"},
	{"ended", VALUE_INT, UNIT_TIME, 7, "when it ended"},
	{"group", VALUE_TEXT, UNIT_NONE, 8, "its job group; of a streaming query its run"},
	{0},
};
const struct column_spec spark_executor_columns[] = {
	{"id", VALUE_TEXT, UNIT_NONE, 0, "number, or driver"},
	{"state", VALUE_TEXT, UNIT_NONE, 0, "alive or dead"},
	{"host", VALUE_TEXT, UNIT_NONE, 1, "its RPC endpoint"},
	{"cores", VALUE_INT, UNIT_CORES, 2, "task slots"},
	{"active", VALUE_INT, UNIT_COUNT, 2, "tasks that run"},
	{"completed", VALUE_INT, UNIT_COUNT, 3, "tasks that are done"},
	{"failed", VALUE_INT, UNIT_COUNT, 3, "tasks that failed"},
	{"gc_share", VALUE_REAL, UNIT_PERCENT, 3, "garbage collection, of the time that its tasks took"},
	{"memory", VALUE_INT, UNIT_BYTES, 4, "its largest heap so far"},
	{"storage_used", VALUE_INT, UNIT_BYTES, 5, "memory that cached data takes"},
	{"storage", VALUE_INT, UNIT_BYTES, 6, "memory that cached data may take"},
	{"started", VALUE_INT, UNIT_TIME, 6, "when it came"},
	{"ended", VALUE_INT, UNIT_TIME, 7, "when it went"},
	{"reason", VALUE_TEXT, UNIT_NONE, 4, "why it went"},
	{0},
};
