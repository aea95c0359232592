// SPDX-License-Identifier: MIT
/* What the files of maintenance share. The worker's, but for what says otherwise. */
#ifndef LAKETOP_OPS_MAINTAIN_H
#define LAKETOP_OPS_MAINTAIN_H

#include "ops_own.h"
#include "tables.h"

enum proof { PROOF_SNAPSHOT, PROOF_EXPIRED, PROOF_LEFT }; /* a new snapshot or version; fewer snapshots; less is left to do */
enum runner { BY_CONNECT, BY_COMMAND, BY_TRINO };

struct chore {
	const char *verb;        /* also its preview's name */
	enum table_format format;
	enum proof proof;
	bool folder;             /* it deletes what nothing names: every other table has to be known, and what went is compared with the list */
};
const struct chore *chore_of(const char *verb);

struct table_state { /* what a table is like */
	int64_t files, bytes, deletes, snapshots, manifests, snapshot; /* -1: not known; snapshot: of Delta its version */
	int64_t left, folders;         /* files of the preview that are still to do, and empty folders; -1: not known */
	char operation[24];
	bool named;                    /* its catalog lists several: its name begins with that of its own */
};
struct maintain { /* action_job.state */
	struct table_state before;
	struct snapshot *plan;         /* its preview, with the list of what goes */
	char view[PLAN_VIEW_SIZE];     /* the preview's name, and what was chosen */
};

enum { MAINTAIN_READ_MS = 30000 };

/* maintain_table.c. As it is now; plan: and what the preview of that view says; NULL: not asked, save where only it tells what is left. */
bool table_state_read(struct action_job *j, const char *view, struct wait wait, struct table_state *out, struct snapshot **plan, struct err *err);
/* "205 -> 1 data files, 222 KiB -> 190 KiB, snapshot 3051729675574597004 (replace)"; pure */
void table_state_change(const struct table_state *b, const struct table_state *a, bool delta, char *out, size_t size);
/* Of one that did not run to its end: "the table is as it was, version 7", "the table has changed: now snapshot 12"; pure */
bool table_state_same(const struct table_state *b, const struct table_state *a, bool delta, char *out, size_t size);
/* The statement ran to its end, as said tells in the words of who; did: it says that it did something. Has it come about? */
bool maintain_verify(struct action_job *j, const char *who, bool did, const char *said, struct err *err);

/* maintain_spark.c, maintain_others.c: runs j->exact, or what stands for it; false: err says why, and what became of the table. */
bool run_by_connect(struct action_job *j, struct err *err);
bool run_by_command(struct action_job *j, struct err *err);
bool run_by_trino(struct action_job *j, struct err *err);
enum runner runner_of(const struct action_target *t);
/* The preview's view for this runner, with what it will not go below. False: err says why it cannot. */
bool trino_view(struct action_job *j, char view[PLAN_VIEW_SIZE], struct err *err);
/* Turns a preview into what Trino runs: j->exact, j->effect. */
bool trino_take(struct action_job *j, const struct snapshot *plan, const struct table_state *now, struct err *err);

/* What Trino calls the table: its catalog, and the rest of the name, which is returned; "": it cannot be said. trino: that service's name. Pure. */
const char *trino_table(const struct catalog *c, const char *trino, bool named, const char *table, char catalog[NAME_SIZE]);

/* maintain_match.c; pure, UI thread */
enum listing { LISTING_UNKNOWN, LISTING_ONE, LISTING_SEVERAL }; /* of catalogs: one, or several whose names its tables' begin with */
/* Does the catalog by which the engine would know that table mean what the profile does? False: words say what differs, or that it
 * cannot be told yet; "" where nothing is known. */
bool engine_matches(const struct table *settings, const struct catalog *c, enum listing listing, const char *table, char words[200]);

#endif
