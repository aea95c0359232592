// SPDX-License-Identifier: MIT
/* See chooser.h. The search is done anew at each key: lists are a few hundred rows. Pure. */
#include "chooser.h"

#include <stdlib.h>
#include <string.h>

#include "keymap.h"
#include "mem.h"

void chooser_clear(struct chooser *ch)
{
	free(ch->all);
	free(ch->kept);
	ch->all = NULL;
	ch->kept = NULL;
	ch->n = ch->room = ch->n_kept = 0;
}

struct choice *chooser_add(struct chooser *ch, enum choice_what what, int number, const char *key, const char *title, const char *detail)
{
	struct choice *choice;

	if (ch->n == ch->room) {
		ch->room = ch->room ? 2 * ch->room : 64;
		ch->all = mem_grow(ch->all, ch->room, sizeof *ch->all);
	}
	choice = &ch->all[ch->n++];
	*choice = (struct choice){.what = what, .number = number, .style = STYLE_NORMAL};
	text_copy(choice->key, sizeof choice->key, text_of(key));
	text_copy(choice->title, sizeof choice->title, text_of(title));
	text_copy(choice->detail, sizeof choice->detail, text_of(detail));
	return choice;
}

void chooser_search(struct chooser *ch)
{
	int *scores = mem_new(ch->n, sizeof *scores);

	ch->kept = mem_grow(ch->kept, ch->n, sizeof *ch->kept);
	ch->n_kept = 0;
	for (size_t i = 0; i < ch->n; i++) {
		size_t place = ch->n_kept;

		scores[i] = ch->prompt.len ? ch->score(&ch->all[i], ch->prompt.s) : 0;
		if (scores[i] < 0)
			continue;
		/* insertion keeps the given order among equals */
		for (; place > 0 && scores[ch->kept[place - 1]] < scores[i]; place--)
			ch->kept[place] = ch->kept[place - 1];
		ch->kept[place] = i;
		ch->n_kept++;
	}
	free(scores);
	ch->selected = ch->top = 0;
	/* the best of what was typed stays it, also where it cannot be done: its reason stands beside it */
	while (ch->selected + 1 < ch->n_kept && ch->all[ch->kept[ch->selected]].what < (ch->always_typing && ch->prompt.len ? CHOICE_NOTE : CHOICE_ACT))
		ch->selected++;
	if (ch->n_kept && ch->all[ch->kept[ch->selected]].what < CHOICE_ACT)
		ch->selected = 0;
}

const struct choice *chooser_chosen(const struct chooser *ch)
{
	return ch->selected < ch->n_kept ? &ch->all[ch->kept[ch->selected]] : NULL;
}

static bool is_heading(const struct chooser *ch, long row)
{
	return row >= 0 && row < (long)ch->n_kept && ch->all[ch->kept[row]].what == CHOICE_HEADING;
}

/* Headings are stepped over; with nothing beyond one, it goes as far as it can. */
static void step(struct chooser *ch, int by)
{
	long next = (long)ch->selected + by, last = (long)ch->n_kept - 1;

	next = next > last ? last : next;
	next = next < 0 ? 0 : next;
	while (is_heading(ch, next) && next > 0 && next < last)
		next += by < 0 ? -1 : 1;
	while (is_heading(ch, next) && next != (long)ch->selected)
		next += by < 0 ? 1 : -1;
	ch->selected = next < 0 ? 0 : (size_t)next;
}

/* What a key does to the list; while something is typed, letters and the ends of the line are the prompt's. */
static enum act list_act(const struct chooser *ch, int key)
{
	return ch->typing && (key < K_FIRST || key == K_HOME || key == K_END) ? ACT_NONE : keymap_act(key);
}

static bool moved(struct chooser *ch, enum act act)
{
	int page = ch->page > 1 ? ch->page - 1 : 1;
	int by = act == ACT_UP ? -1 : act == ACT_DOWN ? 1 : act == ACT_PAGE_UP ? -page : act == ACT_PAGE_DOWN ? page
	       : act == ACT_TOP ? -(int)ch->n_kept : act == ACT_BOTTOM ? (int)ch->n_kept : 0;

	step(ch, by);
	return by != 0;
}

static enum chooser_state cancelled(struct chooser *ch)
{
	if (ch->always_typing || !ch->typing)
		return CHOOSER_LEFT;
	ch->typing = false; /* the search is the topmost thing, then the list */
	prompt_set(&ch->prompt, "");
	chooser_search(ch);
	return CHOOSER_OPEN;
}

enum chooser_state chooser_key(struct chooser *ch, int key)
{
	if (key == K_ENTER)
		return chooser_chosen(ch) && chooser_chosen(ch)->what >= CHOICE_ACT ? CHOOSER_CHOSEN : CHOOSER_OPEN;
	if (key == K_ESCAPE || (key == K_BACKSPACE && !ch->prompt.len))
		return cancelled(ch);
	if (moved(ch, list_act(ch, key)))
		return CHOOSER_OPEN;
	if (ch->typing) {
		if (prompt_key(&ch->prompt, key))
			chooser_search(ch);
		return CHOOSER_OPEN;
	}
	if (keymap_act(key) == ACT_FILTER)
		ch->typing = true;
	return keymap_act(key) == ACT_BACK || keymap_act(key) == ACT_HELP ? CHOOSER_LEFT : CHOOSER_OPEN;
}

static void draw_row(const struct chooser *ch, struct canvas *c, int y, size_t row, int key_width, int title_width)
{
	const struct choice *choice = &ch->all[ch->kept[row]];
	int x = 1;

	if (choice->what == CHOICE_HEADING) {
		canvas_text(c, y, x, -1, STYLE_HEADING, choice->title);
		return;
	}
	if (choice->what == CHOICE_NOTE && !choice->title[0]) {
		canvas_text(c, y, x + 2, -1, STYLE_NORMAL, choice->detail);
	} else {
		canvas_text(c, y, x + 2, key_width, STYLE_KEY, choice->key);
		x += 2 + key_width + (key_width ? 2 : 0);
		canvas_text(c, y, x, title_width, choice->style, choice->title);
		canvas_text(c, y, x + title_width + 2, -1, STYLE_DIM, choice->detail);
	}
	if (row == ch->selected)
		canvas_restyle(c, y, 0, -1, STYLE_SELECTED);
}

/* Of the keys only those in sight count: a list without any needs no place for them. */
static int widest_key(const struct chooser *ch, const struct canvas *c)
{
	int width = 0;

	for (size_t i = 0; i < ch->n_kept; i++) {
		int columns = canvas_columns(c, ch->all[ch->kept[i]].key);

		width = columns > width ? columns : width;
	}
	return width < c->width / 4 ? width : c->width / 4;
}

static int widest_title(const struct chooser *ch, const struct canvas *c)
{
	int width = 0;

	for (size_t i = 0; i < ch->n; i++) {
		int columns = ch->all[i].what == CHOICE_HEADING ? 0 : canvas_columns(c, ch->all[i].title);

		width = columns > width ? columns : width;
	}
	return width < c->width / 2 ? width : c->width / 2;
}

/* What stands beside the selected row may not fit there: the lines that it needs below the list, one of them empty. */
static int lines_below(const struct chooser *ch, const struct canvas *c, int room)
{
	const struct choice *choice = chooser_chosen(ch);
	int columns = choice && choice->what != CHOICE_HEADING && choice->title[0] ? canvas_columns(c, choice->detail) : 0;

	int lines = columns > room && c->height > 8 && c->width > 8 ? 2 + columns / (c->width - 8) : 0;

	return lines < c->height / 2 ? lines : c->height / 2;
}

void chooser_draw(struct chooser *ch, struct canvas *c, const char *label, int *y, int *x)
{
	int key_width = widest_key(ch, c), title_width = widest_title(ch, c);
	int below = lines_below(ch, c, c->width - 1 - 2 - key_width - (key_width ? 2 : 0) - title_width - 2);

	canvas_clear(c);
	ch->page = c->height - 1 - below;
	*y = -1;
	if (ch->typing) {
		*y = 0;
		*x = prompt_draw(&ch->prompt, c, 0, 0, c->width, label);
	} else {
		canvas_fill(c, 0, 0, -1, STYLE_INPUT, " ");
		canvas_parts(c, 0, 1, c->width - 2, STYLE_KEY, label);
	}
	if (ch->page < 1)
		return;
	if (ch->selected < ch->top)
		ch->top = ch->selected;
	if (ch->selected >= ch->top + (size_t)ch->page)
		ch->top = ch->selected - (size_t)ch->page + 1;
	if (ch->selected == 0 || (ch->selected == 1 && ch->top == 1))
		ch->top = 0; /* a heading above the first row is worth seeing */
	for (int i = 0; i < ch->page && ch->top + (size_t)i < ch->n_kept; i++)
		draw_row(ch, c, 1 + i, ch->top + (size_t)i, key_width, title_width);
	if (!ch->n_kept)
		canvas_text(c, 1, 3, -1, STYLE_DIM, "nothing matches");
	if (below)
		action_why_draw(c, (int)ch->n_kept < ch->page ? (int)ch->n_kept + 2 : ch->page + 2, chooser_chosen(ch)->detail);
}
