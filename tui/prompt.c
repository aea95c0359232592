// SPDX-License-Identifier: MIT
/* The line editor behind filter, palette and the search of help. Keys as in a shell. Pure. */
#include "prompt.h"

#include <string.h>

#include "keymap.h"

enum { CTRL_A = 1, CTRL_E = 5, CTRL_U = 21, CTRL_W = 23 };

void prompt_set(struct prompt *p, const char *s)
{
	text_clean(p->s, sizeof p->s, text_of(s));
	p->len = p->at = strlen(p->s);
	p->selected = false;
}

void prompt_offer(struct prompt *p, const char *s)
{
	prompt_set(p, s);
	p->selected = p->len > 0;
}

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t before(const struct prompt *p, size_t at)
{
	while (at > 0 && continues(p->s[--at]))
		;
	return at;
}

static size_t after(const struct prompt *p, size_t at)
{
	if (at < p->len)
		at++;
	while (at < p->len && continues(p->s[at]))
		at++;
	return at;
}

static void cut(struct prompt *p, size_t from, size_t to)
{
	memmove(p->s + from, p->s + to, p->len - to + 1);
	p->len -= to - from;
	p->at = from;
}

static void insert(struct prompt *p, const char *s)
{
	size_t n = strlen(s);

	if (p->len + n >= sizeof p->s)
		return;
	memmove(p->s + p->at + n, p->s + p->at, p->len - p->at + 1);
	memcpy(p->s + p->at, s, n);
	p->len += n;
	p->at += n;
}

void prompt_paste(struct prompt *p, struct text text)
{
	char clean[PROMPT_SIZE];

	if (p->selected)
		prompt_set(p, "");
	insert(p, text_clean(clean, sizeof clean - p->len, text_trim(text)));
}

static size_t word_start(const struct prompt *p)
{
	size_t at = p->at;

	while (at > 0 && p->s[at - 1] == ' ')
		at--;
	while (at > 0 && p->s[at - 1] != ' ')
		at--;
	return at;
}

static bool type(struct prompt *p, int key)
{
	char name[KEY_NAME], clean[KEY_NAME];

	if (key < 0x20 || key >= K_FIRST)
		return false;
	if (key == ' ')
		insert(p, " ");
	else
		insert(p, text_clean(clean, sizeof clean, text_of(keymap_name(name, key, false))));
	return true;
}

static bool erases(int key)
{
	return key == K_BACKSPACE || key == K_DELETE || key == CTRL_U || key == CTRL_W;
}

bool prompt_key(struct prompt *p, int key)
{
	if (p->selected && (erases(key) || (key >= 0x20 && key < K_FIRST))) {
		prompt_set(p, "");
		if (erases(key))
			return true;
	}
	p->selected = false;
	switch (key) {
	case K_BACKSPACE:
		cut(p, before(p, p->at), p->at);
		return true;
	case K_DELETE: {
		size_t at = p->at;

		cut(p, at, after(p, at));
		return true;
	}
	case K_LEFT:
		p->at = before(p, p->at);
		return true;
	case K_RIGHT:
		p->at = after(p, p->at);
		return true;
	case K_HOME:
	case CTRL_A:
		p->at = 0;
		return true;
	case K_END:
	case CTRL_E:
		p->at = p->len;
		return true;
	case CTRL_U:
		cut(p, 0, p->at);
		return true;
	case CTRL_W:
		cut(p, word_start(p), p->at);
		return true;
	default:
		return type(p, key);
	}
}

int prompt_draw(const struct prompt *p, struct canvas *c, int y, int x, int width, const char *label)
{
	char left[PROMPT_SIZE];
	size_t from = 0;
	int used;

	canvas_fill(c, y, x, width, STYLE_INPUT, " ");
	used = canvas_text(c, y, x, width, STYLE_KEY, label);
	x += used;
	width -= used;
	/* what is left of the cursor stays in sight */
	text_copy(left, sizeof left, (struct text){p->s, p->at});
	while (from < p->at && canvas_columns(c, left + from) >= width)
		from = after(p, from);
	canvas_text(c, y, x, width, p->selected ? STYLE_SELECTED : STYLE_INPUT, p->s + from);
	return x + canvas_columns(c, left + from);
}
