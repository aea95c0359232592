// SPDX-License-Identifier: MIT
/* The lists of the Kafka panel. Private to panels/kafka*.c. */
#ifndef LAKETOP_PANELS_KAFKA_H
#define LAKETOP_PANELS_KAFKA_H

#include "panels.h"

extern const struct list_kind kafka_groups, kafka_topics, kafka_connectors;
extern const struct list_kind kafka_tasks;  /* of a connector */
extern const struct list_kind kafka_places; /* of a streaming query: list_row.at is one of stream->lag.places */
extern const struct deck_view kafka_views[];

enum mark kafka_state_mark(const char *lag_state);
/* What is said of a streaming query rests on its checkpoint and on where Kafka's partitions end: the older one, where one is old. */
const struct snapshot *kafka_stream_from(const struct stream_view *v, int64_t now);
const char *kafka_source_words(const struct lake *lake, const struct list_row *connector, char out[VALUE_TEXT_SIZE]);
bool kafka_is_task_of(const struct list_row *task, const char *connector);

#endif
