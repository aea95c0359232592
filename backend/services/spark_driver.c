// SPDX-License-Identifier: MIT
/*
 * Spark driver: the web UI of one running application, on 4040 and up. What it says of its work is
 * read in spark_work.c, for Spark Connect is a driver too. Its actor's thread.
 *
 * Who: /api/v1/version and the one application of /api/v1/applications that is not completed;
 * where a history server could say the same, / tells them apart. The revision is in the Prometheus
 * text of its executors.
 * Source: Spark's status/api/v1, "Monitoring" in its documentation; checked on 4.0.5, 4.1.4, 4.2.1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "spark.h"

enum { METRICS_MAX = 64 << 10, REVISION_SIZE = 48 };

struct driver { /* p->state */
	char application[SPARK_ID_SIZE];
	char revision[REVISION_SIZE];
	struct spark_memory memory;
};

/* "spark_info{version="4.1.4", revision="45b9..."} 1.0" */
static struct text revision_of(struct text metrics)
{
	struct text revision = text_between(text_between(metrics, "spark_info{", "}"), "revision=\"", "\"");

	return revision.len < REVISION_SIZE ? revision : TEXT("");
}

/* ---- asking ---- */

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
	struct driver *d = p->state ? p->state : (p->state = mem_new(1, sizeof *d));
	struct spark_work work = {0};

	if (!spark_inspect_driver(p, &p->at, &specs, &d->memory, s, &work))
		return false;
	spark_find_in_work(&work, &d->memory, SEVERITY_WARNING, s);
	return true;
}

/* The owner's words name the port where it was set; a driver takes the next free one. */
static const char *role_of(struct text hint, uint16_t port)
{
	uint16_t wanted = option_port(hint, "spark.ui.port");

	if (text_has(hint, "SparkConnectServer"))
		return NULL;
	return spark_port_near(port, wanted ? wanted : 4040) ? "ui" : NULL;
}

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
