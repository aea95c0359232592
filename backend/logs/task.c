// SPDX-License-Identifier: MIT
/*
 * A line of an Airflow task's log. Airflow 3 writes JSON: {"timestamp","level","event","logger","error_detail":[{"exc_type",
 * "exc_value","frames":[{"filename","lineno","name"}]}]}; it becomes the line and the trace that it was. What is no such JSON, as
 * all of Airflow 2, stays as it is. Pure. Checked on 3.1.8.
 */
#include "json.h"
#include "logs_own.h"

/* More lines of one event belong to it. */
static void put_indented(struct buf *out, const char *s)
{
	for (; *s; s++)
		buf_add(out, *s == '\n' ? "\n\t" : s, *s == '\n' ? 2 : 1);
}

static void put_error(struct buf *out, const struct json *error)
{
	const char *type = json_string(json_get(error, "exc_type")), *value = json_string(json_get(error, "exc_value"));
	const struct json *frames = json_get(error, "frames");
	int64_t line;

	if (json_first(frames))
		buf_puts(out, "Traceback (most recent call last):\n");
	for (const struct json *f = json_first(frames); f; f = json_next(f)) {
		const char *file = json_string(json_get(f, "filename")), *name = json_string(json_get(f, "name"));

		buf_printf(out, "  File \"%s\", line %lld, in %s\n", file ? file : "?", json_i64(json_get(f, "lineno"), &line) ? (long long)line : 0LL,
			name ? name : "?");
	}
	buf_printf(out, "\t%s: ", type ? type : "error");
	put_indented(out, value ? value : "");
	buf_puts(out, "\n");
}

void log_task_line(struct text line, struct buf *out)
{
	struct json *j = line.len > 2 && line.at[0] == '{' ? json_parse(line, NULL) : NULL;
	const char *at = json_string(json_get(j, "timestamp")), *event = json_string(json_get(j, "event")), *level = json_string(json_get(j, "level"));
	enum log_level is = LOG_UNKNOWN;

	if (at && event) {
		if (level)
			log_level_named(text_of(level), &is);
		buf_printf(out, "%s %s%s", at, log_level_word(is), is ? " " : "");
		put_indented(out, event);
		buf_puts(out, "\n");
		for (const struct json *e = json_first(json_get(j, "error_detail")); e; e = json_next(e))
			put_error(out, e);
	} else {
		buf_add(out, line.at, line.len);
		buf_puts(out, "\n");
	}
	json_free(j);
}
