// SPDX-License-Identifier: MIT
/*
 * From what was learned of pipelines to rows and findings. Pure. A state is only what was told: that a flow was skipped after a failure, or
 * waits to be tried again, a driver says to the client of the run alone.
 */
#include <stdio.h>
#include <string.h>

#include "spark_pipelines.h"

enum { FINDINGS_MOST = 6 };

/* What was told of one flow. */
struct told {
	const char *state, *why, *source; /* NULL: unknown */
	int64_t since, duration, attempts, batch, rows; /* 0 unknown; duration, batch and rows: -1 */
	bool streaming, batched;
};

static const char *words(const struct table *t, size_t row, const char *column)
{
	struct value v = table_get(t, row, column);

	return v.type == VALUE_TEXT ? v.u.s : "";
}

static int64_t number(const struct table *t, size_t row, const char *column, int64_t otherwise)
{
	struct value v = table_get(t, row, column);

	return v.type == VALUE_INT ? v.u.i : otherwise;
}

/* Its streaming query: of those that began in this run the newest, which is the first one. */
static bool tell_query(const struct pipeline_run *run, const struct pipeline_flow *flow, const struct table *queries, struct told *out)
{
	for (size_t i = 0; queries && i < queries->n_rows; i++) {
		const char *state = words(queries, i, "state");

		if (!pipelines_is_name(text_of(words(queries, i, "name")), text_of(flow->name)) || strcmp(words(queries, i, "begun"), run->begun) < 0)
			continue;
		if (out->attempts++)
			continue;
		out->streaming = true;
		out->state = !strcmp(state, "FINISHED") ? "COMPLETED" : state;
		out->why = !strcmp(state, "FAILED") && words(queries, i, "reason")[0] ? words(queries, i, "reason") : NULL;
		out->batch = number(queries, i, "batch", -1);
		out->since = number(queries, i, "started", 0);
		out->source = "its streaming query";
	}
	return out->streaming;
}

static bool is_within(const struct pipeline_execution *outer, const struct pipeline_execution *e)
{
	return outer && (!strcmp(outer->state, "RUNNING") || (outer->duration >= 0 && e->submitted <= outer->submitted + outer->duration));
}

/* The SQL executions that write its table: one within another is the same attempt. */
static bool tell_executions(const struct pipelines *known, const struct pipeline_run *run, const struct pipeline_flow *flow, int64_t now,
	struct told *out)
{
	const struct pipeline_execution *outer = NULL;

	for (size_t i = 0; i < known->n_executions; i++) {
		const struct pipeline_execution *e = &known->executions[i];

		if (strcmp(e->session, run->session) || !pipelines_is_name(text_of(e->table), text_of(flow->target)))
			continue;
		if (!is_within(outer, e)) {
			outer = e;
			out->attempts++;
			out->why = NULL;
			out->rows = -1;
		}
		if (e->why[0])
			out->why = e->why;
		if (e->rows >= 0)
			out->rows = e->rows;
	}
	if (!outer)
		return false;
	out->batched = true;
	out->state = outer->state[0] ? outer->state : NULL;
	out->since = outer->submitted;
	out->duration = !strcmp(outer->state, "RUNNING") && now > outer->submitted ? now - outer->submitted : outer->duration;
	out->source = "its SQL execution";
	return true;
}

/* Were all executions of the run seen, and their plans read? */
static bool is_whole(const struct pipelines *known, const struct pipeline_run *run)
{
	bool any = false;

	for (size_t i = 0; i < known->n_executions; i++) {
		if (strcmp(known->executions[i].session, run->session) != 0)
			continue;
		if (!known->executions[i].planned)
			return false;
		any = true;
	}
	return !known->lost && (known->first == 0 || (any && known->first < known->executions[0].id));
}

static void tell_flow(const struct pipelines *known, const struct pipeline_run *run, const struct pipeline_flow *flow,
	const struct table *queries, int64_t now, struct told *out)
{
	*out = (struct told){.duration = -1, .batch = -1, .rows = -1};
	if (tell_query(run, flow, queries, out) || tell_executions(known, run, flow, now, out))
		return;
	if (!is_whole(known, run)) {
		out->why = "the driver does not remember all that it executed, or was not asked for all of it yet";
	} else {
		out->state = "NOT BEGUN";
		out->why = run->over ? "nothing of it was executed before the run ended" :
			"nothing of it was executed: it waits, or was skipped after a failure, which the driver tells its client alone";
		out->source = "no streaming query or SQL execution of it";
	}
}

static const char *run_state(const struct pipeline_run *run)
{
	return !run->over ? "RUNNING" : !strncmp(run->state, "CANCEL", 6) ? "CANCELED" : run->why[0] || !strcmp(run->state, "FAILED") ? "FAILED" :
		"COMPLETED";
}

static struct value known_words(const char *s)
{
	return s && s[0] ? value_text(s) : value_unknown();
}

static struct value at_least(int64_t n, int64_t least)
{
	return n >= least ? value_int(n) : value_unknown();
}

static void put_run(const struct pipeline_run *run, struct snapshot *s, struct table *t, struct value *row)
{
	table_set(s, t, row, "pipeline", known_words(run->name));
	table_set(s, t, row, "run", value_text(run_state(run)));
	table_set(s, t, row, "spec", known_words(run->spec));
	table_set(s, t, row, "spec_source", known_words(run->told_by));
	table_set(s, t, row, "storage", known_words(run->storage));
	table_set(s, t, row, "operation", known_words(run->operation));
}

static void put_flow(const struct pipeline_run *run, const struct pipeline_flow *flow, const struct told *told, struct snapshot *s,
	struct table *t)
{
	struct value *row = table_row(s, t);

	put_run(run, s, t, row);
	table_set(s, t, row, "flow", value_text(flow->name));
	table_set(s, t, row, "kind", told->streaming || (flow->kind == FLOW_STREAMING && !told->batched) ? value_text("streaming") :
		told->batched || flow->kind == FLOW_BATCH ? value_text("batch") : value_unknown());
	table_set(s, t, row, "state", known_words(told->state));
	table_set(s, t, row, "since", at_least(told->since, 1));
	table_set(s, t, row, "duration", at_least(told->duration, 0));
	table_set(s, t, row, "attempts", told->attempts ? value_int(told->attempts) : value_unknown());
	table_set(s, t, row, "batch", at_least(told->batch, 0));
	table_set(s, t, row, "rows", at_least(told->rows, 0));
	table_set(s, t, row, "why", known_words(told->why));
	table_set(s, t, row, "source", known_words(told->source));
	table_set(s, t, row, "defined", known_words(flow->defined));
}

/* A query that is a flow is told as a flow: once is enough. */
static void drop_query_finding(struct snapshot *s, const struct pipeline_flow *flow)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n_findings; i++) {
		struct text reason = text_of(s->findings[i].reason), name = text_between(reason, "streaming query ", " failed");

		if (strcmp(s->findings[i].name, "query-failed") != 0 || !pipelines_is_name(name, text_of(flow->name)))
			s->findings[kept++] = s->findings[i];
	}
	s->n_findings = kept;
}

static void find_failed(const struct pipeline_run *run, const struct pipeline_flow *flow, const struct told *told, size_t *n, struct snapshot *s)
{
	if (!told->state || strcmp(told->state, "FAILED") != 0)
		return;
	drop_query_finding(s, flow);
	if (++*n <= FINDINGS_MOST)
		snapshot_finding(s, "flow-failed", SEVERITY_WARNING, run->over ? "run the pipeline again, or of it only this: --refresh" : NULL,
			"flow %.60s%s%.60s failed%s%s", flow->name, run->name[0] ? " of pipeline " : "", run->name, told->why ? ": " : "",
			told->why ? told->why : "");
}

/* A newer run of the same pipeline stands for it. */
static bool is_superseded(const struct pipelines *known, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!known->runs[i].dry && !strcmp(known->runs[i].storage, known->runs[at].storage))
			return true;
	return false;
}

static void tell_run(const struct pipelines *known, const struct pipeline_run *run, const struct table *queries, int64_t now,
	struct snapshot *s, struct table *t)
{
	size_t rows = t->n_rows, failed = 0;

	for (size_t i = known->n_flows; i-- > 0;) { /* as they were defined: the page has the newest first */
		const struct pipeline_flow *flow = &known->flows[i];
		struct told told;

		if (strcmp(flow->graph, run->graph) || flow->kind == FLOW_VIEW)
			continue;
		tell_flow(known, run, flow, queries, now, &told);
		put_flow(run, flow, &told, s, t);
		find_failed(run, flow, &told, &failed, s);
	}
	if (t->n_rows == rows)
		put_flow(run, &(struct pipeline_flow){.kind = FLOW_UNKNOWN}, &(struct told){.why = run->why, .duration = -1, .batch = -1, .rows = -1}, s, t);
	if (!failed && !strcmp(run_state(run), "FAILED"))
		snapshot_finding(s, "pipeline-failed", SEVERITY_WARNING, NULL, "pipeline %.100s failed%s%s", run->name[0] ? run->name : run->storage,
			run->why[0] ? ": " : "", run->why);
}

void pipelines_tell(const struct pipelines *known, const struct table *queries, int64_t now, struct snapshot *s, struct table *t)
{
	for (size_t i = 0; i < known->n_runs; i++)
		if (!known->runs[i].dry && !is_superseded(known, i))
			tell_run(known, &known->runs[i], queries, now, s, t);
	t->left_off += known->flows_left_off;
}
