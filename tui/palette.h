// SPDX-License-Identifier: MIT
/* ":" finds and runs anything by its name. Pure; UI thread. */
#ifndef LAKETOP_TUI_PALETTE_H
#define LAKETOP_TUI_PALETTE_H

#include "chooser.h"

void palette_fill(struct chooser *ch, const struct lake *lake, bool ascii);
/*
 * How well a name fits what was typed, whose letters must stand in it in this order: whole words
 * before starts of words before letters from anywhere. Negative: it does not.
 */
int palette_score(const char *name, const char *query);

#endif
