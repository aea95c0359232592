// SPDX-License-Identifier: MIT
/*
 * How full the disks are. statvfs() on a dead mount never returns, and no list of file systems
 * says which may die: so each path is asked by a thread of its own, which is left alone when it
 * does not come back. Until it does, that path is not asked again.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include "look.h"

enum { PATIENCE_MS = 100, STACK = 64 * 1024 };

struct disk_ask { /* shared with its thread: the last one frees it */
	pthread_mutex_t lock;
	pthread_cond_t answered;
	unsigned refs;
	bool asking;
	struct disk disk;
};

static void release(struct disk_ask *ask)
{
	bool last;

	pthread_mutex_lock(&ask->lock);
	last = --ask->refs == 0;
	pthread_mutex_unlock(&ask->lock);
	if (!last)
		return;
	pthread_cond_destroy(&ask->answered);
	pthread_mutex_destroy(&ask->lock);
	free(ask);
}

static struct disk_ask *ask_new(const char *path)
{
	struct disk_ask *ask = mem_new(1, sizeof *ask);
	pthread_condattr_t attributes;

	pthread_mutex_init(&ask->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&ask->answered, &attributes);
	pthread_condattr_destroy(&attributes);
	ask->refs = 1;
	ask->disk.inodes_free = -1;
	text_copy(ask->disk.path, sizeof ask->disk.path, text_of(path));
	return ask;
}

static void *asks(void *arg)
{
	struct disk_ask *ask = arg;
	struct statvfs fs = {0};
	struct stat st = {0};
	bool fine = statvfs(ask->disk.path, &fs) == 0 && stat(ask->disk.path, &st) == 0; /* the path is never changed */

	const char *why = fine ? "" : strerrordesc_np(errno);

	pthread_mutex_lock(&ask->lock);
	text_copy(ask->disk.why, sizeof ask->disk.why, text_of(why ? why : "it cannot be asked"));
	ask->disk.total = fine ? (int64_t)fs.f_blocks * (int64_t)fs.f_frsize : 0;
	ask->disk.free = fine ? (int64_t)fs.f_bavail * (int64_t)fs.f_frsize : 0;
	ask->disk.inodes_free = fine && fs.f_files ? (int64_t)fs.f_favail : -1;
	ask->disk.device = fine ? (int64_t)st.st_dev : 0;
	ask->disk.read_only = fine && fs.f_flag & ST_RDONLY;
	ask->asking = false;
	pthread_cond_signal(&ask->answered);
	pthread_mutex_unlock(&ask->lock);
	release(ask);
	return NULL;
}

static void begin(struct disk_ask *ask)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_mutex_lock(&ask->lock);
	if (!ask->asking) {
		pthread_attr_init(&attributes);
		pthread_attr_setstacksize(&attributes, STACK);
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		if (!pthread_create(&thread, &attributes, asks, ask)) {
			ask->asking = true;
			ask->refs++;
		}
		pthread_attr_destroy(&attributes);
	}
	pthread_mutex_unlock(&ask->lock);
}

/* What it said, or that it did not. */
static void await(struct disk_ask *ask, const struct timespec *until, struct disk *out)
{
	pthread_mutex_lock(&ask->lock);
	while (ask->asking && pthread_cond_timedwait(&ask->answered, &ask->lock, until) == 0)
		continue;
	*out = ask->disk;
	if (ask->asking) {
		out->total = out->free = 0;
		out->inodes_free = -1;
	}
	pthread_mutex_unlock(&ask->lock);
}

void disks_look(struct disks *all, const char *const *paths, struct disk *out)
{
	struct timespec until;

	if (!all->at) {
		while (paths[all->n])
			all->n++;
		all->at = mem_new(all->n, sizeof *all->at);
		for (size_t i = 0; i < all->n; i++)
			all->at[i] = ask_new(paths[i]);
	}
	for (size_t i = 0; i < all->n; i++)
		begin(all->at[i]);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += PATIENCE_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	for (size_t i = 0; i < all->n; i++)
		await(all->at[i], &until, &out[i]);
}

void disks_free(struct disks *all)
{
	for (size_t i = 0; i < all->n; i++)
		release(all->at[i]);
	free(all->at);
	*all = (struct disks){0};
}
