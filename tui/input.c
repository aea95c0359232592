// SPDX-License-Identifier: MIT
/*
 * Keys come from a pad of their own: wgetch on a window would first draw it. Function keys are
 * told apart by ncurses; what it does not know is parsed here as a control sequence, of which
 * bracketed paste and the answer about synchronised output are meant for us. UI thread only.
 */
#include "input.h"

#include <curses.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "keymap.h"
#include "mem.h"

enum { PASTE_MAX = 4096, SEQUENCE_MAX = 32, ESC = 27 };

struct input {
	WINDOW *pad;
	bool pasting, took;
	struct buf paste;
	wint_t held;    /* read too far: comes next; 0 none */
};

struct input *input_new(void)
{
	struct input *in = mem_new(1, sizeof *in);

	in->pad = newpad(1, 1);
	if (in->pad) {
		keypad(in->pad, TRUE);
		nodelay(in->pad, TRUE);
	}
	buf_init(&in->paste, PASTE_MAX);
	return in;
}

void input_free(struct input *in)
{
	if (!in)
		return;
	if (in->pad)
		delwin(in->pad);
	buf_free(&in->paste);
	free(in);
}

bool input_pasting(const struct input *in)
{
	return in->pasting;
}

bool input_took(struct input *in)
{
	bool took = in->took;

	in->took = false;
	return took;
}

void input_end_paste(struct input *in)
{
	in->pasting = false;
	buf_reset(&in->paste);
}

/* ERR, OK or KEY_CODE_YES. */
static int next_code(struct input *in, wint_t *code)
{
	int got;

	if (in->held) {
		*code = in->held;
		in->held = 0;
		return OK;
	}
	got = in->pad ? wget_wch(in->pad, code) : ERR;
	in->took = in->took || got != ERR;
	return got;
}

static int special_key(wint_t code)
{
	static const struct {
		wint_t curses;
		int key;
	} known[] = {
		{KEY_UP, K_UP}, {KEY_DOWN, K_DOWN}, {KEY_LEFT, K_LEFT}, {KEY_RIGHT, K_RIGHT}, {KEY_PPAGE, K_PAGE_UP}, {KEY_NPAGE, K_PAGE_DOWN},
		{KEY_HOME, K_HOME}, {KEY_END, K_END}, {KEY_ENTER, K_ENTER}, {KEY_BTAB, K_BACK_TAB}, {KEY_BACKSPACE, K_BACKSPACE}, {KEY_DC, K_DELETE},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].curses == code)
			return known[i].key;
	return code >= KEY_F(1) && code <= KEY_F(12) ? K_F1 + (int)(code - KEY_F(1)) : 0;
}

static int plain_key(wint_t code)
{
	switch (code) {
	case '\r':
	case '\n':
		return K_ENTER;
	case '\t':
		return K_TAB;
	case ESC:
		return K_ESCAPE;
	case 8:
	case 127:
		return K_BACKSPACE;
	default:
		return code > 0 && code < K_FIRST ? (int)code : 0;
	}
}

static bool mouse_event(struct input_event *out)
{
	MEVENT mouse;

	if (getmouse(&mouse) != OK)
		return false;
	out->y = mouse.y;
	out->x = mouse.x;
	out->what = mouse.bstate & BUTTON4_PRESSED ? INPUT_WHEEL_UP : mouse.bstate & BUTTON5_PRESSED ? INPUT_WHEEL_DOWN : INPUT_CLICK;
	return (mouse.bstate & (BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED)) != 0;
}

/* What follows ESC [ up to its final byte; false where it breaks off. */
static bool read_sequence(struct input *in, char out[SEQUENCE_MAX])
{
	size_t used = 0;
	wint_t code;

	while (next_code(in, &code) == OK && code < 0x7f) {
		if (used + 1 < SEQUENCE_MAX)
			out[used++] = (char)code;
		out[used] = '\0';
		if (code >= 0x40)
			return true;
		if (code < 0x20)
			return false;
	}
	return false;
}

/* After an ESC that begins no key of this terminal. True: out is filled. */
static bool after_escape(struct input *in, struct input_event *out)
{
	char sequence[SEQUENCE_MAX] = "";
	wint_t code;
	int got = next_code(in, &code);

	if (got == OK && code == '[') {
		if (!read_sequence(in, sequence))
			return false;
		if (!strcmp(sequence, "200~")) {
			buf_reset(&in->paste);
			in->pasting = true;
		} else if (!strcmp(sequence, "?2026;1$y") || !strcmp(sequence, "?2026;2$y")) {
			out->what = INPUT_SYNC;
			out->key = 1;
			return true;
		}
		return false;
	}
	if (got == OK && code == 'O') { /* a function key of another terminal */
		next_code(in, &code);
		return false;
	}
	if (got == OK)
		in->held = code;
	out->what = INPUT_KEY;
	out->key = K_ESCAPE;
	return true;
}

static void add_pasted(struct input *in, wint_t code)
{
	char utf8[MB_LEN_MAX];
	mbstate_t state = {0};
	size_t n = wcrtomb(utf8, (wchar_t)code, &state);

	if (n != (size_t)-1)
		buf_add(&in->paste, utf8, n); /* what is too long is left off: nobody pastes a novel into a filter */
}

/* Reads on in a paste; true where it ended. */
static bool read_paste(struct input *in, struct input_event *out)
{
	char sequence[SEQUENCE_MAX];
	wint_t code;
	int got;

	while ((got = next_code(in, &code)) != ERR) {
		if (got != OK)
			continue;
		if (code != ESC) {
			add_pasted(in, code);
			continue;
		}
		if (next_code(in, &code) == OK && code == '[' && read_sequence(in, sequence) && !strcmp(sequence, "201~")) {
			in->pasting = false;
			out->what = INPUT_PASTE;
			out->text = in->paste.at ? in->paste.at : "";
			out->len = in->paste.len;
			return true;
		}
	}
	return false;
}

bool input_next(struct input *in, struct input_event *out)
{
	wint_t code;
	int got;

	*out = (struct input_event){0};
	for (;;) {
		if (in->pasting)
			return read_paste(in, out);
		got = next_code(in, &code);
		if (got == ERR)
			return false;
		if (got == KEY_CODE_YES && code == KEY_MOUSE) {
			if (mouse_event(out))
				return true;
			continue;
		}
		if (got == OK && code == ESC) {
			if (after_escape(in, out))
				return true;
			continue;
		}
		out->what = INPUT_KEY;
		out->key = got == KEY_CODE_YES ? special_key(code) : plain_key(code);
		if (out->key)
			return true;
	}
}
