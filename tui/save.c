// SPDX-License-Identifier: MIT
#include "save.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mem.h"

static bool write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		text += n;
		len -= (size_t)n;
	}
	return true;
}

bool save_text(const char *path, const char *text, bool overwrite, bool *exists, struct err *err)
{
	const char *home = path[0] == '~' && path[1] == '/' ? getenv("HOME") : NULL;
	char name[PATH_MAX], part[PATH_MAX + 16];
	struct stat st;
	bool fine;
	int fd;

	*exists = false;
	snprintf(name, sizeof name, "%s%s", home ? home : "", home ? path + 1 : path);
	snprintf(part, sizeof part, "%s.XXXXXX", name);
	if (stat(name, &st) == 0 && !S_ISREG(st.st_mode)) /* a device would be replaced by a file */
		return err_set(err, ERR_SYSTEM, "%s: %s", path, S_ISDIR(st.st_mode) ? "is a folder" : "is no plain file");
	fd = mkostemp(part, O_CLOEXEC); /* 0600: a log may tell more than its file may */
	if (fd < 0)
		return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
	fine = write_all(fd, text, strlen(text));
	fine = close(fd) == 0 && fine;
	if (fine && overwrite)
		fine = rename(part, name) == 0;
	else if (fine)
		fine = link(part, name) == 0;
	if (!fine) {
		*exists = errno == EEXIST;
		err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
	}
	unlink(part);
	return fine;
}
