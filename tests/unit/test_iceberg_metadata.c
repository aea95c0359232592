// SPDX-License-Identifier: MIT
/* metadata.json in all the shapes that writers give it, whole, cut off, packed, wrapped, endless. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <zlib.h>

#include "fixture_bytes.h"
#include "iceberg.h"

static struct iceberg_metadata *read_in(struct text t, size_t piece, struct err *err)
{
	struct iceberg_reader *r = iceberg_reader_new();

	while (t.len) {
		size_t n = t.len < piece ? t.len : piece;

		if (!iceberg_reader_feed(r, t.at, n, err))
			break;
		t = (struct text){t.at + n, t.len - n};
	}
	return iceberg_reader_finish(r, err);
}

static struct iceberg_metadata *read_whole(const char *json)
{
	struct err err = {0};
	struct iceberg_metadata *m = read_in(text_of(json), 16384, &err);

	if (!m)
		fail_msg("%s", err.words);
	return m;
}

static void assert_refused(struct text t, enum err_code code, const char *words)
{
	for (size_t piece = 1; piece < 100; piece += 49) {
		struct err err = {0};

		assert_null(read_in(t, piece, &err));
		if (err.code != code || !strstr(err.words, words))
			fail_msg("\"%s\" (%s), not \"%s\"", err.words, err_name(err.code), words);
	}
}

/* ---- a table that says everything ---- */

static const char whole[] = "{\"format-version\":2,\"table-uuid\":\"u-1\",\"location\":\"s3://lake/t\",\"last-sequence-number\":9223372036854775807,"
	"\"last-updated-ms\":1795955179313,\"last-column-id\":9,\"current-schema-id\":1,\"schemas\":["
	"{\"type\":\"struct\",\"schema-id\":0,\"fields\":[{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"long\",\"doc\":\"its key\"},"
	"{\"id\":2,\"name\":\"gone\",\"required\":false,\"type\":\"timestamptz\"}]},"
	"{\"type\":\"struct\",\"schema-id\":1,\"fields\":[{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"long\"},"
	"{\"id\":3,\"name\":\"place\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":[{\"id\":4,\"name\":\"city\",\"required\":false,"
	"\"type\":\"string\"}]}},{\"id\":5,\"name\":\"tags\",\"required\":false,\"type\":{\"type\":\"list\",\"element-id\":6,\"element\":\"decimal(9, 2)\","
	"\"element-required\":true}},{\"id\":7,\"name\":\"m\",\"required\":false,\"type\":{\"type\":\"map\",\"key-id\":8,\"key\":\"string\",\"value-id\":9,"
	"\"value\":\"fixed[16]\",\"value-required\":false}}]}],"
	"\"default-spec-id\":1,\"partition-specs\":[{\"spec-id\":0,\"fields\":[]},{\"spec-id\":1,\"fields\":["
	"{\"name\":\"gone_day\",\"transform\":\"day\",\"source-id\":2,\"field-id\":1000},{\"name\":\"b\",\"transform\":\"bucket[16]\",\"source-id\":1,"
	"\"field-id\":1001},{\"name\":\"city\",\"transform\":\"identity\",\"source-id\":4,\"field-id\":1002},"
	"{\"name\":\"lost\",\"transform\":\"truncate[4]\",\"source-id\":77,\"field-id\":1003},"
	"{\"name\":\"v\",\"transform\":\"void\",\"source-id\":1,\"field-id\":1004}]}],\"last-partition-id\":1004,"
	"\"default-sort-order-id\":1,\"sort-orders\":[{\"order-id\":0,\"fields\":[]},{\"order-id\":1,\"fields\":[{\"transform\":\"identity\","
	"\"source-id\":4,\"direction\":\"desc\",\"null-order\":\"nulls-last\"},{\"transform\":\"hour\",\"source-id\":2,\"direction\":\"asc\","
	"\"null-order\":\"nulls-first\"}]}],\"properties\":{\"write.target-file-size-bytes\":\"1048576\",\"a\\u0007b\":\"c\\nd\"},"
	"\"current-snapshot-id\":9216836315027597904,\"refs\":{\"main\":{\"snapshot-id\":9216836315027597904,\"type\":\"branch\"},"
	"\"audit\":{\"snapshot-id\":3,\"type\":\"tag\",\"max-ref-age-ms\":7},\"trial\":{\"snapshot-id\":3,\"type\":\"branch\","
	"\"min-snapshots-to-keep\":2,\"max-snapshot-age-ms\":5}},\"snapshots\":[{\"snapshot-id\":3,\"sequence-number\":1,\"timestamp-ms\":1000,"
	"\"summary\":{\"operation\":\"append\",\"added-data-files\":\"2\",\"total-data-files\":\"2\",\"engine-name\":\"spark\",\"engine-version\":\"4.1.4\"},"
	"\"manifest-list\":\"s3://lake/t/a.avro\",\"schema-id\":0},{\"snapshot-id\":9216836315027597904,\"parent-snapshot-id\":3,\"sequence-number\":2,"
	"\"timestamp-ms\":2000,\"summary\":{\"operation\":\"overwrite\",\"trino_query_id\":\"q\",\"wap.id\":\"w1\",\"deleted-records\":\"5\","
	"\"total-records\":\"-3\"},\"manifest-list\":\"s3://lake/t/b.avro\"}],\"statistics\":[{\"snapshot-id\":3,\"statistics-path\":\"s3://lake/t/s.puffin\","
	"\"blob-metadata\":[{\"type\":\"x\",\"snapshot-id\":1,\"fields\":[1]}]}],\"partition-statistics\":[{\"snapshot-id\":3,\"statistics-path\":\"s3://lake/t/p.parquet\",\"file-size-in-bytes\":4}],\"snapshot-log\":[{\"timestamp-ms\":1000,\"snapshot-id\":3},"
	"{\"timestamp-ms\":2000,\"snapshot-id\":9216836315027597904}],\"metadata-log\":[{\"timestamp-ms\":900,\"metadata-file\":\"s3://lake/t/0.json\"}]}";

static void assert_fields(const struct iceberg_schema *s)
{
	static const struct iceberg_field fields[] = {
		{1, 0, "id", "bigint", "", true}, {3, 0, "place", "struct", "", false}, {4, 1, "city", "string", "", false}, {5, 0, "tags", "list", "", false},
		{6, 1, "element", "decimal(9,2)", "", true}, {7, 0, "m", "map", "", false}, {8, 1, "key", "string", "", true},
		{9, 1, "value", "fixed(16)", "", false},
	};

	assert_int_equal(s->n_fields, sizeof fields / sizeof *fields);
	for (size_t i = 0; i < s->n_fields; i++) {
		assert_int_equal(s->fields[i].id, fields[i].id);
		assert_int_equal(s->fields[i].depth, fields[i].depth);
		assert_string_equal(s->fields[i].name, fields[i].name);
		assert_string_equal(s->fields[i].type, fields[i].type);
		assert_int_equal(s->fields[i].required, fields[i].required);
	}
}

static void assert_snapshots(const struct iceberg_metadata *m)
{
	const struct iceberg_snapshot *first = iceberg_find(m, 3), *last = iceberg_current(m);

	assert_int_equal(m->n_snapshots, 2);
	assert_true(first == &m->snapshots[0] && last == &m->snapshots[1]);
	assert_int_equal(last->id, 9216836315027597904);
	assert_int_equal(last->parent, 3);
	assert_int_equal(first->parent, -1);
	assert_int_equal(first->schema, 0);
	assert_int_equal(last->schema, -1);
	assert_string_equal(first->engine, "spark 4.1.4");
	assert_string_equal(last->engine, "trino");
	assert_string_equal(last->wap, "w1");
	assert_string_equal(first->wap, "");
	assert_string_equal(last->manifest_list, "s3://lake/t/b.avro");
	assert_int_equal(first->summary.added_files, 2);
	assert_int_equal(first->summary.added_records, 0); /* a zero is not written */
	assert_int_equal(first->summary.total_files, 2);
	assert_int_equal(first->summary.total_records, -1); /* a total that is not there is not known */
	assert_int_equal(last->summary.deleted_records, 5);
	assert_string_equal(last->operation, "overwrite");
}

static void assert_whole(const struct iceberg_metadata *m)
{
	assert_int_equal(m->format, 2);
	assert_string_equal(m->uuid, "u-1");
	assert_string_equal(m->location, "s3://lake/t");
	assert_int_equal(m->sequence, INT64_MAX);
	assert_int_equal(m->updated, 1795955179313);
	assert_int_equal(m->n_schemas, 2);
	assert_string_equal(m->schemas[0].fields[0].doc, "its key");
	assert_fields(&m->schemas[1]);
	assert_int_equal(m->schema, 1);
	assert_int_equal(m->n_specs, 2);
	assert_string_equal(m->specs[0].words, "");
	assert_string_equal(m->specs[1].words, "days(gone), bucket(16, id), place.city, truncate(4, lost), void(id)");
	assert_int_equal(m->spec, 1);
	assert_string_equal(m->sort, "place.city DESC NULLS LAST, hours(gone) ASC NULLS FIRST");
	assert_int_equal(iceberg_target(m), 1048576);
	assert_string_equal(iceberg_property(m, "ab"), "c d"); /* clean */
	assert_null(iceberg_property(m, "nothing"));
	assert_int_equal(iceberg_number(m, "nothing", 7), 7);
	assert_int_equal(m->n_refs, 3);
	assert_true(m->refs[0].branch && !m->refs[1].branch && m->refs[1].max_ref_age == 7 && m->refs[1].min_snapshots == -1);
	assert_true(m->refs[2].min_snapshots == 2 && m->refs[2].max_snapshot_age == 5);
	assert_snapshots(m);
	assert_int_equal(m->n_log, 1);
	assert_string_equal(m->log[0].file, "s3://lake/t/0.json");
	assert_int_equal(m->n_snapshot_log, 2);
	assert_int_equal(m->snapshot_log_ids[1], 9216836315027597904);
	assert_string_equal(m->snapshot_log[1].file, "");
	assert_int_equal(m->n_statistics, 2);
	assert_string_equal(m->statistics[0].file, "s3://lake/t/s.puffin");
	assert_string_equal(m->statistics[1].file, "s3://lake/t/p.parquet");
	assert_false(m->cut || m->encrypted || m->nessie);
}

static void everything_is_read_wherever_it_is_cut(void **state)
{
	(void)state;
	for (size_t piece = 1; piece < sizeof whole; piece = piece * 3 + 1) {
		struct err err = {0};
		struct iceberg_metadata *m = read_in(TEXT(whole), piece, &err);

		if (!m)
			fail_msg("%s", err.words);
		assert_int_equal(m->bytes, sizeof whole - 1);
		assert_whole(m);
		iceberg_metadata_free(m);
	}
}

static void a_load_table_result_holds_the_same(void **state)
{
	struct iceberg_reader *r = iceberg_reader_new();
	struct iceberg_metadata *m;
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	buf_printf(&b, "{\"metadata-location\":\"s3://lake/t/7.json\",\"metadata\":%s,\"config\":{\"snapshots\":\"1\",\"location\":\"no\"},"
		"\"storage-credentials\":[{\"prefix\":\"s3\",\"config\":{\"properties\":\"1\"}}]}", whole);
	assert_true(iceberg_reader_feed(r, b.at, b.len, NULL));
	assert_string_equal(iceberg_reader_location(r), "s3://lake/t/7.json");
	m = iceberg_reader_finish(r, NULL);
	assert_non_null(m);
	assert_whole(m);
	iceberg_metadata_free(m);
	buf_free(&b);
}

static void gzip_is_known_by_its_first_bytes(void **state)
{
	char packed[8192];
	z_stream z = {.next_in = (unsigned char *)(uintptr_t)whole, .avail_in = sizeof whole - 1, .next_out = (unsigned char *)packed,
		.avail_out = sizeof packed};
	struct text t;

	(void)state;
	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	t = (struct text){packed, z.total_out};
	deflateEnd(&z);
	for (size_t piece = 1; piece < 2 * t.len; piece = piece * 3 + 1) {
		struct iceberg_metadata *m = read_in(t, piece, NULL);

		assert_non_null(m);
		assert_int_equal(m->bytes, t.len); /* as it lies there */
		assert_whole(m);
		iceberg_metadata_free(m);
	}
	assert_refused((struct text){packed, t.len - 9}, ERR_PARSE, "its gzip is cut off after");
	packed[200] ^= 0x55;
	packed[201] ^= 0x55;
	packed[202] ^= 0x55;
	assert_null(read_in(t, 100, NULL));
}

/* 256 MiB of blanks in 250 KiB: it ends long before they do. */
static void a_bomb_of_gzip_is_refused_early(void **state)
{
	static char packed[1 << 20], blanks[1 << 20];
	z_stream z = {.next_out = (unsigned char *)packed, .avail_out = sizeof packed};

	(void)state;
	memset(blanks, ' ', sizeof blanks);
	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	for (int i = 0; i < 256; i++) {
		z.next_in = (unsigned char *)blanks;
		z.avail_in = sizeof blanks;
		assert_int_equal(deflate(&z, i < 255 ? Z_NO_FLUSH : Z_FINISH), i < 255 ? Z_OK : Z_STREAM_END);
	}
	deflateEnd(&z);
	for (size_t piece = 1000; piece < 50000; piece += 40000) {
		struct err err = {0};

		assert_null(read_in((struct text){packed, z.total_out}, piece, &err));
		assert_int_equal(err.code, ERR_PARSE);
		assert_non_null(strstr(err.words, "times its size"));
	}
}

static void a_lost_current_snapshot_is_no_empty_table(void **state)
{
	(void)state;
	assert_refused(TEXT("{\"format-version\":2,\"location\":\"/t\",\"current-snapshot-id\":9223372036854775806,\"snapshots\":[]}"), ERR_PARSE,
		"its current snapshot 9223372036854775806 is not among its snapshots");
}

/* ---- old, odd and refused shapes ---- */

static void format_one_names_things_alone_and_manifests_one_by_one(void **state)
{
	struct iceberg_metadata *m = read_whole("{\"format-version\":1,\"location\":\"/t\",\"schema\":{\"type\":\"struct\",\"fields\":[{\"id\":1,"
		"\"name\":\"ts\",\"required\":false,\"type\":\"timestamp\"}]},\"partition-spec\":[{\"name\":\"ts_day\",\"transform\":\"day\",\"source-id\":1}],"
		"\"current-snapshot-id\":0,\"snapshots\":[{\"snapshot-id\":0,\"timestamp-ms\":5,\"manifests\":[\"/t/m0.avro\",\"/t/m1.avro\"]}]}");
	const struct iceberg_snapshot *s = iceberg_current(m);

	(void)state;
	assert_int_equal(m->n_schemas, 1);
	assert_string_equal(m->specs[0].words, "days(ts)");
	assert_true(m->has_current); /* an id of 0 is one */
	assert_non_null(s);
	assert_string_equal(s->manifest_list, "");
	assert_int_equal(s->n_manifests, 2);
	assert_string_equal(s->manifests[0], "/t/m0.avro");
	assert_string_equal(s->manifests[1], "/t/m1.avro");
	assert_string_equal(s->operation, "");
	assert_int_equal(s->summary.added_files, -1); /* nothing was said at all */
	assert_int_equal(m->n_refs, 1);
	assert_string_equal(m->refs[0].name, "main");
	assert_string_equal(m->uuid, "");
	assert_int_equal(iceberg_target(m), 512 << 20);
	iceberg_metadata_free(m);
}

static void no_snapshot_is_absent_null_or_minus_one(void **state)
{
	static const char *const ways[] = {"{\"format-version\":2}", "{\"format-version\":2,\"current-snapshot-id\":null}",
		"{\"current-snapshot-id\":-1,\"format-version\":2,\"refs\":{}}"};

	(void)state;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		struct iceberg_metadata *m = read_whole(ways[i]);

		assert_false(m->has_current);
		assert_null(iceberg_current(m));
		assert_int_equal(m->n_refs, 0);
		iceberg_metadata_free(m);
	}
}

static void what_is_encrypted_or_of_nessie_says_so(void **state)
{
	static const char *const secret[] = {"{\"format-version\":3,\"encryption-keys\":[{\"key-id\":\"a\"}]}",
		"{\"format-version\":3,\"properties\":{\"encryption.key-id\":\"k\"}}", "{\"format-version\":3,\"snapshots\":[{\"snapshot-id\":1,\"key-id\":\"k\"}]}"};
	static const char *const nessie[] = {"{\"format-version\":2,\"properties\":{\"nessie.commit.id\":\"k\"}}",
		"{\"metadata\":{\"format-version\":2},\"config\":{\"nessie.is-nessie-catalog\":\"true\"}}"};
	struct iceberg_metadata *m;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		m = read_whole(secret[i]);
		assert_true(m->encrypted && !m->nessie);
		iceberg_metadata_free(m);
	}
	for (size_t i = 0; i < 2; i++) {
		m = read_whole(nessie[i]);
		assert_true(m->nessie && !m->encrypted);
		iceberg_metadata_free(m);
	}
	m = read_whole("{\"format-version\":3,\"encryption-keys\":[]}");
	assert_false(m->encrypted);
	iceberg_metadata_free(m);
}

static void what_cannot_be_read_says_what_it_is(void **state)
{
	(void)state;
	assert_refused(TEXT("{\"snapshots\":[],\"format-version\":4}"), ERR_PROTOCOL, "Iceberg format version 4 is not read, 1 to 3 are");
	assert_refused(TEXT("{\"format-version\":0}"), ERR_PROTOCOL, "format version 0");
	assert_refused(TEXT("{\"view-uuid\":\"x\",\"format-version\":1}"), ERR_PROTOCOL, "the metadata of a view");
	assert_refused(TEXT("{\"error\":{\"code\":404}}"), ERR_PARSE, "names no format-version");
	assert_refused(TEXT("[]"), ERR_PARSE, "names no format-version");
	assert_refused(TEXT(""), ERR_PARSE, "it is empty");
	assert_refused(TEXT("{"), ERR_PARSE, "cut off after 1 bytes");
	assert_refused((struct text){whole, sizeof whole - 2}, ERR_PARSE, "cut off");
	assert_refused(TEXT("<html>"), ERR_PARSE, "not JSON near byte 0");
}

/* ---- endless ones ---- */

static void feed(struct iceberg_reader *r, struct buf *b)
{
	struct err err = {0};

	if (!iceberg_reader_feed(r, b->at, b->len, &err))
		fail_msg("%s", err.words);
	buf_reset(b);
}

static struct iceberg_metadata *endless(int64_t snapshots, int64_t current, bool current_first)
{
	struct iceberg_reader *r = iceberg_reader_new();
	struct iceberg_metadata *m;
	struct buf b;

	buf_init(&b, 1 << 20);
	buf_puts(&b, "{\"format-version\":2,");
	if (current_first)
		buf_printf(&b, "\"current-snapshot-id\":%lld,\"refs\":{\"old\":{\"snapshot-id\":77,\"type\":\"tag\"}},", (long long)current);
	buf_puts(&b, "\"snapshots\":[");
	for (int64_t i = 0; i < snapshots; i++) {
		buf_printf(&b, "%s{\"snapshot-id\":%lld,\"parent-snapshot-id\":%lld,\"timestamp-ms\":%lld,\"summary\":{\"operation\":\"append\","
			"\"total-data-files\":\"%lld\"},\"manifest-list\":\"s3://lake/t/%lld.avro\"}", i ? "," : "", (long long)i, (long long)i - 1,
			1000 + (long long)i, (long long)i, (long long)i);
		feed(r, &b);
	}
	buf_puts(&b, "],\"metadata-log\":[");
	for (int64_t i = 0; i < 10000; i++) {
		buf_printf(&b, "%s{\"timestamp-ms\":%lld,\"metadata-file\":\"%lld.json\"}", i ? "," : "", (long long)i, (long long)i);
		feed(r, &b);
	}
	buf_printf(&b, "],\"properties\":{\"long\":\"%010000d\"}", 7);
	if (!current_first)
		buf_printf(&b, ",\"current-snapshot-id\":%lld", (long long)current);
	buf_puts(&b, "}");
	feed(r, &b);
	buf_free(&b);
	m = iceberg_reader_finish(r, NULL);
	assert_non_null(m);
	return m;
}

static void of_an_endless_history_the_newest_are_kept(void **state)
{
	enum { ALL = 60000 };
	struct iceberg_metadata *m = endless(ALL, 5, true);
	size_t at = m->n_snapshots;

	(void)state;
	assert_int_equal(m->n_snapshots_all, ALL);
	assert_int_equal(m->n_snapshots, ICEBERG_SUMMARIES + ICEBERG_OLDER + 3); /* and the first, the current one, the tag's */
	assert_true(m->cut);
	for (int64_t id = ALL; id-- > ALL - ICEBERG_SUMMARIES - ICEBERG_OLDER;) {
		const struct iceberg_snapshot *s = &m->snapshots[--at];
		char list[40];

		snprintf(list, sizeof list, "s3://lake/t/%lld.avro", (long long)id);
		assert_int_equal(s->id, id);
		assert_int_equal(s->parent, id - 1);
		assert_int_equal(s->when, 1000 + id);
		assert_int_equal(s->kept, id >= ALL - ICEBERG_SUMMARIES);
		assert_string_equal(s->manifest_list, s->kept ? list : "");
		assert_int_equal(s->summary.total_files, s->kept ? id : -1);
	}
	assert_int_equal(m->snapshots[0].id, 0);
	assert_string_equal(iceberg_current(m)->manifest_list, "s3://lake/t/5.avro");
	assert_true(iceberg_find(m, 77)->kept);
	assert_int_equal(m->n_log_all, 10000);
	assert_int_equal(m->log[m->n_log - 1].when, 9999);
	assert_string_equal(m->log[0].file, "5904.json");
	assert_true(strlen(iceberg_property(m, "long")) == 4096 + 3);
	iceberg_metadata_free(m);
}

static void a_current_snapshot_that_was_let_go_is_not_made_up(void **state)
{
	struct iceberg_metadata *m = endless(60000, 5, false);

	(void)state;
	assert_true(m->has_current && m->cut);
	assert_null(iceberg_current(m));
	iceberg_metadata_free(m);
}

static void read_any(struct text bytes)
{
	iceberg_metadata_free(read_in(bytes, 333, NULL));
}

static void nothing_that_comes_breaks_it(void **state)
{
	(void)state;
	fuzz(TEXT(whole), read_any);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_is_read_wherever_it_is_cut),
		cmocka_unit_test(a_load_table_result_holds_the_same),
		cmocka_unit_test(gzip_is_known_by_its_first_bytes),
		cmocka_unit_test(a_bomb_of_gzip_is_refused_early),
		cmocka_unit_test(a_lost_current_snapshot_is_no_empty_table),
		cmocka_unit_test(format_one_names_things_alone_and_manifests_one_by_one),
		cmocka_unit_test(no_snapshot_is_absent_null_or_minus_one),
		cmocka_unit_test(what_is_encrypted_or_of_nessie_says_so),
		cmocka_unit_test(what_cannot_be_read_says_what_it_is),
		cmocka_unit_test(of_an_endless_history_the_newest_are_kept),
		cmocka_unit_test(a_current_snapshot_that_was_let_go_is_not_made_up),
		cmocka_unit_test(nothing_that_comes_breaks_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
