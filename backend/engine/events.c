// SPDX-License-Identifier: MIT
/*
 * What happened, when, for how long. Kept in a ring on the lake and, one JSON line each, in
 * STATE/events.jsonl: whole lines by O_APPEND. Of several laketops on one profile the first writes,
 * by a lock that ends with it, and another takes over; each shows what it saw itself. What no
 * profile names comes and goes by itself: beside a profile it is shown and not written, and makes
 * room first. UI thread; the file is on a local disk and a line is small.
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

enum { EVENTS_FILE_MAX = 1 << 20, TAIL_MAX = 256 << 10, PROFILE_MAX = 128 };

static struct event *event_new(struct lake *lake)
{
	size_t old = 0;

	if (!lake->events)
		lake->events = mem_new(LAKE_EVENTS, sizeof *lake->events);
	if (lake->n_events == LAKE_EVENTS) {
		while (old < LAKE_EVENTS && !lake->events[old].found)
			old++;
		if (old == LAKE_EVENTS)
			old = 0;
		memmove(lake->events + old, lake->events + old + 1, (LAKE_EVENTS - 1 - old) * sizeof *lake->events);
		lake->n_events--;
	}
	return &lake->events[lake->n_events++];
}

static const char *profile_name(const struct engine *e)
{
	return e->profile->name ? e->profile->name : "";
}

/* Two files may give their profiles one name. */
static const char *profile_place(const struct engine *e)
{
	return e->profile->place ? e->profile->place : "";
}

/* Is it ours to write? The lock lies far beyond the file's end, at a place for this host and profile. */
static bool may_write(struct engine *e)
{
	uint64_t place = UINT64_C(14695981039346656037); /* FNV-1a */
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};

	if (e->events_file < 0 || e->events_ours)
		return e->events_ours;
	for (int part = 0; part < 3; part++)
		for (const char *at = part == 2 ? profile_place(e) : part ? profile_name(e) : e->lake.host; at && *at; at++)
			place = (place ^ (unsigned char)*at) * UINT64_C(1099511628211);
	lock.l_start = (off_t)(INT64_C(1) << 40) + (off_t)(place >> 25);
	e->events_ours = fcntl(e->events_file, F_OFD_SETLK, &lock) == 0;
	return e->events_ours;
}

static void event_write(struct engine *e, const struct event *v)
{
	struct json_writer w;
	struct buf line;

	if (!may_write(e) || (v->found && e->profile->name))
		return;
	buf_init(&line, 2048);
	json_begin(&w, &line, false);
	json_open(&w, NULL, '{');
	json_put_time(&w, "at", v->wall);
	json_put_i64(&w, "wall_ms", v->wall);
	json_put_text(&w, "host", e->lake.host);
	json_put_text(&w, "profile", profile_name(e));
	json_put_text(&w, "file", profile_place(e));
	json_put_text(&w, "service", v->service);
	json_put_text(&w, "severity", severity_word(v->severity));
	json_put_text(&w, "words", v->words);
	json_close(&w, '}');
	buf_puts(&line, "\n");
	if (write(e->events_file, line.at, line.len) < 0) {
		log_say("events", "cannot write the event log: it is off from here");
		close(e->events_file);
		e->events_file = -1;
		e->events_ours = false;
	}
	buf_free(&line);
}

static bool is_found(const struct engine *e, const char *service)
{
	const struct service *s = lake_service(&e->lake, service);

	return s && !s->expected;
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
	v->found = is_found(e, service);
	event_write(e, v);
}

/* Earlier runs' events of this host and profile, so that "Changes" does not begin empty. Old lines name no file: they are of all of the name. */
static void events_read(struct engine *e, const char *path)
{
	struct buf tail;
	struct text rest, line;
	struct json_writer w;
	struct buf mark;

	buf_init(&mark, 2 * PROFILE_MAX);
	json_begin(&w, &mark, false);
	json_open(&w, NULL, '{');
	json_put_text(&w, "profile", profile_name(e));
	buf_init(&tail, TAIL_MAX);
	e->host->read_tail(e->host, path, TAIL_MAX, &tail, NULL);
	rest = buf_text(&tail);
	while (text_line(&rest, &line)) {
		struct json *j = text_has(line, buf_text(&mark).at + 1) ? json_parse(line, NULL) : NULL; /* most are of others */
		const char *service = json_string(json_get(j, "service")), *words = json_string(json_get(j, "words"));
		const char *host = json_string(json_get(j, "host")), *profile = json_string(json_get(j, "profile"));
		const char *severity = json_string(json_get(j, "severity")), *file = json_string(json_get(j, "file"));
		int64_t wall;

		if (service && words && host && profile && !strcmp(host, e->lake.host) && !strcmp(profile, profile_name(e)) &&
			(!file || !strcmp(file, profile_place(e))) && json_moment(json_get(j, "wall_ms"), &wall)) {
			struct event *v = event_new(&e->lake);

			*v = (struct event){.number = ++e->event_number, .wall = wall};
			text_clean(v->service, sizeof v->service, text_of(service));
			text_clean(v->words, sizeof v->words, text_of(words));
			severity_named(severity, &v->severity);
		}
		json_free(j);
	}
	buf_free(&mark);
	buf_free(&tail);
}

void events_open(struct engine *e)
{
	char path[512], old[520];
	struct stat st;

	e->events_file = -1;
	if (!e->options.state_dir || e->options.replay) /* what is replayed was written when it happened */
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
