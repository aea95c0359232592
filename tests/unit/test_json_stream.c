// SPDX-License-Identifier: MIT
/* JSON in pieces: the same tokens wherever it is cut, exact numbers, and nothing that is not JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture_bytes.h"
#include "json_stream.h"

struct told {
	struct buf out;
	struct json_stream *s;
	struct buf captured;
	const char *capture; /* the key whose value is captured */
	bool now;
	unsigned left;       /* tokens until it is ended; 0: never */
};

static bool tell(void *ctx, const struct json_token *t)
{
	static const char letters[] = "{[)KTN+-0";
	struct told *told = ctx;

	buf_printf(&told->out, "%c%d%s", letters[t->event], t->depth, t->cut ? "~" : "");
	buf_add(&told->out, t->text.at, t->text.len);
	buf_puts(&told->out, " ");
	if (told->now && (t->event == JSON_OBJECT || t->event == JSON_ARRAY))
		json_stream_capture(told->s, &told->captured);
	told->now = t->event == JSON_KEY && told->capture && text_is(t->text, told->capture);
	return !told->left || --told->left;
}

static bool read_in(struct told *told, struct text t, size_t piece, size_t longest, struct err *err)
{
	bool fine = true;

	buf_init(&told->out, 1 << 20);
	buf_init(&told->captured, 1 << 20);
	told->s = json_stream_new(longest, tell, told);
	while (fine && t.len) {
		size_t n = t.len < piece ? t.len : piece;

		fine = json_stream_feed(told->s, t.at, n, err);
		t = (struct text){t.at + n, t.len - n};
	}
	fine = json_stream_end(told->s, fine ? err : NULL) && fine;
	json_stream_free(told->s);
	return fine;
}

static void end(struct told *told)
{
	buf_free(&told->out);
	buf_free(&told->captured);
}

static void assert_tokens(const char *json, const char *expected)
{
	for (size_t piece = 1; piece <= strlen(json); piece++) {
		struct told told = {0};
		struct err err = {0};

		assert_true(read_in(&told, text_of(json), piece, 64, &err));
		assert_string_equal(told.out.at, expected);
		end(&told);
	}
}

static void tokens_are_the_same_wherever_the_bytes_are_cut(void **state)
{
	(void)state;
	assert_tokens("{\"a\":[1,-2.5e+3,\"x\"],\"b\":{},\"c\":[true,false,null]}",
		"{1 K1a [2 N21 N2-2.5e+3 T2x )2 K1b {2 )2 K1c [2 +2true -2false 02null )2 )1 ");
	assert_tokens(" [ ] ", "[1 )1 ");
	assert_tokens("9223372036854775807", "N09223372036854775807 ");
	assert_tokens("\"\"", "T0 ");
}

static void escapes_are_decoded_and_half_pairs_mended(void **state)
{
	(void)state;
	assert_tokens("[\"a\\n\\\"\\u00e9\\u20ac\\ud83d\\ude00b\"]", "[1 T1a\n\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" "b )1 ");
	assert_tokens("[\"\\ud83d\",\"\\ude00x\",\"\\ud83d\\ud83d\\ude00\"]",
		"[1 T1\xef\xbf\xbd T1\xef\xbf\xbdx T1\xef\xbf\xbd\xf0\x9f\x98\x80 )1 ");
}

static void long_texts_are_cut_and_say_so(void **state)
{
	char json[300];

	(void)state;
	snprintf(json, sizeof json, "[\"%0200d\",\"short\"]", 7);
	for (size_t piece = 1; piece < 250; piece += 13) {
		struct told told = {0};
		char expected[100];

		assert_true(read_in(&told, text_of(json), piece, 64, NULL));
		snprintf(expected, sizeof expected, "[1 T1~%064d T1short )1 ", 0);
		assert_string_equal(told.out.at, expected);
		end(&told);
	}
}

static void what_is_captured_is_the_bytes_between_its_brackets(void **state)
{
	static const char json[] = "{\"before\":1,\"x\": {\"y\":[\"}\\\"\", {}]} ,\"after\":[2]}";

	(void)state;
	for (size_t piece = 1; piece < sizeof json; piece++) {
		struct told told = {.capture = "x"};

		assert_true(read_in(&told, TEXT(json), piece, 64, NULL));
		assert_string_equal(told.captured.at, "{\"y\":[\"}\\\"\", {}]}");
		assert_string_equal(told.out.at, "{1 K1before N11 K1x {2 )2 K1after [2 N22 )2 )1 ");
		end(&told);
	}
}

static void what_is_no_json_is_refused(void **state)
{
	static const char *const bad[] = {
		"", " ", "{", "[", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "[1 2]", "]", "[}", "{]", "1 2", "01", "1.", "-", "1e", "+1", ".5",
		"tru", "truee", "nul", "nan", "[\"a]", "\"\\x\"", "\"\\u12g4\"", "\"a\nb\"", "[1]]", "\"a\" \"b\"", "\xff", "{1:2}", "[,1]",
		"12345678901234567890123456789012345678901234567890123456789012345",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		for (size_t piece = 1; piece < 4; piece++) {
			struct told told = {0};
			struct err err = {0};

			assert_false(read_in(&told, text_of(bad[i]), piece, 64, &err));
			assert_int_equal(err.code, ERR_PARSE);
			end(&told);
		}
}

static void depth_is_limited_and_a_reader_may_end_it(void **state)
{
	struct told told = {0};
	struct err err = {0};
	char deep[300];

	(void)state;
	memset(deep, '[', sizeof deep);
	assert_false(read_in(&told, (struct text){deep, sizeof deep}, 7, 64, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	end(&told);
	told = (struct told){.left = 2};
	assert_false(read_in(&told, TEXT("[1,2,3]"), 7, 64, &err));
	assert_int_equal(err.code, ERR_CANCELLED);
	assert_string_equal(told.out.at, "[1 N11 ");
	end(&told);
}

static void read_any(struct text bytes)
{
	for (size_t piece = 1; piece < 40; piece += 17) {
		struct told told = {.capture = "x"};

		read_in(&told, bytes, piece, 64, NULL);
		end(&told);
	}
}

static void nothing_that_comes_breaks_it(void **state)
{
	(void)state;
	fuzz(TEXT("{\"a\\u00e9\":[1,-2.5e3,\"x\\ud83d\\ude00\"],\"x\":{\"y\":[\"}\\\"\",{}]},\"c\":[true,false,null,[[[]]]]}"), read_any);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_are_the_same_wherever_the_bytes_are_cut),
		cmocka_unit_test(escapes_are_decoded_and_half_pairs_mended),
		cmocka_unit_test(long_texts_are_cut_and_say_so),
		cmocka_unit_test(what_is_captured_is_the_bytes_between_its_brackets),
		cmocka_unit_test(what_is_no_json_is_refused),
		cmocka_unit_test(depth_is_limited_and_a_reader_may_end_it),
		cmocka_unit_test(nothing_that_comes_breaks_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
