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

enum { UI_DEFAULT = 8081, LARGE = 16 << 10, HUGE = 512 << 10, WHOLE_EVERY_MS = 60000, MASTER_MS = 1500, ENDED_MAX = 20, CHURN = 5, CHURN_MS = 10000 };

struct worker { /* p->state */
	struct spark_told told;
	char id[SPARK_ID_SIZE];
	uint16_t master;     /* the port of its master's web server on this machine; 0: there is none */
	char page[128];      /* where it says that is; "" it has no master */
	size_t bytes;        /* of its /json/: it lists executors that ended, up to a thousand, each with its command */
	int64_t looked;      /* clock_ms() of the last whole look; 0: not yet */
	struct snapshot *whole; /* what it saw */
	char ended_app[SPARK_ID_SIZE];
	int64_t ended;       /* number of the executor of that application that ended last */
};

/* ---- reading; pure ---- */

bool spark_is_worker(const struct json *root)
{
	return json_string(json_get(root, "masterwebuiurl")) && json_string(json_get(root, "masterurl")) &&
	       json_string(json_get(root, "id"));
}

/* "worker-20261129154338-127.0.0.1-44719": the machine it runs on, as it says. */
static struct text host_of(const char *id)
{
	struct text t = text_after(text_after(text_of(id), '-'), '-');

	while (t.len && t.at[t.len - 1] != '-')
		t.len--;
	return t.len ? (struct text){t.at, t.len - 1} : t;
}

uint16_t spark_master_beside(const struct json *worker)
{
	return spark_port_beside(json_string(json_get(worker, "masterwebuiurl")), json_string(json_get(worker, "masterurl")),
		host_of(json_string(json_get(worker, "id"))));
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

/* All but the first skip. */
static void read_executors(const struct json *list, size_t skip, struct table *t, struct snapshot *s)
{
	for (const struct json *e = json_first(list); e; e = json_next(e)) {
		const struct json *app = json_get(e, "appdesc");
		struct value *row;

		if (skip || t->n_rows >= SPARK_ROWS_MAX) {
			skip -= skip > 0;
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
}

bool spark_read_worker(const struct json *root, const struct spark_specs *specs, struct snapshot *s)
{
	const struct figure_spec *f = specs->figures;
	size_t ended;

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
	read_executors(json_get(root, "executors"), 0, snapshot_table(s, specs->tables, "executors"), s);
	ended = json_count(json_get(root, "finishedexecutors"));
	read_executors(json_get(root, "finishedexecutors"), ended > ENDED_MAX ? ended - ENDED_MAX : 0, snapshot_table(s, specs->tables, "ended"), s);
	return true;
}

bool spark_read_worker_gauges(const struct json *metrics, const struct spark_specs *specs, struct snapshot *s)
{
	static const char *const names[][2] = {{"worker.executors", "executors"}, {"worker.coresUsed", "cores_used"},
		{"worker.coresFree", "cores"}, {"worker.memUsed_MB", "memory_used"}, {"worker.memFree_MB", "memory"}};
	const struct json *gauges = json_get(metrics, "gauges");
	int64_t n[5];

	for (size_t i = 0; i < 5; i++)
		if (!json_i64(json_get(json_get(gauges, names[i][0]), "value"), &n[i]) || n[i] < 0 || n[i] > INT32_MAX)
			return false;
	n[2] += n[1]; /* in all, not only those that are free */
	n[4] += n[3];
	for (size_t i = 0; i < 5; i++)
		snapshot_figure(s, specs->figures, names[i][1], value_int(i < 3 ? n[i] : n[i] << 20));
	return true;
}

/* ---- asking ---- */

static struct worker *state_of(struct probe *p)
{
	if (!p->state)
		p->state = mem_new(1, sizeof(struct worker));
	return p->state;
}

static void remember(struct worker *w, const struct json *root)
{
	text_copy(w->id, sizeof w->id, text_of(json_string(json_get(root, "id"))));
	text_copy(w->page, sizeof w->page, text_of(json_string(json_get(root, "masterwebuiurl"))));
	w->master = spark_master_beside(root);
}

static enum answered take_identity(struct probe *p, struct worker *w, const struct spark_reply *reply, struct identity *who)
{
	if (!spark_is_worker(reply->json)) {
		who->source = arena_clean(p->arena, text_of(reply->source));
		return ANSWERED_OTHER;
	}
	remember(w, reply->json);
	w->bytes = reply->bytes;
	w->looked = 0;
	spark_ask_version(p, "/", &w->told);
	return identity_say(p, who, &kind_spark_worker, NULL, SURE_EXACT, w->told.version[0] ? w->told.version : NULL, "GET /",
		reply->source);
}

static bool has_gauges(const struct json *metrics)
{
	return !json_is_null(json_get(json_get(metrics, "gauges"), "worker.executors"));
}

/* One whose /json/ is too much to read is still known by its gauges. */
static enum answered identify_huge(struct probe *p, struct worker *w, struct identity *who)
{
	struct spark_reply reply;
	struct err err;
	enum answered answered = ANSWERED_OTHER;

	if (spark_get(p, &p->at, "/metrics/json/", "text/json", &reply, &err) && has_gauges(reply.json)) {
		w->bytes = SPARK_BODY_MAX;
		w->looked = clock_ms();
		w->id[0] = '\0';
		spark_ask_version(p, "/", &w->told);
		answered = identity_say(p, who, &kind_spark_worker, NULL, SURE_EXACT, w->told.version[0] ? w->told.version : NULL, "GET /",
			reply.source);
	}
	spark_reply_free(&reply);
	return answered;
}

static enum answered identify(struct probe *p, struct identity *who)
{
	struct worker *w = state_of(p);
	struct spark_reply reply;
	struct err err;
	enum answered answered;

	if (spark_get(p, &p->at, "/json/", "text/json", &reply, &err))
		answered = take_identity(p, w, &reply, who);
	else if (err.code == ERR_LIMIT)
		answered = identify_huge(p, w, who);
	else
		answered = spark_failed(p, &kind_spark_worker, &reply, &err, who);
	spark_reply_free(&reply);
	return answered;
}

/* The gauges say less than /json/, but always in a thousand bytes. */
static bool is_alive(const struct worker *w, const struct json *root)
{
	if (w->bytes > LARGE)
		return has_gauges(root);
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
	if (!spark_get(p, &p->at, w->bytes > LARGE ? "/metrics/json/" : "/json/", "text/json", &reply, &err)) {
		answered = spark_failed(p, &kind_spark_worker, &reply, &err, who);
	} else if (is_alive(w, reply.json)) {
		who->source = arena_clean(p->arena, text_of(reply.source));
		answered = ANSWERED_YES;
	} else {
		answered = w->bytes > LARGE ? ANSWERED_OTHER : take_identity(p, w, &reply, who); /* another worker, or none */
	}
	spark_reply_free(&reply);
	return answered;
}

static void ask_master(struct probe *p, const struct worker *w, struct snapshot *s)
{
	static const char source[] = "GET /json/workers of its master";
	struct endpoint at = p->at;
	struct wait wait = p->wait;
	struct spark_reply reply;
	struct err err;

	at.port = w->master;
	if (!w->id[0]) {
		snapshot_health(s, LINK_UNKNOWN, "GET /json/", "its list of executors is too long to be read, and its id is in it");
		return;
	}
	if (!w->page[0]) {
		snapshot_health(s, LINK_BAD, "GET /json/", "it is not registered with a master");
		return;
	}
	if (!at.port) {
		snapshot_health(s, LINK_UNKNOWN, "GET /json/", "its master (%s) is on another machine, and was not asked about it", w->page);
		return;
	}
	if (wait_left(wait) > MASTER_MS)
		p->wait = wait_for(MASTER_MS, wait.cancel);
	if (spark_get(p, &at, "/json/workers", "text/json", &reply, &err))
		spark_judge_worker(reply.json, w->id, source, s);
	else if (err.code == ERR_CONNECT || err.code == ERR_TIMEOUT)
		snapshot_health(s, LINK_BAD, source, "its master does not answer: %s", err.words);
	else if (err.code != ERR_CANCELLED)
		snapshot_health(s, LINK_UNKNOWN, source, "what answers in its master's place: %s", err.words);
	spark_reply_free(&reply);
	p->wait = wait;
}

/* Executors that die at once are started again for ever, under a new number, and the application counts as running. */
static void look_for_churn(struct worker *w, const struct json *root, struct snapshot *s)
{
	const struct json *last = NULL;
	const char *app;
	int64_t now = clock_ms(), id, span = now - w->looked;
	char shown[CLOCK_TEXT];

	for (const struct json *e = json_first(json_get(root, "finishedexecutors")); e; e = json_next(e))
		last = e;
	app = json_string(json_get(last, "appid"));
	if (app && json_i64(json_get(last, "id"), &id) && id >= 0 && id < INT32_MAX) {
		if (w->looked && !strcmp(app, w->ended_app) && (id - w->ended) * CHURN_MS > CHURN * span)
			snapshot_finding(s, "executors-die", SEVERITY_WARNING, "read the stderr of one of them",
				"%lld executors of %s ended within %s: they may die as soon as they start", (long long)(id - w->ended), app,
				clock_span(shown, span));
		text_copy(w->ended_app, sizeof w->ended_app, text_of(app));
		w->ended = id;
	}
	w->looked = now;
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

static const struct column_spec executor_columns[] = {
	{"id", VALUE_INT, UNIT_NONE, 0, "number within its application"},
	{"application", VALUE_TEXT, UNIT_NONE, 0, "whose it is"},
	{"name", VALUE_TEXT, UNIT_NONE, 1, "the application's name"},
	{"memory", VALUE_INT, UNIT_BYTES, 2, "memory that it holds"},
	{"user", VALUE_TEXT, UNIT_NONE, 3, "who started the application"},
	{0},
};

static const struct table_spec tables[] = {
	{"executors", "executors that run here", executor_columns},
	{"ended", "executors that ran here, the newest last", executor_columns},
	{0},
};

static bool inspect_whole(struct probe *p, struct worker *w, const struct spark_specs *specs, struct snapshot *s)
{
	struct spark_reply reply;
	bool good = spark_get(p, &p->at, "/json/", "text/json", &reply, &s->err);

	if (good && !spark_read_worker(reply.json, specs, s))
		good = err_set(&s->err, ERR_PARSE, "GET /json/: not of a worker");
	if (good) {
		remember(w, reply.json);
		w->bytes = reply.bytes;
		look_for_churn(w, reply.json, s);
		snapshot_unref(w->whole);
		w->whole = snapshot_ref(s);
	}
	spark_reply_free(&reply);
	return good;
}

static void add_remembered_rows(const struct snapshot *whole, const char *name, const struct spark_specs *specs, struct snapshot *s)
{
	const struct table *from = snapshot_find_table(whole, name);
	struct table *to;

	if (!from)
		return;
	to = snapshot_table(s, specs->tables, name);
	for (size_t row = 0; row < from->n_rows; row++) {
		struct value *cells = table_row(s, to);

		for (size_t i = 0; i < from->n_columns; i++)
			table_set(s, to, cells, from->spec->columns[i].name, from->cells[row * from->n_columns + i]);
	}
	to->left_off += from->left_off;
}

/* What the gauges do not have, as it was when the whole was looked at. */
static void add_remembered(const struct snapshot *whole, const struct spark_specs *specs, struct snapshot *s)
{
	static const char *const names[] = {"finished", "id", "master"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		snapshot_figure(s, specs->figures, names[i], snapshot_get(whole, names[i]));
	for (size_t i = 0; whole && i < whole->n_findings; i++)
		snapshot_finding(s, whole->findings[i].name, whole->findings[i].severity, whole->findings[i].remedy, "%s",
			whole->findings[i].reason);
	add_remembered_rows(whole, "executors", specs, s);
	add_remembered_rows(whole, "ended", specs, s);
}

static bool inspect_gauges(struct probe *p, const struct worker *w, const struct spark_specs *specs, struct snapshot *s)
{
	struct spark_reply reply;
	bool good = spark_get(p, &p->at, "/metrics/json/", "text/json", &reply, &s->err);

	if (good && !spark_read_worker_gauges(reply.json, specs, s))
		good = err_set(&s->err, ERR_PARSE, "GET /metrics/json/: not of a worker");
	if (good)
		add_remembered(w->whole, specs, s);
	spark_reply_free(&reply);
	return good;
}

static bool inspect(struct probe *p, struct snapshot *s)
{
	static const struct spark_specs specs = {figures, tables};
	struct worker *w = state_of(p);
	bool good = false, whole = w->bytes <= HUGE || !w->looked || clock_ms() - w->looked >= WHOLE_EVERY_MS;

	if (whole)
		good = inspect_whole(p, w, &specs, s);
	if (whole && s->err.code == ERR_LIMIT) {
		w->bytes = SPARK_BODY_MAX;
		w->looked = clock_ms();
		whole = false;
	}
	if (!whole)
		good = inspect_gauges(p, w, &specs, s);
	if (good)
		ask_master(p, w, s);
	return good;
}

static void close_state(void *state)
{
	struct worker *w = state;

	snapshot_unref(w->whole);
	free(w);
}

static const char *role_of(struct text hint, uint16_t port)
{
	uint16_t ui = option_port(hint, "--webui-port");

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
	.close = close_state,
};
