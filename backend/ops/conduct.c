// SPDX-License-Identifier: MIT
/* Runs of runbooks: their steps are wished like anybody's, and they have no thread: ops_turn() takes them on. */
#include <math.h>
#include <stdio.h>

#include "seats.h"

void runs_read_last(struct ops *o)
{
	if (o->options.profile && o->options.profile->n_runbooks)
		o->n_last = runbooks_last(o->options.host, o->options.state_dir, o->options.profile, o->last, o->options.profile->n_runbooks);
}

uint64_t ops_wish_step(struct ops *o, const struct lake *lake, const struct action_wish *wish, uint64_t parent, struct err *err)
{
	uint64_t next = o->next, id = ops_wish(o, lake, wish, err);
	struct seat *s = id ? seat_of(o, id) : NULL;

	if (!s)
		return 0;
	if (id != next) { /* somebody else wished the same */
		err_set(err, ERR_USAGE, "%s is not over yet", s->shown.title);
		return 0;
	}
	pthread_mutex_lock(&o->lock);
	s->shown.parent = parent;
	pthread_mutex_unlock(&o->lock);
	return id;
}

bool ops_shown(struct ops *o, uint64_t id, struct action_shown *out)
{
	struct seat *s = seat_of(o, id);

	if (!s)
		return false;
	pthread_mutex_lock(&o->lock);
	*out = s->shown;
	pthread_mutex_unlock(&o->lock);
	return true;
}

void ops_forget(struct ops *o, uint64_t id)
{
	struct seat *s = seat_of(o, id);

	if (s)
		s->forgotten = true;
}

const char *ops_state_dir(const struct ops *o)
{
	return o->options.state_dir;
}

struct host *ops_host(const struct ops *o)
{
	return o->options.host;
}

static void conduct(struct ops *o, struct seat *s, const struct lake *lake)
{
	struct conducted c = {.part = (double)NAN};

	pthread_mutex_lock(&o->lock);
	c.state = s->shown.state;
	c.dropped = s->step == STEP_DROP;
	pthread_mutex_unlock(&o->lock);
	if (action_is_over(c.state))
		return;
	if (c.state == ACTION_OFFERED) {
		s->offered = s->offered ? s->offered : lake->now;
		if (c.dropped || lake->now - s->offered > OFFER_MS)
			c.state = ACTION_CANCELLED;
		snprintf(c.words, sizeof c.words, "%s", !action_is_over(c.state) ? "" : c.dropped ? "not confirmed" : "nobody said yes for ten minutes");
	} else
		s->job.spec->conduct(&s->job, lake, &c);
	pthread_mutex_lock(&o->lock);
	if (c.state == ACTION_OFFERED) {
		ops_mask(o, s->shown.exact, sizeof s->shown.exact, s->job.exact);
		ops_mask(o, s->shown.effect, sizeof s->shown.effect, s->job.effect);
		ops_mask(o, s->shown.verify, sizeof s->shown.verify, s->job.verify);
	}
	if (c.words[0])
		ops_mask(o, s->shown.words, sizeof s->shown.words, c.words);
	s->shown.state = c.state;
	s->shown.part = c.part;
	text_copy(s->shown.awaits, sizeof s->shown.awaits, text_of(c.awaits));
	pthread_mutex_unlock(&o->lock);
	if (action_is_over(c.state))
		ops_changed(o);
}

/* Their steps may give seats and take them: runs are gone through by number. */
void runs_conduct(struct ops *o, const struct lake *lake)
{
	uint64_t ids[JOBS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++)
		if (o->seats[i]->job.spec->conduct)
			ids[n++] = o->seats[i]->job.id;
	for (size_t i = 0; i < n; i++) {
		struct seat *s = seat_of(o, ids[i]);

		if (s)
			conduct(o, s, lake);
	}
}

void runs_show(struct ops *o, struct lake *lake)
{
	unsigned over = 0;

	lake->runs = o->runs;
	lake->n_runs = 0;
	for (size_t i = 0; i < o->n; i++)
		if (o->seats[i]->job.spec->conduct) {
			over += o->seats[i]->told;
			o->runs[lake->n_runs++] = run_of(&o->seats[i]->job);
		}
	if (over != o->runs_over)
		runs_read_last(o);
	o->runs_over = over;
	lake->last_runs = o->last;
	lake->n_last_runs = o->n_last;
}
