// SPDX-License-Identifier: MIT
/*
 * The rows of a table: every column at its own width, as many as fit; arrows move to the others. NULL is
 * a sign, a text that reads like it stands in quotes, and so does an empty one. UI thread only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "tables_page.h"
#include "show.h"

enum { WIDEST = 40, MEASURED = 500, GAP = 2, MARGIN = 1, CELL_SIZE = 400 };

static const char null_sign[] = "∅", null_ascii[] = "<null>";

struct browse { /* one drawing or one act */
	const struct table *table;
	const char *filter;
	size_t *at, n;
};

static const struct table *table_in(const struct snapshot *answer)
{
	return answer && answer->n_tables && answer->tables[0].spec ? &answer->tables[0] : NULL;
}

static struct value cell_of(const struct table *t, size_t row, size_t column)
{
	return t->cells[row * t->n_columns + column];
}

static bool is_number(const struct table *t, size_t column)
{
	enum value_type type = t->spec->columns[column].type;

	return type == VALUE_INT || type == VALUE_REAL;
}

/* Data, not figures: every digit as it is, without separators. */
static const char *words_of(struct value v, bool ascii, char out[CELL_SIZE])
{
	switch (v.type) {
	case VALUE_UNKNOWN:
		return ascii ? null_ascii : null_sign;
	case VALUE_BOOL:
		return v.u.b ? "true" : "false";
	case VALUE_INT:
		snprintf(out, CELL_SIZE, "%lld", (long long)v.u.i);
		return out;
	case VALUE_REAL:
		snprintf(out, CELL_SIZE, "%.17g", v.u.r);
		for (int digits = 1; digits < 17; digits++) { /* the shortest that reads back as the same */
			char shorter[CELL_SIZE];

			snprintf(shorter, sizeof shorter, "%.*g", digits, v.u.r);
			if (!(strtod(shorter, NULL) < v.u.r) && !(strtod(shorter, NULL) > v.u.r)) {
				text_copy(out, CELL_SIZE, text_of(shorter));
				break;
			}
		}
		return out;
	case VALUE_TEXT:
		break;
	}
	if (v.u.s[0] && strcmp(v.u.s, null_sign) != 0 && strcmp(v.u.s, null_ascii) != 0)
		return v.u.s;
	snprintf(out, CELL_SIZE, "\"%s\"", v.u.s);
	return out;
}

static bool keep(const void *ctx, size_t row)
{
	const struct browse *b = ctx;
	struct text rest = text_of(b->filter), word;

	while (text_word(&rest, &word)) {
		char one[NAME_SIZE * 2];
		bool hit = false;

		text_copy(one, sizeof one, word);
		for (size_t i = 0; i < b->table->n_columns && !hit; i++) {
			char out[CELL_SIZE];
			const char *cell = words_of(cell_of(b->table, row, i), false, out);

			hit = row_matches(one, &cell, 1);
		}
		if (!hit)
			return false;
	}
	return true;
}

static void begin(struct browse *b, const struct panel_view *view, const struct table *t)
{
	*b = (struct browse){.table = t, .filter = view->filter ? view->filter : ""};
	b->at = rows_kept(t->n_rows, keep, b, &b->n);
}

/* ---- drawing ---- */

static int width_of(const struct browse *b, const struct canvas *c, size_t column)
{
	int width = canvas_columns(c, b->table->spec->columns[column].name);

	for (size_t i = 0; i < b->table->n_rows && i < MEASURED; i++) {
		char out[CELL_SIZE];

		width = int_max(width, canvas_columns(c, words_of(cell_of(b->table, i, column), c->ascii, out)));
		if (width >= WIDEST && !is_number(b->table, column))
			break;
	}
	return int_min(int_clamp(width, 1, is_number(b->table, column) ? width : WIDEST), int_max(1, c->width - 2 * MARGIN));
}

static void draw_cell(const struct browse *b, struct canvas *c, int y, int x, int width, size_t row, size_t column)
{
	struct value v = cell_of(b->table, row, column);
	char out[CELL_SIZE];
	const char *words = words_of(v, c->ascii, out);
	enum style style = v.type == VALUE_UNKNOWN ? STYLE_DIM : STYLE_NORMAL;

	if (is_number(b->table, column))
		canvas_right(c, y, x, width, style, words);
	else
		show_text(c, y, x, width, style, words);
}

/* One column, if any of it is in sight. Returns where the next one begins. */
static int draw_column(const struct rows_look *look, const struct browse *b, struct canvas *c, int x, size_t column)
{
	int width = width_of(b, c, column);
	bool cut = x + width > c->width - MARGIN;

	if (cut && x > MARGIN && (is_number(b->table, column) || c->width - MARGIN - x < 8)) /* a number is shown whole or not at all */
		return c->width;
	width = int_min(width, c->width - MARGIN - x);
	if (is_number(b->table, column))
		canvas_right(c, 0, x, width, STYLE_HEADING, b->table->spec->columns[column].name);
	else
		show_text(c, 0, x, width, STYLE_HEADING, b->table->spec->columns[column].name);
	for (int y = 1; y < c->height && (size_t)(look->grid.top + y - 1) < b->n; y++)
		draw_cell(b, c, y, x, width, b->at[look->grid.top + y - 1], column);
	return cut ? c->width : x + width + GAP;
}

static void fit(struct rows_look *look, const struct browse *b, int body)
{
	int n = (int)b->n;

	if (look->first >= b->table->n_columns)
		look->first = b->table->n_columns - 1;
	look->page = int_max(1, body - 1);
	look->grid.selected = int_clamp(look->grid.selected, 0, n ? n - 1 : 0);
	look->grid.top = int_clamp(look->grid.top, look->grid.selected - body + 1, look->grid.selected);
	look->grid.top = int_clamp(look->grid.top, 0, int_max(0, n - body));
}

/* How many there are, how many of them are seen, and what is to the left and right. */
static void draw_foot(const struct rows_look *look, const struct browse *b, const struct snapshot *answer, size_t columns, struct canvas *c)
{
	char words[REASON_SIZE], number[VALUE_TEXT_SIZE];
	struct pen pen = {c, 0, 1};
	struct value more = snapshot_get(answer, "more");

	snprintf(words, sizeof words, "%s%.40s row%s", (more.type == VALUE_BOOL && more.u.b) || b->table->left_off ? "the first " : "",
		value_show(number, value_int((int64_t)b->table->n_rows), UNIT_COUNT), b->table->n_rows == 1 ? "" : "s");
	pen_part(&pen, STYLE_DIM, words, NULL);
	if (b->filter[0]) {
		snprintf(words, sizeof words, "%.40s match", value_show(number, value_int((int64_t)b->n), UNIT_COUNT));
		pen_part(&pen, STYLE_DIM, words, NULL);
	}
	snprintf(words, sizeof words, "columns %zu to %zu of %zu%s%s", look->first + 1, look->first + columns, b->table->n_columns,
		look->first ? " ←" : "", look->more ? " →" : "");
	if (look->first || look->more)
		pen_part(&pen, STYLE_ACCENT, words, NULL);
	for (const struct figure *f = answer->figures; f && f < answer->figures + answer->n_figures; f++)
		if (f->value.type == VALUE_TEXT && f->value.u.s[0])
			pen_part(&pen, STYLE_DIM, f->value.u.s, NULL);
}

void rows_draw(struct rows_look *look, const struct panel_view *view, const struct snapshot *answer, struct canvas *c)
{
	const struct table *t = table_in(answer);
	int foot = c->height > 3, x = MARGIN;
	struct canvas body = canvas_part(c, 0, 0, c->height - foot, c->width), below = canvas_part(c, c->height - foot, 0, foot, c->width);
	struct browse b;
	size_t column;

	if (!t || !t->n_columns) {
		show_text(c, 0, 1, c->width - 2, STYLE_DIM, "no rows");
		return;
	}
	begin(&b, view, t);
	fit(look, &b, body.height - 1);
	for (column = look->first; column < t->n_columns && x < c->width; column++) {
		int next = draw_column(look, &b, &body, x, column);

		if (next == c->width && x + width_of(&b, c, column) > c->width - MARGIN && column > look->first) {
			x = next;
			break;
		}
		x = next;
	}
	look->more = t->n_columns - column;
	if (!b.n && body.height > 1)
		show_text(&body, 1, 1, body.width - 2, STYLE_DIM, t->n_rows ? "no row here matches" : "no rows");
	if (b.n)
		canvas_restyle(&body, 1 + look->grid.selected - look->grid.top, 0, body.width, STYLE_SELECTED);
	draw_foot(look, &b, answer, column - look->first, &below);
	show_matches(&body, 1, b.filter);
	free(b.at);
}

/* ---- acts ---- */

static bool move(struct rows_look *look, const struct browse *b, enum act what)
{
	struct grid *g = &look->grid;
	int last = b->n ? (int)b->n - 1 : 0;

	if (what == ACT_LEFT || what == ACT_RIGHT) {
		if (what == ACT_RIGHT && look->more)
			look->first++;
		else if (what == ACT_LEFT && look->first)
			look->first--;
		return true;
	}
	g->selected = what == ACT_UP ? g->selected - 1 : what == ACT_DOWN ? g->selected + 1 : what == ACT_PAGE_UP ? g->selected - look->page :
		what == ACT_PAGE_DOWN ? g->selected + look->page : what == ACT_TOP ? 0 : what == ACT_BOTTOM ? last : g->selected;
	g->selected = int_clamp(g->selected, 0, last);
	return what >= ACT_UP && what <= ACT_BOTTOM;
}

unsigned rows_act(struct rows_look *look, struct panel_view *view, const struct snapshot *answer, enum act what, size_t *selected)
{
	const struct table *t = table_in(answer);
	struct browse b;
	bool moved;

	if (!t || !t->n_columns)
		return REACT_NONE;
	begin(&b, view, t);
	moved = move(look, &b, what);
	if (b.n)
		*selected = b.at[look->grid.selected];
	free(b.at);
	return moved ? REACT_HANDLED : REACT_NONE;
}
