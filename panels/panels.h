// SPDX-License-Identifier: MIT
/* The panels that there are, and the two lists that more than one shows. Private to panels/. */
#ifndef LAKETOP_PANELS_H
#define LAKETOP_PANELS_H

#include "clock.h"
#include "panel.h"

extern const struct panel panel_overview, panel_ports, panel_changes, panel_service;

struct event_list {
	struct grid grid;
	int page;
	char copied[REASON_SIZE + NAME_SIZE + CLOCK_TEXT];
};
/* service NULL: everybody's. */
void events_draw(struct event_list *list, const struct panel_view *view, const char *service, struct canvas *c);
unsigned events_act(struct event_list *list, struct panel_view *view, const char *service, enum act act);

struct table_list { /* one table of a snapshot, sortable; set grid.sort to -1 at first */
	struct grid grid;
	int page;
	int widths[TABLE_COLUMNS_MAX]; /* the widest seen: columns do not move while one scrolls */
	char copied[REASON_SIZE * 2];
};
void table_list_reset(struct table_list *list);
/* s: where table comes from, for its age; table NULL: not known. */
void table_list_draw(struct table_list *list, const struct panel_view *view, const struct snapshot *s, const struct table *table,
	struct canvas *c);
unsigned table_list_act(struct table_list *list, struct panel_view *view, const struct table *table, enum act act);

#endif
