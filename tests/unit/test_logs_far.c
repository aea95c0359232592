// SPDX-License-Identifier: MIT
/* Logs that are more than is held: their beginning, what stands before and behind, what is found far away; floods and lines without end. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "clock.h"
#include "../../panels/logs_own.h"
#include "fixture_logs.h"
#include "../../tui/save.h"
#include "../../tui/screen.h"

enum { LINES = 60000, PAST = 5000, NEEDLE = 17001, WALL_S = 1795982400 /* 2026-11-29T20:00:00Z */ };

static struct host *host;
static char folder[64], path[128], past[128];

static void put_line(char out[160], int i)
{
	time_t at = WALL_S - LINES + i;
	struct tm tm;

	gmtime_r(&at, &tm);
	strftime(out, 32, "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(out + 19, 140, " %s Executor: line %d of a log that is longer than what is held, which is why it says so%s\n", i % 20000 == 11 ? "ERROR" : "INFO", i,
		i == NEEDLE ? " needle" : "");
}

/* far.log, and before it far.log.1.gz: lines from -PAST on. */
static void write_far(void)
{
	FILE *f = fopen(path, "we");
	gzFile z = gzopen(past, "wb");
	struct timespec times[2] = {{.tv_sec = WALL_S - LINES}, {.tv_sec = WALL_S - LINES}};
	char line[160];

	assert_non_null(f);
	assert_non_null(z);
	for (int i = -PAST; i < LINES; i++) {
		put_line(line, i);
		if (i < 0)
			gzputs(z, line);
		else
			fputs(line, f);
	}
	fclose(f);
	gzclose(z);
	assert_int_equal(utimensat(0, past, times, 0), 0);
}

static struct log_source source_of(const char *file)
{
	struct log_source s = {.kind = LOG_FILE, .service = "far"};

	text_copy(s.at, sizeof s.at, text_of(file));
	return s;
}

/* The number in the line of the cursor. */
static int here(struct log_stage *s)
{
	const char *found;

	assert_true(log_press(s, ACT_COPY) & REACT_COPY);
	found = strstr(s->view.copy, ": line ");
	assert_non_null(found);
	return (int)strtol(found + 7, NULL, 10);
}

static void draw(struct log_stage *s)
{
	struct canvas *c = canvas_new(100, 22, false);

	s->panel->draw(&s->view, s->look, c);
	canvas_free(c);
}

static void set(struct log_stage *s)
{
	struct log_source source = source_of(path);

	log_stage_set(s, host, (int64_t)WALL_S * 1000, &source, 1);
	draw(s);
}

/* Line by line, and page by page, none is left out and none comes twice, whatever is read meanwhile. */
static void test_scrolled(void **state)
{
	struct log_stage s;
	int at;

	(void)state;
	set(&s);
	assert_int_equal(here(&s), LINES - 1);
	at = LINES - 1;
	for (int i = 0; i < 1500; i++) { /* beyond the 256 KiB that are read at first */
		log_press(&s, ACT_PAGE_UP);
		assert_int_equal(at - here(&s), 20);
		at -= 20;
	}
	assert_true(logs_is_part(s.logs));
	for (int i = 0; i < 200; i++) {
		log_press(&s, ACT_UP);
		assert_int_equal(here(&s), --at);
	}
	for (int i = 0; i < 1500 && at + 20 < LINES - 1; i++) {
		log_press(&s, ACT_PAGE_DOWN);
		assert_int_equal(here(&s) - at, 20);
		at += 20;
	}
	log_press(&s, ACT_TOP); /* the very first line, in the packed file */
	assert_int_equal(here(&s), -PAST);
	assert_true(logs_begins(s.logs));
	for (int i = 0; i < 2 * PAST; i += 20) {
		log_press(&s, ACT_PAGE_DOWN);
		assert_int_equal(here(&s), -PAST + i + 20);
	}
	log_press(&s, ACT_BOTTOM);
	assert_false(logs_is_part(s.logs));
	assert_int_equal(here(&s), LINES - 1);
	log_stage_strike(&s);
}

/* The wheel at the first line that is read asks for what stands before it, as the key does. */
static void test_wheel(void **state)
{
	struct screen *screen = screen_new(false);
	struct canvas *c = canvas_new(100, 22, false);
	struct wish wish = {0};
	struct log_stage s;
	int y, x;

	(void)state;
	set(&s);
	screen_show(screen, &s.lake);
	screen_key(screen, '7');
	screen_draw(screen, c, &y, &x);
	for (int i = 0; i < LINES && !(wish.what & WISH_LOGS); i++)
		wish = screen_wheel(screen, -3);
	assert_true(wish.what & WISH_LOGS);
	assert_true(wish.logs.part.is);
	canvas_free(c);
	screen_free(screen);
	log_stage_strike(&s);
}

static void test_found(void **state)
{
	struct log_stage s;

	(void)state;
	set(&s);
	s.view.search = "needle";
	assert_true(log_press(&s, ACT_FIND_NEXT) & REACT_FIND);
	assert_int_equal(logs_count(s.found), 1);
	assert_int_equal(here(&s), NEEDLE);
	s.view.search = "line -?\\d*777 ";
	log_press(&s, ACT_FIND_PREVIOUS);
	assert_int_equal(here(&s), 16777);
	for (int want = 15777; want > -PAST; want -= want == 777 ? 1554 : 1000) { /* on into the packed file */
		log_press(&s, ACT_FIND_PREVIOUS);
		assert_int_equal(here(&s), want);
	}
	log_press(&s, ACT_FIND_PREVIOUS); /* round the end */
	assert_int_equal(here(&s), 59777);
	log_press(&s, ACT_FIND_NEXT);
	assert_int_equal(here(&s), -4777);
	log_press(&s, ACT_NEXT_ERROR);
	assert_int_equal(here(&s), 11);
	log_press(&s, ACT_NEXT_ERROR);
	assert_int_equal(here(&s), 20011);
	log_press(&s, ACT_NEXT_ERROR);
	assert_int_equal(here(&s), 40011);
	log_press(&s, ACT_PREVIOUS_ERROR);
	assert_int_equal(here(&s), 20011);
	assert_true(log_press(&s, ACT_CANCEL) & REACT_FIND);
	assert_null(s.found);
	log_stage_strike(&s);
}

static void test_jumped(void **state)
{
	static const struct { const char *to; int at; } jumps[] = {{"@10:42", LINES - 9 * 3600 - 18 * 60}, {"@-5m", LINES - 300}, {"@2026-11-29 03:20:05", 5},
		{"@19:59:58", LINES - 2}, {"@-17h", -1200}, {"@2026-11-29", -PAST}};
	static const char *const none[] = {"@noon", "@25:99", "@", "@10:42x", "@-5mx", "@2026-02-31", "@2026-11-29 10"};
	struct log_stage s;

	(void)state;
	set(&s);
	for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
		s.view.search = jumps[i].to;
		log_press(&s, ACT_FIND_NEXT);
		assert_int_equal(here(&s), jumps[i].at);
	}
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		s.view.search = none[i];
		log_press(&s, ACT_FIND_NEXT);
		assert_int_equal(here(&s), -PAST);
		assert_non_null(strstr(((struct looking *)s.look)->words, "no such time"));
	}
	log_stage_strike(&s);
}

/* What is filtered is all that there is, not only what was read. */
static void test_sifted(void **state)
{
	struct log_stage s;

	(void)state;
	set(&s);
	s.view.filter = "line \\d*777 ";
	assert_true(log_press(&s, ACT_FILTER) & REACT_LOGS);
	assert_int_equal(logs_count(s.logs), 60);
	assert_int_equal(here(&s), 59777);
	log_press(&s, ACT_TOP);
	assert_int_equal(here(&s), 777);
	s.view.filter = "";
	log_press(&s, ACT_FILTER); /* the same line, among all others */
	assert_int_equal(here(&s), 777);
	log_press(&s, ACT_DOWN);
	assert_int_equal(here(&s), 778);
	log_press(&s, ACT_LEVEL_UP);
	assert_int_equal(logs_count(s.logs), 3);
	log_stage_strike(&s);
}

static void test_marked(void **state)
{
	struct log_stage s;

	(void)state;
	set(&s);
	log_press(&s, ACT_PAGE_UP);
	log_press(&s, ACT_MARK);
	log_press(&s, ACT_MARK);
	log_press(&s, ACT_TOP);
	log_press(&s, ACT_BOTTOM); /* they are known again */
	assert_true(log_press(&s, ACT_SAVE) & REACT_SAVE);
	assert_non_null(strstr(s.view.save, "line 59979 "));
	assert_non_null(strstr(s.view.save, "line 59980 "));
	assert_null(strstr(s.view.save, "line 59981 "));
	log_press(&s, ACT_CANCEL);
	log_press(&s, ACT_SAVE); /* all that is shown */
	assert_non_null(strstr(s.view.save, "line 59999 "));
	assert_non_null(strstr(s.view.save, "line 59000 "));
	log_stage_strike(&s);
}

static void test_saved(void **state)
{
	struct err err = {0};
	char name[160], read[20] = "";
	struct stat st;
	bool exists;
	FILE *f;

	(void)state;
	snprintf(name, sizeof name, "%s/saved", folder);
	assert_true(save_text(name, "one\n", false, &exists, &err));
	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_false(save_text(name, "two\n", false, &exists, &err));
	assert_true(exists);
	f = fopen(name, "re");
	assert_non_null(fgets(read, sizeof read, f));
	fclose(f);
	assert_string_equal(read, "one\n");
	assert_true(save_text(name, "two\n", true, &exists, &err));
	assert_int_equal(stat(name, &st), 0);
	assert_false(save_text("/nowhere/x", "", false, &exists, &err));
	assert_false(save_text("/dev/null", "", true, &exists, &err));
	assert_false(exists);
	assert_non_null(strstr(err.words, "no plain file"));
	assert_false(exists);
	unlink(name);
	assert_int_equal(rmdir(folder), -1); /* nothing else is left, but the logs */
}

/* A line of a megabyte is cut, and says by how much; so is one that never ends. */
static void test_long(void **state)
{
	char name[160];
	struct log_source source;
	struct logs *logs;
	FILE *f;

	(void)state;
	snprintf(name, sizeof name, "%s/long", folder);
	f = fopen(name, "we");
	fputs("26/11/29 19:00:01 INFO One: before\n26/11/29 19:00:02 INFO Two: ", f);
	for (int i = 0; i < 1 << 20; i++)
		fputc("abc\x1b\x80\x07"[i % 6], f);
	fputs("\n26/11/29 19:00:03 INFO Three: behind\n", f);
	for (int i = 0; i < 1 << 20; i++)
		fputc('x', f);
	fclose(f);
	source = source_of(name);
	for (int sieved = 0; sieved < 2; sieved++) {
		logs = logs_open(&(struct log_options){.host = host, .sources = &source, .n = 1, .since = 1, .match = sieved ? "before|abc|behind|xxx" : NULL});
		logs_await(logs);
		assert_int_equal(logs_count(logs), 4);
		assert_true(logs_get(logs, 1)->len < 3 * LOG_LINE_MAX);
		assert_int_equal(logs_get(logs, 1)->cut, (1 << 20) + strlen("26/11/29 19:00:02 INFO Two: ") - LOG_LINE_MAX);
		assert_true(text_is_clean((struct text){logs_get(logs, 1)->text, logs_get(logs, 1)->len}));
		assert_non_null(strstr(logs_get(logs, 2)->text, "behind"));
		assert_int_equal(logs_get(logs, 3)->cut, (1 << 20) - LOG_LINE_MAX);
		logs_close(logs, 20000);
	}
	unlink(name);
}

/* ---- a flood ---- */

enum { FLOOD = 200000 };

static int flood(struct host *h, const char *const argv[], bool (*take)(void *ctx, const char *bytes, size_t len), void *ctx, struct buf *errors,
	struct wait wait, struct err *err)
{
	char line[300];

	(void)h, (void)argv, (void)errors, (void)wait, (void)err;
	for (int i = 0; i < FLOOD; i++) {
		int n = snprintf(line, sizeof line, "{\"__REALTIME_TIMESTAMP\":\"%lld\",\"__CURSOR\":\"s=%d\",\"MESSAGE\":\"line %d\",\"PRIORITY\":\"6\"}\n",
			(long long)WALL_S * 1000000 + i * 20, i, i);

		if (!take(ctx, line, (size_t)n))
			return -1;
	}
	return 0;
}

/* What comes faster than it is taken, and cannot wait, is left out; to the line it is known how much. */
static void test_flood(void **state)
{
	struct log_source source = {.kind = LOG_UNIT, .service = "flood", .at = "flood.service"};
	struct host flooding = *host;
	struct logs *logs;
	uint64_t seen = 0;

	(void)state;
	flooding.follow = flood;
	logs = logs_open(&(struct log_options){.host = &flooding, .sources = &source, .n = 1});
	for (int turn = 0; !logs_over(logs); turn++) {
		struct timespec pause = {.tv_nsec = 20000000};

		nanosleep(&pause, NULL);
		if (turn % 4 == 3)
			logs_turn(logs);
	}
	logs_turn(logs);
	for (size_t i = 0; i < logs_count(logs); i++)
		seen += logs_get(logs, i)->lines;
	assert_int_equal(seen + logs_gone(logs) + logs_missed(logs), FLOOD);
	assert_true(seen < FLOOD); /* memory has an end */
	logs_close(logs, 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scrolled), cmocka_unit_test(test_wheel), cmocka_unit_test(test_found), cmocka_unit_test(test_jumped), cmocka_unit_test(test_sifted),
		cmocka_unit_test(test_marked), cmocka_unit_test(test_saved), cmocka_unit_test(test_long), cmocka_unit_test(test_flood),
	};
	int failed;

	setlocale(LC_CTYPE, "C.UTF-8"); /* which characters have a width */
	setenv("TZ", "UTC", 1);
	tzset();
	snprintf(folder, sizeof folder, "/tmp/laketop-logs-XXXXXX");
	if (!mkdtemp(folder))
		return 2;
	snprintf(path, sizeof path, "%s/far.log", folder);
	snprintf(past, sizeof past, "%s/far.log.1.gz", folder);
	host = host_local();
	write_far();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	unlink(past);
	host->close(host);
	rmdir(folder);
	return failed;
}
