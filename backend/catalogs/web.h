// SPDX-License-Identifier: MIT
/* What catalogs that speak HTTP share: the credential, refusals in words, lists in pages. */
#ifndef LAKETOP_CATALOGS_WEB_H
#define LAKETOP_CATALOGS_WEB_H

#include "json.h"
#include "net.h"

enum { WEB_PATH_SIZE = 4096, WEB_NAME_SIZE = 512 };

struct web { /* one server, and who we are to it; lives as long as what asks it */
	const char *realm;      /* of Polaris, borrowed; NULL: none */
	char config_path[320];  /* of Iceberg REST: what anybody may ask, by which one is known where the service's kind does not tell; "" none */
	bool is_part;           /* it is asked at another port than the service's main one: its kind does not tell */
	char token_path[320];   /* where a user and a password become a token; "" it takes tokens only */
	char *token;            /* that one; wiped before it is freed */
	int64_t until;          /* clock_ms(): when it ends; INT64_MAX: not said */
	uint64_t credential;    /* whose token it is, or who was refused */
	int64_t server;         /* when the process began that gave it */
	bool known;             /* this server answered as what the credential is for, asked without it */
	bool worked;            /* this credential was good for something already */
	struct err refusal;     /* of this credential: not asked again until it or the server is another */
	int64_t refused;        /* clock_ms() */
};
void web_end(struct web *w); /* may be used again */

struct web_question {
	const char *path;
	const char *etag;       /* If-None-Match; NULL or "": none */
	size_t most;            /* 0: 8 MiB */
	int64_t timeout_ms;     /* 0: the probe's */
	bool (*take)(void *ctx, const char *bytes, size_t len); /* as of http_request */
	void *ctx;
};
/* One GET with the credential of the probe; a token that has ended is asked for anew, once. True: an answer came, whatever
 * its status. http_answer_free it in either case. */
bool web_ask(struct probe *p, struct web *w, const struct web_question *q, struct http_answer *out, struct err *err);
/* The same for what answers 200 with JSON. NULL: err says why; status is 0 where no answer came. */
struct json *web_json(struct probe *p, struct web *w, const char *path, long *status, struct err *err);

struct web_fault { /* an error's body, in whatever shape; not clean */
	char type[64];          /* "NoSuchTableException", "CATALOG_NOT_FOUND"; "" unknown */
	char words[160];
};
void web_read_fault(struct text body, struct web_fault *out); /* pure */
/* An answer other than 200 as an error, each with its own words. Returns false. */
bool web_refused(const struct probe *p, const struct web *w, const char *path, const struct http_answer *answer, struct err *err);

struct web_pages { /* how a server pages */
	const char *array;      /* "namespaces" */
	const char *token, *next, *size; /* "pageToken", "next-page-token", "pageSize=1000" */
};
/*
 * Hands over every item of every page until each says false. path may have a query already. cut: the server goes in
 * circles, or has more pages than are read. False: err says why; what came before holds.
 */
bool web_list(struct probe *p, struct web *w, const char *path, const struct web_pages *how,
	bool (*each)(void *ctx, const struct json *item), void *ctx, bool *cut, long *status, struct err *err);

/* Percent-encoded, all but letters, digits and "-._~"; false: out is full. */
bool web_escape(struct buf *out, struct text t);

#endif
