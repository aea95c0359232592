// SPDX-License-Identifier: MIT
/* What the files that make a profile share. A profile may be changed until profile_load returns it. */
#ifndef LAKETOP_PROFILE_OWN_H
#define LAKETOP_PROFILE_OWN_H

#include "profile.h"

enum { PROFILE_FILE_MAX = 1 << 20, SECRET_MAX = 4096, CATALOGS_MAX = 50 };

struct secret { /* outside the arena, so that it can be wiped */
	struct secret *next;
	size_t size;
	char at[];
};

struct loaded {
	struct profile profile; /* first: what callers hold */
	struct expectation *services; /* profile.services and catalogs, while they may still be changed */
	struct catalog *catalogs;
	struct secret *secrets;
};

struct loaded *loaded_new(void);
const char *loaded_secret(struct loaded *p, struct text t);
void wipe(struct buf *b); /* zeroes and frees what held a secret */
const char *arena_word(struct arena *arena, const char *s); /* NULL stays NULL */

/* profile_ini.c. folder is where relative paths begin. built_in: kinds and parts that this build does not know are
 * taken as "other" and left out, for the built-in profile names more than there may be. */
bool profile_read(struct loaded *p, struct host *host, struct text ini, const char *path, const char *folder, bool built_in,
	struct err *err);

/* lakehouse.c */
extern const char lakehouse_name[];
bool lakehouse_load(struct loaded *p, struct host *host, struct err *err);

#endif
