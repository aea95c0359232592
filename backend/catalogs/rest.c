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
#include "rest_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogs.h"

enum { LOOK_SPACES = 8, LOOK_TABLES = 3, LOAD_MS = 2500 };
#define LOAD_MOST ((size_t)512 << 20)

static const struct web_pages catalogs_of_unity = {"catalogs", "page_token", "next_page_token", "max_results=100"};
static const struct web_pages catalogs_of_polaris = {"catalogs", "pageToken", "next-page-token", "pageSize=1000"};

static void sum_up(struct walk *w)
{
	char words[160];

	if (w->config.nessie)
		rest_say(w, false, "the history is kept in Nessie: a table shows one snapshot, whatever was committed");
	if (w->unity && !w->capped)
		rest_say(w, false, "Unity Catalog's Iceberg endpoint tells of UniForm tables only");
	if (w->forbidden) {
		snprintf(words, sizeof words, "%u namespace%s not shown to this credential", w->forbidden, w->forbidden == 1 ? " is" : "s are");
		rest_say(w, true, words);
	}
	if (w->capped) {
		snprintf(words, sizeof words, "Unity Catalog's Iceberg endpoint looks at the first 100 tables of a schema: %zu ha%s more (kind = unity lists them)",
			w->capped, w->capped == 1 ? "s" : "ve");
		rest_say(w, true, words);
	}
	if (w->cut)
		rest_say(w, true, "its list goes in circles, or is longer than is read");
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
	struct text base = text_of(rest_base(w->c));
	long status;

	if (text_has(base, "/unity-catalog/")) {
		rest_unity_path(w, "catalogs");
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
		if (good && !w->stopped && !(rest_configure(w, names.at[i], &status) && rest_walk_spaces(w)) && !rest_passes(w, status)) {
			good = false;
			*whole = err;
		}
		w->err = whole;
		rest_forget_spaces(w);
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

	rest_begin_walk(&w, rest_state(c, state), said, &own);
	good = rest_configure(&w, c->warehouse, &status);
	if (good)
		good = rest_walk_spaces(&w);
	else if (status == 400 && !c->warehouse)
		good = walk_all(&w);
	if (!good && (status == 200 && own.code == ERR_PROTOCOL) && !c->warehouse && !w.config.prefix[0])
		err_set(&own, own.code, "%.170s (warehouse?)", own.words);
	sum_up(&w);
	said->named = w.named;
	rest_end_walk(&w);
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
	struct rest *r = rest_state(c, state);
	enum catalog_answer said;
	struct buf path;
	long status;

	buf_init(&path, WEB_PATH_SIZE * 4);
	buf_printf(&path, "%s/v1/%.*s", rest_base(c), (int)load->entry->key.len, load->entry->key.at);
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
	rest_begin_walk(&w, rest_state(c, state), &said, why);
	w.spaces_most = LOOK_SPACES;
	good = rest_configure(&w, c->warehouse, &status) && rest_list_top(&w);
	out->config = w.config;
	out->listed_ms = (double)(clock_ms() - begun);
	if (good)
		out->namespaces = (int64_t)w.top;
	w.err = &ignored;
	for (bool more = good; more && !w.stopped && w.n_done < w.n_spaces;) {
		w.space = w.spaces[w.n_done++];
		more = rest_list_identifiers(&w, "tables", FORMAT_ICEBERG);
	}
	for (size_t i = 0; i < kept->n && !out->loaded && out->storage.code != ERR_TIMEOUT; i++)
		try_table(p, c, state, text_of(kept->name[i]), text_of(kept->key[i]), out);
	rest_end_walk(&w);
	free(kept);
	return good;
}
