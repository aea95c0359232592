// SPDX-License-Identifier: MIT
/*
 * Spark history server: applications that ended, and those that still write, read from their event
 * logs; 18080. Its actor's thread.
 *
 * Who: /api/v1/version, and the list of applications that a driver would not give (see spark.h). The
 * version is the server's own; that of an application may be another. How: the newest ended
 * applications and those that run, each list capped: ten thousand of them are 4 MB.
 * Source: Spark's ApplicationListResource.scala, FsHistoryProvider.scala; checked on 4.0.5, 4.1.4, 4.2.1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "spark.h"

enum { UI_DEFAULT = 18080, LIMIT = 200 };
#define RUNNING_PATH "/api/v1/applications?limit=200&status=running"
#define COMPLETED_PATH "/api/v1/applications?limit=200&status=completed"

/* ---- reading; pure ---- */

static void row_of(const struct json *app, const struct json *attempt, bool completed, struct snapshot *s, struct table *t)
{
	struct value *row;

	if (t->n_rows >= SPARK_ROWS_MAX) {
		t->left_off++;
		return;
	}
	row = table_row(s, t);
	table_set(s, t, row, "id", json_value_text(app, "id"));
	table_set(s, t, row, "name", json_value_text(app, "name"));
	table_set(s, t, row, "completed", value_bool(completed));
	table_set(s, t, row, "version", json_value_text(attempt, "appSparkVersion"));
	table_set(s, t, row, "user", json_value_text(attempt, "sparkUser"));
	table_set(s, t, row, "started", json_value_i64(attempt, "startTimeEpoch"));
	if (completed) {
		table_set(s, t, row, "ended", json_value_i64(attempt, "endTimeEpoch"));
		table_set(s, t, row, "duration", json_value_i64(attempt, "duration"));
	}
	table_set(s, t, row, "updated", json_value_i64(attempt, "lastUpdatedEpoch"));
}

size_t spark_read_history(const struct json *list, bool completed, struct snapshot *s, struct table *t, int64_t *newest)
{
	size_t n = 0;

	for (const struct json *app = json_first(list); app && json_is_array(list); app = json_next(app)) {
		const struct json *attempt = json_first(json_get(app, "attempts")); /* the newest one comes first */
		int64_t updated = spark_number(attempt, "lastUpdatedEpoch");

		if (!json_string(json_get(app, "id")))
			continue;
		n++;
		*newest = updated > *newest ? updated : *newest;
		row_of(app, attempt, completed, s, t);
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
	{0},
};

static const struct table_spec tables[] = {
	{"applications", "applications: those without an end, then the newest that ended", (const struct column_spec[]){
		{"id", VALUE_TEXT, UNIT_NONE, 0, "its id"},
		{"name", VALUE_TEXT, UNIT_NONE, 0, "as its owner called it"},
		{"completed", VALUE_BOOL, UNIT_NONE, 1, "its event log has an end"},
		{"version", VALUE_TEXT, UNIT_NONE, 2, "of the Spark that ran it"},
		{"started", VALUE_INT, UNIT_TIME, 2, "when it was started"},
		{"ended", VALUE_INT, UNIT_TIME, 3, "when it ended"},
		{"duration", VALUE_INT, UNIT_MS, 3, "how long it ran"},
		{"updated", VALUE_INT, UNIT_TIME, 4, "when its event log was last seen to grow"},
		{"user", VALUE_TEXT, UNIT_NONE, 5, "who started it"},
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

static bool inspect(struct probe *p, struct snapshot *s)
{
	static const struct {
		const char *path, *figure;
	} lists[] = {{RUNNING_PATH, "incomplete"}, {COMPLETED_PATH, "applications"}};
	struct table *t = snapshot_table(s, tables, "applications");
	struct spark_reply reply;
	int64_t newest = 0;
	bool good = true;

	for (size_t i = 0; good && i < 2; i++) {
		good = spark_get(p, &p->at, lists[i].path, "application/json", &reply, &s->err);
		if (good) {
			snapshot_figure(s, figures, lists[i].figure, counted(spark_read_history(reply.json, i == 1, s, t, &newest)));
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

static const char *role_of(struct text hint, uint16_t port)
{
	uint16_t set = spark_option_port(hint, "spark.history.ui.port");

	return spark_port_near(port, set ? set : UI_DEFAULT) ? "ui" : NULL;
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
};
