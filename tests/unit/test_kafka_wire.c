// SPDX-License-Identifier: MIT
/* Kafka's protocol: what real brokers answered, what it means, and what garbage must not do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../backend/services/kafka_wire.h"
#include "fixture_bytes.h"

static struct kafka_versions versions_of(const char *file, int16_t version)
{
	struct kafka_versions v;

	assert_true(kafka_read_versions(recorded_hex(file), version, &v));
	return v;
}

/* ---- questions ---- */

static void asked_is(const struct buf *b, const char *hex)
{
	char got[512] = "";

	assert_false(b->full);
	for (size_t i = 0; i < b->len; i++)
		snprintf(got + 2 * i, sizeof got - 2 * i, "%02x", (unsigned)(unsigned char)b->at[i]);
	assert_string_equal(got, hex);
}

static void questions_are_byte_for_byte_what_brokers_were_asked_by_hand(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 4096);
	kafka_ask_versions(&b, 1, 0);
	asked_is(&b, "00000011" "0012" "0000" "00000001" "00076c616b65746f70");
	buf_reset(&b);
	kafka_ask_versions(&b, 1, 3);
	asked_is(&b, "0000001d" "0012" "0003" "00000001" "00076c616b65746f70" "00" "086c616b65746f70" "0231" "00");
	buf_reset(&b);
	kafka_ask_quorum(&b, 2);
	asked_is(&b, "0000002e" "0037" "0000" "00000002" "00076c616b65746f70" "00" "02" "135f5f636c75737465725f6d65746164617461" "02"
		"00000000" "000000");
	buf_reset(&b);
	kafka_ask_metadata(&b, 3, 4);
	asked_is(&b, "00000016" "0003" "0004" "00000003" "00076c616b65746f70" "ffffffff" "00");
	buf_free(&b);
}

static void note_commit(void *ctx, struct text topic, int32_t partition, int16_t error)
{
	char *got = ctx;
	size_t len = strlen(got);

	snprintf(got + len, 200 - len, "%.*s/%d:%d ", (int)topic.len, topic.at, (int)partition, (int)error);
}

static void commits_are_asked_as_no_member_and_answered_one_by_one(void **state)
{
	const struct kafka_wanted wanted[] = {{TEXT("a"), 0}, {TEXT("b"), 1}};
	const int64_t offsets[] = {5, 258};
	/* correlation id 7; topics a (partition 0: 0) and b (partition 1: 25) */
	static const char answer[] = "\0\0\0\7\0\0\0\2\0\1a\0\0\0\1\0\0\0\0\0\0\0\1b\0\0\0\1\0\0\0\1\0\31";
	char got[200] = "";
	struct buf b;

	(void)state;
	buf_init(&b, 4096);
	kafka_ask_commit(&b, 7, TEXT("g"), wanted, offsets, 2);
	asked_is(&b, "00000050" "0008" "0002" "00000007" "00076c616b65746f70" "000167" "ffffffff" "0000" "ffffffffffffffff" "00000002"
		"000161" "00000001" "00000000" "0000000000000005" "0000" "000162" "00000001" "00000001" "0000000000000102" "0000");
	buf_free(&b);
	assert_true(kafka_read_commit((struct text){answer, sizeof answer - 1}, note_commit, got));
	assert_string_equal(got, "a/0:0 b/1:25 ");
	assert_string_equal(kafka_error_words(25), "the group has members");
	for (size_t n = 0; n + 1 < sizeof answer; n++) { /* every beginning ends too soon */
		got[0] = '\0';
		assert_false(kafka_read_commit((struct text){answer, n}, note_commit, got));
	}
}

static void ends_are_asked_topic_by_topic(void **state)
{
	const struct kafka_wanted wanted[] = {{TEXT("a"), 0}, {TEXT("a"), 2}, {TEXT("b"), 1}};
	struct buf b;

	(void)state;
	buf_init(&b, 4096);
	kafka_ask_edges(&b, 1, KAFKA_END, wanted, 3);
	asked_is(&b, "0000004c" "0002" "0002" "00000001" "00076c616b65746f70" "ffffffff" "00" "00000002"
		"0001" "61" "00000002" "00000000" "ffffffffffffffff" "00000002" "ffffffffffffffff"
		"0001" "62" "00000001" "00000001" "ffffffffffffffff");
	buf_free(&b);
}

static void a_question_beyond_its_cap_is_marked_and_not_cut_silently(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 20);
	kafka_ask_quorum(&b, 1);
	assert_true(b.full);
	buf_free(&b);
}

static void an_answer_has_a_length_that_makes_sense_or_is_not_kafkas(void **state)
{
	(void)state;
	assert_int_equal(kafka_frame((const unsigned char *)"\0\0\1\2", 65536), 258);
	assert_int_equal(kafka_frame((const unsigned char *)"HTTP", 65536), 0);
	assert_int_equal(kafka_frame((const unsigned char *)"\0\0\0\3", 65536), 0); /* no room for its id */
	assert_int_equal(kafka_frame((const unsigned char *)"\377\377\377\377", 65536), 0);
	assert_true(kafka_frame_is_for((struct text){"\0\0\0\7x", 5}, 7));
	assert_false(kafka_frame_is_for((struct text){"\0\0\0\7x", 5}, 8));
	assert_false(kafka_frame_is_for((struct text){"\0\0", 2}, 0));
}

/* ---- who it is ---- */

static void the_role_shows_in_what_is_spoken(void **state)
{
	struct kafka_versions broker = versions_of("kafka/versions-v3-4.1.1-broker.hex", 3);
	struct kafka_versions controller = versions_of("kafka/versions-v3-4.1.1-controller.hex", 3);
	struct kafka_versions zookeeper = versions_of("kafka/versions-v3-3.9.2-zookeeper-broker.hex", 3);

	(void)state;
	assert_int_equal(kafka_part(&broker), KAFKA_BROKER);
	assert_int_equal(kafka_part(&controller), KAFKA_CONTROLLER);
	assert_int_equal(kafka_part(&zookeeper), KAFKA_ZOOKEEPER_BROKER);
	assert_int_equal(broker.n_keys, 73);
	assert_int_equal(controller.n_keys, 41);
	assert_int_equal(zookeeper.n_keys, 62);
	assert_false(kafka_speaks(&zookeeper, KAFKA_DESCRIBE_QUORUM, 0)); /* asked, it would log a stack trace */
	assert_true(kafka_speaks(&broker, KAFKA_DESCRIBE_QUORUM, 0));
}

static void release_is(const struct kafka_versions *v, const char *version, const char *from)
{
	struct kafka_release r;

	kafka_release(v, &r);
	assert_string_equal(r.version, version);
	assert_string_equal(r.from, from);
}

static void the_minor_line_is_told_by_the_metadata_version_that_is_supported(void **state)
{
	struct kafka_versions v = versions_of("kafka/versions-v3-4.1.1-broker.hex", 3);

	(void)state;
	assert_int_equal(v.metadata_high, 27);
	assert_int_equal(v.metadata_final, 27);
	release_is(&v, "4.1", "metadata.version supported up to 27");
	v = versions_of("kafka/versions-v3-4.1.1-controller.hex", 3);
	release_is(&v, "4.1", "metadata.version supported up to 27");
	v = versions_of("kafka/versions-v3-4.4.0-broker.hex", 3);
	release_is(&v, "4.4", "metadata.version supported up to 33");
	v.metadata_high = 21;
	release_is(&v, "3.9", "metadata.version supported up to 21");
	v.metadata_high = 28; /* between two releases: of the later one's line */
	release_is(&v, "4.2", "metadata.version supported up to 28");
}

static void a_release_newer_than_the_table_is_that_or_newer(void **state)
{
	struct kafka_versions v = versions_of("kafka/versions-v3-4.4.0-broker.hex", 3);

	(void)state;
	v.metadata_high = 36;
	release_is(&v, "4.4", "metadata.version supported up to 36: that or newer");
}

static void without_metadata_version_the_requests_tell_the_minor_line(void **state)
{
	struct kafka_versions v = versions_of("kafka/versions-v3-3.9.2-zookeeper-broker.hex", 3);

	(void)state;
	assert_int_equal(v.metadata_high, -1);
	release_is(&v, "3.9", "the requests it knows: key 1 up to version 17");
	v.high[1] = 16;
	release_is(&v, "3.8", "the requests it knows: key 0 up to version 11");
	v.high[0] = 10;
	release_is(&v, "3.7", "the requests it knows: key 1 up to version 16");
	memset(v.high, 0, sizeof v.high);
	release_is(&v, "", "the requests it knows: older than 2.8");
}

static void the_old_answer_has_the_same_keys_and_no_features(void **state)
{
	struct kafka_versions v0 = versions_of("kafka/versions-v0-4.1.1-broker.hex", 0),
		v3 = versions_of("kafka/versions-v3-4.1.1-broker.hex", 3);

	(void)state;
	assert_memory_equal(v0.high, v3.high, sizeof v0.high);
	assert_memory_equal(v0.low, v3.low, sizeof v0.low);
	assert_int_equal(v0.metadata_high, -1);
	release_is(&v0, "4.1", "the requests it knows: key 1 up to version 18");
}

static void a_broker_that_does_not_know_the_question_says_so_in_the_oldest_form(void **state)
{
	struct kafka_versions v;

	(void)state;
	assert_true(kafka_read_versions(recorded_hex("kafka/versions-v9-4.1.1-broker.hex"), 9, &v));
	assert_int_equal(v.error, KAFKA_UNSUPPORTED_VERSION);
	assert_int_equal(v.n_keys, 1);
}

/* ---- topics ---- */

struct seen {
	size_t brokers, topics, partitions, led, replicas, members, voters;
	int32_t controller;
	char words[2048]; /* what came, one after the other */
};

static void note(struct seen *seen, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(struct seen *seen, const char *format, ...)
{
	size_t len = strlen(seen->words);
	va_list args;

	va_start(args, format);
	vsnprintf(seen->words + len, sizeof seen->words - len, format, args);
	va_end(args);
}

static void see_broker(void *ctx, int32_t id, struct text host, int32_t port)
{
	struct seen *seen = ctx;

	seen->brokers++;
	note(seen, "broker %d %.*s:%d; ", (int)id, (int)host.len, host.at, (int)port);
}

static void see_cluster(void *ctx, struct text id, int32_t controller)
{
	struct seen *seen = ctx;

	seen->controller = controller;
	note(seen, "cluster %.*s; ", (int)id.len, id.at);
}

static void see_topic(void *ctx, const struct kafka_topic_told *t)
{
	struct seen *seen = ctx;

	seen->topics++;
	note(seen, "%.*s%s %zu%s%s; ", (int)t->name.len, t->name.at, t->internal ? "*" : "", t->n_partitions, t->error ? " error" : "",
		t->id.len ? " id" : "");
}

static void see_partition(void *ctx, const struct kafka_partition *p)
{
	struct seen *seen = ctx;

	seen->partitions++;
	seen->led += p->leader >= 0;
	seen->replicas += p->n_in_sync;
}

static struct kafka_metadata_sink metadata_sink(struct seen *seen)
{
	return (struct kafka_metadata_sink){seen, see_broker, see_cluster, see_topic, see_partition};
}

static void metadata_tells_brokers_topics_and_partitions(void **state)
{
	struct seen seen = {0};
	const struct kafka_metadata_sink sink = metadata_sink(&seen);

	(void)state;
	assert_true(kafka_read_metadata(recorded_hex("kafka/metadata-v4-4.4.0.hex"), 4, &sink));
	assert_int_equal(seen.brokers, 1);
	assert_int_equal(seen.topics, 4);
	assert_int_equal(seen.partitions, 16);
	assert_int_equal(seen.led, 16);
	assert_int_equal(seen.replicas, 16);
	assert_non_null(strstr(seen.words, "broker 1 127.0.0.1:19192; cluster 5L6g3nShT-eMCtK--X86sw; "));
	assert_non_null(strstr(seen.words, "__consumer_offsets* 4; "));
	assert_non_null(strstr(seen.words, "t02 4; "));
}

/* ---- the quorum ---- */

static void see_member(void *ctx, int32_t id, int64_t end, bool voter)
{
	struct seen *seen = ctx;

	seen->members++;
	seen->voters += voter;
	note(seen, "%d at %lld; ", (int)id, (long long)end);
}

static void the_quorum_tells_leader_and_voters(void **state)
{
	struct seen seen = {0};
	struct kafka_quorum q;

	(void)state;
	assert_true(kafka_read_quorum(recorded_hex("kafka/quorum-v0-4.1.1.hex"), &q, see_member, &seen));
	assert_int_equal(q.error, KAFKA_OK);
	assert_int_equal(q.leader, 1);
	assert_int_equal(q.epoch, 1);
	assert_int_equal(seen.members, 1);
	assert_int_equal(seen.voters, 1);
	assert_true(q.high_watermark > 0);
}

/* ---- groups ---- */

static void see_group(void *ctx, const struct kafka_listed *g)
{
	note(ctx, "%.*s %.*s/%.*s/%.*s; ", (int)g->name.len, g->name.at, (int)g->type.len, g->type.at, (int)g->protocol.len,
		g->protocol.at, (int)g->state.len, g->state.at);
}

static void a_group_of_the_new_protocol_is_stable_and_not_dead(void **state)
{
	struct seen seen = {0};
	int16_t error;

	(void)state;
	assert_true(kafka_read_groups(recorded_hex("kafka/groups-v5-4.1.1.hex"), 5, &error, see_group, &seen));
	assert_int_equal(error, KAFKA_OK);
	assert_non_null(strstr(seen.words, "kip848 consumer/consumer/Stable; "));
	assert_non_null(strstr(seen.words, "g00 classic/consumer/Stable; "));
	assert_non_null(strstr(seen.words, "g02 classic//Empty; "));
}

static void an_older_broker_tells_states_and_no_types(void **state)
{
	struct seen seen = {0};
	int16_t error;

	(void)state;
	assert_true(kafka_read_groups(recorded_hex("kafka/groups-v4-3.9.2.hex"), 4, &error, see_group, &seen));
	assert_non_null(strstr(seen.words, "g00 /consumer/Stable; "));
	assert_non_null(strstr(seen.words, "g02 //Empty; "));
}

static void see_members(void *ctx, int16_t error, struct text name, struct text state, size_t n)
{
	note(ctx, "%.*s %.*s %zu%s; ", (int)name.len, name.at, (int)state.len, state.at, n, error ? " error" : "");
}

static void see_assigned(void *ctx, struct text topic, int32_t partition)
{
	note(ctx, "%.*s-%d ", (int)topic.len, topic.at, (int)partition);
}

static void members_tell_what_they_are_assigned(void **state)
{
	struct seen seen = {0};
	const struct kafka_members_sink sink = {&seen, see_members, NULL, see_assigned};

	(void)state;
	assert_true(kafka_read_members(recorded_hex("kafka/members-v0-4.4.0.hex"), KAFKA_DESCRIBE_GROUPS, &sink));
	assert_string_equal(seen.words, "nosuch Dead 0; g00 Stable 1; t00-0 t00-1 t00-2 t00-3 g02 Empty 0; ");
}

static void members_of_the_new_protocol_do_too_and_targets_do_not_count(void **state)
{
	struct seen seen = {0};
	const struct kafka_members_sink sink = {&seen, see_members, NULL, see_assigned};

	(void)state;
	assert_true(kafka_read_members(recorded_hex("kafka/members-consumer-v0-4.1.1.hex"), KAFKA_CONSUMER_GROUP_DESCRIBE, &sink));
	assert_string_equal(seen.words, "kip848 Stable 1; t03-0 t03-1 t03-2 t03-3 t03-4 t03-5 t03-6 t03-7 t03-8 t03-9 t03-10 t03-11 ");
}

static void see_committing(void *ctx, struct text name)
{
	note(ctx, "%.*s: ", (int)name.len, name.at);
}

static void see_committed(void *ctx, struct text topic, int32_t partition, int64_t offset, int16_t error)
{
	note(ctx, "%.*s-%d=%lld%s ", (int)topic.len, topic.at, (int)partition, (long long)offset, error ? " error" : "");
}

static void see_done(void *ctx, int16_t error)
{
	note(ctx, "%s; ", error ? "error" : "ok");
}

static void commits_of_many_groups_come_in_one_answer(void **state)
{
	struct seen seen = {0};
	const struct kafka_committed_sink sink = {&seen, see_committing, see_committed, see_done};

	(void)state;
	assert_true(kafka_read_committed(recorded_hex("kafka/committed-v8-4.4.0.hex"), &sink));
	assert_non_null(strstr(seen.words, "g02: "));
	assert_non_null(strstr(seen.words, "t00-0=6 "));
	assert_non_null(strstr(seen.words, "ok; nosuch: ok; "));
}

static void see_end(void *ctx, struct text topic, int32_t partition, int64_t offset, int16_t error)
{
	note(ctx, "%.*s-%d=%lld/%d ", (int)topic.len, topic.at, (int)partition, (long long)offset, (int)error);
}

static void a_partition_that_is_not_there_fails_alone(void **state)
{
	struct seen seen = {0};

	(void)state;
	assert_true(kafka_read_edges(recorded_hex("kafka/ends-v2-4.4.0.hex"), see_end, &seen));
	assert_non_null(strstr(seen.words, "t00-0=20/0 "));
	assert_non_null(strstr(seen.words, "t00-1=21/0 "));
	assert_non_null(strstr(seen.words, "t00-99=-1/3 "));
	assert_non_null(strstr(seen.words, "nosuchtopic-0=-1/3 "));
}

static void see_config(void *ctx, struct text topic, struct text name, struct text value)
{
	note(ctx, "%.*s %.*s=%.*s; ", (int)topic.len, topic.at, (int)name.len, name.at, (int)value.len, value.at);
}

static void see_size(void *ctx, struct text topic, int32_t partition, int64_t bytes)
{
	note(ctx, "%.*s-%d %lld; ", (int)topic.len, topic.at, (int)partition, (long long)bytes);
}

static void metadata_of_version_12_tells_ids(void **state)
{
	struct seen seen = {0};
	const struct kafka_metadata_sink sink = metadata_sink(&seen);

	(void)state;
	assert_true(kafka_read_metadata(recorded_hex("kafka/metadata-v12-4.1.1.hex"), 12, &sink));
	assert_non_null(strstr(seen.words, "menu-changes 1 id; "));
	assert_non_null(strstr(seen.words, "__consumer_offsets* "));
	assert_int_equal(seen.led, seen.partitions);
}

static void configurations_tell_what_was_asked_and_no_more(void **state)
{
	struct seen seen = {0};

	(void)state;
	assert_true(kafka_read_configs(recorded_hex("kafka/configs-v1-4.1.1.hex"), see_config, &seen));
	assert_non_null(strstr(seen.words, "menu-changes cleanup.policy=compact; "));
	assert_non_null(strstr(seen.words, "menu-changes retention.ms=604800000; "));
	assert_null(strstr(seen.words, "segment"));
}

static void log_folders_tell_how_large_partitions_are(void **state)
{
	struct seen seen = {0};

	(void)state;
	assert_true(kafka_read_sizes(recorded_hex("kafka/sizes-v1-4.1.1.hex"), see_size, &seen));
	assert_non_null(strstr(seen.words, "menu-changes-0 "));
}

/* ---- garbage ---- */

static void read_all(struct text bytes)
{
	struct seen seen = {0};
	struct kafka_versions v;
	struct kafka_release release;
	struct kafka_quorum quorum;
	int16_t error;
	const struct kafka_metadata_sink metadata = metadata_sink(&seen);
	const struct kafka_members_sink members = {&seen, see_members, NULL, see_assigned};
	const struct kafka_committed_sink committed = {&seen, see_committing, see_committed, see_done};

	if (kafka_read_versions(bytes, 3, &v))
		kafka_release(&v, &release);
	kafka_read_versions(bytes, 0, &v);
	kafka_read_metadata(bytes, 4, &metadata);
	kafka_read_quorum(bytes, &quorum, see_member, &seen);
	kafka_read_groups(bytes, 5, &error, see_group, &seen);
	kafka_read_groups(bytes, 3, &error, see_group, &seen);
	kafka_read_members(bytes, KAFKA_DESCRIBE_GROUPS, &members);
	kafka_read_members(bytes, KAFKA_CONSUMER_GROUP_DESCRIBE, &members);
	kafka_read_committed(bytes, &committed);
	kafka_read_edges(bytes, see_end, &seen);
	kafka_read_metadata(bytes, 12, &metadata);
	kafka_read_configs(bytes, see_config, &seen);
	kafka_read_sizes(bytes, see_size, &seen);
}

static void cut_and_changed_answers_end_in_peace(void **state)
{
	static const char *const files[] = {
		"versions-v3-4.1.1-broker", "versions-v0-4.1.1-broker", "metadata-v4-4.4.0", "quorum-v0-4.1.1", "groups-v5-4.1.1",
		"members-v0-4.4.0", "members-consumer-v0-4.1.1", "committed-v8-4.4.0", "ends-v2-4.4.0",
		"metadata-v12-4.1.1", "configs-v1-4.1.1", "sizes-v1-4.1.1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char name[128];

		snprintf(name, sizeof name, "kafka/%s.hex", files[i]);
		fuzz(recorded_hex(name), read_all);
	}
}

static void a_cut_answer_is_never_taken_for_a_whole_one(void **state)
{
	struct text whole = recorded_hex("kafka/metadata-v4-4.4.0.hex");

	(void)state;
	for (size_t len = 0; len < whole.len; len++) {
		struct seen seen = {0};
		const struct kafka_metadata_sink sink = metadata_sink(&seen);

		assert_false(kafka_read_metadata((struct text){whole.at, len}, 4, &sink));
	}
}

static void a_count_of_billions_in_a_short_answer_is_not_believed(void **state)
{
	static const char bytes[] = "\0\0\0\7" "\0\0\0\0" "\177\377\377\377" "\0\0\0\1";
	struct seen seen = {0};
	const struct kafka_metadata_sink sink = metadata_sink(&seen);

	(void)state;
	assert_false(kafka_read_metadata((struct text){bytes, sizeof bytes - 1}, 4, &sink));
	assert_int_equal(seen.brokers, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(questions_are_byte_for_byte_what_brokers_were_asked_by_hand),
		cmocka_unit_test(commits_are_asked_as_no_member_and_answered_one_by_one),
		cmocka_unit_test(ends_are_asked_topic_by_topic),
		cmocka_unit_test(a_question_beyond_its_cap_is_marked_and_not_cut_silently),
		cmocka_unit_test(an_answer_has_a_length_that_makes_sense_or_is_not_kafkas),
		cmocka_unit_test(the_role_shows_in_what_is_spoken),
		cmocka_unit_test(the_minor_line_is_told_by_the_metadata_version_that_is_supported),
		cmocka_unit_test(a_release_newer_than_the_table_is_that_or_newer),
		cmocka_unit_test(without_metadata_version_the_requests_tell_the_minor_line),
		cmocka_unit_test(the_old_answer_has_the_same_keys_and_no_features),
		cmocka_unit_test(a_broker_that_does_not_know_the_question_says_so_in_the_oldest_form),
		cmocka_unit_test(metadata_tells_brokers_topics_and_partitions),
		cmocka_unit_test(the_quorum_tells_leader_and_voters),
		cmocka_unit_test(a_group_of_the_new_protocol_is_stable_and_not_dead),
		cmocka_unit_test(an_older_broker_tells_states_and_no_types),
		cmocka_unit_test(members_tell_what_they_are_assigned),
		cmocka_unit_test(members_of_the_new_protocol_do_too_and_targets_do_not_count),
		cmocka_unit_test(commits_of_many_groups_come_in_one_answer),
		cmocka_unit_test(a_partition_that_is_not_there_fails_alone),
		cmocka_unit_test(metadata_of_version_12_tells_ids),
		cmocka_unit_test(configurations_tell_what_was_asked_and_no_more),
		cmocka_unit_test(log_folders_tell_how_large_partitions_are),
		cmocka_unit_test(cut_and_changed_answers_end_in_peace),
		cmocka_unit_test(a_cut_answer_is_never_taken_for_a_whole_one),
		cmocka_unit_test(a_count_of_billions_in_a_short_answer_is_not_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
