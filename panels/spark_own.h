// SPDX-License-Identifier: MIT
/*
 * The lists of the Spark panel: what is a service (spark_services.c), applications (spark_applications.c), what
 * drivers tell of their work (spark_work.c), and flows of declarative pipelines (spark_pipelines.c). UI thread only.
 */
#ifndef LAKETOP_PANELS_SPARK_OWN_H
#define LAKETOP_PANELS_SPARK_OWN_H

#include "panels.h"

extern const struct list_kind spark_clusters, spark_connect, spark_applications, spark_stages, spark_queries, spark_pipelines;
void spark_collect_clusters(struct list *list);
void spark_collect_connect(struct list *list);
void spark_collect_applications(struct list *list);
void spark_collect_stages(struct list *list);
void spark_collect_queries(struct list *list);
void spark_collect_pipelines(struct list *list);

/* ---- a row that is a service ---- */
enum mark spark_service_mark(const struct service *s);
struct value spark_service_value(const struct service *s, const char *name); /* a figure, "state", "port", "since", "note" */
void spark_add_service(struct list *list, const struct service *s);

/* ---- a row of applications ---- */
const char *spark_application_id(const struct list_row *row); /* "" unknown */
const char *spark_application_why(const struct list_row *row, char out[VALUE_TEXT_SIZE]); /* what is wrong with it; "" nothing is known */

#endif
