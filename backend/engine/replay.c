// SPDX-License-Identifier: MIT
/*
 * A run as a file: a first line with the profile (without credentials), then one snapshot a line.
 * Replay publishes them at their own pace; the same store and judge make the same lake of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actor.h"
#include "catalog.h"
#include "json.h"
#include "log.h"
#include "report.h"

enum { HEADER_MAX = 1 << 20, STEP_MAX_MS = 10000 };

static void put_key(struct buf *out, const char *key, const char *value)
{
	if (value)
		buf_printf(out, "%s = %s\n", key, value);
}

static void put_list(struct buf *out, const char *key, const char *const *list)
{
	if (!list || !list[0])
		return;
	buf_printf(out, "%s =", key);
	for (size_t i = 0; list[i]; i++)
		buf_printf(out, " %s", list[i]);
	buf_puts(out, "\n");
}

/* The profile as INI, without what is secret or only true on the recorded machine. */
static void profile_write(const struct profile *p, struct buf *out)
{
	buf_printf(out, "[laketop]\n");
	put_key(out, "profile", p->name);
	buf_puts(out, p->mute ? "[host]\n" : "");
	put_list(out, "mute", p->mute);
	for (size_t i = 0; i < p->n_services; i++) {
		const struct expectation *x = &p->services[i];

		buf_printf(out, "[service %s]\n", x->name);
		put_key(out, "kind", x->kind ? x->kind->name : "other");
		put_key(out, "group", x->group);
		put_key(out, "address", x->address);
		for (size_t k = 0; k < x->n_ports; k++)
			buf_printf(out, "port%s%s = %u\n", x->ports[k].role ? "." : "", x->ports[k].role ? x->ports[k].role : "", x->ports[k].port);
		put_key(out, "version", x->version);
		put_key(out, "required", x->required ? "yes" : "no");
		put_list(out, "needs", x->needs);
		put_key(out, "container", x->container);
		put_key(out, "unit", x->unit);
		put_key(out, "process", x->process);
		put_key(out, "pidfile", x->pidfile); /* its number is in the pulses; nothing reads it here */
		put_list(out, "mute", x->mute);
		if (x->grace_ms)
			buf_printf(out, "grace = %lld\n", (long long)(x->grace_ms / 1000));
	}
	for (size_t i = 0; i < p->n_streams; i++) {
		buf_printf(out, "[stream %s]\n", p->streams[i].name);
		put_key(out, "checkpoint", p->streams[i].checkpoint);
		put_key(out, "kafka", p->streams[i].kafka);
		put_key(out, "storage", p->streams[i].storage);
	}
	for (size_t i = 0; i < p->n_catalogs; i++) {
		const struct catalog *c = &p->catalogs[i];

		buf_printf(out, "[catalog %s]\n", c->name);
		put_key(out, "kind", c->kind->name);
		put_key(out, "service", c->service ? c->service->name : NULL);
		put_key(out, "role", c->role);
		put_key(out, "warehouse", c->warehouse);
		put_key(out, "path", c->path);
		put_key(out, "realm", c->realm);
		put_list(out, "folders", c->folders);
		put_key(out, "storage", c->storage);
		put_key(out, "engine", c->engine);
		put_key(out, "engine_catalog", c->engine_catalog);
		put_key(out, "trino_catalog", c->trino_catalog);
	}
	for (size_t i = 0; i < p->n_demos; i++) {
		buf_printf(out, "[demo %s]\n", p->demos[i].name);
		put_list(out, "services", p->demos[i].services);
	}
}

bool replay_header_write(struct engine *e, struct buf *out)
{
	struct json_writer w;
	struct buf ini;

	buf_init(&ini, HEADER_MAX);
	profile_write(e->profile, &ini);
	json_begin(&w, out, false);
	json_open(&w, NULL, '{');
	json_put_text(&w, "laketop_recording", "1");
	json_put_text(&w, "host", e->host->name);
	json_put_time(&w, "at", clock_wall_ms());
	json_put_text(&w, "profile", buf_text(&ini).at);
	json_close(&w, '}');
	buf_puts(out, "\n");
	buf_free(&ini);
	return !out->full;
}

/* A line of at most SNAPSHOT_CATALOG_CAP * 2 bytes, without its end. False at the end of the file. */
static bool read_line(FILE *f, char **line, size_t *size, struct text *out)
{
	ssize_t n = getline(line, size, f);

	if (n <= 0 || n > (ssize_t)SNAPSHOT_CATALOG_CAP * 2)
		return false;
	*out = text_trim((struct text){*line, (size_t)n});
	return true;
}

static const char named[] = "[laketop]\nprofile";

struct profile *replay_profile(const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");
	struct profile *p = NULL;
	struct json *header = NULL;
	struct text t = {0};
	char *line = NULL;
	size_t size = 0;

	if (!f) {
		err_set(err, ERR_USAGE, "%s: cannot be read", path);
		return NULL;
	}
	if (read_line(f, &line, &size, &t))
		header = json_parse(t, NULL);
	if (json_string(json_get(header, "laketop_recording"))) {
		struct host *host = host_local();

		struct text ini = text_of(json_string(json_get(header, "profile")));

		p = profile_parse(host, ini, path, err);
		if (p && !text_starts(ini, named))
			p->name = NULL; /* there was none: all that was found counts */
		host->close(host);
	} else {
		err_set(err, ERR_USAGE, "%s:1: this is no recording of laketop (--record FILE makes one)", path);
	}
	json_free(header);
	free(line);
	fclose(f);
	return p;
}

/* Room among the answers: what is replayed must all arrive. False: the program ends. */
static bool wait_for_room(struct engine *e)
{
	for (;;) {
		bool room;

		pthread_mutex_lock(&e->lock);
		room = e->n_answers < sizeof e->answers / sizeof *e->answers;
		pthread_mutex_unlock(&e->lock);
		if (room)
			return true;
		if (wait_fd(actor_wait(e, 10), -1, 0) < 0)
			return false;
	}
}

void *actor_replay(void *arg)
{
	struct actor *a = arg;
	struct engine *e = a->engine;
	FILE *f = fopen(e->options.replay, "re");
	char *line = NULL;
	size_t size = 0, number = 0;
	int64_t before = 0;
	struct text t;

	while (f && read_line(f, &line, &size, &t)) {
		struct err err = {0};
		struct snapshot *s;

		if (number++ == 0)
			continue; /* the header */
		s = snapshot_read(t, &err);
		if (!s) {
			log_say("replay", "%s:%zu: %s", e->options.replay, number, err.words);
			continue;
		}
		if (before && s->wall > before && e->options.replay_speed > 0) {
			int64_t step = (int64_t)((double)(s->wall - before) / e->options.replay_speed);

			wait_fd(actor_wait(e, step < STEP_MAX_MS ? step : STEP_MAX_MS), -1, 0);
		}
		before = s->wall;
		s->begun = clock_ms() - (s->ended - s->begun);
		s->ended = clock_ms();
		if (!wait_for_room(e)) {
			snapshot_unref(s);
			break;
		}
		engine_publish(e, a, s);
	}
	free(line);
	if (f)
		fclose(f);
	atomic_store(&e->replay_done, true);
	return NULL;
}

/* Of one that was found: its name ends with its port, the recorded listeners tell the address. */
static struct endpoint where_it_was(const struct engine *e, const char *name)
{
	const struct facts *f = e->lake.facts;
	const char *colon = strrchr(name, ':');
	int64_t port = 0;

	if (!colon || !text_i64(text_of(colon + 1), &port) || port <= 0 || port > UINT16_MAX)
		return found_endpoint("*", 0);
	for (size_t i = 0; f && i < f->n_listeners; i++)
		if (f->listeners[i].port == port)
			return found_endpoint(f->listeners[i].address, (uint16_t)port);
	return found_endpoint("*", (uint16_t)port);
}

void replay_take(struct engine *e, struct snapshot *s)
{
	struct endpoint at;

	if (e->options.replay && (s->part == PART_HOST || !e->host_news))
		e->lake.wall = s->wall; /* what begins now began then */
	if (s->part == PART_HOST || s->part == PART_DOCKER) {
		e->lake.replayed = true;
		take_host(e, s);
		return;
	}
	if (s->part == PART_STREAM || s->part == PART_CATALOG) {
		if (!(s->part == PART_STREAM ? stream_take : catalog_take)(e, s))
			snapshot_unref(s);
		return;
	}
	for (size_t i = 0; i < e->n_members; i++)
		if (!strcmp(e->members[i]->service.name, s->source)) {
			store_take(e, e->members[i], s);
			return;
		}
	if (e->options.replay && s->who.kind && !text_starts(text_of(s->source), "port:")) {
		at = where_it_was(e, s->source);
		store_take(e, member_add(e, s->source, NULL, s->who.kind, &at), s);
		return;
	}
	snapshot_unref(s); /* the listener went away while it was asked */
}
