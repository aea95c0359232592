// SPDX-License-Identifier: MIT
/*
 * Kafka's protocol in bytes: big-endian integers, strings with their length before them, from the
 * "flexible" versions on compact ones (length + 1 as a varint) with tagged fields at the end of every
 * structure. Pure, any thread.
 *
 * Source: kafka clients/src/main/resources/common/message/ *.json of 3.0 to 4.4, MetadataVersion.java;
 * checked on 3.9.2 (ZooKeeper mode), 4.1.1 and 4.4.0.
 */
#include "kafka_wire.h"

#include <stdio.h>
#include <string.h>

static const char client_id[] = "laketop", client_version[] = "1";

const char *kafka_error_words(int16_t error)
{
	switch (error) {
	case KAFKA_UNKNOWN_TOPIC:
		return "no such topic or partition";
	case KAFKA_LEADER_NOT_AVAILABLE:
		return "no leader";
	case KAFKA_NOT_LEADER:
		return "not the leader";
	case KAFKA_COORDINATOR_LOADING:
		return "the group coordinator is still loading";
	case KAFKA_COORDINATOR_NOT_AVAILABLE:
		return "no group coordinator";
	case KAFKA_NOT_COORDINATOR:
		return "not the group's coordinator";
	case KAFKA_ILLEGAL_GENERATION:
	case KAFKA_UNKNOWN_MEMBER:
	case KAFKA_REBALANCES:
		return "the group has members";
	case KAFKA_TOPIC_DENIED:
	case KAFKA_GROUP_DENIED:
	case KAFKA_CLUSTER_DENIED:
		return "not allowed for us";
	case KAFKA_UNSUPPORTED_VERSION:
		return "version not supported";
	default:
		return NULL;
	}
}

/* ---- writing ---- */

static void put(struct buf *out, uint64_t value, unsigned bytes)
{
	for (unsigned i = bytes; i-- > 0;) {
		unsigned char byte = (unsigned char)(value >> (8 * i));

		buf_add(out, &byte, 1);
	}
}

static void put_varint(struct buf *out, uint64_t value)
{
	while (value > 0x7f) {
		put(out, (value & 0x7f) | 0x80, 1);
		value >>= 7;
	}
	put(out, value, 1);
}

static void put_string(struct buf *out, struct text s, bool compact)
{
	if (compact)
		put_varint(out, s.len + 1);
	else
		put(out, s.len, 2);
	buf_add(out, s.at, s.len);
}

static void put_tags(struct buf *out)
{
	put_varint(out, 0);
}

/* Begins a frame; returns where its length is to be filled in by close_frame. */
static size_t open_frame(struct buf *out, enum kafka_key key, int16_t version, int32_t id, bool flexible)
{
	size_t at = out->len;

	put(out, 0, 4);
	put(out, (uint64_t)key, 2);
	put(out, (uint64_t)version, 2);
	put(out, (uint32_t)id, 4);
	put_string(out, text_of(client_id), false);
	if (flexible)
		put_tags(out);
	return at;
}

static void close_frame(struct buf *out, size_t at)
{
	size_t len;

	if (out->full || out->len < at + 4)
		return;
	len = out->len - at - 4;
	for (unsigned i = 0; i < 4; i++)
		out->at[at + i] = (char)(unsigned char)(len >> (8 * (3 - i)));
}

/* ---- reading ---- */

struct reader {
	const unsigned char *at;
	size_t left;
	bool bad; /* for good: every later read gives 0 */
};

static struct reader reader_of(struct text frame)
{
	/* bytes are read as unsigned ones */
	return (struct reader){(const unsigned char *)frame.at, frame.len, false};
}

static const unsigned char *take(struct reader *r, size_t len)
{
	const unsigned char *at = r->at;

	if (r->bad || len > r->left) {
		r->bad = true;
		return NULL;
	}
	if (len) {
		r->at += len;
		r->left -= len;
	}
	return at;
}

static uint64_t number(struct reader *r, unsigned bytes)
{
	const unsigned char *at = take(r, bytes);
	uint64_t value = 0;

	for (unsigned i = 0; at && i < bytes; i++)
		value = value << 8 | at[i];
	return value;
}

static int16_t i16(struct reader *r)
{
	return (int16_t)(uint16_t)number(r, 2);
}

static int32_t i32(struct reader *r)
{
	return (int32_t)(uint32_t)number(r, 4);
}

static int64_t i64(struct reader *r)
{
	return (int64_t)number(r, 8);
}

static bool boolean(struct reader *r)
{
	return number(r, 1) != 0;
}

static uint32_t varint(struct reader *r)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 35; shift += 7) {
		uint64_t byte = number(r, 1);

		value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			if (value > UINT32_MAX)
				break;
			return (uint32_t)value;
		}
	}
	r->bad = true;
	return 0;
}

/* A length: of a string in 2 bytes, of bytes and arrays in 4, of compact ones in a varint. Null gives 0. */
static size_t length(struct reader *r, unsigned bytes, bool compact)
{
	int64_t len = compact ? (int64_t)varint(r) - 1 : bytes == 2 ? i16(r) : i32(r);

	if (len < -1 || (len > 0 && (uint64_t)len > r->left)) /* every element has a byte at least */
		r->bad = true;
	return r->bad || len < 0 ? 0 : (size_t)len;
}

static struct text slice(struct reader *r, size_t len)
{
	const unsigned char *at = take(r, len);

	return at && len ? (struct text){(const char *)at, len} : TEXT("");
}

static struct text string(struct reader *r, bool compact)
{
	return slice(r, length(r, 2, compact));
}

static size_t count(struct reader *r, bool compact)
{
	return length(r, 4, compact);
}

static void skip_tags(struct reader *r)
{
	for (uint32_t n = varint(r); n && !r->bad; n--) {
		varint(r);
		take(r, varint(r));
	}
}

/* ---- frames ---- */

size_t kafka_frame(const unsigned char head[4], size_t most)
{
	size_t len = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];

	return len >= 4 && len <= most ? len : 0;
}

bool kafka_frame_is_for(struct text frame, int32_t id)
{
	struct reader r = reader_of(frame);

	return i32(&r) == id && !r.bad;
}

/* Past the correlation id, and past the header's tags where the answer is flexible. */
static struct reader open_answer(struct text frame, bool flexible)
{
	struct reader r = reader_of(frame);

	i32(&r);
	if (flexible)
		skip_tags(&r);
	return r;
}

/* ---- ApiVersions ---- */

void kafka_ask_versions(struct buf *out, int32_t id, int16_t version)
{
	bool flexible = version >= 3;
	size_t frame = open_frame(out, KAFKA_API_VERSIONS, version, id, flexible);

	if (flexible) {
		put_string(out, text_of(client_id), true);
		put_string(out, text_of(client_version), true);
		put_tags(out);
	}
	close_frame(out, frame);
}

static void read_keys(struct reader *r, bool compact, struct kafka_versions *out)
{
	for (size_t n = count(r, compact); n && !r->bad; n--) {
		int16_t key = i16(r), low = i16(r), high = i16(r);

		if (compact)
			skip_tags(r);
		if (r->bad)
			return;
		out->n_keys++;
		if (key >= 0 && key < KAFKA_KEYS) {
			out->low[key] = low;
			out->high[key] = high;
		}
		out->foreign |= key >= 500;
	}
}

static void read_features(struct reader *r, bool final, struct kafka_versions *out)
{
	for (size_t n = count(r, true); n && !r->bad; n--) {
		struct text name = string(r, true);
		int16_t first = i16(r), second = i16(r);

		skip_tags(r);
		if (r->bad || !text_is(name, "metadata.version"))
			continue;
		if (final) {
			out->metadata_final = first; /* its maximum comes first */
		} else {
			out->metadata_low = first;
			out->metadata_high = second;
		}
	}
}

static void read_version_tags(struct reader *r, struct kafka_versions *out)
{
	for (uint32_t n = varint(r); n && !r->bad; n--) {
		uint32_t tag = varint(r), len = varint(r);
		const unsigned char *at = take(r, len);
		struct reader field = {at, len, at == NULL};

		if (tag == 0 || tag == 2)
			read_features(&field, tag == 2, out);
		r->bad |= field.bad;
	}
}

bool kafka_read_versions(struct text frame, int16_t version, struct kafka_versions *out)
{
	struct reader r = open_answer(frame, false); /* this one answer has the old header in every version */
	bool flexible;

	*out = (struct kafka_versions){.metadata_low = -1, .metadata_high = -1, .metadata_final = -1};
	memset(out->low, 0xff, sizeof out->low);
	memset(out->high, 0xff, sizeof out->high);
	out->error = i16(&r);
	flexible = version >= 3 && out->error != KAFKA_UNSUPPORTED_VERSION; /* who does not know v3 says so in v0 */
	read_keys(&r, flexible, out);
	if (flexible) {
		i32(&r); /* throttle time */
		read_version_tags(&r, out);
	}
	return !r.bad && out->n_keys && out->high[KAFKA_API_VERSIONS] >= 0;
}

bool kafka_speaks(const struct kafka_versions *v, enum kafka_key key, int16_t version)
{
	return v->high[key] >= version && v->low[key] <= version;
}

enum kafka_part kafka_part(const struct kafka_versions *v)
{
	if (v->high[KAFKA_METADATA] < 0)
		return v->high[KAFKA_VOTE] >= 0 && v->high[KAFKA_DESCRIBE_QUORUM] >= 0 ? KAFKA_CONTROLLER : KAFKA_NEITHER;
	if (v->high[KAFKA_DESCRIBE_QUORUM] >= 0)
		return KAFKA_BROKER;
	return v->high[KAFKA_LEADER_AND_ISR] >= 0 ? KAFKA_ZOOKEEPER_BROKER : KAFKA_BROKER;
}

/* A release's latest production level of metadata.version; levels between are its own, unreleased. */
static const struct { int16_t level; const char *version; } levels[] = {
	{1, "3.0"}, {2, "3.1"}, {3, "3.2"}, {7, "3.3"}, {8, "3.4"}, {11, "3.5"}, {14, "3.6"}, {19, "3.7"}, {20, "3.8"}, {21, "3.9"},
	{25, "4.0"}, {27, "4.1"}, {29, "4.2"}, {30, "4.3"}, {33, "4.4"},
};

/* Where metadata.version is not told (ZooKeeper mode, before 3.3): what a release was the first to speak. */
static const struct { const char *version; int16_t key, high; } firsts[] = {
	{"4.2", 2, 11}, {"4.1", 1, 18}, {"4.0", 2, 10}, {"3.9", 1, 17}, {"3.8", 0, 11}, {"3.7", 1, 16}, {"3.6", 24, 4}, {"3.5", 1, 15},
	{"3.4", 6, 8}, {"3.3", 35, 4}, {"3.2", 11, 9}, {"3.1", 1, 13}, {"3.0", 2, 7}, {"2.8", 3, 11},
};

static void release_by_level(int16_t level, struct kafka_release *out)
{
	size_t n = sizeof levels / sizeof *levels, i = 0;

	while (i + 1 < n && levels[i].level < level)
		i++;
	snprintf(out->version, sizeof out->version, "%s", levels[i].version);
	snprintf(out->from, sizeof out->from, "metadata.version supported up to %d%s", (int)level,
		level > levels[i].level ? ": that or newer" : "");
}

static void release_by_keys(const struct kafka_versions *v, struct kafka_release *out)
{
	size_t n = sizeof firsts / sizeof *firsts, i = 0;

	while (i < n && v->high[firsts[i].key] < firsts[i].high)
		i++;
	if (i == n) {
		snprintf(out->from, sizeof out->from, "the requests it knows: older than 2.8");
		return;
	}
	snprintf(out->version, sizeof out->version, "%s", firsts[i].version);
	snprintf(out->from, sizeof out->from, "the requests it knows: key %d up to version %d%s", (int)firsts[i].key,
		(int)v->high[firsts[i].key], i == 0 ? ": that or newer" : "");
}

void kafka_release(const struct kafka_versions *v, struct kafka_release *out)
{
	*out = (struct kafka_release){0};
	if (v->metadata_high > 0)
		release_by_level(v->metadata_high, out);
	else
		release_by_keys(v, out);
}

/* ---- Metadata ---- */

void kafka_ask_metadata(struct buf *out, int32_t id, int16_t version)
{
	bool flexible = version >= 9;
	size_t frame = open_frame(out, KAFKA_METADATA, version, id, flexible);

	if (flexible)
		put_varint(out, 0);      /* all topics */
	else
		put(out, UINT32_MAX, 4);
	put(out, 0, 1);                  /* makes none */
	if (flexible) {
		put(out, 0, 1);          /* without what we may do */
		put_tags(out);
	}
	close_frame(out, frame);
}

/* Broker ids; the first of them are kept. */
static size_t read_ids(struct reader *r, bool compact, int32_t *out)
{
	size_t n = count(r, compact);

	for (size_t i = 0; i < n && !r->bad; i++) {
		int32_t id = i32(r);

		if (out && i < KAFKA_REPLICAS_MAX)
			out[i] = id;
	}
	return n;
}

static void read_partition(struct reader *r, bool flexible, const struct kafka_metadata_sink *sink)
{
	struct kafka_partition p = {0};

	p.error = i16(r);
	p.index = i32(r);
	p.leader = i32(r);
	if (flexible)
		i32(r); /* its epoch */
	p.n_replicas = read_ids(r, flexible, p.replicas);
	p.n_in_sync = read_ids(r, flexible, p.in_sync);
	if (flexible) {
		read_ids(r, true, NULL); /* offline */
		skip_tags(r);
	}
	if (!r->bad)
		sink->partition(sink->ctx, &p);
}

static void read_topic(struct reader *r, bool flexible, const struct kafka_metadata_sink *sink)
{
	struct kafka_topic_told t = {.error = i16(r), .id = TEXT("")};

	t.name = string(r, flexible);
	if (flexible)
		t.id = slice(r, 16);
	t.internal = boolean(r);
	t.n_partitions = count(r, flexible);
	if (!r->bad)
		sink->topic(sink->ctx, &t);
	for (size_t n = t.n_partitions; n && !r->bad; n--)
		read_partition(r, flexible, sink);
	if (flexible) {
		i32(r); /* what we may do */
		skip_tags(r);
	}
}

bool kafka_read_metadata(struct text frame, int16_t version, const struct kafka_metadata_sink *sink)
{
	bool flexible = version >= 9;
	struct reader r = open_answer(frame, flexible);
	struct text cluster;
	int32_t controller;

	i32(&r); /* throttle time */
	for (size_t n = count(&r, flexible); n && !r.bad; n--) {
		int32_t id = i32(&r);
		struct text host = string(&r, flexible);
		int32_t port = i32(&r);

		string(&r, flexible); /* rack */
		if (flexible)
			skip_tags(&r);
		if (!r.bad)
			sink->broker(sink->ctx, id, host, port);
	}
	cluster = string(&r, flexible);
	controller = i32(&r);
	if (!r.bad)
		sink->cluster(sink->ctx, cluster, controller);
	for (size_t n = count(&r, flexible); n && !r.bad; n--)
		read_topic(&r, flexible, sink);
	if (flexible)
		skip_tags(&r);
	return !r.bad;
}

/* ---- DescribeQuorum ---- */

void kafka_ask_quorum(struct buf *out, int32_t id)
{
	size_t frame = open_frame(out, KAFKA_DESCRIBE_QUORUM, 0, id, true);

	put_varint(out, 2); /* one topic */
	put_string(out, TEXT("__cluster_metadata"), true);
	put_varint(out, 2); /* one partition */
	put(out, 0, 4);
	put_tags(out);
	put_tags(out);
	put_tags(out);
	close_frame(out, frame);
}

static void read_replicas(struct reader *r, bool voter, void (*member)(void *ctx, int32_t id, int64_t end, bool voter), void *ctx)
{
	for (size_t n = count(r, true); n && !r->bad; n--) {
		int32_t id = i32(r);
		int64_t end = i64(r);

		skip_tags(r);
		if (!r->bad)
			member(ctx, id, end, voter);
	}
}

bool kafka_read_quorum(struct text frame, struct kafka_quorum *out,
	void (*member)(void *ctx, int32_t id, int64_t end, bool voter), void *ctx)
{
	struct reader r = open_answer(frame, true);

	*out = (struct kafka_quorum){.error = i16(&r), .leader = -1, .epoch = -1, .high_watermark = -1};
	for (size_t topics = count(&r, true); topics && !r.bad; topics--) {
		string(&r, true);
		for (size_t n = count(&r, true); n && !r.bad; n--) {
			int16_t error;

			i32(&r); /* index */
			error = i16(&r);
			out->error = out->error ? out->error : error;
			out->leader = i32(&r);
			out->epoch = i32(&r);
			out->high_watermark = i64(&r);
			read_replicas(&r, true, member, ctx);
			read_replicas(&r, false, member, ctx);
			skip_tags(&r);
		}
		skip_tags(&r);
	}
	skip_tags(&r);
	return !r.bad;
}

/* ---- groups ---- */

void kafka_ask_groups(struct buf *out, int32_t id, int16_t version)
{
	size_t frame = open_frame(out, KAFKA_LIST_GROUPS, version, id, true);

	if (version >= 4)
		put_varint(out, 1); /* in every state */
	if (version >= 5)
		put_varint(out, 1); /* of every type */
	put_tags(out);
	close_frame(out, frame);
}

bool kafka_read_groups(struct text frame, int16_t version, int16_t *error,
	void (*group)(void *ctx, const struct kafka_listed *g), void *ctx)
{
	struct reader r = open_answer(frame, true);

	i32(&r); /* throttle time */
	*error = i16(&r);
	for (size_t n = count(&r, true); n && !r.bad; n--) {
		struct kafka_listed g = {.name = string(&r, true), .protocol = TEXT("")};

		g.protocol = string(&r, true);
		g.state = version >= 4 ? string(&r, true) : TEXT("");
		g.type = version >= 5 ? string(&r, true) : TEXT("");
		skip_tags(&r);
		if (!r.bad)
			group(ctx, &g);
	}
	skip_tags(&r);
	return !r.bad;
}

void kafka_ask_members(struct buf *out, int32_t id, enum kafka_key key, const struct text *groups, size_t n)
{
	bool flexible = key == KAFKA_CONSUMER_GROUP_DESCRIBE;
	size_t frame = open_frame(out, key, 0, id, flexible);

	if (flexible)
		put_varint(out, n + 1);
	else
		put(out, n, 4);
	for (size_t i = 0; i < n; i++)
		put_string(out, groups[i], flexible);
	if (flexible) {
		put(out, 0, 1); /* without what we may do */
		put_tags(out);
	}
	close_frame(out, frame);
}

/* What a classic member of a group of consumers was assigned: its own little format. */
static void read_assignment(struct text bytes, const struct kafka_members_sink *sink)
{
	struct reader r = reader_of(bytes);

	i16(&r); /* version: later ones only add at the end */
	for (size_t topics = count(&r, false); topics && !r.bad; topics--) {
		struct text topic = string(&r, false);

		for (size_t n = count(&r, false); n && !r.bad; n--) {
			int32_t partition = i32(&r);

			if (!r.bad)
				sink->assigned(sink->ctx, topic, partition);
		}
	}
}

static void read_classic_group(struct reader *r, const struct kafka_members_sink *sink)
{
	int16_t error = i16(r);
	struct text name = string(r, false), state = string(r, false), type = string(r, false);
	size_t members;

	string(r, false); /* assignor */
	members = count(r, false);
	if (!r->bad)
		sink->group(sink->ctx, error, name, state, members);
	for (; members && !r->bad; members--) {
		struct text assignment, id = string(r, false);

		string(r, false); /* client and host */
		string(r, false);
		if (!r->bad && sink->member)
			sink->member(sink->ctx, id);
		slice(r, length(r, 4, false)); /* subscription */
		assignment = slice(r, length(r, 4, false));
		if (!r->bad && text_is(type, "consumer"))
			read_assignment(assignment, sink);
	}
}

static void read_topic_partitions(struct reader *r, const struct kafka_members_sink *sink, bool told)
{
	for (size_t topics = count(r, true); topics && !r->bad; topics--) {
		struct text topic;

		take(r, 16); /* topic id */
		topic = string(r, true);
		for (size_t n = count(r, true); n && !r->bad; n--) {
			int32_t partition = i32(r);

			if (!r->bad && told)
				sink->assigned(sink->ctx, topic, partition);
		}
		skip_tags(r);
	}
	skip_tags(r);
}

static void read_consumer_member(struct reader *r, const struct kafka_members_sink *sink)
{
	struct text id = string(r, true);

	string(r, true);         /* instance and rack */
	string(r, true);
	if (!r->bad && sink->member)
		sink->member(sink->ctx, id);
	i32(r);                  /* epoch */
	string(r, true);         /* client */
	string(r, true);         /* host */
	for (size_t n = count(r, true); n && !r->bad; n--)
		string(r, true); /* subscribed topics */
	string(r, true);         /* and a pattern of them */
	read_topic_partitions(r, sink, true);
	read_topic_partitions(r, sink, false); /* the target, which it may not have yet */
	skip_tags(r);
}

static void read_consumer_group(struct reader *r, const struct kafka_members_sink *sink)
{
	int16_t error = i16(r);
	struct text name, state;
	size_t members;

	string(r, true); /* the error in words */
	name = string(r, true);
	state = string(r, true);
	i32(r);          /* epochs of group and assignment */
	i32(r);
	string(r, true); /* assignor */
	members = count(r, true);
	if (!r->bad)
		sink->group(sink->ctx, error, name, state, members);
	for (; members && !r->bad; members--)
		read_consumer_member(r, sink);
	i32(r); /* what we may do */
	skip_tags(r);
}

bool kafka_read_members(struct text frame, enum kafka_key key, const struct kafka_members_sink *sink)
{
	bool flexible = key == KAFKA_CONSUMER_GROUP_DESCRIBE;
	struct reader r = open_answer(frame, flexible);

	if (flexible)
		i32(&r); /* throttle time */
	for (size_t n = count(&r, flexible); n && !r.bad; n--)
		if (flexible)
			read_consumer_group(&r, sink);
		else
			read_classic_group(&r, sink);
	return !r.bad;
}

/* ---- offsets ---- */

void kafka_ask_committed(struct buf *out, int32_t id, const struct text *groups, size_t n)
{
	size_t frame = open_frame(out, KAFKA_OFFSET_FETCH, 8, id, true);

	put_varint(out, n + 1);
	for (size_t i = 0; i < n; i++) {
		put_string(out, groups[i], true);
		put_varint(out, 0); /* null: every topic that it committed */
		put_tags(out);
	}
	put(out, 0, 1); /* without waiting for open transactions */
	put_tags(out);
	close_frame(out, frame);
}

static void read_committed_topic(struct reader *r, const struct kafka_committed_sink *sink)
{
	struct text topic = string(r, true);

	for (size_t n = count(r, true); n && !r->bad; n--) {
		int32_t partition = i32(r);
		int64_t offset = i64(r);
		int16_t error;

		i32(r);          /* leader epoch */
		string(r, true); /* what the consumer noted beside it */
		error = i16(r);
		skip_tags(r);
		if (!r->bad)
			sink->committed(sink->ctx, topic, partition, offset, error);
	}
	skip_tags(r);
}

bool kafka_read_committed(struct text frame, const struct kafka_committed_sink *sink)
{
	struct reader r = open_answer(frame, true);

	i32(&r); /* throttle time */
	for (size_t groups = count(&r, true); groups && !r.bad; groups--) {
		struct text name = string(&r, true);
		int16_t error;

		if (!r.bad)
			sink->group(sink->ctx, name);
		for (size_t n = count(&r, true); n && !r.bad; n--)
			read_committed_topic(&r, sink);
		error = i16(&r);
		skip_tags(&r);
		if (!r.bad)
			sink->done(sink->ctx, error);
	}
	skip_tags(&r);
	return !r.bad;
}

static size_t run_of_topic(const struct kafka_wanted *wanted, size_t n)
{
	size_t i = 1;

	while (i < n && wanted[i].topic.len == wanted[0].topic.len &&
		!memcmp(wanted[i].topic.at, wanted[0].topic.at, wanted[0].topic.len))
		i++;
	return i;
}

void kafka_ask_edges(struct buf *out, int32_t id, int64_t edge, const struct kafka_wanted *wanted, size_t n)
{
	size_t frame = open_frame(out, KAFKA_LIST_OFFSETS, 2, id, false), topics = 0;

	for (size_t i = 0; i < n; i += run_of_topic(wanted + i, n - i))
		topics++;
	put(out, UINT32_MAX, 4); /* no replica: a client */
	put(out, 0, 1);          /* read_uncommitted: up to the high watermark */
	put(out, topics, 4);
	for (size_t i = 0, run; i < n; i += run) {
		run = run_of_topic(wanted + i, n - i);
		put_string(out, wanted[i].topic, false);
		put(out, run, 4);
		for (size_t k = i; k < i + run; k++) {
			put(out, (uint32_t)wanted[k].partition, 4);
			put(out, (uint64_t)edge, 8);
		}
	}
	close_frame(out, frame);
}

bool kafka_read_edges(struct text frame,
	void (*each)(void *ctx, struct text topic, int32_t partition, int64_t offset, int16_t error), void *ctx)
{
	struct reader r = open_answer(frame, false);

	i32(&r); /* throttle time */
	for (size_t topics = count(&r, false); topics && !r.bad; topics--) {
		struct text topic = string(&r, false);

		for (size_t n = count(&r, false); n && !r.bad; n--) {
			int32_t partition = i32(&r);
			int16_t error = i16(&r);
			int64_t offset;

			i64(&r); /* timestamp */
			offset = i64(&r);
			if (!r.bad)
				each(ctx, topic, partition, offset, error);
		}
	}
	return !r.bad;
}

void kafka_ask_commit(struct buf *out, int32_t id, struct text group, const struct kafka_wanted *wanted, const int64_t *offsets, size_t n)
{
	size_t frame = open_frame(out, KAFKA_OFFSET_COMMIT, 2, id, false), topics = 0;

	for (size_t i = 0; i < n; i += run_of_topic(wanted + i, n - i))
		topics++;
	put_string(out, group, false);
	put(out, UINT32_MAX, 4); /* no generation */
	put(out, 0, 2);          /* no member */
	put(out, UINT64_MAX, 8); /* kept for as long as the broker keeps any */
	put(out, topics, 4);
	for (size_t i = 0, run; i < n; i += run) {
		run = run_of_topic(wanted + i, n - i);
		put_string(out, wanted[i].topic, false);
		put(out, run, 4);
		for (size_t k = i; k < i + run; k++) {
			put(out, (uint32_t)wanted[k].partition, 4);
			put(out, (uint64_t)offsets[k], 8);
			put(out, 0, 2); /* nothing is noted beside it */
		}
	}
	close_frame(out, frame);
}

bool kafka_read_commit(struct text frame, void (*each)(void *ctx, struct text topic, int32_t partition, int16_t error), void *ctx)
{
	struct reader r = open_answer(frame, false);

	for (size_t topics = count(&r, false); topics && !r.bad; topics--) {
		struct text topic = string(&r, false);

		for (size_t n = count(&r, false); n && !r.bad; n--) {
			int32_t partition = i32(&r);
			int16_t error = i16(&r);

			if (!r.bad)
				each(ctx, topic, partition, error);
		}
	}
	return !r.bad;
}

/* ---- configurations ---- */

enum { RESOURCE_TOPIC = 2 };

void kafka_ask_configs(struct buf *out, int32_t id, const struct text *topics, size_t n, const struct text *names, size_t n_names)
{
	size_t frame = open_frame(out, KAFKA_DESCRIBE_CONFIGS, 1, id, false);

	put(out, n, 4);
	for (size_t i = 0; i < n; i++) {
		put(out, RESOURCE_TOPIC, 1);
		put_string(out, topics[i], false);
		put(out, n_names, 4);
		for (size_t k = 0; k < n_names; k++)
			put_string(out, names[k], false);
	}
	put(out, 0, 1); /* without where each value is from */
	close_frame(out, frame);
}

static void read_config(struct reader *r, struct text topic,
	void (*config)(void *ctx, struct text topic, struct text name, struct text value), void *ctx)
{
	struct text name = string(r, false), value = string(r, false);
	bool secret;

	boolean(r);   /* read only */
	number(r, 1); /* where it is from */
	secret = boolean(r);
	for (size_t n = count(r, false); n && !r->bad; n--) {
		string(r, false);
		string(r, false);
		number(r, 1);
	}
	if (!r->bad)
		config(ctx, topic, name, secret ? TEXT("") : value);
}

bool kafka_read_configs(struct text frame, void (*config)(void *ctx, struct text topic, struct text name, struct text value), void *ctx)
{
	struct reader r = open_answer(frame, false);

	i32(&r); /* throttle time */
	for (size_t n = count(&r, false); n && !r.bad; n--) {
		struct text topic;

		i16(&r);           /* error */
		string(&r, false); /* in words */
		number(&r, 1);     /* type */
		topic = string(&r, false);
		for (size_t k = count(&r, false); k && !r.bad; k--)
			read_config(&r, topic, config, ctx);
	}
	return !r.bad;
}

/* ---- sizes ---- */

void kafka_ask_sizes(struct buf *out, int32_t id)
{
	size_t frame = open_frame(out, KAFKA_DESCRIBE_LOG_DIRS, 1, id, false);

	put(out, UINT32_MAX, 4); /* all topics */
	close_frame(out, frame);
}

bool kafka_read_sizes(struct text frame, void (*size)(void *ctx, struct text topic, int32_t partition, int64_t bytes), void *ctx)
{
	struct reader r = open_answer(frame, false);

	i32(&r); /* throttle time */
	for (size_t dirs = count(&r, false); dirs && !r.bad; dirs--) {
		i16(&r);           /* error */
		string(&r, false); /* folder */
		for (size_t topics = count(&r, false); topics && !r.bad; topics--) {
			struct text topic = string(&r, false);

			for (size_t n = count(&r, false); n && !r.bad; n--) {
				int32_t partition = i32(&r);
				int64_t bytes = i64(&r);

				i64(&r); /* how far behind the log it is */
				if (!boolean(&r) && !r.bad) /* one that is being moved in counts where it is */
					size(ctx, topic, partition, bytes);
			}
		}
	}
	return !r.bad;
}
