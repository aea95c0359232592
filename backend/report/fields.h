// SPDX-License-Identifier: MIT
/*
 * Plain structs as JSON, both ways, by a table of their fields: no pair of functions per struct,
 * and no field that is written and forgotten in reading. What is at its unknown or empty value is
 * left out, and comes back as that value.
 */
#ifndef LAKETOP_FIELDS_H
#define LAKETOP_FIELDS_H

#include <stddef.h>

#include "facts.h"
#include "json.h"

enum field_type {
	FIELD_TEXT,   /* char array; cleaned when it is read */
	FIELD_LETTER, /* char */
	FIELD_BOOL,
	FIELD_INT,    /* int, pid_t */
	FIELD_UNSIGNED, /* unsigned, uid_t */
	FIELD_PORT,   /* uint16_t */
	FIELD_I64,    /* int64_t, a time or an amount: beyond 2^60 it is none, and sums of some stay numbers */
	FIELD_EXACT,  /* uint64_t, an identity; its upper half reads as negative in the file */
	FIELD_COUNT,  /* int64_t, -1 unknown */
	FIELD_REAL,   /* double, NAN unknown */
};

struct field { /* a table of them ends with a name of NULL */
	const char *name;
	enum field_type type;
	size_t at, size;
};
#define FIELD(of, member, type) {#member, FIELD_##type, offsetof(struct of, member), sizeof((struct of *)0)->member}

void fields_write(struct json_writer *w, const struct field *fields, const void *from);
void fields_read(const struct json *object, const struct field *fields, void *into);

void facts_write(struct json_writer *w, const char *key, const struct facts *f);
/* In the arena; NULL where that has no room. */
const struct facts *facts_read(const struct json *object, struct arena *arena);

#endif
