// SPDX-License-Identifier: MIT
/*
 * See offers.h. Of each runbook two: to run it, and, where its last run was not done, to go on with it. Of services all that are required,
 * and of kinds such as spark-something all of a version: as laketop start all, laketop stop spark --version 4.1.
 */
#include "offers.h"

#include <stdio.h>
#include <string.h>

#include "order.h"
#include "profile.h"
#include "runbook.h"
#include "service.h"

enum { GROUPS_MAX = 64, GROUP_VERBS = 2 };

static const char *const testdata_verbs[TESTDATA_COUNT] = {"generate", "load", "stream", "stats", "clean"};

static const struct profile *profile_of(const struct lake *lake)
{
	static const struct profile none;

	return lake->profile ? lake->profile : &none;
}

/* ---- several services ---- */

struct group {
	char name[NAME_SIZE];
	const char *version; /* NULL: any */
	size_t n;            /* how many there are */
};

static void add_group(struct group *groups, size_t *n, struct text name, const char *version)
{
	size_t i = 0;

	while (i < *n && (!text_is(name, groups[i].name) || strcmp(groups[i].version ? groups[i].version : "", version ? version : "") != 0))
		i++;
	if (i == GROUPS_MAX)
		return;
	if (i == *n) {
		groups[i] = (struct group){.version = version};
		text_copy(groups[i].name, sizeof groups[i].name, name);
		(*n)++;
	}
	groups[i].n++;
}

static bool is_of_versions(const struct lake *lake, struct text family)
{
	const char *first = NULL;

	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *s = lake->services[i];

		if (!s->expected || !s->expected->version || !s->kind || strncmp(s->kind->name, family.at, family.len) != 0 ||
			s->kind->name[family.len] != '-')
			continue;
		if (first && strcmp(first, s->expected->version) != 0)
			return true;
		first = s->expected->version;
	}
	return false;
}

/* In the order of the profile, "all" first. */
static size_t find_groups(const struct lake *lake, struct group groups[GROUPS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < lake->n_services; i++)
		if (lake->services[i]->required && lake->services[i]->expected)
			add_group(groups, &n, TEXT("all"), NULL);
	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *s = lake->services[i];
		struct text family = s->kind ? text_until(text_of(s->kind->name), '-') : TEXT("");
		char name[NAME_SIZE];

		if (!s->expected || !family.len || !s->kind->name[family.len] || lake_service(lake, text_copy(name, sizeof name, family)))
			continue;
		if (!is_of_versions(lake, family))
			add_group(groups, &n, family, NULL);
		else if (s->expected->version)
			add_group(groups, &n, family, s->expected->version);
	}
	return n;
}

int offers_end(const struct lake *lake)
{
	struct group groups[GROUPS_MAX];

	return 2 * (int)profile_of(lake)->n_runbooks + TESTDATA_COUNT + GROUP_VERBS * (int)find_groups(lake, groups);
}

static bool get_group(const struct lake *lake, int number, struct offer *out)
{
	const char *verb = number % GROUP_VERBS ? "stop" : "start";
	struct group groups[GROUPS_MAX];
	const struct group *g = &groups[number / GROUP_VERBS];
	struct order order = {.n = 0};
	size_t len = 0, more = 0;

	if ((size_t)(number / GROUP_VERBS) >= find_groups(lake, groups) || g->n < 2)
		return false;
	order_add(&order, lake, g->name, g->version, !strcmp(verb, "start"));
	if (!strcmp(verb, "stop"))
		order_reverse(&order, lake);
	text_copy(out->wish.verb, sizeof out->wish.verb, text_of(verb));
	snprintf(out->title, sizeof out->title, "%s %.40s%s%.20s", verb, g->name, g->version ? " " : "", g->version ? g->version : "");
	for (size_t i = 0; i < order.n; i++) {
		if (order_needs_nothing(lake, order.list[i], verb))
			continue;
		if (out->n_marks == ACTION_MARKS_MAX) {
			more++;
			continue;
		}
		text_copy(out->marks[out->n_marks++].service, NAME_SIZE, text_of(order.list[i]->name));
		len += len + 80 < sizeof out->detail ? (size_t)snprintf(out->detail + len, sizeof out->detail - len, "%s%.60s", len ? ", " : "",
			order.list[i]->name) : 0;
	}
	out->destructive = !strcmp(verb, "stop");
	out->can = out->n_marks && !more && !lake->locked && !lake->replayed;
	if (lake->locked || lake->replayed)
		snprintf(out->detail, sizeof out->detail, "%s", lake->locked ? lake->locked : "this is a recording");
	else if (more)
		snprintf(out->detail, sizeof out->detail, "more than %d services: name some of them", ACTION_MARKS_MAX);
	else if (!out->n_marks)
		snprintf(out->detail, sizeof out->detail, "nothing to do: all %zu %s", g->n, out->destructive ? "are down" : "serve");
	return true;
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
	if (number < 0)
		return false;
	if (number >= books + TESTDATA_COUNT)
		return get_group(lake, number - books - TESTDATA_COUNT, out);
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
