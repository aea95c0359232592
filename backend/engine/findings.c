// SPDX-License-Identifier: MIT
/*
 * Findings: what is wrong besides the verdict. A service may serve and yet be stale, stand open,
 * or sit on a port that another wants. Blocking ones keep READY away, the profile may mute each by
 * its name. Pure, any thread.
 */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "evidence.h"
#include "lake.h"
#include "text.h"

enum { RIVAL_LATER_MS = 1000 };

static enum link_state state_of(const struct judged *out, enum link_name link)
{
	return out->links[link].state;
}

static bool muted(const struct scene *s, const char *name)
{
	const char *const *mute = s->q->expected ? s->q->expected->mute : NULL;

	for (; mute && *mute; mute++)
		if (!strcmp(*mute, name))
			return true;
	return false;
}

/* The gravest first; where there is no room the least grave is left off. NULL: muted, or left off. */
static struct judged_finding *find(const struct scene *s, struct judged *out, const char *name, enum severity severity)
{
	size_t at = 0;

	while (at < out->n_findings && out->findings[at].severity >= severity)
		at++;
	if (at == JUDGED_FINDINGS_MAX || muted(s, name))
		return NULL;
	if (out->n_findings < JUDGED_FINDINGS_MAX)
		out->n_findings++;
	memmove(&out->findings[at + 1], &out->findings[at], (out->n_findings - at - 1) * sizeof *out->findings);
	out->findings[at] = (struct judged_finding){.severity = severity};
	text_clean(out->findings[at].name, sizeof out->findings[at].name, text_of(name));
	return &out->findings[at];
}

/* Started before its files or its image changed: it may answer rightly, and does not do what they say. */
static void find_stale(const struct scene *s, struct judged *out)
{
	struct judged_finding *f = state_of(out, LINK_FRESH) == LINK_BAD ? find(s, out, "stale", SEVERITY_BLOCKING) : NULL;

	if (!f)
		return;
	reason(f, "%s", out->links[LINK_FRESH].value);
	if (out->links[LINK_FRESH].source[0] == 'D')
		remedy(f, "make its container anew");
	else
		remedy(f, "restart it");
}

/* Who should hold the port, by the profile. */
static const char *named_owner(const struct expectation *e, char out[LINK_VALUE_SIZE])
{
	if (e->container)
		scene_say(out, LINK_VALUE_SIZE, "container %s", e->container);
	else if (e->pidfile)
		scene_say(out, LINK_VALUE_SIZE, "the process of %s", e->pidfile);
	else if (e->unit)
		scene_say(out, LINK_VALUE_SIZE, "unit %s", e->unit);
	else
		scene_say(out, LINK_VALUE_SIZE, "a process \"%s\"", e->process);
	return out;
}

/* The right kind serves, from another process than the profile's. Grave where that one runs too: one of them is old. */
static void find_foreign_owner(const struct scene *s, struct judged *out)
{
	bool both = s->being == BEING_RUNS;
	char holder[LINK_VALUE_SIZE], owner[LINK_VALUE_SIZE];
	struct judged_finding *f = s->whose == WHOSE_ANOTHERS && s->right && out->verdict != VERDICT_BLOCKED ?
		find(s, out, "owner-differs", both ? SEVERITY_BLOCKING : SEVERITY_WARNING) : NULL;

	if (!f)
		return;
	reason(f, "%u is held by %s, not by %s%s", scene_port(s), scene_holder(s, holder), named_owner(s->q->expected, owner),
		both ? ", which runs too" : "");
	remedy(f, both ? "stop the one that should not be there" : "stop it, or correct the profile");
}

/* Two services of the profile want one port: also before either runs. */
static void find_port_conflict(const struct scene *s, struct judged *out)
{
	const struct expectation *other;
	uint16_t port;
	size_t from = 0;

	while ((other = scene_rival(s, &from, &port))) {
		bool both = s->q->expected->required && other->required;
		struct judged_finding *f = find(s, out, "port-conflict", both ? SEVERITY_WARNING : SEVERITY_INFO);

		if (!f)
			return;
		reason(f, "%s also wants %u", other->name, port);
		remedy(f, "move the port of one of them");
	}
}

/* The port by which the service takes code to run, where it listens and is its own. NULL: none. */
static const struct listener *code_port(const struct scene *s)
{
	const struct service_kind *kind = s->right ? s->q->kind : NULL;
	const struct port_role *role = kind && kind->code_role ? kind->ports : NULL;
	const struct listener *at;
	uint16_t port;

	while (role && role->role && strcmp(role->role, kind->code_role) != 0)
		role++;
	if (!role || !role->role)
		return NULL;
	if (role == kind->ports)
		return s->listener;
	port = s->q->expected ? expected_role_port(s->q->expected, role->role) : 0;
	at = s->q->host ? facts_listener(s->q->host, "", port ? port : role->port) : NULL;
	/* by its usual number alone it may be another's */
	return at && (port || (s->listener && at->pid && at->pid == s->listener->pid)) ? at : NULL;
}

static bool find_open_to_code(const struct scene *s, struct judged *out, bool unguarded)
{
	const struct listener *at = unguarded ? code_port(s) : NULL;
	struct judged_finding *f = at && at->open ? find(s, out, "open-to-network", SEVERITY_WARNING) : NULL;

	if (!f)
		return false;
	if (at == s->listener)
		reason(f, "%s:%u asks for no credential: whoever reaches it runs any code here", at->address, at->port);
	else
		reason(f, "%s:%u (%s) runs the code of whoever reaches it, unless a filter of its own asks for a credential", at->address, at->port,
			s->q->kind->code_role);
	remedy(f, "let it listen on 127.0.0.1, or have it ask for a token");
	return true;
}

/* Asks nobody for a credential, and others than this machine can reach it. */
static void find_open_to_network(const struct scene *s, struct judged *out)
{
	const struct credentials none = {0}, *c = s->q->expected ? &s->q->expected->credentials : &none;
	bool unguarded = s->right && !c->password && !c->token && state_of(out, LINK_HEALTHY) == LINK_OK;
	bool said = find_open_to_code(s, out, unguarded);
	struct judged_finding *f = !said && unguarded && s->listener && s->listener->open ? find(s, out, "open-to-network",
		SEVERITY_INFO) : NULL;

	if (!f)
		return;
	reason(f, "%s:%u answers without a credential, and others than this machine can reach it", s->listener->address,
		scene_port(s));
	remedy(f, "let it listen on 127.0.0.1");
}

static void find_replaced_program(const struct scene *s, struct judged *out)
{
	const struct process *p = s->process ? s->process : s->whose == WHOSE_ANOTHERS ? NULL : s->holder;
	struct judged_finding *f = p && p->exe_deleted ? find(s, out, "program-replaced", SEVERITY_WARNING) : NULL;

	if (!f)
		return;
	reason(f, "the program file of %s (pid %d) was replaced since it started", p->name, (int)p->pid);
	remedy(f, "restart it");
}

static void find_container_trouble(const struct scene *s, struct judged *out)
{
	const struct container *c = s->container;
	struct judged_finding *f;

	if (!c || strcmp(c->state, "running") != 0)
		return;
	if (c->oom_killed && (f = find(s, out, "oom-killed", SEVERITY_WARNING))) {
		reason(f, "a process of container %s was killed for lack of memory", c->name);
		remedy(f, "raise its memory limit, or free memory");
	}
	if (s->right && !strcmp(c->health, "unhealthy") && (f = find(s, out, "unhealthy", SEVERITY_WARNING))) {
		reason(f, "it answers, but Docker's own health check of container %s fails", c->name);
		remedy(f, "look at that check: docker inspect %s", c->name);
	}
}

static void find_version_hint(const struct scene *s, struct judged *out)
{
	const char *expected = s->q->expected ? s->q->expected->version : NULL, *found, *from;
	const struct identity *who = evidence_version(s);
	struct judged_finding *f;
	char tag[NAME_SIZE];

	if (!expected || !(s->right || (!s->q->kind && out->verdict == VERDICT_SERVING)) || (who && who->sure != SURE_HINT))
		return;
	found = who ? who->version : evidence_image_version(s, tag);
	from = who ? who->from : "its image's tag";
	if (!found || version_meets(found, expected) || !(f = find(s, out, "version-hint", SEVERITY_WARNING)))
		return;
	reason(f, "%s suggests version %s, expected %s; it does not say itself", from ? from : "a hint", found, expected);
}

static void find_missing_ports(const struct scene *s, struct judged *out)
{
	char missing[LINK_VALUE_SIZE];
	struct judged_finding *f;

	evidence_missing_ports(s, missing);
	if (!missing[0] || out->verdict != VERDICT_SERVING || s->young || !(f = find(s, out, "port-missing", SEVERITY_WARNING)))
		return;
	reason(f, "it serves, but nobody listens on %s", missing);
	remedy(f, "look at its log, or correct the profile");
}

/* What its own kind found, while that is true of the one that answers. */
static void findings_of_depth(const struct scene *s, struct judged *out)
{
	for (size_t i = 0; s->deep && s->right && i < s->q->depth->n_findings; i++) {
		const struct finding *its = &s->q->depth->findings[i];
		struct judged_finding *f = find(s, out, its->name, its->severity);

		if (!f)
			continue;
		reason(f, "%s", its->reason ? its->reason : "");
		remedy(f, "%s", its->remedy ? its->remedy : "");
	}
}

/* Spark's streaming queries are no groups: of those that read it, a cluster's own look tells nothing. */
static void find_slow_streams(const struct scene *s, struct judged *out)
{
	char lag[VALUE_TEXT_SIZE], more[VALUE_TEXT_SIZE];

	for (size_t i = 0; s->deep && s->right && i < s->q->n_streams; i++) {
		const struct stream_view *v = &s->q->streams[i];
		struct judged_finding *f;

		if (!v->kafka || strcmp(v->kafka->name, s->q->name) != 0 || strcmp(lake_stream_state(v), "slow") != 0 ||
			!(f = find(s, out, "lag", SEVERITY_WARNING)))
			continue;
		reason(f, "streaming query %.80s is slow: %s behind, %s more each second", v->stream->name, value_show(lag, v->lag.lag, UNIT_RECORDS),
			value_show(more, value_real(v->pace.in - v->pace.out), UNIT_COUNT));
		remedy(f, "let its batches take more, or give its driver more cores");
	}
}

/* In a container with a network of its own the same port is another one. */
static bool is_on_our_network(const struct facts *docker, const struct process *p)
{
	const struct container *c = p->container[0] ? facts_container(docker, p->container) : NULL;

	return !p->container[0] || (c && !strcmp(c->network, "host"));
}

/* Is it started for that port? By its words, else by the configuration, else by its usual number. */
static bool wants(const struct service_kind *kind, struct text hint, uint16_t port, uint16_t configured)
{
	const char *role;

	if (configured && !(kind->port_key && text_has(hint, kind->port_key)))
		return configured == port;
	role = kind->role_of(hint, port);
	return role && !strcmp(role, kind->ports[0].role);
}

bool rival_of(const struct facts *f, const struct facts *docker, const struct service_kind *kind, const struct endpoint *at, uint16_t configured,
	struct rival *out)
{
	const struct listener *l = facts_listener(f, at->address, at->port);
	const struct process *holder = l && !l->pid_probable && !l->proxied[0] ? facts_process(f, l->pid) : NULL;

	*out = (struct rival){0};
	if (!holder || !kind || !kind->firm || !kind->role_of || !kind->owners)
		return false;
	for (size_t i = 0; i < f->n_processes; i++) {
		const struct process *p = &f->processes[i];
		bool like = false;

		for (const char *const *owner = kind->owners; *owner; owner++)
			like = like || text_has(text_of(p->hint), *owner);
		if (!like || p == holder || p->parent == holder->pid || p->started <= holder->started + RIVAL_LATER_MS || !is_on_our_network(docker, p))
			continue;
		if (wants(kind, text_of(p->hint), at->port, configured) && p->started > out->started)
			*out = (struct rival){.pid = p->pid, .started = p->started};
	}
	return out->pid != 0;
}

bool rival_has_lost(const struct facts *f, const struct rival *r)
{
	return r->pid && !facts_process(f, r->pid);
}

/* Who just started a server believes that it answers: the old one does. */
static void find_rival(const struct scene *s, struct judged *out)
{
	const struct rival *r = &s->q->rival;
	char since[CLOCK_TEXT], holder[LINK_VALUE_SIZE];
	struct judged_finding *f = r->pid && s->right ? find(s, out, "lost-port", SEVERITY_BLOCKING) : NULL;

	if (!f)
		return;
	reason(f, "pid %d was started %s ago for %u and could not have it: %s of before goes on answering", (int)r->pid,
		clock_span(since, s->q->wall - r->started), scene_port(s), scene_holder(s, holder));
	remedy(f, "stop the old one, then start the new one again");
}

static void (*const finders[])(const struct scene *, struct judged *) = {
	find_stale, find_foreign_owner, find_rival, findings_of_depth, find_slow_streams, find_missing_ports, find_version_hint, find_container_trouble,
	find_replaced_program, find_port_conflict, find_open_to_network,
};

void findings_add(const struct scene *s, struct judged *out)
{
	for (size_t i = 0; i < sizeof finders / sizeof *finders; i++)
		finders[i](s, out);
}
