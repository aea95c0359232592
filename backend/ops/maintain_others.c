// SPDX-License-Identifier: MIT
/*
 * A cure where no Spark Connect runs it: by the catalog's own spark-sql, which is a program, and by
 * Trino's ALTER TABLE ... EXECUTE. Trino has rules of its own: no preview of ours has its numbers, and
 * its shortest retention is asked before anything is offered. That its catalog has the same table
 * is known by the snapshot that it sees.
 * Source: Trino 476, the Iceberg connector.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../services/trino.h"
#include "catalog.h"
#include "maintain.h"

enum { WORDS_MAX = 40, OUT_MAX = 1 << 20, SQL_MAX = 4096 };

static const struct maintain *state_of(const struct action_job *j)
{
	return j->state;
}

/* It did not run to its end: is the table as it was? */
static bool say_end(struct action_job *j, const char *goes_on, struct err *err)
{
	struct err why = *err, unread = {0};
	struct table_state after;
	char stands[100];

	if (why.code != ERR_CANCELLED && why.code != ERR_TIMEOUT)
		return false;
	action_progress(j, (double)NAN, "ended; looking what became of the table");
	if (!table_state_read(j, state_of(j)->view, wait_for(MAINTAIN_READ_MS, -1), &after, NULL, &unread))
		return err_set(err, ERR_CANCELLED, "ended%s; the table could not be read again: %.80s", goes_on, unread.words);
	table_state_same(&state_of(j)->before, &after, chore_of(j->wish.verb)->format == FORMAT_DELTA, stands, sizeof stands);
	return err_set(err, ERR_CANCELLED, "ended%s; %s; files that it had written may stay as orphans", goes_on, stands);
}

/* ---- a program ---- */

static bool is_conflict(const char *said)
{
	return strstr(said, "CommitFailedException") || strstr(said, "ValidationException") || strstr(said, "ConcurrentModification");
}

bool run_by_command(struct action_job *j, struct err *err)
{
	const char *argv[WORDS_MAX + 3], *name;
	struct buf out, errors;
	size_t n = 0;
	int code;

	for (const char *const *word = j->target.catalog->spark_sql; word && *word && n < WORDS_MAX; word++)
		argv[n++] = *word;
	argv[n++] = "-e";
	argv[n++] = j->exact;
	argv[n] = NULL;
	name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	buf_init(&out, OUT_MAX);
	buf_init(&errors, OUT_MAX);
	action_note(j, "by %.150s", argv[0]);
	action_progress(j, (double)NAN, "%.80s runs it: its own output is its end", name);
	code = j->host->exec(j->host, argv, &out, &errors, j->wait, err);
	if (code > 0)
		last_lines(job_profile(j), errors.len ? buf_text(&errors) : buf_text(&out), j->last, sizeof j->last);
	j->again = code > 0 && errors.at && is_conflict(errors.at);
	buf_free(&errors);
	buf_free(&out);
	if (code == 0)
		return maintain_verify(j, name, false, "", err);
	if (code < 0)
		return say_end(j, !strcmp(name, "docker") || !strcmp(name, "podman") ? "; what it began in its container may go on there" : "", err);
	return err_set(err, ERR_SYSTEM, "%s%.60s ended with %d", j->again ? "conflict: another commit came between; " : "", name, code);
}

/* ---- Trino ---- */

const char *trino_table(const struct catalog *c, const char *trino, bool named, const char *table, char catalog[NAME_SIZE])
{
	bool engine = c->engine && c->engine_catalog && trino && !strcmp(c->engine, trino);

	if (named)
		return catalog_for_engine(c, true, table, catalog);
	text_copy(catalog, NAME_SIZE, text_of(c->trino_catalog ? c->trino_catalog : engine ? c->engine_catalog : c->name));
	return table;
}

static const char *table_of(const struct action_job *j, char catalog[NAME_SIZE])
{
	const struct expectation *x = j->target.expected;

	return trino_table(j->target.catalog, x ? x->name : NULL, state_of(j)->before.named, j->wish.subject, catalog);
}

/* "lake"."ns"."table", with a suffix to its last part. */
static bool put_table(const struct action_job *j, const char *suffix, struct buf *sql, struct err *err)
{
	struct rows_ask *ask = mem_new(1, sizeof *ask);
	char subject[ROWS_SUBJECT_SIZE], catalog[NAME_SIZE];
	const char *rest = table_of(j, catalog);
	bool good;

	good = (rows_subject(subject, catalog, rest, 1) && rows_parse(subject, ask, err)) ||
	       (err->code == ERR_NONE && err_set(err, ERR_LIMIT, "its name is too long for Trino"));
	if (good && ask->n_parts != 3)
		good = err_set(err, ERR_USAGE, "Trino knows tables of one schema alone, and this name has %zu parts", ask->n_parts - 1);
	if (good && strlen(ask->parts[2]) + strlen(suffix) < sizeof ask->parts[2])
		text_copy(ask->parts[2] + strlen(ask->parts[2]), strlen(suffix) + 1, text_of(suffix));
	if (good)
		rows_put_name(sql, ask, '"');
	free(ask);
	return good;
}

struct cell { const char *column; char text[80]; bool found; };

static bool take_cell(void *ctx, const struct json *columns, const struct json *data)
{
	struct cell *cell = ctx;
	const struct json *row = json_first(data), *value = json_first(row);

	for (const struct json *c = json_first(columns); row && c && value && !cell->found; c = json_next(c), value = json_next(value)) {
		const char *name = json_string(json_get(c, "name")), *text = json_string(value);
		int64_t n;

		if (!name || strcmp(name, cell->column) != 0)
			continue;
		cell->found = true;
		if (text)
			text_clean(cell->text, sizeof cell->text, text_of(text));
		else if (json_i64(value, &n))
			snprintf(cell->text, sizeof cell->text, "%" PRId64, n);
	}
	return true;
}

static bool ask(struct action_job *j, struct wait wait, const char *sql, struct cell *cell, struct err *err)
{
	struct probe p;
	bool good;

	job_probe(j, &p);
	p.wait = wait;
	good = trino_run(&p, sql, take_cell, cell, err);
	job_probe_end(&p);
	return good;
}

/* The least that the server's own configuration lets one keep; its usual 7 d where it does not say. */
static int64_t least_of(struct action_job *j, const char *property)
{
	struct cell cell = {.column = "Value"};
	struct err err = {0};
	char sql[200], clean[64], catalog[NAME_SIZE];
	int64_t ms = 7 * (int64_t)86400000;

	table_of(j, catalog);
	text_clean(clean, sizeof clean, text_of(catalog));
	if (strpbrk(clean, "'\\"))
		return ms;
	snprintf(sql, sizeof sql, "SHOW SESSION LIKE '%s.%s'", clean, property);
	if (ask(j, j->wait, sql, &cell, &err) && cell.found)
		trino_duration(cell.text, &ms);
	return ms;
}

static const char *property_of(const char *verb)
{
	return !strcmp(verb, "expire") ? "expire_snapshots_min_retention" : !strcmp(verb, "orphans") ? "remove_orphan_files_min_retention" : NULL;
}

bool trino_view(struct action_job *j, char view[PLAN_VIEW_SIZE], struct err *err)
{
	const char *property = property_of(j->wish.verb);
	int64_t now = clock_wall_ms(), least;
	struct plan_choice choice;
	char name[PLAN_VIEW_SIZE], span[CLOCK_TEXT];
	size_t len = strlen(view);

	if (!property)
		return true;
	least = least_of(j, property);
	if (!plan_choice_read(view, now, name, &choice, err))
		return false;
	if (!choice.older_than)
		snprintf(view + len, PLAN_VIEW_SIZE - len, " older_than=%" PRId64 "s", least / 1000);
	else if (now - choice.older_than < least)
		return err_set(err, ERR_USAGE, "this Trino keeps at least %s (iceberg.%s.min-retention), and refuses less", clock_span(span, least),
			!strcmp(j->wish.verb, "expire") ? "expire-snapshots" : "remove-orphan-files");
	return true;
}

/* Its snapshot, as Trino sees it. */
static bool same_table(struct action_job *j, const struct table_state *now, struct err *err)
{
	struct cell cell = {.column = "snapshot_id"};
	struct buf sql;
	int64_t seen = -1;
	bool good;

	buf_init(&sql, SQL_MAX);
	good = buf_puts(&sql, "SELECT snapshot_id FROM ") && put_table(j, "$refs", &sql, err) && buf_puts(&sql, " WHERE name = 'main'") &&
	       ask(j, j->wait, sql.at, &cell, err);
	buf_free(&sql);
	if (!good)
		return false;
	text_i64(text_of(cell.text), &seen);
	return seen == now->snapshot || err_set(err, ERR_USAGE, "Trino's table of that name is another one: its snapshot is %s, here it is %" PRId64,
		cell.found ? cell.text : "none", now->snapshot);
}

static bool put_execute(const struct action_job *j, const struct snapshot *plan, struct buf *sql)
{
	const char *verb = j->wish.verb, *target = wish_option(&j->wish, "target"), *last = wish_option(&j->wish, "retain_last");
	struct plan_choice choice = {0};
	struct value cutoff = snapshot_get(plan, "cutoff");
	int64_t seconds = cutoff.type == VALUE_INT ? (clock_wall_ms() - cutoff.u.i) / 1000 : 0;
	char name[PLAN_VIEW_SIZE];

	if (!strcmp(verb, "manifests"))
		return buf_puts(sql, " EXECUTE optimize_manifests");
	if (!strcmp(verb, "orphans"))
		return buf_printf(sql, " EXECUTE remove_orphan_files(retention_threshold => '%" PRId64 "s')", seconds);
	if (!strcmp(verb, "expire"))
		return buf_printf(sql, " EXECUTE expire_snapshots(retention_threshold => '%" PRId64 "s'", seconds) &&
		       (!last || !last[0] || buf_printf(sql, ", retain_last => %s", last)) && buf_puts(sql, ")");
	if (target && target[0])
		plan_choice_read(state_of(j)->view, clock_wall_ms(), name, &choice, NULL);
	if (!choice.target)
		return buf_puts(sql, " EXECUTE optimize");
	return buf_printf(sql, " EXECUTE optimize(file_size_threshold => '%" PRId64 "B')", choice.target);
}

bool trino_take(struct action_job *j, const struct snapshot *plan, const struct table_state *now, struct err *err)
{
	const char *own = !strcmp(j->wish.verb, "compact") ? "Trino's rule is its own: of each partition all files under 100 MB, or the target, become few; "
		"of Spark's rule: " : !strcmp(j->wish.verb, "expire") ? "" : "Trino's rule is its own; of Spark's: ";
	struct buf sql;
	char words[ACTION_WORDS_SIZE];
	bool good;

	if (wish_option(&j->wish, "min_files") && wish_option(&j->wish, "min_files")[0])
		return err_set(err, ERR_USAGE, "min_files is no option of Trino");
	if (!same_table(j, now, err))
		return false;
	buf_init(&sql, SQL_MAX);
	good = buf_puts(&sql, "ALTER TABLE ") && put_table(j, "", &sql, err) && put_execute(j, plan, &sql) && sql.len < sizeof j->exact &&
	       text_is_clean(buf_text(&sql));
	if (good)
		text_copy(j->exact, sizeof j->exact, buf_text(&sql));
	buf_free(&sql);
	snprintf(words, sizeof words, "%s%.400s", own, j->effect);
	text_copy(j->effect, sizeof j->effect, text_of(words));
	return good || (err->code == ERR_NONE ? err_set(err, ERR_LIMIT, "its name cannot be said safely in Trino's SQL") : false);
}

bool run_by_trino(struct action_job *j, struct err *err)
{
	struct cell unused = {.column = ""};

	action_note(j, "by Trino at %s:%u, source laketop", j->target.at.address, j->target.at.port);
	action_progress(j, (double)NAN, "Trino runs it: its own page shows the splits");
	if (ask(j, j->wait, j->exact, &unused, err))
		return maintain_verify(j, "Trino", false, "", err);
	j->again = strstr(err->words, "CommitFailed") || strstr(err->words, "ICEBERG_COMMIT_ERROR") || strstr(err->words, "Failed to commit");
	if (j->again) {
		struct err why = *err;

		return err_set(err, why.code, "conflict: another commit came between, so nothing of this one is kept; %.140s", why.words);
	}
	return say_end(j, "", err);
}
