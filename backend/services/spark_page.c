// SPDX-License-Identifier: MIT
/*
 * What only the pages of Spark's web servers say. See spark_page.h. Pure.
 * Source: Spark's ApplicationPage.scala, UIUtils.scala, StreamingQueryPage.scala, SparkConnectServerPage.scala;
 * checked on 4.0.5, 4.1.4 and 4.2.1.
 */
#include "spark_page.h"

#include <stdio.h>
#include <string.h>

enum { TAG_SIZE = 400 };

bool page_skip(struct text *t, const char *mark)
{
	size_t len = strlen(mark);
	const char *at = t->len ? memmem(t->at, t->len, mark, len) : NULL;

	if (!at)
		return false;
	at += len;
	t->len -= (size_t)(at - t->at);
	t->at = at;
	return true;
}

/* What stands before the mark; all of it where there is none. */
static struct text before(struct text t, const char *mark)
{
	const char *at = t.len ? memmem(t.at, t.len, mark, strlen(mark)) : NULL;

	return at ? (struct text){t.at, (size_t)(at - t.at)} : t;
}

bool page_table(struct text html, const char *id, struct text *rows)
{
	char mark[80];

	snprintf(mark, sizeof mark, "id=\"%s\"", id ? id : "");
	while (page_skip(&html, "<table")) {
		struct text tag = before((struct text){html.at, html.len < TAG_SIZE ? html.len : TAG_SIZE}, ">");

		if (id && !text_has(tag, mark))
			continue;
		*rows = before(html, "</table>");
		return page_skip(rows, "<tbody");
	}
	return false;
}

/* The next element, without its own tags. */
static bool element(struct text *rest, const char *begin, const char *end, struct text *out)
{
	if (!page_skip(rest, begin) || !page_skip(rest, ">"))
		return false;
	*out = before(*rest, end);
	if (!page_skip(rest, end))
		*rest = TEXT("");
	return true;
}

bool page_row(struct text *rows, struct text *row)
{
	return element(rows, "<tr", "</tr>", row);
}

bool page_cell(struct text *row, struct text *cell)
{
	return element(row, "<td", "</td>", cell);
}

/* The character that an entity at the beginning stands for, as text; moves on. */
static const char *entity(struct text *t)
{
	static const char *const entities[][2] = {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&#39;", "'"},
		{"&#x27;", "'"}, {"&apos;", "'"}, {"&nbsp;", " "}};

	for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
		if (text_skip(t, entities[i][0]))
			return entities[i][1];
	return NULL;
}

static char *plain(char *out, size_t size, struct text t)
{
	struct buf words;

	buf_init(&words, size);
	while (t.len) {
		const char *as = t.at[0] == '&' ? entity(&t) : NULL;

		if (as) {
			buf_puts(&words, as);
		} else if (t.at[0] == '<') {
			if (!page_skip(&t, ">"))
				break;
		} else {
			/* leading blanks must not use up the room */
			if (words.len || !strchr(" \t\r\n", t.at[0]))
				buf_add(&words, t.at, 1);
			t.at++;
			t.len--;
		}
		if (words.full)
			break;
	}
	text_copy(out, size, text_trim(buf_text(&words)));
	buf_free(&words);
	return out;
}

char *page_text(char *out, size_t size, struct text cell)
{
	return plain(out, size, before(cell, "<span onclick="));
}

char *page_more(char *out, size_t size, struct text cell)
{
	struct text more = TEXT("");

	element(&cell, "<pre", "</pre>", &more);
	return plain(out, size, more);
}

bool page_span(struct text t, int64_t *ms)
{
	static const struct {
		const char *unit;
		int64_t ms;
	} units[] = {{"ms", 1}, {"second", 1000}, {"minute", 60000}, {"hour", 3600000}, {"day", 86400000}, {"week", 604800000},
		{"year", INT64_C(31536000000)}};
	struct text number, unit;
	int64_t n, sum = 0;
	bool any = false;

	while (text_word(&t, &number)) {
		size_t i = 0;

		if (!text_i64(number, &n) || n < 0 || n > INT32_MAX || !text_word(&t, &unit))
			return false;
		while (i < sizeof units / sizeof *units && !text_starts(unit, units[i].unit))
			i++;
		if (i == sizeof units / sizeof *units || __builtin_add_overflow(sum, n * units[i].ms, &sum))
			return false;
		any = true;
	}
	*ms = sum;
	return any;
}

bool page_count(struct text html, const char *heading, int64_t *n)
{
	char mark[64];

	snprintf(mark, sizeof mark, "%s (", heading);
	return page_skip(&html, mark) && text_i64(before((struct text){html.at, html.len < 20 ? html.len : 20}, ")"), n);
}

/* ---- reasons ---- */

/* The last line that is not indented, before the empty line that ends a Python traceback. */
static struct text python_cause(struct text traceback)
{
	struct text line, cause = TEXT("");

	while (text_line(&traceback, &line) && line.len > 0)
		if (line.at[0] != ' ' && line.at[0] != '\t')
			cause = line;
	return cause;
}

char *spark_reason(char *out, size_t size, struct text reason)
{
	struct text cause = reason, rest = reason;

	/* "... most recent failure: Lost task 0.3 in stage 0.0 (TID 6) (127.0.0.1 executor 0): CAUSE" */
	if (page_skip(&rest, "most recent failure: ") && text_starts(rest, "Lost task ")) {
		cause = rest;
		if (page_skip(&rest, "): ") && rest.at < cause.at + 300)
			cause = rest;
	}
	rest = cause;
	if (text_has(before(cause, "\n"), "Traceback (most recent call last)") && page_skip(&rest, "\n")) {
		rest = python_cause(rest);
		cause = rest.len ? rest : cause;
	}
	cause = text_trim(before(text_trim(cause), "\n"));
	return text_clean(out, size, cause);
}

/* ---- the page of one application, by a master ---- */

enum { CELLS_MAX = 16 };

/* Which column has that head. */
static int column_of(struct text html, const char *head)
{
	struct text cell;
	char words[40];

	html = before(html, "<tbody");
	for (int i = 0; i < CELLS_MAX && element(&html, "<th ", "</th>", &cell); i++)
		if (!strcmp(plain(words, sizeof words, cell), head))
			return i;
	return -1;
}

static bool is_one_of(const char *word, const char *const *words)
{
	for (size_t i = 0; words[i]; i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

static void executor_rows(struct text rows, int id_at, int state_at, int64_t *highest, struct spark_app_page *out)
{
	static const char *const alive[] = {"LAUNCHING", "RUNNING", "LOADING", NULL};
	static const char *const lost[] = {"EXITED", "FAILED", "LOST", NULL};
	struct text row, cell;
	char words[40];

	while (page_row(&rows, &row))
		for (int i = 0; page_cell(&row, &cell); i++) {
			int64_t id;

			page_text(words, sizeof words, cell);
			if (i == id_at && text_i64(text_of(words), &id) && id >= *highest && id < INT32_MAX)
				*highest = id;
			if (i == state_at) {
				out->alive += is_one_of(words, alive);
				out->lost += is_one_of(words, lost);
			}
		}
}

static bool is_web_address(const char *s)
{
	return !strncmp(s, "http://", 7) || !strncmp(s, "https://", 8);
}

/* Executors that exited stand under "Summary" among those that run, killed ones under "Removed"; in no order at all. */
bool spark_read_app_page(struct text html, struct spark_app_page *out)
{
	struct text rest = html, link = html, rows;
	int64_t highest = -1, listed = 0, removed = 0;
	int id_at, state_at;

	*out = (struct spark_app_page){.cut = !text_has(html, "</html>")};
	if (!page_count(html, "Executor Summary", &listed) || listed < 0 || listed > INT32_MAX)
		return false;
	page_count(html, "Removed Executors", &removed);
	while (page_skip(&rest, "<table")) {
		id_at = column_of(rest, "ExecutorID");
		state_at = column_of(rest, "State");
		rows = before(rest, "</table>");
		if (id_at >= 0 && state_at >= 0 && page_skip(&rows, "<tbody"))
			executor_rows(rows, id_at, state_at, &highest, out);
	}
	out->started = removed >= 0 && removed < INT32_MAX ? listed + removed : listed;
	if (highest + 1 > out->started)
		out->started = highest + 1;
	/* <a href="http://127.0.0.1:4040">Application Detail UI</a> */
	link = before(link, "\">Application Detail UI");
	if (link.len < html.len) {
		while (page_skip(&link, "href=\""))
			continue;
		text_clean(out->ui, sizeof out->ui, link);
		if (!is_web_address(out->ui))
			out->ui[0] = '\0';
	}
	return true;
}
