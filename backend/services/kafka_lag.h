// SPDX-License-Identifier: MIT
/*
 * How far behind consumer groups are, and whether they get on: what was committed, joined with where
 * partitions end, and with what the looks before saw of both. Pure; one owner. Filled by one look at a
 * cluster, joined with the look before, then counted; the look before is then of no more use.
 */
#ifndef LAKETOP_SERVICES_KAFKA_LAG_H
#define LAKETOP_SERVICES_KAFKA_LAG_H

#include "mem.h"

enum {
	KAFKA_WINDOW_MS = 90000,   /* Connect commits once a minute: what has not moved for longer stands still */
	KAFKA_REWOUND_MS = 600000, /* who went back is said to have for so long, or until it is where it was */
	KAFKA_RATE_MS = 60000,     /* ends are compared over so long at most */
	KAFKA_ANEW_MS = 3600000,   /* a topic that was made anew is said to be for so long */
	KAFKA_SAMPLES = 12, KAFKA_TREND = KAFKA_SAMPLES + 1,
	KAFKA_ID = 16,
};

/* By Burrow's rules, from what is well to what is worst. */
enum kafka_lag_state { KAFKA_LAG_OK, KAFKA_LAG_UNKNOWN, KAFKA_LAG_SLOW, KAFKA_LAG_REWOUND, KAFKA_LAG_STALLED, KAFKA_LAG_STOPPED };
const char *kafka_lag_word(enum kafka_lag_state state);

struct kafka_topic {
	const char *name;
	unsigned char id[KAFKA_ID];  /* all zero: not told */
	int16_t error;
	bool internal;
	size_t first, n_partitions;  /* in kafka_lag.places */
	size_t n_replicas;           /* most of its partitions */
	size_t under_replicated, no_leader;
	size_t shrunk;               /* under-replicated, with a leader */
	int64_t anew_at;             /* clock_ms() when it was seen to be another one than before; 0: never */
	int64_t configs_at;          /* clock_ms() when it told what follows; 0: never */
	int64_t retention;           /* ms; -1: for ever; -2: not known */
	int compacted;               /* -1: not known */
	const char *said;            /* the look's own: its name where rows keep it */
};
struct kafka_place { /* one partition */
	uint32_t topic;
	int32_t leader;
	int64_t end, beginning;      /* -1: not known */
	int64_t end_at, beginning_at; /* clock_ms() when it was told; 0: never */
	int64_t old_end, old_end_at; /* the same, longer ago */
	int64_t size;                /* bytes on its leader; -1: not known */
	bool wanted;                 /* somebody committed there: its end counts */
};
struct kafka_sample { /* of a group */
	int64_t at, lag;
	int64_t in, out;             /* records written and read since the first one */
};
struct kafka_group {
	const char *name, *protocol, *state, *type; /* clean; "" unknown */
	int32_t broker;              /* that coordinates it */
	int64_t members;             /* -1: not known */
	bool picked;                 /* asked in this look */
	bool told;                   /* its commits are known */
	int64_t asked_at;            /* clock_ms() when they were told; 0: never */
	int64_t moved_wall;          /* ms since 1970: when a commit was seen to have changed; 0: never */
	struct kafka_sample samples[KAFKA_SAMPLES]; /* oldest first */
	size_t n_samples;
	/* counted: */
	int64_t lag;                 /* of the partitions known */
	size_t partitions, unknown;  /* assigned or committed; of these without a lag */
	size_t uncommitted, n_reset, n_anew;
	int64_t lost;                /* records that were deleted before they were read */
	enum kafka_lag_state lag_state; /* the worst of its partitions */
	size_t worst, n_worst;       /* the first commit of that state in kafka_lag.commits, and how many are */
	size_t first;                /* of its partitions in kafka_lag.commits */
};
struct kafka_commit { /* one partition of a group */
	uint32_t group, place;
	int64_t offset;              /* -1: assigned and not committed */
	int64_t end, beginning;      /* when it was asked; -1: not known */
	const char *member;          /* that it is assigned to; NULL: none known */
	/* clock_ms(), 0: never */
	int64_t first_at;            /* first sample with a lag */
	int64_t moved_at, zero_at, fell_at; /* seen: another commit, no lag, less lag */
	int64_t back_at, back_from;  /* it went back, from where (-1: no, or it is there again) */
};
struct kafka_lag {
	struct arena *arena;         /* the names */
	struct kafka_topic *topics;
	struct kafka_place *places;
	struct kafka_group *groups;
	struct kafka_commit *commits;
	size_t n_topics, n_places, n_groups, n_commits;
	size_t topic_room, place_room, group_room, commit_room;
	uint32_t topic_found;        /* commits on one topic come together */
	bool full;                   /* a cap was reached: sums are "at least" */
	bool topics_done, groups_done; /* none comes any more: they are sorted */
	int64_t at, wall;            /* of the look */
};

void kafka_lag_begin(struct kafka_lag *lag, int64_t now, int64_t wall);
void kafka_lag_end(struct kafka_lag *lag);

/* Topics first, each before its partitions. NULL where a cap was reached. */
struct kafka_topic *kafka_lag_topic(struct kafka_lag *lag, struct text name, size_t n_partitions);
struct kafka_place *kafka_lag_place(struct kafka_lag *lag, int32_t partition); /* of the topic before; NULL: none such */
/* before: the last look, or NULL. What it knew of a topic that is still the same holds on. */
void kafka_lag_topics_done(struct kafka_lag *lag, const struct kafka_lag *before);
struct kafka_topic *kafka_lag_topic_named(const struct kafka_lag *lag, struct text name); /* NULL: none */
/* UINT32_MAX: no such topic or partition (any more). */
uint32_t kafka_lag_find(struct kafka_lag *lag, struct text topic, int32_t partition);
void kafka_lag_edge(struct kafka_lag *lag, uint32_t place, bool beginning, int64_t offset, int64_t now);

/* Then groups; a name that comes twice counts once. NULL where a cap was reached. */
struct kafka_group *kafka_lag_group(struct kafka_lag *lag, struct text name);
void kafka_lag_groups_done(struct kafka_lag *lag, const struct kafka_lag *before);
struct kafka_group *kafka_lag_group_named(const struct kafka_lag *lag, struct text name);
/* Picks which groups are asked now: those never asked, then by how long ago; who is behind or moves comes sooner. */
void kafka_lag_pick(struct kafka_lag *lag, size_t most);

/* Then what they committed and are assigned. What is committed on a topic that is gone is dropped. */
void kafka_lag_commit(struct kafka_lag *lag, const struct kafka_group *group, struct text topic, int32_t partition,
	int64_t offset);
void kafka_lag_assigned(struct kafka_lag *lag, const struct kafka_group *group, const char *member, struct text topic,
	int32_t partition);

/* Last. Groups that were not asked stand as they stood in the look before. */
void kafka_lag_count(struct kafka_lag *lag, const struct kafka_lag *before);
/* Groups that commit offsets at all: not those of Connect workers, nor share groups. */
bool kafka_lag_counts(const struct kafka_group *group);
struct kafka_lag_sum {
	int64_t lag;
	bool at_least; /* parts of it are not known */
} kafka_lag_sum(const struct kafka_lag *lag);

/* ---- of one partition, one group, one topic ---- */
int64_t kafka_commit_lag(const struct kafka_commit *c); /* -1: not known; a commit beyond the end: 0 */
/* Takes what the sample before saw; before is NULL at the first one. */
void kafka_commit_sample(struct kafka_commit *c, const struct kafka_commit *before, int64_t now);
enum kafka_lag_state kafka_commit_state(const struct kafka_commit *c, bool has_members, int64_t now);
bool kafka_group_has_members(const struct kafka_group *g);
/* Records a second, over the window. False: not known yet. */
bool kafka_group_rates(const struct kafka_group *g, double *in, double *out);
void kafka_group_trend(const struct kafka_group *g, char out[KAFKA_TREND]);
bool kafka_topic_rate(const struct kafka_lag *lag, const struct kafka_topic *t, double *rate);

#endif
