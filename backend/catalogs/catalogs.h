// SPDX-License-Identifier: MIT
/* The kinds of catalogs there are, and what their files share. */
#ifndef LAKETOP_CATALOGS_CATALOGS_H
#define LAKETOP_CATALOGS_CATALOGS_H

#include "catalog.h"

extern const struct catalog_kind catalog_delta;
extern const struct catalog_kind catalog_iceberg_jdbc;
extern const struct catalog_kind catalog_iceberg_rest;
extern const struct catalog_kind catalog_unity;

/* Adds one part of a table's name: joined by '.', in double quotes where it has a dot itself. */
bool catalog_name_part(struct buf *name, struct text part);

#endif
