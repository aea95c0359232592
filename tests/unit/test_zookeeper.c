// SPDX-License-Identifier: MIT
/* ZooKeeper: its words, its admin server, and that each is asked only in its own language. */
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
#include "../../backend/services/zookeeper.h"
#include "fixture_bytes.h"
#include "fixture_server.h"
#include "profile.h"

/* ---- reading ---- */

static bool is(struct text t, const char *s)
{
	return text_is(t, s);
}

static void srvr_tells_version_mode_and_load(void **state)
{
	struct zookeeper_srvr s;

	(void)state;
	assert_int_equal(zookeeper_parse_srvr(recorded("zookeeper-3.8.4/srvr.txt"), &s), ZOOKEEPER_SERVES);
	assert_true(is(s.version, "3.8.4"));
	assert_true(is(s.revision, "9316c2a7a97e1666d8f4593f34dd6fc36ecc436c"));
	assert_true(is(s.mode, "standalone"));
	assert_int_equal(s.nodes, 309);
	assert_int_equal(s.connections, 2);
	assert_int_equal(s.outstanding, 0);
	assert_int_equal(s.latency_max, 29);
	assert_float_equal(s.latency_avg, 1.1062, 0.00001);
}

static void one_without_a_quorum_is_itself_and_sick(void **state)
{
	struct zookeeper_srvr s;

	(void)state;
	assert_int_equal(zookeeper_parse_srvr(TEXT("This ZooKeeper instance is not currently serving requests\n"), &s), ZOOKEEPER_SICK);
	assert_int_equal(s.nodes, -1);
}

static void a_word_that_is_not_whitelisted_is_an_answer_of_itself(void **state)
{
	struct zookeeper_srvr s;

	(void)state;
	assert_int_equal(zookeeper_parse_srvr(recorded("zookeeper-3.8.4/not-whitelisted.txt"), &s), ZOOKEEPER_CLOSED);
}

static void others_that_know_the_words_are_not_zookeeper(void **state)
{
	struct zookeeper_srvr s;

	(void)state;
	assert_int_equal(zookeeper_parse_srvr(TEXT("ClickHouse Keeper version: v23.3\nMode: leader\n"), &s), ZOOKEEPER_NOT);
	assert_int_equal(zookeeper_parse_srvr(TEXT(""), &s), ZOOKEEPER_NOT);
	assert_int_equal(zookeeper_parse_srvr(recorded("zookeeper-3.8.4/admin-says-400.txt"), &s), ZOOKEEPER_HTTP);
}

static void numbers_that_are_none_are_unknown(void **state)
{
	struct zookeeper_srvr s;

	(void)state;
	assert_int_equal(zookeeper_parse_srvr(TEXT("Zookeeper version: 3.9.4, built\nLatency min/avg/max: 0/x/\nNode count: 99999999999999999999\n"), &s),
		ZOOKEEPER_SERVES);
	assert_true(is(s.version, "3.9.4"));
	assert_int_equal(s.nodes, -1);
	assert_int_equal(s.latency_max, -1);
	assert_true(s.latency_avg < 0);
}

static void mntr_is_asked_line_by_line(void **state)
{
	struct text mntr = recorded("zookeeper-3.8.4/mntr.txt");

	(void)state;
	assert_true(is(zookeeper_mntr(mntr, "watch_count"), "22"));
	assert_true(is(zookeeper_mntr(mntr, "server_state"), "standalone"));
	assert_int_equal(zookeeper_mntr(mntr, "watch").len, 0); /* not a part of a name */
	assert_int_equal(zookeeper_mntr(mntr, "nothing").len, 0);
}

static void read_garbage(struct text bytes)
{
	struct zookeeper_srvr s;

	zookeeper_parse_srvr(bytes, &s);
	zookeeper_mntr(bytes, "watch_count");
}

static void garbage_ends_in_peace(void **state)
{
	(void)state;
	fuzz(recorded("zookeeper-3.8.4/srvr.txt"), read_garbage);
	fuzz(recorded("zookeeper-3.8.4/mntr.txt"), read_garbage);
}

/* ---- asking ---- */

struct server {
	struct text srvr, mntr, monitor, admin_srvr; /* monitor: over HTTP */
	bool admin_only;
	atomic_uint words, http;
};

static bool answer(void *ctx, struct text q, struct buf *out)
{
	struct server *s = ctx;
	struct text say = text_starts(q, "srvr") ? s->srvr : text_starts(q, "mntr") ? s->mntr : TEXT("");

	if (text_starts(q, "GET ")) {
		atomic_fetch_add(&s->http, 1);
		say = fake_asks_for(q, "/commands/srvr") ? s->admin_srvr : fake_asks_for(q, "/commands/monitor") ? s->monitor : TEXT("{}");
		buf_printf(out, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", say.len);
	} else {
		atomic_fetch_add(&s->words, 1);
		say = s->admin_only ? recorded("zookeeper-3.8.4/admin-says-400.txt") : say;
	}
	buf_add(out, say.at, say.len);
	return false;
}

struct asked {
	struct fake_server *server;
	struct fake_probe probe;
	struct expected_port ports[2];
	struct expectation expected;
	struct identity who;
	enum answered answered;
};

/* role: what the profile calls the port; NULL: no profile names it */
static void ask(struct asked *a, struct server *s, const char *role)
{
	recorded("zookeeper-3.8.4/admin-says-400.txt"); /* before the server's thread wants it */
	*a = (struct asked){.server = fake_server_start(answer, s)};
	fake_probe_begin(&a->probe, fake_server_at(a->server), 60000);
	a->ports[0] = (struct expected_port){role, a->probe.p.at.port};
	a->expected = (struct expectation){.name = "zookeeper", .kind = &kind_zookeeper, .ports = a->ports, .n_ports = 1};
	a->probe.p.expected = role ? &a->expected : NULL;
	a->answered = kind_zookeeper.identify(&a->probe.p, &a->who);
	a->probe.s->who = a->who;
	kind_zookeeper.inspect(&a->probe.p, a->probe.s);
}

static void done(struct asked *a)
{
	kind_zookeeper.close(a->probe.p.state);
	fake_probe_end(&a->probe);
	fake_server_stop(a->server);
}

static int64_t number_of(const struct asked *a, const char *figure)
{
	struct value v = snapshot_get(a->probe.s, figure);

	return v.type == VALUE_INT ? v.u.i : -1;
}

static struct server good_server(void)
{
	return (struct server){
		.srvr = recorded("zookeeper-3.8.4/srvr.txt"), .mntr = recorded("zookeeper-3.8.4/mntr.txt"),
		.monitor = recorded("zookeeper-3.8.4/monitor.json"), .admin_srvr = recorded("zookeeper-3.8.4/admin-srvr.json"),
	};
}

static void the_client_port_is_never_asked_in_http(void **state)
{
	struct server s = good_server();
	struct asked a;

	(void)state;
	ask(&a, &s, "client");
	assert_int_equal(a.answered, ANSWERED_YES);
	assert_string_equal(a.who.version, "3.8.4");
	assert_int_equal(a.who.sure, SURE_EXACT);
	assert_int_equal(s.http, 0); /* it would leave a stack trace in its log */
	assert_int_equal(a.probe.s->health.state, LINK_OK);
	assert_int_equal(number_of(&a, "nodes"), 309);
	assert_int_equal(number_of(&a, "connections"), 1); /* without the one that asks */
	assert_int_equal(number_of(&a, "watches"), 22);
	done(&a);
}

static void a_closed_mntr_is_not_asked_again(void **state)
{
	struct server s = good_server();
	struct asked a;

	(void)state;
	s.mntr = TEXT("mntr is not executed because it is not in the whitelist.\n");
	ask(&a, &s, "client");
	assert_int_equal(snapshot_get(a.probe.s, "watches").type, VALUE_UNKNOWN);
	assert_int_equal(s.words, 3);
	kind_zookeeper.inspect(&a.probe.p, a.probe.s);
	assert_int_equal(s.words, 4); /* srvr only */
	done(&a);
}

static void the_admin_server_is_asked_in_http(void **state)
{
	struct server s = good_server();
	struct asked a;

	(void)state;
	ask(&a, &s, "admin");
	assert_int_equal(a.answered, ANSWERED_YES);
	assert_string_equal(a.who.role, "admin");
	assert_string_equal(a.who.version, "3.8.4");
	assert_int_equal(s.words, 0);
	assert_int_equal(a.probe.s->health.state, LINK_OK);
	assert_int_equal(number_of(&a, "watches"), 22);
	assert_int_equal(number_of(&a, "uptime") > 0, 1);
	done(&a);
}

static void a_port_that_may_be_either_hears_the_word_first(void **state)
{
	struct server s = good_server();
	struct asked a;

	(void)state;
	s.admin_only = true;
	ask(&a, &s, NULL);
	assert_int_equal(a.answered, ANSWERED_YES);
	assert_string_equal(a.who.role, "admin");
	assert_int_equal(a.probe.s->health.state, LINK_OK);
	done(&a);
}

static void an_admin_server_that_says_200_and_carries_an_error_is_not_healthy(void **state)
{
	struct server s = good_server();
	struct asked a;

	(void)state;
	s.monitor = TEXT("{\"command\":\"monitor\",\"error\":\"This ZooKeeper instance is not currently serving requests\"}");
	ask(&a, &s, "admin");
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	assert_string_equal(a.probe.s->health.words, "This ZooKeeper instance is not currently serving requests");
	done(&a);
}

static void one_without_a_quorum_answers_and_is_bad(void **state)
{
	struct server s = good_server();
	struct asked a;

	(void)state;
	s.srvr = TEXT("This ZooKeeper instance is not currently serving requests\n");
	ask(&a, &s, "client");
	assert_int_equal(a.answered, ANSWERED_YES);
	assert_null(a.who.version);
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	done(&a);
}

static void a_read_only_one_is_bad(void **state)
{
	struct server s = good_server();
	struct asked a;

	(void)state;
	s.srvr = TEXT("Zookeeper version: 3.8.4-9316, built on 2024-02-12 22:16 UTC\nMode: read-only\nNode count: 5\n");
	ask(&a, &s, "client");
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	assert_non_null(strstr(a.probe.s->health.words, "quorum"));
	done(&a);
}

static void any_other_json_is_another_server(void **state)
{
	struct server s = good_server();
	struct asked a;

	(void)state;
	s.admin_srvr = TEXT("{\"version\":\"4.1.4\"}");
	ask(&a, &s, "admin");
	assert_int_equal(a.answered, ANSWERED_OTHER);
	done(&a);
}

static bool hang_up(void *ctx, struct text q, struct buf *out)
{
	(void)ctx;
	(void)q;
	(void)out;
	return false;
}

/* Its first word, and no more. */
static bool begin_to_speak(void *ctx, struct text q, struct buf *out)
{
	(void)ctx;
	(void)q;
	buf_puts(out, "Zookeeper ");
	return true;
}

static enum answered identified(bool (*as)(void *, struct text, struct buf *), const char *role, int64_t ms)
{
	struct fake_server *server = fake_server_start(as, NULL);
	struct expected_port port = {role, fake_server_at(server).port};
	struct expectation expected = {.name = "zookeeper", .kind = &kind_zookeeper, .ports = &port, .n_ports = 1};
	struct fake_probe probe;
	struct identity who = {0};
	enum answered answered;

	fake_probe_begin(&probe, fake_server_at(server), ms);
	probe.p.expected = &expected;
	answered = kind_zookeeper.identify(&probe.p, &who);
	fake_probe_end(&probe);
	fake_server_stop(server);
	return answered;
}

static void who_hangs_up_or_does_not_end_its_first_word_is_mute_and_no_stranger(void **state)
{
	(void)state;
	assert_int_equal(identified(hang_up, "client", 60000), ANSWERED_MUTE);
	assert_int_equal(identified(hang_up, "admin", 60000), ANSWERED_MUTE);
	assert_int_equal(identified(begin_to_speak, "client", 200), ANSWERED_MUTE);
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
	answered = kind_zookeeper.identify(&probe.p, &who);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_int_equal(answered, ANSWERED_NOT_ASKED);
	kind_zookeeper.close(probe.p.state);
	fake_probe_end(&probe);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(srvr_tells_version_mode_and_load),
		cmocka_unit_test(one_without_a_quorum_is_itself_and_sick),
		cmocka_unit_test(a_word_that_is_not_whitelisted_is_an_answer_of_itself),
		cmocka_unit_test(others_that_know_the_words_are_not_zookeeper),
		cmocka_unit_test(numbers_that_are_none_are_unknown),
		cmocka_unit_test(mntr_is_asked_line_by_line),
		cmocka_unit_test(garbage_ends_in_peace),
		cmocka_unit_test(the_client_port_is_never_asked_in_http),
		cmocka_unit_test(a_closed_mntr_is_not_asked_again),
		cmocka_unit_test(the_admin_server_is_asked_in_http),
		cmocka_unit_test(a_port_that_may_be_either_hears_the_word_first),
		cmocka_unit_test(an_admin_server_that_says_200_and_carries_an_error_is_not_healthy),
		cmocka_unit_test(one_without_a_quorum_answers_and_is_bad),
		cmocka_unit_test(a_read_only_one_is_bad),
		cmocka_unit_test(any_other_json_is_another_server),
		cmocka_unit_test(who_hangs_up_or_does_not_end_its_first_word_is_mute_and_no_stranger),
		cmocka_unit_test(with_no_descriptors_left_nobody_is_mute_or_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
