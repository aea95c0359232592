// SPDX-License-Identifier: MIT
/* Versions of laketop and the libraries it runs with: the first thing that a bug report needs. Any thread. */
#include <gnu/libc-version.h>

#include <cjson/cJSON.h>
#include <curl/curl.h>
#include <libpq-fe.h>
#include <librdkafka/rdkafka.h>

#include "report.h"

void report_versions(struct buf *out)
{
	int pq = PQlibVersion();

	buf_printf(out, "laketop %s\n", LAKETOP_VERSION);
	buf_printf(out, "  %s\n", curl_version());
	buf_printf(out, "  libpq %d.%d, librdkafka %s, cJSON %s, glibc %s\n", pq / 10000, pq % 10000, rd_kafka_version_str(), cJSON_Version(),
		gnu_get_libc_version());
}
