// SPDX-License-Identifier: MIT
/*
 * The logs that somebody looks at: one timeline at a time, opened when it is wanted, closed a while after nobody looks.
 * What came is taken at once where it is little; a flood is taken about twice a second, so that a terminal far away
 * gets pictures and not every line. UI thread.
 */
#include <stdio.h>
#include <string.h>

#include "actor.h"
#include "logs.h"

enum { FLOOD_MS = 450, UNWATCHED_MS = 60000, CLOSE_MS = 50, FLOOD_LINES = 12, COMING_MS = 700, FOUND_MAX = 50000 };

static size_t sources_of(struct engine *e, struct log_source *sources)
{
	size_t n = 0;

	if (e->options.replay)
		return 0;
	if (e->logs_service[0])
		return log_sources_named(&e->lake, e->logs_service, sources, 0, LOG_SOURCES_MAX);
	for (size_t i = 0; i < e->lake.n_services; i++)
		n = log_sources_of(&e->lake, e->lake.services[i], sources, n, LOG_SOURCES_MAX);
	if (e->options.state_dir && n < LOG_SOURCES_MAX) {
		sources[n] = (struct log_source){.kind = LOG_EVENTS, .service = "laketop"};
		snprintf(sources[n].at, sizeof sources[n].at, "%.240s/events.jsonl", e->options.state_dir);
		n++;
	}
	return n;
}

static void show(struct engine *e)
{
	logs_turn(e->logs_coming);
	logs_close(e->logs, CLOSE_MS);
	e->lake.logs = e->logs = e->logs_coming;
	e->logs_coming = NULL;
	e->logs_next = 0;
	e->lake.turn++;
}

void engine_open_logs(struct engine *e, const struct log_wish *wish)
{
	struct log_source sources[LOG_SOURCES_MAX];
	struct log_options options = {.host = e->host, .sources = sources, .follow = !wish->part.is, .part = wish->part, .news = engine_news, .ctx = e,
		.match = wish->match[0] ? wish->match : NULL, .least = wish->least, .around = wish->since != 0};
	bool sifted = options.match || options.least;

	if (strcmp(e->logs_service, wish->service) != 0)
		engine_search_logs(e, NULL, LOG_UNKNOWN);
	text_copy(e->logs_service, sizeof e->logs_service, text_of(wish->service));
	options.n = sources_of(e, sources);
	options.since = wish->since ? wish->since - LOGS_BEFORE_MS : sifted && !wish->part.is ? 1 : 0;
	logs_close(e->logs_coming, CLOSE_MS);
	e->logs_coming = logs_open(&options);
	e->logs_watched = clock_ms();
	e->logs_wait = e->logs_watched + COMING_MS;
	if (!e->logs || !(wish->part.is || sifted))
		show(e);
}

void engine_search_logs(struct engine *e, const char *match, int least)
{
	struct log_source sources[LOG_SOURCES_MAX];

	logs_close(e->logs_found, CLOSE_MS);
	e->lake.logs_found = e->logs_found = NULL;
	e->lake.turn++;
	if (!match && !least)
		return;
	e->lake.logs_found = e->logs_found = logs_open(&(struct log_options){.host = e->host, .sources = sources, .n = sources_of(e, sources), .since = 1,
		.match = match, .least = (enum log_level)least, .brief = true, .most = FOUND_MAX, .bytes = SIZE_MAX, .news = engine_news, .ctx = e});
}

void logs_end(struct engine *e, int64_t ms)
{
	logs_close(e->logs, ms);
	logs_close(e->logs_coming, ms);
	logs_close(e->logs_found, ms);
	e->lake.logs = e->logs = e->logs_coming = NULL;
	e->lake.logs_found = e->logs_found = NULL;
}

void engine_watch_logs(struct engine *e, bool watched)
{
	if (watched)
		e->logs_watched = clock_ms();
}

/* What is looked for tells how far it is, found or not. */
static void take_found(struct engine *e)
{
	if (e->logs_found && !logs_whole(e->logs_found)) {
		logs_turn(e->logs_found);
		e->lake.turn++;
	} else if (e->logs_found && logs_turn(e->logs_found))
		e->lake.turn++;
}

void logs_take(struct engine *e)
{
	size_t had;

	if ((e->logs || e->logs_coming) && e->lake.now - e->logs_watched > UNWATCHED_MS) {
		logs_end(e, CLOSE_MS);
		return;
	}
	take_found(e);
	if (e->logs_coming) {
		logs_turn(e->logs_coming);
		if (logs_caught_up(e->logs_coming) || e->lake.now >= e->logs_wait)
			show(e);
	}
	if (!e->logs)
		return;
	if (e->lake.now < e->logs_next) { /* not every picture, but every line */
		e->logs_hidden = (logs_pressed(e->logs) && logs_turn(e->logs)) || e->logs_hidden;
		return;
	}
	had = logs_count(e->logs) + (size_t)logs_gone(e->logs);
	if (!logs_turn(e->logs) && !e->logs_hidden)
		return;
	e->lake.turn++;
	if (e->logs_hidden || logs_count(e->logs) + (size_t)logs_gone(e->logs) - had > FLOOD_LINES)
		e->logs_next = e->lake.now + FLOOD_MS;
	e->logs_hidden = false;
}

int64_t logs_due(const struct engine *e, int64_t due)
{
	if (e->logs_coming && e->logs_wait < due)
		due = e->logs_wait;
	return e->logs && e->logs_next > e->lake.now && e->logs_next < due ? e->logs_next : due;
}
