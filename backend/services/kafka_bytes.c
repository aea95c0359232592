// SPDX-License-Identifier: MIT
/*
 * Big-endian integers, strings with their length before them, compact ones with a varint. What is read is
 * never beyond its frame: a reader that met something wrong gives zeros from then on.
 */
#include "kafka_bytes.h"

static const char client_id[] = "laketop";

/* ---- writing ---- */

void wire_put(struct buf *out, uint64_t value, unsigned bytes)
{
	for (unsigned i = bytes; i-- > 0;) {
		unsigned char byte = (unsigned char)(value >> (8 * i));

		buf_add(out, &byte, 1);
	}
}

void wire_put_varint(struct buf *out, uint64_t value)
{
	while (value > 0x7f) {
		wire_put(out, (value & 0x7f) | 0x80, 1);
		value >>= 7;
	}
	wire_put(out, value, 1);
}

void wire_put_string(struct buf *out, struct text s, bool compact)
{
	if (compact)
		wire_put_varint(out, s.len + 1);
	else
		wire_put(out, s.len, 2);
	buf_add(out, s.at, s.len);
}

void wire_put_tags(struct buf *out)
{
	wire_put_varint(out, 0);
}

size_t wire_open_frame(struct buf *out, enum kafka_key key, int16_t version, int32_t id, bool flexible)
{
	size_t at = out->len;

	wire_put(out, 0, 4);
	wire_put(out, (uint64_t)key, 2);
	wire_put(out, (uint64_t)version, 2);
	wire_put(out, (uint32_t)id, 4);
	wire_put_string(out, text_of(client_id), false);
	if (flexible)
		wire_put_tags(out);
	return at;
}

void wire_close_frame(struct buf *out, size_t at)
{
	size_t len;

	if (out->full || out->len < at + 4)
		return;
	len = out->len - at - 4;
	for (unsigned i = 0; i < 4; i++)
		out->at[at + i] = (char)(unsigned char)(len >> (8 * (3 - i)));
}

/* ---- reading ---- */

struct wire_reader wire_reader_of(struct text frame)
{
	/* bytes are read as unsigned ones */
	return (struct wire_reader){(const unsigned char *)frame.at, frame.len, false};
}

const unsigned char *wire_take(struct wire_reader *r, size_t len)
{
	const unsigned char *at = r->at;

	if (r->bad || len > r->left) {
		r->bad = true;
		return NULL;
	}
	if (len) {
		r->at += len;
		r->left -= len;
	}
	return at;
}

uint64_t wire_number(struct wire_reader *r, unsigned bytes)
{
	const unsigned char *at = wire_take(r, bytes);
	uint64_t value = 0;

	for (unsigned i = 0; at && i < bytes; i++)
		value = value << 8 | at[i];
	return value;
}

int16_t wire_i16(struct wire_reader *r)
{
	return (int16_t)(uint16_t)wire_number(r, 2);
}

int32_t wire_i32(struct wire_reader *r)
{
	return (int32_t)(uint32_t)wire_number(r, 4);
}

int64_t wire_i64(struct wire_reader *r)
{
	return (int64_t)wire_number(r, 8);
}

bool wire_boolean(struct wire_reader *r)
{
	return wire_number(r, 1) != 0;
}

uint32_t wire_varint(struct wire_reader *r)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 35; shift += 7) {
		uint64_t byte = wire_number(r, 1);

		value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			if (value > UINT32_MAX)
				break;
			return (uint32_t)value;
		}
	}
	r->bad = true;
	return 0;
}

size_t wire_length(struct wire_reader *r, unsigned bytes, bool compact)
{
	int64_t len = compact ? (int64_t)wire_varint(r) - 1 : bytes == 2 ? wire_i16(r) : wire_i32(r);

	if (len < -1 || (len > 0 && (uint64_t)len > r->left)) /* every element has a byte at least */
		r->bad = true;
	return r->bad || len < 0 ? 0 : (size_t)len;
}

struct text wire_slice(struct wire_reader *r, size_t len)
{
	const unsigned char *at = wire_take(r, len);

	return at && len ? (struct text){(const char *)at, len} : TEXT("");
}

struct text wire_string(struct wire_reader *r, bool compact)
{
	return wire_slice(r, wire_length(r, 2, compact));
}

size_t wire_count(struct wire_reader *r, bool compact)
{
	return wire_length(r, 4, compact);
}

void wire_skip_tags(struct wire_reader *r)
{
	for (uint32_t n = wire_varint(r); n && !r->bad; n--) {
		wire_varint(r);
		wire_take(r, wire_varint(r));
	}
}

struct wire_reader wire_open_answer(struct text frame, bool flexible)
{
	struct wire_reader r = wire_reader_of(frame);

	wire_i32(&r);
	if (flexible)
		wire_skip_tags(&r);
	return r;
}
