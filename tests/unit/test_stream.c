// SPDX-License-Identifier: MIT
/*
 * Streaming queries: what their checkpoints say, how far behind that is, and how the newest batch is found
 * without reading all names each time. Checkpoints are of Spark 4.1.4 (a Kafka source) and 4.2.1 (format v2);
 * those of other sources are written by hand after Spark's, Delta's and Iceberg's own code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../backend/format/checkpoint.h"
#include "engine.h"
#include "fixture_bytes.h"
#include "fixture_server.h"
#include "report.h"

/* ---- its files ---- */

static void batches_are_numbers_and_nothing_else(void **state)
{
	static const char *const others[] = {"", ".5.crc", "5.crc", ".5.1b2c.tmp", "9.compact", "-1", "+1", "1 ", "01", "5a", "9999999999999999999"};

	(void)state;
	assert_int_equal(checkpoint_batch(TEXT("0")), 0);
	assert_int_equal(checkpoint_batch(TEXT("10")), 10);
	assert_int_equal(checkpoint_batch(TEXT("999999999999999999")), 999999999999999999);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(checkpoint_batch(text_of(others[i])), -1);
}

struct partitions {
	char s[400];
};

static void each_partition(void *ctx, struct text topic, int32_t partition, int64_t next)
{
	struct partitions *p = ctx;
	size_t len = strlen(p->s);

	snprintf(p->s + len, sizeof p->s - len, "%.*s/%d=%lld ", (int)topic.len, topic.at, (int)partition, (long long)next);
}

static void offsets_of_spark_4_1_4_are_read(void **state)
{
	struct checkpoint_offsets o;
	struct checkpoint_source s;
	struct partitions p = {0};
	struct err err = {0};

	(void)state;
	assert_true(checkpoint_offsets(recorded("spark-checkpoint-4.1.4/offsets-23"), &o, &err));
	assert_int_equal(o.version, 1);
	assert_int_equal(o.at, 1795970106187);
	assert_int_equal(o.watermark, 0);
	assert_true(checkpoint_next(&o, &s, &err));
	assert_string_equal(s.id, "0");
	assert_int_equal(s.kind, CHECKPOINT_KAFKA);
	assert_true(checkpoint_kafka(s.offset, each_partition, &p));
	assert_string_equal(p.s, "order-events/0=795 order-events/1=858 order-events/2=752 order-events/3=714 order-events/4=756 order-events/5=724 ");
	assert_false(checkpoint_next(&o, &s, &err));
	assert_int_equal(err.code, ERR_NONE);
}

static void offsets_in_format_v2_name_their_sources(void **state)
{
	struct checkpoint_offsets o;
	struct checkpoint_source s;
	struct err err = {0};

	(void)state;
	assert_true(checkpoint_offsets(recorded("spark-checkpoint-4.2.1/offsets-9"), &o, &err));
	assert_int_equal(o.version, 2);
	assert_true(checkpoint_next(&o, &s, &err)); /* not in the order of the plan */
	assert_string_equal(s.id, "1");
	assert_int_equal(s.kind, CHECKPOINT_FILES);
	assert_true(checkpoint_next(&o, &s, &err));
	assert_string_equal(s.id, "0");
	assert_int_equal(s.kind, CHECKPOINT_NUMBER);
	assert_false(checkpoint_next(&o, &s, &err));
	/* the first colon parts: the others are the offset's */
	assert_true(checkpoint_offsets(TEXT("v2\n{}\norders:{\"a\":{\"0\":1}}\nb:-"), &o, &err));
	assert_true(checkpoint_next(&o, &s, &err));
	assert_string_equal(s.id, "orders");
	assert_int_equal(s.kind, CHECKPOINT_KAFKA);
	assert_true(checkpoint_next(&o, &s, &err));
	assert_int_equal(s.kind, CHECKPOINT_NONE);
	assert_true(checkpoint_offsets(TEXT("v2\n{}\n{}"), &o, &err));
	assert_false(checkpoint_next(&o, &s, &err));
	assert_string_equal(err.words, "source 0 has no id");
}

static void a_source_is_known_by_the_shape_of_its_offset(void **state)
{
	static const struct {
		const char *offset;
		enum checkpoint_kind kind;
	} rows[] = {
		{"-", CHECKPOINT_NONE}, {"17", CHECKPOINT_NUMBER}, {"{\"logOffset\":5}", CHECKPOINT_FILES},
		{"{\"sourceVersion\":1,\"reservoirId\":\"a\",\"reservoirVersion\":3,\"index\":-1,\"isStartingVersion\":false}", CHECKPOINT_DELTA},
		{"{\"version\":1,\"snapshot_id\":3051729675574597004,\"position\":0,\"scan_all_files\":false}", CHECKPOINT_ICEBERG},
		{"{\"t\":{\"0\":1}}", CHECKPOINT_KAFKA}, {"{\"t\":{\"0\":1},\"u\":{}}", CHECKPOINT_KAFKA}, {"{\"t\":{\"0\":9223372036854775807}}", CHECKPOINT_KAFKA},
		{"{}", CHECKPOINT_OTHER}, {"{\"t\":{}}", CHECKPOINT_OTHER}, {"{\"t\":{\"x\":1}}", CHECKPOINT_OTHER}, {"{\"t\":{\"0\":\"1\"}}", CHECKPOINT_OTHER},
		{"{\"t\":{\"0\":1.5}}", CHECKPOINT_OTHER}, {"{\"t\":1}", CHECKPOINT_OTHER}, {"{\"t\":{\"3000000000\":1}}", CHECKPOINT_OTHER},
		{"{\"t\":{\"-1\":1}}", CHECKPOINT_OTHER}, {"[1]", CHECKPOINT_OTHER}, {"nonsense", CHECKPOINT_OTHER}, {"", CHECKPOINT_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (checkpoint_kind(text_of(rows[i].offset)) != rows[i].kind)
			fail_msg("%s is taken for %s", rows[i].offset, checkpoint_kind_word(checkpoint_kind(text_of(rows[i].offset))));
}

static void offsets_are_exact_to_64_bits(void **state)
{
	struct partitions p = {0};

	(void)state;
	assert_true(checkpoint_kafka(TEXT("{\"t\":{\"0\":9223372036854775807,\"1\":9007199254740993}}"), each_partition, &p));
	assert_string_equal(p.s, "t/0=9223372036854775807 t/1=9007199254740993 ");
	assert_false(checkpoint_kafka(TEXT("{\"logOffset\":5}"), each_partition, &p));
}

static void the_other_files_are_read(void **state)
{
	struct checkpoint_source s;
	struct partitions p = {0};
	int64_t watermark = 7;
	char id[64];

	(void)state;
	assert_true(checkpoint_commit(recorded("spark-checkpoint-4.1.4/commits-23"), &watermark, NULL));
	assert_int_equal(watermark, 0);
	assert_true(checkpoint_commit(recorded("spark-checkpoint-4.2.1/commits-8"), &watermark, NULL));
	assert_true(checkpoint_commit(TEXT("v2\n{\"nextBatchWatermarkMs\":1795970106187,\"stateUniqueIds\":{}}"), &watermark, NULL));
	assert_int_equal(watermark, 1795970106187);
	assert_true(checkpoint_commit(TEXT("v1\n{}"), &watermark, NULL)); /* as older ones wrote it */
	assert_int_equal(watermark, 0);
	assert_true(checkpoint_id(recorded("spark-checkpoint-4.1.4/metadata"), id, NULL));
	assert_string_equal(id, "ccc5a858-8573-499a-95db-0d90de2a9e99");
	assert_true(checkpoint_start(recorded("spark-checkpoint-4.1.4/sources-0-0"), &s, NULL));
	assert_int_equal(s.kind, CHECKPOINT_KAFKA);
	assert_true(checkpoint_kafka(s.offset, each_partition, &p));
	assert_true(text_starts(text_of(p.s), "order-events/0=0 order-events/1=0 "));
}

static void what_is_damaged_is_said(void **state)
{
	static const struct {
		const char *file, *says;
	} rows[] = {
		{"", "it is empty: its writer was killed"}, {"hello", "it does not begin with a version"}, {"v\n{}", "it does not begin with a version"},
		{"v9\n{}", "it is written in format v9, which is newer than the v2 known here"}, {"v1", "it breaks off after its version"},
		{"v1\n[1]\n{}", "its second line is no JSON object"}, {"v1\n{\"a\":", "its second line is no JSON object"}, {"v2\n\na:1", "its second line is empty"},
	};
	struct checkpoint_offsets o;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err err = {0};

		assert_false(checkpoint_offsets(text_of(rows[i].file), &o, &err));
		assert_string_equal(err.words, rows[i].says);
	}
	assert_true(checkpoint_offsets(TEXT("v1\n\n{\"t\":{\"0\":1}}"), &o, NULL)); /* it may be left empty there */
}

static void read_any(struct text bytes)
{
	struct checkpoint_offsets o;
	struct checkpoint_source s;
	struct partitions p;
	int64_t watermark;
	char id[64];

	if (checkpoint_offsets(bytes, &o, NULL))
		while (checkpoint_next(&o, &s, NULL)) {
			p.s[0] = '\0';
			checkpoint_kafka(s.offset, each_partition, &p);
		}
	checkpoint_commit(bytes, &watermark, NULL);
	checkpoint_id(bytes, id, NULL);
	checkpoint_start(bytes, &s, NULL);
}

static void damaged_files_are_survived(void **state)
{
	(void)state;
	fuzz(recorded("spark-checkpoint-4.1.4/offsets-23"), read_any);
	fuzz(recorded("spark-checkpoint-4.2.1/offsets-9"), read_any);
	fuzz(recorded("spark-checkpoint-4.1.4/sources-0-0"), read_any);
	fuzz(recorded("spark-checkpoint-4.1.4/commits-23"), read_any);
	fuzz(recorded("spark-checkpoint-4.1.4/metadata"), read_any);
}

/* ---- lag ---- */

static const struct table_spec kafka_tables[] = {
	{"ends", "", (const struct column_spec[]){
		{"topic", VALUE_TEXT, UNIT_NONE, 0, ""}, {"partition", VALUE_INT, UNIT_NONE, 0, ""}, {"beginning", VALUE_INT, UNIT_NONE, 0, ""},
		{"end", VALUE_INT, UNIT_NONE, 0, ""}, {0}}},
	{0}};

struct lag_case {
	const char *name;
	int64_t committed[3];        /* of partitions 0, 1, 2; -1: not in the checkpoint */
	int64_t beginning[3], end[3]; /* -1: not known; -2: Kafka does not tell of this partition */
	int64_t ends_after;          /* ms from the checkpoint's reading to Kafka's */
	int64_t lag;                 /* -1: unknown */
	bool at_least;
	enum stream_state states[3];
	int64_t lost;
};

#define R STREAM_READS
#define N STREAM_NEW
#define X STREAM_RESET
#define L STREAM_LOST
#define U STREAM_UNKNOWN

static const struct lag_case lag_cases[] = {
	{"what is not read yet is lag", {10, 20, 30}, {0, 0, 0}, {15, 20, 37}, 5, 12, false, {R, R, R}, 0},
	{"a query that has read all", {15, 20, 37}, {0, 0, 0}, {15, 20, 37}, 5, 0, false, {R, R, R}, 0},
	{"a new partition counts from its beginning", {10, 20, -1}, {0, 0, 4}, {10, 20, 10}, 5, 6, false, {R, R, N}, 0},
	{"an empty new partition", {10, 20, -1}, {0, 0, 0}, {10, 20, 0}, 5, 0, false, {R, R, N}, 0},
	{"a commit beyond the end is a reset, and never negative", {10, 20, 30}, {0, 0, 0}, {15, 3, 37}, 5, 12, true, {R, X, R}, 0},
	{"a commit beyond older ends is none", {10, 20, 30}, {0, 0, 0}, {15, 3, 37}, -5, 12, false, {R, R, R}, 0},
	{"what was deleted before it was read is lost", {10, 20, 30}, {0, 25, 0}, {10, 30, 30}, 5, 10, false, {R, L, R}, 5},
	{"an unknown end makes it at least", {10, 20, 30}, {0, -1, 0}, {15, -1, 37}, 5, 12, true, {R, U, R}, 0},
	{"an unknown beginning hides no lag of what was read", {10, 20, 30}, {-1, -1, -1}, {15, 20, 37}, 5, 12, false, {R, R, R}, 0},
	{"an unknown beginning hides that of a new one", {10, 20, -1}, {0, 0, -1}, {15, 20, 9}, 5, 5, true, {R, R, U}, 0},
	{"a partition of which Kafka does not tell", {10, 20, 30}, {0, 0, -2}, {15, 20, -2}, 5, 5, true, {R, R, U}, 0},
	{"nothing known is no zero", {10, 20, 30}, {-1, -1, -1}, {-1, -1, -1}, 5, -1, false, {U, U, U}, 0},
	{"all beyond the end", {10, 20, 30}, {0, 0, 0}, {1, 2, 3}, 5, -1, false, {X, X, X}, 0},
	{"as large as offsets go", {0, 0, 0}, {0, 0, 0}, {INT64_MAX, INT64_MAX, INT64_MAX}, 5, INT64_MAX, false, {R, R, R}, 0},
};

static struct value known(int64_t n)
{
	return n >= 0 ? value_int(n) : value_unknown();
}

static struct snapshot *checkpoint_of(const int64_t *committed, size_t n, const char *topic)
{
	struct snapshot *s = snapshot_new("orders", PART_STREAM);
	struct table *t = snapshot_table(s, stream_tables, "offsets");

	for (size_t i = n; i-- > 0;) { /* as JSON has them: in any order */
		struct value *row;

		if (committed[i] < 0)
			continue;
		row = table_row(s, t);
		table_set(s, t, row, "source", value_text("0"));
		table_set(s, t, row, "topic", value_text(topic));
		table_set(s, t, row, "partition", value_int((int64_t)i));
		table_set(s, t, row, "committed", value_int(committed[i]));
	}
	s->begun = 1000;
	s->ended = 1010;
	s->wall = 1000000;
	return s;
}

static void end_row(struct snapshot *s, struct table *t, const char *topic, int64_t partition, int64_t beginning, int64_t end)
{
	struct value *row = table_row(s, t);

	table_set(s, t, row, "topic", value_text(topic));
	table_set(s, t, row, "partition", value_int(partition));
	table_set(s, t, row, "beginning", known(beginning));
	table_set(s, t, row, "end", known(end));
}

static struct snapshot *kafka_of(const int64_t *beginning, const int64_t *end, size_t n, int64_t after)
{
	struct snapshot *s = snapshot_new("kafka", PART_DEPTH);
	struct table *t = snapshot_table(s, kafka_tables, "ends");

	end_row(s, t, "zebra", 0, 0, 1000);
	for (size_t i = 0; i < n; i++)
		if (end[i] != -2)
			end_row(s, t, "orders", (int64_t)i, beginning[i], end[i]);
	end_row(s, t, "apples", 0, 0, 1000);
	s->begun = 1010 + after;
	s->ended = s->begun + 7;
	s->wall = 1000000 + after + 7;
	return s;
}

static void lag_is_end_minus_commit(void **state)
{
	const struct lag_case *c = *state;
	struct snapshot *stream = checkpoint_of(c->committed, 3, "orders"), *kafka = kafka_of(c->beginning, c->end, 3, c->ends_after);
	struct arena *arena = arena_new(1 << 20);
	struct stream_lag lag;

	lake_stream_lag(stream, kafka, arena, &lag);
	assert_int_equal(lag.n_places, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(lag.places[i].partition, i);
		assert_string_equal(stream_state_word(lag.places[i].state), stream_state_word(c->states[i]));
		assert_true(lag.places[i].lag.type != VALUE_INT || lag.places[i].lag.u.i >= 0);
	}
	assert_int_equal(lag.lag.type, c->lag < 0 ? VALUE_UNKNOWN : VALUE_INT);
	assert_int_equal(c->lag < 0 ? -1 : lag.lag.u.i, c->lag);
	assert_int_equal(lag.lag.at_least, c->at_least);
	assert_int_equal(lag.words[0] != '\0', c->lag < 0);
	assert_int_equal(lag.lost, c->lost);
	snapshot_unref(stream);
	snapshot_unref(kafka);
	arena_free(arena);
}

static void lag_without_one_side_is_unknown_and_says_why(void **state)
{
	static const int64_t committed[] = {1}, zero[] = {0};
	struct snapshot *stream = checkpoint_of(committed, 1, "orders"), *kafka = kafka_of(zero, committed, 1, 5);
	struct snapshot *mute = snapshot_new("kafka", PART_DEPTH);
	struct arena *arena = arena_new(1 << 20);
	struct stream_lag lag;

	(void)state;
	lake_stream_lag(NULL, kafka, arena, &lag);
	assert_string_equal(lag.words, "its checkpoint is not read yet");
	lake_stream_lag(stream, NULL, arena, &lag);
	assert_string_equal(lag.words, "Kafka has not told where its partitions end");
	lake_stream_lag(stream, mute, arena, &lag);
	assert_string_equal(lag.words, "Kafka has not told where its partitions end");
	err_set(&stream->err, ERR_SYSTEM, "gone");
	lake_stream_lag(stream, kafka, arena, &lag);
	assert_string_equal(lag.words, "its checkpoint cannot be read");
	assert_int_equal(lag.lag.type, VALUE_UNKNOWN);
	snapshot_unref(stream);
	snapshot_unref(kafka);
	snapshot_unref(mute);
	arena_free(arena);
}

static void an_end_that_was_passed_since_is_at_least_where_the_query_stands(void **state)
{
	static const int64_t committed[] = {796}, zero[] = {0}, end[] = {792};
	struct snapshot *stream = checkpoint_of(committed, 1, "orders"), *kafka = kafka_of(zero, end, 1, -5);
	struct arena *arena = arena_new(1 << 20);
	struct stream_lag lag;
	char shown[VALUE_TEXT_SIZE];

	(void)state;
	lake_stream_lag(stream, kafka, arena, &lag);
	assert_int_equal(lag.places[0].state, STREAM_READS);
	assert_string_equal(value_show(shown, lag.places[0].end, UNIT_COUNT), "\xe2\x89\xa5 796");
	assert_int_equal(lag.lag.u.i, 0);
	assert_false(lag.lag.at_least);
	snapshot_unref(stream);
	snapshot_unref(kafka);
	arena_free(arena);
}

static void a_query_that_has_just_begun_has_read_nothing_yet(void **state)
{
	static const int64_t nothing[] = {-1};
	struct snapshot *stream = checkpoint_of(nothing, 1, "orders");
	struct table *t = snapshot_table(stream, stream_tables, "sources");
	struct stream_lag lag;
	struct value *row;

	(void)state;
	lake_stream_lag(stream, NULL, NULL, &lag);
	assert_string_equal(lag.words, "it has read nothing yet");
	row = table_row(stream, t);
	table_set(stream, t, row, "kind", value_text("nothing yet"));
	lake_stream_lag(stream, NULL, NULL, &lag);
	assert_string_equal(lag.words, "it has read nothing yet");
	row = table_row(stream, t);
	table_set(stream, t, row, "kind", value_text("files"));
	lake_stream_lag(stream, NULL, NULL, &lag);
	assert_string_equal(lag.words, "it reads no Kafka");
	snapshot_unref(stream);
}

static void two_sources_of_one_topic_lag_each_for_itself(void **state)
{
	static const int64_t committed[] = {4}, zero[] = {0}, end[] = {10};
	struct snapshot *stream = checkpoint_of(committed, 1, "orders"), *kafka = kafka_of(zero, end, 1, 5);
	struct table *t = &stream->tables[0];
	struct value *row = table_row(stream, t);
	struct arena *arena = arena_new(1 << 20);
	struct stream_lag lag;

	(void)state;
	table_set(stream, t, row, "source", value_text("1"));
	table_set(stream, t, row, "topic", value_text("orders"));
	table_set(stream, t, row, "partition", value_int(0));
	table_set(stream, t, row, "committed", value_int(9));
	lake_stream_lag(stream, kafka, arena, &lag);
	assert_int_equal(lag.n_places, 2);
	assert_int_equal(lag.lag.u.i, 7);
	snapshot_unref(stream);
	snapshot_unref(kafka);
	arena_free(arena);
}

static void a_recorded_stream_comes_back(void **state)
{
	static const int64_t committed[] = {INT64_MAX, 20};
	struct snapshot *s = checkpoint_of(committed, 2, "orders"), *back;
	struct buf line;
	struct err err = {0};

	(void)state;
	snapshot_figure(s, stream_figures, "batch", value_int(23));
	snapshot_figure(s, stream_figures, "batch_at", value_int(1795970106187));
	snapshot_figure(s, stream_figures, "in_flight", value_bool(true));
	buf_init(&line, 1 << 16);
	assert_true(snapshot_write(s, &line));
	back = snapshot_read(text_trim(buf_text(&line)), &err);
	assert_non_null(back);
	assert_int_equal(back->part, PART_STREAM);
	assert_string_equal(back->source, "orders");
	assert_int_equal(snapshot_get(back, "batch").u.i, 23);
	assert_int_equal(snapshot_get(back, "batch_at").u.i, 1795970106187);
	assert_true(snapshot_get(back, "in_flight").u.b);
	assert_int_equal(table_get(snapshot_find_table(back, "offsets"), 1, "committed").u.i, INT64_MAX);
	snapshot_unref(s);
	snapshot_unref(back);
	buf_free(&line);
}

/* ---- the actor, with a bucket of batches ---- */

enum { BATCHES_MAX = 6000, PAGE = 1000 };

struct bucket {
	pthread_mutex_t lock;
	int64_t first, commits, offsets; /* batches from first to these */
	bool refuses;
	unsigned lists, gets;
};

static int by_bytes(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* A page in the order of bytes, as S3 does it; the mark to go on from is the last name. */
static void list_page(struct buf *body, const char *folder, int64_t first, int64_t last, const char *after)
{
	static char names[BATCHES_MAX][24];
	size_t n = 0, shown = 0;

	for (int64_t i = first; i <= last && n < BATCHES_MAX; i++)
		snprintf(names[n++], sizeof *names, "%lld", (long long)i);
	qsort(names, n, sizeof *names, by_bytes);
	buf_puts(body, "<ListBucketResult>");
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i], after) <= 0)
			continue;
		if (++shown > PAGE) {
			buf_printf(body, "<IsTruncated>true</IsTruncated><NextContinuationToken>%s</NextContinuationToken>", names[i - 1]);
			break;
		}
		buf_printf(body, "<Contents><Key>c/%s/%s</Key></Contents>", folder, names[i]);
	}
	buf_puts(body, "</ListBucketResult>");
}

static void list_folder(struct bucket *b, struct text path, struct buf *body)
{
	char after[64] = "";
	bool commits = text_has(path, "commits");
	const char *start = memmem(path.at, path.len, "start-after=c%2Fcommits%2F", 26), *token = memmem(path.at, path.len, "continuation-token=", 19);

	if (!start)
		start = memmem(path.at, path.len, "start-after=c%2Foffsets%2F", 26);
	if (token)
		text_copy(after, sizeof after, text_until((struct text){token + 19, path.len - (size_t)(token + 19 - path.at)}, '&'));
	else if (start)
		text_copy(after, sizeof after, (struct text){start + 26, path.len - (size_t)(start + 26 - path.at)});
	list_page(body, commits ? "commits" : "offsets", b->first, commits ? b->commits : b->offsets, after);
	b->lists++;
}

static bool give_object(struct bucket *b, struct text path, struct buf *body)
{
	int64_t n = -1;
	struct text part = path;

	b->gets++;
	if (text_is(path, "/lake/c/metadata"))
		return buf_puts(body, "{\"id\":\"q\"}");
	if (text_skip(&part, "/lake/c/commits/") && text_i64(part, &n))
		return n >= b->first && n <= b->commits && buf_puts(body, "v1\n{\"nextBatchWatermarkMs\":5}");
	if (text_skip(&part, "/lake/c/offsets/") && text_i64(part, &n))
		return n >= b->first && n <= b->offsets &&
			buf_printf(body, "v1\n{\"batchTimestampMs\":%lld}\n{\"orders\":{\"0\":%lld}}\n17", (long long)(1795970000000 + n), (long long)(n * 10));
	if (text_is(path, "/lake/c/sources/0/0") && b->commits < 0)
		return buf_add(body, "\0v1\n{\"orders\":{\"0\":3}}", 22);
	return false;
}

static bool serve(void *ctx, struct text question, struct buf *out)
{
	struct bucket *b = ctx;
	struct text path = question;
	struct buf body;
	bool good;

	if (!text_skip(&path, "GET "))
		return false;
	path = text_until(path, ' ');
	buf_init(&body, 1 << 20);
	pthread_mutex_lock(&b->lock);
	if (text_starts(path, "/lake/?")) {
		list_folder(b, path, &body);
		good = true;
	} else {
		good = give_object(b, path, &body);
	}
	good = good && !b->refuses;
	if (b->refuses)
		fake_http(out, 403, "", "<Error><Code>AccessDenied</Code></Error>");
	else if (!good)
		fake_http(out, 404, "", "<Error><Code>NoSuchKey</Code></Error>");
	else
		buf_printf(out, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", body.len);
	if (good)
		buf_add(out, body.at, body.len);
	pthread_mutex_unlock(&b->lock);
	buf_free(&body);
	return false;
}

struct watched {
	struct bucket b;
	struct fake_server *server;
	struct host *host;
	struct profile *profile;
	struct engine *engine;
	uint64_t seen;
};

static void watch(struct watched *w, int64_t first, int64_t commits, int64_t offsets)
{
	char ini[300];
	struct err err = {0};

	*w = (struct watched){.b = {.first = first, .commits = commits, .offsets = offsets}};
	pthread_mutex_init(&w->b.lock, NULL);
	w->server = fake_server_start(serve, &w->b);
	/* it looks when it is told to, and never by itself between a change and the look for it */
	snprintf(ini, sizeof ini, "[ui]\nrefresh = 1h\n[service s3]\nkind = other\nport = %u\nrequired = no\n"
		"[stream s]\ncheckpoint = s3a://lake/c\nstorage = s3\n", (unsigned)fake_server_at(w->server).port);
	w->host = host_local();
	w->profile = profile_parse(w->host, text_of(ini), "test.ini", &err);
	if (!w->profile)
		fail_msg("%s", err.words);
	w->engine = engine_start(&(struct engine_options){.host = w->host, .profile = w->profile, .headless = true}, &err);
	assert_non_null(w->engine);
}

/* The next snapshot of the stream. */
static const struct stream_view *next_look(struct watched *w)
{
	struct wait wait = wait_for(60000, -1);

	for (;;) {
		const struct stream_view *v = &engine_lake(w->engine)->streams[0];

		engine_turn(w->engine);
		if (v->snapshot && v->snapshot->generation > w->seen) {
			w->seen = v->snapshot->generation;
			return v;
		}
		if (wait_fd((struct wait){wait.deadline < clock_ms() + 200 ? wait.deadline : clock_ms() + 200, -1}, engine_fd(w->engine), POLLIN) == 0 &&
			!wait_left(wait))
			fail_msg("no look within a minute");
	}
}

/* The bucket changes, and the next look counts what it costs. */
static int64_t batch_after(struct watched *w, int64_t first, int64_t commits, int64_t offsets)
{
	const struct stream_view *v;

	pthread_mutex_lock(&w->b.lock);
	w->b.first = first;
	w->b.commits = commits;
	w->b.offsets = offsets;
	w->b.lists = w->b.gets = 0;
	pthread_mutex_unlock(&w->b.lock);
	engine_refresh(w->engine, NULL);
	v = next_look(w);
	assert_string_equal(v->snapshot->err.words, "");
	return snapshot_get(v->snapshot, "batch").u.i;
}

static void unwatch(struct watched *w)
{
	assert_int_equal(engine_stop(w->engine, 20000), 0);
	profile_free(w->profile);
	fake_server_stop(w->server);
	w->host->close(w->host);
	pthread_mutex_destroy(&w->b.lock);
}

static void a_look_says_where_the_query_stands(void **state)
{
	const struct stream_view *v;
	const struct table *t;
	struct watched w;

	(void)state;
	watch(&w, 0, 11, 12);
	v = next_look(&w);
	assert_string_equal(v->snapshot->err.words, "");
	assert_string_equal(snapshot_get(v->snapshot, "query").u.s, "q");
	assert_int_equal(snapshot_get(v->snapshot, "batch").u.i, 11);
	assert_int_equal(snapshot_get(v->snapshot, "batch_at").u.i, 1795970000011);
	assert_int_equal(snapshot_get(v->snapshot, "watermark").u.i, 5);
	assert_true(snapshot_get(v->snapshot, "in_flight").u.b);
	assert_int_equal(snapshot_get(v->snapshot, "in_flight_at").u.i, 1795970000012);
	assert_int_equal(snapshot_get(v->snapshot, "sources").u.i, 2);
	t = snapshot_find_table(v->snapshot, "offsets");
	assert_int_equal(t->n_rows, 1);
	assert_string_equal(table_get(t, 0, "topic").u.s, "orders");
	assert_int_equal(table_get(t, 0, "committed").u.i, 110); /* not of the batch in flight */
	t = snapshot_find_table(v->snapshot, "sources");
	assert_string_equal(table_get(t, 1, "kind").u.s, "number");
	assert_string_equal(v->lag.words, "the profile does not say which Kafka it reads (kafka = SERVICE)");
	assert_int_equal(batch_after(&w, 0, 12, 12), 12);
	assert_false(snapshot_get(engine_lake(w.engine)->streams[0].snapshot, "in_flight").u.b);
	unwatch(&w);
}

static void before_its_first_commit_a_query_stands_where_it_began(void **state)
{
	const struct stream_view *v;
	const struct table *t;
	struct watched w;

	(void)state;
	watch(&w, 0, -1, 0);
	v = next_look(&w);
	assert_string_equal(v->snapshot->err.words, "");
	assert_int_equal(snapshot_get(v->snapshot, "batch").type, VALUE_UNKNOWN);
	assert_true(snapshot_get(v->snapshot, "in_flight").u.b);
	t = snapshot_find_table(v->snapshot, "offsets");
	assert_int_equal(t->n_rows, 1);
	assert_int_equal(table_get(t, 0, "committed").u.i, 3);
	unwatch(&w);
}

static void thousands_of_batches_are_listed_once(void **state)
{
	struct watched w;

	(void)state;
	watch(&w, 0, 5000, 5000);
	assert_int_equal(snapshot_get(next_look(&w)->snapshot, "batch").u.i, 5000);
	assert_int_equal(w.b.lists, 12); /* six pages each */
	/* behind the one known stand also 501 to 999, in pages that need not be read to the end */
	assert_int_equal(batch_after(&w, 0, 5003, 5004), 5003);
	assert_true(w.b.lists <= 4);
	assert_int_equal(batch_after(&w, 0, 5003, 5004), 5003);
	assert_true(w.b.lists <= 4);
	/* some are left out, some come many at a time */
	assert_int_equal(batch_after(&w, 0, 5990, 5990), 5990);
	unwatch(&w);
}

static void its_pace_comes_from_some_seconds_and_never_from_one_look_or_from_a_reset(void **state)
{
	static const struct stream_sample samples[] = {{0, 700, 300, 1000}, {20000, 350, 2650, 3000}}, reset[] = {{0, 0, 9000, 9000}, {20000, 5, 10, 15}},
		early[] = {{0, 5000, 300, 5300}, {10000, 4990, 310, 5300}};
	struct stream_pace pace;

	(void)state;
	lake_stream_pace(samples, 1, &pace);
	assert_false(pace.known);
	lake_stream_pace(samples, 2, &pace);
	assert_true(pace.known);
	assert_int_equal(pace.in, 100);
	assert_int_equal(pace.out, 117);
	assert_false(pace.slow);
	assert_string_equal(pace.trend, "73");
	lake_stream_pace(reset, 2, &pace);
	assert_false(pace.known);
	/* of a batch that fell between the first two looks a rate would be none */
	lake_stream_pace(early, 2, &pace);
	assert_false(pace.known);
	lake_stream_pace(NULL, 0, &pace);
	assert_false(pace.known);
	assert_string_equal(pace.trend, "");
}

/* A query as it is seen every 10 s: in records come each second, and every so many seconds a batch takes at most so many. */
struct slow_case {
	const char *name;
	int in, every, takes, behind, looks;
	bool slow;
};

static const struct slow_case slow_cases[] = {
	{"a trigger of 3 s that takes less than comes is slow", 5, 3, 6, 4195, 12, true},
	{"a trigger of 30 s that takes less than comes is slow, though its lag falls with each batch", 5, 30, 70, 4195, 24, true},
	{"who reads all with every batch is well", 5, 3, 1000, 0, 24, false},
	{"who reads all every minute is well, and never without a lag", 5, 60, 1000, 40, 24, false},
	{"who catches up is well", 5, 3, 60, 4195, 24, false},
	{"who keeps its distance is well", 5, 10, 50, 4195, 24, false},
	{"of less than 90 s nothing is told", 5, 3, 6, 4195, 8, false},
	{"a trigger of 5 min is waited for", 5, 300, 5000, 40, 24, false},
	{"who stands still is not slow", 5, 100000, 0, 4195, 24, false},
};

static void who_falls_behind_is_slow(void **state)
{
	const struct slow_case *c = *state;
	struct stream_sample samples[STREAM_SAMPLES];
	struct snapshot checkpoint = {.part = PART_STREAM};
	struct stream_view v = {.snapshot = &checkpoint, .lag.words = ""};
	char note[VALUE_TEXT_SIZE];
	int64_t read = 1000, end = 1000 + c->behind;
	int n = 0;

	for (int second = 0; n < c->looks; second++) {
		end += c->in;
		if (second % c->every == c->every - 1)
			read += end - read < c->takes ? end - read : c->takes;
		if (second % 10 == 7)
			samples[n++] = (struct stream_sample){(int64_t)second * 1000, end - read, read, end};
	}
	lake_stream_pace(samples, (size_t)n, &v.pace);
	v.lag.lag = value_int(end - read);
	assert_int_equal(v.pace.slow, c->slow);
	assert_string_equal(lake_stream_state(&v), c->slow ? "slow" : "ok");
	assert_string_equal(lake_stream_note(&v, note), c->slow ? "falls behind: its batches take less than comes in" : "");
}

static void what_is_not_whole_has_no_pace(void **state)
{
	struct stream_place places[] = {
		{.end = value_int(100), .lag = value_int(40)}, {.end = value_int(50), .lag = value_int(0)},
	};
	struct stream_lag lag = {.lag = value_int(40), .places = places, .n_places = 2};
	struct stream_sample sample;

	(void)state;
	assert_true(lake_stream_sample(&lag, 7, &sample));
	assert_int_equal(sample.read, 110);
	assert_int_equal(sample.end, 150);
	lag.lag.at_least = true;
	assert_false(lake_stream_sample(&lag, 7, &sample));
	lag.lag = value_unknown();
	assert_false(lake_stream_sample(&lag, 7, &sample));
	lag.lag = value_int(40);
	places[1].end = value_unknown();
	assert_false(lake_stream_sample(&lag, 7, &sample));
}

static void one_digit_more_is_not_missed(void **state)
{
	struct watched w;

	(void)state;
	watch(&w, 9000, 9998, 9999);
	assert_int_equal(snapshot_get(next_look(&w)->snapshot, "batch").u.i, 9998);
	assert_int_equal(batch_after(&w, 9000, 9999, 10000), 9999);
	assert_int_equal(batch_after(&w, 9000, 10001, 10001), 10001);
	assert_int_equal(batch_after(&w, 9000, 10002, 10003), 10002);
	unwatch(&w);
}

static void a_checkpoint_made_anew_is_read_anew(void **state)
{
	struct watched w;

	(void)state;
	watch(&w, 2000, 2100, 2101);
	assert_int_equal(snapshot_get(next_look(&w)->snapshot, "batch").u.i, 2100);
	assert_int_equal(batch_after(&w, 0, 3, 3), 3);
	unwatch(&w);
}

static void who_refuses_us_is_said_and_nothing_else_breaks(void **state)
{
	const struct stream_view *v;
	struct watched w;

	(void)state;
	watch(&w, 0, 3, 3);
	next_look(&w);
	pthread_mutex_lock(&w.b.lock);
	w.b.refuses = true;
	pthread_mutex_unlock(&w.b.lock);
	engine_refresh(w.engine, NULL);
	v = next_look(&w);
	assert_int_equal(v->snapshot->err.code, ERR_AUTH);
	assert_string_equal(v->snapshot->err.words, "s3a://lake/c/metadata: S3 refuses us (HTTP 403 AccessDenied)");
	assert_string_equal(v->lag.words, "its checkpoint cannot be read");
	assert_int_equal(v->snapshot->interval, 6 * 5 * 3600 * 1000); /* six of its intervals: it is asked less often */
	pthread_mutex_lock(&w.b.lock);
	w.b.refuses = false;
	pthread_mutex_unlock(&w.b.lock);
	assert_int_equal(batch_after(&w, 0, 4, 4), 4);
	unwatch(&w);
}

int main(void)
{
	static struct CMUnitTest tests[64] = {
		cmocka_unit_test(batches_are_numbers_and_nothing_else),
		cmocka_unit_test(offsets_of_spark_4_1_4_are_read),
		cmocka_unit_test(offsets_in_format_v2_name_their_sources),
		cmocka_unit_test(a_source_is_known_by_the_shape_of_its_offset),
		cmocka_unit_test(offsets_are_exact_to_64_bits),
		cmocka_unit_test(the_other_files_are_read),
		cmocka_unit_test(what_is_damaged_is_said),
		cmocka_unit_test(damaged_files_are_survived),
		cmocka_unit_test(lag_without_one_side_is_unknown_and_says_why),
		cmocka_unit_test(two_sources_of_one_topic_lag_each_for_itself),
		cmocka_unit_test(a_recorded_stream_comes_back),
		cmocka_unit_test(a_look_says_where_the_query_stands),
		cmocka_unit_test(before_its_first_commit_a_query_stands_where_it_began),
		cmocka_unit_test(thousands_of_batches_are_listed_once),
		cmocka_unit_test(its_pace_comes_from_some_seconds_and_never_from_one_look_or_from_a_reset),
		cmocka_unit_test(an_end_that_was_passed_since_is_at_least_where_the_query_stands),
		cmocka_unit_test(a_query_that_has_just_begun_has_read_nothing_yet),
		cmocka_unit_test(what_is_not_whole_has_no_pace),
		cmocka_unit_test(one_digit_more_is_not_missed),
		cmocka_unit_test(a_checkpoint_made_anew_is_read_anew),
		cmocka_unit_test(who_refuses_us_is_said_and_nothing_else_breaks),
	};
	size_t n = 0;
	union {
		const struct lag_case *row;
		const struct slow_case *slow;
		void *state;
	} as;

	while (tests[n].name)
		n++;
	for (size_t i = 0; i < sizeof lag_cases / sizeof *lag_cases; i++) {
		as.row = &lag_cases[i];
		tests[n++] = (struct CMUnitTest){lag_cases[i].name, lag_is_end_minus_commit, NULL, NULL, as.state};
	}
	for (size_t i = 0; i < sizeof slow_cases / sizeof *slow_cases; i++) {
		as.slow = &slow_cases[i];
		tests[n++] = (struct CMUnitTest){slow_cases[i].name, who_falls_behind_is_slow, NULL, NULL, as.state};
	}
	return _cmocka_run_group_tests("tests", tests, n, NULL, NULL);
}
