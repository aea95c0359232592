// SPDX-License-Identifier: MIT
/*
 * Control groups: which container or unit a path names, and which path an id is. The id of a
 * cgroup that sock_diag tells is the inode number of its directory on the cgroup2 mount, which
 * anybody may walk: so a socket's container is known without any privilege.
 * Source: include/uapi/linux/inet_diag.h, fs/kernfs; path patterns as Docker 20.10, Podman and
 * systemd write them. Actor's thread.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "look.h"

enum { ID_DIGITS = 64, DEPTH_MAX = 24, CGROUPS_MAX = 20000 };

/* Units that hold containers or sessions: they are not the service itself. */
static const char *const engines[] = {
	"docker.service", "containerd.service", "podman.service", "crio.service", "kubelet.service", "k3s.service",
	"snap.docker.dockerd.service",
};

/* The last run of exactly 64 hexadecimal digits: containers may be nested. */
static struct text last_id(struct text path)
{
	struct text found = TEXT("");
	size_t run = 0;

	for (size_t i = 0; i <= path.len; i++) {
		bool digit = i < path.len && (isdigit((unsigned char)path.at[i]) || (path.at[i] >= 'a' && path.at[i] <= 'f'));

		if (!digit && run == ID_DIGITS)
			found = (struct text){path.at + i - ID_DIGITS, ID_DIGITS};
		run = digit ? run + 1 : 0;
	}
	return found;
}

static bool is_engine(struct text unit)
{
	for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
		if (text_is(unit, engines[i]))
			return true;
	return false;
}

static uint64_t hash_of(struct text t)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	for (size_t i = 0; i < t.len; i++)
		hash = (hash ^ (unsigned char)t.at[i]) * 1099511628211u;
	return hash ? hash : 1;
}

void place_of_path(struct text path, struct place *out)
{
	struct text rest = path, unit = TEXT("");

	*out = (struct place){0};
	if (path.len > 1)
		out->hash = hash_of(path);
	text_copy(out->container, sizeof out->container, last_id(path));
	while (rest.len) {
		struct text part = text_until(rest, '/');

		rest = text_after(rest, '/');
		if (part.len > 8 && text_is((struct text){part.at + part.len - 8, 8}, ".service") && !text_starts(part, "user@"))
			unit = part;
	}
	if (unit.len && !(out->container[0] && is_engine(unit)))
		/* its name, "\x2d" in it too, but for the "_" before what the kernel may call its own files: "_memory.service" */
		text_clean(out->unit, sizeof out->unit, unit.at[0] == '_' ? (struct text){unit.at + 1, unit.len - 1} : unit);
}

static bool says_something(const struct place *place)
{
	return place->container[0] || place->unit[0];
}

void place_of_lines(struct text lines, struct place *out)
{
	struct place unified = {0}, named = {0}, other = {0};
	struct text line;

	while (text_line(&lines, &line)) {
		struct text controllers = text_until(text_after(line, ':'), ':'), path = text_after(text_after(line, ':'), ':');

		if (text_starts(line, "0::"))
			place_of_path(path, &unified);
		else if (text_is(controllers, "name=systemd"))
			place_of_path(path, &named);
		else if (!says_something(&other))
			place_of_path(path, &other);
	}
	/* hybrid systems may keep the truth in the older hierarchies only */
	*out = says_something(&unified) ? unified : says_something(&named) ? named : other;
	out->hash = unified.hash;
}

bool cgroup2_mount(struct text mountinfo, char *path, size_t size)
{
	struct text line, word;

	while (text_line(&mountinfo, &line)) {
		struct text rest = line;

		if (!text_has(line, " - cgroup2 "))
			continue;
		for (int field = 1; field <= 5; field++)
			if (!text_word(&rest, &word))
				return false;
		text_copy(path, size, word);
		return true;
	}
	path[0] = '\0';
	return false;
}

/* ---- id -> place: one walk of the mount whenever an unknown id shows ---- */

struct cgroup {
	uint64_t id;
	bool gone; /* a socket may outlive the group that it was made in */
	struct place place;
};

struct cgroups {
	char mount[256];
	struct cgroup *at; /* sorted by id */
	size_t n, room;
};

struct cgroups *cgroups_new(const char *mount)
{
	struct cgroups *all = mem_new(1, sizeof *all);

	text_copy(all->mount, sizeof all->mount, text_of(mount));
	return all;
}

void cgroups_free(struct cgroups *all)
{
	if (all)
		free(all->at);
	free(all);
}

static struct cgroup *add(struct cgroups *all, uint64_t id)
{
	if (all->n == all->room) {
		all->room = all->room ? all->room * 2 : 64;
		all->at = mem_grow(all->at, all->room, sizeof *all->at);
	}
	all->at[all->n] = (struct cgroup){.id = id};
	return &all->at[all->n++];
}

/* path is the group's in its hierarchy; it is lengthened and given back as it was. */
static void walk(struct cgroups *all, int fd, char path[4096], size_t len, int depth)
{
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && all->n < CGROUPS_MAX && (entry = readdir(dir))) {
		int more;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		more = snprintf(path + len, 4096 - len, "/%s", entry->d_name);
		if (more < 0 || (size_t)more >= 4096 - len)
			continue;
		place_of_path((struct text){path, len + (size_t)more}, &add(all, entry->d_ino)->place);
		if (depth < DEPTH_MAX)
			walk(all, openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), path,
				len + (size_t)more, depth + 1);
	}
	if (dir)
		closedir(dir);
	path[len] = '\0';
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = ((const struct cgroup *)a)->id, y = ((const struct cgroup *)b)->id;

	return (x > y) - (x < y);
}

static struct cgroup *find(const struct cgroups *all, uint64_t id)
{
	struct cgroup key = {.id = id};

	return all->n ? bsearch(&key, all->at, all->n, sizeof *all->at, by_id) : NULL;
}

static void read_all(struct cgroups *all)
{
	char *path = mem_new(4096, 1);
	int fd = open(all->mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	all->n = 0;
	if (fd >= 0 && !fstat(fd, &st))
		add(all, st.st_ino); /* the root: no container, no unit */
	walk(all, fd, path, 0, 0);
	free(path);
	qsort(all->at, all->n, sizeof *all->at, by_id);
}

const struct place *cgroups_find(struct cgroups *all, uint64_t id)
{
	struct cgroup *group;

	if (!id || !all->mount[0])
		return NULL;
	group = find(all, id);
	if (!group) {
		struct cgroup *old = all->at;
		size_t n = all->n;

		all->at = NULL;
		all->room = 0;
		read_all(all);
		for (size_t i = 0; i < n; i++) /* what is gone once stays gone: ids are not used again */
			if (old[i].gone)
				add(all, old[i].id)->gone = true;
		free(old);
		if (!find(all, id))
			add(all, id)->gone = true;
		qsort(all->at, all->n, sizeof *all->at, by_id);
		group = find(all, id);
	}
	return group && !group->gone ? &group->place : NULL;
}
