// SPDX-License-Identifier: MIT
/* How the page of a table looks: its head, its tabs, and the view that is open. UI thread only. */
#include <stdio.h>

#include "tables_page_own.h"

enum { ROOM_FOR_RULE = 18 };

static void tab_label(const void *ctx, int at, char out[NAME_SIZE])
{
	const size_t *tabs = ctx;

	text_copy(out, NAME_SIZE, text_of(table_tabs[tabs[at]].name));
}

static void draw_tabs(const struct table_page *page, const struct lake_table *t, struct canvas *c, int y)
{
	size_t tabs[TABLE_TABS_MAX], current, n = page_tabs(page, t, tabs, &current);

	show_tabs(c, y, (int)n, (int)current, tab_label, tabs);
}

static void draw_head(const struct table_page *page, const struct lake_table *t, const struct lake *lake, struct canvas *c)
{
	const struct held *h = &page->held[page_shown(page)];
	const struct snapshot *s = h->answer.seen;
	char words[VALUE_TEXT_SIZE * 2], catalogs[VALUE_TEXT_SIZE], span[CLOCK_TEXT];
	struct pen pen = {c, 0, 1};

	pen.x += show_text(c, 0, 1, int_max(8, c->width / 2), STYLE_TITLE, page->name) + 3;
	pen_part(&pen, t->old ? STYLE_DIM : mark_style(table_mark(t)), table_health_words(t), NULL);
	pen_part(&pen, STYLE_NORMAL, table_text(t, "format"), NULL);
	pen_part(&pen, STYLE_DIM, table_catalogs(catalogs, t), NULL);
	if (t->old && t->in[0].view->snapshot) {
		snprintf(words, sizeof words, "as it was %s ago", clock_span(span, lake->now - t->in[0].view->snapshot->ended));
		pen_part(&pen, STYLE_WARN, words, NULL);
	}
	if (page_orders(page->tab) > 1)
		pen_part(&pen, STYLE_NORMAL, table_tabs[page_shown(page)].words, NULL);
	if (page->in_flight == page_shown(page) && s)
		pen_part(&pen, STYLE_ACCENT, "asking again…", NULL);
	else if (s && page_changed(h, t))
		pen_part(&pen, STYLE_WARN, "the table has changed since: r asks again", NULL);
	else if (s) {
		snprintf(words, sizeof words, "asked %s ago", clock_span(span, lake->now > s->ended ? lake->now - s->ended : 0));
		pen_part(&pen, STYLE_DIM, words, NULL);
	}
}

/* Why there is nothing to see. */
static void draw_waiting(const struct table_page *page, const struct lake_table *t, const struct lake *lake, struct canvas *c)
{
	size_t at = page_shown(page);
	const struct catalog_view *view = t->in[0].view, *rows = page_is_rows(at) ? page_rows_catalog(t) : NULL;
	int64_t since = lake->now - page->held[at].asked;
	char words[REASON_SIZE], span[CLOCK_TEXT];

	if (page_is_rows(at) && !rows)
		snprintf(words, sizeof words, view->engine ? "%.60s shows no rows" :
			"no engine shows rows of %.60s: \"engine = SERVICE\" in its [catalog] names Spark Connect or Trino",
			view->engine ? view->engine->name : view->catalog->name);
	else if (!page->held[at].asked)
		snprintf(words, sizeof words, "not asked yet");
	else
		snprintf(words, sizeof words, "asking %.60s for %.60s… %s", rows ? rows->engine->name : view->catalog->name, table_tabs[at].words,
			since >= 1000 ? clock_span(span, since) : "");
	show_wrapped(c, 0, 1, c->width - 2, STYLE_DIM, words);
}

static void draw_list(struct table_page *page, const struct panel_view *view, const struct lake_table *t, const struct table *table,
	struct canvas *c)
{
	struct list list;

	page_list(&list, &table_tabs[page_shown(page)], t, table, view->lake);
	list_draw(&page->look, view, &list, c);
	page->look.selected = (struct list_row){0};
	list_end(&list);
}

static void draw_overview(struct table_page *page, const struct panel_view *view, const struct lake_table *t, struct canvas *c)
{
	struct canvas nowhere = canvas_part(c, 0, 0, 0, c->width);
	struct cure cures[CURES_MAX];
	size_t due[CURES_MAX], n = page_due(t, due);
	const struct snapshot *facts = page->held[0].answer.seen;

	for (size_t i = 0; i < n; i++)
		cures[i] = (struct cure){&table_tabs[due[i]], page->held[due[i]].answer.seen};
	scroller_fit(&page->scroller, c, table_overview_draw(&nowhere, view->lake, t, facts, cures, n, 0));
	table_overview_draw(c, view->lake, t, facts, cures, n, page->scroller.top);
	show_matches(c, 0, view->filter ? view->filter : "");
	scroller_marks(&page->scroller, c);
}

static void draw_record(struct table_page *page, const struct panel_view *view, struct canvas *c)
{
	const struct table *t = page_table_in(page->record_of);
	struct canvas nowhere = canvas_part(c, 0, 0, 0, c->width);

	scroller_fit(&page->scroller, c, record_draw(&nowhere, view->lake, t, page->record_row, 0));
	record_draw(c, view->lake, t, page->record_row, page->scroller.top);
	show_matches(c, 0, view->filter ? view->filter : "");
	scroller_marks(&page->scroller, c);
}

static void draw_answer(struct table_page *page, const struct panel_view *view, const struct lake_table *t, const struct snapshot *answer,
	struct canvas *c)
{
	const struct table_tab *tab = &table_tabs[page_shown(page)];
	struct canvas rest = *c;
	int used = 0;

	if (answer->err.code != ERR_NONE)
		used = show_wrapped(c, 0, 1, c->width - 2, STYLE_WARN, answer->err.words);
	rest = canvas_part(c, used, 0, c->height - used, c->width);
	if (answer->err.code != ERR_NONE && !page_table_in(answer))
		return;
	if (page_is_rows(page_shown(page))) {
		rows_draw(&page->rows, view, answer, &rest);
		return;
	}
	if (tab->plan) {
		used = table_plan_draw(&rest, answer);
		rest = canvas_part(&rest, used, 0, rest.height - used, rest.width);
	}
	if (tab->plan && page_table_in(answer) && !page_table_in(answer)->n_rows)
		return; /* its sentence says all */
	if (!tab->kind) {
		used = table_growth_draw(&rest, view->lake, page_table_in(answer));
		rest = canvas_part(&rest, used, 0, rest.height - used, rest.width);
	}
	if (rest.height > 1)
		draw_list(page, view, t, page_table_in(answer), &rest);
}

void table_page_draw(struct table_page *page, const struct panel_view *view, struct canvas *c)
{
	const struct lake_table *t = page_lake_table(page, view->lake);
	struct canvas body;
	int head = c->height > 3 ? 2 : c->height > 2;

	page_fetch(page, view->lake);
	if (!t) {
		canvas_printf(c, 0, 1, c->width - 2, STYLE_DIM, "%s does not list %s any more", page->catalog, page->name);
		return;
	}
	if (head)
		draw_head(page, t, view->lake, c);
	if (head == 2)
		draw_tabs(page, t, c, 1);
	if (c->height >= ROOM_FOR_RULE)
		show_rule(c, head++);
	body = canvas_part(c, head, 0, c->height - head, c->width);
	if (page_record_is_there(page))
		draw_record(page, view, &body);
	else if (page->tab == 0)
		draw_overview(page, view, t, &body);
	else if (page->held[page_shown(page)].answer.seen)
		draw_answer(page, view, t, page->held[page_shown(page)].answer.seen, &body);
	else
		draw_waiting(page, t, view->lake, &body);
}
