// SPDX-License-Identifier: MIT
/* JSON: integers stay exact, foreign text cannot break out, and what is written can be read. */
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

#include "json.h"

static struct json *parsed(const char *s)
{
	struct err err = {0};
	struct json *j = json_parse(text_of(s), &err);

	if (!j)
		fail_msg("%s: %s", s, err.words);
	return j;
}

static enum err_code refused(const char *s, size_t len)
{
	struct err err = {0};
	struct json *j = json_parse((struct text){s, len}, &err);

	if (j) {
		json_free(j);
		return ERR_NONE;
	}
	assert_true(err.words[0]);
	return err.code;
}

static void every_64_bit_integer_is_read_exactly(void **state)
{
	static const struct {
		const char *literal;
		int64_t is;
	} cases[] = {
		{"0", 0}, {"-1", -1}, {"9007199254740991", 9007199254740991}, {"9007199254740993", 9007199254740993},
		{"3051729675574597004", 3051729675574597004}, {"9223372036854775807", INT64_MAX}, {"-9223372036854775808", INT64_MIN},
		{"999999999999999", 999999999999999}, {"1000000000000000", 1000000000000000}, {"5.0", 5}, {"1e3", 1000}, {"-0", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[64];
		int64_t got = 77;
		struct json *j;

		snprintf(text, sizeof text, "{\"id\": [%s ]}", cases[i].literal);
		j = parsed(text);
		if (!json_i64(json_first(json_get(j, "id")), &got) || got != cases[i].is)
			fail_msg("%s read as %lld", cases[i].literal, (long long)got);
		json_free(j);
	}
}

static void what_is_no_64_bit_integer_is_not_read_as_one(void **state)
{
	static const char *const literals[] = {"9223372036854775808", "123456789012345678901234567890", "1.5", "1e30", "\"5\"",
		"\"9007199254740993\"", "true", "null", "[]", "{}", "1e999", "0.30000000000000004"};

	(void)state;
	for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
		struct json *j = parsed(literals[i]);
		int64_t got;

		if (json_i64(j, &got))
			fail_msg("%s read as %lld", literals[i], (long long)got);
		json_free(j);
	}
}

static void a_number_keeps_its_kind(void **state)
{
	struct json *j = parsed("[5, 5.0, 5e0, 0.1, 9007199254740993, 0.30000000000000004, -0.0, true, \"x\", null, 1e999]");
	static const enum value_type types[] = {VALUE_INT, VALUE_REAL, VALUE_REAL, VALUE_REAL, VALUE_INT, VALUE_REAL, VALUE_REAL,
		VALUE_BOOL, VALUE_TEXT, VALUE_UNKNOWN, VALUE_UNKNOWN};
	size_t i = 0;
	double r;

	(void)state;
	for (const struct json *item = json_first(j); item; item = json_next(item))
		assert_int_equal(json_value(item).type, types[i++]);
	assert_int_equal(i, sizeof types / sizeof *types);
	assert_int_equal(json_count(j), i);
	assert_true(json_real(json_first(j), &r));
	json_free(j);
}

static void a_string_of_digits_is_not_a_number_and_a_number_not_a_string(void **state)
{
	struct json *j = parsed("{\"a\": \"3051729675574597004\", \"b\": 3051729675574597004}");

	(void)state;
	assert_string_equal(json_string(json_get(j, "a")), "3051729675574597004");
	assert_null(json_string(json_get(j, "b")));
	assert_int_equal(json_value_i64(j, "a").type, VALUE_UNKNOWN);
	assert_int_equal(json_value_i64(j, "b").u.i, 3051729675574597004);
	json_free(j);
}

static void nobody_can_pass_a_string_off_as_a_number(void **state)
{
	/* the mark of a kept number, raw and every way that an escape could try */
	struct json *j = parsed("{\"raw\": \"\xff" "12345\", \"escape\": \"\\u00ff12345\", \"pair\": \"\\ud83f\\udfff12345\"}");
	int64_t i;

	(void)state;
	assert_string_equal(json_string(json_get(j, "raw")), "\xef\xbf\xbd" "12345");
	assert_string_equal(json_string(json_get(j, "escape")), "\xc3\xbf" "12345");
	for (const struct json *item = json_first(j); item; item = json_next(item)) {
		assert_false(json_i64(item, &i));
		assert_non_null(json_string(item));
	}
	json_free(j);
}

static void digits_inside_strings_and_keys_are_left_alone(void **state)
{
	struct json *j = parsed("{\"12345678901234567890\": \"a \\\" 12345678901234567890 \\\\\", \"\\\\\": 1}");

	(void)state;
	assert_string_equal(json_string(json_get(j, "12345678901234567890")), "a \" 12345678901234567890 \\");
	assert_int_equal(json_value_i64(j, "\\").u.i, 1);
	json_free(j);
}

static void what_is_not_one_document_is_refused(void **state)
{
	static const char *const bad[] = {"", " ", "{", "}", "]", "[1,]", "{\"a\":}", "{a:1}", "{} x", "{}{}", "nul", "\"open", "\"\\", "01",
		"-", "1.", ".5", "1e", "1e+", "+1", "1-2", "12345678901234567-8", "0x10", "NaN", "Infinity", "[1 2]", "<html>", "'a'", "\"\\x\"",
		"[\"a\" 1]", "5.0.0", "--5"};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (refused(bad[i], strlen(bad[i])) != ERR_PARSE)
			fail_msg("%s was taken", bad[i]);
	assert_int_equal(refused("{}\0x", 4), ERR_PARSE);
	assert_int_equal(refused("{\"a\":1\0}", 8), ERR_PARSE);
}

static void a_text_needs_no_end_mark_and_is_not_read_beyond(void **state)
{
	static const char whole[] = "[0.10]";

	(void)state;
	/* a copy of just so many bytes, so that a sanitizer sees one byte more */
	for (size_t len = 0; len < sizeof whole; len++) {
		char *bytes = malloc(len ? len : 1);
		struct json *j;

		memcpy(bytes, whole, len);
		j = json_parse((struct text){bytes, len}, NULL);
		assert_true((j != NULL) == (len == sizeof whole - 1));
		json_free(j);
		free(bytes);
	}
}

static void depth_has_a_limit_that_says_so(void **state)
{
	char deep[1000];

	(void)state;
	memset(deep, '[', sizeof deep);
	assert_int_equal(refused(deep, sizeof deep), ERR_LIMIT);
	memset(deep, '[', 100);
	memset(deep + 100, ']', 100);
	assert_int_equal(refused(deep, 200), ERR_NONE);
}

static void readers_take_whatever_is_there(void **state)
{
	struct json *j = parsed("{\"server_stats\": {\"uptime\": 12, \"Uptime\": 13}, \"list\": [1], \"text\": \"x\", \"null\": null,"
		" \"yes\": true}");
	int64_t i;
	double r;
	bool b = false;

	(void)state;
	assert_true(json_i64(json_path(j, "server_stats.uptime"), &i) && i == 12);
	assert_true(json_i64(json_path(j, "server_stats.Uptime"), &i) && i == 13);
	assert_null(json_path(j, "server_stats.uptime.deeper"));
	assert_null(json_path(j, "missing.x"));
	assert_null(json_get(NULL, "a"));
	assert_null(json_get(json_get(j, "list"), "a"));
	assert_null(json_first(json_get(j, "text")));
	assert_null(json_next(NULL));
	assert_int_equal(json_count(NULL), 0);
	assert_int_equal(json_count(j), 5);
	assert_true(json_is_null(NULL) && json_is_null(json_get(j, "null")) && !json_is_null(j));
	assert_true(json_is_array(json_get(j, "list")) && json_is_object(j) && !json_is_array(j) && !json_is_object(NULL));
	assert_null(json_string(json_get(j, "list")));
	assert_false(json_i64(NULL, &i));
	assert_false(json_real(json_get(j, "text"), &r));
	assert_false(json_bool(json_get(j, "text"), &b));
	assert_true(json_bool(json_get(j, "yes"), &b) && b);
	assert_string_equal(json_key(json_first(j)), "server_stats");
	assert_string_equal(json_value_text(j, "text").u.s, "x");
	assert_int_equal(json_value_text(j, "yes").type, VALUE_UNKNOWN);
	assert_int_equal(json_value_text(j, "missing").type, VALUE_UNKNOWN);
	json_free(j);
	json_free(NULL);
}

static void what_is_written_is_json_whatever_the_text_holds(void **state)
{
	static const char nasty[] = "a\"b\\c\n\t\x01\x7f\x1b[31m \xc3\xa4 \xe2\x82\xac \xf0\x9f\x8d\x95 \xff \xc3( "
		"\xed\xa0\x80 end\xe2\x82";
	struct json_writer w;
	struct buf out;
	struct json *j;

	(void)state;
	buf_init(&out, 1 << 16);
	json_begin(&w, &out, false);
	json_open(&w, NULL, '{');
	json_put_text(&w, nasty, nasty);
	json_close(&w, '}');
	j = parsed(out.at);
	assert_string_equal(json_string(json_first(j)), "a\"b\\c\n\t\x01\x7f\x1b[31m \xc3\xa4 \xe2\x82\xac \xf0\x9f\x8d\x95 "
		"\xef\xbf\xbd \xef\xbf\xbd( \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd end\xef\xbf\xbd\xef\xbf\xbd");
	assert_string_equal(json_key(json_first(j)), json_string(json_first(j)));
	for (const char *p = out.at; *p; p++)
		assert_true((unsigned char)*p >= ' ' && (unsigned char)*p != 0x7f);
	json_free(j);
	buf_free(&out);
}

static const char *written(double r)
{
	static char text[64];
	struct json_writer w;
	struct buf out;

	buf_init(&out, 64);
	json_begin(&w, &out, false);
	json_put_real(&w, NULL, r);
	snprintf(text, sizeof text, "%s", out.at);
	buf_free(&out);
	return text;
}

static void a_real_is_written_as_short_as_it_can_be_read_back(void **state)
{
	static const double reals[] = {0.1, 1.0 / 3, 0.1 + 0.2, 1e300 * 1.7, 5e-324, -2.5, 123456789.123456789, 9007199254740993.0};

	(void)state;
	assert_string_equal(written(0.1), "0.1");
	assert_string_equal(written(0.1 + 0.2), "0.30000000000000004");
	assert_string_equal(written(5), "5.0");
	assert_string_equal(written(-0.0), "-0.0");
	assert_string_equal(written(1e20), "1e+20");
	assert_string_equal(written((double)NAN), "null");
	assert_string_equal(written((double)INFINITY), "null");
	for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
		struct json *j = parsed(written(reals[i]));
		double back = 0;

		assert_true(json_real(j, &back));
		assert_memory_equal(&back, &reals[i], sizeof back);
		assert_int_equal(json_value(j).type, VALUE_REAL);
		json_free(j);
	}
}

static void a_moment_is_one_of_our_calendar(void **state)
{
	static const char *const none[] = {"-9223372036854775808", "9223372036854775807", "-1", "0", "1e300", "\"1\"", "null", "253402300800000"};
	int64_t ms = 7;

	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		struct json *j = json_parse(text_of(none[i]), NULL);

		assert_false(json_moment(j, &ms));
		assert_int_equal(ms, 7);
		json_free(j);
	}
	struct json *j = json_parse(TEXT("1796008589659"), NULL);
	assert_true(json_moment(j, &ms));
	assert_int_equal(ms, 1796008589659);
	json_free(j);
}

static void a_locale_with_a_decimal_comma_changes_nothing(void **state)
{
	static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "fa_IR.UTF-8"};
	const char *set = NULL;
	struct json *j;
	double r;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names && !set; i++)
		set = setlocale(LC_NUMERIC, names[i]);
	if (!set)
		skip();
	assert_string_equal(written(1.5), "1.5");
	j = parsed("[1.5, 0.30000000000000004]");
	assert_true(json_real(json_first(j), &r) && r > 1.4 && r < 1.6);
	assert_true(json_real(json_next(json_first(j)), &r) && r > 0.29 && r < 0.31);
	json_free(j);
	setlocale(LC_NUMERIC, "C");
}

static void a_document_nests_and_reads_well(void **state)
{
	struct json_writer w;
	struct buf out;

	(void)state;
	buf_init(&out, 1 << 16);
	json_begin(&w, &out, true);
	json_open(&w, NULL, '{');
	json_put_i64(&w, "id", INT64_MIN);
	json_open(&w, "empty", '[');
	json_close(&w, ']');
	json_open(&w, "list", '[');
	json_put_bool(&w, NULL, true);
	json_open(&w, NULL, '{');
	json_put_null(&w, "x");
	json_close(&w, '}');
	json_close(&w, ']');
	json_put_time(&w, "at", 1795957511204);
	json_put_time(&w, "never", 0);
	json_close(&w, '}');
	assert_string_equal(out.at,
		"{\n  \"id\": -9223372036854775808,\n  \"empty\": [],\n  \"list\": [\n    true,\n    {\n      \"x\": null\n    }\n  ],\n"
		"  \"at\": \"2026-11-29T13:05:11.204Z\",\n  \"never\": null\n}");
	buf_free(&out);
}

static void values_keep_type_and_unknown_is_null(void **state)
{
	struct json_writer w;
	struct buf out;

	(void)state;
	buf_init(&out, 1 << 16);
	json_begin(&w, &out, false);
	json_open(&w, NULL, '[');
	json_put_value(&w, NULL, value_unknown(), UNIT_BYTES);
	json_put_value(&w, NULL, value_int(0), UNIT_BYTES);
	json_put_value(&w, NULL, value_real(2), UNIT_CORES);
	json_put_value(&w, NULL, value_bool(false), UNIT_NONE);
	json_put_value(&w, NULL, value_text("x"), UNIT_NONE);
	json_put_value(&w, NULL, value_int(1795957511204), UNIT_TIME);
	json_put_value(&w, NULL, value_int(INT64_MAX), UNIT_TIME);
	json_close(&w, ']');
	assert_string_equal(out.at, "[null,0,2.0,false,\"x\",\"2026-11-29T13:05:11.204Z\",9223372036854775807]");
	buf_free(&out);
}

static void broken_documents_never_crash(void **state)
{
	static const char whole[] = "{\"a\": [1, 2.50, 3051729675574597004, -1e-7, \"\\u00e4\\ud83c\\udf55 \\\"x\\\\\", null,"
		" true, {\"b\": {}}], \"c\": \"\xe2\x82\xac\"}";
	char bytes[sizeof whole];
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t len = sizeof whole - 1;

		memcpy(bytes, whole, sizeof whole);
		for (int k = 0; k < 1 + round % 3; k++) {
			seed = seed * 1103515245u + 12345u;
			bytes[(seed >> 8) % len] = (char)(seed >> 20);
		}
		if (round % 2)
			len = (seed >> 4) % len;
		json_free(json_parse((struct text){bytes, len}, NULL));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_64_bit_integer_is_read_exactly),
		cmocka_unit_test(what_is_no_64_bit_integer_is_not_read_as_one),
		cmocka_unit_test(a_number_keeps_its_kind),
		cmocka_unit_test(a_string_of_digits_is_not_a_number_and_a_number_not_a_string),
		cmocka_unit_test(nobody_can_pass_a_string_off_as_a_number),
		cmocka_unit_test(digits_inside_strings_and_keys_are_left_alone),
		cmocka_unit_test(what_is_not_one_document_is_refused),
		cmocka_unit_test(a_text_needs_no_end_mark_and_is_not_read_beyond),
		cmocka_unit_test(depth_has_a_limit_that_says_so),
		cmocka_unit_test(readers_take_whatever_is_there),
		cmocka_unit_test(what_is_written_is_json_whatever_the_text_holds),
		cmocka_unit_test(a_real_is_written_as_short_as_it_can_be_read_back),
		cmocka_unit_test(a_locale_with_a_decimal_comma_changes_nothing),
		cmocka_unit_test(a_moment_is_one_of_our_calendar),
		cmocka_unit_test(a_document_nests_and_reads_well),
		cmocka_unit_test(values_keep_type_and_unknown_is_null),
		cmocka_unit_test(broken_documents_never_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
