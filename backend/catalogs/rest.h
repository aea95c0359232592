// SPDX-License-Identifier: MIT
/* An Iceberg REST catalog, as far as its services look at it, too. */
#ifndef LAKETOP_CATALOGS_REST_H
#define LAKETOP_CATALOGS_REST_H

#include "catalog.h"
#include "web.h"

struct rest_config { /* what GET /v1/config says, ready to stand in a path */
	char prefix[320];       /* "main%7Cwarehouse", "catalogs/unity"; "" none */
	char separator[16];     /* between the parts of a namespace: "%1F" */
	bool views, generic;    /* it says that it lists them */
	bool nessie;
	bool has_endpoints;
};
/* Pure. False: err says what it is instead. */
bool rest_read_config(struct text body, struct rest_config *out, struct err *err);

/* How one does: its configuration, its first page of namespaces, and the metadata of one table, which it has to read from
 * storage. state is as of catalog_kind. */
struct rest_look {
	struct err err;             /* why it does not list */
	struct rest_config config;
	int64_t namespaces;         /* at the top; -1: not listed */
	double listed_ms;
	char table[200];            /* that was loaded; "" none was met */
	bool loaded;
	struct err storage;         /* why not */
	double loaded_ms;
};
bool rest_look(struct probe *p, const struct catalog *c, void **state, struct rest_look *out);
void rest_close(void *state);

#endif
