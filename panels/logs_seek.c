// SPDX-License-Identifier: MIT
/*
 * Looking for the next line that matches, or the next error: first in what is here, then in all that there is,
 * where a search goes on in the background. UI thread only.
 */
#include <string.h>

#include "logs_own.h"

static bool is_sought(const struct shown *s, const struct log_entry *e, bool errors)
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
		if (logs_keeps(s, i) && is_sought(s, logs_get(s->logs, i), errors)) {
			logs_stand_at(s, i, s->l->height / 2);
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
		return logs_ask_around(s, view, found, hit, spot);
	if (logs_count(s->logs))
		logs_stand_at(s, logs_find_spot(s, spot), s->l->height / 2);
	return REACT_HANDLED;
}

/* A search that goes on is waited for: what it finds first may not be the next. */
unsigned logs_seek_on(const struct shown *s, struct panel_view *view)
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
	if (i > 0 && i + 1 < n)
		l->words = NULL;
	return stand_on_hit(s, view, found, i);
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

unsigned logs_seek(const struct shown *s, struct panel_view *view, int by, bool errors)
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
	return same ? logs_seek_on(s, view) : look_for(s, view, errors ? "" : l->search.typed, errors ? LOG_ERROR : LOG_UNKNOWN);
}
