// SPDX-License-Identifier: MIT
/*
 * What can be seen of one table: the tabs of its page, their columns, and what is drawn in its own way:
 * the overview, growth, the sentence of a preview. Pure over answers. UI thread only.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tables_page.h"
#include "show.h"

enum { LABEL_MOST = 22, GRAPH_LINES = 3, GRAPH_STEPS = 8, ROOM_FOR_GRAPHS = 18, ROOM_FOR_STATEMENT = 10, TREE_MOST = 12, BAR_MOST = 6 };

/* ---- columns ---- */

/* When it was, to the second: ages of commits are all the same after a while. Today by the hour alone. */
static const char *moment(struct value v, const struct lake *lake, char out[VALUE_TEXT_SIZE])
{
	time_t at = v.type == VALUE_INT ? (time_t)(v.u.i / 1000) : 0, now = (time_t)(lake->wall / 1000);
	struct tm then, today;

	if (v.type != VALUE_INT || !localtime_r(&at, &then) || !localtime_r(&now, &today))
		return NULL;
	if (then.tm_year == today.tm_year && then.tm_yday == today.tm_yday)
		strftime(out, VALUE_TEXT_SIZE, "%H:%M:%S", &then);
	else
		strftime(out, VALUE_TEXT_SIZE, then.tm_year == today.tm_year ? "%m-%d %H:%M:%S" : "%Y-%m-%d %H:%M", &then);
	return out;
}

static const char *plain_words(const struct list_row *row, const struct list_column *column, const struct lake *lake, char out[VALUE_TEXT_SIZE])
{
	struct value v = list_cell(row, column->name);

	if (column->unit == UNIT_TIME)
		return moment(v, lake, out);
	if (v.type == VALUE_TEXT && !v.u.s[0])
		return is(column, "partition") ? "(unpartitioned)" : "-";
	return NULL;
}

/* Without the folder that all of them share. */
static const char *log_words(const struct list_row *row, const struct list_column *column, const struct lake *lake, char out[VALUE_TEXT_SIZE])
{
	struct text file = text_of(list_text(row, "file"));

	if (is(column, "file") && text_skip(&file, table_text(row->lake_table, "location")) && text_skip(&file, "/"))
		return file.at;
	return plain_words(row, column, lake, out);
}

/* Children stand under their parent, on lines that branched off. */
static const char *branch(const struct list_row *row, const char *name, char out[VALUE_TEXT_SIZE])
{
	struct value depth = list_cell(row, "depth");
	int by = depth.type == VALUE_INT ? (int)(depth.u.i < 0 ? 0 : depth.u.i > TREE_MOST ? TREE_MOST : depth.u.i) : 0;

	snprintf(out, VALUE_TEXT_SIZE, "%*s%s%.64s", by ? 2 * (by - 1) : 0, "", by ? "└ " : "", name);
	return out;
}

static const char *snapshot_words(const struct list_row *row, const struct list_column *column, const struct lake *lake, char out[VALUE_TEXT_SIZE])
{
	struct value id = list_cell(row, "snapshot");
	char digits[24];

	if (!is(column, "snapshot") || id.type != VALUE_INT)
		return plain_words(row, column, lake, out);
	snprintf(digits, sizeof digits, "%lld", (long long)id.u.i);
	return branch(row, digits, out);
}

static const char *schema_words(const struct list_row *row, const struct list_column *column, const struct lake *lake, char out[VALUE_TEXT_SIZE])
{
	return is(column, "column") ? branch(row, list_text(row, "column"), out) : plain_words(row, column, lake, out);
}

static const struct list_kind snapshots_kind = {
	.columns = (const struct list_column[]){
		{"SNAPSHOT", "snapshot", .priority = 0, .most = 44},
		{"REFS", "refs", .priority = 2, .most = 28},
		{"COMMITTED", "committed", UNIT_TIME, .priority = 1},
		{"OPERATION", "operation", .priority = 1, .most = 24},
		{"+FILES", "added_files", UNIT_COUNT, .priority = 2, .number = true},
		{"-FILES", "removed_files", UNIT_COUNT, .priority = 2, .number = true},
		{"+RECORDS", "added_records", UNIT_RECORDS, .priority = 4, .number = true},
		{"FILES", "files", UNIT_COUNT, .priority = 3, .number = true},
		{"RECORDS", "records", UNIT_RECORDS, .priority = 5, .number = true},
		{"SIZE", "bytes", UNIT_BYTES, .priority = 3, .number = true},
		{"BY", "by", .priority = 6, .most = 28},
		{"PARENT", "parent", .priority = 7},
		{0}},
	.n_names = 1, .words = snapshot_words, .empty = "no snapshot: nothing was ever written",
};
static const struct list_kind commits_kind = { /* of a Delta log */
	.columns = (const struct list_column[]){
		{"VERSION", "snapshot", .priority = 0},
		{"COMMITTED", "committed", UNIT_TIME, .priority = 1},
		{"OPERATION", "operation", .priority = 1, .most = 24},
		{"+FILES", "added_files", UNIT_COUNT, .priority = 2, .number = true},
		{"-FILES", "removed_files", UNIT_COUNT, .priority = 2, .number = true},
		{"+RECORDS", "added_records", UNIT_RECORDS, .priority = 4, .number = true},
		{"WHAT IT DID", "metrics", .priority = 3},
		{"BY", "by", .priority = 6, .most = 28},
		{0}},
	.n_names = 1, .words = plain_words, .empty = "no commit could be read",
};
static const struct list_kind refs_kind = {
	.columns = (const struct list_column[]){
		{"REF", "ref", .most = 40},
		{"KIND", "kind", .priority = 0},
		{"SNAPSHOT", "snapshot", .priority = 0},
		{"COMMITTED", "committed", UNIT_TIME, .priority = 1},
		{"KEEPS AT LEAST", "keeps", UNIT_COUNT, .priority = 2, .number = true},
		{"SNAPSHOTS FOR", "max_snapshot_age", UNIT_MS, .priority = 3, .number = true},
		{"ITSELF FOR", "max_ref_age", UNIT_MS, .priority = 3, .number = true},
		{0}},
	.n_names = 1, .words = plain_words, .empty = "no branch and no tag",
};
static const struct list_kind partitions_kind = {
	.columns = (const struct list_column[]){
		{"PARTITION", "partition", .priority = 0},
		{"FILES", "files", UNIT_COUNT, .number = true},
		{"SMALL", "small", UNIT_COUNT, .priority = 1, .number = true},
		{"DELETES", "deletes", UNIT_COUNT, .priority = 2, .number = true},
		{"RECORDS", "records", UNIT_RECORDS, .priority = 2, .number = true},
		{"SIZE", "bytes", UNIT_BYTES, .number = true},
		{"SPEC", "spec", .priority = 5, .number = true},
		{0}},
	.n_names = 1, .words = plain_words, .empty = "no partition has a file",
};
static const struct list_kind files_kind = {
	.columns = (const struct list_column[]){
		{"FILE", "file", .priority = 0, .tail = true},
		{"SIZE", "bytes", UNIT_BYTES, .number = true},
		{"RECORDS", "records", UNIT_RECORDS, .priority = 1, .number = true},
		{"PARTITION", "partition", .priority = 2, .most = 36},
		{"CONTENT", "content", .priority = 2, .most = 18},
		{"COMMITTED", "committed", UNIT_TIME, .priority = 3},
		{"FORMAT", "format", .priority = 5},
		{"SNAPSHOT", "snapshot", .priority = 6},
		{0}},
	.n_names = 1, .words = plain_words, .empty = "no file",
};
static const struct list_kind schema_kind = {
	.columns = (const struct list_column[]){
		{"SCHEMA", "schema", .priority = 3, .number = true},
		{"ID", "id", .priority = 2, .number = true},
		{"COLUMN", "column", .priority = 0},
		{"TYPE", "type", .priority = 0},
		{"REQUIRED", "required", .priority = 1},
		{"CHANGE", "change", .priority = 1},
		{"DOC", "doc", .priority = 4},
		{0}},
	.n_names = 3, .words = schema_words, .empty = "no column",
};
static const struct list_kind properties_kind = {
	.columns = (const struct list_column[]){{"PROPERTY", "what", .priority = 0}, {"VALUE", "value", .priority = 0}, {0}},
	.n_names = 1, .words = plain_words, .empty = "no property is set: all are at their defaults",
};
static const struct list_kind log_kind = {
	.columns = (const struct list_column[]){{"WRITTEN", "written", UNIT_TIME, .priority = 0}, {"FILE", "file", .priority = 0, .tail = true}, {0}},
	.words = log_words, .empty = "it names no file before the newest",
};
static const struct list_kind groups_kind = {
	.columns = (const struct list_column[]){
		{"WHAT", "what", .priority = 0},
		{"FILES", "files", UNIT_COUNT, .number = true},
		{"BECOME", "becomes", UNIT_COUNT, .priority = 1, .number = true},
		{"SIZE", "bytes", UNIT_BYTES, .priority = 1, .number = true},
		{"MADE", "when", UNIT_TIME, .priority = 2},
		{"WHY", "why", .priority = 2},
		{0}},
	.n_names = 1, .words = plain_words, .empty = "there is nothing to do",
};
const struct list_kind table_growth_kind = {
	.columns = (const struct list_column[]){
		{"MAINTENANCE", "maintenance", .most = 30},
		{"WHEN", "committed", UNIT_TIME, .priority = 0},
		{"FILES", "files", UNIT_COUNT, .number = true},
		{"SIZE", "bytes", UNIT_BYTES, .number = true},
		{"RECORDS", "records", UNIT_RECORDS, .priority = 2, .number = true},
		{"SNAPSHOT", "snapshot", .priority = 3},
		{0}},
	.words = plain_words, .empty = "no maintenance among the snapshots that are kept",
};

const struct table_tab table_tabs[] = {
	{"overview", "table", "what is known of it", OF_BOTH, NULL, false},
	{"snapshots", "snapshots", "its snapshots", OF_ICEBERG, &snapshots_kind, false},
	{"snapshots", "snapshots", "its commits", OF_DELTA, &commits_kind, false},
	{"refs", "refs", "branches and tags", OF_ICEBERG, &refs_kind, false},
	{"partitions", "partitions", "its partitions", OF_BOTH, &partitions_kind, false},
	{"files", "files", "its largest files", OF_BOTH, &files_kind, false},
	{NULL, "files-smallest", "its smallest files", OF_BOTH, &files_kind, false},
	{NULL, "files-oldest", "its oldest files", OF_BOTH, &files_kind, false},
	{"schema", "schema", "its columns", OF_BOTH, &schema_kind, false},
	{"properties", "properties", "its properties", OF_BOTH, &properties_kind, false},
	{"log", "log", "its metadata log", OF_BOTH, &log_kind, false},
	{"rows", ROWS_VIEW, "rows", OF_BOTH, NULL, false},
	{"growth", "growth", "how it grew", OF_BOTH, NULL, false},
	{"compact", "compact", "what a compaction would rewrite", OF_ICEBERG, &groups_kind, true},
	{"expire", "expire", "what an expiry would drop", OF_ICEBERG, &groups_kind, true},
	{"manifests", "manifests", "what a rewrite of manifests would do", OF_ICEBERG, &groups_kind, true},
	{"deletes", "deletes", "what a rewrite of position deletes would do", OF_ICEBERG, &groups_kind, true},
	{"orphans", "orphans", "files that nothing names", OF_ICEBERG, &groups_kind, true},
	{"optimize", "optimize", "what OPTIMIZE would rewrite", OF_DELTA, &groups_kind, true},
	{"vacuum", "vacuum", "what VACUUM would delete", OF_DELTA, &groups_kind, true},
	{0},
};

/* ---- the overview ---- */

struct sheet { /* lines from above, some of them out of sight */
	struct canvas *c;
	int y, label;
};

static void sheet_heading(struct sheet *s, const char *words)
{
	s->y++;
	show_text(s->c, s->y++, 1, -1, STYLE_HEADING, words);
}

static void sheet_line(struct sheet *s, enum style style, const char *label, const char *words)
{
	bool below = s->label + 4 > s->c->width / 2;
	int x = below ? 3 : s->label + 3;

	show_text(s->c, s->y, 1, below ? -1 : s->label, STYLE_DIM, label);
	s->y += below;
	s->y += int_max(1, show_wrapped(s->c, s->y, x, s->c->width - x - 1, style, words));
}

static void fit_label(struct sheet *s, const char *label)
{
	s->label = int_max(s->label, int_min(LABEL_MOST, canvas_columns(s->c, label)));
}

static const char *plain_name(char out[NAME_SIZE], const char *name)
{
	text_copy(out, NAME_SIZE, text_of(name));
	for (char *p = out; *p; p++)
		*p = *p == '_' ? ' ' : *p;
	return out;
}

/* What the list knows already: grade, due and the sentence are told before. */
static bool is_fact(const char *name)
{
	static const char *const told[] = {"name", "grade", "due", "weight", "words", "error"};

	for (size_t i = 0; i < sizeof told / sizeof *told; i++)
		if (!strcmp(told[i], name))
			return false;
	return true;
}

static void put_row(struct sheet *s, const struct lake *lake, const struct lake_table *t)
{
	char label[NAME_SIZE], out[VALUE_TEXT_SIZE];

	for (const struct column_spec *spec = catalog_tables[0].columns; spec->name; spec++)
		if (is_fact(spec->name) && lake_table_get(t, spec->name).type != VALUE_UNKNOWN)
			fit_label(s, plain_name(label, spec->name));
	for (const struct column_spec *spec = catalog_tables[0].columns; spec->name; spec++)
		if (is_fact(spec->name) && lake_table_get(t, spec->name).type != VALUE_UNKNOWN)
			sheet_line(s, STYLE_NORMAL, plain_name(label, spec->name), table_show(out, t, spec, lake));
}

/* Said above already. */
static bool is_told(const struct table *facts, size_t row)
{
	struct value what = table_get(facts, row, "what");

	return what.type == VALUE_TEXT && (!strcmp(what.u.s, "health") || !strcmp(what.u.s, "due"));
}

static void put_facts(struct sheet *s, const struct table *facts, const struct lake *lake)
{
	char number[VALUE_TEXT_SIZE];

	for (size_t i = 0; i < facts->n_rows; i++) {
		struct value what = table_get(facts, i, "what");

		fit_label(s, what.type == VALUE_TEXT ? what.u.s : "");
	}
	for (size_t i = 0; i < facts->n_rows; i++) {
		struct value what = table_get(facts, i, "what"), value = table_get(facts, i, "value"), unit = table_get(facts, i, "unit");

		if (is_told(facts, i))
			continue;
		if (unit.type == VALUE_TEXT && !strcmp(unit.u.s, unit_name(UNIT_TIME)) && moment(table_get(facts, i, "number"), lake, number))
			value = value_text(number);
		sheet_line(s, value.type == VALUE_UNKNOWN ? STYLE_DIM : STYLE_NORMAL, what.type == VALUE_TEXT ? what.u.s : "-",
			value.type == VALUE_TEXT ? value.u.s : show_value(number, value, UNIT_NONE, lake));
	}
}

static const char *figure_text(const struct snapshot *s, const char *name)
{
	struct value v = snapshot_get(s, name);

	return v.type == VALUE_TEXT ? v.u.s : "";
}

static void put_cure(struct sheet *s, const struct cure *cure)
{
	const struct snapshot *plan = cure->plan;
	bool failed = plan && plan->err.code != ERR_NONE;

	sheet_line(s, !plan ? STYLE_DIM : failed ? STYLE_WARN : STYLE_NORMAL, cure->tab->name, !plan ? "asking…" : failed ? plan->err.words :
		figure_text(plan, "words")[0] ? figure_text(plan, "words") : "there is nothing to do");
}

/* No procedure does it: the next commits do. */
static const char metadata_cure[] = "set write.metadata.delete-after-commit.enabled to true, with write.metadata.previous-versions-max: "
	"the next commits drop older metadata files";

int table_overview_draw(struct canvas *c, const struct lake *lake, const struct lake_table *t, const struct snapshot *facts,
	const struct cure *cures, size_t n_cures, int top)
{
	struct sheet s = {.c = c, .y = -top};
	enum mark mark = table_mark(t);
	bool failed = table_text(t, "error")[0] != '\0';
	const struct table *table = facts && facts->n_tables ? &facts->tables[0] : NULL;

	s.y += show_wrapped(c, s.y, 1, c->width - 2, failed ? STYLE_BAD : mark == MARK_DUE || mark == MARK_ILL ? mark_style(mark) : STYLE_NORMAL,
		table_sentence(t));
	if (table_text(t, "due")[0]) {
		sheet_heading(&s, "WHAT WOULD HELP");
		fit_label(&s, "metadata");
		for (size_t i = 0; i < n_cures; i++)
			fit_label(&s, cures[i].tab->name);
		for (size_t i = 0; i < n_cures; i++)
			put_cure(&s, &cures[i]);
	}
	if (strstr(table_text(t, "due"), "metadata"))
		sheet_line(&s, STYLE_NORMAL, "metadata", metadata_cure);
	sheet_heading(&s, "WHAT IT IS");
	if (facts && facts->err.code != ERR_NONE)
		s.y += show_wrapped(c, s.y, 1, c->width - 2, STYLE_WARN, facts->err.words);
	if (table && table->n_rows)
		put_facts(&s, table, lake);
	else
		put_row(&s, lake, t);
	return s.y + top;
}

/* ---- growth ---- */

struct series { /* one column of the growth, brought to so many columns of the screen */
	const struct table *table;
	const char *column;
	int width;
	double low, high;
};

/* Of the snapshots that share a column of the screen: the last. A few have several columns each. */
static size_t row_at(const struct table *t, int width, int x)
{
	return t->n_rows <= (size_t)width ? (size_t)x / ((size_t)width / t->n_rows) : ((size_t)x + 1) * t->n_rows / (size_t)width - 1;
}

static double series_get(const struct series *s, int x)
{
	return value_number(table_get(s->table, row_at(s->table, s->width, x), s->column));
}

static void series_bounds(struct series *s)
{
	s->low = HUGE_VAL;
	s->high = -HUGE_VAL;
	for (size_t i = 0; i < s->table->n_rows; i++) {
		double v = value_number(table_get(s->table, i, s->column));

		if (isfinite(v)) {
			s->low = fmin(s->low, v);
			s->high = fmax(s->high, v);
		}
	}
}

/* From zero: a table that doubles is twice as high. */
static void draw_bars(struct canvas *c, int y, int lines, const struct series *s)
{
	static const char *const blocks[GRAPH_STEPS + 1] = {"", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

	for (int x = 0; x < s->width; x++) {
		double v = series_get(s, x);
		int steps = isfinite(v) && s->high > 0 ? int_max(v > 0, (int)lround(v / s->high * lines * GRAPH_STEPS)) : 0;

		for (int line = 0; line < lines; line++) {
			int here = int_clamp(steps - (lines - 1 - line) * GRAPH_STEPS, 0, GRAPH_STEPS);

			if (here)
				canvas_text(c, y + line, 1 + x, 1, STYLE_GRAPH, blocks[here]);
		}
	}
}

static int draw_series(struct canvas *c, int y, int lines, struct series *s, const char *name, enum unit unit)
{
	const struct table *t = s->table;
	char now[VALUE_TEXT_SIZE], low[VALUE_TEXT_SIZE], high[VALUE_TEXT_SIZE], words[VALUE_TEXT_SIZE * 3];
	struct pen pen = {c, y, 1};

	series_bounds(s);
	pen_part(&pen, STYLE_HEADING, name, NULL);
	pen_part(&pen, STYLE_NORMAL, value_show(now, table_get(t, t->n_rows - 1, s->column), unit), NULL);
	if (isfinite(s->low)) {
		snprintf(words, sizeof words, "least %s  most %s", value_show(low, value_int((int64_t)s->low), unit),
			value_show(high, value_int((int64_t)s->high), unit));
		pen_part(&pen, STYLE_DIM, words, NULL);
	}
	draw_bars(c, y + 1, lines, s);
	return lines + 1;
}

static bool is_maintenance(const struct table *t, size_t row)
{
	struct value v = table_get(t, row, "maintenance");

	return v.type == VALUE_TEXT && v.u.s[0];
}

/* Below the graphs: where maintenance was, each by its first letter. */
static void draw_marks(struct canvas *c, int y, const struct table *t, int width)
{
	size_t from = 0;

	for (int x = 0; x < width; x++) {
		size_t to = row_at(t, width, x);

		for (size_t i = from; i <= to && i < t->n_rows; i++) /* once, where a snapshot has several columns */
			if (is_maintenance(t, i)) {
				char letter[8];

				text_copy(letter, 2, text_of(table_get(t, i, "maintenance").u.s));
				canvas_text(c, y, 1 + x, 1, STYLE_ACCENT, (unsigned char)letter[0] < 0x80 ? letter : "*");
			}
		from = to + 1;
	}
}

static int growth_width(const struct canvas *c, const struct table *t)
{
	int n = t ? (int)(t->n_rows > INT16_MAX ? INT16_MAX : t->n_rows) : 0, room = int_max(c->width - 2, 0);

	return n <= room ? n * (n ? int_min(room / n, BAR_MOST) : 1) : room;
}

int table_growth_draw(struct canvas *c, const struct lake *lake, const struct table *t)
{
	int width = growth_width(c, t), y = 0;
	int lines = c->height >= ROOM_FOR_GRAPHS ? GRAPH_LINES : 1;
	struct series files = {t, "files", width, 0, 0}, bytes = {t, "bytes", width, 0, 0};
	char first[VALUE_TEXT_SIZE], last[VALUE_TEXT_SIZE], number[VALUE_TEXT_SIZE], older[VALUE_TEXT_SIZE] = "";

	if (width < 1) {
		show_text(c, 0, 1, c->width - 2, STYLE_DIM, "no snapshot: nothing was ever written");
		return 1;
	}
	y += draw_series(c, y, lines, &files, "FILES", UNIT_COUNT);
	y += draw_series(c, y, lines, &bytes, "SIZE", UNIT_BYTES);
	draw_marks(c, y++, t, width);
	if (t->left_off)
		snprintf(older, sizeof older, ", and %zu older ones", t->left_off);
	canvas_printf(c, y++, 1, c->width - 2, STYLE_DIM, "%s snapshot%s, from %s to %s%s", value_show(number, value_int((int64_t)t->n_rows), UNIT_COUNT),
		t->n_rows == 1 ? "" : "s", show_value(first, table_get(t, 0, "committed"), UNIT_TIME, lake),
		show_value(last, table_get(t, t->n_rows - 1, "committed"), UNIT_TIME, lake), older);
	return y + (c->height >= ROOM_FOR_GRAPHS);
}

void table_growth_collect(struct list *list, const struct table *t)
{
	if (!t)
		return;
	list_use(list, NULL, t);
	list->left_off = 0; /* of the graph, which says so */
	text_copy(list->empty, sizeof list->empty, text_of(table_growth_kind.empty));
	for (size_t i = t->n_rows; i-- > 0;)
		if (is_maintenance(t, i))
			list_add(list, &(struct list_row){.table = t, .at = i});
}

/* ---- a preview's words ---- */

int table_plan_draw(struct canvas *c, const struct snapshot *plan)
{
	const char *words = figure_text(plan, "words"), *caution = figure_text(plan, "caution"), *sql = figure_text(plan, "sql");
	int y = 0, width = c->width - 2;

	if (words[0])
		y += show_wrapped(c, y, 1, width, STYLE_NORMAL, words);
	if (caution[0] && y < c->height)
		y += show_wrapped(c, y, 1, width, STYLE_WARN, caution);
	if (sql[0] && c->height >= ROOM_FOR_STATEMENT)
		y += show_wrapped(c, y + 1, 1, width, STYLE_ACCENT, sql) + 2;
	return int_min(y, c->height);
}
