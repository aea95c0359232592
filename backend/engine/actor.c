// SPDX-License-Identifier: MIT
/*
 * Threads that ask and publish. All share one cancel fd, so that one write ends every wait of
 * every actor. The looks of one interval begin at the same moment: the program then wakes once,
 * and the screen is drawn once.
 */
#include "actor.h"

#include <errno.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "catalog.h"
#include "log.h"
#include "report.h"

enum { STACK_SIZE = 256 * 1024, RECORD_MS = 5000 };

struct wait actor_wait(const struct engine *e, int64_t ms)
{
	return wait_for(ms, e->cancel);
}

bool record_write(struct engine *e, const struct buf *line)
{
	size_t done = 0;

	while (e->record >= 0 && done < line->len) {
		ssize_t n = write(e->record, line->at + done, line->len - done);

		if (n > 0) {
			done += (size_t)n;
		} else if (n == 0 || errno != EAGAIN || wait_fd(actor_wait(e, RECORD_MS), e->record, POLLOUT) <= 0) {
			/* a full disk, or a FIFO that nobody reads on, ends the recording, not the program; half a line is the last one */
			log_say("record", "cannot be written any more: the recording ends here");
			close(e->record);
			e->record = -1;
		}
	}
	return done == line->len;
}

static void record(struct engine *e, const struct snapshot *s)
{
	struct buf line;

	buf_init(&line, s->part == PART_CATALOG ? SNAPSHOT_CATALOG_CAP * 2 : SNAPSHOT_CAP * 2);
	if (snapshot_write(s, &line)) {
		pthread_mutex_lock(&e->record_lock);
		record_write(e, &line);
		pthread_mutex_unlock(&e->record_lock);
	}
	buf_free(&line);
}

/* With the lock held. */
static void arm_news(struct engine *e)
{
	/* a screen is drawn once for what comes together; nobody looks at a command before it ends */
	const struct itimerspec soon = {.it_value = {0, (e->options.headless ? 1 : NEWS_MS) * 1000000L}};

	if (e->news_armed)
		return;
	e->news_armed = true;
	timerfd_settime(e->news, 0, &soon, NULL);
}

void engine_news(void *engine)
{
	struct engine *e = engine;

	pthread_mutex_lock(&e->lock);
	arm_news(e);
	pthread_mutex_unlock(&e->lock);
}

void engine_publish(struct engine *e, struct actor *a, struct snapshot *s)
{
	struct snapshot *old = NULL;

	if (wait_fd(actor_wait(e, 0), -1, 0) < 0) {
		snapshot_unref(s); /* the end cut it short: it knows less than it says */
		return;
	}
	if (e->options.record && s->part != PART_ANSWER && !(s->print && s->print == a->recorded))
		record(e, s);
	a->recorded = s->print;
	pthread_mutex_lock(&e->lock);
	if (a->job == JOB_CLERK || a->job == JOB_REPLAY) {
		if (e->n_answers < sizeof e->answers / sizeof *e->answers)
			e->answers[e->n_answers++] = s;
		else
			old = s;
	} else {
		struct snapshot **slot = &a->news[s->part == PART_DEPTH ? NEWS_DEPTH : s->part == PART_ANSWER ? NEWS_ANSWER : NEWS_PULSE];

		old = *slot;
		*slot = s;
	}
	arm_news(e);
	pthread_mutex_unlock(&e->lock);
	snapshot_unref(old);
}

void actor_close_ends(struct actor *a)
{
	if (a->end >= 0)
		close(a->end);
	if (a->drop >= 0)
		close(a->drop);
	a->drop = a->end = -1;
}

void actor_wake(struct actor *a)
{
	static const uint64_t one = 1;

	if (write(a->wake, &one, sizeof one) < 0)
		return; /* it is awake already */
}

bool actor_sleep(struct actor *a, int64_t interval, int64_t phase)
{
	int64_t now = clock_ms();
	struct wait wait = actor_wait(a->engine, interval - (now - phase) % interval);
	uint64_t count;

	if (wait_fd(wait, a->wake, POLLIN) < 0)
		return false;
	while (read(a->wake, &count, sizeof count) > 0)
		continue;
	return !atomic_load(&a->retired);
}

void actor_finish(struct snapshot *s, uint64_t generation, int64_t interval)
{
	s->generation = generation;
	s->interval = interval;
	s->ended = clock_ms();
	s->wall = clock_wall_ms();
}

static void *actor_host(void *arg)
{
	struct actor *a = arg;
	struct engine *e = a->engine;
	void *look = NULL;
	uint64_t generation = 0;
	int64_t interval = e->profile->refresh_ms ? e->profile->refresh_ms : PULSE_MS;

	do {
		struct snapshot *s = snapshot_new("host", PART_HOST);

		e->host->look(e->host, &look, e->profile->disks, s);
		actor_finish(s, ++generation, interval);
		engine_publish(e, a, s);
	} while (actor_sleep(a, interval, 0));
	e->host->look_end(look);
	return NULL;
}

static void *actor_docker(void *arg)
{
	struct actor *a = arg;
	struct engine *e = a->engine;
	void *state = NULL;
	uint64_t generation = 0;

	do {
		struct snapshot *s = snapshot_new("docker", PART_DOCKER);

		docker_look(e->host, &state, actor_wait(e, DEPTH_DEADLINE_MS), s);
		actor_finish(s, ++generation, PULSE_MS * 2);
		engine_publish(e, a, s);
	} while (actor_sleep(a, PULSE_MS * 2, 0));
	docker_end(state);
	return NULL;
}

/* ---- the seat of a service's actor: its handles and what it remembers ---- */

struct seat {
	struct net *net;
	void *state;                      /* of state_kind */
	const struct service_kind *state_kind;
	struct snapshot *last;            /* the last pulse that answered; NULL: ask anew who it is */
	uint64_t socket;
	int64_t owner_started;
	uint64_t pulses, depths, answers;
	int64_t depth_due, without_due;
	unsigned misses;                  /* pulses in a row without an answer */
};

static void seat_forget(struct seat *seat)
{
	if (seat->state && seat->state_kind && seat->state_kind->close)
		seat->state_kind->close(seat->state);
	seat->state = NULL;
	seat->state_kind = NULL;
	snapshot_unref(seat->last);
	seat->last = NULL;
	seat->depth_due = 0;
}

static struct probe seat_probe(struct actor *a, struct seat *seat, const struct target *t, struct snapshot *s, int64_t ms)
{
	return (struct probe){
		.host = a->engine->host,
		.net = seat->net,
		.wait = actor_wait(a->engine, ms),
		.at = t->at,
		.hint = t->hint,
		.owner_seen = t->owner_seen,
		.owner = t->owner,
		.owner_started = t->owner_started,
		.arena = s->arena,
		.state = seat->state,
	};
}

static void seat_spent(struct actor *a, struct seat *seat, const struct probe *p, struct snapshot *s)
{
	seat->state = p->state;
	s->requests = p->requests;
	s->bytes = p->bytes;
	atomic_fetch_add(&a->requests, p->requests);
	atomic_fetch_add(&a->bytes, p->bytes);
}

int64_t actor_paced(const struct engine *e, int64_t own, int64_t usual)
{
	int64_t refresh = e->profile->refresh_ms ? e->profile->refresh_ms : PULSE_MS;

	return (own ? own : usual) * refresh / PULSE_MS;
}

/* asked: an answer follows, and until it ends there is no other pulse. */
static void take_pulse(struct actor *a, struct seat *seat, const struct target *t, bool asked)
{
	const struct service_kind *kind = seat->last ? seat->last->who.kind : a->kind;
	struct snapshot *s = snapshot_new(a->name, PART_PULSE);
	int64_t first = kind && kind->first_ms ? kind->first_ms : FIRST_MS;
	/* what was set up by the first question answers the next one sooner: a mute one is told sooner, too */
	struct probe p = seat_probe(a, seat, t, s, seat->last ? FIRST_MS : seat->misses && first > FIRST_MS ? first / 2 : first);
	const struct service_kind *kinds[CANDIDATES_MAX];
	enum answered answered = ANSWERED_NOT_ASKED;

	s->server = target_server(t);
	if (a->expected)
		files_look(a->engine->host, a->expected, t->owner_started, !t->facts || t->listening, actor_wait(a->engine, SYSTEMCTL_MS), s);
	if (t->facts && !t->listening) {
		s->who.source = "nobody listens";
		answered = ANSWERED_REFUSED;
	} else if (seat->last && kind) {
		identity_copy(s->arena, &s->who, &seat->last->who);
		probe_turn(&p, &seat->state_kind, kind, a->expected);
		answered = (kind->pulse ? kind->pulse : kind->identify)(&p, &s->who);
	}
	if (answered == ANSWERED_NOT_ASKED || (answered == ANSWERED_OTHER && seat->last)) {
		size_t n = candidates(text_of(p.hint), p.at.port, a->kind, kinds);

		answered = identify_among(&p, kinds, n, &seat->state_kind, a->expected, &s->who);
	}
	s->who.answered = answered;
	seat_spent(a, seat, &p, s);
	seat->misses = answered == ANSWERED_YES ? 0 : seat->misses + 1;
	if (p.turned)
		seat->depth_due = 0;
	if (answered == ANSWERED_YES) {
		snapshot_unref(seat->last);
		seat->last = snapshot_ref(s);
	} else if (answered != ANSWERED_MUTE) {
		snapshot_unref(seat->last);
		seat->last = NULL;
	}
	actor_finish(s, ++seat->pulses, asked && kind && kind->answer_ms ? kind->answer_ms
									 : actor_paced(a->engine, kind ? kind->pulse_ms : 0, PULSE_MS));
	engine_publish(a->engine, a, s);
}

static void take_depth(struct actor *a, struct seat *seat, const struct target *t)
{
	const struct service_kind *kind = seat->last->who.kind;
	struct snapshot *s = snapshot_new(a->name, PART_DEPTH);
	struct probe p = seat_probe(a, seat, t, s, DEPTH_DEADLINE_MS);

	s->server = target_server(t);
	identity_copy(s->arena, &s->who, &seat->last->who);
	probe_turn(&p, &seat->state_kind, kind, a->expected);
	if (!kind->inspect(&p, s) && s->health.state == LINK_UNKNOWN && !s->health.words)
		snapshot_health(s, s->err.code == ERR_AUTH || s->err.code == ERR_SYSTEM ? LINK_UNKNOWN : LINK_BAD, kind->title, "%s",
			s->err.words[0] ? s->err.words : "does not answer the deeper question");
	if (p.withheld) {
		struct text program = text_until(text_of(p.hint), ' ');

		snapshot_finding(s, "credential-withheld", SEVERITY_WARNING, "see who holds the port; its credential is kept for the right one",
			"%.*s holds its port and does not look like %s: no credential is given to it", (int)(program.len < 60 ? program.len : 60),
			program.at, kind->title);
	}
	seat_spent(a, seat, &p, s);
	if (s->err.code == ERR_CANCELLED) {
		snapshot_unref(s);
		return;
	}
	actor_finish(s, ++seat->depths, actor_paced(a->engine, kind->depth_ms, DEPTH_MS));
	engine_publish(a->engine, a, s);
}

/* It does not answer: what its files tell. Who is said not to have answered is no evidence to the judge. */
static void take_without(struct actor *a, struct seat *seat, const struct target *t)
{
	struct snapshot *s = snapshot_new(a->name, PART_DEPTH);
	struct storage storage = profile_storage(a->engine->profile, a->expected->storage);
	struct probe p = seat_probe(a, seat, t, s, DEPTH_DEADLINE_MS);

	p.storage = &storage;
	probe_turn(&p, &seat->state_kind, a->kind, a->expected);
	s->who = (struct identity){.answered = ANSWERED_REFUSED, .kind = a->kind};
	a->kind->without(&p, s);
	seat_spent(a, seat, &p, s);
	if (s->err.code == ERR_CANCELLED) {
		snapshot_unref(s);
		return;
	}
	actor_finish(s, ++seat->depths, actor_paced(a->engine, a->kind->depth_ms, DEPTH_MS));
	seat->depth_due = 0;
	seat->without_due = clock_ms() + s->interval * 19 / 20;
	engine_publish(a->engine, a, s);
}

/* True: somebody still wants the answer. */
static bool answer_ends(struct actor *a)
{
	uint64_t count;
	bool wanted;

	pthread_mutex_lock(&a->engine->lock);
	a->answering = false;
	wanted = a->drop < 0 || read(a->drop, &count, sizeof count) < 0;
	pthread_mutex_unlock(&a->engine->lock);
	return wanted;
}

static void take_answer(struct actor *a, struct seat *seat, const struct target *t, const char *view, const char *subject)
{
	const struct service_kind *kind = seat->last ? seat->last->who.kind : NULL;
	struct snapshot *s = snapshot_new(a->name, PART_ANSWER);
	struct probe p = seat_probe(a, seat, t, s, kind && kind->answer_ms ? kind->answer_ms : DEPTH_DEADLINE_MS);

	if (a->end >= 0)
		p.wait.cancel = a->end;
	s->view = arena_clean(s->arena, text_of(view));
	s->subject = arena_clean(s->arena, text_of(subject));
	if (kind && kind->answer) {
		identity_copy(s->arena, &s->who, &seat->last->who);
		probe_turn(&p, &seat->state_kind, kind, a->expected);
		kind->answer(&p, view, subject, s);
	} else {
		err_set(&s->err, ERR_CONNECT, "%s does not answer now", a->name);
	}
	seat_spent(a, seat, &p, s);
	if (!answer_ends(a)) {
		snapshot_unref(s);
		return;
	}
	actor_finish(s, ++seat->answers, DEPTH_MS);
	engine_publish(a->engine, a, s);
}

/* One that has been silent for long is asked less often; jitter keeps many of them apart. */
static int64_t next_interval(const struct engine *e, const struct seat *seat, const struct service_kind *kind)
{
	int64_t interval = actor_paced(e, kind ? kind->pulse_ms : 0, PULSE_MS);

	return seat->misses < 15 ? interval : interval * 4 + (int64_t)(seat->pulses * 7919 % 500);
}

static void *actor_service(void *arg)
{
	struct actor *a = arg;
	struct engine *e = a->engine;
	struct seat seat = {.net = net_new(e->host)};
	bool go = true, facts;

	pthread_mutex_lock(&e->lock);
	facts = a->target.facts;
	pthread_mutex_unlock(&e->lock);
	/* the first look at the host says whom a question would reach; it takes milliseconds, and longer where the machine is busy:
	 * a credential waits for it */
	if (!facts && !e->options.blind)
		wait_fd(actor_wait(e, a->expected && (a->expected->credentials.password || a->expected->credentials.token) ? 4000 : 400), a->wake,
			POLLIN);
	while (go && !atomic_load(&a->retired)) {
		struct target t;
		bool refresh;
		const struct service_kind *kind;
		char view[sizeof a->ask_view], subject[sizeof a->ask_subject];

		pthread_mutex_lock(&e->lock);
		t = a->target;
		refresh = a->refresh;
		a->refresh = false;
		memcpy(view, a->ask_view, sizeof view);
		memcpy(subject, a->ask_subject, sizeof subject);
		a->ask_view[0] = '\0';
		a->answering = view[0] != '\0';
		pthread_mutex_unlock(&e->lock);
		if (seat.socket != t.socket || seat.owner_started != t.owner_started)
			seat_forget(&seat); /* another server: nothing that was learned holds */
		seat.socket = t.socket;
		seat.owner_started = t.owner_started;
		take_pulse(a, &seat, &t, view[0] != '\0');
		kind = seat.last ? seat.last->who.kind : NULL;
		if (view[0])
			take_answer(a, &seat, &t, view, subject);
		if (kind && kind->inspect && !e->options.shallow && !seat.misses && (refresh || clock_ms() >= seat.depth_due)) {
			take_depth(a, &seat, &t);
			/* a little early, so that it falls on the pulse that is due then */
			seat.depth_due = clock_ms() + actor_paced(e, kind->depth_ms, DEPTH_MS) * 19 / 20;
		}
		/* one that was busy for once has still told more */
		if (tells_without(a->kind, a->expected) && seat.misses && (!seat.last || seat.misses > 1) && !e->options.shallow &&
			(refresh || clock_ms() >= seat.without_due))
			take_without(a, &seat, &t);
		go = actor_sleep(a, next_interval(e, &seat, kind), 60);
	}
	seat_forget(&seat);
	net_free(seat.net);
	return NULL;
}

static void *actor_main(void *arg)
{
	static void *(*const jobs[])(void *) = {
		[JOB_HOST] = actor_host, [JOB_DOCKER] = actor_docker, [JOB_SERVICE] = actor_service,
		[JOB_CLERK] = actor_clerk, [JOB_REPLAY] = actor_replay, [JOB_STREAM] = actor_stream,
		[JOB_CATALOG] = actor_catalog,
	};
	struct actor *a = arg;

	jobs[a->job](a);
	pthread_mutex_lock(&a->engine->lock);
	a->ended = true;
	pthread_mutex_unlock(&a->engine->lock);
	return NULL;
}

/* One fd for both ends that an answer's wait may come to. */
static void join_ends(struct actor *a)
{
	struct epoll_event event = {.events = EPOLLIN};

	a->drop = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	a->end = epoll_create1(EPOLL_CLOEXEC);
	if (a->drop < 0 || a->end < 0 || epoll_ctl(a->end, EPOLL_CTL_ADD, a->drop, &event) < 0 ||
	    epoll_ctl(a->end, EPOLL_CTL_ADD, a->engine->cancel, &event) < 0) {
		actor_close_ends(a);
		log_say(a->name, "a question cannot be ended early: %s", strerrordesc_np(errno));
	}
}

struct actor *actor_start(struct engine *e, enum job job, const char *name, const struct expectation *expected,
	const struct service_kind *kind, const struct target *target)
{
	struct actor *a = mem_new(1, sizeof *a);
	pthread_attr_t attributes;

	a->engine = e;
	a->job = job;
	a->expected = expected;
	a->kind = kind;
	if (target)
		a->target = *target;
	text_copy(a->name, sizeof a->name, text_of(name));
	a->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	a->drop = a->end = -1;
	if (job == JOB_SERVICE)
		join_ends(a);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	if (a->wake < 0 || pthread_create(&a->thread, &attributes, actor_main, a) != 0) {
		pthread_attr_destroy(&attributes);
		if (a->wake >= 0)
			close(a->wake);
		actor_close_ends(a);
		free(a);
		return NULL;
	}
	pthread_attr_destroy(&attributes);
	e->actors = mem_grow(e->actors, e->n_actors + 1, sizeof *e->actors);
	e->actors[e->n_actors++] = a;
	return a;
}
