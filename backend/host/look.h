// SPDX-License-Identifier: MIT
/*
 * What one actor keeps between two looks at this machine, and the parse halves, which are pure.
 * All of it belongs to the actor's thread.
 */
#ifndef LAKETOP_LOOK_H
#define LAKETOP_LOOK_H

#include "facts.h"
#include "mem.h"

enum { HINT_SIZE = sizeof((struct process *)0)->hint };

/* ---- hint.c ---- */
/* A process's words from its command line (arguments that end in NUL): clean, secrets masked. Pure. */
char *hint_of(char out[HINT_SIZE], struct text cmdline);

/* ---- defaults.c ---- */
uint16_t defaults_port(struct text file); /* spark.ui.port of a spark-defaults.conf; 0: it has none. Pure */
/* Of a Spark driver whose words name no web port what its configuration names. proc: /proc. */
void defaults_hint(char hint[HINT_SIZE], int proc, pid_t pid, struct text cmdline);

/* ---- cgroup.c ---- */
struct place { /* where a process or socket lives */
	char container[CONTAINER_ID_SIZE], unit[NAME_SIZE];
	uint64_t hash; /* of the path in cgroup2: two in the same place? 0 unknown or the root */
};
void place_of_path(struct text path, struct place *out);   /* pure */
void place_of_lines(struct text lines, struct place *out); /* of /proc/PID/cgroup; pure */
bool cgroup2_mount(struct text mountinfo, char *path, size_t size); /* pure */

struct cgroups; /* id -> place */
struct cgroups *cgroups_new(const char *mount); /* "": there is none */
void cgroups_free(struct cgroups *all);
const struct place *cgroups_find(struct cgroups *all, uint64_t id); /* NULL: unknown */

/* ---- processes.c ---- */
struct stat_line { /* of /proc/PID/stat */
	struct text name;
	char state;
	pid_t parent;
	unsigned flags;
	uint64_t cpu, started; /* ticks */
	int64_t pages;
};
bool stat_parse(struct text line, struct stat_line *out); /* pure */

struct known { /* one process across looks */
	struct process row;
	struct place place;
	uint64_t started;   /* ticks since boot: with the pid, the same process? */
	ino_t directory;    /* of /proc/PID: another one, another process */
	bool kernel;
	uint64_t cpu;       /* ticks, at: */
	int64_t cpu_at;     /* ms since boot */
	uint64_t seen;      /* number of the look */
	int64_t settled;    /* ms since boot: its words are final by then */
};

struct processes {
	int proc;           /* /proc, only while looking */
	struct known **at;  /* sorted by pid */
	size_t n, room;
	uint64_t looks;
	struct buf bytes;   /* of one file at a time */
	bool whole;
};
void processes_init(struct processes *all);
void processes_free(struct processes *all);
bool processes_look(struct processes *all, const char *proc, int64_t boot, int64_t wall);
struct known *processes_find(const struct processes *all, pid_t pid); /* NULL: gone */

/* ---- listeners.c ---- */
struct heard { /* one listening socket */
	struct listener row;
	uint64_t cgroup;     /* 0 unknown */
	bool only_v6;
	unsigned tries;      /* how often its owner was searched in vain */
	bool fresh;          /* its owner was found by this look: */
	pid_t parent;        /* that one's */
	uint64_t started;    /* its owner's, with row.pid the same process? */
};
struct listeners {
	struct heard *at;    /* sorted by port, address, inode */
	size_t n, room;
	unsigned searches;   /* how often the fds of all was read; for tests */
	bool by_proc;        /* sock_diag is not to be had, or not wanted */
	uid_t me;            /* whose descriptors we may read; 0: everybody's */
};
void listeners_free(struct listeners *all);
bool listeners_look(struct listeners *all, const char *proc, const struct processes *processes, struct cgroups *cgroups);
/* Names the probable owners of what was searched in vain, then containers, units and targets. */
void listeners_guess(struct listeners *all, const struct processes *processes, struct cgroups *cgroups);
/* One answer of sock_diag: adds its sockets. 1: the dump is complete; 0: more follows; -1: refused. Pure. */
int diag_parse(struct listeners *all, const void *bytes, size_t len);
void proc_net_parse(struct listeners *all, struct text content, bool v6); /* /proc/net/tcp, tcp6. Pure. */
/* "docker-proxy ... -container-ip A -container-port P" */
struct proxy {
	char address[ADDRESS_SIZE]; /* on the host */
	uint16_t port;
	char target[NAME_SIZE];
};
bool proxy_parse(struct text hint, struct proxy *out); /* pure */

/* ---- outputs.c ---- */
enum { OUTPUTS_MAX = 4, OUTPUT_SIZE = 256 };
struct outputs { /* where one process writes its log */
	pid_t pid;
	uint64_t started, looked; /* looked: number of the look; 0: not yet */
	char at[OUTPUTS_MAX][OUTPUT_SIZE];
	size_t n;
	char words[96];           /* why there is none */
};
struct outputs_known {
	struct outputs *at;
	size_t n, room;
};
void outputs_look(const char *proc, pid_t pid, struct outputs *o);
/* Holds until the next call. */
const struct outputs *outputs_of(struct outputs_known *all, const char *proc, pid_t pid, uint64_t started, uint64_t looks);
void outputs_forget(struct outputs_known *all, uint64_t looks);

/* ---- disks.c ---- */
struct disk_ask;
struct disks {
	struct disk_ask **at;
	size_t n;
};
void disks_look(struct disks *all, const char *const *paths, struct disk *out); /* out has room for all */
void disks_free(struct disks *all);

/* ---- look.c ---- */
void box_parse(struct box *box, struct text meminfo, struct text loadavg, struct text vmstat); /* pure */
struct look {
	char proc[256];
	struct buf bytes;
	struct processes processes;
	struct listeners listeners;
	struct cgroups *cgroups;
	struct disks disks;
	struct outputs_known outputs;
};
struct look *look_new(const char *proc); /* "/proc", or a tree of a test */

#endif
