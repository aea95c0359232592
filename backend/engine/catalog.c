// SPDX-License-Identifier: MIT
/*
 * The actor of one catalog: looks at its tables every half minute, more often while some are still to
 * be read, less often while nobody looks at tables or it refuses us, and answers what is asked of one
 * of them. Between looks its keeper remembers what did not change. Thread: its own.
 */
#include <stdlib.h>
#include <string.h>

#include "actor.h"
#include "tables.h"

enum {
	LOOK_EVERY = 30000, UNREAD_EVERY = 5000, AFTER_FAILURE = 10000, UNWATCHED = 2, REFUSED = 4,
	LOOK_DEADLINE = 15000, ANSWER_DEADLINE = 30000, /* an orphan preview lists a whole folder */
};

struct post { /* what the actor keeps between looks */
	struct actor *a;
	const struct catalog *catalog;
	struct keeper *keeper;
	struct net *net;
	struct storage storage;
	bool listed; /* names come first, at once */
	uint64_t looks, answers;
};

static struct probe probe_of(const struct post *post, const struct target *t, struct snapshot *s, int64_t ms)
{
	const struct engine *e = post->a->engine;
	const struct expectation *x = post->catalog->service;
	struct probe p = {
		.host = e->host, .net = post->net, .wait = actor_wait(e, ms), .at = t->at, .expected = x,
		.credentials = catalog_credentials(post->catalog), .hint = t->hint, .owner_seen = t->owner_seen,
		.owner = t->owner, .owner_started = t->owner_started, .arena = s->arena,
	};

	probe_withhold(&p, x ? x->kind : NULL);
	return p;
}

/* Publishes what was made of it. False: the end cut it short. */
static bool publish(struct post *post, struct snapshot *s, const struct probe *p, uint64_t generation, int64_t interval)
{
	struct actor *a = post->a;

	s->requests = p->requests;
	s->bytes = p->bytes;
	atomic_fetch_add(&a->requests, p->requests);
	atomic_fetch_add(&a->bytes, p->bytes);
	if (s->err.code == ERR_CANCELLED) {
		snapshot_unref(s);
		return false;
	}
	actor_finish(s, generation, interval);
	engine_publish(a->engine, a, s);
	return true;
}

static int64_t next_look(const struct post *post, const struct snapshot *s)
{
	const struct engine *e = post->a->engine;
	int64_t ms = atomic_load(&e->unwatched) ? LOOK_EVERY * UNWATCHED : LOOK_EVERY;

	if (s->err.code == ERR_AUTH)
		ms = LOOK_EVERY * REFUSED;
	else if (s->err.code != ERR_NONE)
		ms = AFTER_FAILURE;
	else if (keeper_unread(post->keeper))
		ms = UNREAD_EVERY;
	return actor_paced(e, ms, LOOK_EVERY);
}

/* When the next one is due, clock_ms(); -1: the end cut it short. */
static int64_t look(struct post *post, const struct target *t)
{
	struct snapshot *s = snapshot_new(post->a->name, PART_CATALOG);
	struct probe p = probe_of(post, t, s, LOOK_DEADLINE);
	int64_t interval;
	/* where nobody listens nobody is asked: who comes up in that moment would log a login that failed */
	bool gone = post->catalog->service && t->facts && !t->listening;
	bool first, told = !gone && (post->listed ? keeper_look : keeper_list)(post->keeper, &p, &post->storage, s);

	if (gone)
		err_set(&s->err, ERR_CONNECT, "nobody listens on %u", p.at.port);
	if (!told && s->err.code == ERR_NONE)
		err_set(&s->err, ERR_CONNECT, "%s does not answer", post->catalog->name);
	first = told && !post->listed;
	post->listed = post->listed || told;
	interval = next_look(post, s);
	if (!publish(post, s, &p, ++post->looks, interval))
		return -1;
	/* a command waits for all of it, and for nothing else */
	return clock_ms() + (first || (post->a->engine->options.headless && keeper_unread(post->keeper)) ? 0 : interval);
}

static void answer(struct post *post, const struct target *t, const char *view, const char *table)
{
	struct snapshot *s = snapshot_new(post->a->name, PART_ANSWER);
	struct probe p = probe_of(post, t, s, ANSWER_DEADLINE);

	s->view = arena_clean(s->arena, text_of(view));
	s->subject = arena_clean(s->arena, text_of(table));
	if (!keeper_answer(post->keeper, &p, &post->storage, view, table, s) && s->err.code == ERR_NONE)
		err_set(&s->err, ERR_PROTOCOL, "%s says nothing of %s", post->catalog->name, table);
	publish(post, s, &p, ++post->answers, LOOK_EVERY);
}

static bool is_asked(void *ctx)
{
	struct actor *a = ctx;
	bool asked;

	pthread_mutex_lock(&a->engine->lock);
	asked = a->ask_view[0] != '\0';
	pthread_mutex_unlock(&a->engine->lock);
	return asked;
}

void *actor_catalog(void *arg)
{
	struct actor *a = arg;
	struct engine *e = a->engine;
	const struct catalog *c = a->target.catalog;
	struct post post = {.a = a, .catalog = c, .keeper = keeper_new(c), .net = net_new(e->host), .storage = profile_storage(e->profile, c->storage)};
	struct target *t = mem_new(1, sizeof *t);
	int64_t due = 0;

	keeper_hurry(post.keeper, is_asked, a);
	keeper_places(post.keeper, e->lake.places);
	do {
		bool refresh;
		char view[sizeof a->ask_view], table[sizeof a->ask_subject];

		pthread_mutex_lock(&e->lock);
		*t = a->target;
		refresh = a->refresh;
		a->refresh = false;
		memcpy(view, a->ask_view, sizeof view);
		memcpy(table, a->ask_subject, sizeof table);
		a->ask_view[0] = '\0';
		pthread_mutex_unlock(&e->lock);
		if (refresh)
			keeper_retry(post.keeper);
		if (view[0])
			answer(&post, t, view, table);
		if (refresh || clock_ms() >= due)
			due = look(&post, t);
	} while (due >= 0 && actor_sleep(a, due > clock_ms() ? due - clock_ms() : 1, clock_ms()));
	keeper_free(post.keeper);
	net_free(post.net);
	free(t);
	return NULL;
}
