// SPDX-License-Identifier: MIT
/*
 * A container is started, stopped, restarted by the engine's API. The engine's 204 says that its
 * process was begun, and nothing of how long it lives: one that ends, or is begun again and again, is
 * named here, with its exit code and its last words.
 * Source: Docker Engine API 1.41, "Start a container"; dockerd 20.10 for what each status means.
 */
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "ways.h"

enum {
	BODY_MAX = 1 << 20, FRAME_HEAD = 8, LOOP_RESTARTS = 2,
	ANSWER_MS = 60000, /* a stop takes 20 s by itself */
	YOUNG_MS = 3000, LOOK_YOUNG_MS = 300, LOOK_EVERY_MS = 1000, LOOK_LOOP_MS = 100,
};

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

void container_last_words(const struct profile *p, struct text log, char *out, size_t size)
{
	struct buf plain;

	buf_init(&plain, BODY_MAX);
	while (log.len) {
		struct text piece = next_piece(&log);

		buf_add(&plain, piece.at, piece.len);
	}
	last_lines(p, buf_text(&plain), out, size);
	buf_free(&plain);
}

bool container_read(struct text inspected, struct container_end *out)
{
	struct json *document = json_parse(inspected, NULL);
	const struct json *state = json_get(document, "State");
	const char *status = json_string(json_get(state, "Status")), *words = json_string(json_get(state, "Error"));

	*out = (struct container_end){.code = -1};
	json_i64(json_get(state, "ExitCode"), &out->code);
	json_i64(json_get(document, "RestartCount"), &out->restarts);
	out->ended = status && (!strcmp(status, "exited") || !strcmp(status, "dead"));
	out->restarting = status && !strcmp(status, "restarting");
	text_clean(out->error, sizeof out->error, text_of(words ? words : ""));
	json_free(document);
	return status != NULL;
}

static bool ask(struct action_job *j, const char *method, const char *path, long *status, struct buf *body, struct err *err)
{
	buf_init(body, BODY_MAX);
	return docker_request(j->host, j->net, j->wait, method, path, status, body, err);
}

/* What it wrote since it was begun. */
static void read_last_words(struct action_job *j, const struct plan *p, const char *id)
{
	struct wait wait = j->wait;
	char path[200];
	struct buf log;
	long status;

	snprintf(path, sizeof path, "/containers/%.80s/logs?stdout=1&stderr=1&tail=20&since=%lld", id, (long long)(p->began / 1000));
	j->wait = wait_for(2000, wait.cancel); /* its own time: that of the watch may be over */
	if (ask(j, "GET", path, &status, &log, NULL) && status == 200)
		container_last_words(job_profile(j), buf_text(&log), j->last, sizeof j->last);
	buf_free(&log);
	j->wait = wait;
}

static bool say_end(struct action_job *j, const struct plan *p, const char *id, const struct container_end *end, struct err *err)
{
	bool young = clock_wall_ms() - p->began < YOUNG_MS;

	read_last_words(j, p, id);
	if (!end->ended && end->code > 0)
		return err_set(err, ERR_SYSTEM, "it exits and is started again, %lld times by now, last with %lld", (long long)end->restarts, (long long)end->code);
	if (!end->ended)
		return err_set(err, ERR_SYSTEM, "it exits and is started again, %lld times by now", (long long)end->restarts);
	return err_set(err, ERR_SYSTEM, "it exited %s with %lld%s%.100s", young ? "at once" : "before it served", (long long)end->code,
		end->error[0] ? ": " : "", end->error);
}

bool container_watch(struct action_job *j, const struct plan *p, const char *id, struct err *err)
{
	char path[120];
	struct container_end end;
	int64_t code = 0, every;
	bool fine;

	snprintf(path, sizeof path, "/containers/%.80s/json", id);
	do {
		struct buf body;
		long status;
		bool seen = ask(j, "GET", path, &status, &body, NULL) && status == 200 && container_read(buf_text(&body), &end);

		buf_free(&body);
		if (seen && end.restarting)
			code = end.code; /* while it runs again it is 0 */
		if (seen && !end.ended)
			end.code = code;
		/* its code is told between two runs only: some more looks for that */
		if (seen && (end.ended || end.restarts >= LOOP_RESTARTS + (code ? 0 : 3)))
			return say_end(j, p, id, &end, err);
		every = seen && end.restarts ? LOOK_LOOP_MS : clock_wall_ms() - p->began < YOUNG_MS ? LOOK_YOUNG_MS : LOOK_EVERY_MS;
	} while (watch_goes_on(j, every, err, &fine));
	if (!fine)
		read_last_words(j, p, id);
	return fine;
}

/* What a status other than success means, and what helps. Pure. */
bool container_refused(long status, const char *says, struct err *err)
{
	const char *helps = status == 404 ? "; it was removed meanwhile" :
		status == 409 && strstr(says, "unpause") ? "; it was paused meanwhile: start it once more" :
		status == 409 ? "; something else is done to it now: try again when that is over" :
		status == 403 ? "; an authorisation plugin of the engine says so" :
		strstr(says, "already in use") || strstr(says, "already allocated") ? "; key 2 names who holds it" : "";
	char end[180];

	say_why(text_of(says), end, sizeof end - strlen(helps) - 20);
	return err_set(err, ERR_SYSTEM, "HTTP %ld: %s%s", status, end, helps);
}

bool container_run(struct action_job *j, const char *path, struct err *err)
{
	struct buf body;
	char says[600];
	long status;
	struct wait limit = j->wait;
	struct err why = {0};
	bool fine;

	j->wait = wait_for(ANSWER_MS, limit.cancel);
	fine = ask(j, "POST", path, &status, &body, &why);
	j->wait = limit;
	docker_says(buf_text(&body), says);
	buf_free(&body);
	if (!fine && why.code == ERR_TIMEOUT)
		return err_set(err, ERR_TIMEOUT, "the engine accepts and does not answer for %d s: what was asked may still come about", ANSWER_MS / 1000);
	if (!fine)
		return err_set(err, why.code, "%s", why.words);
	if (status == 304)
		snprintf(j->result, sizeof j->result, "it was so already");
	return status == 204 || status == 304 || container_refused(status, says, err);
}
