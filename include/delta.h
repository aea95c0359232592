// SPDX-License-Identifier: MIT
/*
 * A Delta table as its _delta_log tells it, without a byte of Parquet: its version by listing, its
 * counts by the newest checksum or by replaying the commits that are still there, its last commits with
 * what they did, what waits to be vacuumed, and what OPTIMIZE and VACUUM would do. What would need a
 * checkpoint's Parquet says so. One thread.
 *
 * For a row: delta_read, delta_health, delta_row. For a view: delta_read with files, delta_view.
 * Checked against Delta 4.4.0 of Spark 4.0.5.
 */
#ifndef LAKETOP_DELTA_H
#define LAKETOP_DELTA_H

#include "tables.h"

struct delta_metric { const char *key, *value; };
struct delta_commit { /* -1: not known */
	int64_t version, when;      /* ms since 1970 */
	const char *operation;      /* "WRITE", "OPTIMIZE"; "" not said */
	const char *engine;         /* "Apache-Spark/4.0.5 Delta-Lake/4.4.0"; "" not said */
	const struct delta_metric *metrics; /* operationMetrics, as they stand there */
	size_t n_metrics;
	int64_t added, removed;     /* data files; a file that only got another deletion vector is in both */
	int64_t vectored, vectored_records; /* of added: those that came with a deletion vector */
	int64_t added_bytes, removed_bytes, added_records, removed_records;
	int64_t files, bytes, records; /* of the table after it; records before deletes */
};
struct delta_file {
	const char *path;           /* under the table's folder, or whole; clean only where it is shown */
	const char *partition;      /* "day=2026-01-01"; "" unpartitioned */
	const char *vector_path;    /* of its deletion vector; "" none, or inline */
	int64_t bytes, records;     /* -1: not said */
	int64_t deleted;            /* rows that its deletion vector takes out */
	int64_t when;               /* modificationTime; of a removed one: when it was removed */
	int64_t version;            /* that added it; -1: older than what was read */
	const char *cube, *provider; /* of liquid clustering: the cube it is in, who made it; "" none */
};
struct delta_schema { int64_t version; const char *json; }; /* since when, -1 not known; schemaString */
struct delta_partition { const char *name; int64_t files, small, bytes, records, vectors; };

struct delta_table { /* in the arena given; -1: not known */
	const char *url;
	int64_t version;            /* the newest */
	int64_t oldest;             /* whose commit is still there */
	int64_t gap;                /* a version whose commit is missing though readers need it; -1: none */
	int64_t n_commits;          /* commit files there */
	int64_t log_bytes, log_files;
	int64_t checkpoint;         /* version of the newest whole one */
	const char *checkpoint_kind; /* "single file", "12 parts", "by UUID"; "" there is none */
	int64_t compacted;          /* commits that compacted logs stand for */

	const char *id, *name, *description;
	int64_t created;
	int reader, writer;         /* protocol */
	const char *const *features; size_t n_features; /* of readers and writers, each once */
	const char *unsupported;    /* reader features that no rule here knows: "variantType-preview"; "" none */
	bool catalog_managed;       /* the newest version is what its catalog says, and it does the maintenance */
	bool clustered;             /* liquid clustering */
	bool uniform;               /* has Iceberg metadata beside its own */
	const char *const *partition_columns; size_t n_partition_columns;
	const struct delta_schema *schemas; size_t n_schemas; /* newest first; older ones as far as commits were read */
	const struct iceberg_property *properties; size_t n_properties;

	enum table_measure measured; /* SUMMARY: a checksum, or a checkpoint's hint; EXACT: every add is known */
	bool about;                 /* counted on from an older version: a file that was added twice counts twice */
	const char *how;            /* "checksum of version 13", "every commit from 0 to 13" */
	const char *lacks;          /* what is not known, and what it would need; "" nothing */
	const char *mistrust;       /* "" or where checksum and commits differ */
	int64_t files, bytes, records; /* records before deletes */
	int64_t vectors, deleted;   /* deletion vectors, rows that they take out */
	int64_t target, small;      /* delta.targetFileSize, else what OPTIMIZE writes; files below 75 % of it */
	const struct delta_partition *partitions; size_t n_partitions, n_partitions_all; /* most files first; EXACT only */
	const struct delta_file *list; size_t n_list; /* every live file, where measured is EXACT */

	const struct delta_file *removed; size_t n_removed; /* tombstones of the commits that were read */
	int64_t removed_since;      /* all removals since then are among them; ms; INT64_MAX: none are known */
	int64_t retention;          /* delta.deletedFileRetentionDuration, ms */
	int64_t expired, expired_bytes; /* tombstones past it: files that VACUUM would delete, if it has not yet */
	bool expired_there;         /* the largest of them was looked for, is still there, and old by its own time, too: VACUUM takes it */
	bool expired_young;         /* it is there, and younger than the retention by its own time: VACUUM leaves it */
	const struct delta_commit *commits; size_t n_commits_read; /* newest first */
	double rate;                /* commits a day over the last seven; NAN */
	int64_t interval;           /* delta.checkpointInterval */
	int64_t now;                /* when it was read, ms since 1970 */
};

struct delta_ask {
	int64_t latest;             /* the catalog's word for the newest version; -1: the listing decides */
	int64_t bytes;              /* of commits to be read; 0: 32 MiB */
	int64_t commits;            /* most of them; 0: 500 */
	bool probe;                 /* look whether the largest expired file is still there: one question more */
	char known[96];             /* in and out: what delta_read said last of this table; "" read it whatever it is */
};
enum delta_answer { DELTA_FAILED, DELTA_GONE, DELTA_SAME, DELTA_OK };
/* GONE: there is no _delta_log with anything in it. FAILED: err says why. The arena's cap bounds what is kept: 64 MiB do for 200,000 files. */
enum delta_answer delta_read(struct probe *p, const struct storage *at, const char *url, struct delta_ask *ask, struct arena *arena,
	struct delta_table *out, struct err *err);

const char *delta_property(const struct delta_table *t, const char *key); /* NULL: not set */

/* Pure. */
void delta_health(const struct delta_table *t, struct table_health *out);

/* Fills one row of catalog_tables' "tables"; name stays the caller's. */
void delta_row(const struct delta_table *t, const struct table_health *health, struct snapshot *s, struct table *table, struct value *row);
/*
 * Fills the table of one of table_views in s, and for "optimize" and "vacuum" the plan's figures. sql: the table as the engine
 * writes it, quoted: "`lake`.`kitchen`.`orders`"; NULL: by its path. False: s->err says why. "vacuum" lists the table's folder.
 */
bool delta_view(struct probe *p, const struct storage *at, const struct delta_table *t, const char *view, const char *sql, struct snapshot *s);
bool delta_has_view(const char *view);

/* ---- previews ---- */
struct delta_group { /* of OPTIMIZE */
	const char *partition;
	int64_t files, becomes, bytes, vectors;
};
struct delta_optimize { /* -1: not known */
	int64_t files, becomes, bytes, partitions, vectors;
	const struct delta_group *groups; size_t n_groups;
	const char *words;          /* why nothing can be said, or is to be done; "" neither */
	const char *caution;
};
/* Pure. False: its memory is used up. */
bool delta_optimize(const struct delta_table *t, struct arena *arena, struct delta_optimize *out);

struct delta_found { /* what lies in the table's folder, by its path under it */
	const char *path;
	int64_t bytes, modified;
	bool folder;
	const char *why;            /* out: "" stays; else why VACUUM would delete it */
};
struct delta_vacuum {
	int64_t files, folders, bytes, listed, cutoff;
	int64_t unsure;             /* old files that only a checkpoint's Parquet could tell to be kept: not counted above */
	const char *words, *caution;
};
/* Pure: marks what VACUUM at now would delete. found is sorted by it. */
bool delta_vacuum(const struct delta_table *t, struct delta_found *found, size_t n, int64_t now, struct arena *arena, struct delta_vacuum *out);

#endif
