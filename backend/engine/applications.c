// SPDX-License-Identifier: MIT
/* See applications.h. */
#include "applications.h"

#include <stdio.h>

const char *application_why(const struct service *driver, struct value jobs_failed, char out[VALUE_TEXT_SIZE])
{
	const struct judged *j = driver && driver->verdict.begun ? &driver->verdict.shown : NULL;
	const struct judged_finding *worst = NULL;

	for (size_t i = 0; j && i < j->n_findings; i++)
		if (!worst || j->findings[i].severity > worst->severity)
			worst = &j->findings[i];
	if (j && j->reason[0])
		return j->reason;
	if (worst)
		return worst->reason;
	if (jobs_failed.type != VALUE_INT || jobs_failed.u.i <= 0)
		return "";
	snprintf(out, VALUE_TEXT_SIZE, jobs_failed.u.i == 1 ? "a job of it failed" : "%lld of its jobs failed", (long long)jobs_failed.u.i);
	return out;
}
