// SPDX-License-Identifier: MIT
/*
 * tables: what the keeper makes of a profile's catalogs, as lines of JSON: the engine's own snapshots. For
 * trying by hand, and for tests that watch a catalog through a fault.
 *
 *   tables [-n LOOKS] [-e EVERY_MS] PROFILE [CATALOG [VIEW TABLE]]
 *
 * One look reads all there is to read, as a command does. -n more: so many further looks, EVERY_MS apart.
 */
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "catalog.h"
#include "engine.h"
#include "net.h"
#include "report.h"

static bool is_whole(const struct lake *lake)
{
	for (size_t i = 0; i < lake->n_catalogs; i++) {
		const struct catalog_view *v = &lake->catalogs[i];
		struct value unread = snapshot_get(v->snapshot, "unread");

		if (!v->failed && (!v->snapshot || unread.u.i > 0))
			return false;
	}
	return true;
}

static bool is_answered(const struct lake *lake, const char *view, const char *table)
{
	for (size_t i = 0; i < lake->n_catalogs; i++)
		if (catalog_answer_to(&lake->catalogs[i], view, table))
			return true;
	return false;
}

static void wait_turn(struct engine *e)
{
	struct pollfd p = {.fd = engine_fd(e), .events = POLLIN};

	poll(&p, 1, 200);
	engine_turn(e);
}

static void print(const struct snapshot *s)
{
	struct buf line;

	buf_init(&line, SNAPSHOT_CATALOG_CAP * 2);
	if (s && snapshot_write(s, &line))
		fwrite(line.at, 1, line.len, stdout);
	buf_free(&line);
}

static void print_all(const struct lake *lake)
{
	for (size_t i = 0; i < lake->n_catalogs; i++)
		print(lake->catalogs[i].failed ? lake->catalogs[i].failed : lake->catalogs[i].snapshot);
	fflush(stdout);
}

static int watch(struct engine *e, int looks, int every, char **ask)
{
	int64_t until = clock_ms() + 120000;

	while (!is_whole(engine_lake(e)) && clock_ms() < until)
		wait_turn(e);
	if (ask[0] && ask[1] && ask[2]) {
		engine_ask_table(e, ask[0], ask[1], ask[2]);
		while (!is_answered(engine_lake(e), ask[1], ask[2]) && clock_ms() < until)
			wait_turn(e);
		for (size_t i = 0; i < engine_lake(e)->n_catalogs; i++)
			print(catalog_answer_to(&engine_lake(e)->catalogs[i], ask[1], ask[2]));
		return clock_ms() < until ? 0 : 1;
	}
	print_all(engine_lake(e));
	for (int i = 1; i < looks; i++) {
		int64_t next = clock_ms() + every;

		engine_refresh(e, NULL);
		while (clock_ms() < next)
			wait_turn(e);
		print_all(engine_lake(e));
	}
	return clock_ms() < until ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct engine_options options = {.headless = true, .tables = true, .blind = true, .only_kinds = (const char *const[]){NULL}};
	struct err err = {0};
	char *none[3] = {NULL}, **ask = none;
	int looks = 1, every = 1000, c, status;
	struct engine *e;

	while ((c = getopt(argc, argv, "n:e:")) != -1)
		if (c == 'n')
			looks = (int)strtol(optarg, NULL, 10);
		else if (c == 'e')
			every = (int)strtol(optarg, NULL, 10);
	if (optind >= argc) {
		fprintf(stderr, "tables [-n LOOKS] [-e EVERY_MS] PROFILE [CATALOG [VIEW TABLE]]\n");
		return 2;
	}
	setlocale(LC_ALL, "C.UTF-8");
	net_global_init();
	options.host = host_local();
	options.profile = profile_load(options.host, argv[optind], &err);
	if (optind + 1 < argc)
		options.only = argv[optind + 1];
	if (optind + 3 < argc)
		ask = argv + optind + 1;
	e = options.profile ? engine_start(&options, &err) : NULL;
	if (!e) {
		fprintf(stderr, "%s\n", err.words);
		return 2;
	}
	status = watch(e, looks, every, ask);
	return engine_stop(e, 5000) ? 3 : status;
}
