// SPDX-License-Identifier: MIT
/*
 * What the files of the panel of logs share: how it looks (logs.c), what keys do (logs_acts.c), where the cursor goes
 * (logs_move.c, logs_seek.c), and which part of the logs is read for that (logs_ask.c). UI thread only.
 */
#ifndef LAKETOP_PANELS_LOGS_OWN_H
#define LAKETOP_PANELS_LOGS_OWN_H

#include "logs.h"
#include "panels.h"

enum { OPENED_MAX = 64, COPIED_MAX = 64 << 10, MARKS_MAX = 500, AGAIN_MS = 40, WANTED_MS = 200 };

struct pattern { /* compiled once for what was typed */
	char typed[REASON_SIZE];
	struct log_match *match;
	bool wrong; /* it is no expression */
	bool out;   /* "!word": what has it is left out */
};

struct spot { /* a line, in whatever timeline it is */
	int64_t at, place;
	uint32_t source, text; /* hashes; text 0: any */
};

enum arrival { ARRIVE_FOLLOWS, ARRIVE_AT_SPOT, ARRIVE_AT_TIME, ARRIVE_AT_TOP }; /* what is done in a timeline that comes */

struct looking {
	char subject[NAME_SIZE]; /* whose logs were opened; "": all */
	char page[NAME_SIZE];    /* whose page that was */
	bool detached;         /* the cursor stays; else it is on the newest */
	int64_t at;            /* of the cursor */
	uint64_t number;
	int row;               /* of the canvas, where the cursor is drawn */
	int height, width;     /* as drawn */
	int only;              /* a source and 1; 0: all */
	enum log_level level;  /* at least */
	unsigned levels;       /* a bit for each that was here */
	bool wrapped, timeless;
	int right;             /* columns that are scrolled out to the left */
	uint64_t opened[OPENED_MAX];
	size_t n_opened;
	struct pattern filter, search;
	int64_t wanted;        /* a moment to stand at once it is read; 0: none */
	bool asked;
	/* a timeline that was asked for */
	bool coming;
	uint64_t serial;       /* of the one that is to go */
	enum arrival arrival;
	struct spot spot;
	struct log_part part;
	enum act again;        /* done once more when it came: it stopped at the border */
	char sifted[REASON_SIZE]; /* what it was opened with: only that is in it */
	enum log_level sifted_level;
	/* what is looked for in all that there is */
	char sought[REASON_SIZE];
	enum log_level sought_level;
	int pending;           /* to the next in this direction, once it is found; 0: no */
	const char *words;     /* what became of it; NULL: nothing to say */
	struct spot marks[MARKS_MAX];
	size_t n_marks;
	struct buf copied;
};

struct shown { /* one call of draw or act */
	struct looking *l;
	const struct logs *logs;
	enum log_level level;
	int sources;  /* columns of their words; 0: there is one */
	int text;     /* columns left for the words of a line */
};

/* ---- how it looks ---- */
struct shown logs_shown(struct looking *l, const struct panel_view *view, const struct canvas *c);
/* Which lines are there to step on: the next from i on in that direction, i itself included; logs_count(): none. */
size_t logs_kept(const struct shown *s, size_t i, int by);
bool logs_keeps(const struct shown *s, size_t i);
bool logs_finds(const struct pattern *p, const struct log_entry *e);
size_t logs_cursor(const struct shown *s);
struct spot logs_spot(const struct shown *s, const struct log_entry *e);
bool logs_marked(const struct shown *s, const struct log_entry *e, size_t *which);

/* ---- what keys do; what returns unsigned returns reactions ---- */
unsigned logs_act(struct panel_view *view, void *state, enum act what);

/* ---- where the cursor goes ---- */
void logs_stand_at(const struct shown *s, size_t i, int row);
bool logs_step(const struct shown *s, int by, int times); /* false: there is nothing more in this direction */
unsigned logs_go(const struct shown *s, struct panel_view *view, enum act what); /* up, down, to the ends; else REACT_NONE */
void logs_go_again(const struct shown *s, struct panel_view *view, enum act what); /* without asking for more */
unsigned logs_jump(const struct shown *s, struct panel_view *view, const char *to); /* "14:05", "-5m" */
unsigned logs_seek(const struct shown *s, struct panel_view *view, int by, bool errors); /* the next that matches, or is an error */
unsigned logs_seek_on(const struct shown *s, struct panel_view *view); /* where it was not here */

/* ---- which part is read: each asks for one, and tells where the cursor will stand ---- */
unsigned logs_ask_first(struct looking *l, struct panel_view *view, bool all); /* all: whatever the subject */
unsigned logs_ask_live(const struct shown *s, struct panel_view *view);
unsigned logs_ask_moment(const struct shown *s, struct panel_view *view, int64_t at, enum arrival arrival);
/* Around a line of what is here, or of what was found; the cursor will stand on spot. */
unsigned logs_ask_around(const struct shown *s, struct panel_view *view, const struct logs *of, const struct log_entry *e, struct spot spot);
unsigned logs_sift(const struct shown *s, struct panel_view *view); /* only what is typed now, in all that there is */
unsigned logs_refresh(const struct shown *s, struct panel_view *view); /* takes what came */
size_t logs_find_spot(const struct shown *s, struct spot spot); /* the line of it, or the first behind it */

#endif
