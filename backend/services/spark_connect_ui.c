// SPDX-License-Identifier: MIT
/*
 * The web UI of the driver that a Spark Connect is: found by the profile, by its settings, or by the usual
 * numbers, and taken for its own where the id of its application says so. The actor's thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "profile.h"
#include "spark_connect.h"
#include "spark_pipelines.h"

#define CONNECT_PAGE "/connect/?sqlstat.pageSize=1&sessionstat.pageSize=1"
#define WORK_PAGE "/connect/?sqlstat.pageSize=40&sessionstat.pageSize=60"

enum { UI_FIRST = CONNECT_UI_FIRST, UI_TRIES = 4 };

/* The page for Connect tells its UI from that of any driver; once known, the version is enough. */
enum answered connect_identify_ui(struct probe *p, bool known, struct identity *who)
{
	struct spark_reply reply;
	struct http_answer page = {0};
	struct err err;
	enum answered answered;
	int64_t sessions, requests;

	if (!spark_get(p, &p->at, "/api/v1/version", "application/json", &reply, &err)) {
		answered = spark_failed(p, &kind_spark_connect, &reply, &err, who);
	} else if (spark_rest_version(reply.json) && (known || (http_get(p, &p->at, CONNECT_PAGE, &page, NULL) &&
		   connect_read_sessions(buf_text(&page.body), &sessions, &requests)))) {
		answered = identity_say(p, who, &kind_spark_connect, "ui", SURE_EXACT, spark_rest_version(reply.json),
			"GET /api/v1/version", reply.source);
	} else {
		who->source = arena_clean(p->arena, text_of(reply.source));
		answered = ANSWERED_OTHER;
	}
	http_answer_free(&page);
	spark_reply_free(&reply);
	return answered;
}

/* Is the driver whose web UI is on that port this server? By the id of its application; without
 * settings, which a token keeps from us, by its page for Connect. */
static bool is_own_ui(struct probe *p, const struct connect_settings *settings, const struct endpoint *at)
{
	const char *id = connect_setting(settings, "spark.app.id");
	struct http_answer page = {0};
	struct spark_reply reply;
	struct err err;
	int64_t sessions, requests;
	bool own = false;

	if (id) {
		own = spark_get(p, at, "/api/v1/applications?limit=1", "application/json", &reply, &err) &&
		      spark_state_is(json_first(reply.json), "id", id);
		spark_reply_free(&reply);
	} else if (http_get(p, at, CONNECT_PAGE, &page, NULL)) {
		own = connect_read_sessions(buf_text(&page.body), &sessions, &requests);
	}
	http_answer_free(&page);
	return own;
}

/* Where the profile says, else where the process was told to be; where that was taken it took the next free port. */
void connect_find_ui(struct probe *p, struct connect_ui *ui, const struct connect_settings *settings)
{
	const char *set = connect_setting(settings, "spark.ui.port");
	struct endpoint at = p->at;
	int64_t first = p->expected ? expected_role_port(p->expected, "ui") : 0;

	if (!first && (!set || !text_i64(text_of(set), &first)))
		first = UI_FIRST;
	ui->tried = clock_ms();
	for (int64_t port = first; !ui->port && port > 0 && port < 65536 && port < first + UI_TRIES; port++) {
		if (port > first && !spark_port_near((uint16_t)port, UI_FIRST))
			break; /* beyond the usual numbers nothing says that a Spark is there */
		if (port == p->at.port)
			continue; /* its service is there: it would log HTTP/1 as an error */
		at.port = (uint16_t)port;
		if (is_own_ui(p, settings, &at))
			ui->port = at.port;
	}
}

static void ask_sessions(struct probe *p, struct connect_ui *ui, const struct endpoint *at, struct snapshot *s, const struct spark_specs *specs)
{
	struct table *open = snapshot_table(s, specs->tables, "sessions"), *executions = snapshot_table(s, specs->tables, "executions");
	struct http_answer page;
	int64_t sessions, requests, now;

	if (http_get(p, at, WORK_PAGE, &page, NULL) && connect_read_sessions(buf_text(&page.body), &sessions, &requests)) {
		now = spark_http_date(http_header(&page, "Date"));
		snapshot_figure(s, specs->figures, "sessions", value_int(sessions));
		snapshot_figure(s, specs->figures, "requests", value_int(requests));
		connect_read_session_rows(buf_text(&page.body), now, s, open);
		connect_read_execution_rows(buf_text(&page.body), now, s, executions);
		spark_inspect_pipelines(p, at, &ui->pipelines, &ui->memory, specs, buf_text(&page.body), s);
	}
	http_answer_free(&page);
}

static bool inspect_work(struct probe *p, struct connect_ui *ui, const char *version, struct snapshot *s, const struct spark_specs *specs)
{
	struct endpoint at = p->at;
	struct spark_work work = {0};
	struct health service = s->health;
	struct err err = s->err;
	bool good;

	at.port = ui->port;
	good = spark_inspect_driver(p, &at, specs, &ui->memory, s, &work);
	if (good)
		spark_find_in_work(&work, &ui->memory, SEVERITY_INFO, s); /* whose query failed was told so */
	if (good && version[0] && strcmp(work.version, version) != 0)
		snapshot_finding(s, "versions-differ", SEVERITY_WARNING, NULL, "its web UI says Spark %s, its service %s", work.version,
			version);
	/* what serves is the service: its UI adds that nobody is left to run what it takes */
	if (!good || s->health.state != LINK_BAD)
		s->health = service;
	s->err = err;
	return good;
}

/* By its settings, which its UI shows. Its default where it was not set. */
uint16_t connect_service_port(struct probe *p)
{
	char path[SPARK_ID_SIZE + 60];
	struct spark_reply reply;
	struct err err;
	int64_t port = 0;
	const char *id = NULL;

	if (spark_get(p, &p->at, "/api/v1/applications?limit=1", "application/json", &reply, &err))
		id = json_string(json_get(json_first(reply.json), "id"));
	snprintf(path, sizeof path, "/api/v1/applications/%.*s/environment", SPARK_ID_SIZE, id && spark_is_id(id) ? id : "");
	spark_reply_free(&reply);
	if (path[sizeof "/api/v1/applications/" - 1] == '/' || !spark_get(p, &p->at, path, "application/json", &reply, &err))
		return 0;
	port = kind_spark_connect.ports[0].port;
	for (const struct json *pair = json_first(json_get(reply.json, "sparkProperties")); pair; pair = json_next(pair)) {
		const char *key = json_string(json_first(pair)), *value = json_string(json_next(json_first(pair)));
		int64_t set;

		if (key && !strcmp(key, "spark.connect.grpc.binding.port") && text_i64(text_of(value), &set) && set > 0 && set < 65536)
			port = set;
	}
	spark_reply_free(&reply);
	return (uint16_t)port;
}

void connect_forget_ui(struct connect_ui *ui)
{
	free(ui->pipelines);
	*ui = (struct connect_ui){0};
}

bool connect_inspect_ui(struct probe *p, struct connect_ui *ui, const char *version, struct snapshot *s, const struct spark_specs *specs)
{
	struct endpoint at = p->at;

	if (!ui->port || !inspect_work(p, ui, version, s, specs))
		return false;
	at.port = ui->port;
	snapshot_figure(s, specs->figures, "ui", value_text(arena_printf(s->arena, "%s:%u", at.address, at.port)));
	ask_sessions(p, ui, &at, s, specs);
	return true;
}
