// SPDX-License-Identifier: MIT
/*
 * The overview: can the demo be started, and if not, what is broken first and what helps. Above,
 * the problems in words, causes before victims, or one quiet line; then a row per service, grouped
 * and always in the same place; below, the box and what happened last. UI thread only.
 */
#include <stdlib.h>

#include "overview_own.h"
#include "show.h"

enum { EVENT_LINES = 8 };

struct overview {
	struct grid grid;
	int page;
	char copied[REASON_SIZE * 3];
};

struct heights { /* of the parts, from above; what is 0 is left out */
	int rule, foot, box, events;
	bool headings;
};

/* Rows come first: what is around them gives way, the least needed first. */
static struct heights heights_for(const struct overview_rows *rows, int height, int top)
{
	struct heights h = {0};
	int spare, headings = overview_headings(rows), n_events = (int)rows->lake->n_events;

	if (height < OVERVIEW_ROOM_FOR_RULES)
		return h;
	h.rule = h.events = 1;
	spare = height - top - 3 - 1 - (int)rows->n; /* two rules and an event; the head; the rows */
	h.headings = spare >= headings || spare < 0;
	spare -= h.headings ? headings : 0;
	h.box = height >= OVERVIEW_ROOM_FOR_BOX && spare != 0;
	spare -= h.box;
	h.events += int_clamp(int_min(spare, n_events - 1), 0, EVENT_LINES - 1);
	h.foot = 1 + h.box + h.events;
	return h;
}

static void draw(struct panel_view *view, void *state, struct canvas *c)
{
	struct overview *o = state;
	struct overview_rows rows;
	struct grid_source source;
	struct canvas middle;
	struct heights h;
	int top;

	overview_rows_collect(&rows, view);
	overview_columns(&rows, c);
	top = overview_state_draw(c, view->lake);
	top += overview_machine_draw(c, top, view->lake);
	top += overview_cut_short_draw(c, top, view->lake);
	h = heights_for(&rows, c->height, top);
	if (h.rule)
		show_rule(c, top++);
	if (h.foot)
		show_rule(c, c->height - h.foot);
	if (h.box)
		overview_box_draw(c, c->height - h.foot + 1, view->lake);
	overview_events_draw(c, c->height - h.events, h.events, view->lake);
	source = overview_source(&rows, h.headings);
	middle = canvas_part(c, top, 0, c->height - top - h.foot, c->width);
	o->page = middle.height - 2;
	o->grid.sort = -1;
	grid_draw(&o->grid, &source, &middle);
	show_matches(&middle, 1, rows.filter);
	free(rows.at);
}

static unsigned act(struct panel_view *view, void *state, enum act what)
{
	struct overview *o = state;
	struct overview_rows rows;
	struct grid_source source;
	unsigned reactions = REACT_NONE;

	overview_rows_collect(&rows, view);
	source = overview_source(&rows, true);
	if (grid_act(&o->grid, &source, o->page, what))
		reactions = REACT_HANDLED;
	else if (rows.n && (what == ACT_ENTER || what == ACT_RIGHT)) {
		view->open = rows.at[o->grid.selected]->name;
		reactions = REACT_OPEN;
	} else if (rows.n && what == ACT_ACTIONS) {
		view->act_on = ON_SERVICE;
		view->act_service = rows.at[o->grid.selected]->name;
		reactions = REACT_ACT;
	} else if (rows.n && what == ACT_LOGS) {
		view->log_service = rows.at[o->grid.selected]->name;
		reactions = REACT_LOGS;
	} else if (rows.n && what == ACT_COPY) {
		view->copy = show_sentence(o->copied, sizeof o->copied, rows.at[o->grid.selected]);
		reactions = REACT_COPY;
	}
	free(rows.at);
	return reactions;
}

const struct panel panel_overview = {
	.name = "overview",
	.title = "Overview",
	.key = '1',
	.help = "Can the demo be started? The first lines say what is broken, causes before victims, and what helps. Below stands each "
		"service with its verdict, the version that answers (the expected one in parentheses where it differs), its port, who holds "
		"it, and its figures. ! beside a sign is a warning; the key ! leaves only what is not well, and x on a row starts it again. What is "
		"dim is old, and says how old.",
	.hints = (const struct key_hint[]){{ACT_ENTER, "open"}, {ACT_ACTIONS, "act"}, {ACT_LOGS, "log"}, {ACT_NONE, NULL}},
	.state_size = sizeof(struct overview),
	.draw = draw,
	.act = act,
};
