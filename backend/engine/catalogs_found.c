// SPDX-License-Identifier: MIT
/*
 * Catalogs that no profile lists: a service that answered as one becomes what a [catalog] section would
 * have made of it, named by its endpoint, and goes with its service. Who did not answer as a catalog is
 * asked for no table. A SeaweedFS of the profile is storage: which of its table buckets would be meant, only
 * the profile can say. UI thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actor.h"

enum { EVER_MOST = 256 }; /* what was found once stays in memory: its actor may still read it */

static const struct way { /* how a kind of service is asked for its tables */
	const char *service, *catalog, *role;
} ways[] = {
	{"iceberg-rest", "iceberg-rest", NULL}, {"nessie", "iceberg-rest", NULL}, {"polaris", "iceberg-rest", NULL},
	{"unity-catalog", "unity", NULL}, {"seaweedfs", "iceberg-rest", "iceberg"},
};

static const struct way *way_of(const struct service_kind *kind)
{
	for (size_t i = 0; kind && i < sizeof ways / sizeof *ways; i++)
		if (!strcmp(ways[i].service, kind->name))
			return &ways[i];
	return NULL;
}

static bool is_listed(const struct profile *p, const struct expectation *x)
{
	for (size_t i = 0; i < p->n_catalogs; i++)
		if (p->catalogs[i].service == x)
			return true;
	return false;
}

bool catalog_is_unlisted(const struct profile *p, const struct expectation *x)
{
	const struct way *way = way_of(x->kind);

	return way && !way->role && !is_listed(p, x);
}

/* Where that part of it listens, by its process; port 0: it does not. */
static struct endpoint part_endpoint(const struct lake *lake, const struct service *s, const char *role)
{
	for (size_t i = 0; i < lake->n_ports; i++) {
		const struct port_row *row = &lake->ports[i];

		if (row->answers == s && row->role && row->listener && !strcmp(row->role, role))
			return found_endpoint(row->address, row->port);
	}
	return (struct endpoint){0};
}

/* "GET /iceberg/v1/config, 3 ms": what stood before /v1 where it answered. */
static void path_of(struct found_catalog *f, const struct identity *who)
{
	struct text path = text_between(text_of(who->source), "GET ", "/v1/config");

	if (!strcmp(who->kind->name, "iceberg-rest") && path.len && path.len < sizeof f->path) {
		text_copy(f->path, sizeof f->path, path);
		f->catalog.path = f->path;
	}
}

static struct found_catalog *make(const struct service *s, const struct way *way, const struct endpoint *at)
{
	struct found_catalog *f = mem_new(1, sizeof *f);

	snprintf(f->name, sizeof f->name, "%s%s%s:%u", way->service, way->role ? "-" : "", way->role ? way->role : "", at->port);
	text_copy(f->service_name, sizeof f->service_name, text_of(s->name));
	text_copy(f->address, sizeof f->address, text_of(at->address));
	f->ports[0] = (struct expected_port){way->role, at->port};
	f->service = (struct expectation){.name = f->service_name, .kind = s->pulse->who.kind, .address = f->address, .ports = f->ports, .n_ports = 1};
	f->catalog = (struct catalog){
		.name = f->name, .kind = catalog_kind_named(way->catalog), .role = way->role, .service = s->expected ? s->expected : &f->service,
		.found = true,
	};
	path_of(f, &s->pulse->who);
	return f;
}

/* One that went, and came back as it was: its tables are read anew. */
static bool is_same(const struct found_catalog *a, const struct found_catalog *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->address, b->address) && !strcmp(a->path, b->path) &&
		!strcmp(a->service_name, b->service_name) && a->service.kind == b->service.kind;
}

static const struct catalog *known(struct engine *e, struct found_catalog *f)
{
	for (size_t i = 0; i < e->n_found_catalogs; i++)
		if (is_same(e->found_catalogs[i], f)) {
			free(f);
			return &e->found_catalogs[i]->catalog;
		}
	if (e->n_found_catalogs == EVER_MOST) {
		free(f);
		return NULL;
	}
	e->found_catalogs = mem_grow(e->found_catalogs, e->n_found_catalogs + 1, sizeof(struct found_catalog *));
	e->found_catalogs[e->n_found_catalogs++] = f;
	return &f->catalog;
}

static bool has_view(const struct lake *lake, const struct service *s)
{
	for (size_t i = 0; i < lake->n_catalogs; i++) {
		const struct catalog *c = lake->catalogs[i].catalog;

		if (c->found && c->service && !strcmp(c->service->name, s->name))
			return true;
	}
	return false;
}

static void meet(struct engine *e, const struct service *s)
{
	const struct identity *who = s->pulse ? &s->pulse->who : NULL;
	const struct way *way = who && who->answered == ANSWERED_YES ? way_of(who->kind) : NULL;
	struct endpoint at = s->at;
	const struct catalog *c;

	if (!way || (!way->role && who->role && strcmp(who->role, who->kind->ports[0].role) != 0) || has_view(&e->lake, s))
		return;
	if (s->expected && (who->kind != s->expected->kind || !catalog_is_unlisted(e->profile, s->expected)))
		return;
	if (way->role)
		at = part_endpoint(&e->lake, s, way->role);
	c = at.port ? known(e, make(s, way, &at)) : NULL;
	if (c && !profile_catalog(e->profile, c->name))
		catalogs_add(e, c);
}

/* Its service is there, and still of that kind. */
static bool stays(const struct lake *lake, const struct catalog *c)
{
	const struct service *s = lake_service(lake, c->service->name);

	return s && s->kind == c->service->kind;
}

void catalogs_found(struct engine *e)
{
	if (e->options.replay || (e->options.headless && !e->options.tables))
		return; /* what was found then is told by its snapshots */
	for (size_t i = e->lake.n_catalogs; i-- > 0;)
		if (e->lake.catalogs[i].catalog->found && !stays(&e->lake, e->lake.catalogs[i].catalog))
			catalogs_drop(e, i);
	for (size_t i = 0; i < e->lake.n_services; i++)
		meet(e, e->lake.services[i]);
}

const struct catalog *catalog_found_then(struct engine *e, const char *name)
{
	struct found_catalog *f;

	if (strlen(name) >= sizeof f->name) /* none is called so, and cut it would be met as another one with every line */
		return NULL;
	f = mem_new(1, sizeof *f);
	text_copy(f->name, sizeof f->name, text_of(name));
	f->catalog = (struct catalog){.name = f->name, .kind = catalog_kind_named("iceberg-rest"), .found = true};
	return known(e, f);
}

void catalogs_found_free(struct engine *e)
{
	for (size_t i = 0; i < e->n_found_catalogs; i++)
		free(e->found_catalogs[i]);
	free(e->found_catalogs);
}

/* ---- in words ---- */

const char *const catalog_example[] = {
	"[service db] kind = postgres, port = 5432, user = lake, password_file = FILE", "[catalog lake] kind = iceberg-jdbc, service = db", NULL,
};

/* Asked without a credential: what the profile has to say for another answer. */
static void say_how(const struct catalog *c, char *out, size_t room)
{
	const char *kind = c->service->kind->name, *role = c->role;
	bool tokens = !strcmp(kind, "unity-catalog");

	snprintf(out, room, "; it asks for a credential. In a profile: [service x] kind = %s, port%s%s = %u, %s; [catalog y] kind = %s, service = x%s", kind,
		role ? "." : "", role ? role : "", catalog_endpoint(c).port, tokens ? "token_file = FILE" : "user = ID, password_file = FILE", c->kind->name,
		role ? ", role = iceberg, warehouse = BUCKET" : "");
}

const char *catalog_found_words(const struct catalog_view *v, char out[REASON_SIZE])
{
	text_copy(out, REASON_SIZE, v->catalog->found ? TEXT("found, not in the profile") : TEXT(""));
	if (out[0] && v->catalog->service && v->failed && v->failed->err.code == ERR_AUTH)
		say_how(v->catalog, out + strlen(out), REASON_SIZE - strlen(out));
	return out;
}
