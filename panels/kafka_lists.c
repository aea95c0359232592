// SPDX-License-Identifier: MIT
/*
 * The lists of the Kafka panel: how far groups and Spark's streaming queries are behind, topics,
 * brokers, connectors; of all clusters side by side. What a table does not have is not shown, so
 * that an older broker is listed as well. UI thread only.
 */
#include <stdio.h>
#include <string.h>

#include "kafka.h"
#include "show.h"

enum { TREND_MOST = 12 };

/* ---- clusters: every broker of one tells the same; it is listed once ---- */

static bool same_cluster(const struct service *a, const struct service *b)
{
	struct value x = snapshot_get(a->depth, "cluster_id"), y = snapshot_get(b->depth, "cluster_id");
	const struct table *s = snapshot_find_table(a->depth, "brokers"), *t = snapshot_find_table(b->depth, "brokers");

	/* an id alone proves nothing: the official image has a default one */
	if (x.type != VALUE_TEXT || y.type != VALUE_TEXT || value_compare(x, y) != 0 || !s || !t || s->n_rows != t->n_rows)
		return false;
	for (size_t i = 0; i < s->n_rows; i++)
		if (value_compare(table_get(s, i, "address"), table_get(t, i, "address")) != 0)
			return false;
	return true;
}

static bool tells(const struct service *s)
{
	return service_is(s, "kafka") && s->depth && s->depth->err.code == ERR_NONE;
}

static bool is_listed(const struct lake *lake, size_t at)
{
	const struct service *s = lake->services[at];

	if (!service_is(s, "kafka"))
		return false;
	for (size_t i = 0; tells(s) && i < at; i++)
		if (tells(lake->services[i]) && same_cluster(lake->services[i], s))
			return false;
	return true;
}

static void collect_from(struct list *list, const char *table)
{
	const struct lake *lake = list->lake;
	size_t clusters = 0;

	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *s = lake->services[i];

		if (!is_listed(lake, i))
			continue;
		if (snapshot_find_table(s->depth, table))
			clusters++;
		else
			list_missing(list, s, table);
		list_add_table(list, s, s->depth, table);
	}
	if (clusters > 1)
		list_has(list, "cluster");
}

static int64_t count_of(const struct list_row *row, const char *column)
{
	struct value v = list_cell(row, column);

	return v.type == VALUE_INT ? v.u.i : 0;
}

static struct value cluster_of(const struct list_row *row)
{
	return row->service ? value_text(row->service->name) : value_unknown();
}

static struct value cluster_or_cell(const struct list_row *row, const struct list_column *column)
{
	return is(column, "cluster") ? cluster_of(row) : list_cell(row, column->name);
}

/* ---- streaming queries ---- */

/* Its state tells all but what was never read. */
static enum mark stream_mark(const struct stream_view *v)
{
	const char *state = lake_stream_state(v);

	if (!strcmp(state, "ok"))
		return MARK_GOOD;
	return (v->snapshot && v->snapshot->err.code != ERR_NONE) || (strcmp(state, "rests") != 0 && strcmp(state, "unknown") != 0) ? MARK_WARN :
		MARK_UNKNOWN;
}

static const char *stream_topics(const struct stream_view *v, char out[VALUE_TEXT_SIZE])
{
	size_t used = 0;

	text_copy(out, VALUE_TEXT_SIZE, TEXT("-"));
	for (size_t i = 0; i < v->lag.n_places; i++) {
		const char *topic = v->lag.places[i].topic;

		if ((i && !strcmp(topic, v->lag.places[i - 1].topic)) || used + strlen(topic) + 3 > VALUE_TEXT_SIZE)
			continue;
		used += (size_t)snprintf(out + used, VALUE_TEXT_SIZE - used, "%s%s", used ? ", " : "", topic);
	}
	return out;
}

static struct value stream_value(const struct stream_view *v, const char *name)
{
	if (!strcmp(name, "name") || !strcmp(name, "group"))
		return value_text(v->stream->name);
	if (!strcmp(name, "state") || !strcmp(name, "lag_state"))
		return value_text(lake_stream_state(v));
	if (!strcmp(name, "lag"))
		return v->lag.lag;
	if (!strcmp(name, "lost") || !strcmp(name, "new"))
		return v->snapshot ? value_int(name[0] == 'l' ? v->lag.lost : (int64_t)v->lag.n_new) : value_unknown();
	if (!strcmp(name, "rate_in") || !strcmp(name, "rate_out"))
		return v->pace.known ? value_real(name[5] == 'i' ? v->pace.in : v->pace.out) : value_unknown();
	if (!strcmp(name, "catches_up")) /* seconds, while it reads more than comes in */
		return v->pace.known && v->pace.out > v->pace.in && v->lag.lag.type == VALUE_INT ?
			value_real((double)v->lag.lag.u.i / (v->pace.out - v->pace.in)) : value_unknown();
	if (!strcmp(name, "kafka") || !strcmp(name, "cluster"))
		return value_text(v->kafka ? v->kafka->name : v->stream->kafka);
	if (!strcmp(name, "checkpoint"))
		return value_text(v->stream->checkpoint);
	return snapshot_get(v->snapshot, strcmp(name, "last_commit") ? name : "batch_at");
}

static const char *stream_words(const struct list_row *row, const struct list_column *column, char out[VALUE_TEXT_SIZE])
{
	if (is(column, "note"))
		return lake_stream_note(row->stream, out);
	return is(column, "topics") ? stream_topics(row->stream, out) : NULL;
}

const struct snapshot *kafka_stream_from(const struct stream_view *v, int64_t now)
{
	const struct snapshot *ends = v->kafka && v->lag.n_places ? v->kafka->depth : NULL;

	return snapshot_old(ends, now) && (!snapshot_old(v->snapshot, now) || ends->ended < v->snapshot->ended) ? ends : v->snapshot;
}

static void collect_streams(struct list *list)
{
	for (size_t i = 0; i < list->lake->n_streams; i++) {
		const struct stream_view *v = &list->lake->streams[i];
		const struct snapshot *from = kafka_stream_from(v, list->lake->now);

		list_add(list, &(struct list_row){.stream = v, .from = from});
		if (snapshot_old(from, list->lake->now) && (!list->oldest || from->ended < list->oldest->ended))
			list->oldest = from;
	}
}

static enum mark streams_mark(const struct list_row *row)
{
	return stream_mark(row->stream);
}

static struct value streams_get(const struct list_row *row, const struct list_column *column)
{
	return stream_value(row->stream, column->name);
}

static const char *streams_words(const struct list_row *row, const struct list_column *column, const struct lake *lake,
	char out[VALUE_TEXT_SIZE])
{
	(void)lake;
	return stream_words(row, column, out);
}

static const struct list_kind streams_kind = {
	.columns = (const struct list_column[]){
		{"QUERY", "name", .own = true},
		{"STATE", "state", .own = true, .state = true},
		{"LAG", "lag", UNIT_RECORDS, .own = true, .number = true},
		{"TOPICS", "topics", .priority = 3, .most = 28, .own = true},
		{"BATCH", "batch", UNIT_COUNT, .priority = 1, .own = true, .number = true},
		{"MADE", "batch_at", UNIT_TIME, .priority = 1, .own = true},
		{"IN FLIGHT", "in_flight", UNIT_COUNT, .priority = 4, .own = true, .number = true},
		{"NEW", "new", UNIT_COUNT, .priority = 6, .own = true, .number = true},
		{"LOST", "lost", UNIT_RECORDS, .priority = 5, .own = true, .number = true},
		{"WATERMARK", "watermark", UNIT_TIME, .priority = 5, .own = true},
		{"KAFKA", "kafka", .priority = 4, .most = 20, .own = true},
		{"CHECKPOINT", "checkpoint", .priority = 6, .own = true},
		{"NOTE", "note", .priority = 7, .own = true},
		{0}},
	.n_names = 1, .get = streams_get, .words = streams_words, .mark = streams_mark, .note = "note",
	.empty = "no streaming query is named; a [stream NAME] in the profile with its checkpoint shows its lag",
};

/* ---- groups ---- */

enum mark kafka_state_mark(const char *state)
{
	static const struct {
		const char *state;
		enum mark mark;
	} marks[] = {{"ok", MARK_GOOD}, {"slow", MARK_WARN}, {"rewound", MARK_WARN}, {"stalled", MARK_BAD}, {"stopped", MARK_BAD}};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (!strcmp(marks[i].state, state))
			return marks[i].mark;
	return MARK_UNKNOWN;
}

static enum mark group_mark(const struct list_row *row)
{
	if (row->stream)
		return stream_mark(row->stream);
	return list_text(row, "lag_state")[0] ? kafka_state_mark(list_text(row, "lag_state")) : MARK_NONE;
}

static struct value group_get(const struct list_row *row, const struct list_column *column)
{
	if (row->stream)
		return is(column, "state") ? value_unknown() : stream_value(row->stream, column->name);
	return cluster_or_cell(row, column);
}

/* "01357" as blocks, the newest on the right. */
static const char *trend_words(const char *digits, char out[VALUE_TEXT_SIZE])
{
	static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	size_t n = strlen(digits), used = 0;

	for (const char *p = digits + (n > TREND_MOST ? n - TREND_MOST : 0); *p; p++)
		used += (size_t)snprintf(out + used, VALUE_TEXT_SIZE - used, "%s", *p >= '0' && *p <= '7' ? blocks[*p - '0'] : " ");
	return out;
}

static const char *group_words(const struct list_row *row, const struct list_column *column, const struct lake *lake,
	char out[VALUE_TEXT_SIZE])
{
	double seconds = value_number(row->stream ? stream_value(row->stream, "catches_up") : list_cell(row, "catches_up"));

	if (row->stream && is(column, "group")) {
		snprintf(out, VALUE_TEXT_SIZE, "spark: %.80s", row->stream->stream->name);
		return out;
	}
	if (row->stream && is(column, "trend"))
		return row->stream->pace.trend[0] ? trend_words(row->stream->pace.trend, out) : NULL;
	if (row->stream && is(column, "catches_up"))
		return seconds >= 0 && seconds < 1e9 ? clock_span(out, (int64_t)(seconds * 1000)) :
			row->stream->pace.known && row->stream->pace.in > row->stream->pace.out ? "never" : NULL;
	if (row->stream)
		return stream_words(row, column, out);
	if (is(column, "age_ms") && list_cell(row, "age_ms").type == VALUE_INT) /* it was so old at the look */
		return clock_span(out, count_of(row, "age_ms") + lake->now - row->from->ended);
	if (is(column, "trend") && list_text(row, "trend")[0])
		return trend_words(list_text(row, "trend"), out);
	if (is(column, "catches_up") && list_text(row, "catches_up_words")[0])
		return list_text(row, "catches_up_words");
	return is(column, "catches_up") && seconds >= 0 && seconds < 1e9 ? clock_span(out, (int64_t)(seconds * 1000)) : NULL;
}

static void collect_groups(struct list *list)
{
	collect_from(list, "groups");
	collect_streams(list);
}

const struct list_kind kafka_groups = {
	.columns = (const struct list_column[]){
		{"GROUP", "group", .priority = 0},
		{"CLUSTER", "cluster", .priority = 1, .most = 20},
		{"STATE", "lag_state", .state = true},
		{"MEMBERS", "members", UNIT_COUNT, .priority = 4, .number = true},
		{"TOPICS", "topics", .priority = 5, .most = 28},
		{"LAG", "lag", UNIT_RECORDS, .number = true},
		{"TREND", "trend", .priority = 2, .most = TREND_MOST, .number = true, .graph = true},
		{"IN", "rate_in", UNIT_PER_SECOND, .priority = 3, .number = true},
		{"OUT", "rate_out", UNIT_PER_SECOND, .priority = 3, .number = true},
		{"CATCHES UP", "catches_up", UNIT_SECONDS, .priority = 1, .number = true},
		{"COMMIT", "last_commit", UNIT_TIME, .priority = 4},
		{"GROUP STATE", "state", .priority = 6, .most = 20},
		{"TYPE", "type", .priority = 7, .most = 12},
		{"AGE", "age_ms", UNIT_MS, .priority = 8, .number = true},
		{"NOTE", "note", .priority = 8},
		{0}},
	.n_names = 1, .get = group_get, .words = group_words, .mark = group_mark, .note = "note",
	.empty = "no Kafka found; start a broker, or name one in a profile (kind = kafka), to see who is behind",
};

/* ---- topics ---- */

static enum mark topic_mark(const struct list_row *row)
{
	if (count_of(row, "offline") > 0)
		return MARK_BAD;
	if (count_of(row, "under_replicated") > 0)
		return MARK_WARN;
	return list_cell(row, "internal").type == VALUE_BOOL && list_cell(row, "internal").u.b ? MARK_OFF : MARK_GOOD;
}

static const char *topic_words(const struct list_row *row, const struct list_column *column, const struct lake *lake,
	char out[VALUE_TEXT_SIZE])
{
	(void)lake;
	(void)out;
	return is(column, "retention") && list_text(row, "keeps")[0] ? list_text(row, "keeps") : NULL;
}

static void collect_topics(struct list *list)
{
	collect_from(list, "topics");
}

const struct list_kind kafka_topics = {
	.columns = (const struct list_column[]){
		{"TOPIC", "name", .priority = 0},
		{"CLUSTER", "cluster", .priority = 1, .most = 20},
		{"PARTITIONS", "partitions", UNIT_COUNT, .priority = 1, .number = true},
		{"REPLICAS", "replicas", UNIT_COUNT, .priority = 3, .number = true},
		{"UNDER", "under_replicated", UNIT_COUNT, .priority = 1, .number = true},
		{"OFFLINE", "offline", UNIT_COUNT, .number = true},
		{"RECORDS", "records", UNIT_RECORDS, .priority = 1, .number = true},
		{"RATE", "rate", UNIT_PER_SECOND, .priority = 2, .number = true},
		{"SIZE", "size", UNIT_BYTES, .priority = 2, .number = true},
		{"RETENTION", "retention", UNIT_MS, .priority = 4, .number = true},
		{"COMPACTED", "compacted", .priority = 5},
		{"MADE ANEW", "made_anew", UNIT_TIME, .priority = 5},
		{"INTERNAL", "internal", .priority = 6},
		{0}},
	.n_names = 1, .get = cluster_or_cell, .words = topic_words, .mark = topic_mark,
	.empty = "no Kafka found; start a broker, or name one in a profile (kind = kafka), to see its topics",
};

/* ---- brokers ---- */

static enum mark broker_mark(const struct list_row *row)
{
	const char *state = list_text(row, "state");

	return !strcmp(state, "not alive") ? MARK_BAD : !strcmp(state, "no answer") ? MARK_WARN : MARK_GOOD;
}

static void collect_brokers(struct list *list)
{
	collect_from(list, "brokers");
}

static const struct list_kind brokers_kind = {
	.columns = (const struct list_column[]){
		{"ID", "id", .number = true},
		{"ADDRESS", "address", .priority = 0},
		{"CLUSTER", "cluster", .priority = 1, .most = 20},
		{"STATE", "state", .state = true},
		{"CONTROLLER", "controller", .priority = 1},
		{"VERSION", "version", .priority = 1},
		{"ROLES", "roles", .priority = 2},
		{"LEADS", "partitions_led", UNIT_COUNT, .priority = 1, .number = true},
		{"REPLICAS", "replicas", UNIT_COUNT, .priority = 3, .number = true},
		{"WHY", "words", .priority = 4},
		{0}},
	.n_names = 2, .get = cluster_or_cell, .mark = broker_mark, .note = "words",
	.empty = "no Kafka found; start a broker, or name one in a profile (kind = kafka), to see who leads",
};

/* ---- connectors ---- */

static enum mark run_mark(const char *state)
{
	static const struct {
		const char *state;
		enum mark mark;
	} marks[] = {{"RUNNING", MARK_GOOD}, {"FAILED", MARK_BAD}, {"UNASSIGNED", MARK_WARN}, {"PAUSED", MARK_OFF}, {"STOPPED", MARK_OFF},
		{"RESTARTING", MARK_BUSY}};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (!strcmp(marks[i].state, state))
			return marks[i].mark;
	return MARK_UNKNOWN;
}

static enum mark connector_mark(const struct list_row *row)
{
	return count_of(row, "failed") > 0 ? MARK_BAD : run_mark(list_text(row, "state"));
}

static enum mark task_mark(const struct list_row *row)
{
	return run_mark(list_text(row, "state"));
}

bool kafka_is_task_of(const struct list_row *task, const char *connector)
{
	return !strcmp(list_text(task, "connector"), connector);
}

/* Why the first of its tasks failed. */
static struct value connector_cause(const struct list_row *row)
{
	struct list_row task = {.table = snapshot_find_table(row->from, "tasks")};

	for (; task.table && task.at < task.table->n_rows; task.at++)
		if (kafka_is_task_of(&task, list_text(row, "name")) && list_text(&task, "cause")[0])
			return list_cell(&task, "cause");
	return value_unknown();
}

/* What else a source says of itself: "snapshot", "slot orders", "last change 3s ago"; "" nothing. */
const char *kafka_source_words(const struct lake *lake, const struct list_row *row, char out[VALUE_TEXT_SIZE])
{
	char age[VALUE_TEXT_SIZE];
	size_t used = 0;

	out[0] = '\0';
	if (list_text(row, "reads")[0])
		used += (size_t)snprintf(out, VALUE_TEXT_SIZE, "%.16s", list_text(row, "reads"));
	if (list_text(row, "slot")[0])
		used += (size_t)snprintf(out + used, VALUE_TEXT_SIZE - used, "%sslot %.40s", used ? "  " : "", list_text(row, "slot"));
	if (list_cell(row, "change_at").type == VALUE_INT)
		snprintf(out + used, VALUE_TEXT_SIZE - used, "%slast change %.20s", used ? "  " : "",
			show_value(age, list_cell(row, "change_at"), UNIT_TIME, lake));
	return out;
}

/* Of a Debezium on PostgreSQL: the row of its slot where just one server has such a slot. */
static bool find_slot(const struct lake *lake, struct list_row *row)
{
	const char *slot = list_text(row, "slot");

	for (size_t i = 0; slot[0] && i < lake->n_services; i++) {
		const struct table *slots = service_is(lake->services[i], "postgres") ? snapshot_find_table(lake->services[i]->depth, "slots") : NULL;

		for (size_t k = 0; slots && k < slots->n_rows; k++) {
			struct value name = table_get(slots, k, "slot");

			if (name.type != VALUE_TEXT || strcmp(name.u.s, slot) != 0)
				continue;
			if (row->more) { /* which of them it reads is not told */
				row->more = NULL;
				row->other = NULL;
				return false;
			}
			row->more = slots;
			row->more_at = k;
			row->other = lake->services[i];
		}
	}
	return row->more != NULL;
}

static struct value connector_get(const struct list_row *row, const struct list_column *column)
{
	if (is(column, "slot_lag"))
		return row->more ? table_get(row->more, row->more_at, "retained") : value_unknown();
	if (is(column, "cause"))
		return connector_cause(row);
	if (!strncmp(column->name, "source_", strlen("source_")))
		return list_cell(row, column->name + strlen("source_"));
	return cluster_or_cell(row, column);
}

static void collect_connectors(struct list *list)
{
	if (list_add_tables(list, "kafka-connect", "connectors") > 1)
		list_has(list, "cluster");
	for (size_t i = 0; i < list->n; i++) {
		if (find_slot(list->lake, &list->rows[i]))
			list_has(list, "slot_lag");
		/* only a Debezium has them */
		if (list_text(&list->rows[i], "reads")[0])
			list_has(list, "source_reads");
		if (list_cell(&list->rows[i], "change_at").type == VALUE_INT)
			list_has(list, "source_change_at");
		if (list_text(&list->rows[i], "slot")[0])
			list_has(list, "source_slot");
	}
}

const struct list_kind kafka_connectors = {
	.columns = (const struct list_column[]){
		{"CONNECTOR", "name", .priority = 0},
		{"CONNECT", "cluster", .priority = 3, .most = 20},
		{"STATE", "state", .state = true},
		{"TASKS", "tasks", UNIT_COUNT, .priority = 1, .number = true},
		{"FAILED", "failed", UNIT_COUNT, .number = true},
		{"READS", "source_reads", .priority = 2, .most = 10},
		{"SLOT LAG", "slot_lag", UNIT_BYTES, .priority = 1, .number = true},
		{"CHANGE", "source_change_at", UNIT_TIME, .priority = 2},
		{"TYPE", "type", .priority = 2, .most = 8},
		{"WORKER", "worker", .priority = 4, .most = 28},
		{"CLASS", "class", .priority = 3, .most = 32},
		{"SLOT", "source_slot", .priority = 4, .most = 24},
		{"VERSION", "version", .priority = 5, .most = 16},
		{"CAUSE", "cause", .priority = 6, .own = true},
		{0}},
	.n_names = 1, .get = connector_get, .mark = connector_mark, .note = "cause",
	.empty = "no Kafka Connect found; start or name one (kind = kafka-connect) to see connectors and their tasks",
};

const struct list_kind kafka_tasks = {
	.columns = (const struct list_column[]){
		{"TASK", "task", .number = true},
		{"STATE", "state", .state = true},
		{"WORKER", "worker", .priority = 1},
		{"CAUSE", "cause", .priority = 2},
		{0}},
	.n_names = 1, .mark = task_mark, .note = "cause",
};

/* ---- a query's partitions ---- */

static struct value place_get(const struct list_row *row, const struct list_column *column)
{
	const struct stream_place *p = &row->stream->lag.places[row->at];

	if (is(column, "topic"))
		return value_text(p->topic);
	if (is(column, "partition"))
		return value_int(p->partition);
	if (is(column, "state"))
		return value_text(stream_state_word(p->state));
	if (is(column, "lost"))
		return value_int(p->lost);
	return is(column, "committed") ? p->committed : is(column, "beginning") ? p->beginning : is(column, "end") ? p->end : p->lag;
}

static enum mark place_mark(const struct list_row *row)
{
	static const enum mark marks[] = {[STREAM_READS] = MARK_GOOD, [STREAM_NEW] = MARK_GOOD, [STREAM_RESET] = MARK_WARN,
		[STREAM_LOST] = MARK_WARN, [STREAM_UNKNOWN] = MARK_UNKNOWN};

	return marks[row->stream->lag.places[row->at].state];
}

const struct list_kind kafka_places = {
	.columns = (const struct list_column[]){
		{"TOPIC", "topic", .own = true},
		{"PARTITION", "partition", .own = true, .number = true},
		{"STATE", "state", .own = true, .state = true},
		{"COMMITTED", "committed", UNIT_COUNT, .priority = 2, .own = true, .number = true},
		{"BEGINNING", "beginning", UNIT_COUNT, .priority = 4, .own = true, .number = true},
		{"END", "end", UNIT_COUNT, .priority = 2, .own = true, .number = true},
		{"LAG", "lag", UNIT_RECORDS, .own = true, .number = true},
		{"LOST", "lost", UNIT_RECORDS, .priority = 3, .own = true, .number = true},
		{0}},
	.get = place_get, .mark = place_mark, .empty = "no partition of it is known",
};

const struct deck_view kafka_views[] = {
	{"groups", &kafka_groups, collect_groups},
	{"topics", &kafka_topics, collect_topics},
	{"brokers", &brokers_kind, collect_brokers},
	{"streams", &streams_kind, collect_streams},
	{"connectors", &kafka_connectors, collect_connectors},
	{0},
};
