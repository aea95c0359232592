// SPDX-License-Identifier: MIT
/*
 * One statement that changes something, by Spark Connect: a CALL of a procedure. It is sent as a
 * command, never as a relation, in a session of its own, with an operation id of ours, and bound to
 * the server that made the session: one that was restarted meanwhile refuses it. A plain execution
 * goes on when its connection is lost: whatever ends early here is interrupted there by its id. The
 * session is released only when nothing runs in it.
 * Source: Spark's base.proto, commands.proto; measured on 4.0.5 and 4.1.4.
 */
#include "spark_connect.h"

#include <string.h>

#include "kinds.h"
#include "protobuf.h"

enum { SMALL_MS = 10000, INTERRUPT_MS = 5000, ENDS_MS = 30000, ENDS_FIRST_MS = 500 };
enum { GRPC_OK = 0, GRPC_DENIED = 7, GRPC_UNAUTHENTICATED = 16 };

/* ---- messages; pure ---- */

/* ExecutePlanRequest: plan = 3 {command = 2 {sql_command = 5 {input = 6 {sql = 10 {query = 1}}}}}, operation_id = 6, observed server = 8. */
void connect_put_statement(struct buf *out, const struct connect_statement *s, struct text sql)
{
	static const uint32_t around[] = {10, 6, 5, 2};
	struct buf plan;

	buf_init(&plan, CONNECT_SQL_MOST + 256);
	protobuf_put_bytes(&plan, 1, sql);
	for (size_t i = 0; i < sizeof around / sizeof *around; i++)
		connect_wrap(&plan, around[i]);
	connect_put_caller(out, s->session);
	protobuf_put_bytes(out, 3, buf_text(&plan));
	protobuf_put_text(out, 4, "laketop");
	protobuf_put_text(out, 6, s->operation);
	protobuf_put_text(out, 8, s->server);
	buf_free(&plan);
}

/* ExecutionProgress: stages = 1 {num_completed_tasks = 3, input_bytes_read = 4}, num_inflight_tasks = 2. */
static void read_progress(struct text message, struct connect_progress *out)
{
	struct protobuf_field field, n;
	bool damaged = false;

	*out = (struct connect_progress){0};
	while (protobuf_next(&message, &field, &damaged)) {
		if (field.number == 2 && field.wire == PROTOBUF_VARINT)
			out->running = (int64_t)field.value;
		if (field.number != 1 || field.wire != PROTOBUF_BYTES)
			continue;
		if (protobuf_find(field.bytes, 3, PROTOBUF_VARINT, &n))
			out->done += (int64_t)(n.value & INT32_MAX);
		if (protobuf_find(field.bytes, 4, PROTOBUF_VARINT, &n))
			out->bytes += (int64_t)(n.value & (UINT64_MAX >> 16));
	}
}

/* ExecutePlanResponse: sql_command_result = 5 {relation = 1 {local_relation = 11 {data = 1}}}, execution_progress = 18. Any other
 * relation was only analysed, and has not run. */
bool connect_read_statement(struct connect_statement *s, struct text message)
{
	struct protobuf_field field, relation, rows, data;

	if (protobuf_find(message, 18, PROTOBUF_BYTES, &field)) {
		read_progress(field.bytes, &s->told);
		return true;
	}
	if (!protobuf_find(message, 5, PROTOBUF_BYTES, &field) || !protobuf_find(field.bytes, 1, PROTOBUF_BYTES, &relation) ||
	    !protobuf_find(relation.bytes, 11, PROTOBUF_BYTES, &rows))
		return false;
	s->has_result = true;
	buf_reset(&s->result);
	if (protobuf_find(rows.bytes, 1, PROTOBUF_BYTES, &data))
		buf_add(&s->result, data.bytes.at, data.bytes.len);
	return true;
}

static bool take_message(void *ctx, struct text message)
{
	struct connect_statement *s = ctx;
	struct connect_progress before = s->told;

	if (connect_read_statement(s, message) && s->progress && memcmp(&before, &s->told, sizeof before) != 0)
		s->progress(s->ctx, &s->told);
	return true;
}

/* ---- asking ---- */

bool connect_failed(const struct grpc_answer *answer, struct err *err)
{
	if (answer->status == GRPC_UNAUTHENTICATED || answer->status == GRPC_DENIED)
		return err_set(err, ERR_AUTH, "Spark Connect: %s", answer->message);
	if (text_has(text_of(answer->message), "TABLE_OR_VIEW_NOT_FOUND"))
		return err_set(err, ERR_USAGE, "Spark Connect finds no such table: %s", answer->message);
	if (answer->status < 0)
		return err_set(err, ERR_PROTOCOL, "Spark Connect: its answer has no end");
	return err_set(err, ERR_PROTOCOL, "Spark Connect: %s", answer->message[0] ? answer->message : "it failed, and does not say why");
}

/* Its own words, the same from 4.0 on; other gRPC servers that ask for tokens have others. */
bool connect_asks_for_token(const struct grpc_answer *answer)
{
	return answer->status == GRPC_UNAUTHENTICATED && text_has(text_of(answer->message), "No authentication token provided");
}

/* By the release of a session that never was: it passes the check of the token, and leaves nothing. */
const char *connect_token(struct probe *p)
{
	struct probe bare = *p;
	char stray[CONNECT_ID_SIZE];
	struct grpc_answer answer;
	struct buf message;
	struct err err;
	bool wanted;

	if (!p->credentials.token || !credential_may_cross(p, NULL))
		return NULL;
	bare.wait = wait_for(INTERRUPT_MS, p->wait.cancel);
	connect_draw_id(stray);
	buf_init(&message, 512);
	connect_put_release(&message, stray);
	wanted = grpc_call(&bare, &p->at, CONNECT_SERVICE "ReleaseSession", buf_text(&message), NULL, &answer, &err) && connect_asks_for_token(&answer);
	grpc_answer_free(&answer);
	buf_free(&message);
	p->requests = bare.requests;
	p->bytes = bare.bytes;
	return wanted ? p->credentials.token : NULL;
}

/* InterruptResponse: interrupted_ids = 2. */
bool connect_interrupt(struct probe *p, const struct connect_caller *who, const char *operation, int64_t ms, bool *found)
{
	struct probe late = *p; /* the time of the question is over */
	struct grpc_answer answer;
	struct protobuf_field id;
	struct buf message;
	struct err err;
	bool good;

	late.wait = wait_for(ms, -1);
	buf_init(&message, 512);
	connect_put_interrupt(&message, who->session, operation);
	good = grpc_call(&late, &p->at, CONNECT_SERVICE "Interrupt", buf_text(&message), who->token, &answer, &err) && answer.status == GRPC_OK;
	*found = good && protobuf_find(buf_text(&answer.body), 2, PROTOBUF_BYTES, &id);
	grpc_answer_free(&answer);
	buf_free(&message);
	p->requests = late.requests;
	p->bytes = late.bytes;
	return good;
}

bool connect_open(struct probe *p, struct connect_statement *s, struct err *err)
{
	struct probe sub = *p;
	struct protobuf_field id;
	struct grpc_answer answer;
	struct buf message;
	bool good;

	if (wait_left(sub.wait) > SMALL_MS)
		sub.wait = wait_for(SMALL_MS, p->wait.cancel);
	connect_draw_id(s->session);
	connect_draw_id(s->operation);
	buf_init(&s->result, CONNECT_MESSAGE_MOST);
	buf_init(&message, 4096);
	connect_put_settings(&message, s->session, "500ms");
	good = grpc_call(&sub, &p->at, CONNECT_SERVICE "Config", buf_text(&message), s->token, &answer, err);
	if (good && answer.status != GRPC_OK)
		good = connect_failed(&answer, err);
	s->open = good;
	if (good && connect_is_about(buf_text(&answer.body), s->session) && protobuf_find(buf_text(&answer.body), 4, PROTOBUF_BYTES, &id))
		text_clean(s->server, sizeof s->server, id.bytes);
	grpc_answer_free(&answer);
	buf_free(&message);
	p->requests = sub.requests;
	p->bytes = sub.bytes;
	return good && (s->server[0] || err_set(err, ERR_PROTOCOL, "Spark Connect does not say who it is: nothing is run there"));
}

/* Iceberg says it in prose, Delta by an error class. */
static bool is_conflict(const char *words)
{
	static const char *const said[] = {"CommitFailedException", "ValidationException", "conflicting files", "Missing required files", "DELTA_CONCURRENT",
		"ConcurrentAppendException", "ConcurrentDelete", "ConcurrentWriteException", "MetadataChangedException"};

	for (size_t i = 0; i < sizeof said / sizeof *said; i++)
		if (text_has(text_of(words), said[i]))
			return true;
	return false;
}

/*
 * Who asks to have the answer again learns whether it is still there; each time leaves some lines in the server's log. A server that
 * was started anew knows neither session nor operation.
 * ReattachExecuteRequest: operation_id = 3, client_type = 4.
 */
bool connect_is_there(struct probe *p, const struct connect_caller *who, const char *operation, int64_t ms, bool *there)
{
	static const char *const gone[] = {"OPERATION_NOT_FOUND", "OPERATION_ABANDONED", "SESSION_NOT_FOUND", "SESSION_CLOSED", "SESSION_CHANGED"};
	struct probe late = *p;
	struct grpc_answer answer;
	struct buf message;
	struct err err;
	bool good;

	late.wait = wait_for(ms, -1);
	buf_init(&message, 512);
	connect_put_caller(&message, who->session);
	protobuf_put_text(&message, 3, operation);
	protobuf_put_text(&message, 4, "laketop");
	good = grpc_call(&late, &p->at, CONNECT_SERVICE "ReattachExecute", buf_text(&message), who->token, &answer, &err);
	*there = good;
	for (size_t i = 0; good && i < sizeof gone / sizeof *gone; i++)
		*there = *there && !text_has(text_of(answer.message), gone[i]);
	grpc_answer_free(&answer);
	buf_free(&message);
	p->requests = late.requests;
	p->bytes = late.bytes;
	return good;
}

/* What was interrupted ends a little later, and a session that is released before stays half closed (4.1.4: IllegalStateException in
 * its log). */
bool connect_has_ended(struct probe *p, const struct connect_caller *who, const char *operation)
{
	int64_t until = clock_ms() + ENDS_MS;
	bool there = true;

	for (int64_t pause = ENDS_FIRST_MS; there && clock_ms() + pause < until; pause *= 2) {
		wait_fd(wait_for(pause, -1), -1, 0);
		if (!connect_is_there(p, who, operation, INTERRUPT_MS, &there))
			there = true;
	}
	return !there;
}

bool connect_release(struct probe *p, const struct connect_caller *who)
{
	struct probe late = *p;
	struct grpc_answer answer;
	struct buf message;
	struct err err;
	bool good;

	late.wait = wait_for(INTERRUPT_MS, -1);
	buf_init(&message, 512);
	connect_put_release(&message, who->session);
	good = grpc_call(&late, &p->at, CONNECT_SERVICE "ReleaseSession", buf_text(&message), who->token, &answer, &err) && answer.status == GRPC_OK;
	grpc_answer_free(&answer);
	buf_free(&message);
	return good;
}

bool connect_execute(struct probe *p, struct connect_statement *s, struct text sql, struct err *err)
{
	const struct connect_caller who = {s->session, s->token};
	struct grpc_answer answer;
	struct buf message;
	bool whole;

	buf_init(&message, CONNECT_SQL_MOST + 1024);
	connect_put_statement(&message, s, sql);
	s->running = true;
	whole = grpc_stream(p, &p->at, CONNECT_SERVICE "ExecutePlan", buf_text(&message), s->token, CONNECT_MESSAGE_MOST, take_message, s, &answer, err);
	buf_free(&message);
	if (!whole) {
		s->running = !connect_interrupt(p, &who, s->operation, INTERRUPT_MS, &s->interrupted) || !connect_has_ended(p, &who, s->operation);
		return false;
	}
	s->running = false;
	if (answer.status != GRPC_OK) {
		s->conflict = is_conflict(answer.message);
		s->interrupted = text_has(text_of(answer.message), "OPERATION_CANCELED");
		return connect_failed(&answer, err);
	}
	return s->has_result || err_set(err, ERR_PROTOCOL, "Spark Connect has read the statement and did not run it");
}

void connect_close(struct probe *p, struct connect_statement *s)
{
	const struct connect_caller who = {s->session, s->token};

	buf_free(&s->result);
	if (!s->open || s->running)
		return;
	connect_release(p, &who);
	s->open = false;
}
