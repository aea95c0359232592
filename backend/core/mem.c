// SPDX-License-Identifier: MIT
/* Arenas and bounded buffers. See mem.h for who owns what. */
#include "mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_MIN = 4096, ALIGN = 16 };

void *mem_new(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		abort();
	return p;
}

void *mem_grow(void *old, size_t count, size_t size)
{
	void *p;

	if (size && count > SIZE_MAX / size)
		abort();
	p = realloc(old, count && size ? count * size : 1);
	if (!p)
		abort();
	return p;
}

char *mem_copy(const char *s)
{
	size_t len = strlen(s) + 1;

	return memcpy(mem_new(len, 1), s, len);
}

/* ---- arena: blocks in a list, the newest first ---- */

struct block {
	struct block *next;
	size_t size, used;
	_Alignas(ALIGN) char at[];
};

struct arena {
	struct block *blocks;
	size_t used, cap;
	bool full;
};

struct arena *arena_new(size_t cap)
{
	struct arena *arena = mem_new(1, sizeof *arena);

	arena->cap = cap;
	return arena;
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	while (arena->blocks) {
		struct block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
	free(arena);
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct block *block = arena->blocks;
	size_t room;

	if (size > arena->cap || arena->used > arena->cap - size) {
		arena->full = true;
		return NULL;
	}
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!block || block->size - block->used < size) {
		room = size > BLOCK_MIN ? size : BLOCK_MIN;
		block = mem_new(1, sizeof *block + room);
		block->size = room;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	block->used += size;
	arena->used += size;
	return block->at + block->used - size;
}

size_t arena_used(const struct arena *arena)
{
	return arena->used;
}

bool arena_full(const struct arena *arena)
{
	return arena->full;
}

const char *arena_copy(struct arena *arena, struct text t)
{
	char *p = arena_alloc(arena, t.len + 1);

	if (!p)
		return "";
	if (t.len)
		memcpy(p, t.at, t.len);
	return p;
}

const char *arena_clean(struct arena *arena, struct text t)
{
	size_t size = 3 * t.len + 1; /* the worst: every byte becomes U+FFFD */
	char small[1024], *big = size > sizeof small ? mem_new(size, 1) : NULL;
	const char *kept = arena_copy(arena, text_of(text_clean(big ? big : small, big ? size : sizeof small, t)));

	free(big);
	return kept;
}

const char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	int len;
	char *p;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0 || !(p = arena_alloc(arena, (size_t)len + 1)))
		return "";
	va_start(args, format);
	vsnprintf(p, (size_t)len + 1, format, args);
	va_end(args);
	return p;
}

/* ---- buf ---- */

void buf_init(struct buf *buf, size_t max)
{
	*buf = (struct buf){.max = max};
}

/* Room for more bytes and the NUL; false at the cap. */
static bool buf_room(struct buf *buf, size_t more)
{
	size_t want;

	if (more > buf->max || buf->len > buf->max - more) {
		buf->full = true;
		return false;
	}
	if (buf->size > buf->len + more)
		return true;
	want = buf->size ? buf->size : 256;
	while (want <= buf->len + more)
		want *= 2;
	if (want > buf->max + 1)
		want = buf->max + 1;
	buf->at = mem_grow(buf->at, want, 1);
	buf->size = want;
	return true;
}

bool buf_add(struct buf *buf, const void *bytes, size_t len)
{
	if (!buf_room(buf, len))
		return false;
	if (len)
		memcpy(buf->at + buf->len, bytes, len);
	buf->len += len;
	buf->at[buf->len] = '\0';
	return true;
}

bool buf_puts(struct buf *buf, const char *s)
{
	return buf_add(buf, s, strlen(s));
}

bool buf_vprintf(struct buf *buf, const char *format, va_list args)
{
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (len < 0 || !buf_room(buf, (size_t)len))
		return false;
	vsnprintf(buf->at + buf->len, (size_t)len + 1, format, args);
	buf->len += (size_t)len;
	return true;
}

bool buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args;
	bool fits;

	va_start(args, format);
	fits = buf_vprintf(buf, format, args);
	va_end(args);
	return fits;
}

void buf_reset(struct buf *buf)
{
	buf->len = 0;
	buf->full = false;
	if (buf->at)
		buf->at[0] = '\0';
}

void buf_free(struct buf *buf)
{
	free(buf->at);
	buf_init(buf, buf->max);
}

struct text buf_text(const struct buf *buf)
{
	return (struct text){buf->at ? buf->at : "", buf->len};
}
