// SPDX-License-Identifier: MIT
/*
 * The page of one table: which table and view, and what keys do there (tables_page.c), what is asked for it and kept
 * (tables_page_ask.c), how it looks (tables_page_draw.c). UI thread only.
 */
#ifndef LAKETOP_PANELS_TABLES_PAGE_OWN_H
#define LAKETOP_PANELS_TABLES_PAGE_OWN_H

#include "show.h"
#include "tables_page.h"

enum { NAME_MOST = 512, STATE_MOST = 256, CURES_MAX = 8 };

struct held { /* what was answered */
	union {
		const struct snapshot *seen;
		struct snapshot *own;
	} answer;
	int64_t asked;           /* lake->now when it was asked for last; 0 never, or in vain */
	char state[STATE_MOST];  /* the table's newest metadata at that time */
};
struct table_page {
	bool open;
	char name[NAME_MOST], catalog[NAME_SIZE];
	char ask_name[NAME_MOST], subject[ROWS_SUBJECT_SIZE]; /* live while they are asked for */
	size_t tab;              /* one that has a name */
	size_t order;            /* of the orders of that tab; 0 the first */
	size_t in_flight;        /* a place of table_tabs; TABLE_TABS_MAX: nothing */
	struct held held[TABLE_TABS_MAX];
	struct table_list look;
	struct rows_look rows;
	struct scroller scroller;
	bool record;             /* one row of what is shown, whole */
	size_t record_row;
	const struct snapshot *record_of;
	char copied[REASON_SIZE * 8];
};

/* ---- which table, which view (tables_page.c) ---- */
const struct lake_table *page_lake_table(const struct table_page *page, const struct lake *lake); /* NULL: no catalog lists it any more */
unsigned page_format(const struct lake_table *t);
bool page_has_tab(const struct lake_table *t, size_t tab);
size_t page_shown(const struct table_page *page); /* the place of what is shown: the tab, or another order of it */
size_t page_orders(size_t tab);
bool page_is_rows(size_t at);
/* The tabs that the table has; current: where the page's is among them. */
size_t page_tabs(const struct table_page *page, const struct lake_table *t, size_t out[TABLE_TABS_MAX], size_t *current);
size_t page_due(const struct lake_table *t, size_t out[CURES_MAX]); /* the previews of the work that is due */
const struct table *page_table_in(const struct snapshot *answer);
/* The rows of an answer as the list of its tab; list_end() it. */
void page_list(struct list *list, const struct table_tab *tab, const struct lake_table *t, const struct table *table, const struct lake *lake);
bool page_record_is_there(struct table_page *page); /* still, in the answer that it was opened from */

/* ---- asking (tables_page_ask.c) ---- */
const struct catalog_view *page_rows_catalog(const struct lake_table *t); /* whose engine shows the table's rows; NULL: none */
void page_fetch(struct table_page *page, const struct lake *lake);        /* takes the answer that is waited for */
unsigned page_ask(struct table_page *page, struct panel_view *view, const struct lake_table *t, size_t at);
unsigned page_ask_next(struct table_page *page, struct panel_view *view, const struct lake_table *t); /* what is due to be asked, if anything */
bool page_changed(const struct held *h, const struct lake_table *t);      /* the table has a newer state than the answer */

#endif
