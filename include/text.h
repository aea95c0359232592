// SPDX-License-Identifier: MIT
/*
 * Borrowed slices of bytes, and the one place where foreign bytes become fit for a screen, a log
 * or a command line. Pure, any thread.
 */
#ifndef LAKETOP_TEXT_H
#define LAKETOP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text { /* not NUL-terminated; lives as long as what it points into */
	const char *at;
	size_t len;
};
#define TEXT(literal) ((struct text){(literal), sizeof(literal) - 1})

struct text text_of(const char *s); /* NULL gives the empty text */
bool text_is(struct text t, const char *s);
bool text_starts(struct text t, const char *prefix);
bool text_ends(struct text t, const char *end);
bool text_has(struct text t, const char *part);
bool text_skip(struct text *t, const char *prefix);      /* drops prefix where it stands */
struct text text_until(struct text t, char stop);        /* the whole text where stop is missing */
struct text text_after(struct text t, char stop);        /* empty where stop is missing */
struct text text_between(struct text t, const char *before, const char *after); /* empty if not there */
struct text text_trim(struct text t);
bool text_line(struct text *rest, struct text *line);    /* false at the end; drops \n and \r\n */
bool text_word(struct text *rest, struct text *word);    /* splits at blanks */
bool text_i64(struct text t, int64_t *out);              /* whole text, decimal, checked for overflow */

/* Copies and terminates; cuts at a character boundary. Returns out. Does not clean. */
char *text_copy(char *out, size_t size, struct text t);

/*
 * Copies as clean UTF-8: controls (C0, DEL, C1), bidi and zero-width characters are dropped, line
 * breaks and tabs become blanks, invalid bytes and characters of no known width become U+FFFD.
 * Terminates, never cuts a character. Returns out.
 */
char *text_clean(char *out, size_t size, struct text t);
bool text_is_clean(struct text t);

/* One character of clean text: decodes, moves on, says its columns (0, 1, 2). False at the end. */
bool text_char(struct text *rest, uint32_t *code, int *columns);
int text_columns(struct text t);

/* Dotted versions: does "4.1.4" meet the expectation "4.1"? Compares whole parts, ignores what follows. */
bool version_meets(const char *found, const char *expected);
bool version_in_range(const char *low, const char *high, const char *expected);

#endif
