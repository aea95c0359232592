// SPDX-License-Identifier: MIT
/*
 * Files by URL, for what lies where a lake keeps it: checkpoints, table metadata. file:/path and
 * /path through the probe's host; s3://bucket/key and s3a://bucket/key over HTTP, path style, signed.
 * Every read has a cap, every wait is the probe's, every error names the URL. The actor's thread.
 *
 * Source: the S3 API, GetObject and ListObjectsV2; checked on SeaweedFS 4.48.
 */
#ifndef LAKETOP_STORAGE_H
#define LAKETOP_STORAGE_H

#include "net.h"

struct storage { /* where s3 URLs lead; all zero: there is none */
	struct endpoint s3;          /* port 0: none */
	const char *user, *password; /* the key pair; NULL: asked without a signature */
	const char *region;          /* NULL: us-east-1 */
	unsigned page;               /* names of a listing to be asked for at once; 0: as many as S3 gives, 1,000 */
};

enum { STORAGE_URL_SIZE = 1200 };

struct storage_url {
	bool s3;
	struct text bucket; /* of s3 only */
	struct text path;   /* the file's; of s3 the key, without a slash at either end. Borrowed from the URL */
};
/* False: err says what the URL should be. Pure. */
bool storage_url(const char *url, struct storage_url *out, struct err *err);
/* "url/part"; false: too long. Pure. */
bool storage_child(char out[STORAGE_URL_SIZE], const char *url, const char *part);

enum storage_answer {
	STORAGE_FAILED,  /* err says why; of a read with ERR_LIMIT what fitted is there */
	STORAGE_MISSING, /* answered, and there is no such file; err says that too */
	STORAGE_OK,
};

/* A whole file, up to out's maximum. */
enum storage_answer storage_read(struct probe *p, const struct storage *at, const char *url, struct buf *out, struct err *err);

/* The same in pieces, for what may be larger than memory should be: take returns false to end it, which is STORAGE_FAILED with
 * ERR_CANCELLED. most: bytes; more is ERR_LIMIT. */
enum storage_answer storage_stream(struct probe *p, const struct storage *at, const char *url, int64_t most,
	bool (*take)(void *ctx, const char *bytes, size_t len), void *ctx, struct err *err);

struct storage_entry {
	struct text name;  /* under the folder; not clean */
	bool folder;       /* on s3 only: of files it is not known without asking for each */
	int64_t size;      /* -1: not known */
	struct text modified; /* as the server writes it; empty: not known */
	int64_t when;         /* the same, ms since 1970; 0: not known */
};
/*
 * What lies directly in a folder, until each returns false. after: only names behind it in byte order; NULL: all.
 * s3 lists in byte order and page by page; files come in any order. More than most names: ERR_LIMIT. A folder that
 * is missing on s3 is empty.
 */
enum storage_answer storage_list(struct probe *p, const struct storage *at, const char *url, const char *after, size_t most,
	bool (*each)(void *ctx, const struct storage_entry *entry), void *ctx, struct err *err);

/* Every file under a folder, however deep: names are paths under it, sizes and times are known, folders are not told. Same errors. */
enum storage_answer storage_walk(struct probe *p, const struct storage *at, const char *url, size_t most,
	bool (*each)(void *ctx, const struct storage_entry *entry), void *ctx, struct err *err);

#endif
