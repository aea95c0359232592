// SPDX-License-Identifier: MIT
/*
 * What the gate (ops.c), the workers (worker.c) and the runs of runbooks (conduct.c) share: a seat for
 * each action.
 *
 * Threads: a job's shown part, its state and its next step stand under one lock; everything else of
 * a job is its worker's. A worker never touches the lake; settled() is asked on the UI thread.
 */
#ifndef LAKETOP_OPS_SEATS_H
#define LAKETOP_OPS_SEATS_H

#include <pthread.h>

#include "ops.h"
#include "ops_own.h"
#include "runbook.h"

enum { JOBS_MAX = 2 * ACTION_MARKS_MAX, OPEN_MAX = 16, OFFER_MS = 600000 };

enum step { STEP_NONE, STEP_QUEUE, STEP_RUN, STEP_DROP };

struct seat {
	struct action_job job;       /* first: action_progress gets it */
	pthread_t thread;
	bool threaded, joined;
	int cancel, wake;            /* eventfds */
	int64_t verify_until;        /* clock_ms(); UI thread */
	struct action_target target; /* as job.target, for the UI thread */
	uint64_t after;              /* whose end it waits for; UI thread */
	bool go_on;                  /* also after one that failed */
	bool forgotten;              /* it goes when it is over; UI thread */
	int64_t offered;             /* clock_ms(), of one that is conducted; UI thread */
	/* under the lock */
	struct action_shown shown;
	enum step step;
	bool ended;                  /* its thread is about to return */
	bool told;                   /* its end is told */
	bool unwritten;              /* and is not in the audit yet: it is tried again; UI thread */
	int64_t write_next;          /* clock_ms() */
};

struct ops {
	struct ops_options options;
	struct audit *audit;
	struct err no_audit;         /* why there is none */
	bool locked;
	uint64_t next;
	pthread_mutex_t lock;
	struct seat *seats[JOBS_MAX]; /* oldest first */
	size_t n;
	struct action_shown open[OPEN_MAX];
	size_t n_open;
	bool settled_one;            /* under the lock: one of those was ended */
	struct action_shown *shown;  /* what the lake points to */
	const struct run_shown *runs[JOBS_MAX];
	struct run_last *last;       /* of the profile's runbooks */
	size_t n_last;
	unsigned runs_over;          /* how many were when it was read */
};

struct seat *seat_of(const struct ops *o, uint64_t id); /* NULL: gone */
void seat_wake(int fd);                   /* an eventfd */
void ops_changed(struct ops *o);          /* any thread */

/* worker.c: its thread. False: there is none. */
bool seat_begin(struct seat *s);

/* conduct.c: actions that have no worker go on from ops_turn() */
void runs_read_last(struct ops *o);
void runs_conduct(struct ops *o, const struct lake *lake);
void runs_show(struct ops *o, struct lake *lake);

#endif
