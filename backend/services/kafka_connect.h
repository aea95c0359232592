// SPDX-License-Identifier: MIT
/* What a Kafka Connect worker's answers say. Pure; fuzzed. */
#ifndef LAKETOP_SERVICES_KAFKA_CONNECT_H
#define LAKETOP_SERVICES_KAFKA_CONNECT_H

#include "json.h"
#include "service.h"

enum { CONNECT_CAUSE = 300 };
/* What a stack trace says: its last cause, or its first line where that is all that has a message. Clean, without secrets. */
void connect_cause(char out[CONNECT_CAUSE], const char *trace);
/* Fills the tables connectors and tasks, their figures and findings, of /connectors?expand=status&expand=info. */
bool connect_read(const struct json *answer, struct snapshot *s);
/* Where a Debezium source stands, of /connectors/NAME/offsets. False: nothing is told. */
struct connect_offset {
	int64_t lsn;              /* -1: none */
	int64_t at;               /* ms since 1970 of the last change read; 0: none */
	bool snapshot;            /* still copies what was there; else it streams */
};
bool connect_read_offset(const struct json *answer, struct connect_offset *out);

#endif
