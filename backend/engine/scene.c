// SPDX-License-Identifier: MIT
/*
 * The facts of one service, sorted. Everything here may be unknown, and says so: an unprivileged
 * user sees no foreign sockets' owners, a machine without Docker no containers, a far one little.
 */
#include "scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "text.h"

enum {
	DECIDES_INTERVALS = 10, DECIDES_MAX = 60000, INTERVAL_DEFAULT = 2000, /* verdicts.md: ten intervals, at most 60 s */
	GRACE_DEFAULT = 60000,
	LOOP_RESTARTS = 3, LOOP_AGE = 30000, /* a container in a crash loop is "running" between its tries */
	FAMILY_DEPTH = 32,
};

void scene_say(char *out, size_t size, const char *format, ...)
{
	char all[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(all, sizeof all, format, args);
	va_end(args);
	text_clean(out, size, text_of(all));
}

bool scene_decides(int64_t now, int64_t seen, int64_t interval)
{
	int64_t most = (interval > 0 ? interval : INTERVAL_DEFAULT) * DECIDES_INTERVALS;

	return seen > 0 && now - seen <= (most < DECIDES_MAX ? most : DECIDES_MAX);
}

uint16_t scene_port(const struct scene *s)
{
	return s->q->at.port;
}

/* ---- who is who ---- */

/* Programs that hold a port for a container: their own pid says nothing. */
static bool is_proxy(const char *name)
{
	static const char *const proxies[] = {
		"docker-proxy", "dockerd", "rootlessport", "rootlesskit", "conmon", "pasta", "slirp4netns", "containers-root", NULL,
	};

	for (size_t i = 0; proxies[i]; i++)
		if (!strncmp(name, proxies[i], strlen(proxies[i])))
			return true;
	return false;
}

/* A unit by the name that people use: "postgresql" is also postgresql@15-main.service. */
static bool unit_is(const char *unit, const char *wanted)
{
	size_t len = strlen(wanted);
	const char *rest;

	if (strncmp(unit, wanted, len) != 0)
		return false;
	rest = unit + len;
	return !rest[0] || !strcmp(rest, ".service") || rest[0] == '@';
}

static bool hint_has(const struct process *p, const char *part)
{
	return p && text_has(text_of(p->hint), part);
}

/* Is one of them the other, or a descendant of it? init is everybody's ancestor and nobody's family. */
static bool family(const struct facts *f, pid_t a, pid_t b)
{
	for (int turn = 0; turn < 2; turn++) {
		pid_t pid = turn ? b : a, sought = turn ? a : b;

		for (int i = 0; i < FAMILY_DEPTH && pid > 1; i++) {
			const struct process *p = facts_process(f, pid);

			if (pid == sought)
				return true;
			pid = p ? p->parent : 0;
		}
	}
	return false;
}

static bool looks_like(const struct process *p, const struct service_kind *kind)
{
	for (size_t i = 0; p && kind && kind->owners && kind->owners[i]; i++)
		if (hint_has(p, kind->owners[i]))
			return true;
	return false;
}

bool scene_looks_ours(const struct scene *s)
{
	return looks_like(s->holder, s->q->kind);
}

/* Does the host know units at all? Without systemd no process has one, and that proves nothing. */
static bool knows_units(const struct facts *f)
{
	for (size_t i = 0; f && i < f->n_processes; i++)
		if (f->processes[i].unit[0])
			return true;
	return false;
}

/* ---- who holds the main port ---- */

static void own_process(struct owner *o, const struct process *p)
{
	text_copy(o->process, sizeof o->process, text_of(p->name));
	o->pid = p->pid;
	o->started = p->started;
	o->rss = p->rss;
	o->cpu = p->cpu;
	o->state = p->state;
	if (!o->unit[0])
		text_copy(o->unit, sizeof o->unit, text_of(p->unit));
}

static void own_container(struct owner *o, const struct container *c, const char *id)
{
	if (c && c->name[0])
		text_copy(o->container, sizeof o->container, text_of(c->name));
	else if (id[0])
		text_copy(o->container, sizeof o->container, (struct text){id, strnlen(id, 12)});
	if (c && !o->started)
		o->started = c->started;
}

const struct container *scene_publisher(const struct facts *docker, uint16_t port)
{
	const struct container *c = facts_publisher(docker, port);

	return c && (!strcmp(c->state, "running") || !strcmp(c->state, "paused")) ? c : NULL;
}

bool scene_is_proxy(const struct listener *l, const struct process *p)
{
	return l && p && (l->proxied[0] || is_proxy(p->name));
}

static void see_holder(struct scene *s)
{
	const struct question *q = s->q;
	const struct facts *host = s->host_known ? q->host : NULL, *docker = s->docker_known ? q->docker : NULL;
	const struct listener *l = s->listener = facts_listener(host, q->at.address, q->at.port);
	const struct process *p = l ? facts_process(host, l->pid) : NULL;
	const char *id = l && l->container[0] ? l->container : p ? p->container : "";
	struct owner *o = &s->held_by;

	o->cpu = (double)__builtin_nan("");
	s->publisher = scene_publisher(docker, q->at.port);
	if (scene_is_proxy(l, p)) {
		/* the proxy is Docker's; whom it stands for is in Docker's list */
		s->holder_container = s->publisher;
		own_container(o, s->publisher, "");
		if (!s->publisher)
			own_process(o, p);
	} else if (l) {
		s->holder = p;
		s->holder_container = id[0] ? facts_container(docker, id) : NULL;
		text_copy(o->unit, sizeof o->unit, text_of(l->unit));
		if (p)
			own_process(o, p);
		else
			o->pid = l->pid;
		o->probable = l->pid_probable;
		own_container(o, s->holder_container, id);
	} else if (s->publisher) {
		s->holder_container = s->publisher;
		own_container(o, s->publisher, "");
	}
	s->holder_named = o->pid || o->container[0] || o->unit[0];
}

static bool claims_owner(const struct expectation *e)
{
	return e && (e->container || e->pidfile || e->unit || e->process);
}

/* A host's own process cannot be a container; a proxy may be anybody's. */
static enum whose whose_container(const struct scene *s, const char *wanted)
{
	if (s->held_by.container[0]) {
		if (s->holder_container || !strcmp(s->held_by.container, wanted))
			return strcmp(s->held_by.container, wanted) ? WHOSE_ANOTHERS : WHOSE_OURS;
		return WHOSE_UNKNOWN; /* only its id is known: it may be the one */
	}
	return s->holder && !s->held_by.probable ? WHOSE_ANOTHERS : WHOSE_UNKNOWN;
}

/* No pid file, and yet it answers rightly, or looks like it: started by hand, perhaps. It speaks for itself. */
static bool started_by_hand(const struct scene *s)
{
	return s->right || scene_looks_ours(s);
}

/* Who holds the port began after the pid file was read: it may be named there by now. */
static bool younger_than_pidfile(const struct scene *s)
{
	const struct question *q = s->q;

	return s->holder && q->pulse && s->holder->started > q->wall - (q->now - q->pulse->begun);
}

static enum whose whose_pid(const struct scene *s, pid_t wanted)
{
	if (!s->held_by.pid || is_proxy(s->held_by.process) || (!wanted && started_by_hand(s)))
		return WHOSE_UNKNOWN;
	if (wanted && family(s->q->host, s->held_by.pid, wanted))
		return WHOSE_OURS;
	return s->held_by.probable ? WHOSE_UNKNOWN : WHOSE_ANOTHERS;
}

static enum whose whose_unit(const struct scene *s, const char *wanted)
{
	if (s->held_by.unit[0])
		return unit_is(s->held_by.unit, wanted) ? WHOSE_OURS : WHOSE_ANOTHERS;
	return s->holder && !s->held_by.probable && knows_units(s->q->host) ? WHOSE_ANOTHERS : WHOSE_UNKNOWN;
}

static enum whose whose_process(const struct scene *s, const char *wanted)
{
	if (!s->holder || !s->holder->hint[0])
		return WHOSE_UNKNOWN;
	if (hint_has(s->holder, wanted))
		return WHOSE_OURS;
	return s->held_by.probable ? WHOSE_UNKNOWN : WHOSE_ANOTHERS;
}

static enum whose see_whose(const struct scene *s)
{
	const struct expectation *e = s->q->expected;

	if (!s->listener && !s->publisher)
		return WHOSE_NOBODYS;
	if (!claims_owner(e))
		return WHOSE_UNCLAIMED;
	if (e->container)
		return whose_container(s, e->container);
	if (e->pidfile)
		return s->q->pidfile_read && !younger_than_pidfile(s) ? whose_pid(s, s->q->pidfile_pid) : WHOSE_UNKNOWN;
	return e->unit ? whose_unit(s, e->unit) : whose_process(s, e->process);
}

/* ---- the other services of the profile ---- */

static bool versions_agree(const struct expectation *e, const struct identity *who)
{
	if (!e->version || !who->version)
		return true;
	return who->sure == SURE_RANGE ? version_in_range(who->version, who->version_to, e->version) :
		version_meets(who->version, e->version);
}

static bool names_port(const struct expectation *e, uint16_t port)
{
	for (size_t i = 0; e && i < e->n_ports; i++)
		if (e->ports[i].port == port)
			return true;
	return false;
}

/* By what the profile says of its owner. */
static bool owned_by(const struct scene *s, const struct expectation *e)
{
	if (e->container)
		return !strcmp(e->container, s->held_by.container);
	if (e->unit)
		return s->held_by.unit[0] && unit_is(s->held_by.unit, e->unit);
	return e->process && hint_has(s->holder, e->process);
}

/* By holding that service's main port as well, and looking like it. */
static bool holds_its_port(const struct scene *s, const struct expectation *e)
{
	const struct facts *f = s->q->host;
	bool fits = !e->kind || looks_like(s->holder, e->kind), ours = e->kind != s->q->kind && looks_like(s->holder, s->q->kind);

	for (size_t i = 0; s->holder && fits && !ours && e->n_ports && i < f->n_listeners; i++)
		if (f->listeners[i].pid == s->holder->pid && f->listeners[i].port == e->ports[0].port &&
		    !names_port(s->q->expected, f->listeners[i].port))
			return true;
	return false;
}

/* By wanting this very port, and being of the kind that answers. */
static bool answers_for(const struct scene *s, const struct expectation *e)
{
	return s->said == ANSWERED_YES && e->kind && e->kind == s->q->pulse->who.kind && names_port(e, scene_port(s)) &&
	       versions_agree(e, &s->q->pulse->who);
}

static const struct expectation *see_neighbour(const struct scene *s)
{
	static bool (*const tests[])(const struct scene *, const struct expectation *) = {owned_by, holds_its_port, answers_for};
	const struct profile *p = s->q->profile;

	if (!s->q->expected || !p || !s->holder_named || s->whose == WHOSE_OURS)
		return NULL;
	for (size_t t = 0; t < sizeof tests / sizeof *tests; t++)
		for (size_t i = 0; i < p->n_services; i++)
			if (&p->services[i] != s->q->expected && tests[t](s, &p->services[i]))
				return &p->services[i];
	return NULL;
}

const struct expectation *scene_rival(const struct scene *s, size_t *from, uint16_t *port)
{
	const struct expectation *e = s->q->expected;
	const struct profile *p = s->q->profile;

	for (; e && p && *from < p->n_services; ++*from) {
		const struct expectation *other = &p->services[*from];

		if (other == e || strcmp(other->address, e->address) != 0)
			continue;
		for (size_t i = 0; i < e->n_ports; i++)
			if (names_port(other, e->ports[i].port)) {
				*port = e->ports[i].port;
				++*from;
				return other;
			}
	}
	return NULL;
}

/* ---- does the one that should hold it run? ---- */

static enum being being_say(struct scene *s, enum being being, const char *source, const char *words)
{
	s->being_source = source;
	text_clean(s->being_words, sizeof s->being_words, text_of(words));
	return being;
}

static enum being container_runs(struct scene *s, const struct container *c)
{
	char words[LINK_VALUE_SIZE];
	bool just_begun = !strcmp(c->state, "running") && c->started && s->q->wall - c->started < LOOP_AGE;
	bool looping = !strcmp(c->state, "restarting") || (just_begun && c->restarts >= LOOP_RESTARTS && !s->right);

	s->container = c;
	s->started = c->started;
	if (looping) {
		scene_say(words, sizeof words, "restarting: %lld times%s", (long long)c->restarts, c->oom_killed ? ", out of memory" : "");
		if (c->exit_code > 0)
			scene_say(words, sizeof words, "restarting: %lld times, exit %lld%s", (long long)c->restarts, (long long)c->exit_code,
				c->oom_killed ? ", out of memory" : "");
		return being_say(s, BEING_RESTARTS, "Docker", words);
	}
	if (!strcmp(c->state, "running") || !strcmp(c->state, "paused")) {
		scene_say(words, sizeof words, "container %s: %s", c->name, c->status[0] ? c->status : c->state);
		return being_say(s, BEING_RUNS, "Docker", words);
	}
	if (!strcmp(c->state, "created"))
		scene_say(words, sizeof words, "container %s never started%s%s", c->name, c->error[0] ? ": " : "", c->error);
	else
		scene_say(words, sizeof words, "container %s: %s%s%s%s", c->name, c->status[0] ? c->status : c->state,
			c->oom_killed ? ", out of memory" : "", c->error[0] ? ": " : "", c->error);
	return being_say(s, BEING_STOPPED, "Docker", words);
}

static enum being being_container(struct scene *s, const char *name)
{
	const struct facts *docker = s->q->docker;
	const struct container *c = s->docker_known ? facts_container(docker, name) : NULL;
	char words[LINK_VALUE_SIZE];

	s->being_by_docker = true;
	if (c)
		return container_runs(s, c);
	if (s->docker_known)
		scene_say(words, sizeof words, "no container %s", name);
	else
		scene_say(words, sizeof words, "Docker is not known%s%s", docker && docker->docker_words[0] ? ": " : "",
			docker ? docker->docker_words : "");
	return being_say(s, s->docker_known ? BEING_NOTHING : BEING_UNKNOWN, "Docker", words);
}

static enum being process_runs(struct scene *s, const struct process *p)
{
	char words[LINK_VALUE_SIZE], span[CLOCK_TEXT];

	s->process = p;
	s->started = p->started;
	if (p->started)
		scene_say(words, sizeof words, "%s (pid %d), up %s", p->name, (int)p->pid, clock_span(span, s->q->wall - p->started));
	else
		scene_say(words, sizeof words, "%s (pid %d)", p->name, (int)p->pid);
	return being_say(s, BEING_RUNS, "processes", words);
}

/* Numbers are used again: is the process of a pid file still what the profile means? */
static bool recycled(const struct scene *s, const struct process *p)
{
	const struct expectation *e = s->q->expected;
	const struct facts *f = s->q->host;

	if (!p->hint[0] || (s->held_by.pid && family(f, s->held_by.pid, p->pid)))
		return false;
	if (e->process)
		return !hint_has(p, e->process);
	if (!s->q->kind || !s->q->kind->owners || !s->q->kind->owners[0] || looks_like(p, s->q->kind))
		return false;
	for (size_t i = 0; i < f->n_processes; i++) /* a script that waits for the server it started */
		if (looks_like(&f->processes[i], s->q->kind) && family(f, f->processes[i].pid, p->pid))
			return false;
	return true;
}

static enum being being_pidfile(struct scene *s, const char *path)
{
	const struct question *q = s->q;
	const struct process *p = s->host_known ? facts_process(q->host, q->pidfile_pid) : NULL;
	char words[LINK_VALUE_SIZE];

	if (!q->pidfile_read || !s->host_known)
		return being_say(s, BEING_UNKNOWN, "pid file", q->pidfile_read ? "processes are not known" : "its pid file was not read yet");
	if (!q->pidfile_pid) {
		scene_say(words, sizeof words, "no pid file %s", path);
		return being_say(s, started_by_hand(s) ? BEING_UNKNOWN : BEING_NOTHING, "pid file", words);
	}
	if (p && p->state != 'Z' && !recycled(s, p))
		return process_runs(s, p);
	if (p && p->state != 'Z')
		scene_say(words, sizeof words, "pid %d of its pid file is %s now", (int)q->pidfile_pid, p->name);
	else
		scene_say(words, sizeof words, "its process is gone (pid %d of its pid file)", (int)q->pidfile_pid);
	if (!p && !q->host->processes_whole)
		return being_say(s, BEING_UNKNOWN, "pid file", "processes of others are hidden here");
	return being_say(s, BEING_STOPPED, "pid file", words);
}

/* The best of several that match: the one that holds the port, else the oldest. */
static const struct process *better(const struct scene *s, const struct process *a, const struct process *b)
{
	if (!a || a == s->holder)
		return a ? a : b;
	return b == s->holder || b->started < a->started ? b : a;
}

static enum being being_unit(struct scene *s, const char *unit)
{
	const struct question *q = s->q;
	const struct facts *f = s->host_known ? q->host : NULL;
	const struct process *best = NULL;
	char words[LINK_VALUE_SIZE];

	for (size_t i = 0; f && i < f->n_processes; i++)
		if (f->processes[i].unit[0] && unit_is(f->processes[i].unit, unit) && f->processes[i].state != 'Z')
			best = better(s, best, &f->processes[i]);
	if (q->unit == SYSTEMD_RESTARTS && !s->right && (!best || q->wall - best->started < LOOP_AGE)) {
		scene_say(words, sizeof words, "unit %s ends and is started again%s%s", unit, q->unit_words ? ": " : "", q->unit_words ? q->unit_words : "");
		s->process = best;
		return being_say(s, BEING_RESTARTS, "systemd", words);
	}
	if (best)
		return process_runs(s, best);
	if (q->unit == SYSTEMD_NOWHERE) {
		scene_say(words, sizeof words, "systemd knows no unit %s, neither of the system nor of this user", unit);
		return being_say(s, BEING_NOTHING, "systemd", words);
	}
	if (q->unit == SYSTEMD_FAILED || q->unit == SYSTEMD_WRONG) {
		scene_say(words, sizeof words, "unit %s %s%s", unit, q->unit == SYSTEMD_FAILED ? "failed: " : "is ", q->unit_words ? q->unit_words : "wrong");
		return being_say(s, BEING_STOPPED, "systemd", words);
	}
	if (q->unit == SYSTEMD_NOT_ASKED && !knows_units(f))
		return being_say(s, BEING_UNKNOWN, "systemd", "units are not known here");
	scene_say(words, sizeof words, "unit %s has no process", unit);
	return being_say(s, BEING_STOPPED, "systemd", words);
}

static enum being being_process(struct scene *s, const char *part)
{
	const struct facts *f = s->host_known ? s->q->host : NULL;
	const struct process *best = NULL;
	char words[LINK_VALUE_SIZE];

	for (size_t i = 0; f && i < f->n_processes; i++)
		if (hint_has(&f->processes[i], part) && f->processes[i].state != 'Z')
			best = better(s, best, &f->processes[i]);
	if (best)
		return process_runs(s, best);
	if (!f || !f->processes_whole)
		return being_say(s, BEING_UNKNOWN, "processes", f ? "processes of others are hidden here" : "processes are not known");
	scene_say(words, sizeof words, "no process \"%s\"", part);
	return being_say(s, BEING_NOTHING, "processes", words);
}

/* No owner is named, or it was found: whoever holds the port is it, once it has answered rightly. */
static enum being being_unclaimed(struct scene *s)
{
	bool accepted = s->right || !s->q->expected || (!s->q->kind && !s->neighbour);

	if (!s->holder && !s->holder_container)
		return being_say(s, BEING_UNKNOWN, "processes",
			s->listener ? "its process is hidden from this user" : "the profile names no owner");
	if (s->holder_container) {
		enum being being = container_runs(s, s->holder_container);

		s->process = s->holder;
		s->being_by_docker = true;
		return accepted || being == BEING_RESTARTS ? being : BEING_UNKNOWN;
	}
	process_runs(s, s->holder);
	return accepted ? BEING_RUNS : BEING_UNKNOWN;
}

static enum being see_being(struct scene *s)
{
	const struct expectation *e = s->q->expected;

	if (!claims_owner(e))
		return being_unclaimed(s);
	if (e->container)
		return being_container(s, e->container);
	if (e->pidfile)
		return being_pidfile(s, e->pidfile);
	return e->unit ? being_unit(s, e->unit) : being_process(s, e->process);
}

static bool see_young(const struct scene *s)
{
	const struct question *q = s->q;
	int64_t grace = q->expected ? q->expected->grace_ms : 0;

	if (!grace)
		grace = q->kind && q->kind->grace_ms ? q->kind->grace_ms : GRACE_DEFAULT;
	return s->started && q->wall - s->started < grace;
}

/* ---- what was heard ---- */

/* A service of several parts that answers as another part than the one expected there is at the wrong port. */
static bool right_part(const struct question *q)
{
	const struct port_role *main_part = q->kind->ports;
	const char *is = q->pulse->who.role, *wanted = main_part ? main_part->role : NULL;

	if (q->expected && q->expected->n_ports && q->expected->ports[0].role)
		wanted = q->expected->ports[0].role; /* only another part of it can be reached */
	return !q->expected || !is || !wanted || main_part->manner == PORT_SILENT || !strcmp(is, wanted);
}

static void see_answer(struct scene *s)
{
	const struct question *q = s->q;

	s->heard = q->pulse && scene_decides(q->now, q->pulse->ended, q->pulse->interval);
	s->deep = q->depth && scene_decides(q->now, q->depth->ended, q->depth->interval);
	s->said = s->heard ? q->pulse->who.answered : ANSWERED_NOT_ASKED;
	/* the host's look is newer than the answer, and the port is closed now */
	s->outlived = s->said == ANSWERED_YES && s->host_known && q->host_seen > q->pulse->ended && !s->listener && !s->publisher &&
		(!strncmp(q->at.address, "127.", 4) || !strcmp(q->at.address, "::1"));
	if (s->outlived)
		s->said = ANSWERED_REFUSED;
	s->right = s->said == ANSWERED_YES && q->kind && q->pulse->who.kind == q->kind && right_part(q);
}

void scene_look(const struct question *q, struct scene *s)
{
	*s = (struct scene){.q = q, .being_source = ""};
	s->host_known = q->host && scene_decides(q->now, q->host_seen, q->host_interval);
	s->docker_known = q->docker && q->docker->docker == DOCKER_OK && scene_decides(q->now, q->docker_seen, q->docker_interval);
	see_holder(s);
	see_answer(s);
	s->whose = see_whose(s);
	s->neighbour = see_neighbour(s);
	s->being = see_being(s);
	s->young = see_young(s);
}

/* ---- in words ---- */

char *scene_holder(const struct scene *s, char out[LINK_VALUE_SIZE])
{
	const struct owner *o = &s->held_by;
	const char *probably = o->probable ? "probably " : "";
	char process[NAME_SIZE + 24] = "", base[LINK_VALUE_SIZE] = "";

	if (o->pid)
		scene_say(process, sizeof process, "%s%spid %d", o->process, o->process[0] ? ", " : "", (int)o->pid);
	if (s->neighbour)
		scene_say(base, sizeof base, "%s (%s%s)", s->neighbour->name, probably,
			process[0] ? process : o->container[0] ? "container" : o->unit);
	else if (o->container[0])
		scene_say(base, sizeof base, "container %s%s%s%s", o->container, process[0] ? " (" : "", process, process[0] ? ")" : "");
	else if (o->unit[0])
		scene_say(base, sizeof base, "%s%s%s%s", o->unit, process[0] ? " (" : "", process, process[0] ? ")" : "");
	else if (o->process[0])
		scene_say(base, sizeof base, "%s%s (pid %d)", probably, o->process, (int)o->pid);
	else if (o->pid)
		scene_say(base, sizeof base, "%spid %d", probably, (int)o->pid);
	else
		scene_say(base, sizeof base, "another process");
	text_copy(out, LINK_VALUE_SIZE, text_of(base));
	return out;
}
