// SPDX-License-Identifier: MIT
/*
 * What a verb takes, typed before it is wished: a line for each, empty where it stays as it is. And the
 * same wish for several things: one list, one yes, one after another. See acting.h.
 */
#include <stdio.h>
#include <string.h>

#include "acting.h"
#include "keymap.h"

enum { LABEL = 14, FIELD = 26 };

/* ---- the form ---- */

void acting_form(struct acting *a, const struct action_wish *filled)
{
	a->mode = ACTING_FORM;
	a->n_values = a->value = 0;
	for (; a->spec->options && a->spec->options[a->n_values] && strcmp(a->spec->options[a->n_values], "*") != 0 &&
	     a->n_values < ACTION_OPTIONS_MAX; a->n_values++) {
		const char *value = filled ? wish_option(filled, a->spec->options[a->n_values]) : NULL;

		prompt_set(&a->values[a->n_values], value ? value : "");
	}
}

static enum acting_key wishes(struct acting *a)
{
	a->on.n_options = 0;
	for (size_t i = 0; i < a->n_values; i++)
		if (a->values[i].len)
			wish_option_set(&a->on, a->spec->options[i], a->values[i].s);
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
	int width = c->width - LABEL - 2 < FIELD ? c->width - LABEL - 2 : FIELD;

	canvas_clear(c);
	canvas_printf(c, 0, 1, -1, a->spec->destructive ? STYLE_WARN : STYLE_TITLE, "%s %.60s%s%.100s", a->spec->verb,
		a->n_marks ? "what is marked" : a->on.service, a->n_marks ? "" : " ", a->n_marks ? "" : a->on.subject);
	for (size_t i = 0; i < a->n_values && 2 + (int)i < c->height - 1; i++) {
		char hint[200] = "";
		int at;

		if (a->spec->hint)
			a->spec->hint(lake, &a->on, a->spec->options[i], hint);
		canvas_text(c, 2 + (int)i, 1, LABEL - 1, STYLE_DIM, a->spec->options[i]);
		at = prompt_draw(&a->values[i], c, 2 + (int)i, LABEL, width, "");
		canvas_text(c, 2 + (int)i, LABEL + width + 2, -1, STYLE_DIM, hint);
		if (i == a->value) {
			*y = 2 + (int)i;
			*x = at;
		}
	}
	canvas_parts(c, 3 + (int)a->n_values < c->height ? 3 + (int)a->n_values : c->height - 1, 1, c->width - 2, STYLE_KEY,
		"Enter shows what it would do   Esc leaves   Tab next line; empty: as it stands");
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
	if (n.going)
		return key == 'c' ? ACTING_DROPS : leaves ? ACTING_CLOSES : ACTING_STAYS;
	if (key == 'f')
		a->go_on = !a->go_on;
	if (!n.preparing && n.offered && (key == 'y' || key == 'Y'))
		return confirms(a, lake);
	if (leaves || key == 'n' || key == 'N')
		return n.preparing || n.offered ? ACTING_DROPS : ACTING_CLOSES;
	return ACTING_STAYS;
}

static void put(struct canvas *c, int *line, int top, int x, enum style style, const char *label, const char *s)
{
	struct text rest = text_of(s), one;
	char words[ACTION_EXACT_SIZE];

	while (text_line(&rest, &one)) {
		int y = 1 + (*line)++ - top;

		if (y >= 1 && y < c->height - 1) {
			canvas_text(c, y, x, LABEL - 1, STYLE_DIM, label);
			canvas_text(c, y, LABEL + 1, -1, style, text_copy(words, sizeof words, one));
		}
		label = "";
	}
}

static void draw_question(const struct acting *a, const struct sums *n, struct canvas *c)
{
	int y = c->height - 1;
	char words[120];

	if (n->going)
		snprintf(words, sizeof words, "%zu of %zu are over   c cancels what is not   Esc leaves them running (X lists them)", n->over, a->n_marks);
	else if (n->preparing)
		snprintf(words, sizeof words, "finding out what it would do to each   Esc leaves   nothing is changed yet");
	else if (n->offered)
		snprintf(words, sizeof words, "Run these %zu, one after another? [y/N]   f: %s after a failure", n->offered, a->go_on ? "stop" : "go on");
	else
		snprintf(words, sizeof words, "Esc closes");
	canvas_parts(c, y, 1, c->width - 2, STYLE_KEY, words);
}

void acting_many_draw(struct acting *a, const struct lake *lake, struct canvas *c)
{
	struct sums n = count(a, lake);
	char title[ACTION_SUBJECT_SIZE + NAME_SIZE + 4];
	int line = 0, most = 4 * (int)a->n_marks - (c->height - 2);

	canvas_clear(c);
	a->top = a->top > most ? most : a->top;
	a->top = a->top < 0 ? 0 : a->top;
	canvas_printf(c, 0, 1, -1, a->spec->destructive ? STYLE_WARN : STYLE_TITLE, "%s %zu, one after another", a->spec->verb, a->n_marks);
	for (size_t i = 0; i < a->n_marks; i++) {
		const struct action_shown *s = a->many[i] ? lake_action(lake, a->many[i]) : NULL;
		enum style style = s ? action_style(s) : STYLE_WARN;

		snprintf(title, sizeof title, "%s %s", a->marks[i].service, a->marks[i].subject);
		put(c, &line, a->top, 1, STYLE_TITLE, s ? action_state_word(s->state) : a->many[i] ? "" : "not this", title);
		if (s && s->exact[0] && !action_is_over(s->state))
			put(c, &line, a->top, 4, STYLE_NORMAL, "runs", s->exact);
		if (s && s->effect[0] && (s->state == ACTION_OFFERED || s->state == ACTION_QUEUED))
			put(c, &line, a->top, 4, STYLE_NORMAL, "effect", s->effect);
		if (s ? s->words[0] != '\0' : a->refused[i][0] != '\0')
			put(c, &line, a->top, 4, style, s && !action_is_over(s->state) ? "now" : "", s ? s->words : a->refused[i]);
	}
	draw_question(a, &n, c);
}
