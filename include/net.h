// SPDX-License-Identifier: MIT
/*
 * The only way out. A probe is one actor's permit to ask one endpoint: transport, credentials,
 * deadline, cancel, and the count of what was asked. All calls block at most until the probe's
 * wait ends, and are for the actor's thread only.
 */
#ifndef LAKETOP_NET_H
#define LAKETOP_NET_H

#include "clock.h"
#include "err.h"
#include "host.h"
#include "mem.h"

struct net; /* an actor's own handles: curl, kept connections */
struct net *net_new(struct host *host);
void net_free(struct net *net);

struct storage;
struct endpoint {
	char address[ADDRESS_SIZE]; /* numeric */
	uint16_t port;
};

struct credentials { /* secrets: never shown, logged or recorded; wiped by profile_free */
	const char *user;
	const char *password;
	const char *token;
	const char *database;
};

/* Who holds the port, as far as its owner's words tell: whom a credential may be shown to. */
enum holder {
	HOLDER_UNKNOWN, /* not seen, guessed, or one who only forwards */
	HOLDER_RIGHT,   /* looks like the kind that is asked */
	HOLDER_OTHER,   /* looks like something else: no credential is given */
};

struct probe {
	struct host *host;
	struct net *net;
	struct wait wait;          /* ends the whole probe */
	int64_t patience_ms;       /* above 0: an answer over HTTP ends when nothing of it came for so long; wait is then a generous cap */
	struct endpoint at;        /* the port asked: the main one, or a role's */
	const struct expectation *expected; /* for its other ports and database; NULL: found, no profile */
	struct credentials credentials;     /* all NULL where there are none, or withheld */
	enum holder holder;
	bool withheld;                      /* there is a credential, and the holder of the port is another */
	bool proven;                        /* who answers has answered as the kind that is asked, without a credential */
	const struct storage *storage; /* of a catalog, of event logs: where the files lie; NULL: nowhere is named */
	const char *hint;          /* the owner's words, "" unknown: orders questions, is never an answer */
	bool owner_seen;           /* they are of who holds the socket; else of who most likely does */
	pid_t owner;               /* who holds the socket, seen; 0 unknown */
	int64_t owner_started;     /* ms since 1970, 0 unknown: a new process, a new server */
	struct arena *arena;       /* the snapshot's: strings of an identity go here */
	void *state;               /* the kind's own, kept between probes, freed by service_kind.close */
	bool turned;               /* a pulse's own word: what it saw is worth the deeper look at once */
	unsigned requests;         /* counted by net */
	size_t bytes;
};

/* The port of another part of the same service, from the profile, else the kind's default; 0 where there is none. */
uint16_t probe_port(const struct probe *p, const char *role);

/* ---- plain streams: questions in a protocol of our own ---- */
int net_dial(struct probe *p, const struct endpoint *at, struct err *err); /* fd or -1 */
/* What a connection that did not come about says of the server: nothing where the reason lies here, as with no descriptors left. */
enum answered net_undialled(const struct err *err);
bool net_send(struct probe *p, int fd, const void *bytes, size_t len, struct err *err);
bool net_read_exact(struct probe *p, int fd, void *out, size_t len, struct err *err);
bool net_read_to_end(struct probe *p, int fd, struct buf *out, struct err *err);
/* Whatever arrives first within ms; out may stay empty (true then). For banners. */
bool net_read_some(struct probe *p, int fd, int64_t ms, struct buf *out, struct err *err);
void net_close(int fd);
/* Dials, sends question, reads to the end or most bytes, closes. */
bool net_ask(struct probe *p, const struct endpoint *at, struct text question, size_t most, struct buf *answer, struct err *err);

/* ---- HTTP/1.1 by libcurl: http only, no proxy, no redirect followed, body capped after decoding ---- */
struct http_request {
	const char *path;              /* "/json/": from the slash on */
	const char *method;            /* NULL: GET */
	const char *accept;            /* NULL: any */
	const char *body, *content_type; /* for POST and PUT; NULL: none */
	const char *user, *password;   /* basic, or the key pair with sigv4 */
	const char *bearer;
	const char *sigv4;             /* "aws:amz:us-east-1:s3"; parameters in path must be sorted and escaped */
	const char *host_header;       /* NULL: from the endpoint */
	const char *unix_path;         /* ask over this unix socket instead of the endpoint */
	const char *const *lines;      /* further headers, "name: value"; ends with NULL; NULL: none */
	bool as_stored;                /* an object's bytes as they lie there: no content encoding is undone */
	size_t most;                   /* cap of the body; 0: 1 MiB */
	/* For what may be larger than memory should be: the body of a 2xx comes here in pieces, that of any other answer into
	 * the answer as ever. False ends it: ERR_CANCELLED. NULL: the body is kept whole. */
	bool (*take)(void *ctx, const char *bytes, size_t len);
	void *ctx;                     /* of take */
	int64_t timeout_ms;            /* less than the probe's own; 0: the probe's */
};
struct http_answer { /* init by http_ask; free with http_answer_free */
	long status;
	struct buf body;
	struct buf headers;            /* "name: value\r\n", 16 KiB at most */
	double ms;
	bool heard;                    /* something came, HTTP or not; who only accepts and hangs up may be a proxy before a dead server */
};
/* true: an HTTP answer came, whatever its status. */
bool http_ask(struct probe *p, const struct endpoint *at, const struct http_request *request, struct http_answer *out, struct err *err);
bool http_get(struct probe *p, const struct endpoint *at, const char *path, struct http_answer *out, struct err *err);
void http_answer_free(struct http_answer *answer);
struct text http_header(const struct http_answer *answer, const char *name); /* trimmed; empty where missing */

/* ---- records of a Kafka topic, by librdkafka: without a group, committing nothing ---- */
struct net_span { /* of one partition: from that offset on, up to and without that one */
	int32_t partition;
	int64_t from, to;
};
enum { NET_HEADERS_MAX = 16 };
struct net_record { /* lives as long as the call that hands it over */
	int32_t partition;
	int64_t offset, timestamp; /* ms since 1970; -1: none */
	bool has_key, has_value;
	struct text key, value;
	struct { const char *name; struct text value; } headers[NET_HEADERS_MAX];
	size_t n_headers; /* that there are: more than fit may be */
};
/* Hands over what comes before the probe's deadline, in any order. place says where a name that a broker advertises is to be
 * reached (called by other threads); false: nowhere. False: err says why it ended early; what was handed over by then holds. */
bool net_records(struct probe *p, const char *topic, const struct net_span *spans, size_t n,
	bool (*place)(const struct probe *p, const char *host, int32_t port, struct endpoint *out),
	void (*each)(void *ctx, const struct net_record *record), void *ctx, struct err *err);

/* ---- gRPC, over clear-text HTTP/2 ---- */
struct grpc_answer {
	int status;           /* grpc-status; -1: none came */
	char message[200];    /* grpc-message, clean */
	struct buf body;      /* the first message, without its frame */
	double ms;
};
bool grpc_call(struct probe *p, const struct endpoint *at, const char *method_path, struct text message, const char *bearer,
	struct grpc_answer *out, struct err *err);
void grpc_answer_free(struct grpc_answer *answer);
/* Any number of messages, each of at most most bytes, as they come, until each returns false (that is ERR_CANCELLED). out->body is
 * not used, and out need not be freed. The server may go on with what it does when this ends early: tell it. */
bool grpc_stream(struct probe *p, const struct endpoint *at, const char *method_path, struct text message, const char *bearer, size_t most,
	bool (*each)(void *ctx, struct text message), void *ctx, struct grpc_answer *out, struct err *err);

#endif
