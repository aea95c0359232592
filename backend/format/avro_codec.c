// SPDX-License-Identifier: MIT
/* Unpacks the blocks of an Avro file; none may become larger than its reader allows. */
#include "avro_own.h"

#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>
#include <pthread.h>
#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

/* Room for size bytes of a block; false: more than it may have. */
static bool make_room(struct avro *a, size_t size, struct err *err)
{
	if (size > a->most)
		return err_set(err, ERR_LIMIT, "a block unpacks to more than %zu bytes", a->most);
	if (size > a->block_size) {
		free(a->block);
		a->block = mem_new(size, 1);
		a->block_size = size;
	}
	return true;
}

/* Twice as much, with what is there. */
static bool more_room(struct avro *a, struct err *err)
{
	size_t size = a->block_size < a->most / 2 ? 2 * a->block_size : a->most;

	if (a->block_size >= a->most)
		return err_set(err, ERR_LIMIT, "a block unpacks to more than %zu bytes", a->most);
	a->block = mem_grow(a->block, size, 1);
	a->block_size = size;
	return true;
}

static size_t first_guess(const struct avro *a, struct text packed)
{
	size_t guess = packed.len < a->most / 8 ? 8 * packed.len + 256 : a->most;

	return guess < a->most ? guess : a->most;
}

static bool unpack_null(struct avro *a, struct text packed, struct text *out, struct err *err)
{
	if (packed.len > a->most)
		return err_set(err, ERR_LIMIT, "a block is larger than %zu bytes", a->most);
	*out = packed;
	return true;
}

static bool inflate_all(struct avro *a, z_stream *z, struct err *err)
{
	int result = Z_OK;

	while (result == Z_OK) {
		if (z->total_out == a->block_size && !more_room(a, err))
			return false;
		z->next_out = (unsigned char *)a->block + z->total_out;
		z->avail_out = (unsigned)(a->block_size - z->total_out);
		result = inflate(z, Z_NO_FLUSH);
	}
	return result == Z_STREAM_END || err_set(err, ERR_PARSE, "a block's deflate is broken");
}

static bool unpack_deflate(struct avro *a, struct text packed, struct text *out, struct err *err)
{
	z_stream z = {.next_in = (unsigned char *)(uintptr_t)packed.at, .avail_in = (unsigned)packed.len};
	bool fine;

	if (!make_room(a, first_guess(a, packed), err))
		return false;
	if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
		return err_set(err, ERR_SYSTEM, "out of memory");
	fine = inflate_all(a, &z, err);
	*out = (struct text){a->block, z.total_out};
	inflateEnd(&z);
	return fine;
}

/* Its library brings that of C++, more memory than all else here needs: it is loaded when somebody wrote by it, which few do. */
static struct {
	snappy_status (*length)(const char *packed, size_t len, size_t *out);
	snappy_status (*unpack)(const char *packed, size_t len, char *out, size_t *out_len);
} snappy;

static void load_snappy(void)
{
	void *library = dlopen("libsnappy.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return;
	*(void **)&snappy.length = dlsym(library, "snappy_uncompressed_length");
	*(void **)&snappy.unpack = dlsym(library, "snappy_uncompress");
}

static bool unpack_snappy(struct avro *a, struct text packed, struct text *out, struct err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	size_t len = 0;
	uint32_t sum = 0;

	pthread_once(&once, load_snappy);
	if (!snappy.length || !snappy.unpack)
		return err_set(err, ERR_SYSTEM, "it is packed by snappy, and libsnappy.so.1 is not installed here");
	if (packed.len < 4 || snappy.length(packed.at, packed.len - 4, &len) != SNAPPY_OK)
		return err_set(err, ERR_PARSE, "a block's snappy is broken");
	if (!make_room(a, len ? len : 1, err))
		return false;
	if (snappy.unpack(packed.at, packed.len - 4, a->block, &len) != SNAPPY_OK)
		return err_set(err, ERR_PARSE, "a block's snappy is broken");
	for (size_t i = packed.len - 4; i < packed.len; i++)
		sum = sum << 8 | (unsigned char)packed.at[i];
	if (crc32(0, (const unsigned char *)a->block, (unsigned)len) != sum)
		return err_set(err, ERR_PARSE, "a block's checksum is wrong");
	*out = (struct text){a->block, len};
	return true;
}

/* In one call into one buffer: a stream would hold a window as large as the file claims. */
static bool unpack_zstd(struct avro *a, struct text packed, struct text *out, struct err *err)
{
	unsigned long long said = ZSTD_getFrameContentSize(packed.at, packed.len);
	size_t len;

	if (said == ZSTD_CONTENTSIZE_ERROR)
		return err_set(err, ERR_PARSE, "a block's zstandard is broken");
	if (said != ZSTD_CONTENTSIZE_UNKNOWN && said > a->most)
		return err_set(err, ERR_LIMIT, "a block unpacks to more than %zu bytes", a->most);
	if (!make_room(a, said == ZSTD_CONTENTSIZE_UNKNOWN || said < 256 ? first_guess(a, packed) : (size_t)said, err))
		return false;
	while (ZSTD_isError(len = ZSTD_decompress(a->block, a->block_size, packed.at, packed.len))) {
		if (strcmp(ZSTD_getErrorName(len), "Destination buffer is too small") != 0)
			return err_set(err, ERR_PARSE, "a block's zstandard is broken");
		if (!more_room(a, err))
			return false;
	}
	*out = (struct text){a->block, len};
	return true;
}

bool avro_choose_codec(struct avro *a, struct err *err)
{
	static const struct {
		const char *name;
		bool (*unpack)(struct avro *a, struct text packed, struct text *out, struct err *err);
	} codecs[] = {{"", unpack_null}, {"null", unpack_null}, {"deflate", unpack_deflate}, {"snappy", unpack_snappy}, {"zstandard", unpack_zstd}};
	struct text name = avro_meta(a, "avro.codec");

	for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
		if (text_is(name, codecs[i].name)) {
			a->unpack = codecs[i].unpack;
			return true;
		}
	return err_set(err, ERR_PROTOCOL, "its codec \"%.*s\" is not known", (int)(name.len < 20 ? name.len : 20), name.at);
}
