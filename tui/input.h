// SPDX-License-Identifier: MIT
/*
 * Bytes of the terminal as keys, clicks and pasted text. Sequences that nobody knows are dropped
 * whole, so that their letters never act. UI thread only.
 */
#ifndef LAKETOP_TUI_INPUT_H
#define LAKETOP_TUI_INPUT_H

#include <stdbool.h>
#include <stddef.h>

enum input_what {
	INPUT_KEY,
	INPUT_PASTE,      /* text holds it, as it came */
	INPUT_CLICK,
	INPUT_WHEEL_UP,
	INPUT_WHEEL_DOWN,
	INPUT_SYNC,       /* the terminal's answer to terminal_ask_sync: key is 1 where it can */
};

struct input_event {
	enum input_what what;
	int key;          /* see keymap.h */
	int y, x;
	const char *text; /* until the next call */
	size_t len;
};

struct input;
struct input *input_new(void); /* after terminal_open */
void input_free(struct input *in);
bool input_next(struct input *in, struct input_event *out); /* false: nothing more for now */
bool input_took(struct input *in); /* was anything there since the last call, meant for us or not? */
bool input_pasting(const struct input *in);
void input_end_paste(struct input *in); /* its end did not come */

#endif
