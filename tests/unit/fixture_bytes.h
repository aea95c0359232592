// SPDX-License-Identifier: MIT
/* Recorded answers, and what chance makes of them. The test's own thread. */
#ifndef LAKETOP_FIXTURE_BYTES_H
#define LAKETOP_FIXTURE_BYTES_H

#include "text.h"

/* A file of tests/recorded; kept to the end. Ends the test program where it is missing. */
struct text recorded(const char *name);
/* The same of hexadecimal lines; those that begin with # are words. */
struct text recorded_hex(const char *name);

/*
 * Calls read with bytes cut short at many places, then with bytes changed at random, always the same
 * ones: each time in memory that ends where they end, so that a sanitizer sees one step too far.
 */
void fuzz(struct text bytes, void (*read)(struct text bytes));

#endif
