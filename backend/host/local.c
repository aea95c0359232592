// SPDX-License-Identifier: MIT
/*
 * This machine as a host: connections that end by their deadline. Holds no state, so that every
 * function may be called from any thread.
 */
#include "local.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int dial_failed(int fd, struct err *err, const char *what, int why)
{
	enum err_code code = ERR_CONNECT;

	if (why == ETIMEDOUT)
		code = ERR_TIMEOUT;
	else if (why == EACCES || why == EPERM || why == EMFILE || why == ENFILE || why == ENOMEM)
		code = ERR_SYSTEM;
	err_set(err, code, "%s: %s", what, strerrordesc_np(why) ? strerrordesc_np(why) : "cannot connect");
	if (fd >= 0)
		close(fd);
	return -1;
}

/* A socket of this machine may connect to itself where nobody listens: source and target port are then the same. */
static bool is_own_echo(int fd)
{
	struct sockaddr_storage here, there;
	socklen_t here_len = sizeof here, there_len = sizeof there;

	return !getsockname(fd, (struct sockaddr *)&here, &here_len) && !getpeername(fd, (struct sockaddr *)&there, &there_len) &&
	       here_len == there_len && !memcmp(&here, &there, here_len);
}

static int await_connection(int fd, struct wait wait, struct err *err, const char *what)
{
	int why = 0;
	socklen_t len = sizeof why;

	switch (wait_fd(wait, fd, POLLOUT)) {
	case 0:
		err_set(err, ERR_TIMEOUT, "%s: no connection before the deadline", what);
		break;
	case 1:
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &len) < 0)
			why = errno;
		return why ? dial_failed(fd, err, what, why) : fd;
	default:
		err_set(err, ERR_CANCELLED, "%s: cancelled", what);
	}
	close(fd);
	return -1;
}

static int dial_tcp(struct host *h, const char *address, uint16_t port, struct wait wait, struct err *err)
{
	static const struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
	const int on = 1;
	struct addrinfo *to;
	char what[ADDRESS_SIZE + 8], service[8];
	int fd;

	(void)h;
	snprintf(what, sizeof what, strchr(address, ':') ? "[%s]:%u" : "%s:%u", address, (unsigned)port);
	snprintf(service, sizeof service, "%u", (unsigned)port);
	if (getaddrinfo(address, service, &numeric, &to) != 0) {
		err_set(err, ERR_USAGE, "\"%s\" is not a numeric address", address);
		return -1;
	}
	fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || (connect(fd, to->ai_addr, to->ai_addrlen) < 0 && errno != EINPROGRESS))
		fd = dial_failed(fd, err, what, errno);
	else
		fd = await_connection(fd, wait, err, what);
	freeaddrinfo(to);
	if (fd >= 0 && is_own_echo(fd))
		return dial_failed(fd, err, what, ECONNREFUSED);
	if (fd >= 0)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return fd;
}

static int dial_unix(struct host *h, const char *path, struct wait wait, struct err *err)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd;

	(void)h;
	if (strlen(path) >= sizeof to.sun_path) {
		err_set(err, ERR_USAGE, "%s: too long for the path of a socket", path);
		return -1;
	}
	text_copy(to.sun_path, sizeof to.sun_path, text_of(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return dial_failed(fd, err, path, errno);
	while (connect(fd, (const struct sockaddr *)&to, sizeof to) < 0) {
		int why = errno;

		if (why == EINPROGRESS)
			return await_connection(fd, wait, err, path);
		if (why != EAGAIN)
			return dial_failed(fd, err, path, why);
		/* its queue is full, and nothing tells when that ends */
		if (wait_left(wait) == 0)
			return dial_failed(fd, err, path, ETIMEDOUT);
		if (wait_fd(wait_for(10, wait.cancel), -1, 0) < 0) {
			err_set(err, ERR_CANCELLED, "%s: cancelled", path);
			close(fd);
			return -1;
		}
	}
	return fd;
}

static bool route_to(struct host *h, const char *address, uint16_t port, struct route *out, struct err *err)
{
	(void)h;
	(void)err;
	*out = (struct route){.port = port};
	text_copy(out->address, sizeof out->address, text_of(address));
	return true;
}

static void unroute(struct host *h, struct route *route)
{
	(void)h;
	*route = (struct route){0};
}

static void close_host(struct host *h)
{
	free(h);
}

static const struct host local = {
	.name = "localhost",
	.dial_tcp = dial_tcp,
	.dial_unix = dial_unix,
	.route = route_to,
	.unroute = unroute,
	.read_file = local_read_file,
	.stream_file = local_stream_file,
	.read_tail = local_read_tail,
	.read_from = local_read_from,
	.read_beside = local_read_beside,
	.programs = local_programs,
	.children = local_children,
	.list = local_list,
	.stat = local_stat,
	.exec = local_exec,
	.follow = local_follow,
	.run = local_run,
	.spawn = local_spawn,
	.spawned = local_spawned,
	.began = local_began,
	.signal = local_signal,
	.look = local_look,
	.look_end = local_look_end,
	.close = close_host,
};

struct host *host_local(void)
{
	struct host *h = mem_new(1, sizeof *h);

	*h = local;
	return h;
}
