// SPDX-License-Identifier: MIT
/*
 * Schemas, partition specs and sort orders of an Iceberg table, in the words that SQL has for them.
 * Source: the Iceberg table spec, "Schemas", "Partition Transforms", appendix C.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iceberg_own.h"

enum { FIELDS_MOST = 20000, TERMS_MOST = 256, SHAPES_MOST = 4096, DEEP = 32, WORDS_MOST = 2000 };

static int int_of(const struct json *object, const char *key, int otherwise)
{
	int64_t n;

	return json_i64(json_get(object, key), &n) && n >= INT_MIN && n <= INT_MAX ? (int)n : otherwise;
}

static const char *string_of(struct arena *arena, const struct json *object, const char *key)
{
	return arena_clean(arena, text_of(json_string(json_get(object, key))));
}

/* ---- schemas ---- */

struct fields {
	struct iceberg_shapes *shapes;
	struct iceberg_field *at;
	size_t n, size;
};

/* The format's own word where SQL has no better one. */
static const char *type_words(struct arena *arena, const struct json *type)
{
	const char *plain = json_string(type);
	char words[64];
	size_t n = 0;
	const char *nested = json_string(json_get(type, "type"));

	if (!plain)
		return nested ? arena_clean(arena, text_of(nested)) : "";
	if (!strcmp(plain, "long"))
		return "bigint";
	for (size_t i = 0; plain[i] && n < sizeof words - 1; i++)
		if (plain[i] != ' ')
			words[n++] = (char)(plain[i] == '[' ? '(' : plain[i] == ']' ? ')' : plain[i]);
	words[n] = '\0';
	return arena_clean(arena, text_of(words));
}

static struct iceberg_field *add_field(struct fields *f)
{
	if (f->n == FIELDS_MOST) {
		f->shapes->cut = true;
		return NULL;
	}
	if (f->n == f->size) {
		f->size = f->size ? 2 * f->size : 32;
		f->at = mem_grow(f->at, f->size, sizeof *f->at);
	}
	return &f->at[f->n++];
}

static void put_type(struct fields *f, const struct json *type, int depth);

static void put_field(struct fields *f, int id, const char *name, const struct json *type, const char *doc, bool required, int depth)
{
	struct iceberg_field *field = add_field(f);

	if (!field)
		return;
	*field = (struct iceberg_field){id, depth, name, type_words(f->shapes->arena, type), doc, required};
	if (depth < DEEP)
		put_type(f, type, depth + 1);
	else
		f->shapes->cut = true;
}

static void put_struct(struct fields *f, const struct json *fields, int depth)
{
	struct arena *arena = f->shapes->arena;

	for (const struct json *field = json_first(fields); field && f->n < FIELDS_MOST; field = json_next(field)) {
		bool required = false;

		json_bool(json_get(field, "required"), &required);
		put_field(f, int_of(field, "id", -1), string_of(arena, field, "name"), json_get(field, "type"), string_of(arena, field, "doc"), required,
			depth);
	}
}

static void put_part(struct fields *f, const struct json *type, const char *part, int depth)
{
	char key[24], must[24];
	bool required = !strcmp(part, "key");

	snprintf(key, sizeof key, "%s-id", part);
	snprintf(must, sizeof must, "%s-required", part);
	json_bool(json_get(type, must), &required);
	put_field(f, int_of(type, key, -1), part, json_get(type, part), "", required, depth);
}

/* What is inside of a type; nothing is inside of a plain one. */
static void put_type(struct fields *f, const struct json *type, int depth)
{
	struct text kind = text_of(json_string(json_get(type, "type")));

	if (text_is(kind, "struct")) {
		put_struct(f, json_get(type, "fields"), depth);
	} else if (text_is(kind, "list")) {
		put_part(f, type, "element", depth);
	} else if (text_is(kind, "map")) {
		put_part(f, type, "key", depth);
		put_part(f, type, "value", depth);
	}
}

void iceberg_add_schema(struct iceberg_shapes *s, const struct json *schema)
{
	struct fields f = {.shapes = s};
	struct iceberg_field *kept = NULL;

	if (s->n_schemas == SHAPES_MOST || !json_is_object(schema)) {
		s->cut = true;
		return;
	}
	put_struct(&f, json_get(schema, "fields"), 0);
	if (f.n && (kept = arena_alloc(s->arena, f.n * sizeof *kept)) != NULL)
		memcpy(kept, f.at, f.n * sizeof *kept);
	free(f.at);
	if (f.n && !kept)
		return; /* the arena is full, which is told by it */
	if (!(s->n_schemas & (s->n_schemas - 1)))
		s->schemas = mem_grow(s->schemas, s->n_schemas ? 2 * s->n_schemas : 1, sizeof *s->schemas);
	s->schemas[s->n_schemas++] = (struct iceberg_schema){int_of(schema, "schema-id", 0), kept, f.n};
}

/* ---- specs and orders ---- */

static void put_sources(struct iceberg_term *term, const struct json *field)
{
	const struct json *many = json_get(field, "source-ids");

	if (!json_is_array(many)) {
		term->source[0] = int_of(field, "source-id", -1);
		term->n_sources = 1;
		return;
	}
	for (const struct json *id = json_first(many); id && term->n_sources < 4; id = json_next(id)) {
		int64_t n = -1;

		json_i64(id, &n);
		term->source[term->n_sources++] = n >= 0 && n <= INT_MAX ? (int)n : -1;
	}
}

static struct iceberg_terms terms_of(struct iceberg_shapes *s, int id, const struct json *fields)
{
	size_t n = json_count(fields);
	struct iceberg_term *terms;
	struct iceberg_terms out = {.id = id};

	if (n > TERMS_MOST) {
		s->cut = true;
		n = TERMS_MOST;
	}
	out.terms = terms = n ? arena_alloc(s->arena, n * sizeof *terms) : NULL;
	for (const struct json *field = json_first(fields); terms && out.n_terms < n; field = json_next(field)) {
		struct iceberg_term *term = &terms[out.n_terms++];

		put_sources(term, field);
		term->transform = string_of(s->arena, field, "transform");
		term->name = string_of(s->arena, field, "name");
		term->descending = text_is(text_of(json_string(json_get(field, "direction"))), "desc");
		term->nulls_last = text_is(text_of(json_string(json_get(field, "null-order"))), "nulls-last");
	}
	return out;
}

static void add_terms(struct iceberg_shapes *s, struct iceberg_terms **at, size_t *n, struct iceberg_terms terms)
{
	if (*n == SHAPES_MOST) {
		s->cut = true;
		return;
	}
	if (!(*n & (*n - 1)))
		*at = mem_grow(*at, *n ? 2 * *n : 1, sizeof **at);
	(*at)[(*n)++] = terms;
}

void iceberg_add_spec(struct iceberg_shapes *s, const struct json *spec)
{
	bool bare = json_is_array(spec);

	add_terms(s, &s->specs, &s->n_specs, terms_of(s, int_of(spec, "spec-id", 0), bare ? spec : json_get(spec, "fields")));
}

void iceberg_add_order(struct iceberg_shapes *s, const struct json *order)
{
	add_terms(s, &s->orders, &s->n_orders, terms_of(s, int_of(order, "order-id", 0), json_get(order, "fields")));
}

/* ---- in words ---- */

/* A column's name, with those that it is nested in before it. False: this schema has none of that id. */
static bool put_column(struct buf *out, const struct iceberg_schema *schema, int id)
{
	const char *path[DEEP + 2];
	size_t i = 0;
	int depth;

	while (i < schema->n_fields && schema->fields[i].id != id)
		i++;
	if (i == schema->n_fields || id < 0)
		return false;
	depth = schema->fields[i].depth;
	for (int want = depth; want >= 0; want--) {
		while (schema->fields[i].depth != want)
			i--;
		path[want] = schema->fields[i].name;
	}
	for (int k = 0; k <= depth; k++)
		buf_printf(out, "%s%s", k ? "." : "", path[k]);
	return true;
}

/* The current schema is asked first; a spec may be of a column that is no longer in it. */
static void put_source(struct buf *out, const struct iceberg_shapes *s, int current, const struct iceberg_term *term, int id)
{
	for (size_t i = 0; i < s->n_schemas; i++)
		if (s->schemas[i].id == current && put_column(out, &s->schemas[i], id))
			return;
	for (size_t i = s->n_schemas; i--;)
		if (put_column(out, &s->schemas[i], id))
			return;
	buf_puts(out, term->name[0] ? term->name : "?");
}

static void put_sources_words(struct buf *out, const struct iceberg_shapes *s, int current, const struct iceberg_term *term)
{
	for (size_t i = 0; i < term->n_sources; i++) {
		buf_puts(out, i ? ", " : "");
		put_source(out, s, current, term, term->source[i]);
	}
}

static void put_term(struct buf *out, const struct iceberg_shapes *s, int current, const struct iceberg_term *term)
{
	static const char *const spans[] = {"year", "month", "day", "hour"};
	struct text word = text_until(text_of(term->transform), '['), arg = text_until(text_after(text_of(term->transform), '['), ']');
	const char *plural = "";

	if (text_is(word, "identity") || !word.len) {
		put_sources_words(out, s, current, term);
		return;
	}
	for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
		if (text_is(word, spans[i]))
			plural = "s";
	buf_printf(out, "%.*s%s(%.*s%s", (int)word.len, word.at, plural, (int)arg.len, arg.at, arg.len ? ", " : "");
	put_sources_words(out, s, current, term);
	buf_puts(out, ")");
}

static const char *words_of(const struct iceberg_shapes *s, int current, const struct iceberg_terms *terms, bool order)
{
	const char *words;
	struct buf out;

	buf_init(&out, WORDS_MOST);
	for (size_t i = 0; i < terms->n_terms; i++) {
		const struct iceberg_term *term = &terms->terms[i];

		buf_puts(&out, i ? ", " : "");
		put_term(&out, s, current, term);
		if (order)
			buf_printf(&out, " %s NULLS %s", term->descending ? "DESC" : "ASC", term->nulls_last ? "LAST" : "FIRST");
	}
	words = arena_copy(s->arena, buf_text(&out));
	buf_free(&out);
	return words;
}

void iceberg_end_shapes(struct iceberg_shapes *s, int order, struct iceberg_metadata *m)
{
	struct iceberg_schema *schemas = arena_alloc(s->arena, s->n_schemas * sizeof *schemas);
	struct iceberg_spec *specs = arena_alloc(s->arena, s->n_specs * sizeof *specs);

	if (schemas && s->n_schemas)
		memcpy(schemas, s->schemas, s->n_schemas * sizeof *schemas);
	m->schemas = schemas;
	m->n_schemas = schemas ? s->n_schemas : 0;
	for (size_t i = 0; specs && i < s->n_specs; i++)
		specs[i] = (struct iceberg_spec){s->specs[i].id, words_of(s, m->schema, &s->specs[i], false), s->specs[i].n_terms};
	m->specs = specs;
	m->n_specs = specs ? s->n_specs : 0;
	m->sort = "";
	for (size_t i = 0; i < s->n_orders; i++)
		if (s->orders[i].id == order)
			m->sort = words_of(s, m->schema, &s->orders[i], true);
	m->cut |= s->cut;
}

void iceberg_free_shapes(struct iceberg_shapes *s)
{
	free(s->schemas);
	free(s->specs);
	free(s->orders);
}
