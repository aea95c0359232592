// SPDX-License-Identifier: MIT
/*
 * Catalogs: what they list, what is remembered between two looks, and all of their tables joined. The
 * catalogs here are the test's own; real ones are in tests/integration.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../backend/catalogs/catalogs.h"
#include "../../backend/engine/actor.h"
#include "report.h"
#include "tables.h"

/* ---- names ---- */

static void an_engine_calls_each_of_several_catalogs_by_its_own_name(void **state)
{
	static const struct catalog plain = {.name = "lake"}, other = {.name = "lake", .engine_catalog = "iceberg"};
	static const struct {
		const struct catalog *c;
		bool named;
		const char *name, *engine, *table;
	} cases[] = {
		{&plain, false, "k.orders", "lake", "k.orders"}, {&other, false, "k.orders", "iceberg", "k.orders"}, {&other, true, "lake.k.orders", "lake", "k.orders"},
		{&plain, true, "\"a.b\".k.orders", "a.b", "k.orders"}, {&plain, true, "\"a\"\"b\".\"k.x\".y", "a\"b", "\"k.x\".y"}, {&plain, true, "orders", "orders", ""},
		{&plain, true, "\"orders", "orders", ""}, {&plain, true, ".orders", "", ""}, {&plain, true, "", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char engine[NAME_SIZE];

		assert_string_equal(catalog_for_engine(cases[i].c, cases[i].named, cases[i].name, engine), cases[i].table);
		assert_string_equal(engine, cases[i].engine);
	}
}

/* ---- the join ---- */

struct row { const char *name, *uuid, *location, *grade; int64_t files; };

static struct snapshot *snapshot_with(const char *catalog, const struct row *rows, size_t n)
{
	struct snapshot *s = snapshot_new(catalog, PART_CATALOG);
	struct table *t = snapshot_table(s, catalog_tables, "tables");

	table_reserve(s, t, n);
	for (size_t i = 0; i < n; i++) {
		struct value *row = table_row(s, t);

		table_set(s, t, row, "name", value_text(rows[i].name));
		table_set(s, t, row, "uuid", value_text(rows[i].uuid));
		table_set(s, t, row, "location", value_text(rows[i].location));
		table_set(s, t, row, "grade", value_text(rows[i].grade));
		table_set(s, t, row, "files", value_int(rows[i].files));
	}
	return s;
}

static const struct catalog lake_catalog = {.name = "lake"}, rest_catalog = {.name = "rest"}, third_catalog = {.name = "third"};

static void a_table_that_two_catalogs_know_is_one(void **state)
{
	static const struct row lake[] = {
		{"k.orders", "u1", "s3://lake/k/orders", "good", 1}, {"k.copy", "u1", "s3://lake/k/copy", "good", 2}, {"k.view", NULL, NULL, NULL, 0},
		{"a.local", "u2", "file:///srv/a", "good", 3},
	};
	static const struct row rest[] = {
		{"kitchen.orders", "u1", "s3a://lake/k/orders/", "due", 4}, {"k.view", NULL, NULL, NULL, 0}, {"b.local", "u2", "/srv/a", "good", 5},
	};
	struct snapshot *one = snapshot_with("lake", lake, 4), *two = snapshot_with("rest", rest, 3);
	struct catalog_view views[] = {{.catalog = &lake_catalog, .snapshot = one}, {.catalog = &rest_catalog, .snapshot = two}, {.catalog = &third_catalog}};
	struct lake l = {.catalogs = views, .n_catalogs = 3};
	struct arena *arena = arena_new(1 << 20);
	const struct lake_table *t;

	(void)state;
	l.tables = lake_join(views, 3, arena, &l.n_tables);
	assert_int_equal(l.n_tables, 5); /* a copy keeps its uuid, and is another table; views are each catalog's own */
	t = lake_table_named(&l, "k.orders");
	assert_non_null(t);
	assert_int_equal(t->n_in, 2);
	assert_ptr_equal(t->in[0].view, &views[0]);
	assert_ptr_equal(t->in[1].view, &views[1]);
	assert_int_equal(lake_table_get(t, "files").u.i, 1);
	assert_ptr_equal(lake_table_named(&l, "rest.kitchen.orders"), t);
	assert_ptr_equal(lake_table_named(&l, "lake.k.orders"), t);
	assert_null(lake_table_named(&l, "kitchen.orders")); /* nobody shows it by that name */
	assert_null(lake_table_named(&l, "third.k.orders"));
	assert_int_equal(lake_table_named(&l, "a.local")->n_in, 2);
	assert_int_equal(lake_table_named(&l, "k.copy")->n_in, 1);
	assert_ptr_equal(lake_table_named(&l, "rest.k.view")->in[0].view, &views[1]);
	arena_free(arena);
	snapshot_unref(one);
	snapshot_unref(two);
}

static void it_is_shown_by_the_catalog_that_answers_and_could_read_it(void **state)
{
	static const struct row lake[] = {{"k.a", "u1", "/a", "good", 1}, {"k.b", "u2", "/b", "failed", 2}, {"k.c", "u3", "/c", "good", 3}};
	static const struct row rest[] = {{"r.a", "u1", "/a", "good", 11}, {"r.b", "u2", "/b", "good", 12}};
	struct snapshot *one = snapshot_with("lake", lake, 3), *two = snapshot_with("rest", rest, 2), *down = snapshot_new("lake", PART_CATALOG);
	struct catalog_view views[] = {{.catalog = &lake_catalog, .snapshot = one}, {.catalog = &rest_catalog, .snapshot = two}};
	struct lake l = {.catalogs = views, .n_catalogs = 2};
	struct arena *arena = arena_new(1 << 20);

	(void)state;
	l.tables = lake_join(views, 2, arena, &l.n_tables);
	assert_int_equal(lake_table_get(lake_table_named(&l, "k.a"), "files").u.i, 1);
	assert_int_equal(lake_table_get(lake_table_named(&l, "r.b"), "files").u.i, 12); /* the first could not read it */
	views[0].failed = down;
	l.tables = lake_join(views, 2, arena, &l.n_tables);
	assert_int_equal(l.n_tables, 3);
	assert_int_equal(lake_table_get(lake_table_named(&l, "r.a"), "files").u.i, 11);
	assert_false(lake_table_named(&l, "r.a")->old);
	assert_true(lake_table_named(&l, "k.c")->old); /* what is shown is what was */
	arena_free(arena);
	snapshot_unref(one);
	snapshot_unref(two);
	snapshot_unref(down);
}

static void ten_thousand_tables_of_two_catalogs_are_joined_at_once(void **state)
{
	enum { N = 10000 };
	struct row *rows = mem_new(N, sizeof *rows);
	char (*texts)[3][40] = mem_new(N, sizeof *texts);
	struct snapshot *s[2];
	struct catalog_view views[2] = {{.catalog = &lake_catalog}, {.catalog = &rest_catalog}};
	struct arena *arena = arena_new(64 << 20);
	int64_t begun;
	size_t n;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		snprintf(texts[i][0], sizeof texts[i][0], "ns%zu.table_%zu", i * 7919 % 97, i);
		snprintf(texts[i][1], sizeof texts[i][1], "uuid-%zu", i);
		snprintf(texts[i][2], sizeof texts[i][2], "s3://lake/warehouse/table_%zu", i);
		rows[i] = (struct row){texts[i][0], texts[i][1], texts[i][2], "good", (int64_t)i};
	}
	for (size_t i = 0; i < 2; i++)
		views[i].snapshot = s[i] = snapshot_with(views[i].catalog->name, rows, N);
	begun = clock_ms();
	lake_join(views, 2, arena, &n);
	print_message("10,000 tables of two catalogs joined in %lld ms\n", (long long)(clock_ms() - begun));
	assert_int_equal(n, N);
	assert_int_equal(views[0].snapshot->tables[0].left_off, 0);
	arena_free(arena);
	snapshot_unref(s[0]);
	snapshot_unref(s[1]);
	free(rows);
	free(texts);
}

/* ---- the keeper ---- */

struct fake { /* a catalog that says what the test wants */
	const struct catalog_entry *entries;
	size_t n;
	bool down, cut;
	unsigned listings, closed;
} fake;

static bool fake_list(struct probe *p, const struct catalog *c, void **keep, bool (*each)(void *ctx, const struct catalog_entry *e), void *ctx,
	struct catalog_said *said, struct err *err)
{
	(void)p;
	(void)c;
	*keep = &fake;
	fake.listings++;
	for (size_t i = 0; i < fake.n; i++)
		each(ctx, &fake.entries[i]);
	if (fake.cut) {
		said->cut = true;
		text_copy(said->words, sizeof said->words, TEXT("the listing is cut at 100"));
	}
	return !fake.down || err_set(err, ERR_CONNECT, "refused");
}

static void fake_close(void *keep)
{
	fake.closed += keep == &fake;
}

static const struct catalog_kind fake_kind = {.name = "fake", .title = "Fake", .list = fake_list, .close = fake_close};
static const struct catalog fake_catalog = {.name = "fake", .kind = &fake_kind};

static struct snapshot *look(struct keeper *k, bool *good)
{
	struct host *host = host_local();
	struct snapshot *s = snapshot_new("fake", PART_CATALOG);
	struct probe p = {.host = host, .wait = wait_for(60000, -1), .hint = "", .arena = s->arena};
	struct storage at = {0};

	*good = keeper_look(k, &p, &at, s);
	host->close(host);
	return s;
}

static void views_and_others_are_rows_without_files(void **state)
{
	static const struct catalog_entry entries[] = {
		{.name = {"k.v", 3}, .format = FORMAT_VIEW}, {.name = {"k.csv", 5}, .format = FORMAT_OTHER, .words = {"CSV", 3}},
		{.name = {"k.a\x1b[31m", 8}, .format = FORMAT_VIEW}, {.name = {"k.v", 3}, .format = FORMAT_VIEW},
	};
	struct keeper *k = keeper_new(&fake_catalog);
	struct snapshot *s;
	const struct table *t;
	bool good;

	(void)state;
	fake = (struct fake){.entries = entries, .n = 4, .cut = true};
	s = look(k, &good);
	assert_true(good);
	t = snapshot_find_table(s, "tables");
	assert_int_equal(t->n_rows, 3); /* what is told twice is one */
	assert_string_equal(table_get(t, 0, "name").u.s, "k.a[31m");
	assert_string_equal(table_get(t, 1, "format").u.s, "CSV");
	assert_string_equal(table_get(t, 2, "format").u.s, "view");
	assert_int_equal(snapshot_get(s, "tables").u.i, 1);
	assert_true(snapshot_get(s, "tables").at_least);
	assert_int_equal(snapshot_get(s, "views").u.i, 2);
	assert_string_equal(snapshot_get(s, "cut").u.s, "the listing is cut at 100");
	assert_false(keeper_unread(k));
	snapshot_unref(s);
	keeper_free(k);
	assert_int_equal(fake.closed, 1);
}

static void a_listing_that_fails_leaves_what_was(void **state)
{
	static const struct catalog_entry entries[] = {{.name = {"k.v", 3}, .format = FORMAT_VIEW}, {.name = {"k.w", 3}, .format = FORMAT_VIEW}};
	struct keeper *k = keeper_new(&fake_catalog);
	struct snapshot *s;
	bool good;

	(void)state;
	fake = (struct fake){.entries = entries, .n = 2};
	snapshot_unref(look(k, &good));
	assert_true(good);
	fake.n = 1;
	fake.down = true;
	s = look(k, &good);
	assert_false(good);
	assert_string_equal(s->err.words, "refused");
	snapshot_unref(s);
	fake.down = false;
	s = look(k, &good);
	assert_true(good);
	assert_int_equal(snapshot_find_table(s, "tables")->n_rows, 1); /* a table that was dropped vanishes */
	snapshot_unref(s);
	keeper_free(k);
}

static void more_tables_than_are_kept_are_counted(void **state)
{
	enum { N = 20005 };
	struct catalog_entry *entries = mem_new(N, sizeof *entries);
	char (*names)[16] = mem_new(N, sizeof *names);
	struct keeper *k = keeper_new(&fake_catalog);
	struct snapshot *s;
	bool good;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		snprintf(names[i], sizeof names[i], "k.v%zu", i);
		entries[i] = (struct catalog_entry){.name = text_of(names[i]), .format = FORMAT_VIEW};
	}
	fake = (struct fake){.entries = entries, .n = N};
	s = look(k, &good);
	assert_true(good);
	assert_int_equal(snapshot_find_table(s, "tables")->n_rows, 20000);
	assert_int_equal(snapshot_find_table(s, "tables")->left_off, 5);
	assert_non_null(strstr(snapshot_get(s, "cut").u.s, "20,000"));
	snapshot_unref(s);
	keeper_free(k);
	free(entries);
	free(names);
}

/* ---- names ---- */

static void a_part_with_a_dot_stands_in_quotes(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 100);
	catalog_name_part(&b, TEXT("a.b"));
	catalog_name_part(&b, TEXT("c"));
	catalog_name_part(&b, TEXT("say \"x\""));
	assert_string_equal(b.at, "\"a.b\".c.\"say \"\"x\"\"\"");
	buf_free(&b);
}

/* ---- a recording ---- */

static void its_snapshot_is_recorded_and_read_again(void **state)
{
	static const struct row rows[] = {{"k.orders", "u1", "s3://lake/k/orders", "good", INT64_C(9007199254740993)}, {"k.view", NULL, NULL, NULL, 0}};
	struct snapshot *s = snapshot_with("lake", rows, 2), *back;
	struct err err = {0};
	struct buf line;

	(void)state;
	snapshot_figure(s, catalog_figures, "tables", (struct value){.type = VALUE_INT, .u.i = 2, .at_least = true});
	buf_init(&line, 1 << 20);
	assert_true(snapshot_write(s, &line));
	back = snapshot_read(buf_text(&line), &err);
	assert_non_null(back);
	assert_int_equal(back->part, PART_CATALOG);
	assert_string_equal(back->source, "lake");
	assert_true(snapshot_get(back, "tables").at_least);
	assert_int_equal(snapshot_find_table(back, "tables")->n_rows, 2);
	assert_int_equal(table_get(snapshot_find_table(back, "tables"), 0, "files").u.i, INT64_C(9007199254740993));
	assert_int_equal(table_get(snapshot_find_table(back, "tables"), 1, "uuid").type, VALUE_UNKNOWN);
	buf_free(&line);
	snapshot_unref(s);
	snapshot_unref(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_that_two_catalogs_know_is_one),
		cmocka_unit_test(it_is_shown_by_the_catalog_that_answers_and_could_read_it),
		cmocka_unit_test(ten_thousand_tables_of_two_catalogs_are_joined_at_once),
		cmocka_unit_test(an_engine_calls_each_of_several_catalogs_by_its_own_name),
		cmocka_unit_test(views_and_others_are_rows_without_files),
		cmocka_unit_test(a_listing_that_fails_leaves_what_was),
		cmocka_unit_test(more_tables_than_are_kept_are_counted),
		cmocka_unit_test(a_part_with_a_dot_stands_in_quotes),
		cmocka_unit_test(its_snapshot_is_recorded_and_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
