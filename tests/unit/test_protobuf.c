// SPDX-License-Identifier: MIT
/* Protocol Buffers: what is written can be walked, and no bytes at all make the walker leave its message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protobuf.h"

static void what_is_written_is_read_back(void **state)
{
	struct buf out;
	struct text message;
	struct protobuf_field field;
	bool damaged = false;

	(void)state;
	buf_init(&out, 1000);
	protobuf_put_varint(&out, 1, UINT64_MAX);
	protobuf_put_text(&out, 2, "order");
	protobuf_put_bytes(&out, 15, (struct text){"\0\1", 2});
	protobuf_put_varint(&out, 16, 0);
	message = buf_text(&out);
	assert_true(protobuf_next(&message, &field, &damaged));
	assert_int_equal(field.number, 1);
	assert_int_equal(field.wire, PROTOBUF_VARINT);
	assert_true(field.value == UINT64_MAX);
	assert_true(protobuf_next(&message, &field, &damaged));
	assert_int_equal(field.number, 2);
	assert_true(text_is(field.bytes, "order"));
	assert_true(protobuf_next(&message, &field, &damaged));
	assert_int_equal(field.number, 15);
	assert_int_equal(field.bytes.len, 2);
	assert_true(protobuf_next(&message, &field, &damaged));
	assert_int_equal(field.number, 16);
	assert_true(field.value == 0);
	assert_false(protobuf_next(&message, &field, &damaged));
	assert_false(damaged);
	buf_free(&out);
}

static void the_bytes_are_those_of_the_encoding_guide(void **state)
{
	static const char expected[] = "\x08\x96\x01\x12\x07testing";
	struct buf out;

	(void)state;
	buf_init(&out, 100);
	protobuf_put_varint(&out, 1, 150);
	protobuf_put_text(&out, 2, "testing");
	assert_int_equal(out.len, sizeof expected - 1);
	assert_memory_equal(out.at, expected, out.len);
	buf_free(&out);
}

static void numbers_of_fixed_width_are_little_endian(void **state)
{
	struct text message = TEXT("\x09\x01\0\0\0\0\0\0\x80\x15\x02\0\0\x01");
	struct protobuf_field field;
	bool damaged = false;

	(void)state;
	assert_true(protobuf_next(&message, &field, &damaged));
	assert_int_equal(field.wire, PROTOBUF_FIXED64);
	assert_true(field.value == 0x8000000000000001u);
	assert_true(protobuf_next(&message, &field, &damaged));
	assert_int_equal(field.wire, PROTOBUF_FIXED32);
	assert_int_equal(field.value, 0x01000002);
}

static void of_a_field_that_comes_twice_the_last_one_counts(void **state)
{
	struct protobuf_field field;

	(void)state;
	assert_true(protobuf_find(TEXT("\x0a\x01x\x0a\x01y\x10\x05"), 1, PROTOBUF_BYTES, &field));
	assert_true(text_is(field.bytes, "y"));
	assert_false(protobuf_find(TEXT("\x0a\x01x"), 2, PROTOBUF_BYTES, &field));
	assert_false(protobuf_find(TEXT("\x0a\x01x"), 1, PROTOBUF_VARINT, &field));
	assert_false(protobuf_find(TEXT(""), 1, PROTOBUF_BYTES, &field));
}

static void a_damaged_message_is_said_to_be_damaged(void **state)
{
	static const struct text cases[] = {
		{"\x0a", 1},                    /* no length */
		{"\x0a\x02x", 3},               /* a length beyond the end */
		{"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11}, /* the largest length */
		{"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11}, /* 65 bits */
		{"\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12}, /* eleven bytes */
		{"\x08\x80", 2},                /* a number without an end */
		{"\x09\1\2\3", 4},
		{"\x0d\1\2", 3},
		{"\x0b\x0c", 2},                /* a group */
		{"\x0e\x01", 2},                /* no such wire */
		{"\x02\x01x", 3},               /* field 0 */
		{"\xfa\xff\xff\xff\xff\x01\x01x", 8}, /* a field number of 32 bits */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct text message = cases[i];
		struct protobuf_field field;
		bool damaged = false;

		assert_false(protobuf_next(&message, &field, &damaged));
		assert_true(damaged);
		assert_int_equal(message.len, 0);
		assert_false(protobuf_find(cases[i], 1, PROTOBUF_BYTES, &field));
	}
}

static void damage_behind_a_field_makes_it_worthless(void **state)
{
	struct protobuf_field field;

	(void)state;
	assert_false(protobuf_find(TEXT("\x0a\x01x\x0a\x09y"), 1, PROTOBUF_BYTES, &field));
}

static uint32_t dice(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static void random_bytes_never_lead_outside(void **state)
{
	uint32_t seed = 4711;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t len = dice(&seed) % 40;
		char *bytes = malloc(len + 1); /* the sanitizer watches both ends */
		char *exact = len ? malloc(len) : bytes;
		struct text message = {exact, len};
		struct protobuf_field field;
		bool damaged = false;
		size_t fields = 0;

		for (size_t i = 0; i < len; i++)
			exact[i] = (char)dice(&seed);
		while (protobuf_next(&message, &field, &damaged)) {
			fields++;
			if (field.wire == PROTOBUF_BYTES)
				assert_true(field.bytes.len <= len && field.bytes.at >= exact && field.bytes.at + field.bytes.len <= exact + len);
		}
		assert_true(fields <= len);
		assert_int_equal(message.len, 0);
		if (len)
			free(exact);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(the_bytes_are_those_of_the_encoding_guide),
		cmocka_unit_test(numbers_of_fixed_width_are_little_endian),
		cmocka_unit_test(of_a_field_that_comes_twice_the_last_one_counts),
		cmocka_unit_test(a_damaged_message_is_said_to_be_damaged),
		cmocka_unit_test(damage_behind_a_field_makes_it_worthless),
		cmocka_unit_test(random_bytes_never_lead_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
