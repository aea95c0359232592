// SPDX-License-Identifier: MIT
/* The answers of ZooKeeper's four-letter words, taken apart: pure, unit-tested, fuzzed. */
#ifndef LAKETOP_SERVICES_ZOOKEEPER_H
#define LAKETOP_SERVICES_ZOOKEEPER_H

#include "text.h"

enum zookeeper_said {
	ZOOKEEPER_NOT,      /* not a ZooKeeper, or cut off */
	ZOOKEEPER_SERVES,   /* told what was asked */
	ZOOKEEPER_SICK,     /* itself, and serves nobody: no quorum */
	ZOOKEEPER_CLOSED,   /* itself; this word is not whitelisted */
	ZOOKEEPER_HTTP,     /* the admin server, which wants to be asked in HTTP */
};

struct zookeeper_srvr { /* numbers: -1 where not told */
	struct text version, revision, mode;
	int64_t nodes, connections, outstanding, latency_max;
	double latency_avg;
};
enum zookeeper_said zookeeper_parse_srvr(struct text answer, struct zookeeper_srvr *out);
/* The value of one line of "mntr"; empty where it is missing. */
struct text zookeeper_mntr(struct text answer, const char *key);
/* "3.8.4-9316c2a7..., built on 2024-02-12" */
void zookeeper_split_version(struct text t, struct text *version, struct text *revision);

#endif
