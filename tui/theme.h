// SPDX-License-Identifier: MIT
/*
 * What a style looks like: themes/ as files, read into a table, brought down to the colours that
 * a terminal has. Pure but for theme_load.
 */
#ifndef LAKETOP_TUI_THEME_H
#define LAKETOP_TUI_THEME_H

#include "canvas.h"
#include "err.h"
#include "host.h"

enum { LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_UNDERLINE = 4, LOOK_REVERSE = 8 };

struct look {
	int fg, bg; /* 0 to 255; -1: the terminal's own */
	unsigned attributes;
};

struct theme {
	char name[NAME_SIZE], description[NAME_SIZE];
	struct {
		struct look rich, plain; /* plain: for 8 colours and fewer */
		bool has_plain;
	} styles[STYLE_COUNT];
};

extern const char *const theme_default;
const char *theme_builtin(size_t i); /* name of the i-th; NULL at the end */

/* name: a built-in one, or the path of a file; NULL gives the default. */
bool theme_load(struct host *host, const char *name, struct theme *out, struct err *err);
/* path is for messages. */
bool theme_parse(struct text ini, const char *path, struct theme *out, struct err *err);

/* The look on a terminal of so many colours: 0, 8, 16 or 256. */
struct look theme_look(const struct theme *theme, enum style style, int colours);
/* Nearest of the first so many colours of the palette. */
int colour_nearest(int colour, int colours);

#endif
