// SPDX-License-Identifier: MIT
/*
 * laketop spark: masters, workers, applications, stages, streaming queries, flows and Spark Connect of every
 * version side by side. What one source cannot say is joined from another by the application's id: how
 * many jobs failed is told by its driver while it runs, afterwards by a history server. Pure.
 */
#include <string.h>

#include "applications.h"
#include "documents.h"
#include "report.h"
#include "service.h"
#include "shapes.h"
#include "words.h"

/* A table of the document: rows of services, or of a table that services of a kind have. */
struct spark_table {
	const char *name;
	const char *kinds[3];  /* ends with NULL */
	const char *table;     /* NULL: a row is the service itself */
	const char *owner;     /* key of the service's name */
	const char *figures[12]; /* of a service's own row */
	const char *text[13];  /* what the text shows of it, in this order */
};

static const struct spark_table tables[] = {
	{"masters", {"spark-master"}, NULL, "service",
		{"status", "url", "workers", "workers_dead", "applications", "waiting", "cores", "cores_used", "memory", "memory_used", NULL},
		{"service", "verdict", "version", "port", "workers", "cores_used", "cores", "applications", "waiting", NULL}},
	{"workers", {"spark-master"}, "workers", "master", {NULL},
		{"master", "id", "state", "late", "cores_used", "cores", "memory_used", "memory", NULL}},
	{"applications", {"spark-master"}, "applications", "service", {NULL},
		{"service", "id", "name", "state", "cores", "duration", "jobs_failed", "executors_lost", "told_by", "why", NULL}},
	{"stages", {"spark-driver", "spark-connect"}, "stages", "driver", {NULL},
		{"driver", "application", "id", "state", "completed", "tasks", "failed", "skew", "spilled", "name", "reason", NULL}},
	{"queries", {"spark-driver", "spark-connect"}, "queries", "driver", {NULL},
		{"driver", "application", "name", "state", "batch", "input_rate", "processing_rate", "batch_ms", "gap_ms", "state_rows", "reason", NULL}},
	{"flows", {"spark-connect"}, "flows", "driver", {NULL},
		{"driver", "pipeline", "flow", "kind", "state", "since", "attempts", "batch", "rows", "spec", "why", NULL}},
	{"connect", {"spark-connect"}, NULL, "service",
		{"sessions", "requests", "application", "master", "ui", "executors", "jobs_active", "jobs_failed", NULL},
		{"service", "verdict", "version", "port", "started", "stale", "sessions", "requests", "master", NULL}},
};
enum { TABLES = sizeof tables / sizeof *tables };

struct cell { /* of one row, whatever it is a row of */
	const char *name;
	struct value value;
	enum unit unit;
};
enum { CELLS_MAX = 40 };
struct row {
	struct cell cells[CELLS_MAX];
	size_t n;
	char why[VALUE_TEXT_SIZE]; /* room for that cell */
};
struct sink { /* takes the rows of a table */
	void (*take)(struct sink *sink, const struct spark_table *table, const struct row *row);
	struct json_writer *w;
	struct buf *out;
	size_t n;
};

static void put(struct row *row, const char *name, struct value v, enum unit unit)
{
	for (size_t i = 0; i < row->n; i++)
		if (!strcmp(row->cells[i].name, name)) {
			if (row->cells[i].value.type == VALUE_UNKNOWN)
				row->cells[i].value = v;
			return;
		}
	if (row->n < CELLS_MAX)
		row->cells[row->n++] = (struct cell){name, v, unit};
}

static struct value value_of(const struct row *row, const char *name)
{
	for (size_t i = 0; i < row->n; i++)
		if (!strcmp(row->cells[i].name, name))
			return row->cells[i].value;
	return value_unknown();
}

static const char *text_at(const struct table *t, size_t at, const char *column)
{
	struct value v = table_get(t, at, column);

	return v.type == VALUE_TEXT ? v.u.s : "";
}

static bool is_of(const struct service *s, const char *const *kinds)
{
	for (; s->kind && *kinds; kinds++)
		if (!strcmp(s->kind->name, *kinds))
			return true;
	return false;
}

static struct value words_or_unknown(const char *s)
{
	return s && s[0] ? value_text(s) : value_unknown();
}

static struct value is_stale(const struct judged *j)
{
	enum link_state fresh = j->links[LINK_FRESH].state;

	return fresh == LINK_OK ? value_bool(false) : fresh == LINK_BAD ? value_bool(true) : value_unknown();
}

static void service_row(const struct spark_table *table, const struct service *s, struct row *row)
{
	const struct judged *j = &s->verdict.shown;

	put(row, table->owner, value_text(s->name), UNIT_NONE);
	put(row, "verdict", value_text(verdict_key(verdict_now(s))), UNIT_NONE);
	put(row, "version", words_or_unknown(j->version), UNIT_NONE);
	put(row, "revision", value_text(s->pulse ? s->pulse->who.revision : NULL), UNIT_NONE);
	put(row, "port", s->at.port ? value_int(s->at.port) : value_unknown(), UNIT_NONE);
	put(row, "started", j->owner.started ? value_int(j->owner.started) : snapshot_get(s->depth, "started"), UNIT_TIME);
	put(row, "stale", is_stale(j), UNIT_NONE);
	for (size_t i = 0; table->figures[i]; i++)
		for (const struct figure_spec *spec = s->kind->figures; spec->name; spec++)
			if (!strcmp(spec->name, table->figures[i]))
				put(row, spec->name, snapshot_get(s->depth, spec->name), spec->unit);
	put(row, "reason", words_or_unknown(j->reason), UNIT_NONE);
}

/* ---- applications, joined ---- */

/* The first row, of services of that kind, whose column says that id. */
static const struct table *find_row(const struct lake *lake, const char *kind, const char *id, size_t *at)
{
	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *s = lake->services[i];
		const struct table *t = s->kind && !strcmp(s->kind->name, kind) ? snapshot_find_table(s->depth, "applications") : NULL;

		for (*at = 0; t && *at < t->n_rows; ++*at)
			if (!strcmp(text_at(t, *at, "id"), id))
				return t;
	}
	return NULL;
}

static const struct service *driver_of(const struct lake *lake, const char *id)
{
	static const char *const kinds[] = {"spark-driver", "spark-connect", NULL};

	for (size_t i = 0; i < lake->n_services; i++) {
		struct value v = snapshot_get(lake->services[i]->depth, "application");

		if (is_of(lake->services[i], kinds) && v.type == VALUE_TEXT && !strcmp(v.u.s, id))
			return lake->services[i];
	}
	return NULL;
}

static void join(const struct lake *lake, const char *id, struct row *row)
{
	const struct service *driver = driver_of(lake, id);
	size_t at;
	const struct table *history = find_row(lake, "spark-history", id, &at);

	put(row, "jobs_failed", driver ? snapshot_get(driver->depth, "jobs_failed") : table_get(history, at, "jobs_failed"), UNIT_COUNT);
	put(row, "version", driver ? words_or_unknown(driver->verdict.shown.version) : table_get(history, at, "version"), UNIT_NONE);
	put(row, "revision", value_text(driver && driver->pulse ? driver->pulse->who.revision : NULL), UNIT_NONE);
	put(row, "driver", value_text(driver ? driver->name : NULL), UNIT_NONE);
	put(row, "ended", table_get(history, at, "ended"), UNIT_TIME);
	put(row, "why", words_or_unknown(application_why(driver, value_of(row, "jobs_failed"), row->why)), UNIT_NONE);
}

/* One whose work does not go on answers, and is sick. */
static bool runs(const struct service *s)
{
	return verdict_now(s) == VERDICT_SERVING || verdict_now(s) == VERDICT_SICK;
}

/* Applications of no master: local drivers, and what only a history server remembers. */
static void other_applications(const struct lake *lake, const struct spark_table *table, struct sink *sink)
{
	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *s = lake->services[i];
		const struct table *t = s->kind && !strcmp(s->kind->name, "spark-history") ? snapshot_find_table(s->depth, "applications") : NULL;
		struct value own = snapshot_get(s->depth, "application");
		struct row row = {0};
		size_t at;

		for (size_t k = 0; t && k < t->n_rows; k++) {
			const char *id = text_at(t, k, "id");

			if (find_row(lake, "spark-master", id, &at) || driver_of(lake, id) || find_row(lake, "spark-history", id, &at) != t)
				continue;
			row = (struct row){0};
			put(&row, table->owner, value_text(s->name), UNIT_NONE);
			for (size_t c = 0; c < t->n_columns; c++)
				put(&row, t->spec->columns[c].name, t->cells[k * t->n_columns + c], t->spec->columns[c].unit);
			put(&row, "why", words_or_unknown(application_why(NULL, value_of(&row, "jobs_failed"), row.why)), UNIT_NONE);
			sink->take(sink, table, &row);
		}
		if (own.type != VALUE_TEXT || driver_of(lake, own.u.s) != s || find_row(lake, "spark-master", own.u.s, &at))
			continue;
		row = (struct row){0};
		put(&row, table->owner, value_text(s->name), UNIT_NONE);
		put(&row, "id", own, UNIT_NONE);
		put(&row, "name", snapshot_get(s->depth, "name"), UNIT_NONE);
		put(&row, "state", value_text(runs(s) ? "RUNNING" : "UNKNOWN"), UNIT_NONE);
		put(&row, "cores", snapshot_get(s->depth, "cores"), UNIT_CORES);
		put(&row, "started", snapshot_get(s->depth, "started"), UNIT_TIME);
		put(&row, "user", snapshot_get(s->depth, "user"), UNIT_NONE);
		join(lake, own.u.s, &row);
		sink->take(sink, table, &row);
	}
}

/* ---- all rows of a table ---- */

static void each_row(const struct lake *lake, const struct spark_table *table, struct sink *sink)
{
	bool applications = !strcmp(table->name, "applications");

	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *s = lake->services[i];
		const struct table *t = table->table && is_of(s, table->kinds) ? snapshot_find_table(s->depth, table->table) : NULL;
		struct row row = {0};

		if (!is_of(s, table->kinds))
			continue;
		if (!table->table) {
			service_row(table, s, &row);
			sink->take(sink, table, &row);
		}
		for (size_t k = 0; t && k < t->n_rows; k++) {
			row = (struct row){0};
			put(&row, table->owner, value_text(s->name), UNIT_NONE);
			for (size_t c = 0; c < t->n_columns; c++)
				put(&row, t->spec->columns[c].name, t->cells[k * t->n_columns + c], t->spec->columns[c].unit);
			if (applications)
				join(lake, text_at(t, k, "id"), &row);
			else if (!strcmp(table->owner, "driver"))
				put(&row, "application", snapshot_get(s->depth, "name"), UNIT_NONE);
			sink->take(sink, table, &row);
		}
	}
	if (applications)
		other_applications(lake, table, sink);
}

static size_t left_off(const struct lake *lake, const struct spark_table *table)
{
	static const char *const history[] = {"spark-history", NULL};
	size_t n = 0;

	for (size_t i = 0; table->table && i < lake->n_services; i++) {
		const struct service *s = lake->services[i];
		const struct table *t = is_of(s, table->kinds) || (!strcmp(table->name, "applications") && is_of(s, history)) ?
			snapshot_find_table(s->depth, table->table) : NULL;

		n += t ? t->left_off : 0;
	}
	return n;
}

static bool by_event_log(const struct service *s)
{
	return snapshot_get(s->depth, "event_log").type == VALUE_TEXT;
}

/* Why an event log is not, or not all, told of; NULL: it is. */
static const char *log_error(const struct service *s)
{
	return by_event_log(s) && s->depth->err.code != ERR_NONE ? s->depth->err.words : NULL;
}

/* ---- JSON ---- */

static void json_row(struct sink *sink, const struct spark_table *table, const struct row *row)
{
	bool at_least = false;

	(void)table;
	json_open(sink->w, NULL, '{');
	for (size_t i = 0; i < row->n; i++) {
		at_least |= row->cells[i].value.at_least;
		json_put_value(sink->w, row->cells[i].name, row->cells[i].value, row->cells[i].unit);
	}
	if (at_least) {
		json_open(sink->w, "at_least", '[');
		for (size_t i = 0; i < row->n; i++)
			if (row->cells[i].value.at_least)
				json_put_text(sink->w, NULL, row->cells[i].name);
		json_close(sink->w, ']');
	}
	json_close(sink->w, '}');
	sink->n++;
}

static void spark_json(const struct lake *lake, struct buf *out)
{
	struct json_writer w;
	struct sink sink = {.take = json_row, .w = &w};

	json_begin(&w, out, true);
	json_open(&w, NULL, '{');
	document_head(&w, lake->wall);
	json_open(&w, "tables", '{');
	for (size_t i = 0; i < TABLES; i++) {
		json_open(&w, tables[i].name, '[');
		each_row(lake, &tables[i], &sink);
		json_close(&w, ']');
	}
	json_close(&w, '}');
	json_open(&w, "left_off", '{');
	for (size_t i = 0; i < TABLES; i++)
		if (left_off(lake, &tables[i]))
			json_put_i64(&w, tables[i].name, (int64_t)left_off(lake, &tables[i]));
	json_close(&w, '}');
	json_open(&w, "errors", '{');
	for (size_t i = 0; i < lake->n_services; i++)
		if (log_error(lake->services[i]))
			json_put_text(&w, lake->services[i]->name, log_error(lake->services[i]));
	json_close(&w, '}');
	json_close(&w, '}');
	buf_puts(out, "\n");
}

/* ---- text: a line a row, "name value" for what is no name itself ---- */

static const struct cell *cell_named(const struct row *row, const char *name)
{
	for (size_t i = 0; i < row->n; i++)
		if (!strcmp(row->cells[i].name, name))
			return &row->cells[i];
	return NULL;
}

static bool speaks_for_itself(const struct spark_table *table, const char *name)
{
	static const char *const names[] = {"id", "name", "application", "state", "verdict", "version", "why", "reason", NULL};

	for (size_t i = 0; names[i]; i++)
		if (!strcmp(names[i], name))
			return true;
	return !strcmp(table->owner, name);
}

static void text_row(struct sink *sink, const struct spark_table *table, const struct row *row)
{
	char shown[VALUE_TEXT_SIZE];
	const char *gap = "  ";

	if (!sink->n++)
		buf_printf(sink->out, "%s\n", table->name);
	for (size_t i = 0; table->text[i]; i++) {
		const struct cell *cell = cell_named(row, table->text[i]);

		if (!cell || cell->value.type == VALUE_UNKNOWN)
			continue;
		buf_puts(sink->out, gap);
		if (!strcmp(cell->name, "id") && cell->value.type == VALUE_INT)
			buf_puts(sink->out, "stage ");
		else if (!speaks_for_itself(table, cell->name))
			buf_printf(sink->out, "%s ", cell->name);
		if (cell->value.type == VALUE_TEXT)
			buf_puts(sink->out, cell->value.u.s);
		else if (cell->value.type == VALUE_INT && cell->unit == UNIT_NONE)
			buf_printf(sink->out, "%lld", (long long)cell->value.u.i); /* a number that is a name */
		else
			buf_puts(sink->out, value_show(shown, cell->value, cell->unit));
		gap = ", ";
	}
	buf_puts(sink->out, "\n");
}

/* What its files told without it is no answer. */
static bool answers(const struct service *s)
{
	return s->depth && s->kind && text_starts(text_of(s->kind->name), "spark-") && !by_event_log(s);
}

enum exit_code report_spark(const struct lake *lake, const struct report_options *options, struct buf *out)
{
	size_t answering = 0;

	for (size_t i = 0; i < lake->n_services; i++)
		answering += answers(lake->services[i]);
	if (options->json) {
		spark_json(lake, out);
		return answering ? EXIT_READY : EXIT_UNKNOWN;
	}
	if (!answering)
		buf_puts(out, "no Spark answers\n");
	for (size_t i = 0; i < TABLES; i++) {
		struct sink sink = {.take = text_row, .out = out};

		each_row(lake, &tables[i], &sink);
		if (left_off(lake, &tables[i]))
			buf_printf(out, "  and %zu more\n", left_off(lake, &tables[i]));
	}
	for (size_t i = 0; i < lake->n_services; i++)
		if (log_error(lake->services[i]))
			buf_printf(out, "event log of %s: %s\n", lake->services[i]->name, log_error(lake->services[i]));
	return answering ? EXIT_READY : EXIT_UNKNOWN;
}
