// SPDX-License-Identifier: MIT
/*
 * What stands in a Delta table's _delta_log: the names of its files, the actions of a commit line by
 * line, the checksum of a version, the pointer to the last checkpoint. Pure; every length is capped.
 *
 * Source: the Delta transaction log protocol; checked on what Delta 4.4.0 of Spark 4.0.5 writes.
 */
#ifndef LAKETOP_FORMAT_DELTA_LOG_H
#define LAKETOP_FORMAT_DELTA_LOG_H

#include "json.h"

enum delta_name_kind {
	DELTA_NAME_OTHER,      /* _staged_commits, _sidecars, _last_checkpoint, what anybody left there */
	DELTA_NAME_COMMIT,     /* N.json */
	DELTA_NAME_CHECKSUM,   /* N.crc */
	DELTA_NAME_CHECKPOINT, /* N.checkpoint.parquet, one of its parts, or one by UUID */
	DELTA_NAME_COMPACTED,  /* N.M.compacted.json */
};
struct delta_name {
	enum delta_name_kind kind;
	int64_t version, to; /* to: of compacted */
	int64_t part, parts; /* of a checkpoint in parts; else 1 of 1 */
	bool json;           /* of a checkpoint: its upper level is JSON */
};
struct delta_name delta_name(struct text name);

enum delta_action_kind {
	DELTA_ADD, DELTA_REMOVE, DELTA_METADATA, DELTA_PROTOCOL, DELTA_COMMIT_INFO, DELTA_DOMAIN, DELTA_SIDECAR,
	DELTA_OTHER_ACTION, /* txn, cdc, checkpointMetadata, and what later versions bring */
};
struct delta_action {
	enum delta_action_kind kind;
	const struct json *body; /* lives as long as the call that hands it over */
};

enum { DELTA_LINE_MOST = 16 << 20 };
/* Lines of a commit as its bytes come in. */
struct delta_lines {
	bool (*each)(void *ctx, const struct delta_action *action); /* false ends it, which is no error */
	void *ctx;
	struct buf line;
	int64_t number; /* of the line, from 1 */
	bool ended;
};
void delta_lines_begin(struct delta_lines *l, bool (*each)(void *ctx, const struct delta_action *action), void *ctx);
bool delta_lines_feed(struct delta_lines *l, const char *bytes, size_t len, struct err *err); /* false with err, or each had enough */
bool delta_lines_end(struct delta_lines *l, struct err *err); /* takes what has no line break; frees */
void delta_lines_free(struct delta_lines *l);

struct delta_entry { /* of an add or a remove; texts live as long as the action, or as the bufs given */
	struct text path;      /* percent signs decoded */
	struct text partition; /* "day=2026-01-01, region=eu"; null values as "day=null"; "" unpartitioned */
	struct text vector;    /* what tells its deletion vector from others; "" none */
	struct text vector_path; /* its file, relative to the table or whole; "" inline or none */
	int64_t bytes, modified; /* -1 not said; ms since 1970; of a remove: when */
	int64_t records;       /* in the file, before deletes; -1 not said */
	int64_t deleted;       /* of its deletion vector; 0: it has none */
	struct text cube;      /* tag ZCUBE_ID; "" none */
	struct text provider;  /* clusteringProvider; "" none */
};
struct delta_scratch { struct buf path, partition, vector, vector_path; }; /* kept between entries */
void delta_scratch_begin(struct delta_scratch *s);
void delta_scratch_free(struct delta_scratch *s);
bool delta_entry(const struct json *body, bool add, struct delta_scratch *s, struct delta_entry *out);

/* "interval 7 days" in ms. */
bool delta_interval(struct text t, int64_t *ms);
/* "128mb", "134217728". */
bool delta_size(struct text t, int64_t *bytes);
/* A schema's type as SQL says it. */
void delta_type(const struct json *type, struct buf *out);

#endif
