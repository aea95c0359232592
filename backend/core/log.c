// SPDX-License-Identifier: MIT
/* The diary: a ring under one short lock. Any thread. */
#include "log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "clock.h"
#include "text.h"

enum { LOG_LINES = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct log_line lines[LOG_LINES];
static uint64_t written;

void log_say(const char *source, const char *format, ...)
{
	char words[512];
	va_list args;
	struct log_line *line;

	va_start(args, format);
	vsnprintf(words, sizeof words, format, args);
	va_end(args);
	pthread_mutex_lock(&lock);
	line = &lines[written++ % LOG_LINES];
	line->wall_ms = clock_wall_ms();
	text_clean(line->source, sizeof line->source, text_of(source));
	text_clean(line->words, sizeof line->words, text_trim(text_of(words)));
	pthread_mutex_unlock(&lock);
}

size_t log_read(struct log_line *out, size_t most)
{
	size_t n;

	pthread_mutex_lock(&lock);
	n = written < LOG_LINES ? (size_t)written : LOG_LINES;
	n = n < most ? n : most;
	for (size_t i = 0; i < n; i++)
		out[i] = lines[(written - n + i) % LOG_LINES];
	pthread_mutex_unlock(&lock);
	return n;
}

uint64_t log_dropped(void)
{
	uint64_t dropped;

	pthread_mutex_lock(&lock);
	dropped = written > LOG_LINES ? written - LOG_LINES : 0;
	pthread_mutex_unlock(&lock);
	return dropped;
}
