// SPDX-License-Identifier: MIT
/* Kafka as a kind: what is made of a broker that answers well, badly, or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <stdatomic.h>

#include "../../backend/services/kafka_wire.h"
#include "../../backend/services/kinds.h"
#include "fixture_bytes.h"
#include "fixture_server.h"

/* ---- a broker that answers from a recording, or what a test puts in its place ---- */

struct broker {
	struct text versions, metadata, quorum; /* none: silence */
	struct text versions_0, versions_9, groups, members, committed, ends;
	bool old;                               /* knows no ApiVersions but v0 */
	bool closed;                            /* hangs up on whoever asks for topics */
	atomic_uint asked[KAFKA_KEYS];
};

static void answer_with(struct buf *out, struct text question, struct text recorded)
{
	size_t len = recorded.len;
	const unsigned char size[4] = {(unsigned char)(len >> 24), (unsigned char)(len >> 16), (unsigned char)(len >> 8),
		(unsigned char)len};

	buf_add(out, size, 4);
	buf_add(out, question.at + 8, 4); /* the id that was asked with */
	buf_add(out, recorded.at + 4, len - 4);
}

static bool broker_answer(void *ctx, struct text question, struct buf *out)
{
	struct broker *b = ctx;
	unsigned key;
	struct text recorded = TEXT("");

	if (question.len < 12)
		return false;
	key = (unsigned)(unsigned char)question.at[4] << 8 | (unsigned char)question.at[5];
	if (key >= KAFKA_KEYS)
		return false;
	atomic_fetch_add(&b->asked[key], 1);
	switch (key) {
	case KAFKA_API_VERSIONS:
		recorded = b->old && question.at[7] == 3 ? b->versions_9 : question.at[7] == 0 ? b->versions_0 : b->versions;
		break;
	case KAFKA_METADATA:
		if (b->closed)
			return false;
		recorded = b->metadata;
		break;
	case KAFKA_DESCRIBE_QUORUM:
		recorded = b->quorum;
		break;
	case KAFKA_LIST_GROUPS:
		recorded = b->groups;
		break;
	case KAFKA_DESCRIBE_GROUPS:
		recorded = b->members;
		break;
	case KAFKA_OFFSET_FETCH:
		recorded = b->committed;
		break;
	case KAFKA_LIST_OFFSETS:
		recorded = b->ends;
		break;
	default:
		return false;
	}
	if (recorded.len)
		answer_with(out, question, recorded);
	return true;
}

/* Recorded, but for Metadata, which it speaks up to version 9: that of the recording is 4. */
static struct text older_versions(void)
{
	static const unsigned char told[] = {0, KAFKA_METADATA, 0, 0, 0, 13};
	static char bytes[4096];
	struct text whole = recorded_hex("kafka/versions-v3-4.4.0-broker.hex");
	char *at;

	assert_true(whole.len <= sizeof bytes);
	memcpy(bytes, whole.at, whole.len);
	at = memmem(bytes, whole.len, told, sizeof told);
	assert_non_null(at);
	at[5] = 9;
	return (struct text){bytes, whole.len};
}

static struct text older_zookeeper(void)
{
	static const unsigned char told[] = {0, KAFKA_METADATA, 0, 0, 0, 12};
	static char bytes[4096];
	struct text whole = recorded_hex("kafka/versions-v3-3.9.2-zookeeper-broker.hex");
	char *at;

	assert_true(whole.len <= sizeof bytes);
	memcpy(bytes, whole.at, whole.len);
	at = memmem(bytes, whole.len, told, sizeof told);
	assert_non_null(at);
	at[5] = 9;
	return (struct text){bytes, whole.len};
}

static struct broker good_broker(void)
{
	return (struct broker){
		.versions = older_versions(),
		.metadata = recorded_hex("kafka/metadata-v4-4.4.0.hex"),
		.quorum = recorded_hex("kafka/quorum-v0-4.4.0.hex"),
		.versions_0 = recorded_hex("kafka/versions-v0-4.1.1-broker.hex"),
		.versions_9 = recorded_hex("kafka/versions-v9-4.1.1-broker.hex"),
		.groups = recorded_hex("kafka/groups-v5-4.4.0.hex"),
		.members = recorded_hex("kafka/members-v0-4.4.0.hex"),
		.committed = recorded_hex("kafka/committed-v8-4.4.0.hex"),
		.ends = recorded_hex("kafka/ends-v2-4.4.0.hex"),
	};
}

struct asked {
	struct fake_server *server;
	struct fake_probe probe;
	struct identity who;
	enum answered answered;
	bool inspected;
};

static void ask(struct asked *a, struct broker *b, int64_t ms, int64_t started)
{
	a->server = fake_server_start(broker_answer, b);
	fake_probe_begin(&a->probe, fake_server_at(a->server), ms);
	a->probe.p.owner_started = started;
	a->who = (struct identity){0};
	a->answered = kind_kafka.identify(&a->probe.p, &a->who);
	a->inspected = kind_kafka.inspect(&a->probe.p, a->probe.s);
}

static void done(struct asked *a)
{
	kind_kafka.close(a->probe.p.state);
	fake_probe_end(&a->probe);
	fake_server_stop(a->server);
}

static int64_t number_of(const struct asked *a, const char *figure)
{
	struct value v = snapshot_get(a->probe.s, figure);

	return v.type == VALUE_INT ? v.u.i : -1;
}

static const struct finding *finding_of(const struct asked *a, const char *name)
{
	static const struct finding none = {"", SEVERITY_INFO, "", ""};

	for (size_t i = 0; i < a->probe.s->n_findings; i++)
		if (!strcmp(a->probe.s->findings[i].name, name))
			return &a->probe.s->findings[i];
	return &none;
}

/* ---- Metadata as a test wants it ---- */

static void put(struct buf *b, int64_t value, unsigned bytes)
{
	for (unsigned i = bytes; i-- > 0;) {
		unsigned char byte = (unsigned char)((uint64_t)value >> (8 * i));

		buf_add(b, &byte, 1);
	}
}

static void put_name(struct buf *b, const char *s)
{
	put(b, (int64_t)strlen(s), 2);
	buf_puts(b, s);
}

static void metadata_begin(struct buf *b, int32_t broker, const char *host, int32_t port, int32_t topics)
{
	buf_init(b, 65536);
	put(b, 0, 4); /* id */
	put(b, 0, 4); /* throttle */
	put(b, 1, 4);
	put(b, broker, 4);
	put_name(b, host);
	put(b, port, 4);
	put(b, -1, 2); /* no rack */
	put_name(b, "a-cluster");
	put(b, broker, 4);
	put(b, topics, 4);
}

static void metadata_topic(struct buf *b, const char *name, int32_t partitions)
{
	put(b, 0, 2);
	put_name(b, name);
	put(b, 0, 1);
	put(b, partitions, 4);
}

static void metadata_partition(struct buf *b, int32_t index, int32_t leader, int32_t replica, int32_t other, int32_t in_sync)
{
	put(b, leader < 0 ? KAFKA_LEADER_NOT_AVAILABLE : 0, 2);
	put(b, index, 4);
	put(b, leader, 4);
	put(b, 2, 4);
	put(b, replica, 4);
	put(b, other, 4);
	put(b, in_sync, 4);
	for (int32_t i = 0; i < in_sync; i++)
		put(b, replica, 4);
}

/* ---- who is it ---- */

static void a_broker_is_told_by_role_and_minor_line(void **state)
{
	struct broker b = good_broker();
	struct asked a;

	(void)state;
	ask(&a, &b, 60000, 0);
	assert_int_equal(a.answered, ANSWERED_YES);
	assert_ptr_equal(a.who.kind, &kind_kafka);
	assert_null(a.who.role);
	assert_int_equal(a.who.sure, SURE_RANGE);
	assert_string_equal(a.who.version, "4.4");
	assert_null(a.who.version_to);
	assert_string_equal(a.who.from, "metadata.version supported up to 33");
	done(&a);
}

static void one_that_does_not_know_version_3_is_asked_in_version_0(void **state)
{
	struct broker b = good_broker();
	struct asked a;

	(void)state;
	b.old = true;
	ask(&a, &b, 60000, 0);
	assert_int_equal(a.answered, ANSWERED_YES);
	assert_string_equal(a.who.version, "4.1"); /* of the recorded v0: by the requests it knows */
	done(&a);
}

static void a_controller_is_asked_for_its_quorum_and_nothing_else(void **state)
{
	struct broker b = good_broker();
	struct asked a;

	(void)state;
	b.versions = recorded_hex("kafka/versions-v3-4.1.1-controller.hex");
	ask(&a, &b, 60000, 0);
	assert_string_equal(a.who.role, "controller");
	assert_true(a.inspected);
	assert_int_equal(a.probe.s->health.state, LINK_OK);
	assert_int_equal(number_of(&a, "controller"), 1);
	assert_int_equal(number_of(&a, "voters"), 1);
	assert_int_equal(number_of(&a, "quorum_lag"), 0);
	assert_int_equal(b.asked[KAFKA_METADATA], 0);
	done(&a);
}

static bool says_nothing(void *ctx, struct text question, struct buf *out)
{
	(void)ctx;
	(void)question;
	(void)out;
	return true;
}

static bool hangs_up(void *ctx, struct text question, struct buf *out)
{
	(void)says_nothing(ctx, question, out);
	return false;
}

static bool speaks_http(void *ctx, struct text question, struct buf *out)
{
	(void)ctx;
	(void)question;
	fake_http(out, 400, "", "Bad Request");
	return false;
}

static bool wants_tls(void *ctx, struct text question, struct buf *out)
{
	(void)ctx;
	(void)question;
	buf_add(out, "\x15\x03\x03\0\2\2\x46", 7); /* alert: fatal, protocol version */
	return false;
}

static enum answered greet(bool (*answer)(void *ctx, struct text question, struct buf *out), int64_t ms, char says[128])
{
	struct fake_server *server = fake_server_start(answer, NULL);
	struct fake_probe f;
	struct identity who = {0};
	enum answered answered;

	fake_probe_begin(&f, fake_server_at(server), ms);
	answered = kind_kafka.identify(&f.p, &who);
	snprintf(says, 128, "%s", who.says ? who.says : "");
	fake_probe_end(&f);
	fake_server_stop(server);
	return answered;
}

static void silence_is_mute_and_another_protocol_is_another_server(void **state)
{
	char says[128];

	(void)state;
	assert_int_equal(greet(says_nothing, 200, says), ANSWERED_MUTE);
	assert_int_equal(greet(hangs_up, 60000, says), ANSWERED_MUTE);
	assert_int_equal(greet(speaks_http, 60000, says), ANSWERED_OTHER);
}

static void a_listener_that_wants_tls_is_not_called_another_server(void **state)
{
	char says[128];

	(void)state;
	assert_int_equal(greet(wants_tls, 60000, says), ANSWERED_MUTE);
	assert_non_null(strstr(says, "TLS"));
}

static void a_port_that_nobody_holds_refuses(void **state)
{
	struct fake_server *server = fake_server_start(says_nothing, NULL);
	struct endpoint at = fake_server_at(server);
	struct fake_probe f;
	struct identity who = {0};

	(void)state;
	fake_server_stop(server);
	fake_probe_begin(&f, at, 1000);
	assert_int_equal(kind_kafka.identify(&f.p, &who), ANSWERED_REFUSED);
	assert_int_equal(kind_kafka.pulse(&f.p, &who), ANSWERED_REFUSED);
	fake_probe_end(&f);
}

static void the_pulse_is_one_small_question(void **state)
{
	struct broker b = good_broker();
	struct fake_server *server = fake_server_start(broker_answer, &b);
	struct fake_probe f;
	struct identity who = {.version = "4.4"};

	(void)state;
	fake_probe_begin(&f, fake_server_at(server), 60000);
	assert_int_equal(kind_kafka.pulse(&f.p, &who), ANSWERED_YES);
	assert_string_equal(who.version, "4.4"); /* left as it was */
	assert_int_equal(f.p.requests, 1);
	fake_probe_end(&f);
	fake_server_stop(server);
}

/* ---- how it does ---- */

static void a_whole_cluster_is_well(void **state)
{
	struct broker b = good_broker();
	struct asked a;

	(void)state;
	ask(&a, &b, 60000, 0);
	assert_true(a.inspected);
	assert_int_equal(a.probe.s->health.state, LINK_OK);
	assert_int_equal(number_of(&a, "topics"), 3);
	assert_int_equal(number_of(&a, "partitions"), 12);
	assert_int_equal(number_of(&a, "offline"), 0);
	assert_int_equal(number_of(&a, "groups"), 3);
	assert_int_equal(number_of(&a, "controller"), 1);
	assert_string_equal(snapshot_get(a.probe.s, "mode").u.s, "KRaft");
	assert_string_equal(snapshot_get(a.probe.s, "cluster_id").u.s, "5L6g3nShT-eMCtK--X86sw");
	assert_int_equal(snapshot_find_table(a.probe.s, "topics")->n_rows, 4);
	done(&a);
}

static void lag_has_unknown_parts_where_ends_or_commits_are_not_told(void **state)
{
	struct broker b = good_broker();
	struct asked a;
	const struct table *groups;

	(void)state;
	ask(&a, &b, 60000, 0);
	groups = snapshot_find_table(a.probe.s, "groups");
	assert_string_equal(table_get(groups, 0, "group").u.s, "g00");
	assert_int_equal(table_get(groups, 0, "members").u.i, 1);
	assert_int_equal(table_get(groups, 0, "lag").type, VALUE_UNKNOWN); /* assigned, no commit told */
	assert_string_equal(table_get(groups, 2, "group").u.s, "g02");
	assert_true(table_get(groups, 2, "lag").at_least); /* the recording has the ends of two partitions */
	assert_int_equal(table_get(groups, 2, "lag").u.i, 28);
	assert_false(table_get(groups, 2, "lag_known").u.b);
	assert_true(snapshot_get(a.probe.s, "lag").at_least);
	assert_int_equal(number_of(&a, "lag"), 28);
	assert_string_equal(finding_of(&a, "lag")->reason, "g02 has stopped: at least 28 behind, and nobody reads");
	done(&a);
}

static void a_partition_without_a_leader_is_bad_and_blocks(void **state)
{
	struct broker b = good_broker();
	struct asked a;
	struct buf metadata;

	(void)state;
	metadata_begin(&metadata, 1, "127.0.0.1", 9092, 1);
	metadata_topic(&metadata, "orders", 3);
	metadata_partition(&metadata, 0, 1, 1, 1, 2);
	metadata_partition(&metadata, 1, -1, 2, 3, 0);
	metadata_partition(&metadata, 2, 1, 1, 3, 1);
	b.metadata = buf_text(&metadata);
	ask(&a, &b, 60000, 0);
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	assert_string_equal(a.probe.s->health.words, "1 of 3 partitions have no leader");
	assert_int_equal(number_of(&a, "offline"), 1);
	assert_int_equal(number_of(&a, "under_replicated"), 2);
	assert_int_equal(finding_of(&a, "offline")->severity, SEVERITY_BLOCKING);
	assert_string_equal(finding_of(&a, "offline")->reason, "1 of 3 partitions have no leader and can neither be read nor written: orders");
	assert_int_equal(finding_of(&a, "under-replicated")->severity, SEVERITY_WARNING);
	assert_string_equal(finding_of(&a, "under-replicated")->reason,
		"1 of 3 partitions have fewer replicas in sync than they should: orders");
	assert_string_equal(finding_of(&a, "broker")->name, "broker"); /* 2 and 3 hold replicas and are not alive */
	assert_string_equal(table_get(snapshot_find_table(a.probe.s, "brokers"), 1, "state").u.s, "not alive");
	done(&a);
	buf_free(&metadata);
}

static void no_topics_in_the_first_seconds_is_starting_and_not_empty(void **state)
{
	struct broker b = good_broker();
	struct asked a;
	struct buf metadata;

	(void)state;
	metadata_begin(&metadata, 1, "127.0.0.1", 9092, 0);
	b.metadata = buf_text(&metadata);
	ask(&a, &b, 60000, clock_wall_ms() - 4000);
	assert_int_equal(a.probe.s->health.state, LINK_UNKNOWN);
	assert_non_null(strstr(a.probe.s->health.words, "not loaded yet"));
	assert_int_equal(snapshot_get(a.probe.s, "topics").type, VALUE_UNKNOWN);
	done(&a);
	ask(&a, &b, 60000, clock_wall_ms() - 60000);
	assert_int_equal(a.probe.s->health.state, LINK_OK);
	assert_int_equal(number_of(&a, "topics"), 0);
	done(&a);
	buf_free(&metadata);
}

static void a_quorum_without_a_leader_is_bad_though_every_topic_looks_well(void **state)
{
	struct broker b = good_broker();
	struct asked a;
	char quorum[128];
	static const char leader[] = "\0\0\0\1"; /* and the epoch after it */
	char *at;

	(void)state;
	assert_true(b.quorum.len < sizeof quorum);
	memcpy(quorum, b.quorum.at, b.quorum.len);
	at = memmem(quorum + 30, b.quorum.len - 30, leader, 4);
	assert_non_null(at);
	memset(at, 0xff, 4);
	b.quorum.at = quorum;
	ask(&a, &b, 60000, 0);
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	assert_non_null(strstr(a.probe.s->health.words, "no controller leads"));
	assert_int_equal(number_of(&a, "offline"), 0);
	assert_int_equal(snapshot_get(a.probe.s, "controller").type, VALUE_UNKNOWN);
	done(&a);
}

static void controllers_that_do_not_answer_are_bad_and_do_not_hide_the_topics(void **state)
{
	struct broker b = good_broker();
	struct asked a;

	(void)state;
	b.quorum = TEXT("");
	ask(&a, &b, 3000, 0);
	assert_true(a.inspected);
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	assert_string_equal(a.probe.s->health.words, "the controllers do not answer: topics and leaders cannot change");
	assert_int_equal(number_of(&a, "topics"), 3);
	done(&a);
}

static void a_broker_of_zookeeper_is_never_asked_for_a_quorum(void **state)
{
	struct broker b = good_broker();
	struct asked a;

	(void)state;
	b.versions = older_zookeeper();
	ask(&a, &b, 60000, 0);
	assert_string_equal(a.who.version, "3.9");
	assert_non_null(strstr(a.who.source, "ZooKeeper mode"));
	assert_int_equal(b.asked[KAFKA_DESCRIBE_QUORUM], 0);
	assert_string_equal(snapshot_get(a.probe.s, "mode").u.s, "ZooKeeper");
	assert_int_equal(number_of(&a, "controller"), 1);
	assert_int_equal(a.probe.s->health.state, LINK_OK);
	done(&a);
}

static void in_zookeeper_mode_a_cluster_without_a_controller_is_bad(void **state)
{
	struct broker b = good_broker();
	struct asked a;
	struct buf metadata;

	(void)state;
	metadata_begin(&metadata, 1, "127.0.0.1", 9092, 0);
	memset(metadata.at + metadata.len - 8, 0xff, 4);
	b.versions = older_zookeeper();
	b.metadata = buf_text(&metadata);
	ask(&a, &b, 60000, 0);
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	assert_non_null(strstr(a.probe.s->health.words, "no broker is the controller"));
	done(&a);
	buf_free(&metadata);
}

static void a_broker_that_advertises_where_nobody_answers_is_found(void **state)
{
	struct broker b = good_broker();
	struct fake_server *gone = fake_server_start(says_nothing, NULL);
	struct endpoint nowhere = fake_server_at(gone);
	struct asked a;
	struct buf metadata;

	(void)state;
	fake_server_stop(gone);
	metadata_begin(&metadata, 1, "127.0.0.1", nowhere.port, 0);
	metadata.len -= 4 + 4 + 11; /* back to the brokers' end: one more of them, by a name */
	memset(metadata.at + 8, 0, 3);
	metadata.at[11] = 2;
	put(&metadata, 2, 4);
	put_name(&metadata, "kafka-two.example");
	put(&metadata, 9092, 4);
	put(&metadata, -1, 2);
	put_name(&metadata, "a-cluster");
	put(&metadata, 1, 4);
	put(&metadata, 0, 4);
	b.metadata = buf_text(&metadata);
	ask(&a, &b, 60000, 0);
	assert_true(a.inspected);
	assert_non_null(strstr(finding_of(&a, "broker")->reason, "broker 1 does not answer where it advertises"));
	assert_string_equal(table_get(snapshot_find_table(a.probe.s, "brokers"), 0, "state").u.s, "no answer");
	assert_string_equal(table_get(snapshot_find_table(a.probe.s, "brokers"), 1, "state").u.s, "not asked");
	assert_int_equal(snapshot_get(a.probe.s, "lag").type, VALUE_UNKNOWN); /* no groups were told: not 0 */
	done(&a);
	buf_free(&metadata);
}

static void a_listener_that_wants_a_login_is_unknown_and_not_sick(void **state)
{
	struct broker b = good_broker();
	struct asked a;

	(void)state;
	b.closed = true;
	ask(&a, &b, 60000, 0);
	assert_int_equal(a.answered, ANSWERED_YES);
	assert_false(a.inspected);
	assert_int_equal(a.probe.s->health.state, LINK_UNKNOWN);
	done(&a);
}

static void a_broker_that_is_mute_about_its_topics_is_bad(void **state)
{
	struct broker b = good_broker();
	struct asked a;

	(void)state;
	b.metadata = TEXT("");
	ask(&a, &b, 2000, 0);
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	assert_int_equal(a.probe.s->err.code, ERR_TIMEOUT);
	done(&a);
}

static void nonsense_in_the_right_frame_is_an_error_and_not_an_empty_cluster(void **state)
{
	struct broker b = good_broker();
	struct asked a;

	(void)state;
	b.metadata = (struct text){"\0\0\0\0\1", 5};
	ask(&a, &b, 60000, 0);
	assert_false(a.inspected);
	assert_int_equal(a.probe.s->err.code, ERR_PARSE);
	assert_int_equal(snapshot_get(a.probe.s, "topics").type, VALUE_UNKNOWN);
	done(&a);
}

/* ---- what is asked for ---- */

static struct snapshot *view_of(struct asked *a, const char *view, const char *subject)
{
	struct snapshot *s = snapshot_new("kafka", PART_ANSWER);

	a->probe.p.arena = s->arena;
	kind_kafka.answer(&a->probe.p, view, subject, s);
	a->probe.p.arena = a->probe.s->arena;
	return s;
}

static void the_partitions_of_a_group_are_told_with_those_that_never_committed(void **state)
{
	struct broker b = good_broker();
	struct asked a;
	struct snapshot *s;
	const struct table *t;
	size_t known = 0;

	(void)state;
	ask(&a, &b, 60000, 0);
	s = view_of(&a, "group", "g02");
	t = snapshot_find_table(s, "group");
	assert_non_null(t);
	assert_true(t->n_rows > 2);
	assert_string_equal(table_get(t, 0, "group").u.s, "g02");
	for (size_t i = 0; i < t->n_rows; i++) {
		int64_t behind = table_get(t, i, "end").u.i - table_get(t, i, "committed").u.i;

		if (table_get(t, i, "end").type == VALUE_UNKNOWN) { /* the recording has the ends of two partitions */
			assert_string_equal(table_get(t, i, "note").u.s, "end not known");
			continue;
		}
		assert_int_equal(table_get(t, i, "lag").u.i, behind > 0 ? behind : 0);
		known++;
	}
	assert_int_equal(known, 2);
	snapshot_unref(s);
	s = view_of(&a, "group", "g00"); /* assigned, and no commit told */
	t = snapshot_find_table(s, "group");
	assert_true(t->n_rows > 0);
	assert_int_equal(table_get(t, 0, "committed").type, VALUE_UNKNOWN);
	assert_int_equal(table_get(t, 0, "lag").type, VALUE_UNKNOWN);
	assert_int_equal(table_get(t, 0, "member").type, VALUE_TEXT);
	assert_string_equal(table_get(t, 0, "note").u.s, "no commit");
	snapshot_unref(s);
	done(&a);
}

static void all_partitions_come_from_a_look_that_just_ended(void **state)
{
	struct broker b = good_broker();
	struct asked a;
	struct snapshot *s;
	unsigned before;

	(void)state;
	ask(&a, &b, 60000, 0);
	before = b.asked[KAFKA_METADATA];
	s = view_of(&a, "partitions", "");
	if (snapshot_find_table(s, "partitions")->n_rows == 0)
		fail();
	assert_true(b.asked[KAFKA_METADATA] <= before + 1);
	snapshot_unref(s);
	done(&a);
}

static void what_is_not_there_is_an_error_and_not_an_empty_answer(void **state)
{
	struct broker b = good_broker();
	struct asked a;
	struct snapshot *s;

	(void)state;
	ask(&a, &b, 60000, 0);
	s = view_of(&a, "group", "nosuch");
	assert_string_equal(s->err.words, "there is no group nosuch");
	snapshot_unref(s);
	s = view_of(&a, "topic", "nosuch");
	assert_string_equal(s->err.words, "there is no topic nosuch");
	snapshot_unref(s);
	s = view_of(&a, "peek", "nosuch 5");
	assert_string_equal(s->err.words, "there is no topic nosuch");
	snapshot_unref(s);
	done(&a);
}

static void a_topic_tells_its_partitions_leaders_and_replicas(void **state)
{
	struct broker b = good_broker();
	struct asked a;
	struct snapshot *s;
	const struct table *t;

	(void)state;
	ask(&a, &b, 60000, 0);
	s = view_of(&a, "topic", "t00");
	t = snapshot_find_table(s, "topic");
	assert_non_null(t);
	assert_int_equal(table_get(t, 0, "leader").u.i, 1);
	assert_string_equal(table_get(t, 0, "replicas").u.s, "1");
	assert_string_equal(table_get(t, 0, "isr").u.s, "1");
	assert_int_equal(table_get(t, 0, "end").u.i, 20); /* of the recording */
	snapshot_unref(s);
	done(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_broker_is_told_by_role_and_minor_line),
		cmocka_unit_test(one_that_does_not_know_version_3_is_asked_in_version_0),
		cmocka_unit_test(a_controller_is_asked_for_its_quorum_and_nothing_else),
		cmocka_unit_test(silence_is_mute_and_another_protocol_is_another_server),
		cmocka_unit_test(a_listener_that_wants_tls_is_not_called_another_server),
		cmocka_unit_test(a_port_that_nobody_holds_refuses),
		cmocka_unit_test(the_pulse_is_one_small_question),
		cmocka_unit_test(a_whole_cluster_is_well),
		cmocka_unit_test(lag_has_unknown_parts_where_ends_or_commits_are_not_told),
		cmocka_unit_test(a_partition_without_a_leader_is_bad_and_blocks),
		cmocka_unit_test(no_topics_in_the_first_seconds_is_starting_and_not_empty),
		cmocka_unit_test(a_quorum_without_a_leader_is_bad_though_every_topic_looks_well),
		cmocka_unit_test(controllers_that_do_not_answer_are_bad_and_do_not_hide_the_topics),
		cmocka_unit_test(a_broker_of_zookeeper_is_never_asked_for_a_quorum),
		cmocka_unit_test(in_zookeeper_mode_a_cluster_without_a_controller_is_bad),
		cmocka_unit_test(a_broker_that_advertises_where_nobody_answers_is_found),
		cmocka_unit_test(a_listener_that_wants_a_login_is_unknown_and_not_sick),
		cmocka_unit_test(a_broker_that_is_mute_about_its_topics_is_bad),
		cmocka_unit_test(the_partitions_of_a_group_are_told_with_those_that_never_committed),
		cmocka_unit_test(all_partitions_come_from_a_look_that_just_ended),
		cmocka_unit_test(what_is_not_there_is_an_error_and_not_an_empty_answer),
		cmocka_unit_test(a_topic_tells_its_partitions_leaders_and_replicas),
		cmocka_unit_test(nonsense_in_the_right_frame_is_an_error_and_not_an_empty_cluster),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
