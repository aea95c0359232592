// SPDX-License-Identifier: MIT
/*
 * Streams: questions in protocols of our own, each bounded by the probe's wait. Connections come
 * from the host, so that a far one is reached the same way. The actor's thread only.
 */
#include "net.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transfer.h"
#include "value.h"

struct net *net_new(struct host *host)
{
	struct net *net = mem_new(1, sizeof *net);

	net->host = host;
	net->fd = -1;
	return net;
}

void net_free(struct net *net)
{
	if (!net)
		return;
	curl_easy_cleanup(net->http);
	curl_easy_cleanup(net->grpc);
	curl_multi_cleanup(net->multi);
	free(net);
}

/* ---- what a stream leads to, for messages ---- */

static int remember(struct probe *p, int fd, const char *name)
{
	p->requests++;
	if (fd >= 0 && p->net) {
		p->net->fd = fd;
		text_clean(p->net->fd_name, sizeof p->net->fd_name, text_of(name));
	}
	return fd;
}

static const char *name_of(const struct probe *p, int fd, char out[ENDPOINT_TEXT])
{
	return p->net && p->net->fd == fd ? p->net->fd_name : endpoint_text(out, &p->at);
}

/* ---- streams ---- */

int net_dial(struct probe *p, const struct endpoint *at, struct err *err)
{
	char name[ENDPOINT_TEXT];

	return remember(p, p->host->dial_tcp(p->host, at->address, at->port, p->wait, err), endpoint_text(name, at));
}

enum answered net_undialled(const struct err *err)
{
	if (err->code == ERR_CONNECT)
		return ANSWERED_REFUSED;
	return err->code == ERR_SYSTEM || err->code == ERR_USAGE || err->code == ERR_CANCELLED ? ANSWERED_NOT_ASKED : ANSWERED_MUTE;
}

/* Waits until fd is ready; limit is how long this question waits in all, for the message. */
static bool await(const struct probe *p, int fd, short events, struct wait wait, int64_t limit, struct err *err)
{
	char name[ENDPOINT_TEXT], ms[32];

	switch (wait_fd(wait, fd, events)) {
	case 1:
		return true;
	case 0:
		return err_set(err, ERR_TIMEOUT, "%s: no answer within %s", name_of(p, fd, name), limit_text(ms, limit));
	default:
		return err_set(err, ERR_CANCELLED, "%s: cancelled", name_of(p, fd, name));
	}
}

static bool again(int why)
{
	return why == EAGAIN || why == EINTR;
}

static bool broken(const struct probe *p, int fd, int why, struct err *err)
{
	char name[ENDPOINT_TEXT];
	const char *words = strerrordesc_np(why);

	return err_set(err, ERR_PROTOCOL, "%s: broke the connection: %s", name_of(p, fd, name), words ? words : "unknown error");
}

bool net_send(struct probe *p, int fd, const void *bytes, size_t len, struct err *err)
{
	const char *at = bytes;
	int64_t limit = wait_left(p->wait);

	while (len) {
		ssize_t n = send(fd, at, len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && !again(errno))
			return broken(p, fd, errno, err);
		if (n < 0 && !await(p, fd, POLLOUT, p->wait, limit, err))
			return false;
		if (n > 0) {
			at += n;
			len -= (size_t)n;
		}
	}
	return true;
}

/* At most len bytes that arrive before wait ends; 0: the other side is done; -1: err says why. */
static ssize_t receive(struct probe *p, int fd, void *out, size_t len, struct wait wait, int64_t limit, struct err *err)
{
	for (;;) {
		ssize_t n;

		if (!await(p, fd, POLLIN, wait, limit, err))
			return -1;
		n = recv(fd, out, len, MSG_DONTWAIT);
		if (n >= 0) {
			p->bytes += (size_t)n;
			return n;
		}
		if (!again(errno)) {
			broken(p, fd, errno, err);
			return -1;
		}
	}
}

bool net_read_exact(struct probe *p, int fd, void *out, size_t len, struct err *err)
{
	int64_t limit = wait_left(p->wait);
	char name[ENDPOINT_TEXT], *at = out;
	size_t got = 0;

	while (got < len) {
		ssize_t n = receive(p, fd, at + got, len - got, p->wait, limit, err);

		if (n < 0)
			return false;
		if (n == 0)
			return err_set(err, ERR_PROTOCOL, "%s: closed the connection after %zu of %zu bytes", name_of(p, fd, name), got, len);
		got += (size_t)n;
	}
	return true;
}

static bool too_much(const struct probe *p, int fd, const struct buf *out, struct err *err)
{
	char name[ENDPOINT_TEXT], size[VALUE_TEXT_SIZE];

	value_show(size, value_int((int64_t)out->max), UNIT_BYTES);
	return err_set(err, ERR_LIMIT, "%s: its answer is larger than %s", name_of(p, fd, name), size);
}

bool net_read_to_end(struct probe *p, int fd, struct buf *out, struct err *err)
{
	int64_t limit = wait_left(p->wait);
	char bytes[4096];

	for (;;) {
		size_t room = out->max - out->len;
		ssize_t n = receive(p, fd, bytes, sizeof bytes, p->wait, limit, err);

		if (n <= 0)
			return n == 0;
		if (buf_add(out, bytes, (size_t)n < room ? (size_t)n : room) && (size_t)n > room) {
			out->full = true;
			return too_much(p, fd, out, err);
		}
	}
}

bool net_read_some(struct probe *p, int fd, int64_t ms, struct buf *out, struct err *err)
{
	struct wait wait = wait_for(ms, p->wait.cancel);
	bool ours = wait.deadline <= p->wait.deadline; /* this silence was agreed on, and is no failure */
	struct err why = {0};
	char bytes[4096];
	size_t room = out->max - out->len;
	ssize_t n = receive(p, fd, bytes, room < sizeof bytes ? room : sizeof bytes, ours ? wait : p->wait,
		ours ? ms : wait_left(p->wait), &why);

	if (n > 0)
		return buf_add(out, bytes, (size_t)n);
	if (n == 0 || (why.code == ERR_TIMEOUT && ours))
		return true;
	return err_set(err, why.code, "%s", why.words);
}

void net_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

bool net_ask(struct probe *p, const struct endpoint *at, struct text question, size_t most, struct buf *answer, struct err *err)
{
	int fd;
	bool good;

	buf_init(answer, most);
	fd = net_dial(p, at, err);
	if (fd < 0)
		return false;
	good = net_send(p, fd, question.at, question.len, err) && net_read_to_end(p, fd, answer, err);
	net_close(fd);
	return good;
}
