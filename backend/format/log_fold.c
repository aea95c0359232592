// SPDX-License-Identifier: MIT
/*
 * Bytes of a log, in any pieces, as events. A line is cut at LOG_LINE_MAX, an event at EVENT_MAX and
 * LINES_MAX; what is kept out is counted. Once a log was seen to stamp its lines, one without a stamp
 * belongs to the one before. Pure.
 */
#include <stdlib.h>
#include <string.h>

#include "logs.h"

enum { EVENT_MAX = 256 << 10, LINES_MAX = 2000, STAMPS_SURE = 2 };

struct log_folder {
	bool (*each)(void *ctx, const struct log_event *e);
	void *ctx;
	struct buf line;   /* as it came, without its end */
	size_t line_cut;
	struct buf event;  /* clean lines */
	struct log_event now; /* without its text */
	int64_t last;      /* stamp of the newest stamped one; -1 */
	unsigned stamps;   /* lines in this log that had one, up to STAMPS_SURE */
	enum log_level told;
	int64_t place, line_place; /* of what is fed next, of the line; -1 */
	char *clean;
	bool ended;
};

struct log_folder *log_folder_new(bool (*each)(void *ctx, const struct log_event *e), void *ctx)
{
	struct log_folder *f = mem_new(1, sizeof *f);

	f->each = each;
	f->ctx = ctx;
	f->last = f->place = f->line_place = -1;
	buf_init(&f->line, LOG_LINE_MAX);
	buf_init(&f->event, EVENT_MAX);
	f->clean = mem_new(3 * LOG_LINE_MAX + 1, 1); /* one bad byte may become three */
	return f;
}

void log_folder_free(struct log_folder *f)
{
	if (!f)
		return;
	buf_free(&f->line);
	buf_free(&f->event);
	free(f->clean);
	free(f);
}

static void hand_over(struct log_folder *f)
{
	if (!f->now.lines)
		return;
	f->now.text = buf_text(&f->event);
	if (!f->ended && !f->each(f->ctx, &f->now))
		f->ended = true;
	f->now = (struct log_event){0};
	buf_reset(&f->event);
}

static void add_line(struct log_folder *f, struct text line)
{
	size_t room = f->event.max - f->event.len;

	f->now.lines++;
	f->now.cut += f->line_cut;
	if (f->now.lines > LINES_MAX || line.len + 1 >= room) {
		f->now.cut += line.len;
		return;
	}
	if (f->now.lines > 1)
		buf_add(&f->event, "\n", 1);
	buf_add(&f->event, line.at, line.len);
}

static void take_line(struct log_folder *f, int64_t now)
{
	struct log_line_facts facts;
	struct text line = buf_text(&f->line), clean;

	while (line.len && line.at[line.len - 1] == '\r')
		line.len--;
	clean = text_of(text_clean(f->clean, 3 * LOG_LINE_MAX + 1, line));
	log_line_read(line, now, &facts);
	if (facts.at >= 0 && f->stamps < STAMPS_SURE)
		f->stamps++;
	if (f->now.lines == 1 && f->now.stamped && !f->now.level && facts.at < 0 && facts.level && !facts.continues) {
		add_line(f, clean); /* java.util.logging: stamp and place, then the level and the words */
		f->now.level = facts.level;
	} else if (f->now.lines && (facts.continues || (facts.at < 0 && !facts.level && f->stamps >= STAMPS_SURE))) {
		add_line(f, clean);
	} else if (clean.len) {
		hand_over(f);
		f->now = (struct log_event){.at = facts.at >= 0 ? facts.at : f->last >= 0 ? f->last : now, .stamped = facts.at >= 0,
			.level = facts.level ? facts.level : f->told, .place = f->line_place};
		if (facts.at >= 0)
			f->last = facts.at;
		add_line(f, clean);
	}
	buf_reset(&f->line);
	f->line.full = false;
	f->line_cut = 0;
}

void log_folder_place(struct log_folder *f, int64_t place)
{
	f->place = place;
}

void log_folder_stamps(struct log_folder *f)
{
	f->stamps = STAMPS_SURE;
}

void log_folder_tell(struct log_folder *f, enum log_level level)
{
	f->told = level;
}

bool log_folder_feed(struct log_folder *f, const char *bytes, size_t len, int64_t now)
{
	while (len && !f->ended) {
		const char *end = memchr(bytes, '\n', len);
		size_t n = end ? (size_t)(end - bytes) : len, room = f->line.max - f->line.len;
		size_t fits = n < room ? n : room;

		if (!f->line.len)
			f->line_place = f->place;
		buf_add(&f->line, bytes, fits);
		f->line_cut += n - fits;
		if (f->place >= 0)
			f->place += (int64_t)(n + (end != NULL));
		bytes += n + (end != NULL);
		len -= n + (end != NULL);
		if (end)
			take_line(f, now);
	}
	return !f->ended;
}

void log_folder_settle(struct log_folder *f)
{
	hand_over(f);
}

void log_folder_flush(struct log_folder *f, int64_t now)
{
	if (f->line.len)
		take_line(f, now);
	hand_over(f);
}
