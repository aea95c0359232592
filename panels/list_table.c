// SPDX-License-Identifier: MIT
/* One table of a snapshot as a list: its columns by its spec. UI thread only. */
#include <string.h>

#include "panels.h"
#include "show.h"

static bool is_number(const struct column_spec *spec)
{
	return (spec->type == VALUE_INT || spec->type == VALUE_REAL) && spec->unit != UNIT_TIME;
}

static void head_of(char out[NAME_SIZE], const struct column_spec *spec)
{
	size_t i = 0;

	for (; spec->name[i] && i + 1 < NAME_SIZE; i++) {
		char c = spec->name[i];

		out[i] = c == '_' ? ' ' : c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
	}
	out[i] = '\0';
}

struct by_spec { /* a list whose columns are those of a table */
	struct list list;
	struct list_kind kind;
	struct list_column columns[TABLE_COLUMNS_MAX + 1];
	char heads[TABLE_COLUMNS_MAX][NAME_SIZE];
};

static void by_spec_begin(struct by_spec *b, const struct lake *lake, const struct snapshot *s, const struct table *table,
	const char *omit, enum mark (*mark)(const struct list_row *row))
{
	size_t n = 0;

	*b = (struct by_spec){0};
	for (size_t i = 0; i < table->n_columns && n < TABLE_COLUMNS_MAX; i++) {
		const struct column_spec *spec = &table->spec->columns[i];

		if (omit && !strcmp(omit, spec->name))
			continue;
		head_of(b->heads[n], spec);
		b->columns[n] = (struct list_column){.head = b->heads[n], .name = spec->name, .unit = spec->unit,
			.priority = spec->priority, .number = is_number(spec)};
		n++;
	}
	b->kind.columns = b->columns;
	b->kind.mark = mark;
	list_begin(&b->list, &b->kind, lake);
	list_use(&b->list, s, table);
	for (size_t i = 0; i < table->n_rows; i++)
		list_add(&b->list, &(struct list_row){.from = s, .table = table, .at = i});
}

void table_list_draw(struct table_list *look, const struct panel_view *view, const struct snapshot *s,
	const struct table *table, const char *omit, enum mark (*mark)(const struct list_row *row), struct canvas *c)
{
	struct by_spec b;

	if (!table || !table->spec || !table->n_columns) {
		show_text(c, 0, 1, c->width - 2, STYLE_DIM, "not known (yet)");
		return;
	}
	by_spec_begin(&b, view->lake, s, table, omit, mark);
	list_draw(look, view, &b.list, c);
	list_end(&b.list);
}

unsigned table_list_act(struct table_list *look, struct panel_view *view, const struct table *table, const char *omit,
	enum mark (*mark)(const struct list_row *row), enum act what, struct list_row *selected)
{
	struct by_spec b;
	unsigned reactions;

	if (selected)
		*selected = (struct list_row){0};
	if (!table || !table->spec || !table->n_columns)
		return REACT_NONE;
	by_spec_begin(&b, view->lake, NULL, table, omit, mark);
	reactions = list_act(look, view, &b.list, what, selected);
	list_end(&b.list);
	return reactions;
}
