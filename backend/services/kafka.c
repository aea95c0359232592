// SPDX-License-Identifier: MIT
/*
 * Kafka, broker and controller. The greeting is ApiVersions, which every listener answers before any
 * login, and which tells the minor line (never the patch level) and the role: a controller's listener
 * has the votes and no topics, a broker in ZooKeeper mode has LeaderAndIsr and no quorum.
 *
 * Everything but records is asked in Kafka's own protocol over the host's streams (kafka_look.c); no
 * library keeps threads and connections for that, and every wait has the probe's deadline. A request
 * that a version does not know is never sent: it would leave a stack trace in the log.
 *
 * Source: Kafka's message definitions and DescribeQuorum (KIP-595, 836); checked on 3.9.2 with ZooKeeper,
 * 4.1.1 and 4.4.0. Thread: its actor's.
 */
#include <stdlib.h>

#include "kafka_look.h"
#include "kinds.h"

/* ---- who is it ---- */

static enum answered unanswered(const struct kafka_line *l, const struct err *err)
{
	if (l->fd < 0)
		return net_undialled(err);
	/* whoever closes says nothing; whoever sends something else says that it is another */
	return err->code == ERR_PROTOCOL && l->heard ? ANSWERED_OTHER : ANSWERED_MUTE;
}

static enum answered identify(struct probe *p, struct identity *who)
{
	struct kafka_line l;
	struct err err = {0};
	struct kafka_release release;
	int64_t begun = clock_ms();
	enum answered answered = ANSWERED_YES;
	enum kafka_part part;

	kafka_line_begin(&l, p);
	if (!kafka_line_open(&l, &p->at, &err)) {
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
	kafka_line_end(&l);
	return answered;
}

static enum answered pulse(struct probe *p, struct identity *who)
{
	struct kafka_line l;
	struct err err = {0};
	enum answered answered = ANSWERED_YES;

	(void)who;
	kafka_line_begin(&l, p);
	l.fd = net_dial(p, &p->at, &err);
	if (l.fd < 0 || !kafka_line_versions(&l, 0, &err))
		answered = unanswered(&l, &err);
	kafka_line_end(&l);
	return answered;
}

/* ---- how does it do ---- */

static bool inspect_broker(struct probe *p, struct kafka_line *first, struct snapshot *s)
{
	enum kafka_part part = kafka_part(&first->versions);
	struct kafka_look *k = kafka_look_new(p, s, KAFKA_LOOK_WHOLE, NULL);
	bool good = kafka_look_at(k, first);

	if (good)
		kafka_tell(k, part);
	else if (kafka_speaks(&first->versions, KAFKA_METADATA, 4))
		/* a listener that wants a login lets nobody past ApiVersions */
		snapshot_health(s, s->err.code == ERR_PROTOCOL ? LINK_UNKNOWN : LINK_BAD, "Metadata", "%s%s", s->err.words,
			s->err.code == ERR_PROTOCOL ? ": does this listener want a login?" : "");
	kafka_look_end(k);
	return good;
}

static bool inspect_controller(struct probe *p, struct kafka_line *l, struct snapshot *s)
{
	struct kafka_look *k = kafka_look_new(p, s, KAFKA_LOOK_WHOLE, NULL);
	int64_t begun = clock_ms();
	bool good = kafka_look_at_quorum(k, l, &s->err);

	if (good) {
		snapshot_figure(s, kind_kafka.figures, "mode", value_text("KRaft"));
		kafka_tell_quorum(k);
		if (k->quorum.error == KAFKA_NOT_LEADER)
			snapshot_health(s, LINK_OK, asked_in(p, "DescribeQuorum v0", begun), "a controller that follows another");
		else if (k->quorum.error || k->quorum.leader < 0)
			snapshot_health(s, LINK_BAD, asked_in(p, "DescribeQuorum v0", begun), "no controller leads the quorum");
		else
			snapshot_health(s, LINK_OK, asked_in(p, "DescribeQuorum v0", begun), "controller %d leads the quorum",
				(int)k->quorum.leader);
	}
	kafka_look_end(k);
	return good;
}

static bool inspect(struct probe *p, struct snapshot *s)
{
	struct kafka_line first;
	bool good = false;

	kafka_line_begin(&first, p);
	if (kafka_line_open(&first, &p->at, &s->err))
		good = kafka_part(&first.versions) == KAFKA_CONTROLLER ? inspect_controller(p, &first, s) : inspect_broker(p, &first, s);
	kafka_line_end(&first);
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
			{"type", VALUE_TEXT, UNIT_NONE, 4, "classic, consumer, connect, share, streams; told from 3.8 on"},
			{"state", VALUE_TEXT, UNIT_NONE, 3, "Stable, Empty, Assigning, Reconciling, PreparingRebalance, CompletingRebalance, Dead"},
			{"lag_state", VALUE_TEXT, UNIT_NONE, 0, "ok; slow: reads, and lag does not fall; stalled: has members, and does not get on; "
				"stopped: nobody reads; rewound: went back; unknown: no commit, or not watched for long enough"},
			{"members", VALUE_INT, UNIT_COUNT, 2, "consumers in it"},
			{"topics", VALUE_TEXT, UNIT_NONE, 2, "that it committed or is assigned"},
			{"partitions", VALUE_INT, UNIT_COUNT, 4, "committed or assigned"},
			{"lag", VALUE_INT, UNIT_RECORDS, 0, "unknown without a commit; offsets, so that gaps count too"},
			{"lag_known", VALUE_BOOL, UNIT_NONE, 5, "of all its partitions"},
			{"rate_in", VALUE_REAL, UNIT_PER_SECOND, 2, "records written where it reads, over the last 90 s"},
			{"rate_out", VALUE_REAL, UNIT_PER_SECOND, 2, "records read, by its commits"},
			{"catches_up", VALUE_REAL, UNIT_SECONDS, 1, "if both go on as they are; unknown: never, or not known"},
			{"catches_up_words", VALUE_TEXT, UNIT_NONE, 6, "never: it falls behind"},
			{"last_commit", VALUE_INT, UNIT_TIME, 3, "when a commit was seen to have changed"},
			{"trend", VALUE_TEXT, UNIT_NONE, 5, "lag of the last looks, oldest first, 0 to 7 of the most"},
			{"age_ms", VALUE_INT, UNIT_MS, 5, "since its commits were asked for"},
			{"note", VALUE_TEXT, UNIT_NONE, 4, "no commit, reset?, data lost, topic made anew"},
			{0}}},
		{"topics", "topics", (const struct column_spec[]){
			{"name", VALUE_TEXT, UNIT_NONE, 0, "name"},
			{"partitions", VALUE_INT, UNIT_COUNT, 0, "how many"},
			{"replicas", VALUE_INT, UNIT_COUNT, 2, "of each partition"},
			{"under_replicated", VALUE_INT, UNIT_COUNT, 1, "partitions with fewer replicas in sync"},
			{"offline", VALUE_INT, UNIT_COUNT, 1, "partitions without a leader"},
			{"records", VALUE_INT, UNIT_RECORDS, 1, "from the beginning to the end of each partition; gaps count too"},
			{"rate", VALUE_REAL, UNIT_PER_SECOND, 1, "records written, by the ends, over a minute"},
			{"size", VALUE_INT, UNIT_BYTES, 1, "of one copy, on the leaders"},
			{"retention", VALUE_INT, UNIT_MS, 2, "retention.ms"},
			{"keeps", VALUE_TEXT, UNIT_NONE, 5, "for ever: retention.ms is -1"},
			{"compacted", VALUE_BOOL, UNIT_NONE, 3, "cleanup.policy has compact"},
			{"internal", VALUE_BOOL, UNIT_NONE, 4, "Kafka's own"},
			{"made_anew", VALUE_INT, UNIT_TIME, 6, "when it was seen to be another topic than before, of the same name"},
			{0}}},
		{"brokers", "brokers", (const struct column_spec[]){
			{"id", VALUE_INT, UNIT_NONE, 0, "id"},
			{"address", VALUE_TEXT, UNIT_NONE, 0, "that it advertises"},
			{"state", VALUE_TEXT, UNIT_NONE, 0, "ok, no answer, not asked, not alive"},
			{"controller", VALUE_BOOL, UNIT_NONE, 1, "leads the quorum; in ZooKeeper mode the broker that controls"},
			{"version", VALUE_TEXT, UNIT_NONE, 1, "minor line"},
			{"roles", VALUE_TEXT, UNIT_NONE, 2, "broker; controller: votes in the quorum"},
			{"partitions_led", VALUE_INT, UNIT_COUNT, 1, "partitions that it leads"},
			{"replicas", VALUE_INT, UNIT_COUNT, 2, "of partitions on it"},
			{"words", VALUE_TEXT, UNIT_NONE, 3, "why"},
			{0}}},
		{"quorum", "controllers and who follows them", (const struct column_spec[]){
			{"node", VALUE_INT, UNIT_NONE, 0, "id"},
			{"role", VALUE_TEXT, UNIT_NONE, 0, "leader, voter or observer"},
			{"log_end", VALUE_INT, UNIT_RECORDS, 1, "end of its metadata log"},
			{"lag", VALUE_INT, UNIT_RECORDS, 0, "behind the leader"},
			{0}}},
		{"ends", "where partitions begin and end", (const struct column_spec[]){
			{"topic", VALUE_TEXT, UNIT_NONE, 0, "name"},
			{"partition", VALUE_INT, UNIT_NONE, 0, "number"},
			{"beginning", VALUE_INT, UNIT_NONE, 0, "offset of the oldest record"},
			{"end", VALUE_INT, UNIT_NONE, 0, "offset of the next record: the high watermark"},
			{0}}},
		{0}},
	.role_of = role_of,
	.identify = identify,
	.pulse = pulse,
	.inspect = inspect,
	.answer = kafka_answer,
	.views = kafka_view_names,
	.close = kafka_forget,
};
