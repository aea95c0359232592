// SPDX-License-Identifier: MIT
/* Several lists of one panel, by Tab. UI thread only. */
#include <stdio.h>

#include "panels.h"
#include "show.h"

struct tabs { /* of a deck, with what each holds */
	const struct deck_view *views;
	size_t counts[DECK_MAX];
	bool known[DECK_MAX];
};

static int views_of(struct deck *deck, const struct deck_view *views, const struct lake *lake)
{
	int n = 0;

	while (n < DECK_MAX && views[n].name && (!views[n].kind->there || views[n].kind->there(lake)))
		n++;
	if (deck->at >= n)
		deck->at = 0;
	return n;
}

static void tab_label(const void *ctx, int i, char out[NAME_SIZE])
{
	const struct tabs *tabs = ctx;
	char number[VALUE_TEXT_SIZE];

	if (tabs->known[i])
		snprintf(out, NAME_SIZE, "%.40s %.20s", tabs->views[i].name,
			value_show(number, value_int((int64_t)tabs->counts[i]), UNIT_COUNT));
	else
		snprintf(out, NAME_SIZE, "%.40s", tabs->views[i].name);
}

static void deck_begin(struct deck *deck)
{
	for (int i = 0; !deck->begun && i < DECK_MAX; i++)
		table_list_reset(&deck->looks[i]);
	deck->begun = true;
}

static void collect(struct list *list, const struct deck_view *view, const struct lake *lake)
{
	list_begin(list, view->kind, lake);
	view->collect(list);
}

void deck_draw(struct deck *deck, const struct panel_view *view, const struct deck_view *views, struct canvas *c)
{
	struct tabs tabs = {.views = views};
	struct list current = {0}, list;
	int n = views_of(deck, views, view->lake), head = c->height > 2;
	struct canvas body;

	deck_begin(deck);
	for (int i = 0; i < n; i++) {
		collect(&list, &views[i], view->lake);
		tabs.counts[i] = list.n + list.left_off;
		tabs.known[i] = list.any || list.n;
		if (i == deck->at)
			current = list;
		else
			list_end(&list);
	}
	if (head)
		show_tabs(c, 0, n, deck->at, tab_label, &tabs);
	if (c->height >= 20) /* a line of air */
		show_rule(c, head++);
	body = canvas_part(c, head, 0, c->height - head, c->width);
	list_draw(&deck->looks[deck->at], view, &current, &body);
	list_end(&current);
}

unsigned deck_act(struct deck *deck, struct panel_view *view, const struct deck_view *views, enum act what, struct list_row *selected)
{
	int n = views_of(deck, views, view->lake);
	struct list list;
	unsigned reactions;

	deck_begin(deck);
	if (what == ACT_NEXT_VIEW || what == ACT_PREVIOUS_VIEW) {
		deck->at = (deck->at + (what == ACT_NEXT_VIEW ? 1 : n - 1)) % n;
		*selected = (struct list_row){0};
		return REACT_HANDLED;
	}
	collect(&list, &views[deck->at], view->lake);
	reactions = list_act(&deck->looks[deck->at], view, &list, what, selected);
	list_end(&list);
	return reactions;
}
