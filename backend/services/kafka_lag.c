// SPDX-License-Identifier: MIT
/*
 * How far behind consumer groups are. Committed offsets are read first and ends second, so that a
 * partition is never ahead of its end while records arrive; one that is (its topic was made anew)
 * counts as 0. A partition that is assigned and has no commit is unknown, not 0. Pure.
 *
 * Checked against kafka-consumer-groups --describe --all-groups of 3.9.2 and 4.1.1.
 */
#include "kafka_lag.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 32 << 20, TOPICS_MAX = 200000, PLACES_MAX = 1000000, GROUPS_MAX = 20000, COMMITS_MAX = 4000000 };

void kafka_lag_begin(struct kafka_lag *lag)
{
	*lag = (struct kafka_lag){.arena = arena_new(NAMES_MAX)};
}

void kafka_lag_end(struct kafka_lag *lag)
{
	arena_free(lag->arena);
	free(lag->topics);
	free(lag->places);
	free(lag->groups);
	free(lag->commits);
	*lag = (struct kafka_lag){0};
}

/* Room for n more of *items; false: the cap was reached. */
static bool make_room(struct kafka_lag *lag, void **items, size_t size, size_t used, size_t n, size_t *room, size_t most)
{
	if (n > most - used) {
		lag->full = true;
		return false;
	}
	if (used + n > *room) {
		*room = used + n > *room * 2 ? used + n : *room * 2;
		*items = mem_grow(*items, *room, size);
	}
	return true;
}

/* ---- topics ---- */

struct kafka_topic *kafka_lag_topic(struct kafka_lag *lag, struct text name, size_t n_partitions)
{
	void *topics = lag->topics, *places = lag->places;
	struct kafka_topic *topic;
	bool good = make_room(lag, &topics, sizeof *lag->topics, lag->n_topics, 1, &lag->topic_room, TOPICS_MAX) &&
		make_room(lag, &places, sizeof *lag->places, lag->n_places, n_partitions, &lag->place_room, PLACES_MAX);

	lag->topics = topics;
	lag->places = places;
	if (!good)
		return NULL;
	topic = &lag->topics[lag->n_topics];
	*topic = (struct kafka_topic){.name = arena_copy(lag->arena, name), .first = lag->n_places, .n_partitions = n_partitions};
	for (size_t i = 0; i < n_partitions; i++)
		lag->places[lag->n_places++] = (struct kafka_place){.topic = (uint32_t)lag->n_topics, .leader = -1, .end = -1};
	lag->n_topics++;
	return topic;
}

struct kafka_place *kafka_lag_place(struct kafka_lag *lag, int32_t partition)
{
	const struct kafka_topic *topic = lag->n_topics ? &lag->topics[lag->n_topics - 1] : NULL;

	if (!topic || partition < 0 || (size_t)partition >= topic->n_partitions)
		return NULL;
	return &lag->places[topic->first + (size_t)partition];
}

static int by_name(const void *a, const void *b)
{
	const struct kafka_topic *x = a, *y = b;

	return strcmp(x->name, y->name);
}

void kafka_lag_topics_done(struct kafka_lag *lag)
{
	if (lag->n_topics)
		qsort(lag->topics, lag->n_topics, sizeof *lag->topics, by_name);
	for (size_t t = 0; t < lag->n_topics; t++)
		for (size_t i = 0; i < lag->topics[t].n_partitions; i++)
			lag->places[lag->topics[t].first + i].topic = (uint32_t)t;
	lag->sorted = true;
}

static int compare(struct text a, const char *b)
{
	size_t len = strlen(b);
	int order = memcmp(a.at, b, a.len < len ? a.len : len);

	return order ? order : (a.len > len) - (a.len < len);
}

uint32_t kafka_lag_find(const struct kafka_lag *lag, struct text topic, int32_t partition)
{
	size_t low = 0, high = lag->sorted ? lag->n_topics : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(topic, lag->topics[middle].name);

		if (order == 0 && partition >= 0 && (size_t)partition < lag->topics[middle].n_partitions)
			return (uint32_t)(lag->topics[middle].first + (size_t)partition);
		if (order == 0)
			break;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return UINT32_MAX;
}

/* ---- groups ---- */

struct kafka_group *kafka_lag_group_named(struct kafka_lag *lag, struct text name)
{
	/* answers come in the order of the question, most often */
	for (size_t i = 0; i < lag->n_groups; i++) {
		size_t at = (lag->found + i) % lag->n_groups;

		if (text_is(name, lag->groups[at].name)) {
			lag->found = at + 1;
			return &lag->groups[at];
		}
	}
	return NULL;
}

struct kafka_group *kafka_lag_group(struct kafka_lag *lag, struct text name)
{
	void *groups = lag->groups;
	bool good;

	if (kafka_lag_group_named(lag, name))
		return NULL;
	good = make_room(lag, &groups, sizeof *lag->groups, lag->n_groups, 1, &lag->group_room, GROUPS_MAX);
	lag->groups = groups;
	if (!good)
		return NULL;
	lag->groups[lag->n_groups] = (struct kafka_group){
		.name = arena_copy(lag->arena, name), .protocol = "", .state = "", .type = "", .broker = -1, .members = -1,
	};
	return &lag->groups[lag->n_groups++];
}

static void add_commit(struct kafka_lag *lag, const struct kafka_group *group, struct text topic, int32_t partition,
	int64_t offset)
{
	uint32_t place = kafka_lag_find(lag, topic, partition);
	void *commits = lag->commits;

	if (place == UINT32_MAX)
		return;
	if (make_room(lag, &commits, sizeof *lag->commits, lag->n_commits, 1, &lag->commit_room, COMMITS_MAX)) {
		lag->commits = commits;
		lag->commits[lag->n_commits++] = (struct kafka_commit){(uint32_t)(group - lag->groups), place, offset};
		lag->places[place].wanted |= offset >= 0;
	}
}

void kafka_lag_commit(struct kafka_lag *lag, const struct kafka_group *group, struct text topic, int32_t partition,
	int64_t offset)
{
	if (offset >= 0)
		add_commit(lag, group, topic, partition, offset);
}

void kafka_lag_assigned(struct kafka_lag *lag, const struct kafka_group *group, struct text topic, int32_t partition)
{
	add_commit(lag, group, topic, partition, -1);
}

/* ---- counting ---- */

static int by_group_and_place(const void *a, const void *b)
{
	const struct kafka_commit *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return (x->offset < y->offset) - (x->offset > y->offset); /* the commit before the assignment */
}

void kafka_lag_count(struct kafka_lag *lag)
{
	if (lag->n_commits)
		qsort(lag->commits, lag->n_commits, sizeof *lag->commits, by_group_and_place);
	for (size_t i = 0; i < lag->n_commits; i++) {
		const struct kafka_commit *c = &lag->commits[i];
		struct kafka_group *group = &lag->groups[c->group];
		int64_t end = lag->places[c->place].end;

		if (i && c->group == c[-1].group && c->place == c[-1].place)
			continue;
		group->partitions++;
		if (c->offset < 0 || end < 0)
			group->unknown++;
		else if (end > c->offset)
			group->lag += end - c->offset;
	}
}

bool kafka_lag_counts(const struct kafka_group *group)
{
	return strcmp(group->protocol, "connect") != 0 && strcmp(group->type, "share") != 0 && strcmp(group->protocol, "share") != 0;
}

struct kafka_lag_sum kafka_lag_sum(const struct kafka_lag *lag)
{
	struct kafka_lag_sum sum = {.at_least = lag->full};

	for (size_t i = 0; i < lag->n_groups; i++) {
		if (!kafka_lag_counts(&lag->groups[i]))
			continue;
		sum.lag += lag->groups[i].lag;
		sum.at_least |= lag->groups[i].unknown > 0 || !lag->groups[i].told;
	}
	return sum;
}
