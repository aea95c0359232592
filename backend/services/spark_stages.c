// SPDX-License-Identifier: MIT
/*
 * Stages of a driver. Those that run or wait are in one answer; those that ended are asked for one by one, a
 * few each time, and remembered: they do not change, and the whole list is megabytes. The duration of tasks
 * (skew) costs the driver a sort of them: it is asked of few stages, never of huge ones. The actor's thread.
 * Source: Spark's status/api/v1; checked on 4.0.5, 4.1.4, 4.2.1.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "spark.h"
#include "spark_page.h"

enum { STAGES_A_LOOK = 6, SKEWS_A_LOOK = 2, TASKS_MOST = 20000, TASKS_LEAST = 4, FAILED_JOBS_LOOKED_AT = 8, SKEW_MS = 2000 };
enum { SPILL_LEAST = 1 << 20, BEFORE_NEWEST = 4 };
static const double skewed = 5;

/* ---- reading; pure ---- */

void spark_read_stage(const struct json *stage, struct spark_stage *out)
{
	char title[120];
	const char *name = spark_title(stage, title);

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
		table_set(s, t, row, "progress", spark_percent(stage->completed, stage->tasks));
		table_set(s, t, row, "skew", value_real(stage->skew));
		table_set(s, t, row, "spilled", value_int(stage->spilled));
		table_set(s, t, row, "input", value_int(stage->input));
		table_set(s, t, row, "output", value_int(stage->output));
		table_set(s, t, row, "shuffle_read", value_int(stage->shuffle_read));
		table_set(s, t, row, "shuffle_write", value_int(stage->shuffle_write));
		table_set(s, t, row, "submitted", stage->submitted ? value_int(stage->submitted) : value_unknown());
		table_set(s, t, row, "duration", spark_span(stage->submitted, stage->ended ? stage->ended : now));
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

/* Where one more finds room: the oldest that did not fail falls off, for what failed is asked about for long. SPARK_STAGES_KEPT: nowhere. */
static size_t least_wanted(const struct spark_memory *memory, const struct spark_stage *stage)
{
	size_t at = memory->n_stages;

	if (at < SPARK_STAGES_KEPT)
		return at;
	while (at > 0 && !strcmp(memory->stages[at - 1].state, "FAILED"))
		at--;
	if (strcmp(stage->state, "FAILED") != 0) /* of no use if it is older than all of those */
		return at > 0 && memory->stages[at - 1].id < stage->id ? at - 1 : SPARK_STAGES_KEPT;
	if (at > 0)
		return at - 1;
	return memory->stages[SPARK_STAGES_KEPT - 1].id < stage->id ? SPARK_STAGES_KEPT - 1 : SPARK_STAGES_KEPT;
}

bool spark_keep_stage(struct spark_memory *memory, const struct spark_stage *stage)
{
	size_t at = 0, off;

	while (at < memory->n_stages && memory->stages[at].id > stage->id)
		at++;
	if (at < memory->n_stages && memory->stages[at].id == stage->id) {
		memory->stages[at] = *stage;
		return true;
	}
	off = least_wanted(memory, stage);
	if (off == SPARK_STAGES_KEPT)
		return false;
	if (memory->n_stages < SPARK_STAGES_KEPT)
		memory->n_stages++;
	if (at > off) /* what falls off stands before its place */
		memmove(&memory->stages[off], &memory->stages[off + 1], (--at - off) * sizeof *memory->stages);
	else
		memmove(&memory->stages[at + 1], &memory->stages[at], (off - at) * sizeof *memory->stages);
	memory->stages[at] = *stage;
	return true;
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

static bool is_of_failed(const struct json *jobs, int64_t id)
{
	int64_t stage;

	for (const struct json *job = json_first(jobs); job; job = json_next(job))
		if (spark_state_is(job, "status", "FAILED"))
			for (const struct json *at = json_first(json_get(job, "stageIds")); at; at = json_next(at))
				if (json_i64(at, &stage) && stage == id)
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
	for (int64_t i = 1, newest = n_all ? all[0] : -1; i <= BEFORE_NEWEST && newest - i >= 0 && n_all < SPARK_WANTED_MAX; i++)
		want(all, &n_all, newest - i);
	for (size_t i = 0; i < n_all; i++) {
		bool full = memory->n_stages == SPARK_STAGES_KEPT && all[i] < memory->stages[SPARK_STAGES_KEPT - 1].id && !is_of_failed(jobs, all[i]);

		if (!full && !spark_kept_stage(memory, all[i]) && !goes_on(now, n, all[i]) && !has_id(memory->forgotten, n_forgotten, all[i]))
			wanted[n_wanted++] = all[i];
	}
	return n_wanted;
}

const struct spark_stage *spark_kept_stage(const struct spark_memory *memory, int64_t id)
{
	for (size_t i = 0; memory && i < memory->n_stages; i++)
		if (memory->stages[i].id == id)
			return &memory->stages[i];
	return NULL;
}

void spark_find_in_stages(const struct spark_memory *memory, int64_t since, struct snapshot *s)
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

/* ---- asking ---- */

static void ask_skew(struct probe *p, const struct endpoint *at, const struct spark_memory *memory, struct spark_stage *stage)
{
	char path[SPARK_PATH_SIZE], part[80];
	struct spark_reply reply;

	if (stage->tasks < TASKS_LEAST || stage->tasks > TASKS_MOST || stage->completed < TASKS_LEAST / 2 ||
	    (stage->ended && stage->ended - stage->submitted < SKEW_MS))
		return; /* too few to compare, too many to sort, or over before it could matter */
	snprintf(part, sizeof part, "stages/%lld/%lld/taskSummary?quantiles=0.5,1.0", (long long)stage->id, (long long)stage->attempt);
	if (spark_ask(p, at, spark_part(path, memory, part), &reply))
		spark_read_skew(reply.json, stage);
	spark_reply_free(&reply);
}

/* Its attempts; the newest counts. False: no answer. */
static void ask_ended_stage(struct probe *p, const struct endpoint *at, struct spark_memory *memory, int64_t id)
{
	char path[SPARK_PATH_SIZE], part[60];
	struct spark_reply reply;
	struct spark_stage stage = {.attempt = -1}, attempt;
	bool useless;

	snprintf(part, sizeof part, "stages/%lld?details=false", (long long)id);
	if (spark_ask(p, at, spark_part(path, memory, part), &reply))
		for (const struct json *item = json_first(reply.json); item; item = json_next(item)) {
			spark_read_stage(item, &attempt);
			if (attempt.id == id && attempt.attempt > stage.attempt)
				stage = attempt;
		}
	if (stage.attempt >= 0 && (!strcmp(stage.state, "COMPLETE") || !strcmp(stage.state, "FAILED"))) {
		ask_skew(p, at, memory, &stage);
		useless = !spark_keep_stage(memory, &stage);
	} else {
		useless = reply.status == 404 || !strcmp(stage.state, "SKIPPED");
	}
	if (useless) /* never again */
		memory->forgotten[memory->n_forgotten++ % SPARK_WANTED_MAX] = id;
	spark_reply_free(&reply);
}

void spark_ask_stages(struct probe *p, const struct endpoint *at, struct spark_memory *memory, const struct json *jobs,
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
