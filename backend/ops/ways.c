// SPDX-License-Identifier: MIT
/*
 * Start, stop, restart: by what a service really is. A container that exists is the engine's, by its
 * API; one that does not exist yet is made by the compose file that describes it; a unit is
 * systemd's; a program is started by the profile's words and stopped by them, or by SIGTERM to the
 * process that holds the port for certain. Done is what the verdict says, never an exit code.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops_own.h"

enum { OUT_MAX = 64 << 10, ENVIRONMENT_MAX = 64 << 10, ENVIRONMENT_LINES = 200, STOP_SECONDS = 20, LOG_TAIL = 2000, WORDS_MAX = 64 };

enum way { WAY_NONE, WAY_CONTAINER, WAY_COMPOSE, WAY_UNIT, WAY_PROGRAM, WAY_SIGNAL };
enum doing { DOING_START, DOING_STOP, DOING_RESTART };

/* ---- the lake's side ---- */

static const struct container *container_of(const struct lake *lake, const struct service *s)
{
	const struct judged *j = &s->verdict.shown;
	const struct container *c = NULL;

	if (s->expected && s->expected->container)
		c = facts_container(lake->docker, s->expected->container);
	if (!c && j->owner.container[0])
		c = facts_container(lake->docker, j->owner.container);
	return c;
}

bool target_fill(const struct lake *lake, const char *service, struct action_target *out, char why[200])
{
	const struct service *s = lake_service(lake, service);
	const struct container *c = s ? container_of(lake, s) : NULL;
	const struct judged *j = s ? &s->verdict.shown : NULL;
	const struct listener *l = s ? facts_listener(lake->facts, s->at.address, s->at.port) : NULL;
	const struct process *p;

	*out = (struct action_target){0};
	if (!s) {
		snprintf(why, 200, "there is no service \"%.80s\"", service);
		return false;
	}
	out->expected = s->expected;
	out->kind = s->kind;
	out->at = s->at;
	out->pid = j->owner.pid;
	out->started = j->owner.started;
	out->sure = l && l->pid == j->owner.pid && !l->pid_probable && !l->proxied[0];
	text_copy(out->process, sizeof out->process, text_of(j->owner.process));
	text_copy(out->unit, sizeof out->unit, text_of(s->expected && s->expected->unit ? s->expected->unit : j->owner.unit));
	text_copy(out->version, sizeof out->version, text_of(j->version));
	p = facts_process(lake->facts, j->owner.pid);
	if (p) {
		text_copy(out->hint, sizeof out->hint, text_of(p->hint));
		out->started = p->started;
	}
	if (c) {
		text_copy(out->container, sizeof out->container, text_of(c->id));
		text_copy(out->container_name, sizeof out->container_name, text_of(c->name));
		text_copy(out->container_state, sizeof out->container_state, text_of(c->state));
		text_copy(out->compose_project, sizeof out->compose_project, text_of(c->project));
		text_copy(out->compose_service, sizeof out->compose_service, text_of(c->service));
		text_copy(out->compose_folder, sizeof out->compose_folder, text_of(c->workdir));
	}
	return true;
}

/* A unit that is the service's own: the one that holds a whole session, or a container engine, is not. */
static bool is_own_unit(const char *unit)
{
	static const char *const others[] = {"user@", "ssh", "docker.", "containerd.", "podman.", "init."};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strncmp(unit, others[i], strlen(others[i])))
			return false;
	return strstr(unit, ".service") != NULL;
}

static enum way way_of(const struct action_target *t, enum doing doing)
{
	const struct expectation *x = t->expected;

	if (t->container[0])
		return WAY_CONTAINER;
	if (x && x->compose && doing != DOING_STOP)
		return WAY_COMPOSE;
	if (doing == DOING_STOP && x && x->stop)
		return WAY_PROGRAM;
	if (doing != DOING_STOP && x && x->start)
		return WAY_PROGRAM;
	if ((x && x->unit) || is_own_unit(t->unit))
		return WAY_UNIT;
	return doing == DOING_STOP && t->pid && t->sure ? WAY_SIGNAL : WAY_NONE;
}

static enum doing doing_of(const struct action_wish *w)
{
	return !strcmp(w->verb, "start") ? DOING_START : !strcmp(w->verb, "stop") ? DOING_STOP : DOING_RESTART;
}

static void say_holder(const struct owner *o, unsigned port, char why[200])
{
	if (o->container[0])
		snprintf(why, 200, "%u is held by container %.80s: it could not start", port, o->container);
	else if (o->pid)
		snprintf(why, 200, "%u is held by %.80s, pid %d: it could not start", port, o->process[0] ? o->process : "a process", (int)o->pid);
	else
		snprintf(why, 200, "%u is held by another: it could not start", port);
}

/* Somebody else on its port: it could not start. */
static bool port_is_taken(const struct lake *lake, const struct service *s, const char *container, char why[200])
{
	for (size_t i = 0; i < lake->n_ports && s->expected; i++) {
		const struct port_row *row = &lake->ports[i];
		bool wanted = row->port == s->at.port;

		for (size_t k = 0; k < s->expected->n_ports; k++)
			wanted = wanted || row->port == s->expected->ports[k].port;
		if (!wanted || !row->listener || row->answers == s || (container[0] && !strcmp(row->owner.container, container)))
			continue;
		if (row->answers)
			snprintf(why, 200, "%u is held by %.80s: it could not start", row->port, row->answers->name);
		else
			say_holder(&row->owner, row->port, why);
		return true;
	}
	return false;
}

static bool offer(const struct lake *lake, const struct action_wish *w, struct action_target *t, char why[200])
{
	const struct service *s = lake_service(lake, w->service);
	enum doing doing = doing_of(w);
	enum verdict v;

	if (!target_fill(lake, w->service, t, why))
		return false;
	if (w->subject[0]) {
		snprintf(why, 200, "%s is for a service, not for a part of it", w->verb);
		return false;
	}
	v = s->verdict.shown.verdict;
	if (doing == DOING_START && (v == VERDICT_SERVING || v == VERDICT_SICK || v == VERDICT_WRONG_VERSION)) {
		snprintf(why, 200, "%.60s runs already", w->service);
		return false;
	}
	if (doing == DOING_START && port_is_taken(lake, s, t->container_name, why))
		return false;
	if (doing == DOING_STOP && (v == VERDICT_ABSENT || v == VERDICT_STOPPED) && !t->pid) {
		snprintf(why, 200, "%.60s does not run", w->service);
		return false;
	}
	if (v == VERDICT_IMPOSTOR || v == VERDICT_BLOCKED) {
		snprintf(why, 200, "its port is not its own: %.150s", s->verdict.shown.reason);
		return doing == DOING_STOP && t->container[0];
	}
	if (way_of(t, doing) == WAY_NONE) {
		snprintf(why, 200, "nothing says how: give [service %.40s] container, unit, compose or %s", w->service,
			doing == DOING_STOP ? "stop" : "start");
		return false;
	}
	return true;
}

/* ---- words ---- */

void argv_words(const char *const *argv, char *out, size_t size)
{
	size_t len = strlen(out);

	for (size_t i = 0; argv[i] && len + 4 < size; i++) {
		bool plain = argv[i][0] && !strpbrk(argv[i], " \t\n'\"\\$`*?;&|<>(){}[]~#!");

		if (i)
			out[len++] = ' ';
		for (const char *at = argv[i]; !plain && len + 6 < size; at++) {
			const char *piece = at == argv[i] ? "'" : "";

			/* within single quotes only they themselves are special */
			len += (size_t)snprintf(out + len, size - len, *at == '\'' ? "%s'\\''" : *at ? "%s%c" : "%s'", piece, *at);
			if (!*at)
				break;
		}
		if (plain)
			len += (size_t)snprintf(out + len, size - len, "%s", argv[i]);
		if (len >= size)
			len = size - 1;
	}
}

struct plan { /* what prepare found, for run */
	enum way way;
	enum doing doing;
	const char *argv[WORDS_MAX + 1]; /* compose, systemctl, the profile's */
	size_t n;
	char path[400];                  /* of the engine's API */
	pid_t pid;                       /* spawned */
};

static void push(struct plan *p, const char *word)
{
	if (p->n < WORDS_MAX)
		p->argv[p->n++] = word;
}

/* "docker compose", or the older program of its own: whichever is there. */
static bool push_compose(struct action_job *j, struct plan *p, struct err *err)
{
	static const char *const plugin[] = {"docker", "compose", "version", NULL}, *const own[] = {"docker-compose", "version", NULL};
	struct buf out;
	bool found = true;

	buf_init(&out, 4096);
	if (j->host->exec(j->host, plugin, &out, NULL, j->wait, NULL) == 0) {
		push(p, "docker");
		push(p, "compose");
	} else if (j->host->exec(j->host, own, &out, NULL, j->wait, NULL) == 0) {
		push(p, "docker-compose");
	} else {
		found = false;
		err_set(err, ERR_SYSTEM, "neither \"docker compose\" nor docker-compose is installed");
	}
	buf_free(&out);
	return found;
}

static bool prepare_compose(struct action_job *j, struct plan *p, struct err *err)
{
	const struct expectation *x = j->target.expected;

	if (!push_compose(j, p, err))
		return false;
	for (size_t i = 0; x->compose[i]; i++) {
		struct file_facts f;

		if (!j->host->stat(j->host, x->compose[i], &f, err) || !f.exists)
			return err_set(err, ERR_SYSTEM, "%s: is not there", x->compose[i]);
		push(p, "-f");
		push(p, x->compose[i]);
	}
	if (x->compose_project) {
		push(p, "-p");
		push(p, x->compose_project);
	}
	push(p, "up");
	push(p, "-d");
	push(p, "--no-deps"); /* others are not made anew behind the user's back */
	push(p, x->compose_service ? x->compose_service : x->name);
	snprintf(j->effect, sizeof j->effect, "makes and starts the container of %s; what it depends on is left as it is", x->name);
	return true;
}

static void prepare_container(struct action_job *j, struct plan *p)
{
	const char *what = p->doing == DOING_START ? (strcmp(j->target.container_state, "paused") ? "start" : "unpause") :
		p->doing == DOING_STOP ? "stop" : "restart";

	snprintf(p->path, sizeof p->path, "/containers/%.64s/%s%s", j->target.container, what, p->doing == DOING_START ? "" : "?t=20");
	snprintf(j->exact, sizeof j->exact, "POST %s\n(docker %s %s)", p->path, what, j->target.container_name);
	snprintf(j->effect, sizeof j->effect, "container %.80s, now %.15s%s", j->target.container_name, j->target.container_state,
		p->doing == DOING_START ? "; depends_on and changes of its compose file do not count" :
		"; it gets SIGTERM, and SIGKILL after 20 s");
}

static bool is_user_unit(struct action_job *j)
{
	const char *const argv[] = {"systemctl", "--user", "--no-ask-password", "show", "-p", "LoadState", "--value", j->target.unit, NULL};
	struct buf out;
	bool user;

	buf_init(&out, 4096);
	user = j->host->exec(j->host, argv, &out, NULL, j->wait, NULL) == 0 && text_is(text_trim(buf_text(&out)), "loaded");
	buf_free(&out);
	return user;
}

static void prepare_unit(struct action_job *j, struct plan *p)
{
	push(p, "systemctl");
	if (is_user_unit(j))
		push(p, "--user");
	push(p, "--no-ask-password"); /* its agent would draw over the screen */
	push(p, j->wish.verb);
	push(p, j->target.unit);
	snprintf(j->effect, sizeof j->effect, "unit %s; it needs the right to manage units", j->target.unit);
}

static void prepare_program(struct action_job *j, struct plan *p)
{
	const struct expectation *x = j->target.expected;
	const char *const *argv = p->doing == DOING_STOP ? x->stop : x->start;

	for (size_t i = 0; argv[i]; i++)
		push(p, argv[i]);
	if (p->doing == DOING_STOP) {
		snprintf(j->effect, sizeof j->effect, "runs it and waits for its end");
		return;
	}
	snprintf(j->effect, sizeof j->effect, "runs it in a session of its own; it goes on when laketop ends. In %s, output to %s%s%s",
		x->directory ? x->directory : "this folder", x->log ? x->log : "nowhere (log = FILE keeps it)",
		x->environment ? ", environment of " : "", x->environment ? x->environment : "");
}

static void say_verify(struct action_job *j, enum doing doing)
{
	const struct expectation *x = j->target.expected;

	if (doing == DOING_STOP)
		snprintf(j->verify, sizeof j->verify, "nobody listens on %u, and its process is gone", j->target.at.port);
	else
		snprintf(j->verify, sizeof j->verify, "%s serves%s%s on %u", j->wish.service, x && x->version ? " " : "",
			x && x->version ? x->version : "", j->target.at.port);
}

static bool prepare(struct action_job *j, struct err *err)
{
	struct plan *p = mem_new(1, sizeof *p);

	j->state = p;
	p->doing = doing_of(&j->wish);
	p->way = way_of(&j->target, p->doing);
	say_verify(j, p->doing);
	switch (p->way) {
	case WAY_CONTAINER:
		prepare_container(j, p);
		return true;
	case WAY_COMPOSE:
		if (!prepare_compose(j, p, err))
			return false;
		break;
	case WAY_UNIT:
		prepare_unit(j, p);
		break;
	case WAY_PROGRAM:
		prepare_program(j, p);
		break;
	case WAY_SIGNAL:
		snprintf(j->exact, sizeof j->exact, "kill -TERM %d", (int)j->target.pid);
		snprintf(j->effect, sizeof j->effect, "pid %d: %.400s", (int)j->target.pid, j->target.hint[0] ? j->target.hint : j->target.process);
		return true;
	case WAY_NONE:
		return err_set(err, ERR_USAGE, "nothing says how");
	}
	argv_words(p->argv, j->exact, sizeof j->exact);
	return true;
}

/* ---- running ---- */

void say_why(struct text said, char *out, size_t size)
{
	struct text line, rest = text_trim(said);

	while (rest.len >= size && text_line(&rest, &line))
		if (!rest.len) { /* the last one, and too long */
			rest = line;
			break;
		}
	if (rest.len >= size)
		rest = (struct text){rest.at + rest.len - size + 1, size - 1};
	text_clean(out, size, rest);
}

static bool run_argv(struct action_job *j, const struct plan *p, struct err *err)
{
	struct buf out, errors;
	char says[170];
	int status;

	buf_init(&out, OUT_MAX);
	buf_init(&errors, OUT_MAX);
	status = j->host->exec(j->host, p->argv, &out, &errors, j->wait, err);
	say_why(errors.len ? buf_text(&errors) : buf_text(&out), says, sizeof says);
	buf_free(&out);
	buf_free(&errors);
	if (status > 0)
		err_set(err, ERR_SYSTEM, "%.30s ended with %d: %s", p->argv[0], status, says);
	return status == 0;
}

/* NAME=value lines as a shell would read them, without what a shell would do with them. */
static size_t read_environment(struct action_job *j, const char *path, struct buf *content, const char **out, struct err *err)
{
	struct text rest, line;
	size_t n = 0;

	if (!j->host->read_file(j->host, path, content, err))
		return 0;
	rest = buf_text(content);
	while (text_line(&rest, &line) && n < ENVIRONMENT_LINES) {
		struct text name, value;
		char *entry;

		line = text_trim(line);
		text_skip(&line, "export ");
		name = text_trim(text_until(line, '='));
		value = text_trim(text_after(line, '='));
		if (!line.len || line.at[0] == '#' || name.len == line.len || !name.len)
			continue;
		if (value.len >= 2 && (value.at[0] == '"' || value.at[0] == '\'') && value.at[value.len - 1] == value.at[0])
			value = (struct text){value.at + 1, value.len - 2};
		entry = mem_new(name.len + value.len + 2, 1);
		memcpy(entry, name.at, name.len);
		entry[name.len] = '=';
		memcpy(entry + name.len + 1, value.at, value.len);
		out[n++] = entry;
	}
	return n;
}

static bool run_spawn(struct action_job *j, struct plan *p, struct err *err)
{
	const struct expectation *x = j->target.expected;
	const char *environment[ENVIRONMENT_LINES + 1] = {0};
	struct spawn what = {.argv = p->argv, .directory = x->directory, .environment = environment, .log = x->log};
	struct err why = {0};
	struct buf content;
	size_t n = 0;

	buf_init(&content, ENVIRONMENT_MAX);
	if (x->environment)
		n = read_environment(j, x->environment, &content, environment, &why);
	p->pid = why.code ? 0 : j->host->spawn(j->host, &what, &why);
	for (size_t i = 0; i < n; i++)
		free((char *)(uintptr_t)environment[i]);
	if (content.at)
		explicit_bzero(content.at, content.len); /* it may hold passwords */
	buf_free(&content);
	if (!p->pid)
		return err_set(err, why.code ? why.code : ERR_SYSTEM, "%s", why.words);
	snprintf(j->result, sizeof j->result, "started as pid %d", (int)p->pid);
	action_note(j, "pid %d", (int)p->pid);
	return true;
}

/* Its own end is waited for: who is asked to stop needs its time. */
static bool run_signal(struct action_job *j, struct err *err)
{
	if (!j->host->signal(j->host, j->target.pid, j->target.started, SIGTERM, err))
		return false;
	snprintf(j->result, sizeof j->result, "SIGTERM sent");
	return true;
}

static bool stop_first(struct action_job *j, struct plan *p, struct err *err)
{
	const struct expectation *x = j->target.expected;
	struct plan stop = {0};

	if (x && x->stop) {
		for (size_t i = 0; x->stop[i]; i++)
			push(&stop, x->stop[i]);
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
		if (wait_left(j->wait) == 0 || wait_fd(wait_for(50, j->wait.cancel), -1, 0) < 0)
			return err_set(err, ERR_TIMEOUT, "pid %d does not end", (int)j->target.pid);
	}
	(void)p;
	return true;
}

static bool run(struct action_job *j, struct err *err)
{
	struct plan *p = j->state;

	action_progress(j, (double)NAN, "%s", p->doing == DOING_STOP ? "stopping" : p->doing == DOING_START ? "starting" : "restarting");
	switch (p->way) {
	case WAY_CONTAINER:
		return container_run(j, p->path, p->doing != DOING_STOP, err);
	case WAY_COMPOSE:
	case WAY_UNIT:
		return run_argv(j, p, err);
	case WAY_PROGRAM:
		if (p->doing == DOING_STOP)
			return run_argv(j, p, err);
		return (p->doing == DOING_START || stop_first(j, p, err)) && run_spawn(j, p, err);
	case WAY_SIGNAL:
		return run_signal(j, err);
	case WAY_NONE:
		break;
	}
	return err_set(err, ERR_USAGE, "nothing says how");
}

/* ---- has it come about? ---- */

/* A start that ended at once says why in its log, if anywhere. */
static void last_words(const struct action_job *j, char *out, size_t size)
{
	const struct expectation *x = j->target.expected;
	struct buf tail;
	struct text rest, line, last = {0};

	out[0] = '\0';
	if (!x || !x->log)
		return;
	buf_init(&tail, LOG_TAIL);
	if (j->host->read_tail(j->host, x->log, LOG_TAIL, &tail, NULL)) {
		rest = buf_text(&tail);
		while (text_line(&rest, &line))
			if (text_trim(line).len)
				last = text_trim(line);
		text_clean(out, size, last);
	}
	buf_free(&tail);
}

/* Its port, its process, and its container, each by what was seen last of it. */
static bool is_gone(const struct lake *lake, const struct action_job *j, const struct service *s)
{
	const struct container *c = j->target.container[0] ? facts_container(lake->docker, j->target.container) : NULL;

	if (c && (!strcmp(c->state, "running") || !strcmp(c->state, "paused") || !strcmp(c->state, "restarting")))
		return false;
	if (j->target.pid)
		j->host->spawned(j->host, j->target.pid); /* reaps it, where it is ours */
	return !facts_listener(lake->facts, s->at.address, s->at.port) && s->verdict.shown.verdict != VERDICT_SERVING &&
		(!j->target.pid || !facts_process(lake->facts, j->target.pid));
}

static enum action_settled settled(const struct lake *lake, const struct action_job *j, char words[ACTION_WORDS_SIZE])
{
	const struct service *s = lake_service(lake, j->wish.service);
	const struct plan *p = j->state;
	const struct judged *shown = s ? &s->verdict.shown : NULL;
	char last[300];
	int ended;

	if (!s) {
		snprintf(words, ACTION_WORDS_SIZE, "it is not to be seen any more");
		return p->doing == DOING_STOP ? SETTLED_WELL : SETTLED_NOT_YET;
	}
	snprintf(words, ACTION_WORDS_SIZE, "%s%s%s%s%s", verdict_word(shown->verdict), shown->version[0] ? " " : "", shown->version,
		shown->reason[0] ? ": " : "", shown->reason);
	if (p->doing == DOING_STOP)
		return is_gone(lake, j, s) ? SETTLED_WELL : SETTLED_NOT_YET;
	ended = p->pid ? j->host->spawned(j->host, p->pid) : -1;
	if (ended > 0) {
		last_words(j, last, sizeof last);
		snprintf(words, ACTION_WORDS_SIZE, "pid %d ended with %d%s%s", (int)p->pid, ended, last[0] ? ": " : "", last);
		return SETTLED_BADLY;
	}
	if (ended == 0 && shown->verdict != VERDICT_SERVING)
		snprintf(words, ACTION_WORDS_SIZE, "pid %d ended with 0: it went into the background, or did nothing; %s", (int)p->pid,
			verdict_word(shown->verdict));
	/* what is shown may be from before the restart: the owner must have begun since */
	if (p->doing == DOING_RESTART && shown->owner.started && shown->owner.started == j->target.started)
		return SETTLED_NOT_YET;
	if (shown->verdict == VERDICT_SERVING)
		return SETTLED_WELL;
	return shown->verdict == VERDICT_BLOCKED || shown->verdict == VERDICT_IMPOSTOR ? SETTLED_BADLY : SETTLED_NOT_YET;
}

const struct action_spec action_start = {
	.verb = "start", .help = "start it, by what it is: container, compose service, unit, program", .on = ON_SERVICE, .limit_ms = 300000,
	.verify_ms = 180000, .offer = offer, .prepare = prepare, .run = run, .settled = settled,
};
const struct action_spec action_stop = {
	.verb = "stop", .help = "stop it, by what it is: container, unit, program, process", .on = ON_SERVICE, .destructive = true, .limit_ms = 120000,
	.verify_ms = 60000, .offer = offer, .prepare = prepare, .run = run, .settled = settled,
};
const struct action_spec action_restart = {
	.verb = "restart", .help = "stop and start it, by what it is", .on = ON_SERVICE, .destructive = true, .limit_ms = 300000, .verify_ms = 180000,
	.offer = offer, .prepare = prepare, .run = run, .settled = settled,
};
