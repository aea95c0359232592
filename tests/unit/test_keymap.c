// SPDX-License-Identifier: MIT
/* Keys: what is bound, what must never be, and that every act can be told to the user. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <locale.h>

#include "../../tui/keymap.h"

static void the_keys_of_the_manual_do_what_it_says(void **state)
{
	static const struct {
		int key;
		enum act act;
	} manual[] = {
		{'q', ACT_BACK}, {K_ESCAPE, ACT_CANCEL}, {'?', ACT_HELP}, {':', ACT_PALETTE}, {'/', ACT_FILTER}, {'!', ACT_PROBLEMS},
		{K_ENTER, ACT_ENTER}, {'r', ACT_REFRESH}, {'y', ACT_COPY}, {'p', ACT_FREEZE}, {'o', ACT_SORT},
		{'O', ACT_SORT_REVERSE}, {'v', ACT_PEEK}, {'m', ACT_MOUSE}, {'i', ACT_IDENTIFY}, {K_TAB, ACT_NEXT_VIEW}, {'j', ACT_DOWN}, {'k', ACT_UP},
		{'g', ACT_TOP}, {'G', ACT_BOTTOM}, {'1', ACT_PANEL_1}, {'8', ACT_PANEL_8},
		{'l', ACT_LOGS}, {'n', ACT_FIND_NEXT}, {'e', ACT_NEXT_ERROR}, {12, ACT_REDRAW}, {26, ACT_SUSPEND}, {3, ACT_QUIT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof manual / sizeof *manual; i++)
		assert_int_equal(keymap_act(manual[i].key), manual[i].act);
}

static void dangerous_keys_are_bound_to_nothing(void **state)
{
	static const int never[] = {4 /* Ctrl-D */, 11 /* Ctrl-K */, K_DELETE, 'd', 's', 1, 2};

	(void)state;
	for (size_t i = 0; i < sizeof never / sizeof *never; i++)
		assert_int_equal(keymap_act(never[i]), ACT_NONE);
}

static void every_act_has_a_key_a_name_and_help(void **state)
{
	(void)state;
	for (int act = ACT_UP; act < ACT_PANEL_0; act++) {
		assert_true(keymap_key((enum act)act) != 0);
		assert_non_null(act_info((enum act)act)->name);
		assert_non_null(act_info((enum act)act)->help);
	}
}

static void no_key_is_bound_twice(void **state)
{
	char name[KEY_NAME];

	(void)state;
	/* the first binding of every act leads back to that act: an earlier one would have taken the key */
	for (int act = ACT_UP; act < ACT_COUNT; act++) {
		assert_int_equal(keymap_act(keymap_key((enum act)act)), act);
		assert_int_equal(keymap_named(text_of(keymap_name(name, keymap_key((enum act)act), true))), keymap_key((enum act)act));
	}
}

static void names_read_back_as_the_same_key(void **state)
{
	char name[KEY_NAME];

	(void)state;
	for (int key = K_UP; key <= K_F12; key++) {
		assert_int_equal(keymap_named(text_of(keymap_name(name, key, true))), key);
		assert_int_equal(keymap_named(text_of(keymap_name(name, key, false))), key);
	}
	for (int key = 1; key <= 26; key++)
		assert_int_equal(keymap_named(text_of(keymap_name(name, key, true))), key);
	assert_int_equal(keymap_named(TEXT("é")), 0xe9);
	assert_string_equal(keymap_name(name, 0x65e5, false), "日");
	assert_int_equal(keymap_named(TEXT("F")), 'F');
	assert_int_equal(keymap_named(TEXT("F13")), 0);
	assert_int_equal(keymap_named(TEXT("Ctrl-")), 0);
	assert_int_equal(keymap_named(TEXT("Ctrl-ä")), 0);
	assert_int_equal(keymap_named(TEXT("jj")), 0);
	assert_int_equal(keymap_named(TEXT("")), 0);
	assert_int_equal(keymap_named(TEXT("\xff")), 0);
}

static void all_keys_of_an_act_are_told(void **state)
{
	char all[64];

	(void)state;
	assert_string_equal(keymap_names(all, sizeof all, ACT_DOWN, true), "j Down");
	assert_string_equal(keymap_names(all, sizeof all, ACT_DOWN, false), "j ↓");
	assert_string_equal(keymap_names(all, sizeof all, ACT_NONE, false), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_keys_of_the_manual_do_what_it_says),
		cmocka_unit_test(dangerous_keys_are_bound_to_nothing),
		cmocka_unit_test(every_act_has_a_key_a_name_and_help),
		cmocka_unit_test(no_key_is_bound_twice),
		cmocka_unit_test(names_read_back_as_the_same_key),
		cmocka_unit_test(all_keys_of_an_act_are_told),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
