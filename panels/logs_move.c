// SPDX-License-Identifier: MIT
/*
 * Where the cursor goes: up and down, to the ends, to a moment. A key that meets the border of what is read asks
 * for more, and is done again when that came. UI thread only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "logs_own.h"
#include "show.h"

void logs_stand_at(const struct shown *s, size_t i, int row)
{
	const struct log_entry *e = logs_get(s->logs, i);

	s->l->detached = true;
	s->l->at = e->at;
	s->l->number = e->number;
	s->l->row = int_clamp(row, 0, int_max(s->l->height - 1, 0));
}

/* ---- steps ---- */

bool logs_step(const struct shown *s, int by, int times)
{
	size_t n = logs_count(s->logs), at = logs_cursor(s);
	int row = s->l->detached ? s->l->row : s->l->height - 1;

	if (at == n)
		return false;
	for (; times > 0; times--) {
		size_t next = by < 0 && !at ? n : logs_kept(s, at + (size_t)by, by);

		if (next == n)
			break;
		row += by;
		at = next;
	}
	logs_stand_at(s, at, row);
	return times == 0;
}

/* The key is done again, from where it was pressed, when there is more. */
static unsigned ask_further(const struct shown *s, struct panel_view *view, enum act what, size_t edge, size_t from)
{
	s->l->again = what;
	return logs_ask_around(s, view, s->logs, logs_get(s->logs, edge), logs_spot(s, logs_get(s->logs, from)));
}

static unsigned go_up(const struct shown *s, struct panel_view *view, enum act what, bool again)
{
	size_t n = logs_count(s->logs), from = logs_cursor(s);
	int row = s->l->detached ? s->l->row : s->l->height - 1;

	if (logs_step(s, -1, what == ACT_UP ? 1 : int_max(s->l->height - 1, 1)) || again || logs_begins(s->logs) || from == n)
		return REACT_HANDLED;
	logs_stand_at(s, from, row);
	return ask_further(s, view, what, 0, from);
}

static unsigned go_down(const struct shown *s, struct panel_view *view, enum act what, bool again)
{
	size_t n = logs_count(s->logs), from = logs_cursor(s);
	int row = s->l->row;

	if (from == n || !s->l->detached || logs_step(s, 1, what == ACT_DOWN ? 1 : int_max(s->l->height - 1, 1)) || again)
		return REACT_HANDLED;
	if (!logs_is_part(s->logs)) {
		s->l->detached = false; /* down at the end: it follows again */
		return REACT_HANDLED;
	}
	if (logs_ends(s->logs))
		return logs_ask_live(s, view);
	logs_stand_at(s, from, row);
	return ask_further(s, view, what, n - 1, from);
}

static unsigned go_top(const struct shown *s, struct panel_view *view)
{
	size_t first;

	if (!logs_begins(s->logs))
		return logs_ask_moment(s, view, 0, ARRIVE_AT_TOP);
	first = logs_kept(s, 0, 1);
	if (first < logs_count(s->logs))
		logs_stand_at(s, first, 0);
	return REACT_HANDLED;
}

static unsigned go_bottom(const struct shown *s, struct panel_view *view)
{
	if (logs_is_part(s->logs))
		return logs_ask_live(s, view);
	s->l->detached = false;
	return REACT_HANDLED;
}

static unsigned follow(const struct shown *s, struct panel_view *view)
{
	if (s->l->detached)
		return go_bottom(s, view);
	if (logs_cursor(s) < logs_count(s->logs))
		logs_stand_at(s, logs_cursor(s), s->l->height - 1);
	return REACT_HANDLED;
}

unsigned logs_go(const struct shown *s, struct panel_view *view, enum act what)
{
	switch ((int)what) {
	case ACT_UP: case ACT_PAGE_UP:
		return go_up(s, view, what, false);
	case ACT_DOWN: case ACT_PAGE_DOWN:
		return go_down(s, view, what, false);
	case ACT_TOP:
		return go_top(s, view);
	case ACT_BOTTOM:
		return go_bottom(s, view);
	case ACT_FOLLOW:
		return follow(s, view);
	default:
		return REACT_NONE;
	}
}

void logs_go_again(const struct shown *s, struct panel_view *view, enum act what)
{
	if (what == ACT_UP || what == ACT_PAGE_UP)
		go_up(s, view, what, true);
	else if (what == ACT_DOWN || what == ACT_PAGE_DOWN)
		go_down(s, view, what, true);
}

/* ---- to a moment ---- */

/* "-5m", "-90s", "-2h", "-1d": so long ago. */
static bool ago(const char *s, int64_t wall, int64_t *at)
{
	static const struct { const char *word; int64_t ms; } units[] = {{"s", 1000}, {"m", 60000}, {"min", 60000}, {"h", 3600000}, {"d", 86400000}};
	char *end;
	long long n;

	if (s[0] != '-' || s[1] < '0' || s[1] > '9')
		return false;
	n = strtoll(s + 1, &end, 10);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].word) && n < 100000) {
			*at = wall - n * units[i].ms;
			return true;
		}
	return false;
}

unsigned logs_jump(const struct shown *s, struct panel_view *view, const char *to)
{
	size_t n = logs_count(s->logs), i;
	int64_t at;

	if (!ago(to, view->lake->wall, &at) && !clock_moment(to, view->lake->wall, &at)) {
		s->l->words = "there is no such time: @14:05, @-5m, @2026-11-29 14:05";
		return REACT_HANDLED;
	}
	s->l->words = NULL;
	if (!n || (at < logs_get(s->logs, 0)->at && !logs_begins(s->logs)) || (at > logs_get(s->logs, n - 1)->at && !logs_ends(s->logs)))
		return logs_ask_moment(s, view, at, ARRIVE_AT_TIME);
	i = logs_kept(s, logs_find(s->logs, at, 0), 1);
	i = i < n ? i : logs_kept(s, n - 1, -1);
	if (i < n)
		logs_stand_at(s, i, s->l->height / 2);
	return REACT_HANDLED;
}
