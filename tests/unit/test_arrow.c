// SPDX-License-Identifier: MIT
/* Arrow: real batches of Spark 4.1.4, every type against what Spark itself says of it; and what is damaged, or not read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../backend/services/spark_connect.h"
#include "arrow.h"
#include "fixture_bytes.h"

/* A table of all types that Iceberg knows, and literals of those that it does not. */
static struct text types(void)
{
	return recorded("spark-4.1.4-arrow-types.bin");
}

static struct text literals(void)
{
	return recorded("spark-4.1.4-arrow-literals.bin");
}

struct cell {
	struct arrow *a;
	struct buf text;
	struct value v;
	bool cut;
};

static void open_batch(struct cell *c, struct text bytes)
{
	struct err err;

	c->a = arrow_open(bytes, &err);
	assert_non_null(c->a);
	assert_true(arrow_next(c->a, &err));
	buf_init(&c->text, ROWS_CELL_MAX);
}

static void close_batch(struct cell *c)
{
	struct err err;

	assert_false(arrow_next(c->a, &err));
	assert_int_equal(err.code, ERR_NONE);
	arrow_close(c->a);
	buf_free(&c->text);
}

static struct value get(struct cell *c, const char *name, int64_t row)
{
	for (size_t i = 0; i < arrow_columns(c->a); i++)
		if (!strcmp(arrow_name(c->a, i), name)) {
			assert_true(arrow_cell(c->a, i, row, &c->text, &c->v, &c->cut));
			return c->v;
		}
	fail_msg("no column %s", name);
	return value_unknown();
}

static void says(struct cell *c, const char *name, int64_t row, const char *words)
{
	struct value v = get(c, name, row);

	if (v.type != VALUE_TEXT)
		fail_msg("%s of row %d is no text", name, (int)row);
	assert_string_equal(v.u.s, words);
}

static bool is(struct value v, double r)
{
	return v.type == VALUE_REAL && !(v.u.r < r) && !(v.u.r > r);
}

static void integers_are_exact_to_64_bits(void **state)
{
	struct cell c;

	(void)state;
	open_batch(&c, types());
	assert_int_equal(arrow_rows(c.a), 4);
	assert_int_equal(get(&c, "i", 0).u.i, INT32_MIN);
	assert_true(get(&c, "l", 0).u.i == INT64_MAX);
	assert_true(get(&c, "l", 2).u.i == INT64_MIN);
	assert_int_equal(c.v.type, VALUE_INT);
	close_batch(&c);
}

static void decimals_have_every_digit(void **state)
{
	struct cell c;

	(void)state;
	open_batch(&c, types());
	says(&c, "c", 0, "-12345678901234567890.123456789012345678");
	says(&c, "c", 2, "0.000000000000000000");
	says(&c, "c", 3, "0.000000000000000001");
	says(&c, "p", 0, "12.50");
	says(&c, "p", 2, "-0.01");
	close_batch(&c);
}

static void floats_print_as_they_were_written(void **state)
{
	struct cell c;

	(void)state;
	open_batch(&c, types());
	assert_true(is(get(&c, "f", 0), 0.1));
	assert_true(is(get(&c, "d", 0), 0.1));
	assert_true(is(get(&c, "f", 3), 3.4028235e38));
	assert_true(is(get(&c, "d", 3), 1.7976931348623157e308));
	says(&c, "f", 2, "NaN");
	says(&c, "d", 2, "-Infinity");
	close_batch(&c);
}

static void dates_and_times_are_iso_and_instants_say_so(void **state)
{
	struct cell c;

	(void)state;
	open_batch(&c, types());
	says(&c, "day", 0, "1583-01-01");
	says(&c, "day", 2, "9999-12-31");
	says(&c, "day", 3, "1970-01-01");
	says(&c, "at", 0, "2026-11-29 12:34:56.123456Z");
	says(&c, "at", 3, "2026-11-29 12:34:56Z");
	says(&c, "wall", 0, "1969-12-31 23:59:59.5");
	says(&c, "wall", 3, "2026-11-29 12:34:56.1");
	close_batch(&c);
}

static void null_is_not_the_text_null_nor_an_empty_one(void **state)
{
	struct cell c;

	(void)state;
	open_batch(&c, types());
	for (size_t i = 0; i < arrow_columns(c.a); i++) {
		assert_true(arrow_cell(c.a, i, 1, &c.text, &c.v, &c.cut));
		assert_int_equal(c.v.type, VALUE_UNKNOWN);
	}
	says(&c, "s", 0, "Wok \"Around\", \303\226lse");
	says(&c, "s", 2, "null");
	says(&c, "s", 3, "");
	says(&c, "x", 0, "0x00FF10");
	says(&c, "x", 2, "0x");
	close_batch(&c);
}

static void what_is_nested_is_json(void **state)
{
	struct cell c;

	(void)state;
	open_batch(&c, types());
	says(&c, "a", 0, "[\"a\",null,\"null\"]");
	says(&c, "a", 2, "[]");
	says(&c, "m", 0, "{\"k\":1}");
	says(&c, "m", 3, "{\"a\":null,\"b\":2}");
	says(&c, "t", 0, "{\"id\":9007199254740993,\"name\":\"n\",\"list\":[{\"k\":1,\"v\":0.5}]}");
	says(&c, "t", 2, "{\"id\":null,\"name\":\"\",\"list\":null}");
	assert_int_equal(get(&c, "t", 3).type, VALUE_UNKNOWN);
	close_batch(&c);
}

static void types_that_only_spark_has_are_read(void **state)
{
	struct cell c;

	(void)state;
	open_batch(&c, literals());
	assert_int_equal(get(&c, "t8", 0).u.i, 1);
	assert_int_equal(get(&c, "t16", 0).u.i, -2);
	says(&c, "ds", 0, "1 02:03:04.5");
	says(&c, "ym", 0, "-1-2");
	says(&c, "ci", 0, "14 months 3 days 14706500000000 ns");
	assert_int_equal(get(&c, "v", 0).type, VALUE_UNKNOWN);
	says(&c, "ch", 0, "x");
	says(&c, "nested", 0, "{\"1\":[{\"k\":\"2026-01-01\"}]}");
	says(&c, "st", 0, "{\"x\":0.3}");
	says(&c, "nul", 0, "ab"); /* the NUL between them is left out */
	says(&c, "before", 0, "1969-12-31 23:59:58.5Z");
	close_batch(&c);
}

static void types_have_sparks_names(void **state)
{
	static const char *const names[] = {"boolean", "int", "bigint", "float", "double", "decimal(38,18)", "decimal(4,2)", "date", "timestamp",
		"timestamp_ntz", "string", "binary", "array<string>", "map<string,int>",
		"struct<id:bigint,name:string,list:array<struct<k:int,v:double>>>"};
	char type[ARROW_TYPE_SIZE];
	struct cell c;

	(void)state;
	open_batch(&c, types());
	assert_int_equal(arrow_columns(c.a), sizeof names / sizeof *names);
	for (size_t i = 0; i < arrow_columns(c.a); i++)
		assert_string_equal(arrow_type(c.a, i, type), names[i]);
	assert_int_equal(arrow_value_type(c.a, 2), VALUE_INT);
	assert_int_equal(arrow_value_type(c.a, 5), VALUE_TEXT);
	close_batch(&c);
}

static void a_cell_that_is_longer_than_is_kept_says_so(void **state)
{
	struct cell c;

	(void)state;
	open_batch(&c, types());
	buf_free(&c.text);
	buf_init(&c.text, 6);
	says(&c, "s", 0, "Wok \"A");
	assert_true(c.cut);
	get(&c, "t", 0);
	assert_true(c.cut);
	get(&c, "i", 0);
	assert_false(c.cut);
	close_batch(&c);
}

/* ---- what is not read ---- */

static void a_type_that_is_not_read_is_refused_by_column_and_selected_as_text(void **state)
{
	struct snapshot *s = snapshot_new("connect", PART_ANSWER);
	struct connect_reading r = {.rows = {.s = s, .limit = 10}};
	struct arrow *a;
	struct err err;
	struct text whole = recorded("spark-4.1.4-arrow-double.bin");
	char *half = mem_new(whole.len, 1);
	struct text batch = {half, whole.len};

	(void)state;
	memcpy(half, whole.at, whole.len);
	assert_int_equal(half[0x7a], 2);
	half[0x7a] = 0; /* the precision of column b's floats: half ones, which Spark never sends */
	a = arrow_open(batch, &err);
	assert_non_null(a);
	assert_non_null(arrow_refused(a, 1));
	assert_null(arrow_refused(a, 0));
	assert_false(arrow_next(a, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_non_null(strstr(err.words, "column b "));
	arrow_close(a);
	buf_init(&r.select, 1000);
	buf_init(&r.cell, 1000);
	assert_false(connect_take_batch(&r, batch));
	assert_string_equal(r.select.at, "`a`, CAST(`b` AS STRING) AS `b`");
	free(half);
	buf_free(&r.select);
	buf_free(&r.cell);
	snapshot_unref(s);
}

static void compressed_batches_are_refused_by_name(void **state)
{
	struct err err;
	struct arrow *a = arrow_open(recorded("spark-4.1.4-arrow-zstd.bin"), &err);

	(void)state;
	assert_non_null(a);
	assert_false(arrow_next(a, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_non_null(strstr(err.words, "compressed"));
	arrow_close(a);
}

static void nonsense_is_refused(void **state)
{
	static const char *const nonsense[] = {"", "x", "\377\377\377\377", "\377\377\377\377\0\0\0\0", "HTTP/1.1 200 OK\r\n\r\n"};
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
		assert_null(arrow_open(text_of(nonsense[i]), &err));
		assert_int_equal(err.code, ERR_PARSE);
	}
}

static void read_all(struct text bytes)
{
	struct err err;
	struct arrow *a = arrow_open(bytes, &err);
	struct buf text;
	struct value v;
	bool cut;
	char type[ARROW_TYPE_SIZE];

	buf_init(&text, 200);
	for (size_t i = 0; a && i < arrow_columns(a); i++)
		arrow_type(a, i, type);
	while (a && arrow_next(a, &err))
		for (int64_t row = 0; row < arrow_rows(a) && row < 8; row++)
			for (size_t i = 0; i < arrow_columns(a); i++)
				arrow_cell(a, i, row, &text, &v, &cut);
	arrow_close(a);
	buf_free(&text);
}

static void garbage_ends_in_peace(void **state)
{
	(void)state;
	fuzz(types(), read_all);
	fuzz(literals(), read_all);
	fuzz(recorded("spark-4.1.4-arrow-zstd.bin"), read_all);
}

/* ---- names and subjects of rows ---- */

static void a_name_stays_a_name_whatever_is_in_it(void **state)
{
	struct rows_ask ask;
	struct buf sql;
	struct err err;
	char subject[ROWS_SUBJECT_SIZE];

	(void)state;
	buf_init(&sql, 1000);
	assert_true(rows_subject(subject, "la.ke", "raw.\"a.b\".or`ders; DROP TABLE x", 500));
	assert_string_equal(subject, "500 \"la.ke\".raw.\"a.b\".or`ders; DROP TABLE x");
	assert_true(rows_parse(subject, &ask, &err));
	assert_int_equal(ask.limit, 500);
	assert_int_equal(ask.n_parts, 4);
	rows_put_name(&sql, &ask, '`');
	assert_string_equal(sql.at, "`la.ke`.`raw`.`a.b`.`or``ders; DROP TABLE x`");
	buf_reset(&sql);
	rows_put_name(&sql, &ask, '"');
	assert_string_equal(sql.at, "\"la.ke\".\"raw\".\"a.b\".\"or`ders; DROP TABLE x\"");
	buf_free(&sql);
	assert_true(rows_parse("lake.kitchen.orders", &ask, &err));
	assert_int_equal(ask.limit, ROWS_USUAL);
	assert_int_equal(ask.n_parts, 3);
}

static void what_is_no_name_is_refused(void **state)
{
	static const char *const wrong[] = {"", "5 ", "0 a.b", "10001 a.b", "a..b", "a.", ".a", "\"a", "\"a\"b", "1.2.3.4.5.6.7.8.9"};
	struct rows_ask ask;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (rows_parse(wrong[i], &ask, &err) || err.code != ERR_USAGE)
			fail_msg("%s", wrong[i]);
}

static void rows_beyond_the_limit_are_told_and_columns_beyond_the_cap_are_counted(void **state)
{
	struct snapshot *s = snapshot_new("connect", PART_ANSWER);
	struct connect_reading r = {.rows = {.s = s, .limit = 2}};
	struct rows wide = {.s = snapshot_new("connect", PART_ANSWER), .limit = 1};
	struct rows_column columns[ROWS_COLUMNS_MAX + 12];

	(void)state;
	buf_init(&r.cell, 1000);
	buf_init(&r.select, 1000);
	connect_take_batch(&r, types());
	rows_end(&r.rows);
	assert_int_equal(snapshot_find_table(s, ROWS_VIEW)->n_rows, 2);
	assert_true(snapshot_get(s, "more").u.b);
	assert_string_equal(table_get(snapshot_find_table(s, ROWS_VIEW), 0, "p").u.s, "12.50");
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		columns[i] = (struct rows_column){"c", "int", VALUE_INT};
	rows_begin(&wide, columns, sizeof columns / sizeof *columns);
	assert_true(rows_row(&wide));
	rows_cell(&wide, ROWS_COLUMNS_MAX, value_int(1), false);
	rows_cell(&wide, ROWS_COLUMNS_MAX - 1, value_int(1), false);
	assert_true(rows_row_end(&wide));
	rows_end(&wide);
	assert_int_equal(snapshot_get(wide.s, "left_off").u.i, 12);
	assert_int_equal(snapshot_get(wide.s, "columns").u.i, ROWS_COLUMNS_MAX + 12);
	buf_free(&r.cell);
	buf_free(&r.select);
	snapshot_unref(s);
	snapshot_unref(wide.s);
}

static void rows_that_are_too_large_together_are_left_off_whole(void **state)
{
	struct rows r = {.s = snapshot_new("connect", PART_ANSWER), .limit = ROWS_MOST};
	const struct rows_column column = {"text", "string", VALUE_TEXT};
	char *long_text = mem_new(ROWS_CELL_MAX + 1, 1);
	size_t n = 0;

	(void)state;
	memset(long_text, 'x', ROWS_CELL_MAX);
	rows_begin(&r, &column, 1);
	while (rows_row(&r)) {
		rows_cell(&r, 0, value_text(long_text), false);
		if (!rows_row_end(&r))
			break;
		n++;
	}
	rows_end(&r);
	assert_true(n > 1000 && n < ROWS_MOST);
	assert_int_equal(r.table->n_rows, n);
	assert_int_equal(strlen(r.table->cells[n - 1].u.s), ROWS_CELL_MAX);
	assert_true(snapshot_get(r.s, "full").u.b);
	free(long_text);
	snapshot_unref(r.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_exact_to_64_bits),
		cmocka_unit_test(decimals_have_every_digit),
		cmocka_unit_test(floats_print_as_they_were_written),
		cmocka_unit_test(dates_and_times_are_iso_and_instants_say_so),
		cmocka_unit_test(null_is_not_the_text_null_nor_an_empty_one),
		cmocka_unit_test(what_is_nested_is_json),
		cmocka_unit_test(types_that_only_spark_has_are_read),
		cmocka_unit_test(types_have_sparks_names),
		cmocka_unit_test(a_cell_that_is_longer_than_is_kept_says_so),
		cmocka_unit_test(a_type_that_is_not_read_is_refused_by_column_and_selected_as_text),
		cmocka_unit_test(compressed_batches_are_refused_by_name),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(garbage_ends_in_peace),
		cmocka_unit_test(a_name_stays_a_name_whatever_is_in_it),
		cmocka_unit_test(what_is_no_name_is_refused),
		cmocka_unit_test(rows_beyond_the_limit_are_told_and_columns_beyond_the_cap_are_counted),
		cmocka_unit_test(rows_that_are_too_large_together_are_left_off_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
