// SPDX-License-Identifier: MIT
/* The bytes of Kafka's protocol, for the files that know its messages. Pure. */
#ifndef LAKETOP_SERVICES_KAFKA_BYTES_H
#define LAKETOP_SERVICES_KAFKA_BYTES_H

#include "kafka_wire.h"

void wire_put(struct buf *out, uint64_t value, unsigned bytes);
void wire_put_varint(struct buf *out, uint64_t value);
void wire_put_string(struct buf *out, struct text s, bool compact);
void wire_put_tags(struct buf *out);
/* Begins a frame; returns where its length is to be filled in by wire_close_frame. */
size_t wire_open_frame(struct buf *out, enum kafka_key key, int16_t version, int32_t id, bool flexible);
void wire_close_frame(struct buf *out, size_t at);

struct wire_reader {
	const unsigned char *at;
	size_t left;
	bool bad; /* for good: every later read gives 0 */
};
struct wire_reader wire_reader_of(struct text frame);
const unsigned char *wire_take(struct wire_reader *r, size_t len);
uint64_t wire_number(struct wire_reader *r, unsigned bytes);
int16_t wire_i16(struct wire_reader *r);
int32_t wire_i32(struct wire_reader *r);
int64_t wire_i64(struct wire_reader *r);
bool wire_boolean(struct wire_reader *r);
uint32_t wire_varint(struct wire_reader *r);
/* A length: of a string in 2 bytes, of bytes and arrays in 4, of compact ones in a varint. Null gives 0. */
size_t wire_length(struct wire_reader *r, unsigned bytes, bool compact);
struct text wire_slice(struct wire_reader *r, size_t len);
struct text wire_string(struct wire_reader *r, bool compact);
size_t wire_count(struct wire_reader *r, bool compact);
void wire_skip_tags(struct wire_reader *r);
/* Past the correlation id, and past the header's tags where the answer is flexible. */
struct wire_reader wire_open_answer(struct text frame, bool flexible);

#endif
