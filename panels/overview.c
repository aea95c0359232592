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
	WIDE = 100, WIDER = 128,                 /* columns from which there is room for ages, for trends */
};

enum column { GLYPH, SERVICE, VERDICT, VERSION, PORT, OWNER, CPU, MEMORY, FIGURES, TREND, AGE, COLUMNS };

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
static void figures_cell(const struct rows *rows, const struct service *s, int64_t age, struct grid_cell *cell, char out[VALUE_TEXT_SIZE])
{
	enum verdict v = service_verdict(s);
	bool answers = v == VERDICT_SERVING || v == VERDICT_WRONG_VERSION;
	char span[CLOCK_TEXT], late[VALUE_TEXT_SIZE * 2];

	cell->s = answers ? show_figures(out, s) : "";
	cell->style = cell->s[0] ? STYLE_NORMAL : v == VERDICT_STARTING ? STYLE_ACCENT : STYLE_DIM;
	if (!cell->s[0])
		cell->s = service_words(s);
	if (!cell->s[0])
		cell->s = "-";
	if (age >= 0 && !rows->wide) { /* there is no column for it */
		snprintf(late, sizeof late, "%s old  %.*s", clock_span(span, age), VALUE_TEXT_SIZE, cell->s);
		cell->s = text_copy(out, VALUE_TEXT_SIZE, text_of(late));
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

static void name_cells(const struct rows *rows, const struct service *s, struct grid_cell *cells, char scratch[][VALUE_TEXT_SIZE])
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
	int64_t age = service_age(s, rows->lake);

	for (size_t i = 0; i < COLUMNS; i++)
		cells[i] = (struct grid_cell){.style = STYLE_NORMAL};
	name_cells(rows, s, cells, scratch);
	owner_cells(s, cells, scratch);
	figures_cell(rows, s, age, &cells[FIGURES], scratch[FIGURES]);
	if (trend && v == VERDICT_SERVING)
		cells[TREND] = (struct grid_cell){.style = STYLE_GRAPH, .spark = history_back, .spark_ctx = trend};
	if (age >= 0) {
		cells[AGE].s = clock_span(scratch[AGE], age);
		for (size_t i = VERDICT; i < COLUMNS; i++)
			cells[i].style = STYLE_DIM;
	}
	if (v == VERDICT_ABSENT && !s->required)
		for (size_t i = 0; i < COLUMNS; i++)
			cells[i].style = STYLE_DIM;
	return s->name;
}

/* ---- columns: as wide as what stands in them, so that the figures get the rest ---- */

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
	version = int_min(version, 16);
	owner = int_min(owner, int_clamp(c->width / 6, 12, 28));
	rows->wide = c->width >= WIDE;
	rows->ascii = c->ascii;
	memcpy(rows->columns, (struct grid_column[COLUMNS]){
		[GLYPH] = {.head = "", .width = 2},
		[SERVICE] = {.head = "SERVICE", .width = name},
		[VERDICT] = {.head = "VERDICT", .width = 13},
		[VERSION] = {.head = "VERSION", .width = version, .priority = 1},
		[PORT] = {.head = "PORT", .width = 5, .priority = 3, .right = true},
		[OWNER] = {.head = "OWNER", .width = owner, .priority = 4},
		[CPU] = {.head = "CPU", .width = 5, .priority = 7, .right = true},
		[MEMORY] = {.head = "MEM", .width = 8, .priority = 6, .right = true},
		[FIGURES] = {.head = "FIGURES", .width = 16, .priority = 2, .flexible = true},
		[TREND] = {.head = "TREND", .width = int_clamp(c->width / 3 - 32, 8, RING_SIZE / 2), .priority = 8},
		[AGE] = {.head = "AGE", .width = 5, .priority = 5, .right = true},
	}, sizeof rows->columns);
	if (!rows->wide)
		rows->columns[AGE].width = c->width; /* never fits */
	if (c->width < WIDER)
		rows->columns[TREND].width = c->width;
}

static struct grid_source source_of(const struct rows *rows, bool headings)
{
	return (struct grid_source){
		.n_rows = rows->n, .columns = rows->columns, .n_columns = COLUMNS, .row = row, .heading = headings ? heading : NULL, .ctx = rows,
		.empty = rows->lake->n_services ? "no service here matches" :
			"nothing found yet: no service is expected, and none that is known listens on this machine",
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
	show_text(c, y, x + used + 2, 2, STYLE_DIM, "→");
	show_text(c, y, x + used + 4, -1, STYLE_ACCENT, help);
	return true;
}

static void draw_more(struct canvas *c, int y, const struct lake *lake, size_t from)
{
	char names[REASON_SIZE] = "";
	size_t used = 0;

	for (size_t i = from; i < lake->n_problems && used + NAME_SIZE + 4 < sizeof names; i++)
		used += (size_t)snprintf(names + used, NAME_SIZE + 4, "%s%.*s", i > from ? ", " : "", NAME_SIZE - 1, lake->problems[i].service->name);
	canvas_printf(c, y, 4, c->width - 5, STYLE_DIM, "and %zu more: %s", lake->n_problems - from, names);
}

static int draw_problems(struct canvas *c, const struct lake *lake, int most)
{
	size_t n = lake->n_problems, shown = n <= (size_t)most ? n : most > 1 ? (size_t)most - 1 : 1;
	int width = 0, y = 0;
	char help[REASON_SIZE];

	for (size_t i = 0; i < shown; i++)
		width = int_max(width, canvas_columns(c, lake->problems[i].service->name));
	width = int_min(width, int_clamp(c->width / 5, 10, 28));
	for (size_t i = 0; i < shown; i++) {
		bool told = draw_problem(c, y++, width, c->width - 1 - (most == 1 && n > 1 ? 9 : 0), &lake->problems[i]);

		if (i == 0 && !told && c->height >= ROOM_FOR_BOX) { /* the first broken thing: what helps is as important */
			show_text(c, y, 4 + width + 2, 2, STYLE_DIM, "→");
			show_text(c, y++, 4 + width + 4, c->width - 7 - width - 2, STYLE_ACCENT, problem_help(help, &lake->problems[0]));
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
	char span[CLOCK_TEXT], demo[NAME_SIZE + 20] = "", since[CLOCK_TEXT + 8] = "";
	int x = 1;

	if (lake->demo)
		snprintf(demo, sizeof demo, " of demo %.*s", NAME_SIZE, lake->demo->name);
	if (lake->ready_since > 0)
		snprintf(since, sizeof since, ", for %s", clock_span(span, lake->wall > lake->ready_since ? lake->wall - lake->ready_since : 0));
	x += show_text(c, 0, x, 2, STYLE_GOOD, verdict_glyph(VERDICT_SERVING, c->ascii));
	x += canvas_printf(c, 0, x + 2, c->width - x - 3, STYLE_NORMAL, lake->n_required == 1 ? "the %zu required service%s serves%s" :
		"all %zu required services%s serve%s", lake->n_required, demo, since);
	if (lake->n_warnings && x + 20 < c->width)
		canvas_printf(c, 0, x + 4, c->width - x - 5, STYLE_WARN, "! %zu warning%s", lake->n_warnings, lake->n_warnings == 1 ? "" : "s");
}

/* Nothing is required: say what there is, and do not judge. */
static void draw_found(struct canvas *c, const struct lake *lake)
{
	size_t serving = 0;

	for (size_t i = 0; i < lake->n_services; i++)
		serving += service_verdict(lake->services[i]) == VERDICT_SERVING;
	canvas_printf(c, 0, 1, c->width - 2, STYLE_NORMAL, "%zu service%s found, %zu serving; %s", lake->n_services,
		lake->n_services == 1 ? "" : "s", serving, lake->profile && lake->profile->name ? "none is required" : "no profile says what should be here");
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
	char a[VALUE_TEXT_SIZE], words[VALUE_TEXT_SIZE * 3];

	if (!f) {
		show_text(c, y, 1, c->width - 2, STYLE_DIM, "the machine was not looked at yet");
		return;
	}
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
		snprintf(words, sizeof words, "%s killed for memory", value_show(a, value_int(f->box.oom_kills), UNIT_COUNT));
		pen_part(&pen, STYLE_WARN, words, NULL);
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

	if (!lake->n_events)
		show_text(c, y, 1, c->width - 2, STYLE_DIM, "nothing has changed since the start");
	for (int i = 0; i < lines && (size_t)i < lake->n_events; i++) {
		const struct event *e = &lake->events[lake->n_events - 1 - (size_t)i];
		char hms[CLOCK_TEXT];
		int x = 1 + show_text(c, y + i, 1, 8, STYLE_DIM, clock_hms(hms, e->wall)) + 1;

		x += show_text(c, y + i, x, int_clamp(c->width / 5, 10, 28), styles[e->severity], e->service) + 1;
		show_text(c, y + i, x, c->width - x - 1, styles[e->severity] == STYLE_NORMAL ? STYLE_DIM : styles[e->severity], e->words);
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

static void draw(struct panel_view *view, void *state, struct canvas *c)
{
	struct overview *o = state;
	struct rows rows;
	struct grid_source source;
	struct canvas middle;
	bool rules = c->height >= ROOM_FOR_RULES, box = c->height >= ROOM_FOR_BOX;
	int top, events, needed, foot = 0;

	rows_collect(&rows, view);
	columns_for(&rows, c);
	top = draw_state(c, view->lake);
	if (rules)
		show_rule(c, top++);
	needed = 1 + (int)rows.n + headings_in(&rows);
	if (rules) {
		events = int_clamp(c->height - top - needed - 1 - box, 1, EVENT_LINES);
		events = int_min(events, view->lake->n_events ? (int)view->lake->n_events : 1);
		foot = 1 + box + events;
		show_rule(c, c->height - foot);
		if (box)
			draw_box(c, c->height - foot + 1, view->lake);
		draw_events(c, c->height - events, events, view->lake);
	}
	source = source_of(&rows, rules);
	middle = canvas_part(c, top, 0, c->height - top - foot, c->width);
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
		"it, and its figures. ! marks a warning. What is dim is old, and says how old.",
	.hints = (const struct key_hint[]){{ACT_ENTER, "open"}, {ACT_NONE, NULL}},
	.state_size = sizeof(struct overview),
	.draw = draw,
	.act = act,
};
