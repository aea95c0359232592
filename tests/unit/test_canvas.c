// SPDX-License-Identifier: MIT
/* The canvas: what a panel draws is what stands in the cells, in columns, and never half of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <locale.h>

#include "canvas.h"

/* A line of the canvas as UTF-8, trailing blanks dropped. */
static const char *line(const struct canvas *c, int y)
{
	static char out[4096];
	size_t used = 0, end = 0;

	for (int x = 0; x < c->width; x++) {
		const struct cell *cell = &c->cells[y * c->stride + x];

		for (int i = 0; i < 2 && cell->code[i]; i++) {
			uint32_t u = cell->code[i];

			if (u < 0x80)
				out[used++] = (char)u;
			else if (u < 0x800) {
				out[used++] = (char)(0xc0 | u >> 6);
				out[used++] = (char)(0x80 | (u & 0x3f));
			} else {
				out[used++] = (char)(0xe0 | u >> 12);
				out[used++] = (char)(0x80 | (u >> 6 & 0x3f));
				out[used++] = (char)(0x80 | (u & 0x3f));
			}
			if (u != ' ')
				end = used;
		}
	}
	out[end] = '\0';
	return out;
}

static void text_ends_at_its_width_with_an_ellipsis(void **state)
{
	struct canvas *c = canvas_new(20, 1, false);

	(void)state;
	assert_int_equal(canvas_text(c, 0, 2, 8, STYLE_NORMAL, "spark-connect"), 8);
	assert_string_equal(line(c, 0), "  spark-c…");
	canvas_clear(c);
	assert_int_equal(canvas_text(c, 0, 2, 8, STYLE_NORMAL, "postgres"), 8);
	assert_string_equal(line(c, 0), "  postgres");
	canvas_clear(c);
	assert_int_equal(canvas_text(c, 0, 15, -1, STYLE_NORMAL, "weed 903"), 5);
	assert_string_equal(line(c, 0), "               weed…");
	canvas_free(c);
}

static void a_wide_character_is_never_cut_in_two(void **state)
{
	struct canvas *c = canvas_new(6, 1, false);

	(void)state;
	assert_int_equal(canvas_text(c, 0, 0, 4, STYLE_NORMAL, "日本語"), 3);
	assert_string_equal(line(c, 0), "日…");
	canvas_clear(c);
	assert_int_equal(canvas_text(c, 0, 0, 6, STYLE_NORMAL, "日本語"), 6);
	assert_int_equal(c->cells[1].code[0], 0);
	/* half of it is overwritten: the other half becomes a blank */
	canvas_text(c, 0, 1, 1, STYLE_NORMAL, "x");
	assert_string_equal(line(c, 0), " x本語");
	canvas_text(c, 0, 4, 1, STYLE_NORMAL, "y");
	assert_string_equal(line(c, 0), " x本y");
	canvas_free(c);
}

static void a_combining_mark_stays_with_its_base(void **state)
{
	struct canvas *c = canvas_new(6, 1, false);

	(void)state;
	assert_int_equal(canvas_text(c, 0, 0, -1, STYLE_NORMAL, "e\xcc\x81t"), 2);
	assert_int_equal(c->cells[0].code[0], 'e');
	assert_int_equal(c->cells[0].code[1], 0x301);
	assert_int_equal(c->cells[1].code[0], 't');
	/* one with nothing before it must not land on the neighbour's cell */
	canvas_text(c, 0, 1, -1, STYLE_NORMAL, "\xcc\x81z");
	assert_int_equal(c->cells[0].code[1], 0x301);
	assert_int_equal(c->cells[1].code[0], 'z');
	assert_int_equal(c->cells[1].code[1], 0);
	canvas_free(c);
}

static void drawing_outside_changes_nothing(void **state)
{
	struct canvas *c = canvas_new(4, 2, false);

	(void)state;
	canvas_text(c, -1, 0, -1, STYLE_BAD, "up");
	canvas_text(c, 2, 0, -1, STYLE_BAD, "down");
	canvas_text(c, 0, 4, -1, STYLE_BAD, "right");
	canvas_fill(c, 0, 9, 3, STYLE_BAD, "─");
	canvas_restyle(c, 7, 0, 4, STYLE_BAD);
	canvas_right(c, 5, 0, 4, STYLE_BAD, "12");
	for (int i = 0; i < 8; i++) {
		assert_int_equal(c->cells[i].code[0], ' ');
		assert_int_equal(c->cells[i].style, STYLE_NORMAL);
	}
	canvas_text(c, 0, -2, -1, STYLE_NORMAL, "abcd");
	assert_string_equal(line(c, 0), "cd");
	canvas_free(c);
}

static void every_size_down_to_nothing_can_be_drawn_on(void **state)
{
	(void)state;
	for (int w = 0; w < 5; w++)
		for (int h = 0; h < 3; h++) {
			struct canvas *c = canvas_new(w, h, w & 1);

			for (int y = -2; y < 5; y++)
				for (int x = -3; x < 7; x++)
					for (int width = -1; width < 6; width++) {
						canvas_text(c, y, x, width, STYLE_NORMAL, "日a本é≥…");
						canvas_right(c, y, x, width, STYLE_NORMAL, "1,234");
						canvas_fill(c, y, x, width, STYLE_NORMAL, "日");
						canvas_restyle(c, y, x, width, STYLE_DIM);
						struct canvas part = canvas_part(c, y, x, 2, width);

						canvas_fill(&part, 0, 0, -1, STYLE_NORMAL, "#");
					}
			canvas_free(c);
		}
}

static void a_number_that_does_not_fit_is_not_cut(void **state)
{
	struct canvas *c = canvas_new(10, 1, false);

	(void)state;
	canvas_right(c, 0, 1, 6, STYLE_NORMAL, "12,401");
	assert_string_equal(line(c, 0), " 12,401");
	canvas_clear(c);
	canvas_right(c, 0, 1, 8, STYLE_NORMAL, "310");
	assert_string_equal(line(c, 0), "      310");
	canvas_clear(c);
	canvas_right(c, 0, 1, 5, STYLE_NORMAL, "12,401");
	assert_string_equal(line(c, 0), " #####");
	canvas_clear(c);
	canvas_right(c, 0, 1, 5, STYLE_NORMAL, "≥ 12,401");
	assert_string_equal(line(c, 0), " #####");
	canvas_clear(c);
	canvas_right(c, 0, 6, 8, STYLE_NORMAL, "12,401"); /* the canvas ends before the column does */
	assert_string_equal(line(c, 0), "      ####");
	canvas_clear(c);
	canvas_right(c, 0, 0, 5, STYLE_NORMAL, "not asked");
	assert_string_equal(line(c, 0), "not …");
	canvas_free(c);
}

static void ascii_stays_ascii_and_keeps_its_meaning(void **state)
{
	struct canvas *c = canvas_new(30, 1, true);

	(void)state;
	canvas_text(c, 0, 0, -1, STYLE_NORMAL, "≥ 120 → café 日 … ─");
	assert_string_equal(line(c, 0), ">= 120 > caf? ?? ~ -");
	for (int x = 0; x < 30; x++)
		assert_true(c->cells[x].code[0] < 0x7f && c->cells[x].code[1] == 0);
	canvas_clear(c);
	assert_int_equal(canvas_text(c, 0, 0, 6, STYLE_NORMAL, "abc⏎"), 4); /* "Enter" goes whole or not at all */
	assert_string_equal(line(c, 0), "abc~");
	canvas_free(c);
}

static void no_control_byte_becomes_a_cell(void **state)
{
	struct canvas *c = canvas_new(20, 1, false);

	(void)state;
	canvas_text(c, 0, 0, -1, STYLE_NORMAL, "a\033]52;c;eA==\ab\xff" "c\xc2\x9b" "2J");
	for (int x = 0; x < 20; x++)
		assert_true(c->cells[x].code[0] >= 0x20 && !(c->cells[x].code[0] >= 0x7f && c->cells[x].code[0] < 0xa0));
	canvas_free(c);
}

static void markup_and_percent_signs_are_plain_text(void **state)
{
	struct canvas *c = canvas_new(40, 1, false);

	(void)state;
	canvas_text(c, 0, 0, -1, STYLE_NORMAL, "[red]x[-] %s%n ~{}");
	assert_string_equal(line(c, 0), "[red]x[-] %s%n ~{}");
	canvas_free(c);
}

static void a_part_shares_cells_and_clips_at_its_own_edge(void **state)
{
	struct canvas *c = canvas_new(12, 3, false);
	struct canvas part = canvas_part(c, 1, 4, 5, 6);

	(void)state;
	assert_int_equal(part.height, 2);
	assert_int_equal(part.width, 6);
	canvas_text(&part, 0, 0, -1, STYLE_NORMAL, "overview");
	assert_string_equal(line(c, 1), "    overv…");
	canvas_clear(&part);
	assert_string_equal(line(c, 1), "");
	canvas_free(c);
}

static void parts_are_left_out_whole_from_the_end(void **state)
{
	static const struct {
		int width;
		const char *seen;
	} cases[] = {
		{60, "run it? [y/N]   Esc leaves   o changes its options"}, {50, "run it? [y/N]   Esc leaves   o changes its options"},
		{49, "run it? [y/N]   Esc leaves"}, {26, "run it? [y/N]   Esc leaves"}, {25, "run it? [y/N]"}, {13, "run it? [y/N]"}, {6, "run i…"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct canvas *c = canvas_new(70, 1, false);

		canvas_parts(c, 0, 0, cases[i].width, STYLE_KEY, "run it? [y/N]   Esc leaves   o changes its options");
		assert_string_equal(line(c, 0), cases[i].seen);
		canvas_clear(c);
		canvas_parts(c, 0, 0, 30, STYLE_KEY, "what to do to a table of a long name   Esc leaves   Enter goes on");
		assert_string_equal(line(c, 0), "what to do to a …   Esc leaves");
		canvas_free(c);
	}
}

static void printf_draws_what_it_says(void **state)
{
	struct canvas *c = canvas_new(30, 1, false);
	char big[3000];

	(void)state;
	assert_int_equal(canvas_printf(c, 0, 0, -1, STYLE_NORMAL, "%d of %d absent", 3, 24), 14);
	assert_string_equal(line(c, 0), "3 of 24 absent");
	memset(big, 'x', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	assert_int_equal(canvas_printf(c, 0, 0, -1, STYLE_NORMAL, "%s", big), 30);
	canvas_free(c);
}

static void restyling_keeps_the_text(void **state)
{
	struct canvas *c = canvas_new(10, 1, false);

	(void)state;
	canvas_text(c, 0, 0, -1, STYLE_GOOD, "serving");
	canvas_restyle(c, 0, 0, -1, STYLE_SELECTED);
	assert_string_equal(line(c, 0), "serving");
	for (int x = 0; x < 10; x++)
		assert_int_equal(c->cells[x].style, STYLE_SELECTED);
	canvas_free(c);
}

static double at(const void *ctx, int back)
{
	return ((const double *)ctx)[back];
}

static void a_sparkline_has_gaps_where_nothing_is_known(void **state)
{
	const double newest_first[] = {80, 40, (double)NAN, 0};
	struct canvas *c = canvas_new(10, 1, false), *a = canvas_new(10, 1, true);

	(void)state;
	canvas_spark(c, 0, 0, 4, STYLE_GRAPH, at, newest_first);
	assert_string_equal(line(c, 0), "▁ ▅█");
	canvas_spark(a, 0, 0, 4, STYLE_GRAPH, at, newest_first);
	assert_string_equal(line(a, 0), "_ +@");
	canvas_free(c);
	canvas_free(a);
}

static void a_steady_figure_draws_a_steady_line(void **state)
{
	const double zeros[] = {0, 0, 0, 0}, calm[] = {100, 101, 99, 100}, all_gaps[] = {(double)NAN, (double)NAN};
	struct canvas *c = canvas_new(10, 1, false);

	(void)state;
	canvas_spark(c, 0, 0, 4, STYLE_GRAPH, at, zeros);
	assert_string_equal(line(c, 0), "▁▁▁▁");
	canvas_spark(c, 0, 0, 4, STYLE_GRAPH, at, calm);
	assert_true(strstr(line(c, 0), "█") == NULL && strstr(line(c, 0), "▁") == NULL);
	canvas_clear(c);
	canvas_spark(c, 0, 0, 2, STYLE_GRAPH, at, all_gaps);
	assert_string_equal(line(c, 0), "");
	canvas_free(c);
}

static void every_style_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int i = 0; i < STYLE_COUNT; i++) {
		assert_non_null(style_name((enum style)i));
		for (int k = 0; k < i; k++)
			assert_string_not_equal(style_name((enum style)i), style_name((enum style)k));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_ends_at_its_width_with_an_ellipsis),
		cmocka_unit_test(a_wide_character_is_never_cut_in_two),
		cmocka_unit_test(a_combining_mark_stays_with_its_base),
		cmocka_unit_test(drawing_outside_changes_nothing),
		cmocka_unit_test(every_size_down_to_nothing_can_be_drawn_on),
		cmocka_unit_test(a_number_that_does_not_fit_is_not_cut),
		cmocka_unit_test(ascii_stays_ascii_and_keeps_its_meaning),
		cmocka_unit_test(no_control_byte_becomes_a_cell),
		cmocka_unit_test(markup_and_percent_signs_are_plain_text),
		cmocka_unit_test(a_part_shares_cells_and_clips_at_its_own_edge),
		cmocka_unit_test(parts_are_left_out_whole_from_the_end),
		cmocka_unit_test(printf_draws_what_it_says),
		cmocka_unit_test(restyling_keeps_the_text),
		cmocka_unit_test(a_sparkline_has_gaps_where_nothing_is_known),
		cmocka_unit_test(a_steady_figure_draws_a_steady_line),
		cmocka_unit_test(every_style_has_a_name_of_its_own),
	};

	setlocale(LC_CTYPE, "C.UTF-8"); /* widths of characters come from the locale */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
