// SPDX-License-Identifier: MIT
/* What the files about Delta share among themselves: the listing of a log, and the replay of its commits. */
#ifndef LAKETOP_TABLES_DELTA_OWN_H
#define LAKETOP_TABLES_DELTA_OWN_H

#include "../format/delta_log.h"
#include "delta.h"

/* ---- the log's files ---- */
struct delta_log_file { int64_t version, bytes, modified; }; /* -1: not known */
struct delta_checkpoint { int64_t version, parts, seen; bool uuid; };
struct delta_log {
	struct delta_log_file *commits; size_t n_commits, room_commits; /* by version */
	int64_t *checksums; size_t n_checksums, room_checksums;
	struct delta_checkpoint *checkpoints; size_t n_checkpoints, room_checkpoints;
	int64_t files, bytes, compacted;
};
bool delta_log_take(struct delta_log *l, const struct storage_entry *e);
void delta_log_sort(struct delta_log *l);
void delta_log_free(struct delta_log *l);

/*
 * Replay from the newest commit back: what was said of a file last is what holds, and what is
 * older only fills in what the newest left out.
 */
struct delta_said { /* of one file with one deletion vector */
	const char *path, *partition, *vector, *vector_path, *cube, *provider;
	uint64_t hash;
	int64_t bytes, records, deleted, when, version;
	int64_t at;          /* index of the commit that was seen last, going back; -1: the checksum's list */
	bool live, removed;  /* in the newest version; taken out of it. Neither: of old, and not in a list of all files */
	bool added;          /* what was seen last, going back, is an add */
	bool no_bytes, no_records; /* it is a remove that does not say them: the add before it does */
};
struct delta_tally { /* of one commit, beside what delta_commit says */
	int64_t readded, readded_bytes, readded_records; /* of files that were there already */
	int64_t unresolved;  /* removes whose records are not known */
	bool no_stats;       /* an add without its count of records */
};
struct delta_replay {
	struct arena *arena;
	struct delta_said *said; size_t n_said, room_said;
	uint32_t *slots; size_t n_slots;   /* of said + 1; 0 empty */
	struct delta_commit *commits; struct delta_tally *tallies; size_t n_commits, room_commits;
	struct delta_scratch scratch;
	struct delta_schema *schemas;      /* room for them, in the arena */
	struct delta_commit *room_kept; size_t n_kept; /* for what the arena is to hold of commits, however many files there are */
	bool full;           /* the arena's cap is reached: not every file is known */
	bool whole;          /* every live file is known */
	struct delta_table *out;
	bool metadata, protocol, clustering; /* seen already */
};
void delta_replay_begin(struct delta_replay *r, struct arena *arena, struct delta_table *out);
bool delta_replay_room(struct delta_replay *r, size_t commits); /* most that will come; false: the arena is too small for them alone */
void delta_replay_free(struct delta_replay *r);
void delta_replay_commit(struct delta_replay *r, int64_t version);       /* what follows is of this commit; older each time */
bool delta_replay_action(void *replay, const struct delta_action *action); /* for delta_lines */
void delta_replay_base(struct delta_replay *r, const struct json *files); /* allFiles of a checksum of the commit that comes next */
void delta_replay_metadata(struct delta_replay *r, const struct json *body, int64_t version); /* -1: of a checksum */
void delta_replay_protocol(struct delta_replay *r, const struct json *body);
void delta_replay_domain(struct delta_replay *r, const struct json *body);
int64_t delta_sum(int64_t a, int64_t b); /* -1: one of them is not known, or the sum is beyond 63 bits */
int64_t delta_before(int64_t after, int64_t added, int64_t removed, int64_t readded); /* the same; never below 0 */
/* Counts, lists, sums up into out. */
void delta_replay_end(struct delta_replay *r);

/* ---- rows and figures of a preview ---- */
bool delta_tell_optimize(const struct delta_table *t, const char *sql, struct snapshot *s, struct table *table);
bool delta_tell_vacuum(struct probe *p, const struct storage *at, const struct delta_table *t, const char *sql, struct snapshot *s,
	struct table *table);
struct value delta_count(int64_t n); /* -1: unknown */

#endif
