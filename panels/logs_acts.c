// SPDX-License-Identifier: MIT
/*
 * What keys do in the panel of logs: levels, lines that are opened, marked, copied and saved. Where the cursor
 * goes is in logs_move.c and logs_seek.c, what is read for it in logs_ask.c. UI thread only.
 */
#include <string.h>

#include "logs_own.h"
#include "show.h"

enum { STEP = 8, SAVED_MAX = 64 << 20 };

/* ---- lines ---- */

static void toggle_open(const struct shown *s)
{
	size_t at = logs_cursor(s);
	struct looking *l = s->l;
	uint64_t number;

	if (at == logs_count(s->logs))
		return;
	number = logs_get(s->logs, at)->number;
	logs_stand_at(s, at, l->detached ? l->row : l->height - 1);
	for (size_t i = 0; i < l->n_opened; i++)
		if (l->opened[i] == number) {
			l->opened[i] = l->opened[--l->n_opened];
			return;
		}
	if (l->n_opened == OPENED_MAX) {
		memmove(l->opened, l->opened + 1, (OPENED_MAX - 1) * sizeof l->opened[0]);
		l->n_opened--;
	}
	l->opened[l->n_opened++] = number;
}

static unsigned mark(const struct shown *s)
{
	size_t at = logs_cursor(s), which;
	struct looking *l = s->l;

	if (at == logs_count(s->logs))
		return REACT_HANDLED;
	if (logs_marked(s, logs_get(s->logs, at), &which))
		l->marks[which] = l->marks[--l->n_marks];
	else if (l->n_marks < MARKS_MAX)
		l->marks[l->n_marks++] = logs_spot(s, logs_get(s->logs, at));
	else
		l->words = "no more can be marked";
	if (!logs_step(s, 1, 1))
		logs_stand_at(s, at, l->row);
	return REACT_HANDLED;
}

static void add_entry(const struct shown *s, struct buf *out, const struct log_entry *e, bool named)
{
	if (named)
		buf_printf(out, "%s: ", logs_source(s->logs, e->source)->service);
	buf_add(out, e->text, e->len);
	buf_puts(out, "\n");
}

/* What is marked; without marks what is shown, or of that the line of the cursor alone. */
static const char *collect(const struct shown *s, bool all, size_t most)
{
	size_t n = logs_count(s->logs), at = logs_cursor(s);
	struct buf *out = &s->l->copied;
	bool named = logs_sources(s->logs) > 1 && (all || s->l->n_marks > 1);

	buf_free(out);
	buf_init(out, most);
	for (size_t i = 0; i < n; i++)
		if (s->l->n_marks ? logs_marked(s, logs_get(s->logs, i), NULL) : all ? logs_keeps(s, i) : i == at)
			add_entry(s, out, logs_get(s->logs, i), named);
	if (!all && out->len)
		out->at[--out->len] = '\0';
	return out->len ? out->at : NULL;
}

static unsigned copy(const struct shown *s, struct panel_view *view)
{
	view->copy = collect(s, false, COPIED_MAX);
	if (!view->copy && s->l->n_marks)
		s->l->words = "none of the marked lines is here";
	return view->copy ? REACT_HANDLED | REACT_COPY : REACT_HANDLED;
}

static unsigned save(const struct shown *s, struct panel_view *view)
{
	view->save = collect(s, true, SAVED_MAX);
	if (!view->save)
		s->l->words = "there is nothing to save";
	return view->save ? REACT_HANDLED | REACT_SAVE : REACT_HANDLED;
}

/* ---- levels ---- */

/* Levels of what is here, a bit each; of what was here before a step hid it, too. */
static unsigned levels_here(const struct shown *s)
{
	unsigned levels = 0;

	for (size_t i = 0; i < logs_count(s->logs); i++) {
		const struct log_entry *e = logs_get(s->logs, i);

		if (!s->l->only || e->source + 1 == (unsigned)s->l->only)
			levels |= 1u << e->level;
	}
	return levels;
}

/* The lowest that is seen goes, and lines without a level with it. */
static enum log_level level_above(enum log_level level, unsigned levels)
{
	int lowest = level > LOG_TRACE ? (int)level : LOG_TRACE;

	if (!(levels >> lowest)) /* none that has one: elsewhere there may be worse */
		return level < LOG_WARN ? LOG_WARN : level < LOG_FATAL ? level + 1 : level;
	while (!(levels & 1u << lowest))
		lowest++;
	return lowest < LOG_FATAL ? (enum log_level)(lowest + 1) : level;
}

/* The highest that is hidden comes back; with the last of them all that there may be. */
static enum log_level level_below(enum log_level level, unsigned levels)
{
	unsigned hidden = levels & ((1u << level) - 1) & ~(1u << LOG_UNKNOWN);
	int highest = LOG_UNKNOWN;

	while (hidden >> (highest + 1))
		highest++;
	return hidden & ((1u << highest) - 1) ? (enum log_level)highest : LOG_UNKNOWN;
}

/* A step is to the next level that changes what is seen. */
static unsigned change_level(struct shown *s, struct panel_view *view, bool up)
{
	struct looking *l = s->l;
	enum log_level level = s->level;

	l->levels |= levels_here(s);
	l->words = NULL;
	if (!up && view->problems_only && level <= LOG_WARN)
		l->words = "problems only: ! shows the rest";
	else
		l->level = up ? level_above(level, levels_here(s)) : level_below(level, l->levels);
	if (l->level == level && !l->words)
		l->words = up ? "no line here is less bad" : "all levels are shown";
	s->level = view->problems_only && l->level < LOG_WARN ? LOG_WARN : l->level;
	return logs_sift(s, view);
}

/* ---- by key ---- */

static unsigned cancel(const struct shown *s, struct panel_view *view)
{
	struct looking *l = s->l;
	bool said = l->words != NULL;

	l->words = NULL;
	l->pending = 0;
	if (view->lake->logs_found) {
		l->sought[0] = '\0';
		l->sought_level = LOG_UNKNOWN;
		return REACT_FIND | REACT_HANDLED;
	}
	if (l->n_marks) {
		l->n_marks = 0;
		return REACT_HANDLED;
	}
	return said ? REACT_HANDLED : REACT_NONE;
}

static unsigned find(const struct shown *s, struct panel_view *view, int by)
{
	if (view->search && view->search[0] == '@')
		return logs_jump(s, view, view->search + 1);
	return logs_seek(s, view, by, false);
}

/* What moves, and what may ask for more. */
static unsigned move(const struct shown *s, struct panel_view *view, enum act what)
{
	switch ((int)what) {
	case ACT_NEXT_ERROR: case ACT_PREVIOUS_ERROR:
		return logs_seek(s, view, what == ACT_NEXT_ERROR ? 1 : -1, true);
	case ACT_FIND_NEXT: case ACT_FIND_PREVIOUS:
		return find(s, view, what == ACT_FIND_NEXT ? 1 : -1);
	default:
		return logs_go(s, view, what);
	}
}

/* What changes how it looks. */
static unsigned change(struct shown *s, struct panel_view *view, enum act what)
{
	struct looking *l = s->l;

	switch ((int)what) {
	case ACT_LEFT:
		l->right = int_max(l->right - STEP, 0);
		return REACT_HANDLED;
	case ACT_RIGHT:
		l->right += STEP;
		return REACT_HANDLED;
	case ACT_ENTER:
		toggle_open(s);
		return REACT_HANDLED;
	case ACT_WRAP:
		l->wrapped = !l->wrapped;
		return REACT_HANDLED;
	case ACT_TIMES:
		l->timeless = !l->timeless;
		return REACT_HANDLED;
	case ACT_LEVEL_UP: case ACT_LEVEL_DOWN:
		return change_level(s, view, what == ACT_LEVEL_UP);
	case ACT_NEXT_VIEW:
		l->only = (l->only + 1) % ((int)logs_sources(s->logs) + 1);
		return REACT_HANDLED;
	case ACT_PREVIOUS_VIEW:
		l->only = l->only ? l->only - 1 : (int)logs_sources(s->logs);
		return REACT_HANDLED;
	default:
		return REACT_NONE;
	}
}

unsigned logs_act(struct panel_view *view, void *state, enum act what)
{
	struct looking *l = state;
	struct shown s = logs_shown(l, view, NULL);
	unsigned reactions;

	if (what == ACT_REFRESH)
		return logs_refresh(&s, view);
	if (what == ACT_LOGS)
		return logs_ask_first(l, view, view->by_hand);
	if (!s.logs)
		return REACT_NONE;
	reactions = move(&s, view, what);
	if (reactions == REACT_NONE)
		reactions = change(&s, view, what);
	if (reactions != REACT_NONE)
		return reactions;
	switch ((int)what) {
	case ACT_CANCEL:
		return cancel(&s, view);
	case ACT_FILTER: case ACT_PROBLEMS:
		return logs_sift(&s, view);
	case ACT_MARK:
		return mark(&s);
	case ACT_COPY:
		return copy(&s, view);
	case ACT_SAVE:
		return save(&s, view);
	default:
		return REACT_NONE;
	}
}
