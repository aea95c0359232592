// SPDX-License-Identifier: MIT
/* What http.c and grpc.c share: one request through libcurl, with caps, deadline and cancel. */
#ifndef LAKETOP_TRANSFER_H
#define LAKETOP_TRANSFER_H

#include <curl/curl.h>

#include "net.h"

enum { HEADERS_MAX = 16 << 10, ENDPOINT_TEXT = 120 };

struct net {
	struct host *host;
	CURLM *multi;          /* this and the two handles are made when first needed */
	CURL *http, *grpc;
	int64_t owner_started; /* kept connections lead to the process that started then */
	int fd;                /* the stream dialled last, and what it leads to, for messages */
	char fd_name[ENDPOINT_TEXT];
};

/* "127.0.0.1:8082", "[::1]:8082" */
char *endpoint_text(char out[ENDPOINT_TEXT], const struct endpoint *at);
/* "1,000 ms" */
const char *limit_text(char out[32], int64_t ms);

struct transfer {
	struct probe *probe;
	CURL *easy;
	char name[ENDPOINT_TEXT];  /* the endpoint, for messages */
	struct wait wait;
	int64_t limit_ms;
	struct route route;
	bool routed;
	struct curl_slist *lines;  /* request headers */
	struct buf *body, *headers;
	bool (*take)(void *ctx, const char *bytes, size_t len); /* NULL: the body is kept. See http_request */
	void *ctx;
	size_t taken;              /* bytes that went to take; body's maximum is their cap, too */
	bool ended;                /* take wants no more */
	const char *over;          /* the cap that was reached: "its body is", "its headers are" */
	CURLcode result;           /* of transfer_run */
	bool silent;               /* nothing came for as long as the probe is patient */
	int no_socket;             /* errno: it was not even tried; 0 it was */
};

/* Readies a handle for http://endpoint/path with every limit applied. False: err says why. End it in either case. */
bool transfer_begin(struct transfer *t, struct probe *p, CURL **handle, const struct endpoint *at, const char *unix_path,
	const char *path, int64_t timeout_ms, struct err *err);
void transfer_line(struct transfer *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void transfer_bearer(struct transfer *t, const char *token); /* NULL: none */
/* Asks, and waits at most until the deadline. False: no whole answer came. */
bool transfer_run(struct transfer *t, struct err *err);
long transfer_status(const struct transfer *t); /* 0: none came */
bool transfer_heard(const struct transfer *t);  /* something came, HTTP or not */
double transfer_ms(const struct transfer *t);
void transfer_end(struct transfer *t);
struct text header_value(struct text headers, const char *name); /* trimmed; empty where missing */

#endif
