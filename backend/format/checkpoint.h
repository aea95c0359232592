// SPDX-License-Identifier: MIT
/*
 * The checkpoint of a Structured Streaming query: what its small files say. Pure, any thread; texts
 * are borrowed from the file, and not clean.
 *
 *   metadata        {"id":"<query>"}
 *   offsets/N       written before batch N runs: where it ends
 *   commits/N       written after batch N is done
 *   sources/I/0     where source I began
 *
 * Source: Spark's OffsetSeqLog, CommitLog, HDFSMetadataLog and KafkaSourceInitialOffsetWriter; checked
 * on 4.1.4. Kafka's offsets are those that are read next.
 */
#ifndef LAKETOP_FORMAT_CHECKPOINT_H
#define LAKETOP_FORMAT_CHECKPOINT_H

#include "err.h"
#include "mem.h"

/* The number of a batch by its file's name; -1: another file (".5.crc", "5.crc", ".5.<uuid>.tmp", "9.compact"). */
int64_t checkpoint_batch(struct text name);

enum checkpoint_kind { /* of a source, by the shape of its offset */
	CHECKPOINT_NONE,    /* "-": it has given nothing yet */
	CHECKPOINT_KAFKA,
	CHECKPOINT_FILES,
	CHECKPOINT_DELTA,
	CHECKPOINT_ICEBERG,
	CHECKPOINT_NUMBER,  /* a rate or socket source */
	CHECKPOINT_OTHER,
};
const char *checkpoint_kind_word(enum checkpoint_kind kind); /* "kafka" */

struct checkpoint_source {
	char id[64];          /* its place in the plan from 0 on, or its id in v2; clean */
	enum checkpoint_kind kind;
	struct text offset;   /* JSON */
};
struct checkpoint_offsets {
	int version;          /* 1 or 2 */
	int64_t at;           /* ms since 1970: when the batch was made; 0: not said */
	int64_t watermark;    /* ms since 1970; 0: none */
	struct text rest;     /* the lines of its sources */
	unsigned sources;     /* that were taken */
};
/* False: err says what is wrong with it; what is named by whoever read it. */
bool checkpoint_offsets(struct text file, struct checkpoint_offsets *out, struct err *err);
/* False at the end, or where a line makes no sense: err then says so. */
bool checkpoint_next(struct checkpoint_offsets *offsets, struct checkpoint_source *out, struct err *err);

/* Of commits/N. watermark 0: none. */
bool checkpoint_commit(struct text file, int64_t *watermark, struct err *err);
/* Of metadata. */
bool checkpoint_id(struct text file, char out[64], struct err *err);
/* Of sources/I/0: its offset. */
bool checkpoint_start(struct text file, struct checkpoint_source *out, struct err *err);

enum checkpoint_kind checkpoint_kind(struct text offset);
/* Each partition of a Kafka offset, as it stands there. False: it is none. */
bool checkpoint_kafka(struct text offset, void (*each)(void *ctx, struct text topic, int32_t partition, int64_t next), void *ctx);

#endif
