// SPDX-License-Identifier: MIT
/* The two ways to run: on a terminal, or as a command that prints and ends. Main thread. */
#ifndef LAKETOP_TUI_RUN_H
#define LAKETOP_TUI_RUN_H

#include "engine.h"
#include "host.h"
#include "options.h"
#include "profile.h"

struct setup {
	const struct options *options;
	struct host *host;
	const struct profile *profile;
	const char *state_dir; /* NULL: there is no place for one */
	bool ascii;
};

enum { EXIT_GONE = 129, EXIT_INTERRUPTED = 130, EXIT_QUIT_SIGNAL = 131, EXIT_TERMINATED = 143 };

int loop_run(const struct setup *setup);
int command_run(const struct setup *setup);
int logs_run(const struct setup *setup);
void say_no_service(const struct lake *lake, const char *name, const char *version); /* and which is near; version NULL: any */
bool known_service(const struct setup *setup, const char *name); /* false: said so, with the nearest name */
int act_run(const struct setup *setup); /* start, stop, restart, do */
int runbooks_run(const struct setup *setup); /* run, testdata */
/* Prepares it, shows it, asks, runs it, tells how it goes. An exit code. */
int act_on_wish(const struct setup *setup, struct engine *engine, const struct action_wish *wish);
/* runbooks.c: the steps of a run, what they would do, how they went. */
struct run_shown;
void print_run_offer(const struct run_shown *run);
void print_run_step(const struct run_shown *run, size_t i);
struct engine *engine_to_act(const struct setup *setup, bool tables); /* that has looked at everything; NULL: said why not */
int actions_run(const struct setup *setup); /* what was left open */

typedef bool (*holds)(const struct lake *lake, const void *ctx);
/* Turns the engine until it holds. False: the deadline came first. The lake is the newest one either way. */
bool run_until(struct engine *engine, int64_t deadline, holds test, const void *ctx);

/* What the engine is asked for by these options. */
struct engine_options engine_options_of(const struct setup *setup);
/* Ends what was started within ms; where threads are left behind, ends the process instead of returning. */
void end_engine(struct engine *engine, int64_t ms, int code);

/* The lake before anything was asked: the profile's services, each "asking". What the first frame shows. */
struct lake *first_lake(const struct setup *setup);
void first_free(struct lake *lake);

#endif
