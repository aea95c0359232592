// SPDX-License-Identifier: MIT
/*
 * Values with a unit, and the specs that name them. A spec gives one fact its screen label, its
 * --json key and its line in the documentation, so that they cannot disagree. Unknown is a value:
 * it is never 0, and it sorts, prints and serialises as unknown.
 */
#ifndef LAKETOP_VALUE_H
#define LAKETOP_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unit {
	UNIT_NONE,       /* text, flags, identifiers */
	UNIT_COUNT,
	UNIT_RECORDS,
	UNIT_BYTES,
	UNIT_MS,
	UNIT_SECONDS,
	UNIT_PERCENT,    /* 0 to 100 */
	UNIT_CORES,      /* 1.0 is one whole core */
	UNIT_PER_SECOND,
	UNIT_TIME,       /* ms since 1970 UTC */
};
const char *unit_name(enum unit unit); /* as in --json: "bytes" */

enum value_type { VALUE_UNKNOWN, VALUE_INT, VALUE_REAL, VALUE_BOOL, VALUE_TEXT };

struct value { /* text is borrowed from the snapshot's arena and clean */
	enum value_type type;
	bool at_least; /* a sum with unknown parts: "≥ n" */
	union {
		int64_t i;
		double r;
		bool b;
		const char *s;
	} u;
};
struct value value_int(int64_t i);
struct value value_real(double r); /* not finite gives unknown */
struct value value_bool(bool b);
struct value value_text(const char *s); /* NULL gives unknown */
struct value value_unknown(void);
const char *value_string(struct value v); /* "" where it is no text */
double value_number(struct value v); /* NAN where it is not a number */
int value_compare(struct value a, struct value b); /* unknown last */

/* As a screen shows it: thousands separators, binary units, spans, local times; "-" for unknown.
 * Never longer than VALUE_TEXT_SIZE - 1 bytes. */
#define VALUE_TEXT_SIZE 96
char *value_show(char out[VALUE_TEXT_SIZE], struct value v, enum unit unit);

enum figure_flag {
	FIGURE_ROW = 1,     /* one of the two or three on the overview row, in the order of the specs */
	FIGURE_HISTORY = 2, /* keeps a ring: sparkline */
};
struct figure_spec {
	const char *name;  /* --json key: "under_replicated" */
	const char *label; /* on screen, after the number: "conns" */
	enum unit unit;
	unsigned flags;
	const char *help;
};

struct column_spec {
	const char *name; /* --json key */
	enum value_type type;
	enum unit unit;
	int priority;     /* 0 always shown; larger is dropped earlier when the screen is narrow */
	const char *help;
};
struct table_spec {
	const char *name, *help;
	const struct column_spec *columns; /* ends with a name of NULL */
};
#define TABLE_COLUMNS_MAX 32

#endif
