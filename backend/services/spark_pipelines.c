// SPDX-License-Identifier: MIT
/*
 * Declarative pipelines (SDP) of a Spark Connect server: which run, and each flow of them. The actor's thread.
 *
 * Nothing is asked while no client asked for a run: the page of Connect's requests, which is read anyway, tells. Then its newest 200
 * requests, each new SQL execution once, those that write a table of a flow until they ended. A run's name and spec are told by
 * nobody but the process of its client, if that is on this machine and may be looked at.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spark_page.h"
#include "spark_pipelines.h"

#define REQUESTS_PAGE "/connect/?sqlstat.pageSize=200&sessionstat.pageSize=1"

enum { PAGE_MOST = 2 << 20, PAGE_MS = 1500, SPARE_MS = 400, WINDOW = 100, WINDOWS_A_LOOK = 6, ASKED_A_LOOK = 24, CLIENT_AGAIN_MS = 30000,
	CLIENTS_MAX = 16, REQUESTS_READ = 40, REQUESTS_AGAIN_MS = 60000, SPEC_MOST = 64 << 10, ABOVE_MAX = 7 };

/* ---- SQL executions ---- */

static struct pipeline_execution *room_for(struct pipelines *all, int64_t id)
{
	for (size_t i = 0; i < all->n_executions; i++)
		if (all->executions[i].id == id)
			return &all->executions[i];
	if (all->n_executions == PIPELINE_EXECUTIONS_MAX) {
		all->n_executions--; /* the oldest goes */
		all->lost = true;
		memmove(&all->executions[0], &all->executions[1], all->n_executions * sizeof all->executions[0]);
	}
	return &all->executions[all->n_executions++];
}

static bool is_of_pipeline(const struct pipelines *all, const char *session)
{
	for (size_t i = 0; i < all->n_runs; i++)
		if (!strcmp(all->runs[i].session, session))
			return true;
	return false;
}

static bool ask_list(struct probe *p, const struct endpoint *at, const struct spark_memory *driver, int64_t offset, int length,
	struct spark_reply *reply)
{
	char path[SPARK_PATH_SIZE], part[100];

	snprintf(part, sizeof part, "sql?details=false&planDescription=false&offset=%lld&length=%d", (long long)offset, length);
	return spark_ask(p, at, spark_part(path, driver, part), reply);
}

/* The list begins with the oldest that is remembered: by its number one knows where the first unseen one stands. */
static bool find_first(struct probe *p, const struct endpoint *at, const struct spark_memory *driver, struct pipelines *all)
{
	struct spark_reply reply;
	bool good = ask_list(p, at, driver, 0, 1, &reply) && json_i64(json_get(json_first(reply.json), "id"), &all->first);

	spark_reply_free(&reply);
	return good;
}

static void ask_new(struct probe *p, const struct endpoint *at, const struct spark_memory *driver, struct pipelines *all)
{
	bool more = find_first(p, at, driver, all);

	for (int i = 0; more && i < WINDOWS_A_LOOK; i++) {
		struct pipeline_execution one;
		struct spark_reply reply;
		int64_t id;

		more = ask_list(p, at, driver, all->next > all->first ? all->next - all->first : 0, WINDOW, &reply) &&
			json_count(reply.json) == WINDOW;
		for (const struct json *item = json_first(reply.json); item; item = json_next(item)) {
			if (json_i64(json_get(item, "id"), &id) && id >= all->next)
				all->next = id + 1;
			if (pipelines_read_execution(item, &one) && is_of_pipeline(all, one.session))
				*room_for(all, one.id) = one;
		}
		spark_reply_free(&reply);
	}
}

/* The first line of why its job failed: of the stage that did. */
static void ask_why(struct probe *p, const struct endpoint *at, const struct spark_memory *driver, struct pipeline_execution *e)
{
	char path[SPARK_PATH_SIZE], part[80];
	struct spark_reply job, stage;
	int64_t id;

	snprintf(part, sizeof part, "jobs/%lld", (long long)e->failed_job);
	if (spark_ask(p, at, spark_part(path, driver, part), &job))
		for (const struct json *of = json_first(json_get(job.json, "stageIds")); of && !e->why[0] && json_i64(of, &id); of = json_next(of)) {
			snprintf(part, sizeof part, "stages/%lld?details=false", (long long)id);
			if (spark_ask(p, at, spark_part(path, driver, part), &stage))
				for (const struct json *attempt = json_first(stage.json); attempt; attempt = json_next(attempt)) {
					const char *why = json_string(json_get(attempt, "failureReason"));

					if (why)
						spark_reason(e->why, sizeof e->why, text_of(why));
				}
			spark_reply_free(&stage);
		}
	spark_reply_free(&job);
}

/* Its plan, once; its end, and then its rows or why it failed. */
static void ask_execution(struct probe *p, const struct endpoint *at, const struct spark_memory *driver, struct pipeline_execution *e)
{
	char path[SPARK_PATH_SIZE], part[100];
	struct pipeline_execution now;
	struct spark_reply reply;

	snprintf(part, sizeof part, "sql/%lld?details=true&planDescription=true", (long long)e->id);
	if (spark_ask(p, at, spark_part(path, driver, part), &reply) && pipelines_read_execution(reply.json, &now)) {
		memcpy(now.table, e->table, sizeof now.table);
		if (!now.table[0])
			pipelines_read_plan(text_of(json_string(json_get(reply.json, "planDescription"))), now.table);
		now.planned = true;
		now.settled = strcmp(now.state, "RUNNING") != 0;
		now.rows = now.settled ? pipelines_read_rows(reply.json) : -1;
		*e = now;
		if (now.settled && !strcmp(now.state, "FAILED") && e->failed_job >= 0 && !e->why[0])
			ask_why(p, at, driver, e);
	} else if (reply.status == 404) { /* forgotten meanwhile */
		e->planned = e->settled = true;
		if (!strcmp(e->state, "RUNNING"))
			e->state[0] = '\0';
	}
	spark_reply_free(&reply);
}

static void ask_executions(struct probe *p, const struct endpoint *at, const struct spark_memory *driver, struct pipelines *all)
{
	int asked = 0;

	ask_new(p, at, driver, all);
	for (size_t i = all->n_executions; i-- > 0 && asked < ASKED_A_LOOK;)
		if (!all->executions[i].settled && wait_left(p->wait) > SPARE_MS) {
			ask_execution(p, at, driver, &all->executions[i]);
			asked++;
		}
}

/* ---- the client ---- */

struct clients {
	struct found {
		pid_t pid;
		struct pipeline_client line;
	} at[CLIENTS_MAX];
	size_t n;
};

static void take_client(void *ctx, pid_t pid, struct text cmdline)
{
	struct clients *all = ctx;

	if (all->n < CLIENTS_MAX && pipelines_read_client(cmdline, &all->at[all->n].line))
		all->at[all->n++].pid = pid;
}

/* The spec that a client names, or the one that it finds in its folder or above. */
static bool read_spec(struct host *h, const struct found *client, char path[PIPELINE_PATH_SIZE], struct buf *out)
{
	static const char *const names[] = {"spark-pipeline.yaml", "spark-pipeline.yml"};
	static const char up[] = "../../../../../../";

	text_copy(path, PIPELINE_PATH_SIZE, text_of(client->line.spec));
	if (path[0] == '/')
		return h->read_file(h, path, out, NULL);
	if (path[0])
		return h->read_beside && h->read_beside(h, client->pid, path, out, NULL);
	for (int i = 0; h->read_beside && i < ABOVE_MAX; i++) {
		for (size_t k = 0; k < 2; k++) {
			snprintf(path, PIPELINE_PATH_SIZE, "%.*s%s", i * 3, up, names[k]);
			buf_reset(out);
			if (h->read_beside(h, client->pid, path, out, NULL))
				return true;
		}
	}
	path[0] = '\0';
	return false;
}

/* The one whose spec has the storage of the run. Where none can be read: that which names our port, if there is but one. */
static void find_client(struct probe *p, const struct clients *clients, struct pipeline_run *run)
{
	const struct found *by_port = NULL;
	char name[PIPELINE_NAME_SIZE], storage[PIPELINE_PATH_SIZE], path[PIPELINE_PATH_SIZE];
	size_t n = 0;
	struct buf spec;

	buf_init(&spec, SPEC_MOST);
	for (size_t i = 0; i < clients->n && !run->spec[0]; i++) {
		buf_reset(&spec);
		if (!read_spec(p->host, &clients->at[i], path, &spec)) {
			if (clients->at[i].line.port == p->at.port && path[0]) {
				by_port = &clients->at[i];
				n++;
			}
			continue;
		}
		pipelines_read_spec(buf_text(&spec), name, storage);
		if (strcmp(storage, run->storage) != 0)
			continue;
		memcpy(run->name, name, sizeof run->name);
		text_clean(run->spec, sizeof run->spec, text_of(path));
		snprintf(run->told_by, sizeof run->told_by, "%s of process %d", clients->at[i].line.spec[0] ? "argument" : "folder",
			(int)clients->at[i].pid);
	}
	if (!run->spec[0] && n == 1) {
		text_clean(run->spec, sizeof run->spec, text_of(by_port->line.spec));
		snprintf(run->told_by, sizeof run->told_by, "argument of process %d, not read", (int)by_port->pid);
	}
	buf_free(&spec);
}

/* Looks through the processes only where a run that goes on has none yet. */
static void find_clients(struct probe *p, struct pipelines *all)
{
	struct clients *clients = NULL;

	for (size_t i = 0; i < all->n_runs && p->host->programs; i++) {
		struct pipeline_run *run = &all->runs[i];

		if (run->over || run->spec[0] || (run->looked && clock_ms() - run->looked < CLIENT_AGAIN_MS))
			continue;
		if (!clients) {
			clients = mem_new(1, sizeof *clients);
			p->host->programs(p->host, "pipelines/cli.py", take_client, clients, NULL);
		}
		run->looked = clock_ms();
		find_client(p, clients, run);
	}
	free(clients);
}

/* ---- all of it ---- */

static int64_t ask_requests(struct probe *p, const struct endpoint *at, struct pipelines *all)
{
	const struct http_request request = {.path = REQUESTS_PAGE, .most = PAGE_MOST, .timeout_ms = PAGE_MS};
	struct http_answer answer = {0};
	int64_t now = 0;

	if (wait_left(p->wait) > SPARE_MS && http_ask(p, at, &request, &answer, NULL) && answer.status == 200) {
		now = spark_http_date(http_header(&answer, "Date"));
		pipelines_read_requests(buf_text(&answer.body), now, all);
	}
	http_answer_free(&answer);
	return now;
}

/* While none is known: where the page of the newest requests has one; and beyond these now and then. */
static bool is_due(const struct pipelines *known, struct text page)
{
	int64_t requests;

	if ((known && known->n_runs) || text_has(page, "pipeline_command {"))
		return true;
	return page_count(page, "Request Statistics", &requests) && requests > REQUESTS_READ && (!known || clock_ms() - known->asked > REQUESTS_AGAIN_MS);
}

void spark_inspect_pipelines(struct probe *p, const struct endpoint *at, struct pipelines **memory, const struct spark_memory *driver,
	const struct spark_specs *specs, struct text page, struct snapshot *s)
{
	struct table *t = snapshot_table(s, specs->tables, "flows");
	int64_t now;

	if (!is_due(*memory, page))
		return;
	if (!*memory)
		*memory = mem_new(1, sizeof **memory);
	(*memory)->asked = clock_ms();
	now = ask_requests(p, at, *memory);
	if (!(*memory)->n_runs)
		return;
	find_clients(p, *memory);
	ask_executions(p, at, driver, *memory);
	pipelines_tell(*memory, snapshot_find_table(s, "queries"), now, s, t);
}

const struct column_spec spark_flow_columns[] = {
	{"pipeline", VALUE_TEXT, UNIT_NONE, 0, "its name, by its spec"},
	{"flow", VALUE_TEXT, UNIT_NONE, 0, "as its definition calls it"},
	{"kind", VALUE_TEXT, UNIT_NONE, 1, "streaming or batch"},
	{"state", VALUE_TEXT, UNIT_NONE, 0, "RUNNING, COMPLETED, FAILED; NOT BEGUN: nothing of it was executed; unknown where that cannot be told"},
	{"since", VALUE_INT, UNIT_TIME, 2, "when its newest attempt began"},
	{"duration", VALUE_INT, UNIT_MS, 2, "how long that takes, or took"},
	{"attempts", VALUE_INT, UNIT_COUNT, 3, "how often it was begun in this run"},
	{"batch", VALUE_INT, UNIT_COUNT, 3, "of a streaming flow the number of its newest batch"},
	{"rows", VALUE_INT, UNIT_COUNT, 3, "of a batch flow that ended how many it wrote"},
	{"why", VALUE_TEXT, UNIT_NONE, 2, "why it failed, or why its state is not known"},
	{"source", VALUE_TEXT, UNIT_NONE, 5, "what told its state"},
	{"defined", VALUE_TEXT, UNIT_NONE, 4, "file and line of its definition"},
	{"run", VALUE_TEXT, UNIT_NONE, 4, "how the run of its pipeline does: RUNNING, COMPLETED, FAILED, CANCELED"},
	{"spec", VALUE_TEXT, UNIT_NONE, 3, "the pipeline's spec file"},
	{"spec_source", VALUE_TEXT, UNIT_NONE, 6, "what named it"},
	{"storage", VALUE_TEXT, UNIT_NONE, 6, "where the pipeline keeps its checkpoints"},
	{"operation", VALUE_TEXT, UNIT_NONE, 7, "id of the run's request"},
	{0},
};
