// SPDX-License-Identifier: MIT
/* What the files that read Avro share; see avro.h. */
#ifndef LAKETOP_AVRO_OWN_H
#define LAKETOP_AVRO_OWN_H

#include "avro.h"
#include "json.h"
#include "mem.h"

enum { META_MOST = 64, DEPTH_MOST = 64 };

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

/* avro_schema.c: the writer's schema, as nodes and edges; *out is the root. */
bool avro_compile(struct avro *a, const struct json *type, unsigned *out, struct err *err);
/* avro_codec.c: by the name in the header. */
bool avro_choose_codec(struct avro *a, struct err *err);

#endif
