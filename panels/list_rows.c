// SPDX-License-Identifier: MIT
/*
 * Which rows of a list are shown, in which order: by a filter, by problems, by the values of a column and not by
 * their words; what is unknown comes last.
 */
#include <stdlib.h>
#include <string.h>

#include "list_own.h"
#include "mem.h"
#include "show.h"

static bool keep(const void *ctx, size_t at)
{
	const struct list_rows *rows = ctx;
	const struct list_row *row = &rows->list->rows[at];
	const char *cells[TABLE_COLUMNS_MAX];

	if (rows->problems_only && rows->list->kind->mark && list_mark(rows->list, row) < MARK_UNKNOWN)
		return false;
	if (!rows->filter[0])
		return true;
	for (size_t i = 0; i < rows->n_columns; i++) {
		bool matters = list_shows(rows->list, i) && !(rows->list->kind->texts && rows->list->kind->columns[i].number);

		cells[i] = matters ? list_words(rows->list, row, i, rows->scratch[i]) : "";
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
	return list->kind->rank ? value_real(list->kind->rank(row)) : value_int((int64_t)list_mark(list, row));
}

static void sort(struct list_rows *rows, const struct grid *g)
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

/* ---- what is kept: of thousands of rows the same few are shown from key to key ---- */

struct list_order {
	uint64_t stamp;
	int64_t second; /* of a filter, which looks at ages, too */
	char filter[200];
	bool problems_only, reverse;
	int sort;
	size_t *at, n;
};

static bool is_order_of(const struct list_order *o, const struct list_rows *rows, const struct grid *g)
{
	return o && o->stamp == rows->list->stamp && !strcmp(o->filter, rows->filter) && o->problems_only == rows->problems_only && o->sort == g->sort &&
		o->reverse == g->reverse && (!rows->filter[0] || o->second == rows->list->lake->now / 1000);
}

static void keep_order(struct table_list *look, struct list_rows *rows)
{
	const struct grid *g = &look->grid;
	struct list_order *o = look->order ? look->order : (look->order = mem_new(1, sizeof *o));

	free(o->at);
	*o = (struct list_order){.stamp = rows->list->stamp, .second = rows->list->lake->now / 1000, .problems_only = rows->problems_only,
		.reverse = g->reverse, .sort = g->sort, .at = rows->at, .n = rows->n};
	text_copy(o->filter, sizeof o->filter, text_of(rows->filter));
	rows->kept = true;
}

/* ---- all of it ---- */

void list_rows_collect(struct list_rows *rows, const struct panel_view *view, const struct list *list, struct table_list *look)
{
	const struct grid *g = &look->grid;

	*rows = (struct list_rows){.list = list, .filter = view->filter ? view->filter : "", .problems_only = view->problems_only};
	rows->n_columns = list_columns(list->kind);
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
	sort(rows, g);
	if (list->stamp && strlen(rows->filter) < sizeof look->order->filter)
		keep_order(look, rows);
}

void list_rows_end(struct list_rows *rows)
{
	if (!rows->kept)
		free(rows->at);
}

void table_list_end(struct table_list *look)
{
	if (look->order)
		free(look->order->at);
	free(look->order);
	look->order = NULL;
}
