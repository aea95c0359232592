// SPDX-License-Identifier: MIT
/* What the previews share: a bounded map, the rules of size, SQL, one manifest's files. The actor's thread. */
#ifndef LAKETOP_TABLES_PLAN_H
#define LAKETOP_TABLES_PLAN_H

#include "tables.h"

uint64_t plan_hash(struct text t);
uint64_t plan_hash_more(uint64_t key, uint64_t more);

/* From a key to a number, in no more memory than it is given. */
struct plan_map {
	struct plan_cell { uint64_t key; int64_t value; } *cells; /* key 0: free */
	size_t n, room;
	int64_t *memory; /* what is left; may be shared */
};
int64_t *plan_map_add(struct plan_map *map, uint64_t key); /* its value, 0 where it is new; NULL: the memory is used up */
int64_t *plan_map_find(const struct plan_map *map, uint64_t key); /* NULL: none */
void plan_map_free(struct plan_map *map);
/* Grows an array by half against the memory left. false: used up, the array stays. */
bool plan_grow(void *array, size_t *room, size_t size, int64_t *memory);

int64_t plan_add(int64_t a, int64_t b); /* stops at the largest; what is negative counts as 0 */

/* "bronze.orders" in parts, as the catalog joins them. false: no more. */
bool plan_part(struct text *rest, struct text *part);

/* Every live file of one manifest. false: err says why, ERR_LIMIT where the budget ends it. */
bool plan_files(struct probe *p, const struct storage *at, const struct iceberg_manifest *of, struct iceberg_budget *budget,
	bool (*each)(void *ctx, const struct iceberg_file *f), void *ctx, struct err *err);

/* A URL without its scheme, so that s3, s3a and s3n are one: "s3:bucket/key", "/path". */
uint64_t plan_hash_url(struct text url);

struct plan_text { char s[CLOCK_TEXT]; }; /* "13 MiB", "61 d" */
struct plan_text plan_bytes(int64_t bytes);
struct plan_text plan_days(int64_t ms);
struct plan_text plan_time(int64_t ms); /* as SQL says it, in UTC */

void plan_figure(struct snapshot *s, const char *name, int64_t n); /* below 0: unknown */
void plan_say(struct snapshot *s, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
void plan_sql(struct snapshot *s, const struct plan_about *a, const char *procedure, const char *rest);

#endif
