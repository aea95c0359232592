// SPDX-License-Identifier: MIT
/*
 * One action on the screen: what it would run to the letter, what that changes, how it is known to be
 * done, and how it goes. Pure over a lake.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runbook.h"
#include "show.h"

enum { LABEL_WIDTH = 10, BAR_WIDTH = 30, LIMIT_MOST = 86400000 };

const struct action_shown *lake_action(const struct lake *lake, uint64_t id)
{
	for (size_t i = 0; i < lake->n_actions; i++)
		if (lake->actions[i].id == id)
			return &lake->actions[i];
	return NULL;
}

enum style action_style(const struct action_shown *a)
{
	switch (a->state) {
	case ACTION_DONE:
	case ACTION_NEEDLESS:
		return STYLE_GOOD;
	case ACTION_FAILED:
	case ACTION_OPEN:
		return STYLE_BAD;
	case ACTION_CANCELLED:
		return STYLE_WARN;
	case ACTION_PREPARING:
	case ACTION_OFFERED:
	case ACTION_QUEUED:
	case ACTION_RUNNING:
	case ACTION_VERIFYING:
		break;
	}
	return STYLE_ACCENT;
}

int action_part_draw(struct canvas *c, int y, const char *label, enum style style, const char *s)
{
	struct text rest = text_of(s), line;
	char words[ACTION_EXACT_SIZE];
	int first = y;

	if (!s[0])
		return 0;
	canvas_text(c, y, 1, LABEL_WIDTH, STYLE_DIM, label);
	while (text_line(&rest, &line))
		y += int_max(1, show_wrapped(c, y, 1 + LABEL_WIDTH, c->width - LABEL_WIDTH - 2, style, text_copy(words, sizeof words, line)));
	return y - first;
}

static int draw_bar(struct canvas *c, int y, double part)
{
	int filled = (int)(part * BAR_WIDTH + 0.5);

	if (isnan(part))
		return 0;
	filled = int_clamp(filled, 0, BAR_WIDTH);
	canvas_fill(c, y, 1 + LABEL_WIDTH, filled, STYLE_GRAPH, c->ascii ? "#" : "█");
	canvas_fill(c, y, 1 + LABEL_WIDTH + filled, BAR_WIDTH - filled, STYLE_DIM, c->ascii ? "." : "░");
	canvas_printf(c, y, 2 + LABEL_WIDTH + BAR_WIDTH, -1, STYLE_NORMAL, "%d %%", int_clamp((int)(part * 100), 0, 100));
	return 1;
}

void action_why_draw(struct canvas *c, int y, const char *words)
{
	if (y < c->height)
		show_wrapped(c, y, 3, c->width - 4, STYLE_NORMAL, words);
}

bool action_takes_options(const struct lake *lake, const struct action_shown *a)
{
	const struct action_spec *spec = action_spec_named(a->wish.verb);
	struct book_variable variables[ACTION_OPTIONS_MAX];
	const struct runbook *b;

	if (!spec || !spec->options || spec->options != any_option)
		return spec && spec->options && spec->options[0];
	b = lake->profile && spec->conduct ? profile_runbook(lake->profile, a->wish.subject) : NULL;
	return b && runbook_variables(lake->profile, b, variables) > 0;
}

bool action_was_turned_away(const struct lake *lake, const struct action_shown *a)
{
	return a->state == ACTION_FAILED && !a->begun && action_takes_options(lake, a);
}

bool action_can_be_asked(const struct action_shown *a)
{
	return action_spec_of(a->wish.verb, ON_TABLE) != NULL;
}

static const char *question(const struct lake *lake, const struct action_shown *a)
{
	switch (a->state) {
	case ACTION_PREPARING:
		return "finding out what exactly it would do; nothing is changed yet";
	case ACTION_OFFERED:
		return action_takes_options(lake, a) ? "Run it? [y/N]   o changes its options   Esc leaves" : "Run it? [y/N]   Esc leaves";
	case ACTION_QUEUED:
		return "it waits for those before it   c takes it out   Esc leaves it waiting (X lists it)";
	case ACTION_RUNNING:
	case ACTION_VERIFYING:
		return "c cancels it   Esc leaves it running (X lists it)";
	case ACTION_DONE:
	case ACTION_NEEDLESS:
	case ACTION_FAILED:
	case ACTION_CANCELLED:
		if (action_was_turned_away(lake, a))
			return "o changes what was typed   Esc closes";
		return a->again ? "r tries it again: its preview is made anew   Esc closes" : "Esc closes";
	case ACTION_OPEN:
		if (lake->locked)
			return "begun by an earlier laketop, its end is not known: look how it stands   L unlocks   Esc closes";
		if (action_can_be_asked(a))
			return "begun by an earlier laketop, its end is not known: i asks the server, and interrupts what still runs   d dismisses this "
				"entry   Esc closes";
		return "begun by an earlier laketop, its end is not known: look how it stands   d dismisses this entry   Esc closes";
	}
	return "";
}

const char *action_limit(const struct action_shown *a, char out[ACTION_LIMIT_SIZE])
{
	const struct action_spec *spec = action_spec_named(a->wish.verb);
	char run[CLOCK_TEXT], verify[CLOCK_TEXT];

	out[0] = '\0';
	if (spec && spec->limit_ms && spec->limit_ms <= LIMIT_MOST) /* a longer one has a limit of its own, and its effect says so */
		snprintf(out, ACTION_LIMIT_SIZE, "cut short after %s%s%s", clock_span(run, spec->limit_ms),
			spec->settled ? "; failed if it is not so after another " : "",
			spec->settled ? clock_span(verify, spec->verify_ms) : "");
	return out;
}

/* Returns the lines used; on a canvas without any they are only counted. */
static int draw_all(const struct lake *lake, const struct action_shown *a, struct canvas *c, int top)
{
	char span[CLOCK_TEXT], state[80], limit[ACTION_LIMIT_SIZE];
	int y = -top;

	canvas_text(c, y++, 1, -1, a->destructive ? STYLE_WARN : STYLE_TITLE, a->title);
	y += action_part_draw(c, y, "runs", STYLE_NORMAL, a->exact);
	y += action_part_draw(c, y, "effect", STYLE_NORMAL, a->effect);
	y += action_part_draw(c, y, "done when", STYLE_NORMAL, a->verify);
	if (a->state == ACTION_OFFERED)
		y += action_part_draw(c, y, "limit", STYLE_DIM, action_limit(a, limit));
	if (a->begun) {
		snprintf(state, sizeof state, "%s%s%s", action_state_word(a->state), a->state == ACTION_OPEN ? " since " : " ",
			clock_span(span, (a->ended ? a->ended : lake->wall) - a->begun));
		y += action_part_draw(c, y, "state", action_style(a), state);
		if (a->profile[0])
			y += action_part_draw(c, y, "profile", STYLE_NORMAL, a->profile);
	} else if (action_is_over(a->state))
		y += action_part_draw(c, y, "state", action_style(a), action_state_word(a->state));
	if (a->state == ACTION_RUNNING)
		y += draw_bar(c, y, a->part);
	return y + action_part_draw(c, y, action_is_over(a->state) ? "result" : "now", action_style(a), a->words) + top;
}

void action_draw(const struct lake *lake, uint64_t id, int *top, struct canvas *c)
{
	const struct action_shown *a = lake_action(lake, id);
	struct canvas nowhere = *c, body;
	int asks, lines, below;

	canvas_clear(c);
	if (!a) {
		canvas_text(c, 0, 1, -1, STYLE_DIM, "one moment");
		return;
	}
	nowhere.height = 0;
	asks = show_wrapped(&nowhere, 0, 1, c->width - 2, STYLE_KEY, question(lake, a));
	lines = draw_all(lake, a, &nowhere, 0);
	body = canvas_part(c, 0, 0, int_max(c->height - asks - 1, 1), c->width);
	*top = int_clamp(*top, 0, int_max(lines - body.height, 0));
	below = lines - *top - body.height;
	draw_all(lake, a, &body, *top);
	if (below > 0)
		canvas_printf(c, body.height, 1, -1, STYLE_DIM, "%d more %s below: j k scroll", below, below == 1 ? "line" : "lines");
	show_wrapped(c, below > 0 ? body.height + 1 : int_min(lines + 1, c->height - asks), 1, c->width - 2, STYLE_KEY, question(lake, a));
}
