// SPDX-License-Identifier: MIT
/* What keys, paste and mouse mean in each mode. See screen_own.h. */
#include "screen_own.h"

#include <stdio.h>
#include <string.h>

#include "keymap.h"

/* ---- keys by mode ---- */

static void filter_key(struct screen *s, int key, struct wish *wish)
{
	if (key == K_ESCAPE || (key == K_BACKSPACE && !s->typed.len)) {
		prompt_set(&s->typed, "");
		s->mode = MODE_PANEL;
	} else if (key == K_ENTER)
		s->mode = MODE_PANEL;
	else if (key == K_UP || key == K_DOWN || key == K_PAGE_UP || key == K_PAGE_DOWN)
		screen_panel_act(s, keymap_act(key), wish);
	else
		prompt_key(&s->typed, key);
	text_copy(screen_page(s)->filter, sizeof screen_page(s)->filter, text_of(s->typed.s));
	if (s->mode == MODE_PANEL)
		screen_filtered(s, wish);
}

static void search_key(struct screen *s, int key, struct wish *wish)
{
	char before[sizeof screen_page(s)->search];

	if (key == K_ESCAPE || (key == K_BACKSPACE && !s->typed.len)) {
		screen_page(s)->search[0] = '\0';
		s->mode = MODE_PANEL;
	} else if (key == K_ENTER) {
		text_copy(before, sizeof before, text_of(screen_page(s)->search));
		if (s->typed.len)
			text_copy(screen_page(s)->search, sizeof screen_page(s)->search, text_of(s->typed.s));
		s->mode = MODE_PANEL;
		screen_panel_act(s, ACT_FIND_NEXT, wish);
		if (s->typed.s[0] == '@') /* one goes to a time once; what is looked for stays */
			text_copy(screen_page(s)->search, sizeof screen_page(s)->search, text_of(before));
	} else
		prompt_key(&s->typed, key);
}

static void save_key(struct screen *s, int key, struct wish *wish)
{
	if (key == K_ESCAPE || (key == K_BACKSPACE && !s->typed.len)) {
		s->mode = MODE_PANEL;
	} else if (key == K_ENTER && s->typed.len) {
		text_copy(s->save_path, sizeof s->save_path, text_of(s->typed.s));
		wish->what |= WISH_SAVE;
		wish->save = s->saving;
		wish->path = s->save_path;
		wish->overwrite = s->save_there;
	} else {
		s->save_there = false;
		prompt_key(&s->typed, key);
	}
}

static void wish_to_act(const struct screen *s, struct wish *wish)
{
	wish->what |= WISH_ACT;
	wish->action = &s->acting.on;
	wish->marks = s->acting.marks;
	wish->n_marks = s->acting.n_marks;
}

static void open_table(struct screen *s, const struct choice *choice, struct wish *wish)
{
	char name[sizeof choice->title + sizeof choice->detail];

	snprintf(name, sizeof name, "%s.%s", choice->detail + strlen("of "), choice->title + strlen("table "));
	if (!screen_enter(s, "tables", name, wish))
		screen_say(s, STYLE_WARN, "%s is not there any more", choice->title);
}

static void run_choice(struct screen *s, const struct choice *chosen, struct wish *wish)
{
	struct choice choice = *chosen; /* running it may fill the list anew */

	s->mode = MODE_PANEL;
	if (choice.what == CHOICE_ACT)
		screen_act(s, (enum act)choice.number, wish);
	else if (choice.what == CHOICE_PANEL)
		screen_go_to(s, choice.number);
	else if (choice.what == CHOICE_SERVICE)
		screen_open(s, "service", choice.title + strlen("open "));
	else if (choice.what == CHOICE_TABLE)
		open_table(s, &choice, wish);
	else if (choice.what == CHOICE_OFFER || choice.what == CHOICE_VERB) {
		enum acting_key what = choice.what == CHOICE_VERB ? acting_verb(&s->acting, s->lake, choice.number) :
			acting_offer(&s->acting, s->lake, choice.number);

		s->mode = what == ACTING_CLOSES ? MODE_PANEL : MODE_ACTING;
		if (what == ACTING_WISHES)
			wish_to_act(s, wish);
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

/* What is offered, one thing or several, is confirmed or dropped. */
static void wish_for_offered(const struct screen *s, bool confirmed, struct wish *wish)
{
	wish->what |= confirmed ? WISH_CONFIRM : WISH_CANCEL;
	if (s->acting.mode != ACTING_MANY) {
		wish->id = s->acting.id;
		return;
	}
	wish->ids = confirmed ? s->acting.run : s->acting.many;
	wish->n_ids = confirmed ? s->acting.n_run : s->acting.n_marks;
	wish->go_on = s->acting.go_on;
}

static void acting_mode_key(struct screen *s, int key, struct wish *wish)
{
	enum acting_key what = acting_press(&s->acting, s->lake, key);

	if (what == ACTING_WISHES)
		wish_to_act(s, wish);
	else if (what == ACTING_CHANGES) {
		const struct action_shown *was = lake_action(s->lake, s->acting.id);

		acting_form(&s->acting, s->lake, &s->acting.on);
		if (was && was->state == ACTION_FAILED) {
			text_copy(s->acting.why, sizeof s->acting.why, text_of(was->words));
		} else {
			wish->what |= WISH_CANCEL;
			wish->id = s->acting.id;
		}
	} else if (what == ACTING_CONFIRMS || what == ACTING_DROPS)
		wish_for_offered(s, what == ACTING_CONFIRMS, wish);
	else if (what == ACTING_UNLOCKS)
		wish->what |= WISH_LOCK;
	else if (what == ACTING_QUITS)
		wish->what |= WISH_QUIT;
	if (what == ACTING_CLOSES || (what == ACTING_DROPS && !is_going(s)) || what == ACTING_UNLOCKS)
		s->mode = MODE_PANEL;
}

struct wish screen_key(struct screen *s, int key)
{
	struct wish wish = {0};
	enum act act = keymap_act(key);

	/* these three work whatever is open */
	if (act == ACT_QUIT || act == ACT_REDRAW || act == ACT_SUSPEND)
		screen_act(s, act, &wish);
	else if (s->mode == MODE_FILTER)
		filter_key(s, key, &wish);
	else if (s->mode == MODE_SEARCH)
		search_key(s, key, &wish);
	else if (s->mode == MODE_SAVE)
		save_key(s, key, &wish);
	else if (s->mode == MODE_ACTING)
		acting_mode_key(s, key, &wish);
	else if (s->mode == MODE_PANEL)
		screen_act(s, act, &wish);
	else
		chooser_mode_key(s, key, &wish);
	return wish;
}

void screen_paste(struct screen *s, struct text text)
{
	if (s->mode == MODE_SEARCH || s->mode == MODE_SAVE) {
		s->save_there = false;
		prompt_paste(&s->typed, text);
	} else if (s->mode == MODE_FILTER) {
		prompt_paste(&s->typed, text);
		text_copy(screen_page(s)->filter, sizeof screen_page(s)->filter, text_of(s->typed.s));
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

/* One row up or down in what is open. */
static void step(struct screen *s, int by, struct wish *wish)
{
	if (s->mode == MODE_ACTING)
		acting_mode_key(s, by < 0 ? K_UP : K_DOWN, wish);
	else if (s->mode == MODE_PALETTE || s->mode == MODE_HELP)
		chooser_mode_key(s, by < 0 ? K_UP : K_DOWN, wish);
	else
		screen_panel_act(s, by < 0 ? ACT_UP : ACT_DOWN, wish);
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
		int next, cursor_y, cursor_x;

		step(s, by, &wish);
		screen_draw(s, c, &cursor_y, &cursor_x);
		next = selected_line(c);
		if (next < 0 || (next - line) * by <= 0)
			break;
		line = next;
		if ((line - y) * by > 0)
			break; /* between two rows */
	}
	return wish;
}

struct wish screen_wheel(struct screen *s, int rows)
{
	struct wish wish = {0};

	for (; rows != 0; rows += rows < 0 ? 1 : -1)
		step(s, rows, &wish);
	return wish;
}

/* ---- what became of a wish ---- */

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
