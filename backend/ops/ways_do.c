// SPDX-License-Identifier: MIT
/*
 * Start, stop, restart, done: what exactly is run is said by prepare and run by run, and while the verdict is awaited somebody watches
 * what was begun, so that one that ended at once is named with its last words, and not waited for. Worker.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../format/secrets.h"
#include "ops.h"
#include "ways.h"

enum { OUT_MAX = 64 << 10, LAST_LINES = 3, LAST_LINE = 160 };

void plan_push(struct plan *p, const char *word)
{
	if (p->n < WORDS_MAX)
		p->argv[p->n++] = word;
}

/* ---- words ---- */

/* Before it is quoted: a secret with a quote in it would not be found. */
static char *word_masked(const struct profile *p, const char *word, bool secret)
{
	size_t room = strlen(word) + 4;
	char *known = mem_new(room, 1), *masked;

	masked = argument_masked(text_of(mask_copy(p, known, room, text_of(word), false)), secret);
	free(known);
	return masked;
}

void argv_words(const struct profile *p, const char *const *argv, char *out, size_t size)
{
	struct arguments so_far = {0};
	size_t len = strlen(out);

	for (size_t i = 0; argv[i] && len + 4 < size; i++) {
		char *word = word_masked(p, argv[i], argument_is_secret(&so_far, text_of(argv[i])));
		bool plain = !strcmp(word, "***") || (argv[i][0] && !strpbrk(argv[i], " \t\n'\"\\$`*?;&|<>(){}[]~#!"));

		if (i)
			out[len++] = ' ';
		for (const char *at = word; !plain && len + 6 < size; at++) {
			const char *piece = at == word ? "'" : "";

			/* within single quotes only they themselves are special */
			len += (size_t)snprintf(out + len, size - len, *at == '\'' ? "%s'\\''" : *at ? "%s%c" : "%s'", piece, *at);
			if (!*at)
				break;
		}
		if (plain)
			len += (size_t)snprintf(out + len, size - len, "%s", word);
		if (len >= size)
			len = size - 1;
		free(word);
	}
}

char *said_words(const struct profile *p, char *out, size_t size, struct text line)
{
	size_t room = line.len * 3 + 4; /* a byte that is no text becomes three */
	char *known = mem_new(room, 1), *clean = mem_new(room, 1), *masked;

	mask_copy(p, known, room, line, false);
	masked = line_masked(text_of(text_clean(clean, room, text_of(known))));
	text_copy(out, size, text_of(masked));
	free(masked);
	free(clean);
	free(known);
	return out;
}

void say_why(struct text said, char *out, size_t size)
{
	struct text line, rest = text_trim(said);

	while (rest.len >= size && text_line(&rest, &line))
		if (!rest.len) { /* the last one, and too long */
			rest = line;
			break;
		}
	if (rest.len >= size)
		rest = (struct text){rest.at + rest.len - size + 1, size - 1};
	text_clean(out, size, rest);
}

/* Where an exception was thrown is in the log; what it says is above that. */
static bool is_frame(struct text line)
{
	return text_starts(line, "at ") || text_starts(line, "... ");
}

void last_lines(const struct profile *p, struct text log, char *out, size_t size)
{
	struct text line, kept[LAST_LINES] = {0};
	char words[LAST_LINE];
	size_t len = 0;

	while (text_line(&log, &line)) {
		line = text_trim(line);
		if (!line.len || is_frame(line))
			continue;
		memmove(kept, kept + 1, sizeof kept - sizeof *kept);
		kept[LAST_LINES - 1] = line;
	}
	out[0] = '\0';
	for (size_t i = 0; i < LAST_LINES && len + 1 < size; i++)
		if (kept[i].len) {
			snprintf(out + len, size - len, "%s%s", len ? "\n" : "", said_words(p, words, sizeof words, kept[i]));
			len += strlen(out + len);
		}
}

/* ---- what exactly ---- */

/* "docker compose", or the older program of its own: whichever is there. */
static bool push_compose(struct action_job *j, struct plan *p, struct err *err)
{
	static const char *const plugin[] = {"docker", "compose", "version", NULL}, *const own[] = {"docker-compose", "version", NULL};
	struct buf out;
	bool found = true;

	buf_init(&out, 4096);
	if (j->host->exec(j->host, plugin, &out, NULL, j->wait, NULL) == 0) {
		plan_push(p, "docker");
		plan_push(p, "compose");
	} else if (j->host->exec(j->host, own, &out, NULL, j->wait, NULL) == 0) {
		plan_push(p, "docker-compose");
	} else {
		found = false;
		err_set(err, ERR_SYSTEM, "neither \"docker compose\" nor docker-compose is installed: apt-get install docker-compose, or Docker's "
			"docker-compose-plugin");
	}
	buf_free(&out);
	return found;
}

static bool prepare_compose(struct action_job *j, struct plan *p, struct err *err)
{
	const struct expectation *x = j->target.expected;

	if ((x->compose_service ? x->compose_service : x->name)[0] == '-')
		return err_set(err, ERR_USAGE, "%.60s would be read as an option of compose", x->compose_service ? x->compose_service : x->name);
	if (!push_compose(j, p, err))
		return false;
	for (size_t i = 0; x->compose[i]; i++) {
		struct file_facts f;

		if (!j->host->stat(j->host, x->compose[i], &f, err) || !f.exists)
			return err_set(err, ERR_SYSTEM, "%s: is not there", x->compose[i]);
		plan_push(p, "-f");
		plan_push(p, x->compose[i]);
	}
	if (x->compose_project) {
		plan_push(p, "-p");
		plan_push(p, x->compose_project);
	}
	plan_push(p, "up");
	plan_push(p, "-d");
	plan_push(p, "--no-deps"); /* others are not made anew behind the user's back */
	plan_push(p, x->compose_service ? x->compose_service : x->name);
	snprintf(j->effect, sizeof j->effect, "makes and starts the container of %s; what it depends on is left as it is", x->name);
	return true;
}

static void prepare_container(struct action_job *j, struct plan *p)
{
	const char *what = p->doing == DOING_START ? (strcmp(j->target.container_state, "paused") ? "start" : "unpause") :
		p->doing == DOING_STOP ? "stop" : "restart";

	snprintf(p->path, sizeof p->path, "/containers/%.64s/%s%s", j->target.container, what, p->doing == DOING_START ? "" : "?t=20");
	snprintf(j->exact, sizeof j->exact, "POST %s\n(docker %s %s)", p->path, what, j->target.container_name);
	snprintf(j->effect, sizeof j->effect, "container %.80s, now %.15s%s", j->target.container_name, j->target.container_state,
		p->doing == DOING_START ? "; depends_on and changes of its compose file do not count" :
		"; it gets SIGTERM, and SIGKILL after 20 s");
}

static void say_verify(struct action_job *j, enum doing doing)
{
	const struct expectation *x = j->target.expected;

	if (doing == DOING_STOP)
		snprintf(j->verify, sizeof j->verify, "nobody listens on %u, and its process is gone", j->target.at.port);
	else
		snprintf(j->verify, sizeof j->verify, "%s serves%s%s on %u", j->wish.service, x && x->version ? " " : "",
			x && x->version ? x->version : "", j->target.at.port);
}

/* What would come of it for others stands last. */
static void say_others(struct action_job *j)
{
	size_t len = strlen(j->effect);

	if (j->target.others[0])
		snprintf(j->effect + len, sizeof j->effect - len, "; %s", j->target.others);
}

static bool prepare(struct action_job *j, struct plan *p, struct err *err)
{
	switch (p->way) {
	case WAY_CONTAINER:
		prepare_container(j, p);
		return true;
	case WAY_COMPOSE:
		return prepare_compose(j, p, err);
	case WAY_UNIT:
		return unit_prepare(j, p, err);
	case WAY_PROGRAM:
	case WAY_SIGNAL:
		program_prepare(j, p);
		return true;
	case WAY_NONE:
		break;
	}
	return err_set(err, ERR_USAGE, "nothing says how");
}

bool ways_prepare(struct action_job *j, struct err *err)
{
	struct plan *p = mem_new(1, sizeof *p);

	j->state = p;
	p->doing = doing_of(&j->wish);
	p->way = way_of(&j->target, p->doing);
	say_verify(j, p->doing);
	if (!prepare(j, p, err))
		return false;
	if (p->n)
		argv_words(job_profile(j), p->argv, j->exact, sizeof j->exact);
	say_others(j);
	return true;
}

/* ---- running ---- */

bool run_argv(struct action_job *j, const struct plan *p, struct err *err)
{
	struct buf out, errors;
	int status;

	buf_init(&out, OUT_MAX);
	buf_init(&errors, OUT_MAX);
	status = j->host->exec(j->host, p->argv, &out, &errors, j->wait, err);
	if (status > 0)
		last_lines(job_profile(j), errors.len ? buf_text(&errors) : buf_text(&out), j->last, sizeof j->last);
	buf_free(&out);
	buf_free(&errors);
	if (status > 0)
		err_set(err, ERR_SYSTEM, "%.60s ended with %d", p->argv[0], status);
	return status == 0;
}

bool ways_run(struct action_job *j, struct err *err)
{
	struct plan *p = j->state;

	p->began = clock_wall_ms();
	action_progress(j, (double)NAN, "%s", p->doing == DOING_STOP ? "stopping" : p->doing == DOING_START ? "starting" : "restarting");
	switch (p->way) {
	case WAY_CONTAINER:
		return container_run(j, p->path, err);
	case WAY_COMPOSE:
		return run_argv(j, p, err);
	case WAY_UNIT:
		return unit_run(j, p, err);
	case WAY_PROGRAM:
	case WAY_SIGNAL:
		return program_run(j, p, err);
	case WAY_NONE:
		break;
	}
	return err_set(err, ERR_USAGE, "nothing says how");
}

/* ---- watching what was begun ---- */

bool watch_goes_on(struct action_job *j, int64_t ms, struct err *err, bool *fine)
{
	*fine = wait_fd(wait_for(ms, j->wait.cancel), -1, 0) < 0; /* settled, or nobody waits any more */
	if (!*fine && wait_left(j->wait) == 0)
		err_set(err, ERR_TIMEOUT, "it does not serve after %d s", (int)(j->spec->verify_ms / 1000));
	return !*fine && wait_left(j->wait) > 0;
}

/* A container's name is made of these; what is not would be another path. */
static bool is_container_name(const char *name)
{
	return name && name[0] && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == strlen(name);
}

bool ways_watch(struct action_job *j, struct err *err)
{
	const struct plan *p = j->state;
	const struct expectation *x = j->target.expected;

	if (p->doing == DOING_STOP)
		return true;
	switch (p->way) {
	case WAY_CONTAINER:
		return container_watch(j, p, j->target.container, err);
	case WAY_COMPOSE:
		return !is_container_name(x->container) || container_watch(j, p, x->container, err);
	case WAY_UNIT:
		return unit_watch(j, p, err);
	case WAY_PROGRAM:
		return program_watch(j, p, err);
	case WAY_SIGNAL:
	case WAY_NONE:
		break;
	}
	return true;
}
