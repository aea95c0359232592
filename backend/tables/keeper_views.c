// SPDX-License-Identifier: MIT
/*
 * What is asked of one Iceberg table: its facts, snapshots, refs, partitions, files, schema, properties,
 * log, growth; previews are asked of their own files. All from its metadata, and from manifests where
 * only they know. One thread.
 */
#include "keeper_views.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

enum { PLACES_MOST = 16 << 20 };

/* ---- facts ---- */

static void fact(struct look *l, const char *what, struct value v, enum unit unit)
{
	table_fact(l->s, l->t, what, v, unit);
}

/* As its row has it: counted when the table was read. */
struct value view_cell(const struct look *l, const char *column)
{
	const struct column_spec *columns = catalog_tables[0].columns;

	for (size_t i = 0; l->r->cells && columns[i].name; i++)
		if (!strcmp(columns[i].name, column))
			return l->r->cells[i];
	return value_unknown();
}

static const struct iceberg_spec *current_spec(const struct iceberg_metadata *m)
{
	for (size_t i = 0; i < m->n_specs; i++)
		if (m->specs[i].id == m->spec)
			return &m->specs[i];
	return NULL;
}

static void fact_refs(struct look *l)
{
	size_t branches = 0;

	for (size_t i = 0; i < l->m->n_refs; i++)
		branches += l->m->refs[i].branch;
	if (l->m->n_refs > 1)
		fact(l, "refs", value_text(arena_printf(l->s->arena, "%zu branches, %zu tags", branches, l->m->n_refs - branches)), UNIT_NONE);
}

/* A file of deletes is one of three kinds; a record that an equality takes out nobody counts but a reader. */
static void fact_deletes(struct look *l)
{
	static const struct { const char *what, *column; enum unit unit; } kinds[] = {
		{"equality delete files", "equality_files", UNIT_COUNT}, {"equality deletes", "equality_deletes", UNIT_RECORDS},
		{"deletion vectors", "vectors", UNIT_COUNT}, {"size of delete files", "delete_bytes", UNIT_BYTES},
	};
	struct value all = view_cell(l, "deletes"), equality = view_cell(l, "equality_files"), vectors = view_cell(l, "vectors");
	struct value records = view_cell(l, "records"), gone = view_cell(l, "position_deletes");
	bool known = equality.type == VALUE_INT && vectors.type == VALUE_INT && all.type == VALUE_INT;

	fact(l, "delete files", all, UNIT_COUNT);
	if (known && all.u.i > equality.u.i + vectors.u.i)
		fact(l, "position delete files", value_int(all.u.i - equality.u.i - vectors.u.i), UNIT_COUNT);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (value_number(view_cell(l, kinds[i].column)) > 0)
			fact(l, kinds[i].what, view_cell(l, kinds[i].column), kinds[i].unit);
	fact(l, "records before deletes", records, UNIT_RECORDS);
	if (value_number(gone) > 0)
		fact(l, "deleted by position", gone, UNIT_RECORDS);
	if (known && !equality.u.i && records.type == VALUE_INT && gone.type == VALUE_INT && records.u.i >= gone.u.i)
		fact(l, "records", value_int(records.u.i - gone.u.i), UNIT_RECORDS);
}

static struct value rate_in_words(struct look *l)
{
	char number[VALUE_TEXT_SIZE];
	struct value rate = view_cell(l, "rate");

	return rate.type == VALUE_UNKNOWN ? rate :
		value_text(arena_printf(l->s->arena, "%s, by the snapshots that are kept", value_show(number, rate, UNIT_COUNT)));
}

static bool put_facts(struct look *l)
{
	static const struct { const char *what, *column; enum unit unit; } counts[] = {
		{"data files", "files", UNIT_COUNT}, {"small files", "small", UNIT_COUNT}, {"size of data files", "bytes", UNIT_BYTES},
		{"partitions", "partitions", UNIT_COUNT}, {"files of the worst", "worst", UNIT_COUNT}, {"manifests", "manifests", UNIT_COUNT},
		{"counted by", "measured", UNIT_NONE},
	};
	const struct iceberg_metadata *m = l->m;
	const struct iceberg_snapshot *now = iceberg_current(m);
	const struct iceberg_spec *spec = current_spec(m);

	fact(l, "format", value_text(arena_printf(l->s->arena, "Iceberg v%d", m->format)), UNIT_NONE);
	fact(l, "health", view_cell(l, "words"), UNIT_NONE);
	fact(l, "due", view_cell(l, "due"), UNIT_NONE);
	fact(l, "last commit", now ? value_int(now->when) : value_unknown(), UNIT_TIME);
	fact(l, "operation", said(now ? now->operation : NULL), UNIT_NONE);
	fact(l, "by", said(now ? now->engine : NULL), UNIT_NONE);
	fact(l, "commits a day", rate_in_words(l), UNIT_NONE);
	fact(l, "snapshots", value_int((int64_t)m->n_snapshots_all), UNIT_COUNT);
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		fact(l, counts[i].what, view_cell(l, counts[i].column), counts[i].unit);
	fact_deletes(l);
	fact(l, "target file size", value_int(iceberg_target(m)), UNIT_BYTES);
	fact(l, "partitioned by", value_text(spec && spec->words[0] ? spec->words : "nothing"), UNIT_NONE);
	fact(l, "sorted by", value_text(m->sort && m->sort[0] ? m->sort : "nothing"), UNIT_NONE);
	fact_refs(l);
	fact(l, "current snapshot", now ? value_int(now->id) : value_text("none"), UNIT_NONE);
	fact(l, "metadata size", known(m->bytes), UNIT_BYTES);
	fact(l, "older metadata files", value_int((int64_t)m->n_log), UNIT_COUNT);
	fact(l, "metadata", view_cell(l, "metadata"), UNIT_NONE);
	fact(l, "location", said(m->location), UNIT_NONE);
	fact(l, "uuid", said(m->uuid), UNIT_NONE);
	if (m->encrypted)
		fact(l, "encrypted", value_text("counts are those of its summary: its manifests cannot be read"), UNIT_NONE);
	if (m->nessie)
		fact(l, "history", value_text("is kept by Nessie: one snapshot is all there is here"), UNIT_NONE);
	if (m->cut)
		fact(l, "left off", value_text("it is larger than laketop keeps: what is oldest is left off"), UNIT_NONE);
	return true;
}

static bool put_properties(struct look *l)
{
	for (size_t i = 0; i < l->m->n_properties; i++) {
		struct value *row = table_row(l->s, l->t);
		int64_t n;

		set(l, row, "what", value_text(l->m->properties[i].key));
		set(l, row, "value", value_text(l->m->properties[i].value));
		set(l, row, "number", text_i64(text_of(l->m->properties[i].value), &n) ? value_int(n) : value_unknown());
	}
	return true;
}

/* ---- schema and its history ---- */

/* The newest before it; NULL: none. */
static const struct iceberg_schema *schema_before(const struct iceberg_metadata *m, int id)
{
	const struct iceberg_schema *best = NULL;

	for (size_t i = 0; i < m->n_schemas; i++)
		if (m->schemas[i].id < id && (!best || m->schemas[i].id > best->id))
			best = &m->schemas[i];
	return best;
}

static const struct iceberg_field *field_of(const struct iceberg_schema *s, int id)
{
	for (size_t i = 0; s && i < s->n_fields; i++)
		if (s->fields[i].id == id)
			return &s->fields[i];
	return NULL;
}

static const char *change_of(struct look *l, const struct iceberg_schema *before, const struct iceberg_field *f)
{
	const struct iceberg_field *was = field_of(before, f->id);
	struct arena *arena = l->s->arena;

	if (!before)
		return "";
	if (!was)
		return "added";
	if (strcmp(was->name, f->name) != 0)
		return arena_printf(arena, "renamed from %s", was->name);
	if (strcmp(was->type, f->type) != 0)
		return arena_printf(arena, "widened from %s", was->type);
	if (was->required != f->required)
		return f->required ? "now required" : "now optional";
	return was->depth != f->depth ? "moved" : "";
}

static void put_field(struct look *l, const struct iceberg_schema *schema, const struct iceberg_field *f, const char *change)
{
	struct value *row = table_row(l->s, l->t);

	set(l, row, "schema", value_int(schema->id));
	set(l, row, "id", value_int(f->id));
	set(l, row, "column", value_text(f->name));
	set(l, row, "depth", value_int(f->depth));
	set(l, row, "type", value_text(f->type));
	set(l, row, "required", value_bool(f->required));
	set(l, row, "change", said(change));
	set(l, row, "doc", said(f->doc));
}

static void put_schema(struct look *l, const struct iceberg_schema *schema)
{
	const struct iceberg_schema *before = schema_before(l->m, schema->id);

	for (size_t i = 0; i < schema->n_fields; i++)
		put_field(l, schema, &schema->fields[i], change_of(l, before, &schema->fields[i]));
	for (size_t i = 0; before && i < before->n_fields; i++)
		if (!field_of(schema, before->fields[i].id))
			put_field(l, schema, &before->fields[i], "dropped");
}

static bool put_schemas(struct look *l)
{
	for (size_t i = 0; i < l->m->n_schemas; i++)
		if (l->m->schemas[i].id == l->m->schema)
			put_schema(l, &l->m->schemas[i]);
	for (int id = INT32_MAX;;) { /* the others, newest first */
		const struct iceberg_schema *next = schema_before(l->m, id);

		if (!next)
			return true;
		id = next->id;
		if (id != l->m->schema)
			put_schema(l, next);
	}
}

/* ---- previews ---- */

/* Those of this catalog as it has just been listed, beside what all catalogs told. */
static void add_listed(const struct look *l, struct places_known *known)
{
	size_t uuid = 0, location = 0;

	for (const struct column_spec *c = catalog_tables[0].columns; c->name; c++) {
		uuid = strcmp(c->name, "uuid") ? uuid : (size_t)(c - catalog_tables[0].columns);
		location = strcmp(c->name, "location") ? location : (size_t)(c - catalog_tables[0].columns);
	}
	known->at = mem_grow(known->at, known->n + l->k->n_records + 1, sizeof *known->at);
	for (size_t i = 0; i < l->k->n_records; i++) {
		const struct record *r = &l->k->records[i];
		const char *at = NULL;

		if (r == l->r || (r->cells && r->cells[uuid].type == VALUE_TEXT && l->m->uuid[0] && !strcmp(r->cells[uuid].u.s, l->m->uuid)))
			continue;
		if (r->cells && r->cells[location].type == VALUE_TEXT)
			at = r->cells[location].u.s;
		else if (r->at)
			at = r->format == FORMAT_ICEBERG ? places_folder(known->arena, r->at) : r->at;
		if (at && at[0])
			known->at[known->n++] = (struct plan_place){r->name, at};
		else if (r->format != FORMAT_VIEW && !r->error && !places_tells(known, r->name) && !known->untold[0])
			snprintf(known->untold, sizeof known->untold, "where %.120s lies is not read yet", r->name);
	}
}

static bool put_plan(struct look *l, const struct plan_choice *choice,
	bool (*plan)(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct plan_about *a, struct snapshot *s))
{
	const struct catalog *c = l->k->catalog;
	struct arena *arena = arena_new(PLACES_MOST);
	struct places_known known = {0};
	struct value metadata = view_cell(l, "metadata");
	char engine[NAME_SIZE];
	struct plan_about about = {
		.table = catalog_for_engine(c, l->k->said.named, l->r->name, engine), .engine = engine, .metadata = metadata.type == VALUE_TEXT ? metadata.u.s : "",
		.now = clock_wall_ms(), .budget = budget_of_a_view(),
		.older_than = choice->older_than, .retain_last = choice->retain_last, .target = choice->target, .min_files = choice->min_files,
	};
	bool good;

	if (plan == plan_orphans) {
		places_know(l->k->places, c, l->r->name, l->m->uuid, arena, &known);
		add_listed(l, &known);
		about.others = known.at;
		about.n_others = known.n;
		about.untold = known.untold;
		about.caution = known.caution;
	}
	good = plan(l->p, l->at, l->m, &about, l->s);
	places_known_free(&known);
	arena_free(arena);
	return good;
}

/* ---- */

bool keeper_view(struct keeper *k, struct probe *p, const struct storage *at, struct record *r, const char *view, const struct plan_choice *choice,
	struct snapshot *s)
{
	static const struct {
		const char *view;
		bool (*put)(struct look *l);
		bool (*plan)(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct plan_about *a, struct snapshot *s);
	} views[] = {
		{"table", put_facts, NULL}, {"snapshots", view_snapshots, NULL}, {"refs", view_refs, NULL}, {"partitions", view_partitions, NULL},
		{"files", view_files, NULL}, {"files-smallest", view_files, NULL}, {"files-oldest", view_files, NULL}, {"schema", put_schemas, NULL},
		{"properties", put_properties, NULL}, {"log", view_log, NULL}, {"growth", view_growth, NULL},
		{"compact", NULL, plan_compact}, {"expire", NULL, plan_expire}, {"manifests", NULL, plan_manifests}, {"deletes", NULL, plan_deletes},
		{"orphans", NULL, plan_orphans},
	};
	struct look l = {.k = k, .p = p, .at = at, .r = r, .view = view, .s = s};

	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		if (strcmp(views[i].view, view) != 0)
			continue;
		l.m = keeper_metadata(k, p, at, r, &s->err);
		if (!l.m)
			return false;
		if (views[i].plan)
			return put_plan(&l, choice, views[i].plan);
		l.t = snapshot_table(s, table_views, view);
		return views[i].put(&l);
	}
	return err_set(&s->err, ERR_USAGE, "\"%s\" is nothing that an Iceberg table has", view);
}
