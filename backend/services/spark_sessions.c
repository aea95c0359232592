// SPDX-License-Identifier: MIT
/* Spark Connect's own page in its web UI: client sessions, and what they asked for. Pure. */
#include <string.h>

#include "spark_connect.h"
#include "spark_page.h"

/* "2 session(s) are online, running 0 Request(s)" */
bool connect_read_sessions(struct text html, int64_t *sessions, int64_t *requests)
{
	struct text word, last = TEXT(""), line = TEXT("");

	while (text_word(&html, &word) && !text_is(word, "session(s)"))
		last = word;
	line = text_trim(text_between(html, "are online,", "Request(s)"));
	return text_i64(last, sessions) && text_skip(&line, "running") && text_i64(text_trim(line), requests);
}

enum { CELLS_MAX = 16, CELL_SIZE = 300 };

/* The texts of a row's cells; a stack trace that a click would show comes into more. */
static int read_cells(struct text row, char cells[CELLS_MAX][CELL_SIZE], char more[SPARK_REASON_SIZE])
{
	struct text cell;
	char trace[2048];
	int n = 0;

	more[0] = '\0';
	for (; n < CELLS_MAX && page_cell(&row, &cell); n++) {
		page_text(cells[n], CELL_SIZE, cell);
		if (page_more(trace, sizeof trace, cell)[0])
			spark_reason(more, SPARK_REASON_SIZE, text_of(trace));
	}
	return n;
}

static struct value cell_words(const char *s)
{
	return s[0] ? value_text(s) : value_unknown();
}

static void put_span(struct snapshot *s, struct table *t, struct value *row, const char *words, int64_t now)
{
	int64_t ms;

	if (!page_span(text_of(words), &ms))
		return;
	table_set(s, t, row, "duration", value_int(ms));
	if (now > ms)
		table_set(s, t, row, "started", value_int(now - ms)); /* times on the page are in a zone that it does not name */
}

/* User, id, start, finish, duration, executions: of one that is open no finish is written. */
void connect_read_session_rows(struct text html, int64_t now, struct snapshot *s, struct table *t)
{
	char cells[CELLS_MAX][CELL_SIZE], more[SPARK_REASON_SIZE];
	struct text all, rows, row;
	int64_t total;

	if (!page_table(html, "sessionstat", &all))
		return;
	for (int closed = 0; closed < 2; closed++)
		for (rows = all; page_row(&rows, &row);) {
			struct value *to;
			int64_t n;

			if (read_cells(row, cells, more) < 6 || !cells[1][0] || (cells[3][0] != 0) != (closed != 0))
				continue;
			to = table_row(s, t);
			table_set(s, t, to, "user", cell_words(cells[0]));
			table_set(s, t, to, "session", value_text(cells[1]));
			table_set(s, t, to, "state", value_text(closed ? "CLOSED" : "OPEN"));
			put_span(s, t, to, cells[4], closed ? 0 : now);
			if (text_i64(text_of(cells[5]), &n))
				table_set(s, t, to, "executions", value_int(n));
		}
	if (page_count(html, "Session Statistics", &total) && total > (int64_t)t->n_rows)
		t->left_off += (size_t)total - t->n_rows;
}

/* Of a plan in SQL, which is the most common one, the statement itself. */
static const char *statement_of(char *words)
{
	struct text t = text_of(words);

	if (text_starts(t, "sql {") && page_skip(&t, "query: \"")) {
		size_t len = t.len;

		while (len && strchr("}\n \"", t.at[len - 1]))
			len--;
		memmove(words, t.at, len);
		words[len] = '\0';
	}
	return words;
}

/* User, jobs, SQL executions, session, start, finish, close, execution time, duration, statement, state, operation, tag, tags, detail. */
void connect_read_execution_rows(struct text html, int64_t now, struct snapshot *s, struct table *t)
{
	char cells[CELLS_MAX][CELL_SIZE], more[SPARK_REASON_SIZE];
	struct text rows, row;
	int64_t total;

	if (!page_table(html, "sqlstat", &rows))
		return;
	while (page_row(&rows, &row)) {
		struct value *to;

		if (read_cells(row, cells, more) < 15)
			continue;
		to = table_row(s, t);
		table_set(s, t, to, "user", cell_words(cells[0]));
		table_set(s, t, to, "jobs", cell_words(cells[1]));
		table_set(s, t, to, "sql", cell_words(cells[2]));
		table_set(s, t, to, "session", cell_words(cells[3]));
		put_span(s, t, to, cells[8], cells[6][0] ? 0 : now);
		table_set(s, t, to, "statement", cell_words(statement_of(cells[9])));
		table_set(s, t, to, "state", cell_words(cells[10]));
		table_set(s, t, to, "operation", cell_words(cells[11]));
		table_set(s, t, to, "reason", cell_words(more[0] ? more : cells[14]));
	}
	if (page_count(html, "Request Statistics", &total) && total > (int64_t)t->n_rows)
		t->left_off += (size_t)total - t->n_rows;
}
