// SPDX-License-Identifier: MIT
/*
 * Kafka's messages about groups, offsets, configurations and sizes, beside those of kafka_wire.c. Pure, any
 * thread. Sources: as there.
 */
#include "kafka_bytes.h"

#include <string.h>

/* ---- groups ---- */

void kafka_ask_groups(struct buf *out, int32_t id, int16_t version)
{
	size_t frame = wire_open_frame(out, KAFKA_LIST_GROUPS, version, id, true);

	if (version >= 4)
		wire_put_varint(out, 1); /* in every state */
	if (version >= 5)
		wire_put_varint(out, 1); /* of every type */
	wire_put_tags(out);
	wire_close_frame(out, frame);
}

bool kafka_read_groups(struct text frame, int16_t version, int16_t *error,
	void (*group)(void *ctx, const struct kafka_listed *g), void *ctx)
{
	struct wire_reader r = wire_open_answer(frame, true);

	wire_i32(&r); /* throttle time */
	*error = wire_i16(&r);
	for (size_t n = wire_count(&r, true); n && !r.bad; n--) {
		struct kafka_listed g = {.name = wire_string(&r, true), .protocol = TEXT("")};

		g.protocol = wire_string(&r, true);
		g.state = version >= 4 ? wire_string(&r, true) : TEXT("");
		g.type = version >= 5 ? wire_string(&r, true) : TEXT("");
		wire_skip_tags(&r);
		if (!r.bad)
			group(ctx, &g);
	}
	wire_skip_tags(&r);
	return !r.bad;
}

void kafka_ask_members(struct buf *out, int32_t id, enum kafka_key key, const struct text *groups, size_t n)
{
	bool flexible = key == KAFKA_CONSUMER_GROUP_DESCRIBE;
	size_t frame = wire_open_frame(out, key, 0, id, flexible);

	if (flexible)
		wire_put_varint(out, n + 1);
	else
		wire_put(out, n, 4);
	for (size_t i = 0; i < n; i++)
		wire_put_string(out, groups[i], flexible);
	if (flexible) {
		wire_put(out, 0, 1); /* without what we may do */
		wire_put_tags(out);
	}
	wire_close_frame(out, frame);
}

/* What a classic member of a group of consumers was assigned: its own little format. */
static void read_assignment(struct text bytes, const struct kafka_members_sink *sink)
{
	struct wire_reader r = wire_reader_of(bytes);

	wire_i16(&r); /* version: later ones only add at the end */
	for (size_t topics = wire_count(&r, false); topics && !r.bad; topics--) {
		struct text topic = wire_string(&r, false);

		for (size_t n = wire_count(&r, false); n && !r.bad; n--) {
			int32_t partition = wire_i32(&r);

			if (!r.bad)
				sink->assigned(sink->ctx, topic, partition);
		}
	}
}

static void read_classic_group(struct wire_reader *r, const struct kafka_members_sink *sink)
{
	int16_t error = wire_i16(r);
	struct text name = wire_string(r, false), state = wire_string(r, false), type = wire_string(r, false);
	size_t members;

	wire_string(r, false); /* assignor */
	members = wire_count(r, false);
	if (!r->bad)
		sink->group(sink->ctx, error, name, state, members);
	for (; members && !r->bad; members--) {
		struct text assignment, id = wire_string(r, false);

		wire_string(r, false); /* client and host */
		wire_string(r, false);
		if (!r->bad && sink->member)
			sink->member(sink->ctx, id);
		wire_slice(r, wire_length(r, 4, false)); /* subscription */
		assignment = wire_slice(r, wire_length(r, 4, false));
		if (!r->bad && text_is(type, "consumer"))
			read_assignment(assignment, sink);
	}
}

static void read_topic_partitions(struct wire_reader *r, const struct kafka_members_sink *sink, bool told)
{
	for (size_t topics = wire_count(r, true); topics && !r->bad; topics--) {
		struct text topic;

		wire_take(r, 16); /* topic id */
		topic = wire_string(r, true);
		for (size_t n = wire_count(r, true); n && !r->bad; n--) {
			int32_t partition = wire_i32(r);

			if (!r->bad && told)
				sink->assigned(sink->ctx, topic, partition);
		}
		wire_skip_tags(r);
	}
	wire_skip_tags(r);
}

static void read_consumer_member(struct wire_reader *r, const struct kafka_members_sink *sink)
{
	struct text id = wire_string(r, true);

	wire_string(r, true);         /* instance and rack */
	wire_string(r, true);
	if (!r->bad && sink->member)
		sink->member(sink->ctx, id);
	wire_i32(r);                  /* epoch */
	wire_string(r, true);         /* client */
	wire_string(r, true);         /* host */
	for (size_t n = wire_count(r, true); n && !r->bad; n--)
		wire_string(r, true); /* subscribed topics */
	wire_string(r, true);         /* and a pattern of them */
	read_topic_partitions(r, sink, true);
	read_topic_partitions(r, sink, false); /* the target, which it may not have yet */
	wire_skip_tags(r);
}

static void read_consumer_group(struct wire_reader *r, const struct kafka_members_sink *sink)
{
	int16_t error = wire_i16(r);
	struct text name, state;
	size_t members;

	wire_string(r, true); /* the error in words */
	name = wire_string(r, true);
	state = wire_string(r, true);
	wire_i32(r);          /* epochs of group and assignment */
	wire_i32(r);
	wire_string(r, true); /* assignor */
	members = wire_count(r, true);
	if (!r->bad)
		sink->group(sink->ctx, error, name, state, members);
	for (; members && !r->bad; members--)
		read_consumer_member(r, sink);
	wire_i32(r); /* what we may do */
	wire_skip_tags(r);
}

bool kafka_read_members(struct text frame, enum kafka_key key, const struct kafka_members_sink *sink)
{
	bool flexible = key == KAFKA_CONSUMER_GROUP_DESCRIBE;
	struct wire_reader r = wire_open_answer(frame, flexible);

	if (flexible)
		wire_i32(&r); /* throttle time */
	for (size_t n = wire_count(&r, flexible); n && !r.bad; n--)
		if (flexible)
			read_consumer_group(&r, sink);
		else
			read_classic_group(&r, sink);
	return !r.bad;
}

/* ---- offsets ---- */

void kafka_ask_committed(struct buf *out, int32_t id, const struct text *groups, size_t n)
{
	size_t frame = wire_open_frame(out, KAFKA_OFFSET_FETCH, 8, id, true);

	wire_put_varint(out, n + 1);
	for (size_t i = 0; i < n; i++) {
		wire_put_string(out, groups[i], true);
		wire_put_varint(out, 0); /* null: every topic that it committed */
		wire_put_tags(out);
	}
	wire_put(out, 0, 1); /* without waiting for open transactions */
	wire_put_tags(out);
	wire_close_frame(out, frame);
}

static void read_committed_topic(struct wire_reader *r, const struct kafka_committed_sink *sink)
{
	struct text topic = wire_string(r, true);

	for (size_t n = wire_count(r, true); n && !r->bad; n--) {
		int32_t partition = wire_i32(r);
		int64_t offset = wire_i64(r);
		int16_t error;

		wire_i32(r);          /* leader epoch */
		wire_string(r, true); /* what the consumer noted beside it */
		error = wire_i16(r);
		wire_skip_tags(r);
		if (!r->bad)
			sink->committed(sink->ctx, topic, partition, offset, error);
	}
	wire_skip_tags(r);
}

bool kafka_read_committed(struct text frame, const struct kafka_committed_sink *sink)
{
	struct wire_reader r = wire_open_answer(frame, true);

	wire_i32(&r); /* throttle time */
	for (size_t groups = wire_count(&r, true); groups && !r.bad; groups--) {
		struct text name = wire_string(&r, true);
		int16_t error;

		if (!r.bad)
			sink->group(sink->ctx, name);
		for (size_t n = wire_count(&r, true); n && !r.bad; n--)
			read_committed_topic(&r, sink);
		error = wire_i16(&r);
		wire_skip_tags(&r);
		if (!r.bad)
			sink->done(sink->ctx, error);
	}
	wire_skip_tags(&r);
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

static size_t topics_of(const struct kafka_wanted *wanted, size_t n)
{
	size_t topics = 0;

	for (size_t i = 0; i < n; i += run_of_topic(wanted + i, n - i))
		topics++;
	return topics;
}

void kafka_ask_edges(struct buf *out, int32_t id, int64_t edge, const struct kafka_wanted *wanted, size_t n)
{
	size_t frame = wire_open_frame(out, KAFKA_LIST_OFFSETS, 2, id, false);

	wire_put(out, UINT32_MAX, 4); /* no replica: a client */
	wire_put(out, 0, 1);          /* read_uncommitted: up to the high watermark */
	wire_put(out, topics_of(wanted, n), 4);
	for (size_t i = 0, run; i < n; i += run) {
		run = run_of_topic(wanted + i, n - i);
		wire_put_string(out, wanted[i].topic, false);
		wire_put(out, run, 4);
		for (size_t k = i; k < i + run; k++) {
			wire_put(out, (uint32_t)wanted[k].partition, 4);
			wire_put(out, (uint64_t)edge, 8);
		}
	}
	wire_close_frame(out, frame);
}

bool kafka_read_edges(struct text frame,
	void (*each)(void *ctx, struct text topic, int32_t partition, int64_t offset, int16_t error), void *ctx)
{
	struct wire_reader r = wire_open_answer(frame, false);

	wire_i32(&r); /* throttle time */
	for (size_t topics = wire_count(&r, false); topics && !r.bad; topics--) {
		struct text topic = wire_string(&r, false);

		for (size_t n = wire_count(&r, false); n && !r.bad; n--) {
			int32_t partition = wire_i32(&r);
			int16_t error = wire_i16(&r);
			int64_t offset;

			wire_i64(&r); /* timestamp */
			offset = wire_i64(&r);
			if (!r.bad)
				each(ctx, topic, partition, offset, error);
		}
	}
	return !r.bad;
}

void kafka_ask_commit(struct buf *out, int32_t id, struct text group, const struct kafka_wanted *wanted, const int64_t *offsets, size_t n)
{
	size_t frame = wire_open_frame(out, KAFKA_OFFSET_COMMIT, 2, id, false);

	wire_put_string(out, group, false);
	wire_put(out, UINT32_MAX, 4); /* no generation */
	wire_put(out, 0, 2);          /* no member */
	wire_put(out, UINT64_MAX, 8); /* kept for as long as the broker keeps any */
	wire_put(out, topics_of(wanted, n), 4);
	for (size_t i = 0, run; i < n; i += run) {
		run = run_of_topic(wanted + i, n - i);
		wire_put_string(out, wanted[i].topic, false);
		wire_put(out, run, 4);
		for (size_t k = i; k < i + run; k++) {
			wire_put(out, (uint32_t)wanted[k].partition, 4);
			wire_put(out, (uint64_t)offsets[k], 8);
			wire_put(out, 0, 2); /* nothing is noted beside it */
		}
	}
	wire_close_frame(out, frame);
}

bool kafka_read_commit(struct text frame, void (*each)(void *ctx, struct text topic, int32_t partition, int16_t error), void *ctx)
{
	struct wire_reader r = wire_open_answer(frame, false);

	for (size_t topics = wire_count(&r, false); topics && !r.bad; topics--) {
		struct text topic = wire_string(&r, false);

		for (size_t n = wire_count(&r, false); n && !r.bad; n--) {
			int32_t partition = wire_i32(&r);
			int16_t error = wire_i16(&r);

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
	size_t frame = wire_open_frame(out, KAFKA_DESCRIBE_CONFIGS, 1, id, false);

	wire_put(out, n, 4);
	for (size_t i = 0; i < n; i++) {
		wire_put(out, RESOURCE_TOPIC, 1);
		wire_put_string(out, topics[i], false);
		wire_put(out, n_names, 4);
		for (size_t k = 0; k < n_names; k++)
			wire_put_string(out, names[k], false);
	}
	wire_put(out, 0, 1); /* without where each value is from */
	wire_close_frame(out, frame);
}

static void read_config(struct wire_reader *r, struct text topic,
	void (*config)(void *ctx, struct text topic, struct text name, struct text value), void *ctx)
{
	struct text name = wire_string(r, false), value = wire_string(r, false);
	bool secret;

	wire_boolean(r);   /* read only */
	wire_number(r, 1); /* where it is from */
	secret = wire_boolean(r);
	for (size_t n = wire_count(r, false); n && !r->bad; n--) {
		wire_string(r, false);
		wire_string(r, false);
		wire_number(r, 1);
	}
	if (!r->bad)
		config(ctx, topic, name, secret ? TEXT("") : value);
}

bool kafka_read_configs(struct text frame, void (*config)(void *ctx, struct text topic, struct text name, struct text value), void *ctx)
{
	struct wire_reader r = wire_open_answer(frame, false);

	wire_i32(&r); /* throttle time */
	for (size_t n = wire_count(&r, false); n && !r.bad; n--) {
		struct text topic;

		wire_i16(&r);           /* error */
		wire_string(&r, false); /* in words */
		wire_number(&r, 1);     /* type */
		topic = wire_string(&r, false);
		for (size_t k = wire_count(&r, false); k && !r.bad; k--)
			read_config(&r, topic, config, ctx);
	}
	return !r.bad;
}

/* ---- sizes ---- */

void kafka_ask_sizes(struct buf *out, int32_t id)
{
	size_t frame = wire_open_frame(out, KAFKA_DESCRIBE_LOG_DIRS, 1, id, false);

	wire_put(out, UINT32_MAX, 4); /* all topics */
	wire_close_frame(out, frame);
}

bool kafka_read_sizes(struct text frame, void (*size)(void *ctx, struct text topic, int32_t partition, int64_t bytes), void *ctx)
{
	struct wire_reader r = wire_open_answer(frame, false);

	wire_i32(&r); /* throttle time */
	for (size_t dirs = wire_count(&r, false); dirs && !r.bad; dirs--) {
		wire_i16(&r);           /* error */
		wire_string(&r, false); /* folder */
		for (size_t topics = wire_count(&r, false); topics && !r.bad; topics--) {
			struct text topic = wire_string(&r, false);

			for (size_t n = wire_count(&r, false); n && !r.bad; n--) {
				int32_t partition = wire_i32(&r);
				int64_t bytes = wire_i64(&r);

				wire_i64(&r); /* how far behind the log it is */
				if (!wire_boolean(&r) && !r.bad) /* one that is being moved in counts where it is */
					size(ctx, topic, partition, bytes);
			}
		}
	}
	return !r.bad;
}
