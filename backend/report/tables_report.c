// SPDX-License-Identifier: MIT
/*
 * laketop tables, table, plan: every table of every catalog with what is due for it, one table whole,
 * and what a cure would do. Views are asked for by the caller; what did not answer is said. Pure.
 */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "documents.h"
#include "report.h"
#include "shapes.h"
#include "tables.h"

const char *const report_table_views[] = {"table", "snapshots", "refs", "partitions", "schema", "properties", "files", NULL};
const struct report_action report_actions[] = {
	{"compact", "iceberg"}, {"expire", "iceberg"}, {"manifests", "iceberg"}, {"deletes", "iceberg"}, {"orphans", "iceberg"},
	{"optimize", "delta"}, {"vacuum", "delta"}, {NULL, NULL},
};

static bool lists_any(const struct lake *lake)
{
	for (size_t i = 0; i < lake->n_catalogs; i++)
		if (!lake->catalogs[i].catalog->found)
			return true;
	return false;
}

/* Also of services that may turn out to be catalogs; where none is listed, all that listens is asked who it is first. */
bool report_tables_told(const struct lake *lake)
{
	if (!lists_any(lake) && !lake->settled)
		return false;
	for (size_t i = 0; i < lake->n_services; i++)
		if (lake->services[i]->asking)
			return false;
	for (size_t i = 0; i < lake->n_catalogs; i++)
		if (!catalog_is_told(&lake->catalogs[i]))
			return false;
	return true;
}

static const char *word_of(const struct lake_table *t, const char *column)
{
	struct value v = lake_table_get(t, column);

	return v.type == VALUE_TEXT ? v.u.s : "";
}

bool report_action_fits(const struct report_action *action, const struct lake_table *t)
{
	return text_starts(text_of(word_of(t, "format")), action->format);
}

/* Every catalog answers, and every table could be read: a script that goes on after 0 knows all of them. What is found beside
 * the catalogs of a profile changes nothing for it. */
static bool all_known(const struct lake *lake)
{
	bool known = lake->n_catalogs > 0, listed = lists_any(lake);

	for (size_t i = 0; i < lake->n_catalogs; i++) {
		const struct catalog_view *c = &lake->catalogs[i];

		if (c->catalog->found && listed)
			continue;
		known = known && c->snapshot && !c->failed && snapshot_get(c->snapshot, "failed").u.i <= 0 && snapshot_get(c->snapshot, "unread").u.i <= 0;
	}
	return known;
}

/* ---- JSON ---- */

/* "iceberg v2" is a format and its version. */
static void json_format(struct json_writer *w, const struct lake_table *t)
{
	struct text rest = text_of(word_of(t, "format")), word;
	char format[NAME_SIZE];
	int64_t version;

	if (!text_word(&rest, &word)) {
		json_put_null(w, "format");
		json_put_null(w, "format_version");
		return;
	}
	json_put_text(w, "format", text_copy(format, sizeof format, word));
	if (text_word(&rest, &word) && text_skip(&word, "v") && text_i64(word, &version))
		json_put_i64(w, "format_version", version);
	else
		json_put_null(w, "format_version");
}

static void json_due(struct json_writer *w, const struct lake_table *t)
{
	struct text rest = text_of(word_of(t, "due")), word;
	char one[NAME_SIZE];

	json_open(w, "due", '[');
	while (text_word(&rest, &word))
		json_put_text(w, NULL, text_copy(one, sizeof one, text_until(word, ',')));
	json_close(w, ']');
}

static void json_table(struct json_writer *w, const struct lake *lake, const struct lake_table *t)
{
	static const struct {
		const char *key, *column;
		enum unit unit;
	} columns[] = {
		{"snapshots", "snapshots", UNIT_COUNT}, {"data_files", "files", UNIT_COUNT}, {"delete_files", "deletes", UNIT_COUNT},
		{"equality_delete_files", "equality_files", UNIT_COUNT}, {"deletion_vectors", "vectors", UNIT_COUNT},
		{"position_deletes", "position_deletes", UNIT_RECORDS}, {"equality_deletes", "equality_deletes", UNIT_RECORDS},
		{"delete_bytes", "delete_bytes", UNIT_BYTES}, {"records", "records", UNIT_RECORDS}, {"bytes", "bytes", UNIT_BYTES},
		{"small_files", "small", UNIT_COUNT}, {"partitions", "partitions", UNIT_COUNT}, {"worst_partition_files", "worst", UNIT_COUNT},
		{"manifests", "manifests", UNIT_COUNT}, {"snapshot_id", "snapshot", UNIT_NONE}, {"last_commit", "committed", UNIT_TIME},
		{"operation", "operation", UNIT_NONE}, {"by", "by", UNIT_NONE}, {"commits_a_day", "rate", UNIT_COUNT},
		{"metadata_bytes", "metadata_bytes", UNIT_BYTES}, {"metadata_files", "metadata_files", UNIT_COUNT},
		{"uuid", "uuid", UNIT_NONE}, {"location", "location", UNIT_NONE}, {"metadata", "metadata", UNIT_NONE},
		{"measured", "measured", UNIT_NONE}, {"health", "grade", UNIT_NONE}, {"weight", "weight", UNIT_NONE},
		{"says", "words", UNIT_NONE}, {"error", "error", UNIT_NONE},
	};
	const struct snapshot *from = t->n_in ? t->in[0].view->snapshot : NULL;

	json_open(w, NULL, '{');
	json_put_text(w, "catalog", t->n_in ? t->in[0].view->catalog->name : NULL);
	json_put_text(w, "name", word_of(t, "name"));
	json_format(w, t);
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		struct value v = lake_table_get(t, columns[i].column);

		json_put_value(w, columns[i].key, v.type == VALUE_TEXT && !v.u.s[0] ? value_unknown() : v, columns[i].unit);
	}
	json_put_bool(w, "exact", !strcmp(word_of(t, "measured"), "exact"));
	json_due(w, t);
	json_open(w, "also_in", '[');
	for (size_t i = 1; i < t->n_in; i++)
		json_put_text(w, NULL, t->in[i].view->catalog->name);
	json_close(w, ']');
	json_put_bool(w, "old", t->old);
	json_put_value(w, "age_ms", from ? value_int(lake->now > from->ended ? lake->now - from->ended : 0) : value_unknown(), UNIT_MS);
	json_close(w, '}');
}

static void json_catalogs(struct json_writer *w, const struct lake *lake)
{
	json_open(w, "catalogs", '[');
	for (size_t i = 0; i < lake->n_catalogs; i++) {
		const struct catalog_view *c = &lake->catalogs[i];

		json_open(w, NULL, '{');
		json_put_text(w, "catalog", c->catalog->name);
		json_put_bool(w, "found", c->catalog->found);
		json_put_bool(w, "answers", c->snapshot && !c->failed);
		for (const struct figure_spec *f = catalog_figures; f->name; f++)
			json_put_value(w, f->name, snapshot_get(c->snapshot, f->name), f->unit);
		json_put_value(w, "age_ms", c->snapshot ? value_int(lake->now > c->snapshot->ended ? lake->now - c->snapshot->ended : 0) :
			value_unknown(), UNIT_MS);
		put_words(w, "error", c->failed ? c->failed->err.words : c->snapshot ? NULL : "no answer in time");
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void json_head(struct json_writer *w, const struct lake *lake, struct buf *out)
{
	json_begin(w, out, true);
	json_open(w, NULL, '{');
	document_head(w, lake->wall);
	json_open(w, "tables", '{');
}

static void json_end(struct json_writer *w, struct buf *out)
{
	json_close(w, '}');
	json_close(w, '}');
	buf_puts(out, "\n");
}

static void tables_json(const struct lake *lake, struct buf *out)
{
	struct json_writer w;
	size_t left_off = 0;

	json_head(&w, lake, out);
	json_open(&w, "tables", '[');
	for (size_t i = 0; i < lake->n_tables; i++)
		json_table(&w, lake, &lake->tables[i]);
	json_close(&w, ']');
	json_catalogs(&w, lake);
	json_close(&w, '}');
	json_open(&w, "left_off", '{');
	for (size_t i = 0; i < lake->n_catalogs; i++) {
		const struct table *t = snapshot_find_table(lake->catalogs[i].snapshot, "tables");

		left_off += t ? t->left_off : 0;
	}
	if (left_off)
		json_put_i64(&w, "tables", (int64_t)left_off);
	json_end(&w, out);
}

static const struct table *table_in(const struct snapshot *answer)
{
	return answer && answer->n_tables ? &answer->tables[0] : NULL;
}

static void table_json(const struct lake *lake, const struct lake_table *t, const struct snapshot *const *answers, struct buf *out)
{
	struct json_writer w;

	json_head(&w, lake, out);
	json_open(&w, "table", '[');
	json_table(&w, lake, t);
	json_close(&w, ']');
	for (size_t i = 0; report_table_views[i]; i++)
		if (table_in(answers[i]))
			put_table(&w, i ? report_table_views[i] : "facts", table_in(answers[i]), true);
	json_close(&w, '}');
	json_open(&w, "left_off", '{');
	for (size_t i = 0; report_table_views[i]; i++)
		if (table_in(answers[i]) && table_in(answers[i])->left_off)
			json_put_i64(&w, i ? report_table_views[i] : "facts", (int64_t)table_in(answers[i])->left_off);
	json_close(&w, '}');
	json_open(&w, "errors", '{');
	for (size_t i = 0; report_table_views[i]; i++)
		if (answers[i] && answers[i]->err.code != ERR_NONE)
			json_put_text(&w, i ? report_table_views[i] : "facts", answers[i]->err.words);
	json_end(&w, out);
}

static const char *figure_words(const struct snapshot *s, const char *name)
{
	struct value v = snapshot_get(s, name);

	return v.type == VALUE_TEXT ? v.u.s : "";
}

static void plan_json(const struct lake *lake, const struct lake_table *t, const char *action, const struct snapshot *plan, struct buf *out)
{
	static const char *const counts[] = {"snapshots", "kept", "data_files", "position_files", "equality_files", "manifests", "lists",
		"statistics", NULL};
	const struct service *engine = t->in[0].view->engine;
	struct json_writer w;

	json_head(&w, lake, out);
	json_open(&w, "plan", '[');
	json_open(&w, NULL, '{');
	json_put_text(&w, "catalog", t->in[0].view->catalog->name);
	json_put_text(&w, "table", word_of(t, "name"));
	json_put_text(&w, "action", action);
	json_put_value(&w, "files_in", snapshot_get(plan, "files"), UNIT_COUNT);
	json_put_value(&w, "files_out", snapshot_get(plan, "becomes"), UNIT_COUNT);
	json_put_value(&w, "bytes", snapshot_get(plan, "bytes"), UNIT_BYTES);
	json_put_value(&w, "groups", snapshot_get(plan, "groups"), UNIT_COUNT);
	json_put_value(&w, "partitions", snapshot_get(plan, "partitions"), UNIT_COUNT);
	for (const char *const *name = counts; *name; name++)
		json_put_value(&w, *name, snapshot_get(plan, *name), UNIT_COUNT);
	put_words(&w, "statement", figure_words(plan, "sql"));
	json_put_text(&w, "engine", engine ? engine->name : NULL);
	put_words(&w, "note", figure_words(plan, "words"));
	put_words(&w, "caution", figure_words(plan, "caution"));
	put_words(&w, "error", !plan ? "no answer in time" : plan->err.words);
	json_close(&w, '}');
	json_close(&w, ']');
	if (table_in(plan))
		put_table(&w, "groups", table_in(plan), true);
	json_close(&w, '}');
	json_open(&w, "left_off", '{');
	if (table_in(plan) && table_in(plan)->left_off)
		json_put_i64(&w, "groups", (int64_t)table_in(plan)->left_off);
	json_end(&w, out);
}

/* ---- text ---- */

static bool is_told_only(const struct lake_table *t, bool size)
{
	const char *measured = word_of(t, "measured");

	return !strcmp(measured, "summary") || (size && !strcmp(measured, "manifest list"));
}

static bool text_ends_s(const char *label)
{
	return label[0] && label[strlen(label) - 1] == 's';
}

/* ", 8,120 files", ", 1 file"; nothing where it is not known. */
static void put_count(struct buf *out, const struct lake_table *t, const char *column, enum unit unit, bool told, const char *label)
{
	struct value v = lake_table_get(t, column);
	char shown[VALUE_TEXT_SIZE];

	if (v.type == VALUE_UNKNOWN || (v.type == VALUE_INT && v.u.i == 0 && strstr(column, "deletes")))
		return;
	value_show(shown, v, unit);
	buf_printf(out, ", %s%s%.*s", told ? "about " : "", shown, (int)strlen(label) - (!strcmp(shown, "1") && text_ends_s(label)), label);
}

static bool all_vectors(const struct lake_table *t)
{
	struct value vectors = lake_table_get(t, "vectors");

	return vectors.type == VALUE_INT && value_compare(vectors, lake_table_get(t, "deletes")) == 0;
}

static void put_catalogs(struct buf *out, const struct lake_table *t)
{
	for (size_t i = 0; i < t->n_in; i++)
		buf_printf(out, "%s%s", i ? ", " : "", t->in[i].view->catalog->name);
}

static void table_text(const struct lake *lake, const struct lake_table *t, struct buf *out)
{
	const char *grade = word_of(t, "grade"), *due = word_of(t, "due"), *error = word_of(t, "error"), *words = word_of(t, "words");
	const struct snapshot *from = t->in[0].view->snapshot;
	struct value committed = lake_table_get(t, "committed");
	char time[CLOCK_TEXT];

	buf_printf(out, "  %s: %s", word_of(t, "name"), grade[0] ? grade : error[0] ? "failed" : "unknown");
	if (due[0])
		buf_printf(out, ", due %s", due);
	if (word_of(t, "format")[0])
		buf_printf(out, "; %s", word_of(t, "format"));
	put_count(out, t, "files", UNIT_COUNT, is_told_only(t, false), " files");
	put_count(out, t, "small", UNIT_COUNT, false, " of them small");
	put_count(out, t, "deletes", UNIT_COUNT, is_told_only(t, false), all_vectors(t) ? " deletion vectors" : " delete files");
	put_count(out, t, "records", UNIT_RECORDS, is_told_only(t, false), " records");
	put_count(out, t, "position_deletes", UNIT_RECORDS, false, " of them deleted");
	put_count(out, t, "bytes", UNIT_BYTES, is_told_only(t, true), "");
	put_count(out, t, "snapshots", UNIT_COUNT, false, " snapshots");
	if (committed.type == VALUE_INT)
		buf_printf(out, ", last commit %s", clock_rfc3339(time, committed.u.i));
	buf_puts(out, "; in ");
	put_catalogs(out, t);
	if (t->old && from)
		buf_printf(out, ", as it was %s ago", clock_span(time, lake->now > from->ended ? lake->now - from->ended : 0));
	buf_puts(out, "\n");
	if (error[0] || words[0])
		buf_printf(out, "    %s\n", error[0] ? error : words);
}

struct ranked {
	const struct lake_table *table;
	double rank;
	size_t at;
};

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->rank > y->rank ? -1 : x->rank < y->rank ? 1 : x->at < y->at ? -1 : 1;
}

/* What cannot be read, then what is due by its weight, then the rest by name. */
static double rank_of(const struct lake_table *t)
{
	double weight = value_number(lake_table_get(t, "weight"));

	if (word_of(t, "error")[0])
		return 1e30;
	return word_of(t, "due")[0] ? (weight > 0 ? weight : 0) : -1;
}

static void catalog_text(const struct lake *lake, const struct catalog_view *c, struct buf *out)
{
	struct value tables = snapshot_get(c->snapshot, "tables"), unread = snapshot_get(c->snapshot, "unread");
	char number[VALUE_TEXT_SIZE], span[CLOCK_TEXT], found[REASON_SIZE];

	buf_printf(out, "%s: ", c->catalog->name);
	if (c->failed && c->snapshot)
		buf_printf(out, "does not answer; its tables are as they were %s ago: %s", clock_span(span, lake->now - c->snapshot->ended),
			c->failed->err.words);
	else if (c->failed)
		buf_puts(out, c->failed->err.words);
	else if (!c->snapshot)
		buf_puts(out, "no answer in time");
	else {
		buf_printf(out, "%s tables", value_show(number, tables, UNIT_COUNT));
		if (unread.type == VALUE_INT && unread.u.i > 0)
			buf_printf(out, ", %s still unread", value_show(number, unread, UNIT_COUNT));
		if (figure_words(c->snapshot, "cut")[0])
			buf_printf(out, "; %s", figure_words(c->snapshot, "cut"));
	}
	if (c->catalog->found)
		buf_printf(out, "; %s", catalog_found_words(c, found));
	buf_puts(out, "\n");
}

static void tables_text(const struct lake *lake, struct buf *out)
{
	struct ranked *order = mem_new(lake->n_tables + 1, sizeof *order);

	for (size_t i = 0; i < lake->n_catalogs; i++)
		catalog_text(lake, &lake->catalogs[i], out);
	if (!lake->n_catalogs)
		buf_puts(out, "no catalog is listed, and none that answers was found; one in PostgreSQL needs a credential, and a profile that gives it:\n");
	for (size_t i = 0; !lake->n_catalogs && catalog_example[i]; i++)
		buf_printf(out, "  %s\n", catalog_example[i]);
	for (size_t i = 0; i < lake->n_tables; i++)
		order[i] = (struct ranked){&lake->tables[i], rank_of(&lake->tables[i]), i};
	qsort(order, lake->n_tables, sizeof *order, by_rank);
	if (lake->n_tables)
		buf_puts(out, "tables\n");
	for (size_t i = 0; i < lake->n_tables; i++)
		table_text(lake, order[i].table, out);
	free(order);
}

enum exit_code report_tables(const struct lake *lake, const struct report_options *options, struct buf *out)
{
	if (options->json)
		tables_json(lake, out);
	else
		tables_text(lake, out);
	return all_known(lake) ? EXIT_READY : EXIT_UNKNOWN;
}

static void put_cell(struct buf *out, const struct column_spec *spec, struct value v)
{
	char shown[VALUE_TEXT_SIZE], time[CLOCK_TEXT];

	if (v.type == VALUE_TEXT)
		buf_puts(out, v.u.s);
	else if (v.type == VALUE_INT && spec->unit == UNIT_NONE) /* a number that is a name */
		buf_printf(out, "%lld", (long long)v.u.i);
	else if (v.type == VALUE_INT && spec->unit == UNIT_TIME)
		buf_puts(out, clock_rfc3339(time, v.u.i));
	else
		buf_puts(out, value_show(shown, v, spec->unit));
}

/* A row a line: the first cell by itself, the others with their names; what is not known is left out. */
static void rows_text(const struct table *t, struct buf *out)
{
	for (size_t row = 0; row < t->n_rows; row++) {
		bool first = true;

		buf_puts(out, "  ");
		for (size_t i = 0; i < t->n_columns; i++) {
			const struct column_spec *spec = &t->spec->columns[i];
			struct value v = t->cells[row * t->n_columns + i];

			if (v.type == VALUE_TEXT && !v.u.s[0] && !strcmp(spec->name, "partition") && first)
				v = value_text("(unpartitioned)");
			if (v.type == VALUE_UNKNOWN || !strcmp(spec->name, "depth") || (v.type == VALUE_TEXT && !v.u.s[0]) || !strcmp(spec->name, "number") ||
				!strcmp(spec->name, "unit"))
				continue;
			if (!first && strcmp(spec->name, "value") != 0)
				buf_printf(out, ", %s ", spec->name);
			else if (!first)
				buf_puts(out, ": ");
			put_cell(out, spec, v);
			first = false;
		}
		buf_puts(out, "\n");
	}
	if (t->left_off)
		buf_printf(out, "  and %zu more\n", t->left_off);
}

static void answer_text(const char *heading, const struct snapshot *answer, struct buf *out)
{
	if (!answer || (!table_in(answer) && answer->err.code == ERR_NONE))
		return;
	buf_printf(out, "%s\n", heading);
	if (answer->err.code != ERR_NONE)
		buf_printf(out, "  %s\n", answer->err.words);
	if (table_in(answer))
		rows_text(table_in(answer), out);
}

/* A view, or what else there is: its name and format are all that there is to know. */
static bool is_fileless(const struct lake_table *t)
{
	const char *format = word_of(t, "format");

	return format[0] && !text_starts(text_of(format), "iceberg") && !text_starts(text_of(format), "delta");
}

enum exit_code report_table(const struct lake *lake, const struct lake_table *t, const struct snapshot *const *answers,
	const struct report_options *options, struct buf *out)
{
	bool told = is_fileless(t);

	for (size_t i = 0; report_table_views[i]; i++)
		told |= answers[i] && answers[i]->err.code == ERR_NONE;
	if (options->json)
		table_json(lake, t, answers, out);
	else {
		buf_puts(out, "table\n");
		table_text(lake, t, out);
		for (size_t i = 0; report_table_views[i] && !(i && is_fileless(t)); i++)
			answer_text(i ? report_table_views[i] : "facts", answers[i], out);
	}
	return told ? EXIT_READY : EXIT_UNKNOWN;
}

enum exit_code report_plan(const struct lake *lake, const struct lake_table *t, const char *action, const struct snapshot *plan,
	const struct report_options *options, struct buf *out)
{
	bool told = plan && plan->err.code == ERR_NONE;

	if (options->json) {
		plan_json(lake, t, action, plan, out);
		return told ? EXIT_READY : EXIT_UNKNOWN;
	}
	buf_printf(out, "%s %s: %s\n", action, word_of(t, "name"), !plan ? "no answer in time" : !told ? plan->err.words :
		figure_words(plan, "words")[0] ? figure_words(plan, "words") : "there is nothing to do");
	if (figure_words(plan, "caution")[0])
		buf_printf(out, "  caution: %s\n", figure_words(plan, "caution"));
	if (figure_words(plan, "sql")[0])
		buf_printf(out, "  %s\n", figure_words(plan, "sql"));
	if (table_in(plan) && table_in(plan)->n_rows)
		answer_text(action, plan, out);
	return told ? EXIT_READY : EXIT_UNKNOWN;
}
