// SPDX-License-Identifier: MIT
/* What is chosen of a preview, and whether an engine's catalog means what the profile's does. Pure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../backend/ops/maintain.h"
#include "fixture_bytes.h"

static const int64_t now = 1795993200000, hour = 3600000, day = 86400000; /* 2026-11-29T23:00:00Z */

static struct plan_choice chosen(const char *view)
{
	struct plan_choice c;
	char name[PLAN_VIEW_SIZE];
	struct err err = {0};

	if (!plan_choice_read(view, now, name, &c, &err))
		fail_msg("%s: %s", view, err.words);
	assert_int_equal(strlen(name), strcspn(view, " "));
	return c;
}

static void what_is_chosen_is_understood(void **state)
{
	(void)state;
	assert_int_equal(chosen("expire").older_than, 0);
	assert_int_equal(chosen("snapshots").older_than, 0);
	assert_int_equal(chosen("expire older_than=7d retain_last=5").older_than, now - 7 * day);
	assert_int_equal(chosen("expire older_than=7d retain_last=5").retain_last, 5);
	assert_int_equal(chosen("expire older_than=36h").older_than, now - 36 * hour);
	assert_int_equal(chosen("expire older_than=90min").older_than, now - 90 * 60000);
	assert_int_equal(chosen("orphans older_than=2026-11-20").older_than, 1795132800000);
	assert_int_equal(chosen("orphans older_than=2026-11-20T10:00:00Z").older_than, 1795132800000 + 10 * hour);
	assert_int_equal(chosen("orphans older_than=1d").older_than, now - day);
	assert_int_equal(chosen("vacuum retain=200").retain, 200 * hour);
	assert_int_equal(chosen("vacuum retain=10d").retain, 10 * day);
	assert_int_equal(chosen("vacuum retain=0").retain, 1); /* said, and less than any table keeps */
	assert_int_equal(chosen("compact target=128MB min_files=2").target, 128 << 20);
	assert_int_equal(chosen("compact target=1GiB min_files=2").min_files, 2);
	assert_int_equal(chosen("compact target=65536").target, 65536);
}

static void what_no_engine_would_take_is_refused_with_the_reason(void **state)
{
	static const struct { const char *view, *words; } rows[] = {
		{"orphans older_than=23h", "younger than a day"}, {"orphans older_than=2026-11-29", "younger than a day"}, {"expire older_than=", "NAME=VALUE"},
		{"expire older_than=week", "expected 7d"}, {"expire older_than=2027-01-01", "yet to come"}, {"expire older_than=-7d", "expected 7d"},
		{"expire older_than=99999999999999d", "expected 7d"}, {"expire retain_last=0", "expected"}, {"expire retain_last=many", "expected"},
		{"expire target=1MB", "takes no option \"target\""}, {"manifests older_than=7d", "takes no option"}, {"compact target=1", "expected size"},
		{"compact foo=1", "it takes target, min_files"}, {"compact min_files=x", "min_files=x: expected a number"},
		{"compact target=9999999999999999GB", "expected size"}, {"compact min_files=0", "expected"}, {"vacuum retain=1w", "expected hours"},
		{"expire older", "NAME=VALUE"}, {"expire =7d", "takes no option"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct plan_choice c;
		char name[PLAN_VIEW_SIZE];
		struct err err = {0};

		if (plan_choice_read(rows[i].view, now, name, &c, &err))
			fail_msg("%s was taken", rows[i].view);
		if (!strstr(err.words, rows[i].words))
			fail_msg("%s: %s", rows[i].view, err.words);
	}
}

static void every_option_of_a_preview_says_what_may_be_typed(void **state)
{
	static const char *const views[] = {"compact", "expire", "orphans", "vacuum"};

	(void)state;
	for (size_t i = 0; i < sizeof views / sizeof *views; i++)
		for (const char *const *o = plan_options(views[i]); *o; o++)
			assert_true(plan_option_help(*o)[0]);
	assert_null(plan_options("deletes")[0]);
}

/* ---- the engine's catalog ---- */

static const struct table_spec settings_spec[] = {
	{"settings", "", (const struct column_spec[]){{"name", VALUE_TEXT, UNIT_NONE, 0, ""}, {"value", VALUE_TEXT, UNIT_NONE, 0, ""}, {0}}}, {0},
};

static struct snapshot *settings(const char *const *pairs)
{
	struct snapshot *s = snapshot_new("connect", PART_DEPTH);
	struct table *t = snapshot_table(s, settings_spec, "settings");

	for (; *pairs; pairs += 2) {
		struct value *row = table_row(s, t);

		table_set(s, t, row, "name", value_text(pairs[0]));
		table_set(s, t, row, "value", value_text(pairs[1]));
	}
	return s;
}

static void differs_in(const struct catalog *c, enum listing listing, const char *table, const char *const *pairs, const char *words)
{
	struct snapshot *s = settings(pairs);
	char said[200];
	bool same = engine_matches(snapshot_find_table(s, "settings"), c, listing, table, said);

	assert_int_equal(same, words == NULL);
	if (words ? !strstr(said, words) : said[0] != '\0')
		fail_msg("said \"%s\", expected \"%s\"", said, words ? words : "");
	snapshot_unref(s);
}

static void differs(const struct catalog *c, const char *const *pairs, const char *words)
{
	differs_in(c, LISTING_ONE, "raw.t", pairs, words);
}

#define CATALOG "spark.sql.catalog."
static void an_engine_that_means_another_catalog_is_told_of(void **state)
{
	static const struct expected_port ports[] = {{NULL, 5432}, {NULL, 0}};
	struct expectation postgres = {.name = "postgres", .address = "127.0.0.1", .ports = ports, .n_ports = 1, .credentials.database = "iceberg_catalog"};
	struct catalog jdbc = {.name = "lake", .kind = catalog_kind_named("iceberg-jdbc"), .service = &postgres, .warehouse = "lake"};
	struct catalog rest = {.name = "sales", .kind = catalog_kind_named("iceberg-rest"), .service = &postgres, .warehouse = "sales"};
	char words[200];

	(void)state;
	differs(&jdbc, (const char *const[]){CATALOG "lake", "x", CATALOG "lake.uri", "jdbc:postgresql://127.0.0.1:5432/iceberg_catalog", NULL}, NULL);
	differs(&jdbc, (const char *const[]){CATALOG "lake", "x", CATALOG "lake.uri", "jdbc:postgresql://postgres/iceberg_catalog", NULL}, NULL);
	differs(&jdbc, (const char *const[]){CATALOG "lake", "x", CATALOG "lake.uri", "jdbc:postgresql://127.0.0.1:5433/iceberg_catalog", NULL}, "asks jdbc:");
	differs(&jdbc, (const char *const[]){CATALOG "lake", "x", CATALOG "lake.uri", "jdbc:postgresql://10.0.0.7:5432/iceberg_catalog", NULL}, "asks jdbc:");
	differs(&jdbc, (const char *const[]){CATALOG "lake", "x", CATALOG "lake.uri", "jdbc:postgresql://127.0.0.1:5432/other", NULL}, "asks jdbc:");
	differs(&jdbc, (const char *const[]){CATALOG "shore", "x", NULL}, "not started with a catalog \"lake\"");
	jdbc.engine_catalog = "shore";
	differs(&jdbc, (const char *const[]){CATALOG "shore", "x", NULL}, "calls its JDBC catalog \"shore\"");
	differs(&rest, (const char *const[]){CATALOG "sales", "x", CATALOG "sales.uri", "http://127.0.0.1:5432/api/catalog", CATALOG "sales.warehouse", "sales",
		NULL}, NULL);
	differs(&rest, (const char *const[]){CATALOG "sales", "x", CATALOG "sales.uri", "http://127.0.0.1:5432/api/catalog", CATALOG "sales.warehouse", "old",
		NULL}, "of warehouse old");
	differs(&rest, (const char *const[]){CATALOG "sales", "x", CATALOG "sales.uri", "http://127.0.0.1:8181/api/catalog", NULL}, "asks http:");
	assert_true(engine_matches(NULL, &rest, LISTING_ONE, "raw.t", words)); /* nothing is known: nothing is said */
}

/* The profile's catalog "all" lists sales and "old.one": the engine calls each by its own name. */
static void of_several_catalogs_the_tables_own_is_compared(void **state)
{
	static const struct expected_port ports[] = {{NULL, 8181}};
	static const char *const started[] = {CATALOG "sales", "x", CATALOG "sales.uri", "http://127.0.0.1:8181/api/catalog", CATALOG "sales.warehouse", "sales",
		CATALOG "old.one", "x", CATALOG "old.one.uri", "http://127.0.0.1:8181/api/catalog", CATALOG "old.one.warehouse", "elsewhere", NULL};
	struct expectation polaris = {.name = "polaris", .address = "127.0.0.1", .ports = ports, .n_ports = 1};
	struct catalog all = {.name = "all", .kind = catalog_kind_named("iceberg-rest"), .service = &polaris};

	(void)state;
	differs_in(&all, LISTING_SEVERAL, "sales.raw.t", started, NULL);
	differs_in(&all, LISTING_SEVERAL, "\"old.one\".raw.t", started, "catalog \"old.one\" is of warehouse elsewhere, the table's is old.one");
	differs_in(&all, LISTING_SEVERAL, "new.raw.t", started, "not started with a catalog \"new\"");
	differs_in(&all, LISTING_ONE, "raw.t", started, "not started with a catalog \"all\"");
	differs_in(&all, LISTING_UNKNOWN, "sales.raw.t", started, "is not known yet: \"all\" is not listed");
	all.engine_catalog = "sales"; /* it is there: as long as nobody says that there are several, it is the one */
	differs_in(&all, LISTING_UNKNOWN, "raw.t", started, NULL);
	all.kind = catalog_kind_named("iceberg-jdbc");
	all.engine_catalog = NULL;
	differs_in(&all, LISTING_SEVERAL, "sales.raw.t", started, NULL);
}

static void calls(const struct catalog *c, const char *trino, bool named, const char *table, const char *catalog, const char *rest)
{
	char own[NAME_SIZE];

	assert_string_equal(trino_table(c, trino, named, table, own), rest);
	assert_string_equal(own, catalog);
}

static void trino_calls_a_table_by_its_own_catalog(void **state)
{
	struct catalog c = {.name = "all", .engine = "sql"};

	(void)state;
	calls(&c, "sql", false, "raw.t", "all", "raw.t");
	c.engine_catalog = "sea";
	calls(&c, "sql", false, "raw.t", "sea", "raw.t");
	calls(&c, "another", false, "raw.t", "all", "raw.t"); /* what the engine calls it is not what every Trino does */
	c.trino_catalog = "deep";
	calls(&c, "sql", false, "raw.t", "deep", "raw.t");
	calls(&c, "sql", true, "sales.raw.t", "sales", "raw.t");
	calls(&c, "sql", true, "\"old.one\".raw.t", "old.one", "raw.t");
	calls(&c, NULL, true, "sales", "sales", "");
}

static void of_two_states_the_change_is_told(void **state)
{
	const struct table_state before = {205, 875026, 3, 5, 6, 11, -1, -1, "append", false}, after = {1, 521000, 3, 6, 1, 12, -1, -1, "replace", false},
		files = {2, 10, 0, -1, -1, 7, 12, 2, "", false}, none = {2, 10, 0, -1, -1, 9, 0, 4, "", false};
	char words[300];

	(void)state;
	table_state_change(&before, &after, false, words, sizeof words);
	assert_string_equal(words, "205 -> 1 data files, 855 KiB -> 509 KiB, 6 -> 1 manifests, 5 -> 6 snapshots, snapshot 12 (replace)");
	table_state_change(&files, &none, true, words, sizeof words);
	assert_string_equal(words, "2 -> 2 data files, 10 B -> 10 B, 12 -> 0 files to remove, version 9");
	/* of one that was cancelled */
	assert_true(table_state_same(&files, &files, true, words, sizeof words));
	assert_string_equal(words, "the table is as it was, version 7");
	assert_false(table_state_same(&files, &none, true, words, sizeof words));
	assert_string_equal(words, "the table has changed: now version 9");
	assert_true(table_state_same(&before, &before, false, words, sizeof words));
	assert_string_equal(words, "the table is as it was, snapshot 11");
	assert_false(table_state_same(&before, &after, false, words, sizeof words));
	assert_string_equal(words, "the table has changed: now snapshot 12");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_chosen_is_understood),
		cmocka_unit_test(what_no_engine_would_take_is_refused_with_the_reason),
		cmocka_unit_test(every_option_of_a_preview_says_what_may_be_typed),
		cmocka_unit_test(an_engine_that_means_another_catalog_is_told_of),
		cmocka_unit_test(of_several_catalogs_the_tables_own_is_compared),
		cmocka_unit_test(trino_calls_a_table_by_its_own_catalog),
		cmocka_unit_test(of_two_states_the_change_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
