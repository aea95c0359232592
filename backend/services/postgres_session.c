// SPDX-License-Identifier: MIT
/*
 * A session with PostgreSQL that is kept: its figures come by one, its Iceberg catalog by another.
 * Read-only, application_name laketop, every statement with a time limit of the server's own. A
 * refused credential is not tried again until it, or the server, changes: each try costs the server
 * a FATAL line.
 */
#include "postgres_session.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "kinds.h"
#include "log.h"

enum {
	LOOK_EVERY = 2500,         /* a look at the host, and a little: until then the port may have gone to another unseen */
	LOGIN_EVERY = 5000,        /* each failure is a FATAL line there */
	YOUNG = 3000,              /* a server of this age may still be given its roles and databases */
	YOUNG_REFUSAL = 60000,     /* ... and one refused at this age is asked once more when it is older */
	RENEW_EVERY = 60000,
	STOPPING_EVERY = 60000,    /* where another server cannot be told from the one that shut down */
	LOCK_MAX = 4096,
};

void postgres_hang_up(struct postgres_session *s)
{
	PQfinish(s->conn);
	s->conn = NULL;
	s->ended = clock_ms();
	if (s->host)
		s->host->unroute(s->host, &s->route);
	s->host = NULL;
}

/* ---- does it shut down? ---- */

/*
 * A smart shutdown (a plain SIGTERM) takes no new client and waits for those that are there: one that keeps its session sees nothing
 * of it, and holds it up. A login that is refused then is a FATAL line in the log; the lock file tells it without.
 */
static enum postgres_state read_lock(struct probe *p)
{
	enum postgres_state state = POSTGRES_UNTOLD;
	struct buf file;

	if (!p->owner || !p->host->read_beside)
		return state;
	buf_init(&file, LOCK_MAX);
	if (p->host->read_beside(p->host, p->owner, "postmaster.pid", &file, NULL))
		state = postgres_parse_lock(buf_text(&file), p->at.port);
	buf_free(&file);
	return state;
}

void postgres_stops(const struct probe *p, struct postgres_session *s)
{
	postgres_hang_up(s);
	s->stops = true;
	s->stops_of = p->owner_started;
	s->refusal = POSTGRES_NOT_READY;
	s->next = clock_ms() + STOPPING_EVERY;
	err_set(&s->why, ERR_CONNECT, "is shutting down");
}

static void forget_stop(struct postgres_session *s)
{
	if (s->stops)
		s->next = 0;
	s->stops = false;
}

void postgres_gone(struct postgres_session *s)
{
	postgres_hang_up(s);
	forget_stop(s);
	s->refused = false;
}

enum postgres_state postgres_state(struct probe *p, struct postgres_session *s)
{
	s->told = read_lock(p);
	if (s->told == POSTGRES_STOPS && !s->stops)
		postgres_stops(p, s);
	else if (s->told == POSTGRES_RUNS || s->stops_of != p->owner_started || (!s->told && !p->owner_started && clock_ms() >= s->next))
		forget_stop(s);
	return s->stops ? POSTGRES_STOPS : s->told;
}

void postgres_renew(struct postgres_session *s)
{
	if (s->conn && s->told == POSTGRES_UNTOLD && clock_ms() - s->begun >= RENEW_EVERY)
		postgres_hang_up(s);
}

static void count_session(void *ctx, struct text title)
{
	*(int *)ctx += postgres_is_session(title);
}

int postgres_count_sessions(struct probe *p)
{
	int n = 0;

	return p->owner && p->host->children && p->host->children(p->host, p->owner, count_session, &n, NULL) ? n : -1;
}

/* ---- a login ---- */

static int64_t age_of_server(const struct probe *p)
{
	return p->owner_started ? clock_wall_ms() - p->owner_started : -1;
}

/* Is a login worth its FATAL line? */
static bool may_log_in(const struct probe *p, struct postgres_session *s)
{
	int64_t age = age_of_server(p);

	if (s->credential != credential_print(&p->credentials) || s->owner_started != p->owner_started)
		s->refused = false;
	if (s->refused && s->refused_at >= 0 && s->refused_at < YOUNG_REFUSAL && age >= YOUNG_REFUSAL)
		s->refused = false;
	if (age >= 0 && age < YOUNG) {
		err_set(&s->why, ERR_NONE, "started a moment ago: not asked yet");
		return false;
	}
	return !s->refused && clock_ms() >= s->next;
}

static void on_notice(void *ctx, const PGresult *result)
{
	const char *words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	(void)ctx;
	log_say("postgres", "notice: %s", words ? words : "?");
}

/* Nothing is shown that a stranger could use: not known to be right, or not yet looked at again since the last one was lost. */
static bool is_vetted(const struct probe *p, const struct postgres_session *s)
{
	return p->holder != HOLDER_RIGHT || (s->ended && clock_ms() - s->ended < LOOK_EVERY);
}

static PGconn *dial(const struct probe *p, const struct postgres_session *s, const char *sslmode)
{
	const struct credentials *c = &p->credentials;
	char port[8];
	const char *const names[] = {"hostaddr", "port", "user", "password", "dbname", "application_name", "sslmode", "gssencmode",
		"client_encoding", "keepalives", "tcp_user_timeout", "channel_binding", "options", NULL};
	const char *const values[] = {s->route.address, port, c->user, c->password, c->database ? c->database : c->user, "laketop",
		sslmode, "disable", "UTF8", "1", "3000", is_vetted(p, s) && !strcmp(sslmode, "require") ? "require" : "prefer",
		"-c statement_timeout=5000 -c lock_timeout=500 -c default_transaction_read_only=on -c idle_in_transaction_session_timeout=5000", NULL};
	PGconn *conn;

	snprintf(port, sizeof port, "%u", (unsigned)s->route.port);
	conn = PQconnectStartParams(names, values, 0);
	if (conn) {
		PQsetNoticeReceiver(conn, on_notice, NULL);
		PQsetErrorVerbosity(conn, PQERRORS_VERBOSE);
	}
	return conn;
}

static void remember_refusal(struct probe *p, struct postgres_session *s)
{
	s->refusal = POSTGRES_REFUSES;
	s->credential = credential_print(&p->credentials);
	s->owner_started = p->owner_started;
	s->refused_at = age_of_server(p);
	s->refused = true;
}

static void remember_failure(struct probe *p, struct postgres_session *s, const struct postgres_failure *failure)
{
	bool unbound = text_has(failure->words, "channel binding");
	char words[160];

	text_clean(words, sizeof words, failure->words);
	s->refusal = postgres_refusal(failure);
	if (s->refusal == POSTGRES_REFUSES || (unbound && p->holder != HOLDER_RIGHT))
		remember_refusal(p, s);
	if (unbound)
		err_set(&s->why, ERR_AUTH, "asks for the password in a way that may show it, and who holds its port is not known: not answered");
	else if (s->refused && !p->credentials.password && (!failure->sqlstate[0] || !strcmp(failure->sqlstate, "28P01")))
		err_set(&s->why, ERR_AUTH, "asks for a password it does not get: refuses %s", p->credentials.user);
	else if (s->refused)
		err_set(&s->why, ERR_AUTH, "refuses %s: %s", p->credentials.user, words);
	else
		err_set(&s->why, ERR_CONNECT, "%s%s", s->refusal == POSTGRES_FULL ? "max_connections reached: " : "", words);
}

/* TLS first, and without it where the server has none: "prefer" would try a refused password twice. */
static bool log_in(struct probe *p, struct postgres_session *s, struct err *err)
{
	struct postgres_failure failure;

	if (!p->host->route(p->host, p->at.address, p->at.port, &s->route, err))
		return false;
	s->host = p->host;
	if (s->route.unix_path[0]) {
		postgres_hang_up(s);
		return err_set(err, ERR_SYSTEM, "a session with PostgreSQL on another machine is not built yet");
	}
	for (bool plain = s->plain;; plain = true) {
		s->conn = dial(p, s, plain ? "disable" : "require");
		p->requests++;
		if (!s->conn)
			return err_set(err, ERR_SYSTEM, "out of memory");
		if (postgres_log_in(p, s->conn, plain && is_vetted(p, s), err)) {
			s->plain = plain;
			s->begun = clock_ms();
			s->credential = credential_print(&p->credentials);
			s->number++;
			*err = (struct err){0}; /* of the try with TLS */
			return true;
		}
		postgres_parse_failure(text_of(PQerrorMessage(s->conn)), &failure);
		if (plain || failure.sqlstate[0] || !text_has(failure.words, "does not support SSL"))
			break;
		PQfinish(s->conn);
	}
	s->refusal = POSTGRES_BROKEN;
	s->why = *err;
	if (err->code == ERR_CONNECT)
		remember_failure(p, s, &failure);
	else if (err->code == ERR_AUTH && p->holder != HOLDER_RIGHT)
		remember_refusal(p, s);
	s->next = clock_ms() + LOGIN_EVERY;
	if (s->refusal == POSTGRES_NOT_READY && text_has(failure.words, "shutting down"))
		postgres_stops(p, s);
	*err = s->why;
	postgres_hang_up(s);
	return false;
}

bool postgres_session(struct probe *p, struct postgres_session *s, struct err *err)
{
	enum postgres_state state = postgres_state(p, s);

	if (s->conn && s->credential != credential_print(&p->credentials))
		postgres_hang_up(s);
	if (s->conn)
		return true;
	if (state == POSTGRES_STARTS) {
		s->refusal = POSTGRES_NOT_READY;
		return err_set(err, ERR_CONNECT, "is starting up");
	}
	if (state == POSTGRES_STOPS) {
		*err = s->why;
		return false;
	}
	if (may_log_in(p, s))
		return log_in(p, s, err);
	*err = s->why;
	return false;
}

/* Waits for the one result of what was sent. NULL: the session is broken, or too slow, and was ended. */
static PGresult *await(struct probe *p, struct postgres_session *s, struct err *err)
{
	PGresult *result, *more;
	int flushed = 1;

	while (flushed == 1 || PQisBusy(s->conn)) {
		int ready;

		if (flushed == 1)
			flushed = PQflush(s->conn);
		if (flushed < 0)
			break;
		ready = wait_fd(p->wait, PQsocket(s->conn), (short)(flushed ? POLLIN | POLLOUT : POLLIN));
		if (ready <= 0) {
			err_set(err, ready ? ERR_CANCELLED : ERR_TIMEOUT, "a statement did not end in time");
			postgres_hang_up(s);
			return NULL;
		}
		if (!PQconsumeInput(s->conn))
			break;
	}
	result = PQgetResult(s->conn);
	while (result && PQstatus(s->conn) == CONNECTION_OK && (more = PQgetResult(s->conn)))
		PQclear(more);
	if (!result || PQstatus(s->conn) != CONNECTION_OK) {
		err_set(err, ERR_CONNECT, "session broke off: %s", PQerrorMessage(s->conn));
		PQclear(result);
		postgres_hang_up(s);
		return NULL;
	}
	p->bytes += PQresultMemorySize(result);
	return result;
}

PGresult *postgres_ask(struct probe *p, struct postgres_session *s, const char *sql, int n, const char *const *values, struct err *err)
{
	/* the simple protocol where nothing is bound: an empty question then costs two messages */
	int sent = n ? PQsendQueryParams(s->conn, sql, n, NULL, values, NULL, NULL, 0) : PQsendQuery(s->conn, sql);

	p->requests++;
	if (sent)
		return await(p, s, err);
	err_set(err, ERR_CONNECT, "session broke off: %s", PQerrorMessage(s->conn));
	postgres_hang_up(s);
	return NULL;
}
