// SPDX-License-Identifier: MIT
/*
 * Maintenance of one Iceberg table, by the Spark Connect that its catalog names. What is run is the SQL of the
 * panel's preview, made anew when it is wished; nothing due, nothing is offered. It is done only when
 * the table's own metadata, read again, says so: what Spark answers is told beside it, and believed
 * alone nowhere. The worker reads through a keeper of its own, so that no other one's memory answers.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../services/spark_connect.h"
#include "arrow.h"
#include "ops_own.h"
#include "tables.h"

enum { LIMIT_MS = 12 * 3600000, READ_MS = 30000 };

/* An expiry makes no snapshot: there are fewer of them. Everything else commits one. The verb is also its preview's name. */
static bool is_expiry(const struct action_job *j)
{
	return !strcmp(j->wish.verb, "expire");
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

/* What the catalog said of it last; NULL: it is not told, and whoever prepares finds out. */
static const char *known_format(const struct lake *lake, const struct catalog *c, const char *name)
{
	for (size_t i = 0; i < lake->n_catalogs; i++) {
		const struct table *t = lake->catalogs[i].catalog == c && lake->catalogs[i].snapshot ?
			snapshot_find_table(lake->catalogs[i].snapshot, "tables") : NULL;

		for (size_t row = 0; t && row < t->n_rows; row++) {
			struct value v = table_get(t, row, "name");

			if (v.type == VALUE_TEXT && !strcmp(v.u.s, name) && (v = table_get(t, row, "format")).type == VALUE_TEXT)
				return v.u.s;
		}
	}
	return NULL;
}

static bool offer(const struct lake *lake, const struct action_wish *w, struct action_target *t, char why[200])
{
	const struct catalog *c = lake->profile ? profile_catalog(lake->profile, w->service) : NULL;
	const struct service *s = c && c->engine ? lake_service(lake, c->engine) : NULL;
	const char *format;

	*t = (struct action_target){0};
	if (!c)
		return no(why, "there is no [catalog %.80s] in the profile", w->service);
	if (!w->subject[0])
		return no(why, "of which table of %.80s?", w->service);
	format = known_format(lake, c, w->subject);
	if (format && !text_starts(text_of(format), "iceberg")) /* "iceberg v2" */
		return no(why, "it is for Iceberg tables, and this one is %.40s", format);
	if (!c->engine)
		return no(why, "nobody runs it: \"engine = SERVICE\" in [catalog %.80s] names a Spark Connect", c->name);
	if (!s || !s->kind || strcmp(s->kind->name, "spark-connect") != 0)
		return no(why, "%.60s, the engine of %.60s, is no Spark Connect, and only that runs maintenance", c->engine, c->name);
	if (s->verdict.shown.verdict != VERDICT_SERVING)
		return no(why, "%.80s does not serve: %.60s", s->name, verdict_word(s->verdict.shown.verdict));
	if (c->service && lake_service(lake, c->service->name)) { /* it gets a password: not who merely holds its port */
		enum verdict v = lake_service(lake, c->service->name)->verdict.shown.verdict;

		if (v != VERDICT_SERVING)
			return no(why, "%.80s, which answers for %.60s, does not serve: %.40s", c->service->name, c->name, verdict_word(v));
	}
	if (!target_fill(lake, s->name, t, why))
		return false;
	t->catalog = c;
	t->profile = lake->profile;
	t->places = lake->places;
	return true;
}

/* ---- reading the table ---- */

struct state { /* what a table is like */
	int64_t files, bytes, deletes, snapshots, manifests, snapshot; /* -1: not known */
	char operation[24];
};

static int64_t number_of(const struct table *facts, const char *what)
{
	for (size_t i = 0; facts && i < facts->n_rows; i++) {
		struct value name = table_get(facts, i, "what"), n = table_get(facts, i, "number");

		if (name.type == VALUE_TEXT && !strcmp(name.u.s, what))
			return n.type == VALUE_INT ? n.u.i : -1;
	}
	return -1;
}

static void read_facts(const struct snapshot *s, struct state *out)
{
	const struct table *facts = snapshot_find_table(s, "table");

	out->files = number_of(facts, "data files");
	out->bytes = number_of(facts, "size");
	out->snapshot = number_of(facts, "current snapshot");
	out->deletes = number_of(facts, "delete files");
	out->snapshots = number_of(facts, "snapshots");
	out->manifests = number_of(facts, "manifests");
	for (size_t i = 0; facts && i < facts->n_rows; i++) {
		struct value name = table_get(facts, i, "what"), said = table_get(facts, i, "value");

		if (name.type == VALUE_TEXT && !strcmp(name.u.s, "operation") && said.type == VALUE_TEXT)
			text_clean(out->operation, sizeof out->operation, text_of(said.u.s));
	}
}

static struct probe catalog_probe(struct action_job *j, struct wait wait)
{
	const struct catalog *c = j->target.catalog;

	return (struct probe){
		.host = j->host, .net = j->net, .wait = wait, .at = catalog_endpoint(c), .expected = c->service,
		.credentials = catalog_credentials(c), .hint = "",
	};
}

static bool always(void *ctx)
{
	(void)ctx;
	return true;
}

/* A listing is enough: of the tables none is read but ours. */
static bool list(struct action_job *j, struct keeper *k, struct wait wait, const struct storage *at, struct err *err)
{
	struct snapshot *s = snapshot_new(j->target.catalog->name, PART_CATALOG);
	struct probe p = catalog_probe(j, wait);
	bool good;

	keeper_hurry(k, always, NULL);
	p.arena = s->arena;
	good = keeper_look(k, &p, at, s);
	if (!good)
		*err = s->err;
	snapshot_unref(s);
	return good || err->code != ERR_NONE || err_set(err, ERR_CONNECT, "%s does not answer", j->target.catalog->name);
}

static struct snapshot *view(struct action_job *j, struct keeper *k, struct wait wait, const struct storage *at, const char *name, struct err *err)
{
	struct snapshot *s = snapshot_new(j->target.catalog->name, PART_ANSWER);
	struct probe p = catalog_probe(j, wait);

	p.arena = s->arena;
	p.storage = at;
	if (keeper_answer(k, &p, at, name, j->wish.subject, s))
		return s;
	*err = s->err;
	if (err->code == ERR_NONE)
		err_set(err, ERR_PROTOCOL, "%s says nothing of %.100s", j->target.catalog->name, j->wish.subject);
	snapshot_unref(s);
	return NULL;
}

/* As it is now; plan: and what its preview says of that; NULL: not asked. */
static bool read_state(struct action_job *j, struct wait wait, struct state *out, struct snapshot **plan, struct err *err)
{
	struct storage at = profile_storage(j->target.profile, j->target.catalog->storage);
	struct keeper *k = keeper_new(j->target.catalog);
	struct snapshot *facts = NULL;
	bool good;

	keeper_places(k, j->target.places);
	good = list(j, k, wait, &at, err);
	*out = (struct state){.files = -1, .bytes = -1, .deletes = -1, .snapshots = -1, .manifests = -1, .snapshot = -1};
	if (good && plan) {
		*plan = view(j, k, wait, &at, j->wish.verb, err);
		good = *plan != NULL;
	}
	if (good) {
		facts = view(j, k, wait, &at, "table", err);
		good = facts != NULL;
	}
	if (good)
		read_facts(facts, out);
	keeper_free(k);
	snapshot_unref(facts);
	return good;
}

/* ---- before ---- */

static const char *text_in(const struct snapshot *s, const char *figure)
{
	struct value v = snapshot_get(s, figure);

	return v.type == VALUE_TEXT ? v.u.s : "";
}

static bool take_plan(struct action_job *j, const struct snapshot *plan, struct err *err)
{
	const char *sql = text_in(plan, "sql"), *words = text_in(plan, "words"), *caution = text_in(plan, "caution");

	if (!sql[0])
		return err_set(err, ERR_USAGE, "%s", words[0] ? words : "there is nothing to do");
	if (strlen(sql) >= sizeof j->exact)
		return err_set(err, ERR_LIMIT, "its statement is longer than can be shown: it is not run");
	text_copy(j->exact, sizeof j->exact, text_of(sql));
	snprintf(j->effect, sizeof j->effect, "%.400s%s%.180s", words, caution[0] ? "; " : "", caution);
	snprintf(j->verify, sizeof j->verify, "read again, the table has %s; by %.60s", is_expiry(j) ? "fewer snapshots" : "a new snapshot",
		j->target.expected ? j->target.expected->name : "");
	return true;
}

static bool prepare(struct action_job *j, struct err *err)
{
	struct snapshot *plan = NULL;
	struct state *before = j->state = mem_new(1, sizeof *before);
	bool good = read_state(j, j->wait, before, &plan, err) && take_plan(j, plan, err);

	snapshot_unref(plan);
	return good;
}

/* ---- running ---- */

static void tell_progress(void *ctx, const struct connect_progress *p)
{
	char bytes[VALUE_TEXT_SIZE];

	/* stages come as it goes: a part of them is no part of the whole */
	action_progress(ctx, (double)NAN, "%" PRId64 " tasks done, %" PRId64 " running, %s read", p->done, p->running,
		value_show(bytes, value_int(p->bytes), UNIT_BYTES));
}

/* "rewritten data files 7, added data files 1". False: every number in it is 0. */
static bool say_result(struct text stream, char *out, size_t size)
{
	struct err err = {0}; /* what cannot be read is not told: the table itself is */
	struct arrow *a = arrow_open(stream, &err);
	struct buf cell;
	size_t len = 0;

	out[0] = '\0';
	buf_init(&cell, 4096);
	for (size_t i = 0; a && (i || (arrow_next(a, &err) && arrow_rows(a) > 0)) && i < arrow_columns(a) && len + 1 < size; i++) {
		struct text name = text_of(arrow_name(a, i));
		struct value v;
		bool cut;

		buf_reset(&cell);
		if (arrow_value_type(a, i) != VALUE_INT || !arrow_cell(a, i, 0, &cell, &v, &cut) || v.type != VALUE_INT || !v.u.i)
			continue;
		if (name.len > 6 && !memcmp(name.at + name.len - 6, "_count", 6))
			name.len -= 6;
		len += (size_t)snprintf(out + len, size - len, "%s%.*s %" PRId64, len ? ", " : "", (int)name.len, name.at, v.u.i);
	}
	arrow_close(a);
	buf_free(&cell);
	for (char *at = out; *at; at++)
		*at = *at == '_' ? ' ' : *at;
	return len > 0;
}

static void say_number(char *out, size_t size, const char *what, int64_t before, int64_t after, bool always_said)
{
	size_t len = strlen(out);

	if (before >= 0 && after >= 0 && (always_said || before != after))
		snprintf(out + len, size - len, "%s%" PRId64 " -> %" PRId64 " %s", len ? ", " : "", before, after, what);
}

/* "205 -> 1 data files, 222 KiB -> 190 KiB, snapshot 3051729675574597004 (replace)" */
static void say_change(const struct state *b, const struct state *a, char *out, size_t size)
{
	char from[VALUE_TEXT_SIZE], to[VALUE_TEXT_SIZE];
	size_t len;

	out[0] = '\0';
	say_number(out, size, "data files", b->files, a->files, true);
	len = strlen(out);
	if (b->bytes >= 0 && a->bytes >= 0)
		snprintf(out + len, size - len, "%s%s -> %s", len ? ", " : "", value_show(from, value_int(b->bytes), UNIT_BYTES),
			value_show(to, value_int(a->bytes), UNIT_BYTES));
	say_number(out, size, "delete files", b->deletes, a->deletes, false);
	say_number(out, size, "manifests", b->manifests, a->manifests, false);
	say_number(out, size, "snapshots", b->snapshots, a->snapshots, false);
	len = strlen(out);
	if (b->snapshot != a->snapshot)
		snprintf(out + len, size - len, "%ssnapshot %" PRId64 " (%s)", len ? ", " : "", a->snapshot, a->operation);
}

/* It ran to its end: has it come about? */
static bool verify(struct action_job *j, const struct state *before, struct text result, struct err *err)
{
	char change[300], said[250];
	struct state after;
	struct err unread = {0};
	bool did = say_result(result, said, sizeof said);

	action_progress(j, (double)NAN, "Spark has ended it%s%s; reading the table again", said[0] ? ": " : "", said);
	if (!read_state(j, wait_for(READ_MS, j->wait.cancel), &after, NULL, &unread))
		return err_set(err, unread.code, "Spark says that it is done, and the table could not be read again: %.110s", unread.words);
	say_change(before, &after, change, sizeof change);
	if (is_expiry(j) ? after.snapshots >= before->snapshots : after.snapshot == before->snapshot) {
		if (did)
			return err_set(err, ERR_PROTOCOL, "Spark says %.80s, and the table as %.40s has it is as before: do both mean the same catalog?", said,
				j->target.catalog->name);
		snprintf(j->result, sizeof j->result, "nothing was left to do: somebody else did it meanwhile");
		return true;
	}
	snprintf(j->result, sizeof j->result, "%s%s%s", change, said[0] ? "; Spark says: " : "", said);
	return true;
}

/* It did not run to its end: what is there now? Whatever fails here is said, too. */
static bool say_end(struct action_job *j, const struct connect_statement *s, const struct state *before, struct err *err)
{
	struct err why = *err, unread = {0};
	struct state after;

	if (s->running && s->interrupted)
		return err_set(err, ERR_CANCELLED, "interrupted at the server, where it has not ended yet: operation %s", s->operation);
	if (s->running)
		return err_set(err, why.code, "%.60s; and it could not be told to end: operation %s may still run there", why.words, s->operation);
	if (s->conflict)
		return err_set(err, why.code, "another commit came between, so nothing of this one is kept: it can be tried again; %.100s", why.words);
	if (!s->interrupted)
		return false;
	action_note(j, "session %s, operation %s, server %s: interrupted", s->session, s->operation, s->server);
	action_progress(j, (double)NAN, "interrupted at the server; looking what became of the table");
	if (!read_state(j, wait_for(READ_MS, -1), &after, NULL, &unread))
		return err_set(err, ERR_CANCELLED, "interrupted at the server; the table could not be read again: %.100s", unread.words);
	if (after.snapshot != before->snapshot || after.snapshots != before->snapshots)
		return err_set(err, ERR_CANCELLED, "interrupted at the server, and yet the table has changed: now snapshot %" PRId64 ", look at it",
			after.snapshot);
	return err_set(err, ERR_CANCELLED, "interrupted at the server: the table is as it was, snapshot %" PRId64 "%s", after.snapshot,
		is_expiry(j) ? "" : "; files that it had written may stay as orphans");
}

static bool run(struct action_job *j, struct err *err)
{
	struct state *before = j->state;
	struct connect_statement s = {.progress = tell_progress, .ctx = j};
	struct probe p = {.host = j->host, .net = j->net, .wait = j->wait, .at = j->target.at, .expected = j->target.expected, .hint = ""};
	bool good;

	if (j->target.expected)
		s.token = j->target.expected->credentials.token;
	/* it may have waited long for its yes */
	if (!read_state(j, wait_for(READ_MS, j->wait.cancel), before, NULL, err))
		return false;
	good = connect_open(&p, &s, err);
	if (good) {
		action_note(j, "session %s, operation %s, server %s", s.session, s.operation, s.server);
		action_progress(j, (double)NAN, "Spark is planning it");
		good = connect_execute(&p, &s, text_of(j->exact), err);
		good = good ? verify(j, before, buf_text(&s.result), err) : say_end(j, &s, before, err);
	}
	connect_close(&p, &s);
	return good;
}

#define CHORE(name, word, deletes, words) \
	const struct action_spec name = { \
		.verb = word, .help = words, .on = ON_TABLE, .destructive = deletes, .limit_ms = LIMIT_MS, \
		.offer = offer, .prepare = prepare, .run = run, \
	}
CHORE(action_compact, "compact", false, "write its small files anew as few large ones");
CHORE(action_expire, "expire", true, "drop old snapshots, and files that only they need");
CHORE(action_manifests, "manifests", false, "write its manifests anew, fewer and sorted");
CHORE(action_deletes, "deletes", false, "write its position deletes anew");
