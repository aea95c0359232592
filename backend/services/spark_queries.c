// SPDX-License-Identifier: MIT
/*
 * Streaming queries of a driver. No REST of Spark tells of them, so what does is put together: the
 * page /StreamingQuery/ (a driver without queries redirects: the cheap test) for who they are; the
 * gauges of the metrics servlet, where spark.sql.streaming.metricsEnabled was set, else the page of
 * each query, for rates, batch duration, state and watermark; the SQL executions, whose descriptions
 * name run and batch, for when the last batch began. The actor's thread.
 *
 * Of the trigger the plan of a batch tells by its scan whether it is real-time, continuous or made of batches. Whether
 * these come at an interval or are all that there was is in none of them, nor in the checkpoint or the event log: what is
 * told is how long a batch took, and how long after the one before it began. Times on pages are in the driver's own zone,
 * which they do not name: only durations are read.
 * Source: Spark's StreamingQueryPage.scala, StreamingQueryStatisticsPage.scala, MetricsReporter.scala;
 * checked on 4.0.5, 4.1.4 and 4.2.1.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spark.h"
#include "spark_page.h"

#define QUERIES_PAGE "/StreamingQuery/?active.pageSize=40&completed.pageSize=20"

enum { PAGE_MOST = 2 << 20, PAGES_A_LOOK = 3, GAUGES_AGAIN_MS = 60000, PAGE_MS = 1500, SPARE_MS = 400 };

/* ---- reading; pure ---- */

static int64_t whole(const char *words)
{
	int64_t n;

	return text_i64(text_of(words), &n) && n >= 0 ? n : -1;
}

/* "1,234.88"; NAN where it is none */
static double rate_of(struct text t)
{
	double r = 0, place = 1;
	bool digits = false, point = false;

	for (size_t i = 0; i < t.len; i++) {
		char c = t.at[i];

		if (c == ',')
			continue;
		if (c == '.' && !point) {
			point = true;
			continue;
		}
		if (c < '0' || c > '9' || t.len > 40)
			return (double)NAN;
		digits = true;
		r = r * 10 + (c - '0');
		place = point ? place * 10 : place;
	}
	return digits ? r / place : (double)NAN;
}

static void query_row(struct text row, bool active, int64_t now, struct spark_query *q)
{
	struct text cell;
	char words[160], more[4096];
	int64_t span;

	*q = (struct spark_query){.batch = -1, .batch_ms = -1, .gap_ms = -1, .execution = -1, .state_rows = -1,
		.input_rate = (double)NAN, .processing_rate = (double)NAN,
		.active = active};
	for (int i = 0; page_cell(&row, &cell); i++) {
		page_text(words, sizeof words, cell);
		if (i == 0 && strcmp(words, "<no name>") != 0)
			text_clean(q->name, sizeof q->name, text_of(words));
		else if (i == 1)
			text_clean(q->state, sizeof q->state, text_of(words));
		else if (i == 2)
			text_clean(q->id, sizeof q->id, text_of(words));
		else if (i == 3)
			text_clean(q->run, sizeof q->run, text_of(words));
		else if (i == 4)
			text_clean(q->begun, sizeof q->begun, text_of(words));
		else if (i == 5 && active && now > 0 && page_span(text_of(words), &span) && span < now)
			q->started = now - span;
		else if (i == 6)
			q->input_rate = rate_of(text_of(words)); /* of its whole life; overwritten where the last batch is known */
		else if (i == 7)
			q->processing_rate = rate_of(text_of(words));
		else if (i == 8)
			q->batch = whole(words);
		else if (i == 9 && page_more(more, sizeof more, cell)[0])
			spark_reason(q->reason, sizeof q->reason, text_of(more));
		else if (i == 9)
			spark_reason(q->reason, sizeof q->reason, text_of(words));
	}
}

size_t spark_read_queries(struct text html, int64_t now, struct spark_query *out, size_t max, size_t *left_off)
{
	static const char *const tables[] = {"completed-table", "active-table"};
	struct text rows, row;
	size_t n = 0;

	for (int active = 1; active >= 0; active--) {
		if (!page_table(html, tables[active], &rows))
			continue;
		while (page_row(&rows, &row)) {
			if (n == max) {
				++*left_off;
				continue;
			}
			query_row(row, active, now, &out[n]);
			n += out[n].run[0] && spark_is_id(out[n].run);
		}
	}
	return n;
}

/* The last point of a timeline, and the x of the one before, 0 where there is none:
 * drawTimeline('#NAME-timeline', v4, ...) and var v4 = [..., {"x": 1795970818832, "y": 26919.0}]; */
static bool last_point(struct text html, const char *name, int64_t *before, int64_t *x, double *y)
{
	char mark[80], variable[40];
	struct text at = html, points, point = TEXT(""), former = TEXT("");

	snprintf(mark, sizeof mark, "drawTimeline('#%s-timeline', ", name);
	if (!page_skip(&at, mark))
		return false;
	snprintf(variable, sizeof variable, "var %.*s = [", (int)(text_until(at, ',').len < 12 ? text_until(at, ',').len : 12), at.at);
	points = html;
	if (!page_skip(&points, variable))
		return false;
	points = text_until(points, ']');
	while (page_skip(&points, "{\"x\": ")) {
		former = point;
		point = points;
	}
	if (!text_i64(text_until(former, ','), before))
		*before = 0;
	if (!text_i64(text_until(point, ','), x) || !page_skip(&point, "\"y\": "))
		return false;
	*y = rate_of(text_until(point, '}'));
	return isfinite(*y) && *x > 0;
}

void spark_read_query_page(struct text html, struct spark_query *out)
{
	int64_t x, before;
	double y;

	if (last_point(html, "input-rate", &before, &x, &y))
		out->input_rate = y;
	if (last_point(html, "process-rate", &before, &x, &y))
		out->processing_rate = y;
	if (last_point(html, "batch-duration", &before, &x, &y) && y < 1e15) {
		out->batch_ms = (int64_t)y;
		out->last = x;
		out->gap_ms = before > 0 && before < x ? x - before : -1;
	}
	if (last_point(html, "aggregated-num-total-state-rows", &before, &x, &y) && y < 1e18)
		out->state_rows = (int64_t)y;
	if (last_point(html, "watermark-gap", &before, &x, &y) && y < 1e12)
		out->watermark = x - (int64_t)(y * 1000);
}

bool spark_read_query_gauges(const struct json *metrics, const char *application, struct spark_query *out)
{
	const struct json *gauges = json_get(metrics, "gauges");
	const char *names[] = {"inputRate-total", "processingRate-total", "latency", "states-rowsTotal", "eventTime-watermark"};
	double got[5];
	char key[300];

	for (size_t i = 0; i < 5; i++) {
		snprintf(key, sizeof key, "%s.driver.spark.streaming.%s.%s", application, out->name[0] ? out->name : out->id, names[i]);
		if (!json_real(json_get(json_get(gauges, key), "value"), &got[i]) || got[i] < 0 || got[i] > 1e18)
			got[i] = (double)NAN;
	}
	if (isnan(got[0]))
		return false;
	out->input_rate = got[0];
	out->processing_rate = got[1];
	out->batch_ms = got[2] > 0 ? (int64_t)got[2] : -1;      /* 0: no batch has ended yet */
	out->state_rows = isfinite(got[3]) ? (int64_t)got[3] : -1;
	out->watermark = got[4] > 0 ? (int64_t)got[4] : 0;
	return true;
}

/* A batch has executions within executions: the longest is the batch. */
void spark_read_query_batches(const struct json *sql, struct spark_query *out)
{
	int64_t newest = -1, ended = -1, longest = -1, begun = 0, former = -1, former_begun = 0;

	for (const struct json *execution = json_first(sql); execution; execution = json_next(execution)) {
		struct text name, run;
		int64_t batch, ms, at = 0;

		if (!spark_batch_of(text_of(json_string(json_get(execution, "description"))), &name, &run, &batch) || !text_is(run, out->run))
			continue;
		spark_time(json_string(json_get(execution, "submissionTime")), &at);
		if (batch > newest) {
			former = newest;
			former_begun = begun;
			newest = batch;
			begun = at;
		} else if (batch == newest && at && at < begun) {
			begun = at;
		} else if (batch < newest && (batch > former || (batch == former && at && at < former_begun))) {
			former = batch;
			former_begun = at;
		}
		if (spark_state_is(execution, "status", "RUNNING") || !json_i64(json_get(execution, "duration"), &ms))
			continue;
		if (batch > ended || (batch == ended && ms > longest)) {
			ended = batch;
			longest = ms;
			if (!json_i64(json_get(execution, "id"), &out->execution))
				out->execution = -1;
		}
	}
	if (newest > out->batch)
		out->batch = newest;
	if (begun > out->last)
		out->last = begun;
	if (out->batch_ms < 0)
		out->batch_ms = longest;
	if (out->gap_ms < 0 && former >= 0 && former == newest - 1 && former_begun > 0 && begun > former_begun)
		out->gap_ms = begun - former_begun;
}

/* How its source is scanned. Whether batches come at an interval or are all that there was (availableNow), no plan tells. */
const char *spark_read_trigger(const struct json *execution)
{
	static const struct { const char *node, *words; } scans[] = {
		{"RealTimeStreamScan", "real-time"}, {"ContinuousScan", "continuous"}, {"MicroBatchScan", "batches"},
	};

	for (size_t i = 0; i < sizeof scans / sizeof *scans; i++)
		for (const struct json *node = json_first(json_get(execution, "nodes")); node; node = json_next(node)) {
			struct text name = text_of(json_string(json_get(node, "nodeName")));

			if (text_is(text_until(name, ' '), scans[i].node))
				return scans[i].words;
		}
	return NULL;
}

static struct value known(int64_t n, int64_t least)
{
	return n >= least ? value_int(n) : value_unknown();
}

static struct value words_of(const char *s)
{
	return s[0] ? value_text(s) : value_unknown();
}

static void put_query(const struct spark_query *q, struct snapshot *s, struct table *t)
{
	struct value *row = table_row(s, t);

	table_set(s, t, row, "name", words_of(q->name));
	table_set(s, t, row, "id", words_of(q->id));
	table_set(s, t, row, "run", words_of(q->run));
	table_set(s, t, row, "state", words_of(q->state));
	table_set(s, t, row, "batch", known(q->batch, 0));
	table_set(s, t, row, "input_rate", value_real(q->input_rate));
	table_set(s, t, row, "processing_rate", value_real(q->processing_rate));
	table_set(s, t, row, "batch_ms", known(q->batch_ms, 0));
	table_set(s, t, row, "gap_ms", known(q->gap_ms, 1));
	table_set(s, t, row, "trigger", words_of(q->trigger ? q->trigger : ""));
	table_set(s, t, row, "state_rows", known(q->state_rows, 0));
	table_set(s, t, row, "watermark", known(q->watermark, 1));
	table_set(s, t, row, "last", known(q->last, 1));
	table_set(s, t, row, "started", known(q->started, 1));
	table_set(s, t, row, "reason", words_of(q->reason));
	table_set(s, t, row, "begun", words_of(q->begun));
}

/* One that failed is a finding until a query of the same id runs again. */
static void query_findings(const struct spark_query *queries, size_t n, struct snapshot *s)
{
	for (size_t i = 0; i < n; i++) {
		const struct spark_query *q = &queries[i];
		const char *name = q->name[0] ? q->name : q->id;
		bool again = false;

		for (size_t k = 0; k < n && !again; k++)
			again = (k < i || queries[k].active) && k != i && !strcmp(queries[k].id, q->id);
		if (!q->active && !again && !strcmp(q->state, "FAILED"))
			snapshot_finding(s, "query-failed", SEVERITY_WARNING, "start it again: it goes on from its checkpoint",
				"streaming query %.60s failed%s%s", name, q->reason[0] ? ": " : "", q->reason);
		if (q->active && q->batch_ms > 0 && q->processing_rate > 0 && q->input_rate > q->processing_rate * 1.1)
			snapshot_finding(s, "query-slow", SEVERITY_INFO, NULL, "streaming query %.60s takes in %.0f records/s and processes %.0f/s", name,
				q->input_rate, q->processing_rate);
	}
}

/* ---- asking ---- */

static bool ask_page(struct probe *p, const struct endpoint *at, const char *path, struct http_answer *out)
{
	struct http_request request = {.path = path, .most = PAGE_MOST, .timeout_ms = PAGE_MS};

	*out = (struct http_answer){0};
	return wait_left(p->wait) > SPARE_MS && http_ask(p, at, &request, out, NULL) && out->status == 200;
}

/* Where queries keep their checkpoints unless they say otherwise; what a query says is told by none. A hundred kilobytes: once. */
static void ask_settings(struct probe *p, const struct endpoint *at, struct spark_memory *memory)
{
	char path[SPARK_ID_SIZE + 60];
	struct spark_reply reply;

	snprintf(path, sizeof path, "/api/v1/applications/%s/environment", memory->application);
	memory->asked_settings = true;
	if (spark_ask(p, at, path, &reply))
		for (const struct json *pair = json_first(json_get(reply.json, "sparkProperties")); pair; pair = json_next(pair)) {
			const struct json *name = json_first(pair);
			const char *key = json_string(name), *value = json_string(json_next(name));

			if (key && value && !strcmp(key, "spark.sql.streaming.checkpointLocation"))
				text_clean(memory->checkpoints, sizeof memory->checkpoints, text_of(value));
		}
	spark_reply_free(&reply);
}

static void ask_gauges(struct probe *p, const struct endpoint *at, struct spark_memory *memory, struct spark_query *queries, size_t n,
	bool *told)
{
	struct spark_reply reply;
	struct err err;

	if (!memory->has_gauges && memory->gauges_tried && clock_ms() - memory->gauges_tried < GAUGES_AGAIN_MS)
		return;
	memory->gauges_tried = clock_ms();
	memory->has_gauges = false;
	if (wait_left(p->wait) > SPARE_MS && spark_get(p, at, "/metrics/json/", "text/json", &reply, &err)) {
		for (size_t i = 0; i < n; i++)
			if (queries[i].active && spark_read_query_gauges(reply.json, memory->application, &queries[i]))
				told[i] = memory->has_gauges = true;
		spark_reply_free(&reply);
	}
}

static void ask_about(struct probe *p, const struct endpoint *at, struct spark_memory *memory, struct spark_query *queries, size_t n)
{
	bool told[SPARK_QUERIES_MAX] = {false};
	struct http_answer page;
	char path[120];
	int asked = 0;

	ask_gauges(p, at, memory, queries, n, told);
	for (size_t i = 0; i < n && asked < PAGES_A_LOOK; i++) {
		if (!queries[i].active || told[i])
			continue;
		snprintf(path, sizeof path, "/StreamingQuery/statistics/?id=%s", queries[i].run);
		if (ask_page(p, at, path, &page))
			spark_read_query_page(buf_text(&page.body), &queries[i]);
		http_answer_free(&page);
		asked++;
	}
}

/* Once for each run, at an execution that ended: its plan is told then. True: it was asked. */
static bool ask_trigger(struct probe *p, const struct endpoint *at, struct spark_memory *memory, struct spark_query *q)
{
	char path[SPARK_ID_SIZE + 100];
	struct spark_reply reply;
	struct spark_trigger *t;

	for (size_t i = 0; i < SPARK_TRIGGERS_KEPT; i++)
		if (q->run[0] && !strcmp(memory->triggers[i].run, q->run)) {
			q->trigger = memory->triggers[i].words;
			return false;
		}
	if (!q->run[0] || q->execution < 0 || wait_left(p->wait) < SPARE_MS)
		return false;
	snprintf(path, sizeof path, "/api/v1/applications/%s/sql/%" PRId64 "?details=true&planDescription=false", memory->application, q->execution);
	if (spark_ask(p, at, path, &reply)) {
		t = &memory->triggers[memory->n_triggers++ % SPARK_TRIGGERS_KEPT];
		text_copy(t->run, sizeof t->run, text_of(q->run));
		t->words = q->trigger = spark_read_trigger(reply.json);
	}
	spark_reply_free(&reply);
	return true;
}

void spark_inspect_queries(struct probe *p, const struct endpoint *at, const struct json *sql, const struct spark_specs *specs,
	struct spark_memory *memory, struct snapshot *s, const struct spark_work *work)
{
	struct table *t = snapshot_table(s, specs->tables, "queries");
	struct spark_query *queries = mem_new(SPARK_QUERIES_MAX, sizeof *queries);
	struct http_answer page;
	bool good = ask_page(p, at, QUERIES_PAGE, &page);
	int64_t active = 0;
	size_t n = 0;
	int asked = 0;

	if (good)
		n = spark_read_queries(buf_text(&page.body), work->now, queries, SPARK_QUERIES_MAX, &t->left_off);
	if (good || page.status == 302)
		snapshot_figure(s, specs->figures, "queries", value_int(0));
	http_answer_free(&page);
	if (n && !memory->asked_settings)
		ask_settings(p, at, memory);
	ask_about(p, at, memory, queries, n);
	for (size_t i = 0; i < n; i++) {
		active += queries[i].active;
		if (queries[i].active)
			spark_read_query_batches(sql, &queries[i]);
		if (queries[i].active && asked < PAGES_A_LOOK)
			asked += ask_trigger(p, at, memory, &queries[i]);
		put_query(&queries[i], s, t);
	}
	if (n)
		snapshot_figure(s, specs->figures, "queries", value_int(active));
	if (n && memory->checkpoints[0])
		snapshot_figure(s, specs->figures, "checkpoints", value_text(memory->checkpoints));
	query_findings(queries, n, s);
	free(queries);
}

const struct column_spec spark_query_columns[] = {
	{"name", VALUE_TEXT, UNIT_NONE, 0, "as its owner called it"},
	{"state", VALUE_TEXT, UNIT_NONE, 0, "RUNNING, FINISHED, FAILED"},
	{"batch", VALUE_INT, UNIT_COUNT, 1, "number of its newest batch"},
	{"input_rate", VALUE_REAL, UNIT_PER_SECOND, 1, "records that come in, by the last batch; of one that ended by its whole life"},
	{"processing_rate", VALUE_REAL, UNIT_PER_SECOND, 1, "records that it can process, likewise"},
	{"batch_ms", VALUE_INT, UNIT_MS, 2, "how long the last batch took"},
	{"gap_ms", VALUE_INT, UNIT_MS, 2, "from the begin of the batch before to the begin of the last one; longer than a batch: it waited between"},
	{"trigger", VALUE_TEXT, UNIT_NONE, 3, "by the plan of a batch: real-time, continuous or batches; at an interval or availableNow nothing tells"},
	{"state_rows", VALUE_INT, UNIT_COUNT, 3, "rows that it keeps as state"},
	{"watermark", VALUE_INT, UNIT_TIME, 4, "event time before which it takes nothing more"},
	{"last", VALUE_INT, UNIT_TIME, 3, "when its newest batch began"},
	{"reason", VALUE_TEXT, UNIT_NONE, 3, "why it failed"},
	{"id", VALUE_TEXT, UNIT_NONE, 5, "its id, that of its checkpoint"},
	{"run", VALUE_TEXT, UNIT_NONE, 7, "id of this run"},
	{"started", VALUE_INT, UNIT_TIME, 6, "when this run began"},
	{"begun", VALUE_TEXT, UNIT_NONE, 8, "the same by the driver's clock, in its own zone"},
	{0},
};
