// SPDX-License-Identifier: MIT
/*
 * A panel: one const value at the end of its file in panels/, and one line in panels/panels.c.
 * It sees the lake and a canvas, nothing else. Handlers never draw: they change their own state
 * and return what should happen. UI thread only.
 */
#ifndef LAKETOP_PANEL_H
#define LAKETOP_PANEL_H

#include "canvas.h"
#include "lake.h"
#include "logs.h"

enum act { /* what a key means; tui/keymap.c binds them. Panels never see raw keys */
	ACT_NONE,
	ACT_UP, ACT_DOWN, ACT_PAGE_UP, ACT_PAGE_DOWN, ACT_TOP, ACT_BOTTOM, ACT_LEFT, ACT_RIGHT,
	ACT_ENTER,      /* into the selected row */
	ACT_BACK,       /* q: leave, quits on the overview */
	ACT_CANCEL,     /* Esc: never quits */
	ACT_NEXT_VIEW, ACT_PREVIOUS_VIEW,
	ACT_SORT, ACT_SORT_REVERSE,
	ACT_IDENTIFY,   /* i: ask an unexplained port who it is */
	ACT_COPY,
	ACT_ACTIONS,    /* x: what can be done to the selected row */
	ACT_MARK,       /* Space: marks the selected row, or no more: x acts on all that are marked; of a log: y and S take them */
	ACT_PEEK,       /* v: the records behind the selected row */
	ACT_LOGS,       /* l: the log of the selected row */
	ACT_SAVE,       /* S: writes lines of a log to a file */
	ACT_FOLLOW, ACT_WRAP, ACT_TIMES, ACT_LEVEL_UP, ACT_LEVEL_DOWN, ACT_NEXT_ERROR, ACT_PREVIOUS_ERROR, ACT_FIND_NEXT, ACT_FIND_PREVIOUS,
	/* handled by tui/ itself, for every panel */
	ACT_RUNNING, ACT_LOCK, ACT_HELP, ACT_PALETTE, ACT_FILTER, ACT_SEARCH, ACT_PROBLEMS, ACT_REFRESH, ACT_FREEZE, ACT_MOUSE,
	ACT_REDRAW, ACT_SUSPEND, ACT_QUIT,
	ACT_PANEL_0, ACT_PANEL_1, ACT_PANEL_2, ACT_PANEL_3, ACT_PANEL_4, ACT_PANEL_5, ACT_PANEL_6, ACT_PANEL_7, ACT_PANEL_8, ACT_PANEL_9,
	ACT_COUNT,
};

enum { /* reactions, or-ed */
	REACT_NONE = 0,
	REACT_HANDLED = 1,  /* the act was taken; draw anew */
	REACT_OPEN = 2,     /* open the service page of view.open */
	REACT_CLOSE = 4,    /* go back to where we came from */
	REACT_REFRESH = 8,  /* ask view.open (NULL: all) now */
	REACT_IDENTIFY = 16, /* ask view.port who it is */
	REACT_COPY = 32,    /* view.copy to the clipboard */
	/* Ask view.ask_service for view.ask_view of view.ask_subject. While it is wanted tui sends ACT_REFRESH every few
	 * seconds, and the panel answers with this again; they live until the panel's next act. */
	REACT_ASK = 64,
	REACT_DROP = 128,  /* the answer of view.drop_service is not wanted any more */
	REACT_LOGS = 512, /* open the logs of view.log_service (NULL: all) from view.log_since on, in their panel */
	REACT_FIND = 1024, /* look through all of the logs for view.log_match, or for view.log_least; both none: no more */
	REACT_SAVE = 2048, /* write view.save to a file whose name is asked for */
	REACT_INNER = 4096, /* the panel opened a page of its own: it begins without a filter */
	REACT_OUTER = 8192, /* and left it: the filter of what lies below is there again */
	REACT_ACT = 256,  /* show what can be done to view.act_subject of view.act_service */
};

struct panel_view { /* what tui/ shares with the panel at each call */
	const struct lake *lake;
	const char *filter;      /* "" none; matches as part of a row, without regard to case */
	const char *search;      /* what is looked for in a log; "" nothing */
	bool problems_only;
	bool frozen;             /* a banner says so; the lake is an older one */
	const char *subject;     /* the service page's service; what ACT_ENTER opens by its name, "CATALOG.orders.x"; NULL elsewhere */
	bool by_hand;            /* ACT_REFRESH: a key asked for it */
	/* out, with the reactions */
	const char *open;
	const char *copy, *save; /* until the next act */
	const char *say;         /* one sentence on what the act did, or why nothing; NULL: the picture tells */
	char address[ADDRESS_SIZE];
	uint16_t port;
	enum action_on act_on;
	const char *act_service, *act_subject; /* act_subject NULL: the service itself */
	char act_words[ACTION_SUBJECT_SIZE];   /* room for act_subject, where it is made */
	const struct action_mark *act_marks;   /* in place of those two, where rows are marked; the panel's, until its next act */
	size_t n_act_marks;
	const char *ask_service, *ask_view, *ask_subject;
	const char *ask_catalog; /* not NULL: this one is asked, of the table ask_subject, and no service */
	const char *drop_service;
	const char *log_service;
	int64_t log_since;       /* ms since 1970; 0: the newest. The panel of logs is told by ACT_LOGS what another one asked for */
	const char *log_match;   /* of REACT_LOGS: only what it finds; of REACT_FIND: what is looked for */
	enum log_level log_least;
	const struct log_part *log_part; /* of REACT_LOGS; NULL: no part, but what comes */
	int64_t again_ms;        /* ACT_REFRESH again after so long, asked or not; 0: as REACT_ASK says */
};

struct key_hint {
	enum act act;
	const char *label; /* "open" */
};

struct panel {
	const char *name, *title; /* "overview" */
	char key;                 /* '1'; 0: reached by opening something */
	const char *help;         /* one paragraph, for the help screen */
	const struct key_hint *hints; /* beyond the common ones; ends with ACT_NONE */
	size_t state_size;        /* zeroed at first; kept while the program runs */
	void (*draw)(struct panel_view *view, void *state, struct canvas *c);
	unsigned (*act)(struct panel_view *view, void *state, enum act act); /* reactions */
	bool tables;              /* looks at tables: they are asked more often meanwhile */
	bool logs;                /* shows lake.logs */
	bool (*takes)(const void *state, enum act act); /* is that hint of use as it stands now? NULL: always */
	void (*end)(void *state); /* gives back what the state holds; NULL: nothing */
};
extern const struct panel *const panels[]; /* ends with NULL; the first is the overview */
const struct panel *panel_named(const char *name);

/* ---- shared by the panels (panels/grid.c, panels/show.c) ---- */
enum { GRID_NEVER = 1000 };
struct grid_column {
	const char *head;
	int width;        /* least; the flexible one takes the rest */
	int priority;     /* 0 always; larger drops out earlier; GRID_NEVER: not now */
	bool right;       /* right-aligned: numbers */
	bool tail;        /* what does not fit keeps its end: paths */
	bool flexible;
};
struct grid_cell {
	const char *s;    /* clean */
	enum style style;
	/* Not NULL: a sparkline in its place. */
	double (*spark)(const void *ctx, int back);
	const void *spark_ctx;
};
struct grid { /* scrolling, selection, columns by priority; rows keep their place */
	int top, selected;
	int sort;         /* column, or -1 as given */
	bool reverse;
	char anchor[NAME_SIZE]; /* name of the selected row: the selection follows it */
};
struct grid_source { /* rows by number: only visible ones are asked for */
	size_t n_rows;
	const struct grid_column *columns;
	size_t n_columns;
	/* Fills cells[n_columns]; scratch has one place more than columns, valid until the next call.
	 * Returns the row's name for the anchor. */
	const char *(*row)(const void *ctx, size_t row, struct grid_cell *cells, char scratch[][VALUE_TEXT_SIZE]);
	/* Not NULL: the row's name alone, where that is cheaper; out has VALUE_TEXT_SIZE. */
	const char *(*name)(const void *ctx, size_t row, char out[VALUE_TEXT_SIZE]);
	/* Not NULL: a heading line before this row ("storage"). */
	const char *(*heading)(const void *ctx, size_t row);
	/* Not NULL: an indented line after this row, where it fills out and returns true. */
	bool (*note)(const void *ctx, size_t row, char out[REASON_SIZE], enum style *style);
	const void *ctx;
	const char *empty; /* shown where there are no rows */
};
void grid_draw(struct grid *g, const struct grid_source *source, struct canvas *c);
bool grid_act(struct grid *g, const struct grid_source *source, int page, enum act act);

/* ---- actions (panels/actions.c) ---- */
const struct action_shown *lake_action(const struct lake *lake, uint64_t id); /* NULL: gone */
enum style action_style(const struct action_shown *a);
void action_why_draw(struct canvas *c, int y, const char *words); /* wrapped: what a line of a menu had no room for */
bool action_takes_options(const struct lake *lake, const struct action_shown *a);
bool action_was_turned_away(const struct lake *lake, const struct action_shown *a); /* before it ran, and other options may do */
bool action_can_be_asked(const struct action_shown *a); /* of one that was left open: a server knows whether it still runs */
/* Behind a label: lines of its own are kept, long ones wrapped. Returns the lines used, also of a canvas that has none. */
int action_part_draw(struct canvas *c, int y, const char *label, enum style style, const char *s);
enum { ACTION_LIMIT_SIZE = 120 };
const char *action_limit(const struct action_shown *a, char out[ACTION_LIMIT_SIZE]); /* when it is cut short; "": it says so by itself */
void action_draw(const struct lake *lake, uint64_t id, int *top, struct canvas *c); /* from line top on */
/* A run of a runbook, from line top on; top -1: where it runs. False: that action is none. */
bool run_draw(const struct lake *lake, uint64_t id, int *top, struct canvas *c);

enum style verdict_style(enum verdict v);
struct sign { const char *glyph, *word, *help; enum style style; };
bool list_sign(size_t n, bool ascii, struct sign *out); /* the nth that rows of lists have besides those of verdicts; false: no more */
/* Every word of the filter stands in some cell, without regard to case; "" matches all. */
bool row_matches(const char *filter, const char *const *cells, size_t n);

#endif
