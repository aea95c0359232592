// SPDX-License-Identifier: MIT
/*
 * What panels draw on: a grid of cells with a style each. No terminal behind it: tui/ turns it
 * into one, tests into text. Drawing outside is clipped; text is clean, measured in columns, and
 * never cut inside a wide character. UI thread only.
 */
#ifndef LAKETOP_CANVAS_H
#define LAKETOP_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

enum style { /* meaning, not colour; a theme gives each its look */
	STYLE_NORMAL,
	STYLE_DIM,        /* old, secondary */
	STYLE_TITLE,
	STYLE_HEADING,    /* column heads */
	STYLE_RULE,
	STYLE_SELECTED,
	STYLE_KEY,        /* a key in the hint line */
	STYLE_ACCENT,
	STYLE_GOOD,
	STYLE_WARN,
	STYLE_BAD,
	STYLE_UNKNOWN,
	STYLE_READY,      /* the READY badge */
	STYLE_NOT_READY,
	STYLE_GRAPH,
	STYLE_MATCH,      /* filter hit */
	STYLE_INPUT,
	STYLE_COUNT,
};
const char *style_name(enum style s); /* as in themes/: "not-ready" */

struct cell {
	uint32_t code[2]; /* base character and at most one combining one; 0 in the second half of a wide one */
	uint8_t style;
};

struct canvas {
	int width, height;
	int stride;       /* cells from one line to the next: the width of the whole */
	bool ascii;       /* no glyph beyond ASCII may be drawn */
	struct cell *cells;
};

struct canvas *canvas_new(int width, int height, bool ascii);
void canvas_free(struct canvas *c);
void canvas_clear(struct canvas *c);
/* Draws at most width columns (-1: to the edge) of clean text; returns the columns used. */
int canvas_text(struct canvas *c, int y, int x, int width, enum style style, const char *s);
int canvas_printf(struct canvas *c, int y, int x, int width, enum style style, const char *format, ...)
	__attribute__((format(printf, 6, 7)));
/* Parts with three blanks between them, the most important first: those that do not fit are left out from the end, whole. A second one
 * that is short stays, and the first is cut for it. */
void canvas_parts(struct canvas *c, int y, int x, int width, enum style style, const char *parts);
int canvas_columns(const struct canvas *c, const char *s); /* what s takes: in ASCII, other glyphs have other widths */
/* Right-aligned in width columns; a number that does not fit is drawn as "#"s, never cut. */
void canvas_right(struct canvas *c, int y, int x, int width, enum style style, const char *s);
void canvas_fill(struct canvas *c, int y, int x, int width, enum style style, const char *glyph);
void canvas_restyle(struct canvas *c, int y, int x, int width, enum style style); /* keeps the text */
/* A window into a canvas, sharing its cells. */
struct canvas canvas_part(struct canvas *c, int y, int x, int height, int width);
/* Eight-step sparkline of the newest width values, oldest left; NAN is a gap. */
void canvas_spark(struct canvas *c, int y, int x, int width, enum style style, double (*get)(const void *ctx, int back), const void *ctx);

#endif
