// SPDX-License-Identifier: MIT
/*
 * Time. Durations and ages come from the monotonic clock (ms); what is shown or printed from the
 * wall clock (ms since 1970 UTC). The two never mix. Tests set both with clock_freeze(). Any thread.
 */
#ifndef LAKETOP_CLOCK_H
#define LAKETOP_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int64_t clock_ms(void);      /* monotonic */
int64_t clock_wall_ms(void); /* since 1970 */
void clock_freeze(int64_t monotonic_ms, int64_t wall_ms); /* tests and screenshots; (-1, -1) thaws */

#define CLOCK_TEXT 32
char *clock_rfc3339(char out[CLOCK_TEXT], int64_t wall_ms);  /* 2026-11-29T13:05:11.204Z */
char *clock_hms(char out[CLOCK_TEXT], int64_t wall_ms);      /* 12:04:31, local time */
char *clock_span(char out[CLOCK_TEXT], int64_t span_ms);     /* 1s, 14s, 4min, 3h, 41d */

/*
 * A moment as a person types it, local time: "14:05", "14:05:09", of the day that is latest and not to come; "2026-11-29",
 * "2026-11-29 14:05", "2026-11-29T14:05:09.5Z", "...+01:00". False: there is no such moment.
 */
bool clock_moment(const char *s, int64_t wall_ms, int64_t *at);

/*
 * A wait that ends: at the deadline, or when cancel becomes readable. Passed down through every
 * call that may block; nothing in backend/ blocks without one.
 */
struct wait {
	int64_t deadline; /* clock_ms() */
	int cancel;       /* fd, or -1 */
};
struct wait wait_for(int64_t ms, int cancel);
int64_t wait_left(struct wait wait); /* ms, never negative */
/* 1: fd is ready for events (POLLIN, POLLOUT). 0: the deadline passed. -1: cancelled. fd -1 only waits. */
int wait_fd(struct wait wait, int fd, short events);

#endif
