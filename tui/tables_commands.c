// SPDX-License-Identifier: MIT
/*
 * laketop tables, table, plan: waits until the catalogs are read, finds the table that is meant, asks
 * for its views one by one, prints. A name that is not there, or in two catalogs, says so. Main thread.
 */
#include <stdio.h>
#include <string.h>

#include "run.h"
#include "tables.h"
#include "tables_commands.h"

enum { PLAN_MS = 120000, NEAR_MAX = 256, SAME_MAX = 8 };

bool tables_told(const struct lake *lake, const void *engine)
{
	return lake->replayed ? engine_replay_done(engine) : report_tables_told(lake);
}

/* ---- which table is meant ---- */

static const char *name_of(const struct lake_table *t)
{
	struct value v = lake_table_get(t, "name");

	return v.type == VALUE_TEXT ? v.u.s : "";
}

static const char *last_part(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

/* Names like it: of the same last part, else nearest by letters. */
static void say_unknown(const struct lake *lake, const char *name)
{
	const char *names[NEAR_MAX], *near = NULL;
	size_t n = 0;

	for (size_t i = 0; i < lake->n_tables && !near; i++)
		if (!strcmp(last_part(name_of(&lake->tables[i])), last_part(name)))
			near = name_of(&lake->tables[i]);
	for (size_t i = 0; i < lake->n_tables && n < NEAR_MAX; i++)
		names[n++] = name_of(&lake->tables[i]);
	if (!near)
		near = options_nearest(name, names, n);
	fprintf(stderr, "laketop: no catalog lists a table \"%s\"%s%s%s\n", name, near ? ": did you mean \"" : ": \"laketop tables\" names them",
		near ? near : "", near ? "\"?" : "");
	for (size_t i = 0; i < lake->n_catalogs; i++)
		if (lake->catalogs[i].failed || !lake->catalogs[i].snapshot)
			fprintf(stderr, "laketop: and %s cannot be asked: %s\n", lake->catalogs[i].catalog->name,
				lake->catalogs[i].failed ? lake->catalogs[i].failed->err.words : "no answer in time");
}

/* Not what was meant is told apart from what could not be known. */
static int code_of_unknown(const struct lake *lake)
{
	for (size_t i = 0; i < lake->n_catalogs; i++)
		if (lake->catalogs[i].failed || !lake->catalogs[i].snapshot)
			return EXIT_UNKNOWN;
	return EXIT_USAGE;
}

static bool is_ambiguous(const struct lake *lake, const char *name)
{
	const struct lake_table *same[SAME_MAX];
	size_t n = 0;

	for (size_t i = 0; i < lake->n_tables && n < SAME_MAX; i++)
		if (!strcmp(name_of(&lake->tables[i]), name))
			same[n++] = &lake->tables[i];
	if (n < 2)
		return false;
	fprintf(stderr, "laketop: \"%s\" is another table in each catalog: say which:", name);
	for (size_t i = 0; i < n; i++)
		fprintf(stderr, " %s.%s", same[i]->in[0].view->catalog->name, name);
	fputs("\n", stderr);
	return true;
}

/* NULL: said why, and *code is the command's. */
static const struct lake_table *find(const struct lake *lake, const char *name, int *code)
{
	const struct lake_table *t;

	*code = EXIT_USAGE;
	if (is_ambiguous(lake, name))
		return NULL;
	t = lake_table_named(lake, name);
	if (t)
		return t;
	say_unknown(lake, name);
	*code = code_of_unknown(lake);
	return NULL;
}

bool place_table(const struct lake *lake, const char *name, char *out, size_t room, int *code)
{
	const struct lake_table *t = lake_table_named(lake, name);
	size_t k = 0;

	*code = code_of_unknown(lake);
	if (!t && *code == EXIT_UNKNOWN)
		return false;
	t = find(lake, name, code);
	if (!t)
		return false;
	while (k < t->n_in && !t->in[k].view->catalog->engine)
		k++;
	k = k < t->n_in ? k : 0;
	snprintf(out, room, "%s.%s", t->in[k].view->catalog->name,
		table_get(snapshot_find_table(t->in[k].view->snapshot, "tables"), t->in[k].row, "name").u.s);
	return true;
}

/* ---- asking ---- */

struct table_question {
	const char *catalog, *view, *table;
};

static const struct snapshot *answer_to(const struct lake *lake, const struct table_question *q)
{
	for (size_t i = 0; i < lake->n_catalogs; i++)
		if (!strcmp(lake->catalogs[i].catalog->name, q->catalog))
			return catalog_answer_to(&lake->catalogs[i], q->view, q->table);
	return NULL;
}

static bool is_answered(const struct lake *lake, const void *ctx)
{
	return answer_to(lake, ctx) != NULL;
}

/* A reference of one's own; NULL: no answer in time. The table itself may be another one by then: the lake goes on. */
static const struct snapshot *ask(const struct setup *setup, struct engine *engine, const struct table_question *q, int64_t usual)
{
	int64_t within = setup->options->within;

	if (!engine_lake(engine)->replayed) {
		engine_ask_table(engine, q->catalog, q->view, q->table);
		run_until(engine, clock_ms() + (within >= 0 ? within : usual), is_answered, q);
	}
	return snapshot_keep(answer_to(engine_lake(engine), q));
}

/* ---- the commands ---- */

int print_tables(const struct setup *setup, struct engine *engine, struct buf *out)
{
	const struct report_options report = {.json = setup->options->json};

	return (int)report_tables(engine_lake(engine), &report, out);
}

static bool is_view_of(const struct lake_table *t, const char *view)
{
	struct value format = lake_table_get(t, "format");

	if (format.type != VALUE_TEXT || (!text_starts(text_of(format.u.s), "iceberg") && !text_starts(text_of(format.u.s), "delta")))
		return false;
	return strcmp(view, "refs") != 0 || text_starts(text_of(format.u.s), "iceberg");
}

int print_table(const struct setup *setup, struct engine *engine, struct buf *out)
{
	enum { VIEWS_MAX = 16 };
	const struct options *o = setup->options;
	const struct report_options report = {.json = o->json};
	const struct snapshot *answers[VIEWS_MAX] = {0};
	const struct lake_table *t;
	int code;

	t = find(engine_lake(engine), o->names[0], &code);
	if (!t)
		return code;
	for (size_t i = 0; i < VIEWS_MAX && report_table_views[i]; i++) {
		struct table_question q;

		t = find(engine_lake(engine), o->names[0], &code); /* the lake was joined anew */
		if (!t)
			break;
		q = (struct table_question){t->in[0].view->catalog->name, report_table_views[i], name_of(t)};
		if (is_view_of(t, q.view) && (o->files || strcmp(q.view, "files") != 0))
			answers[i] = ask(setup, engine, &q, WITHIN_MS);
	}
	t = find(engine_lake(engine), o->names[0], &code);
	if (t)
		code = (int)report_table(engine_lake(engine), t, answers, &report, out);
	for (size_t i = 0; i < VIEWS_MAX; i++)
		snapshot_drop(answers[i]);
	return code;
}

const struct report_action *plan_action(const struct options *o)
{
	const char *names[NAMES_MAX] = {NULL}, *near;
	size_t n = 0;

	for (const struct report_action *a = report_actions; a->name; a++) {
		if (o->names[0] && !strcmp(a->name, o->names[0]))
			return a;
		names[n++] = a->name;
	}
	near = options_nearest(o->names[0], names, n);
	fprintf(stderr, "laketop: there is no plan \"%s\"%s%s%s; there are:", o->names[0], near ? ": did you mean \"" : "", near ? near : "",
		near ? "\"?" : "");
	for (size_t i = 0; i < n; i++)
		fprintf(stderr, " %s", names[i]);
	fputs("\n", stderr);
	return NULL;
}

static int say_misfit(const struct lake_table *t, const struct report_action *action)
{
	struct value format = lake_table_get(t, "format");

	size_t n = 0;

	fprintf(stderr, "laketop: %s is for %s tables; %s is %s", action->name, action->format, name_of(t),
		format.type != VALUE_TEXT ? "of a format that is not known" : !strcmp(format.u.s, "view") ? "a view" : format.u.s);
	for (const struct report_action *a = report_actions; a->name; a++)
		if (report_action_fits(a, t))
			fprintf(stderr, "%s %s", n++ ? "" : ":", a->name);
	fputs(n ? "\n" : ", of which nothing is kept up\n", stderr);
	return format.type == VALUE_TEXT ? EXIT_USAGE : EXIT_UNKNOWN;
}

/* CATALOG TABLE, as "laketop do" has it, is CATALOG.TABLE. Returns which word is the first of the choices. */
static size_t planned_table(const struct options *o, char *name, size_t room)
{
	bool two = o->names[2] && !strchr(o->names[2], '=');

	snprintf(name, room, "%s%s%s", o->names[1], two ? "." : "", two ? o->names[2] : "");
	return two ? 3 : 2;
}

/* "expire older_than=7d": the preview with what was chosen. */
static bool say_view(const struct options *o, const char *action, size_t first, char view[PLAN_VIEW_SIZE])
{
	size_t len = (size_t)snprintf(view, PLAN_VIEW_SIZE, "%s", action);
	char name[PLAN_VIEW_SIZE];
	struct plan_choice choice;
	struct err err = {0};

	for (size_t i = first; o->names[i] && len < PLAN_VIEW_SIZE; i++)
		len += (size_t)snprintf(view + len, PLAN_VIEW_SIZE - len, " %s", o->names[i]);
	if (len < PLAN_VIEW_SIZE && plan_choice_read(view, clock_wall_ms(), name, &choice, &err))
		return true;
	fprintf(stderr, "laketop: %s\n", len < PLAN_VIEW_SIZE ? err.words : "its options are too long");
	return false;
}

int print_plan(const struct setup *setup, struct engine *engine, struct buf *out)
{
	const struct options *o = setup->options;
	const struct report_options report = {.json = o->json};
	const struct report_action *action = plan_action(o);
	const struct lake_table *t;
	const struct snapshot *answer;
	char name[NAME_SIZE + 512], table[512], catalog[NAME_SIZE], view[PLAN_VIEW_SIZE];
	struct table_question q = {catalog, view, table};
	int code;

	if (!say_view(o, action->name, planned_table(o, name, sizeof name), view))
		return EXIT_USAGE;
	t = find(engine_lake(engine), name, &code);
	if (!t)
		return code;
	if (!report_action_fits(action, t))
		return say_misfit(t, action);
	text_copy(table, sizeof table, text_of(name_of(t)));
	text_copy(catalog, sizeof catalog, text_of(t->in[0].view->catalog->name));
	answer = ask(setup, engine, &q, PLAN_MS);
	t = find(engine_lake(engine), name, &code);
	if (t)
		code = (int)report_plan(engine_lake(engine), t, action->name, answer, &report, out);
	snapshot_drop(answer);
	return code;
}
