// SPDX-License-Identifier: MIT
/*
 * One service, whole: what the verdict rests on, what is wrong and what helps, every figure with
 * its trend and its age, who runs it; by Tab its tables and its events. The same page serves every
 * kind: what stands on it comes from the kind's specs. UI thread only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "panels.h"
#include "show.h"

enum { HEAD_LINES = 2, BROAD = 90, MEDIUM = 60, WIDEST = 160, INDENT = 21, NARROW_INDENT = 3, RECENT_EVENTS = 5 };

struct page {
	char subject[NAME_SIZE * 4]; /* whose page: another one begins anew */
	int view;                    /* 0: summary; then its tables; then its events */
	struct scroller scroller;    /* of the summary */
	struct table_list table;
	struct event_list events;
	char copied[REASON_SIZE * 3];
};

/* A document of any length, of which the canvas shows a part: y may lie outside. */
struct document {
	struct canvas *c;
	int y;
	const struct lake *lake;
	const struct service *s;
	bool begun; /* a blank line stands before each section but the first */
};

/* ---- the parts of the summary ---- */

static void section(struct document *d, const char *head)
{
	d->y += d->begun;
	d->begun = true;
	show_text(d->c, d->y++, 1, -1, STYLE_HEADING, head);
}

static void paragraph(struct document *d, int x, enum style style, const char *mark, const char *words)
{
	if (!words || !*words)
		return;
	show_text(d->c, d->y, x, 2, style, mark);
	d->y += show_wrapped(d->c, d->y, x + 2, d->c->width - x - 3, style, words);
	d->begun = true;
}

static void draw_verdict(struct document *d)
{
	const struct service *s = d->s;
	char words[NAME_SIZE + 40];
	const char *why = service_words(s);

	if (why[0])
		paragraph(d, 1, service_style(s), verdict_glyph(service_verdict(s), d->c->ascii), why);
	else if (!s->verdict.begun)
		paragraph(d, 1, STYLE_UNKNOWN, "?", "nothing is known of it yet");
	if (service_verdict(s) == VERDICT_STARTING && s->verdict.shown.reason != why)
		paragraph(d, 3, STYLE_DIM, "", s->verdict.shown.reason);
	if (s->verdict.begun)
		paragraph(d, 3, STYLE_ACCENT, "→", s->verdict.shown.remedy);
	if (s->cause && s->cause->name) {
		snprintf(words, sizeof words, "caused by %.*s (%s)", NAME_SIZE - 1, s->cause->name,
			verdict_word(service_verdict(s->cause)));
		paragraph(d, 3, STYLE_WARN, "←", words);
	}
}

static enum style link_style(enum link_state state)
{
	switch (state) {
	case LINK_OK:
		return STYLE_GOOD;
	case LINK_BAD:
		return STYLE_BAD;
	case LINK_UNKNOWN:
		return STYLE_UNKNOWN;
	case LINK_NA:
		break;
	}
	return STYLE_DIM;
}

/* What it says, and who says so: side by side, on one line where both are short, or one below the other. */
static int draw_value_and_source(struct document *d, int x, int width, enum style plain, const struct link *link)
{
	int value = (width - 2) / 2, lines;

	if (d->c->width >= BROAD) {
		lines = show_wrapped(d->c, d->y, x, value, plain, link->value);
		return int_max(lines, show_wrapped(d->c, d->y, x + value + 2, width - value - 2, STYLE_DIM, link->source));
	}
	value = canvas_columns(d->c, link->value);
	lines = show_wrapped(d->c, d->y, x, width, plain, link->value);
	if (lines <= 1 && value + 2 + canvas_columns(d->c, link->source) <= width) {
		show_text(d->c, d->y, value ? x + value + 2 : x, -1, STYLE_DIM, link->source);
		return 1;
	}
	return lines + show_wrapped(d->c, d->y + lines, x, width, STYLE_DIM, link->source);
}

static void draw_link(struct document *d, enum link_name name, const struct link *link)
{
	bool narrow = d->c->width < MEDIUM, old = is_old(link->seen, link->interval, d->lake->now);
	int x = narrow ? NARROW_INDENT : INDENT, seen = d->c->width - 7;
	enum style plain = old || link->state == LINK_NA ? STYLE_DIM : STYLE_NORMAL;
	char age[VALUE_TEXT_SIZE];

	show_text(d->c, d->y, 1, 10, plain, link_word(name));
	show_text(d->c, d->y, 12, 8, link_style(link->state), link_state_word(link->state));
	if (narrow) { /* the value below its name */
		canvas_right(d->c, d->y++, seen, 6, old ? STYLE_WARN : STYLE_DIM, show_age(age, link->seen, d->lake->now));
		d->y += draw_value_and_source(d, x, d->c->width - x - 1, plain, link);
		return;
	}
	canvas_right(d->c, d->y, seen, 6, old ? STYLE_WARN : STYLE_DIM, show_age(age, link->seen, d->lake->now));
	d->y += int_max(1, draw_value_and_source(d, x, seen - x - 2, plain, link));
}

static void draw_evidence(struct document *d)
{
	int width = d->c->width - 7 - INDENT - 2;

	if (!d->s->verdict.begun)
		return;
	section(d, "EVIDENCE");
	if (d->c->width >= MEDIUM)
		show_text(d->c, d->y - 1, INDENT, -1, STYLE_HEADING, "VALUE");
	if (d->c->width >= BROAD)
		show_text(d->c, d->y - 1, INDENT + (width - 2) / 2 + 2, -1, STYLE_HEADING, "SOURCE");
	canvas_right(d->c, d->y - 1, d->c->width - 7, 6, STYLE_HEADING, "SEEN");
	for (int i = 0; i < LINK_COUNT; i++)
		draw_link(d, (enum link_name)i, &d->s->verdict.shown.links[i]);
}

static void draw_findings(struct document *d)
{
	const struct judged *j = &d->s->verdict.shown;

	if (!d->s->verdict.begun || !j->n_findings)
		return;
	section(d, "FINDINGS");
	for (size_t i = 0; i < j->n_findings; i++) {
		const struct judged_finding *f = &j->findings[i];
		enum style style = severity_style(f->severity);
		int x = d->c->width < MEDIUM ? NARROW_INDENT : INDENT;

		show_text(d->c, d->y, 1, 1, style, f->severity == SEVERITY_INFO ? "" : "!");
		show_text(d->c, d->y, 3, 16, style, f->name);
		if (d->c->width < MEDIUM)
			d->y++;
		d->y += int_max(1, show_wrapped(d->c, d->y, x, d->c->width - x - 1, style, f->reason));
		paragraph(d, x, STYLE_ACCENT, "→", f->remedy);
	}
}

struct figure_places { /* columns of a figure's line; width 0: left out */
	int label, value, trend, rate, help;
};

static struct figure_places figure_places(const struct document *d)
{
	struct figure_places p = {.label = 6, .value = 6};
	int width = d->c->width, left;

	for (const struct figure_spec *f = d->s->kind->figures; f->name; f++) {
		char out[VALUE_TEXT_SIZE], label[NAME_SIZE];

		p.label = int_max(p.label, canvas_columns(d->c, figure_label(label, f)));
		p.value = int_max(p.value, canvas_columns(d->c, show_value(out, service_figure(d->s, f, NULL), f->unit, d->lake)));
	}
	p.label = int_min(p.label, int_clamp(width / 4, 8, 24));
	p.value = int_min(p.value, int_clamp(width / 3, 8, 40));
	left = width - 1 - p.label - 2 - p.value - 2 - 6 - 1; /* margin, label, value, age */
	if (left >= 12) {
		p.trend = int_clamp(left / 3, 8, RING_SIZE / 2) - 2;
		left -= p.trend + 2;
	}
	if (p.trend && left >= 12) {
		p.rate = 12;
		left -= p.rate + 2;
	}
	p.help = left >= 28 ? left - 2 : 0; /* half a sentence helps nobody */
	return p;
}

static void draw_figure(struct document *d, const struct figure_places *p, const struct figure_spec *f)
{
	const struct snapshot *from;
	struct value v = service_figure(d->s, f, &from);
	const struct history *h = f->flags & FIGURE_HISTORY ? service_history(d->s, f->name) : NULL;
	bool old = snapshot_old(from, d->lake->now);
	enum style style = v.type == VALUE_UNKNOWN || old ? STYLE_DIM : STYLE_NORMAL;
	char out[VALUE_TEXT_SIZE], label[NAME_SIZE];
	int x = 1;

	show_text(d->c, d->y, x, p->label, old ? STYLE_DIM : STYLE_NORMAL, figure_label(label, f));
	x += p->label + 2;
	show_value(out, v, f->unit, d->lake);
	if (canvas_columns(d->c, out) <= p->value)
		canvas_right(d->c, d->y, x, p->value, style, out);
	else
		show_text(d->c, d->y, x, p->value, style, out);
	x += p->value + 2;
	if (p->trend) {
		if (h)
			canvas_spark(d->c, d->y, x, p->trend, STYLE_GRAPH, history_back, h);
		x += p->trend + 2;
	}
	if (p->rate) {
		canvas_right(d->c, d->y, x, p->rate, STYLE_DIM, show_rate(out, h));
		x += p->rate + 2;
	}
	if (p->help && f->help)
		show_text(d->c, d->y, x, p->help, STYLE_DIM, f->help);
	canvas_right(d->c, d->y++, d->c->width - 7, 6, old ? STYLE_WARN : STYLE_DIM,
		show_age(out, from ? from->ended : 0, d->lake->now));
}

static void draw_figures(struct document *d)
{
	struct figure_places p;

	if (!d->s->kind || !d->s->kind->figures || !d->s->kind->figures[0].name)
		return;
	section(d, "FIGURES");
	canvas_right(d->c, d->y - 1, d->c->width - 7, 6, STYLE_HEADING, "SEEN");
	p = figure_places(d);
	for (const struct figure_spec *f = d->s->kind->figures; f->name; f++)
		draw_figure(d, &p, f);
	if (d->s->depth && d->s->depth->err.code != ERR_NONE)
		paragraph(d, 1, STYLE_WARN, "!", d->s->depth->err.words);
}

static void named(struct document *d, const char *name, const char *words)
{
	int x = d->c->width < MEDIUM ? 12 : INDENT;

	if (!words || !*words)
		return;
	show_text(d->c, d->y, 1, x - 2, STYLE_DIM, name);
	d->y += int_max(1, show_wrapped(d->c, d->y, x, d->c->width - x - 1, STYLE_NORMAL, words));
}

static void draw_process(struct document *d, const struct owner *o)
{
	const struct process *p = facts_process(d->lake->facts, o->pid);
	char words[REASON_SIZE * 2], span[CLOCK_TEXT], hms[CLOCK_TEXT], memory[VALUE_TEXT_SIZE], cpu[VALUE_TEXT_SIZE];
	char since[CLOCK_TEXT * 2 + 20] = "";

	if (o->pid <= 0 && !o->process[0])
		return;
	if (o->started > 0)
		snprintf(since, sizeof since, ", since %s (%s)", clock_hms(hms, o->started),
			clock_span(span, d->lake->wall > o->started ? d->lake->wall - o->started : 0));
	snprintf(words, sizeof words, "%s, pid %d%s%s, %s, cpu %s%s", o->process[0] ? o->process : "unknown", (int)o->pid,
		o->probable ? " (probably)" : "", since,
		value_show(memory, o->rss > 0 ? value_int(o->rss) : value_unknown(), UNIT_BYTES), show_cores(cpu, o->cpu),
		o->state == 'T' || o->state == 't' ? ", stopped by a signal" : o->state == 'Z' ? ", ended, and nobody has noticed" : "");
	named(d, "process", words);
	if (p)
		named(d, "command", p->hint);
}

static void draw_container(struct document *d, const char *name)
{
	const struct container *k = name[0] ? facts_container(d->lake->docker, name) : NULL;
	char words[REASON_SIZE * 2], restarts[CLOCK_TEXT] = "";

	if (!k) {
		named(d, "container", name);
		return;
	}
	if (k->restarts > 0)
		snprintf(restarts, sizeof restarts, ", %lld restarts", (long long)k->restarts);
	snprintf(words, sizeof words, "%s, %s, %s%s%s%s%s", k->name, k->image, k->status[0] ? k->status : k->state,
		k->health[0] ? ", " : "", k->health,
		restarts, k->oom_killed ? ", killed for memory" : "");
	named(d, "container", words);
	named(d, "ports", k->ports);
	named(d, "error", k->error);
}

static void draw_needs(struct document *d)
{
	const struct expectation *e = d->s->expected;
	char words[REASON_SIZE * 2] = "";
	size_t used = 0;

	for (const char *const *need = e ? e->needs : NULL; need && *need && used + NAME_SIZE * 2 < sizeof words; need++) {
		const struct service *other = lake_service(d->lake, *need);

		used += (size_t)snprintf(words + used, NAME_SIZE * 2, "%s%.*s (%s)", used ? ", " : "", NAME_SIZE - 1, *need,
			other ? verdict_word(service_verdict(other)) : "not in the profile");
	}
	named(d, "needs", words);
}

static void draw_owner(struct document *d)
{
	const struct owner *o = &d->s->verdict.shown.owner;

	if (!d->s->verdict.begun || !(o->pid > 0 || o->process[0] || o->container[0] || o->unit[0] || d->s->verdict.shown.says[0]))
		return;
	section(d, "OWNER");
	draw_process(d, o);
	draw_container(d, o->container);
	named(d, "unit", o->unit);
	named(d, "says", d->s->verdict.shown.says);
}

/* What its catalogs hold. */
static void draw_tables(struct document *d)
{
	char words[VALUE_TEXT_SIZE], line[VALUE_TEXT_SIZE + 40];
	enum style style;

	if (!tables_line(words, d->lake, d->s, &style))
		return;
	section(d, "CATALOG");
	snprintf(line, sizeof line, "%s; key %c shows them", words, panel_tables.key);
	named(d, "tables", line);
}

static void draw_expected(struct document *d)
{
	const struct expectation *e = d->s->expected;
	char words[REASON_SIZE];

	section(d, "EXPECTED");
	named(d, "profile", !e ? "found: no profile names it" : d->s->required ? "required" : "named, not required");
	if (e && e->version) {
		snprintf(words, sizeof words, "%.60s, by %.120s", e->version, e->version_from ? e->version_from : "the profile");
		named(d, "version", words);
	}
	draw_needs(d);
}

static void draw_recent(struct document *d)
{
	int left = RECENT_EVENTS;

	for (size_t i = d->lake->n_events; i-- > 0 && left;) {
		const struct event *e = &d->lake->events[i];
		char hms[CLOCK_TEXT];

		if (strcmp(e->service, d->s->name) != 0)
			continue;
		if (left-- == RECENT_EVENTS)
			section(d, "WHAT HAPPENED");
		show_text(d->c, d->y, 1, 8, STYLE_DIM, clock_hms(hms, e->wall));
		show_text(d->c, d->y++, 12, d->c->width - 13, severity_style(e->severity), e->words);
	}
}

/* Returns the lines of the whole document. */
static int draw_summary(struct canvas *c, const struct lake *lake, const struct service *s, int top)
{
	struct canvas readable = canvas_part(c, 0, 0, c->height, int_min(c->width, WIDEST));
	struct document d = {.c = &readable, .y = -top, .lake = lake, .s = s};

	draw_verdict(&d);
	draw_findings(&d);
	draw_evidence(&d);
	draw_figures(&d);
	draw_tables(&d);
	draw_owner(&d);
	draw_expected(&d);
	draw_recent(&d);
	return d.y + top;
}

/* ---- views ---- */

static int table_count(const struct service *s)
{
	int n = 0;

	while (s->kind && s->kind->tables && s->kind->tables[n].name)
		n++;
	return n;
}

/* The table of a view, and the snapshot that it stands in. */
static const struct table *table_of(const struct service *s, int view, const struct snapshot **from)
{
	const struct table_spec *spec = &s->kind->tables[view - 1];
	const struct table *t = snapshot_find_table(s->depth, spec->name);

	*from = t ? s->depth : s->pulse;
	return t ? t : snapshot_find_table(s->pulse, spec->name);
}

static void tab_label(const void *ctx, int view, char out[NAME_SIZE])
{
	const struct service *s = ctx;
	const struct snapshot *from;
	const struct table *t;
	char number[VALUE_TEXT_SIZE];

	if (view == 0 || view > table_count(s)) {
		snprintf(out, NAME_SIZE, "%s", view ? "events" : "summary");
		return;
	}
	t = table_of(s, view, &from);
	snprintf(out, NAME_SIZE, "%.40s %.20s", s->kind->tables[view - 1].name,
		value_show(number, t ? value_int((int64_t)(t->n_rows + t->left_off)) : value_unknown(), UNIT_COUNT));
}

static void draw_name(struct canvas *c, const struct lake *lake, const struct service *s)
{
	enum verdict v = service_verdict(s);
	struct pen pen = {c, 0, 3};
	char words[VALUE_TEXT_SIZE * 2], out[VALUE_TEXT_SIZE], span[CLOCK_TEXT];
	int64_t since = s->verdict.begun && s->verdict.since_wall > 0 ? lake->wall - s->verdict.since_wall : -1;

	show_text(c, 0, 1, 2, service_style(s), verdict_glyph(v, c->ascii));
	pen.x += show_text(c, 0, pen.x, int_max(8, c->width / 2), STYLE_TITLE, s->name) + 2;
	snprintf(words, sizeof words, "%s%s%s", verdict_word(v), since >= 0 ? " for " : "",
		since >= 0 ? clock_span(span, since) : "");
	pen_part(&pen, service_style(s), words, NULL);
	pen_part(&pen, STYLE_NORMAL, s->kind ? s->kind->title : s->expected ? "of no known kind" : "unknown listener", NULL);
	pen_part(&pen, STYLE_NORMAL, show_version(out, s), NULL);
	pen_part(&pen, STYLE_DIM, show_endpoint(out, &s->at), NULL);
}

static void draw_view(struct page *page, struct panel_view *view, const struct service *s, struct canvas *c)
{
	int tables = table_count(s);
	const struct snapshot *from;
	const struct table *t;

	if (page->view > tables) {
		events_draw(&page->events, view, s->name, c);
	} else if (page->view > 0) {
		t = table_of(s, page->view, &from);
		table_list_draw(&page->table, view, from, t, NULL, NULL, c);
	} else {
		struct canvas nowhere = canvas_part(c, 0, 0, 0, c->width);

		scroller_fit(&page->scroller, c, draw_summary(&nowhere, view->lake, s, 0));
		draw_summary(c, view->lake, s, page->scroller.top);
		show_matches(c, 0, view->filter ? view->filter : "");
		scroller_marks(&page->scroller, c);
	}
}

/* ---- the panel ---- */

static const struct service *subject_of(struct page *page, const struct panel_view *view)
{
	const struct service *s = view->subject ? lake_service(view->lake, view->subject) : NULL;
	char name[sizeof page->subject];

	text_copy(name, sizeof name, text_of(view->subject));
	if (strcmp(name, page->subject) != 0) {
		*page = (struct page){0};
		text_copy(page->subject, sizeof page->subject, text_of(name));
		table_list_reset(&page->table);
	}
	if (s && page->view > table_count(s) + 1)
		page->view = 0;
	return s;
}

static void draw(struct panel_view *view, void *state, struct canvas *c)
{
	struct page *page = state;
	const struct service *s = subject_of(page, view);
	struct canvas body;
	int head = c->height > HEAD_LINES + 1 ? HEAD_LINES : c->height > 1;

	if (!s) {
		canvas_printf(c, 0, 1, c->width - 2, STYLE_DIM, "%s is not here any more",
			view->subject ? view->subject : "this service");
		return;
	}
	if (head)
		draw_name(c, view->lake, s);
	if (head == HEAD_LINES)
		show_tabs(c, 1, table_count(s) + 2, page->view, tab_label, s);
	if (c->height >= 20) { /* a line of air */
		show_rule(c, head);
		head++;
	}
	body = canvas_part(c, head, 0, c->height - head, c->width);
	draw_view(page, view, s, &body);
}

static unsigned turn_view(struct page *page, const struct service *s, int by)
{
	int n = table_count(s) + 2;

	page->view = (page->view + by + n) % n;
	page->scroller.top = 0;
	table_list_reset(&page->table);
	return REACT_HANDLED;
}

static unsigned act(struct panel_view *view, void *state, enum act what)
{
	struct page *page = state;
	const struct service *s = subject_of(page, view);
	const struct snapshot *from;
	struct list_row row;
	unsigned reactions;

	if (what == ACT_BACK || what == ACT_LEFT || (what == ACT_CANCEL && page->view == 0))
		return REACT_CLOSE;
	if (!s)
		return REACT_NONE;
	if (what == ACT_ACTIONS && page->view > 0 && page->view <= table_count(s)) {
		table_list_act(&page->table, view, table_of(s, page->view, &from), NULL, NULL, ACT_ACTIONS, &row);
		return list_actions(view, &row, s);
	}
	if (what == ACT_ACTIONS) {
		view->act_on = ON_SERVICE;
		view->act_service = s->name;
		return REACT_ACT;
	}
	if (what == ACT_LOGS && page->view > 0 && page->view <= table_count(s)) {
		table_list_act(&page->table, view, table_of(s, page->view, &from), NULL, NULL, ACT_LOGS, &row);
		return list_logs(view, &row, s);
	}
	if (what == ACT_LOGS && page->view == 0) {
		view->log_service = s->name;
		return REACT_LOGS;
	}
	if (what == ACT_NEXT_VIEW)
		return turn_view(page, s, 1);
	if (what == ACT_PREVIOUS_VIEW)
		return turn_view(page, s, -1);
	if (what == ACT_CANCEL)
		return turn_view(page, s, -page->view);
	if (page->view > table_count(s)) {
		reactions = events_act(&page->events, view, s->name, what);
		return reactions & REACT_OPEN ? REACT_NONE : reactions; /* it is open */
	}
	if (page->view > 0)
		return table_list_act(&page->table, view, table_of(s, page->view, &from), NULL, NULL, what, NULL);
	if (what == ACT_COPY) {
		view->copy = show_sentence(page->copied, sizeof page->copied, s);
		return REACT_COPY;
	}
	return scroller_act(&page->scroller, what) ? REACT_HANDLED : REACT_NONE;
}

const struct panel panel_service = {
	.name = "service",
	.title = "Service",
	.help = "One service: its verdict with the evidence that it rests on, each link with its source and when it was seen; what is wrong and "
		"what helps; every figure with its trend; who runs it. Tab shows its tables and its events.",
	.hints = (const struct key_hint[]){{ACT_NEXT_VIEW, "next view"}, {ACT_ACTIONS, "act"}, {ACT_LOGS, "log"},
		{ACT_SORT, "sort"}, {ACT_BACK, "back"}, {ACT_NONE, NULL}},
	.state_size = sizeof(struct page),
	.draw = draw,
	.act = act,
};
