// SPDX-License-Identifier: MIT
/* The kinds there are, and what their files share. */
#ifndef LAKETOP_SERVICES_KINDS_H
#define LAKETOP_SERVICES_KINDS_H

#include "service.h"

extern const struct service_kind kind_postgres;
extern const struct service_kind kind_unity_catalog;
extern const struct service_kind kind_polaris;
extern const struct service_kind kind_iceberg_rest;
extern const struct service_kind kind_nessie;
extern const struct service_kind kind_seaweedfs;
extern const struct service_kind kind_kafka;
extern const struct service_kind kind_kafka_connect;
extern const struct service_kind kind_zookeeper;
extern const struct service_kind kind_spark_master;
extern const struct service_kind kind_spark_worker;
extern const struct service_kind kind_spark_history;
extern const struct service_kind kind_spark_driver;
extern const struct service_kind kind_spark_connect;
extern const struct service_kind kind_trino;

/* Which part of its service p->at is: by the profile, then by the owner's words, then by the usual numbers.
 * NULL: nothing tells. */
const char *probe_role(const struct probe *p, const struct service_kind *kind);
bool role_is(const char *role, const char *name); /* role may be NULL */

/* The number after an option of a process's words: "--webui-port 8082", "spark.ui.port=4041"; 0: it is not there. */
uint16_t option_port(struct text hint, const char *option);
/* The same of a file of settings, where the last one holds: "spark.ui.port 4041", "server.port=8080". Pure. */
uint16_t settings_port(struct text file, const char *key);
/* Which part of a Quarkus server a port is, by its words, else by the defaults: "api", "management"; NULL: neither. Pure. */
const char *quarkus_role(struct text hint, uint16_t port, uint16_t api, uint16_t management);

/* Tells one credential from another without keeping it. */
uint64_t credential_print(const struct credentials *c);

/*
 * May a credential be shown to who answers at p->at? Not over a network in clear, unless the profile allows it; not to who, asked
 * without it, did not answer as the expected kind would (said). False: err says so.
 */
bool credential_may_cross(const struct probe *p, struct err *err);
bool credential_is_for(const struct probe *p, enum answered said, struct err *err);

/* "GET /json/, 3 ms": what was asked, and how long it took. In the probe's arena. */
const char *asked_in(struct probe *p, const char *question, int64_t begun);

#endif
