// SPDX-License-Identifier: MIT
/* Themes: files of one line per style, brought down to what a terminal can show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../tui/theme.h"
#include "mem.h"

static const int depths[] = {0, 8, 16, 256};

static void the_built_in_themes_are_whole(void **state)
{
	struct theme theme;
	struct err err = {0};
	size_t i;

	(void)state;
	for (i = 0; theme_builtin(i); i++) {
		assert_true(theme_load(NULL, theme_builtin(i), &theme, &err));
		assert_string_equal(theme.name, theme_builtin(i));
		assert_true(theme.description[0] != '\0');
	}
	assert_true(i >= 2);
	assert_true(theme_load(NULL, NULL, &theme, &err));
	assert_string_equal(theme.name, theme_default);
}

static void trouble_differs_from_health_at_every_depth(void **state)
{
	struct theme theme;
	struct err err = {0};

	(void)state;
	for (size_t i = 0; theme_builtin(i); i++) {
		assert_true(theme_load(NULL, theme_builtin(i), &theme, &err));
		for (size_t d = 0; d < 4; d++) {
			struct look good = theme_look(&theme, STYLE_GOOD, depths[d]), bad = theme_look(&theme, STYLE_BAD, depths[d]);
			struct look ready = theme_look(&theme, STYLE_READY, depths[d]), normal = theme_look(&theme, STYLE_NORMAL, depths[d]);

			assert_memory_not_equal(&good, &bad, sizeof good);
			assert_memory_not_equal(&ready, &normal, sizeof ready);
		}
	}
}

static void no_style_is_drawn_in_its_own_background(void **state)
{
	struct theme theme;
	struct err err = {0};

	(void)state;
	for (size_t i = 0; theme_builtin(i); i++) {
		assert_true(theme_load(NULL, theme_builtin(i), &theme, &err));
		for (size_t d = 0; d < 4; d++)
			for (int s = 0; s < STYLE_COUNT; s++) {
				struct look look = theme_look(&theme, (enum style)s, depths[d]);

				assert_true(look.bg < 0 || look.fg != look.bg);
				assert_true(look.fg < depths[d] && look.bg < depths[d]);
			}
	}
	/* two greys that 8 colours cannot tell apart */
	assert_true(theme_parse(TEXT("dim = 234 on 233\n"), "t", &theme, &err));
	assert_int_equal(theme_look(&theme, STYLE_DIM, 8).fg, -1);
	assert_true(theme_look(&theme, STYLE_DIM, 8).attributes & LOOK_REVERSE);
}

static void a_line_says_colour_background_and_attributes(void **state)
{
	struct theme theme;
	struct err err = {0};
	struct look look;

	(void)state;
	assert_true(theme_parse(TEXT("# a comment\n\nbad = #ff0000 on bright-black bold underline | red reverse\r\n"), "t", &theme, &err));
	look = theme_look(&theme, STYLE_BAD, 256);
	assert_int_equal(look.fg, 196);
	assert_int_equal(look.bg, 8);
	assert_int_equal(look.attributes, LOOK_BOLD | LOOK_UNDERLINE);
	look = theme_look(&theme, STYLE_BAD, 16);
	assert_int_equal(look.fg, 9);
	look = theme_look(&theme, STYLE_BAD, 8);
	assert_int_equal(look.fg, 1);
	assert_int_equal(look.bg, -1);
	assert_int_equal(look.attributes, LOOK_REVERSE);
	/* unnamed: the terminal's own */
	look = theme_look(&theme, STYLE_GOOD, 256);
	assert_int_equal(look.fg, -1);
	assert_int_equal(look.bg, -1);
}

static void without_colours_a_background_becomes_reverse(void **state)
{
	struct theme theme;
	struct err err = {0};
	struct look look;

	(void)state;
	assert_true(theme_parse(TEXT("not-ready = white on red bold\n"), "t", &theme, &err));
	look = theme_look(&theme, STYLE_NOT_READY, 0);
	assert_int_equal(look.fg, -1);
	assert_int_equal(look.bg, -1);
	assert_int_equal(look.attributes, LOOK_BOLD | LOOK_REVERSE);
}

static void a_wrong_line_is_named_with_file_and_line(void **state)
{
	static const struct {
		const char *ini, *says;
	} wrong[] = {
		{"good = green\nodd = red\n", "my.theme:2: \"odd\" is no style"},
		{"good = gren\n", "my.theme:1: \"gren\" is no colour or attribute"},
		{"good = 256\n", "my.theme:1: \"256\" is no colour or attribute"},
		{"good = -1\n", "my.theme:1: \"-1\" is no colour or attribute"},
		{"good = #12345\n", "my.theme:1: \"#12345\" is no colour or attribute"},
		{"good = red on\n", "my.theme:1: \"\" is no colour or attribute"},
		{"good = red blink\n", "my.theme:1: \"blink\" is no colour or attribute"},
		{"good =\n", "my.theme:1: \"\" is no colour or attribute"},
		{"good\n", "my.theme:1: expected \"style = colour\""},
	};
	struct theme theme;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct err err = {0};

		assert_false(theme_parse(text_of(wrong[i].ini), "my.theme", &theme, &err));
		assert_string_equal(err.words, wrong[i].says);
		assert_int_equal(err.code, ERR_USAGE);
	}
}

static void an_unknown_name_says_where_the_names_are(void **state)
{
	struct theme theme;
	struct err err = {0};

	(void)state;
	assert_false(theme_load(NULL, "nigth", &theme, &err));
	assert_non_null(strstr(err.words, "nigth"));
	assert_non_null(strstr(err.words, "laketop themes"));
}

static bool fake_read(struct host *h, const char *path, struct buf *out, struct err *err)
{
	(void)h;
	(void)err;
	return !strcmp(path, "/etc/own.theme") && buf_puts(out, "description = own\ngood = 40\n");
}

static void a_path_is_read_through_the_host(void **state)
{
	struct host host = {.read_file = fake_read};
	struct theme theme;
	struct err err = {0};

	(void)state;
	assert_true(theme_load(&host, "/etc/own.theme", &theme, &err));
	assert_string_equal(theme.name, "own.theme");
	assert_int_equal(theme_look(&theme, STYLE_GOOD, 256).fg, 40);
}

static void the_nearest_colour_is_the_one_an_eye_would_take(void **state)
{
	(void)state;
	assert_int_equal(colour_nearest(196, 8), 1);   /* pure red */
	assert_int_equal(colour_nearest(196, 16), 9);
	assert_int_equal(colour_nearest(46, 8), 2);
	assert_int_equal(colour_nearest(231, 8), 7);
	assert_int_equal(colour_nearest(232, 8), 0);
	assert_int_equal(colour_nearest(244, 16), 8);  /* mid grey */
	assert_int_equal(colour_nearest(-1, 8), -1);
	for (int i = 0; i < 256; i++)
		assert_int_equal(colour_nearest(i, 256), i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_built_in_themes_are_whole),
		cmocka_unit_test(trouble_differs_from_health_at_every_depth),
		cmocka_unit_test(no_style_is_drawn_in_its_own_background),
		cmocka_unit_test(a_line_says_colour_background_and_attributes),
		cmocka_unit_test(without_colours_a_background_becomes_reverse),
		cmocka_unit_test(a_wrong_line_is_named_with_file_and_line),
		cmocka_unit_test(an_unknown_name_says_where_the_names_are),
		cmocka_unit_test(a_path_is_read_through_the_host),
		cmocka_unit_test(the_nearest_colour_is_the_one_an_eye_would_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
