// SPDX-License-Identifier: MIT
/*
 * Programs, by argv and never by a shell. A child gets /dev/null for input, no descriptor of ours,
 * default signals, and a session of its own: it cannot ask for a password on our terminal, and a
 * kill reaches all of it. It is always reaped. Any thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "local.h"

extern char **environ;

enum { OUT, ERRORS, STREAMS, GRACE_MS = 100, LAST_MS = 500, CHUNK = 16384, TURNS = 64 };

struct child {
	pid_t pid;
	int exited;           /* pidfd: readable when it ended; -1 where the kernel has none */
	int from[STREAMS];    /* its output; -1 closed */
	struct buf *to[STREAMS]; /* NULL: dropped */
	bool (*take)(void *ctx, const char *bytes, size_t len); /* of OUT, as it comes; NULL: it is kept */
	void *ctx;
	bool enough;          /* take wanted no more */
	const struct program *program; /* where, with which environment, who hears of its start; NULL: as we are */
};

/* Reads what is there, a while. What a cap keeps out is dropped: a child that writes must not stop for us. */
static void drain(struct child *c, int i)
{
	struct buf *to = c->to[i];
	char chunk[CHUNK];

	for (int turns = 0; turns < TURNS && c->from[i] >= 0; turns++) {
		ssize_t n = read(c->from[i], chunk, sizeof chunk);
		size_t got = n > 0 ? (size_t)n : 0, room = to && to->max > to->len ? to->max - to->len : 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			close(c->from[i]);
			c->from[i] = -1;
		} else if (i == OUT && c->take) {
			c->enough = c->enough || !c->take(c->ctx, chunk, got);
		} else if (to) {
			buf_add(to, chunk, got < room ? got : room);
			to->full |= got > room;
		}
	}
}

/* 1: it ended, and status says how. 0: the deadline passed. -1: cancelled. */
static int attend(struct child *c, struct wait wait, int *status)
{
	for (;;) {
		struct pollfd p[] = {{c->from[OUT], POLLIN, 0}, {c->from[ERRORS], POLLIN, 0}, {c->exited, POLLIN, 0}, {wait.cancel, POLLIN, 0}};
		int64_t left = wait_left(wait);
		pid_t ended;

		if (c->exited < 0 && left > 20)
			left = 20; /* an old kernel: look often */
		poll(p, sizeof p / sizeof *p, left > 3600000 ? 3600000 : (int)left);
		for (int i = 0; i < STREAMS; i++)
			if (p[i].revents)
				drain(c, i);
		ended = waitpid(c->pid, status, WNOHANG);
		if (ended == c->pid || (ended < 0 && errno == ECHILD)) {
			/* a grandchild may hold the pipes for ever: what is there is what we take */
			drain(c, OUT);
			drain(c, ERRORS);
			if (ended < 0)
				*status = -1;
			return 1;
		}
		if (p[3].revents || c->enough)
			return -1;
		if (wait_left(wait) == 0)
			return 0;
	}
}

static void *reap(void *arg)
{
	while (waitpid((pid_t)(intptr_t)arg, NULL, 0) < 0 && errno == EINTR)
		continue;
	return NULL;
}

/* TERM, then KILL; one that hangs in the kernel is left to a thread that only waits for its end. */
static void end_child(struct child *c)
{
	static const struct {
		int signal;
		int64_t ms;
	} steps[] = {{SIGTERM, GRACE_MS}, {SIGKILL, LAST_MS}};
	int64_t grace = c->program ? c->program->grace_ms : 0;
	pthread_t thread;
	int status;

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		kill(-c->pid, steps[i].signal);
		if (attend(c, wait_for(i == 0 && grace ? grace : steps[i].ms, -1), &status) == 1)
			break;
		if (i == 1 && !pthread_create(&thread, NULL, reap, (void *)(intptr_t)c->pid))
			pthread_detach(thread);
	}
	kill(-c->pid, SIGKILL); /* what its group still holds */
}

/* What the user set, where we took more; programs that use select() rely on it. Written once, before there is a thread. */
static struct rlimit descriptors_of_children;

void host_more_descriptors(void)
{
	enum { ENOUGH = 4096 };
	struct rlimit limit, more;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= ENOUGH)
		return;
	more = (struct rlimit){limit.rlim_max < ENOUGH ? limit.rlim_max : ENOUGH, limit.rlim_max};
	if (setrlimit(RLIMIT_NOFILE, &more) == 0)
		descriptors_of_children = limit;
}

static int spawn(struct child *c, const char *const argv[], const int ends[STREAMS])
{
	char **environment = c->program ? environment_with(c->program->what.environment) : NULL;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int why;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, ends[OUT], 1);
	posix_spawn_file_actions_adddup2(&files, ends[ERRORS], 2);
	posix_spawn_file_actions_addclosefrom_np(&files, 3);
	if (c->program && c->program->what.directory)
		posix_spawn_file_actions_addchdir_np(&files, c->program->what.directory);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
	why = posix_spawnp(&c->pid, argv[0], &files, &attributes, (char *const *)(uintptr_t)argv, environment ? environment : environ);
	if (!why && descriptors_of_children.rlim_cur) /* posix_spawn() sets none: at once is as good as before */
		prlimit(c->pid, RLIMIT_NOFILE, &descriptors_of_children, NULL);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	free(environment);
	return why;
}

/* Pipes and the child at their other end; an errno. */
static int start(struct child *c, const char *const argv[])
{
	int pipes[STREAMS][2] = {{-1, -1}, {-1, -1}}, why = 0;

	/* our ends do not block; the child's do, as programs expect */
	for (int i = 0; i < STREAMS && !why; i++)
		if (pipe2(pipes[i], O_CLOEXEC) < 0 || fcntl(pipes[i][0], F_SETFL, O_NONBLOCK) < 0)
			why = errno;
	if (!why)
		why = spawn(c, argv, (const int[]){pipes[OUT][1], pipes[c->program ? OUT : ERRORS][1]});
	for (int i = 0; i < STREAMS; i++) {
		if (pipes[i][1] >= 0)
			close(pipes[i][1]);
		if (why && pipes[i][0] >= 0)
			close(pipes[i][0]);
		c->from[i] = why ? -1 : pipes[i][0];
	}
	if (!why)
		c->exited = (int)syscall(SYS_pidfd_open, c->pid, 0);
	return why;
}

static int run(struct child *child, const char *const argv[], struct wait wait, struct err *err)
{
	struct child c = *child;
	int why = start(&c, argv), ended, status = -1;

	if (why) {
		err_set(err, ERR_SYSTEM, "%s: %s", argv[0], strerrordesc_np(why) ? strerrordesc_np(why) : "cannot be run");
		return -1;
	}
	if (c.program && c.program->started)
		c.program->started(c.ctx, c.pid);
	ended = attend(&c, wait, &status);
	if (ended != 1)
		end_child(&c);
	for (int i = 0; i < STREAMS; i++)
		if (c.from[i] >= 0)
			close(c.from[i]);
	if (c.exited >= 0)
		close(c.exited);
	if (ended == 1 && status != -1 && WIFEXITED(status))
		return WEXITSTATUS(status);
	if (ended == 0)
		err_set(err, ERR_TIMEOUT, "%s: not done before the deadline, ended", argv[0]);
	else if (ended < 0)
		err_set(err, ERR_CANCELLED, "%s: cancelled", argv[0]);
	else if (status != -1 && WIFSIGNALED(status))
		err_set(err, ERR_SYSTEM, "%s: ended by signal %d", argv[0], WTERMSIG(status));
	else
		err_set(err, ERR_SYSTEM, "%s: its exit status is not known", argv[0]);
	return -1;
}

int local_exec(struct host *h, const char *const argv[], struct buf *out, struct buf *errors, struct wait wait, struct err *err)
{
	struct child c = {.exited = -1, .to = {out, errors}};

	(void)h;
	return run(&c, argv, wait, err);
}

int local_follow(struct host *h, const char *const argv[], bool (*take)(void *ctx, const char *bytes, size_t len), void *ctx, struct buf *errors,
	struct wait wait, struct err *err)
{
	struct child c = {.exited = -1, .to = {NULL, errors}, .take = take, .ctx = ctx};

	(void)h;
	return run(&c, argv, wait, err);
}

int local_run(struct host *h, const struct program *program, struct wait wait, struct err *err)
{
	struct child c = {.exited = -1, .take = program->take, .ctx = program->ctx, .program = program};

	(void)h;
	return run(&c, program->what.argv, wait, err);
}
