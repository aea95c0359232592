// SPDX-License-Identifier: MIT
/*
 * Spark driver: the web UI of one running application, on 4040 and up. What it says of its work is
 * read here for Spark Connect too, which is a driver. Its actor's thread.
 *
 * Who: /api/v1/version and the one application of /api/v1/applications that is not completed;
 * where a history server could say the same, / tells them apart. The revision is in the Prometheus
 * text of its executors. How: jobs by state (succeeded ones may be a thousand, and are not asked for),
 * stages that run or wait, executors with the dead ones.
 *
 * A driver answers while no executor is left to it; its jobs then run for ever. That is what its
 * health is about. With dynamic allocation no executor without a job is no fault.
 * Source: Spark's status/api/v1, "Monitoring" in its documentation; checked on 4.0.5, 4.1.4, 4.2.1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "spark.h"

enum { RECENT_MS = 10 * 60000, PATIENCE_MS = 15000, METRICS_MAX = 64 << 10, REVISION_SIZE = 48 };

struct driver { /* p->state */
	char application[SPARK_ID_SIZE];
	char revision[REVISION_SIZE];
};

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

static const char *title_of(const struct json *item)
{
	const char *description = json_string(json_get(item, "description"));

	return description ? description : json_string(json_get(item, "name"));
}

static void job_row(const struct json *job, struct snapshot *s, struct table *t)
{
	struct value *row = table_row(s, t);

	table_set(s, t, row, "id", json_value_i64(job, "jobId"));
	table_set(s, t, row, "name", value_text(title_of(job)));
	table_set(s, t, row, "status", json_value_text(job, "status"));
	table_set(s, t, row, "submitted", spark_time_value(job, "submissionTime"));
	table_set(s, t, row, "ended", spark_time_value(job, "completionTime"));
	table_set(s, t, row, "tasks", json_value_i64(job, "numTasks"));
	table_set(s, t, row, "active", json_value_i64(job, "numActiveTasks"));
	table_set(s, t, row, "completed", json_value_i64(job, "numCompletedTasks"));
	table_set(s, t, row, "failed", json_value_i64(job, "numFailedTasks"));
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

static void failed_job(const struct json *job, struct spark_work *work)
{
	const char *title = title_of(job);
	int64_t ended;

	work->jobs_failed++;
	if (!spark_time(json_string(json_get(job, "completionTime")), &ended) || ended <= work->failed_at)
		return;
	work->failed_at = ended;
	snprintf(work->failed, sizeof work->failed, "job %lld, %.90s", (long long)spark_number(job, "jobId"),
		title ? title : "without a name");
}

void spark_read_jobs(const struct json *jobs, const struct spark_specs *specs, struct snapshot *s, struct spark_work *work)
{
	static const char *const states[] = {"RUNNING", "FAILED"};
	struct table *t = snapshot_table(s, specs->tables, "jobs");

	for (size_t i = 0; i < 2; i++)
		for (const struct json *job = json_first(jobs); job; job = json_next(job)) {
			if (!spark_state_is(job, "status", states[i]))
				continue;
			if (i == 0)
				running_job(job, work);
			else
				failed_job(job, work);
			if (t->n_rows < SPARK_ROWS_MAX)
				job_row(job, s, t);
			else
				t->left_off++;
		}
	snapshot_figure(s, specs->figures, "jobs_active", value_int(work->jobs_active));
	snapshot_figure(s, specs->figures, "jobs_failed", value_int(work->jobs_failed));
}

static void stage_row(const struct json *stage, struct snapshot *s, struct table *t)
{
	struct value *row = table_row(s, t);

	table_set(s, t, row, "id", json_value_i64(stage, "stageId"));
	table_set(s, t, row, "attempt", json_value_i64(stage, "attemptId"));
	table_set(s, t, row, "name", value_text(title_of(stage)));
	table_set(s, t, row, "status", json_value_text(stage, "status"));
	table_set(s, t, row, "submitted", spark_time_value(stage, "submissionTime"));
	table_set(s, t, row, "tasks", json_value_i64(stage, "numTasks"));
	table_set(s, t, row, "active", json_value_i64(stage, "numActiveTasks"));
	table_set(s, t, row, "completed", json_value_i64(stage, "numCompleteTasks"));
	table_set(s, t, row, "failed", json_value_i64(stage, "numFailedTasks"));
	table_set(s, t, row, "input", json_value_i64(stage, "inputBytes"));
	table_set(s, t, row, "shuffle_read", json_value_i64(stage, "shuffleReadBytes"));
	table_set(s, t, row, "shuffle_write", json_value_i64(stage, "shuffleWriteBytes"));
	table_set(s, t, row, "spilled", json_value_i64(stage, "diskBytesSpilled"));
}

void spark_read_stages(const struct json *stages, const struct spark_specs *specs, struct snapshot *s)
{
	struct table *t = snapshot_table(s, specs->tables, "stages");
	int64_t active = 0, pending = 0;

	for (const struct json *stage = json_first(stages); stage; stage = json_next(stage)) {
		if (spark_state_is(stage, "status", "ACTIVE"))
			active++;
		else if (spark_state_is(stage, "status", "PENDING"))
			pending++;
		else
			continue;
		if (t->n_rows < SPARK_ROWS_MAX)
			stage_row(stage, s, t);
		else
			t->left_off++;
	}
	snapshot_figure(s, specs->figures, "stages_active", value_int(active));
	snapshot_figure(s, specs->figures, "stages_pending", value_int(pending));
}

static void executor_row(const struct json *executor, bool alive, struct snapshot *s, struct table *t)
{
	struct value *row = table_row(s, t);

	table_set(s, t, row, "id", json_value_text(executor, "id"));
	table_set(s, t, row, "address", json_value_text(executor, "hostPort"));
	table_set(s, t, row, "state", value_text(alive ? "alive" : "dead"));
	table_set(s, t, row, "cores", json_value_i64(executor, "totalCores"));
	table_set(s, t, row, "active", json_value_i64(executor, "activeTasks"));
	table_set(s, t, row, "completed", json_value_i64(executor, "completedTasks"));
	table_set(s, t, row, "failed", json_value_i64(executor, "failedTasks"));
	table_set(s, t, row, "storage_used", json_value_i64(executor, "memoryUsed"));
	table_set(s, t, row, "storage", json_value_i64(executor, "maxMemory"));
	table_set(s, t, row, "gc", json_value_i64(executor, "totalGCTime"));
	table_set(s, t, row, "started", spark_time_value(executor, "addTime"));
	table_set(s, t, row, "ended", spark_time_value(executor, "removeTime"));
	table_set(s, t, row, "reason", json_value_text(executor, "removeReason"));
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

void spark_judge_work(const struct spark_work *work, int64_t now, const char *source, struct snapshot *s)
{
	if (work->starving && work->slots == 0 && now - work->starving > PATIENCE_MS)
		snapshot_health(s, LINK_BAD, source, "its jobs have no executor to run on (%lld running)", (long long)work->jobs_active);
	else
		snapshot_health(s, LINK_OK, source, "answers; running jobs: %lld, cores: %lld", (long long)work->jobs_active,
			(long long)work->slots);
}

/* "spark_info{version="4.1.4", revision="45b9..."} 1.0" */
static struct text revision_of(struct text metrics)
{
	struct text revision = text_between(text_between(metrics, "spark_info{", "}"), "revision=\"", "\"");

	return revision.len < REVISION_SIZE ? revision : TEXT("");
}

/* ---- asking ---- */

bool spark_inspect_driver(struct probe *p, const struct endpoint *at, const struct spark_specs *specs, struct snapshot *s,
	struct spark_work *work)
{
	static const char *const parts[] = {"jobs?status=running&status=failed", "stages?status=active&status=pending", "allexecutors"};
	struct spark_reply reply;
	char id[SPARK_ID_SIZE], path[SPARK_ID_SIZE + 80];
	bool good = spark_get(p, at, "/api/v1/applications?limit=1", "application/json", &reply, &s->err);

	if (good && !spark_read_application(reply.json, specs, s, id, work))
		good = err_set(&s->err, ERR_PARSE, "GET /api/v1/applications: no application is in it");
	spark_reply_free(&reply);
	for (size_t i = 0; good && i < 3; i++) {
		snprintf(path, sizeof path, "/api/v1/applications/%s/%s", id, parts[i]);
		good = spark_get(p, at, path, "application/json", &reply, &s->err);
		if (good && i == 0)
			spark_read_jobs(reply.json, specs, s, work);
		else if (good && i == 1)
			spark_read_stages(reply.json, specs, s);
		else if (good) {
			spark_read_executors(reply.json, specs, s, work);
			spark_judge_work(work, reply.served ? reply.served : clock_wall_ms(), reply.source, s);
		}
		spark_reply_free(&reply);
	}
	return good;
}

static void ask_revision(struct probe *p, struct driver *d)
{
	struct http_request request = {.path = "/metrics/executors/prometheus", .most = METRICS_MAX};
	struct http_answer answer;

	/* the first line has it: where the rest is too much, what came is enough */
	http_ask(p, &p->at, &request, &answer, NULL);
	text_copy(d->revision, sizeof d->revision, revision_of(buf_text(&answer.body)));
	http_answer_free(&answer);
}

static enum answered identify(struct probe *p, struct identity *who)
{
	char version[SPARK_VERSION_SIZE];
	struct driver *d;
	struct spark_reply reply;
	struct err err = {0};
	const char *id;
	enum answered answered;

	switch (spark_ask_rest(p, version, &reply, &err)) {
	case SPARK_REST_NEITHER:
		answered = spark_failed(p, &kind_spark_driver, &reply, &err, who);
		break;
	case SPARK_REST_HISTORY:
		who->source = "a Spark history server";
		answered = ANSWERED_OTHER;
		break;
	case SPARK_REST_DRIVER:
	default:
		d = p->state ? p->state : (p->state = mem_new(1, sizeof *d));
		id = json_string(json_get(json_first(reply.json), "id"));
		text_copy(d->application, sizeof d->application, text_of(id));
		ask_revision(p, d);
		answered = identity_say(p, who, &kind_spark_driver, NULL, SURE_EXACT, version, "GET /api/v1/version", reply.source);
		who->revision = d->revision[0] ? arena_clean(p->arena, text_of(d->revision)) : NULL;
	}
	spark_reply_free(&reply);
	return answered;
}

/* Drivers come and go on the same port: the one that was met is known by its application. */
static enum answered pulse(struct probe *p, struct identity *who)
{
	const struct driver *d = p->state;
	struct spark_reply reply;
	struct err err = {0};
	enum answered answered;
	const char *id;

	if (!d)
		return identify(p, who);
	if (!spark_get(p, &p->at, "/api/v1/applications?limit=1", "application/json", &reply, &err)) {
		answered = spark_failed(p, &kind_spark_driver, &reply, &err, who);
	} else {
		id = json_string(json_get(json_first(reply.json), "id"));
		answered = id && !strcmp(id, d->application) ? ANSWERED_YES : ANSWERED_OTHER;
		who->source = arena_clean(p->arena, text_of(reply.source));
	}
	spark_reply_free(&reply);
	return answered == ANSWERED_OTHER ? identify(p, who) : answered;
}

static const struct figure_spec figures[] = {SPARK_DRIVER_FIGURES, {0}};
static const struct table_spec tables[] = {SPARK_DRIVER_TABLES, {0}};

static bool inspect(struct probe *p, struct snapshot *s)
{
	static const struct spark_specs specs = {figures, tables};
	struct spark_work work = {0};
	int64_t now = clock_wall_ms();

	if (!spark_inspect_driver(p, &p->at, &specs, s, &work))
		return false;
	if (work.failed_at > now - RECENT_MS)
		snapshot_finding(s, "job-failed", SEVERITY_WARNING, "see its stages in the web UI", "%s failed", work.failed);
	if (work.lost_at > now - RECENT_MS)
		snapshot_finding(s, "executor-lost", SEVERITY_WARNING, NULL, "executors lost: %lld; of the last one Spark says: %s",
			(long long)work.executors_lost, work.lost);
	return true;
}

/* The owner's words name the port where it was set; a driver takes the next free one. */
static const char *role_of(struct text hint, uint16_t port)
{
	uint16_t wanted = spark_option_port(hint, "spark.ui.port");

	if (text_has(hint, "SparkConnectServer"))
		return NULL;
	return spark_port_near(port, wanted ? wanted : 4040) ? "ui" : NULL;
}

const struct column_spec spark_job_columns[] = {
	{"id", VALUE_INT, UNIT_NONE, 0, "number of the job"},
	{"status", VALUE_TEXT, UNIT_NONE, 0, "RUNNING or FAILED"},
	{"name", VALUE_TEXT, UNIT_NONE, 1, "its description, else the call that made it"},
	{"tasks", VALUE_INT, UNIT_COUNT, 2, "tasks in all"},
	{"active", VALUE_INT, UNIT_COUNT, 2, "tasks that run"},
	{"completed", VALUE_INT, UNIT_COUNT, 2, "tasks that are done"},
	{"failed", VALUE_INT, UNIT_COUNT, 3, "tasks that failed"},
	{"submitted", VALUE_INT, UNIT_TIME, 4, "when it began"},
	{"ended", VALUE_INT, UNIT_TIME, 5, "when it ended"},
	{0},
};
const struct column_spec spark_stage_columns[] = {
	{"id", VALUE_INT, UNIT_NONE, 0, "number of the stage"},
	{"attempt", VALUE_INT, UNIT_NONE, 6, "0 is the first"},
	{"status", VALUE_TEXT, UNIT_NONE, 0, "ACTIVE or PENDING"},
	{"name", VALUE_TEXT, UNIT_NONE, 1, "its description, else the call that made it"},
	{"tasks", VALUE_INT, UNIT_COUNT, 2, "tasks in all"},
	{"active", VALUE_INT, UNIT_COUNT, 2, "tasks that run"},
	{"completed", VALUE_INT, UNIT_COUNT, 2, "tasks that are done"},
	{"failed", VALUE_INT, UNIT_COUNT, 3, "tasks that failed"},
	{"input", VALUE_INT, UNIT_BYTES, 4, "bytes read from storage"},
	{"shuffle_read", VALUE_INT, UNIT_BYTES, 5, "bytes read from other stages"},
	{"shuffle_write", VALUE_INT, UNIT_BYTES, 5, "bytes written for other stages"},
	{"spilled", VALUE_INT, UNIT_BYTES, 6, "bytes that did not fit in memory"},
	{"submitted", VALUE_INT, UNIT_TIME, 7, "when it began"},
	{0},
};
const struct column_spec spark_executor_columns[] = {
	{"id", VALUE_TEXT, UNIT_NONE, 0, "number, or driver"},
	{"state", VALUE_TEXT, UNIT_NONE, 0, "alive or dead"},
	{"address", VALUE_TEXT, UNIT_NONE, 1, "its RPC endpoint"},
	{"cores", VALUE_INT, UNIT_CORES, 2, "task slots"},
	{"active", VALUE_INT, UNIT_COUNT, 2, "tasks that run"},
	{"completed", VALUE_INT, UNIT_COUNT, 3, "tasks that are done"},
	{"failed", VALUE_INT, UNIT_COUNT, 3, "tasks that failed"},
	{"storage_used", VALUE_INT, UNIT_BYTES, 4, "memory that cached data takes"},
	{"storage", VALUE_INT, UNIT_BYTES, 5, "memory that cached data may take"},
	{"gc", VALUE_INT, UNIT_MS, 5, "time spent on garbage collection"},
	{"started", VALUE_INT, UNIT_TIME, 6, "when it came"},
	{"ended", VALUE_INT, UNIT_TIME, 7, "when it went"},
	{"reason", VALUE_TEXT, UNIT_NONE, 7, "why it went"},
	{0},
};

const struct service_kind kind_spark_driver = {
	.name = "spark-driver",
	.title = "Spark driver",
	.fleeting = true,
	.group = "compute",
	.ports = (const struct port_role[]){{"ui", 4040, PORT_ASK, 4041}, {0}},
	.owners = (const char *const[]){"org.apache.spark.deploy.SparkSubmit", NULL},
	.figures = figures,
	.tables = tables,
	.first_ms = 3000, /* its REST is set up by the first question */
	.role_of = role_of,
	.identify = identify,
	.pulse = pulse,
	.inspect = inspect,
	.close = free,
};
