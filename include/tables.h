// SPDX-License-Identifier: MIT
/*
 * The tables of one catalog: what is told of each, how it does, what is due, and the views that
 * are asked for. A keeper belongs to one actor and remembers between looks what did not change.
 *
 * Shapes: a PART_CATALOG snapshot holds the figures and the one table "tables" below. A view is a
 * PART_ANSWER snapshot whose subject is the table's name and whose one table has the view's name.
 */
#ifndef LAKETOP_TABLES_H
#define LAKETOP_TABLES_H

#include "catalog.h"
#include "iceberg.h"
#include "snapshot.h"

extern const struct figure_spec catalog_figures[]; /* tables, views, unread, uncounted, failed, listed, cut */
extern const struct table_spec catalog_tables[];   /* "tables", a row per table; see tables.c for each column */
extern const struct table_spec table_views[];      /* one per view; ends with a name of NULL */
extern const struct figure_spec plan_figures[];    /* of the previews among them */
/* A row of the view "table": what is not known has none. A time's words are RFC 3339. */
void table_fact(struct snapshot *s, struct table *facts, const char *what, struct value v, enum unit unit);
/* A day; span: ms from the first to the last. What was written in a burst counts as one day's. NAN of none. */
double table_rate(int64_t commits, int64_t span);
enum { TABLE_RATE_MS = 7 * 86400000 };             /* before the last commit: what a rate counts */
/*
 * Views: "table" (what and value), "snapshots", "refs", "partitions", "files", "files-smallest", "files-oldest", "schema",
 * "properties", "log", "growth", and the previews "compact", "expire", "manifests", "orphans", "deletes" (Iceberg),
 * "optimize", "vacuum" (Delta). A preview's name may be followed by what is chosen: "expire older_than=7d retain_last=5".
 */
enum { PLAN_VIEW_SIZE = 160 };
struct plan_choice { /* 0: not said */
	int64_t older_than;  /* ms since 1970; expire, orphans */
	int64_t retain_last; /* expire */
	int64_t retain;      /* ms; vacuum */
	int64_t target;      /* bytes; compact */
	int64_t min_files;   /* compact */
};
/* Splits the view off. now: ms since 1970. False: err says what is wrong, and what would be right. Pure. */
bool plan_choice_read(const char *view, int64_t now, char name[PLAN_VIEW_SIZE], struct plan_choice *out, struct err *err);
const char *const *plan_options(const char *view); /* names that it takes; ends with NULL */
bool plan_finds_nothing(const char *words);         /* of a preview's words: all is as it should be, nothing to do */
const char *plan_option_help(const char *option);  /* "7d, or a time: ..." */

struct keeper;
struct keeper *keeper_new(const struct catalog *c);
void keeper_free(struct keeper *k);
/* Lists alone: no table keeps another from being told. The next look goes on from there. False: s->err says why. */
bool keeper_list(struct keeper *k, struct probe *p, const struct storage *at, struct snapshot *s);
/* Lists, then reads what changed, newest first, as far as the probe's time and the budget of a look reach; what is still
 * unread is told as such and comes next time. True: the snapshot is whole or honest about it; false: s->err says why. */
bool keeper_look(struct keeper *k, struct probe *p, const struct storage *at, struct snapshot *s);
void keeper_retry(struct keeper *k); /* what failed is tried again at the next look, whenever it would have been due */
/* Asked between two tables: true ends a look early, for somebody waits for an answer. Any thread may change what it says. */
void keeper_hurry(struct keeper *k, bool (*hurry)(void *ctx), void *ctx);
bool keeper_unread(const struct keeper *k); /* there is more to read: look again soon */
/* False: s->err says why. */
bool keeper_answer(struct keeper *k, struct probe *p, const struct storage *at, const char *view, const char *table, struct snapshot *s);

/*
 * Where the tables of all catalogs of a profile, and of found ones, lie: one for all keepers, told of each catalog's newest snapshot. Any thread. The
 * preview of orphans asks it; a keeper that has none proposes no orphan.
 */
struct places;
struct places *places_new(const struct profile *profile);
void places_free(struct places *p);
void places_tell(struct places *p, const struct catalog *c, const struct snapshot *s); /* also one that failed */
void keeper_places(struct keeper *k, struct places *p); /* borrowed as long as the keeper is */

/* ---- health: by the engines' documented rules, where work is due ---- */
enum table_grade { GRADE_UNKNOWN, GRADE_GOOD, GRADE_DUE, GRADE_ILL, GRADE_FAILED };
const char *table_grade_word(enum table_grade g); /* "good", "due", "ill", "unknown", "failed" */
enum table_due { DUE_COMPACT = 1, DUE_EXPIRE = 2, DUE_MANIFESTS = 4, DUE_DELETES = 8, DUE_METADATA = 16, DUE_OPTIMIZE = 32, DUE_VACUUM = 64 };
struct table_health {
	enum table_grade grade;
	unsigned due;            /* of table_due, or-ed */
	double weight;           /* what is due is ranked by it over all tables: larger first */
	char words[200];         /* "94 % of files are under 13 MiB; 412 snapshots, the oldest 61 d" */
};
void table_due_words(unsigned due, char out[64]); /* "compact, expire" */
/* Pure. now: ms since 1970. */
void iceberg_health(const struct iceberg_metadata *m, const struct iceberg_truth *t, int64_t now, struct table_health *out);

/*
 * ---- previews: from metadata alone, equal to what Spark's procedures of Iceberg 1.8 and newer then do ----
 *
 * One function per view. Each adds the view's table to s and fills its figures (plan_figures): numbers, the sentence "words",
 * "sql" where something would run, "caution" where one should know more. true: what s says is so, also where it says that
 * nothing is due, that the procedure would refuse, or that it was not counted. false: s->err says why.
 */
struct plan_place { const char *table, *location; };
struct plan_about { /* the table that a preview is of, and what a user may choose */
	const char *table;              /* as the catalog has it: "bronze.orders" */
	const char *engine;             /* the catalog's name in the engine that would run it: "lake" */
	const char *metadata;           /* URL of the metadata.json that was read; "" unknown */
	const struct plan_place *others; /* every other table that is known; not this one as another catalog has it (same uuid) */
	size_t n_others;
	const char *untold;             /* why others is not every table that may share its storage; NULL or "": it is */
	const char *caution;            /* what else of them is not sure; NULL or "": nothing */
	int64_t now;                    /* ms since 1970 */
	int64_t older_than;             /* ms since 1970; 0: the table's policy, else the engine's default */
	int64_t retain_last;            /* of an expiry; 0: the table's */
	int64_t target, min_files;      /* of a compaction; 0: the table's target, five */
	struct iceberg_budget budget;
};
bool plan_compact(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct plan_about *a, struct snapshot *s);
bool plan_expire(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct plan_about *a, struct snapshot *s);
bool plan_manifests(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct plan_about *a, struct snapshot *s);
bool plan_deletes(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct plan_about *a, struct snapshot *s);
bool plan_orphans(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct plan_about *a, struct snapshot *s);

/* The sizes by which a rewrite chooses. false: the procedure would refuse this target. */
struct plan_sizes { int64_t target, least, most, write_most; };
bool plan_sizes_of(int64_t target, struct plan_sizes *out);
int64_t plan_becomes(const struct plan_sizes *z, int64_t bytes); /* files that a group of so many bytes is written into */
/* "CALL `lake`.system.PROCEDURE(table => '`lake`.`bronze`.`orders`'REST)"; false: a name that no SQL can say safely, out is "". */
bool plan_call(struct buf *out, const struct plan_about *a, const char *procedure, const char *rest);

struct compact_plan {
	int64_t target, least, most;    /* bytes: of the table, 75 %, 180 % */
	int64_t candidates, groups;     /* files that the rule takes; bins that are kept */
	int64_t files, bytes;           /* that would be rewritten */
	int64_t becomes;                /* data files afterwards, of these */
	int64_t partitions;             /* with at least one group */
	int64_t deletes;                /* delete files that belong to a rewritten file */
	int64_t other_specs;            /* of files: written by an older partition spec, in one group of their own */
};
struct compact;                         /* fed with every live file, deletes first; keeps open bins, not files */
/* NULL: a target that the procedure refuses. target, least: 0: the table's, five files. */
struct compact *compact_new(const struct iceberg_metadata *m, int64_t target, int64_t least, int64_t memory);
bool compact_take(void *compact, const struct iceberg_file *f); /* for iceberg_each_file; false: its memory is used up */
bool compact_end(struct compact *c, struct compact_plan *out, struct err *err); /* frees it; false: its memory was used up */

struct expire_plan { /* -1: not counted */
	int64_t cutoff;                 /* ms since 1970 */
	int64_t snapshots, kept;        /* that go, that stay */
	int64_t refs;                   /* tags and branches that go, past their own age */
	int64_t data_files, position_files, equality_files, manifests, lists, statistics, bytes; /* that become unreachable */
	const char *words;              /* why nothing may go, or what protects: "branch audit keeps 3" */
};
/* Which snapshots an expiry at now would drop: marks[i] for m->snapshots[i]. Pure. older_than, retain_last below 1: the table's.
 * arena: of the words; NULL: without them. */
void expire_mark(const struct iceberg_metadata *m, int64_t now, int64_t older_than, int64_t retain_last, bool *marks, struct expire_plan *out,
	struct arena *arena);

#endif
