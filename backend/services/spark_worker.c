// SPDX-License-Identifier: MIT
/*
 * Spark standalone worker: the web server on 8081 (8083 and 8084 are common beside others). Its
 * RPC port is another one each time, says nothing, and is never asked. Its actor's thread.
 *
 * Who: /json/ has "masterurl" and "masterwebuiurl"; the version is in the header of its page. Its id
 * begins with when it was started, and tells a new process from the old one.
 *
 * A worker answers as well when its master has long forgotten it. So its health is what the master
 * says: it has to be ALIVE in the master's list. The master is asked where the worker says it is,
 * and only on the worker's own machine: elsewhere its word leads nowhere that a profile named.
 * Source: Spark's JsonProtocol.scala, WorkerPage.scala; checked on 4.0.5, 4.1.4 and 4.2.1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "spark.h"

enum { UI_DEFAULT = 8081, LARGE = 16 << 10, MASTER_MS = 1500, CHURN = 5 };

struct worker { /* p->state */
	struct spark_told told;
	char id[SPARK_ID_SIZE];
	bool large;         /* its /json/ is long: executors that ended are listed, up to a thousand */
	size_t finished;    /* executors that had ended at the last look */
	int64_t looked;     /* clock_ms(); 0: not yet */
};

/* ---- reading; pure ---- */

bool spark_is_worker(const struct json *root)
{
	return json_string(json_get(root, "masterwebuiurl")) && json_string(json_get(root, "masterurl")) &&
	       json_string(json_get(root, "id"));
}

/* "http://localhost:8082/": the parts of it. */
static bool split_url(const char *url, struct text *host, uint16_t *port)
{
	struct text t = text_of(url);
	int64_t number;
	size_t colon;

	if (!text_skip(&t, "http://") && !text_skip(&t, "spark://"))
		return false;
	t = text_until(t, '/');
	for (colon = t.len; colon > 0 && t.at[colon - 1] != ':'; colon--)
		continue;
	if (colon < 2 || !text_i64((struct text){t.at + colon, t.len - colon}, &number) || number < 1 || number > 65535)
		return false;
	*host = (struct text){t.at, colon - 1};
	*port = (uint16_t)number;
	return true;
}

/* "worker-20261129154338-127.0.0.1-44719": the machine it runs on, as it says. */
static struct text host_of(const char *id)
{
	struct text t = text_after(text_after(text_of(id), '-'), '-');

	while (t.len && t.at[t.len - 1] != '-')
		t.len--;
	return t.len ? (struct text){t.at, t.len - 1} : t;
}

static bool same_text(struct text a, struct text b)
{
	return a.len > 0 && a.len == b.len && !memcmp(a.at, b.at, a.len);
}

uint16_t spark_master_beside(const struct json *worker)
{
	struct text own = host_of(json_string(json_get(worker, "id"))), host, rpc_host = TEXT("");
	uint16_t port, rpc;

	if (!split_url(json_string(json_get(worker, "masterwebuiurl")), &host, &port))
		return 0;
	split_url(json_string(json_get(worker, "masterurl")), &rpc_host, &rpc);
	if (text_is(host, "localhost") || text_starts(host, "127.") || text_is(host, "[::1]") || same_text(host, own) ||
	    same_text(rpc_host, own))
		return port;
	return 0;
}

void spark_judge_worker(const struct json *workers, const char *id, const char *source, struct snapshot *s)
{
	for (const struct json *w = json_first(json_get(workers, "workers")); w; w = json_next(w)) {
		const char *state = json_string(json_get(w, "state"));

		if (!spark_state_is(w, "id", id))
			continue;
		if (state && !strcmp(state, "ALIVE"))
			snapshot_health(s, LINK_OK, source, "its master counts it as alive");
		else
			snapshot_health(s, LINK_BAD, source, "its master counts it as %s", state ? state : "unknown");
		return;
	}
	snapshot_health(s, LINK_BAD, source, "its master does not know it");
}

bool spark_read_worker(const struct json *root, const struct spark_specs *specs, struct snapshot *s)
{
	const struct figure_spec *f = specs->figures;
	struct table *t;

	if (!spark_is_worker(root))
		return false;
	snapshot_figure(s, f, "executors", value_int((int64_t)json_count(json_get(root, "executors"))));
	snapshot_figure(s, f, "finished", value_int((int64_t)json_count(json_get(root, "finishedexecutors"))));
	snapshot_figure(s, f, "cores", json_value_i64(root, "cores"));
	snapshot_figure(s, f, "cores_used", json_value_i64(root, "coresused"));
	snapshot_figure(s, f, "memory", spark_mebibytes(root, "memory"));
	snapshot_figure(s, f, "memory_used", spark_mebibytes(root, "memoryused"));
	snapshot_figure(s, f, "id", json_value_text(root, "id"));
	snapshot_figure(s, f, "master", json_value_text(root, "masterurl"));
	t = snapshot_table(s, specs->tables, "executors");
	for (const struct json *e = json_first(json_get(root, "executors")); e; e = json_next(e)) {
		const struct json *app = json_get(e, "appdesc");
		struct value *row;

		if (t->n_rows >= SPARK_ROWS_MAX) {
			t->left_off++;
			continue;
		}
		row = table_row(s, t);
		table_set(s, t, row, "id", json_value_i64(e, "id"));
		table_set(s, t, row, "application", json_value_text(e, "appid"));
		table_set(s, t, row, "name", json_value_text(app, "name"));
		table_set(s, t, row, "memory", spark_mebibytes(e, "memory"));
		table_set(s, t, row, "user", json_value_text(app, "user"));
	}
	return true;
}

/* ---- asking ---- */

static struct worker *state_of(struct probe *p)
{
	if (!p->state)
		p->state = mem_new(1, sizeof(struct worker));
	return p->state;
}

static enum answered take_identity(struct probe *p, struct worker *w, const struct spark_reply *reply, struct identity *who)
{
	if (!spark_is_worker(reply->json)) {
		who->source = arena_clean(p->arena, text_of(reply->source));
		return ANSWERED_OTHER;
	}
	text_copy(w->id, sizeof w->id, text_of(json_string(json_get(reply->json, "id"))));
	w->large = reply->bytes > LARGE;
	spark_ask_version(p, "/", &w->told);
	return identity_say(p, who, &kind_spark_worker, NULL, SURE_EXACT, w->told.version[0] ? w->told.version : NULL, "GET /",
		reply->source);
}

static enum answered identify(struct probe *p, struct identity *who)
{
	struct worker *w = state_of(p);
	struct spark_reply reply;
	struct err err;
	enum answered answered;

	if (spark_get(p, &p->at, "/json/", "text/json", &reply, &err))
		answered = take_identity(p, w, &reply, who);
	else
		answered = spark_failed(p, &kind_spark_worker, &reply, &err, who);
	spark_reply_free(&reply);
	return answered;
}

/* The gauges say less than /json/, but never more than a thousand bytes. */
static bool is_alive(const struct worker *w, const struct json *root)
{
	if (w->large)
		return !json_is_null(json_get(json_get(root, "gauges"), "worker.executors"));
	return spark_is_worker(root) && spark_state_is(root, "id", w->id);
}

static enum answered pulse(struct probe *p, struct identity *who)
{
	struct worker *w = state_of(p);
	struct spark_reply reply;
	struct err err;
	enum answered answered;

	if (spark_version_due(p, &w->told))
		return identify(p, who);
	if (!spark_get(p, &p->at, w->large ? "/metrics/json/" : "/json/", "text/json", &reply, &err)) {
		answered = spark_failed(p, &kind_spark_worker, &reply, &err, who);
	} else if (is_alive(w, reply.json)) {
		who->source = arena_clean(p->arena, text_of(reply.source));
		answered = ANSWERED_YES;
	} else {
		answered = w->large ? ANSWERED_OTHER : take_identity(p, w, &reply, who); /* another worker, or none */
	}
	spark_reply_free(&reply);
	return answered;
}

static void ask_master(struct probe *p, const struct json *worker, struct snapshot *s)
{
	const char *page = json_string(json_get(worker, "masterwebuiurl"));
	struct endpoint at = p->at;
	struct wait wait = p->wait;
	struct spark_reply reply;
	struct err err;

	at.port = spark_master_beside(worker);
	if (!page[0]) {
		snapshot_health(s, LINK_BAD, "GET /json/", "it is not registered with a master");
		return;
	}
	if (!at.port) {
		snapshot_health(s, LINK_UNKNOWN, "GET /json/", "its master (%s) is on another machine, and was not asked about it", page);
		return;
	}
	if (wait_left(wait) > MASTER_MS)
		p->wait = wait_for(MASTER_MS, wait.cancel);
	if (spark_get(p, &at, "/json/workers", "text/json", &reply, &err))
		spark_judge_worker(reply.json, json_string(json_get(worker, "id")), "GET /json/workers of its master", s);
	else if (err.code == ERR_CONNECT || err.code == ERR_TIMEOUT)
		snapshot_health(s, LINK_BAD, "GET /json/workers of its master", "its master does not answer: %s", err.words);
	else if (err.code != ERR_CANCELLED)
		snapshot_health(s, LINK_UNKNOWN, "GET /json/workers of its master", "what answers in its master's place: %s", err.words);
	spark_reply_free(&reply);
	p->wait = wait;
}

/* Executors that die at once are started again for ever, and the application counts as running. */
static void look_for_churn(struct worker *w, const struct json *worker, struct snapshot *s)
{
	size_t finished = json_count(json_get(worker, "finishedexecutors"));
	char span[CLOCK_TEXT];

	if (w->looked && finished > w->finished && finished - w->finished > CHURN + (size_t)spark_number(worker, "cores"))
		snapshot_finding(s, "executors-die", SEVERITY_WARNING, "read the stderr of one of them",
			"%zu executors ended within %s: they may die as soon as they start", finished - w->finished,
			clock_span(span, clock_ms() - w->looked));
	w->finished = finished;
	w->looked = clock_ms();
}

static const struct figure_spec figures[] = {
	{"executors", "executors", UNIT_COUNT, FIGURE_ROW | FIGURE_HISTORY, "executors that run here"},
	{"cores_used", "cores used", UNIT_CORES, FIGURE_ROW | FIGURE_HISTORY, "cores that executors hold"},
	{"cores", "cores", UNIT_CORES, 0, "cores that it offers"},
	{"memory_used", "memory used", UNIT_BYTES, FIGURE_HISTORY, "memory that executors hold"},
	{"memory", "memory", UNIT_BYTES, 0, "memory that it offers"},
	{"finished", "finished", UNIT_COUNT, 0, "executors that ended and are remembered (spark.worker.ui.retainedExecutors)"},
	{"id", "id", UNIT_NONE, 0, "begins with when it was started"},
	{"master", "master", UNIT_NONE, 0, "the master that it registered with"},
	{0},
};

static const struct table_spec tables[] = {
	{"executors", "executors that run here", (const struct column_spec[]){
		{"id", VALUE_INT, UNIT_NONE, 0, "number within its application"},
		{"application", VALUE_TEXT, UNIT_NONE, 0, "whose it is"},
		{"name", VALUE_TEXT, UNIT_NONE, 1, "the application's name"},
		{"memory", VALUE_INT, UNIT_BYTES, 2, "memory that it holds"},
		{"user", VALUE_TEXT, UNIT_NONE, 3, "who started the application"},
		{0},
	}},
	{0},
};

static bool inspect(struct probe *p, struct snapshot *s)
{
	static const struct spark_specs specs = {figures, tables};
	struct worker *w = state_of(p);
	struct spark_reply reply;
	bool good = spark_get(p, &p->at, "/json/", "text/json", &reply, &s->err);

	if (good && !spark_read_worker(reply.json, &specs, s))
		good = err_set(&s->err, ERR_PARSE, "GET /json/: not of a worker");
	if (good) {
		w->large = reply.bytes > LARGE;
		ask_master(p, reply.json, s);
		look_for_churn(w, reply.json, s);
	}
	spark_reply_free(&reply);
	return good;
}

static const char *role_of(struct text hint, uint16_t port)
{
	uint16_t ui = spark_option_port(hint, "--webui-port");

	return spark_port_near(port, ui ? ui : UI_DEFAULT) ? "ui" : NULL;
}

const struct service_kind kind_spark_worker = {
	.name = "spark-worker",
	.title = "Spark worker",
	.group = "compute",
	.ports = (const struct port_role[]){{"ui", UI_DEFAULT, PORT_ASK, 8084}, {0}},
	.owners = (const char *const[]){"org.apache.spark.deploy.worker.Worker", NULL},
	.figures = figures,
	.tables = tables,
	.role_of = role_of,
	.identify = identify,
	.pulse = pulse,
	.inspect = inspect,
	.close = free,
};
