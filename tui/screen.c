// SPDX-License-Identifier: MIT
/*
 * See screen.h. Pages form a stack: the overview below, at most one panel above it, service pages
 * above that; q and Esc go down. Each page has a filter of its own. Panels change their state in
 * act(), never in draw(), so drawing twice is harmless.
 */
#include "screen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acting.h"
#include "clock.h"
#include "frame.h"
#include "help.h"
#include "keymap.h"
#include "mem.h"
#include "palette.h"

enum { PAGES_MAX = 16, MESSAGE_MS = 3000, ASK_MS = 5000, PALETTE_ROWS = 14 };

enum mode { MODE_PANEL, MODE_FILTER, MODE_SEARCH, MODE_SAVE, MODE_PALETTE, MODE_HELP, MODE_ACTING };

struct page {
	int panel;               /* index of panels[] */
	char subject[NAME_SIZE]; /* of a service page */
	char filter[PROMPT_SIZE], search[PROMPT_SIZE];
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
	struct prompt filter;
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

static struct page *page_of(struct screen *s)
{
	return &s->pages[s->top];
}

static const struct panel *panel_of(struct screen *s)
{
	return panels[page_of(s)->panel];
}

bool screen_watches_logs(struct screen *s)
{
	return panel_of(s)->logs;
}

bool screen_watches_tables(struct screen *s)
{
	return panel_of(s)->tables;
}

static struct panel_view view_of(struct screen *s)
{
	struct page *page = page_of(s);

	return (struct panel_view){
		.lake = s->lake, .filter = page->filter, .search = page->search, .problems_only = s->problems_only, .frozen = screen_frozen(s),
		.subject = page->subject[0] ? page->subject : NULL, .log_since = s->log_since,
	};
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

/* ---- drawing ---- */

static void draw_panel(struct screen *s, struct canvas *c)
{
	struct panel_view view = view_of(s);
	struct canvas body = canvas_part(c, 1, 0, c->height - 2, c->width);

	canvas_clear(&body);
	panel_of(s)->draw(&view, s->states[page_of(s)->panel], &body);
}

static void draw_help(struct screen *s, struct canvas *c, int *y, int *x)
{
	struct canvas body = canvas_part(c, 1, 0, c->height - 2, c->width);

	if (s->help_width != c->width) { /* prose is wrapped for a width */
		s->help_width = c->width;
		help_fill(&s->chooser, panel_of(s), c->width - 6, s->ascii);
	}
	chooser_draw(&s->chooser, &body, s->chooser.typing ? "search: " : "help   q leaves   / search   Enter runs a line", y, x);
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

static void draw_acting(struct screen *s, struct canvas *c, int *y, int *x)
{
	struct canvas body = canvas_part(c, 1, 0, c->height - 2, c->width);

	acting_draw(&s->acting, s->lake, &body, y, x);
	*y += *y >= 0;
}

static void draw_bottom(struct screen *s, const struct frame *frame, struct canvas *c, int *y, int *x)
{
	struct canvas line = canvas_part(c, c->height - 1, 0, 1, c->width);

	const char *label = s->mode == MODE_FILTER ? "/" : s->mode == MODE_SEARCH ? "search: " :
		s->save_there ? "this file is there; Enter overwrites it, Esc leaves it: " : "save to the file: ";

	if (s->mode == MODE_FILTER || s->mode == MODE_SEARCH || s->mode == MODE_SAVE) {
		*y = c->height - 1;
		*x = prompt_draw(&s->filter, &line, 0, 0, c->width, label);
	} else
		frame_hints(frame, &line);
}

void screen_draw(struct screen *s, struct canvas *c, int *y, int *x)
{
	int64_t now = clock_ms();
	struct canvas title = canvas_part(c, 0, 0, 1, c->width);
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
		.lake = s->lake, .panel = panel_of(s), .root = s->top == 0, .keys = s->mode == MODE_PANEL, .filter = page_of(s)->filter,
		.problems_only = s->problems_only, .frozen_ms = screen_frozen(s) ? now - s->frozen : -1, .wall = clock_wall_ms(),
		.message = s->message[0] ? s->message : NULL,
		.message_style = s->message_style,
	};
	frame_title(&frame, &title);
	if (screen_frozen(s) || frame_has_clock(&frame, &title))
		s->clock_next = now + 1000 - frame.wall % 1000;
	if (s->mode == MODE_HELP)
		draw_help(s, c, y, x);
	else if (s->mode == MODE_ACTING)
		draw_acting(s, c, y, x);
	else
		draw_panel(s, c);
	if (s->mode == MODE_PALETTE)
		draw_palette(s, c, y, x);
	draw_bottom(s, &frame, c, y, x);
}

/* ---- pages ---- */

static void push(struct screen *s, int panel, const char *subject)
{
	if (s->top == PAGES_MAX - 1) { /* the oldest above the overview is forgotten */
		memmove(&s->pages[1], &s->pages[2], (PAGES_MAX - 2) * sizeof s->pages[0]);
		s->top--;
	}
	s->pages[++s->top] = (struct page){.panel = panel};
	s->ask_next = 0; /* it may have something open */
	text_copy(page_of(s)->subject, sizeof page_of(s)->subject, text_of(subject));
}

/* What was opened from a list of problems is whole; the list is one of problems again. */
static void give_back(struct screen *s)
{
	s->problems_only = s->problems_only || page_of(s)->from_problems;
	page_of(s)->from_problems = false;
}

static void go_to_panel(struct screen *s, int panel)
{
	if (page_of(s)->panel == panel && !page_of(s)->subject[0]) /* of the log of one its key leads to all */
		return;
	give_back(s);
	s->top = 0;
	s->ask_next = 0;
	if (panel != s->pages[0].panel)
		push(s, panel, NULL);
}

static void open_panel(struct screen *s, const char *panel, const char *subject)
{
	for (int i = 0; subject && panels[i]; i++)
		if (panels[i] == panel_named(panel)) {
			push(s, i, subject);
			return;
		}
}

static void open_service(struct screen *s, const char *name)
{
	open_panel(s, "service", name);
}

static bool leave_page(struct screen *s)
{
	if (s->top == 0)
		return false;
	give_back(s);
	s->top--;
	s->ask_next = 0;
	return true;
}

/* ---- acts ---- */

static unsigned panel_act_by(struct screen *s, enum act act, bool by_hand, struct wish *wish);

static void react(struct screen *s, const struct panel_view *view, unsigned reactions, struct wish *wish)
{
	if (reactions & REACT_REFRESH) {
		wish->what |= WISH_REFRESH;
		text_copy(wish->service, sizeof wish->service, text_of(view->open));
	}
	if (reactions & REACT_IDENTIFY) {
		wish->what |= WISH_IDENTIFY;
		text_copy(wish->address, sizeof wish->address, text_of(view->address));
		wish->port = view->port;
	}
	if ((reactions & REACT_COPY) && view->copy) {
		wish->what |= WISH_COPY;
		wish->copy = view->copy;
	}
	if ((reactions & REACT_DROP) && view->drop_service) {
		wish->what |= WISH_DROP;
		text_copy(wish->service, sizeof wish->service, text_of(view->drop_service));
	}
	if ((reactions & REACT_LOGS) && panel_of(s)->logs) {
		wish->what |= WISH_LOGS;
		wish->logs = (struct log_wish){.since = view->log_since, .least = view->log_least};
		if (view->log_part)
			wish->logs.part = *view->log_part;
		text_copy(wish->logs.service, sizeof wish->logs.service, text_of(view->log_service));
		text_copy(wish->logs.match, sizeof wish->logs.match, text_of(view->log_match));
	} else if (reactions & REACT_FIND) {
		wish->what |= WISH_FIND;
		wish->logs = (struct log_wish){.least = view->log_least};
		text_copy(wish->logs.match, sizeof wish->logs.match, text_of(view->log_match));
	}
	if (view->again_ms)
		s->ask_next = clock_ms() + view->again_ms;
	if ((reactions & REACT_ASK) && (view->ask_service || view->ask_catalog) && view->ask_view) {
		wish->what |= WISH_ASK;
		text_copy(wish->ask_service, sizeof wish->ask_service, text_of(view->ask_catalog ? view->ask_catalog : view->ask_service));
		wish->ask_catalog = view->ask_catalog != NULL;
		text_copy(wish->ask_view, sizeof wish->ask_view, text_of(view->ask_view));
		text_copy(wish->ask_subject, sizeof wish->ask_subject, text_of(view->ask_subject));
		if (!view->again_ms)
			s->ask_next = clock_ms() + ASK_MS;
	}
	if ((reactions & REACT_ACT) && (view->n_act_marks ? acting_menu_of(&s->acting, s->lake, view->act_on, view->act_marks, view->n_act_marks) :
		acting_menu(&s->acting, s->lake, view->act_on, view->act_service, view->act_subject)))
		s->mode = MODE_ACTING;
	if ((reactions & REACT_SAVE) && view->save) {
		s->saving = view->save;
		s->save_there = false;
		s->mode = MODE_SAVE;
		prompt_set(&s->filter, s->save_path);
	}
	if (reactions & REACT_CLOSE)
		leave_page(s);
	if (reactions & REACT_OPEN)
		open_service(s, view->open);
	if ((reactions & REACT_LOGS) && !panel_of(s)->logs) {
		open_panel(s, "logs", view->log_service);
		page_of(s)->from_problems = s->problems_only;
		s->problems_only = false;
		s->log_since = view->log_since;
		panel_act_by(s, ACT_LOGS, false, wish); /* anew, at the moment that is told now */
		s->log_since = 0;
	}
}

static unsigned panel_act_by(struct screen *s, enum act act, bool by_hand, struct wish *wish)
{
	struct panel_view view = view_of(s);
	unsigned reactions;

	view.by_hand = by_hand;
	reactions = panel_of(s)->act ? panel_of(s)->act(&view, s->states[page_of(s)->panel], act) : REACT_NONE;

	react(s, &view, reactions, wish);
	return reactions;
}

static unsigned panel_act(struct screen *s, enum act act, struct wish *wish)
{
	return panel_act_by(s, act, true, wish);
}

struct wish screen_tick(struct screen *s)
{
	struct wish wish = {0};

	if (screen_frozen(s) || clock_ms() < s->ask_next)
		return wish;
	s->ask_next = INT64_MAX; /* unless it wants more */
	panel_act_by(s, ACT_REFRESH, false, &wish);
	return wish;
}

/* A panel that reads more than it shows reads anew by what was typed. */
static void filtered(struct screen *s, struct wish *wish)
{
	if (panel_of(s)->logs)
		panel_act(s, ACT_FILTER, wish);
}

/* Esc: the topmost thing that can be undone. */
static void cancel(struct screen *s, struct wish *wish)
{
	if (s->message[0])
		s->message[0] = '\0';
	else if (panel_act(s, ACT_CANCEL, wish) != REACT_NONE)
		return;
	else if (page_of(s)->filter[0]) {
		page_of(s)->filter[0] = '\0';
		filtered(s, wish);
	} else if (s->problems_only)
		s->problems_only = false;
	else
		leave_page(s);
}

static void begin_filter(struct screen *s)
{
	s->mode = MODE_FILTER;
	prompt_set(&s->filter, page_of(s)->filter);
}

static void begin_chooser(struct screen *s, enum mode mode)
{
	s->mode = mode;
	s->chooser.typing = s->chooser.always_typing = false;
	prompt_set(&s->chooser.prompt, "");
	s->help_width = -1; /* the help is filled when it is drawn */
	if (mode == MODE_PALETTE)
		palette_fill(&s->chooser, s->lake, s->ascii);
}

static void freeze(struct screen *s)
{
	s->frozen = screen_frozen(s) ? -1 : clock_ms();
}

static void refresh(struct screen *s, struct wish *wish)
{
	wish->what |= WISH_REFRESH;
	text_copy(wish->service, sizeof wish->service, text_of(page_of(s)->subject));
	panel_act(s, ACT_REFRESH, wish);
	if (screen_frozen(s))
		screen_say(s, STYLE_ACCENT, "asking; the picture is frozen: p lets it go");
	else
		screen_say(s, STYLE_ACCENT, "asking %s now", wish->service[0] ? wish->service : "everything");
}

/* Nothing is left behind without a word. */
static void quit(struct screen *s, struct wish *wish)
{
	for (size_t i = 0; i < s->lake->n_actions; i++)
		if ((s->lake->actions[i].state == ACTION_RUNNING || s->lake->actions[i].state == ACTION_VERIFYING || s->lake->actions[i].state == ACTION_QUEUED) &&
			!(s->mode == MODE_ACTING && s->acting.mode == ACTING_QUIT)) {
			acting_quit(&s->acting);
			s->mode = MODE_ACTING;
			return;
		}
	wish->what |= WISH_QUIT;
}

static void lock(struct screen *s, struct wish *wish)
{
	if (s->lake->locked && strncmp(s->lake->locked, "locked", 6) != 0) { /* no word opens that */
		screen_say(s, STYLE_WARN, "%s", s->lake->locked);
		return;
	}
	if (s->lake->locked) {
		acting_unlock(&s->acting);
		s->mode = MODE_ACTING;
		return;
	}
	wish->what |= WISH_LOCK;
	wish->locked = true;
}

static void panel_key(struct screen *s, enum act act)
{
	for (int i = 0; panels[i]; i++)
		if (panels[i]->key == '0' + (int)(act - ACT_PANEL_0)) {
			go_to_panel(s, i);
			return;
		}
	screen_say(s, STYLE_DIM, "there is no panel %d: ? lists them", (int)(act - ACT_PANEL_0));
}

static void run_act(struct screen *s, enum act act, struct wish *wish)
{
	if (act >= ACT_PANEL_0 && act <= ACT_PANEL_9) {
		panel_key(s, act);
		return;
	}
	switch ((int)act) {
	case ACT_NONE:
		return;
	case ACT_BACK:
		if (panel_act(s, act, wish) == REACT_NONE && !leave_page(s))
			quit(s, wish);
		return;
	case ACT_CANCEL:
		cancel(s, wish);
		return;
	case ACT_HELP:
		begin_chooser(s, MODE_HELP);
		return;
	case ACT_PALETTE:
		begin_chooser(s, MODE_PALETTE);
		return;
	case ACT_FILTER:
		begin_filter(s);
		return;
	case ACT_SEARCH:
		if (panel_of(s)->logs) {
			s->mode = MODE_SEARCH;
			prompt_set(&s->filter, ""); /* "@10:42" is typed in front of nothing; empty finds the last one again */
		}
		return;
	case ACT_PROBLEMS:
		s->problems_only = !s->problems_only;
		filtered(s, wish);
		return;
	case ACT_REFRESH:
		refresh(s, wish);
		return;
	case ACT_FREEZE:
		freeze(s);
		return;
	case ACT_MOUSE:
		wish->what |= WISH_MOUSE;
		return;
	case ACT_REDRAW:
		wish->what |= WISH_REDRAW;
		return;
	case ACT_SUSPEND:
		wish->what |= WISH_SUSPEND;
		return;
	case ACT_RUNNING:
		if (acting_list(&s->acting, s->lake))
			s->mode = MODE_ACTING;
		else
			screen_say(s, STYLE_DIM, "nothing was done yet");
		return;
	case ACT_LOCK:
		lock(s, wish);
		return;
	case ACT_QUIT:
		quit(s, wish);
		return;
	default:
		panel_act(s, act, wish);
	}
}

/* ---- keys by mode ---- */

static void filter_key(struct screen *s, int key, struct wish *wish)
{
	if (key == K_ESCAPE || (key == K_BACKSPACE && !s->filter.len)) {
		prompt_set(&s->filter, "");
		s->mode = MODE_PANEL;
	} else if (key == K_ENTER)
		s->mode = MODE_PANEL;
	else if (key == K_UP || key == K_DOWN || key == K_PAGE_UP || key == K_PAGE_DOWN)
		panel_act(s, keymap_act(key), wish);
	else
		prompt_key(&s->filter, key);
	text_copy(page_of(s)->filter, sizeof page_of(s)->filter, text_of(s->filter.s));
	if (s->mode == MODE_PANEL)
		filtered(s, wish);
}

static void search_key(struct screen *s, int key, struct wish *wish)
{
	if (key == K_ESCAPE || (key == K_BACKSPACE && !s->filter.len)) {
		page_of(s)->search[0] = '\0';
		s->mode = MODE_PANEL;
	} else if (key == K_ENTER) {
		if (s->filter.len)
			text_copy(page_of(s)->search, sizeof page_of(s)->search, text_of(s->filter.s));
		s->mode = MODE_PANEL;
		panel_act(s, ACT_FIND_NEXT, wish);
	} else
		prompt_key(&s->filter, key);
}

static void save_key(struct screen *s, int key, struct wish *wish)
{
	if (key == K_ESCAPE || (key == K_BACKSPACE && !s->filter.len)) {
		s->mode = MODE_PANEL;
	} else if (key == K_ENTER && s->filter.len) {
		text_copy(s->save_path, sizeof s->save_path, text_of(s->filter.s));
		wish->what |= WISH_SAVE;
		wish->save = s->saving;
		wish->path = s->save_path;
		wish->overwrite = s->save_there;
	} else {
		s->save_there = false;
		prompt_key(&s->filter, key);
	}
}

void screen_saved(struct screen *s, bool exists, const char *failed)
{
	s->save_there = exists && !s->save_there;
	if (s->save_there)
		return;
	s->mode = MODE_PANEL;
	if (failed)
		screen_say(s, STYLE_BAD, "%s", failed);
	else
		screen_say(s, STYLE_ACCENT, "saved to %s", s->save_path);
}

static void run_choice(struct screen *s, const struct choice *chosen, struct wish *wish)
{
	struct choice choice = *chosen; /* running it may fill the list anew */

	s->mode = MODE_PANEL;
	if (choice.what == CHOICE_ACT)
		run_act(s, (enum act)choice.number, wish);
	else if (choice.what == CHOICE_PANEL)
		go_to_panel(s, choice.number);
	else if (choice.what == CHOICE_SERVICE)
		open_service(s, choice.title + strlen("open "));
	else if (choice.what == CHOICE_OFFER) {
		enum acting_key what = acting_offer(&s->acting, s->lake, choice.number);

		s->mode = what == ACTING_CLOSES ? MODE_PANEL : MODE_ACTING;
		wish->what |= what == ACTING_WISHES ? WISH_ACT : 0;
		wish->action = &s->acting.on;
		wish->marks = s->acting.marks;
		wish->n_marks = s->acting.n_marks;
	}
}

static void chooser_mode_key(struct screen *s, int key, struct wish *wish)
{
	switch (chooser_key(&s->chooser, key)) {
	case CHOOSER_OPEN:
		return;
	case CHOOSER_LEFT:
		s->mode = MODE_PANEL;
		return;
	case CHOOSER_CHOSEN:
		run_choice(s, chooser_chosen(&s->chooser), wish);
	}
}

/* What is cancelled of several that run is seen to end. */
static bool is_going(const struct screen *s)
{
	for (size_t i = 0; s->acting.mode == ACTING_MANY && i < s->acting.n_marks; i++) {
		const struct action_shown *a = s->acting.many[i] ? lake_action(s->lake, s->acting.many[i]) : NULL;

		if (a && (a->state == ACTION_RUNNING || a->state == ACTION_VERIFYING))
			return true;
	}
	return false;
}

static void acting_mode_key(struct screen *s, int key, struct wish *wish)
{
	enum acting_key what = acting_press(&s->acting, s->lake, key);

	if (what == ACTING_WISHES) {
		wish->what |= WISH_ACT;
		wish->action = &s->acting.on;
		wish->marks = s->acting.marks;
		wish->n_marks = s->acting.n_marks;
	} else if (s->acting.mode == ACTING_MANY && (what == ACTING_CONFIRMS || what == ACTING_DROPS)) {
		wish->what |= what == ACTING_CONFIRMS ? WISH_CONFIRM : WISH_CANCEL;
		wish->ids = what == ACTING_CONFIRMS ? s->acting.run : s->acting.many;
		wish->n_ids = what == ACTING_CONFIRMS ? s->acting.n_run : s->acting.n_marks;
		wish->go_on = s->acting.go_on;
	} else if (what == ACTING_CHANGES) {
		wish->what |= WISH_CANCEL;
		wish->id = s->acting.id;
		acting_form(&s->acting, s->lake, &s->acting.on);
	} else if (what == ACTING_CONFIRMS || what == ACTING_DROPS) {
		wish->what |= what == ACTING_CONFIRMS ? WISH_CONFIRM : WISH_CANCEL;
		wish->id = s->acting.id;
	} else if (what == ACTING_UNLOCKS)
		wish->what |= WISH_LOCK;
	else if (what == ACTING_QUITS)
		wish->what |= WISH_QUIT;
	if (what == ACTING_CLOSES || (what == ACTING_DROPS && !is_going(s)) || what == ACTING_UNLOCKS)
		s->mode = MODE_PANEL;
}

void screen_offer(struct screen *s, uint64_t id, const char *refused)
{
	if (id)
		acting_one(&s->acting, id);
	else if (s->mode != MODE_ACTING || !acting_refused(&s->acting, refused)) {
		s->mode = MODE_PANEL;
		screen_say(s, STYLE_WARN, "%s", refused);
	}
}

void screen_offer_many(struct screen *s, size_t at, uint64_t id, const char *refused)
{
	acting_many(&s->acting, at, id, refused);
}

struct wish screen_key(struct screen *s, int key)
{
	struct wish wish = {0};
	enum act act = keymap_act(key);

	/* these three work whatever is open */
	if (act == ACT_QUIT || act == ACT_REDRAW || act == ACT_SUSPEND)
		run_act(s, act, &wish);
	else if (s->mode == MODE_FILTER)
		filter_key(s, key, &wish);
	else if (s->mode == MODE_SEARCH)
		search_key(s, key, &wish);
	else if (s->mode == MODE_SAVE)
		save_key(s, key, &wish);
	else if (s->mode == MODE_ACTING)
		acting_mode_key(s, key, &wish);
	else if (s->mode == MODE_PANEL)
		run_act(s, act, &wish);
	else
		chooser_mode_key(s, key, &wish);
	return wish;
}

void screen_paste(struct screen *s, struct text text)
{
	if (s->mode == MODE_SEARCH || s->mode == MODE_SAVE) {
		s->save_there = false;
		prompt_paste(&s->filter, text);
	} else if (s->mode == MODE_FILTER) {
		prompt_paste(&s->filter, text);
		text_copy(page_of(s)->filter, sizeof page_of(s)->filter, text_of(s->filter.s));
	} else if (s->mode == MODE_ACTING) {
		acting_paste(&s->acting, text);
	} else if (s->mode != MODE_PANEL && s->chooser.typing) {
		prompt_paste(&s->chooser.prompt, text);
		chooser_search(&s->chooser);
	}
}

/* ---- mouse ---- */

/* The line that a panel or list drew as selected; -1: none in sight. */
static int selected_line(const struct canvas *c)
{
	for (int y = 1; y < c->height - 1; y++)
		for (int x = 0; x < c->width; x++)
			if (c->cells[(ptrdiff_t)y * c->stride + x].style == STYLE_SELECTED)
				return y;
	return -1;
}

/* One row up or down, and the picture of it. */
static int step_line(struct screen *s, struct canvas *c, int by, struct wish *wish)
{
	int y, x;

	if (s->mode == MODE_ACTING)
		acting_mode_key(s, by < 0 ? K_UP : K_DOWN, wish);
	else if (s->mode == MODE_PALETTE || s->mode == MODE_HELP)
		chooser_mode_key(s, by < 0 ? K_UP : K_DOWN, wish);
	else
		panel_act(s, by < 0 ? ACT_UP : ACT_DOWN, wish);
	screen_draw(s, c, &y, &x);
	return selected_line(c);
}

struct wish screen_click(struct screen *s, struct canvas *c, int y)
{
	struct wish wish = {0};
	int line = selected_line(c), by = line < y ? 1 : -1;

	if (line < 0 || y < 1 || y >= c->height - 1)
		return wish;
	if (line == y) /* a second click opens */
		return screen_key(s, K_ENTER);
	/* panels need not tell where they drew a row: the selection walks there */
	for (int left = c->height; left > 0 && line != y; left--) {
		int next = step_line(s, c, by, &wish);

		if (next < 0 || (next - line) * by <= 0)
			break;
		line = next;
		if ((line - y) * by > 0)
			break; /* between two rows */
	}
	return wish;
}

void screen_wheel(struct screen *s, int rows)
{
	struct wish unused = {0};

	for (; rows != 0; rows += rows < 0 ? 1 : -1)
		if (s->mode == MODE_ACTING)
			acting_mode_key(s, rows < 0 ? K_UP : K_DOWN, &unused);
		else if (s->mode == MODE_PALETTE || s->mode == MODE_HELP)
			chooser_mode_key(s, rows < 0 ? K_UP : K_DOWN, &unused);
		else
			panel_act(s, rows < 0 ? ACT_UP : ACT_DOWN, &unused);
}
