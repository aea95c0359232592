// SPDX-License-Identifier: MIT
#include "fixture_logs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock.h"

void logs_await(struct logs *logs)
{
	struct timespec pause = {.tv_nsec = 2000000};

	for (int i = 0; !logs_over(logs) && i < 30000; i++) { /* real time: clocks may be frozen */
		logs_turn(logs);
		nanosleep(&pause, NULL);
	}
	assert_true(logs_over(logs));
	logs_turn(logs);
}

static void stage_open(struct log_stage *s)
{
	struct logs *old = s->logs;
	bool sifted = s->view.log_match || s->view.log_least;

	s->logs = logs_open(&(struct log_options){.host = s->host, .sources = s->sources, .n = s->n, .since = sifted && !s->view.log_part ? 1 : 0,
		.match = s->view.log_match, .least = s->view.log_least, .part = s->view.log_part ? *s->view.log_part : (struct log_part){0}});
	logs_await(s->logs);
	s->lake.logs = s->logs;
	logs_close(old, 20000);
}

static void stage_find(struct log_stage *s)
{
	s->lake.logs_found = NULL;
	logs_close(s->found, 20000);
	s->found = NULL;
	if (!s->view.log_match && !s->view.log_least)
		return;
	s->found = logs_open(&(struct log_options){.host = s->host, .sources = s->sources, .n = s->n, .since = 1, .match = s->view.log_match,
		.least = s->view.log_least, .brief = true, .most = 50000, .bytes = SIZE_MAX});
	logs_await(s->found);
	s->lake.logs_found = s->found;
}

unsigned log_press(struct log_stage *s, enum act act)
{
	unsigned reactions, first = 0;

	for (int turn = 0; turn < 6; turn++) {
		s->view.log_match = NULL;
		s->view.log_least = LOG_UNKNOWN;
		s->view.log_part = NULL;
		s->view.again_ms = 0;
		reactions = s->panel->act(&s->view, s->look, turn ? ACT_REFRESH : act);
		first = turn ? first : reactions;
		if (reactions & REACT_LOGS)
			stage_open(s);
		else if (reactions & REACT_FIND)
			stage_find(s);
		if (!s->view.again_ms)
			break;
	}
	assert_int_equal(s->view.again_ms, 0); /* it came to its end */
	return first;
}

void log_stage_set(struct log_stage *s, struct host *host, int64_t wall, const struct log_source *sources, size_t n)
{
	*s = (struct log_stage){.panel = panel_named("logs"), .n = n, .lake = {.wall = wall}, .host = host};
	s->look = calloc(1, s->panel->state_size);
	s->view = (struct panel_view){.lake = &s->lake, .filter = "", .search = "", .by_hand = true};
	memcpy(s->sources, sources, n * sizeof *sources);
	assert_true(log_press(s, ACT_REFRESH) & REACT_LOGS); /* it asks for them */
	assert_null(s->view.log_service);
}

void log_stage_strike(struct log_stage *s)
{
	s->panel->end(s->look);
	free(s->look);
	logs_close(s->logs, 20000);
	logs_close(s->found, 20000);
}

/* ---- what servers wrote ---- */

static void write_log(char path[256], const char *folder, const char *name, const char *words)
{
	FILE *f;

	snprintf(path, 256, "%s/%s", folder, name);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(words, f);
	fclose(f);
}

struct logs *fixture_logs(struct host *host)
{
	static const char *const names[] = {"kafka", "spark-connect", "unity-catalog"};
	static const char *const words[] = {
		"[2026-11-29 12:00:01,100] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)\n"
		"[2026-11-29 12:00:07,250] WARN [Broker id=1] Error while fetching metadata with correlation id 12 (org.apache.kafka.clients.NetworkClient)\n"
		"[2026-11-29 12:03:00,001] INFO [GroupCoordinator 1]: Preparing to rebalance group orders-etl in state PreparingRebalance with old generation 41\n",
		"26/11/29 12:00:02 INFO SparkConnectServer: Spark Connect server started at: 0:0:0:0:0:0:0:0:15002\n"
		"26/11/29 12:00:09 ERROR Executor: Exception in task 0.0 in stage 3.0 (TID 7)\njava.lang.IllegalStateException: boom\n\tat a.b.C.d(C.java:12)\n"
		"\tat a.b.C.e(C.java:13)\nCaused by: java.io.IOException: No space left on device\n\t... 9 more\n"
		"26/11/29 12:00:11 WARN TaskSetManager: Lost task 0.0 in stage 3.0 (TID 7) (127.0.0.1 executor driver): \x1b[31mred\x1b[0m %s%n \xff\xfe\n"
		"26/11/29 12:03:10 DEBUG BlockManager: Getting local block broadcast_3\n",
		"2026-11-29 12:00:04.123 [vert.x-eventloop-thread-0] INFO  i.u.server.UnityCatalogServer - caf\u00e9 \u65e5\u672c\u8a9e catalog opened\n"
		"a line without a stamp\n"
		"2026-11-29 12:03:20.500 [vert.x-eventloop-thread-1] INFO  i.u.server.UnityCatalogServer - GET /api/2.1/unity-catalog/tables 200\n",
	};
	char folder[] = "/tmp/laketop-logs-XXXXXX";
	struct log_source sources[3] = {0};
	struct logs *logs;

	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < 3; i++) {
		sources[i].kind = LOG_FILE;
		text_copy(sources[i].service, sizeof sources[i].service, text_of(names[i]));
		write_log(sources[i].at, folder, names[i], words[i]);
	}
	logs = logs_open(&(struct log_options){.host = host, .sources = sources, .n = 3});
	logs_await(logs);
	for (size_t i = 0; i < 3; i++)
		unlink(sources[i].at);
	rmdir(folder);
	return logs;
}
