// SPDX-License-Identifier: MIT
/* Text to a file that the user names. Main thread; a few milliseconds on a local disk. */
#ifndef LAKETOP_TUI_SAVE_H
#define LAKETOP_TUI_SAVE_H

#include <stdbool.h>

#include "err.h"

/* "~/x" is in the home folder. Written whole beside it, then it gets its name; for the user alone. What is there stays, which
 * is *exists, unless overwrite. */
bool save_text(const char *path, const char *text, bool overwrite, bool *exists, struct err *err);

#endif
