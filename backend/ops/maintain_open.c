// SPDX-License-Identifier: MIT
/*
 * A statement that an earlier laketop left at a Spark Connect: the audit knows its session and its
 * operation. Asked whether it is still there, it is interrupted, or found to have ended; its entry in
 * the audit gets the end that was never written.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../services/spark_connect.h"
#include "maintain.h"
#include "ops.h"

enum { ASK_MS = 8000, LIMIT_MS = 120000 };

struct left {
	struct audit_entry entry;
	char session[CONNECT_ID_SIZE], operation[CONNECT_ID_SIZE];
	bool known, there; /* its ids; at the server */
};

static const struct action_shown *open_entry(const struct lake *lake, const struct action_wish *w)
{
	for (size_t i = lake->n_actions; i-- > 0;) {
		const struct action_shown *a = &lake->actions[i];

		if (a->state == ACTION_OPEN && action_was_of(a, lake->profile) && !strcmp(a->wish.service, w->service) && !strcmp(a->wish.subject, w->subject))
			return a;
	}
	return NULL;
}

bool nothing_is_left_open(const struct lake *lake, const struct action_wish *w)
{
	return w->subject[0] && lake->profile && profile_catalog(lake->profile, w->service) && !open_entry(lake, w);
}

static bool offer(const struct lake *lake, const struct action_wish *w, struct action_target *t, char why[200])
{
	const struct catalog *c = lake->profile ? profile_catalog(lake->profile, w->service) : NULL;
	const struct service *s = c && c->engine ? lake_service(lake, c->engine) : NULL;

	*t = (struct action_target){0};
	if (!c || !open_entry(lake, w)) {
		snprintf(why, 200, "nothing of it was left open by an earlier laketop");
		return false;
	}
	if (!s || !s->kind || strcmp(s->kind->name, "spark-connect") != 0) {
		snprintf(why, 200, "%.60s names no Spark Connect that could be asked", c->name);
		return false;
	}
	if (s->verdict.shown.verdict != VERDICT_SERVING) {
		snprintf(why, 200, "%.80s does not serve: %.60s", s->name, verdict_word(s->verdict.shown.verdict));
		t->because = ERR_CONNECT;
		return false;
	}
	if (!target_fill(lake, s->name, t, why))
		return false;
	t->catalog = c;
	t->profile = lake->profile;
	return true;
}

/* "session ID, operation ID, server ID: interrupted" */
static bool take_id(const char *note, const char *before, char out[CONNECT_ID_SIZE])
{
	const char *at = strstr(note, before);
	size_t len = at ? strspn(at + strlen(before), "0123456789abcdef-") : 0;

	text_copy(out, CONNECT_ID_SIZE, (struct text){at ? at + strlen(before) : "", len});
	return len == CONNECT_ID_SIZE - 1;
}

static bool prepare(struct action_job *j, struct err *err)
{
	struct left *l = j->state = mem_new(1, sizeof *l);
	const char *service = j->target.expected ? j->target.expected->name : "Spark Connect";
	struct connect_caller who;
	struct probe p;
	bool asked;

	if (!job_left_open(j, &l->entry))
		return err_set(err, ERR_USAGE, "nothing of it was left open by an earlier laketop");
	l->known = take_id(l->entry.shown.words, "session ", l->session) && take_id(l->entry.shown.words, "operation ", l->operation);
	if (!l->known) {
		snprintf(j->exact, sizeof j->exact, "nothing is sent");
		snprintf(j->effect, sizeof j->effect, "%.150s: its entry names no operation that could be asked for (%.100s); the entry is closed",
			l->entry.shown.title, l->entry.shown.words[0] ? l->entry.shown.words : "it was cut short before it began");
		snprintf(j->verify, sizeof j->verify, "the audit has its end");
		return true;
	}
	job_probe(j, &p);
	who = (struct connect_caller){l->session, connect_token(&p)};
	asked = connect_is_there(&p, &who, l->operation, ASK_MS, &l->there);
	job_probe_end(&p);
	if (!asked)
		return err_set(err, ERR_CONNECT, "%s does not say whether operation %s still runs", service, l->operation);
	snprintf(j->exact, sizeof j->exact, l->there ? "Interrupt operation %s of session %s, user laketop, at %.60s" :
		"nothing is sent: operation %s of session %s has ended at %.60s", l->operation, l->session, service);
	snprintf(j->effect, sizeof j->effect, l->there ? "%.150s still runs there: it ends, the table stays as it was, files that it had written may "
		"stay as orphans; its entry is closed" : "%.150s ran to its end, or ended with its server: what became of the table only the table tells; its "
		"entry is closed", l->entry.shown.title);
	snprintf(j->verify, sizeof j->verify, l->there ? "the server knows the operation no more" : "the audit has its end");
	return true;
}

static bool run(struct action_job *j, struct err *err)
{
	struct left *l = j->state;
	struct connect_caller who;
	struct probe p;
	bool found = false, ended = true;

	if (l->there) {
		job_probe(j, &p);
		who = (struct connect_caller){l->session, connect_token(&p)};
		action_note(j, "session %s, operation %s: interrupt", l->session, l->operation);
		ended = connect_interrupt(&p, &who, l->operation, ASK_MS, &found);
		if (ended) {
			action_progress(j, (double)NAN, found ? "interrupted; waiting for its end" : "it has ended meanwhile");
			ended = !found || connect_has_ended(&p, &who, l->operation);
		}
		if (ended)
			connect_release(&p, &who);
		job_probe_end(&p);
		if (!ended)
			return err_set(err, ERR_TIMEOUT, "%s: operation %s may still run there; its entry stays open", found ? "interrupted, and not ended yet"
				: "it could not be interrupted", l->operation);
	}
	snprintf(j->result, sizeof j->result, "%s", found ? "interrupted at the server, and ended there; its session is released; its entry is closed" :
		l->known ? "it had ended by itself: look at the table; its entry is closed" : "its entry is closed: look at the table");
	return job_end_entry(j, &l->entry, found ? ACTION_CANCELLED : ACTION_FAILED, found ? "cut short; interrupted later" :
		"cut short; found ended later", err);
}

const struct action_spec action_interrupt = {
	.verb = "interrupt", .help = "end what an earlier laketop left running on it, or find that it ended", .on = ON_TABLE, .destructive = true,
	.limit_ms = LIMIT_MS, .offer = offer, .prepare = prepare, .run = run,
};
