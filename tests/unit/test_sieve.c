// SPDX-License-Identifier: MIT
/* What a sieve lets through, read again, is what is found by reading all: in any pieces, for patterns and levels, in logs of any look. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clock.h"
#include "logs.h"

enum { NOW_S = 1795982400 };

struct seeking {
	struct log_match *match;
	enum log_level least;
	struct buf out;
	struct log_folder *folder;
	size_t passed;
};

static bool take(void *ctx, const struct log_event *e)
{
	struct seeking *f = ctx;

	if (e->level < f->least || (f->match && !log_match_in(f->match, e->text, 0, NULL, NULL)))
		return true;
	assert_true(text_is_clean(e->text) || memchr(e->text.at, '\n', e->text.len));
	buf_printf(&f->out, "%lld %s ", (long long)e->place, log_level_word(e->level));
	buf_add(&f->out, e->text.at, e->text.len);
	buf_puts(&f->out, "\n");
	return true;
}

static bool pass(void *ctx, const char *bytes, size_t len, int64_t place)
{
	struct seeking *f = ctx;

	f->passed += len;
	log_folder_place(f->folder, place);
	return log_folder_feed(f->folder, bytes, len, (int64_t)NOW_S * 1000);
}

static void gap(void *ctx, bool stamps)
{
	struct seeking *f = ctx;

	log_folder_flush(f->folder, (int64_t)NOW_S * 1000);
	if (stamps)
		log_folder_stamps(f->folder);
}

static void find(struct seeking *f, struct text log, const char *pattern, enum log_level least, bool sieved, size_t piece)
{
	struct log_sieve *s = !sieved ? NULL : log_sieve_new(&(struct log_sieve_options){.pattern = pattern, .least = least, .now = (int64_t)NOW_S * 1000,
		.pass = pass, .gap = gap, .ctx = f});

	*f = (struct seeking){.match = pattern ? log_match_new(pattern, NULL) : NULL, .least = least};
	f->folder = log_folder_new(take, f);
	buf_init(&f->out, 64 << 20);
	for (size_t at = 0; at < log.len; at += piece) {
		size_t len = log.len - at < piece ? log.len - at : piece;

		assert_true(s ? log_sieve_feed(s, log.at + at, len, (int64_t)at) : pass(f, log.at + at, len, (int64_t)at));
	}
	if (s)
		assert_true(log_sieve_end(s));
	log_folder_flush(f->folder, (int64_t)NOW_S * 1000);
	log_sieve_free(s);
	log_folder_free(f->folder);
	log_match_free(f->match);
}

static uint32_t seed;

static unsigned any(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static void add_words(struct buf *log, const char *words, unsigned number)
{
	for (; *words; words++)
		if (*words == '#')
			buf_printf(log, "%u", number);
		else
			buf_add(log, words, 1);
	buf_puts(log, "\n");
}

enum look { STAMPED, GLOG, PLAIN };

/* Lines as servers write them, and others. */
static void add_lines(struct buf *log, unsigned lines, enum look look)
{
	static const char *const words[] = {"INFO Executor: Finished task #", "WARN Slow: # is late", "ERROR Task: # failed\njava.io.IOException: disk #",
		"INFO caf\u00e9 # \u65e5\u672c", "INFO tab\there\t#", "INFO \x1b[31mred\x1b[0m #", "DEBUG bad \xff\xc3 byte #", "INFO carriage #\r",
		"INFO zero\u200bwidth #", "[error    ] bracket #", "level=fatal msg=\"#\"", "no level at all #",
		"ERROR trace\nTraceback (most recent call last):\n  File \"x.py\", line #\nValueError: bad", "", "INFO one\nloose line #\nanother"};

	for (unsigned i = 0; i < lines; i++) {
		if (look == STAMPED && (any(40) || i < 2))
			buf_printf(log, "26/11/29 19:%02u:%02u ", i / 60 % 60, i % 60);
		else if (look == GLOG && (any(40) || i < 2))
			buf_printf(log, "%c1129 19:%02u:%02u.123456 x.go:1 ", "IWEF"[any(4)], i / 60 % 60, i % 60);
		if (!any(3000))
			for (unsigned k = 0; k < 20000; k++)
				buf_printf(log, "long %u ", k);
		add_words(log, words[any(sizeof words / sizeof *words)], i);
	}
	if (look == STAMPED)
		buf_puts(log, "26/11/29 20:00:00 ERROR the last has no end");
}

static void assert_same(struct text log, const char *pattern, enum log_level least, size_t piece)
{
	struct seeking all, some;

	find(&all, log, pattern, least, false, log.len);
	find(&some, log, pattern, least, true, piece);
	if (all.out.len != some.out.len || memcmp(all.out.at ? all.out.at : "", some.out.at ? some.out.at : "", all.out.len) != 0) {
		size_t i = 0;

		while (i < all.out.len && i < some.out.len && all.out.at[i] == some.out.at[i])
			i++;
		i = i > 60 ? i - 60 : 0;
		fail_msg("%s, %s, in %zu: %zu bytes are %zu, at %zu\n%.300s\n---- are\n%.300s", pattern, log_level_word(least), piece, all.out.len, some.out.len, i,
			all.out.at + i, some.out.len ? some.out.at + i : "");
	}
	buf_free(&all.out);
	buf_free(&some.out);
}

static void test_same(void **state)
{
	static const char *const patterns[] = {"disk \\d+7\\b", "IOException", "late$", "^26/11/29 19:3.:00", "caf\u00e9", "tab here", "red", "zerowidth",
		"byte 1\\d\\d$", "carriage \\d+$", "failed\\s+java", "task[^x]+WARN", "(a+)+$", "another", "bad|late", "\\Aloose", "(?<=disk )1", "x*", "\u65e5",
		"line 7\\d+\\nValueError", "long 19999", "nothing has this"};
	static const size_t pieces[] = {1 << 17, 4099, 1 << 20};
	struct buf log;

	(void)state;
	for (unsigned round = 0; round < 6; round++) {
		seed = round + 1;
		buf_init(&log, 16 << 20);
		add_lines(&log, round < 3 ? 40000 : 300, (enum look)(round % 3));
		for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
			assert_same(buf_text(&log), patterns[i], LOG_UNKNOWN, pieces[(i + round) % 3]);
		for (enum log_level least = LOG_WARN; least <= LOG_FATAL; least++)
			for (size_t i = 0; i < 3; i++)
				assert_same(buf_text(&log), NULL, least, pieces[i]);
		assert_same(buf_text(&log), "task", LOG_WARN, 1000);
		buf_free(&log);
	}
}

/* What is rare passes alone. */
static void test_little(void **state)
{
	struct seeking f;
	struct buf log;

	(void)state;
	buf_init(&log, 16 << 20);
	for (unsigned i = 0; i < 60000; i++)
		buf_printf(&log, "26/11/29 19:%02u:%02u INFO Executor: task %u of it\n", i / 60 % 60, i % 60, i);
	find(&f, buf_text(&log), "task 55555 ", LOG_UNKNOWN, true, 1 << 17);
	assert_non_null(strstr(f.out.at, "task 55555 of it"));
	assert_true(f.passed < 300); /* it, and the last, which may go on */
	buf_free(&f.out);
	find(&f, buf_text(&log), NULL, LOG_ERROR, true, 1 << 17);
	assert_true(f.passed < 200 && !f.out.len);
	buf_free(&f.out);
	buf_free(&log);
	assert_null(log_sieve_new(&(struct log_sieve_options){.least = LOG_INFO}));
	assert_null(log_sieve_new(&(struct log_sieve_options){.pattern = "a(?!b)"}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_same), cmocka_unit_test(test_little)};

	setlocale(LC_CTYPE, "C.UTF-8"); /* which characters have a width */
	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
