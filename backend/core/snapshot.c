// SPDX-License-Identifier: MIT
/* Building and reading snapshots. See snapshot.h for threads and ownership. */
#include "snapshot.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

static const char *const severity_words[] = {[SEVERITY_INFO] = "info", [SEVERITY_WARNING] = "warning", [SEVERITY_BLOCKING] = "blocking"};

const char *severity_word(enum severity severity)
{
	return (size_t)severity < sizeof severity_words / sizeof *severity_words ? severity_words[severity] : NULL;
}

bool severity_named(const char *word, enum severity *out)
{
	for (size_t i = 0; word && i < sizeof severity_words / sizeof *severity_words; i++)
		if (!strcmp(word, severity_words[i])) {
			*out = (enum severity)i;
			return true;
		}
	return false;
}

struct snapshot *snapshot_new(const char *source, enum snapshot_part part)
{
	struct snapshot *s = mem_new(1, sizeof *s);

	atomic_init(&s->refs, 1);
	s->arena = arena_new(part == PART_CATALOG || part == PART_ANSWER ? SNAPSHOT_CATALOG_CAP : SNAPSHOT_CAP);
	s->source = arena_clean(s->arena, text_of(source));
	s->part = part;
	s->begun = clock_ms();
	return s;
}

struct snapshot *snapshot_ref(struct snapshot *s)
{
	if (s)
		atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
	return s;
}

const struct snapshot *snapshot_keep(const struct snapshot *s)
{
	const union {
		const struct snapshot *seen;
		struct snapshot *own; /* its count is no part of what never changes */
	} kept_one = {s};

	return snapshot_ref(kept_one.own);
}

void snapshot_unref(struct snapshot *s)
{
	if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
		return;
	arena_free(s->arena);
	free(s);
}

void snapshot_drop(const struct snapshot *s)
{
	const union {
		const struct snapshot *seen;
		struct snapshot *own;
	} dropped = {s};

	snapshot_unref(dropped.own);
}

/* A value whose text may be kept: cleaned, in the arena. */
static struct value kept(struct snapshot *s, struct value v)
{
	if (v.type == VALUE_TEXT)
		v.u.s = arena_clean(s->arena, text_of(v.u.s));
	return v;
}

void snapshot_figure(struct snapshot *s, const struct figure_spec *specs, const char *name, struct value v)
{
	while (specs->name && strcmp(specs->name, name) != 0)
		specs++;
	if (!specs->name)
		abort(); /* a kind that fills a figure it does not declare */
	for (size_t i = 0; i < s->n_figures; i++)
		if (s->figures[i].spec == specs) {
			s->figures[i].value = kept(s, v);
			return;
		}
	if (!s->figures)
		s->figures = arena_alloc(s->arena, SNAPSHOT_FIGURES_MAX * sizeof *s->figures);
	if (!s->figures || s->n_figures == SNAPSHOT_FIGURES_MAX)
		return;
	s->figures[s->n_figures++] = (struct figure){specs, kept(s, v)};
}

struct table *snapshot_table(struct snapshot *s, const struct table_spec *specs, const char *name)
{
	struct table *t;

	while (specs->name && strcmp(specs->name, name) != 0)
		specs++;
	if (!specs->name)
		abort(); /* as above */
	for (size_t i = 0; i < s->n_tables; i++)
		if (s->tables[i].spec == specs)
			return &s->tables[i];
	if (!s->tables)
		s->tables = arena_alloc(s->arena, SNAPSHOT_TABLES_MAX * sizeof *s->tables);
	if (!s->tables || s->n_tables == SNAPSHOT_TABLES_MAX)
		abort(); /* more tables than a snapshot has room for: a kind's mistake, met at its first probe */
	t = &s->tables[s->n_tables++];
	t->spec = specs;
	while (specs->columns[t->n_columns].name)
		t->n_columns++;
	return t;
}

struct table *snapshot_table_made(struct snapshot *s, const char *name, const char *help, const struct column_spec *columns, size_t rows)
{
	struct table_spec *specs = arena_alloc(s->arena, 2 * sizeof *specs);
	struct table *t;

	if (!specs)
		return NULL;
	specs[0] = (struct table_spec){name, help, columns};
	t = snapshot_table(s, specs, name);
	t->cells = arena_alloc(s->arena, rows * t->n_columns * sizeof *t->cells);
	t->room = t->cells ? rows : 0;
	return t->cells ? t : NULL;
}

void table_reserve(struct snapshot *s, struct table *t, size_t rows)
{
	struct value *cells = rows > t->room && !t->n_rows ? arena_alloc(s->arena, rows * t->n_columns * sizeof *cells) : NULL;

	if (!cells)
		return;
	t->cells = cells;
	t->room = rows;
}

struct value *table_row(struct snapshot *s, struct table *t)
{
	if (t->n_rows == t->room) {
		size_t room = t->room ? t->room * 2 : 16;
		struct value *cells = arena_alloc(s->arena, room * t->n_columns * sizeof *cells);

		if (!cells) {
			t->left_off++;
			return NULL;
		}
		if (t->n_rows)
			memcpy(cells, t->cells, t->n_rows * t->n_columns * sizeof *cells);
		t->cells = cells;
		t->room = room;
	}
	return &t->cells[t->n_columns * t->n_rows++];
}

/* Asked for ten thousand rows with the same few names: where one was found is remembered, by thread. */
static size_t column_of(const struct table *t, const char *column)
{
	enum { MET = 64 };
	static _Thread_local struct { const struct table_spec *spec; size_t at; } met[MET];
	size_t place = ((uintptr_t)t->spec >> 4 ^ (uintptr_t)column) % MET, i = met[place].at;

	if (met[place].spec == t->spec && i < t->n_columns && (t->spec->columns[i].name == column || !strcmp(t->spec->columns[i].name, column)))
		return i;
	for (i = 0; i < t->n_columns && strcmp(t->spec->columns[i].name, column) != 0; i++)
		continue;
	met[place].spec = t->spec;
	met[place].at = i;
	return i;
}

void table_set(struct snapshot *s, struct table *t, struct value *row, const char *column, struct value v)
{
	size_t i = column_of(t, column);

	if (i == t->n_columns)
		abort(); /* a kind that fills a column it does not declare */
	if (row)
		row[i] = kept(s, v);
}

void snapshot_finding(struct snapshot *s, const char *name, enum severity severity, const char *remedy, const char *format, ...)
{
	char words[512];
	va_list args;

	if (!s->findings)
		s->findings = arena_alloc(s->arena, SNAPSHOT_FINDINGS_MAX * sizeof *s->findings);
	if (!s->findings || s->n_findings == SNAPSHOT_FINDINGS_MAX)
		return;
	va_start(args, format);
	vsnprintf(words, sizeof words, format, args);
	va_end(args);
	s->findings[s->n_findings++] = (struct finding){
		.name = arena_clean(s->arena, text_of(name)),
		.severity = severity,
		.reason = arena_clean(s->arena, text_of(words)),
		.remedy = remedy ? arena_clean(s->arena, text_of(remedy)) : NULL,
	};
}

void snapshot_health(struct snapshot *s, enum link_state state, const char *source, const char *format, ...)
{
	char words[512];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof words, format, args);
	va_end(args);
	s->health = (struct health){state, arena_clean(s->arena, text_of(words)), arena_clean(s->arena, text_of(source)), false};
}

struct value snapshot_get(const struct snapshot *s, const char *figure)
{
	for (size_t i = 0; s && i < s->n_figures; i++)
		if (!strcmp(s->figures[i].spec->name, figure))
			return s->figures[i].value;
	return value_unknown();
}

const struct table *snapshot_find_table(const struct snapshot *s, const char *name)
{
	for (size_t i = 0; s && i < s->n_tables; i++)
		if (s->tables[i].spec->name == name || !strcmp(s->tables[i].spec->name, name))
			return &s->tables[i];
	return NULL;
}

struct value table_get(const struct table *t, size_t row, const char *column)
{
	size_t i;

	if (!t || row >= t->n_rows)
		return value_unknown();
	i = column_of(t, column);
	return i < t->n_columns ? t->cells[row * t->n_columns + i] : value_unknown();
}
