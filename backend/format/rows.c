// SPDX-License-Identifier: MIT
/* Names and answers of the view of rows, see rows.h. Pure, any thread. */
#include "rows.h"

#include <stdio.h>
#include <string.h>

const struct figure_spec rows_figures[] = {
	{"rows", "rows", UNIT_COUNT, 0, "rows that are shown"},
	{"columns", "columns", UNIT_COUNT, 0, "columns that the table has"},
	{"more", "more", UNIT_NONE, 0, "whether there are more rows than were asked for"},
	{"left_off", "left off", UNIT_COUNT, 0, "columns beyond those that are kept"},
	{"cut", "cut", UNIT_COUNT, 0, "cells whose text is longer than is kept"},
	{"full", "full", UNIT_NONE, 0, "whether rows were left off because they are too large together"},
	{"took", "took", UNIT_MS, 0, "how long the engine needed"},
	{NULL, NULL, UNIT_NONE, 0, NULL},
};

/* ---- names ---- */

bool rows_put_quoted(struct buf *out, const char *part, char quote)
{
	bool good = buf_add(out, &quote, 1);

	for (; *part; part++) {
		good = buf_add(out, part, 1) && good;
		if (*part == quote)
			good = buf_add(out, part, 1) && good;
	}
	return buf_add(out, &quote, 1) && good;
}

bool rows_subject(char out[ROWS_SUBJECT_SIZE], const char *catalog, const char *table, int64_t limit)
{
	struct buf text;
	bool good;

	buf_init(&text, ROWS_SUBJECT_SIZE - 1);
	good = buf_printf(&text, "%lld ", (long long)(limit < 1 ? ROWS_USUAL : limit > ROWS_MOST ? ROWS_MOST : limit));
	good = good && (strpbrk(catalog, ".\"") ? rows_put_quoted(&text, catalog, '"') : buf_puts(&text, catalog));
	good = good && buf_puts(&text, ".") && buf_puts(&text, table);
	text_copy(out, ROWS_SUBJECT_SIZE, buf_text(&text));
	buf_free(&text);
	return good;
}

/* Takes one part off the name, with the dot behind it. False: it is not closed, or empty, or too long. */
static bool take_part(struct text *name, char out[ROWS_PART_SIZE])
{
	bool quoted = text_skip(name, "\""), closed = !quoted;
	size_t len = 0;

	for (; name->len; name->at++, name->len--) {
		if (quoted && *name->at == '"') {
			if (name->len < 2 || name->at[1] != '"') {
				closed = text_skip(name, "\"");
				break;
			}
			name->at++;
			name->len--;
		} else if (!quoted && *name->at == '.') {
			break;
		}
		if (len == ROWS_PART_SIZE - 1)
			return false;
		out[len++] = *name->at;
	}
	out[len] = '\0';
	return closed && len && (!name->len || (text_skip(name, ".") && name->len));
}

bool rows_parse(const char *subject, struct rows_ask *out, struct err *err)
{
	struct text name = text_of(subject), number = text_until(name, ' ');

	*out = (struct rows_ask){.limit = ROWS_USUAL};
	if (number.len < name.len && text_i64(number, &out->limit))
		name = text_after(name, ' ');
	if (out->limit < 1 || out->limit > ROWS_MOST)
		return err_set(err, ERR_USAGE, "rows are shown from 1 to %d, not %lld", ROWS_MOST, (long long)out->limit);
	while (name.len) {
		if (out->n_parts == ROWS_PARTS_MAX || !take_part(&name, out->parts[out->n_parts]))
			return err_set(err, ERR_USAGE, "\"%s\" is not the name of a table", subject);
		out->n_parts++;
	}
	return out->n_parts || err_set(err, ERR_USAGE, "no table is named");
}

void rows_put_name(struct buf *sql, const struct rows_ask *ask, char quote)
{
	for (size_t i = 0; i < ask->n_parts; i++) {
		if (i)
			buf_puts(sql, ".");
		rows_put_quoted(sql, ask->parts[i], quote);
	}
}

/* ---- the answer ---- */

void rows_begin(struct rows *r, const struct rows_column *columns, size_t n)
{
	size_t kept = n < ROWS_COLUMNS_MAX ? n : ROWS_COLUMNS_MAX;
	struct column_spec *specs = arena_alloc(r->s->arena, (kept + 1) * sizeof *specs);

	if (!specs) {
		r->full = true;
		return;
	}
	for (size_t i = 0; i < kept; i++)
		specs[i] = (struct column_spec){.name = arena_clean(r->s->arena, text_of(columns[i].name)), .type = columns[i].kind,
			.priority = (int)i, .help = arena_clean(r->s->arena, text_of(columns[i].type))};
	r->columns_left_off = (int64_t)(n - kept);
	r->table = snapshot_table_made(r->s, ROWS_VIEW, "rows of the table, in the order in which the engine gave them", specs, (size_t)r->limit);
	r->full = !r->table;
}

bool rows_row(struct rows *r)
{
	if (!r->table || r->full)
		return false;
	if ((int64_t)r->table->n_rows == r->limit) {
		r->more = true;
		return false;
	}
	r->row = table_row(r->s, r->table);
	r->full = !r->row;
	return r->row != NULL;
}

void rows_cell(struct rows *r, size_t column, struct value v, bool cut)
{
	if (column >= r->table->n_columns)
		return;
	if (v.type == VALUE_TEXT)
		v.u.s = arena_clean(r->s->arena, text_of(v.u.s));
	r->row[column] = v;
	r->cut += cut;
}

bool rows_row_end(struct rows *r)
{
	if (!arena_full(r->s->arena))
		return true;
	r->table->n_rows--; /* half a row would lie */
	r->table->left_off++;
	r->full = true;
	return false;
}

void rows_end(struct rows *r)
{
	snapshot_figure(r->s, rows_figures, "rows", value_int(r->table ? (int64_t)r->table->n_rows : 0));
	snapshot_figure(r->s, rows_figures, "columns", value_int(r->table ? (int64_t)r->table->n_columns + r->columns_left_off : 0));
	snapshot_figure(r->s, rows_figures, "more", value_bool(r->more || r->full));
	snapshot_figure(r->s, rows_figures, "full", value_bool(r->full));
	snapshot_figure(r->s, rows_figures, "left_off", value_int(r->columns_left_off));
	snapshot_figure(r->s, rows_figures, "cut", value_int(r->cut));
}
