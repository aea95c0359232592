// SPDX-License-Identifier: MIT
/* See eventlog.h. */
#include "eventlog.h"

#include <string.h>
#include <zstd.h>

#include "json.h"

enum { UNPACKED_MAX = 2 << 20, WINDOW_LOG_MAX = 23 };

/* ---- names ---- */

static bool strip(struct text *t, const char *end)
{
	size_t len = strlen(end);

	if (t->len <= len || memcmp(t->at + t->len - len, end, len) != 0)
		return false;
	t->len -= len;
	return true;
}

static const char *strip_codec(struct text *t)
{
	static const char *const ends[] = {".zstd", ".lz4", ".snappy", ".lzf"};

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (strip(t, ends[i]))
			return ends[i] + 1;
	return NULL;
}

/* "events_12_app-1.zstd", "appstatus_app-1.inprogress" */
static bool take_piece(struct text file, struct eventlog_file *out)
{
	struct text number;

	if (text_skip(&file, "appstatus_")) {
		out->status = true;
		out->in_progress = strip(&file, ".inprogress");
		return true;
	}
	if (!text_skip(&file, "events_"))
		return false;
	number = text_until(file, '_');
	strip(&file, ".compact");
	out->codec = strip_codec(&file);
	return number.len < file.len && text_i64(number, &out->index) && out->index > 0;
}

bool eventlog_path(struct text path, struct eventlog_file *out)
{
	*out = (struct eventlog_file){.log = path};
	if (memchr(path.at, '/', path.len)) {
		out->log = out->application = text_until(path, '/');
		return text_skip(&out->application, "eventlog_v2_") && out->application.len && take_piece(text_after(path, '/'), out);
	}
	if (!path.len || path.at[0] == '.' || path.at[0] == '_')
		return false;
	out->in_progress = strip(&out->log, ".inprogress");
	out->application = out->log;
	out->codec = strip_codec(&out->application);
	return true;
}

/* ---- the first lines ---- */

/* As much as there is: the rest of a log that is cut, or that is still written, is no error. */
static bool unpack(struct text packed, struct buf *out, struct err *err)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = {packed.at, packed.len, 0};
	char piece[16 << 10];
	bool more = stream && !ZSTD_isError(ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX));

	while (more && out->len < UNPACKED_MAX) {
		ZSTD_outBuffer to = {piece, sizeof piece, 0};
		size_t taken = in.pos, left = ZSTD_decompressStream(stream, &to, &in);

		more = !ZSTD_isError(left) && (to.pos > 0 || in.pos > taken) && buf_add(out, piece, to.pos);
	}
	ZSTD_freeDStream(stream);
	return out->len > 0 || err_set(err, ERR_PARSE, "it is no zstd");
}

static bool is_event(struct text line, const char *event)
{
	return text_skip(&line, "{\"Event\":\"") && text_is(text_until(line, '"'), event);
}

static void keep(char *out, size_t size, const struct json *object, const char *key)
{
	text_clean(out, size, text_of(json_string(json_get(object, key))));
}

/* True: it is the start, and there is nothing more to read. */
static bool take_event(struct text line, struct eventlog_start *out)
{
	bool starts = is_event(line, "SparkListenerApplicationStart");
	struct json *event = starts || is_event(line, "SparkListenerLogStart") ? json_parse(line, NULL) : NULL;

	if (!event)
		return false;
	if (starts) {
		keep(out->id, sizeof out->id, event, "App ID");
		keep(out->name, sizeof out->name, event, "App Name");
		keep(out->user, sizeof out->user, event, "User");
		if (!json_i64(json_get(event, "Timestamp"), &out->started) || out->started < 0)
			out->started = 0;
	} else {
		keep(out->version, sizeof out->version, event, "Spark Version");
	}
	json_free(event);
	return starts;
}

static bool read_lines(struct text head, struct eventlog_start *out, struct err *err)
{
	struct text line;

	if (!text_starts(head, "{\"Event\":\""))
		return err_set(err, ERR_PARSE, "it is no event log");
	while (text_line(&head, &line))
		if (take_event(line, out))
			return true;
	return err_set(err, ERR_LIMIT, "its first %d KiB do not tell its name", EVENTLOG_HEAD >> 10);
}

bool eventlog_start(struct text head, const char *codec, struct eventlog_start *out, struct err *err)
{
	struct buf plain;
	bool good;

	*out = (struct eventlog_start){0};
	if (!codec)
		return read_lines(head, out, err);
	if (strcmp(codec, "zstd") != 0)
		return err_set(err, ERR_LIMIT, "it is packed by %s, which is not read here", codec);
	buf_init(&plain, UNPACKED_MAX + (16 << 10));
	good = unpack(head, &plain, err) && read_lines(buf_text(&plain), out, err);
	buf_free(&plain);
	return good;
}
