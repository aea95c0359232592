// SPDX-License-Identifier: MIT
/* Start, stop, restart: what its files share. ways.c knows the lake, ways_do.c does it, by the ways of the others. */
#ifndef LAKETOP_WAYS_H
#define LAKETOP_WAYS_H

#include "ops_own.h"

enum { WORDS_MAX = 64 };
enum way { WAY_NONE, WAY_CONTAINER, WAY_COMPOSE, WAY_UNIT, WAY_PROGRAM, WAY_SIGNAL };
enum doing { DOING_START, DOING_STOP, DOING_RESTART };

struct plan { /* what prepare found, for run and watch */
	enum way way;
	enum doing doing;
	const char *argv[WORDS_MAX + 1]; /* compose, systemctl, the profile's */
	size_t n;
	char path[400];                  /* of the engine's API */
	bool user_unit;
	pid_t pid;                       /* spawned */
	int64_t log_from;                /* where its log ended before */
	int64_t began;                   /* ms since 1970: when it was run */
};
void plan_push(struct plan *p, const char *word);
enum doing doing_of(const struct action_wish *w);
enum way way_of(const struct action_target *t, enum doing doing);
bool ways_prepare(struct action_job *j, struct err *err);
bool ways_run(struct action_job *j, struct err *err);
bool ways_watch(struct action_job *j, struct err *err);
bool run_argv(struct action_job *j, const struct plan *p, struct err *err);

/* units.c: systemd's, of the system or of this user */
bool unit_prepare(struct action_job *j, struct plan *p, struct err *err);
bool unit_run(struct action_job *j, struct plan *p, struct err *err);
bool unit_watch(struct action_job *j, const struct plan *p, struct err *err);

/* programs.c: the profile's own, and the process that holds a port */
void program_prepare(struct action_job *j, struct plan *p);
bool program_run(struct action_job *j, struct plan *p, struct err *err);
bool program_watch(struct action_job *j, const struct plan *p, struct err *err);

/* containers.c. id: or its name. */
bool container_run(struct action_job *j, const char *path, struct err *err);
bool container_watch(struct action_job *j, const struct plan *p, const char *id, struct err *err);

/* A moment of a watch. False: it is over, settled or out of time; fine then says which. */
bool watch_goes_on(struct action_job *j, int64_t ms, struct err *err, bool *fine);

#endif
