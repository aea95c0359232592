// SPDX-License-Identifier: MIT
/*
 * The page of one table: its views by Tab, and what keys do in each. What it asks for is in tables_page_ask.c, how it
 * looks in tables_page_draw.c. UI thread only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "tables_page_own.h"

enum { WATCH_MS = 2000, POLL_MS = 200 };

struct table_page *table_page_new(void)
{
	struct table_page *page = mem_new(1, sizeof *page);

	page->in_flight = TABLE_TABS_MAX;
	return page;
}

static void let_go(struct table_page *page)
{
	for (size_t i = 0; i < TABLE_TABS_MAX; i++)
		snapshot_unref(page->held[i].answer.own);
}

void table_page_free(struct table_page *page)
{
	if (!page)
		return;
	let_go(page);
	free(page);
}

bool table_page_is_open(const struct table_page *page)
{
	return page->open;
}

/* ---- which table, which view ---- */

const struct lake_table *page_lake_table(const struct table_page *page, const struct lake *lake)
{
	char whole[NAME_MOST + NAME_SIZE];

	snprintf(whole, sizeof whole, "%s.%s", page->catalog, page->name);
	return lake_table_named(lake, whole);
}

unsigned page_format(const struct lake_table *t)
{
	const char *format = table_text(t, "format");

	return text_starts(text_of(format), "iceberg") ? OF_ICEBERG : text_starts(text_of(format), "delta") ? OF_DELTA : 0;
}

bool page_has_tab(const struct lake_table *t, size_t tab)
{
	return table_tabs[tab].name && (tab == 0 || (table_tabs[tab].formats & page_format(t)));
}

size_t page_shown(const struct table_page *page)
{
	return page->tab + page->order;
}

size_t page_orders(size_t tab)
{
	size_t orders = 1;

	while (table_tabs[tab + orders].view && !table_tabs[tab + orders].name)
		orders++;
	return orders;
}

bool page_is_rows(size_t at)
{
	return !strcmp(table_tabs[at].view, ROWS_VIEW);
}

size_t page_tabs(const struct table_page *page, const struct lake_table *t, size_t out[TABLE_TABS_MAX], size_t *current)
{
	size_t n = 0;

	*current = 0;
	for (size_t i = 0; table_tabs[i].view; i++)
		if (page_has_tab(t, i)) {
			*current = i == page->tab ? n : *current;
			out[n++] = i;
		}
	return n;
}

size_t page_due(const struct lake_table *t, size_t out[CURES_MAX])
{
	struct text rest = text_of(table_text(t, "due")), word;
	size_t n = 0;

	while (text_word(&rest, &word)) {
		word = text_until(word, ',');
		for (size_t i = 0; table_tabs[i].view && n < CURES_MAX; i++)
			if (table_tabs[i].plan && page_has_tab(t, i) && text_is(word, table_tabs[i].view))
				out[n++] = i;
	}
	return n;
}

/* ---- what is shown of it ---- */

const struct table *page_table_in(const struct snapshot *answer)
{
	return answer && answer->n_tables ? &answer->tables[0] : NULL;
}

void page_list(struct list *list, const struct table_tab *tab, const struct lake_table *t, const struct table *table, const struct lake *lake)
{
	list_begin(list, tab->kind ? tab->kind : &table_growth_kind, lake);
	if (!tab->kind)
		table_growth_collect(list, table);
	if (!tab->kind || !table)
		return;
	text_copy(list->empty, sizeof list->empty, text_of(tab->kind->empty));
	list_use(list, NULL, table); /* its age stands above */
	for (size_t i = 0; i < table->n_rows; i++)
		list_add(list, &(struct list_row){.lake_table = t, .table = table, .at = i});
}

bool page_record_is_there(struct table_page *page)
{
	const struct snapshot *answer = page->held[page_shown(page)].answer.seen;

	page->record = page->record && answer && answer == page->record_of && page_table_in(answer) &&
		page->record_row < page_table_in(answer)->n_rows;
	return page->record;
}

/* ---- acts ---- */

static void look_anew(struct table_page *page)
{
	page->record = false;
	page->scroller = (struct scroller){0};
	page->rows = (struct rows_look){.grid.sort = -1};
	table_list_reset(&page->look);
}

unsigned table_page_open(struct table_page *page, struct panel_view *view, const struct lake_table *t)
{
	let_go(page);
	*page = (struct table_page){.open = true, .in_flight = TABLE_TABS_MAX};
	text_copy(page->name, sizeof page->name, text_of(table_name(t)));
	text_copy(page->catalog, sizeof page->catalog, text_of(t->in[0].view->catalog->name));
	look_anew(page);
	view->again_ms = POLL_MS;
	return page_ask_next(page, view, t) | REACT_INNER;
}

static unsigned leave(struct table_page *page, struct panel_view *view)
{
	const struct lake_table *t = page_lake_table(page, view->lake);
	const struct catalog_view *c = t ? page_rows_catalog(t) : NULL;
	bool rows = page->in_flight < TABLE_TABS_MAX && page_is_rows(page->in_flight);

	page->open = false;
	if (rows && c)
		view->drop_service = c->engine->name;
	return REACT_HANDLED | REACT_OUTER | (rows && c ? REACT_DROP : 0);
}

static unsigned turn_to(struct table_page *page, struct panel_view *view, const struct lake_table *t, size_t tab)
{
	page->tab = tab;
	page->order = 0;
	look_anew(page);
	return page_ask_next(page, view, t);
}

static unsigned turn_by(struct table_page *page, struct panel_view *view, const struct lake_table *t, bool back)
{
	size_t tabs[TABLE_TABS_MAX], current, n = page_tabs(page, t, tabs, &current);

	return turn_to(page, view, t, tabs[(current + (back ? n - 1 : 1)) % n]);
}

/* The next order of the tab, where it has several. */
static bool turn_order(struct table_page *page)
{
	if (page_orders(page->tab) == 1)
		return false;
	page->order = (page->order + 1) % page_orders(page->tab);
	look_anew(page);
	return true;
}

static unsigned open_record(struct table_page *page, const struct snapshot *answer, size_t row)
{
	if (!page_table_in(answer) || row >= page_table_in(answer)->n_rows)
		return REACT_NONE;
	page->record = true;
	page->record_row = row;
	page->record_of = answer;
	page->scroller = (struct scroller){0};
	return REACT_HANDLED;
}

static unsigned copy_statement(struct table_page *page, struct panel_view *view, const struct snapshot *plan)
{
	struct value sql = snapshot_get(plan, "sql");

	if (sql.type != VALUE_TEXT || !sql.u.s[0])
		return REACT_NONE;
	view->copy = text_copy(page->copied, sizeof page->copied, text_of(sql.u.s));
	return REACT_COPY;
}

static unsigned act_on_list(struct table_page *page, struct panel_view *view, const struct lake_table *t, const struct snapshot *answer,
	enum act what)
{
	const struct table_tab *tab = &table_tabs[page_shown(page)];
	struct list list;
	struct list_row row;
	unsigned reactions;

	if (tab->plan && what == ACT_COPY)
		return copy_statement(page, view, answer);
	page_list(&list, tab, t, page_table_in(answer), view->lake);
	reactions = list_act(&page->look, view, &list, what, &row);
	list_end(&list);
	if (!reactions && row.table && (what == ACT_ENTER || what == ACT_RIGHT))
		return open_record(page, answer, row.at);
	return reactions;
}

static unsigned act_on_answer(struct table_page *page, struct panel_view *view, const struct lake_table *t, enum act what)
{
	const struct snapshot *answer = page->held[page_shown(page)].answer.seen;
	size_t row = SIZE_MAX;
	unsigned reactions;

	if (page_record_is_there(page))
		return scroller_act(&page->scroller, what) ? REACT_HANDLED : REACT_NONE;
	if (page->tab == 0)
		return scroller_act(&page->scroller, what) ? REACT_HANDLED : REACT_NONE;
	if (!answer)
		return REACT_NONE;
	if (!page_is_rows(page_shown(page)))
		return act_on_list(page, view, t, answer, what);
	reactions = rows_act(&page->rows, view, answer, what, &row);
	return !reactions && what == ACT_ENTER ? open_record(page, answer, row) : reactions;
}

static unsigned back(struct table_page *page, struct panel_view *view, enum act what)
{
	if (page->record) {
		page->record = false;
		page->scroller = (struct scroller){0};
		return REACT_HANDLED;
	}
	if (what == ACT_CANCEL && view->filter && view->filter[0])
		return REACT_NONE; /* the filter goes first */
	return leave(page, view);
}

static unsigned act_on_page(struct table_page *page, struct panel_view *view, const struct lake_table *t, enum act what)
{
	switch ((int)what) {
	case ACT_REFRESH:
		return view->by_hand && page_format(t) ? page_ask(page, view, t, page_shown(page)) : page_ask_next(page, view, t);
	case ACT_NEXT_VIEW:
	case ACT_PREVIOUS_VIEW:
		return turn_by(page, view, t, what == ACT_PREVIOUS_VIEW);
	case ACT_PEEK:
		for (size_t i = 0; table_tabs[i].view; i++)
			if (page_is_rows(i) && page_has_tab(t, i))
				return turn_to(page, view, t, i);
		return REACT_NONE;
	case ACT_ACTIONS:
		return table_act(view, t);
	case ACT_SORT:
		if (!page->record && turn_order(page))
			return page_ask_next(page, view, t);
		break;
	default:
		break;
	}
	return act_on_answer(page, view, t, what);
}

bool table_page_takes(const struct table_page *page, enum act what)
{
	switch ((int)what) {
	case ACT_MARK:
		return false;
	case ACT_RIGHT:
		return page_is_rows(page_shown(page)) && !page->record;
	case ACT_ENTER:
		return page->tab > 0 && !page->record;
	case ACT_SORT:
		return page->tab > 0 && !page->record && !page_is_rows(page_shown(page));
	default:
		return true;
	}
}

unsigned table_page_act(struct table_page *page, struct panel_view *view, enum act what)
{
	const struct lake_table *t = page_lake_table(page, view->lake);
	bool across = t && page_is_rows(page_shown(page)) && !page->record; /* rows scroll to the left */
	unsigned reactions;

	page_fetch(page, view->lake);
	if (what == ACT_BACK || what == ACT_CANCEL || (what == ACT_LEFT && !across))
		return back(page, view, what);
	reactions = t ? act_on_page(page, view, t, what) : REACT_NONE;
	view->again_ms = page->in_flight < TABLE_TABS_MAX ? POLL_MS : WATCH_MS;
	return reactions;
}
