// SPDX-License-Identifier: MIT
/*
 * [runbook NAME] and [testdata] of a profile. A step is kept as its words; what it means is asked of
 * runbook.h, so that an error is found at load where no variable hides it.
 */
#include <string.h>

#include "catalog.h"
#include "profile_reader.h"
#include "runbook.h"

enum { RUNBOOKS_MAX = 50, VARIABLES_MAX = ACTION_OPTIONS_MAX - 2 }; /* a wish to run one also says from where, and that it goes on */

struct runbook_draft {
	struct runbook book;
	struct runbook_step steps[STEPS_MAX];
	struct runbook_variable variables[VARIABLES_MAX];
};

/* ---- runbooks ---- */

static bool take_step(struct reader *r, const struct key *key, struct text value)
{
	struct runbook_draft *d = r->target;
	struct runbook_step *step;
	const char *const *words;

	if (d->book.n_steps == STEPS_MAX)
		return complain(r, "a runbook has at most %d steps", STEPS_MAX);
	if (!take_words(r, key, value, &words))
		return false;
	if (!words[0])
		return complain(r, "a step says what is done: start SERVICE, do VERB ..., wait SERVICE=VERDICT 60s, command PROGRAM ...");
	if (!strcmp(words[0], "command") && words[1] && strchr(words[1], '/') && words[1][0] != '$') {
		const char **own = (const char **)(uintptr_t)words; /* nobody else has it yet */

		own[1] = resolved(r, text_of(words[1]));
	}
	step = &d->steps[d->book.n_steps++];
	*step = (struct runbook_step){words, r->line};
	return true;
}

/* var.NAME; "" in quotes is an empty value. */
static bool other_key(struct reader *r, const char *name, struct text value, bool *taken)
{
	struct runbook_draft *d = r->target;
	struct text variable = text_of(name);
	struct runbook_variable *v;

	*taken = text_skip(&variable, "var.");
	if (!*taken)
		return true;
	if (!name_is_fit(variable) || memchr(variable.at, '-', variable.len) || memchr(variable.at, '.', variable.len) ||
		variable.len >= ACTION_VERB_SIZE)
		return complain(r, "var.NAME needs a name of letters, digits and _ (at most %d)", ACTION_VERB_SIZE - 1);
	for (size_t i = 0; i < d->book.n_variables; i++)
		if (text_is(variable, d->variables[i].name))
			return complain(r, "\"%s\" is set twice", name);
	if (d->book.n_variables == VARIABLES_MAX)
		return complain(r, "a runbook has at most %d variables", VARIABLES_MAX);
	if (value.len >= 2 && value.at[0] == '"' && value.at[value.len - 1] == '"')
		value = (struct text){value.at + 1, value.len - 2};
	if (value.len >= VARIABLE_SIZE)
		return complain(r, "%s is longer than %d bytes", name, VARIABLE_SIZE - 1);
	v = &d->variables[d->book.n_variables++];
	*v = (struct runbook_variable){kept(r, variable), kept(r, value)};
	return true;
}

static bool begin_runbook(struct reader *r, struct text name)
{
	struct runbook_draft *d;

	for (size_t i = 0; i < r->n_runbooks; i++)
		if (text_is(name, r->runbooks[i].book.name))
			return complain(r, "runbook \"%s\" is there already, from line %u", r->runbooks[i].book.name, r->runbooks[i].book.line);
	if (r->n_runbooks == RUNBOOKS_MAX)
		return complain(r, "more than %d runbooks", RUNBOOKS_MAX);
	if (!r->runbooks)
		r->runbooks = mem_new(RUNBOOKS_MAX, sizeof *r->runbooks);
	d = &r->runbooks[r->n_runbooks++];
	d->book = (struct runbook){.name = kept(r, name), .line = r->line};
	r->target = d;
	return true;
}

/* draft begins with its book, so that offsets hold for both */
#define OF(member) offsetof(struct runbook, member)
static const struct key runbook_keys[] = {
	{"about", take_text, OF(about), false},
	{"step", take_step, OF(steps), true},
	{"directory", take_path, OF(directory), false},
	{"environment", take_path, OF(environment), false},
	{"limit", take_span, OF(limit_ms), false},
	{0},
};
const struct section section_runbook = {"runbook", runbook_keys, begin_runbook, other_key};

/* ---- test data ---- */

#define OF_TESTDATA(member) offsetof(struct profile, testdata.member)
static const struct key testdata_keys[] = {
	{"generate", take_argv, OF_TESTDATA(argv[TESTDATA_GENERATE]), false},
	{"load", take_argv, OF_TESTDATA(argv[TESTDATA_LOAD]), false},
	{"stream", take_argv, OF_TESTDATA(argv[TESTDATA_STREAM]), false},
	{"stats", take_argv, OF_TESTDATA(argv[TESTDATA_STATS]), false},
	{"clean", take_argv, OF_TESTDATA(argv[TESTDATA_CLEAN]), false},
	{"directory", take_path, OF_TESTDATA(directory), false},
	{"environment", take_path, OF_TESTDATA(environment), false},
	{"limit", take_span, OF_TESTDATA(limit_ms), false},
	{0},
};
const struct section section_testdata = {"testdata", testdata_keys, NULL, NULL};

/* ---- what can only be said of the whole ---- */

/* Whom an action of a step is about, where no variable says it: a misspelt name is found before it is run. */
static bool check_subject(struct reader *r, const struct runbook_step *step, const struct book_step *s)
{
	const struct action_spec *spec = NULL;
	const char *const names[] = {s->wish.service, NULL};
	struct spelling spelling;

	for (size_t i = 0; action_specs[i] && !spec; i++)
		if (!strcmp(action_specs[i]->verb, s->wish.verb))
			spec = action_specs[i];
	if (!spec || spec->on == ON_PROFILE)
		return true;
	if (spec->on != ON_TABLE)
		return check_names(r, names, step->line, "step with unknown service");
	if (profile_catalog(&r->out->profile, s->wish.service))
		return true;
	spelling_begin(&spelling, s->wish.service);
	for (size_t i = 0; i < r->out->profile.n_catalogs; i++)
		spelling_offer(&spelling, r->out->profile.catalogs[i].name);
	return spelling_complain(r, step->line, &spelling, "step with unknown catalog", " catalogs: ");
}

static bool check_waits(struct reader *r, const struct runbook_step *step, const struct book_step *s)
{
	for (size_t i = 0; i < s->n_conditions; i++) {
		const char *const names[] = {s->conditions[i].service, NULL};

		if (!check_names(r, names, step->line, "step waits for unknown service"))
			return false;
	}
	return true;
}

static bool has_variables(const struct runbook_step *step)
{
	for (const char *const *w = step->words; *w; w++)
		if (strchr(*w, '$'))
			return true;
	return false;
}

static bool settle_step(struct reader *r, const struct runbook *b, size_t i)
{
	const struct runbook_step *step = &b->steps[i];
	struct book_step s;
	struct err why = {0};

	if (has_variables(step))
		return runbook_step_fits(step, &why) || complain_at(r, step->line, "%s", why.words);
	if (!runbook_step(NULL, b, i, NULL, &s, &why))
		return complain_at(r, step->line, "%s", why.words);
	return s.kind == STEP_IS_WAIT ? check_waits(r, step, &s) : check_subject(r, step, &s);
}

bool settle_runbooks(struct reader *r)
{
	struct profile *p = &r->out->profile;
	struct runbook *books = arena_alloc(p->arena, (r->n_runbooks + 1) * sizeof *books);

	for (size_t i = 0; books && i < r->n_runbooks; i++) {
		struct runbook_draft *d = &r->runbooks[i];
		struct runbook_step *steps = arena_alloc(p->arena, (d->book.n_steps + 1) * sizeof *steps);
		struct runbook_variable *variables = arena_alloc(p->arena, (d->book.n_variables + 1) * sizeof *variables);
		struct book_variable all[ACTION_OPTIONS_MAX];

		if (!d->book.n_steps)
			return complain_at(r, d->book.line, "runbook \"%s\" has no step (step = restart kafka)", d->book.name);
		if (!steps || !variables)
			return complain(r, "the profile is too large");
		memcpy(steps, d->steps, d->book.n_steps * sizeof *steps);
		memcpy(variables, d->variables, d->book.n_variables * sizeof *variables);
		d->book.steps = steps;
		d->book.variables = variables;
		for (size_t k = 0; k < d->book.n_steps; k++)
			if (!settle_step(r, &d->book, k))
				return false;
		if (runbook_variables(p, &d->book, all) > VARIABLES_MAX)
			return complain_at(r, d->book.line, "runbook \"%s\" uses more than %d variables", d->book.name, VARIABLES_MAX);
		books[i] = d->book;
	}
	p->runbooks = books;
	p->n_runbooks = books ? r->n_runbooks : 0;
	return books || complain(r, "the profile is too large");
}
