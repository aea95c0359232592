// SPDX-License-Identifier: MIT
/* See fixture_server.h. */
#include "fixture_server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS_MAX = 30, HEARD_MAX = 65536 };

struct fake_server {
	struct pollfd fds[CLIENTS_MAX + 2]; /* listener, stop, then clients */
	nfds_t n;
	int stop[2];
	struct endpoint at;
	pthread_t thread;
	bool (*answer)(void *ctx, struct text question, struct buf *out);
	void *ctx;
	char heard[HEARD_MAX];
};

static void must(bool good, const char *what)
{
	if (!good) {
		perror(what);
		abort();
	}
}

static bool serve(struct fake_server *s, int fd)
{
	ssize_t n = recv(fd, s->heard, sizeof s->heard, 0);
	struct buf out;
	bool more;

	if (n <= 0)
		return false;
	buf_init(&out, 4u << 20);
	more = s->answer(s->ctx, (struct text){s->heard, (size_t)n}, &out);
	for (size_t sent = 0; sent < out.len;) {
		ssize_t now = send(fd, out.at + sent, out.len - sent, MSG_NOSIGNAL);

		if (now <= 0) {
			more = false;
			break;
		}
		sent += (size_t)now;
	}
	buf_free(&out);
	return more;
}

static void drop(struct fake_server *s, nfds_t i)
{
	close(s->fds[i].fd);
	s->fds[i] = s->fds[--s->n];
}

static void *run(void *arg)
{
	struct fake_server *s = arg;

	while (poll(s->fds, s->n, -1) > 0 && !s->fds[1].revents) {
		for (nfds_t i = s->n; i-- > 2;)
			if (s->fds[i].revents && !serve(s, s->fds[i].fd))
				drop(s, i);
		if (s->fds[0].revents && s->n < CLIENTS_MAX + 2) {
			int fd = accept(s->fds[0].fd, NULL, NULL);

			if (fd >= 0)
				s->fds[s->n++] = (struct pollfd){fd, POLLIN, 0};
		}
	}
	return NULL;
}

struct fake_server *fake_server_start(bool (*answer)(void *ctx, struct text question, struct buf *out), void *ctx)
{
	struct fake_server *s = mem_new(1, sizeof *s);
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof at;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	must(listener >= 0 && bind(listener, (struct sockaddr *)&at, len) == 0 && listen(listener, 16) == 0, "fake server");
	must(getsockname(listener, (struct sockaddr *)&at, &len) == 0 && pipe(s->stop) == 0, "fake server");
	s->answer = answer;
	s->ctx = ctx;
	s->at = (struct endpoint){.address = "127.0.0.1", .port = ntohs(at.sin_port)};
	s->fds[0] = (struct pollfd){listener, POLLIN, 0};
	s->fds[1] = (struct pollfd){s->stop[0], POLLIN, 0};
	s->n = 2;
	must(pthread_create(&s->thread, NULL, run, s) == 0, "fake server");
	return s;
}

void fake_server_stop(struct fake_server *s)
{
	must(write(s->stop[1], "x", 1) == 1, "fake server");
	pthread_join(s->thread, NULL);
	while (s->n > 2)
		drop(s, s->n - 1);
	close(s->fds[0].fd);
	close(s->stop[0]);
	close(s->stop[1]);
	free(s);
}

struct endpoint fake_server_at(const struct fake_server *s)
{
	return s->at;
}

void fake_http(struct buf *out, int status, const char *headers, const char *body)
{
	buf_printf(out, "HTTP/1.1 %d Said\r\n%sContent-Length: %zu\r\nConnection: close\r\n\r\n%s", status, headers, strlen(body), body);
}

bool fake_asks_for(struct text question, const char *path)
{
	return text_skip(&question, "GET ") && text_is(text_until(question, ' '), path);
}

void fake_probe_begin(struct fake_probe *f, struct endpoint at, int64_t ms)
{
	f->host = host_local();
	f->net = net_new(f->host);
	f->s = snapshot_new("test", PART_DEPTH);
	f->p = (struct probe){.host = f->host, .net = f->net, .wait = wait_for(ms, -1), .at = at, .hint = "", .arena = f->s->arena};
}

void fake_probe_end(struct fake_probe *f)
{
	snapshot_unref(f->s);
	net_free(f->net);
	f->host->close(f->host);
}
