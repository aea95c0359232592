// SPDX-License-Identifier: MIT
/*
 * The commands that print and end: the same engine as the screen, judged for one round. What has
 * not answered by --within is unknown. Exit codes are report.h's. Main thread.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "keymap.h"
#include "log.h"
#include "mem.h"
#include "net.h"
#include "report.h"
#include "rows.h"
#include "run.h"
#include "service.h"
#include "tables_commands.h"
#include "terminal.h"
#include "theme.h"

enum { OUT_MAX = 64 << 20, TIMEOUT_MS = 60000, STOP_MS = 1000, LOG_LINES = 40, QUESTIONS_MAX = 64 };
enum { ROWS_STOP_MS = 1200 }; /* for the word to the server that it may stop */

/* Where the profile names what lag is about, nobody else is asked. */
static bool names_lag(const struct profile *profile)
{
	for (size_t i = 0; i < profile->n_services; i++)
		for (const char *const *kind = report_lag_kinds; *kind; kind++)
			if (profile->services[i].kind && !strcmp(profile->services[i].kind->name, *kind))
				return true;
	return false;
}

static bool is_about_tables(enum command command)
{
	return command == COMMAND_TABLES || command == COMMAND_TABLE || command == COMMAND_PLAN;
}

/* The catalogs of the profile are asked, and no service beside them. */
static const char *const nobody[] = {NULL};

struct engine_options engine_options_of(const struct setup *setup)
{
	const struct options *o = setup->options;
	bool lag = o->command == COMMAND_LAG && !o->replay && names_lag(setup->profile);
	bool tables = is_about_tables(o->command) && !o->replay, listed = tables && setup->profile->n_catalogs;

	return (struct engine_options){
		.host = setup->host, .profile = setup->profile, .demo = o->demo, .record = o->record, .replay = o->replay,
		.replay_speed = o->command == COMMAND_SCREEN ? 1 : 0, .state_dir = setup->state_dir, .headless = o->command != COMMAND_SCREEN,
		.discover = !o->service && !lag && !listed, .only = o->service, .only_kinds = lag ? report_lag_kinds : listed ? nobody : NULL,
		.tables = o->command == COMMAND_DOCTOR || tables,
		.read_only = o->read_only && !o->dry_run, .locked = o->locked && !o->dry_run, /* which changes nothing, and confirms nothing */
		/* a look at all processes takes longer than the whole question */
		.blind = lag || listed, .shallow = tables,
	};
}

void end_engine(struct engine *engine, int64_t ms, int code)
{
	if (engine_stop(engine, ms) == 0)
		return;
	/* a thread that hangs in a library must not keep the user */
	fflush(NULL);
	_exit(code);
}

/* ---- running until something holds ---- */

bool run_until(struct engine *engine, int64_t deadline, holds test, const void *ctx)
{
	const struct lake *lake = engine_lake(engine);

	for (;;) {
		struct pollfd p = {engine_fd(engine), POLLIN, 0};
		int64_t now, due;

		engine_turn(engine);
		if (test(lake, ctx))
			return true;
		now = clock_ms();
		if (now >= deadline)
			return false;
		due = engine_due(engine) < deadline ? engine_due(engine) : deadline;
		poll(&p, 1, due > now ? (int)(due - now) : 0);
	}
}

static bool settled(const struct lake *lake, const void *engine)
{
	return lake->replayed ? engine_replay_done(engine) : lake->settled;
}

static bool told_of_lag(const struct lake *lake, const void *engine)
{
	return lake->replayed ? engine_replay_done(engine) : report_lag_told(lake);
}

struct questions {
	struct report_question list[QUESTIONS_MAX];
	size_t n;
};

static bool all_answered(const struct lake *lake, const void *ctx)
{
	const struct questions *q = ctx;

	for (size_t i = 0; i < q->n; i++) {
		const struct service *s = lake_service(lake, q->list[i].service);

		if (s && !service_answer(s, q->list[i].view, q->list[i].subject))
			return false;
	}
	return true;
}

static int64_t deadline_of(const struct options *o)
{
	return clock_ms() + (o->within >= 0 ? o->within : WITHIN_MS);
}

struct wanted {
	const struct condition *conditions;
	const struct engine *engine;
};

static bool all_met(const struct lake *lake, const void *ctx)
{
	const struct condition *conditions = ((const struct wanted *)ctx)->conditions;

	for (size_t i = 0; conditions[i].service[0]; i++)
		if (!condition_met(lake, &conditions[i]))
			return false;
	return true;
}

static bool all_met_or_told(const struct lake *lake, const void *ctx)
{
	return all_met(lake, ctx) || engine_replay_done(((const struct wanted *)ctx)->engine);
}

/* ---- the commands ---- */

bool known_service(const struct setup *setup, const char *name)
{
	const char *names[256];
	const char *near;
	size_t n = 0;

	/* a recording brings its own profile; without one everything is found */
	if (!name || setup->options->replay || !setup->profile->name || profile_service(setup->profile, name))
		return true;
	for (size_t i = 0; i < setup->profile->n_services && n < 256; i++)
		names[n++] = setup->profile->services[i].name;
	near = options_nearest(name, names, n);
	fprintf(stderr, "laketop: profile %s has no service \"%s\"%s%s%s\n", setup->profile->name, name, near ? ": did you mean \"" : "", near ? near : "",
		near ? "\"?" : "");
	return false;
}

static bool known_names(const struct setup *setup)
{
	for (size_t i = 0; setup->options->command == COMMAND_CHECK && setup->options->names[i]; i++)
		if (!known_service(setup, setup->options->names[i]))
			return false;
	return known_service(setup, setup->options->service);
}

static int print_status(const struct setup *setup, struct engine *engine, struct buf *out)
{
	const struct options *o = setup->options;
	const struct report_options report = {.json = o->json, .tables = o->tables, .service = o->service};

	report_status(engine_lake(engine), &report, out);
	return (int)report_ready(engine_lake(engine));
}

static int print_check(const struct setup *setup, struct engine *engine, struct buf *out)
{
	for (size_t i = 0; setup->options->names[i]; i++)
		if (!lake_service(engine_lake(engine), setup->options->names[i])) {
			say_no_service(engine_lake(engine), setup->options->names[i], NULL);
			return EXIT_USAGE;
		}
	return (int)report_check(engine_lake(engine), setup->options->names[0] ? setup->options->names : NULL, out);
}

static int print_ports(const struct setup *setup, struct engine *engine, struct buf *out)
{
	const struct report_options report = {.json = setup->options->json};

	report_ports(engine_lake(engine), &report, out);
	return EXIT_READY;
}

static int print_events(const struct setup *setup, struct engine *engine, struct buf *out)
{
	(void)setup;
	report_events(engine_lake(engine), out);
	if (!engine_lake(engine)->n_events)
		fputs("laketop: no change is known of this profile: they are noted while laketop runs\n", stderr);
	return EXIT_READY;
}

static int print_lag(const struct setup *setup, struct engine *engine, struct buf *out)
{
	const struct options *o = setup->options;
	const struct report_options report = {.json = o->json, .service = o->service, .group = o->group};
	struct questions q;

	q.n = report_lag_questions(engine_lake(engine), &report, q.list, QUESTIONS_MAX);
	for (size_t i = 0; i < q.n; i++)
		engine_ask_view(engine, q.list[i].service, q.list[i].view, q.list[i].subject);
	if (!engine_lake(engine)->replayed)
		run_until(engine, deadline_of(o), all_answered, &q);
	return (int)report_lag(engine_lake(engine), &report, out);
}

static int print_spark(const struct setup *setup, struct engine *engine, struct buf *out)
{
	const struct report_options report = {.json = setup->options->json};

	return (int)report_spark(engine_lake(engine), &report, out);
}

static void print_cost(struct engine *engine, const char *name, struct buf *out)
{
	struct engine_cost cost = engine_cost(engine, name);
	char bytes[VALUE_TEXT_SIZE];

	if (cost.requests)
		buf_printf(out, "  %-24s %9u %10s\n", name, cost.requests, value_show(bytes, value_int((int64_t)cost.bytes), UNIT_BYTES));
}

static void print_costs(struct engine *engine, struct buf *out)
{
	const struct lake *lake = engine_lake(engine);
	struct engine_cost all = engine_cost(engine, NULL);
	char bytes[VALUE_TEXT_SIZE];

	buf_printf(out, "\nwhat this look cost them\n  %-24s %9s %10s\n", "SERVICE", "REQUESTS", "TRAFFIC");
	for (size_t i = 0; i < lake->n_services; i++)
		print_cost(engine, lake->services[i]->name, out);
	for (size_t i = 0; i < lake->n_catalogs; i++)
		if (!lake_service(lake, lake->catalogs[i].catalog->name)) /* a found one's are counted by the name that it has from its service */
			print_cost(engine, lake->catalogs[i].catalog->name, out);
	buf_printf(out, "  %-24s %9u %10s   by %u threads\n", "all", all.requests,
		value_show(bytes, value_int((int64_t)all.bytes), UNIT_BYTES), all.threads);
}

static void print_diary(struct buf *out)
{
	struct log_line lines[LOG_LINES];
	size_t n = log_read(lines, LOG_LINES);
	char time[CLOCK_TEXT];

	if (!n)
		return;
	buf_puts(out, "\nwhat laketop noted of itself\n");
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "  %s  %s: %s\n", clock_hms(time, lines[i].wall_ms), lines[i].source, lines[i].words);
	if (log_dropped())
		buf_printf(out, "  and %llu older lines\n", (unsigned long long)log_dropped());
}

static void print_terminal(struct buf *out)
{
	struct terminal_facts facts = terminal_facts();

	buf_printf(out, "\nterminal\n  TERM %s, %dx%d, %s, input %s, output %s\n", facts.name[0] ? facts.name : "(none)", facts.width, facts.height,
		facts.charset, facts.input ? "a terminal" : "no terminal", facts.output ? "a terminal" : "no terminal");
}

static int print_doctor(const struct setup *setup, struct engine *engine, struct buf *out)
{
	const struct profile *profile = setup->profile;

	report_versions(out);
	buf_printf(out, "  %s\n\nprofile\n  %s, %zu services, from %s\n", terminal_facts().version, profile->name ? profile->name : "none",
		profile->n_services, profile->path ? profile->path : "nowhere: everything is found");
	buf_printf(out, "  events are kept in %s\n", setup->state_dir ? setup->state_dir : "(nowhere: there is no home folder)");
	print_terminal(out);
	print_costs(engine, out);
	print_diary(out);
	return EXIT_READY;
}

static int run_reporting(const struct setup *setup, int (*print)(const struct setup *, struct engine *, struct buf *))
{
	const struct options *o = setup->options;
	struct engine_options options = engine_options_of(setup);
	int64_t deadline = deadline_of(o);
	struct err err = {0};
	struct engine *engine;
	struct buf out;
	int code;

	if (!known_names(setup) || (o->command == COMMAND_PLAN && !plan_action(o)))
		return EXIT_USAGE;
	engine = engine_start(&options, &err);
	if (!engine) {
		fprintf(stderr, "laketop: %s\n", err.words);
		return EXIT_USAGE;
	}
	run_until(engine, deadline, o->command == COMMAND_LAG ? told_of_lag : is_about_tables(o->command) ? tables_told : settled, engine);
	buf_init(&out, OUT_MAX);
	code = print(setup, engine, &out);
	fwrite(buf_text(&out).at, 1, out.len, stdout);
	fflush(stdout); /* main() says what could not be written */
	buf_free(&out);
	end_engine(engine, STOP_MS, code);
	return code;
}

static void say_missing(const struct lake *lake, const struct condition *conditions)
{
	for (size_t i = 0; conditions[i].service[0]; i++) {
		const struct service *s = lake_service(lake, conditions[i].service);

		if (!condition_met(lake, &conditions[i]))
			fprintf(stderr, "laketop: time is up: %s is %s%s%s%s%s\n", conditions[i].service, s ? verdict_word(s->verdict.shown.verdict) : "not known",
				s && s->verdict.shown.version[0] ? " " : "", s ? s->verdict.shown.version : "",
				s && s->verdict.shown.reason[0] ? ": " : "", s ? s->verdict.shown.reason : "");
	}
}

static int run_wait(const struct setup *setup)
{
	const struct options *o = setup->options;
	struct condition conditions[CONDITIONS_MAX + 1] = {0};
	struct engine_options options = engine_options_of(setup);
	int64_t deadline = clock_ms() + (o->timeout >= 0 ? o->timeout : TIMEOUT_MS);
	struct err err = {0};
	struct engine *engine = NULL;
	struct wanted wanted;
	bool met;

	for (size_t i = 0; o->conditions[i]; i++) {
		if (!condition_parse(o->conditions[i], &conditions[i], &err)) {
			fprintf(stderr, "laketop: --for %s: %s\n", o->conditions[i], err.words);
			return EXIT_USAGE;
		}
		if (!known_service(setup, conditions[i].service))
			return EXIT_USAGE;
	}
	engine = engine_start(&options, &err);
	if (!engine) {
		fprintf(stderr, "laketop: %s\n", err.words);
		return EXIT_USAGE;
	}
	wanted = (struct wanted){conditions, engine};
	/* a recording that has ended tells nothing more */
	run_until(engine, deadline, o->replay ? all_met_or_told : all_met, &wanted);
	met = all_met(engine_lake(engine), &wanted);
	if (!met)
		say_missing(engine_lake(engine), conditions);
	end_engine(engine, STOP_MS, met ? EXIT_READY : EXIT_TIME);
	return met ? EXIT_READY : EXIT_TIME;
}

static volatile sig_atomic_t interrupted;

static void on_end(int number)
{
	interrupted = number;
}

static bool rows_came(const struct lake *lake, const void *ctx)
{
	const struct report_rows *asked = ctx;
	const struct service *s = lake_service(lake, asked->service);

	return interrupted || (s && service_answer(s, ROWS_VIEW, asked->subject));
}

static bool engine_settled(const struct lake *lake, const void *ctx)
{
	(void)ctx;
	return interrupted || lake->settled;
}

static int print_rows(const struct setup *setup, struct engine *engine, const struct report_rows *asked)
{
	const struct report_options report = {.json = setup->options->json, .csv = setup->options->csv};
	struct buf out, notes;
	int code;

	buf_init(&out, OUT_MAX);
	buf_init(&notes, 4096);
	code = (int)report_rows(engine_lake(engine), &report, asked, &out, &notes);
	fwrite(buf_text(&out).at, 1, out.len, stdout);
	fflush(stdout); /* main() says what could not be written */
	for (struct text rest = buf_text(&notes), line; text_line(&rest, &line);)
		fprintf(stderr, "laketop: %.*s\n", (int)line.len, line.at);
	buf_free(&out);
	buf_free(&notes);
	return code;
}

/* Ctrl-C is heard, so that the engine can be told to stop what it runs for us. */
/* Two catalogs may have a table of that name, and only one an engine: which is meant is not for the engine to say. name is then
 * with its catalog's. False: said why, *code is the command's. */
static bool place_rows(const struct setup *setup, int64_t deadline, char *name, size_t room, int *code)
{
	const struct options *o = setup->options;
	struct engine_options options = engine_options_of(setup);
	struct engine *engine;
	struct err err = {0};
	bool placed;

	text_copy(name, room, text_of(o->names[0]));
	if (o->service || o->replay || setup->profile->n_catalogs < 2 || report_rows_catalog(setup->profile, name))
		return true;
	options.tables = options.blind = options.shallow = true;
	options.discover = false;
	options.only_kinds = nobody;
	engine = engine_start(&options, &err);
	if (!engine)
		return true; /* what is asked for says so, too */
	run_until(engine, deadline, tables_told, engine);
	placed = place_table(engine_lake(engine), o->names[0], name, room, code) || *code == EXIT_UNKNOWN;
	end_engine(engine, ROWS_STOP_MS, *code);
	return placed;
}

static int run_rows(const struct setup *setup)
{
	char name[512];
	const struct options *o = setup->options;
	struct sigaction ends = {.sa_handler = on_end};
	struct engine_options options = engine_options_of(setup);
	int64_t deadline = clock_ms() + (o->within >= 0 ? o->within : WITHIN_MS + ROWS_MS);
	struct report_rows asked;
	struct engine *engine = NULL;
	struct err err = {0};
	int code = EXIT_USAGE;

	if (!place_rows(setup, deadline, name, sizeof name, &code))
		return code;
	code = EXIT_USAGE;
	if (report_rows_ask(setup->profile, o->service, name, o->limit < 0 ? ROWS_USUAL : o->limit, &asked, &err)) {
		options.only = asked.service;
		options.discover = !profile_service(setup->profile, asked.service);
		options.shallow = true;
		engine = engine_start(&options, &err);
	}
	if (!engine) {
		fprintf(stderr, "laketop: %s\n", err.words);
		return code;
	}
	sigaction(SIGINT, &ends, NULL);
	sigaction(SIGTERM, &ends, NULL);
	if (options.discover) /* it has to be found first */
		run_until(engine, deadline, engine_settled, NULL);
	engine_ask_view(engine, asked.service, ROWS_VIEW, asked.subject);
	run_until(engine, deadline, rows_came, &asked);
	code = interrupted ? 128 + interrupted : print_rows(setup, engine, &asked);
	end_engine(engine, ROWS_STOP_MS, code);
	return code;
}

static int run_themes(const struct setup *setup)
{
	struct theme theme;

	for (size_t i = 0; theme_builtin(i); i++)
		if (theme_load(setup->host, theme_builtin(i), &theme, NULL))
			printf("%-8s %s%s\n", theme.name, theme.description, strcmp(theme.name, theme_default) != 0 ? "" : " (the default)");
	return EXIT_READY;
}

static int run_keys(const struct setup *setup)
{
	char keys[64];

	for (int act = ACT_UP; act < ACT_PANEL_0; act++)
		printf("%-20s %s\n", keymap_names(keys, sizeof keys, (enum act)act, true), act_info((enum act)act)->help);
	for (size_t i = 0; panels[i]; i++)
		if (panels[i]->key)
			printf("%-20c panel: %s\n", panels[i]->key, panels[i]->title);
	(void)setup;
	return EXIT_READY;
}

int command_run(const struct setup *setup)
{
	switch (setup->options->command) {
	case COMMAND_STATUS:
		return run_reporting(setup, print_status);
	case COMMAND_CHECK:
		return run_reporting(setup, print_check);
	case COMMAND_PORTS:
		return run_reporting(setup, print_ports);
	case COMMAND_EVENTS:
		return run_reporting(setup, print_events);
	case COMMAND_LAG:
		return run_reporting(setup, print_lag);
	case COMMAND_SPARK:
		return run_reporting(setup, print_spark);
	case COMMAND_TABLES:
		return run_reporting(setup, print_tables);
	case COMMAND_TABLE:
		return run_reporting(setup, print_table);
	case COMMAND_PLAN:
		return run_reporting(setup, print_plan);
	case COMMAND_ROWS:
		return run_rows(setup);
	case COMMAND_DOCTOR:
		return run_reporting(setup, print_doctor);
	case COMMAND_WAIT:
		return run_wait(setup);
	case COMMAND_START:
	case COMMAND_STOP:
	case COMMAND_RESTART:
	case COMMAND_DO:
		return act_run(setup);
	case COMMAND_RUN:
	case COMMAND_TESTDATA:
		return runbooks_run(setup);
	case COMMAND_ACTIONS:
		return actions_run(setup);
	case COMMAND_LOGS:
		return logs_run(setup);
	case COMMAND_THEMES:
		return run_themes(setup);
	case COMMAND_KEYS:
		return run_keys(setup);
	case COMMAND_SCREEN:
	case COMMAND_COUNT:
		break;
	}
	return EXIT_USAGE;
}
