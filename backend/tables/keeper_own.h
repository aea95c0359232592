// SPDX-License-Identifier: MIT
/* What the keeper's files share: one record per table, as small as its row. One thread. */
#ifndef LAKETOP_TABLES_KEEPER_OWN_H
#define LAKETOP_TABLES_KEEPER_OWN_H

#include "tables.h"

struct record { /* a table between looks */
	char *name;              /* clean; by it the view is asked */
	char *at, *key, *words;  /* as the catalog said; NULL where it said nothing */
	enum table_format format;
	char *known;             /* of load and of Delta; NULL: none */
	struct value *cells;     /* its row, texts in the same block; NULL: not read yet */
	char *error;             /* why it could not be read; NULL: it could */
	bool read;               /* what the catalog said last was read */
	bool whole;              /* and measured as far as it will be */
	bool gone;               /* dropped while it was read */
	bool slow;               /* it came, but not within a short time: read after all others, with patience */
	int64_t committed;       /* 0: not known */
	int64_t checked;         /* clock_ms() of the last read */
	int64_t next;            /* not before */
	unsigned failures;       /* in a row */
};

struct keeper {
	const struct catalog *catalog;
	void *state;             /* the kind's */
	struct record *records;  /* by name */
	size_t n_records;
	size_t left_off;         /* tables beyond the cap */
	struct catalog_said said;
	bool listed;             /* just now, by keeper_list */
	int64_t took;            /* ms, the listing */
	struct err down;         /* why the reading of the last look was given up; code ERR_NONE: it was not */
	bool (*hurry)(void *ctx); /* NULL: never */
	void *hurry_ctx;
	struct places *places;   /* where all tables lie; NULL: nobody said */
	/* the newest table that was asked of: views are changed often, and of the same one */
	char *kept_name, *kept_at;
	int64_t kept_when;       /* clock_ms() */
	struct iceberg_metadata *kept;
};

/* What one look may still cost. */
struct spending {
	int64_t until;           /* clock_ms() */
	int64_t bytes;
	int64_t whole;           /* bytes that it began with */
};

enum read_answer { READ_FAILED, READ_GONE, READ_SAME, READ_OK, READ_LATER };

#define TABLE_NO_CREDENTIAL "no credential" /* as "measured" */
bool keeper_is_closed(const struct storage *at, const char *url); /* it lies on an S3 that nobody named: pure */

/* keeper_iceberg.c: fills the row of a scratch snapshot; exact: measured to the end, else only what the metadata says. LATER: the
 * budget ended it, and a whole one may do. url: where it was found, for the row. */
enum read_answer keeper_iceberg(struct keeper *k, struct probe *p, const struct storage *at, struct record *r, bool exact,
	struct spending *left, struct snapshot *s, struct table *t, struct value *row, struct err *err);
/* Its metadata, kept for the next view; NULL: err says why. Borrowed until the next call. */
const struct iceberg_metadata *keeper_metadata(struct keeper *k, struct probe *p, const struct storage *at, struct record *r, struct err *err);
void keeper_forget(struct keeper *k); /* what is kept for views */

/* keeper_delta.c: the same of a Delta table */
enum read_answer keeper_delta(struct keeper *k, struct probe *p, const struct storage *at, struct record *r, struct spending *left,
	struct snapshot *s, struct table *t, struct value *row, struct err *err);
bool keeper_delta_view(struct keeper *k, struct probe *p, const struct storage *at, const struct record *r, const char *view,
	const struct plan_choice *choice, struct snapshot *s);

/* places.c: every table but that one */
struct places_known {
	struct plan_place *at;
	size_t n, room;
	char untold[200];        /* why that is not all; "" it is */
	char caution[200];       /* what else is not sure; "" nothing */
	const struct snapshot **held;
	size_t n_held;
	const struct table *own; /* the tables of its own catalog; NULL: not told yet */
	struct arena *arena;
	bool full;
};
void places_know(struct places *p, const struct catalog *own, const char *name, const char *uuid, struct arena *arena, struct places_known *out);
bool places_tells(const struct places_known *k, const char *name); /* its own catalog told of that table before, be it that it failed */
void places_known_free(struct places_known *k);
const char *places_folder(struct arena *arena, const char *metadata); /* "" where that does not tell; NULL: the arena is full */

/* keeper_views.c: of an Iceberg table */
bool keeper_view(struct keeper *k, struct probe *p, const struct storage *at, struct record *r, const char *view, const struct plan_choice *choice,
	struct snapshot *s);

#endif
