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

enum { FLOOD_MS = 450, UNWATCHED_MS = 60000, CLOSE_MS = 50, FLOOD_LINES = 12 };

void engine_open_logs(struct engine *e, const char *service, int64_t since)
{
	struct log_source sources[LOG_SOURCES_MAX];
	size_t n = 0;

	logs_close(e->logs, CLOSE_MS);
	if (service && !e->options.replay)
		n = log_sources_named(&e->lake, service, sources, n, LOG_SOURCES_MAX);
	for (size_t i = 0; !service && i < e->lake.n_services && !e->options.replay; i++)
		n = log_sources_of(&e->lake, e->lake.services[i], sources, n, LOG_SOURCES_MAX);
	if (!service && e->options.state_dir && !e->options.replay && n < LOG_SOURCES_MAX) {
		sources[n] = (struct log_source){.kind = LOG_EVENTS, .service = "laketop"};
		snprintf(sources[n].at, sizeof sources[n].at, "%.240s/events.jsonl", e->options.state_dir);
		n++;
	}
	e->logs = logs_open(&(struct log_options){.host = e->host, .sources = sources, .n = n, .since = since ? since - LOGS_BEFORE_MS : 0, .around = true, .follow = true,
		.news = engine_news, .ctx = e});
	e->lake.logs = e->logs;
	e->logs_next = 0;
	e->logs_watched = clock_ms();
}

void engine_watch_logs(struct engine *e, bool watched)
{
	if (watched)
		e->logs_watched = clock_ms();
}

void logs_take(struct engine *e)
{
	size_t had;

	if (!e->logs)
		return;
	if (e->lake.now - e->logs_watched > UNWATCHED_MS) {
		logs_close(e->logs, CLOSE_MS);
		e->lake.logs = e->logs = NULL;
		return;
	}
	if (e->lake.now < e->logs_next)
		return;
	had = logs_count(e->logs) + (size_t)logs_gone(e->logs);
	if (!logs_turn(e->logs))
		return;
	e->lake.turn++;
	if (logs_count(e->logs) + (size_t)logs_gone(e->logs) - had > FLOOD_LINES)
		e->logs_next = e->lake.now + FLOOD_MS;
}

int64_t logs_due(const struct engine *e, int64_t due)
{
	return e->logs && e->logs_next > e->lake.now && e->logs_next < due ? e->logs_next : due;
}
