// SPDX-License-Identifier: MIT
/*
 * A runbook while it is read and run. Its words are the profile's; what a step is, with variables put in,
 * is found by runbook_step(), at load where there are none and when it runs. Pure, but for
 * runbooks_last. A variable's value is never more than one word of an argv, and one part of a wish.
 */
#ifndef LAKETOP_RUNBOOK_H
#define LAKETOP_RUNBOOK_H

#include "action.h"
#include "profile.h"
#include "report.h"

enum { STEPS_MAX = 60, STEP_CONDITIONS_MAX = 8, STEP_WORD_SIZE = 8192, VARIABLE_SIZE = 160 };

/* Options of the wish to run one that are no variables: a name of a variable has no dash. */
#define RUN_FROM "--from"
#define RUN_RESUME "--resume"

enum step_kind { STEP_IS_ACTION, STEP_IS_WAIT, STEP_IS_COMMAND };
struct book_step {
	enum step_kind kind;
	struct action_wish wish;   /* of a command, too: "command", which is an action like any other */
	struct condition conditions[STEP_CONDITIONS_MAX];
	size_t n_conditions;
	int64_t limit_ms;          /* of a wait */
	char title[160];           /* as written, variables put in */
};
/* The step, 0 is the first, with the variables that given has as its options (NULL: none). False: err names file and line. */
bool runbook_step(const struct profile *p, const struct runbook *b, size_t i, const struct action_wish *given, struct book_step *out,
	struct err *err);
/* A step whose variables are not known yet: as much of it as can be judged. */
bool runbook_step_fits(const struct runbook_step *step, struct err *err);
/* Of a step that is a command: its words, ended by NULL; free_words() them. NULL: err says why. shown: as they are shown, ${password} as ***. */
char **runbook_argv(const struct profile *p, const struct runbook *b, size_t i, const struct action_wish *given, bool shown, struct err *err);
void free_words(char **words);
/* Are the options of a wish to run it variables that it knows, and numbers of steps? */
bool runbook_given(const struct profile *p, const struct runbook *b, const struct action_wish *given, struct err *err);
struct book_variable {
	char name[ACTION_VERB_SIZE];
	const char *value; /* what it is by itself; NULL: it has to be given */
	bool secret;       /* that is a credential of the profile, or its name says that it is one: it is not shown */
};
/* Its own, then others that its steps name. */
size_t runbook_variables(const struct profile *p, const struct runbook *b, struct book_variable out[ACTION_OPTIONS_MAX]);
bool runbook_has_variable(const struct runbook *b, const char *name);
/* Tells two versions of a runbook apart. */
uint64_t runbook_print(const struct runbook *b);

/* ---- how it goes ---- */

enum stage { STAGE_AHEAD, STAGE_PASSED /* not by this run: --from, --resume */, STAGE_RUNS, STAGE_DONE, STAGE_FAILED, STAGE_CANCELLED };
const char *stage_word(enum stage s);
struct step_shown;
bool step_says_all(const struct step_shown *s); /* its title is what is run, to the letter */
struct step_shown { /* all clean, no secret in it */
	char title[160];
	char exact[1000];     /* what its action prepared when the whole was prepared, or why that cannot be known yet; then what ran */
	char where[420];      /* of a program: in which folder, with which file of environment; "" as we are */
	bool known;           /* exact is what would run */
	bool destructive;
	enum stage stage;
	char words[200];      /* how it goes, how it went */
	int64_t begun, ended; /* ms since 1970 */
};
struct run_shown {
	uint64_t id;          /* of its action */
	const char *book;
	struct step_shown *steps;
	size_t n_steps, at;   /* at: the one that runs, or would next */
};
const struct run_shown *lake_run(const struct lake *lake, uint64_t id); /* NULL: that action is no run */

struct run_last { /* the newest run of a runbook */
	char book[NAME_SIZE];
	enum action_state state; /* ACTION_RUNNING, DONE, FAILED, CANCELLED; OPEN: cut short */
	int64_t begun, ended;    /* ms since 1970; ended 0: not known */
	size_t step, n_steps;    /* the first that was not done, from 1 */
	char words[ACTION_WORDS_SIZE];
	struct action_wish wish; /* its variables are the options */
	uint64_t print;
};
/* One for each runbook of the profile that was ever run. Reads STATE/runs.jsonl. */
size_t runbooks_last(struct host *h, const char *state_dir, const struct profile *p, struct run_last *out, size_t most);
const struct run_last *run_last_of(const struct run_last *list, size_t n, const char *book); /* NULL: never run */

#endif
