// SPDX-License-Identifier: MIT
/* What Arrow's two files share: a stream whose messages arrow.c reads, and whose cells arrow_cells.c tells. */
#ifndef LAKETOP_FORMAT_ARROW_OWN_H
#define LAKETOP_FORMAT_ARROW_OWN_H

#include "arrow.h"

enum kind {
	KIND_NULL, KIND_INT, KIND_UINT, KIND_FLOAT, KIND_DOUBLE, KIND_BOOL, KIND_UTF8, KIND_BINARY, KIND_DECIMAL, KIND_DATE, KIND_TIME,
	KIND_TIMESTAMP, KIND_DURATION, KIND_MONTHS, KIND_CALENDAR, KIND_FIXED, KIND_REFUSED, KIND_LIST, KIND_STRUCT, KIND_MAP,
};
enum { NAME_MOST = 256 };

struct field {
	char name[NAME_MOST];
	enum kind kind;
	uint32_t width;          /* bytes per value, of kinds that have one width */
	bool large;              /* 64-bit offsets */
	bool utc;                /* a timestamp that is an instant */
	int scale, precision;
	int unit;                /* 0 s, 1 ms, 2 us, 3 ns */
	size_t children, next;   /* next: the field after this one's subtree */
	const char *refused;
	/* of the current batch */
	uint64_t length;
	bool nulls;
	const uint8_t *valid, *offsets, *values;
	uint64_t n_offsets, n_values;
};

struct arrow {
	struct text rest;
	struct field *fields;    /* in pre-order */
	size_t n_fields, room;
	size_t columns[ARROW_FIELDS_MAX], n_columns;
	int64_t rows;
};

static inline uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t get32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t get64(const uint8_t *p)
{
	return get32(p) | (uint64_t)get32(p + 4) << 32;
}

#endif
