// SPDX-License-Identifier: MIT
/* Clocks, spans and waits that end. Any thread. */
#include "clock.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static _Atomic int64_t frozen_ms = -1, frozen_wall = -1;

static int64_t now_of(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t clock_ms(void)
{
	int64_t frozen = atomic_load(&frozen_ms);

	return frozen >= 0 ? frozen : now_of(CLOCK_MONOTONIC);
}

int64_t clock_wall_ms(void)
{
	int64_t frozen = atomic_load(&frozen_wall);

	return frozen >= 0 ? frozen : now_of(CLOCK_REALTIME);
}

void clock_freeze(int64_t monotonic_ms, int64_t wall_ms)
{
	atomic_store(&frozen_ms, monotonic_ms);
	atomic_store(&frozen_wall, wall_ms);
}

char *clock_rfc3339(char out[CLOCK_TEXT], int64_t wall_ms)
{
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm tm;
	size_t n = gmtime_r(&seconds, &tm) ? strftime(out, CLOCK_TEXT, "%Y-%m-%dT%H:%M:%S", &tm) : 0;

	snprintf(out + n, CLOCK_TEXT - n, ".%03dZ", (int)(wall_ms % 1000));
	return out;
}

char *clock_hms(char out[CLOCK_TEXT], int64_t wall_ms)
{
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(out, CLOCK_TEXT, "%H:%M:%S", &tm))
		out[0] = '\0';
	return out;
}

char *clock_span(char out[CLOCK_TEXT], int64_t span_ms)
{
	static const struct {
		int64_t ms;
		const char *unit;
	} steps[] = {{86400000, "d"}, {3600000, "h"}, {60000, "min"}, {1000, "s"}};

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		/* 90 s says more than 1 min, 36 h more than 1 d */
		if (span_ms >= (i < 2 ? 2 : 1) * steps[i].ms * (i == 2 ? 2 : 1) || (i == 3 && span_ms >= 0)) {
			snprintf(out, CLOCK_TEXT, "%lld%s", (long long)(span_ms / steps[i].ms), steps[i].unit);
			return out;
		}
	snprintf(out, CLOCK_TEXT, "0s");
	return out;
}

/* ".5", ",123" */
static const char *take_fraction(const char *s, int64_t *ms)
{
	int64_t one = 100;

	if ((s[0] != '.' && s[0] != ',') || s[1] < '0' || s[1] > '9')
		return s;
	for (s++; *s >= '0' && *s <= '9'; s++, one /= 10)
		*ms += (*s - '0') * one;
	return s;
}

static const char *take_time(const char *s, struct tm *tm, int64_t *ms)
{
	s = strptime(s, "%H:%M", tm);
	if (s && *s == ':')
		s = strptime(s, ":%S", tm);
	return s ? take_fraction(s, ms) : NULL;
}

/* The 31st of February is the 3rd of March to mktime(3). */
static time_t time_of(struct tm tm, bool zoned)
{
	struct tm given = tm;
	time_t t = zoned ? timegm(&tm) : mktime(&tm);

	return tm.tm_mday == given.tm_mday && tm.tm_mon == given.tm_mon ? t - (zoned ? given.tm_gmtoff : 0) : -1;
}

bool clock_moment(const char *s, int64_t wall_ms, int64_t *at)
{
	time_t now = (time_t)(wall_ms / 1000), t;
	bool dated = strspn(s, "0123456789") == 4 && s[4] == '-', zoned = false;
	struct tm tm;
	int64_t ms = 0;

	if (!localtime_r(&now, &tm))
		return false;
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	if (dated && (s = strptime(s, "%Y-%m-%d", &tm)) && (*s == 'T' || *s == ' '))
		s = s[1] ? take_time(s + 1, &tm, &ms) : NULL;
	else if (!dated)
		s = take_time(s, &tm, &ms);
	if (dated && s && *s && (zoned = strchr("Z+-", *s) != NULL))
		s = strptime(s, "%z", &tm);
	if (!s || *s)
		return false;
	t = time_of(tm, zoned);
	if (!dated && t > now) { /* it was yesterday */
		tm.tm_mday--;
		t = mktime(&tm);
	}
	*at = (int64_t)t * 1000 + ms;
	return t >= 0;
}

struct wait wait_for(int64_t ms, int cancel)
{
	return (struct wait){now_of(CLOCK_MONOTONIC) + ms, cancel};
}

int64_t wait_left(struct wait wait)
{
	int64_t left = wait.deadline - now_of(CLOCK_MONOTONIC); /* a frozen clock must not freeze deadlines */

	return left > 0 ? left : 0;
}

int wait_fd(struct wait wait, int fd, short events)
{
	struct pollfd p[2] = {{fd, events, 0}, {wait.cancel, POLLIN, 0}};

	for (;;) {
		int64_t left = wait_left(wait);
		int n = poll(p, 2, left > 3600000 ? 3600000 : (int)left); /* poll leaves out negative fds */

		if (n > 0 && p[1].revents)
			return -1;
		if (n > 0)
			return 1;
		if (wait_left(wait) == 0)
			return 0;
	}
}
