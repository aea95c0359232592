// SPDX-License-Identifier: MIT
/*
 * How far behind consumer groups are. Committed offsets are read first and ends second, so that a
 * partition is never ahead of its end while records arrive; one that is (its topic was made anew, or
 * cut) counts as 0 and is said. A partition that is assigned and has no commit is unknown, not 0.
 *
 * The state follows Burrow's rules (core/internal/evaluator/caching.go), with two that differ because
 * commits are asked for here and not read as they come: who has members and does not move has stalled,
 * who has none has stopped; and who went back has, even where it had no lag before. A lag of 1 counts
 * as none: that is where a transaction's mark leaves a consumer that has read everything.
 *
 * Each look is a new struct, sorted, and joined with the one before: what is gone is forgotten by
 * itself. Pure. Checked against kafka-consumer-groups --describe --all-groups of 3.9.2 and 4.1.1.
 */
#include "kafka_lag.h"

#include <stdlib.h>
#include <string.h>

enum {
	NAMES_MAX = 32 << 20, TOPICS_MAX = 200000, PLACES_MAX = 500000, GROUPS_MAX = 20000, COMMITS_MAX = 600000,
	IDLE_MS = 30000, /* who is idle waits so much longer for its turn */
	NO_LAG = 1,
};

const char *kafka_lag_word(enum kafka_lag_state state)
{
	static const char *const words[] = {[KAFKA_LAG_OK] = "ok", [KAFKA_LAG_UNKNOWN] = "unknown", [KAFKA_LAG_SLOW] = "slow",
		[KAFKA_LAG_REWOUND] = "rewound", [KAFKA_LAG_STALLED] = "stalled", [KAFKA_LAG_STOPPED] = "stopped"};

	return words[state];
}

void kafka_lag_begin(struct kafka_lag *lag, int64_t now, int64_t wall)
{
	*lag = (struct kafka_lag){.arena = arena_new(NAMES_MAX), .at = now, .wall = wall};
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

static int compare(struct text a, const char *b)
{
	size_t len = strlen(b);
	int order = memcmp(a.at, b, a.len < len ? a.len : len);

	return order ? order : (a.len > len) - (a.len < len);
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
	*topic = (struct kafka_topic){.name = arena_copy(lag->arena, name), .first = lag->n_places, .n_partitions = n_partitions,
		.retention = -2, .compacted = -1};
	for (size_t i = 0; i < n_partitions; i++)
		lag->places[lag->n_places++] = (struct kafka_place){.topic = (uint32_t)lag->n_topics, .leader = -1, .end = -1,
			.beginning = -1, .size = -1};
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

static int by_topic_name(const void *a, const void *b)
{
	const struct kafka_topic *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static bool has_id(const struct kafka_topic *t)
{
	static const unsigned char none[KAFKA_ID];

	return memcmp(t->id, none, KAFKA_ID) != 0;
}

static bool is_another(const struct kafka_topic *t, const struct kafka_topic *before)
{
	return has_id(t) && has_id(before) && memcmp(t->id, before->id, KAFKA_ID) != 0;
}

static void take_topic(struct kafka_lag *lag, struct kafka_topic *t, const struct kafka_lag *before, const struct kafka_topic *old)
{
	t->anew_at = old->anew_at;
	if (is_another(t, old)) {
		t->anew_at = lag->at;
		return;
	}
	t->configs_at = old->configs_at;
	t->retention = old->retention;
	t->compacted = old->compacted;
	for (size_t i = 0; i < t->n_partitions && i < old->n_partitions; i++) {
		struct kafka_place *place = &lag->places[t->first + i];
		const struct kafka_place *then = &before->places[old->first + i];

		*place = (struct kafka_place){.topic = place->topic, .leader = place->leader, .end = then->end, .beginning = then->beginning,
			.end_at = then->end_at, .beginning_at = then->beginning_at, .old_end = then->old_end, .old_end_at = then->old_end_at,
			.size = then->size};
	}
}

void kafka_lag_topics_done(struct kafka_lag *lag, const struct kafka_lag *before)
{
	if (lag->n_topics)
		qsort(lag->topics, lag->n_topics, sizeof *lag->topics, by_topic_name);
	for (size_t t = 0; t < lag->n_topics; t++)
		for (size_t i = 0; i < lag->topics[t].n_partitions; i++)
			lag->places[lag->topics[t].first + i].topic = (uint32_t)t;
	lag->topics_done = true;
	for (size_t t = 0; before && t < lag->n_topics; t++) {
		const struct kafka_topic *old = kafka_lag_topic_named(before, text_of(lag->topics[t].name));

		if (old)
			take_topic(lag, &lag->topics[t], before, old);
	}
}

struct kafka_topic *kafka_lag_topic_named(const struct kafka_lag *lag, struct text name)
{
	size_t low = 0, high = lag->topics_done ? lag->n_topics : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(name, lag->topics[middle].name);

		if (order == 0)
			return &lag->topics[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

uint32_t kafka_lag_find(struct kafka_lag *lag, struct text topic, int32_t partition)
{
	const struct kafka_topic *t = lag->topic_found < lag->n_topics ? &lag->topics[lag->topic_found] : NULL;

	if (!lag->topics_done || !t || !text_is(topic, t->name))
		t = kafka_lag_topic_named(lag, topic);
	if (!t || partition < 0 || (size_t)partition >= t->n_partitions)
		return UINT32_MAX;
	lag->topic_found = (uint32_t)(t - lag->topics);
	return (uint32_t)(t->first + (size_t)partition);
}

void kafka_lag_edge(struct kafka_lag *lag, uint32_t place, bool beginning, int64_t offset, int64_t now)
{
	struct kafka_place *p = &lag->places[place];

	if (beginning) {
		p->beginning = offset;
		p->beginning_at = now;
		return;
	}
	if (p->end_at && offset < p->end) {
		/* another topic of the same name; where ids are told they tell that, and a new leader may just not know its end yet */
		if (!has_id(&lag->topics[p->topic]))
			lag->topics[p->topic].anew_at = now;
		p->old_end_at = 0;
	} else if (p->end_at && (!p->old_end_at || now - p->old_end_at > KAFKA_RATE_MS)) {
		p->old_end = p->end;
		p->old_end_at = p->end_at;
	}
	p->end = offset;
	p->end_at = now;
}

bool kafka_topic_rate(const struct kafka_lag *lag, const struct kafka_topic *t, double *rate)
{
	size_t known = 0;

	*rate = 0;
	for (size_t i = 0; i < t->n_partitions; i++) {
		const struct kafka_place *p = &lag->places[t->first + i];

		if (!p->old_end_at || p->end_at <= p->old_end_at)
			continue;
		known++;
		*rate += (double)(p->end - p->old_end) * 1000 / (double)(p->end_at - p->old_end_at);
	}
	return known > 0 && known == t->n_partitions;
}

/* ---- groups ---- */

struct kafka_group *kafka_lag_group_named(const struct kafka_lag *lag, struct text name)
{
	size_t low = 0, high = lag->groups_done ? lag->n_groups : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(name, lag->groups[middle].name);

		if (order == 0)
			return &lag->groups[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

struct kafka_group *kafka_lag_group(struct kafka_lag *lag, struct text name)
{
	void *groups = lag->groups;
	bool good = make_room(lag, &groups, sizeof *lag->groups, lag->n_groups, 1, &lag->group_room, GROUPS_MAX);

	lag->groups = groups;
	if (!good)
		return NULL;
	lag->groups[lag->n_groups] = (struct kafka_group){
		.name = arena_copy(lag->arena, name), .protocol = "", .state = "", .type = "", .broker = -1, .members = -1,
	};
	return &lag->groups[lag->n_groups++];
}

static int by_group_name(const void *a, const void *b)
{
	const struct kafka_group *x = a, *y = b;

	return strcmp(x->name, y->name);
}

void kafka_lag_groups_done(struct kafka_lag *lag, const struct kafka_lag *before)
{
	size_t n = 0;

	if (lag->n_groups)
		qsort(lag->groups, lag->n_groups, sizeof *lag->groups, by_group_name);
	for (size_t i = 0; i < lag->n_groups; i++)
		if (!n || strcmp(lag->groups[i].name, lag->groups[n - 1].name) != 0)
			lag->groups[n++] = lag->groups[i];
	lag->n_groups = n;
	lag->groups_done = true;
	for (size_t i = 0; before && i < n; i++) {
		const struct kafka_group *old = kafka_lag_group_named(before, text_of(lag->groups[i].name));
		struct kafka_group *g = &lag->groups[i];

		if (!old)
			continue;
		g->members = old->members;
		g->told = old->told;
		g->asked_at = old->asked_at;
		g->moved_wall = old->moved_wall;
		g->lag = old->lag; /* so that who is behind is picked first */
		memcpy(g->samples, old->samples, sizeof g->samples);
		g->n_samples = old->n_samples;
	}
}

bool kafka_lag_counts(const struct kafka_group *group)
{
	return strcmp(group->protocol, "connect") != 0 && strcmp(group->type, "share") != 0 && strcmp(group->protocol, "share") != 0;
}

bool kafka_group_has_members(const struct kafka_group *g)
{
	return g->members != 0 && strcmp(g->state, "Empty") != 0;
}

/* ---- whose turn it is ---- */

struct turn {
	int64_t due;
	size_t group;
};

static int by_due(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->due != y->due)
		return x->due < y->due ? -1 : 1;
	return (x->group > y->group) - (x->group < y->group);
}

void kafka_lag_pick(struct kafka_lag *lag, size_t most)
{
	struct turn *turns = mem_new(lag->n_groups + 1, sizeof *turns);

	for (size_t i = 0; i < lag->n_groups; i++) {
		const struct kafka_group *g = &lag->groups[i];
		bool busy = g->lag > 0 || (g->moved_wall && lag->wall - g->moved_wall < KAFKA_WINDOW_MS);

		turns[i] = (struct turn){!g->asked_at ? INT64_MIN : busy ? g->asked_at : g->asked_at + IDLE_MS, i};
	}
	if (lag->n_groups > most)
		qsort(turns, lag->n_groups, sizeof *turns, by_due);
	for (size_t i = 0; i < lag->n_groups && i < most; i++)
		lag->groups[turns[i].group].picked = true;
	free(turns);
}

/* ---- commits ---- */

static void add_commit(struct kafka_lag *lag, const struct kafka_group *group, const char *member, struct text topic,
	int32_t partition, int64_t offset)
{
	uint32_t place = kafka_lag_find(lag, topic, partition);
	void *commits = lag->commits;

	if (place == UINT32_MAX)
		return;
	if (make_room(lag, &commits, sizeof *lag->commits, lag->n_commits, 1, &lag->commit_room, COMMITS_MAX)) {
		lag->commits = commits;
		lag->commits[lag->n_commits++] = (struct kafka_commit){.group = (uint32_t)(group - lag->groups), .place = place,
			.offset = offset, .end = -1, .beginning = -1, .member = member, .back_from = -1};
		lag->places[place].wanted = true;
	}
}

void kafka_lag_commit(struct kafka_lag *lag, const struct kafka_group *group, struct text topic, int32_t partition,
	int64_t offset)
{
	if (offset >= 0)
		add_commit(lag, group, NULL, topic, partition, offset);
}

void kafka_lag_assigned(struct kafka_lag *lag, const struct kafka_group *group, const char *member, struct text topic,
	int32_t partition)
{
	add_commit(lag, group, member, topic, partition, -1);
}

int64_t kafka_commit_lag(const struct kafka_commit *c)
{
	if (c->offset < 0 || c->end < 0)
		return -1;
	return c->end > c->offset ? c->end - c->offset : 0;
}

void kafka_commit_sample(struct kafka_commit *c, const struct kafka_commit *before, int64_t now)
{
	int64_t lag = kafka_commit_lag(c), last = before ? kafka_commit_lag(before) : -1;

	c->back_from = -1;
	if (before) {
		c->first_at = before->first_at;
		c->moved_at = before->moved_at;
		c->zero_at = before->zero_at;
		c->fell_at = before->fell_at;
		c->back_at = before->back_at;
		c->back_from = before->back_from;
		if (c->offset != before->offset)
			c->moved_at = now;
	}
	if (before && before->offset >= 0 && c->offset >= 0 && c->offset < before->offset) {
		c->back_from = c->back_from > before->offset ? c->back_from : before->offset;
		c->back_at = now;
	}
	if (c->offset >= c->back_from)
		c->back_from = -1;
	if (lag < 0)
		return;
	if (!c->first_at)
		c->first_at = c->fell_at = now;
	if (lag <= NO_LAG)
		c->zero_at = now;
	if (last >= 0 && lag < last)
		c->fell_at = now;
}

enum kafka_lag_state kafka_commit_state(const struct kafka_commit *c, bool has_members, int64_t now)
{
	bool moves = c->moved_at && now - c->moved_at <= KAFKA_WINDOW_MS;

	if (kafka_commit_lag(c) < 0 || c->offset > c->end)
		return KAFKA_LAG_UNKNOWN;
	if (c->back_from >= 0 && now - c->back_at <= KAFKA_REWOUND_MS)
		return KAFKA_LAG_REWOUND;
	if (c->zero_at && now - c->zero_at <= KAFKA_WINDOW_MS)
		return KAFKA_LAG_OK;
	if (!has_members && !moves)
		return KAFKA_LAG_STOPPED;
	if (now - c->first_at < KAFKA_WINDOW_MS) /* too young for a verdict, unless it gets on */
		return c->fell_at > c->first_at ? KAFKA_LAG_OK : KAFKA_LAG_UNKNOWN;
	if (!moves)
		return has_members ? KAFKA_LAG_STALLED : KAFKA_LAG_STOPPED;
	return now - c->fell_at >= KAFKA_WINDOW_MS ? KAFKA_LAG_SLOW : KAFKA_LAG_OK;
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

/* One of each: what was committed takes the member that it is assigned to. */
static void join_assigned(struct kafka_lag *lag)
{
	size_t n = 0;

	if (lag->n_commits)
		qsort(lag->commits, lag->n_commits, sizeof *lag->commits, by_group_and_place);
	for (size_t i = 0; i < lag->n_commits; i++) {
		struct kafka_commit *last = n ? &lag->commits[n - 1] : NULL;

		if (last && last->group == lag->commits[i].group && last->place == lag->commits[i].place)
			last->member = last->member ? last->member : lag->commits[i].member;
		else
			lag->commits[n++] = lag->commits[i];
	}
	lag->n_commits = n;
}

/* Where each partition of the look before stands now; UINT32_MAX: gone, or another one. */
static uint32_t *map_places(const struct kafka_lag *lag, const struct kafka_lag *before)
{
	uint32_t *map = mem_new(before->n_places + 1, sizeof *map);

	memset(map, 0xff, (before->n_places + 1) * sizeof *map);
	for (size_t t = 0; t < before->n_topics; t++) {
		const struct kafka_topic *old = &before->topics[t], *now = kafka_lag_topic_named(lag, text_of(old->name));

		for (size_t i = 0; now && !is_another(now, old) && i < old->n_partitions && i < now->n_partitions; i++)
			map[old->first + i] = (uint32_t)(now->first + i);
	}
	return map;
}

static const char *name_again(struct kafka_lag *lag, const char **said, const char *s)
{
	if (!s)
		return NULL;
	if (!*said || strcmp(*said, s) != 0)
		*said = arena_copy(lag->arena, text_of(s));
	return *said;
}

/* What a group that was not asked now had then. */
static void keep_commits(struct kafka_lag *lag, const struct kafka_lag *before, const uint32_t *map, const struct kafka_group *g,
	const struct kafka_group *old)
{
	const char *member = NULL;

	for (size_t i = 0; i < old->partitions; i++) {
		const struct kafka_commit *then = &before->commits[old->first + i];
		void *commits = lag->commits;

		if (map[then->place] == UINT32_MAX || !make_room(lag, &commits, sizeof *lag->commits, lag->n_commits, 1, &lag->commit_room,
			COMMITS_MAX))
			continue;
		lag->commits = commits;
		lag->commits[lag->n_commits] = *then;
		lag->commits[lag->n_commits].group = (uint32_t)(g - lag->groups);
		lag->commits[lag->n_commits].place = map[then->place];
		lag->commits[lag->n_commits].member = name_again(lag, &member, then->member);
		lag->n_commits++;
	}
}

static struct kafka_commit *commit_at(struct kafka_lag *lag, const struct kafka_group *g, uint32_t place)
{
	size_t low = g->first, high = g->first + g->partitions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lag->commits[middle].place == place)
			return &lag->commits[middle];
		if (lag->commits[middle].place < place)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Joins the samples of one group, and adds up what was written and read since. */
static void sample_group(struct kafka_lag *lag, const struct kafka_lag *before, const uint32_t *map, struct kafka_group *g,
	const struct kafka_group *old)
{
	struct kafka_sample now = {.at = g->asked_at, .lag = 0};

	if (g->n_samples)
		now = (struct kafka_sample){g->asked_at, 0, g->samples[g->n_samples - 1].in, g->samples[g->n_samples - 1].out};
	for (size_t i = 0; old && i < old->partitions; i++) {
		const struct kafka_commit *then = &before->commits[old->first + i];
		struct kafka_commit *c = map[then->place] != UINT32_MAX ? commit_at(lag, g, map[then->place]) : NULL;

		if (!c)
			continue;
		kafka_commit_sample(c, then, g->asked_at);
		now.in += c->end > then->end && then->end >= 0 ? c->end - then->end : 0;
		now.out += c->offset > then->offset && then->offset >= 0 ? c->offset - then->offset : 0;
	}
	for (size_t i = 0; i < g->partitions; i++) {
		struct kafka_commit *c = &lag->commits[g->first + i];
		int64_t behind;

		if (!c->first_at && !c->moved_at)
			kafka_commit_sample(c, NULL, g->asked_at);
		behind = kafka_commit_lag(c);
		now.lag += behind > 0 ? behind : 0;
		if (c->moved_at == g->asked_at)
			g->moved_wall = lag->wall;
	}
	if (g->n_samples == KAFKA_SAMPLES)
		memmove(g->samples, g->samples + 1, --g->n_samples * sizeof *g->samples);
	g->samples[g->n_samples++] = now;
}

static bool was_made_anew(const struct kafka_lag *lag, const struct kafka_commit *c)
{
	const struct kafka_topic *t = &lag->topics[lag->places[c->place].topic];

	return t->anew_at && lag->at - t->anew_at < KAFKA_ANEW_MS;
}

static void count_group(struct kafka_lag *lag, struct kafka_group *g)
{
	bool members = kafka_group_has_members(g);
	size_t known = 0;

	g->lag = 0;
	g->lag_state = KAFKA_LAG_OK;
	for (size_t i = 0; i < g->partitions; i++) {
		const struct kafka_commit *c = &lag->commits[g->first + i];
		int64_t behind = kafka_commit_lag(c);
		enum kafka_lag_state state = kafka_commit_state(c, members, g->asked_at);
		bool empty = c->offset < 0 && c->end >= 0 && c->end == c->beginning;

		g->unknown += behind < 0;
		g->lag += behind > 0 ? behind : 0;
		g->uncommitted += c->offset < 0;
		g->n_reset += c->offset >= 0 && c->end >= 0 && c->offset > c->end;
		g->n_anew += was_made_anew(lag, c);
		g->lost += c->offset >= 0 && c->beginning > c->offset ? c->beginning - c->offset : 0;
		known += !empty; /* where nothing was ever written, nothing is missed */
		if (!empty && state > g->lag_state) {
			g->lag_state = state;
			g->worst = g->first + i;
			g->n_worst = 0;
		}
		g->n_worst += !empty && state == g->lag_state;
	}
	if (!known || !g->told || !kafka_lag_counts(g))
		g->lag_state = KAFKA_LAG_UNKNOWN;
}

void kafka_lag_count(struct kafka_lag *lag, const struct kafka_lag *before)
{
	uint32_t *map = before ? map_places(lag, before) : NULL;
	size_t asked = lag->n_commits;

	for (size_t i = 0; i < asked; i++) {
		struct kafka_commit *c = &lag->commits[i];
		const struct kafka_place *place = &lag->places[c->place];

		c->end = place->end_at >= lag->at ? place->end : -1; /* older ones are none for a newer commit */
		c->beginning = place->beginning;
	}
	for (size_t i = 0; before && i < lag->n_groups; i++) {
		const struct kafka_group *g = &lag->groups[i], *old = kafka_lag_group_named(before, text_of(g->name));

		if (old && g->asked_at < lag->at)
			keep_commits(lag, before, map, g, old);
	}
	join_assigned(lag);
	for (size_t i = 0; i < lag->n_commits; i++) {
		struct kafka_group *g = &lag->groups[lag->commits[i].group];

		if (!g->partitions++)
			g->first = i;
	}
	for (size_t i = 0; i < lag->n_groups; i++) {
		struct kafka_group *g = &lag->groups[i];

		if (g->told && g->asked_at >= lag->at)
			sample_group(lag, before, map, g, before ? kafka_lag_group_named(before, text_of(g->name)) : NULL);
		count_group(lag, g);
	}
	free(map);
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

/* ---- how a group gets on ---- */

bool kafka_group_rates(const struct kafka_group *g, double *in, double *out)
{
	const struct kafka_sample *now, *then;
	size_t i = 0;

	*in = *out = 0;
	if (g->n_samples < 2)
		return false;
	now = &g->samples[g->n_samples - 1];
	while (i + 2 < g->n_samples && now->at - g->samples[i].at > KAFKA_WINDOW_MS)
		i++;
	then = &g->samples[i];
	if (now->at <= then->at)
		return false;
	*in = (double)(now->in - then->in) * 1000 / (double)(now->at - then->at);
	*out = (double)(now->out - then->out) * 1000 / (double)(now->at - then->at);
	return true;
}

void kafka_group_trend(const struct kafka_group *g, char out[KAFKA_TREND])
{
	int64_t most = 0;

	for (size_t i = 0; i < g->n_samples; i++)
		most = g->samples[i].lag > most ? g->samples[i].lag : most;
	for (size_t i = 0; i < g->n_samples; i++)
		out[i] = (char)('0' + (most ? (int)((double)g->samples[i].lag / (double)most * 7) : 0));
	out[g->n_samples] = '\0';
}
