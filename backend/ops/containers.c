// SPDX-License-Identifier: MIT
/*
 * A container is started, stopped, restarted by the engine's API. The engine's 204 says that its
 * process was begun, and nothing of how long it lives: one that ends at once is named here, with its
 * exit code and its last words.
 */
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "ops_own.h"

enum { BODY_MAX = 1 << 20, LIVES_MS = 3000, LOOK_EVERY_MS = 300, FRAME_HEAD = 8 };

/* Docker's {"message":"..."}, else the whole. */
static void docker_says(struct text body, char out[600])
{
	struct json *document = json_parse(body, NULL);
	const char *message = json_string(json_get(document, "message"));

	text_clean(out, 600, message ? text_of(message) : body);
	json_free(document);
}

/* The two outputs of a container without a terminal come in frames: which one, three zeros, a length. */
static struct text next_piece(struct text *rest)
{
	const unsigned char *head = (const unsigned char *)rest->at;
	struct text piece = *rest;
	size_t len;

	if (rest->len >= FRAME_HEAD && head[0] <= 2 && !head[1] && !head[2] && !head[3]) {
		len = (size_t)head[4] << 24 | (size_t)head[5] << 16 | (size_t)head[6] << 8 | head[7];
		piece.at += FRAME_HEAD;
		piece.len -= FRAME_HEAD;
		piece.len = len < piece.len ? len : piece.len;
	}
	rest->len -= (size_t)(piece.at + piece.len - rest->at);
	rest->at = piece.at + piece.len;
	return piece;
}

void container_last_words(struct text log, char *out, size_t size)
{
	struct text last = {0};

	while (log.len) {
		struct text piece = next_piece(&log), line;

		while (text_line(&piece, &line))
			if (text_trim(line).len)
				last = text_trim(line);
	}
	text_clean(out, size, last);
}

bool container_has_ended(struct text inspected, int64_t *code, char *error, size_t size)
{
	struct json *document = json_parse(inspected, NULL);
	const struct json *state = json_get(document, "State");
	const char *status = json_string(json_get(state, "Status")), *words = json_string(json_get(state, "Error"));
	bool ended = status && (!strcmp(status, "exited") || !strcmp(status, "dead"));

	*code = -1;
	json_i64(json_get(state, "ExitCode"), code);
	text_clean(error, size, text_of(words ? words : ""));
	json_free(document);
	return ended;
}

static bool ask(struct action_job *j, const char *method, const char *path, long *status, struct buf *body, struct err *err)
{
	buf_init(body, BODY_MAX);
	return docker_request(j->host, j->net, j->wait, method, path, status, body, err);
}

static bool say_end(struct action_job *j, int64_t code, const char *error, struct err *err)
{
	char path[160], last[160] = "";
	struct buf log;
	long status;

	snprintf(path, sizeof path, "/containers/%.64s/logs?stdout=1&stderr=1&tail=5", j->target.container);
	if (ask(j, "GET", path, &status, &log, NULL) && status == 200)
		container_last_words(buf_text(&log), last, sizeof last);
	buf_free(&log);
	return err_set(err, ERR_SYSTEM, "it exited at once with %lld%s%.70s%s%s", (long long)code, error[0] ? ": " : "", error,
		last[0] ? "; its last words: " : "", last);
}

/* Does it live for a moment? */
static bool watch(struct action_job *j, struct err *err)
{
	struct wait moment = wait_for(LIVES_MS, j->wait.cancel);
	char path[120], error[160];
	int64_t code;

	snprintf(path, sizeof path, "/containers/%.64s/json", j->target.container);
	do {
		struct buf body;
		long status;
		bool ended = ask(j, "GET", path, &status, &body, NULL) && status == 200 &&
			container_has_ended(buf_text(&body), &code, error, sizeof error);

		buf_free(&body);
		if (ended)
			return say_end(j, code, error, err);
	} while (wait_left(moment) > 0 && wait_fd(wait_for(LOOK_EVERY_MS, j->wait.cancel), -1, 0) == 0);
	return true;
}

bool container_run(struct action_job *j, const char *path, bool starts, struct err *err)
{
	struct buf body;
	char says[600], end[180];
	long status;
	bool fine = ask(j, "POST", path, &status, &body, err);

	docker_says(buf_text(&body), says);
	buf_free(&body);
	if (!fine)
		return false;
	if (status == 304)
		snprintf(j->result, sizeof j->result, "it was so already");
	if (status != 204 && status != 304) {
		say_why(text_of(says), end, sizeof end);
		return err_set(err, ERR_SYSTEM, "HTTP %ld: %s", status, end);
	}
	return !starts || watch(j, err);
}
