// SPDX-License-Identifier: MIT
/*
 * What a driver's answers tell of declarative pipelines. Pure. No REST names a pipeline or a flow, so it is put together: the page of
 * Connect's requests has each definition (flow, dataset, file, line) and each run with its state; a streaming flow is a streaming query
 * of its name; a batch flow is the SQL executions of the client's session, whose plan names the table that they write.
 * Source: Spark's pipelines.proto, SparkConnectServerPage.scala, FlowExecution.scala; checked on 4.1.4.
 */
#include <stdio.h>
#include <string.h>

#include "spark_page.h"
#include "spark_pipelines.h"

enum { CELLS = 15, STATEMENT_SIZE = 1200 };

/* ---- Connect's page ---- */

/* The value behind KEY: "..." of a message that is written as text; quotes within are told by \. */
static void quoted(struct text message, const char *key, char *out, size_t size)
{
	struct buf words;

	buf_init(&words, size);
	if (page_skip(&message, key) && text_skip(&message, ": \""))
		for (size_t i = 0; i < message.len && message.at[i] != '"' && !words.full; i++) {
			i += message.at[i] == '\\' && i + 1 < message.len;
			buf_add(&words, message.at + i, 1);
		}
	text_clean(out, size, buf_text(&words));
	buf_free(&words);
}

/* "/srv/kitchen/transformations/orders.py", 12: the file's own name, and the line */
static void place(struct text message, char *out, size_t size)
{
	char path[PIPELINE_PATH_SIZE];
	struct text line;
	const char *slash;

	quoted(message, "file_name", path, sizeof path);
	slash = strrchr(path, '/');
	line = text_trim(text_until(text_between(message, "line_number: ", "}"), '\n'));
	if (path[0])
		snprintf(out, size, "%.120s%s%.*s", slash ? slash + 1 : path, line.len ? ":" : "", (int)(line.len < 10 ? line.len : 10), line.at);
}

static struct pipeline_flow *flow_of(struct pipelines *all, const char *graph, const char *name)
{
	for (size_t i = 0; i < all->n_flows; i++)
		if (!strcmp(all->flows[i].graph, graph) && !strcmp(all->flows[i].name, name))
			return &all->flows[i];
	return NULL;
}

static void define_flow(struct text message, const char *graph, struct pipelines *out)
{
	struct pipeline_flow *flow, made = {.kind = FLOW_UNKNOWN};

	text_copy(made.graph, sizeof made.graph, text_of(graph));
	quoted(message, "flow_name", made.name, sizeof made.name);
	quoted(message, "target_dataset_name", made.target, sizeof made.target);
	place(message, made.defined, sizeof made.defined);
	if (!made.name[0] || flow_of(out, graph, made.name))
		return;
	if (out->n_flows == PIPELINE_FLOWS_MAX) {
		out->flows_left_off++;
		return;
	}
	flow = &out->flows[out->n_flows++];
	*flow = made;
}

static void define_output(struct text message, const char *graph, struct pipelines *out)
{
	char name[PIPELINE_NAME_SIZE];
	struct text type = text_until(text_after(text_between(message, "output_type", "\n"), ' '), ' ');
	enum flow_kind kind = text_is(type, "MATERIALIZED_VIEW") ? FLOW_BATCH : text_is(type, "TEMPORARY_VIEW") ? FLOW_VIEW :
		text_is(type, "TABLE") || text_is(type, "SINK") ? FLOW_STREAMING : FLOW_UNKNOWN;

	quoted(message, "output_name", name, sizeof name);
	for (size_t i = 0; i < out->n_flows; i++)
		if (!strcmp(out->flows[i].graph, graph) && pipelines_is_name(text_of(out->flows[i].target), text_of(name)))
			out->flows[i].kind = kind;
}

static bool is_over(const char *state)
{
	return strcmp(state, "STARTED") && strcmp(state, "COMPILED") && strcmp(state, "READY") && strcmp(state, "RUNNING");
}

/* Newest first; the oldest goes where there is no room. */
static struct pipeline_run *run_of(struct pipelines *all, const struct pipeline_run *seen)
{
	size_t at = 0;

	for (size_t i = 0; i < all->n_runs; i++)
		if (!strcmp(all->runs[i].operation, seen->operation))
			return &all->runs[i];
	while (at < all->n_runs && strcmp(all->runs[at].begun, seen->begun) > 0)
		at++;
	if (at == PIPELINE_RUNS_MAX)
		return NULL;
	all->n_runs += all->n_runs < PIPELINE_RUNS_MAX;
	memmove(&all->runs[at + 1], &all->runs[at], (all->n_runs - at - 1) * sizeof all->runs[0]);
	all->runs[at] = *seen;
	return &all->runs[at];
}

/* User, jobs, SQL executions, session, start, finish, close, execution time, duration, statement, state, operation, tag, tags, detail. */
struct request {
	char session[40], begun[24], state[16], operation[40], detail[SPARK_REASON_SIZE];
	char statement[STATEMENT_SIZE];
	int64_t ms; /* -1 unknown */
	bool closed;
};

static bool read_request(struct text row, struct request *out)
{
	struct text cell;
	char words[80], more[2048];
	int i = 0;

	*out = (struct request){.ms = -1};
	for (; i < CELLS && page_cell(&row, &cell); i++) {
		page_text(words, sizeof words, cell);
		if (i == 3)
			text_clean(out->session, sizeof out->session, text_of(words));
		else if (i == 4)
			text_clean(out->begun, sizeof out->begun, text_of(words));
		else if (i == 6)
			out->closed = words[0] != 0;
		else if (i == 8 && !page_span(text_of(words), &out->ms))
			out->ms = -1;
		else if (i == 9)
			page_text(out->statement, sizeof out->statement, cell);
		else if (i == 10)
			text_clean(out->state, sizeof out->state, text_of(words));
		else if (i == 11)
			text_clean(out->operation, sizeof out->operation, text_of(words));
		else if (i == 14)
			spark_reason(out->detail, sizeof out->detail, text_of(page_more(more, sizeof more, cell)[0] ? more : words));
	}
	return i == CELLS && text_starts(text_of(out->statement), "pipeline_command {");
}

static void start_run(const struct request *request, const char *graph, int64_t now, struct pipelines *out)
{
	struct text message = text_of(request->statement);
	struct pipeline_run made = {.started = 0}, *run;

	text_copy(made.graph, sizeof made.graph, text_of(graph));
	text_copy(made.session, sizeof made.session, text_of(request->session));
	text_copy(made.operation, sizeof made.operation, text_of(request->operation));
	text_copy(made.begun, sizeof made.begun, text_of(request->begun));
	quoted(message, "storage", made.storage, sizeof made.storage);
	made.dry = text_has(message, "\n    dry: true");
	if (!made.operation[0] || !(run = run_of(out, &made)))
		return;
	text_copy(run->state, sizeof run->state, text_of(request->state));
	text_copy(run->why, sizeof run->why, text_of(request->detail));
	run->over = request->closed || is_over(request->state);
	if (!run->started && !run->over && request->ms >= 0 && now > request->ms)
		run->started = now - request->ms;
}

void pipelines_read_requests(struct text html, int64_t now, struct pipelines *out)
{
	struct text all, rows, row;
	struct request request;

	if (!page_table(html, "sqlstat", &all))
		return;
	for (int outputs = 0; outputs < 2; outputs++) /* what a flow writes is told in a request of its own, before or after it */
		for (rows = all; page_row(&rows, &row);) {
			struct text message;
			char graph[40];

			if (!read_request(row, &request))
				continue;
			message = text_trim(text_after(text_of(request.statement), '\n'));
			quoted(message, "dataflow_graph_id", graph, sizeof graph);
			if (!graph[0])
				continue;
			if (outputs && text_starts(message, "define_output {"))
				define_output(message, graph, out);
			else if (!outputs && text_starts(message, "define_flow {"))
				define_flow(message, graph, out);
			else if (!outputs && text_starts(message, "start_run {"))
				start_run(&request, graph, now, out);
		}
}

/* ---- SQL executions ---- */

bool pipelines_read_execution(const struct json *execution, struct pipeline_execution *out)
{
	struct text description = text_of(json_string(json_get(execution, "description")));
	const char *error = json_string(json_get(execution, "errorMessage")); /* from 4.2 on */

	*out = (struct pipeline_execution){.duration = -1, .failed_job = -1, .rows = -1};
	if (!text_skip(&description, "Spark Connect - session_id: \"") || !json_i64(json_get(execution, "id"), &out->id))
		return false;
	text_clean(out->session, sizeof out->session, text_until(description, '"'));
	text_clean(out->state, sizeof out->state, text_of(json_string(json_get(execution, "status"))));
	spark_time(json_string(json_get(execution, "submissionTime")), &out->submitted);
	if (!json_i64(json_get(execution, "duration"), &out->duration))
		out->duration = -1;
	if (!json_i64(json_first(json_get(execution, "failedJobIds")), &out->failed_job))
		out->failed_job = -1;
	if (error && error[0])
		spark_reason(out->why, sizeof out->why, text_of(error));
	return out->session[0] != 0;
}

/* Does that node fill a table? A flow that is run anew empties its table first: that is no try of it. */
static bool fills(struct text node)
{
	static const char *const words[] = {"Insert", "SaveAs", "SaveInto", "AsSelect", "AppendData", "Overwrite"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (text_has(node, words[i]))
			return true;
	return false;
}

/* "`default`.`demand`, Append": how long the name is */
static size_t name_length(struct text t)
{
	size_t len = 0;

	while (len < t.len && (t.at[len] != '`' || (len + 2 < t.len && !memcmp(t.at + len, "`.`", 3))))
		len += t.at[len] == '`' ? 3 : 1;
	return len;
}

/* "(2) SaveAsV1TableCommand" or "(3) AppendData", then a line "Arguments: `default`.`demand`, Append" or
 * "Arguments: IcebergWrite(table=lake.kitchen.demand, format=PARQUET)". */
void pipelines_read_plan(struct text plan, char table[PIPELINE_NAME_SIZE])
{
	struct text line, name;
	bool writes = false;

	table[0] = '\0';
	while (!table[0] && text_line(&plan, &line)) {
		if (text_starts(line, "("))
			writes = fills(line);
		if (!writes || !text_skip(&line, "Arguments: "))
			continue;
		name = line;
		if (page_skip(&name, "`"))
			text_clean(table, PIPELINE_NAME_SIZE, (struct text){name.at, name_length(name)});
		else if (page_skip(&line, "(table="))
			text_clean(table, PIPELINE_NAME_SIZE, text_until(text_until(line, ','), ')'));
	}
}

static bool is_write(struct text node)
{
	return text_has(node, "Insert") || text_starts(node, "AppendData") || text_starts(node, "Overwrite");
}

/* "number of output rows": "10,000", of the node that writes; of Iceberg's "number of added records". */
int64_t pipelines_read_rows(const struct json *execution)
{
	for (const struct json *node = json_first(json_get(execution, "nodes")); node; node = json_next(node)) {
		struct text name = text_of(json_string(json_get(node, "nodeName")));

		for (const struct json *metric = json_first(json_get(node, "metrics")); metric && is_write(name); metric = json_next(metric)) {
			const char *value = json_string(json_get(metric, "value"));
			char digits[24];
			size_t n = 0;
			int64_t rows;

			if (!spark_state_is(metric, "name", "number of output rows") && !spark_state_is(metric, "name", "number of added records"))
				continue;
			for (; value && *value && n < sizeof digits - 1; value++)
				if (*value != ',')
					digits[n++] = *value;
			digits[n] = '\0';
			return text_i64(text_of(digits), &rows) && rows >= 0 ? rows : -1;
		}
	}
	return -1;
}

/* ---- names ---- */

/* The last part, before last, without `; moves back. */
static struct text last_part(struct text *t)
{
	struct text part;
	size_t at = t->len;

	while (at && t->at[at - 1] != '.')
		at--;
	part = (struct text){t->at + at, t->len - at};
	t->len = at ? at - 1 : 0;
	while (part.len && part.at[0] == '`') {
		part.at++;
		part.len--;
	}
	while (part.len && part.at[part.len - 1] == '`')
		part.len--;
	return part;
}

bool pipelines_is_name(struct text full, struct text name)
{
	if (!full.len || !name.len)
		return false;
	while (full.len && name.len) { /* from the end: the shorter one leaves out catalog and schema */
		struct text a = last_part(&full), b = last_part(&name);

		if (a.len != b.len || (a.len && memcmp(a.at, b.at, a.len)))
			return false;
	}
	return true;
}

/* ---- the client and its spec ---- */

/* key: value of the outermost level; quotes and what follows a # are left out. */
static void spec_value(struct text line, const char *key, char *out, size_t size)
{
	char quote;

	if (out[0] || !text_skip(&line, key) || !text_skip(&line, ":"))
		return;
	line = text_trim(line);
	quote = line.len ? line.at[0] : '\0';
	if (quote == '"' || quote == '\'')
		line = text_until((struct text){line.at + 1, line.len - 1}, quote);
	else
		for (size_t i = 1; i < line.len; i++)
			if (line.at[i] == '#' && (line.at[i - 1] == ' ' || line.at[i - 1] == '\t'))
				line.len = i;
	text_clean(out, size, text_trim(line));
}

void pipelines_read_spec(struct text yaml, char name[PIPELINE_NAME_SIZE], char storage[PIPELINE_PATH_SIZE])
{
	struct text line;

	name[0] = storage[0] = '\0';
	while (text_line(&yaml, &line)) {
		spec_value(line, "name", name, PIPELINE_NAME_SIZE);
		spec_value(line, "storage", storage, PIPELINE_PATH_SIZE);
	}
}

/* The next argument, which a zero ends. */
static bool argument(struct text *rest, struct text *word)
{
	if (!rest->len)
		return false;
	*word = text_until(*rest, '\0');
	*rest = text_after(*rest, '\0');
	return true;
}

/* "--spec FILE", "--spec=FILE" */
static bool option(struct text word, struct text *rest, const char *name, struct text *value)
{
	return text_skip(&word, name) && (word.len ? text_skip(&word, "=") && (*value = word, true) : argument(rest, value));
}

bool pipelines_read_client(struct text cmdline, struct pipeline_client *out)
{
	struct text rest = cmdline, word, value;
	bool program = false, runs = false;

	*out = (struct pipeline_client){.port = 0};
	while (argument(&rest, &word)) {
		if (text_ends(word, "pipelines/cli.py"))
			program = true;
		else if (program && option(word, &rest, "--spec", &value))
			text_copy(out->spec, sizeof out->spec, value);
		else if (program && option(word, &rest, "--remote", &value))
			text_i64(text_until(text_until(text_after(text_after(value, ':'), ':'), '/'), ';'), &out->port);
		else if (program && (text_is(word, "run") || text_is(word, "dry-run")))
			runs = true;
	}
	return runs && text_is_clean(text_of(out->spec));
}
