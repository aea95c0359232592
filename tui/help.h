// SPDX-License-Identifier: MIT
/* "?": what can be pressed here, what the words mean. Entries run. Pure; UI thread. */
#ifndef LAKETOP_TUI_HELP_H
#define LAKETOP_TUI_HELP_H

#include "chooser.h"

/* width: columns that a line of prose may take. */
void help_fill(struct chooser *ch, const struct panel *panel, int width, bool ascii);

#endif
