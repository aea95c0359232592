// SPDX-License-Identifier: MIT
/*
 * Spark: masters and workers of every version side by side, applications by what they really do,
 * stages with their tasks, streaming queries, and who answers as Spark Connect. A master's word is
 * not enough: FINISHED there says nothing of jobs, so what drivers tell stands beside it. UI thread only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "panels.h"
#include "show.h"

enum { BAR_WIDTH = 14, IDS_MAX = 4096 };

static const char *words_of(struct value v)
{
	return v.type == VALUE_TEXT ? v.u.s : "";
}

static bool starts_with(const char *s, const char *prefix)
{
	return text_starts(text_of(s), prefix);
}

/* ---- a row that is a service ---- */

static enum mark service_mark(const struct service *s)
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

static struct value service_value(const struct service *s, const char *name)
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

/* ---- clusters: each master, below it the workers that it has ---- */

static struct value cluster_get(const struct list_row *row, const struct list_column *column)
{
	bool worker = row->table != NULL;

	if (is(column, "service"))
		return worker ? list_cell(row, "id") : service_value(row->service, "service");
	if (is(column, "kind"))
		return value_text(worker || service_is(row->service, "spark-worker") ? "worker" : "master");
	if (is(column, "executors") && !worker && service_is(row->service, "spark-master"))
		return value_unknown();
	return worker ? list_cell(row, column->name) : service_value(row->service, column->name);
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

static const char *cluster_words(const struct list_row *row, const struct list_column *column, const struct lake *lake,
	char out[VALUE_TEXT_SIZE])
{
	bool worker = row->table || service_is(row->service, "spark-worker");

	(void)lake;
	if (is(column, "service")) {
		snprintf(out, VALUE_TEXT_SIZE, "%s%.80s", worker ? "  " : "", worker_name(words_of(cluster_get(row, column))));
		return out;
	}
	return row->table ? NULL : service_cell(row->service, column, out);
}

static enum mark cluster_mark(const struct list_row *row)
{
	const char *state = list_text(row, "state");

	if (!row->table)
		return service_mark(row->service);
	if (list_cell(row, "late").type == VALUE_BOOL && list_cell(row, "late").u.b)
		return MARK_WARN;
	return !strcmp(state, "ALIVE") ? MARK_GOOD : !strcmp(state, "DECOMMISSIONED") ? MARK_OFF : !strcmp(state, "DEAD") ? MARK_WARN :
		MARK_UNKNOWN;
}

static void add_service(struct list *list, const struct service *s)
{
	list->any = true;
	list_add(list, &(struct list_row){.service = s, .from = s->depth});
	if (snapshot_old(s->depth, list->lake->now) && service_verdict(s) == VERDICT_SERVING &&
		(!list->oldest || s->depth->ended < list->oldest->ended))
		list->oldest = s->depth;
}

static bool works_for(const struct service *worker, const struct service *master)
{
	const char *url = words_of(service_value(master, "url"));

	return service_is(worker, "spark-worker") && url[0] && !strcmp(words_of(service_value(worker, "master")), url);
}

/* A worker that a service of the lake is already. */
static bool is_service(const struct lake *lake, const char *worker_id)
{
	for (size_t i = 0; i < lake->n_services; i++)
		if (service_is(lake->services[i], "spark-worker") && !strcmp(words_of(service_value(lake->services[i], "id")), worker_id))
			return true;
	return false;
}

static void add_master(struct list *list, const struct service *master)
{
	const struct lake *lake = list->lake;
	struct list_row row = {.service = master, .from = master->depth, .table = snapshot_find_table(master->depth, "workers")};

	add_service(list, master);
	for (size_t i = 0; i < lake->n_services; i++)
		if (works_for(lake->services[i], master))
			add_service(list, lake->services[i]);
	for (; row.table && row.at < row.table->n_rows; row.at++)
		if (!is_service(lake, list_text(&row, "id")))
			list_add(list, &row);
}

static void collect_clusters(struct list *list)
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
			add_service(list, lake->services[i]);
	}
}

static const struct list_kind clusters_kind = {
	.columns = (const struct list_column[]){
		{"NAME", "service", .own = true},
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

static bool is_driver(const struct service *s)
{
	return service_is(s, "spark-driver") || service_is(s, "spark-connect");
}

/* ---- applications: of masters, of drivers that have none, and what a history server has besides ---- */

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
	struct value v = driver ? service_value(driver, "jobs_failed") : list_cell(row, "jobs_failed");

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
	if (row->table && row->other && is(column, "why") && !list_text(row, "why")[0])
		return service_value(row->other, "note");
	if (row->table)
		return list_cell(row, column->name);
	return service_value(row->service, is(column, "id") ? "application" : is(column, "why") ? "note" : column->name);
}

static const char *app_words(const struct list_row *row, const struct list_column *column, const struct lake *lake,
	char out[VALUE_TEXT_SIZE])
{
	struct value failed = jobs_failed(row);

	(void)lake;
	if (!row->table && is(column, "version"))
		return show_version(out, row->service);
	if (!is(column, "why") || app_get(row, column).type != VALUE_UNKNOWN || failed.type != VALUE_INT || failed.u.i <= 0)
		return NULL;
	snprintf(out, VALUE_TEXT_SIZE, failed.u.i == 1 ? "a job of it failed" : "%lld of its jobs failed", (long long)failed.u.i);
	return out;
}

static enum mark app_mark(const struct list_row *row)
{
	const char *state = app_state(row);
	struct value failed = jobs_failed(row);

	if (!row->table && service_mark(row->service) != MARK_GOOD)
		return service_mark(row->service);
	if (row->other && !strcmp(state, "RUNNING") && service_mark(row->other) >= MARK_WARN)
		return service_mark(row->other); /* so says its master; its driver knows better */
	if (!strcmp(state, "FAILED") || !strcmp(state, "KILLED"))
		return MARK_BAD;
	if (!strcmp(state, "WAITING") || (failed.type == VALUE_INT && failed.u.i > 0) || (list_text(row, "why")[0] && !by_event_log(row)))
		return MARK_WARN;
	return !strcmp(state, "RUNNING") ? MARK_GOOD : !strcmp(state, "INCOMPLETE") ? MARK_BUSY : MARK_OFF;
}

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

static const char *row_id(const struct list_row *row)
{
	return row->table ? list_text(row, "id") : words_of(service_value(row->service, "application"));
}

static void known_fill(struct known *known, const struct list *list)
{
	known->n = 0;
	for (size_t i = 0; i < list->n && known->n < IDS_MAX; i++)
		if (row_id(&list->rows[i])[0])
			known->at[known->n++] = (struct one){row_id(&list->rows[i]), i};
	qsort(known->at, known->n, sizeof *known->at, by_id);
}

static void add_tables(struct list *list, const char *kind, const char *table)
{
	for (size_t i = 0; i < list->lake->n_services; i++) {
		const struct service *s = list->lake->services[i];

		if (!service_is(s, kind))
			continue;
		if (!snapshot_find_table(s->depth, table))
			list_missing(list, s, table);
		list_add_table(list, s, s->depth, table);
	}
}

/* Drivers tell more of what a master lists; who has no master is a row of its own. */
static void add_drivers(struct list *list, const struct known *known)
{
	for (size_t i = 0; i < list->lake->n_services; i++) {
		const struct service *s = list->lake->services[i];
		const char *id = is_driver(s) ? words_of(service_value(s, "application")) : "";
		const struct one *listed = known_find(known, id);

		if (listed)
			list->rows[listed->row].other = s;
		if (!id[0] || listed)
			continue;
		for (const char *const *column = (const char *const[]){"cores", "started", "user", "version", "why", NULL}; *column; column++)
			list_has(list, *column);
		add_service(list, s);
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

static void collect_applications(struct list *list)
{
	struct known *known = mem_new(1, sizeof *known);

	add_tables(list, "spark-master", "applications");
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

static const struct list_kind applications_kind = {
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
static void collect_stages(struct list *list)
{
	struct list_row *rows;
	size_t used = 0;

	add_tables(list, "spark-driver", "stages");
	add_tables(list, "spark-connect", "stages");
	rows = mem_new(list->n + 1, sizeof *rows);
	for (int failed = 1; failed >= 0; failed--)
		for (size_t i = 0; i < list->n; i++)
			if ((stage_mark(&list->rows[i]) == MARK_BAD) == failed)
				rows[used++] = list->rows[i];
	free(list->rows);
	list->rows = rows;
	list->room = list->n + 1;
}

static const struct list_kind stages_kind = {
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

/* Its checkpoint tells, where a stream of the profile has the same id, or else the same name. */
static struct value query_lag(const struct list_row *row, const struct lake *lake)
{
	struct value v = list_cell(row, "lag");

	for (size_t i = 0; v.type == VALUE_UNKNOWN && i < lake->n_streams; i++) {
		const struct stream_view *stream = &lake->streams[i];
		const char *id = words_of(snapshot_get(stream->snapshot, "query"));

		if (id[0] && list_text(row, "id")[0] ? !strcmp(id, list_text(row, "id")) : !strcmp(stream->stream->name, list_text(row, "name")))
			v = stream->lag.lag;
	}
	return v;
}

static bool is_slower(const struct list_row *row)
{
	double in = value_number(list_cell(row, "input_rate")), out = value_number(list_cell(row, "processing_rate"));

	return in > 0 && out < in; /* unknown is neither */
}

static struct value query_get(const struct list_row *row, const struct list_column *column)
{
	return is(column, "driver") ? value_text(row->service->name) : list_cell(row, column->name);
}

static const char *query_words(const struct list_row *row, const struct list_column *column, const struct lake *lake,
	char out[VALUE_TEXT_SIZE])
{
	if (is(column, "lag"))
		return value_show(out, query_lag(row, lake), UNIT_RECORDS);
	if (!is(column, "note"))
		return NULL;
	return list_text(row, "reason")[0] ? list_text(row, "reason") : is_slower(row) ? "more comes in than it processes" : "-";
}

static enum mark query_mark(const struct list_row *row)
{
	const char *state = list_text(row, "state");

	if (starts_with(state, "FAIL") || starts_with(state, "fail"))
		return MARK_BAD;
	if (starts_with(state, "FINISH") || starts_with(state, "TERMIN") || starts_with(state, "STOP"))
		return MARK_OFF;
	return is_slower(row) ? MARK_WARN : state[0] ? MARK_GOOD : MARK_UNKNOWN;
}

static void collect_queries(struct list *list)
{
	add_tables(list, "spark-driver", "queries");
	add_tables(list, "spark-connect", "queries");
}

static const struct list_kind queries_kind = {
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

/* ---- Connect ---- */

static struct value connect_get(const struct list_row *row, const struct list_column *column)
{
	const struct judged *j = &row->service->verdict.shown;

	if (!is(column, "stale"))
		return service_value(row->service, column->name);
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
	return service_mark(row->service);
}

static void collect_connect(struct list *list)
{
	for (size_t i = 0; i < list->lake->n_services; i++)
		if (service_is(list->lake->services[i], "spark-connect"))
			add_service(list, list->lake->services[i]);
}

static const struct list_kind connect_kind = {
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

static const struct deck_view views[] = {
	{"clusters", &clusters_kind, collect_clusters},
	{"applications", &applications_kind, collect_applications},
	{"stages", &stages_kind, collect_stages},
	{"queries", &queries_kind, collect_queries},
	{"connect", &connect_kind, collect_connect},
	{0},
};

/* ---- the panel ---- */

static void draw(struct panel_view *view, void *state, struct canvas *c)
{
	deck_draw(state, view, views, c);
}

static unsigned act(struct panel_view *view, void *state, enum act what)
{
	struct list_row row;
	unsigned reactions = deck_act(state, view, views, what, &row);

	if (!reactions && what == ACT_ACTIONS)
		return list_actions(view, &row, row.service);
	if (!reactions && what == ACT_LOGS && row.service && views[((struct deck *)state)->at].kind == &applications_kind && row_id(&row)[0]) {
		snprintf(view->act_words, sizeof view->act_words, "%s", row_id(&row)); /* of its driver and all its executors */
		view->log_service = view->act_words;
		return REACT_LOGS;
	}
	if (!reactions && what == ACT_LOGS)
		return list_logs(view, &row, row.service);
	if (reactions || !row.service || (what != ACT_ENTER && what != ACT_RIGHT))
		return reactions;
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
