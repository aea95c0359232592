// SPDX-License-Identifier: MIT
/*
 * Kafka: who is behind and whether it catches up; topics, brokers, Spark's streaming queries, and
 * connectors. All clusters stand side by side. What is too large to be pushed (the partitions of a
 * group, the records of a topic) is asked for when it is opened, and again while it is open.
 * UI thread only.
 */
#include <stdio.h>
#include <string.h>

#include "panels.h"
#include "show.h"

enum { LEVELS_MAX = 4, SUBJECT_SIZE = 256, ROOM_FOR_RULE = 14, ANSWER_OLD_MS = 15000, CAUGHT_UP_MS = 600000, TREND_MOST = 12 };

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

static bool is(const struct list_column *column, const char *name)
{
	return !strcmp(column->name, name);
}

static struct value either(struct value v, struct value other)
{
	return v.type != VALUE_UNKNOWN ? v : other;
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

/* ---- streaming queries ---- */

static int64_t stream_seen(const struct stream_view *v)
{
	struct value begun = snapshot_get(v->snapshot, "in_flight_at"), made = snapshot_get(v->snapshot, "batch_at");

	return begun.type == VALUE_INT ? begun.u.i : made.type == VALUE_INT ? made.u.i : 0;
}

static bool stream_failed(const struct stream_view *v)
{
	return v->snapshot && v->snapshot->err.code != ERR_NONE;
}

/* Behind, and no batch for long, as of the look: a trigger that waits, or a query that ended. Its checkpoint does not tell which. */
static bool stream_rests(const struct stream_view *v)
{
	int64_t seen = stream_seen(v);

	return v->lag.lag.type == VALUE_INT && v->lag.lag.u.i > 0 && seen > 0 && v->snapshot->wall - seen > CAUGHT_UP_MS;
}

static const char *stream_state(const struct stream_view *v)
{
	if (stream_failed(v) || !v->snapshot || v->lag.lag.type == VALUE_UNKNOWN)
		return v->lag.n_reset ? stream_state_word(STREAM_RESET) : stream_state_word(STREAM_UNKNOWN);
	if (v->lag.n_reset)
		return stream_state_word(STREAM_RESET);
	return v->lag.n_lost ? stream_state_word(STREAM_LOST) : stream_rests(v) ? "rests" : "ok";
}

static enum mark stream_mark(const struct stream_view *v)
{
	if (stream_failed(v) || v->lag.n_reset || v->lag.n_lost)
		return MARK_WARN;
	return !v->snapshot || v->lag.lag.type == VALUE_UNKNOWN || stream_rests(v) ? MARK_UNKNOWN : MARK_GOOD;
}

static const char *stream_note(const struct stream_view *v, char out[VALUE_TEXT_SIZE])
{
	char number[VALUE_TEXT_SIZE], span[CLOCK_TEXT];

	if (stream_failed(v))
		return v->snapshot->err.words;
	if (!v->snapshot)
		return "its checkpoint was not read yet";
	if (v->lag.n_reset)
		return "committed beyond the end: the topic was made anew?";
	if (v->lag.n_lost) {
		snprintf(out, VALUE_TEXT_SIZE, "%.24s records were deleted before it read them",
			value_show(number, value_int(v->lag.lost), UNIT_RECORDS));
		return out;
	}
	if (!stream_rests(v))
		return v->lag.words ? v->lag.words : "";
	snprintf(out, VALUE_TEXT_SIZE, "no batch for %s: its trigger waits, or it ended",
		clock_span(span, v->snapshot->wall - stream_seen(v)));
	return out;
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
		return value_text(stream_state(v));
	if (!strcmp(name, "lag"))
		return v->lag.lag;
	if (!strcmp(name, "lost") || !strcmp(name, "new"))
		return v->snapshot ? value_int(name[0] == 'l' ? v->lag.lost : (int64_t)v->lag.n_new) : value_unknown();
	if (!strcmp(name, "kafka") || !strcmp(name, "cluster"))
		return value_text(v->kafka ? v->kafka->name : v->stream->kafka);
	if (!strcmp(name, "checkpoint"))
		return value_text(v->stream->checkpoint);
	return snapshot_get(v->snapshot, strcmp(name, "last_commit") ? name : "batch_at");
}

static const char *stream_words(const struct list_row *row, const struct list_column *column, char out[VALUE_TEXT_SIZE])
{
	if (is(column, "note"))
		return stream_note(row->stream, out);
	return is(column, "topics") ? stream_topics(row->stream, out) : NULL;
}

static void collect_streams(struct list *list)
{
	for (size_t i = 0; i < list->lake->n_streams; i++) {
		const struct stream_view *v = &list->lake->streams[i];

		list_add(list, &(struct list_row){.stream = v, .from = v->snapshot});
		if (snapshot_old(v->snapshot, list->lake->now) && (!list->oldest || v->snapshot->ended < list->oldest->ended))
			list->oldest = v->snapshot;
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

static enum mark state_mark(const char *state)
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
	return list_text(row, "lag_state")[0] ? state_mark(list_text(row, "lag_state")) : MARK_NONE;
}

static struct value group_get(const struct list_row *row, const struct list_column *column)
{
	if (row->stream)
		return stream_value(row->stream, column->name);
	return is(column, "cluster") ? cluster_of(row) : list_cell(row, column->name);
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
	(void)lake;
	if (row->stream && is(column, "group")) {
		snprintf(out, VALUE_TEXT_SIZE, "spark: %.80s", row->stream->stream->name);
		return out;
	}
	if (row->stream)
		return stream_words(row, column, out);
	if (is(column, "trend") && list_text(row, "trend")[0])
		return trend_words(list_text(row, "trend"), out);
	if (is(column, "catches_up") && list_text(row, "catches_up_words")[0])
		return list_text(row, "catches_up_words");
	return NULL;
}

static void collect_groups(struct list *list)
{
	collect_from(list, "groups");
	collect_streams(list);
}

static const struct list_kind groups_kind = {
	.columns = (const struct list_column[]){
		{"GROUP", "group", .priority = 0},
		{"CLUSTER", "cluster", .priority = 3, .most = 20},
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
		{"NOTE", "note", .priority = 8},
		{0}},
	.n_names = 1, .get = group_get, .words = group_words, .mark = group_mark, .note = "note",
	.empty = "no Kafka found; start a broker, or name one in a profile (kind = kafka), to see who is behind",
};

/* ---- topics ---- */

static enum mark topic_mark(const struct list_row *row)
{
	if (count_of(row, "offline") > 0 || count_of(row, "no_leader") > 0)
		return MARK_BAD;
	return count_of(row, "under_replicated") > 0 ? MARK_WARN : MARK_GOOD;
}

/* A topic by its name, whatever table names it. */
static const char *topic_of(const struct list_row *row)
{
	return list_text(row, "topic")[0] ? list_text(row, "topic") : list_text(row, "name");
}

static struct value topic_get(const struct list_row *row, const struct list_column *column)
{
	if (is(column, "cluster"))
		return cluster_of(row);
	if (is(column, "name"))
		return value_text(topic_of(row));
	return is(column, "offline") ? either(list_cell(row, "offline"), list_cell(row, "no_leader")) : list_cell(row, column->name);
}

static void collect_topics(struct list *list)
{
	collect_from(list, "topics");
}

static const struct list_kind topics_kind = {
	.columns = (const struct list_column[]){
		{"TOPIC", "name", .own = true},
		{"CLUSTER", "cluster", .priority = 3, .most = 20},
		{"PARTITIONS", "partitions", UNIT_COUNT, .priority = 1, .number = true},
		{"REPLICAS", "replicas", UNIT_COUNT, .priority = 3, .number = true},
		{"UNDER", "under_replicated", UNIT_COUNT, .priority = 1, .number = true},
		{"OFFLINE", "offline", UNIT_COUNT, .own = true, .number = true},
		{"RECORDS", "records", UNIT_RECORDS, .priority = 1, .number = true},
		{"RATE", "rate", UNIT_PER_SECOND, .priority = 2, .number = true},
		{"SIZE", "size", UNIT_BYTES, .priority = 2, .number = true},
		{"RETENTION", "retention", UNIT_MS, .priority = 4, .number = true},
		{"COMPACTED", "compacted", .priority = 5},
		{"INTERNAL", "internal", .priority = 6},
		{0}},
	.n_names = 1, .get = topic_get, .mark = topic_mark,
	.empty = "no Kafka found; start a broker, or name one in a profile (kind = kafka), to see its topics",
};

/* ---- brokers ---- */

static enum mark broker_mark(const struct list_row *row)
{
	const char *state = list_text(row, "state");

	return !strcmp(state, "not alive") ? MARK_BAD : !strcmp(state, "no answer") ? MARK_WARN : MARK_GOOD;
}

static struct value broker_get(const struct list_row *row, const struct list_column *column)
{
	if (is(column, "cluster"))
		return cluster_of(row);
	if (is(column, "id"))
		return either(list_cell(row, "id"), list_cell(row, "broker"));
	return is(column, "partitions_led") ? either(list_cell(row, "partitions_led"), list_cell(row, "leads")) :
		list_cell(row, column->name);
}

static void collect_brokers(struct list *list)
{
	collect_from(list, "brokers");
}

static const struct list_kind brokers_kind = {
	.columns = (const struct list_column[]){
		{"ID", "id", .own = true, .number = true},
		{"ADDRESS", "address", .priority = 0},
		{"CLUSTER", "cluster", .priority = 1, .most = 20},
		{"STATE", "state", .state = true},
		{"CONTROLLER", "controller", .priority = 1},
		{"VERSION", "version", .priority = 1},
		{"ROLES", "roles", .priority = 2},
		{"LEADS", "partitions_led", UNIT_COUNT, .priority = 1, .own = true, .number = true},
		{"REPLICAS", "replicas", UNIT_COUNT, .priority = 3, .number = true},
		{"WHY", "words", .priority = 4},
		{0}},
	.n_names = 2, .get = broker_get, .mark = broker_mark, .note = "words",
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

static bool is_task_of(const struct list_row *task, const char *connector)
{
	return !strcmp(list_text(task, "connector"), connector);
}

/* Why the first of its tasks failed. */
static struct value connector_cause(const struct list_row *row)
{
	struct list_row task = {.table = snapshot_find_table(row->from, "tasks")};

	for (; task.table && task.at < task.table->n_rows; task.at++)
		if (is_task_of(&task, list_text(row, "name")) && list_text(&task, "cause")[0])
			return list_cell(&task, "cause");
	return value_unknown();
}

static struct value connector_get(const struct list_row *row, const struct list_column *column)
{
	if (is(column, "cause"))
		return connector_cause(row);
	return is(column, "cluster") ? cluster_of(row) : list_cell(row, column->name);
}

static void collect_connectors(struct list *list)
{
	size_t workers = 0;

	for (size_t i = 0; i < list->lake->n_services; i++) {
		const struct service *s = list->lake->services[i];

		if (!service_is(s, "kafka-connect"))
			continue;
		workers += snapshot_find_table(s->depth, "connectors") != NULL;
		list_add_table(list, s, s->depth, "connectors");
		if (!snapshot_find_table(s->depth, "connectors"))
			list_missing(list, s, "connectors");
	}
	if (workers > 1)
		list_has(list, "cluster");
}

static const struct list_kind connectors_kind = {
	.columns = (const struct list_column[]){
		{"CONNECTOR", "name", .priority = 0},
		{"CONNECT", "cluster", .priority = 3, .most = 20},
		{"STATE", "state", .state = true},
		{"TASKS", "tasks", UNIT_COUNT, .priority = 1, .number = true},
		{"FAILED", "failed", UNIT_COUNT, .number = true},
		{"TYPE", "type", .priority = 2, .most = 8},
		{"WORKER", "worker", .priority = 4, .most = 28},
		{"CLASS", "class", .priority = 3, .most = 32},
		{"VERSION", "version", .priority = 5, .most = 16},
		{"CAUSE", "cause", .priority = 6, .own = true},
		{0}},
	.n_names = 1, .get = connector_get, .mark = connector_mark, .note = "cause",
	.empty = "no Kafka Connect found; start or name one (kind = kafka-connect) to see connectors and their tasks",
};

static const struct list_kind tasks_kind = {
	.columns = (const struct list_column[]){
		{"TASK", "task", .number = true},
		{"STATE", "state", .state = true},
		{"WORKER", "worker", .priority = 1},
		{"CAUSE", "cause", .priority = 2},
		{0}},
	.n_names = 1, .mark = task_mark, .note = "cause",
};

static const struct deck_view views[] = {
	{"groups", &groups_kind, collect_groups},
	{"topics", &topics_kind, collect_topics},
	{"brokers", &brokers_kind, collect_brokers},
	{"streams", &streams_kind, collect_streams},
	{"connectors", &connectors_kind, collect_connectors},
	{0},
};

/* ---- what was opened: one above the other, Esc goes down ---- */

enum depth {
	ASKED,  /* the service's answer to a view of a subject */
	STREAM, /* the partitions of a query */
	TASKS,  /* of a connector */
	RECORD, /* one row of the answer below, whole */
};
struct level {
	enum depth depth;
	char service[NAME_SIZE * 4], subject[SUBJECT_SIZE];
	const char *view;            /* ASKED */
	char below[REASON_SIZE];     /* the filter of what lies below: not meant for this */
	int64_t partition, offset;   /* RECORD */
	struct scroller scroller;
	struct table_list look;
};
struct kafka {
	struct deck deck;
	struct level levels[LEVELS_MAX];
	int n_levels;
};

static struct level *top_of(struct kafka *k)
{
	return k->n_levels ? &k->levels[k->n_levels - 1] : NULL;
}

static struct level *push(struct kafka *k, const struct panel_view *view, enum depth depth, const char *service, const char *subject)
{
	struct level *l = &k->levels[k->n_levels < LEVELS_MAX ? k->n_levels++ : LEVELS_MAX - 1];

	*l = (struct level){.depth = depth, .view = ""};
	text_copy(l->service, sizeof l->service, text_of(service));
	text_copy(l->subject, sizeof l->subject, text_of(subject));
	text_copy(l->below, sizeof l->below, text_of(view->filter));
	table_list_reset(&l->look);
	return l;
}

static bool can_answer(const struct service *s, const char *view)
{
	for (const char *const *v = s && s->kind ? s->kind->views : NULL; v && *v; v++)
		if (!strcmp(*v, view))
			return true;
	return false;
}

static unsigned ask(struct panel_view *view, const struct level *l)
{
	if (!l || l->depth != ASKED || !can_answer(lake_service(view->lake, l->service), l->view))
		return REACT_HANDLED;
	view->ask_service = l->service;
	view->ask_view = l->view;
	view->ask_subject = l->subject;
	return REACT_HANDLED | REACT_ASK;
}

static unsigned push_asked(struct kafka *k, struct panel_view *view, const char *service, const char *what, const char *subject)
{
	struct level *l = push(k, view, ASKED, service, subject);

	l->view = what;
	return ask(view, l);
}

static const struct snapshot *answer_of(const struct level *l, const struct lake *lake)
{
	const struct service *s = lake_service(lake, l->service);

	return s ? service_answer(s, l->view, l->subject) : NULL;
}

static const struct table *table_in(const struct snapshot *answer)
{
	return answer && answer->n_tables ? &answer->tables[0] : NULL;
}

/* What is wrong with a partition. */
static enum mark partition_mark(const struct list_row *row)
{
	struct value leader = list_cell(row, "leader");

	if (leader.type == VALUE_INT && leader.u.i < 0)
		return MARK_BAD;
	return list_text(row, "note")[0] ? MARK_WARN : MARK_GOOD;
}

static enum mark (*mark_for(const struct level *l))(const struct list_row *)
{
	return strcmp(l->view, "peek") ? partition_mark : NULL;
}

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

static const struct list_kind places_kind = {
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

static void collect_level(const struct level *l, struct list *list, const struct lake *lake)
{
	list_begin(list, l->depth == STREAM ? &places_kind : &tasks_kind, lake);
	for (size_t i = 0; l->depth == STREAM && i < lake->n_streams; i++)
		for (size_t k = 0; !strcmp(lake->streams[i].stream->name, l->subject) && k < lake->streams[i].lag.n_places; k++)
			list_add(list, &(struct list_row){.service = lake->streams[i].kafka, .stream = &lake->streams[i],
				.from = lake->streams[i].snapshot, .at = k});
	if (l->depth == TASKS) {
		const struct service *s = lake_service(lake, l->service);
		struct list_row row = {.service = s, .from = s ? s->depth : NULL, .table = s ? snapshot_find_table(s->depth, "tasks") : NULL};

		if (row.table)
			list_use(list, row.from, row.table);
		for (; row.table && row.at < row.table->n_rows; row.at++)
			if (is_task_of(&row, l->subject))
				list_add(list, &row);
	}
}

/* ---- drawing what was opened ---- */

static const char *depth_word(const struct level *l)
{
	switch (l->depth) {
	case ASKED:
		return strcmp(l->view, "peek") ? l->view : "newest records of";
	case STREAM:
		return "spark";
	case TASKS:
		return "tasks of";
	case RECORD:
		break;
	}
	return "record of";
}

static void draw_head(const struct level *l, const struct lake *lake, struct canvas *c)
{
	const struct snapshot *answer = l->depth == ASKED ? answer_of(l, lake) : NULL;
	char words[VALUE_TEXT_SIZE], span[CLOCK_TEXT];
	struct pen pen = {c, 0, 1};

	pen.x += show_text(c, 0, 1, -1, STYLE_DIM, depth_word(l)) + 1;
	pen.x += show_text(c, 0, pen.x, int_max(8, c->width / 2), STYLE_TITLE, l->subject) + 3;
	if (l->depth == RECORD) {
		snprintf(words, sizeof words, "partition %lld  offset %lld", (long long)l->partition, (long long)l->offset);
		pen_part(&pen, STYLE_NORMAL, words, NULL);
	}
	pen_part(&pen, STYLE_DIM, l->service, NULL);
	if (!answer)
		return;
	snprintf(words, sizeof words, "asked %s ago", clock_span(span, lake->now > answer->ended ? lake->now - answer->ended : 0));
	pen_part(&pen, lake->now - answer->ended > ANSWER_OLD_MS ? STYLE_WARN : STYLE_DIM, words, NULL);
}

static void draw_answer(struct level *l, const struct panel_view *view, struct canvas *c)
{
	const struct snapshot *answer = answer_of(l, view->lake);
	const struct service *s = lake_service(view->lake, l->service);
	struct canvas rest = *c;
	char words[REASON_SIZE];

	if (!answer) {
		snprintf(words, sizeof words, !s ? "%.80s is not here any more" : can_answer(s, l->view) ? "asking %.80s…" :
			"%.80s cannot be asked for this", l->service);
		show_text(c, 0, 1, c->width - 2, STYLE_DIM, words);
		return;
	}
	if (answer->err.code != ERR_NONE) {
		int used = show_wrapped(c, 0, 1, c->width - 2, STYLE_WARN, answer->err.words);

		rest = canvas_part(c, used, 0, c->height - used, c->width);
	}
	if (table_in(answer) || answer->err.code == ERR_NONE)
		table_list_draw(&l->look, view, answer, table_in(answer), l->view, mark_for(l), &rest);
}

/* The row of the answer below that was opened; false: it is not among them any more. */
static bool find_record(const struct level *l, const struct table *t, size_t *row)
{
	for (*row = 0; t && *row < t->n_rows; ++*row) {
		struct value partition = table_get(t, *row, "partition"), offset = table_get(t, *row, "offset");

		if (partition.type == VALUE_INT && partition.u.i == l->partition && offset.type == VALUE_INT && offset.u.i == l->offset)
			return true;
	}
	return false;
}

static void draw_record(struct level *l, const struct level *below, const struct panel_view *view, struct canvas *c)
{
	const struct table *t = table_in(answer_of(below, view->lake));
	struct canvas nowhere = canvas_part(c, 0, 0, 0, c->width);
	size_t row;

	if (!find_record(l, t, &row)) {
		show_text(c, 0, 1, c->width - 2, STYLE_DIM, "this record is not among the newest any more");
		return;
	}
	scroller_fit(&l->scroller, c, record_draw(&nowhere, view->lake, t, row, 0));
	record_draw(c, view->lake, t, row, l->scroller.top);
	show_matches(c, 0, view->filter ? view->filter : "");
	scroller_marks(&l->scroller, c);
}

/* What was typed before it was opened is meant for what lies below. */
static struct panel_view view_for(const struct level *l, const struct panel_view *view)
{
	struct panel_view own = *view;

	if (!strcmp(l->below, view->filter ? view->filter : ""))
		own.filter = "";
	return own;
}

static void draw_level(struct kafka *k, const struct panel_view *view, struct canvas *c)
{
	struct level *l = top_of(k);
	struct panel_view own = view_for(l, view);
	int head = c->height > 2;
	struct list list;
	struct canvas body;

	if (head)
		draw_head(l, view->lake, c);
	if (c->height >= ROOM_FOR_RULE)
		show_rule(c, head++);
	body = canvas_part(c, head, 0, c->height - head, c->width);
	if (l->depth == ASKED)
		draw_answer(l, &own, &body);
	else if (l->depth == RECORD)
		draw_record(l, l - 1, &own, &body);
	else {
		collect_level(l, &list, view->lake);
		list_draw(&l->look, &own, &list, &body);
		list_end(&list);
	}
}

static void draw(struct panel_view *view, void *state, struct canvas *c)
{
	struct kafka *k = state;

	if (k->n_levels)
		draw_level(k, view, c);
	else
		deck_draw(&k->deck, view, views, c);
}

/* ---- acts ---- */

static unsigned leave(struct kafka *k, struct panel_view *view)
{
	k->n_levels--;
	return ask(view, top_of(k));
}

/* Opens what stands behind a row of the lists. */
static unsigned open_row(struct kafka *k, struct panel_view *view, const struct list_row *row)
{
	const struct list_kind *kind = views[k->deck.at].kind;

	if (row->stream) {
		push(k, view, STREAM, row->stream->kafka ? row->stream->kafka->name : "", row->stream->stream->name);
		return REACT_HANDLED;
	}
	if (!row->service)
		return REACT_NONE;
	if (kind == &groups_kind)
		return push_asked(k, view, row->service->name, "group", list_text(row, "group"));
	if (kind == &topics_kind)
		return push_asked(k, view, row->service->name, "topic", topic_of(row));
	if (kind == &connectors_kind) {
		push(k, view, TASKS, row->service->name, list_text(row, "name"));
		return REACT_HANDLED;
	}
	view->open = row->service->name;
	return REACT_OPEN;
}

static unsigned open_record(struct kafka *k, struct panel_view *view, const struct level *l, const struct list_row *row)
{
	struct value partition = list_cell(row, "partition"), offset = list_cell(row, "offset");
	struct level *record;

	if (partition.type != VALUE_INT || offset.type != VALUE_INT || k->n_levels == LEVELS_MAX)
		return REACT_NONE;
	record = push(k, view, RECORD, l->service, l->subject);
	record->partition = partition.u.i;
	record->offset = offset.u.i;
	return REACT_HANDLED;
}

static unsigned act_on_answer(struct kafka *k, struct panel_view *view, struct level *l, enum act what)
{
	const struct table *table = table_in(answer_of(l, view->lake));
	bool peek = !strcmp(l->view, "peek"), topic = !strcmp(l->view, "topic");
	struct list_row row;
	unsigned reactions = table_list_act(&l->look, view, table, l->view, mark_for(l), what, &row);
	const char *subject = topic ? l->subject : list_text(&row, "topic");

	if (reactions)
		return reactions;
	if (what == ACT_PEEK && !peek && subject[0])
		return push_asked(k, view, l->service, "peek", subject);
	if (what != ACT_ENTER && what != ACT_RIGHT)
		return REACT_NONE;
	if (peek)
		return open_record(k, view, l, &row);
	return !topic && subject[0] ? push_asked(k, view, l->service, "topic", subject) : REACT_NONE;
}

static unsigned act_on_level(struct kafka *k, struct panel_view *view, struct level *l, enum act what)
{
	struct list_row row;
	struct list list;
	unsigned reactions;

	if (l->depth == RECORD)
		return scroller_act(&l->scroller, what) ? REACT_HANDLED : REACT_NONE;
	if (l->depth == ASKED)
		return act_on_answer(k, view, l, what);
	collect_level(l, &list, view->lake);
	reactions = list_act(&l->look, view, &list, what, &row);
	list_end(&list);
	if (what == ACT_PEEK && l->depth == STREAM && row.stream && row.service)
		return push_asked(k, view, row.service->name, "peek", row.stream->lag.places[row.at].topic);
	return reactions;
}

static unsigned level_act(struct kafka *k, struct panel_view *view, enum act what)
{
	struct level *l = top_of(k);
	const char *filter = view->filter;
	struct panel_view own = view_for(l, view);
	unsigned reactions;

	switch ((int)what) {
	case ACT_REFRESH:
		return l->depth == ASKED ? ask(view, l) : REACT_NONE;
	case ACT_BACK:
	case ACT_CANCEL:
	case ACT_LEFT:
		return leave(k, view);
	case ACT_NEXT_VIEW:
	case ACT_PREVIOUS_VIEW:
		k->n_levels = 0;
		return deck_act(&k->deck, view, views, what, &(struct list_row){0});
	default:
		view->filter = own.filter;
		reactions = act_on_level(k, view, l, what);
		view->filter = filter;
		return reactions;
	}
}

static unsigned act(struct panel_view *view, void *state, enum act what)
{
	struct kafka *k = state;
	struct list_row row;
	unsigned reactions;

	if (k->n_levels)
		return level_act(k, view, what);
	reactions = deck_act(&k->deck, view, views, what, &row);
	if (reactions)
		return reactions;
	if (what == ACT_ENTER || what == ACT_RIGHT)
		return open_row(k, view, &row);
	if (what == ACT_PEEK && row.service && views[k->deck.at].kind == &topics_kind)
		return push_asked(k, view, row.service->name, "peek", topic_of(&row));
	return REACT_NONE;
}

const struct panel panel_kafka = {
	.name = "kafka",
	.title = "Kafka",
	.key = '3',
	.help = "Who is behind, by how much, and whether it catches up: consumer groups and Spark's streaming queries; then topics, brokers and "
		"connectors. A lag with ≥ has parts that are not known: a group that never committed there. stalled: reads, and does not get on. "
		"stopped: nobody reads. rewound: went back. Enter shows the partitions of a group or a topic, v the newest records of a topic.",
	.hints = (const struct key_hint[]){{ACT_NEXT_VIEW, "next view"}, {ACT_ENTER, "open"}, {ACT_PEEK, "view records"}, {ACT_SORT, "sort"},
		{ACT_NONE, NULL}},
	.state_size = sizeof(struct kafka),
	.draw = draw,
	.act = act,
};
