// SPDX-License-Identifier: MIT
/* The writer's schema of an Avro file, compiled to nodes and edges. */
#include "avro_own.h"

#include <limits.h>
#include <string.h>

enum { NODES_MOST = 8192, NAMES_MOST = 2048 };

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

bool avro_compile(struct avro *a, const struct json *type, unsigned *out, struct err *err)
{
	return compile(a, type, out, 0, err);
}
