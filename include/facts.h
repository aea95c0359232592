// SPDX-License-Identifier: MIT
/*
 * What one machine says of itself: listeners, processes, containers, the box. Plain rows in the
 * arena of a PART_HOST or PART_DOCKER snapshot, read-only once published.
 *
 * Sources: sock_diag (falls back to /proc/net/tcp*), /proc, cgroup2 inode numbers, statvfs, the
 * Docker Engine API. What this user may not see is 0, "" or KNOWN_NO: unknown, never "none".
 */
#ifndef LAKETOP_FACTS_H
#define LAKETOP_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { ADDRESS_SIZE = 46, NAME_SIZE = 64, CONTAINER_ID_SIZE = 65 };

struct listener {
	char address[ADDRESS_SIZE]; /* numeric; "*" for any; IPv4-mapped ones as IPv4 */
	uint16_t port;
	uid_t uid;
	uint64_t inode;             /* with the port: the same socket as last time? */
	pid_t pid;                  /* oldest owner; 0: unknown */
	bool pid_probable;          /* found by uid and cgroup, not by the socket itself */
	char container[CONTAINER_ID_SIZE]; /* full id, from the cgroup; "" none or unknown */
	char unit[NAME_SIZE];       /* systemd unit; "" none or unknown */
	char proxied[NAME_SIZE];    /* of a docker-proxy: "172.17.0.2:8000" */
	bool open;                  /* others than this machine can reach it */
};

struct process {
	pid_t pid, parent;
	uid_t uid;
	char state;          /* R S D T t Z */
	char name[NAME_SIZE];     /* comm, clean */
	char hint[480];      /* main class or program and its arguments: clean, secrets masked. A hint, never an identity */
	char container[CONTAINER_ID_SIZE], unit[NAME_SIZE];
	int64_t started;     /* ms since 1970 */
	int64_t rss;         /* bytes */
	double cpu;          /* cores since the last look; NAN the first time */
	bool exe_deleted;    /* its program file was replaced since it started */
	const char *const *logs; /* of one that listens: files and folders that it writes its log to; ends with NULL. NULL: not looked */
	const char *log_words;   /* why there is none; "" there is */
};

struct container {
	char id[CONTAINER_ID_SIZE], name[NAME_SIZE], image[NAME_SIZE * 2];
	char state[16];      /* created running paused restarting exited dead */
	char health[16];     /* healthy unhealthy starting; "" where none is defined or it does not run */
	char status[NAME_SIZE]; /* Docker's own words: "Up 5 minutes" */
	char error[160];     /* State.Error of a failed start */
	char ports[NAME_SIZE * 2]; /* "127.0.0.1:9097->8000"; "" on the host's network */
	char network[32];    /* host, bridge, ... */
	char project[NAME_SIZE], service[NAME_SIZE], workdir[160]; /* compose labels */
	char version[32];    /* org.opencontainers.image.version: a hint, may be its base's */
	int64_t restarts, exit_code; /* -1: not known */
	int64_t started, created, image_created; /* ms since 1970; 0 unknown */
	bool oom_killed;
};

struct box {
	int64_t memory_total, memory_available, swap_total, swap_free; /* bytes */
	double load1, load5, load15;
	int cores;
	int64_t oom_kills;   /* since boot; -1 unknown */
	int64_t uptime;      /* ms */
};

struct disk {
	char path[160];
	int64_t total, free; /* bytes, for an unprivileged writer; total 0: unknown, it did not answer */
	int64_t inodes_free; /* -1: the file system has no count */
	int64_t device;      /* two paths of one device have the same room; 0: unknown */
	bool read_only;      /* nobody fills it */
	char why[64];        /* it cannot be looked at; "" it was, or it did not answer */
};

enum docker_state { DOCKER_UNKNOWN, DOCKER_NONE, DOCKER_DENIED, DOCKER_DEAD, DOCKER_OK };

struct facts {
	char hostname[NAME_SIZE];
	struct box box;
	const struct disk *disks;
	size_t n_disks;
	const struct listener *listeners;
	size_t n_listeners;
	const struct process *processes; /* all but kernel threads; sorted by pid */
	size_t n_processes;
	bool processes_whole;  /* false: this user does not see everybody's */
	/* PART_DOCKER only */
	enum docker_state docker;
	char docker_words[160]; /* version, or why not */
	const struct container *containers;
	size_t n_containers;
};

/*
 * So little is left that what writes to it, or asks for memory, may soon fail: under a twentieth, and under a few GiB,
 * for a twentieth of a large disk is plenty. was: it was so before; a quarter more has to be won back.
 */
bool disk_is_low(const struct disk *d, bool was);
bool memory_is_low(const struct box *b, bool was);

const struct process *facts_process(const struct facts *f, pid_t pid); /* NULL: gone or unknown; f may be NULL */
/* The first listener of a port: one on address where given ("" for any), any-address ones match all. */
const struct listener *facts_listener(const struct facts *f, const char *address, uint16_t port);
const struct container *facts_container(const struct facts *f, const char *id_or_name); /* full id, or name */
const struct container *facts_publisher(const struct facts *f, uint16_t port); /* who publishes a TCP port of the host */

#endif
