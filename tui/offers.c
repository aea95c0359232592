// SPDX-License-Identifier: MIT
/* See offers.h. Of each runbook two: to run it, and, where its last run was not done, to go on with it. */
#include "offers.h"

#include <stdio.h>
#include <string.h>

#include "profile.h"
#include "runbook.h"

static const char *const testdata_verbs[TESTDATA_COUNT] = {"generate", "load", "stream", "stats", "clean"};

static const struct profile *profile_of(const struct lake *lake)
{
	static const struct profile none;

	return lake->profile ? lake->profile : &none;
}

int offers_end(const struct lake *lake)
{
	return 2 * (int)profile_of(lake)->n_runbooks + TESTDATA_COUNT;
}

static void weigh(const struct lake *lake, struct offer *o)
{
	const struct action_spec *spec = action_spec_of(o->wish.verb, ON_PROFILE);
	char why[200] = "";

	o->can = spec && action_offered(lake, spec, &o->wish, why);
	o->destructive = spec && spec->destructive;
	if (!o->can)
		snprintf(o->detail, sizeof o->detail, "%s", why);
}

/* Something has to be typed before it is known what its steps are: a variable that has no value, or a secret, which was not kept. */
static bool is_askable(const struct lake *lake, const struct runbook *b, bool resume)
{
	const struct run_last *last = run_last_of(lake->last_runs, lake->n_last_runs, b->name);
	struct book_variable list[ACTION_OPTIONS_MAX];
	bool lacks = false;

	if (lake->locked || lake->replayed || (last && last->state == ACTION_RUNNING) || (resume && last->print != runbook_print(b)))
		return false;
	for (size_t i = runbook_variables(lake->profile, b, list); i-- > 0;) {
		const char *value = resume ? wish_option(&last->wish, list[i].name) : NULL;

		lacks = lacks || (value ? strstr(value, "***") != NULL : !list[i].value);
	}
	return lacks;
}

static bool get_book(const struct lake *lake, const struct runbook *b, bool resume, struct offer *out)
{
	const struct run_last *last = run_last_of(lake->last_runs, lake->n_last_runs, b->name);
	char ago[CLOCK_TEXT] = "";

	if (resume && (!last || last->state == ACTION_DONE || last->state == ACTION_RUNNING))
		return false;
	text_copy(out->wish.verb, sizeof out->wish.verb, TEXT("run"));
	text_copy(out->wish.subject, sizeof out->wish.subject, text_of(b->name));
	if (resume)
		wish_option_set(&out->wish, RUN_RESUME, "yes");
	snprintf(out->title, sizeof out->title, "%s %s", resume ? "resume" : "run", b->name);
	if (last)
		clock_span(ago, lake->wall - (last->ended ? last->ended : last->begun));
	if (resume)
		snprintf(out->detail, sizeof out->detail, "go on at step %zu of %zu: its last run was %s %s ago", last->step, last->n_steps,
			last->state == ACTION_OPEN ? "cut short" : action_state_word(last->state), ago);
	else
		snprintf(out->detail, sizeof out->detail, "%s%s%zu step%s%s%s%s%s%s", b->about ? b->about : "", b->about ? "; " : "", b->n_steps,
			b->n_steps == 1 ? "" : "s",
			last ? ", last run " : ", never run", last ? last->state == ACTION_OPEN ? "cut short" : action_state_word(last->state) : "",
			last ? " " : "", ago, last ? " ago" : "");
	return true;
}

bool offer_get(const struct lake *lake, int number, struct offer *out)
{
	const struct profile *p = profile_of(lake);
	int books = 2 * (int)p->n_runbooks;
	char detail[sizeof out->detail];

	*out = (struct offer){.can = false};
	if (number < 0 || number >= books + TESTDATA_COUNT)
		return false;
	if (number < books) {
		if (!get_book(lake, &p->runbooks[number / 2], number % 2, out))
			return false;
	} else {
		const char *verb = testdata_verbs[number - books];
		const struct action_spec *spec = action_spec_of(verb, ON_PROFILE);

		if (!p->testdata.argv[number - books])
			return false;
		text_copy(out->wish.verb, sizeof out->wish.verb, text_of(verb));
		text_copy(out->wish.service, sizeof out->wish.service, TEXT("testdata"));
		snprintf(out->title, sizeof out->title, "%s testdata", verb);
		snprintf(out->detail, sizeof out->detail, "%s", spec ? spec->help : "");
	}
	text_copy(detail, sizeof detail, text_of(out->detail));
	weigh(lake, out);
	if (!out->can && number < books && is_askable(lake, &p->runbooks[number / 2], number % 2)) {
		out->can = true;
		text_copy(out->detail, sizeof out->detail, text_of(detail));
	}
	return true;
}
