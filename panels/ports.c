// SPDX-License-Identifier: MIT
/*
 * Every port that somebody listens on or that a service should have: who is expected there, who
 * answers, who holds it. Two services that want the same port are named even before either runs.
 * What neither its number nor its owner explains is not asked, until "i" does. UI thread only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "panels.h"
#include "show.h"

enum { ROOM_FOR_NOTES = 12, FACTS_OLD_MS = 8000, BROAD = 90 /* columns from which addresses are shown */, PLACE_SIZE = ADDRESS_SIZE + 10 };

enum column { PORT, ADDRESS, EXPECTED, ANSWERS, OWNER, VERDICT, COLUMNS };

struct ports {
	struct grid grid;
	int page;
	char copied[PLACE_SIZE], said[REASON_SIZE];
};

struct rows {
	const struct lake *lake;
	const char *filter;
	bool problems_only, ascii;
	size_t *at, n;
	struct grid_column columns[COLUMNS];
};

/* ---- what a row says ---- */

static char *expected_words(char out[VALUE_TEXT_SIZE], const struct port_row *p)
{
	const struct service *s = p->expected[0];

	if (!s)
		snprintf(out, VALUE_TEXT_SIZE, "-");
	else if (p->expected_role && p->expected_role[0])
		snprintf(out, VALUE_TEXT_SIZE, "%.64s %.24s", s->name, p->expected_role);
	else
		snprintf(out, VALUE_TEXT_SIZE, "%.90s", s->name);
	return out;
}

static const char *answer_words(const struct port_row *p)
{
	if (p->words[0])
		return p->words;
	if (!p->listener)
		return "-";
	return p->asked ? "does not say" : "not asked";
}

static char *owner_words(char out[VALUE_TEXT_SIZE], const struct port_row *p, int64_t wall)
{
	const struct owner *o = &p->owner;
	char age[CLOCK_TEXT + 4] = "", span[CLOCK_TEXT], who[VALUE_TEXT_SIZE];

	if (o->started > 0 && wall > o->started)
		snprintf(age, sizeof age, "  %s", clock_span(span, wall - o->started));
	snprintf(out, VALUE_TEXT_SIZE, "%.48s%s%.34s", show_owner(who, o), o->container[0] ? "  container" : "", age);
	return out;
}

/* The verdict on the service that should be here; else only that somebody was found. */
static enum style verdict_words(char out[VALUE_TEXT_SIZE], const struct port_row *p, bool ascii)
{
	const struct service *s = p->expected[0] ? p->expected[0] : p->answers;
	enum verdict v;

	if (!s) {
		snprintf(out, VALUE_TEXT_SIZE, "%s", p->listener ? "  found" : "-");
		return STYLE_DIM;
	}
	v = service_verdict(s);
	if (p->expected[0] && v == VERDICT_SERVING && (!p->listener || (p->answers && p->answers != s))) {
		/* it serves, but this part of it is not here */
		snprintf(out, VALUE_TEXT_SIZE, "%s %s", ascii ? "!" : verdict_glyph(VERDICT_SICK, ascii),
			p->listener ? "another" : "closed");
		return STYLE_WARN;
	}
	snprintf(out, VALUE_TEXT_SIZE, "%s %s", verdict_glyph(v, ascii), p->expected[0] ? verdict_word(v) : "found");
	return p->expected[0] ? service_style(s) : v == VERDICT_SERVING ? STYLE_NORMAL : service_style(s);
}

static bool row_is_problem(const struct port_row *p)
{
	bool troubled = p->conflict;

	for (size_t i = 0; i < sizeof p->expected / sizeof *p->expected; i++)
		troubled = troubled || (p->expected[i] && service_troubled(p->expected[i]));
	return troubled || (p->listener && p->answers && p->expected[0] && p->answers != p->expected[0]);
}

static bool keep(const void *ctx, size_t i)
{
	const struct rows *rows = ctx;
	const struct port_row *p = &rows->lake->ports[i];
	char port[8], expected[VALUE_TEXT_SIZE], owner[VALUE_TEXT_SIZE], verdict[VALUE_TEXT_SIZE];
	const char *cells[] = {port, p->address, expected_words(expected, p), answer_words(p),
		owner_words(owner, p, rows->lake->wall), verdict};

	snprintf(port, sizeof port, "%u", (unsigned)p->port);
	verdict_words(verdict, p, rows->ascii);
	if (rows->problems_only && !row_is_problem(p))
		return false;
	return row_matches(rows->filter, cells, sizeof cells / sizeof *cells);
}

static const char *row(const void *ctx, size_t at, struct grid_cell *cells, char scratch[][VALUE_TEXT_SIZE])
{
	const struct rows *rows = ctx;
	const struct port_row *p = &rows->lake->ports[rows->at[at]];
	bool explained = p->expected[0] || p->answers;

	snprintf(scratch[PORT], VALUE_TEXT_SIZE, "%u", (unsigned)p->port);
	cells[PORT] = (struct grid_cell){.s = scratch[PORT], .style = explained ? STYLE_NORMAL : STYLE_DIM};
	cells[ADDRESS] = (struct grid_cell){.s = p->address[0] ? p->address : "-", .style = STYLE_DIM};
	cells[EXPECTED] = (struct grid_cell){.s = expected_words(scratch[EXPECTED], p),
		.style = p->expected[0] ? STYLE_NORMAL : STYLE_DIM};
	cells[ANSWERS] = (struct grid_cell){.s = answer_words(p), .style = p->answers ? STYLE_NORMAL : STYLE_DIM};
	cells[OWNER] = (struct grid_cell){.s = owner_words(scratch[OWNER], p, rows->lake->wall),
		.style = explained ? STYLE_NORMAL : STYLE_DIM};
	cells[VERDICT].style = verdict_words(scratch[VERDICT], p, rows->ascii);
	cells[VERDICT].s = scratch[VERDICT];
	cells[VERDICT].spark = NULL;
	snprintf(scratch[COLUMNS], VALUE_TEXT_SIZE, "%s:%u", p->address, (unsigned)p->port);
	return scratch[COLUMNS];
}

static bool note(const void *ctx, size_t at, char out[REASON_SIZE], enum style *style)
{
	const struct rows *rows = ctx;
	const struct port_row *p = &rows->lake->ports[rows->at[at]];
	const struct service *second = p->expected[1], *third = p->expected[2];

	if (!second)
		return false;
	snprintf(out, REASON_SIZE, "also wanted by %.64s%s%.64s: %s services want port %u", second->name, third ? " and " : "",
		third ? third->name : "", third ? "three" : "two", (unsigned)p->port);
	*style = p->conflict ? STYLE_WARN : STYLE_DIM;
	return true;
}

/* ---- the panel ---- */

static void rows_collect(struct rows *rows, const struct panel_view *view)
{
	*rows = (struct rows){.lake = view->lake, .filter = view->filter ? view->filter : "", .problems_only = view->problems_only};
	rows->at = rows_kept(view->lake->n_ports, keep, rows, &rows->n);
}

/* Takes what is too much from a column, down to least. */
static void give_way(struct grid_column *column, int least, int *over)
{
	int less = int_clamp(*over, 0, int_max(0, column->width - least));

	column->width -= less;
	*over -= less;
}

static void columns_for(struct rows *rows, const struct canvas *c)
{
	int address = 7, expected = 8, answers = 7, owner = 5, over = COLUMNS * 2 - (c->width - 2);

	for (size_t i = 0; i < rows->lake->n_ports; i++) {
		const struct port_row *p = &rows->lake->ports[i];
		char out[VALUE_TEXT_SIZE];

		address = int_max(address, canvas_columns(c, p->address));
		expected = int_max(expected, canvas_columns(c, expected_words(out, p)));
		answers = int_max(answers, canvas_columns(c, answer_words(p)));
		owner = int_max(owner, canvas_columns(c, owner_words(out, p, rows->lake->wall)));
	}
	rows->ascii = c->ascii;
	memcpy(rows->columns, (struct grid_column[COLUMNS]){
		[PORT] = {.head = "PORT", .width = 5, .right = true},
		[ADDRESS] = {.head = "ADDRESS", .width = address, .priority = c->width < BROAD ? GRID_NEVER : 3},
		[EXPECTED] = {.head = "EXPECTED", .width = int_min(expected, 32), .priority = 1},
		[ANSWERS] = {.head = "ANSWERS", .width = int_min(answers, 60)},
		[OWNER] = {.head = "OWNER", .width = int_min(owner, 48), .priority = 2},
		[VERDICT] = {.head = "  VERDICT", .width = 15},
	}, sizeof rows->columns);
	for (size_t i = 0; i < COLUMNS; i++)
		over += rows->columns[i].priority < GRID_NEVER ? rows->columns[i].width : -2;
	give_way(&rows->columns[ANSWERS], 24, &over);
	give_way(&rows->columns[OWNER], 16, &over);
	give_way(&rows->columns[EXPECTED], 14, &over);
	give_way(&rows->columns[ADDRESS], 15, &over);
	give_way(&rows->columns[ANSWERS], 14, &over);
}

static struct grid_source source_of(const struct rows *rows)
{
	return (struct grid_source){
		.n_rows = rows->n, .columns = rows->columns, .n_columns = COLUMNS, .row = row, .note = note, .ctx = rows,
		.empty = rows->lake->n_ports ? "no port here matches" : rows->lake->facts ? "nobody listens, and no port is expected" :
			"looking who listens here …",
	};
}

/* What this user cannot see, and what is old. Returns the lines used at the bottom. */
static int draw_notes(struct canvas *c, const struct lake *lake)
{
	char words[REASON_SIZE], age[VALUE_TEXT_SIZE];
	int y = c->height - 1, used = 0;

	if (lake->facts && lake->now - lake->facts_seen > FACTS_OLD_MS) {
		snprintf(words, sizeof words, "who listens was last seen %s ago", show_age(age, lake->facts_seen, lake->now));
		show_text(c, y - used++, 1, c->width - 2, STYLE_WARN, words);
	}
	if (lake->facts && !lake->facts->processes_whole)
		show_text(c, y - used++, 1, c->width - 2, STYLE_DIM,
			"this user does not see everybody's processes: - there means unknown");
	if (lake->docker && (lake->docker->docker == DOCKER_DENIED || lake->docker->docker == DOCKER_DEAD)) {
		snprintf(words, sizeof words, "containers are unknown: docker %s",
			lake->docker->docker == DOCKER_DENIED ? "denies this user" :
			"does not answer");
		show_text(c, y - used++, 1, c->width - 2, STYLE_DIM, words);
	}
	return used;
}

static void draw(struct panel_view *view, void *state, struct canvas *c)
{
	struct ports *ports = state;
	struct rows rows;
	struct grid_source source;
	struct canvas list;
	int notes = c->height >= ROOM_FOR_NOTES ? draw_notes(c, view->lake) : 0;

	rows_collect(&rows, view);
	columns_for(&rows, c);
	source = source_of(&rows);
	list = canvas_part(c, 0, 0, c->height - notes, c->width);
	ports->page = list.height - 2;
	ports->grid.sort = -1;
	grid_draw(&ports->grid, &source, &list);
	show_matches(&list, 1, rows.filter);
	free(rows.at);
}

static const char *place_of(const struct port_row *p, char out[PLACE_SIZE])
{
	bool bare = strchr(p->address, ':') && p->address[0] != '['; /* "::1", while any is "[::]" already */

	snprintf(out, PLACE_SIZE, bare ? "[%s]:%u" : "%s:%u", p->address, (unsigned)p->port);
	return out;
}

/* Asks, or says why not: what is known is asked all the time, and a question where an RPC listens only fills its log. */
static unsigned identify(struct panel_view *view, struct ports *ports, const struct port_row *p)
{
	bool may = p->listener && !p->answers && !p->silent;
	char place[PLACE_SIZE];

	if (may)
		snprintf(ports->said, sizeof ports->said, "asking who is on %s", place_of(p, place));
	else if (!p->listener)
		snprintf(ports->said, sizeof ports->said, "nobody listens on %u", (unsigned)p->port);
	else if (p->silent)
		snprintf(ports->said, sizeof ports->said, "not asked: by its owner %u is %s, where a question only leaves an error in its log",
			(unsigned)p->port, p->silent);
	else
		snprintf(ports->said, sizeof ports->said, "it is known: %u is of %.64s, which is asked all the time", (unsigned)p->port, p->answers->name);
	view->say = ports->said;
	text_copy(view->address, sizeof view->address, text_of(p->address));
	view->port = p->port;
	return may ? REACT_IDENTIFY : REACT_HANDLED;
}

static unsigned act_on(struct panel_view *view, struct ports *ports, const struct port_row *p, enum act what)
{
	if (what == ACT_IDENTIFY)
		return identify(view, ports, p);
	if (what == ACT_ENTER || what == ACT_RIGHT) {
		view->open = p->answers ? p->answers->name : p->expected[0] ? p->expected[0]->name : NULL;
		return view->open ? REACT_OPEN : REACT_NONE;
	}
	if (what == ACT_ACTIONS) {
		view->act_on = ON_SERVICE;
		view->act_service = p->answers ? p->answers->name : p->expected[0] ? p->expected[0]->name : NULL;
		return view->act_service ? REACT_ACT : REACT_NONE;
	}
	if (what == ACT_LOGS) {
		view->log_service = p->answers ? p->answers->name : p->expected[0] ? p->expected[0]->name : NULL;
		return view->log_service ? REACT_LOGS : REACT_NONE;
	}
	if (what == ACT_COPY) {
		view->copy = place_of(p, ports->copied);
		return REACT_COPY;
	}
	return REACT_NONE;
}

static unsigned act(struct panel_view *view, void *state, enum act what)
{
	struct ports *ports = state;
	struct rows rows;
	struct grid_source source;
	unsigned reactions = REACT_NONE;

	rows_collect(&rows, view);
	source = source_of(&rows);
	if (grid_act(&ports->grid, &source, ports->page, what))
		reactions = REACT_HANDLED;
	else if (rows.n)
		reactions = act_on(view, ports, &view->lake->ports[rows.at[ports->grid.selected]], what);
	free(rows.at);
	return reactions;
}

const struct panel panel_ports = {
	.name = "ports",
	.title = "Ports",
	.key = '2',
	.help = "Every listener of this machine and every port that a service should have: who is expected, who answers by its own "
		"protocol, who holds it. A port that neither its number nor its owner explains is not asked, since a stray question leaves "
		"an error in the log of some servers; i asks it.",
	.hints = (const struct key_hint[]){{ACT_ENTER, "open"}, {ACT_IDENTIFY, "ask who it is"}, {ACT_NONE, NULL}},
	.state_size = sizeof(struct ports),
	.draw = draw,
	.act = act,
};
