// SPDX-License-Identifier: MIT
/*
 * Discovery: every listener that no profile names is asked once who it is (by the clerk), and
 * again only when its socket changes. A known kind becomes a row with an actor of its own; the
 * other ports of the same process become parts of it. UI thread; never waits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actor.h"

enum { FOUND_MAX = 600, GONE_MS = 60000, TRIES = 5, AGAIN_MS = 4000 };

static bool same_address(const char *listener, const char *wanted)
{
	return listener[0] == '*' || !strcmp(listener, "[::]") || !strcmp(listener, wanted);
}

static bool expected_there(const struct engine *e, const struct listener *l)
{
	for (size_t i = 0; i < e->n_members; i++) {
		const struct expectation *x = e->members[i]->service.expected;

		for (size_t k = 0; x && k < x->n_ports; k++)
			if (x->ports[k].port == l->port && same_address(l->address, x->address))
				return true;
	}
	return false;
}

/* The service whose main port is held by this process; NULL: none. Of a blocked one the holder is the culprit, not a part. */
static struct member *member_of_pid(const struct engine *e, pid_t pid)
{
	for (size_t i = 0; pid && i < e->n_members; i++) {
		const struct judged *j = &e->members[i]->service.verdict.shown;

		if (j->owner.pid == pid && j->verdict != VERDICT_BLOCKED && j->verdict != VERDICT_IMPOSTOR)
			return e->members[i];
	}
	return NULL;
}

static struct found *found_at(struct engine *e, const struct listener *l)
{
	for (size_t i = 0; i < e->n_found; i++)
		if (e->found[i].port == l->port && !strcmp(e->found[i].address, l->address))
			return &e->found[i];
	return NULL;
}

static void found_forget(struct found *f)
{
	snapshot_drop(f->pulse);
	f->pulse = NULL;
	f->asked = f->answered = false;
}

static void inquire(struct engine *e, const struct listener *l, bool on_demand)
{
	const struct service_kind *kinds[CANDIDATES_MAX];
	const struct process *p = facts_process(e->lake.facts, l->pid);
	struct inquiry *q = mem_new(1, sizeof *q), **place;

	text_copy(q->address, sizeof q->address, text_of(l->address));
	q->port = l->port;
	q->socket = l->inode;
	q->on_demand = on_demand;
	if (p) {
		q->owner_started = p->started;
		text_copy(q->hint, sizeof q->hint, text_of(p->hint));
	}
	q->explained = candidates(text_of(q->hint), q->port, NULL, kinds) > 0;
	pthread_mutex_lock(&e->lock);
	place = &e->inquiries;
	while (*place && ((*place)->explained || !q->explained))
		place = &(*place)->next;
	q->next = *place;
	*place = q;
	e->open_explained += q->explained;
	e->open_all++;
	pthread_mutex_unlock(&e->lock);
	for (size_t i = 0; i < e->n_actors; i++)
		if (e->actors[i]->job == JOB_CLERK)
			actor_wake(e->actors[i]);
}

/* Main ports before the others, so that these find the row that they are a part of. */
static bool is_main_port(const struct engine *e, const struct listener *l)
{
	const struct service_kind *kinds[CANDIDATES_MAX];
	const struct process *p = facts_process(e->lake.facts, l->pid);
	size_t n = candidates(text_of(p ? p->hint : ""), l->port, NULL, kinds);
	const char *role = n && kinds[0]->role_of && p ? kinds[0]->role_of(text_of(p->hint), l->port) : NULL;

	return n && (role ? !strcmp(role, kinds[0]->ports[0].role) : kinds[0]->ports[0].port == l->port || kinds[0]->ports[0].often == l->port);
}

/* It may be one of ours that did not speak yet: worth another question, a few times. */
static bool starts_silently(const struct engine *e, const struct found *f)
{
	const struct service_kind *kinds[CANDIDATES_MAX];
	const struct process *p = facts_process(e->lake.facts, f->pid);

	return f->answered && f->pulse && f->tries < TRIES && e->lake.now - f->pulse->ended > AGAIN_MS &&
		(f->pulse->who.answered == ANSWERED_MUTE || f->pulse->who.answered == ANSWERED_REFUSED) &&
		candidates(text_of(p ? p->hint : ""), f->port, NULL, kinds) > 0;
}

/* What is known of a listener, or a place for it; NULL: there are too many. */
static struct found *found_for(struct engine *e, const struct listener *l)
{
	struct found *f = found_at(e, l);

	if (!f) {
		if (e->n_found == FOUND_MAX)
			return NULL;
		e->found = mem_grow(e->found, e->n_found + 1, sizeof *e->found);
		f = &e->found[e->n_found++];
		*f = (struct found){.port = l->port};
		text_copy(f->address, sizeof f->address, text_of(l->address));
	}
	f->seen = true;
	f->pid = l->pid;
	if (f->socket != l->inode) {
		found_forget(f); /* another server listens here now */
		f->socket = l->inode;
		f->tries = 0;
	}
	return f;
}

/* Of an expected one only the answer that the user asked for is kept, while the same server listens. */
static void keep_answer(struct engine *e, const struct listener *l)
{
	struct found *f = found_at(e, l);

	if (f && f->socket == l->inode)
		f->seen = true;
}

static void meet(struct engine *e, const struct listener *l, bool main_ports)
{
	struct found *f = found_for(e, l);

	if (!f)
		return;
	if (starts_silently(e, f))
		f->asked = false;
	if (f->asked || e->options.replay || main_ports != is_main_port(e, l))
		return;
	f->tries++;
	f->asked = true;
	if (!member_of_pid(e, l->pid))
		inquire(e, l, false);
	else
		f->answered = true; /* a further port of a service that is known: not asked */
}

/* Its port is another server's now, which does not answer as it: a found one is not what it was found as any more. */
static bool is_displaced(const struct engine *e, const struct member *m)
{
	struct target target;
	uint64_t server;

	target_from_facts(e, m, &target);
	server = target_server(&target);
	return server && m->home && server != m->home;
}

static bool is_another_kind(const struct member *m)
{
	const struct snapshot *s = m->service.pulse;

	return s && s->server != m->home && s->who.answered == ANSWERED_YES && s->who.kind != m->service.kind;
}

/* Who is on its port is to be asked anew, as is what was taken for a part of it. */
static void ask_anew(struct engine *e, const struct member *m)
{
	for (size_t i = 0; i < e->n_found; i++)
		if (e->found[i].port == m->service.at.port || (e->found[i].pid && e->found[i].pid == m->service.verdict.shown.owner.pid)) {
			found_forget(&e->found[i]);
			e->found[i].tries = 0;
		}
}

/* One that restarts is silent for a while; whose like comes and goes is not waited for. */
static int64_t patience(const struct member *m, bool displaced)
{
	if (displaced ? is_another_kind(m) : m->service.kind && m->service.kind->fleeting)
		return 0;
	return GONE_MS;
}

static void drop_vanished(struct engine *e)
{
	for (size_t i = 0; i < e->n_found;) {
		if (e->found[i].seen) {
			i++;
			continue;
		}
		found_forget(&e->found[i]);
		e->found[i] = e->found[--e->n_found];
	}
	for (size_t i = 0; i < e->n_members;) {
		struct member *m = e->members[i];
		const struct listener *l = facts_listener(e->lake.facts, m->service.at.address, m->service.at.port);
		bool displaced = l && is_displaced(e, m);

		if (m->service.expected || (l && !displaced)) {
			m->gone_since = 0;
			i++;
		} else if (!m->gone_since) {
			m->gone_since = e->lake.now;
			i++;
		} else if (e->lake.now - m->gone_since < patience(m, displaced)) {
			i++;
		} else {
			if (displaced)
				ask_anew(e, m);
			member_drop(e, i);
		}
	}
}

void discover_listeners(struct engine *e)
{
	const struct facts *f = e->lake.facts;
	pid_t self = getpid();

	if (!f || !e->options.discover)
		return;
	for (size_t i = 0; i < e->n_found; i++)
		e->found[i].seen = false;
	for (int main_ports = 1; main_ports >= 0; main_ports--)
		for (size_t i = 0; i < f->n_listeners; i++)
			if (expected_there(e, &f->listeners[i]))
				keep_answer(e, &f->listeners[i]);
			else if (f->listeners[i].pid != self)
				meet(e, &f->listeners[i], main_ports);
	drop_vanished(e);
}

struct endpoint found_endpoint(const char *address, uint16_t port)
{
	struct endpoint at = {.port = port};

	text_copy(at.address, sizeof at.address, address[0] == '*' ? TEXT("127.0.0.1") : !strcmp(address, "[::]") ? TEXT("::1") : text_of(address));
	return at;
}

static void drop_member(struct engine *e, const struct member *m)
{
	for (size_t i = 0; i < e->n_members; i++)
		if (e->members[i] == m) {
			member_drop(e, i);
			return;
		}
}

static void become_service(struct engine *e, struct found *f, const struct snapshot *s)
{
	const struct listener *l = facts_listener(e->lake.facts, f->address, f->port);
	const struct process *p = l ? facts_process(e->lake.facts, l->pid) : NULL;
	struct endpoint at = found_endpoint(f->address, f->port);
	char name[NAME_SIZE];
	struct member *m = member_of_pid(e, f->pid);
	bool main_port = !s->who.role || !strcmp(s->who.role, s->who.kind->ports[0].role);

	if (l && expected_there(e, l))
		return; /* the profile's has its row */
	if (m && main_port && m->by_part) { /* a part of it was quicker to answer */
		drop_member(e, m);
		m = NULL;
	}
	if (m)
		return; /* another port of one that has its row */
	snprintf(name, sizeof name, "%s%s%s:%u", s->who.kind->name, main_port ? "" : "-", main_port ? "" : s->who.role, f->port);
	if (lake_service(&e->lake, name))
		return;
	m = member_add(e, name, NULL, s->who.kind, &at);
	/* at once, so that further ports of the same process find it before it is judged */
	m->service.verdict.shown.owner.pid = p ? p->pid : 0;
	m->by_part = !main_port;
}

void discover_answers(struct engine *e)
{
	struct snapshot *news[sizeof e->answers / sizeof *e->answers];
	size_t n;

	pthread_mutex_lock(&e->lock);
	n = e->n_answers;
	memcpy(news, e->answers, n * sizeof *news);
	e->n_answers = 0;
	pthread_mutex_unlock(&e->lock);
	for (size_t i = 0; i < n; i++) {
		struct found *f = NULL;
		char name[NAME_SIZE * 2];

		for (size_t k = 0; k < e->n_found && !f; k++) {
			snprintf(name, sizeof name, "port:%s:%u", e->found[k].address, e->found[k].port);
			if (!strcmp(name, news[i]->source))
				f = &e->found[k];
		}
		if (f) {
			found_forget(f);
			f->asked = f->answered = true;
			f->pulse = news[i];
			if (news[i]->who.answered == ANSWERED_YES && news[i]->who.kind)
				become_service(e, f, news[i]);
		} else {
			replay_take(e, news[i]);
		}
	}
}

void engine_ask_port(struct engine *e, const char *address, uint16_t port)
{
	const struct listener *l = facts_listener(e->lake.facts, address, port);
	struct found *f;

	if (!l || e->options.replay)
		return;
	f = found_for(e, l); /* of an expected port there was none, and the answer needs its place */
	if (f)
		f->asked = true;
	inquire(e, l, true);
}
