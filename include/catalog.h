// SPDX-License-Identifier: MIT
/*
 * A catalog: who says which tables there are and where each one's metadata lies. One const value
 * per kind at the end of its file in backend/catalogs/, one line in backend/catalogs/catalogs.c.
 * Read only. The actor's thread.
 */
#ifndef LAKETOP_CATALOG_H
#define LAKETOP_CATALOG_H

#include "profile.h"
#include "storage.h"

enum table_format { FORMAT_ICEBERG, FORMAT_DELTA, FORMAT_VIEW, FORMAT_OTHER };

struct catalog_entry { /* texts live as long as the call that hands it over; none is clean */
	struct text name;        /* "bronze.orders": parts joined by '.'; a part that has a dot itself stands in double quotes */
	enum table_format format;
	struct text words;       /* FORMAT_OTHER: what it is: "CSV" */
	struct text at;          /* Iceberg: its metadata.json, empty where only load tells; else: the folder, where it is told */
	struct text key;         /* the catalog's own, for load; empty: the name is enough */
};

struct catalog_said { /* what a listing found beside tables */
	char words[160];         /* "the listing is cut at 100 by Unity Catalog's Iceberg endpoint"; "" nothing */
	bool cut;                /* there may be more tables than were told */
	bool named;              /* names begin with that of the catalog that each table is of: there are several */
};

enum catalog_answer {
	CATALOG_FAILED,  /* err says why */
	CATALOG_GONE,    /* there is no such table any more */
	CATALOG_SAME,    /* nothing changed since known */
	CATALOG_OK,
};
struct catalog_load { /* one table's metadata, as the catalog itself hands it out */
	const struct catalog_entry *entry;
	char known[200];         /* in and out: an ETag, a version; "" none. What it was when the table was read last */
	bool (*take)(void *ctx, const char *bytes, size_t len); /* gets the LoadTableResult in pieces; false ends it */
	void *ctx;
};

struct catalog_kind {
	const char *name, *title; /* "iceberg-rest", "Iceberg REST catalog" */
	/* Every table of every namespace, page by page. false: err says why; what came before holds. */
	bool (*list)(struct probe *p, const struct catalog *c, void **state, bool (*each)(void *ctx, const struct catalog_entry *e), void *ctx,
		struct catalog_said *said, struct err *err);
	/* NULL: entry.at is where the metadata lies. */
	enum catalog_answer (*load)(struct probe *p, const struct catalog *c, void **state, struct catalog_load *load, struct err *err);
	void (*close)(void *state); /* frees what list and load keep (a token, a prefix); NULL: nothing */
};
extern const struct catalog_kind *const catalog_kinds[]; /* ends with NULL */
struct endpoint catalog_endpoint(const struct catalog *c); /* where it is asked; port 0: folders are its tables */
/* The S3 of a service of the profile, with its key; all zero: name is NULL, or there is no such service. */
struct storage profile_storage(const struct profile *profile, const char *name);
/* What an engine calls that table: its catalog, and the rest of the name, which is returned. Of several catalogs each is called by its
 * own name. "": the name cannot be said. */
const char *catalog_for_engine(const struct catalog *c, bool named, const char *table, char engine[NAME_SIZE]);
const struct catalog_kind *catalog_kind_named(const char *name); /* NULL: none */

#endif
