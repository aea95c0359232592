// SPDX-License-Identifier: MIT
/*
 * PostgreSQL. The greeting is a GSSENCRequest: eight bytes that every server since 12 answers with
 * one byte, in any state, and whose sender may hang up without a line in the server's log. A
 * SSLRequest is not: hanging up on its "S" logs "could not accept SSL connection". A startup packet
 * is not: where pg_hba.conf trusts the address, or names no rule for it, that logs a FATAL.
 *
 * With a credential one session is kept (application_name laketop, read-only, statement_timeout) and
 * asked for all figures. A refused credential is not tried again until it, or the server, changes:
 * each try costs the server a FATAL line. Statements never fail by design (an ERROR is logged too);
 * one that does is not asked again in the same session.
 *
 * Source: PostgreSQL 15, "Frontend/Backend Protocol", "Monitoring Database Activity"; checked on 15.18.
 * Thread: its actor's.
 */
#include "postgres.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "log.h"
#include "postgres_session.h"

enum {
	SIZES_EVERY = 60000,       /* pg_database_size() looks at every file */
	DATABASES_MAX = 64,
	TRANSACTION_LONG = 600000,
	XID_AGE_HIGH = 1500000000, /* failsafe is at 1.6 G, the stop at 2.1 G */
	OLDEST_ASKED = 120000,
};
static const int64_t slot_large = INT64_C(1) << 30;

enum statement { ASK_STATE, ASK_FIGURES, ASK_ICEBERG, ASK_SIZES, ASK_ACTIVITY, ASK_DATABASES, ASK_REPLICATION, ASK_SLOTS, STATEMENTS };

struct database {
	char name[NAME_SIZE];
	int64_t size; /* -1: not allowed to know */
};

struct postgres { /* p->state */
	struct postgres_session session;
	bool old;                /* before 12 */
	bool may_read;           /* its lock file, by the session */
	int left;                /* other sessions that were there when ours told that it stops; -1: not known */
	bool off[STATEMENTS];    /* failed in this session */
	unsigned off_of;         /* its number */
	struct database databases[DATABASES_MAX];
	size_t n_databases;
	int64_t sized;           /* clock_ms(); 0 never */
};

/* ---- what it says without a session ---- */

static const char gss_request[8] = {0, 0, 0, 8, 0x04, (char)0xd2, 0x16, 0x30};
static const char ssl_request[8] = {0, 0, 0, 8, 0x04, (char)0xd2, 0x16, 0x2f};

static enum answered hello(struct probe *p, struct postgres *pg, struct err *err)
{
	int fd = net_dial(p, &p->at, err);
	enum postgres_hello said = POSTGRES_NOT;
	enum answered answered = ANSWERED_MUTE;
	struct buf answer;

	if (fd < 0)
		return net_undialled(err);
	buf_init(&answer, 1024);
	if (net_send(p, fd, pg->old ? ssl_request : gss_request, 8, err) &&
		net_read_some(p, fd, wait_left(p->wait), &answer, err) && answer.len) {
		said = postgres_parse_hello(buf_text(&answer));
		answered = said == POSTGRES_NOT ? ANSWERED_OTHER : ANSWERED_YES;
		pg->old |= said == POSTGRES_OLD;
	}
	net_close(fd);
	buf_free(&answer);
	return answered;
}

/* ---- what is kept ---- */

static struct postgres *state_of(struct probe *p)
{
	if (!p->state)
		p->state = mem_new(1, sizeof(struct postgres));
	return p->state;
}

/* ---- the statements ---- */

#define SEES_ALL "pg_has_role(current_user, 'pg_read_all_stats', 'MEMBER')"
#define WAL_NOW "CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END"
#define MS_SINCE(what) "(extract(epoch FROM clock_timestamp() - " what ") * 1000)::bigint"

static const char *const statements[STATEMENTS] = {
	/* Where its lock file is not for us, as in a container, a superuser's session may still read it; and how many others there are. */
	[ASK_STATE] = "SELECT split_part(pg_read_file('postmaster.pid', 0, 1000, true), chr(10), 8), "
		"(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid())",
	/* In the order of enum basic. What a role without pg_read_all_stats may not see is NULL: unknown. */
	[ASK_FIGURES] = "WITH me AS MATERIALIZED (SELECT " SEES_ALL " AS sees), "
		"a AS MATERIALIZED (SELECT * FROM pg_stat_activity WHERE backend_type = 'client backend') "
		"SELECT CASE WHEN sees THEN (SELECT count(*) FROM a) ELSE (SELECT sum(numbackends)::bigint FROM pg_stat_database) END, "
		"current_setting('max_connections'), current_setting('superuser_reserved_connections'), pg_is_in_recovery(), "
		"CASE WHEN sees THEN coalesce((SELECT max(" MS_SINCE("xact_start") ") FROM a WHERE pid <> pg_backend_pid() AND state <> 'idle'), 0) END, "
		"CASE WHEN sees THEN (SELECT count(*) FROM a WHERE state LIKE 'idle in transaction%') END, "
		"CASE WHEN sees THEN (SELECT count(*) FROM a WHERE wait_event_type = 'Lock') END, "
		"(SELECT count(*) FROM pg_replication_slots), "
		"(SELECT max(pg_wal_lsn_diff(" WAL_NOW ", restart_lsn))::bigint FROM pg_replication_slots), "
		"CASE WHEN NOT pg_is_in_recovery() THEN (SELECT max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))::bigint FROM pg_stat_replication) "
		"ELSE pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())::bigint END, "
		"CASE WHEN NOT pg_is_in_recovery() THEN (SELECT (extract(epoch FROM max(coalesce(replay_lag, '0'))) * 1000)::bigint FROM pg_stat_replication "
		"WHERE replay_lsn IS NOT NULL) "
		"WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0 "
		"ELSE " MS_SINCE("pg_last_xact_replay_timestamp()") " END, "
		"to_regclass('iceberg_tables') IS NOT NULL AND has_table_privilege(to_regclass('iceberg_tables'), 'SELECT'), "
		"current_database(), has_function_privilege(to_regprocedure('pg_read_file(text, bigint, bigint, boolean)')::oid, 'EXECUTE') FROM me",
	/* The oldest schema has no iceberg_type, later ones leave it NULL for a table. */
	[ASK_ICEBERG] = "SELECT count(*) FROM iceberg_tables t WHERE coalesce(to_jsonb(t)->>'iceberg_type', 'TABLE') = 'TABLE'",
	[ASK_SIZES] = "SELECT datname, CASE WHEN has_database_privilege(oid, 'CONNECT') OR " SEES_ALL " THEN pg_database_size(oid) END "
		"FROM pg_database WHERE NOT datistemplate AND datallowconn ORDER BY datname LIMIT 64",
	/* In the order of their tables' columns, and one more: how many there are. */
	[ASK_ACTIVITY] = "SELECT pid, usename, datname, application_name, state, " MS_SINCE("coalesce(xact_start, state_change)") ", wait_event_type, "
		"host(client_addr), count(*) OVER () FROM pg_stat_activity WHERE coalesce(backend_type, 'client backend') = 'client backend' "
		"AND pid <> pg_backend_pid() ORDER BY xact_start, pid LIMIT 200",
	[ASK_DATABASES] = "SELECT s.datname, numbackends, NULL, xact_commit, xact_rollback, deadlocks, temp_bytes, age(datfrozenxid), count(*) OVER () "
		"FROM pg_stat_database s JOIN pg_database d ON d.oid = s.datid WHERE NOT datistemplate ORDER BY s.datname LIMIT 64",
	[ASK_REPLICATION] = "SELECT application_name, host(client_addr), state, sync_state, "
		"CASE WHEN NOT pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint END, "
		"(extract(epoch FROM replay_lag) * 1000)::bigint, count(*) OVER () FROM pg_stat_replication ORDER BY application_name, pid LIMIT 64",
	[ASK_SLOTS] = "SELECT slot_name, slot_type, database, active, pg_wal_lsn_diff(" WAL_NOW ", restart_lsn)::bigint, "
		"to_jsonb(s)->>'wal_status', count(*) OVER () FROM pg_replication_slots s ORDER BY slot_name LIMIT 64",
};

enum basic {
	CONNECTIONS, CONNECTIONS_MAX, RESERVED, IN_RECOVERY, LONGEST, IDLE_IN_TRANSACTION, LOCK_WAITS, SLOTS, SLOT_RETAINED, LAG_BYTES,
	LAG_MS, HAS_ICEBERG, DATABASE, MAY_READ,
};

/* NULL: not answered; err is set only where the session broke. */
static PGresult *ask(struct probe *p, struct postgres *pg, enum statement which, struct err *err)
{
	PGresult *result;

	if (pg->off_of != pg->session.number)
		memset(pg->off, 0, sizeof pg->off);
	pg->off_of = pg->session.number;
	if (!pg->session.conn || pg->off[which])
		return NULL;
	result = postgres_ask(p, &pg->session, statements[which], 0, NULL, err);
	if (result && PQresultStatus(result) != PGRES_TUPLES_OK) {
		log_say("postgres", "statement %d is left off from now on: %s", (int)which, PQresultErrorMessage(result));
		pg->off[which] = true;
		PQclear(result);
		return NULL;
	}
	return result;
}

static struct value cell(const PGresult *r, int row, int column, enum value_type type)
{
	const char *s = PQgetvalue(r, row, column);
	int64_t i;

	if (PQgetisnull(r, row, column))
		return value_unknown();
	if (type == VALUE_BOOL)
		return value_bool(s[0] == 't');
	if (type == VALUE_INT)
		return text_i64(text_of(s), &i) ? value_int(i) : value_unknown();
	return value_text(s);
}

static bool number(const PGresult *r, enum basic column, int64_t *out)
{
	return !PQgetisnull(r, 0, (int)column) && text_i64(text_of(PQgetvalue(r, 0, (int)column)), out);
}

static struct table *take_table(struct snapshot *s, const char *name, const PGresult *r)
{
	struct table *t = snapshot_table(s, kind_postgres.tables, name);
	int rows = PQntuples(r);
	int64_t all;

	for (int row = 0; row < rows; row++) {
		struct value *cells = table_row(s, t);

		for (int c = 0; c < (int)t->n_columns; c++)
			table_set(s, t, cells, t->spec->columns[c].name, cell(r, row, c, t->spec->columns[c].type));
	}
	if (rows && text_i64(text_of(PQgetvalue(r, 0, (int)t->n_columns)), &all) && all > rows)
		t->left_off += (size_t)(all - rows);
	return t;
}

static bool ping(struct probe *p, struct postgres *pg, struct err *err)
{
	bool reads = pg->may_read && !pg->session.told;
	PGresult *result = reads ? ask(p, pg, ASK_STATE, err) : NULL;

	if (!result && pg->session.conn)
		result = postgres_ask(p, &pg->session, "", 0, NULL, err);
	else if (result && PQntuples(result) == 1 && postgres_state_named(text_of(PQgetvalue(result, 0, 0))) == POSTGRES_STOPS) {
		int64_t others;

		pg->left = text_i64(text_of(PQgetvalue(result, 0, 1)), &others) ? (int)others : -1;
		postgres_stops(p, &pg->session);
	}
	PQclear(result);
	return result != NULL;
}

/* ---- what is made of it ---- */

static void take_sizes(struct probe *p, struct postgres *pg, struct err *err)
{
	PGresult *r;

	if (pg->sized && clock_ms() - pg->sized < SIZES_EVERY)
		return;
	r = ask(p, pg, ASK_SIZES, err);
	if (!r)
		return;
	pg->n_databases = 0;
	for (int row = 0; row < PQntuples(r) && pg->n_databases < DATABASES_MAX; row++) {
		struct database *d = &pg->databases[pg->n_databases++];

		text_copy(d->name, sizeof d->name, text_of(PQgetvalue(r, row, 0)));
		if (PQgetisnull(r, row, 1) || !text_i64(text_of(PQgetvalue(r, row, 1)), &d->size))
			d->size = -1;
	}
	pg->sized = clock_ms();
	PQclear(r);
}

static struct value size_of(const struct postgres *pg, const char *database)
{
	for (size_t i = 0; database && i < pg->n_databases; i++)
		if (!strcmp(pg->databases[i].name, database))
			return pg->databases[i].size >= 0 ? value_int(pg->databases[i].size) : value_unknown();
	return value_unknown();
}

static void figure(struct snapshot *s, const char *name, const PGresult *r, enum basic column)
{
	snapshot_figure(s, kind_postgres.figures, name, cell(r, 0, (int)column, VALUE_INT));
}

static void take_figures(struct snapshot *s, const struct postgres *pg, const PGresult *r)
{
	bool standby = PQgetvalue(r, 0, IN_RECOVERY)[0] == 't';

	figure(s, "connections", r, CONNECTIONS);
	figure(s, "connections_max", r, CONNECTIONS_MAX);
	figure(s, "longest_transaction", r, LONGEST);
	figure(s, "idle_in_transaction", r, IDLE_IN_TRANSACTION);
	figure(s, "lock_waits", r, LOCK_WAITS);
	figure(s, "slots", r, SLOTS);
	figure(s, "slot_retained", r, SLOT_RETAINED);
	figure(s, "replication_lag_bytes", r, LAG_BYTES);
	figure(s, "replication_lag", r, LAG_MS);
	snapshot_figure(s, kind_postgres.figures, "role", value_text(standby ? "standby" : "primary"));
	snapshot_figure(s, kind_postgres.figures, "database_size", size_of(pg, PQgetvalue(r, 0, DATABASE)));
}

static void judge_connections(struct snapshot *s, const PGresult *r)
{
	int64_t used, most, reserved, free_ones;

	if (!number(r, CONNECTIONS, &used) || !number(r, CONNECTIONS_MAX, &most) || !number(r, RESERVED, &reserved))
		return;
	free_ones = most - reserved;
	if (used >= free_ones)
		snapshot_health(s, LINK_BAD, s->health.source, "max_connections reached: %lld of %lld are taken, %lld of them reserved",
			(long long)used, (long long)most, (long long)reserved);
	else if (used * 10 >= free_ones * 8)
		snapshot_finding(s, "connections", SEVERITY_WARNING, "close idle clients, or raise max_connections",
			"%lld of %lld connections are taken", (long long)used, (long long)free_ones);
}

static void find_long_transaction(struct snapshot *s, const PGresult *r)
{
	char span[CLOCK_TEXT];
	int64_t longest;

	if (number(r, LONGEST, &longest) && longest > TRANSACTION_LONG)
		snapshot_finding(s, "transaction", SEVERITY_WARNING, "see the activity table; pg_terminate_backend(pid) ends it",
			"a transaction has been open for %s: vacuum cannot clean what it may still see", clock_span(span, longest));
}

static void take_slots(struct snapshot *s, const PGresult *r)
{
	struct table *t = take_table(s, "slots", r);

	for (size_t i = 0; i < t->n_rows; i++) {
		struct value name = table_get(t, i, "slot"), active = table_get(t, i, "active"), retained = table_get(t, i, "retained");
		struct value status = table_get(t, i, "wal_status");
		char size[VALUE_TEXT_SIZE];

		if (status.type == VALUE_TEXT && !strcmp(status.u.s, "lost"))
			snapshot_finding(s, "slot", SEVERITY_WARNING, "its consumer must be set up anew", "replication slot %s is lost", name.u.s);
		else if (active.type == VALUE_BOOL && !active.u.b && retained.type == VALUE_INT && retained.u.i > slot_large)
			snapshot_finding(s, "slot", SEVERITY_WARNING, "start its consumer, or drop the slot",
				"nobody reads replication slot %s, which keeps %s of WAL",
				name.u.s, value_show(size, retained, UNIT_BYTES));
	}
}

static void take_databases(struct snapshot *s, const struct postgres *pg, const PGresult *r)
{
	struct table *t = take_table(s, "databases", r);

	for (size_t i = 0; i < t->n_rows; i++) {
		struct value name = table_get(t, i, "database"), age = table_get(t, i, "xid_age");

		table_set(s, t, &t->cells[i * t->n_columns], "size", size_of(pg, name.type == VALUE_TEXT ? name.u.s : NULL));
		if (age.type == VALUE_INT && age.u.i > XID_AGE_HIGH)
			snapshot_finding(s, "wraparound", SEVERITY_WARNING, "VACUUM FREEZE",
				"%s is %lld transactions old: at 2,144,483,647 it stops writing",
				name.type == VALUE_TEXT ? name.u.s : "a database", (long long)age.u.i);
	}
}

static void take_tables(struct probe *p, struct postgres *pg, struct snapshot *s)
{
	PGresult *r;

	if ((r = ask(p, pg, ASK_ACTIVITY, &s->err)))
		take_table(s, "activity", r);
	PQclear(r);
	if ((r = ask(p, pg, ASK_DATABASES, &s->err)))
		take_databases(s, pg, r);
	PQclear(r);
	if ((r = ask(p, pg, ASK_REPLICATION, &s->err)))
		take_table(s, "replication", r);
	PQclear(r);
	if ((r = ask(p, pg, ASK_SLOTS, &s->err)))
		take_slots(s, r);
	PQclear(r);
}

static void take_iceberg(struct probe *p, struct postgres *pg, struct snapshot *s, const PGresult *basic)
{
	PGresult *r = PQgetvalue(basic, 0, HAS_ICEBERG)[0] == 't' ? ask(p, pg, ASK_ICEBERG, &s->err) : NULL;

	if (r)
		snapshot_figure(s, kind_postgres.figures, "iceberg_tables", cell(r, 0, 0, VALUE_INT));
	PQclear(r);
}

/* ---- the kind ---- */

static void say_version(struct probe *p, const struct postgres *pg, struct identity *who, int64_t begun)
{
	char version[NAME_SIZE]; /* of "15.18 (Debian 15.18-0+deb12u1)" */

	text_copy(version, sizeof version, text_until(text_of(PQparameterStatus(pg->session.conn, "server_version")), ' '));
	identity_say(p, who, &kind_postgres, NULL, SURE_EXACT, version[0] ? version : NULL, "server_version of the session",
		asked_in(p, "session", begun));
}

static enum answered identify(struct probe *p, struct identity *who)
{
	struct postgres *pg = state_of(p);
	struct err err = {0};
	int64_t begun = clock_ms();
	enum answered answered = hello(p, pg, &err);

	if (answered == ANSWERED_REFUSED)
		postgres_gone(&pg->session);
	if (answered != ANSWERED_YES)
		return answered;
	identity_say(p, who, &kind_postgres, NULL, SURE_UNKNOWN, NULL, NULL,
		asked_in(p, pg->old ? "SSLRequest" : "GSSENCRequest", begun));
	if (p->credentials.user && postgres_session(p, &pg->session, &err))
		say_version(p, pg, who, begun);
	return ANSWERED_YES;
}

static enum answered pulse(struct probe *p, struct identity *who)
{
	struct postgres *pg = state_of(p);
	struct err err = {0};
	int64_t begun = clock_ms();
	enum answered answered;
	bool stopped = pg->session.stops, pong;

	postgres_state(p, &pg->session);
	pong = pg->session.conn && ping(p, pg, &err);
	p->turned = pg->session.stops != stopped;
	if (pong && pg->session.conn && !who->version)
		say_version(p, pg, who, begun);
	if (pong)
		return ANSWERED_YES;
	if (err.code == ERR_TIMEOUT)
		return ANSWERED_MUTE;
	answered = hello(p, pg, &err);
	if (answered == ANSWERED_REFUSED)
		postgres_gone(&pg->session);
	return answered;
}

/* It answers, and there is no session: full and not ready are its own words; a refusal says nothing of its health. */
static bool no_session(struct snapshot *s, const struct postgres *pg)
{
	bool told = s->err.code != ERR_NONE && s->err.code != ERR_AUTH;

	snapshot_health(s, told ? LINK_BAD : LINK_UNKNOWN, "login", "%s", s->err.words);
	if (told && pg->session.refusal != POSTGRES_BROKEN)
		s->err = (struct err){0};
	return s->err.code == ERR_NONE;
}

/* Without figures: too old for our statements, or the session broke just now. */
static bool no_figures(struct snapshot *s, const struct postgres *pg)
{
	if (s->err.code == ERR_NONE)
		snapshot_health(s, LINK_OK, "login", "takes a session; what is asked of it needs PostgreSQL 12 or later");
	else
		snapshot_health(s, LINK_BAD, "SELECT", "%s", s->err.words);
	return pg->session.conn != NULL;
}

/* It answers, and takes no new client: by its own word, with or without a login of ours. */
static bool is_closed(struct probe *p, struct postgres *pg, struct snapshot *s)
{
	enum postgres_state state = postgres_state(p, &pg->session);
	const char *source = pg->session.told ? "postmaster.pid" : "session";
	int n = state == POSTGRES_STOPS ? postgres_count_sessions(p) : 0;

	if (state != POSTGRES_STOPS && state != POSTGRES_STARTS)
		return false;
	s->err = (struct err){0};
	if (n > 0)
		snapshot_health(s, LINK_BAD, source, "is shutting down, waits for %d client%s", n, n == 1 ? "" : "s");
	else if (n < 0 && pg->left > 0)
		snapshot_health(s, LINK_BAD, source, "is shutting down, waited for %d client%s when laketop left", pg->left, pg->left == 1 ? "" : "s");
	else
		snapshot_health(s, LINK_BAD, source, "is %s", state == POSTGRES_STOPS ? "shutting down" : "starting up");
	s->health.definite = state == POSTGRES_STOPS;
	return true;
}

static bool inspect(struct probe *p, struct snapshot *s)
{
	struct postgres *pg = state_of(p);
	int64_t begun = clock_ms();
	PGresult *basic;

	if (hello(p, pg, &s->err) != ANSWERED_YES) {
		if (s->err.code == ERR_NONE)
			err_set(&s->err, ERR_PROTOCOL, "takes a new connection and does not answer on it");
		snapshot_health(s, s->err.code == ERR_SYSTEM ? LINK_UNKNOWN : LINK_BAD, "GSSENCRequest", "%s", s->err.words);
		return false;
	}
	if (is_closed(p, pg, s))
		return true;
	if (p->withheld) {
		snapshot_health(s, LINK_UNKNOWN, "owner of its port", "no login: who holds its port does not look like PostgreSQL");
		return true;
	}
	if (!p->credentials.user) {
		snapshot_health(s, LINK_UNKNOWN, "profile", "not asked: no user is named");
		return true;
	}
	if (!postgres_session(p, &pg->session, &s->err))
		return is_closed(p, pg, s) || no_session(s, pg);
	basic = PQserverVersion(pg->session.conn) < OLDEST_ASKED ? NULL : ask(p, pg, ASK_FIGURES, &s->err);
	if (!basic)
		return no_figures(s, pg);
	snapshot_health(s, LINK_OK, asked_in(p, "SELECT", begun), "answers queries%s",
		PQgetvalue(basic, 0, IN_RECOVERY)[0] == 't' ? " as a standby" : "");
	take_sizes(p, pg, &s->err);
	take_figures(s, pg, basic);
	judge_connections(s, basic);
	find_long_transaction(s, basic);
	take_iceberg(p, pg, s, basic);
	take_tables(p, pg, s);
	pg->may_read = PQgetvalue(basic, 0, MAY_READ)[0] == 't';
	PQclear(basic);
	if (!pg->may_read && s->health.state == LINK_OK) /* the last free slot is another's as soon as we leave ours */
		postgres_renew(&pg->session);
	return true;
}

/* It listens for nothing else. */
static const char *role_of(struct text hint, uint16_t port)
{
	(void)hint;
	(void)port;
	return "server";
}

static void close_state(void *state)
{
	struct postgres *pg = state;

	if (!pg)
		return;
	postgres_hang_up(&pg->session);
	free(pg);
}

const struct service_kind kind_postgres = {
	.name = "postgres",
	.title = "PostgreSQL",
	.group = "storage",
	.ports = (const struct port_role[]){{"server", 5432, PORT_ASK, 0}, {0}},
	.owners_are_all = true,
	.owners = (const char *const[]){"postgres -", "postgres: ", "postmaster -", NULL} /* a client's "jdbc:postgresql" is none */,
	.figures = (const struct figure_spec[]){
		{"iceberg_tables", "tables", UNIT_COUNT, FIGURE_ROW,
			"tables of the Iceberg JDBC catalog in the database asked; views not counted"},
		{"connections", "conns", UNIT_COUNT, FIGURE_ROW | FIGURE_HISTORY, "client sessions of all databases, laketop's own too"},
		{"connections_max", "max conns", UNIT_COUNT, 0, "max_connections, with those reserved for superusers"},
		{"database_size", "", UNIT_BYTES, FIGURE_ROW, "size on disk of the database asked; looked at once a minute"},
		{"longest_transaction", "longest transaction", UNIT_MS, 0, "age of the oldest open transaction of another client; 0: none"},
		{"idle_in_transaction", "idle in transaction", UNIT_COUNT, 0, "clients that hold a transaction open and do nothing"},
		{"lock_waits", "waiting for locks", UNIT_COUNT, FIGURE_HISTORY, "clients that wait for another's lock"},
		{"replication_lag_bytes", "replication lag", UNIT_BYTES, FIGURE_HISTORY,
			"of the slowest receiver; of itself on a standby. Unknown without replication"},
		{"replication_lag", "replication delay", UNIT_MS, 0, "the same lag as time"},
		{"slots", "slots", UNIT_COUNT, 0, "replication slots"},
		{"slot_retained", "WAL kept for slots", UNIT_BYTES, 0, "WAL that the furthest behind slot holds back"},
		{"role", "", UNIT_NONE, 0, "primary or standby"},
		{0}},
	.tables = (const struct table_spec[]){
		{"activity", "client sessions, oldest transaction first; never their queries", (const struct column_spec[]){
			{"pid", VALUE_INT, UNIT_NONE, 0, "process of the server"},
			{"user", VALUE_TEXT, UNIT_NONE, 0, "role"},
			{"database", VALUE_TEXT, UNIT_NONE, 1, "database"},
			{"application", VALUE_TEXT, UNIT_NONE, 1, "application_name"},
			{"state", VALUE_TEXT, UNIT_NONE, 0, "active, idle, idle in transaction"},
			{"age", VALUE_INT, UNIT_MS, 0, "since the transaction began; since it is idle where there is none"},
			{"waiting", VALUE_TEXT, UNIT_NONE, 2, "what kind of thing it waits for"},
			{"client", VALUE_TEXT, UNIT_NONE, 3, "address"},
			{0}}},
		{"databases", "databases of this server", (const struct column_spec[]){
			{"database", VALUE_TEXT, UNIT_NONE, 0, "name"},
			{"connections", VALUE_INT, UNIT_COUNT, 0, "sessions"},
			{"size", VALUE_INT, UNIT_BYTES, 0, "on disk; once a minute"},
			{"commits", VALUE_INT, UNIT_COUNT, 1, "since the statistics were reset"},
			{"rollbacks", VALUE_INT, UNIT_COUNT, 1, "since the statistics were reset"},
			{"deadlocks", VALUE_INT, UNIT_COUNT, 2, "since the statistics were reset"},
			{"temp_bytes", VALUE_INT, UNIT_BYTES, 3, "spilled to disk by queries"},
			{"xid_age", VALUE_INT, UNIT_COUNT, 3, "transactions since the oldest unfrozen row; writing stops at 2,144,483,647"},
			{0}}},
		{"replication", "who receives WAL from here", (const struct column_spec[]){
			{"application", VALUE_TEXT, UNIT_NONE, 0, "application_name of the receiver"},
			{"client", VALUE_TEXT, UNIT_NONE, 1, "address"},
			{"state", VALUE_TEXT, UNIT_NONE, 0, "streaming, catchup, startup"},
			{"sync", VALUE_TEXT, UNIT_NONE, 2, "async, sync, potential, quorum"},
			{"lag_bytes", VALUE_INT, UNIT_BYTES, 0, "written here and not yet replayed there"},
			{"lag", VALUE_INT, UNIT_MS, 1, "the same as time; unknown while idle"},
			{0}}},
		{"slots", "replication slots", (const struct column_spec[]){
			{"slot", VALUE_TEXT, UNIT_NONE, 0, "name"},
			{"type", VALUE_TEXT, UNIT_NONE, 1, "physical or logical"},
			{"database", VALUE_TEXT, UNIT_NONE, 2, "of a logical one"},
			{"active", VALUE_BOOL, UNIT_NONE, 0, "somebody reads it"},
			{"retained", VALUE_INT, UNIT_BYTES, 0, "WAL that it holds back"},
			{"wal_status", VALUE_TEXT, UNIT_NONE, 1, "reserved, extended, unreserved, lost"},
			{0}}},
		{0}},
	.role_of = role_of,
	.identify = identify,
	.pulse = pulse,
	.inspect = inspect,
	.close = close_state,
};
