// SPDX-License-Identifier: MIT
/*
 * The chain of evidence: one function for each link, which says its state, its value in words,
 * who told it, and when that was seen. Nothing is concluded here. Pure, any thread.
 */
#include "evidence.h"

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "text.h"

static const char *const sure_words[] = {
	[SURE_UNKNOWN] = "", [SURE_HINT] = " (only a hint)", [SURE_RANGE] = " (a range)", [SURE_EXACT] = "",
};

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

bool evidence_gone(const struct scene *s)
{
	return s->being == BEING_STOPPED || s->being == BEING_NOTHING;
}

const char *evidence_title(const struct scene *s)
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
	if (evidence_gone(s) && s->right && s->whose != WHOSE_ANOTHERS)
		state = LINK_UNKNOWN;
	link_say(l, state, s->being_source, "%s", s->being_words);
}

/* The profile's further ports that nobody listens on, as " but not on 8082 (ui)". */
void evidence_missing_ports(const struct scene *s, char out[LINK_VALUE_SIZE])
{
	const struct expectation *e = s->q->expected;

	out[0] = '\0';
	for (size_t i = 1; e && s->host_known && i < e->n_ports; i++) {
		size_t used = strlen(out);

		if (!facts_listener(s->q->host, e->address, e->ports[i].port) && !(s->docker_known && facts_publisher(s->q->docker,
			e->ports[i].port)))
			scene_say(out + used, LINK_VALUE_SIZE - used, "%s%u (%s)", used ? ", " : "", e->ports[i].port, e->ports[i].role);
	}
}

static bool loopback(const char *address)
{
	return !strncmp(address, "127.", 4) || !strcmp(address, "::1") || !address[0];
}

const struct listener *evidence_elsewhere(const struct scene *s)
{
	return s->listener || !s->host_known || !loopback(s->q->at.address) ? NULL : facts_listener(s->q->host, "", s->q->at.port);
}

/* Is its port bound, and for whom? */
static void link_listening(const struct scene *s, struct link *l)
{
	const struct question *q = s->q;
	const struct listener *other = evidence_elsewhere(s);
	char missing[LINK_VALUE_SIZE];
	bool accepts = s->said == ANSWERED_YES || s->said == ANSWERED_OTHER || s->said == ANSWERED_MUTE;

	evidence_missing_ports(s, missing);
	seen_by_host(s, l);
	if (s->listener) {
		link_say(l, LINK_OK, "listening sockets", "%s:%u%s%s", s->listener->address, q->at.port, missing[0] ? ", but not on " : "",
			missing);
	} else if (s->publisher) {
		seen_by_docker(s, l);
		link_say(l, LINK_OK, "Docker", "%u published by container %s", q->at.port, s->publisher->name);
	} else if (accepts) {
		seen_by_pulse(s, l);
		link_say(l, LINK_OK, "connecting", "%s:%u accepts connections", q->at.address, q->at.port);
	} else if (s->host_known && loopback(q->at.address)) {
		link_say(l, LINK_BAD, "listening sockets", "nobody listens on %u%s%s", q->at.port, other ? ", only on " : "",
			other ? other->address : "");
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

const char evidence_other[] = "does not speak its protocol";

/* Is what answers of the right kind? By its own protocol alone. */
static void link_identity(const struct scene *s, struct link *l)
{
	const struct question *q = s->q;
	const struct identity *who = q->pulse ? &q->pulse->who : &(const struct identity){0};
	const char *source = who->source ? who->source : "",
		*refused = s->outlived ? "its port was closed since" : "nothing accepts the connection";
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
		link_say(l, LINK_OK, source, "%s", evidence_title(s));
	else if (s->said == ANSWERED_YES && who->kind == q->kind)
		link_say(l, LINK_BAD, source, "%s, but its %s", evidence_title(s), who->role);
	else if (s->said == ANSWERED_YES)
		link_say(l, LINK_BAD, source, "%s, not %s", who->kind ? who->kind->title : "something else", evidence_title(s));
	else if (s->said == ANSWERED_OTHER)
		link_say(l, q->expected ? LINK_BAD : LINK_UNKNOWN, source, "%s%s", who->says ? "says: " : "",
			who->says ? who->says : evidence_other);
	else if (s->said == ANSWERED_MUTE)
		link_say(l, LINK_UNKNOWN, source, "said nothing");
	else
		link_say(l, LINK_UNKNOWN, source, "%s", s->said == ANSWERED_REFUSED ? refused : "not asked");
}

/* The version that answers: the pulse's, or what the deeper question told. NULL: unknown. */
const struct identity *evidence_version(const struct scene *s)
{
	const struct question *q = s->q;

	if (!s->right)
		return NULL;
	if (q->pulse->who.version && q->pulse->who.sure != SURE_UNKNOWN)
		return &q->pulse->who;
	return s->deep && q->depth->who.version && q->depth->who.sure != SURE_UNKNOWN ? &q->depth->who : NULL;
}

/* Of what answers nothing better: the tag of its container's image, where it is a version. */
const char *evidence_image_version(const struct scene *s, char out[NAME_SIZE])
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
	bool met = who->sure == SURE_RANGE ? version_in_range(who->version, who->version_to, expected) : version_meets(who->version,
		expected);

	/* a hint may be wrong: it gives a finding, not a verdict */
	return met ? LINK_OK : who->sure == SURE_HINT ? LINK_UNKNOWN : LINK_BAD;
}

/* Which version answers, is it the expected one, and how sure is that? */
static void link_version(const struct scene *s, struct link *l)
{
	const char *expected = s->q->expected ? s->q->expected->version : NULL, *image;
	const struct identity *who = evidence_version(s);
	char tag[NAME_SIZE];

	seen_by_pulse(s, l);
	if (!who && !s->right && s->q->kind) {
		link_say(l, expected ? LINK_UNKNOWN : LINK_NA, "", "%s%s", expected ? "expected " : "", expected ? expected : "not known");
	} else if (!who) {
		image = evidence_image_version(s, tag);
		link_say(l, expected ? LINK_UNKNOWN : LINK_NA, image ? "its image's tag" : "", "%s%s%s%s", image ? image : "not known",
			image ? sure_words[SURE_HINT] : "", expected ? ", expected " : "", expected ? expected : "");
	} else {
		link_say(l, expected ? version_state(who, expected) : LINK_NA, who->from ? who->from : "", "%s%s%s%s%s%s", who->version,
			who->version_to ? " to " : "", who->version_to ? who->version_to : "", sure_words[who->sure],
			expected ? ", expected " : "", expected ? expected : "");
	}
}

/* When did the one that answers start? ms since 1970; 0 unknown. */
int64_t evidence_started(const struct scene *s)
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
	} else if (f->known && f->newer && evidence_started(s)) {
		link_say(l, LINK_BAD, "modification times", "started %s ago; %s changed %s ago", clock_span(since,
			s->q->wall - evidence_started(s)), f->what,
			clock_span(ago, s->q->wall - f->newest));
	} else if (old_image) {
		seen_by_docker(s, l);
		link_say(l, LINK_BAD, "Docker", "its image was built again %s ago, after the container was made", clock_span(ago,
			s->q->wall - c->image_created));
	} else if (f->known && evidence_started(s)) {
		link_say(l, LINK_OK, "modification times", "nothing changed since it started %s ago", clock_span(since,
			s->q->wall - evidence_started(s)));
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
		link_say(l, !strcmp(health, "healthy") ? LINK_OK : !strcmp(health, "unhealthy") ? LINK_BAD : LINK_UNKNOWN,
			"Docker's health check",
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
		link_say(l, LINK_UNKNOWN, d && d->health.source ? d->health.source : "", "refuses us%s%s", d && d->err.words[0] ? ": " : "",
			d ? d->err.words : "");
	else if (!d)
		link_say(l, LINK_UNKNOWN, "", "being asked");
	else if (!s->deep)
		link_say(l, LINK_UNKNOWN, d->health.source ? d->health.source : "", "last answer %s ago", clock_span(span,
			q->now - d->ended));
	else
		link_say(l, d->health.state, d->health.source ? d->health.source : "", "%s",
			d->health.words ? d->health.words : d->err.words[0] ? d->err.words : link_state_word(d->health.state));
}

static void (*const links[LINK_COUNT])(const struct scene *, struct link *) = {
	[LINK_DECLARED] = link_declared, [LINK_RUNNING] = link_running, [LINK_LISTENING] = link_listening, [LINK_OWNER] = link_owner,
	[LINK_IDENTITY] = link_identity, [LINK_VERSION] = link_version, [LINK_FRESH] = link_fresh, [LINK_HEALTHY] = link_healthy,
};

void evidence_gather(const struct scene *s, struct link out[LINK_COUNT])
{
	for (size_t i = 0; i < LINK_COUNT; i++)
		links[i](s, &out[i]);
}
