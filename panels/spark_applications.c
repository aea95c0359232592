// SPDX-License-Identifier: MIT
/*
 * Applications: of masters, of drivers that have none, and what a history server has besides. A master's word is not
 * enough: FINISHED there says nothing of jobs, so what drivers and event logs tell stands beside it. UI thread only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "applications.h"
#include "mem.h"
#include "show.h"
#include "spark_own.h"

enum { IDS_MAX = 4096 };

/* ---- what a row says ---- */

const char *spark_application_id(const struct list_row *row)
{
	return row->table ? list_text(row, "id") : value_string(spark_service_value(row->service, "application"));
}

/* What no server told, but the files that it would read. */
static bool by_event_log(const struct list_row *row)
{
	return row->table && list_text(row, "told_by")[0];
}

static const char *app_state(const struct list_row *row)
{
	if (row->table)
		return list_text(row, "state");
	return service_verdict(row->service) == VERDICT_SERVING ? "RUNNING" : verdict_word(service_verdict(row->service));
}

/* What its driver counts; of one that ended, what its event log tells to the history server. */
static struct value jobs_failed(const struct list_row *row)
{
	const struct service *driver = row->table ? row->other : row->service;
	struct value v = driver ? spark_service_value(driver, "jobs_failed") : list_cell(row, "jobs_failed");

	return v.type == VALUE_UNKNOWN && row->more ? table_get(row->more, row->more_at, "jobs_failed") : v;
}

static struct value app_get(const struct list_row *row, const struct list_column *column)
{
	if (is(column, "state"))
		return value_text(app_state(row));
	if (is(column, "from"))
		return value_text(by_event_log(row) ? "event log" : row->service->name);
	if (is(column, "jobs_failed"))
		return jobs_failed(row);
	if (row->table)
		return list_cell(row, column->name);
	return spark_service_value(row->service, is(column, "id") ? "application" : is(column, "why") ? "note" : column->name);
}

const char *spark_application_why(const struct list_row *row, char out[VALUE_TEXT_SIZE])
{
	const char *own = list_text(row, "why");

	return own[0] ? own : application_why(row->table ? row->other : row->service, jobs_failed(row), out);
}

static const char *app_words(const struct list_row *row, const struct list_column *column, const struct lake *lake,
	char out[VALUE_TEXT_SIZE])
{
	const char *why;

	(void)lake;
	if (!row->table && is(column, "version"))
		return show_version(out, row->service);
	if (!is(column, "why"))
		return NULL;
	why = spark_application_why(row, out);
	return why[0] ? why : NULL;
}

static enum mark app_mark(const struct list_row *row)
{
	const char *state = app_state(row);
	struct value failed = jobs_failed(row);

	if (!row->table && spark_service_mark(row->service) != MARK_GOOD)
		return spark_service_mark(row->service);
	if (row->other && !strcmp(state, "RUNNING") && spark_service_mark(row->other) >= MARK_WARN)
		return spark_service_mark(row->other); /* so says its master; its driver knows better */
	if (!strcmp(state, "FAILED") || !strcmp(state, "KILLED"))
		return MARK_BAD;
	if (!strcmp(state, "WAITING") || (failed.type == VALUE_INT && failed.u.i > 0) || (list_text(row, "why")[0] && !by_event_log(row)))
		return MARK_WARN;
	return !strcmp(state, "RUNNING") ? MARK_GOOD : !strcmp(state, "INCOMPLETE") ? MARK_BUSY : MARK_OFF;
}

/* ---- which rows there are ---- */

struct known { /* applications that are listed already, by id */
	struct one {
		const char *id;
		size_t row;
	} at[IDS_MAX];
	size_t n;
};

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct one *)a)->id, ((const struct one *)b)->id);
}

static const struct one *known_find(const struct known *known, const char *id)
{
	return bsearch(&(struct one){.id = id}, known->at, known->n, sizeof *known->at, by_id);
}

static void known_fill(struct known *known, const struct list *list)
{
	known->n = 0;
	for (size_t i = 0; i < list->n && known->n < IDS_MAX; i++)
		if (spark_application_id(&list->rows[i])[0])
			known->at[known->n++] = (struct one){spark_application_id(&list->rows[i]), i};
	qsort(known->at, known->n, sizeof *known->at, by_id);
}

static bool is_driver(const struct service *s)
{
	return service_is(s, "spark-driver") || service_is(s, "spark-connect");
}

/* Drivers tell more of what a master lists; who has no master is a row of its own. */
static void add_drivers(struct list *list, const struct known *known)
{
	for (size_t i = 0; i < list->lake->n_services; i++) {
		const struct service *s = list->lake->services[i];
		const char *id = is_driver(s) ? value_string(spark_service_value(s, "application")) : "";
		const struct one *listed = known_find(known, id);

		if (listed)
			list->rows[listed->row].other = s;
		if (!id[0] || listed)
			continue;
		for (const char *const *column = (const char *const[]){"cores", "started", "user", "version", "why", NULL}; *column; column++)
			list_has(list, *column);
		spark_add_service(list, s);
	}
}

/* A history server tells more of what is listed, and has what is not. */
static void add_history(struct list *list, const struct service *s, const struct known *known)
{
	struct list_row row = {.service = s, .from = s->depth, .table = snapshot_find_table(s->depth, "applications")};

	if (!row.table) {
		list_missing(list, s, "applications");
		return;
	}
	list_use(list, row.from, row.table);
	list_has(list, "why");
	for (; row.at < row.table->n_rows; row.at++) {
		const struct one *listed = known_find(known, list_text(&row, "id"));

		if (!listed) {
			list_add(list, &row);
			continue;
		}
		list->rows[listed->row].more = row.table;
		list->rows[listed->row].more_at = row.at;
	}
}

void spark_collect_applications(struct list *list)
{
	struct known *known = mem_new(1, sizeof *known);

	list_add_tables(list, "spark-master", "applications");
	known_fill(known, list);
	add_drivers(list, known);
	known_fill(known, list);
	for (size_t i = 0; i < list->lake->n_services; i++)
		if (service_is(list->lake->services[i], "spark-history")) {
			add_history(list, list->lake->services[i], known);
			known_fill(known, list); /* another one may know the same */
		}
	free(known);
}

const struct list_kind spark_applications = {
	.columns = (const struct list_column[]){
		{"APPLICATION", "name", .own = true},
		{"ID", "id", .priority = 2, .most = 28, .own = true},
		{"STATE", "state", .own = true, .state = true},
		{"JOBS FAILED", "jobs_failed", UNIT_COUNT, .priority = 1, .own = true, .number = true},
		{"LOST", "executors_lost", UNIT_COUNT, .priority = 1, .number = true},
		{"EXECUTORS", "executors", UNIT_COUNT, .priority = 3, .own = true, .number = true},
		{"CORES", "cores", UNIT_CORES, .priority = 2, .number = true},
		{"MEMORY", "memory", UNIT_BYTES, .priority = 5, .number = true},
		{"DURATION", "duration", UNIT_MS, .priority = 3, .number = true},
		{"STARTED", "started", UNIT_TIME, .priority = 5},
		{"TOLD BY", "from", .priority = 4, .most = 20, .own = true},
		{"VERSION", "version", .priority = 5, .most = 16},
		{"USER", "user", .priority = 6, .most = 16},
		{"WHY", "why", .priority = 7},
		{0}},
	.n_names = 2, .get = app_get, .words = app_words, .mark = app_mark, .note = "why",
	.empty = "no Spark found; start or name a master, a driver or a history server to see its applications",
};
