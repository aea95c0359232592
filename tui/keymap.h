// SPDX-License-Identifier: MIT
/* Keys and what they mean: one table of acts, one of bindings. Help, hints and palette come from them. */
#ifndef LAKETOP_TUI_KEYMAP_H
#define LAKETOP_TUI_KEYMAP_H

#include <stddef.h>

#include "panel.h"

enum { /* keys that are no character; a character is its own code, Ctrl-A to Ctrl-Z are 1 to 26 */
	K_FIRST = 0x110000,
	K_UP, K_DOWN, K_LEFT, K_RIGHT, K_PAGE_UP, K_PAGE_DOWN, K_HOME, K_END,
	K_ENTER, K_TAB, K_BACK_TAB, K_ESCAPE, K_BACKSPACE, K_DELETE,
	K_F1, K_F2, K_F3, K_F4, K_F5, K_F6, K_F7, K_F8, K_F9, K_F10, K_F11, K_F12,
};

struct act_info {
	const char *name;  /* "problems": in the palette */
	const char *label; /* in the hint line, short; NULL: never there */
	const char *help;  /* one line; NULL: not in the help of its own */
};
const struct act_info *act_info(enum act act);

enum act keymap_act(int key);
int keymap_key(enum act act); /* the first one bound; 0: none */

#define KEY_NAME 16
char *keymap_name(char out[KEY_NAME], int key, bool ascii); /* "Ctrl-L", "Enter", "j" */
int keymap_named(struct text name);                          /* 0: no such key */
char *keymap_names(char *out, size_t size, enum act act, bool ascii); /* all of them: "j ↓" */

#endif
