// SPDX-License-Identifier: MIT
/* One line that is being typed. Pure; UI thread. */
#ifndef LAKETOP_TUI_PROMPT_H
#define LAKETOP_TUI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "canvas.h"

enum { PROMPT_SIZE = 160 };

struct prompt {
	char s[PROMPT_SIZE]; /* clean */
	size_t len, at;      /* bytes; the cursor stands before s[at] */
	bool selected;       /* all of it: what is typed takes its place, what moves the cursor keeps it */
};

void prompt_set(struct prompt *p, const char *s);
void prompt_offer(struct prompt *p, const char *s); /* the same, selected */
bool prompt_key(struct prompt *p, int key); /* false: not a key of a line editor */
void prompt_paste(struct prompt *p, struct text text);
/* Draws label and line into the canvas line y from x on; returns the column of the cursor. */
int prompt_draw(const struct prompt *p, struct canvas *c, int y, int x, int width, const char *label);

#endif
