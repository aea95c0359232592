// SPDX-License-Identifier: MIT
/*
 * The parts of the overview: what stands above (overview_state.c), a row for each service (overview_rows.c), what
 * stands below (overview_foot.c). overview.c gives each its lines. UI thread only.
 */
#ifndef LAKETOP_PANELS_OVERVIEW_OWN_H
#define LAKETOP_PANELS_OVERVIEW_OWN_H

#include "panels.h"

enum {
	OVERVIEW_NARROW = 60,                                     /* columns up to which a problem takes two lines */
	OVERVIEW_ROOM_FOR_RULES = 14, OVERVIEW_ROOM_FOR_BOX = 18, /* lines of the canvas from which there is room for them */
};

/* ---- above: the problems in words, or one quiet line. Each returns the lines used ---- */
int overview_state_draw(struct canvas *c, const struct lake *lake);
int overview_machine_draw(struct canvas *c, int y, const struct lake *lake); /* what the box is short of */
int overview_cut_short_draw(struct canvas *c, int y, const struct lake *lake); /* what an earlier laketop left open */

/* ---- rows ---- */
enum column { GLYPH, SERVICE, VERDICT, VERSION, PORT, OWNER, CPU, MEMORY, TREND, FIGURES, NOTE, AGE, COLUMNS };

/* The services in the order of the screen, and what the columns need. */
struct overview_rows {
	const struct lake *lake;
	const char *filter;
	bool problems_only, wide, ascii;
	const struct service **at;
	size_t n;
	struct grid_column columns[COLUMNS];
};
void overview_rows_collect(struct overview_rows *rows, const struct panel_view *view); /* free() its at */
int overview_headings(const struct overview_rows *rows);                    /* lines for the names of groups */
void overview_columns(struct overview_rows *rows, const struct canvas *c);
struct grid_source overview_source(const struct overview_rows *rows, bool headings);

/* ---- below: the box, and what happened last ---- */
void overview_box_draw(struct canvas *c, int y, const struct lake *lake);
void overview_events_draw(struct canvas *c, int y, int lines, const struct lake *lake);

#endif
