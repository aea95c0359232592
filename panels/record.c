// SPDX-License-Identifier: MIT
/*
 * One row of a table, whole: each column by its name, long texts wrapped, JSON one field a line.
 * UI thread only.
 */
#include <stdio.h>
#include <string.h>

#include "mem.h"
#include "panels.h"
#include "show.h"

enum { PRETTY_MAX = 1 << 20, DEEPEST = 16, LABEL_MOST = 17, NARROW = 60, INDENT = 2 };

/* ---- JSON with a line for each field; what is no JSON comes out as it is, only broken elsewhere ---- */

struct pretty {
	struct buf out;
	int depth;
	bool quoted, escaped;
};

static void new_line(struct pretty *p)
{
	buf_puts(&p->out, "\n");
	for (int i = 0; i < p->depth * INDENT; i++)
		buf_puts(&p->out, " ");
}

static bool is_empty_pair(const char *s)
{
	char close = s[0] == '{' ? '}' : ']';

	for (s++; *s == ' '; s++)
		;
	return *s == close;
}

static void pretty_char(struct pretty *p, const char *s)
{
	if (p->quoted) {
		p->quoted = p->escaped || *s != '"';
		p->escaped = !p->escaped && *s == '\\';
		buf_add(&p->out, s, 1);
		return;
	}
	if ((*s == '}' || *s == ']') && p->depth > 0) {
		p->depth--;
		new_line(p);
	}
	if (*s != ' ')
		buf_add(&p->out, s, 1);
	p->quoted = *s == '"';
	if (*s == '{' || *s == '[') {
		p->depth += p->depth < DEEPEST;
		new_line(p);
	} else if (*s == ',')
		new_line(p);
	else if (*s == ':')
		buf_puts(&p->out, " ");
}

static void pretty(struct pretty *p, const char *s)
{
	*p = (struct pretty){0};
	buf_init(&p->out, PRETTY_MAX);
	for (; *s; s++)
		if (!p->quoted && (*s == '{' || *s == '[') && is_empty_pair(s)) {
			buf_add(&p->out, *s == '{' ? "{}" : "[]", 2);
			s = strchr(s, *s == '{' ? '}' : ']');
		} else
			pretty_char(p, s);
}

static bool looks_like_json(const char *s)
{
	size_t n = strlen(s);

	return n > 1 && ((s[0] == '{' && s[n - 1] == '}') || (s[0] == '[' && s[n - 1] == ']'));
}

/* ---- the document ---- */

static int draw_json(struct canvas *c, int y, int x, const char *s)
{
	struct pretty p;
	struct text rest, line;
	int from = y;

	pretty(&p, s);
	rest = buf_text(&p.out);
	while (text_line(&rest, &line)) {
		char words[REASON_SIZE * 4];
		int indent = 0;

		while ((size_t)indent < line.len && line.at[indent] == ' ')
			indent++;
		text_copy(words, sizeof words, (struct text){line.at + indent, line.len - (size_t)indent});
		if (line.len - (size_t)indent < sizeof words)
			y += int_max(1, show_wrapped(c, y, x + indent, c->width - x - indent - 1, STYLE_NORMAL, words));
		else { /* one text that is longer than any line: as it stands */
			struct buf whole;

			buf_init(&whole, PRETTY_MAX);
			buf_add(&whole, line.at + indent, line.len - (size_t)indent);
			y += show_wrapped(c, y, x + indent, c->width - x - indent - 1, STYLE_NORMAL, whole.at);
			buf_free(&whole);
		}
	}
	buf_free(&p.out);
	return y - from;
}

static int draw_cell(struct canvas *c, int y, int label, const struct column_spec *spec, struct value v, const struct lake *lake)
{
	char out[VALUE_TEXT_SIZE], at[CLOCK_TEXT];
	const char *words = v.type == VALUE_TEXT ? v.u.s : show_value(out, v, spec->unit, lake);
	bool below = c->width < NARROW;
	int x = below ? 3 : label + 3, lines;

	show_text(c, y, 1, c->width - 2, STYLE_DIM, spec->name);
	y += below;
	if (v.type == VALUE_TEXT && looks_like_json(words))
		return below + draw_json(c, y, x, words);
	if (spec->unit == UNIT_TIME && v.type == VALUE_INT && v.u.i > 0) {
		show_text(c, y, x, -1, STYLE_NORMAL, clock_rfc3339(at, v.u.i));
		show_text(c, y, x + (int)strlen(at) + 2, -1, STYLE_DIM, words);
		return below + 1;
	}
	lines = show_wrapped(c, y, x, c->width - x - 1, v.type == VALUE_UNKNOWN ? STYLE_DIM : STYLE_NORMAL, words);
	return below + int_max(1, lines);
}

int record_draw(struct canvas *c, const struct lake *lake, const struct table *table, size_t row, int top)
{
	int y = -top, label = 0;

	for (size_t i = 0; i < table->n_columns; i++)
		label = int_min(LABEL_MOST, int_max(label, canvas_columns(c, table->spec->columns[i].name)));
	for (size_t i = 0; i < table->n_columns; i++)
		y += draw_cell(c, y, label, &table->spec->columns[i], table->cells[row * table->n_columns + i], lake);
	return y + top;
}
