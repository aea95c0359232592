// SPDX-License-Identifier: MIT
/* See run_log.h. Whole lines by O_APPEND: several laketops share it. A run whose end is missing runs, or was cut short. */
#include "run_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../format/secrets.h"
#include "json.h"

enum { TAIL_BYTES = 512 << 10, FILE_MAX = 2 << 20, LINE_BYTES = 16 << 10, PATH_SIZE = 520, SAME_START_MS = 1500, KEY_SIZE = 64 };

static const char *const phases[] = {[RUN_BEGINS] = "begin", [RUN_STEP] = "step", [RUN_STEP_DONE] = "done", [RUN_ENDS] = "end"};

/* ---- writing ---- */

static void put_variables(struct json_writer *w, struct ops *o, const struct action_wish *given)
{
	char value[VARIABLE_SIZE];

	json_open(w, "variables", '{');
	for (size_t i = 0; given && i < given->n_options; i++)
		if (given->options[i].name[0] != '-') {
			ops_mask(o, value, sizeof value, key_is_secret(text_of(given->options[i].name)) ? "***" : given->options[i].value);
			json_put_text(w, given->options[i].name, value);
		}
	json_close(w, '}');
}

static void put_line(struct buf *out, struct ops *o, const struct run_line *l)
{
	char words[ACTION_WORDS_SIZE], print[20];
	struct host *h = ops_host(o);
	struct json_writer w;

	json_begin(&w, out, false);
	json_open(&w, NULL, '{');
	json_put_time(&w, "at", clock_wall_ms());
	json_put_text(&w, "phase", phases[l->phase]);
	json_put_text(&w, "run", l->key);
	json_put_text(&w, "profile", l->profile->name);
	json_put_text(&w, "file", l->profile->place ? l->profile->place : "");
	json_put_text(&w, "runbook", l->book->name);
	json_put_i64(&w, "step", (int64_t)l->step + 1);
	json_put_i64(&w, "at_ms", clock_wall_ms());
	if (l->phase == RUN_BEGINS) {
		json_put_i64(&w, "steps", (int64_t)l->book->n_steps);
		snprintf(print, sizeof print, "%016llx", (unsigned long long)runbook_print(l->book));
		json_put_text(&w, "print", print);
		json_put_i64(&w, "pid", getpid());
		json_put_i64(&w, "pid_began_ms", h->began(h, getpid()));
		put_variables(&w, o, l->given);
	}
	if (l->phase == RUN_STEP_DONE || l->phase == RUN_ENDS)
		json_put_i64(&w, "ms", l->ms);
	if (l->phase == RUN_ENDS) {
		ops_mask(o, words, sizeof words, l->words);
		json_put_text(&w, "state", action_state_word(l->state));
		json_put_text(&w, "words", words);
	}
	json_close(&w, '}');
	buf_puts(out, "\n");
}

bool run_log_write(struct ops *o, const struct run_line *l, struct err *err)
{
	char path[PATH_SIZE], old[PATH_SIZE + 4];
	struct stat st;
	struct buf line;
	bool fine;
	int fd, why;

	snprintf(path, sizeof path, "%.500s/runs.jsonl", ops_state_dir(o));
	snprintf(old, sizeof old, "%s.1", path);
	if (l->phase == RUN_BEGINS && stat(path, &st) == 0 && st.st_size > FILE_MAX)
		rename(path, old);
	buf_init(&line, LINE_BYTES);
	put_line(&line, o, l);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
	fine = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !line.full && write(fd, line.at, line.len) == (ssize_t)line.len;
	why = errno;
	if (fd >= 0)
		close(fd);
	buf_free(&line);
	return fine || err_set(err, ERR_SYSTEM, "%s: cannot be written: %s", path, strerrordesc_np(why) ? strerrordesc_np(why) : "it is no plain file");
}

/* ---- reading ---- */

struct reading {
	struct host *host;
	const struct profile *profile;
	struct run_last *list;
	char (*keys)[KEY_SIZE];
	struct owner_of_run { int64_t pid, began; } *owners;
	size_t n, most;
};

static void text_of_json(char *out, size_t size, const struct json *j, const char *key)
{
	const char *s = json_string(json_get(j, key));

	text_clean(out, size, text_of(s ? s : ""));
}

static size_t size_of(const struct json *j, const char *key)
{
	int64_t n = 0;

	return json_i64(json_get(j, key), &n) && n >= 0 && n <= STEPS_MAX + 1 ? (size_t)n : 0;
}

static void begin_run(struct reading *r, size_t at, const struct json *j, const char *key)
{
	struct run_last *last = &r->list[at];
	const char *book = json_string(json_get(j, "runbook")), *print = json_string(json_get(j, "print"));
	const struct json *variables = json_get(j, "variables");

	*last = (struct run_last){.state = ACTION_OPEN, .print = print ? strtoull(print, NULL, 16) : 0};
	text_clean(last->book, sizeof last->book, text_of(book));
	text_copy(last->wish.verb, sizeof last->wish.verb, TEXT("run"));
	text_copy(last->wish.subject, sizeof last->wish.subject, text_of(last->book));
	for (const struct json *v = json_first(variables); v; v = json_next(v))
		if (json_string(v))
			wish_option_set(&last->wish, json_key(v), json_string(v));
	last->step = size_of(j, "step");
	last->n_steps = size_of(j, "steps");
	json_moment(json_get(j, "at_ms"), &last->begun);
	r->owners[at] = (struct owner_of_run){0};
	json_i64(json_get(j, "pid"), &r->owners[at].pid);
	json_i64(json_get(j, "pid_began_ms"), &r->owners[at].began);
	text_copy(r->keys[at], KEY_SIZE, text_of(key));
}

static void end_run(struct run_last *last, const struct json *j)
{
	const char *state = json_string(json_get(j, "state"));

	last->state = ACTION_FAILED;
	for (int s = ACTION_DONE; s <= ACTION_CANCELLED; s++)
		if (state && !strcmp(state, action_state_word((enum action_state)s)))
			last->state = (enum action_state)s;
	last->step = size_of(j, "step");
	json_moment(json_get(j, "at_ms"), &last->ended);
	text_of_json(last->words, sizeof last->words, j, "words");
}

static void read_run_line(struct reading *r, struct text line)
{
	struct json *j = json_parse(line, NULL);
	const char *phase = json_string(json_get(j, "phase")), *key = json_string(json_get(j, "run")), *book = json_string(json_get(j, "runbook")),
		*profile = json_string(json_get(j, "profile")), *file = json_string(json_get(j, "file"));
	bool ours = profile && r->profile->name && !strcmp(profile, r->profile->name) && /* old lines name no file */
		(!file || !strcmp(file, r->profile->place ? r->profile->place : ""));
	size_t at = 0;

	if (phase && key && book && ours && profile_runbook(r->profile, book)) {
		while (at < r->n && strcmp(r->list[at].book, book) != 0)
			at++;
		if (!strcmp(phase, phases[RUN_BEGINS]) && at < r->most) {
			begin_run(r, at, j, key);
			r->n += at == r->n;
		} else if (at < r->n && !strncmp(r->keys[at], key, KEY_SIZE - 1)) {
			if (!strcmp(phase, phases[RUN_ENDS]))
				end_run(&r->list[at], j);
			else
				r->list[at].step = size_of(j, "step") + !strcmp(phase, phases[RUN_STEP_DONE]);
		}
	}
	json_free(j);
}

static void read_tail(struct reading *r, const char *path)
{
	struct text rest, line;
	struct buf tail;

	buf_init(&tail, TAIL_BYTES);
	r->host->read_tail(r->host, path, TAIL_BYTES, &tail, NULL);
	rest = buf_text(&tail);
	while (text_line(&rest, &line))
		read_run_line(r, line);
	buf_free(&tail);
}

/* One whose process lives is at it; what has only its number by now is another program. */
static bool is_at_it(struct host *h, const struct owner_of_run *owner)
{
	int64_t began = owner->pid > 0 ? h->began(h, (pid_t)owner->pid) : 0;

	return began && llabs(began - owner->began) < SAME_START_MS;
}

size_t runbooks_last(struct host *h, const char *state_dir, const struct profile *p, struct run_last *out, size_t most)
{
	struct reading r = {.host = h, .profile = p, .list = out, .most = most};
	char path[PATH_SIZE], old[PATH_SIZE + 4];

	if (!state_dir || !most)
		return 0;
	r.keys = mem_new(most, sizeof *r.keys);
	r.owners = mem_new(most, sizeof *r.owners);
	snprintf(path, sizeof path, "%.500s/runs.jsonl", state_dir);
	snprintf(old, sizeof old, "%s.1", path);
	read_tail(&r, old);
	read_tail(&r, path);
	for (size_t i = 0; i < r.n; i++)
		if (out[i].state == ACTION_OPEN && is_at_it(h, &r.owners[i]))
			out[i].state = ACTION_RUNNING;
	free(r.keys);
	free(r.owners);
	return r.n;
}

const struct run_last *run_last_of(const struct run_last *list, size_t n, const char *book)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].book, book))
			return &list[i];
	return NULL;
}
