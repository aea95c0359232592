// SPDX-License-Identifier: MIT
/* What the services that are catalogs share: who answers, and does it list and read its tables. */
#ifndef LAKETOP_SERVICES_CATALOGS_LOOK_H
#define LAKETOP_SERVICES_CATALOGS_LOOK_H

#include "../catalogs/rest.h"
#include "service.h"

/* One GET without a credential, for identities. ANSWERED_YES: an HTTP answer came; free it in either case. */
enum answered catalog_knock(struct probe *p, const struct endpoint *at, const char *path, const char *const *lines, struct http_answer *out);
/* Somebody else answered so. */
enum answered catalog_stranger(struct probe *p, struct identity *who, const char *path, const struct http_answer *answer);

/* The figures of those that speak Iceberg REST. */
#define CATALOG_FIGURES \
	{"namespaces", "namespaces", UNIT_COUNT, FIGURE_ROW, "at the top of its tree"}, \
	{"listed", "listing", UNIT_MS, FIGURE_ROW | FIGURE_HISTORY, "how long its configuration and its namespaces took"}, \
	{"loaded", "one table", UNIT_MS, FIGURE_HISTORY, "how long the metadata of one table took, which it reads from storage"}, \
	{"table", "", UNIT_NONE, 0, "the table that was loaded"}

/* Lists and loads one table as catalog c, and says how that went: health, and figures. storage_is_one: of several storages
 * a broken one is a finding. False: s->err says why nothing is known. */
bool catalog_inspect(struct probe *p, struct snapshot *s, const struct figure_spec *figures, const struct catalog *c, void **rest,
	bool storage_is_one);
/* A failed question as health. False: s->err says why nothing is known. */
bool catalog_unwell(struct probe *p, struct snapshot *s, const char *source, const struct err *err);

struct quarkus_health { /* GET /q/health of Polaris and Nessie */
	bool known, up;
	char words[200];        /* what is down: "Database connections health check: ..." */
};
void quarkus_read_health(struct text body, struct quarkus_health *out); /* pure */
/* Asks the management port. False: it does not answer; one that takes the question and is silent is a finding, for it waits
 * for what it checks. */
bool quarkus_ask_health(struct probe *p, struct snapshot *s, const char *path, struct quarkus_health *out);

#endif
