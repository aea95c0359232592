// SPDX-License-Identifier: MIT
/* Slices, cleaning, versions: what foreign bytes may and may not become. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mem.h"
#include "text.h"

static void clean_is(struct text in, const char *out)
{
	char got[256];

	assert_string_equal(text_clean(got, sizeof got, in), out);
	assert_true(text_is_clean(text_of(got)));
}

static void controls_escapes_and_bidi_never_pass(void **state)
{
	(void)state;
	clean_is(TEXT("plain"), "plain");
	clean_is(TEXT("a\033]52;c;aGk=\007b"), "a]52;c;aGk=b");
	clean_is(TEXT("a\033[2Jb\x7f"), "a[2Jb");
	clean_is(TEXT("two\nlines\tand\r"), "two lines and ");
	clean_is(TEXT("c1 \xc2\x9b" "31m"), "c1 31m");           /* U+009B is CSI */
	clean_is(TEXT("raw \x9b" "31m"), "raw \xef\xbf\xbd" "31m");
	clean_is(TEXT("x\xe2\x80\xaey"), "xy");                  /* U+202E */
	clean_is(TEXT("x\xe2\x80\x8by\xef\xb8\x8f"), "xy");      /* zero width, VS16 */
	clean_is(TEXT("\0nul"), "nul");
}

static void invalid_utf8_becomes_one_replacement_each(void **state)
{
	(void)state;
	clean_is(TEXT("\xff\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	clean_is(TEXT("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* a surrogate */
	clean_is(TEXT("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd");                  /* cut short */
	clean_is(TEXT("\xf5\x80\x80\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	clean_is(TEXT("日本 é"), "日本 é");
	clean_is(TEXT("\xcc\x81" "e"), "\xef\xbf\xbd" "e"); /* a combining mark with nothing before it */
}

static void cleaning_never_cuts_a_character_and_never_overruns(void **state)
{
	(void)state;
	for (size_t size = 1; size < 16; size++) {
		char out[17];

		memset(out, 'X', sizeof out);
		text_clean(out, size, TEXT("日本語é\xff"));
		assert_true(strlen(out) < size);
		assert_int_equal(out[size], 'X');
		assert_true(text_is_clean(text_of(out)));
		text_copy(out, size, TEXT("日本語é"));
		assert_true(strlen(out) < size);
		assert_true(text_is_clean(text_of(out)));
	}
}

static void any_bytes_become_clean_text(void **state)
{
	unsigned seed = 7;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char in[24], out[80];
		size_t len = (size_t)(rand_r(&seed) % (int)sizeof in);

		for (size_t i = 0; i < len; i++)
			in[i] = (char)rand_r(&seed);
		text_clean(out, sizeof out, (struct text){in, len});
		assert_true(text_is_clean(text_of(out)));
	}
}

static void lines_words_and_pieces(void **state)
{
	struct text rest = TEXT("one\r\ntwo\n\nfour"), t;

	(void)state;
	assert_true(text_line(&rest, &t) && text_is(t, "one"));
	assert_true(text_line(&rest, &t) && text_is(t, "two"));
	assert_true(text_line(&rest, &t) && text_is(t, ""));
	assert_true(text_line(&rest, &t) && text_is(t, "four"));
	assert_false(text_line(&rest, &t));
	rest = TEXT("  a\tbc ");
	assert_true(text_word(&rest, &t) && text_is(t, "a"));
	assert_true(text_word(&rest, &t) && text_is(t, "bc"));
	assert_false(text_word(&rest, &t));
	assert_true(text_is(text_between(TEXT("<b>4.1.4</b>"), "<b>", "</b>"), "4.1.4"));
	assert_true(text_is(text_between(TEXT("<b>4.1.4"), "<b>", "</b>"), ""));
	assert_true(text_is(text_until(TEXT("3.8.4-93"), '-'), "3.8.4"));
	assert_true(text_is(text_after(TEXT("k=v"), '='), "v"));
	assert_true(text_is(text_after(TEXT("kv"), '='), ""));
}

static void numbers_are_exact_or_refused(void **state)
{
	int64_t i = 5;

	(void)state;
	assert_true(text_i64(TEXT("3051729675574597004"), &i));
	assert_int_equal(i, 3051729675574597004);
	assert_true(text_i64(TEXT("-9223372036854775808"), &i));
	assert_true(i == INT64_MIN);
	assert_false(text_i64(TEXT("9223372036854775808"), &i));
	assert_false(text_i64(TEXT("12x"), &i));
	assert_false(text_i64(TEXT(""), &i));
	assert_false(text_i64(TEXT(" 1"), &i));
}

static void a_version_meets_an_expectation_in_whole_parts(void **state)
{
	(void)state;
	assert_true(version_meets("4.1.4", "4.1"));
	assert_true(version_meets("4.1", "4.1"));
	assert_true(version_meets("15.18 (Debian 15.18-0+deb12u1)", "15"));
	assert_true(version_meets("5.0.0-SNAPSHOT", "5.0.0"));
	assert_true(version_meets("4.2.0-preview5", "4.2.0-preview5"));
	assert_false(version_meets("4.2.0", "4.2.0-preview5"));
	assert_false(version_meets("4.10.1", "4.1"));
	assert_false(version_meets("4", "4.1"));
	assert_false(version_meets("4.0.5", "4.1"));
	assert_false(version_meets(NULL, "4.1"));
	assert_true(version_in_range("3.3", "3.4", "3.4"));
	assert_false(version_in_range("3.3", "3.4", "3.5"));
	assert_true(version_in_range("4.1", NULL, "4.1.1")); /* a line holds its patches */
	assert_false(version_in_range("4.1", NULL, "4.2"));
}

static void columns_are_those_of_a_terminal(void **state)
{
	(void)state;
	assert_int_equal(text_columns(TEXT("abc")), 3);
	assert_int_equal(text_columns(TEXT("日本")), 4);
	assert_int_equal(text_columns(TEXT("e\xcc\x81")), 1);
	assert_int_equal(text_columns(TEXT("▂▃▅")), 3);
}

static void a_buffer_stops_at_its_cap_and_keeps_what_it_had(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 10);
	assert_true(buf_puts(&b, "12345"));
	assert_true(buf_printf(&b, "%d", 67890));
	assert_false(buf_puts(&b, "x"));
	assert_true(b.full);
	assert_string_equal(b.at, "1234567890");
	buf_reset(&b);
	assert_true(buf_puts(&b, "again"));
	assert_false(b.full);
	buf_free(&b);
	buf_init(&b, 300000);
	for (int i = 0; i < 300000; i++)
		assert_true(buf_add(&b, "y", 1));
	assert_false(buf_add(&b, "y", 1));
	assert_int_equal(b.len, 300000);
	buf_free(&b);
}

static void an_arena_stops_at_its_cap_and_says_so(void **state)
{
	struct arena *a = arena_new(10000);

	(void)state;
	assert_non_null(arena_alloc(a, 9000));
	assert_null(arena_alloc(a, 5000));
	assert_true(arena_full(a));
	assert_string_equal(arena_copy(a, TEXT("fits")), "fits");
	assert_string_equal(arena_clean(a, TEXT("a\033b")), "ab");
	assert_string_equal(arena_printf(a, "%s %d", "port", 9092), "port 9092");
	assert_true(arena_used(a) <= 10000);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(controls_escapes_and_bidi_never_pass),
		cmocka_unit_test(invalid_utf8_becomes_one_replacement_each),
		cmocka_unit_test(cleaning_never_cuts_a_character_and_never_overruns),
		cmocka_unit_test(any_bytes_become_clean_text),
		cmocka_unit_test(lines_words_and_pieces),
		cmocka_unit_test(numbers_are_exact_or_refused),
		cmocka_unit_test(a_version_meets_an_expectation_in_whole_parts),
		cmocka_unit_test(columns_are_those_of_a_terminal),
		cmocka_unit_test(a_buffer_stops_at_its_cap_and_keeps_what_it_had),
		cmocka_unit_test(an_arena_stops_at_its_cap_and_says_so),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
