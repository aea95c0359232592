// SPDX-License-Identifier: MIT
/*
 * Everything that changes something is one action: who, on what, the exact argv, SQL or request,
 * what it will change, how it is verified. Every action passes one gate (backend/ops/ops.c): replay,
 * read-only start, lock, one at a time on one thing, confirmation, audit. It runs on a thread of its
 * own, shows progress, can be cancelled, and is done only when its verification says so.
 *
 * To add one: a const value in backend/ops/, a line in backend/ops/actions.c. Keys, palette, command
 * line and runbooks know nothing but that table.
 */
#ifndef LAKETOP_ACTION_H
#define LAKETOP_ACTION_H

#include "facts.h"
#include "net.h"

struct lake;
struct service;
struct catalog;
struct profile;
struct expectation;

enum { ACTION_OPTIONS_MAX = 12, ACTION_EXACT_SIZE = 2000, ACTION_WORDS_SIZE = 600, ACTION_VERB_SIZE = 24, ACTION_SUBJECT_SIZE = 256 };

enum action_on { ON_SERVICE, ON_TABLE, ON_GROUP, ON_APPLICATION, ON_DRIVER, ON_CONNECTOR, ON_TASK, ON_BACKEND, ON_QUERY, ON_PROFILE };
const char *action_on_word(enum action_on on); /* "service", "table" */

struct action_wish { /* what somebody wants; nothing of it is trusted */
	char verb[ACTION_VERB_SIZE];       /* "stop" */
	char service[NAME_SIZE];           /* whom; of a table its catalog */
	char subject[ACTION_SUBJECT_SIZE]; /* the table, group, application; "" the service itself */
	struct action_option { char name[ACTION_VERB_SIZE], value[160]; } options[ACTION_OPTIONS_MAX];
	size_t n_options;
};
bool wish_option_set(struct action_wish *w, const char *name, const char *value); /* false: no room */
const char *wish_option(const struct action_wish *w, const char *name);           /* NULL: not given */

enum { ACTION_MARKS_MAX = 64 }; /* a whole stack is about 40 services */
struct action_mark { /* one of several things that the same is wished for */
	char service[NAME_SIZE], subject[ACTION_SUBJECT_SIZE];
};

enum action_state {
	ACTION_PREPARING, /* finding out what exactly it would do; changes nothing */
	ACTION_OFFERED,   /* waits for a yes */
	ACTION_QUEUED,    /* got it, and waits for those before it */
	ACTION_RUNNING,
	ACTION_VERIFYING, /* ran; has it come about? */
	ACTION_DONE,
	ACTION_NEEDLESS,  /* it was looked at, and there was nothing to do: as good as done */
	ACTION_FAILED,    /* could not be prepared, run or verified; words say why */
	ACTION_CANCELLED,
	ACTION_OPEN,      /* an earlier laketop began it, and its end was never written */
};
const char *action_state_word(enum action_state s);
bool action_is_over(enum action_state s);
bool action_went_well(enum action_state s); /* done, or there was nothing to do */

enum action_fault { /* how one failed */
	FAULT_NONE,      /* it could not be done */
	FAULT_DISAGREES, /* it was done, and what is there afterwards does not say so */
	FAULT_TIME,      /* its limit passed first */
};

struct action_shown { /* what the lake tells of one; all clean, no secret in any of it */
	uint64_t id;
	enum action_state state;
	struct action_wish wish;
	char title[160];                 /* "stop kafka" */
	char exact[ACTION_EXACT_SIZE];   /* the argv, SQL or request; lines by '\n' */
	char effect[ACTION_WORDS_SIZE];  /* what it will change */
	char verify[200];                /* how it is known to be done: "kafka serves 4.1 on 9092" */
	char words[ACTION_WORDS_SIZE];   /* progress, then the result */
	double part;                     /* of the work that is done, 0 to 1; NAN: cannot be known */
	bool destructive;                /* it takes something away */
	enum action_fault fault;
	enum err_code because;           /* why it could not be prepared */
	bool again;                      /* it failed by what passes, a commit that came between: the same wish may do better */
	int64_t begun, ended;            /* ms since 1970; of the run; 0: not yet */
	char who[64];                    /* user and process */
	char profile[NAME_SIZE];         /* of one that was left open: whose it is; "" it had none */
	uint64_t parent;                 /* the run of a runbook that it is a step of; 0: none */
	char awaits[NAME_SIZE];          /* a service that it waits to hear of; "" none */
};

/* ---- for the files of backend/ops/ ---- */

struct action_target { /* what the lake knew of it when it was wished; copies, and what lives as long as the profile */
	const struct expectation *expected; /* NULL: found */
	const struct service_kind *kind;    /* NULL: unknown */
	struct endpoint at;
	char container[CONTAINER_ID_SIZE], container_name[NAME_SIZE], container_state[16];
	char compose_project[NAME_SIZE], compose_service[NAME_SIZE], compose_folder[160]; /* by the container's labels */
	char unit[NAME_SIZE];
	pid_t pid;                          /* who holds the port; 0 unknown */
	int64_t started;                    /* when it began, ms since 1970 */
	bool sure;                          /* pid is known by the socket itself */
	char process[NAME_SIZE], hint[480];
	char version[NAME_SIZE];            /* that answers now; "" unknown */
	char others[160];                   /* whom it needs and misses, or who needs it */
	char caution[200];                  /* what one should know before it runs; "" nothing */
	const struct catalog *catalog;      /* of a table; expected, kind and at are then of the engine that serves it */
	const struct profile *profile;
	struct places *places;              /* where the tables of all catalogs lie; as long as the engine is */
	enum err_code because;              /* of one that is refused: what is so (ERR_SYSTEM), or not known (ERR_CONNECT); 0: the wish is wrong */
};

struct action_job { /* the worker's own, but for what ops.c keeps under its lock */
	const struct action_spec *spec;
	struct action_wish wish;
	struct action_target target;
	struct host *host;
	struct net *net;
	struct wait wait;                   /* of the phase: preparing, running */
	char exact[ACTION_EXACT_SIZE], effect[ACTION_WORDS_SIZE], verify[200]; /* filled by prepare */
	char result[ACTION_WORDS_SIZE];     /* filled by run; "" where settled says it */
	char last[ACTION_WORDS_SIZE / 2];   /* of one that failed: the last lines of its log; filled by run or watch */
	enum action_fault fault;            /* how run failed, where it knows better than ops.c */
	bool again;                         /* run failed by what passes: see action_shown */
	bool needless;                      /* set by prepare, or by run that did nothing: there was nothing to do */
	char note[200];                     /* for the audit line: "session ..., operation ..." */
	void *state;                        /* the spec's own, from prepare to free */
	struct ops *ops;
	uint64_t id;
};
/* From the worker, whenever there is something new; clean and cut as needed. part NAN: cannot be known. */
void action_progress(struct action_job *j, double part, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* An audit line's note changes while it runs (an operation id that only the run learns): written at once. */
void action_note(struct action_job *j, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum action_settled { SETTLED_NOT_YET, SETTLED_WELL, SETTLED_BADLY };

struct conducted { /* how a run of a runbook stands; conduct changes it */
	enum action_state state;
	bool dropped;                    /* somebody says no, or cancels */
	char words[ACTION_WORDS_SIZE];   /* "" as they were */
	double part;
	char awaits[NAME_SIZE];
};

struct action_spec {
	const char *verb, *help;            /* "stop", "stop it, by what it is: container, unit, process" */
	enum action_on on;
	const char *never;                  /* why nobody can do it, where it is looked for all the same; NULL: it can be done */
	const char *const *options;         /* names that it takes; ends with NULL; NULL: none */
	/* UI thread, pure: what may be typed for one of them, and what stands there by itself. NULL: its name says it. */
	void (*hint)(const struct lake *lake, const struct action_wish *wish, const char *option, char out[200]);
	bool destructive;
	int64_t limit_ms, verify_ms;        /* of run, of settled */
	/* UI thread, pure: can it be done to that? Fills target. False: why says why not, and target->because whose fault it is. */
	bool (*offer)(const struct lake *lake, const struct action_wish *wish, struct action_target *target, char why[200]);
	/* Worker: finds out what exactly would be done, changes nothing. False: err says why it cannot, or, needless set, why it need not. */
	bool (*prepare)(struct action_job *j, struct err *err);
	/* Worker: does it, by what prepare said and by nothing else. */
	bool (*run)(struct action_job *j, struct err *err);
	/* UI thread: has it come about? words: how, or what is missing. NULL: run knows. */
	enum action_settled (*settled)(const struct lake *lake, const struct action_job *j, char words[ACTION_WORDS_SIZE]);
	/* Worker, beside settled, until that knows or verify_ms are over: sees what never comes about (it exited), and reads its last
	 * words. False: err says why; it failed. True: there is nothing to see. NULL: likewise. */
	bool (*watch)(struct action_job *j, struct err *err);
	/* UI thread, at the yes: is what offer said still so? False: why says what came between. NULL: run finds out. */
	bool (*still)(const struct lake *lake, const struct action_job *j, char why[200]);
	/* UI thread, instead of prepare and run: it is made of other actions, each of which passes the gate by itself. Called every turn
	 * until it is over. NULL: it has a worker. */
	void (*conduct)(struct action_job *j, const struct lake *lake, struct conducted *c);
	bool beside;                        /* it changes nothing: others may be at the same thing, and it at theirs */
	void (*free)(void *state);          /* NULL: free() */
};
extern const char *const any_option[];  /* for options: whatever name, offer judges */
extern const struct action_spec *const action_specs[]; /* ends with NULL */
const struct action_spec *action_spec_named(const char *verb); /* NULL: none */
/* What it would bring about is so: it need not be done. */
bool action_is_so_already(const struct lake *lake, const struct action_wish *w);
const struct action_spec *action_spec_of(const char *verb, enum action_on on); /* NULL: none */

/* What earlier ones began and never ended, newest last, without asking anybody anything. */
size_t actions_left_open(struct host *h, const char *state_dir, struct action_shown *out, size_t most);

/* It answers rightly, and only those that start after it are missing: nothing more can be started of it. Pure. */
bool service_waits_for_others(const struct lake *lake, const struct service *s);

/* May it be wished now, on that? Pure; for menus. False: why says why not. */
bool action_offered(const struct lake *lake, const struct action_spec *spec, const struct action_wish *wish, char why[200]);

#endif
