// SPDX-License-Identifier: MIT
/*
 * What a verb takes, typed before it is wished: a line for each, empty where it stays as it is. And the
 * same wish for several things: one list, one yes, one after another. See acting.h.
 */
#include <stdio.h>
#include <string.h>

#include "acting.h"
#include "keymap.h"
#include "runbook.h"

enum { LABEL = 14, FIELD = 26, SUBJECT_AT = 11 };

/* ---- the form ---- */

static void add_field(struct acting *a, const char *name, const char *was, const struct action_wish *filled)
{
	const char *typed = filled ? wish_option(filled, name) : NULL;
	size_t i = a->n_values++;

	text_copy(a->names[i], sizeof a->names[i], text_of(name));
	prompt_set(&a->values[i], was);
	text_copy(a->was[i], sizeof a->was[i], text_of(a->values[i].s));
	if (typed)
		prompt_set(&a->values[i], typed);
}

/* What a line of a wish says that nobody types: a resumed run is one. */
static bool is_no_field(const char *option)
{
	return option[0] == '-';
}

/* Its variables: as they are by themselves, or, of one that is resumed, as they were. */
static void add_variables(struct acting *a, const struct lake *lake, const struct action_wish *filled)
{
	const struct runbook *b = lake->profile ? profile_runbook(lake->profile, a->on.subject) : NULL;
	const struct run_last *last = wish_option(&a->on, RUN_RESUME) ? run_last_of(lake->last_runs, lake->n_last_runs, a->on.subject) : NULL;
	struct book_variable list[ACTION_OPTIONS_MAX];
	size_t n = b ? runbook_variables(lake->profile, b, list) : 0, most = ACTION_OPTIONS_MAX;

	for (size_t i = 0; i < a->on.n_options; i++)
		most -= is_no_field(a->on.options[i].name);
	for (size_t i = 0; i < n && i < most; i++) {
		const char *was = last ? wish_option(&last->wish, list[i].name) : NULL;

		if (was && strstr(was, "***"))
			was = "";
		add_field(a, list[i].name, was ? was : list[i].value && !list[i].secret ? list[i].value : "", filled);
	}
}

void acting_form(struct acting *a, const struct lake *lake, const struct action_wish *filled)
{
	a->mode = ACTING_FORM;
	a->n_values = a->value = 0;
	a->why[0] = '\0';
	if (a->spec->options == any_option && a->spec->conduct)
		add_variables(a, lake, filled);
	for (const char *const *name = a->spec->options; name && name != any_option && *name && a->n_values < ACTION_OPTIONS_MAX; name++)
		add_field(a, *name, "", filled);
}

bool acting_refused(struct acting *a, const char *why)
{
	if (!a->n_values || a->mode != ACTING_ONE)
		return false;
	a->mode = ACTING_FORM;
	text_clean(a->why, sizeof a->why, text_of(why));
	return true;
}

static enum acting_key wishes(struct acting *a)
{
	struct action_wish on = a->on;

	a->on.n_options = 0;
	for (size_t i = 0; i < on.n_options; i++)
		if (is_no_field(on.options[i].name))
			wish_option_set(&a->on, on.options[i].name, on.options[i].value);
	for (size_t i = 0; i < a->n_values; i++)
		if (a->values[i].len && strcmp(a->values[i].s, a->was[i]) != 0)
			wish_option_set(&a->on, a->names[i], a->values[i].s);
	a->why[0] = '\0';
	a->top = 0;
	a->n_run = 0;
	a->go_on = false;
	memset(a->many, 0, sizeof a->many);
	memset(a->refused, 0, sizeof a->refused);
	if (a->n_marks)
		a->mode = ACTING_MANY;
	else
		acting_one(a, 0);
	return ACTING_WISHES;
}

enum acting_key acting_form_key(struct acting *a, int key)
{
	if (key == K_ESCAPE)
		return ACTING_CLOSES;
	if (key == K_ENTER)
		return wishes(a);
	if (!a->n_values)
		return ACTING_STAYS;
	if (key == K_TAB || key == K_DOWN)
		a->value = (a->value + 1) % a->n_values;
	else if (key == K_BACK_TAB || key == K_UP)
		a->value = (a->value + a->n_values - 1) % a->n_values;
	else
		prompt_key(&a->values[a->value], key);
	return ACTING_STAYS;
}

void acting_form_draw(const struct acting *a, const struct lake *lake, struct canvas *c, int *y, int *x)
{
	int width = c->width - LABEL - 2 < FIELD ? c->width - LABEL - 2 : FIELD, beside = c->width - LABEL - width - 3, gap = c->height < 12 ? 0 : 1;
	int rows = c->height - 2 - 2 * gap, line = 1 + gap;
	char words[REASON_SIZE] = "";
	size_t first;

	canvas_clear(c);
	canvas_printf(c, 0, 1, -1, a->spec->destructive ? STYLE_WARN : STYLE_TITLE, "%s %.60s%s%.100s", a->spec->verb,
		a->n_marks ? "what is marked" : a->on.service, a->n_marks || !a->on.service[0] ? "" : " ", a->n_marks ? "" : a->on.subject);
	rows = a->why[0] || beside < FIELD ? rows - 2 : rows; /* words stand below */
	rows = rows < 1 ? 1 : rows;
	first = a->value >= (size_t)rows ? a->value - (size_t)rows + 1 : 0;
	for (size_t i = first; i < a->n_values && i < first + (size_t)rows; i++, line++) {
		char hint[200] = "";
		int at;

		if (a->spec->hint)
			a->spec->hint(lake, &a->on, a->names[i], hint);
		canvas_text(c, line, 1, LABEL - 1, STYLE_DIM, a->names[i]);
		at = prompt_draw(&a->values[i], c, line, LABEL, width, "");
		if (canvas_columns(c, hint) <= beside)
			canvas_text(c, line, LABEL + width + 2, -1, STYLE_DIM, hint);
		else if (i == a->value)
			text_copy(words, sizeof words, text_of(hint));
		if (i == a->value) {
			*y = line;
			*x = at;
		}
	}
	canvas_parts(c, line + gap, 1, c->width - 2, STYLE_KEY, "Enter shows what exactly   Esc leaves   Tab next line; empty: as it stands");
	if (a->why[0] || words[0])
		action_why_draw(c, line + gap + 1, a->why[0] ? a->why : words);
}

/* ---- several ---- */

void acting_many(struct acting *a, size_t at, uint64_t id, const char *refused)
{
	a->many[at] = id;
	text_copy(a->refused[at], sizeof a->refused[at], text_of(id ? "" : refused));
}

struct sums { size_t preparing, offered, going, over; };

static struct sums count(const struct acting *a, const struct lake *lake)
{
	struct sums n = {0};

	for (size_t i = 0; i < a->n_marks; i++) {
		const struct action_shown *s = a->many[i] ? lake_action(lake, a->many[i]) : NULL;

		n.preparing += a->many[i] && (!s || s->state == ACTION_PREPARING);
		n.offered += s && s->state == ACTION_OFFERED;
		n.over += !a->many[i] || (s && action_is_over(s->state));
	}
	n.going = a->n_marks - n.preparing - n.offered - n.over;
	return n;
}

static enum acting_key confirms(struct acting *a, const struct lake *lake)
{
	a->n_run = 0;
	for (size_t i = 0; i < a->n_marks; i++) {
		const struct action_shown *s = a->many[i] ? lake_action(lake, a->many[i]) : NULL;

		if (s && s->state == ACTION_OFFERED)
			a->run[a->n_run++] = s->id;
	}
	return a->n_run ? ACTING_CONFIRMS : ACTING_STAYS;
}

enum acting_key acting_many_key(struct acting *a, const struct lake *lake, int key)
{
	struct sums n = count(a, lake);
	bool leaves = key == K_ESCAPE || key == 'q' || key == K_BACKSPACE;

	if (key == 'j' || key == K_DOWN || key == K_PAGE_DOWN)
		a->top += key == K_PAGE_DOWN ? 10 : 1;
	if (key == 'k' || key == K_UP || key == K_PAGE_UP)
		a->top -= key == K_PAGE_UP ? 10 : 1;
	if (key == 'g' || key == K_HOME || key == 'G' || key == K_END)
		a->top = key == 'G' || key == K_END ? 1 << 20 : 0;
	if (n.going)
		return key == 'c' ? ACTING_DROPS : leaves ? ACTING_CLOSES : ACTING_STAYS;
	if (key == 'f')
		a->go_on = !a->go_on;
	if (!n.preparing && n.offered && (key == 'y' || key == 'Y'))
		return confirms(a, lake);
	if (leaves || key == 'n' || key == 'N' || (key == K_ENTER && !n.preparing))
		return n.preparing || n.offered ? ACTING_DROPS : ACTING_CLOSES;
	return ACTING_STAYS;
}

static void draw_question(const struct acting *a, const struct sums *n, int below, struct canvas *c)
{
	int y = c->height - 1;
	char words[120], more[40] = "";

	if (below > 0)
		snprintf(more, sizeof more, "   %d below: j k", below);

	if (n->going)
		snprintf(words, sizeof words, "%zu of %zu are over%s   c cancels the rest   Esc leaves them running (X lists them)", n->over, a->n_marks, more);
	else if (n->preparing)
		snprintf(words, sizeof words, "finding out what it does   Esc leaves   nothing is changed yet");
	else if (n->offered)
		snprintf(words, sizeof words, "Run these %zu? [y/N]%s   f: %s after a failure", n->offered, more, a->go_on ? "stop" : "go on");
	else
		snprintf(words, sizeof words, "Esc closes%s", more);
	canvas_parts(c, y, 1, c->width - 2, STYLE_KEY, words);
}

/* Returns the lines used; on a canvas without any they are only counted. */
static int draw_each(const struct acting *a, const struct lake *lake, struct canvas *c, int top)
{
	int y = -top;

	for (size_t i = 0; i < a->n_marks; i++) {
		const struct action_shown *s = a->many[i] ? lake_action(lake, a->many[i]) : NULL;
		bool ahead = s && (s->state == ACTION_OFFERED || s->state == ACTION_QUEUED);

		int at = 1 + canvas_text(c, y, 1, -1, STYLE_DIM, s ? action_state_word(s->state) : a->many[i] ? "" : "not this");

		canvas_printf(c, y++, at < SUBJECT_AT ? SUBJECT_AT : at + 1, -1, STYLE_TITLE, "%s %s", a->marks[i].service, a->marks[i].subject);
		if (s && !action_is_over(s->state))
			y += action_part_draw(c, y, "runs", STYLE_NORMAL, s->exact);
		if (ahead)
			y += action_part_draw(c, y, "effect", STYLE_NORMAL, s->effect);
		if (s)
			y += action_part_draw(c, y, action_is_over(s->state) ? "" : "now", action_style(s), s->words);
		else
			y += action_part_draw(c, y, "", STYLE_WARN, a->refused[i]);
	}
	return y + top;
}

void acting_many_draw(struct acting *a, const struct lake *lake, struct canvas *c)
{
	struct sums n = count(a, lake);
	struct canvas body = canvas_part(c, 1, 0, c->height > 2 ? c->height - 2 : 0, c->width), nowhere = body;
	int below;

	canvas_clear(c);
	nowhere.height = 0;
	below = draw_each(a, lake, &nowhere, 0) - body.height;
	a->top = a->top > below ? below : a->top;
	a->top = a->top < 0 ? 0 : a->top;
	canvas_printf(c, 0, 1, -1, a->spec->destructive ? STYLE_WARN : STYLE_TITLE, "%s %zu, one after another", a->spec->verb, a->n_marks);
	draw_each(a, lake, &body, a->top);
	draw_question(a, &n, below - a->top, c);
}
