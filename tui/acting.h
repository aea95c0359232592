// SPDX-License-Identifier: MIT
/*
 * What can be done to the selected thing, what is offered, what runs: "x", "X", and the word that
 * unlocks. Keys here are only wishes: the gate decides. Pure over a lake; UI thread.
 */
#ifndef LAKETOP_TUI_ACTING_H
#define LAKETOP_TUI_ACTING_H

#include "chooser.h"

enum acting_mode { ACTING_MENU, ACTING_FORM, ACTING_LIST, ACTING_ONE, ACTING_MANY, ACTING_UNLOCK, ACTING_QUIT };

struct acting {
	enum acting_mode mode;
	struct chooser chooser;
	struct action_wish on;  /* service and subject of the menu */
	uint64_t id;            /* the one that is shown; 0: its wish is on its way */
	uint64_t ids[64];       /* of the list's rows */
	/* what the verb takes, as it is typed */
	const struct action_spec *spec;
	char names[ACTION_OPTIONS_MAX][ACTION_VERB_SIZE], was[ACTION_OPTIONS_MAX][PROMPT_SIZE]; /* was: what stands there by itself */
	struct prompt values[ACTION_OPTIONS_MAX];
	size_t n_values, value;
	char why[REASON_SIZE];  /* what was typed was turned away; "" it was not */
	/* several things at once */
	struct action_mark marks[ACTION_MARKS_MAX];
	uint64_t many[ACTION_MARKS_MAX];  /* 0: refused, or its wish is on its way */
	char refused[ACTION_MARKS_MAX][200];
	size_t n_marks;         /* 0: of one thing alone */
	int top;                /* the first line that is seen of them */
	bool go_on;             /* after one that failed */
	uint64_t run[ACTION_MARKS_MAX]; /* of those that are offered */
	size_t n_run;
	int run_top;            /* of the one: the first line in sight; -1: of a run where it runs */
	struct prompt word;
	const char *wrong;      /* of the word; NULL */
	enum acting_mode asked_in; /* where it was when leaving was asked about; ACTING_QUIT: nowhere */
};

enum acting_key { ACTING_STAYS, ACTING_CLOSES, ACTING_WISHES, ACTING_CONFIRMS, ACTING_DROPS, ACTING_CHANGES, ACTING_UNLOCKS, ACTING_QUITS };
/* CHANGES: a->id is dropped, and what it takes is typed anew. Of several things CONFIRMS is for a->run, DROPS for a->many. */

/* False: nothing can be done to such a thing. */
bool acting_menu(struct acting *a, const struct lake *lake, enum action_on on, const char *service, const char *subject);
/* The same for several things: what can be done to any of them. */
bool acting_menu_of(struct acting *a, const struct lake *lake, enum action_on on, const struct action_mark *marks, size_t n);
enum acting_key acting_verb(struct acting *a, const struct lake *lake, int spec); /* of the menu: an index of action_specs[] */
bool acting_list(struct acting *a, const struct lake *lake); /* what ran, and what the profile offers; false: neither */
/* One of offers.h is wished, a->on is the wish, or what it takes is typed first. CLOSES: it cannot be. */
enum acting_key acting_offer(struct acting *a, const struct lake *lake, int number);
void acting_one(struct acting *a, uint64_t id);
void acting_unlock(struct acting *a);
void acting_quit(struct acting *a, bool within); /* within: what is open is gone back to after a no */
enum acting_key acting_press(struct acting *a, const struct lake *lake, int key); /* WISHES: a->on is the wish */
void acting_paste(struct acting *a, struct text text);
void acting_many(struct acting *a, size_t at, uint64_t id, const char *refused); /* what became of the wish for marks[at] */
/* acting_form.c */
void acting_form(struct acting *a, const struct lake *lake, const struct action_wish *filled); /* filled: what was typed before; NULL: nothing */
bool acting_refused(struct acting *a, const char *why); /* a wish of the form was: it is typed anew; false: there was no form */
enum acting_key acting_form_key(struct acting *a, int key);
void acting_form_draw(const struct acting *a, const struct lake *lake, struct canvas *c, int *y, int *x);
enum acting_key acting_many_key(struct acting *a, const struct lake *lake, int key);
void acting_many_draw(struct acting *a, const struct lake *lake, struct canvas *c);
void acting_draw(struct acting *a, const struct lake *lake, struct canvas *c, int *y, int *x);

#endif
