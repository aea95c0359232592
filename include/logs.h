// SPDX-License-Identifier: MIT
/*
 * Lines of logs as events: when, how bad, and the lines that belong to it (a stack trace, a statement)
 * folded under the first. The reader is pure and knows the stamps of log4j, logback, java.util.logging,
 * python, airflow, go, glog, postgres and docker. One thread.
 */
#ifndef LAKETOP_LOGS_H
#define LAKETOP_LOGS_H

#include "err.h"
#include "facts.h"
#include "judge.h"
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
	int64_t at;          /* ms since 1970; where it has no stamp: of the event before, else of its file, or when it was read */
	bool stamped;
	enum log_level level;
	struct text text;    /* its lines, '\n' between them */
	unsigned lines;
	size_t cut;          /* bytes that caps kept out */
	int64_t place;       /* of its first byte, as log_folder_place() told; -1 */
};
struct log_folder;
struct host;
/* Calls each for every whole event. */
struct log_folder *log_folder_new(bool (*each)(void *ctx, const struct log_event *e), void *ctx);
bool log_folder_feed(struct log_folder *f, const char *bytes, size_t len, int64_t now); /* in any pieces; false: each wanted no more */
/* The level, by its source, of lines fed from here that name none. */
void log_folder_tell(struct log_folder *f, enum log_level level);
/* Where what is fed from here on stands in its file. */
void log_folder_place(struct log_folder *f, int64_t place);
/* It is known that this log stamps its lines: one without a stamp belongs to the one before. */
void log_folder_stamps(struct log_folder *f);
/* What is held back, since more of it might come, is handed over when nothing came for a while, and at the end. */
void log_folder_flush(struct log_folder *f, int64_t now);
/* The same, but a line that has no end yet is still held back. */
void log_folder_settle(struct log_folder *f);
void log_folder_free(struct log_folder *f);

/* ---- where a service's log is ---- */
enum log_kind {
	LOG_FILE,      /* at: its path; those it was rotated into, also packed, stand beside it. A folder: the newest logs in it */
	LOG_CONTAINER, /* at: its name or id */
	LOG_UNIT,      /* at: a systemd unit */
	LOG_EVENTS,    /* at: laketop's own event log */
	LOG_WORKER,    /* at: what of a Spark worker's UI: "appId=app-1&executorId=0", "driverId=driver-1" */
	LOG_TASK,      /* at: a file of Airflow: an attempt of a task */
};
struct log_source {
	enum log_kind kind;
	char service[NAME_SIZE]; /* whose; a word for the screen */
	char at[256];
	char address[ADDRESS_SIZE]; /* of LOG_WORKER: where that UI is */
	uint16_t port;
	bool ended;                 /* whose it is writes no more: it is looked at seldom */
};
struct lake;
struct service;
/* Adds those of a service behind the n that are there; how many there are then. */
size_t log_sources_of(const struct lake *lake, const struct service *service, struct log_source *out, size_t n, size_t most);
/* What a name means: a service, and of Spark "app-1", "WORKER/app-1", "WORKER/app-1/0", "WORKER/driver-1". As above. */
size_t log_sources_named(const struct lake *lake, const char *name, struct log_source *out, size_t n, size_t most);
/* Keeps what its process tells of its logs, for when it is gone. */
void log_sources_keep(const struct lake *lake, struct service *service);
/* Why a name has none, and what helps. */
const char *log_sources_why(const struct lake *lake, const char *name, char out[240]);
const char *log_kind_word(enum log_kind kind); /* "file" */

/*
 * Many sources as one timeline, by the time of their lines. A thread reads each; what they read is taken over by
 * logs_turn(). Nothing here waits but logs_close() (bounded). Memory is bounded: what is oldest goes, and is counted; what
 * comes faster than it is taken is left out where it cannot wait, and is counted.
 */
struct log_entry {
	int64_t at;      /* ms since 1970 */
	uint64_t number; /* unique; counts up */
	unsigned source, lines;
	enum log_level level;
	bool stamped;    /* by the server; else when it was read */
	size_t cut;      /* bytes that caps kept out */
	int64_t place;   /* of its first byte in its file; -1: not known */
	size_t len;
	char text[];     /* clean lines, '\n' between them; ends with 0 */
};
/* A part of the past, not followed: some lines before and behind a moment or, exactly, a place in the file of one source. */
struct log_part {
	bool is;
	int64_t at;
	char file[256];  /* whose place it is; "" of none */
	int64_t place;
};
struct log_wish { /* what of the logs of a service is to be shown */
	char service[NAME_SIZE]; /* "" all */
	int64_t since;           /* from shortly before then on; 0: the newest */
	char match[REASON_SIZE]; /* only what this finds, in all that there is; "" everything */
	enum log_level least;
	struct log_part part;
};
struct log_options {
	struct host *host;
	const struct log_source *sources;
	size_t n;
	int64_t since;   /* ms since 1970; 0: the newest lines of each */
	bool around;     /* since is a moment that one looks back from: some of what was written before it comes too */
	const char *match;    /* only what this pattern finds, NULL: all; it must be one */
	enum log_level least; /* only what is as bad */
	struct log_part part;
	bool brief;      /* entries have no text: where something is found */
	size_t most;     /* entries; 0: no end */
	size_t tail;     /* bytes of a file to begin with where since is 0; 0: as fits a screen */
	bool follow;
	bool patient;    /* nothing is left out: who reads waits for who takes */
	size_t bytes;    /* of memory, about; 0: 4 MiB */
	void (*news)(void *ctx); /* called by readers: there is something to take; NULL */
	void *ctx;
};
enum { LOG_SOURCES_MAX = 32 };
struct logs;
struct logs *logs_open(const struct log_options *options);
bool logs_turn(struct logs *logs);             /* takes what came; true: something did */
bool logs_caught_up(const struct logs *logs);  /* every source was read to its end once, or cannot be read */
bool logs_over(const struct logs *logs);       /* nobody reads any more */
bool logs_whole(const struct logs *logs);      /* nor will another turn bring more: what is not here was not found */
size_t logs_count(const struct logs *logs);
const struct log_entry *logs_get(const struct logs *logs, size_t i); /* oldest first; until the next turn */
size_t logs_find(const struct logs *logs, int64_t at, uint64_t number); /* the first that is not before it; logs_count(): none */
void logs_forget(struct logs *logs);           /* all that was taken: it was printed */
uint64_t logs_missed(const struct logs *logs); /* lines that were never taken */
uint64_t logs_gone(const struct logs *logs);   /* lines that were, and made room */
bool logs_pressed(const struct logs *logs);     /* more comes than waits to be taken: a reader stands still */
uint64_t logs_serial(const struct logs *logs); /* no two are the same */
bool logs_is_part(const struct logs *logs);
bool logs_begins(const struct logs *logs);     /* there is nothing older */
bool logs_ends(const struct logs *logs);       /* nor newer */
bool logs_full(const struct logs *logs);       /* there were more than most */
void logs_progress(const struct logs *logs, int64_t *done, int64_t *total); /* bytes of files that are read to their end */
void logs_stop(struct logs *logs);             /* nothing more is read; what was stays */
size_t logs_sources(const struct logs *logs);
const struct log_source *logs_source(const struct logs *logs, size_t i);
void logs_words(const struct logs *logs, size_t source, char out[200]); /* why nothing comes from it; "" it reads */
void logs_close(struct logs *logs, int64_t ms);

/* ---- looking for something ---- */
struct log_match;
/* A regular expression; case counts where it has a capital. NULL: err says why it is none. */
struct log_match *log_match_new(const char *pattern, struct err *err);
bool log_match_in(const struct log_match *m, struct text t, size_t from, size_t *at, size_t *len);
void log_match_free(struct log_match *m);
/* Whether it can be looked for in many lines at once, none that it finds in one being missed; and whether all that it finds is in one line. */
bool log_match_sifts(const struct log_match *m);
bool log_match_by_line(const struct log_match *m);
/* 1: at *at, in ASCII of any length; 0: nowhere; -1: that would take too long. */
int log_match_raw(const struct log_match *m, struct text t, size_t *at);

/* ---- most of a log is not wanted ---- */
struct log_sieve_options {
	const char *pattern;  /* NULL: by level alone */
	enum log_level least;
	int64_t now;          /* as of log_line_read() */
	/* Lines that may be wanted, and those of the same events; place: of the first byte. False: no more. */
	bool (*pass)(void *ctx, const char *bytes, size_t len, int64_t place);
	/* What passes next does not belong to what passed before; stamps: this log stamps its lines. */
	void (*gap)(void *ctx, bool stamps);
	void *ctx;
};
struct log_sieve;
struct log_sieve *log_sieve_new(const struct log_sieve_options *options); /* NULL: all lines must be read */
bool log_sieve_feed(struct log_sieve *s, const char *bytes, size_t len, int64_t place); /* one after the other; false: no more is wanted */
bool log_sieve_end(struct log_sieve *s); /* what is held back; another log may follow */
void log_sieve_free(struct log_sieve *s);

#endif
