// SPDX-License-Identifier: MIT
/*
 * Iceberg REST catalogs: Polaris, SeaweedFS's own, Nessie, the fixture of Apache Iceberg, Unity
 * Catalog's Iceberg endpoint, and any other.
 *
 * The configuration comes first: it names the prefix of all paths, which may be encoded already
 * (Nessie: main%7Cwarehouse) and may have slashes (Unity Catalog: catalogs/unity), and what stands
 * between the parts of a namespace. A name in its overrides wins over the same in its defaults.
 *
 * Namespaces are a tree, asked for level by level; SeaweedFS tells all levels at once. No name is
 * followed twice, so that a server that answers every question alike ends. Lists are asked for in
 * pages, with an empty token first: who is not asked so may keep the rest to himself.
 *
 * A table's metadata is handed on in pieces, with all snapshots, and only where it changed (ETag).
 * Credentials of storage are never asked for (X-Iceberg-Access-Delegation): we have our own.
 *
 * Unity Catalog's Iceberg endpoint tells of Delta tables that are Iceberg as well (UniForm), and looks
 * only at the first 100 names of a schema. Its schemas come from its own API, which pages, and which
 * tells where tables are missing.
 *
 * Source: Apache Iceberg, open-api/rest-catalog-open-api.yaml; unitycatalog#1791; checked on Polaris
 * 1.7.0 and Unity Catalog 0.6.0 (recorded), SeaweedFS 4.48, Nessie 0.99.0, the fixture of Iceberg
 * 1.11.0. The actor's thread.
 */
#include "rest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogs.h"

enum { SPACES_MOST = 20000, DEPTH_MOST = 16, LOOK_SPACES = 8, LOOK_TABLES = 3, LOAD_MS = 2500, NAME_MOST = 8 << 10, UNITY_CAP = 100 };
#define LOAD_MOST ((size_t)512 << 20)
#define PART_END '\x1f' /* between the parts of a namespace, here */

static const struct web_pages namespaces_of = {"namespaces", "pageToken", "next-page-token", "pageSize=1000"};
static const struct web_pages identifiers_of = {"identifiers", "pageToken", "next-page-token", "pageSize=1000"};
static const struct web_pages schemas_of_unity = {"schemas", "page_token", "next_page_token", "max_results=100"};
static const struct web_pages catalogs_of_unity = {"catalogs", "page_token", "next_page_token", "max_results=100"};
static const struct web_pages catalogs_of_polaris = {"catalogs", "pageToken", "next-page-token", "pageSize=1000"};

struct rest { /* list's and load's state */
	struct web web;
};

/* ---- the configuration; pure ---- */

/* As it stands, but for what no path may hold. */
static bool path_part(char *out, size_t size, const char *value)
{
	struct buf buf;
	bool good = true;

	buf_init(&buf, size - 1);
	for (const char *at = value; *at && good; at++) {
		bool encoded = *at == '%' && strspn(at + 1, "0123456789abcdefABCDEF") >= 2;

		good = encoded || *at == '/' ? buf_add(&buf, at, 1) : web_escape(&buf, (struct text){at, 1});
	}
	text_copy(out, size, buf_text(&buf));
	buf_free(&buf);
	return good;
}

static const char *setting(const struct json *root, const char *name)
{
	const char *over = json_string(json_get(json_get(root, "overrides"), name));

	return over ? over : json_string(json_get(json_get(root, "defaults"), name));
}

static bool offers(const struct json *endpoints, const char *what)
{
	for (const struct json *e = json_first(endpoints); e && json_is_array(endpoints); e = json_next(e)) {
		struct text line = text_of(json_string(e)), method;

		if (text_word(&line, &method) && text_is(method, "GET")) {
			line = text_trim(line);
			text_skip(&line, "/"); /* some are written without */
			if (text_is(line, what))
				return true;
		}
	}
	return false;
}

bool rest_read_config(struct text body, struct rest_config *out, struct err *err)
{
	struct json *root = json_parse(body, err);
	const struct json *endpoints = json_get(root, "endpoints");
	const char *prefix = setting(root, "prefix"), *separator = setting(root, "namespace-separator"), *nessie = setting(root, "nessie.is-nessie-catalog");
	bool good = json_is_object(json_get(root, "defaults")) || json_is_object(json_get(root, "overrides"));

	*out = (struct rest_config){.separator = "%1F"};
	if (root && !good)
		err_set(err, ERR_PROTOCOL, "/v1/config: has neither defaults nor overrides, it is no Iceberg REST catalog");
	if (good && prefix && !path_part(out->prefix, sizeof out->prefix, prefix))
		good = err_set(err, ERR_LIMIT, "/v1/config: its prefix is too long");
	if (good && separator && separator[0] && !path_part(out->separator, sizeof out->separator, separator))
		good = err_set(err, ERR_LIMIT, "/v1/config: its namespace-separator is too long");
	out->views = offers(endpoints, "v1/{prefix}/namespaces/{namespace}/views");
	out->generic = offers(endpoints, "polaris/v1/{prefix}/namespaces/{namespace}/generic-tables");
	out->has_endpoints = json_is_array(endpoints);
	out->nessie = nessie && !strcmp(nessie, "true");
	json_free(root);
	return good;
}

/* ---- a walk through one server ---- */

struct walk {
	struct probe *p;
	const struct catalog *c;
	struct web *web;
	bool (*each)(void *ctx, const struct catalog_entry *e);
	void *ctx;
	struct catalog_said *said;
	struct err *err;
	struct rest_config config;
	const char *warehouse;     /* the one that is walked */
	bool named;                /* names begin with it */
	bool unity;
	char **spaces;             /* found so far; the first n_done are done */
	size_t n_spaces, n_done, spaces_most;
	uint64_t *seen;            /* a set of what was met: open addressing, 0 is free */
	size_t n_seen, seen_room;
	const char *space;         /* whose tables are listed */
	enum table_format format;
	size_t top, listed, capped; /* namespaces at the top; identifiers in this one; of Unity Catalog: schemas cut */
	unsigned forbidden;
	bool all_levels, stopped;
	bool cut;
	struct buf path, name, key;
};

/* What stands before /v1, where the profile is silent: the service's own. */
static const char *base_of(const struct catalog *c)
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

static struct rest *state_of(const struct catalog *c, void **state)
{
	struct rest *r = *state ? *state : (*state = mem_new(1, sizeof *r));

	r->web.realm = c->realm;
	r->web.is_part = c->role != NULL;
	snprintf(r->web.config_path, sizeof r->web.config_path, "%.280s/v1/config", base_of(c));
	snprintf(r->web.token_path, sizeof r->web.token_path, "%.280s/v1/oauth/tokens", base_of(c));
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
	buf_printf(&w->path, "%s/v1/%s%snamespaces", base_of(w->c), w->config.prefix, w->config.prefix[0] ? "/" : "");
}

/* Unity Catalog's own API beside its Iceberg endpoint. */
static void unity_path(struct walk *w, const char *what)
{
	struct text base = text_of(base_of(w->c));

	buf_reset(&w->path);
	if (base.len >= 8 && !memcmp(base.at + base.len - 8, "/iceberg", 8))
		base.len -= 8;
	buf_printf(&w->path, "%.*s/%s", (int)base.len, base.at, what);
}

static void say(struct walk *w, bool cut, const char *words)
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
static bool passes(struct walk *w, long status)
{
	if (status == 403)
		w->forbidden++;
	return status == 403 || status == 404;
}

static bool list_identifiers(struct walk *w, const char *what, enum table_format format)
{
	struct err err = {0};
	bool good;
	long status = 0;

	buf_reset(&w->path);
	buf_printf(&w->path, "%s/%s", base_of(w->c), format == FORMAT_OTHER ? "polaris/" : "");
	buf_printf(&w->path, "v1/%s%snamespaces/", w->config.prefix, w->config.prefix[0] ? "/" : "");
	add_space(&w->path, w->space, w->config.separator);
	buf_printf(&w->path, "/%s", what);
	w->format = format;
	w->listed = 0;
	good = web_list(w->p, w->web, w->path.at, &identifiers_of, take_table, w, &w->cut, &status, &err);
	if (!good && format != FORMAT_ICEBERG && status >= 400)
		return true; /* it does not list these after all */
	if (!good && !passes(w, status)) {
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

	unity_path(w, "tables?omit_columns=true&omit_properties=true&catalog_name=");
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
	bool good = list_identifiers(w, "tables", FORMAT_ICEBERG);

	if (good && !w->stopped && w->config.views && !w->unity)
		good = list_identifiers(w, "views", FORMAT_VIEW);
	if (good && !w->stopped && w->config.generic)
		good = list_identifiers(w, "generic-tables", FORMAT_OTHER);
	if (good && w->unity)
		count_unity(w);
	return good && (w->stopped || list_children(w));
}

static bool list_top(struct walk *w)
{
	long status;

	w->space = NULL;
	if (w->unity) {
		unity_path(w, "schemas?catalog_name=");
		web_escape(&w->path, text_of(w->warehouse));
		return web_list(w->p, w->web, w->path.at, &schemas_of_unity, take_schema, w, &w->cut, &status, w->err);
	}
	begin_path(w);
	return web_list(w->p, w->web, w->path.at, &namespaces_of, take_space, w, &w->cut, &status, w->err);
}

/* Asks for the configuration. status: the answer's, 0: none. */
static bool configure(struct walk *w, const char *warehouse, long *status)
{
	struct web_question q = {0};
	struct http_answer answer;
	bool good = false;

	buf_reset(&w->path);
	buf_printf(&w->path, "%s/v1/config%s", base_of(w->c), warehouse ? "?warehouse=" : "");
	web_escape(&w->path, text_of(warehouse));
	q.path = w->path.at;
	if (web_ask(w->p, w->web, &q, &answer, w->err)) {
		*status = answer.status;
		good = answer.status == 200 ? rest_read_config(buf_text(&answer.body), &w->config, w->err) :
			web_refused(w->p, w->web, q.path, &answer, w->err);
	}
	http_answer_free(&answer);
	w->warehouse = warehouse;
	w->unity = good && text_starts(text_of(w->config.prefix), "catalogs/") && text_has(text_of(base_of(w->c)), "/unity-catalog/");
	return good;
}

static void forget_spaces(struct walk *w)
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

static bool walk_spaces(struct walk *w)
{
	bool good = list_top(w);

	while (good && !w->stopped && w->n_done < w->n_spaces) {
		w->space = w->spaces[w->n_done++];
		good = list_space(w);
	}
	return good;
}

static void begin_walk(struct walk *w, struct rest *r, struct catalog_said *said, struct err *err)
{
	w->web = &r->web;
	w->said = said;
	w->err = err;
	w->spaces_most = SPACES_MOST;
	buf_init(&w->path, WEB_PATH_SIZE * 2);
	buf_init(&w->name, NAME_MOST);
	buf_init(&w->key, NAME_MOST * 2);
}

static void end_walk(struct walk *w)
{
	forget_spaces(w);
	buf_free(&w->path);
	buf_free(&w->name);
	buf_free(&w->key);
}

static void sum_up(struct walk *w)
{
	char words[160];

	if (w->config.nessie)
		say(w, false, "the history is kept in Nessie: a table shows one snapshot, whatever was committed");
	if (w->unity && !w->capped)
		say(w, false, "Unity Catalog's Iceberg endpoint tells of UniForm tables only");
	if (w->forbidden) {
		snprintf(words, sizeof words, "%u namespace%s not shown to this credential", w->forbidden, w->forbidden == 1 ? " is" : "s are");
		say(w, true, words);
	}
	if (w->capped) {
		snprintf(words, sizeof words, "Unity Catalog's Iceberg endpoint looks at the first 100 tables of a schema: %zu ha%s more (kind = unity lists them)",
			w->capped, w->capped == 1 ? "s" : "ve");
		say(w, true, words);
	}
	if (w->cut)
		say(w, true, "its list goes in circles, or is longer than is read");
}

/* ---- all warehouses of a server that has to be told one ---- */

struct names {
	char **at;
	size_t n;
};

static bool take_name(void *ctx, const struct json *item)
{
	struct names *names = ctx;
	const char *name = json_string(json_get(item, "name"));

	if (name && name[0]) {
		names->at = mem_grow(names->at, names->n + 1, sizeof *names->at);
		names->at[names->n++] = mem_copy(name);
	}
	return names->n < SPACES_MOST;
}

/* Unity Catalog tells its catalogs to everybody, Polaris to who may manage it. */
static bool list_warehouses(struct walk *w, struct names *names)
{
	struct text base = text_of(base_of(w->c));
	long status;

	if (text_has(base, "/unity-catalog/")) {
		unity_path(w, "catalogs");
		return web_list(w->p, w->web, w->path.at, &catalogs_of_unity, take_name, names, &w->cut, &status, NULL);
	}
	if (base.len < 8 || memcmp(base.at + base.len - 8, "/catalog", 8) != 0)
		return false;
	buf_reset(&w->path);
	buf_printf(&w->path, "%.*s/management/v1/catalogs", (int)base.len - 8, base.at);
	return web_list(w->p, w->web, w->path.at, &catalogs_of_polaris, take_name, names, &w->cut, &status, NULL);
}

static bool walk_all(struct walk *w)
{
	struct names names = {0};
	bool good = list_warehouses(w, &names);

	if (!good)
		err_set(w->err, w->err->code, "%.130s (which? warehouse = NAME)", w->err->words);
	w->named = names.n > 1;
	for (size_t i = 0; i < names.n; i++) {
		struct err err = {0}, *whole = w->err;
		long status = 0;

		w->err = &err;
		if (good && !w->stopped && !(configure(w, names.at[i], &status) && walk_spaces(w)) && !passes(w, status)) {
			good = false;
			*whole = err;
		}
		w->err = whole;
		forget_spaces(w);
	}
	for (size_t i = 0; i < names.n; i++)
		free(names.at[i]);
	free(names.at);
	return good;
}

/* ---- the kind ---- */

static bool list(struct probe *p, const struct catalog *c, void **state, bool (*each)(void *ctx, const struct catalog_entry *e), void *ctx,
	struct catalog_said *said, struct err *err)
{
	struct walk w = {.p = p, .c = c, .each = each, .ctx = ctx};
	struct err own = {0};
	long status = 0;
	bool good;

	begin_walk(&w, state_of(c, state), said, &own);
	good = configure(&w, c->warehouse, &status);
	if (good)
		good = walk_spaces(&w);
	else if (status == 400 && !c->warehouse)
		good = walk_all(&w);
	if (!good && (status == 200 && own.code == ERR_PROTOCOL) && !c->warehouse && !w.config.prefix[0])
		err_set(&own, own.code, "%.170s (warehouse?)", own.words);
	sum_up(&w);
	said->named = w.named;
	end_walk(&w);
	if (!good && err)
		*err = own;
	return good;
}

static enum catalog_answer read_answer(const struct probe *p, const struct web *web, const char *path, const struct http_answer *answer,
	struct catalog_load *load, struct err *err)
{
	struct web_fault fault;
	struct text tag;

	if (answer->status == 304)
		return CATALOG_SAME;
	if (answer->status == 200) {
		tag = http_header(answer, "ETag");
		text_copy(load->known, sizeof load->known, tag.len < sizeof load->known ? tag : TEXT(""));
		return CATALOG_OK;
	}
	web_read_fault(buf_text(&answer->body), &fault);
	if (!strcmp(fault.type, "NotFoundException")) { /* of a file: a table would be NoSuchTableException */
		err_set(err, ERR_PROTOCOL, "the catalog cannot read its metadata (HTTP %ld): %s", answer->status, fault.words);
		return CATALOG_FAILED;
	}
	web_refused(p, web, path, answer, err);
	return answer->status == 404 ? CATALOG_GONE : CATALOG_FAILED;
}

static enum catalog_answer load_at(struct probe *p, struct web *web, const char *path, struct catalog_load *load, long *status, struct err *err)
{
	struct web_question q = {.path = path, .etag = load->known, .most = LOAD_MOST, .take = load->take, .ctx = load->ctx};
	enum catalog_answer said = CATALOG_FAILED;
	struct http_answer answer;
	bool came = web_ask(p, web, &q, &answer, err);

	*status = answer.status;
	if (came)
		said = read_answer(p, web, path, &answer, load, err);
	http_answer_free(&answer);
	return said;
}

static enum catalog_answer load(struct probe *p, const struct catalog *c, void **state, struct catalog_load *load, struct err *err)
{
	struct rest *r = state_of(c, state);
	enum catalog_answer said;
	struct buf path;
	long status;

	buf_init(&path, WEB_PATH_SIZE * 4);
	buf_printf(&path, "%s/v1/%.*s", base_of(c), (int)load->entry->key.len, load->entry->key.at);
	if (!load->entry->key.len || !buf_puts(&path, "?snapshots=all")) {
		err_set(err, ERR_USAGE, "this table has no place in the catalog");
		buf_free(&path);
		return CATALOG_FAILED;
	}
	said = load_at(p, &r->web, path.at, load, &status, err);
	if (status == 400 && said == CATALOG_FAILED) { /* some know no such parameter, some no such tag */
		path.at[path.len - strlen("?snapshots=all")] = '\0';
		load->known[0] = '\0';
		said = load_at(p, &r->web, path.at, load, &status, err);
	}
	buf_free(&path);
	return said;
}

void rest_close(void *state)
{
	struct rest *r = state;

	if (r)
		web_end(&r->web);
	free(r);
}

const struct catalog_kind catalog_iceberg_rest = {
	.name = "iceberg-rest",
	.title = "Iceberg REST catalog",
	.list = list,
	.load = load,
	.close = rest_close,
};

/* ---- for the services ---- */

struct kept { /* the first tables that are met */
	char name[LOOK_TABLES][NAME_MOST], key[LOOK_TABLES][NAME_MOST];
	size_t n;
};

static bool keep_first(void *ctx, const struct catalog_entry *e)
{
	struct kept *kept = ctx;

	if (e->format != FORMAT_ICEBERG || e->name.len >= NAME_MOST || e->key.len >= NAME_MOST)
		return true;
	text_copy(kept->name[kept->n], NAME_MOST, e->name);
	text_copy(kept->key[kept->n++], NAME_MOST, e->key);
	return kept->n < LOOK_TABLES;
}

static bool had_enough(void *ctx, const char *bytes, size_t len)
{
	bool *began = ctx;

	(void)bytes;
	*began = *began || len > 0;
	return false; /* that it comes is all that is asked */
}

/* Storage is what a catalog reads a table's metadata from: of one that can only list, that is what is broken. One table may
 * have lost its metadata, or be gone by now, while the next is well. */
static void try_table(struct probe *p, const struct catalog *c, void **state, struct text name, struct text key, struct rest_look *out)
{
	const struct catalog_entry e = {.name = name, .key = key};
	bool began = false;
	struct catalog_load one = {.entry = &e, .take = had_enough, .ctx = &began};
	struct wait wait = p->wait;
	struct err err = {0};
	int64_t begun = clock_ms();
	enum catalog_answer said;

	if (wait_left(wait) > LOAD_MS)
		p->wait = wait_for(LOAD_MS, wait.cancel);
	said = load(p, c, state, &one, &err);
	p->wait = wait;
	out->loaded = began || said == CATALOG_OK;
	out->loaded_ms = (double)(clock_ms() - begun);
	if (said == CATALOG_GONE || (out->table[0] && !out->loaded))
		return;
	text_clean(out->table, sizeof out->table, name);
	out->storage = err;
}

bool rest_look(struct probe *p, const struct catalog *c, void **state, struct rest_look *out)
{
	struct kept *kept = mem_new(1, sizeof *kept);
	struct walk w = {.p = p, .c = c, .each = keep_first, .ctx = kept};
	struct catalog_said said = {0};
	struct err *why = &out->err, ignored = {0};
	int64_t begun = clock_ms();
	long status = 0;
	bool good;

	*out = (struct rest_look){.namespaces = -1};
	begin_walk(&w, state_of(c, state), &said, why);
	w.spaces_most = LOOK_SPACES;
	good = configure(&w, c->warehouse, &status) && list_top(&w);
	out->config = w.config;
	out->listed_ms = (double)(clock_ms() - begun);
	if (good)
		out->namespaces = (int64_t)w.top;
	w.err = &ignored;
	for (bool more = good; more && !w.stopped && w.n_done < w.n_spaces;) {
		w.space = w.spaces[w.n_done++];
		more = list_identifiers(&w, "tables", FORMAT_ICEBERG);
	}
	for (size_t i = 0; i < kept->n && !out->loaded && out->storage.code != ERR_TIMEOUT; i++)
		try_table(p, c, state, text_of(kept->name[i]), text_of(kept->key[i]), out);
	end_walk(&w);
	free(kept);
	return good;
}
