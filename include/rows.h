// SPDX-License-Identifier: MIT
/*
 * Rows of a table, as an engine that can read it hands them out: the view ROWS_VIEW of the kinds
 * spark-connect and trino. Asked by engine_ask_view(engine, service, ROWS_VIEW, subject), with a
 * subject that rows_subject() made; engine_drop_view() ends it, also on the server.
 *
 * The answer has the figures rows_figures and one table, ROWS_VIEW, whose columns only the answer
 * tells: its spec lies in the snapshot's arena, with up to ROWS_COLUMNS_MAX columns (more than the
 * TABLE_COLUMNS_MAX of specs that are written here). A column's help is its type in the engine's words.
 * A cell is unknown where it is NULL, and nowhere else; integers are VALUE_INT, exact to 64 bits;
 * finite floats VALUE_REAL; flags VALUE_BOOL; all else is VALUE_TEXT: decimals with every digit,
 * "NaN", dates and times as ISO 8601 with a blank (Z: an instant, in UTC), bytes as 0x..., lists,
 * structs and maps as JSON.
 * Pure, any thread.
 */
#ifndef LAKETOP_ROWS_H
#define LAKETOP_ROWS_H

#include "snapshot.h"

#define ROWS_VIEW "rows"
enum { ROWS_USUAL = 100, ROWS_MOST = 10000, ROWS_COLUMNS_MAX = 256, ROWS_CELL_MAX = 16 << 10, ROWS_PARTS_MAX = 8, ROWS_PART_SIZE = 256 };
enum { ROWS_SUBJECT_SIZE = 512, ROWS_MS = 30000 }; /* the first statement of a session loads its catalog: 4 s on Spark, 12 s on Trino */

extern const struct figure_spec rows_figures[]; /* ends with a name of NULL */

struct rows_ask {
	int64_t limit;
	size_t n_parts;
	char parts[ROWS_PARTS_MAX][ROWS_PART_SIZE]; /* "lake", "kitchen", "orders" */
};
/* "500 lake.kitchen.orders": how many, a blank, then the name as the engine has it, parts joined by '.'; a part with a dot in
 * it stands in double quotes, with those in it doubled. catalog: what the engine calls it; table: as catalog.h has it.
 * False: too long to be asked for. */
bool rows_subject(char out[ROWS_SUBJECT_SIZE], const char *catalog, const char *table, int64_t limit);
/* Without a number: ROWS_USUAL. False: err says what is wrong with it. */
bool rows_parse(const char *subject, struct rows_ask *out, struct err *err);
/* The name for SQL, every part between two quotes: `lake`.`kitchen`.`orders`. Whatever is in a part, it stays a name. */
bool rows_put_quoted(struct buf *sql, const char *part, char quote); /* false: no room */
void rows_put_name(struct buf *sql, const struct rows_ask *ask, char quote);

/* ---- building the answer ---- */
struct rows_column {
	const char *name, *type; /* not clean */
	enum value_type kind;
};
struct rows { /* one answer that is being filled; zero but for s and limit at first */
	struct snapshot *s;
	int64_t limit;
	struct table *table;      /* NULL: no columns are known yet */
	struct value *row;        /* being filled */
	int64_t columns_left_off, cut;
	bool more;                /* there are more rows than the limit */
	bool full;                /* the snapshot's memory is used up: what came then was left off */
};
void rows_begin(struct rows *r, const struct rows_column *columns, size_t n); /* once */
bool rows_row(struct rows *r);  /* begins the next row; false: no more are taken */
/* Of columns beyond those that are kept nothing happens. cut: text was cut at ROWS_CELL_MAX. */
void rows_cell(struct rows *r, size_t column, struct value v, bool cut);
bool rows_row_end(struct rows *r); /* false: it did not fit, and no more are taken */
void rows_end(struct rows *r);  /* tells the figures */

#endif
