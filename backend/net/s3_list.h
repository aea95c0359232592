// SPDX-License-Identifier: MIT
/* One page of ListObjectsV2, and the errors of S3. Pure, any thread. */
#ifndef LAKETOP_NET_S3_LIST_H
#define LAKETOP_NET_S3_LIST_H

#include "storage.h"

struct s3_page {
	bool truncated;      /* there is more, from token on */
	bool stopped;        /* each had enough */
	struct buf token;    /* init by the caller */
};
/* Calls each for what lies directly under prefix ("a/b/", or "" for the bucket's root). False: this is no such page. */
bool s3_read_page(struct text xml, struct text prefix, bool (*each)(void *ctx, const struct storage_entry *entry), void *ctx,
	struct s3_page *out);

/* The code of an error's body, "NoSuchKey"; empty where it is none. */
struct text s3_error_code(struct text xml);

/* "/bucket/key", and for a listing its parameters, sorted; all escaped as a signature demands. token and after may be empty,
 * page 0. deep: everything under the prefix, else what lies directly there. */
bool s3_put_path(struct buf *out, struct text bucket, struct text key);
bool s3_put_list(struct buf *out, struct text bucket, struct text prefix, struct text after, struct text token, unsigned page,
	bool deep);

#endif
