// SPDX-License-Identifier: MIT
/*
 * Memory with a cap. An arena belongs to one snapshot and is freed with it; a buf is the only
 * growable buffer. Out of memory for small things ends the program by abort() (the crash handler
 * gives the terminal back); reaching a cap never does.
 */
#ifndef LAKETOP_MEM_H
#define LAKETOP_MEM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "text.h"

void *mem_new(size_t count, size_t size); /* zeroed, never NULL; free() it */
void *mem_grow(void *old, size_t count, size_t size); /* realloc, never NULL; the new part is not zeroed */
char *mem_copy(const char *s);

/* Not thread-safe: one owner until published, then read-only. */
struct arena *arena_new(size_t cap);
void arena_free(struct arena *arena); /* NULL is fine */
void *arena_alloc(struct arena *arena, size_t size); /* zeroed, aligned; NULL when the cap is reached */
size_t arena_used(const struct arena *arena);
bool arena_full(const struct arena *arena); /* something did not fit */
/* These give "" instead of NULL when the cap is reached. clean: through text_clean(). */
const char *arena_copy(struct arena *arena, struct text t);
const char *arena_clean(struct arena *arena, struct text t);
const char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct buf { /* always NUL-terminated once something was added; at may be NULL before */
	char *at;
	size_t len, size, max;
	bool full; /* something did not fit; what was there stays */
};
void buf_init(struct buf *buf, size_t max);
bool buf_add(struct buf *buf, const void *bytes, size_t len);
bool buf_puts(struct buf *buf, const char *s);
bool buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool buf_vprintf(struct buf *buf, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
void buf_reset(struct buf *buf); /* keeps the memory */
void buf_free(struct buf *buf);  /* may be used again */
struct text buf_text(const struct buf *buf);

#endif
