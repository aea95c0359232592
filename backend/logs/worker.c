// SPDX-License-Identifier: MIT
/*
 * What an executor or a driver in cluster mode writes, by its Spark worker's UI: GET /log/ is plain text with byte offsets,
 * so that to follow is to ask for what came behind them. A worker logs nothing of that. Rolled files are one to it; what it
 * deletes of them makes the whole shorter. Source: Spark's LogPage.scala; checked on 4.1.4.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "logs_own.h"
#include "net.h"

enum { ASK_MS = 4000, PIECE = 256 << 10, PROBE = 16 << 10, SOON_MS = 1000, IDLE_MS = 3000, AGAIN_MS = 3000, ENDED_MS = 30000,
	PAST_MAX = 64 << 20, PATH_SIZE = 420 };

static const char *const streams[] = {"stdout", "stderr"};

struct worker_reading {
	struct log_reader *r;
	struct net *net;
	int64_t offset[2]; /* -1: not begun */
	int64_t early;     /* the first stamp that was seen: when what has none was written, at the beginning; 0: now */
	bool bad;          /* the last answer was none */
};

bool log_page_head(struct text *page, struct log_page *out)
{
	struct text rest = *page, line;

	if (!text_line(&rest, &line) || !text_skip(&line, "==== Bytes "))
		return false;
	if (!text_i64(text_until(line, '-'), &out->from))
		return false;
	line = text_after(line, '-');
	if (!text_i64(text_until(line, ' '), &out->to))
		return false;
	line = text_after(line, ' ');
	if (!text_skip(&line, "of ") || !text_i64(text_until(line, ' '), &out->total))
		return false;
	line = text_after(line, ' ');
	if (!text_skip(&line, "of ") || line.len < 5 || memcmp(line.at + line.len - 5, " ====", 5) != 0)
		return false;
	out->path = (struct text){line.at, line.len - 5};
	*page = rest;
	return out->from >= 0 && out->to >= out->from && out->total >= out->to;
}

/* offset -1: the last bytes. The page holds as long as body is not asked again. */
static bool ask(struct worker_reading *w, unsigned stream, int64_t offset, int64_t bytes, struct http_answer *answer, struct log_page *page,
	struct text *words)
{
	const struct log_source *source = reader_source(w->r);
	struct endpoint at = {.port = source->port};
	struct probe p = {.host = reader_host(w->r), .net = w->net, .wait = wait_for(ASK_MS, reader_cancel(w->r)), .hint = ""};
	char path[PATH_SIZE], from[40] = "", why[160];
	struct http_request request = {.path = path, .accept = "text/plain", .most = PIECE + 4096};
	struct err err = {0};
	bool fine;

	text_copy(at.address, sizeof at.address, text_of(source->address));
	p.at = at;
	if (offset >= 0)
		snprintf(from, sizeof from, "&offset=%lld", (long long)offset);
	snprintf(path, sizeof path, "/log/?%.255s&logType=%s%s&byteLength=%lld", source->at, streams[stream], from, (long long)bytes);
	fine = http_ask(&p, &at, &request, answer, &err);
	why[0] = '\0';
	*words = buf_text(&answer->body);
	if (!fine)
		snprintf(why, sizeof why, "%.150s", err.words);
	else if (answer->status != 200)
		snprintf(why, sizeof why, "the worker's UI answers %ld to /log/", answer->status);
	else if (!log_page_head(words, page))
		snprintf(why, sizeof why, "what answers to /log/ is no Spark worker");
	else if (!page->total && text_starts(*words, "Error")) /* it ended long ago, and the worker cleaned up */
		snprintf(why, sizeof why, "the worker has no log of it: %.*s", (int)(words->len < 100 ? words->len : 100), words->at);
	w->bad = why[0] != '\0';
	if (w->bad && err.code != ERR_CANCELLED)
		reader_say(w->r, why);
	return !w->bad;
}

/* The first stamp in a piece that begins anywhere; -1: there is none. */
static int64_t stamp_in(struct text rest)
{
	struct log_line_facts facts;
	struct text line;

	while (text_line(&rest, &line)) {
		log_line_read(line, clock_wall_ms(), &facts);
		if (facts.at >= 0)
			return facts.at;
	}
	return -1;
}

/* From the last bytes, or back in larger and larger steps until it is before the moment that is wanted. */
static bool begin(struct worker_reading *w, unsigned stream)
{
	const struct log_options *o = reader_options(w->r);
	int64_t back = o->tail ? (int64_t)o->tail : PIECE, total = 0;
	struct http_answer answer;
	struct log_page page;
	struct text words, line;
	bool fine, further;

	do {
		int64_t at = total > back ? total - back : 0;

		fine = ask(w, stream, total ? at : -1, PROBE, &answer, &page, &words);
		further = fine && !total && page.total > 0; /* the first answer only tells how long it is */
		if (fine && total) {
			int64_t stamp = stamp_in(words);

			w->offset[stream] = at;
			if (at && text_line(&words, &line)) /* it begins within a line */
				w->offset[stream] = at + (int64_t)line.len + 1;
			further = o->since && at && back < PAST_MAX && (stamp < 0 || stamp >= o->since);
			back *= 4;
		}
		if (fine && !page.total)
			w->offset[stream] = 0;
		total = fine ? page.total : 0;
		http_answer_free(&answer);
	} while (further && !reader_ended(w->r));
	return fine;
}

/* What is there beyond where we are. False: nobody wants more, or it cannot be had. */
static bool read_on(struct worker_reading *w, unsigned stream, bool *came)
{
	struct http_answer answer;
	struct log_page page;
	struct text words;
	int64_t stamp;
	bool fine, more;

	if (w->offset[stream] < 0 && !begin(w, stream))
		return false;
	do {
		fine = ask(w, stream, w->offset[stream], PIECE, &answer, &page, &words);
		more = fine && page.to < page.total && page.to > page.from;
		if (fine && page.total < w->offset[stream]) { /* files of it were deleted, or it is another one */
			reader_flush(w->r);
			w->offset[stream] = 0;
			more = true;
		} else if (fine && page.to > page.from) {
			w->offset[stream] = page.to;
			*came = true;
			if (!w->early && (stamp = stamp_in(words)) > 0)
				w->early = stamp;
			more = reader_feed(w->r, stream, words.at, words.len, w->early > 0 ? w->early : clock_wall_ms()) && more;
		}
		http_answer_free(&answer);
	} while (more && !reader_ended(w->r));
	return fine;
}

void log_worker_read(struct log_reader *r)
{
	struct worker_reading w = {.r = r, .net = net_new(reader_host(r)), .offset = {-1, -1}};
	int64_t pause = SOON_MS;

	do {
		bool came = false, fine = read_on(&w, 1, &came) && read_on(&w, 0, &came); /* log4j and its stamps are on stderr */

		if (fine)
			reader_say(r, "");
		w.early = fine ? -1 : w.early; /* from here on lines are as new as their reading */
		reader_caught_up(r);
		pause = !fine ? AGAIN_MS : reader_source(r)->ended ? ENDED_MS : came ? SOON_MS : pause < IDLE_MS ? pause + SOON_MS : IDLE_MS;
	} while (reader_options(r)->follow && reader_pause(r, pause) && !reader_ended(r));
	net_free(w.net);
}
