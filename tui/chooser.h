// SPDX-License-Identifier: MIT
/* A list to search and run from: the palette and the help are two of them. Pure; UI thread. */
#ifndef LAKETOP_TUI_CHOOSER_H
#define LAKETOP_TUI_CHOOSER_H

#include "panel.h"
#include "prompt.h"

enum choice_what {
	CHOICE_HEADING,
	CHOICE_NOTE,    /* to be read */
	CHOICE_ACT,     /* number is an enum act */
	CHOICE_PANEL,   /* number is an index of panels[] */
	CHOICE_SERVICE, /* title is its name */
	CHOICE_TABLE,   /* title is its name, detail its catalog */
	CHOICE_VERB,    /* number is an index of action_specs[]: on the selected row */
	CHOICE_ACTION,  /* number is its owner's */
	CHOICE_OFFER,   /* number is one of offers.h */
};

enum { TITLE_SIZE = 160 };
struct choice {
	enum choice_what what;
	int number;
	char key[32], title[TITLE_SIZE], detail[REASON_SIZE];
	enum style style; /* of the title */
};

enum chooser_state { CHOOSER_OPEN, CHOOSER_CHOSEN, CHOOSER_LEFT };

struct chooser {
	struct choice *all;
	size_t n, room;
	size_t *kept;     /* by number, best first */
	size_t n_kept, selected, top;
	int page;         /* rows of the last draw */
	/* How well a choice fits what was typed; negative: not at all. */
	int (*score)(const struct choice *choice, const char *query);
	bool typing;      /* keys go to the prompt */
	bool always_typing;
	struct prompt prompt;
};

void chooser_clear(struct chooser *ch); /* frees the choices, keeps what was typed */
struct choice *chooser_add(struct chooser *ch, enum choice_what what, int number, const char *key, const char *title, const char *detail);
void chooser_search(struct chooser *ch);
enum chooser_state chooser_key(struct chooser *ch, int key);
const struct choice *chooser_chosen(const struct chooser *ch); /* NULL: nothing there */
/* Fills the canvas; gives the place of the cursor, y -1 where there is none. */
void chooser_draw(struct chooser *ch, struct canvas *c, const char *label, int *y, int *x);

#endif
