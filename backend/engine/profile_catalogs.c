// SPDX-License-Identifier: MIT
/* [catalog NAME] of a profile: who knows of tables, who answers it, who has the files. */
#include <string.h>

#include "catalog.h"
#include "profile_reader.h"
#include "storage.h"

struct catalog_draft {
	struct catalog catalog;
	const char *service;
	bool kind_said;
	unsigned line, service_line, role_line, storage_line, engine_line, folders_line;
};

static bool take_catalog_kind(struct reader *r, const struct key *key, struct text value)
{
	struct catalog_draft *d = r->target;
	struct spelling s;
	char name[WORD_MAX + 1];

	(void)key;
	text_copy(name, sizeof name, value);
	d->kind_said = true;
	d->catalog.kind = catalog_kind_named(name);
	if (d->catalog.kind || r->built_in)
		return true;
	spelling_begin(&s, name);
	for (size_t i = 0; catalog_kinds[i]; i++)
		spelling_offer(&s, catalog_kinds[i]->name);
	return spelling_complain(r, r->line, &s, "unknown kind of catalog", " kinds: ");
}

/* A name of a service, whose line is kept: whether there is such a one is known at the end of the file. */
static bool take_catalog_name(struct reader *r, const struct key *key, struct text value)
{
	struct catalog_draft *d = r->target;
	static const struct {
		const char *key;
		size_t line;
	} lines[] = {
		{"service", offsetof(struct catalog_draft, service_line)}, {"role", offsetof(struct catalog_draft, role_line)},
		{"storage", offsetof(struct catalog_draft, storage_line)}, {"engine", offsetof(struct catalog_draft, engine_line)},
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (!strcmp(lines[i].key, key->name))
			memcpy((char *)d + lines[i].line, &r->line, sizeof r->line);
	return take_text(r, key, value);
}

static bool take_catalog_path(struct reader *r, const struct key *key, struct text value)
{
	if (value.at[0] != '/')
		return complain(r, "path \"%.*s\" does not begin with / (it is what stands before /v1: /api/catalog)", SHOWN(value));
	while (value.len && value.at[value.len - 1] == '/')
		value.len--;
	return take_text(r, key, value);
}

static bool take_folders(struct reader *r, const struct key *key, struct text value)
{
	struct catalog_draft *d = r->target;
	struct storage_url url;
	struct err why = {0};
	struct text item, rest = value;
	char word[STORAGE_URL_SIZE];

	d->folders_line = r->line;
	if (!take_list(r, key, value, true))
		return false;
	while (next_item(&rest, &item)) {
		if (!text_has(item, "://") && !text_starts(item, "file:"))
			continue; /* a path */
		if (item.len >= sizeof word)
			return complain(r, "folders: a URL has at most %d bytes", STORAGE_URL_SIZE - 1);
		if (!storage_url(text_copy(word, sizeof word, item), &url, &why))
			return complain(r, "folders: %s", why.words);
	}
	return true;
}

#define OF_CATALOG(member) offsetof(struct catalog_draft, catalog.member)
static const struct key catalog_keys[] = {
	{"kind", take_catalog_kind, 0, false},
	{"service", take_catalog_name, offsetof(struct catalog_draft, service), false},
	{"role", take_catalog_name, OF_CATALOG(role), false},
	{"warehouse", take_text, OF_CATALOG(warehouse), false},
	{"path", take_catalog_path, OF_CATALOG(path), false},
	{"realm", take_text, OF_CATALOG(realm), false},
	{"folders", take_folders, OF_CATALOG(folders), true},
	{"storage", take_catalog_name, OF_CATALOG(storage), false},
	{"engine", take_catalog_name, OF_CATALOG(engine), false},
	{"engine_catalog", take_text, OF_CATALOG(engine_catalog), false},
	{"spark_sql", take_argv, OF_CATALOG(spark_sql), false},
	{"trino_catalog", take_text, OF_CATALOG(trino_catalog), false},
	{"user", take_text, OF_CATALOG(credentials.user), false},
	{"password_file", take_secret_file, OF_CATALOG(credentials.password), false},
	{"password_env", take_secret_env, OF_CATALOG(credentials.password), false},
	{"token_file", take_secret_file, OF_CATALOG(credentials.token), false},
	{"token_env", take_secret_env, OF_CATALOG(credentials.token), false},
	{"database", take_text, OF_CATALOG(credentials.database), false},
	{0},
};

static bool begin_catalog(struct reader *r, struct text name)
{
	struct catalog_draft *d;

	for (size_t i = 0; i < r->n_catalogs; i++)
		if (text_is(name, r->catalogs[i].catalog.name))
			return complain(r, "catalog \"%s\" is there already, from line %u", r->catalogs[i].catalog.name, r->catalogs[i].line);
	if (r->n_catalogs == CATALOGS_MAX)
		return complain(r, "more than %d catalogs", CATALOGS_MAX);
	if (!r->catalogs)
		r->catalogs = mem_new(CATALOGS_MAX, sizeof *r->catalogs);
	d = &r->catalogs[r->n_catalogs++];
	*d = (struct catalog_draft){.line = r->line, .catalog = {.name = kept(r, name)}};
	r->target = d;
	return true;
}

const struct section section_catalog = {"catalog", catalog_keys, begin_catalog, NULL};

/* Who answers a catalog, and at which port of theirs. Services are in the profile already: pointers to them hold. */
static bool settle_catalog_service(struct reader *r, struct catalog_draft *d)
{
	struct catalog *c = &d->catalog;
	const struct expectation *e = named_service(r, d->service, d->service_line, "service = unknown service");
	struct spelling s;

	if (!e)
		return false;
	if (!strcmp(c->kind->name, "iceberg-jdbc") && (!e->kind || strcmp(e->kind->name, "postgres") != 0))
		return complain_at(r, d->service_line, "service = \"%s\" is no PostgreSQL, where an Iceberg JDBC catalog is: its kind is %s", d->service,
			e->kind ? e->kind->name : "other");
	c->service = &r->out->services[place_of(r, d->service)];
	if (!c->role || expected_role_port(e, c->role) || part_of(e->kind, c->role))
		return true;
	spelling_begin(&s, c->role);
	for (const struct port_role *p = e->kind ? e->kind->ports : NULL; p && p->role; p++)
		spelling_offer(&s, p->role);
	return spelling_complain(r, d->role_line, &s, "role = unknown part of that service:", " parts: ");
}

static bool settle_catalog_engine(struct reader *r, const struct catalog_draft *d)
{
	const struct expectation *e = named_service(r, d->catalog.engine, d->engine_line, "engine = unknown service");

	if (!e)
		return false;
	if (e->kind && (!strcmp(e->kind->name, "spark-connect") || !strcmp(e->kind->name, "trino")))
		return true;
	return complain_at(r, d->engine_line, "engine = \"%s\" takes no SQL: its kind is %s (spark-connect and trino do)", d->catalog.engine,
		e->kind ? e->kind->name : "other");
}

static bool settle_catalog_storage(struct reader *r, const struct catalog_draft *d)
{
	const struct expectation *e = named_service(r, d->catalog.storage, d->storage_line, "storage = unknown service");

	return e && (expected_s3_port(e) ||
		complain_at(r, d->storage_line, "storage = \"%s\" has no S3: its kind is %s", d->catalog.storage, e->kind->name));
}

static bool settle_folders(struct reader *r, const struct catalog_draft *d)
{
	const struct catalog *c = &d->catalog;
	struct storage_url url;

	if (strcmp(c->kind->name, "delta") != 0)
		return complain_at(r, d->folders_line, "folders are for kind = delta: a catalog of kind %s lists its own", c->kind->name);
	for (size_t i = 0; c->folders[i]; i++)
		if (storage_url(c->folders[i], &url, NULL) && url.s3 && !c->storage)
			return complain_at(r, d->folders_line, "folders on s3 need storage = SERVICE, whose S3 and key are used");
	return true;
}

static bool settle_catalog(struct reader *r, struct catalog_draft *d)
{
	struct catalog *c = &d->catalog;

	if (!d->kind_said)
		return complain_at(r, d->line, "catalog \"%s\" has no kind (kind = iceberg-jdbc)", c->name);
	if (!d->service && !c->folders)
		return complain_at(r, d->line, !strcmp(c->kind->name, "delta") ? "catalog \"%s\" has no folders (folders = s3://bucket/table, ...)" :
			"catalog \"%s\" has no service (service = NAME of the one that answers it)", c->name);
	if ((c->credentials.password || c->credentials.database) && !c->credentials.user && !d->service)
		return complain_at(r, d->line, "catalog \"%s\" has a password and no user", c->name);
	return (!d->service || settle_catalog_service(r, d)) && (!c->folders || settle_folders(r, d)) &&
		(!c->storage || settle_catalog_storage(r, d)) && (!c->engine || settle_catalog_engine(r, d));
}

bool settle_catalogs(struct reader *r)
{
	struct profile *p = &r->out->profile;
	struct catalog *catalogs = arena_alloc(p->arena, (r->n_catalogs + 1) * sizeof *catalogs);

	r->out->catalogs = catalogs;
	for (size_t i = 0; catalogs && i < r->n_catalogs; i++) {
		struct catalog_draft *d = &r->catalogs[i];

		if (r->built_in && d->kind_said && !d->catalog.kind)
			continue; /* this build does not know it */
		if (!settle_catalog(r, d))
			return false;
		catalogs[p->n_catalogs++] = d->catalog;
	}
	p->catalogs = catalogs;
	return catalogs || complain(r, "the profile is too large");
}
