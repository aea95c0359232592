// SPDX-License-Identifier: MIT
/*
 * Avro container files as Iceberg writes them: fields are found by the field-id in the writer's schema,
 * what is not wanted is skipped and never built. Pure; a reader belongs to one thread.
 *
 * Every length in a file is a claim: none is trusted before the bytes are there.
 * Source: the Avro 1.11 specification; codecs null, deflate, snappy, zstandard.
 */
#ifndef LAKETOP_AVRO_H
#define LAKETOP_AVRO_H

#include "err.h"
#include "text.h"

enum avro_type {
	AVRO_NULL, AVRO_BOOLEAN, AVRO_INT, AVRO_LONG, AVRO_FLOAT, AVRO_DOUBLE, AVRO_BYTES, AVRO_STRING, AVRO_FIXED, AVRO_ENUM, AVRO_RECORD, AVRO_ARRAY,
	AVRO_MAP, AVRO_UNION
};
enum avro_logical {
	AVRO_PLAIN, AVRO_DATE, AVRO_TIME, AVRO_TIMESTAMP, AVRO_TIMESTAMP_TZ, AVRO_TIMESTAMP_NS, AVRO_TIMESTAMP_NS_TZ, AVRO_DECIMAL, AVRO_UUID
};

struct avro_value { /* lives as long as the call that hands it over */
	bool set;                /* false: null, or the file has no such field */
	enum avro_type type;     /* never AVRO_UNION: its branch */
	enum avro_logical logical;
	int scale;               /* of a decimal */
	int64_t i;               /* boolean, int, long, enum */
	double real;             /* float, double */
	struct text bytes;       /* bytes, string, fixed; of record, array, map: as it is encoded */
	int node;                /* for avro_fields and avro_find */
};

struct avro;
/* most: bytes of one block, unpacked. The file must live as long as the reader. NULL: err says why. */
struct avro *avro_open(struct text file, size_t most, struct err *err);
void avro_close(struct avro *a); /* NULL is fine */
struct text avro_meta(const struct avro *a, const char *key); /* of the header; empty: not there */
/*
 * Every record, its values in the order of ids: of fields of the root and of records right in records. each returns false to
 * end it, which is no error. True: the file was read to its end, or as far as each wanted.
 */
enum { AVRO_WANTED_MOST = 32 };
bool avro_each(struct avro *a, const int *ids, size_t n, bool (*each)(void *ctx, const struct avro_value *values), void *ctx, struct err *err);
/* By each: the fields of a record that was wanted as a whole, until it returns false. */
bool avro_fields(const struct avro *a, const struct avro_value *record, bool (*each)(void *ctx, int id, const char *name, const struct avro_value *v),
	void *ctx);
/* By each: in a map with int keys, which Avro has as an array of records: the value of one. */
bool avro_find(const struct avro *a, const struct avro_value *map, int64_t key, struct avro_value *out);

#endif
