// SPDX-License-Identifier: MIT
/*
 * tables: what "laketop tables --json" says, once a second from one engine that goes on: for tests that watch
 * catalogs through a fault, which a command of one look cannot.
 *
 *   tables [-n LOOKS] [-e EVERY_MS] PROFILE [CATALOG]
 *
 * Every look is one line. It is taken when all was read, and EVERY_MS after the last one.
 */
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine.h"
#include "net.h"
#include "report.h"

enum { PATIENCE_MS = 180000 };

static void turn(struct engine *e)
{
	struct pollfd p = {.fd = engine_fd(e), .events = POLLIN};

	poll(&p, 1, 100);
	engine_turn(e);
}

/* The document without its line breaks: none is in a text, which is clean. */
static void print(const struct lake *lake)
{
	const struct report_options options = {.json = true};
	struct buf out;

	buf_init(&out, 64 << 20);
	report_tables(lake, &options, &out);
	for (size_t i = 0; i < out.len; i++)
		if (out.at[i] != '\n')
			putchar(out.at[i]);
	putchar('\n');
	fflush(stdout);
	buf_free(&out);
}

static int watch(struct engine *e, long looks, long every)
{
	for (long i = 0; i < looks; i++) {
		int64_t begun = clock_ms();

		if (i)
			engine_refresh(e, NULL);
		do
			turn(e);
		while ((!report_tables_told(engine_lake(e)) || (i && clock_ms() - begun < every)) && clock_ms() - begun < PATIENCE_MS);
		print(engine_lake(e));
	}
	return report_tables_told(engine_lake(e)) ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct engine_options options = {.headless = true, .tables = true, .blind = true, .only_kinds = (const char *const[]){NULL}};
	struct err err = {0};
	long looks = 1, every = 1000;
	struct engine *e;
	int c, status;

	while ((c = getopt(argc, argv, "n:e:")) != -1)
		*(c == 'n' ? &looks : &every) = strtol(optarg ? optarg : "1", NULL, 10);
	if (optind >= argc) {
		fprintf(stderr, "tables [-n LOOKS] [-e EVERY_MS] PROFILE [CATALOG]\n");
		return 2;
	}
	setlocale(LC_ALL, "C.UTF-8");
	options.host = host_local();
	options.profile = profile_load(options.host, argv[optind], &err);
	options.only = optind + 1 < argc ? argv[optind + 1] : NULL;
	e = options.profile ? engine_start(&options, &err) : NULL;
	if (!e) {
		fprintf(stderr, "%s\n", err.words);
		return 2;
	}
	status = watch(e, looks, every);
	return engine_stop(e, 5000) ? 3 : status;
}
