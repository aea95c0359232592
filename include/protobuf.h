// SPDX-License-Identifier: MIT
/*
 * Protocol Buffers on the wire: just enough to write a question and to walk an answer, field by
 * field, without generated code. Groups are refused. Every read is checked against the end. Pure,
 * any thread.
 * Source: the encoding guide of Protocol Buffers, "Message structure".
 */
#ifndef LAKETOP_PROTOBUF_H
#define LAKETOP_PROTOBUF_H

#include "mem.h"

enum protobuf_wire { PROTOBUF_VARINT = 0, PROTOBUF_FIXED64 = 1, PROTOBUF_BYTES = 2, PROTOBUF_FIXED32 = 5 };

struct protobuf_field {
	uint32_t number;
	enum protobuf_wire wire;
	uint64_t value;    /* of the three numeric wires */
	struct text bytes; /* of PROTOBUF_BYTES: text, bytes, or a message to walk in turn; borrowed */
};

/* Takes the next field off the message. false: its end, or damage, which *damaged then says (it is never unset here). */
bool protobuf_next(struct text *message, struct protobuf_field *out, bool *damaged);
/* The last field of that number in the message, as the encoding demands; false: none, or the message is damaged. */
bool protobuf_find(struct text message, uint32_t number, enum protobuf_wire wire, struct protobuf_field *out);

void protobuf_put_bytes(struct buf *out, uint32_t number, struct text bytes);
void protobuf_put_text(struct buf *out, uint32_t number, const char *s);
void protobuf_put_varint(struct buf *out, uint32_t number, uint64_t value);

#endif
