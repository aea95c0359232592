// SPDX-License-Identifier: MIT
/*
 * The terminal: taken at start, painted from a canvas, given back on every way out. With input.c
 * the only place that calls ncurses. UI thread only.
 */
#ifndef LAKETOP_TUI_TERMINAL_H
#define LAKETOP_TUI_TERMINAL_H

#include <stdbool.h>

#include "canvas.h"
#include "err.h"
#include "theme.h"

struct terminal;

struct terminal_options {
	const struct theme *theme;
	bool ascii;
	bool colours; /* false: attributes only, whatever the terminal can */
};

/* Blocks no signal and starts no thread: the caller has masked what it reads from a signalfd. */
struct terminal *terminal_open(const struct terminal_options *options, struct err *err);
void terminal_close(struct terminal *t); /* gives it back; what libraries wrote to stderr is printed now */
void terminal_gone(struct terminal *t);  /* instead of close where the other end hung up: writes nothing */

void terminal_size(const struct terminal *t, int *width, int *height);
bool terminal_resized(struct terminal *t); /* asks the kernel; true: another size */
bool terminal_writable(int ms);            /* false: the other end takes nothing (Ctrl-S) for so long */

/* Sends what differs from the last paint. The cursor stands at y, x, or is hidden with y -1. */
void terminal_paint(struct terminal *t, const struct canvas *c, int y, int x);
void terminal_forget(struct terminal *t);  /* the next paint sends everything */
void terminal_suspend(struct terminal *t); /* returns when continued */
void terminal_continued(struct terminal *t); /* somebody else stopped us: take the terminal anew */
void terminal_mouse(struct terminal *t, bool on);
bool terminal_copy(struct terminal *t, struct text text); /* false: too long, or none to copy to */
void terminal_ask_sync(struct terminal *t);         /* can it draw a frame at once (DEC 2026)? */
void terminal_answered_sync(struct terminal *t, bool can);

enum { COPY_MAX = 74994 }; /* bytes: what terminals take of OSC 52 (100,000 with base64) */

struct terminal_facts { /* for doctor; needs no terminal_open */
	bool input, output;    /* is a terminal */
	const char *name;      /* $TERM */
	int width, height;     /* 0: unknown */
	const char *charset;
	const char *version;   /* of ncurses */
};
struct terminal_facts terminal_facts(void);

/* A UTF-8 locale for widths and keys; false where the user's terminal is not known to speak it. */
bool terminal_locale(void);

#endif
