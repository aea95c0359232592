// SPDX-License-Identifier: MIT
/*
 * Rows of a table by Spark Connect. What is sent is only ever a SELECT of a quoted name, inside a
 * Limit: a relation that is anything else would be run by the server where it stands (INSERT, CALL).
 * Each batch that comes is a whole Arrow stream. A column that our reader refuses is asked for again
 * as text, by a CAST, which leaves the other columns their types.
 *
 * A server goes on with what nobody listens to any more: whatever ends early is interrupted, by the
 * id that we gave it. The actor's thread.
 * Source: Spark's base.proto, commands.proto, relations.proto; measured on 4.0.5, 4.1.4 and 4.2.1.
 */
#include "spark_connect.h"

#include <stdlib.h>
#include <string.h>

#include "arrow.h"
#include "protobuf.h"

enum { INTERRUPT_MS = 1000 };
enum { GRPC_OK = 0 };

/* ---- messages; pure ---- */

/* ConfigRequest: operation = 3 {set = 1 {pairs = 1 {key = 1, value = 2}}}. */
void connect_put_settings(struct buf *out, const char *session, const char *progress)
{
	const char *const pairs[][2] = {
		{"spark.sql.execution.arrow.compression.codec", "none"}, /* batches that are compressed are not read */
		{"spark.sql.execution.arrow.maxRecordsPerBatch", "500"}, /* else one message may have 94 MB */
		{"spark.connect.progress.reportInterval", progress},
	};
	struct buf set, operation;

	buf_init(&set, CONNECT_SQL_MOST);
	buf_init(&operation, CONNECT_SQL_MOST);
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct buf pair;

		buf_init(&pair, 256);
		protobuf_put_text(&pair, 1, pairs[i][0]);
		protobuf_put_text(&pair, 2, pairs[i][1]);
		protobuf_put_bytes(&set, 1, buf_text(&pair));
		buf_free(&pair);
	}
	protobuf_put_bytes(&operation, 1, buf_text(&set));
	connect_put_caller(out, session);
	protobuf_put_bytes(out, 3, buf_text(&operation));
	protobuf_put_text(out, 4, "laketop");
	buf_free(&set);
	buf_free(&operation);
}

void connect_wrap(struct buf *inner, uint32_t number)
{
	struct buf outer;

	buf_init(&outer, CONNECT_SQL_MOST + 256);
	protobuf_put_bytes(&outer, number, buf_text(inner));
	buf_free(inner);
	*inner = outer;
}

/* ExecutePlanRequest: plan = 3 {root = 1 {limit = 8 {input = 1 {sql = 10 {query = 1}}, limit = 2}}}, operation_id = 6. */
void connect_put_select(struct buf *out, const char *session, const char *operation, struct text sql, int64_t limit)
{
	struct buf plan;

	buf_init(&plan, CONNECT_SQL_MOST + 256);
	protobuf_put_bytes(&plan, 1, sql);
	connect_wrap(&plan, 10);
	connect_wrap(&plan, 1);
	protobuf_put_varint(&plan, 2, (uint64_t)limit);
	connect_wrap(&plan, 8);
	connect_wrap(&plan, 1);
	connect_put_caller(out, session);
	protobuf_put_bytes(out, 3, buf_text(&plan));
	protobuf_put_text(out, 4, "laketop");
	protobuf_put_text(out, 6, operation);
	buf_free(&plan);
}

/* InterruptRequest: client_type = 3, interrupt_type = 4 (3: by operation), operation_id = 6. */
void connect_put_interrupt(struct buf *out, const char *session, const char *operation)
{
	connect_put_caller(out, session);
	protobuf_put_text(out, 3, "laketop");
	protobuf_put_varint(out, 4, 3);
	protobuf_put_text(out, 6, operation);
}

/* ExecutePlanResponse: arrow_batch = 2 {data = 2}. False: it is about something else. */
bool connect_read_batch(struct text message, struct text *data)
{
	struct protobuf_field batch, field;

	if (!protobuf_find(message, 2, PROTOBUF_BYTES, &batch) || !protobuf_find(batch.bytes, 2, PROTOBUF_BYTES, &field))
		return false;
	*data = field.bytes;
	return true;
}

/* ---- reading ---- */

static bool begin(struct connect_reading *r, const struct arrow *a)
{
	size_t n = arrow_columns(a);
	struct rows_column *columns = mem_new(n, sizeof *columns);
	char(*types)[ARROW_TYPE_SIZE] = mem_new(n, sizeof *types);

	for (size_t i = 0; i < n; i++)
		columns[i] = (struct rows_column){arrow_name(a, i), arrow_type(a, i, types[i]), arrow_value_type(a, i)};
	rows_begin(&r->rows, columns, n);
	free(types);
	free(columns);
	return r->rows.table != NULL;
}

/* What to select instead, where a column is refused; NULL columns are none. */
static bool refuses(const struct arrow *a, struct buf *select)
{
	bool any = false;

	for (size_t i = 0; i < arrow_columns(a); i++) {
		const char *refused = arrow_refused(a, i);

		buf_puts(select, i ? ", " : "");
		buf_puts(select, refused ? "CAST(" : "");
		rows_put_quoted(select, arrow_name(a, i), '`');
		if (refused) {
			buf_puts(select, " AS STRING) AS ");
			rows_put_quoted(select, arrow_name(a, i), '`');
		}
		any = any || refused;
	}
	if (!any)
		buf_reset(select);
	return any;
}

static bool take_row(struct connect_reading *r, const struct arrow *a, int64_t row)
{
	if (!rows_row(&r->rows))
		return false;
	for (size_t i = 0; i < r->rows.table->n_columns; i++) {
		struct value v;
		bool cut;

		if (!arrow_cell(a, i, row, &r->cell, &v, &cut))
			return err_set(&r->err, ERR_PARSE, "column %s: an offset leads out of its batch", arrow_name(a, i));
		rows_cell(&r->rows, i, v, cut);
	}
	return rows_row_end(&r->rows);
}

bool connect_take_batch(struct connect_reading *r, struct text data)
{
	struct arrow *a = arrow_open(data, &r->err);
	bool good = a && !(!r->rows.table && refuses(a, &r->select)) && (r->rows.table || begin(r, a));

	if (good && arrow_columns(a) < r->rows.table->n_columns)
		good = err_set(&r->err, ERR_PARSE, "its batches have different columns");
	while (good && arrow_next(a, &r->err))
		for (int64_t i = 0; good && i < arrow_rows(a); i++)
			good = take_row(r, a, i);
	arrow_close(a);
	return (good && r->err.code == ERR_NONE) || (r->rows.more && !r->rows.full); /* the end of the stream is near: nothing is cut short */
}

static bool take_message(void *ctx, struct text message)
{
	struct text data;

	return !connect_read_batch(message, &data) || connect_take_batch(ctx, data);
}

/* ---- asking ---- */

/* One statement. False: err says why, and whether the session is lost. */
static bool select_rows(struct probe *p, const struct connect_caller *who, struct text sql, struct connect_reading *r, struct grpc_answer *answer,
	struct err *err)
{
	char operation[CONNECT_ID_SIZE];
	struct buf message;
	bool whole, found;

	connect_draw_id(operation);
	buf_init(&message, CONNECT_SQL_MOST + 1024);
	connect_put_select(&message, who->session, operation, sql, r->rows.limit + 1);
	whole = grpc_stream(p, &p->at, CONNECT_SERVICE "ExecutePlan", buf_text(&message), who->token, CONNECT_MESSAGE_MOST, take_message, r, answer, err);
	buf_free(&message);
	if (!whole)
		connect_interrupt(p, who, operation, INTERRUPT_MS, &found);
	if (r->err.code != ERR_NONE)
		*err = r->err;
	else if (whole && answer->status != GRPC_OK)
		connect_failed(answer, err);
	else if (whole || r->rows.full)
		return true;
	return false;
}

bool connect_rows(struct probe *p, const struct connect_caller *who, const char *subject, struct snapshot *s, bool *lost)
{
	struct rows_ask ask;
	struct connect_reading r = {.rows = {.s = s}};
	struct grpc_answer answer = {.status = -1};
	struct buf sql;
	bool good;

	*lost = false;
	if (!rows_parse(subject, &ask, &s->err))
		return false;
	r.rows.limit = ask.limit;
	buf_init(&r.cell, ROWS_CELL_MAX);
	buf_init(&r.select, CONNECT_SQL_MOST - ROWS_SUBJECT_SIZE * 4);
	buf_init(&sql, CONNECT_SQL_MOST);
	buf_puts(&sql, "SELECT * FROM ");
	rows_put_name(&sql, &ask, '`');
	good = select_rows(p, who, buf_text(&sql), &r, &answer, &s->err);
	if (!good && r.select.len && !r.rows.table) {
		buf_reset(&sql);
		buf_printf(&sql, "SELECT %s FROM ", r.select.at);
		rows_put_name(&sql, &ask, '`');
		s->err = r.err = (struct err){0};
		good = select_rows(p, who, buf_text(&sql), &r, &answer, &s->err);
	}
	*lost = answer.status > 0 && text_has(text_of(answer.message), "INVALID_HANDLE");
	rows_end(&r.rows);
	snapshot_figure(s, rows_figures, "took", value_int((int64_t)answer.ms));
	buf_free(&sql);
	buf_free(&r.select);
	buf_free(&r.cell);
	return good;
}
