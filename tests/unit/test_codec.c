// SPDX-License-Identifier: MIT
/* The codec: what is recorded is what is replayed, to the last bit, and no line can hurt. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <locale.h>

#include "clock.h"
#include "facts.h"
#include "json.h"
#include "report.h"
#include "service.h"

/* ---- kinds of this test's own: one value of every type and unit ---- */

static const struct figure_spec figures[] = {
	{"id", "", UNIT_NONE, 0, ""}, {"lag", "lag", UNIT_RECORDS, 0, ""}, {"bytes", "", UNIT_BYTES, 0, ""}, {"load", "", UNIT_CORES, 0, ""},
	{"ratio", "", UNIT_PERCENT, 0, ""}, {"ok", "", UNIT_NONE, 0, ""}, {"mode", "", UNIT_NONE, 0, ""}, {"since", "", UNIT_TIME, 0, ""},
	{"unknown", "", UNIT_COUNT, 0, ""}, {0},
};
static const struct column_spec columns[] = {
	{"id", VALUE_INT, UNIT_NONE, 0, ""}, {"name", VALUE_TEXT, UNIT_NONE, 0, ""}, {"lag", VALUE_INT, UNIT_RECORDS, 0, ""},
	{"share", VALUE_REAL, UNIT_PERCENT, 0, ""}, {"seen", VALUE_INT, UNIT_TIME, 0, ""}, {"alive", VALUE_BOOL, UNIT_NONE, 0, ""}, {0},
};
static const struct column_spec small_columns[] = {{"x", VALUE_INT, UNIT_NONE, 0, ""}, {0}};
static const struct table_spec tables[] = {{"groups", "", columns}, {"empty", "", small_columns}, {0}};
static const struct service_kind kind_full = {.name = "full", .title = "Full", .figures = figures, .tables = tables};
static const struct service_kind kind_bare = {.name = "bare", .title = "Bare"};

const struct service_kind *const service_kinds[] = {&kind_bare, &kind_full, NULL};

const struct service_kind *service_kind_named(const char *name)
{
	for (size_t i = 0; name && service_kinds[i]; i++)
		if (!strcmp(service_kinds[i]->name, name))
			return service_kinds[i];
	return NULL;
}

/* ---- snapshots, full and plain ---- */

enum { MONOTONIC = 5000000 };
static const int64_t WALL = 1795957511204; /* 2026-11-29T13:05:11.204Z */

static struct snapshot *depth_of_everything(void)
{
	struct snapshot *s = snapshot_new("kafka", PART_DEPTH);
	struct table *t;
	struct value *row, v = value_int(12401);

	s->generation = 7;
	s->begun = MONOTONIC - 12;
	s->ended = MONOTONIC;
	s->wall = WALL;
	s->interval = 10000;
	s->requests = 3;
	s->bytes = 4711;
	s->who = (struct identity){.answered = ANSWERED_YES, .kind = &kind_full, .role = "controller", .sure = SURE_RANGE, .version = "4.1",
		.version_to = "4.2", .revision = "45b9b176", .from = "metadata.version supported up to 27", .source = "ApiVersions v3, 2 ms"};
	snapshot_health(s, LINK_BAD, "Metadata v12, 3 ms", "3 of 12 partitions have no leader");
	s->health.definite = true;
	snapshot_figure(s, figures, "id", value_int(3051729675574597004));
	v.at_least = true;
	snapshot_figure(s, figures, "lag", v);
	snapshot_figure(s, figures, "bytes", value_int(INT64_MIN));
	snapshot_figure(s, figures, "load", value_real(2));
	snapshot_figure(s, figures, "ratio", value_real(0.1 + 0.2));
	snapshot_figure(s, figures, "ok", value_bool(false));
	snapshot_figure(s, figures, "mode", value_text("KRaft \"\\ \xe2\x82\xac 12345678901234567890"));
	snapshot_figure(s, figures, "since", value_int(WALL));
	snapshot_figure(s, figures, "unknown", value_unknown());
	t = snapshot_table(s, tables, "groups");
	row = table_row(s, t);
	table_set(s, t, row, "id", value_int(INT64_MAX));
	table_set(s, t, row, "name", value_text("orders-etl"));
	table_set(s, t, row, "lag", v);
	table_set(s, t, row, "share", value_real(100));
	table_set(s, t, row, "seen", value_int(WALL - 1));
	table_set(s, t, row, "alive", value_bool(true));
	table_row(s, t); /* of which nothing is known */
	t->left_off = 5;
	snapshot_table(s, tables, "empty");
	snapshot_finding(s, "lag", SEVERITY_WARNING, "3 groups", "orders-etl is %d behind", 12401);
	snapshot_finding(s, "under-replicated", SEVERITY_BLOCKING, NULL, "one");
	return s;
}

static struct snapshot *pulse_that_failed(void)
{
	struct snapshot *s = snapshot_new("spark-connect", PART_PULSE);

	s->begun = MONOTONIC - 1000;
	s->ended = MONOTONIC;
	s->wall = WALL;
	s->interval = 2000;
	err_set(&s->err, ERR_TIMEOUT, "127.0.0.1:15002: no answer within 1,000 ms");
	s->who = (struct identity){.answered = ANSWERED_MUTE, .says = "SSH-2.0"};
	s->files = (struct files){.fresh = {.known = true, .newest = WALL - 60000, .what = "2 JARs of iceberg-4.1", .newer = 2},
		.pidfile_read = true, .pidfile_pid = 4121, .port = 15002, .unit = SYSTEMD_FAILED, .unit_users = true,
		.unit_words = "exit-code, status 78", .progress = "fetching: 48 of 132 MiB"};
	return s;
}

static struct snapshot *machine(enum snapshot_part part)
{
	static const struct disk disks[] = {{"/", 1000, 500, -1, 65026, true, ""}, {"/data", 0, 0, 77, 0, false, "Permission denied"}};
	static const struct listener listeners[] = {
		{.address = "127.0.0.1", .port = 65535, .uid = 4294967294u, .inode = 18446744073709551615u, .pid = 4121, .pid_probable = true,
			.container = "0123456789abcdef", .unit = "a.service", .proxied = "172.17.0.2:8000", .open = true},
		{.address = "*", .port = 22},
	};
	static const struct container containers[] = {{.id = "abc", .name = "kafka", .image = "apache/kafka:4.1.0", .state = "exited",
		.health = "unhealthy", .status = "Exited (137)", .error = "e", .ports = "9092->9092", .network = "host", .project = "p", .service = "s",
		.workdir = "/srv", .version = "1", .restarts = 0, .exit_code = 137, .started = 1, .created = 2, .image_created = 3, .oom_killed = true},
		{.id = "def", .restarts = -1, .exit_code = -1}};
	struct snapshot *s = snapshot_new(part == PART_HOST ? "host" : "docker", part);
	struct facts *f = arena_alloc(s->arena, sizeof *f);
	struct process *processes = arena_alloc(s->arena, 2 * sizeof *processes);

	assert_non_null(f);
	assert_non_null(processes);
	processes[0] = (struct process){.pid = 1, .state = 'S', .name = "init", .cpu = (double)NAN};
	processes[1] = (struct process){.pid = 4121, .parent = 1, .uid = 1000, .state = 'T', .name = "java", .hint = "org.x.Main --a b",
		.container = "c", .unit = "u", .started = WALL, .rss = 204472320, .cpu = 0.02, .exe_deleted = true};
	*f = (struct facts){.hostname = "atlas", .box = {.memory_total = 8, .memory_available = 4, .swap_total = 2, .swap_free = 1,
		.load1 = 1.4, .load5 = 0, .load15 = (double)NAN, .cores = 2, .oom_kills = -1, .uptime = 99}, .disks = disks, .n_disks = 2,
		.listeners = listeners, .n_listeners = 2, .processes = processes, .n_processes = 2, .processes_whole = true,
		.docker = DOCKER_DENIED, .docker_words = "permission denied", .containers = containers, .n_containers = 2};
	s->facts = f;
	s->begun = MONOTONIC - 3;
	s->ended = MONOTONIC;
	s->wall = WALL;
	return s;
}

static struct text written(const struct snapshot *s, struct buf *out)
{
	buf_reset(out);
	assert_true(snapshot_write(s, out));
	assert_int_equal(out->at[out->len - 1], '\n');
	assert_null(memchr(out->at, '\n', out->len - 1));
	return (struct text){out->at, out->len - 1};
}

static struct snapshot *again(const struct snapshot *s)
{
	struct err err = {0};
	struct snapshot *back;
	struct buf line;

	buf_init(&line, 1 << 20);
	back = snapshot_read(written(s, &line), &err);
	if (!back)
		fail_msg("%s: %s", err.words, line.at);
	buf_free(&line);
	return back;
}

static void assert_same_text(const char *a, const char *b)
{
	if (a && b)
		assert_string_equal(a, b);
	assert_true(!a == !b);
}

static void assert_same_value(struct value a, struct value b)
{
	assert_int_equal(a.type, b.type);
	assert_int_equal(a.at_least, b.at_least);
	if (a.type == VALUE_INT)
		assert_true(a.u.i == b.u.i);
	if (a.type == VALUE_REAL)
		assert_memory_equal(&a.u.r, &b.u.r, sizeof a.u.r);
	if (a.type == VALUE_BOOL)
		assert_int_equal(a.u.b, b.u.b);
	if (a.type == VALUE_TEXT)
		assert_string_equal(a.u.s, b.u.s);
}

/* ---- both ways ---- */

static void a_depth_comes_back_to_the_last_bit(void **state)
{
	struct snapshot *s = depth_of_everything(), *back;

	(void)state;
	clock_freeze(MONOTONIC, WALL);
	back = again(s);
	assert_string_equal(back->source, "kafka");
	assert_int_equal(back->part, PART_DEPTH);
	assert_int_equal(back->generation, 7);
	assert_int_equal(back->begun, s->begun);
	assert_int_equal(back->ended, s->ended);
	assert_int_equal(back->wall, WALL);
	assert_int_equal(back->interval, 10000);
	assert_int_equal(back->requests, 3);
	assert_int_equal(back->bytes, 4711);
	assert_int_equal(back->err.code, ERR_NONE);
	assert_int_equal(back->who.answered, ANSWERED_YES);
	assert_ptr_equal(back->who.kind, &kind_full);
	assert_same_text(back->who.role, s->who.role);
	assert_same_text(back->who.says, NULL);
	assert_int_equal(back->who.sure, SURE_RANGE);
	assert_same_text(back->who.version, s->who.version);
	assert_same_text(back->who.version_to, s->who.version_to);
	assert_same_text(back->who.revision, s->who.revision);
	assert_same_text(back->who.from, s->who.from);
	assert_same_text(back->who.source, s->who.source);
	assert_int_equal(back->health.state, LINK_BAD);
	assert_same_text(back->health.words, s->health.words);
	assert_same_text(back->health.source, s->health.source);
	assert_true(back->health.definite);
	assert_int_equal(back->n_figures, s->n_figures);
	for (size_t i = 0; i < s->n_figures; i++) {
		assert_ptr_equal(back->figures[i].spec, s->figures[i].spec);
		assert_same_value(back->figures[i].value, s->figures[i].value);
	}
	assert_int_equal(back->n_tables, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_ptr_equal(back->tables[i].spec, s->tables[i].spec);
		assert_int_equal(back->tables[i].n_rows, s->tables[i].n_rows);
		assert_int_equal(back->tables[i].left_off, s->tables[i].left_off);
		for (size_t k = 0; k < s->tables[i].n_rows * s->tables[i].n_columns; k++)
			assert_same_value(back->tables[i].cells[k], s->tables[i].cells[k]);
	}
	assert_int_equal(back->n_findings, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(back->findings[i].name, s->findings[i].name);
		assert_int_equal(back->findings[i].severity, s->findings[i].severity);
		assert_string_equal(back->findings[i].reason, s->findings[i].reason);
		assert_same_text(back->findings[i].remedy, s->findings[i].remedy);
	}
	snapshot_unref(s);
	snapshot_unref(back);
	clock_freeze(-1, -1);
}

static void a_failure_and_what_files_say_come_back(void **state)
{
	struct snapshot *s = pulse_that_failed(), *back = again(s);

	(void)state;
	assert_int_equal(back->err.code, ERR_TIMEOUT);
	assert_string_equal(back->err.words, s->err.words);
	assert_int_equal(back->ended - back->begun, 1000);
	assert_int_equal(back->who.answered, ANSWERED_MUTE);
	assert_null(back->who.kind);
	assert_string_equal(back->who.says, "SSH-2.0");
	assert_int_equal(back->health.state, LINK_UNKNOWN);
	assert_null(back->health.words);
	assert_false(back->health.definite);
	assert_true(back->files.fresh.known && back->files.fresh.newer == 2 && back->files.fresh.newest == WALL - 60000);
	assert_string_equal(back->files.fresh.what, "2 JARs of iceberg-4.1");
	assert_true(back->files.pidfile_read && back->files.pidfile_pid == 4121 && back->files.port == 15002);
	assert_true(back->files.unit == SYSTEMD_FAILED && back->files.unit_users);
	assert_string_equal(back->files.unit_words, "exit-code, status 78");
	assert_string_equal(back->files.progress, "fetching: 48 of 132 MiB");
	snapshot_unref(s);
	snapshot_unref(back);
}

static void every_field_of_a_machine_comes_back(void **state)
{
	(void)state;
	for (enum snapshot_part part = PART_HOST; part <= PART_DOCKER; part++) {
		struct snapshot *s = machine(part), *back = again(s);
		const struct facts *f = s->facts, *g = back->facts;

		assert_non_null(g);
		assert_string_equal(g->hostname, f->hostname);
		assert_true(g->box.memory_total == 8 && g->box.memory_available == 4 && g->box.swap_total == 2 && g->box.swap_free == 1);
		assert_true(g->box.cores == 2 && g->box.oom_kills == -1 && g->box.uptime == 99 && g->box.load1 > 1.39 && g->box.load1 < 1.41);
		assert_true(g->box.load5 < 0.1 && isnan(g->box.load15));
		assert_int_equal(g->n_disks, 2);
		assert_memory_equal(g->disks, f->disks, 2 * sizeof *f->disks);
		assert_int_equal(g->n_listeners, 2);
		assert_memory_equal(g->listeners, f->listeners, 2 * sizeof *f->listeners);
		assert_int_equal(g->n_processes, 2);
		assert_true(isnan(g->processes[0].cpu) && g->processes[0].state == 'S' && !strcmp(g->processes[0].name, "init"));
		assert_memory_equal(&g->processes[1], &f->processes[1], sizeof f->processes[1]);
		assert_true(g->processes_whole);
		assert_int_equal(g->docker, DOCKER_DENIED);
		assert_string_equal(g->docker_words, "permission denied");
		assert_int_equal(g->n_containers, 2);
		assert_memory_equal(g->containers, f->containers, 2 * sizeof *f->containers);
		snapshot_unref(s);
		snapshot_unref(back);
	}
}

static void writing_what_was_read_gives_the_same_line(void **state)
{
	struct snapshot *all[] = {depth_of_everything(), pulse_that_failed(), machine(PART_HOST), machine(PART_DOCKER)};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct snapshot *back = again(all[i]);
		struct buf a, b;

		buf_init(&a, 1 << 20);
		buf_init(&b, 1 << 20);
		written(all[i], &a);
		written(back, &b);
		assert_string_equal(a.at, b.at);
		buf_free(&a);
		buf_free(&b);
		snapshot_unref(all[i]);
		snapshot_unref(back);
	}
}

static void a_line_is_what_the_documentation_shows(void **state)
{
	static const char *const parts[] = {"{\"schema\":1,\"source\":\"kafka\",\"part\":\"depth\",\"kind\":\"full\",\"at\":\"2026-11-29T13:05:11.204Z\",",
		"\"took\":12,", "\"interval\":10000,", "\"id\":{\"value\":3051729675574597004,\"unit\":\"none\"}",
		"\"lag\":{\"value\":12401,\"unit\":\"records\",\"at_least\":true}", "\"load\":{\"value\":2.0,\"unit\":\"cores\"}",
		"\"since\":{\"value\":\"2026-11-29T13:05:11.204Z\",\"unit\":\"time\"}", "\"unknown\":{\"value\":null,\"unit\":\"count\"}",
		"\"at_least\":[\"lag\"]", "\"left_off\":{\"groups\":5}",
		"{\"finding\":\"lag\",\"severity\":\"warning\",\"reason\":\"orders-etl is 12401 behind\",\"remedy\":\"3 groups\"}"};
	struct snapshot *s = depth_of_everything();
	struct buf line;

	(void)state;
	buf_init(&line, 1 << 20);
	written(s, &line);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (!strstr(line.at, parts[i]))
			fail_msg("%s is not in %s", parts[i], line.at);
	buf_free(&line);
	snapshot_unref(s);
}

static void figures_are_found_by_their_own_kind_where_nobody_answers(void **state)
{
	struct snapshot *s = snapshot_new("x", PART_DEPTH), *back;

	(void)state;
	snapshot_figure(s, figures, "lag", value_int(1));
	back = again(s);
	assert_null(back->who.kind);
	assert_int_equal(snapshot_get(back, "lag").u.i, 1);
	snapshot_unref(s);
	snapshot_unref(back);
}

/* ---- hostile lines ---- */

static struct snapshot *read_line(const char *line)
{
	return snapshot_read(text_of(line), NULL);
}

static void control_characters_do_not_pass(void **state)
{
	struct snapshot *s = read_line("{\"schema\":1,\"source\":\"a\\u001b[31mb\",\"part\":\"depth\",\"kind\":\"full\","
		"\"err\":{\"code\":\"auth\",\"words\":\"x\\u0007\\u202ey\"},\"who\":{\"says\":\"\\u001b]0;t\\u0007\",\"version\":\"4\\n1\"},"
		"\"health\":{\"words\":\"\\u009b1m\"},\"figures\":{\"mode\":{\"value\":\"a\\u0000\\u0001b\"}},"
		"\"tables\":{\"groups\":[{\"name\":\"\\u001bZ\"}]},\"findings\":[{\"finding\":\"\\u001bf\",\"severity\":\"info\",\"reason\":\"%s%n\\u001b\"}]}");

	(void)state;
	assert_non_null(s);
	assert_string_equal(s->source, "a[31mb");
	assert_string_equal(s->err.words, "xy");
	assert_string_equal(s->who.says, "]0;t");
	assert_string_equal(s->who.version, "4 1");
	assert_string_equal(s->health.words, "1m");
	assert_string_equal(table_get(&s->tables[0], 0, "name").u.s, "Z");
	assert_string_equal(s->findings[0].name, "f");
	assert_string_equal(s->findings[0].reason, "%s%n");
	snapshot_unref(s);
	s = read_line("{\"schema\":1,\"source\":\"host\",\"part\":\"host\",\"facts\":{\"hostname\":\"\\u001bh\","
		"\"processes\":[{\"pid\":9,\"state\":\"\\u001b\",\"name\":\"\\u001bn\"},{\"pid\":3,\"state\":\"\xc3\xa4\"}]}}");
	assert_non_null(s);
	assert_string_equal(s->facts->hostname, "h");
	assert_int_equal(s->facts->processes[0].pid, 3); /* sorted, whoever wrote it */
	assert_int_equal(s->facts->processes[0].state, 0);
	assert_int_equal(s->facts->processes[1].state, 0);
	assert_string_equal(s->facts->processes[1].name, "n");
	snapshot_unref(s);
}

static void what_is_not_known_is_left_out(void **state)
{
	struct snapshot *s = read_line("{\"schema\":1,\"source\":\"x\",\"part\":\"depth\",\"kind\":\"full\",\"new\":{},\"who\":{\"answered\":\"perhaps\","
		"\"kind\":\"trino\",\"sure\":\"very\"},\"figures\":{\"later\":{\"value\":1},\"lag\":{\"value\":[1]},\"lag\":3},"
		"\"tables\":{\"later\":[{}],\"groups\":[{\"later\":1},7,{\"id\":\"x\"}],\"groups\":[{}]},\"left_off\":{\"groups\":-1},"
		"\"findings\":[{\"finding\":\"a\",\"severity\":\"fatal\"},{\"severity\":\"info\"},5]}");

	(void)state;
	assert_non_null(s);
	assert_int_equal(s->who.answered, ANSWERED_NOT_ASKED);
	assert_null(s->who.kind);
	assert_int_equal(s->who.sure, SURE_UNKNOWN);
	assert_int_equal(s->n_figures, 1);
	assert_int_equal(s->figures[0].value.type, VALUE_UNKNOWN);
	assert_int_equal(s->n_tables, 1);
	assert_int_equal(s->tables[0].n_rows, 3);
	assert_int_equal(s->tables[0].left_off, 0);
	assert_int_equal(s->n_findings, 0);
	snapshot_unref(s);
}

static void what_is_no_snapshot_is_refused_with_a_reason(void **state)
{
	static const char *const bad[] = {"", "x", "[]", "{}", "5", "null", "{\"schema\":1}", "{\"schema\":2,\"source\":\"x\",\"part\":\"pulse\"}",
		"{\"schema\":1,\"source\":5,\"part\":\"pulse\"}", "{\"schema\":1,\"source\":\"x\",\"part\":\"soul\"}",
		"{\"schema\":1,\"source\":\"x\",\"part\":\"pulse\",\"err\":{\"code\":\"bad luck\"}}"};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err err = {0};

		assert_null(snapshot_read(text_of(bad[i]), &err));
		assert_int_equal(err.code, ERR_PARSE);
		assert_true(err.words[0]);
	}
}

static void numbers_beyond_their_field_are_unknown(void **state)
{
	struct snapshot *s = read_line("{\"schema\":1,\"source\":\"h\",\"part\":\"host\",\"took\":-5,\"requests\":-1,\"bytes\":1e300,\"facts\":{"
		"\"box\":{\"cores\":99999999999,\"oom_kills\":\"x\",\"load1\":1e999},\"listeners\":[{\"port\":65536},{\"port\":-1},{\"pid\":2.5}]}}");

	(void)state;
	assert_non_null(s);
	assert_int_equal(s->requests, 0);
	assert_int_equal(s->bytes, 0);
	assert_int_equal(s->ended - s->begun, 0);
	assert_int_equal(s->facts->box.cores, 0);
	assert_int_equal(s->facts->box.oom_kills, -1);
	assert_true(isnan(s->facts->box.load1));
	for (size_t i = 0; i < 3; i++)
		assert_true(!s->facts->listeners[i].port && !s->facts->listeners[i].pid);
	snapshot_unref(s);
}

/* Ages and intervals are computed with: what would overflow there is not let in; identities stay exact. */
static void absurd_times_and_amounts_are_unknown_and_identities_exact(void **state)
{
	struct snapshot *s = read_line("{\"schema\":1,\"source\":\"h\",\"part\":\"host\",\"interval\":9223372036854775807,\"generation\":-1,"
		"\"facts\":{\"box\":{\"memory_total\":-9223372036854775808,\"oom_kills\":9223372036854775807},"
		"\"listeners\":[{\"port\":1,\"inode\":-2}],\"processes\":[{\"pid\":7,\"started\":-9223372036854775808}]}}");

	(void)state;
	assert_non_null(s);
	assert_int_equal(s->interval, 0);
	assert_true(s->generation == UINT64_MAX);
	assert_int_equal(s->facts->box.memory_total, 0);
	assert_int_equal(s->facts->box.oom_kills, -1);
	assert_true(s->facts->listeners[0].inode == UINT64_MAX - 1);
	assert_int_equal(s->facts->processes[0].started, 0);
	snapshot_unref(s);
}

static void a_line_with_more_rows_than_a_snapshot_holds_says_how_many_it_left_off(void **state)
{
	enum { ROWS = 200000 };
	struct snapshot *s;
	struct buf line;

	(void)state;
	buf_init(&line, 16 << 20);
	buf_puts(&line, "{\"schema\":1,\"source\":\"x\",\"part\":\"depth\",\"kind\":\"full\",\"tables\":{\"groups\":[{}");
	for (int i = 1; i < ROWS; i++)
		buf_puts(&line, ",{}");
	buf_puts(&line, "]}}");
	s = snapshot_read(buf_text(&line), NULL);
	assert_non_null(s);
	assert_true(s->tables[0].left_off > 0);
	assert_int_equal(s->tables[0].n_rows + s->tables[0].left_off, ROWS);
	snapshot_unref(s);
	buf_reset(&line);
	buf_puts(&line, "{\"schema\":1,\"source\":\"h\",\"part\":\"host\",\"facts\":{\"processes\":[{}");
	for (int i = 1; i < ROWS; i++)
		buf_puts(&line, ",{}");
	buf_puts(&line, "]}}");
	assert_null(snapshot_read(buf_text(&line), NULL));
	buf_free(&line);
}

static void half_a_line_is_never_written(void **state)
{
	struct snapshot *s = depth_of_everything();
	struct buf out;

	(void)state;
	for (size_t room = 4; room < 1200; room += 13) {
		buf_init(&out, room);
		buf_puts(&out, "old\n");
		assert_false(snapshot_write(s, &out));
		assert_string_equal(out.at, "old\n");
		assert_int_equal(out.len, 4);
		buf_free(&out);
	}
	snapshot_unref(s);
}

static void damaged_lines_are_survived(void **state)
{
	struct snapshot *all[] = {depth_of_everything(), pulse_that_failed(), machine(PART_HOST), machine(PART_DOCKER)};
	unsigned seed = 20261129, read = 0;

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct buf line;
		struct text whole;
		char *bytes;

		buf_init(&line, 1 << 20);
		whole = written(all[i], &line);
		bytes = malloc(whole.len);
		for (size_t len = 0; len < whole.len; len += 7) { /* cut off anywhere */
			memcpy(bytes, whole.at, len);
			assert_null(snapshot_read((struct text){bytes, len}, NULL));
		}
		for (int round = 0; round < 3000; round++) { /* a few bytes flipped */
			struct snapshot *s;

			memcpy(bytes, whole.at, whole.len);
			for (int k = 0; k <= round % 4; k++) {
				seed = seed * 1103515245u + 12345u;
				bytes[(seed >> 3) % whole.len] = (char)(round % 2 ? seed >> 16 : (unsigned)"0123456789-.,:{}[]\"ntf"[(seed >> 16) % 22]);
			}
			s = snapshot_read((struct text){bytes, whole.len}, NULL);
			read += s != NULL;
			if (s) { /* what it took in is clean, and can be written again */
				struct buf again_out;

				assert_true(text_is_clean(text_of(s->source)));
				buf_init(&again_out, 1 << 20);
				assert_true(snapshot_write(s, &again_out));
				buf_free(&again_out);
			}
			snapshot_unref(s);
		}
		free(bytes);
		buf_free(&line);
		snapshot_unref(all[i]);
	}
	assert_true(read > 500); /* else the damage is too great to test anything */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_depth_comes_back_to_the_last_bit),
		cmocka_unit_test(a_failure_and_what_files_say_come_back),
		cmocka_unit_test(every_field_of_a_machine_comes_back),
		cmocka_unit_test(writing_what_was_read_gives_the_same_line),
		cmocka_unit_test(a_line_is_what_the_documentation_shows),
		cmocka_unit_test(figures_are_found_by_their_own_kind_where_nobody_answers),
		cmocka_unit_test(control_characters_do_not_pass),
		cmocka_unit_test(what_is_not_known_is_left_out),
		cmocka_unit_test(what_is_no_snapshot_is_refused_with_a_reason),
		cmocka_unit_test(numbers_beyond_their_field_are_unknown),
		cmocka_unit_test(absurd_times_and_amounts_are_unknown_and_identities_exact),
		cmocka_unit_test(a_line_with_more_rows_than_a_snapshot_holds_says_how_many_it_left_off),
		cmocka_unit_test(half_a_line_is_never_written),
		cmocka_unit_test(damaged_lines_are_survived),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
