// SPDX-License-Identifier: MIT
/* A Delta table for the keeper: its log is read whole each time that it changed. One thread. */
#include "keeper_own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delta.h"
#include "rows.h"

enum { ROW_MEMORY = 32 << 20, VIEW_MEMORY = 96 << 20, SQL_MAX = 4096 };

static int64_t latest_of(const struct record *r)
{
	int64_t version;

	/* the catalog's word for the newest version, where it manages the table's commits */
	return r->key && text_i64(text_of(r->key), &version) && version >= 0 ? version : -1;
}

enum read_answer keeper_delta(struct keeper *k, struct probe *p, const struct storage *at, struct record *r, struct spending *left,
	struct snapshot *s, struct table *t, struct value *row, struct err *err)
{
	struct delta_ask ask = {.latest = latest_of(r), .bytes = left->bytes, .probe = true};
	struct delta_table table = {0};
	struct table_health health = {0};
	struct arena *arena;
	enum delta_answer answer;

	(void)k;
	if (!r->at) {
		err_set(err, ERR_PROTOCOL, "the catalog names no folder of it");
		return READ_FAILED;
	}
	if (keeper_is_closed(at, r->at)) {
		table_set(s, t, row, "format", value_text("delta"));
		table_set(s, t, row, "location", value_text(r->at));
		table_set(s, t, row, "grade", value_text(table_grade_word(GRADE_UNKNOWN)));
		table_set(s, t, row, "measured", value_text(TABLE_NO_CREDENTIAL));
		table_set(s, t, row, "words", value_text(arena_printf(s->arena, "not measured: no credential for %s", r->at)));
		return READ_OK;
	}
	if (r->read && r->whole && r->known)
		text_copy(ask.known, sizeof ask.known, text_of(r->known));
	arena = arena_new(ROW_MEMORY);
	answer = delta_read(p, at, r->at, &ask, arena, &table, err);
	if (answer == DELTA_OK) {
		free(r->known);
		r->known = ask.known[0] ? mem_copy(ask.known) : NULL;
		delta_health(&table, &health);
		delta_row(&table, &health, s, t, row);
	} else if (answer == DELTA_GONE) {
		err_set(err, ERR_PARSE, "there is no Delta log in %s", r->at);
	}
	arena_free(arena);
	return answer == DELTA_OK ? READ_OK : answer == DELTA_SAME ? READ_SAME : READ_FAILED;
}

/* As the engine writes it; a table of a folder has no name there. False: none can be said safely. */
static bool put_name(const struct keeper *k, const struct record *r, const char *url, struct buf *out)
{
	struct rows_ask *ask = mem_new(1, sizeof *ask);
	char subject[ROWS_SUBJECT_SIZE], engine[NAME_SIZE];
	const char *table = catalog_for_engine(k->catalog, k->said.named, r->name, engine);
	bool good = true;

	if (k->catalog->folders)
		good = buf_puts(out, "delta.") && rows_put_quoted(out, url, '`');
	else if (table[0] && rows_subject(subject, engine, table, 1) && rows_parse(subject, ask, NULL))
		rows_put_name(out, ask, '`');
	free(ask);
	return good && out->len && !out->full;
}

/* VACUUM's own rule: less than the table keeps by itself is refused. */
static bool take_retention(struct delta_table *t, int64_t retain, struct buf *sql, struct err *err)
{
	char span[CLOCK_TEXT];

	if (!retain)
		return true;
	if (retain < t->retention)
		return err_set(err, ERR_USAGE, "retain=%lldh is less than the %s that this table keeps (delta.deletedFileRetentionDuration): readers and writers "
			"that run may still need those files, and Delta refuses it", (long long)(retain / 3600000), clock_span(span, t->retention));
	t->retention = retain;
	return buf_printf(sql, " RETAIN %lld HOURS", (long long)(retain / 3600000));
}

bool keeper_delta_view(struct keeper *k, struct probe *p, const struct storage *at, const struct record *r, const char *view,
	const struct plan_choice *choice, struct snapshot *s)
{
	struct delta_ask ask = {.latest = latest_of(r), .probe = true};
	struct delta_table table = {0};
	struct arena *arena;
	struct buf sql;
	bool good, named;

	if (!delta_has_view(view))
		return err_set(&s->err, ERR_USAGE, "\"%s\" is nothing that a Delta table has", view);
	arena = arena_new(VIEW_MEMORY);
	buf_init(&sql, SQL_MAX);
	switch (delta_read(p, at, r->at ? r->at : "", &ask, arena, &table, &s->err)) {
	case DELTA_OK:
		named = put_name(k, r, table.url, &sql);
		good = take_retention(&table, choice->retain, &sql, &s->err) && delta_view(p, at, &table, view, named ? sql.at : NULL, s);
		break;
	case DELTA_GONE:
		good = err_set(&s->err, ERR_PARSE, "there is no Delta log in %s", r->at);
		break;
	case DELTA_SAME:
	case DELTA_FAILED:
	default:
		good = false;
		break;
	}
	buf_free(&sql);
	arena_free(arena);
	return good;
}
