// SPDX-License-Identifier: MIT
/*
 * One look at this machine: the box, its disks, its processes, its listeners, as the facts of a
 * PART_HOST snapshot. Caches live between looks, descriptors do not. Source: proc(5). One actor's
 * thread.
 */
#include "look.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "local.h"

enum { FILE_MAX = 1024 * 1024, PATH_MOST = 256 };

struct look *look_new(const char *proc)
{
	struct look *look = mem_new(1, sizeof *look);

	text_copy(look->proc, sizeof look->proc, text_of(proc));
	buf_init(&look->bytes, FILE_MAX);
	processes_init(&look->processes);
	/* a tree of a test has no sockets in the kernel */
	look->listeners.by_proc = strcmp(proc, "/proc") != 0;
	look->listeners.me = geteuid();
	return look;
}

void local_look_end(void *state)
{
	struct look *look = state;

	if (!look)
		return;
	disks_free(&look->disks);
	cgroups_free(look->cgroups);
	listeners_free(&look->listeners);
	processes_free(&look->processes);
	free(look->outputs.at);
	buf_free(&look->bytes);
	free(look);
}

/* A file of /proc; empty where it cannot be read. The text holds until the next one is read. */
static struct text read_proc(struct look *look, struct buf *to, const char *name)
{
	char path[PATH_MOST + 32];

	snprintf(path, sizeof path, "%s/%s", look->proc, name);
	buf_reset(to);
	local_read_file(NULL, path, to, NULL);
	return buf_text(to);
}

/* ---- the box ---- */

/* "MemTotal:   24684084 kB": the number after a name; fallback where there is none. */
static int64_t number_after(struct text content, const char *name, int64_t fallback)
{
	struct text line, word;
	int64_t n;

	while (text_line(&content, &line))
		if (text_skip(&line, name) && text_word(&line, &word) && text_i64(word, &n))
			return n;
	return fallback;
}

/* "12.05", in whatever locale. */
static double decimal(struct text t)
{
	struct text fraction = text_after(t, '.');
	int64_t whole, hundredths;

	if (!text_i64(text_until(t, '.'), &whole) || fraction.len != 2 || !text_i64(fraction, &hundredths))
		return (double)NAN;
	return (double)whole + (double)hundredths / 100.0;
}

void box_parse(struct box *box, struct text meminfo, struct text loadavg, struct text vmstat)
{
	double *loads[] = {&box->load1, &box->load5, &box->load15};
	struct text word;

	box->memory_total = number_after(meminfo, "MemTotal:", 0) * 1024;
	box->memory_available = number_after(meminfo, "MemAvailable:", 0) * 1024;
	box->swap_total = number_after(meminfo, "SwapTotal:", 0) * 1024;
	box->swap_free = number_after(meminfo, "SwapFree:", 0) * 1024;
	box->oom_kills = number_after(vmstat, "oom_kill ", -1);
	for (size_t i = 0; i < 3; i++)
		*loads[i] = text_word(&loadavg, &word) ? decimal(word) : (double)NAN;
}

static void look_box(struct look *look, struct box *box, int64_t boot)
{
	struct buf load, vmstat;

	buf_init(&load, 4096);
	buf_init(&vmstat, 65536);
	box_parse(box, read_proc(look, &look->bytes, "meminfo"), read_proc(look, &load, "loadavg"), read_proc(look, &vmstat, "vmstat"));
	buf_free(&load);
	buf_free(&vmstat);
	box->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
	box->uptime = boot;
}

/* ---- rows for the snapshot ---- */

static void publish_processes(const struct look *look, struct snapshot *s, struct facts *facts)
{
	const struct processes *all = &look->processes;
	struct process *rows;
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += !all->at[i]->kernel;
	facts->processes_whole = all->whole;
	rows = arena_alloc(s->arena, n * sizeof *rows);
	if (!rows) {
		facts->processes_whole = false;
		return;
	}
	facts->processes = rows;
	for (size_t i = 0; i < all->n; i++)
		if (!all->at[i]->kernel)
			rows[facts->n_processes++] = all->at[i]->row;
}

/* Of who listens: where it writes its log. Containers have files of their own. */
static void publish_outputs(struct look *look, struct snapshot *s, const struct facts *facts)
{
	for (size_t i = 0; i < facts->n_listeners; i++) {
		const struct listener *l = &facts->listeners[i];
		struct process *p = l->pid && !l->container[0] && !l->proxied[0] ? (struct process *)(uintptr_t)facts_process(facts, l->pid) : NULL;
		const struct known *known = p && !p->logs ? processes_find(&look->processes, l->pid) : NULL;
		const struct outputs *o = known ? outputs_of(&look->outputs, look->proc, l->pid, known->started, look->processes.looks) : NULL;
		const char **logs = o ? arena_alloc(s->arena, (o->n + 1) * sizeof *logs) : NULL;

		for (size_t k = 0; logs && k < o->n; k++)
			logs[k] = arena_copy(s->arena, text_of(o->at[k]));
		if (logs) {
			logs[o->n] = NULL;
			p->logs = logs;
			p->log_words = arena_copy(s->arena, text_of(o->words));
		}
	}
	outputs_forget(&look->outputs, look->processes.looks);
}

/* Several sockets of one owner on one address (SO_REUSEPORT) are one row. */
static bool same_row(const struct listener *a, const struct listener *b)
{
	return a->port == b->port && !strcmp(a->address, b->address) && a->pid == b->pid && a->uid == b->uid &&
	       !strcmp(a->container, b->container);
}

static void publish_listeners(const struct look *look, struct snapshot *s, struct facts *facts)
{
	const struct listeners *all = &look->listeners;
	struct listener *rows = arena_alloc(s->arena, all->n * sizeof *rows);

	facts->listeners = rows;
	for (size_t i = 0; i < all->n && rows; i++)
		if (!facts->n_listeners || !same_row(&rows[facts->n_listeners - 1], &all->at[i].row))
			rows[facts->n_listeners++] = all->at[i].row;
}

static void publish_disks(struct look *look, const char *const *paths, struct snapshot *s, struct facts *facts)
{
	struct disk *rows;
	size_t n = 0;

	while (paths && paths[n])
		n++;
	rows = n ? arena_alloc(s->arena, n * sizeof *rows) : NULL;
	if (!rows)
		return;
	disks_look(&look->disks, paths, rows);
	facts->disks = rows;
	facts->n_disks = n;
}

static void find_cgroups(struct look *look)
{
	char mount[PATH_MOST];

	cgroup2_mount(read_proc(look, &look->bytes, "self/mountinfo"), mount, sizeof mount);
	look->cgroups = cgroups_new(mount);
}

/* A look needs a few at once. */
static bool descriptors_are_left(void)
{
	int fds[4], n = 0;
	bool left;

	while (n < 4 && (fds[n] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
		n++;
	left = n == 4;
	while (n > 0)
		close(fds[--n]);
	return left;
}

bool local_look(struct host *h, void **state, const char *const *disks, struct snapshot *s)
{
	struct facts *facts = arena_alloc(s->arena, sizeof *facts);
	struct look *look = *state;
	struct timespec boot;
	int64_t boot_ms;
	char hostname[256] = "";

	(void)h;
	if (!look)
		*state = look = look_new("/proc");
	if (!facts)
		return err_set(&s->err, ERR_LIMIT, "the snapshot is full");
	s->facts = facts;
	gethostname(hostname, sizeof hostname - 1);
	text_clean(facts->hostname, sizeof facts->hostname, text_of(hostname));
	clock_gettime(CLOCK_BOOTTIME, &boot);
	boot_ms = (int64_t)boot.tv_sec * 1000 + boot.tv_nsec / 1000000;
	if (!descriptors_are_left())
		return err_set(&s->err, ERR_SYSTEM, "no file descriptors left: this machine cannot be looked at");
	if (!look->cgroups)
		find_cgroups(look);
	look_box(look, &facts->box, boot_ms);
	publish_disks(look, disks, s, facts);
	if (!processes_look(&look->processes, look->proc, boot_ms, clock_wall_ms()))
		return err_set(&s->err, ERR_SYSTEM, "%s cannot be read: no processes, no owners", look->proc);
	publish_processes(look, s, facts);
	if (!listeners_look(&look->listeners, look->proc, &look->processes, look->cgroups))
		return err_set(&s->err, ERR_SYSTEM, "neither netlink nor %s/net/tcp can be read: listeners are unknown", look->proc);
	if (!descriptors_are_left()) /* what could not be opened meanwhile would look as if it were not there */
		return err_set(&s->err, ERR_SYSTEM, "no file descriptors left: this machine cannot be looked at");
	publish_listeners(look, s, facts);
	publish_outputs(look, s, facts);
	return true;
}
