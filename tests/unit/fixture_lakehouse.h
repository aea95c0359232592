// SPDX-License-Identifier: MIT
/*
 * Table metadata that real engines wrote, out of tests/lab/fixture, served as S3 would serve it, and the truth that Spark
 * counted over the same tables. The test's own thread, but for the server's.
 */
#ifndef LAKETOP_FIXTURE_LAKEHOUSE_H
#define LAKETOP_FIXTURE_LAKEHOUSE_H

#include "fixture_server.h"
#include "iceberg.h"
#include "json.h"

struct lakehouse;
/* Unpacks NAME-metadata.tar.gz into memory and serves it. Ends the test program where it is missing. */
struct lakehouse *lakehouse_open(const char *name);
void lakehouse_close(struct lakehouse *l);
/* An object's bytes; empty: there is none. */
struct text lakehouse_object(const struct lakehouse *l, const char *s3_url);
/* In place of an object, or as a new one; the bytes are the caller's. Before anybody asks. */
void lakehouse_put(struct lakehouse *l, const char *s3_url, struct text bytes);
struct storage lakehouse_storage(const struct lakehouse *l);
/* The newest metadata.json of a table by its folder, as its number has it; NULL: none. */
const char *lakehouse_newest(const struct lakehouse *l, const char *folder);
/* Reads it; the test fails where it cannot be read. */
struct iceberg_metadata *lakehouse_table(const struct lakehouse *l, struct probe *p, const char *folder);
/* truth-NAME.json of the fixture; json_free it. */
struct json *lakehouse_truth(const char *name);

#endif
