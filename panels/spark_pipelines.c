// SPDX-License-Identifier: MIT
/* Spark's view of declarative pipelines: each flow, as the Connect server that it runs in tells. UI thread only. */
#include <string.h>

#include "show.h"
#include "spark_own.h"

static enum mark flow_mark(const struct list_row *row)
{
	const char *state = list_text(row, "state");

	if (!strcmp(state, "FAILED") || (!state[0] && !strcmp(list_text(row, "run"), "FAILED")))
		return MARK_BAD;
	if (!strcmp(state, "NOT BEGUN"))
		return !strcmp(list_text(row, "run"), "RUNNING") ? MARK_BUSY : MARK_WARN;
	return !strcmp(state, "RUNNING") ? MARK_GOOD : state[0] ? MARK_OFF : MARK_UNKNOWN;
}

static struct value flow_get(const struct list_row *row, const struct list_column *column)
{
	return is(column, "driver") ? value_text(row->service->name) : list_cell(row, column->name);
}

static bool has_pipelines(const struct lake *lake)
{
	for (size_t i = 0; i < lake->n_services; i++) {
		const struct table *t = snapshot_find_table(lake->services[i]->depth, "flows");

		if (t && t->n_rows)
			return true;
	}
	return false;
}

void spark_collect_pipelines(struct list *list)
{
	for (size_t i = 0; i < list->lake->n_services; i++) {
		const struct service *s = list->lake->services[i];
		const struct table *t = snapshot_find_table(s->depth, "flows");

		if (t && t->n_rows)
			list_add_table(list, s, s->depth, "flows");
	}
}

const struct list_kind spark_pipelines = {
	.columns = (const struct list_column[]){
		{"FLOW", "flow", .priority = 0},
		{"PIPELINE", "pipeline", .priority = 1, .most = 30},
		{"KIND", "kind", .priority = 2},
		{"STATE", "state", .state = true},
		{"SINCE", "since", UNIT_TIME, .priority = 1},
		{"TOOK", "duration", UNIT_MS, .priority = 3, .number = true},
		{"TRIES", "attempts", UNIT_COUNT, .priority = 3, .number = true},
		{"BATCH", "batch", UNIT_COUNT, .priority = 2, .number = true},
		{"ROWS", "rows", UNIT_COUNT, .priority = 2, .number = true},
		{"RUN", "run", .priority = 4},
		{"DEFINED", "defined", .priority = 5, .most = 30},
		{"DRIVER", "driver", .priority = 6, .most = 20, .own = true},
		{"SPEC", "spec", .priority = 4, .most = 60},
		{"WHY", "why", .priority = 6},
		{0}},
	.there = has_pipelines, .n_names = 1, .get = flow_get, .mark = flow_mark, .note = "why",
	.empty = "no declarative pipeline was met; of one that runs in a Spark Connect its flows stand here",
};
