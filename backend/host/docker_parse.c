// SPDX-License-Identifier: MIT
/*
 * Answers of the Docker Engine API as rows. What the list says in words (health, exit code, age)
 * is read from the words: they are the same in every version, and need no second request.
 *
 * Health counts only while a container runs: an exited one keeps its last "unhealthy". Between two
 * tries a restarting container says running with exit code 0, which means nothing. A start that
 * failed leaves "created" and an error text. Null and missing members are ordinary.
 * Source: Docker Engine API 1.41 (20.10.24), CHANGELOG up to 1.53, go-units duration.go; Podman 4.3.
 * Pure, any thread.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "docker.h"
#include "json.h"

enum { PORTS_MAX = 512, OUR_MAJOR = 1, OUR_MINOR = 44 };

static void put(char *out, size_t size, const char *s)
{
	text_clean(out, size, text_of(s));
}

static void put_member(char *out, size_t size, const struct json *object, const char *key)
{
	put(out, size, json_string(json_get(object, key)));
}

static bool is_hex(const char *s)
{
	size_t len = s ? strlen(s) : 0;

	return len >= 12 && len < CONTAINER_ID_SIZE && strspn(s, "0123456789abcdef") == len;
}

/* "2026-11-29T12:23:50.991162259Z", or with "+01:00": ms since 1970; 0 for the year 1 and for no time. */
static int64_t time_of(const struct json *node)
{
	const char *s = json_string(node);
	struct tm tm = {0};
	int64_t ms = 0, zone = 0, scale = 100;

	s = s ? strptime(s, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	if (!s || tm.tm_year < 70)
		return 0;
	if (*s == '.')
		for (s++; isdigit((unsigned char)*s); s++, scale /= 10)
			ms += (*s - '0') * scale;
	if ((*s == '+' || *s == '-') && isdigit((unsigned char)s[1]) && isdigit((unsigned char)s[2]) && s[3] == ':' &&
	    isdigit((unsigned char)s[4]) && isdigit((unsigned char)s[5]))
		zone = (*s == '-' ? -1 : 1) * ((s[1] - '0') * 600 + (s[2] - '0') * 60 + (s[4] - '0') * 10 + s[5] - '0');
	return ((int64_t)timegm(&tm) - zone * 60) * 1000 + ms;
}

void docker_version(struct text theirs, char *out, size_t size)
{
	int64_t major, minor;

	out[0] = '\0';
	if (!text_i64(text_until(theirs, '.'), &major) || !text_i64(text_after(theirs, '.'), &minor))
		return;
	if (major < 1 || minor < 0 || minor > 9999)
		return;
	if (major > OUR_MAJOR || minor > OUR_MINOR)
		snprintf(out, size, "%d.%d", OUR_MAJOR, OUR_MINOR);
	else
		snprintf(out, size, "%d.%d", OUR_MAJOR, (int)minor);
}

/* ---- the words of a status ---- */

int64_t docker_age(struct text status)
{
	static const struct {
		const char *unit;
		int64_t ms;
	} units[] = {
		{"second", 1000}, {"minute", 60000}, {"hour", 3600000}, {"day", 86400000}, {"week", 7 * 86400000LL}, {"month", 31 * 86400000LL},
		{"year", 366 * 86400000LL},
	};
	struct text word, next;

	if (text_has(status, "Less than a second"))
		return 1000;
	while (text_word(&status, &word)) {
		struct text rest = status;
		int64_t n;

		if (!text_word(&rest, &next))
			break;
		if (text_is(word, "About") || !text_i64(word, &n)) {
			if (!text_is(word, "a") && !text_is(word, "an"))
				continue;
			n = 1; /* "About a minute" */
		}
		for (size_t i = 0; i < sizeof units / sizeof *units; i++)
			if (text_starts(next, units[i].unit) && n >= 0 && n < 100000)
				return (n + 1) * units[i].ms;
	}
	return -1;
}

static void health_of(const struct json *item, struct container *row)
{
	const char *told = json_string(json_path(item, "Health.Status")); /* from 1.52 on */
	struct text status = text_of(row->status);

	if (strcmp(row->state, "running") != 0)
		return;
	if (text_has(status, "(healthy)"))
		put(row->health, sizeof row->health, "healthy");
	else if (text_has(status, "(unhealthy)"))
		put(row->health, sizeof row->health, "unhealthy");
	else if (text_has(status, "(health: starting)"))
		put(row->health, sizeof row->health, "starting");
	else if (told && strcmp(told, "none") != 0)
		put(row->health, sizeof row->health, told);
}

/* "Exited (137) 5 minutes ago" */
static int64_t exit_code_of(const struct container *row)
{
	struct text status = text_of(row->status);
	int64_t code;

	if (!text_starts(status, "Exited (") && !text_starts(status, "Restarting ("))
		return -1;
	return text_i64(text_between(status, "(", ")"), &code) ? code : -1;
}

/* ---- published ports ---- */

struct port {
	char address[ADDRESS_SIZE];
	char type[8];
	int64_t outside, inside;
};

static int by_outside(const void *a, const void *b)
{
	const struct port *x = a, *y = b;
	int order = strcmp(x->type, y->type);

	if (!order)
		order = strcmp(x->address, y->address);
	return order ? order : (x->outside > y->outside) - (x->outside < y->outside);
}

static size_t read_ports(const struct json *list, struct port *out)
{
	size_t n = 0, kept = 0;

	for (const struct json *p = json_first(list); p && n < PORTS_MAX; p = json_next(p)) {
		struct port *port = &out[n];
		const char *ip = json_string(json_get(p, "IP"));

		if (!json_i64(json_get(p, "PublicPort"), &port->outside) || port->outside < 1 || port->outside > UINT16_MAX ||
		    !json_i64(json_get(p, "PrivatePort"), &port->inside))
			continue;
		if (!ip || !ip[0] || !strcmp(ip, "0.0.0.0") || !strcmp(ip, "::"))
			ip = "*"; /* IPv4 and IPv6 come as two rows */
		put(port->address, sizeof port->address, ip);
		put_member(port->type, sizeof port->type, p, "Type");
		n++;
	}
	qsort(out, n, sizeof *out, by_outside);
	for (size_t i = 0; i < n; i++)
		if (!kept || by_outside(&out[kept - 1], &out[i]) != 0)
			out[kept++] = out[i];
	return kept;
}

static void range_words(int64_t from, size_t run, char out[32])
{
	int len = snprintf(out, 32, "%d", (int)from);

	if (run > 1)
		snprintf(out + len, 32 - (size_t)len, "-%d", (int)from + (int)run - 1);
}

/* One port, or a run of them: "*:4040-4050->4040-4050". Returns how many it took. */
static size_t port_words(const struct port *p, size_t n, char *out, size_t size)
{
	bool v6 = strchr(p->address, ':') != NULL, tcp = !strcmp(p->type, "tcp") || !p->type[0];
	char outside[32], inside[32];
	size_t run = 1;

	while (run < n && !strcmp(p[run].address, p->address) && !strcmp(p[run].type, p->type) &&
	       p[run].outside == p->outside + (int64_t)run && p[run].inside == p->inside + (int64_t)run)
		run++;
	range_words(p->outside, run, outside);
	range_words(p->inside, run, inside);
	snprintf(out, size, "%s%s%s:%s->%s%s%s", v6 ? "[" : "", p->address, v6 ? "]" : "", outside, inside, tcp ? "" : "/",
		tcp ? "" : p->type);
	return run;
}

static void ports_of(const struct json *list, struct container *row)
{
	struct port *ports = mem_new(PORTS_MAX, sizeof *ports);
	size_t n = read_ports(list, ports), used = 0, len = 0;
	char words[160];

	while (used < n) {
		struct text comma = text_of(len ? ", " : "");

		used += port_words(&ports[used], n - used, words, sizeof words);
		text_copy(row->ports + len, sizeof row->ports - len, comma);
		len += comma.len;
		if (len + strlen(words) + sizeof ", ..." > sizeof row->ports) {
			text_copy(row->ports + len, sizeof row->ports - len, TEXT("..."));
			break;
		}
		text_copy(row->ports + len, sizeof row->ports - len, text_of(words));
		len += strlen(words);
	}
	free(ports);
}

/* ---- the list ---- */

/* "/kafka"; names with a second slash are aliases of links. */
static void name_of(const struct json *names, struct container *row)
{
	for (const struct json *n = json_first(names); n; n = json_next(n)) {
		const char *name = json_string(n);

		if (name && name[0] == '/')
			name++;
		if (name && name[0] && !strchr(name, '/')) {
			put(row->name, sizeof row->name, name);
			return;
		}
	}
	text_copy(row->name, sizeof row->name, (struct text){row->id, 12}); /* the placeholder that docker ps shows too */
}

static void network_of(const struct json *item, struct container *row)
{
	const char *mode = json_string(json_path(item, "HostConfig.NetworkMode"));

	if (!mode || !mode[0]) /* Podman tells no mode */
		mode = json_key(json_first(json_path(item, "NetworkSettings.Networks")));
	put(row->network, sizeof row->network, mode && !strcmp(mode, "default") ? "bridge" : mode);
}

static void labels_of(const struct json *labels, struct container *row)
{
	put_member(row->project, sizeof row->project, labels, "com.docker.compose.project");
	if (!row->project[0])
		put_member(row->project, sizeof row->project, labels, "io.podman.compose.project");
	put_member(row->service, sizeof row->service, labels, "com.docker.compose.service");
	put_member(row->workdir, sizeof row->workdir, labels, "com.docker.compose.project.working_dir");
	put_member(row->version, sizeof row->version, labels, "org.opencontainers.image.version");
}

/* Podman has states of its own. */
static void state_of(const struct json *item, struct container *row)
{
	const char *state = json_string(json_get(item, "State"));

	if (state && (!strcmp(state, "configured") || !strcmp(state, "initialized")))
		state = "created";
	else if (state && !strcmp(state, "stopped"))
		state = "exited";
	put(row->state, sizeof row->state, state);
}

static bool list_item(const struct json *item, struct listed *out)
{
	struct container *row = &out->row;
	const char *id = json_string(json_get(item, "Id"));
	int64_t created;

	*out = (struct listed){.row = {.restarts = -1, .exit_code = -1}, .age = -1};
	if (!is_hex(id))
		return false; /* it goes into the path of the next question */
	put(row->id, sizeof row->id, id);
	name_of(json_get(item, "Names"), row);
	put_member(row->image, sizeof row->image, item, "Image");
	put_member(out->image_id, sizeof out->image_id, item, "ImageID");
	put_member(row->status, sizeof row->status, item, "Status");
	state_of(item, row);
	health_of(item, row);
	network_of(item, row);
	labels_of(json_get(item, "Labels"), row);
	ports_of(json_get(item, "Ports"), row);
	row->exit_code = exit_code_of(row);
	out->age = docker_age(text_of(row->status));
	if (json_i64(json_get(item, "Created"), &created) && created > 0 && created < INT64_MAX / 1000)
		row->created = created * 1000;
	return true;
}

bool docker_parse_list(struct text body, void (*each)(void *ctx, const struct listed *one), void *ctx, struct err *err)
{
	struct json *list = json_parse(body, err);
	struct listed one;

	if (!list)
		return false;
	if (!json_is_array(list)) {
		json_free(list);
		return err_set(err, ERR_PARSE, "the list of containers is not a list");
	}
	for (const struct json *item = json_first(list); item; item = json_next(item))
		if (list_item(item, &one))
			each(ctx, &one);
	json_free(list);
	return true;
}

/* ---- inspect ---- */

/* "OCI runtime create failed: runc create failed: ...: stat /nope: no such file": the cause stands last. */
static void put_error(char *out, size_t size, const char *error)
{
	struct text t = text_of(error);

	while (t.len >= size) {
		const char *next = memmem(t.at, t.len, ": ", 2);

		if (!next)
			break;
		t.len -= (size_t)(next + 2 - t.at);
		t.at = next + 2;
	}
	text_clean(out, size, t);
}

bool docker_parse_inspect(struct text body, struct container *row, struct err *err)
{
	struct json *all = json_parse(body, err);
	const struct json *state = json_get(all, "State");
	bool runs = !strcmp(row->state, "running") || !strcmp(row->state, "paused");
	const char *image = json_string(json_path(all, "Config.Image"));
	int64_t created;

	if (!all)
		return false;
	if (!json_is_object(state)) {
		json_free(all);
		return err_set(err, ERR_PARSE, "%s: inspect tells no state", row->name);
	}
	json_i64(json_get(all, "RestartCount"), &row->restarts);
	if (!runs && row->exit_code < 0) /* what the list told goes with its state: of one that restarts, it may run again by now */
		json_i64(json_get(state, "ExitCode"), &row->exit_code);
	json_bool(json_get(state, "OOMKilled"), &row->oom_killed);
	put_error(row->error, sizeof row->error, json_string(json_get(state, "Error")));
	row->started = time_of(json_get(state, "StartedAt"));
	created = time_of(json_get(all, "Created"));
	if (created)
		row->created = created;
	if (image && image[0]) /* the list shows an id once the tag moved on */
		put(row->image, sizeof row->image, image);
	json_free(all);
	return true;
}

bool docker_parse_image(struct text body, int64_t *created, struct err *err)
{
	struct json *all = json_parse(body, err);

	if (!all)
		return false;
	*created = time_of(json_get(all, "Created"));
	json_free(all);
	return *created ? true : err_set(err, ERR_PARSE, "the image tells no time of creation");
}
