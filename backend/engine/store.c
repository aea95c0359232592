// SPDX-License-Identifier: MIT
/*
 * Snapshots in, a lake out: the newest of each source, histories with gaps as gaps, verdicts with
 * hysteresis, causes before victims, READY or the first broken thing. UI thread; never waits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actor.h"
#include "logs.h"

enum { HOLD_MS = 2000 };

/* ---- rings ---- */

double ring_get(const struct ring *r, unsigned back)
{
	return back < r->used ? r->at[(r->next + RING_SIZE - 1 - back) % RING_SIZE] : (double)NAN;
}

void history_push(struct history *h, double v, int64_t ms)
{
	double before = ring_get(&h->ring, 0);

	h->rate = ms > 0 ? (v - before) * 1000 / (double)ms : (double)NAN; /* NAN in, NAN out */
	h->ring.at[h->ring.next] = v;
	h->ring.next = (h->ring.next + 1) % RING_SIZE;
	if (h->ring.used < RING_SIZE)
		h->ring.used++;
}

const struct history *service_history(const struct service *s, const char *figure)
{
	for (size_t i = 0; i < s->n_histories; i++)
		if (!strcmp(s->histories[i].spec->name, figure))
			return &s->histories[i];
	return NULL;
}

bool service_kind_shows(const struct service_kind *kind, const char *view)
{
	for (const char *const *v = kind ? kind->views : NULL; v && *v; v++)
		if (!strcmp(*v, view))
			return true;
	return false;
}

const struct snapshot *service_answer(const struct service *s, const char *view, const char *subject)
{
	return s->answer && !strcmp(s->answer->view, view) && !strcmp(s->answer->subject, subject) ? s->answer : NULL;
}

const struct service *lake_service(const struct lake *lake, const char *name)
{
	for (size_t i = 0; i < lake->n_services; i++)
		if (!strcmp(lake->services[i]->name, name))
			return lake->services[i];
	return NULL;
}

const struct judged_finding *lake_warning(const struct lake *lake, size_t n, const char **whose)
{
	*whose = lake_machine;
	if (n < lake->n_machine)
		return &lake->machine[n];
	n -= lake->n_machine;
	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *s = lake->services[i];

		*whose = s->name;
		for (size_t k = 0; k < s->verdict.shown.n_findings; k++)
			if (s->verdict.shown.findings[k].severity == SEVERITY_WARNING && (s->expected || s->required) && n-- == 0)
				return &s->verdict.shown.findings[k];
	}
	return NULL;
}

/* ---- taking ---- */

static void hold(const struct snapshot **slot, struct snapshot *s)
{
	snapshot_drop(*slot);
	*slot = s;
}

static struct history *history_of(struct member *m, const struct figure_spec *spec)
{
	for (size_t i = 0; i < m->service.n_histories; i++)
		if (m->histories[i].spec == spec)
			return &m->histories[i];
	if (m->service.n_histories == SNAPSHOT_FIGURES_MAX)
		return NULL;
	m->service.histories = m->histories;
	m->histories[m->service.n_histories] = (struct history){.spec = spec, .rate = (double)NAN};
	return &m->histories[m->service.n_histories++];
}

static void take_depth(struct member *m, struct snapshot *s)
{
	const struct snapshot *before = m->service.depth;
	int64_t ms = before ? s->ended - before->ended : 0;

	for (size_t i = 0; i < s->n_figures; i++) {
		struct history *h;

		if (!(s->figures[i].spec->flags & FIGURE_HISTORY) || !(h = history_of(m, s->figures[i].spec)))
			continue;
		/* what was missed leaves a hole, not a line drawn across it */
		for (int64_t gap = ms - s->interval * 3 / 2; before && gap > 0 && gap < s->interval * RING_SIZE; gap -= s->interval)
			history_push(h, (double)NAN, 0);
		history_push(h, value_number(s->figures[i].value), ms);
	}
	hold(&m->service.depth, s);
}

void store_take(struct engine *e, struct member *m, struct snapshot *s)
{
	(void)e;
	if (s->part == PART_PULSE && s->who.answered == ANSWERED_YES && s->who.kind == m->service.kind)
		m->home = s->server;
	if (s->part == PART_DEPTH)
		take_depth(m, s);
	else if (s->part == PART_ANSWER)
		hold(&m->service.answer, s);
	else
		hold(&m->service.pulse, s);
}

/* ---- judging ---- */

static bool is_of_another(const struct snapshot *s, uint64_t server)
{
	return s && s->server && server && s->server != server;
}

/* Another server than the one that was asked is there, and it is being asked: for a moment what is shown stands. */
static bool holds(const struct engine *e, struct member *m, uint64_t server)
{
	const struct snapshot *pulse = m->service.pulse, *depth = m->service.depth;
	bool asked = is_of_another(pulse, server) || (is_of_another(depth, server) && pulse && pulse->who.answered == ANSWERED_YES);

	if (!asked)
		m->changed = 0;
	else if (!m->changed)
		m->changed = e->lake.now;
	return asked && e->lake.now - m->changed < HOLD_MS && m->service.verdict.begun && !e->options.headless;
}

enum { RIVAL_TOLD_MS = 600000, RIVAL_LIFE_MS = 120000 };

static bool serves_elsewhere(const struct engine *e, const struct member *m, pid_t pid)
{
	for (size_t i = 0; i < e->n_members; i++) {
		const struct judged *j = &e->members[i]->service.verdict.shown;

		if (e->members[i] != m && j->owner.pid == pid && j->answers == m->service.kind &&
			!j->role[0]) /* no further port of it */
			return true;
	}
	return false;
}

/* A server that cannot have its port ends after some seconds: it is told of a while longer, until another holds the port. */
static void remember_rival(const struct engine *e, struct member *m)
{
	const struct listener *l = facts_listener(e->lake.facts, m->service.at.address, m->service.at.port);
	const struct process *holder = l ? facts_process(e->lake.facts, l->pid) : NULL;
	uint16_t configured = m->service.pulse ? (uint16_t)m->service.pulse->files.port : 0;
	struct rival r;

	if (rival_of(e->lake.facts, e->lake.docker, m->service.kind, &m->service.at, configured, &r) && e->lake.wall - r.started < RIVAL_LIFE_MS &&
		!serves_elsewhere(e, m, r.pid)) {
		m->rival = r;
		m->rival.seen = e->lake.wall;
	} else if (!holder || holder->started > m->rival.started || e->lake.wall - m->rival.seen > RIVAL_TOLD_MS)
		m->rival = (struct rival){0};
}

/* Is a look into it still to come, so that the row says it is being asked? */
static bool deeper_follows(const struct service *s)
{
	const struct identity *who = &s->pulse->who;

	return who->answered == ANSWERED_YES ? who->kind && who->kind->inspect : tells_without(s->kind, s->expected);
}

void store_judge_one(struct engine *e, struct member *m)
{
	struct service *s = &m->service;
	struct target target;
	uint64_t server;
	struct question q = {
		.name = s->name, .kind = s->kind, .expected = s->expected, .at = s->at, .profile = e->profile,
		.host = e->lake.facts, .host_seen = e->lake.facts_seen, .host_interval = e->host_news ? e->host_news->interval : 0,
		.docker = e->lake.docker, .docker_seen = e->lake.docker_seen, .docker_interval = e->docker_news ? e->docker_news->interval : 0,
		.pulse = s->pulse, .depth = s->depth, .now = e->lake.now, .wall = e->lake.wall,
		.streams = e->lake.streams, .n_streams = e->lake.n_streams,
	};
	struct judged j;

	remember_rival(e, m);
	if (rival_has_lost(e->lake.facts, &m->rival))
		q.rival = m->rival;
	target_from_facts(e, m, &target);
	server = target_server(&target);
	if (holds(e, m, server))
		return;
	/* what a former server said is no evidence for this one, and its figures are not this one's */
	if (is_of_another(q.pulse, server))
		q.pulse = NULL;
	if (is_of_another(q.depth, server)) {
		hold(&s->depth, NULL);
		q.depth = NULL;
	}
	if (q.pulse) {
		q.fresh = s->pulse->files.fresh;
		q.progress = s->pulse->files.progress;
		q.pidfile_read = s->pulse->files.pidfile_read;
		q.pidfile_pid = s->pulse->files.pidfile_pid;
		q.unit = (enum unit_is)s->pulse->files.unit;
		q.unit_users = s->pulse->files.unit_users;
		q.unit_words = s->pulse->files.unit_words;
	}
	/* nor is it where only the silence since tells that the server may be another */
	if (q.depth && q.pulse && q.depth->begun < q.pulse->begun && q.pulse->who.answered != ANSWERED_YES)
		q.depth = NULL;
	if (q.depth && q.depth->who.answered != ANSWERED_YES && q.depth->who.answered != ANSWERED_NOT_ASKED)
		q.depth = NULL; /* it is not its own word */
	q.refused_us = q.depth && q.depth->err.code == ERR_AUTH;
	judge(&q, &j);
	j.definite = j.definite || (server && m->judged && server != m->judged); /* nothing of the former one's holds on */
	if (server)
		m->judged = server;
	if (e->options.headless) {
		if (!s->verdict.begun || s->verdict.shown.verdict != j.verdict)
			s->verdict.since_wall = e->lake.wall;
		s->verdict.begun = true;
		s->verdict.shown = j;
	} else {
		steady_take(&s->verdict, &j, s->pulse ? s->pulse->generation : 0, e->lake.wall);
	}
	log_sources_keep(&e->lake, s);
	s->asking = !s->pulse || (!s->depth && !e->options.shallow && deeper_follows(s));
	if (!s->expected && q.pulse && q.pulse->who.kind && (!m->home || q.pulse->server == m->home))
		s->kind = s->pulse->who.kind;
}

/* What a change to this verdict means to somebody with a talk to give. */
static enum severity weight(const struct member *m, enum verdict v)
{
	if (v == VERDICT_STARTING || v == VERDICT_UNKNOWN || (v == VERDICT_ABSENT && !m->service.expected))
		return SEVERITY_INFO;
	return m->service.required ? SEVERITY_BLOCKING : SEVERITY_WARNING;
}

static void tell(struct engine *e, struct member *m, const struct judged *before, bool first)
{
	const struct judged *now = &m->service.verdict.shown;
	char span[CLOCK_TEXT];

	if (now->verdict != VERDICT_SERVING && !m->trouble_since)
		m->trouble_since = e->lake.wall;
	if (!first && before->verdict != now->verdict) {
		if (now->verdict == VERDICT_ABSENT && !m->service.expected && m->service.kind && m->service.kind->fleeting)
			event_say(e, SEVERITY_INFO, m->service.name, "ended");
		else if (now->verdict == VERDICT_SERVING)
			event_say(e, SEVERITY_INFO, m->service.name, "serving%s after %s",
				!m->served || before->verdict == VERDICT_STARTING || before->verdict == VERDICT_ABSENT ? "" : " again",
				clock_span(span, e->lake.wall - m->trouble_since));
		else
			event_say(e, weight(m, now->verdict), m->service.name, "%s%s%s", verdict_word(now->verdict), now->reason[0] ? ": " : "",
				now->reason);
	} else if (!first && now->verdict == VERDICT_SERVING) {
		if (before->version[0] && now->version[0] && strcmp(before->version, now->version) != 0)
			event_say(e, SEVERITY_INFO, m->service.name, "version %s became %s", before->version, now->version);
		else if (before->owner.pid && now->owner.pid && before->owner.pid != now->owner.pid)
			event_say(e, SEVERITY_INFO, m->service.name, "restarted: pid %d became %d", (int)before->owner.pid, (int)now->owner.pid);
	}
	if (now->verdict == VERDICT_SERVING) {
		m->trouble_since = 0;
		m->served = true;
	}
}

/* The root of its trouble among what it needs; NULL: it is its own. */
static const struct service *cause_of(const struct lake *lake, const struct service *s, int depth)
{
	enum verdict v = s->verdict.shown.verdict;

	/* the others name their own trouble: a worker that went mute is not its master's victim, rather the reverse */
	if ((v != VERDICT_SICK && v != VERDICT_STARTING && v != VERDICT_UNKNOWN) || !s->expected || depth > 8)
		return NULL;
	for (size_t i = 0; s->expected->needs && s->expected->needs[i]; i++) {
		const struct service *need = lake_service(lake, s->expected->needs[i]), *root;

		if (!need || need->verdict.shown.verdict == VERDICT_SERVING)
			continue;
		root = cause_of(lake, need, depth + 1);
		return root ? root : need;
	}
	return NULL;
}

static bool is_required(const struct lake *lake, const struct service *s)
{
	if (!lake->demo)
		return s->expected ? s->expected->required : !lake->profile->name && s->kind && !s->kind->fleeting;
	for (size_t i = 0; lake->demo->services[i]; i++)
		if (!strcmp(lake->demo->services[i], s->name))
			return true;
	return false;
}

/* ---- problems, READY ---- */

static int problem_rank(const struct problem *p)
{
	enum verdict v = p->service->verdict.shown.verdict;

	/* victims last; what is only on its way or not known after what is broken */
	return (p->service->cause ? 100 : 0) + (p->finding ? 20 : v == VERDICT_STARTING || v == VERDICT_UNKNOWN ? 40 : (int)v);
}

static int by_rank(const void *a, const void *b)
{
	const struct problem *x = a, *y = b;
	int difference = problem_rank(x) - problem_rank(y);

	return difference ? difference : strcmp(x->service->name, y->service->name);
}

static void add_problem(struct lake *lake, const struct service *s, const struct judged_finding *f)
{
	if (lake->n_problems < LAKE_PROBLEMS)
		lake->problems[lake->n_problems++] = (struct problem){s, f};
}

void store_sum_up(struct engine *e)
{
	struct lake *lake = &e->lake;
	bool ready = true, settled;

	lake->n_problems = lake->n_absent = lake->n_serving = lake->n_required = 0;
	lake->n_warnings = lake->n_machine;
	settled = e->host_news && (e->docker_news || e->options.replay) && (e->discovered || !e->options.discover);
	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *s = lake->services[i];
		const struct judged *j = &s->verdict.shown;

		lake->n_serving += j->verdict == VERDICT_SERVING;
		lake->n_absent += j->verdict == VERDICT_ABSENT && s->expected;
		lake->n_required += s->required;
		settled = settled && !s->asking;
		if (s->required && j->verdict != VERDICT_SERVING) {
			add_problem(lake, s, NULL);
			ready = false;
		}
		for (size_t k = 0; k < j->n_findings; k++) {
			lake->n_warnings += j->findings[k].severity == SEVERITY_WARNING && (s->expected || s->required);
			if (s->required && j->findings[k].severity == SEVERITY_BLOCKING) {
				if (j->verdict == VERDICT_SERVING)
					add_problem(lake, s, &j->findings[k]);
				ready = false;
			}
		}
	}
	lake->settled = lake->settled || settled; /* what is found later does not take the first truth back */
	qsort(lake->problems, lake->n_problems, sizeof *lake->problems, by_rank);
	ready = ready && lake->n_required > 0;
	if (ready && !lake->ready)
		lake->ready_since = lake->wall;
	if (!ready)
		lake->ready_since = 0;
	lake->ready = ready;
}

void store_judge(struct engine *e)
{
	for (size_t i = 0; i < e->n_members; i++) {
		struct member *m = e->members[i];
		struct judged before = m->service.verdict.shown;

		m->service.required = is_required(&e->lake, &m->service);
		store_judge_one(e, m);
		tell(e, m, &before, !m->settled);
		m->settled = m->settled || (!m->service.asking && e->host_news); /* without the machine absence is no change yet */
	}
	for (size_t i = 0; i < e->n_members; i++)
		e->members[i]->service.cause = cause_of(&e->lake, &e->members[i]->service, 0);
}
