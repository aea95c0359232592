// SPDX-License-Identifier: MIT
/*
 * The way out, against servers that misbehave: whatever answers, a question ends by its deadline,
 * within its caps, with an error that names the endpoint.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "net.h"
#include "profile.h"

/* ---- a small server in a thread: one connection after the other, until it is stopped ---- */

struct fake {
	int listener, stop[2];
	struct endpoint at;
	char path[64]; /* of a unix socket; "" over TCP */
	pthread_t thread;
	void (*serve)(struct fake *f, int fd);
	char bytes[8192]; /* the server's own */
	pthread_mutex_t lock;
	char heard[8192]; /* the last HTTP request, for heard() */
	atomic_int connections, requests;
	int cancel; /* a pipe's end that serve may write to */
};

static void *fake_run(void *arg)
{
	struct fake *f = arg;

	for (;;) {
		struct pollfd p[2] = {{f->listener, POLLIN, 0}, {f->stop[0], POLLIN, 0}};
		int fd;

		if (poll(p, 2, -1) < 0 || p[1].revents)
			return NULL;
		fd = accept(f->listener, NULL, NULL);
		if (fd < 0)
			continue;
		atomic_fetch_add(&f->connections, 1);
		f->serve(f, fd);
		close(fd);
	}
}

static void fake_listen(struct fake *f, const struct sockaddr *at, socklen_t len)
{
	assert_int_equal(pipe(f->stop), 0);
	f->listener = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(f->listener, at, len), 0);
	assert_int_equal(listen(f->listener, 8), 0);
}

static void fake_start(struct fake *f, void (*serve)(struct fake *, int))
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof at;

	*f = (struct fake){.serve = serve, .at.address = "127.0.0.1", .cancel = -1, .lock = PTHREAD_MUTEX_INITIALIZER};
	fake_listen(f, (struct sockaddr *)&at, len);
	getsockname(f->listener, (struct sockaddr *)&at, &len);
	f->at.port = ntohs(at.sin_port);
	assert_int_equal(pthread_create(&f->thread, NULL, fake_run, f), 0);
}

static void fake_start_v6(struct fake *f, void (*serve)(struct fake *, int))
{
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	socklen_t len = sizeof at;

	*f = (struct fake){.serve = serve, .at.address = "::1", .cancel = -1, .lock = PTHREAD_MUTEX_INITIALIZER};
	fake_listen(f, (struct sockaddr *)&at, len);
	getsockname(f->listener, (struct sockaddr *)&at, &len);
	f->at.port = ntohs(at.sin6_port);
	assert_int_equal(pthread_create(&f->thread, NULL, fake_run, f), 0);
}

static void fake_start_unix(struct fake *f, void (*serve)(struct fake *, int))
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};

	*f = (struct fake){.serve = serve, .at = {"127.0.0.1", 4711}, .cancel = -1, .lock = PTHREAD_MUTEX_INITIALIZER};
	snprintf(f->path, sizeof f->path, "/tmp/laketop-test-%ld", (long)getpid());
	unlink(f->path);
	memcpy(at.sun_path, f->path, sizeof f->path);
	fake_listen(f, (struct sockaddr *)&at, sizeof at);
	assert_int_equal(pthread_create(&f->thread, NULL, fake_run, f), 0);
}

static void fake_stop(struct fake *f)
{
	if (write(f->stop[1], "x", 1) != 1)
		abort();
	pthread_join(f->thread, NULL);
	close(f->listener);
	close(f->stop[0]);
	close(f->stop[1]);
	if (f->path[0])
		unlink(f->path);
}

/* As recv(), but a test that ends ends it too. */
static ssize_t fake_recv(struct fake *f, int fd, void *out, size_t len)
{
	struct pollfd p[2] = {{fd, POLLIN, 0}, {f->stop[0], POLLIN, 0}};

	return poll(p, 2, -1) < 0 || p[1].revents ? -1 : recv(fd, out, len, 0);
}

/* Reads an HTTP request's head (and what came with it). False: the client went away. */
static bool fake_hear(struct fake *f, int fd)
{
	size_t len = 0;

	do {
		ssize_t n = fake_recv(f, fd, f->bytes + len, sizeof f->bytes - 1 - len);

		if (n <= 0)
			return false;
		len += (size_t)n;
		f->bytes[len] = '\0';
	} while (!strstr(f->bytes, "\r\n\r\n"));
	pthread_mutex_lock(&f->lock);
	memcpy(f->heard, f->bytes, len + 1);
	pthread_mutex_unlock(&f->lock);
	atomic_fetch_add(&f->requests, 1);
	return true;
}

/* Where the last request says part; NULL where it does not. */
static const char *heard(struct fake *f, const char *part)
{
	const char *at;

	pthread_mutex_lock(&f->lock);
	at = strstr(f->heard, part);
	pthread_mutex_unlock(&f->lock);
	return at;
}

static bool fake_send(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len) {
		ssize_t n = send(fd, at, len, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

static bool fake_say(int fd, const char *s)
{
	return fake_send(fd, s, strlen(s));
}

/* Until the client hangs up or the test ends. */
static void fake_linger(struct fake *f, int fd)
{
	char bytes[512];

	while (fake_recv(f, fd, bytes, sizeof bytes) > 0) {
	}
}

/* ---- the ways to misbehave ---- */

static void serve_hello(struct fake *f, int fd)
{
	while (fake_hear(f, fd))
		fake_say(fd, "HTTP/1.1 200 OK\r\nServer:  Jetty \r\ncontent-length: 5\r\nX-Two: b\r\n\r\nhello");
}

static void serve_hang(struct fake *f, int fd)
{
	fake_linger(f, fd);
}

static void serve_cancel(struct fake *f, int fd)
{
	if (write(f->cancel, "x", 1) != 1)
		abort();
	fake_linger(f, fd);
}

static void serve_garbage(struct fake *f, int fd)
{
	static const char bytes[] = "\x15\x03\x03\x00\x02\x02\x46 \x00\xff\xfe not http";

	(void)f;
	fake_send(fd, bytes, sizeof bytes);
}

static void serve_flood(struct fake *f, int fd)
{
	static const char much[4096];

	if (!fake_hear(f, fd))
		return;
	fake_say(fd, "HTTP/1.1 200 OK\r\n\r\n");
	while (fake_send(fd, much, sizeof much)) {
	}
}

static void serve_chunked_flood(struct fake *f, int fd)
{
	static const char chunk[] = "10\r\n0123456789abcdef\r\n";

	if (!fake_hear(f, fd))
		return;
	fake_say(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
	while (fake_send(fd, chunk, sizeof chunk - 1)) {
	}
}

static void serve_header_flood(struct fake *f, int fd)
{
	if (!fake_hear(f, fd))
		return;
	fake_say(fd, "HTTP/1.1 200 OK\r\n");
	while (fake_say(fd, "X-Flood: 0123456789012345678901234567890123456789\r\n")) {
	}
}

/* 8 kB that unpack to 1.3 MB, made by hand: a zero, and 258 more of it for every 13 bits. */
static void serve_gzip_bomb(struct fake *f, int fd)
{
	/* gzip head; then fixed-code blocks: a literal 0 and 258-byte copies of it, see RFC 1951 3.2.6 */
	static const unsigned char head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
	unsigned char bits[8192] = {0};
	size_t n = 0;
	/* block: not last (0), fixed (01 as bits 1,0); literal 0 = 00110000; copies: length 258 = 11000101, distance 1 = 00000 */
	static const char block[] = "010" "00110000", copy[] = "11000101" "00000";

	if (!fake_hear(f, fd))
		return;
	for (const char *b = block; *b; b++, n++)
		bits[n / 8] |= (unsigned char)((*b - '0') << n % 8);
	while (n + 64 < sizeof bits * 8)
		for (const char *b = copy; *b; b++, n++)
			bits[n / 8] |= (unsigned char)((*b - '0') << n % 8);
	fake_say(fd, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n");
	fake_send(fd, head, sizeof head);
	fake_send(fd, bits, n / 8);
}

static void serve_redirect(struct fake *f, int fd)
{
	while (fake_hear(f, fd)) {
		char answer[200];

		snprintf(answer, sizeof answer, "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:%u/again\r\nContent-Length: 0\r\n\r\n",
			(unsigned)f->at.port);
		fake_say(fd, answer);
	}
}

static void serve_401(struct fake *f, int fd)
{
	while (fake_hear(f, fd))
		fake_say(fd, "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"lake\"\r\nContent-Length: 2\r\n\r\nno");
}

static void serve_half_close(struct fake *f, int fd)
{
	if (!fake_hear(f, fd))
		return;
	fake_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this");
	shutdown(fd, SHUT_WR);
	fake_linger(f, fd);
}

static void serve_nothing(struct fake *f, int fd)
{
	fake_hear(f, fd);
}

static void serve_drip(struct fake *f, int fd)
{
	struct pollfd p = {f->stop[0], POLLIN, 0};

	if (!fake_hear(f, fd))
		return;
	fake_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
	while (fake_say(fd, ".") && poll(&p, 1, 5) == 0) {
	}
}

/* Says something for half a second, then nothing more. */
static void serve_pause(struct fake *f, int fd)
{
	struct pollfd p = {f->stop[0], POLLIN, 0};

	if (!fake_hear(f, fd))
		return;
	fake_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
	for (int i = 0; i < 25 && fake_say(fd, ".") && poll(&p, 1, 20) == 0; i++)
		continue;
	poll(&p, 1, 60000);
}

static void serve_rst(struct fake *f, int fd)
{
	static const struct linger at_once = {1, 0};

	fake_hear(f, fd);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

static void serve_continue(struct fake *f, int fd)
{
	if (fake_hear(f, fd))
		fake_say(fd, "HTTP/1.1 100 Continue\r\nX-Old: 1\r\n\r\nHTTP/1.1 200 OK\r\nX-New: 2\r\nContent-Length: 0\r\n\r\n");
}

static void serve_sorry(struct fake *f, int fd)
{
	while (fake_hear(f, fd))
		fake_say(fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nsorry");
}

static void serve_head_only(struct fake *f, int fd)
{
	while (fake_hear(f, fd))
		fake_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 77\r\n\r\n");
}

/* ---- a probe ---- */

struct fixture {
	struct host *host;
	struct probe p;
};

static struct probe *probe(struct fixture *x, int64_t ms)
{
	x->p.wait = wait_for(ms, -1);
	return &x->p;
}

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof *x);

	x->host = host_local();
	x->p = (struct probe){.host = x->host, .net = net_new(x->host), .hint = ""};
	*state = x;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	net_free(x->p.net);
	x->host->close(x->host);
	free(x);
	return 0;
}

/* Asks for "/" and expects it to fail so; returns the words. */
static const char *fails(struct fixture *x, struct fake *f, const struct http_request *request, int64_t ms, enum err_code code)
{
	static struct err err;
	struct http_answer a;
	char name[32];
	int64_t begun = clock_ms();

	err = (struct err){0};
	if (http_ask(probe(x, ms), &f->at, request, &a, &err))
		fail_msg("it answered %ld", a.status);
	if (err.code != code)
		fail_msg("%s instead of %s: %s", err_name(err.code), err_name(code), err.words);
	snprintf(name, sizeof name, "127.0.0.1:%u: ", (unsigned)f->at.port);
	if (strncmp(err.words, name, strlen(name)) != 0)
		fail_msg("does not name the endpoint: %s", err.words);
	assert_true(a.body.len <= a.body.max && a.headers.len <= a.headers.max);
	http_answer_free(&a);
	assert_in_range(clock_ms() - begun, 0, ms + 30000);
	return err.words + strlen(name);
}

static const struct http_request root = {.path = "/"};

/* ---- HTTP ---- */

static void an_answer_comes_with_status_headers_and_body(void **state)
{
	struct fixture *x = *state;
	struct http_answer a;
	struct fake f;

	fake_start(&f, serve_hello);
	assert_true(http_get(probe(x, 60000), &f.at, "/json/?a=b&c=..%2F", &a, NULL));
	assert_int_equal(a.status, 200);
	assert_string_equal(a.body.at, "hello");
	assert_true(text_is(http_header(&a, "server"), "Jetty"));
	assert_true(text_is(http_header(&a, "X-TWO"), "b"));
	assert_int_equal(http_header(&a, "Serve").len, 0);
	assert_int_equal(http_header(&a, "HTTP/1.1 200 OK").len, 0);
	assert_true(a.ms > 0 && a.ms < 60000);
	assert_int_equal(x->p.requests, 1);
	assert_true(x->p.bytes > 5);
	http_answer_free(&a);
	assert_ptr_equal(heard(&f, "GET /json/?a=b&c=..%2F HTTP/1.1\r\n"), f.heard);
	assert_non_null(heard(&f, "User-Agent: laketop/"));
	assert_non_null(heard(&f, "Accept: */*\r\n"));
	assert_non_null(heard(&f, "Accept-Encoding: identity\r\n"));
	assert_null(heard(&f, "Expect"));
	assert_null(heard(&f, "Authorization"));
	fake_stop(&f);
}

static void a_request_carries_what_it_was_given_and_the_next_one_nothing_of_it(void **state)
{
	struct fixture *x = *state;
	const struct http_request post = {.path = "/token", .method = "POST", .accept = "application/json", .body = "a=1",
		.content_type = "application/x-www-form-urlencoded", .user = "lake", .password = "pw", .host_header = "elsewhere:1"};
	const struct http_request put = {.path = "/x", .method = "PUT", .body = "", .bearer = "secret-token"};
	struct http_answer a;
	struct fake f;

	fake_start(&f, serve_hello);
	assert_true(http_ask(probe(x, 60000), &f.at, &post, &a, NULL));
	http_answer_free(&a);
	assert_ptr_equal(heard(&f, "POST /token HTTP/1.1\r\n"), f.heard);
	assert_non_null(heard(&f, "Authorization: Basic bGFrZTpwdw==\r\n"));
	assert_non_null(heard(&f, "Content-Type: application/x-www-form-urlencoded\r\n"));
	assert_non_null(heard(&f, "Host: elsewhere:1\r\n"));
	assert_non_null(heard(&f, "Accept: application/json\r\n"));
	assert_non_null(heard(&f, "\r\n\r\na=1"));
	assert_true(http_ask(probe(x, 60000), &f.at, &put, &a, NULL));
	http_answer_free(&a);
	assert_ptr_equal(heard(&f, "PUT /x HTTP/1.1\r\n"), f.heard);
	assert_non_null(heard(&f, "Authorization: Bearer secret-token\r\n"));
	assert_true(http_get(probe(x, 60000), &f.at, "/", &a, NULL));
	http_answer_free(&a);
	assert_null(heard(&f, "Authorization"));
	assert_null(heard(&f, "elsewhere"));
	assert_ptr_equal(heard(&f, "GET / HTTP/1.1\r\n"), f.heard);
	fake_stop(&f);
}

static void a_signed_request_is_signed(void **state)
{
	struct fixture *x = *state;
	const struct http_request signed_one = {.path = "/", .user = "key", .password = "secret", .sigv4 = "aws:amz:us-east-1:s3"};
	struct http_answer a;
	struct fake f;

	fake_start(&f, serve_hello);
	assert_true(http_ask(probe(x, 60000), &f.at, &signed_one, &a, NULL));
	http_answer_free(&a);
	assert_non_null(heard(&f, "Authorization: AWS4-HMAC-SHA256 Credential=key/"));
	assert_null(heard(&f, "secret"));
	fake_stop(&f);
}

static void a_head_request_waits_for_no_body(void **state)
{
	struct fixture *x = *state;
	const struct http_request head = {.path = "/", .method = "HEAD"};
	struct http_answer a;
	struct fake f;

	fake_start(&f, serve_head_only);
	assert_true(http_ask(probe(x, 60000), &f.at, &head, &a, NULL));
	assert_int_equal(a.status, 200);
	http_answer_free(&a);
	fake_stop(&f);
}

static void connections_are_kept_while_the_owner_is_the_same_process(void **state)
{
	struct fixture *x = *state;
	struct http_answer a;
	struct fake f;

	fake_start(&f, serve_hello);
	for (int i = 0; i < 6; i++) {
		x->p.owner_started = i < 3 ? 1000 : 2000;
		assert_true(http_get(probe(x, 60000), &f.at, "/", &a, NULL));
		http_answer_free(&a);
	}
	assert_int_equal(atomic_load(&f.connections), 2);
	assert_int_equal(atomic_load(&f.requests), 6);
	fake_stop(&f);
}

static void nobody_there_is_a_refused_connection(void **state)
{
	struct fixture *x = *state;
	struct fake f;

	fake_start(&f, serve_hello);
	fake_stop(&f);
	assert_string_equal(fails(x, &f, &root, 2000, ERR_CONNECT), "Connection refused");
}

static void a_server_that_says_nothing_costs_its_deadline_and_no_more(void **state)
{
	struct fixture *x = *state;
	const struct http_request brief = {.path = "/", .timeout_ms = 120};
	int64_t begun = clock_ms();
	struct fake f;
	int left;

	fake_start(&f, serve_hang);
	/* what is left of the probe's time when it asks: a little less than it was given */
	assert_int_equal(sscanf(fails(x, &f, &root, 150, ERR_TIMEOUT), "no answer within %d ms", &left), 1);
	assert_in_range(left, 1, 150);
	assert_string_equal(fails(x, &f, &brief, 60000, ERR_TIMEOUT), "no answer within 120 ms");
	assert_true(clock_ms() - begun >= left + 120);
	assert_string_equal(fails(x, &f, &root, 0, ERR_TIMEOUT), "not asked, no time was left");
	fake_stop(&f);
}

static void a_long_deadline_is_said_with_its_thousands(void **state)
{
	struct fixture *x = *state;
	const struct http_request long_one = {.path = "/", .timeout_ms = 1005};
	struct fake f;

	fake_start(&f, serve_hang);
	assert_string_equal(fails(x, &f, &long_one, 60000, ERR_TIMEOUT), "no answer within 1,005 ms");
	fake_stop(&f);
}

static void a_cancel_ends_a_question_at_once(void **state)
{
	struct fixture *x = *state;
	struct err err = {0};
	struct http_answer a;
	int64_t begun = clock_ms();
	int cancel[2];
	struct fake f;

	assert_int_equal(pipe(cancel), 0);
	fake_start(&f, serve_cancel);
	f.cancel = cancel[1];
	x->p.wait = wait_for(60000, cancel[0]);
	assert_false(http_get(&x->p, &f.at, "/", &a, &err));
	assert_int_equal(err.code, ERR_CANCELLED);
	http_answer_free(&a);
	assert_in_range(clock_ms() - begun, 0, 30000);
	fake_stop(&f);
	close(cancel[0]);
	close(cancel[1]);
}

static void what_is_not_http_is_a_protocol_error(void **state)
{
	struct fixture *x = *state;
	struct fake f;

	fake_start(&f, serve_garbage);
	fails(x, &f, &root, 60000, ERR_PROTOCOL);
	fake_stop(&f);
}

static void a_flood_is_cut_at_the_cap(void **state)
{
	struct fixture *x = *state;
	const struct http_request small = {.path = "/", .most = 10000};
	struct fake f;

	fake_start(&f, serve_flood);
	assert_string_equal(fails(x, &f, &small, 60000, ERR_LIMIT), "its body is larger than 9.8 KiB");
	assert_string_equal(fails(x, &f, &root, 60000, ERR_LIMIT), "its body is larger than 1.0 MiB");
	fake_stop(&f);
}

static void a_chunked_flood_is_cut_at_the_cap_and_what_fitted_is_there(void **state)
{
	struct fixture *x = *state;
	const struct http_request small = {.path = "/", .most = 1000};
	struct err err = {0};
	struct http_answer a;
	struct fake f;

	fake_start(&f, serve_chunked_flood);
	assert_false(http_ask(probe(x, 60000), &f.at, &small, &a, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_int_equal(a.status, 200);
	assert_int_equal(a.body.len, 1000);
	assert_true(a.body.full);
	assert_memory_equal(a.body.at, "0123456789abcdef0123", 20);
	http_answer_free(&a);
	fake_stop(&f);
}

struct taker { /* of a body in pieces */
	size_t got, most;
};

static bool take_up_to(void *ctx, const char *bytes, size_t len)
{
	struct taker *t = ctx;

	assert_true(len > 0 && bytes);
	t->got += len;
	return t->got <= t->most;
}

static void a_body_in_pieces_is_kept_nowhere_and_ends_at_the_cap_or_when_its_taker_has_enough(void **state)
{
	struct fixture *x = *state;
	struct taker all = {.most = SIZE_MAX}, some = {.most = 5000};
	const struct http_request capped = {.path = "/", .most = 3 << 20, .take = take_up_to, .ctx = &all};
	const struct http_request enough = {.path = "/", .most = 3 << 20, .take = take_up_to, .ctx = &some};
	struct fake f;

	fake_start(&f, serve_chunked_flood);
	assert_string_equal(fails(x, &f, &capped, 60000, ERR_LIMIT), "its body is larger than 3.0 MiB");
	assert_in_range(all.got, (3 << 20) - 65536, 3 << 20);
	assert_string_equal(fails(x, &f, &enough, 60000, ERR_CANCELLED), "its answer was not read to the end");
	assert_in_range(some.got, 5001, 5000 + 65536);
	fake_stop(&f);
	fake_start(&f, serve_gzip_bomb);
	all.got = 0;
	assert_string_equal(fails(x, &f, &(struct http_request){.path = "/", .take = take_up_to, .ctx = &all}, 60000, ERR_LIMIT),
		"its body is larger than 1.0 MiB");
	fake_stop(&f);
}

static void pieces_are_of_a_good_answer_alone_and_an_error_is_kept_as_ever(void **state)
{
	struct fixture *x = *state;
	struct taker all = {.most = SIZE_MAX};
	const char *const lines[] = {"If-None-Match: W/\"1\"", "Realm: a%sb", NULL};
	const struct http_request pieces = {.path = "/", .take = take_up_to, .ctx = &all, .lines = lines};
	struct http_answer a;
	struct fake f;

	fake_start(&f, serve_hello);
	assert_true(http_ask(probe(x, 60000), &f.at, &pieces, &a, NULL));
	assert_int_equal(all.got, 5);
	assert_int_equal(a.body.len, 0);
	http_answer_free(&a);
	assert_non_null(heard(&f, "If-None-Match: W/\"1\"\r\n"));
	assert_non_null(heard(&f, "Realm: a%sb\r\n"));
	fake_stop(&f);
	fake_start(&f, serve_sorry);
	all.got = 0;
	assert_true(http_ask(probe(x, 60000), &f.at, &pieces, &a, NULL));
	assert_int_equal(a.status, 404);
	assert_string_equal(a.body.at, "sorry");
	assert_int_equal(all.got, 0);
	http_answer_free(&a);
	fake_stop(&f);
}

static void a_gzip_bomb_is_cut_by_what_it_unpacks_to(void **state)
{
	struct fixture *x = *state;
	struct fake f;

	fake_start(&f, serve_gzip_bomb); /* 8 kB that unpack to 1.3 MB */
	assert_string_equal(fails(x, &f, &root, 60000, ERR_LIMIT), "its body is larger than 1.0 MiB");
	fake_stop(&f);
}

static void endless_headers_are_cut_at_16_kib(void **state)
{
	struct fixture *x = *state;
	struct fake f;

	fake_start(&f, serve_header_flood);
	assert_string_equal(fails(x, &f, &root, 60000, ERR_LIMIT), "its headers are larger than 16 KiB");
	fake_stop(&f);
}

static void a_redirect_is_an_answer_and_is_not_followed(void **state)
{
	struct fixture *x = *state;
	struct http_answer a;
	struct fake f;

	fake_start(&f, serve_redirect);
	assert_true(http_get(probe(x, 60000), &f.at, "/", &a, NULL));
	assert_int_equal(a.status, 302);
	assert_true(text_has(http_header(&a, "location"), "/again"));
	assert_int_equal(atomic_load(&f.requests), 1);
	http_answer_free(&a);
	fake_stop(&f);
}

static void a_refused_credential_is_an_answer_and_is_not_tried_again(void **state)
{
	struct fixture *x = *state;
	const struct http_request with = {.path = "/", .user = "lake", .password = "wrong"};
	struct http_answer a;
	struct fake f;

	fake_start(&f, serve_401);
	assert_true(http_ask(probe(x, 60000), &f.at, &with, &a, NULL));
	assert_int_equal(a.status, 401);
	assert_int_equal(atomic_load(&f.requests), 1);
	http_answer_free(&a);
	fake_stop(&f);
}

static void half_an_answer_is_no_answer(void **state)
{
	struct fixture *x = *state;
	struct fake f;

	fake_start(&f, serve_half_close);
	assert_string_equal(fails(x, &f, &root, 60000, ERR_PROTOCOL), "broke off in the middle of its answer");
	fake_stop(&f);
}

static void a_closed_connection_without_a_word_is_a_protocol_error(void **state)
{
	struct fixture *x = *state;
	struct fake f;

	fake_start(&f, serve_nothing);
	assert_string_equal(fails(x, &f, &root, 60000, ERR_PROTOCOL), "closed the connection without an answer");
	fake_stop(&f);
}

static void a_slow_drip_ends_at_the_deadline(void **state)
{
	struct fixture *x = *state;
	const struct http_request brief = {.path = "/", .timeout_ms = 300};
	struct fake f;

	fake_start(&f, serve_drip);
	assert_string_equal(fails(x, &f, &brief, 60000, ERR_TIMEOUT), "its answer was not whole after 300 ms");
	fake_stop(&f);
}

/* It comes slowly and comes: only a silence ends it, long before the cap. */
static void a_patient_probe_waits_as_long_as_something_comes(void **state)
{
	struct fixture *x = *state;
	const struct http_request brief = {.path = "/", .timeout_ms = 3000};
	struct fake f;
	int64_t begun = clock_ms();

	fake_start(&f, serve_pause);
	x->p.patience_ms = 2000; /* a server that gets no time is silent, too */
	assert_string_equal(fails(x, &f, &root, 60000, ERR_TIMEOUT), "nothing more of its answer came for 2,000 ms");
	assert_in_range(clock_ms() - begun, 2400, 60000);
	fake_stop(&f);
	fake_start(&f, serve_drip);
	assert_string_equal(fails(x, &f, &brief, 60000, ERR_TIMEOUT), "its answer was not whole after 3,000 ms");
	x->p.patience_ms = 0;
	fake_stop(&f);
}

static void a_reset_is_a_protocol_error(void **state)
{
	struct fixture *x = *state;
	struct fake f;

	fake_start(&f, serve_rst);
	assert_string_equal(fails(x, &f, &root, 60000, ERR_PROTOCOL), "broke the connection");
	fake_stop(&f);
}

static void headers_of_a_100_continue_are_not_the_answers(void **state)
{
	struct fixture *x = *state;
	struct http_answer a;
	struct fake f;

	fake_start(&f, serve_continue);
	assert_true(http_get(probe(x, 60000), &f.at, "/", &a, NULL));
	assert_int_equal(a.status, 200);
	assert_int_equal(http_header(&a, "x-old").len, 0);
	assert_true(text_is(http_header(&a, "x-new"), "2"));
	http_answer_free(&a);
	fake_stop(&f);
}

static void a_path_is_asked_as_it_is_or_not_at_all(void **state)
{
	struct fixture *x = *state;
	struct http_answer a;
	struct fake f;

	fake_start(&f, serve_hello);
	assert_true(http_get(probe(x, 60000), &f.at, "/a/../b/./c", &a, NULL));
	http_answer_free(&a);
	assert_ptr_equal(heard(&f, "GET /a/../b/./c HTTP/1.1\r\n"), f.heard);
	fails(x, &f, &(struct http_request){.path = "json"}, 60000, ERR_USAGE);
	fails(x, &f, &(struct http_request){.path = "/a b"}, 60000, ERR_USAGE);
	fails(x, &f, &(struct http_request){.path = "/a\r\nX-Evil: 1"}, 60000, ERR_USAGE);
	assert_int_equal(atomic_load(&f.requests), 1);
	fake_stop(&f);
}

static void an_ipv6_endpoint_is_bracketed(void **state)
{
	struct fixture *x = *state;
	struct err err = {0};
	struct http_answer a;
	char host[40];
	struct fake f;
	int fd = socket(AF_INET6, SOCK_STREAM, 0);
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	bool there = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0;

	if (fd >= 0)
		close(fd);
	if (!there)
		skip(); /* a machine without IPv6 */
	fake_start_v6(&f, serve_hello);
	assert_true(http_get(probe(x, 60000), &f.at, "/", &a, &err));
	http_answer_free(&a);
	snprintf(host, sizeof host, "Host: [::1]:%u\r\n", (unsigned)f.at.port);
	assert_non_null(heard(&f, host));
	fake_stop(&f);
	assert_false(http_get(probe(x, 60000), &f.at, "/", &a, &err));
	assert_ptr_equal(strstr(err.words, "[::1]:"), err.words);
	http_answer_free(&a);
}

static void a_unix_socket_is_asked_by_its_path(void **state)
{
	struct fixture *x = *state;
	struct err err = {0};
	struct http_answer a;
	struct http_request r = {.path = "/version"};
	struct fake f;

	fake_start_unix(&f, serve_hello);
	r.unix_path = f.path;
	assert_true(http_ask(probe(x, 60000), &f.at, &r, &a, &err));
	assert_string_equal(a.body.at, "hello");
	http_answer_free(&a);
	fake_stop(&f);
	assert_false(http_ask(probe(x, 60000), &f.at, &r, &a, &err));
	assert_int_equal(err.code, ERR_CONNECT);
	assert_ptr_equal(strstr(err.words, f.path), err.words);
	http_answer_free(&a);
}

/* ---- a host that is far away: its route is a unix socket ---- */

static struct fake *far_end;
static int routed;

static bool far_route(struct host *h, const char *address, uint16_t port, struct route *out, struct err *err)
{
	(void)h;
	(void)err;
	*out = (struct route){.port = port};
	text_copy(out->address, sizeof out->address, text_of(address));
	text_copy(out->unix_path, sizeof out->unix_path, text_of(far_end->path));
	routed++;
	return true;
}

static bool no_route(struct host *h, const char *address, uint16_t port, struct route *out, struct err *err)
{
	(void)h;
	(void)out;
	return err_set(err, ERR_CONNECT, "%s:%u: the far host does not reach it", address, (unsigned)port);
}

static void far_unroute(struct host *h, struct route *route)
{
	(void)h;
	(void)route;
	routed--;
}

static void every_connection_is_led_by_the_hosts_route(void **state)
{
	struct fixture *x = *state;
	struct host far = *x->host;
	struct err err = {0};
	struct http_answer a;
	struct fake f;

	fake_start_unix(&f, serve_hello);
	far_end = &f;
	far.route = far_route;
	far.unroute = far_unroute;
	x->p.host = &far;
	for (int i = 0; i < 2; i++) {
		assert_true(http_get(probe(x, 60000), &f.at, "/", &a, &err));
		assert_non_null(heard(&f, "Host: 127.0.0.1:4711\r\n"));
		http_answer_free(&a);
	}
	assert_int_equal(routed, 0);
	assert_int_equal(atomic_load(&f.connections), 2); /* a route serves one connection */
	far.route = no_route;
	assert_false(http_get(probe(x, 60000), &f.at, "/", &a, &err));
	assert_string_equal(err.words, "127.0.0.1:4711: the far host does not reach it");
	assert_int_equal(routed, 0);
	http_answer_free(&a);
	x->p.host = x->host;
	fake_stop(&f);
}

/* ---- gRPC: a server of a few frames, written by hand (RFC 9113, RFC 7541) ---- */

static bool fake_take(struct fake *f, int fd, void *out, size_t len)
{
	char *at = out;

	while (len) {
		ssize_t n = fake_recv(f, fd, at, len);

		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

static void fake_frame(int fd, int type, int flags, int stream, const void *bytes, size_t len)
{
	unsigned char head[9] = {(unsigned char)(len >> 16), (unsigned char)(len >> 8), (unsigned char)len, (unsigned char)type,
		(unsigned char)flags, 0, 0, 0, (unsigned char)stream};

	fake_send(fd, head, sizeof head);
	fake_send(fd, bytes, len);
}

enum { DATA = 0, HEADERS = 1, SETTINGS = 4, END_STREAM = 1, ACK = 1, END_HEADERS = 4 };

static size_t put_string(unsigned char *out, const char *s)
{
	out[0] = (unsigned char)strlen(s); /* below 127, not Huffman */
	memcpy(out + 1, s, strlen(s));
	return 1 + strlen(s);
}

/* name, value, name, value, NULL as literals without index, after ":status 200" where status is asked for. */
static void send_headers(int fd, int stream, bool status, bool last, const char *const *pairs)
{
	unsigned char block[2048];
	size_t n = 0;

	if (status)
		block[n++] = 0x88;
	for (; pairs[0]; pairs += 2) {
		block[n++] = 0;
		n += put_string(block + n, pairs[0]);
		n += put_string(block + n, pairs[1]);
	}
	fake_frame(fd, HEADERS, END_HEADERS | (last ? END_STREAM : 0), stream, block, n);
}

/* Takes preface, settings, headers and message of one call. False: the client went away. */
static bool fake_call(struct fake *f, int fd, int *stream)
{
	unsigned char head[9];
	char preface[24];
	size_t len;

	if (!fake_take(f, fd, preface, sizeof preface) || memcmp(preface, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24) != 0)
		return false;
	fake_frame(fd, SETTINGS, 0, 0, "", 0);
	do {
		if (!fake_take(f, fd, head, sizeof head))
			return false;
		len = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
		if (len > sizeof f->bytes || !fake_take(f, fd, f->bytes, len))
			return false;
		if (head[3] == SETTINGS && !(head[4] & ACK))
			fake_frame(fd, SETTINGS, ACK, 0, "", 0);
		*stream = head[8];
	} while (head[3] != DATA || !(head[4] & END_STREAM));
	atomic_fetch_add(&f->requests, 1);
	return true;
}

static const char *const grpc_head[] = {"content-type", "application/grpc", NULL};
static const char *const grpc_ok[] = {"grpc-status", "0", NULL};

static void serve_grpc_echo(struct fake *f, int fd)
{
	int stream;

	if (!fake_call(f, fd, &stream))
		return;
	send_headers(fd, stream, true, false, grpc_head);
	fake_frame(fd, DATA, 0, stream, f->bytes, 5 + (size_t)f->bytes[4]);
	send_headers(fd, stream, false, true, grpc_ok);
	fake_linger(f, fd);
}

static void serve_grpc_trailers_only(struct fake *f, int fd)
{
	static const char *const pairs[] = {"content-type", "application/grpc", "grpc-status", "12", "grpc-message",
		"%0AMethod not%20found: %1B[31mspark.connect%C3%A4 100%", NULL};
	int stream;

	if (!fake_call(f, fd, &stream))
		return;
	send_headers(fd, stream, true, true, pairs);
	fake_linger(f, fd);
}

static void serve_grpc_no_status(struct fake *f, int fd)
{
	int stream;

	if (!fake_call(f, fd, &stream))
		return;
	send_headers(fd, stream, true, false, grpc_head);
	fake_frame(fd, DATA, END_STREAM, stream, "\0\0\0\0\2ok", 7);
	fake_linger(f, fd);
}

static void serve_grpc_cut(struct fake *f, int fd)
{
	int stream;

	if (!fake_call(f, fd, &stream))
		return;
	send_headers(fd, stream, true, false, grpc_head);
	fake_frame(fd, DATA, 0, stream, "\0\0\0\0\xff" "ok", 7);
	send_headers(fd, stream, false, true, grpc_ok);
	fake_linger(f, fd);
}

static void serve_grpc_too_large(struct fake *f, int fd)
{
	int stream;

	if (!fake_call(f, fd, &stream))
		return;
	send_headers(fd, stream, true, false, grpc_head);
	fake_frame(fd, DATA, 0, stream, "\0\xff\xff\xff\xff" "ok", 7);
	send_headers(fd, stream, false, true, grpc_ok);
	fake_linger(f, fd);
}

/* "one", "" and "three" in frames that know nothing of them. */
static void serve_grpc_stream(struct fake *f, int fd)
{
	int stream;

	if (!fake_call(f, fd, &stream))
		return;
	send_headers(fd, stream, true, false, grpc_head);
	fake_frame(fd, DATA, 0, stream, "\0\0", 2);
	fake_frame(fd, DATA, 0, stream, "\0\0\3on", 5);
	fake_frame(fd, DATA, 0, stream, "e\0\0\0\0\0\0\0\0\0\5th", 13);
	fake_frame(fd, DATA, 0, stream, "ree", 3);
	send_headers(fd, stream, false, true, grpc_ok);
	fake_linger(f, fd);
}

static void serve_grpc_compressed(struct fake *f, int fd)
{
	int stream;

	if (!fake_call(f, fd, &stream))
		return;
	send_headers(fd, stream, true, false, grpc_head);
	fake_frame(fd, DATA, 0, stream, "\1\0\0\0\2ok", 7);
	send_headers(fd, stream, false, true, grpc_ok);
	fake_linger(f, fd);
}

static void serve_grpc_dies(struct fake *f, int fd)
{
	int stream;

	if (!fake_call(f, fd, &stream))
		return;
	send_headers(fd, stream, true, false, grpc_head);
	fake_frame(fd, DATA, 0, stream, "\0\0\0\0\2o", 6);
}

static void serve_h2_html(struct fake *f, int fd)
{
	static const char *const pairs[] = {"content-type", "text/html", NULL};
	int stream;

	if (!fake_call(f, fd, &stream))
		return;
	send_headers(fd, stream, true, false, pairs);
	fake_frame(fd, DATA, END_STREAM, stream, "<html>", 6);
	fake_linger(f, fd);
}

static void serve_http1_only(struct fake *f, int fd)
{
	if (fake_hear(f, fd))
		fake_say(fd, "HTTP/1.1 505 HTTP Version Not Supported\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
}

static enum err_code call(struct fixture *x, struct fake *f, struct grpc_answer *a)
{
	struct err err = {0};
	char name[32];

	if (grpc_call(probe(x, 60000), &f->at, "/some.Service/Method", TEXT("ping"), NULL, a, &err))
		return ERR_NONE;
	snprintf(name, sizeof name, "127.0.0.1:%u: ", (unsigned)f->at.port);
	if (strncmp(err.words, name, strlen(name)) != 0)
		fail_msg("does not name the endpoint: %s", err.words);
	assert_int_not_equal(err.code, ERR_NONE);
	return err.code;
}

static void a_unary_call_brings_message_and_status(void **state)
{
	struct fixture *x = *state;
	struct grpc_answer a;
	struct fake f;

	fake_start(&f, serve_grpc_echo);
	for (int i = 0; i < 3; i++) { /* libcurl 7.88 fails the second one on a kept connection */
		assert_int_equal(call(x, &f, &a), ERR_NONE);
		assert_int_equal(a.status, 0);
		assert_string_equal(a.message, "");
		assert_int_equal(a.body.len, 4);
		assert_string_equal(a.body.at, "ping");
		grpc_answer_free(&a);
	}
	assert_int_equal(atomic_load(&f.connections), 3);
	assert_int_equal(x->p.requests, 3);
	fake_stop(&f);
}

static void a_status_among_the_first_headers_counts_and_its_message_is_clean(void **state)
{
	struct fixture *x = *state;
	struct grpc_answer a;
	struct fake f;

	fake_start(&f, serve_grpc_trailers_only);
	assert_int_equal(call(x, &f, &a), ERR_NONE);
	assert_int_equal(a.status, 12);
	assert_string_equal(a.message, "Method not found: [31mspark.connect\xc3\xa4 100%");
	assert_int_equal(a.body.len, 0);
	grpc_answer_free(&a);
	fake_stop(&f);
}

static void no_status_is_minus_one_and_not_ok(void **state)
{
	struct fixture *x = *state;
	struct grpc_answer a;
	struct fake f;

	fake_start(&f, serve_grpc_no_status);
	assert_int_equal(call(x, &f, &a), ERR_NONE);
	assert_int_equal(a.status, -1);
	assert_string_equal(a.body.at, "ok");
	grpc_answer_free(&a);
	fake_stop(&f);
}

static void what_is_not_grpc_is_a_protocol_error(void **state)
{
	static void (*const serves[])(struct fake *, int) = {serve_grpc_cut, serve_grpc_compressed, serve_grpc_dies, serve_h2_html,
		serve_http1_only, serve_garbage, serve_nothing, serve_rst};
	struct fixture *x = *state;

	for (size_t i = 0; i < sizeof serves / sizeof *serves; i++) {
		struct grpc_answer a;
		struct fake f;

		fake_start(&f, serves[i]);
		if (call(x, &f, &a) != ERR_PROTOCOL)
			fail_msg("server %zu", i);
		grpc_answer_free(&a);
		fake_stop(&f);
	}
}

struct heard {
	char words[64];
	unsigned n, most;
};

static bool hear(void *ctx, struct text message)
{
	struct heard *h = ctx;
	size_t len = strlen(h->words);

	snprintf(h->words + len, sizeof h->words - len, "%.*s,", (int)message.len, message.at);
	return ++h->n < h->most;
}

static bool listen_to(struct fixture *x, struct fake *f, struct heard *h, size_t most, struct grpc_answer *a, struct err *err)
{
	return grpc_stream(probe(x, 60000), &f->at, "/some.Service/Method", TEXT("ping"), NULL, most, hear, h, a, err);
}

static void a_stream_brings_every_message_whole_however_it_was_cut(void **state)
{
	struct fixture *x = *state;
	struct heard h = {.most = 9};
	struct grpc_answer a;
	struct err err = {0};
	struct fake f;

	fake_start(&f, serve_grpc_stream);
	assert_true(listen_to(x, &f, &h, 5, &a, &err));
	assert_string_equal(h.words, "one,,three,");
	assert_int_equal(a.status, 0);
	fake_stop(&f);
}

static void a_stream_ends_where_nobody_wants_more(void **state)
{
	struct fixture *x = *state;
	struct heard h = {.most = 1};
	struct grpc_answer a;
	struct err err = {0};
	struct fake f;

	fake_start(&f, serve_grpc_stream);
	assert_false(listen_to(x, &f, &h, 5, &a, &err));
	assert_int_equal(err.code, ERR_CANCELLED);
	assert_string_equal(h.words, "one,");
	fake_stop(&f);
}

static void a_message_beyond_the_cap_is_refused_by_its_size(void **state)
{
	struct fixture *x = *state;
	struct heard h = {.most = 9};
	struct grpc_answer a;
	struct err err = {0};
	struct fake f;

	fake_start(&f, serve_grpc_too_large);
	assert_false(listen_to(x, &f, &h, 64 << 20, &a, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_non_null(strstr(err.words, "4.0 GiB, more than the 64 MiB"));
	fake_stop(&f);
	fake_start(&f, serve_grpc_stream);
	assert_false(listen_to(x, &f, &h, 4, &a, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_string_equal(h.words, "one,,");
	fake_stop(&f);
}

static void a_mute_grpc_server_costs_its_deadline(void **state)
{
	struct fixture *x = *state;
	struct grpc_answer a;
	struct err err = {0};
	struct fake f;

	fake_start(&f, serve_hang);
	assert_false(grpc_call(probe(x, 150), &f.at, "/s/M", TEXT(""), NULL, &a, &err));
	assert_int_equal(err.code, ERR_TIMEOUT);
	grpc_answer_free(&a);
	fake_stop(&f);
}

/* ---- streams ---- */

static void serve_banner(struct fake *f, int fd)
{
	fake_say(fd, "SSH-2.0-OpenSSH_9.2\r\n");
	fake_linger(f, fd);
}

static void serve_word(struct fake *f, int fd)
{
	if (fake_take(f, fd, f->bytes, 4))
		fake_say(fd, "imok and more");
}

static void serve_bytes_forever(struct fake *f, int fd)
{
	static const char much[4096];

	(void)f;
	while (fake_send(fd, much, sizeof much)) {
	}
}

static void serve_deaf(struct fake *f, int fd)
{
	struct pollfd p = {f->stop[0], POLLIN, 0};

	(void)fd;
	poll(&p, 1, -1);
}

static void a_word_is_asked_and_answered_to_the_end(void **state)
{
	struct fixture *x = *state;
	struct buf answer;
	struct fake f;

	fake_start(&f, serve_word);
	assert_true(net_ask(probe(x, 60000), &f.at, TEXT("ruok"), 100, &answer, NULL));
	assert_string_equal(answer.at, "imok and more");
	assert_int_equal(x->p.requests, 1);
	assert_int_equal(x->p.bytes, 13);
	buf_free(&answer);
	fake_stop(&f);
}

static void an_answer_beyond_the_cap_is_said_to_be(void **state)
{
	struct fixture *x = *state;
	struct err err = {0};
	struct buf answer;
	struct fake f;

	fake_start(&f, serve_word);
	assert_false(net_ask(probe(x, 60000), &f.at, TEXT("ruok"), 4, &answer, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_string_equal(answer.at, "imok");
	buf_free(&answer);
	fake_stop(&f);
	fake_start(&f, serve_bytes_forever);
	assert_false(net_ask(probe(x, 60000), &f.at, TEXT("x"), 100000, &answer, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_int_equal(answer.len, 100000);
	buf_free(&answer);
	fake_stop(&f);
}

static void exact_bytes_come_or_it_is_said_how_many_did(void **state)
{
	struct fixture *x = *state;
	struct err err = {0};
	char bytes[32], expected[80];
	struct fake f;
	int fd;

	fake_start(&f, serve_word);
	fd = net_dial(probe(x, 60000), &f.at, &err);
	assert_true(fd >= 0);
	assert_true(net_send(&x->p, fd, "ruok", 4, &err));
	assert_true(net_read_exact(&x->p, fd, bytes, 4, &err));
	assert_memory_equal(bytes, "imok", 4);
	assert_false(net_read_exact(&x->p, fd, bytes, sizeof bytes, &err));
	assert_int_equal(err.code, ERR_PROTOCOL);
	snprintf(expected, sizeof expected, "127.0.0.1:%u: closed the connection after 9 of 32 bytes", (unsigned)f.at.port);
	assert_string_equal(err.words, expected);
	net_close(fd);
	fake_stop(&f);
}

static void a_banner_is_heard_and_silence_is_no_failure(void **state)
{
	struct fixture *x = *state;
	struct err err = {0};
	struct buf said;
	struct fake f;
	int fd;

	buf_init(&said, 64);
	fake_start(&f, serve_banner);
	fd = net_dial(probe(x, 60000), &f.at, &err);
	assert_true(net_read_some(&x->p, fd, 60000, &said, &err));
	assert_string_equal(said.at, "SSH-2.0-OpenSSH_9.2\r\n");
	buf_reset(&said);
	assert_true(net_read_some(&x->p, fd, 50, &said, &err));
	assert_int_equal(said.len, 0);
	assert_int_equal(err.code, ERR_NONE);
	x->p.wait = wait_for(50, -1);
	assert_false(net_read_some(&x->p, fd, 60000, &said, &err));
	assert_int_equal(err.code, ERR_TIMEOUT);
	net_close(fd);
	buf_free(&said);
	fake_stop(&f);
}

static void a_stream_that_breaks_or_stays_silent_ends_and_is_named(void **state)
{
	struct fixture *x = *state;
	struct err err = {0};
	struct buf answer;
	char expected[80];
	struct fake f;

	fake_start(&f, serve_hang);
	assert_false(net_ask(probe(x, 100), &f.at, TEXT("ruok"), 100, &answer, &err));
	assert_int_equal(err.code, ERR_TIMEOUT);
	snprintf(expected, sizeof expected, "127.0.0.1:%u: no answer within ", (unsigned)f.at.port);
	assert_ptr_equal(strstr(err.words, expected), err.words);
	buf_free(&answer);
	fake_stop(&f);
	assert_false(net_ask(probe(x, 60000), &f.at, TEXT("ruok"), 100, &answer, &err));
	assert_int_equal(err.code, ERR_CONNECT);
	buf_free(&answer);
	fake_start(&f, serve_rst);
	assert_false(net_ask(probe(x, 60000), &f.at, TEXT("x\r\n\r\n"), 100, &answer, &err));
	assert_int_equal(err.code, ERR_PROTOCOL);
	buf_free(&answer);
	fake_stop(&f);
}

static void a_peer_that_takes_nothing_cannot_hold_a_sender(void **state)
{
	static const char much[32 << 20]; /* more than the socket's buffers take */
	struct fixture *x = *state;
	struct err err = {0};
	struct fake f;
	int fd;

	fake_start(&f, serve_deaf);
	fd = net_dial(probe(x, 60000), &f.at, &err);
	x->p.wait = wait_for(100, -1);
	assert_false(net_send(&x->p, fd, much, sizeof much, &err));
	assert_int_equal(err.code, ERR_TIMEOUT);
	net_close(fd);
	fake_stop(&f);
}

/* ---- ports ---- */

static void a_port_of_a_role_is_the_profiles_and_else_the_kinds(void **state)
{
	static const struct port_role roles[] = {{.role = "master", .port = 9333}, {.role = "filer", .port = 8888}, {0}};
	static const struct service_kind kind = {.name = "test", .ports = roles};
	static const struct expected_port ports[] = {{NULL, 1111}, {"filer", 2222}};
	const struct expectation expected = {.name = "x", .kind = &kind, .ports = ports, .n_ports = 2};
	const struct expectation other = {.name = "y", .kind = NULL};
	struct probe p = {.expected = &expected};

	(void)state;
	assert_int_equal(probe_port(&p, "filer"), 2222);
	assert_int_equal(probe_port(&p, "s3"), 0);
	p.expected = &other;
	assert_int_equal(probe_port(&p, "filer"), 0);
	p.expected = NULL;
	assert_int_equal(probe_port(&p, "filer"), 0);
}

#define AGAINST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		AGAINST(an_answer_comes_with_status_headers_and_body),
		AGAINST(a_request_carries_what_it_was_given_and_the_next_one_nothing_of_it),
		AGAINST(a_signed_request_is_signed),
		AGAINST(a_head_request_waits_for_no_body),
		AGAINST(connections_are_kept_while_the_owner_is_the_same_process),
		AGAINST(nobody_there_is_a_refused_connection),
		AGAINST(a_server_that_says_nothing_costs_its_deadline_and_no_more),
		AGAINST(a_long_deadline_is_said_with_its_thousands),
		AGAINST(a_cancel_ends_a_question_at_once),
		AGAINST(what_is_not_http_is_a_protocol_error),
		AGAINST(a_flood_is_cut_at_the_cap),
		AGAINST(a_body_in_pieces_is_kept_nowhere_and_ends_at_the_cap_or_when_its_taker_has_enough),
		AGAINST(pieces_are_of_a_good_answer_alone_and_an_error_is_kept_as_ever),
		AGAINST(a_chunked_flood_is_cut_at_the_cap_and_what_fitted_is_there),
		AGAINST(a_gzip_bomb_is_cut_by_what_it_unpacks_to),
		AGAINST(endless_headers_are_cut_at_16_kib),
		AGAINST(a_redirect_is_an_answer_and_is_not_followed),
		AGAINST(a_refused_credential_is_an_answer_and_is_not_tried_again),
		AGAINST(half_an_answer_is_no_answer),
		AGAINST(a_closed_connection_without_a_word_is_a_protocol_error),
		AGAINST(a_slow_drip_ends_at_the_deadline), AGAINST(a_patient_probe_waits_as_long_as_something_comes),
		AGAINST(a_reset_is_a_protocol_error),
		AGAINST(headers_of_a_100_continue_are_not_the_answers),
		AGAINST(a_path_is_asked_as_it_is_or_not_at_all),
		AGAINST(an_ipv6_endpoint_is_bracketed),
		AGAINST(a_unix_socket_is_asked_by_its_path),
		AGAINST(every_connection_is_led_by_the_hosts_route),
		AGAINST(a_unary_call_brings_message_and_status),
		AGAINST(a_status_among_the_first_headers_counts_and_its_message_is_clean),
		AGAINST(no_status_is_minus_one_and_not_ok),
		AGAINST(what_is_not_grpc_is_a_protocol_error),
		AGAINST(a_stream_brings_every_message_whole_however_it_was_cut),
		AGAINST(a_stream_ends_where_nobody_wants_more),
		AGAINST(a_message_beyond_the_cap_is_refused_by_its_size),
		AGAINST(a_mute_grpc_server_costs_its_deadline),
		AGAINST(a_word_is_asked_and_answered_to_the_end),
		AGAINST(an_answer_beyond_the_cap_is_said_to_be),
		AGAINST(exact_bytes_come_or_it_is_said_how_many_did),
		AGAINST(a_banner_is_heard_and_silence_is_no_failure),
		AGAINST(a_stream_that_breaks_or_stays_silent_ends_and_is_named),
		AGAINST(a_peer_that_takes_nothing_cannot_hold_a_sender),
		cmocka_unit_test(a_port_of_a_role_is_the_profiles_and_else_the_kinds),
	};

	setlocale(LC_CTYPE, "C.UTF-8"); /* as the program does: widths of characters */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
