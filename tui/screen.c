// SPDX-License-Identifier: MIT
/*
 * What is shown, see screen.h. Pages form a stack: the overview below, at most one panel above it, service
 * pages above that; q and Esc go down. Each page has a filter of its own. Panels change their state in
 * act(), never in draw(), so drawing twice is harmless.
 */
#include "screen_own.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "frame.h"
#include "help.h"
#include "mem.h"

enum { MESSAGE_MS = 3000, PALETTE_ROWS = 14 };

struct screen *screen_new(bool ascii)
{
	struct screen *s = mem_new(1, sizeof *s);
	size_t n = 0;

	while (panels[n])
		n++;
	s->states = mem_new(n, sizeof *s->states);
	for (size_t i = 0; i < n; i++)
		s->states[i] = mem_new(1, panels[i]->state_size);
	s->ascii = ascii;
	s->frozen = -1;
	s->ask_next = INT64_MAX;
	return s;
}

void screen_free(struct screen *s)
{
	if (!s)
		return;
	for (size_t i = 0; panels[i]; i++) {
		if (panels[i]->end)
			panels[i]->end(s->states[i]);
		free(s->states[i]);
	}
	free(s->states);
	chooser_clear(&s->chooser);
	chooser_clear(&s->acting.chooser);
	free(s);
}

void screen_show(struct screen *s, const struct lake *lake)
{
	s->lake = lake;
}

bool screen_frozen(const struct screen *s)
{
	return s->frozen >= 0;
}

void screen_say(struct screen *s, enum style style, const char *format, ...)
{
	char words[2 * REASON_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof words, format, args);
	va_end(args);
	text_clean(s->message, sizeof s->message, text_of(words));
	s->message_style = style;
	s->message_end = clock_ms() + MESSAGE_MS;
}

int64_t screen_due(const struct screen *s)
{
	int64_t due = s->message[0] && s->message_end < s->clock_next ? s->message_end : s->clock_next;

	return !screen_frozen(s) && s->ask_next < due ? s->ask_next : due;
}

/* ---- pages ---- */

struct page *screen_page(struct screen *s)
{
	return &s->pages[s->top];
}

const struct panel *screen_panel(struct screen *s)
{
	return panels[screen_page(s)->panel];
}

bool screen_watches_logs(struct screen *s)
{
	return screen_panel(s)->logs;
}

bool screen_watches_tables(struct screen *s)
{
	return screen_panel(s)->tables;
}

struct panel_view screen_view(struct screen *s)
{
	struct page *page = screen_page(s);

	return (struct panel_view){
		.lake = s->lake, .filter = page->filter, .search = page->search, .problems_only = s->problems_only, .frozen = screen_frozen(s),
		.subject = page->subject[0] ? page->subject : NULL, .log_since = s->log_since,
	};
}

static void push(struct screen *s, int panel, const char *subject)
{
	if (s->top == PAGES_MAX - 1) { /* the oldest above the overview is forgotten */
		memmove(&s->pages[1], &s->pages[2], (PAGES_MAX - 2) * sizeof s->pages[0]);
		s->top--;
	}
	s->pages[++s->top] = (struct page){.panel = panel};
	s->ask_next = 0; /* it may have something open */
	text_copy(screen_page(s)->subject, sizeof screen_page(s)->subject, text_of(subject));
}

/* What was opened from a list of problems is whole; the list is one of problems again. */
static void give_back(struct screen *s)
{
	s->problems_only = s->problems_only || screen_page(s)->from_problems;
	screen_page(s)->from_problems = false;
}

void screen_go_to(struct screen *s, int panel)
{
	if (screen_page(s)->panel == panel && !screen_page(s)->subject[0]) /* of the log of one its key leads to all */
		return;
	give_back(s);
	s->top = 0;
	s->ask_next = 0;
	if (panel != s->pages[0].panel)
		push(s, panel, NULL);
}

void screen_open(struct screen *s, const char *panel, const char *subject)
{
	for (int i = 0; subject && panels[i]; i++)
		if (panels[i] == panel_named(panel)) {
			push(s, i, subject);
			return;
		}
}

bool screen_leave(struct screen *s)
{
	if (s->top == 0)
		return false;
	give_back(s);
	s->top--;
	s->ask_next = 0;
	return true;
}

/* ---- drawing ---- */

static void draw_help(struct screen *s, struct canvas *body, int *y, int *x)
{
	if (s->help_width != body->width) { /* prose is wrapped for a width */
		s->help_width = body->width;
		help_fill(&s->chooser, screen_panel(s), body->width - 6, s->ascii);
	}
	chooser_draw(&s->chooser, body, s->chooser.typing ? "search: " : "help   q leaves   / search   Enter runs a line", y, x);
}

/* The panel, or what stands in its place, between the first line and the last. */
static void draw_body(struct screen *s, struct canvas *body, int *y, int *x)
{
	struct panel_view view = screen_view(s);

	if (s->mode == MODE_HELP)
		draw_help(s, body, y, x);
	else if (s->mode == MODE_ACTING)
		acting_draw(&s->acting, s->lake, body, y, x);
	else
		screen_panel(s)->draw(&view, s->states[screen_page(s)->panel], body);
	*y += *y >= 0;
}

static void draw_palette(struct screen *s, struct canvas *c, int *y, int *x)
{
	int rows = (int)s->chooser.n_kept < PALETTE_ROWS ? (int)s->chooser.n_kept : PALETTE_ROWS;
	struct canvas box;

	rows = rows < 1 ? 1 : rows < c->height - 4 ? rows : c->height - 4;
	box = canvas_part(c, 1, 0, rows + 1, c->width);
	chooser_draw(&s->chooser, &box, ": ", y, x);
	canvas_fill(c, rows + 2, 0, -1, STYLE_RULE, "─");
	*y += *y >= 0;
}

static void draw_bottom(struct screen *s, const struct frame *frame, struct canvas *c, int *y, int *x)
{
	struct canvas line = canvas_part(c, c->height - 1, 0, 1, c->width);

	const char *label = s->mode == MODE_FILTER ? "/" : s->mode == MODE_SEARCH ? "search: " :
		s->save_there ? "this file is there; Enter overwrites it, Esc leaves it: " : "save to the file: ";

	if (s->mode == MODE_FILTER || s->mode == MODE_SEARCH || s->mode == MODE_SAVE) {
		*y = c->height - 1;
		*x = prompt_draw(&s->typed, &line, 0, 0, c->width, label);
	} else
		frame_hints(frame, &line);
}

void screen_draw(struct screen *s, struct canvas *c, int *y, int *x)
{
	int64_t now = clock_ms();
	struct canvas title = canvas_part(c, 0, 0, 1, c->width), body = canvas_part(c, 1, 0, c->height - 2, c->width);
	struct frame frame;

	*y = -1;
	*x = 0;
	canvas_clear(c);
	s->clock_next = INT64_MAX;
	if (c->width < SCREEN_MIN_WIDTH || c->height < SCREEN_MIN_HEIGHT) {
		frame_too_small(c);
		return;
	}
	if (s->message[0] && now >= s->message_end)
		s->message[0] = '\0';
	frame = (struct frame){
		.lake = s->lake, .panel = screen_panel(s), .state = s->states[screen_page(s)->panel], .root = s->top == 0, .keys = s->mode == MODE_PANEL,
		.filter = screen_page(s)->filter, .problems_only = s->problems_only, .frozen_ms = screen_frozen(s) ? now - s->frozen : -1, .wall = clock_wall_ms(),
		.message = s->message[0] ? s->message : NULL,
		.message_style = s->message_style,
	};
	frame_title(&frame, &title);
	if (screen_frozen(s) || frame_has_clock(&frame, &title))
		s->clock_next = now + 1000 - frame.wall % 1000;
	draw_body(s, &body, y, x);
	if (s->mode == MODE_PALETTE)
		draw_palette(s, c, y, x);
	draw_bottom(s, &frame, c, y, x);
}
