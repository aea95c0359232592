// SPDX-License-Identifier: MIT
/*
 * gRPC, unary, over HTTP/2 without TLS. The status comes in the trailers, or, where there is
 * nothing else to say, among the first headers; libcurl hands both to the same callback. A new
 * connection for every call: libcurl before 8.0 cannot use one twice for HTTP/2 that was not
 * negotiated (the second request fails with error 16). The actor's thread only.
 * Source: "gRPC over HTTP2" of grpc/grpc; checked on Spark Connect 4.0.5, 4.1.4 and 4.2.1.
 */
#include <stdlib.h>
#include <string.h>

#include "transfer.h"

enum { FRAME_HEAD = 5, MESSAGE_MOST = 4 << 20 };

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

/* Leaves the first message in body. */
static bool unframe(struct buf *body, const char *name, struct err *err)
{
	const unsigned char *head = (const unsigned char *)body->at;
	size_t len;

	if (!body->len)
		return true;
	if (body->len < FRAME_HEAD)
		return err_set(err, ERR_PROTOCOL, "%s: its message is cut", name);
	if (head[0])
		return err_set(err, ERR_PROTOCOL, "%s: its message is compressed, which was not asked for", name);
	len = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
	if (len > body->len - FRAME_HEAD)
		return err_set(err, ERR_PROTOCOL, "%s: its message is cut", name);
	memmove(body->at, body->at + FRAME_HEAD, len);
	body->len = len;
	body->at[len] = '\0';
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
static bool read_answer(const struct transfer *t, bool whole, struct grpc_answer *out, struct err *err)
{
	struct text headers = buf_text(t->headers);
	long http = transfer_status(t);

	read_status(headers, out);
	if (!whole && (out->status < 0 || t->over))
		return false;
	if (http == 401 || http == 403)
		return err_set(err, ERR_AUTH, "%s: answers HTTP %ld", t->name, http);
	if (http != 200 || !text_starts(header_value(headers, "content-type"), "application/grpc"))
		return err_set(err, ERR_PROTOCOL, "%s: answers HTTP %ld, and not in gRPC", t->name, http);
	return unframe(&out->body, t->name, err);
}

static void set_call(struct transfer *t, const unsigned char *frame, size_t len, const char *bearer)
{
	curl_easy_setopt(t->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
	curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, 1L);
	curl_easy_setopt(t->easy, CURLOPT_FORBID_REUSE, 1L);
	curl_easy_setopt(t->easy, CURLOPT_POST, 1L);
	curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, frame);
	curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	transfer_line(t, "content-type: application/grpc");
	transfer_line(t, "te: trailers");
	transfer_line(t, "Accept:");
	transfer_line(t, "Expect:");
	transfer_bearer(t, bearer);
}

bool grpc_call(struct probe *p, const struct endpoint *at, const char *method_path, struct text message, const char *bearer,
	struct grpc_answer *out, struct err *err)
{
	unsigned char *frame = NULL;
	struct transfer t;
	struct buf headers;
	bool answered = false;

	*out = (struct grpc_answer){.status = -1};
	buf_init(&out->body, FRAME_HEAD + MESSAGE_MOST);
	buf_init(&headers, HEADERS_MAX);
	if (message.len > MESSAGE_MOST)
		return err_set(err, ERR_LIMIT, "a gRPC message of %zu bytes is too large", message.len);
	if (transfer_begin(&t, p, &p->net->grpc, at, NULL, method_path, 0, err)) {
		t.body = &out->body;
		t.headers = &headers;
		frame = frame_of(message);
		set_call(&t, frame, FRAME_HEAD + message.len, bearer);
		answered = transfer_run(&t, err);
		out->ms = transfer_ms(&t);
		answered = read_answer(&t, answered, out, err);
	}
	transfer_end(&t);
	buf_free(&headers);
	free(frame);
	return answered;
}

void grpc_answer_free(struct grpc_answer *answer)
{
	buf_free(&answer->body);
}
