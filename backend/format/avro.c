// SPDX-License-Identifier: MIT
/*
 * See avro.h. The writer's schema is compiled to nodes and edges once; a record is then walked
 * along them. Steps are counted against the bytes that are there, so that no schema or count can
 * ask for more work than its file has weight.
 */
#include "avro_own.h"

#include <stdlib.h>
#include <string.h>

enum { SYNC = 16, SCHEMA_MOST = 4 << 20 };
enum { STEPS_PER_BYTE = 16, STEPS_FREE = 1 << 20 };

struct cursor {
	const char *at, *end;
	uint64_t steps;        /* that are left */
	bool bad;
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
	if (!avro_compile(a, a->schema, &root, err))
		return false;
	return a->nodes[root].type == AVRO_RECORD || err_set(err, ERR_PARSE, "its schema is no record");
}

struct avro *avro_open(struct text file, size_t most, struct err *err)
{
	struct avro *a = mem_new(1, sizeof *a);

	a->most = most;
	if (read_header(a, file, err) && avro_choose_codec(a, err) && read_schema(a, err))
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
