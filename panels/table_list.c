// SPDX-License-Identifier: MIT
/*
 * Any table of any snapshot as a list: columns by their specs, sorted by value and not by text,
 * unknown ones last. Rows that a cap left off are counted. UI thread only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "panels.h"
#include "show.h"

enum { MEASURED_ROWS = 200, WIDEST_TEXT = 48, WIDEST_NUMBER = 27, NAME_CELLS = 3 };

struct rows {
	const struct lake *lake;
	const struct table *table;
	const char *filter;
	size_t *at, n, n_columns;
	struct grid_column columns[TABLE_COLUMNS_MAX];
	char heads[TABLE_COLUMNS_MAX][NAME_SIZE];
};

static struct value cell_of(const struct table *t, size_t row, size_t column)
{
	return t->cells[row * t->n_columns + column];
}

static const char *cell_words(const struct rows *rows, size_t row, size_t column, char out[VALUE_TEXT_SIZE])
{
	struct value v = cell_of(rows->table, row, column);

	/* a long text is shown as it is: there may be room for it */
	return v.type == VALUE_TEXT ? v.u.s : show_value(out, v, rows->table->spec->columns[column].unit, rows->lake);
}

static bool keep(const void *ctx, size_t row)
{
	const struct rows *rows = ctx;
	char words[TABLE_COLUMNS_MAX][VALUE_TEXT_SIZE];
	const char *cells[TABLE_COLUMNS_MAX];

	if (!rows->filter[0])
		return true;
	for (size_t i = 0; i < rows->n_columns; i++)
		cells[i] = cell_words(rows, row, i, words[i]);
	return row_matches(rows->filter, cells, rows->n_columns);
}

struct order {
	const struct table *table;
	size_t column;
	bool reverse;
};

static int compare(const void *a, const void *b, void *ctx)
{
	const struct order *order = ctx;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	struct value v = cell_of(order->table, x, order->column), w = cell_of(order->table, y, order->column);
	int by = value_compare(v, w);

	if (order->reverse && v.type != VALUE_UNKNOWN && w.type != VALUE_UNKNOWN) /* unknown stays last */
		by = -by;
	return by ? by : x < y ? -1 : 1;
}

static void rows_collect(struct rows *rows, const struct panel_view *view, const struct table *table, const struct grid *g)
{
	*rows = (struct rows){.lake = view->lake, .table = table, .filter = view->filter ? view->filter : ""};
	rows->n_columns = table->n_columns < TABLE_COLUMNS_MAX ? table->n_columns : TABLE_COLUMNS_MAX;
	rows->at = rows_kept(table->n_rows, keep, rows, &rows->n);
	if (g->sort >= 0 && (size_t)g->sort < rows->n_columns)
		qsort_r(rows->at, rows->n, sizeof *rows->at, compare, &(struct order){table, (size_t)g->sort, g->reverse});
}

static const char *row(const void *ctx, size_t at, struct grid_cell *cells, char scratch[][VALUE_TEXT_SIZE])
{
	const struct rows *rows = ctx;
	size_t used = 0;
	char *name = scratch[rows->n_columns];

	name[0] = '\0';
	for (size_t i = 0; i < rows->n_columns; i++) {
		bool known = cell_of(rows->table, rows->at[at], i).type != VALUE_UNKNOWN;

		cells[i] = (struct grid_cell){.s = cell_words(rows, rows->at[at], i, scratch[i]),
			.style = known ? STYLE_NORMAL : STYLE_DIM};
		if (i < NAME_CELLS && used + 1 < VALUE_TEXT_SIZE) {
			snprintf(name + used, VALUE_TEXT_SIZE - used, "%s/", cells[i].s);
			used = strlen(name);
		}
	}
	return name;
}

static bool is_number(enum value_type type)
{
	return type == VALUE_INT || type == VALUE_REAL;
}

static void head_of(char out[NAME_SIZE], const struct column_spec *spec)
{
	size_t i = 0;

	for (; spec->name[i] && i + 1 < NAME_SIZE; i++) {
		char c = spec->name[i];

		out[i] = c == '_' ? ' ' : c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
	}
	out[i] = '\0';
}

/* Widths by what stands in the first rows and in those on the screen; they only ever grow. */
static void measure(struct table_list *list, struct rows *rows, const struct canvas *c)
{
	for (size_t i = 0; i < rows->n_columns; i++) {
		int *width = &list->widths[i];
		size_t top = (size_t)int_max(list->grid.top, 0);
		char out[VALUE_TEXT_SIZE];

		*width = int_max(*width, canvas_columns(c, rows->heads[i]) + 1); /* and the arrow of its order */
		for (size_t k = 0; k < rows->n && k < MEASURED_ROWS; k++)
			*width = int_max(*width, canvas_columns(c, cell_words(rows, rows->at[k], i, out)));
		for (size_t k = top; k < rows->n && k < top + (size_t)int_max(c->height, 0); k++)
			*width = int_max(*width, canvas_columns(c, cell_words(rows, rows->at[k], i, out)));
	}
}

static struct grid_source source_of(struct table_list *list, struct rows *rows, const struct canvas *c)
{
	int text = c ? int_clamp(c->width / 3, 8, WIDEST_TEXT) : WIDEST_TEXT;
	size_t widest = 0;

	for (size_t i = 0; i < rows->n_columns; i++)
		head_of(rows->heads[i], &rows->table->spec->columns[i]);
	if (c)
		measure(list, rows, c);
	for (size_t i = 0; i < rows->n_columns; i++) {
		const struct column_spec *spec = &rows->table->spec->columns[i];
		bool number = is_number(spec->type) && spec->unit != UNIT_TIME;

		rows->columns[i] = (struct grid_column){
			.head = rows->heads[i],
			.width = int_min(list->widths[i], number ? WIDEST_NUMBER : text),
			.priority = spec->priority,
			.right = number,
		};
		if (list->widths[i] > list->widths[widest])
			widest = i;
	}
	/* only a text that is cut has use for more room */
	rows->columns[widest].flexible = list->widths[widest] > rows->columns[widest].width && !rows->columns[widest].right;
	return (struct grid_source){
		.n_rows = rows->n, .columns = rows->columns, .n_columns = rows->n_columns, .row = row, .ctx = rows,
		.empty = rows->table->n_rows ? "no row here matches" : "no rows",
	};
}

void table_list_reset(struct table_list *list)
{
	*list = (struct table_list){.grid.sort = -1};
}

/* What is missing or old, on the last line. Returns the lines used. */
static int draw_note(struct canvas *c, const struct lake *lake, const struct snapshot *s, const struct table *table)
{
	char words[REASON_SIZE], number[VALUE_TEXT_SIZE], age[VALUE_TEXT_SIZE];

	if (c->height < 4)
		return 0;
	if (snapshot_old(s, lake->now)) {
		snprintf(words, sizeof words, "as it was %s ago", show_age(age, s->ended, lake->now));
		show_text(c, c->height - 1, 1, c->width - 2, STYLE_WARN, words);
		return 1;
	}
	if (!table->left_off)
		return 0;
	snprintf(words, sizeof words, "%s more rows are there, beyond what is read",
		value_show(number, value_int((int64_t)table->left_off), UNIT_COUNT));
	show_text(c, c->height - 1, 1, c->width - 2, STYLE_DIM, words);
	return 1;
}

void table_list_draw(struct table_list *list, const struct panel_view *view, const struct snapshot *s,
	const struct table *table, struct canvas *c)
{
	struct rows rows;
	struct grid_source source;
	struct canvas body;

	if (!table || !table->spec || !table->n_columns) {
		show_text(c, 0, 1, c->width - 2, STYLE_DIM, "not known (yet)");
		return;
	}
	rows_collect(&rows, view, table, &list->grid);
	source = source_of(list, &rows, c);
	body = canvas_part(c, 0, 0, c->height - draw_note(c, view->lake, s, table), c->width);
	list->page = body.height - 2;
	grid_draw(&list->grid, &source, &body);
	show_matches(&body, 1, rows.filter);
	free(rows.at);
}

/* The next column; numbers begin with the largest. After the last one: as given. */
static void sort_next(struct grid *g, const struct table *table)
{
	g->sort = g->sort + 1 < (int)table->n_columns ? g->sort + 1 : -1;
	g->reverse = g->sort >= 0 && is_number(table->spec->columns[g->sort].type);
	g->selected = 0;
	g->anchor[0] = '\0';
}

static const char *row_words(struct table_list *list, const struct rows *rows)
{
	size_t used = 0;

	list->copied[0] = '\0';
	for (size_t i = 0; i < rows->n_columns && used + 2 < sizeof list->copied; i++) {
		char out[VALUE_TEXT_SIZE];

		text_copy(list->copied + used, sizeof list->copied - used, i ? TEXT("  ") : TEXT(""));
		used = strlen(list->copied);
		text_copy(list->copied + used, sizeof list->copied - used,
			text_of(cell_words(rows, rows->at[list->grid.selected], i, out)));
		used = strlen(list->copied);
	}
	return list->copied;
}

unsigned table_list_act(struct table_list *list, struct panel_view *view, const struct table *table, enum act what)
{
	struct rows rows;
	struct grid_source source;
	unsigned reactions = REACT_NONE;

	if (!table || !table->spec || !table->n_columns)
		return REACT_NONE;
	rows_collect(&rows, view, table, &list->grid);
	source = source_of(list, &rows, NULL);
	if (grid_act(&list->grid, &source, list->page, what))
		reactions = REACT_HANDLED;
	else if (what == ACT_SORT) {
		sort_next(&list->grid, table);
		reactions = REACT_HANDLED;
	} else if (what == ACT_SORT_REVERSE) {
		list->grid.reverse = !list->grid.reverse;
		reactions = REACT_HANDLED;
	} else if (what == ACT_COPY && rows.n) {
		view->copy = row_words(list, &rows);
		reactions = REACT_COPY;
	}
	free(rows.at);
	return reactions;
}
