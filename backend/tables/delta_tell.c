// SPDX-License-Identifier: MIT
/* A Delta table as rows: its own row among tables, and the views that are asked for. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delta_own.h"

enum {
	FILES_SHOWN = 1000, DEPTH_MOST = 24, METRICS_SHOWN = 8, WORDS_MOST = 3000,
	COLUMN_PATH = 408, COLUMN_TYPE = 200, COLUMNS_MOST = 5000,
};

struct value delta_count(int64_t n)
{
	return n >= 0 ? value_int(n) : value_unknown();
}

static struct value words(const char *s)
{
	return s && s[0] ? value_text(s) : value_unknown();
}

/* "Apache-Spark/4.0.5 Delta-Lake/4.4.0" as other tables say it: "spark 4.0.5". */
static const char *engine_of(const char *said, struct arena *arena)
{
	struct text t = text_of(said);

	if (text_skip(&t, "Apache-Spark/")) {
		t = text_until(t, ' ');
		return arena_printf(arena, "spark %.*s", (int)t.len, t.at);
	}
	return said;
}

/* ---- its row ---- */

static const char *measured(const struct delta_table *t)
{
	switch (t->measured) {
	case MEASURE_EXACT:
		return "exact";
	case MEASURE_SUMMARY:
		return t->about ? "about" : "summary";
	case MEASURE_LIST:
	case MEASURE_NONE:
		break;
	}
	return NULL;
}

static const char *commit_url(const struct delta_table *t, int64_t version, struct arena *arena)
{
	return arena_printf(arena, "%s/_delta_log/%020" PRId64 ".json", t->url, version);
}

void delta_row(const struct delta_table *t, const struct table_health *health, struct snapshot *s, struct table *table, struct value *row)
{
	const struct delta_commit *last = t->n_commits_read ? &t->commits[0] : NULL;
	bool exact = t->measured == MEASURE_EXACT;
	char due[64];

	table_due_words(health->due, due);
	table_set(s, table, row, "format", value_text("delta"));
	table_set(s, table, row, "uuid", words(t->id));
	table_set(s, table, row, "location", value_text(t->url));
	table_set(s, table, row, "metadata", value_text(commit_url(t, t->version, s->arena)));
	table_set(s, table, row, "snapshots", delta_count(t->n_commits));
	table_set(s, table, row, "files", delta_count(t->files));
	table_set(s, table, row, "small", exact ? delta_count(t->small) : value_unknown());
	table_set(s, table, row, "deletes", delta_count(t->vectors));
	table_set(s, table, row, "vectors", delta_count(t->vectors));
	table_set(s, table, row, "position_deletes", delta_count(t->deleted));
	table_set(s, table, row, "records", delta_count(t->records));
	table_set(s, table, row, "bytes", delta_count(t->bytes));
	table_set(s, table, row, "committed", last && last->when > 0 ? value_int(last->when) : value_unknown());
	table_set(s, table, row, "snapshot", delta_count(t->version));
	table_set(s, table, row, "operation", last ? words(last->operation) : value_unknown());
	table_set(s, table, row, "by", last ? words(engine_of(last->engine, s->arena)) : value_unknown());
	table_set(s, table, row, "rate", value_real(t->rate));
	table_set(s, table, row, "partitions", exact ? delta_count((int64_t)t->n_partitions_all) : value_unknown());
	table_set(s, table, row, "worst", exact && t->n_partitions ? delta_count(t->partitions[0].files) : value_unknown());
	table_set(s, table, row, "measured", value_text(measured(t)));
	table_set(s, table, row, "grade", value_text(table_grade_word(health->grade)));
	table_set(s, table, row, "due", words(due));
	table_set(s, table, row, "weight", value_real(health->weight));
	table_set(s, table, row, "words", words(health->words));
}

/* ---- what is known of it ---- */

static void fact(struct snapshot *s, struct table *table, const char *what, const char *value)
{
	table_fact(s, table, what, words(value), UNIT_NONE);
}

static void fact_of(struct snapshot *s, struct table *table, const char *what, int64_t n, enum unit unit)
{
	table_fact(s, table, what, delta_count(n), unit);
}

static const char *joined(struct arena *arena, const char *const *list, size_t n)
{
	struct buf b;
	const char *s;

	buf_init(&b, WORDS_MOST);
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", list[i]);
	s = arena_copy(arena, buf_text(&b));
	buf_free(&b);
	return s;
}

static void tell_log(const struct delta_table *t, struct snapshot *s, struct table *table)
{
	const struct delta_commit *last = t->n_commits_read ? &t->commits[0] : NULL;

	if (last) {
		fact_of(s, table, "last commit", last->when > 0 ? last->when : -1, UNIT_TIME);
		fact(s, table, "operation", last->operation);
		fact(s, table, "by", engine_of(last->engine, s->arena));
	}
	table_fact(s, table, "commits a day", value_real(t->rate), UNIT_COUNT);
	fact_of(s, table, "version", t->version, UNIT_NONE);
	fact_of(s, table, "oldest version", t->oldest, UNIT_NONE);
	if (t->gap >= 0)
		fact(s, table, "missing commit", arena_printf(s->arena, "%" PRId64 ": readers fail", t->gap));
	if (t->checkpoint < 0)
		fact(s, table, "checkpoint", "none");
	else {
		fact_of(s, table, "checkpoint", t->checkpoint, UNIT_NONE);
		fact(s, table, "kind of checkpoint", t->checkpoint_kind);
	}
	fact_of(s, table, "commits since", t->version - t->checkpoint, UNIT_COUNT);
	fact_of(s, table, "log files", t->log_files, UNIT_COUNT);
	fact_of(s, table, "size of the log", t->log_bytes, UNIT_BYTES);
	if (t->compacted)
		fact_of(s, table, "compacted commits", t->compacted, UNIT_COUNT);
}

static void tell_counts(const struct delta_table *t, struct snapshot *s, struct table *table)
{
	fact(s, table, "counted by", t->how);
	fact(s, table, "not known", t->lacks[0] ? t->lacks : "nothing");
	if (t->mistrust[0])
		fact(s, table, "mistrust", t->mistrust);
	fact_of(s, table, t->about ? "data files, about" : "data files", t->files, UNIT_COUNT);
	fact_of(s, table, "small files", t->small, UNIT_COUNT);
	fact_of(s, table, t->about ? "size, about" : "size of data files", t->bytes, UNIT_BYTES);
	fact_of(s, table, "deletion vectors", t->vectors, UNIT_COUNT);
	fact_of(s, table, "records before deletes", t->records, UNIT_RECORDS);
	fact_of(s, table, "deleted by position", t->deleted, UNIT_RECORDS);
	if (t->records >= 0 && t->deleted >= 0)
		fact_of(s, table, "records", t->records - t->deleted, UNIT_RECORDS);
	fact_of(s, table, "target file size", t->target, UNIT_BYTES);
	fact_of(s, table, "removed files", (int64_t)t->n_removed, UNIT_COUNT);
	fact_of(s, table, "removed are kept for", t->retention, UNIT_MS);
	fact_of(s, table, "expired removed files", t->expired, UNIT_COUNT);
	fact_of(s, table, "size of expired files", t->expired_bytes, UNIT_BYTES);
}

static void tell_table(const struct delta_table *t, struct snapshot *s, struct table *table)
{
	struct table_health health;

	delta_health(t, &health);
	fact(s, table, "health", health.words);
	fact(s, table, "location", t->url);
	fact(s, table, "id", t->id);
	fact(s, table, "name", t->name);
	fact(s, table, "description", t->description);
	tell_log(t, s, table);
	tell_counts(t, s, table);
	fact_of(s, table, "reader version", t->reader, UNIT_NONE);
	fact_of(s, table, "writer version", t->writer, UNIT_NONE);
	fact(s, table, "features", t->n_features ? joined(s->arena, t->features, t->n_features) : "none");
	fact(s, table, "unknown features", t->unsupported);
	fact(s, table, "partitioned by", t->n_partition_columns ? joined(s->arena, t->partition_columns, t->n_partition_columns) : "nothing");
	fact(s, table, "liquid clustering", t->clustered ? "yes" : "no");
	fact(s, table, "managed by its catalog", t->catalog_managed ? "yes: only it may maintain this table" : "no");
	if (t->created > 0)
		fact_of(s, table, "created", t->created, UNIT_TIME);
}

static void tell_properties(const struct delta_table *t, struct snapshot *s, struct table *table)
{
	for (size_t i = 0; i < t->n_properties; i++)
		table_fact(s, table, t->properties[i].key, value_text(t->properties[i].value), UNIT_NONE); /* one without words is a property */
}

/* ---- its commits ---- */

static const char *metrics_of(const struct delta_commit *c, struct arena *arena)
{
	struct buf b;
	const char *s;
	size_t shown = 0;

	buf_init(&b, WORDS_MOST);
	for (size_t i = 0; i < c->n_metrics && shown < METRICS_SHOWN; i++)
		if (strcmp(c->metrics[i].value, "0") != 0)
			buf_printf(&b, "%s%s %s", shown++ ? ", " : "", c->metrics[i].key, c->metrics[i].value);
	s = arena_copy(arena, buf_text(&b));
	buf_free(&b);
	return s;
}

/* A file that came again with a deletion vector is neither new nor gone. */
static int64_t only_vectored(const struct delta_commit *c)
{
	return c->vectored < c->removed ? c->vectored : c->removed;
}

static void tell_commits(const struct delta_table *t, struct snapshot *s, struct table *table)
{
	for (size_t i = 0; i < t->n_commits_read; i++) {
		const struct delta_commit *c = &t->commits[i];
		struct value *row = table_row(s, table);

		table_set(s, table, row, "snapshot", value_int(c->version));
		table_set(s, table, row, "parent", c->version > 0 ? value_int(c->version - 1) : value_unknown());
		table_set(s, table, row, "depth", value_int(0));
		table_set(s, table, row, "committed", c->when > 0 ? value_int(c->when) : value_unknown());
		table_set(s, table, row, "operation", words(c->operation));
		table_set(s, table, row, "by", words(engine_of(c->engine, s->arena)));
		table_set(s, table, row, "added_files", value_int(c->added - only_vectored(c)));
		table_set(s, table, row, "removed_files", value_int(c->removed - only_vectored(c)));
		table_set(s, table, row, "added_records", c->added_records >= 0 ? value_int(c->added_records - c->vectored_records) : value_unknown());
		table_set(s, table, row, "files", delta_count(c->files));
		table_set(s, table, row, "records", delta_count(c->records));
		table_set(s, table, row, "bytes", delta_count(c->bytes));
		table_set(s, table, row, "metrics", words(metrics_of(c, s->arena)));
	}
}

static const char *maintenance_of(const struct delta_commit *c)
{
	if (!strcmp(c->operation, "OPTIMIZE") || !strcmp(c->operation, "REORG"))
		return "compacted";
	return !strcmp(c->operation, "VACUUM END") ? "vacuumed" : NULL;
}

static void tell_growth(const struct delta_table *t, struct snapshot *s, struct table *table)
{
	for (size_t i = t->n_commits_read; i-- > 0;) {
		const struct delta_commit *c = &t->commits[i];
		struct value *row = table_row(s, table);

		table_set(s, table, row, "committed", c->when > 0 ? value_int(c->when) : value_unknown());
		table_set(s, table, row, "snapshot", value_int(c->version));
		table_set(s, table, row, "files", delta_count(c->files));
		table_set(s, table, row, "bytes", delta_count(c->bytes));
		table_set(s, table, row, "records", delta_count(c->records));
		table_set(s, table, row, "maintenance", value_text(maintenance_of(c)));
	}
}

static void tell_commit_files(const struct delta_table *t, struct snapshot *s, struct table *table)
{
	for (size_t i = 0; i < t->n_commits_read; i++) {
		struct value *row = table_row(s, table);

		table_set(s, table, row, "written", t->commits[i].when > 0 ? value_int(t->commits[i].when) : value_unknown());
		table_set(s, table, row, "file", value_text(commit_url(t, t->commits[i].version, s->arena)));
	}
}

/* ---- its files ---- */

static void tell_partitions(const struct delta_table *t, struct snapshot *s, struct table *table)
{
	for (size_t i = 0; i < t->n_partitions; i++) {
		const struct delta_partition *p = &t->partitions[i];
		struct value *row = table_row(s, table);

		table_set(s, table, row, "partition", value_text(arena_clean(s->arena, text_of(p->name))));
		table_set(s, table, row, "files", value_int(p->files));
		table_set(s, table, row, "small", value_int(p->small));
		table_set(s, table, row, "deletes", value_int(p->vectors));
		table_set(s, table, row, "records", delta_count(p->records));
		table_set(s, table, row, "bytes", value_int(p->bytes));
	}
	table->left_off += t->n_partitions_all - t->n_partitions;
}

typedef int by(const void *a, const void *b);

static int order(int64_t x, int64_t y, const struct delta_file *a, const struct delta_file *b)
{
	return x != y ? x < y ? -1 : 1 : strcmp(a->path, b->path);
}

static int by_smallest(const void *a, const void *b)
{
	const struct delta_file *x = *(const struct delta_file *const *)a, *y = *(const struct delta_file *const *)b;

	return order(x->bytes, y->bytes, x, y);
}

static int by_largest(const void *a, const void *b)
{
	const struct delta_file *x = *(const struct delta_file *const *)a, *y = *(const struct delta_file *const *)b;

	return order(-x->bytes, -y->bytes, x, y);
}

static int by_oldest(const void *a, const void *b)
{
	const struct delta_file *x = *(const struct delta_file *const *)a, *y = *(const struct delta_file *const *)b;

	return order(x->when, y->when, x, y);
}

static int64_t commit_time(const struct delta_table *t, int64_t version)
{
	int64_t back = t->n_commits_read ? t->commits[0].version - version : -1;

	return version >= 0 && back >= 0 && back < (int64_t)t->n_commits_read ? t->commits[back].when : -1;
}

static void tell_file(const struct delta_table *t, const struct delta_file *f, struct snapshot *s, struct table *table)
{
	struct value *row = table_row(s, table);
	int64_t when = commit_time(t, f->version);

	table_set(s, table, row, "file", value_text(arena_clean(s->arena, text_of(f->path))));
	table_set(s, table, row, "content", value_text(f->deleted ? "data, with a deletion vector" : "data"));
	table_set(s, table, row, "bytes", delta_count(f->bytes));
	table_set(s, table, row, "records", delta_count(f->records));
	table_set(s, table, row, "partition", words(arena_clean(s->arena, text_of(f->partition))));
	/* a file that got a deletion vector is in a newer commit, and no younger for that */
	table_set(s, table, row, "committed", f->when > 0 && f->when < when ? value_int(f->when) : when > 0 ? value_int(when) : delta_count(f->when));
	table_set(s, table, row, "snapshot", delta_count(f->version));
	table_set(s, table, row, "format", value_text("parquet"));
}

static void tell_files(const struct delta_table *t, by *compare, struct snapshot *s, struct table *table)
{
	const struct delta_file **list = mem_new(t->n_list, sizeof *list);

	for (size_t i = 0; i < t->n_list; i++)
		list[i] = &t->list[i];
	if (t->n_list)
		qsort(list, t->n_list, sizeof *list, compare);
	for (size_t i = 0; i < t->n_list && i < FILES_SHOWN; i++)
		tell_file(t, list[i], s, table);
	table->left_off += t->n_list > FILES_SHOWN ? t->n_list - FILES_SHOWN : 0;
	free(list);
}

/* ---- its schema ---- */

struct column {
	const struct json *field;
	char path[COLUMN_PATH], type[COLUMN_TYPE];
	int depth;
	int64_t id;         /* of column mapping; -1: none */
};
struct columns { struct column *list; size_t n, room; };

/* Of a struct its fields; of an array or a map those of the structs in it. */
static void take_fields(struct columns *c, const struct json *type, const char *above, int depth)
{
	if (depth > DEPTH_MOST || !json_is_object(type))
		return;
	for (const struct json *f = json_first(json_get(type, "fields")); f && c->n < COLUMNS_MOST; f = json_next(f)) {
		const char *name = json_string(json_get(f, "name"));
		struct column *one;
		char path[COLUMN_PATH];
		struct buf b;

		if (c->n == c->room) {
			c->room = c->room ? c->room * 2 : 64;
			c->list = mem_grow(c->list, c->room, sizeof *c->list);
		}
		one = &c->list[c->n++];
		*one = (struct column){.field = f, .depth = depth};
		if (!json_i64(json_get(json_get(f, "metadata"), "delta.columnMapping.id"), &one->id))
			one->id = -1;
		snprintf(one->path, sizeof one->path, "%.200s%s%.200s", above, above[0] ? "." : "", name ? name : "");
		buf_init(&b, COLUMN_TYPE - 1);
		delta_type(json_get(f, "type"), &b);
		text_copy(one->type, sizeof one->type, buf_text(&b));
		buf_free(&b);
		memcpy(path, one->path, sizeof path); /* the list may move */
		take_fields(c, json_get(f, "type"), path, depth + 1);
	}
	take_fields(c, json_get(type, "elementType"), above, depth);
	take_fields(c, json_get(type, "keyType"), above, depth);
	take_fields(c, json_get(type, "valueType"), above, depth);
}

/* By its id, where columns have one: a name may change. */
static const struct column *find_column(const struct columns *in, const struct column *c)
{
	for (size_t i = 0; i < in->n; i++)
		if (c->id >= 0 ? in->list[i].id == c->id : !strcmp(in->list[i].path, c->path))
			return &in->list[i];
	return NULL;
}

static const char *change_of(const struct columns *before, const struct column *c, struct arena *arena)
{
	const struct column *was = find_column(before, c);

	if (!was)
		return "added";
	if (strcmp(was->path, c->path) != 0)
		return arena_printf(arena, "renamed from %s", was->path);
	return strcmp(was->type, c->type) ? arena_printf(arena, "widened from %s", was->type) : NULL;
}

static void tell_column(const struct column *c, int64_t since, const char *change, struct snapshot *s, struct table *table)
{
	struct value *row = table_row(s, table);
	bool nullable = true;

	json_bool(json_get(c->field, "nullable"), &nullable);
	table_set(s, table, row, "schema", delta_count(since));
	table_set(s, table, row, "id", delta_count(c->id));
	table_set(s, table, row, "column", value_text(json_string(json_get(c->field, "name"))));
	table_set(s, table, row, "depth", value_int(c->depth));
	table_set(s, table, row, "type", value_text(c->type));
	table_set(s, table, row, "required", value_bool(!nullable));
	table_set(s, table, row, "change", value_text(change));
	table_set(s, table, row, "doc", words(json_string(json_get(json_get(c->field, "metadata"), "comment"))));
}

/* One schema against the one before it; before NULL: it is the first, or that one is not known. */
static void tell_columns(const struct columns *c, const struct columns *before, int64_t since, struct snapshot *s, struct table *table)
{
	for (size_t i = 0; i < c->n; i++)
		tell_column(&c->list[i], since, before ? change_of(before, &c->list[i], s->arena) : NULL, s, table);
	for (size_t i = 0; before && i < before->n; i++)
		if (!find_column(c, &before->list[i]))
			tell_column(&before->list[i], since, "dropped", s, table);
}

static bool tell_schema(const struct delta_table *t, struct snapshot *s, struct table *table)
{
	struct json *json = NULL, *older;
	struct columns c = {0}, before;
	struct err why = {0};

	if (!t->n_schemas)
		return err_set(&s->err, ERR_LIMIT, "%s", t->lacks);
	json = json_parse(text_of(t->schemas[0].json), &why);
	if (!json)
		return err_set(&s->err, ERR_PARSE, "its schema: %s", why.words);
	take_fields(&c, json, "", 0);
	for (size_t i = 0; i < t->n_schemas; i++) {
		before = (struct columns){0};
		older = i + 1 < t->n_schemas ? json_parse(text_of(t->schemas[i + 1].json), NULL) : NULL;
		take_fields(&before, older, "", 0);
		tell_columns(&c, older ? &before : NULL, t->schemas[i].version, s, table);
		free(c.list);
		json_free(json);
		c = before;
		json = older;
	}
	free(c.list);
	json_free(json);
	return true;
}

/* ---- which ---- */

static const char *const views[] = {
	"table", "snapshots", "refs", "partitions", "files", "files-smallest", "files-oldest", "schema", "properties", "log", "growth", "optimize", "vacuum",
};

bool delta_has_view(const char *view)
{
	for (size_t i = 0; i < sizeof views / sizeof *views; i++)
		if (!strcmp(views[i], view))
			return true;
	return false;
}

bool delta_view(struct probe *p, const struct storage *at, const struct delta_table *t, const char *view, const char *sql, struct snapshot *s)
{
	struct table *table;

	if (!delta_has_view(view))
		return err_set(&s->err, ERR_USAGE, "a Delta table has no view %.40s", view);
	table = snapshot_table(s, table_views, view);
	if (!strcmp(view, "vacuum"))
		return delta_tell_vacuum(p, at, t, sql, s, table);
	if (!strcmp(view, "optimize"))
		return delta_tell_optimize(t, sql, s, table);
	if (!strcmp(view, "schema"))
		return tell_schema(t, s, table);
	if (!strcmp(view, "properties") && !t->id[0])
		return err_set(&s->err, ERR_LIMIT, "%s", t->lacks);
	if ((!strcmp(view, "partitions") || text_starts(text_of(view), "files")) && t->measured != MEASURE_EXACT)
		return err_set(&s->err, ERR_LIMIT, "%s", t->lacks);
	if (!strcmp(view, "table"))
		tell_table(t, s, table);
	else if (!strcmp(view, "snapshots"))
		tell_commits(t, s, table);
	else if (!strcmp(view, "partitions"))
		tell_partitions(t, s, table);
	else if (!strcmp(view, "files"))
		tell_files(t, by_largest, s, table);
	else if (!strcmp(view, "files-smallest"))
		tell_files(t, by_smallest, s, table);
	else if (!strcmp(view, "files-oldest"))
		tell_files(t, by_oldest, s, table);
	else if (!strcmp(view, "properties"))
		tell_properties(t, s, table);
	else if (!strcmp(view, "log"))
		tell_commit_files(t, s, table);
	else if (!strcmp(view, "growth"))
		tell_growth(t, s, table);
	return true; /* refs: branches and tags are none of Delta's */
}
