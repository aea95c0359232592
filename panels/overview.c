// SPDX-License-Identifier: MIT
/*
 * The overview: can the demo be started, and if not, what is broken first and what helps. Above,
 * the problems in words, causes before victims, or one quiet line; then a row per service, grouped
 * and always in the same place; below, the box and what happened last. UI thread only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "mem.h"
#include "panels.h"
#include "show.h"

enum {
	PROBLEM_LINES = 4, EVENT_LINES = 8,
	ROOM_FOR_RULES = 14, ROOM_FOR_BOX = 18, /* lines of the canvas from which there is room for them */
	NARROW = 60,                             /* columns up to which a problem takes two lines */
	WIDE = 100,                              /* columns from which there is room for ages */
	VERDICT_WIDTH = 13,
	FIGURES_LEAST = 16, FIGURES_WISH = 30, FIGURES_MOST = 60, NOTE_LEAST = 32, /* the figures get these before others join */
};

enum column { GLYPH, SERVICE, VERDICT, VERSION, PORT, OWNER, CPU, MEMORY, TREND, FIGURES, NOTE, AGE, COLUMNS };

struct overview {
	struct grid grid;
	int page;
	char copied[REASON_SIZE * 3];
};

/* The services in the order of the screen, and what the columns need. */
struct rows {
	const struct lake *lake;
	const char *filter;
	bool problems_only, wide, ascii;
	const struct service **at;
	size_t n;
	struct grid_column columns[COLUMNS];
};

/* ---- which rows, in which order ---- */

static const char *group_of(const struct service *s)
{
	return !s->expected ? "found" : s->group && s->group[0] ? s->group : "other";
}

static bool row_kept(const struct rows *rows, const struct service *s)
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

static void rows_add_group(struct rows *rows, const char *group)
{
	const struct lake *lake = rows->lake;

	for (size_t i = 0; i < lake->n_services; i++)
		if (!strcmp(group_of(lake->services[i]), group) && row_kept(rows, lake->services[i]))
			rows->at[rows->n++] = lake->services[i];
}

static bool is_known_group(const char *group)
{
	static const char *const known[] = {"storage", "catalogs", "streams", "compute", "runs", "found"};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(group, known[i]))
			return true;
	return false;
}

static bool is_first_of_group(const struct lake *lake, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(group_of(lake->services[i]), group_of(lake->services[at])))
			return false;
	return true;
}

static void rows_collect(struct rows *rows, const struct panel_view *view)
{
	static const char *const first[] = {"storage", "catalogs", "streams", "compute", "runs"};

	*rows = (struct rows){.lake = view->lake, .filter = view->filter ? view->filter : "", .problems_only = view->problems_only};
	rows->at = mem_new(view->lake->n_services + 1, sizeof *rows->at);
	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		rows_add_group(rows, first[i]);
	for (size_t i = 0; i < view->lake->n_services; i++) /* groups of the profile's own */
		if (!is_known_group(group_of(view->lake->services[i])) && is_first_of_group(view->lake, i))
			rows_add_group(rows, group_of(view->lake->services[i]));
	rows_add_group(rows, "found");
}

/* ---- a row ---- */

static const char *heading(const void *ctx, size_t row)
{
	const struct rows *rows = ctx;
	const char *group = group_of(rows->at[row]);

	return row && !strcmp(group, group_of(rows->at[row - 1])) ? NULL : group;
}

/* Figures of what answers; of all else why it does not. */
static void figures_cells(const struct lake *lake, const struct service *s, struct grid_cell *cells, char scratch[][VALUE_TEXT_SIZE])
{
	enum verdict v = service_verdict(s);
	const struct judged *j = &s->verdict.shown;
	struct grid_cell *cell = &cells[FIGURES];
	bool answers = v == VERDICT_SERVING || v == VERDICT_WRONG_VERSION;

	cell->s = answers ? show_figures(scratch[FIGURES], s, lake) : "";
	cell->style = cell->s[0] ? STYLE_NORMAL : v == VERDICT_STARTING ? STYLE_ACCENT : STYLE_DIM;
	if (!cell->s[0])
		cell->s = service_words(s);
	if (!cell->s[0])
		cell->s = "-";
	cells[NOTE] = (struct grid_cell){.s = s->verdict.begun && v != VERDICT_ABSENT ? j->remedy : "", .style = STYLE_DIM};
	for (size_t i = j->n_findings; s->verdict.begun && i-- > 0;)
		if (j->findings[i].severity >= SEVERITY_WARNING)
			cells[NOTE] = (struct grid_cell){.s = j->findings[i].reason,
				.style = j->findings[i].severity == SEVERITY_BLOCKING ? STYLE_BAD : STYLE_WARN};
}

/* Old facts are dim, and say how old: in their column, or beside the verdict where there is none. */
static void age_cells(const struct rows *rows, int64_t age, struct grid_cell *cells, char scratch[][VALUE_TEXT_SIZE])
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

static void name_cells(const struct rows *rows, const struct service *s, struct grid_cell *cells,
	char scratch[][VALUE_TEXT_SIZE])
{
	enum verdict v = service_verdict(s);
	bool warns = service_findings(s, SEVERITY_WARNING) > 0;

	snprintf(scratch[GLYPH], VALUE_TEXT_SIZE, "%s%s", verdict_glyph(v, rows->ascii), warns ? "!" : "");
	cells[GLYPH].s = scratch[GLYPH];
	cells[GLYPH].style = service_style(s);
	if (warns && cells[GLYPH].style == STYLE_GOOD)
		cells[GLYPH].style = service_findings(s, SEVERITY_BLOCKING) ? STYLE_BAD : STYLE_WARN;
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
	const struct rows *rows = ctx;
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
static void offer_columns(struct rows *rows, int room)
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
	rows->columns[FIGURES].width = int_min(int_clamp(left / 2, FIGURES_WISH + 8, FIGURES_MOST), left);
	rows->columns[FIGURES].flexible = false;
}

static void columns_for(struct rows *rows, const struct canvas *c)
{
	int name = 7, version = 7, owner = 5;

	for (size_t i = 0; i < rows->lake->n_services; i++) { /* all of them: a filter must not move columns */
		const struct service *s = rows->lake->services[i];
		char out[VALUE_TEXT_SIZE];

		name = int_max(name, canvas_columns(c, s->name));
		version = int_max(version, canvas_columns(c, show_version(out, s)));
		owner = int_max(owner, canvas_columns(c, show_owner(out, &s->verdict.shown.owner)));
	}
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
		[TREND] = {.head = "TREND", .width = int_clamp(c->width / 8, 10, 30), .priority = 7},
		[FIGURES] = {.head = "FIGURES", .width = FIGURES_LEAST, .priority = 2, .flexible = true},
		[NOTE] = {.head = "NOTE", .width = NOTE_LEAST, .priority = 8, .flexible = true},
		[AGE] = {.head = "AGE", .width = 5, .right = true},
	}, sizeof rows->columns);
	offer_columns(rows, c->width - 2);
}

static struct grid_source source_of(const struct rows *rows, bool headings)
{
	return (struct grid_source){
		.n_rows = rows->n, .columns = rows->columns, .n_columns = COLUMNS, .row = row, .heading = headings ? heading : NULL,
		.ctx = rows,
		.empty = rows->lake->n_services ? "no service here matches" :
			rows->lake->settled ? "nothing found: no service is expected, and none that is known listens on this machine" : "",
	};
}

/* ---- above: the problems, or one quiet line ---- */

static const char *problem_reason(const struct problem *p)
{
	return p->finding ? p->finding->reason : service_words(p->service);
}

static const char *problem_remedy(const struct problem *p)
{
	return p->finding ? p->finding->remedy : p->service->verdict.begun ? p->service->verdict.shown.remedy : "";
}

/* What helps; of a victim, whose fault it is. */
static char *problem_help(char out[REASON_SIZE], const struct problem *p)
{
	if (p->service->cause && p->service->cause->name)
		snprintf(out, REASON_SIZE, "caused by %.200s", p->service->cause->name);
	else
		text_copy(out, REASON_SIZE, text_of(problem_remedy(p)));
	return out;
}

/* Returns whether the help found room on the line. */
static bool draw_problem(struct canvas *c, int y, int name_width, int right, const struct problem *p)
{
	enum verdict v = service_verdict(p->service);
	enum style style = p->finding ? p->finding->severity == SEVERITY_BLOCKING ? STYLE_BAD : STYLE_WARN : service_style(p->service);
	int x = 4 + name_width + 2, room = right - x, used;
	char help[REASON_SIZE];
	const char *reason = problem_reason(p);

	show_text(c, y, 1, 2, style, p->finding ? "!" : verdict_glyph(v, c->ascii));
	show_text(c, y, 4, name_width, style, p->service->name);
	used = show_text(c, y, x, room, STYLE_NORMAL, reason[0] ? reason : verdict_word(v));
	problem_help(help, p);
	if (!help[0])
		return true;
	if (used + 4 + canvas_columns(c, help) > room)
		return false;
	if (!p->service->cause)
		show_text(c, y, x + used + 2, 2, STYLE_DIM, "→");
	show_text(c, y, x + used + 4, -1, p->service->cause ? STYLE_DIM : STYLE_ACCENT, help);
	return true;
}

static void draw_more(struct canvas *c, int y, const struct lake *lake, size_t from)
{
	char names[REASON_SIZE] = "";
	size_t used = 0;

	for (size_t i = from; i < lake->n_problems && used + NAME_SIZE + 4 < sizeof names; i++)
		used += (size_t)snprintf(names + used, NAME_SIZE + 4, "%s%.*s", i > from ? ", " : "", NAME_SIZE - 1,
			lake->problems[i].service->name);
	canvas_printf(c, y, 4, c->width - 5, STYLE_DIM, "and %zu more: %s", lake->n_problems - from, names);
}

/* What helps against the first broken thing is as important as the thing: it gets a line. */
static bool first_needs_line(const struct canvas *c, const struct problem *p)
{
	return c->height >= ROOM_FOR_BOX && !p->service->cause && problem_remedy(p)[0];
}

/* Name and reason do not fit side by side: the reason gets a line of its own. */
static int draw_narrow_problem(struct canvas *c, const struct lake *lake)
{
	const struct problem *p = &lake->problems[0];
	enum style style = p->finding ? STYLE_BAD : service_style(p->service);
	char more[CLOCK_TEXT] = "";
	int y = 0;

	if (lake->n_problems > 1)
		snprintf(more, sizeof more, "+%zu more", lake->n_problems - 1);
	show_text(c, y, 1, 2, style, p->finding ? "!" : verdict_glyph(service_verdict(p->service), c->ascii));
	show_text(c, y, 4, c->width - 7 - (int)strlen(more), style, p->service->name);
	show_text(c, y++, c->width - 1 - (int)strlen(more), -1, STYLE_DIM, more);
	show_text(c, y++, 4, c->width - 5, STYLE_NORMAL,
		problem_reason(p)[0] ? problem_reason(p) : verdict_word(service_verdict(p->service)));
	if (c->height >= 10 && problem_remedy(p)[0]) {
		show_text(c, y, 4, 2, STYLE_DIM, "→");
		show_text(c, y++, 6, c->width - 7, STYLE_ACCENT, problem_remedy(p));
	}
	return y;
}

static int draw_problems(struct canvas *c, const struct lake *lake, int most)
{
	size_t n = lake->n_problems, shown = n <= (size_t)most ? n : most > 1 ? (size_t)most - 1 : 1;
	int width = 0, y = 0;

	if (c->width < NARROW)
		return draw_narrow_problem(c, lake);
	for (size_t i = 0; i < shown; i++)
		width = int_max(width, canvas_columns(c, lake->problems[i].service->name));
	width = int_min(width, int_clamp(c->width / 5, 10, 28));
	for (size_t i = 0; i < shown; i++) {
		bool told = draw_problem(c, y++, width, c->width - 1 - (most == 1 && n > 1 ? 9 : 0), &lake->problems[i]);

		if (i == 0 && !told && first_needs_line(c, &lake->problems[0])) {
			show_text(c, y, 4 + width + 2, 2, STYLE_DIM, "→");
			show_text(c, y++, 4 + width + 4, c->width - 9 - width, STYLE_ACCENT, problem_remedy(&lake->problems[0]));
		}
	}
	if (n > shown && most == 1)
		canvas_printf(c, 0, c->width - 9, 8, STYLE_DIM, "+%zu more", n - shown);
	else if (n > shown)
		draw_more(c, y++, lake, shown);
	return y;
}

static void draw_asking(struct canvas *c, int y, const struct lake *lake)
{
	char names[REASON_SIZE] = "";
	size_t used = 0, asked = 0, required = 0;

	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *s = lake->services[i];

		required += s->required;
		if (!s->required || !s->asking)
			continue;
		if (used + NAME_SIZE + 4 < sizeof names)
			used += (size_t)snprintf(names + used, NAME_SIZE + 4, "%s%.*s", asked ? ", " : "", NAME_SIZE - 1, s->name);
		asked++;
	}
	if (required)
		canvas_printf(c, y, 1, c->width - 2, STYLE_DIM, "asking %zu of %zu … %s", asked, required, names);
	else
		show_text(c, y, 1, c->width - 2, STYLE_DIM, "looking who listens here …");
}

static void draw_ready(struct canvas *c, const struct lake *lake)
{
	char span[CLOCK_TEXT], demo[NAME_SIZE + 20] = "", since[CLOCK_TEXT + 8] = "", words[REASON_SIZE];
	bool one = lake->n_required == 1, narrow = c->width < NARROW;
	const struct judged_finding *finding;
	const struct service *whose = NULL;
	int x = 4;

	if (lake->demo)
		snprintf(demo, sizeof demo, " of demo %.*s", NAME_SIZE, lake->demo->name);
	if (lake->ready_since > 0)
		snprintf(since, sizeof since, ", for %s",
			clock_span(span, lake->wall > lake->ready_since ? lake->wall - lake->ready_since : 0));
	snprintf(words, sizeof words, "%s %zu %s%s%s %s%s", one ? "the" : "all", lake->n_required,
		narrow ? "required" : "required service",
		narrow || one ? "" : "s", demo, one ? "serves" : "serve", since);
	show_text(c, 0, 1, 2, STYLE_GOOD, verdict_glyph(VERDICT_SERVING, c->ascii));
	x += show_text(c, 0, x, c->width - x - 1, STYLE_NORMAL, words);
	finding = lake_warning(lake, 0, &whose);
	snprintf(words, sizeof words, "! %zu warning%s%s%s%s%.60s%s", lake->n_warnings, lake->n_warnings == 1 ? "" : "s", finding ? ": " : "",
		finding ? whose->name : "", finding ? " " : "", finding ? finding->name : "", lake->n_warnings > 1 ? ", …" : "");
	if (x + 3 + canvas_columns(c, words) >= c->width)
		snprintf(words, sizeof words, "! %zu warning%s", lake->n_warnings, lake->n_warnings == 1 ? "" : "s");
	if (lake->n_warnings && x + 3 + canvas_columns(c, words) < c->width)
		show_text(c, 0, x + 3, -1, STYLE_WARN, words);
}

/* Nothing is required: say what there is, and do not judge. */
static void draw_found(struct canvas *c, const struct lake *lake)
{
	size_t serving = 0;

	for (size_t i = 0; i < lake->n_services; i++)
		serving += service_verdict(lake->services[i]) == VERDICT_SERVING;
	canvas_printf(c, 0, 1, c->width - 2, STYLE_NORMAL, "%zu service%s found, %zu serving; %s", lake->n_services,
		lake->n_services == 1 ? "" : "s", serving,
			lake->profile && lake->profile->name ? "none is required" : "no profile says what should be here");
}

/* Returns the lines used. */
static int draw_state(struct canvas *c, const struct lake *lake)
{
	int most = c->height < 10 ? 1 : c->height < ROOM_FOR_RULES ? 2 : PROBLEM_LINES, y;

	if (lake->n_problems) {
		y = draw_problems(c, lake, most);
		if (!lake->settled && c->height >= ROOM_FOR_BOX)
			draw_asking(c, y++, lake);
		return y;
	}
	if (lake->ready)
		draw_ready(c, lake);
	else if (!lake->settled)
		draw_asking(c, 0, lake);
	else
		draw_found(c, lake);
	return 1;
}

/* What an earlier laketop began, and whose end is not known, is not hidden below. Returns the lines used. */
static int draw_cut_short(struct canvas *c, int y, const struct lake *lake)
{
	const struct action_shown *last = NULL;
	char span[CLOCK_TEXT], words[REASON_SIZE];
	size_t n = 0;

	for (size_t i = 0; i < lake->n_actions; i++)
		if (lake->actions[i].state == ACTION_OPEN) {
			last = &lake->actions[i];
			n++;
		}
	if (!last || c->height < 10)
		return 0;
	clock_span(span, lake->wall > last->begun ? lake->wall - last->begun : 0);
	if (n > 1)
		snprintf(words, sizeof words, "%zu actions were cut short, the last %.100s, %s ago; X lists them", n, last->title, span);
	else
		snprintf(words, sizeof words, "%.100s was cut short %s ago: whether it was done is not known; X tells", last->title, span);
	show_text(c, y, 1, 2, STYLE_WARN, "!");
	show_text(c, y, 4, c->width - 5, STYLE_WARN, words);
	return 1;
}

/* ---- below: the box, and what happened last ---- */

/* Little left is worth a colour before it is nothing. */
static enum style left_style(int64_t left, int64_t total)
{
	return total <= 0 ? STYLE_NORMAL : left < total / 20 ? STYLE_BAD : left < total / 10 ? STYLE_WARN : STYLE_NORMAL;
}

static void box_memory(struct pen *pen, const struct box *box, const struct history *trend)
{
	char a[VALUE_TEXT_SIZE], b[VALUE_TEXT_SIZE], words[VALUE_TEXT_SIZE * 3];

	if (box->memory_total <= 0)
		return;
	snprintf(words, sizeof words, "mem %s of %s free", value_show(a, value_int(box->memory_available), UNIT_BYTES),
		value_show(b, value_int(box->memory_total), UNIT_BYTES));
	pen_part(pen, left_style(box->memory_available, box->memory_total), words, trend);
	if (box->swap_total > 0 && box->swap_total > box->swap_free) {
		snprintf(words, sizeof words, "swap %s used", value_show(a, value_int(box->swap_total - box->swap_free), UNIT_BYTES));
		pen_part(pen, STYLE_NORMAL, words, NULL);
	}
}

static void draw_box(struct canvas *c, int y, const struct lake *lake)
{
	struct pen pen = {c, y, 1};
	const struct facts *f = lake->facts;
	enum style style;
	char a[VALUE_TEXT_SIZE], words[VALUE_TEXT_SIZE * 3];

	if (!f) {
		show_text(c, y, 1, c->width - 2, STYLE_DIM, "the machine was not looked at yet");
		return;
	}
	if (tables_line(a, lake, NULL, &style))
		pen_part(&pen, style, a, NULL);
	snprintf(words, sizeof words, "load %.2f of %d cores", f->box.load1, f->box.cores);
	pen_part(&pen, STYLE_NORMAL, words, lake->load);
	box_memory(&pen, &f->box, lake->memory);
	for (size_t i = 0; i < f->n_disks; i++) {
		const struct disk *d = &f->disks[i];

		snprintf(words, sizeof words, "%.60s %s free", d->path,
			value_show(a, d->total > 0 ? value_int(d->free) : value_unknown(), UNIT_BYTES));
		pen_part(&pen, left_style(d->free, d->total), words, NULL);
	}
	if (f->box.oom_kills > 0) {
		snprintf(words, sizeof words, "%s killed for memory since boot", value_show(a, value_int(f->box.oom_kills), UNIT_COUNT));
		pen_part(&pen, STYLE_NORMAL, words, NULL);
	}
	if (lake->docker && (lake->docker->docker == DOCKER_DENIED || lake->docker->docker == DOCKER_DEAD)) {
		snprintf(words, sizeof words, "docker %s", lake->docker->docker == DOCKER_DENIED ? "denied" : "does not answer");
		pen_part(&pen, STYLE_UNKNOWN, words, NULL);
	}
}

static void draw_events(struct canvas *c, int y, int lines, const struct lake *lake)
{
	static const enum style styles[] = {
		[SEVERITY_INFO] = STYLE_NORMAL, [SEVERITY_WARNING] = STYLE_WARN, [SEVERITY_BLOCKING] = STYLE_BAD};

	int name = 0;

	if (!lake->n_events)
		show_text(c, y, 1, c->width - 2, STYLE_DIM, "nothing has changed since the start");
	for (size_t i = 0; i < lake->n_events && i < (size_t)lines; i++)
		name = int_max(name, canvas_columns(c, lake->events[lake->n_events - 1 - i].service));
	name = int_min(name, int_clamp(c->width / 5, 10, 28));
	for (int i = 0; i < lines && (size_t)i < lake->n_events; i++) {
		const struct event *e = &lake->events[lake->n_events - 1 - (size_t)i];
		char hms[CLOCK_TEXT];
		int x = 11 + (name ? name + 2 : 0);

		show_text(c, y + i, 1, 8, STYLE_DIM, clock_hms(hms, e->wall));
		show_text(c, y + i, 11, name, styles[e->severity], e->service);
		show_text(c, y + i, x, c->width - x - 1, styles[e->severity] == STYLE_NORMAL ? STYLE_DIM : styles[e->severity],
			e->words);
	}
}

/* ---- the panel ---- */

static int headings_in(const struct rows *rows)
{
	int n = 0;

	for (size_t i = 0; i < rows->n; i++)
		n += heading(rows, i) != NULL;
	return n;
}

struct heights { /* of the parts, from above; what is 0 is left out */
	int rule, foot, box, events;
	bool headings;
};

/* Rows come first: what is around them gives way, the least needed first. */
static struct heights heights_for(const struct rows *rows, int height, int top)
{
	struct heights h = {0};
	int spare, headings = headings_in(rows), n_events = (int)rows->lake->n_events;

	if (height < ROOM_FOR_RULES)
		return h;
	h.rule = h.events = 1;
	spare = height - top - 3 - 1 - (int)rows->n; /* two rules and an event; the head; the rows */
	h.headings = spare >= headings || spare < 0;
	spare -= h.headings ? headings : 0;
	h.box = height >= ROOM_FOR_BOX && spare != 0;
	spare -= h.box;
	h.events += int_clamp(int_min(spare, n_events - 1), 0, EVENT_LINES - 1);
	h.foot = 1 + h.box + h.events;
	return h;
}

static void draw(struct panel_view *view, void *state, struct canvas *c)
{
	struct overview *o = state;
	struct rows rows;
	struct grid_source source;
	struct canvas middle;
	struct heights h;
	int top;

	rows_collect(&rows, view);
	columns_for(&rows, c);
	top = draw_state(c, view->lake);
	top += draw_cut_short(c, top, view->lake);
	h = heights_for(&rows, c->height, top);
	if (h.rule)
		show_rule(c, top++);
	if (h.foot)
		show_rule(c, c->height - h.foot);
	if (h.box)
		draw_box(c, c->height - h.foot + 1, view->lake);
	draw_events(c, c->height - h.events, h.events, view->lake);
	source = source_of(&rows, h.headings);
	middle = canvas_part(c, top, 0, c->height - top - h.foot, c->width);
	o->page = middle.height - 2;
	o->grid.sort = -1;
	grid_draw(&o->grid, &source, &middle);
	show_matches(&middle, 1, rows.filter);
	free(rows.at);
}

static unsigned act(struct panel_view *view, void *state, enum act what)
{
	struct overview *o = state;
	struct rows rows;
	struct grid_source source;
	unsigned reactions = REACT_NONE;

	rows_collect(&rows, view);
	source = source_of(&rows, true);
	if (grid_act(&o->grid, &source, o->page, what))
		reactions = REACT_HANDLED;
	else if (rows.n && (what == ACT_ENTER || what == ACT_RIGHT)) {
		view->open = rows.at[o->grid.selected]->name;
		reactions = REACT_OPEN;
	} else if (rows.n && what == ACT_ACTIONS) {
		view->act_on = ON_SERVICE;
		view->act_service = rows.at[o->grid.selected]->name;
		reactions = REACT_ACT;
	} else if (rows.n && what == ACT_LOGS) {
		view->log_service = rows.at[o->grid.selected]->name;
		reactions = REACT_LOGS;
	} else if (rows.n && what == ACT_COPY) {
		view->copy = show_sentence(o->copied, sizeof o->copied, rows.at[o->grid.selected]);
		reactions = REACT_COPY;
	}
	free(rows.at);
	return reactions;
}

const struct panel panel_overview = {
	.name = "overview",
	.title = "Overview",
	.key = '1',
	.help = "Can the demo be started? The first lines say what is broken, causes before victims, and what helps. Below stands each "
		"service with its verdict, the version that answers (the expected one in parentheses where it differs), its port, who holds "
		"it, and its figures. ! beside a sign is a warning; the key ! leaves only what is not well, and x on a row starts it again. What is "
		"dim is old, and says how old.",
	.hints = (const struct key_hint[]){{ACT_ENTER, "open"}, {ACT_ACTIONS, "act"}, {ACT_LOGS, "log"}, {ACT_NONE, NULL}},
	.state_size = sizeof(struct overview),
	.draw = draw,
	.act = act,
};
