// SPDX-License-Identifier: MIT
/* The panels that there are, and the lists that more than one shows. Private to panels/. */
#ifndef LAKETOP_PANELS_H
#define LAKETOP_PANELS_H

#include "clock.h"
#include "panel.h"
#include "runbook.h"

extern const struct panel panel_overview, panel_ports, panel_kafka, panel_tables, panel_spark, panel_logs, panel_changes, panel_service;

struct event_list {
	struct grid grid;
	int page;
	char copied[REASON_SIZE + NAME_SIZE + CLOCK_TEXT];
};
/* service NULL: everybody's. */
void events_draw(struct event_list *list, const struct panel_view *view, const char *service, struct canvas *c);
unsigned events_act(struct event_list *list, struct panel_view *view, const char *service, enum act act);

/* ---- lists of rows: of one table, or of the tables of several services side by side (list.c; how they look: list_look.c) ---- */
struct list_row {
	const struct service *service;    /* whose; NULL: nobody's */
	const struct service *other;      /* who tells more of it; NULL */
	const struct table *more;         /* likewise: row more_at of it; NULL */
	size_t more_at;
	const struct stream_view *stream; /* a row that is a streaming query's; else NULL */
	const struct lake_table *lake_table; /* a row that is a table's of the lake; else NULL */
	const struct snapshot *from;
	const struct table *table;        /* NULL: get() knows its values */
	size_t at;
};
/* From UNKNOWN on a problem. Glyphs are those of verdicts where they mean the same; see also runs.c. */
enum mark { MARK_NONE, MARK_GOOD, MARK_BUSY, MARK_OFF, MARK_UNKNOWN, MARK_DUE, MARK_WARN, MARK_ILL, MARK_BAD, MARK_FAILED, MARK_COUNT };
const char *mark_glyph(enum mark mark, bool ascii);
const char *marked_glyph(bool ascii); /* by Space */
const char *stage_glyph(enum stage stage, bool ascii); /* of a step of a run */
struct list_column {
	const char *head, *name; /* the table's column */
	enum unit unit;          /* where the table does not say */
	int priority, most;      /* most: columns that a text may take; 0: by the width of the screen */
	bool number;             /* right-aligned, sorted from the largest */
	bool own;                /* get() or words() know it: it is there whatever the tables have */
	bool tail;               /* what does not fit keeps its end: paths */
	bool state;              /* in the colour of the row's mark */
	bool graph;              /* made of blocks */
};
struct list_kind { /* what is NULL is not there */
	const struct list_column *columns; /* ends with a name of NULL */
	size_t n_names;                    /* of the first columns, which the selection follows; 0: 2 */
	struct value (*get)(const struct list_row *row, const struct list_column *column); /* NULL: from the table */
	/* Instead of the value by its unit; NULL: that. */
	const char *(*words)(const struct list_row *row, const struct list_column *column, const struct lake *lake,
		char out[VALUE_TEXT_SIZE]);
	enum mark (*mark)(const struct list_row *row);
	/* By what the column of marks is sorted: larger first. It is the order where only problems are shown. */
	double (*rank)(const struct list_row *row);
	bool (*old)(const struct list_row *row); /* NULL: by the age of its snapshot */
	const char *note;  /* a text column: the last one on a broad screen, else a line below rows with a problem */
	enum mark note_from; /* whose rows have that line; 0: MARK_UNKNOWN */
	bool texts;        /* a filter looks at what is no number: there are thousands of rows */
	bool (*there)(const struct lake *lake); /* of a deck's last one: whether it has a tab now; NULL: always */
	const char *empty; /* where there is no row at all */
};
struct list { /* what is listed now: begin, add, draw or act, end */
	const struct list_kind *kind;
	const struct lake *lake;
	struct list_row *rows;
	size_t n, room;
	size_t left_off;
	const struct snapshot *oldest; /* of those that are old */
	bool has[TABLE_COLUMNS_MAX];   /* the columns that some table has */
	bool any;                      /* a table was added */
	char empty[REASON_SIZE];       /* where there is no row; "": the kind's */
	const char *keeps;             /* this column is there at any width, whatever its priority; NULL: none */
	uint64_t stamp;                /* another one whenever the rows are others: which of them are shown, in which order, is kept; 0: it is not */
	bool (*marked)(const void *ctx, const struct list_row *row); /* by Space; NULL: none ever is */
	const void *marked_ctx;
};
void list_begin(struct list *list, const struct list_kind *kind, const struct lake *lake);
void list_add(struct list *list, const struct list_row *row);
/* All rows of the service's table. from NULL or no such table: none. */
void list_add_table(struct list *list, const struct service *service, const struct snapshot *from, const char *table);
void list_use(struct list *list, const struct snapshot *from, const struct table *table); /* its columns and age; no row */
void list_has(struct list *list, const char *column);                 /* it is there whatever the tables have */
/* The same of all services of that kind; those without it are missing. Returns how many have it. */
size_t list_add_tables(struct list *list, const char *kind, const char *table);
/* It has no such table: said where nobody has one. */
void list_missing(struct list *list, const struct service *service, const char *what);
void list_end(struct list *list);
bool is(const struct list_column *column, const char *name); /* is it the one of that name? */
struct value list_cell(const struct list_row *row, const char *column); /* from the table */
const char *list_text(const struct list_row *row, const char *column);  /* "" where there is none */
/* ACT_ACTIONS on a row of s, or of what belongs to it: fills view; REACT_NONE where it is nothing to act on. */
unsigned list_actions(struct panel_view *view, const struct list_row *row, const struct service *s);
unsigned list_logs(struct panel_view *view, const struct list_row *row, const struct service *s); /* the same of ACT_LOGS */

struct table_list { /* how one looks at a list: selection, order. Set grid.sort to -1 at first */
	struct grid grid;
	int page;
	int widths[TABLE_COLUMNS_MAX]; /* the widest seen: columns do not move while one scrolls */
	size_t measured;               /* so many rows were looked at for that */
	char copied[REASON_SIZE * 2];
	struct list_row selected;      /* as it was drawn, while the list is there */
	bool broad;                    /* as it was drawn: notes had a column */
	struct list_order *order;      /* kept of a list with a stamp; NULL: none is */
};
enum style mark_style(enum mark mark);
void table_list_reset(struct table_list *look);
void table_list_end(struct table_list *look); /* gives back the order that is kept */
void list_draw(struct table_list *look, const struct panel_view *view, const struct list *list, struct canvas *c);
/* Fills selected, where it is not NULL: the row after the act; its service and from are NULL where there is none. */
unsigned list_act(struct table_list *look, struct panel_view *view, const struct list *list, enum act act, struct list_row *selected);

/* One table of a snapshot as a list, by its spec (list_table.c). s: where it comes from, for its age; table NULL: not known. omit: a column that
 * is not shown. mark: as in list_kind. Both may be NULL. */
void table_list_draw(struct table_list *look, const struct panel_view *view, const struct snapshot *s, const struct table *table,
	const char *omit, enum mark (*mark)(const struct list_row *row), struct canvas *c);
unsigned table_list_act(struct table_list *look, struct panel_view *view, const struct table *table, const char *omit,
	enum mark (*mark)(const struct list_row *row), enum act act, struct list_row *selected);

/* ---- "18 tables, 3 due, 1 failed": of the catalogs that a service answers, or of all. False: there are none (tables.c) ---- */
bool tables_line(char out[VALUE_TEXT_SIZE], const struct lake *lake, const struct service *service, enum style *style);

/* ---- one row of a table, whole (record.c). Returns its lines ---- */
int record_draw(struct canvas *c, const struct lake *lake, const struct table *table, size_t row, int top);

/* ---- several lists of one panel, by Tab (deck.c) ---- */
struct deck_view {
	const char *name; /* on its tab; NULL ends */
	const struct list_kind *kind;
	void (*collect)(struct list *list);
};
enum { DECK_MAX = 6 };
struct deck {
	int at;
	bool begun;
	struct table_list looks[DECK_MAX];
};
void deck_draw(struct deck *deck, const struct panel_view *view, const struct deck_view *views, struct canvas *c);
unsigned deck_act(struct deck *deck, struct panel_view *view, const struct deck_view *views, enum act act, struct list_row *selected);

#endif
