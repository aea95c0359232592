// SPDX-License-Identifier: MIT
/* One connection to one broker: a question, its answer, each bounded by the probe's wait. The actor's thread. */
#ifndef LAKETOP_SERVICES_KAFKA_LINE_H
#define LAKETOP_SERVICES_KAFKA_LINE_H

#include "kafka_wire.h"
#include "net.h"

struct kafka_line {
	struct probe *p;
	int fd;
	int32_t id;
	bool heard; /* it sent something */
	struct kafka_versions versions;
	struct buf question, answer;
};

void kafka_line_begin(struct kafka_line *l, struct probe *p);
void kafka_line_end(struct kafka_line *l);
/* Connects and learns which requests are known there. */
bool kafka_line_open(struct kafka_line *l, const struct endpoint *at, struct err *err);
bool kafka_line_versions(struct kafka_line *l, int16_t version, struct err *err);
/* Begins the next question, to be written into l->question. */
void kafka_line_next(struct kafka_line *l);
/* Sends it and reads the answer with the same id. False: err says why, and the line is of no more use. */
bool kafka_line_ask(struct kafka_line *l, size_t most, struct text *frame, struct err *err);

#endif
