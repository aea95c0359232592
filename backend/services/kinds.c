// SPDX-License-Identifier: MIT
/* The table of all kinds of service, in the order in which a screen shows them. Pure, any thread. */
#include "kinds.h"

#include <string.h>

const struct service_kind *const service_kinds[] = {
	&kind_postgres,
	&kind_seaweedfs,
	&kind_unity_catalog,
	&kind_iceberg_rest, /* before Polaris: its question costs the other a 404, the other's would cost it an error in its log */
	&kind_polaris,
	&kind_nessie,
	&kind_kafka,
	&kind_kafka_connect,
	&kind_zookeeper,
	&kind_spark_master,
	&kind_spark_worker,
	&kind_spark_history,
	&kind_spark_connect,
	&kind_spark_driver,
	&kind_trino,
	NULL,
};

const struct service_kind *service_kind_named(const char *name)
{
	for (size_t i = 0; name && service_kinds[i]; i++)
		if (!strcmp(service_kinds[i]->name, name))
			return service_kinds[i];
	return NULL;
}
