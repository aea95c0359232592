// SPDX-License-Identifier: MIT
/*
 * What a driver says of its work, for a plain driver and for Spark Connect, which is one. Jobs by state
 * (succeeded ones may be a thousand, and are not asked for), stages that run or wait, executors with
 * the dead ones, the end of the list of SQL executions, streaming queries. The actor's thread.
 *
 * Stages that ended are asked for one by one, a few each time, and remembered: they do not change, and
 * the whole list is megabytes. The duration of tasks (skew) costs the driver a sort of them: it is asked
 * of few stages, never of huge ones.
 *
 * A driver answers while no executor is left to it; its jobs then run for ever. That is what its
 * health is about. With dynamic allocation no executor without a job is no fault.
 * Source: Spark's status/api/v1, "Monitoring" in its documentation; checked on 4.0.5, 4.1.4, 4.2.1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spark.h"
#include "spark_page.h"

enum { RECENT_MS = 10 * 60000, PATIENCE_MS = 15000, STAGES_A_LOOK = 6, SKEWS_A_LOOK = 2, TASKS_MOST = 20000, TASKS_LEAST = 4 };
enum { FAILED_JOBS_LOOKED_AT = 8, SQL_WINDOW = 40, SQL_STEPS = 4, ASK_MS = 1500 };
enum { SPARE_MS = 400, SKEW_MS = 2000, SPILL_LEAST = 1 << 20, BEFORE_NEWEST = 4, PATH_SIZE = SPARK_ID_SIZE + 160 };
static const double skewed = 5;

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
static const char *title_of(const struct json *item, char out[120])
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

static const struct spark_stage *kept_stage(const struct spark_memory *memory, int64_t id)
{
	for (size_t i = 0; memory && i < memory->n_stages; i++)
		if (memory->stages[i].id == id)
			return &memory->stages[i];
	return NULL;
}

/* Of its newest stage that failed. */
static const char *why_failed(const struct spark_memory *memory, const struct json *job)
{
	const char *why = NULL;
	int64_t id, newest = -1;

	for (const struct json *stage = json_first(json_get(job, "stageIds")); stage; stage = json_next(stage)) {
		const struct spark_stage *known = json_i64(stage, &id) && id > newest ? kept_stage(memory, id) : NULL;

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

static struct value duration(int64_t from, int64_t to)
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
	table_set(s, t, row, "name", value_text(title_of(job, title)));
	table_set(s, t, row, "state", json_value_text(job, "status"));
	table_set(s, t, row, "submitted", submitted ? value_int(submitted) : value_unknown());
	table_set(s, t, row, "ended", ended);
	table_set(s, t, row, "duration", duration(submitted, ended.type == VALUE_INT ? ended.u.i : now));
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
	const char *name = title_of(job, title);
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

/* ---- stages ---- */

void spark_read_stage(const struct json *stage, struct spark_stage *out)
{
	char title[120];
	const char *name = title_of(stage, title);

	*out = (struct spark_stage){
		.id = spark_number(stage, "stageId"), .attempt = spark_number(stage, "attemptId"), .tasks = spark_number(stage, "numTasks"),
		.active = spark_number(stage, "numActiveTasks"), .completed = spark_number(stage, "numCompleteTasks"),
		.failed = spark_number(stage, "numFailedTasks"), .input = spark_number(stage, "inputBytes"),
		.output = spark_number(stage, "outputBytes"), .shuffle_read = spark_number(stage, "shuffleReadBytes"),
		.shuffle_write = spark_number(stage, "shuffleWriteBytes"), .spilled = spark_number(stage, "diskBytesSpilled"), .skew = (double)NAN,
	};
	text_clean(out->name, sizeof out->name, text_of(name));
	text_clean(out->state, sizeof out->state, text_of(json_string(json_get(stage, "status"))));
	spark_reason(out->reason, sizeof out->reason, text_of(json_string(json_get(stage, "failureReason"))));
	spark_time(json_string(json_get(stage, "submissionTime")), &out->submitted);
	spark_time(json_string(json_get(stage, "completionTime")), &out->ended);
}

static struct value percent(int64_t part, int64_t whole)
{
	return whole > 0 && part >= 0 ? value_real(100.0 * (double)(part < whole ? part : whole) / (double)whole) : value_unknown();
}

void spark_stage_rows(const struct spark_stage *stages, size_t n, int64_t now, struct snapshot *s, struct table *t)
{
	for (size_t i = 0; i < n; i++) {
		const struct spark_stage *stage = &stages[i];
		struct value *row = table_row(s, t);

		table_set(s, t, row, "id", value_int(stage->id));
		table_set(s, t, row, "attempt", value_int(stage->attempt));
		table_set(s, t, row, "name", stage->name[0] ? value_text(stage->name) : value_unknown());
		table_set(s, t, row, "state", value_text(stage->state));
		table_set(s, t, row, "tasks", value_int(stage->tasks));
		table_set(s, t, row, "active", value_int(stage->active));
		table_set(s, t, row, "completed", value_int(stage->completed));
		table_set(s, t, row, "failed", value_int(stage->failed));
		table_set(s, t, row, "progress", percent(stage->completed, stage->tasks));
		table_set(s, t, row, "skew", value_real(stage->skew));
		table_set(s, t, row, "spilled", value_int(stage->spilled));
		table_set(s, t, row, "input", value_int(stage->input));
		table_set(s, t, row, "output", value_int(stage->output));
		table_set(s, t, row, "shuffle_read", value_int(stage->shuffle_read));
		table_set(s, t, row, "shuffle_write", value_int(stage->shuffle_write));
		table_set(s, t, row, "submitted", stage->submitted ? value_int(stage->submitted) : value_unknown());
		table_set(s, t, row, "duration", duration(stage->submitted, stage->ended ? stage->ended : now));
		table_set(s, t, row, "reason", stage->reason[0] ? value_text(stage->reason) : value_unknown());
	}
}

size_t spark_read_stages(const struct json *stages, const struct spark_specs *specs, struct snapshot *s, struct spark_stage *out, size_t max)
{
	int64_t active = 0, pending = 0;
	size_t n = 0;

	for (const struct json *stage = json_first(stages); stage; stage = json_next(stage)) {
		if (spark_state_is(stage, "status", "ACTIVE"))
			active++;
		else if (spark_state_is(stage, "status", "PENDING"))
			pending++;
		else
			continue;
		if (n < max)
			spark_read_stage(stage, &out[n++]);
	}
	snapshot_figure(s, specs->figures, "stages_active", value_int(active));
	snapshot_figure(s, specs->figures, "stages_pending", value_int(pending));
	return n;
}

void spark_read_skew(const struct json *summary, struct spark_stage *stage)
{
	const struct json *median = json_first(json_get(summary, "duration"));
	double middle, most;

	if (!json_real(median, &middle) || !json_real(json_next(median), &most) || middle < 0 || most < middle || most > 1e15)
		return;
	stage->skew = most / (middle >= 1 ? middle : 1);
	stage->slowest = (int64_t)most;
}

void spark_keep_stage(struct spark_memory *memory, const struct spark_stage *stage)
{
	size_t at = 0;

	while (at < memory->n_stages && memory->stages[at].id > stage->id)
		at++;
	if (at < memory->n_stages && memory->stages[at].id == stage->id) {
		memory->stages[at] = *stage;
		return;
	}
	if (at == SPARK_STAGES_KEPT)
		return;
	if (memory->n_stages < SPARK_STAGES_KEPT)
		memory->n_stages++;
	memmove(&memory->stages[at + 1], &memory->stages[at], (memory->n_stages - at - 1) * sizeof *memory->stages);
	memory->stages[at] = *stage;
}

static bool has_id(const int64_t *ids, size_t n, int64_t id)
{
	for (size_t i = 0; i < n; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* Newest first; the oldest falls off the end. */
static void want(int64_t wanted[SPARK_WANTED_MAX], size_t *n, int64_t id)
{
	size_t at = 0;

	if (has_id(wanted, *n, id))
		return;
	while (at < *n && wanted[at] > id)
		at++;
	if (at == SPARK_WANTED_MAX)
		return;
	if (*n < SPARK_WANTED_MAX)
		++*n;
	memmove(&wanted[at + 1], &wanted[at], (*n - at - 1) * sizeof *wanted);
	wanted[at] = id;
}

static bool goes_on(const struct spark_stage *now, size_t n, int64_t id)
{
	for (size_t i = 0; i < n; i++)
		if (now[i].id == id)
			return true;
	return false;
}

size_t spark_wanted_stages(const struct spark_memory *memory, const struct json *jobs, const struct spark_stage *now, size_t n,
	int64_t wanted[SPARK_WANTED_MAX])
{
	const size_t n_forgotten = memory->n_forgotten < SPARK_WANTED_MAX ? memory->n_forgotten : SPARK_WANTED_MAX;
	int64_t all[SPARK_WANTED_MAX], id;
	size_t n_all = 0, n_wanted = 0, failed = 0;

	for (size_t i = 0; i < memory->n_running; i++)
		want(all, &n_all, memory->running[i]);
	for (const struct json *job = json_first(jobs); job; job = json_next(job)) {
		if (spark_state_is(job, "status", "FAILED") && failed++ >= FAILED_JOBS_LOOKED_AT)
			continue;
		for (const struct json *stage = json_first(json_get(job, "stageIds")); stage; stage = json_next(stage))
			if (json_i64(stage, &id) && id >= 0)
				want(all, &n_all, id);
	}
	/* what ended between two looks, or before the first one, was in no list: the numbers before the newest */
	for (int64_t i = 1, newest = n_all ? all[0] : -1; i <= BEFORE_NEWEST && newest - i >= 0; i++)
		want(all, &n_all, newest - i);
	for (size_t i = 0; i < n_all; i++) {
		bool full = memory->n_stages == SPARK_STAGES_KEPT && all[i] < memory->stages[SPARK_STAGES_KEPT - 1].id;

		if (!full && !kept_stage(memory, all[i]) && !goes_on(now, n, all[i]) && !has_id(memory->forgotten, n_forgotten, all[i]))
			wanted[n_wanted++] = all[i];
	}
	return n_wanted;
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
	table_set(s, t, row, "gc_share", percent(spark_number(executor, "totalGCTime"), spark_number(executor, "totalDuration")));
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

/* ---- SQL executions ---- */

static void sql_row(const struct json *execution, struct snapshot *s, struct table *t)
{
	struct value *row = table_row(s, t);
	const char *error = json_string(json_get(execution, "errorMessage")); /* from 4.2 on */
	char title[120], why[SPARK_REASON_SIZE];

	table_set(s, t, row, "id", json_value_i64(execution, "id"));
	table_set(s, t, row, "description", value_text(title_of(execution, title)));
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

/* ---- judging; pure ---- */

void spark_judge_work(const struct spark_work *work, int64_t now, const char *source, struct snapshot *s)
{
	if (work->starving && work->slots == 0 && now - work->starving > PATIENCE_MS)
		snapshot_health(s, LINK_BAD, source, "its jobs have no executor to run on (%lld running)", (long long)work->jobs_active);
	else
		snapshot_health(s, LINK_OK, source, "answers; running jobs: %lld, cores: %lld", (long long)work->jobs_active,
			(long long)work->slots);
}

static void find_in_stages(const struct spark_memory *memory, int64_t since, struct snapshot *s)
{
	const struct spark_stage *worst = NULL, *spills = NULL;
	char shown[VALUE_TEXT_SIZE];

	for (size_t i = 0; i < memory->n_stages; i++) {
		const struct spark_stage *stage = &memory->stages[i];

		if (stage->ended < since)
			continue;
		if (stage->skew > skewed && stage->slowest >= SKEW_MS && (!worst || stage->skew > worst->skew))
			worst = stage;
		if (stage->spilled >= SPILL_LEAST && (!spills || stage->spilled > spills->spilled))
			spills = stage;
	}
	if (worst)
		snapshot_finding(s, "skew", SEVERITY_INFO, "look at the keys that it is partitioned by",
			"stage %lld (%.80s): its slowest task took %.0f times as long as the median", (long long)worst->id, worst->name, worst->skew);
	if (spills)
		snapshot_finding(s, "spill", SEVERITY_INFO, "more memory or more partitions", "stage %lld (%.80s) spilled %s to disk",
			(long long)spills->id, spills->name, value_show(shown, value_int(spills->spilled), UNIT_BYTES));
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
	find_in_stages(memory, since, s);
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
static const char *part_of(char out[PATH_SIZE], const struct spark_memory *memory, const char *part)
{
	snprintf(out, PATH_SIZE, "/api/v1/applications/%s/%s", memory->application, part);
	return out;
}

static bool ask_part(struct probe *p, const struct endpoint *at, const struct spark_memory *memory, const char *part,
	struct spark_reply *reply, struct err *err)
{
	char path[PATH_SIZE];

	return spark_get(p, at, part_of(path, memory, part), "application/json", reply, err);
}

static void ask_skew(struct probe *p, const struct endpoint *at, const struct spark_memory *memory, struct spark_stage *stage)
{
	char path[PATH_SIZE], part[80];
	struct spark_reply reply;

	if (stage->tasks < TASKS_LEAST || stage->tasks > TASKS_MOST || stage->completed < TASKS_LEAST / 2 ||
	    (stage->ended && stage->ended - stage->submitted < SKEW_MS))
		return; /* too few to compare, too many to sort, or over before it could matter */
	snprintf(part, sizeof part, "stages/%lld/%lld/taskSummary?quantiles=0.5,1.0", (long long)stage->id, (long long)stage->attempt);
	if (spark_ask(p, at, part_of(path, memory, part), &reply))
		spark_read_skew(reply.json, stage);
	spark_reply_free(&reply);
}

/* Its attempts; the newest counts. False: no answer. */
static void ask_ended_stage(struct probe *p, const struct endpoint *at, struct spark_memory *memory, int64_t id)
{
	char path[PATH_SIZE], part[60];
	struct spark_reply reply;
	struct spark_stage stage = {.attempt = -1}, attempt;

	snprintf(part, sizeof part, "stages/%lld?details=false", (long long)id);
	if (spark_ask(p, at, part_of(path, memory, part), &reply))
		for (const struct json *item = json_first(reply.json); item; item = json_next(item)) {
			spark_read_stage(item, &attempt);
			if (attempt.id == id && attempt.attempt > stage.attempt)
				stage = attempt;
		}
	if (stage.attempt >= 0 && (!strcmp(stage.state, "COMPLETE") || !strcmp(stage.state, "FAILED"))) {
		ask_skew(p, at, memory, &stage);
		spark_keep_stage(memory, &stage);
	} else if (reply.status == 404 || !strcmp(stage.state, "SKIPPED")) {
		memory->forgotten[memory->n_forgotten++ % SPARK_WANTED_MAX] = id;
	}
	spark_reply_free(&reply);
}

static void ask_stages(struct probe *p, const struct endpoint *at, struct spark_memory *memory, const struct json *jobs,
	struct spark_stage *now, size_t n)
{
	int64_t wanted[SPARK_WANTED_MAX];
	size_t n_wanted = spark_wanted_stages(memory, jobs, now, n, wanted), skews = 0;

	for (size_t i = 0; i < n_wanted && i < STAGES_A_LOOK; i++)
		ask_ended_stage(p, at, memory, wanted[i]);
	for (size_t i = 0; i < n && skews < SKEWS_A_LOOK; i++)
		if (!strcmp(now[i].state, "ACTIVE") && now[i].completed >= TASKS_LEAST / 2) {
			ask_skew(p, at, memory, &now[i]);
			skews++;
		}
	/* those not yet asked for are not lost: they stay on the list */
	memory->n_running = 0;
	for (size_t i = 0; i < n && memory->n_running < SPARK_WANTED_MAX; i++)
		memory->running[memory->n_running++] = now[i].id;
	for (size_t i = STAGES_A_LOOK; i < n_wanted && memory->n_running < SPARK_WANTED_MAX; i++)
		memory->running[memory->n_running++] = wanted[i];
}

static bool ask_sql(struct probe *p, const struct endpoint *at, const struct spark_memory *memory, int64_t offset, int length,
	struct spark_reply *reply)
{
	char path[PATH_SIZE], part[100];

	snprintf(part, sizeof part, "sql?details=false&planDescription=false&offset=%lld&length=%d", (long long)offset, length);
	return spark_ask(p, at, part_of(path, memory, part), reply);
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
	int64_t has = 0, has_not = SQL_WINDOW / 2;
	int on;

	while ((on = sql_goes_on(p, at, memory, has_not)) > 0 && has_not < INT32_MAX) {
		has = has_not;
		has_not *= 4;
	}
	while (on >= 0 && has_not - has > SQL_WINDOW / 2) {
		int64_t middle = has + (has_not - has) / 2;

		on = sql_goes_on(p, at, memory, middle);
		if (on > 0)
			has = middle;
		else
			has_not = middle;
	}
	memory->sql_at = has > SQL_WINDOW / 2 ? has - SQL_WINDOW / 2 : 0;
	memory->sql_found = on >= 0;
}

/* The end of the list, from where it was last time; reply holds the newest part of it. */
static bool follow_sql(struct probe *p, const struct endpoint *at, struct spark_memory *memory, struct spark_reply *reply)
{
	for (int i = 0; i < SQL_STEPS; i++) {
		bool good = ask_sql(p, at, memory, memory->sql_at, SQL_WINDOW, reply);
		size_t n = json_count(reply->json);

		if (!good)
			return false;
		if (n == 0 && memory->sql_at > 0)
			memory->sql_at = memory->sql_at > SQL_WINDOW * 4 ? memory->sql_at - SQL_WINDOW * 4 : 0; /* old ones were dropped */
		else if (n < SQL_WINDOW || i == SQL_STEPS - 1)
			return true;
		else
			memory->sql_at += SQL_WINDOW / 2;
		spark_reply_free(reply);
	}
	return false;
}

static bool inspect_sql(struct probe *p, const struct endpoint *at, const struct spark_specs *specs, struct spark_memory *memory,
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
		ask_stages(p, at, memory, jobs.json, now, n);
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
	inspect_sql(p, at, specs, memory, s, &sql);
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
const struct column_spec spark_stage_columns[] = {
	{"id", VALUE_INT, UNIT_NONE, 0, "number of the stage"},
	{"state", VALUE_TEXT, UNIT_NONE, 0, "ACTIVE, PENDING, COMPLETE, FAILED"},
	{"name", VALUE_TEXT, UNIT_NONE, 1, "its description, else the call that made it"},
	{"progress", VALUE_REAL, UNIT_PERCENT, 1, "tasks done, of all"},
	{"tasks", VALUE_INT, UNIT_COUNT, 2, "tasks in all"},
	{"active", VALUE_INT, UNIT_COUNT, 2, "tasks that run"},
	{"completed", VALUE_INT, UNIT_COUNT, 2, "tasks that are done"},
	{"failed", VALUE_INT, UNIT_COUNT, 3, "tasks that failed"},
	{"skew", VALUE_REAL, UNIT_NONE, 3, "how many times the median's duration its slowest task took, of those that are done"},
	{"spilled", VALUE_INT, UNIT_BYTES, 3, "bytes that did not fit in memory, on disk"},
	{"reason", VALUE_TEXT, UNIT_NONE, 4, "why it failed"},
	{"duration", VALUE_INT, UNIT_MS, 4, "how long it ran"},
	{"input", VALUE_INT, UNIT_BYTES, 5, "bytes read from storage"},
	{"output", VALUE_INT, UNIT_BYTES, 5, "bytes written to storage"},
	{"shuffle_read", VALUE_INT, UNIT_BYTES, 6, "bytes read from other stages"},
	{"shuffle_write", VALUE_INT, UNIT_BYTES, 6, "bytes written for other stages"},
	{"attempt", VALUE_INT, UNIT_NONE, 7, "0 is the first"},
	{"submitted", VALUE_INT, UNIT_TIME, 7, "when it began"},
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
