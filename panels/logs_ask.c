// SPDX-License-Identifier: MIT
/*
 * Which part of the logs is here, and which is asked for: what comes, what was in sight at a moment, what stands
 * around a line. When it came, the cursor stands on the same line as before. UI thread only.
 */
#include <string.h>

#include "logs_own.h"
#include "show.h"

/* ---- asked for ---- */

unsigned logs_ask_first(struct looking *l, struct panel_view *view, bool all)
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

/* What is left out while it is read, not only when it is drawn: its pattern, "" none, and its level. */
static const char *sieve_of(const struct shown *s, enum log_level *level)
{
	*level = s->level >= LOG_WARN ? s->level : LOG_UNKNOWN;
	return s->l->filter.match && !s->l->filter.out ? s->l->filter.typed : "";
}

static unsigned ask_for(const struct shown *s, struct panel_view *view, enum arrival arrival)
{
	struct looking *l = s->l;

	text_copy(l->sifted, sizeof l->sifted, text_of(sieve_of(s, &l->sifted_level)));
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

unsigned logs_ask_live(const struct shown *s, struct panel_view *view)
{
	s->l->part = (struct log_part){0};
	s->l->detached = false;
	return ask_for(s, view, ARRIVE_FOLLOWS);
}

unsigned logs_ask_moment(const struct shown *s, struct panel_view *view, int64_t at, enum arrival arrival)
{
	s->l->part = (struct log_part){.is = true, .at = at, .place = -1};
	s->l->spot = (struct spot){.at = at, .place = -1};
	return ask_for(s, view, arrival);
}

unsigned logs_ask_around(const struct shown *s, struct panel_view *view, const struct logs *of, const struct log_entry *e, struct spot spot)
{
	s->l->part = (struct log_part){.is = true, .at = e->at, .place = e->place};
	text_copy(s->l->part.file, sizeof s->l->part.file, text_of(logs_source(of, e->source)->at));
	s->l->spot = spot;
	return ask_for(s, view, ARRIVE_AT_SPOT);
}

/* Where what is left out is the same as before, nothing is read. */
unsigned logs_sift(const struct shown *s, struct panel_view *view)
{
	struct looking *l = s->l;
	enum log_level level;
	const char *pattern = sieve_of(s, &level);
	size_t at;

	if (!s->logs || (!strcmp(pattern, l->sifted) && level == l->sifted_level))
		return REACT_HANDLED;
	at = logs_cursor(s);
	if (!l->detached || at == logs_count(s->logs))
		return logs_ask_live(s, view);
	if (pattern[0] || level) {
		l->spot = logs_spot(s, logs_get(s->logs, at));
		l->part = (struct log_part){0};
		return ask_for(s, view, ARRIVE_AT_SPOT);
	}
	return logs_ask_around(s, view, s->logs, logs_get(s->logs, at), logs_spot(s, logs_get(s->logs, at)));
}

/* ---- and what came ---- */

size_t logs_find_spot(const struct shown *s, struct spot spot)
{
	size_t n = logs_count(s->logs), first = logs_find(s->logs, spot.at, 0);

	for (size_t i = first; i < n && logs_get(s->logs, i)->at == spot.at; i++) {
		struct spot here = logs_spot(s, logs_get(s->logs, i));

		if (here.source == spot.source && here.place == spot.place && (!spot.text || here.text == spot.text))
			return i;
	}
	return first < n ? first : n ? n - 1 : n;
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
		i = logs_find_spot(s, l->spot);
	else if (l->arrival == ARRIVE_AT_TIME)
		i = logs_kept(s, logs_find(s->logs, l->spot.at, 0), 1);
	else if (l->arrival == ARRIVE_AT_TOP)
		i = logs_kept(s, 0, 1);
	if (i >= n)
		i = logs_kept(s, n - 1, -1);
	if (i < n)
		logs_stand_at(s, i, l->arrival == ARRIVE_AT_TOP ? 0 : again ? l->row : l->height / 2);
	if (again)
		logs_go_again(s, view, again);
	return REACT_HANDLED;
}

unsigned logs_refresh(const struct shown *s, struct panel_view *view)
{
	struct looking *l = s->l;
	unsigned reactions = REACT_HANDLED;

	if (!s->logs || strcmp(l->page, view->subject ? view->subject : "") != 0)
		return logs_ask_first(l, view, false);
	if (l->coming && logs_serial(s->logs) != l->serial)
		reactions = arrive(s, view);
	else if (l->coming)
		view->again_ms = AGAIN_MS;
	else if (l->pending)
		reactions = logs_seek_on(s, view);
	if (l->wanted && logs_caught_up(s->logs)) {
		size_t i = logs_kept(s, logs_find(s->logs, l->wanted, 0), 1);

		if (i < logs_count(s->logs))
			logs_stand_at(s, i, l->height / 2);
		l->wanted = 0;
	}
	if (l->wanted && !view->again_ms)
		view->again_ms = WANTED_MS;
	return reactions;
}
