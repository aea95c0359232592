// SPDX-License-Identifier: MIT
/*
 * What the files about lists share: what a row says (list.c), which rows are shown in which order (list_rows.c),
 * and how they look (list_look.c). UI thread only.
 */
#ifndef LAKETOP_PANELS_LIST_OWN_H
#define LAKETOP_PANELS_LIST_OWN_H

#include "panels.h"

/* ---- a row in words (list.c) ---- */
size_t list_columns(const struct list_kind *kind);
bool list_shows(const struct list *list, size_t column);
enum mark list_mark(const struct list *list, const struct list_row *row);
struct value list_get(const struct list_kind *kind, const struct list_row *row, const struct list_column *column);
/* By the kind or by the unit; out may stay unused. */
const char *list_words(const struct list *list, const struct list_row *row, size_t column, char out[VALUE_TEXT_SIZE]);

/* ---- what is shown of it (list_rows.c) ---- */
struct list_rows {
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
/* By the filter and the order of look; list_rows_end() gives them back. */
void list_rows_collect(struct list_rows *rows, const struct panel_view *view, const struct list *list, struct table_list *look);
void list_rows_end(struct list_rows *rows);

#endif
