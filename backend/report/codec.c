// SPDX-License-Identifier: MIT
/*
 * One snapshot, one line of JSON: what --record writes and --replay reads. Figures and tables have
 * the shapes of --json; what is unknown or empty is left out. A line read is a snapshot that just
 * came: its times on the monotonic clock begin anew, its wall time is the recorded one. Any line is
 * survived; what this laketop does not know of it (a kind, a figure, a column) is left out. Pure.
 */
#include <limits.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "fields.h"
#include "judge.h"
#include "report.h"
#include "service.h"
#include "shapes.h"
#include "tables.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const part_words[] = {
	[PART_PULSE] = "pulse", [PART_DEPTH] = "depth", [PART_HOST] = "host", [PART_DOCKER] = "docker",
	[PART_ANSWER] = "answer", [PART_STREAM] = "stream", [PART_CATALOG] = "catalog",
};
static const char *const answered_words[] = {
	[ANSWERED_NOT_ASKED] = "not-asked", [ANSWERED_REFUSED] = "refused", [ANSWERED_MUTE] = "mute", [ANSWERED_OTHER] = "other",
	[ANSWERED_YES] = "yes",
};

static const struct field freshness_fields[] = {
	FIELD(freshness, known, BOOL), FIELD(freshness, newest, I64), FIELD(freshness, what, TEXT),
	FIELD(freshness, newer, UNSIGNED), {0},
};
static const struct field files_fields[] = {FIELD(files, pidfile_read, BOOL), FIELD(files, pidfile_pid, INT), FIELD(files, port, INT),
	FIELD(files, unit, INT), FIELD(files, unit_users, BOOL), {0}};
static const struct field head_fields[] = {
	FIELD(snapshot, generation, EXACT), FIELD(snapshot, interval, I64), FIELD(snapshot, requests, UNSIGNED), {0},
};

/* ---- writing ---- */

static void write_text(struct json_writer *w, const char *key, const char *s)
{
	if (s)
		json_put_text(w, key, s);
}

static bool declares(const struct service_kind *kind, const struct snapshot *s)
{
	for (const struct figure_spec *f = kind->figures; f && f->name && s->n_figures; f++)
		if (f == s->figures[0].spec)
			return true;
	for (const struct table_spec *t = kind->tables; t && t->name && s->n_tables; t++)
		if (t == s->tables[0].spec)
			return true;
	return false;
}

/* Whose figures these are: mostly who answers, but a depth need not say again who that is. */
static const struct service_kind *kind_of(const struct snapshot *s)
{
	for (size_t i = 0; service_kinds[i]; i++)
		if (declares(service_kinds[i], s))
			return service_kinds[i];
	return NULL;
}

static void write_head(struct json_writer *w, const struct snapshot *s, const struct service_kind *kind)
{
	json_put_i64(w, "schema", SCHEMA);
	json_put_text(w, "source", s->source);
	json_put_text(w, "part", part_words[s->part]);
	write_text(w, "kind", kind ? kind->name : NULL);
	json_put_time(w, "at", s->wall);
	json_put_i64(w, "took", s->ended - s->begun);
	fields_write(w, head_fields, s);
	json_put_i64(w, "bytes", (int64_t)s->bytes);
	if (s->err.code != ERR_NONE) {
		json_open(w, "err", '{');
		json_put_text(w, "code", err_name(s->err.code));
		json_put_text(w, "words", s->err.words);
		json_close(w, '}');
	}
}

static void write_who(struct json_writer *w, const struct identity *who)
{
	json_open(w, "who", '{');
	json_put_text(w, "answered", answered_words[who->answered]);
	write_text(w, "kind", who->kind ? who->kind->name : NULL);
	write_text(w, "role", who->role);
	write_text(w, "says", who->says);
	json_put_text(w, "sure", sure_word(who->sure));
	write_text(w, "version", who->version);
	write_text(w, "version_to", who->version_to);
	write_text(w, "revision", who->revision);
	write_text(w, "from", who->from);
	write_text(w, "source", who->source);
	json_close(w, '}');
}

static void write_health(struct json_writer *w, const struct health *h)
{
	json_open(w, "health", '{');
	json_put_text(w, "state", link_state_word(h->state));
	write_text(w, "words", h->words);
	write_text(w, "source", h->source);
	if (h->definite)
		json_put_bool(w, "definite", true);
	json_close(w, '}');
}

static void write_files(struct json_writer *w, const struct files *f)
{
	json_open(w, "files", '{');
	fields_write(w, files_fields, f);
	fields_write(w, freshness_fields, &f->fresh);
	write_text(w, "progress", f->progress);
	write_text(w, "unit_words", f->unit_words);
	json_close(w, '}');
}

static void write_lists(struct json_writer *w, const struct snapshot *s)
{
	json_open(w, "figures", '{');
	for (size_t i = 0; i < s->n_figures; i++)
		put_figure(w, s->figures[i].spec->name, s->figures[i].value, s->figures[i].spec->unit, -1);
	json_close(w, '}');
	json_open(w, "tables", '{');
	for (size_t i = 0; i < s->n_tables; i++)
		put_table(w, s->tables[i].spec->name, &s->tables[i], false);
	json_close(w, '}');
	json_open(w, "left_off", '{');
	for (size_t i = 0; i < s->n_tables; i++)
		if (s->tables[i].left_off)
			json_put_i64(w, s->tables[i].spec->name, (int64_t)s->tables[i].left_off);
	json_close(w, '}');
	json_open(w, "findings", '[');
	for (size_t i = 0; i < s->n_findings; i++)
		put_finding(w, s->findings[i].name, s->findings[i].severity, s->findings[i].reason, s->findings[i].remedy);
	json_close(w, ']');
}

bool snapshot_write(const struct snapshot *s, struct buf *out)
{
	size_t before = out->len;
	struct json_writer w;

	json_begin(&w, out, false);
	json_open(&w, NULL, '{');
	write_head(&w, s, kind_of(s));
	if (s->part == PART_PULSE || s->part == PART_DEPTH) {
		write_who(&w, &s->who);
		write_health(&w, &s->health);
		write_files(&w, &s->files);
		write_lists(&w, s);
	} else if (s->part == PART_STREAM || s->part == PART_CATALOG) {
		write_lists(&w, s);
	}
	if (s->facts)
		facts_write(&w, "facts", s->facts);
	json_close(&w, '}');
	if (buf_puts(out, "\n") && !out->full)
		return true;
	out->len = before; /* half a line would spoil the next one */
	if (out->at)
		out->at[before] = '\0';
	return false;
}

/* ---- reading ---- */

/* The place of a word in words; otherwise where it is none of them. */
static size_t read_word(const struct json *node, const char *const *words, size_t n, size_t otherwise)
{
	const char *s = json_string(node);

	for (size_t i = 0; s && i < n; i++)
		if (!strcmp(s, words[i]))
			return i;
	return otherwise;
}

static const char *read_text(struct snapshot *s, const struct json *object, const char *key)
{
	const char *text = json_string(json_get(object, key));

	return text ? arena_clean(s->arena, text_of(text)) : NULL;
}

/* 2026-11-29T13:05:11.204Z as ms since 1970; false where it is none. */
static bool read_time(const struct json *node, int64_t *out)
{
	const char *s = json_string(node), *rest;
	struct tm tm = {0};
	int64_t ms;

	if (!s || !(rest = strptime(s, "%Y-%m-%dT%H:%M:%S", &tm)) || rest[0] != '.' || strlen(rest) != 5 || rest[4] != 'Z')
		return false;
	if (!text_i64((struct text){rest + 1, 3}, &ms) || ms < 0)
		return false;
	*out = (int64_t)timegm(&tm) * 1000 + ms;
	return true;
}

static struct value read_value(const struct json *node, enum unit unit)
{
	int64_t wall;

	if (unit == UNIT_TIME && read_time(node, &wall))
		return value_int(wall);
	return json_value(node);
}

static bool read_head(const struct json *line, struct snapshot *s, struct err *err)
{
	const struct json *problem = json_get(line, "err");
	int64_t took = 0, at = 0, bytes = 0;

	read_time(json_get(line, "at"), &at);
	if (!json_i64(json_get(line, "took"), &took) || took < 0 || took > INT_MAX)
		took = 0;
	fields_read(line, head_fields, s);
	if (s->interval < 0 || s->interval > INT_MAX)
		s->interval = 0;
	if (json_i64(json_get(line, "bytes"), &bytes) && bytes > 0)
		s->bytes = (size_t)bytes;
	s->wall = at;
	s->ended = clock_ms();
	s->begun = s->ended - took;
	if (!json_is_object(problem))
		return true;
	for (enum err_code code = ERR_NONE + 1; code <= ERR_USAGE; code++)
		if (json_string(json_get(problem, "code")) && !strcmp(json_string(json_get(problem, "code")), err_name(code)))
			s->err.code = code;
	text_clean(s->err.words, sizeof s->err.words, text_of(json_string(json_get(problem, "words"))));
	return s->err.code != ERR_NONE || err_set(err, ERR_PARSE, "%s: an error of no known kind", s->source);
}

static void read_who(const struct json *object, struct snapshot *s)
{
	const char *const sures[] = {sure_word(SURE_UNKNOWN), sure_word(SURE_HINT), sure_word(SURE_RANGE), sure_word(SURE_EXACT)};

	s->who = (struct identity){
		.answered = (enum answered)read_word(json_get(object, "answered"), answered_words, COUNT(answered_words), ANSWERED_NOT_ASKED),
		.kind = service_kind_named(json_string(json_get(object, "kind"))),
		.role = read_text(s, object, "role"),
		.says = read_text(s, object, "says"),
		.sure = (enum sure)read_word(json_get(object, "sure"), sures, COUNT(sures), SURE_UNKNOWN),
		.version = read_text(s, object, "version"),
		.version_to = read_text(s, object, "version_to"),
		.revision = read_text(s, object, "revision"),
		.from = read_text(s, object, "from"),
		.source = read_text(s, object, "source"),
	};
}

static void read_health(const struct json *object, struct snapshot *s)
{
	const char *const states[] = {link_state_word(LINK_UNKNOWN), link_state_word(LINK_OK), link_state_word(LINK_BAD),
		link_state_word(LINK_NA)};

	s->health = (struct health){
		.state = (enum link_state)read_word(json_get(object, "state"), states, COUNT(states), LINK_UNKNOWN),
		.words = read_text(s, object, "words"),
		.source = read_text(s, object, "source"),
	};
	json_bool(json_get(object, "definite"), &s->health.definite);
}

static void read_files(const struct json *object, struct snapshot *s)
{
	fields_read(object, files_fields, &s->files);
	fields_read(object, freshness_fields, &s->files.fresh);
	s->files.progress = read_text(s, object, "progress");
	s->files.unit_words = read_text(s, object, "unit_words");
}

static void read_figures(const struct json *object, const struct figure_spec *specs, struct snapshot *s)
{
	for (const struct json *item = json_first(object); item; item = json_next(item))
		for (const struct figure_spec *spec = specs; spec && spec->name; spec++)
			if (!strcmp(spec->name, json_key(item))) {
				struct value v = read_value(json_get(item, "value"), spec->unit);

				json_bool(json_get(item, "at_least"), &v.at_least);
				snapshot_figure(s, specs, spec->name, v);
			}
}

static void read_row(const struct json *object, struct snapshot *s, struct table *t)
{
	struct value *row = table_row(s, t);

	for (size_t i = 0; i < t->n_columns; i++) {
		const struct column_spec *column = &t->spec->columns[i];
		struct value v = read_value(json_get(object, column->name), column->unit);

		for (const struct json *name = json_first(json_get(object, "at_least")); name; name = json_next(name))
			if (json_string(name) && !strcmp(json_string(name), column->name))
				v.at_least = true;
		table_set(s, t, row, column->name, v);
	}
}

static void read_tables(const struct json *line, const struct table_spec *specs, struct snapshot *s)
{
	for (const struct json *item = json_first(json_get(line, "tables")); item; item = json_next(item))
		for (const struct table_spec *spec = specs; spec && spec->name; spec++) {
			struct table *t;
			int64_t left_off = 0;

			if (strcmp(spec->name, json_key(item)) != 0 || snapshot_find_table(s, spec->name) || s->n_tables == SNAPSHOT_TABLES_MAX)
				continue;
			t = snapshot_table(s, specs, spec->name);
			for (const struct json *row = json_first(item); row; row = json_next(row))
				read_row(row, s, t);
			if (json_i64(json_get(json_get(line, "left_off"), spec->name), &left_off) && left_off > 0)
				t->left_off += (size_t)left_off;
		}
}

static void read_findings(const struct json *array, struct snapshot *s)
{
	for (const struct json *item = json_first(array); item; item = json_next(item)) {
		enum severity severity;
		const char *name = json_string(json_get(item, "finding")), *reason = json_string(json_get(item, "reason"));

		if (name && severity_named(json_string(json_get(item, "severity")), &severity))
			snapshot_finding(s, name, severity, json_string(json_get(item, "remedy")), "%s", reason ? reason : "");
	}
}

static bool read_rest(const struct json *line, struct snapshot *s, struct err *err)
{
	const struct service_kind *kind = service_kind_named(json_string(json_get(line, "kind")));
	const struct json *facts = json_get(line, "facts");

	if (s->part == PART_PULSE || s->part == PART_DEPTH) {
		read_who(json_get(line, "who"), s);
		read_health(json_get(line, "health"), s);
		read_files(json_get(line, "files"), s);
		read_figures(json_get(line, "figures"), kind ? kind->figures : NULL, s);
		read_tables(line, kind ? kind->tables : NULL, s);
		read_findings(json_get(line, "findings"), s);
	} else if (s->part == PART_STREAM) {
		read_figures(json_get(line, "figures"), stream_figures, s);
		read_tables(line, stream_tables, s);
	} else if (s->part == PART_CATALOG) {
		read_figures(json_get(line, "figures"), catalog_figures, s);
		read_tables(line, catalog_tables, s);
	} else if (json_is_object(facts) && !(s->facts = facts_read(facts, s->arena))) {
		return err_set(err, ERR_LIMIT, "%s: more facts than a snapshot holds", s->source);
	}
	return true;
}

/* A snapshot with its name and part; NULL: this is none. */
static struct snapshot *read_new(const struct json *line, struct err *err)
{
	const char *source = json_string(json_get(line, "source"));
	size_t part = read_word(json_get(line, "part"), part_words, COUNT(part_words), COUNT(part_words));
	int64_t schema = 0;

	if (!json_i64(json_get(line, "schema"), &schema))
		err_set(err, ERR_PARSE, "this is not a snapshot: it has no schema");
	else if (schema != SCHEMA)
		err_set(err, ERR_PARSE, "schema %lld is not one that this laketop reads (%d)", (long long)schema, SCHEMA);
	else if (!source || part == COUNT(part_words) || part == PART_ANSWER) /* what was asked for is not recorded */
		err_set(err, ERR_PARSE, "this is not a snapshot: it has no source, or no known part");
	else
		return snapshot_new(source, (enum snapshot_part)part);
	return NULL;
}

struct snapshot *snapshot_read(struct text line, struct err *err)
{
	struct json *json = json_parse(line, err);
	struct snapshot *s = json ? read_new(json, err) : NULL;

	if (s && (!read_head(json, s, err) || !read_rest(json, s, err))) {
		snapshot_unref(s);
		s = NULL;
	}
	json_free(json);
	return s;
}
