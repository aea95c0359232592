// SPDX-License-Identifier: MIT
/* What the readers of logs share. A reader is one thread with one source. */
#ifndef LAKETOP_LOGS_OWN_H
#define LAKETOP_LOGS_OWN_H

#include "logs.h"

/* ---- the frames of Docker's stream (log_frames.c) ---- */
enum { LOG_STAMP_SIZE = 40 };
struct log_stream {
	char stamp[LOG_STAMP_SIZE];  /* of its line */
	char coming[LOG_STAMP_SIZE]; /* as it arrives */
	size_t n_stamp;
	bool stamping, in_line;
};
struct log_frames { /* zeroed but for raw, take, ctx */
	bool raw;            /* it has a terminal: no frames */
	/* A part of a line of stdout (0) or stderr (1), its end included where it is there. */
	bool (*take)(void *ctx, unsigned stream, const char *stamp, const char *bytes, size_t len);
	void *ctx;
	bool begun;
	unsigned char head[8];
	size_t n_head;
	uint32_t left;
	unsigned stream;
	struct log_stream of[2];
};
bool log_frames_feed(struct log_frames *f, const char *bytes, size_t len); /* false: take wanted no more, or no frame */

/* ---- a reader (logs.c) ---- */
struct log_reader;
struct host *reader_host(const struct log_reader *r);
size_t reader_n(const struct log_reader *r); /* how many there are */
const struct log_source *reader_source(const struct log_reader *r);
const struct log_options *reader_options(const struct log_reader *r);
int reader_cancel(const struct log_reader *r);
bool reader_ended(const struct log_reader *r);  /* nobody wants more */
bool reader_pause(const struct log_reader *r, int64_t ms); /* false: it was ended meanwhile */
/* Bytes of one of its two streams, read or written at a time. False: nobody wants more. */
bool reader_feed(struct log_reader *r, unsigned stream, const char *bytes, size_t len, int64_t at);
void reader_place(struct log_reader *r, int64_t place); /* in the file, of what is fed next to stream 0 */
void reader_stamps(struct log_reader *r);    /* its lines are known to be stamped */
void reader_level(struct log_reader *r, enum log_level level); /* of what is fed from here to stream 0 and names none */
void reader_flush(struct log_reader *r);     /* another file, another life: what is held back is whole */
void reader_caught_up(struct log_reader *r); /* what was written before is handed over */
void reader_begins(struct log_reader *r);    /* what it reads first is the oldest that there is */
void reader_ends(struct log_reader *r);      /* of a part: it was read to the end of all */
bool reader_enough(const struct log_reader *r); /* of a part: no more is to be read */
void reader_progress(struct log_reader *r, int64_t done, int64_t total); /* bytes, of all that it is to read */
void reader_say(struct log_reader *r, const char *words); /* why nothing comes; "" it does */

/* One line of journalctl -o json (unit.c). Pure. False: it is none. */
bool log_journal_line(struct text line, int64_t *at, enum log_level *level, struct buf *out, char *cursor, size_t size);

void log_file_read(struct log_reader *r);
void log_container_read(struct log_reader *r);
void log_unit_read(struct log_reader *r);
void log_worker_read(struct log_reader *r);
void log_folder_read(struct log_reader *r); /* of a LOG_FILE that is a folder */
/* A further source, which a reader found; one that is there already is fine. False: there is no room for it. */
bool reader_add(struct log_reader *by, const struct log_source *source);

bool log_is_task(const char *path);
void log_folder_word(char out[NAME_SIZE], const char *service, const char *path); /* of a file in it. Pure */
void log_task_line(struct text line, struct buf *out); /* one or more lines. Pure */

/* The head of a page of a Spark worker's /log/, which is taken off: "==== Bytes 0-200 of 10813 of /srv/app-1/0/stderr ====". Pure. */
struct log_page {
	int64_t from, to, total;
	struct text path;
};
bool log_page_head(struct text *page, struct log_page *out);

#endif
