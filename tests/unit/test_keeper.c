// SPDX-License-Identifier: MIT
/*
 * What a catalog's tables look like between looks: the kitchen's, which Spark wrote, served as S3 would;
 * rows equal to what Spark counted, every fault a word in its own row, every view.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../backend/tables/keeper_own.h"
#include "fixture_lakehouse.h"

enum { TABLES = 8 };

static const char *const names[TABLES] = {"deliveries_v3", "drivers", "empty_table", "kitchens", "menu_items", "order_events", "order_items", "orders"};

static struct world {
	struct lakehouse *l;
	struct keeper *k;
	struct json *truth;
	char at[TABLES][400];      /* as the catalog says */
	bool dropped[TABLES];
	struct storage storage;
	bool alike;         /* a name that only a control tells apart, and a table told twice */
} world;

static bool list(struct probe *p, const struct catalog *c, void **keep, bool (*each)(void *ctx, const struct catalog_entry *e), void *ctx,
	struct catalog_said *said, struct err *err)
{
	(void)p, (void)c, (void)keep, (void)said, (void)err;
	for (size_t i = 0; i < TABLES; i++) {
		char name[80];

		snprintf(name, sizeof name, "kitchen.%s", names[i]);
		if (!world.dropped[i])
			each(ctx, &(struct catalog_entry){.name = text_of(name), .format = FORMAT_ICEBERG, .at = text_of(world.at[i])});
	}
	if (world.alike) {
		each(ctx, &(struct catalog_entry){.name = TEXT("kitchen.orders\1"), .format = FORMAT_ICEBERG, .at = text_of(world.at[0])});
		each(ctx, &(struct catalog_entry){.name = TEXT("kitchen.drivers"), .format = FORMAT_ICEBERG, .at = text_of(world.at[1])});
	}
	return true;
}

static const struct catalog_kind kind = {.name = "listed", .title = "Listed", .list = list};
static const struct catalog catalogs[] = {{.name = "lake", .kind = &kind}, {.name = "polaris", .kind = &kind}};
static const struct profile profile = {.catalogs = catalogs, .n_catalogs = 2};

static int set_up(void **state)
{
	(void)state;
	world.l = lakehouse_open("kitchen");
	world.truth = lakehouse_truth("kitchen");
	world.k = keeper_new(&catalogs[0]);
	world.alike = false;
	world.storage = lakehouse_storage(world.l);
	for (size_t i = 0; i < TABLES; i++) {
		char folder[200];

		snprintf(folder, sizeof folder, "s3://lakehouse/warehouse/kitchen/%s", names[i]);
		text_copy(world.at[i], sizeof world.at[i], text_of(lakehouse_newest(world.l, folder)));
		world.dropped[i] = false;
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	keeper_free(world.k);
	json_free(world.truth);
	lakehouse_close(world.l);
	return 0;
}

static struct snapshot *look(void)
{
	struct fake_probe f;
	struct snapshot *s;

	fake_probe_begin(&f, world.storage.s3, 60000);
	s = snapshot_new("lake", PART_CATALOG);
	f.p.arena = s->arena;
	assert_true(keeper_look(world.k, &f.p, &world.storage, s));
	fake_probe_end(&f);
	return s;
}

static size_t row_of(const struct snapshot *s, const char *name)
{
	const struct table *t = snapshot_find_table(s, "tables");
	char whole[80];

	snprintf(whole, sizeof whole, "kitchen.%s", name);
	for (size_t i = 0; i < t->n_rows; i++)
		if (!strcmp(table_get(t, i, "name").u.s, whole))
			return i;
	return SIZE_MAX;
}

static struct value cell(const struct snapshot *s, const char *name, const char *column)
{
	return table_get(snapshot_find_table(s, "tables"), row_of(s, name), column);
}

static const char *words(const struct snapshot *s, const char *name, const char *column)
{
	struct value v = cell(s, name, column);

	return v.type == VALUE_TEXT ? v.u.s : "";
}

/* ---- rows ---- */

static int64_t truth_of(const char *name, const char *key)
{
	int64_t n = 0;

	json_i64(json_get(json_get(json_get(world.truth, "tables"), name), key), &n);
	return n;
}

static void rows_are_what_spark_counted(void **state)
{
	struct snapshot *s = look();

	(void)state;
	assert_int_equal(snapshot_get(s, "tables").u.i, TABLES);
	assert_int_equal(snapshot_get(s, "unread").u.i, 0);
	assert_int_equal(snapshot_get(s, "failed").u.i, 0);
	assert_false(keeper_unread(world.k));
	for (size_t i = 0; i < TABLES; i++) {
		static const char *const same[][2] = {
			{"snapshots", "snapshots"}, {"files", "data_files"}, {"records", "data_records"}, {"bytes", "data_bytes"}, {"manifests", "manifests"},
		};

		for (size_t c = 0; c < sizeof same / sizeof *same; c++)
			if (cell(s, names[i], same[c][0]).u.i != truth_of(names[i], same[c][1]))
				fail_msg("%s: %s is %lld, Spark says %lld", names[i], same[c][0], (long long)cell(s, names[i], same[c][0]).u.i,
					(long long)truth_of(names[i], same[c][1]));
		assert_string_equal(words(s, names[i], "measured"), "exact");
		assert_string_equal(words(s, names[i], "metadata"), world.at[i]);
		assert_int_equal(cell(s, names[i], "error").type, VALUE_UNKNOWN);
	}
	assert_string_equal(words(s, "deliveries_v3", "format"), "iceberg v3");
	assert_string_equal(words(s, "order_events", "operation"), "append");
	assert_string_equal(words(s, "order_events", "by"), "spark 4.1.4");
	assert_string_equal(words(s, "order_events", "grade"), "ill");
	snapshot_unref(s);
}

static void what_did_not_change_is_not_read_again(void **state)
{
	struct snapshot *s = look();
	int64_t then = clock_ms() - 60000;
	unsigned first = 0;

	(void)state;
	snapshot_unref(s);
	for (size_t i = 0; i < world.k->n_records; i++)
		first += world.k->records[i].whole;
	assert_int_equal(first, TABLES);
	for (size_t i = 0; i < world.k->n_records; i++)
		world.k->records[i].checked = then;
	s = look();
	for (size_t i = 0; i < world.k->n_records; i++)
		assert_int_equal(world.k->records[i].checked, then);
	assert_int_equal(cell(s, "order_events", "files").u.i, truth_of("order_events", "data_files"));
	snapshot_unref(s);
	world.k->records[5].checked = clock_ms() - 3600001; /* what is due comes with time alone */
	snapshot_unref(look());
	assert_true(world.k->records[5].checked > then);
	assert_int_equal(world.k->records[4].checked, then);
}

static void a_commit_is_read_and_a_dropped_table_vanishes(void **state)
{
	char newest[400];
	struct snapshot *s;

	(void)state;
	text_copy(newest, sizeof newest, text_of(world.at[7]));
	/* as it stood two commits before: nothing but the catalog's pointer tells */
	snprintf(world.at[7], sizeof world.at[7], "s3://lakehouse/nowhere.metadata.json");
	world.dropped[3] = true;
	s = look();
	assert_string_equal(words(s, "orders", "grade"), "failed");
	assert_int_equal(row_of(s, "kitchens"), SIZE_MAX);
	snapshot_unref(s);
	text_copy(world.at[7], sizeof world.at[7], text_of(newest)); /* another pointer: read at once, whatever failed before */
	s = look();
	assert_string_equal(words(s, "orders", "error"), "");
	assert_int_equal(cell(s, "orders", "files").u.i, 28);
	snapshot_unref(s);
}

/* ---- faults ---- */

static void others_are_well(const struct snapshot *s, const char *but)
{
	for (size_t i = 0; i < TABLES; i++)
		if (strcmp(names[i], but) != 0)
			assert_string_equal(words(s, names[i], "measured"), "exact");
	assert_int_equal(snapshot_get(s, "failed").u.i, 1);
}

/* The manifest list of orders' newest snapshot. */
static const char *list_of_orders(void)
{
	return json_string(json_get(json_get(json_get(json_get(world.truth, "tables"), "orders"), "newest_snapshot"), "manifest_list"));
}

static void fault_says(const char *name, const char *part)
{
	struct snapshot *s = look();

	if (!strstr(words(s, name, "error"), part))
		fail_msg("\"%s\" is said, not \"%s\"", words(s, name, "error"), part);
	assert_string_equal(words(s, name, "grade"), "failed");
	others_are_well(s, name);
	snapshot_unref(s);
}

static void a_missing_metadata_file_is_a_word_in_its_row(void **state)
{
	(void)state;
	text_copy(world.at[7], sizeof world.at[7], TEXT("s3://lakehouse/warehouse/kitchen/orders/metadata/00009-gone.metadata.json"));
	fault_says("orders", "its metadata is missing: s3://lakehouse/");
}

static void a_catalog_without_a_pointer_is_a_word_in_its_row(void **state)
{
	(void)state;
	world.at[7][0] = '\0';
	fault_says("orders", "names no metadata");
}

static void a_metadata_file_that_is_none_is_a_word_in_its_row(void **state)
{
	(void)state;
	lakehouse_put(world.l, world.at[7], TEXT("<html>no</html>"));
	fault_says("orders", "");
}

static void a_format_to_come_is_refused_by_name(void **state)
{
	(void)state;
	lakehouse_put(world.l, world.at[7], TEXT("{\"format-version\":4,\"table-uuid\":\"u\",\"location\":\"s3://lakehouse/x\"}"));
	fault_says("orders", "4");
}

static void a_truncated_manifest_list_leaves_what_the_metadata_says(void **state)
{
	struct text whole = lakehouse_object(world.l, list_of_orders());
	struct snapshot *s;

	(void)state;
	assert_true(whole.len > 100);
	lakehouse_put(world.l, list_of_orders(), (struct text){whole.at, whole.len - 40});
	s = look();
	assert_string_equal(words(s, "orders", "grade"), "failed");
	assert_true(strlen(words(s, "orders", "error")) > 0);
	assert_int_equal(cell(s, "orders", "snapshots").u.i, 2); /* known all the same */
	assert_string_equal(words(s, "orders", "measured"), "summary");
	others_are_well(s, "orders");
	snapshot_unref(s);
}

/* One block that says it unpacks to 4 GB. */
static void a_bomb_of_a_manifest_list_is_a_word_in_its_row(void **state)
{
	static const char bomb[] = "Obj\1\4\x14" "avro.codec\x0c" "snappy\x16" "avro.schema\x50" "{\"type\":\"record\",\"name\":\"r\",\"fields\":[]}"
		"\0" "0123456789abcdef" "\2\x14" "\xff\xff\xff\xff\x0f" "\0\0\0\0\0" "0123456789abcdef";

	(void)state;
	lakehouse_put(world.l, list_of_orders(), (struct text){bomb, sizeof bomb - 1});
	fault_says("orders", "unpacks to more than");
}

static void a_manifest_list_of_another_table_is_told(void **state)
{
	const struct json *events = json_get(json_get(world.truth, "tables"), "order_items");
	struct snapshot *s;

	(void)state;
	lakehouse_put(world.l, list_of_orders(), lakehouse_object(world.l, json_string(json_get(json_get(events, "newest_snapshot"), "manifest_list"))));
	s = look();
	assert_non_null(strstr(words(s, "orders", "words"), "summary says 28 data files, manifests hold 6"));
	snapshot_unref(s);
}

static void a_table_whose_name_looks_like_another_is_not_lost_without_a_word(void **state)
{
	struct snapshot *s;

	(void)state;
	world.alike = true;
	s = look();
	assert_int_equal(snapshot_get(s, "tables").u.i, TABLES);
	assert_string_equal(snapshot_get(s, "cut").u.s, "1 of its tables left off: the name looks like another's");
	snapshot_unref(s);
}

static void names_are_told_before_anything_is_read(void **state)
{
	struct fake_probe f;
	struct snapshot *s = snapshot_new("lake", PART_CATALOG);

	(void)state;
	fake_probe_begin(&f, world.storage.s3, 60000);
	f.p.arena = s->arena;
	assert_true(keeper_list(world.k, &f.p, &world.storage, s));
	assert_int_equal(snapshot_get(s, "tables").u.i, TABLES);
	assert_int_equal(snapshot_get(s, "unread").u.i, TABLES);
	assert_int_equal(f.p.requests, 0);
	assert_true(keeper_unread(world.k));
	fake_probe_end(&f);
	snapshot_unref(s);
	s = look();
	assert_int_equal(snapshot_get(s, "unread").u.i, 0);
	snapshot_unref(s);
}

static void what_failed_is_tried_again_later_and_later_or_when_told(void **state)
{
	struct record *r;
	struct snapshot *s;
	int64_t first;

	(void)state;
	text_copy(world.at[7], sizeof world.at[7], TEXT("s3://lakehouse/gone.metadata.json"));
	snapshot_unref(look());
	r = &world.k->records[7];
	first = r->next - clock_ms();
	assert_true(first > 0 && first <= 30000);
	assert_int_equal(r->failures, 1);
	assert_false(keeper_unread(world.k));
	snapshot_unref(look());
	assert_int_equal(world.k->records[7].failures, 1); /* not yet */
	keeper_retry(world.k);
	s = look();
	assert_int_equal(world.k->records[7].failures, 2);
	assert_true(world.k->records[7].next - clock_ms() > first);
	snapshot_unref(s);
}

static void who_cannot_be_reached_is_not_asked_for_each_table(void **state)
{
	struct fake_probe f;
	struct snapshot *s = snapshot_new("lake", PART_CATALOG);
	struct storage nowhere = {.s3 = {.address = "127.0.0.1", .port = 1}};

	(void)state;
	fake_probe_begin(&f, nowhere.s3, 5000);
	f.p.arena = s->arena;
	assert_true(keeper_look(world.k, &f.p, &nowhere, s));
	assert_int_equal(snapshot_get(s, "failed").u.i, 3);
	assert_int_equal(snapshot_get(s, "unread").u.i, TABLES - 3);
	fake_probe_end(&f);
	snapshot_unref(s);
}

/* ---- views ---- */

static struct snapshot *ask(const char *name, const char *view)
{
	struct fake_probe f;
	struct snapshot *s = snapshot_new("lake", PART_ANSWER);
	char whole[80];

	snprintf(whole, sizeof whole, "kitchen.%s", name);
	fake_probe_begin(&f, world.storage.s3, 60000);
	f.p.arena = s->arena;
	if (!keeper_answer(world.k, &f.p, &world.storage, view, whole, s) && s->err.code == ERR_NONE)
		fail_msg("%s of %s failed without a word", view, name);
	fake_probe_end(&f);
	return s;
}

/* ---- orphans beside the tables of other catalogs ---- */

/* What the other catalog has: one table; metadata: that is all that is known of it. */
static void tell_neighbour(struct places *p, const char *location, const char *metadata)
{
	struct snapshot *s = snapshot_new("polaris", PART_CATALOG);
	struct table *t = snapshot_table(s, catalog_tables, "tables");
	struct value *row = table_row(s, t);

	table_set(s, t, row, "name", value_text("sales.orders"));
	table_set(s, t, row, "format", value_text("iceberg"));
	if (location)
		table_set(s, t, row, "location", value_text(location));
	if (metadata)
		table_set(s, t, row, "metadata", value_text(metadata));
	places_tell(p, &catalogs[1], s);
	snapshot_unref(s);
}

static void assert_orphans_words(const char *has)
{
	struct snapshot *s = ask("orders", "orphans");
	struct value words_said = snapshot_get(s, "words");

	assert_int_equal(s->err.code, ERR_NONE);
	if (words_said.type != VALUE_TEXT || !strstr(words_said.u.s, has))
		fail_msg("\"%s\" says nothing of \"%s\"", words_said.type == VALUE_TEXT ? words_said.u.s : "", has);
	assert_int_equal(snapshot_get(s, "sql").type, VALUE_UNKNOWN);
	snapshot_unref(s);
}

static void orphans_know_the_tables_of_every_catalog(void **state)
{
	struct places *p = places_new(&profile);
	struct snapshot *s = look(), *down = snapshot_new("polaris", PART_CATALOG);

	(void)state;
	assert_orphans_words("what other catalogs have is not known here");
	keeper_places(world.k, p);
	places_tell(p, &catalogs[0], s);
	assert_orphans_words("which tables polaris has is not known yet");
	err_set(&down->err, ERR_CONNECT, "nobody listens on 8181");
	places_tell(p, &catalogs[1], down);
	assert_orphans_words("which tables polaris has is not known: nobody listens on 8181");
	tell_neighbour(p, "s3a://lakehouse/warehouse/kitchen/orders/", NULL);
	assert_orphans_words("polaris.sales.orders lies in the same folder");
	tell_neighbour(p, NULL, "s3://lakehouse/warehouse/kitchen/orders/in/metadata/v1.metadata.json");
	assert_orphans_words("polaris.sales.orders lies in a folder of this table");
	tell_neighbour(p, NULL, NULL);
	assert_orphans_words("where polaris.sales.orders lies is not read yet");
	tell_neighbour(p, "s3://lakehouse/warehouse/sales/orders", NULL);
	places_tell(p, &catalogs[1], down); /* what it had still counts */
	assert_orphans_words("files in its folder");
	snapshot_unref(down);
	snapshot_unref(s);
	keeper_places(world.k, NULL);
	places_free(p);
}

static const char *fact_of(const struct table *t, const char *what)
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (!strcmp(table_get(t, i, "what").u.s, what))
			return table_get(t, i, "value").u.s;
	return "";
}

static void its_facts_are_told_and_counted_if_they_were_not(void **state)
{
	struct snapshot *s;
	const struct table *t;

	(void)state;
	snapshot_unref(look());
	s = ask("orders", "table");
	t = snapshot_find_table(s, "table");
	assert_string_equal(fact_of(t, "format"), "Iceberg v2");
	assert_string_equal(fact_of(t, "data files"), "28");
	assert_string_equal(fact_of(t, "counted by"), "exact");
	assert_string_equal(fact_of(t, "sorted by"), "nothing");
	assert_string_equal(fact_of(t, "location"), "s3://lakehouse/warehouse/kitchen/orders");
	snapshot_unref(s);
}

static void deletes_are_told_by_kind_and_by_what_they_take_out(void **state)
{
	struct snapshot *s;
	const struct table *t;

	(void)state;
	snapshot_unref(look());
	s = ask("drivers", "table");
	t = snapshot_find_table(s, "table");
	assert_string_equal(fact_of(t, "position delete files"), "3");
	assert_string_equal(fact_of(t, "deletion vectors"), "");
	assert_string_equal(fact_of(t, "records before deletes"), "1,020");
	assert_string_equal(fact_of(t, "deleted by position"), "139");
	assert_string_equal(fact_of(t, "records"), "881");
	assert_string_equal(fact_of(t, "commits a day"), "4, by the snapshots that are kept");
	snapshot_unref(s);
	s = ask("deliveries_v3", "table");
	t = snapshot_find_table(s, "table");
	assert_string_equal(fact_of(t, "deletion vectors"), "3");
	assert_string_equal(fact_of(t, "position delete files"), "");
	assert_string_equal(fact_of(t, "records"), "1,800");
	snapshot_unref(s);
	s = ask("empty_table", "table");
	assert_string_equal(fact_of(snapshot_find_table(s, "table"), "last commit"), ""); /* it was created, and that is all */
	snapshot_unref(s);
	s = look();
	t = snapshot_find_table(s, "tables");
	assert_string_equal(table_get(t, 2, "name").u.s, "kitchen.empty_table");
	assert_int_equal(table_get(t, 2, "committed").type, VALUE_UNKNOWN);
	snapshot_unref(s);
}

static void snapshots_come_newest_first(void **state)
{
	struct snapshot *s;
	const struct table *t;

	(void)state;
	snapshot_unref(look());
	s = ask("order_events", "snapshots");
	t = snapshot_find_table(s, "snapshots");
	assert_int_equal(t->n_rows, 205);
	assert_string_equal(table_get(t, 0, "refs").u.s, "main");
	for (size_t i = 0; i + 1 < t->n_rows; i++) {
		assert_int_equal(table_get(t, i, "parent").u.i, table_get(t, i + 1, "snapshot").u.i);
		assert_int_equal(table_get(t, i, "depth").u.i, 0);
	}
	snapshot_unref(s);
	s = ask("order_events", "growth");
	t = snapshot_find_table(s, "growth");
	assert_int_equal(t->n_rows, 205);
	assert_int_equal(table_get(t, 0, "files").u.i, 1);
	assert_int_equal(table_get(t, 204, "files").u.i, 205);
	snapshot_unref(s);
	s = ask("order_events", "log");
	assert_int_equal(snapshot_find_table(s, "log")->n_rows, 101);
	snapshot_unref(s);
}

/* One line of eleven, of which a tag and two branches leave. */
static void branches_stand_under_where_they_left(void **state)
{
	static const char json[] = "{\"format-version\":2,\"table-uuid\":\"b1224882-3005-4051-bf41-6480513cfd32\",\"location\":\"s3://lakehouse/t\","
		"\"last-updated-ms\":9000,\"last-sequence-number\":9,\"last-column-id\":1,\"current-snapshot-id\":3,"
		"\"schemas\":[{\"schema-id\":0,\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"int\"},"
		"{\"id\":2,\"name\":\"gone\",\"required\":false,\"type\":\"string\"}]},"
		"{\"schema-id\":1,\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"b\",\"required\":true,\"type\":\"int\"},"
		"{\"id\":3,\"name\":\"new\",\"required\":false,\"type\":\"long\"}]}],\"current-schema-id\":1,"
		"\"partition-specs\":[{\"spec-id\":0,\"fields\":[]}],\"default-spec-id\":0,\"sort-orders\":[{\"order-id\":0,\"fields\":[]}],"
		"\"default-sort-order-id\":0,\"properties\":{\"write.x\":\"7\"},\"refs\":{\"main\":{\"snapshot-id\":3,\"type\":\"branch\"},"
		"\"audit\":{\"snapshot-id\":21,\"type\":\"branch\"},\"old\":{\"snapshot-id\":2,\"type\":\"tag\",\"max-ref-age-ms\":86400000},"
		"\"deep\":{\"snapshot-id\":31,\"type\":\"branch\"}},\"snapshots\":["
		"{\"snapshot-id\":1,\"parent-snapshot-id\":99,\"timestamp-ms\":1000,\"summary\":{\"operation\":\"append\",\"total-data-files\":\"5\"},\"manifest-list\":\"x\"},"
		"{\"snapshot-id\":2,\"parent-snapshot-id\":1,\"timestamp-ms\":2000,\"summary\":{\"operation\":\"replace\",\"added-data-files\":\"1\","
		"\"deleted-data-files\":\"5\",\"total-data-files\":\"1\"},\"manifest-list\":\"x\"},"
		"{\"snapshot-id\":20,\"parent-snapshot-id\":1,\"timestamp-ms\":3000,\"summary\":{\"operation\":\"append\"},\"manifest-list\":\"x\"},"
		"{\"snapshot-id\":21,\"parent-snapshot-id\":20,\"timestamp-ms\":4000,\"summary\":{\"operation\":\"append\"},\"manifest-list\":\"x\"},"
		"{\"snapshot-id\":31,\"parent-snapshot-id\":20,\"timestamp-ms\":5000,\"summary\":{\"operation\":\"append\"},\"manifest-list\":\"x\"},"
		"{\"snapshot-id\":3,\"parent-snapshot-id\":2,\"timestamp-ms\":6000,\"summary\":{\"operation\":\"append\",\"total-data-files\":\"2\"},\"manifest-list\":\"x\"},"
		"{\"snapshot-id\":77,\"parent-snapshot-id\":76,\"timestamp-ms\":7000,\"summary\":{\"operation\":\"append\"},\"manifest-list\":\"x\"}"
		"],\"snapshot-log\":[],\"metadata-log\":[]}";
	static const struct { int64_t id, depth; const char *refs; } expected[] = {
		{3, 0, "main"}, {2, 0, "tag old"}, {1, 0, ""}, {31, 1, "deep"}, {20, 1, ""}, {21, 2, "audit"}, {77, 1, ""},
	};
	struct snapshot *s;
	const struct table *t;

	(void)state;
	lakehouse_put(world.l, world.at[7], text_of(json));
	snapshot_unref(look());
	s = ask("orders", "snapshots");
	if (s->err.code != ERR_NONE)
		fail_msg("%s", s->err.words);
	t = snapshot_find_table(s, "snapshots");
	assert_int_equal(t->n_rows, 7);
	for (size_t i = 0; i < 7; i++) {
		struct value refs = table_get(t, i, "refs");

		assert_int_equal(table_get(t, i, "snapshot").u.i, expected[i].id);
		assert_int_equal(table_get(t, i, "depth").u.i, expected[i].depth);
		assert_string_equal(refs.type == VALUE_TEXT ? refs.u.s : "", expected[i].refs);
	}
	snapshot_unref(s);
	s = ask("orders", "growth");
	t = snapshot_find_table(s, "growth");
	assert_int_equal(t->n_rows, 3);
	assert_string_equal(table_get(t, 0, "maintenance").u.s, "expired");
	assert_string_equal(table_get(t, 1, "maintenance").u.s, "compacted");
	assert_int_equal(table_get(t, 2, "maintenance").type, VALUE_UNKNOWN);
	snapshot_unref(s);
	s = ask("orders", "refs");
	t = snapshot_find_table(s, "refs");
	assert_int_equal(t->n_rows, 4);
	snapshot_unref(s);
	s = ask("orders", "schema");
	t = snapshot_find_table(s, "schema");
	assert_int_equal(t->n_rows, 5);
	assert_string_equal(table_get(t, 0, "change").u.s, "renamed from a");
	assert_string_equal(table_get(t, 1, "change").u.s, "added");
	assert_string_equal(table_get(t, 2, "change").u.s, "dropped");
	assert_string_equal(table_get(t, 2, "column").u.s, "gone");
	assert_int_equal(table_get(t, 3, "schema").u.i, 0);
	assert_int_equal(table_get(t, 3, "change").type, VALUE_UNKNOWN);
	snapshot_unref(s);
	s = ask("orders", "properties");
	assert_int_equal(table_get(snapshot_find_table(s, "properties"), 0, "number").u.i, 7);
	snapshot_unref(s);
}

static void files_come_in_the_order_that_was_asked_for(void **state)
{
	static const char *const views[] = {"files", "files-smallest", "files-oldest"};

	(void)state;
	snapshot_unref(look());
	for (size_t v = 0; v < 3; v++) {
		struct snapshot *s = ask("order_events", views[v]);
		const struct table *t = snapshot_find_table(s, views[v]);
		int64_t bytes = 0;

		assert_int_equal(t->n_rows, 205);
		for (size_t i = 0; i < t->n_rows; i++) {
			struct value now = table_get(t, i, v == 2 ? "committed" : "bytes"), next = i + 1 < t->n_rows ? table_get(t, i + 1, v == 2 ? "committed" : "bytes") : now;

			assert_true(v == 0 ? now.u.i >= next.u.i : now.u.i <= next.u.i);
			bytes += table_get(t, i, "bytes").u.i;
			assert_int_equal(strncmp(table_get(t, i, "file").u.s, "data/", 5), 0);
		}
		assert_int_equal(bytes, truth_of("order_events", "data_bytes"));
		snapshot_unref(s);
	}
}

static void partitions_are_what_its_manifests_hold(void **state)
{
	struct snapshot *s;
	const struct table *t;
	int64_t files = 0;

	(void)state;
	snapshot_unref(look());
	s = ask("orders", "partitions");
	t = snapshot_find_table(s, "partitions");
	assert_int_equal(t->n_rows, truth_of("orders", "partitions"));
	for (size_t i = 0; i < t->n_rows; i++)
		files += table_get(t, i, "files").u.i;
	assert_int_equal(files, 28);
	snapshot_unref(s);
}

static void previews_are_asked_of_their_own_files(void **state)
{
	static const char *const views[] = {"compact", "expire", "manifests", "deletes"};

	(void)state;
	snapshot_unref(look());
	for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
		struct snapshot *s = ask("order_events", views[v]);

		if (s->err.code != ERR_NONE)
			fail_msg("%s: %s", views[v], s->err.words);
		assert_non_null(snapshot_find_table(s, views[v]));
		assert_int_equal(snapshot_get(s, "words").type, VALUE_TEXT);
		snapshot_unref(s);
	}
}

static void what_is_not_there_is_said(void **state)
{
	struct snapshot *s;

	(void)state;
	snapshot_unref(look());
	s = ask("order_events", "rows-of-gold");
	assert_non_null(strstr(s->err.words, "nothing that an Iceberg table has"));
	snapshot_unref(s);
	s = ask("nothing", "table");
	assert_non_null(strstr(s->err.words, "has no table kitchen.nothing"));
	snapshot_unref(s);
}

int main(void)
{
#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		WITH(rows_are_what_spark_counted),
		WITH(what_did_not_change_is_not_read_again),
		WITH(a_commit_is_read_and_a_dropped_table_vanishes),
		WITH(a_missing_metadata_file_is_a_word_in_its_row),
		WITH(a_catalog_without_a_pointer_is_a_word_in_its_row),
		WITH(a_metadata_file_that_is_none_is_a_word_in_its_row),
		WITH(a_format_to_come_is_refused_by_name),
		WITH(a_truncated_manifest_list_leaves_what_the_metadata_says),
		WITH(a_bomb_of_a_manifest_list_is_a_word_in_its_row),
		WITH(a_manifest_list_of_another_table_is_told),
		WITH(a_table_whose_name_looks_like_another_is_not_lost_without_a_word),
		WITH(names_are_told_before_anything_is_read),
		WITH(what_failed_is_tried_again_later_and_later_or_when_told),
		WITH(who_cannot_be_reached_is_not_asked_for_each_table),
		WITH(orphans_know_the_tables_of_every_catalog), WITH(its_facts_are_told_and_counted_if_they_were_not),
		WITH(deletes_are_told_by_kind_and_by_what_they_take_out),
		WITH(snapshots_come_newest_first),
		WITH(branches_stand_under_where_they_left),
		WITH(files_come_in_the_order_that_was_asked_for),
		WITH(partitions_are_what_its_manifests_hold),
		WITH(previews_are_asked_of_their_own_files),
		WITH(what_is_not_there_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
