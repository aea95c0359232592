// SPDX-License-Identifier: MIT
/*
 * The walk through one Iceberg REST catalog: level by level, each name once, each list in pages. What
 * servers do differently stands in rest.c. The actor's thread.
 */
#include "rest_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogs.h"

enum { DEPTH_MOST = 16, UNITY_CAP = 100 };
#define PART_END '\x1f' /* between the parts of a namespace, here */

static const struct web_pages namespaces_of = {"namespaces", "pageToken", "next-page-token", "pageSize=1000"};
static const struct web_pages identifiers_of = {"identifiers", "pageToken", "next-page-token", "pageSize=1000"};
static const struct web_pages schemas_of_unity = {"schemas", "page_token", "next_page_token", "max_results=100"};

/* What stands before /v1, where the profile is silent: the service's own. */
const char *rest_base(const struct catalog *c)
{
	static const struct {
		const char *kind, *base;
	} usual[] = {{"polaris", "/api/catalog"}, {"nessie", "/iceberg"}, {"unity-catalog", "/api/2.1/unity-catalog/iceberg"}};
	const struct service_kind *kind = c->service ? c->service->kind : NULL;

	for (size_t i = 0; !c->path && kind && i < sizeof usual / sizeof *usual; i++)
		if (!strcmp(usual[i].kind, kind->name))
			return usual[i].base;
	return c->path ? c->path : "";
}

struct rest *rest_state(const struct catalog *c, void **state)
{
	struct rest *r = *state ? *state : (*state = mem_new(1, sizeof *r));

	r->web.realm = c->realm;
	r->web.is_part = c->role != NULL;
	snprintf(r->web.config_path, sizeof r->web.config_path, "%.280s/v1/config", rest_base(c));
	snprintf(r->web.token_path, sizeof r->web.token_path, "%.280s/v1/oauth/tokens", rest_base(c));
	return r;
}

static uint64_t print_of(const char *what, const char *name)
{
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

	for (const char *at = what; *at; at++)
		hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
	hash = (hash ^ 0xffu) * UINT64_C(1099511628211);
	for (const char *at = name; *at; at++)
		hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
	return hash ? hash : 1;
}

static void put(uint64_t *set, size_t room, uint64_t print)
{
	size_t i = print & (room - 1);

	while (set[i])
		i = (i + 1) & (room - 1);
	set[i] = print;
}

/* False: it was met before. */
static bool first_met(struct walk *w, const char *what, const char *name)
{
	uint64_t print = print_of(what, name);

	if (w->n_seen * 2 >= w->seen_room) {
		size_t room = w->seen_room ? w->seen_room * 2 : 256;
		uint64_t *grown = mem_new(room, sizeof *grown);

		for (size_t i = 0; i < w->seen_room; i++)
			if (w->seen[i])
				put(grown, room, w->seen[i]);
		free(w->seen);
		w->seen = grown;
		w->seen_room = room;
	}
	for (size_t i = print & (w->seen_room - 1); w->seen[i]; i = (i + 1) & (w->seen_room - 1))
		if (w->seen[i] == print)
			return false;
	put(w->seen, w->seen_room, print);
	w->n_seen++;
	return true;
}

/* "raw%1Fnested": the parts of a namespace, encoded, as a path or a query has them. */
static void add_space(struct buf *out, const char *space, const char *separator)
{
	for (struct text rest = text_of(space);;) {
		struct text part = text_until(rest, PART_END);

		web_escape(out, part);
		if (part.len == rest.len)
			return;
		buf_puts(out, separator);
		rest = text_after(rest, PART_END);
	}
}

/* "/v1/main/namespaces" and what follows; the prefix with its slash where there is one. */
static void begin_path(struct walk *w)
{
	buf_reset(&w->path);
	buf_printf(&w->path, "%s/v1/%s%snamespaces", rest_base(w->c), w->config.prefix, w->config.prefix[0] ? "/" : "");
}

/* Unity Catalog's own API beside its Iceberg endpoint. */
void rest_unity_path(struct walk *w, const char *what)
{
	struct text base = text_of(rest_base(w->c));

	buf_reset(&w->path);
	if (base.len >= 8 && !memcmp(base.at + base.len - 8, "/iceberg", 8))
		base.len -= 8;
	buf_printf(&w->path, "%.*s/%s", (int)base.len, base.at, what);
}

void rest_say(struct walk *w, bool cut, const char *words)
{
	w->said->cut |= cut;
	if (!w->said->words[0] || cut)
		text_clean(w->said->words, sizeof w->said->words, text_of(words));
}

/* ---- what pages hand over ---- */

static void add_found_space(struct walk *w, const char *space, unsigned depth)
{
	if (!first_met(w, "namespace", space))
		return;
	if (w->n_spaces == w->spaces_most || depth > DEPTH_MOST) {
		w->cut |= w->spaces_most == SPACES_MOST || depth > DEPTH_MOST;
		return;
	}
	w->spaces = mem_grow(w->spaces, w->n_spaces + 1, sizeof *w->spaces);
	w->spaces[w->n_spaces++] = mem_copy(space);
}

/* ["raw","nested"] */
static bool take_space(void *ctx, const struct json *item)
{
	struct walk *w = ctx;
	unsigned depth = 0;
	bool good = json_is_array(item);

	buf_reset(&w->name);
	for (const struct json *part = json_first(item); good && part; part = json_next(part)) {
		const char *s = json_string(part);

		good = s && !strchr(s, PART_END) && (depth++ == 0 || buf_add(&w->name, &(char){PART_END}, 1)) && buf_puts(&w->name, s);
	}
	if (good && depth > 0 && w->name.len > 0)
		add_found_space(w, w->name.at, depth);
	w->top += !w->space;
	w->all_levels |= !w->space && depth > 1;
	return true;
}

/* Of Unity Catalog: {"name":"default"} */
static bool take_schema(void *ctx, const struct json *item)
{
	struct walk *w = ctx;
	const char *name = json_string(json_get(item, "name"));

	if (name && name[0])
		add_found_space(w, name, 1);
	w->top++;
	return true;
}

static void name_entry(struct walk *w, const char *table)
{
	buf_reset(&w->name);
	if (w->named)
		catalog_name_part(&w->name, text_of(w->warehouse));
	for (struct text rest = text_of(w->space);;) {
		struct text part = text_until(rest, PART_END);

		catalog_name_part(&w->name, part);
		if (part.len == rest.len)
			break;
		rest = text_after(rest, PART_END);
	}
	catalog_name_part(&w->name, text_of(table));
}

static void key_entry(struct walk *w, const char *table)
{
	buf_reset(&w->key);
	buf_printf(&w->key, "%s%snamespaces/", w->config.prefix, w->config.prefix[0] ? "/" : "");
	add_space(&w->key, w->space, w->config.separator);
	buf_puts(&w->key, "/tables/");
	web_escape(&w->key, text_of(table));
}

/* {"namespace":["raw"],"name":"events"} */
static bool take_table(void *ctx, const struct json *item)
{
	struct walk *w = ctx;
	const char *name = json_string(json_get(item, "name"));
	struct catalog_entry e = {.format = w->format};

	w->listed++;
	if (!name || !name[0])
		return true;
	name_entry(w, name);
	if (!first_met(w, "table", w->name.at))
		return true; /* a page that came twice */
	e.name = buf_text(&w->name);
	if (w->format == FORMAT_ICEBERG) {
		key_entry(w, name);
		e.key = buf_text(&w->key);
	} else if (w->format == FORMAT_OTHER) {
		e.words = TEXT("Polaris generic table");
	}
	w->stopped = !w->each(w->ctx, &e);
	return !w->stopped;
}

/* ---- walking ---- */

/* A namespace that went meanwhile, or that we may not see, is no reason to end. */
bool rest_passes(struct walk *w, long status)
{
	if (status == 403)
		w->forbidden++;
	return status == 403 || status == 404;
}

bool rest_list_identifiers(struct walk *w, const char *what, enum table_format format)
{
	struct err err = {0};
	bool good;
	long status = 0;

	buf_reset(&w->path);
	buf_printf(&w->path, "%s/%s", rest_base(w->c), format == FORMAT_OTHER ? "polaris/" : "");
	buf_printf(&w->path, "v1/%s%snamespaces/", w->config.prefix, w->config.prefix[0] ? "/" : "");
	add_space(&w->path, w->space, w->config.separator);
	buf_printf(&w->path, "/%s", what);
	w->format = format;
	w->listed = 0;
	good = web_list(w->p, w->web, w->path.at, &identifiers_of, take_table, w, &w->cut, &status, &err);
	if (!good && format != FORMAT_ICEBERG && status >= 400)
		return true; /* it does not list these after all */
	if (!good && !rest_passes(w, status)) {
		*w->err = err;
		return false;
	}
	return true;
}

static bool count_one(void *ctx, const struct json *item)
{
	size_t *n = ctx;

	(void)item;
	++*n;
	return *n <= UNITY_CAP;
}

/* Its Iceberg endpoint looks only at the first hundred names of a schema: are there more? */
static void count_unity(struct walk *w)
{
	size_t n = 0;
	long status;
	bool cut = false;

	rest_unity_path(w, "tables?omit_columns=true&omit_properties=true&catalog_name=");
	web_escape(&w->path, text_of(w->warehouse));
	buf_puts(&w->path, "&schema_name=");
	web_escape(&w->path, text_of(w->space));
	web_list(w->p, w->web, w->path.at, &(struct web_pages){"tables", "page_token", "next_page_token", "max_results=100"}, count_one, &n, &cut,
		&status, NULL);
	w->capped += n > UNITY_CAP;
}

static bool list_children(struct walk *w)
{
	struct err err = {0};
	long status = 0;

	if (w->unity || w->all_levels)
		return true;
	begin_path(w);
	buf_puts(&w->path, "?parent=");
	add_space(&w->path, w->space, w->config.separator);
	if (web_list(w->p, w->web, w->path.at, &namespaces_of, take_space, w, &w->cut, &status, &err) || status == 403 || status == 404)
		return true;
	*w->err = err;
	return false;
}

static bool list_space(struct walk *w)
{
	bool good = rest_list_identifiers(w, "tables", FORMAT_ICEBERG);

	if (good && !w->stopped && w->config.views && !w->unity)
		good = rest_list_identifiers(w, "views", FORMAT_VIEW);
	if (good && !w->stopped && w->config.generic)
		good = rest_list_identifiers(w, "generic-tables", FORMAT_OTHER);
	if (good && w->unity)
		count_unity(w);
	return good && (w->stopped || list_children(w));
}

bool rest_list_top(struct walk *w)
{
	long status;

	w->space = NULL;
	if (w->unity) {
		rest_unity_path(w, "schemas?catalog_name=");
		web_escape(&w->path, text_of(w->warehouse));
		return web_list(w->p, w->web, w->path.at, &schemas_of_unity, take_schema, w, &w->cut, &status, w->err);
	}
	begin_path(w);
	return web_list(w->p, w->web, w->path.at, &namespaces_of, take_space, w, &w->cut, &status, w->err);
}

/* Asks for the configuration. status: the answer's, 0: none. */
bool rest_configure(struct walk *w, const char *warehouse, long *status)
{
	struct web_question q = {0};
	struct http_answer answer;
	bool good = false;

	buf_reset(&w->path);
	buf_printf(&w->path, "%s/v1/config%s", rest_base(w->c), warehouse ? "?warehouse=" : "");
	web_escape(&w->path, text_of(warehouse));
	q.path = w->path.at;
	if (web_ask(w->p, w->web, &q, &answer, w->err)) {
		*status = answer.status;
		good = answer.status == 200 ? rest_read_config(buf_text(&answer.body), &w->config, w->err) :
			web_refused(w->p, w->web, q.path, &answer, w->err);
	}
	http_answer_free(&answer);
	w->warehouse = warehouse;
	w->unity = good && text_starts(text_of(w->config.prefix), "catalogs/") && text_has(text_of(rest_base(w->c)), "/unity-catalog/");
	return good;
}

void rest_forget_spaces(struct walk *w)
{
	for (size_t i = 0; i < w->n_spaces; i++)
		free(w->spaces[i]);
	free(w->spaces);
	free(w->seen);
	w->spaces = NULL;
	w->seen = NULL;
	w->n_spaces = w->n_done = w->n_seen = w->seen_room = 0;
	w->all_levels = false;
}

bool rest_walk_spaces(struct walk *w)
{
	bool good = rest_list_top(w);

	while (good && !w->stopped && w->n_done < w->n_spaces) {
		w->space = w->spaces[w->n_done++];
		good = list_space(w);
	}
	return good;
}

void rest_begin_walk(struct walk *w, struct rest *r, struct catalog_said *said, struct err *err)
{
	w->web = &r->web;
	w->said = said;
	w->err = err;
	w->spaces_most = SPACES_MOST;
	buf_init(&w->path, WEB_PATH_SIZE * 2);
	buf_init(&w->name, NAME_MOST);
	buf_init(&w->key, NAME_MOST * 2);
}

void rest_end_walk(struct walk *w)
{
	rest_forget_spaces(w);
	buf_free(&w->path);
	buf_free(&w->name);
	buf_free(&w->key);
}
