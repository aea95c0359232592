// SPDX-License-Identifier: MIT
/*
 * A run of a runbook on the screen: every step with what exactly it would do, before the one yes; then
 * which one runs, how each went and how long it took. Pure over a lake.
 */
#include "panels.h"

#include <stdio.h>
#include <string.h>

#include "show.h"

enum { TEXT_AT = 7, SPAN_WIDTH = 8, CURRENT_ABOVE = 3 };

struct drawing {
	struct canvas *c;
	int y; /* of the next line; above the first are those that are scrolled away */
};

static const enum style styles[] = {
	[STAGE_AHEAD] = STYLE_DIM, [STAGE_PASSED] = STYLE_DIM, [STAGE_RUNS] = STYLE_ACCENT, [STAGE_DONE] = STYLE_GOOD, [STAGE_FAILED] = STYLE_BAD,
	[STAGE_CANCELLED] = STYLE_WARN,
};

/* As of services: good, stopped, not there. */
const char *stage_glyph(enum stage stage, bool ascii)
{
	switch (stage) {
	case STAGE_DONE:
		return verdict_glyph(VERDICT_SERVING, ascii);
	case STAGE_CANCELLED:
		return verdict_glyph(VERDICT_STOPPED, ascii);
	case STAGE_AHEAD:
		return verdict_glyph(VERDICT_ABSENT, ascii);
	case STAGE_FAILED:
		return failed_glyph(ascii);
	case STAGE_RUNS:
		return ascii ? ">" : "▶";
	case STAGE_PASSED:
		break;
	}
	return "";
}

static void put_lines(struct drawing *d, enum style style, const char *s)
{
	struct text rest = text_of(s), line;
	char words[sizeof ((struct step_shown *)0)->exact];

	while (text_line(&rest, &line))
		if (line.len)
			d->y += show_wrapped(d->c, d->y, TEXT_AT, d->c->width - TEXT_AT - 1, style, text_copy(words, sizeof words, line));
}

static void put_step(struct drawing *d, const struct lake *lake, const struct action_shown *a, const struct step_shown *s, size_t number)
{
	bool plan = !a->begun, current = s->stage == STAGE_RUNS || s->stage == STAGE_FAILED || s->stage == STAGE_CANCELLED;
	int room = d->c->width - TEXT_AT - SPAN_WIDTH - 2;
	bool told = step_says_all(s) && canvas_columns(d->c, s->title) <= room; /* by the title */
	char span[CLOCK_TEXT];

	canvas_text(d->c, d->y, 1, 1, styles[s->stage], stage_glyph(s->stage, d->c->ascii));
	canvas_printf(d->c, d->y, 3, 4, s->destructive ? STYLE_WARN : STYLE_DIM, "%2zu%s", number, s->destructive ? "!" : ".");
	if (s->begun)
		canvas_right(d->c, d->y, d->c->width - SPAN_WIDTH - 1, SPAN_WIDTH, STYLE_DIM, clock_span(span, (s->ended ? s->ended : lake->wall) - s->begun));
	canvas_text(d->c, d->y++, TEXT_AT, room, s->stage == STAGE_PASSED ? STYLE_DIM : STYLE_NORMAL, s->title);
	if ((plan || current) && s->stage != STAGE_PASSED && s->exact[0] && !told)
		put_lines(d, !s->known ? STYLE_WARN : STYLE_DIM, s->exact);
	if ((plan || current) && s->stage != STAGE_PASSED)
		put_lines(d, STYLE_DIM, s->where);
	if (s->words[0])
		put_lines(d, styles[s->stage], s->words);
}

static const char *question(const struct lake *lake, const struct action_shown *a)
{
	switch (a->state) {
	case ACTION_PREPARING:
		return "finding out what they do   Esc leaves   nothing is changed yet";
	case ACTION_OFFERED:
		return action_takes_options(lake, a) ? "Run them all? [y/N]   Esc leaves   o variables   j k scroll   ! takes something down" :
			"Run them all? [y/N]   Esc leaves   j k scroll   ! takes something down";
	case ACTION_QUEUED:
	case ACTION_RUNNING:
	case ACTION_VERIFYING:
		return "c cancels it   Esc leaves it running (X lists it)   j k scroll";
	case ACTION_DONE:
	case ACTION_NEEDLESS:
	case ACTION_FAILED:
	case ACTION_CANCELLED:
	case ACTION_OPEN:
		break;
	}
	return "Esc closes   j k scroll";
}

static int lines_of(const struct lake *lake, const struct action_shown *a, const struct run_shown *run, const struct canvas *like, int *current)
{
	struct canvas nowhere = *like;
	struct drawing d = {.c = &nowhere, .y = 0};

	nowhere.height = 0; /* what is drawn there is only counted */
	for (size_t i = 0; i < run->n_steps; i++) {
		if (i == run->at)
			*current = d.y;
		put_step(&d, lake, a, &run->steps[i], i + 1);
	}
	return d.y;
}

bool run_draw(const struct lake *lake, uint64_t id, int *top, struct canvas *c)
{
	const struct action_shown *a = lake_action(lake, id);
	const struct run_shown *run = lake_run(lake, id);
	struct canvas body = canvas_part(c, 2, 0, c->height - 4, c->width);
	struct drawing d = {.c = &body};
	int current = 0, n, first;
	char span[CLOCK_TEXT], words[ACTION_WORDS_SIZE];

	if (!a || !run)
		return false;
	canvas_clear(c);
	canvas_text(c, 0, 1, -1, STYLE_WARN, a->title);
	canvas_printf(c, 0, 3 + canvas_columns(c, a->title), -1, action_style(a), "%s %s", action_state_word(a->state),
		a->begun ? clock_span(span, (a->ended ? a->ended : lake->wall) - a->begun) : "");
	n = lines_of(lake, a, run, &body, &current);
	first = *top >= 0 ? *top : a->begun && !action_is_over(a->state) ? current - CURRENT_ABOVE : 0;
	first = int_clamp(first, 0, int_max(n - body.height, 0));
	if (*top >= 0)
		*top = first;
	d.y = -first;
	for (size_t i = 0; i < run->n_steps; i++)
		put_step(&d, lake, a, &run->steps[i], i + 1);
	if (first + body.height < n)
		canvas_printf(c, c->height - 2, TEXT_AT, -1, STYLE_DIM, "%d more lines below", n - first - body.height);
	else if (action_is_over(a->state))
		canvas_text(c, c->height - 2, 1, -1, action_style(a), text_copy(words, sizeof words, text_until(text_of(a->words), '\n')));
	canvas_parts(c, c->height - 1, 1, c->width - 2, STYLE_KEY, question(lake, a));
	return true;
}
