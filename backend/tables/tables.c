// SPDX-License-Identifier: MIT
/*
 * What is told of a catalog and of its tables, by name: the screen's labels, the keys of --json and
 * the documentation come from here. The keeper fills them.
 */
#include "tables.h"

#include <math.h>
#include <stdio.h>

#include "clock.h"

const struct figure_spec catalog_figures[] = {
	{"tables", "tables", UNIT_COUNT, FIGURE_ROW, "tables that the catalog lists"},
	{"views", "views", UNIT_COUNT, 0, "views that it lists; they have no files"},
	{"unread", "unread", UNIT_COUNT, 0, "tables whose metadata is still to be read"},
	{"uncounted", "to count", UNIT_COUNT, 0, "tables whose files are still to be counted"},
	{"failed", "failed", UNIT_COUNT, FIGURE_ROW, "tables whose metadata could not be read"},
	{"listed", "listed in", UNIT_MS, 0, "how long the listing took"},
	{"named", "named", UNIT_NONE, 0, "1: names begin with that of the catalog that each table is of"},
	{"cut", "cut", UNIT_NONE, 0, "why the listing may be short of some tables"},
	{NULL, NULL, UNIT_NONE, 0, NULL},
};

static const struct column_spec table_columns[] = {
	{"name", VALUE_TEXT, UNIT_NONE, 0, "namespace and name as the catalog has them"},
	{"format", VALUE_TEXT, UNIT_NONE, 1, "iceberg v2, delta, view, or what else the catalog calls it"},
	{"uuid", VALUE_TEXT, UNIT_NONE, 9, "the table's own, by which it is known in two catalogs"},
	{"location", VALUE_TEXT, UNIT_NONE, 9, "its folder"},
	{"metadata", VALUE_TEXT, UNIT_NONE, 9, "its newest metadata.json, or the newest commit of its log"},
	{"snapshots", VALUE_INT, UNIT_COUNT, 3, "snapshots kept; versions of a Delta log that are still there"},
	{"files", VALUE_INT, UNIT_COUNT, 2, "data files of the current snapshot"},
	{"small", VALUE_INT, UNIT_COUNT, 2, "of those, files below 75 % of the table's own target size"},
	{"deletes", VALUE_INT, UNIT_COUNT, 3, "delete files, and deletion vectors"},
	{"position_deletes", VALUE_INT, UNIT_RECORDS, 9, "records that position deletes and deletion vectors name"},
	{"records", VALUE_INT, UNIT_RECORDS, 3, "in data files, before deletes"},
	{"bytes", VALUE_INT, UNIT_BYTES, 1, "of data files, without delete files"},
	{"committed", VALUE_INT, UNIT_TIME, 2, "last commit"},
	{"snapshot", VALUE_INT, UNIT_NONE, 9, "id of the current snapshot; of Delta the version"},
	{"operation", VALUE_TEXT, UNIT_NONE, 6, "of the last commit"},
	{"by", VALUE_TEXT, UNIT_NONE, 7, "engine of the last commit"},
	{"rate", VALUE_REAL, UNIT_COUNT, 7, "commits a day, in the seven days that end with the last one; of Iceberg by the snapshots that are kept"},
	{"partitions", VALUE_INT, UNIT_COUNT, 6, "with at least one file"},
	{"worst", VALUE_INT, UNIT_COUNT, 7, "files of the partition that has most"},
	{"manifests", VALUE_INT, UNIT_COUNT, 7, "of the current snapshot"},
	{"metadata_bytes", VALUE_INT, UNIT_BYTES, 8, "of its newest metadata.json"},
	{"metadata_files", VALUE_INT, UNIT_COUNT, 8, "older metadata.json that it still names"},
	{"measured", VALUE_TEXT, UNIT_NONE, 8, "how its counts are known: summary, manifest list, exact; about: counted on from an older version"},
	{"grade", VALUE_TEXT, UNIT_NONE, 0, "good, due, ill, unknown, failed"},
	{"due", VALUE_TEXT, UNIT_NONE, 1, "maintenance that is due: compact, expire, manifests, deletes, metadata, optimize, vacuum"},
	{"weight", VALUE_REAL, UNIT_NONE, 9, "by which what is due is ranked over all tables"},
	{"words", VALUE_TEXT, UNIT_NONE, 4, "its health as a sentence"},
	{"error", VALUE_TEXT, UNIT_NONE, 5, "why it could not be read"},
	{"equality_files", VALUE_INT, UNIT_COUNT, 9, "of the deletes, equality delete files"},
	{"vectors", VALUE_INT, UNIT_COUNT, 9, "of the deletes, deletion vectors; what is neither is a position delete file"},
	{"equality_deletes", VALUE_INT, UNIT_RECORDS, 9, "rows of equality delete files: each takes out any number of records"},
	{"delete_bytes", VALUE_INT, UNIT_BYTES, 9, "of delete files"},
	{NULL, VALUE_UNKNOWN, UNIT_NONE, 0, NULL},
};

const struct table_spec catalog_tables[] = {
	{"tables", "every table that the catalog lists", table_columns},
	{NULL, NULL, NULL},
};

static const struct column_spec fact_columns[] = {
	{"what", VALUE_TEXT, UNIT_NONE, 0, "which fact"},
	{"value", VALUE_TEXT, UNIT_NONE, 0, "as people read it"},
	{"number", VALUE_INT, UNIT_NONE, 9, "the same, exact, where it is a number"},
	{"unit", VALUE_TEXT, UNIT_NONE, 9, "of that number: count, records, bytes, ms, time; none: an id"},
	{NULL, VALUE_UNKNOWN, UNIT_NONE, 0, NULL},
};
static const struct column_spec snapshot_columns[] = { /* newest first; children under their parent by depth */
	{"snapshot", VALUE_INT, UNIT_NONE, 0, "its id; of Delta the version"},
	{"parent", VALUE_INT, UNIT_NONE, 7, "id of its parent"},
	{"depth", VALUE_INT, UNIT_NONE, 9, "0 on the current line, more on lines that branched off"},
	{"refs", VALUE_TEXT, UNIT_NONE, 1, "branches and tags that are at it"},
	{"committed", VALUE_INT, UNIT_TIME, 0, "when"},
	{"operation", VALUE_TEXT, UNIT_NONE, 0, "append, overwrite, delete, replace; of Delta its own word"},
	{"by", VALUE_TEXT, UNIT_NONE, 5, "engine"},
	{"added_files", VALUE_INT, UNIT_COUNT, 2, "data files"},
	{"removed_files", VALUE_INT, UNIT_COUNT, 2, "data files"},
	{"added_records", VALUE_INT, UNIT_RECORDS, 3, ""},
	{"files", VALUE_INT, UNIT_COUNT, 3, "data files in all, as its summary says"},
	{"records", VALUE_INT, UNIT_RECORDS, 4, "in all, as its summary says"},
	{"bytes", VALUE_INT, UNIT_BYTES, 3, "in all, as its summary says: of data files and of delete files"},
	{"metrics", VALUE_TEXT, UNIT_NONE, 8, "of Delta: what the operation says that it did"},
	{NULL, VALUE_UNKNOWN, UNIT_NONE, 0, NULL},
};
static const struct column_spec ref_columns[] = {
	{"ref", VALUE_TEXT, UNIT_NONE, 0, "its name"},
	{"kind", VALUE_TEXT, UNIT_NONE, 0, "branch or tag"},
	{"snapshot", VALUE_INT, UNIT_NONE, 0, "where it is"},
	{"committed", VALUE_INT, UNIT_TIME, 1, "when that snapshot was made"},
	{"keeps", VALUE_INT, UNIT_COUNT, 2, "snapshots that it keeps at least"},
	{"max_snapshot_age", VALUE_INT, UNIT_MS, 3, ""},
	{"max_ref_age", VALUE_INT, UNIT_MS, 3, ""},
	{NULL, VALUE_UNKNOWN, UNIT_NONE, 0, NULL},
};
static const struct column_spec partition_columns[] = { /* most files first */
	{"partition", VALUE_TEXT, UNIT_NONE, 0, ""},
	{"files", VALUE_INT, UNIT_COUNT, 0, "data files"},
	{"small", VALUE_INT, UNIT_COUNT, 1, "below 75 % of the target"},
	{"deletes", VALUE_INT, UNIT_COUNT, 2, "delete files"},
	{"records", VALUE_INT, UNIT_RECORDS, 2, ""},
	{"bytes", VALUE_INT, UNIT_BYTES, 0, ""},
	{"spec", VALUE_INT, UNIT_NONE, 5, "partition spec that it was written by"},
	{NULL, VALUE_UNKNOWN, UNIT_NONE, 0, NULL},
};
static const struct column_spec file_columns[] = {
	{"file", VALUE_TEXT, UNIT_NONE, 0, "under the table's folder"},
	{"content", VALUE_TEXT, UNIT_NONE, 2, "data, position deletes, equality deletes, deletion vector"},
	{"bytes", VALUE_INT, UNIT_BYTES, 0, ""},
	{"records", VALUE_INT, UNIT_RECORDS, 1, ""},
	{"partition", VALUE_TEXT, UNIT_NONE, 2, ""},
	{"committed", VALUE_INT, UNIT_TIME, 3, "when its snapshot was made, where that is still known"},
	{"snapshot", VALUE_INT, UNIT_NONE, 6, "that added it"},
	{"format", VALUE_TEXT, UNIT_NONE, 5, ""},
	{NULL, VALUE_UNKNOWN, UNIT_NONE, 0, NULL},
};
static const struct column_spec schema_columns[] = { /* the current schema, then older ones */
	{"schema", VALUE_INT, UNIT_NONE, 3, "its id"},
	{"id", VALUE_INT, UNIT_NONE, 2, "the column's"},
	{"column", VALUE_TEXT, UNIT_NONE, 0, ""},
	{"depth", VALUE_INT, UNIT_NONE, 9, "0 a column, more a part of one"},
	{"type", VALUE_TEXT, UNIT_NONE, 0, ""},
	{"required", VALUE_BOOL, UNIT_NONE, 1, ""},
	{"change", VALUE_TEXT, UNIT_NONE, 1, "against the schema before it: added, renamed from x, widened from int, dropped"},
	{"doc", VALUE_TEXT, UNIT_NONE, 4, ""},
	{NULL, VALUE_UNKNOWN, UNIT_NONE, 0, NULL},
};
static const struct column_spec log_columns[] = { /* newest first */
	{"written", VALUE_INT, UNIT_TIME, 0, "when it was replaced, of the newest when it was written"},
	{"file", VALUE_TEXT, UNIT_NONE, 0, "metadata.json, or a commit of the log"},
	{NULL, VALUE_UNKNOWN, UNIT_NONE, 0, NULL},
};
static const struct column_spec growth_columns[] = { /* oldest first */
	{"committed", VALUE_INT, UNIT_TIME, 0, ""},
	{"snapshot", VALUE_INT, UNIT_NONE, 3, ""},
	{"files", VALUE_INT, UNIT_COUNT, 0, ""},
	{"bytes", VALUE_INT, UNIT_BYTES, 0, "of data files and of delete files"},
	{"records", VALUE_INT, UNIT_RECORDS, 2, ""},
	{"maintenance", VALUE_TEXT, UNIT_NONE, 1, "compacted, expired; empty for an ordinary commit"},
	{NULL, VALUE_UNKNOWN, UNIT_NONE, 0, NULL},
};
static const struct column_spec group_columns[] = { /* what would be done, part by part */
	{"what", VALUE_TEXT, UNIT_NONE, 0, "a partition's group of files, a snapshot, a manifest, a file"},
	{"files", VALUE_INT, UNIT_COUNT, 0, "files that it takes"},
	{"becomes", VALUE_INT, UNIT_COUNT, 1, "files afterwards"},
	{"bytes", VALUE_INT, UNIT_BYTES, 1, "to be rewritten, or freed"},
	{"when", VALUE_INT, UNIT_TIME, 2, "of a snapshot or an orphan: when it was made"},
	{"why", VALUE_TEXT, UNIT_NONE, 2, "the rule that takes it, or what protects it"},
	{NULL, VALUE_UNKNOWN, UNIT_NONE, 0, NULL},
};

const struct table_spec table_views[] = {
	{"table", "what is known of it", fact_columns},
	{"snapshots", "its snapshots as a tree, with refs", snapshot_columns},
	{"refs", "branches and tags", ref_columns},
	{"partitions", "partitions, most files first", partition_columns},
	{"files", "largest files", file_columns},
	{"files-smallest", "smallest files", file_columns},
	{"files-oldest", "oldest files", file_columns},
	{"schema", "columns, and how they changed", schema_columns},
	{"properties", "properties", fact_columns},
	{"log", "metadata files that it names", log_columns},
	{"growth", "files and bytes over its snapshots", growth_columns},
	{"compact", "what a compaction would rewrite", group_columns},
	{"expire", "what an expiry of snapshots would drop", group_columns},
	{"manifests", "what a rewrite of manifests would do", group_columns},
	{"orphans", "files in its folder that nothing names", group_columns},
	{"deletes", "what a rewrite of position deletes would do", group_columns},
	{"optimize", "what OPTIMIZE would rewrite", group_columns},
	{"vacuum", "what VACUUM would delete", group_columns},
	{NULL, NULL, NULL},
};

/* A preview's own sentence and totals stand beside its rows. */
const struct figure_spec plan_figures[] = {
	{"files", "files", UNIT_COUNT, 0, "that it takes"},
	{"becomes", "files afterwards", UNIT_COUNT, 0, "of those"},
	{"bytes", "rewritten", UNIT_BYTES, 0, "rewritten, or freed"},
	{"groups", "groups", UNIT_COUNT, 0, "of files that are rewritten together"},
	{"partitions", "partitions", UNIT_COUNT, 0, "that it touches"},
	{"snapshots", "snapshots", UNIT_COUNT, 0, "that go"},
	{"kept", "kept", UNIT_COUNT, 0, "snapshots that stay"},
	{"data_files", "data files", UNIT_COUNT, 0, "that become unreachable"},
	{"position_files", "position delete files", UNIT_COUNT, 0, "that become unreachable"},
	{"equality_files", "equality delete files", UNIT_COUNT, 0, "that become unreachable"},
	{"manifests", "manifests", UNIT_COUNT, 0, "that become unreachable, or are rewritten"},
	{"lists", "manifest lists", UNIT_COUNT, 0, "that become unreachable"},
	{"statistics", "statistics files", UNIT_COUNT, 0, "that become unreachable"},
	{"deletes", "delete files", UNIT_COUNT, 0, "that belong to the files it takes"},
	{"cutoff", "older than", UNIT_TIME, 0, "what is younger stays"},
	{"words", "", UNIT_NONE, 0, "the whole as a sentence"},
	{"sql", "", UNIT_NONE, 0, "what does it"},
	{"caution", "", UNIT_NONE, 0, "what to know before; empty: nothing"},
	{NULL, NULL, UNIT_NONE, 0, NULL},
};

void table_due_words(unsigned due, char out[64])
{
	static const char *const words[] = {"compact", "expire", "manifests", "deletes", "metadata", "optimize", "vacuum"};
	size_t len = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (due & 1u << i)
			len += (size_t)snprintf(out + len, 64 - len, "%s%s", len ? ", " : "", words[i]);
}

const char *table_grade_word(enum table_grade g)
{
	switch (g) {
	case GRADE_GOOD:
		return "good";
	case GRADE_DUE:
		return "due";
	case GRADE_ILL:
		return "ill";
	case GRADE_FAILED:
		return "failed";
	case GRADE_UNKNOWN:
		break;
	}
	return "unknown";
}

void table_fact(struct snapshot *s, struct table *facts, const char *what, struct value v, enum unit unit)
{
	char words[VALUE_TEXT_SIZE], time[CLOCK_TEXT];
	struct value *row;

	if (v.type == VALUE_UNKNOWN)
		return;
	row = table_row(s, facts);
	table_set(s, facts, row, "what", value_text(what));
	if (v.type == VALUE_INT && unit == UNIT_TIME)
		table_set(s, facts, row, "value", value_text(clock_rfc3339(time, v.u.i)));
	else
		table_set(s, facts, row, "value", v.type == VALUE_TEXT ? v : value_text(value_show(words, v, unit)));
	if (v.type != VALUE_INT)
		return;
	table_set(s, facts, row, "number", v);
	table_set(s, facts, row, "unit", value_text(unit_name(unit)));
}

double table_rate(int64_t commits, int64_t span)
{
	const double day = 86400000;

	return commits > 0 ? (double)commits * day / ((double)span > day ? (double)span : day) : (double)NAN;
}
