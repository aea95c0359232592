// SPDX-License-Identifier: MIT
/* One look at a cluster: what was asked of its brokers, and what they said. Shared by Kafka's files. The actor's thread. */
#ifndef LAKETOP_SERVICES_KAFKA_LOOK_H
#define LAKETOP_SERVICES_KAFKA_LOOK_H

#include "kafka_lag.h"
#include "kafka_line.h"
#include "snapshot.h"

enum { KAFKA_BROKERS_MAX = 32, KAFKA_MISSING_MAX = 8 };

struct kafka_broker {
	int32_t id;
	char host[256];
	int32_t port;
	size_t leads, replicas;
	bool spoken;              /* its line is open */
	bool not_asked;
	char words[160];          /* why it was not, or what went wrong */
	struct kafka_line line;
};

struct kafka_member { /* of the quorum */
	int32_t id;
	int64_t end;
	bool voter;
};

struct kafka_lists { /* of a partition, in words */
	const char *replicas, *in_sync;
};

/* What is kept between looks: the probe's state. */
struct kafka_memory {
	struct kafka_lag lag;     /* the last look's */
	bool begun, whole;        /* there was one; it asked every group */
	size_t cursor;            /* which partition's edges are asked next, where they are too many for one look */
	int64_t sizes_at;         /* clock_ms(); 0: never */
};

enum kafka_depth {
	KAFKA_LOOK_WHOLE,  /* of the depth */
	KAFKA_LOOK_GROUPS, /* all groups, or one, and nothing else */
	KAFKA_LOOK_TOPIC,  /* one topic */
};

struct kafka_look {
	struct probe *p;
	struct snapshot *s;
	struct kafka_memory *memory;
	enum kafka_depth depth;
	const char *only;         /* group or topic; NULL: all */
	struct kafka_broker brokers[KAFKA_BROKERS_MAX];
	size_t n_brokers, brokers_left_off;
	int32_t controller;
	char cluster[128];
	struct kafka_lag lag;
	int32_t missing[KAFKA_MISSING_MAX]; /* brokers that hold replicas and are not alive */
	size_t n_missing;
	size_t topics, partitions, under_replicated, no_leader; /* the first two without internal ones */
	size_t shrunk;             /* that have a leader and are under-replicated */
	struct kafka_topic *topic; /* being read; NULL: left off */
	struct kafka_lists *lists; /* of the only topic; NULL: none */
	size_t n_lists;
	bool listed;               /* the topic being read is the only one */
	struct kafka_group *group; /* being read; NULL: left off */
	const char *member;        /* likewise */
	struct kafka_broker *broker; /* being asked */
	bool beginning;            /* edges: which ones */
	bool groups_whole;         /* every broker told its groups */
	bool asked_all;            /* and the commits of each */
	char groups_words[160];    /* why not */
	struct kafka_quorum quorum;
	bool quorum_told;
	struct err quorum_err;
	struct kafka_member members[KAFKA_BROKERS_MAX];
	size_t n_members;
	const char *source;        /* how Metadata was asked, and how fast */
};

/* On the heap: free with kafka_look_end, which leaves what was seen in the memory. */
struct kafka_look *kafka_look_new(struct probe *p, struct snapshot *s, enum kafka_depth depth, const char *only);
/* first: an open line to a broker. False: s->err says why. */
bool kafka_look_at(struct kafka_look *k, struct kafka_line *first);
bool kafka_look_at_quorum(struct kafka_look *k, struct kafka_line *l, struct err *err);
void kafka_look_end(struct kafka_look *k);
void kafka_forget(void *state);

/* A cluster that just started answers with an empty list and no error. */
bool kafka_is_loading(const struct kafka_look *k);
const char *kafka_advertised(struct arena *arena, const struct kafka_broker *b);
/* Where a name that a broker advertises is to be reached; false: it is another machine's, and is not resolved. */
bool kafka_address(const struct probe *p, const char *host, int32_t port, struct endpoint *out);

/* kafka_tell.c: what is made of it */
void kafka_tell(struct kafka_look *k, enum kafka_part part);
void kafka_tell_quorum(struct kafka_look *k);
const char *kafka_group_note(const struct kafka_look *k, const struct kafka_group *g);
const char *kafka_commit_note(const struct kafka_lag *lag, const struct kafka_commit *c, char out[64]);

/* kafka_views.c: what is asked for */
extern const char *const kafka_view_names[];
bool kafka_answer(struct probe *p, const char *view, const char *subject, struct snapshot *s);

#endif
