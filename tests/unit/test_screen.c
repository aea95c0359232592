// SPDX-License-Identifier: MIT
/*
 * The whole screen in memory: keys in, cells out. Title and hints at any width, pages, filter,
 * palette, help, freeze; what a key asks of the loop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <locale.h>

#include "../../tui/acting.h"
#include "../../tui/keymap.h"
#include "../../tui/palette.h"
#include "../../tui/prompt.h"
#include "../../tui/screen.h"
#include "clock.h"
#include "fixture_lake.h"
#include "fixture_logs.h"
#include "mem.h"

struct desk {
	struct fixture *fixture;
	struct screen *screen;
	struct canvas *canvas;
	int y, x; /* the cursor */
};

static struct desk desk_new(enum fixture_which which, int width, int height, bool ascii)
{
	struct desk d = {.fixture = fixture_new(which), .screen = screen_new(ascii), .canvas = canvas_new(width, height, ascii)};

	clock_freeze(FIXTURE_NOW, FIXTURE_WALL);
	screen_show(d.screen, fixture_lake(d.fixture));
	screen_draw(d.screen, d.canvas, &d.y, &d.x);
	return d;
}

static void desk_free(struct desk *d)
{
	screen_free(d->screen);
	canvas_free(d->canvas);
	fixture_free(d->fixture);
	clock_freeze(-1, -1);
}

static struct wish press(struct desk *d, int key)
{
	struct wish wish = screen_key(d->screen, key);

	screen_draw(d->screen, d->canvas, &d->y, &d->x);
	return wish;
}

static void type(struct desk *d, const char *s)
{
	for (; *s; s++)
		press(d, *s);
}

/* A line as ASCII, other characters as '?', trailing blanks dropped. */
static const char *line(const struct canvas *c, int y)
{
	static char out[1024];
	size_t end = 0;

	for (int x = 0; x < c->width; x++) {
		uint32_t code = c->cells[(ptrdiff_t)y * c->stride + x].code[0];

		out[x] = (char)(code > 0 && code < 0x7f ? code : '?'); /* 0: the second half of a wide one */
		if (code != ' ')
			end = (size_t)x + 1;
	}
	out[end] = '\0';
	return out;
}

static bool line_says(const struct canvas *c, const char *words)
{
	for (int y = 0; y < c->height; y++)
		if (strstr(line(c, y), words))
			return true;
	return false;
}

static bool shows(const struct desk *d, const char *words)
{
	return line_says(d->canvas, words);
}

/* ---- title and hints ---- */

static void the_badge_is_there_at_any_width(void **state)
{
	(void)state;
	for (int width = 40; width <= 300; width++) {
		struct desk ready = desk_new(FIXTURE_POCKET, width, 24, false), not_ready = desk_new(FIXTURE_TROUBLE, width, 24, true);

		assert_non_null(strstr(line(ready.canvas, 0), "READY"));
		assert_null(strstr(line(ready.canvas, 0), "NOT READY"));
		assert_non_null(strstr(line(not_ready.canvas, 0), "NOT READY"));
		assert_non_null(strstr(line(not_ready.canvas, 0), "problem"));
		desk_free(&ready);
		desk_free(&not_ready);
	}
}

static void the_title_says_machine_memory_disk_and_time_where_there_is_room(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 120, 24, false);

	(void)state;
	assert_non_null(strstr(line(d.canvas, 0), "laketop"));
	assert_non_null(strstr(line(d.canvas, 0), "mem "));
	assert_non_null(strstr(line(d.canvas, 0), "disk "));
	assert_non_null(strstr(line(d.canvas, 0), "12:04:31"));
	desk_free(&d);
}

static void hints_are_whole_or_not_there(void **state)
{
	(void)state;
	for (int width = 40; width <= 160; width++) {
		struct desk d = desk_new(FIXTURE_POCKET, width, 24, true);
		const char *last = line(d.canvas, 23);

		assert_non_null(strstr(last, "q quit"));
		assert_non_null(strstr(last, "? help"));
		assert_null(strchr(last, '~')); /* the sign of a cut */
		desk_free(&d);
	}
}

static void a_key_is_hinted_where_it_does_something(void **state)
{
	struct desk d = desk_new(FIXTURE_DEEP, 120, 24, true);

	(void)state;
	press(&d, '3');
	assert_true(shows(&d, "x act"));
	assert_false(shows(&d, "v records")); /* of groups there are none */
	press(&d, K_TAB);
	assert_true(shows(&d, "v records"));
	press(&d, K_ENTER); /* the partitions of a topic */
	assert_true(shows(&d, "v records"));
	press(&d, 'v');
	assert_true(shows(&d, "newest records of"));
	assert_false(shows(&d, "v records"));
	desk_free(&d);
}

/* What stands there at one width stands there at every greater one, in the same order. */
static void hints_stand_in_one_order(void **state)
{
	struct desk wide = desk_new(FIXTURE_POCKET, 300, 24, true);
	char all[400];

	(void)state;
	snprintf(all, sizeof all, "%s", line(wide.canvas, 23));
	assert_non_null(strstr(all, "4 tables"));
	for (int width = 40; width <= 299; width++) {
		struct desk d = desk_new(FIXTURE_POCKET, width, 24, true);
		char some[400];

		snprintf(some, sizeof some, "%s", line(d.canvas, 23));
		if (strstr(some, "absent")) { /* at the right edge, behind at least two blanks */
			char *at = strstr(some, " of ");

			while (at > some && *at != ' ')
				at--;
			while (at > some && at[-1] != ' ')
				at--;
			*at = '\0';
		}
		for (size_t len = strlen(some); len && some[len - 1] == ' '; len--)
			some[len - 1] = '\0';
		if (strncmp(some, all, strlen(some)) != 0)
			fail_msg("at %d: %s", width, some);
		desk_free(&d);
	}
	desk_free(&wide);
}

static void a_menu_says_how_to_leave_it_at_any_width(void **state)
{
	static const int widths[] = {40, 60, 100};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct desk d = desk_new(FIXTURE_POCKET, widths[i], 20, false);

		press(&d, 'x');
		assert_true(shows(&d, "what to do to"));
		assert_non_null(strstr(line(d.canvas, 1), "Esc leaves"));
		assert_null(strstr(line(d.canvas, 19), "q quit")); /* that is the panel's key, not the menu's */
		press(&d, K_ESCAPE);
		assert_non_null(strstr(line(d.canvas, 19), "q quit"));
		press(&d, '?');
		assert_non_null(strstr(line(d.canvas, 1), "q leaves"));
		desk_free(&d);
	}
}

static void below_forty_by_ten_one_line_says_so(void **state)
{
	(void)state;
	for (int width = 0; width <= 41; width++)
		for (int height = 0; height <= 11; height++) {
			struct desk d = desk_new(FIXTURE_MANY, width, height, false);

			if (width >= 40 && height >= 10)
				assert_non_null(strstr(line(d.canvas, 0), "READY"));
			else if (width >= 34 && height > 0)
				assert_true(shows(&d, "laketop needs 40x10"));
			desk_free(&d);
		}
}

static void before_anything_is_known_nothing_is_claimed(void **state)
{
	struct desk d = desk_new(FIXTURE_NOTHING, 100, 24, false);

	(void)state;
	assert_null(strstr(line(d.canvas, 0), "READY"));
	assert_non_null(strstr(line(d.canvas, 0), "laketop"));
	desk_free(&d);
}

static void until_all_answered_it_is_neither_ready_nor_not(void **state)
{
	struct desk d = desk_new(FIXTURE_STARTING, 100, 24, false);

	(void)state;
	fixture_lake(d.fixture)->settled = false;
	press(&d, K_F12);
	assert_null(strstr(line(d.canvas, 0), "READY"));
	assert_non_null(strstr(line(d.canvas, 0), "ASKING"));
	desk_free(&d);
}

/* ---- pages ---- */

static void q_leads_back_and_quits_on_the_overview_only(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 100, 30, false);

	(void)state;
	assert_int_equal(press(&d, '2').what, 0);
	assert_true(shows(&d, "ADDRESS"));
	assert_true(shows(&d, "q back"));
	assert_int_equal(press(&d, 'q').what, 0);
	assert_true(shows(&d, "q quit"));
	assert_int_equal(press(&d, 'q').what, WISH_QUIT);
	desk_free(&d);
}

static void esc_never_quits(void **state)
{
	static const int first[] = {'1', '2', '8', K_ENTER, '?', ':', '/', '!', 'p'};

	(void)state;
	for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
		struct desk d = desk_new(FIXTURE_TROUBLE, 100, 30, false);

		press(&d, first[i]);
		for (int k = 0; k < 10; k++) {
			assert_int_equal(press(&d, K_ESCAPE).what, 0);
			assert_int_equal(press(&d, K_BACKSPACE).what, 0);
		}
		assert_true(shows(&d, "q quit")); /* and ends on the overview */
		desk_free(&d);
	}
}

static void enter_opens_the_service_and_q_comes_back(void **state)
{
	struct desk d = desk_new(FIXTURE_TROUBLE, 110, 30, false);

	(void)state;
	press(&d, K_ENTER);
	assert_true(shows(&d, "EVIDENCE"));
	press(&d, 'q');
	assert_false(shows(&d, "EVIDENCE"));
	desk_free(&d);
}

static void the_key_of_logs_leads_from_the_log_of_one_to_all(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 110, 30, false);
	struct wish wish;

	(void)state;
	wish = press(&d, 'l');
	assert_true(wish.what & WISH_LOGS);
	assert_true(wish.logs.service[0] != '\0');
	press(&d, '7');
	wish = screen_tick(d.screen);
	assert_true(wish.what & WISH_LOGS);
	assert_string_equal(wish.logs.service, "");
	press(&d, '7'); /* and no further */
	press(&d, 'q');
	assert_true(shows(&d, "SERVICE"));
	desk_free(&d);
}

static void a_panel_that_is_not_there_has_no_key(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 100, 30, false);

	(void)state;
	press(&d, '9');
	assert_true(shows(&d, "there is no panel 9: ? lists them"));
	assert_true(shows(&d, "SERVICE"));
	clock_freeze(FIXTURE_NOW + 4000, FIXTURE_WALL + 4000);
	press(&d, K_F12);
	assert_true(shows(&d, "q quit")); /* the hints come back */
	desk_free(&d);
}

/* ---- filter ---- */

static void a_filter_narrows_while_it_is_typed(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 110, 30, false);

	(void)state;
	press(&d, '/');
	assert_int_equal(d.y, 29);
	type(&d, "no-such-thing");
	assert_non_null(strstr(line(d.canvas, 29), "/no-such-thing"));
	assert_int_equal(d.x, 14);
	assert_int_equal(press(&d, K_ENTER).what, 0);
	assert_int_equal(d.y, -1);
	assert_non_null(strstr(line(d.canvas, 29), "/no-such-thing")); /* stays in sight */
	press(&d, K_ESCAPE);
	assert_null(strstr(line(d.canvas, 29), "/no-such-thing"));
	desk_free(&d);
}

/* What was typed for the list is there again when the page is left, and what was typed in the page is not. */
static void the_page_of_a_table_has_a_filter_of_its_own(void **state)
{
	struct desk d = desk_new(FIXTURE_TABLES, 110, 30, false);

	(void)state;
	press(&d, '4');
	press(&d, '/');
	type(&d, "bronze.ord");
	press(&d, K_ENTER);
	assert_true(shows(&d, "/bronze.ord"));
	press(&d, K_ENTER);
	assert_true(shows(&d, "partitions")); /* it is open */
	assert_null(strstr(line(d.canvas, 29), "mark")); /* which the list alone does */
	assert_false(shows(&d, "/bronze.ord"));
	press(&d, '/');
	type(&d, "cook");
	press(&d, K_ENTER);
	assert_non_null(strstr(line(d.canvas, 29), "/cook"));
	press(&d, K_ESCAPE);
	assert_true(shows(&d, "partitions"));
	assert_false(shows(&d, "/cook"));
	press(&d, 'q');
	assert_true(shows(&d, "/bronze.ord"));
	assert_false(shows(&d, "audit.log"));
	desk_free(&d);
}

/* As where something is selected: typing replaces it, Backspace erases it, an arrow keeps it to be changed. */
static void the_old_filter_is_replaced_by_typing_and_kept_by_an_arrow(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 110, 30, false);

	(void)state;
	press(&d, '/');
	type(&d, "kafka");
	press(&d, K_ENTER);
	press(&d, '/');
	assert_non_null(strstr(line(d.canvas, 29), "/kafka"));
	type(&d, "nes");
	assert_string_equal(line(d.canvas, 29) + 1, "nes");
	press(&d, K_ENTER);
	press(&d, '/');
	press(&d, K_RIGHT);
	type(&d, "s");
	assert_string_equal(line(d.canvas, 29) + 1, "ness");
	press(&d, K_ENTER);
	press(&d, '/');
	press(&d, K_BACKSPACE);
	assert_int_equal(d.x, 1); /* nothing stands there, and it is still typed */
	press(&d, K_BACKSPACE);
	assert_int_equal(d.y, -1);
	press(&d, '/');
	type(&d, "a");
	press(&d, K_ENTER);
	press(&d, '/');
	screen_paste(d.screen, TEXT("b"));
	press(&d, K_ENTER);
	assert_non_null(strstr(line(d.canvas, 29), "/b "));
	assert_null(strstr(line(d.canvas, 29), "/ab"));
	desk_free(&d);
}

/* One goes to a time once: what is looked for is what n goes on with. */
static void a_time_that_is_none_changes_nothing(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 110, 30, false);
	struct host *host = host_local();
	struct logs *logs = fixture_logs(host);

	(void)state;
	fixture_lake(d.fixture)->logs = logs;
	press(&d, '7');
	type(&d, "#checkpoint");
	press(&d, K_ENTER);
	assert_true(shows(&d, "search: checkpoint"));
	type(&d, "#@25:99");
	press(&d, K_ENTER);
	assert_true(shows(&d, "there is no such time"));
	assert_true(shows(&d, "search: checkpoint"));
	type(&d, "#@-5m");
	press(&d, K_ENTER);
	assert_false(shows(&d, "there is no such time"));
	assert_true(shows(&d, "search: checkpoint"));
	logs_close(logs, 20000);
	desk_free(&d);
	host->close(host);
}

static void letters_in_a_filter_do_not_act(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 110, 30, false);

	(void)state;
	press(&d, '/');
	assert_int_equal(press(&d, 'q').what, 0);
	assert_int_equal(press(&d, 'r').what, 0);
	assert_int_equal(press(&d, 'm').what, 0);
	assert_non_null(strstr(line(d.canvas, 29), "/qrm"));
	assert_int_equal(press(&d, 3).what, WISH_QUIT); /* Ctrl-C always does */
	desk_free(&d);
}

static void pasted_text_goes_where_is_typed_and_nowhere_else(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 110, 30, false);

	(void)state;
	screen_paste(d.screen, TEXT("q2!"));
	press(&d, K_F12);
	assert_true(shows(&d, "q quit"));
	assert_false(shows(&d, "ADDRESS"));
	press(&d, '/');
	screen_paste(d.screen, TEXT("  ka\033[2Jf\r\nka\xff "));
	press(&d, K_F12);
	assert_non_null(strstr(line(d.canvas, 29), "/ka[2Jf  ka"));
	desk_free(&d);
}

/* ---- palette and help ---- */

static void the_palette_runs_what_is_found(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 110, 30, false);

	(void)state;
	press(&d, ':');
	assert_true(shows(&d, "go to"));
	type(&d, "ports");
	press(&d, K_ENTER);
	assert_true(shows(&d, "ADDRESS"));
	press(&d, ':');
	type(&d, "quit");
	assert_int_equal(press(&d, K_ENTER).what, WISH_QUIT);
	desk_free(&d);
}

static void the_palette_opens_every_service_by_its_name(void **state)
{
	struct desk d = desk_new(FIXTURE_MANY, 120, 30, false);
	const struct lake *lake = fixture_lake(d.fixture);

	(void)state;
	for (size_t i = 0; i < lake->n_services; i++) {
		press(&d, ':');
		type(&d, "open ");
		type(&d, lake->services[i]->name);
		press(&d, K_ENTER);
		assert_true(shows(&d, "EVIDENCE"));
		assert_non_null(strstr(line(d.canvas, 1), lake->services[i]->name));
	}
	desk_free(&d);
}

static void the_palette_finds_tables_and_what_can_be_done_to_the_row(void **state)
{
	struct desk d = desk_new(FIXTURE_TABLES, 110, 30, false);

	(void)state;
	press(&d, ':');
	type(&d, "bronze.ord");
	assert_true(shows(&d, "table bronze.orders"));
	press(&d, K_ENTER);
	assert_true(shows(&d, "snapshots")); /* its page, of the catalog that stood beside it */
	press(&d, ':');
	type(&d, "expire");
	assert_true(shows(&d, "expire bronze.orders"));
	assert_int_equal(press(&d, K_ENTER).what, 0); /* nobody here could run it: that stands beside it */
	desk_free(&d);

	d = desk_new(FIXTURE_POCKET, 110, 30, false);
	press(&d, ':');
	type(&d, "stop postgres");
	assert_true(shows(&d, "stop postgres"));
	desk_free(&d);
}

static void help_names_every_key_and_cuts_nothing(void **state)
{
	(void)state;
	for (int panel = 0; panels[panel]; panel++) {
		struct desk d = desk_new(FIXTURE_POCKET, 100, 100, false);
		bool seen[ACT_COUNT] = {false};

		if (panels[panel]->key)
			press(&d, panels[panel]->key);
		else
			press(&d, K_ENTER);
		press(&d, '?');
		for (int end = 0; end < 2; end++) {
			for (int act = ACT_UP; act <= ACT_QUIT; act++)
				seen[act] = seen[act] || shows(&d, act_info((enum act)act)->help);
			press(&d, 'G');
		}
		for (int act = ACT_UP; act <= ACT_QUIT; act++)
			if (!seen[act])
				fail_msg("the help of %s does not name, or cuts: %s", panels[panel]->name, act_info((enum act)act)->help);
		desk_free(&d);
	}
}

/* What has no room beside its key stands below the list. */
static void help_shows_the_selected_line_whole_on_a_narrow_screen(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 60, 20, false);

	(void)state;
	press(&d, '?');
	press(&d, '/');
	type(&d, "not well");
	assert_true(shows(&d, "show only what is not well, and all again"));
	desk_free(&d);
}

static void help_explains_and_runs(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 110, 90, false);

	(void)state;
	press(&d, '?');
	assert_true(shows(&d, "wrong version"));
	assert_true(shows(&d, "Ctrl-Z"));
	press(&d, '/');
	type(&d, "ask every");
	assert_true(shows(&d, "refresh"));
	assert_false(shows(&d, "Ctrl-Z"));
	assert_int_equal(press(&d, K_ENTER).what, WISH_REFRESH);
	assert_false(shows(&d, "Ctrl-Z"));
	press(&d, '?');
	assert_int_equal(press(&d, 'q').what, 0); /* leaves the help only */
	assert_true(shows(&d, "SERVICE"));
	desk_free(&d);
}

static void headings_of_a_list_are_stepped_over(void **state)
{
	static const enum choice_what rows[] = {CHOICE_HEADING, CHOICE_ACT, CHOICE_HEADING, CHOICE_HEADING, CHOICE_ACT, CHOICE_ACT, CHOICE_HEADING};
	static const struct { int key; size_t selected; } steps[] = {
		{K_UP, 1}, {K_DOWN, 4}, {K_DOWN, 5}, {K_DOWN, 5}, {K_UP, 4}, {K_UP, 1}, {'G', 5}, {'g', 1}, {K_UP, 1},
	};
	struct chooser list = {.page = 10};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		chooser_add(&list, rows[i], (int)i, "", "row", "");
	chooser_search(&list);
	assert_int_equal(list.selected, 1);
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		assert_int_equal(chooser_key(&list, steps[i].key), CHOOSER_OPEN);
		if (list.selected != steps[i].selected)
			fail_msg("step %zu selects %zu", i, list.selected);
	}
	chooser_clear(&list);
}

static void help_and_palette_fit_every_size(void **state)
{
	static const int sizes[][2] = {{40, 10}, {41, 11}, {80, 24}, {300, 100}};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (int ascii = 0; ascii < 2; ascii++) {
			struct desk d = desk_new(FIXTURE_HOSTILE, sizes[i][0], sizes[i][1], ascii);

			press(&d, '?');
			for (int k = 0; k < 80; k++)
				press(&d, k < 40 ? 'j' : K_PAGE_UP);
			press(&d, K_ESCAPE);
			press(&d, ':');
			for (int k = 0; k < 80; k++)
				press(&d, k < 40 ? K_DOWN : K_UP);
			type(&d, "zqxjzqxj");
			assert_true(shows(&d, "nothing matches"));
			for (int k = 0; ascii && k < d.canvas->width * d.canvas->height; k++)
				assert_true(d.canvas->cells[k].code[0] < 0x7f);
			desk_free(&d);
		}
}

/* ---- wishes ---- */

static void keys_ask_the_loop_for_what_only_it_can_do(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 110, 30, false);
	struct wish wish;

	(void)state;
	assert_int_equal(press(&d, 'r').what, WISH_REFRESH);
	assert_int_equal(press(&d, 'm').what, WISH_MOUSE);
	assert_int_equal(press(&d, 12).what, WISH_REDRAW);
	assert_int_equal(press(&d, 26).what, WISH_SUSPEND);
	wish = press(&d, 'y');
	assert_int_equal(wish.what, WISH_COPY);
	assert_non_null(wish.copy);
	press(&d, K_ENTER);
	wish = press(&d, 'r');
	assert_int_equal(wish.what, WISH_REFRESH);
	assert_true(wish.service[0] != '\0'); /* on a service's page: only it */
	desk_free(&d);
}

static void freeze_holds_and_says_so(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 100, 30, false);

	(void)state;
	assert_false(screen_frozen(d.screen));
	press(&d, 'p');
	assert_true(screen_frozen(d.screen));
	clock_freeze(FIXTURE_NOW + 14000, FIXTURE_WALL + 14000);
	press(&d, K_F12);
	assert_non_null(strstr(line(d.canvas, 0), "PAUSED 14s"));
	press(&d, '2');
	assert_true(shows(&d, "ADDRESS")); /* one can still look around */
	press(&d, 'p');
	assert_false(screen_frozen(d.screen));
	assert_null(strstr(line(d.canvas, 0), "PAUSED"));
	desk_free(&d);
}

static int selected(const struct canvas *c)
{
	for (int y = 1; y < c->height - 1; y++)
		for (int x = 0; x < c->width; x++)
			if (c->cells[(ptrdiff_t)y * c->stride + x].style == STYLE_SELECTED)
				return y;
	return -1;
}

static void a_click_selects_and_a_second_one_opens(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 110, 30, false);
	int first = selected(d.canvas), target;

	(void)state;
	assert_true(first > 0);
	press(&d, 'G');
	target = selected(d.canvas);
	assert_true(target > first);
	press(&d, 'g');
	screen_click(d.screen, d.canvas, target);
	assert_int_equal(selected(d.canvas), target);
	screen_click(d.screen, d.canvas, first);
	assert_int_equal(selected(d.canvas), first);
	screen_click(d.screen, d.canvas, 0);
	screen_click(d.screen, d.canvas, 29);
	assert_int_equal(selected(d.canvas), first);
	screen_wheel(d.screen, 3);
	press(&d, K_F12);
	assert_true(selected(d.canvas) > first);
	screen_click(d.screen, d.canvas, selected(d.canvas));
	press(&d, K_F12);
	assert_true(shows(&d, "EVIDENCE"));
	desk_free(&d);
}

static void any_keys_in_any_order_end_nowhere(void **state)
{
	uint32_t seed = 7;

	(void)state;
	for (int which = 0; which < FIXTURE_COUNT; which++) {
		struct desk d = desk_new((enum fixture_which)which, 90, 26, which & 1);

		for (int i = 0; i < 3000; i++) {
			seed = seed * 1664525u + 1013904223u;
			uint32_t n = seed >> 16;

			press(&d, n % 3 ? (int)(' ' + n / 3 % 95) : K_UP + (int)(n / 3 % 26));
		}
		desk_free(&d);
	}
}

/* ---- what is open is asked for again ---- */

static struct wish tick_after(struct desk *d, int64_t ms)
{
	clock_freeze(clock_ms() + ms, clock_wall_ms() + ms);
	return screen_tick(d->screen);
}

static void what_a_panel_has_open_is_asked_for_again_and_then_no_more(void **state)
{
	struct desk d = desk_new(FIXTURE_DEEP, 100, 30, false);
	struct wish wish;

	(void)state;
	press(&d, '3');
	assert_int_equal(tick_after(&d, 0).what, 0); /* nothing is open */
	assert_int_equal(tick_after(&d, 60000).what, 0);
	wish = press(&d, K_ENTER);
	assert_int_equal(wish.what, WISH_ASK);
	assert_string_equal(wish.ask_service, "kafka");
	assert_string_equal(wish.ask_view, "group");
	assert_string_equal(wish.ask_subject, "orders-etl");
	assert_int_equal(tick_after(&d, 4900).what, 0);
	assert_true(screen_due(d.screen) <= clock_ms() + 100);
	assert_int_equal(tick_after(&d, 200).what, WISH_ASK);
	assert_int_equal(press(&d, 'r').what, WISH_REFRESH | WISH_ASK);
	press(&d, 'p'); /* frozen: what comes would not be seen */
	assert_int_equal(tick_after(&d, 60000).what, 0);
	press(&d, 'p');
	assert_int_equal(tick_after(&d, 0).what, WISH_ASK);
	press(&d, '5'); /* another panel has nothing open */
	assert_int_equal(tick_after(&d, 60000).what, 0);
	press(&d, '3'); /* and this one still has: it is asked for at once */
	wish = tick_after(&d, 0);
	assert_int_equal(wish.what, WISH_ASK);
	assert_string_equal(wish.ask_subject, "orders-etl");
	press(&d, K_ESCAPE);
	assert_int_equal(tick_after(&d, 60000).what, 0);
	desk_free(&d);
}

/* ---- the parts ---- */

/* ---- actions ---- */

static void x_lists_what_can_be_done_and_nothing_is_wished_before_it_is_chosen(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 100, 30, true);
	struct wish wish;

	(void)state;
	assert_int_equal(press(&d, 'x').what, 0);
	assert_true(shows(&d, "what to do to"));
	assert_true(shows(&d, "stop"));
	for (size_t i = 0; action_specs[i]; i++) /* what cannot be done says why, and cannot be chosen */
		assert_true(action_specs[i]->on != ON_SERVICE || shows(&d, action_specs[i]->verb));
	assert_int_equal(press(&d, K_ESCAPE).what, 0);
	assert_false(shows(&d, "what to do to"));
	fixture_lake(d.fixture)->locked = "locked: L unlocks";
	press(&d, 'x');
	wish = press(&d, K_ENTER);
	assert_int_equal(wish.what, 0);
	assert_true(shows(&d, "locked: L unlocks"));
	desk_free(&d);
}

static void only_y_confirms_and_enter_is_no(void **state)
{
	struct action_shown shown = {.id = 5, .state = ACTION_OFFERED, .title = "stop kafka", .exact = "kill -TERM 812", .wish = {.verb = "stop"}};
	static const int never[] = {K_ENTER, K_ESCAPE, 'n', 'q', ' ', 'x', 'r', K_DOWN};

	(void)state;
	for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
		struct desk d = desk_new(FIXTURE_POCKET, 100, 30, true);

		fixture_lake(d.fixture)->actions = &shown;
		fixture_lake(d.fixture)->n_actions = 1;
		screen_offer(d.screen, 5, NULL);
		press(&d, 'X');
		press(&d, K_ENTER);
		assert_true(shows(&d, "kill -TERM 812"));
		assert_true(shows(&d, "[y/N]"));
		assert_true(shows(&d, "cut short after"));
		screen_paste(d.screen, TEXT("y\ny\n"));
		assert_false(press(&d, never[i]).what & WISH_CONFIRM);
		desk_free(&d);
	}
	struct desk d = desk_new(FIXTURE_POCKET, 100, 30, true);

	fixture_lake(d.fixture)->actions = &shown;
	fixture_lake(d.fixture)->n_actions = 1;
	press(&d, 'X');
	press(&d, K_ENTER);
	assert_true(press(&d, 'y').what & WISH_CONFIRM);
	desk_free(&d);
}

static void what_a_verb_takes_is_typed_before_it_is_wished(void **state)
{
	struct acting *a = mem_new(1, sizeof *a);
	static const char days[] = "7d";

	(void)state;
	a->spec = action_spec_of("expire", ON_TABLE);
	a->on = (struct action_wish){.verb = "expire", .service = "lake", .subject = "a.b"};
	acting_form(a, NULL, NULL);
	assert_int_equal(a->mode, ACTING_FORM);
	assert_int_equal(a->n_values, 3); /* older_than, retain_last, by */
	for (size_t i = 0; days[i]; i++)
		assert_int_equal(acting_form_key(a, days[i]), ACTING_STAYS);
	acting_form_key(a, K_TAB);
	acting_form_key(a, '5');
	acting_form_key(a, K_UP);
	acting_form_key(a, K_UP); /* round to the last */
	assert_int_equal(a->value, 2);
	assert_int_equal(acting_form_key(a, K_ENTER), ACTING_WISHES);
	assert_int_equal(a->on.n_options, 2);
	assert_string_equal(wish_option(&a->on, "older_than"), "7d");
	assert_string_equal(wish_option(&a->on, "retain_last"), "5");
	acting_form(a, NULL, &a->on); /* changed later: what was typed stands there */
	assert_string_equal(a->values[0].s, "7d");
	assert_int_equal(acting_form_key(a, K_ESCAPE), ACTING_CLOSES);
	free(a);
}

static void of_several_only_those_that_are_offered_run_after_one_yes(void **state)
{
	struct action_shown shown[] = {
		{.id = 5, .state = ACTION_OFFERED, .title = "compact lake a", .exact = "CALL a", .effect = "6 become 1"},
		{.id = 6, .state = ACTION_PREPARING, .title = "compact lake b"},
	};
	struct lake lake = {.actions = shown, .n_actions = 2};
	struct acting *a = mem_new(1, sizeof *a);
	struct canvas *c = canvas_new(60, 20, false);

	(void)state;
	a->spec = action_spec_of("compact", ON_TABLE);
	a->n_marks = 3;
	acting_form(a, NULL, NULL);
	assert_int_equal(acting_form_key(a, K_ENTER), ACTING_WISHES);
	assert_int_equal(a->mode, ACTING_MANY);
	acting_many(a, 0, 5, "");
	acting_many(a, 1, 6, "");
	acting_many(a, 2, 0, "it is a view");
	shown[1].state = ACTION_NEEDLESS; /* its word is whole, and stands before its name */
	snprintf(a->marks[1].service, sizeof a->marks[1].service, "lake");
	snprintf(a->marks[1].subject, sizeof a->marks[1].subject, "b");
	acting_many_draw(a, &lake, c);
	assert_true(line_says(c, "nothing to do lake b"));
	shown[1].state = ACTION_PREPARING;
	assert_int_equal(acting_many_key(a, &lake, 'y'), ACTING_STAYS); /* one is not known yet */
	shown[1].state = ACTION_FAILED;
	assert_int_equal(acting_many_key(a, &lake, 'f'), ACTING_STAYS);
	assert_true(a->go_on);
	assert_int_equal(acting_many_key(a, &lake, 'y'), ACTING_CONFIRMS);
	assert_int_equal(a->n_run, 1);
	assert_int_equal(a->run[0], 5);
	assert_int_equal(acting_many_key(a, &lake, K_ENTER), ACTING_DROPS);
	shown[0].state = ACTION_RUNNING;
	assert_int_equal(acting_many_key(a, &lake, K_ESCAPE), ACTING_CLOSES);
	assert_int_equal(acting_many_key(a, &lake, 'c'), ACTING_DROPS);
	canvas_free(c);
	free(a);
}

/* "older_than=1h" is only found to be too young while it is prepared: nothing of the rest is typed again. */
static void what_is_turned_away_while_it_is_prepared_is_typed_on(void **state)
{
	struct action_shown shown = {.id = 5, .state = ACTION_FAILED, .title = "orphans lake a.b", .words = "older_than is at least 24h",
		.wish = {.verb = "orphans", .service = "lake", .subject = "a.b"}};
	struct desk d = desk_new(FIXTURE_POCKET, 100, 30, true);

	(void)state;
	wish_option_set(&shown.wish, "older_than", "1h");
	fixture_lake(d.fixture)->actions = &shown;
	fixture_lake(d.fixture)->n_actions = 1;
	press(&d, 'X');
	press(&d, K_ENTER);
	assert_true(shows(&d, "o changes what was typed"));
	assert_int_equal(press(&d, 'o').what, 0);
	assert_true(shows(&d, "at least 24h"));
	assert_true(shows(&d, "1h"));
	assert_true(press(&d, K_ENTER).what & WISH_ACT);
	desk_free(&d);
}

/* What deletes is seen to the last word of its SQL, at any size, and so is the question. */
static void what_is_exact_is_seen_whole_however_small_the_screen(void **state)
{
	static const char sql[] = "CALL lake.system.expire_snapshots(table => 'kitchen.order_events', older_than => TIMESTAMP '2026-11-23 08:00:00', "
		"retain_last => 5, stream_results => true, max_concurrent_deletes => 4, clean_expired_metadata => true)";
	struct action_shown shown[2] = {
		{.id = 5, .state = ACTION_OFFERED, .title = "expire lake kitchen.order_events", .effect = "removes 12 files", .wish = {.verb = "expire"}},
		{.id = 6, .state = ACTION_OFFERED, .title = "expire lake kitchen.b", .effect = "removes 2 files", .wish = {.verb = "expire"}},
	};
	struct lake lake = {.actions = shown, .n_actions = 2};
	struct acting *a = mem_new(1, sizeof *a);

	(void)state;
	snprintf(shown[0].exact, sizeof shown[0].exact, "%s", sql);
	snprintf(shown[1].exact, sizeof shown[1].exact, "%s", sql);
	a->spec = action_spec_of("expire", ON_TABLE);
	for (size_t n = 1; n <= 2; n++) {
		struct canvas *c = canvas_new(40, 10, false);
		bool seen = false;

		a->n_marks = n == 2 ? 2 : 0;
		a->mode = n == 2 ? ACTING_MANY : ACTING_ONE;
		a->id = a->many[0] = 5;
		a->many[1] = 6;
		a->top = a->run_top = 0;
		for (int i = 0; i < 40; i++) {
			int y, x;

			acting_draw(a, &lake, c, &y, &x);
			assert_true(line_says(c, "[y/N]"));
			assert_true(i > 0 || line_says(c, "below: j k"));
			seen = seen || line_says(c, "clean_expired_metadata");
			assert_int_equal(acting_press(a, &lake, 'j'), ACTING_STAYS);
		}
		assert_true(seen);
		assert_false(line_says(c, "below"));
		for (int i = 0; i < 2; i++) { /* its beginning, its end */
			int y, x;

			assert_int_equal(acting_press(a, &lake, "gG"[i]), ACTING_STAYS);
			acting_draw(a, &lake, c, &y, &x);
			assert_int_equal(line_says(c, "below"), i == 0);
		}
		canvas_free(c);
	}
	free(a);
}

static void leaving_while_one_runs_asks_first(void **state)
{
	struct action_shown shown = {.id = 5, .state = ACTION_RUNNING, .title = "compact lake", .begun = FIXTURE_WALL - 4000};
	struct desk d = desk_new(FIXTURE_POCKET, 100, 30, true);

	(void)state;
	fixture_lake(d.fixture)->actions = &shown;
	fixture_lake(d.fixture)->n_actions = 1;
	assert_false(press(&d, 'q').what & WISH_QUIT);
	assert_true(shows(&d, "An action runs."));
	assert_false(press(&d, K_ENTER).what & WISH_QUIT);
	assert_false(press(&d, 3).what & WISH_QUIT);
	assert_true(press(&d, 3).what & WISH_QUIT); /* Ctrl-C twice: whoever insists may go */
	press(&d, K_ESCAPE);
	assert_true(screen_asks_to_quit(d.screen)); /* as a signal, too */
	assert_false(screen_asks_to_quit(d.screen));
	press(&d, 'n');
	press(&d, 'X');
	press(&d, K_ENTER);
	press(&d, 3);
	assert_true(shows(&d, "An action runs."));
	press(&d, 'n'); /* back to what was open */
	assert_true(shows(&d, "compact lake"));
	press(&d, K_ESCAPE);
	shown.state = ACTION_DONE;
	press(&d, K_ESCAPE);
	assert_false(screen_asks_to_quit(d.screen));
	desk_free(&d);
}

static void only_the_typed_word_unlocks(void **state)
{
	struct desk d = desk_new(FIXTURE_POCKET, 100, 30, true);
	struct wish wish = press(&d, 'L');

	(void)state;
	assert_true((wish.what & WISH_LOCK) && wish.locked);
	fixture_lake(d.fixture)->locked = "locked: L unlocks";
	assert_int_equal(press(&d, 'L').what, 0);
	screen_paste(d.screen, TEXT("unlock"));
	assert_int_equal(press(&d, K_ENTER).what, 0);
	type(&d, "unlok");
	assert_int_equal(press(&d, K_ENTER).what, 0);
	assert_true(shows(&d, "not the word"));
	type(&d, "unlock");
	wish = press(&d, K_ENTER);
	assert_true((wish.what & WISH_LOCK) && !wish.locked);
	press(&d, K_ESCAPE);
	assert_true(shows(&d, "locked")); /* as long as it is, for who looks from the second row */
	fixture_lake(d.fixture)->locked = NULL;
	press(&d, K_ESCAPE);
	assert_false(shows(&d, "locked"));
	fixture_lake(d.fixture)->locked = "started with --read-only"; /* no word opens that */
	assert_int_equal(press(&d, 'L').what, 0);
	assert_true(shows(&d, "started with --read-only"));
	assert_false(shows(&d, "Type \"unlock\""));
	desk_free(&d);
}

static void a_prompt_edits_whole_characters(void **state)
{
	struct prompt p = {0};

	(void)state;
	prompt_key(&p, 'a');
	prompt_key(&p, 0xe9);
	prompt_key(&p, 0x65e5);
	assert_string_equal(p.s, "aé日");
	prompt_key(&p, K_LEFT);
	prompt_key(&p, K_BACKSPACE);
	assert_string_equal(p.s, "a日");
	prompt_key(&p, K_DELETE);
	assert_string_equal(p.s, "a");
	prompt_key(&p, ' ');
	prompt_key(&p, 'b');
	prompt_key(&p, 23); /* Ctrl-W */
	assert_string_equal(p.s, "a ");
	prompt_key(&p, 21); /* Ctrl-U */
	assert_string_equal(p.s, "");
	prompt_key(&p, K_BACKSPACE);
	prompt_key(&p, K_DELETE);
	for (int i = 0; i < 500; i++)
		prompt_key(&p, 0x65e5);
	assert_true(p.len < PROMPT_SIZE);
	assert_true(text_is_clean(text_of(p.s)));
	assert_false(prompt_key(&p, 1000 + K_FIRST));
}

static void the_palette_prefers_words_to_scattered_letters(void **state)
{
	(void)state;
	assert_true(palette_score("open kafka", "kafka") > palette_score("open spark-worker-41", "k"));
	assert_true(palette_score("open kafka", "kafka") > palette_score("open kafka-three-1", "kafka"));
	assert_true(palette_score("open spark-connect", "connect") > palette_score("open disconnected", "connect"));
	assert_true(palette_score("freeze", "frz") >= 0);
	assert_true(palette_score("open kafka", "OPEN KAF") >= 0);
	assert_true(palette_score("open kafka", "kafka open") < 0);
	assert_true(palette_score("freeze", "x") < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_badge_is_there_at_any_width),
		cmocka_unit_test(the_title_says_machine_memory_disk_and_time_where_there_is_room),
		cmocka_unit_test(hints_are_whole_or_not_there),
		cmocka_unit_test(hints_stand_in_one_order),
		cmocka_unit_test(a_key_is_hinted_where_it_does_something),
		cmocka_unit_test(a_menu_says_how_to_leave_it_at_any_width),
		cmocka_unit_test(below_forty_by_ten_one_line_says_so),
		cmocka_unit_test(before_anything_is_known_nothing_is_claimed),
		cmocka_unit_test(until_all_answered_it_is_neither_ready_nor_not),
		cmocka_unit_test(q_leads_back_and_quits_on_the_overview_only),
		cmocka_unit_test(esc_never_quits),
		cmocka_unit_test(enter_opens_the_service_and_q_comes_back),
		cmocka_unit_test(the_key_of_logs_leads_from_the_log_of_one_to_all),
		cmocka_unit_test(a_panel_that_is_not_there_has_no_key),
		cmocka_unit_test(a_filter_narrows_while_it_is_typed),
		cmocka_unit_test(the_page_of_a_table_has_a_filter_of_its_own),
		cmocka_unit_test(the_old_filter_is_replaced_by_typing_and_kept_by_an_arrow),
		cmocka_unit_test(a_time_that_is_none_changes_nothing),
		cmocka_unit_test(letters_in_a_filter_do_not_act),
		cmocka_unit_test(pasted_text_goes_where_is_typed_and_nowhere_else),
		cmocka_unit_test(the_palette_runs_what_is_found),
		cmocka_unit_test(the_palette_opens_every_service_by_its_name),
		cmocka_unit_test(the_palette_finds_tables_and_what_can_be_done_to_the_row),
		cmocka_unit_test(help_names_every_key_and_cuts_nothing),
		cmocka_unit_test(help_shows_the_selected_line_whole_on_a_narrow_screen),
		cmocka_unit_test(help_explains_and_runs),
		cmocka_unit_test(headings_of_a_list_are_stepped_over),
		cmocka_unit_test(help_and_palette_fit_every_size),
		cmocka_unit_test(keys_ask_the_loop_for_what_only_it_can_do),
		cmocka_unit_test(freeze_holds_and_says_so),
		cmocka_unit_test(a_click_selects_and_a_second_one_opens),
		cmocka_unit_test(any_keys_in_any_order_end_nowhere),
		cmocka_unit_test(what_a_panel_has_open_is_asked_for_again_and_then_no_more),
		cmocka_unit_test(x_lists_what_can_be_done_and_nothing_is_wished_before_it_is_chosen),
		cmocka_unit_test(only_y_confirms_and_enter_is_no),
		cmocka_unit_test(what_a_verb_takes_is_typed_before_it_is_wished),
		cmocka_unit_test(of_several_only_those_that_are_offered_run_after_one_yes),
		cmocka_unit_test(what_is_turned_away_while_it_is_prepared_is_typed_on),
		cmocka_unit_test(what_is_exact_is_seen_whole_however_small_the_screen),
		cmocka_unit_test(leaving_while_one_runs_asks_first),
		cmocka_unit_test(only_the_typed_word_unlocks),
		cmocka_unit_test(a_prompt_edits_whole_characters),
		cmocka_unit_test(the_palette_prefers_words_to_scattered_letters),
	};

	setenv("TZ", "UTC", 1);
	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
