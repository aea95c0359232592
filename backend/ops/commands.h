// SPDX-License-Identifier: MIT
/* Programs of the profile that are run to their end: steps of runbooks, test data. */
#ifndef LAKETOP_COMMANDS_H
#define LAKETOP_COMMANDS_H

#include "ops_own.h"

/* counter.c: what a line counts */
struct counter {
	const char *unit; /* "rows"; NULL: nothing is counted */
	int64_t n;
	double part;      /* of all, 0 to 1; NAN: not said */
	bool rated;       /* the line tells a rate itself */
};
void counter_read(struct text line, struct counter *out);

enum { PACE_SAMPLES = 6, PACE_MS = 1000 };
struct pace { /* counters over time; zeroed at first */
	const char *unit;
	struct pace_sample { int64_t at, n; } samples[PACE_SAMPLES], first, last;
	size_t n;
};
void pace_take(struct pace *p, const struct counter *c, int64_t now); /* now: clock_ms() */
double pace_rate(const struct pace *p);  /* per second, over the last seconds; NAN: not known yet */
double pace_whole(const struct pace *p); /* over all of it */

/* environment.c: NAME=value lines as a shell would read them, without what a shell would do with them. */
struct environment {
	char **list; /* ends with NULL */
	size_t n;
};
bool environment_read(struct host *h, const char *path, struct environment *out, struct err *err);
void environment_free(struct environment *e); /* zeroes it: it may hold passwords */

#endif
