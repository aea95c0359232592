// SPDX-License-Identifier: MIT
/*
 * laketop run and laketop testdata: wishes like any other's. A run shows every step before its one yes, tells each
 * step's end and time, and says with which number it stopped. Exit codes: report.h's; 4: refused, or nobody said yes.
 */
#include "runbook.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "run.h"

enum { STOP_MS = 8000 }; /* a command that is cancelled has 5 s to end by itself */

/* ---- one run ---- */

static void print_lines(const char *indent, const char *s)
{
	struct text rest = text_of(s), line;

	while (text_line(&rest, &line))
		if (line.len)
			printf("%s%.*s\n", indent, (int)line.len, line.at);
}

void print_run_offer(const struct run_shown *run)
{
	printf("run %s: %zu of %zu steps\n", run->book, run->n_steps - run->at, run->n_steps);
	for (size_t i = run->at; i < run->n_steps; i++) {
		printf("%3zu%s %s\n", i + 1, run->steps[i].destructive ? "!" : ".", run->steps[i].title);
		if (!step_says_all(&run->steps[i]))
			print_lines(run->steps[i].known ? "       " : "     ? ", run->steps[i].exact);
		print_lines("       ", run->steps[i].where);
		print_lines("     ! ", run->steps[i].words);
	}
	printf("each begins when the one before is done, and all end at the first that fails; ! takes something down\n");
}

void print_run_step(const struct run_shown *run, size_t i)
{
	const struct step_shown *s = &run->steps[i];
	char span[CLOCK_TEXT];

	if (s->stage == STAGE_PASSED || s->stage == STAGE_AHEAD)
		return;
	printf("%3zu. %s: %s after %s\n", i + 1, s->title, stage_word(s->stage), clock_span(span, s->ended - s->begun));
	print_lines("       ", s->words);
	fflush(stdout);
}

static bool make_wish(const struct options *o, struct action_wish *wish)
{
	char name[ACTION_VERB_SIZE];
	bool fine = true;

	text_copy(wish->verb, sizeof wish->verb, TEXT("run"));
	text_copy(wish->subject, sizeof wish->subject, text_of(o->names[0]));
	for (const char *const *word = o->names + 1; *word && fine; word++) {
		const char *equals = strchr(*word, '=');

		if (!equals) {
			fprintf(stderr, "laketop: %s: expected variable=value\n", *word);
			return false;
		}
		fine = (size_t)(equals - *word) < sizeof name &&
			wish_option_set(wish, text_copy(name, sizeof name, text_until(text_of(*word), '=')), equals + 1);
		if (!fine)
			fprintf(stderr, "laketop: %s: too long, or one variable too many\n", *word);
	}
	return fine && (!o->from || wish_option_set(wish, RUN_FROM, o->from)) && (!o->resume || wish_option_set(wish, RUN_RESUME, "yes"));
}

/* What is done to tables may have to know all of them. */
static bool is_on_tables(const struct runbook *b)
{
	for (size_t i = 0; b && i < b->n_steps; i++) {
		const char *const *words = b->steps[i].words;

		if (action_spec_of(words[0], ON_TABLE) || (!strcmp(words[0], "do") && action_spec_of(words[1], ON_TABLE)))
			return true;
	}
	return false;
}

static int run_wish(const struct setup *setup, const struct action_wish *wish)
{
	struct engine *engine = engine_to_act(setup, is_on_tables(profile_runbook(setup->profile, wish->subject)));
	int code;

	if (!engine)
		return EXIT_USAGE;
	code = act_on_wish(setup, engine, wish);
	end_engine(engine, STOP_MS, code);
	return code;
}

static bool known_book(const struct setup *setup, const char *name)
{
	const char *names[64], *near;
	size_t n = 0;

	if (profile_runbook(setup->profile, name))
		return true;
	for (size_t i = 0; i < setup->profile->n_runbooks && n < 64; i++)
		names[n++] = setup->profile->runbooks[i].name;
	near = options_nearest(name, names, n);
	fprintf(stderr, "laketop: there is no [runbook %s] in %s%s%s%s\n", name,
		setup->profile->name ? setup->profile->path : "any profile: --profile names one",
		near ? ": did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	return false;
}

/* ---- which there are ---- */

static void say_last(const struct run_last *last, char *out, size_t size)
{
	char ago[CLOCK_TEXT], span[CLOCK_TEXT];

	if (!last) {
		snprintf(out, size, "never");
		return;
	}
	clock_span(ago, clock_wall_ms() - (last->ended ? last->ended : last->begun));
	if (last->state == ACTION_DONE)
		snprintf(out, size, "done %s ago, in %s", ago, clock_span(span, last->ended - last->begun));
	else if (last->state == ACTION_RUNNING)
		snprintf(out, size, "runs since %s, at step %zu of %zu", ago, last->step, last->n_steps);
	else if (last->state == ACTION_OPEN)
		snprintf(out, size, "cut short at step %zu of %zu, begun %s ago", last->step, last->n_steps, ago);
	else
		snprintf(out, size, "%s at step %zu of %zu, %s ago", action_state_word(last->state), last->step, last->n_steps, ago);
}

static void print_books(const struct profile *p, const struct run_last *list, size_t n)
{
	char said[120];

	if (!p->n_runbooks)
		printf("%s%s has no [runbook NAME]\n", p->name ? "profile " : "without a profile laketop", p->name ? p->name : "");
	else
		printf("%-20s %5s  %-44s %s\n", "RUNBOOK", "STEPS", "LAST RUN", "ABOUT");
	for (size_t i = 0; i < p->n_runbooks; i++) {
		const struct runbook *b = &p->runbooks[i];

		say_last(run_last_of(list, n, b->name), said, sizeof said);
		printf("%-20s %5zu  %-44s %s\n", b->name, b->n_steps, said, b->about ? b->about : "");
	}
}

static void put_book(struct json_writer *w, const struct runbook *b, const struct run_last *last)
{
	json_open(w, NULL, '{');
	json_put_text(w, "name", b->name);
	json_put_text(w, "about", b->about);
	json_put_i64(w, "steps", (int64_t)b->n_steps);
	if (!last)
		json_put_null(w, "last");
	else {
		json_open(w, "last", '{');
		json_put_text(w, "state", action_state_word(last->state));
		json_put_time(w, "begun", last->begun);
		json_put_time(w, "ended", last->ended);
		json_put_i64(w, "step", (int64_t)last->step);
		json_put_text(w, "words", last->words[0] ? last->words : NULL);
		json_close(w, '}');
	}
	json_close(w, '}');
}

static void print_books_json(const struct profile *p, const struct run_last *list, size_t n)
{
	struct json_writer w;
	struct buf out;

	buf_init(&out, 1 << 20);
	json_begin(&w, &out, true);
	json_open(&w, NULL, '{');
	json_put_i64(&w, "schema", 1);
	json_open(&w, "runbooks", '[');
	for (size_t i = 0; i < p->n_runbooks; i++)
		put_book(&w, &p->runbooks[i], run_last_of(list, n, p->runbooks[i].name));
	json_close(&w, ']');
	json_close(&w, '}');
	printf("%.*s\n", (int)out.len, out.at ? out.at : "");
	buf_free(&out);
}

static int list_books(const struct setup *setup)
{
	const struct profile *p = setup->profile;
	struct run_last *list = mem_new(p->n_runbooks + 1, sizeof *list);
	size_t n = runbooks_last(setup->host, setup->state_dir, p, list, p->n_runbooks);

	if (setup->options->json)
		print_books_json(p, list, n);
	else
		print_books(p, list, n);
	free(list);
	return EXIT_READY;
}

int runbooks_run(const struct setup *setup)
{
	const struct options *o = setup->options;
	struct action_wish wish = {0};

	if (o->command == COMMAND_TESTDATA) {
		text_copy(wish.verb, sizeof wish.verb, text_of(o->names[0]));
		text_copy(wish.service, sizeof wish.service, TEXT("testdata"));
		if (action_spec_of(wish.verb, ON_PROFILE) && strcmp(wish.verb, "run") != 0 && strcmp(wish.verb, "command") != 0)
			return run_wish(setup, &wish);
		fprintf(stderr, "laketop: testdata %s: there is generate, load, stream, stats, clean\n", o->names[0]);
		return EXIT_USAGE;
	}
	if (!o->names[0])
		return list_books(setup);
	if (o->json) {
		fprintf(stderr, "laketop: --json lists runbooks, with how each ran last; \"laketop run %s\" tells what it does as it does it\n", o->names[0]);
		return EXIT_USAGE;
	}
	return known_book(setup, o->names[0]) && make_wish(o, &wish) ? run_wish(setup, &wish) : EXIT_USAGE;
}
