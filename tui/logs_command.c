// SPDX-License-Identifier: MIT
/*
 * "laketop logs": the timeline of one or many services on standard output. Without -f it ends when all was read;
 * with it, what is older comes first and in order, then each line as it comes. One log is printed as it is read. Main thread.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "json.h"
#include "logs.h"
#include "net.h"
#include "report.h"
#include "run.h"

enum { BYTES = 256 << 20, TAIL = 64 << 10, LOOK_MS = 250, FIND_MS = 8000, CLOSE_MS = 1000, LINE_BYTES = 2 << 20 };

struct printing {
	const struct setup *setup;
	struct logs *logs;
	enum log_level level;
	bool as_it_comes; /* one log is in order as it is */
	int width; /* of the words of sources */
	struct buf out;
	bool broken; /* nobody reads what we write */
	bool printed; /* something */
	sigset_t ends; /* signals that end us */
};

/* ---- whose log ---- */

/* Does somebody ask for what only a worker's list tells? */
static bool asks_for_parts(const struct setup *setup)
{
	for (size_t i = 0; setup->options->names[i]; i++)
		if (strstr(setup->options->names[i], "app-") || strstr(setup->options->names[i], "driver-"))
			return true;
	return false;
}

static bool looked(const struct lake *lake, const void *ctx)
{
	for (size_t i = 0; asks_for_parts(ctx) && i < lake->n_services; i++) {
		const struct service *s = lake->services[i];

		if (s->asking || (s->kind && !strncmp(s->kind->name, "spark-", 6) && s->verdict.shown.verdict == VERDICT_SERVING && !s->depth))
			return false;
	}
	return lake->settled && lake->docker_seen;
}

/* "logs/x.log", and not "spark-worker-41/app-1". */
static bool is_path(const char *name)
{
	const char *base = strrchr(name, '/');

	return base && base[1] && (name[0] == '/' || name[0] == '.' || access(name, F_OK) == 0);
}

static size_t add_named(const struct setup *setup, const struct lake *lake, const char *name, struct log_source *sources, size_t n)
{
	size_t had = n;

	n = log_sources_named(lake, name, sources, n, LOG_SOURCES_MAX);
	if (n > had || lake_service(lake, name))
		return n;
	if (is_path(name) && n < LOG_SOURCES_MAX && strlen(name) < sizeof sources->at) {
		sources[n].kind = LOG_FILE;
		text_copy(sources[n].at, sizeof sources[n].at, text_of(name));
		text_clean(sources[n].service, sizeof sources[n].service, text_of(strrchr(name, '/') + 1));
		return n + 1;
	}
	if (!strcmp(name, "laketop") && setup->state_dir && n < LOG_SOURCES_MAX) {
		sources[n].kind = LOG_EVENTS;
		text_copy(sources[n].service, sizeof sources[n].service, text_of(name));
		snprintf(sources[n].at, sizeof sources[n].at, "%.240s/events.jsonl", setup->state_dir);
		return n + 1;
	}
	return n;
}

/* whole: of "all" each has to have one. */
static size_t add_all(const struct setup *setup, const struct lake *lake, struct log_source *sources, const char **without, bool whole)
{
	struct log_source one;
	size_t n = 0;

	*without = NULL;
	for (size_t i = 0; setup->options->names[i]; i++) {
		const char *name = setup->options->names[i];
		size_t had = n;

		if (!strcmp(name, "all"))
			for (size_t k = 0; k < lake->n_services; k++) {
				n = log_sources_of(lake, lake->services[k], sources, n, LOG_SOURCES_MAX);
				if (whole && !log_sources_of(lake, lake->services[k], &one, 0, 1))
					*without = name;
			}
		else
			n = add_named(setup, lake, name, sources, n);
		if (n == had && !log_sources_named(lake, name, &one, 0, 1)) /* two names may share a source */
			*without = name;
	}
	return n;
}

/* By the profile; where that is silent, by who runs it. */
static size_t find_sources(const struct setup *setup, struct log_source *sources, const char **without, char why[240])
{
	struct engine_options options = engine_options_of(setup);
	struct lake *first = first_lake(setup);
	struct engine *engine;
	struct err err = {0};
	size_t n = add_all(setup, first, sources, without, true);

	first_free(first);
	if (!*without)
		return n;
	why[0] = '\0';
	engine = engine_start(&options, &err);
	if (!engine)
		return n;
	run_until(engine, clock_ms() + FIND_MS, looked, setup);
	n = add_all(setup, engine_lake(engine), sources, without, false);
	if (*without)
		log_sources_why(engine_lake(engine), *without, why);
	engine_stop(engine, CLOSE_MS);
	return n;
}

static int say_without(const struct setup *setup, const char *name, const char *why)
{
	bool part = strchr(name, '/') || !strncmp(name, "app-", 4) || !strncmp(name, "driver-", 7);

	if (!part && !known_service(setup, name))
		return EXIT_USAGE;
	fprintf(stderr, "laketop: %s\n", why);
	return part || !profile_service(setup->profile, name) ? EXIT_USAGE : EXIT_UNKNOWN; /* the name was right */
}

/* ---- printing ---- */

static void put_json(struct printing *p, const struct log_entry *e)
{
	const struct log_source *source = logs_source(p->logs, e->source);
	struct json_writer w;

	json_begin(&w, &p->out, false);
	json_open(&w, NULL, '{');
	json_put_time(&w, "at", e->at);
	json_put_bool(&w, "stamped", e->stamped);
	json_put_text(&w, "service", source->service);
	json_put_text(&w, "source", log_kind_word(source->kind));
	json_put_text(&w, "where", source->at);
	json_put_text(&w, "level", e->level ? log_level_word(e->level) : NULL);
	json_put_i64(&w, "lines", e->lines);
	json_put_i64(&w, "cut", (int64_t)e->cut);
	json_put_text(&w, "text", e->text);
	json_close(&w, '}');
	buf_puts(&p->out, "\n");
}

static void put_text(struct printing *p, const struct log_entry *e)
{
	struct text rest = {e->text, e->len}, line;
	char time[CLOCK_TEXT];
	bool first = true;

	while (text_line(&rest, &line)) {
		buf_printf(&p->out, "%-*s %-5s %s%s%.*s\n", p->width, logs_source(p->logs, e->source)->service, first ? log_level_word(e->level) : "",
			first && !e->stamped ? clock_hms(time, e->at) : "", first && !e->stamped ? " " : "", (int)line.len, line.at);
		first = false;
	}
	if (e->cut)
		buf_printf(&p->out, "%-*s       (%zu more bytes)\n", p->width, "", e->cut);
}

/* A folder's files become sources while it is read. */
static void measure(struct printing *p)
{
	for (size_t i = 0; i < logs_sources(p->logs); i++)
		if ((int)strlen(logs_source(p->logs, i)->service) > p->width)
			p->width = (int)strlen(logs_source(p->logs, i)->service);
}

/* A write waits for who reads; nobody may have to wait for that to end us. */
static void leave(int number)
{
	_exit(128 + number);
}

static void print_taken(struct printing *p)
{
	measure(p);
	pthread_sigmask(SIG_UNBLOCK, &p->ends, NULL);
	for (size_t i = 0; i < logs_count(p->logs) && !p->broken; i++) {
		const struct log_entry *e = logs_get(p->logs, i);

		buf_reset(&p->out);
		p->setup->options->json ? put_json(p, e) : put_text(p, e);
		p->printed = true;
		p->broken = fwrite(p->out.at, 1, p->out.len, stdout) != p->out.len;
	}
	logs_forget(p->logs);
	p->broken = fflush(stdout) != 0 || p->broken;
	pthread_sigmask(SIG_BLOCK, &p->ends, NULL);
}

static int signals_of_end(struct printing *p)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = leave}, before;

	sigemptyset(&p->ends);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		sigaction(ends[i], NULL, &before);
		if (ends[i] != SIGHUP || before.sa_handler != SIG_IGN) /* nohup wants it so */
			sigaddset(&p->ends, ends[i]);
	}
	pthread_sigmask(SIG_BLOCK, &p->ends, NULL);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (sigismember(&p->ends, ends[i]))
			sigaction(ends[i], &action, NULL);
	return signalfd(-1, &p->ends, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* Until all is read, or without end; the number of the signal that ended it. */
static int print_all(struct printing *p, int news, int signals)
{
	struct signalfd_siginfo info;
	uint64_t count;
	bool over = false;

	while (!p->broken) {
		struct pollfd fds[] = {{news, POLLIN, 0}, {signals, POLLIN, 0}, {STDOUT_FILENO, 0, 0}};

		over = logs_over(p->logs); /* asked before the last of it is taken */
		logs_turn(p->logs);
		if ((p->as_it_comes && logs_sources(p->logs) == 1) || (p->setup->options->follow ? logs_caught_up(p->logs) : over))
			print_taken(p);
		if (over)
			return 0;
		poll(fds, 3, LOOK_MS);
		if (read(news, &count, sizeof count) < 0 && errno != EAGAIN)
			return 0;
		if (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
			return (int)info.ssi_signo;
		if (fds[2].revents & (POLLERR | POLLHUP))
			return 0;
	}
	return 0;
}

/* False: of none of them anything could be read. */
static bool say_what_is_missing(const struct printing *p)
{
	size_t n = 0;
	char words[200];

	for (size_t i = 0; i < logs_sources(p->logs); i++) {
		logs_words(p->logs, i, words);
		n += words[0] != '\0';
		if (words[0])
			fprintf(stderr, "laketop: %s (%s): %s\n", logs_source(p->logs, i)->service, log_kind_word(logs_source(p->logs, i)->kind), words);
	}
	if (logs_gone(p->logs))
		fprintf(stderr, "laketop: %llu older lines are left out: they are more than memory should hold; --since a later time\n",
			(unsigned long long)logs_gone(p->logs));
	return p->printed || n < logs_sources(p->logs);
}

static void tell(void *ctx)
{
	static const uint64_t one = 1;

	if (write(*(const int *)ctx, &one, sizeof one) < 0)
		return; /* it is full of news already */
}

static int run(struct printing *p, const struct log_source *sources, size_t n)
{
	const struct options *o = p->setup->options;
	int signals = signals_of_end(p), news = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), ended;
	bool any;
	int64_t since;

	p->as_it_comes = n == 1 && sources[0].kind != LOG_CONTAINER && sources[0].kind != LOG_WORKER; /* they have two streams */
	/* who looks for something wants to find it, however long ago */
	since = o->since ? o->since : !o->follow && (o->match || p->level >= LOG_WARN) ? 1 : 0;
	p->logs = logs_open(&(struct log_options){.host = p->setup->host, .sources = sources, .n = n, .since = since,
		.match = o->match, .least = p->level, .tail = TAIL, .follow = o->follow,
		.patient = true, .bytes = BYTES, .news = tell, .ctx = &news});
	ended = print_all(p, news, signals);
	any = say_what_is_missing(p);
	logs_close(p->logs, CLOSE_MS);
	close(news);
	close(signals);
	return ended ? 128 + ended : any ? EXIT_READY : EXIT_UNKNOWN;
}

int logs_run(const struct setup *setup)
{
	const struct options *o = setup->options;
	struct printing p = {.setup = setup};
	struct log_source sources[LOG_SOURCES_MAX];
	struct log_match *match = NULL;
	const char *without;
	struct err err = {0};
	char why[240];
	size_t n;
	int code;

	if (o->level && !log_level_named(text_of(o->level), &p.level)) {
		fprintf(stderr, "laketop: --level %s: expected trace, debug, info, warn, error or fatal\n", o->level);
		return EXIT_USAGE;
	}
	if (o->match && !(match = log_match_new(o->match, &err))) {
		fprintf(stderr, "laketop: --match %s\n", err.words);
		return EXIT_USAGE;
	}
	log_match_free(match);
	n = find_sources(setup, sources, &without, why);
	if (without) {
		code = say_without(setup, without, why);
	} else {
		buf_init(&p.out, LINE_BYTES);
		code = run(&p, sources, n);
		buf_free(&p.out);
	}
	return code;
}
