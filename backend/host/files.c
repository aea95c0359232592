// SPDX-License-Identifier: MIT
/*
 * Files of this machine. Everything is opened O_NONBLOCK and must be a regular file, so that a
 * FIFO or a device in its place cannot hang the caller. Any thread.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "local.h"

enum { CHUNK = 16384 };

static bool failed(struct err *err, const char *path, int why)
{
	return err_set(err, ERR_SYSTEM, "%s: %s", path, strerrordesc_np(why) ? strerrordesc_np(why) : "cannot be read");
}

/* A regular file, open and with its size; -1 where it is none. */
static int open_file(const char *path, off_t *size, struct err *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (fd < 0) {
		failed(err, path, errno);
		return -1;
	}
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		*size = st.st_size;
		return fd;
	}
	err_set(err, ERR_SYSTEM, "%s: not a regular file", path);
	close(fd);
	return -1;
}

/* Reads to the end of the file, or until most bytes are there. */
static bool read_to_end(int fd, const char *path, size_t most, struct buf *out, struct err *err)
{
	char chunk[CHUNK];

	for (;;) {
		size_t room = most < out->max ? most : out->max, want;
		ssize_t n;

		room = room > out->len ? room - out->len : 0;
		want = room < sizeof chunk ? room + 1 : sizeof chunk; /* one more tells whether the file goes on */
		do
			n = read(fd, chunk, want);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return failed(err, path, errno);
		if (n == 0)
			return true;
		buf_add(out, chunk, (size_t)n < room ? (size_t)n : room);
		if ((size_t)n > room)
			return err_set(err, ERR_LIMIT, "%s: larger than %zu bytes", path, out->len);
	}
}

bool local_read_file(struct host *h, const char *path, struct buf *out, struct err *err)
{
	off_t size;
	int fd = open_file(path, &size, err);
	bool fine;

	(void)h;
	if (fd < 0)
		return false;
	fine = read_to_end(fd, path, SIZE_MAX, out, err);
	close(fd);
	return fine;
}

bool local_stream_file(struct host *h, const char *path, bool (*take)(void *ctx, const char *bytes, size_t len), void *ctx, struct err *err)
{
	char chunk[CHUNK];
	off_t size;
	int fd = open_file(path, &size, err);
	ssize_t n = 1;
	bool fine = fd >= 0;

	(void)h;
	while (fine && n > 0) {
		do
			n = read(fd, chunk, sizeof chunk);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			fine = failed(err, path, errno);
		else if (n > 0 && !take(ctx, chunk, (size_t)n))
			fine = err_set(err, ERR_CANCELLED, "%s: not read to its end", path);
	}
	if (fd >= 0)
		close(fd);
	return fine;
}

bool local_read_tail(struct host *h, const char *path, size_t most, struct buf *out, struct err *err)
{
	off_t size;
	int fd = open_file(path, &size, err);
	size_t before = out->len, room = out->max - out->len;
	struct err reached = {0};
	bool fine;

	(void)h;
	if (fd < 0)
		return false;
	if (most > room)
		most = room;
	if ((uint64_t)size > most && lseek(fd, size - (off_t)most, SEEK_SET) < 0)
		fine = failed(err, path, errno);
	else
		/* what is appended while we read is left for the next time */
		fine = read_to_end(fd, path, before + most, out, &reached) || reached.code == ERR_LIMIT;
	if (!fine && reached.code && err)
		*err = reached;
	close(fd);
	return fine;
}

bool local_read_from(struct host *h, const char *path, int64_t offset, size_t most, struct buf *out, struct err *err)
{
	off_t size;
	int fd = open_file(path, &size, err);
	struct err reached = {0};
	bool fine;

	(void)h;
	if (fd < 0)
		return false;
	if (lseek(fd, (off_t)offset, SEEK_SET) < 0)
		fine = failed(err, path, errno);
	else
		fine = read_to_end(fd, path, out->len + most, out, &reached) || reached.code == ERR_LIMIT;
	if (!fine && reached.code && err)
		*err = reached;
	close(fd);
	return fine;
}

bool local_list(struct host *h, const char *path, bool (*each)(void *ctx, const char *name), void *ctx, struct err *err)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int why;

	(void)h;
	if (!dir)
		return failed(err, path, errno);
	while ((errno = 0, entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && !each(ctx, entry->d_name))
			break;
	why = entry ? 0 : errno;
	closedir(dir);
	return why ? failed(err, path, why) : true;
}

bool local_stat(struct host *h, const char *path, struct file_facts *out, struct err *err)
{
	struct stat st;

	(void)h;
	*out = (struct file_facts){0};
	if (stat(path, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? true : failed(err, path, errno);
	out->exists = true;
	out->modified = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
	out->size = st.st_size;
	out->inode = st.st_ino;
	out->mode = st.st_mode & 07777;
	out->is_directory = S_ISDIR(st.st_mode);
	return true;
}
