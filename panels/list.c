// SPDX-License-Identifier: MIT
/*
 * Rows of tables as one list: of one snapshot, or of several services side by side. Sorted by value
 * and not by text, unknown ones last; the selection follows a name. A column that no table has is not
 * there; rows that a cap left off are counted, and what is old says so. UI thread only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "panels.h"
#include "show.h"

enum {
	MEASURED_ROWS = 200, WIDEST_TEXT = 48, WIDEST_NUMBER = 27, NAME_CELLS = 2, WIDEST_NOTE = 90,
	ROOM_FOR_NOTES = 10, /* lines from which notes stand below their rows */
	ROWS_FIRST = 64,
};

/* ---- what is listed ---- */

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

static size_t columns_of(const struct list_kind *kind)
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
	for (size_t i = 0, n = columns_of(list->kind); i < n; i++)
		list->has[i] = list->has[i] || column_of(table, list->kind->columns[i].name) < table->n_columns;
}

void list_has(struct list *list, const char *column)
{
	for (size_t i = 0, n = columns_of(list->kind); i < n; i++)
		list->has[i] = list->has[i] || is(&list->kind->columns[i], column);
}

bool service_is(const struct service *s, const char *kind)
{
	return s->kind && !strcmp(s->kind->name, kind);
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

struct value list_cell(const struct list_row *row, const char *column)
{
	size_t at = row->table ? column_of(row->table, column) : 0;

	return row->table && at < row->table->n_columns ? row->table->cells[row->at * row->table->n_columns + at] : value_unknown();
}

const char *list_text(const struct list_row *row, const char *column)
{
	struct value v = list_cell(row, column);

	return v.type == VALUE_TEXT ? v.u.s : "";
}

struct value list_get(const struct list_kind *kind, const struct list_row *row, const struct list_column *column)
{
	return kind->get ? kind->get(row, column) : list_cell(row, column->name);
}

/* ---- which rows, in which order ---- */

struct rows {
	const struct list *list;
	const char *filter;
	bool problems_only, ascii;
	bool broad; /* notes have a column of their own */
	size_t *at, n, n_columns;
	bool kept;  /* at belongs to what is kept */
	size_t lead; /* 1: the mark stands before the list's columns */
	char (*scratch)[VALUE_TEXT_SIZE]; /* of keep(): clearing it for each row would take longer than filling it */
	struct grid_column columns[TABLE_COLUMNS_MAX + 1];
};

static enum mark mark_of(const struct list *list, const struct list_row *row)
{
	return list->kind->mark ? list->kind->mark(row) : MARK_NONE;
}

static bool column_shown(const struct list *list, size_t column)
{
	return list->kind->columns[column].own || list->has[column] || !list->any;
}

static enum unit unit_of(const struct list_row *row, const struct list_column *spec)
{
	size_t at = row->table ? column_of(row->table, spec->name) : 0;

	return row->table && at < row->table->n_columns ? row->table->spec->columns[at].unit : spec->unit;
}

static const char *cell_words(const struct list *list, const struct list_row *row, size_t column, char out[VALUE_TEXT_SIZE])
{
	const struct list_column *spec = &list->kind->columns[column];
	const char *words = list->kind->words ? list->kind->words(row, spec, list->lake, out) : NULL;
	struct value v;

	if (words)
		return words;
	v = list_get(list->kind, row, spec);
	if (spec->plain && v.type == VALUE_INT) {
		snprintf(out, VALUE_TEXT_SIZE, "%lld", (long long)v.u.i);
		return out;
	}
	/* a long text is shown as it is: there may be room for it */
	return v.type == VALUE_TEXT ? v.u.s : show_value(out, v, unit_of(row, spec), list->lake);
}

static bool keep(const void *ctx, size_t at)
{
	const struct rows *rows = ctx;
	const struct list_row *row = &rows->list->rows[at];
	const char *cells[TABLE_COLUMNS_MAX];

	if (rows->problems_only && rows->list->kind->mark && mark_of(rows->list, row) < MARK_UNKNOWN)
		return false;
	if (!rows->filter[0])
		return true;
	for (size_t i = 0; i < rows->n_columns; i++) {
		bool matters = column_shown(rows->list, i) && !(rows->list->kind->texts && rows->list->kind->columns[i].number);

		cells[i] = matters ? cell_words(rows->list, row, i, rows->scratch[i]) : "";
	}
	return row_matches(rows->filter, cells, rows->n_columns);
}

struct order {
	const struct value *keys; /* by row */
	bool reverse;
};

static int compare(const void *a, const void *b, void *ctx)
{
	const struct order *order = ctx;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	struct value v = order->keys[x], w = order->keys[y];
	int by = value_compare(v, w);

	if (order->reverse && v.type != VALUE_UNKNOWN && w.type != VALUE_UNKNOWN) /* unknown stays last */
		by = -by;
	return by ? by : x < y ? -1 : 1;
}

static struct value lead_key(const struct list *list, const struct list_row *row)
{
	return list->kind->rank ? value_real(list->kind->rank(row)) : value_int((int64_t)mark_of(list, row));
}

static void rows_sort(struct rows *rows, const struct grid *g)
{
	const struct list *list = rows->list;
	bool ranked = g->sort < 0 && rows->problems_only && list->kind->rank;
	struct order order = {.reverse = ranked || g->reverse};
	struct value *keys;

	if (!ranked && (g->sort < 0 || (size_t)g->sort >= rows->n_columns + rows->lead))
		return;
	order.keys = keys = mem_new(list->n ? list->n : 1, sizeof *keys);
	for (size_t i = 0; i < rows->n; i++) {
		const struct list_row *row = &list->rows[rows->at[i]];

		keys[rows->at[i]] = ranked || (size_t)g->sort < rows->lead ? lead_key(list, row) :
			list_get(list->kind, row, &list->kind->columns[(size_t)g->sort - rows->lead]);
	}
	qsort_r(rows->at, rows->n, sizeof *rows->at, compare, &order);
	free(keys);
}

/* Of thousands of rows the same few are shown from key to key. */
struct list_order {
	uint64_t stamp;
	int64_t second; /* of a filter, which looks at ages, too */
	char filter[200];
	bool problems_only, reverse;
	int sort;
	size_t *at, n;
};

static bool is_order_of(const struct list_order *o, const struct rows *rows, const struct grid *g)
{
	return o && o->stamp == rows->list->stamp && !strcmp(o->filter, rows->filter) && o->problems_only == rows->problems_only && o->sort == g->sort &&
		o->reverse == g->reverse && (!rows->filter[0] || o->second == rows->list->lake->now / 1000);
}

static void keep_order(struct table_list *look, struct rows *rows)
{
	const struct grid *g = &look->grid;
	struct list_order *o = look->order ? look->order : (look->order = mem_new(1, sizeof *o));

	free(o->at);
	*o = (struct list_order){.stamp = rows->list->stamp, .second = rows->list->lake->now / 1000, .problems_only = rows->problems_only,
		.reverse = g->reverse, .sort = g->sort, .at = rows->at, .n = rows->n};
	text_copy(o->filter, sizeof o->filter, text_of(rows->filter));
	rows->kept = true;
}

static void rows_end(struct rows *rows)
{
	if (!rows->kept)
		free(rows->at);
}

static void rows_collect(struct rows *rows, const struct panel_view *view, const struct list *list, struct table_list *look)
{
	const struct grid *g = &look->grid;

	*rows = (struct rows){.list = list, .filter = view->filter ? view->filter : "", .problems_only = view->problems_only};
	rows->n_columns = columns_of(list->kind);
	rows->lead = list->kind->mark ? 1 : 0;
	if (list->stamp && is_order_of(look->order, rows, g)) {
		rows->at = look->order->at;
		rows->n = look->order->n;
		rows->kept = true;
		return;
	}
	rows->scratch = mem_new(rows->n_columns + 1, sizeof *rows->scratch);
	rows->at = rows_kept(list->n, keep, rows, &rows->n);
	free(rows->scratch);
	rows->scratch = NULL;
	rows_sort(rows, g);
	if (list->stamp && strlen(rows->filter) < sizeof look->order->filter)
		keep_order(look, rows);
}

/* ---- a row ---- */

static bool is_note(const struct list *list, size_t column)
{
	return list->kind->note && is(&list->kind->columns[column], list->kind->note);
}

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

enum style mark_style(enum mark mark)
{
	return mark == MARK_NONE ? STYLE_NORMAL : mark == MARK_WARN || mark == MARK_DUE ? STYLE_WARN : verdict_style(mark_verdicts[mark]);
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
	const struct list *list = ((const struct rows *)ctx)->list;
	const struct list_row *r = &list->rows[((const struct rows *)ctx)->at[at]];
	size_t used = 0, n_names = list->kind->n_names ? list->kind->n_names : NAME_CELLS;

	out[0] = '\0';
	for (size_t i = 0; i < n_names && i < columns_of(list->kind) && used + 1 < VALUE_TEXT_SIZE; i++) {
		char cell[VALUE_TEXT_SIZE];

		if (list->kind->columns[i].unit == UNIT_TIME) /* an age is another one in a moment */
			continue;
		snprintf(out + used, VALUE_TEXT_SIZE - used, "%s/", column_shown(list, i) ? cell_words(list, r, i, cell) : "");
		used = strlen(out);
	}
	if (r->service && used + 1 < VALUE_TEXT_SIZE)
		snprintf(out + used, VALUE_TEXT_SIZE - used, "%s", r->service->name);
	return out;
}

static const char *row(const void *ctx, size_t at, struct grid_cell *cells, char scratch[][VALUE_TEXT_SIZE])
{
	const struct rows *rows = ctx;
	const struct list *list = rows->list;
	const struct list_row *r = &list->rows[rows->at[at]];
	enum mark mark = mark_of(list, r);
	bool old = list->kind->old ? list->kind->old(r) : snapshot_old(r->from, list->lake->now);
	bool marked = list->marked && list->marked(list->marked_ctx, r);

	if (rows->lead && marked)
		cells[0] = (struct grid_cell){.s = rows->ascii ? "*" : "◆", .style = STYLE_ACCENT};
	else if (rows->lead)
		cells[0] = (struct grid_cell){.s = mark_glyph(mark, rows->ascii), .style = old ? STYLE_DIM : mark_style(mark)};
	for (size_t i = 0; i < rows->n_columns; i++) {
		struct grid_cell *cell = &cells[rows->lead + i];

		*cell = (struct grid_cell){.s = column_shown(list, i) ? cell_words(list, r, i, scratch[rows->lead + i]) : ""};
		if (is_note(list, i) && !strcmp(cell->s, "-"))
			cell->s = "";
		cell->style = marked && i == 0 ? STYLE_ACCENT : old ? STYLE_DIM : style_of(&list->kind->columns[i], cell->s, mark);
	}
	return row_name(ctx, at, scratch[rows->n_columns + rows->lead]);
}

static bool note(const void *ctx, size_t at, char out[REASON_SIZE], enum style *style)
{
	const struct rows *rows = ctx;
	const struct list_row *r = &rows->list->rows[rows->at[at]];
	enum mark mark = mark_of(rows->list, r);

	if (mark < (rows->list->kind->note_from ? rows->list->kind->note_from : MARK_UNKNOWN))
		return false;
	for (size_t i = 0; i < rows->n_columns; i++)
		if (is_note(rows->list, i)) {
			char words[VALUE_TEXT_SIZE];

			text_copy(out, REASON_SIZE, text_of(cell_words(rows->list, r, i, words)));
			*style = mark == MARK_UNKNOWN ? STYLE_DIM : mark_style(mark);
			return out[0] && strcmp(out, "-") != 0;
		}
	return false;
}

/* ---- columns ---- */

/* Widths by what stands in the first rows and in those on the screen; they only ever grow. */
static void measure(struct table_list *look, const struct rows *rows, const struct canvas *c)
{
	for (size_t i = 0; i < rows->n_columns; i++) {
		int *width = &look->widths[i];
		size_t top = (size_t)int_max(look->grid.top, 0);
		char out[VALUE_TEXT_SIZE];

		if (!column_shown(rows->list, i))
			continue;
		*width = int_max(*width, canvas_columns(c, rows->list->kind->columns[i].head) + 1); /* and the arrow of its order */
		for (size_t k = 0; k < rows->n && k < MEASURED_ROWS; k++)
			*width = int_max(*width, canvas_columns(c, cell_words(rows->list, &rows->list->rows[rows->at[k]], i, out)));
		for (size_t k = top; k < rows->n && k < top + (size_t)int_max(c->height, 0); k++)
			*width = int_max(*width, canvas_columns(c, cell_words(rows->list, &rows->list->rows[rows->at[k]], i, out)));
	}
}

static void column_for(const struct table_list *look, struct rows *rows, size_t i, int text)
{
	const struct list_column *spec = &rows->list->kind->columns[i];
	struct grid_column *column = &rows->columns[rows->lead + i];

	*column = (struct grid_column){.head = spec->head, .priority = column_shown(rows->list, i) ? spec->priority : GRID_NEVER,
		.right = spec->number, .width = int_min(look->widths[i], spec->number ? WIDEST_NUMBER : spec->most ? spec->most : text)};
}

/* Notes have a column, the last one, where they fit beside all others; else they stand below their rows. */
static void lay_note(const struct table_list *look, struct rows *rows, const struct canvas *c)
{
	int total = 2;

	for (size_t i = 0; i < rows->n_columns; i++) {
		struct grid_column *column = &rows->columns[rows->lead + i];

		if (is_note(rows->list, i)) {
			column->width = int_min(look->widths[i], WIDEST_NOTE);
			rows->broad = c && column_shown(rows->list, i) && total + column->width <= c->width - 2;
			column->priority = rows->broad ? column->priority : GRID_NEVER;
			column->flexible = rows->broad;
		} else if (column->priority < GRID_NEVER)
			total += column->width + 2;
	}
}

/* Only a text that is cut has use for more room. */
static void lay_flexible(const struct table_list *look, struct rows *rows)
{
	size_t widest = rows->n_columns;

	for (size_t i = 0; i < rows->n_columns; i++)
		if (column_shown(rows->list, i) && !is_note(rows->list, i) &&
			(widest == rows->n_columns || look->widths[i] > look->widths[widest]))
			widest = i;
	if (widest < rows->n_columns && !rows->columns[rows->lead + widest].right)
		rows->columns[rows->lead + widest].flexible = look->widths[widest] > rows->columns[rows->lead + widest].width;
}

static void lay_columns(struct table_list *look, struct rows *rows, const struct canvas *c)
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

static const char *empty_words(const struct rows *rows)
{
	const struct list *list = rows->list;

	if (list->n)
		return rows->filter[0] ? "no row here matches" : "no row here has a problem";
	return list->empty[0] ? list->empty : list->any || !list->kind->empty ? "no rows" : list->kind->empty;
}

static struct grid_source source_of(struct table_list *look, struct rows *rows, const struct canvas *c)
{
	lay_columns(look, rows, c);
	return (struct grid_source){
		.n_rows = rows->n, .columns = rows->columns, .n_columns = rows->list->n || rows->list->any ? rows->n_columns + rows->lead : 0,
		.row = row, .name = row_name, .note = rows->list->kind->note && !rows->broad && !(c && c->height < ROOM_FOR_NOTES) ? note : NULL, .ctx = rows,
		.empty = empty_words(rows),
	};
}

/* ---- drawing ---- */

void table_list_reset(struct table_list *look)
{
	*look = (struct table_list){.grid.sort = -1};
}

void table_list_end(struct table_list *look)
{
	if (look->order)
		free(look->order->at);
	free(look->order);
	look->order = NULL;
}

/* What is missing or old, on the last line. Returns the lines used. */
static int draw_note(struct canvas *c, const struct list *list)
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
	struct rows rows;
	struct grid_source source;
	struct canvas body = canvas_part(c, 0, 0, c->height - draw_note(c, list), c->width);

	rows_collect(&rows, view, list, look);
	source = source_of(look, &rows, c);
	look->page = body.height - 2;
	grid_draw(&look->grid, &source, &body);
	look->selected = rows.n ? list->rows[rows.at[look->grid.selected]] : (struct list_row){0};
	look->broad = rows.broad;
	show_matches(&body, 1, rows.filter);
	rows_end(&rows);
}

/* ---- acts ---- */

/* The next column; numbers begin with the largest, marks with the worst. After the last one: as given. */
static void sort_next(struct grid *g, const struct rows *rows)
{
	int n = (int)(rows->n_columns + rows->lead), lead = (int)rows->lead;

	do
		g->sort = g->sort + 1 < n ? g->sort + 1 : -1;
	while (g->sort >= lead && !column_shown(rows->list, (size_t)(g->sort - lead)));
	g->reverse = g->sort >= 0 && (g->sort < lead || rows->list->kind->columns[g->sort - lead].number);
	g->selected = 0;
	g->anchor[0] = '\0';
}

static const char *row_words(struct table_list *look, const struct rows *rows)
{
	const struct list_row *r = &rows->list->rows[rows->at[look->grid.selected]];
	size_t used = 0;

	look->copied[0] = '\0';
	for (size_t i = 0; i < rows->n_columns && used + 2 < sizeof look->copied; i++) {
		char out[VALUE_TEXT_SIZE];

		if (!column_shown(rows->list, i))
			continue;
		text_copy(look->copied + used, sizeof look->copied - used, used ? TEXT("  ") : TEXT(""));
		used = strlen(look->copied);
		text_copy(look->copied + used, sizeof look->copied - used, text_of(cell_words(rows->list, r, i, out)));
		used = strlen(look->copied);
	}
	return look->copied;
}

static unsigned act_on(struct table_list *look, struct panel_view *view, const struct rows *rows, enum act what)
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
	struct rows rows;
	struct grid_source source;
	unsigned reactions;

	rows_collect(&rows, view, list, look);
	source = source_of(look, &rows, NULL);
	reactions = grid_act(&look->grid, &source, look->page, what) ? REACT_HANDLED : act_on(look, view, &rows, what);
	if (selected)
		*selected = rows.n ? list->rows[rows.at[look->grid.selected]] : (struct list_row){0};
	rows_end(&rows);
	return reactions;
}

/* ---- one table by its spec ---- */

static bool is_number(const struct column_spec *spec)
{
	return (spec->type == VALUE_INT || spec->type == VALUE_REAL) && spec->unit != UNIT_TIME;
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

struct by_spec { /* a list whose columns are those of a table */
	struct list list;
	struct list_kind kind;
	struct list_column columns[TABLE_COLUMNS_MAX + 1];
	char heads[TABLE_COLUMNS_MAX][NAME_SIZE];
};

static void by_spec_begin(struct by_spec *b, const struct lake *lake, const struct snapshot *s, const struct table *table,
	const char *omit, enum mark (*mark)(const struct list_row *row))
{
	size_t n = 0;

	*b = (struct by_spec){0};
	for (size_t i = 0; i < table->n_columns && n < TABLE_COLUMNS_MAX; i++) {
		const struct column_spec *spec = &table->spec->columns[i];

		if (omit && !strcmp(omit, spec->name))
			continue;
		head_of(b->heads[n], spec);
		b->columns[n] = (struct list_column){.head = b->heads[n], .name = spec->name, .unit = spec->unit,
			.priority = spec->priority, .number = is_number(spec)};
		n++;
	}
	b->kind.columns = b->columns;
	b->kind.mark = mark;
	list_begin(&b->list, &b->kind, lake);
	list_use(&b->list, s, table);
	for (size_t i = 0; i < table->n_rows; i++)
		list_add(&b->list, &(struct list_row){.from = s, .table = table, .at = i});
}

void table_list_draw(struct table_list *look, const struct panel_view *view, const struct snapshot *s,
	const struct table *table, const char *omit, enum mark (*mark)(const struct list_row *row), struct canvas *c)
{
	struct by_spec b;

	if (!table || !table->spec || !table->n_columns) {
		show_text(c, 0, 1, c->width - 2, STYLE_DIM, "not known (yet)");
		return;
	}
	by_spec_begin(&b, view->lake, s, table, omit, mark);
	list_draw(look, view, &b.list, c);
	list_end(&b.list);
}

unsigned table_list_act(struct table_list *look, struct panel_view *view, const struct table *table, const char *omit,
	enum mark (*mark)(const struct list_row *row), enum act what, struct list_row *selected)
{
	struct by_spec b;
	unsigned reactions;

	if (selected)
		*selected = (struct list_row){0};
	if (!table || !table->spec || !table->n_columns)
		return REACT_NONE;
	by_spec_begin(&b, view->lake, NULL, table, omit, mark);
	reactions = list_act(look, view, &b.list, what, selected);
	list_end(&b.list);
	return reactions;
}

/* ---- several lists, by Tab ---- */

struct tabs { /* of a deck, with what each holds */
	const struct deck_view *views;
	size_t counts[DECK_MAX];
	bool known[DECK_MAX];
};

static int views_of(const struct deck_view *views)
{
	int n = 0;

	while (n < DECK_MAX && views[n].name)
		n++;
	return n;
}

static void tab_label(const void *ctx, int i, char out[NAME_SIZE])
{
	const struct tabs *tabs = ctx;
	char number[VALUE_TEXT_SIZE];

	if (tabs->known[i])
		snprintf(out, NAME_SIZE, "%.40s %.20s", tabs->views[i].name,
			value_show(number, value_int((int64_t)tabs->counts[i]), UNIT_COUNT));
	else
		snprintf(out, NAME_SIZE, "%.40s", tabs->views[i].name);
}

static void deck_begin(struct deck *deck)
{
	for (int i = 0; !deck->begun && i < DECK_MAX; i++)
		table_list_reset(&deck->looks[i]);
	deck->begun = true;
}

static void collect(struct list *list, const struct deck_view *view, const struct lake *lake)
{
	list_begin(list, view->kind, lake);
	view->collect(list);
}

void deck_draw(struct deck *deck, const struct panel_view *view, const struct deck_view *views, struct canvas *c)
{
	struct tabs tabs = {.views = views};
	struct list current = {0}, list;
	int n = views_of(views), head = c->height > 2;
	struct canvas body;

	deck_begin(deck);
	for (int i = 0; i < n; i++) {
		collect(&list, &views[i], view->lake);
		tabs.counts[i] = list.n + list.left_off;
		tabs.known[i] = list.any || list.n;
		if (i == deck->at)
			current = list;
		else
			list_end(&list);
	}
	if (head)
		show_tabs(c, 0, n, deck->at, tab_label, &tabs);
	if (c->height >= 20) /* a line of air */
		show_rule(c, head++);
	body = canvas_part(c, head, 0, c->height - head, c->width);
	list_draw(&deck->looks[deck->at], view, &current, &body);
	list_end(&current);
}

unsigned deck_act(struct deck *deck, struct panel_view *view, const struct deck_view *views, enum act what, struct list_row *selected)
{
	int n = views_of(views);
	struct list list;
	unsigned reactions;

	deck_begin(deck);
	if (what == ACT_NEXT_VIEW || what == ACT_PREVIOUS_VIEW) {
		deck->at = (deck->at + (what == ACT_NEXT_VIEW ? 1 : n - 1)) % n;
		*selected = (struct list_row){0};
		return REACT_HANDLED;
	}
	collect(&list, &views[deck->at], view->lake);
	reactions = list_act(&deck->looks[deck->at], view, &list, what, selected);
	list_end(&list);
	return reactions;
}
