// SPDX-License-Identifier: MIT
/* What the views of an Iceberg table share: keeper_views.c, keeper_snapshots.c, keeper_files.c. One thread. */
#ifndef LAKETOP_TABLES_KEEPER_VIEWS_H
#define LAKETOP_TABLES_KEEPER_VIEWS_H

#include "keeper_own.h"

#define VIEW_MEMORY (INT64_C(48) << 20)

struct look { /* one question */
	struct keeper *k;
	struct probe *p;
	const struct storage *at;
	const struct record *r;
	const struct iceberg_metadata *m;
	const char *view;
	struct snapshot *s;
	struct table *t;
};

static inline struct iceberg_budget budget_of_a_view(void)
{
	return (struct iceberg_budget){.bytes = INT64_C(512) << 20, .files = 100000, .memory = VIEW_MEMORY};
}

static inline struct value known(int64_t n)
{
	return n >= 0 ? value_int(n) : value_unknown();
}

static inline struct value said(const char *s)
{
	return s && s[0] ? value_text(s) : value_unknown();
}

static inline void set(struct look *l, struct value *row, const char *column, struct value v)
{
	table_set(l->s, l->t, row, column, v);
}

struct value view_cell(const struct look *l, const char *column); /* of its row, as it was when the table was read */

/* keeper_snapshots.c */
struct view_times { /* snapshots, found by their ids */
	const struct iceberg_metadata *m;
	struct view_time { int64_t id; size_t at; } *by_id; /* at: in m->snapshots */
};
void view_times_begin(struct view_times *t, const struct iceberg_metadata *m);
void view_times_end(struct view_times *t);
size_t view_place_of(const struct view_times *t, int64_t id); /* in m->snapshots; SIZE_MAX: not known any more */
bool view_snapshots(struct look *l);
bool view_refs(struct look *l);
bool view_growth(struct look *l);
bool view_log(struct look *l);

/* keeper_files.c */
bool view_partitions(struct look *l);
bool view_files(struct look *l);

#endif
