// SPDX-License-Identifier: MIT
/*
 * What is a service of Spark: clusters, each master with the workers that it has below it, of every version side by
 * side; and who answers as Spark Connect. UI thread only.
 */
#include <stdio.h>
#include <string.h>

#include "show.h"
#include "spark_own.h"

/* ---- a row that is a service ---- */

enum mark spark_service_mark(const struct service *s)
{
	enum verdict v = service_verdict(s);

	if (v == VERDICT_SERVING)
		return service_findings(s, SEVERITY_BLOCKING) ? MARK_BAD : service_findings(s, SEVERITY_WARNING) ? MARK_WARN : MARK_GOOD;
	if (v == VERDICT_STARTING)
		return MARK_BUSY;
	if (v == VERDICT_UNKNOWN)
		return MARK_UNKNOWN;
	if (!s->required && (v == VERDICT_ABSENT || v == VERDICT_STOPPED))
		return MARK_OFF;
	return service_style(s) == STYLE_BAD ? MARK_BAD : MARK_WARN;
}

/* Why it does not serve, else the worst of what is wrong besides. */
static const char *service_note(const struct service *s)
{
	const struct judged *j = &s->verdict.shown;
	const struct judged_finding *worst = NULL;

	for (size_t i = 0; s->verdict.begun && i < j->n_findings; i++)
		if (!worst || j->findings[i].severity > worst->severity)
			worst = &j->findings[i];
	return service_words(s)[0] ? service_words(s) : worst ? worst->reason : "";
}

struct value spark_service_value(const struct service *s, const char *name)
{
	const struct owner *o = &s->verdict.shown.owner;
	struct value v = snapshot_get(s->depth, name);

	if (!strcmp(name, "service"))
		return value_text(s->name);
	if (!strcmp(name, "state"))
		return value_text(verdict_word(service_verdict(s)));
	if (!strcmp(name, "port"))
		return s->at.port ? value_int(s->at.port) : value_unknown();
	if (!strcmp(name, "since"))
		return s->verdict.begun && o->started > 0 ? value_int(o->started) : value_unknown();
	if (!strcmp(name, "note"))
		return service_note(s)[0] ? value_text(service_note(s)) : value_unknown();
	return v.type == VALUE_UNKNOWN ? snapshot_get(s->pulse, name) : v;
}

static const char *service_cell(const struct service *s, const struct list_column *column, char out[VALUE_TEXT_SIZE])
{
	if (is(column, "version"))
		return show_version(out, s);
	if (is(column, "process"))
		return s->verdict.begun ? show_owner(out, &s->verdict.shown.owner) : "-";
	if (!is(column, "port"))
		return NULL;
	snprintf(out, VALUE_TEXT_SIZE, s->at.port ? "%u" : "-", (unsigned)s->at.port);
	return out;
}

void spark_add_service(struct list *list, const struct service *s)
{
	list->any = true;
	list_add(list, &(struct list_row){.service = s, .from = s->depth});
	if (snapshot_old(s->depth, list->lake->now) && service_verdict(s) == VERDICT_SERVING &&
		(!list->oldest || s->depth->ended < list->oldest->ended))
		list->oldest = s->depth;
}

/* ---- clusters: each master, below it the workers that it has ---- */

static struct value cluster_get(const struct list_row *row, const struct list_column *column)
{
	bool worker = row->table != NULL;

	if (is(column, "service"))
		return worker ? list_cell(row, "id") : spark_service_value(row->service, "service");
	if (is(column, "kind"))
		return value_text(worker || service_is(row->service, "spark-worker") ? "worker" : "master");
	if (is(column, "executors") && !worker && service_is(row->service, "spark-master"))
		return value_unknown();
	return worker ? list_cell(row, column->name) : spark_service_value(row->service, column->name);
}

/* "worker-20261129110000-10.0.0.7-41000" without what only tells it from itself. */
static const char *worker_name(const char *id)
{
	struct text rest = text_of(id);
	size_t digits = 0;

	if (!text_skip(&rest, "worker-"))
		return id;
	while (digits < rest.len && rest.at[digits] >= '0' && rest.at[digits] <= '9')
		digits++;
	return digits + 1 < rest.len && rest.at[digits] == '-' ? rest.at + digits + 1 : id;
}

/* It is dead, and one lives under its address. */
static bool came_back(const struct list_row *row)
{
	struct value v = row->table ? list_cell(row, "came_back") : value_unknown();

	return v.type == VALUE_BOOL && v.u.b;
}

static const char *cluster_words(const struct list_row *row, const struct list_column *column, const struct lake *lake,
	char out[VALUE_TEXT_SIZE])
{
	bool worker = row->table || service_is(row->service, "spark-worker");

	(void)lake;
	if (is(column, "service")) {
		snprintf(out, VALUE_TEXT_SIZE, "%s%.80s", worker ? "  " : "", worker_name(value_string(cluster_get(row, column))));
		return out;
	}
	if (is(column, "note") && came_back(row))
		return "it came back as another one; its master forgets this one in time";
	return row->table ? NULL : service_cell(row->service, column, out);
}

static enum mark cluster_mark(const struct list_row *row)
{
	const char *state = list_text(row, "state");

	if (!row->table)
		return spark_service_mark(row->service);
	if (list_cell(row, "late").type == VALUE_BOOL && list_cell(row, "late").u.b)
		return MARK_WARN;
	return !strcmp(state, "ALIVE") ? MARK_GOOD : !strcmp(state, "DECOMMISSIONED") || came_back(row) ? MARK_OFF :
		!strcmp(state, "DEAD") ? MARK_WARN : MARK_UNKNOWN;
}

static bool works_for(const struct service *worker, const struct service *master)
{
	const char *url = value_string(spark_service_value(master, "url"));

	return service_is(worker, "spark-worker") && url[0] && !strcmp(value_string(spark_service_value(worker, "master")), url);
}

/* A worker that a service of the lake is already. */
static bool is_service(const struct lake *lake, const char *worker_id)
{
	for (size_t i = 0; i < lake->n_services; i++)
		if (service_is(lake->services[i], "spark-worker") && !strcmp(value_string(spark_service_value(lake->services[i], "id")), worker_id))
			return true;
	return false;
}

static void add_master(struct list *list, const struct service *master)
{
	const struct lake *lake = list->lake;
	struct list_row row = {.service = master, .from = master->depth, .table = snapshot_find_table(master->depth, "workers")};

	spark_add_service(list, master);
	for (size_t i = 0; i < lake->n_services; i++)
		if (works_for(lake->services[i], master))
			spark_add_service(list, lake->services[i]);
	for (; row.table && row.at < row.table->n_rows; row.at++)
		if (!is_service(lake, list_text(&row, "id")))
			list_add(list, &row);
}

void spark_collect_clusters(struct list *list)
{
	const struct lake *lake = list->lake;

	for (size_t i = 0; i < lake->n_services; i++)
		if (service_is(lake->services[i], "spark-master"))
			add_master(list, lake->services[i]);
	for (size_t i = 0; i < lake->n_services; i++) { /* workers of no master that is known */
		bool has_master = false;

		for (size_t k = 0; k < lake->n_services && !has_master; k++)
			has_master = service_is(lake->services[k], "spark-master") && works_for(lake->services[i], lake->services[k]);
		if (service_is(lake->services[i], "spark-worker") && !has_master)
			spark_add_service(list, lake->services[i]);
	}
}

const struct list_kind spark_clusters = {
	.columns = (const struct list_column[]){
		{"NAME", "service", .most = 24, .own = true},
		{"KIND", "kind", .priority = 4, .own = true},
		{"STATE", "state", .own = true, .state = true},
		{"VERSION", "version", .priority = 1, .own = true},
		{"PORT", "port", .priority = 3, .own = true, .number = true},
		{"CORES", "cores", UNIT_CORES, .priority = 2, .own = true, .number = true},
		{"USED", "cores_used", UNIT_CORES, .priority = 2, .own = true, .number = true},
		{"MEMORY", "memory", UNIT_BYTES, .priority = 3, .own = true, .number = true},
		{"USED", "memory_used", UNIT_BYTES, .priority = 3, .own = true, .number = true},
		{"APPS", "applications", UNIT_COUNT, .priority = 1, .own = true, .number = true},
		{"WAITING", "waiting", UNIT_COUNT, .priority = 1, .own = true, .number = true},
		{"EXECUTORS", "executors", UNIT_COUNT, .priority = 2, .own = true, .number = true},
		{"SINCE", "since", UNIT_TIME, .priority = 5, .own = true},
		{"NOTE", "note", .priority = 8, .own = true},
		{0}},
	.n_names = 1, .get = cluster_get, .words = cluster_words, .mark = cluster_mark, .note = "note",
	.empty = "no Spark master or worker found; start one, or name one in a profile, to see them side by side",
};

/* ---- Connect ---- */

static struct value connect_get(const struct list_row *row, const struct list_column *column)
{
	const struct judged *j = &row->service->verdict.shown;

	if (!is(column, "stale"))
		return spark_service_value(row->service, column->name);
	if (!row->service->verdict.begun || j->links[LINK_FRESH].state == LINK_NA || j->links[LINK_FRESH].state == LINK_UNKNOWN)
		return value_unknown();
	return value_bool(j->links[LINK_FRESH].state == LINK_BAD);
}

static const char *connect_words(const struct list_row *row, const struct list_column *column, const struct lake *lake,
	char out[VALUE_TEXT_SIZE])
{
	(void)lake;
	return service_cell(row->service, column, out);
}

static enum mark row_service_mark(const struct list_row *row)
{
	return spark_service_mark(row->service);
}

void spark_collect_connect(struct list *list)
{
	for (size_t i = 0; i < list->lake->n_services; i++)
		if (service_is(list->lake->services[i], "spark-connect"))
			spark_add_service(list, list->lake->services[i]);
}

const struct list_kind spark_connect = {
	.columns = (const struct list_column[]){
		{"NAME", "service", .own = true},
		{"PORT", "port", .own = true, .number = true},
		{"STATE", "state", .own = true, .state = true},
		{"VERSION", "version", .own = true},
		{"SINCE", "since", UNIT_TIME, .priority = 1, .own = true},
		{"STALE", "stale", .priority = 1, .own = true},
		{"SESSIONS", "sessions", UNIT_COUNT, .priority = 2, .own = true, .number = true},
		{"REQUESTS", "requests", UNIT_COUNT, .priority = 3, .own = true, .number = true},
		{"PROCESS", "process", .priority = 2, .most = 24, .own = true},
		{"MASTER", "master", .priority = 4, .most = 28, .own = true},
		{"WEB UI", "ui", .priority = 5, .own = true},
		{"NOTE", "note", .priority = 6, .own = true},
		{0}},
	.n_names = 1, .get = connect_get, .words = connect_words, .mark = row_service_mark, .note = "note",
	.empty = "no Spark Connect found; who answers on 15002 stands here, with version, age and sessions",
};
