// SPDX-License-Identifier: MIT
/*
 * A list in columns, for every panel: what does not fit is dropped by priority, the selection
 * follows a name and not a place, and nothing moves that need not. UI thread only.
 */
#include <stdio.h>
#include <string.h>

#include "show.h"

enum { GAP = 2, MARGIN = 1, COLUMNS_MAX = TABLE_COLUMNS_MAX + 4, CELLS_MAX = COLUMNS_MAX + 1, LEAST_SHRUNK = 6 };

struct layout {
	int x[COLUMNS_MAX], width[COLUMNS_MAX]; /* width 0: dropped */
};

/* A column without a head (a glyph) stands close to the next one. */
static int gap_after(const struct grid_column *column)
{
	return column->head && column->head[0] ? GAP : 1;
}

static int lay_total(const struct grid_source *s, const struct layout *l)
{
	int total = 0, gap = 0;

	for (size_t i = 0; i < s->n_columns; i++)
		if (l->width[i]) {
			total += gap + l->width[i];
			gap = gap_after(&s->columns[i]);
		}
	return total;
}

/* The dropped column of the least priority number that still fits; the others stay away. */
static void lay_add(const struct grid_source *s, struct layout *l, int room)
{
	bool tried[COLUMNS_MAX] = {false};

	for (;;) {
		size_t best = s->n_columns;

		for (size_t i = 0; i < s->n_columns; i++)
			if (!tried[i] && (best == s->n_columns || s->columns[i].priority < s->columns[best].priority))
				best = i;
		if (best == s->n_columns || s->columns[best].priority >= GRID_NEVER)
			return;
		tried[best] = true;
		l->width[best] = s->columns[best].width;
		if (s->columns[best].priority > 0 && lay_total(s, l) > room)
			l->width[best] = 0;
	}
}

/* Even the indispensable ones may be too wide: the widest text gives way. */
static void lay_shrink(const struct grid_source *s, struct layout *l, int room)
{
	while (lay_total(s, l) > room) {
		size_t widest = s->n_columns;

		for (size_t i = 0; i < s->n_columns; i++)
			if (!s->columns[i].right && l->width[i] > LEAST_SHRUNK && (widest == s->n_columns || l->width[i] > l->width[widest]))
				widest = i;
		if (widest == s->n_columns)
			return; /* the edge cuts */
		l->width[widest]--;
	}
}

static void lay_out(const struct grid_source *s, struct layout *l, int room)
{
	int x = MARGIN, left;

	*l = (struct layout){0};
	lay_add(s, l, room);
	lay_shrink(s, l, room);
	left = room - lay_total(s, l);
	for (size_t i = 0; i < s->n_columns; i++) {
		if (s->columns[i].flexible && l->width[i] && left > 0) {
			l->width[i] += left;
			left = 0;
		}
		l->x[i] = x;
		if (l->width[i])
			x += l->width[i] + gap_after(&s->columns[i]);
	}
}

/* ---- scrolling and selection ---- */

static const char *name_of(const struct grid_source *s, int row, struct grid_cell *cells, char scratch[][VALUE_TEXT_SIZE])
{
	const char *name = s->name ? s->name(s->ctx, (size_t)row, scratch[0]) : s->row(s->ctx, (size_t)row, cells, scratch);

	return name ? name : "";
}

static bool is_anchor(const struct grid *g, const char *name)
{
	char cut[NAME_SIZE];

	return !strcmp(g->anchor, text_copy(cut, sizeof cut, text_of(name)));
}

static void set_anchor(struct grid *g, const struct grid_source *s)
{
	struct grid_cell cells[CELLS_MAX] = {{0}};
	char scratch[CELLS_MAX][VALUE_TEXT_SIZE];

	g->anchor[0] = '\0';
	if (s->n_rows)
		text_copy(g->anchor, sizeof g->anchor, text_of(name_of(s, g->selected, cells, scratch)));
}

/* Rows may have come, gone or moved since: stay with the name. */
static void follow(struct grid *g, const struct grid_source *s)
{
	struct grid_cell cells[CELLS_MAX] = {{0}};
	char scratch[CELLS_MAX][VALUE_TEXT_SIZE];
	int n = (int)s->n_rows;

	g->selected = int_clamp(g->selected, 0, n ? n - 1 : 0);
	if (!n || (g->anchor[0] && is_anchor(g, name_of(s, g->selected, cells, scratch))))
		return;
	for (int i = 0; g->anchor[0] && i < n; i++)
		if (is_anchor(g, name_of(s, i, cells, scratch))) {
			g->selected = i;
			return;
		}
	set_anchor(g, s);
}

static int lines_of(const struct grid_source *s, int row)
{
	char note[REASON_SIZE];
	enum style style;
	int lines = 1;

	if (s->heading && s->heading(s->ctx, (size_t)row))
		lines++;
	if (s->note && s->note(s->ctx, (size_t)row, note, &style))
		lines++;
	return lines;
}

/* Lines that the rows take, as far as most. */
static int lines_between(const struct grid_source *s, int first, int last, int most)
{
	int lines = 0;

	for (int i = first; i <= last && lines <= most; i++)
		lines += lines_of(s, i);
	return lines;
}

static void scroll(struct grid *g, const struct grid_source *s, int body)
{
	int last = (int)s->n_rows - 1;

	g->top = int_clamp(g->top, 0, last > 0 ? last : 0);
	if (g->selected < g->top)
		g->top = g->selected;
	if (g->selected - g->top > body)
		g->top = g->selected - body;
	while (g->top < g->selected && lines_between(s, g->top, g->selected, body) > body)
		g->top++;
	while (g->top > 0 && lines_between(s, g->top - 1, last, body) <= body)
		g->top--;
}

/* ---- drawing ---- */

static void draw_head(const struct grid *g, const struct grid_source *s, const struct layout *l, struct canvas *c)
{
	char head[VALUE_TEXT_SIZE];

	for (size_t i = 0; i < s->n_columns; i++) {
		const struct grid_column *column = &s->columns[i];

		if (!l->width[i] || !column->head)
			continue;
		snprintf(head, sizeof head, "%s%s", column->head, g->sort == (int)i ? g->reverse ? "↓" : "↑" : "");
		if (column->right)
			canvas_right(c, 0, l->x[i], l->width[i], STYLE_HEADING, head);
		else
			show_text(c, 0, l->x[i], l->width[i], STYLE_HEADING, head);
	}
}

static void draw_row(const struct grid_source *s, const struct layout *l, struct canvas *c, int y, int row, bool selected)
{
	struct grid_cell cells[CELLS_MAX] = {{0}};
	char scratch[CELLS_MAX][VALUE_TEXT_SIZE];

	s->row(s->ctx, (size_t)row, cells, scratch);
	for (size_t i = 0; i < s->n_columns; i++) {
		if (!l->width[i])
			continue;
		if (cells[i].spark)
			canvas_spark(c, y, l->x[i], l->width[i], cells[i].style, cells[i].spark, cells[i].spark_ctx);
		else if (cells[i].s && s->columns[i].right)
			canvas_right(c, y, l->x[i], l->width[i], cells[i].style, cells[i].s);
		else if (cells[i].s && s->columns[i].tail)
			show_tail(c, y, l->x[i], l->width[i], cells[i].style, cells[i].s);
		else if (cells[i].s)
			show_text(c, y, l->x[i], l->width[i], cells[i].style, cells[i].s);
	}
	if (selected)
		canvas_restyle(c, y, 0, c->width, STYLE_SELECTED);
}

/* In the right margin, only where something is out of sight. */
static void draw_scrollbar(const struct grid *g, const struct grid_source *s, struct canvas *c, int shown)
{
	int body = c->height - 1, n = (int)s->n_rows;
	int thumb = int_max(1, body * shown / n);
	int at = n > shown ? (body - thumb) * g->top / (n - shown) : 0;

	if (shown < n)
		for (int y = 0; y < thumb; y++)
			canvas_text(c, 1 + int_clamp(at, 0, body - thumb) + y, c->width - 1, 1, STYLE_DIM, "│");
}

static int first_text(const struct grid_source *s, const struct layout *l)
{
	for (size_t i = 0; i < s->n_columns; i++)
		if (l->width[i] && s->columns[i].head && s->columns[i].head[0])
			return l->x[i];
	return MARGIN;
}

void grid_draw(struct grid *g, const struct grid_source *given, struct canvas *c)
{
	struct grid_source s = *given;
	struct layout l;
	int body = c->height - 1, y = 1, shown = 0, indent;

	if (s.n_columns > COLUMNS_MAX)
		s.n_columns = COLUMNS_MAX;
	lay_out(&s, &l, c->width - 2 * MARGIN);
	draw_head(g, &s, &l, c);
	follow(g, &s);
	if (!s.n_rows) {
		show_wrapped(c, 1, MARGIN, c->width - 2 * MARGIN, STYLE_DIM, s.empty ? s.empty : "nothing");
		return;
	}
	if (body < 4) { /* no line to spare for what is not a row */
		s.heading = NULL;
		s.note = NULL;
	}
	scroll(g, &s, body);
	indent = first_text(&s, &l);
	for (int row = g->top; row < (int)s.n_rows && y <= body; row++) {
		const char *heading = s.heading ? s.heading(s.ctx, (size_t)row) : NULL;
		char note[REASON_SIZE];
		enum style style = STYLE_DIM;

		if (heading)
			show_text(c, y++, indent, c->width - indent - MARGIN, STYLE_DIM, heading);
		if (y > body)
			break;
		draw_row(&s, &l, c, y++, row, row == g->selected);
		shown++;
		if (s.note && y <= body && s.note(s.ctx, (size_t)row, note, &style))
			show_text(c, y++, indent + 8, c->width - indent - 8 - MARGIN, style, note);
	}
	draw_scrollbar(g, &s, c, shown);
}

bool grid_act(struct grid *g, const struct grid_source *s, int page, enum act act)
{
	int last = s->n_rows ? (int)s->n_rows - 1 : 0;

	follow(g, s);
	switch ((int)act) {
	case ACT_UP:
		g->selected--;
		break;
	case ACT_DOWN:
		g->selected++;
		break;
	case ACT_PAGE_UP:
		g->selected -= int_max(1, page);
		break;
	case ACT_PAGE_DOWN:
		g->selected += int_max(1, page);
		break;
	case ACT_TOP:
		g->selected = 0;
		break;
	case ACT_BOTTOM:
		g->selected = last;
		break;
	default:
		return false;
	}
	g->selected = int_clamp(g->selected, 0, last);
	set_anchor(g, s);
	return true;
}
