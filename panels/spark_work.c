// SPDX-License-Identifier: MIT
/* What drivers tell of their work: stages with their tasks, and streaming queries. UI thread only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "show.h"
#include "spark_own.h"

enum { BAR_WIDTH = 14 };

/* ---- stages ---- */

static int64_t count_of(const struct list_row *row, const char *column)
{
	struct value v = list_cell(row, column);

	return v.type == VALUE_INT && v.u.i > 0 ? v.u.i : 0;
}

/* As its owner called it; a driver that does not say is known by its own name. */
static struct value application_of(const struct list_row *row)
{
	struct value name = snapshot_get(row->from, "name");

	return name.type == VALUE_TEXT ? name : value_text(row->service->name);
}

static struct value stage_get(const struct list_row *row, const struct list_column *column)
{
	if (is(column, "driver"))
		return value_text(row->service->name);
	if (is(column, "application"))
		return application_of(row);
	if (is(column, "progress"))
		return count_of(row, "tasks") ? value_real((double)count_of(row, "completed") / (double)count_of(row, "tasks")) : value_unknown();
	return list_cell(row, column->name);
}

static const char *bar_words(const struct list_row *row, char out[VALUE_TEXT_SIZE])
{
	int64_t tasks = count_of(row, "tasks"), done = count_of(row, "completed");
	int filled = tasks ? (int)((double)(done < tasks ? done : tasks) / (double)tasks * BAR_WIDTH) : 0;
	size_t used = 0;

	for (int i = 0; i < BAR_WIDTH; i++)
		used += (size_t)snprintf(out + used, VALUE_TEXT_SIZE - used, "%s", i < filled ? "━" : "─");
	return tasks ? out : "-";
}

static const char *stage_words(const struct list_row *row, const struct list_column *column, const struct lake *lake,
	char out[VALUE_TEXT_SIZE])
{
	(void)lake;
	if (is(column, "progress"))
		return bar_words(row, out);
	if (!is(column, "id") || !count_of(row, "attempt"))
		return NULL;
	snprintf(out, VALUE_TEXT_SIZE, "%lld.%lld", (long long)count_of(row, "id"), (long long)count_of(row, "attempt"));
	return out;
}

static enum mark stage_mark(const struct list_row *row)
{
	const char *state = list_text(row, "state");

	if (!strcmp(state, "FAILED"))
		return MARK_BAD;
	if (count_of(row, "failed"))
		return MARK_WARN;
	return !strcmp(state, "ACTIVE") ? MARK_GOOD : !strcmp(state, "PENDING") ? MARK_BUSY : MARK_OFF;
}

/* What failed comes first; the rest as drivers list it. */
void spark_collect_stages(struct list *list)
{
	struct list_row *rows;
	size_t used = 0;

	list_add_tables(list, "spark-driver", "stages");
	list_add_tables(list, "spark-connect", "stages");
	rows = mem_new(list->n + 1, sizeof *rows);
	for (int failed = 1; failed >= 0; failed--)
		for (size_t i = 0; i < list->n; i++)
			if ((stage_mark(&list->rows[i]) == MARK_BAD) == failed)
				rows[used++] = list->rows[i];
	free(list->rows);
	list->rows = rows;
	list->room = list->n + 1;
}

const struct list_kind spark_stages = {
	.columns = (const struct list_column[]){
		{"APPLICATION", "application", .own = true},
		{"STAGE", "id", .number = true},
		{"STATE", "state", .state = true},
		{"PROGRESS", "progress", .priority = 2, .most = BAR_WIDTH, .own = true, .graph = true},
		{"DONE", "completed", UNIT_COUNT, .priority = 1, .number = true},
		{"TASKS", "tasks", UNIT_COUNT, .priority = 1, .number = true},
		{"ACTIVE", "active", UNIT_COUNT, .priority = 2, .number = true},
		{"FAILED", "failed", UNIT_COUNT, .priority = 1, .number = true},
		{"SKEW", "skew", .priority = 3, .number = true},
		{"SPILLED", "spilled", UNIT_BYTES, .priority = 3, .number = true},
		{"DURATION", "duration", UNIT_MS, .priority = 4, .number = true},
		{"DRIVER", "driver", .priority = 5, .most = 20, .own = true},
		{"NAME", "name", .priority = 4, .most = 40},
		{"REASON", "reason", .priority = 6},
		{0}},
	.n_names = 2, .get = stage_get, .words = stage_words, .mark = stage_mark, .note = "reason",
	.empty = "no Spark driver found; of one that runs its stages stand here, with tasks, skew and failures",
};

/* ---- streaming queries, as their driver tells ---- */

/* Its checkpoint tells, where a stream of the profile has the same id, or else the same name. NULL: none has. */
static const struct stream_view *stream_of(const struct list_row *row, const struct lake *lake)
{
	for (size_t i = 0; i < lake->n_streams; i++) {
		const struct stream_view *stream = &lake->streams[i];
		const char *id = value_string(snapshot_get(stream->snapshot, "query"));

		if (id[0] && list_text(row, "id")[0] ? !strcmp(id, list_text(row, "id")) : !strcmp(stream->stream->name, list_text(row, "name")))
			return stream;
	}
	return NULL;
}

static struct value query_lag(const struct list_row *row)
{
	struct value v = list_cell(row, "lag");

	return v.type == VALUE_UNKNOWN && row->stream ? row->stream->lag.lag : v;
}

static bool is_slower(const struct list_row *row)
{
	double in = value_number(list_cell(row, "input_rate")), out = value_number(list_cell(row, "processing_rate"));

	return in > 0 && out < in; /* unknown is neither */
}

/* Spark's own two rates look fine where each batch takes no more than it may. */
static bool falls_behind(const struct list_row *row)
{
	return row->stream && !strcmp(lake_stream_state(row->stream), "slow");
}

static struct value query_get(const struct list_row *row, const struct list_column *column)
{
	return is(column, "driver") ? value_text(row->service->name) : list_cell(row, column->name);
}

static const char *query_words(const struct list_row *row, const struct list_column *column, const struct lake *lake,
	char out[VALUE_TEXT_SIZE])
{
	(void)lake;
	if (is(column, "lag"))
		return value_show(out, query_lag(row), UNIT_RECORDS);
	if (!is(column, "note"))
		return NULL;
	if (list_text(row, "reason")[0])
		return list_text(row, "reason");
	return is_slower(row) ? "more comes in than it processes" : falls_behind(row) ? lake_stream_note(row->stream, out) : "-";
}

static bool starts_with(const char *s, const char *prefix)
{
	return text_starts(text_of(s), prefix);
}

static enum mark query_mark(const struct list_row *row)
{
	const char *state = list_text(row, "state");

	if (starts_with(state, "FAIL") || starts_with(state, "fail"))
		return MARK_BAD;
	if (starts_with(state, "FINISH") || starts_with(state, "TERMIN") || starts_with(state, "STOP"))
		return MARK_OFF;
	return is_slower(row) || falls_behind(row) ? MARK_WARN : state[0] ? MARK_GOOD : MARK_UNKNOWN;
}

void spark_collect_queries(struct list *list)
{
	list_add_tables(list, "spark-driver", "queries");
	list_add_tables(list, "spark-connect", "queries");
	for (size_t i = 0; i < list->n; i++)
		list->rows[i].stream = stream_of(&list->rows[i], list->lake);
}

const struct list_kind spark_queries = {
	.columns = (const struct list_column[]){
		{"QUERY", "name", .priority = 0},
		{"STATE", "state", .state = true},
		{"TRIGGER", "trigger", .priority = 5, .most = 20},
		{"IN", "input_rate", UNIT_PER_SECOND, .priority = 1, .number = true},
		{"PROCESSES", "processing_rate", UNIT_PER_SECOND, .priority = 1, .number = true},
		{"TOOK", "batch_ms", UNIT_MS, .priority = 1, .number = true},
		{"EVERY", "gap_ms", UNIT_MS, .priority = 2, .number = true},
		{"BATCH", "batch", UNIT_COUNT, .priority = 4, .number = true},
		{"BEGUN", "last", UNIT_TIME, .priority = 3},
		{"LAG", "lag", UNIT_RECORDS, .own = true, .number = true},
		{"STATE ROWS", "state_rows", UNIT_COUNT, .priority = 3, .number = true},
		{"WATERMARK", "watermark", UNIT_TIME, .priority = 4},
		{"DRIVER", "driver", .priority = 3, .most = 20, .own = true},
		{"NOTE", "note", .priority = 6, .own = true},
		{0}},
	.n_names = 1, .get = query_get, .words = query_words, .mark = query_mark, .note = "note",
	.empty = "no Spark driver found; of one that runs its streaming queries stand here, with rates and lag",
};
