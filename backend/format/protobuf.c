// SPDX-License-Identifier: MIT
/*
 * Protocol Buffers: a bounds-checked walker and a writer, see protobuf.h. Fuzzed as protobuf.
 */
#include "protobuf.h"

static bool take_varint(struct text *t, uint64_t *out)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		if (t->len == 0)
			return false;
		uint64_t byte = (unsigned char)*t->at;

		if (shift == 63 && byte > 1) /* more than 64 bits */
			return false;
		t->at++;
		t->len--;
		value |= (byte & 0x7f) << shift;
		if (byte < 0x80) {
			*out = value;
			return true;
		}
	}
	return false;
}

static bool take_fixed(struct text *t, unsigned bytes, uint64_t *out)
{
	uint64_t value = 0;

	if (t->len < bytes)
		return false;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)(unsigned char)t->at[i] << (8 * i);
	t->at += bytes;
	t->len -= bytes;
	*out = value;
	return true;
}

static bool take_bytes(struct text *t, struct text *out)
{
	uint64_t len;

	if (!take_varint(t, &len) || len > t->len)
		return false;
	*out = (struct text){t->at, (size_t)len};
	t->at += len;
	t->len -= (size_t)len;
	return true;
}

static bool take_field(struct text *t, struct protobuf_field *out)
{
	uint64_t key;

	if (!take_varint(t, &key) || key >> 3 == 0 || key >> 3 > UINT32_MAX >> 3)
		return false;
	*out = (struct protobuf_field){.number = (uint32_t)(key >> 3), .bytes = {"", 0}};
	switch (key & 7) {
	case PROTOBUF_VARINT:
		out->wire = PROTOBUF_VARINT;
		return take_varint(t, &out->value);
	case PROTOBUF_FIXED64:
		out->wire = PROTOBUF_FIXED64;
		return take_fixed(t, 8, &out->value);
	case PROTOBUF_BYTES:
		out->wire = PROTOBUF_BYTES;
		return take_bytes(t, &out->bytes);
	case PROTOBUF_FIXED32:
		out->wire = PROTOBUF_FIXED32;
		return take_fixed(t, 4, &out->value);
	default:
		return false;
	}
}

bool protobuf_next(struct text *message, struct protobuf_field *out, bool *damaged)
{
	if (message->len == 0)
		return false;
	if (take_field(message, out))
		return true;
	message->len = 0;
	*damaged = true;
	return false;
}

bool protobuf_find(struct text message, uint32_t number, enum protobuf_wire wire, struct protobuf_field *out)
{
	struct protobuf_field field;
	bool found = false, damaged = false;

	while (protobuf_next(&message, &field, &damaged)) {
		if (field.number != number || field.wire != wire)
			continue;
		*out = field;
		found = true;
	}
	return found && !damaged;
}

static void put_varint(struct buf *out, uint64_t value)
{
	unsigned char bytes[10];
	size_t n = 0;

	do {
		bytes[n] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
		n++;
	} while (value > 0);
	buf_add(out, bytes, n);
}

void protobuf_put_bytes(struct buf *out, uint32_t number, struct text bytes)
{
	put_varint(out, (uint64_t)number << 3 | PROTOBUF_BYTES);
	put_varint(out, bytes.len);
	buf_add(out, bytes.at, bytes.len);
}

void protobuf_put_text(struct buf *out, uint32_t number, const char *s)
{
	protobuf_put_bytes(out, number, text_of(s));
}

void protobuf_put_varint(struct buf *out, uint32_t number, uint64_t value)
{
	put_varint(out, (uint64_t)number << 3 | PROTOBUF_VARINT);
	put_varint(out, value);
}
