// SPDX-License-Identifier: MIT
/*
 * The page of one table: its views by Tab. Each is asked for when it is first looked at, and kept while
 * the page is open; what is light is asked again when the table has a new commit, a preview only by hand,
 * for it reads a lot. While the overview is open, the previews of what is due are asked for one by one.
 * UI thread only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "tables_page.h"
#include "show.h"

enum {
	NAME_MOST = 512, STATE_MOST = 256, ROOM_FOR_RULE = 18, ROOM_FOR_GRAPH = 10,
	WATCH_MS = 2000, POLL_MS = 200, LIGHT_MS = 5000, LOST_MS = 120000, ROWS_SHOWN = 200, CURES_MAX = 8,
};

struct held { /* what was answered */
	union {
		const struct snapshot *seen;
		struct snapshot *own;
	} answer;
	int64_t asked;           /* lake->now when it was asked for last; 0 never, or in vain */
	char state[STATE_MOST];  /* the table's newest metadata at that time */
};
struct table_page {
	bool open;
	char name[NAME_MOST], catalog[NAME_SIZE];
	char ask_name[NAME_MOST], subject[ROWS_SUBJECT_SIZE]; /* live while they are asked for */
	size_t tab;              /* one that has a name */
	size_t order;            /* of the orders of that tab; 0 the first */
	size_t in_flight;        /* a place of table_tabs; TABLE_TABS_MAX: nothing */
	struct held held[TABLE_TABS_MAX];
	struct table_list look;
	struct rows_look rows;
	struct scroller scroller;
	bool record;             /* one row of what is shown, whole */
	size_t record_row;
	const struct snapshot *record_of;
	char copied[REASON_SIZE * 8];
};

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

static const struct lake_table *table_of(const struct table_page *page, const struct lake *lake)
{
	char whole[NAME_MOST + NAME_SIZE];

	snprintf(whole, sizeof whole, "%s.%s", page->catalog, page->name);
	return lake_table_named(lake, whole);
}

static unsigned format_of(const struct lake_table *t)
{
	const char *format = table_text(t, "format");

	return text_starts(text_of(format), "iceberg") ? OF_ICEBERG : text_starts(text_of(format), "delta") ? OF_DELTA : 0;
}

static bool has_tab(const struct lake_table *t, size_t tab)
{
	return table_tabs[tab].name && (tab == 0 || (table_tabs[tab].formats & format_of(t)));
}

/* The place of what is shown: the tab, or another order of it. */
static size_t shown(const struct table_page *page)
{
	return page->tab + page->order;
}

static size_t orders_of(size_t tab)
{
	size_t orders = 1;

	while (table_tabs[tab + orders].view && !table_tabs[tab + orders].name)
		orders++;
	return orders;
}

static bool is_rows(size_t at)
{
	return !strcmp(table_tabs[at].view, ROWS_VIEW);
}

static bool shows_rows(const struct service *s)
{
	for (const char *const *v = s && s->kind ? s->kind->views : NULL; v && *v; v++)
		if (!strcmp(*v, ROWS_VIEW))
			return true;
	return false;
}

/* The catalog whose engine shows the table's rows; NULL: none. */
static const struct catalog_view *rows_catalog(const struct lake_table *t)
{
	for (size_t i = 0; i < t->n_in; i++)
		if (shows_rows(t->in[i].view->engine))
			return t->in[i].view;
	return NULL;
}

static void keep(struct held *h, const struct snapshot *s)
{
	snapshot_unref(h->answer.own);
	h->answer.seen = snapshot_keep(s);
}

/* Takes the answer that is waited for. */
static void fetch(struct table_page *page, const struct lake *lake)
{
	size_t at = page->in_flight;
	const struct lake_table *t = at < TABLE_TABS_MAX ? table_of(page, lake) : NULL;
	const struct catalog_view *c = t && is_rows(at) ? rows_catalog(t) : NULL;
	const struct snapshot *s;

	if (!t)
		return;
	if (is_rows(at))
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

static unsigned ask(struct table_page *page, struct panel_view *view, const struct lake_table *t, size_t at)
{
	const struct catalog_view *c = is_rows(at) ? rows_catalog(t) : t->in[0].view;
	struct held *h = &page->held[at];

	if (!c || (is_rows(at) && !put_subject(page, t, c)))
		return REACT_HANDLED;
	if (page->in_flight < TABLE_TABS_MAX && page->in_flight != at) /* a newer question ends the one before it */
		page->held[page->in_flight].asked = 0;
	page->in_flight = at;
	h->asked = view->lake->now;
	text_copy(h->state, sizeof h->state, text_of(table_text(t, "metadata")));
	view->ask_view = table_tabs[at].view;
	view->ask_service = is_rows(at) ? c->engine->name : NULL;
	view->ask_catalog = is_rows(at) ? NULL : page->catalog;
	view->ask_subject = is_rows(at) ? page->subject : page->name;
	return REACT_HANDLED | REACT_ASK;
}

static bool changed(const struct held *h, const struct lake_table *t)
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
	return page->in_flight != at && !table_tabs[at].plan && !is_rows(at) && since > LIGHT_MS && changed(h, t);
}

/* The place of the preview of one kind of work that is due, by its name; TABLE_TABS_MAX: none is left. */
static size_t next_cure(const struct table_page *page, const struct lake_table *t)
{
	struct text rest = text_of(table_text(t, "due")), word;

	while (text_word(&rest, &word)) {
		word = text_until(word, ',');
		for (size_t i = 0; table_tabs[i].view; i++)
			if (table_tabs[i].plan && has_tab(t, i) && text_is(word, table_tabs[i].view) && !page->held[i].asked)
				return i;
	}
	return TABLE_TABS_MAX;
}

/* What is to be asked next, if anything. */
static unsigned ask_next(struct table_page *page, struct panel_view *view, const struct lake_table *t)
{
	size_t at = shown(page);

	if (format_of(t) && wants(page, view->lake, t, at))
		return ask(page, view, t, at);
	if (at == 0 && page->in_flight == TABLE_TABS_MAX && next_cure(page, t) < TABLE_TABS_MAX)
		return ask(page, view, t, next_cure(page, t));
	return REACT_HANDLED;
}

/* ---- drawing ---- */

static void tab_label(const void *ctx, int at, char out[NAME_SIZE])
{
	const size_t *tabs = ctx;

	text_copy(out, NAME_SIZE, text_of(table_tabs[tabs[at]].name));
}

static size_t tabs_of(const struct lake_table *t, size_t out[TABLE_TABS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; table_tabs[i].view; i++)
		if (has_tab(t, i))
			out[n++] = i;
	return n;
}

static void draw_tabs(const struct table_page *page, const struct lake_table *t, struct canvas *c, int y)
{
	size_t tabs[TABLE_TABS_MAX], n = tabs_of(t, tabs), current = 0;

	while (current + 1 < n && tabs[current] != page->tab)
		current++;
	show_tabs(c, y, (int)n, (int)current, tab_label, tabs);
}

static void draw_head(const struct table_page *page, const struct lake_table *t, const struct lake *lake, struct canvas *c)
{
	const struct held *h = &page->held[shown(page)];
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
	if (orders_of(page->tab) > 1)
		pen_part(&pen, STYLE_NORMAL, table_tabs[shown(page)].words, NULL);
	if (page->in_flight == shown(page) && s)
		pen_part(&pen, STYLE_ACCENT, "asking again…", NULL);
	else if (s && changed(h, t))
		pen_part(&pen, STYLE_WARN, "the table has changed since: r asks again", NULL);
	else if (s) {
		snprintf(words, sizeof words, "asked %s ago", clock_span(span, lake->now > s->ended ? lake->now - s->ended : 0));
		pen_part(&pen, STYLE_DIM, words, NULL);
	}
}

/* Why there is nothing to see. */
static void draw_waiting(const struct table_page *page, const struct lake_table *t, const struct lake *lake, struct canvas *c)
{
	size_t at = shown(page);
	const struct catalog_view *view = t->in[0].view, *rows = is_rows(at) ? rows_catalog(t) : NULL;
	int64_t since = lake->now - page->held[at].asked;
	char words[REASON_SIZE], span[CLOCK_TEXT];

	if (is_rows(at) && !rows)
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

static const struct table *table_in(const struct snapshot *answer)
{
	return answer && answer->n_tables ? &answer->tables[0] : NULL;
}

static void collect(struct list *list, const struct table_tab *tab, const struct lake_table *t, const struct table *table, const struct lake *lake)
{
	list_begin(list, tab->kind, lake);
	if (!table)
		return;
	text_copy(list->empty, sizeof list->empty, text_of(tab->kind->empty));
	list_use(list, NULL, table); /* its age stands above */
	for (size_t i = 0; i < table->n_rows; i++)
		list_add(list, &(struct list_row){.lake_table = t, .table = table, .at = i});
}

static void draw_list(struct table_page *page, const struct panel_view *view, const struct lake_table *t, const struct table *table,
	struct canvas *c)
{
	struct list list;

	collect(&list, &table_tabs[shown(page)], t, table, view->lake);
	list_draw(&page->look, view, &list, c);
	page->look.selected = (struct list_row){0};
	list_end(&list);
}

static void draw_growth(struct table_page *page, const struct panel_view *view, const struct table *table, struct canvas *c)
{
	int used = table_growth_draw(c, view->lake, table);
	struct canvas rest = canvas_part(c, used, 0, c->height - used, c->width);
	struct list list;

	if (rest.height < 2)
		return;
	list_begin(&list, &table_growth_kind, view->lake);
	table_growth_collect(&list, table);
	list_draw(&page->look, view, &list, &rest);
	page->look.selected = (struct list_row){0};
	list_end(&list);
}

static size_t cures_of(const struct table_page *page, const struct lake_table *t, struct cure cures[CURES_MAX])
{
	struct text rest = text_of(table_text(t, "due")), word;
	size_t n = 0;

	while (text_word(&rest, &word)) {
		word = text_until(word, ',');
		for (size_t i = 0; table_tabs[i].view; i++)
			if (table_tabs[i].plan && has_tab(t, i) && text_is(word, table_tabs[i].view) && n < CURES_MAX)
				cures[n++] = (struct cure){&table_tabs[i], page->held[i].answer.seen};
	}
	return n;
}

static void draw_overview(struct table_page *page, const struct panel_view *view, const struct lake_table *t, struct canvas *c)
{
	struct canvas nowhere = canvas_part(c, 0, 0, 0, c->width);
	struct cure cures[CURES_MAX];
	size_t n = cures_of(page, t, cures);
	const struct snapshot *facts = page->held[0].answer.seen;

	scroller_fit(&page->scroller, c, table_overview_draw(&nowhere, view->lake, t, facts, cures, n, 0));
	table_overview_draw(c, view->lake, t, facts, cures, n, page->scroller.top);
	show_matches(c, 0, view->filter ? view->filter : "");
	scroller_marks(&page->scroller, c);
}

static void draw_record(struct table_page *page, const struct panel_view *view, struct canvas *c)
{
	const struct table *t = table_in(page->record_of);
	struct canvas nowhere = canvas_part(c, 0, 0, 0, c->width);

	scroller_fit(&page->scroller, c, record_draw(&nowhere, view->lake, t, page->record_row, 0));
	record_draw(c, view->lake, t, page->record_row, page->scroller.top);
	show_matches(c, 0, view->filter ? view->filter : "");
	scroller_marks(&page->scroller, c);
}

static void draw_answer(struct table_page *page, const struct panel_view *view, const struct lake_table *t, const struct snapshot *answer,
	struct canvas *c)
{
	const struct table_tab *tab = &table_tabs[shown(page)];
	struct canvas rest = *c;
	int used = 0;

	if (answer->err.code != ERR_NONE)
		used = show_wrapped(c, 0, 1, c->width - 2, STYLE_WARN, answer->err.words);
	rest = canvas_part(c, used, 0, c->height - used, c->width);
	if (answer->err.code != ERR_NONE && !table_in(answer))
		return;
	if (is_rows(shown(page))) {
		rows_draw(&page->rows, view, answer, &rest);
		return;
	}
	if (tab->plan) {
		used = table_plan_draw(&rest, answer);
		rest = canvas_part(&rest, used, 0, rest.height - used, rest.width);
	}
	if (tab->plan && table_in(answer) && !table_in(answer)->n_rows)
		return; /* its sentence says all */
	if (tab->kind && rest.height > 1)
		draw_list(page, view, t, table_in(answer), &rest);
	else if (!tab->kind)
		draw_growth(page, view, table_in(answer), &rest);
}

/* The row is still there, in the answer that it was opened from. */
static bool record_is_there(struct table_page *page)
{
	const struct snapshot *answer = page->held[shown(page)].answer.seen;

	page->record = page->record && answer && answer == page->record_of && table_in(answer) &&
		page->record_row < table_in(answer)->n_rows;
	return page->record;
}

void table_page_draw(struct table_page *page, const struct panel_view *view, struct canvas *c)
{
	const struct lake_table *t = table_of(page, view->lake);
	struct canvas body;
	int head = c->height > 3 ? 2 : c->height > 2;

	fetch(page, view->lake);
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
	if (record_is_there(page))
		draw_record(page, view, &body);
	else if (page->tab == 0)
		draw_overview(page, view, t, &body);
	else if (page->held[shown(page)].answer.seen)
		draw_answer(page, view, t, page->held[shown(page)].answer.seen, &body);
	else
		draw_waiting(page, t, view->lake, &body);
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
	return ask_next(page, view, t) | REACT_INNER;
}

static unsigned leave(struct table_page *page, struct panel_view *view)
{
	const struct lake_table *t = table_of(page, view->lake);
	const struct catalog_view *c = t ? rows_catalog(t) : NULL;
	bool rows = page->in_flight < TABLE_TABS_MAX && is_rows(page->in_flight);

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
	return ask_next(page, view, t);
}

static unsigned turn_by(struct table_page *page, struct panel_view *view, const struct lake_table *t, bool back)
{
	size_t tabs[TABLE_TABS_MAX], n = tabs_of(t, tabs), current = 0;

	while (current + 1 < n && tabs[current] != page->tab)
		current++;
	return turn_to(page, view, t, tabs[(current + (back ? n - 1 : 1)) % n]);
}

/* The next order of the tab, where it has several. */
static bool turn_order(struct table_page *page)
{
	if (orders_of(page->tab) == 1)
		return false;
	page->order = (page->order + 1) % orders_of(page->tab);
	look_anew(page);
	return true;
}

static unsigned open_record(struct table_page *page, const struct snapshot *answer, size_t row)
{
	if (!table_in(answer) || row >= table_in(answer)->n_rows)
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
	const struct table_tab *tab = &table_tabs[shown(page)];
	struct list list;
	struct list_row row;
	unsigned reactions;

	if (tab->plan && what == ACT_COPY)
		return copy_statement(page, view, answer);
	if (tab->kind)
		collect(&list, tab, t, table_in(answer), view->lake);
	else {
		list_begin(&list, &table_growth_kind, view->lake);
		table_growth_collect(&list, table_in(answer));
	}
	reactions = list_act(&page->look, view, &list, what, &row);
	list_end(&list);
	if (!reactions && row.table && (what == ACT_ENTER || what == ACT_RIGHT))
		return open_record(page, answer, row.at);
	return reactions;
}

static unsigned act_on_answer(struct table_page *page, struct panel_view *view, const struct lake_table *t, enum act what)
{
	const struct snapshot *answer = page->held[shown(page)].answer.seen;
	size_t row = SIZE_MAX;
	unsigned reactions;

	if (record_is_there(page))
		return scroller_act(&page->scroller, what) ? REACT_HANDLED : REACT_NONE;
	if (page->tab == 0)
		return scroller_act(&page->scroller, what) ? REACT_HANDLED : REACT_NONE;
	if (!answer)
		return REACT_NONE;
	if (!is_rows(shown(page)))
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
		return view->by_hand && format_of(t) ? ask(page, view, t, shown(page)) : ask_next(page, view, t);
	case ACT_NEXT_VIEW:
	case ACT_PREVIOUS_VIEW:
		return turn_by(page, view, t, what == ACT_PREVIOUS_VIEW);
	case ACT_PEEK:
		for (size_t i = 0; table_tabs[i].view; i++)
			if (is_rows(i) && has_tab(t, i))
				return turn_to(page, view, t, i);
		return REACT_NONE;
	case ACT_ACTIONS:
		return table_act(view, t);
	case ACT_SORT:
		if (!page->record && turn_order(page))
			return ask_next(page, view, t);
		break;
	default:
		break;
	}
	return act_on_answer(page, view, t, what);
}

unsigned table_page_act(struct table_page *page, struct panel_view *view, enum act what)
{
	const struct lake_table *t = table_of(page, view->lake);
	bool across = t && is_rows(shown(page)) && !page->record; /* rows scroll to the left */
	unsigned reactions;

	fetch(page, view->lake);
	if (what == ACT_BACK || what == ACT_CANCEL || (what == ACT_LEFT && !across))
		return back(page, view, what);
	reactions = t ? act_on_page(page, view, t, what) : REACT_NONE;
	view->again_ms = page->in_flight < TABLE_TABS_MAX ? POLL_MS : WATCH_MS;
	return reactions;
}
