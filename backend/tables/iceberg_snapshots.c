// SPDX-License-Identifier: MIT
/*
 * The snapshots of a table whose history may be longer than memory should be: the newest with all
 * that they say, older ones as a line of ancestors, the oldest as a count.
 */
#include <stdlib.h>
#include <string.h>

#include "iceberg_own.h"

enum { MOST = ICEBERG_SUMMARIES + ICEBERG_OLDER, BYTES_MOST = 3 << 20 };

static const char none[] = ""; /* the list of a snapshot that has no block */

static void drop_block(struct iceberg_snapshot *s)
{
	if (s->manifest_list != none)
		free((char *)(uintptr_t)s->manifest_list);
	s->manifest_list = s->wap = none;
	s->manifests = NULL;
	s->n_manifests = 0;
}

static size_t block_size(const struct iceberg_snapshot *s)
{
	size_t size = s->manifest_list == none ? 0 : strlen(s->manifest_list) + strlen(s->wap) + 2;

	for (size_t i = 0; i < s->n_manifests; i++)
		size += strlen(s->manifests[i]) + 1 + sizeof *s->manifests;
	return size;
}

/* Leaves id, parent and time. */
static void strip(struct iceberg_shelf *shelf, struct iceberg_snapshot *s)
{
	static const struct iceberg_summary nothing = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

	if (!s->kept)
		return;
	shelf->bytes -= block_size(s);
	drop_block(s);
	s->schema = -1;
	s->operation = s->engine = "";
	s->summary = nothing;
	s->kept = s->encrypted = false;
}

static void pin(struct iceberg_shelf *shelf, struct iceberg_snapshot *s)
{
	if (shelf->n_pinned == sizeof shelf->pinned / sizeof *shelf->pinned)
		return;
	shelf->pinned[shelf->n_pinned++] = *s;
	s->manifest_list = s->wap = none;
}

/* Where the next one goes: at the end, or in the place of the oldest. */
static struct iceberg_snapshot *place_for(struct iceberg_shelf *shelf, bool (*is_head)(const void *ctx, int64_t id), const void *ctx)
{
	struct iceberg_snapshot *oldest = shelf->at ? &shelf->at[shelf->oldest] : NULL;

	if (shelf->n < MOST) {
		if (shelf->n == shelf->size) {
			shelf->size = !shelf->size ? 16 : 2 * shelf->size < MOST ? 2 * shelf->size : MOST;
			shelf->at = mem_grow(shelf->at, shelf->size, sizeof *shelf->at);
		}
		return &shelf->at[shelf->n++];
	}
	if (shelf->all == MOST + 1 || is_head(ctx, oldest->id))
		pin(shelf, oldest);
	strip(shelf, oldest);
	shelf->bare -= shelf->bare > 0;
	shelf->oldest = (shelf->oldest + 1) % MOST;
	shelf->cut = true;
	return oldest;
}

void iceberg_put_snapshot(struct iceberg_shelf *shelf, const struct iceberg_snapshot *s,
	bool (*is_head)(const void *ctx, int64_t id), const void *ctx)
{
	struct iceberg_snapshot *place;

	shelf->all++;
	place = place_for(shelf, is_head, ctx);
	*place = *s;
	if (!place->manifest_list)
		place->manifest_list = none;
	shelf->bytes += block_size(place);
	while (shelf->n - shelf->bare > ICEBERG_SUMMARIES || (shelf->bytes > BYTES_MOST && shelf->n - shelf->bare > 1)) {
		place = &shelf->at[(shelf->oldest + shelf->bare++) % MOST];
		if (!is_head(ctx, place->id))
			strip(shelf, place);
	}
}

static void turn(struct iceberg_snapshot *at, size_t from, size_t to)
{
	while (from + 1 < to) {
		struct iceberg_snapshot first = at[from];

		at[from++] = at[--to];
		at[to] = first;
	}
}

struct iceberg_snapshot *iceberg_take_snapshots(struct iceberg_shelf *shelf, size_t *n)
{
	struct iceberg_snapshot *at = shelf->at;

	/* a ring is put in order where it lies: its two parts are turned, then the whole */
	if (shelf->oldest) {
		turn(at, 0, shelf->oldest);
		turn(at, shelf->oldest, shelf->n);
		turn(at, 0, shelf->n);
	}
	*n = shelf->n + shelf->n_pinned;
	if (shelf->n_pinned) {
		at = mem_grow(at, *n, sizeof *at);
		memmove(at + shelf->n_pinned, at, shelf->n * sizeof *at);
		memcpy(at, shelf->pinned, shelf->n_pinned * sizeof *at);
	}
	*shelf = (struct iceberg_shelf){0};
	return at;
}

void iceberg_free_snapshots(struct iceberg_snapshot *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		drop_block(&at[i]);
	free(at);
}
