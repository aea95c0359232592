// SPDX-License-Identifier: MIT
/*
 * Lines of logs as events: when, how bad, and the lines that belong to it (a stack trace, a statement)
 * folded under the first. The reader is pure and knows the stamps of log4j, logback, java.util.logging,
 * python, airflow, go, glog, postgres and docker. One thread.
 */
#ifndef LAKETOP_LOGS_H
#define LAKETOP_LOGS_H

#include "err.h"
#include "mem.h"

enum log_level { LOG_UNKNOWN, LOG_TRACE, LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR, LOG_FATAL };
const char *log_level_word(enum log_level level); /* "WARN"; "" unknown */
bool log_level_named(struct text word, enum log_level *out); /* "warning", "ERR", "E" */

enum { LOG_LINE_MAX = 64 << 10 }; /* what is longer is cut, and says so */

/* What one line says of itself. Pure. */
struct log_line_facts {
	int64_t at;          /* ms since 1970; -1: it has no stamp */
	enum log_level level;
	struct text rest;    /* the line behind stamp and level */
	bool continues;      /* by its looks it belongs to the line before: indented, "Caused by:", "Traceback" */
};
/* now: for stamps that name no year or no zone (taken as this machine's own). */
void log_line_read(struct text line, int64_t now, struct log_line_facts *out);

/* ---- lines of a stream of bytes, folded into events ---- */
struct log_event { /* texts live as long as the call that hands it over; clean */
	int64_t at;          /* ms since 1970; where it has no stamp: of the event before, else when it was read */
	bool stamped;
	enum log_level level;
	struct text text;    /* its lines, '\n' between them */
	unsigned lines;
	size_t cut;          /* bytes that caps kept out */
};
struct log_folder;
/* Calls each for every whole event. */
struct log_folder *log_folder_new(bool (*each)(void *ctx, const struct log_event *e), void *ctx);
bool log_folder_feed(struct log_folder *f, const char *bytes, size_t len, int64_t now); /* in any pieces; false: each wanted no more */
/* The level, by its source, of lines fed from here that name none. */
void log_folder_tell(struct log_folder *f, enum log_level level);
/* What is held back, since more of it might come, is handed over when nothing came for a while, and at the end. */
void log_folder_flush(struct log_folder *f, int64_t now);
void log_folder_free(struct log_folder *f);

#endif
