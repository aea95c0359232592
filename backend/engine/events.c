// SPDX-License-Identifier: MIT
/*
 * What happened, when, for how long. Kept in a ring on the lake and, one JSON line each, in
 * STATE/events.jsonl: whole lines by O_APPEND, so that two laketops share it safely. UI thread;
 * the file is on a local disk and a line is small.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actor.h"
#include "json.h"
#include "log.h"

enum { EVENTS_FILE_MAX = 1 << 20, TAIL_MAX = 64 << 10 };
static const char *const severities[] = {[SEVERITY_INFO] = "info", [SEVERITY_WARNING] = "warning", [SEVERITY_BLOCKING] = "blocking"};

static struct event *event_new(struct lake *lake)
{
	if (!lake->events)
		lake->events = mem_new(LAKE_EVENTS, sizeof *lake->events);
	if (lake->n_events == LAKE_EVENTS) {
		memmove(lake->events, lake->events + 1, (LAKE_EVENTS - 1) * sizeof *lake->events);
		lake->n_events--;
	}
	return &lake->events[lake->n_events++];
}

static void event_write(struct engine *e, const struct event *v)
{
	struct json_writer w;
	struct buf line;

	if (e->events_file < 0)
		return;
	buf_init(&line, 2048);
	json_begin(&w, &line, false);
	json_open(&w, NULL, '{');
	json_put_time(&w, "at", v->wall);
	json_put_i64(&w, "wall_ms", v->wall);
	json_put_text(&w, "host", e->lake.host);
	json_put_text(&w, "service", v->service);
	json_put_text(&w, "severity", severities[v->severity]);
	json_put_text(&w, "words", v->words);
	json_close(&w, '}');
	buf_puts(&line, "\n");
	if (write(e->events_file, line.at, line.len) < 0) {
		log_say("events", "cannot write the event log: it is off from here");
		close(e->events_file);
		e->events_file = -1;
	}
	buf_free(&line);
}

void event_say(struct engine *e, enum severity severity, const char *service, const char *format, ...)
{
	struct event *v = event_new(&e->lake);
	char words[512];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof words, format, args);
	va_end(args);
	*v = (struct event){.number = ++e->event_number, .wall = e->lake.wall, .severity = severity};
	text_clean(v->service, sizeof v->service, text_of(service));
	text_clean(v->words, sizeof v->words, text_of(words));
	event_write(e, v);
}

/* Earlier runs' events of this host, so that "Changes" does not begin empty. */
static void events_read(struct engine *e, const char *path)
{
	struct buf tail;
	struct text rest, line;

	buf_init(&tail, TAIL_MAX);
	e->host->read_tail(e->host, path, TAIL_MAX, &tail, NULL);
	rest = buf_text(&tail);
	while (text_line(&rest, &line)) {
		struct json *j = json_parse(line, NULL);
		const char *service = json_string(json_get(j, "service")), *words = json_string(json_get(j, "words"));
		const char *host = json_string(json_get(j, "host")), *severity = json_string(json_get(j, "severity"));
		int64_t wall;

		if (service && words && host && !strcmp(host, e->lake.host) && json_i64(json_get(j, "wall_ms"), &wall)) {
			struct event *v = event_new(&e->lake);

			*v = (struct event){.number = ++e->event_number, .wall = wall};
			text_clean(v->service, sizeof v->service, text_of(service));
			text_clean(v->words, sizeof v->words, text_of(words));
			for (int s = SEVERITY_INFO; severity && s <= SEVERITY_BLOCKING; s++)
				if (!strcmp(severity, severities[s]))
					v->severity = (enum severity)s;
		}
		json_free(j);
	}
	buf_free(&tail);
}

void events_open(struct engine *e)
{
	char path[512], old[520];
	struct stat st;

	e->events_file = -1;
	if (!e->options.state_dir)
		return;
	mkdir(e->options.state_dir, 0700);
	snprintf(path, sizeof path, "%s/events.jsonl", e->options.state_dir);
	snprintf(old, sizeof old, "%s.1", path);
	if (stat(path, &st) == 0 && st.st_size > EVENTS_FILE_MAX)
		rename(path, old);
	events_read(e, path);
	/* whatever lies there must not hold up the start: a FIFO would until somebody reads it */
	e->events_file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
	if (e->events_file >= 0 && (fstat(e->events_file, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(e->events_file);
		e->events_file = -1;
	}
	if (e->events_file < 0)
		log_say("events", "cannot keep events in %s", path);
}
