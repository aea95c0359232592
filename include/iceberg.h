// SPDX-License-Identifier: MIT
/*
 * An Iceberg table as its own metadata tells it: metadata.json (format 1 to 3), manifest lists,
 * manifests. The readers are pure, take bytes in any pieces, and have a cap for everything; what
 * goes past a cap is counted, and says so. Nothing here knows a catalog. One thread.
 *
 * Source: the Iceberg table spec; Avro fields are resolved by field-id, never by name. Checked
 * against Spark's metadata tables (Iceberg 1.11.0) and PyIceberg 0.12.0.
 */
#ifndef LAKETOP_ICEBERG_H
#define LAKETOP_ICEBERG_H

#include "storage.h"

/*
 * Snapshots kept with all they say: the newest in the file's order, and those that a ref leads to. Of the older ones, as far
 * as these go, id, parent and time. What is older still is counted alone, but for the very first.
 */
enum { ICEBERG_SUMMARIES = 8192, ICEBERG_OLDER = 8192 };

struct iceberg_summary { /* a snapshot's own words; -1: not said. Zero deltas are not written: of a known operation they are 0 */
	int64_t added_files, deleted_files, added_delete_files, removed_delete_files;
	int64_t added_records, deleted_records, added_bytes, removed_bytes;
	int64_t total_files, total_delete_files, total_records, total_bytes, total_position_deletes, total_equality_deletes;
	int64_t changed_partitions;
};
struct iceberg_snapshot {
	int64_t id, parent;         /* parent -1: none */
	int64_t sequence, when;     /* ms since 1970 */
	int schema;                 /* -1: not said */
	bool kept;                  /* false: only id, parent and when are known */
	bool encrypted;
	const char *operation;      /* "append", "replace", "overwrite", "delete"; "" unknown */
	const char *manifest_list;  /* as it is written, not clean; "" of format 1 with manifests named one by one, and of those without a summary kept */
	const char *engine;         /* "spark 4.1.4", "" unknown */
	const char *wap;            /* wap.id, "" none */
	struct iceberg_summary summary;
	const char *const *manifests; /* of format 1 without a list: their paths; NULL where there is none */
	size_t n_manifests;
};
struct iceberg_ref {
	const char *name;
	int64_t snapshot;
	bool branch;                /* else a tag */
	int64_t min_snapshots, max_snapshot_age, max_ref_age; /* -1: not set; ages in ms */
};
struct iceberg_field { /* a schema's column, nested ones after their parent, by depth */
	int id, depth;
	const char *name, *type, *doc; /* type as SQL would say it: "decimal(9,2)", "list", "struct" */
	bool required;
};
struct iceberg_schema {
	int id;
	const struct iceberg_field *fields;
	size_t n_fields;
};
struct iceberg_spec {
	int id;
	const char *words;          /* "days(ts), bucket(16, id)"; "" unpartitioned */
	size_t n_fields;
};
struct iceberg_log { int64_t when; const char *file; };
struct iceberg_property { const char *key, *value; };

struct iceberg_metadata { /* in its own arena */
	struct arena *arena;
	int format;                 /* 1, 2, 3; a higher one is refused by name */
	const char *uuid, *location; /* uuid "" in some of format 1 */
	int64_t updated;            /* last-updated-ms */
	int64_t bytes;              /* of metadata.json as it was read, before it was unpacked */
	int64_t sequence, current;  /* current: a snapshot's id where has_current */
	bool has_current;
	const struct iceberg_snapshot *snapshots; /* the file's order */
	size_t n_snapshots, n_snapshots_all; /* all: exact even where a cap left some off */
	const struct iceberg_ref *refs; /* main is always there when has_current */
	size_t n_refs;
	const struct iceberg_schema *schemas; size_t n_schemas; int schema; /* the current one's id */
	const struct iceberg_spec *specs; size_t n_specs; int spec;
	const char *sort;           /* "ts ASC NULLS FIRST"; "" unsorted */
	const struct iceberg_property *properties; size_t n_properties;
	const struct iceberg_log *log; size_t n_log, n_log_all; /* metadata-log, oldest first; the newest are kept */
	const struct iceberg_log *snapshot_log; size_t n_snapshot_log; /* file is "" there; its snapshot's id is snapshot_log_ids[i] */
	const int64_t *snapshot_log_ids;
	const struct iceberg_log *statistics; size_t n_statistics; /* statistics and partition statistics: file, when 0 */
	const int64_t *statistics_ids; /* the snapshots that they are of */
	bool encrypted;
	bool nessie;                /* its history is in Nessie: one snapshot is all there ever is */
	bool cut;                   /* a cap left something off */
};
const struct iceberg_snapshot *iceberg_find(const struct iceberg_metadata *m, int64_t id); /* NULL */
const struct iceberg_snapshot *iceberg_current(const struct iceberg_metadata *m);          /* NULL: no snapshot */
const char *iceberg_property(const struct iceberg_metadata *m, const char *key);           /* NULL: not set */
int64_t iceberg_number(const struct iceberg_metadata *m, const char *key, int64_t otherwise); /* a property as a number */
int64_t iceberg_target(const struct iceberg_metadata *m); /* write.target-file-size-bytes, with its default */

/*
 * Reads metadata.json, gzip or not, or a catalog's LoadTableResult that holds one, as it comes in.
 * 12 MiB at most whatever the file's length. finish: NULL, err says what is wrong with it. Ends the reader.
 */
struct iceberg_reader;
struct iceberg_reader *iceberg_reader_new(void);
bool iceberg_reader_feed(struct iceberg_reader *r, const char *bytes, size_t len, struct err *err); /* false: no use to go on */
struct iceberg_metadata *iceberg_reader_finish(struct iceberg_reader *r, struct err *err);
void iceberg_reader_free(struct iceberg_reader *r); /* of one that was not finished; NULL is fine */
const char *iceberg_reader_location(const struct iceberg_reader *r); /* a LoadTableResult's metadata-location; "" none */
void iceberg_metadata_free(struct iceberg_metadata *m);

struct iceberg_manifest { /* texts live as long as the call that hands it over */
	struct text path;
	int64_t bytes;
	int spec;
	bool deletes;
	int64_t sequence, min_sequence, snapshot;
	int64_t added_files, existing_files, deleted_files; /* -1: not said (format 1) */
	int64_t added_records, existing_records, deleted_records;
	bool encrypted;
};

enum iceberg_content { ICEBERG_DATA, ICEBERG_POSITION_DELETES, ICEBERG_EQUALITY_DELETES };
enum iceberg_status { ICEBERG_EXISTING, ICEBERG_ADDED, ICEBERG_DELETED };
struct iceberg_file { /* one manifest entry; texts live as long as the call, paths are not clean */
	enum iceberg_content content;
	enum iceberg_status status;
	struct text path, format;   /* format in lower case: "parquet", "puffin" */
	struct text partition;      /* "ts_day=2026-01-01, region=eu": values as people read them; "" unpartitioned */
	uint64_t partition_key;     /* of spec and the partition's own bytes: equal where the partition is equal */
	int spec;
	int64_t records, bytes;
	int64_t sequence, snapshot; /* of a commit; inherited from the manifest where the entry says none */
	bool vector;                /* a deletion vector: its own bytes are content_bytes, the file's are shared */
	int64_t content_offset, content_bytes; /* -1: not said */
	struct text referenced;     /* the one data file that its deletes are of; "" more than one, or unknown */
	int sort_order;             /* -1: not said */
};

/* Pure readers of one Avro file each. False: err says why; each() may end it by false, which is no error. */
bool iceberg_read_manifest_list(struct text avro, bool (*each)(void *ctx, const struct iceberg_manifest *m), void *ctx, struct err *err);
bool iceberg_read_manifest(struct text avro, const struct iceberg_manifest *of, bool (*each)(void *ctx, const struct iceberg_file *f),
	void *ctx, struct err *err);

/* What a look may cost; counted down. */
struct iceberg_budget {
	int64_t bytes;              /* to be read from storage */
	int64_t files;              /* manifests to be read */
	int64_t memory;             /* what distinct paths, partitions may take */
};
enum { ICEBERG_MANIFEST_MOST = 64 << 20 }; /* bytes of one manifest or list, unpacked block by block */

/*
 * Over storage: every manifest of a snapshot; every live file of a snapshot (status ADDED or EXISTING), those of delete
 * manifests first. ERR_LIMIT: the budget ended it, what was handed over holds. err names the file that is at fault.
 */
bool iceberg_each_manifest(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct iceberg_snapshot *s,
	struct iceberg_budget *budget, bool (*each)(void *ctx, const struct iceberg_manifest *m), void *ctx, struct err *err);
bool iceberg_each_file(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct iceberg_snapshot *s,
	struct iceberg_budget *budget, bool (*each)(void *ctx, const struct iceberg_file *f), void *ctx, struct err *err);

/* ---- what the table's current snapshot really holds ---- */
enum table_measure {
	MEASURE_NONE,     /* nothing but the catalog's word that it is there */
	MEASURE_SUMMARY,  /* the snapshot's own totals: they may lie */
	MEASURE_LIST,     /* the manifest list: counts of files and records, no sizes */
	MEASURE_EXACT,    /* every live entry of every manifest */
};
const char *table_measure_word(enum table_measure m); /* "summary", "manifest list", "exact" */

enum { ICEBERG_PARTITIONS = 1000 };
struct iceberg_partition {
	uint64_t key;
	const char *name;           /* "" the unpartitioned table's only one */
	int spec;
	int64_t files, small, bytes, records, delete_files;
	int64_t newest;             /* the newest sequence number among its files */
};
struct iceberg_truth { /* -1: not known */
	enum table_measure measured;
	int64_t files, bytes, records;            /* data files; records before deletes */
	int64_t delete_files;       /* of all kinds, a vector as one; known before the three that follow */
	int64_t position_files, equality_files, vectors; /* delete files by kind; a deletion vector counts here alone */
	int64_t delete_bytes;       /* of distinct files: a puffin with several vectors once */
	int64_t position_deletes, equality_deletes; /* records that they name */
	int64_t small;              /* data files below 75 % of the table's target */
	int64_t manifests, delete_manifests, manifest_bytes;
	struct iceberg_partition *partitions; /* most files first, ICEBERG_PARTITIONS at most; in the arena given */
	size_t n_partitions, n_partitions_all; /* all: with at least one live file, of deletes too */
	bool partitions_cut;        /* memory ended before all were seen: all is a lower bound then */
	const char *mistrust;       /* "" or why the summary was wrong: "summary says 205 files, manifests hold 204" */
};
/* First the cheap, then the exact truth, as far as the budget reaches. false: err says why it ends where measured says.
 * s NULL: a table without a snapshot, which holds nothing. */
bool iceberg_measure(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct iceberg_snapshot *s,
	struct iceberg_budget *budget, struct arena *arena, struct iceberg_truth *out, struct err *err);

#endif
