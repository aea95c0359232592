// SPDX-License-Identifier: MIT
/*
 * What happened, when, to whom: the events of the lake, newest first. Times are local; what is
 * older than a day says how old it is beside it. UI thread only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "panels.h"
#include "show.h"

enum column { TIME, AGO, MARK, SERVICE, WHAT, COLUMNS };

struct rows {
	const struct lake *lake;
	const char *service; /* NULL: everybody's */
	const char *filter;
	bool problems_only;
	size_t *at, n; /* newest first, by number from the newest */
	struct grid_column columns[COLUMNS];
};

static const struct event *event_at(const struct lake *lake, size_t back)
{
	return &lake->events[lake->n_events - 1 - back];
}

static const char *mark_of(enum severity severity)
{
	return severity == SEVERITY_BLOCKING ? "!!" : severity == SEVERITY_WARNING ? "!" : "";
}

static bool keep(const void *ctx, size_t back)
{
	const struct rows *rows = ctx;
	const struct event *e = event_at(rows->lake, back);
	char hms[CLOCK_TEXT];
	const char *cells[] = {clock_hms(hms, e->wall), e->service, e->words};

	if (rows->service && strcmp(rows->service, e->service) != 0)
		return false;
	if (rows->problems_only && e->severity < SEVERITY_WARNING)
		return false;
	return row_matches(rows->filter, cells, sizeof cells / sizeof *cells);
}

static const char *row(const void *ctx, size_t at, struct grid_cell *cells, char scratch[][VALUE_TEXT_SIZE])
{
	const struct rows *rows = ctx;
	const struct event *e = event_at(rows->lake, rows->at[at]);
	enum style style = severity_style(e->severity);

	cells[TIME] = (struct grid_cell){.s = clock_hms(scratch[TIME], e->wall), .style = STYLE_DIM};
	cells[AGO] = (struct grid_cell){.s = clock_span(scratch[AGO], rows->lake->wall > e->wall ? rows->lake->wall - e->wall : 0),
		.style = STYLE_DIM};
	cells[MARK] = (struct grid_cell){.s = mark_of(e->severity), .style = style};
	cells[SERVICE] = (struct grid_cell){.s = e->service[0] ? e->service : "-", .style = STYLE_NORMAL};
	cells[WHAT] = (struct grid_cell){.s = e->words, .style = style};
	snprintf(scratch[COLUMNS], VALUE_TEXT_SIZE, "%llu", (unsigned long long)e->number);
	return scratch[COLUMNS];
}

static void rows_collect(struct rows *rows, const struct panel_view *view, const char *service)
{
	*rows = (struct rows){.lake = view->lake, .service = service, .filter = view->filter ? view->filter : "", .problems_only = view->problems_only};
	rows->at = rows_kept(view->lake->n_events, keep, rows, &rows->n);
}

static struct grid_source source_of(struct rows *rows, const struct canvas *c)
{
	int service = 7, width = c ? c->width : 80;

	for (size_t i = 0; c && i < rows->lake->n_events; i++)
		service = int_max(service, canvas_columns(c, rows->lake->events[i].service));
	rows->columns[TIME] = (struct grid_column){.head = "TIME", .width = 8, .priority = 1};
	rows->columns[AGO] = (struct grid_column){.head = "AGO", .width = 5, .priority = 3, .right = true};
	rows->columns[MARK] = (struct grid_column){.head = "", .width = 2};
	rows->columns[SERVICE] = (struct grid_column){.head = "SERVICE", .width = int_min(service, int_clamp(width / 5, 8, 28))};
	if (rows->service) /* it would say the same in every row */
		rows->columns[SERVICE] = (struct grid_column){.head = "SERVICE", .width = 7, .priority = GRID_NEVER};
	rows->columns[WHAT] = (struct grid_column){.head = "WHAT", .width = 18, .flexible = true};
	return (struct grid_source){
		.n_rows = rows->n, .columns = rows->columns, .n_columns = COLUMNS, .row = row, .ctx = rows,
		.empty = rows->lake->n_events ? "no change here matches" : "nothing has changed since the start",
	};
}

/* Who stands on the newest one wants to see the newest, not to be carried away with it. */
static void stay_on_top(struct grid *g)
{
	if (g->selected == 0)
		g->anchor[0] = '\0';
}

void events_draw(struct event_list *list, const struct panel_view *view, const char *service, struct canvas *c)
{
	struct rows rows;
	struct grid_source source;

	rows_collect(&rows, view, service);
	source = source_of(&rows, c);
	list->page = c->height - 2;
	list->grid.sort = -1;
	stay_on_top(&list->grid);
	grid_draw(&list->grid, &source, c);
	show_matches(c, 1, rows.filter);
	free(rows.at);
}

static unsigned act_on(struct event_list *list, struct panel_view *view, const struct event *e, enum act what)
{
	const struct service *s = lake_service(view->lake, e->service);
	char at[CLOCK_TEXT];

	if (s && (what == ACT_ENTER || what == ACT_RIGHT)) {
		view->open = s->name;
		return REACT_OPEN;
	}
	if (s && what == ACT_LOGS) {
		view->log_service = s->name;
		view->log_since = e->wall;
		return REACT_LOGS;
	}
	if (what != ACT_COPY)
		return REACT_NONE;
	snprintf(list->copied, sizeof list->copied, "%s %s: %s", clock_rfc3339(at, e->wall), e->service, e->words);
	view->copy = list->copied;
	return REACT_COPY;
}

unsigned events_act(struct event_list *list, struct panel_view *view, const char *service, enum act what)
{
	struct rows rows;
	struct grid_source source;
	unsigned reactions = REACT_NONE;

	rows_collect(&rows, view, service);
	source = source_of(&rows, NULL);
	stay_on_top(&list->grid);
	if (grid_act(&list->grid, &source, list->page, what))
		reactions = REACT_HANDLED;
	else if (rows.n)
		reactions = act_on(list, view, event_at(view->lake, rows.at[list->grid.selected]), what);
	free(rows.at);
	return reactions;
}

/* ---- the panel ---- */

static void draw(struct panel_view *view, void *state, struct canvas *c)
{
	events_draw(state, view, NULL, c);
}

static unsigned act(struct panel_view *view, void *state, enum act what)
{
	return events_act(state, view, NULL, what);
}

const struct panel panel_changes = {
	.name = "changes",
	.title = "Changes",
	.key = '8',
	.help = "What happened, newest first: verdicts that changed, restarts, other versions. Times are local. ! is a warning, !! kept the "
		"lake from being ready. l opens the log of that service at that moment.",
	.hints = (const struct key_hint[]){{ACT_ENTER, "open"}, {ACT_LOGS, "log"}, {ACT_NONE, NULL}},
	.state_size = sizeof(struct event_list),
	.draw = draw,
	.act = act,
};
