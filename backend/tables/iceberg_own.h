// SPDX-License-Identifier: MIT
/* What the files that read Iceberg metadata share; see iceberg.h. */
#ifndef LAKETOP_ICEBERG_OWN_H
#define LAKETOP_ICEBERG_OWN_H

#include "iceberg.h"
#include "json.h"

/* ---- schemas, partition specs, sort orders, from their JSON; names are found when all are there ---- */
struct iceberg_term { /* of a spec or an order: a transform of a column */
	int source[4];
	size_t n_sources;
	const char *transform, *name; /* name "" in an order */
	bool descending, nulls_last;
};
struct iceberg_terms {
	int id;
	const struct iceberg_term *terms;
	size_t n_terms;
};
struct iceberg_shapes {
	struct arena *arena; /* where all of it lies */
	struct iceberg_schema *schemas;
	size_t n_schemas;
	struct iceberg_terms *specs, *orders;
	size_t n_specs, n_orders;
	bool cut;
};
void iceberg_add_schema(struct iceberg_shapes *s, const struct json *schema);
void iceberg_add_spec(struct iceberg_shapes *s, const struct json *spec); /* format 1: the array of its fields alone */
void iceberg_add_order(struct iceberg_shapes *s, const struct json *order);
/* Into m: schemas, specs in words, and the words of one order. */
void iceberg_end_shapes(struct iceberg_shapes *s, int order, struct iceberg_metadata *m);
void iceberg_free_shapes(struct iceberg_shapes *s); /* what does not lie in the arena */

/* ---- snapshots as they come; the newest are kept ---- */
struct iceberg_shelf {
	struct iceberg_snapshot *at; /* a ring once it is full */
	size_t n, size, oldest, all;
	size_t bare;  /* of the oldest: only id, parent and time are left */
	size_t bytes; /* of what they say */
	struct iceberg_snapshot pinned[64]; /* pushed out, and yet wanted: the first, and heads of refs */
	size_t n_pinned;
	bool cut;
};
/* Takes over s->manifest_list, a block of mem_new() with wap and the manifests in it; NULL: there is none. */
void iceberg_put_snapshot(struct iceberg_shelf *shelf, const struct iceberg_snapshot *s,
	bool (*is_head)(const void *ctx, int64_t id), const void *ctx);
/* All of them in order, in one block that is the caller's; the shelf is empty then. */
struct iceberg_snapshot *iceberg_take_snapshots(struct iceberg_shelf *shelf, size_t *n);
void iceberg_free_snapshots(struct iceberg_snapshot *at, size_t n);

/* ---- a manifest list that is gone through more than once; free list in any case ---- */
bool iceberg_load_list(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct iceberg_snapshot *s,
	struct iceberg_budget *budget, struct buf *list, struct err *err);
bool iceberg_list_manifests(const struct iceberg_snapshot *s, const struct buf *list, bool (*each)(void *ctx, const struct iceberg_manifest *m),
	void *ctx, struct err *err);
bool iceberg_list_files(struct probe *p, const struct storage *at, const struct iceberg_snapshot *s, const struct buf *list,
	struct iceberg_budget *budget, bool (*each)(void *ctx, const struct iceberg_file *f), void *ctx, struct err *err);

/* ---- partitions ---- */
struct avro;
struct avro_value;
struct iceberg_partitions; /* of one manifest: its spec, and the partition rendered last */
struct iceberg_partitions *iceberg_partitions_new(const struct avro *a, int spec);
void iceberg_partitions_free(struct iceberg_partitions *p);
/* As people read it, clean; lives until the next call. key: equal where spec and values are. False: the value is broken. */
bool iceberg_partition_text(struct iceberg_partitions *p, const struct avro_value *partition, struct text *out, uint64_t *key);
uint64_t iceberg_hash(uint64_t before, const void *bytes, size_t len);

#endif
