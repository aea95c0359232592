// SPDX-License-Identifier: MIT
/*
 * Rows of a table as text, CSV or JSON. NULL is told from text in each: as text it is NULL, while a
 * text that is empty or the word NULL stands in quotes; CSV (RFC 4180) leaves the field empty, while
 * an empty text is ""; JSON has null. Pure.
 */
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "rows.h"
#include "shapes.h"

enum { CELL_COLUMNS = 60, LINE_COLUMNS_MAX = 256 };

/* ---- whom to ask ---- */

/* The catalog that the name begins with; *rest is then the table's name in it. */
static const struct catalog *named_first(const struct profile *profile, const char *table, const char **rest)
{
	for (size_t i = 0; i < profile->n_catalogs; i++) {
		struct text name = text_of(table);

		if (!text_skip(&name, profile->catalogs[i].name) || !text_skip(&name, ".") || !name.len)
			continue;
		*rest = name.at;
		return &profile->catalogs[i];
	}
	return NULL;
}

/* The only one that has an engine; NULL: there is none, or there are several. */
static const struct catalog *only_with_engine(const struct profile *profile, size_t *n)
{
	const struct catalog *only = NULL;

	*n = 0;
	for (size_t i = 0; i < profile->n_catalogs; i++)
		if (profile->catalogs[i].engine) {
			only = &profile->catalogs[i];
			++*n;
		}
	return *n == 1 ? only : NULL;
}

const struct catalog *report_rows_catalog(const struct profile *profile, const char *table)
{
	const char *rest;

	return named_first(profile, table, &rest);
}

static const char NO_ROWS[] = "%s is neither Spark Connect nor Trino, which show rows";

bool report_rows_ask(const struct profile *profile, const char *engine, const char *table, int64_t limit, struct report_rows *out,
	struct err *err)
{
	const char *rest = table, *dot = strchr(table, '.');
	char catalog[ROWS_PART_SIZE];
	size_t n;
	const struct catalog *c = engine ? NULL : named_first(profile, table, &rest);

	if (engine && profile_service(profile, engine) && !service_kind_shows(profile_service(profile, engine)->kind, ROWS_VIEW))
		return err_set(err, ERR_USAGE, NO_ROWS, engine);
	if (engine && !dot)
		return err_set(err, ERR_USAGE, "\"%s\" is no table's name: it begins with what %s calls the catalog, as in lake.%s", table, engine, table);
	if (engine) {
		text_copy(catalog, sizeof catalog, (struct text){table, (size_t)(dot - table)});
		text_copy(out->service, sizeof out->service, text_of(engine));
		return rows_subject(out->subject, catalog, dot + 1, limit) || err_set(err, ERR_USAGE, "the name \"%.80s...\" is too long", table);
	}
	if (!c)
		c = only_with_engine(profile, &n);
	if (!c && n)
		return err_set(err, ERR_USAGE, "several catalogs have an engine: CATALOG.%s says which one is meant", table);
	if (!c)
		return err_set(err, ERR_USAGE, "no [catalog] of the profile names who shows rows: \"engine = SERVICE\" (Spark Connect, Trino), "
			"or --service NAME this once");
	if (!c->engine)
		return err_set(err, ERR_USAGE, "[catalog %s] names nobody who shows rows: \"engine = SERVICE\" (Spark Connect, Trino), "
			"or --service NAME this once", c->name);
	text_copy(out->service, sizeof out->service, text_of(c->engine));
	return rows_subject(out->subject, c->engine_catalog ? c->engine_catalog : c->name, rest, limit) ||
	       err_set(err, ERR_USAGE, "the name \"%.80s...\" is too long", table);
}

/* ---- cells ---- */

/* Numbers and flags as JSON has them, text as it is. */
static const char *words_of(struct value v, struct buf *out)
{
	struct json_writer w;

	if (v.type == VALUE_TEXT)
		return v.u.s;
	buf_reset(out);
	json_begin(&w, out, false);
	json_put_value(&w, NULL, v, UNIT_NONE);
	return out->at;
}

static const char *plain_words(struct value v, struct buf *out)
{
	if (v.type == VALUE_UNKNOWN)
		return "NULL";
	if (v.type == VALUE_TEXT && (!v.u.s[0] || !strcmp(v.u.s, "NULL")))
		return v.u.s[0] ? "\"NULL\"" : "\"\"";
	return words_of(v, out);
}

/* ---- CSV ---- */

static void csv_field(struct buf *out, const char *s)
{
	bool quoted = !s[0] || strpbrk(s, ",\"\r\n") || s[0] == ' ' || s[strlen(s) - 1] == ' ';

	if (quoted)
		rows_put_quoted(out, s, '"');
	else
		buf_puts(out, s);
}

static void write_csv(const struct table *t, struct buf *out)
{
	struct buf words;

	buf_init(&words, 64);
	for (size_t c = 0; c < t->n_columns; c++) {
		buf_puts(out, c ? "," : "");
		csv_field(out, t->spec->columns[c].name);
	}
	buf_puts(out, "\r\n");
	for (size_t i = 0; i < t->n_rows * t->n_columns; i++) {
		buf_puts(out, i % t->n_columns ? "," : "");
		if (t->cells[i].type != VALUE_UNKNOWN)
			csv_field(out, words_of(t->cells[i], &words));
		else if (t->n_columns == 1)
			buf_puts(out, ""); /* an empty line: there is no other way to write it */
		if (i % t->n_columns == t->n_columns - 1)
			buf_puts(out, "\r\n");
	}
	buf_free(&words);
}

/* ---- JSON ---- */

static void write_json(const struct snapshot *s, const struct report_rows *asked, const struct table *t, struct buf *out)
{
	struct json_writer w;

	json_begin(&w, out, true);
	json_open(&w, NULL, '{');
	json_put_i64(&w, "schema", SCHEMA);
	json_put_text(&w, "table", strchr(asked->subject, ' ') + 1);
	json_put_text(&w, "engine", asked->service);
	json_open(&w, "columns", '[');
	for (size_t c = 0; c < t->n_columns; c++) {
		json_open(&w, NULL, '{');
		json_put_text(&w, "name", t->spec->columns[c].name);
		json_put_text(&w, "type", t->spec->columns[c].help);
		json_close(&w, '}');
	}
	json_close(&w, ']');
	put_table(&w, "rows", t, true);
	for (const struct figure_spec *f = rows_figures; f->name; f++)
		if (strcmp(f->name, "rows") != 0 && strcmp(f->name, "columns") != 0)
			json_put_value(&w, f->name, snapshot_get(s, f->name), f->unit);
	json_close(&w, '}');
	buf_puts(out, "\n");
}

/* ---- text ---- */

static bool is_number(enum value_type type)
{
	return type == VALUE_INT || type == VALUE_REAL;
}

/* A field of width columns, cut with an ellipsis where it is wider. */
static void put_padded(struct buf *out, struct text t, int width, bool right, bool last)
{
	int columns = text_columns(t), one;
	struct text rest = t, before = t;
	uint32_t code;

	if (columns > width) {
		for (columns = 0; text_char(&rest, &code, &one) && columns + one <= width - 1; before = rest)
			columns += one;
		t.len = (size_t)(before.at - t.at);
		columns++;
	}
	buf_printf(out, "%*s", right ? width - columns : 0, "");
	buf_add(out, t.at, t.len);
	if (before.at > t.at || (t.len == 0 && columns))
		buf_puts(out, "…");
	buf_printf(out, "%*s", right || last ? 0 : width - columns, "");
	buf_puts(out, last ? "\n" : "  ");
}

static int width_of(const struct table *t, size_t column, struct buf *words)
{
	int width = text_columns(text_of(t->spec->columns[column].name));

	for (size_t i = 0; i < t->n_rows && width < CELL_COLUMNS; i++) {
		int own = text_columns(text_of(plain_words(t->cells[i * t->n_columns + column], words)));

		width = own > width ? own : width;
	}
	return width < CELL_COLUMNS ? width : CELL_COLUMNS;
}

static void write_text(const struct table *t, struct buf *out)
{
	int widths[LINE_COLUMNS_MAX];
	size_t n = t->n_columns < LINE_COLUMNS_MAX ? t->n_columns : LINE_COLUMNS_MAX;
	struct buf words;

	buf_init(&words, 64);
	for (size_t c = 0; c < n; c++)
		widths[c] = width_of(t, c, &words);
	for (size_t c = 0; c < n; c++)
		put_padded(out, text_of(t->spec->columns[c].name), widths[c], is_number(t->spec->columns[c].type), c + 1 == n);
	for (size_t i = 0; i < t->n_rows; i++)
		for (size_t c = 0; c < n; c++)
			put_padded(out, text_of(plain_words(t->cells[i * t->n_columns + c], &words)), widths[c],
				is_number(t->spec->columns[c].type), c + 1 == n);
	buf_free(&words);
}

/* ---- all of it ---- */

static int64_t count(const struct snapshot *s, const char *figure)
{
	struct value v = snapshot_get(s, figure);

	return v.type == VALUE_INT ? v.u.i : v.type == VALUE_BOOL && v.u.b;
}

static void write_notes(const struct snapshot *s, struct buf *notes)
{
	char n[VALUE_TEXT_SIZE];

	if (count(s, "full"))
		buf_printf(notes, "%s rows; the others are too large to be kept together\n", value_show(n, snapshot_get(s, "rows"), UNIT_COUNT));
	else if (count(s, "more"))
		buf_printf(notes, "%s row%s, and there are more: -n asks for up to %d\n", value_show(n, snapshot_get(s, "rows"), UNIT_COUNT),
			count(s, "rows") == 1 ? "" : "s", ROWS_MOST);
	if (count(s, "left_off"))
		buf_printf(notes, "and %s more columns\n", value_show(n, snapshot_get(s, "left_off"), UNIT_COUNT));
	if (count(s, "cut"))
		buf_printf(notes, "%s cells are cut at %d KiB\n", value_show(n, snapshot_get(s, "cut"), UNIT_COUNT), ROWS_CELL_MAX >> 10);
}

static enum exit_code failed(const struct snapshot *s, const struct report_rows *asked, struct buf *notes)
{
	buf_printf(notes, "%s%s%s\n", text_starts(text_of(s->err.words), asked->service) ? "" : asked->service,
		text_starts(text_of(s->err.words), asked->service) ? "" : ": ", s->err.words[0] ? s->err.words : "it hands out no rows");
	if (s->err.code == ERR_TIMEOUT)
		return EXIT_TIME;
	/* there is no such table, or nobody could be asked */
	return s->err.code == ERR_USAGE || s->err.code == ERR_CONNECT || s->err.code == ERR_AUTH ? EXIT_UNKNOWN : EXIT_NOT_READY;
}

enum exit_code report_rows(const struct lake *lake, const struct report_options *options, const struct report_rows *asked, struct buf *out,
	struct buf *notes)
{
	const struct service *service = lake_service(lake, asked->service);
	const struct snapshot *s = service ? service_answer(service, ROWS_VIEW, asked->subject) : NULL;
	const struct table *t = snapshot_find_table(s, ROWS_VIEW);

	if (!service) {
		buf_printf(notes, "there is no service \"%s\"\n", asked->service);
		return EXIT_USAGE;
	}
	if (!service_kind_shows(service->kind, ROWS_VIEW)) { /* a found one */
		buf_printf(notes, NO_ROWS, asked->service);
		buf_puts(notes, "\n");
		return EXIT_USAGE;
	}
	if (!s) {
		buf_printf(notes, "%s has not answered in time; it is %s%s%s\n", asked->service, verdict_word(service->verdict.shown.verdict),
			service->verdict.shown.reason[0] ? ": " : "", service->verdict.shown.reason);
		return EXIT_TIME;
	}
	if (s->err.code != ERR_NONE || !t)
		return failed(s, asked, notes);
	write_notes(s, notes);
	if (options->json)
		write_json(s, asked, t, out);
	else if (options->csv)
		write_csv(t, out);
	else
		write_text(t, out);
	return EXIT_READY;
}
