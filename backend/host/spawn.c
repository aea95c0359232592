// SPDX-License-Identifier: MIT
/*
 * Programs that go on without us, and signals to processes: what starting and stopping needs of a
 * machine. Only the gate's workers call it. Any thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "local.h"
#include "look.h"

extern char **environ;

enum { SPAWNED_MAX = 64, RUNS = -1, NOT_OURS = -2, SAME_START_MS = 1500 };

static struct { /* children of ours: reaped, and how they ended is kept */
	pthread_mutex_t lock;
	struct { pid_t pid; int ended; } list[SPAWNED_MAX];
	size_t n;
} spawned_ones = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void reap_spawned(void)
{
	int status;

	for (size_t i = 0; i < spawned_ones.n; i++)
		if (spawned_ones.list[i].ended == RUNS && waitpid(spawned_ones.list[i].pid, &status, WNOHANG) == spawned_ones.list[i].pid)
			spawned_ones.list[i].ended = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int local_spawned(struct host *h, pid_t pid)
{
	int ended = NOT_OURS;

	(void)h;
	pthread_mutex_lock(&spawned_ones.lock);
	reap_spawned();
	for (size_t i = 0; i < spawned_ones.n; i++)
		if (spawned_ones.list[i].pid == pid)
			ended = spawned_ones.list[i].ended;
	pthread_mutex_unlock(&spawned_ones.lock);
	return ended;
}

static void keep_spawned(pid_t pid)
{
	size_t at = 0;

	pthread_mutex_lock(&spawned_ones.lock);
	reap_spawned();
	/* one that ended gives its place, and so does an old one with the same number */
	while (at < spawned_ones.n && spawned_ones.list[at].pid != pid && (spawned_ones.n < SPAWNED_MAX || spawned_ones.list[at].ended == RUNS))
		at++;
	if (at < SPAWNED_MAX) {
		spawned_ones.list[at].pid = pid;
		spawned_ones.list[at].ended = RUNS;
		spawned_ones.n += at == spawned_ones.n;
	}
	pthread_mutex_unlock(&spawned_ones.lock);
}

char **environment_with(const char *const *more)
{
	size_t n = 0, m = 0;
	char **all;

	while (environ[n])
		n++;
	while (more && more[m])
		m++;
	all = mem_new(n + m + 1, sizeof *all);
	n = 0;
	for (size_t i = 0; environ[i]; i++) {
		bool anew = false;

		for (size_t k = 0; k < m; k++)
			anew = anew || !strncmp(environ[i], more[k], strcspn(more[k], "=") + 1);
		if (!anew)
			all[n++] = environ[i];
	}
	for (size_t k = 0; k < m; k++)
		all[n++] = (char *)(uintptr_t)more[k];
	return all;
}

pid_t local_spawn(struct host *h, const struct spawn *what, struct err *err)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	char **environment = environment_with(what->environment);
	sigset_t none, signals;
	pid_t pid = 0;
	int why;

	(void)h;
	sigemptyset(&none);
	sigfillset(&signals);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, what->log ? what->log : "/dev/null", O_WRONLY | O_APPEND | O_CREAT, 0640);
	posix_spawn_file_actions_adddup2(&files, 1, 2);
	posix_spawn_file_actions_addclosefrom_np(&files, 3);
	if (what->directory)
		posix_spawn_file_actions_addchdir_np(&files, what->directory);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &signals);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
	why = posix_spawnp(&pid, what->argv[0], &files, &attributes, (char *const *)(uintptr_t)what->argv, environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	free(environment);
	if (why) {
		err_set(err, ERR_SYSTEM, "%s: %s%s%s", what->argv[0], strerrordesc_np(why) ? strerrordesc_np(why) : "cannot be run",
			what->log ? ", or its log cannot be written: " : "", what->log ? what->log : "");
		return 0;
	}
	keep_spawned(pid);
	return pid;
}

int64_t local_began(struct host *h, pid_t pid)
{
	char path[40], line[1024];
	struct stat_line stat;
	struct timespec boot, wall;
	ssize_t n;
	int fd;

	(void)h;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, line, sizeof line) : -1;
	if (fd >= 0)
		close(fd);
	if (n <= 0 || !stat_parse((struct text){line, (size_t)n}, &stat) || stat.state == 'Z' || stat.state == 'X')
		return 0;
	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &wall);
	return (int64_t)(wall.tv_sec - boot.tv_sec) * 1000 + (wall.tv_nsec - boot.tv_nsec) / 1000000 +
		(int64_t)stat.started * 1000 / sysconf(_SC_CLK_TCK);
}

bool local_signal(struct host *h, pid_t pid, int64_t started, int number, struct err *err)
{
	int fd = pid > 1 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1, why = pid > 1 && fd < 0 ? errno : 0;
	int64_t began;

	if (pid <= 1)
		return err_set(err, ERR_SYSTEM, "process %d is not one to be signalled", (int)pid);
	if (why && why != ENOSYS) /* a kernel without it: by the number, right after the look */
		return err_set(err, ERR_SYSTEM, "process %d: %s", (int)pid, strerrordesc_np(why));
	/* the number may be another's by now: the descriptor holds the one whose start is looked at */
	began = local_began(h, pid);
	if (!began || llabs(began - started) > SAME_START_MS) {
		if (fd >= 0)
			close(fd);
		return err_set(err, ERR_SYSTEM, "process %d is another one by now", (int)pid);
	}
	why = (fd >= 0 ? syscall(SYS_pidfd_send_signal, fd, number, NULL, 0) : kill(pid, number)) < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	return !why || err_set(err, ERR_SYSTEM, "process %d: %s", (int)pid, strerrordesc_np(why));
}
