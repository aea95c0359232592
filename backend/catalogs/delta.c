// SPDX-License-Identifier: MIT
/*
 * Delta tables by path: the profile's folders are tables, or hold tables, or hold folders of tables. A folder is a
 * table where a folder _delta_log lies in it; one listing tells that and what else lies there. Names are the
 * folder's own and what lies under it, joined by dots: "s3://lake/bronze" with "orders" in it is "bronze.orders".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogs.h"

enum { LEVELS = 2, NAMES_MOST = 5000, FOLDERS_MOST = 2000, TABLES_MOST = 10000, NAME_MOST = 2000 };

struct search {
	struct probe *p;
	const struct storage *at;
	bool (*each)(void *ctx, const struct catalog_entry *e);
	void *ctx;
	struct catalog_said *said;
	size_t folders, tables;
	bool ended;
};

struct children { /* of one folder */
	struct buf names;  /* each ends with NUL */
	bool s3, table;
};

static bool each_child(void *ctx, const struct storage_entry *e)
{
	struct children *c = ctx;

	c->table = text_is(e->name, "_delta_log");
	/* on s3 a file is told from a folder; elsewhere it takes a second look */
	if (!c->table && (e->folder || !c->s3) && e->name.len && e->name.at[0] != '_' && e->name.at[0] != '.') {
		buf_add(&c->names, e->name.at, e->name.len);
		buf_add(&c->names, "", 1);
	}
	return !c->table;
}

static void cut(struct search *s, const char *words)
{
	s->said->cut = true;
	text_copy(s->said->words, sizeof s->said->words, text_of(words));
}

static void tell(struct search *s, const char *url, const struct buf *name)
{
	struct catalog_entry e = {.name = buf_text(name), .format = FORMAT_DELTA, .at = text_of(url)};

	if (s->tables++ == TABLES_MOST) {
		cut(s, "there are more than 10,000 tables: the rest is left off");
		s->ended = true;
	} else {
		s->ended = !s->each(s->ctx, &e);
	}
}

static bool is_folder(struct search *s, const char *url)
{
	struct file_facts facts;
	struct storage_url u;
	char path[STORAGE_URL_SIZE];

	if (!storage_url(url, &u, NULL) || u.s3)
		return u.s3;
	return s->p->host->stat(s->p->host, text_copy(path, sizeof path, u.path), &facts, NULL) && facts.exists && facts.is_directory;
}

static bool visit(struct search *s, const char *url, struct buf *name, int level, struct err *err);

static bool visit_children(struct search *s, const char *url, struct buf *name, const struct children *c, int level, struct err *err)
{
	char child[STORAGE_URL_SIZE];
	size_t len = name->len;
	bool good = true;

	for (size_t at = 0; good && !s->ended && at < c->names.len; at += strlen(c->names.at + at) + 1) {
		if (!storage_child(child, url, c->names.at + at) || !is_folder(s, child))
			continue;
		catalog_name_part(name, text_of(c->names.at + at));
		good = visit(s, child, name, level + 1, err);
		name->len = len;
		name->at[len] = '\0';
	}
	return good;
}

static bool visit(struct search *s, const char *url, struct buf *name, int level, struct err *err)
{
	struct children c = {0};
	struct storage_url u;
	struct err why = {0};
	enum storage_answer answer;
	bool good = true;

	if (s->folders++ == FOLDERS_MOST) {
		cut(s, "more than 2,000 folders: what lies in the rest is not known");
		s->ended = true;
		return true;
	}
	buf_init(&c.names, NAMES_MOST * 300);
	c.s3 = storage_url(url, &u, NULL) && u.s3;
	answer = storage_list(s->p, s->at, url, NULL, NAMES_MOST, each_child, &c, &why);
	if (c.table) {
		tell(s, url, name);
	} else if (answer == STORAGE_OK || why.code == ERR_LIMIT) {
		if (answer != STORAGE_OK || c.names.full)
			cut(s, "a folder without a Delta log holds more than 5,000 names: not all were looked at");
		if (level < LEVELS)
			good = visit_children(s, url, name, &c, level, err);
	} else if (level == 0 || why.code == ERR_CANCELLED || why.code == ERR_TIMEOUT) {
		if (err)
			*err = why;
		good = false;
	}
	buf_free(&c.names);
	return good;
}

static struct text last_part(const char *url)
{
	struct text t = text_of(url);
	size_t from;

	while (t.len && t.at[t.len - 1] == '/')
		t.len--;
	for (from = t.len; from && t.at[from - 1] != '/'; from--)
		continue;
	return (struct text){t.at + from, t.len - from};
}

static bool list(struct probe *p, const struct catalog *c, void **state, bool (*each)(void *ctx, const struct catalog_entry *e), void *ctx,
	struct catalog_said *said, struct err *err)
{
	static const struct storage nowhere;
	struct search s = {.p = p, .at = p->storage ? p->storage : &nowhere, .each = each, .ctx = ctx, .said = said};
	bool good = true;

	(void)state;
	for (const char *const *f = c->folders; f && *f && good && !s.ended; f++) {
		struct buf name;

		buf_init(&name, NAME_MOST);
		catalog_name_part(&name, last_part(*f));
		good = visit(&s, *f, &name, 0, err);
		buf_free(&name);
	}
	return good;
}

const struct catalog_kind catalog_delta = {
	.name = "delta",
	.title = "Delta tables by path",
	.list = list,
};
