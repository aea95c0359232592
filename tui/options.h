// SPDX-License-Identifier: MIT
/*
 * The command line: commands and options as tables, from which --help, the manual page and the
 * completion are made. Pure.
 */
#ifndef LAKETOP_TUI_OPTIONS_H
#define LAKETOP_TUI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "mem.h"

enum command {
	COMMAND_SCREEN, /* none was given */
	COMMAND_STATUS, COMMAND_CHECK, COMMAND_WAIT, COMMAND_PORTS, COMMAND_EVENTS, COMMAND_LAG, COMMAND_SPARK,
	COMMAND_TABLES, COMMAND_TABLE, COMMAND_PLAN, COMMAND_ROWS, COMMAND_DOCTOR,
	COMMAND_START, COMMAND_STOP, COMMAND_RESTART, COMMAND_DO, COMMAND_RUN, COMMAND_TESTDATA, COMMAND_ACTIONS, COMMAND_LOGS, COMMAND_THEMES, COMMAND_KEYS,
	COMMAND_COUNT,
};

struct command_spec {
	const char *name;
	const char *arguments; /* "[SERVICE...]", "ACTION TABLE"; "" none are taken */
	const char *help;
};
extern const struct command_spec command_specs[COMMAND_COUNT]; /* by enum command; the screen has no name */

struct option_spec {
	const char *name;      /* "--profile" */
	const char *argument;  /* "NAME|FILE"; NULL: none */
	const char *help;
	unsigned commands;     /* bits of enum command; 0: all */
};
extern const struct option_spec option_specs[]; /* ends with a name of NULL */

enum { NAMES_MAX = 32, CONDITIONS_MAX = 16 };

struct options { /* strings belong to argv; NULL where not given */
	enum command command;
	bool help, version;
	const char *profile, *demo, *record, *replay, *theme, *service, *group;
	bool retry, keep_going;
	bool ascii, no_color, mouse, json, tables, files, csv, yes, read_only, locked;
	bool dry_run, resume;                   /* of run */
	const char *from;
	const char *version_wanted;             /* of start and stop: only services that expect it */
	const char *level, *match;              /* of logs */
	bool follow;
	int64_t since;                          /* ms since 1970; 0 not given */
	int64_t within, timeout;                /* ms; -1 not given */
	int64_t limit;                          /* rows; -1 not given */
	const char *names[NAMES_MAX + 1];       /* the command's arguments: services, a table; ends with NULL */
	const char *conditions[CONDITIONS_MAX + 1]; /* of --for; ends with NULL */
};

/* False: err says in one line what is wrong and, where one is near, the right word. */
bool options_parse(int argc, char *const argv[], struct options *out, struct err *err);
void options_help(enum command command, struct buf *out);
/* "2s", "500ms", "1min", "8" (seconds). */
bool options_duration(const char *s, int64_t *ms);
/* The one of so many names that differs least from word; NULL: none is near. */
const char *options_nearest(const char *word, const char *const *names, size_t n);

#endif
