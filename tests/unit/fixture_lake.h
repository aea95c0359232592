// SPDX-License-Identifier: MIT
/*
 * Lakes built by hand, for tests of what is drawn or printed: no engine, no clock, no server. Their
 * time is fixed (FIXTURE_WALL), their kinds are their own, so that a kind's new figure changes no test.
 */
#ifndef LAKETOP_FIXTURE_LAKE_H
#define LAKETOP_FIXTURE_LAKE_H

#include "lake.h"

#define FIXTURE_NOW INT64_C(5000000)             /* clock_ms() */
#define FIXTURE_WALL INT64_C(1795953871000)      /* 2026-11-29T12:04:31Z */

enum fixture_which {
	FIXTURE_POCKET,   /* eight services, all serve; one warning */
	FIXTURE_TROUBLE,  /* a stale Connect, a stolen port and its victim; old facts; an optional one is absent */
	FIXTURE_STARTING, /* it comes up: progress lines, first answers awaited */
	FIXTURE_NOTHING,  /* before the first look: nothing is known, everything is NULL */
	FIXTURE_MANY,     /* forty services, ten of them in trouble */
	FIXTURE_HOSTILE,  /* names made to break a screen */
	FIXTURE_TABLES,   /* two catalogs, one of them down; tables in every state */
	FIXTURE_DEEP,     /* two Kafka clusters, connectors, streaming queries, two Sparks: full tables */
	FIXTURE_COUNT,
};
extern const char *const fixture_names[FIXTURE_COUNT];

struct fixture;
struct fixture *fixture_new(enum fixture_which which);
void fixture_free(struct fixture *f);
struct lake *fixture_lake(struct fixture *f);
/* What kafka of FIXTURE_DEEP answers: to "group", "topic", "peek". why: it failed so; NULL: it did not. */
void fixture_answer(struct fixture *f, const char *view, const char *subject, const char *why);
/* What a catalog of FIXTURE_TABLES, or its engine for "rows", answers of a table. why: as above. */
void fixture_table_answer(struct fixture *f, const char *view, const char *table, const char *why);
/* A lake of so many tables in one catalog. */
struct fixture *fixture_tables(size_t n);
void fixture_silence(struct fixture *f); /* its first catalog was never heard */
struct service *fixture_service(struct fixture *f, const char *name); /* to be changed by a test; it must be there */

#endif
