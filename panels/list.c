// SPDX-License-Identifier: MIT
/*
 * What is listed: rows of one table, or of the tables of several services side by side, and what a row says in
 * each column. A column that no table has is not there; rows that a cap left off are counted. How a list looks
 * is in list_look.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list_own.h"
#include "mem.h"
#include "show.h"

enum { ROWS_FIRST = 64 };

/* ---- rows ---- */

void list_begin(struct list *list, const struct list_kind *kind, const struct lake *lake)
{
	*list = (struct list){.kind = kind, .lake = lake};
}

void list_end(struct list *list)
{
	free(list->rows);
	list->rows = NULL;
	list->n = list->room = 0;
}

void list_add(struct list *list, const struct list_row *row)
{
	if (list->n == list->room) {
		list->room = list->room ? list->room * 2 : ROWS_FIRST;
		list->rows = mem_grow(list->rows, list->room, sizeof *list->rows);
	}
	list->rows[list->n++] = *row;
}

size_t list_columns(const struct list_kind *kind)
{
	size_t n = 0;

	while (n < TABLE_COLUMNS_MAX && kind->columns[n].name)
		n++;
	return n;
}

/* Asked some hundred thousand times for one key in a long list: most names differ in their first letter. */
static bool same(const char *a, const char *b)
{
	return a[0] == b[0] && !strcmp(a, b);
}

bool is(const struct list_column *column, const char *name)
{
	return same(column->name, name);
}

/* Its place in the table; n_columns: it has none. */
static size_t column_of(const struct table *table, const char *column)
{
	size_t i = 0;

	while (i < table->n_columns && !same(table->spec->columns[i].name, column))
		i++;
	return i;
}

void list_use(struct list *list, const struct snapshot *from, const struct table *table)
{
	list->any = true;
	list->left_off += table->left_off;
	if (snapshot_old(from, list->lake->now) && (!list->oldest || from->ended < list->oldest->ended))
		list->oldest = from;
	for (size_t i = 0, n = list_columns(list->kind); i < n; i++)
		list->has[i] = list->has[i] || column_of(table, list->kind->columns[i].name) < table->n_columns;
}

void list_has(struct list *list, const char *column)
{
	for (size_t i = 0, n = list_columns(list->kind); i < n; i++)
		list->has[i] = list->has[i] || is(&list->kind->columns[i], column);
}

void list_missing(struct list *list, const struct service *service, const char *what)
{
	const char *words = service_words(service);
	enum verdict v = service_verdict(service);
	bool told = service->depth && service->depth->err.code == ERR_NONE;

	if (list->empty[0])
		return;
	if (told && v == VERDICT_SERVING)
		snprintf(list->empty, sizeof list->empty, "%.60s has no %.60s", service->name, what);
	else if (service->depth && !told)
		snprintf(list->empty, sizeof list->empty, "%.60s: %.160s", service->name, service->depth->err.words);
	else
		snprintf(list->empty, sizeof list->empty, "%.60s: %.160s", service->name,
			words[0] ? words : v == VERDICT_SERVING ? "serves, and was not asked yet" : verdict_word(v));
}

void list_add_table(struct list *list, const struct service *service, const struct snapshot *from, const char *table)
{
	struct list_row row = {.service = service, .from = from, .table = from ? snapshot_find_table(from, table) : NULL};

	if (!row.table || !row.table->spec)
		return;
	list_use(list, from, row.table);
	for (; row.at < row.table->n_rows; row.at++)
		list_add(list, &row);
}

size_t list_add_tables(struct list *list, const char *kind, const char *table)
{
	size_t n = 0;

	for (size_t i = 0; i < list->lake->n_services; i++) {
		const struct service *s = list->lake->services[i];

		if (!service_is(s, kind))
			continue;
		if (snapshot_find_table(s->depth, table))
			n++;
		else
			list_missing(list, s, table);
		list_add_table(list, s, s->depth, table);
	}
	return n;
}

struct value list_cell(const struct list_row *row, const char *column)
{
	size_t at = row->table ? column_of(row->table, column) : 0;

	return row->table && at < row->table->n_columns ? row->table->cells[row->at * row->table->n_columns + at] : value_unknown();
}

const char *list_text(const struct list_row *row, const char *column)
{
	return value_string(list_cell(row, column));
}

struct value list_get(const struct list_kind *kind, const struct list_row *row, const struct list_column *column)
{
	return kind->get ? kind->get(row, column) : list_cell(row, column->name);
}

/* ---- a row in words ---- */

enum mark list_mark(const struct list *list, const struct list_row *row)
{
	return list->kind->mark ? list->kind->mark(row) : MARK_NONE;
}

bool list_shows(const struct list *list, size_t column)
{
	return list->kind->columns[column].own || list->has[column] || !list->any;
}

static enum unit unit_of(const struct list_row *row, const struct list_column *spec)
{
	size_t at = row->table ? column_of(row->table, spec->name) : 0;

	return row->table && at < row->table->n_columns ? row->table->spec->columns[at].unit : spec->unit;
}

const char *list_words(const struct list *list, const struct list_row *row, size_t column, char out[VALUE_TEXT_SIZE])
{
	const struct list_column *spec = &list->kind->columns[column];
	const char *words = list->kind->words ? list->kind->words(row, spec, list->lake, out) : NULL;
	struct value v;

	if (words)
		return words;
	v = list_get(list->kind, row, spec);
	/* a long text is shown as it is: there may be room for it */
	return v.type == VALUE_TEXT ? v.u.s : show_value(out, v, unit_of(row, spec), list->lake);
}

/* ---- its mark ---- */

static const enum verdict mark_verdicts[] = {
	[MARK_NONE] = VERDICT_UNKNOWN, [MARK_GOOD] = VERDICT_SERVING, [MARK_BUSY] = VERDICT_STARTING, [MARK_OFF] = VERDICT_ABSENT,
	[MARK_UNKNOWN] = VERDICT_UNKNOWN, [MARK_DUE] = VERDICT_SICK, [MARK_WARN] = VERDICT_SICK, [MARK_ILL] = VERDICT_SICK,
	[MARK_BAD] = VERDICT_BLOCKED, [MARK_FAILED] = VERDICT_BLOCKED, /* as bad; what is drawn is another glyph */
};

/* A verdict's own glyph means the verdict and nothing else: a row that failed is neither blocked nor an impostor. */
const char *mark_glyph(enum mark mark, bool ascii)
{
	if (mark == MARK_NONE)
		return "";
	if (mark == MARK_DUE)
		return ascii ? "~" : "◐";
	if (mark >= MARK_BAD)
		return failed_glyph(ascii);
	return verdict_glyph(mark_verdicts[mark], ascii);
}

const char *marked_glyph(bool ascii)
{
	return ascii ? "*" : "◆";
}

bool list_sign(size_t n, bool ascii, struct sign *out)
{
	const struct sign all[] = {
		{mark_glyph(MARK_FAILED, ascii), "failed", "failed, is dead, or does not get on", mark_style(MARK_FAILED)},
		{mark_glyph(MARK_DUE, ascii), "due", "maintenance of a table is due", mark_style(MARK_DUE)},
		{marked_glyph(ascii), "marked", "by Space: x takes all of them", STYLE_ACCENT},
	};

	if (n >= sizeof all / sizeof *all)
		return false;
	*out = all[n];
	return true;
}

enum style mark_style(enum mark mark)
{
	return mark == MARK_NONE ? STYLE_NORMAL : mark == MARK_WARN || mark == MARK_DUE ? STYLE_WARN : verdict_style(mark_verdicts[mark]);
}
