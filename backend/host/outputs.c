// SPDX-License-Identifier: MIT
/*
 * Where a process that listens writes its log: standard output and error where they are files, and what else it holds
 * open only to write and calls a log. PostgreSQL's collector is another process: its main one stands in the data directory,
 * where current_logfiles names the file. Where there is none, why. Looked at anew once in so many looks. Source: proc(5).
 * Actor's thread.
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

#include "local.h"
#include "look.h"

enum { AGAIN_LOOKS = 32, DESCRIPTORS_MAX = 65536 };

static void add(struct outputs *o, const char *path)
{
	for (size_t i = 0; i < o->n; i++)
		if (!strcmp(o->at[i], path))
			return;
	if (o->n < OUTPUTS_MAX && strlen(path) < OUTPUT_SIZE)
		text_copy(o->at[o->n++], OUTPUT_SIZE, text_of(path));
}

/* What a link of /proc/PID leads to. False: it cannot be read. */
static bool link_of(const char *proc, pid_t pid, const char *name, char *out, size_t size)
{
	char path[320];
	ssize_t n;

	snprintf(path, sizeof path, "%s/%d/%s", proc, (int)pid, name);
	n = readlink(path, out, size - 1);
	out[n < 0 ? 0 : n] = '\0';
	return n >= 0;
}

static bool is_file(const char *proc, pid_t pid, const char *name)
{
	char path[320];
	struct stat st;

	snprintf(path, sizeof path, "%s/%d/%s", proc, (int)pid, name);
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Standard output or error: it, or why it is none. */
static void take_standard(const char *proc, pid_t pid, const char *name, struct outputs *o)
{
	char to[1024];

	if (!link_of(proc, pid, name, to, sizeof to)) {
		snprintf(o->words, sizeof o->words, "where its output goes is not ours to see (%s)", errno == EACCES ? "it runs as another user" : "it has none");
	} else if (is_file(proc, pid, name) && !text_ends(text_of(to), " (deleted)")) {
		add(o, to);
	} else {
		snprintf(o->words, sizeof o->words, "its output %s",
			text_ends(text_of(to), " (deleted)") ? "goes to a file that was deleted" : !strcmp(to, "/dev/null") ? "is thrown away (/dev/null)" :
			!strncmp(to, "pipe:", 5) ? "goes into a pipe" : !strncmp(to, "socket:", 7) ? "goes into a socket" :
			!strncmp(to, "/dev/", 5) ? "goes to a terminal" : "goes to no file");
	}
}

/* "server.log", and neither "00000000000000012345.log", which is data, nor what the garbage collector tells. */
static bool called_log(const char *path)
{
	const char *base = strrchr(path, '/');
	bool word = false;

	base = base ? base + 1 : path;
	for (const char *c = base; *c && strcmp(c, ".log") != 0; c++)
		word = word || isalpha((unsigned char)*c);
	return word && path[0] == '/' && (text_ends(text_of(path), ".log") || text_ends(text_of(path), ".err")) && !text_ends(text_of(path), "gc.log");
}

static bool only_written(const char *proc, pid_t pid, const char *fd)
{
	char path[320], bytes[128];
	const char *flags;
	FILE *f;
	size_t n;

	snprintf(path, sizeof path, "%s/%d/fdinfo/%.20s", proc, (int)pid, fd);
	f = fopen(path, "re");
	n = f ? fread(bytes, 1, sizeof bytes - 1, f) : 0;
	if (f)
		fclose(f);
	bytes[n] = '\0';
	flags = strstr(bytes, "flags:");
	return flags && (strtol(flags + 6, NULL, 8) & O_ACCMODE) == O_WRONLY;
}

static void take_open(const char *proc, pid_t pid, struct outputs *o)
{
	char path[320], name[32], to[1024];
	const struct dirent *entry;
	unsigned most = DESCRIPTORS_MAX;
	DIR *dir;

	snprintf(path, sizeof path, "%s/%d/fd", proc, (int)pid);
	dir = opendir(path);
	while (dir && most-- && o->n < OUTPUTS_MAX && (entry = readdir(dir)) != NULL) {
		snprintf(name, sizeof name, "fd/%.20s", entry->d_name);
		if (isdigit((unsigned char)entry->d_name[0]) && link_of(proc, pid, name, to, sizeof to) && called_log(to) &&
			only_written(proc, pid, entry->d_name))
			add(o, to);
	}
	if (dir)
		closedir(dir);
}

/* "stderr log/postgresql-2026-11-29.log": its folder, since each day may have another file. */
static void take_collector(const char *proc, pid_t pid, struct outputs *o)
{
	char where[512], path[600], line[400] = "";
	struct text t, word;
	FILE *f;
	bool fine;

	if (!link_of(proc, pid, "cwd", where, sizeof where))
		return;
	snprintf(path, sizeof path, "%s/current_logfiles", where);
	f = fopen(path, "re");
	fine = f && fgets(line, sizeof line, f);
	if (f)
		fclose(f);
	t = text_of(line);
	if (!fine || !text_word(&t, &word) || !(t = text_trim(t)).len)
		return;
	while (t.len && t.at[t.len - 1] != '/')
		t.len--;
	if (!t.len)
		return;
	snprintf(path, sizeof path, "%s%s%.*s", t.at[0] == '/' ? "" : where, t.at[0] == '/' ? "" : "/", (int)(t.len - 1), t.at);
	add(o, path);
}

void outputs_look(const char *proc, pid_t pid, struct outputs *o)
{
	o->n = 0;
	o->words[0] = '\0';
	take_standard(proc, pid, "fd/1", o);
	take_standard(proc, pid, "fd/2", o);
	take_collector(proc, pid, o);
	take_open(proc, pid, o);
	if (o->n)
		o->words[0] = '\0';
}

/* ---- of those that listen, kept between looks ---- */

const struct outputs *outputs_of(struct outputs_known *all, const char *proc, pid_t pid, uint64_t started, uint64_t looks)
{
	struct outputs *o = NULL;

	for (size_t i = 0; i < all->n && !o; i++)
		if (all->at[i].pid == pid && all->at[i].started == started)
			o = &all->at[i];
	if (!o) {
		if (all->n == all->room) {
			all->room = all->room ? all->room * 2 : 32;
			all->at = mem_grow(all->at, all->room, sizeof *all->at);
		}
		o = &all->at[all->n++];
		*o = (struct outputs){.pid = pid, .started = started};
	}
	if (!o->looked || (looks + (uint64_t)pid) % AGAIN_LOOKS == 0)
		outputs_look(proc, pid, o);
	o->looked = looks;
	return o;
}

/* Those that were not asked for by this look are gone. */
void outputs_forget(struct outputs_known *all, uint64_t looks)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].looked == looks)
			all->at[kept++] = all->at[i];
	all->n = kept;
}
