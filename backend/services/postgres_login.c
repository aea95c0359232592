// SPDX-License-Identifier: MIT
/*
 * A login that never shows the password. libpq before 16 has no require_auth: it answers a request
 * for the password in clear like any other. Where who holds the port is not known to be PostgreSQL,
 * a pair of sockets is put between libpq and the server until the login is over, and the server's
 * messages are read before libpq gets them: such a request never reaches it. Over TLS nothing can be
 * read; there channel_binding=require lets libpq answer SCRAM and nothing else.
 *
 * Source: PostgreSQL 15, "Message Formats"; libpq 15.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "postgres_session.h"

enum { CHUNK = 4096 };

struct between { /* libpq's descriptor is one end of a pair; the server is at real */
	int libpq, real, ours;
	struct postgres_vet vet;
};

/* False: it stays as it is, because there is no connection yet or no descriptor left; nothing was sent then that counts. */
static bool get_between(struct between *b, int fd)
{
	struct sockaddr_storage peer;
	socklen_t len = sizeof peer;
	int pair[2] = {-1, -1};

	*b = (struct between){.libpq = fd, .real = -1, .ours = -1};
	if (fd < 0 || getpeername(fd, (struct sockaddr *)&peer, &len) < 0 ||
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	b->real = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (b->real < 0 || dup3(pair[1], fd, O_CLOEXEC) < 0) {
		net_close(b->real);
		net_close(pair[0]);
		b->real = -1;
	} else {
		b->ours = pair[0];
	}
	net_close(pair[1]);
	return b->ours >= 0;
}

static bool put_all(int fd, const unsigned char *bytes, size_t len)
{
	while (len) {
		ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN)
			poll(&(struct pollfd){fd, POLLOUT, 0}, 1, 100);
		else if (n <= 0)
			return false;
		else {
			bytes += n;
			len -= (size_t)n;
		}
	}
	return true;
}

/* What libpq said goes on as it is. */
static void pass_on(struct between *b)
{
	unsigned char bytes[CHUNK];
	ssize_t n;

	while ((n = recv(b->ours, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
		if (!put_all(b->real, bytes, (size_t)n))
			return;
}

/* What the server says is looked at, and taken no further than the end of the login. False: it is over. */
static bool let_in(struct between *b)
{
	unsigned char bytes[CHUNK], out[CHUNK + 9];
	ssize_t n = recv(b->real, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
	size_t used, len;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0) {
		shutdown(b->ours, SHUT_WR);
		return false;
	}
	len = postgres_vet(&b->vet, bytes, (size_t)n, out, &used);
	while (used) {
		ssize_t taken = recv(b->real, bytes, used, MSG_DONTWAIT);

		if (taken <= 0)
			return false;
		used -= (size_t)taken;
	}
	return put_all(b->ours, out, len) && !b->vet.asks_clear;
}

/* libpq has its server back. */
static void get_out(struct between *b)
{
	if (b->ours < 0)
		return;
	pass_on(b);
	dup3(b->real, b->libpq, O_CLOEXEC);
	net_close(b->real);
	net_close(b->ours);
	b->ours = -1;
}

/* 1: there is something for libpq to do; as wait_fd() otherwise. */
static int await_either(struct probe *p, struct between *b)
{
	pass_on(b);
	for (;;) {
		int64_t left = wait_left(p->wait);
		struct pollfd fds[3] = {{b->real, POLLIN, 0}, {b->ours, POLLIN, 0}, {p->wait.cancel, POLLIN, 0}};

		if (!left || poll(fds, 3, left > 1000 ? 1000 : (int)left) < 0)
			return left ? 1 : 0;
		if (fds[2].revents)
			return -1;
		if (fds[1].revents)
			pass_on(b);
		if (fds[0].revents) {
			let_in(b);
			return 1;
		}
	}
}

bool postgres_log_in(struct probe *p, PGconn *conn, bool vetted, struct err *err)
{
	PostgresPollingStatusType want = PQstatus(conn) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
	struct between b = {.real = -1, .ours = -1};
	bool ended = false;

	while (!ended && (want == PGRES_POLLING_READING || want == PGRES_POLLING_WRITING)) {
		int ready;

		if (b.ours >= 0 && want == PGRES_POLLING_READING)
			ready = await_either(p, &b);
		else
			ready = wait_fd(p->wait, PQsocket(conn), want == PGRES_POLLING_READING ? POLLIN : POLLOUT);
		if (ready <= 0 || b.vet.asks_clear) {
			ended = true;
			err_set(err, ready < 0 ? ERR_CANCELLED : ready == 0 ? ERR_TIMEOUT : ERR_AUTH, "%s", ready < 0 ? "login was cancelled" : ready == 0 ?
				"login did not end in time" : "asks for the password in clear, and who holds its port is not known: not answered");
		} else if (vetted && b.ours < 0 && !get_between(&b, PQsocket(conn))) {
			/* not connected: libpq finds out why, and sends nothing */
			want = PQconnectPoll(conn);
			ended = want == PGRES_POLLING_READING;
			if (ended)
				err_set(err, ERR_SYSTEM, "no file descriptors left");
		} else {
			want = PQconnectPoll(conn);
		}
	}
	get_out(&b);
	if (ended)
		return false;
	if (want != PGRES_POLLING_OK)
		return err_set(err, ERR_CONNECT, "%s", PQerrorMessage(conn));
	return PQsetnonblocking(conn, 1) == 0 || err_set(err, ERR_SYSTEM, "%s", PQerrorMessage(conn));
}
