// SPDX-License-Identifier: MIT
/*
 * What is made of one look at a Kafka cluster: figures, tables, findings, and whether it is well.
 *
 * Metadata's controller is a random broker in KRaft: the quorum's leader counts. A broker serves on
 * without controllers, so that its topics look well: DescribeQuorum shows it.
 * Threads: the actor's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kafka_look.h"
#include "kinds.h"

enum { TOPIC_ROWS = 4000, GROUP_ROWS = 4000, ENDS_ROWS = 10000, LAG_FINDINGS = 4, TOPICS_NAMED = 3, TOPICS_SHORT = 60, NOTE_SIZE = 160 };

static void figure(struct kafka_look *k, const char *name, struct value v)
{
	snapshot_figure(k->s, kind_kafka.figures, name, v);
}

static struct value words(const char *s)
{
	return s && s[0] ? value_text(s) : value_unknown();
}

/* ---- the quorum ---- */

void kafka_tell_quorum(struct kafka_look *k)
{
	struct table *t = snapshot_table(k->s, kind_kafka.tables, "quorum");
	int64_t end = -1, lag = 0;
	size_t voters = 0;
	bool known = true;

	for (size_t i = 0; i < k->n_members; i++)
		if (k->members[i].id == k->quorum.leader)
			end = k->members[i].end;
	for (size_t i = 0; i < k->n_members; i++) {
		const struct kafka_member *m = &k->members[i];
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

/* ---- brokers ---- */

static bool votes(const struct kafka_look *k, int32_t id)
{
	for (size_t i = 0; i < k->n_members; i++)
		if (k->members[i].id == id)
			return k->members[i].voter;
	return false;
}

static void tell_broker(struct kafka_look *k, struct table *t, const struct kafka_broker *b, bool zookeeper)
{
	struct value *row = table_row(k->s, t), controller = value_unknown();
	struct kafka_release release = {0};

	if (b->spoken)
		kafka_release(&b->line.versions, &release);
	if (zookeeper || (k->quorum_told && !k->quorum.error))
		controller = value_bool(b->id == (zookeeper ? k->controller : k->quorum.leader));
	table_set(k->s, t, row, "id", value_int(b->id));
	table_set(k->s, t, row, "address", value_text(kafka_advertised(k->s->arena, b)));
	table_set(k->s, t, row, "state", value_text(b->spoken ? "ok" : b->not_asked ? "not asked" : "no answer"));
	table_set(k->s, t, row, "controller", controller);
	table_set(k->s, t, row, "version", words(release.version));
	table_set(k->s, t, row, "roles", zookeeper || k->quorum_told ? value_text(votes(k, b->id) ? "broker, controller" : "broker") :
		value_unknown());
	table_set(k->s, t, row, "partitions_led", value_int((int64_t)b->leads));
	table_set(k->s, t, row, "replicas", value_int((int64_t)b->replicas));
	table_set(k->s, t, row, "words", words(b->words));
	if (!b->spoken && !b->not_asked)
		snapshot_finding(k->s, "broker", SEVERITY_WARNING, "see its log; clients connect to the address that it advertises",
			"broker %d does not answer where it advertises to be: %s", (int)b->id, b->words);
}

static void tell_brokers(struct kafka_look *k, bool zookeeper)
{
	struct table *t = snapshot_table(k->s, kind_kafka.tables, "brokers");

	for (size_t i = 0; i < k->n_brokers; i++)
		tell_broker(k, t, &k->brokers[i], zookeeper);
	t->left_off += k->brokers_left_off;
	for (size_t i = 0; i < k->n_missing; i++) {
		struct value *row = table_row(k->s, t);

		table_set(k->s, t, row, "id", value_int(k->missing[i]));
		table_set(k->s, t, row, "state", value_text("not alive"));
		snapshot_finding(k->s, "broker", SEVERITY_WARNING, "start it, or reassign its partitions",
			"broker %d holds replicas and is not alive", (int)k->missing[i]);
	}
}

/* ---- topics ---- */

struct sums { /* of a topic's partitions */
	int64_t records, size;
	bool records_known, size_known;
};

static struct sums sums_of(const struct kafka_lag *lag, const struct kafka_topic *topic)
{
	struct sums sums = {.records_known = true, .size_known = true};

	for (size_t i = 0; i < topic->n_partitions; i++) {
		const struct kafka_place *p = &lag->places[topic->first + i];

		sums.records += p->end_at && p->beginning_at && p->end > p->beginning ? p->end - p->beginning : 0;
		sums.records_known &= p->end_at && p->beginning_at;
		sums.size += p->size > 0 ? p->size : 0;
		sums.size_known &= p->size >= 0;
	}
	return sums;
}

static void tell_topics(struct kafka_look *k)
{
	struct table *t = snapshot_table(k->s, kind_kafka.tables, "topics");

	for (size_t i = 0; i < k->lag.n_topics; i++) {
		const struct kafka_topic *topic = &k->lag.topics[i];
		struct sums sums = sums_of(&k->lag, topic);
		struct value *row, records = value_int(sums.records);
		double rate;

		if (t->n_rows == TOPIC_ROWS) {
			t->left_off += k->lag.n_topics - i;
			break;
		}
		row = table_row(k->s, t);
		records.at_least = !sums.records_known;
		table_set(k->s, t, row, "name", value_text(topic->name));
		table_set(k->s, t, row, "partitions", value_int((int64_t)topic->n_partitions));
		table_set(k->s, t, row, "replicas", value_int((int64_t)topic->n_replicas));
		table_set(k->s, t, row, "under_replicated", value_int((int64_t)topic->under_replicated));
		table_set(k->s, t, row, "offline", value_int((int64_t)topic->no_leader));
		table_set(k->s, t, row, "records", sums.records || sums.records_known ? records : value_unknown());
		table_set(k->s, t, row, "rate", kafka_topic_rate(&k->lag, topic, &rate) ? value_real(rate) : value_unknown());
		table_set(k->s, t, row, "size", sums.size_known ? value_int(sums.size) : value_unknown());
		table_set(k->s, t, row, "retention", topic->retention >= 0 ? value_int(topic->retention) : value_unknown());
		table_set(k->s, t, row, "keeps", topic->retention == -1 ? value_text("for ever") : value_unknown());
		table_set(k->s, t, row, "compacted", topic->compacted >= 0 ? value_bool(topic->compacted) : value_unknown());
		table_set(k->s, t, row, "internal", value_bool(topic->internal));
		table_set(k->s, t, row, "made_anew", topic->anew_at ? value_int(k->lag.wall - (k->lag.at - topic->anew_at)) : value_unknown());
	}
}

/* Kafka's own topics last: nobody waits for their ends. */
static void tell_ends(struct kafka_look *k)
{
	struct table *t = snapshot_table(k->s, kind_kafka.tables, "ends");

	for (int internal = 0; internal < 2; internal++)
		for (size_t i = 0; i < k->lag.n_topics; i++) {
			const struct kafka_topic *topic = &k->lag.topics[i];
			struct value name = value_unknown();

			for (size_t p = 0; topic->internal == (internal == 1) && p < topic->n_partitions; p++) {
				const struct kafka_place *place = &k->lag.places[topic->first + p];
				struct value *row = t->n_rows < ENDS_ROWS ? table_row(k->s, t) : NULL;

				if (!row) {
					t->left_off += t->n_rows >= ENDS_ROWS;
					continue;
				}
				if (name.type == VALUE_UNKNOWN) /* one copy for all of its rows */
					name = value_text(arena_clean(k->s->arena, text_of(topic->name)));
				row[0] = name;
				table_set(k->s, t, row, "partition", value_int((int64_t)p));
				table_set(k->s, t, row, "beginning", place->beginning_at ? value_int(place->beginning) : value_unknown());
				table_set(k->s, t, row, "end", place->end_at ? value_int(place->end) : value_unknown());
			}
		}
}

/* ---- groups ---- */

static struct value lag_of(const struct kafka_group *g)
{
	struct value v = value_int(g->lag);

	if (!kafka_lag_counts(g) || !g->told || g->partitions == g->unknown)
		return value_unknown();
	v.at_least = g->unknown > 0;
	return v;
}

static const char *type_of(const struct kafka_group *g)
{
	return !strcmp(g->protocol, "connect") ? g->protocol : g->type;
}

static void note(struct buf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(struct buf *out, const char *format, ...)
{
	va_list args;

	if (out->len)
		buf_puts(out, "; ");
	va_start(args, format);
	buf_vprintf(out, format, args);
	va_end(args);
}

/* A group has the state of its worst partition, the others may get on. */
static void note_worst(const struct kafka_look *k, const struct kafka_group *g, struct buf *out)
{
	uint32_t place = k->lag.commits[g->worst].place;
	const struct kafka_topic *t = &k->lag.topics[k->lag.places[place].topic];

	note(out, "%s on %zu of %zu: %.40s %zu%s", kafka_lag_word(g->lag_state), g->n_worst, g->partitions, t->name, place - t->first,
		g->n_worst > 1 ? ", …" : "");
}

const char *kafka_group_note(const struct kafka_look *k, const struct kafka_group *g)
{
	const char *words;
	struct buf out;

	if (!kafka_lag_counts(g))
		return !strcmp(g->protocol, "connect") ? "workers of Kafka Connect: commits no offsets" :
			"a share group: has no offsets of its own";
	if (!g->told)
		return g->asked_at ? "its offsets were not told" : "not asked yet";
	buf_init(&out, NOTE_SIZE);
	if (g->n_anew)
		note(&out, "topic made anew");
	if (g->n_reset)
		note(&out, "reset? committed beyond the end on %zu of %zu", g->n_reset, g->partitions);
	if (g->lost)
		note(&out, "data lost: %lld records were deleted before it read them", (long long)g->lost);
	if (g->uncommitted)
		note(&out, "no commit on %zu of %zu", g->uncommitted, g->partitions);
	if (g->unknown > g->uncommitted)
		note(&out, "end not known on %zu of %zu", g->unknown - g->uncommitted, g->partitions);
	if (!g->partitions)
		note(&out, kafka_group_has_members(g) ? "it has committed nothing, and nothing is assigned to it" : "it has committed nothing, and has no member");
	if (g->lag_state >= KAFKA_LAG_SLOW && g->n_worst < g->partitions)
		note_worst(k, g, &out);
	if (g->lag_state == KAFKA_LAG_UNKNOWN && !out.len)
		note(&out, "too early to tell: whether it gets on shows within %d s", KAFKA_WINDOW_MS / 1000);
	words = arena_copy(k->s->arena, buf_text(&out));
	buf_free(&out);
	return words;
}

const char *kafka_commit_note(const struct kafka_lag *lag, const struct kafka_commit *c, char out[64])
{
	const struct kafka_topic *t = &lag->topics[lag->places[c->place].topic];
	const char *anew = t->anew_at && lag->at - t->anew_at < KAFKA_ANEW_MS ? "topic made anew; " : "";

	if (c->offset < 0)
		snprintf(out, 64, "%sno commit", anew);
	else if (c->end < 0)
		snprintf(out, 64, "%send not known", anew);
	else if (c->offset > c->end)
		snprintf(out, 64, "%sreset? committed beyond the end", anew);
	else if (c->beginning > c->offset)
		snprintf(out, 64, "%sdata lost: %lld", anew, (long long)(c->beginning - c->offset));
	else
		snprintf(out, 64, "%s", anew[0] ? "topic made anew" : "");
	return out;
}

/* "order-events, payments and 3 more" */
static const char *topics_of(struct kafka_look *k, const struct kafka_group *g)
{
	char out[TOPICS_SHORT + 32] = "";
	size_t used = 0, n = 0, more = 0;
	uint32_t last = UINT32_MAX;

	for (size_t i = 0; i < g->partitions; i++) {
		uint32_t topic = k->lag.places[k->lag.commits[g->first + i].place].topic;
		const char *name = k->lag.topics[topic].name;

		if (topic == last)
			continue;
		last = topic;
		if (n && (more || used + strlen(name) + 2 > TOPICS_SHORT))
			more++;
		else
			used += (size_t)snprintf(out + used, sizeof out - used, "%s%.*s", n++ ? ", " : "", TOPICS_SHORT, name);
		used = used < sizeof out ? used : sizeof out - 1;
	}
	if (more)
		snprintf(out + used, sizeof out - used, " and %zu more", more);
	return arena_copy(k->s->arena, text_of(out));
}

struct pace { /* of a group */
	double in, out;
	bool known;
	struct value catches_up;
	const char *words;
};

static struct pace pace_of(const struct kafka_group *g)
{
	struct pace pace = {.catches_up = value_unknown()};

	pace.known = kafka_lag_counts(g) && kafka_group_rates(g, &pace.in, &pace.out);
	if (!pace.known || !g->told || g->partitions == g->unknown || g->lag == 0)
		return pace;
	if (pace.out > pace.in)
		pace.catches_up = value_real((double)g->lag / (pace.out - pace.in));
	else if (g->lag_state != KAFKA_LAG_OK && g->lag_state != KAFKA_LAG_UNKNOWN)
		pace.words = "never";
	return pace;
}

static void tell_group(struct kafka_look *k, struct table *t, const struct kafka_group *g)
{
	struct value *row = table_row(k->s, t);
	struct pace pace = pace_of(g);
	bool counts = kafka_lag_counts(g);
	char trend[KAFKA_TREND];

	kafka_group_trend(g, trend);
	table_set(k->s, t, row, "group", value_text(g->name));
	table_set(k->s, t, row, "type", words(type_of(g)));
	table_set(k->s, t, row, "state", words(g->state));
	table_set(k->s, t, row, "lag_state", counts ? value_text(kafka_lag_word(g->lag_state)) : value_unknown());
	table_set(k->s, t, row, "members", g->members >= 0 ? value_int(g->members) : value_unknown());
	table_set(k->s, t, row, "topics", words(topics_of(k, g)));
	table_set(k->s, t, row, "partitions", value_int((int64_t)g->partitions));
	table_set(k->s, t, row, "lag", lag_of(g));
	table_set(k->s, t, row, "lag_known", value_bool(g->told && g->partitions > 0 && g->unknown == 0));
	table_set(k->s, t, row, "rate_in", pace.known ? value_real(pace.in) : value_unknown());
	table_set(k->s, t, row, "rate_out", pace.known ? value_real(pace.out) : value_unknown());
	table_set(k->s, t, row, "catches_up", pace.catches_up);
	table_set(k->s, t, row, "catches_up_words", words(pace.words));
	table_set(k->s, t, row, "last_commit", g->moved_wall ? value_int(g->moved_wall) : value_unknown());
	table_set(k->s, t, row, "trend", words(trend));
	table_set(k->s, t, row, "age_ms", g->asked_at ? value_int(clock_ms() - g->asked_at) : value_unknown());
	table_set(k->s, t, row, "note", words(kafka_group_note(k, g)));
}

static int worst_first(const void *a, const void *b)
{
	const struct kafka_group *const *x = a, *const *y = b;

	if ((*x)->lag_state != (*y)->lag_state)
		return (*x)->lag_state > (*y)->lag_state ? -1 : 1;
	if ((*x)->lag != (*y)->lag)
		return (*x)->lag > (*y)->lag ? -1 : 1;
	return strcmp((*x)->name, (*y)->name);
}

static void find_lag_of(struct kafka_look *k, const struct kafka_group *g)
{
	struct pace pace = pace_of(g);
	char lag[VALUE_TEXT_SIZE], more[VALUE_TEXT_SIZE];
	const char *least = g->unknown ? "at least " : "";

	value_show(lag, value_int(g->lag), UNIT_RECORDS);
	if (g->lag_state == KAFKA_LAG_STOPPED)
		snapshot_finding(k->s, "lag", SEVERITY_WARNING, "start its consumer, or delete the group",
			"%s has stopped: %s%s behind, and nobody reads", g->name, least, lag);
	else if (g->lag_state == KAFKA_LAG_STALLED)
		snapshot_finding(k->s, "lag", SEVERITY_WARNING, "see the log of its consumers",
			"%s has stalled: %s%s behind, its consumers are there and do not get on", g->name, least, lag);
	else if (g->lag_state == KAFKA_LAG_REWOUND)
		snapshot_finding(k->s, "lag", SEVERITY_WARNING, "see who set its offsets back", "%s was rewound: %s%s behind", g->name,
			least, lag);
	else if (pace.known && pace.in - pace.out >= 1)
		snapshot_finding(k->s, "lag", SEVERITY_WARNING, "give it more consumers, or see what slows them",
			"%s is slow: %s%s behind, %s more each second", g->name, least, lag,
			value_show(more, value_int((int64_t)(pace.in - pace.out)), UNIT_COUNT));
	else
		snapshot_finding(k->s, "lag", SEVERITY_WARNING, "give it more consumers, or see what slows them",
			"%s is slow: %s%s behind, and it does not become less", g->name, least, lag);
}

static void tell_groups(struct kafka_look *k)
{
	struct table *t = snapshot_table(k->s, kind_kafka.tables, "groups");
	const struct kafka_group **sorted = mem_new(k->lag.n_groups + 1, sizeof *sorted);
	struct kafka_lag_sum sum = kafka_lag_sum(&k->lag);
	struct value total = value_int(sum.lag), groups = value_int((int64_t)k->lag.n_groups);
	size_t behind = 0;

	for (size_t i = 0; i < k->lag.n_groups; i++)
		sorted[i] = &k->lag.groups[i];
	if (k->lag.n_groups > GROUP_ROWS) /* the best are left off */
		qsort(sorted, k->lag.n_groups, sizeof *sorted, worst_first);
	for (size_t i = 0; i < k->lag.n_groups; i++)
		if (t->n_rows < GROUP_ROWS)
			tell_group(k, t, sorted[i]);
		else
			t->left_off++;
	qsort(sorted, k->lag.n_groups, sizeof *sorted, worst_first);
	for (size_t i = 0; i < k->lag.n_groups && sorted[i]->lag_state >= KAFKA_LAG_SLOW; i++)
		if (behind++ < LAG_FINDINGS)
			find_lag_of(k, sorted[i]);
	if (behind > LAG_FINDINGS)
		snapshot_finding(k->s, "lag", SEVERITY_WARNING, NULL, "%zu more groups are behind", behind - LAG_FINDINGS);
	free(sorted);
	total.at_least = sum.at_least || !k->groups_whole;
	groups.at_least = !k->groups_whole;
	figure(k, "lag", k->groups_whole || k->lag.n_groups ? total : value_unknown());
	figure(k, "groups", k->groups_whole || k->lag.n_groups ? groups : value_unknown());
	if (k->groups_words[0])
		snapshot_finding(k->s, "groups", SEVERITY_WARNING, NULL, "groups are not all known: %s", k->groups_words);
}

/* ---- the cluster ---- */

/* The first topics with such partitions, by name. */
static const char *some_topics(const struct kafka_look *k, bool no_leader, char *out, size_t size)
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

static void tell_cluster(struct kafka_look *k)
{
	bool loading = kafka_is_loading(k);
	char names[TOPICS_NAMED * 42 + 32];

	figure(k, "brokers", value_int((int64_t)(k->n_brokers + k->brokers_left_off)));
	figure(k, "topics", loading ? value_unknown() : value_int((int64_t)k->topics));
	figure(k, "partitions", loading ? value_unknown() : value_int((int64_t)k->partitions));
	figure(k, "under_replicated", loading ? value_unknown() : value_int((int64_t)k->under_replicated));
	figure(k, "offline", loading ? value_unknown() : value_int((int64_t)k->no_leader));
	figure(k, "cluster_id", words(k->cluster));
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
static const char *controller_trouble(struct kafka_look *k, bool zookeeper)
{
	if (zookeeper)
		return k->controller < 0 ? "no broker is the controller: is ZooKeeper there?" : NULL;
	if (!k->quorum_told && k->quorum_err.code == ERR_NONE)
		return NULL; /* too old to be asked */
	if (!k->quorum_told && k->quorum_err.code == ERR_TIMEOUT)
		return "the controllers do not answer: topics and leaders cannot change";
	if (!k->quorum_told)
		return arena_printf(k->s->arena, "no word of its controllers: %s", k->quorum_err.words);
	if (k->quorum.error == KAFKA_CLUSTER_DENIED)
		return NULL;
	return k->quorum.error || k->quorum.leader < 0 ? "no controller leads the quorum: topics and leaders cannot change" : NULL;
}

static void judge(struct kafka_look *k, const char *trouble)
{
	char age[CLOCK_TEXT];

	if (k->no_leader)
		snapshot_health(k->s, LINK_BAD, k->source, "%zu of %zu partitions have no leader", k->no_leader, k->lag.n_places);
	else if (trouble)
		snapshot_health(k->s, LINK_BAD, k->source, "%s", trouble);
	else if (kafka_is_loading(k))
		snapshot_health(k->s, LINK_UNKNOWN, k->source, "started %s ago: its topics are not loaded yet",
			clock_span(age, clock_wall_ms() - k->p->owner_started));
	else
		snapshot_health(k->s, LINK_OK, k->source, "%zu broker%s, every partition has a leader", k->n_brokers + k->brokers_left_off,
			k->n_brokers + k->brokers_left_off == 1 ? "" : "s");
}

void kafka_tell(struct kafka_look *k, enum kafka_part part)
{
	bool zookeeper = part == KAFKA_ZOOKEEPER_BROKER;

	figure(k, "mode", value_text(zookeeper ? "ZooKeeper" : "KRaft"));
	judge(k, controller_trouble(k, zookeeper));
	tell_cluster(k);
	if (zookeeper)
		figure(k, "controller", k->controller >= 0 ? value_int(k->controller) : value_unknown());
	tell_brokers(k, zookeeper);
	tell_topics(k);
	tell_groups(k);
	tell_ends(k);
	if (k->quorum_told)
		kafka_tell_quorum(k);
}
