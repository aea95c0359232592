// SPDX-License-Identifier: MIT
/*
 * What keys do in the panel of logs. What is not read yet is asked for, as a part around a line or a moment; when it came,
 * the cursor stands on the same line as before, and the key that could not go on is done again. UI thread only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "logs_look.h"
#include "show.h"

enum { STEP = 8, AGAIN_MS = 40, WANTED_MS = 200, SAVED_MAX = 64 << 20 };

static void stand_at(const struct shown *s, size_t i, int row)
{
	const struct log_entry *e = logs_get(s->logs, i);

	s->l->detached = true;
	s->l->at = e->at;
	s->l->number = e->number;
	s->l->row = int_clamp(row, 0, int_max(s->l->height - 1, 0));
}

/* ---- another timeline ---- */

static unsigned ask_for(const struct shown *s, struct panel_view *view, enum arrival arrival)
{
	struct looking *l = s->l;
	bool sifts = l->filter.match && !l->filter.out;

	l->sifted_level = s->level >= LOG_WARN ? s->level : LOG_UNKNOWN;
	text_copy(l->sifted, sizeof l->sifted, text_of(sifts ? l->filter.typed : ""));
	view->log_service = l->subject[0] ? l->subject : NULL;
	view->log_since = 0;
	view->log_match = l->sifted[0] ? l->sifted : NULL;
	view->log_least = l->sifted_level;
	view->log_part = l->part.is ? &l->part : NULL;
	l->coming = true;
	l->serial = s->logs ? logs_serial(s->logs) : 0;
	l->arrival = arrival;
	l->words = NULL;
	view->again_ms = AGAIN_MS;
	return REACT_LOGS | REACT_HANDLED;
}

static unsigned ask_live(const struct shown *s, struct panel_view *view)
{
	s->l->part = (struct log_part){0};
	s->l->detached = false;
	return ask_for(s, view, ARRIVE_FOLLOWS);
}

static unsigned ask_moment(const struct shown *s, struct panel_view *view, int64_t at, enum arrival arrival)
{
	s->l->part = (struct log_part){.is = true, .at = at, .place = -1};
	s->l->spot = (struct spot){.at = at, .place = -1};
	return ask_for(s, view, arrival);
}

/* Around a line of what is here, or of what was found; the cursor will stand on spot. */
static unsigned ask_around(const struct shown *s, struct panel_view *view, const struct logs *of, const struct log_entry *e, struct spot spot)
{
	s->l->part = (struct log_part){.is = true, .at = e->at, .place = e->place};
	text_copy(s->l->part.file, sizeof s->l->part.file, text_of(logs_source(of, e->source)->at));
	s->l->spot = spot;
	return ask_for(s, view, ARRIVE_AT_SPOT);
}

/* Where the line of a spot is, or the first behind it. */
static size_t find_spot(const struct shown *s, struct spot spot)
{
	size_t n = logs_count(s->logs), first = logs_find(s->logs, spot.at, 0);

	for (size_t i = first; i < n && logs_get(s->logs, i)->at == spot.at; i++) {
		struct spot here = logs_spot(s, logs_get(s->logs, i));

		if (here.source == spot.source && here.place == spot.place && (!spot.text || here.text == spot.text))
			return i;
	}
	return first < n ? first : n ? n - 1 : n;
}

/* ---- steps ---- */

/* False: there is nothing more in this direction. */
static bool step(const struct shown *s, int by, int times)
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
	stand_at(s, at, row);
	return times == 0;
}

/* The key is done again, from where it was pressed, when there is more. */
static unsigned ask_further(const struct shown *s, struct panel_view *view, enum act what, size_t edge, size_t from)
{
	s->l->again = what;
	return ask_around(s, view, s->logs, logs_get(s->logs, edge), logs_spot(s, logs_get(s->logs, from)));
}

static unsigned go_up(const struct shown *s, struct panel_view *view, enum act what, bool again)
{
	size_t n = logs_count(s->logs), from = logs_cursor(s);
	int row = s->l->detached ? s->l->row : s->l->height - 1;

	if (step(s, -1, what == ACT_UP ? 1 : int_max(s->l->height - 1, 1)) || again || logs_begins(s->logs) || from == n)
		return REACT_HANDLED;
	stand_at(s, from, row);
	return ask_further(s, view, what, 0, from);
}

static unsigned go_down(const struct shown *s, struct panel_view *view, enum act what, bool again)
{
	size_t n = logs_count(s->logs), from = logs_cursor(s);
	int row = s->l->row;

	if (from == n || !s->l->detached || step(s, 1, what == ACT_DOWN ? 1 : int_max(s->l->height - 1, 1)) || again)
		return REACT_HANDLED;
	if (!logs_is_part(s->logs)) {
		s->l->detached = false; /* down at the end: it follows again */
		return REACT_HANDLED;
	}
	if (logs_ends(s->logs))
		return ask_live(s, view);
	stand_at(s, from, row);
	return ask_further(s, view, what, n - 1, from);
}

static unsigned go_top(const struct shown *s, struct panel_view *view)
{
	size_t first;

	if (!logs_begins(s->logs))
		return ask_moment(s, view, 0, ARRIVE_AT_TOP);
	first = logs_kept(s, 0, 1);
	if (first < logs_count(s->logs))
		stand_at(s, first, 0);
	return REACT_HANDLED;
}

static unsigned go_bottom(const struct shown *s, struct panel_view *view)
{
	if (logs_is_part(s->logs))
		return ask_live(s, view);
	s->l->detached = false;
	return REACT_HANDLED;
}

static unsigned follow(const struct shown *s, struct panel_view *view)
{
	if (s->l->detached)
		return go_bottom(s, view);
	if (logs_cursor(s) < logs_count(s->logs))
		stand_at(s, logs_cursor(s), s->l->height - 1);
	return REACT_HANDLED;
}

static void walk(const struct shown *s, struct panel_view *view, enum act what)
{
	if (what == ACT_UP || what == ACT_PAGE_UP)
		go_up(s, view, what, true);
	else if (what == ACT_DOWN || what == ACT_PAGE_DOWN)
		go_down(s, view, what, true);
}

/* ---- looking for something ---- */

static bool wanted(const struct shown *s, const struct log_entry *e, bool errors)
{
	return errors ? e->level >= LOG_ERROR : logs_finds(&s->l->search, e);
}

/* The next one in what is here; false: there is none. */
static bool seek_here(const struct shown *s, int by, bool errors)
{
	size_t n = logs_count(s->logs), at = logs_cursor(s);

	if (at == n)
		return false;
	for (size_t i = at + (size_t)by; i < n; i += (size_t)by)
		if (logs_keeps(s, i) && wanted(s, logs_get(s->logs, i), errors)) {
			stand_at(s, i, s->l->height / 2);
			return true;
		}
	return false;
}

struct range { int64_t low, high; };

/* Which bytes of a file are here. */
static struct range range_of(const struct shown *s, const struct logs *found, const struct log_entry *hit)
{
	struct range r = {INT64_MAX, -1};
	const char *file = logs_source(found, hit->source)->at;

	for (size_t i = 0; i < logs_count(s->logs); i++) {
		const struct log_entry *e = logs_get(s->logs, i);

		if (e->place < 0 || strcmp(logs_source(s->logs, e->source)->at, file) != 0)
			continue;
		r.low = e->place < r.low ? e->place : r.low;
		r.high = e->place > r.high ? e->place : r.high;
	}
	return r;
}

static bool is_here(const struct shown *s, const struct logs *found, const struct log_entry *hit, struct range *ranges)
{
	size_t n = logs_count(s->logs);

	if (hit->place < 0)
		return n && hit->at >= logs_get(s->logs, 0)->at && hit->at <= logs_get(s->logs, n - 1)->at;
	if (!ranges[hit->source].low && !ranges[hit->source].high)
		ranges[hit->source] = range_of(s, found, hit);
	return hit->place >= ranges[hit->source].low && hit->place <= ranges[hit->source].high;
}

/* The next one that is not here; logs_count(found): none. */
static size_t seek_beyond(const struct shown *s, const struct logs *found, int by)
{
	struct range ranges[LOG_SOURCES_MAX] = {{0, 0}};
	size_t n = logs_count(found), at = logs_cursor(s);
	int64_t from = at < logs_count(s->logs) ? logs_get(s->logs, at)->at : 0;
	size_t i = logs_find(found, by > 0 ? from : from + 1, 0);

	for (i = by > 0 ? i : i - 1; i < n; i += (size_t)by)
		if (!is_here(s, found, logs_get(found, i), ranges))
			return i;
	return n;
}

static struct spot spot_of_hit(const struct logs *found, const struct log_entry *hit)
{
	struct shown in_found = {.logs = found};

	return logs_spot(&in_found, hit);
}

static unsigned stand_on_hit(const struct shown *s, struct panel_view *view, const struct logs *found, size_t i)
{
	struct range ranges[LOG_SOURCES_MAX] = {{0, 0}};
	const struct log_entry *hit = logs_get(found, i);
	struct spot spot = spot_of_hit(found, hit);

	if (!is_here(s, found, hit, ranges))
		return ask_around(s, view, found, hit, spot);
	if (logs_count(s->logs))
		stand_at(s, find_spot(s, spot), s->l->height / 2);
	return REACT_HANDLED;
}

/* A search that goes on is waited for: what it finds first may not be the next. */
static unsigned go_beyond(const struct shown *s, struct panel_view *view)
{
	struct looking *l = s->l;
	const struct logs *found = view->lake->logs_found;
	int by = l->pending;
	size_t n, i;

	if (!found || !by)
		return REACT_HANDLED;
	n = logs_count(found);
	i = by > 0 || logs_whole(found) ? seek_beyond(s, found, by) : n;
	if (i == n && !logs_whole(found)) {
		view->again_ms = WANTED_MS;
		return REACT_HANDLED;
	}
	l->pending = 0;
	l->words = n ? NULL : l->sought_level ? "there is no error" : "not found";
	if (i == n && n) {
		i = by > 0 ? 0 : n - 1; /* round the end */
		l->words = "round the end";
		if (l->only || l->filter.match || s->level)
			l->words = "no more here; round the end";
	}
	if (i == n)
		return REACT_HANDLED;
	n = stand_on_hit(s, view, found, i);
	l->words = i == 0 || i + 1 == logs_count(found) ? l->words : NULL;
	return n == REACT_HANDLED ? REACT_HANDLED : REACT_LOGS | REACT_HANDLED;
}

static unsigned look_for(const struct shown *s, struct panel_view *view, const char *pattern, enum log_level least)
{
	struct looking *l = s->l;

	text_copy(l->sought, sizeof l->sought, text_of(pattern));
	l->sought_level = least;
	view->log_match = pattern[0] ? l->sought : NULL;
	view->log_least = least;
	view->again_ms = AGAIN_MS;
	return REACT_FIND | REACT_HANDLED;
}

static unsigned seek(const struct shown *s, struct panel_view *view, int by, bool errors)
{
	struct looking *l = s->l;
	bool same = view->lake->logs_found && !strcmp(l->sought, errors ? "" : l->search.typed) && l->sought_level == (errors ? LOG_ERROR : LOG_UNKNOWN);

	l->words = NULL;
	l->pending = 0;
	if (!errors && !l->search.match)
		return REACT_HANDLED;
	if (seek_here(s, by, errors))
		return same || errors ? REACT_HANDLED : look_for(s, view, l->search.typed, LOG_UNKNOWN);
	l->pending = by;
	return same ? go_beyond(s, view) : look_for(s, view, errors ? "" : l->search.typed, errors ? LOG_ERROR : LOG_UNKNOWN);
}

/* ---- to a moment ---- */

/* "-5m", "-90s", "-2h", "-1d": so long ago. */
static bool ago(const char *s, int64_t wall, int64_t *at)
{
	static const struct { char letter; int64_t ms; } units[] = {{'s', 1000}, {'m', 60000}, {'h', 3600000}, {'d', 86400000}};
	char *end;
	long long n;

	if (s[0] != '-' || s[1] < '0' || s[1] > '9')
		return false;
	n = strtoll(s + 1, &end, 10);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (*end == units[i].letter && n < 100000) {
			*at = wall - n * units[i].ms;
			return true;
		}
	return false;
}

/* "14:05", "14:05:09", today's, or yesterday's where that is still to come; "2026-11-29 14:05", "2026-11-29". */
static bool moment_of(const char *s, int64_t wall, int64_t *at)
{
	time_t today = (time_t)(wall / 1000);
	struct log_line_facts facts;
	size_t len = strlen(s);
	bool dated = len >= 10 && s[4] == '-';
	char line[80], day[12];
	struct tm tm;

	if (ago(s, wall, at))
		return true;
	localtime_r(&today, &tm);
	if (dated)
		snprintf(day, sizeof day, "%.10s", s);
	else if (strftime(day, sizeof day, "%Y-%m-%d", &tm) == 0)
		return false;
	s += dated ? len > 10 ? 11 : 10 : 0;
	snprintf(line, sizeof line, "%s %.20s%s", day, *s ? s : "00:00:00", strlen(s) == 5 ? ":00" : "");
	log_line_read(text_of(line), wall, &facts);
	*at = !dated && facts.at > wall ? facts.at - 86400000 : facts.at;
	return facts.at >= 0;
}

static unsigned jump(const struct shown *s, struct panel_view *view, const char *to)
{
	size_t n = logs_count(s->logs), i;
	int64_t at;

	if (!moment_of(to, view->lake->wall, &at)) {
		s->l->words = "that is no time: @14:05, @-5m, @2026-11-29 14:05";
		return REACT_HANDLED;
	}
	s->l->words = NULL;
	if (!n || (at < logs_get(s->logs, 0)->at && !logs_begins(s->logs)) || (at > logs_get(s->logs, n - 1)->at && !logs_ends(s->logs)))
		return ask_moment(s, view, at, ARRIVE_AT_TIME);
	i = logs_kept(s, logs_find(s->logs, at, 0), 1);
	i = i < n ? i : logs_kept(s, n - 1, -1);
	if (i < n)
		stand_at(s, i, s->l->height / 2);
	return REACT_HANDLED;
}

/* ---- lines ---- */

static void toggle_open(const struct shown *s)
{
	size_t at = logs_cursor(s);
	struct looking *l = s->l;
	uint64_t number;

	if (at == logs_count(s->logs))
		return;
	number = logs_get(s->logs, at)->number;
	stand_at(s, at, l->detached ? l->row : l->height - 1);
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
	if (!step(s, 1, 1))
		stand_at(s, at, l->row);
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

/* ---- opened, and what came ---- */

static unsigned open_logs(struct looking *l, struct panel_view *view, bool all)
{
	const char *subject = all ? "" : view->subject ? view->subject : "";
	const struct service *service = lake_service(view->lake, subject);

	l->asked = true;
	l->detached = l->coming = false;
	l->only = 0;
	l->levels = 0;
	l->part = (struct log_part){0};
	l->pending = 0;
	l->words = NULL;
	text_copy(l->subject, sizeof l->subject, text_of(subject));
	text_copy(l->page, sizeof l->page, text_of(view->subject));
	view->log_service = subject[0] ? l->subject : NULL;
	l->wanted = view->log_since;
	/* of what does not serve: the moment when it broke */
	if (!l->wanted && service && service->verdict.begun && service->verdict.since_wall && service_verdict(service) != VERDICT_SERVING)
		l->wanted = service->verdict.since_wall;
	view->log_since = l->wanted;
	l->sifted[0] = '\0';
	l->sifted_level = LOG_UNKNOWN;
	view->again_ms = l->wanted ? WANTED_MS : 0;
	return REACT_LOGS | REACT_HANDLED;
}

/* What was asked for is there: where to stand in it. */
static unsigned arrive(const struct shown *s, struct panel_view *view)
{
	struct looking *l = s->l;
	size_t n = logs_count(s->logs), i = n;
	enum act again = l->again;

	l->coming = false;
	l->again = ACT_NONE;
	l->n_opened = 0;
	if (l->arrival == ARRIVE_FOLLOWS || !n) {
		l->detached = l->detached && n;
		return REACT_HANDLED;
	}
	if (l->arrival == ARRIVE_AT_SPOT)
		i = find_spot(s, l->spot);
	else if (l->arrival == ARRIVE_AT_TIME)
		i = logs_kept(s, logs_find(s->logs, l->spot.at, 0), 1);
	else if (l->arrival == ARRIVE_AT_TOP)
		i = logs_kept(s, 0, 1);
	if (i >= n)
		i = logs_kept(s, n - 1, -1);
	if (i < n)
		stand_at(s, i, l->arrival == ARRIVE_AT_TOP ? 0 : again ? l->row : l->height / 2);
	if (again)
		walk(s, view, again);
	return REACT_HANDLED;
}

/* Only what is typed now, in all that there is; where that was so before, it is so still. */
static unsigned sift(const struct shown *s, struct panel_view *view)
{
	struct looking *l = s->l;
	const char *pattern = l->filter.match && !l->filter.out ? l->filter.typed : "";
	enum log_level level = s->level >= LOG_WARN ? s->level : LOG_UNKNOWN;
	size_t at;

	if (!s->logs || (!strcmp(pattern, l->sifted) && level == l->sifted_level))
		return REACT_HANDLED;
	at = logs_cursor(s);
	if (!l->detached || at == logs_count(s->logs))
		return ask_live(s, view);
	if (pattern[0] || level) {
		l->spot = logs_spot(s, logs_get(s->logs, at));
		l->part = (struct log_part){0};
		return ask_for(s, view, ARRIVE_AT_SPOT);
	}
	return ask_around(s, view, s->logs, logs_get(s->logs, at), logs_spot(s, logs_get(s->logs, at)));
}

static unsigned refresh(const struct shown *s, struct panel_view *view)
{
	struct looking *l = s->l;
	unsigned reactions = REACT_HANDLED;

	if (!s->logs || strcmp(l->page, view->subject ? view->subject : "") != 0)
		return open_logs(l, view, false);
	if (l->coming && logs_serial(s->logs) != l->serial)
		reactions = arrive(s, view);
	else if (l->coming)
		view->again_ms = AGAIN_MS;
	else if (l->pending)
		reactions = go_beyond(s, view);
	if (l->wanted && logs_caught_up(s->logs)) {
		size_t i = logs_kept(s, logs_find(s->logs, l->wanted, 0), 1);

		if (i < logs_count(s->logs))
			stand_at(s, i, l->height / 2);
		l->wanted = 0;
	}
	if (l->wanted && !view->again_ms)
		view->again_ms = WANTED_MS;
	return reactions;
}

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
	return sift(s, view);
}

static unsigned find(const struct shown *s, struct panel_view *view, int by)
{
	if (view->search && view->search[0] == '@')
		return jump(s, view, view->search + 1);
	return seek(s, view, by, false);
}

/* What moves, and what may ask for more. */
static unsigned move(const struct shown *s, struct panel_view *view, enum act what)
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
	case ACT_NEXT_ERROR: case ACT_PREVIOUS_ERROR:
		return seek(s, view, what == ACT_NEXT_ERROR ? 1 : -1, true);
	case ACT_FIND_NEXT: case ACT_FIND_PREVIOUS:
		return find(s, view, what == ACT_FIND_NEXT ? 1 : -1);
	default:
		return REACT_NONE;
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
		return refresh(&s, view);
	if (what == ACT_LOGS)
		return open_logs(l, view, view->by_hand);
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
		return sift(&s, view);
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
