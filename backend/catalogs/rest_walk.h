// SPDX-License-Identifier: MIT
/* A walk through the namespaces of an Iceberg REST catalog; see rest.c. The actor's thread. */
#ifndef LAKETOP_CATALOGS_REST_WALK_H
#define LAKETOP_CATALOGS_REST_WALK_H

#include "rest.h"

enum { SPACES_MOST = 20000, NAME_MOST = 8 << 10 };

struct rest { /* list's and load's state */
	struct web web;
};

struct walk {
	struct probe *p;
	const struct catalog *c;
	struct web *web;
	bool (*each)(void *ctx, const struct catalog_entry *e);
	void *ctx;
	struct catalog_said *said;
	struct err *err;
	struct rest_config config;
	const char *warehouse;     /* the one that is walked */
	bool named;                /* names begin with it */
	bool unity;
	char **spaces;             /* found so far; the first n_done are done */
	size_t n_spaces, n_done, spaces_most;
	uint64_t *seen;            /* a set of what was met: open addressing, 0 is free */
	size_t n_seen, seen_room;
	const char *space;         /* whose tables are listed */
	enum table_format format;
	size_t top, listed, capped; /* namespaces at the top; identifiers in this one; of Unity Catalog: schemas cut */
	unsigned forbidden;
	bool all_levels, stopped;
	bool cut;
	struct buf path, name, key;
};

const char *rest_base(const struct catalog *c); /* what stands before /v1 */
struct rest *rest_state(const struct catalog *c, void **state);
void rest_begin_walk(struct walk *w, struct rest *r, struct catalog_said *said, struct err *err);
void rest_end_walk(struct walk *w);
/* Asks for the configuration. status: the answer's, 0: none. */
bool rest_configure(struct walk *w, const char *warehouse, long *status);
bool rest_list_top(struct walk *w);
bool rest_list_identifiers(struct walk *w, const char *what, enum table_format format);
bool rest_walk_spaces(struct walk *w);
void rest_forget_spaces(struct walk *w);
/* A namespace that went meanwhile, or that we may not see, is no reason to end. */
bool rest_passes(struct walk *w, long status);
void rest_say(struct walk *w, bool cut, const char *words);
void rest_unity_path(struct walk *w, const char *what); /* into its path: Unity Catalog's own API beside its Iceberg endpoint */

#endif
