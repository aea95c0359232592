// SPDX-License-Identifier: MIT
/*
 * Spark history server: applications that ended, and those that still write, read from their event
 * logs; 18080. Its actor's thread.
 *
 * Who: /api/v1/version, and the list of applications that a driver would not give (see spark.h). The
 * version is the server's own; that of an application may be another. How: the newest ended
 * applications and those that run, each list capped: ten thousand of them are 4 MB.
 *
 * What their jobs came to is what only this server knows: a master calls an application whose job
 * failed FINISHED. It has to read the whole event log for it, so it is asked of few at a time, the
 * newest first, once each, and left alone for a while when it took long. Where it does not answer, the
 * directory that it would read tells the same, without jobs: spark_eventlog.c.
 * Source: Spark's ApplicationListResource.scala, FsHistoryProvider.scala; checked on 4.0.5, 4.1.4, 4.2.1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "spark.h"

enum { UI_DEFAULT = 18080, LIMIT = 200, COUNTS_A_LOOK = 16, COUNTS_MS = 1000, COUNT_MS = 2000, SLOW_MS = 1200, REST_MS = 120000 };

struct history { /* p->state */
	struct spark_counted counted[SPARK_APPS_KEPT]; /* a ring */
	size_t n;
	int64_t rests_until;                           /* clock_ms() */
	struct spark_heads *heads;                     /* NULL: it always answered */
};
#define RUNNING_PATH "/api/v1/applications?limit=200&status=running"
#define COMPLETED_PATH "/api/v1/applications?limit=200&status=completed"

/* ---- reading; pure ---- */

static const struct spark_counted *count_of(const struct spark_counted *counted, size_t n, const char *id)
{
	for (size_t i = 0; id && i < n; i++)
		if (!strcmp(counted[i].id, id))
			return &counted[i];
	return NULL;
}

static void row_of(const struct json *app, bool completed, const struct spark_counted *count, struct snapshot *s, struct table *t)
{
	const struct json *attempt = json_first(json_get(app, "attempts")); /* the newest one comes first */
	struct value *row;

	if (t->n_rows >= SPARK_ROWS_MAX) {
		t->left_off++;
		return;
	}
	row = table_row(s, t);
	table_set(s, t, row, "id", json_value_text(app, "id"));
	table_set(s, t, row, "name", json_value_text(app, "name"));
	table_set(s, t, row, "state", value_text(completed ? "COMPLETED" : "INCOMPLETE"));
	table_set(s, t, row, "version", json_value_text(attempt, "appSparkVersion"));
	table_set(s, t, row, "user", json_value_text(attempt, "sparkUser"));
	table_set(s, t, row, "started", json_value_i64(attempt, "startTimeEpoch"));
	if (completed) {
		table_set(s, t, row, "ended", json_value_i64(attempt, "endTimeEpoch"));
		table_set(s, t, row, "duration", json_value_i64(attempt, "duration"));
	}
	if (count && count->jobs_failed >= 0)
		table_set(s, t, row, "jobs_failed", value_int(count->jobs_failed));
	table_set(s, t, row, "updated", json_value_i64(attempt, "lastUpdatedEpoch"));
}

void spark_keep_counted(const struct spark_counted *counted, size_t n, struct snapshot *s, struct table *t)
{
	for (size_t i = 0; t && i < t->n_rows; i++) {
		struct value id = table_get(t, i, "id"), state = table_get(t, i, "state");
		const struct spark_counted *count = id.type == VALUE_TEXT ? count_of(counted, n, id.u.s) : NULL;

		if (count && count->jobs_failed >= 0 && state.type == VALUE_TEXT && !strcmp(state.u.s, "COMPLETED"))
			table_set(s, t, &t->cells[i * t->n_columns], "jobs_failed", value_int(count->jobs_failed));
	}
}

size_t spark_read_history(const struct json *list, bool completed, const struct spark_counted *counted, size_t n_counted, struct snapshot *s,
	struct table *t, int64_t *newest)
{
	size_t n = 0;

	for (const struct json *app = json_first(list); app && json_is_array(list); app = json_next(app)) {
		int64_t updated = spark_number(json_first(json_get(app, "attempts")), "lastUpdatedEpoch");
		const char *id = json_string(json_get(app, "id"));

		if (!id)
			continue;
		n++;
		*newest = updated > *newest ? updated : *newest;
		row_of(app, completed, completed ? count_of(counted, n_counted, id) : NULL, s, t);
	}
	return n;
}

/* ---- asking ---- */

static enum answered identify(struct probe *p, struct identity *who)
{
	char version[SPARK_VERSION_SIZE];
	struct spark_reply reply;
	struct err err;
	enum answered answered = ANSWERED_OTHER;

	switch (spark_ask_rest(p, version, &reply, &err)) {
	case SPARK_REST_HISTORY:
		answered = identity_say(p, who, &kind_spark_history, NULL, SURE_EXACT, version, "GET /api/v1/version", reply.source);
		break;
	case SPARK_REST_DRIVER:
		who->source = "the web UI of a Spark driver";
		break;
	case SPARK_REST_NEITHER:
		answered = spark_failed(p, &kind_spark_history, &reply, &err, who);
		break;
	}
	spark_reply_free(&reply);
	return answered;
}

/* Its version is a few bytes: asked each time. A driver in its place is found out when its socket is another. */
static enum answered pulse(struct probe *p, struct identity *who)
{
	struct spark_reply reply;
	struct err err;
	enum answered answered = ANSWERED_OTHER;
	const char *version;

	if (!spark_get(p, &p->at, "/api/v1/version", "application/json", &reply, &err)) {
		answered = spark_failed(p, &kind_spark_history, &reply, &err, who);
	} else if ((version = spark_rest_version(reply.json)) != NULL) {
		answered = identity_say(p, who, &kind_spark_history, NULL, SURE_EXACT, version, "GET /api/v1/version", reply.source);
	}
	spark_reply_free(&reply);
	return answered;
}

static const struct figure_spec figures[] = {
	{"applications", "apps", UNIT_COUNT, FIGURE_ROW, "applications that ended and are listed"},
	{"incomplete", "running", UNIT_COUNT, FIGURE_ROW | FIGURE_HISTORY, "applications whose event log has no end: they run, or died"},
	{"newest", "newest", UNIT_TIME, FIGURE_ROW, "when an event log was last seen to grow"},
	{"event_log", "event log", UNIT_NONE, 0, "the directory that was read, as no server told of it"},
	{0},
};

static const struct table_spec tables[] = {
	{"applications", "applications: those without an end, then the newest that ended", (const struct column_spec[]){
		{"id", VALUE_TEXT, UNIT_NONE, 0, "its id"},
		{"name", VALUE_TEXT, UNIT_NONE, 0, "as its owner called it"},
		{"state", VALUE_TEXT, UNIT_NONE, 1, "COMPLETED: its event log has an end; INCOMPLETE: it runs, or died"},
		{"jobs_failed", VALUE_INT, UNIT_COUNT, 1, "jobs of it that failed, by its event log; unknown until that was read"},
		{"version", VALUE_TEXT, UNIT_NONE, 2, "of the Spark that ran it"},
		{"started", VALUE_INT, UNIT_TIME, 2, "when it was started"},
		{"ended", VALUE_INT, UNIT_TIME, 3, "when it ended"},
		{"duration", VALUE_INT, UNIT_MS, 3, "how long it ran"},
		{"updated", VALUE_INT, UNIT_TIME, 4, "when its event log was last seen to grow"},
		{"user", VALUE_TEXT, UNIT_NONE, 5, "who started it"},
		{"told_by", VALUE_TEXT, UNIT_NONE, 4, "event log: by its files, as no history server answers; it ended when they were last written"},
		{"size", VALUE_INT, UNIT_BYTES, 6, "of its event log"},
		{"log", VALUE_TEXT, UNIT_NONE, 7, "its event log's name in the directory"},
		{"why", VALUE_TEXT, UNIT_NONE, 5, "why its name is not known"},
		{0},
	}},
	{0},
};

static struct value counted(size_t n)
{
	struct value v = value_int((int64_t)n);

	v.at_least = n >= LIMIT;
	return v;
}

static size_t n_counted(const struct history *h)
{
	return h->n < SPARK_APPS_KEPT ? h->n : SPARK_APPS_KEPT;
}

/* Which of its jobs failed; of an application with attempts of the newest one. */
static void count_failed(struct probe *p, struct history *h, const struct json *app)
{
	const char *id = json_string(json_get(app, "id")), *attempt = json_string(json_get(json_first(json_get(app, "attempts")), "attemptId"));
	struct spark_counted *count = &h->counted[h->n++ % SPARK_APPS_KEPT];
	char path[SPARK_ID_SIZE * 2 + 60];
	struct wait wait = p->wait;
	struct spark_reply reply;
	struct err err;
	int64_t begun = clock_ms();

	*count = (struct spark_counted){.jobs_failed = -1};
	text_copy(count->id, sizeof count->id, text_of(id));
	snprintf(path, sizeof path, "/api/v1/applications/%s%s%s/jobs?status=failed", id, spark_is_id(attempt) ? "/" : "",
		spark_is_id(attempt) ? attempt : "");
	p->wait = wait_left(wait) > COUNT_MS ? wait_for(COUNT_MS, wait.cancel) : wait;
	if (spark_get(p, &p->at, path, "application/json", &reply, &err) && json_is_array(reply.json))
		count->jobs_failed = (int64_t)json_count(reply.json);
	p->wait = wait;
	if (clock_ms() - begun > SLOW_MS)
		h->rests_until = clock_ms() + REST_MS;
	if (count->jobs_failed < 0 && err.code != ERR_PROTOCOL) {
		count->id[0] = '\0'; /* no answer: another time */
		h->n--;
	}
	spark_reply_free(&reply);
}

static void count_some(struct probe *p, struct history *h, const struct json *list)
{
	int64_t begun = clock_ms();
	int asked = 0;

	for (const struct json *app = json_first(list); app && json_is_array(list) && asked < COUNTS_A_LOOK; app = json_next(app)) {
		const char *id = json_string(json_get(app, "id"));

		if (clock_ms() < h->rests_until || clock_ms() - begun > COUNTS_MS || wait_left(p->wait) < COUNT_MS / 2)
			return;
		if (!spark_is_id(id) || count_of(h->counted, n_counted(h), id))
			continue;
		count_failed(p, h, app);
		asked++;
	}
}

static bool inspect(struct probe *p, struct snapshot *s)
{
	static const struct {
		const char *path, *figure;
	} lists[] = {{RUNNING_PATH, "incomplete"}, {COMPLETED_PATH, "applications"}};
	struct table *t = snapshot_table(s, tables, "applications");
	struct history *h = p->state ? p->state : (p->state = mem_new(1, sizeof *h));
	struct spark_reply reply;
	int64_t newest = 0;
	bool good = true;

	for (size_t i = 0; good && i < 2; i++) {
		good = spark_get(p, &p->at, lists[i].path, "application/json", &reply, &s->err);
		if (good) {
			if (i == 1)
				count_some(p, h, reply.json);
			snapshot_figure(s, figures, lists[i].figure, counted(spark_read_history(reply.json, i == 1, h->counted, n_counted(h), s, t,
				&newest)));
			snapshot_health(s, LINK_OK, reply.source, "lists its applications");
		}
		spark_reply_free(&reply);
	}
	if (!good)
		snapshot_health(s, LINK_BAD, "GET /api/v1/applications", "does not list its applications: %s", s->err.words);
	else if (newest)
		snapshot_figure(s, figures, "newest", value_int(newest));
	return good;
}

static bool without(struct probe *p, struct snapshot *s)
{
	const struct spark_specs specs = {figures, tables};
	struct history *h = p->state ? p->state : (p->state = mem_new(1, sizeof *h));
	bool good;

	if (!h->heads)
		h->heads = mem_new(1, sizeof *h->heads);
	good = spark_inspect_event_log(p, h->heads, &specs, s);
	spark_keep_counted(h->counted, n_counted(h), s, snapshot_table(s, tables, "applications"));
	return good;
}

static void forget(void *state)
{
	struct history *h = state;

	free(h->heads);
	free(h);
}

static const char *role_of(struct text hint, uint16_t port)
{
	(void)port; /* it listens for nothing else, wherever its configuration file put it */
	return text_has(hint, "HistoryServer") ? "ui" : NULL;
}

const struct service_kind kind_spark_history = {
	.name = "spark-history",
	.title = "Spark history server",
	.group = "compute",
	.ports = (const struct port_role[]){{"ui", UI_DEFAULT, PORT_ASK, 0}, {0}},
	.owners = (const char *const[]){"org.apache.spark.deploy.history.HistoryServer", NULL},
	.figures = figures,
	.tables = tables,
	.depth_ms = 30000,
	.first_ms = 3000, /* its REST is set up by the first question */
	.role_of = role_of,
	.identify = identify,
	.pulse = pulse,
	.inspect = inspect,
	.without = without,
	.close = forget,
};
