// SPDX-License-Identifier: MIT
/*
 * The law. Facts are sorted in scene.c, put into a chain of evidence in evidence.c; here stands
 * what they amount to: one function for each verdict, tried in order of precedence, the first that
 * holds. A rule reads only the scene and the links, so that no verdict rests on what cannot be
 * shown. What is wrong besides is in findings.c, what is held back from the screen in steady.c.
 *
 * Unknown in declared, running, owner or fresh never demotes; unknown in identity or healthy makes
 * the verdict unknown; what is not proven is never green. Pure, any thread; tested as a table.
 */
#include "judge.h"

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "evidence.h"
#include "text.h"

/* ---- what the rules share ---- */

static enum link_state is(const struct judged *out, enum link_name link)
{
	return out->links[link].state;
}

/* An error status is what any HTTP server may say on a bad day; it makes nobody a stranger. */
static bool says_error(const struct scene *s)
{
	struct text t = text_of(s->q->pulse->who.says);

	return text_skip(&t, "HTTP") && (text_starts(t, " 5") || text_starts(t, "/1.1 5") || text_starts(t, "/1.0 5"));
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

/* What an answer in no known protocol amounts to: "says SSH-2.0-..." */
static const char *says(const struct scene *s, char out[LINK_VALUE_SIZE])
{
	const char *its = s->q->pulse->who.says;

	scene_say(out, LINK_VALUE_SIZE, "%s%s", its ? "says " : "", its ? its : evidence_other);
	return out;
}

/* "SeaweedFS filer 4.48" */
static const char *answers_as(const struct identity *who, char out[LINK_VALUE_SIZE])
{
	const char *title = who->kind ? who->kind->title : "something else", *role = who->kind ? who->role : NULL;

	scene_say(out, LINK_VALUE_SIZE, "%s%s%s%s%s", title, role ? " " : "", role ? role : "", who->version ? " " : "",
		who->version ? who->version : "");
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
	else if (s->being == BEING_STOPPED && e && e->unit && !e->pidfile)
		scene_say(out, LINK_VALUE_SIZE, "systemctl %s%s %s", s->q->unit_users ? "--user " : "", s->q->unit != SYSTEMD_WRONG ? "start" :
			s->q->unit_words && !strcmp(s->q->unit_words, "masked") ? "unmask" : "status", e->unit);
	else
		scene_say(out, LINK_VALUE_SIZE, "start it");
	return out;
}

/* Every link ok, n/a or harmlessly unknown. The last rule, and what the others ask before they say "not yet". */
static bool is_serving(const struct scene *s, struct judged *out)
{
	for (enum link_name i = 0; i < LINK_COUNT; i++) {
		/* these are findings; but of what cannot be asked, its owner is all that speaks for it */
		bool may_be_bad = i == LINK_FRESH || (i == LINK_OWNER && s->q->kind);
		bool must_be_known = i == LINK_IDENTITY || i == LINK_HEALTHY || i == LINK_LISTENING;

		if ((is(out, i) == LINK_BAD && !may_be_bad) || (is(out, i) == LINK_UNKNOWN && must_be_known))
			return false;
	}
	return true;
}

/* ---- the verdicts, in order of precedence: the first that holds ---- */

/* Its port is held by another that can be named, while it does not run itself: it may be dead, or die of just that. */
static bool is_blocked(const struct scene *s, struct judged *out)
{
	char holder[LINK_VALUE_SIZE];
	bool taken = s->whose == WHOSE_ANOTHERS && (evidence_gone(s) || s->being == BEING_RESTARTS);
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
	char words[LINK_VALUE_SIZE], holder[LINK_VALUE_SIZE];

	if (!stranger_answers(s))
		return false;
	scene_holder(s, holder);
	if (s->said == ANSWERED_YES)
		reason(out, "%u answers as %s, not %s%s%s", scene_port(s), answers_as(&s->q->pulse->who, words), evidence_title(s),
			s->holder_named ? ": " : "", s->holder_named ? holder : "");
	else
		reason(out, "%u is not %s%s%s: it %s", scene_port(s), evidence_title(s), s->holder_named ? " but " : "",
			s->holder_named ? holder : "",
			says(s, words));
	add_rivals(s, out);
	remedy(out, "stop it, or correct %s's port", s->q->name);
	out->definite = true;
	return true;
}

/* Its start wrote that it failed: nothing goes on, and why says more than that nothing is there. */
static bool start_failed(const struct scene *s)
{
	return s->q->progress && text_starts(text_of(s->q->progress), "failed");
}

/* Its container, unit or process is there, and does not run. */
static bool is_stopped(const struct scene *s, struct judged *out)
{
	char start[LINK_VALUE_SIZE];

	if (s->being != BEING_STOPPED || s->right || (s->q->progress && !start_failed(s)))
		return false;
	reason(out, "%s%s", start_failed(s) ? "its start " : "", start_failed(s) ? s->q->progress : s->being_words);
	remedy(out, "%s", how_to_start(s, start));
	out->definite = true;
	return true;
}

/* Nothing of it is here. */
static bool is_absent(const struct scene *s, struct judged *out)
{
	bool closed = is(out, LINK_LISTENING) == LINK_BAD;
	const struct listener *other = evidence_elsewhere(s);
	char start[LINK_VALUE_SIZE];

	if (s->right || (s->q->progress && !start_failed(s)) || !(s->being == BEING_NOTHING || (s->being == BEING_UNKNOWN && closed)))
		return false;
	if (start_failed(s))
		reason(out, "its start %s", s->q->progress);
	else if (s->being == BEING_NOTHING)
		reason(out, "%s", s->being_words);
	else if (other)
		reason(out, "nobody listens on %s:%u, only on %s", s->q->at.address, scene_port(s), other->address);
	else
		reason(out, "nobody listens on %u", scene_port(s));
	if (other)
		remedy(out, "let it listen there, or name its address in the profile");
	else
		remedy(out, "%s", how_to_start(s, start));
	out->definite = s->being == BEING_NOTHING || s->host_known;
	return true;
}

static bool paused(const struct scene *s)
{
	return s->container && !strcmp(s->container->state, "paused");
}

/* The process that was stopped, of the service or of its port; NULL: none. */
static const struct process *stopped_process(const struct scene *s)
{
	const struct process *const both[] = {s->process, s->whose == WHOSE_ANOTHERS ? NULL : s->holder};

	for (size_t i = 0; i < 2; i++)
		if (both[i] && (both[i]->state == 'T' || both[i]->state == 't'))
			return both[i];
	return NULL;
}

static bool sick_for_certain(const struct scene *s, const struct judged *out)
{
	return is(out, LINK_HEALTHY) == LINK_BAD && s->deep && s->q->depth->health.definite;
}

/* Nothing, or not enough, comes from it: time may heal that. */
static bool waits(const struct scene *s, const struct judged *out)
{
	bool nothing = is(out, LINK_LISTENING) == LINK_BAD || s->said == ANSWERED_REFUSED || s->said == ANSWERED_MUTE || talks_oddly(s);
	bool not_looked_into = s->right && s->q->kind->inspect && !s->q->depth && !s->q->refused_us;
	bool docker_checks = !s->q->kind && is(out, LINK_HEALTHY) == LINK_UNKNOWN;

	return nothing || not_looked_into || docker_checks || (is(out, LINK_HEALTHY) == LINK_BAD && !sick_for_certain(s, out));
}

/* Its start says what it is doing, or it is young and does not serve yet. */
static bool is_starting(const struct scene *s, struct judged *out)
{
	bool closed = is(out, LINK_LISTENING) == LINK_BAD, alive = s->being == BEING_RUNS || s->being == BEING_UNKNOWN;
	char span[CLOCK_TEXT];

	if (paused(s) || stopped_process(s) || (s->right && is(out, LINK_VERSION) == LINK_BAD))
		return false;
	if (s->q->progress && !start_failed(s) && !is_serving(s, out)) {
		reason(out, "%s", s->q->progress);
		out->definite = closed;
		return true;
	}
	if (!s->young || !alive || !waits(s, out))
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
	const struct process *p = stopped_process(s);

	if (!p && !paused(s))
		return false;
	if (paused(s)) {
		reason(out, "its container %s is paused", s->container->name);
		remedy(out, "docker unpause %s", s->container->name);
	} else if (p->state == 't') {
		reason(out, "a debugger holds its process: %s (pid %d)", p->name, (int)p->pid);
		remedy(out, "let the debugger go on");
	} else {
		reason(out, "its process is stopped (state T): %s (pid %d)", p->name, (int)p->pid);
		remedy(out, "kill -CONT %d", (int)p->pid);
	}
	out->definite = true;
	return true;
}

/* It accepts, and says nothing before the deadline. Of a container in a restart loop it is Docker that accepts. */
static bool is_mute(const struct scene *s, struct judged *out)
{
	if (s->said != ANSWERED_MUTE || !s->q->kind || s->being == BEING_RESTARTS)
		return false;
	reason(out, "accepts connections on %u and says nothing", scene_port(s));
	remedy(out, "look at its log; restart it");
	return true;
}

/* The right kind answers, in another version than expected. */
static bool is_wrong_version(const struct scene *s, struct judged *out)
{
	const struct identity *who = evidence_version(s);
	int64_t started = evidence_started(s);
	char holder[LINK_VALUE_SIZE] = "", span[CLOCK_TEXT] = "";

	if (!who || is(out, LINK_VERSION) != LINK_BAD)
		return false;
	if (s->holder_named)
		scene_holder(s, holder);
	if (started)
		clock_span(span, s->q->wall - started);
	reason(out, "%u answers %s%s%s, expected %s%s%s%s%s%s", scene_port(s), who->version, who->version_to ? " to " : "",
		who->version_to ? who->version_to : "", s->q->expected->version, holder[0] ? ": " : "", holder,
		started ? ", started " : "", span, started ? " ago" : "");
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
	char words[LINK_VALUE_SIZE];

	if (s->being == BEING_RUNS && closed && evidence_elsewhere(s)) {
		reason(out, "runs, but does not listen on %s:%u, only on %s", s->q->at.address, scene_port(s), evidence_elsewhere(s)->address);
		remedy(out, "let it listen there, or name its address in the profile");
	} else if (s->being == BEING_RESTARTS) {
		reason(out, "%s", s->being_words);
		remedy(out, "look at the log of %s %s", s->container ? "container" : "unit",
			s->container ? s->container->name : s->q->expected && s->q->expected->unit ? s->q->expected->unit : "");
	} else if (s->being == BEING_RUNS && closed) {
		reason(out, "runs, but does not listen on %u: %s", scene_port(s), s->being_words);
		remedy(out, "look at its log; restart it");
	} else if (s->being == BEING_RUNS && !s->q->kind && s->whose == WHOSE_ANOTHERS) {
		reason(out, "runs, but %u is held by %s", scene_port(s), scene_holder(s, words));
		remedy(out, "stop that, or move %s's port; restart it", s->q->name);
		out->definite = true;
	} else if (s->being == BEING_RUNS && s->said == ANSWERED_REFUSED && s->q->kind) {
		reason(out, "%u refuses connections", scene_port(s));
		remedy(out, "look at its log; restart it");
	} else if (talks_oddly(s)) {
		reason(out, "answers on %u, but not as %s: it %s", scene_port(s), evidence_title(s), says(s, words));
		remedy(out, "look at its log; restart it");
	} else if (is(out, LINK_HEALTHY) == LINK_BAD) {
		reason(out, "%s", s->q->kind ? out->links[LINK_HEALTHY].value : "its own health check in Docker fails");
		out->definite = sick_for_certain(s, out);
	} else {
		return false;
	}
	return true;
}

/* Not asked yet, not allowed to ask, refused, too old: everything that is not proven otherwise. */
static bool is_unknown(const struct scene *s, struct judged *out)
{
	static const enum link_name decisive[] = {LINK_IDENTITY, LINK_HEALTHY, LINK_LISTENING, LINK_OWNER, LINK_VERSION, LINK_RUNNING};
	const struct question *q = s->q;
	const struct link *l = NULL;

	if (is_serving(s, out))
		return false;
	for (size_t i = 0; i < sizeof decisive / sizeof *decisive && !l; i++)
		if (is(out, decisive[i]) == LINK_UNKNOWN || is(out, decisive[i]) == LINK_BAD)
			l = &out->links[decisive[i]];
	reason(out, "%s%s", l == &out->links[LINK_OWNER] ? "its port is held by " : "", l ? l->value : "not known");
	if (q->depth && l == &out->links[LINK_HEALTHY] && !strcmp(l->source, "profile")) /* it lacks what asking needs */
		remedy(out, "name user and password_file in the profile");
	if (q->refused_us && s->right)
		remedy(out, q->expected && (q->expected->credentials.password || q->expected->credentials.token) ?
			"correct its credential in the profile" : "name a credential in the profile: password_file, token_file");
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
	const struct identity *who = s->q->pulse ? &s->q->pulse->who : NULL, *version = evidence_version(s);

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
	evidence_gather(&s, out->links);
	while (!law[rule].holds(&s, out))
		rule++; /* ends: what is not serving is unknown */
	out->verdict = law[rule].verdict;
	out->owner = the_owner(&s);
	remember_who(&s, out);
	findings_add(&s, out);
}
