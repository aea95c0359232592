// SPDX-License-Identifier: MIT
/*
 * One look at a cluster: Metadata, then of each broker its groups, their members, their commits, and
 * where the partitions that it leads end and begin. A handful of questions a broker and none a group or
 * partition; where there are more groups or partitions than one look may ask for, the next looks go on
 * (kafka_lag_pick, the cursor), and the age of each figure is known.
 *
 * All commits are read before all ends: a partition is then never ahead of its end.
 * Threads: the actor's.
 */
#include "kafka_look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kinds.h"

enum {
	ANSWER_MAX = 64 << 20,
	GROUPS_AT_ONCE = 100, GROUPS_A_LOOK = 500, COMMITS_A_LOOK = 100000,
	EDGES_AT_ONCE = 2000, EDGES_A_LOOK = 8000,
	CONFIGS_AT_ONCE = 250, CONFIGS_A_LOOK = 500, CONFIGS_MS = 300000, SIZES_MS = 60000,
	PART_MS = 2500,   /* of one broker's part */
	SPARE_MS = 300,   /* who has less left leaves the rest to the next look */
	QUORUM_MS = 1500, /* of the controllers' */
	YOUNG = 30000,    /* a server of this age has not loaded its topics yet */
};

/* ---- Metadata ---- */

static void on_broker(void *ctx, int32_t id, struct text host, int32_t port)
{
	struct kafka_look *k = ctx;
	struct kafka_broker *b;

	if (k->n_brokers == KAFKA_BROKERS_MAX) {
		k->brokers_left_off++;
		return;
	}
	b = &k->brokers[k->n_brokers++];
	*b = (struct kafka_broker){.id = id, .port = port};
	text_clean(b->host, sizeof b->host, host);
	kafka_line_begin(&b->line, k->p);
}

static void on_cluster(void *ctx, struct text id, int32_t controller)
{
	struct kafka_look *k = ctx;

	text_clean(k->cluster, sizeof k->cluster, id);
	k->controller = controller;
}

static void on_topic(void *ctx, const struct kafka_topic_told *told)
{
	struct kafka_look *k = ctx;

	k->topic = kafka_lag_topic(&k->lag, told->name, told->n_partitions);
	k->topics += !told->internal;
	k->partitions += told->internal ? 0 : told->n_partitions;
	k->listed = k->topic && k->depth == KAFKA_LOOK_TOPIC && k->only && text_is(told->name, k->only);
	if (!k->topic)
		return;
	k->topic->error = told->error;
	k->topic->internal = told->internal;
	if (told->id.len == KAFKA_ID)
		memcpy(k->topic->id, told->id.at, KAFKA_ID);
	if (k->listed && !k->lists) {
		k->lists = mem_new(told->n_partitions + 1, sizeof *k->lists);
		k->n_lists = told->n_partitions;
	}
}

static void on_replica(struct kafka_look *k, int32_t id)
{
	size_t i = 0;

	for (size_t b = 0; b < k->n_brokers; b++)
		if (k->brokers[b].id == id) {
			k->brokers[b].replicas++;
			return;
		}
	while (i < k->n_missing && k->missing[i] != id)
		i++;
	if (i == k->n_missing && i < KAFKA_MISSING_MAX && !k->brokers_left_off)
		k->missing[k->n_missing++] = id;
}

static const char *ids_in_words(struct kafka_look *k, const int32_t *ids, size_t n)
{
	char words[KAFKA_REPLICAS_MAX * 12 + 1] = "";
	size_t used = 0;

	for (size_t i = 0; i < n && i < KAFKA_REPLICAS_MAX; i++)
		used += (size_t)snprintf(words + used, sizeof words - used, "%s%d", i ? "," : "", (int)ids[i]);
	return arena_copy(k->lag.arena, text_of(words));
}

static void on_partition(void *ctx, const struct kafka_partition *partition)
{
	struct kafka_look *k = ctx;
	struct kafka_place *place = k->topic ? kafka_lag_place(&k->lag, partition->index) : NULL;
	bool led = partition->leader >= 0 && partition->error != KAFKA_LEADER_NOT_AVAILABLE;
	bool whole = partition->n_in_sync >= partition->n_replicas;

	k->no_leader += !led;
	k->under_replicated += !whole;
	k->shrunk += led && !whole;
	for (size_t i = 0; i < partition->n_replicas && i < KAFKA_REPLICAS_MAX; i++)
		on_replica(k, partition->replicas[i]);
	for (size_t b = 0; led && b < k->n_brokers; b++)
		k->brokers[b].leads += k->brokers[b].id == partition->leader;
	if (place)
		place->leader = led ? partition->leader : -1;
	if (k->topic) {
		k->topic->no_leader += !led;
		k->topic->under_replicated += !whole;
		k->topic->shrunk += led && !whole;
		if (partition->n_replicas > k->topic->n_replicas)
			k->topic->n_replicas = partition->n_replicas;
	}
	if (place && k->listed && (size_t)partition->index < k->n_lists)
		k->lists[partition->index] = (struct kafka_lists){ids_in_words(k, partition->replicas, partition->n_replicas),
			ids_in_words(k, partition->in_sync, partition->n_in_sync)};
}

static bool ask_metadata(struct kafka_look *k, struct kafka_line *l, struct err *err)
{
	const struct kafka_metadata_sink sink = {k, on_broker, on_cluster, on_topic, on_partition};
	int16_t version = kafka_speaks(&l->versions, KAFKA_METADATA, 12) ? 12 : 4;
	int64_t begun = clock_ms();
	struct text frame;

	kafka_line_next(l);
	kafka_ask_metadata(&l->question, l->id, version);
	if (!kafka_line_ask(l, ANSWER_MAX, &frame, err))
		return false;
	if (!kafka_read_metadata(frame, version, &sink))
		return err_set(err, ERR_PARSE, "its answer to Metadata makes no sense");
	kafka_lag_topics_done(&k->lag, k->memory->begun ? &k->memory->lag : NULL);
	k->source = asked_in(k->p, version == 12 ? "Metadata v12" : "Metadata v4", begun);
	return true;
}

/* ---- the quorum ---- */

static void on_quorum_member(void *ctx, int32_t id, int64_t end, bool voter)
{
	struct kafka_look *k = ctx;

	if (k->n_members < KAFKA_BROKERS_MAX)
		k->members[k->n_members++] = (struct kafka_member){id, end, voter};
}

/* Asked last on its line, within its own time: without controllers a broker answers only after its own time is up. */
bool kafka_look_at_quorum(struct kafka_look *k, struct kafka_line *l, struct err *err)
{
	struct wait whole = k->p->wait;
	struct text frame;
	bool good;

	if (wait_left(whole) > QUORUM_MS)
		k->p->wait = wait_for(QUORUM_MS, whole.cancel);
	kafka_line_next(l);
	kafka_ask_quorum(&l->question, l->id);
	good = kafka_line_ask(l, ANSWER_MAX, &frame, err) && (kafka_read_quorum(frame, &k->quorum, on_quorum_member, k) ||
		err_set(err, ERR_PARSE, "its answer to DescribeQuorum makes no sense"));
	k->p->wait = whole;
	k->quorum_told = good;
	return good;
}

/* ---- groups, of the broker that coordinates them ---- */

static void on_group(void *ctx, const struct kafka_listed *listed)
{
	struct kafka_look *k = ctx;
	struct kafka_group *g;

	if (k->only && !text_is(listed->name, k->only))
		return;
	g = kafka_lag_group(&k->lag, listed->name);
	if (!g)
		return;
	g->protocol = arena_copy(k->lag.arena, listed->protocol);
	g->state = arena_copy(k->lag.arena, listed->state);
	g->type = arena_copy(k->lag.arena, listed->type);
	g->broker = k->broker->id;
}

static void on_members(void *ctx, int16_t error, struct text name, struct text state, size_t n_members)
{
	struct kafka_look *k = ctx;

	(void)state; /* ListGroups knows it, for groups of every type */
	k->member = NULL;
	k->group = error ? NULL : kafka_lag_group_named(&k->lag, name);
	if (k->group)
		k->group->members = (int64_t)n_members;
}

static void on_member(void *ctx, struct text id)
{
	struct kafka_look *k = ctx;

	k->member = arena_copy(k->lag.arena, id);
}

static void on_assigned(void *ctx, struct text topic, int32_t partition)
{
	struct kafka_look *k = ctx;

	if (k->group)
		kafka_lag_assigned(&k->lag, k->group, k->member, topic, partition);
}

static void on_committing_group(void *ctx, struct text name)
{
	struct kafka_look *k = ctx;

	k->group = kafka_lag_group_named(&k->lag, name);
}

static void on_committed(void *ctx, struct text topic, int32_t partition, int64_t offset, int16_t error)
{
	struct kafka_look *k = ctx;

	if (!k->group)
		return;
	if (error)
		kafka_lag_assigned(&k->lag, k->group, NULL, topic, partition); /* there is one, and it is not known */
	else
		kafka_lag_commit(&k->lag, k->group, topic, partition, offset);
}

static void on_committing_done(void *ctx, int16_t error)
{
	struct kafka_look *k = ctx;

	if (!k->group || error != KAFKA_OK)
		return;
	k->group->told = true;
	k->group->asked_at = clock_ms();
}

static bool groups_failed(struct kafka_look *k, int16_t error)
{
	const char *words = kafka_error_words(error);

	k->groups_whole = false;
	snprintf(k->groups_words, sizeof k->groups_words, "broker %d: %s", (int)k->broker->id, words ? words : "an error");
	return true; /* the line is good */
}

static bool list_groups(struct kafka_look *k, struct kafka_line *l, struct err *err)
{
	int16_t version = 5, error; /* with types; 4 with states; 3 with names alone */
	struct text frame;

	while (version > 3 && !kafka_speaks(&l->versions, KAFKA_LIST_GROUPS, version))
		version--;
	if (!kafka_speaks(&l->versions, KAFKA_LIST_GROUPS, version))
		return groups_failed(k, KAFKA_UNSUPPORTED_VERSION);
	kafka_line_next(l);
	kafka_ask_groups(&l->question, l->id, version);
	if (!kafka_line_ask(l, ANSWER_MAX, &frame, err))
		return false;
	if (!kafka_read_groups(frame, version, &error, on_group, k))
		return err_set(err, ERR_PARSE, "its answer to ListGroups makes no sense");
	return error == KAFKA_OK || groups_failed(k, error);
}

/* The next groups of this broker from *next on that pick takes; returns how many. */
static size_t some_groups(struct kafka_look *k, size_t *next, bool (*pick)(const struct kafka_group *g),
	struct text names[GROUPS_AT_ONCE])
{
	size_t n = 0;

	for (; *next < k->lag.n_groups && n < GROUPS_AT_ONCE; (*next)++) {
		const struct kafka_group *g = &k->lag.groups[*next];

		if (g->picked && g->broker == k->broker->id && pick(g))
			names[n++] = text_of(g->name);
	}
	return n;
}

static bool is_classic(const struct kafka_group *g)
{
	return !g->type[0] || !strcmp(g->type, "classic");
}

static bool is_modern(const struct kafka_group *g)
{
	return !strcmp(g->type, "consumer");
}

static bool ask_members(struct kafka_look *k, struct kafka_line *l, enum kafka_key key, struct err *err)
{
	const struct kafka_members_sink sink = {k, on_members, on_member, on_assigned};
	bool (*pick)(const struct kafka_group *g) = key == KAFKA_DESCRIBE_GROUPS ? is_classic : is_modern;
	struct text names[GROUPS_AT_ONCE], frame;
	size_t next = 0, n;

	if (!kafka_speaks(&l->versions, key, 0))
		return true;
	while ((n = some_groups(k, &next, pick, names))) {
		kafka_line_next(l);
		kafka_ask_members(&l->question, l->id, key, names, n);
		if (!kafka_line_ask(l, ANSWER_MAX, &frame, err))
			return false;
		if (!kafka_read_members(frame, key, &sink))
			return err_set(err, ERR_PARSE, "its answer about members makes no sense");
	}
	return true;
}

static bool is_time_up(const struct kafka_look *k)
{
	bool many = k->memory->begun && k->lag.n_commits > COMMITS_A_LOOK;

	return k->depth == KAFKA_LOOK_WHOLE && (many || wait_left(k->p->wait) < SPARE_MS);
}

static bool ask_committed(struct kafka_look *k, struct kafka_line *l, struct err *err)
{
	const struct kafka_committed_sink sink = {k, on_committing_group, on_committed, on_committing_done};
	struct text names[GROUPS_AT_ONCE], frame;
	size_t next = 0, n;

	if (!kafka_speaks(&l->versions, KAFKA_OFFSET_FETCH, 8))
		return groups_failed(k, KAFKA_UNSUPPORTED_VERSION);
	while (!is_time_up(k) && (n = some_groups(k, &next, kafka_lag_counts, names))) {
		kafka_line_next(l);
		kafka_ask_committed(&l->question, l->id, names, n);
		if (!kafka_line_ask(l, ANSWER_MAX, &frame, err))
			return false;
		if (!kafka_read_committed(frame, &sink))
			return err_set(err, ERR_PARSE, "its answer about offsets makes no sense");
	}
	return true;
}

static bool ask_groups(struct kafka_look *k, struct kafka_line *l, struct err *err)
{
	return ask_members(k, l, KAFKA_DESCRIBE_GROUPS, err) && ask_members(k, l, KAFKA_CONSUMER_GROUP_DESCRIBE, err) &&
		ask_committed(k, l, err);
}

/* ---- where partitions end and begin, of the broker that leads them ---- */

static void on_edge(void *ctx, struct text topic, int32_t partition, int64_t offset, int16_t error)
{
	struct kafka_look *k = ctx;
	uint32_t place = kafka_lag_find(&k->lag, topic, partition);

	if (place != UINT32_MAX && error == KAFKA_OK && offset >= 0)
		kafka_lag_edge(&k->lag, place, k->beginning, offset, clock_ms());
}

/* What is asked in this look: what groups wait for, and of the others as many as may be, by turns. */
static bool is_due(const struct kafka_look *k, size_t place)
{
	const struct kafka_place *p = &k->lag.places[place];
	size_t n = k->lag.n_places, past = (place + n - k->memory->cursor % n) % n;

	if (p->leader != k->broker->id)
		return false;
	if (k->depth == KAFKA_LOOK_TOPIC)
		return !strcmp(k->lag.topics[p->topic].name, k->only ? k->only : "");
	if (p->wanted && (!k->beginning || !p->beginning_at))
		return true;
	return k->depth == KAFKA_LOOK_WHOLE && past < EDGES_A_LOOK;
}

static bool ask_edges(struct kafka_look *k, struct kafka_line *l, struct err *err)
{
	struct kafka_wanted *wanted = mem_new(EDGES_AT_ONCE, sizeof *wanted);
	struct text frame;
	bool good = kafka_speaks(&l->versions, KAFKA_LIST_OFFSETS, 2) || err_set(err, ERR_PROTOCOL, "does not know ListOffsets v2");

	for (size_t next = 0; good && next < k->lag.n_places;) {
		size_t n = 0;

		for (; next < k->lag.n_places && n < EDGES_AT_ONCE; next++) {
			const struct kafka_topic *topic = &k->lag.topics[k->lag.places[next].topic];

			if (is_due(k, next))
				wanted[n++] = (struct kafka_wanted){text_of(topic->name), (int32_t)(next - topic->first)};
		}
		if (!n || (k->beginning && is_time_up(k)))
			break;
		kafka_line_next(l);
		kafka_ask_edges(&l->question, l->id, k->beginning ? KAFKA_BEGINNING : KAFKA_END, wanted, n);
		good = kafka_line_ask(l, ANSWER_MAX, &frame, err) && (kafka_read_edges(frame, on_edge, k) ||
			err_set(err, ERR_PARSE, "its answer about ends makes no sense"));
	}
	free(wanted);
	return good;
}

/* ---- what changes seldom ---- */

static void on_config(void *ctx, struct text topic, struct text name, struct text value)
{
	struct kafka_look *k = ctx;
	struct kafka_topic *t = kafka_lag_topic_named(&k->lag, topic);
	int64_t n;

	if (!t)
		return;
	if (text_is(name, "cleanup.policy"))
		t->compacted = text_has(value, "compact");
	else if (text_is(name, "retention.ms") && text_i64(value, &n))
		t->retention = n < 0 ? -1 : n;
}

static bool ask_configs(struct kafka_look *k, struct kafka_line *l, struct err *err)
{
	const struct text names[] = {TEXT("cleanup.policy"), TEXT("retention.ms")};
	struct text topics[CONFIGS_AT_ONCE], frame;
	size_t next = 0, asked = 0;

	while (kafka_speaks(&l->versions, KAFKA_DESCRIBE_CONFIGS, 1) && asked < CONFIGS_A_LOOK && !is_time_up(k)) {
		size_t n = 0;

		for (; next < k->lag.n_topics && n < CONFIGS_AT_ONCE; next++) {
			struct kafka_topic *t = &k->lag.topics[next];

			if (t->configs_at && k->lag.at - t->configs_at < CONFIGS_MS)
				continue;
			t->configs_at = k->lag.at; /* also where it tells nothing: it may not be for us */
			topics[n++] = text_of(t->name);
		}
		if (!n)
			break;
		asked += n;
		kafka_line_next(l);
		kafka_ask_configs(&l->question, l->id, topics, n, names, sizeof names / sizeof *names);
		if (!kafka_line_ask(l, ANSWER_MAX, &frame, err))
			return false;
		if (!kafka_read_configs(frame, on_config, k))
			return err_set(err, ERR_PARSE, "its answer to DescribeConfigs makes no sense");
	}
	return true;
}

static void on_size(void *ctx, struct text topic, int32_t partition, int64_t bytes)
{
	struct kafka_look *k = ctx;
	uint32_t place = kafka_lag_find(&k->lag, topic, partition);

	if (place != UINT32_MAX && k->lag.places[place].leader == k->broker->id && bytes >= 0)
		k->lag.places[place].size = bytes;
}

static bool ask_sizes(struct kafka_look *k, struct kafka_line *l, struct err *err)
{
	struct text frame;

	if (!kafka_speaks(&l->versions, KAFKA_DESCRIBE_LOG_DIRS, 1) || is_time_up(k))
		return true;
	kafka_line_next(l);
	kafka_ask_sizes(&l->question, l->id);
	if (!kafka_line_ask(l, ANSWER_MAX, &frame, err))
		return false;
	return kafka_read_sizes(frame, on_size, k) || err_set(err, ERR_PARSE, "its answer to DescribeLogDirs makes no sense");
}

/* ---- brokers ---- */

static bool is_numeric(const char *host)
{
	const char *digits = strchr(host, ':') ? "0123456789abcdefABCDEF:." : "0123456789.";

	return strlen(host) < ADDRESS_SIZE && host[strspn(host, digits)] == '\0';
}

bool kafka_address(const struct probe *p, const char *host, int32_t port, struct endpoint *out)
{
	char own[256] = "";

	if (port < 1 || port > 65535 || !host[0])
		return false;
	out->port = (uint16_t)port;
	if (!strcmp(p->host->name, "localhost"))
		gethostname(own, sizeof own - 1);
	if (!strcmp(host, "localhost") || (own[0] && !strcmp(host, own))) {
		text_copy(out->address, sizeof out->address, text_of(p->at.address));
		return true;
	}
	text_copy(out->address, sizeof out->address, text_of(host));
	return is_numeric(host);
}

static bool is_same(const struct endpoint *a, const struct endpoint *b)
{
	return a->port == b->port && !strcmp(a->address, b->address);
}

/* Runs one part of the work on a broker's line, within its share of the time. */
static void with_broker(struct kafka_look *k, struct kafka_broker *b,
	bool (*part)(struct kafka_look *k, struct kafka_line *l, struct err *err))
{
	struct wait whole = k->p->wait;
	struct err err = {0};

	if (!b->spoken)
		return;
	if (wait_left(whole) > PART_MS)
		k->p->wait = wait_for(PART_MS, whole.cancel);
	k->broker = b;
	if (!part(k, &b->line, &err)) {
		b->spoken = false;
		snprintf(b->words, sizeof b->words, "%.150s", err.words);
	}
	k->p->wait = whole;
}

static void with_brokers(struct kafka_look *k, bool (*part)(struct kafka_look *k, struct kafka_line *l, struct err *err))
{
	for (size_t i = 0; i < k->n_brokers; i++)
		with_broker(k, &k->brokers[i], part);
}

/* The first line leads to one of them; a lone broker is reached by it, whatever it advertises. */
static void open_broker(struct kafka_look *k, struct kafka_broker *b, struct kafka_line *first)
{
	struct wait whole = k->p->wait;
	struct endpoint at;
	struct err err = {0};
	bool known = kafka_address(k->p, b->host, b->port, &at);

	if (first->fd >= 0 && ((k->n_brokers == 1 && !k->brokers_left_off) || (known && is_same(&at, &k->p->at)))) {
		kafka_line_end(&b->line);
		b->line = *first;
		kafka_line_begin(first, k->p);
		b->spoken = true;
		return;
	}
	if (!known) {
		b->not_asked = true;
		snprintf(b->words, sizeof b->words, "advertises %.100s, a name that is not resolved", b->host);
		return;
	}
	if (wait_left(whole) > PART_MS)
		k->p->wait = wait_for(PART_MS, whole.cancel);
	b->spoken = kafka_line_open(&b->line, &at, &err);
	if (!b->spoken)
		snprintf(b->words, sizeof b->words, "%.150s", err.words);
	k->p->wait = whole;
}

const char *kafka_advertised(struct arena *arena, const struct kafka_broker *b)
{
	return arena_printf(arena, strchr(b->host, ':') ? "[%s]:%d" : "%s:%d", b->host, (int)b->port);
}

/* ---- the whole ---- */

static void look_at_groups(struct kafka_look *k)
{
	k->groups_whole = k->brokers_left_off == 0;
	with_brokers(k, list_groups);
	kafka_lag_groups_done(&k->lag, k->memory->begun ? &k->memory->lag : NULL);
	/* the first look asks them all, as far as its time goes */
	kafka_lag_pick(&k->lag, k->depth == KAFKA_LOOK_WHOLE && k->memory->begun ? GROUPS_A_LOOK : SIZE_MAX);
	with_brokers(k, ask_groups);
	k->asked_all = !k->only;
	for (size_t i = 0; i < k->n_brokers; i++)
		k->groups_whole &= k->brokers[i].spoken;
	for (size_t i = 0; i < k->lag.n_groups; i++) {
		struct kafka_group *g = &k->lag.groups[i];

		if (g->picked && !kafka_lag_counts(g))
			g->asked_at = clock_ms();
		k->asked_all &= g->asked_at >= k->lag.at;
	}
}

static void look_at_edges(struct kafka_look *k)
{
	k->beginning = false;
	with_brokers(k, ask_edges);
	k->beginning = true;
	with_brokers(k, ask_edges);
	if (k->depth == KAFKA_LOOK_WHOLE && k->lag.n_places > EDGES_A_LOOK)
		k->memory->cursor = (k->memory->cursor + EDGES_A_LOOK) % k->lag.n_places;
}

static void look_seldom(struct kafka_look *k)
{
	for (size_t i = 0; i < k->n_brokers; i++)
		if (k->brokers[i].spoken) {
			with_broker(k, &k->brokers[i], ask_configs);
			break;
		}
	if (k->memory->sizes_at && k->lag.at - k->memory->sizes_at < SIZES_MS)
		return;
	with_brokers(k, ask_sizes);
	k->memory->sizes_at = k->lag.at;
}

bool kafka_look_at(struct kafka_look *k, struct kafka_line *first)
{
	bool quorum = kafka_speaks(&first->versions, KAFKA_DESCRIBE_QUORUM, 0);
	struct kafka_line apart;

	if (!kafka_speaks(&first->versions, KAFKA_METADATA, 4))
		return err_set(&k->s->err, ERR_PROTOCOL, "is older than what laketop can ask for its topics (Metadata v4)");
	if (!ask_metadata(k, first, &k->s->err))
		return false;
	for (size_t i = 0; i < k->n_brokers; i++)
		open_broker(k, &k->brokers[i], first);
	if (k->depth != KAFKA_LOOK_TOPIC)
		look_at_groups(k);
	look_at_edges(k);
	if (k->depth == KAFKA_LOOK_WHOLE)
		look_seldom(k);
	kafka_lag_count(&k->lag, k->memory->begun ? &k->memory->lag : NULL);
	if (k->depth != KAFKA_LOOK_WHOLE || !quorum)
		return true;
	kafka_line_begin(&apart, k->p);
	if (kafka_line_open(&apart, &k->p->at, &k->quorum_err))
		kafka_look_at_quorum(k, &apart, &k->quorum_err);
	kafka_line_end(&apart);
	return true;
}

bool kafka_is_loading(const struct kafka_look *k)
{
	return k->topics == 0 && k->p->owner_started > 0 && clock_wall_ms() - k->p->owner_started < YOUNG;
}

struct kafka_look *kafka_look_new(struct probe *p, struct snapshot *s, enum kafka_depth depth, const char *only)
{
	struct kafka_look *k = mem_new(1, sizeof *k);

	if (!p->state)
		p->state = mem_new(1, sizeof *k->memory);
	k->p = p;
	k->s = s;
	k->memory = p->state;
	k->depth = depth;
	k->only = only;
	kafka_lag_begin(&k->lag, clock_ms(), clock_wall_ms());
	return k;
}

/* What a look at one group or topic saw is not kept: the others would be forgotten. */
void kafka_look_end(struct kafka_look *k)
{
	for (size_t i = 0; i < k->n_brokers; i++)
		kafka_line_end(&k->brokers[i].line);
	if (k->lag.topics_done && k->lag.groups_done && !k->only && k->depth != KAFKA_LOOK_TOPIC) {
		kafka_lag_end(&k->memory->lag);
		k->memory->lag = k->lag;
		k->memory->begun = true;
		k->memory->whole = k->asked_all && k->groups_whole;
	} else {
		kafka_lag_end(&k->lag);
	}
	free(k->lists);
	free(k);
}

void kafka_forget(void *state)
{
	struct kafka_memory *memory = state;

	if (!memory)
		return;
	kafka_lag_end(&memory->lag);
	free(memory);
}
