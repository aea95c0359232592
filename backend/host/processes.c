// SPDX-License-Identifier: MIT
/*
 * The processes of this machine. Each look reads /proc/PID/stat of everybody and nothing else:
 * what a process says of itself (words, user, cgroup) is kept by pid and start time, and read
 * again while it is young, when its name changes (it became another program) and now and then.
 * Kernel threads are left out. Source: proc(5). Actor's thread.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "look.h"

enum {
	FILE_MAX = 256 * 1024,   /* a class path can be long */
	PROCESSES_MAX = 100000,
	YOUNG_MS = 10000,        /* scripts that end in exec: the pid stays, the program changes */
	AGAIN_LOOKS = 32,        /* everything is read anew once in so many looks, a few processes at a time */
	CPU_MS = 500,            /* a CPU share over less than this is noise: ticks are 10 ms */
	SAME_START_MS = 2000,    /* within this a start time is the same, though clocks are slewed */
	KERNEL_THREAD = 0x00200000,
};

void processes_init(struct processes *all)
{
	*all = (struct processes){.proc = -1};
	buf_init(&all->bytes, FILE_MAX);
}

void processes_free(struct processes *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->at[i]);
	free(all->at);
	buf_free(&all->bytes);
	*all = (struct processes){.proc = -1};
}

bool stat_parse(struct text line, struct stat_line *out)
{
	const char *open = memchr(line.at, '(', line.len), *end = memrchr(line.at, ')', line.len); /* a name may hold both */
	struct text rest, word;
	int64_t number, user = 0;

	*out = (struct stat_line){0};
	if (!open || !end || end < open)
		return false;
	out->name = (struct text){open + 1, (size_t)(end - open - 1)};
	rest = (struct text){end + 1, line.len - (size_t)(end + 1 - line.at)};
	if (!text_word(&rest, &word))
		return false;
	out->state = word.at[0];
	for (int field = 4; field <= 24; field++) {
		if (!text_word(&rest, &word))
			return false;
		if (field != 4 && field != 9 && field != 14 && field != 15 && field != 22 && field != 24)
			continue;
		if (!text_i64(word, &number))
			return false;
		if (field == 4)
			out->parent = (pid_t)number;
		else if (field == 9)
			out->flags = (unsigned)number;
		else if (field == 14)
			user = number;
		else if (field == 15)
			out->cpu = (uint64_t)(user + number);
		else if (field == 22)
			out->started = (uint64_t)number;
		else
			out->pages = number;
	}
	return true;
}

/* A small file of one process. False: it is gone, or not for us. */
static bool read_of(struct processes *all, pid_t pid, const char *file)
{
	char path[48], chunk[4096];
	int fd;
	ssize_t n;

	snprintf(path, sizeof path, "%d/%s", (int)pid, file);
	buf_reset(&all->bytes);
	fd = openat(all->proc, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	do
		n = read(fd, chunk, sizeof chunk);
	while (n > 0 && buf_add(&all->bytes, chunk, (size_t)n) && (size_t)n == sizeof chunk); /* a short read is the end here */
	close(fd);
	return n >= 0;
}

static void read_uid(struct processes *all, struct known *p)
{
	struct text rest, line, word;
	int64_t uid;

	if (!read_of(all, p->row.pid, "status"))
		return;
	rest = buf_text(&all->bytes);
	while (text_line(&rest, &line))
		if (text_skip(&line, "Uid:")) {
			/* real, then effective: the one that owns its sockets */
			if (text_word(&line, &word) && text_word(&line, &word) && text_i64(word, &uid))
				p->row.uid = (uid_t)uid;
			return;
		}
}

static bool exe_deleted(const struct processes *all, pid_t pid)
{
	char path[48], target[4096];
	ssize_t n;

	snprintf(path, sizeof path, "%d/exe", (int)pid);
	n = readlinkat(all->proc, path, target, sizeof target);
	return n > 10 && !memcmp(target + n - 10, " (deleted)", 10);
}

/* What hardly ever changes. A dead process says nothing any more: what it said is kept. */
static void read_words(struct processes *all, struct known *p)
{
	read_uid(all, p);
	if (read_of(all, p->row.pid, "cmdline") && all->bytes.len) {
		hint_of(p->row.hint, buf_text(&all->bytes));
		defaults_hint(p->row.hint, all->proc, p->row.pid, buf_text(&all->bytes));
	}
	if (read_of(all, p->row.pid, "cgroup") && all->bytes.len) {
		place_of_lines(buf_text(&all->bytes), &p->place);
		text_copy(p->row.container, sizeof p->row.container, text_of(p->place.container));
		text_copy(p->row.unit, sizeof p->row.unit, text_of(p->place.unit));
	}
	p->row.exe_deleted = exe_deleted(all, p->row.pid);
}

static void take_cpu(struct known *p, uint64_t ticks, int64_t boot)
{
	int64_t span = boot - p->cpu_at;

	if (p->cpu_at && span < CPU_MS)
		return; /* asked twice in a row: the last share stands */
	if (p->cpu_at && ticks >= p->cpu)
		p->row.cpu = (double)(ticks - p->cpu) * 1000.0 / (double)sysconf(_SC_CLK_TCK) / (double)span;
	p->cpu = ticks;
	p->cpu_at = boot;
}

static void begin(struct known *p, pid_t pid, uint64_t started)
{
	*p = (struct known){.row = {.pid = pid, .cpu = (double)NAN}, .started = started};
}

static void take_stat(struct processes *all, struct known *p, const struct stat_line *stat, int64_t boot, int64_t wall)
{
	int64_t since_boot = (int64_t)stat->started * 1000 / sysconf(_SC_CLK_TCK), started = wall - boot + since_boot;
	char name[NAME_SIZE];
	bool fresh = !p->row.started;

	text_clean(name, sizeof name, stat->name);
	if (fresh || llabs(started - p->row.started) > SAME_START_MS)
		p->row.started = started;
	p->row.parent = stat->parent;
	p->row.state = stat->state;
	p->row.rss = stat->pages * sysconf(_SC_PAGESIZE);
	take_cpu(p, stat->cpu, boot);
	if (fresh || boot < p->settled || strcmp(name, p->row.name) != 0 || (all->looks + (uint64_t)p->row.pid) % AGAIN_LOOKS == 0) {
		if (strcmp(name, p->row.name) != 0) {
			text_copy(p->row.name, sizeof p->row.name, text_of(name));
			p->settled = (fresh ? since_boot : boot) + YOUNG_MS;
		}
		read_words(all, p);
	}
}

static int by_pid(const void *a, const void *b)
{
	pid_t x = (*(struct known *const *)a)->row.pid, y = (*(struct known *const *)b)->row.pid;

	return (x > y) - (x < y);
}

static struct known *find_among(const struct processes *all, size_t n, pid_t pid)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (all->at[middle]->row.pid == pid)
			return all->at[middle];
		if (all->at[middle]->row.pid < pid)
			low = middle + 1;
		else
			n = middle;
	}
	return NULL;
}

struct known *processes_find(const struct processes *all, pid_t pid)
{
	struct known *p = find_among(all, all->n, pid);

	return p && !p->kernel ? p : NULL;
}

static struct known *add(struct processes *all, pid_t pid)
{
	if (all->n == all->room) {
		all->room = all->room ? all->room * 2 : 256;
		all->at = mem_grow(all->at, all->room, sizeof *all->at);
	}
	all->at[all->n] = mem_new(1, sizeof **all->at);
	begin(all->at[all->n], pid, 0);
	return all->at[all->n++];
}

/* One entry of /proc; the first sorted of the known ones are sorted. */
static void look_at(struct processes *all, size_t sorted, const struct dirent *entry, int64_t boot, int64_t wall)
{
	struct stat_line stat;
	int64_t pid;
	struct known *p;

	if (!text_i64(text_of(entry->d_name), &pid) || all->n >= PROCESSES_MAX)
		return;
	p = find_among(all, sorted, (pid_t)pid);
	if (p && p->kernel && p->directory == entry->d_ino && (all->looks + (uint64_t)pid) % AGAIN_LOOKS != 0) {
		p->seen = all->looks; /* hundreds of them, and none is of interest */
		return;
	}
	if (!read_of(all, (pid_t)pid, "stat") || !stat_parse(buf_text(&all->bytes), &stat))
		return;
	if (!p)
		p = add(all, (pid_t)pid);
	if (p->started != stat.started)
		begin(p, (pid_t)pid, stat.started);
	p->seen = all->looks;
	p->directory = entry->d_ino;
	p->kernel = (stat.flags & KERNEL_THREAD) != 0;
	if (!p->kernel)
		take_stat(all, p, &stat, boot, wall);
}

bool processes_look(struct processes *all, const char *proc, int64_t boot, int64_t wall)
{
	DIR *dir = opendir(proc);
	const struct dirent *entry;
	size_t sorted = all->n, kept = 0;

	if (!dir)
		return false;
	all->proc = dirfd(dir);
	all->looks++;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			look_at(all, sorted, entry, boot, wall);
	/* where others' processes are hidden, the first of all is */
	all->whole = read_of(all, 1, "stat");
	closedir(dir);
	all->proc = -1;
	for (size_t i = 0; i < all->n; i++) {
		if (all->at[i]->seen == all->looks)
			all->at[kept++] = all->at[i];
		else
			free(all->at[i]);
	}
	all->n = kept;
	qsort(all->at, all->n, sizeof *all->at, by_pid);
	return true;
}
