// SPDX-License-Identifier: MIT
/*
 * Actions from the command line: the same wishes as the keys, through the same gate. What it would do
 * is printed; it runs after --yes, or a yes on the terminal. Exit codes: 0 done, 1 not done, 2 the wish is
 * wrong, 3 what it needs to know cannot be known, 4 refused: nobody said yes, or nothing may be changed.
 */
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "log.h"
#include "net.h"
#include "order.h"
#include "panel.h"
#include "report.h"
#include "run.h"
#include "runbook.h"
#include "service.h"

enum {
	TRIES = 5, LOOK_MS = 8000, TABLES_MS = 20000, PREPARE_MS = 40000, PREPARE_RUN_MS = 600000,
	SAY_MS = 1000, CANCEL_MS = 60000, STOP_MS = 1000, OPEN_MOST = 64,
};
static const int64_t over_ms = (int64_t)366 * 86400000; /* each has its own limit */

static const struct action_shown *shown_of(const struct lake *lake, uint64_t id)
{
	for (size_t i = 0; i < lake->n_actions; i++)
		if (lake->actions[i].id == id)
			return &lake->actions[i];
	return NULL;
}

/* What is said while it goes on: each new line once. */
struct watch {
	uint64_t id;
	char said[ACTION_WORDS_SIZE];
	int64_t say_next; /* clock_ms(): what a program of the profile says may come often */
	size_t steps;     /* of a run: how many were told */
};

/* Ctrl-C, kill and a terminal that goes end the watching, not the thing: the audit then says that nobody waited for it. */
static volatile sig_atomic_t told_to_end;

static void take_signal(int number)
{
	told_to_end = number;
}

static void listen_to_signals(void)
{
	struct sigaction action = {.sa_handler = take_signal}, before; /* without SA_RESTART: a wait ends */

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, NULL, &before);
	if (before.sa_handler != SIG_IGN) /* nohup wants it so */
		sigaction(SIGHUP, &action, NULL);
}

/* tables: the catalogs, too, where every table has to be known. */
static bool is_looked_at(const struct lake *lake, const void *tables)
{
	return lake->settled && lake->facts && lake->docker_seen && (!tables || report_tables_told(lake));
}

static bool is_on_tables(const struct setup *setup)
{
	return setup->options->command == COMMAND_DO && setup->options->names[0] && action_spec_of(setup->options->names[0], ON_TABLE);
}

static bool is_offered(const struct lake *lake, const void *ctx)
{
	const struct action_shown *a = shown_of(lake, ((const struct watch *)ctx)->id);

	return !a || a->state != ACTION_PREPARING || told_to_end;
}

static void say_steps(const struct lake *lake, struct watch *w)
{
	const struct run_shown *run = lake_run(lake, w->id);

	for (; run && w->steps < run->n_steps && run->steps[w->steps].stage != STAGE_AHEAD && run->steps[w->steps].stage != STAGE_RUNS; w->steps++)
		print_run_step(run, w->steps);
}

static bool is_over(const struct lake *lake, const void *ctx)
{
	struct watch *w = *(struct watch *const *)ctx;
	const struct action_shown *a = shown_of(lake, w->id);

	say_steps(lake, w);
	if (a && !action_is_over(a->state) && strcmp(w->said, a->words) != 0 && clock_ms() >= w->say_next) {
		w->say_next = clock_ms() + (action_spec_of(a->wish.verb, ON_PROFILE) ? SAY_MS : 0);
		text_copy(w->said, sizeof w->said, text_of(a->words));
		printf("  %s: %s\n", action_state_word(a->state), a->words);
		fflush(stdout);
	}
	return !a || action_is_over(a->state);
}

static bool is_over_or_ended(const struct lake *lake, const void *ctx)
{
	return is_over(lake, ctx) || told_to_end;
}

static void print_indented(const char *label, const char *s)
{
	struct text rest = text_of(s), line;

	for (int n = 0; text_line(&rest, &line); n++)
		if (line.len)
			printf("  %-8s %.*s\n", n ? "" : label, (int)line.len, line.at);
}

static bool agreed(const struct setup *setup)
{
	char answer[16] = "";

	if (setup->options->yes)
		return true;
	if (!isatty(STDIN_FILENO)) {
		fprintf(stderr, "laketop: nothing was done: --yes runs it\n");
		return false;
	}
	printf("run it? [y/N] ");
	fflush(stdout);
	return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

/* What it is, to the letter. */
static void print_offer(const struct lake *lake, const struct action_shown *a)
{
	const struct run_shown *run = lake_run(lake, a->id);
	char limit[ACTION_LIMIT_SIZE];

	if (run)
		print_run_offer(run);
	else {
		printf("%s\n", a->title);
		print_indented("runs", a->exact);
		print_indented("effect", a->effect);
		print_indented("done", a->verify);
		print_indented("limit", action_limit(a, limit));
	}
	fflush(stdout);
}

/* Nothing may be changed; the wish is wrong; the world is, or what had to be known of it could not be. */
static int code_of_refusal(const struct lake *lake, const struct action_wish *wish, enum err_code why)
{
	if (lake->locked || lake->replayed)
		return EXIT_REFUSED;
	if (why == ERR_USAGE)
		return EXIT_USAGE;
	return why == ERR_SYSTEM && !action_spec_of(wish->verb, ON_TABLE) ? EXIT_NOT_READY : EXIT_UNKNOWN;
}

/* Prepared, and waiting for a yes. 0: it said why not, and code is the command's. */
static uint64_t offered(const struct setup *setup, struct engine *engine, const struct action_wish *wish, int *code)
{
	const struct lake *lake = engine_lake(engine);
	const struct action_shown *a;
	struct watch watch = {0};
	struct err err = {0};

	watch.id = engine_wish(engine, wish, &err);
	if (!watch.id && !lake->locked && !lake->replayed && action_is_so_already(lake, wish)) {
		printf("%s %s %s: %s\n", wish->verb, wish->service, wish->subject, err.words);
		*code = EXIT_READY;
		return 0;
	}
	if (!watch.id) {
		*code = code_of_refusal(lake, wish, err.code);
		fprintf(stderr, "laketop: %s %s%s%s: %s\n", wish->verb, wish->service, wish->service[0] && wish->subject[0] ? " " : "", wish->subject, err.words);
		return 0;
	}
	run_until(engine, clock_ms() + (setup->options->command == COMMAND_RUN ? PREPARE_RUN_MS : PREPARE_MS), is_offered, &watch);
	a = shown_of(lake, watch.id);
	if (a && a->state == ACTION_OFFERED) {
		print_offer(lake, a);
		return watch.id;
	}
	if (a && a->state == ACTION_NEEDLESS) {
		printf("%s: %s\n", a->title, a->words);
		fflush(stdout);
		*code = EXIT_READY;
		return 0;
	}
	fprintf(stderr, "laketop: %s: %s\n", a ? a->title : wish->verb, a ? a->words : "it is gone");
	*code = told_to_end ? 128 + told_to_end : code_of_refusal(lake, wish, !a || a->state == ACTION_PREPARING ? ERR_TIMEOUT :
		a->because ? a->because : ERR_USAGE);
	engine_drop(engine, watch.id);
	return 0;
}

static int code_of(const struct action_shown *a)
{
	static const int codes[] = {[FAULT_NONE] = EXIT_NOT_READY, [FAULT_DISAGREES] = EXIT_DISAGREES, [FAULT_TIME] = EXIT_TIME};

	return !a ? EXIT_NOT_READY : action_went_well(a->state) ? EXIT_READY : codes[a->fault];
}

/* Until it is over. again: the same may do better. */
static int watch_one(struct engine *engine, uint64_t id, bool *again)
{
	const struct lake *lake = engine_lake(engine);
	struct watch watch = {.id = id}, *watched = &watch;
	const struct action_shown *a;

	run_until(engine, clock_ms() + over_ms, is_over_or_ended, &watched);
	a = shown_of(lake, id);
	if (a && !action_is_over(a->state)) { /* what was begun elsewhere may have to be told, and what became of it is heard */
		engine_drop(engine, id);
		run_until(engine, clock_ms() + CANCEL_MS, is_over, &watched);
	}
	a = shown_of(lake, id);
	printf("  %s%s%s\n", a ? action_state_word(a->state) : "gone", a && a->words[0] ? ": " : "", a ? a->words : "");
	fflush(stdout);
	*again = a && a->state == ACTION_FAILED && a->again;
	if (told_to_end)
		return 128 + told_to_end;
	return code_of(a);
}

/* Asks, and runs it. False: it never began, and code says why. */
static bool run_one(const struct setup *setup, struct engine *engine, const struct action_wish *wish, bool *again, int *code)
{
	uint64_t id = offered(setup, engine, wish, code);
	struct err err = {0};

	if (!id)
		return false;
	if (setup->options->dry_run || !agreed(setup)) {
		engine_drop(engine, id);
		*code = setup->options->dry_run ? EXIT_READY : EXIT_REFUSED;
		return false;
	}
	if (!engine_confirm(engine, id, &err)) {
		fprintf(stderr, "laketop: %s\n", err.words);
		*code = EXIT_REFUSED;
		return false;
	}
	engine_turn(engine);
	*code = watch_one(engine, id, again);
	return true;
}

int act_on_wish(const struct setup *setup, struct engine *engine, const struct action_wish *wish)
{
	bool again = true;
	int code = EXIT_USAGE;

	listen_to_signals();
	for (int tries = setup->options->retry ? TRIES : 1; again && tries > 0; tries--)
		if (!run_one(setup, engine, wish, &again, &code))
			return code;
	if (again)
		fprintf(stderr, "laketop: it can be tried again%s\n", setup->options->retry ? "" : "; --retry does");
	return code;
}

/* One question for all of them; one after another. What cannot be done to one is said, and is no failure of the others. */
static int act_on_many(const struct setup *setup, struct engine *engine, const struct action_wish *wishes, size_t n)
{
	uint64_t ids[ACTION_MARKS_MAX];
	struct err err = {0};
	size_t n_ids = 0, refused = 0;
	int code = EXIT_READY, one = EXIT_USAGE;
	bool again;

	listen_to_signals();
	for (size_t i = 0; i < n && !told_to_end; i++) {
		if ((ids[n_ids] = offered(setup, engine, &wishes[i], &one)) != 0)
			n_ids++;
		else if (one != EXIT_READY) { /* there may be nothing to do */
			code = one;
			refused++;
		}
	}
	if (!n_ids || told_to_end || !agreed(setup)) {
		for (size_t i = 0; i < n_ids; i++)
			engine_drop(engine, ids[i]);
		return told_to_end ? 128 + told_to_end : n_ids ? EXIT_REFUSED : code;
	}
	code = EXIT_READY;
	if (!engine_confirm_all(engine, ids, n_ids, setup->options->keep_going, &err)) {
		fprintf(stderr, "laketop: %s\n", err.words);
		return EXIT_REFUSED;
	}
	engine_turn(engine);
	for (size_t i = 0; i < n_ids; i++) {
		const struct action_shown *a = shown_of(engine_lake(engine), ids[i]);

		printf("%zu of %zu: %s\n", i + 1, n_ids, a ? a->title : "gone");
		one = watch_one(engine, ids[i], &again);
		code = one == EXIT_READY ? code : one;
	}
	return refused && code == EXIT_READY ? EXIT_NOT_READY : code;
}

/* ---- start all, stop spark ---- */

void say_no_service(const struct lake *lake, const char *name, const char *version)
{
	const char *names[256], *near;
	size_t n = 0;

	while (n < lake->n_services && n < sizeof names / sizeof *names) {
		names[n] = lake->services[n]->name;
		n++;
	}
	near = options_nearest(name, names, n);
	fprintf(stderr, "laketop: there is no service \"%s\"%s%s%s%s%s\n", name, version ? " of version " : "", version ? version : "",
		near ? ": did you mean \"" : ": \"laketop status\" lists them", near ? near : "", near ? "\"?" : "");
}

/* Then that is said, and is no failure. */
static bool is_so_already(const struct lake *lake, const char *verb, const char *name)
{
	const struct service *s = lake_service(lake, name);

	if (s && !order_needs_nothing(lake, s, verb))
		return false;
	printf("%s %s: %s already\n", verb, name, s ? verdict_word(s->verdict.shown.verdict) : "gone");
	return true;
}

static int act_on_services(const struct setup *setup, struct engine *engine)
{
	const struct options *o = setup->options;
	const struct lake *lake = engine_lake(engine);
	struct order order = {.n = 0};
	char names[256][NAME_SIZE];
	int code = EXIT_READY;

	for (size_t i = 0; o->names[i]; i++) {
		size_t before = order.n;

		order_add(&order, lake, o->names[i], o->version_wanted, o->command == COMMAND_START);
		if (order.n == before && (o->version_wanted || !lake_service(lake, o->names[i]))) {
			if (!o->version_wanted && !strcmp(o->names[i], "all")) {
				fprintf(stderr, "laketop: no profile says what \"all\" is: --profile names one\n");
				return EXIT_USAGE;
			}
			say_no_service(lake, o->names[i], o->version_wanted);
			return EXIT_USAGE;
		}
	}
	if (o->command == COMMAND_STOP)
		order_reverse(&order, lake);
	for (size_t i = 0; i < order.n; i++) /* rows may move while we wait */
		text_copy(names[i], sizeof names[i], text_of(order.list[i]->name));
	for (size_t i = 0; i < order.n && code == EXIT_READY; i++) {
		struct action_wish wish = {0};

		if (is_so_already(lake, command_specs[o->command].name, names[i]))
			continue;
		text_copy(wish.verb, sizeof wish.verb, text_of(command_specs[o->command].name));
		text_copy(wish.service, sizeof wish.service, text_of(names[i]));
		code = act_on_wish(setup, engine, &wish);
	}
	return code;
}

/* A name may hold an equals sign, and an option's name stands before it. */
static bool is_option(const char *word)
{
	size_t len = strspn(word, "abcdefghijklmnopqrstuvwxyz_");

	return len > 0 && word[len] == '=';
}

/* "do VERB SERVICE [SUBJECT...] [name=value...]" */
static int act_on_words(const struct setup *setup, struct engine *engine)
{
	const char *const *names = setup->options->names;
	struct action_wish *wishes = mem_new(ACTION_MARKS_MAX, sizeof *wishes), *wish = &wishes[0];
	size_t n = 0, subjects;
	int code = EXIT_USAGE;

	for (; *names; names++) {
		char name[ACTION_VERB_SIZE];

		if (is_option(*names) && n >= 2) {
			if (!wish_option_set(wish, text_copy(name, sizeof name, text_until(text_of(*names), '=')), strchr(*names, '=') + 1)) {
				fprintf(stderr, "laketop: %s: too long, or one option too many\n", *names);
				free(wishes);
				return EXIT_USAGE;
			}
			continue;
		}
		if (n == 0)
			text_copy(wish->verb, sizeof wish->verb, text_of(*names));
		else if (n == 1)
			text_copy(wish->service, sizeof wish->service, text_of(*names));
		else if (n - 2 < ACTION_MARKS_MAX)
			text_copy(wishes[n - 2].subject, sizeof wish->subject, text_of(*names));
		n++;
	}
	subjects = n < 2 ? 0 : n - 2;
	for (size_t i = 1; i < subjects && i < ACTION_MARKS_MAX; i++) {
		struct action_wish one = *wish;

		memcpy(one.subject, wishes[i].subject, sizeof one.subject);
		wishes[i] = one;
	}
	if (n == 2 && lake_service(engine_lake(engine), wish->service) && is_so_already(engine_lake(engine), wish->verb, wish->service))
		code = EXIT_READY;
	else if (n >= 2 && subjects <= 1)
		code = act_on_wish(setup, engine, wish);
	else if (n >= 2 && subjects <= ACTION_MARKS_MAX)
		code = act_on_many(setup, engine, wishes, subjects);
	free(wishes);
	return code;
}

/* ---- which verbs there are ---- */

static int print_verbs(void)
{
	puts("laketop do VERB SERVICE [SUBJECT...] [name=value...]; verbs:");
	for (size_t i = 0; action_specs[i]; i++)
		if (action_specs[i]->on != ON_PROFILE) /* they have commands of their own */
			printf("  %-17s %-11s  %s%s\n", action_specs[i]->verb, action_on_word(action_specs[i]->on),
				action_specs[i]->never ? "cannot: " : "", action_specs[i]->never ? action_specs[i]->never : action_specs[i]->help);
	return EXIT_READY;
}

/* False: said what is wrong with it. */
static bool is_verb(const char *verb, const char *whom)
{
	const char *names[256], *near;
	const struct action_spec *spec = NULL;
	size_t n = 0;

	for (size_t i = 0; action_specs[i] && n < sizeof names / sizeof *names; i++)
		if (action_specs[i]->on != ON_PROFILE) {
			spec = !strcmp(action_specs[i]->verb, verb) ? action_specs[i] : spec;
			names[n++] = action_specs[i]->verb;
		}
	if (spec && whom)
		return true;
	near = spec ? NULL : options_nearest(verb, names, n);
	if (spec)
		fprintf(stderr, "laketop: do %s: of what? %s [name=value...]\n", verb, spec->on == ON_TABLE ? "CATALOG TABLE..." :
			spec->on == ON_SERVICE ? "SERVICE" : "SERVICE SUBJECT...");
	else
		fprintf(stderr, "laketop: there is no verb \"%s\"%s%s%s\n", verb, near ? ": did you mean \"" : ": \"laketop do\" lists them", near ? near : "",
			near ? "\"?" : "");
	return false;
}

struct engine *engine_to_act(const struct setup *setup, bool tables)
{
	struct engine_options options = engine_options_of(setup);
	struct err err = {0};
	struct engine *engine;

	options.tables = tables;
	engine = engine_start(&options, &err);
	if (engine)
		run_until(engine, clock_ms() + (tables ? TABLES_MS : LOOK_MS), is_looked_at, tables ? &options : NULL);
	else
		fprintf(stderr, "laketop: %s\n", err.words);
	return engine;
}

int act_run(const struct setup *setup)
{
	const char *const *names = setup->options->names;
	struct engine *engine;
	int code;

	if (setup->options->command == COMMAND_DO && !names[0])
		return print_verbs();
	if (setup->options->command == COMMAND_DO && !is_verb(names[0], names[1]))
		return EXIT_USAGE;
	engine = engine_to_act(setup, is_on_tables(setup));
	if (!engine)
		return EXIT_USAGE;
	code = setup->options->command == COMMAND_DO ? act_on_words(setup, engine) : act_on_services(setup, engine);
	end_engine(engine, STOP_MS, code);
	return code;
}

/* ---- what was left open ---- */

static void print_open(const struct action_shown *list, size_t n)
{
	if (!n)
		puts("nothing was left open: all that was begun has ended");
	for (size_t i = 0; i < n; i++) {
		char at[CLOCK_TEXT];

		printf("%s\n  %s since %s, by %s%s%s%s%s\n", list[i].title, action_state_word(list[i].state), clock_rfc3339(at, list[i].begun), list[i].who,
			list[i].profile[0] ? ", profile " : "", list[i].profile, list[i].words[0] ? "; " : "", list[i].words);
		print_indented("ran", list[i].exact);
		if (strstr(list[i].words, "operation "))
			printf("  ask      laketop do interrupt %s '%s': it ends what still runs there, or finds that it has ended\n", list[i].wish.service,
				list[i].wish.subject);
	}
}

static void print_open_json(const struct action_shown *list, size_t n)
{
	struct json_writer w;
	struct buf out;

	buf_init(&out, 1 << 20);
	json_begin(&w, &out, true);
	json_open(&w, NULL, '{');
	json_open(&w, "actions", '[');
	for (size_t i = 0; i < n; i++) {
		json_open(&w, NULL, '{');
		json_put_text(&w, "title", list[i].title);
		json_put_text(&w, "state", action_state_word(list[i].state));
		json_put_text(&w, "verb", list[i].wish.verb);
		json_put_text(&w, "service", list[i].wish.service);
		json_put_text(&w, "subject", list[i].wish.subject[0] ? list[i].wish.subject : NULL);
		json_put_text(&w, "exact", list[i].exact);
		json_put_text(&w, "note", list[i].words[0] ? list[i].words : NULL);
		json_put_text(&w, "who", list[i].who);
		json_put_text(&w, "profile", list[i].profile[0] ? list[i].profile : NULL);
		json_put_time(&w, "begun", list[i].begun);
		json_close(&w, '}');
	}
	json_close(&w, ']');
	json_close(&w, '}');
	printf("%.*s\n", (int)out.len, out.at ? out.at : "");
	buf_free(&out);
}

int actions_run(const struct setup *setup)
{
	struct action_shown *list = mem_new(OPEN_MOST, sizeof *list);
	size_t n = actions_left_open(setup->host, setup->state_dir, list, OPEN_MOST);

	if (setup->options->json)
		print_open_json(list, n);
	else
		print_open(list, n);
	free(list);
	return n ? EXIT_NOT_READY : EXIT_READY;
}
