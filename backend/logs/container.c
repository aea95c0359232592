// SPDX-License-Identifier: MIT
/*
 * A container's output over Docker's API. The stream ends when the container stops; it is opened again, from the last
 * stamp on, when it lives again. A stream that hangs silently (moby #45728) is opened anew every few minutes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "host.h"
#include "json.h"
#include "logs_own.h"
#include "net.h"

enum { ASK_MS = 4000, STREAM_MS = 180000, AGAIN_MS = 1000, INSPECT_MAX = 1 << 20, TAIL_LINES = 1000, BEFORE_LINES = 200,
	BACK_MAX = 8 << 20, MEANWHILE = 20000, FURTHER = 4, FURTHEST = 10000000 };

struct kept { /* a line, or a part of one, until it is known that it is among the last ones */
	struct kept *next;
	unsigned stream;
	char stamp[LOG_STAMP_SIZE];
	size_t len;
	char bytes[];
};

struct container_reading {
	struct log_reader *r;
	struct host *host;
	struct net *net;
	struct log_frames frames;
	char newest[LOG_STAMP_SIZE]; /* of what was handed over */
	size_t lines, before;        /* that were handed over; those of before the moment */
	struct kept *oldest, **end;  /* of the lines before a moment */
	size_t kept, kept_bytes;
	unsigned reach;              /* among so many newest lines are all from that moment on; 0: not known */
	bool cut;                    /* they were too many bytes */
	char floor[LOG_STAMP_SIZE];  /* what is not younger was read by the stream before */
};

static unsigned lines_before(const struct container_reading *c)
{
	return reader_options(c->r)->part.is ? TAIL_LINES : BEFORE_LINES;
}

static int64_t at_of(const char *stamp)
{
	struct log_line_facts facts;

	log_line_read(text_of(stamp), 0, &facts);
	return facts.at >= 0 ? facts.at : clock_wall_ms();
}

static bool take_line(void *ctx, unsigned stream, const char *stamp, const char *bytes, size_t len)
{
	struct container_reading *c = ctx;

	if (strcmp(stamp, c->floor) <= 0)
		return !reader_ended(c->r);
	if (strcmp(stamp, c->newest) > 0)
		memcpy(c->newest, stamp, sizeof c->newest);
	c->lines++;
	return reader_feed(c->r, stream, bytes, len, at_of(stamp));
}

static bool ends_line(const struct kept *k)
{
	return k->len && k->bytes[k->len - 1] == '\n';
}

static void forget_oldest(struct container_reading *c)
{
	struct kept *k = c->oldest;

	c->oldest = k->next;
	if (!c->oldest)
		c->end = &c->oldest;
	c->kept -= ends_line(k);
	c->kept_bytes -= k->len + sizeof *k;
	free(k);
}

static bool keep_line(void *ctx, unsigned stream, const char *stamp, const char *bytes, size_t len)
{
	struct container_reading *c = ctx;
	struct kept *k = mem_new(1, sizeof *k + len);

	k->stream = stream;
	text_copy(k->stamp, sizeof k->stamp, text_of(stamp));
	memcpy(k->bytes, bytes, k->len = len);
	*c->end = k;
	c->end = &k->next;
	c->kept += ends_line(k);
	c->kept_bytes += len + sizeof *k;
	while (c->kept > lines_before(c))
		forget_oldest(c);
	for (; c->kept_bytes > BACK_MAX && c->oldest->next; c->cut = true)
		forget_oldest(c);
	return !reader_ended(c->r);
}

static bool take_bytes(void *ctx, const char *bytes, size_t len)
{
	struct container_reading *c = ctx;

	return log_frames_feed(&c->frames, bytes, len);
}

/* Is it there, does it run, has it a terminal? */
static bool inspect(struct container_reading *c, bool *running, bool *tty)
{
	char path[300];
	struct buf body;
	struct json *j = NULL;
	struct err err = {0};
	long status = 0;

	*running = *tty = false;
	buf_init(&body, INSPECT_MAX);
	snprintf(path, sizeof path, "/containers/%s/json", reader_source(c->r)->at);
	if (!docker_request(c->host, c->net, wait_for(ASK_MS, reader_cancel(c->r)), "GET", path, &status, &body, &err)) {
		reader_say(c->r, err.words);
	} else if (status == 404) {
		reader_say(c->r, "there is no such container");
	} else if (status != 200 || !(j = json_parse(buf_text(&body), &err))) {
		reader_say(c->r, "the container engine does not say what it is");
	} else {
		json_bool(json_path(j, "State.Running"), running);
		json_bool(json_path(j, "Config.Tty"), tty);
	}
	json_free(j);
	buf_free(&body);
	return status == 200;
}

static int64_t moment_of(const struct container_reading *c)
{
	const struct log_options *o = reader_options(c->r);

	return o->part.is ? o->part.at : o->since;
}

/* back: so many of the newest lines, of which those come that are older than the moment; 0: none of that. */
static void path_of(const struct container_reading *c, bool follow, unsigned back, char *path, size_t size)
{
	const struct log_options *o = reader_options(c->r);
	int64_t moment = moment_of(c);
	char since[64] = "", tail[32] = "";

	if (back) {
		snprintf(since, sizeof since, "&until=%lld.%03d999999", (long long)((moment - 1) / 1000), (int)((moment - 1) % 1000));
		if (back < FURTHEST)
			snprintf(tail, sizeof tail, "&tail=%u", back);
	} else if (c->newest[0]) {
		snprintf(since, sizeof since, "&since=%lld", (long long)(at_of(c->newest) / 1000));
		if (c->reach && c->reach < FURTHEST) /* it need not read all from its beginning */
			snprintf(tail, sizeof tail, "&tail=%u", c->reach * 2 + MEANWHILE);
	} else if (o->since || o->part.is) {
		snprintf(since, sizeof since, "&since=%lld", (long long)(moment / 1000));
	} else {
		snprintf(tail, sizeof tail, "&tail=%d", TAIL_LINES);
	}
	snprintf(path, size, "/containers/%.64s/logs?stdout=1&stderr=1&timestamps=1&follow=%d%s%s", reader_source(c->r)->at,
		follow, since, tail);
}

/* False: there is no use in trying again. */
static bool read_stream(struct container_reading *c, bool tty, bool follow, unsigned back)
{
	struct err err = {0};
	struct buf refused;
	char path[400];
	long status = 0;

	c->frames = (struct log_frames){.raw = tty, .take = back ? keep_line : take_line, .ctx = c};
	memcpy(c->floor, c->newest, sizeof c->floor);
	path_of(c, follow, back, path, sizeof path);
	buf_init(&refused, 4096);
	reader_say(c->r, "");
	docker_stream(c->host, c->net, wait_for(STREAM_MS, reader_cancel(c->r)), path, take_bytes, c, &status, &refused, &err);
	if (status / 100 != 2 && refused.len) /* 501: a logging driver that cannot be read */
		reader_say(c->r, refused.at);
	else if (status / 100 != 2 && err.code != ERR_CANCELLED)
		reader_say(c->r, err.words);
	buf_free(&refused);
	return status != 501;
}

/* The engine counts a tail from the end of all, whatever "until" says: so many more are asked for until enough are older. */
static bool read_before(struct container_reading *c, bool tty)
{
	bool more = true;

	c->end = &c->oldest;
	for (unsigned back = lines_before(c); more && !c->cut && c->kept < lines_before(c) && !reader_ended(c->r); back *= FURTHER) {
		while (c->oldest)
			forget_oldest(c);
		more = read_stream(c, tty, false, back);
		c->reach = back;
		if (back >= FURTHEST)
			break;
	}
	c->before = c->kept;
	while (c->oldest) {
		take_line(c, c->oldest->stream, c->oldest->stamp, c->oldest->bytes, c->oldest->len);
		forget_oldest(c);
	}
	return more;
}

/* Fewer lines than were asked for are all that there are. */
static void know_borders(const struct container_reading *c, bool before)
{
	if (before ? !c->cut && c->before < lines_before(c) : !reader_options(c->r)->since && c->lines < TAIL_LINES)
		reader_begins(c->r);
	if (!reader_enough(c->r))
		reader_ends(c->r);
}

static bool may_be_asked(const char *name)
{
	return name[0] && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == strlen(name);
}

/* A stream that follows does not say where the past ends: the first one does not follow. */
void log_container_read(struct log_reader *r)
{
	struct container_reading c = {.r = r, .host = reader_host(r)};
	bool before = (reader_options(r)->since && reader_options(r)->around) || reader_options(r)->part.is;
	bool running, tty, more = may_be_asked(reader_source(r)->at), first = true;

	if (!more)
		reader_say(r, "that is no name of a container");
	c.net = net_new(c.host);
	while (more && !reader_ended(r)) {
		bool there = inspect(&c, &running, &tty);

		if (there && (running || first)) /* the output of one that stopped is there as well */
			more = (!before || moment_of(&c) <= 0 || read_before(&c, tty)) && read_stream(&c, tty, !first, 0);
		c.reach = 0;
		if (first && there)
			know_borders(&c, before);
		before = before && !there;
		if (there && !running)
			reader_say(r, "the container does not run");
		reader_caught_up(r);
		if (!reader_options(r)->follow)
			break;
		more = more && reader_pause(r, first && there ? 0 : AGAIN_MS);
		first = first && !there;
	}
	net_free(c.net);
}
