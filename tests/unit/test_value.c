// SPDX-License-Identifier: MIT
/* Values, snapshots, clocks: unknown is not zero, ids stay exact, caps are said. */
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock.h"
#include "snapshot.h"

static void shows(struct value v, enum unit unit, const char *as)
{
	char out[VALUE_TEXT_SIZE];

	assert_string_equal(value_show(out, v, unit), as);
}

static void a_value_is_shown_with_its_unit(void **state)
{
	struct value sum = value_int(120);

	(void)state;
	shows(value_unknown(), UNIT_COUNT, "-");
	shows(value_int(0), UNIT_COUNT, "0");
	shows(value_int(12401), UNIT_RECORDS, "12,401");
	shows(value_int(-1234567), UNIT_COUNT, "-1,234,567");
	shows(value_int(3051729675574597004), UNIT_NONE, "3051729675574597004");
	shows(value_int(INT64_MIN), UNIT_COUNT, "-9,223,372,036,854,775,808");
	shows(value_int(44023414784), UNIT_BYTES, "41 GiB");
	shows(value_int(1288490188), UNIT_BYTES, "1.2 GiB");
	shows(value_int(912), UNIT_BYTES, "912 B");
	shows(value_real(0.0213), UNIT_CORES, "0.0213");
	shows(value_real(310.4), UNIT_PER_SECOND, "310/s");
	shows(value_int(42), UNIT_PERCENT, "42 %");
	shows(value_real((double)NAN), UNIT_COUNT, "-");
	shows(value_text("a\033[31mb"), UNIT_NONE, "a[31mb");
	sum.at_least = true;
	shows(sum, UNIT_RECORDS, "≥ 120");
}

static void unknown_sorts_last_and_ids_compare_exactly(void **state)
{
	(void)state;
	assert_true(value_compare(value_unknown(), value_int(-5)) > 0);
	assert_true(value_compare(value_int(9007199254740993), value_int(9007199254740992)) > 0);
	assert_int_equal(value_compare(value_unknown(), value_unknown()), 0);
	assert_true(value_compare(value_real(0.5), value_int(1)) < 0);
}

static const struct figure_spec figures[] = {{"lag", "lag", UNIT_RECORDS, FIGURE_ROW, "records behind"}, {0}};
static const struct column_spec columns[] = {
	{"name", VALUE_TEXT, UNIT_NONE, 0, "topic"}, {"id", VALUE_INT, UNIT_NONE, 0, "id"}, {0},
};
static const struct table_spec tables[] = {{"topics", "topics", columns}, {0}};

static void a_snapshot_keeps_clean_copies_of_what_it_is_given(void **state)
{
	struct snapshot *s = snapshot_new("kafka", PART_DEPTH);
	struct table *t = snapshot_table(s, tables, "topics");
	char name[] = "or\033ders";

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct value *row = table_row(s, t);

		table_set(s, t, row, "name", value_text(name));
		table_set(s, t, row, "id", value_int(3051729675574597004 + i));
	}
	name[0] = 'X';
	assert_int_equal(t->n_rows, 1000);
	assert_string_equal(table_get(t, 999, "name").u.s, "orders");
	assert_int_equal(table_get(t, 999, "id").u.i, 3051729675574598003);
	assert_int_equal(table_get(t, 1000, "id").type, VALUE_UNKNOWN);
	assert_int_equal(snapshot_get(s, "lag").type, VALUE_UNKNOWN);
	snapshot_figure(s, figures, "lag", value_int(3));
	snapshot_figure(s, figures, "lag", value_int(4));
	assert_int_equal(snapshot_get(s, "lag").u.i, 4);
	assert_int_equal(s->n_figures, 1);
	snapshot_unref(snapshot_ref(s));
	snapshot_unref(s);
}

static void rows_beyond_the_cap_are_counted_as_left_off(void **state)
{
	struct snapshot *s = snapshot_new("kafka", PART_DEPTH);
	struct table *t = snapshot_table(s, tables, "topics");

	(void)state;
	for (int i = 0; i < 400000; i++)
		table_set(s, t, table_row(s, t), "id", value_int(i));
	assert_true(t->left_off > 0);
	assert_int_equal(t->n_rows + t->left_off, 400000);
	assert_true(arena_used(s->arena) <= SNAPSHOT_CAP);
	snapshot_unref(s);
}

static void spans_are_short_and_say_what_counts(void **state)
{
	char out[CLOCK_TEXT];

	(void)state;
	assert_string_equal(clock_span(out, 0), "0s");
	assert_string_equal(clock_span(out, 14000), "14s");
	assert_string_equal(clock_span(out, 90000), "90s");
	assert_string_equal(clock_span(out, 240000), "4min");
	assert_string_equal(clock_span(out, 3 * 3600000), "3h");
	assert_string_equal(clock_span(out, 41LL * 86400000), "41d");
	assert_string_equal(clock_rfc3339(out, 1795957511204), "2026-11-29T13:05:11.204Z");
}

static void a_wait_ends_at_its_deadline_and_by_its_cancel(void **state)
{
	int64_t began = clock_ms();
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(wait_fd(wait_for(30, -1), fds[0], POLLIN), 0);
	assert_true(clock_ms() - began >= 29);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(wait_fd(wait_for(10000, -1), fds[0], POLLIN), 1);
	assert_int_equal(wait_fd(wait_for(10000, fds[0]), -1, 0), -1);
	close(fds[0]);
	close(fds[1]);
}

static void a_moment_is_read_as_it_is_typed_and_one_that_is_not_is_none(void **state)
{
	static const char *const none[] = {"", "noon", "25:99", "24:00", "10:60", "1042", "10:42x", "10:42 ", "2026-13-01", "2026-02-31", "2026-02-31 10:00",
		"2026-11-29 ", "2026-11-29 25:00", "2026-11-29T10", "2026-11-29x", "2026-1", "2026-11-29 10:42 foo", "26-11-29", "10:42Z"};
	static const struct { const char *s, *at; } some[] = {{"14:05", "2026-11-29T14:05:00.000Z"}, {"14:05:09", "2026-11-29T14:05:09.000Z"},
		{"23:59", "2026-11-28T23:59:00.000Z"}, {"9:30", "2026-11-29T09:30:00.000Z"}, {"2026-11-28", "2026-11-28T00:00:00.000Z"},
		{"2026-02-28 14:05", "2026-02-28T14:05:00.000Z"}, {"2026-11-28T14:05:09.25Z", "2026-11-28T14:05:09.250Z"},
		{"2026-11-28 14:05:09,123", "2026-11-28T14:05:09.123Z"}, {"2026-11-28T14:05+01:00", "2026-11-28T13:05:00.000Z"}};
	const int64_t wall = INT64_C(1795982400000); /* 2026-11-29T20:00:00Z */
	char said[CLOCK_TEXT];
	int64_t at;

	(void)state;
	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (clock_moment(none[i], wall, &at))
			fail_msg("\"%s\" is a moment: %s", none[i], clock_rfc3339(said, at));
	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		if (!clock_moment(some[i].s, wall, &at))
			fail_msg("\"%s\" is none", some[i].s);
		assert_string_equal(clock_rfc3339(said, at), some[i].at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_is_shown_with_its_unit),
		cmocka_unit_test(unknown_sorts_last_and_ids_compare_exactly),
		cmocka_unit_test(a_snapshot_keeps_clean_copies_of_what_it_is_given),
		cmocka_unit_test(rows_beyond_the_cap_are_counted_as_left_off),
		cmocka_unit_test(spans_are_short_and_say_what_counts),
		cmocka_unit_test(a_moment_is_read_as_it_is_typed_and_one_that_is_not_is_none),
		cmocka_unit_test(a_wait_ends_at_its_deadline_and_by_its_cancel),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
