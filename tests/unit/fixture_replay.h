// SPDX-License-Identifier: MIT
/*
 * A server that replays what a real one answered when it was recorded, for those that cannot be had here. It is that
 * server's voice and nothing more: it holds no state, and only scenes tell one state of the other from another.
 * The index in its folder says which answer is to which question.
 */
#ifndef LAKETOP_FIXTURE_REPLAY_H
#define LAKETOP_FIXTURE_REPLAY_H

#include <stdatomic.h>

#include "fixture_server.h"

struct replay {
	const char *folder;        /* under tests/recorded: "polaris-1.7.0" */
	const char *_Atomic scene; /* "open", "auth", "gone": may change between questions */
	atomic_uint asked;         /* questions so far */
	struct fake_server *server;
	struct fake_probe f;
};
void replay_begin(struct replay *r, const char *folder, const char *scene); /* with a probe at it, of 5 s */
void replay_end(struct replay *r);

#endif
