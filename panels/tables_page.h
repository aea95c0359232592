// SPDX-License-Identifier: MIT
/* The parts of the Tables panel: the list, one table's page, its views. Private to panels/tables*.c. UI thread. */
#ifndef LAKETOP_PANELS_TABLES_H
#define LAKETOP_PANELS_TABLES_H

#include "panels.h"
#include "rows.h"
#include "tables.h"

/* ---- a table of the lake, in words ---- */
const char *table_text(const struct lake_table *t, const char *column); /* "" where there is none */
const char *table_name(const struct lake_table *t);
const char *table_sentence(const struct lake_table *t);     /* why it failed, its health, or what it is */
const char *table_health_words(const struct lake_table *t); /* "good", "compact, expire", "failed", "not read yet" */
enum mark table_mark(const struct lake_table *t);
char *table_catalogs(char out[VALUE_TEXT_SIZE], const struct lake_table *t); /* "lake, polaris" */
/* A value of the row as it is shown; "~" before what only a summary says. */
const char *table_show(char out[VALUE_TEXT_SIZE], const struct lake_table *t, const struct column_spec *spec, const struct lake *lake);

/* ---- what can be seen of one table ---- */
enum table_formats { OF_ICEBERG = 1, OF_DELTA = 2, OF_BOTH = 3 };
struct table_tab {
	const char *name;        /* on its tab; NULL: another order of the tab before */
	const char *view;        /* as it is asked for */
	const char *words;       /* while it is asked for: "its snapshots" */
	unsigned formats;
	const struct list_kind *kind; /* NULL: drawn in its own way */
	bool plan;               /* a preview: asked for once, for it reads a lot; again by hand */
};
enum { TABLE_TABS_MAX = 24 };
extern const struct table_tab table_tabs[]; /* ends with a view of NULL; the first is the overview */

/* Drawn from line -top on; each returns its lines. answer NULL: not there yet. */
struct cure { /* what a preview says; NULL: not asked yet */
	const struct table_tab *tab;
	const struct snapshot *plan;
};
int table_overview_draw(struct canvas *c, const struct lake *lake, const struct lake_table *t, const struct snapshot *facts,
	const struct cure *cures, size_t n_cures, int top);
int table_growth_draw(struct canvas *c, const struct lake *lake, const struct table *growth); /* the graphs; the lines that they took */
void table_growth_collect(struct list *list, const struct table *growth); /* the maintenance among its snapshots */
extern const struct list_kind table_growth_kind;
int table_plan_draw(struct canvas *c, const struct snapshot *plan); /* sentence, caution, statement; lines used */

/* ---- rows: every column, at its own width; those that do not fit are to the right ---- */
struct rows_look {
	struct grid grid;
	int page;
	size_t first;            /* column at the left edge */
	size_t more;             /* columns to the right of the edge, as drawn */
};
void rows_draw(struct rows_look *look, const struct panel_view *view, const struct snapshot *answer, struct canvas *c);
/* selected: the row of the answer's table after the act; untouched where there is none. */
unsigned rows_act(struct rows_look *look, struct panel_view *view, const struct snapshot *answer, enum act act, size_t *selected);

/* What can be done to it, by the first of its catalogs that names an engine. */
unsigned table_act(struct panel_view *view, const struct lake_table *t);

/* ---- the page ---- */
struct table_page;
bool table_page_is_open(const struct table_page *page);
struct table_page *table_page_new(void);
void table_page_free(struct table_page *page);
unsigned table_page_open(struct table_page *page, struct panel_view *view, const struct lake_table *t);
void table_page_draw(struct table_page *page, const struct panel_view *view, struct canvas *c);
bool table_page_takes(const struct table_page *page, enum act act); /* is its hint of use on what is shown? */
unsigned table_page_act(struct table_page *page, struct panel_view *view, enum act act);

#endif
