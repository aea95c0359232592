// SPDX-License-Identifier: MIT
/* Avro files, right and wrong: every type, every codec, and claims of lengths, counts and depths that no file backs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

#include "avro.h"
#include "fixture_bytes.h"
#include "mem.h"

enum { MOST = 1 << 20 };
static const char marker[] = "0123456789abcdef";

/* ---- a writer, as small as the tests need ---- */

static void put_long(struct buf *b, int64_t n)
{
	uint64_t z = ((uint64_t)n << 1) ^ (uint64_t)(n >> 63);

	do {
		char byte = (char)((z & 0x7f) | (z > 0x7f ? 0x80 : 0));

		buf_add(b, &byte, 1);
		z >>= 7;
	} while (z);
}

static void put_text(struct buf *b, struct text t)
{
	put_long(b, (int64_t)t.len);
	buf_add(b, t.at, t.len);
}

static void put_header(struct buf *b, const char *schema, const char *codec)
{
	buf_init(b, 64 << 20);
	buf_add(b, "Obj\1", 4);
	put_long(b, codec ? 2 : 1);
	put_text(b, TEXT("avro.schema"));
	put_text(b, text_of(schema));
	if (codec) {
		put_text(b, TEXT("avro.codec"));
		put_text(b, text_of(codec));
	}
	put_long(b, 0);
	buf_add(b, marker, 16);
}

static void put_block(struct buf *b, int64_t count, struct text bytes)
{
	put_long(b, count);
	put_text(b, bytes);
	buf_add(b, marker, 16);
}

static void pack_deflate(struct text plain, struct buf *out)
{
	z_stream z = {.next_in = (unsigned char *)(uintptr_t)plain.at, .avail_in = (unsigned)plain.len};
	size_t size = compressBound(plain.len) + 64;
	char *to = mem_new(size, 1);

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_out = (unsigned char *)to;
	z.avail_out = (unsigned)size;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	buf_add(out, to, z.total_out);
	deflateEnd(&z);
	free(to);
}

static void pack_snappy(struct text plain, struct buf *out)
{
	size_t len = snappy_max_compressed_length(plain.len);
	char *to = mem_new(len, 1), sum[4];
	uint32_t crc = (uint32_t)crc32(0, (const unsigned char *)plain.at, (unsigned)plain.len);

	assert_int_equal(snappy_compress(plain.at, plain.len, to, &len), SNAPPY_OK);
	for (int i = 0; i < 4; i++)
		sum[i] = (char)(crc >> (24 - 8 * i));
	buf_add(out, to, len);
	buf_add(out, sum, 4);
	free(to);
}

static void pack_zstd(struct text plain, struct buf *out)
{
	size_t size = ZSTD_compressBound(plain.len), len;
	char *to = mem_new(size, 1);

	len = ZSTD_compress(to, size, plain.at, plain.len, 3);
	assert_false(ZSTD_isError(len));
	buf_add(out, to, len);
	free(to);
}

static const struct {
	const char *name;
	void (*pack)(struct text plain, struct buf *out);
} codecs[] = {{"deflate", pack_deflate}, {"snappy", pack_snappy}, {"zstandard", pack_zstd}};

/* ---- a reader that writes down what it is given ---- */

struct told {
	struct avro *a;
	struct buf out;
	size_t n, records;
};

static void tell_value(struct buf *out, const struct avro_value *v)
{
	if (!v->set)
		buf_puts(out, "-");
	else if (v->type == AVRO_FLOAT || v->type == AVRO_DOUBLE)
		buf_printf(out, "%g", v->real);
	else if (v->type == AVRO_STRING || v->type == AVRO_BYTES || v->type == AVRO_FIXED)
		buf_printf(out, "'%.*s'", (int)v->bytes.len, v->bytes.at);
	else if (v->type == AVRO_RECORD || v->type == AVRO_ARRAY || v->type == AVRO_MAP)
		buf_printf(out, "<%zu>", v->bytes.len);
	else
		buf_printf(out, "%lld", (long long)v->i);
	buf_puts(out, " ");
}

static bool tell_field(void *ctx, int id, const char *name, const struct avro_value *v)
{
	struct told *told = ctx;

	buf_printf(&told->out, "%s/%d=", name, id);
	tell_value(&told->out, v);
	return true;
}

static bool tell(void *ctx, const struct avro_value *values)
{
	struct told *told = ctx;

	told->records++;
	for (size_t i = 0; i < told->n; i++) {
		struct avro_value found;

		tell_value(&told->out, &values[i]);
		if (values[i].set && values[i].type == AVRO_RECORD)
			avro_fields(told->a, &values[i], tell_field, told);
		if (avro_find(told->a, &values[i], 7, &found))
			tell_value(&told->out, &found);
	}
	return true;
}

static bool read_all(struct text file, size_t most, const int *ids, size_t n, struct told *told, struct err *err)
{
	bool fine = false;

	*told = (struct told){.n = n};
	buf_init(&told->out, 1 << 20);
	buf_puts(&told->out, "");
	told->a = avro_open(file, most, err);
	if (told->a)
		fine = avro_each(told->a, ids, n, tell, told, err);
	avro_close(told->a);
	return fine;
}

static void assert_reads(const char *schema, struct text record, const int *ids, size_t n, const char *expected)
{
	struct told told;
	struct err err = {0};
	struct buf file;

	put_header(&file, schema, NULL);
	put_block(&file, 1, record);
	if (!read_all(buf_text(&file), MOST, ids, n, &told, &err))
		fail_msg("%s", err.words);
	assert_string_equal(told.out.at, expected);
	buf_free(&told.out);
	buf_free(&file);
}

static void assert_refused(struct text file, enum err_code code, const char *words)
{
	static const int ids[] = {1, 2};
	struct told told;
	struct err err = {0};

	assert_false(read_all(file, MOST, ids, 2, &told, &err));
	if (err.code != code || !strstr(err.words, words))
		fail_msg("\"%s\" (%s), not \"%s\"", err.words, err_name(err.code), words);
	buf_free(&told.out);
}

/* ---- what is right ---- */

#define RECORD(fields) "{\"type\":\"record\",\"name\":\"r\",\"fields\":[" fields "]}"
#define FIELD(id, type) "{\"name\":\"f" #id "\",\"type\":" type ",\"field-id\":" #id "}"
#define INT_MAP "{\"type\":\"array\",\"logicalType\":\"map\",\"items\":" RECORD(FIELD(20, "\"int\"") "," FIELD(21, "\"bytes\"")) "}"

static void every_plain_type_is_read(void **state)
{
	static const int ids[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

	(void)state;
	assert_reads(RECORD(FIELD(1, "\"boolean\"") "," FIELD(2, "\"int\"") "," FIELD(3, "\"long\"") "," FIELD(4, "\"float\"") "," FIELD(5, "\"double\"")
		"," FIELD(6, "\"string\"") "," FIELD(7, "\"bytes\"") "," FIELD(8, "{\"type\":\"fixed\",\"name\":\"x\",\"size\":2}") ","
		FIELD(9, "{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"a\",\"b\"]}") "," FIELD(10, "[\"null\",\"int\"]")),
		TEXT("\x01\x03\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00\xc0\x3f\x00\x00\x00\x00\x00\x00\x02\xc0\x04hi\x02xqr\x02\x00"), ids, 10,
		"1 -2 9223372036854775807 1.5 -2.25 'hi' 'x' 'qr' 1 - ");
}

static void what_is_not_wanted_is_skipped_whatever_it_is(void **state)
{
	static const int ids[] = {2};

	(void)state;
	/* a map of arrays in one block with its size, and one without; a record within a union; a name that is used again */
	assert_reads(RECORD(FIELD(5, "{\"type\":\"map\",\"values\":{\"type\":\"array\",\"items\":[\"null\",\"string\"]}}") ","
		FIELD(6, "[\"null\",{\"type\":\"record\",\"name\":\"in\",\"fields\":[" FIELD(7, "\"long\"") "]}]") "," FIELD(8, "\"in\"") "," FIELD(2, "\"int\"")),
		TEXT("\x01\x0c\x02k\x02\x02\x00\x00\x02\x02k\x01\x04\x00\x00\x00\x00\x02\x0e\x0e\x54"), ids, 1, "42 ");
}

static void fields_are_found_by_id_and_in_records_within(void **state)
{
	static const int ids[] = {103, 1, 102, 99};

	(void)state;
	assert_reads(RECORD(FIELD(1, "\"int\"") "," FIELD(2, "{\"type\":\"record\",\"name\":\"q\",\"fields\":["
		FIELD(102, "{\"type\":\"record\",\"name\":\"p\",\"fields\":[" FIELD(1000, "[\"null\",\"string\"]") "," FIELD(1001, "\"int\"") "]}") ","
		FIELD(103, "\"long\"") "]}")), TEXT("\x02\x02\x06nil\x0a\x0c"), ids, 4, "6 1 <6> f1000/1000='nil' f1001/1001=5 - ");
}

static void maps_with_int_keys_are_searched(void **state)
{
	static const int ids[] = {9};

	(void)state;
	assert_reads(RECORD(FIELD(9, "[\"null\"," INT_MAP "]")), TEXT("\x02\x04\x02\x02x\x0e\x02y\x00"), ids, 1, "<8> 'y' ");
	assert_reads(RECORD(FIELD(9, "[\"null\"," INT_MAP "]")), TEXT("\x02\x02\x02\x02x\x00"), ids, 1, "<5> ");
	assert_reads(RECORD(FIELD(9, "[\"null\"," INT_MAP "]")), TEXT("\x00"), ids, 1, "- ");
}

static void every_codec_gives_the_same(void **state)
{
	static const int ids[] = {1};

	(void)state;
	for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
		struct buf plain, packed, file;
		struct told told;
		struct err err = {0};

		buf_init(&plain, MOST);
		for (int k = 0; k < 5000; k++)
			put_long(&plain, k);
		buf_init(&packed, MOST);
		codecs[i].pack(buf_text(&plain), &packed);
		put_header(&file, RECORD(FIELD(1, "\"long\"")), codecs[i].name);
		put_block(&file, 5000, buf_text(&packed));
		put_block(&file, 5000, buf_text(&packed));
		if (!read_all(buf_text(&file), MOST, ids, 1, &told, &err))
			fail_msg("%s: %s", codecs[i].name, err.words);
		assert_int_equal(told.records, 10000);
		assert_true(text_starts(buf_text(&told.out), "0 1 2 3 "));
		buf_free(&told.out);
		buf_free(&plain);
		buf_free(&packed);
		buf_free(&file);
	}
}

/* ---- what is wrong ---- */

static void bombs_are_refused_before_they_go_off(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
		struct buf packed, file;
		struct text zeros = {mem_new(8 * MOST, 1), 8 * MOST};

		buf_init(&packed, 8 * MOST);
		codecs[i].pack(zeros, &packed);
		put_header(&file, RECORD(FIELD(1, "\"long\"")), codecs[i].name);
		put_block(&file, 1, buf_text(&packed));
		assert_true(file.len < MOST); /* small as it lies there */
		assert_refused(buf_text(&file), ERR_LIMIT, "a block unpacks to more than 1048576 bytes");
		free((char *)(uintptr_t)zeros.at);
		buf_free(&packed);
		buf_free(&file);
	}
}

static void broken_blocks_say_what_is_broken(void **state)
{
	static const char *const words[] = {"a block's deflate is broken", "a block's snappy is broken", "a block's zstandard is broken"};
	struct buf packed, file;

	(void)state;
	for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
		put_header(&file, RECORD(FIELD(1, "\"long\"")), codecs[i].name);
		put_block(&file, 1, TEXT("\xff\xff\xff\xff\xff\xff\xff\xff"));
		assert_refused(buf_text(&file), ERR_PARSE, words[i]);
		buf_free(&file);
	}
	buf_init(&packed, MOST);
	pack_snappy(TEXT("\x02"), &packed);
	packed.at[packed.len - 1] ^= 1;
	put_header(&file, RECORD(FIELD(1, "\"long\"")), "snappy");
	put_block(&file, 1, buf_text(&packed));
	assert_refused(buf_text(&file), ERR_PARSE, "a block's checksum is wrong");
	buf_free(&packed);
	buf_free(&file);
}

static void refuse_block(const char *schema, int64_t count, struct text bytes, enum err_code code, const char *words)
{
	struct buf file;

	put_header(&file, schema, NULL);
	put_block(&file, count, bytes);
	assert_refused(buf_text(&file), code, words);
	buf_free(&file);
}

static void claims_that_no_bytes_back_are_refused(void **state)
{
	static const char nulls[] = RECORD(FIELD(1, "{\"type\":\"array\",\"items\":\"null\"}")), text[] = RECORD(FIELD(1, "\"string\""));

	(void)state;
	refuse_block(text, 1, TEXT("\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01xx"), ERR_PARSE, "a record is broken"); /* a length of 2^63-1 */
	refuse_block(text, 1, TEXT("\x01xx"), ERR_PARSE, "a record is broken");                                   /* of -1 */
	refuse_block(text, 2, TEXT("\x02x"), ERR_PARSE, "a record is broken");
	refuse_block(text, 1, TEXT("\x02x\x02y"), ERR_PARSE, "a block has more than it says");
	refuse_block(text, -1, TEXT("\x02x"), ERR_PARSE, "a block has a negative count");
	/* 2^62 items that take no bytes: work is counted */
	refuse_block(nulls, 1, TEXT("\xfe\xff\xff\xff\xff\xff\xff\xff\x7f\x00"), ERR_PARSE, "a record is broken");
	refuse_block(RECORD(FIELD(1, "\"null\"")), INT64_MAX, TEXT(""), ERR_PARSE, "a record is broken");
	refuse_block(RECORD(FIELD(1, "[\"null\",\"int\"]")), 1, TEXT("\x04\x00"), ERR_PARSE, "a record is broken"); /* the third of two branches */
	refuse_block(RECORD(FIELD(1, "\"r\"")), 1, TEXT("\x02"), ERR_PARSE, "a record is broken");                  /* a record within itself */
}

static void schemas_that_make_no_sense_are_refused(void **state)
{
	static const struct {
		const char *schema, *words;
		enum err_code code;
	} rows[] = {
		{"", "its schema is not JSON", ERR_PARSE}, {"{", "its schema is not JSON", ERR_PARSE}, {"\"int\"", "its schema is no record", ERR_PARSE},
		{RECORD(FIELD(1, "\"nonsense\"")), "unknown type \"nonsense\"", ERR_PARSE}, {RECORD(FIELD(1, "null")), "a field without a type", ERR_PARSE},
		{RECORD(FIELD(1, "[[\"int\"]]")), "a union in a union", ERR_PARSE}, {"{\"type\":\"record\",\"name\":\"r\"}", "without fields", ERR_PARSE},
		{RECORD(FIELD(1, "{\"type\":\"fixed\",\"name\":\"x\"}")), "a fixed without a size", ERR_PARSE},
	};
	struct buf deep, file;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		put_header(&file, rows[i].schema, NULL);
		assert_refused(buf_text(&file), rows[i].code, rows[i].words);
		buf_free(&file);
	}
	buf_init(&deep, MOST);
	for (int i = 0; i < 90; i++)
		buf_puts(&deep, "{\"type\":\"array\",\"items\":");
	buf_puts(&deep, "\"int\"");
	for (int i = 0; i < 90; i++)
		buf_puts(&deep, "}");
	put_header(&file, deep.at, NULL);
	assert_refused(buf_text(&file), ERR_LIMIT, "its schema is nested deeper than 64");
	buf_free(&file);
	buf_free(&deep);
}

static void what_is_cut_off_says_where(void **state)
{
	struct buf file;

	(void)state;
	assert_refused(TEXT(""), ERR_PARSE, "is empty");
	assert_refused(TEXT("PAR1"), ERR_PARSE, "is no Avro file");
	assert_refused(TEXT("Obj\1\x02\x10"), ERR_PARSE, "cut off in its header");
	put_header(&file, RECORD(FIELD(1, "\"int\"")), "lzma");
	assert_refused(buf_text(&file), ERR_PROTOCOL, "its codec \"lzma\" is not known");
	buf_free(&file);
	put_header(&file, RECORD(FIELD(1, "\"int\"")), NULL);
	put_block(&file, 1, TEXT("\x02"));
	assert_refused((struct text){file.at, file.len - 3}, ERR_PARSE, "is cut off in a block");
	file.at[file.len - 1] ^= 1;
	assert_refused(buf_text(&file), ERR_PARSE, "a block does not end where it says");
	buf_free(&file);
}

static void read_any(struct text bytes)
{
	static const int ids[] = {1, 2, 9, 102, 103};
	struct told told;

	read_all(bytes, MOST, ids, 5, &told, NULL);
	buf_free(&told.out);
}

static void nothing_that_comes_breaks_it(void **state)
{
	(void)state;
	for (size_t i = 0; i <= sizeof codecs / sizeof *codecs; i++) {
		struct text record = TEXT("\x02\x02\x02\x02x\x0e\x02y\x00\x02\x06nil\x0a\x0c");
		struct buf file, packed;

		put_header(&file, RECORD(FIELD(1, "\"int\"") "," FIELD(9, "[\"null\"," INT_MAP "]") "," FIELD(2, "{\"type\":\"record\",\"name\":\"q\",\"fields\":["
			FIELD(102, "{\"type\":\"record\",\"name\":\"p\",\"fields\":[" FIELD(1000, "[\"null\",\"string\"]") "," FIELD(1001, "\"int\"") "]}") ","
			FIELD(103, "\"long\"") "]}")), i ? codecs[i - 1].name : NULL);
		buf_init(&packed, MOST);
		if (i)
			codecs[i - 1].pack(record, &packed);
		put_block(&file, 1, i ? buf_text(&packed) : record);
		fuzz(buf_text(&file), read_any);
		buf_free(&file);
		buf_free(&packed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_plain_type_is_read),
		cmocka_unit_test(what_is_not_wanted_is_skipped_whatever_it_is),
		cmocka_unit_test(fields_are_found_by_id_and_in_records_within),
		cmocka_unit_test(maps_with_int_keys_are_searched),
		cmocka_unit_test(every_codec_gives_the_same),
		cmocka_unit_test(bombs_are_refused_before_they_go_off),
		cmocka_unit_test(broken_blocks_say_what_is_broken),
		cmocka_unit_test(claims_that_no_bytes_back_are_refused),
		cmocka_unit_test(schemas_that_make_no_sense_are_refused),
		cmocka_unit_test(what_is_cut_off_says_where),
		cmocka_unit_test(nothing_that_comes_breaks_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
