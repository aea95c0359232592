// SPDX-License-Identifier: MIT
/* Gives back memory that only the start needed. */
#ifndef LAKETOP_TUI_TRIM_H
#define LAKETOP_TUI_TRIM_H

void memory_trim(void);

#endif
