// SPDX-License-Identifier: MIT
/*
 * A session of PostgreSQL is ended by pg_terminate_backend, and by nothing else: its pid may be
 * another's by now, so the server itself compares when it began. Only clients' sessions are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../services/postgres_session.h"
#include "ops_own.h"

enum { GONE_MS = 15000, LOOK_EVERY_MS = 200, BEGAN_SIZE = 48 };

static const char who_sql[] =
	"SELECT coalesce(usename, ''), coalesce(datname, ''), coalesce(application_name, ''), coalesce(state, ''), "
	"coalesce(host(client_addr), 'local'), backend_start::text, backend_type, "
	"coalesce(extract(epoch FROM now() - coalesce(xact_start, state_change))::bigint::text, '0') "
	"FROM pg_stat_activity WHERE pid = $1::int";
static const char end_sql[] =
	"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1::int AND backend_start = $2::timestamptz AND backend_type = 'client backend'";
static const char there_sql[] = "SELECT 1 FROM pg_stat_activity WHERE pid = $1::int AND backend_start = $2::timestamptz";

static bool is_pid(const char *subject)
{
	int64_t pid;

	return text_i64(text_of(subject), &pid) && pid > 1 && pid <= INT32_MAX;
}

static bool offer(const struct lake *lake, const struct action_wish *w, struct action_target *t, char why[200])
{
	if (!target_of_kind(lake, w, "postgres", t, why))
		return false;
	if (!is_pid(w->subject)) {
		snprintf(why, 200, "\"%.60s\" is no process id", w->subject);
		return false;
	}
	if (!t->expected || !t->expected->credentials.user) {
		snprintf(why, 200, "the profile names no user for %.60s", w->service);
		return false;
	}
	return true;
}

/* One question in a session of its own; kept in s. NULL: err says why. */
static PGresult *ask(struct probe *p, struct postgres_session *s, const char *sql, int n, const char *const *values, struct err *err)
{
	PGresult *result;

	if (!postgres_session(p, s, err))
		return NULL;
	result = postgres_ask(p, s, sql, n, values, err);
	if (result && PQresultStatus(result) != PGRES_TUPLES_OK) {
		const char *words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

		err_set(err, ERR_SYSTEM, "%.180s", words ? words : PQresultErrorMessage(result));
		PQclear(result);
		return NULL;
	}
	return result;
}

static bool take_who(struct action_job *j, PGresult *r, struct err *err)
{
	char *began;
	int64_t seconds = 0;
	char span[CLOCK_TEXT];

	if (PQntuples(r) == 0)
		return err_set(err, ERR_SYSTEM, "there is no session %s any more", j->wish.subject);
	if (strcmp(PQgetvalue(r, 0, 6), "client backend") != 0)
		return err_set(err, ERR_USAGE, "%s is no client's session: %.80s", j->wish.subject, PQgetvalue(r, 0, 6));
	began = mem_new(BEGAN_SIZE, 1);
	text_clean(began, BEGAN_SIZE, text_of(PQgetvalue(r, 0, 5)));
	j->state = began;
	text_i64(text_of(PQgetvalue(r, 0, 7)), &seconds);
	snprintf(j->exact, sizeof j->exact, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity\n"
		"WHERE pid = %s AND backend_start = '%s' AND backend_type = 'client backend'", j->wish.subject, began);
	snprintf(j->effect, sizeof j->effect, "ends the session of %.60s in %.60s (%.80s, from %.60s), %.40s for %s; its transaction is rolled back",
		PQgetvalue(r, 0, 0), PQgetvalue(r, 0, 1), PQgetvalue(r, 0, 2)[0] ? PQgetvalue(r, 0, 2) : "no application_name", PQgetvalue(r, 0, 4),
		PQgetvalue(r, 0, 3)[0] ? PQgetvalue(r, 0, 3) : "unknown what it does", clock_span(span, seconds * 1000));
	snprintf(j->verify, sizeof j->verify, "pg_stat_activity does not list it any more");
	return true;
}

static bool prepare(struct action_job *j, struct err *err)
{
	const char *const values[] = {j->wish.subject};
	struct postgres_session s = {0};
	struct probe p;
	PGresult *r;
	bool fine;

	job_probe(j, &p);
	r = ask(&p, &s, who_sql, 1, values, err);
	fine = r && take_who(j, r, err);
	PQclear(r);
	postgres_hang_up(&s);
	job_probe_end(&p);
	return fine;
}

/* The signal was sent; the session may take its time. */
static bool until_gone(struct action_job *j, struct probe *p, struct postgres_session *s, const char *const *values, struct err *err)
{
	int64_t until = clock_ms() + GONE_MS;

	while (clock_ms() < until) {
		PGresult *r = ask(p, s, there_sql, 2, values, err);
		bool gone = r && PQntuples(r) == 0;

		PQclear(r);
		if (!r)
			return false;
		if (gone) {
			snprintf(j->result, sizeof j->result, "session %s has ended", j->wish.subject);
			return true;
		}
		if (wait_fd(wait_for(LOOK_EVERY_MS, j->wait.cancel), -1, 0) < 0)
			return err_set(err, ERR_CANCELLED, "it was told to end, and had not by now");
	}
	return err_set(err, ERR_TIMEOUT, "it was told to end 15 s ago, and is still there");
}

static bool run(struct action_job *j, struct err *err)
{
	const char *const values[] = {j->wish.subject, j->state};
	struct postgres_session s = {0};
	struct probe p;
	PGresult *r;
	bool fine = false;

	job_probe(j, &p);
	r = ask(&p, &s, end_sql, 2, values, err);
	if (r && PQntuples(r) == 0)
		err_set(err, ERR_SYSTEM, "session %s ended by itself; who has its number now is another, and was left alone", j->wish.subject);
	else if (r && PQgetvalue(r, 0, 0)[0] != 't')
		err_set(err, ERR_SYSTEM, "the server could not signal it");
	else if (r)
		fine = until_gone(j, &p, &s, values, err);
	PQclear(r);
	postgres_hang_up(&s);
	job_probe_end(&p);
	return fine;
}

const struct action_spec action_terminate = {
	.verb = "terminate", .help = "end this session; its transaction is rolled back", .on = ON_BACKEND, .destructive = true, .limit_ms = 30000,
	.offer = offer, .prepare = prepare, .run = run,
};
