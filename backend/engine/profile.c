// SPDX-License-Identifier: MIT
/*
 * Where a profile comes from, and what is asked of it afterwards. The grammar is in profile_ini.c,
 * the built-in one in lakehouse.c. Read once at start, before any thread.
 */
#include "profile.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog.h"
#include "profile_own.h"

enum { PATH_SIZE = 512, ARENA_CAP = 4 << 20, LISTED_MAX = 120 };

static const char *const root_only[] = {"/", NULL};

struct loaded *loaded_new(void)
{
	struct loaded *p = mem_new(1, sizeof *p);

	p->profile.arena = arena_new(ARENA_CAP);
	p->profile.path = p->profile.place = "";
	p->profile.disks = root_only;
	return p;
}

const char *loaded_secret(struct loaded *p, struct text t)
{
	struct secret *s = mem_new(1, sizeof *s + t.len + 1);

	s->size = t.len;
	memcpy(s->at, t.at, t.len);
	s->next = p->secrets;
	p->secrets = s;
	return s->at;
}

void wipe(struct buf *b)
{
	if (b->at)
		explicit_bzero(b->at, b->size);
	buf_free(b);
}

const char *arena_word(struct arena *arena, const char *s)
{
	return s ? arena_copy(arena, text_of(s)) : NULL;
}

void profile_free(struct profile *profile)
{
	struct loaded *p = (struct loaded *)profile; /* its first member */

	if (!p)
		return;
	while (p->secrets) {
		struct secret *next = p->secrets->next;

		explicit_bzero(p->secrets->at, p->secrets->size);
		free(p->secrets);
		p->secrets = next;
	}
	arena_free(p->profile.arena);
	free(p);
}

/* ---- where it is looked for ---- */

static bool is_path(const char *s)
{
	size_t len = strlen(s);

	return strchr(s, '/') || (len > 4 && !strcmp(s + len - 4, ".ini"));
}

/* The folders of profiles by name: the user's, then the machine's. false: there is no such one. */
static bool folder_of(unsigned i, char out[PATH_SIZE])
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (i == 0 && config && config[0] == '/')
		snprintf(out, PATH_SIZE, "%s/laketop", config);
	else if (i == 0 && home && home[0])
		snprintf(out, PATH_SIZE, "%s/.config/laketop", home);
	else if (i == 1)
		snprintf(out, PATH_SIZE, "/etc/laketop");
	else
		return false;
	return true;
}

struct listing {
	struct buf names;
};

static bool each_profile(void *ctx, const char *name)
{
	struct listing *l = ctx;
	size_t len = strlen(name);

	if (len <= 4 || strcmp(name + len - 4, ".ini") != 0 || l->names.len > LISTED_MAX)
		return true;
	return buf_printf(&l->names, ", %.*s", (int)(len - 4), name);
}

static bool no_such(struct host *host, const char *name, struct err *err)
{
	struct listing l;
	char folder[PATH_SIZE];

	buf_init(&l.names, LISTED_MAX * 4);
	for (unsigned i = 0; i < 2; i++)
		if (folder_of(i, folder))
			host->list(host, folder, each_profile, &l, NULL);
	err_set(err, ERR_USAGE, "no profile \"%.40s\" in ~/.config/laketop or /etc/laketop; there are: %s%s", name, lakehouse_name,
		l.names.at ? l.names.at : "");
	buf_free(&l.names);
	return false;
}

static bool load_file(struct loaded *p, struct host *host, const char *path, struct err *err)
{
	char folder[PATH_SIZE], whole[PATH_MAX];
	const char *slash = strrchr(path, '/');
	struct buf ini;
	bool good;

	if (slash)
		snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
	buf_init(&ini, PROFILE_FILE_MAX);
	good = host->read_file(host, path, &ini, err);
	if (!good && err && err->code == ERR_LIMIT)
		err_set(err, ERR_USAGE, "%s: is larger than 1 MiB", path);
	good = good && profile_read(p, host, buf_text(&ini), path, slash ? folder : "", false, err);
	p->profile.place = arena_clean(p->profile.arena, text_of(realpath(path, whole) ? whole : path)); /* as it comes back out of a log */
	buf_free(&ini);
	return good;
}

static bool load(struct loaded *p, struct host *host, const char *name_or_path, struct err *err)
{
	char folder[PATH_SIZE], path[PATH_SIZE * 2];
	struct file_facts f;

	if (is_path(name_or_path))
		return load_file(p, host, name_or_path, err);
	for (unsigned i = 0; i < 2; i++) {
		if (!folder_of(i, folder))
			continue;
		snprintf(path, sizeof path, "%s/%s.ini", folder, name_or_path);
		if (host->stat(host, path, &f, NULL) && f.exists)
			return load_file(p, host, path, err);
	}
	if (!strcmp(name_or_path, lakehouse_name))
		return lakehouse_load(p, host, err);
	return no_such(host, name_or_path, err);
}

struct profile *profile_load(struct host *host, const char *name_or_path, struct err *err)
{
	struct loaded *p = loaded_new();

	if (!name_or_path || load(p, host, name_or_path, err))
		return &p->profile;
	profile_free(&p->profile);
	return NULL;
}

struct profile *profile_parse(struct host *host, struct text ini, const char *path, struct err *err)
{
	struct loaded *p = loaded_new();
	const char *slash = strrchr(path, '/');
	char folder[PATH_SIZE];

	snprintf(folder, sizeof folder, "%.*s", slash ? slash == path ? 1 : (int)(slash - path) : 0, path);
	if (profile_read(p, host, ini, path, folder, false, err))
		return &p->profile;
	profile_free(&p->profile);
	return NULL;
}

/* ---- what is asked of it ---- */

const struct expectation *profile_service(const struct profile *profile, const char *name)
{
	for (size_t i = 0; profile && name && i < profile->n_services; i++)
		if (!strcmp(profile->services[i].name, name))
			return &profile->services[i];
	return NULL;
}

const struct demo *profile_demo(const struct profile *profile, const char *name)
{
	for (size_t i = 0; profile && name && i < profile->n_demos; i++)
		if (!strcmp(profile->demos[i].name, name))
			return &profile->demos[i];
	return NULL;
}

const struct runbook *profile_runbook(const struct profile *profile, const char *name)
{
	for (size_t i = 0; profile && name && i < profile->n_runbooks; i++)
		if (!strcmp(profile->runbooks[i].name, name))
			return &profile->runbooks[i];
	return NULL;
}

const struct stream *profile_stream(const struct profile *profile, const char *name)
{
	for (size_t i = 0; profile && name && i < profile->n_streams; i++)
		if (!strcmp(profile->streams[i].name, name))
			return &profile->streams[i];
	return NULL;
}

const struct catalog *profile_catalog(const struct profile *profile, const char *name)
{
	for (size_t i = 0; profile && name && i < profile->n_catalogs; i++)
		if (!strcmp(profile->catalogs[i].name, name))
			return &profile->catalogs[i];
	return NULL;
}

struct credentials catalog_credentials(const struct catalog *catalog)
{
	struct credentials own = catalog->credentials, theirs = catalog->service ? catalog->service->credentials : (struct credentials){0};

	if (own.user || own.token) {
		own.database = own.database ? own.database : theirs.database;
		return own;
	}
	theirs.database = own.database ? own.database : theirs.database;
	return theirs;
}

struct endpoint catalog_endpoint(const struct catalog *c)
{
	struct probe p = {.expected = c->service};
	struct endpoint at = {0};

	if (!c->service)
		return at;
	text_copy(at.address, sizeof at.address, text_of(c->service->address));
	at.port = probe_port(&p, c->role);
	if (!at.port && !c->role && c->service->n_ports)
		at.port = c->service->ports[0].port;
	return at;
}

struct storage profile_storage(const struct profile *profile, const char *name)
{
	const struct expectation *x = profile_service(profile, name);
	struct storage at = {0};

	if (!x)
		return at;
	text_copy(at.s3.address, sizeof at.s3.address, text_of(x->address));
	at.s3.port = expected_s3_port(x);
	at.user = x->credentials.user;
	at.password = x->credentials.password;
	return at;
}

uint16_t expected_role_port(const struct expectation *e, const char *role)
{
	for (size_t i = 0; e && i < e->n_ports; i++) {
		const char *is = e->ports[i].role, *main_role = e->kind && e->kind->ports ? e->kind->ports[0].role : NULL;

		if (!is && (!role || (main_role && !strcmp(role, main_role))))
			return e->ports[i].port;
		if (is && role && !strcmp(is, role))
			return e->ports[i].port;
	}
	return 0;
}

uint16_t expected_s3_port(const struct expectation *e)
{
	uint16_t named = expected_role_port(e, "s3");

	if (named || !e)
		return named;
	if (!e->kind)
		return expected_role_port(e, NULL);
	for (const struct port_role *r = e->kind->ports; r && r->role; r++)
		if (!strcmp(r->role, "s3"))
			return r->port;
	return 0;
}
