// SPDX-License-Identifier: MIT
/*
 * Maintenance of one table, by whoever runs it: the Spark Connect that its catalog names, the
 * catalog's own spark-sql, or Trino. What Spark runs is the SQL of the panel's preview, made anew when
 * it is wished; nothing due, nothing is offered. It is done only when the table's own metadata, read
 * again, says so: what an engine answers is told beside it, and believed alone nowhere.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maintain.h"

enum { LIMIT_MS = 12 * 3600000 };

static const struct chore chores[] = {
	{"compact", FORMAT_ICEBERG, PROOF_SNAPSHOT, false}, {"expire", FORMAT_ICEBERG, PROOF_EXPIRED, false},
	{"manifests", FORMAT_ICEBERG, PROOF_SNAPSHOT, false}, {"deletes", FORMAT_ICEBERG, PROOF_SNAPSHOT, false},
	{"orphans", FORMAT_ICEBERG, PROOF_LEFT, true},
	{"optimize", FORMAT_DELTA, PROOF_SNAPSHOT, false}, {"vacuum", FORMAT_DELTA, PROOF_LEFT, false},
};

const struct chore *chore_of(const char *verb)
{
	size_t i = 0;

	while (i + 1 < sizeof chores / sizeof *chores && strcmp(chores[i].verb, verb) != 0) /* the specs below have no other */
		i++;
	return &chores[i];
}

/* ---- the lake's side ---- */

static bool no(char why[200], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool no(char why[200], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, 200, format, args);
	va_end(args);
	return false;
}

/* What the catalog listed last; NULL: nothing yet. */
static const struct snapshot *listed(const struct lake *lake, const struct catalog *c)
{
	for (size_t i = 0; i < lake->n_catalogs; i++)
		if (lake->catalogs[i].catalog == c)
			return lake->catalogs[i].snapshot;
	return NULL;
}

/* NULL: it is not told, and whoever prepares finds out. */
static const char *known_format(const struct lake *lake, const struct catalog *c, const char *name)
{
	const struct snapshot *s = listed(lake, c);
	const struct table *t = s ? snapshot_find_table(s, "tables") : NULL;

	for (size_t row = 0; t && row < t->n_rows; row++) {
		struct value v = table_get(t, row, "name");

		if (v.type == VALUE_TEXT && !strcmp(v.u.s, name) && (v = table_get(t, row, "format")).type == VALUE_TEXT)
			return v.u.s;
	}
	return NULL;
}

static enum listing listing_of(const struct lake *lake, const struct catalog *c)
{
	const struct snapshot *s = listed(lake, c);

	if (!s || !snapshot_find_table(s, "tables"))
		return LISTING_UNKNOWN;
	return snapshot_get(s, "named").type == VALUE_INT ? LISTING_SEVERAL : LISTING_ONE;
}

static bool is_kind(const struct service *s, const char *kind)
{
	return s && s->kind && !strcmp(s->kind->name, kind);
}

static bool serves(const struct service *s)
{
	return s && s->verdict.shown.verdict == VERDICT_SERVING;
}

/* The catalog's engine, if it is one; else of those that serve the first. */
static const struct service *trino_of(const struct lake *lake, const struct catalog *c)
{
	const struct service *found = c->engine ? lake_service(lake, c->engine) : NULL;

	if (is_kind(found, "trino"))
		return found;
	found = NULL;
	for (size_t i = 0; i < lake->n_services; i++)
		if (is_kind(lake->services[i], "trino") && (!found || (!serves(found) && serves(lake->services[i]))))
			found = lake->services[i];
	return found;
}

static const struct service *connect_of(const struct lake *lake, const struct catalog *c)
{
	const struct service *s = c->engine ? lake_service(lake, c->engine) : NULL;

	return is_kind(s, "spark-connect") ? s : NULL;
}

/* NULL: it is a program, or there is none. */
static const struct service *engine_of(const struct lake *lake, const struct catalog *c, enum runner by)
{
	return by == BY_TRINO ? trino_of(lake, c) : by == BY_CONNECT ? connect_of(lake, c) : NULL;
}

/* NULL: nothing. */
static const char *trino_lacks(const char *verb)
{
	return chore_of(verb)->format == FORMAT_DELTA ? "laketop runs it by Spark alone" :
		!strcmp(verb, "deletes") ? "Trino has no procedure for it: its compaction drops position deletes, too" : NULL;
}

/* Why that one cannot; "" it can. */
static const char *why_not(const struct lake *lake, const struct catalog *c, const char *verb, enum runner by, char out[200])
{
	const struct service *s = engine_of(lake, c, by);

	out[0] = '\0';
	if (by == BY_COMMAND && !c->spark_sql)
		no(out, "[catalog %.60s] names no command: \"spark_sql = docker exec NAME spark-sql\"", c->name);
	else if (by == BY_TRINO && trino_lacks(verb))
		no(out, "%s", trino_lacks(verb));
	else if (by != BY_COMMAND && !s && by == BY_TRINO)
		no(out, "no Trino is known here");
	else if (by != BY_COMMAND && !s)
		no(out, "[catalog %.60s] names no Spark Connect that could: \"engine = SERVICE\"", c->name);
	else if (by != BY_COMMAND && !serves(s))
		no(out, "%.80s does not serve: %.60s", s->name, verdict_word(s->verdict.shown.verdict));
	return out;
}

static const char *const runner_words[] = {[BY_CONNECT] = "spark-connect", [BY_COMMAND] = "spark-sql", [BY_TRINO] = "trino"};

/* The one that was asked for, else the first that can. */
static bool choose(const struct lake *lake, const struct catalog *c, const struct action_wish *w, enum runner *by, char why[200])
{
	const char *wanted = wish_option(w, "by");
	char reason[200];

	for (*by = BY_CONNECT; *by <= BY_TRINO; (*by)++)
		if (wanted && wanted[0] ? !strcmp(wanted, runner_words[*by]) : !why_not(lake, c, w->verb, *by, reason)[0])
			break;
	if (*by <= BY_TRINO)
		return !why_not(lake, c, w->verb, *by, why)[0];
	if (wanted && wanted[0])
		return no(why, "by=%.40s: expected spark-connect, spark-sql or trino%s", wanted, !strncmp(wanted, "airflow", 7) ?
			"; laketop knows of no Airflow and starts no DAG" : "");
	*by = BY_CONNECT;
	if (!connect_of(lake, c))
		return no(why, "[catalog %.40s] names nobody to run it: no Spark Connect (engine =), no spark_sql; by Trino: %.80s", c->name,
			why_not(lake, c, w->verb, BY_TRINO, reason));
	return no(why, "nobody can run it: %.160s", why_not(lake, c, w->verb, BY_CONNECT, reason));
}

/* One that could run it is known, and does not serve: there is nothing wrong with the wish. */
static bool one_is_down(const struct lake *lake, const struct catalog *c, const struct action_wish *w)
{
	const char *wanted = wish_option(w, "by");

	for (enum runner by = BY_CONNECT; by <= BY_TRINO; by++) {
		const struct service *s = engine_of(lake, c, by);

		if (s && !serves(s) && (!wanted || !wanted[0] || !strcmp(wanted, runner_words[by])) && (by != BY_TRINO || !trino_lacks(w->verb)))
			return true;
	}
	return false;
}

static bool answers(const struct lake *lake, const struct catalog *c, char why[200])
{
	const struct service *s = c->service ? lake_service(lake, c->service->name) : NULL;

	/* it gets a password: not who merely holds its port */
	return !s || serves(s) || no(why, "%.80s, which answers for %.60s, does not serve: %.40s", s->name, c->name, verdict_word(s->verdict.shown.verdict));
}

static bool fill(const struct lake *lake, const struct catalog *c, const char *table, enum runner by, struct action_target *t, char why[200])
{
	const struct service *s = engine_of(lake, c, by);

	*t = (struct action_target){0};
	if (s && !target_fill(lake, s->name, t, why))
		return false;
	if (s && by == BY_CONNECT)
		engine_matches(service_table(lake, s->name, "settings"), c, listing_of(lake, c), table, t->caution);
	t->catalog = c;
	t->profile = lake->profile;
	t->places = lake->places;
	return true;
}

static bool offer(const struct lake *lake, const struct action_wish *w, struct action_target *t, char why[200])
{
	const struct catalog *c = lake->profile ? profile_catalog(lake->profile, w->service) : NULL;
	const struct chore *chore = chore_of(w->verb);
	const char *format;
	enum runner by;

	*t = (struct action_target){0};
	if (!c)
		return no(why, "there is no [catalog %.60s] in the profile; of a table: %.16s CATALOG TABLE", w->service, w->verb);
	if (!w->subject[0])
		return no(why, "of which table of %.80s?", w->service);
	format = known_format(lake, c, w->subject);
	if (format && !text_starts(text_of(format), chore->format == FORMAT_DELTA ? "delta" : "iceberg")) /* "iceberg v2" */
		return no(why, "it is for %s tables, and this one is %s%.40s", chore->format == FORMAT_DELTA ? "Delta" : "Iceberg",
			!strcmp(format, "view") ? "a " : "", format);
	if (!choose(lake, c, w, &by, why)) {
		t->because = one_is_down(lake, c, w) ? ERR_CONNECT : ERR_USAGE;
		return false;
	}
	if (!answers(lake, c, why)) {
		t->because = ERR_CONNECT;
		return false;
	}
	return fill(lake, c, w->subject, by, t, why);
}

static void hint(const struct lake *lake, const struct action_wish *w, const char *option, char out[200])
{
	const struct catalog *c = lake->profile ? profile_catalog(lake->profile, w->service) : NULL;
	char why[200];
	enum runner by;
	size_t len = 0;

	if (strcmp(option, "by") != 0 || !c) {
		text_copy(out, 200, text_of(plan_option_help(option)));
		return;
	}
	out[0] = '\0';
	for (by = BY_CONNECT; by <= BY_TRINO && len < 160; by++) {
		bool can = !why_not(lake, c, w->verb, by, why)[0];

		len += (size_t)snprintf(out + len, 200 - len, "%s%s%s", len ? ", " : "", runner_words[by], can ? "" : " (cannot)");
	}
	if (len < 160)
		snprintf(out + len, 200 - len, "; no Airflow DAG: laketop knows of none");
}

enum runner runner_of(const struct action_target *t)
{
	return !t->kind ? BY_COMMAND : !strcmp(t->kind->name, "trino") ? BY_TRINO : BY_CONNECT;
}

/* ---- before ---- */

static const char *text_in(const struct snapshot *s, const char *figure)
{
	struct value v = snapshot_get(s, figure);

	return v.type == VALUE_TEXT ? v.u.s : "";
}

/* "expire older_than=7d": the preview's name, and what was chosen. */
static bool say_view(const struct action_job *j, char view[PLAN_VIEW_SIZE], struct err *err)
{
	size_t len = (size_t)snprintf(view, PLAN_VIEW_SIZE, "%s", j->wish.verb);

	for (size_t i = 0; i < j->wish.n_options && len < PLAN_VIEW_SIZE; i++)
		if (strcmp(j->wish.options[i].name, "by") != 0 && j->wish.options[i].value[0])
			len += (size_t)snprintf(view + len, PLAN_VIEW_SIZE - len, " %s=%s", j->wish.options[i].name, j->wish.options[i].value);
	return len < PLAN_VIEW_SIZE || err_set(err, ERR_USAGE, "its options are too long");
}

/* A statement may stand there though there is nothing for it: Delta's do always. */
static bool is_due(const struct action_job *j, const struct snapshot *plan)
{
	const struct maintain *m = j->state;
	struct value files = snapshot_get(plan, "files");

	if (chore_of(j->wish.verb)->proof == PROOF_LEFT)
		return m->before.left > 0 || m->before.folders > 0;
	return chore_of(j->wish.verb)->format != FORMAT_DELTA || (files.type == VALUE_INT && files.u.i > 0);
}

static bool is_counted(const struct snapshot *plan)
{
	struct value files = snapshot_get(plan, "files");

	return files.type == VALUE_INT && files.u.i >= 0;
}

static bool take_plan(struct action_job *j, const struct snapshot *plan, struct err *err)
{
	static const char *const proofs[] = {
		[PROOF_SNAPSHOT] = "read again, the table has a new snapshot",
		[PROOF_EXPIRED] = "read again, the table has fewer snapshots",
		[PROOF_LEFT] = "looked at again, they are gone from its folder",
	};
	const char *sql = text_in(plan, "sql"), *words = text_in(plan, "words"), *caution = text_in(plan, "caution");
	const struct chore *chore = chore_of(j->wish.verb);
	bool differs = j->target.caution[0], own_rule = runner_of(&j->target) == BY_TRINO && chore->proof == PROOF_SNAPSHOT;

	if (!own_rule && (!sql[0] || !is_due(j, plan))) {
		j->needless = chore->format == FORMAT_DELTA ? sql[0] && is_counted(plan) : plan_finds_nothing(words);
		return err_set(err, ERR_USAGE, "%s%s", j->needless && !plan_finds_nothing(words) ? "nothing to do: " : "",
			words[0] ? words : "why is not told");
	}
	if (strlen(sql) >= sizeof j->exact)
		return err_set(err, ERR_LIMIT, "its statement is longer than can be shown: it is not run");
	text_copy(j->exact, sizeof j->exact, text_of(sql));
	snprintf(j->effect, sizeof j->effect, "%s%.199s%s%.*s%s%.*s", differs ? "CAUTION: " : "", j->target.caution, differs ? "; " : "",
		differs ? 250 : 330, words, caution[0] ? "; " : "", differs ? 120 : 260, caution);
	snprintf(j->verify, sizeof j->verify, "%s; by %.60s", chore->format == FORMAT_DELTA && chore->proof == PROOF_SNAPSHOT ?
		"read again, the table has a new version" : proofs[chore->proof], j->target.expected ? j->target.expected->name : "spark-sql");
	return true;
}

/* What goes stands there by its cutoff: an age would move on between preview and look. */
static void fix_cutoff(struct maintain *m, const struct chore *chore)
{
	struct value cutoff = snapshot_get(m->plan, "cutoff");
	char at[CLOCK_TEXT];

	if (!chore->folder || cutoff.type != VALUE_INT)
		return;
	clock_rfc3339(at, cutoff.u.i);
	snprintf(m->view, sizeof m->view, "%s older_than=%.19s", chore->verb, at);
}

static bool prepare(struct action_job *j, struct err *err)
{
	struct maintain *m = j->state = mem_new(1, sizeof *m);
	bool trino = runner_of(&j->target) == BY_TRINO, several = trino && !j->target.catalog->warehouse;

	/* whether the listing is of several catalogs says what Trino is asked about */
	if (!say_view(j, m->view, err) || (several && !table_state_read(j, m->view, j->wait, &m->before, NULL, err)) ||
	    (trino && !trino_view(j, m->view, err)) ||
	    !table_state_read(j, m->view, j->wait, &m->before, &m->plan, err) || !take_plan(j, m->plan, err))
		return false;
	fix_cutoff(m, chore_of(j->wish.verb));
	return !trino || trino_take(j, m->plan, &m->before, err);
}

static bool run(struct action_job *j, struct err *err)
{
	struct maintain *m = j->state;

	/* it may have waited long for its yes */
	if (!table_state_read(j, m->view, wait_for(MAINTAIN_READ_MS, j->wait.cancel), &m->before, NULL, err))
		return false;
	switch (runner_of(&j->target)) {
	case BY_COMMAND:
		return run_by_command(j, err);
	case BY_TRINO:
		return run_by_trino(j, err);
	case BY_CONNECT:
		break;
	}
	return run_by_connect(j, err);
}

static void free_state(void *state)
{
	struct maintain *m = state;

	snapshot_unref(m->plan);
	free(m);
}

static const char *const compact_takes[] = {"target", "min_files", "by", NULL}, *const expire_takes[] = {"older_than", "retain_last", "by", NULL},
	*const orphans_takes[] = {"older_than", "by", NULL}, *const vacuum_takes[] = {"retain", "by", NULL}, *const others_take[] = {"by", NULL};

#define CHORE(name, word, deletes, takes, words) \
	const struct action_spec name = { \
		.verb = word, .help = words, .on = ON_TABLE, .options = takes, .hint = hint, .destructive = deletes, \
		.limit_ms = LIMIT_MS, .offer = offer, .prepare = prepare, .run = run, .free = free_state, \
	}
CHORE(action_compact, "compact", false, compact_takes, "write its small files anew as few large ones (Iceberg)");
CHORE(action_expire, "expire", true, expire_takes, "drop old snapshots, and files that only they need (Iceberg)");
CHORE(action_manifests, "manifests", false, others_take, "write its manifests anew, fewer and sorted (Iceberg)");
CHORE(action_deletes, "deletes", false, others_take, "write its position deletes anew (Iceberg)");
CHORE(action_orphans, "orphans", true, orphans_takes, "delete files in its folder that nothing names (Iceberg)");
CHORE(action_optimize, "optimize", false, others_take, "write its small files anew as few large ones (Delta)");
CHORE(action_vacuum, "vacuum", true, vacuum_takes, "delete files that no version within its retention needs (Delta)");
