// SPDX-License-Identifier: MIT
/*
 * The table of ports: every listener and every expected port without one, with who should be
 * there, who answers, and who holds it. UI thread; rebuilt when the host or a verdict changed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actor.h"
#include "scene.h"

static struct port_row *row_new(struct lake *lake)
{
	lake->ports = mem_grow(lake->ports, lake->n_ports + 1, sizeof *lake->ports);
	lake->ports[lake->n_ports] = (struct port_row){0};
	return &lake->ports[lake->n_ports++];
}

static bool covers(const char *listener, const char *wanted)
{
	return listener[0] == '*' || !strcmp(listener, "[::]") || !strcmp(listener, wanted);
}

static void add_expected(struct port_row *row, const struct service *s, const char *role)
{
	size_t n = 0;

	while (n < 3 && row->expected[n] && row->expected[n] != s)
		n++;
	if (n == 3 || row->expected[n] == s)
		return;
	row->expected[n] = s;
	if (n == 0)
		row->expected_role = role;
	row->conflict = n > 0;
}

/* Who wants this port, by the profile; one that has it comes first. */
static void who_wants(const struct lake *lake, struct port_row *row)
{
	for (int holder = 1; holder >= 0; holder--)
		for (size_t i = 0; i < lake->n_services; i++) {
			const struct service *s = lake->services[i];

			for (size_t k = 0; s->expected && k < s->expected->n_ports; k++)
				if (s->expected->ports[k].port == row->port && covers(row->address, s->expected->address) &&
				    holder == (s->verdict.shown.verdict == VERDICT_SERVING))
					add_expected(row, s, s->expected->ports[k].role);
		}
}

static void say(struct port_row *row, const struct service_kind *kind, const char *role, const char *version)
{
	const char *main_role = kind->ports[0].role;

	row->kind = kind;
	text_copy(row->version, sizeof row->version, text_of(version));

	snprintf(row->words, sizeof row->words, "%s%s%s%s%s", kind->title, role && strcmp(role, main_role) != 0 ? " " : "",
		role && strcmp(role, main_role) != 0 ? role : "", version && version[0] ? " " : "", version && version[0] ? version : "");
}

static const struct found *found_of(const struct engine *e, const struct port_row *row)
{
	for (size_t i = 0; i < e->n_found; i++)
		if (e->found[i].port == row->port && !strcmp(e->found[i].address, row->address))
			return &e->found[i];
	return NULL;
}

static bool answers_itself(const struct judged *j)
{
	return j->answers && (j->verdict == VERDICT_SERVING || j->verdict == VERDICT_SICK || j->verdict == VERDICT_WRONG_VERSION ||
		j->verdict == VERDICT_STARTING || j->verdict == VERDICT_UNKNOWN || j->verdict == VERDICT_BLOCKED || j->verdict == VERDICT_IMPOSTOR);
}

static void who_answers(const struct engine *e, struct port_row *row, const struct process *p)
{
	const struct found *f = found_of(e, row);
	const struct service_kind *kind = NULL;
	const char *role = NULL;
	bool silent;

	/* the one whose main port it is was asked; the port of a process is a part of what the process is */
	for (int by_pid = 0; by_pid <= 1 && !row->answers; by_pid++)
		for (size_t i = 0; i < e->n_members && !row->answers; i++) {
			const struct service *s = &e->members[i]->service;
			const struct judged *j = &s->verdict.shown;

			if (!answers_itself(j))
				continue;
			if (!by_pid && s->at.port == row->port && covers(row->address, s->at.address)) {
				row->answers = s;
				row->asked = true;
				say(row, j->answers, j->role[0] ? j->role : NULL, j->version);
			} else if (by_pid && row->owner.pid && j->owner.pid == row->owner.pid && j->verdict != VERDICT_BLOCKED && j->verdict != VERDICT_IMPOSTOR) {
				row->answers = s;
				row->role = s->expected && row->expected[0] == s ? row->expected_role : NULL;
				if (f && f->pulse && f->pulse->who.kind)
					row->role = f->pulse->who.role;
				else if (!row->role && j->answers->role_of && p)
					row->role = j->answers->role_of(text_of(p->hint), row->port);
				say(row, j->answers, row->role ? row->role : "further port", j->version);
			}
		}
	if (row->answers)
		return;
	row->asked = f && f->pulse && f->pulse->who.answered != ANSWERED_NOT_ASKED;
	if (f && f->pulse && f->pulse->who.kind)
		say(row, f->pulse->who.kind, f->pulse->who.role, f->pulse->who.version);
	else if (f && f->pulse && f->pulse->who.says)
		snprintf(row->words, sizeof row->words, "unknown: says %s", f->pulse->who.says);
	else if (row->asked && f->pulse->who.answered == ANSWERED_MUTE)
		snprintf(row->words, sizeof row->words, "says nothing");
	else {
		silent = p && port_is_silent(text_of(p->hint), row->port, &kind, &role);
		row->silent = silent ? role : NULL;
		snprintf(row->words, sizeof row->words, "not asked%s%s", silent ? "; by its owner a port of " : "", silent ? kind->title : "");
	}
}

static void who_owns(const struct lake *lake, const struct listener *l, struct owner *out)
{
	const struct process *p = facts_process(lake->facts, l->pid);
	const struct container *c = l->container[0] ? facts_container(lake->docker, l->container) : NULL;
	const struct container *behind = scene_is_proxy(l, p) ? scene_publisher(lake->docker, l->port) : NULL;

	out->cpu = (double)NAN;
	if (behind) { /* the proxy's own pid says nothing */
		text_copy(out->container, sizeof out->container, text_of(behind->name));
		out->started = behind->started;
		return;
	}
	out->pid = l->pid;
	out->probable = l->pid_probable;
	text_copy(out->unit, sizeof out->unit, text_of(l->unit));
	if (c)
		text_copy(out->container, sizeof out->container, text_of(c->name));
	else if (l->container[0])
		snprintf(out->container, sizeof out->container, "%.12s", l->container);
	if (!p)
		return;
	text_copy(out->process, sizeof out->process, text_of(p->name));
	out->started = p->started;
	out->rss = p->rss;
	out->cpu = p->cpu;
	out->state = p->state;
}

static int by_port(const void *a, const void *b)
{
	const struct port_row *x = a, *y = b;

	return x->port != y->port ? (x->port > y->port) - (x->port < y->port) : strcmp(x->address, y->address);
}

static bool listened(const struct facts *f, const char *address, uint16_t port)
{
	return facts_listener(f, address, port) != NULL;
}

void ports_build(struct engine *e)
{
	struct lake *lake = &e->lake;
	const struct facts *f = lake->facts;

	lake->n_ports = 0;
	for (size_t i = 0; f && i < f->n_listeners; i++) {
		struct port_row *row = row_new(lake);

		row->listener = &f->listeners[i];
		row->port = row->listener->port;
		text_copy(row->address, sizeof row->address, text_of(row->listener->address));
		who_owns(lake, row->listener, &row->owner);
		who_wants(lake, row);
		who_answers(e, row, facts_process(f, row->listener->pid));
	}
	for (size_t i = 0; f && i < lake->n_services; i++) {
		const struct expectation *x = lake->services[i]->expected;

		for (size_t k = 0; x && k < x->n_ports; k++) {
			bool known = listened(f, x->address, x->ports[k].port);
			struct port_row *row;

			for (size_t r = 0; r < lake->n_ports && !known; r++)
				known = lake->ports[r].port == x->ports[k].port && !lake->ports[r].listener && !strcmp(lake->ports[r].address, x->address);
			if (known)
				continue;
			row = row_new(lake);
			row->port = x->ports[k].port;
			text_copy(row->address, sizeof row->address, text_of(x->address));
			who_wants(lake, row);
		}
	}
	if (lake->n_ports)
		qsort(lake->ports, lake->n_ports, sizeof *lake->ports, by_port);
}
