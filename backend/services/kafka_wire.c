// SPDX-License-Identifier: MIT
/*
 * Kafka's protocol in bytes: big-endian integers, strings with their length before them, from the
 * "flexible" versions on compact ones (length + 1 as a varint) with tagged fields at the end of every
 * structure. Pure, any thread.
 *
 * Source: kafka clients/src/main/resources/common/message/ *.json of 3.0 to 4.4, MetadataVersion.java;
 * checked on 3.9.2 (ZooKeeper mode), 4.1.1 and 4.4.0.
 */
#include "kafka_bytes.h"

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

/* ---- frames ---- */

size_t kafka_frame(const unsigned char head[4], size_t most)
{
	size_t len = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];

	return len >= 4 && len <= most ? len : 0;
}

bool kafka_frame_is_for(struct text frame, int32_t id)
{
	struct wire_reader r = wire_reader_of(frame);

	return wire_i32(&r) == id && !r.bad;
}

/* ---- ApiVersions ---- */

void kafka_ask_versions(struct buf *out, int32_t id, int16_t version)
{
	bool flexible = version >= 3;
	size_t frame = wire_open_frame(out, KAFKA_API_VERSIONS, version, id, flexible);

	if (flexible) {
		wire_put_string(out, text_of(client_id), true);
		wire_put_string(out, text_of(client_version), true);
		wire_put_tags(out);
	}
	wire_close_frame(out, frame);
}

static void read_keys(struct wire_reader *r, bool compact, struct kafka_versions *out)
{
	for (size_t n = wire_count(r, compact); n && !r->bad; n--) {
		int16_t key = wire_i16(r), low = wire_i16(r), high = wire_i16(r);

		if (compact)
			wire_skip_tags(r);
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

static void read_features(struct wire_reader *r, bool final, struct kafka_versions *out)
{
	for (size_t n = wire_count(r, true); n && !r->bad; n--) {
		struct text name = wire_string(r, true);
		int16_t first = wire_i16(r), second = wire_i16(r);

		wire_skip_tags(r);
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

static void read_version_tags(struct wire_reader *r, struct kafka_versions *out)
{
	for (uint32_t n = wire_varint(r); n && !r->bad; n--) {
		uint32_t tag = wire_varint(r), len = wire_varint(r);
		const unsigned char *at = wire_take(r, len);
		struct wire_reader field = {at, len, at == NULL};

		if (tag == 0 || tag == 2)
			read_features(&field, tag == 2, out);
		r->bad |= field.bad;
	}
}

bool kafka_read_versions(struct text frame, int16_t version, struct kafka_versions *out)
{
	struct wire_reader r = wire_open_answer(frame, false); /* this one answer has the old header in every version */
	bool flexible;

	*out = (struct kafka_versions){.metadata_low = -1, .metadata_high = -1, .metadata_final = -1};
	memset(out->low, 0xff, sizeof out->low);
	memset(out->high, 0xff, sizeof out->high);
	out->error = wire_i16(&r);
	flexible = version >= 3 && out->error != KAFKA_UNSUPPORTED_VERSION; /* who does not know v3 says so in v0 */
	read_keys(&r, flexible, out);
	if (flexible) {
		wire_i32(&r); /* throttle time */
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
	size_t frame = wire_open_frame(out, KAFKA_METADATA, version, id, flexible);

	if (flexible)
		wire_put_varint(out, 0);      /* all topics */
	else
		wire_put(out, UINT32_MAX, 4);
	wire_put(out, 0, 1);                  /* makes none */
	if (flexible) {
		wire_put(out, 0, 1);          /* without what we may do */
		wire_put_tags(out);
	}
	wire_close_frame(out, frame);
}

/* Broker ids; the first of them are kept. */
static size_t read_ids(struct wire_reader *r, bool compact, int32_t *out)
{
	size_t n = wire_count(r, compact);

	for (size_t i = 0; i < n && !r->bad; i++) {
		int32_t id = wire_i32(r);

		if (out && i < KAFKA_REPLICAS_MAX)
			out[i] = id;
	}
	return n;
}

static void read_partition(struct wire_reader *r, bool flexible, const struct kafka_metadata_sink *sink)
{
	struct kafka_partition p = {0};

	p.error = wire_i16(r);
	p.index = wire_i32(r);
	p.leader = wire_i32(r);
	if (flexible)
		wire_i32(r); /* its epoch */
	p.n_replicas = read_ids(r, flexible, p.replicas);
	p.n_in_sync = read_ids(r, flexible, p.in_sync);
	if (flexible) {
		read_ids(r, true, NULL); /* offline */
		wire_skip_tags(r);
	}
	if (!r->bad)
		sink->partition(sink->ctx, &p);
}

static void read_topic(struct wire_reader *r, bool flexible, const struct kafka_metadata_sink *sink)
{
	struct kafka_topic_told t = {.error = wire_i16(r), .id = TEXT("")};

	t.name = wire_string(r, flexible);
	if (flexible)
		t.id = wire_slice(r, 16);
	t.internal = wire_boolean(r);
	t.n_partitions = wire_count(r, flexible);
	if (!r->bad)
		sink->topic(sink->ctx, &t);
	for (size_t n = t.n_partitions; n && !r->bad; n--)
		read_partition(r, flexible, sink);
	if (flexible) {
		wire_i32(r); /* what we may do */
		wire_skip_tags(r);
	}
}

bool kafka_read_metadata(struct text frame, int16_t version, const struct kafka_metadata_sink *sink)
{
	bool flexible = version >= 9;
	struct wire_reader r = wire_open_answer(frame, flexible);
	struct text cluster;
	int32_t controller;

	wire_i32(&r); /* throttle time */
	for (size_t n = wire_count(&r, flexible); n && !r.bad; n--) {
		int32_t id = wire_i32(&r);
		struct text host = wire_string(&r, flexible);
		int32_t port = wire_i32(&r);

		wire_string(&r, flexible); /* rack */
		if (flexible)
			wire_skip_tags(&r);
		if (!r.bad)
			sink->broker(sink->ctx, id, host, port);
	}
	cluster = wire_string(&r, flexible);
	controller = wire_i32(&r);
	if (!r.bad)
		sink->cluster(sink->ctx, cluster, controller);
	for (size_t n = wire_count(&r, flexible); n && !r.bad; n--)
		read_topic(&r, flexible, sink);
	if (flexible)
		wire_skip_tags(&r);
	return !r.bad;
}

/* ---- DescribeQuorum ---- */

void kafka_ask_quorum(struct buf *out, int32_t id)
{
	size_t frame = wire_open_frame(out, KAFKA_DESCRIBE_QUORUM, 0, id, true);

	wire_put_varint(out, 2); /* one topic */
	wire_put_string(out, TEXT("__cluster_metadata"), true);
	wire_put_varint(out, 2); /* one partition */
	wire_put(out, 0, 4);
	wire_put_tags(out);
	wire_put_tags(out);
	wire_put_tags(out);
	wire_close_frame(out, frame);
}

static void read_replicas(struct wire_reader *r, bool voter, void (*member)(void *ctx, int32_t id, int64_t end, bool voter), void *ctx)
{
	for (size_t n = wire_count(r, true); n && !r->bad; n--) {
		int32_t id = wire_i32(r);
		int64_t end = wire_i64(r);

		wire_skip_tags(r);
		if (!r->bad)
			member(ctx, id, end, voter);
	}
}

bool kafka_read_quorum(struct text frame, struct kafka_quorum *out,
	void (*member)(void *ctx, int32_t id, int64_t end, bool voter), void *ctx)
{
	struct wire_reader r = wire_open_answer(frame, true);

	*out = (struct kafka_quorum){.error = wire_i16(&r), .leader = -1, .epoch = -1, .high_watermark = -1};
	for (size_t topics = wire_count(&r, true); topics && !r.bad; topics--) {
		wire_string(&r, true);
		for (size_t n = wire_count(&r, true); n && !r.bad; n--) {
			int16_t error;

			wire_i32(&r); /* index */
			error = wire_i16(&r);
			out->error = out->error ? out->error : error;
			out->leader = wire_i32(&r);
			out->epoch = wire_i32(&r);
			out->high_watermark = wire_i64(&r);
			read_replicas(&r, true, member, ctx);
			read_replicas(&r, false, member, ctx);
			wire_skip_tags(&r);
		}
		wire_skip_tags(&r);
	}
	wire_skip_tags(&r);
	return !r.bad;
}
