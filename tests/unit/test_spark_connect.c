// SPDX-License-Identifier: MIT
/*
 * Spark Connect is asked as its owner would want it: one session, released only where it was made;
 * a kept connection instead of calls; nothing said twice to who refused. Against a server of a few
 * HTTP/2 frames (RFC 9113, RFC 7541) that counts what it is asked.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../backend/services/kinds.h"
#include "../../backend/services/spark_connect.h"
#include "fixture_server.h"
#include "profile.h"
#include "protobuf.h"

enum manner { GOOD, ASKS_FOR_TOKEN, OTHER_TOKEN, OTHER_GRPC, FORGETS_ONCE, FAILS, HTTP_1, CLOSES, MUTE };
enum { FRAME_DATA = 0, FRAME_HEADERS = 1, FRAME_SETTINGS = 4, END_STREAM = 1, ACK = 1, END_HEADERS = 4, LINES_MAX = 16, DEADLINE_MS = 5000 };

/* Of characters that Huffman's code would lengthen (RFC 7541): it comes as it is. */
#define SECRET "~~^^||{{}}~~^^||{{}}"

static struct server {
	uint16_t port;
	int listener;
	pthread_t thread;
	atomic_bool stop;
	_Atomic enum manner manner;
	char version[16];
	/* counted by the thread, read when it has nothing to do */
	atomic_int dialled, settled, analyzed, released, configured, http;
	atomic_int shown, bare; /* calls with our token, and without */
	bool has_token;         /* this one */
	char session[64], released_session[64];
	struct {
		int fd;
		bool greeted;
	} lines[LINES_MAX];
	char message[4096];
	size_t len;
} server;

/* ---- the server ---- */

static bool take(int fd, void *out, size_t len)
{
	char *at = out;

	while (len) {
		ssize_t n = recv(fd, at, len, 0);

		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

static void put_frame(int fd, int type, int flags, int stream, const void *bytes, size_t len)
{
	unsigned char frame[4200] = {(unsigned char)(len >> 16), (unsigned char)(len >> 8), (unsigned char)len, (unsigned char)type,
		(unsigned char)flags, 0, 0, 0, (unsigned char)stream};

	memcpy(frame + 9, bytes, len);
	send(fd, frame, 9 + len, MSG_NOSIGNAL);
}

/* Literals without an index, after ":status 200" in the first block. */
static void put_headers(int fd, int stream, bool first, bool last, const char *const *pairs)
{
	unsigned char block[1024];
	size_t n = 0;

	if (first)
		block[n++] = 0x88;
	for (; *pairs; pairs += 2) {
		block[n++] = 0;
		for (int i = 0; i < 2; i++) {
			size_t len = strlen(pairs[i]);

			block[n++] = (unsigned char)len;
			memcpy(block + n, pairs[i], len);
			n += len;
		}
	}
	put_frame(fd, FRAME_HEADERS, END_HEADERS | (last ? END_STREAM : 0), stream, block, n);
}

static void answer_status(int fd, int stream, const char *status, const char *words)
{
	const char *const pairs[] = {"content-type", "application/grpc", "grpc-status", status, "grpc-message", words, NULL};

	put_headers(fd, stream, true, true, pairs);
}

static void answer_message(int fd, int stream, const struct buf *message)
{
	static const char *const head[] = {"content-type", "application/grpc", NULL}, *const tail[] = {"grpc-status", "0", NULL};
	char framed[2048] = {0, 0, 0, (char)(message->len >> 8), (char)message->len};

	memcpy(framed + 5, message->at, message->len);
	put_headers(fd, stream, true, false, head);
	put_frame(fd, FRAME_DATA, 0, stream, framed, 5 + message->len);
	put_headers(fd, stream, false, true, tail);
}

static void answer_analyze(int fd, int stream, struct text session)
{
	struct buf version, message;

	atomic_fetch_add(&server.analyzed, 1);
	text_copy(server.session, sizeof server.session, session);
	if (server.manner == FORGETS_ONCE) {
		atomic_store(&server.manner, GOOD);
		answer_status(fd, stream, "13", "[INVALID_HANDLE.SESSION_CLOSED] The handle is invalid. Session was closed.");
		return;
	}
	if (server.manner == FAILS) {
		answer_status(fd, stream, "13", "no space left on device");
		return;
	}
	buf_init(&version, 100);
	buf_init(&message, 500);
	protobuf_put_text(&version, 1, server.version);
	protobuf_put_bytes(&message, 1, session);
	protobuf_put_bytes(&message, 8, buf_text(&version));
	answer_message(fd, stream, &message);
	buf_free(&version);
	buf_free(&message);
}

static void answer_call(int fd, int stream)
{
	struct text request = {server.message + 5, server.len - 5};
	struct protobuf_field session = {0}, field;
	struct buf message;

	protobuf_find(request, 1, PROTOBUF_BYTES, &session);
	atomic_fetch_add(server.has_token ? &server.shown : &server.bare, 1);
	if (server.manner == OTHER_TOKEN) {
		answer_status(fd, stream, "16", "Jwt is missing");
		return;
	}
	if (server.has_token && server.manner == ASKS_FOR_TOKEN)
		atomic_store(&server.manner, GOOD);
	if (server.manner == ASKS_FOR_TOKEN || server.manner == OTHER_GRPC) {
		atomic_fetch_add(&server.analyzed, 1);
		if (server.manner == ASKS_FOR_TOKEN)
			answer_status(fd, stream, "16", "No authentication token provided");
		else
			answer_status(fd, stream, "12", "unknown service spark.connect.SparkConnectService");
		return;
	}
	if (protobuf_find(request, 10, PROTOBUF_BYTES, &field)) {
		answer_analyze(fd, stream, session.bytes);
		return;
	}
	if (protobuf_find(request, 4, PROTOBUF_BYTES, &field)) {
		atomic_fetch_add(&server.configured, 1);
	} else {
		atomic_fetch_add(&server.released, 1);
		text_copy(server.released_session, sizeof server.released_session, session.bytes);
	}
	buf_init(&message, 500);
	protobuf_put_bytes(&message, 1, session.bytes);
	answer_message(fd, stream, &message);
	buf_free(&message);
}

/* One frame of a client. False: it is gone. */
static bool serve(int fd, bool *greeted)
{
	unsigned char head[9];
	char preface[24], payload[4096];
	size_t len;

	if (!*greeted) {
		*greeted = true;
		if (!take(fd, preface, sizeof preface))
			return false;
		if (memcmp(preface, "PRI ", 4) != 0)
			atomic_fetch_add(&server.http, 1); /* a line in the log of a real one */
		if (server.manner == HTTP_1) {
			static const char upgrade[] = "HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n";

			send(fd, upgrade, sizeof upgrade - 1, MSG_NOSIGNAL);
			return false;
		}
		put_frame(fd, FRAME_SETTINGS, 0, 0, "", 0);
	}
	if (!take(fd, head, sizeof head))
		return false;
	len = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
	if (len > sizeof payload || !take(fd, payload, len))
		return false;
	if (head[3] == FRAME_SETTINGS && !(head[4] & ACK)) {
		atomic_fetch_add(&server.settled, 1);
		put_frame(fd, FRAME_SETTINGS, ACK, 0, "", 0);
	}
	if (head[3] == FRAME_HEADERS)
		server.has_token = memmem(payload, len, SECRET, sizeof SECRET - 1) != NULL;
	if (head[3] == FRAME_DATA && (head[4] & END_STREAM) && len >= 5) {
		memcpy(server.message, payload, len);
		server.len = len;
		answer_call(fd, head[8]);
	}
	return true;
}

static void hang_up(void)
{
	for (size_t i = 0; i < LINES_MAX; i++) {
		if (server.lines[i].fd >= 0)
			close(server.lines[i].fd);
		server.lines[i].fd = -1;
	}
}

static void welcome(void)
{
	int fd = accept(server.listener, NULL, NULL);

	atomic_fetch_add(&server.dialled, 1);
	for (size_t i = 0; fd >= 0 && i < LINES_MAX; i++)
		if (server.lines[i].fd < 0 && server.manner != CLOSES) {
			server.lines[i].fd = fd;
			server.lines[i].greeted = false;
			return;
		}
	close(fd);
}

static void *run(void *arg)
{
	(void)arg;
	while (!atomic_load(&server.stop)) {
		struct pollfd fds[LINES_MAX + 1] = {{.fd = server.listener, .events = POLLIN}};

		for (size_t i = 0; i < LINES_MAX; i++)
			fds[i + 1] = (struct pollfd){.fd = atomic_load(&server.manner) == MUTE ? -1 : server.lines[i].fd, .events = POLLIN};
		if (poll(fds, LINES_MAX + 1, 10) <= 0 || atomic_load(&server.manner) == MUTE)
			continue;
		for (size_t i = 0; i < LINES_MAX; i++)
			if (fds[i + 1].revents && !serve(server.lines[i].fd, &server.lines[i].greeted)) {
				close(server.lines[i].fd);
				server.lines[i].fd = -1;
			}
		if (fds[0].revents)
			welcome();
	}
	hang_up();
	close(server.listener);
	return NULL;
}

/* On the port it had before, where it had one: a server that was started again. */
static void server_start(const char *version)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(server.port)};
	socklen_t len = sizeof at;
	int one = 1;

	text_copy(server.version, sizeof server.version, text_of(version));
	for (size_t i = 0; i < LINES_MAX; i++)
		server.lines[i].fd = -1;
	server.listener = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(server.listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	assert_int_equal(bind(server.listener, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(server.listener, 16), 0);
	assert_int_equal(getsockname(server.listener, (struct sockaddr *)&at, &len), 0);
	server.port = ntohs(at.sin_port);
	atomic_store(&server.stop, false);
	atomic_store(&server.manner, GOOD);
	atomic_store(&server.dialled, 0);
	atomic_store(&server.settled, 0);
	atomic_store(&server.analyzed, 0);
	atomic_store(&server.released, 0);
	atomic_store(&server.configured, 0);
	atomic_store(&server.http, 0);
	atomic_store(&server.shown, 0);
	atomic_store(&server.bare, 0);
	server.session[0] = server.released_session[0] = '\0';
	assert_int_equal(pthread_create(&server.thread, NULL, run, NULL), 0);
}

static void server_stop(void)
{
	atomic_store(&server.stop, true);
	pthread_join(server.thread, NULL);
}

/* ---- the client ---- */

static struct client {
	struct host *host;
	struct probe p;
	struct snapshot *s;
} client;

static struct probe *ask(int64_t ms)
{
	snapshot_unref(client.s);
	client.s = snapshot_new("test", PART_DEPTH);
	client.p.arena = client.s->arena;
	client.p.wait = wait_for(ms, -1);
	client.p.at = (struct endpoint){"127.0.0.1", server.port};
	return &client.p;
}

static int setup(void **state)
{
	(void)state;
	server.port = 0;
	server_start("4.1.4");
	client.host = host_local();
	client.p = (struct probe){.host = client.host, .net = net_new(client.host), .hint = ""};
	return 0;
}

static void finish(void)
{
	if (client.p.state)
		kind_spark_connect.close(client.p.state);
	client.p.state = NULL;
}

static int teardown(void **state)
{
	(void)state;
	finish();
	net_free(client.p.net);
	client.host->close(client.host);
	snapshot_unref(client.s);
	client.s = NULL;
	server_stop();
	clock_freeze(-1, -1);
	return 0;
}

static enum answered identify(void)
{
	struct probe *p = ask(DEADLINE_MS);

	return kind_spark_connect.identify(p, &client.s->who);
}

static enum answered pulse(void)
{
	struct probe *p = ask(DEADLINE_MS);

	return kind_spark_connect.pulse(p, &client.s->who);
}

/* ---- what is said of it ---- */

static void the_version_that_answers_is_the_version(void **state)
{
	(void)state;
	assert_int_equal(identify(), ANSWERED_YES);
	assert_ptr_equal(client.s->who.kind, &kind_spark_connect);
	assert_int_equal(client.s->who.sure, SURE_EXACT);
	assert_string_equal(client.s->who.version, "4.1.4");
	assert_null(client.s->who.role);
	assert_int_equal(strlen(server.session), 36);
}

static void one_session_serves_for_a_whole_run(void **state)
{
	char first[64];

	(void)state;
	assert_int_equal(identify(), ANSWERED_YES);
	text_copy(first, sizeof first, text_of(server.session));
	for (int i = 0; i < 5; i++)
		assert_int_equal(identify(), ANSWERED_YES);
	assert_string_equal(server.session, first);
	assert_int_equal(atomic_load(&server.analyzed), 6);
}

static void a_pulse_makes_neither_a_call_nor_a_connection(void **state)
{
	int dialled;

	(void)state;
	assert_int_equal(identify(), ANSWERED_YES);
	dialled = atomic_load(&server.dialled);
	for (int i = 0; i < 10; i++)
		assert_int_equal(pulse(), ANSWERED_YES);
	assert_int_equal(atomic_load(&server.dialled), dialled);
	assert_int_equal(atomic_load(&server.analyzed), 1);
	assert_int_equal(atomic_load(&server.settled), dialled + 10); /* every connection settles once by itself */
}

static void the_version_is_asked_again_after_half_a_minute(void **state)
{
	int64_t now = clock_ms(), wall = clock_wall_ms();

	(void)state;
	assert_int_equal(identify(), ANSWERED_YES);
	clock_freeze(now + 29000, wall);
	assert_int_equal(pulse(), ANSWERED_YES);
	assert_int_equal(atomic_load(&server.analyzed), 1);
	clock_freeze(now + 40000, wall);
	assert_int_equal(pulse(), ANSWERED_YES);
	assert_int_equal(atomic_load(&server.analyzed), 2);
	assert_string_equal(client.s->who.version, "4.1.4");
}

static void a_session_that_may_have_expired_is_not_used_again(void **state)
{
	int64_t now = clock_ms(), wall = clock_wall_ms();
	char first[64];

	(void)state;
	assert_int_equal(identify(), ANSWERED_YES);
	text_copy(first, sizeof first, text_of(server.session));
	clock_freeze(now + 1000, wall + 45 * 60000); /* the machine slept */
	assert_int_equal(identify(), ANSWERED_YES);
	assert_string_not_equal(server.session, first);
}

static void a_session_that_somebody_closed_is_replaced_at_once(void **state)
{
	char first[64];

	(void)state;
	assert_int_equal(identify(), ANSWERED_YES);
	text_copy(first, sizeof first, text_of(server.session));
	atomic_store(&server.manner, FORGETS_ONCE);
	assert_int_equal(identify(), ANSWERED_YES);
	assert_string_equal(client.s->who.version, "4.1.4");
	assert_string_not_equal(server.session, first);
	assert_int_equal(atomic_load(&server.analyzed), 3);
}

static void the_session_is_released_at_the_end(void **state)
{
	(void)state;
	assert_int_equal(identify(), ANSWERED_YES);
	finish();
	assert_int_equal(atomic_load(&server.released), 1);
	assert_string_equal(server.released_session, server.session);
}

static void nothing_is_released_at_a_server_that_came_after(void **state)
{
	(void)state;
	assert_int_equal(identify(), ANSWERED_YES);
	server_stop();
	server_start("4.0.5");
	finish();
	assert_int_equal(atomic_load(&server.dialled), 0);
}

static void a_server_that_was_started_again_is_asked_who_it_is(void **state)
{
	(void)state;
	assert_int_equal(identify(), ANSWERED_YES);
	server_stop();
	server_start("4.0.5");
	assert_int_equal(pulse(), ANSWERED_YES);
	assert_string_equal(client.s->who.version, "4.0.5");
	client.p.owner_started = 1795966934857; /* now the process is seen to be another one */
	text_copy(server.version, sizeof server.version, TEXT("4.2.1"));
	assert_int_equal(pulse(), ANSWERED_YES);
	assert_string_equal(client.s->who.version, "4.2.1");
}

static void nobody_there_is_refused(void **state)
{
	(void)state;
	assert_int_equal(identify(), ANSWERED_YES);
	server_stop();
	assert_int_equal(pulse(), ANSWERED_REFUSED);
	server_start("4.1.4");
}

static void who_wants_a_token_is_spark_connect_and_not_asked_again(void **state)
{
	(void)state;
	atomic_store(&server.manner, ASKS_FOR_TOKEN);
	assert_int_equal(identify(), ANSWERED_YES);
	assert_ptr_equal(client.s->who.kind, &kind_spark_connect);
	assert_int_equal(client.s->who.sure, SURE_UNKNOWN);
	assert_null(client.s->who.version);
	assert_non_null(strstr(client.s->who.source, "asks for a token"));
	clock_freeze(clock_ms() + 120000, clock_wall_ms());
	assert_int_equal(pulse(), ANSWERED_YES);
	assert_int_equal(atomic_load(&server.analyzed), 1);
	assert_int_equal(atomic_load(&server.released), 0);
}

static void a_token_is_shown_to_who_asks_as_spark_connect_does(void **state)
{
	(void)state;
	client.p.credentials.token = SECRET;
	atomic_store(&server.manner, ASKS_FOR_TOKEN);
	assert_int_equal(identify(), ANSWERED_YES);
	assert_string_equal(client.s->who.version, "4.1.4");
	assert_int_equal(atomic_load(&server.bare), 1);
	assert_int_equal(atomic_load(&server.shown), 1);
	assert_int_equal(identify(), ANSWERED_YES);
	assert_int_equal(atomic_load(&server.bare), 1); /* it is known to want it */
	/* a server that came after is asked anew */
	server_stop();
	server_start("4.0.5");
	atomic_store(&server.manner, OTHER_TOKEN);
	assert_int_equal(pulse(), ANSWERED_YES);
	assert_non_null(strstr(client.s->who.source, "ours is kept"));
	assert_int_equal(atomic_load(&server.shown), 0);
}

static void nobody_else_is_shown_the_token(void **state)
{
	static const enum manner others[] = {GOOD, OTHER_TOKEN, OTHER_GRPC, FAILS, HTTP_1};

	(void)state;
	client.p.credentials.token = SECRET;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct probe *p;

		finish();
		atomic_store(&server.manner, others[i]);
		identify();
		p = ask(DEADLINE_MS);
		kind_spark_connect.inspect(p, client.s);
		p = ask(DEADLINE_MS);
		kind_spark_connect.answer(p, ROWS_VIEW, "10 lake.kitchen.types", client.s);
		p = ask(DEADLINE_MS);
		assert_null(connect_token(p));
		assert_int_equal(atomic_load(&server.shown), 0);
	}
	assert_true(atomic_load(&server.bare) > 0);
}

static void maintenance_gets_the_token_where_it_is_wanted(void **state)
{
	struct probe *p = ask(DEADLINE_MS);

	(void)state;
	p->credentials.token = SECRET;
	atomic_store(&server.manner, ASKS_FOR_TOKEN);
	assert_string_equal(connect_token(p), SECRET);
	text_copy(p->at.address, sizeof p->at.address, TEXT("192.0.2.1")); /* it would cross a network */
	assert_null(connect_token(p));
	assert_int_equal(atomic_load(&server.shown), 0);
}

static void its_health_is_unknown_without_a_token(void **state)
{
	struct probe *p;

	(void)state;
	atomic_store(&server.manner, ASKS_FOR_TOKEN);
	assert_int_equal(identify(), ANSWERED_YES);
	p = ask(DEADLINE_MS);
	assert_false(kind_spark_connect.inspect(p, client.s));
	assert_int_equal(client.s->err.code, ERR_AUTH);
	assert_int_equal(client.s->health.state, LINK_UNKNOWN);
	assert_string_equal(client.s->health.words, "asks for a token");
}

static void one_that_cannot_answer_is_itself_and_sick(void **state)
{
	struct probe *p;

	(void)state;
	atomic_store(&server.manner, FAILS);
	assert_int_equal(identify(), ANSWERED_YES);
	assert_int_equal(client.s->who.sure, SURE_UNKNOWN);
	p = ask(DEADLINE_MS);
	assert_true(kind_spark_connect.inspect(p, client.s));
	assert_int_equal(client.s->health.state, LINK_BAD);
	assert_non_null(strstr(client.s->health.words, "no space left on device"));
}

static void serving_is_asked_without_a_session(void **state)
{
	struct probe *p;

	(void)state;
	assert_int_equal(identify(), ANSWERED_YES);
	p = ask(DEADLINE_MS);
	assert_true(kind_spark_connect.inspect(p, client.s));
	assert_int_equal(client.s->health.state, LINK_OK);
	assert_int_equal(atomic_load(&server.released), 1);
	assert_string_not_equal(server.released_session, server.session);
	assert_int_equal(atomic_load(&server.configured), 2);
	p = ask(DEADLINE_MS);
	assert_true(kind_spark_connect.inspect(p, client.s));
	assert_int_equal(atomic_load(&server.configured), 2); /* once a process */
	assert_int_equal(atomic_load(&server.analyzed), 1);
}

/* What its web UI says, and where that leads: to the server above, or nowhere. */
struct web {
	uint16_t service;
};

static bool answer_web(void *ctx, struct text q, struct buf *out)
{
	const struct web *web = ctx;
	char body[400];

	if (fake_asks_for(q, "/api/v1/applications/app-1/environment")) {
		snprintf(body, sizeof body, "{\"sparkProperties\":[[\"spark.app.id\",\"app-1\"],[\"spark.connect.grpc.binding.port\",\"%u\"]]}", web->service);
		fake_http(out, 200, "Content-Type: application/json\r\n", body);
	} else if (fake_asks_for(q, "/api/v1/applications?limit=1")) {
		fake_http(out, 200, "Content-Type: application/json\r\n",
			"[{\"id\":\"app-1\",\"name\":\"x\",\"attempts\":[{\"completed\":false,\"appSparkVersion\":\"4.1.4\"}]}]");
	} else {
		fake_http(out, 404, "Content-Type: text/html\r\n", "");
	}
	return false;
}

static void one_found_by_its_web_ui_is_asked_at_its_service(void **state)
{
	struct web web = {.service = server.port};
	struct fake_server *ui = fake_server_start(answer_web, &web);
	struct probe *p;

	(void)state;
	for (int dead = 0; dead < 2; dead++) {
		if (dead)
			finish();
		web.service = dead ? 9 : server.port;
		p = ask(DEADLINE_MS);
		p->at = fake_server_at(ui);
		client.s->who.role = "ui";
		assert_true(kind_spark_connect.inspect(p, client.s));
		assert_int_equal(client.s->err.code, ERR_NONE);
		assert_int_equal(client.s->health.state, dead ? LINK_BAD : LINK_OK);
		assert_int_equal(atomic_load(&server.released), 1); /* of no session, and none was made */
		assert_int_equal(atomic_load(&server.analyzed), 0);
		assert_int_equal(atomic_load(&server.http), 0);
	}
	assert_non_null(strstr(client.s->health.words, "its service does not"));
	finish();
	fake_server_stop(ui);
}

/* A worker was expected there: its "ui" is the port where the service is. */
static void its_web_ui_is_never_looked_for_where_its_service_is(void **state)
{
	const struct expected_port port = {NULL, server.port};
	const struct expectation worker = {.name = "worker", .kind = &kind_spark_worker, .ports = &port, .n_ports = 1};
	struct probe *p;

	(void)state;
	assert_int_equal(identify(), ANSWERED_YES);
	p = ask(DEADLINE_MS);
	client.p.expected = &worker;
	assert_true(kind_spark_connect.inspect(p, client.s));
	client.p.expected = NULL;
	assert_int_equal(atomic_load(&server.http), 0);
}

static void another_grpc_server_is_another(void **state)
{
	(void)state;
	atomic_store(&server.manner, OTHER_GRPC);
	assert_int_equal(identify(), ANSWERED_OTHER);
	assert_string_equal(client.s->who.says, "gRPC, not Spark Connect");
}

static void a_web_server_is_told_by_its_first_bytes(void **state)
{
	(void)state;
	atomic_store(&server.manner, HTTP_1);
	assert_int_equal(identify(), ANSWERED_OTHER);
	assert_string_equal(client.s->who.says, "HTTP/1, not gRPC");
	assert_int_equal(atomic_load(&server.analyzed), 0);
	assert_int_equal(atomic_load(&server.dialled), 1);
}

static void one_that_breaks_off_or_keeps_silent_is_mute(void **state)
{
	struct probe *p;

	(void)state;
	atomic_store(&server.manner, CLOSES);
	assert_int_equal(identify(), ANSWERED_MUTE);
	atomic_store(&server.manner, MUTE);
	p = ask(150);
	assert_int_equal(kind_spark_connect.identify(p, &client.s->who), ANSWERED_MUTE);
	assert_null(client.s->who.says);
}

static void one_that_is_frozen_is_mute_until_it_moves(void **state)
{
	struct probe *p;

	(void)state;
	assert_int_equal(identify(), ANSWERED_YES);
	atomic_store(&server.manner, MUTE);
	p = ask(150);
	assert_int_equal(kind_spark_connect.pulse(p, &client.s->who), ANSWERED_MUTE);
	p = ask(150);
	assert_int_equal(kind_spark_connect.pulse(p, &client.s->who), ANSWERED_MUTE);
	atomic_store(&server.manner, GOOD);
	assert_int_equal(pulse(), ANSWERED_YES);
	assert_string_equal(client.s->who.version, "4.1.4");
}

/* ---- statements that change something; pure ---- */

static void put_field(struct buf *out, uint32_t number, struct buf *inner)
{
	protobuf_put_bytes(out, number, buf_text(inner));
	buf_free(inner);
	buf_init(inner, 4096);
}

/* ExecutePlanResponse: progress of two stages, 20 and 21 tasks done, 3 running. */
static void make_progress(struct buf *out)
{
	struct buf stage, progress;

	buf_init(&stage, 4096);
	buf_init(&progress, 4096);
	for (uint64_t i = 0; i < 2; i++) {
		protobuf_put_varint(&stage, 2, 60);
		protobuf_put_varint(&stage, 3, 20 + i);
		protobuf_put_varint(&stage, 4, 1000);
		put_field(&progress, 1, &stage);
	}
	protobuf_put_varint(&progress, 2, 3);
	protobuf_put_bytes(out, 18, buf_text(&progress));
	buf_free(&progress);
	buf_free(&stage);
}

/* ... and a relation that holds its rows (11), or only what was analysed (10). */
static void make_result(struct buf *out, uint32_t relation)
{
	struct buf inner, outer;

	buf_init(&inner, 4096);
	buf_init(&outer, 4096);
	protobuf_put_text(&inner, 1, "ARROW");
	put_field(&outer, relation, &inner);
	protobuf_put_bytes(&inner, 1, buf_text(&outer));
	protobuf_put_bytes(out, 5, buf_text(&inner));
	buf_free(&inner);
	buf_free(&outer);
}

static void a_statement_is_sent_as_a_command_and_to_one_server_only(void **state)
{
	struct connect_statement s = {.session = "s", .operation = "o", .server = "v"};
	static const uint32_t way[] = {3, 2, 5, 6, 10, 1};
	struct protobuf_field field;
	struct buf message;
	struct text at;

	(void)state;
	buf_init(&message, 4096);
	connect_put_statement(&message, &s, TEXT("CALL x.system.y(table => 'z')"));
	at = buf_text(&message);
	for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
		assert_true(protobuf_find(at, way[i], PROTOBUF_BYTES, &field));
		at = field.bytes;
		assert_true(i != 0 || !protobuf_find(at, 1, PROTOBUF_BYTES, &field)); /* no relation: that would run where it stands */
	}
	assert_true(text_is(at, "CALL x.system.y(table => 'z')"));
	assert_true(protobuf_find(buf_text(&message), 6, PROTOBUF_BYTES, &field) && text_is(field.bytes, "o"));
	assert_true(protobuf_find(buf_text(&message), 8, PROTOBUF_BYTES, &field) && text_is(field.bytes, "v"));
	buf_free(&message);
}

static void its_progress_and_its_rows_are_read_and_what_was_only_analysed_is_no_result(void **state)
{
	struct connect_statement s = {0};
	struct buf progress, rows, analysed;

	(void)state;
	buf_init(&s.result, 4096);
	buf_init(&progress, 4096);
	buf_init(&rows, 4096);
	buf_init(&analysed, 4096);
	make_progress(&progress);
	make_result(&rows, 11);
	make_result(&analysed, 10);
	assert_true(connect_read_statement(&s, buf_text(&progress)));
	assert_int_equal(s.told.done, 41);
	assert_int_equal(s.told.running, 3);
	assert_int_equal(s.told.bytes, 2000);
	assert_false(connect_read_statement(&s, buf_text(&analysed)));
	assert_false(s.has_result);
	assert_true(connect_read_statement(&s, buf_text(&rows)));
	assert_true(s.has_result && text_is(buf_text(&s.result), "ARROW"));
	for (size_t i = 0; i < 2; i++) { /* every beginning, and every byte wrong */
		struct buf *whole = i ? &rows : &progress;

		for (size_t len = 0; len < whole->len; len++) {
			connect_read_statement(&s, (struct text){whole->at, len});
			whole->at[len] = (char)~whole->at[len];
			connect_read_statement(&s, buf_text(whole));
			whole->at[len] = (char)~whole->at[len];
			assert_true(s.told.done >= 0 && s.told.bytes >= 0);
		}
	}
	buf_free(&s.result);
	buf_free(&progress);
	buf_free(&rows);
	buf_free(&analysed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_version_that_answers_is_the_version, setup, teardown),
		cmocka_unit_test_setup_teardown(one_session_serves_for_a_whole_run, setup, teardown),
		cmocka_unit_test_setup_teardown(a_pulse_makes_neither_a_call_nor_a_connection, setup, teardown),
		cmocka_unit_test_setup_teardown(the_version_is_asked_again_after_half_a_minute, setup, teardown),
		cmocka_unit_test_setup_teardown(a_session_that_may_have_expired_is_not_used_again, setup, teardown),
		cmocka_unit_test_setup_teardown(a_session_that_somebody_closed_is_replaced_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(the_session_is_released_at_the_end, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_is_released_at_a_server_that_came_after, setup, teardown),
		cmocka_unit_test_setup_teardown(a_server_that_was_started_again_is_asked_who_it_is, setup, teardown),
		cmocka_unit_test_setup_teardown(nobody_there_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(who_wants_a_token_is_spark_connect_and_not_asked_again, setup, teardown),
		cmocka_unit_test_setup_teardown(a_token_is_shown_to_who_asks_as_spark_connect_does, setup, teardown),
		cmocka_unit_test_setup_teardown(nobody_else_is_shown_the_token, setup, teardown),
		cmocka_unit_test_setup_teardown(maintenance_gets_the_token_where_it_is_wanted, setup, teardown),
		cmocka_unit_test_setup_teardown(its_health_is_unknown_without_a_token, setup, teardown),
		cmocka_unit_test_setup_teardown(one_that_cannot_answer_is_itself_and_sick, setup, teardown),
		cmocka_unit_test_setup_teardown(serving_is_asked_without_a_session, setup, teardown),
		cmocka_unit_test_setup_teardown(one_found_by_its_web_ui_is_asked_at_its_service, setup, teardown),
		cmocka_unit_test_setup_teardown(its_web_ui_is_never_looked_for_where_its_service_is, setup, teardown),
		cmocka_unit_test_setup_teardown(another_grpc_server_is_another, setup, teardown),
		cmocka_unit_test_setup_teardown(a_web_server_is_told_by_its_first_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(one_that_breaks_off_or_keeps_silent_is_mute, setup, teardown),
		cmocka_unit_test_setup_teardown(one_that_is_frozen_is_mute_until_it_moves, setup, teardown),
		cmocka_unit_test(a_statement_is_sent_as_a_command_and_to_one_server_only),
		cmocka_unit_test(its_progress_and_its_rows_are_read_and_what_was_only_analysed_is_no_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
