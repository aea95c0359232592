// SPDX-License-Identifier: MIT
/* ":" finds and runs anything by its name. Pure; UI thread. */
#ifndef LAKETOP_TUI_PALETTE_H
#define LAKETOP_TUI_PALETTE_H

#include "acting.h"

/* of: what can be done to the selected row; NULL: nothing, or there is none. */
void palette_fill(struct chooser *ch, const struct lake *lake, const struct acting *of, bool ascii);
/*
 * How well a name fits what was typed, whose letters must stand in it in this order: whole words
 * before starts of words before letters from anywhere. Negative: it does not.
 */
int palette_score(const char *name, const char *query);

#endif
