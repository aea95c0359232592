// SPDX-License-Identifier: MIT
/* The parts of the local host: one file for connections, one for files, one for programs, one for the look. */
#ifndef LAKETOP_LOCAL_H
#define LAKETOP_LOCAL_H

#include "host.h"

/* files.c */
bool local_read_file(struct host *h, const char *path, struct buf *out, struct err *err);
bool local_stream_file(struct host *h, const char *path, bool (*take)(void *ctx, const char *bytes, size_t len), void *ctx, struct err *err);
bool local_read_tail(struct host *h, const char *path, size_t most, struct buf *out, struct err *err);
bool local_read_from(struct host *h, const char *path, int64_t offset, size_t most, struct buf *out, struct err *err);
bool local_list(struct host *h, const char *path, bool (*each)(void *ctx, const char *name), void *ctx, struct err *err);
bool local_stat(struct host *h, const char *path, struct file_facts *out, struct err *err);

/* beside.c */
bool local_read_beside(struct host *h, pid_t pid, const char *name, struct buf *out, struct err *err);
bool local_children(struct host *h, pid_t pid, void (*each)(void *ctx, struct text words), void *ctx, struct err *err);
bool local_programs(struct host *h, const char *part, void (*each)(void *ctx, pid_t pid, struct text words), void *ctx, struct err *err);

/* exec.c */
int local_exec(struct host *h, const char *const argv[], struct buf *out, struct buf *errors, struct wait wait, struct err *err);
int local_follow(struct host *h, const char *const argv[], bool (*take)(void *ctx, const char *bytes, size_t len), void *ctx, struct buf *errors,
	struct wait wait, struct err *err);
int local_run(struct host *h, const struct program *program, struct wait wait, struct err *err);

/* spawn.c */
char **environment_with(const char *const *more); /* ours, with what is said anew in place of the old; free() it, not its words */
pid_t local_spawn(struct host *h, const struct spawn *what, struct err *err);
int local_spawned(struct host *h, pid_t pid);
int64_t local_began(struct host *h, pid_t pid);
bool local_signal(struct host *h, pid_t pid, int64_t started, int number, struct err *err);

/* look.c */
bool local_look(struct host *h, void **look, const char *const *disks, struct snapshot *s);
void local_look_end(void *look);

#endif
