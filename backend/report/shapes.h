// SPDX-License-Identifier: MIT
/* The pieces that every JSON document is made of: one shape for --json, --record and --replay. */
#ifndef LAKETOP_SHAPES_H
#define LAKETOP_SHAPES_H

#include "json.h"
#include "snapshot.h"

enum { SCHEMA = 1 };

const char *sure_word(enum sure sure);              /* exact, range, hint, unknown */

/* {"value": 12401, "unit": "records", "age_ms": 912}; "at_least": true where it is. age below 0: left out. */
void put_figure(struct json_writer *w, const char *name, struct value v, enum unit unit, int64_t age);
/* [ {column: value, ...}, ... ]; a row names its columns that are "at_least". unknowns: as null, else left out. */
void put_table(struct json_writer *w, const char *name, const struct table *t, bool unknowns);
void put_finding(struct json_writer *w, const char *name, enum severity severity, const char *reason, const char *remedy);
void put_words(struct json_writer *w, const char *key, const char *s); /* NULL and "": null */

#endif
