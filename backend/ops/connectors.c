// SPDX-License-Identifier: MIT
/*
 * Connectors of a Kafka Connect worker are paused, resumed and begun again by its REST server, tasks
 * begun again. It answers before anything happened: done is what its own status says afterwards,
 * and a task that fails again has not been helped.
 * Source: ConnectorsResource.java; checked on 4.1.1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../catalogs/web.h"
#include "json.h"
#include "ops_own.h"

enum { ANSWER_MOST = 1 << 20, PATH_SIZE = 900, SETTLES_MS = 4000 };

struct plan {
	const char *method;
	char path[PATH_SIZE];
	int64_t ran; /* clock_ms(); 0: not yet */
};

/* "orders-sink/0": whose, and which. */
bool task_of(const char *subject, char *connector, size_t size, int64_t *task)
{
	const char *slash = strrchr(subject, '/');

	*task = -1;
	text_copy(connector, size, slash ? (struct text){subject, (size_t)(slash - subject)} : text_of(subject));
	return slash && slash > subject && text_i64(text_of(slash + 1), task) && *task >= 0;
}

static bool row_of_wish(const struct lake *lake, const struct action_wish *w, const struct table **table, size_t *row)
{
	char connector[ACTION_SUBJECT_SIZE];
	int64_t task;

	if (strcmp(w->verb, "restart-task") != 0) {
		*table = service_table(lake, w->service, "connectors");
		return row_of(*table, "name", w->subject, row);
	}
	*table = service_table(lake, w->service, "tasks");
	if (!task_of(w->subject, connector, sizeof connector, &task))
		return false;
	for (*row = 0; *table && *row < (*table)->n_rows; (*row)++)
		if (!strcmp(row_text(*table, *row, "connector"), connector) && row_int(*table, *row, "task") == task)
			return true;
	return false;
}

static bool offer(const struct lake *lake, const struct action_wish *w, struct action_target *t, char why[200])
{
	const struct table *table;
	const char *state;
	size_t row;

	if (!target_of_kind(lake, w, "kafka-connect", t, why))
		return false;
	if (!row_of_wish(lake, w, &table, &row)) {
		bool task = !strcmp(w->verb, "restart-task");

		t->because = unless_known(lake, w->service, table);
		if (t->because == ERR_USAGE)
			snprintf(why, 200, "%.50s has no %s \"%.80s\"", w->service, task ? "task" : "connector", w->subject);
		else
			say_unknown(lake, w->service, task ? "tasks" : "connectors", why);
		return false;
	}
	t->because = ERR_SYSTEM; /* what follows is its state */
	state = row_text(table, row, "state");
	if ((!strcmp(w->verb, "pause") && !strcmp(state, "PAUSED")) || (!strcmp(w->verb, "resume") && !strcmp(state, "RUNNING"))) {
		snprintf(why, 200, "it is %.20s already", state);
		return false;
	}
	if (!strcmp(w->verb, "pause") && !strcmp(state, "STOPPED")) {
		snprintf(why, 200, "it is STOPPED: there is nothing to pause");
		return false;
	}
	return true;
}

static bool prepare(struct action_job *j, struct err *err)
{
	struct plan *p = mem_new(1, sizeof *p);
	char connector[ACTION_SUBJECT_SIZE];
	bool on_task = !strcmp(j->wish.verb, "restart-task"), restarts = !strncmp(j->wish.verb, "restart", 7);
	struct buf path;
	int64_t task;

	j->state = p;
	task_of(j->wish.subject, connector, sizeof connector, &task);
	p->method = restarts ? "POST" : "PUT";
	buf_init(&path, PATH_SIZE);
	buf_puts(&path, "/connectors/");
	web_escape(&path, text_of(on_task ? connector : j->wish.subject));
	if (on_task)
		buf_printf(&path, "/tasks/%lld", (long long)task);
	/* alone it would leave failed tasks as they are */
	buf_printf(&path, "/%s", restarts ? "restart" : j->wish.verb);
	if (restarts && !on_task)
		buf_puts(&path, "?includeTasks=true&onlyFailed=false");
	text_copy(p->path, sizeof p->path, buf_text(&path));
	if (path.full)
		err_set(err, ERR_LIMIT, "its name is too long");
	snprintf(j->exact, sizeof j->exact, "%s http://%s:%u%s", p->method, j->target.at.address, j->target.at.port, p->path);
	snprintf(j->effect, sizeof j->effect, "%s",
		!strcmp(j->wish.verb, "pause") ? "its tasks stop reading and writing, and stay assigned; it survives a restart of the worker" :
		!strcmp(j->wish.verb, "resume") ? "its tasks go on where they committed" :
		on_task ? "this one task is begun anew, from its last commit" :
		"the connector and all of its tasks are begun anew, from their last commits");
	snprintf(j->verify, sizeof j->verify, "%s",
		!strcmp(j->wish.verb, "pause") ? "its status says PAUSED" : "its status says RUNNING, and goes on to for some seconds");
	buf_free(&path);
	return err->code == ERR_NONE;
}

/* Connect's {"error_code":409,"message":"..."} */
static bool take_answer(long status, struct text body, struct err *err)
{
	struct json *document = json_parse(body, NULL);
	const char *message = json_string(json_get(document, "message"));

	if (status == 409)
		err_set(err, ERR_SYSTEM, "it rebalances at the moment: try again in some seconds");
	else if (status < 200 || status > 299)
		err_set(err, ERR_SYSTEM, "HTTP %ld: %.150s", status, message ? message : "no words");
	json_free(document);
	return status >= 200 && status <= 299;
}

static bool run(struct action_job *j, struct err *err)
{
	struct plan *p = j->state;
	struct http_request request = {.path = p->path, .method = p->method, .accept = "application/json", .body = "", .content_type = "application/json"};
	struct buf body;
	long status;
	bool fine;

	buf_init(&body, ANSWER_MOST);
	fine = job_http(j, &j->target.at, &request, &status, &body, err) && take_answer(status, buf_text(&body), err);
	buf_free(&body);
	p->ran = clock_ms();
	return fine;
}

static enum action_settled settled(const struct lake *lake, const struct action_job *j, char words[ACTION_WORDS_SIZE])
{
	const struct plan *p = j->state;
	bool pauses = !strcmp(j->wish.verb, "pause");
	const struct table *table;
	const char *state;
	size_t row;

	if (!seen_since(lake, j->wish.service, p->ran) || !row_of_wish(lake, &j->wish, &table, &row))
		return SETTLED_NOT_YET;
	state = row_text(table, row, "state");
	snprintf(words, ACTION_WORDS_SIZE, "%s%s%.400s", state, row_text(table, row, "cause")[0] ? ": " : "", row_text(table, row, "cause"));
	if (pauses)
		return !strcmp(state, "PAUSED") ? SETTLED_WELL : SETTLED_NOT_YET;
	if (!seen_since(lake, j->wish.service, p->ran + SETTLES_MS))
		return SETTLED_NOT_YET; /* what fails again does so a moment later */
	if (!strcmp(state, "FAILED"))
		return SETTLED_BADLY;
	if (strcmp(state, "RUNNING") != 0)
		return SETTLED_NOT_YET;
	if (row_int(table, row, "failed") > 0) {
		snprintf(words, ACTION_WORDS_SIZE, "it runs, and %lld of its tasks failed", (long long)row_int(table, row, "failed"));
		return !strcmp(j->wish.verb, "restart-connector") ? SETTLED_BADLY : SETTLED_WELL;
	}
	return SETTLED_WELL;
}

#define ON_CONNECT .limit_ms = 30000, .verify_ms = 60000, .offer = offer, .prepare = prepare, .run = run, .settled = settled

const struct action_spec action_pause = {.verb = "pause", .help = "pause it and its tasks", .on = ON_CONNECTOR, .destructive = true, ON_CONNECT};
const struct action_spec action_resume = {.verb = "resume", .help = "let it go on", .on = ON_CONNECTOR, ON_CONNECT};
const struct action_spec action_restart_connector = {
	.verb = "restart-connector", .help = "begin it and all of its tasks anew", .on = ON_CONNECTOR, .destructive = true, ON_CONNECT};
const struct action_spec action_restart_task = {.verb = "restart-task", .help = "begin this task anew", .on = ON_TASK, ON_CONNECT};
