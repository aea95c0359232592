// SPDX-License-Identifier: MIT
/* SeaweedFS's answers taken apart: pure, unit-tested, fuzzed. */
#ifndef LAKETOP_SERVICES_SEAWEEDFS_H
#define LAKETOP_SERVICES_SEAWEEDFS_H

#include "err.h"
#include "text.h"

enum { SEAWEEDFS_VERSION_SIZE = 32, SEAWEEDFS_NODES_MAX = 32, SEAWEEDFS_URL_SIZE = 80, SEAWEEDFS_NAME_SIZE = 64 };

/* "8000GB 4.48 pypi", "SeaweedFS Volume 8000GB 4.48": the word after the size. False: it is not one. */
bool seaweedfs_version(struct text t, char out[SEAWEEDFS_VERSION_SIZE]);
/* Which part answers so? NULL: not SeaweedFS. server is the header, empty where it is missing. */
const char *seaweedfs_role(struct text server, struct text body);
/* "SignatureDoesNotMatch" of an S3 error; empty: it is not one. */
struct text seaweedfs_s3_code(struct text body);
int64_t seaweedfs_s3_buckets(struct text body); /* -1: not a list of buckets */

struct seaweedfs_node {
	char url[SEAWEEDFS_URL_SIZE]; /* "127.0.0.1:8080" */
	int64_t volumes, most;
};
struct seaweedfs_topology { /* of /dir/status */
	int64_t most, free;           /* volume slots */
	int64_t writable;             /* volumes */
	struct seaweedfs_node nodes[SEAWEEDFS_NODES_MAX];
	size_t n_nodes, left_off;
};
bool seaweedfs_parse_topology(struct text body, struct seaweedfs_topology *out, struct err *err);

struct seaweedfs_volume {
	int64_t id, size, files, deleted, deleted_bytes, modified; /* ms since 1970 */
	bool read_only;
	char collection[SEAWEEDFS_NAME_SIZE];
};
struct seaweedfs_server { /* of a volume server's /status: sums */
	int64_t disk_total, disk_free; /* -1: not told */
	int64_t volumes, size, files, read_only;
};
/* Calls each for every volume. False: it is not such an answer. */
bool seaweedfs_parse_server(struct text body, struct seaweedfs_server *out,
	void (*each)(void *ctx, const struct seaweedfs_volume *v), void *ctx, struct err *err);

struct seaweedfs_listing { /* of one page of a filer's directory */
	int64_t directories;          /* without hidden ones */
	bool more;
	char last[256];               /* where the next page begins */
};
bool seaweedfs_parse_listing(struct text body, struct seaweedfs_listing *out, struct err *err);

#endif
