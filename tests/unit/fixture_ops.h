// SPDX-License-Identifier: MIT
/* The gate with a world behind it that counts whatever touches it: programs, signals, connections. The test's own thread. */
#ifndef LAKETOP_FIXTURE_OPS_H
#define LAKETOP_FIXTURE_OPS_H

#include <stdatomic.h>

#include "../../backend/ops/ops.h"

extern struct world {
	struct host *local, host;
	atomic_int ran;     /* programs */
	atomic_int touched; /* programs, signals, connections */
	struct profile *profile;
	struct lake lake;
	struct service services[3], *list[3];
	struct facts facts;
	char folder[64];
	struct ops *ops;
	char said[ACTION_WORDS_SIZE + 200];
} world;

int world_begin(void **state); /* a host that counts, and a folder; of the profile nothing yet */
void world_use(struct text ini, const char *path); /* its services are all absent */
int world_up(void **state);   /* service "web" is started by a program that ends with 3, "db" by nothing */
int world_down(void **state);
void open_gate(bool read_only, bool locked);
void nothing_new(void *ctx);
void turn_as_seen(int64_t begun); /* what is seen is as old as that */
void turn(void);                  /* as new as it can be */
const struct action_shown *shown(uint64_t id);
enum action_state until(uint64_t id, enum action_state state); /* or until it is over; 20 s at most */
struct action_wish wish_of(const char *verb, const char *service);
struct buf audit_text(void);

#endif
