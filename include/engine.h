// SPDX-License-Identifier: MIT
/*
 * Actors and their schedule, discovery, store, judge, events: snapshots in, a lake out. The screen
 * and the headless commands run the same one. engine_* are for the thread that started it; none
 * of them waits, except engine_stop (bounded).
 */
#ifndef LAKETOP_ENGINE_H
#define LAKETOP_ENGINE_H

#include "lake.h"

struct engine;

struct engine_options {
	struct host *host;
	const struct profile *profile;
	const char *demo;          /* NULL: none */
	const char *record;        /* file to record to; NULL */
	const char *replay;        /* file to replay; no probe is made then; NULL */
	double replay_speed;       /* 1.0 as recorded; 0 all at once */
	const char *state_dir;     /* for the event log; NULL: not kept */
	bool headless;             /* judge one round as it is: no hysteresis */
	bool discover;             /* find what no profile names */
	bool blind;                /* the host is not looked at: only what the profile says is asked, and who holds a port is not known */
	bool shallow;              /* who answers, and views that are asked for: no deeper look */
	bool tables;               /* headless: catalogs are read too; the screen always does */
	const char *only;          /* one service with the catalogs that it answers, or one catalog; NULL: all */
	bool read_only;            /* nothing is ever changed; the lock cannot be opened */
	bool locked;               /* begins locked */
	const char *const *only_kinds; /* services of these kinds, ends with NULL; NULL: all */
};

struct engine *engine_start(const struct engine_options *options, struct err *err);
int engine_fd(const struct engine *engine);   /* readable when a snapshot came */
bool engine_turn(struct engine *engine);      /* takes what came; true: the lake changed */
int64_t engine_due(const struct engine *engine); /* clock_ms() of the next turn that is needed without news */
const struct lake *engine_lake(const struct engine *engine);
void engine_refresh(struct engine *engine, const char *service); /* now; NULL: all */
void engine_ask_port(struct engine *engine, const char *address, uint16_t port); /* "i": who is it? */
/* Asks a service for one of its kind's views; the answer comes as service_answer(). Asking again asks anew. */
void engine_ask_view(struct engine *engine, const char *service, const char *view, const char *subject);
/* Ends the question, also one that is being answered: nobody looks any more. No answer comes then. */
void engine_drop_view(struct engine *engine, const char *service);
/* Asks a catalog for one of table_views of a table; the answer comes as catalog_answer_to(). Asking again asks anew. */
void engine_ask_table(struct engine *engine, const char *catalog, const char *view, const char *table);
/* Whether somebody looks at tables: catalogs are asked half as often while nobody does. True at first. */
void engine_watch_tables(struct engine *engine, bool watched);
/* Reads logs. They are in lake.logs as soon as there is something to see of them; until then, of a part, those before. */
struct log_wish;
void engine_open_logs(struct engine *engine, const struct log_wish *wish);
/* Looks through all that there is of these logs: lake.logs_found. match NULL and least 0: no more is looked for. */
void engine_search_logs(struct engine *engine, const char *match, int least);
void engine_watch_logs(struct engine *engine, bool watched); /* whether somebody looks: else they are closed after a while */
/* Something is to be changed: it is prepared, then offered in lake.actions. The action's id; 0: the gate refuses, err says why. The
 * same wish twice is one action. */
uint64_t engine_wish(struct engine *engine, const struct action_wish *wish, struct err *err);
bool engine_confirm(struct engine *engine, uint64_t id, struct err *err); /* runs what was offered */
/* Runs them one after another; go_on: also after one that failed. */
bool engine_confirm_all(struct engine *engine, const uint64_t *ids, size_t n, bool go_on, struct err *err);
void engine_drop(struct engine *engine, uint64_t id);   /* what is offered goes, what runs is cancelled */
bool engine_lock(struct engine *engine, bool locked, struct err *err);
bool engine_acting(const struct engine *engine);         /* an action runs, or is verified */
void engine_pause(struct engine *engine, bool paused); /* after SIGSTOP: deadlines start anew */
/* The profile of a recording: of the machine where it was made. NULL: err says why. */
struct profile *replay_profile(const char *path, struct err *err);
bool engine_replay_done(const struct engine *engine);
struct engine_cost { unsigned requests; size_t bytes; unsigned threads; };
struct engine_cost engine_cost(const struct engine *engine, const char *service); /* for doctor; NULL: all */
/* Cancels everything, joins within ms; what does not end by then is abandoned. Returns how many were. */
unsigned engine_stop(struct engine *engine, int64_t ms);

#endif
