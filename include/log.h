// SPDX-License-Identifier: MIT
/*
 * laketop's own diary: what libraries say and what surprised us, for "laketop doctor" and bug
 * reports. A ring of clean lines, oldest dropped and counted; never the screen. Any thread.
 */
#ifndef LAKETOP_LOG_H
#define LAKETOP_LOG_H

#include <stddef.h>
#include <stdint.h>

void log_say(const char *source, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Copies the newest lines, newest last; returns how many. */
struct log_line {
	int64_t wall_ms;
	char source[16];
	char words[160];
};
size_t log_read(struct log_line *out, size_t most);
uint64_t log_dropped(void);

#endif
