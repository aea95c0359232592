// SPDX-License-Identifier: MIT
/*
 * What maintenance would do to a table, and which tables need it: every rule by itself, at its edge. Sizes and rules are those
 * of Iceberg 1.11.0; that the real procedures do the same is shown by tests/integration/test_plans.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../backend/tables/plan.h"
#include "fixture_server.h"

static const int64_t day = 86400000, now = 1795957511204, mib = 1 << 20;

/* ---- a table ---- */

static struct iceberg_property target_100[] = {{"write.target-file-size-bytes", "1000"}};

static struct iceberg_metadata table(void)
{
	return (struct iceberg_metadata){.format = 2, .properties = target_100, .n_properties = 1, .location = "s3://lake/t"};
}

static struct iceberg_file data(const char *partition, int64_t bytes)
{
	struct text t = text_of(partition);

	return (struct iceberg_file){.content = ICEBERG_DATA, .partition = t, .partition_key = plan_hash(t), .bytes = bytes, .records = 100,
		.sequence = 5, .path = TEXT("s3://lake/t/data/0.parquet")};
}

static struct iceberg_file deleting(const char *path, int64_t records, bool vector)
{
	return (struct iceberg_file){.content = ICEBERG_POSITION_DELETES, .referenced = text_of(path), .records = records, .sequence = 6,
		.vector = vector, .path = TEXT("s3://lake/t/data/d.parquet")};
}

static struct compact_plan plan_of(const struct iceberg_metadata *m, const struct iceberg_file *files, size_t n)
{
	struct compact *c = compact_new(m, 0, 0, 1 << 20);
	struct compact_plan out;

	assert_non_null(c);
	for (size_t i = 0; i < n; i++)
		assert_true(compact_take(c, &files[i]));
	assert_true(compact_end(c, &out, NULL));
	return out;
}

/* ---- sizes ---- */

static void sizes_are_those_of_the_procedure(void **state)
{
	static const struct {
		int64_t target, least, most;
		bool good;
	} rows[] = {
		{536870912, 402653184, 966367641, true}, {1000, 750, 1800, true}, {3, 2, 5, true}, {2, 1, 3, true},
		{1, 0, 1, false}, {0, 0, 0, false}, {-5, 0, 0, false}, {INT64_MAX, 6917529027641081856, INT64_MAX, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct plan_sizes z;

		assert_int_equal(plan_sizes_of(rows[i].target, &z), rows[i].good);
		if (rows[i].good)
			assert_true(z.least == rows[i].least && z.most == rows[i].most);
	}
}

static void a_group_becomes_as_many_files_as_stand_alone(void **state)
{
	static const struct {
		int64_t bytes, becomes;
	} rows[] = {
		{0, 1}, {999, 1}, {1000, 1}, {1001, 1}, {1099, 1}, /* a tenth more is let in */
		{1100, 2}, {1750, 2}, {1751, 2}, {2000, 2}, {2001, 2}, {2199, 2}, {2200, 3}, {2751, 3}, {10099, 10}, {10750, 10}, {10751, 11},
	};
	struct plan_sizes z;

	(void)state;
	assert_true(plan_sizes_of(1000, &z));
	assert_int_equal(z.write_most, 1400);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(plan_becomes(&z, rows[i].bytes), rows[i].becomes);
}

/* ---- compaction ---- */

static void a_file_is_taken_by_its_size(void **state)
{
	static const struct {
		int64_t bytes, candidates;
	} rows[] = {{0, 1}, {749, 1}, {750, 0}, {1000, 0}, {1800, 0}, {1801, 1}};
	struct iceberg_metadata m = table();

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct iceberg_file f = data("", rows[i].bytes);

		assert_int_equal(plan_of(&m, &f, 1).candidates, rows[i].candidates);
	}
}

static void a_group_is_kept_for_its_number_its_bytes_or_its_size(void **state)
{
	static const struct {
		size_t n;
		int64_t bytes, files;
		const char *why;
	} rows[] = {
		{4, 100, 0, "four small ones stay"}, {5, 100, 5, "five do not"}, {2, 500, 0, "together no more than the target"},
		{2, 501, 2, "together more than the target"}, {1, 700, 0, "one small one stays"}, {1, 1801, 1, "one that is too large is cut"},
	};
	struct iceberg_metadata m = table();

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct iceberg_file files[5];
		struct compact_plan p;

		for (size_t k = 0; k < rows[i].n; k++)
			files[k] = data("", rows[i].bytes);
		p = plan_of(&m, files, rows[i].n);
		if (p.files != rows[i].files)
			fail_msg("%s", rows[i].why);
		assert_int_equal(p.bytes, rows[i].files * rows[i].bytes);
	}
}

static void partitions_are_groups_of_their_own(void **state)
{
	struct iceberg_metadata m = table();
	struct iceberg_file files[10];
	struct compact_plan p;

	(void)state;
	for (size_t i = 0; i < 10; i++)
		files[i] = data(i < 6 ? "d=1" : "d=2", 10);
	p = plan_of(&m, files, 10);
	assert_int_equal(p.candidates, 10);
	assert_int_equal(p.files, 6);
	assert_int_equal(p.partitions, 1);
	assert_int_equal(p.becomes, 1);
}

static void files_of_other_specs_are_one_group(void **state)
{
	struct iceberg_metadata m = table();
	struct iceberg_file files[6];
	struct compact_plan p;

	(void)state;
	m.spec = 2;
	for (size_t i = 0; i < 6; i++) {
		files[i] = data(i % 2 ? "d=1" : "d=2", 10);
		files[i].spec = i < 3 ? 0 : 1;
	}
	p = plan_of(&m, files, 6);
	assert_int_equal(p.files, 6);
	assert_int_equal(p.groups, 1);
	assert_int_equal(p.other_specs, 6);
}

static void three_in_ten_rows_deleted_are_enough(void **state)
{
	static const struct {
		int64_t records, deleted, candidates;
		bool vector;
	} rows[] = {{100, 29, 0, false}, {100, 30, 1, false}, {100, 30, 1, true}, {10, 3, 1, true}, {100, 500, 1, false}, {0, 5, 0, false}};
	struct iceberg_metadata m = table();

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct iceberg_file files[] = {deleting("s3://lake/t/data/0.parquet", rows[i].deleted, rows[i].vector), data("", 1000)};
		struct compact_plan p;

		files[1].records = rows[i].records;
		p = plan_of(&m, files, 2);
		assert_int_equal(p.candidates, rows[i].candidates);
		assert_int_equal(p.files, rows[i].candidates); /* alone in its group, it goes all the same */
		assert_int_equal(p.deletes, rows[i].candidates);
	}
}

static void a_file_without_a_row_left_becomes_none(void **state)
{
	static const struct {
		int64_t deleted, becomes;
		bool vector, twice;
	} rows[] = {{99, 1, true, false}, {100, 0, true, false}, {100, 0, false, false}, {50, 1, false, true}}; /* two may name the same rows */
	struct iceberg_metadata m = table();

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct iceberg_file d = deleting("s3://lake/t/data/0.parquet", rows[i].deleted, rows[i].vector), files[] = {d, d, data("", 1000)};
		struct compact_plan p = plan_of(&m, files + !rows[i].twice, rows[i].twice ? 3 : 2);

		assert_int_equal(p.files, 1);
		assert_int_equal(p.becomes, rows[i].becomes);
	}
}

static void only_deletes_of_that_file_alone_count(void **state)
{
	struct iceberg_metadata m = table();
	struct iceberg_file files[] = {deleting("", 90, false), deleting("", 90, false), deleting("s3://lake/t/data/1.parquet", 90, false), data("", 1000)};

	(void)state;
	files[0].partition_key = files[1].partition_key = files[3].partition_key;
	files[1].content = ICEBERG_EQUALITY_DELETES;
	assert_int_equal(plan_of(&m, files, 4).candidates, 0);
}

static void deletes_older_than_the_file_do_not_count(void **state)
{
	struct iceberg_metadata m = table();
	struct iceberg_file files[] = {deleting("s3://lake/t/data/0.parquet", 90, false), data("", 1000)};

	(void)state;
	files[0].sequence = 4;
	assert_int_equal(plan_of(&m, files, 2).candidates, 0);
	files[0].sequence = 5; /* of the same commit */
	assert_int_equal(plan_of(&m, files, 2).candidates, 1);
}

static void several_deletes_of_a_file_add_up_and_a_vector_replaces_them(void **state)
{
	struct iceberg_metadata m = table();
	struct iceberg_file files[] = {deleting("s3://lake/t/data/0.parquet", 20, false), deleting("s3://lake/t/data/0.parquet", 10, false), data("", 1000)};

	(void)state;
	assert_int_equal(plan_of(&m, files, 3).candidates, 1);
	files[1].vector = true;
	assert_int_equal(plan_of(&m, files, 3).candidates, 0);
}

static void deletes_of_a_partition_are_counted_with_its_files(void **state)
{
	struct iceberg_metadata m = table();
	struct iceberg_file files[8];

	(void)state;
	files[0] = deleting("", 9, false);
	files[1] = deleting("", 9, false);
	files[2] = deleting("", 9, false);
	files[2].content = ICEBERG_EQUALITY_DELETES;
	files[2].sequence = 5; /* these are of what came before */
	for (size_t i = 3; i < 8; i++)
		files[i] = data("d=1", 10);
	files[0].partition_key = files[2].partition_key = files[3].partition_key;
	assert_int_equal(plan_of(&m, files, 8).deletes, 1);
	files[2].sequence = 6;
	assert_int_equal(plan_of(&m, files, 8).deletes, 2);
}

static void bins_end_at_a_hundred_gib(void **state)
{
	static const struct iceberg_property gib[] = {{"write.target-file-size-bytes", "1073741824"}};
	struct iceberg_metadata m = table();
	struct iceberg_file files[101];
	struct compact_plan p;

	(void)state;
	m.properties = gib;
	for (size_t i = 0; i < 101; i++)
		files[i] = data("", 2LL << 30);
	p = plan_of(&m, files, 50);
	assert_int_equal(p.groups, 1); /* exactly full */
	p = plan_of(&m, files, 51);
	assert_int_equal(p.groups, 2); /* the last alone is too large a file, and goes as well */
	assert_int_equal(p.files, 51);
	assert_int_equal(p.becomes, 102);
}

static void a_target_that_is_no_size_is_refused(void **state)
{
	static const struct iceberg_property one[] = {{"write.target-file-size-bytes", "1"}};
	struct iceberg_metadata m = table();

	(void)state;
	m.properties = one;
	assert_null(compact_new(&m, 0, 0, 1 << 20));
}

static void a_million_files_cost_their_partitions_alone(void **state)
{
	struct iceberg_metadata m = table();
	struct compact *c = compact_new(&m, 0, 0, 128 << 10);
	struct compact_plan out;

	(void)state;
	for (size_t i = 0; i < 1000000; i++) {
		char name[20];
		struct iceberg_file f;

		snprintf(name, sizeof name, "d=%zu", i % 100);
		f = data(name, 10);
		assert_true(compact_take(c, &f));
	}
	assert_true(compact_end(c, &out, NULL));
	assert_int_equal(out.files, 1000000);
	assert_int_equal(out.partitions, 100);
	assert_int_equal(out.becomes, 100 * 100);
}

static void memory_that_is_used_up_is_said(void **state)
{
	struct iceberg_metadata m = table();
	struct compact *c = compact_new(&m, 0, 0, 64 << 10);
	struct compact_plan out;
	struct err err = {0};
	bool good = true;

	(void)state;
	for (size_t i = 0; i < 100000 && good; i++) {
		char name[20];
		struct iceberg_file f;

		snprintf(name, sizeof name, "d=%zu", i);
		f = data(name, 10);
		good = compact_take(c, &f);
	}
	assert_false(good);
	assert_false(compact_end(c, &out, &err));
	assert_int_equal(err.code, ERR_LIMIT);
}

static uint64_t seed = 88172645463325252ULL;
static uint64_t dice(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

static void the_order_of_partitions_changes_nothing(void **state)
{
	struct iceberg_metadata m = table();

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct iceberg_file files[60];
		struct compact_plan one, other;
		size_t n = 1 + (size_t)dice(60);

		for (size_t i = 0; i < n; i++) {
			static const char *const names[] = {"d=1", "d=2", "d=3", "d=4"};

			files[i] = data(names[dice(4)], (int64_t)dice(2000));
			files[i].spec = dice(10) ? 0 : 1;
		}
		one = plan_of(&m, files, n);
		for (size_t i = n; i > 1; i--) {
			size_t k = (size_t)dice(i);
			struct iceberg_file f = files[i - 1];

			files[i - 1] = files[k];
			files[k] = f;
		}
		other = plan_of(&m, files, n);
		assert_memory_equal(&one, &other, sizeof one);
		assert_true(one.files <= one.candidates && one.becomes <= one.files + one.bytes / one.least);
	}
}

/* ---- expiry ---- */

struct history {
	struct iceberg_metadata m;
	struct iceberg_snapshot snapshots[40];
	struct iceberg_ref refs[8];
	struct iceberg_property properties[4];
	bool marks[40];
	struct expire_plan plan;
};

/* n snapshots in a line, a day apart, the last one of now; main at the last. */
static void line(struct history *h, size_t n)
{
	*h = (struct history){0};
	for (size_t i = 0; i < n; i++)
		h->snapshots[i] = (struct iceberg_snapshot){.id = (int64_t)i + 1, .parent = i ? (int64_t)i : -1, .when = now - (int64_t)(n - 1 - i) * day,
			.manifest_list = "", .kept = true};
	h->refs[0] = (struct iceberg_ref){.name = "main", .snapshot = (int64_t)n, .branch = true, .min_snapshots = -1, .max_snapshot_age = -1,
		.max_ref_age = -1};
	h->m = (struct iceberg_metadata){.snapshots = h->snapshots, .n_snapshots = n, .n_snapshots_all = n, .refs = h->refs, .n_refs = 1,
		.properties = h->properties, .has_current = true, .current = (int64_t)n, .format = 2};
}

static void add_ref(struct history *h, const char *name, bool branch, int64_t snapshot)
{
	h->refs[h->m.n_refs++] = (struct iceberg_ref){.name = name, .snapshot = snapshot, .branch = branch, .min_snapshots = -1,
		.max_snapshot_age = -1, .max_ref_age = -1};
}

static void set(struct history *h, const char *key, const char *value)
{
	h->properties[h->m.n_properties++] = (struct iceberg_property){key, value};
}

static void expire(struct history *h, int64_t older_than, int64_t retain_last, struct arena *arena)
{
	memset(h->marks, 0, sizeof h->marks);
	expire_mark(&h->m, now, older_than, retain_last, h->marks, &h->plan, arena);
}

/* "1 2 5": ids that go */
static void assert_goes(const struct history *h, const char *ids)
{
	char out[200] = "";
	size_t len = 0;

	for (size_t i = 0; i < h->m.n_snapshots; i++)
		if (h->marks[i])
			len += (size_t)snprintf(out + len, sizeof out - len, "%s%lld", len ? " " : "", (long long)h->snapshots[i].id);
	assert_string_equal(out, ids);
}

static void five_days_and_the_head_stay(void **state)
{
	struct history h;

	(void)state;
	line(&h, 10); /* 1 is nine days old, 5 is five */
	expire(&h, 0, 0, NULL);
	assert_goes(&h, "1 2 3 4");
	assert_int_equal(h.plan.snapshots, 4);
	assert_int_equal(h.plan.kept, 6);
	assert_int_equal(h.plan.cutoff, now - 5 * day); /* exactly five days: stays */
	expire(&h, now + 1, 0, NULL);
	assert_goes(&h, "1 2 3 4 5 6 7 8 9");
	expire(&h, now + 1, 3, NULL);
	assert_goes(&h, "1 2 3 4 5 6 7");
	expire(&h, 1, 0, NULL);
	assert_goes(&h, "");
}

static void the_table_has_a_policy_of_its_own(void **state)
{
	struct history h;

	(void)state;
	line(&h, 10);
	set(&h, "history.expire.max-snapshot-age-ms", "172800000");
	expire(&h, 0, 0, NULL);
	assert_goes(&h, "1 2 3 4 5 6 7");
	set(&h, "history.expire.min-snapshots-to-keep", "5");
	expire(&h, 0, 0, NULL);
	assert_goes(&h, "1 2 3 4 5");
	expire(&h, now + 1, 1, NULL); /* what the call says goes first */
	assert_goes(&h, "1 2 3 4 5 6 7 8 9");
}

static void a_branch_has_a_policy_of_its_own_and_the_call_does_not_change_it(void **state)
{
	struct history h;

	(void)state;
	line(&h, 10);
	h.refs[0].max_snapshot_age = 8 * day;
	expire(&h, now + 1, 1, NULL);
	assert_goes(&h, "1");
	h.refs[0].max_snapshot_age = day;
	h.refs[0].min_snapshots = 7;
	expire(&h, 0, 0, NULL);
	assert_goes(&h, "1 2 3");
}

static void the_first_that_fails_ends_the_line(void **state)
{
	struct history h;

	(void)state;
	line(&h, 10);
	h.snapshots[0].when = now; /* clocks differ: an old one looks young */
	expire(&h, 0, 0, NULL);
	assert_goes(&h, "1 2 3 4");
}

static void tags_and_branches_protect(void **state)
{
	struct arena *arena = arena_new(1 << 16);
	struct history h;

	(void)state;
	line(&h, 10);
	add_ref(&h, "audit", false, 2);
	add_ref(&h, "old", true, 4);
	h.refs[2].min_snapshots = 2;
	expire(&h, 0, 0, arena);
	assert_goes(&h, "1"); /* 2 by the tag, 4 and 3 by the branch */
	assert_string_equal(h.plan.words, "branch old keeps 2, tag audit keeps 1");
	h.refs[1].max_ref_age = day; /* the tag is too old, and goes */
	expire(&h, 0, 0, arena);
	assert_goes(&h, "1 2");
	assert_int_equal(h.plan.refs, 1);
	h.refs[1].max_ref_age = -1;
	set(&h, "history.expire.max-ref-age-ms", "1000");
	expire(&h, 0, 0, arena);
	assert_goes(&h, "1 2 3 4"); /* main stays whatever its age */
	assert_int_equal(h.plan.refs, 2);
	arena_free(arena);
}

static void a_ref_to_nowhere_goes(void **state)
{
	struct history h;

	(void)state;
	line(&h, 3);
	add_ref(&h, "lost", false, 77);
	expire(&h, 0, 0, NULL);
	assert_goes(&h, "");
	assert_int_equal(h.plan.refs, 1);
}

static void what_no_ref_leads_to_stays_while_it_is_young(void **state)
{
	struct history h;

	(void)state;
	line(&h, 10);
	h.snapshots[2].parent = h.snapshots[8].parent = -1; /* 1, 2 and 8, 7 ... belong to nobody */
	h.refs[0].snapshot = 10;
	h.snapshots[9].parent = 9;
	expire(&h, 0, 0, NULL);
	assert_goes(&h, "1 2 3 4");
	expire(&h, now, 0, NULL);
	assert_goes(&h, "1 2 3 4 5 6 7 8 9");
}

static void where_nothing_may_go_it_is_said(void **state)
{
	struct history h;

	(void)state;
	line(&h, 10);
	set(&h, "gc.enabled", "false");
	expire(&h, now + 1, 1, NULL);
	assert_goes(&h, "");
	assert_non_null(strstr(h.plan.words, "gc.enabled is false"));
	line(&h, 10);
	h.m.nessie = true;
	expire(&h, now + 1, 1, NULL);
	assert_goes(&h, "");
	assert_non_null(strstr(h.plan.words, "Nessie"));
}

static void a_circle_of_parents_ends(void **state)
{
	struct history h;

	(void)state;
	line(&h, 10);
	h.snapshots[0].parent = 10;
	h.refs[0].min_snapshots = 1000;
	expire(&h, now + 1, 0, NULL);
	assert_goes(&h, "");
}

static void an_expiry_never_drops_what_a_ref_that_stays_is_at(void **state)
{
	(void)state;
	for (int round = 0; round < 500; round++) {
		struct history h;
		size_t n = 1 + (size_t)dice(39);

		line(&h, n);
		for (size_t i = 0; i < n; i++) {
			h.snapshots[i].parent = dice(4) && i ? (int64_t)(1 + dice(i)) : -1;
			h.snapshots[i].when = now - (int64_t)dice(20) * day;
		}
		for (size_t i = dice(6); i; i--) {
			add_ref(&h, "r", dice(2) == 0, 1 + (int64_t)dice(n));
			h.refs[h.m.n_refs - 1].min_snapshots = (int64_t)dice(4) - 1;
			h.refs[h.m.n_refs - 1].max_snapshot_age = dice(2) ? -1 : (int64_t)dice(20) * day;
		}
		expire(&h, dice(2) ? 0 : now - (int64_t)dice(20) * day, (int64_t)dice(3), NULL);
		for (size_t i = 0; i < h.m.n_refs; i++)
			assert_false(h.marks[h.refs[i].snapshot - 1]);
		assert_int_equal(h.plan.snapshots + h.plan.kept, n);
	}
}

/* ---- SQL ---- */

static void names_are_quoted_whatever_is_in_them(void **state)
{
	static const struct {
		const char *engine, *table, *sql;
	} rows[] = {
		{"lake", "bronze.orders", "CALL `lake`.system.p(table => '`lake`.`bronze`.`orders`', x => 1)"},
		{"my-lake", "a.\"b.c\".d", "CALL `my-lake`.system.p(table => '`my-lake`.`a`.`b.c`.`d`', x => 1)"},
		{"l`ke", "a.b'c\\d`e", "CALL `l``ke`.system.p(table => '`l``ke`.`a`.`b\\'c\\\\d``e`', x => 1)"},
		{"lake", "a.b\nc", ""}, {"lake", "", ""}, {"", "a.b", ""}, {"lake", "a..b", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct plan_about a = {.engine = rows[i].engine, .table = rows[i].table};
		struct buf b;

		buf_init(&b, 1000);
		assert_int_equal(plan_call(&b, &a, "p", ", x => 1"), rows[i].sql[0] != '\0');
		assert_string_equal(b.at ? b.at : "", rows[i].sql);
		buf_free(&b);
	}
}

/* ---- health ---- */

struct patient {
	struct history h;
	struct iceberg_partition partitions[10];
	struct iceberg_spec specs[1];
	struct iceberg_truth t;
	struct table_health health;
};

static void fit(struct patient *p)
{
	*p = (struct patient){0};
	line(&p->h, 3);
	p->specs[0] = (struct iceberg_spec){.id = 0, .words = "days(ts)", .n_fields = 1};
	p->h.m.specs = p->specs;
	p->h.m.n_specs = 1;
	p->t = (struct iceberg_truth){.measured = MEASURE_EXACT, .files = 10, .bytes = 10 * 512 * mib, .records = 1000, .manifests = 3,
		.manifest_bytes = 20000, .partitions = p->partitions, .n_partitions = 2, .n_partitions_all = 2, .mistrust = ""};
	p->partitions[0] = (struct iceberg_partition){.files = 6, .bytes = 6 * 512 * mib};
	p->partitions[1] = (struct iceberg_partition){.files = 4, .bytes = 4 * 512 * mib};
}

static void assert_health(struct patient *p, enum table_grade grade, unsigned due, const char *words)
{
	iceberg_health(&p->h.m, &p->t, now, &p->health);
	assert_string_equal(p->health.words, words);
	assert_int_equal(p->health.grade, grade);
	assert_int_equal(p->health.due, due);
	assert_true((p->health.weight > 0) == (due != 0));
}

static void a_table_without_work_is_good_and_silent(void **state)
{
	struct patient p;

	(void)state;
	fit(&p);
	assert_health(&p, GRADE_GOOD, 0, "");
	p.partitions[0].small = 4;
	p.t.small = 4;
	assert_health(&p, GRADE_GOOD, 0, ""); /* four are left alone by the procedure too */
	p.t.measured = MEASURE_SUMMARY;
	p.t.n_partitions = 0;
	assert_health(&p, GRADE_UNKNOWN, 0, ""); /* not looked at is not good */
}

static void five_small_files_in_one_partition_are_due_and_a_hundred_and_one_ill(void **state)
{
	struct patient p;

	(void)state;
	fit(&p);
	p.partitions[0].small = p.t.small = 5;
	assert_health(&p, GRADE_DUE, DUE_COMPACT, "50 % of files are under 384 MiB");
	p.partitions[0].files = p.partitions[0].small = 100;
	p.t.files = 104;
	p.t.small = 100;
	assert_health(&p, GRADE_DUE, DUE_COMPACT, "96 % of files are under 384 MiB");
	p.partitions[0].files = p.partitions[0].small = p.t.small = 101;
	p.t.files = 105;
	assert_health(&p, GRADE_ILL, DUE_COMPACT, "96 % of files are under 384 MiB");
}

static void a_summary_alone_can_prove_small_files_where_there_is_one_partition(void **state)
{
	struct patient p;

	(void)state;
	fit(&p);
	p.specs[0].n_fields = 0;
	p.t.measured = MEASURE_SUMMARY;
	p.t.n_partitions = 0;
	p.t.small = -1;
	p.t.files = 205;
	p.t.bytes = 227192;
	assert_health(&p, GRADE_ILL, DUE_COMPACT, "100 % of files are under 384 MiB");
	p.t.bytes = 205LL * 512 * mib;
	assert_health(&p, GRADE_UNKNOWN, 0, "");
}

static void rows_that_are_deleted_are_ill_at_three_tenths(void **state)
{
	struct patient p;

	(void)state;
	fit(&p);
	p.t.position_deletes = 299;
	assert_health(&p, GRADE_GOOD, 0, "");
	p.t.position_deletes = 300;
	assert_health(&p, GRADE_ILL, DUE_COMPACT, "30 % of its rows are deleted ones");
}

static void more_than_twenty_snapshots_past_their_policy_are_due(void **state)
{
	struct patient p;

	(void)state;
	fit(&p);
	line(&p.h, 26); /* six are young enough */
	p.h.m.specs = p.specs;
	p.h.m.n_specs = 1;
	assert_health(&p, GRADE_GOOD, 0, "");
	line(&p.h, 27);
	assert_health(&p, GRADE_DUE, DUE_EXPIRE, "27 snapshots, the oldest 26 d");
	p.h.m.nessie = true;
	assert_health(&p, GRADE_GOOD, 0, "");
}

static void manifests_deletes_and_metadata_are_due_by_their_own_rules(void **state)
{
	static const struct iceberg_property drops[] = {{"write.metadata.delete-after-commit.enabled", "true"}};
	struct patient p;

	(void)state;
	fit(&p);
	p.t.manifests = 9;
	assert_health(&p, GRADE_GOOD, 0, "");
	p.t.manifests = 10;
	assert_health(&p, GRADE_DUE, DUE_MANIFESTS, "10 manifests where 1 would do");
	p.t.manifest_bytes = 40 * mib;
	assert_health(&p, GRADE_GOOD, 0, "");
	fit(&p);
	p.t.position_files = p.partitions[1].delete_files = 5;
	assert_health(&p, GRADE_DUE, DUE_DELETES, "5 position delete files");
	p.h.m.format = 3;
	assert_health(&p, GRADE_GOOD, 0, "");
	fit(&p);
	p.h.m.bytes = 9 * mib;
	assert_health(&p, GRADE_DUE, DUE_METADATA, "metadata.json has 9.0 MiB");
	fit(&p);
	p.h.m.bytes = 200000;
	p.h.m.n_log = 100;
	p.t.bytes = 227192;
	assert_health(&p, GRADE_DUE, DUE_METADATA, "its old metadata.json are larger than its data");
	p.h.m.properties = drops;
	p.h.m.n_properties = 1;
	assert_health(&p, GRADE_GOOD, 0, "");
}

static void few_partitions_that_hold_most_files_are_named(void **state)
{
	struct patient p;

	(void)state;
	fit(&p);
	p.t.n_partitions = p.t.n_partitions_all = 10;
	for (size_t i = 0; i < 10; i++)
		p.partitions[i] = (struct iceberg_partition){.files = i < 2 ? 90 : 4, .small = i < 2 ? 90 : 0, .bytes = 1};
	p.t.files = 212;
	p.t.small = 180;
	assert_health(&p, GRADE_DUE, DUE_COMPACT, "84 % of files are under 384 MiB; 2 partitions of 10 hold 80 % of the files");
}

static void more_work_saved_for_less_weighs_more(void **state)
{
	struct patient cheap, dear;

	(void)state;
	fit(&cheap);
	fit(&dear);
	cheap.partitions[0] = (struct iceberg_partition){.files = 100, .small = 100, .bytes = 100 * mib};
	dear.partitions[0] = (struct iceberg_partition){.files = 100, .small = 100, .bytes = 100 * 300 * mib};
	cheap.t.files = dear.t.files = cheap.t.small = dear.t.small = 100;
	iceberg_health(&cheap.h.m, &cheap.t, now, &cheap.health);
	iceberg_health(&dear.h.m, &dear.t, now, &dear.health);
	assert_true(cheap.health.weight > 10 * dear.health.weight);
}

/* ---- statistics ---- */

static void statistics_of_both_kinds_are_known_with_their_snapshot(void **state)
{
	static const char json[] = "{\"format-version\":2,\"table-uuid\":\"u\",\"location\":\"s3://lake/t\",\"last-updated-ms\":1,"
		"\"last-sequence-number\":1,\"last-column-id\":0,\"current-schema-id\":0,\"schemas\":[{\"type\":\"struct\",\"schema-id\":0,\"fields\":[]}],"
		"\"default-spec-id\":0,\"partition-specs\":[{\"spec-id\":0,\"fields\":[]}],\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,"
		"\"fields\":[]}],\"properties\":{},\"current-snapshot-id\":-1,\"snapshots\":[],"
		"\"statistics\":[{\"snapshot-id\":9007199254740993,\"statistics-path\":\"s3://lake/t/metadata/a.stats\",\"file-size-in-bytes\":5,"
		"\"blob-metadata\":[{\"type\":\"x\",\"snapshot-id\":4,\"sequence-number\":1,\"fields\":[1]}]}],"
		"\"partition-statistics\":[{\"snapshot-id\":7,\"statistics-path\":\"s3://lake/t/metadata/b.parquet\",\"file-size-in-bytes\":5}]}";
	struct iceberg_reader *r = iceberg_reader_new();
	struct iceberg_metadata *m;
	struct err err = {0};

	(void)state;
	assert_true(iceberg_reader_feed(r, json, sizeof json - 1, &err));
	m = iceberg_reader_finish(r, &err);
	assert_non_null(m);
	assert_int_equal(m->n_statistics, 2);
	assert_string_equal(m->statistics[0].file, "s3://lake/t/metadata/a.stats");
	assert_int_equal(m->statistics_ids[0], 9007199254740993);
	assert_string_equal(m->statistics[1].file, "s3://lake/t/metadata/b.parquet");
	assert_int_equal(m->statistics_ids[1], 7);
	iceberg_metadata_free(m);
}

/* ---- orphans, in a folder ---- */

struct folder {
	char path[40], url[60], named[100], metadata[100];
	struct iceberg_log log[1], statistics[1];
	struct iceberg_metadata m;
	struct plan_place others[1];
	struct plan_about a;
	struct fake_probe f;
	struct snapshot *s;
};

static void put_file(const struct folder *d, const char *name, int64_t when, const char *words)
{
	char path[200];
	struct timespec times[2] = {{.tv_sec = (time_t)(when / 1000)}, {.tv_sec = (time_t)(when / 1000)}};
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", d->path, name);
	assert_non_null(f = fopen(path, "w"));
	fputs(words, f);
	fclose(f);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void make_folder(struct folder *d)
{
	static const char *const folders[] = {"", "/metadata", "/data", "/data/_x", "/data/p=1"};

	*d = (struct folder){.path = "/tmp/laketop-plan-XXXXXX"};
	assert_non_null(mkdtemp(d->path));
	for (size_t i = 1; i < sizeof folders / sizeof *folders; i++) {
		char path[80];

		snprintf(path, sizeof path, "%s%s", d->path, folders[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	snprintf(d->url, sizeof d->url, "file:%s", d->path);
	snprintf(d->metadata, sizeof d->metadata, "file://%s/metadata/v2.metadata.json", d->path); /* spelled otherwise, and the same */
	snprintf(d->named, sizeof d->named, "%s/metadata/v1.metadata.json", d->url);
	d->log[0].file = d->named;
	d->m = (struct iceberg_metadata){.location = d->url, .log = d->log, .n_log = 1, .n_log_all = 1, .uuid = "u-1", .format = 2};
	d->a = (struct plan_about){.table = "a.b", .engine = "lake", .metadata = d->metadata, .others = d->others, .now = now,
		.budget = {.bytes = 1 << 20, .files = 10, .memory = 1 << 20}};
	fake_probe_begin(&d->f, (struct endpoint){.port = 0}, 60000);
	for (size_t i = 0; i < 2; i++)
		put_file(d, i ? "metadata/v2.metadata.json" : "metadata/v1.metadata.json", now - 9 * day, "{}");
	put_file(d, "metadata/version-hint.text", now - 9 * day, "2");
	put_file(d, "data/old.parquet", now - 4 * day, "12345");
	put_file(d, "data/p=1/two days.parquet", now - 2 * day, "123");
	put_file(d, "data/young.parquet", now - day / 2, "1");
	put_file(d, "data/_x/hidden.parquet", now - 9 * day, "1");
	put_file(d, ".hidden", now - 9 * day, "1");
}

static void ask_orphans(struct folder *d)
{
	struct storage none = {0};

	snapshot_unref(d->s);
	d->s = snapshot_new("t", PART_ANSWER);
	assert_true(plan_orphans(&d->f.p, &none, &d->m, &d->a, d->s));
}

static void assert_orphans(const struct folder *d, int64_t n, const char *first)
{
	const struct table *t = snapshot_find_table(d->s, "orphans");

	assert_non_null(t);
	assert_int_equal(t->n_rows, n);
	assert_int_equal(snapshot_get(d->s, "sql").type == VALUE_TEXT, n > 0);
	if (n)
		assert_string_equal(table_get(t, 0, "what").u.s, first);
}

static void end_folder(struct folder *d)
{
	const char *argv[] = {"rm", "-r", d->path, NULL};
	struct buf out, errors;

	buf_init(&out, 100);
	buf_init(&errors, 100);
	assert_int_equal(d->f.p.host->exec(d->f.p.host, argv, &out, &errors, wait_for(60000, -1), NULL), 0);
	buf_free(&out);
	buf_free(&errors);
	snapshot_unref(d->s);
	fake_probe_end(&d->f);
}

static void an_orphan_is_old_seen_and_named_by_nothing(void **state)
{
	struct folder d;

	(void)state;
	make_folder(&d);
	ask_orphans(&d);
	assert_orphans(&d, 1, "data/old.parquet");
	assert_int_equal(snapshot_get(d.s, "bytes").u.i, 5);
	d.a.older_than = now; /* the guard of a day stands whatever is asked for */
	ask_orphans(&d);
	assert_int_equal(snapshot_get(d.s, "files").u.i, 2);
	assert_int_equal(snapshot_get(d.s, "cutoff").u.i, now - day);
	d.statistics[0].file = d.named; /* what the table names is none, whatever names it */
	snprintf(d.named, sizeof d.named, "%s/data/old.parquet", d.url);
	d.m.statistics = d.statistics;
	d.m.n_statistics = 1;
	d.a.older_than = 0;
	d.m.n_log = d.m.n_log_all = 0;
	put_file(&d, "metadata/v1.metadata.json", now, "{}");
	ask_orphans(&d);
	assert_orphans(&d, 0, NULL);
	end_folder(&d);
}

static void no_orphan_is_proposed_where_another_table_may_be(void **state)
{
	struct folder d;
	char inner[80];

	(void)state;
	make_folder(&d);
	d.a.n_others = 1;
	snprintf(inner, sizeof inner, "%s/data/inner/", d.path);
	d.others[0] = (struct plan_place){"a.c", inner};
	ask_orphans(&d);
	assert_orphans(&d, 0, NULL);
	snprintf(inner, sizeof inner, "file:%s//", d.path);
	ask_orphans(&d);
	assert_orphans(&d, 0, NULL);
	assert_non_null(strstr(snapshot_get(d.s, "words").u.s, "a.c lies in the same folder"));
	snprintf(inner, sizeof inner, "%s_2", d.path);
	ask_orphans(&d);
	assert_orphans(&d, 1, "data/old.parquet");
	d.a.untold = "which tables polaris has is not known: connection refused";
	ask_orphans(&d);
	assert_orphans(&d, 0, NULL);
	assert_non_null(strstr(snapshot_get(d.s, "words").u.s, "nothing may be removed: which tables polaris has"));
	d.a.untold = "";
	d.a.caution = "polaris is down";
	ask_orphans(&d);
	assert_orphans(&d, 1, "data/old.parquet");
	assert_non_null(strstr(snapshot_get(d.s, "caution").u.s, "same folder, and polaris is down; compare"));
	put_file(&d, "metadata/v7.metadata.json", now, "{}"); /* of whom is not known, however young */
	ask_orphans(&d);
	assert_orphans(&d, 0, NULL);
	end_folder(&d);
}

static void no_orphan_is_proposed_where_not_all_was_read(void **state)
{
	static const struct iceberg_property off[] = {{"gc.enabled", "false"}};
	struct folder d;

	(void)state;
	make_folder(&d);
	d.a.budget.memory = 100;
	ask_orphans(&d);
	assert_orphans(&d, 0, NULL);
	assert_non_null(strstr(snapshot_get(d.s, "words").u.s, "not counted"));
	d.a.budget.memory = 1 << 20;
	d.m.n_log_all = 2;
	ask_orphans(&d);
	assert_orphans(&d, 0, NULL);
	d.m.n_log_all = 1;
	d.m.nessie = true;
	ask_orphans(&d);
	assert_orphans(&d, 0, NULL);
	d.m.nessie = false;
	d.m.properties = off;
	d.m.n_properties = 1;
	ask_orphans(&d);
	assert_orphans(&d, 0, NULL);
	end_folder(&d);
}

/* ---- maps ---- */

static void a_map_keeps_to_its_memory_and_gives_it_back(void **state)
{
	int64_t memory = 1 << 16;
	struct plan_map map = {.memory = &memory};
	uint64_t n = 0;
	int64_t *value;

	(void)state;
	while ((value = plan_map_add(&map, n * 977)))
		*value = (int64_t)++n;
	assert_true(n > 1000 && n < 4096);
	for (uint64_t i = 0; i < n; i++)
		assert_int_equal(*plan_map_find(&map, i * 977), i + 1);
	assert_null(plan_map_find(&map, 5));
	plan_map_free(&map);
	assert_int_equal(memory, 1 << 16);
}

static void a_url_is_one_whatever_its_scheme_is_spelled(void **state)
{
	(void)state;
	assert_true(plan_hash_url(TEXT("s3://b/k")) == plan_hash_url(TEXT("s3a://b/k")));
	assert_true(plan_hash_url(TEXT("file:/b/k")) == plan_hash_url(TEXT("file:///b/k")));
	assert_true(plan_hash_url(TEXT("file:/b/k")) == plan_hash_url(TEXT("/b/k")));
	assert_true(plan_hash_url(TEXT("s3://b/k")) != plan_hash_url(TEXT("/b/k")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_those_of_the_procedure),
		cmocka_unit_test(a_group_becomes_as_many_files_as_stand_alone),
		cmocka_unit_test(a_file_is_taken_by_its_size),
		cmocka_unit_test(a_group_is_kept_for_its_number_its_bytes_or_its_size),
		cmocka_unit_test(partitions_are_groups_of_their_own),
		cmocka_unit_test(files_of_other_specs_are_one_group),
		cmocka_unit_test(three_in_ten_rows_deleted_are_enough),
		cmocka_unit_test(a_file_without_a_row_left_becomes_none),
		cmocka_unit_test(only_deletes_of_that_file_alone_count),
		cmocka_unit_test(deletes_older_than_the_file_do_not_count),
		cmocka_unit_test(several_deletes_of_a_file_add_up_and_a_vector_replaces_them),
		cmocka_unit_test(deletes_of_a_partition_are_counted_with_its_files),
		cmocka_unit_test(bins_end_at_a_hundred_gib),
		cmocka_unit_test(a_target_that_is_no_size_is_refused),
		cmocka_unit_test(a_million_files_cost_their_partitions_alone),
		cmocka_unit_test(memory_that_is_used_up_is_said),
		cmocka_unit_test(the_order_of_partitions_changes_nothing),
		cmocka_unit_test(five_days_and_the_head_stay),
		cmocka_unit_test(the_table_has_a_policy_of_its_own),
		cmocka_unit_test(a_branch_has_a_policy_of_its_own_and_the_call_does_not_change_it),
		cmocka_unit_test(the_first_that_fails_ends_the_line),
		cmocka_unit_test(tags_and_branches_protect),
		cmocka_unit_test(a_ref_to_nowhere_goes),
		cmocka_unit_test(what_no_ref_leads_to_stays_while_it_is_young),
		cmocka_unit_test(where_nothing_may_go_it_is_said),
		cmocka_unit_test(a_circle_of_parents_ends),
		cmocka_unit_test(an_expiry_never_drops_what_a_ref_that_stays_is_at),
		cmocka_unit_test(names_are_quoted_whatever_is_in_them),
		cmocka_unit_test(a_table_without_work_is_good_and_silent),
		cmocka_unit_test(five_small_files_in_one_partition_are_due_and_a_hundred_and_one_ill),
		cmocka_unit_test(a_summary_alone_can_prove_small_files_where_there_is_one_partition),
		cmocka_unit_test(rows_that_are_deleted_are_ill_at_three_tenths),
		cmocka_unit_test(more_than_twenty_snapshots_past_their_policy_are_due),
		cmocka_unit_test(manifests_deletes_and_metadata_are_due_by_their_own_rules),
		cmocka_unit_test(few_partitions_that_hold_most_files_are_named),
		cmocka_unit_test(more_work_saved_for_less_weighs_more),
		cmocka_unit_test(statistics_of_both_kinds_are_known_with_their_snapshot),
		cmocka_unit_test(an_orphan_is_old_seen_and_named_by_nothing),
		cmocka_unit_test(no_orphan_is_proposed_where_another_table_may_be),
		cmocka_unit_test(no_orphan_is_proposed_where_not_all_was_read),
		cmocka_unit_test(a_map_keeps_to_its_memory_and_gives_it_back),
		cmocka_unit_test(a_url_is_one_whatever_its_scheme_is_spelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
