// SPDX-License-Identifier: MIT
/*
 * Kafka: who is behind and whether it catches up; topics, brokers, Spark's streaming queries, and
 * connectors. What is too large to be pushed (the partitions of a group, the records of a topic) is
 * asked for when it is opened, and again while it is open. UI thread only.
 */
#include <stdio.h>
#include <string.h>

#include "kafka.h"
#include "show.h"

enum { LEVELS_MAX = 4, SUBJECT_SIZE = 256, ROOM_FOR_RULE = 14, ANSWER_OLD_MS = 15000 };

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
	if (list_text(row, "lag_state")[0])
		return kafka_state_mark(list_text(row, "lag_state"));
	return list_text(row, "note")[0] ? MARK_WARN : MARK_GOOD;
}

static enum mark (*mark_for(const struct level *l))(const struct list_row *)
{
	return strcmp(l->view, "peek") ? partition_mark : NULL;
}

static void collect_level(const struct level *l, struct list *list, const struct lake *lake)
{
	list_begin(list, l->depth == STREAM ? &kafka_places : &kafka_tasks, lake);
	for (size_t i = 0; l->depth == STREAM && i < lake->n_streams; i++) {
		const struct stream_view *v = &lake->streams[i];
		const struct snapshot *from = kafka_stream_from(v, lake->now);

		for (size_t k = 0; !strcmp(v->stream->name, l->subject) && k < v->lag.n_places; k++) {
			list_add(list, &(struct list_row){.service = v->kafka, .stream = v, .from = from, .at = k});
			list->oldest = snapshot_old(from, lake->now) ? from : NULL;
		}
	}
	if (l->depth == TASKS) {
		const struct service *s = lake_service(lake, l->service);
		struct list_row row = {.service = s, .from = s ? s->depth : NULL, .table = s ? snapshot_find_table(s->depth, "tasks") : NULL};

		if (row.table)
			list_use(list, row.from, row.table);
		for (; row.table && row.at < row.table->n_rows; row.at++)
			if (kafka_is_task_of(&row, l->subject))
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

/* What its connector reads, where it is a source that tells. */
static void draw_source(struct pen *pen, const struct level *l, const struct lake *lake)
{
	const struct service *s = lake_service(lake, l->service);
	struct list_row row = {.service = s, .from = s ? s->depth : NULL, .table = s ? snapshot_find_table(s->depth, "connectors") : NULL};
	char words[VALUE_TEXT_SIZE];

	for (; row.table && row.at < row.table->n_rows; row.at++)
		if (!strcmp(list_text(&row, "name"), l->subject) && kafka_source_words(lake, &row, words)[0])
			pen_part(pen, STYLE_NORMAL, words, NULL);
}

static void draw_head(const struct level *l, const struct lake *lake, struct canvas *c)
{
	const struct snapshot *answer = l->depth == ASKED ? answer_of(l, lake) : NULL;
	char words[VALUE_TEXT_SIZE], number[VALUE_TEXT_SIZE], span[CLOCK_TEXT];
	struct pen pen = {c, 0, 1};

	pen.x += show_text(c, 0, 1, -1, STYLE_DIM, depth_word(l)) + 1;
	pen.x += show_text(c, 0, pen.x, int_max(8, c->width / 2), STYLE_TITLE, l->subject) + 3;
	if (l->depth == RECORD) {
		snprintf(words, sizeof words, "partition %lld  offset %.40s", (long long)l->partition,
			value_show(number, value_int(l->offset), UNIT_COUNT));
		pen_part(&pen, STYLE_NORMAL, words, NULL);
	}
	if (l->depth == TASKS)
		draw_source(&pen, l, lake);
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
		deck_draw(&k->deck, view, kafka_views, c);
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
	const struct list_kind *kind = kafka_views[k->deck.at].kind;

	if (row->stream) {
		push(k, view, STREAM, row->stream->kafka ? row->stream->kafka->name : "", row->stream->stream->name);
		return REACT_HANDLED;
	}
	if (!row->service)
		return REACT_NONE;
	if (kind == &kafka_groups)
		return push_asked(k, view, row->service->name, "group", list_text(row, "group"));
	if (kind == &kafka_topics)
		return push_asked(k, view, row->service->name, "topic", list_text(row, "name"));
	if (kind == &kafka_connectors) {
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
		return deck_act(&k->deck, view, kafka_views, what, &(struct list_row){0});
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
	reactions = deck_act(&k->deck, view, kafka_views, what, &row);
	if (reactions)
		return reactions;
	if (what == ACT_ENTER || what == ACT_RIGHT)
		return open_row(k, view, &row);
	if (what == ACT_ACTIONS)
		return list_actions(view, &row, row.service);
	if (!reactions && what == ACT_LOGS)
		return list_logs(view, &row, row.service);
	if (what == ACT_PEEK && row.service && kafka_views[k->deck.at].kind == &kafka_topics)
		return push_asked(k, view, row.service->name, "peek", list_text(&row, "name"));
	return REACT_NONE;
}

/* Records are of a topic: where none is in sight, v shows nothing. */
static bool takes(const void *state, enum act what)
{
	const struct kafka *k = state;
	const struct level *l = k->n_levels ? &k->levels[k->n_levels - 1] : NULL;

	if (what != ACT_PEEK)
		return true;
	return !l ? kafka_views[k->deck.at].kind == &kafka_topics : l->depth == STREAM || (l->depth == ASKED && strcmp(l->view, "peek") != 0);
}

const struct panel panel_kafka = {
	.name = "kafka",
	.title = "Kafka",
	.key = '3',
	.help = "Who is behind, by how much, and whether it catches up: consumer groups and Spark's streaming queries; then topics, brokers and "
		"connectors. A lag with ≥ has parts that are not known: a group that never committed there. stalled: reads, and does not get on. "
		"stopped: nobody reads. rewound: went back. Enter shows the partitions of a group or a topic, v the newest records of a topic.",
	.hints = (const struct key_hint[]){{ACT_NEXT_VIEW, "next view"}, {ACT_ENTER, "open"}, {ACT_ACTIONS, "act"}, {ACT_PEEK, "records"},
		{ACT_SORT, "sort"}, {ACT_NONE, NULL}},
	.state_size = sizeof(struct kafka),
	.draw = draw,
	.act = act,
	.takes = takes,
};
