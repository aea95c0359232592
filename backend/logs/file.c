// SPDX-License-Identifier: MIT
/*
 * A file that somebody writes: from its last bytes or from a moment on, and what is added to it. It is looked at four
 * times a second. Rotation is another inode under the name: the rest of the old one is read where it lies now, until the new one has a byte.
 * Truncation is a size below where we are. With a moment, older files beside it (NAME.1, NAME.2.gz) are read first;
 * of a part of the past only what stands around its moment, wherever that is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "clock.h"
#include "host.h"
#include "json.h"
#include "logs_own.h"

enum { TAIL = 256 << 10, PIECE = 128 << 10, POLL_MS = 250, PATH_SIZE = 512, PAST_MAX = 64, PROBE = 16 << 10, BISECT_END = 64 << 10,
	BEFORE = 1 << 20, BEFORE_SIEVED = 256 << 20 };

struct past { /* a file that it was rotated into */
	char path[PATH_SIZE];
	int64_t modified, size;
	ino_t inode;
};

struct reading {
	struct log_reader *r;
	struct host *host;
	const char *path;
	struct buf piece;
	struct buf line;  /* of JSON: until it is whole */
	struct past past[PAST_MAX + 1]; /* in a part, the file itself is the last */
	size_t n_past;
	ino_t inode;
	int64_t offset;
	struct log_sieve *sieve; /* while what was written before is looked through; NULL: all is read */
	int64_t done, total; /* bytes, of what is to be looked through */
	int64_t early;    /* when what has no stamp was written, where it is of the past; 0: now */
};

/* ---- laketop's own events: words instead of JSON ---- */

static bool feed_event(struct reading *f, struct text line)
{
	struct json *j = json_parse(line, NULL);
	const char *at = json_string(json_get(j, "at")), *severity = json_string(json_get(j, "severity"));
	const char *service = json_string(json_get(j, "service")), *words = json_string(json_get(j, "words"));
	enum log_level level = LOG_INFO;
	struct buf out;
	bool wanted = true;

	if (at && words) {
		log_level_named(text_of(severity), &level);
		buf_init(&out, LOG_LINE_MAX);
		buf_printf(&out, "%s %s %s%s%s\n", at, log_level_word(level), service ? service : "", service && *service ? ": " : "", words);
		wanted = reader_feed(f->r, 0, out.at, out.len, clock_wall_ms());
		buf_free(&out);
	}
	json_free(j);
	return wanted;
}

static bool feed_task(struct reading *f, struct text line)
{
	struct buf out;
	bool wanted;

	buf_init(&out, 2 * LOG_LINE_MAX);
	log_task_line(line, &out);
	wanted = reader_feed(f->r, 0, out.at, out.len, f->early ? f->early : clock_wall_ms());
	buf_free(&out);
	return wanted;
}

static bool feed_lines(void *ctx, const char *bytes, size_t len, int64_t place)
{
	struct reading *f = ctx;

	reader_place(f->r, place);
	return reader_feed(f->r, 0, bytes, len, f->early ? f->early : clock_wall_ms());
}

static void feed_gap(void *ctx, bool stamps)
{
	struct reading *f = ctx;

	reader_flush(f->r);
	if (stamps)
		reader_stamps(f->r);
}

static void end_sieve(struct reading *f)
{
	if (f->sieve)
		log_sieve_end(f->sieve);
	log_sieve_free(f->sieve);
	f->sieve = NULL;
}

static bool feed(struct reading *f, const char *bytes, size_t len, int64_t place)
{
	if (f->sieve)
		return !reader_ended(f->r) && log_sieve_feed(f->sieve, bytes, len, place);
	if (reader_source(f->r)->kind == LOG_FILE)
		return feed_lines(f, bytes, len, place);
	for (size_t i = 0; i < len; i++)
		if (bytes[i] != '\n') {
			buf_add(&f->line, bytes + i, 1);
		} else {
			if (!(reader_source(f->r)->kind == LOG_TASK ? feed_task : feed_event)(f, buf_text(&f->line)))
				return false;
			buf_reset(&f->line);
		}
	return true;
}

/* ---- from where ---- */

static bool read_piece(struct reading *f, const char *path, int64_t offset, size_t most, struct err *err)
{
	buf_reset(&f->piece);
	f->piece.full = false;
	return f->host->read_from(f->host, path, offset, most, &f->piece, err);
}

/* Where the line begins that is the first whole one from offset on. */
static int64_t line_from(struct reading *f, const char *path, int64_t offset)
{
	int64_t at = offset - 1;

	if (offset <= 0)
		return 0;
	/* a line may be longer than any probe */
	while (at < offset + TAIL && read_piece(f, path, at, PROBE, NULL) && f->piece.len) {
		const char *end = memchr(f->piece.at, '\n', f->piece.len);

		if (end)
			return at + (end + 1 - f->piece.at);
		at += (int64_t)f->piece.len;
	}
	return offset;
}

/* The first stamp of a line from offset on, and where that line begins; -1: none near. */
static int64_t stamp_from(struct reading *f, const char *path, int64_t offset, int64_t *begins)
{
	struct log_line_facts facts;
	struct text rest, line;
	int64_t at = line_from(f, path, offset);

	if (begins)
		*begins = at;
	if (!read_piece(f, path, at, PROBE, NULL) || !f->piece.len)
		return -1;
	rest = buf_text(&f->piece);
	while (text_line(&rest, &line)) {
		log_line_read(line, clock_wall_ms(), &facts);
		if (facts.at >= 0 && begins && at)
			*begins = at + (line.at - f->piece.at);
		if (facts.at >= 0)
			return facts.at;
	}
	return -1;
}

/* Where the lines of a moment begin, not far before: a log is in the order of its stamps. */
static int64_t offset_of(struct reading *f, const char *path, int64_t size, int64_t since)
{
	int64_t low = 0, high = size;

	while (high - low > BISECT_END) {
		int64_t middle = low + (high - low) / 2, at = stamp_from(f, path, middle, NULL);

		if (at < 0 || at >= since)
			high = middle;
		else
			low = middle;
	}
	return line_from(f, path, low);
}

/* ---- what it was rotated into ---- */

static bool add_past(void *ctx, const char *name)
{
	struct reading *f = ctx;
	const char *base = strrchr(f->path, '/');
	size_t folder = base ? (size_t)(base + 1 - f->path) : 0, len = strlen(f->path + folder);
	struct past *p = &f->past[f->n_past];
	struct file_facts facts;

	if (strncmp(name, f->path + folder, len) != 0 || !name[len] || !strchr(".-_", name[len]))
		return true;
	if ((size_t)snprintf(p->path, sizeof p->path, "%.*s%s", (int)folder, f->path, name) >= sizeof p->path)
		return true;
	if (f->host->stat(f->host, p->path, &facts, NULL) && facts.exists && !facts.is_directory) {
		p->modified = facts.modified;
		p->size = facts.size;
		p->inode = facts.inode;
		f->n_past++;
	}
	return f->n_past < PAST_MAX;
}

static int older_first(const void *a, const void *b)
{
	const struct past *x = a, *y = b;

	return x->modified < y->modified ? -1 : x->modified > y->modified;
}

static void find_past(struct reading *f)
{
	char folder[PATH_SIZE];
	const char *base = strrchr(f->path, '/');

	f->n_past = 0;
	if (!base)
		return;
	snprintf(folder, sizeof folder, "%.*s", (int)(base == f->path ? 1 : base - f->path), f->path);
	f->host->list(f->host, folder, add_past, f, NULL);
	qsort(f->past, f->n_past, sizeof f->past[0], older_first);
}

struct inflating {
	struct reading *f;
	z_stream z;
	bool packed, begun, bad;
};

static void add_progress(struct reading *f, size_t bytes)
{
	f->done += (int64_t)bytes;
	if (f->total)
		reader_progress(f->r, f->done < f->total ? f->done : f->total, f->total);
}

static bool take_past(void *ctx, const char *bytes, size_t len)
{
	struct inflating *in = ctx;
	char out[16 << 10];

	if (!in->begun) {
		in->begun = true;
		in->packed = len > 2 && (unsigned char)bytes[0] == 0x1f && (unsigned char)bytes[1] == 0x8b;
		if (in->packed && inflateInit2(&in->z, 15 + 16) != Z_OK)
			return false;
	}
	add_progress(in->f, len);
	if (!in->packed)
		return feed(in->f, bytes, len, -1);
	in->z.next_in = (Bytef *)(uintptr_t)bytes;
	in->z.avail_in = (uInt)len;
	while (in->z.avail_in && !in->bad) {
		int result;

		in->z.next_out = (Bytef *)out;
		in->z.avail_out = sizeof out;
		result = inflate(&in->z, Z_NO_FLUSH);
		if (!feed(in->f, out, sizeof out - in->z.avail_out, -1))
			return false;
		if (result == Z_STREAM_END) /* another one may follow */
			inflateReset(&in->z);
		else
			in->bad = result != Z_OK;
	}
	return !in->bad;
}

static void stream_past(struct reading *f, const char *path)
{
	struct inflating in = {.f = f};

	f->host->stream_file(f->host, path, take_past, &in, NULL);
	if (in.packed)
		inflateEnd(&in.z);
	if (f->sieve)
		log_sieve_end(f->sieve);
	reader_flush(f->r);
}

static bool is_packed(struct reading *f, const struct past *p)
{
	return read_piece(f, p->path, 0, 2, NULL) && f->piece.len == 2 && !memcmp(f->piece.at, "\x1f\x8b", 2);
}

static void read_past(struct reading *f, int64_t since)
{
	for (size_t i = 0; i < f->n_past; i++)
		f->total += f->past[i].modified >= since ? f->past[i].size : 0;
	for (size_t i = 0; i < f->n_past && !reader_ended(f->r); i++)
		if (f->past[i].modified >= since) {
			int64_t first = is_packed(f, &f->past[i]) ? -1 : stamp_from(f, f->past[i].path, 0, NULL);

			f->early = first > 0 ? first : f->past[i].modified;
			stream_past(f, f->past[i].path);
		}
}

/* ---- on and on ---- */

/* What is there beyond where we are. */
static bool read_on(struct reading *f, const char *path)
{
	struct err err = {0};

	for (;;) {
		if (!read_piece(f, path, f->offset, PIECE, &err)) {
			reader_say(f->r, err.words);
			return true;
		}
		if (!f->piece.len)
			return true;
		f->offset += (int64_t)f->piece.len;
		add_progress(f, f->piece.len);
		if (!feed(f, f->piece.at, f->piece.len, f->offset - (int64_t)f->piece.len))
			return false;
	}
}

static bool finish_rotated(struct reading *f)
{
	bool wanted = true;

	find_past(f);
	for (size_t i = 0; i < f->n_past; i++)
		if (f->past[i].inode == f->inode)
			wanted = read_on(f, f->past[i].path);
	reader_flush(f->r);
	return wanted;
}

/* It got another name while it was read: the rest lies there, and what came after it here. False: nobody wants more. */
static bool read_rest(struct reading *f)
{
	struct file_facts facts;

	if (!f->host->stat(f->host, f->path, &facts, NULL) || (facts.exists && facts.inode == f->inode))
		return true;
	reader_say(f->r, "");
	if (!finish_rotated(f))
		return false;
	if (!f->host->stat(f->host, f->path, &facts, NULL) || !facts.exists)
		return true;
	if (f->sieve)
		log_sieve_end(f->sieve);
	f->inode = facts.inode;
	f->offset = 0;
	return read_on(f, f->path);
}

static void begin_at(struct reading *f, const struct file_facts *facts)
{
	const struct log_options *o = reader_options(f->r);
	int64_t tail = o->tail ? (int64_t)o->tail : TAIL, first;

	f->inode = facts->inode;
	find_past(f);
	if (!o->since) {
		first = stamp_from(f, f->path, facts->size - tail, &f->offset);
		f->early = first > 0 ? first : facts->modified;
	} else {
		first = stamp_from(f, f->path, 0, NULL);
		f->total = facts->size;
		if (first < 0 || first > o->since)
			read_past(f, o->since);
		f->offset = offset_of(f, f->path, facts->size, o->since);
		f->done += f->offset;
		first = stamp_from(f, f->path, f->offset, NULL);
		f->early = first > 0 ? first : facts->modified; /* what has no stamp before it is as old */
	}
	if (!f->offset && (!f->n_past || o->since == 1))
		reader_begins(f->r);
}

/* ---- a part of the past ---- */

/* Which file, and from where on; before the moment stand some bytes more, maybe those of older files. */
static size_t part_begin(struct reading *f, int64_t *from)
{
	const struct log_part *part = &reader_options(f->r)->part;
	size_t i = f->n_past;
	int64_t before = f->sieve ? BEFORE_SIEVED : BEFORE / (int64_t)reader_n(f->r);
	bool placed = part->place >= 0 && !strcmp(part->file, f->path);

	if (!placed)
		for (i = 0; i < f->n_past && f->past[i].modified < part->at; i++)
			continue;
	*from = placed ? part->place : is_packed(f, &f->past[i]) ? 0 : offset_of(f, f->past[i].path, f->past[i].size, part->at);
	while (*from < before && i > 0) {
		before -= *from;
		i--;
		*from = f->past[i].size;
		if (is_packed(f, &f->past[i])) { /* what of it is too much goes where it is shown */
			*from = 0;
			return i;
		}
	}
	*from = *from > before ? *from - before : 0;
	return i;
}

static bool read_on(struct reading *f, const char *path);

static void read_part(struct reading *f)
{
	struct past *own;
	struct file_facts facts;
	struct err err = {0};
	bool wanted = true;
	int64_t from, first;
	size_t i;

	if (!f->host->stat(f->host, f->path, &facts, &err) || !facts.exists) {
		reader_say(f->r, err.code ? err.words : "it is not there");
		return;
	}
	f->inode = facts.inode;
	find_past(f);
	own = &f->past[f->n_past];
	*own = (struct past){.modified = INT64_MAX, .size = facts.size, .inode = facts.inode};
	text_copy(own->path, sizeof own->path, text_of(f->path));
	i = part_begin(f, &from);
	if (!i && !from)
		reader_begins(f->r);
	for (; i <= f->n_past && wanted && !reader_ended(f->r); i++, from = 0) {
		bool packed = is_packed(f, &f->past[i]);

		first = packed ? -1 : stamp_from(f, f->past[i].path, from, &f->offset);
		f->early = first > 0 ? first : i < f->n_past ? f->past[i].modified : facts.modified;
		if (packed)
			stream_past(f, f->past[i].path);
		else if (!(wanted = read_on(f, f->past[i].path)))
			break;
		if (i < f->n_past)
			reader_flush(f->r);
	}
	if (wanted && !reader_ended(f->r))
		wanted = read_rest(f);
	reader_flush(f->r);
	if (wanted)
		reader_ends(f->r);
}

/* False: nobody wants more. */
static bool look(struct reading *f, bool *begun)
{
	struct file_facts facts;
	struct err err = {0};
	char words[200];

	if (!f->host->stat(f->host, f->path, &facts, &err) || !facts.exists) {
		snprintf(words, sizeof words, "%.150s %s", err.code ? err.words : f->path, err.code ? "" : "is not there");
		reader_say(f->r, words);
		return true;
	}
	reader_say(f->r, "");
	if (!*begun) {
		begin_at(f, &facts);
		*begun = true;
	} else if (facts.inode != f->inode) {
		if (!finish_rotated(f))
			return false;
		if (!facts.size) /* who writes has not come over yet */
			return true;
		f->inode = facts.inode;
		f->offset = 0;
	} else if (facts.size < f->offset) {
		reader_flush(f->r);
		f->offset = 0;
	} else if (facts.size == f->offset)
		return true;
	return read_on(f, f->path);
}

static void follow(struct reading *f)
{
	const struct log_options *o = reader_options(f->r);
	bool begun = false, wanted;

	do {
		wanted = look(f, &begun);
		if (wanted && begun && !o->follow)
			read_rest(f);
		end_sieve(f);
		if (begun || !o->follow)
			reader_caught_up(f->r);
		if (begun)
			f->early = f->total = 0;
		begun = begun || !o->since; /* a file that comes later is read from its beginning */
	} while (wanted && o->follow && reader_pause(f->r, POLL_MS));
}

void log_file_read(struct log_reader *r)
{
	const struct log_options *o = reader_options(r);
	struct reading *f;
	struct file_facts facts;

	if (reader_host(r)->stat(reader_host(r), reader_source(r)->at, &facts, NULL) && facts.is_directory) {
		reader_begins(r); /* it has no line of its own */
		reader_ends(r);
		log_folder_read(r);
		return;
	}
	f = mem_new(1, sizeof *f);
	f->r = r;
	f->host = reader_host(r);
	f->path = reader_source(r)->at;
	buf_init(&f->piece, PIECE);
	buf_init(&f->line, LOG_LINE_MAX);
	if (reader_source(r)->kind == LOG_FILE && (o->match || o->least))
		f->sieve = log_sieve_new(&(struct log_sieve_options){.pattern = o->match, .least = o->least, .now = clock_wall_ms(), .pass = feed_lines,
			.gap = feed_gap, .ctx = f});
	if (o->part.is)
		read_part(f);
	else
		follow(f);
	end_sieve(f);
	buf_free(&f->piece);
	buf_free(&f->line);
	free(f);
}
