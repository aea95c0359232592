// SPDX-License-Identifier: MIT
/*
 * gRPC, unary and streamed by the server, over HTTP/2 without TLS. The status comes in the trailers, or, where there is
 * nothing else to say, among the first headers; libcurl hands both to the same callback. A new
 * connection for every call: libcurl before 8.0 cannot use one twice for HTTP/2 that was not
 * negotiated (the second request fails with error 16). The actor's thread only.
 * Source: "gRPC over HTTP2" of grpc/grpc; checked on Spark Connect 4.0.5, 4.1.4 and 4.2.1.
 */
#include <stdlib.h>
#include <string.h>

#include "transfer.h"
#include "value.h"

enum { FRAME_HEAD = 5, MESSAGE_MOST = 4 << 20, RECEIVE_BUFFER = 128 << 10, STREAM_MESSAGES = 8 /* of the largest size, in all */ };

/* A compressed flag of 0, the length, the message. */
static unsigned char *frame_of(struct text message)
{
	unsigned char *frame = mem_new(FRAME_HEAD + message.len, 1);

	for (int i = 0; i < 4; i++)
		frame[1 + i] = (unsigned char)(message.len >> (24 - 8 * i));
	if (message.len)
		memcpy(frame + FRAME_HEAD, message.at, message.len);
	return frame;
}

/* ---- the answer: pieces of at most 16 KiB, which know nothing of messages ---- */

struct stream {
	const struct transfer *transfer;
	struct buf pending;     /* of a message that has not wholly come */
	bool (*each)(void *ctx, struct text message);
	void *ctx;
	struct err why;         /* it was ended from here */
};

static bool is_grpc(const struct transfer *t)
{
	return transfer_status(t) == 200 && text_starts(header_value(buf_text(t->headers), "content-type"), "application/grpc");
}

/* The first message that is whole; len 0 and true: none yet. */
static bool whole_message(struct stream *in, struct text t, size_t *len)
{
	const unsigned char *head = (const unsigned char *)t.at;
	char most[VALUE_TEXT_SIZE], has[VALUE_TEXT_SIZE];
	size_t body;

	*len = 0;
	if (t.len < FRAME_HEAD)
		return true;
	if (head[0])
		return err_set(&in->why, ERR_PROTOCOL, "%s: its message is compressed, which was not asked for", in->transfer->name);
	body = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
	if (body > in->pending.max - FRAME_HEAD)
		return err_set(&in->why, ERR_LIMIT, "%s: a message of %s, more than the %s that are taken", in->transfer->name,
			value_show(has, value_int((int64_t)body), UNIT_BYTES),
			value_show(most, value_int((int64_t)in->pending.max - FRAME_HEAD), UNIT_BYTES));
	if (t.len - FRAME_HEAD >= body)
		*len = FRAME_HEAD + body;
	return true;
}

/* Hands over what is whole, keeps the rest. */
static bool cut_messages(struct stream *in)
{
	struct text rest = buf_text(&in->pending);
	size_t len;

	for (;;) {
		if (!whole_message(in, rest, &len))
			return false;
		if (!len)
			break;
		if (!in->each(in->ctx, (struct text){rest.at + FRAME_HEAD, len - FRAME_HEAD}))
			return err_set(&in->why, ERR_CANCELLED, "%s: ended here", in->transfer->name);
		rest.at += len;
		rest.len -= len;
	}
	if (rest.len < in->pending.len) {
		memmove(in->pending.at, rest.at, rest.len);
		in->pending.len = rest.len;
	}
	return true;
}

/* Never more at once than fits beside a message of the largest size. */
static bool take_piece(void *ctx, const char *bytes, size_t len)
{
	struct stream *in = ctx;

	if (!is_grpc(in->transfer))
		return true; /* told by its status, or by its type */
	while (len) {
		size_t room = in->pending.max - in->pending.len, part = len < room ? len : room;

		buf_add(&in->pending, bytes, part);
		bytes += part;
		len -= part;
		if (!cut_messages(in))
			return false;
	}
	return true;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* grpc-message is percent-encoded UTF-8, often with line breaks in it. */
static void read_message(struct text t, char *out, size_t size)
{
	char plain[1024];
	size_t len = 0;

	for (size_t i = 0; i < t.len && len < sizeof plain; i++) {
		int high = t.at[i] == '%' && i + 2 < t.len ? hex_digit(t.at[i + 1]) : -1;
		int low = high >= 0 ? hex_digit(t.at[i + 2]) : -1;

		plain[len] = t.at[i];
		if (low >= 0) {
			plain[len] = (char)(high << 4 | low);
			i += 2;
		}
		len++;
	}
	text_clean(out, size, text_trim((struct text){plain, len}));
}

static void read_status(struct text headers, struct grpc_answer *out)
{
	int64_t status;

	if (text_i64(header_value(headers, "grpc-status"), &status) && status >= 0 && status < 1000)
		out->status = (int)status;
	read_message(header_value(headers, "grpc-message"), out->message, sizeof out->message);
}

/* What came is judged even if the stream did not end well: a status is a status. */
static bool read_answer(const struct transfer *t, const struct stream *in, bool whole, struct grpc_answer *out, struct err *err)
{
	long http = transfer_status(t);

	read_status(buf_text(t->headers), out);
	if (in->why.code != ERR_NONE) {
		*err = in->why;
		return false;
	}
	if (!whole && (out->status < 0 || t->over))
		return false;
	if (http == 401 || http == 403)
		return err_set(err, ERR_AUTH, "%s: answers HTTP %ld", t->name, http);
	if (!is_grpc(t))
		return err_set(err, ERR_PROTOCOL, "%s: answers HTTP %ld, and not in gRPC", t->name, http);
	return !in->pending.len || err_set(err, ERR_PROTOCOL, "%s: its message is cut", t->name);
}

static void set_call(struct transfer *t, const unsigned char *frame, size_t len, const char *bearer)
{
	curl_easy_setopt(t->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
	curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, 1L);
	curl_easy_setopt(t->easy, CURLOPT_FORBID_REUSE, 1L);
	/* a frame of HTTP/2 has 16 KiB: what does not fit stays in libcurl 7.88, which then waits for the socket to say that more came */
	curl_easy_setopt(t->easy, CURLOPT_BUFFERSIZE, (long)RECEIVE_BUFFER);
	curl_easy_setopt(t->easy, CURLOPT_POST, 1L);
	curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, frame);
	curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	transfer_line(t, "content-type: application/grpc");
	transfer_line(t, "te: trailers");
	transfer_line(t, "Accept:");
	transfer_line(t, "Expect:");
	transfer_bearer(t, bearer);
}

bool grpc_stream(struct probe *p, const struct endpoint *at, const char *method_path, struct text message, const char *bearer, size_t most,
	bool (*each)(void *ctx, struct text message), void *ctx, struct grpc_answer *out, struct err *err)
{
	unsigned char *frame = NULL;
	struct transfer t;
	struct stream in = {.transfer = &t, .each = each, .ctx = ctx};
	struct buf headers, body; /* kept of what is no gRPC */
	bool answered = false;

	out->status = -1;
	buf_init(&in.pending, FRAME_HEAD + most);
	buf_init(&headers, HEADERS_MAX);
	buf_init(&body, STREAM_MESSAGES * most);
	if (message.len > MESSAGE_MOST)
		return err_set(err, ERR_LIMIT, "a gRPC message of %zu bytes is too large", message.len);
	if (transfer_begin(&t, p, &p->net->grpc, at, NULL, method_path, 0, err)) {
		t.body = &body;
		t.headers = &headers;
		t.take = take_piece;
		t.ctx = &in;
		frame = frame_of(message);
		set_call(&t, frame, FRAME_HEAD + message.len, bearer);
		answered = transfer_run(&t, err);
		out->ms = transfer_ms(&t);
		answered = read_answer(&t, &in, answered, out, err);
	}
	transfer_end(&t);
	buf_free(&in.pending);
	buf_free(&headers);
	buf_free(&body);
	free(frame);
	return answered;
}

static bool keep_first(void *ctx, struct text message)
{
	struct buf *body = ctx;

	return body->at || buf_add(body, message.at, message.len);
}

bool grpc_call(struct probe *p, const struct endpoint *at, const char *method_path, struct text message, const char *bearer,
	struct grpc_answer *out, struct err *err)
{
	*out = (struct grpc_answer){.status = -1};
	buf_init(&out->body, MESSAGE_MOST);
	return grpc_stream(p, at, method_path, message, bearer, MESSAGE_MOST, keep_first, &out->body, out, err);
}

void grpc_answer_free(struct grpc_answer *answer)
{
	buf_free(&answer->body);
}
