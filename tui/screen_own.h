// SPDX-License-Identifier: MIT
/*
 * What the files of the screen share: its state, and the calls between what is shown (screen.c), what an act
 * does (screen_acts.c), and what keys, paste and mouse mean (screen_keys.c). UI thread only.
 */
#ifndef LAKETOP_TUI_SCREEN_OWN_H
#define LAKETOP_TUI_SCREEN_OWN_H

#include "acting.h"
#include "screen.h"

enum { PAGES_MAX = 16 };

enum mode { MODE_PANEL, MODE_FILTER, MODE_SEARCH, MODE_SAVE, MODE_PALETTE, MODE_HELP, MODE_ACTING };

struct page {
	int panel;               /* index of panels[] */
	char subject[NAME_SIZE]; /* of a service page */
	char filter[PROMPT_SIZE], search[PROMPT_SIZE];
	char below[PROMPT_SIZE]; /* the filter of what lies below, while the panel has a page of its own open */
	bool from_problems;      /* opened from where only problems were shown */
};

struct screen {
	const struct lake *lake;
	bool ascii;
	void **states;           /* one per panel */
	struct page pages[PAGES_MAX];
	int top;
	enum mode mode;
	bool problems_only;
	int64_t frozen;          /* clock_ms() since; -1 */
	struct prompt typed;      /* a filter, what is looked for, a path: by mode */
	const char *saving;      /* what is to be written, while its path is typed */
	char save_path[PROMPT_SIZE];
	bool save_there;         /* that file exists: Enter once more overwrites it */
	struct chooser chooser;
	struct acting acting;
	int help_width;          /* that the help was filled for */
	char message[REASON_SIZE];
	enum style message_style;
	int64_t message_end;
	int64_t clock_next;      /* clock_ms() of the next second that is shown */
	int64_t log_since;       /* while the logs are opened: at that moment */
	int64_t ask_next;        /* clock_ms() when the panel is asked what it wants to be asked again; never: INT64_MAX */
};

/* ---- pages (screen.c) ---- */
struct page *screen_page(struct screen *s);          /* the topmost */
const struct panel *screen_panel(struct screen *s);  /* of it */
struct panel_view screen_view(struct screen *s);
void screen_go_to(struct screen *s, int panel);      /* an index of panels[] */
void screen_open(struct screen *s, const char *panel, const char *subject); /* on top; subject NULL: nothing */
bool screen_leave(struct screen *s);                 /* false: there is nothing below */

/* ---- acts (screen_acts.c) ---- */
void screen_act(struct screen *s, enum act act, struct wish *wish);
unsigned screen_panel_act(struct screen *s, enum act act, struct wish *wish); /* by hand; the panel's reactions */
unsigned screen_enter(struct screen *s, const char *panel, const char *subject, struct wish *wish); /* what that panel has by this name */
void screen_filtered(struct screen *s, struct wish *wish); /* what is kept of the rows is another part now */

#endif
