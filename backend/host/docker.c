// SPDX-License-Identifier: MIT
/*
 * Containers, from the Docker Engine API over the host's own socket. One request per look: the
 * list of all. A container is inspected when it is new, when its state, image or exit code
 * changed, or when its status words are younger than what we know; its image is asked then too. A
 * list that is the same to the byte is not read again.
 *
 * The version is negotiated: ours at most, the daemon's at most, and the daemon's own once where
 * that is refused (29.0 raised its minimum). One actor's thread.
 * Source: Docker Engine API 1.41 (20.10.24), moby api/docs/CHANGELOG.md, docker/cli for contexts.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "docker.h"
#include "host.h"
#include "json.h"
#include "net.h"

enum {
	LIST_MAX = 16 << 20, ANSWER_MAX = 1 << 20, CONFIG_MAX = 256 * 1024, PATH_SIZE = 108, PLACES_MAX = 8, CONTAINERS_MAX = 5000,
	PING_MS = 2000, IMAGES_MAX = 64, VERSION_SIZE = 16, SLACK_MS = 250, YOUNG_MS = 3000,
};

struct entry { /* one container across looks */
	struct listed listed;
	struct container row;  /* with what inspect told */
	bool inspected;
	int64_t asked;         /* clock_ms() of that */
	bool other_clock;      /* it lived longer then, by our clock, than its words allow */
};

struct image { /* of this look only: containers share them */
	char name[NAME_SIZE * 2];
	int64_t created;
};

struct docker {
	struct net *net;
	char path[PATH_SIZE];  /* "": no engine yet */
	char api[VERSION_SIZE], theirs[VERSION_SIZE];
	char words[160];
	struct entry *entries;
	size_t n, room;
	uint64_t list_hash;
	size_t list_len;       /* 0: no list yet */
};

struct asking { /* one look */
	struct docker *docker;
	struct probe *probe;
	struct snapshot *s;
	struct facts *facts;
	struct image images[IMAGES_MAX];
	size_t n_images;
	int64_t enough;        /* inspect no more once less than this is left */
};

static bool ask(struct asking *a, size_t most, int64_t timeout, struct http_answer *out, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
static bool ask(struct asking *a, size_t most, int64_t timeout, struct http_answer *out, const char *format, ...)
{
	static const struct endpoint nobody = {"127.0.0.1", 80};
	char path[256];
	struct http_request request = {
		.path = path, .unix_path = a->docker->path, .host_header = "docker", .most = most, .timeout_ms = timeout,
	};
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof path, format, args);
	va_end(args);
	return http_ask(a->probe, &nobody, &request, out, &a->s->err);
}

/* ---- where the engine may be ---- */

struct places {
	char at[PLACES_MAX][PATH_SIZE];
	size_t n;
};

static void add_place(struct places *p, const char *before, const char *after)
{
	if (p->n < PLACES_MAX && before[0] && strlen(before) + strlen(after) < PATH_SIZE)
		snprintf(p->at[p->n++], PATH_SIZE, "%s%s", before, after);
}

/* The environment is this machine's: for a far one it says nothing. */
static const char *env(const struct host *h, const char *name)
{
	const char *value = strcmp(h->name, "localhost") == 0 ? getenv(name) : NULL;

	return value ? value : "";
}

static struct json *read_json(struct host *h, const char *path)
{
	struct json *document = NULL;
	struct buf content;

	buf_init(&content, CONFIG_MAX);
	if (h->read_file(h, path, &content, NULL))
		document = json_parse(buf_text(&content), NULL);
	buf_free(&content);
	return document;
}

struct context {
	struct host *host;
	const char *folder, *wanted;
	struct places *places;
};

/* One folder of contexts/meta; its name is a hash of the context's. */
static bool try_context(void *ctx, const char *name)
{
	struct context *c = ctx;
	char path[512];
	struct json *meta;
	const char *is, *to;
	bool found;

	snprintf(path, sizeof path, "%s/%s/meta.json", c->folder, name);
	meta = read_json(c->host, path);
	is = json_string(json_get(meta, "Name"));
	to = json_string(json_path(meta, "Endpoints.docker.Host"));
	found = is && !strcmp(is, c->wanted);
	if (found && to && !strncmp(to, "unix://", 7))
		add_place(c->places, to + 7, "");
	json_free(meta);
	return !found;
}

static void add_context(struct host *h, struct places *p)
{
	char folder[256], path[300];
	const char *wanted = env(h, "DOCKER_CONTEXT");
	struct json *config;

	if (env(h, "DOCKER_CONFIG")[0])
		snprintf(folder, sizeof folder, "%s", env(h, "DOCKER_CONFIG"));
	else
		snprintf(folder, sizeof folder, "%s/.docker", env(h, "HOME"));
	snprintf(path, sizeof path, "%s/config.json", folder);
	config = read_json(h, path);
	if (!wanted[0] && json_string(json_get(config, "currentContext")))
		wanted = json_string(json_get(config, "currentContext"));
	snprintf(path, sizeof path, "%s/contexts/meta", folder);
	if (wanted[0] && strcmp(wanted, "default") != 0)
		h->list(h, path, try_context, &(struct context){h, path, wanted, p}, NULL);
	json_free(config);
}

static void find_places(struct host *h, struct places *p)
{
	const char *given = env(h, "DOCKER_HOST"), *runtime = env(h, "XDG_RUNTIME_DIR");

	p->n = 0;
	if (!strncmp(given, "unix://", 7)) { /* said so: nowhere else then. Over tcp or ssh it is another machine's */
		add_place(p, given + 7, "");
		return;
	}
	add_context(h, p);
	add_place(p, "/var/run/docker.sock", "");
	add_place(p, runtime, "/docker.sock");
	add_place(p, env(h, "HOME"), "/.docker/run/docker.sock");
	add_place(p, "/run/podman/podman.sock", "");
	add_place(p, runtime, "/podman/podman.sock");
}

/* ---- who answers there ---- */

/* Remembers the most telling reason: what is denied is there, what is dead was there. */
static void no_engine(struct asking *a, enum docker_state state, const char *path, const char *why)
{
	static const int telling[] = {[DOCKER_UNKNOWN] = 0, [DOCKER_NONE] = 1, [DOCKER_DEAD] = 2, [DOCKER_DENIED] = 3, [DOCKER_OK] = 4};
	char words[256];

	if (telling[state] <= telling[a->facts->docker])
		return;
	snprintf(words, sizeof words, "%s%s", path, why);
	a->facts->docker = state;
	text_clean(a->facts->docker_words, sizeof a->facts->docker_words, text_of(words));
}

/* Is there a socket, and may we use it? */
static bool reachable(struct asking *a, const char *path)
{
	struct host *h = a->probe->host;
	struct file_facts file;
	struct err err = {0};
	int fd;

	if (!h->stat(h, path, &file, NULL) || !file.exists)
		return false;
	fd = h->dial_unix(h, path, a->probe->wait, &err);
	if (fd >= 0) {
		close(fd);
		return true;
	}
	if (err.code == ERR_SYSTEM)
		no_engine(a, DOCKER_DENIED, path, ": permission denied; it takes the group docker, or root");
	else
		no_engine(a, DOCKER_DEAD, path, " is there, but nobody answers");
	return false;
}

static bool ping(struct asking *a, const char *path)
{
	struct docker *d = a->docker;
	struct http_answer answer;
	struct text server;
	bool podman;

	text_copy(d->path, sizeof d->path, text_of(path));
	if (!ask(a, ANSWER_MAX, PING_MS, &answer, "/_ping")) {
		no_engine(a, DOCKER_DEAD, path, " accepts, but does not answer");
	} else if (answer.status == 401 || answer.status == 403) {
		no_engine(a, DOCKER_DENIED, path, " refuses us");
	} else {
		docker_version(http_header(&answer, "Api-Version"), d->api, sizeof d->api);
		text_copy(d->theirs, sizeof d->theirs, http_header(&answer, "Api-Version"));
		if (answer.status != 200 || !d->api[0])
			no_engine(a, DOCKER_DEAD, path, " does not answer like a container engine");
	}
	server = http_header(&answer, "Server"); /* "Docker/20.10.24+dfsg1 (linux)", "Libpod/4.3.1" */
	podman = text_skip(&server, "Libpod/");
	text_skip(&server, "Docker/");
	server = text_until(server, ' ');
	snprintf(d->words, sizeof d->words, "%s %.*s, API %s", podman ? "Podman" : "Docker", (int)server.len, server.at, d->theirs);
	http_answer_free(&answer);
	if (!d->api[0])
		d->path[0] = '\0';
	return d->path[0] != '\0';
}

static bool find_engine(struct asking *a)
{
	struct docker *d = a->docker;
	struct places places;

	find_places(a->probe->host, &places);
	d->n = d->list_len = 0; /* another life of the engine: nothing holds that was asked before */
	for (size_t i = 0; i < places.n && wait_left(a->probe->wait); i++) {
		d->api[0] = '\0';
		if (reachable(a, places.at[i]) && ping(a, places.at[i])) {
			a->s->err = (struct err){0};
			return true;
		}
	}
	no_engine(a, DOCKER_NONE, "", "no Docker or Podman socket");
	if (a->s->err.code == ERR_CANCELLED)
		return false;
	return err_set(&a->s->err, a->facts->docker == DOCKER_DENIED ? ERR_SYSTEM : ERR_CONNECT, "%s", a->facts->docker_words);
}

/* ---- the list ---- */

static uint64_t hash_of(struct text t)
{
	uint64_t hash = 14695981039346656037u, word;

	for (; t.len >= sizeof word; t.at += sizeof word, t.len -= sizeof word) {
		memcpy(&word, t.at, sizeof word);
		hash = (hash ^ word) * 1099511628211u;
		hash ^= hash >> 29;
	}
	for (; t.len; t.at++, t.len--)
		hash = (hash ^ (unsigned char)*t.at) * 1099511628211u;
	return hash;
}

static bool same_life(const struct listed *a, const struct listed *b)
{
	return !strcmp(a->row.id, b->row.id) && !strcmp(a->row.state, b->row.state) && a->row.exit_code == b->row.exit_code &&
	       !strcmp(a->row.image, b->row.image) && !strcmp(a->image_id, b->image_id);
}

struct merge {
	struct entry *old;
	size_t n_old;
	struct docker *docker;
};

static void take_listed(void *ctx, const struct listed *one)
{
	struct merge *m = ctx;
	struct docker *d = m->docker;
	struct entry *e;
	size_t i = d->n;

	if (d->n == CONTAINERS_MAX)
		return;
	if (d->n == d->room) {
		d->room = d->room ? d->room * 2 : 32;
		d->entries = mem_grow(d->entries, d->room, sizeof *d->entries);
	}
	e = &d->entries[d->n++];
	*e = (struct entry){.listed = *one, .row = one->row};
	if (i >= m->n_old || strcmp(m->old[i].listed.row.id, one->row.id) != 0) /* mostly it stands where it stood */
		for (i = 0; i < m->n_old && strcmp(m->old[i].listed.row.id, one->row.id) != 0; i++)
			continue;
	if (i == m->n_old || !m->old[i].inspected || !same_life(&m->old[i].listed, one))
		return;
	e->inspected = true;
	e->asked = m->old[i].asked;
	e->other_clock = m->old[i].other_clock;
	e->row.restarts = m->old[i].row.restarts;
	e->row.exit_code = m->old[i].row.exit_code;
	e->row.oom_killed = m->old[i].row.oom_killed;
	e->row.started = m->old[i].row.started;
	e->row.created = m->old[i].row.created;
	e->row.image_created = m->old[i].row.image_created;
	text_copy(e->row.error, sizeof e->row.error, text_of(m->old[i].row.error));
	text_copy(e->row.image, sizeof e->row.image, text_of(m->old[i].row.image));
}

static bool take_list(struct asking *a, struct text body)
{
	struct docker *d = a->docker;
	uint64_t hash = hash_of(body);
	struct merge merge = {d->entries, d->n, d};
	bool fine;

	if (d->list_len && body.len == d->list_len && hash == d->list_hash)
		return true;
	d->entries = NULL;
	d->n = d->room = 0;
	fine = docker_parse_list(body, take_listed, &merge, &a->s->err);
	d->list_len = fine ? body.len : 0;
	d->list_hash = hash;
	free(merge.old);
	return fine;
}

static bool refused(struct asking *a, const struct http_answer *answer)
{
	char words[160];

	text_clean(words, sizeof words, buf_text(&answer->body));
	return err_set(&a->s->err, ERR_PROTOCOL, "%s: the list of containers: HTTP %ld %s", a->docker->path, answer->status, words);
}

static bool ask_list(struct asking *a)
{
	struct docker *d = a->docker;
	struct http_answer answer;
	bool fine = ask(a, LIST_MAX, 0, &answer, "/v%s/containers/json?all=1", d->api);

	if (fine && answer.status == 400 && strcmp(d->api, d->theirs) != 0) {
		http_answer_free(&answer);
		text_copy(d->api, sizeof d->api, text_of(d->theirs)); /* ours is too old for it */
		fine = ask(a, LIST_MAX, 0, &answer, "/v%s/containers/json?all=1", d->api);
	}
	if (fine)
		fine = answer.status == 200 ? take_list(a, buf_text(&answer.body)) : refused(a, &answer);
	http_answer_free(&answer);
	return fine;
}

/* ---- what only inspect tells ---- */

/* An image's name goes into a path: only what such a name may hold. */
static bool is_image_name(const char *s)
{
	static const char may[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:@";

	return s[0] && s[0] != '/' && !strstr(s, "..") && strspn(s, may) == strlen(s);
}

/* When the image that this name means now was made: newer than the container is a finding. */
static int64_t image_created(struct asking *a, const char *name)
{
	struct http_answer answer;
	int64_t created = 0;

	for (size_t i = 0; i < a->n_images; i++)
		if (!strcmp(a->images[i].name, name))
			return a->images[i].created;
	if (!is_image_name(name))
		return 0;
	if (ask(a, ANSWER_MAX, 0, &answer, "/v%s/images/%s/json", a->docker->api, name) && answer.status == 200)
		docker_parse_image(buf_text(&answer.body), &created, NULL);
	http_answer_free(&answer);
	if (a->n_images < IMAGES_MAX) {
		text_copy(a->images[a->n_images].name, sizeof a->images->name, text_of(name));
		a->images[a->n_images++].created = created;
	}
	return created;
}

/* It began earlier, by what it told, than its words allow. */
static bool outlives_its_words(const struct entry *e)
{
	return !strcmp(e->row.state, "running") && e->row.started && e->listed.age >= 0 &&
	       clock_wall_ms() - e->row.started > e->listed.age + SLACK_MS;
}

/* Did it live on since we asked? Words that are younger than our answer, or than the beginning that it told, say no; of a young one
 * they count in too large steps to say. */
static bool is_current(const struct entry *e)
{
	if (!e->inspected || e->listed.age < 0)
		return e->inspected;
	if (e->listed.age <= YOUNG_MS && !strcmp(e->row.state, "running"))
		return false;
	return clock_ms() - e->asked <= e->listed.age + SLACK_MS && (e->other_clock || !outlives_its_words(e));
}

static bool inspect(struct asking *a, struct entry *e)
{
	struct http_answer answer;
	bool fine = ask(a, ANSWER_MAX, 0, &answer, "/v%s/containers/%s/json", a->docker->api, e->row.id);

	e->row = e->listed.row;
	if (fine && answer.status == 200) {
		e->asked = clock_ms();
		e->inspected = docker_parse_inspect(buf_text(&answer.body), &e->row, NULL);
		e->other_clock = outlives_its_words(e);
	} /* else it is gone by now: the next list tells */
	http_answer_free(&answer);
	if (e->inspected && fine)
		e->row.image_created = image_created(a, e->row.image);
	return fine;
}

static void inspect_changed(struct asking *a)
{
	struct docker *d = a->docker;

	for (size_t i = 0; i < d->n && wait_left(a->probe->wait) > a->enough; i++) {
		struct entry *e = &d->entries[i];

		if (is_current(e))
			continue;
		e->inspected = false;
		if (!inspect(a, e)) {
			a->s->err = (struct err){0}; /* the list stands; the rest comes next time */
			return;
		}
	}
}

static void publish(struct asking *a)
{
	struct docker *d = a->docker;
	struct container *rows = arena_alloc(a->s->arena, d->n * sizeof *rows);

	for (size_t i = 0; i < d->n && rows; i++)
		rows[i] = d->entries[i].row;
	a->facts->containers = rows;
	a->facts->n_containers = rows ? d->n : 0;
	a->facts->docker = DOCKER_OK;
	text_clean(a->facts->docker_words, sizeof a->facts->docker_words, text_of(d->words));
}

/* ---- the look ---- */

static bool look(struct asking *a)
{
	struct docker *d = a->docker;

	if (!d->path[0] && !find_engine(a))
		return false;
	if (!ask_list(a)) {
		no_engine(a, DOCKER_DEAD, "", a->s->err.words);
		d->path[0] = '\0'; /* it may come back elsewhere, and as another version */
		return false;
	}
	inspect_changed(a);
	publish(a);
	return true;
}

bool docker_look(struct host *h, void **state, struct wait wait, struct snapshot *s)
{
	struct docker *d = *state;
	struct probe probe = {.host = h, .wait = wait, .arena = s->arena};
	struct asking *a;
	bool fine;

	if (!d) {
		*state = d = mem_new(1, sizeof *d);
		d->net = net_new(h);
	}
	probe.net = d->net;
	a = mem_new(1, sizeof *a);
	*a = (struct asking){.docker = d, .probe = &probe, .s = s, .facts = arena_alloc(s->arena, sizeof(struct facts))};
	a->enough = wait_left(wait) / 3;
	s->facts = a->facts;
	fine = a->facts ? look(a) : err_set(&s->err, ERR_LIMIT, "the snapshot is full");
	s->requests += probe.requests;
	s->bytes += probe.bytes;
	free(a);
	return fine;
}

void docker_end(void *state)
{
	struct docker *d = state;

	if (!d)
		return;
	net_free(d->net);
	free(d->entries);
	free(d);
}

/* ---- requests of others ---- */

/* Asks whichever engine is there. take NULL: the answer is kept. */
static bool ask_engine(struct host *h, struct net *net, struct wait wait, struct http_request *request, const char *path, long *status,
	struct buf *body, struct err *err)
{
	static const struct endpoint nobody = {"127.0.0.1", 80};
	struct snapshot *s = snapshot_new("docker", PART_DOCKER);
	struct probe p = {.host = h, .net = net, .wait = wait, .hint = "", .arena = s->arena};
	struct facts facts = {0};
	struct docker d = {.net = net};
	struct asking a = {.docker = &d, .probe = &p, .s = s, .facts = &facts};
	struct http_answer answer = {0};
	char full[400];
	bool fine = find_engine(&a);

	*status = 0;
	if (!fine)
		err_set(err, s->err.code, "%s", s->err.words);
	snprintf(full, sizeof full, "/v%s%.360s", d.api, path);
	request->path = full;
	request->unix_path = d.path;
	request->host_header = "docker";
	if (fine) {
		fine = http_ask(&p, &nobody, request, &answer, err);
		*status = answer.status;
		buf_add(body, answer.body.at, answer.body.len);
		http_answer_free(&answer);
	}
	snapshot_unref(s);
	return fine;
}

bool docker_request(struct host *h, struct net *net, struct wait wait, const char *method, const char *path, long *status, struct buf *body,
	struct err *err)
{
	struct http_request request = {.method = method, .body = strcmp(method, "POST") == 0 ? "" : NULL, .content_type = "application/json"};

	return ask_engine(h, net, wait, &request, path, status, body, err);
}

bool docker_stream(struct host *h, struct net *net, struct wait wait, const char *path, bool (*take)(void *ctx, const char *bytes, size_t len),
	void *ctx, long *status, struct buf *body, struct err *err)
{
	struct http_request request = {.take = take, .ctx = ctx, .as_stored = true, .most = (size_t)1 << 50};

	return ask_engine(h, net, wait, &request, path, status, body, err);
}
