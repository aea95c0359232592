// SPDX-License-Identifier: MIT
/*
 * The thread of an action: it finds out what would be done, waits for a yes, does it, and where the
 * spec says so looks on until it has come about.
 */
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "seats.h"

enum { PREPARE_MS = 30000, QUEUE_MS = 86400000, STACK_SIZE = 512 * 1024 };

/* ---- what workers say ---- */

const struct profile *job_profile(const struct action_job *j)
{
	return j->ops->options.profile;
}

void action_progress(struct action_job *j, double part, const char *format, ...)
{
	struct seat *s = (struct seat *)j;
	char words[2 * ACTION_WORDS_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof words, format, args);
	va_end(args);
	mask_secrets(j->ops->options.profile, words, sizeof words);
	pthread_mutex_lock(&j->ops->lock);
	text_clean(s->shown.words, sizeof s->shown.words, text_of(words));
	s->shown.part = part;
	pthread_mutex_unlock(&j->ops->lock);
	ops_changed(j->ops);
}

void action_note(struct action_job *j, const char *format, ...)
{
	struct seat *s = (struct seat *)j;
	struct action_shown shown;
	va_list args;

	va_start(args, format);
	vsnprintf(j->note, sizeof j->note, format, args);
	va_end(args);
	mask_secrets(j->ops->options.profile, j->note, sizeof j->note);
	pthread_mutex_lock(&j->ops->lock);
	shown = s->shown;
	pthread_mutex_unlock(&j->ops->lock);
	audit_write(j->ops->audit, AUDIT_NOTE, &shown, j->note, NULL);
}

bool job_left_open(struct action_job *j, struct audit_entry *out)
{
	return audit_entry_of(j->ops->audit, j->wish.service, j->wish.subject, out);
}

bool job_end_entry(struct action_job *j, const struct audit_entry *entry, enum action_state how, const char *words, struct err *err)
{
	bool good = audit_end_entry(j->ops->audit, entry, how, words, err);

	pthread_mutex_lock(&j->ops->lock);
	j->ops->settled_one = true;
	pthread_mutex_unlock(&j->ops->lock);
	ops_changed(j->ops);
	return good;
}

/* ---- one action ---- */

/* What is over stays as it ended: the UI thread may have ended it meanwhile. */
static void set_state(struct seat *s, enum action_state state, const char *words)
{
	struct ops *o = s->job.ops;
	bool over;

	pthread_mutex_lock(&o->lock);
	over = action_is_over(s->shown.state);
	s->shown.state = over ? s->shown.state : state;
	if (words && !over)
		ops_mask(o, s->shown.words, sizeof s->shown.words, words);
	if (state == ACTION_RUNNING)
		s->shown.begun = clock_wall_ms();
	pthread_mutex_unlock(&o->lock);
	ops_changed(o);
}

static enum step step_of(struct seat *s)
{
	enum step step;

	pthread_mutex_lock(&s->job.ops->lock);
	step = s->step;
	pthread_mutex_unlock(&s->job.ops->lock);
	return step;
}

/* Who is asked for a yes knows what an earlier laketop may have left running on the same thing. */
static void say_left_open(struct action_job *j)
{
	size_t len = strlen(j->effect);
	struct audit_entry entry;

	if (!j->spec->beside && j->spec != &action_interrupt && job_left_open(j, &entry))
		snprintf(j->effect + len, sizeof j->effect - len, "%s%.100s was cut short before, and may still go on: \"laketop actions\" tells",
			len ? "; " : "", entry.shown.title);
}

static bool prepare(struct seat *s)
{
	struct ops *o = s->job.ops;
	struct err err = {0};

	s->job.wait = wait_for(PREPARE_MS, s->cancel);
	if (!s->job.spec->prepare(&s->job, &err)) {
		mask_secrets(o->options.profile, err.words, sizeof err.words);
		pthread_mutex_lock(&o->lock);
		s->shown.because = err.code;
		pthread_mutex_unlock(&o->lock);
		set_state(s, step_of(s) == STEP_DROP ? ACTION_CANCELLED : s->job.needless ? ACTION_NEEDLESS : ACTION_FAILED, err.words);
		return false;
	}
	say_left_open(&s->job);
	pthread_mutex_lock(&o->lock);
	ops_mask(o, s->shown.exact, sizeof s->shown.exact, s->job.exact);
	ops_mask(o, s->shown.effect, sizeof s->shown.effect, s->job.effect);
	ops_mask(o, s->shown.verify, sizeof s->shown.verify, s->job.verify);
	pthread_mutex_unlock(&o->lock);
	set_state(s, ACTION_OFFERED, "");
	return true;
}

/* Until somebody says yes or no. */
static bool agreed(struct seat *s)
{
	struct wait wait = wait_for(OFFER_MS, s->cancel);
	uint64_t count;

	for (enum step step; (step = step_of(s)) <= STEP_QUEUE;) {
		int ready = wait_fd(step == STEP_QUEUE ? wait_for(QUEUE_MS, s->cancel) : wait, s->wake, POLLIN);

		if (ready <= 0 && step_of(s) != STEP_QUEUE) {
			set_state(s, ACTION_CANCELLED, ready ? "not confirmed" : "nobody said yes for ten minutes");
			return false;
		}
		while (read(s->wake, &count, sizeof count) > 0)
			continue;
	}
	if (step_of(s) == STEP_RUN)
		return true;
	set_state(s, ACTION_CANCELLED, "not confirmed");
	return false;
}

/* Why, and below it the last lines of its log. */
static char *why_it_failed(char out[ACTION_WORDS_SIZE], struct action_job *j, struct err *err, const char *more)
{
	char why[2 * ACTION_WORDS_SIZE];

	mask_secrets(j->ops->options.profile, err->words, sizeof err->words);
	mask_secrets(j->ops->options.profile, j->last, sizeof j->last);
	snprintf(why, sizeof why, "%s%s%s", err->words, more[0] ? ": " : "", more);
	snprintf(out, ACTION_WORDS_SIZE, "%.280s%s%.290s", why, j->last[0] ? LAST_WORDS "\n" : "", j->last);
	return out;
}

/* Settled may know first, or somebody may not wait any more: then what is seen here does not count. */
static void watch(struct seat *s)
{
	struct ops *o = s->job.ops;
	struct err err = {0};
	char words[ACTION_WORDS_SIZE];

	s->job.wait = wait_for(s->job.spec->verify_ms, s->cancel);
	if (s->job.spec->watch(&s->job, &err))
		return;
	pthread_mutex_lock(&o->lock);
	if (s->shown.state == ACTION_VERIFYING) {
		why_it_failed(words, &s->job, &err, err.code == ERR_TIMEOUT ? s->shown.words : "");
		ops_mask(o, s->shown.words, sizeof s->shown.words, words);
		s->shown.state = ACTION_FAILED;
		s->shown.fault = err.code == ERR_TIMEOUT ? FAULT_TIME : FAULT_NONE;
	}
	pthread_mutex_unlock(&o->lock);
	ops_changed(o);
}

static void run(struct seat *s)
{
	struct err err = {0};
	char words[ACTION_WORDS_SIZE];
	bool fine;

	s->job.wait = wait_for(s->job.spec->limit_ms, s->cancel);
	fine = s->job.spec->run(&s->job, &err);
	pthread_mutex_lock(&s->job.ops->lock);
	s->shown.again = !fine && s->job.again;
	s->shown.fault = fine ? FAULT_NONE : err.code == ERR_TIMEOUT && !wait_left(s->job.wait) ? FAULT_TIME : s->job.fault;
	pthread_mutex_unlock(&s->job.ops->lock);
	if (!fine)
		set_state(s, step_of(s) == STEP_DROP || err.code == ERR_CANCELLED ? ACTION_CANCELLED : ACTION_FAILED,
			why_it_failed(words, &s->job, &err, ""));
	else if (!s->job.spec->settled)
		set_state(s, s->job.needless ? ACTION_NEEDLESS : ACTION_DONE, s->job.result);
	else {
		set_state(s, ACTION_VERIFYING, s->job.result[0] ? s->job.result : NULL);
		if (s->job.spec->watch)
			watch(s);
	}
}

static void *work(void *arg)
{
	struct seat *s = arg;

	s->job.net = net_new(s->job.host);
	if (prepare(s) && agreed(s))
		run(s);
	net_free(s->job.net);
	s->job.net = NULL;
	pthread_mutex_lock(&s->job.ops->lock);
	s->ended = true;
	pthread_mutex_unlock(&s->job.ops->lock);
	ops_changed(s->job.ops);
	return NULL;
}

bool seat_begin(struct seat *s)
{
	pthread_attr_t attributes;

	s->ended = s->job.spec->conduct != NULL;
	if (s->ended) { /* from ops_turn() */
		s->cancel = s->wake = -1;
		return true;
	}
	s->cancel = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	s->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	s->threaded = s->cancel >= 0 && s->wake >= 0 && pthread_create(&s->thread, &attributes, work, s) == 0;
	pthread_attr_destroy(&attributes);
	return s->threaded;
}
