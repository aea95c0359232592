// SPDX-License-Identifier: MIT
/*
 * The gate, against a host that counts whatever would touch the world. Programs that are started are
 * real ones. What is a table in the house is a loop here: no action is forgotten.
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
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../backend/ops/ops_own.h"
#include "../../panels/panels.h"
#include "fixture_ops.h"

/* ---- the gate ---- */

static void wish_is_refused(const struct action_spec *spec, const struct action_wish *w, const char *because)
{
	struct err err = {0};
	char why[200];

	assert_false(action_offered(&world.lake, spec, w, why));
	assert_non_null(strstr(why, because));
	assert_int_equal(ops_wish(world.ops, &world.lake, w, &err), 0);
	assert_non_null(strstr(err.words, because));
}

/* A runbook, each of its steps that is an action of its own, and test data, as they are really wished. */
static void the_profiles_own_is_refused(const char *because)
{
	static const char *const whole[][3] = {
		{"run", "", "book"}, {"command", "", "book:2"}, {"generate", "testdata", ""}, {"load", "testdata", ""}, {"stream", "testdata", ""},
		{"stats", "testdata", ""}, {"clean", "testdata", ""},
	};
	size_t on_profile = 0;

	for (size_t i = 0; action_specs[i]; i++)
		on_profile += action_specs[i]->on == ON_PROFILE;
	assert_int_equal(on_profile, sizeof whole / sizeof *whole); /* none is forgotten here */
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
		struct action_wish w = wish_of(whole[i][0], whole[i][1]);

		snprintf(w.subject, sizeof w.subject, "%s", whole[i][2]);
		wish_is_refused(action_spec_of(w.verb, ON_PROFILE), &w, because);
	}
}

static void every_action_is_refused(const char *because)
{
	size_t n = 0;

	the_profiles_own_is_refused(because);

	for (; action_specs[n]; n++)
		for (size_t i = 0; i < world.lake.n_services; i++) {
			struct action_wish w = wish_of(action_specs[n]->verb, world.list[i]->name);

			wish_is_refused(action_specs[n], &w, because);
		}
	assert_true(n >= 3);
	turn();
	poll(NULL, 0, 50);
	assert_int_equal(world.lake.n_actions, 0);
	assert_int_equal(atomic_load(&world.touched), 0);
}

static void locked_nothing_is_prepared_run_or_asked(void **state)
{
	(void)state;
	open_gate(false, true);
	every_action_is_refused("locked");
}

static void read_only_nothing_is_and_it_cannot_be_unlocked(void **state)
{
	struct err err = {0};

	(void)state;
	open_gate(true, false);
	every_action_is_refused("--read-only");
	assert_false(ops_lock(world.ops, false, &err));
	every_action_is_refused("--read-only");
}

static void in_a_recording_there_is_nothing_to_change(void **state)
{
	(void)state;
	open_gate(false, false);
	world.lake.replayed = true;
	every_action_is_refused("recording");
}

static void without_an_audit_nothing_is_changed(void **state)
{
	(void)state;
	world.ops = ops_new(&(struct ops_options){.host = &world.host, .profile = world.profile, .news = nothing_new});
	turn();
	every_action_is_refused("no home folder");
}

static void what_was_offered_before_the_lock_does_not_run_after_it(void **state)
{
	struct action_wish w = wish_of("start", "web");
	struct err err = {0};
	uint64_t id;

	(void)state;
	open_gate(false, false);
	id = ops_wish(world.ops, &world.lake, &w, &err);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	assert_true(ops_lock(world.ops, true, &err));
	assert_false(ops_confirm(world.ops, &world.lake, id, &err));
	assert_non_null(strstr(err.words, "locked"));
	assert_int_equal(atomic_load(&world.touched), 0);
}

static void nothing_runs_before_a_yes_and_a_no_leaves_no_trace(void **state)
{
	struct action_wish w = wish_of("start", "web");
	struct err err = {0};
	struct buf audit;
	uint64_t id;

	(void)state;
	open_gate(false, false);
	id = ops_wish(world.ops, &world.lake, &w, &err);
	assert_int_not_equal(id, 0);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	assert_string_equal(shown(id)->title, "start web");
	assert_string_equal(shown(id)->exact, "/bin/sh -c 'echo it would not; exit 3'");
	assert_string_equal(shown(id)->verify, "web serves on 18997");
	assert_int_equal(atomic_load(&world.touched), 0);
	ops_drop(world.ops, id);
	assert_int_equal(until(id, ACTION_CANCELLED), ACTION_CANCELLED);
	assert_int_equal(atomic_load(&world.touched), 0);
	audit = audit_text();
	assert_int_equal(audit.len, 0);
	buf_free(&audit);
}

static void two_presses_are_one_action_and_another_on_the_same_thing_waits(void **state)
{
	struct action_wish w = wish_of("start", "web"), other = wish_of("restart", "web");
	struct err err = {0};
	uint64_t id;

	(void)state;
	open_gate(false, false);
	id = ops_wish(world.ops, &world.lake, &w, &err);
	assert_int_equal(ops_wish(world.ops, &world.lake, &w, &err), id);
	assert_int_equal(ops_wish(world.ops, &world.lake, &other, &err), 0);
	assert_non_null(strstr(err.words, "start web is not over yet"));
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	assert_true(ops_confirm(world.ops, &world.lake, id, &err));
	assert_false(ops_confirm(world.ops, &world.lake, id, &err));
	assert_int_equal(until(id, ACTION_FAILED), ACTION_FAILED);
	assert_int_equal(atomic_load(&world.touched), 1);
}

static void a_start_that_ends_at_once_is_named_and_both_ends_are_in_the_audit(void **state)
{
	struct action_wish w = wish_of("start", "web");
	struct err err = {0};
	struct buf audit;
	uint64_t id;

	(void)state;
	open_gate(false, false);
	id = ops_wish(world.ops, &world.lake, &w, &err);
	until(id, ACTION_OFFERED);
	assert_true(ops_confirm(world.ops, &world.lake, id, &err));
	assert_int_equal(until(id, ACTION_FAILED), ACTION_FAILED);
	assert_non_null(strstr(shown(id)->words, "ended with 3"));
	assert_non_null(strstr(world.said, "start web: failed after"));
	audit = audit_text();
	assert_non_null(strstr(audit.at, "\"phase\":\"begin\""));
	assert_non_null(strstr(audit.at, "\"phase\":\"end\""));
	assert_non_null(strstr(audit.at, "\"state\":\"failed\""));
	buf_free(&audit);
}

/* web fails: what waits behind it runs only where it was asked to go on. */
static void one_after_another(bool go_on, enum action_state second)
{
	struct action_wish w = wish_of("start", "web"), other = wish_of("start", "dry");
	struct err err = {0};
	uint64_t ids[2];

	open_gate(false, false);
	ids[0] = ops_wish(world.ops, &world.lake, &w, &err);
	ids[1] = ops_wish(world.ops, &world.lake, &other, &err);
	assert_int_not_equal(ids[1], 0);
	assert_int_equal(until(ids[0], ACTION_OFFERED), ACTION_OFFERED);
	assert_int_equal(until(ids[1], ACTION_OFFERED), ACTION_OFFERED);
	assert_true(ops_confirm_all(world.ops, &world.lake, ids, 2, go_on, &err));
	turn();
	assert_true(ops_acting(world.ops));
	assert_int_equal(until(ids[0], ACTION_FAILED), ACTION_FAILED);
	assert_int_equal(until(ids[1], second), second);
	if (!go_on)
		assert_string_equal(shown(ids[1])->words, "not run: failed before it");
	assert_int_equal(atomic_load(&world.touched), go_on ? 2 : 1);
}

static void of_several_the_first_failure_ends_the_row(void **state)
{
	(void)state;
	one_after_another(false, ACTION_CANCELLED);
}

static void of_several_the_rest_goes_on_where_it_was_asked_to(void **state)
{
	(void)state;
	one_after_another(true, ACTION_FAILED);
}

static void what_came_about_before_its_turn_is_not_done_again(void **state)
{
	struct action_wish first = wish_of("start", "web"), second = wish_of("start", "dry");
	struct err err = {0};
	uint64_t ids[2];

	(void)state;
	open_gate(false, false);
	ids[0] = ops_wish(world.ops, &world.lake, &first, &err);
	ids[1] = ops_wish(world.ops, &world.lake, &second, &err);
	assert_int_equal(until(ids[0], ACTION_OFFERED), ACTION_OFFERED);
	assert_int_equal(until(ids[1], ACTION_OFFERED), ACTION_OFFERED);
	assert_true(ops_confirm_all(world.ops, &world.lake, ids, 2, true, &err));
	world.services[1].verdict.shown.verdict = VERDICT_SERVING;
	assert_int_equal(until(ids[1], ACTION_DONE), ACTION_NEEDLESS);
	assert_string_equal(shown(ids[1])->words, "it was so already");
	assert_int_equal(shown(ids[1])->begun, 0);
}

/* Of this process no file may grow beyond what the audit is now: as on a full disk. */
static void fill_disk(bool full)
{
	static struct rlimit before;
	struct rlimit now;
	struct stat st;
	char path[120];

	snprintf(path, sizeof path, "%s/audit.jsonl", world.folder);
	assert_int_equal(stat(path, &st), 0);
	if (full) {
		assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
		signal(SIGXFSZ, SIG_IGN);
	}
	now = before;
	now.rlim_cur = full ? (rlim_t)st.st_size : before.rlim_cur;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
}

static uint64_t ended_on_a_full_disk(const struct action_wish *w, enum action_state *ended)
{
	struct err err = {0};
	uint64_t id;

	open_gate(false, false);
	id = ops_wish(world.ops, &world.lake, w, &err);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	assert_true(ops_confirm(world.ops, &world.lake, id, &err));
	fill_disk(true);
	*ended = until(id, ACTION_DONE);
	return id;
}

static void an_end_that_a_full_disk_kept_out_is_told_and_tried_again(void **state)
{
	struct action_wish w = wish_of("start", "web");
	enum action_state ended;
	char words[ACTION_WORDS_SIZE];
	struct buf text;
	uint64_t id;

	(void)state;
	id = ended_on_a_full_disk(&w, &ended);
	fill_disk(false);
	assert_int_equal(ended, ACTION_FAILED);
	snprintf(words, sizeof words, "%s", shown(id)->words);
	assert_non_null(strstr(words, "; its end could not be written to the audit: "));
	assert_non_null(strstr(words, "audit.jsonl: File too large"));
	assert_non_null(strstr(world.said, "could not be written to the audit"));
	text = audit_text();
	assert_false(text_has(buf_text(&text), "\"phase\":\"end\""));
	buf_free(&text);
	assert_int_equal(ops_stop(world.ops, clock_ms() + 5000), 0); /* there is room again */
	world.ops = NULL;
	text = audit_text();
	assert_true(text_has(buf_text(&text), "\"phase\":\"end\""));
	assert_false(text_has(buf_text(&text), "could not be written"));
	buf_free(&text);
}

/* Of a program that said nothing the only words are those of the audit. */
static void an_end_without_words_is_written_without_that_it_could_not_be(void **state)
{
	struct action_wish w = wish_of("load", "testdata");
	enum action_state ended;
	char words[ACTION_WORDS_SIZE];
	struct buf text;
	uint64_t id;

	(void)state;
	id = ended_on_a_full_disk(&w, &ended);
	snprintf(words, sizeof words, "%s", shown(id)->words);
	fill_disk(false);
	assert_int_equal(ended, ACTION_DONE);
	assert_memory_equal(words, "its end could not be written", strlen("its end could not be written"));
	assert_int_equal(ops_stop(world.ops, clock_ms() + 5000), 0);
	world.ops = NULL;
	text = audit_text();
	assert_true(text_has(buf_text(&text), "\"phase\":\"end\""));
	assert_false(text_has(buf_text(&text), "could not be written"));
	buf_free(&text);
}

static void half_an_end_says_that_it_ended(void **state)
{
	static const char lines[] =
		"{\"phase\":\"begin\",\"run\":\"99.1\",\"id\":7,\"pid\":2147480000,\"pid_began_ms\":5,\"who\":\"x\",\"verb\":\"compact\","
		"\"service\":\"lake\",\"subject\":\"a.b\",\"title\":\"compact lake a.b\",\"exact\":\"CALL\",\"note\":\"operation o\",\"begun_ms\":9}\n"
		"{\"phase\":\"begin\",\"run\":\"99.1\",\"id\":77,\"pid\":2147480000,\"pid_began_ms\":5,\"who\":\"x\",\"verb\":\"stop\","
		"\"service\":\"web\",\"subject\":\"\",\"title\":\"stop web\",\"exact\":\"x\",\"begun_ms\":-9223372036854775808}\n"
		"{\"at\":\"2026-11-30T01:55:50.515Z\",\"phase\":\"end\",\"run\":\"99.1\",\"id\":7,\"pid\":2147480000,\"pid_beg";
	struct action_shown open[4];
	char path[120];
	FILE *f;

	(void)state;
	snprintf(path, sizeof path, "%s/audit.jsonl", world.folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(lines, f);
	fclose(f);
	assert_int_equal(actions_left_open(world.local, world.folder, open, 4), 2);
	assert_string_equal(open[0].words, "it ended, and its end was not written whole (disk full?); operation o");
	assert_string_equal(open[1].words, ""); /* of this one nothing is known */
	assert_int_equal(open[0].begun, 9);
	assert_int_equal(open[1].begun, 0); /* nor when it was: that is of no calendar */
}

static void what_waits_its_turn_is_locked_out_and_taken_out(void **state)
{
	struct action_wish w = wish_of("start", "web"), other = wish_of("start", "dry");
	struct err err = {0};
	uint64_t ids[2];

	(void)state;
	open_gate(false, false);
	ids[0] = ops_wish(world.ops, &world.lake, &w, &err);
	ids[1] = ops_wish(world.ops, &world.lake, &other, &err);
	until(ids[0], ACTION_OFFERED);
	until(ids[1], ACTION_OFFERED);
	assert_true(ops_confirm_all(world.ops, &world.lake, ids, 2, true, &err));
	for (int64_t end = clock_ms() + 60000; !atomic_load(&world.touched) && clock_ms() < end; poll(NULL, 0, 2))
		continue; /* the first has passed the gate; no turn, so that the other cannot follow */
	assert_true(ops_lock(world.ops, true, &err));
	assert_int_equal(until(ids[1], ACTION_CANCELLED), ACTION_CANCELLED);
	assert_non_null(strstr(shown(ids[1])->words, "locked"));
	assert_int_equal(atomic_load(&world.touched), 1);
}

static void an_end_that_was_never_written_is_written_later(void **state)
{
	static const char line[] =
		"{\"phase\":\"begin\",\"profile\":\"ops\",\"run\":\"99.1\",\"id\":7,\"pid\":2147480000,\"pid_began_ms\":5,\"who\":\"x\",\"verb\":\"compact\","
		"\"service\":\"lake\",\"subject\":\"a.b\",\"title\":\"compact lake a.b\",\"exact\":\"CALL\",\"note\":\"session s, operation o\",\"begun_ms\":9}\n";
	struct action_shown open[2];
	struct audit_entry entry;
	struct err err = {0};
	char path[120];
	struct audit *a;
	FILE *f;

	(void)state;
	snprintf(path, sizeof path, "%s/audit.jsonl", world.folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(line, f);
	fclose(f);
	a = audit_open(&world.host, world.folder, world.profile, &err);
	assert_non_null(a);
	assert_int_equal(audit_left_open(a, open, 2), 1);
	assert_false(audit_entry_of(a, "lake", "a.c", &entry));
	assert_true(audit_entry_of(a, "lake", "a.b", &entry));
	assert_string_equal(entry.shown.words, "session s, operation o");
	assert_true(audit_end_entry(a, &entry, ACTION_CANCELLED, "cut short", &err));
	assert_int_equal(audit_left_open(a, open, 2), 0);
	assert_false(audit_entry_of(a, "lake", "a.b", &entry));
	audit_close(a);
}

static void a_port_that_is_taken_between_offer_and_yes_is_told_and_nothing_runs(void **state)
{
	struct listener listener = {.address = "127.0.0.1", .port = 18997, .pid = 812};
	struct port_row row = {.port = 18997, .listener = &listener, .owner = {.pid = 812, .process = "postgres", .unit = "postgresql@15-main.service"}};
	struct action_wish w = wish_of("start", "web");
	struct err err = {0};
	uint64_t id;

	(void)state;
	open_gate(false, false);
	id = ops_wish(world.ops, &world.lake, &w, &err);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	world.lake.ports = &row;
	world.lake.n_ports = 1;
	assert_false(ops_confirm(world.ops, &world.lake, id, &err));
	assert_string_equal(err.words, "18997 is held by postgres, pid 812, unit postgresql@15-main.service: it could not start");
	assert_int_equal(atomic_load(&world.touched), 0);
	ops_drop(world.ops, id);
	assert_int_equal(until(id, ACTION_CANCELLED), ACTION_CANCELLED);
	assert_int_equal(ops_wish(world.ops, &world.lake, &w, &err), 0);
	row.answers = &world.services[2];
	assert_int_equal(ops_wish(world.ops, &world.lake, &w, &err), 0);
	assert_string_equal(err.words, "18997 is held by db (postgres, pid 812, unit postgresql@15-main.service): it could not start");
	row.owner = (struct owner){.container = "postgres-1"};
	row.answers = NULL;
	assert_int_equal(ops_wish(world.ops, &world.lake, &w, &err), 0);
	assert_string_equal(err.words, "18997 is held by container postgres-1: it could not start");
	world.lake.n_ports = 0;
}

static void it_is_done_when_the_verdict_says_so_and_not_before(void **state)
{
	struct action_wish w = wish_of("restart", "web");
	struct err err = {0};
	uint64_t id;

	(void)state;
	open_gate(false, false);
	world.services[0].verdict.shown.verdict = VERDICT_SICK;
	id = ops_wish(world.ops, &world.lake, &w, &err); /* of a restart both are shown */
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	assert_string_equal(shown(id)->exact, "/bin/true\n/bin/sh -c 'echo it would not; exit 3'");
	ops_drop(world.ops, id);
	assert_int_equal(until(id, ACTION_CANCELLED), ACTION_CANCELLED);
	w = wish_of("stop", "web");
	world.services[0].verdict.shown.owner.pid = getpid(); /* it is still there */
	id = ops_wish(world.ops, &world.lake, &w, &err);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	assert_string_equal(shown(id)->exact, "/bin/true");
	assert_true(ops_confirm(world.ops, &world.lake, id, &err));
	world.services[0].verdict.shown.verdict = VERDICT_SERVING;
	assert_int_equal(until(id, ACTION_VERIFYING), ACTION_VERIFYING);
	for (int i = 0; i < 5; i++)
		turn();
	assert_int_equal(shown(id)->state, ACTION_VERIFYING);
	world.services[0].verdict.shown.verdict = VERDICT_ABSENT;
	assert_int_equal(until(id, ACTION_DONE), ACTION_DONE);
}

static void what_cannot_be_done_says_why(void **state)
{
	struct err err = {0};
	struct action_wish w;

	(void)state;
	open_gate(false, false);
	w = wish_of("start", "nobody");
	assert_int_equal(ops_wish(world.ops, &world.lake, &w, &err), 0);
	assert_non_null(strstr(err.words, "there is no service \"nobody\""));
	w = wish_of("dance", "web");
	assert_int_equal(ops_wish(world.ops, &world.lake, &w, &err), 0);
	assert_non_null(strstr(err.words, "no action \"dance\""));
	w = wish_of("start", "db");
	assert_int_equal(ops_wish(world.ops, &world.lake, &w, &err), 0);
	assert_non_null(strstr(err.words, "container, unit, compose or start"));
	w = wish_of("stop", "web");
	assert_int_equal(ops_wish(world.ops, &world.lake, &w, &err), 0);
	assert_non_null(strstr(err.words, "does not run"));
	snprintf(w.subject, sizeof w.subject, "orders");
	assert_int_equal(ops_wish(world.ops, &world.lake, &w, &err), 0);
	assert_non_null(strstr(err.words, "not for a part of it"));
	world.services[0].verdict.shown.verdict = VERDICT_SERVING;
	w = wish_of("start", "web");
	assert_int_equal(ops_wish(world.ops, &world.lake, &w, &err), 0);
	assert_non_null(strstr(err.words, "runs already"));
	assert_true(wish_option_set(&w, "colour", "red"));
	assert_int_equal(ops_wish(world.ops, &world.lake, &w, &err), 0);
	assert_non_null(strstr(err.words, "takes no option \"colour\""));
}

/* ---- the audit ---- */

static void what_was_cut_short_is_shown_by_the_next_start(void **state)
{
	struct action_shown s = {.id = 7, .state = ACTION_RUNNING, .wish = wish_of("compact", "lake"), .title = "compact lake", .exact = "CALL x",
		.begun = 1795953871000, .part = (double)NAN}, open[2];
	struct buf text;
	struct audit *a;
	struct err err = {0};
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) { /* another laketop, killed in its middle */
		a = audit_open(world.local, world.folder, world.profile, NULL);
		_exit(!a || !audit_write(a, AUDIT_BEGIN, &s, NULL, NULL) || !audit_write(a, AUDIT_NOTE, &s, "operation 1234", NULL));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	a = audit_open(world.local, world.folder, world.profile, &err);
	assert_int_equal(audit_left_open(a, open, 2), 1);
	assert_string_equal(open[0].title, "compact lake");
	assert_string_equal(open[0].words, "operation 1234");
	assert_int_equal(open[0].state, ACTION_OPEN);
	/* one that this very process has begun is at work, not left open */
	s.id = 8;
	assert_true(audit_write(a, AUDIT_BEGIN, &s, NULL, &err));
	assert_int_equal(audit_left_open(a, open, 2), 1);
	audit_close(a);
	open_gate(false, false);
	assert_int_equal(world.lake.n_actions, 1);
	/* it is dismissed by who knows how it stands, not under lock, and once */
	assert_true(ops_lock(world.ops, true, &err));
	ops_drop(world.ops, world.lake.actions[0].id);
	turn();
	assert_int_equal(world.lake.n_actions, 1);
	assert_true(ops_lock(world.ops, false, &err));
	ops_drop(world.ops, world.lake.actions[0].id);
	turn();
	assert_int_equal(world.lake.n_actions, 0);
	text = audit_text();
	assert_non_null(strstr(text.at, "\"title\":\"compact lake\""));
	assert_non_null(strstr(text.at, "cut short; dismissed by "));
	buf_free(&text);
}

/* Begins what s says in a process of its own, which kills itself when from_us is closed. Its pid. */
static pid_t another_laketop(struct action_shown *s, int from_us[2])
{
	int to_us[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(from_us) | pipe(to_us), 0);
	child = fork();
	if (child == 0) {
		struct audit *a = audit_open(world.local, world.folder, world.profile, NULL);

		close(from_us[1]);
		if (a && audit_write(a, AUDIT_BEGIN, s, NULL, NULL) && write(to_us[1], "", 1) == 1 && read(from_us[0], &byte, 1) == 0)
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	close(from_us[0]);
	close(to_us[1]);
	assert_int_equal(read(to_us[0], &byte, 1), 1);
	close(to_us[0]);
	return child;
}

static struct action_shown begun_shown(uint64_t id, const char *verb, const char *service)
{
	struct action_shown s = {.id = id, .state = ACTION_RUNNING, .wish = wish_of(verb, service), .begun = 1795953871000, .part = (double)NAN};

	snprintf(s.title, sizeof s.title, "%s %s", verb, service);
	return s;
}

static void what_another_laketop_is_at_is_not_begun_here(void **state)
{
	struct action_shown theirs = begun_shown(7, "stop", "web"), ours = begun_shown(8, "restart", "web");
	struct err err = {0};
	struct audit *a;
	int end[2], status;
	pid_t child = another_laketop(&theirs, end);

	(void)state;
	a = audit_open(world.local, world.folder, world.profile, &err);
	assert_false(audit_write(a, AUDIT_BEGIN, &ours, NULL, &err));
	assert_non_null(strstr(err.words, "stop web is not over yet: another laketop"));
	ours.wish = wish_of("stop", "db");
	assert_true(audit_write(a, AUDIT_BEGIN, &ours, NULL, &err));
	close(end[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	/* it is gone: what it left open is told, and in nobody's way */
	ours = begun_shown(9, "restart", "web");
	assert_true(audit_write(a, AUDIT_BEGIN, &ours, NULL, &err));
	audit_close(a);
}

static void cut_short(struct action_shown *s)
{
	int end[2], status;
	pid_t child = another_laketop(s, end);

	close(end[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
}

static void before_a_yes_it_is_told_what_was_cut_short_on_the_same_thing(void **state)
{
	struct action_shown s = begun_shown(7, "stop", "web");
	struct action_wish w = wish_of("start", "web");
	struct err err = {0};
	uint64_t id;

	(void)state;
	cut_short(&s);
	open_gate(false, false);
	id = ops_wish(world.ops, &world.lake, &w, &err);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	assert_non_null(strstr(shown(id)->effect, "stop web was cut short before, and may still go on"));
}

static void what_another_profile_left_open_is_its_own(void **state)
{
	struct action_shown s = begun_shown(7, "stop", "web"), open[1];
	struct action_wish w = wish_of("start", "web");
	struct profile *ours = world.profile, theirs = *world.profile;
	struct audit_entry entry;
	struct err err = {0};
	struct audit *a;
	uint64_t id;

	(void)state;
	theirs.name = "prod";
	world.profile = &theirs;
	cut_short(&s);
	world.profile = ours;
	assert_int_equal(actions_left_open(world.local, world.folder, open, 1), 1);
	assert_string_equal(open[0].profile, "prod"); /* it is listed, and whose it is */
	a = audit_open(world.local, world.folder, world.profile, &err);
	assert_false(audit_entry_of(a, "web", "", &entry));
	assert_int_equal(audit_left_open(a, open, 1), 1);
	assert_true(audit_entry_shown(a, open[0].id, &entry)); /* and who looks at it may dismiss it */
	audit_close(a);
	open_gate(false, false);
	id = ops_wish(world.ops, &world.lake, &w, &err);
	assert_int_equal(until(id, ACTION_OFFERED), ACTION_OFFERED);
	assert_null(strstr(shown(id)->effect, "cut short"));
}

static void behind_half_a_line_a_begin_is_read(void **state)
{
	struct action_shown s = begun_shown(7, "stop", "web"), open[4];
	char path[128];
	FILE *f;

	(void)state;
	snprintf(path, sizeof path, "%s/audit.jsonl", world.folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("{\"at\":\"2026-11-29T10:00:00Z\",\"pha", f); /* the disk was full */
	fclose(f);
	cut_short(&s);
	assert_int_equal(actions_left_open(world.local, world.folder, open, 4), 1);
	assert_string_equal(open[0].title, "stop web");
}

/* laketop died, and the program that it began may live: that is looked at, and not left to who reads it. */
static void of_a_program_that_was_left_open_it_is_told_whether_it_runs(void **state)
{
	struct action_shown s = begun_shown(7, "stream", "testdata"), open[1];
	char note[40], path[128];
	pid_t program = fork(), child;
	int status;

	(void)state;
	if (program == 0)
		for (;;)
			pause();
	s.begun = clock_wall_ms();
	snprintf(note, sizeof note, "pid %d", (int)program);
	child = fork();
	if (child == 0) {
		struct audit *a = audit_open(world.local, world.folder, world.profile, NULL);

		_exit(!a || !audit_write(a, AUDIT_BEGIN, &s, NULL, NULL) || !audit_write(a, AUDIT_NOTE, &s, note, NULL));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(actions_left_open(world.local, world.folder, open, 1), 1);
	assert_non_null(strstr(open[0].words, "still runs"));
	kill(program, SIGKILL);
	assert_int_equal(waitpid(program, &status, 0), program);
	assert_int_equal(actions_left_open(world.local, world.folder, open, 1), 1);
	assert_non_null(strstr(open[0].words, "is over"));
	snprintf(path, sizeof path, "%s/audit.jsonl", world.folder);
	unlink(path);
}

static void of_many_left_open_the_newest_are_told(void **state)
{
	char name[16];
	struct action_shown open[2];

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct action_shown s;

		snprintf(name, sizeof name, "s%d", i);
		s = begun_shown(7, "stop", name);
		cut_short(&s);
	}
	assert_int_equal(actions_left_open(world.local, world.folder, open, 2), 2);
	assert_string_equal(open[0].title, "stop s1");
	assert_string_equal(open[1].title, "stop s2");
}

static void a_file_that_is_begun_anew_or_taken_away_hides_nothing(void **state)
{
	struct action_shown s = begun_shown(7, "stop", "web"), ours = begun_shown(8, "stop", "db"), open[1];
	char path[128], old[132];
	struct err err = {0};
	struct audit *a;
	struct buf text;

	(void)state;
	snprintf(path, sizeof path, "%s/audit.jsonl", world.folder);
	snprintf(old, sizeof old, "%s.1", path);
	cut_short(&s);
	a = audit_open(world.local, world.folder, world.profile, &err);
	assert_non_null(a);
	assert_int_equal(rename(path, old), 0);
	assert_int_equal(audit_left_open(a, open, 1), 1);
	assert_string_equal(open[0].title, "stop web");
	assert_true(audit_write(a, AUDIT_BEGIN, &ours, NULL, &err));
	text = audit_text();
	assert_non_null(strstr(text.at, "stop db"));
	buf_free(&text);
	unlink(path);
	unlink(old);
	assert_int_equal(rmdir(world.folder), 0);
	assert_true(audit_write(a, AUDIT_NOTE, &ours, NULL, &err));
	assert_int_equal(access(path, F_OK), 0);
	audit_close(a);
}

static void no_secret_of_the_profile_is_ever_written(void **state)
{
	char words[100] = "psql password=hunter2-hunter2 and hunter2-hunter2";

	(void)state;
	mask_secrets(world.profile, words, sizeof words);
	assert_string_equal(words, "psql password=*** and ***");
}

static void half_a_secret_at_a_cut_is_none_that_can_be_read(void **state)
{
	static char quoted[] = "pa'ss wd", longer[] = "pa'ss wd-and-more";
	struct expectation services[] = {{.credentials = {.password = quoted, .token = longer}}};
	const struct profile p = {.services = services, .n_services = 1};
	char out[200] = "", line[200], full[30] = "it said that it was pa'ss wd-", ended[40] = "it said that it was pa's";

	(void)state;
	mask_secrets(&p, full, sizeof full);
	assert_string_equal(full, "it said that it was ***");
	mask_secrets(&p, ended, sizeof ended); /* nobody cut it: it is another word */
	assert_string_equal(ended, "it said that it was pa's");
	assert_string_equal(mask_copy(&p, out, sizeof out, TEXT("x pa'ss wd-and-more pa'ss wd!"), false), "x *** ***!");
	assert_string_equal(mask_copy(&p, out, 10, TEXT("123456 pa'ss wd"), false), "123456 **");
	assert_string_equal(mask_copy(&p, out, 3, TEXT("1\u00e9\u00e9"), false), "1");
	out[0] = '\0';
	argv_words(&p, (const char *const[]){"login", quoted, NULL}, out, sizeof out);
	assert_null(strstr(out, "ss wd"));
	memset(line, '.', 150);
	snprintf(line + 150, sizeof line - 150, "%s", longer);
	last_lines(&p, text_of(line), out, sizeof out);
	assert_null(strstr(out, "pa'"));
}

static void a_secret_is_known_in_json_and_in_a_url(void **state)
{
	static char odd[] = "a\"b\\c/d e%\u00e9\U0001F512+t\tz";
	static const char *const written[] = {
		"x a\"b\\c/d e%\u00e9\U0001F512+t\tz.", "x a\\\"b\\\\c/d e%\u00e9\U0001F512+t\\tz.", "x a\\u0022b\\u005Cc\\/d e%\\u00e9\\ud83d\\uDD12+t\\u0009z.",
		"x a%22b%5Cc%2Fd%20e%25%C3%A9%F0%9F%94%92%2Bt%09z.", "x a%22b%5cc/d+e%25%c3%a9%f0%9f%94%92%2bt%09z.",
	};
	struct expectation services[] = {{.credentials = {.password = odd}}};
	const struct profile p = {.services = services, .n_services = 1};
	char out[200], cut[200];

	(void)state;
	for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
		assert_string_equal(mask_copy(&p, out, sizeof out, text_of(written[i]), false), "x ***.");
		for (size_t n = 0; n < strlen(written[i]); n++) { /* every beginning, within its own bytes; what is cut shows at most three letters */
			char *part = mem_new(n + 1, 1);

			memcpy(part, written[i], n);
			mask_copy(&p, cut, sizeof cut, (struct text){part, n}, true);
			assert_null(strstr(cut, "c/d"));
			assert_null(strstr(cut, "%2Fd"));
			free(part);
		}
	}
	assert_string_equal(mask_copy(&p, out, sizeof out, TEXT("100% \\u12 %zz \\q + \\ud83d %"), true), "100% \\u12 %zz \\q + \\ud83d %");
}

static void what_a_control_parts_is_a_secret_all_the_same(void **state)
{
	char out[100];

	(void)state;
	open_gate(false, false);
	ops_mask(world.ops, out, sizeof out, "one hunter2-\033hunter2\ntwo");
	assert_string_equal(out, "one ***\ntwo");
}

static void an_audit_that_is_no_plain_file_is_refused(void **state)
{
	char path[128];
	struct err err = {0};

	(void)state;
	snprintf(path, sizeof path, "%s/audit.jsonl", world.folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(audit_open(world.local, world.folder, world.profile, &err));
	assert_true(err.words[0] != '\0');
}

/* ---- words and programs ---- */

static void an_argv_is_shown_as_it_could_be_typed(void **state)
{
	char out[200] = "";

	(void)state;
	argv_words(NULL, (const char *const[]){"docker", "compose", "-f", "/srv/my lake/a.yml", "up", "", "$(reboot)", NULL}, out, sizeof out);
	assert_string_equal(out, "docker compose -f '/srv/my lake/a.yml' up '' '$(reboot)'");
	out[0] = '\0';
	argv_words(NULL, (const char *const[]){"echo", "it's; true", NULL}, out, sizeof out);
	assert_string_equal(out, "echo 'it'\\''s; true'");
}

static void a_secret_that_an_argv_names_is_not_shown(void **state)
{
	char out[300] = "";

	(void)state;
	argv_words(NULL, (const char *const[]){"/x.sh", "password=hunter2", "--token", "tok en's", "--api-key=KEY", "--port", "1", NULL}, out, sizeof out);
	assert_string_equal(out, "/x.sh password=*** --token *** --api-key=*** --port 1");
	out[0] = '\0';
	argv_words(NULL, (const char *const[]){"/usr/bin/mysql", "-phunter2", "-h", "db", "postgres://u:hunter2@h/d", "password=x", NULL}, out, sizeof out);
	assert_string_equal(out, "/usr/bin/mysql *** -h db postgres://u:***@h/d password=***");
	out[0] = '\0'; /* what only sounds like one */
	argv_words(NULL, (const char *const[]){"systemctl", "--no-ask-password", "start", "token.service", NULL}, out, sizeof out);
	assert_string_equal(out, "systemctl --no-ask-password start token.service");
}

static void a_secret_that_a_line_names_is_not_told(void **state)
{
	static const struct {
		const char *said, *told;
	} cases[] = {
		{"connecting with password=hunter2 to db", "connecting with password=*** to db"},
		{"+ /x.sh --token hunter2 --port 1", "+ /x.sh --token *** --port 1"},
		{"db.password = \"hun ter2\", rows = 5", "db.password = *** rows = 5"},
		{"{\"password\": \"hun ter2\", \"rows\": 5}", "{\"password\": *** \"rows\": 5}"},
		{"{\"password\":\"hun ter2\",\"rows\":5} next", "{\"password\":*** next"},
		{"password='hun ter2' next", "password=*** next"},
		{"your new password: hunter2", "your new password: ***"},
		{"Authorization: Basic aHVudGVyMg==", "Authorization: Basic ***"},
		{"authorization: Bearer hunter2", "authorization: Bearer ***"},
		{"see postgres://u:hunter2@h/d now", "see postgres://u:***@h/d now"},
		{"pass\x01word=hunter2", "password=***"},
		/* what only sounds like one */
		{"ExpiredToken: The provided token has expired", "ExpiredToken: The provided token has expired"},
		{"java.io.InvalidCredentialsException: no such user", "java.io.InvalidCredentialsException: no such user"},
		{"FATAL:  password authentication failed for user \"lake\"", "FATAL:  password authentication failed for user \"lake\""},
		{"it's done: 1,000 of 2,000 rows (50%) at http://h:8080/a?b=c", "it's done: 1,000 of 2,000 rows (50%) at http://h:8080/a?b=c"},
		{"", ""}, {"=", "="}, {" : ", " : "}, {"\"", "\""}, {"'\\", "'\\"},
	};
	char out[200], part[200];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_string_equal(said_words(NULL, out, sizeof out, text_of(cases[i].said)), cases[i].told);
		for (size_t n = 0; n < strlen(cases[i].said); n++) { /* every beginning */
			memcpy(part, cases[i].said, n);
			said_words(NULL, out, sizeof out, (struct text){part, n});
		}
	}
	last_lines(NULL, TEXT("starting\nno: password=hunter2 is wrong\n"), out, sizeof out);
	assert_string_equal(out, "starting\nno: password=*** is wrong");
}

static void a_containers_last_words_are_read_from_frames_and_from_a_plain_log(void **state)
{
	static const char framed[] = "\1\0\0\0\0\0\0\6first\n\2\0\0\0\0\0\0\23no such bucket\033[1m\n\1\0\0\0\0\0\0\1\n";
	char out[80];

	(void)state;
	container_last_words(NULL, (struct text){framed, sizeof framed - 1}, out, sizeof out);
	assert_int_equal(strncmp(out, "first\nno such bucket", 20), 0);
	assert_null(strchr(out, '\033'));
	container_last_words(NULL, TEXT("first\r\nlast words\r\n\r\n"), out, sizeof out);
	assert_string_equal(out, "first\nlast words");
	container_last_words(NULL, TEXT(""), out, sizeof out);
	assert_string_equal(out, "");
	for (size_t n = 0; n < sizeof framed; n++) /* every beginning */
		container_last_words(NULL, (struct text){framed, n}, out, sizeof out);
	container_last_words(NULL, (struct text){"\1\0\0\0\377\377\377\377x", 9}, out, sizeof out);
	assert_string_equal(out, "x");
}

static void of_a_stack_trace_the_message_is_told_and_not_the_frames(void **state)
{
	char out[200];

	(void)state;
	last_lines(NULL, TEXT("1\n2\nERROR no disk\njava.io.IOException: full\n\tat a.B.c(B.java:1)\n\tat d.E.f(E.java:2)\n\t... 12 more\n"), out, sizeof out);
	assert_string_equal(out, "2\nERROR no disk\njava.io.IOException: full");
	last_lines(NULL, TEXT("a\nb"), out, 3);
	assert_string_equal(out, "a\n");
}

static void a_container_has_ended_where_the_engine_says_so(void **state)
{
	struct container_end end;

	(void)state;
	assert_true(container_read(TEXT("{\"State\":{\"Status\":\"exited\",\"ExitCode\":3,\"Error\":\"no such file\"}}"), &end));
	assert_true(end.ended && end.code == 3);
	assert_string_equal(end.error, "no such file");
	assert_true(container_read(TEXT("{\"RestartCount\":4,\"State\":{\"Status\":\"restarting\",\"ExitCode\":3}}"), &end));
	assert_true(!end.ended && end.restarting && end.restarts == 4 && end.code == 3);
	assert_false(container_read(TEXT("{\"State\":7}"), &end));
	assert_false(container_read(TEXT("not json"), &end));
}

static void what_an_engine_refuses_is_told_with_what_helps(void **state)
{
	static const struct {
		long status;
		const char *says, *helps;
	} known[] = {
		{404, "No such container: x", "removed meanwhile"},
		{409, "cannot start a paused container, try unpause instead", "start it once more"},
		{409, "removal of container x is already in progress", "try again"},
		{500, "driver failed: listen tcp4 127.0.0.1:80: bind: address already in use", "key 2"},
		{500, "driver failed: Bind for 0.0.0.0:80 failed: port is already allocated", "key 2"},
		{500, "it is broken", "HTTP 500: it is broken"},
	};
	char huge[700];
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		err = (struct err){0};
		assert_false(container_refused(known[i].status, known[i].says, &err));
		assert_non_null(strstr(err.words, known[i].says));
		assert_non_null(strstr(err.words, known[i].helps));
	}
	memset(huge, 'a', sizeof huge - 1);
	huge[sizeof huge - 1] = '\0';
	assert_false(container_refused(409, huge, &err));
	assert_non_null(strstr(err.words, "try again when that is over"));
}

/* The words are those of systemctl 252's binaries: no systemd runs where these tests do. */
static void what_systemctl_refuses_is_told_with_what_helps(void **state)
{
	(void)state;
	assert_non_null(strstr(unit_remedy(TEXT("Failed to start a.service: Interactive authentication required."), false), "polkit"));
	assert_non_null(strstr(unit_remedy(TEXT("Failed to stop a.service: Access denied"), false), "sudo"));
	assert_non_null(strstr(unit_remedy(TEXT("Failed to connect to bus: No medium found"), true), "enable-linger"));
	assert_non_null(strstr(unit_remedy(TEXT("Failed to connect to bus: Host is down"), false), "no systemd"));
	assert_non_null(strstr(unit_remedy(TEXT("System has not been booted with systemd as init sys" "tem (PID 1). Can't operate."), false), "no systemd"));
	assert_non_null(strstr(unit_remedy(TEXT("Failed to start a.service: Unit a.service is masked."), true), "--user unmask"));
	assert_string_equal(unit_remedy(TEXT("anything else"), true), "");
}

static void a_masters_page_gives_its_token_only_for_what_it_lists(void **state)
{
	static const char page[] = "<td>app-20261129-0001</td><form action=\"app/kill/\" method=\"POST\"><input type=\"hidden\" name=\"csrfToken\" "
		"value=\"0123456789abcdef0123456789abcdef\"/><input type=\"hidden\" name=\"id\" value=\"app-20261129-0001\"/>";
	char token[80];

	(void)state;
	assert_int_equal(spark_kill_page(text_of(page), "app-20261129-0001", token), KILL_OFFERED);
	assert_string_equal(token, "0123456789abcdef0123456789abcdef");
	assert_int_equal(spark_kill_page(text_of(page), "app-20261129-0002", token), KILL_NOT_THERE);
	assert_int_equal(spark_kill_page(TEXT("<td>app-1</td>"), "app-1", token), KILL_NOT_OFFERED);
	/* older ones want none; what could not be one is not sent */
	assert_int_equal(spark_kill_page(TEXT("app-1 <form action=\"app/kill/\">"), "app-1", token), KILL_OFFERED);
	assert_string_equal(token, "");
	assert_int_equal(spark_kill_page(TEXT("app-1 app/kill/ name=\"csrfToken\" value=\"a&id=app-2\""), "app-1", token), KILL_OFFERED);
	assert_string_equal(token, "");
	for (size_t n = 0; n < sizeof page; n++) /* every beginning */
		spark_kill_page((struct text){page, n}, "app-20261129-0001", token);
}

static void a_rest_servers_refusal_is_told(void **state)
{
	struct err err = {0};

	(void)state;
	assert_true(spark_killed(TEXT("{\"action\":\"KillSubmissionResponse\",\"message\":\"Kill request submitted\",\"success\":true}"), &err));
	assert_false(spark_killed(TEXT("{\"message\":\"Driver driver-1 has already finished\",\"success\":false}"), &err));
	assert_non_null(strstr(err.words, "already finished"));
	assert_false(spark_killed(TEXT("<html>"), &err));
	assert_non_null(strstr(err.words, "not that of Spark"));
}

static void a_task_is_named_by_its_connector_and_number(void **state)
{
	char connector[ACTION_SUBJECT_SIZE];
	int64_t task;

	(void)state;
	assert_true(task_of("orders/sink/12", connector, sizeof connector, &task));
	assert_string_equal(connector, "orders/sink");
	assert_int_equal(task, 12);
	assert_false(task_of("orders", connector, sizeof connector, &task));
	assert_string_equal(connector, "orders");
	assert_false(task_of("/1", connector, sizeof connector, &task));
	assert_false(task_of("orders/-1", connector, sizeof connector, &task));
	assert_false(task_of("orders/x", connector, sizeof connector, &task));
}

static void where_a_group_is_to_read_on_is_understood_or_refused(void **state)
{
	static const char *const wrong[] = {"", "-", "-5", "-h", "-5w", "yesterday", "12x", "99999999999999999999", "2026-11-29", "2026-11-29T20:00", "+5"};
	const int64_t now = INT64_C(1796000000000);
	struct offset_aim aim;

	(void)state;
	assert_true(offset_aim_read("earliest", now, &aim));
	assert_int_equal(offset_aimed(&aim, 7, 20, -1), 7);
	assert_true(offset_aim_read("latest", now, &aim));
	assert_int_equal(offset_aimed(&aim, 7, 20, -1), 20);
	assert_true(offset_aim_read("9", now, &aim));
	assert_int_equal(offset_aimed(&aim, 7, 20, -1), 9);
	assert_int_equal(offset_aimed(&aim, 10, 20, -1), 10); /* never where there is nothing */
	assert_int_equal(offset_aimed(&aim, 0, 5, -1), 5);
	assert_true(offset_aim_read("-2h", now, &aim));
	assert_true(aim.to == AIM_TIME && aim.value == now - 7200000);
	assert_int_equal(offset_aimed(&aim, 7, 20, 11), 11);
	assert_int_equal(offset_aimed(&aim, 7, 20, -1), 20); /* nothing is as young */
	assert_true(offset_aim_read("2026-11-29T20:00Z", now, &aim));
	assert_true(aim.to == AIM_TIME && aim.value == INT64_C(1795982400000));
	assert_true(offset_aim_read("2026-11-29T20:00:30Z", now, &aim));
	assert_int_equal(aim.value, INT64_C(1795982430000));
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false(offset_aim_read(wrong[i], now, &aim));
}

static void x_on_a_row_names_the_part_that_it_shows(void **state)
{
	static const struct column_spec task_columns[] = {{"connector", VALUE_TEXT, UNIT_NONE, 0, ""}, {"task", VALUE_INT, UNIT_NONE, 0, ""}, {0}};
	static const struct column_spec pid_columns[] = {{"pid", VALUE_INT, UNIT_NONE, 0, ""}, {0}};
	static const struct table_spec specs[] = {{"tasks", "", task_columns}, {"activity", "", pid_columns}, {"databases", "", pid_columns}, {0}};
	struct snapshot *s = snapshot_new("web", PART_DEPTH);
	struct list_row row = {.from = s};
	struct panel_view view = {0};
	struct value *cells;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		snapshot_table(s, specs, specs[i].name);
	cells = table_row(s, &s->tables[0]);
	cells[0] = value_text("orders/sink");
	cells[1] = value_int(3);
	*table_row(s, &s->tables[1]) = value_int(4242);
	*table_row(s, &s->tables[2]) = value_int(1);
	row.table = &s->tables[0];
	assert_int_equal(list_actions(&view, &row, &world.services[0]), REACT_ACT);
	assert_int_equal(view.act_on, ON_TASK);
	assert_string_equal(view.act_service, "web");
	assert_string_equal(view.act_subject, "orders/sink/3");
	row.table = &s->tables[1];
	assert_int_equal(list_actions(&view, &row, &world.services[0]), REACT_ACT);
	assert_int_equal(view.act_on, ON_BACKEND);
	assert_string_equal(view.act_subject, "4242");
	/* a table whose rows are nothing to act on, and no row at all: the service itself */
	row.table = &s->tables[2];
	assert_int_equal(list_actions(&view, &row, &world.services[0]), REACT_ACT);
	assert_true(view.act_on == ON_SERVICE && !view.act_subject);
	row.table = NULL;
	assert_int_equal(list_actions(&view, &row, NULL), REACT_NONE);
	snapshot_unref(s);
}

static void a_verb_means_one_thing(void **state)
{
	(void)state;
	for (size_t i = 0; action_specs[i]; i++) {
		for (size_t k = i + 1; action_specs[k]; k++) /* a wish names no more than its verb */
			assert_string_not_equal(action_specs[i]->verb, action_specs[k]->verb);
		assert_non_null(action_specs[i]->offer);
		assert_true(action_specs[i]->conduct || (action_specs[i]->prepare && action_specs[i]->run));
		assert_true(action_specs[i]->limit_ms > 0);
		assert_true(!action_specs[i]->settled || action_specs[i]->verify_ms > 0);
	}
}

static void a_signal_reaches_only_the_process_that_began_then(void **state)
{
	static const char *const sleeping[] = {"/bin/sleep", "60", NULL};
	struct err err = {0};
	pid_t pid = world.local->spawn(world.local, &(struct spawn){.argv = sleeping}, &err);
	int64_t now = world.local->began(world.local, pid), end;

	(void)state;
	assert_true(pid > 0);
	assert_int_equal(world.local->spawned(world.local, pid), -1);
	assert_false(world.local->signal(world.local, pid, now - 3600000, SIGKILL, &err));
	assert_non_null(strstr(err.words, "another one by now"));
	assert_false(world.local->signal(world.local, 1, now, SIGKILL, &err));
	assert_true(world.local->signal(world.local, pid, now, SIGTERM, &err));
	for (end = clock_ms() + 60000; world.local->spawned(world.local, pid) == -1 && clock_ms() < end;)
		poll(NULL, 0, 5);
	assert_int_equal(world.local->spawned(world.local, pid), 128 + SIGTERM);
	assert_int_equal(world.local->spawned(world.local, getpid()), -2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, world_up, world_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(locked_nothing_is_prepared_run_or_asked),
		TEST(read_only_nothing_is_and_it_cannot_be_unlocked),
		TEST(in_a_recording_there_is_nothing_to_change),
		TEST(without_an_audit_nothing_is_changed),
		TEST(what_was_offered_before_the_lock_does_not_run_after_it),
		TEST(nothing_runs_before_a_yes_and_a_no_leaves_no_trace),
		TEST(two_presses_are_one_action_and_another_on_the_same_thing_waits),
		TEST(a_start_that_ends_at_once_is_named_and_both_ends_are_in_the_audit),
		TEST(of_several_the_first_failure_ends_the_row),
		TEST(of_several_the_rest_goes_on_where_it_was_asked_to),
		TEST(what_came_about_before_its_turn_is_not_done_again),
		TEST(an_end_that_a_full_disk_kept_out_is_told_and_tried_again),
		TEST(an_end_without_words_is_written_without_that_it_could_not_be),
		TEST(half_an_end_says_that_it_ended),
		TEST(what_waits_its_turn_is_locked_out_and_taken_out),
		TEST(an_end_that_was_never_written_is_written_later),
		TEST(a_port_that_is_taken_between_offer_and_yes_is_told_and_nothing_runs),
		TEST(it_is_done_when_the_verdict_says_so_and_not_before),
		TEST(what_cannot_be_done_says_why),
		TEST(what_was_cut_short_is_shown_by_the_next_start),
		TEST(what_another_laketop_is_at_is_not_begun_here),
		TEST(before_a_yes_it_is_told_what_was_cut_short_on_the_same_thing),
		TEST(behind_half_a_line_a_begin_is_read),
		TEST(of_a_program_that_was_left_open_it_is_told_whether_it_runs),
		TEST(of_many_left_open_the_newest_are_told),
		TEST(what_another_profile_left_open_is_its_own),
		TEST(a_secret_is_known_in_json_and_in_a_url),
		TEST(a_secret_that_an_argv_names_is_not_shown),
		TEST(a_secret_that_a_line_names_is_not_told),
		TEST(a_file_that_is_begun_anew_or_taken_away_hides_nothing),
		TEST(no_secret_of_the_profile_is_ever_written),
		TEST(half_a_secret_at_a_cut_is_none_that_can_be_read),
		TEST(what_a_control_parts_is_a_secret_all_the_same),
		TEST(an_audit_that_is_no_plain_file_is_refused),
		TEST(an_argv_is_shown_as_it_could_be_typed),
		TEST(a_containers_last_words_are_read_from_frames_and_from_a_plain_log),
		TEST(of_a_stack_trace_the_message_is_told_and_not_the_frames),
		TEST(a_container_has_ended_where_the_engine_says_so),
		TEST(what_an_engine_refuses_is_told_with_what_helps),
		TEST(what_systemctl_refuses_is_told_with_what_helps),
		TEST(a_masters_page_gives_its_token_only_for_what_it_lists),
		TEST(a_rest_servers_refusal_is_told),
		TEST(a_task_is_named_by_its_connector_and_number),
		TEST(where_a_group_is_to_read_on_is_understood_or_refused),
		TEST(x_on_a_row_names_the_part_that_it_shows),
		TEST(a_verb_means_one_thing),
		TEST(a_signal_reaches_only_the_process_that_began_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
