// SPDX-License-Identifier: MIT
/* A cure by Spark Connect: the statement in a session of its own, its progress, its answer, and what became of it where it ended early. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../services/spark_connect.h"
#include "arrow.h"
#include "maintain.h"

static void tell_progress(void *ctx, const struct connect_progress *p)
{
	char bytes[VALUE_TEXT_SIZE];

	/* stages come as it goes: a part of them is no part of the whole */
	action_progress(ctx, (double)NAN, "%" PRId64 " tasks done, %" PRId64 " running, %s read", p->done, p->running,
		value_show(bytes, value_int(p->bytes), UNIT_BYTES));
}

/* ---- what it answers ---- */

struct said {
	char words[250];       /* "rewritten data files 7, added data files 1" */
	bool numbers, any;     /* it told numbers; one of them is not 0 */
	int64_t rows, strange; /* strange: files that it names and the preview did not */
};

struct names { const char **at; size_t n; };

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct names names_of(const struct table *t)
{
	struct names names = {mem_new(t ? t->n_rows : 0, sizeof *names.at), 0};

	for (size_t i = 0; t && i < t->n_rows; i++) {
		struct value v = table_get(t, i, "what");

		if (v.type == VALUE_TEXT)
			names.at[names.n++] = v.u.s;
	}
	if (names.n)
		qsort(names.at, names.n, sizeof *names.at, by_name);
	return names;
}

/* A URL whose end, from some slash on, is among them. */
static bool is_named(const struct names *names, const char *url)
{
	for (const char *at = strchr(url, '/'); at; at = strchr(at + 1, '/')) {
		const char *name = at + 1;

		if (names->n && bsearch(&name, names->at, names->n, sizeof *names->at, by_name))
			return true;
	}
	return false;
}

static void take_number(struct said *said, const char *name, int64_t n)
{
	size_t len = strlen(said->words), name_len = strlen(name);

	said->numbers = true;
	said->any = said->any || n;
	if (name_len > 6 && !strcmp(name + name_len - 6, "_count"))
		name_len -= 6;
	if (n)
		snprintf(said->words + len, sizeof said->words - len, "%s%.*s %" PRId64, len ? ", " : "", (int)name_len, name, n);
}

static void take_row(struct arrow *a, int64_t row, const struct names *names, struct buf *cell, struct said *said)
{
	for (size_t i = 0; i < arrow_columns(a); i++) {
		struct value v;
		bool cut;

		buf_reset(cell);
		if (!arrow_cell(a, i, row, cell, &v, &cut))
			continue;
		if (v.type == VALUE_INT && !said->rows)
			take_number(said, arrow_name(a, i), v.u.i);
		if (v.type == VALUE_TEXT && !strcmp(arrow_name(a, i), "orphan_file_location"))
			said->strange += !is_named(names, v.u.s);
	}
	said->rows++;
}

/* What cannot be read is not told: the table itself is. */
static void read_result(struct text stream, const struct table *listed, struct said *said)
{
	struct names names = names_of(listed);
	struct err err = {0};
	struct arrow *a = arrow_open(stream, &err);
	struct buf cell;

	buf_init(&cell, 4096);
	while (a && arrow_next(a, &err))
		for (int64_t row = 0; row < (int64_t)arrow_rows(a); row++)
			take_row(a, row, &names, &cell, said);
	arrow_close(a);
	buf_free(&cell);
	free(names.at);
	for (char *at = said->words; *at; at++)
		*at = *at == '_' ? ' ' : *at;
}

static bool verify(struct action_job *j, const struct connect_statement *s, struct err *err)
{
	const struct chore *chore = chore_of(j->wish.verb);
	const struct maintain *m = j->state;
	const struct table *listed = snapshot_find_table(m->plan, chore->verb);
	struct said said = {.rows = 0};

	read_result(buf_text(&s->result), listed, &said);
	if (chore->folder) {
		said.any = said.rows > 0;
		snprintf(said.words, sizeof said.words, "removed %" PRId64 " of %" PRId64 " that were listed", said.rows - said.strange,
			m->before.left);
		if (said.strange && listed && !listed->left_off)
			return err_set(err, ERR_PROTOCOL, "Spark has removed %" PRId64 " files, %" PRId64 " of which the list did not have: look at the table",
				said.rows, said.strange);
	}
	return maintain_verify(j, "Spark", said.any, said.words, err);
}

/* It did not run to its end: what is there now? Whatever fails here is said, too. */
static bool say_end(struct action_job *j, const struct connect_statement *s, struct err *err)
{
	const struct maintain *m = j->state;
	const struct chore *chore = chore_of(j->wish.verb);
	bool writes = chore->proof == PROOF_SNAPSHOT;
	char stands[100];
	struct err why = *err, unread = {0};
	struct table_state after;

	if (s->running && s->interrupted)
		return err_set(err, ERR_CANCELLED, "interrupted at the server, where it has not ended yet: operation %s", s->operation);
	if (s->running)
		return err_set(err, why.code, "%.60s; and it could not be told to end: operation %s may still run there", why.words, s->operation);
	if (s->conflict) {
		j->again = true;
		return err_set(err, why.code, "conflict: another commit came between, so nothing of this one is kept%s; %.80s",
			writes ? " but files that it wrote, as orphans" : "", why.words);
	}
	if (!s->interrupted)
		return false;
	action_note(j, "session %s, operation %s, server %s: interrupted", s->session, s->operation, s->server);
	action_progress(j, (double)NAN, "interrupted at the server; looking what became of the table");
	if (!table_state_read(j, m->view, wait_for(MAINTAIN_READ_MS, -1), &after, NULL, &unread))
		return err_set(err, ERR_CANCELLED, "interrupted at the server; the table could not be read again: %.100s", unread.words);
	if (!table_state_same(&m->before, &after, chore->format == FORMAT_DELTA, stands, sizeof stands))
		return err_set(err, ERR_CANCELLED, "interrupted at the server, and yet %s, look at it", stands);
	return err_set(err, ERR_CANCELLED, "interrupted at the server: %s%s", stands,
		writes ? "; files that it had written may stay as orphans" : "; what it had deleted by then is gone");
}

bool run_by_connect(struct action_job *j, struct err *err)
{
	struct connect_statement s = {.progress = tell_progress, .ctx = j};
	struct probe p;
	bool good;

	job_probe(j, &p);
	s.token = connect_token(&p);
	good = connect_open(&p, &s, err);
	if (good) {
		action_note(j, "session %s, operation %s, server %s", s.session, s.operation, s.server);
		action_progress(j, (double)NAN, "Spark is planning it");
		good = connect_execute(&p, &s, text_of(j->exact), err);
		good = good ? verify(j, &s, err) : say_end(j, &s, err);
	}
	connect_close(&p, &s);
	job_probe_end(&p);
	return good;
}
