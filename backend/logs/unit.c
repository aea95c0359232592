// SPDX-License-Identifier: MIT
/*
 * A systemd unit's lines, by journalctl as a child, one JSON object each. All its values are strings; MESSAGE may be
 * an array of numbers where it holds what is no text, or null: it is too long, which --all prevents.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "host.h"
#include "json.h"
#include "logs_own.h"

enum { LINE_MAX_BYTES = 1 << 20, FOLLOW_MS = 86400000, AGAIN_MS = 2000, LINES_FIRST = 500, BACK_MAX = 8 << 20, ASK_MS = 10000 };

struct unit_reading {
	struct log_reader *r;
	struct buf line, back; /* as it comes; newest first */
	char cursor[256];
	bool denied, failed; /* we do not see all of the journal; it could not be asked */
	size_t lines, before; /* that were handed over; those of before the moment */
};

static void message_of(const struct json *message, struct buf *out)
{
	int64_t n;

	if (json_string(message))
		buf_puts(out, json_string(message));
	else if (json_is_null(message))
		buf_puts(out, "(a line that is too long for the journal's JSON)");
	for (const struct json *item = json_is_array(message) ? json_first(message) : NULL; item; item = json_next(item))
		if (json_string(item)) {
			buf_printf(out, "%s%s", out->len ? "\n\t" : "", json_string(item));
		} else if (json_i64(item, &n)) {
			char byte = (char)n;

			buf_add(out, &byte, 1);
		}
	for (size_t i = 0; i < out->len; i++) /* more lines of one entry belong to it */
		if (out->at[i] == '\n' && i + 1 < out->len && out->at[i + 1] != '\t' && out->at[i + 1] != ' ')
			out->at[i] = ' ';
	buf_puts(out, "\n");
}

bool log_journal_line(struct text line, int64_t *at, enum log_level *level, struct buf *out, char *cursor, size_t size)
{
	static const enum log_level levels[] = {LOG_FATAL, LOG_FATAL, LOG_FATAL, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_INFO, LOG_DEBUG};
	struct json *j = json_parse(line, NULL);
	const char *priority = json_string(json_get(j, "PRIORITY")), *time = json_string(json_get(j, "__REALTIME_TIMESTAMP"));
	const char *where = json_string(json_get(j, "__CURSOR"));
	int64_t us = 0;
	bool fine = json_is_object(j) && time && text_i64(text_of(time), &us);

	*level = priority && priority[0] >= '0' && priority[0] <= '7' && !priority[1] ? levels[priority[0] - '0'] : LOG_UNKNOWN;
	*at = us / 1000;
	if (fine)
		message_of(json_get(j, "MESSAGE"), out);
	if (where)
		text_copy(cursor, size, text_of(where));
	json_free(j);
	return fine;
}

static bool take_bytes(void *ctx, const char *bytes, size_t len)
{
	struct unit_reading *u = ctx;

	for (const char *end; (end = memchr(bytes, '\n', len)) != NULL; len -= (size_t)(end + 1 - bytes), bytes = end + 1) {
		struct buf message;
		enum log_level level;
		int64_t at;
		bool wanted = true;

		buf_add(&u->line, bytes, (size_t)(end - bytes));
		buf_init(&message, LINE_MAX_BYTES);
		if (log_journal_line(buf_text(&u->line), &at, &level, &message, u->cursor, sizeof u->cursor)) {
			reader_level(u->r, level);
			u->lines++;
			wanted = reader_feed(u->r, 0, message.at, message.len, at);
		}
		buf_free(&message);
		buf_reset(&u->line);
		if (!wanted)
			return false;
	}
	buf_add(&u->line, bytes, len);
	return !reader_ended(u->r);
}

/* Newest first, as it is asked for: of "--until --lines" without "--reverse" it counts from the end of all. */
static bool keep_bytes(void *ctx, const char *bytes, size_t len)
{
	struct unit_reading *u = ctx;

	buf_add(&u->back, bytes, len);
	return !u->back.full && !reader_ended(u->r);
}

static void take_back(struct unit_reading *u)
{
	size_t end = u->back.len;

	while (end && u->back.at[end - 1] != '\n') /* one that was cut */
		end--;
	while (end) {
		size_t from = end - 1;

		while (from && u->back.at[from - 1] != '\n')
			from--;
		if (!take_bytes(u, u->back.at + from, end - from))
			return;
		end = from;
	}
}

/* Errors of journalctl; that this user may not read is told with what helps. */
static void say_errors(struct unit_reading *u, struct text errors)
{
	if (text_has(errors, "insufficient permissions") || text_has(errors, "not seeing messages"))
		u->denied = true;
	else if (errors.len)
		reader_say(u->r, errors.at);
	if (u->denied && !u->cursor[0])
		reader_say(u->r, "this user may not read the journal: sudo usermod -aG systemd-journal USER, and log in anew");
}

/* In JSON it keeps to itself that others' lines are hidden, to who has some of his own; asked for text it says so. */
static void ask_why_nothing(struct unit_reading *u)
{
	const char *const argv[] = {"journalctl", "--no-pager", "--lines=1", NULL};
	struct buf out, errors;

	buf_init(&out, 4096);
	buf_init(&errors, 4096);
	if (reader_host(u->r)->exec(reader_host(u->r), argv, &out, &errors, wait_for(ASK_MS, reader_cancel(u->r)), NULL) >= 0)
		say_errors(u, buf_text(&errors));
	buf_free(&out);
	buf_free(&errors);
}

static unsigned lines_before(const struct unit_reading *u)
{
	return reader_options(u->r)->part.is ? LINES_FIRST : 200;
}

static int64_t moment_of(const struct unit_reading *u)
{
	const struct log_options *o = reader_options(u->r);

	return o->part.is ? o->part.at : o->since;
}

/* before: the last lines until the moment that is looked back from. A unit of the system or of this user: one of both has lines. */
static void run(struct unit_reading *u, bool follow, bool before)
{
	const struct log_options *o = reader_options(u->r);
	int64_t moment = moment_of(u);
	const char *unit = reader_source(u->r)->at;
	char unit_option[300], user_option[300], instances[300], since[64], until[64], lines[32], after[300];
	struct buf errors;
	struct err err = {0};
	const char *argv[16] = {"journalctl", "--no-pager", "--all", "-o", "json", unit_option, user_option,
		"--output-fields=MESSAGE,PRIORITY,_PID,SYSLOG_IDENTIFIER"};
	size_t n = 8;
	int status;

	snprintf(unit_option, sizeof unit_option, "--unit=%.255s", unit);
	snprintf(user_option, sizeof user_option, "--user-unit=%.255s", unit);
	snprintf(instances, sizeof instances, "--unit=%.255s@*.service", unit);
	/* hundreds of lines may have one stamp: what comes before ends in front of all of them */
	snprintf(until, sizeof until, "--until=@%lld.%03d999", (long long)((moment - 1) / 1000), (int)((moment - 1) % 1000));
	snprintf(since, sizeof since, "--since=@%lld.%03d", (long long)(moment / 1000), (int)(moment % 1000));
	snprintf(lines, sizeof lines, "--lines=%u", before ? lines_before(u) : (unsigned)LINES_FIRST);
	snprintf(after, sizeof after, "--after-cursor=%.255s", u->cursor);
	if (!strpbrk(unit, "@.")) /* by the name that people use: "postgresql" is also postgresql@15-main.service */
		argv[n++] = instances;
	argv[n++] = before ? until : u->cursor[0] ? after : moment || o->part.is ? since : lines;
	if (before) {
		argv[n++] = lines;
		argv[n++] = "--reverse";
	}
	if (follow)
		argv[n++] = "--follow";
	buf_init(&errors, 4096);
	status = reader_host(u->r)->follow(reader_host(u->r), argv, before ? keep_bytes : take_bytes, u, &errors,
		wait_for(FOLLOW_MS, reader_cancel(u->r)), &err);
	if (before)
		take_back(u);
	u->failed = status != 0;
	if (status < 0 && err.code != ERR_CANCELLED)
		reader_say(u->r, err.words);
	else if (u->cursor[0])
		reader_say(u->r, "");
	say_errors(u, buf_text(&errors));
	buf_free(&errors);
}

void log_unit_read(struct log_reader *r)
{
	struct unit_reading u = {.r = r};
	bool before = (reader_options(r)->since && reader_options(r)->around) || reader_options(r)->part.is;

	buf_init(&u.line, LINE_MAX_BYTES);
	buf_init(&u.back, BACK_MAX);
	if (before && moment_of(&u) > 0)
		run(&u, false, true);
	u.before = u.lines;
	run(&u, false, false);
	if (!u.cursor[0] && !u.denied && !u.failed)
		ask_why_nothing(&u);
	if (!u.cursor[0] && !u.denied && !u.failed)
		reader_say(r, "the journal has no line of this unit");
	/* fewer than were asked for are all that there are */
	if (before ? u.before < lines_before(&u) && !u.back.full : !reader_options(r)->since && u.lines < LINES_FIRST)
		reader_begins(r);
	if (!reader_enough(r))
		reader_ends(r);
	reader_caught_up(r);
	while (reader_options(r)->follow && reader_pause(r, u.cursor[0] ? 0 : AGAIN_MS) && !reader_ended(r)) {
		run(&u, true, false);
		if (!reader_pause(r, AGAIN_MS))
			break;
	}
	buf_free(&u.line);
	buf_free(&u.back);
}
