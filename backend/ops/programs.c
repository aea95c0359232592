// SPDX-License-Identifier: MIT
/*
 * A service that the profile's own programs start and stop. What is started goes on without laketop, in a session of its own: it is
 * found again by its pid file or its port, and stopped by SIGTERM to that process where no program is named for it. Worker.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "ops.h"
#include "ways.h"

enum { LOG_TAIL = 8 << 10, LOOK_EVERY_MS = 100, END_EVERY_MS = 50 };

/* A restart ends it first: that is part of what a yes is for. */
static void say_stop_first(struct action_job *j)
{
	const struct expectation *x = j->target.expected;
	size_t len;

	if (x->stop)
		argv_words(job_profile(j), x->stop, j->exact, sizeof j->exact);
	else if (j->target.pid)
		snprintf(j->exact, sizeof j->exact, "kill -TERM %d", (int)j->target.pid);
	len = strlen(j->exact);
	if (len)
		snprintf(j->exact + len, sizeof j->exact - len, "\n");
}

void program_prepare(struct action_job *j, struct plan *p)
{
	const struct expectation *x = j->target.expected;
	const char *const *argv = p->way == WAY_SIGNAL ? NULL : p->doing == DOING_STOP ? x->stop : x->start;
	char hint[sizeof j->target.hint];

	if (!argv) {
		snprintf(j->exact, sizeof j->exact, "kill -TERM %d", (int)j->target.pid);
		text_copy(hint, sizeof hint, text_of(j->target.hint[0] ? j->target.hint : j->target.process));
		mask_secrets(job_profile(j), hint, sizeof hint);
		snprintf(j->effect, sizeof j->effect, "pid %d: %.400s", (int)j->target.pid, hint);
		return;
	}
	for (size_t i = 0; argv[i]; i++)
		plan_push(p, argv[i]);
	if (p->doing == DOING_RESTART)
		say_stop_first(j);
	if (p->doing == DOING_STOP)
		snprintf(j->effect, sizeof j->effect, "runs it and waits for its end");
	else
		snprintf(j->effect, sizeof j->effect, "runs it in a session of its own; it goes on when laketop ends. In %s, output to %s%s%s",
			x->directory ? x->directory : "this folder", x->log ? x->log : "nowhere (log = FILE keeps it)",
			x->environment ? ", environment of " : "", x->environment ? x->environment : "");
}

static bool start(struct action_job *j, struct plan *p, struct err *err)
{
	const struct expectation *x = j->target.expected;
	struct spawn what = {.argv = p->argv, .directory = x->directory, .log = x->log};
	struct environment environment = {0};
	struct err why = {0};
	struct file_facts log;

	if (x->log && j->host->stat(j->host, x->log, &log, NULL) && log.exists)
		p->log_from = log.size;
	if (!x->environment || environment_read(j->host, x->environment, &environment, &why)) {
		what.environment = (const char *const *)environment.list;
		p->pid = j->host->spawn(j->host, &what, &why);
	}
	environment_free(&environment);
	if (!p->pid)
		return err_set(err, why.code ? why.code : ERR_SYSTEM, "%s", why.words);
	snprintf(j->result, sizeof j->result, "started as pid %d", (int)p->pid);
	action_note(j, "pid %d", (int)p->pid);
	return true;
}

/* Its own end is waited for: who is asked to stop needs its time. */
static bool stop_first(struct action_job *j, struct err *err)
{
	const struct expectation *x = j->target.expected;
	struct plan stop = {0};

	if (x && x->stop) {
		for (size_t i = 0; x->stop[i]; i++)
			plan_push(&stop, x->stop[i]);
		return run_argv(j, &stop, err);
	}
	if (!j->target.pid)
		return true;
	if (!j->target.sure)
		return err_set(err, ERR_USAGE, "who holds %u is not known for certain: give it stop = PROGRAM", j->target.at.port);
	if (!j->host->signal(j->host, j->target.pid, j->target.started, SIGTERM, err))
		return false;
	while (j->host->signal(j->host, j->target.pid, j->target.started, 0, NULL)) {
		j->host->spawned(j->host, j->target.pid); /* reaps it, where it is ours */
		if (wait_left(j->wait) == 0 || wait_fd(wait_for(END_EVERY_MS, j->wait.cancel), -1, 0) < 0)
			return err_set(err, ERR_TIMEOUT, "pid %d does not end", (int)j->target.pid);
	}
	return true;
}

bool program_run(struct action_job *j, struct plan *p, struct err *err)
{
	if (p->way == WAY_SIGNAL) {
		snprintf(j->result, sizeof j->result, "SIGTERM sent");
		return j->host->signal(j->host, j->target.pid, j->target.started, SIGTERM, err);
	}
	if (p->doing == DOING_STOP)
		return run_argv(j, p, err);
	return (p->doing == DOING_START || stop_first(j, err)) && start(j, p, err);
}

/* What it wrote since it was begun. */
static void read_last_words(struct action_job *j, const struct plan *p)
{
	const struct expectation *x = j->target.expected;
	struct file_facts log;
	struct buf said;
	int64_t from = p->log_from;

	if (!x->log || !j->host->stat(j->host, x->log, &log, NULL) || !log.exists)
		return;
	from = log.size < from ? 0 : log.size - from > LOG_TAIL ? log.size - LOG_TAIL : from; /* smaller: it was written anew */
	buf_init(&said, LOG_TAIL);
	if (j->host->read_from(j->host, x->log, from, LOG_TAIL, &said, NULL))
		last_lines(job_profile(j), buf_text(&said), j->last, sizeof j->last);
	buf_free(&said);
}

bool program_watch(struct action_job *j, const struct plan *p, struct err *err)
{
	bool fine;
	int ended;

	do {
		ended = j->host->spawned(j->host, p->pid);
		if (ended > 0) {
			read_last_words(j, p);
			return err_set(err, ERR_SYSTEM, "pid %d ended with %d", (int)p->pid, ended);
		}
	} while (watch_goes_on(j, LOOK_EVERY_MS, err, &fine));
	if (!fine)
		read_last_words(j, p);
	return fine;
}
