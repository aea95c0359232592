// SPDX-License-Identifier: MIT
/* A small server on a free port of this machine, in a thread of its own, that answers as a test tells it. */
#ifndef LAKETOP_FIXTURE_SERVER_H
#define LAKETOP_FIXTURE_SERVER_H

#include "net.h"
#include "snapshot.h"

struct fake_server;
/* answer: what was heard on one connection (at once, as it came), and what is said to it; nothing said is silence.
 * False: hang up, after saying what there is to say. Called by the server's thread. */
struct fake_server *fake_server_start(bool (*answer)(void *ctx, struct text question, struct buf *out), void *ctx);
void fake_server_stop(struct fake_server *server); /* joins its thread: ctx is the test's again */
struct endpoint fake_server_at(const struct fake_server *server);

/* For an answer over HTTP, to be followed by hanging up. */
void fake_http(struct buf *out, int status, const char *headers, const char *body);
bool fake_asks_for(struct text question, const char *path); /* "GET /path HTTP/1.1" */

/* A snapshot and a probe that fills it, of whoever serves at. */
struct fake_probe {
	struct host *host;
	struct net *net;
	struct snapshot *s;
	struct probe p;
};
void fake_probe_begin(struct fake_probe *f, struct endpoint at, int64_t ms);
void fake_probe_end(struct fake_probe *f);

#endif
