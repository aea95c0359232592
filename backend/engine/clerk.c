// SPDX-License-Identifier: MIT
/*
 * Who answers on a port that no profile names? A few threads ask, politely, each port once: first
 * what port and owner suggest; never a guess thrown at a port that neither explains. There they
 * only listen for a banner; HTTP is tried on the unknown only when the user asks.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actor.h"
#include "json.h"

/* From EPHEMERAL on a port is some program's own affair: PySpark logs a stack trace for a visitor who says nothing. */
enum { BANNER_MS = 300, INQUIRY_MS = 2500, SAYS_MAX = 160, EPHEMERAL = 32768 };

static bool owner_suggests(const struct service_kind *k, struct text hint)
{
	for (size_t i = 0; hint.len && k->owners && k->owners[i]; i++)
		if (text_has(hint, k->owners[i]))
			return true;
	return false;
}

static const struct port_role *role_by_number(const struct service_kind *k, uint16_t port)
{
	for (const struct port_role *r = k->ports; r->role; r++)
		if (port && (r->port == port || r->often == port))
			return r;
	return NULL;
}

static const struct port_role *role_by_name(const struct service_kind *k, const char *role)
{
	for (const struct port_role *r = k->ports; role && r->role; r++)
		if (!strcmp(r->role, role))
			return r;
	return NULL;
}

/* Which part of k the port is, by its owner's words or its number; NULL: cannot tell. */
static const struct port_role *part_of(const struct service_kind *k, struct text hint, uint16_t port)
{
	const struct port_role *r = k->role_of ? role_by_name(k, k->role_of(hint, port)) : NULL;

	return r ? r : role_by_number(k, port);
}

size_t kinds_of_owner(struct text hint, const struct service_kind *out[CANDIDATES_MAX])
{
	size_t n = 0;

	for (size_t i = 0; service_kinds[i] && n < CANDIDATES_MAX; i++)
		if (owner_suggests(service_kinds[i], hint))
			out[n++] = service_kinds[i];
	return n;
}

bool port_is_silent(struct text hint, uint16_t port, const struct service_kind **kind, const char **role)
{
	for (size_t i = 0; service_kinds[i]; i++) {
		const struct port_role *r;

		if (!owner_suggests(service_kinds[i], hint))
			continue;
		r = part_of(service_kinds[i], hint, port);
		if (r && r->manner == PORT_ASK)
			return false;
		*kind = service_kinds[i];
		*role = r ? r->role : NULL;
		return true; /* a port of a known server that we cannot place: its RPC, most likely */
	}
	return false;
}

static size_t add(const struct service_kind *out[CANDIDATES_MAX], size_t n, const struct service_kind *k)
{
	for (size_t i = 0; i < n; i++)
		if (out[i] == k)
			return n;
	if (k && n < CANDIDATES_MAX)
		out[n++] = k;
	return n;
}

size_t candidates(struct text hint, uint16_t port, const struct service_kind *expected, const struct service_kind *out[CANDIDATES_MAX])
{
	bool owner_known = false;
	size_t n = 0;

	/* the owner knows best what it is: where it names a kind, the protocol of another would only fill its log */
	for (size_t i = 0; service_kinds[i]; i++) {
		const struct port_role *r;

		if (!owner_suggests(service_kinds[i], hint))
			continue;
		owner_known = true;
		r = part_of(service_kinds[i], hint, port);
		if (service_kinds[i] == expected || (r && r->manner == PORT_ASK))
			n = add(out, n, service_kinds[i]);
	}
	if (expected && !owner_known)
		n = add(out, n, expected);
	/* a number alone explains a port only while its owner does not say otherwise */
	for (size_t i = 0; !owner_known && service_kinds[i]; i++) {
		const struct port_role *r = role_by_number(service_kinds[i], port);

		if (r && r->manner == PORT_ASK)
			n = add(out, n, service_kinds[i]);
	}
	return n;
}

/* Who answers here is somebody else: what they say of themselves is not what the server is. */
static bool only_forwards(struct text program)
{
	static const char *const programs[] = {
		"docker-proxy", "rootlesskit", "slirp4netns", "pasta", "conmon", "containerd-shim", "systemd", "init", "xinetd", "inetd",
		"ssh", "sshd", "autossh", "kubectl", "minikube", "k9s", "socat", "ncat", "haproxy", "nginx", "envoy", "traefik", "stunnel", "stunnel4",
		"pgbouncer", "pgcat", "pgpool", "odyssey", "cloud-sql-proxy", "cloud_sql_proxy", "cloudflared", "tsh", "boundary", "gvproxy", "vpnkit",
		"limactl", "wslrelay", "ghostunnel", "session-manager-plugin", NULL,
	};

	for (size_t i = 0; programs[i]; i++)
		if (text_is(program, programs[i]))
			return true;
	return false;
}

enum holder holder_of(const struct service_kind *kind, struct text hint, bool seen)
{
	struct text program = text_until(hint, ' ');

	if (!hint.len || !kind->owners)
		return HOLDER_UNKNOWN;
	if (program.len && program.at[program.len - 1] == ':')
		program.len--;
	if (owner_suggests(kind, hint))
		return HOLDER_RIGHT;
	for (size_t i = 0; kind->owners[i]; i++) { /* without arguments: "postgres" of "postgres -" */
		struct text word = text_until(text_of(kind->owners[i]), ' ');

		if (word.len == program.len && !memcmp(word.at, program.at, word.len))
			return HOLDER_RIGHT;
	}
	return !seen || !kind->owners_are_all || only_forwards(program) ? HOLDER_UNKNOWN : HOLDER_OTHER;
}

void identity_copy(struct arena *arena, struct identity *to, const struct identity *from)
{
	const char **strings[] = {&to->role, &to->says, &to->version, &to->version_to, &to->revision, &to->from, &to->source};

	*to = *from;
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
		if (*strings[i])
			*strings[i] = arena_copy(arena, text_of(*strings[i]));
}

enum answered identify_among(struct probe *p, const struct service_kind *const *kinds, size_t n, const struct service_kind **state_kind,
	const struct expectation *x, struct identity *who)
{
	enum answered said = ANSWERED_NOT_ASKED;

	for (size_t i = 0; i < n; i++) {
		enum answered answered;

		*who = (struct identity){0};
		probe_turn(p, state_kind, kinds[i], x);
		answered = kinds[i]->identify(p, who);
		if (answered == ANSWERED_YES || answered == ANSWERED_REFUSED)
			return answered;
		if (said == ANSWERED_NOT_ASKED || answered == ANSWERED_OTHER)
			said = answered; /* who says something wrong is alive: that is more than mute */
		if (wait_left(p->wait) == 0)
			break;
	}
	return said;
}

void probe_withhold(struct probe *p, const struct service_kind *kind)
{
	p->holder = kind ? holder_of(kind, text_of(p->hint), p->owner_seen) : HOLDER_UNKNOWN;
	p->withheld = p->holder == HOLDER_OTHER && (p->credentials.password || p->credentials.token);
	if (p->withheld)
		p->credentials.user = p->credentials.password = p->credentials.token = NULL;
}

void probe_turn(struct probe *p, const struct service_kind **state_kind, const struct service_kind *kind, const struct expectation *x)
{
	p->expected = x && x->kind == kind ? x : NULL;
	p->credentials = p->expected ? x->credentials : (struct credentials){0};
	probe_withhold(p, kind);
	if (*state_kind == kind)
		return;
	if (p->state && *state_kind && (*state_kind)->close)
		(*state_kind)->close(p->state);
	p->state = NULL;
	*state_kind = kind;
}

static const char *first_words(struct arena *arena, struct text t)
{
	struct text line = TEXT("");

	text_line(&t, &line);
	line = text_trim(line);
	if (line.len > SAYS_MAX)
		line.len = SAYS_MAX;
	return line.len ? arena_clean(arena, line) : NULL;
}

/* Some speak first: ssh, smtp, mysql, amqp gateways. */
static enum answered listen_for_banner(struct probe *p, struct identity *who)
{
	struct buf heard;
	struct err err = {0};
	int fd = net_dial(p, &p->at, &err);
	enum answered said = ANSWERED_NOT_ASKED;

	if (fd < 0)
		return net_undialled(&err);
	buf_init(&heard, 512);
	net_read_some(p, fd, BANNER_MS, &heard, NULL);
	net_close(fd);
	who->says = first_words(p->arena, buf_text(&heard));
	if (who->says) {
		said = ANSWERED_OTHER;
		who->source = "its banner";
	}
	buf_free(&heard);
	return said;
}

/* {"error":{"message":...,"type":...,"code":...}}: the shape of Iceberg's specification, which its catalogs give to what they do not know. */
static bool errs_like_iceberg(struct text body)
{
	struct json *root = json_parse(body, NULL);
	const struct json *error = json_get(root, "error");
	bool like = json_string(json_get(error, "message")) && json_string(json_get(error, "type")) && json_get(error, "code");

	json_free(root);
	return like;
}

/*
 * A catalog of a program that nobody knows, on a port that is not 8181. /v1/config is no question for any HTTP server: many log what they do
 * not have as an error or a warning (nginx, Spring, Tornado). It is asked only where "/", which the user wanted, was refused as Iceberg refuses.
 */
static enum answered ask_catalog(struct probe *p, struct identity *who, const struct service_kind **state_kind)
{
	const struct service_kind *kind = service_kind_named("iceberg-rest");

	probe_turn(p, state_kind, kind, NULL);
	return kind->identify(p, who);
}

static enum answered ask_http(struct probe *p, struct identity *who, const struct service_kind **state_kind)
{
	struct http_answer answer;
	struct err err = {0};
	struct text server, title;
	enum answered said = ANSWERED_MUTE;
	bool http = http_get(p, &p->at, "/", &answer, &err);

	if (http && errs_like_iceberg(buf_text(&answer.body)) && ask_catalog(p, who, state_kind) == ANSWERED_YES) {
		said = ANSWERED_YES;
	} else if (http) {
		server = http_header(&answer, "Server");
		title = text_trim(text_between(buf_text(&answer.body), "<title>", "</title>"));
		if (server.len > 80)
			server.len = 80;
		if (title.len > 80)
			title.len = 80;
		who->says = arena_clean(p->arena, text_of(arena_printf(p->arena, "HTTP %ld%s%.*s%s%.*s", answer.status, server.len ? " " : "",
			(int)server.len, server.at, title.len ? " " : "", (int)title.len, title.at)));
		who->source = "GET /";
		said = ANSWERED_OTHER;
	} else if (err.code == ERR_PROTOCOL && answer.heard) {
		who->says = arena_clean(p->arena, text_of("not HTTP"));
		said = ANSWERED_OTHER;
	}
	http_answer_free(&answer);
	return said;
}

/* No question is thrown at what nothing explains, before the user asks for it. */
static enum answered ask_unexplained(struct probe *p, const struct inquiry *q, const struct service_kind **state_kind, struct identity *who)
{
	enum answered said = q->port < EPHEMERAL || q->on_demand ? listen_for_banner(p, who) : ANSWERED_NOT_ASKED;

	return q->on_demand && said == ANSWERED_NOT_ASKED ? ask_http(p, who, state_kind) : said;
}

static enum answered ask_owners_kind(struct probe *p, const struct inquiry *q, const struct service_kind **state_kind, struct identity *who)
{
	const struct service_kind *kinds[CANDIDATES_MAX];
	enum answered said = identify_among(p, kinds, kinds_of_owner(text_of(q->hint), kinds), state_kind, NULL, who);

	return said == ANSWERED_YES || said == ANSWERED_REFUSED || who->says ? said : ask_http(p, who, state_kind);
}

static void answer(struct actor *a, struct net *net, const struct inquiry *q, uint64_t generation)
{
	const struct service_kind *kinds[CANDIDATES_MAX], *silent, *state_kind = NULL;
	const char *role;
	struct snapshot *s = snapshot_new("port", PART_PULSE);
	struct probe p = {
		.host = a->engine->host, .net = net, .wait = actor_wait(a->engine, INQUIRY_MS), .at = {.port = q->port},
		.hint = q->hint, .owner_started = q->owner_started, .arena = s->arena,
	};
	size_t n = candidates(text_of(q->hint), q->port, NULL, kinds);
	enum answered said = ANSWERED_NOT_ASKED;

	/* any-address listeners are asked on loopback */
	text_copy(p.at.address, sizeof p.at.address,
		q->address[0] == '*' || !strcmp(q->address, "0.0.0.0") ? TEXT("127.0.0.1") :
		!strcmp(q->address, "[::]") || !strcmp(q->address, "::") ? TEXT("::1") : text_of(q->address));
	s->source = arena_printf(s->arena, "port:%s:%u", q->address, q->port);
	if (n)
		said = identify_among(&p, kinds, n, &state_kind, NULL, &s->who);
	else if (!port_is_silent(text_of(q->hint), q->port, &silent, &role))
		said = ask_unexplained(&p, q, &state_kind, &s->who);
	else if (q->on_demand && !role) /* its owner is known, and might serve on any port */
		said = ask_owners_kind(&p, q, &state_kind, &s->who);
	probe_turn(&p, &state_kind, NULL, NULL);
	s->who.answered = said;
	s->requests = p.requests;
	s->bytes = p.bytes;
	s->generation = generation;
	s->ended = clock_ms();
	s->wall = clock_wall_ms();
	s->interval = PULSE_MS;
	atomic_fetch_add(&a->requests, p.requests);
	engine_publish(a->engine, a, s);
}

void *actor_clerk(void *arg)
{
	struct actor *a = arg;
	struct engine *e = a->engine;
	struct net *net = net_new(e->host);
	uint64_t generation = 0, count;

	for (;;) {
		struct inquiry *q;

		pthread_mutex_lock(&e->lock);
		q = e->inquiries;
		if (q)
			e->inquiries = q->next;
		pthread_mutex_unlock(&e->lock);
		if (q) {
			answer(a, net, q, ++generation);
			pthread_mutex_lock(&e->lock);
			e->open_explained -= q->explained;
			e->open_all--;
			pthread_mutex_unlock(&e->lock);
			free(q);
		}
		if (wait_fd(actor_wait(e, q ? 0 : 3600000), a->wake, POLLIN) < 0)
			break;
		while (!q && read(a->wake, &count, sizeof count) > 0)
			continue;
	}
	net_free(net);
	return NULL;
}
