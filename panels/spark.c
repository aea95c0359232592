// SPDX-License-Identifier: MIT
/* Spark: its lists by Tab, and what keys do on a row of them. See spark_own.h. UI thread only. */
#include "spark_own.h"

static const struct deck_view views[] = {
	{"clusters", &spark_clusters, spark_collect_clusters},
	{"applications", &spark_applications, spark_collect_applications},
	{"stages", &spark_stages, spark_collect_stages},
	{"queries", &spark_queries, spark_collect_queries},
	{"connect", &spark_connect, spark_collect_connect},
	{0},
};

static void draw(struct panel_view *view, void *state, struct canvas *c)
{
	deck_draw(state, view, views, c);
}

/* Of its driver and all its executors. */
static unsigned logs_of_application(struct panel_view *view, const char *id)
{
	view->log_service = text_copy(view->act_words, sizeof view->act_words, text_of(id));
	return REACT_LOGS;
}

static unsigned act(struct panel_view *view, void *state, enum act what)
{
	struct deck *deck = state;
	struct list_row row;
	unsigned reactions = deck_act(deck, view, views, what, &row);

	if (reactions)
		return reactions;
	if (what == ACT_ACTIONS)
		return list_actions(view, &row, row.service);
	if (what == ACT_LOGS && views[deck->at].kind == &spark_applications && row.service && spark_application_id(&row)[0])
		return logs_of_application(view, spark_application_id(&row));
	if (what == ACT_LOGS)
		return list_logs(view, &row, row.service);
	if (!row.service || (what != ACT_ENTER && what != ACT_RIGHT))
		return REACT_NONE;
	view->open = row.other ? row.other->name : row.service->name;
	return REACT_OPEN;
}

const struct panel panel_spark = {
	.name = "spark",
	.title = "Spark",
	.key = '5',
	.help = "Clusters: masters and workers of every version. Applications: what runs, what waits and why; FINISHED is a master's word, and says "
		"nothing of jobs. Stages: how many of their tasks are done, what failed and why, skew as the slowest task against the median. "
		"Queries: what comes in against what is processed. Connect: who answers, since when; stale is older than its files.",
	.hints = (const struct key_hint[]){{ACT_NEXT_VIEW, "next view"}, {ACT_ENTER, "open"}, {ACT_ACTIONS, "act"}, {ACT_LOGS, "log"},
		{ACT_SORT, "sort"}, {ACT_NONE, NULL}},
	.state_size = sizeof(struct deck),
	.draw = draw,
	.act = act,
};
