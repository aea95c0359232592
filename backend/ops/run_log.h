// SPDX-License-Identifier: MIT
/* STATE/runs.jsonl: a line when a run begins, at each step, and at its end; what --resume and the list of runbooks read. */
#ifndef LAKETOP_RUN_LOG_H
#define LAKETOP_RUN_LOG_H

#include "ops.h"
#include "runbook.h"

struct run_line {
	enum { RUN_BEGINS, RUN_STEP, RUN_STEP_DONE, RUN_ENDS } phase;
	const char *key;                  /* of the run */
	const struct profile *profile;
	const struct runbook *book;
	const struct action_wish *given;  /* of a begin: its variables */
	size_t step;                      /* 0 is the first */
	int64_t ms;                       /* of what is done */
	enum action_state state;          /* of an end */
	const char *words;
};
bool run_log_write(struct ops *o, const struct run_line *line, struct err *err);

#endif
