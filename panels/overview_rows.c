// SPDX-License-Identifier: MIT
/*
 * The services, a row each, grouped and always in the same place: the verdict, who answers, its figures. Columns are
 * as wide as what stands in them; which of them there are goes by the room.
 */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "mem.h"
#include "overview_own.h"
#include "show.h"

enum {
	WIDE = 100, /* columns from which there is room for ages */
	VERDICT_WIDTH = 13,
	FIGURES_LEAST = 16, FIGURES_WISH = 30, FIGURES_MOST = 60, FIGURES_STEP = 8, NOTE_LEAST = 32, /* the figures get these before others join */
};

/* ---- which rows, in which order ---- */

static const char *const first_groups[] = {"storage", "catalogs", "streams", "compute", "runs"};
static const char *const last_group = "found";

static const char *group_of(const struct service *s)
{
	return !s->expected ? last_group : s->group && s->group[0] ? s->group : "other";
}

static bool row_kept(const struct overview_rows *rows, const struct service *s)
{
	char version[VALUE_TEXT_SIZE], owner[VALUE_TEXT_SIZE], at[VALUE_TEXT_SIZE];
	const char *cells[] = {
		s->name, verdict_word(service_verdict(s)), show_version(version, s), show_endpoint(at, &s->at),
		show_owner(owner, &s->verdict.shown.owner), group_of(s), s->kind ? s->kind->title : "unknown", service_words(s),
	};

	if (rows->problems_only && !service_troubled(s))
		return false;
	return row_matches(rows->filter, cells, sizeof cells / sizeof *cells);
}

static void rows_add_group(struct overview_rows *rows, const char *group)
{
	const struct lake *lake = rows->lake;

	for (size_t i = 0; i < lake->n_services; i++)
		if (!strcmp(group_of(lake->services[i]), group) && row_kept(rows, lake->services[i]))
			rows->at[rows->n++] = lake->services[i];
}

static bool has_its_place(const char *group)
{
	for (size_t i = 0; i < sizeof first_groups / sizeof *first_groups; i++)
		if (!strcmp(group, first_groups[i]))
			return true;
	return !strcmp(group, last_group);
}

static bool is_first_of_group(const struct lake *lake, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(group_of(lake->services[i]), group_of(lake->services[at])))
			return false;
	return true;
}

void overview_rows_collect(struct overview_rows *rows, const struct panel_view *view)
{
	*rows = (struct overview_rows){.lake = view->lake, .filter = view->filter ? view->filter : "", .problems_only = view->problems_only};
	rows->at = mem_new(view->lake->n_services + 1, sizeof *rows->at);
	for (size_t i = 0; i < sizeof first_groups / sizeof *first_groups; i++)
		rows_add_group(rows, first_groups[i]);
	for (size_t i = 0; i < view->lake->n_services; i++) /* groups of the profile's own */
		if (!has_its_place(group_of(view->lake->services[i])) && is_first_of_group(view->lake, i))
			rows_add_group(rows, group_of(view->lake->services[i]));
	rows_add_group(rows, last_group);
}

/* ---- a row ---- */

static const char *heading(const void *ctx, size_t row)
{
	const struct overview_rows *rows = ctx;
	const char *group = group_of(rows->at[row]);

	return row && !strcmp(group, group_of(rows->at[row - 1])) ? NULL : group;
}

static bool tells_figures(const struct service *s)
{
	enum verdict v = service_verdict(s);

	return v == VERDICT_SERVING || v == VERDICT_WRONG_VERSION;
}

/* Figures of what answers; of all else why it does not. */
static void figures_cells(const struct lake *lake, const struct service *s, struct grid_cell *cells, char scratch[][VALUE_TEXT_SIZE])
{
	enum verdict v = service_verdict(s);
	const struct judged *j = &s->verdict.shown;
	struct grid_cell *cell = &cells[FIGURES];

	cell->s = tells_figures(s) ? show_figures(scratch[FIGURES], s, lake) : "";
	cell->style = cell->s[0] ? STYLE_NORMAL : v == VERDICT_STARTING ? STYLE_ACCENT : STYLE_DIM;
	if (!cell->s[0])
		cell->s = service_words(s);
	if (!cell->s[0])
		cell->s = "-";
	cells[NOTE] = (struct grid_cell){.s = s->verdict.begun && v != VERDICT_ABSENT ? j->remedy : "", .style = STYLE_DIM};
	for (size_t i = j->n_findings; s->verdict.begun && i-- > 0;)
		if (j->findings[i].severity >= SEVERITY_WARNING)
			cells[NOTE] = (struct grid_cell){.s = j->findings[i].reason,
				.style = severity_style(j->findings[i].severity)};
}

/* Old facts are dim, and say how old: in their column, or beside the verdict where there is none. */
static void age_cells(const struct overview_rows *rows, int64_t age, struct grid_cell *cells, char scratch[][VALUE_TEXT_SIZE])
{
	char span[CLOCK_TEXT], words[VALUE_TEXT_SIZE * 2];

	if (age < 0)
		return;
	for (size_t i = VERDICT; i < COLUMNS; i++)
		cells[i].style = STYLE_DIM;
	cells[AGE].s = clock_span(scratch[AGE], age);
	if (rows->wide)
		return;
	snprintf(words, sizeof words, "%s  %s", cells[VERDICT].s, clock_span(span, age));
	if (text_columns(text_of(words)) <= VERDICT_WIDTH) {
		cells[VERDICT].s = text_copy(scratch[VERDICT], VALUE_TEXT_SIZE, text_of(words));
	} else {
		snprintf(words, sizeof words, "%s old  %.*s", span, VALUE_TEXT_SIZE, cells[FIGURES].s);
		cells[FIGURES].s = text_copy(scratch[FIGURES], VALUE_TEXT_SIZE, text_of(words));
	}
}

static void owner_cells(const struct service *s, struct grid_cell *cells, char scratch[][VALUE_TEXT_SIZE])
{
	const struct owner *o = &s->verdict.shown.owner;
	bool running = s->verdict.begun && (o->pid > 0 || o->container[0]);

	cells[OWNER].s = s->verdict.begun ? show_owner(scratch[OWNER], o) : "-";
	cells[CPU].s = running ? show_cores(scratch[CPU], o->cpu) : "-";
	cells[MEMORY].s = value_show(scratch[MEMORY], running && o->rss > 0 ? value_int(o->rss) : value_unknown(), UNIT_BYTES);
}

static void name_cells(const struct overview_rows *rows, const struct service *s, struct grid_cell *cells,
	char scratch[][VALUE_TEXT_SIZE])
{
	enum verdict v = service_verdict(s);
	bool warns = service_findings(s, SEVERITY_WARNING) > 0;

	snprintf(scratch[GLYPH], VALUE_TEXT_SIZE, "%s%s", verdict_glyph(v, rows->ascii), warns ? "!" : "");
	cells[GLYPH].s = scratch[GLYPH];
	cells[GLYPH].style = service_style(s);
	if (warns && cells[GLYPH].style == STYLE_GOOD)
		cells[GLYPH].style = severity_style(service_findings(s, SEVERITY_BLOCKING) ? SEVERITY_BLOCKING : SEVERITY_WARNING);
	cells[SERVICE].s = s->name;
	cells[VERDICT].s = verdict_word(v);
	cells[VERDICT].style = v == VERDICT_SERVING ? STYLE_NORMAL : service_style(s);
	cells[VERSION].s = show_version(scratch[VERSION], s);
	cells[VERSION].style = v == VERDICT_WRONG_VERSION ? service_style(s) : STYLE_NORMAL;
	cells[PORT].s = "-";
	if (s->at.port) {
		snprintf(scratch[PORT], VALUE_TEXT_SIZE, "%u", (unsigned)s->at.port);
		cells[PORT].s = scratch[PORT];
	}
}

static const char *row(const void *ctx, size_t at, struct grid_cell *cells, char scratch[][VALUE_TEXT_SIZE])
{
	const struct overview_rows *rows = ctx;
	const struct service *s = rows->at[at];
	const struct history *trend = service_trend(s);
	enum verdict v = service_verdict(s);

	for (size_t i = 0; i < COLUMNS; i++)
		cells[i] = (struct grid_cell){.style = STYLE_NORMAL};
	name_cells(rows, s, cells, scratch);
	owner_cells(s, cells, scratch);
	figures_cells(rows->lake, s, cells, scratch);
	if (trend && v == VERDICT_SERVING)
		cells[TREND] = (struct grid_cell){.style = STYLE_GRAPH, .spark = history_back, .spark_ctx = trend};
	age_cells(rows, service_age(s, rows->lake), cells, scratch);
	if (v == VERDICT_ABSENT && !s->required)
		for (size_t i = 0; i < COLUMNS; i++)
			cells[i].style = STYLE_DIM;
	return s->name;
}

/* ---- columns: as wide as what stands in them, so that the figures get the rest ---- */

/* Which of the less needed columns may join: the figures come first. */
static void offer_columns(struct overview_rows *rows, int room, int figures)
{
	static const enum column joining[] = {OWNER, MEMORY, CPU, TREND, NOTE};
	int left = room - rows->columns[GLYPH].width - 1;

	rows->columns[AGE].priority = rows->wide ? 0 : GRID_NEVER;
	left -= rows->wide ? rows->columns[AGE].width + 2 : 0;
	for (enum column i = SERVICE; i <= PORT; i++)
		left -= rows->columns[i].width + 2;
	for (size_t i = 0; i < sizeof joining / sizeof *joining; i++) {
		struct grid_column *column = &rows->columns[joining[i]];

		if (left - column->width - 2 < (joining[i] == OWNER ? FIGURES_LEAST + 2 : FIGURES_WISH))
			column->priority = GRID_NEVER;
		else
			left -= column->width + 2;
	}
	if (rows->columns[NOTE].priority == GRID_NEVER)
		return;
	rows->columns[FIGURES].width = int_min(int_max(int_clamp(left / 2, FIGURES_WISH + 8, FIGURES_MOST), figures), left);
	rows->columns[FIGURES].flexible = false;
}

void overview_columns(struct overview_rows *rows, const struct canvas *c)
{
	int name = 7, version = 7, owner = 5, figures = 0;

	for (size_t i = 0; i < rows->lake->n_services; i++) { /* all of them: a filter must not move columns */
		const struct service *s = rows->lake->services[i];
		char out[VALUE_TEXT_SIZE];

		name = int_max(name, canvas_columns(c, s->name));
		version = int_max(version, canvas_columns(c, show_version(out, s)));
		owner = int_max(owner, canvas_columns(c, show_owner(out, &s->verdict.shown.owner)));
		if (tells_figures(s))
			figures = int_max(figures, canvas_columns(c, show_figures(out, s, rows->lake)));
	}
	figures = int_min((figures + FIGURES_STEP - 1) / FIGURES_STEP * FIGURES_STEP, FIGURES_MOST); /* a digit more moves no column */
	name = int_min(name, int_clamp(c->width / 5, 10, 28));
	version = int_min(version, c->width < 80 ? 16 : 20);
	owner = int_min(owner, int_clamp(c->width / 6, 12, 28));
	rows->wide = c->width >= WIDE;
	rows->ascii = c->ascii;
	memcpy(rows->columns, (struct grid_column[COLUMNS]){
		[GLYPH] = {.head = "", .width = 2},
		[SERVICE] = {.head = "SERVICE", .width = name},
		[VERDICT] = {.head = "VERDICT", .width = VERDICT_WIDTH},
		[VERSION] = {.head = "VERSION", .width = version, .priority = 1},
		[PORT] = {.head = "PORT", .width = 5, .priority = 3, .right = true},
		[OWNER] = {.head = "OWNER", .width = owner, .priority = 4},
		[CPU] = {.head = "CPU", .width = 5, .priority = 6, .right = true},
		[MEMORY] = {.head = "MEM", .width = 8, .priority = 5, .right = true},
		[TREND] = {.head = "TREND", .width = int_clamp(c->width / 16, 10, 20), .priority = 7},
		[FIGURES] = {.head = "FIGURES", .width = FIGURES_LEAST, .priority = 2, .flexible = true},
		[NOTE] = {.head = "NOTE", .width = NOTE_LEAST, .priority = 8, .flexible = true},
		[AGE] = {.head = "AGE", .width = 5, .right = true},
	}, sizeof rows->columns);
	offer_columns(rows, c->width - 2, figures);
}

struct grid_source overview_source(const struct overview_rows *rows, bool headings)
{
	return (struct grid_source){
		.n_rows = rows->n, .columns = rows->columns, .n_columns = COLUMNS, .row = row, .heading = headings ? heading : NULL,
		.ctx = rows,
		.empty = rows->lake->n_services ? "no service here matches" :
			rows->lake->settled ? "nothing found: no service is expected, and none that is known listens on this machine" : "",
	};
}

int overview_headings(const struct overview_rows *rows)
{
	int n = 0;

	for (size_t i = 0; i < rows->n; i++)
		n += heading(rows, i) != NULL;
	return n;
}
