// SPDX-License-Identifier: MIT
/*
 * The grid of cells that panels draw on. Knows nothing of terminals: terminal.c paints it, tests
 * read it. Text that does not fit ends in an ellipsis, so that a cut is seen as one; a number is
 * never cut. UI thread only.
 */
#include "canvas.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

enum { PRINTF_SIZE = 1024, SPARK_STEPS = 8, PARTS_MAX = 8, PART_SIZE = 300 };

static const char gap[] = "   "; /* between parts */

static const char *const style_names[STYLE_COUNT] = {
	[STYLE_NORMAL] = "normal",     [STYLE_DIM] = "dim",         [STYLE_TITLE] = "title", [STYLE_HEADING] = "heading",
	[STYLE_RULE] = "rule",         [STYLE_SELECTED] = "selected", [STYLE_KEY] = "key",   [STYLE_ACCENT] = "accent",
	[STYLE_GOOD] = "good",         [STYLE_WARN] = "warn",       [STYLE_BAD] = "bad",     [STYLE_UNKNOWN] = "unknown",
	[STYLE_READY] = "ready",       [STYLE_NOT_READY] = "not-ready", [STYLE_GRAPH] = "graph", [STYLE_MATCH] = "match",
	[STYLE_INPUT] = "input",
};

const char *style_name(enum style s)
{
	return (unsigned)s < STYLE_COUNT ? style_names[s] : "normal";
}

/* ---- what stands for a glyph where only ASCII may be drawn ---- */

static const struct {
	uint32_t code;
	const char *ascii;
} ascii_glyphs[] = {
	{0x2026, "~"},  /* ellipsis */
	{0x2500, "-"}, {0x2501, "="}, {0x2502, "|"}, {0x250c, "+"}, {0x2510, "+"}, {0x2514, "+"}, {0x2518, "+"},
	{0x256d, "+"}, {0x256e, "+"}, {0x256f, "+"}, {0x2570, "+"}, {0x251c, "+"}, {0x2524, "+"}, {0x253c, "+"},
	{0x2192, ">"}, {0x2190, "<"}, {0x2191, "^"}, {0x2193, "v"}, {0x25b8, ">"}, {0x25be, "v"}, {0x25b4, "^"},
	{0x2265, ">="}, {0x2264, "<="}, {0x2260, "!="}, {0x00b7, "."}, {0x2013, "-"}, {0x2014, "-"}, {0x00b0, " "},
	{0x23ce, "Enter"}, {0x25cf, "*"}, {0x00d7, "x"}, {0x2018, "'"}, {0x2019, "'"}, {0x201c, "\""}, {0x201d, "\""},
	{0x2581, "_"}, {0x2582, "."}, {0x2583, "-"}, {0x2584, "="}, {0x2585, "+"}, {0x2586, "o"}, {0x2587, "#"}, {0x2588, "@"},
};

/* One glyph as it will be drawn: the character itself, or its ASCII words. */
struct glyph {
	uint32_t code;
	int columns;
	const char *ascii; /* NULL: code itself */
};

static bool glyph_next(struct text *rest, bool ascii, struct glyph *out)
{
	*out = (struct glyph){0};
	if (!text_char(rest, &out->code, &out->columns))
		return false;
	if (out->code < 0x20 || (out->code >= 0x7f && out->code < 0xa0)) { /* not clean text: nothing of it may reach a terminal */
		out->code = '?';
		out->columns = 1;
	}
	if (!ascii || out->code < 0x7f)
		return true;
	if (out->columns == 0) {
		out->ascii = "";
		return true;
	}
	for (size_t i = 0; i < sizeof ascii_glyphs / sizeof *ascii_glyphs; i++)
		if (ascii_glyphs[i].code == out->code) {
			out->ascii = ascii_glyphs[i].ascii;
			out->columns = (int)strlen(out->ascii);
			return true;
		}
	out->ascii = out->columns == 2 ? "??" : "?";
	return true;
}

int canvas_columns(const struct canvas *c, const char *s)
{
	struct text rest = text_of(s);
	struct glyph g;
	int total = 0;

	while (glyph_next(&rest, c->ascii, &g))
		total += g.columns;
	return total;
}

/* ---- cells ---- */

static const struct cell blank = {{' ', 0}, STYLE_NORMAL};

struct canvas *canvas_new(int width, int height, bool ascii)
{
	struct canvas *c = mem_new(1, sizeof *c);

	c->width = c->stride = width > 0 ? width : 0;
	c->height = height > 0 ? height : 0;
	c->ascii = ascii;
	/* one cell more than is drawn on: what follows a cell can always be looked at */
	c->cells = mem_new((size_t)c->width * (size_t)c->height + 1, sizeof *c->cells);
	c->cells[(size_t)c->width * (size_t)c->height] = blank;
	canvas_clear(c);
	return c;
}

void canvas_free(struct canvas *c)
{
	if (!c)
		return;
	free(c->cells);
	free(c);
}

static struct cell *cell_at(struct canvas *c, int y, int x)
{
	return c->cells + (ptrdiff_t)y * c->stride + x;
}

void canvas_clear(struct canvas *c)
{
	for (int y = 0; y < c->height; y++)
		for (int x = 0; x < c->width; x++)
			*cell_at(c, y, x) = blank;
}

/* No half of a wide character stays behind when the other half is overwritten. */
static void unpair(struct cell *cell)
{
	if (cell->code[0] == 0)
		cell[-1].code[0] = ' ', cell[-1].code[1] = 0;
	else if (cell[1].code[0] == 0)
		cell[1].code[0] = ' ', cell[1].code[1] = 0;
}

static void put(struct canvas *c, int y, int x, enum style style, uint32_t code, int columns)
{
	struct cell *cell = cell_at(c, y, x);

	unpair(cell);
	*cell = (struct cell){{code, 0}, (uint8_t)style};
	if (columns == 2) {
		unpair(cell + 1);
		cell[1] = (struct cell){{0, 0}, (uint8_t)style};
	}
}

/* Columns from x that may be drawn on, at most width of them; 0 where the place is outside. */
static int room(const struct canvas *c, int y, int x, int width)
{
	int left = c->width - x;

	if (y < 0 || y >= c->height || x < 0 || left <= 0)
		return 0;
	return width < 0 || width > left ? left : width;
}

/* Draws whole glyphs while they fit into width columns; returns the columns used. */
static int draw_glyphs(struct canvas *c, int y, int x, int width, enum style style, const char *s)
{
	struct text rest = text_of(s);
	struct glyph g;
	int used = 0;

	while (glyph_next(&rest, c->ascii, &g)) {
		if (used + g.columns > width)
			break;
		if (g.ascii)
			for (const char *p = g.ascii; *p; p++)
				put(c, y, x + used++, style, (uint32_t)*p, 1);
		else if (g.columns == 0) {
			struct cell *base = used ? cell_at(c, y, x + used - 1) : NULL;

			if (base && base->code[0] == 0)
				base--;
			if (base && base->code[1] == 0)
				base->code[1] = g.code;
		} else {
			put(c, y, x + used, style, g.code, g.columns);
			used += g.columns;
		}
	}
	return used;
}

int canvas_text(struct canvas *c, int y, int x, int width, enum style style, const char *s)
{
	struct text rest = text_of(s);
	struct glyph g;
	int used;

	while (x < 0 && glyph_next(&rest, c->ascii, &g)) { /* begins left of the edge */
		x += g.columns;
		width = width < 0 ? width : width > g.columns ? width - g.columns : 0;
	}
	s = rest.at;
	width = room(c, y, x, width);
	if (width == 0)
		return 0;
	if (canvas_columns(c, s) <= width)
		return draw_glyphs(c, y, x, width, style, s);
	used = draw_glyphs(c, y, x, width - 1, style, s);
	return used + draw_glyphs(c, y, x + used, 1, style, "…");
}

int canvas_printf(struct canvas *c, int y, int x, int width, enum style style, const char *format, ...)
{
	char words[PRINTF_SIZE], whole[PRINTF_SIZE];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(words, sizeof words, format, args);
	va_end(args);
	if (len < 0)
		return 0;
	if (len < (int)sizeof words)
		return canvas_text(c, y, x, width, style, words);
	/* cut by the buffer: drop the half character at its end */
	return canvas_text(c, y, x, width, style, text_copy(whole, sizeof whole - 4, text_of(words)));
}

void canvas_parts(struct canvas *c, int y, int x, int width, enum style style, const char *parts)
{
	char part[PARTS_MAX][PART_SIZE];
	int columns[PARTS_MAX] = {0}, total = 0;
	size_t n = 0;

	for (const char *at = parts, *end; *at && n < PARTS_MAX; at = *end ? end + strlen(gap) : end, n++) {
		end = strstr(at, gap) ? strstr(at, gap) : at + strlen(at);
		text_copy(part[n], PART_SIZE, (struct text){at, (size_t)(end - at)});
		columns[n] = canvas_columns(c, part[n]) + (n ? (int)strlen(gap) : 0);
		total += columns[n];
	}
	width = room(c, y, x, width);
	while (n > 1 && total > width && (n > 2 || columns[1] > width / 2))
		total -= columns[--n];
	for (size_t i = 0; i < n; i++) {
		int cut = i == 0 && total > width ? total - width : 0;

		canvas_text(c, y, x + (i ? (int)strlen(gap) : 0), columns[i] - cut, style, part[i]);
		x += columns[i] - cut;
	}
}

/* A number's digits mean something else when some are missing. */
static bool is_number(const char *s)
{
	struct text t = text_of(s);

	text_skip(&t, "≥ ");
	if (t.len && (t.at[0] == '+' || t.at[0] == '-'))
		t.at++, t.len--;
	return t.len && t.at[0] >= '0' && t.at[0] <= '9';
}

void canvas_right(struct canvas *c, int y, int x, int width, enum style style, const char *s)
{
	int columns = canvas_columns(c, s);

	if (width < 0)
		width = c->width - x;
	if (columns <= width && x + width <= c->width)
		canvas_text(c, y, x + width - columns, columns, style, s);
	else if (is_number(s))
		canvas_fill(c, y, x, width, style, "#");
	else
		canvas_text(c, y, x, width, style, s);
}

void canvas_fill(struct canvas *c, int y, int x, int width, enum style style, const char *glyph)
{
	int columns = canvas_columns(c, glyph);

	if (x < 0) {
		width = width < 0 ? width : width + x;
		x = 0;
	}
	width = room(c, y, x, width);
	for (int used = 0; columns > 0 && used + columns <= width; used += columns)
		draw_glyphs(c, y, x + used, columns, style, glyph);
}

void canvas_restyle(struct canvas *c, int y, int x, int width, enum style style)
{
	if (x < 0) {
		width = width < 0 ? width : width + x;
		x = 0;
	}
	width = room(c, y, x, width);
	for (int i = 0; i < width; i++)
		cell_at(c, y, x + i)->style = (uint8_t)style;
}

static int clamp(int n, int low, int high)
{
	return n < low ? low : n > high ? high : n;
}

struct canvas canvas_part(struct canvas *c, int y, int x, int height, int width)
{
	struct canvas part = *c;
	int top = clamp(y, 0, c->height), left = clamp(x, 0, c->width);

	part.height = clamp(height < 0 ? c->height : y + height - top, 0, c->height - top);
	part.width = clamp(width < 0 ? c->width : x + width - left, 0, c->width - left);
	part.cells = cell_at(c, top, left);
	return part;
}

/* ---- sparkline ---- */

/*
 * Calm by construction: a figure that moves by a few percent stays near the middle, only one that
 * doubles or falls to nothing fills the height, and zero is always the lowest step.
 */
static int spark_step(double v, double low, double high)
{
	double middle = (low + high) / 2, span = fmax(high - low, fabs(middle) / 2);

	if (span <= 0)
		return 0;
	return clamp((int)floor((v - (middle - span / 2)) / span * SPARK_STEPS), 0, SPARK_STEPS - 1);
}

void canvas_spark(struct canvas *c, int y, int x, int width, enum style style, double (*get)(const void *ctx, int back), const void *ctx)
{
	static const char *const blocks[SPARK_STEPS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	double low = HUGE_VAL, high = -HUGE_VAL;

	if (width < 0)
		width = c->width - x;
	for (int back = 0; back < width; back++) {
		double v = get(ctx, back);

		if (isfinite(v)) {
			low = fmin(low, v);
			high = fmax(high, v);
		}
	}
	for (int i = 0; i < width; i++) {
		double v = get(ctx, width - 1 - i);

		if (isfinite(v))
			canvas_text(c, y, x + i, 1, style, blocks[spark_step(v, low, high)]);
	}
}
