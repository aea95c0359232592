// SPDX-License-Identifier: MIT
/*
 * How far behind consumer groups are: what was committed, joined with where partitions end. Pure;
 * one owner. Filled by one look at a cluster, then counted once.
 */
#ifndef LAKETOP_SERVICES_KAFKA_LAG_H
#define LAKETOP_SERVICES_KAFKA_LAG_H

#include "mem.h"

struct kafka_topic {
	const char *name;
	int16_t error;
	bool internal;
	size_t first, n_partitions;  /* in kafka_lag.places */
	size_t n_replicas;           /* most of its partitions */
	size_t under_replicated, no_leader;
	size_t shrunk;               /* under-replicated, with a leader */
};
struct kafka_place { /* one partition */
	uint32_t topic;
	int32_t leader;
	int64_t end;                 /* -1: not known */
	bool wanted;                 /* somebody committed there: its end counts */
};
struct kafka_group {
	const char *name, *protocol, *state, *type; /* clean; "" unknown */
	int32_t broker;              /* that coordinates it */
	int64_t members;             /* -1: not known */
	bool told;                   /* its commits are known */
	/* counted: */
	int64_t lag;                 /* of the partitions known */
	size_t partitions, unknown;  /* assigned or committed; of these without a lag */
};
struct kafka_commit {
	uint32_t group, place;
	int64_t offset;              /* -1: assigned and not committed */
};
struct kafka_lag {
	struct arena *arena;         /* the names */
	struct kafka_topic *topics;
	struct kafka_place *places;
	struct kafka_group *groups;
	struct kafka_commit *commits;
	size_t n_topics, n_places, n_groups, n_commits;
	size_t topic_room, place_room, group_room, commit_room;
	size_t found;                /* where the next group named is looked for first */
	bool full;                   /* a cap was reached: sums are "at least" */
	bool sorted;                 /* no topic comes any more */
};

void kafka_lag_begin(struct kafka_lag *lag);
void kafka_lag_end(struct kafka_lag *lag);

/* Topics first, each before its partitions. NULL where a cap was reached. */
struct kafka_topic *kafka_lag_topic(struct kafka_lag *lag, struct text name, size_t n_partitions);
struct kafka_place *kafka_lag_place(struct kafka_lag *lag, int32_t partition); /* of the topic before; NULL: none such */
void kafka_lag_topics_done(struct kafka_lag *lag);
/* UINT32_MAX: no such topic or partition (any more). */
uint32_t kafka_lag_find(const struct kafka_lag *lag, struct text topic, int32_t partition);

/* NULL where it is known already, or a cap was reached. */
struct kafka_group *kafka_lag_group(struct kafka_lag *lag, struct text name);
struct kafka_group *kafka_lag_group_named(struct kafka_lag *lag, struct text name);
/* What is committed on a topic that is gone is dropped. */
void kafka_lag_commit(struct kafka_lag *lag, const struct kafka_group *group, struct text topic, int32_t partition,
	int64_t offset);
void kafka_lag_assigned(struct kafka_lag *lag, const struct kafka_group *group, struct text topic, int32_t partition);

void kafka_lag_count(struct kafka_lag *lag);
/* Groups that commit offsets at all: not those of Connect workers, nor share groups. */
bool kafka_lag_counts(const struct kafka_group *group);
struct kafka_lag_sum {
	int64_t lag;
	bool at_least; /* parts of it are not known */
} kafka_lag_sum(const struct kafka_lag *lag);

#endif
