// SPDX-License-Identifier: MIT
/*
 * SeaweedFS: master, volume servers, filer, S3 gateway. One GET tells the parts apart: the volume
 * server names itself in its Server header, filer and S3 carry another, the master carries none and
 * names itself in its page's title.
 *
 * Health is the sum of its parts: the master has a leader, every volume server that the master knows
 * answers, something can be written, the filer reaches its store, and S3 lists buckets for a signed
 * request. S3's own health URLs always say 200, and an unsigned list may be empty, so neither counts;
 * buckets are counted on the filer.
 *
 * Asked where, and why: the master's /ui/index.html, because / and /dir/status of a follower are the
 * leader's; DiskStatuses.free, because "used" there is all that is not free to us, reserved blocks too.
 * gRPC ports (HTTP port + 10000) are never asked. No GET that changes something (/vol/vacuum, /vol/grow,
 * /dir/assign) is ever sent.
 *
 * Source: seaweedfs weed/server, weed/s3api; checked on 4.48. Thread: its actor's.
 */
#include "seaweedfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "kinds.h"
#include "profile.h"

enum { PART_MS = 2500, BODY_MAX = 4 << 20, BUCKET_PAGE = 500, BUCKET_PAGES = 4, VOLUME_ROWS = 500, NEARLY_FULL = 10 };

struct seaweedfs { /* p->state */
	bool s3_refused;
	uint64_t credential; /* that was refused */
	char words[120];
};

/* ---- who is it ---- */

static bool get(struct probe *p, const struct endpoint *at, const char *path, struct http_answer *out, struct err *err)
{
	struct http_request request = {.path = path, .accept = "application/json", .most = BODY_MAX, .timeout_ms = PART_MS};

	return http_ask(p, at, &request, out, err);
}

static enum answered unanswered(const struct err *err, const struct http_answer *answer)
{
	return err->code == ERR_PROTOCOL && answer->heard ? ANSWERED_OTHER : net_undialled(err);
}

/* The part at p->at and its version, by one GET. ANSWERED_OTHER: another server answers. */
static enum answered ask_part(struct probe *p, const char *path, const char **role, char version[SEAWEEDFS_VERSION_SIZE],
	struct identity *who)
{
	struct http_answer answer;
	struct err err = {0};
	enum answered answered = ANSWERED_YES;
	struct text server;

	if (!get(p, &p->at, path, &answer, &err)) {
		answered = unanswered(&err, &answer);
	} else {
		server = http_header(&answer, "Server");
		*role = seaweedfs_role(server, buf_text(&answer.body));
		seaweedfs_version(server.len ? server : text_between(buf_text(&answer.body), "<title>", "</title>"), version);
		if (!*role) { /* an error is what SeaweedFS, too, may say on a bad day: the judge reads the status */
			answered = ANSWERED_OTHER;
			who->says = arena_printf(p->arena, "HTTP %ld", answer.status);
			who->source = arena_printf(p->arena, "GET %s", path);
		}
	}
	http_answer_free(&answer);
	return answered;
}

static enum answered identify(struct probe *p, struct identity *who)
{
	static const char any[] = "/?limit=1", page[] = "/ui/index.html";
	const char *path = role_is(probe_role(p, &kind_seaweedfs), "master") ? page : any, *role = NULL;
	char version[SEAWEEDFS_VERSION_SIZE] = "";
	int64_t begun = clock_ms();
	enum answered answered = ask_part(p, path, &role, version, who);

	if (answered == ANSWERED_YES && path == any && role_is(role, "master"))
		answered = ask_part(p, path = page, &role, version, who); /* its / may have been the leader's */
	if (answered != ANSWERED_YES)
		return answered;
	return identity_say(p, who, &kind_seaweedfs, role_is(role, "master") ? NULL : role, SURE_EXACT, version[0] ? version : NULL,
		role_is(role, "master") ? "title of /ui/index.html" : "Server header",
		asked_in(p, arena_printf(p->arena, "GET %s", path), begun));
}

static enum answered pulse(struct probe *p, struct identity *who)
{
	struct http_answer answer;
	struct err err = {0};
	enum answered answered = ANSWERED_OTHER;

	if (who->role)
		return identify(p, who);
	if (!get(p, &p->at, "/cluster/status", &answer, &err))
		answered = unanswered(&err, &answer);
	else if (answer.status == 200 && text_starts(buf_text(&answer.body), "{") && !http_header(&answer, "Server").len)
		answered = ANSWERED_YES; /* without a leader: {} */
	http_answer_free(&answer);
	return answered;
}

/* ---- how it does ---- */

struct look { /* one inspection */
	struct probe *p;
	struct snapshot *s;
	struct table *parts, *volumes;
	const char *node;          /* whose volumes are read */
	struct seaweedfs_server sum;
	bool sum_whole;            /* every volume server told */
};

static void figure(struct look *l, const char *name, struct value v)
{
	snapshot_figure(l->s, kind_seaweedfs.figures, name, v);
}

/* The first thing that is wrong is its health; what is merely unknown does not hide it. */
static void sick(struct look *l, enum link_state state, const char *part, const char *words)
{
	if (l->s->health.state != LINK_BAD && (state == LINK_BAD || l->s->health.state != LINK_UNKNOWN || !l->s->health.words))
		snapshot_health(l->s, state, part, "%s: %s", part, words);
}

static void say_part(struct look *l, const char *role, const char *address, const char *state, const char *words)
{
	struct value *row = table_row(l->s, l->parts);

	table_set(l->s, l->parts, row, "part", value_text(role));
	table_set(l->s, l->parts, row, "address", value_text(address));
	table_set(l->s, l->parts, row, "state", value_text(state));
	table_set(l->s, l->parts, row, "words", value_text(words));
}

static const char *address_of(struct look *l, const struct endpoint *at)
{
	bool six = strchr(at->address, ':') != NULL;

	return arena_printf(l->s->arena, six ? "[%s]:%u" : "%s:%u", at->address, (unsigned)at->port);
}

/* A failed part, in words; NULL: it is well. */
static const char *trouble(struct look *l, bool came, const struct http_answer *answer, const struct err *err)
{
	if (!came)
		return arena_clean(l->s->arena, text_of(err->words));
	return answer->status == 200 ? NULL : arena_printf(l->s->arena, "HTTP %ld", answer->status);
}

static void on_volume(void *ctx, const struct seaweedfs_volume *v)
{
	struct look *l = ctx;
	struct table *t = l->volumes;
	struct value *row;

	if (t->n_rows >= VOLUME_ROWS) {
		t->left_off++;
		return;
	}
	row = table_row(l->s, t);
	table_set(l->s, t, row, "volume", value_int(v->id));
	table_set(l->s, t, row, "node", value_text(l->node));
	table_set(l->s, t, row, "collection", value_text(v->collection[0] ? v->collection : NULL));
	table_set(l->s, t, row, "size", value_int(v->size));
	table_set(l->s, t, row, "files", value_int(v->files));
	table_set(l->s, t, row, "deleted", value_int(v->deleted));
	table_set(l->s, t, row, "deleted_bytes", value_int(v->deleted_bytes));
	table_set(l->s, t, row, "read_only", value_bool(v->read_only));
	table_set(l->s, t, row, "modified", v->modified ? value_int(v->modified) : value_unknown());
}

static void find_nearly_full(struct look *l, const struct seaweedfs_server *server)
{
	char size[VALUE_TEXT_SIZE];

	if (server->disk_total > 0 && server->disk_free >= 0 && server->disk_free / (server->disk_total / 100 + 1) < NEARLY_FULL)
		snapshot_finding(l->s, "disk", SEVERITY_WARNING, "free space there, or add a volume server",
			"the disk of volume server %s has only %s left",
			l->node, value_show(size, value_int(server->disk_free), UNIT_BYTES));
}

/* One volume server. False: it does not do. */
static void look_at_server(struct look *l, const struct endpoint *at)
{
	struct seaweedfs_server server = {.disk_total = -1};
	struct http_answer health, status;
	struct err err = {0};
	bool well, told;
	const char *words;

	l->node = address_of(l, at);
	well = get(l->p, at, "/healthz", &health, &err);
	words = trouble(l, well, &health, &err);
	told = well && get(l->p, at, "/status", &status, &err);
	if (told && status.status == 200)
		told = seaweedfs_parse_server(buf_text(&status.body), &server, on_volume, l, &err);
	if (!words && server.disk_total < 0)
		words = told ? "no status" : arena_clean(l->s->arena, text_of(err.words));
	if (words)
		sick(l, LINK_BAD, "volume server", arena_printf(l->s->arena, "%s: %s", l->node, words));
	say_part(l, "volume", l->node, words ? "bad" : "ok", words);
	l->sum_whole &= server.disk_total >= 0;
	l->sum.disk_total += server.disk_total > 0 ? server.disk_total : 0;
	l->sum.disk_free += server.disk_free > 0 ? server.disk_free : 0;
	l->sum.files += server.files;
	l->sum.size += server.size;
	l->sum.read_only += server.read_only;
	find_nearly_full(l, &server);
	if (well)
		http_answer_free(&status);
	http_answer_free(&health);
}

static struct value sum_of(const struct look *l, int64_t i)
{
	struct value v = value_int(i);

	v.at_least = !l->sum_whole;
	return v;
}

static void say_sum(struct look *l, int64_t volumes)
{
	figure(l, "volumes", value_int(volumes));
	figure(l, "disk_free", sum_of(l, l->sum.disk_free));
	figure(l, "disk_total", sum_of(l, l->sum.disk_total));
	figure(l, "files", sum_of(l, l->sum.files));
	figure(l, "bytes", sum_of(l, l->sum.size));
	figure(l, "read_only", sum_of(l, l->sum.read_only));
	if (l->sum.read_only)
		snapshot_finding(l->s, "read-only", SEVERITY_WARNING, "weed shell: volume.mark -writable, after finding out why",
			"%lld of %lld volumes are read-only", (long long)l->sum.read_only, (long long)volumes);
}

/* "127.0.0.1:8080", "[::1]:8080"; false for a name, which we do not resolve. */
static bool endpoint_of(const char *url, struct endpoint *out)
{
	struct text t = text_of(url), port;
	const char *colon = memrchr(t.at, ':', t.len);
	int64_t number_of_port;

	if (!colon)
		return false;
	port = (struct text){colon + 1, (size_t)(t.at + t.len - colon - 1)};
	t.len = (size_t)(colon - t.at);
	if (t.len > 2 && t.at[0] == '[' && t.at[t.len - 1] == ']')
		t = (struct text){t.at + 1, t.len - 2};
	for (size_t i = 0; i < t.len; i++)
		if (!strchr("0123456789abcdefABCDEF.:", t.at[i]))
			return false;
	if (t.len == 0 || t.len >= sizeof out->address || !text_i64(port, &number_of_port) || number_of_port < 1 ||
		number_of_port > 65535)
		return false;
	text_copy(out->address, sizeof out->address, t);
	out->port = (uint16_t)number_of_port;
	return true;
}

static void look_at_topology(struct look *l, const struct seaweedfs_topology *t)
{
	int64_t volumes = 0;

	for (size_t i = 0; i < t->n_nodes; i++) {
		struct endpoint at;

		volumes += t->nodes[i].volumes;
		if (endpoint_of(t->nodes[i].url, &at))
			look_at_server(l, &at);
		else {
			l->sum_whole = false;
			say_part(l, "volume", t->nodes[i].url, "not asked", "its address is a name");
		}
	}
	l->sum_whole &= t->left_off == 0;
	figure(l, "slots_free", value_int(t->free));
	figure(l, "slots_max", value_int(t->most));
	figure(l, "writable", value_int(t->writable));
	figure(l, "nodes", value_int((int64_t)(t->n_nodes + t->left_off)));
	say_sum(l, volumes);
	if (!t->n_nodes)
		sick(l, LINK_BAD, "master", "no volume server has joined it");
	else if (t->free <= 0 && t->writable == 0)
		sick(l, LINK_BAD, "master", "no slot is free and no volume can be written: writes fail");
	else if (t->free <= 0)
		snapshot_finding(l->s, "slots", SEVERITY_WARNING, "raise -volume.max, or add a volume server",
			"all %lld volume slots are taken: no new volume can grow",
			(long long)t->most);
}

static void look_at_master(struct look *l, const struct endpoint *at)
{
	struct http_answer answer;
	struct err err = {0};
	struct seaweedfs_topology topology;
	bool came = get(l->p, at, "/cluster/healthz", &answer, &err);
	const char *words = trouble(l, came, &answer, &err);

	if (came && answer.status == 503)
		words = "has no leader";
	else if (came && answer.status == 423)
		words = "its topology has been locked for seconds";
	http_answer_free(&answer);
	if (words)
		sick(l, LINK_BAD, "master", words);
	say_part(l, "master", address_of(l, at), words ? "bad" : "ok", words);
	came = get(l->p, at, "/dir/status", &answer, &err);
	words = trouble(l, came, &answer, &err);
	if (!words && seaweedfs_parse_topology(buf_text(&answer.body), &topology, &err))
		look_at_topology(l, &topology);
	else
		sick(l, LINK_BAD, "master", arena_printf(l->s->arena, "no topology: %s", words ? words : err.words));
	http_answer_free(&answer);
}

static void say_leader(struct look *l, const struct endpoint *at)
{
	struct http_answer answer;
	struct err err = {0};
	struct json *root = NULL;

	if (get(l->p, at, "/cluster/status", &answer, &err) && answer.status == 200)
		root = json_parse(buf_text(&answer.body), &err);
	/* "127.0.0.1:9333.19333": the gRPC port follows the dot */
	if (json_string(json_get(root, "Leader"))) {
		char leader[SEAWEEDFS_URL_SIZE];
		char *dot;

		text_copy(leader, sizeof leader, text_of(json_string(json_get(root, "Leader"))));
		dot = strrchr(leader, '.');
		if (dot && strchr(leader, ':') && dot > strrchr(leader, ':'))
			*dot = '\0';
		figure(l, "leader", value_text(leader));
	}
	json_free(root);
	http_answer_free(&answer);
}

/* Is there a filer, and not merely somebody on its port? The expected one must be there. */
static bool is_part(const struct http_answer *answer, const char *role)
{
	return role_is(seaweedfs_role(http_header(answer, "Server"), buf_text(&answer->body)), role);
}

static void count_buckets(struct look *l, const struct endpoint *at)
{
	struct seaweedfs_listing page = {.more = true};
	char last[256 * 3 + 1] = "";
	int64_t buckets = 0;
	struct value v;

	for (unsigned n = 0; n < BUCKET_PAGES && page.more; n++) {
		struct http_answer answer;
		struct err err = {0};
		bool told = get(l->p, at, arena_printf(l->s->arena, "/buckets/?limit=%d&lastFileName=%s", BUCKET_PAGE, last), &answer, &err) &&
			answer.status == 200 && seaweedfs_parse_listing(buf_text(&answer.body), &page, &err);

		http_answer_free(&answer);
		if (!told && n == 0)
			return; /* no such directory, or not for us */
		if (!told)
			break;
		buckets += page.directories;
		for (size_t i = 0, w = 0; page.last[i]; i++, w = strlen(last))
			snprintf(last + w, sizeof last - w, "%%%02X", (unsigned)(unsigned char)page.last[i]);
	}
	v = value_int(buckets);
	v.at_least = page.more;
	figure(l, "buckets", v);
}

static void look_at_filer(struct look *l, const struct endpoint *at, bool expected)
{
	struct http_answer answer;
	struct err err = {0};
	bool came = get(l->p, at, "/healthz", &answer, &err), itself = came && is_part(&answer, "filer");
	const char *words = trouble(l, came, &answer, &err);

	if (came && answer.status == 503 && itself)
		words = "cannot reach its store (HTTP 503)";
	else if (came && !itself)
		words = "something else answers there";
	http_answer_free(&answer);
	if (!itself && !expected)
		return;
	say_part(l, "filer", address_of(l, at), words ? "bad" : "ok", words);
	if (words)
		sick(l, LINK_BAD, "filer", words);
	else
		count_buckets(l, at);
}

/* Refused is not broken: what the keys are worth is between the profile and S3. */
static void judge_s3(struct look *l, const struct endpoint *at, const struct http_answer *answer)
{
	struct seaweedfs *state = l->p->state;
	struct text code = seaweedfs_s3_code(buf_text(&answer->body));
	const char *words;

	if (text_is(code, "RequestTimeTooSkewed")) {
		words = "refuses our clock: the two differ by more than 15 minutes";
		sick(l, LINK_BAD, "S3", words);
		say_part(l, "s3", address_of(l, at), "bad", words);
		return;
	}
	words = arena_printf(l->s->arena, "refuses the key %s (%.*s)", l->p->credentials.user, (int)(code.len > 40 ? 40 : code.len),
		code.at);
	state->s3_refused = true;
	state->credential = credential_print(&l->p->credentials);
	text_clean(state->words, sizeof state->words, text_of(words));
	err_set(&l->s->err, ERR_AUTH, "S3 %s", state->words);
	sick(l, LINK_UNKNOWN, "S3", state->words);
	say_part(l, "s3", address_of(l, at), "refuses us", state->words);
}

static void ask_s3(struct look *l, const struct endpoint *at, bool expected)
{
	struct http_request request = {
		.path = "/", .sigv4 = l->p->credentials.password ? "aws:amz:us-east-1:s3" : NULL, .most = BODY_MAX, .timeout_ms = PART_MS,
		.user = l->p->credentials.user, .password = l->p->credentials.password,
	};
	struct http_answer answer;
	struct err err = {0};
	bool came, itself;
	int64_t buckets;
	const char *words;

	if (!request.sigv4)
		request.user = NULL;
	came = http_ask(l->p, at, &request, &answer, &err);
	itself = came && text_starts(http_header(&answer, "Server"), "SeaweedFS ") &&
		!text_starts(http_header(&answer, "Server"), "SeaweedFS Volume");
	buckets = came ? seaweedfs_s3_buckets(buf_text(&answer.body)) : -1;
	words = !came ? arena_clean(l->s->arena, text_of(err.words)) : arena_printf(l->s->arena, "HTTP %ld", answer.status);
	if (itself && (answer.status == 403 || answer.status == 400) && request.sigv4) {
		judge_s3(l, at, &answer);
	} else if (itself && !request.sigv4 && answer.status < 500) {
		say_part(l, "s3", address_of(l, at), "not asked", "answers; no key is given, so that nothing more is known");
		if (role_is(l->s->who.role, "s3"))
			sick(l, LINK_UNKNOWN, "S3", "no key is given: not asked for its buckets");
	} else if (itself && answer.status == 200 && buckets >= 0) {
		say_part(l, "s3", address_of(l, at), "ok", arena_printf(l->s->arena, "lists %lld buckets", (long long)buckets));
		figure(l, "buckets_seen", value_int(buckets));
	} else if (itself || expected) {
		words = came && !itself ? "something else answers there" : words;
		say_part(l, "s3", address_of(l, at), "bad", words);
		sick(l, LINK_BAD, "S3", words);
	}
	http_answer_free(&answer);
}

static void look_at_s3(struct look *l, const struct endpoint *at, bool expected)
{
	struct seaweedfs *state = l->p->state;

	if (!state->s3_refused || state->credential != credential_print(&l->p->credentials)) {
		state->s3_refused = false;
		ask_s3(l, at, expected);
		return;
	}
	err_set(&l->s->err, ERR_AUTH, "S3 %s", state->words);
	sick(l, LINK_UNKNOWN, "S3", state->words);
	say_part(l, "s3", address_of(l, at), "refuses us", state->words);
}

static struct endpoint part_at(const struct probe *p, const char *role, bool *expected)
{
	struct endpoint at = p->at;

	*expected = p->expected && expected_role_port(p->expected, role) != 0;
	at.port = probe_port(p, role);
	return at;
}

static void look_at_all(struct look *l)
{
	struct endpoint at;
	bool expected;

	say_leader(l, &l->p->at);
	look_at_master(l, &l->p->at);
	at = part_at(l->p, "filer", &expected);
	if (at.port)
		look_at_filer(l, &at, expected);
	at = part_at(l->p, "s3", &expected);
	if (at.port)
		look_at_s3(l, &at, expected);
}

static bool inspect(struct probe *p, struct snapshot *s)
{
	const char *role = s->who.role ? s->who.role : probe_role(p, &kind_seaweedfs);
	struct look l = {.p = p, .s = s, .sum_whole = true};
	int64_t begun = clock_ms();

	if (!p->state)
		p->state = mem_new(1, sizeof(struct seaweedfs));
	l.parts = snapshot_table(s, kind_seaweedfs.tables, "parts");
	l.volumes = snapshot_table(s, kind_seaweedfs.tables, "volumes");
	if (role_is(role, "volume")) {
		look_at_server(&l, &p->at);
		say_sum(&l, (int64_t)(l.volumes->n_rows + l.volumes->left_off));
	} else if (role_is(role, "filer"))
		look_at_filer(&l, &p->at, true);
	else if (role_is(role, "s3"))
		look_at_s3(&l, &p->at, true);
	else
		look_at_all(&l);
	if (!s->health.words)
		snapshot_health(s, LINK_OK, asked_in(p, "all parts", begun), "%zu part%s answer%s", l.parts->n_rows,
			l.parts->n_rows == 1 ? "" : "s", l.parts->n_rows == 1 ? "s" : "");
	return true;
}

/* ---- hints ---- */

/* The number after "-filer.port=" in its words; missing where it is not given. */
static int64_t flag(struct text hint, const char *name, int64_t missing)
{
	struct text word;
	int64_t i;

	while (text_word(&hint, &word)) {
		while (word.len && word.at[0] == '-') {
			word.at++;
			word.len--;
		}
		if (text_skip(&word, name) && text_skip(&word, "=") && text_i64(word, &i))
			return i;
	}
	return missing;
}

static const char *role_of(struct text hint, uint16_t port)
{
	static const struct { const char *role, *grpc, *flag, *grpc_flag; int64_t port, other; } parts[] = {
		{"master", "master-grpc", "master.port", "master.port.grpc", 9333, 9333},
		{"volume", "volume-grpc", "volume.port", "volume.port.grpc", 8080, 9340}, /* 9340 of "weed mini" */
		{"filer", "filer-grpc", "filer.port", "filer.port.grpc", 8888, 8888},
		{"s3", "s3-grpc", "s3.port", "s3.port.grpc", 8333, 8333},
	};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		int64_t own = flag(hint, parts[i].flag, 0), grpc = flag(hint, parts[i].grpc_flag, 0);

		if (own ? port == own : port == parts[i].port || port == parts[i].other)
			return parts[i].role;
		if (grpc ? port == grpc : port == (own ? own : parts[i].port) + 10000)
			return parts[i].grpc;
	}
	return port == flag(hint, "s3.port.iceberg", flag(hint, "port.iceberg", 8181)) ? "iceberg" : NULL;
}

const struct service_kind kind_seaweedfs = {
	.name = "seaweedfs",
	.title = "SeaweedFS",
	.group = "storage",
	.ports = (const struct port_role[]){
		{"master", 9333, PORT_ASK, 0},
		{"volume", 8080, PORT_ASK, 8089},
		{"filer", 8888, PORT_ASK, 0},
		{"s3", 8333, PORT_ASK, 0},
		{"master-grpc", 19333, PORT_SILENT, 0},
		{"volume-grpc", 18080, PORT_SILENT, 18089},
		{"filer-grpc", 18888, PORT_SILENT, 0},
		{"s3-grpc", 18333, PORT_SILENT, 0},
		{"iceberg", 8181, PORT_SILENT, 0}, /* its REST catalog: a catalog's business */
		{0}},
	.owners = (const char *const[]){
		"weed -", "weed server", "weed mini", "weed master", "weed volume", "weed filer", "weed s3", NULL},
	.figures = (const struct figure_spec[]){
		{"disk_free", "free", UNIT_BYTES, FIGURE_ROW | FIGURE_HISTORY, "free on the disks of all volume servers"},
		{"buckets", "buckets", UNIT_COUNT, FIGURE_ROW, "S3 buckets, counted on the filer; hidden ones are not"},
		{"volumes", "volumes", UNIT_COUNT, FIGURE_ROW, "volumes that exist"},
		{"slots_free", "free slots", UNIT_COUNT, FIGURE_HISTORY, "volumes that may still be made"},
		{"slots_max", "slots", UNIT_COUNT, 0, "volumes that all volume servers may hold"},
		{"writable", "writable volumes", UNIT_COUNT, 0, "volumes that can be written"},
		{"read_only", "read-only volumes", UNIT_COUNT, 0, "volumes that cannot"},
		{"nodes", "volume servers", UNIT_COUNT, 0, "that the master knows"},
		{"disk_total", "disk size", UNIT_BYTES, 0, "size of these disks"},
		{"files", "files", UNIT_COUNT, 0, "chunks in all volumes, deleted ones too"},
		{"bytes", "stored", UNIT_BYTES, FIGURE_HISTORY, "size of all volumes, deleted chunks too"},
		{"buckets_seen", "buckets for this key", UNIT_COUNT, 0, "that S3 lists for the profile's key"},
		{"leader", "", UNIT_NONE, 0, "master that leads"},
		{0}},
	.tables = (const struct table_spec[]){
		{"parts", "what it is made of", (const struct column_spec[]){
			{"part", VALUE_TEXT, UNIT_NONE, 0, "master, volume, filer, s3"},
			{"address", VALUE_TEXT, UNIT_NONE, 0, "where"},
			{"state", VALUE_TEXT, UNIT_NONE, 0, "ok, bad, refuses us, not asked"},
			{"words", VALUE_TEXT, UNIT_NONE, 1, "why"},
			{0}}},
		{"volumes", "volumes of all volume servers", (const struct column_spec[]){
			{"volume", VALUE_INT, UNIT_NONE, 0, "id"},
			{"node", VALUE_TEXT, UNIT_NONE, 2, "volume server"},
			{"collection", VALUE_TEXT, UNIT_NONE, 0, "bucket; none for what no bucket holds"},
			{"size", VALUE_INT, UNIT_BYTES, 0, "deleted chunks too"},
			{"files", VALUE_INT, UNIT_COUNT, 0, "chunks, deleted ones too"},
			{"deleted", VALUE_INT, UNIT_COUNT, 1, "chunks deleted and not yet vacuumed"},
			{"deleted_bytes", VALUE_INT, UNIT_BYTES, 1, "their size"},
			{"read_only", VALUE_BOOL, UNIT_NONE, 1, "cannot be written"},
			{"modified", VALUE_INT, UNIT_TIME, 3, "last written"},
			{0}}},
		{0}},
	.role_of = role_of,
	.identify = identify,
	.pulse = pulse,
	.inspect = inspect,
	.close = free,
};
