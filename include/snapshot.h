// SPDX-License-Identifier: MIT
/*
 * The one currency between rooms: what one source said at one time. Built by one actor, then
 * published and never changed; shared by reference count; all memory in one capped arena.
 * Panels draw it, --json prints it, --record writes it, --replay reads it.
 *
 * Threads: build on one; after publishing, snapshot_ref/unref from any.
 */
#ifndef LAKETOP_SNAPSHOT_H
#define LAKETOP_SNAPSHOT_H

#include <stdatomic.h>
#include <sys/types.h>

#include "err.h"
#include "mem.h"
#include "value.h"

struct service_kind;
struct facts;

enum answered {
	ANSWERED_NOT_ASKED,
	ANSWERED_REFUSED,  /* nothing accepts the connection */
	ANSWERED_MUTE,     /* accepts, says nothing (or breaks off) before the deadline */
	ANSWERED_OTHER,    /* says something, and it is not what was asked for */
	ANSWERED_YES,      /* itself */
};

enum sure { SURE_UNKNOWN, SURE_HINT, SURE_RANGE, SURE_EXACT };

struct identity { /* strings live in the snapshot's arena */
	enum answered answered;
	const struct service_kind *kind; /* NULL: not one that we know */
	const char *role;       /* the port's part: "filer", "controller"; NULL for the main one */
	const char *says;       /* of an unknown one: its first words, clean */
	enum sure sure;
	const char *version;    /* "4.1.4"; for a range the lower end. NULL: unknown */
	const char *version_to; /* for a range its upper end, else NULL */
	const char *revision;   /* build or commit, else NULL */
	const char *from;       /* which question told the version: "GET /api/v1/version" */
	const char *source;     /* which question told the identity, and how fast: "ApiVersions v3, 2 ms" */
};

enum link_state { LINK_UNKNOWN, LINK_OK, LINK_BAD, LINK_NA };

struct health { /* the deep check of its kind */
	enum link_state state; /* LINK_UNKNOWN: not asked, or it refuses us */
	const char *words;     /* one sentence: "3 of 12 partitions have no leader" */
	const char *source;
	bool definite;         /* bad for certain, and time does not heal it: it counts at once */
};

enum severity { SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_BLOCKING };
const char *severity_word(enum severity severity); /* info, warning, blocking */
bool severity_named(const char *word, enum severity *out); /* false: it is none; word may be NULL */
struct finding { /* a probe's own findings; the judge adds others */
	const char *name; /* "lag", "stale", "under-replicated" */
	enum severity severity;
	const char *reason, *remedy; /* remedy may be NULL */
};

struct figure {
	const struct figure_spec *spec;
	struct value value;
};

struct table {
	const struct table_spec *spec;
	size_t n_columns, n_rows;
	size_t left_off; /* rows that the cap kept out; shown, never silent */
	size_t room;     /* rows that fit before the block grows; builder only */
	struct value *cells; /* row by row */
};

/* Files that freshness depends on: looked at by the service's actor, judged by judge(). */
struct freshness {
	bool known;
	int64_t newest;   /* ms since 1970: the latest change among them */
	char what[120];   /* "spark-defaults.conf", "2 JARs of iceberg-4.1" */
	unsigned newer;   /* how many changed after the process started */
};

/* Masked and unreadable are wrong. */
enum unit_is { SYSTEMD_NOT_ASKED, SYSTEMD_NOWHERE, SYSTEMD_WRONG, SYSTEMD_LOADED, SYSTEMD_FAILED, SYSTEMD_RESTARTS };

struct files { /* what the files that the profile names for a service say */
	struct freshness fresh;
	bool pidfile_read;    /* the profile names a pid file, and it was looked for */
	pid_t pidfile_pid;    /* 0: missing or no number */
	int unit;             /* enum unit_is, of the unit that the profile names, while nobody listens */
	bool unit_users;      /* it is not the system's, but this user's */
	const char *unit_words; /* "exit-code, status 78"; NULL: nothing to say */
	int port;             /* that its configuration gives its main part; 0: none */
	const char *progress; /* the line that its start writes; NULL: none, or older than 30 s, than an hour if it "failed: ..." */
};

enum snapshot_part { PART_PULSE, PART_DEPTH, PART_HOST, PART_DOCKER, PART_ANSWER, PART_STREAM, PART_CATALOG };

struct snapshot {
	atomic_uint refs;
	struct arena *arena;
	const char *source;       /* the service's name, "host", "docker" */
	enum snapshot_part part;
	uint64_t generation;      /* counts up per source and part */
	int64_t begun, ended;     /* clock_ms() */
	int64_t wall;             /* clock_wall_ms() at the end */
	int64_t interval;         /* ms to the next one: three of them and it is old */
	struct err err;           /* ERR_NONE where the source answered */
	struct identity who;      /* PART_PULSE and PART_DEPTH */
	struct health health;     /* PART_DEPTH */
	struct files files;       /* PART_PULSE */
	uint64_t server;          /* PART_PULSE and PART_DEPTH: who was asked, as the host knew it; 0 unknown. Not recorded */
	uint64_t print;           /* PART_CATALOG: tells what it says from what another one says; 0 unknown. Not recorded */
	unsigned requests;        /* what this cost the source */
	size_t bytes;
	struct figure *figures;
	size_t n_figures;
	struct table *tables;
	size_t n_tables;
	struct finding *findings;
	size_t n_findings;
	const struct facts *facts; /* PART_HOST and PART_DOCKER, see facts.h */
	const char *view, *subject; /* PART_ANSWER: what was asked, of what: "peek", "orders" */
};

#define SNAPSHOT_CAP (8u << 20)
#define SNAPSHOT_CATALOG_CAP (24u << 20) /* 10,000 tables, or rows: of PART_CATALOG and PART_ANSWER */
#define SNAPSHOT_FIGURES_MAX 40
#define SNAPSHOT_TABLES_MAX 10
#define SNAPSHOT_FINDINGS_MAX 16

struct snapshot *snapshot_new(const char *source, enum snapshot_part part); /* one reference, begun now */
struct snapshot *snapshot_ref(struct snapshot *s);
const struct snapshot *snapshot_keep(const struct snapshot *s); /* the same for one who only reads; NULL is fine */
void snapshot_unref(struct snapshot *s); /* NULL is fine */
void snapshot_drop(const struct snapshot *s); /* the same for one who only reads */

/* Builders. What does not fit is left off and marked; callers need not check. The name must be
 * one of the kind's specs (asserted). Text values are cleaned and copied. */
void snapshot_figure(struct snapshot *s, const struct figure_spec *specs, const char *name, struct value v);
struct table *snapshot_table(struct snapshot *s, const struct table_spec *specs, const char *name); /* made at the first call, the same at others */
/* One whose columns only the answer tells: they lie in the arena, and end with a name of NULL. Room for so many rows is made at
 * once. NULL: there is none. */
struct table *snapshot_table_made(struct snapshot *s, const char *name, const char *help, const struct column_spec *columns, size_t rows);
/* Cells in the order of the columns; missing ones stay unknown. NULL where the cap left the row off: table_set takes it. */
struct value *table_row(struct snapshot *s, struct table *t);
/* Room for so many rows at once: growing by doubling leaves the old blocks behind in the arena. */
void table_reserve(struct snapshot *s, struct table *t, size_t rows);
void table_set(struct snapshot *s, struct table *t, struct value *row, const char *column, struct value v);
void snapshot_finding(struct snapshot *s, const char *name, enum severity severity, const char *remedy, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
void snapshot_health(struct snapshot *s, enum link_state state, const char *source, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Readers. */
struct value snapshot_get(const struct snapshot *s, const char *figure); /* unknown where missing; s may be NULL */
const struct table *snapshot_find_table(const struct snapshot *s, const char *name);
struct value table_get(const struct table *t, size_t row, const char *column);

#endif
