// SPDX-License-Identifier: MIT
/*
 * One machine, near or far. Every probe reaches its target through this interface, so that a
 * service never sees whether the machine is this one or behind SSH. Nothing else in the program
 * opens a connection, reads /proc or runs a program.
 *
 * Threads: a host is shared by all actors; every function may be called from any of them at the
 * same time. Every call ends by its wait. Errors fill err and return false, -1 or NULL.
 */
#ifndef LAKETOP_HOST_H
#define LAKETOP_HOST_H

#include <sys/types.h>

#include "clock.h"
#include "err.h"
#include "facts.h"
#include "mem.h"
#include "snapshot.h"

struct net;

/* How a library that opens its own sockets (libcurl, libpq, librdkafka) is led to an endpoint.
 * Near: the endpoint itself. Far: a one-shot unix socket. */
struct route {
	char unix_path[104];        /* "" where address and port are to be used */
	char address[ADDRESS_SIZE];
	uint16_t port;
	void *hold;                 /* host's own, for unroute */
};

struct file_facts {
	bool exists;
	int64_t modified, size; /* ms since 1970; bytes */
	ino_t inode;
	unsigned mode;          /* permission bits; 0: unknown */
	bool is_directory;
};

struct spawn {
	const char *const *argv;        /* ends with NULL */
	const char *directory;          /* NULL: where we are */
	const char *const *environment; /* "NAME=value", besides ours; ends with NULL; NULL: none */
	const char *log;                /* a file for both outputs; NULL: dropped */
};

struct program { /* one that is ours until it ends */
	struct spawn what;              /* log is not used */
	int64_t grace_ms;               /* between SIGTERM and SIGKILL, to all of its process group */
	void (*started)(void *ctx, pid_t pid);                       /* NULL: nobody asks */
	bool (*take)(void *ctx, const char *bytes, size_t len);      /* both outputs, as they come; false: it is ended */
	void *ctx;
};

struct host {
	const char *name; /* "localhost", or as the user typed it; for the screen */
	/* Connected, non-blocking, close-on-exec socket. */
	int (*dial_tcp)(struct host *h, const char *address, uint16_t port, struct wait wait, struct err *err);
	int (*dial_unix)(struct host *h, const char *path, struct wait wait, struct err *err);
	bool (*route)(struct host *h, const char *address, uint16_t port, struct route *out, struct err *err);
	void (*unroute)(struct host *h, struct route *route);
	/* Up to out's maximum; ERR_LIMIT where the file is larger (what fitted is there). */
	bool (*read_file)(struct host *h, const char *path, struct buf *out, struct err *err);
	/* The same in pieces, whatever its length, until take returns false, which is ERR_CANCELLED. */
	bool (*stream_file)(struct host *h, const char *path, bool (*take)(void *ctx, const char *bytes, size_t len), void *ctx, struct err *err);
	/* The last most bytes of a file. */
	bool (*read_tail)(struct host *h, const char *path, size_t most, struct buf *out, struct err *err);
	/* At most most bytes from offset on; none beyond the end. */
	bool (*read_from)(struct host *h, const char *path, int64_t offset, size_t most, struct buf *out, struct err *err);
	/* A file of the folder that a process works in, and the command line of each of its children: as far as this user may see it. */
	bool (*read_beside)(struct host *h, pid_t pid, const char *name, struct buf *out, struct err *err);
	bool (*children)(struct host *h, pid_t pid, void (*each)(void *ctx, struct text words), void *ctx, struct err *err);
	/* The command line of every process in which that part stands: its arguments, each ended by a zero. They are not masked. */
	bool (*programs)(struct host *h, const char *part, void (*each)(void *ctx, pid_t pid, struct text words), void *ctx, struct err *err);
	/* Calls each for every name until it returns false. */
	bool (*list)(struct host *h, const char *path, bool (*each)(void *ctx, const char *name), void *ctx, struct err *err);
	bool (*stat)(struct host *h, const char *path, struct file_facts *out, struct err *err);
	/* argv only, stdin from /dev/null; kills the child at the deadline. Returns its exit status or -1. */
	int (*exec)(struct host *h, const char *const argv[], struct buf *out, struct buf *errors, struct wait wait, struct err *err);
	/* The same, its output handed over as it comes, until take returns false: ERR_CANCELLED, and the child is ended. */
	int (*follow)(struct host *h, const char *const argv[], bool (*take)(void *ctx, const char *bytes, size_t len), void *ctx,
		struct buf *errors, struct wait wait, struct err *err);
	/* The same in a folder, with more environment, both outputs as one. */
	int (*run)(struct host *h, const struct program *program, struct wait wait, struct err *err);
	/* Starts a program that goes on without us: argv only, a session of its own, input from /dev/null, output appended to a file.
	 * Its process id; 0: err says why. While we live it is reaped, and spawned() knows how it ended. */
	pid_t (*spawn)(struct host *h, const struct spawn *what, struct err *err);
	/* Of one that spawn() started: -1 runs still, else its exit status (128 + a signal's number); -2: not ours. */
	int (*spawned)(struct host *h, pid_t pid);
	/* When a process began, ms since 1970; 0: there is none, or it has ended and was not reaped. */
	int64_t (*began)(struct host *h, pid_t pid);
	/* Sends a signal to a process that began then, and to no other that has its number by now. */
	bool (*signal)(struct host *h, pid_t pid, int64_t started, int number, struct err *err);
	/* Fills s->facts of a PART_HOST snapshot. look is kept between calls by one actor (NULL at first): caches, CPU times. */
	bool (*look)(struct host *h, void **look, const char *const *disks, struct snapshot *s);
	void (*look_end)(void *look);
	void (*close)(struct host *h);
};

struct host *host_local(void);

/* ---- units.c: what systemctl says of a unit ---- */
struct unit_state {
	char load[20], active[20], sub[20], result[32]; /* "loaded", "failed", "auto-restart", "exit-code" */
	int64_t status, restarts;
};
void unit_state_read(struct text shown, struct unit_state *out); /* pure */
bool unit_state_ask(struct host *h, const char *unit, bool user, struct unit_state *out, struct wait wait); /* false: no answer */
enum unit_is unit_state_is(const struct unit_state *u);
const char *unit_state_words(const struct unit_state *u, char *out, size_t size); /* "exit-code, status 3, 7 restarts" */

/* As many descriptors as may be had, up to some thousands: for this process alone, programs that exec() runs get what the user set.
 * Once, at the start. */
void host_more_descriptors(void);

/*
 * Docker over the host's socket ($DOCKER_HOST, then the usual places): fills s->facts of a
 * PART_DOCKER snapshot. state is kept between calls (NULL at first). false: err says why; the
 * facts then say none, denied or dead.
 */
bool docker_look(struct host *h, void **state, struct wait wait, struct snapshot *s);
void docker_end(void *state);
/* One request to the engine's API, path without the version: "/containers/x/start". True: it answered; status and body say what. */
bool docker_request(struct host *h, struct net *net, struct wait wait, const char *method, const char *path, long *status, struct buf *body,
	struct err *err);

/* A GET whose answer is handed over in pieces, as long as it comes. status 2xx: it was; else body says why not. */
bool docker_stream(struct host *h, struct net *net, struct wait wait, const char *path, bool (*take)(void *ctx, const char *bytes, size_t len),
	void *ctx, long *status, struct buf *body, struct err *err);

#endif
