// SPDX-License-Identifier: MIT
/*
 * Programs of the profile: a command of a runbook, and test data. Argv only, in the profile's folder and
 * environment; their last line is the progress, with a rate where it counts something. A cancel is
 * SIGTERM to all of their process group, then SIGKILL; done is an exit code of 0, which nothing else can tell.
 */
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops.h"
#include "runbook.h"

enum {
	COMMAND_MS = 600000, TESTDATA_MS = 3600000, GRACE_MS = 5000, LINE_SIZE = 400, TAIL_SIZE = 4096, PROGRESS_MS = 200, PATH_SIZE = 1024,
	DAYS_366 = 366, DAY_MS = 86400000,
};

struct work { /* what prepare found, for run */
	char **owned, **shown;     /* of a command: the argv is ours; and as it is shown */
	const char *const *argv;
	char program[PATH_SIZE];   /* argv[0], where it is no path from the root and a folder is gone to */
	const char *directory, *environment;
	int64_t limit_ms;
	bool whole;                /* its result is all that it said, not the last line */
};

static void free_work(void *state)
{
	struct work *w = state;

	free_words(w->owned);
	free_words(w->shown);
	free(w);
}

/* ---- what is there to be run ---- */

static const char *const testdata_words[] = {
	[TESTDATA_GENERATE] = "generate", [TESTDATA_LOAD] = "load", [TESTDATA_STREAM] = "stream", [TESTDATA_STATS] = "stats",
	[TESTDATA_CLEAN] = "clean",
};

static enum testdata_verb testdata_of(const char *verb)
{
	int i = 0;

	while (i < TESTDATA_COUNT - 1 && strcmp(testdata_words[i], verb) != 0)
		i++;
	return (enum testdata_verb)i;
}

static bool offer_testdata(const struct lake *lake, const struct action_wish *w, struct action_target *t, char why[200])
{
	*t = (struct action_target){.profile = lake->profile};
	if (strcmp(w->service, "testdata") != 0 || w->subject[0]) {
		snprintf(why, 200, "%s is for test data: laketop testdata %s", w->verb, w->verb);
		return false;
	}
	if (lake->profile && lake->profile->testdata.argv[testdata_of(w->verb)])
		return true;
	snprintf(why, 200, "the profile says no [testdata] %s = PROGRAM", w->verb);
	return false;
}

/* "BOOK:N" */
static const struct runbook *book_of(const struct profile *p, const struct action_wish *w, size_t *step)
{
	struct text book = text_until(text_of(w->subject), ':');
	char name[NAME_SIZE];
	const struct runbook *b;
	int64_t n;

	b = profile_runbook(p, text_copy(name, sizeof name, book));
	if (!b || !text_i64(text_after(text_of(w->subject), ':'), &n) || n < 1 || n > (int64_t)b->n_steps ||
		strcmp(b->steps[n - 1].words[0], "command") != 0)
		return NULL;
	*step = (size_t)n - 1;
	return b;
}

static bool offer_command(const struct lake *lake, const struct action_wish *w, struct action_target *t, char why[200])
{
	size_t step;

	*t = (struct action_target){.profile = lake->profile};
	if (lake->profile && book_of(lake->profile, w, &step))
		return true;
	snprintf(why, 200, "a command is a step of a runbook: \"step = command PROGRAM ...\" in [runbook NAME]");
	return false;
}

/* ---- prepare ---- */

static bool is_there(struct action_job *j, const char *path, bool folder, struct err *err)
{
	struct file_facts f;

	if (!path)
		return true;
	if (!j->host->stat(j->host, path, &f, err))
		return false;
	if (!f.exists || (folder && !f.is_directory))
		return err_set(err, ERR_SYSTEM, "%s: is %s", path, f.exists ? "no folder" : "not there");
	return true;
}

/* In words, without its secrets. */
static const char *folder_words(const struct action_job *j, const struct work *w, char out[201])
{
	return mask_copy(job_profile(j), out, 201, w->directory ? text_of(w->directory) : TEXT("this folder"), false);
}

static bool prepare_work(struct action_job *j, struct work *w, struct err *err)
{
	char folder[PATH_SIZE / 2], in[201], of[201], span[CLOCK_TEXT];
	const char *program = w->argv[0];

	snprintf(w->program, sizeof w->program, "%s", program);
	if (w->directory && strchr(program, '/') && program[0] != '/' && getcwd(folder, sizeof folder))
		snprintf(w->program, sizeof w->program, "%s/%.500s", folder, program);
	if ((strchr(program, '/') && !is_there(j, w->program, false, err)) || !is_there(j, w->directory, true, err) ||
		!is_there(j, w->environment, false, err))
		return false;
	argv_words(job_profile(j), w->shown ? (const char *const *)w->shown : w->argv, j->exact, sizeof j->exact);
	mask_copy(job_profile(j), of, sizeof of, text_of(w->environment), false);
	snprintf(j->effect, sizeof j->effect, "runs it in %s%s%s; ended after %s", folder_words(j, w, in), w->environment ? ", environment of " : "", of,
		clock_span(span, w->limit_ms));
	snprintf(j->verify, sizeof j->verify, "it ends with 0");
	return true;
}

static bool prepare_testdata(struct action_job *j, struct err *err)
{
	const struct testdata *t = &j->target.profile->testdata;
	enum testdata_verb verb = testdata_of(j->wish.verb);
	struct work *w = mem_new(1, sizeof *w);
	char in[201];

	j->state = w;
	*w = (struct work){
		.argv = t->argv[verb], .directory = t->directory, .environment = t->environment, .whole = verb == TESTDATA_STATS,
		.limit_ms = verb == TESTDATA_STREAM ? (int64_t)DAYS_366 * DAY_MS : t->limit_ms ? t->limit_ms : TESTDATA_MS,
	};
	if (!prepare_work(j, w, err))
		return false;
	if (verb == TESTDATA_STREAM) {
		snprintf(j->effect, sizeof j->effect, "runs it in %s until it is cancelled", folder_words(j, w, in));
		snprintf(j->verify, sizeof j->verify, "somebody cancels it");
	}
	return true;
}

static bool prepare_command(struct action_job *j, struct err *err)
{
	struct work *w = mem_new(1, sizeof *w);
	const struct runbook *b;
	size_t step = 0;

	j->state = w;
	b = book_of(j->target.profile, &j->wish, &step);
	w->owned = b ? runbook_argv(j->target.profile, b, step, &j->wish, false, err) : NULL;
	w->shown = b ? runbook_argv(j->target.profile, b, step, &j->wish, true, err) : NULL;
	if (!w->owned || !w->shown)
		return false;
	w->argv = (const char *const *)w->owned;
	w->directory = b->directory;
	w->environment = b->environment;
	w->limit_ms = b->limit_ms ? b->limit_ms : COMMAND_MS;
	return prepare_work(j, w, err);
}

/* ---- run ---- */

struct listening { /* to what it says */
	struct action_job *job;
	char line[LINE_SIZE + 1];
	size_t len;
	char last[LINE_SIZE];     /* the newest whole line that says something */
	char tail[TAIL_SIZE];     /* the newest lines */
	size_t tail_len;
	struct pace pace;
	double part;
	bool rated;
	int64_t told;
};

static void say_progress(struct listening *l)
{
	double rate = pace_rate(&l->pace);

	if (!l->last[0] || clock_ms() - l->told < PROGRESS_MS)
		return;
	l->told = clock_ms();
	if (isnan(rate) || l->rated)
		action_progress(l->job, l->part, "%s", l->last);
	else
		action_progress(l->job, l->part, "%s (%.0f %s/s)", l->last, rate, l->pace.unit);
}

/* Lines that are drawn anew in their place end with \r. */
static void end_line(struct listening *l)
{
	struct counter counter;
	struct text line;

	l->line[l->len] = '\0';
	mask_secrets(job_profile(l->job), l->line, sizeof l->line); /* its end may be cut off */
	l->len = 0;
	if (!text_trim(text_of(l->line)).len)
		return;
	line = text_of(said_words(job_profile(l->job), l->last, sizeof l->last, text_trim(text_of(l->line))));
	if (l->tail_len + line.len + 1 > sizeof l->tail) {
		size_t drop = line.len + 1 + l->tail_len - sizeof l->tail + sizeof l->tail / 4;
		const char *end;

		drop = drop < l->tail_len ? drop : l->tail_len;
		end = memchr(l->tail + drop, '\n', l->tail_len - drop);
		drop = end ? (size_t)(end - l->tail) + 1 : l->tail_len;
		memmove(l->tail, l->tail + drop, l->tail_len - drop);
		l->tail_len -= drop;
	}
	memcpy(l->tail + l->tail_len, line.at, line.len);
	l->tail_len += line.len;
	l->tail[l->tail_len++] = '\n';
	counter_read(line, &counter);
	pace_take(&l->pace, &counter, clock_ms());
	l->part = counter.part;
	l->rated = counter.rated;
}

static bool take(void *ctx, const char *bytes, size_t len)
{
	struct listening *l = ctx;

	for (size_t i = 0; i < len; i++) {
		if (bytes[i] == '\n' || bytes[i] == '\r')
			end_line(l);
		else if (l->len < LINE_SIZE && bytes[i])
			l->line[l->len++] = bytes[i];
	}
	say_progress(l);
	return true;
}

static void started(void *ctx, pid_t pid)
{
	struct listening *l = ctx;

	action_note(l->job, "pid %d", (int)pid);
}

/* As many of its last lines as fit, the first of them whole. */
static void tail_lines(const struct listening *l, char *out, size_t size)
{
	struct text all = text_trim((struct text){l->tail, l->tail_len});

	while (all.len >= size) {
		struct text after = text_after(all, '\n');

		if (!after.len)
			all = (struct text){all.at + all.len - size + 1, size - 1};
		else
			all = after;
	}
	text_copy(out, size, all);
}

static bool ended_well(struct action_job *j, const struct work *w, const struct listening *l, int status, struct err *err)
{
	double rate = pace_whole(&l->pace);
	char last[sizeof l->last];

	if (status != 0)
		last_lines(job_profile(j), (struct text){l->tail, l->tail_len}, j->last, sizeof j->last);
	if (status > 0)
		return err_set(err, ERR_SYSTEM, "%.100s ended with %d", w->argv[0], status);
	if (status < 0)
		return false;
	text_copy(last, sizeof last, text_of(l->last));
	if (w->whole)
		tail_lines(l, j->result, sizeof j->result);
	else if (!isnan(rate) && !l->rated)
		snprintf(j->result, sizeof j->result, "%s (%.0f %s/s)", last, rate, l->pace.unit);
	else
		snprintf(j->result, sizeof j->result, "%s", last);
	return true;
}

static bool run(struct action_job *j, struct err *err)
{
	struct work *w = j->state;
	struct listening *l = mem_new(1, sizeof *l);
	struct environment environment = {0};
	const char *argv[102] = {w->program};
	struct program program = {
		.what = {.argv = argv, .directory = w->directory}, .grace_ms = GRACE_MS, .started = started, .take = take, .ctx = l,
	};
	struct err why = {0};
	bool fine;

	for (size_t i = 1; i < 101 && w->argv[i]; i++)
		argv[i] = w->argv[i];
	l->job = j;
	l->part = (double)NAN;
	action_progress(j, (double)NAN, "running");
	fine = !w->environment || environment_read(j->host, w->environment, &environment, &why);
	if (fine) {
		int status;

		program.what.environment = (const char *const *)environment.list;
		status = j->host->run(j->host, &program, wait_for(w->limit_ms, j->wait.cancel), &why);
		if (l->len)
			end_line(l);
		j->fault = why.code == ERR_TIMEOUT ? FAULT_TIME : FAULT_NONE;
		fine = ended_well(j, w, l, status, &why);
	}
	environment_free(&environment);
	free(l);
	return fine || err_set(err, why.code, "%s", why.words);
}

#define TESTDATA(word, words, ...) \
	{.verb = word, .help = words, .on = ON_PROFILE, .limit_ms = (int64_t)DAYS_366 * DAY_MS, .offer = offer_testdata, \
		.prepare = prepare_testdata, .run = run, .free = free_work, __VA_ARGS__}
const struct action_spec action_generate = TESTDATA("generate", "make test data, by the program of [testdata]", .beside = false);
const struct action_spec action_load = TESTDATA("load", "put the test data into the lake", .beside = false);
const struct action_spec action_stream = TESTDATA("stream", "send test data until it is cancelled", .beside = false);
const struct action_spec action_stats = TESTDATA("stats", "how much test data there is", .beside = true);
const struct action_spec action_clean = TESTDATA("clean", "take the test data away", .destructive = true);

const struct action_spec action_command = {
	.verb = "command", .help = "a program that a step of a runbook names", .on = ON_PROFILE, .options = any_option,
	.limit_ms = (int64_t)DAYS_366 * DAY_MS, .offer = offer_command, .prepare = prepare_command, .run = run, .free = free_work,
};
