// SPDX-License-Identifier: MIT
/* PostgreSQL: what it says without a session, and how seldom it is asked for one that it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>
#include <stdatomic.h>

#include "../../backend/services/kinds.h"
#include "../../backend/services/postgres_session.h"
#include "fixture_bytes.h"
#include "fixture_server.h"

/* ---- reading ---- */

static void one_byte_is_its_greeting_and_more_is_not(void **state)
{
	(void)state;
	assert_int_equal(postgres_parse_hello(TEXT("G")), POSTGRES_IS); /* 15.18 of Debian, built with GSSAPI */
	assert_int_equal(postgres_parse_hello(TEXT("N")), POSTGRES_IS);
	assert_int_equal(postgres_parse_hello(TEXT("S")), POSTGRES_IS);
	assert_int_equal(postgres_parse_hello(TEXT("")), POSTGRES_NOT);
	assert_int_equal(postgres_parse_hello(TEXT("H")), POSTGRES_NOT);
	assert_int_equal(postgres_parse_hello(TEXT("No")), POSTGRES_NOT);
	assert_int_equal(postgres_parse_hello(TEXT("HTTP/1.1 400 Bad Request\r\n")), POSTGRES_NOT);
}

static void one_from_before_12_says_that_it_does_not_know_the_question(void **state)
{
	static const char answer[] = "E\0\0\0\x7fSFATAL\0C0A000\0Munsupported frontend protocol 1234.5680: server supports 2.0 to 3.0\0";

	(void)state;
	assert_int_equal(postgres_parse_hello((struct text){answer, sizeof answer - 1}), POSTGRES_OLD);
}

static void failure_is(const char *message, const char *sqlstate, const char *words, enum postgres_refusal refusal)
{
	struct postgres_failure f;
	char got[256];

	postgres_parse_failure(text_of(message), &f);
	assert_string_equal(f.sqlstate, sqlstate);
	assert_string_equal(text_copy(got, sizeof got, f.words), words);
	assert_int_equal(postgres_refusal(&f), refusal);
}

static void the_code_decides_and_not_the_words_which_may_be_translated(void **state)
{
	(void)state;
	/* libpq 15.18, verbose, of a 15.18 server */
	failure_is("connection to server at \"127.0.0.1\", port 5432 failed: FATAL:  28P01: password authentication failed for user \"lake\"\n"
		"LOCATION:  auth_failed, auth.c:338\n", "28P01", "password authentication failed for user \"lake\"", POSTGRES_REFUSES);
	failure_is("connection to server at \"127.0.0.1\", port 5432 failed: FATAL:  3D000: database \"nosuch\" does not exist\n",
		"3D000", "database \"nosuch\" does not exist", POSTGRES_REFUSES);
	failure_is("connection to server at \"127.0.0.1\", port 5432 failed: FATAL:  53300: remaining connection slots are reserved\n",
		"53300", "remaining connection slots are reserved", POSTGRES_FULL);
	failure_is("connection to server at \"127.0.0.1\", port 5432 failed: FATAL:  57P03: the database system is starting up\n",
		"57P03", "the database system is starting up", POSTGRES_NOT_READY);
	failure_is("Verbindung fehlgeschlagen: FATAL:  28000: kein pg_hba.conf-Eintrag\n", "28000", "kein pg_hba.conf-Eintrag",
		POSTGRES_REFUSES);
}

static void a_failure_without_a_code_is_libpqs_own(void **state)
{
	(void)state;
	failure_is("connection to server at \"127.0.0.1\", port 5432 failed: fe_sendauth: no password supplied\n", "",
		"connection to server at \"127.0.0.1\", port 5432 failed: fe_sendauth: no password supplied", POSTGRES_REFUSES);
	failure_is("connection to server at \"127.0.0.1\", port 5432 failed: Connection refused\n", "",
		"connection to server at \"127.0.0.1\", port 5432 failed: Connection refused", POSTGRES_BROKEN);
	failure_is("", "", "", POSTGRES_BROKEN);
}

/* Of 15.20. */
static const char lock[] = "883\n/var/lib/postgresql/15/main\n1796016805\n5432\n/var/run/postgresql\n127.0.0.1\n  3416509    655369\n";

static enum postgres_state lock_says(const char *state, uint16_t port)
{
	char file[300];

	snprintf(file, sizeof file, "%s%s", lock, state);
	return postgres_parse_lock(text_of(file), port);
}

static void its_lock_file_tells_whether_it_takes_clients(void **state)
{
	(void)state;
	assert_int_equal(lock_says("ready   \n", 5432), POSTGRES_RUNS);
	assert_int_equal(lock_says("standby \n", 5432), POSTGRES_RUNS);
	assert_int_equal(lock_says("starting\n", 5432), POSTGRES_STARTS);
	assert_int_equal(lock_says("stopping\n", 5432), POSTGRES_STOPS);
	assert_int_equal(lock_says("stopping\n", 5433), POSTGRES_UNTOLD); /* another server's */
	assert_int_equal(lock_says("", 5432), POSTGRES_UNTOLD); /* it is being written */
	assert_int_equal(lock_says("stop", 5432), POSTGRES_UNTOLD);
}

static void a_session_is_told_from_what_else_the_server_runs(void **state)
{
	(void)state;
	assert_true(postgres_is_session(TEXT("postgres: lake iceberg_catalog 127.0.0.1(50642) idle  \0\0")));
	assert_true(postgres_is_session(TEXT("postgres: 15/main: postgres postgres [local] idle")));
	assert_true(postgres_is_session(TEXT("postgres: lake walsender ::1(50642) SELECT")));
	assert_false(postgres_is_session(TEXT("postgres: 15/main: walsender lake 127.0.0.1(50642) streaming 0/3000148")));
	assert_false(postgres_is_session(TEXT("postgres: walsender lake 127.0.0.1(50642) streaming 0/3000148")));
	assert_false(postgres_is_session(TEXT("postgres: checkpointer ")));
	assert_false(postgres_is_session(TEXT("postgres: 15/main: autovacuum worker iceberg_catalog")));
	assert_false(postgres_is_session(TEXT("postgres: parallel worker for PID 909")));
	assert_false(postgres_is_session(TEXT("psql lake 127.0.0.1(50642)")));
	assert_false(postgres_is_session(TEXT("postgres: (1) x( y() z)")));
}

static void read_garbage(struct text bytes)
{
	struct postgres_failure f;

	postgres_parse_hello(bytes);
	postgres_parse_failure(bytes, &f);
	postgres_refusal(&f);
	postgres_parse_lock(bytes, 5432);
	postgres_is_session(bytes);
}

static void garbage_ends_in_peace(void **state)
{
	(void)state;
	fuzz(TEXT("connection to server at \"::1\", port 5432 failed: FATAL:  28P01: password authentication failed for user \"lake\"\nLOCATION:  x\n"),
		read_garbage);
	fuzz(TEXT("E\0\0\0\x7fSFATAL\0C0A000\0Munsupported frontend protocol 1234.5680\0"), read_garbage);
	fuzz(text_of(lock), read_garbage);
	fuzz(TEXT("postgres: 15/main: lake iceberg_catalog 127.0.0.1(50642) idle"), read_garbage);
}

/* ---- a server that refuses ---- */

struct server {
	const char *sqlstate, *words; /* of every login; NULL: it lets everybody in */
	enum { LETS_IN, WANTS_CLEAR, WANTS_CLEAR_AFTER_SCRAM } wants;
	atomic_uint greetings, tls, logins, questions, told; /* told: the password, as it is */
};

static void error(struct buf *out, const struct server *s)
{
	char fields[256];
	int len = snprintf(fields, sizeof fields, "SFATAL%cVFATAL%cC%s%cM%s%c%c", 0, 0, s->sqlstate, 0, s->words, 0, 0);
	const unsigned char head[5] = {'E', 0, 0, 0, (unsigned char)(len + 4)};

	buf_add(out, head, 5);
	buf_add(out, fields, (size_t)len);
}

static bool answer(void *ctx, struct text q, struct buf *out)
{
	struct server *s = ctx;
	static const char welcome[] = "R\0\0\0\x08\0\0\0\0" "S\0\0\0\x32server_version\0" "15.18 (Debian 15.18-0+deb12u1)\0"
		"Z\0\0\0\x05I", clear[] = "R\0\0\0\x08\0\0\0\x03", sasl[] = "R\0\0\0\x17\0\0\0\x0a" "SCRAM-SHA-256\0";

	if (q.len == 8 && q.at[7] == 0x30) { /* GSSENCRequest */
		atomic_fetch_add(&s->greetings, 1);
		return buf_puts(out, "N");
	}
	if (q.len == 8 && q.at[7] == 0x2f) { /* SSLRequest */
		atomic_fetch_add(&s->tls, 1);
		return buf_puts(out, "N");
	}
	if (q.at[0] == 0) { /* a startup packet */
		atomic_fetch_add(&s->logins, 1);
		if (s->wants == WANTS_CLEAR_AFTER_SCRAM)
			buf_add(out, sasl, sizeof sasl - 1);
		if (s->sqlstate)
			error(out, s);
		else if (s->wants)
			buf_add(out, clear, sizeof clear - 1);
		else
			buf_add(out, welcome, sizeof welcome - 1);
		return !s->sqlstate;
	}
	if (q.at[0] == 'p') {
		if (text_has(q, "right")) {
			atomic_fetch_add(&s->told, 1);
			buf_add(out, welcome, sizeof welcome - 1);
		}
		return true;
	}
	if (q.at[0] == 'Q') {
		atomic_fetch_add(&s->questions, 1);
		buf_add(out, "I\0\0\0\x04Z\0\0\0\x05I", 11); /* to an empty question */
	}
	return q.at[0] == 'Q';
}

struct asked {
	struct fake_server *server;
	struct fake_probe probe;
	struct identity who;
};

static void ask(struct asked *a, struct server *s, const char *user, const char *password, int64_t started)
{
	a->server = fake_server_start(answer, s);
	fake_probe_begin(&a->probe, fake_server_at(a->server), 60000);
	a->probe.p.credentials = (struct credentials){.user = user, .password = password, .database = "iceberg_catalog"};
	a->probe.p.owner_started = started;
	a->who = (struct identity){0};
	assert_int_equal(kind_postgres.identify(&a->probe.p, &a->who), ANSWERED_YES);
	assert_ptr_equal(a->who.kind, &kind_postgres);
}

static void inspect_again(struct asked *a)
{
	snapshot_unref(a->probe.s);
	a->probe.s = snapshot_new("test", PART_DEPTH);
	a->probe.p.arena = a->probe.s->arena;
	kind_postgres.inspect(&a->probe.p, a->probe.s);
}

static void done(struct asked *a)
{
	kind_postgres.close(a->probe.p.state);
	fake_probe_end(&a->probe);
	fake_server_stop(a->server);
}

static void without_a_user_nobody_logs_in_and_the_version_stays_unknown(void **state)
{
	struct server s = {.sqlstate = "28000", .words = "no"};
	struct asked a;

	(void)state;
	ask(&a, &s, NULL, NULL, 0);
	inspect_again(&a);
	assert_int_equal(a.who.sure, SURE_UNKNOWN);
	assert_null(a.who.version);
	assert_int_equal(a.probe.s->health.state, LINK_UNKNOWN);
	assert_int_equal(s.logins, 0);
	assert_int_equal(s.tls, 0); /* hanging up on an S would leave a line in its log */
	done(&a);
}

static void a_refused_credential_is_tried_once_and_is_not_down(void **state)
{
	struct server s = {.sqlstate = "28P01", .words = "password authentication failed for user \"lake\""};
	struct asked a;

	(void)state;
	ask(&a, &s, "lake", "wrong", 0);
	for (unsigned i = 0; i < 3; i++) {
		inspect_again(&a);
		assert_int_equal(a.probe.s->health.state, LINK_UNKNOWN);
		assert_int_equal(a.probe.s->err.code, ERR_AUTH);
		assert_string_equal(a.probe.s->health.words, "refuses lake: password authentication failed for user \"lake\"");
		assert_int_equal(kind_postgres.pulse(&a.probe.p, &a.who), ANSWERED_YES);
	}
	assert_int_equal(s.logins, 1);
	done(&a);
}

static void without_a_password_it_says_that_one_is_asked_for(void **state)
{
	struct server s = {.sqlstate = "28P01", .words = "password authentication failed for user \"lake\""};
	struct asked a;

	(void)state;
	ask(&a, &s, "lake", NULL, 0);
	inspect_again(&a);
	assert_string_equal(a.probe.s->health.words, "asks for a password it does not get: refuses lake");
	done(&a);
}

static void another_credential_or_another_server_is_tried(void **state)
{
	struct server s = {.sqlstate = "28P01", .words = "no"};
	struct asked a;

	(void)state;
	ask(&a, &s, "lake", "wrong", clock_wall_ms() - 3600000);
	clock_freeze(clock_ms() + 6000, clock_wall_ms()); /* past the time between two logins */
	a.probe.p.wait = wait_for(60000, -1);
	inspect_again(&a);
	assert_int_equal(s.logins, 1);
	a.probe.p.credentials.password = "also wrong";
	inspect_again(&a);
	assert_int_equal(s.logins, 2);
	clock_freeze(clock_ms() + 6000, clock_wall_ms());
	a.probe.p.wait = wait_for(60000, -1);
	a.probe.p.owner_started += 1000; /* it was started anew */
	inspect_again(&a);
	assert_int_equal(s.logins, 3);
	clock_freeze(-1, -1);
	done(&a);
}

static void a_server_of_a_moment_ago_is_not_asked_for_a_login_yet(void **state)
{
	struct server s = {.sqlstate = "28P01", .words = "role \"lake\" does not exist"};
	struct asked a;

	(void)state;
	ask(&a, &s, "lake", "right", clock_wall_ms() - 500);
	inspect_again(&a);
	assert_int_equal(s.logins, 0);
	assert_int_equal(a.probe.s->health.state, LINK_UNKNOWN);
	assert_int_equal(a.probe.s->err.code, ERR_NONE);
	done(&a);
}

static void no_slot_left_is_bad_and_is_asked_again_but_not_at_once(void **state)
{
	struct server s = {.sqlstate = "53300", .words = "sorry, too many clients already"};
	struct asked a;

	(void)state;
	ask(&a, &s, "lake", "right", 0);
	inspect_again(&a);
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	assert_string_equal(a.probe.s->health.words, "max_connections reached: sorry, too many clients already");
	assert_int_equal(s.logins, 1);
	clock_freeze(clock_ms() + 6000, clock_wall_ms());
	a.probe.p.wait = wait_for(60000, -1);
	inspect_again(&a);
	assert_int_equal(s.logins, 2);
	clock_freeze(-1, -1);
	done(&a);
}

static void one_that_starts_up_says_so(void **state)
{
	struct server s = {.sqlstate = "57P03", .words = "the database system is starting up"};
	struct asked a;

	(void)state;
	ask(&a, &s, "lake", "right", 0);
	inspect_again(&a);
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	assert_string_equal(a.probe.s->health.words, "the database system is starting up");
	done(&a);
}

static const char *lock_word; /* NULL: not for us */

static uint16_t lock_port;

static bool read_beside(struct host *h, pid_t pid, const char *name, struct buf *out, struct err *err)
{
	(void)h;
	(void)err;
	assert_int_equal(pid, 883);
	assert_string_equal(name, "postmaster.pid");
	return lock_word && buf_printf(out, "883\n/d\n1796016805\n%u\n/r\n127.0.0.1\n 1 2\n%s\n", (unsigned)lock_port, lock_word);
}

static bool two_children(struct host *h, pid_t pid, void (*each)(void *ctx, struct text words), void *ctx, struct err *err)
{
	(void)h;
	(void)err;
	assert_int_equal(pid, 883);
	each(ctx, TEXT("postgres: checkpointer "));
	each(ctx, TEXT("postgres: lake iceberg_catalog 127.0.0.1(50642) idle"));
	each(ctx, TEXT("postgres: lake iceberg_catalog 127.0.0.1(50644) idle"));
	return true;
}

/* Its process is seen, with what it says. */
static void see(struct asked *a, struct host *host, const char *word)
{
	*host = *a->probe.host;
	host->read_beside = read_beside;
	host->children = two_children;
	lock_port = a->probe.p.at.port;
	lock_word = word;
	a->probe.p.host = host;
	a->probe.p.owner = 883;
}

static void one_that_shuts_down_is_not_held_up_and_does_not_serve(void **state)
{
	struct server s = {0};
	struct host host;
	struct asked a;

	(void)state;
	ask(&a, &s, "lake", "right", 1000);
	see(&a, &host, "ready");
	assert_int_equal(kind_postgres.pulse(&a.probe.p, &a.who), ANSWERED_YES);
	assert_int_equal(s.questions, 1);
	assert_false(a.probe.p.turned);
	lock_word = "stopping";
	assert_int_equal(kind_postgres.pulse(&a.probe.p, &a.who), ANSWERED_YES);
	assert_true(a.probe.p.turned);
	assert_int_equal(s.questions, 1); /* the session is ended: it is greeted only */
	inspect_again(&a);
	assert_int_equal(s.logins, 1);
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	assert_true(a.probe.s->health.definite);
	assert_string_equal(a.probe.s->health.words, "is shutting down, waits for 2 clients");
	assert_string_equal(a.probe.s->health.source, "postmaster.pid");
	lock_word = NULL; /* it is removed at the end: what was seen holds for that server */
	inspect_again(&a);
	assert_int_equal(s.logins, 1);
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	a.probe.p.owner_started = 2000; /* another one */
	inspect_again(&a);
	assert_int_equal(s.logins, 2);
	lock_word = "starting";
	kind_postgres.close(a.probe.p.state);
	a.probe.p.state = NULL;
	inspect_again(&a);
	assert_int_equal(s.logins, 2);
	assert_string_equal(a.probe.s->health.words, "is starting up");
	assert_false(a.probe.s->health.definite);
	a.probe.p.host = a.probe.host;
	done(&a);
}

static void a_login_that_is_refused_by_a_shutdown_is_the_last_one(void **state)
{
	struct server s = {.sqlstate = "57P03", .words = "the database system is shutting down"};
	struct asked a;

	(void)state;
	ask(&a, &s, "lake", "right", 1000);
	for (unsigned i = 0; i < 3; i++) {
		inspect_again(&a);
		assert_int_equal(a.probe.s->health.state, LINK_BAD);
		assert_true(a.probe.s->health.definite);
		assert_string_equal(a.probe.s->health.words, "is shutting down");
		clock_freeze(clock_ms() + 70000, clock_wall_ms());
		a.probe.p.wait = wait_for(60000, -1);
	}
	assert_int_equal(s.logins, 1);
	a.probe.p.owner_started = 0; /* whether it is still that one is not seen: asked once a minute */
	inspect_again(&a);
	inspect_again(&a);
	assert_int_equal(s.logins, 2);
	clock_freeze(-1, -1);
	done(&a);
}

static void a_session_that_nothing_else_speaks_for_is_begun_anew_once_a_minute(void **state)
{
	struct postgres_session session = {0};
	struct server s = {0};
	struct err err = {0};
	struct host host;
	struct asked a;

	(void)state;
	ask(&a, &s, NULL, NULL, 1000);
	a.probe.p.credentials = (struct credentials){.user = "lake", .password = "right"};
	assert_true(postgres_session(&a.probe.p, &session, &err));
	postgres_renew(&session);
	assert_non_null(session.conn);
	clock_freeze(clock_ms() + 61000, clock_wall_ms());
	a.probe.p.wait = wait_for(60000, -1);
	postgres_renew(&session);
	assert_null(session.conn);
	assert_true(postgres_session(&a.probe.p, &session, &err));
	assert_int_equal(s.logins, 2);
	clock_freeze(clock_ms() + 61000, clock_wall_ms());
	see(&a, &host, "ready");
	assert_true(postgres_session(&a.probe.p, &session, &err));
	postgres_renew(&session);
	assert_non_null(session.conn); /* its lock file tells */
	postgres_hang_up(&session);
	clock_freeze(-1, -1);
	a.probe.p.host = a.probe.host;
	done(&a);
}

static void a_session_tells_the_exact_version_and_is_kept(void **state)
{
	struct server s = {0};
	struct asked a;

	(void)state;
	ask(&a, &s, "lake", "right", 0);
	assert_int_equal(a.who.sure, SURE_EXACT);
	assert_string_equal(a.who.version, "15.18");
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(kind_postgres.pulse(&a.probe.p, &a.who), ANSWERED_YES);
	assert_int_equal(s.logins, 1);
	assert_int_equal(s.questions, 3);
	assert_int_equal(s.greetings, 1);
	done(&a);
}

static void the_password_itself_is_only_for_who_is_known_to_be_right(void **state)
{
	struct server s = {.wants = WANTS_CLEAR};
	struct asked a;

	(void)state;
	ask(&a, &s, "lake", "right", 0);
	inspect_again(&a);
	assert_int_equal(s.logins, 1); /* not again and again */
	assert_int_equal(s.told, 0);
	assert_int_equal(a.probe.s->err.code, ERR_AUTH);
	assert_non_null(strstr(a.probe.s->err.words, "in clear"));
	assert_int_equal(a.probe.s->health.state, LINK_UNKNOWN);
	done(&a);

	s.wants = WANTS_CLEAR_AFTER_SCRAM; /* in one piece: what comes first is harmless */
	ask(&a, &s, "lake", "right", 0);
	assert_int_equal(s.told, 0);
	done(&a);

	s.wants = WANTS_CLEAR;
	a = (struct asked){.server = fake_server_start(answer, &s)};
	fake_probe_begin(&a.probe, fake_server_at(a.server), 60000);
	a.probe.p.credentials = (struct credentials){.user = "lake", .password = "right"};
	a.probe.p.holder = HOLDER_RIGHT;
	assert_int_equal(kind_postgres.identify(&a.probe.p, &a.who), ANSWERED_YES);
	assert_int_equal(s.told, 1);
	assert_string_equal(a.who.version, "15.18");
	done(&a);
}

static void who_looks_like_something_else_gets_no_login_at_all(void **state)
{
	struct server s = {0};
	struct asked a;

	(void)state;
	a = (struct asked){.server = fake_server_start(answer, &s)};
	fake_probe_begin(&a.probe, fake_server_at(a.server), 60000);
	a.probe.p.withheld = true; /* as the engine says it, with the credential gone */
	assert_int_equal(kind_postgres.identify(&a.probe.p, &a.who), ANSWERED_YES);
	inspect_again(&a);
	assert_int_equal(s.logins, 0);
	assert_int_equal(a.probe.s->health.state, LINK_UNKNOWN);
	assert_string_equal(a.probe.s->health.source, "owner of its port");
	done(&a);
}

/* ---- what is let through ---- */

static void vet_in_pieces(struct text bytes)
{
	unsigned char whole[700], part[700];
	struct postgres_vet once = {0};
	size_t used, len;

	if (bytes.len > sizeof whole - 9)
		return;
	len = postgres_vet(&once, (const unsigned char *)bytes.at, bytes.len, whole, &used);
	for (size_t cut = 1; cut < bytes.len; cut += 3) {
		struct postgres_vet v = {0};
		size_t n = 0;

		for (size_t at = 0, taken = 1; at < bytes.len && taken; at += taken)
			n += postgres_vet(&v, (const unsigned char *)bytes.at + at, cut < bytes.len - at ? cut : bytes.len - at, part + n, &taken);
		assert_int_equal(n, len);
		assert_memory_equal(part, whole, n);
		assert_int_equal(v.asks_clear, once.asks_clear);
		assert_int_equal(v.done, once.done);
	}
	assert_false(len >= 9 && whole[0] == 'R' && !memcmp(whole + 5, "\0\0\0\x03", 4));
}

static void a_request_for_the_password_in_clear_is_let_through_in_no_piece(void **state)
{
	static const char login[] = "R\0\0\0\x17\0\0\0\x0a" "SCRAM-SHA-256\0\0" "R\0\0\0\x08\0\0\0\0" "S\0\0\0\x09" "a\0b\0\0" "Z\0\0\0\x05I" "more";
	unsigned char out[sizeof login + 9];
	struct postgres_vet v = {0};
	size_t used;

	(void)state;
	assert_int_equal(postgres_vet(&v, (const unsigned char *)login, sizeof login - 1, out, &used), sizeof login - 1 - 4);
	assert_int_equal(used, sizeof login - 1 - 4); /* what follows the login is libpq's own */
	assert_true(v.done);
	assert_false(v.asks_clear);
	fuzz((struct text){login, sizeof login - 1}, vet_in_pieces);
	fuzz(TEXT("R\0\0\0\x08\0\0\0\x03" "R\0\0\0\x08\0\0\0\0"), vet_in_pieces);
}

/* The fault is ours: nothing is said of a server that was not asked. */
static void with_no_descriptors_left_nobody_is_mute_or_refuses(void **state)
{
	struct fake_probe probe;
	struct identity who = {0};
	struct rlimit before, none;
	enum answered answered;

	(void)state;
	fake_probe_begin(&probe, (struct endpoint){"127.0.0.1", 9}, 1000);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){3, before.rlim_max};
	setrlimit(RLIMIT_NOFILE, &none);
	answered = kind_postgres.identify(&probe.p, &who);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_int_equal(answered, ANSWERED_NOT_ASKED);
	kind_postgres.close(probe.p.state);
	fake_probe_end(&probe);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_byte_is_its_greeting_and_more_is_not),
		cmocka_unit_test(one_from_before_12_says_that_it_does_not_know_the_question),
		cmocka_unit_test(the_code_decides_and_not_the_words_which_may_be_translated),
		cmocka_unit_test(a_failure_without_a_code_is_libpqs_own),
		cmocka_unit_test(garbage_ends_in_peace),
		cmocka_unit_test(without_a_user_nobody_logs_in_and_the_version_stays_unknown),
		cmocka_unit_test(a_refused_credential_is_tried_once_and_is_not_down),
		cmocka_unit_test(without_a_password_it_says_that_one_is_asked_for),
		cmocka_unit_test(another_credential_or_another_server_is_tried),
		cmocka_unit_test(a_server_of_a_moment_ago_is_not_asked_for_a_login_yet),
		cmocka_unit_test(no_slot_left_is_bad_and_is_asked_again_but_not_at_once),
		cmocka_unit_test(one_that_starts_up_says_so),
		cmocka_unit_test(its_lock_file_tells_whether_it_takes_clients),
		cmocka_unit_test(a_session_is_told_from_what_else_the_server_runs),
		cmocka_unit_test(one_that_shuts_down_is_not_held_up_and_does_not_serve),
		cmocka_unit_test(a_login_that_is_refused_by_a_shutdown_is_the_last_one),
		cmocka_unit_test(a_session_that_nothing_else_speaks_for_is_begun_anew_once_a_minute),
		cmocka_unit_test(a_session_tells_the_exact_version_and_is_kept),
		cmocka_unit_test(the_password_itself_is_only_for_who_is_known_to_be_right),
		cmocka_unit_test(who_looks_like_something_else_gets_no_login_at_all),
		cmocka_unit_test(a_request_for_the_password_in_clear_is_let_through_in_no_piece),
		cmocka_unit_test(with_no_descriptors_left_nobody_is_mute_or_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
