// SPDX-License-Identifier: MIT
/*
 * The gate. A wish is turned away here or nowhere: by a replay, a read-only start, the lock, a thing
 * that is being acted on already, an audit that cannot be written. What passes is prepared by a
 * thread of its own, offered, and runs only when it was confirmed.
 */
#include "seats.h"

#include <math.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WRITE_AGAIN_MS = 5000 };

struct ops *ops_new(const struct ops_options *options)
{
	struct ops *o = mem_new(1, sizeof *o);

	o->options = *options;
	o->locked = options->locked;
	o->next = 1;
	pthread_mutex_init(&o->lock, NULL);
	o->shown = mem_new(JOBS_MAX + OPEN_MAX, sizeof *o->shown);
	o->audit = audit_open(options->host, options->state_dir, options->profile, &o->no_audit);
	if (o->audit)
		o->n_open = audit_left_open(o->audit, o->open, OPEN_MAX);
	o->last = mem_new(options->profile ? options->profile->n_runbooks + 1 : 1, sizeof *o->last);
	runs_read_last(o);
	return o;
}

/* ---- what its parts share ---- */

struct seat *seat_of(const struct ops *o, uint64_t id)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->seats[i]->job.id == id)
			return o->seats[i];
	return NULL;
}

void seat_wake(int fd)
{
	static const uint64_t one = 1;

	if (write(fd, &one, sizeof one) < 0)
		return; /* it is awake already */
}

void ops_changed(struct ops *o)
{
	o->options.news(o->options.ctx);
}

void ops_mask(const struct ops *o, char *out, size_t size, const char *s)
{
	char copy[ACTION_EXACT_SIZE], *all = out;
	const size_t room = size;

	mask_copy(o->options.profile, copy, sizeof copy, text_of(s), strlen(s) + 4 > size);
	/* lines are kept: an argv or SQL of several is read as such */
	for (char *line = copy, *end; *line && size > 1; line = end) {
		struct text t = text_until(text_of(line), '\n');

		end = line + t.len;
		text_clean(out, size, t);
		size -= strlen(out);
		out += strlen(out);
		if (*end == '\n' && size > 1) {
			*out++ = '\n';
			size--;
			end++;
		}
	}
	*out = '\0';
	mask_secrets(o->options.profile, all, room); /* of what a control had parted */
}

/* ---- the gate ---- */

static bool refuses(const struct ops *o, const struct lake *lake, struct err *err)
{
	if (lake->replayed)
		return !err_set(err, ERR_USAGE, "this is a recording: there is nothing to change");
	if (o->options.read_only)
		return !err_set(err, ERR_USAGE, "started with --read-only: nothing is changed");
	if (o->locked)
		return !err_set(err, ERR_USAGE, "locked: L unlocks");
	if (!o->audit)
		return !err_set(err, ERR_SYSTEM, "nothing is changed without an audit: %s", o->no_audit.words);
	return false;
}

static bool same_wish(const struct action_wish *a, const struct action_wish *b)
{
	if (strcmp(a->verb, b->verb) != 0 || strcmp(a->service, b->service) != 0 || strcmp(a->subject, b->subject) != 0 || a->n_options != b->n_options)
		return false;
	for (size_t i = 0; i < a->n_options; i++)
		if (strcmp(a->options[i].name, b->options[i].name) != 0 || strcmp(a->options[i].value, b->options[i].value) != 0)
			return false;
	return true;
}

/* One that is not over, on the same thing; exactly the same wish is not in its own way. */
static struct seat *in_the_way(struct ops *o, const struct action_spec *spec, const struct action_wish *w, bool *same)
{
	for (size_t i = 0; i < o->n; i++) {
		struct seat *s = o->seats[i];
		bool over;

		pthread_mutex_lock(&o->lock);
		over = action_is_over(s->shown.state);
		pthread_mutex_unlock(&o->lock);
		*same = same_wish(&s->job.wish, w);
		if (!over && (*same || (!s->job.spec->beside && !spec->beside)) && !strcmp(s->job.wish.service, w->service) &&
			!strcmp(s->job.wish.subject, w->subject))
			return s;
	}
	return NULL;
}

static void say_who(char out[64])
{
	const struct passwd *user = getpwuid(geteuid());
	char name[40];

	text_clean(name, sizeof name, text_of(user ? user->pw_name : "?"));
	snprintf(out, 64, "%s, pid %d", name, (int)getpid());
}

static bool known_options(const struct action_spec *spec, const struct action_wish *w, struct err *err)
{
	for (size_t i = 0; i < w->n_options; i++) {
		const char *const *name = spec->options;

		while (name != any_option && name && *name && strcmp(*name, w->options[i].name) != 0)
			name++;
		if (!name || !*name)
			return err_set(err, ERR_USAGE, "%s takes no option \"%s\"", spec->verb, w->options[i].name);
	}
	return true;
}

static void free_seat(struct seat *s)
{
	if (s->threaded && !s->joined)
		pthread_join(s->thread, NULL);
	if (s->job.state && s->job.spec->free)
		s->job.spec->free(s->job.state);
	else
		free(s->job.state);
	if (s->cancel >= 0)
		close(s->cancel);
	if (s->wake >= 0)
		close(s->wake);
	free(s);
}

/* The oldest that is over and written down gives its place. */
static bool make_room(struct ops *o)
{
	for (size_t i = 0; o->n == JOBS_MAX && i < o->n; i++)
		if (o->seats[i]->told && o->seats[i]->ended) {
			free_seat(o->seats[i]);
			memmove(o->seats + i, o->seats + i + 1, (o->n - i - 1) * sizeof *o->seats);
			o->n--;
		}
	return o->n < JOBS_MAX;
}

uint64_t ops_wish(struct ops *o, const struct lake *lake, const struct action_wish *wish, struct err *err)
{
	const struct action_spec *spec = action_spec_named(wish->verb);
	struct action_target target = {0};
	char why[200] = "";
	struct seat *s;
	bool same;

	if (refuses(o, lake, err))
		return 0;
	if (!spec) {
		err_set(err, ERR_USAGE, "there is no action \"%s\": \"laketop do\" lists them", wish->verb);
		return 0;
	}
	if (!known_options(spec, wish, err))
		return 0;
	s = in_the_way(o, spec, wish, &same);
	if (s && same)
		return s->job.id;
	if (s) {
		err_set(err, ERR_USAGE, "%s is not over yet", s->shown.title);
		return 0;
	}
	if (!spec->offer(lake, wish, &target, why)) {
		err_set(err, target.because ? target.because : ERR_USAGE, "%s", why);
		return 0;
	}
	if (!make_room(o)) {
		err_set(err, ERR_LIMIT, "%d actions are not over yet", JOBS_MAX);
		return 0;
	}
	s = mem_new(1, sizeof *s);
	s->job = (struct action_job){.spec = spec, .wish = *wish, .target = target, .host = o->options.host, .ops = o, .id = o->next++};
	s->target = target;
	s->shown = (struct action_shown){.id = s->job.id, .state = ACTION_PREPARING, .wish = *wish, .destructive = spec->destructive, .part = (double)NAN};
	snprintf(s->shown.title, sizeof s->shown.title, "%s %.70s%s%.60s", spec->verb, wish->service, wish->subject[0] && wish->service[0] ? " " : "",
		wish->subject);
	say_who(s->shown.who);
	if (!seat_begin(s)) {
		free_seat(s);
		err_set(err, ERR_SYSTEM, "no thread or descriptor is left");
		return 0;
	}
	o->seats[o->n++] = s;
	return s->job.id;
}

bool ops_confirm(struct ops *o, const struct lake *lake, uint64_t id, struct err *err)
{
	struct seat *s = seat_of(o, id);
	struct action_shown shown;
	char why[200];
	bool offered;

	if (refuses(o, lake, err))
		return false;
	if (!s)
		return err_set(err, ERR_USAGE, "that action is gone");
	pthread_mutex_lock(&o->lock);
	offered = (s->shown.state == ACTION_OFFERED && s->step == STEP_NONE) || (s->shown.state == ACTION_QUEUED && s->step == STEP_QUEUE);
	shown = s->shown;
	pthread_mutex_unlock(&o->lock);
	if (!offered)
		return err_set(err, ERR_USAGE, "%s is not waiting for a yes", s->shown.title);
	if (s->job.spec->still && !s->job.spec->still(lake, &s->job, why))
		return err_set(err, ERR_USAGE, "%s", why);
	shown.begun = clock_wall_ms();
	if (!audit_write(o->audit, AUDIT_BEGIN, &shown, s->job.note, err))
		return false;
	pthread_mutex_lock(&o->lock);
	s->step = STEP_RUN;
	s->shown.state = ACTION_RUNNING;
	s->shown.begun = shown.begun;
	pthread_mutex_unlock(&o->lock);
	seat_wake(s->wake);
	ops_changed(o);
	return true;
}

/* Somebody looked at what was left open, and knows how it stands: its entry gets an end, and who said so. */
static void dismiss(struct ops *o, uint64_t id)
{
	struct audit_entry entry;
	char who[64], words[100];

	if (!o->audit || o->locked || o->options.read_only || !audit_entry_shown(o->audit, id, &entry))
		return;
	say_who(who);
	snprintf(words, sizeof words, "cut short; dismissed by %s", who);
	audit_end_entry(o->audit, &entry, ACTION_CANCELLED, words, NULL);
	pthread_mutex_lock(&o->lock);
	o->settled_one = true;
	pthread_mutex_unlock(&o->lock);
	ops_changed(o);
}

void ops_drop(struct ops *o, uint64_t id)
{
	struct seat *s = seat_of(o, id);

	if (!s) {
		dismiss(o, id);
		return;
	}
	pthread_mutex_lock(&o->lock);
	s->step = STEP_DROP;
	if (s->job.spec->conduct && s->shown.state == ACTION_OFFERED) { /* no thread hears the no: who wishes it again gets a new one */
		s->shown.state = ACTION_CANCELLED;
		text_copy(s->shown.words, sizeof s->shown.words, TEXT("not confirmed"));
	}
	if (s->shown.state == ACTION_VERIFYING) { /* no thread waits any more: what was done is done */
		s->shown.state = ACTION_CANCELLED;
		text_copy(s->shown.words, sizeof s->shown.words, TEXT("it ran; nobody waits for its verification"));
	}
	pthread_mutex_unlock(&o->lock);
	seat_wake(s->cancel);
	seat_wake(s->wake);
	ops_changed(o);
}

static bool waits_for_a_yes(struct ops *o, const struct seat *s)
{
	bool waits;

	pthread_mutex_lock(&o->lock);
	waits = s->shown.state == ACTION_OFFERED && s->step == STEP_NONE;
	pthread_mutex_unlock(&o->lock);
	return waits;
}

bool ops_confirm_all(struct ops *o, const struct lake *lake, const uint64_t *ids, size_t n, bool go_on, struct err *err)
{
	const struct seat *first = n ? seat_of(o, ids[0]) : NULL;

	if (!n || refuses(o, lake, err))
		return false;
	if (!first || !waits_for_a_yes(o, first)) /* a second yes, before the first was seen: what runs is left alone */
		return err_set(err, ERR_USAGE, "it is not waiting for a yes");
	for (size_t i = 1; i < n; i++) {
		struct seat *s = seat_of(o, ids[i]);

		if (!s)
			continue;
		pthread_mutex_lock(&o->lock);
		if (s->shown.state == ACTION_OFFERED && s->step == STEP_NONE) {
			s->step = STEP_QUEUE;
			s->shown.state = ACTION_QUEUED;
			s->after = ids[i - 1];
			s->go_on = go_on;
		}
		pthread_mutex_unlock(&o->lock);
		seat_wake(s->wake);
	}
	if (ops_confirm(o, lake, ids[0], err))
		return true;
	for (size_t i = 0; i < n; i++) /* none waits for one that never began */
		ops_drop(o, ids[i]);
	return false;
}

/* Its turn has come, or never will. */
static void take_turn(struct ops *o, const struct lake *lake, struct seat *s)
{
	const struct seat *before = seat_of(o, s->after);
	enum action_state state;
	struct err err = {0};
	bool queued, so_already;

	pthread_mutex_lock(&o->lock);
	queued = s->step == STEP_QUEUE;
	state = before ? before->shown.state : ACTION_DONE;
	pthread_mutex_unlock(&o->lock);
	if (!queued || !action_is_over(state))
		return;
	so_already = action_is_so_already(lake, &s->job.wish); /* by one of those before it */
	if (!action_went_well(state) && !s->go_on)
		err_set(&err, ERR_CANCELLED, "not run: %s before it", action_state_word(state));
	else if (so_already)
		err_set(&err, ERR_CANCELLED, "it was so already");
	else if (ops_confirm(o, lake, s->job.id, &err))
		return;
	pthread_mutex_lock(&o->lock);
	s->step = STEP_DROP;
	s->shown.state = so_already && (action_went_well(state) || s->go_on) ? ACTION_NEEDLESS : ACTION_CANCELLED;
	ops_mask(o, s->shown.words, sizeof s->shown.words, err.words);
	pthread_mutex_unlock(&o->lock);
	seat_wake(s->cancel);
}

bool ops_lock(struct ops *o, bool locked, struct err *err)
{
	if (!locked && o->options.read_only)
		return err_set(err, ERR_USAGE, "started with --read-only: it cannot be unlocked");
	o->locked = locked;
	ops_changed(o);
	return true;
}

bool ops_acting(struct ops *o)
{
	bool acting = false;

	pthread_mutex_lock(&o->lock);
	for (size_t i = 0; i < o->n; i++)
		acting = acting || (o->seats[i]->shown.state >= ACTION_QUEUED && o->seats[i]->shown.state <= ACTION_VERIFYING);
	pthread_mutex_unlock(&o->lock);
	return acting;
}

/* ---- a turn ---- */

static void drop_forgotten(struct ops *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++) {
		struct seat *s = o->seats[i];
		bool goes;

		pthread_mutex_lock(&o->lock);
		goes = s->forgotten && s->ended && !s->unwritten && action_is_over(s->shown.state) && (s->told || !s->shown.begun);
		pthread_mutex_unlock(&o->lock);
		if (goes)
			free_seat(s);
		else
			o->seats[n++] = s;
	}
	o->n = n;
}

static void settle(struct ops *o, struct seat *s, const struct lake *lake)
{
	char words[ACTION_WORDS_SIZE] = "";
	enum action_settled settled;
	enum action_state state;
	bool watched, late = false;

	pthread_mutex_lock(&o->lock);
	state = s->shown.state;
	watched = !s->ended;
	pthread_mutex_unlock(&o->lock);
	if (state != ACTION_VERIFYING)
		return;
	if (!s->verify_until)
		s->verify_until = lake->now + s->job.spec->verify_ms;
	settled = s->job.spec->settled(lake, &s->job, words);
	late = settled == SETTLED_NOT_YET && !watched && lake->now >= s->verify_until;
	settled = late ? SETTLED_BADLY : settled;
	pthread_mutex_lock(&o->lock);
	if (s->shown.state != ACTION_VERIFYING) /* who watches saw its end meanwhile */
		settled = SETTLED_NOT_YET;
	else if (words[0])
		ops_mask(o, s->shown.words, sizeof s->shown.words, words);
	if (settled != SETTLED_NOT_YET)
		s->shown.state = settled == SETTLED_WELL ? ACTION_DONE : ACTION_FAILED;
	if (settled == SETTLED_BADLY)
		s->shown.fault = late ? FAULT_TIME : FAULT_DISAGREES;
	pthread_mutex_unlock(&o->lock);
	if (settled != SETTLED_NOT_YET)
		seat_wake(s->cancel);
}

/* The next start takes what has no end for cut short: whoever looks now is told that it is not, and the end is tried again. */
static void write_end(struct ops *o, struct seat *s, struct action_shown *shown)
{
	static const char mark[] = "; its end could not be written to the audit: ";
	struct err err = {0};
	char *at = text_starts(text_of(shown->words), mark + 2) ? shown->words : strstr(shown->words, mark);

	if (at)
		*at = '\0';
	s->unwritten = !audit_write(o->audit, AUDIT_END, shown, s->job.note, &err);
	s->write_next = clock_ms() + WRITE_AGAIN_MS;
	if (s->unwritten) {
		size_t len = strlen(shown->words), room = sizeof shown->words - sizeof mark - strlen(err.words);

		len = len < room ? len : room;
		snprintf(shown->words + len, sizeof shown->words - len, "%s%s", len ? mark : mark + 2, err.words);
	}
	pthread_mutex_lock(&o->lock);
	text_copy(s->shown.words, sizeof s->shown.words, text_of(shown->words));
	pthread_mutex_unlock(&o->lock);
}

static void write_again(struct ops *o, struct seat *s)
{
	struct action_shown shown;

	if (!s->unwritten || clock_ms() < s->write_next)
		return;
	pthread_mutex_lock(&o->lock);
	shown = s->shown;
	pthread_mutex_unlock(&o->lock);
	write_end(o, s, &shown);
}

/* Its end is written down once, and told as an event. One that never ran leaves no trace. */
static void tell(struct ops *o, struct seat *s, void (*said)(void *, enum severity, const char *, const char *), void *ctx)
{
	struct action_shown shown;
	char words[ACTION_WORDS_SIZE + 200], span[CLOCK_TEXT];

	pthread_mutex_lock(&o->lock);
	if (s->told || !action_is_over(s->shown.state)) {
		pthread_mutex_unlock(&o->lock);
		return;
	}
	s->told = true;
	s->shown.ended = clock_wall_ms();
	shown = s->shown;
	pthread_mutex_unlock(&o->lock);
	if (!shown.begun)
		return;
	write_end(o, s, &shown);
	snprintf(words, sizeof words, "%s: %s after %s%s%s", shown.title, action_state_word(shown.state),
		clock_span(span, shown.ended - shown.begun), shown.words[0] ? ": " : "", shown.words);
	said(ctx, action_went_well(shown.state) && !s->unwritten ? SEVERITY_INFO : SEVERITY_WARNING,
		shown.wish.service[0] ? shown.wish.service : "laketop", words);
}

void ops_turn(struct ops *o, struct lake *lake, void (*said)(void *ctx, enum severity severity, const char *service, const char *words), void *ctx)
{
	size_t n = 0;
	bool reread;

	runs_conduct(o, lake);
	drop_forgotten(o);
	pthread_mutex_lock(&o->lock);
	reread = o->settled_one;
	o->settled_one = false;
	pthread_mutex_unlock(&o->lock);
	if (reread)
		o->n_open = audit_left_open(o->audit, o->open, OPEN_MAX);
	o->options.host->spawned(o->options.host, 0); /* who was started here and ended is no zombie */
	for (size_t i = 0; i < o->n_open; i++)
		o->shown[n++] = o->open[i];
	for (size_t i = 0; i < o->n; i++) {
		settle(o, o->seats[i], lake);
		take_turn(o, lake, o->seats[i]);
	}
	for (size_t i = o->n; i-- > 0;) /* a step's end before that of its run */
		tell(o, o->seats[i], said, ctx);
	for (size_t i = 0; i < o->n; i++)
		write_again(o, o->seats[i]);
	for (size_t i = 0; i < o->n; i++) {
		pthread_mutex_lock(&o->lock);
		o->shown[n++] = o->seats[i]->shown;
		pthread_mutex_unlock(&o->lock);
	}
	lake->actions = o->shown;
	lake->n_actions = n;
	runs_show(o, lake);
	lake->locked = o->options.read_only ? "started with --read-only" : o->locked ? "locked: L unlocks" : !o->audit ? o->no_audit.words : NULL;
}

/* ---- the end ---- */

unsigned ops_stop(struct ops *o, int64_t end)
{
	unsigned abandoned = 0;

	for (size_t i = 0; i < o->n; i++)
		ops_drop(o, o->seats[i]->job.id);
	for (size_t i = o->n; i-- > 0;) {
		struct seat *s = o->seats[i];

		while (!(s->joined = !s->threaded || pthread_tryjoin_np(s->thread, NULL) == 0) && clock_ms() < end)
			poll(NULL, 0, 1);
		if (s->job.spec->conduct && s->shown.state == ACTION_RUNNING) {
			s->shown.state = ACTION_CANCELLED;
			snprintf(s->shown.words, sizeof s->shown.words, "laketop ended; --resume goes on");
			run_cut_short(&s->job);
		}
		abandoned += !s->joined;
		/* what was cancelled by the end is told; what still runs stays open in the audit, and the next start says so */
		if (s->joined && s->shown.begun && (!s->told || s->unwritten)) {
			struct action_shown shown = s->shown;

			shown.ended = s->told ? shown.ended : clock_wall_ms();
			write_end(o, s, &shown);
		}
	}
	if (abandoned)
		return abandoned;
	for (size_t i = 0; i < o->n; i++)
		free_seat(o->seats[i]);
	audit_close(o->audit);
	pthread_mutex_destroy(&o->lock);
	free(o->shown);
	free(o->last);
	free(o);
	return 0;
}
