// SPDX-License-Identifier: MIT
/*
 * The engine's life: start the actors, turn what they publish into a lake, stop within a bound.
 * See engine.h for the contract and actor.h for the threads.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "actor.h"
#include "log.h"
#include "logs.h"
#include "../ops/ops.h"

/* ---- members ---- */

static void list_services(struct engine *e)
{
	e->lake.services = mem_grow(e->lake.services, e->n_members, sizeof *e->lake.services);
	e->lake.n_services = e->n_members;
	for (size_t i = 0; i < e->n_members; i++)
		e->lake.services[i] = &e->members[i]->service;
}

struct member *member_add(struct engine *e, const char *name, const struct expectation *expected, const struct service_kind *kind,
	const struct endpoint *at)
{
	struct member *m = mem_new(1, sizeof *m);
	struct target target;
	size_t place = e->n_members;

	m->service = (struct service){
		.name = mem_copy(name), .expected = expected, .kind = kind, .at = *at, .asking = true,
		.group = expected && expected->group ? expected->group : expected && kind ? kind->group : expected ? "other" : "found",
	};
	e->members = mem_grow(e->members, e->n_members + 1, sizeof *e->members);
	/* the profile's in its order, then found ones by port */
	while (!expected && place > 0 && !e->members[place - 1]->service.expected && e->members[place - 1]->service.at.port > at->port)
		place--;
	memmove(e->members + place + 1, e->members + place, (e->n_members - place) * sizeof *e->members);
	e->members[place] = m;
	e->n_members++;
	target_from_facts(e, m, &target);
	if (!e->options.replay)
		m->actor = actor_start(e, JOB_SERVICE, name, expected, kind, &target);
	list_services(e);
	store_judge_one(e, m);
	return m;
}

static void member_free(struct member *m)
{
	union {
		const char *shared;
		char *own;
	} name = {m->service.name};

	snapshot_drop(m->service.pulse);
	snapshot_drop(m->service.depth);
	snapshot_drop(m->service.answer);
	free(name.own);
	free(m);
}

void member_drop(struct engine *e, size_t index)
{
	struct member *m = e->members[index];

	if (m->actor) {
		atomic_store(&m->actor->retired, true);
		actor_wake(m->actor);
	}
	memmove(e->members + index, e->members + index + 1, (e->n_members - index - 1) * sizeof *e->members);
	e->n_members--;
	list_services(e);
	e->lake.n_problems = 0; /* they may point to it */
	e->lake.n_ports = 0;
	member_free(m);
}

/* ---- targets ---- */

void target_from_facts(const struct engine *e, const struct member *m, struct target *out)
{
	const struct facts *f = e->lake.facts;
	const struct listener *l = facts_listener(f, m->service.at.address, m->service.at.port);
	const struct process *p = l ? facts_process(f, l->pid) : NULL;

	*out = (struct target){.at = m->service.at, .facts = f != NULL, .listening = l != NULL};
	if (!l)
		return;
	out->socket = l->inode;
	if (p && !l->proxied[0]) {
		out->owner_started = p->started;
		text_copy(out->hint, sizeof out->hint, text_of(p->hint));
		out->owner_seen = !l->pid_probable;
		out->owner = out->owner_seen ? p->pid : 0;
	}
}

uint64_t target_server(const struct target *t)
{
	return t->listening && t->socket ? t->socket * 0x9e3779b97f4a7c15u ^ (uint64_t)t->owner_started : 0;
}

static bool target_differs(const struct target *a, const struct target *b)
{
	return a->facts != b->facts || a->listening != b->listening || a->socket != b->socket || a->owner_started != b->owner_started;
}

static void give_targets(struct engine *e)
{
	for (size_t i = 0; i < e->n_members; i++) {
		struct actor *a = e->members[i]->actor;
		struct target target;
		bool differs;

		if (!a)
			continue;
		target_from_facts(e, e->members[i], &target);
		pthread_mutex_lock(&e->lock);
		differs = target_differs(&a->target, &target);
		a->target = target;
		pthread_mutex_unlock(&e->lock);
		if (differs)
			actor_wake(a); /* somebody else may answer there now */
	}
}

/* ---- a turn ---- */

static void keep_box(struct engine *e, const struct snapshot *before, const struct snapshot *s)
{
	const struct box *box = &s->facts->box;
	int64_t ms = before ? s->ended - before->ended : 0;

	history_push(&e->load, box->uptime ? box->load1 : (double)NAN, ms);
	history_push(&e->memory, box->memory_total > 0 ? (double)box->memory_available : (double)NAN, ms);
	e->lake.load = &e->load;
	e->lake.memory = &e->memory;
}

void take_host(struct engine *e, struct snapshot *s)
{
	const struct snapshot *old = s->part == PART_HOST ? e->host_news : e->docker_news;

	if (s->part == PART_HOST && s->err.code && e->host_news) { /* what was seen before grows old, and is no lie */
		snapshot_unref(s);
		return;
	}
	if (s->part == PART_DOCKER) {
		e->docker_news = s;
		e->lake.docker = s->facts;
		e->lake.docker_seen = s->ended;
	} else {
		const struct facts *before = e->lake.facts;

		e->host_news = s;
		e->lake.facts = s->err.code ? NULL : s->facts;
		e->lake.facts_seen = s->ended;
		e->lake.facts_begun = s->begun;
		if (e->lake.facts)
			keep_box(e, old, s);
		e->lake.n_ports = 0; /* its rows point into the old one */
		machine_judge(e, before != NULL);
		if (before && e->lake.facts && before->box.oom_kills >= 0 && s->facts->box.oom_kills > before->box.oom_kills)
			event_say(e, SEVERITY_BLOCKING, lake_machine, "the kernel killed %lld processes for want of memory",
				(long long)(s->facts->box.oom_kills - before->box.oom_kills));
	}
	snapshot_drop(old);
}

static struct snapshot *news_of(struct engine *e, struct actor *a, int part)
{
	struct snapshot *s;

	pthread_mutex_lock(&e->lock);
	s = a->news[part];
	a->news[part] = NULL;
	pthread_mutex_unlock(&e->lock);
	return s;
}

static bool take_news(struct engine *e)
{
	bool host = false;

	for (size_t i = 0; i < e->n_actors; i++) {
		struct snapshot *s = e->actors[i]->job == JOB_HOST || e->actors[i]->job == JOB_DOCKER ? news_of(e, e->actors[i], 0) : NULL;

		if (!s)
			continue;
		host = host || s->part == PART_HOST;
		take_host(e, s);
	}
	for (size_t i = 0; i < e->n_members; i++)
		for (int part = 0; part < NEWS && e->members[i]->actor; part++) {
			struct snapshot *s = news_of(e, e->members[i]->actor, part);

			if (s)
				store_take(e, e->members[i], s);
		}
	return host;
}

static void actor_free(struct actor *a)
{
	for (int part = 0; part < NEWS; part++)
		snapshot_unref(a->news[part]);
	close(a->wake);
	actor_close_ends(a);
	free(a);
}

/* Threads of services that are gone: joined once they have ended. */
static void reap(struct engine *e)
{
	for (size_t i = 0; i < e->n_actors;) {
		struct actor *a = e->actors[i];
		bool ended;

		pthread_mutex_lock(&e->lock);
		ended = a->ended && atomic_load(&a->retired);
		pthread_mutex_unlock(&e->lock);
		if (!ended) {
			i++;
			continue;
		}
		pthread_join(a->thread, NULL);
		actor_free(a);
		e->actors[i] = e->actors[--e->n_actors];
	}
}

/* What may be one of ours was asked, and its answer taken; all: the unexplained ones were listened to as well. */
static void discovery_state(struct engine *e)
{
	unsigned explained, all;

	pthread_mutex_lock(&e->lock);
	explained = e->open_explained + (unsigned)e->n_answers;
	all = e->open_all + (unsigned)e->n_answers;
	pthread_mutex_unlock(&e->lock);
	e->discovered = e->discovered || (e->host_news && !explained);
	e->lake.heard_all = e->host_news && !all;
}

static void say_action(void *ctx, enum severity severity, const char *service, const char *words)
{
	event_say(ctx, severity, service, "%s", words);
	if (service && service[0])
		engine_refresh(ctx, service); /* what is shown of it is of before */
}

/* Who waits for something to have come about looks oftener. */
static void look_at_what_is_verified(struct engine *e)
{
	if (e->lake.now < e->nudge_next)
		return;
	for (size_t i = 0; i < e->lake.n_actions; i++)
		if (e->lake.actions[i].state == ACTION_VERIFYING && e->lake.actions[i].wish.service[0]) {
			engine_refresh(e, e->lake.actions[i].wish.service);
			e->nudge_next = e->lake.now + NUDGE_MS;
		} else if (e->lake.actions[i].awaits[0]) {
			engine_refresh(e, e->lake.actions[i].awaits);
			e->nudge_next = e->lake.now + NUDGE_MS;
		}
}

bool engine_turn(struct engine *e)
{
	uint64_t count;
	bool host, news = read(e->news, &count, sizeof count) > 0, published = atomic_load(&e->replay_done);

	pthread_mutex_lock(&e->lock);
	e->news_armed = false;
	pthread_mutex_unlock(&e->lock);
	e->lake.now = clock_ms();
	if (!e->options.replay)
		e->lake.wall = clock_wall_ms();
	else if (e->host_news)
		e->lake.wall = e->host_news->wall + (e->lake.now - e->host_news->ended);
	host = take_news(e);
	discover_answers(e);
	streams_take(e);
	catalogs_take(e);
	store_judge(e); /* before discovery: the further ports of a service that is known are not asked */
	catalogs_judged(e);
	if (host || e->lake.replayed) {
		give_targets(e);
		catalogs_targets(e);
		discover_listeners(e);
	}
	discovery_state(e);
	store_sum_up(e);
	ports_build(e);
	catalogs_found(e);
	logs_take(e);
	if (e->ops)
		ops_turn(e->ops, &e->lake, say_action, e);
	look_at_what_is_verified(e);
	reap(e);
	e->replay_over = published;
	e->lake.turn++;
	return news;
}

int64_t engine_due(const struct engine *e)
{
	/* ages grow and deadlines pass without news; until the first answers are in this is worth a closer look */
	return logs_due(e, e->lake.now + (e->lake.settled ? PULSE_MS : PULSE_MS / 8));
}

/* ---- start and stop ---- */

static bool open_record(struct engine *e, struct err *err)
{
	struct buf line;
	bool fine = true;

	e->record = -1;
	if (!e->options.record)
		return true;
	/* a FIFO must hold up nobody */
	e->record = open(e->options.record, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0600);
	if (e->record < 0)
		return err_set(err, ERR_SYSTEM, "%s: cannot be written: %s", e->options.record,
			errno == ENXIO ? "nobody reads this FIFO" : strerrordesc_np(errno));
	buf_init(&line, 1 << 20);
	replay_header_write(e, &line);
	if (!record_write(e, &line))
		fine = err_set(err, ERR_SYSTEM, "%s: cannot be written: %s", e->options.record, strerrordesc_np(errno));
	buf_free(&line);
	return fine;
}

static bool is_of_kinds(const struct service_kind *kind, const char *const *kinds)
{
	for (; kind && kinds && *kinds; kinds++)
		if (!strcmp(kind->name, *kinds))
			return true;
	return !kinds;
}

static void begin_services(struct engine *e)
{
	for (size_t i = 0; i < e->profile->n_services; i++) {
		const struct expectation *x = &e->profile->services[i];
		struct endpoint at = {.port = x->n_ports ? x->ports[0].port : 0};

		if ((e->options.only && strcmp(e->options.only, x->name) != 0) ||
		    (!is_of_kinds(x->kind, e->options.only_kinds) && !(e->options.tables && catalog_is_unlisted(e->profile, x))))
			continue;
		text_copy(at.address, sizeof at.address, text_of(x->address));
		member_add(e, x->name, x, x->kind, &at);
	}
}

struct engine *engine_start(const struct engine_options *options, struct err *err)
{
	struct engine *e = mem_new(1, sizeof *e);

	e->options = *options;
	e->host = options->host;
	e->profile = options->profile;
	e->events_file = e->record = e->cancel = e->news = -1;
	pthread_mutex_init(&e->lock, NULL);
	pthread_mutex_init(&e->record_lock, NULL);
	e->lake.profile = options->profile;
	e->lake.host = options->host->name;
	e->lake.demo = options->demo ? profile_demo(options->profile, options->demo) : NULL;
	e->began = e->lake.now = clock_ms();
	e->lake.wall = clock_wall_ms();
	e->cancel = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	e->news = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (options->demo && !e->lake.demo) {
		err_set(err, ERR_USAGE, "no [demo %s] in profile %s", options->demo, options->profile->name ? options->profile->name : "(none)");
	} else if (e->cancel < 0 || e->news < 0) {
		err_set(err, ERR_SYSTEM, "no file descriptors left");
	} else if (open_record(e, err)) {
		events_open(e);
		if (!options->replay) {
			if (!options->blind) {
				actor_start(e, JOB_HOST, "host", NULL, NULL, NULL);
				actor_start(e, JOB_DOCKER, "docker", NULL, NULL, NULL);
			}
			for (int i = 0; options->discover && i < CLERKS; i++)
				actor_start(e, JOB_CLERK, "clerk", NULL, NULL, NULL);
		}
		begin_services(e);
		streams_begin(e);
		catalogs_begin(e);
		if (options->replay)
			actor_start(e, JOB_REPLAY, "replay", NULL, NULL, NULL);
		e->ops = ops_new(&(struct ops_options){
			.host = e->host, .profile = e->profile, .state_dir = options->state_dir, .read_only = options->read_only || options->replay,
			.locked = options->locked, .news = engine_news, .ctx = e,
		});
		store_judge(e);
		store_sum_up(e);
		return e;
	}
	engine_stop(e, 0);
	return NULL;
}

int engine_fd(const struct engine *e)
{
	return e->news;
}

const struct lake *engine_lake(const struct engine *e)
{
	return &e->lake;
}

/* Its lag is shown with that service. */
static bool stream_reads(const struct actor *a, const char *service)
{
	const struct stream *s = profile_stream(a->engine->profile, a->name);

	return s && s->kafka && !strcmp(s->kafka, service);
}

/* A catalog, or one that the service answers. */
static bool catalog_is_of(const struct actor *a, const char *name)
{
	return !strcmp(a->name, name) || (a->expected && !strcmp(a->expected->name, name));
}

void engine_watch_tables(struct engine *e, bool watched)
{
	atomic_store(&e->unwatched, !watched);
}

void engine_refresh(struct engine *e, const char *service)
{
	for (size_t i = 0; i < e->n_actors; i++) {
		struct actor *a = e->actors[i];

		if (a->job == JOB_CLERK || a->job == JOB_REPLAY || (service && a->job == JOB_SERVICE && strcmp(a->name, service) != 0))
			continue;
		if (service && a->job == JOB_STREAM && !stream_reads(a, service))
			continue;
		if (service && a->job == JOB_CATALOG && !catalog_is_of(a, service))
			continue;
		pthread_mutex_lock(&e->lock);
		a->refresh = true;
		pthread_mutex_unlock(&e->lock);
		actor_wake(a);
	}
}

/* A newer question ends the one before it. */
void engine_ask_view(struct engine *e, const char *service, const char *view, const char *subject)
{
	static const uint64_t one = 1;

	for (size_t i = 0; i < e->n_members; i++) {
		struct actor *a = e->members[i]->actor;

		if (!a || strcmp(e->members[i]->service.name, service) != 0)
			continue;
		pthread_mutex_lock(&e->lock);
		text_copy(a->ask_view, sizeof a->ask_view, text_of(view));
		text_copy(a->ask_subject, sizeof a->ask_subject, text_of(subject));
		if (a->answering && write(a->drop, &one, sizeof one) < 0)
			log_say("engine", "cannot end a question: %s", strerrordesc_np(errno));
		pthread_mutex_unlock(&e->lock);
		actor_wake(a);
	}
}

void engine_drop_view(struct engine *e, const char *service)
{
	engine_ask_view(e, service, "", "");
}

uint64_t engine_wish(struct engine *e, const struct action_wish *wish, struct err *err)
{
	return ops_wish(e->ops, &e->lake, wish, err);
}

bool engine_confirm(struct engine *e, uint64_t id, struct err *err)
{
	return ops_confirm(e->ops, &e->lake, id, err);
}

bool engine_confirm_all(struct engine *e, const uint64_t *ids, size_t n, bool go_on, struct err *err)
{
	return ops_confirm_all(e->ops, &e->lake, ids, n, go_on, err);
}

void engine_drop(struct engine *e, uint64_t id)
{
	ops_drop(e->ops, id);
}

bool engine_lock(struct engine *e, bool locked, struct err *err)
{
	return ops_lock(e->ops, locked, err);
}

bool engine_acting(const struct engine *e)
{
	return ops_acting(e->ops);
}

void engine_pause(struct engine *e, bool paused)
{
	if (!paused)
		engine_refresh(e, NULL); /* what was asked before the stop is old now */
}

bool engine_replay_done(const struct engine *e)
{
	return e->replay_over;
}

struct engine_cost engine_cost(const struct engine *e, const char *service)
{
	struct engine_cost cost = {0};

	for (size_t i = 0; i < e->n_actors; i++) {
		if (service && strcmp(service, e->actors[i]->name) != 0)
			continue;
		cost.requests += atomic_load(&e->actors[i]->requests);
		cost.bytes += atomic_load(&e->actors[i]->bytes);
		cost.threads++;
	}
	return cost;
}

/* Not by pthread_timedjoin_np: a clock that is set back meanwhile would prolong its wait by as much. */
static bool join_until(pthread_t thread, int64_t end)
{
	while (pthread_tryjoin_np(thread, NULL) != 0) {
		if (clock_ms() >= end)
			return false;
		poll(NULL, 0, 1);
	}
	return true;
}

static void free_all(struct engine *e)
{
	for (size_t i = 0; i < e->n_actors; i++)
		actor_free(e->actors[i]);
	for (size_t i = 0; i < e->n_members; i++)
		member_free(e->members[i]);
	for (size_t i = 0; i < e->n_found; i++)
		snapshot_drop(e->found[i].pulse);
	for (size_t i = 0; i < e->n_answers; i++)
		snapshot_unref(e->answers[i]);
	while (e->inquiries) {
		struct inquiry *next = e->inquiries->next;

		free(e->inquiries);
		e->inquiries = next;
	}
	snapshot_drop(e->host_news);
	snapshot_drop(e->docker_news);
	streams_free(e);
	catalogs_free(e);
	free(e->members);
	free(e->actors);
	free(e->found);
	free(e->lake.services);
	free(e->lake.ports);
	free(e->lake.events);
	for (size_t i = 0; i < 4; i++) {
		int fd = (const int[]){e->cancel, e->news, e->record, e->events_file}[i];

		if (fd >= 0)
			close(fd);
	}
	pthread_mutex_destroy(&e->lock);
	pthread_mutex_destroy(&e->record_lock);
	free(e);
}

unsigned engine_stop(struct engine *e, int64_t ms)
{
	static const uint64_t one = 1;
	int64_t end = clock_ms() + ms;
	unsigned abandoned = 0;

	logs_end(e, ms);
	e->lake.logs = e->logs = NULL;
	if (e->ops) {
		abandoned = ops_stop(e->ops, end);
		e->ops = abandoned ? e->ops : NULL;
		e->lake.n_actions = e->lake.n_runs = e->lake.n_last_runs = 0;
	}
	if (e->cancel >= 0 && write(e->cancel, &one, sizeof one) < 0)
		log_say("engine", "cannot cancel: %s", strerrordesc_np(errno));
	for (size_t i = 0; i < e->n_actors; i++)
		abandoned += !join_until(e->actors[i]->thread, end);
	if (abandoned == 0)
		free_all(e); /* else a thread may still use it: the process ends soon */
	return abandoned;
}
