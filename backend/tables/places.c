// SPDX-License-Identifier: MIT
/*
 * Where the tables of every catalog lie, for a preview that must not take a neighbour's files for rubbish: the newest snapshot
 * of each catalog, held here for whoever asks from any thread.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keeper_own.h"

struct places {
	pthread_mutex_t lock;
	const struct profile *profile;
	struct seat {
		const struct catalog *catalog;
		const struct snapshot *newest; /* NULL: it told nothing yet */
		char why[120];                 /* the newest look failed */
	} *seats; /* as the profile's catalogs, then found ones as they told something */
	size_t n;
};

struct places *places_new(const struct profile *profile)
{
	struct places *p = mem_new(1, sizeof *p);

	pthread_mutex_init(&p->lock, NULL);
	p->profile = profile;
	p->seats = mem_new(profile->n_catalogs + 1, sizeof *p->seats);
	for (; p->n < profile->n_catalogs; p->n++)
		p->seats[p->n].catalog = &profile->catalogs[p->n];
	return p;
}

void places_free(struct places *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		snapshot_drop(p->seats[i].newest);
	pthread_mutex_destroy(&p->lock);
	free(p->seats);
	free(p);
}

/* With the lock held. */
static struct seat *seat_of(struct places *p, const struct catalog *c)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->seats[i].catalog == c)
			return &p->seats[i];
	p->seats = mem_grow(p->seats, p->n + 1, sizeof *p->seats);
	p->seats[p->n] = (struct seat){.catalog = c};
	return &p->seats[p->n++];
}

void places_tell(struct places *p, const struct catalog *c, const struct snapshot *s)
{
	struct seat *seat;
	const struct snapshot *old = NULL;

	pthread_mutex_lock(&p->lock);
	seat = seat_of(p, c);
	text_copy(seat->why, sizeof seat->why, text_of(s->err.words));
	if (s->err.code == ERR_NONE) {
		old = seat->newest;
		seat->newest = snapshot_keep(s);
	}
	pthread_mutex_unlock(&p->lock);
	snapshot_drop(old);
}

/* ---- asking ---- */

/* Only two that are known to be different ones are told apart. */
static bool may_share(const struct profile *profile, const struct catalog *a, const struct catalog *b)
{
	struct storage x = profile_storage(profile, a->storage), y = profile_storage(profile, b->storage);

	return !a->storage || !b->storage || (x.s3.port == y.s3.port && !strcmp(x.s3.address, y.s3.address));
}

static const char *text_at(const struct table *t, size_t row, const char *column)
{
	struct value v = table_get(t, row, column);

	return v.type == VALUE_TEXT ? v.u.s : "";
}

/* "s3://lake/a/b" of "s3://lake/a/b/metadata/00001-x.metadata.json", which is where a table's folder is unless it was told otherwise. */
const char *places_folder(struct arena *arena, const char *metadata)
{
	const char *end = NULL;

	for (const char *at = metadata; (at = strstr(at, "/metadata/")) != NULL; at++)
		end = at;
	return end ? arena_copy(arena, (struct text){metadata, (size_t)(end - metadata)}) : "";
}

static void add(struct places_known *out, const char *catalog, const char *name, const char *location)
{
	const char *whole = arena_printf(out->arena, "%s.%s", catalog, name);

	if (out->n == out->room) {
		out->room = out->room ? out->room * 2 : 64;
		out->at = mem_grow(out->at, out->room, sizeof *out->at);
	}
	if (whole && location)
		out->at[out->n++] = (struct plan_place){whole, location};
	else
		out->full = true;
}

/* An Iceberg or Delta table that failed lies somewhere: said, and no reason to keep all others from being looked after. */
static void unplaced(struct places_known *out, const char *catalog, const struct table *t, size_t row)
{
	const char *format = text_at(t, row, "format");

	if (!strcmp(format, "view"))
		return;
	if (!strcmp(text_at(t, row, "grade"), table_grade_word(GRADE_FAILED)) || (strcmp(format, "iceberg") != 0 && strcmp(format, "delta") != 0)) {
		if (!out->caution[0])
			snprintf(out->caution, sizeof out->caution, "where %.60s.%.100s lies is not known", catalog, text_at(t, row, "name"));
		return;
	}
	if (!out->untold[0])
		snprintf(out->untold, sizeof out->untold, "where %.60s.%.100s lies is not read yet", catalog, text_at(t, row, "name"));
}

static void take_rows(struct places_known *out, const struct catalog *c, const struct table *t, const char *but_name, const char *but_uuid)
{
	for (size_t row = 0; row < t->n_rows; row++) {
		const char *name = text_at(t, row, "name"), *uuid = text_at(t, row, "uuid"), *location = text_at(t, row, "location");

		if ((but_name && !strcmp(name, but_name)) || (uuid[0] && but_uuid[0] && !strcmp(uuid, but_uuid)))
			continue;
		if (!location[0])
			location = places_folder(out->arena, text_at(t, row, "metadata"));
		if (location && location[0])
			add(out, c->name, name, location);
		else
			unplaced(out, c->name, t, row);
	}
	if (t->left_off && !out->untold[0])
		snprintf(out->untold, sizeof out->untold, "%zu tables of %.60s are not told here", t->left_off, c->name);
}

/* Which tables a catalog has that no profile lists, and that tells none, is no reason to keep the others from being looked after. */
static void untold(struct places_known *out, const struct catalog *c, const struct seat *seat)
{
	char *words = c->found ? out->caution : out->untold;

	if (!words[0])
		snprintf(words, sizeof out->untold, "which tables %.60s has is not known%s%.100s", c->name, seat->why[0] ? ": " : " yet", seat->why);
}

static void take_seat(struct places_known *out, const struct profile *profile, const struct seat *seat, const struct catalog *own,
	const char *name, const char *uuid)
{
	const struct catalog *c = seat->catalog;
	const struct table *t = snapshot_find_table(seat->newest, "tables");

	if (c == own)
		out->own = t;
	if (t)
		take_rows(out, c, t, c == own ? name : NULL, uuid);
	if (!t && c != own && may_share(profile, c, own))
		untold(out, c, seat);
	else if (t && seat->why[0] && !out->caution[0])
		snprintf(out->caution, sizeof out->caution, "%.60s is down, and its tables are those that it had", c->name);
}

void places_know(struct places *p, const struct catalog *own, const char *name, const char *uuid, struct arena *arena, struct places_known *out)
{
	size_t n = 0;

	if (p) {
		pthread_mutex_lock(&p->lock);
		n = p->n;
		pthread_mutex_unlock(&p->lock);
	}
	*out = (struct places_known){.arena = arena, .held = mem_new(n + 1, sizeof *out->held)};
	if (!p)
		text_copy(out->untold, sizeof out->untold, TEXT("what other catalogs have is not known here"));
	for (size_t i = 0; i < n; i++) {
		struct seat seat;

		pthread_mutex_lock(&p->lock);
		seat = p->seats[i];
		out->held[out->n_held++] = snapshot_keep(seat.newest);
		pthread_mutex_unlock(&p->lock);
		take_seat(out, p->profile, &seat, own, name, uuid);
	}
	if (out->full)
		text_copy(out->untold, sizeof out->untold, TEXT("there are more tables than memory was given for"));
}

bool places_tells(const struct places_known *k, const char *name)
{
	size_t low = 0, high = k->own ? k->own->n_rows : 0;

	while (low < high) { /* a keeper tells them by name */
		size_t middle = low + (high - low) / 2;
		int order = strcmp(text_at(k->own, middle, "name"), name);

		if (!order)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

void places_known_free(struct places_known *k)
{
	for (size_t i = 0; i < k->n_held; i++)
		snapshot_drop(k->held[i]);
	free(k->held);
	free(k->at);
}
