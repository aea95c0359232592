// SPDX-License-Identifier: MIT
/*
 * Kafka, broker and controller. The greeting is ApiVersions, which every listener answers before any
 * login, and which tells the minor line (never the patch level) and the role: a controller's listener
 * has the votes and no topics, a broker in ZooKeeper mode has LeaderAndIsr and no quorum.
 *
 * Everything is asked in Kafka's own protocol over the host's streams, a handful of questions a broker
 * and none a group or partition: Metadata, DescribeQuorum, then of each broker its groups, their
 * members, their commits, and where the partitions that it leads end. No library keeps threads and
 * connections for that; every wait has the probe's deadline, and a broker behind SSH is reached as any
 * other endpoint is, by net_dial, at the address that it advertises.
 *
 * Metadata's controller is a random broker in KRaft: the quorum's leader counts. A broker serves on
 * without controllers, so that its topics look well: DescribeQuorum shows it. A request that a version
 * does not know is never sent: it would leave a stack trace in the log.
 *
 * Source: Kafka's message definitions and DescribeQuorum (KIP-595, 836); checked on 3.9.2 with ZooKeeper,
 * 4.1.1 and 4.4.0. Thread: its actor's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kafka_lag.h"
#include "kafka_wire.h"
#include "kinds.h"

enum {
	VERSIONS_MAX = 64 << 10, ANSWER_MAX = 64 << 20, QUESTION_MAX = 4 << 20, PIECE = 16 << 10,
	BROKERS_MAX = 32, MISSING_MAX = 8, TOPICS_NAMED = 3, ROWS_MAX = 4000,
	GROUPS_AT_ONCE = 100, PARTITIONS_AT_ONCE = 2000,
	PART_MS = 2500,   /* of one broker's part */
	QUORUM_MS = 1500, /* of the controllers' */
	YOUNG = 30000,    /* a server of this age has not loaded its topics yet */
	LAG_LARGE = 1000, LAG_FINDINGS = 4,
};

/* ---- a line to one broker ---- */

struct line {
	struct probe *p;
	int fd;
	int32_t id;
	bool heard; /* it sent something */
	struct kafka_versions versions;
	struct buf question, answer;
};

static void line_begin(struct line *l, struct probe *p)
{
	*l = (struct line){.p = p, .fd = -1};
	buf_init(&l->question, QUESTION_MAX);
	buf_init(&l->answer, ANSWER_MAX);
}

static void line_end(struct line *l)
{
	net_close(l->fd);
	buf_free(&l->question);
	buf_free(&l->answer);
	l->fd = -1;
}

static bool not_kafka(const unsigned char head[4], struct err *err)
{
	if (head[0] == 0x15 && head[1] == 0x03)
		return err_set(err, ERR_TLS, "answers with a TLS alert: this listener wants TLS");
	return err_set(err, ERR_PROTOCOL, "what it answers is not Kafka's protocol");
}

/* Sends l->question and reads the answer with the same id. False: err says why, and the line is of no more use. */
static bool line_ask(struct line *l, size_t most, struct text *frame, struct err *err)
{
	unsigned char head[4];
	char piece[PIECE];
	size_t left;

	buf_reset(&l->answer);
	if (l->question.full)
		return err_set(err, ERR_LIMIT, "a question of more than 4 MiB");
	if (!net_send(l->p, l->fd, l->question.at, l->question.len, err) || !net_read_exact(l->p, l->fd, head, sizeof head, err))
		return false;
	l->heard = true;
	left = kafka_frame(head, most);
	if (!left)
		return not_kafka(head, err);
	while (left) {
		size_t n = left < sizeof piece ? left : sizeof piece;

		if (!net_read_exact(l->p, l->fd, piece, n, err))
			return false;
		buf_add(&l->answer, piece, n);
		left -= n;
	}
	*frame = buf_text(&l->answer);
	return kafka_frame_is_for(*frame, l->id) || err_set(err, ERR_PROTOCOL, "its answer is to another question");
}

/* Begins the next question. */
static void line_next(struct line *l)
{
	buf_reset(&l->question);
	l->id++;
	l->p->requests += l->id > 1; /* the first was counted with the connection */
}

static bool ask_versions(struct line *l, int16_t version, struct err *err)
{
	struct text frame;

	line_next(l);
	kafka_ask_versions(&l->question, l->id, version);
	if (!line_ask(l, VERSIONS_MAX, &frame, err))
		return false;
	return kafka_read_versions(frame, version, &l->versions) ||
		err_set(err, ERR_PROTOCOL, "what it answers is not Kafka's protocol");
}

/* Connects and learns which requests are known there. */
static bool line_open(struct line *l, const struct endpoint *at, struct err *err)
{
	l->fd = net_dial(l->p, at, err);
	if (l->fd < 0 || !ask_versions(l, 3, err))
		return false;
	if (l->versions.error == KAFKA_UNSUPPORTED_VERSION)
		return ask_versions(l, 0, err);
	return true;
}

/* ---- who is it ---- */

static enum answered unanswered(const struct line *l, const struct err *err)
{
	if (l->fd < 0)
		return err->code == ERR_CONNECT ? ANSWERED_REFUSED : ANSWERED_MUTE;
	/* whoever closes says nothing; whoever sends something else says that it is another */
	return err->code == ERR_PROTOCOL && l->heard ? ANSWERED_OTHER : ANSWERED_MUTE;
}

static enum answered identify(struct probe *p, struct identity *who)
{
	struct line l;
	struct err err = {0};
	struct kafka_release release;
	int64_t begun = clock_ms();
	enum answered answered = ANSWERED_YES;
	enum kafka_part part;

	line_begin(&l, p);
	if (!line_open(&l, &p->at, &err)) {
		answered = unanswered(&l, &err);
		if (err.code == ERR_TLS)
			who->says = arena_clean(p->arena, text_of(err.words));
	} else if ((part = kafka_part(&l.versions)) == KAFKA_NEITHER) {
		answered = ANSWERED_OTHER;
	} else {
		kafka_release(&l.versions, &release);
		identity_say(p, who, &kind_kafka, part == KAFKA_CONTROLLER ? "controller" : NULL, SURE_RANGE,
			release.version[0] ? release.version : NULL, release.from,
			asked_in(p, part == KAFKA_ZOOKEEPER_BROKER ? "ApiVersions v3, ZooKeeper mode" : "ApiVersions v3", begun));
	}
	line_end(&l);
	return answered;
}

static enum answered pulse(struct probe *p, struct identity *who)
{
	struct line l;
	struct err err = {0};
	enum answered answered = ANSWERED_YES;

	(void)who;
	line_begin(&l, p);
	l.fd = net_dial(p, &p->at, &err);
	if (l.fd < 0 || !ask_versions(&l, 0, &err))
		answered = unanswered(&l, &err);
	line_end(&l);
	return answered;
}

/* ---- one look at a cluster ---- */

struct broker {
	int32_t id;
	char host[256];
	int32_t port;
	size_t leads, replicas;
	bool spoken;              /* its line is open */
	bool not_asked;
	char words[160];          /* why it was not, or what went wrong */
	struct line line;
};

struct member { /* of the quorum */
	int32_t id;
	int64_t end;
	bool voter;
};

struct look {
	struct probe *p;
	struct snapshot *s;
	struct broker brokers[BROKERS_MAX];
	size_t n_brokers, brokers_left_off;
	int32_t controller;
	char cluster[128];
	struct kafka_lag lag;
	int32_t missing[MISSING_MAX]; /* brokers that hold replicas and are not alive */
	size_t n_missing;
	size_t topics, partitions, under_replicated, no_leader; /* the first two without internal ones */
	size_t shrunk;             /* that have a leader and are under-replicated */
	struct kafka_topic *topic; /* being read; NULL: left off */
	struct kafka_group *group; /* likewise */
	struct broker *broker;     /* being asked */
	bool groups_whole;         /* every broker told its groups */
	char groups_words[160];    /* why not */
	struct kafka_quorum quorum;
	bool quorum_told;
	struct member members[BROKERS_MAX];
	size_t n_members;
};

static void figure(struct look *k, const char *name, struct value v)
{
	snapshot_figure(k->s, kind_kafka.figures, name, v);
}

static void on_broker(void *ctx, int32_t id, struct text host, int32_t port)
{
	struct look *k = ctx;
	struct broker *b;

	if (k->n_brokers == BROKERS_MAX) {
		k->brokers_left_off++;
		return;
	}
	b = &k->brokers[k->n_brokers++];
	*b = (struct broker){.id = id, .port = port};
	text_clean(b->host, sizeof b->host, host);
	line_begin(&b->line, k->p);
}

static void on_cluster(void *ctx, struct text id, int32_t controller)
{
	struct look *k = ctx;

	text_clean(k->cluster, sizeof k->cluster, id);
	k->controller = controller;
}

static void on_topic(void *ctx, int16_t error, struct text name, bool internal, size_t n_partitions)
{
	struct look *k = ctx;

	k->topic = kafka_lag_topic(&k->lag, name, n_partitions);
	k->topics += !internal;
	k->partitions += internal ? 0 : n_partitions;
	if (k->topic) {
		k->topic->error = error;
		k->topic->internal = internal;
	}
}

static void on_replica(struct look *k, int32_t id)
{
	size_t i = 0;

	for (size_t b = 0; b < k->n_brokers; b++)
		if (k->brokers[b].id == id) {
			k->brokers[b].replicas++;
			return;
		}
	while (i < k->n_missing && k->missing[i] != id)
		i++;
	if (i == k->n_missing && i < MISSING_MAX && !k->brokers_left_off)
		k->missing[k->n_missing++] = id;
}

static void on_partition(void *ctx, const struct kafka_partition *partition)
{
	struct look *k = ctx;
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
}

static bool ask_metadata(struct look *k, struct line *l, struct err *err)
{
	const struct kafka_metadata_sink sink = {k, on_broker, on_cluster, on_topic, on_partition};
	struct text frame;

	line_next(l);
	kafka_ask_metadata(&l->question, l->id);
	if (!line_ask(l, ANSWER_MAX, &frame, err))
		return false;
	if (!kafka_read_metadata(frame, &sink))
		return err_set(err, ERR_PARSE, "its answer to Metadata makes no sense");
	kafka_lag_topics_done(&k->lag);
	return true;
}

/* ---- the quorum ---- */

static void on_member(void *ctx, int32_t id, int64_t end, bool voter)
{
	struct look *k = ctx;

	if (k->n_members < BROKERS_MAX)
		k->members[k->n_members++] = (struct member){id, end, voter};
}

/* Asked last on its line, within its own time: without controllers a broker answers only after its own time is up. */
static bool ask_quorum(struct look *k, struct line *l, struct err *err)
{
	struct wait whole = k->p->wait;
	struct text frame;
	bool good;

	if (wait_left(whole) > QUORUM_MS)
		k->p->wait = wait_for(QUORUM_MS, whole.cancel);
	line_next(l);
	kafka_ask_quorum(&l->question, l->id);
	good = line_ask(l, ANSWER_MAX, &frame, err) && (kafka_read_quorum(frame, &k->quorum, on_member, k) ||
		err_set(err, ERR_PARSE, "its answer to DescribeQuorum makes no sense"));
	k->p->wait = whole;
	k->quorum_told = good;
	return good;
}

static void say_quorum(struct look *k)
{
	struct table *t = snapshot_table(k->s, kind_kafka.tables, "quorum");
	int64_t end = -1, lag = 0;
	size_t voters = 0;
	bool known = true;

	for (size_t i = 0; i < k->n_members; i++)
		if (k->members[i].id == k->quorum.leader)
			end = k->members[i].end;
	for (size_t i = 0; i < k->n_members; i++) {
		const struct member *m = &k->members[i];
		struct value *row = table_row(k->s, t), behind = value_unknown();

		if (m->end >= 0 && end >= m->end)
			behind = value_int(end - m->end);
		if (m->voter) {
			voters++;
			known &= behind.type == VALUE_INT;
			lag = behind.type == VALUE_INT && behind.u.i > lag ? behind.u.i : lag;
		}
		table_set(k->s, t, row, "node", value_int(m->id));
		table_set(k->s, t, row, "role", value_text(m->id == k->quorum.leader ? "leader" : m->voter ? "voter" : "observer"));
		table_set(k->s, t, row, "log_end", m->end >= 0 ? value_int(m->end) : value_unknown());
		table_set(k->s, t, row, "lag", behind);
	}
	figure(k, "controller", k->quorum.leader >= 0 ? value_int(k->quorum.leader) : value_unknown());
	figure(k, "epoch", k->quorum.epoch >= 0 ? value_int(k->quorum.epoch) : value_unknown());
	figure(k, "voters", voters ? value_int((int64_t)voters) : value_unknown());
	figure(k, "quorum_lag", voters && known ? value_int(lag) : value_unknown());
}

/* ---- groups, of the broker that coordinates them ---- */

static void on_group(void *ctx, const struct kafka_listed *listed)
{
	struct look *k = ctx;
	struct kafka_group *g = kafka_lag_group(&k->lag, listed->name);

	if (!g)
		return;
	g->protocol = arena_copy(k->lag.arena, listed->protocol);
	g->state = arena_copy(k->lag.arena, listed->state);
	g->type = arena_copy(k->lag.arena, listed->type);
	g->broker = k->broker->id;
}

static void on_members(void *ctx, int16_t error, struct text name, struct text state, size_t n_members)
{
	struct look *k = ctx;

	(void)state; /* ListGroups knows it, for groups of every type */
	k->group = error ? NULL : kafka_lag_group_named(&k->lag, name);
	if (k->group)
		k->group->members = (int64_t)n_members;
}

static void on_assigned(void *ctx, struct text topic, int32_t partition)
{
	struct look *k = ctx;

	if (k->group)
		kafka_lag_assigned(&k->lag, k->group, topic, partition);
}

static void on_committing_group(void *ctx, struct text name)
{
	struct look *k = ctx;

	k->group = kafka_lag_group_named(&k->lag, name);
}

static void on_committed(void *ctx, struct text topic, int32_t partition, int64_t offset, int16_t error)
{
	struct look *k = ctx;

	if (!k->group)
		return;
	if (error)
		kafka_lag_assigned(&k->lag, k->group, topic, partition); /* there is one, and it is not known */
	else
		kafka_lag_commit(&k->lag, k->group, topic, partition, offset);
}

static void on_committing_done(void *ctx, int16_t error)
{
	struct look *k = ctx;

	if (k->group)
		k->group->told = error == KAFKA_OK;
}

static bool groups_failed(struct look *k, int16_t error)
{
	const char *words = kafka_error_words(error);

	k->groups_whole = false;
	snprintf(k->groups_words, sizeof k->groups_words, "broker %d: %s", (int)k->broker->id, words ? words : "an error");
	return true; /* the line is good */
}

static bool list_groups(struct look *k, struct line *l, struct err *err)
{
	int16_t version = 5, error; /* with types; 4 with states; 3 with names alone */
	struct text frame;

	while (version > 3 && !kafka_speaks(&l->versions, KAFKA_LIST_GROUPS, version))
		version--;
	if (!kafka_speaks(&l->versions, KAFKA_LIST_GROUPS, version))
		return groups_failed(k, KAFKA_UNSUPPORTED_VERSION);
	line_next(l);
	kafka_ask_groups(&l->question, l->id, version);
	if (!line_ask(l, ANSWER_MAX, &frame, err))
		return false;
	if (!kafka_read_groups(frame, version, &error, on_group, k))
		return err_set(err, ERR_PARSE, "its answer to ListGroups makes no sense");
	return error == KAFKA_OK || groups_failed(k, error);
}

/* The next groups of this broker from *next on that pick takes; returns how many. */
static size_t some_groups(struct look *k, size_t *next, bool (*pick)(const struct kafka_group *g),
	struct text names[GROUPS_AT_ONCE])
{
	size_t n = 0;

	for (; *next < k->lag.n_groups && n < GROUPS_AT_ONCE; (*next)++) {
		const struct kafka_group *g = &k->lag.groups[*next];

		if (g->broker == k->broker->id && pick(g))
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

static bool ask_members(struct look *k, struct line *l, enum kafka_key key, struct err *err)
{
	const struct kafka_members_sink sink = {k, on_members, on_assigned};
	bool (*pick)(const struct kafka_group *g) = key == KAFKA_DESCRIBE_GROUPS ? is_classic : is_modern;
	struct text names[GROUPS_AT_ONCE], frame;
	size_t next = 0, n;

	if (!kafka_speaks(&l->versions, key, 0))
		return true;
	while ((n = some_groups(k, &next, pick, names))) {
		line_next(l);
		kafka_ask_members(&l->question, l->id, key, names, n);
		if (!line_ask(l, ANSWER_MAX, &frame, err))
			return false;
		if (!kafka_read_members(frame, key, &sink))
			return err_set(err, ERR_PARSE, "its answer about members makes no sense");
	}
	return true;
}

static bool ask_committed(struct look *k, struct line *l, struct err *err)
{
	const struct kafka_committed_sink sink = {k, on_committing_group, on_committed, on_committing_done};
	struct text names[GROUPS_AT_ONCE], frame;
	size_t next = 0, n;

	if (!kafka_speaks(&l->versions, KAFKA_OFFSET_FETCH, 8))
		return groups_failed(k, KAFKA_UNSUPPORTED_VERSION);
	while ((n = some_groups(k, &next, kafka_lag_counts, names))) {
		line_next(l);
		kafka_ask_committed(&l->question, l->id, names, n);
		if (!line_ask(l, ANSWER_MAX, &frame, err))
			return false;
		if (!kafka_read_committed(frame, &sink))
			return err_set(err, ERR_PARSE, "its answer about offsets makes no sense");
	}
	return true;
}

/* ---- where partitions end, of the broker that leads them ---- */

static void on_end(void *ctx, struct text topic, int32_t partition, int64_t offset, int16_t error)
{
	struct look *k = ctx;
	uint32_t place = kafka_lag_find(&k->lag, topic, partition);

	if (place != UINT32_MAX && error == KAFKA_OK && offset >= 0)
		k->lag.places[place].end = offset;
}

static bool ask_ends(struct look *k, struct line *l, struct err *err)
{
	struct kafka_wanted *wanted = mem_new(PARTITIONS_AT_ONCE, sizeof *wanted);
	struct text frame;
	bool good = kafka_speaks(&l->versions, KAFKA_LIST_OFFSETS, 2) || err_set(err, ERR_PROTOCOL, "does not know ListOffsets v2");

	for (size_t next = 0; good && next < k->lag.n_places;) {
		size_t n = 0;

		for (; next < k->lag.n_places && n < PARTITIONS_AT_ONCE; next++) {
			const struct kafka_place *place = &k->lag.places[next];
			const struct kafka_topic *topic = &k->lag.topics[place->topic];

			if (place->wanted && place->leader == k->broker->id)
				wanted[n++] = (struct kafka_wanted){text_of(topic->name), (int32_t)(next - topic->first)};
		}
		if (!n)
			break;
		line_next(l);
		kafka_ask_ends(&l->question, l->id, wanted, n);
		good = line_ask(l, ANSWER_MAX, &frame, err) && (kafka_read_ends(frame, on_end, k) ||
			err_set(err, ERR_PARSE, "its answer about ends makes no sense"));
	}
	free(wanted);
	return good;
}

/* ---- brokers ---- */

static bool is_numeric(const char *host)
{
	const char *digits = strchr(host, ':') ? "0123456789abcdefABCDEF:." : "0123456789.";

	return strlen(host) < ADDRESS_SIZE && host[strspn(host, digits)] == '\0';
}

/* Where a broker is to be reached: the address it advertises. Names other than this machine's are not resolved. */
static bool address_of(const struct look *k, const struct broker *b, struct endpoint *out)
{
	char own[256] = "";

	if (b->port < 1 || b->port > 65535 || !b->host[0])
		return false;
	out->port = (uint16_t)b->port;
	if (!strcmp(k->p->host->name, "localhost"))
		gethostname(own, sizeof own - 1);
	if (!strcmp(b->host, "localhost") || (own[0] && !strcmp(b->host, own))) {
		text_copy(out->address, sizeof out->address, text_of(k->p->at.address));
		return true;
	}
	text_copy(out->address, sizeof out->address, text_of(b->host));
	return is_numeric(b->host);
}

static bool is_same(const struct endpoint *a, const struct endpoint *b)
{
	return a->port == b->port && !strcmp(a->address, b->address);
}

/* Runs one part of the work on a broker's line, within its share of the time. */
static void with_broker(struct look *k, struct broker *b, bool (*part)(struct look *k, struct line *l, struct err *err))
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

static bool ask_groups(struct look *k, struct line *l, struct err *err)
{
	return list_groups(k, l, err) && ask_members(k, l, KAFKA_DESCRIBE_GROUPS, err) &&
		ask_members(k, l, KAFKA_CONSUMER_GROUP_DESCRIBE, err) && ask_committed(k, l, err);
}

/* The first line leads to one of them; a lone broker is reached by it, whatever it advertises. */
static void open_broker(struct look *k, struct broker *b, struct line *first)
{
	struct wait whole = k->p->wait;
	struct endpoint at;
	struct err err = {0};
	bool known = address_of(k, b, &at);

	if (first->fd >= 0 && ((k->n_brokers == 1 && !k->brokers_left_off) || (known && is_same(&at, &k->p->at)))) {
		line_end(&b->line);
		b->line = *first;
		line_begin(first, k->p);
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
	b->spoken = line_open(&b->line, &at, &err);
	if (!b->spoken)
		snprintf(b->words, sizeof b->words, "%.150s", err.words);
	k->p->wait = whole;
}

static void ask_brokers(struct look *k, struct line *first)
{
	k->groups_whole = k->brokers_left_off == 0;
	for (size_t i = 0; i < k->n_brokers; i++)
		open_broker(k, &k->brokers[i], first);
	/* all commits before all ends: a partition is then never ahead of its end */
	for (size_t i = 0; i < k->n_brokers; i++)
		with_broker(k, &k->brokers[i], ask_groups);
	for (size_t i = 0; i < k->n_brokers; i++)
		k->groups_whole &= k->brokers[i].spoken;
	for (size_t i = 0; i < k->n_brokers; i++)
		with_broker(k, &k->brokers[i], ask_ends);
	kafka_lag_count(&k->lag);
}

/* ---- what is made of it ---- */

static const char *advertised(const struct look *k, const struct broker *b)
{
	return arena_printf(k->s->arena, strchr(b->host, ':') ? "[%s]:%d" : "%s:%d", b->host, (int)b->port);
}

static void say_brokers(struct look *k)
{
	struct table *t = snapshot_table(k->s, kind_kafka.tables, "brokers");

	for (size_t i = 0; i < k->n_brokers; i++) {
		const struct broker *b = &k->brokers[i];
		struct value *row = table_row(k->s, t);

		table_set(k->s, t, row, "broker", value_int(b->id));
		table_set(k->s, t, row, "address", value_text(advertised(k, b)));
		table_set(k->s, t, row, "leads", value_int((int64_t)b->leads));
		table_set(k->s, t, row, "replicas", value_int((int64_t)b->replicas));
		table_set(k->s, t, row, "state", value_text(b->spoken ? "ok" : b->not_asked ? "not asked" : "no answer"));
		table_set(k->s, t, row, "words", value_text(b->words[0] ? b->words : NULL));
		if (!b->spoken && !b->not_asked)
			snapshot_finding(k->s, "broker", SEVERITY_WARNING, "see its log; clients connect to the address that it advertises",
				"broker %d does not answer where it advertises to be: %s", (int)b->id, b->words);
	}
	t->left_off += k->brokers_left_off;
	for (size_t i = 0; i < k->n_missing; i++) {
		struct value *row = table_row(k->s, t);

		table_set(k->s, t, row, "broker", value_int(k->missing[i]));
		table_set(k->s, t, row, "state", value_text("not alive"));
		snapshot_finding(k->s, "broker", SEVERITY_WARNING, "start it, or reassign its partitions",
			"broker %d holds replicas and is not alive", (int)k->missing[i]);
	}
}

static void say_topics(struct look *k)
{
	struct table *t = snapshot_table(k->s, kind_kafka.tables, "topics");

	for (size_t i = 0; i < k->lag.n_topics; i++) {
		const struct kafka_topic *topic = &k->lag.topics[i];
		struct value *row;

		if (t->n_rows == ROWS_MAX) {
			t->left_off += k->lag.n_topics - i;
			break;
		}
		row = table_row(k->s, t);
		table_set(k->s, t, row, "topic", value_text(topic->name));
		table_set(k->s, t, row, "partitions", value_int((int64_t)topic->n_partitions));
		table_set(k->s, t, row, "replicas", value_int((int64_t)topic->n_replicas));
		table_set(k->s, t, row, "under_replicated", value_int((int64_t)topic->under_replicated));
		table_set(k->s, t, row, "no_leader", value_int((int64_t)topic->no_leader));
		table_set(k->s, t, row, "internal", value_bool(topic->internal));
	}
}

static bool lag_is_known(const struct kafka_group *g)
{
	return g->told && g->partitions > 0 && g->unknown == 0;
}

static struct value lag_of(const struct kafka_group *g)
{
	struct value v = value_int(g->lag);

	if (!kafka_lag_counts(g) || !g->told || g->partitions == g->unknown)
		return value_unknown();
	v.at_least = g->unknown > 0;
	return v;
}

static int by_name(const void *a, const void *b)
{
	const struct kafka_group *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static bool has_no_consumer(const struct kafka_group *g)
{
	return g->members == 0 || !strcmp(g->state, "Empty");
}

static void find_lag(struct look *k, const struct kafka_group *const *sorted)
{
	size_t behind = 0;

	for (size_t i = 0; i < k->lag.n_groups; i++) {
		const struct kafka_group *g = sorted[i];
		bool alone = has_no_consumer(g);
		char lag[VALUE_TEXT_SIZE];

		if (!kafka_lag_counts(g) || g->lag <= (alone ? 0 : LAG_LARGE) || behind++ >= LAG_FINDINGS)
			continue;
		snapshot_finding(k->s, "lag", SEVERITY_WARNING,
			alone ? "start its consumer, or delete the group" : "see whether its consumers keep up",
			"%s is behind by %s%s%s", g->name, g->unknown ? "at least " : "", value_show(lag, value_int(g->lag), UNIT_RECORDS),
			alone ? " with no consumer" : "");
	}
	if (behind > LAG_FINDINGS)
		snapshot_finding(k->s, "lag", SEVERITY_WARNING, NULL, "%zu more groups are behind", behind - LAG_FINDINGS);
}

static void say_groups(struct look *k)
{
	struct table *t = snapshot_table(k->s, kind_kafka.tables, "groups");
	const struct kafka_group **sorted = mem_new(k->lag.n_groups + 1, sizeof *sorted);
	struct kafka_lag_sum sum = kafka_lag_sum(&k->lag);
	struct value total = value_int(sum.lag), groups = value_int((int64_t)k->lag.n_groups);

	for (size_t i = 0; i < k->lag.n_groups; i++)
		sorted[i] = &k->lag.groups[i];
	qsort(sorted, k->lag.n_groups, sizeof *sorted, by_name);
	for (size_t i = 0; i < k->lag.n_groups; i++) {
		const struct kafka_group *g = sorted[i];
		struct value *row = table_row(k->s, t);

		table_set(k->s, t, row, "group", value_text(g->name));
		table_set(k->s, t, row, "type", value_text(g->type[0] ? g->type : NULL));
		table_set(k->s, t, row, "protocol", value_text(g->protocol[0] ? g->protocol : NULL));
		table_set(k->s, t, row, "state", value_text(g->state[0] ? g->state : NULL));
		table_set(k->s, t, row, "members", g->members >= 0 ? value_int(g->members) : value_unknown());
		table_set(k->s, t, row, "partitions", value_int((int64_t)g->partitions));
		table_set(k->s, t, row, "lag", lag_of(g));
		table_set(k->s, t, row, "lag_known", value_bool(lag_is_known(g)));
	}
	find_lag(k, sorted);
	free(sorted);
	total.at_least = sum.at_least || !k->groups_whole;
	groups.at_least = !k->groups_whole;
	figure(k, "lag", k->groups_whole || k->lag.n_groups ? total : value_unknown());
	figure(k, "groups", k->groups_whole || k->lag.n_groups ? groups : value_unknown());
	if (k->groups_words[0])
		snapshot_finding(k->s, "groups", SEVERITY_WARNING, NULL, "groups are not all known: %s", k->groups_words);
}

static bool is_young(const struct probe *p)
{
	return p->owner_started > 0 && clock_wall_ms() - p->owner_started < YOUNG;
}

/* A broker that just started answers with an empty list and no error. */
static bool is_loading(const struct look *k)
{
	return k->topics == 0 && is_young(k->p);
}

/* The first topics with such partitions, by name. */
static const char *some_topics(const struct look *k, bool no_leader, char *out, size_t size)
{
	size_t used = 0, named = 0, more = 0;

	out[0] = '\0';
	for (size_t i = 0; i < k->lag.n_topics; i++) {
		const struct kafka_topic *topic = &k->lag.topics[i];

		if (!(no_leader ? topic->no_leader : topic->shrunk))
			continue;
		if (named == TOPICS_NAMED) {
			more++;
			continue;
		}
		used += (size_t)snprintf(out + used, size - used, "%s%.40s", named ? ", " : "", topic->name);
		named++;
	}
	if (more)
		snprintf(out + used, size - used, " and %zu more", more);
	return out;
}

static void say_cluster(struct look *k)
{
	bool loading = is_loading(k);
	char names[TOPICS_NAMED * 42 + 32];

	figure(k, "brokers", value_int((int64_t)(k->n_brokers + k->brokers_left_off)));
	figure(k, "topics", loading ? value_unknown() : value_int((int64_t)k->topics));
	figure(k, "partitions", loading ? value_unknown() : value_int((int64_t)k->partitions));
	figure(k, "under_replicated", loading ? value_unknown() : value_int((int64_t)k->under_replicated));
	figure(k, "offline", loading ? value_unknown() : value_int((int64_t)k->no_leader));
	figure(k, "cluster_id", value_text(k->cluster[0] ? k->cluster : NULL));
	if (k->no_leader)
		snapshot_finding(k->s, "offline", SEVERITY_BLOCKING, "start the brokers that hold their replicas",
			"%zu of %zu partitions have no leader and can neither be read nor written: %s", k->no_leader, k->lag.n_places,
			some_topics(k, true, names, sizeof names));
	if (k->shrunk)
		snapshot_finding(k->s, "under-replicated", SEVERITY_WARNING, "see which broker is down or behind",
			"%zu of %zu partitions have fewer replicas in sync than they should: %s", k->shrunk, k->lag.n_places,
			some_topics(k, false, names, sizeof names));
}

/* In KRaft by the quorum, else by Metadata, where -1 is none. */
static const char *controller_trouble(struct look *k, enum kafka_part part, const struct err *err)
{
	if (part == KAFKA_ZOOKEEPER_BROKER)
		return k->controller < 0 ? "no broker is the controller: is ZooKeeper there?" : NULL;
	if (!k->quorum_told && err->code == ERR_NONE)
		return NULL; /* too old to be asked */
	if (!k->quorum_told && err->code == ERR_TIMEOUT)
		return "the controllers do not answer: topics and leaders cannot change";
	if (!k->quorum_told)
		return arena_printf(k->s->arena, "no word of its controllers: %s", err->words);
	if (k->quorum.error == KAFKA_CLUSTER_DENIED)
		return NULL;
	return k->quorum.error || k->quorum.leader < 0 ? "no controller leads the quorum: topics and leaders cannot change" : NULL;
}

static void judge(struct look *k, const char *trouble, const char *source)
{
	char age[CLOCK_TEXT];

	if (k->no_leader)
		snapshot_health(k->s, LINK_BAD, source, "%zu of %zu partitions have no leader", k->no_leader, k->lag.n_places);
	else if (trouble)
		snapshot_health(k->s, LINK_BAD, source, "%s", trouble);
	else if (is_loading(k))
		snapshot_health(k->s, LINK_UNKNOWN, source, "started %s ago: its topics are not loaded yet",
			clock_span(age, clock_wall_ms() - k->p->owner_started));
	else
		snapshot_health(k->s, LINK_OK, source, "%zu broker%s, every partition has a leader", k->n_brokers + k->brokers_left_off,
			k->n_brokers + k->brokers_left_off == 1 ? "" : "s");
}

static bool inspect_broker(struct look *k, struct line *first, struct snapshot *s)
{
	enum kafka_part part = kafka_part(&first->versions);
	bool quorum = kafka_speaks(&first->versions, KAFKA_DESCRIBE_QUORUM, 0);
	int64_t begun = clock_ms();
	const char *source;
	struct line apart;
	struct err err = {0};

	kafka_lag_begin(&k->lag);
	if (!kafka_speaks(&first->versions, KAFKA_METADATA, 4))
		return err_set(&s->err, ERR_PROTOCOL, "is older than what laketop can ask for its topics (Metadata v4)");
	if (!ask_metadata(k, first, &s->err)) {
		/* a listener that wants a login lets nobody past ApiVersions */
		snapshot_health(s, s->err.code == ERR_PROTOCOL ? LINK_UNKNOWN : LINK_BAD, "Metadata v4", "%s%s", s->err.words,
			s->err.code == ERR_PROTOCOL ? ": does this listener want a login?" : "");
		return false;
	}
	source = asked_in(k->p, "Metadata v4", begun);
	figure(k, "mode", value_text(part == KAFKA_ZOOKEEPER_BROKER ? "ZooKeeper" : "KRaft"));
	ask_brokers(k, first);
	line_begin(&apart, k->p);
	if (quorum && line_open(&apart, &k->p->at, &err))
		ask_quorum(k, &apart, &err);
	line_end(&apart);
	judge(k, controller_trouble(k, part, &err), source);
	say_cluster(k);
	if (part == KAFKA_ZOOKEEPER_BROKER)
		figure(k, "controller", k->controller >= 0 ? value_int(k->controller) : value_unknown());
	say_brokers(k);
	say_topics(k);
	say_groups(k);
	if (k->quorum_told)
		say_quorum(k);
	return true;
}

static bool inspect_controller(struct look *k, struct line *l, struct snapshot *s)
{
	int64_t begun = clock_ms();

	if (!ask_quorum(k, l, &s->err))
		return false;
	figure(k, "mode", value_text("KRaft"));
	say_quorum(k);
	if (k->quorum.error == KAFKA_NOT_LEADER)
		snapshot_health(s, LINK_OK, asked_in(k->p, "DescribeQuorum v0", begun), "a controller that follows another");
	else if (k->quorum.error || k->quorum.leader < 0)
		snapshot_health(s, LINK_BAD, asked_in(k->p, "DescribeQuorum v0", begun), "no controller leads the quorum");
	else
		snapshot_health(s, LINK_OK, asked_in(k->p, "DescribeQuorum v0", begun), "controller %d leads the quorum",
			(int)k->quorum.leader);
	return true;
}

static bool inspect(struct probe *p, struct snapshot *s)
{
	struct look *k = mem_new(1, sizeof *k);
	struct line first;
	bool good = false;

	k->p = p;
	k->s = s;
	line_begin(&first, p);
	if (line_open(&first, &p->at, &s->err))
		good = kafka_part(&first.versions) == KAFKA_CONTROLLER ? inspect_controller(k, &first, s) : inspect_broker(k, &first, s);
	line_end(&first);
	for (size_t i = 0; i < k->n_brokers; i++)
		line_end(&k->brokers[i].line);
	kafka_lag_end(&k->lag);
	free(k);
	return good;
}

/* Its words name no ports. Every listener of a broker speaks this protocol, but for JMX: its number is high, or 9999.
 * Whoever runs a second one moves both by some thousands: 19092 and 19093. */
static const char *role_of(struct text hint, uint16_t port)
{
	(void)hint;
	if (port >= 32768 || port == 9999)
		return NULL;
	return port % 10000 == 9093 ? "controller" : "client";
}

const struct service_kind kind_kafka = {
	.name = "kafka",
	.title = "Kafka",
	.group = "streams",
	.ports = (const struct port_role[]){
		{"client", 9092, PORT_ASK, 9094},
		{"controller", 9093, PORT_ASK, 0},
		{0}},
	.owners = (const char *const[]){"kafka.Kafka", NULL},
	.figures = (const struct figure_spec[]){
		{"lag", "lag", UNIT_RECORDS, FIGURE_ROW | FIGURE_HISTORY,
			"records that all consumer groups are behind; offsets, so that gaps count too"},
		{"topics", "topics", UNIT_COUNT, FIGURE_ROW, "without internal ones"},
		{"brokers", "brokers", UNIT_COUNT, FIGURE_ROW, "alive"},
		{"partitions", "partitions", UNIT_COUNT, 0, "of these topics"},
		{"under_replicated", "under-replicated", UNIT_COUNT, FIGURE_HISTORY,
			"partitions with fewer replicas in sync than they should have"},
		{"offline", "without leader", UNIT_COUNT, FIGURE_HISTORY, "partitions that can neither be read nor written"},
		{"groups", "groups", UNIT_COUNT, 0, "of every type"},
		{"controller", "controller", UNIT_NONE, 0, "node that leads the quorum; in ZooKeeper mode the broker that controls"},
		{"voters", "voters", UNIT_COUNT, 0, "controllers that elect it"},
		{"quorum_lag", "quorum lag", UNIT_RECORDS, 0, "entries of the metadata log that the slowest voter is behind"},
		{"epoch", "epoch", UNIT_NONE, 0, "elections so far"},
		{"mode", "", UNIT_NONE, 0, "KRaft or ZooKeeper"},
		{"cluster_id", "cluster", UNIT_NONE, 0, "not unique: the official image has a default one"},
		{0}},
	.tables = (const struct table_spec[]){
		{"groups", "groups and how far they are behind", (const struct column_spec[]){
			{"group", VALUE_TEXT, UNIT_NONE, 0, "name"},
			{"type", VALUE_TEXT, UNIT_NONE, 2, "classic, consumer, share, streams; told from 3.8 on"},
			{"protocol", VALUE_TEXT, UNIT_NONE, 3, "consumer, connect, share, streams; none: commits by hand"},
			{"state", VALUE_TEXT, UNIT_NONE, 0, "Stable, Empty, Assigning, Reconciling, PreparingRebalance, CompletingRebalance, Dead"},
			{"members", VALUE_INT, UNIT_COUNT, 1, "consumers in it"},
			{"partitions", VALUE_INT, UNIT_COUNT, 2, "committed or assigned"},
			{"lag", VALUE_INT, UNIT_RECORDS, 0, "unknown without a commit"},
			{"lag_known", VALUE_BOOL, UNIT_NONE, 3, "of all its partitions"},
			{0}}},
		{"topics", "topics", (const struct column_spec[]){
			{"topic", VALUE_TEXT, UNIT_NONE, 0, "name"},
			{"partitions", VALUE_INT, UNIT_COUNT, 0, "how many"},
			{"replicas", VALUE_INT, UNIT_COUNT, 1, "of each partition"},
			{"under_replicated", VALUE_INT, UNIT_COUNT, 1, "partitions with fewer replicas in sync"},
			{"no_leader", VALUE_INT, UNIT_COUNT, 1, "partitions without a leader"},
			{"internal", VALUE_BOOL, UNIT_NONE, 3, "Kafka's own"},
			{0}}},
		{"brokers", "brokers", (const struct column_spec[]){
			{"broker", VALUE_INT, UNIT_NONE, 0, "id"},
			{"address", VALUE_TEXT, UNIT_NONE, 0, "that it advertises"},
			{"state", VALUE_TEXT, UNIT_NONE, 0, "ok, no answer, not asked, not alive"},
			{"leads", VALUE_INT, UNIT_COUNT, 1, "partitions that it leads"},
			{"replicas", VALUE_INT, UNIT_COUNT, 1, "of partitions on it"},
			{"words", VALUE_TEXT, UNIT_NONE, 2, "why"},
			{0}}},
		{"quorum", "controllers and who follows them", (const struct column_spec[]){
			{"node", VALUE_INT, UNIT_NONE, 0, "id"},
			{"role", VALUE_TEXT, UNIT_NONE, 0, "leader, voter or observer"},
			{"log_end", VALUE_INT, UNIT_RECORDS, 1, "end of its metadata log"},
			{"lag", VALUE_INT, UNIT_RECORDS, 0, "behind the leader"},
			{0}}},
		{0}},
	.role_of = role_of,
	.identify = identify,
	.pulse = pulse,
	.inspect = inspect,
};
