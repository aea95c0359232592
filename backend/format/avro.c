// SPDX-License-Identifier: MIT
/*
 * See avro.h. The writer's schema is compiled to nodes and edges once; a record is then walked
 * along them. Steps are counted against the bytes that are there, so that no schema or count can
 * ask for more work than its file has weight.
 */
#include "avro.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>
#include <pthread.h>
#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

#include "json.h"
#include "mem.h"

enum { SYNC = 16, META_MOST = 64, DEPTH_MOST = 64, NODES_MOST = 8192, NAMES_MOST = 2048, SCHEMA_MOST = 4 << 20 };
enum { STEPS_PER_BYTE = 16, STEPS_FREE = 1 << 20 };

struct node {
	enum avro_type type;
	enum avro_logical logical;
	int scale;
	size_t fixed;
	unsigned first, count; /* edges: fields, branches, the item or value */
	bool wanted;           /* something below it is */
};
struct edge {
	unsigned node;
	int id, slot;          /* -1: none */
	const char *name;
};
struct cursor {
	const char *at, *end;
	uint64_t steps;        /* that are left */
	bool bad;
};

struct avro {
	struct text meta_key[META_MOST], meta_value[META_MOST];
	size_t n_meta;
	const char *sync;
	struct text blocks;    /* what follows the header */
	struct json *schema;   /* names of fields lie in it */
	struct node *nodes;
	struct edge *edges;
	unsigned n_nodes, n_edges;
	struct { const char *name; unsigned node; } *names;
	unsigned n_names;
	size_t most;
	char *block;           /* the unpacked one */
	size_t block_size;
	bool (*unpack)(struct avro *a, struct text packed, struct text *out, struct err *err);
};

/* ---- plain values ---- */

static int64_t read_long(struct cursor *c)
{
	uint64_t n = 0;

	for (unsigned shift = 0; shift < 64 && c->at < c->end; shift += 7) {
		unsigned char byte = (unsigned char)*c->at++;

		n |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return (int64_t)(n >> 1) ^ -(int64_t)(n & 1);
	}
	c->bad = true;
	return 0;
}

static struct text read_span(struct cursor *c, int64_t len)
{
	struct text t = {c->at, (size_t)len};

	if (c->bad || len < 0 || len > c->end - c->at) {
		c->bad = true;
		return TEXT("");
	}
	c->at += len;
	return t;
}

static uint64_t read_little(struct cursor *c, int bytes)
{
	struct text t = read_span(c, bytes);
	uint64_t n = 0;

	for (size_t i = t.len; i--;)
		n = n << 8 | (unsigned char)t.at[i];
	return n;
}

/* How many items follow: 0 at the end. size: bytes that they take; -1: not said. */
static int64_t read_count(struct cursor *c, int64_t *size)
{
	int64_t n = read_long(c);

	*size = -1;
	if (n >= 0 || c->bad)
		return c->bad ? 0 : n;
	*size = read_long(c);
	c->bad |= *size < 0 || n == INT64_MIN;
	return c->bad ? 0 : -n;
}

/* ---- the schema ---- */

static bool compile(struct avro *a, const struct json *type, unsigned *out, int depth, struct err *err);

static bool add_node(struct avro *a, struct node node, unsigned *out, struct err *err)
{
	if (a->n_nodes == NODES_MOST)
		return err_set(err, ERR_LIMIT, "its schema has more than %d types", NODES_MOST);
	if (!(a->n_nodes & (a->n_nodes - 1)))
		a->nodes = mem_grow(a->nodes, a->n_nodes ? 2 * a->n_nodes : 1, sizeof *a->nodes);
	*out = a->n_nodes;
	a->nodes[a->n_nodes++] = node;
	return true;
}

/* Edges of one node lie side by side; what they lead to is compiled afterwards. */
static bool add_edges(struct avro *a, unsigned node, size_t n, struct err *err)
{
	unsigned size = a->n_edges;

	if (n > NODES_MOST || a->n_edges > NODES_MOST - n)
		return err_set(err, ERR_LIMIT, "its schema has more than %d fields", NODES_MOST);
	a->n_edges += (unsigned)n;
	a->edges = mem_grow(a->edges, a->n_edges, sizeof *a->edges);
	for (unsigned i = size; i < a->n_edges; i++)
		a->edges[i] = (struct edge){.id = -1, .slot = -1, .name = ""};
	a->nodes[node].first = size;
	a->nodes[node].count = (unsigned)n;
	return true;
}

static bool add_name(struct avro *a, const char *name, unsigned node, struct err *err)
{
	if (!name)
		return true;
	if (a->n_names == NAMES_MOST)
		return err_set(err, ERR_LIMIT, "its schema has more than %d names", NAMES_MOST);
	if (!(a->n_names & (a->n_names - 1)))
		a->names = mem_grow(a->names, a->n_names ? 2 * a->n_names : 1, sizeof *a->names);
	a->names[a->n_names].name = name;
	a->names[a->n_names++].node = node;
	return true;
}

static int id_of(const struct json *node, const char *key)
{
	int64_t id;

	return json_i64(json_get(node, key), &id) && id >= 0 && id <= INT_MAX ? (int)id : -1;
}

static bool compile_record(struct avro *a, const struct json *type, unsigned *out, int depth, struct err *err)
{
	const struct json *fields = json_get(type, "fields");
	unsigned i = 0, child = 0;

	if (!json_is_array(fields))
		return err_set(err, ERR_PARSE, "its schema has a record without fields");
	if (!add_node(a, (struct node){.type = AVRO_RECORD}, out, err) || !add_name(a, json_string(json_get(type, "name")), *out, err) ||
	    !add_edges(a, *out, json_count(fields), err))
		return false;
	i = a->nodes[*out].first;
	for (const struct json *field = json_first(fields); field; field = json_next(field), i++) {
		const char *name = json_string(json_get(field, "name"));

		if (!compile(a, json_get(field, "type"), &child, depth + 1, err))
			return false;
		a->edges[i] = (struct edge){child, id_of(field, "field-id"), -1, name ? name : ""};
	}
	return true;
}

static bool compile_items(struct avro *a, const struct json *type, enum avro_type is, const char *key, unsigned *out, int depth, struct err *err)
{
	unsigned child = 0;

	if (!add_node(a, (struct node){.type = is}, out, err) || !add_edges(a, *out, 1, err) || !compile(a, json_get(type, key), &child, depth + 1, err))
		return false;
	a->edges[a->nodes[*out].first].node = child;
	return true;
}

static bool compile_union(struct avro *a, const struct json *branches, unsigned *out, int depth, struct err *err)
{
	unsigned i, child = 0;

	if (!add_node(a, (struct node){.type = AVRO_UNION}, out, err) || !add_edges(a, *out, json_count(branches), err))
		return false;
	i = a->nodes[*out].first;
	for (const struct json *branch = json_first(branches); branch; branch = json_next(branch)) {
		if (!compile(a, branch, &child, depth + 1, err))
			return false;
		if (a->nodes[child].type == AVRO_UNION)
			return err_set(err, ERR_PARSE, "its schema has a union in a union");
		a->edges[i++].node = child;
	}
	return true;
}

static enum avro_logical logical_of(const struct json *type)
{
	const char *word = json_string(json_get(type, "logicalType"));
	struct text t = text_of(word);
	bool utc = false;

	json_bool(json_get(type, "adjust-to-utc"), &utc);
	if (text_is(t, "date"))
		return AVRO_DATE;
	if (text_is(t, "time-micros"))
		return AVRO_TIME;
	if (text_is(t, "timestamp-micros"))
		return utc ? AVRO_TIMESTAMP_TZ : AVRO_TIMESTAMP;
	if (text_is(t, "timestamp-nanos"))
		return utc ? AVRO_TIMESTAMP_NS_TZ : AVRO_TIMESTAMP_NS;
	if (text_is(t, "decimal"))
		return AVRO_DECIMAL;
	return text_is(t, "uuid") ? AVRO_UUID : AVRO_PLAIN;
}

static bool compile_named(struct avro *a, const char *name, const struct json *type, unsigned *out, struct err *err)
{
	static const char *const plain[] = {[AVRO_NULL] = "null", [AVRO_BOOLEAN] = "boolean", [AVRO_INT] = "int", [AVRO_LONG] = "long",
		[AVRO_FLOAT] = "float", [AVRO_DOUBLE] = "double", [AVRO_BYTES] = "bytes", [AVRO_STRING] = "string"};
	int scale = id_of(type, "scale");

	for (unsigned i = 0; i < sizeof plain / sizeof *plain; i++)
		if (!strcmp(name, plain[i]))
			return add_node(a, (struct node){.type = (enum avro_type)i, .logical = logical_of(type), .scale = scale > 0 ? scale : 0}, out, err);
	for (unsigned i = 0; i < a->n_names; i++)
		if (!strcmp(name, a->names[i].name)) {
			*out = a->names[i].node;
			return true;
		}
	return err_set(err, ERR_PARSE, "its schema names an unknown type \"%.40s\"", name);
}

static bool compile_fixed(struct avro *a, const struct json *type, bool is_enum, unsigned *out, struct err *err)
{
	int size = id_of(type, "size"), scale = id_of(type, "scale");
	struct node node = {.type = is_enum ? AVRO_ENUM : AVRO_FIXED, .logical = logical_of(type), .scale = scale > 0 ? scale : 0};

	if (!is_enum && size < 0)
		return err_set(err, ERR_PARSE, "its schema has a fixed without a size");
	node.fixed = is_enum ? 0 : (size_t)size;
	return add_node(a, node, out, err) && add_name(a, json_string(json_get(type, "name")), *out, err);
}

static bool compile(struct avro *a, const struct json *type, unsigned *out, int depth, struct err *err)
{
	const char *word = json_string(json_is_object(type) ? json_get(type, "type") : type);

	if (depth > DEPTH_MOST)
		return err_set(err, ERR_LIMIT, "its schema is nested deeper than %d", DEPTH_MOST);
	if (json_is_array(type))
		return compile_union(a, type, out, depth, err);
	if (json_is_object(type) && !word)
		return compile(a, json_get(type, "type"), out, depth + 1, err);
	if (!word)
		return err_set(err, ERR_PARSE, "its schema has a field without a type");
	if (!strcmp(word, "record"))
		return compile_record(a, type, out, depth, err);
	if (!strcmp(word, "array"))
		return compile_items(a, type, AVRO_ARRAY, "items", out, depth, err);
	if (!strcmp(word, "map"))
		return compile_items(a, type, AVRO_MAP, "values", out, depth, err);
	if (!strcmp(word, "fixed") || !strcmp(word, "enum"))
		return compile_fixed(a, type, word[0] == 'e', out, err);
	return compile_named(a, word, type, out, err);
}

/* ---- codecs ---- */

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

static bool choose_codec(struct avro *a, struct err *err)
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

/* ---- the file ---- */

static bool read_header(struct avro *a, struct text file, struct err *err)
{
	struct cursor c = {.at = file.at + 4, .end = file.at + file.len};
	int64_t n, size;

	if (file.len < 4 || memcmp(file.at, "Obj\1", 4) != 0)
		return err_set(err, ERR_PARSE, file.len ? "is no Avro file" : "is empty");
	while ((n = read_count(&c, &size)) > 0)
		for (; n && !c.bad; n--) {
			struct text key = read_span(&c, read_long(&c)), value = read_span(&c, read_long(&c));

			if (a->n_meta == META_MOST)
				return err_set(err, ERR_LIMIT, "its header has more than %d entries", META_MOST);
			a->meta_key[a->n_meta] = key;
			a->meta_value[a->n_meta++] = value;
		}
	a->sync = read_span(&c, SYNC).at;
	a->blocks = (struct text){c.at, (size_t)(c.end - c.at)};
	return !c.bad || err_set(err, ERR_PARSE, "is cut off in its header");
}

static bool read_schema(struct avro *a, struct err *err)
{
	struct text text = avro_meta(a, "avro.schema");
	struct err why = {0};
	unsigned root = 0;

	if (text.len > SCHEMA_MOST)
		return err_set(err, ERR_LIMIT, "its schema is larger than %d bytes", SCHEMA_MOST);
	a->schema = json_parse(text, &why);
	if (!a->schema)
		return err_set(err, why.code, "its schema is %s", why.words);
	if (!compile(a, a->schema, &root, 0, err))
		return false;
	return a->nodes[root].type == AVRO_RECORD || err_set(err, ERR_PARSE, "its schema is no record");
}

struct avro *avro_open(struct text file, size_t most, struct err *err)
{
	struct avro *a = mem_new(1, sizeof *a);

	a->most = most;
	if (read_header(a, file, err) && choose_codec(a, err) && read_schema(a, err))
		return a;
	avro_close(a);
	return NULL;
}

void avro_close(struct avro *a)
{
	if (!a)
		return;
	json_free(a->schema);
	free(a->nodes);
	free(a->edges);
	free(a->names);
	free(a->block);
	free(a);
}

struct text avro_meta(const struct avro *a, const char *key)
{
	for (size_t i = 0; i < a->n_meta; i++)
		if (text_is(a->meta_key[i], key))
			return a->meta_value[i];
	return TEXT("");
}

/* ---- records ---- */

static bool may_step(struct cursor *c, int depth)
{
	c->bad |= !c->steps || depth > DEPTH_MOST;
	c->steps -= c->steps > 0;
	return !c->bad;
}

static void skip(const struct avro *a, struct cursor *c, unsigned at, int depth);

static void skip_items(const struct avro *a, struct cursor *c, const struct node *node, int depth)
{
	int64_t n, size;

	while ((n = read_count(c, &size)) > 0) {
		if (size >= 0)
			read_span(c, size);
		for (; size < 0 && n && !c->bad; n--) {
			if (node->type == AVRO_MAP)
				read_span(c, read_long(c));
			skip(a, c, a->edges[node->first].node, depth + 1);
		}
	}
}

/* The branch that follows; a wrong number leaves the cursor bad. */
static unsigned branch(const struct avro *a, struct cursor *c, const struct node *node)
{
	int64_t i = read_long(c);

	c->bad |= i < 0 || i >= node->count;
	return c->bad ? 0 : a->edges[node->first + (unsigned)i].node;
}

static void skip(const struct avro *a, struct cursor *c, unsigned at, int depth)
{
	const struct node *node = &a->nodes[at];

	if (!may_step(c, depth))
		return;
	switch (node->type) {
	case AVRO_NULL:
		break;
	case AVRO_BOOLEAN:
		read_span(c, 1);
		break;
	case AVRO_INT:
	case AVRO_LONG:
	case AVRO_ENUM:
		read_long(c);
		break;
	case AVRO_FLOAT:
		read_span(c, 4);
		break;
	case AVRO_DOUBLE:
		read_span(c, 8);
		break;
	case AVRO_BYTES:
	case AVRO_STRING:
		read_span(c, read_long(c));
		break;
	case AVRO_FIXED:
		read_span(c, (int64_t)node->fixed);
		break;
	case AVRO_RECORD:
		for (unsigned i = node->first; i < node->first + node->count && !c->bad; i++)
			skip(a, c, a->edges[i].node, depth + 1);
		break;
	case AVRO_ARRAY:
	case AVRO_MAP:
		skip_items(a, c, node, depth);
		break;
	case AVRO_UNION:
		at = branch(a, c, node);
		if (!c->bad)
			skip(a, c, at, depth + 1);
		break;
	}
}

static void read_real(struct cursor *c, enum avro_type type, double *out)
{
	uint64_t bits = read_little(c, type == AVRO_FLOAT ? 4 : 8);
	uint32_t few = (uint32_t)bits;
	float real = 0;

	if (type == AVRO_FLOAT)
		memcpy(&real, &few, sizeof real);
	else
		memcpy(out, &bits, sizeof *out);
	if (type == AVRO_FLOAT)
		*out = (double)real;
}

static void read_value(const struct avro *a, struct cursor *c, unsigned at, struct avro_value *out, int depth)
{
	const struct node *node = &a->nodes[at];
	const char *from;

	if (!may_step(c, depth))
		return;
	if (node->type == AVRO_UNION) {
		at = branch(a, c, node);
		if (!c->bad)
			read_value(a, c, at, out, depth + 1);
		return;
	}
	*out = (struct avro_value){.set = node->type != AVRO_NULL, .type = node->type, .logical = node->logical, .scale = node->scale, .bytes = TEXT(""),
		.node = (int)at};
	from = c->at;
	if (node->type == AVRO_BOOLEAN)
		out->i = read_little(c, 1) != 0;
	else if (node->type == AVRO_INT || node->type == AVRO_LONG || node->type == AVRO_ENUM)
		out->i = read_long(c);
	else if (node->type == AVRO_FLOAT || node->type == AVRO_DOUBLE)
		read_real(c, node->type, &out->real);
	else if (node->type == AVRO_BYTES || node->type == AVRO_STRING)
		out->bytes = read_span(c, read_long(c));
	else
		skip(a, c, at, depth);
	if (node->type == AVRO_FIXED || node->type == AVRO_RECORD || node->type == AVRO_ARRAY || node->type == AVRO_MAP)
		out->bytes = (struct text){from, (size_t)(c->at - from)};
}

static void read_record(const struct avro *a, struct cursor *c, unsigned at, struct avro_value *values, int depth)
{
	const struct node *node = &a->nodes[at];

	if (!may_step(c, depth))
		return;
	if (node->type == AVRO_UNION) {
		at = branch(a, c, node);
		if (c->bad || a->nodes[at].type != AVRO_RECORD) {
			if (!c->bad)
				skip(a, c, at, depth + 1);
			return;
		}
		node = &a->nodes[at];
	}
	for (unsigned i = node->first; i < node->first + node->count && !c->bad; i++) {
		const struct edge *edge = &a->edges[i];

		if (edge->slot >= 0)
			read_value(a, c, edge->node, &values[edge->slot], depth + 1);
		else if (a->nodes[edge->node].wanted)
			read_record(a, c, edge->node, values, depth + 1);
		else
			skip(a, c, edge->node, depth + 1);
	}
}

/* Marks what is wanted, and every record on the way to it. */
static bool mark(struct avro *a, unsigned at, const int *ids, size_t n, int depth)
{
	struct node *node = &a->nodes[at];

	if (depth > DEPTH_MOST || node->wanted || (node->type != AVRO_RECORD && node->type != AVRO_UNION))
		return node->wanted;
	for (unsigned i = node->first; i < node->first + node->count; i++) {
		for (size_t k = 0; k < n && node->type == AVRO_RECORD; k++)
			if (a->edges[i].id == ids[k])
				a->edges[i].slot = (int)k;
		node->wanted |= a->edges[i].slot >= 0 || mark(a, a->edges[i].node, ids, n, depth + 1);
	}
	return node->wanted;
}

static bool next_block(struct avro *a, struct cursor *file, int64_t *n, struct text *block, struct err *err)
{
	struct text packed, sync;

	*n = read_long(file);
	packed = read_span(file, read_long(file));
	sync = read_span(file, SYNC);
	if (file->bad)
		return err_set(err, ERR_PARSE, "is cut off in a block");
	if (memcmp(sync.at, a->sync, SYNC) != 0)
		return err_set(err, ERR_PARSE, "a block does not end where it says");
	return a->unpack(a, packed, block, err);
}

static bool each_of(struct avro *a, struct text block, int64_t n, size_t wanted, bool (*each)(void *ctx, const struct avro_value *values), void *ctx,
	bool *ended, struct err *err)
{
	struct cursor c = {.at = block.at, .end = block.at + block.len, .steps = STEPS_FREE + STEPS_PER_BYTE * (uint64_t)block.len};
	struct avro_value values[AVRO_WANTED_MOST];

	if (n < 0)
		return err_set(err, ERR_PARSE, "a block has a negative count");
	for (; n && !*ended; n--) {
		memset(values, 0, wanted * sizeof *values);
		read_record(a, &c, 0, values, 0);
		if (c.bad)
			return err_set(err, ERR_PARSE, "a record is broken");
		*ended = !each(ctx, values);
	}
	return *ended || c.at == c.end || err_set(err, ERR_PARSE, "a block has more than it says");
}

bool avro_each(struct avro *a, const int *ids, size_t n, bool (*each)(void *ctx, const struct avro_value *values), void *ctx, struct err *err)
{
	struct cursor file = {.at = a->blocks.at, .end = a->blocks.at + a->blocks.len};
	struct text block;
	int64_t count;
	bool ended = false;

	if (n > AVRO_WANTED_MOST)
		abort(); /* a caller of ours that wants more than there is room for */
	for (unsigned i = 0; i < a->n_nodes; i++)
		a->nodes[i].wanted = false;
	for (unsigned i = 0; i < a->n_edges; i++)
		a->edges[i].slot = -1;
	mark(a, 0, ids, n, 0);
	while (!ended && file.at < file.end)
		if (!next_block(a, &file, &count, &block, err) || !each_of(a, block, count, n, each, ctx, &ended, err))
			return false;
	return true;
}

/* ---- of what was wanted as a whole ---- */

bool avro_fields(const struct avro *a, const struct avro_value *record, bool (*each)(void *ctx, int id, const char *name, const struct avro_value *v),
	void *ctx)
{
	struct cursor c = {.at = record->bytes.at, .end = record->bytes.at + record->bytes.len,
		.steps = STEPS_FREE + STEPS_PER_BYTE * (uint64_t)record->bytes.len};
	const struct node *node = &a->nodes[record->node];

	if (!record->set || record->type != AVRO_RECORD)
		return false;
	for (unsigned i = node->first; i < node->first + node->count; i++) {
		struct avro_value v = {0};

		read_value(a, &c, a->edges[i].node, &v, 0);
		if (c.bad || !each(ctx, a->edges[i].id, a->edges[i].name, &v))
			return false;
	}
	return true;
}

bool avro_find(const struct avro *a, const struct avro_value *map, int64_t key, struct avro_value *out)
{
	struct cursor c = {.at = map->bytes.at, .end = map->bytes.at + map->bytes.len, .steps = STEPS_FREE + STEPS_PER_BYTE * (uint64_t)map->bytes.len};
	const struct node *item;
	int64_t n, size;

	if (!map->set || map->type != AVRO_ARRAY)
		return false;
	item = &a->nodes[a->edges[a->nodes[map->node].first].node];
	if (item->type != AVRO_RECORD || item->count != 2)
		return false;
	while ((n = read_count(&c, &size)) > 0)
		for (; n && !c.bad; n--) {
			struct avro_value k = {0};

			read_value(a, &c, a->edges[item->first].node, &k, 0);
			*out = (struct avro_value){0};
			read_value(a, &c, a->edges[item->first + 1].node, out, 0);
			if (!c.bad && k.set && k.i == key)
				return out->set;
		}
	return false;
}
