// SPDX-License-Identifier: MIT
/*
 * The built-in keys (README, "Keys"). Nothing that changes the lakehouse is bound to a key: x lists it, shows it, asks. And
 * Ctrl-D, Ctrl-K and Delete stay unbound: hands that erase a filter must never hit an action.
 * Pure.
 */
#include "keymap.h"

#include <stdio.h>
#include <string.h>

static const struct act_info acts[ACT_COUNT] = {
	[ACT_UP] = {"up", NULL, "one row up"},
	[ACT_DOWN] = {"down", NULL, "one row down"},
	[ACT_PAGE_UP] = {"page up", NULL, "one page up"},
	[ACT_PAGE_DOWN] = {"page down", NULL, "one page down"},
	[ACT_TOP] = {"top", NULL, "first row"},
	[ACT_BOTTOM] = {"bottom", NULL, "last row"},
	[ACT_LEFT] = {"left", NULL, "to the left, to the parent"},
	[ACT_RIGHT] = {"right", NULL, "to the right"},
	[ACT_ENTER] = {"open", "open", "open the selected row"},
	[ACT_BACK] = {"back", "back", "leave this page; on the overview: quit"},
	[ACT_CANCEL] = {"cancel", NULL, "cancel the topmost thing; never quits"},
	[ACT_NEXT_VIEW] = {"next view", "next view", "next view of this panel"},
	[ACT_PREVIOUS_VIEW] = {"previous view", NULL, "previous view of this panel"},
	[ACT_SORT] = {"sort", "sort", "sort by the next column"},
	[ACT_SORT_REVERSE] = {"reverse sort", "reverse", "reverse the order"},
	[ACT_IDENTIFY] = {"identify", "ask who it is", "ask the selected port who it is"},
	[ACT_COPY] = {"copy", "copy", "copy the selected row to the terminal's clipboard"},
	[ACT_PEEK] = {"view records", "view records", "look at the newest records of a topic, the rows of a table"},
	[ACT_LOGS] = {"logs", "log", "the log of the selected service, at the moment when it broke"},
	[ACT_FOLLOW] = {"follow", "follow", "logs: follow what comes, or hold"},
	[ACT_WRAP] = {"wrap", "wrap", "logs: wrap long lines, or scroll them by Left and Right"},
	[ACT_TIMES] = {"times", "times", "logs: show the times, or not"},
	[ACT_LEVEL_UP] = {"higher level", "level", "logs: only what is worse"},
	[ACT_LEVEL_DOWN] = {"lower level", NULL, "logs: also what is less bad"},
	[ACT_NEXT_ERROR] = {"next error", "next error", "logs: the next error"},
	[ACT_PREVIOUS_ERROR] = {"previous error", NULL, "logs: the error before"},
	[ACT_FIND_NEXT] = {"find next", NULL, "logs: the next line that the search finds"},
	[ACT_FIND_PREVIOUS] = {"find previous", NULL, "logs: the line before that the search finds"},
	[ACT_SAVE] = {"save", "save", "logs: save what is marked, or all that is shown, to a file"},
	[ACT_SEARCH] = {"search", "search", "logs: look for a regular expression, or @14:05 for a time"},
	[ACT_ACTIONS] = {"actions", "act", "what can be done to the row: shown exactly, asked, then done"},
	[ACT_MARK] = {"mark", "mark", "mark the row, or no more: x (in logs y and S) takes all marked"},
	[ACT_RUNNING] = {"running actions", NULL, "what runs and ran, to cancel; runbooks and test data, to run"},
	[ACT_LOCK] = {"lock", NULL, "lock actions, or unlock them by a typed word"},
	[ACT_HELP] = {"help", "help", "this help: / searches it, Enter runs an entry"},
	[ACT_PALETTE] = {"palette", "palette", "find and run anything by its name"},
	[ACT_FILTER] = {"filter", "filter", "only rows with this; typing replaces the old text, arrows edit it"},
	[ACT_PROBLEMS] = {"problems only", "problems", "show only what is not well, and all again"},
	[ACT_REFRESH] = {"refresh", "refresh", "ask everything now"},
	[ACT_FREEZE] = {"pause", "pause", "hold the picture, and let it go; what is asked goes on"},
	[ACT_MOUSE] = {"mouse", "mouse", "mouse on or off; off leaves selecting text to the terminal"},
	[ACT_REDRAW] = {"redraw", NULL, "draw the whole screen anew"},
	[ACT_SUSPEND] = {"suspend", NULL, "suspend; \"fg\" brings it back"},
	[ACT_QUIT] = {"quit", "quit", "quit from anywhere"},
};

/* The first key of an act is the one that hints show. */
static const struct {
	int key;
	enum act act;
} bindings[] = {
	{'k', ACT_UP}, {K_UP, ACT_UP}, {'j', ACT_DOWN}, {K_DOWN, ACT_DOWN},
	{K_PAGE_UP, ACT_PAGE_UP}, {K_PAGE_DOWN, ACT_PAGE_DOWN},
	{'g', ACT_TOP}, {K_HOME, ACT_TOP}, {'G', ACT_BOTTOM}, {K_END, ACT_BOTTOM},
	{K_LEFT, ACT_LEFT}, {'h', ACT_LEFT}, {K_RIGHT, ACT_RIGHT},
	{K_ENTER, ACT_ENTER}, {'q', ACT_BACK}, {K_ESCAPE, ACT_CANCEL}, {K_BACKSPACE, ACT_CANCEL},
	{K_TAB, ACT_NEXT_VIEW}, {K_BACK_TAB, ACT_PREVIOUS_VIEW},
	{'o', ACT_SORT}, {'O', ACT_SORT_REVERSE}, {'i', ACT_IDENTIFY}, {'y', ACT_COPY},
	{'v', ACT_PEEK}, {'x', ACT_ACTIONS}, {' ', ACT_MARK}, {'X', ACT_RUNNING}, {'L', ACT_LOCK},
	{'l', ACT_LOGS}, {'f', ACT_FOLLOW}, {'w', ACT_WRAP}, {'t', ACT_TIMES}, {'+', ACT_LEVEL_UP}, {'-', ACT_LEVEL_DOWN},
	{'e', ACT_NEXT_ERROR}, {'E', ACT_PREVIOUS_ERROR}, {'#', ACT_SEARCH}, {'n', ACT_FIND_NEXT}, {'N', ACT_FIND_PREVIOUS},
	{'S', ACT_SAVE},
	{'?', ACT_HELP}, {K_F1, ACT_HELP}, {':', ACT_PALETTE}, {'/', ACT_FILTER}, {'!', ACT_PROBLEMS},
	{'r', ACT_REFRESH}, {K_F5, ACT_REFRESH}, {'p', ACT_FREEZE}, {'m', ACT_MOUSE},
	{12, ACT_REDRAW}, {26, ACT_SUSPEND}, {3, ACT_QUIT},
	{'0', ACT_PANEL_0}, {'1', ACT_PANEL_1}, {'2', ACT_PANEL_2}, {'3', ACT_PANEL_3}, {'4', ACT_PANEL_4},
	{'5', ACT_PANEL_5}, {'6', ACT_PANEL_6}, {'7', ACT_PANEL_7}, {'8', ACT_PANEL_8}, {'9', ACT_PANEL_9},
};
enum { N_BINDINGS = sizeof bindings / sizeof *bindings };

static const struct {
	int key;
	const char *name, *glyph; /* glyph: shorter, where it may be drawn */
} names[] = {
	{K_UP, "Up", "↑"}, {K_DOWN, "Down", "↓"}, {K_LEFT, "Left", "←"}, {K_RIGHT, "Right", "→"},
	{K_PAGE_UP, "PgUp", NULL}, {K_PAGE_DOWN, "PgDn", NULL}, {K_HOME, "Home", NULL}, {K_END, "End", NULL},
	{K_ENTER, "Enter", "⏎"}, {K_TAB, "Tab", NULL}, {K_BACK_TAB, "S-Tab", NULL}, {K_ESCAPE, "Esc", NULL},
	{K_BACKSPACE, "Backspace", NULL}, {K_DELETE, "Delete", NULL}, {' ', "Space", NULL},
};

const struct act_info *act_info(enum act act)
{
	return &acts[(unsigned)act < ACT_COUNT ? act : ACT_NONE];
}

enum act keymap_act(int key)
{
	for (size_t i = 0; i < N_BINDINGS; i++)
		if (bindings[i].key == key)
			return bindings[i].act;
	return ACT_NONE;
}

int keymap_key(enum act act)
{
	for (size_t i = 0; i < N_BINDINGS; i++)
		if (bindings[i].act == act)
			return bindings[i].key;
	return 0;
}

static char *put_utf8(char out[KEY_NAME], uint32_t code)
{
	size_t n = 0;

	if (code < 0x80)
		out[n++] = (char)code;
	else if (code < 0x800)
		out[n++] = (char)(0xc0 | code >> 6);
	else if (code < 0x10000)
		out[n++] = (char)(0xe0 | code >> 12);
	else
		out[n++] = (char)(0xf0 | code >> 18);
	for (int shift = code < 0x80 ? -1 : code < 0x800 ? 0 : code < 0x10000 ? 6 : 12; shift >= 0; shift -= 6)
		out[n++] = (char)(0x80 | (code >> shift & 0x3f));
	out[n] = '\0';
	return out;
}

char *keymap_name(char out[KEY_NAME], int key, bool ascii)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].key == key)
			return text_copy(out, KEY_NAME, text_of(!ascii && names[i].glyph ? names[i].glyph : names[i].name));
	if (key >= K_F1 && key <= K_F12)
		snprintf(out, KEY_NAME, "F%d", key - K_F1 + 1);
	else if (key >= 1 && key <= 26)
		snprintf(out, KEY_NAME, "Ctrl-%c", 'A' + key - 1);
	else if (key > 0 && key < K_FIRST)
		put_utf8(out, (uint32_t)key);
	else
		out[0] = '\0';
	return out;
}

int keymap_named(struct text name)
{
	struct text rest = name;
	uint32_t code;
	int columns;
	int64_t n;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (text_is(name, names[i].name) || (names[i].glyph && text_is(name, names[i].glyph)))
			return names[i].key;
	if (text_skip(&rest, "Ctrl-"))
		return rest.len == 1 && rest.at[0] >= 'A' && rest.at[0] <= 'Z' ? rest.at[0] - 'A' + 1 : 0;
	if (name.len > 1 && text_skip(&rest, "F") && text_i64(rest, &n))
		return n >= 1 && n <= 12 ? K_F1 + (int)n - 1 : 0;
	rest = name;
	if (text_char(&rest, &code, &columns) && !rest.len && code > 0x20 && code != 0xfffd)
		return (int)code;
	return 0;
}

char *keymap_names(char *out, size_t size, enum act act, bool ascii)
{
	char name[KEY_NAME];
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < N_BINDINGS; i++)
		if (bindings[i].act == act && used + KEY_NAME + 1 < size)
			used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " " : "", keymap_name(name, bindings[i].key, ascii));
	return out;
}
