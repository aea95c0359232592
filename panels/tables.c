// SPDX-License-Identifier: MIT
/*
 * Tables: every table of every catalog, once, with its health; what is due is ranked over all of them.
 * Enter opens a table's page (tables_page.c). With thousands of tables a key costs one pass over them.
 * UI thread only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "tables_page.h"
#include "show.h"

enum { ROOM_FOR_RULE = 18, ROOM_FOR_SENTENCE = 12, DOWN_LINES = 3 };

/* ---- a table in words ---- */

const char *table_text(const struct lake_table *t, const char *column)
{
	struct value v = lake_table_get(t, column);

	return v.type == VALUE_TEXT ? v.u.s : "";
}

const char *table_name(const struct lake_table *t)
{
	return table_text(t, "name");
}

/* An Iceberg or Delta table whose metadata is still to be read. */
static bool is_unread(const struct lake_table *t)
{
	const char *format = table_text(t, "format"), *measured = table_text(t, "measured");

	return (!measured[0] || !strcmp(measured, "none")) && !table_text(t, "error")[0] &&
		(!format[0] || text_starts(text_of(format), "iceberg") || text_starts(text_of(format), "delta"));
}

static bool has_files(const struct lake_table *t)
{
	const char *format = table_text(t, "format");

	return !format[0] || text_starts(text_of(format), "iceberg") || text_starts(text_of(format), "delta");
}

enum mark table_mark(const struct lake_table *t)
{
	static const struct {
		const char *grade;
		enum mark mark;
	} grades[] = {{"good", MARK_GOOD}, {"due", MARK_DUE}, {"ill", MARK_ILL}, {"failed", MARK_FAILED}};
	const char *grade = table_text(t, "grade");

	for (size_t i = 0; i < sizeof grades / sizeof *grades; i++)
		if (!strcmp(grade, grades[i].grade))
			return grades[i].mark;
	return table_text(t, "error")[0] ? MARK_FAILED : !has_files(t) ? MARK_OFF : is_unread(t) ? MARK_BUSY : MARK_UNKNOWN;
}

const char *table_health_words(const struct lake_table *t)
{
	const char *due = table_text(t, "due");

	switch ((int)table_mark(t)) {
	case MARK_GOOD:
		return due[0] ? due : "good";
	case MARK_DUE:
	case MARK_ILL:
		return due[0] ? due : table_text(t, "grade");
	case MARK_FAILED:
		return "failed";
	case MARK_OFF:
		return "-";
	case MARK_BUSY:
		return "not read yet";
	default:
		return "unknown";
	}
}

const char *table_sentence(const struct lake_table *t)
{
	const char *error = table_text(t, "error"), *said = table_text(t, "words");

	if (error[0] || said[0])
		return error[0] ? error : said;
	if (has_files(t))
		return table_health_words(t);
	return !strcmp(table_text(t, "format"), "view") ? "a view: it has no files, and nothing is ever due for it" :
		"neither Iceberg nor Delta: laketop reads nothing of it but its name";
}

char *table_catalogs(char out[VALUE_TEXT_SIZE], const struct lake_table *t)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < t->n_in && used + 3 < VALUE_TEXT_SIZE; i++) {
		snprintf(out + used, VALUE_TEXT_SIZE - used, "%s%s", i ? ", " : "", t->in[i].view->catalog->name);
		used = strlen(out);
	}
	return out;
}

/* A manifest list counts files and records, and knows no sizes. */
static bool is_told_only(const struct lake_table *t, const char *column)
{
	const char *measured = table_text(t, "measured");
	bool size = !strcmp(column, "bytes");

	if (!size && strcmp(column, "files") != 0 && strcmp(column, "records") != 0 && strcmp(column, "deletes") != 0)
		return false;
	return !strcmp(measured, "summary") || (size && !strcmp(measured, "manifest list"));
}

static const char *show_told(char out[VALUE_TEXT_SIZE], const struct lake_table *t, const char *column, enum unit unit, const struct lake *lake)
{
	struct value v = lake_table_get(t, column);
	char number[VALUE_TEXT_SIZE];

	if (v.type == VALUE_TEXT)
		return v.u.s;
	show_value(number, v, unit, lake);
	snprintf(out, VALUE_TEXT_SIZE, "%s%.90s", v.type != VALUE_UNKNOWN && is_told_only(t, column) ? "~" : "", number);
	return out;
}

const char *table_show(char out[VALUE_TEXT_SIZE], const struct lake_table *t, const struct column_spec *spec, const struct lake *lake)
{
	return show_told(out, t, spec->name, spec->unit, lake);
}

/* ---- the list ---- */

static struct value small_share(const struct lake_table *t)
{
	struct value small = lake_table_get(t, "small"), files = lake_table_get(t, "files");

	if (small.type != VALUE_INT || files.type != VALUE_INT)
		return value_unknown();
	return value_real(files.u.i > 0 ? 100.0 * (double)small.u.i / (double)files.u.i : 0);
}

static struct value get(const struct list_row *row, const struct list_column *column)
{
	const struct lake_table *t = row->lake_table;

	if (is(column, "small"))
		return small_share(t);
	if (is(column, "catalogs"))
		return value_text(t->n_in ? t->in[0].view->catalog->name : NULL);
	if (is(column, "health"))
		return value_text(table_health_words(t));
	if (is(column, "note"))
		return value_text(table_text(t, table_text(t, "error")[0] ? "error" : "words"));
	if (is(column, "age"))
		return t->old && t->in[0].view->snapshot ? value_int(t->in[0].view->snapshot->wall) : value_unknown();
	return lake_table_get(t, column->name);
}

static const char *words(const struct list_row *row, const struct list_column *column, const struct lake *lake, char out[VALUE_TEXT_SIZE])
{
	if (is(column, "catalogs"))
		return table_catalogs(out, row->lake_table);
	if (is(column, "files") || is(column, "records") || is(column, "bytes") || is(column, "deletes"))
		return show_told(out, row->lake_table, column->name, column->unit, lake);
	return NULL;
}

static enum mark mark(const struct list_row *row)
{
	return table_mark(row->lake_table);
}

/* What is due by its weight, above it what cannot be read, below it what is not known, and what is well. */
static double rank(const struct list_row *row)
{
	enum mark m = table_mark(row->lake_table);
	double weight = value_number(lake_table_get(row->lake_table, "weight"));

	if (m == MARK_FAILED)
		return 1e30;
	if (m == MARK_ILL || m == MARK_DUE)
		return weight > 0 ? weight : 0;
	return m == MARK_OFF ? -MARK_COUNT - 1 : (double)m - MARK_COUNT;
}

static bool old(const struct list_row *row)
{
	return row->lake_table->old;
}

static const struct list_kind tables_kind = {
	.columns = (const struct list_column[]){
		{"TABLE", "name", .own = true},
		{"CATALOG", "catalogs", .priority = 4, .most = 24},
		{"FORMAT", "format", .priority = 2, .most = 12, .own = true},
		{"SNAPSHOTS", "snapshots", UNIT_COUNT, .priority = 4, .own = true, .number = true},
		{"FILES", "files", UNIT_COUNT, .priority = 1, .own = true, .number = true},
		{"SMALL", "small", UNIT_PERCENT, .priority = 3, .own = true, .number = true},
		{"DELETES", "deletes", UNIT_COUNT, .priority = 5, .own = true, .number = true},
		{"RECORDS", "records", UNIT_RECORDS, .priority = 5, .own = true, .number = true},
		{"SIZE", "bytes", UNIT_BYTES, .priority = 1, .own = true, .number = true},
		{"LAST COMMIT", "committed", UNIT_TIME, .priority = 3, .own = true},
		{"HEALTH", "health", .most = 26, .own = true, .state = true},
		{"AGE", "age", UNIT_TIME, .priority = 1},
		{"BY", "by", .priority = 8, .most = 16, .own = true},
		{"PARTITIONS", "partitions", UNIT_COUNT, .priority = 8, .own = true, .number = true},
		{"WORST", "worst", UNIT_COUNT, .priority = 9, .own = true, .number = true},
		{"MANIFESTS", "manifests", UNIT_COUNT, .priority = 9, .own = true, .number = true},
		{"COMMITS/D", "rate", UNIT_COUNT, .priority = 9, .own = true, .number = true},
		{"METADATA", "metadata_bytes", UNIT_BYTES, .priority = 10, .own = true, .number = true},
		{"SAYS", "note", .priority = 7, .own = true},
		{0}},
	.n_names = 2, .get = get, .words = words, .mark = mark, .rank = rank, .old = old, .note = "note", .note_from = MARK_FAILED, .texts = true,
};

/* ---- for other panels ---- */

static bool is_of(const struct catalog_view *c, const struct service *service)
{
	return !service || (c->catalog->service && !strcmp(c->catalog->service->name, service->name));
}

bool tables_line(char out[VALUE_TEXT_SIZE], const struct lake *lake, const struct service *service, enum style *style)
{
	size_t n = 0, due = 0, failed = 0, used;
	char number[VALUE_TEXT_SIZE];

	for (size_t i = 0; i < lake->n_tables; i++) {
		const struct lake_table *t = &lake->tables[i];

		if (!is_of(t->in[0].view, service))
			continue;
		n++;
		failed += table_text(t, "error")[0] != '\0';
		due += table_text(t, "due")[0] != '\0';
	}
	used = (size_t)snprintf(out, VALUE_TEXT_SIZE, "%.30s table%s", value_show(number, value_int((int64_t)n), UNIT_COUNT), n == 1 ? "" : "s");
	if (due)
		used += (size_t)snprintf(out + used, VALUE_TEXT_SIZE - used, ", %.20s due", value_show(number, value_int((int64_t)due), UNIT_COUNT));
	if (failed)
		snprintf(out + used, VALUE_TEXT_SIZE - used, ", %.20s failed", value_show(number, value_int((int64_t)failed), UNIT_COUNT));
	*style = failed ? STYLE_WARN : STYLE_NORMAL;
	return n > 0;
}

/* ---- the panel's state ---- */

struct sums { /* over all tables, as they were joined last */
	uint64_t stamp;
	size_t due, ill, failed, unread, old;
	double bytes;
	bool at_least;
	bool twins; /* a name occurs in two catalogs, of two tables */
};
struct tables {
	bool begun;
	struct table_list look;
	struct sums sums;
	struct table_page *page;
	struct action_mark marks[ACTION_MARKS_MAX];
	uint64_t since[ACTION_MARKS_MAX]; /* the newest action when it was marked */
	size_t n_marks;
};

static struct tables *begun(void *state)
{
	struct tables *t = state;

	if (!t->begun)
		table_list_reset(&t->look);
	if (!t->begun)
		t->page = table_page_new();
	t->begun = true;
	return t;
}

static void end(void *state)
{
	struct tables *t = state;

	table_page_free(t->page);
	table_list_end(&t->look);
}

/* By the catalog that would be asked to act, and its name there; n: there is none such. */
static size_t mark_at(const struct tables *t, const struct lake_table *of)
{
	struct panel_view view = {0};
	size_t i = 0;

	table_act(&view, of);
	while (i < t->n_marks && (strcmp(t->marks[i].service, view.act_service) != 0 || strcmp(t->marks[i].subject, view.act_subject) != 0))
		i++;
	return i;
}

static bool is_marked(const void *ctx, const struct list_row *row)
{
	const struct tables *t = ctx;

	return t->n_marks && mark_at(t, row->lake_table) < t->n_marks;
}

/* Numbers of this run grow; those of what earlier ones left open stand above them all. */
static uint64_t newest_action(const struct lake *lake)
{
	uint64_t newest = 0;

	for (size_t i = 0; i < lake->n_actions; i++)
		if (lake->actions[i].state != ACTION_OPEN && lake->actions[i].id > newest)
			newest = lake->actions[i].id;
	return newest;
}

static void take_mark(struct tables *t, size_t i)
{
	t->n_marks--;
	t->marks[i] = t->marks[t->n_marks];
	t->since[i] = t->since[t->n_marks];
}

static bool went_well_since(const struct lake *lake, const struct action_mark *mark, uint64_t since)
{
	for (size_t i = 0; i < lake->n_actions; i++) {
		const struct action_shown *a = &lake->actions[i];

		if (a->state != ACTION_OPEN && a->id > since && action_went_well(a->state) && !strcmp(a->wish.service, mark->service) &&
			!strcmp(a->wish.subject, mark->subject) && action_spec_of(a->wish.verb, ON_TABLE))
			return true;
	}
	return false;
}

/* What was done loses its mark; what failed, and what was not reached, keeps it. */
static void forget_done(struct tables *t, const struct lake *lake)
{
	for (size_t i = t->n_marks; i-- > 0;)
		if (went_well_since(lake, &t->marks[i], t->since[i]))
			take_mark(t, i);
}

static void mark_row(struct tables *t, const struct lake *lake, const struct lake_table *of)
{
	size_t i = mark_at(t, of);
	struct panel_view view = {0};

	if (i < t->n_marks) {
		take_mark(t, i);
		return;
	}
	if (t->n_marks == ACTION_MARKS_MAX)
		return;
	table_act(&view, of);
	text_copy(t->marks[i].service, sizeof t->marks[i].service, text_of(view.act_service));
	text_copy(t->marks[i].subject, sizeof t->marks[i].subject, text_of(view.act_subject));
	t->since[i] = newest_action(lake);
	t->n_marks++;
}

/* Another one whenever the tables are others. */
static uint64_t stamp_of(const struct lake *lake)
{
	return ((uintptr_t)lake->tables + (lake->joined + 1) * UINT64_C(0x9e3779b97f4a7c15) + lake->n_tables) | 1;
}

static void collect(struct list *list, const struct tables *tables, const struct lake *lake)
{
	list_begin(list, &tables_kind, lake);
	list->marked = is_marked;
	list->marked_ctx = tables;
	list->stamp = stamp_of(lake);
	list->any = lake->n_tables > 0;
	list->rows = mem_new(lake->n_tables + 1, sizeof *list->rows);
	list->room = lake->n_tables + 1;
	for (size_t i = 0; i < lake->n_tables; i++)
		list->rows[list->n++].lake_table = &lake->tables[i];
	for (size_t i = 0; i < lake->n_catalogs; i++) {
		const struct table *t = snapshot_find_table(lake->catalogs[i].snapshot, "tables");

		list->left_off += t ? t->left_off : 0;
		if (lake->catalogs[i].failed && t && t->n_rows)
			list_has(list, "age");
	}
	if (lake->n_catalogs > 1)
		list_has(list, "catalogs");
	list->keeps = tables->sums.twins ? "catalogs" : NULL;
}

/* ---- above the list: all of them in a line, and how the catalogs do ---- */

static const char *catalog_words(const struct catalog_view *c, const struct lake *lake, char out[REASON_SIZE])
{
	char number[VALUE_TEXT_SIZE], span[CLOCK_TEXT];
	const struct snapshot *told = c->snapshot;

	if (c->failed && told)
		snprintf(out, REASON_SIZE, "%.60s does not answer; its tables are as they were %s ago: %.110s", c->catalog->name,
			clock_span(span, lake->now > told->ended ? lake->now - told->ended : 0), c->failed->err.words);
	else if (c->failed && c->failed->err.code == ERR_AUTH && c->catalog->found)
		snprintf(out, REASON_SIZE, "%.60s is found, and asks for a credential: \"laketop tables\" says the lines of a profile", c->catalog->name);
	else if (c->failed)
		snprintf(out, REASON_SIZE, "%.60s: %.170s", c->catalog->name, c->failed->err.words);
	else if (!told)
		snprintf(out, REASON_SIZE, "asking %.60s…", c->catalog->name);
	else
		snprintf(out, REASON_SIZE, "%.60s %.40s", c->catalog->name, value_show(number, snapshot_get(told, "tables"), UNIT_COUNT));
	return out;
}

static const char *cut_words(const struct catalog_view *c)
{
	struct value v = snapshot_get(c->snapshot, "cut");

	return !c->failed && v.type == VALUE_TEXT ? v.u.s : "";
}

/* Which no profile lists. False: there is none such that answers. */
static bool found_words(const struct lake *lake, char out[REASON_SIZE])
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < lake->n_catalogs && len < REASON_SIZE; i++) {
		const struct catalog_view *v = &lake->catalogs[i];

		if (v->catalog->found && !v->failed)
			len += (size_t)snprintf(out + len, REASON_SIZE - len, "%s%.60s", len ? ", " : "found, not in the profile: ", v->catalog->name);
	}
	return len > 0;
}

static void sum(struct sums *s, const struct lake *lake)
{
	if (s->stamp == stamp_of(lake))
		return;
	*s = (struct sums){.stamp = stamp_of(lake)};
	for (size_t i = 0; i < lake->n_tables; i++) {
		const struct lake_table *t = &lake->tables[i];
		enum mark m = table_mark(t);
		double bytes = value_number(lake_table_get(t, "bytes"));

		s->due += m == MARK_DUE;
		s->ill += m == MARK_ILL;
		s->failed += m == MARK_FAILED;
		s->unread += m == MARK_BUSY;
		s->old += t->old;
		s->at_least |= !(bytes >= 0) && m != MARK_OFF;
		s->bytes += bytes > 0 ? bytes : 0;
		s->twins |= i && !strcmp(table_name(t), table_name(&lake->tables[i - 1])); /* they are there by name */
	}
}

static void count_part(struct pen *pen, enum style style, size_t n, const char *one, const char *many)
{
	char number[VALUE_TEXT_SIZE], part[VALUE_TEXT_SIZE * 2];

	if (!n && style != STYLE_NORMAL)
		return;
	snprintf(part, sizeof part, "%s %s", value_show(number, value_int((int64_t)n), UNIT_COUNT), n == 1 ? one : many);
	pen_part(pen, style, part, NULL);
}

static void draw_sums(const struct sums *s, const struct lake *lake, bool ranked, struct canvas *c)
{
	struct pen pen = {c, 0, 1};
	struct value bytes = value_real(s->bytes);
	char words_out[VALUE_TEXT_SIZE], one[REASON_SIZE];

	count_part(&pen, STYLE_NORMAL, lake->n_tables, "table", "tables");
	count_part(&pen, STYLE_BAD, s->failed, "failed", "failed");
	count_part(&pen, STYLE_BAD, s->ill, "ill", "ill");
	count_part(&pen, STYLE_WARN, s->due, "due", "due");
	count_part(&pen, STYLE_ACCENT, s->unread, "unread", "unread");
	if (ranked)
		pen_part(&pen, STYLE_ACCENT, "most due first", NULL);
	bytes.at_least = s->at_least;
	if (s->bytes > 0)
		pen_part(&pen, STYLE_NORMAL, value_show(words_out, bytes, UNIT_BYTES), NULL);
	for (size_t i = 0; i < lake->n_catalogs; i++)
		if (!lake->catalogs[i].failed)
			pen_part(&pen, lake->catalogs[i].snapshot ? STYLE_DIM : STYLE_ACCENT, catalog_words(&lake->catalogs[i], lake, one), NULL);
}

/* Returns the lines used: the sums, and one for each catalog that is down or whose listing is short of some. */
static int draw_head(const struct sums *s, const struct lake *lake, bool ranked, struct canvas *c)
{
	int most = c->height >= ROOM_FOR_RULE ? DOWN_LINES : 1, y = 0;
	size_t left = 0;
	char found[REASON_SIZE];

	if (c->height < 3)
		return 0;
	draw_sums(s, lake, ranked, c);
	if (c->height >= ROOM_FOR_RULE && found_words(lake, found)) {
		show_text(c, ++y, 1, c->width - 2, STYLE_DIM, found);
		most++;
	}
	for (size_t i = 0; i < lake->n_catalogs; i++) {
		const struct catalog_view *v = &lake->catalogs[i];
		char line[REASON_SIZE];

		if (!v->failed && !cut_words(v)[0])
			continue;
		if (y == most || y + 3 > c->height) {
			left++;
			continue;
		}
		if (v->failed)
			show_text(c, ++y, 3, c->width - 4, STYLE_WARN, catalog_words(v, lake, line));
		else {
			snprintf(line, sizeof line, "%.60s: %.170s", v->catalog->name, cut_words(v));
			show_text(c, ++y, 3, c->width - 4, STYLE_DIM, line);
		}
		show_text(c, y, 1, 1, v->failed ? STYLE_WARN : STYLE_DIM, v->failed ? verdict_glyph(VERDICT_SICK, c->ascii) : "·");
	}
	if (left)
		canvas_printf(c, y, c->width - 11, 10, STYLE_DIM, "… +%zu more", left);
	return y + 1;
}

static void empty_words(struct list *list, const struct lake *lake)
{
	if (list->n)
		return;
	if (!lake->n_catalogs) {
		snprintf(list->empty, sizeof list->empty, "no catalog is listed%s; one in PostgreSQL needs a profile: %.80s; %.50s",
			lake->heard_all ? ", and none was found that answers" : "; asking who listens…", catalog_example[0], catalog_example[1]);
		return;
	}
	for (size_t i = 0; i < lake->n_catalogs; i++)
		if (!lake->catalogs[i].snapshot) {
			catalog_words(&lake->catalogs[i], lake, list->empty);
			return;
		}
	snprintf(list->empty, sizeof list->empty, "%.60s lists no table", lake->catalogs[0].catalog->name);
}

/* Of the selected one, where its sentence has no column. */
static void draw_sentence(const struct tables *tables, struct canvas *c)
{
	const struct table_list *look = &tables->look;
	const struct lake_table *t = look->selected.lake_table;
	char line[REASON_SIZE * 2], catalogs[VALUE_TEXT_SIZE];

	if (tables->n_marks) {
		snprintf(line, sizeof line, "%zu marked: x acts on them all, one after another; Esc takes the marks away", tables->n_marks);
		show_text(c, 0, 1, c->width - 2, STYLE_ACCENT, line);
		return;
	}
	if (!t || look->broad || table_mark(t) == MARK_FAILED) /* why it failed stands below its row */
		return;
	snprintf(line, sizeof line, "%.120s of %.90s: %.260s", table_name(t), table_catalogs(catalogs, t), table_sentence(t));
	show_text(c, 0, 1, c->width - 2, STYLE_DIM, line);
}

/* By the column of marks, whose arrow stands before TABLE as if it were by name. */
static bool is_ranked(const struct grid *g, const struct panel_view *view)
{
	return g->sort == 0 ? g->reverse : g->sort < 0 && view->problems_only;
}

static void draw(struct panel_view *view, void *state, struct canvas *c)
{
	struct tables *t = begun(state);
	struct list list;
	struct canvas body, foot;
	int head, below = c->height >= ROOM_FOR_SENTENCE;

	if (table_page_is_open(t->page)) {
		table_page_draw(t->page, view, c);
		return;
	}
	forget_done(t, view->lake);
	sum(&t->sums, view->lake);
	head = view->lake->n_catalogs ? draw_head(&t->sums, view->lake, is_ranked(&t->look.grid, view), c) : 0;
	if (c->height >= ROOM_FOR_RULE && head)
		show_rule(c, head++);
	collect(&list, t, view->lake);
	empty_words(&list, view->lake);
	body = canvas_part(c, head, 0, c->height - head - below, c->width);
	foot = canvas_part(c, c->height - below, 0, below, c->width);
	list_draw(&t->look, view, &list, &body);
	draw_sentence(t, &foot);
	t->look.selected = (struct list_row){0};
	list_end(&list);
}

static unsigned act(struct panel_view *view, void *state, enum act what)
{
	struct tables *t = begun(state);
	struct list list;
	struct list_row row;
	unsigned reactions;

	if (what == ACT_ENTER && view->subject) { /* one by its name */
		row.lake_table = lake_table_named(view->lake, view->subject);
		return row.lake_table ? table_page_open(t->page, view, row.lake_table) : REACT_NONE;
	}
	if (table_page_is_open(t->page))
		return table_page_act(t->page, view, what);
	if (what == ACT_REFRESH)
		return REACT_NONE;
	forget_done(t, view->lake);
	if (what == ACT_CANCEL && t->n_marks) {
		t->n_marks = 0;
		return REACT_HANDLED;
	}
	collect(&list, t, view->lake);
	reactions = list_act(&t->look, view, &list, what, &row);
	list_end(&list);
	if (!reactions && row.lake_table && what == ACT_MARK) {
		mark_row(t, view->lake, row.lake_table);
		return act(view, state, ACT_DOWN) | REACT_HANDLED;
	}
	if (!reactions && what == ACT_ACTIONS && t->n_marks) {
		view->act_on = ON_TABLE;
		view->act_marks = t->marks;
		view->n_act_marks = t->n_marks;
		return REACT_ACT;
	}
	if (!reactions && row.lake_table && what == ACT_ACTIONS)
		return table_act(view, row.lake_table);
	if (!reactions && row.lake_table && (what == ACT_ENTER || what == ACT_RIGHT || what == ACT_PEEK)) {
		reactions = table_page_open(t->page, view, row.lake_table);
		if (what == ACT_PEEK) /* one question a key: that of the rows takes the place of the page's own */
			reactions |= table_page_act(t->page, view, ACT_PEEK);
	}
	return reactions;
}

/* What the list alone can do is not hinted on a table's page. */
static bool takes(const void *state, enum act what)
{
	const struct tables *t = state;

	if (!t->begun || !table_page_is_open(t->page))
		return what != ACT_NEXT_VIEW && what != ACT_RIGHT;
	return table_page_takes(t->page, what);
}

const struct panel panel_tables = {
	.name = "tables",
	.title = "Tables",
	.key = '4',
	.help = "Every Iceberg and Delta table of every catalog, once, and what is due for it: compact, expire, manifests, deletes, metadata, "
		"optimize, vacuum, by the engines' own rules. o puts first what is due most, ! leaves only that. ~ is before what only the "
		"table's own summary says. Enter opens a table: snapshots, partitions, files, schema, rows, growth, and what each cure would do. "
		"x runs one, after a yes; Space marks tables, and x then acts on all of them, one after another: "
		"what is done loses its mark. o on files: largest, smallest, oldest. SIZE is that of data files; of a snapshot, and in growth, "
		"that of delete files is in it, as its summary says.",
	.hints = (const struct key_hint[]){{ACT_ENTER, "open"}, {ACT_ACTIONS, "act"}, {ACT_NEXT_VIEW, "next view"}, {ACT_PEEK, "rows"},
		{ACT_RIGHT, "columns"}, {ACT_SORT, "rank, sort"}, {ACT_MARK, "mark"}, {ACT_NONE, NULL}},
	.takes = takes,
	.state_size = sizeof(struct tables),
	.draw = draw,
	.act = act,
	.tables = true,
	.end = end,
};
