// SPDX-License-Identifier: MIT
/* See fixture_ops.h. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixture_ops.h"

struct world world;

static void count_program(void)
{
	atomic_fetch_add(&world.touched, 1);
	atomic_fetch_add(&world.ran, 1);
}

static int count_exec(struct host *h, const char *const argv[], struct buf *out, struct buf *errors, struct wait wait, struct err *err)
{
	count_program();
	return world.local->exec(h, argv, out, errors, wait, err);
}

static pid_t count_spawn(struct host *h, const struct spawn *what, struct err *err)
{
	count_program();
	return world.local->spawn(h, what, err);
}

static int count_run(struct host *h, const struct program *program, struct wait wait, struct err *err)
{
	count_program();
	return world.local->run(h, program, wait, err);
}

static bool count_signal(struct host *h, pid_t pid, int64_t started, int number, struct err *err)
{
	atomic_fetch_add(&world.touched, 1);
	return world.local->signal(h, pid, started, number, err);
}

static int count_dial(struct host *h, const char *address, uint16_t port, struct wait wait, struct err *err)
{
	atomic_fetch_add(&world.touched, 1);
	return world.local->dial_tcp(h, address, port, wait, err);
}

static int count_unix(struct host *h, const char *path, struct wait wait, struct err *err)
{
	atomic_fetch_add(&world.touched, 1);
	return world.local->dial_unix(h, path, wait, err);
}

void nothing_new(void *ctx)
{
	(void)ctx;
}

static void take_said(void *ctx, enum severity severity, const char *service, const char *words)
{
	(void)ctx;
	(void)severity;
	(void)service;
	assert_null(strstr(words, "hunter2"));
	snprintf(world.said, sizeof world.said, "%s", words);
}

void turn_as_seen(int64_t begun)
{
	world.lake.now = clock_ms();
	world.lake.wall = clock_wall_ms();
	world.lake.facts_begun = begun;
	ops_turn(world.ops, &world.lake, take_said, NULL);
}

void turn(void)
{
	turn_as_seen(clock_ms());
}

const struct action_shown *shown(uint64_t id)
{
	for (size_t i = 0; i < world.lake.n_actions; i++)
		if (world.lake.actions[i].id == id)
			return &world.lake.actions[i];
	fail_msg("action %llu is not in the lake", (unsigned long long)id);
	abort();
}

enum action_state until(uint64_t id, enum action_state state)
{
	int64_t end = clock_ms() + 60000;

	do {
		turn();
		if (shown(id)->state == state || action_is_over(shown(id)->state))
			break;
		poll(NULL, 0, 2);
	} while (clock_ms() < end);
	return shown(id)->state;
}

void open_gate(bool read_only, bool locked)
{
	world.ops = ops_new(&(struct ops_options){
		.host = &world.host, .profile = world.profile, .state_dir = world.folder, .read_only = read_only, .locked = locked, .news = nothing_new,
	});
	turn();
}

int world_begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof world);
	setenv("LAKETOP_TEST_SECRET", "hunter2-hunter2", 1);
	snprintf(world.folder, sizeof world.folder, "/tmp/laketop-ops-XXXXXX");
	assert_non_null(mkdtemp(world.folder));
	world.local = host_local();
	world.host = *world.local;
	world.host.exec = count_exec;
	world.host.spawn = count_spawn;
	world.host.run = count_run;
	world.host.signal = count_signal;
	world.host.dial_tcp = count_dial;
	world.host.dial_unix = count_unix;
	return 0;
}

void world_use(struct text ini, const char *path)
{
	struct err err = {0};

	world.profile = profile_parse(world.local, ini, path, &err);
	if (!world.profile)
		fail_msg("%s", err.words);
	assert_true(world.profile->n_services <= sizeof world.list / sizeof *world.list);
	for (size_t i = 0; i < world.profile->n_services; i++) {
		const struct expectation *x = &world.profile->services[i];

		world.services[i] = (struct service){.name = x->name, .expected = x, .kind = x->kind, .at = {"127.0.0.1", x->ports[0].port}, .required = true};
		world.services[i].verdict.shown.verdict = VERDICT_ABSENT;
		world.services[i].verdict.begun = true;
		world.list[i] = &world.services[i];
	}
	world.lake = (struct lake){.host = "localhost", .profile = world.profile, .services = world.list, .n_services = world.profile->n_services,
		.facts = &world.facts};
}

int world_up(void **state)
{
	static const char ini[] =
		"[laketop]\nprofile = ops\n[service web]\nkind = other\nport = 18997\n"
		"start = /bin/sh -c \"echo it would not; exit 3\"\nstop = /bin/true\n"
		"[service dry]\nkind = other\nport = 18995\nstart = /bin/sh -c \"exit 4\"\n"
		"[service db]\nkind = postgres\nport = 18996\nuser = lake\npassword_env = LAKETOP_TEST_SECRET\n"
		"[runbook book]\nstep = start web\nstep = command /bin/true\nstep = wait web=serving\nstep = testdata load\n"
		"[testdata]\ngenerate = /bin/true\nload = /bin/true\nstream = /bin/true\nstats = /bin/true\nclean = /bin/true\n";

	world_begin(state);
	world_use(text_of(ini), "ops.ini");
	return 0;
}

int world_down(void **state)
{
	static const char *const files[] = {"audit.jsonl", "runs.jsonl", "flag", "out", "env", "go"};
	char path[128];

	(void)state;
	if (world.ops)
		assert_int_equal(ops_stop(world.ops, clock_ms() + 20000), 0);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", world.folder, files[i]);
		unlink(path);
	}
	rmdir(world.folder);
	profile_free(world.profile);
	world.local->close(world.local);
	return 0;
}

struct action_wish wish_of(const char *verb, const char *service)
{
	struct action_wish w = {0};

	snprintf(w.verb, sizeof w.verb, "%s", verb);
	snprintf(w.service, sizeof w.service, "%s", service);
	return w;
}

struct buf audit_text(void)
{
	char path[128];
	struct buf out;

	snprintf(path, sizeof path, "%s/audit.jsonl", world.folder);
	buf_init(&out, 1 << 20);
	world.local->read_file(world.local, path, &out, NULL);
	return out;
}
