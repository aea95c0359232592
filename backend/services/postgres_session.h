// SPDX-License-Identifier: MIT
/* One session with PostgreSQL, kept between looks, logged in politely. All zero at first. One thread. */
#ifndef LAKETOP_SERVICES_POSTGRES_SESSION_H
#define LAKETOP_SERVICES_POSTGRES_SESSION_H

#include <libpq-fe.h>

#include "net.h"
#include "postgres.h"

struct postgres_session {
	PGconn *conn;            /* NULL: there is none */
	unsigned number;         /* counts up with each */
	enum postgres_refusal refusal;
	bool refused;            /* this credential; whoever knows of another server there takes it back */
	/* its own */
	struct host *host;       /* that leads conn by route; NULL: not led */
	struct route route;
	bool plain;              /* it offered no TLS: do not ask again */
	uint64_t credential;     /* of conn, or of the refusal */
	int64_t owner_started;   /* of the server that refused */
	int64_t refused_at;      /* its age then, ms; -1 unknown */
	enum postgres_state told; /* by its lock file, when it was looked at last */
	bool stops;              /* it shuts down: no login is taken any more, and a session keeps it from ending */
	int64_t stops_of;        /* owner_started of that server */
	struct err why;          /* there is no session */
	int64_t begun;           /* clock_ms() when conn did */
	int64_t next;            /* clock_ms() of the next try */
	int64_t ended;           /* clock_ms() when the last one did; 0: none was there */
};

/* A session at p->at with p->credentials, kept or new. False: err says why there is none. */
bool postgres_session(struct probe *p, struct postgres_session *s, struct err *err);
/* Drives a login that was begun to its end. vetted: who holds the port is not known to be right, and there is no TLS: a request for
 * the password in clear is not answered, ERR_AUTH. libpq's own connect_timeout does not count here, and its socket may change. */
bool postgres_log_in(struct probe *p, PGconn *conn, bool vetted, struct err *err);
/* The one result of a statement, whatever it says; n values are bound to it. NULL: the session broke off, or was too slow, and
 * was ended. s->conn must be there. */
PGresult *postgres_ask(struct probe *p, struct postgres_session *s, const char *sql, int n, const char *const *values, struct err *err);
/* What is known of its coming and going without a login; looks at its lock file, where this user may. */
enum postgres_state postgres_state(struct probe *p, struct postgres_session *s);
void postgres_stops(const struct probe *p, struct postgres_session *s); /* another said so: no session is held any more */
void postgres_gone(struct postgres_session *s); /* whoever comes next is another server */
/* After a look: a session that is kept for long hides a shutdown, and holds it up, where nothing but a login tells of it. */
void postgres_renew(struct postgres_session *s);
/* How many sessions it has, by its processes; -1: not known. */
int postgres_count_sessions(struct probe *p);
void postgres_hang_up(struct postgres_session *s); /* without one is fine */

#endif
