// SPDX-License-Identifier: MIT
/* The first and the last line of every screen: how the lake does, and what can be pressed. Pure. */
#ifndef LAKETOP_TUI_FRAME_H
#define LAKETOP_TUI_FRAME_H

#include "panel.h"

enum { SCREEN_MIN_WIDTH = 40, SCREEN_MIN_HEIGHT = 10 };

struct frame {
	const struct lake *lake;
	const struct panel *panel;
	const void *state;   /* the panel's */
	bool root;           /* q quits here */
	bool keys;           /* they are the panel's; else what is open says its own */
	const char *filter;  /* "" none */
	bool problems_only;
	int64_t frozen_ms;   /* since when the picture is held; -1: it is not */
	int64_t wall;        /* for the clock */
	const char *message; /* instead of the hints; NULL: none */
	enum style message_style;
};

void frame_title(const struct frame *f, struct canvas *line);
void frame_hints(const struct frame *f, struct canvas *line);
void frame_too_small(struct canvas *c);
/* Does the title show a clock at this width? Then the second matters. */
bool frame_has_clock(const struct frame *f, const struct canvas *line);

#endif
