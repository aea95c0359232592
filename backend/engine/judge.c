// SPDX-License-Identifier: MIT
/*
 * The law. One function for each link of the evidence, one for each verdict, in order of
 * precedence, and one for each finding that judging itself adds. A rule reads only the scene (the
 * facts, sorted) and the links, so that no verdict rests on what cannot be shown.
 *
 * Unknown in declared, running, owner or fresh never demotes; unknown in identity or healthy makes
 * the verdict unknown; nothing unknown is ever green. Pure, any thread; tested as a table.
 */
#include "judge.h"

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "scene.h"
#include "text.h"

/* ---- words ---- */

static const struct {
	const char *word, *key, *glyph, *ascii;
} verdicts[VERDICT_COUNT] = {
	[VERDICT_BLOCKED] = {"blocked", "blocked", "■", "B"},
	[VERDICT_IMPOSTOR] = {"impostor", "impostor", "✗", "X"},
	[VERDICT_STOPPED] = {"stopped", "stopped", "○", "o"},
	[VERDICT_ABSENT] = {"absent", "absent", "·", "-"},
	[VERDICT_STARTING] = {"starting", "starting", "◌", "."},
	[VERDICT_FROZEN] = {"frozen", "frozen", "▽", "z"},
	[VERDICT_MUTE] = {"mute", "mute", "▽", "m"},
	[VERDICT_WRONG_VERSION] = {"wrong version", "wrong-version", "≠", "V"},
	[VERDICT_SICK] = {"sick", "sick", "▲", "!"},
	[VERDICT_UNKNOWN] = {"unknown", "unknown", "?", "?"},
	[VERDICT_SERVING] = {"serving", "serving", "●", "+"},
};

static const char *const link_words[LINK_COUNT] = {
	[LINK_DECLARED] = "declared", [LINK_RUNNING] = "running", [LINK_LISTENING] = "listening", [LINK_OWNER] = "owner",
	[LINK_IDENTITY] = "identity", [LINK_VERSION] = "version", [LINK_FRESH] = "fresh", [LINK_HEALTHY] = "healthy",
};

static const char *const state_words[] = {[LINK_UNKNOWN] = "unknown", [LINK_OK] = "ok", [LINK_BAD] = "bad", [LINK_NA] = "n/a"};
static const char *const sure_words[] = {
	[SURE_UNKNOWN] = "", [SURE_HINT] = " (only a hint)", [SURE_RANGE] = " (a range)", [SURE_EXACT] = "",
};

const char *verdict_word(enum verdict v)
{
	return v < VERDICT_COUNT ? verdicts[v].word : "?";
}

const char *verdict_key(enum verdict v)
{
	return v < VERDICT_COUNT ? verdicts[v].key : "?";
}

const char *verdict_glyph(enum verdict v, bool ascii)
{
	if (v >= VERDICT_COUNT)
		return "?";
	return ascii ? verdicts[v].ascii : verdicts[v].glyph;
}

const char *link_word(enum link_name link)
{
	return link < LINK_COUNT ? link_words[link] : "?";
}

const char *link_state_word(enum link_state state)
{
	return (size_t)state < sizeof state_words / sizeof *state_words ? state_words[state] : "?";
}

/* ---- the links ---- */

#define link_say(link, is, from, ...) ((link)->state = (is), scene_say((link)->source, LINK_VALUE_SIZE, "%s", from), \
	scene_say((link)->value, LINK_VALUE_SIZE, __VA_ARGS__))

static void seen_by_host(const struct scene *s, struct link *l)
{
	l->seen = s->q->host_seen;
	l->interval = s->q->host_interval;
}

static void seen_by_docker(const struct scene *s, struct link *l)
{
	l->seen = s->q->docker_seen;
	l->interval = s->q->docker_interval;
}

static void seen_by_pulse(const struct scene *s, struct link *l)
{
	l->seen = s->q->pulse ? s->q->pulse->ended : 0;
	l->interval = s->q->pulse ? s->q->pulse->interval : 0;
}

static bool gone(const struct scene *s)
{
	return s->being == BEING_STOPPED || s->being == BEING_NOTHING;
}

static const char *title(const struct scene *s)
{
	return s->q->kind ? s->q->kind->title : s->q->name;
}

static void link_declared(const struct scene *s, struct link *l)
{
	const struct profile *p = s->q->profile;

	l->seen = s->q->now;
	if (s->q->expected)
		link_say(l, LINK_OK, "profile", "profile %s", p && p->name ? p->name : "");
	else
		link_say(l, LINK_NA, "profile", "found, in no profile");
}

/* Is there a process, a container, a unit of it? */
static void link_running(const struct scene *s, struct link *l)
{
	static const enum link_state states[] = {
		[BEING_UNKNOWN] = LINK_UNKNOWN, [BEING_NOTHING] = LINK_BAD, [BEING_STOPPED] = LINK_BAD, [BEING_RESTARTS] = LINK_BAD,
		[BEING_RUNS] = LINK_OK,
	};
	enum link_state state = states[s->being];

	if (s->being_by_docker)
		seen_by_docker(s, l);
	else
		seen_by_host(s, l);
	/* it answers rightly, and nobody can be shown to do it instead: what we know of its process is out of date */
	if (gone(s) && s->right && s->whose != WHOSE_ANOTHERS)
		state = LINK_UNKNOWN;
	link_say(l, state, s->being_source, "%s", s->being_words);
}

/* The profile's further ports that nobody listens on, as " but not on 8082 (ui)". */
static void missing_ports(const struct scene *s, char out[LINK_VALUE_SIZE])
{
	const struct expectation *e = s->q->expected;

	out[0] = '\0';
	for (size_t i = 1; e && s->host_known && i < e->n_ports; i++) {
		size_t used = strlen(out);

		if (!facts_listener(s->q->host, e->address, e->ports[i].port) && !(s->docker_known && facts_publisher(s->q->docker, e->ports[i].port)))
			scene_say(out + used, LINK_VALUE_SIZE - used, "%s%u (%s)", used ? ", " : "", e->ports[i].port, e->ports[i].role);
	}
}

static bool loopback(const char *address)
{
	return !strncmp(address, "127.", 4) || !strcmp(address, "::1") || !address[0];
}

/* Is its port bound, and for whom? */
static void link_listening(const struct scene *s, struct link *l)
{
	const struct question *q = s->q;
	char missing[LINK_VALUE_SIZE];
	bool accepts = s->said == ANSWERED_YES || s->said == ANSWERED_OTHER || s->said == ANSWERED_MUTE;

	missing_ports(s, missing);
	seen_by_host(s, l);
	if (s->listener) {
		link_say(l, LINK_OK, "listening sockets", "%s:%u%s%s", s->listener->address, q->at.port, missing[0] ? ", but not on " : "", missing);
	} else if (s->publisher) {
		seen_by_docker(s, l);
		link_say(l, LINK_OK, "Docker", "%u published by container %s", q->at.port, s->publisher->name);
	} else if (accepts) {
		seen_by_pulse(s, l);
		link_say(l, LINK_OK, "connecting", "%s:%u accepts connections", q->at.address, q->at.port);
	} else if (s->host_known && loopback(q->at.address)) {
		link_say(l, LINK_BAD, "listening sockets", "nobody listens on %u", q->at.port);
	} else if (s->said == ANSWERED_REFUSED) {
		seen_by_pulse(s, l);
		link_say(l, LINK_BAD, "connecting", "%s:%u refuses connections", q->at.address, q->at.port);
	} else {
		link_say(l, LINK_UNKNOWN, "listening sockets", q->host ? "not known" : "not looked at yet");
	}
}

/* Is the one that holds the port the one that should? */
static void link_owner(const struct scene *s, struct link *l)
{
	char holder[LINK_VALUE_SIZE];

	scene_holder(s, holder);
	if (s->publisher && !s->holder)
		seen_by_docker(s, l);
	else
		seen_by_host(s, l);
	switch (s->whose) {
	case WHOSE_OURS:
		link_say(l, LINK_OK, "socket's owner", "%s", holder);
		return;
	case WHOSE_ANOTHERS:
		link_say(l, LINK_BAD, "socket's owner", "%s", holder);
		return;
	case WHOSE_UNCLAIMED:
		link_say(l, LINK_NA, "socket's owner", "%s", s->holder_named ? holder : "hidden from this user");
		return;
	case WHOSE_NOBODYS:
		link_say(l, LINK_UNKNOWN, "socket's owner", "nobody is seen to hold %u", scene_port(s));
		return;
	case WHOSE_UNKNOWN:
		link_say(l, LINK_UNKNOWN, "socket's owner", "%s", s->holder_named ? holder : "hidden from this user");
		return;
	}
}

/* Is what answers of the right kind? By its own protocol alone. */
static void link_identity(const struct scene *s, struct link *l)
{
	const struct question *q = s->q;
	const struct identity *who = q->pulse ? &q->pulse->who : &(const struct identity){0};
	const char *source = who->source ? who->source : "", *refused = s->outlived ? "its port was closed since" : "nothing accepts the connection";
	char span[CLOCK_TEXT];

	seen_by_pulse(s, l);
	if (!q->kind && q->expected)
		link_say(l, LINK_NA, source, "%s%s", s->said == ANSWERED_YES && who->kind ? who->kind->title : "not of a kind that is asked",
			s->said == ANSWERED_YES && who->kind ? " answers" : "");
	else if (!q->pulse)
		link_say(l, LINK_UNKNOWN, "", "being asked");
	else if (!s->heard)
		link_say(l, LINK_UNKNOWN, source, "last answer %s ago", clock_span(span, q->now - q->pulse->ended));
	else if (s->right)
		link_say(l, LINK_OK, source, "%s", title(s));
	else if (s->said == ANSWERED_YES && who->kind == q->kind)
		link_say(l, LINK_BAD, source, "%s, but its %s", title(s), who->role);
	else if (s->said == ANSWERED_YES)
		link_say(l, LINK_BAD, source, "%s, not %s", who->kind ? who->kind->title : "something else", title(s));
	else if (s->said == ANSWERED_OTHER)
		link_say(l, q->expected ? LINK_BAD : LINK_UNKNOWN, source, "says: %s", who->says ? who->says : "something else");
	else if (s->said == ANSWERED_MUTE)
		link_say(l, LINK_UNKNOWN, source, "said nothing");
	else
		link_say(l, LINK_UNKNOWN, source, "%s", s->said == ANSWERED_REFUSED ? refused : "not asked");
}

/* The version that answers: the pulse's, or what the deeper question told. NULL: unknown. */
static const struct identity *told_version(const struct scene *s)
{
	const struct question *q = s->q;

	if (!s->right)
		return NULL;
	if (q->pulse->who.version && q->pulse->who.sure != SURE_UNKNOWN)
		return &q->pulse->who;
	return s->deep && q->depth->who.version && q->depth->who.sure != SURE_UNKNOWN ? &q->depth->who : NULL;
}

/* Of what answers nothing better: the tag of its container's image, where it is a version. */
static const char *image_version(const struct scene *s, char out[NAME_SIZE])
{
	const struct container *c = s->container ? s->container : s->holder_container;
	const char *tag = c ? strrchr(c->image, ':') : NULL;

	if (!tag || strchr(tag, '/'))
		return NULL;
	tag += tag[1] == 'v' ? 2 : 1;
	return tag[0] >= '0' && tag[0] <= '9' && strspn(tag, "0123456789") != strlen(tag) ?
		text_copy(out, NAME_SIZE, text_until(text_of(tag), '-')) : NULL;
}

static enum link_state version_state(const struct identity *who, const char *expected)
{
	bool met = who->sure == SURE_RANGE ? version_in_range(who->version, who->version_to, expected) : version_meets(who->version, expected);

	/* a hint may be wrong: it gives a finding, not a verdict */
	return met ? LINK_OK : who->sure == SURE_HINT ? LINK_UNKNOWN : LINK_BAD;
}

/* Which version answers, is it the expected one, and how sure is that? */
static void link_version(const struct scene *s, struct link *l)
{
	const char *expected = s->q->expected ? s->q->expected->version : NULL, *image;
	const struct identity *who = told_version(s);
	char tag[NAME_SIZE];

	seen_by_pulse(s, l);
	if (!who && !s->right && s->q->kind) {
		link_say(l, expected ? LINK_UNKNOWN : LINK_NA, "", "%s%s", expected ? "expected " : "", expected ? expected : "not known");
	} else if (!who) {
		image = image_version(s, tag);
		link_say(l, expected ? LINK_UNKNOWN : LINK_NA, image ? "its image's tag" : "", "%s%s%s%s", image ? image : "not known",
			image ? sure_words[SURE_HINT] : "", expected ? ", expected " : "", expected ? expected : "");
	} else {
		link_say(l, expected ? version_state(who, expected) : LINK_NA, who->from ? who->from : "", "%s%s%s%s%s%s", who->version,
			who->version_to ? " to " : "", who->version_to ? who->version_to : "", sure_words[who->sure],
			expected ? ", expected " : "", expected ? expected : "");
	}
}

/* When did the one that answers start? ms since 1970; 0 unknown. */
static int64_t started(const struct scene *s)
{
	if (s->whose == WHOSE_ANOTHERS || !s->started)
		return s->held_by.started;
	return s->started;
}

/* Did it start after its configuration, JARs and image last changed? */
static void link_fresh(const struct scene *s, struct link *l)
{
	const struct freshness *f = &s->q->fresh;
	const struct container *c = s->container ? s->container : s->holder_container;
	char since[CLOCK_TEXT], ago[CLOCK_TEXT];
	bool old_image = c && c->created && c->image_created > c->created;

	seen_by_pulse(s, l);
	if (s->being != BEING_RUNS && !s->right) {
		link_say(l, LINK_NA, "", "does not run");
	} else if (f->known && f->newer && started(s)) {
		link_say(l, LINK_BAD, "modification times", "started %s ago; %s changed %s ago", clock_span(since, s->q->wall - started(s)), f->what,
			clock_span(ago, s->q->wall - f->newest));
	} else if (old_image) {
		seen_by_docker(s, l);
		link_say(l, LINK_BAD, "Docker", "its image was built again %s ago, after the container was made", clock_span(ago, s->q->wall - c->image_created));
	} else if (f->known && started(s)) {
		link_say(l, LINK_OK, "modification times", "nothing changed since it started %s ago", clock_span(since, s->q->wall - started(s)));
	} else if (f->known) {
		link_say(l, LINK_UNKNOWN, "modification times", "since when it runs is not known");
	} else if (c && c->image_created) {
		seen_by_docker(s, l);
		link_say(l, LINK_OK, "Docker", "its image is the newest");
	} else {
		link_say(l, LINK_NA, "", "no file is named that it depends on");
	}
}

/* The health of what is not asked: Docker's own check, where one is defined. */
static void health_by_docker(const struct scene *s, struct link *l)
{
	const struct container *c = s->container ? s->container : s->holder_container;
	const char *health = c ? c->health : "";

	seen_by_docker(s, l);
	if (!health[0])
		link_say(l, LINK_NA, "", "nothing to ask");
	else
		link_say(l, !strcmp(health, "healthy") ? LINK_OK : !strcmp(health, "unhealthy") ? LINK_BAD : LINK_UNKNOWN, "Docker's health check",
			"%s", health);
}

/* Does it serve? The deep check of its kind. */
static void link_healthy(const struct scene *s, struct link *l)
{
	const struct question *q = s->q;
	const struct snapshot *d = q->depth;
	char span[CLOCK_TEXT];

	l->seen = d ? d->ended : 0;
	l->interval = d ? d->interval : 0;
	if (!q->kind)
		health_by_docker(s, l);
	else if (!q->kind->inspect)
		link_say(l, LINK_NA, "", "has no deeper check");
	else if (!s->right)
		link_say(l, LINK_UNKNOWN, "", "cannot be asked");
	else if (q->refused_us)
		link_say(l, LINK_UNKNOWN, d && d->health.source ? d->health.source : "", "refuses us%s%s", d && d->err.words[0] ? ": " : "", d ? d->err.words : "");
	else if (!d)
		link_say(l, LINK_UNKNOWN, "", "being asked");
	else if (!s->deep)
		link_say(l, LINK_UNKNOWN, d->health.source ? d->health.source : "", "last answer %s ago", clock_span(span, q->now - d->ended));
	else
		link_say(l, d->health.state, d->health.source ? d->health.source : "", "%s",
			d->health.words ? d->health.words : d->err.words[0] ? d->err.words : link_state_word(d->health.state));
}

static void (*const links[LINK_COUNT])(const struct scene *, struct link *) = {
	[LINK_DECLARED] = link_declared, [LINK_RUNNING] = link_running, [LINK_LISTENING] = link_listening, [LINK_OWNER] = link_owner,
	[LINK_IDENTITY] = link_identity, [LINK_VERSION] = link_version, [LINK_FRESH] = link_fresh, [LINK_HEALTHY] = link_healthy,
};

/* ---- what the rules share ---- */

#define reason(out, ...) scene_say((out)->reason, REASON_SIZE, __VA_ARGS__)
#define remedy(out, ...) scene_say((out)->remedy, REASON_SIZE, __VA_ARGS__)

static enum link_state is(const struct judged *out, enum link_name link)
{
	return out->links[link].state;
}

/* An error status is what any HTTP server may say on a bad day; it makes nobody a stranger. */
static bool says_error(const struct scene *s)
{
	struct text says = text_of(s->q->pulse->who.says);

	return text_skip(&says, "HTTP") && (text_starts(says, " 5") || text_starts(says, "/1.1 5") || text_starts(says, "/1.0 5"));
}

/* It is its own process that talks oddly, as far as can be told. */
static bool talks_oddly(const struct scene *s)
{
	return s->said == ANSWERED_OTHER && s->q->kind && s->whose != WHOSE_ANOTHERS &&
	       (s->whose == WHOSE_OURS || scene_looks_ours(s) || says_error(s));
}

static bool stranger_answers(const struct scene *s)
{
	if (!s->q->expected || s->right)
		return false;
	if (!s->q->kind) /* "kind = other": anybody may answer but another service of the profile */
		return s->said == ANSWERED_YES && s->neighbour;
	return s->said == ANSWERED_YES || (s->said == ANSWERED_OTHER && !talks_oddly(s));
}

static const char *role_or_title(const struct scene *s, char out[LINK_VALUE_SIZE])
{
	const struct identity *who = &s->q->pulse->who;

	if (s->said != ANSWERED_YES)
		scene_say(out, LINK_VALUE_SIZE, "something else");
	else
		scene_say(out, LINK_VALUE_SIZE, "%s%s%s%s%s", who->kind ? who->kind->title : "something else", who->kind && who->role ? " " : "",
			who->kind && who->role ? who->role : "", who->version ? " " : "", who->version ? who->version : "");
	return out;
}

/* "; spark-worker-40 wants it too": another service of the profile, not the one that holds the port. */
static void add_rivals(const struct scene *s, struct judged *out)
{
	const struct expectation *other;
	uint16_t port;
	size_t from = 0, used = strlen(out->reason);

	while ((other = scene_rival(s, &from, &port)))
		if (port == scene_port(s) && other != s->neighbour) {
			scene_say(out->reason + used, REASON_SIZE - used, "; %s wants it too", other->name);
			return;
		}
}

static const char *how_to_start(const struct scene *s, char out[LINK_VALUE_SIZE])
{
	const struct expectation *e = s->q->expected;

	if (s->being == BEING_STOPPED && e && e->container)
		scene_say(out, LINK_VALUE_SIZE, "docker start %s", e->container);
	else if (e && e->unit && !e->container && !e->pidfile)
		scene_say(out, LINK_VALUE_SIZE, "systemctl start %s", e->unit);
	else
		scene_say(out, LINK_VALUE_SIZE, "start it");
	return out;
}

/* ---- the verdicts, in order of precedence: the first that holds ---- */

/* Its port is held by another that can be named, while it does not run itself: it may be dead, or die of just that. */
static bool is_blocked(const struct scene *s, struct judged *out)
{
	char holder[LINK_VALUE_SIZE];
	bool taken = s->whose == WHOSE_ANOTHERS && (gone(s) || s->being == BEING_RESTARTS);
	bool by_neighbour = s->neighbour && s->whose != WHOSE_OURS && !s->right && s->being != BEING_RUNS;

	if (!s->holder_named || !(taken || by_neighbour))
		return false;
	if (s->right && is(out, LINK_VERSION) == LINK_BAD)
		return false; /* "wrong version" says more */
	scene_holder(s, holder);
	if (s->right)
		reason(out, "%u answers rightly, but is held by %s; its own does not run: %s", scene_port(s), holder, s->being_words);
	else
		reason(out, "%u is held by %s", scene_port(s), holder);
	add_rivals(s, out);
	remedy(out, "stop %s, or move %s's port", s->neighbour ? s->neighbour->name : "it", s->q->name);
	out->definite = true;
	return true;
}

/* Another kind answers on its port. */
static bool is_impostor(const struct scene *s, struct judged *out)
{
	char who[LINK_VALUE_SIZE], holder[LINK_VALUE_SIZE];

	if (!stranger_answers(s))
		return false;
	role_or_title(s, who);
	scene_holder(s, holder);
	if (s->said == ANSWERED_YES)
		reason(out, "%u answers as %s, not %s%s%s", scene_port(s), who, title(s), s->holder_named ? ": " : "", s->holder_named ? holder : "");
	else
		reason(out, "%u is not %s%s%s: it says %s", scene_port(s), title(s), s->holder_named ? " but " : "", s->holder_named ? holder : "",
			s->q->pulse->who.says ? s->q->pulse->who.says : "something else");
	add_rivals(s, out);
	remedy(out, "stop it, or correct %s's port", s->q->name);
	out->definite = true;
	return true;
}

/* Its container, unit or process is there, and does not run. */
static bool is_stopped(const struct scene *s, struct judged *out)
{
	char start[LINK_VALUE_SIZE];

	if (s->being != BEING_STOPPED || s->right || s->q->progress)
		return false;
	reason(out, "%s", s->being_words);
	remedy(out, "%s", how_to_start(s, start));
	out->definite = true;
	return true;
}

/* Nothing of it is here. */
static bool is_absent(const struct scene *s, struct judged *out)
{
	bool closed = is(out, LINK_LISTENING) == LINK_BAD;
	char start[LINK_VALUE_SIZE];

	if (s->right || s->q->progress || !(s->being == BEING_NOTHING || (s->being == BEING_UNKNOWN && closed)))
		return false;
	if (s->being == BEING_NOTHING)
		reason(out, "%s", s->being_words);
	else
		reason(out, "nobody listens on %u", scene_port(s));
	remedy(out, "%s", how_to_start(s, start));
	out->definite = s->being == BEING_NOTHING || s->host_known;
	return true;
}

static bool is_frozen_now(const struct scene *s)
{
	char holder = s->whose == WHOSE_ANOTHERS ? 0 : s->held_by.state, own = s->process ? s->process->state : 0;

	return (s->container && !strcmp(s->container->state, "paused")) || holder == 'T' || holder == 't' || own == 'T' || own == 't';
}

/* What time may still heal: it runs, is young, and does not serve yet. */
static bool is_starting(const struct scene *s, struct judged *out)
{
	bool served = s->right && is(out, LINK_VERSION) != LINK_BAD && is(out, LINK_HEALTHY) != LINK_BAD && is(out, LINK_HEALTHY) != LINK_UNKNOWN;
	bool closed = is(out, LINK_LISTENING) == LINK_BAD || s->said == ANSWERED_REFUSED;
	bool waits = closed || s->said == ANSWERED_MUTE || talks_oddly(s) || is(out, LINK_HEALTHY) == LINK_BAD ||
		(s->right && s->q->kind->inspect && !s->q->depth && !s->q->refused_us) || (!s->q->kind && is(out, LINK_HEALTHY) == LINK_UNKNOWN);
	char span[CLOCK_TEXT];

	if (is_frozen_now(s) || (s->right && is(out, LINK_VERSION) == LINK_BAD))
		return false;
	if (s->q->progress && !served) {
		reason(out, "%s", s->q->progress);
		out->definite = closed;
		return true;
	}
	if (!s->young || !waits || (s->being != BEING_RUNS && s->being != BEING_UNKNOWN))
		return false;
	clock_span(span, s->q->wall - s->started);
	if (closed)
		reason(out, "started %s ago, does not listen on %u yet", span, scene_port(s));
	else if (is(out, LINK_HEALTHY) == LINK_BAD)
		reason(out, "started %s ago: %s", span, out->links[LINK_HEALTHY].value);
	else
		reason(out, "started %s ago, does not answer yet", span);
	out->definite = closed;
	return true;
}

/* Its process was stopped, its container paused: nothing that it should do will happen. */
static bool is_frozen(const struct scene *s, struct judged *out)
{
	const struct process *p = s->process && (s->process->state == 'T' || s->process->state == 't') ? s->process : s->holder;

	if (!is_frozen_now(s) || s->being == BEING_RESTARTS)
		return false;
	if (s->container && !strcmp(s->container->state, "paused")) {
		reason(out, "its container %s is paused", s->container->name);
		remedy(out, "docker unpause %s", s->container->name);
	} else if (p && p->state == 't') {
		reason(out, "a debugger holds its process: %s (pid %d)", p->name, (int)p->pid);
		remedy(out, "let the debugger go on");
	} else {
		reason(out, "its process is stopped (state T): %s (pid %d)", p ? p->name : s->held_by.process, p ? (int)p->pid : (int)s->held_by.pid);
		remedy(out, "kill -CONT %d", p ? (int)p->pid : (int)s->held_by.pid);
	}
	out->definite = true;
	return true;
}

/* It accepts, and says nothing before the deadline. */
static bool is_mute(const struct scene *s, struct judged *out)
{
	if (s->said != ANSWERED_MUTE || !s->q->kind)
		return false;
	reason(out, "accepts connections on %u and says nothing", scene_port(s));
	remedy(out, "look at its log; restart it");
	return true;
}

/* The right kind answers, in another version than expected. */
static bool is_wrong_version(const struct scene *s, struct judged *out)
{
	const struct identity *who = told_version(s);
	char holder[LINK_VALUE_SIZE], span[CLOCK_TEXT];

	if (!who || is(out, LINK_VERSION) != LINK_BAD)
		return false;
	reason(out, "%u answers %s%s%s, expected %s%s%s%s%s%s", scene_port(s), who->version, who->version_to ? " to " : "",
		who->version_to ? who->version_to : "", s->q->expected->version, s->holder_named ? ": " : "",
		s->holder_named ? scene_holder(s, holder) : "", started(s) ? ", started " : "",
		started(s) ? clock_span(span, s->q->wall - started(s)) : "", started(s) ? " ago" : "");
	if (s->neighbour)
		remedy(out, "that is %s: stop it, or move its port", s->neighbour->name);
	else
		remedy(out, "start %s in its place", s->q->expected->version);
	out->definite = who->sure == SURE_EXACT;
	return true;
}

/* It is itself, and does not serve. */
static bool is_sick(const struct scene *s, struct judged *out)
{
	bool closed = is(out, LINK_LISTENING) == LINK_BAD;

	if (s->being == BEING_RESTARTS) {
		reason(out, "%s", s->being_words);
		remedy(out, "look at the log of container %s", s->container ? s->container->name : "");
	} else if (s->being == BEING_RUNS && closed) {
		reason(out, "runs, but does not listen on %u: %s", scene_port(s), s->being_words);
		remedy(out, "look at its log; restart it");
	} else if (s->being == BEING_RUNS && s->said == ANSWERED_REFUSED && s->q->kind) {
		reason(out, "%u refuses connections", scene_port(s));
		remedy(out, "look at its log; restart it");
	} else if (talks_oddly(s)) {
		reason(out, "answers on %u, but not as %s: %s", scene_port(s), title(s), s->q->pulse->who.says ? s->q->pulse->who.says : "something else");
		remedy(out, "look at its log; restart it");
	} else if (is(out, LINK_HEALTHY) == LINK_BAD) {
		reason(out, "%s", s->q->kind ? out->links[LINK_HEALTHY].value : "its own health check in Docker fails");
	} else {
		return false;
	}
	return true;
}

static bool is_serving(const struct scene *s, struct judged *out)
{
	(void)s;
	for (enum link_name i = 0; i < LINK_COUNT; i++) {
		bool may_be_bad = i == LINK_OWNER || i == LINK_FRESH;  /* these are findings */
		bool must_be_known = i == LINK_IDENTITY || i == LINK_HEALTHY || i == LINK_LISTENING;

		if ((is(out, i) == LINK_BAD && !may_be_bad) || (is(out, i) == LINK_UNKNOWN && must_be_known))
			return false;
	}
	return true;
}

/* Not asked yet, not allowed to ask, refused, too old: everything that is not proven otherwise. */
static bool is_unknown(const struct scene *s, struct judged *out)
{
	static const enum link_name decisive[] = {LINK_IDENTITY, LINK_HEALTHY, LINK_LISTENING, LINK_VERSION, LINK_RUNNING};
	const struct question *q = s->q;
	const struct link *l = NULL;

	if (is_serving(s, out))
		return false;
	for (size_t i = 0; i < sizeof decisive / sizeof *decisive && !l; i++)
		if (is(out, decisive[i]) == LINK_UNKNOWN || is(out, decisive[i]) == LINK_BAD)
			l = &out->links[decisive[i]];
	reason(out, "%s", l ? l->value : "not known");
	if (q->refused_us && s->right)
		remedy(out, q->expected && (q->expected->credentials.password || q->expected->credentials.token) ?
			"correct its credential in the profile" : "name a credential in the profile: password_file");
	/* an answer that does not come any more never counts three times */
	out->definite = q->pulse && !s->heard;
	return true;
}

static const struct {
	enum verdict verdict;
	bool (*holds)(const struct scene *s, struct judged *out);
} law[] = {
	{VERDICT_BLOCKED, is_blocked},
	{VERDICT_IMPOSTOR, is_impostor},
	{VERDICT_STOPPED, is_stopped},
	{VERDICT_ABSENT, is_absent},
	{VERDICT_STARTING, is_starting},
	{VERDICT_FROZEN, is_frozen},
	{VERDICT_MUTE, is_mute},
	{VERDICT_WRONG_VERSION, is_wrong_version},
	{VERDICT_SICK, is_sick},
	{VERDICT_UNKNOWN, is_unknown},
	{VERDICT_SERVING, is_serving},
};

/* ---- findings: what is wrong besides ---- */

static bool muted(const struct scene *s, const char *name)
{
	const char *const *mute = s->q->expected ? s->q->expected->mute : NULL;

	for (; mute && *mute; mute++)
		if (!strcmp(*mute, name))
			return true;
	return false;
}

/* The gravest first; where there is no room the least grave is left off. NULL: muted, or left off. */
static struct judged_finding *find(const struct scene *s, struct judged *out, const char *name, enum severity severity)
{
	size_t at = 0;

	while (at < out->n_findings && out->findings[at].severity >= severity)
		at++;
	if (at == JUDGED_FINDINGS_MAX || muted(s, name))
		return NULL;
	if (out->n_findings < JUDGED_FINDINGS_MAX)
		out->n_findings++;
	memmove(&out->findings[at + 1], &out->findings[at], (out->n_findings - at - 1) * sizeof *out->findings);
	out->findings[at] = (struct judged_finding){.severity = severity};
	text_clean(out->findings[at].name, sizeof out->findings[at].name, text_of(name));
	return &out->findings[at];
}

/* Started before its files or its image changed: it may answer rightly, and does not do what they say. */
static void find_stale(const struct scene *s, struct judged *out)
{
	struct judged_finding *f = is(out, LINK_FRESH) == LINK_BAD ? find(s, out, "stale", SEVERITY_BLOCKING) : NULL;

	if (!f)
		return;
	reason(f, "%s", out->links[LINK_FRESH].value);
	if (out->links[LINK_FRESH].source[0] == 'D')
		remedy(f, "make its container anew");
	else
		remedy(f, "restart it");
}

/* The right kind serves, from another process than the profile's. Grave where the profile's runs too: one of them is the old one. */
static void find_foreign_owner(const struct scene *s, struct judged *out)
{
	char holder[LINK_VALUE_SIZE];
	struct judged_finding *f = s->whose == WHOSE_ANOTHERS && s->right && out->verdict != VERDICT_BLOCKED ?
		find(s, out, "owner-differs", s->being == BEING_RUNS ? SEVERITY_BLOCKING : SEVERITY_WARNING) : NULL;

	if (!f)
		return;
	reason(f, "%u is held by %s, not by the one that the profile names: %s", scene_port(s), scene_holder(s, holder), s->being_words);
	remedy(f, "stop the one that should not be there, or correct the profile");
}

/* Two services of the profile want one port: also before either runs. */
static void find_port_conflict(const struct scene *s, struct judged *out)
{
	const struct expectation *other;
	uint16_t port;
	size_t from = 0;

	while ((other = scene_rival(s, &from, &port))) {
		bool both = s->q->expected->required && other->required;
		struct judged_finding *f = find(s, out, "port-conflict", both ? SEVERITY_WARNING : SEVERITY_INFO);

		if (!f)
			return;
		reason(f, "%s also wants %u", other->name, port);
		remedy(f, "move the port of one of them");
	}
}

/* Asks nobody for a credential, and others than this machine can reach it. */
static void find_open_to_network(const struct scene *s, struct judged *out)
{
	const struct credentials none = {0}, *c = s->q->expected ? &s->q->expected->credentials : &none;
	bool unguarded = s->right && !c->password && !c->token && is(out, LINK_HEALTHY) == LINK_OK;
	struct judged_finding *f = unguarded && s->listener && s->listener->open ? find(s, out, "open-to-network", SEVERITY_INFO) : NULL;

	if (!f)
		return;
	reason(f, "%s:%u answers without a credential, and others than this machine can reach it", s->listener->address, scene_port(s));
	remedy(f, "let it listen on 127.0.0.1");
}

static void find_replaced_program(const struct scene *s, struct judged *out)
{
	const struct process *p = s->process ? s->process : s->whose == WHOSE_ANOTHERS ? NULL : s->holder;
	struct judged_finding *f = p && p->exe_deleted ? find(s, out, "program-replaced", SEVERITY_WARNING) : NULL;

	if (!f)
		return;
	reason(f, "the program file of %s (pid %d) was replaced since it started", p->name, (int)p->pid);
	remedy(f, "restart it");
}

static void find_container_trouble(const struct scene *s, struct judged *out)
{
	const struct container *c = s->container;
	struct judged_finding *f;

	if (!c || strcmp(c->state, "running") != 0)
		return;
	if (c->oom_killed && (f = find(s, out, "oom-killed", SEVERITY_WARNING))) {
		reason(f, "a process of container %s was killed for lack of memory", c->name);
		remedy(f, "raise its memory limit, or free memory");
	}
	if (s->right && !strcmp(c->health, "unhealthy") && (f = find(s, out, "unhealthy", SEVERITY_WARNING))) {
		reason(f, "it answers, but Docker's own health check of container %s fails", c->name);
		remedy(f, "look at that check: docker inspect %s", c->name);
	}
}

static void find_version_hint(const struct scene *s, struct judged *out)
{
	const char *expected = s->q->expected ? s->q->expected->version : NULL, *found, *from;
	const struct identity *who = told_version(s);
	struct judged_finding *f;
	char tag[NAME_SIZE];

	if (!expected || !(s->right || (!s->q->kind && out->verdict == VERDICT_SERVING)) || (who && who->sure != SURE_HINT))
		return;
	found = who ? who->version : image_version(s, tag);
	from = who ? who->from : "its image's tag";
	if (!found || version_meets(found, expected) || !(f = find(s, out, "version-hint", SEVERITY_WARNING)))
		return;
	reason(f, "%s suggests version %s, expected %s; it does not say itself", from ? from : "a hint", found, expected);
}

static void find_missing_ports(const struct scene *s, struct judged *out)
{
	char missing[LINK_VALUE_SIZE];
	struct judged_finding *f;

	missing_ports(s, missing);
	if (!missing[0] || out->verdict != VERDICT_SERVING || s->young || !(f = find(s, out, "port-missing", SEVERITY_WARNING)))
		return;
	reason(f, "it serves, but nobody listens on %s", missing);
	remedy(f, "look at its log, or correct the profile");
}

/* What its own kind found, while that is true of the one that answers. */
static void findings_of_depth(const struct scene *s, struct judged *out)
{
	for (size_t i = 0; s->deep && s->right && i < s->q->depth->n_findings; i++) {
		const struct finding *its = &s->q->depth->findings[i];
		struct judged_finding *f = find(s, out, its->name, its->severity);

		if (!f)
			continue;
		reason(f, "%s", its->reason ? its->reason : "");
		remedy(f, "%s", its->remedy ? its->remedy : "");
	}
}

static void (*const finders[])(const struct scene *, struct judged *) = {
	find_stale, find_foreign_owner, findings_of_depth, find_missing_ports, find_version_hint, find_container_trouble,
	find_replaced_program, find_port_conflict, find_open_to_network,
};

/* ---- judge ---- */

/* Who holds the main port; where nobody does, who runs the service. */
static struct owner the_owner(const struct scene *s)
{
	struct owner o = s->held_by;

	if (s->holder_named)
		return o;
	if (s->process) {
		o = (struct owner){.pid = s->process->pid, .started = s->process->started, .rss = s->process->rss, .cpu = s->process->cpu,
			.state = s->process->state};
		text_copy(o.process, sizeof o.process, text_of(s->process->name));
		text_copy(o.unit, sizeof o.unit, text_of(s->process->unit));
	}
	if (s->container)
		text_copy(o.container, sizeof o.container, text_of(s->container->name));
	return o;
}

/* Copied, so that it outlives the snapshots. */
static void remember_who(const struct scene *s, struct judged *out)
{
	const struct identity *who = s->q->pulse ? &s->q->pulse->who : NULL, *version = told_version(s);

	out->seen = s->q->pulse ? s->q->pulse->ended : 0;
	if (!who || (s->said != ANSWERED_YES && s->said != ANSWERED_OTHER))
		return;
	if (s->said == ANSWERED_YES)
		out->answers = who->kind;
	if (!version)
		version = who;
	text_clean(out->role, sizeof out->role, text_of(who->role));
	text_clean(out->says, sizeof out->says, text_of(who->says));
	text_clean(out->version, sizeof out->version, text_of(version->version));
	text_clean(out->version_to, sizeof out->version_to, text_of(version->version_to));
	text_clean(out->version_source, sizeof out->version_source, text_of(version->from));
	out->sure = version->version ? version->sure : SURE_UNKNOWN;
}

void judge(const struct question *q, struct judged *out)
{
	struct scene s;
	size_t rule = 0;

	*out = (struct judged){0};
	scene_look(q, &s);
	for (size_t i = 0; i < LINK_COUNT; i++)
		links[i](&s, &out->links[i]);
	while (!law[rule].holds(&s, out))
		rule++; /* ends: what is not serving is unknown */
	out->verdict = law[rule].verdict;
	out->owner = the_owner(&s);
	remember_who(&s, out);
	for (size_t i = 0; i < sizeof finders / sizeof *finders; i++)
		finders[i](&s, out);
}

bool judged_blocks(const struct judged *j)
{
	return j->verdict != VERDICT_SERVING || (j->n_findings && j->findings[0].severity == SEVERITY_BLOCKING);
}
