// SPDX-License-Identifier: MIT
/*
 * How a list looks, and what keys do in it: widths by what stands in the columns, notes beside the rows or below
 * them, a last line that says what is old or left off. The selection follows a name. UI thread only.
 */
#include <stdio.h>
#include <string.h>

#include "list_own.h"
#include "show.h"

enum {
	MEASURED_ROWS = 200, MEASURED_ONCE = 2000, WIDEST_TEXT = 48, WIDEST_NUMBER = 27, NAME_CELLS = 2, WIDEST_NOTE = 90,
	ROOM_FOR_NOTES = 10, /* lines from which notes stand below their rows */
};

/* ---- a row ---- */

static bool is_note(const struct list *list, size_t column)
{
	return list->kind->note && is(&list->kind->columns[column], list->kind->note);
}

static enum style style_of(const struct list_column *column, const char *words, enum mark mark)
{
	if (!strcmp(words, "-"))
		return STYLE_DIM;
	if (column->graph)
		return STYLE_GRAPH;
	return column->state && mark >= MARK_BUSY ? mark_style(mark) : STYLE_NORMAL;
}

static const char *row_name(const void *ctx, size_t at, char out[VALUE_TEXT_SIZE])
{
	const struct list *list = ((const struct list_rows *)ctx)->list;
	const struct list_row *r = &list->rows[((const struct list_rows *)ctx)->at[at]];
	size_t used = 0, n_names = list->kind->n_names ? list->kind->n_names : NAME_CELLS;

	out[0] = '\0';
	for (size_t i = 0; i < n_names && i < list_columns(list->kind) && used + 1 < VALUE_TEXT_SIZE; i++) {
		char cell[VALUE_TEXT_SIZE];

		if (list->kind->columns[i].unit == UNIT_TIME) /* an age is another one in a moment */
			continue;
		snprintf(out + used, VALUE_TEXT_SIZE - used, "%s/", list_shows(list, i) ? list_words(list, r, i, cell) : "");
		used = strlen(out);
	}
	if (r->service && used + 1 < VALUE_TEXT_SIZE)
		snprintf(out + used, VALUE_TEXT_SIZE - used, "%s", r->service->name);
	return out;
}

static const char *row_cells(const void *ctx, size_t at, struct grid_cell *cells, char scratch[][VALUE_TEXT_SIZE])
{
	const struct list_rows *rows = ctx;
	const struct list *list = rows->list;
	const struct list_row *r = &list->rows[rows->at[at]];
	enum mark mark = list_mark(list, r);
	bool old = list->kind->old ? list->kind->old(r) : snapshot_old(r->from, list->lake->now);
	bool marked = list->marked && list->marked(list->marked_ctx, r);

	if (rows->lead && marked)
		cells[0] = (struct grid_cell){.s = marked_glyph(rows->ascii), .style = STYLE_ACCENT};
	else if (rows->lead)
		cells[0] = (struct grid_cell){.s = mark_glyph(mark, rows->ascii), .style = old ? STYLE_DIM : mark_style(mark)};
	for (size_t i = 0; i < rows->n_columns; i++) {
		struct grid_cell *cell = &cells[rows->lead + i];

		*cell = (struct grid_cell){.s = list_shows(list, i) ? list_words(list, r, i, scratch[rows->lead + i]) : ""};
		if (is_note(list, i) && !strcmp(cell->s, "-"))
			cell->s = "";
		cell->style = marked && i == 0 ? STYLE_ACCENT : old ? STYLE_DIM : style_of(&list->kind->columns[i], cell->s, mark);
	}
	return row_name(ctx, at, scratch[rows->n_columns + rows->lead]);
}

static bool row_note(const void *ctx, size_t at, char out[REASON_SIZE], enum style *style)
{
	const struct list_rows *rows = ctx;
	const struct list_row *r = &rows->list->rows[rows->at[at]];
	enum mark mark = list_mark(rows->list, r);

	if (mark < (rows->list->kind->note_from ? rows->list->kind->note_from : MARK_UNKNOWN))
		return false;
	for (size_t i = 0; i < rows->n_columns; i++)
		if (is_note(rows->list, i)) {
			char words[VALUE_TEXT_SIZE];

			text_copy(out, REASON_SIZE, text_of(list_words(rows->list, r, i, words)));
			*style = mark == MARK_UNKNOWN ? STYLE_DIM : mark_style(mark);
			return out[0] && strcmp(out, "-") != 0;
		}
	return false;
}

/* ---- columns ---- */

static void widen(int *width, const struct list_rows *rows, const struct canvas *c, size_t column, size_t from, size_t n)
{
	char out[VALUE_TEXT_SIZE];

	for (size_t i = from; i < rows->n && i < from + n; i++)
		*width = int_max(*width, canvas_columns(c, list_words(rows->list, &rows->list->rows[rows->at[i]], column, out)));
}

/* Widths by what stands in the first rows and in those on the screen; they only ever grow. All others are looked at once, so that
 * columns stay where they are while one scrolls; that of very many takes some drawings. */
static void measure(struct table_list *look, const struct list_rows *rows, const struct canvas *c)
{
	size_t from = look->measured > MEASURED_ROWS ? look->measured : MEASURED_ROWS;

	for (size_t i = 0; i < rows->n_columns; i++) {
		int *width = &look->widths[i];

		if (!list_shows(rows->list, i))
			continue;
		*width = int_max(*width, canvas_columns(c, rows->list->kind->columns[i].head) + 1); /* and the arrow of its order */
		widen(width, rows, c, i, 0, MEASURED_ROWS);
		widen(width, rows, c, i, from, MEASURED_ONCE);
		widen(width, rows, c, i, (size_t)int_max(look->grid.top, 0), (size_t)int_max(c->height, 0));
	}
	if (rows->n > from)
		look->measured = rows->n - from > MEASURED_ONCE ? from + MEASURED_ONCE : rows->n;
}

static void column_for(const struct table_list *look, struct list_rows *rows, size_t i, int text)
{
	const struct list_column *spec = &rows->list->kind->columns[i];
	struct grid_column *column = &rows->columns[rows->lead + i];
	int priority = rows->list->keeps && is(spec, rows->list->keeps) ? 0 : spec->priority;

	*column = (struct grid_column){.head = spec->head, .priority = list_shows(rows->list, i) ? priority : GRID_NEVER,
		.right = spec->number, .tail = spec->tail, .width = int_min(look->widths[i], spec->number ? WIDEST_NUMBER : spec->most ? spec->most : text)};
}

/* Notes have a column, the last one, where they fit beside all others; else they stand below their rows. */
static void lay_note(const struct table_list *look, struct list_rows *rows, const struct canvas *c)
{
	int total = 2;

	for (size_t i = 0; i < rows->n_columns; i++) {
		struct grid_column *column = &rows->columns[rows->lead + i];

		if (is_note(rows->list, i)) {
			column->width = int_min(look->widths[i], WIDEST_NOTE);
			rows->broad = c && list_shows(rows->list, i) && total + column->width <= c->width - 2;
			column->priority = rows->broad ? column->priority : GRID_NEVER;
			column->flexible = rows->broad;
		} else if (column->priority < GRID_NEVER)
			total += column->width + 2;
	}
}

/* Only a text that is cut has use for more room. */
static void lay_flexible(const struct table_list *look, struct list_rows *rows)
{
	size_t widest = rows->n_columns;

	for (size_t i = 0; i < rows->n_columns; i++)
		if (list_shows(rows->list, i) && !is_note(rows->list, i) &&
			(widest == rows->n_columns || look->widths[i] > look->widths[widest]))
			widest = i;
	if (widest < rows->n_columns && !rows->columns[rows->lead + widest].right)
		rows->columns[rows->lead + widest].flexible = look->widths[widest] > rows->columns[rows->lead + widest].width;
}

static void lay_columns(struct table_list *look, struct list_rows *rows, const struct canvas *c)
{
	/* beside marks stand figures, which come first */
	int text = c ? int_clamp(c->width / (rows->lead ? 4 : 3), 8, WIDEST_TEXT) : WIDEST_TEXT;

	rows->ascii = c && c->ascii;
	if (c)
		measure(look, rows, c);
	if (rows->lead)
		rows->columns[0] = (struct grid_column){.head = "", .width = 1};
	for (size_t i = 0; i < rows->n_columns; i++)
		column_for(look, rows, i, text);
	lay_note(look, rows, c);
	if (!rows->broad)
		lay_flexible(look, rows);
}

static const char *empty_words(const struct list_rows *rows)
{
	const struct list *list = rows->list;

	if (list->n)
		return rows->filter[0] ? "no row here matches" : "no row here has a problem";
	return list->empty[0] ? list->empty : list->any || !list->kind->empty ? "no rows" : list->kind->empty;
}

static struct grid_source source_of(struct table_list *look, struct list_rows *rows, const struct canvas *c)
{
	bool notes_below = rows->list->kind->note && !(c && c->height < ROOM_FOR_NOTES);

	lay_columns(look, rows, c);
	return (struct grid_source){
		.n_rows = rows->n, .columns = rows->columns, .n_columns = rows->list->n || rows->list->any ? rows->n_columns + rows->lead : 0,
		.row = row_cells, .name = row_name, .note = notes_below && !rows->broad ? row_note : NULL, .ctx = rows,
		.empty = empty_words(rows),
	};
}

/* ---- drawing ---- */

void table_list_reset(struct table_list *look)
{
	*look = (struct table_list){.grid.sort = -1};
}

/* What is missing or old, on the last line. Returns the lines used. */
static int draw_last_line(struct canvas *c, const struct list *list)
{
	char words[REASON_SIZE], number[VALUE_TEXT_SIZE], age[VALUE_TEXT_SIZE];

	if (c->height < 4)
		return 0;
	if (list->oldest) {
		snprintf(words, sizeof words, "as it was %s ago", show_age(age, list->oldest->ended, list->lake->now));
		show_text(c, c->height - 1, 1, c->width - 2, STYLE_WARN, words);
		return 1;
	}
	if (!list->left_off)
		return 0;
	snprintf(words, sizeof words, "%s more rows are there, beyond what is read",
		value_show(number, value_int((int64_t)list->left_off), UNIT_COUNT));
	show_text(c, c->height - 1, 1, c->width - 2, STYLE_DIM, words);
	return 1;
}

void list_draw(struct table_list *look, const struct panel_view *view, const struct list *list, struct canvas *c)
{
	struct list_rows rows;
	struct grid_source source;
	struct canvas body = canvas_part(c, 0, 0, c->height - draw_last_line(c, list), c->width);

	list_rows_collect(&rows, view, list, look);
	source = source_of(look, &rows, c);
	look->page = body.height - 2;
	grid_draw(&look->grid, &source, &body);
	look->selected = rows.n ? list->rows[rows.at[look->grid.selected]] : (struct list_row){0};
	look->broad = rows.broad;
	show_matches(&body, 1, rows.filter);
	list_rows_end(&rows);
}

/* ---- acts ---- */

/* The next column; numbers begin with the largest, marks with the worst. After the last one: as given. */
static void sort_next(struct grid *g, const struct list_rows *rows)
{
	int n = (int)(rows->n_columns + rows->lead), lead = (int)rows->lead;

	do
		g->sort = g->sort + 1 < n ? g->sort + 1 : -1;
	while (g->sort >= lead && !list_shows(rows->list, (size_t)(g->sort - lead)));
	g->reverse = g->sort >= 0 && (g->sort < lead || rows->list->kind->columns[g->sort - lead].number);
	g->selected = 0;
	g->anchor[0] = '\0';
}

static const char *row_words(struct table_list *look, const struct list_rows *rows)
{
	const struct list_row *r = &rows->list->rows[rows->at[look->grid.selected]];
	size_t used = 0;

	look->copied[0] = '\0';
	for (size_t i = 0; i < rows->n_columns && used + 2 < sizeof look->copied; i++) {
		char out[VALUE_TEXT_SIZE];

		if (!list_shows(rows->list, i))
			continue;
		text_copy(look->copied + used, sizeof look->copied - used, used ? TEXT("  ") : TEXT(""));
		used = strlen(look->copied);
		text_copy(look->copied + used, sizeof look->copied - used, text_of(list_words(rows->list, r, i, out)));
		used = strlen(look->copied);
	}
	return look->copied;
}

static unsigned act_on(struct table_list *look, struct panel_view *view, const struct list_rows *rows, enum act what)
{
	if (what == ACT_SORT)
		sort_next(&look->grid, rows);
	else if (what == ACT_SORT_REVERSE)
		look->grid.reverse = !look->grid.reverse;
	else if (what == ACT_COPY && rows->n) {
		view->copy = row_words(look, rows);
		return REACT_COPY;
	} else
		return REACT_NONE;
	return REACT_HANDLED;
}

unsigned list_act(struct table_list *look, struct panel_view *view, const struct list *list, enum act what, struct list_row *selected)
{
	struct list_rows rows;
	struct grid_source source;
	unsigned reactions;

	list_rows_collect(&rows, view, list, look);
	source = source_of(look, &rows, NULL);
	reactions = grid_act(&look->grid, &source, look->page, what) ? REACT_HANDLED : act_on(look, view, &rows, what);
	if (selected)
		*selected = rows.n ? list->rows[rows.at[look->grid.selected]] : (struct list_row){0};
	list_rows_end(&rows);
	return reactions;
}
