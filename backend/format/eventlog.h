// SPDX-License-Identifier: MIT
/*
 * Spark's event logs: what their names say, and their first lines. Pure, any thread.
 *
 *   app-1, app-1.lz4.inprogress                      one file, Spark 3's way
 *   eventlog_v2_app-1/appstatus_app-1[.inprogress]   empty; Spark 4's way
 *   eventlog_v2_app-1/events_1_app-1.zstd            the log in pieces, the oldest may be gone or ".compact"
 *
 * A cluster with attempts puts "_1" behind the id, and an id may have such an end of its own: only the log tells.
 * Source: Spark's EventLogFileWriters.scala and JsonProtocol.scala; checked on 4.1.4.
 */
#ifndef LAKETOP_FORMAT_EVENTLOG_H
#define LAKETOP_FORMAT_EVENTLOG_H

#include "err.h"
#include "mem.h"

struct eventlog_file { /* texts are borrowed from the path, and not clean */
	struct text log;         /* its folder, or the file without ".inprogress": what the files of one log share */
	struct text application; /* its id, as far as a name tells */
	bool status;             /* says only whether it is in progress */
	bool in_progress;        /* of a status, or of a log in one file */
	int64_t index;           /* of a piece; 0: the log is one file */
	const char *codec;       /* "zstd"; NULL: plain */
};
/* Of a path under the directory. False: it is of no event log. */
bool eventlog_path(struct text path, struct eventlog_file *out);

enum { EVENTLOG_HEAD = 256 << 10 }; /* bytes that hold the start: all settings stand before it, 100 KB unpacked */

struct eventlog_start { /* clean; "" unknown */
	char id[96], name[160], user[64], version[40];
	int64_t started; /* ms since 1970; 0 unknown */
};
/* Of a log's first bytes. False: err says why nothing is known; ERR_PARSE: it is no event log. */
bool eventlog_start(struct text head, const char *codec, struct eventlog_start *out, struct err *err);

#endif
