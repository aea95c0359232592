// SPDX-License-Identifier: MIT
/* What the profile itself offers to be run: its runbooks, its test data, several of its services. In the palette and in X. Pure over a lake. */
#ifndef LAKETOP_TUI_OFFERS_H
#define LAKETOP_TUI_OFFERS_H

#include "panel.h"

struct offer {
	struct action_wish wish;
	char title[80], detail[REASON_SIZE]; /* detail: what it is, or why it cannot be run */
	bool can, destructive;
	struct action_mark marks[ACTION_MARKS_MAX]; /* of several services: for each of them, in this order */
	size_t n_marks;
};
int offers_end(const struct lake *lake); /* numbers are below this one; some are none */
bool offer_get(const struct lake *lake, int number, struct offer *out); /* false: there is none of this number now */

#endif
