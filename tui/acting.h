// SPDX-License-Identifier: MIT
/*
 * What can be done to the selected thing, what is offered, what runs: "x", "X", and the word that
 * unlocks. Keys here are only wishes: the gate decides. Pure over a lake; UI thread.
 */
#ifndef LAKETOP_TUI_ACTING_H
#define LAKETOP_TUI_ACTING_H

#include "chooser.h"

enum acting_mode { ACTING_MENU, ACTING_LIST, ACTING_ONE, ACTING_UNLOCK, ACTING_QUIT };

struct acting {
	enum acting_mode mode;
	struct chooser chooser;
	struct action_wish on;  /* service and subject of the menu */
	uint64_t id;            /* the one that is shown; 0: its wish is on its way */
	uint64_t ids[64];       /* of the list's rows */
	struct prompt word;
	const char *wrong;      /* of the word; NULL */
};

enum acting_key { ACTING_STAYS, ACTING_CLOSES, ACTING_WISHES, ACTING_CONFIRMS, ACTING_DROPS, ACTING_UNLOCKS, ACTING_QUITS };

/* False: nothing can be done to such a thing. */
bool acting_menu(struct acting *a, const struct lake *lake, enum action_on on, const char *service, const char *subject);
bool acting_list(struct acting *a, const struct lake *lake); /* false: none yet */
void acting_one(struct acting *a, uint64_t id);
void acting_unlock(struct acting *a);
void acting_quit(struct acting *a);
enum acting_key acting_press(struct acting *a, const struct lake *lake, int key); /* WISHES: a->on is the wish */
void acting_paste(struct acting *a, struct text text);
void acting_draw(struct acting *a, const struct lake *lake, struct canvas *c, int *y, int *x);

#endif
