// SPDX-License-Identifier: MIT
/*
 * What the page of a table asks for. Each view is asked for when it is first looked at, and kept while the page is
 * open; what is light is asked again when the table has a new commit, a preview only by hand, for it reads a lot.
 * While the overview is open, the previews of what is due are asked for one by one. UI thread only.
 */
#include <string.h>

#include "tables_page_own.h"

enum { LIGHT_MS = 5000, LOST_MS = 120000, ROWS_SHOWN = 200 };

const struct catalog_view *page_rows_catalog(const struct lake_table *t)
{
	for (size_t i = 0; i < t->n_in; i++)
		if (t->in[i].view->engine && service_kind_shows(t->in[i].view->engine->kind, ROWS_VIEW))
			return t->in[i].view;
	return NULL;
}

static void keep(struct held *h, const struct snapshot *s)
{
	snapshot_unref(h->answer.own);
	h->answer.seen = snapshot_keep(s);
}

void page_fetch(struct table_page *page, const struct lake *lake)
{
	size_t at = page->in_flight;
	const struct lake_table *t = at < TABLE_TABS_MAX ? page_lake_table(page, lake) : NULL;
	const struct catalog_view *c = t && page_is_rows(at) ? page_rows_catalog(t) : NULL;
	const struct snapshot *s;

	if (!t)
		return;
	if (page_is_rows(at))
		s = c ? service_answer(c->engine, ROWS_VIEW, page->subject) : NULL;
	else
		s = catalog_answer_to(t->in[0].view, table_tabs[at].view, page->name);
	if (!s || s == page->held[at].answer.seen)
		return;
	keep(&page->held[at], s);
	page->in_flight = TABLE_TABS_MAX;
}

/* ---- asking ---- */

/* As that catalog calls it: two may know it by two names. */
static const char *name_in(const struct lake_table *t, const struct catalog_view *c)
{
	struct value v = value_unknown();

	for (size_t i = 0; i < t->n_in; i++)
		if (t->in[i].view == c)
			v = table_get(snapshot_find_table(c->snapshot, "tables"), t->in[i].row, "name");
	return v.type == VALUE_TEXT ? v.u.s : "";
}

unsigned table_act(struct panel_view *view, const struct lake_table *t)
{
	const struct catalog_view *c = t->in[0].view;

	for (size_t i = t->n_in; i-- > 0;)
		if (t->in[i].view->engine)
			c = t->in[i].view;
	view->act_on = ON_TABLE;
	view->act_service = c->catalog->name;
	view->act_subject = name_in(t, c);
	return REACT_ACT;
}

static bool put_subject(struct table_page *page, const struct lake_table *t, const struct catalog_view *c)
{
	char engine[NAME_SIZE];
	const char *table = catalog_for_engine(c->catalog, snapshot_get(c->snapshot, "named").type == VALUE_INT, name_in(t, c), engine);

	return table[0] && rows_subject(page->subject, engine, table, ROWS_SHOWN);
}

unsigned page_ask(struct table_page *page, struct panel_view *view, const struct lake_table *t, size_t at)
{
	const struct catalog_view *c = page_is_rows(at) ? page_rows_catalog(t) : t->in[0].view;
	struct held *h = &page->held[at];

	if (!c || (page_is_rows(at) && !put_subject(page, t, c)))
		return REACT_HANDLED;
	if (page->in_flight < TABLE_TABS_MAX && page->in_flight != at) /* a newer question ends the one before it */
		page->held[page->in_flight].asked = 0;
	page->in_flight = at;
	h->asked = view->lake->now;
	text_copy(h->state, sizeof h->state, text_of(table_text(t, "metadata")));
	view->ask_view = table_tabs[at].view;
	view->ask_service = page_is_rows(at) ? c->engine->name : NULL;
	view->ask_catalog = page_is_rows(at) ? NULL : page->catalog;
	view->ask_subject = page_is_rows(at) ? page->subject : page->name;
	return REACT_HANDLED | REACT_ASK;
}

bool page_changed(const struct held *h, const struct lake_table *t)
{
	char state[STATE_MOST];

	return strcmp(h->state, text_copy(state, sizeof state, text_of(table_text(t, "metadata")))) != 0;
}

static bool wants(const struct table_page *page, const struct lake *lake, const struct lake_table *t, size_t at)
{
	const struct held *h = &page->held[at];
	int64_t since = lake->now - h->asked;

	if (!h->asked || (page->in_flight == at && since > LOST_MS))
		return true;
	return page->in_flight != at && !table_tabs[at].plan && !page_is_rows(at) && since > LIGHT_MS && page_changed(h, t);
}

/* The place of the first preview of what is due that was not asked for; TABLE_TABS_MAX: none is left. */
static size_t next_cure(const struct table_page *page, const struct lake_table *t)
{
	size_t due[CURES_MAX], n = page_due(t, due);

	for (size_t i = 0; i < n; i++)
		if (!page->held[due[i]].asked)
			return due[i];
	return TABLE_TABS_MAX;
}

unsigned page_ask_next(struct table_page *page, struct panel_view *view, const struct lake_table *t)
{
	size_t at = page_shown(page);

	if (page_format(t) && wants(page, view->lake, t, at))
		return page_ask(page, view, t, at);
	if (at == 0 && page->in_flight == TABLE_TABS_MAX && next_cure(page, t) < TABLE_TABS_MAX)
		return page_ask(page, view, t, next_cure(page, t));
	return REACT_HANDLED;
}
