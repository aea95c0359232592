// SPDX-License-Identifier: MIT
/*
 * A run of a runbook. It has no worker: every turn it looks how its step goes. A step is an action that is wished,
 * offered and confirmed like anybody's, through the same gate; the one yes to the whole stands for each. Before that
 * every step is wished once and dropped again, so that its exact argv, SQL or request can be shown, where it can be
 * known before the steps in front of it ran.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops.h"
#include "ops_own.h"
#include "run_log.h"
#include "runbook.h"

enum { REFUSED_MS = 20000 }; /* what refuses a step may be old news: so long it is looked anew */

struct run {
	struct run_shown shown;      /* first: what the lake points to */
	const struct profile *profile;
	const struct runbook *book;
	struct action_wish given;    /* with what an earlier run was given, where it is resumed */
	size_t from;
	char key[64];
	bool begun;
	struct book_step step;            /* the one at shown.at */
	uint64_t child;              /* its action; 0: not wished yet */
	bool confirmed, dropped;     /* the child */
	int64_t since;               /* clock_ms(), of the step */
};

/* ---- the wish ---- */

static bool resumed(const struct lake *lake, const struct runbook *b, const struct action_wish *w, struct action_wish *given, size_t *from,
	char why[200])
{
	const struct run_last *last = run_last_of(lake->last_runs, lake->n_last_runs, b->name);
	bool no_room = false;

	why[0] = '\0';
	if (!last || last->state == ACTION_DONE)
		snprintf(why, 200, last ? "the last run of %s was done: there is nothing to resume" : "%s was never run: there is nothing to resume", b->name);
	else if (last->state == ACTION_RUNNING)
		snprintf(why, 200, "%s runs now, at step %zu of %zu", b->name, last->step, last->n_steps);
	else if (last->print != runbook_print(b))
		snprintf(why, 200, "%s was changed since its last run, which came to step %zu: %s N says where to go on", b->name, last->step, RUN_FROM);
	if (!last || why[0])
		return false;
	*from = last->step ? last->step - 1 : 0;
	*given = *w;
	given->n_options = 0;
	for (size_t i = 0; i < w->n_options; i++)
		if (w->options[i].name[0] != '-')
			given->options[given->n_options++] = w->options[i];
	for (size_t i = 0; i < last->wish.n_options; i++) {
		const struct action_option *option = &last->wish.options[i];

		if (wish_option(given, option->name))
			continue;
		if (strstr(option->value, "***")) {
			snprintf(why, 200, "the value of %s was a secret, and was not kept: give it again", option->name);
			return false;
		}
		no_room = !wish_option_set(given, option->name, option->value) || no_room;
	}
	if (no_room)
		snprintf(why, 200, "too many variables");
	return !no_room;
}

/* Which steps with which variables; also: does all of it make sense? */
static bool intended(const struct lake *lake, const struct action_wish *w, const struct runbook **book, struct action_wish *given, size_t *from,
	char why[200])
{
	const struct profile *p = lake->profile;
	const struct runbook *b = p ? profile_runbook(p, w->subject) : NULL;
	const char *first = wish_option(w, RUN_FROM);
	struct err err = {0};
	int64_t n = 1;

	if (!b || w->service[0]) {
		snprintf(why, 200, "there is no [runbook %.60s] in the profile: \"laketop run\" lists them", w->subject[0] ? w->subject : w->service);
		return false;
	}
	if (!runbook_given(p, b, w, &err)) {
		snprintf(why, 200, "%s", err.words);
		return false;
	}
	*given = *w;
	if (wish_option(w, RUN_RESUME) && !resumed(lake, b, w, given, from, why))
		return false;
	if (!wish_option(w, RUN_RESUME)) {
		const struct run_last *last = run_last_of(lake->last_runs, lake->n_last_runs, b->name);

		if (last && last->state == ACTION_RUNNING) {
			snprintf(why, 200, "%s runs already, at step %zu of %zu", b->name, last->step, last->n_steps);
			return false;
		}
		*from = first && text_i64(text_of(first), &n) ? (size_t)n - 1 : 0;
	}
	for (size_t i = *from; i < b->n_steps; i++) {
		struct book_step step;

		if (!runbook_step(p, b, i, given, &step, &err)) {
			snprintf(why, 200, "%s", err.words);
			return false;
		}
	}
	*book = b;
	return true;
}

static void hint(const struct lake *lake, const struct action_wish *w, const char *option, char out[200])
{
	const struct runbook *b = lake->profile ? profile_runbook(lake->profile, w->subject) : NULL;
	struct book_variable list[ACTION_OPTIONS_MAX];
	size_t n = b ? runbook_variables(lake->profile, b, list) : 0;

	out[0] = '\0';
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].name, option))
			snprintf(out, 200, "%s%.150s", !list[i].value ? "it has to be given" : list[i].secret ?
				"empty: as the profile says, which is not shown" : "by itself ", list[i].value && !list[i].secret ? list[i].value : "");
}

static bool offer(const struct lake *lake, const struct action_wish *w, struct action_target *t, char why[200])
{
	const struct runbook *b;
	struct action_wish given;
	size_t from;

	*t = (struct action_target){.profile = lake->profile};
	return intended(lake, w, &b, &given, &from, why);
}

/* What a run that was cut short had begun goes on without it, perhaps. */
static void say_left_open(const struct lake *lake, const struct runbook *b, size_t i, struct step_shown *s)
{
	char subject[ACTION_SUBJECT_SIZE];

	snprintf(subject, sizeof subject, "%.100s:%zu", b->name, i + 1);
	for (size_t k = 0; k < lake->n_actions; k++) {
		const struct action_shown *a = &lake->actions[k];

		if (a->state == ACTION_OPEN && action_was_of(a, lake->profile) && !strcmp(a->wish.verb, "command") && !strcmp(a->wish.subject, subject))
			snprintf(s->words, sizeof s->words, "it was cut short; look whether its program still runs: %.100s", a->words);
	}
}

static struct run *begin(struct action_job *j, const struct lake *lake, struct conducted *c)
{
	struct run *r = mem_new(1, sizeof *r);

	j->state = r;
	r->shown.id = j->id;
	r->profile = lake->profile;
	if (!intended(lake, &j->wish, &r->book, &r->given, &r->from, c->words)) {
		c->state = ACTION_FAILED;
		return r;
	}
	snprintf(r->key, sizeof r->key, "%d.%lld.%llu", (int)getpid(), (long long)clock_wall_ms(), (unsigned long long)j->id);
	r->shown.book = r->book->name;
	r->shown.n_steps = r->book->n_steps;
	r->shown.at = r->from;
	r->shown.steps = mem_new(r->book->n_steps, sizeof *r->shown.steps);
	for (size_t i = 0; i < r->book->n_steps; i++) {
		struct book_step step;

		runbook_step(r->profile, r->book, i, &r->given, &step, NULL);
		ops_mask(j->ops, r->shown.steps[i].title, sizeof r->shown.steps[i].title, step.title);
		r->shown.steps[i].stage = i < r->from ? STAGE_PASSED : STAGE_AHEAD;
		if (i == r->from)
			say_left_open(lake, r->book, i, &r->shown.steps[i]);
	}
	return r;
}

static void free_run(void *state)
{
	struct run *r = state;

	free(r->shown.steps);
	free(r);
}

const struct run_shown *run_of(const struct action_job *j)
{
	static const struct run_shown none;

	return j->state ? &((const struct run *)j->state)->shown : &none;
}

const struct run_shown *lake_run(const struct lake *lake, uint64_t id)
{
	for (size_t i = 0; i < lake->n_runs; i++)
		if (lake->runs[i]->id == id && lake->runs[i]->n_steps)
			return lake->runs[i];
	return NULL;
}

/* ---- what its steps would do ---- */

static struct step_shown *shown_of(struct run *r)
{
	return &r->shown.steps[r->shown.at];
}

static bool is_destructive(const char *verb)
{
	for (size_t i = 0; action_specs[i]; i++)
		if (!strcmp(action_specs[i]->verb, verb))
			return action_specs[i]->destructive;
	return false;
}

static bool read_step(struct run *r, struct conducted *c)
{
	struct err err = {0};

	if (runbook_step(r->profile, r->book, r->shown.at, &r->given, &r->step, &err))
		return true;
	c->state = ACTION_FAILED;
	snprintf(c->words, sizeof c->words, "%s", err.words);
	return false;
}

static void say_not_yet(struct action_job *j, const struct run *r, struct step_shown *s, const char *why)
{
	char words[400];

	snprintf(words, sizeof words, "%s: %.300s", r->shown.at > r->from ? "as it is now, before the steps in front of it" : "as it is now", why);
	ops_mask(j->ops, s->exact, sizeof s->exact, words);
}

/* A program runs where the profile says, and that is as much a part of it as its words. */
static void say_where(struct action_job *j, const struct run *r, struct step_shown *s)
{
	const struct testdata *t = &r->profile->testdata;
	bool command = r->step.kind == STEP_IS_COMMAND, ours = command || !strcmp(r->step.wish.service, "testdata");
	const char *folder = command ? r->book->directory : ours ? t->directory : NULL;
	const char *environment = command ? r->book->environment : ours ? t->environment : NULL;
	char words[sizeof s->where], in[181], of[181];

	mask_copy(r->profile, in, sizeof in, text_of(folder), false);
	mask_copy(r->profile, of, sizeof of, text_of(environment), false);
	snprintf(words, sizeof words, "%s%s%s%s%s", folder ? "in " : "", in, folder && environment ? ", " : "", environment ? "environment of " : "", of);
	ops_mask(j->ops, s->where, sizeof s->where, words);
}

/* True: this step is known as far as it can be. */
static bool rehearse_step(struct action_job *j, const struct lake *lake, struct run *r, struct conducted *c)
{
	struct step_shown *s = shown_of(r);
	struct action_shown child;
	struct err err = {0};
	char span[CLOCK_TEXT];

	if (!r->child) {
		if (!read_step(r, c))
			return false;
		s->destructive = is_destructive(r->step.wish.verb);
		say_where(j, r, s);
		if (r->step.kind == STEP_IS_WAIT) {
			s->known = true;
			snprintf(s->exact, sizeof s->exact, "waits at most %s", clock_span(span, r->step.limit_ms));
			return true;
		}
		r->child = ops_wish_step(j->ops, lake, &r->step.wish, j->id, &err);
		if (!r->child) {
			say_not_yet(j, r, s, err.words);
			return true;
		}
		ops_forget(j->ops, r->child);
	}
	if (!ops_shown(j->ops, r->child, &child)) { /* over, and forgotten */
		r->child = 0;
		r->dropped = false;
		return true;
	}
	if (child.state == ACTION_OFFERED && !r->dropped) {
		s->known = true;
		text_copy(s->exact, sizeof s->exact, text_of(child.exact));
	} else if (child.state == ACTION_NEEDLESS && r->shown.at == r->from) {
		s->known = true;
		text_copy(s->exact, sizeof s->exact, text_of(child.words));
	} else if (action_is_over(child.state) && !s->known)
		say_not_yet(j, r, s, child.words);
	if (!action_is_over(child.state) && (child.state == ACTION_OFFERED || c->dropped)) {
		if (!r->dropped)
			ops_drop(j->ops, r->child);
		r->dropped = true;
	}
	if (!action_is_over(child.state))
		return false;
	r->child = 0;
	r->dropped = false;
	return true;
}

static void fill_exact(struct action_job *j, struct run *r)
{
	size_t len = 0, marked = 0;

	for (size_t i = r->from; i < r->book->n_steps; i++) {
		const struct step_shown *s = &r->shown.steps[i];

		marked += s->destructive;
		if (len + sizeof s->title + 60 < sizeof j->exact)
			len += (size_t)snprintf(j->exact + len, sizeof j->exact - len, "%zu%s %s\n", i + 1, s->destructive ? "!" : ".", s->title);
		else if (!strstr(j->exact, "\nand "))
			len += (size_t)snprintf(j->exact + len, sizeof j->exact - len, "and %zu more\n", r->book->n_steps - i);
	}
	snprintf(j->effect, sizeof j->effect, "%zu steps, each when the one before is done; it stops at the first that fails. %zu marked !",
		r->book->n_steps - r->from, marked);
	snprintf(j->verify, sizeof j->verify, "each step is done by its own measure");
}

static void rehearse(struct action_job *j, const struct lake *lake, struct run *r, struct conducted *c)
{
	while (r->shown.at < r->book->n_steps && c->state == ACTION_PREPARING && (r->child || !c->dropped)) {
		if (!r->child && (lake->locked || lake->replayed)) {
			c->state = ACTION_FAILED;
			snprintf(c->words, sizeof c->words, "%s", lake->locked ? lake->locked : "this is a recording");
			return;
		}
		if (!rehearse_step(j, lake, r, c)) {
			snprintf(c->words, sizeof c->words, "step %zu of %zu: finding out what exactly it would do", r->shown.at + 1, r->book->n_steps);
			return;
		}
		r->shown.at++;
	}
	if (c->state != ACTION_PREPARING)
		return;
	if (c->dropped) {
		c->state = ACTION_CANCELLED;
		snprintf(c->words, sizeof c->words, "not confirmed");
		return;
	}
	fill_exact(j, r);
	r->shown.at = r->from;
	c->state = ACTION_OFFERED;
}

/* ---- running them ---- */

static bool write_line(struct action_job *j, struct run *r, struct run_line line, struct err *err)
{
	line.key = r->key;
	line.profile = r->profile;
	line.book = r->book;
	line.given = &r->given;
	line.step = r->shown.at;
	return run_log_write(j->ops, &line, err);
}

static void end_run(struct action_job *j, struct run *r, struct conducted *c, enum action_state state)
{
	c->state = state;
	write_line(j, r, (struct run_line){.phase = RUN_ENDS, .state = state, .words = c->words,
		.ms = clock_wall_ms() - r->shown.steps[r->from].begun}, NULL);
}

static void end_step(struct action_job *j, struct run *r, struct conducted *c, enum stage stage, const char *words)
{
	struct step_shown *s = shown_of(r);
	struct text first;

	s->stage = stage;
	s->ended = clock_wall_ms();
	s->begun = s->begun ? s->begun : s->ended;
	ops_mask(j->ops, s->words, sizeof s->words, words);
	if (r->child)
		ops_forget(j->ops, r->child);
	r->child = 0;
	r->confirmed = r->dropped = false;
	if (stage == STAGE_DONE) {
		write_line(j, r, (struct run_line){.phase = RUN_STEP_DONE, .ms = s->ended - s->begun}, NULL);
		r->shown.at++;
		r->since = 0;
		return;
	}
	first = text_until(text_of(s->words), '\n');
	if (text_ends(first, LAST_WORDS))
		first.len -= sizeof LAST_WORDS - 1; /* they stand with the step */
	snprintf(c->words, sizeof c->words, "step %zu of %zu, %.100s, %s: %.*s;\nlaketop run %.40s " RUN_RESUME " goes on there", r->shown.at + 1,
		r->book->n_steps, s->title, stage_word(stage), (int)(first.len < 180 ? first.len : 180), first.at, r->book->name);
	end_run(j, r, c, stage == STAGE_FAILED ? ACTION_FAILED : ACTION_CANCELLED);
}

/* What is known of it was seen since the step began: earlier news are of before the step in front of it. */
static bool is_fresh(const struct lake *lake, const struct run *r, const char *service)
{
	const struct service *s = lake_service(lake, service);

	if (lake->facts_begun < r->since)
		return false;
	return !s || !facts_listener(lake->facts, s->at.address, s->at.port) || (s->pulse && s->pulse->begun >= r->since);
}

static bool goes_on_waiting(struct action_job *j, const struct lake *lake, struct run *r, struct conducted *c)
{
	for (size_t i = 0; i < r->step.n_conditions; i++) {
		const struct condition *one = &r->step.conditions[i];
		const struct service *s = lake_service(lake, one->service);
		char words[ACTION_WORDS_SIZE];

		if (is_fresh(lake, r, one->service) && condition_met(lake, one))
			continue;
		snprintf(words, sizeof words, "%s is %s%s%s%s%s", one->service, s ? verdict_word(s->verdict.shown.verdict) : "not known",
			s && s->verdict.shown.version[0] ? " " : "", s ? s->verdict.shown.version : "", s && s->verdict.shown.reason[0] ? ": " : "",
			s ? s->verdict.shown.reason : "");
		if (lake->now - r->since < r->step.limit_ms) {
			text_copy(c->awaits, sizeof c->awaits, text_of(one->service));
			ops_mask(j->ops, shown_of(r)->words, sizeof shown_of(r)->words, words);
			return true;
		}
		snprintf(words, sizeof words, "time is up: %.80s is %s", one->service, s ? verdict_word(s->verdict.shown.verdict) : "not known");
		end_step(j, r, c, STAGE_FAILED, words);
		return false;
	}
	end_step(j, r, c, STAGE_DONE, "met");
	return false;
}

/* False: it is over. */
static bool wish_child(struct action_job *j, const struct lake *lake, struct run *r, struct conducted *c)
{
	struct err err = {0};
	bool for_good = lake->locked || lake->replayed; /* no later look changes it */

	if (!for_good && action_is_so_already(lake, &r->step.wish) && is_fresh(lake, r, r->step.wish.service)) {
		end_step(j, r, c, STAGE_DONE, "it was so already");
		return false;
	}
	if (for_good || !action_is_so_already(lake, &r->step.wish))
		r->child = ops_wish_step(j->ops, lake, &r->step.wish, j->id, &err);
	if (r->child)
		return true;
	if (!for_good && !is_fresh(lake, r, r->step.wish.service) && lake->now - r->since < REFUSED_MS) {
		text_copy(c->awaits, sizeof c->awaits, text_of(r->step.wish.service));
		return true;
	}
	end_step(j, r, c, STAGE_FAILED, err.words[0] ? err.words : "what became of it cannot be seen");
	return false;
}

/* False: it is over. */
static bool attend_child(struct action_job *j, const struct lake *lake, struct run *r, struct conducted *c)
{
	struct step_shown *s = shown_of(r);
	struct action_shown child;
	struct err err = {0};

	if (!r->child)
		return wish_child(j, lake, r, c);
	if (!ops_shown(j->ops, r->child, &child)) {
		r->child = 0;
		end_step(j, r, c, STAGE_FAILED, "its action is gone");
		return false;
	}
	if (child.state == ACTION_OFFERED && !r->confirmed && !c->dropped) {
		text_copy(s->exact, sizeof s->exact, text_of(child.exact));
		s->known = r->confirmed = true;
		if (ops_confirm(j->ops, lake, r->child, &err))
			return true;
		ops_drop(j->ops, r->child);
		end_step(j, r, c, STAGE_FAILED, err.words);
		return false;
	}
	if (!action_is_over(child.state)) {
		if (child.words[0])
			text_copy(s->words, sizeof s->words, text_of(child.words));
		c->part = child.part;
		return true;
	}
	end_step(j, r, c, action_went_well(child.state) ? STAGE_DONE : child.state == ACTION_FAILED ? STAGE_FAILED : STAGE_CANCELLED, child.words);
	return false;
}

static bool begin_step(struct action_job *j, const struct lake *lake, struct run *r, struct conducted *c)
{
	struct step_shown *s = shown_of(r);

	if (!read_step(r, c))
		return false;
	r->since = lake->now;
	s->stage = STAGE_RUNS;
	s->begun = clock_wall_ms();
	s->words[0] = '\0';
	action_note(j, "step %zu of %zu: %.120s", r->shown.at + 1, r->book->n_steps, s->title);
	write_line(j, r, (struct run_line){.phase = RUN_STEP}, NULL);
	return true;
}

static bool is_cancelled(struct action_job *j, struct run *r, struct conducted *c)
{
	if (!c->dropped)
		return false;
	if (r->child) {
		if (!r->dropped)
			ops_drop(j->ops, r->child);
		r->dropped = true;
		return false; /* how it ended is heard */
	}
	end_step(j, r, c, STAGE_CANCELLED, "by hand");
	return true;
}

static void say_progress(struct run *r, struct conducted *c)
{
	struct step_shown *s = shown_of(r);
	double done = (double)(r->shown.at - r->from), all = (double)(r->book->n_steps - r->from);

	snprintf(c->words, sizeof c->words, "step %zu of %zu, %.120s%s%.200s", r->shown.at + 1, r->book->n_steps, s->title,
		s->words[0] ? ": " : "", s->words);
	c->part = (done + (isnan(c->part) ? 0 : c->part)) / all;
}

static void go_on(struct action_job *j, const struct lake *lake, struct run *r, struct conducted *c)
{
	char span[CLOCK_TEXT];
	struct err err = {0};
	bool waits = false;

	if (!r->begun && !write_line(j, r, (struct run_line){.phase = RUN_BEGINS}, &err)) {
		c->state = ACTION_FAILED;
		snprintf(c->words, sizeof c->words, "%s", err.words);
		return;
	}
	r->begun = true;
	while (c->state == ACTION_RUNNING && r->shown.at < r->book->n_steps && !waits) {
		if ((!r->since && !c->dropped && !begin_step(j, lake, r, c)) || is_cancelled(j, r, c))
			return;
		waits = r->step.kind == STEP_IS_WAIT ? goes_on_waiting(j, lake, r, c) : attend_child(j, lake, r, c);
	}
	if (c->state != ACTION_RUNNING)
		return;
	if (waits) {
		say_progress(r, c);
		return;
	}
	snprintf(c->words, sizeof c->words, "%zu steps in %s", r->book->n_steps - r->from,
		clock_span(span, clock_wall_ms() - r->shown.steps[r->from].begun));
	end_run(j, r, c, ACTION_DONE);
}

static void conduct(struct action_job *j, const struct lake *lake, struct conducted *c)
{
	struct run *r = j->state ? j->state : begin(j, lake, c);

	if (c->state == ACTION_PREPARING)
		rehearse(j, lake, r, c);
	else if (c->state == ACTION_RUNNING)
		go_on(j, lake, r, c);
}

void run_cut_short(struct action_job *j)
{
	struct run *r = j->state;
	struct conducted c = {.words = "laketop ended"};

	if (r && r->begun)
		end_run(j, r, &c, ACTION_CANCELLED);
}

const struct action_spec action_run = {
	.verb = "run", .help = "the steps of a runbook of the profile, one after the other", .on = ON_PROFILE, .options = any_option, .hint = hint,
	.destructive = true,
	.limit_ms = 86400000, .offer = offer, .conduct = conduct, .free = free_run,
};
