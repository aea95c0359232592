// SPDX-License-Identifier: MIT
/*
 * Kafka's protocol, as far as a watcher needs it: requests written, answers read. Pure; fuzzed as
 * kafka_wire. A reader calls back for what it meets and says false where the bytes make no sense or
 * end too soon; what was called back by then holds.
 *
 * Request versions are the lowest that carry what is shown and that every broker from 3.0 to 4.4 knows.
 */
#ifndef LAKETOP_SERVICES_KAFKA_WIRE_H
#define LAKETOP_SERVICES_KAFKA_WIRE_H

#include "mem.h"

enum kafka_key {
	KAFKA_LIST_OFFSETS = 2,
	KAFKA_METADATA = 3,
	KAFKA_LEADER_AND_ISR = 4,
	KAFKA_OFFSET_COMMIT = 8,
	KAFKA_OFFSET_FETCH = 9,
	KAFKA_DESCRIBE_GROUPS = 15,
	KAFKA_LIST_GROUPS = 16,
	KAFKA_API_VERSIONS = 18,
	KAFKA_DESCRIBE_CONFIGS = 32,
	KAFKA_DESCRIBE_LOG_DIRS = 35,
	KAFKA_VOTE = 52,
	KAFKA_DESCRIBE_QUORUM = 55,
	KAFKA_CONSUMER_GROUP_DESCRIBE = 69,
	KAFKA_KEYS = 128, /* more than are assigned; forks begin at 500 */
};

enum kafka_error { /* the few that mean something here */
	KAFKA_OK = 0,
	KAFKA_UNKNOWN_TOPIC = 3,
	KAFKA_LEADER_NOT_AVAILABLE = 5,
	KAFKA_NOT_LEADER = 6,
	KAFKA_COORDINATOR_LOADING = 14,
	KAFKA_COORDINATOR_NOT_AVAILABLE = 15,
	KAFKA_NOT_COORDINATOR = 16,
	KAFKA_ILLEGAL_GENERATION = 22,
	KAFKA_UNKNOWN_MEMBER = 25,
	KAFKA_REBALANCES = 27,
	KAFKA_TOPIC_DENIED = 29,
	KAFKA_GROUP_DENIED = 30,
	KAFKA_CLUSTER_DENIED = 31,
	KAFKA_UNSUPPORTED_VERSION = 35,
};
const char *kafka_error_words(int16_t error); /* NULL: not one of them */

/* ---- frames ---- */

enum { KAFKA_HEAD = 8 }; /* size and correlation id of an answer */
/* The length of what follows the first four bytes; 0: no answer of Kafka begins so. */
size_t kafka_frame(const unsigned char head[4], size_t most);
bool kafka_frame_is_for(struct text frame, int32_t id); /* frame: what follows its length */

/* ---- ApiVersions ---- */

struct kafka_versions {
	int16_t error;
	int16_t low[KAFKA_KEYS], high[KAFKA_KEYS]; /* -1: not spoken */
	size_t n_keys;
	bool foreign;                /* keys that no release of Apache Kafka has */
	int16_t metadata_low, metadata_high; /* metadata.version that it supports; -1: not told */
	int16_t metadata_final;      /* that its cluster runs; -1: not told */
};
void kafka_ask_versions(struct buf *out, int32_t id, int16_t version); /* 0 or 3 */
bool kafka_read_versions(struct text frame, int16_t version, struct kafka_versions *out);
bool kafka_speaks(const struct kafka_versions *v, enum kafka_key key, int16_t version);

enum kafka_part { KAFKA_NEITHER, KAFKA_BROKER, KAFKA_ZOOKEEPER_BROKER, KAFKA_CONTROLLER };
enum kafka_part kafka_part(const struct kafka_versions *v);

struct kafka_release { /* a minor line: the protocol never tells the patch level */
	char version[8]; /* "4.1"; "" unknown */
	char from[96];   /* "metadata.version supported up to 27" */
};
void kafka_release(const struct kafka_versions *v, struct kafka_release *out);

/* ---- Metadata: v12 tells a topic's id, which another topic of the same name has not; else v4 ---- */

enum { KAFKA_REPLICAS_MAX = 32 };
struct kafka_partition {
	int16_t error;
	int32_t index, leader;
	size_t n_replicas, n_in_sync;
	int32_t replicas[KAFKA_REPLICAS_MAX], in_sync[KAFKA_REPLICAS_MAX]; /* the first of them */
};
struct kafka_topic_told {
	int16_t error;
	struct text name, id;        /* id: 16 bytes; empty where it is not told */
	bool internal;
	size_t n_partitions;
};
struct kafka_metadata_sink {
	void *ctx;
	void (*broker)(void *ctx, int32_t id, struct text host, int32_t port);
	void (*cluster)(void *ctx, struct text id, int32_t controller);
	void (*topic)(void *ctx, const struct kafka_topic_told *topic);
	void (*partition)(void *ctx, const struct kafka_partition *partition); /* of the topic before */
};
void kafka_ask_metadata(struct buf *out, int32_t id, int16_t version); /* 4 or 12; all topics; none is made */
bool kafka_read_metadata(struct text frame, int16_t version, const struct kafka_metadata_sink *sink);

/* ---- DescribeQuorum v0 ---- */

struct kafka_quorum {
	int16_t error;
	int32_t leader, epoch;   /* -1: none */
	int64_t high_watermark;
};
void kafka_ask_quorum(struct buf *out, int32_t id);
/* member: voters first, then observers. */
bool kafka_read_quorum(struct text frame, struct kafka_quorum *out,
	void (*member)(void *ctx, int32_t id, int64_t end, bool voter), void *ctx);

/* ---- groups ---- */

struct kafka_listed {
	struct text name, protocol, state, type; /* state from v4, type from v5 on; else empty */
};
void kafka_ask_groups(struct buf *out, int32_t id, int16_t version); /* 3 to 5 */
bool kafka_read_groups(struct text frame, int16_t version, int16_t *error,
	void (*group)(void *ctx, const struct kafka_listed *g), void *ctx);

/* Members, and what they are assigned: DescribeGroups v0, ConsumerGroupDescribe v0. */
struct kafka_members_sink {
	void *ctx;
	void (*group)(void *ctx, int16_t error, struct text name, struct text state, size_t n_members);
	void (*member)(void *ctx, struct text id); /* of the group before; NULL: not wanted */
	void (*assigned)(void *ctx, struct text topic, int32_t partition); /* of the member before */
};
void kafka_ask_members(struct buf *out, int32_t id, enum kafka_key key, const struct text *groups, size_t n);
bool kafka_read_members(struct text frame, enum kafka_key key, const struct kafka_members_sink *sink);

/* Committed offsets of many groups: OffsetFetch v8. */
struct kafka_committed_sink {
	void *ctx;
	void (*group)(void *ctx, struct text name);
	void (*committed)(void *ctx, struct text topic, int32_t partition, int64_t offset, int16_t error);
	void (*done)(void *ctx, int16_t error); /* of the group before */
};
void kafka_ask_committed(struct buf *out, int32_t id, const struct text *groups, size_t n);
bool kafka_read_committed(struct text frame, const struct kafka_committed_sink *sink);

/* Where partitions end or begin: ListOffsets v2, read_uncommitted. Partitions in any order; those of one topic together. */
enum kafka_edge { KAFKA_END = -1, KAFKA_BEGINNING = -2 }; /* or ms since 1970: the first record that is not older; -1 where there is none */
struct kafka_wanted {
	struct text topic;
	int32_t partition;
};
void kafka_ask_edges(struct buf *out, int32_t id, int64_t edge, const struct kafka_wanted *wanted, size_t n);
bool kafka_read_edges(struct text frame,
	void (*each)(void *ctx, struct text topic, int32_t partition, int64_t offset, int16_t error), void *ctx);

/* Commits for a group as one who is no member of it, which is refused while it has any: OffsetCommit v2. Partitions as above. */
void kafka_ask_commit(struct buf *out, int32_t id, struct text group, const struct kafka_wanted *wanted, const int64_t *offsets, size_t n);
bool kafka_read_commit(struct text frame, void (*each)(void *ctx, struct text topic, int32_t partition, int16_t error), void *ctx);

/* What topics are configured to do: DescribeConfigs v1, of these names alone. value is empty where it is null or secret. */
void kafka_ask_configs(struct buf *out, int32_t id, const struct text *topics, size_t n, const struct text *names, size_t n_names);
bool kafka_read_configs(struct text frame,
	void (*config)(void *ctx, struct text topic, struct text name, struct text value), void *ctx);

/* How large the logs of a broker are: DescribeLogDirs v1, of all topics. */
void kafka_ask_sizes(struct buf *out, int32_t id);
bool kafka_read_sizes(struct text frame, void (*size)(void *ctx, struct text topic, int32_t partition, int64_t bytes), void *ctx);

#endif
