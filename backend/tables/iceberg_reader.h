// SPDX-License-Identifier: MIT
/* The reader of metadata.json: iceberg_metadata.c has its bytes, members and end, iceberg_collect.c what it makes of the large ones. */
#ifndef LAKETOP_ICEBERG_READER_H
#define LAKETOP_ICEBERG_READER_H

#include <limits.h>

#include <zlib.h>

#include "iceberg_own.h"
#include "json_stream.h"
#include "value.h"

enum { WORDS_MOST = 64, LOG_MOST = 4096, VALUE_MOST = 4 << 10 };

struct ring { /* the newest of a log */
	struct iceberg_log *at; /* file is NULL or of mem_new() */
	int64_t *ids;
	size_t n, size, oldest, all;
};

struct whole { /* what iceberg_metadata_free() frees */
	struct iceberg_metadata m; /* first */
	struct iceberg_shapes shapes;
	struct iceberg_shelf shelf;
	struct ring log, snapshot_log;
	struct iceberg_ref *refs;
	struct iceberg_property *properties;
	struct iceberg_log *statistics;
	int64_t *statistics_ids;
	const char *words[WORDS_MOST]; /* operations and engines: each is kept once */
	size_t n_words;
};

enum member {
	OTHER, FORMAT, UUID, LOCATION, UPDATED, SEQUENCE, CURRENT, SCHEMAS, SCHEMA, SCHEMA_ID, SPECS, SPEC, SPEC_ID, ORDERS, ORDER_ID, PROPERTIES,
	SNAPSHOTS, REFS, LOG, SNAPSHOT_LOG, STATISTICS, PARTITION_STATISTICS, KEYS, VIEW, CONFIG, METADATA, METADATA_LOCATION
};

struct iceberg_reader {
	struct json_stream *json;
	struct whole *w;
	struct err why;           /* the first thing that was wrong */
	bool failed;
	int base;                 /* depth of the metadata itself: 1, or 2 in a LoadTableResult */
	bool outside;             /* beside it, in a LoadTableResult */
	enum member member;
	char key[64];             /* the last one below the member */
	bool key_cut;
	bool in_summary;
	int64_t order;            /* default-sort-order-id */
	struct buf capture;
	struct iceberg_snapshot now;
	struct buf list, wap, engine, version, manifests; /* of the snapshot at hand; manifests are NUL-terminated */
	size_t n_manifests;
	bool said;                /* its summary has figures */
	struct iceberg_log entry; /* of the log at hand */
	int64_t entry_id;
	struct buf file;
	struct buf location;      /* metadata-location */
	bool lone_spec;
	z_stream gzip;
	bool zipped, unzipped;
	unsigned char head[2];
	size_t n_head;
	int64_t unpacked;
};

static inline int64_t number(const struct json_token *t, int64_t otherwise)
{
	int64_t n;

	return (t->event == JSON_NUMBER || t->event == JSON_TEXT) && text_i64(t->text, &n) ? n : otherwise;
}

static inline int small_number(const struct json_token *t, int otherwise)
{
	int64_t n = number(t, otherwise);

	return n >= INT_MIN && n <= INT_MAX ? (int)n : otherwise;
}

static inline void set_buf(struct buf *b, struct text t)
{
	buf_reset(b);
	buf_add(b, t.at, t.len);
}

static inline const char *text_of_buf(const struct buf *b)
{
	return b->len ? b->at : "";
}

/* Remembers the first thing that is wrong. Returns false. */
bool reader_fail(struct iceberg_reader *r, struct err why);
void reader_add_ref(struct whole *w, const char *name, struct iceberg_ref ref);
/* iceberg_collect.c: one token of that member */
void take_snapshot(struct iceberg_reader *r, const struct json_token *t);
void take_entry(struct iceberg_reader *r, const struct json_token *t);
void take_property(struct iceberg_reader *r, const struct json_token *t);
/* Schemas, specs, orders and refs are captured as they come, and read as a tree. */
void maybe_capture(struct iceberg_reader *r, const struct json_token *t);
bool take_captured(struct iceberg_reader *r);

#endif
