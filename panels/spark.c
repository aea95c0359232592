// SPDX-License-Identifier: MIT
/*
 * Spark: its lists by Tab, what keys do on a row of them, and all that is told of one application that has no
 * driver to open. See spark_own.h. UI thread only.
 */
#include <string.h>

#include "show.h"
#include "spark_own.h"

struct spark {
	struct deck deck;
	char application[NAME_SIZE * 4]; /* the id of the one that is open; "" none is */
	struct scroller scroller;        /* of what is told of it */
};

static const struct deck_view views[] = {
	{"clusters", &spark_clusters, spark_collect_clusters},
	{"applications", &spark_applications, spark_collect_applications},
	{"stages", &spark_stages, spark_collect_stages},
	{"queries", &spark_queries, spark_collect_queries},
	{"connect", &spark_connect, spark_collect_connect},
	{"pipelines", &spark_pipelines, spark_collect_pipelines},
	{0},
};

/* ---- one application, as its servers list it ---- */

static bool find_application(const char *id, const struct lake *lake, struct list_row *out)
{
	struct list list;
	bool found = false;

	list_begin(&list, &spark_applications, lake);
	spark_collect_applications(&list);
	for (size_t i = 0; i < list.n && !found; i++)
		if (list.rows[i].table && !strcmp(spark_application_id(&list.rows[i]), id)) {
			*out = list.rows[i];
			found = true;
		}
	list_end(&list);
	return found;
}

/* Returns its lines. */
static int draw_told(struct canvas *c, const struct lake *lake, const struct list_row *row, int top)
{
	char out[VALUE_TEXT_SIZE];
	const char *why = spark_application_why(row, out);
	int lines = 1;

	show_text(c, -top, 1, -1, STYLE_HEADING, row->service->name);
	if (why[0])
		lines += show_wrapped(c, lines - top, 1, c->width - 2, mark_style(spark_applications.mark(row)), why);
	lines += record_draw(c, lake, row->table, row->at, top - lines);
	if (!row->more)
		return lines;
	show_text(c, ++lines - top, 1, -1, STYLE_HEADING, "a history server");
	lines++;
	return lines + record_draw(c, lake, row->more, row->more_at, top - lines);
}

static void draw_application(struct spark *s, const struct panel_view *view, struct canvas *c)
{
	struct canvas nowhere = canvas_part(c, 0, 0, 0, c->width);
	struct list_row row;

	if (!find_application(s->application, view->lake, &row)) {
		show_text(c, 0, 1, c->width - 2, STYLE_DIM, "no server lists this application any more");
		return;
	}
	scroller_fit(&s->scroller, c, draw_told(&nowhere, view->lake, &row, 0));
	draw_told(c, view->lake, &row, s->scroller.top);
	show_matches(c, 0, view->filter ? view->filter : "");
	scroller_marks(&s->scroller, c);
}

static void draw(struct panel_view *view, void *state, struct canvas *c)
{
	struct spark *s = state;

	if (s->application[0])
		draw_application(s, view, c);
	else
		deck_draw(&s->deck, view, views, c);
}

/* Of its driver and all its executors. */
static unsigned logs_of_application(struct panel_view *view, const char *id)
{
	view->log_service = text_copy(view->act_words, sizeof view->act_words, text_of(id));
	return REACT_LOGS;
}

static unsigned act_on_application(struct spark *s, struct panel_view *view, enum act what)
{
	struct list_row row;

	switch ((int)what) {
	case ACT_BACK:
	case ACT_CANCEL:
	case ACT_LEFT:
		s->application[0] = '\0';
		return REACT_HANDLED | REACT_OUTER;
	case ACT_NEXT_VIEW:
	case ACT_PREVIOUS_VIEW:
		s->application[0] = '\0';
		return deck_act(&s->deck, view, views, what, &row) | REACT_OUTER;
	case ACT_LOGS:
		return logs_of_application(view, s->application);
	case ACT_ACTIONS:
		return find_application(s->application, view->lake, &row) ? list_actions(view, &row, row.service) : REACT_NONE;
	default:
		return scroller_act(&s->scroller, what) ? REACT_HANDLED : REACT_NONE;
	}
}

/* ---- the lists ---- */

static unsigned open_row(struct spark *s, struct panel_view *view, const struct list_row *row)
{
	if (views[s->deck.at].kind == &spark_applications && row->table && !row->other && spark_application_id(row)[0]) {
		s->scroller = (struct scroller){0};
		text_copy(s->application, sizeof s->application, text_of(spark_application_id(row)));
		return REACT_HANDLED | REACT_INNER;
	}
	view->open = row->other ? row->other->name : row->service->name;
	return REACT_OPEN;
}

static unsigned act(struct panel_view *view, void *state, enum act what)
{
	struct spark *s = state;
	struct list_row row;
	unsigned reactions;

	if (s->application[0])
		return act_on_application(s, view, what);
	reactions = deck_act(&s->deck, view, views, what, &row);
	if (reactions)
		return reactions;
	if (what == ACT_ACTIONS)
		return list_actions(view, &row, row.service);
	if (what == ACT_LOGS && views[s->deck.at].kind == &spark_applications && row.service && spark_application_id(&row)[0])
		return logs_of_application(view, spark_application_id(&row));
	if (what == ACT_LOGS)
		return list_logs(view, &row, row.service);
	return row.service && (what == ACT_ENTER || what == ACT_RIGHT) ? open_row(s, view, &row) : REACT_NONE;
}

/* On the page of one application there is nothing to open or to sort. */
static bool takes(const void *state, enum act what)
{
	return !((const struct spark *)state)->application[0] || (what != ACT_ENTER && what != ACT_SORT);
}

const struct panel panel_spark = {
	.name = "spark",
	.title = "Spark",
	.key = '5',
	.help = "Clusters: masters and workers of every version. Applications: what runs, what waits and why; FINISHED is a master's word, and says "
		"nothing of jobs; Enter opens its driver, or all that is known of it. Stages: how many of their tasks are done, what failed and why, "
		"skew as the slowest task against the median. "
		"Queries: what comes in against what is processed. Connect: who answers, since when; stale is older than its files. "
		"Pipelines, where one runs: each flow of it.",
	.hints = (const struct key_hint[]){{ACT_NEXT_VIEW, "next view"}, {ACT_ENTER, "open"}, {ACT_ACTIONS, "act"}, {ACT_LOGS, "log"},
		{ACT_SORT, "sort"}, {ACT_NONE, NULL}},
	.state_size = sizeof(struct spark),
	.draw = draw,
	.act = act,
	.takes = takes,
};
