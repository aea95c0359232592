// SPDX-License-Identifier: MIT
/*
 * A Spark application is killed by the master's own page, a driver by its REST server for submissions.
 * From 4.0.5 on the page wants a token that it puts into its form while an application is active;
 * older ones have a form without one. Done is what the master's list says.
 * Source: MasterPage.scala, StandaloneRestServer.scala; checked on 4.1.4.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../services/kinds.h"
#include "json.h"
#include "ops_own.h"

enum { PAGE_MOST = 4 << 20, TOKEN_SIZE = 80 };

static const char kind[] = "spark-master", form[] = "app/kill/";

/* ---- reading; pure ---- */

enum kill_page spark_kill_page(struct text html, const char *id, char token[TOKEN_SIZE])
{
	struct text found = text_between(html, "name=\"csrfToken\" value=\"", "\"");

	token[0] = '\0';
	if (!text_has(html, id))
		return KILL_NOT_THERE;
	if (!text_has(html, form))
		return KILL_NOT_OFFERED;
	for (size_t i = 0; i < found.len; i++) /* it goes into a body as it is */
		if (!strchr("0123456789abcdefABCDEF-", found.at[i]) || !found.at[i])
			return KILL_OFFERED;
	if (found.len < TOKEN_SIZE)
		text_copy(token, TOKEN_SIZE, found);
	return KILL_OFFERED;
}

bool spark_killed(struct text body, struct err *err)
{
	struct json *document = json_parse(body, NULL);
	const char *message = json_string(json_get(document, "message"));
	bool success = false;

	if (!json_bool(json_get(document, "success"), &success))
		err_set(err, ERR_PROTOCOL, "its answer is not that of Spark's REST server");
	else if (!success)
		err_set(err, ERR_SYSTEM, "%.180s", message ? message : "it refused, without a word");
	json_free(document);
	return success;
}

static bool is_id(const char *id)
{
	return id[0] && strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == strlen(id);
}

/* ---- offering ---- */

static bool is_active(const char *state)
{
	return !strcmp(state, "RUNNING") || !strcmp(state, "WAITING") || !strcmp(state, "SUBMITTED") || !strcmp(state, "RELAUNCHING");
}

static const char *table_of(const struct action_wish *w)
{
	return !strcmp(w->verb, "kill-driver") ? "drivers" : "applications";
}

static bool offer(const struct lake *lake, const struct action_wish *w, struct action_target *t, char why[200])
{
	const struct table *table = service_table(lake, w->service, table_of(w));
	size_t row;

	if (!target_of_kind(lake, w, kind, t, why))
		return false;
	if (!is_id(w->subject) || !row_of(table, "id", w->subject, &row)) {
		t->because = unless_known(lake, w->service, table);
		if (t->because == ERR_USAGE)
			snprintf(why, 200, "%.50s lists no \"%.80s\"", w->service, w->subject);
		else
			say_unknown(lake, w->service, table_of(w), why);
		return false;
	}
	if (!is_active(row_text(table, row, "state"))) {
		snprintf(why, 200, "it is %.30s already", row_text(table, row, "state"));
		t->because = ERR_SYSTEM;
		return false;
	}
	return true;
}

static struct endpoint part_of(struct action_job *j, const char *role)
{
	struct endpoint at = j->target.at;
	struct probe p;

	job_probe(j, &p);
	if (!role_is(probe_role(&p, j->target.kind), role))
		at.port = probe_port(&p, role);
	job_probe_end(&p);
	return at;
}

/* ---- applications ---- */

static bool ask_page(struct action_job *j, char token[TOKEN_SIZE], struct err *err)
{
	struct endpoint at = part_of(j, "ui");
	struct http_request request = {.path = "/", .accept = "text/html", .most = PAGE_MOST};
	struct buf body;
	long status;
	bool fine;

	buf_init(&body, PAGE_MOST);
	fine = job_http(j, &at, &request, &status, &body, err);
	if (fine && status != 200)
		fine = err_set(err, ERR_PROTOCOL, "GET / of the master answers %ld", status);
	if (fine) {
		enum kill_page page = spark_kill_page(buf_text(&body), j->wish.subject, token);

		if (page == KILL_NOT_THERE)
			fine = err_set(err, ERR_SYSTEM, "the master's page does not list %.100s any more", j->wish.subject);
		else if (page == KILL_NOT_OFFERED)
			fine = err_set(err, ERR_SYSTEM, "the master's page offers no kill: spark.ui.killEnabled is off, or it ended");
	}
	buf_free(&body);
	return fine;
}

static bool prepare_app(struct action_job *j, struct err *err)
{
	struct endpoint at = part_of(j, "ui");
	char token[TOKEN_SIZE];

	if (!ask_page(j, token, err))
		return false;
	snprintf(j->exact, sizeof j->exact, "POST http://%s:%u/app/kill/\nid=%s&terminate=true%s", at.address, at.port, j->wish.subject,
		token[0] ? "&csrfToken=(of the page, taken anew)" : "");
	snprintf(j->effect, sizeof j->effect, "its executors end, and with them its jobs; its driver is told that the application was killed");
	snprintf(j->verify, sizeof j->verify, "the master says KILLED");
	return true;
}

static bool run_app(struct action_job *j, struct err *err)
{
	struct endpoint at = part_of(j, "ui");
	char token[TOKEN_SIZE], form_body[ACTION_SUBJECT_SIZE + TOKEN_SIZE + 40];
	struct http_request request = {.path = "/app/kill/", .method = "POST", .body = form_body, .content_type = "application/x-www-form-urlencoded"};
	struct buf body;
	long status = 0;
	bool fine;

	if (!ask_page(j, token, err))
		return false;
	snprintf(form_body, sizeof form_body, "id=%s&terminate=true%s%s", j->wish.subject, token[0] ? "&csrfToken=" : "", token);
	buf_init(&body, PAGE_MOST);
	fine = job_http(j, &at, &request, &status, &body, err);
	buf_free(&body);
	return fine && (status == 302 || status == 303 || status == 200 || err_set(err, ERR_SYSTEM, "POST /app/kill/ answers %ld", status));
}

/* ---- drivers ---- */

static bool prepare_driver(struct action_job *j, struct err *err)
{
	struct endpoint at = part_of(j, "rest");

	if (!at.port)
		return err_set(err, ERR_USAGE, "where its REST server answers is not known: give it a port named rest");
	snprintf(j->exact, sizeof j->exact, "POST http://%s:%u/v1/submissions/kill/%s", at.address, at.port, j->wish.subject);
	snprintf(j->effect, sizeof j->effect, "the worker ends its process; supervised ones are not begun again");
	snprintf(j->verify, sizeof j->verify, "the master says KILLED");
	return true;
}

static bool run_driver(struct action_job *j, struct err *err)
{
	struct endpoint at = part_of(j, "rest");
	char path[ACTION_SUBJECT_SIZE + 40];
	struct http_request request = {.path = path, .method = "POST", .body = "", .content_type = "application/json"};
	struct buf body;
	long status;
	bool fine;

	snprintf(path, sizeof path, "/v1/submissions/kill/%s", j->wish.subject);
	buf_init(&body, PAGE_MOST);
	fine = job_http(j, &at, &request, &status, &body, err) && spark_killed(buf_text(&body), err);
	buf_free(&body);
	return fine;
}

/* ---- has it come about? ---- */

static enum action_settled settled(const struct lake *lake, const struct action_job *j, char words[ACTION_WORDS_SIZE])
{
	const struct table *table = service_table(lake, j->wish.service, table_of(&j->wish));
	const char *state;
	size_t row;

	if (!row_of(table, "id", j->wish.subject, &row))
		return SETTLED_NOT_YET;
	state = row_text(table, row, "state");
	snprintf(words, ACTION_WORDS_SIZE, "%s", state);
	if (is_active(state))
		return SETTLED_NOT_YET;
	if (strcmp(state, "KILLED") != 0)
		snprintf(words, ACTION_WORDS_SIZE, "%s: it ended by itself", state);
	return SETTLED_WELL;
}

const struct action_spec action_kill = {
	.verb = "kill", .help = "kill it, by the master's page", .on = ON_APPLICATION, .destructive = true, .limit_ms = 20000, .verify_ms = 30000,
	.offer = offer, .prepare = prepare_app, .run = run_app, .settled = settled,
};
const struct action_spec action_kill_driver = {
	.verb = "kill-driver", .help = "kill it, by the master's REST server", .on = ON_DRIVER, .destructive = true, .limit_ms = 20000,
	.verify_ms = 30000, .offer = offer, .prepare = prepare_driver, .run = run_driver, .settled = settled,
};

/* ---- a streaming query ---- */

/* StreamingQueryManager, also Connect's, knows the queries of its own session alone, and the page of queries has no form. */
static bool offer_query(const struct lake *lake, const struct action_wish *w, struct action_target *t, char why[200])
{
	const struct service *s = lake_service(lake, w->service);

	*t = (struct action_target){0};
	snprintf(why, 200, s && s->kind && !strncmp(s->kind->name, "spark-", 6) ?
		"no interface of Spark stops it from outside the session that started it (Connect's manager neither): stop it there, or kill its application" :
		"only streaming queries of Spark would be stopped, and this is none");
	return false;
}

static bool never(struct action_job *j, struct err *err)
{
	(void)j;
	return err_set(err, ERR_USAGE, "no interface stops it");
}

const struct action_spec action_stop_query = {
	.verb = "stop-query", .help = "stop a streaming query", .never = "no interface of Spark does it from outside its session", .on = ON_QUERY,
	.destructive = true, .limit_ms = 1000, .offer = offer_query, .prepare = never, .run = never,
};
