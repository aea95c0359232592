// SPDX-License-Identifier: MIT
/*
 * Unity Catalog by its own API: catalogs, schemas, tables, each in pages of at most 100. What it
 * holds are Delta tables, by their folder, and files of other formats; Iceberg is not among its
 * formats (a Delta table may be Iceberg as well, by UniForm: its Iceberg endpoint tells that).
 *
 * It knows tokens only, and has no client credentials. Its 403 "User not allowed" is also what it says
 * while its database is down.
 *
 * Source: unitycatalog api/all.yaml, PagedListingHelper.java; checked on 0.6.0 (recorded). The actor's
 * thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogs.h"
#include "web.h"

enum { NAME_MOST = 4 << 10 };
#define API "/api/2.1/unity-catalog"

struct unity { /* list's state */
	struct web web;
};

struct walk {
	struct probe *p;
	struct web *web;
	bool (*each)(void *ctx, const struct catalog_entry *e);
	void *ctx;
	const char *base, *catalog, *schema;
	bool named;                /* names begin with the catalog's */
	bool first;                /* nothing was listed yet: who has none of it is another, or has no such catalog */
	bool stopped, failed, cut;
	unsigned forbidden;
	struct err err;
	struct buf name;
};

static bool each_table(void *ctx, const struct json *item)
{
	struct walk *w = ctx;
	const char *name = json_string(json_get(item, "name")), *type = json_string(json_get(item, "table_type"));
	const char *format = json_string(json_get(item, "data_source_format")), *at = json_string(json_get(item, "storage_location"));
	struct catalog_entry e = {.format = FORMAT_OTHER, .words = text_of(format ? format : type ? type : "unknown"),
		.at = text_of(at ? at : "")};

	if (!name)
		return true;
	buf_reset(&w->name);
	if (w->named)
		catalog_name_part(&w->name, text_of(w->catalog));
	catalog_name_part(&w->name, text_of(w->schema));
	catalog_name_part(&w->name, text_of(name));
	e.name = buf_text(&w->name);
	if (type && (!strcmp(type, "VIEW") || !strcmp(type, "METRIC_VIEW")))
		e = (struct catalog_entry){.name = e.name, .format = FORMAT_VIEW};
	else if (format && !strcmp(format, "DELTA") && at)
		e = (struct catalog_entry){.name = e.name, .format = FORMAT_DELTA, .at = text_of(at)};
	w->stopped = !w->each(w->ctx, &e);
	return !w->stopped;
}

/* One listing; what went meanwhile, or is not for us, does not end the walk. */
static void list_pages(struct walk *w, const struct buf *path, const char *array, bool (*each)(void *ctx, const struct json *item))
{
	const struct web_pages how = {array, "page_token", "next_page_token", "max_results=100"};
	struct err err = {0};
	bool first = w->first;
	long status = 0;

	w->first = false;
	if (web_list(w->p, w->web, path->at, &how, each, w, &w->cut, &status, &err) || (status == 404 && !first))
		return;
	if (status == 404)
		err_set(&err, ERR_PROTOCOL, w->named ? "who answers there is no Unity Catalog: it has no %s (HTTP 404)" :
			"there is no catalog \"%.80s\", or who answers there is no Unity Catalog (HTTP 404)", w->named ? API "/catalogs" : w->catalog);
	if (status == 403 && w->web->worked && !text_has(text_of(err.words), "database is down")) {
		w->forbidden++;
		return;
	}
	w->failed = true;
	w->err = err;
}

static void path_of(struct buf *path, const struct walk *w, const char *what)
{
	buf_init(path, WEB_PATH_SIZE);
	buf_printf(path, "%s/%s?omit_columns=true&omit_properties=true&catalog_name=", w->base, what);
	web_escape(path, text_of(w->catalog));
}

static bool each_schema(void *ctx, const struct json *item)
{
	struct walk *w = ctx;
	struct buf path;

	w->schema = json_string(json_get(item, "name"));
	if (!w->schema)
		return true;
	path_of(&path, w, "tables");
	buf_puts(&path, "&schema_name=");
	web_escape(&path, text_of(w->schema));
	list_pages(w, &path, "tables", each_table);
	buf_free(&path);
	return !w->stopped && !w->failed;
}

static void walk_catalog(struct walk *w, const char *catalog)
{
	struct buf path;

	w->catalog = catalog;
	buf_init(&path, WEB_PATH_SIZE);
	buf_printf(&path, "%s/schemas?catalog_name=", w->base);
	web_escape(&path, text_of(catalog));
	list_pages(w, &path, "schemas", each_schema);
	buf_free(&path);
}

static bool each_catalog(void *ctx, const struct json *item)
{
	struct walk *w = ctx;
	const char *name = json_string(json_get(item, "name"));

	if (name)
		walk_catalog(w, name);
	return !w->stopped && !w->failed;
}

static bool list(struct probe *p, const struct catalog *c, void **state, bool (*each)(void *ctx, const struct catalog_entry *e), void *ctx,
	struct catalog_said *said, struct err *err)
{
	struct unity *u = *state ? *state : (*state = mem_new(1, sizeof *u));
	struct walk w = {.p = p, .web = &u->web, .each = each, .ctx = ctx, .base = c->path ? c->path : API, .named = !c->warehouse, .first = true};
	struct buf path;

	buf_init(&w.name, NAME_MOST);
	buf_init(&path, WEB_PATH_SIZE);
	buf_printf(&path, "%s/catalogs", w.base);
	if (c->warehouse)
		walk_catalog(&w, c->warehouse);
	else
		list_pages(&w, &path, "catalogs", each_catalog);
	buf_free(&path);
	buf_free(&w.name);
	said->named = w.named;
	said->cut |= w.cut || w.forbidden;
	if (w.forbidden)
		snprintf(said->words, sizeof said->words, "%u catalogs or schemas are not shown to this credential", w.forbidden);
	else if (w.cut)
		text_copy(said->words, sizeof said->words, TEXT("its list goes in circles, or is longer than is read"));
	if (w.failed && err)
		*err = w.err;
	return !w.failed;
}

static void close_state(void *state)
{
	struct unity *u = state;

	if (u)
		web_end(&u->web);
	free(u);
}

const struct catalog_kind catalog_unity = {
	.name = "unity",
	.title = "Unity Catalog",
	.list = list,
	.close = close_state,
};
