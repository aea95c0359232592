// SPDX-License-Identifier: MIT
/*
 * HTTP/1.1: one request, one answer. No body is asked for compressed (it costs the server), but
 * one that comes compressed all the same is decoded, and capped after that. No redirect is
 * followed: a 302 is an answer. The actor's thread only.
 */
#include <string.h>

#include "transfer.h"

enum { BODY_MOST = 1 << 20 };

static void set_method(struct transfer *t, const struct http_request *r)
{
	const char *method = r->method ? r->method : "GET";

	if (r->body) {
		curl_easy_setopt(t->easy, CURLOPT_POST, 1L);
		curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, r->body);
		curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(r->body));
	}
	if (!strcmp(method, "HEAD"))
		curl_easy_setopt(t->easy, CURLOPT_NOBODY, 1L);
	else if (strcmp(method, r->body ? "POST" : "GET") != 0)
		curl_easy_setopt(t->easy, CURLOPT_CUSTOMREQUEST, method);
}

static void set_credentials(struct transfer *t, const struct http_request *r)
{
	if (r->user) {
		curl_easy_setopt(t->easy, CURLOPT_USERNAME, r->user);
		curl_easy_setopt(t->easy, CURLOPT_PASSWORD, r->password ? r->password : "");
		curl_easy_setopt(t->easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
	}
	if (r->sigv4)
		curl_easy_setopt(t->easy, CURLOPT_AWS_SIGV4, r->sigv4);
	transfer_bearer(t, r->bearer);
}

static void set_lines(struct transfer *t, const struct http_request *r)
{
	/* libcurl 7.88 signs a header without a value wrongly, and two of which one's name begins the other's */
	if (!r->sigv4) {
		transfer_line(t, "Expect:");
		transfer_line(t, "Accept-Encoding: identity");
	}
	transfer_line(t, "Accept: %s", r->accept ? r->accept : "*/*");
	if (r->body)
		transfer_line(t, "Content-Type: %s", r->content_type ? r->content_type : "application/octet-stream");
	if (r->host_header)
		transfer_line(t, "Host: %s", r->host_header);
	for (const char *const *line = r->lines; line && *line; line++)
		transfer_line(t, "%s", *line);
}

bool http_ask(struct probe *p, const struct endpoint *at, const struct http_request *request, struct http_answer *out,
	struct err *err)
{
	struct transfer t;
	bool answered = false;

	*out = (struct http_answer){0};
	buf_init(&out->body, request->most ? request->most : BODY_MOST);
	buf_init(&out->headers, HEADERS_MAX);
	if (transfer_begin(&t, p, &p->net->http, at, request->unix_path, request->path, request->timeout_ms, err)) {
		t.body = &out->body;
		t.headers = &out->headers;
		t.take = request->take;
		t.ctx = request->ctx;
		curl_easy_setopt(t.easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
		/* decodes whatever comes; set_lines asks for none */
		curl_easy_setopt(t.easy, CURLOPT_ACCEPT_ENCODING, request->as_stored ? NULL : "");
		set_method(&t, request);
		set_credentials(&t, request);
		set_lines(&t, request);
		answered = transfer_run(&t, err);
		out->status = transfer_status(&t);
		out->ms = transfer_ms(&t);
		out->heard = transfer_heard(&t);
	}
	transfer_end(&t);
	return answered;
}

bool http_get(struct probe *p, const struct endpoint *at, const char *path, struct http_answer *out, struct err *err)
{
	return http_ask(p, at, &(struct http_request){.path = path}, out, err);
}

void http_answer_free(struct http_answer *answer)
{
	buf_free(&answer->body);
	buf_free(&answer->headers);
}

struct text http_header(const struct http_answer *answer, const char *name)
{
	return header_value(buf_text(&answer->headers), name);
}
