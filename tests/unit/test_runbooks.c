// SPDX-License-Identifier: MIT
/*
 * Runbooks and test data: what a profile may say, what a step is, how a run goes, stops and goes on. Programs that
 * are run are real ones; what is not to be run is counted.
 */
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../backend/ops/commands.h"
#include "../../backend/ops/ops.h"
#include "../../tui/acting.h"
#include "../../tui/keymap.h"
#include "../../tui/offers.h"
#include "fixture_bytes.h"
#include "fixture_ops.h"
#include "runbook.h"

static const char services[] = "[laketop]\nprofile = books\n[service web]\nkind = other\nport = 18991\nstart = /bin/sleep 300\nstop = /bin/true\n"
	"[service db]\nkind = postgres\nport = 18992\nuser = lake\npassword_env = LAKETOP_TEST_SECRET\n"
	"[catalog lake]\nkind = iceberg-jdbc\nservice = db\n";

/* Another laketop: what it knows is what the one before wrote down. */
static void open_again(void)
{
	assert_int_equal(ops_stop(world.ops, clock_ms() + 20000), 0);
	open_gate(false, false);
}

static void use(const char *more)
{
	struct buf ini;

	buf_init(&ini, 1 << 20);
	buf_printf(&ini, "%s%s", services, more);
	world_use(buf_text(&ini), "/etc/books.ini");
	buf_free(&ini);
	open_gate(false, false);
}

static struct action_wish run_wish(const char *book)
{
	struct action_wish w = {.verb = "run"};

	snprintf(w.subject, sizeof w.subject, "%s", book);
	return w;
}

static uint64_t wished(const struct action_wish *w)
{
	struct err err = {0};
	uint64_t id = ops_wish(world.ops, &world.lake, w, &err);

	if (!id)
		fail_msg("%s", err.words);
	return id;
}

static void refused(const struct action_wish *w, const char *says)
{
	struct err err = {0};

	assert_int_equal(ops_wish(world.ops, &world.lake, w, &err), 0);
	if (!strstr(err.words, says))
		fail_msg("\"%s\" does not say \"%s\"", err.words, says);
}

/* Wished, offered, confirmed; its id. */
static uint64_t begun(const struct action_wish *w)
{
	struct err err = {0};
	uint64_t id = wished(w);

	turn();
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	assert_true(ops_confirm(world.ops, &world.lake, id, &err));
	return id;
}

static char *file_text(const char *name)
{
	static char text[16384];
	struct buf out;
	char path[128];

	snprintf(path, sizeof path, "%s/%s", world.folder, name);
	buf_init(&out, sizeof text - 1);
	world.local->read_file(world.local, path, &out, NULL);
	text_copy(text, sizeof text, buf_text(&out));
	buf_free(&out);
	return text;
}

/* ---- what a profile may say ---- */

static void what_is_wrong_in_a_runbook_is_told_with_its_line_and_a_remedy(void **state)
{
	static const struct {
		const char *ini, *says, *also;
	} wrong[] = {
		{"[runbook a]\n", ":16: runbook \"a\" has no step", "step = restart kafka"},
		{"[runbook a]\nabout = x\nstep = dance web\n", ":18: \"dance\" is nothing that can be done", "laketop do"},
		{"[runbook a]\nstep = start webb\n", ":17: step with unknown service \"webb\"", "did you mean web?"},
		{"[runbook a]\nstep = start\n", ":17: start whom?", ""},
		{"[runbook a]\nstep = start web db\n", ":17: start takes one service", "a step for each"},
		{"[runbook a]\nstep = do compact laek sales.orders\n", ":17: step with unknown catalog \"laek\"", "did you mean lake?"},
		{"[runbook a]\nstep = do\n", ":17: do what?", "VERB SERVICE"},
		{"[runbook a]\nstep = run a\n", ":17: a runbook is no step of another", ""},
		{"[runbook a]\nstep = wait web\n", ":17: \"web\" is not SERVICE=VERDICT", ""},
		{"[runbook a]\nstep = wait web=happy\n", ":17: \"happy\" is no verdict", "serving"},
		{"[runbook a]\nstep = wait web=serving soon\n", ":17: wait: \"soon\" is not a time", "90s"},
		{"[runbook a]\nstep = wait webb=serving\n", ":17: step waits for unknown service \"webb\"", "did you mean web?"},
		{"[runbook a]\nstep = command\n", ":17: command names no program", ""},
		{"[runbook a]\nstep = command echo \"x\n", ":17: \"step\": a double quote is not closed", ""},
		{"[runbook a]\nstep = command echo ${x\n", ":17: \"${\" is not closed", "$$ is a dollar"},
		{"[runbook a]\nstep = command echo ${a b}\n", ":17: \"${\" is not closed", ""},
		{"[runbook a]\nstep = command echo ${a-b}\n", ":17: \"${a-b}\": a variable's name has letters", ""},
		{"[runbook a]\nstep = testdata stream\n", ":17: testdata stream goes on until it is cancelled", "no step"},
		{"[runbook a]\nstep = testdata loda\n", ":17: testdata takes one of generate", ""},
		{"[runbook a]\nvar.a-b = 1\nstep = start web\n", ":17: var.NAME needs a name", ""},
		{"[runbook a]\nvar.a = 1\nvar.a = 2\nstep = start web\n", ":18: \"var.a\" is set twice", ""},
		{"[runbook a]\nvar.a =\nstep = start web\n", ":17: \"var.a\" says nothing", ""},
		{"[runbook a]\nstep = command echo ${a} ${b} ${c} ${d} ${e} ${f} ${g} ${h} ${i} ${j} ${k}\n", ":16: runbook \"a\" uses more than 10 variables", ""},
		{"[runbook a]\nsteps = start web\n", ":17: unknown key in [runbook]: \"steps\"", "did you mean step?"},
		{"[runbook a]\nstep = start web\n[runbook a]\n", ":18: runbook \"a\" is there already, from line 16", ""},
		{"[runbook]\n", ":16: [runbook NAME] needs a name", ""},
		{"[testdata x]\n", ":16: section [testdata] has no name", ""},
		{"[testdata]\nlaod = /bin/true\n", ":17: unknown key in [testdata]: \"laod\"", "did you mean load?"},
		{"[testdata]\nlimit = soon\n", ":17: limit = \"soon\" is not a time", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct err err = {0};
		struct buf ini;
		struct profile *p;

		buf_init(&ini, 1 << 16);
		buf_printf(&ini, "%s%s", services, wrong[i].ini);
		p = profile_parse(world.local, buf_text(&ini), "books.ini", &err);
		if (p || !strstr(err.words, wrong[i].says) || !strstr(err.words, wrong[i].also))
			fail_msg("%s gives: %s", wrong[i].ini, p ? "no error" : err.words);
		profile_free(p);
		buf_free(&ini);
	}
}

static const char everything[] = "[runbook all]\nabout = all there is\nvar.version = 4.1\nvar.empty = \"\"\ndirectory = work\nenvironment = ~/x.env\nlimit = 5min\n"
	"step = stop web\nstep = do compact lake ${table} target=${size}\nstep = wait web=serving@${version} db=absent 2min\n"
	"step = command ./tool \"a b\" ${version} ${empty} x$$y\nstep = testdata load\n"
	"[testdata]\ngenerate = bin/gen --n 3\nload = /bin/true\ndirectory = .\nlimit = 1h\n";

static void everything_that_can_be_said_arrives(void **state)
{
	const struct runbook *b;

	(void)state;
	use(everything);
	b = profile_runbook(world.profile, "all");
	assert_non_null(b);
	assert_string_equal(b->about, "all there is");
	assert_string_equal(b->directory, "/etc/work");
	assert_int_equal(b->limit_ms, 300000);
	assert_int_equal(b->n_steps, 5);
	assert_int_equal(b->n_variables, 2);
	assert_string_equal(b->variables[1].value, "");
	assert_string_equal(b->steps[3].words[1], "/etc/tool");
	assert_int_equal(b->steps[0].line, 23);
	assert_string_equal(world.profile->testdata.argv[TESTDATA_GENERATE][0], "/etc/bin/gen");
	assert_string_equal(world.profile->testdata.directory, "/etc");
	assert_null(world.profile->testdata.argv[TESTDATA_CLEAN]);
}

static void read_mutilated(struct text ini)
{
	struct err err = {0};
	struct profile *p = profile_parse(world.local, ini, "books.ini", &err);

	assert_int_equal(p == NULL, err.code == ERR_USAGE);
	for (size_t i = 0; p && i < p->n_runbooks; i++)
		for (size_t k = 0; k < p->runbooks[i].n_steps; k++) {
			struct book_step step;

			runbook_step(p, &p->runbooks[i], k, NULL, &step, &err);
			if (!strcmp(p->runbooks[i].steps[k].words[0], "command"))
				free_words(runbook_argv(p, &p->runbooks[i], k, NULL, false, &err));
		}
	profile_free(p);
}

static void a_mutilated_runbook_is_an_error_or_a_runbook(void **state)
{
	struct buf ini;

	(void)state;
	buf_init(&ini, 1 << 16);
	buf_printf(&ini, "%s%s", services, everything);
	fuzz(buf_text(&ini), read_mutilated);
	buf_free(&ini);
}

/* ---- what a step is ---- */

static void a_variable_stays_one_word_whatever_it_holds(void **state)
{
	struct action_wish given = {0};
	const struct runbook *b;
	struct book_step step;
	struct err err = {0};
	char **argv;

	(void)state;
	use(everything);
	b = profile_runbook(world.profile, "all");
	wish_option_set(&given, "table", "x; DROP TABLE y= z");
	wish_option_set(&given, "size", "a=b c");
	wish_option_set(&given, "version", "4.2");
	assert_true(runbook_step(world.profile, b, 1, &given, &step, &err));
	assert_string_equal(step.wish.verb, "compact");
	assert_string_equal(step.wish.service, "lake");
	assert_string_equal(step.wish.subject, "x; DROP TABLE y= z"); /* its action quotes it, as any other's */
	assert_string_equal(wish_option(&step.wish, "target"), "a=b c");
	assert_string_equal(step.title, "do compact lake 'x; DROP TABLE y= z' 'target=a=b c'");
	assert_true(runbook_step(world.profile, b, 2, &given, &step, &err));
	assert_int_equal(step.n_conditions, 2);
	assert_string_equal(step.conditions[0].version, "4.2");
	assert_int_equal(step.limit_ms, 120000);
	wish_option_set(&given, "empty", "one two \"three\" $(four)");
	argv = runbook_argv(world.profile, b, 3, &given, false, &err);
	assert_non_null(argv);
	assert_string_equal(argv[1], "a b");
	assert_string_equal(argv[3], "one two \"three\" $(four)");
	assert_string_equal(argv[4], "x$y");
	assert_null(argv[5]);
	free_words(argv);
	given.n_options = 0; /* without it, the profile's: an empty word is a word */
	argv = runbook_argv(world.profile, b, 3, &given, false, &err);
	assert_string_equal(argv[2], "4.1");
	assert_string_equal(argv[3], "");
	assert_string_equal(argv[4], "x$y");
	free_words(argv);
}

static void an_unset_variable_is_told_with_file_line_and_remedy(void **state)
{
	struct action_wish w = run_wish("all");

	(void)state;
	use(everything);
	refused(&w, "books.ini:24: ${table} is not set: \"var.table = ...\" in [runbook all], or: laketop run all table=...");
	wish_option_set(&w, "table", "t");
	refused(&w, "${size} is not set");
	wish_option_set(&w, "colour", "red");
	refused(&w, "has no variable \"colour\"");
	assert_int_equal(atomic_load(&world.ran), 0);
}

static void a_subject_that_is_too_long_is_refused_not_cut(void **state)
{
	struct action_wish given = {0};
	struct book_step step;
	struct err err = {0};
	char long_word[150];

	(void)state;
	use("[runbook a]\nstep = do compact lake ${t}${t}\n");
	memset(long_word, 'x', sizeof long_word - 1);
	long_word[sizeof long_word - 1] = '\0';
	assert_true(wish_option_set(&given, "t", long_word));
	assert_false(runbook_step(world.profile, &world.profile->runbooks[0], 0, &given, &step, &err));
	assert_non_null(strstr(err.words, "books.ini:17: with its variables a word is longer than 255 bytes"));
}

/* ---- counters ---- */

static void what_a_line_counts_is_understood(void **state)
{
	static const struct {
		const char *line, *unit;
		int64_t n;
		double part;
		bool rated;
	} lines[] = {
		{"12,345 rows", "rows", 12345, -1, false},
		{"generated 1200 of 4800 orders", "orders", 1200, 0.25, false},
		{"300/1200 records written", "records", 300, 0.25, false},
		{"rows=77 in t", "rows", 77, -1, false},
		{"Records: 1_000", "records", 1000, -1, false},
		{"7500 events into test-orders", "events", 7500, -1, false},
		{"980 rows/s, 45%", NULL, 0, 0.45, true},
		{"5000 rows (980.5 rows/s)", "rows", 5000, -1, false},
		{"5000 rows at 980 rows per second", "rows", 5000, -1, true},
		{"62.5% done", NULL, 0, 0.62, false},
		{"took 3.5 s, v4.1.2, 2026-11-29", NULL, 0, -1, false},
		{"120 browser windows", NULL, 0, -1, false},
		{"99999999999999999999999 rows", NULL, 0, -1, false},
		{"row", NULL, 0, -1, false},
		{"", NULL, 0, -1, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct counter c;

		counter_read(text_of(lines[i].line), &c);
		if ((c.unit == NULL) != (lines[i].unit == NULL) || (c.unit && strcmp(c.unit, lines[i].unit) != 0) || (c.unit && c.n != lines[i].n) ||
			(lines[i].part < 0 ? !isnan(c.part) : fabs(c.part - lines[i].part) > 0.001) || (lines[i].rated && !c.rated))
			fail_msg("\"%s\": %s %lld %f %d", lines[i].line, c.unit ? c.unit : "-", (long long)c.n, c.part, c.rated);
	}
}

static void read_any_line(struct text line)
{
	struct counter c;

	counter_read(line, &c);
	assert_true(!c.unit || c.n >= 0);
}

static void no_line_does_harm(void **state)
{
	(void)state;
	fuzz(TEXT("rows: 12,345 of 99,999 rows 45.5% (12 rows/s) 7/9 records= 3 events per second 1_2_3 items"), read_any_line);
}

static void a_rate_is_of_the_last_seconds(void **state)
{
	struct counter c = {.unit = "rows", .part = (double)NAN};
	struct pace p = {0};

	(void)state;
	for (int64_t i = 0; i <= 20; i++) { /* 100 a second, then none */
		c.n = i < 10 ? i * 100 : 1000;
		pace_take(&p, &c, i * 1000);
		if (i == 8)
			assert_true(fabs(pace_rate(&p) - 100) < 1);
	}
	assert_true(fabs(pace_rate(&p)) < 0.01);
	assert_true(fabs(pace_whole(&p) - 50) < 1);
	c.n = 5; /* it began anew */
	pace_take(&p, &c, 21000);
	assert_true(isnan(pace_rate(&p)));
}

/* ---- how a run goes ---- */

static const char three[] = "[runbook three]\nvar.word = one\n"
	"step = command /bin/sh -c \"echo $${0} >> $${1}/out\" ${word} ${folder}\n"
	"step = command /usr/bin/test -e ${folder}/flag\n"
	"step = command /bin/sh -c \"echo last >> $${0}/out\" ${folder}\n";

static struct action_wish three_wish(void)
{
	struct action_wish w = run_wish("three");

	wish_option_set(&w, "folder", world.folder);
	return w;
}

static void make_file(const char *name)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", world.folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
}

static void every_step_is_shown_before_the_yes_and_nothing_is_run(void **state)
{
	struct action_wish w = three_wish();
	const struct run_shown *run;
	uint64_t id;

	(void)state;
	use(three);
	id = wished(&w);
	turn();
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	assert_true(shown(id)->destructive); /* the answer to "run?" is no */
	run = lake_run(&world.lake, id);
	assert_non_null(run);
	assert_int_equal(run->n_steps, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_true(run->steps[i].known);
		assert_true(step_says_all(&run->steps[i]));
		assert_int_equal(run->steps[i].stage, STAGE_AHEAD);
	}
	assert_non_null(strstr(shown(id)->exact, "2. command /usr/bin/test -e"));
	ops_drop(world.ops, id);
	assert_int_equal(until(id, ACTION_CANCELLED), ACTION_CANCELLED);
	assert_int_equal(atomic_load(&world.ran), 0);
	assert_string_equal(file_text("audit.jsonl"), "");
	assert_string_equal(file_text("runs.jsonl"), "");
}

static void what_cannot_be_known_yet_is_said_so(void **state)
{
	struct action_wish w = run_wish("later");
	const struct run_shown *run;
	uint64_t id;

	(void)state;
	use("[runbook later]\nstep = stop web\nstep = wait web=absent 3s\nstep = start web\n");
	world.services[0].verdict.shown.verdict = VERDICT_SERVING;
	id = wished(&w);
	turn();
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	run = lake_run(&world.lake, id);
	assert_true(run->steps[0].known && run->steps[0].destructive);
	assert_string_equal(run->steps[0].exact, "/bin/true");
	assert_string_equal(run->steps[1].exact, "waits at most 3s");
	assert_false(run->steps[2].known);
	assert_non_null(strstr(run->steps[2].exact, "web runs already"));
	assert_int_equal(atomic_load(&world.ran), 0);
}

static void it_stops_at_the_first_failure_and_resumes_there_with_its_variables(void **state)
{
	struct action_wish w = three_wish(), again = run_wish("three");
	const struct run_shown *run;
	uint64_t id;

	(void)state;
	use(three);
	wish_option_set(&w, "word", "two words");
	id = begun(&w);
	assert_int_equal(until(id, ACTION_DONE), ACTION_FAILED);
	assert_non_null(strstr(shown(id)->words, "step 2 of 3"));
	assert_non_null(strstr(shown(id)->words, "ended with 1"));
	assert_non_null(strstr(shown(id)->words, "--resume"));
	run = lake_run(&world.lake, id);
	assert_int_equal(run->steps[0].stage, STAGE_DONE);
	assert_true(run->steps[0].ended >= run->steps[0].begun && run->steps[0].begun > 0);
	assert_int_equal(run->steps[1].stage, STAGE_FAILED);
	assert_int_equal(run->steps[2].stage, STAGE_AHEAD);
	assert_string_equal(file_text("out"), "two words\n");
	assert_int_equal(atomic_load(&world.ran), 2);
	open_again();
	assert_int_equal(world.lake.n_last_runs, 1);
	assert_int_equal(world.lake.last_runs[0].state, ACTION_FAILED);
	assert_int_equal(world.lake.last_runs[0].step, 2);
	make_file("flag");
	wish_option_set(&again, RUN_RESUME, "yes");
	id = begun(&again);
	assert_int_equal(until(id, ACTION_DONE), ACTION_DONE);
	run = lake_run(&world.lake, id);
	assert_int_equal(run->steps[0].stage, STAGE_PASSED);
	assert_int_equal(run->steps[2].stage, STAGE_DONE);
	assert_string_equal(file_text("out"), "two words\nlast\n");
	turn();
	assert_int_equal(world.lake.last_runs[0].state, ACTION_DONE);
	refused(&again, "there is nothing to resume");
}

static void it_begins_where_it_is_told_to(void **state)
{
	struct action_wish w = three_wish();
	uint64_t id;

	(void)state;
	use(three);
	wish_option_set(&w, RUN_FROM, "4");
	refused(&w, "has steps 1 to 3");
	w = three_wish();
	wish_option_set(&w, RUN_FROM, "3");
	id = begun(&w);
	assert_int_equal(until(id, ACTION_DONE), ACTION_DONE);
	assert_string_equal(file_text("out"), "last\n");
	wish_option_set(&w, RUN_RESUME, "yes");
	refused(&w, "exclude each other");
}

static void a_changed_runbook_is_not_resumed_by_number(void **state)
{
	struct action_wish w = three_wish(), again = run_wish("three");
	uint64_t id;

	(void)state;
	use(three);
	id = begun(&w);
	assert_int_equal(until(id, ACTION_DONE), ACTION_FAILED);
	assert_int_equal(ops_stop(world.ops, clock_ms() + 20000), 0);
	profile_free(world.profile);
	use("[runbook three]\nstep = start web\nstep = stop web\n");
	wish_option_set(&again, RUN_RESUME, "yes");
	refused(&again, "was changed since its last run, which came to step 2: --from N");
}

static void a_lock_in_the_middle_stops_the_next_step_at_the_gate(void **state)
{
	struct action_wish w = run_wish("slow");
	struct err err = {0};
	uint64_t id;

	(void)state;
	use("[runbook slow]\nstep = wait web=serving 60s\nstep = command /bin/true\n");
	id = begun(&w);
	turn();
	assert_non_null(strstr(shown(id)->words, "step 1 of 2"));
	assert_string_equal(shown(id)->awaits, "web");
	assert_true(ops_lock(world.ops, true, &err));
	world.services[0].verdict.shown.verdict = VERDICT_SERVING;
	assert_int_equal(until(id, ACTION_DONE), ACTION_FAILED);
	assert_non_null(strstr(shown(id)->words, "step 2 of 2"));
	assert_non_null(strstr(shown(id)->words, "locked"));
	assert_int_equal(atomic_load(&world.ran), 0);
}

static void a_wait_is_over_when_its_time_is_up(void **state)
{
	struct action_wish w = run_wish("short");
	uint64_t id;

	(void)state;
	use("[runbook short]\nstep = wait web=serving 50ms\n");
	id = begun(&w);
	assert_int_equal(until(id, ACTION_DONE), ACTION_FAILED);
	assert_non_null(strstr(shown(id)->words, "step 1 of 1"));
	assert_non_null(strstr(shown(id)->words, "time is up: web is absent"));
}

static void what_was_seen_before_a_step_does_not_settle_it(void **state)
{
	struct action_wish w = run_wish("stale");
	uint64_t id;

	(void)state;
	use("[runbook stale]\nstep = wait web=serving 60s\n");
	world.services[0].verdict.shown.verdict = VERDICT_SERVING;
	id = begun(&w);
	for (int i = 0; i < 10; i++)
		turn_as_seen(1); /* nobody looked since */
	assert_int_equal(shown(id)->state, ACTION_RUNNING);
	assert_int_equal(until(id, ACTION_DONE), ACTION_DONE);
}

static void a_start_of_what_serves_is_done(void **state)
{
	struct action_wish w = run_wish("already");
	uint64_t id;

	(void)state;
	use("[runbook already]\nstep = start web\nstep = stop db\n");
	world.services[0].verdict.shown.verdict = VERDICT_SERVING;
	id = begun(&w);
	assert_int_equal(until(id, ACTION_DONE), ACTION_DONE);
	assert_int_equal(atomic_load(&world.ran), 0);
}

static void cancelled_it_ends_the_program_of_its_step(void **state)
{
	struct action_wish w = run_wish("long"), again = run_wish("long");
	uint64_t id;

	(void)state;
	use("[runbook long]\nstep = command /bin/sleep 300\nstep = command /bin/true\n");
	id = begun(&w);
	for (int64_t end = clock_ms() + 60000; !atomic_load(&world.ran) && clock_ms() < end; poll(NULL, 0, 2))
		turn();
	assert_int_equal(wished(&again), id); /* twice is once */
	wish_option_set(&again, RUN_FROM, "2");
	refused(&again, "is not over yet");
	ops_drop(world.ops, id);
	assert_int_equal(until(id, ACTION_CANCELLED), ACTION_CANCELLED);
	assert_int_equal(lake_run(&world.lake, id)->steps[0].stage, STAGE_CANCELLED);
	assert_int_equal(atomic_load(&world.ran), 1);
	assert_non_null(strstr(file_text("audit.jsonl"), "\"state\":\"cancelled\""));
}

static void what_was_cut_short_is_open_and_resumed_at_its_step(void **state)
{
	struct action_wish w = three_wish(), again = run_wish("three");
	pid_t child;
	int status;
	uint64_t id;

	(void)state;
	use(three);
	assert_int_equal(ops_stop(world.ops, clock_ms() + 20000), 0);
	world.ops = NULL;
	child = fork();
	if (child == 0) { /* another laketop, killed while its second step runs */
		open_gate(false, false);
		id = wished(&w);
		turn();
		until(id, ACTION_OFFERED);
		ops_confirm(world.ops, &world.lake, id, NULL);
		while (!strstr(file_text("runs.jsonl"), "\"phase\":\"step\",\"run\"") || !strstr(file_text("runs.jsonl"), "\"step\":2"))
			turn();
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	open_gate(false, false);
	assert_int_equal(world.lake.n_last_runs, 1);
	assert_int_equal(world.lake.last_runs[0].state, ACTION_OPEN);
	assert_int_equal(world.lake.last_runs[0].step, 2);
	assert_true(world.lake.n_actions >= 1);
	assert_int_equal(world.lake.actions[0].state, ACTION_OPEN);
	make_file("flag");
	wish_option_set(&again, RUN_RESUME, "yes");
	id = begun(&again);
	assert_int_equal(until(id, ACTION_DONE), ACTION_DONE);
	assert_string_equal(file_text("out"), "one\nlast\n");
	open_again();
	assert_int_equal(world.lake.n_actions, 0); /* what was open was made good */
}

static void every_step_is_in_the_audit_and_no_secret_is(void **state)
{
	struct action_wish w = run_wish("secret");
	const char *audit;
	uint64_t id;

	(void)state;
	use("[runbook secret]\nstep = command /bin/echo ${word} hunter2-hunter2\n");
	wish_option_set(&w, "word", "hunter2-hunter2");
	id = begun(&w);
	assert_int_equal(until(id, ACTION_DONE), ACTION_DONE);
	assert_null(strstr(shown(id)->words, "hunter2"));
	assert_null(strstr(lake_run(&world.lake, id)->steps[0].words, "hunter2"));
	assert_null(strstr(lake_run(&world.lake, id)->steps[0].exact, "hunter2"));
	audit = file_text("audit.jsonl");
	assert_non_null(strstr(audit, "\"verb\":\"run\""));
	assert_non_null(strstr(audit, "\"verb\":\"command\""));
	assert_non_null(strstr(audit, "/bin/echo *** ***"));
	assert_null(strstr(file_text("runs.jsonl"), "hunter2"));
	assert_null(strstr(file_text("audit.jsonl"), "hunter2"));
}

static void a_program_gets_its_secret_and_nobody_else(void **state)
{
	static const char *const files[] = {"audit.jsonl", "runs.jsonl"};
	struct action_wish w = run_wish("keys"), start = wish_of("start", "x");
	const struct step_shown *step;
	struct err err = {0};
	char ini[1000];
	uint64_t id;

	(void)state;
	snprintf(ini, sizeof ini, "[service x]\nkind = other\nport = 18993\nstart = /x.sh password=s77x --token \"s7 7's\" --api-key=s77x\n"
		"[runbook keys]\nstep = command /bin/sh -c \"echo $0 $2 > %s/out; echo $0; echo $0; exit 3\" password=s77x --token \"s7 7x\"\n",
		world.folder);
	use(ini);
	id = ops_wish(world.ops, &world.lake, &start, &err);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	assert_string_equal(shown(id)->exact, "/x.sh password=*** --token *** --api-key=***");
	id = begun(&w);
	assert_int_equal(until(id, ACTION_FAILED), ACTION_FAILED);
	assert_string_equal(file_text("out"), "password=s77x s7 7x\n");
	step = lake_run(&world.lake, id)->steps;
	assert_non_null(strstr(step->exact, "password=*** --token ***"));
	assert_non_null(strstr(step->words, "password=***"));
	assert_null(strstr(step->title, "s7"));
	assert_null(strstr(step->words, "s77"));
	assert_null(strstr(shown(id)->exact, "s7"));
	assert_null(strstr(shown(id)->words, "s7"));
	for (size_t i = 0; i < 2; i++)
		assert_null(strstr(file_text(files[i]), "s7"));
}

static void a_variable_that_is_called_a_password_is_not_shown(void **state)
{
	static const char *const files[] = {"audit.jsonl", "runs.jsonl"};
	struct action_wish w = run_wish("keys");
	struct book_variable list[ACTION_OPTIONS_MAX];
	char ini[300];
	uint64_t id;

	(void)state;
	snprintf(ini, sizeof ini, "[runbook keys]\nvar.token = s77y\nstep = command /bin/sh -c \"echo $0 $1 > %s/out\" ${password} ${token}\n",
		world.folder);
	use(ini);
	wish_option_set(&w, "password", "s77x");
	assert_int_equal(runbook_variables(world.profile, profile_runbook(world.profile, "keys"), list), 2);
	assert_true(list[0].secret && list[1].secret);
	id = begun(&w);
	assert_int_equal(until(id, ACTION_DONE), ACTION_DONE);
	assert_string_equal(file_text("out"), "s77x s77y\n");
	assert_non_null(strstr(lake_run(&world.lake, id)->steps->exact, " *** ***"));
	assert_null(strstr(lake_run(&world.lake, id)->steps->title, "s77"));
	assert_null(strstr(shown(id)->exact, "s77"));
	for (size_t i = 0; i < 2; i++)
		assert_null(strstr(file_text(files[i]), "s77"));
}

static void no_secret_is_cut_in_two_before_it_is_masked(void **state)
{
	struct action_wish w = run_wish("cut");
	char ini[3000], dots[400], far[176] = "/tmp/";
	const struct step_shown *steps;
	uint64_t id;

	(void)state;
	memset(dots, '.', sizeof dots);
	for (size_t i = 5; i + 2 < sizeof far; i += 2)
		memcpy(far + i, "./", 3);
	/* a folder's name, a title: the secret stands across the place where they are cut */
	snprintf(ini, sizeof ini, "[runbook cut]\ndirectory = %s\nenvironment = %shunter2-hunter2/env\n"
		"step = command /bin/echo %.135s hunter2-hunter2\n", far, far, dots);
	use(ini);
	id = wished(&w);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	steps = lake_run(&world.lake, id)->steps;
	assert_null(strstr(steps[0].title, "hunt"));
	assert_null(strstr(steps[0].where, "hunt"));
	assert_null(strstr(steps[0].exact, "hunt"));
	assert_non_null(strstr(steps[0].where, far));
}

static void no_line_of_a_program_is_cut_before_it_is_masked(void **state)
{
	struct action_wish w = run_wish("cut");
	char ini[1000], dots[400];
	uint64_t id;

	(void)state;
	memset(dots, '.', sizeof dots);
	snprintf(ini, sizeof ini, "[runbook cut]\nstep = command /bin/sh -c \"echo %.392s hunter2-hunter2\"\n"
		"step = command /bin/sh -c \"echo %.150s hunter2-hunter2; exit 3\"\n", dots, dots);
	use(ini);
	id = begun(&w);
	assert_int_equal(until(id, ACTION_FAILED), ACTION_FAILED);
	assert_null(strstr(shown(id)->words, "hunt"));
	assert_null(strstr(lake_run(&world.lake, id)->steps[1].words, "hunt"));
	assert_non_null(strstr(file_text("audit.jsonl"), ". ***"));
	assert_null(strstr(file_text("audit.jsonl"), "hunt"));
	assert_null(strstr(file_text("runs.jsonl"), "hunt"));
}

/* ---- programs, test data ---- */

static void a_command_runs_in_its_folder_with_its_environment(void **state)
{
	struct action_wish w = run_wish("place");
	char ini[600], path[128];
	uint64_t id;
	FILE *f;

	(void)state;
	snprintf(path, sizeof path, "%s/env", world.folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("# words\nexport COLOUR=\"blue; $(touch pwned)\"\nEMPTY=\n", f);
	fclose(f);
	snprintf(ini, sizeof ini, "[runbook place]\ndirectory = %s\nenvironment = %s/env\nstep = command /bin/sh -c \"pwd; echo $$COLOUR\"\n", world.folder,
		world.folder);
	use(ini);
	id = begun(&w);
	assert_int_equal(until(id, ACTION_DONE), ACTION_DONE);
	assert_string_equal(lake_run(&world.lake, id)->steps[0].words, "blue; $(touch pwned)");
}

static void a_folder_that_is_not_there_is_told_before_anything_runs(void **state)
{
	struct action_wish w = run_wish("lost");
	uint64_t id;

	(void)state;
	use("[runbook lost]\ndirectory = /no/such/folder\nstep = command /bin/true\n");
	id = wished(&w);
	turn();
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	assert_false(lake_run(&world.lake, id)->steps[0].known);
	assert_non_null(strstr(lake_run(&world.lake, id)->steps[0].exact, "/no/such/folder"));
}

static struct action_wish testdata_wish(const char *verb)
{
	struct action_wish w = {.service = "testdata"};

	snprintf(w.verb, sizeof w.verb, "%s", verb);
	return w;
}

static void test_data_tells_how_far_it_is_and_stats_are_whole(void **state)
{
	struct action_wish generate = testdata_wish("generate"), stats = testdata_wish("stats"), load = testdata_wish("load");
	char ini[600];
	uint64_t id;

	(void)state;
	snprintf(ini, sizeof ini, "[testdata]\ngenerate = /bin/sh -c \"echo 10 of 40 rows; while ! test -e %s/go; do sleep 0.02; done; echo 40 of 40 rows\"\n"
		"stats = /usr/bin/printf \"a: 1 rows\\nb: 2 rows\\n\"\n", world.folder);
	use(ini);
	refused(&load, "[testdata] load = PROGRAM");
	id = begun(&generate);
	for (int64_t end = clock_ms() + 60000; !strstr(shown(id)->words, "10 of 40") && clock_ms() < end; poll(NULL, 0, 2))
		turn();
	assert_true(fabs(shown(id)->part - 0.25) < 0.001);
	/* what changes nothing may be asked meanwhile */
	{
		uint64_t beside = begun(&stats);

		assert_int_equal(until(beside, ACTION_DONE), ACTION_DONE);
		assert_string_equal(shown(beside)->words, "a: 1 rows\nb: 2 rows");
	}
	make_file("go");
	assert_int_equal(until(id, ACTION_DONE), ACTION_DONE);
	assert_string_equal(shown(id)->words, "40 of 40 rows");
}

static void a_stream_goes_on_until_it_is_cancelled_and_its_group_with_it(void **state)
{
	struct action_wish stream = testdata_wish("stream"), clean = testdata_wish("clean");
	uint64_t id;
	int pid = 0;

	(void)state;
	use("[testdata]\nstream = /bin/sh -c \"/bin/sleep 300 & echo $!; wait\"\nclean = /bin/true\n");
	id = begun(&stream);
	for (int64_t end = clock_ms() + 60000; sscanf(shown(id)->words, "%d", &pid) != 1 && clock_ms() < end; poll(NULL, 0, 2))
		turn();
	assert_true(pid > 1);
	assert_int_equal(world.local->began(world.local, pid) > 0, 1);
	refused(&clean, "stream testdata is not over yet");
	ops_drop(world.ops, id);
	assert_int_equal(until(id, ACTION_CANCELLED), ACTION_CANCELLED);
	for (int64_t end = clock_ms() + 60000; world.local->began(world.local, pid) && clock_ms() < end; poll(NULL, 0, 5))
		continue;
	assert_int_equal(world.local->began(world.local, pid), 0);
}

static void one_that_does_not_heed_the_signal_is_killed(void **state)
{
	static const char *const stubborn[] = {"/bin/sh", "-c", "trap '' TERM; while :; do sleep 0.1; done", NULL};
	struct program program = {.what = {.argv = stubborn}, .grace_ms = 300};
	struct err err = {0};
	int64_t began = clock_ms();

	(void)state;
	assert_int_equal(world.local->run(world.local, &program, wait_for(2000, -1), &err), -1);
	assert_int_equal(err.code, ERR_TIMEOUT);
	assert_in_range(clock_ms() - began, 2250, 60000);
}

/* ---- what the screen offers ---- */

static void the_profiles_own_is_offered_and_what_was_not_done_can_go_on(void **state)
{
	struct action_wish w = three_wish();
	struct offer offer;
	uint64_t id;
	size_t n = 0;

	(void)state;
	use("[runbook three]\nabout = in three\nstep = start web\nstep = command /bin/false ${folder}\n[runbook open]\nstep = command /bin/echo ${x}\n"
		"[testdata]\nload = /bin/true\n");
	world.services[0].verdict.shown.verdict = VERDICT_SERVING;
	for (int i = 0; i < offers_end(&world.lake); i++)
		n += offer_get(&world.lake, i, &offer);
	assert_int_equal(n, 3 + 2); /* and start all, stop all */
	assert_true(offer_get(&world.lake, 2, &offer));
	assert_true(offer.can); /* x is asked for, and then judged */
	assert_non_null(strstr(offer.detail, "1 step, never run"));
	world.lake.locked = "locked: L unlocks";
	assert_true(offer_get(&world.lake, 2, &offer));
	assert_false(offer.can);
	world.lake.locked = NULL;
	id = begun(&w);
	assert_int_equal(until(id, ACTION_DONE), ACTION_FAILED);
	turn();
	assert_true(offer_get(&world.lake, 1, &offer));
	assert_true(offer.can);
	assert_string_equal(offer.title, "resume three");
	assert_non_null(strstr(offer.detail, "go on at step 2 of 2"));
	world.lake.replayed = true;
	assert_true(offer_get(&world.lake, 1, &offer));
	assert_false(offer.can);
}

/* ---- on the screen ---- */

static void type(struct acting *a, const char *s)
{
	for (; *s; s++)
		assert_int_equal(acting_press(a, &world.lake, *s), ACTING_STAYS);
}

static bool form_says(struct acting *a, int width, int height, const char *words)
{
	struct canvas *c = canvas_new(width, height, true);
	int y = -1, x = 0;
	bool says = false;

	acting_draw(a, &world.lake, c, &y, &x);
	for (int i = 0; i < height && !says; i++) {
		char line[400] = "";

		for (int k = 0; k < width; k++)
			line[k] = (char)c->cells[(ptrdiff_t)i * c->stride + k].code[0];
		says = strstr(line, words) != NULL;
	}
	assert_true(a->mode != ACTING_FORM || (y >= 0 && y < height && x < width));
	canvas_free(c);
	return says;
}

static void variables_are_seen_and_typed_before_the_steps_are(void **state)
{
	struct acting *a = mem_new(1, sizeof *a);
	struct err err = {0};
	uint64_t id;

	(void)state;
	use("[runbook ask]\nvar.word = hello\nvar.secret = hunter2-hunter2\nstep = command /bin/echo ${word} ${version} $${word} ${secret}\n"
		"step = command /bin/test ${version} = 4.2\n[runbook plain]\nstep = command /bin/true\n");
	assert_int_equal(acting_offer(a, &world.lake, 0), ACTING_STAYS); /* version has no value: it can still be chosen */
	assert_int_equal(a->mode, ACTING_FORM);
	assert_int_equal(a->n_values, 3);
	assert_string_equal(a->names[0], "word");
	assert_string_equal(a->values[0].s, "hello");
	assert_string_equal(a->names[1], "secret");
	assert_string_equal(a->values[1].s, "");
	assert_string_equal(a->names[2], "version");
	assert_string_equal(a->values[2].s, "");
	assert_true(form_says(a, 100, 28, "by itself hello"));
	assert_true(form_says(a, 100, 28, "which is not shown"));
	assert_true(form_says(a, 100, 28, "it has to be given"));
	assert_true(form_says(a, 100, 28, "run ask"));
	assert_false(form_says(a, 100, 28, "hunter2"));
	assert_true(form_says(a, 40, 8, "version") && form_says(a, 40, 8, "Enter shows what exactly") && form_says(a, 40, 8, "by itself hello"));
	assert_int_equal(acting_press(a, &world.lake, K_ENTER), ACTING_WISHES); /* what is missing is told, and what was typed stays */
	assert_int_equal(ops_wish(world.ops, &world.lake, &a->on, &err), 0);
	assert_true(acting_refused(a, err.words));
	assert_true(form_says(a, 100, 28, "${version} is not set"));
	acting_press(a, &world.lake, K_UP);
	type(a, "4.2");
	acting_press(a, &world.lake, K_TAB);
	type(a, " $(reboot)");
	assert_int_equal(acting_press(a, &world.lake, K_ENTER), ACTING_WISHES);
	assert_int_equal(a->on.n_options, 2);
	assert_string_equal(wish_option(&a->on, "word"), "hello $(reboot)");
	assert_string_equal(wish_option(&a->on, "version"), "4.2");
	id = wished(&a->on);
	acting_one(a, id);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	assert_true(form_says(a, 100, 28, "/bin/echo 'hello $(reboot)' 4.2 '${word}' ***"));
	assert_true(form_says(a, 100, 28, "o variables"));
	assert_int_equal(acting_press(a, &world.lake, 'o'), ACTING_CHANGES); /* as the screen does it */
	ops_drop(world.ops, id);
	turn();
	acting_form(a, &world.lake, &a->on);
	assert_string_equal(a->values[0].s, "hello $(reboot)");
	assert_string_equal(a->values[2].s, "4.2");
	assert_int_equal(acting_press(a, &world.lake, K_ENTER), ACTING_WISHES);
	id = wished(&a->on);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	assert_true(ops_confirm(world.ops, &world.lake, id, &err));
	assert_int_equal(until(id, ACTION_DONE), ACTION_DONE);
	assert_int_equal(acting_offer(a, &world.lake, 2), ACTING_WISHES); /* without variables nothing is asked */
	free(a);
}

static void a_resumed_run_shows_what_it_was_given(void **state)
{
	struct acting *a = mem_new(1, sizeof *a);
	struct action_wish w = run_wish("two");
	uint64_t id;

	(void)state;
	use("[runbook two]\nvar.word = a\nvar.key = b\nstep = command /bin/test ${word}${key} = never\n");
	wish_option_set(&w, "word", "typed");
	wish_option_set(&w, "key", "hunter2-hunter2");
	id = begun(&w);
	assert_int_equal(until(id, ACTION_DONE), ACTION_FAILED);
	open_again();
	assert_int_equal(acting_offer(a, &world.lake, 1), ACTING_STAYS); /* though its secret was not kept */
	assert_string_equal(a->values[0].s, "typed");
	assert_string_equal(a->values[1].s, "");
	acting_press(a, &world.lake, K_TAB);
	type(a, "c");
	assert_int_equal(acting_press(a, &world.lake, K_ENTER), ACTING_WISHES);
	assert_string_equal(wish_option(&a->on, RUN_RESUME), "yes");
	assert_string_equal(wish_option(&a->on, "key"), "c");
	assert_null(wish_option(&a->on, "word")); /* as it was */
	id = wished(&a->on);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	assert_string_equal(lake_run(&world.lake, id)->steps[0].exact, "/bin/test typedc = never");
	free(a);
}

static void a_step_tells_where_it_runs_without_its_secrets(void **state)
{
	struct acting *a = mem_new(1, sizeof *a);
	struct action_wish w = run_wish("placed");
	char ini[600];
	uint64_t id;

	(void)state;
	make_file("env");
	snprintf(ini, sizeof ini, "[runbook placed]\ndirectory = %s\nenvironment = %s/hunter2-hunter2/../env\nstep = command /bin/true\nstep = wait web=serving\n"
		"step = testdata load\n[testdata]\nload = /bin/true\ndirectory = /\n", world.folder, world.folder);
	use(ini);
	id = wished(&w);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	snprintf(ini, sizeof ini, "in %s, environment of %s/***/../env", world.folder, world.folder);
	assert_string_equal(lake_run(&world.lake, id)->steps[0].where, ini);
	assert_string_equal(lake_run(&world.lake, id)->steps[1].where, "");
	assert_string_equal(lake_run(&world.lake, id)->steps[2].where, "in /");
	acting_one(a, id);
	assert_true(form_says(a, 100, 28, ini));
	free(a);
}

static bool offered_as(const struct lake *lake, const char *title, struct offer *out)
{
	for (int i = 0; i < offers_end(lake); i++)
		if (offer_get(lake, i, out) && !strcmp(out->title, title))
			return true;
	return false;
}

static void several_services_are_offered_as_one(void **state)
{
	static const char ini[] = "[laketop]\nprofile = many\n[service db]\nkind = postgres\nport = 18992\n[service alone]\nkind = other\nport = 18980\nrequired = no\n"
		"[service w1]\nkind = spark-worker\nport = 18993\nversion = 4.1\nneeds = m1\n[service m1]\nkind = spark-master\nport = 18994\nversion = 4.1\nneeds = db\n"
		"[service m2]\nkind = spark-master\nport = 18995\nversion = 4.2\n[service w2]\nkind = spark-worker\nport = 18996\nversion = 4.2\nneeds = m2\n";
	static struct service all[6], *list[6];
	struct acting *a = mem_new(1, sizeof *a);
	struct err err = {0};
	struct offer offer;
	struct lake lake;

	(void)state;
	world.profile = profile_parse(world.local, text_of(ini), "/etc/many.ini", &err);
	assert_non_null(world.profile);
	lake = (struct lake){.profile = world.profile, .services = list, .n_services = 6};
	for (size_t i = 0; i < 6; i++) {
		const struct expectation *x = &world.profile->services[i];

		all[i] = (struct service){.name = x->name, .expected = x, .kind = x->kind, .required = x->required};
		all[i].verdict.shown.verdict = VERDICT_ABSENT;
		list[i] = &all[i];
	}
	assert_true(offered_as(&lake, "start spark 4.1", &offer));
	assert_true(offer.can && !offer.destructive);
	assert_string_equal(offer.detail, "db, m1, w1"); /* what they need, first */
	assert_true(offered_as(&lake, "start spark 4.2", &offer));
	assert_string_equal(offer.detail, "m2, w2");
	assert_true(offered_as(&lake, "start all", &offer));
	assert_int_equal(offer.n_marks, 5); /* those that are required */
	assert_false(offered_as(&lake, "start spark", &offer)); /* two versions are not for one machine */
	all[0].verdict.shown.verdict = all[3].verdict.shown.verdict = VERDICT_SERVING;
	assert_true(offered_as(&lake, "start spark 4.1", &offer));
	assert_string_equal(offer.detail, "w1");
	all[2].verdict.shown.verdict = VERDICT_SERVING;
	assert_true(offered_as(&lake, "start spark 4.1", &offer));
	assert_false(offer.can);
	assert_string_equal(offer.detail, "nothing to do: all 2 serve");
	assert_true(offered_as(&lake, "stop spark 4.1", &offer));
	assert_true(offer.can && offer.destructive);
	assert_string_equal(offer.detail, "w1, m1"); /* who is needed, last */
	for (int i = 0; i < offers_end(&lake); i++)
		if (offer_get(&lake, i, &offer) && !strcmp(offer.title, "stop spark 4.1"))
			assert_int_equal(acting_offer(a, &lake, i), ACTING_WISHES);
	assert_int_equal(a->mode, ACTING_MANY); /* one yes for both */
	assert_int_equal(a->n_marks, 2);
	assert_string_equal(a->marks[0].service, "w1");
	assert_string_equal(a->on.verb, "stop");
	lake.locked = "locked: L unlocks";
	assert_true(offered_as(&lake, "stop spark 4.1", &offer));
	assert_false(offer.can);
	free(a);
}

/* A whole stack, and more versions than anybody has: each of 60 services is started by one yes. */
static void a_whole_stack_is_offered_and_the_gate_holds_it(void **state)
{
	enum { MANY = 60, VERSIONS = 20 };
	static struct service all[MANY], *list[MANY];
	uint64_t ids[MANY];
	struct buf ini;
	struct err err = {0};
	struct offer offer;
	char title[40];

	(void)state;
	buf_init(&ini, 1 << 16);
	buf_puts(&ini, "[laketop]\nprofile = stack\n");
	for (int i = 0; i < MANY; i++)
		buf_printf(&ini, "[service s%d]\nkind = %s\nport = %d\nversion = 4.%d\nstart = /bin/true\n", i, i % 2 ? "spark-worker" : "spark-master",
			17000 + i, i / 2 % VERSIONS);
	world.profile = profile_parse(world.local, buf_text(&ini), "/etc/stack.ini", &err);
	buf_free(&ini);
	assert_non_null(world.profile);
	world.lake = (struct lake){.host = "localhost", .profile = world.profile, .services = list, .n_services = MANY, .facts = &world.facts};
	for (size_t i = 0; i < MANY; i++) {
		const struct expectation *x = &world.profile->services[i];

		all[i] = (struct service){.name = x->name, .expected = x, .kind = x->kind, .at = {"127.0.0.1", x->ports[0].port}, .required = true};
		all[i].verdict.shown.verdict = VERDICT_ABSENT;
		list[i] = &all[i];
	}
	for (int version = 0; version < VERSIONS; version++) {
		snprintf(title, sizeof title, "start spark 4.%d", version);
		assert_true(offered_as(&world.lake, title, &offer));
	}
	assert_true(offered_as(&world.lake, "start all", &offer));
	assert_true(offer.can);
	assert_int_equal(offer.n_marks, MANY);
	open_gate(false, false);
	for (size_t i = 0; i < MANY; i++) {
		struct action_wish w = wish_of("start", offer.marks[i].service);

		ids[i] = wished(&w);
	}
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(until(ids[i], ACTION_OFFERED), ACTION_OFFERED);
}

/* ---- nothing to do ---- */

/* A Delta table of so many files of 1000 bytes in the folder t, told by its catalog. */
static void make_table(const char *name, int files)
{
	char path[256];
	FILE *log;

	snprintf(path, sizeof path, "%s/t", world.folder);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/t/%s", world.folder, name);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/t/%s/_delta_log", world.folder, name);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/t/%s/_delta_log/00000000000000000000.json", world.folder, name);
	log = fopen(path, "w");
	assert_non_null(log);
	fprintf(log, "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":2}}\n{\"metaData\":{\"id\":\"%s\",\"format\":{\"provider\":\"parquet\"},"
		"\"schemaString\":\"{\\\"type\\\":\\\"struct\\\",\\\"fields\\\":[]}\",\"partitionColumns\":[],\"configuration\":{}}}\n", name);
	for (int i = 0; i < files; i++)
		fprintf(log, "{\"add\":{\"path\":\"f%d\",\"partitionValues\":{},\"size\":1000,\"modificationTime\":1790000000000,\"dataChange\":true}}\n", i);
	fclose(log);
}

static void remove_table(const char *name)
{
	static const char *const parts[] = {"/_delta_log/00000000000000000000.json", "/_delta_log", ""};
	char path[256];

	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/t/%s%s", world.folder, name, parts[i]);
		assert_int_equal(remove(path), 0);
	}
	snprintf(path, sizeof path, "%s/t", world.folder);
	rmdir(path);
}

static void use_tables(const char *more)
{
	char ini[1000];

	make_table("clean", 1);
	make_table("small", 5);
	snprintf(ini, sizeof ini, "[catalog files]\nkind = delta\nfolders = %s/t\nspark_sql = /bin/sh -c \"exit 7\"\n%s", world.folder, more);
	use(ini);
}

static void forget_tables(void)
{
	remove_table("clean");
	remove_table("small");
}

static void nothing_to_do_is_as_good_as_done(void **state)
{
	struct action_wish w = {.verb = "optimize", .service = "files", .subject = "t.clean"};
	uint64_t id;

	(void)state;
	use_tables("");
	id = wished(&w);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_NEEDLESS);
	assert_string_equal(action_state_word(shown(id)->state), "nothing to do");
	assert_non_null(strstr(shown(id)->words, "nothing to do: there are no two files"));
	assert_true(action_is_over(shown(id)->state) && action_went_well(shown(id)->state));
	snprintf(w.verb, sizeof w.verb, "vacuum");
	id = wished(&w);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_NEEDLESS);
	assert_non_null(strstr(shown(id)->words, "nothing to remove"));
	/* where there is something, it is offered; where nothing can be known, it failed */
	w = (struct action_wish){.verb = "optimize", .service = "files", .subject = "t.small"};
	id = wished(&w);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	ops_drop(world.ops, id);
	w = (struct action_wish){.verb = "optimize", .service = "files", .subject = "t.nobody"};
	id = wished(&w);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_FAILED);
	assert_false(action_went_well(shown(id)->state));
	assert_string_equal(file_text("audit.jsonl"), ""); /* nothing was begun */
	assert_int_equal(world.ran, 0);
	forget_tables();
}

static void a_step_that_has_nothing_to_do_is_done(void **state)
{
	struct action_wish w = run_wish("tidy");
	const struct run_shown *run;
	uint64_t id;

	(void)state;
	use_tables("[runbook tidy]\nstep = do optimize files t.clean\nstep = command /bin/true\n");
	id = wished(&w);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	run = lake_run(&world.lake, id);
	assert_true(run->steps[0].known);
	assert_non_null(strstr(run->steps[0].exact, "nothing to do"));
	assert_true(ops_confirm(world.ops, &world.lake, id, NULL));
	assert_int_equal(until(id, ACTION_DONE), ACTION_DONE);
	run = lake_run(&world.lake, id);
	assert_int_equal(run->steps[0].stage, STAGE_DONE);
	assert_non_null(strstr(run->steps[0].words, "nothing to do"));
	assert_int_equal(run->steps[1].stage, STAGE_DONE);
	forget_tables();
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, world_begin, world_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(variables_are_seen_and_typed_before_the_steps_are),
		TEST(a_resumed_run_shows_what_it_was_given),
		TEST(a_step_tells_where_it_runs_without_its_secrets),
		TEST(several_services_are_offered_as_one),
		TEST(a_whole_stack_is_offered_and_the_gate_holds_it),
		TEST(nothing_to_do_is_as_good_as_done),
		TEST(a_step_that_has_nothing_to_do_is_done),
		TEST(what_is_wrong_in_a_runbook_is_told_with_its_line_and_a_remedy),
		TEST(everything_that_can_be_said_arrives),
		TEST(a_mutilated_runbook_is_an_error_or_a_runbook),
		TEST(a_variable_stays_one_word_whatever_it_holds),
		TEST(an_unset_variable_is_told_with_file_line_and_remedy),
		TEST(a_subject_that_is_too_long_is_refused_not_cut),
		TEST(what_a_line_counts_is_understood),
		TEST(no_line_does_harm),
		TEST(a_rate_is_of_the_last_seconds),
		TEST(every_step_is_shown_before_the_yes_and_nothing_is_run),
		TEST(what_cannot_be_known_yet_is_said_so),
		TEST(it_stops_at_the_first_failure_and_resumes_there_with_its_variables),
		TEST(it_begins_where_it_is_told_to),
		TEST(a_changed_runbook_is_not_resumed_by_number),
		TEST(a_lock_in_the_middle_stops_the_next_step_at_the_gate),
		TEST(a_wait_is_over_when_its_time_is_up),
		TEST(what_was_seen_before_a_step_does_not_settle_it),
		TEST(a_start_of_what_serves_is_done),
		TEST(cancelled_it_ends_the_program_of_its_step),
		TEST(what_was_cut_short_is_open_and_resumed_at_its_step),
		TEST(every_step_is_in_the_audit_and_no_secret_is),
		TEST(a_program_gets_its_secret_and_nobody_else),
		TEST(a_variable_that_is_called_a_password_is_not_shown),
		TEST(no_secret_is_cut_in_two_before_it_is_masked),
		TEST(no_line_of_a_program_is_cut_before_it_is_masked),
		TEST(a_command_runs_in_its_folder_with_its_environment),
		TEST(a_folder_that_is_not_there_is_told_before_anything_runs),
		TEST(test_data_tells_how_far_it_is_and_stats_are_whole),
		TEST(a_stream_goes_on_until_it_is_cancelled_and_its_group_with_it),
		TEST(one_that_does_not_heed_the_signal_is_killed),
		TEST(the_profiles_own_is_offered_and_what_was_not_done_can_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
