// SPDX-License-Identifier: MIT
/*
 * Start, stop, restart: by what a service really is. A container that exists is the engine's, by its
 * API; one that does not exist yet is made by the compose file that describes it; a unit is
 * systemd's; a program is started by the profile's words and stopped by them, or by SIGTERM to the
 * process that holds the port for certain. Done is what the verdict says, never an exit code.
 */
#include <stdio.h>
#include <string.h>

#include "ways.h"

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

/* Its pid file names it: then it is known for certain, though it may hold no port. */
static bool is_by_pidfile(const struct service *s)
{
	return s->expected && s->expected->pidfile && s->pulse && s->pulse->files.pidfile_read && s->pulse->files.pidfile_pid > 0 &&
		s->pulse->files.pidfile_pid == s->verdict.shown.owner.pid && !s->verdict.shown.owner.probable;
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
	out->sure = (l && l->pid == j->owner.pid && !l->pid_probable && !l->proxied[0]) || is_by_pidfile(s);
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

enum way way_of(const struct action_target *t, enum doing doing)
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

enum doing doing_of(const struct action_wish *w)
{
	return !strcmp(w->verb, "start") ? DOING_START : !strcmp(w->verb, "stop") ? DOING_STOP : DOING_RESTART;
}

static void say_holder(const struct port_row *row, char why[200])
{
	const struct owner *o = &row->owner;
	char who[120] = "";

	if (o->container[0])
		snprintf(who, sizeof who, "container %.60s", o->container);
	else if (o->pid)
		snprintf(who, sizeof who, "%.30s, pid %d%s%s%.50s", o->process[0] ? o->process : "a process", (int)o->pid,
			o->probable ? " probably" : "", o->unit[0] ? ", unit " : "", o->unit);
	else if (o->unit[0])
		snprintf(who, sizeof who, "unit %.60s", o->unit);
	if (row->answers)
		snprintf(why, 200, "%u is held by %.50s%s%.105s%s: it could not start", row->port, row->answers->name, who[0] ? " (" : "", who, who[0] ? ")" : "");
	else
		snprintf(why, 200, "%u is held by %.119s: it could not start", row->port, who[0] ? who : "another");
}

/* Somebody else on one of its ports: it could not start. */
static bool port_is_taken(const struct lake *lake, const struct service *s, const char *container, char why[200])
{
	for (size_t i = 0; i < lake->n_ports && s->expected; i++) {
		const struct port_row *row = &lake->ports[i];
		bool wanted = row->port == s->at.port;

		for (size_t k = 0; k < s->expected->n_ports; k++)
			wanted = wanted || row->port == s->expected->ports[k].port;
		if (!wanted || !row->listener || row->answers == s || (container[0] && !strcmp(row->owner.container, container)))
			continue;
		say_holder(row, why);
		return true;
	}
	return false;
}

static bool is_served(const struct service *s)
{
	return s && s->verdict.shown.verdict == VERDICT_SERVING;
}

static bool is_needed_by(const struct service *s, const struct service *other)
{
	for (const char *const *need = other->expected ? other->expected->needs : NULL; need && *need; need++)
		if (!strcmp(*need, s->name))
			return true;
	return false;
}

/* Whom it needs and misses, or who misses it: it is begun all the same, with open eyes. */
static void say_others(const struct lake *lake, const struct service *s, enum doing doing, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (const char *const *need = s->expected && doing == DOING_START ? s->expected->needs : NULL; need && *need && len + 1 < size; need++) {
		const struct service *other = lake_service(lake, *need);

		if (!is_served(other))
			len += (size_t)snprintf(out + len, size - len, "%s%s (%s)", len ? ", " : "it needs ", *need,
				other ? verdict_word(other->verdict.shown.verdict) : "unknown");
	}
	for (size_t i = 0; doing != DOING_START && i < lake->n_services && len + 1 < size; i++) {
		const struct service *other = lake->services[i];

		if (is_needed_by(s, other) && is_served(other))
			len += (size_t)snprintf(out + len, size - len, "%s%s", len ? ", " : "it is needed by ", other->name);
	}
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
	say_others(lake, s, doing, t->others, sizeof t->others);
	if (doing == DOING_START && (v == VERDICT_SERVING || v == VERDICT_SICK || v == VERDICT_WRONG_VERSION)) {
		snprintf(why, 200, "%.60s runs already", w->service);
		t->because = ERR_SYSTEM;
		return false;
	}
	if (doing == DOING_START && port_is_taken(lake, s, t->container_name, why)) {
		t->because = ERR_SYSTEM;
		return false;
	}
	if (doing == DOING_STOP && (v == VERDICT_ABSENT || v == VERDICT_STOPPED) && !t->pid) {
		snprintf(why, 200, "%.60s does not run", w->service);
		t->because = ERR_SYSTEM;
		return false;
	}
	if (v == VERDICT_IMPOSTOR || v == VERDICT_BLOCKED) {
		snprintf(why, 200, "its port is not its own: %.150s", s->verdict.shown.reason);
		t->because = ERR_SYSTEM;
		return doing == DOING_STOP && t->container[0];
	}
	if (s->expected && s->expected->container && !t->container[0] && lake->docker && lake->docker->docker != DOCKER_OK &&
		way_of(t, doing) != WAY_PROGRAM) {
		snprintf(why, 200, "its container cannot be seen: %.150s", lake->docker->docker_words);
		t->because = ERR_CONNECT;
		return false;
	}
	if (way_of(t, doing) == WAY_NONE) {
		snprintf(why, 200, "nothing says how: give [service %.40s] container, unit, compose or %s", w->service,
			doing == DOING_STOP ? "stop" : "start");
		return false;
	}
	return true;
}

/* ---- has it come about? ---- */

/* Its port, its process, and its container, each by what was seen last of it. */
static bool is_gone(const struct lake *lake, const struct action_job *j, const struct service *s)
{
	const struct container *c = j->target.container[0] ? facts_container(lake->docker, j->target.container) : NULL;
	const struct process *p;

	if (c && (!strcmp(c->state, "running") || !strcmp(c->state, "paused") || !strcmp(c->state, "restarting")))
		return false;
	if (s->pulse && s->pulse->files.unit == SYSTEMD_RESTARTS)
		return false;
	if (j->target.pid)
		j->host->spawned(j->host, j->target.pid); /* reaps it, where it is ours */
	p = facts_process(lake->facts, j->target.pid);
	return !facts_listener(lake->facts, s->at.address, s->at.port) && s->verdict.shown.verdict != VERDICT_SERVING &&
		(!j->target.pid || !p || p->state == 'Z'); /* whose parent does not care is gone all the same */
}

bool service_waits_for_others(const struct lake *lake, const struct service *s)
{
	const struct judged *j = &s->verdict.shown;

	if (!s->kind || !s->kind->leads || (j->verdict != VERDICT_SICK && j->verdict != VERDICT_STARTING) || j->answers != s->kind ||
		j->links[LINK_VERSION].state == LINK_BAD)
		return false;
	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *other = lake->services[i];

		/* those of another master do not count: it says itself that it has none */
		if (other->kind && !strcmp(other->kind->name, s->kind->leads) && is_needed_by(s, other) && is_served(other))
			return false;
	}
	return true;
}

static enum action_settled settled(const struct lake *lake, const struct action_job *j, char words[ACTION_WORDS_SIZE])
{
	const struct service *s = lake_service(lake, j->wish.service);
	const struct plan *p = j->state;
	const struct judged *shown = s ? &s->verdict.shown : NULL;

	if (!s) {
		snprintf(words, ACTION_WORDS_SIZE, "it is not to be seen any more");
		return p->doing == DOING_STOP ? SETTLED_WELL : SETTLED_NOT_YET;
	}
	snprintf(words, ACTION_WORDS_SIZE, "%s%s%s%s%s", verdict_word(shown->verdict), shown->version[0] ? " " : "", shown->version,
		shown->reason[0] ? ": " : "", shown->reason);
	if (p->doing == DOING_STOP)
		return is_gone(lake, j, s) ? SETTLED_WELL : SETTLED_NOT_YET;
	if (p->pid && (shown->verdict == VERDICT_ABSENT || shown->verdict == VERDICT_STOPPED) && j->host->spawned(j->host, p->pid) == 0)
		snprintf(words, ACTION_WORDS_SIZE, "pid %d ended with 0: it went into the background, or did nothing; %s", (int)p->pid,
			verdict_word(shown->verdict));
	/* what is shown may be from before the restart: the owner must have begun since */
	if (p->doing == DOING_RESTART && shown->owner.started && shown->owner.started == j->target.started)
		return SETTLED_NOT_YET;
	if (shown->verdict == VERDICT_SERVING)
		return SETTLED_WELL;
	if (service_waits_for_others(lake, s))
		return SETTLED_WELL;
	return shown->verdict == VERDICT_BLOCKED || shown->verdict == VERDICT_IMPOSTOR || shown->verdict == VERDICT_WRONG_VERSION ? SETTLED_BADLY :
		SETTLED_NOT_YET;
}

/* Between the offer and the yes somebody may have come to its port. */
static bool still(const struct lake *lake, const struct action_job *j, char why[200])
{
	const struct service *s = lake_service(lake, j->wish.service);

	return doing_of(&j->wish) != DOING_START || !s || !port_is_taken(lake, s, j->target.container_name, why);
}

bool action_is_so_already(const struct lake *lake, const struct action_wish *w)
{
	const struct service *s = lake_service(lake, w->service);
	enum verdict v = s ? s->verdict.shown.verdict : VERDICT_UNKNOWN;

	if (!strcmp(w->verb, "interrupt"))
		return nothing_is_left_open(lake, w);
	if (!s || w->subject[0])
		return false;
	if (!strcmp(w->verb, "start"))
		return v == VERDICT_SERVING;
	return !strcmp(w->verb, "stop") && (v == VERDICT_ABSENT || v == VERDICT_STOPPED) && !s->verdict.shown.owner.pid;
}

const struct action_spec action_start = {
	.verb = "start", .help = "start it, by what it is: container, compose service, unit, program", .on = ON_SERVICE, .limit_ms = 300000,
	.verify_ms = 180000, .offer = offer, .prepare = ways_prepare, .run = ways_run, .settled = settled, .watch = ways_watch, .still = still,
};
const struct action_spec action_stop = {
	.verb = "stop", .help = "stop it, by what it is: container, unit, program, process", .on = ON_SERVICE, .destructive = true, .limit_ms = 120000,
	.verify_ms = 60000, .offer = offer, .prepare = ways_prepare, .run = ways_run, .settled = settled, .watch = ways_watch, .still = still,
};
const struct action_spec action_restart = {
	.verb = "restart", .help = "stop and start it, by what it is", .on = ON_SERVICE, .destructive = true, .limit_ms = 300000, .verify_ms = 180000,
	.offer = offer, .prepare = ways_prepare, .run = ways_run, .settled = settled, .watch = ways_watch, .still = still,
};
