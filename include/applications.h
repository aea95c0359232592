// SPDX-License-Identifier: MIT
/* An application of Spark as several servers tell of it together. Pure over a lake. */
#ifndef LAKETOP_APPLICATIONS_H
#define LAKETOP_APPLICATIONS_H

#include "lake.h"

/* What is wrong with one of which its master says nothing: by its driver, NULL where there is none, else by how many of its jobs
 * failed. "" nothing is known. */
const char *application_why(const struct service *driver, struct value jobs_failed, char out[VALUE_TEXT_SIZE]);

#endif
