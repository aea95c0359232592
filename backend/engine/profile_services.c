// SPDX-License-Identifier: MIT
/* [service NAME] of a profile: its keys, its ports and parts, what it needs. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "profile_reader.h"
#include "storage.h"

enum { PORTS_MAX = 12 };

struct draft { /* a service while its section is read */
	struct expectation e;
	struct expected_port ports[PORTS_MAX];
	unsigned port_line[PORTS_MAX];
	size_t n_ports;
	bool kind_said;
	unsigned line, needs_line, event_log_line, storage_line;
};

/* ---- the keys of a service ---- */

static bool take_kind(struct reader *r, const struct key *key, struct text value)
{
	struct draft *d = r->target;
	struct spelling s;
	char name[WORD_MAX + 1];

	(void)key;
	text_copy(name, sizeof name, value);
	d->kind_said = true;
	d->e.kind = service_kind_named(name);
	if (d->e.kind || r->built_in || !strcmp(name, "other"))
		return true;
	spelling_begin(&s, name);
	for (size_t i = 0; service_kinds[i]; i++)
		spelling_offer(&s, service_kinds[i]->name);
	spelling_offer(&s, "other");
	return spelling_complain(r, r->line, &s, "unknown kind", " kinds: ");
}

static bool add_port(struct reader *r, const char *role, struct text value)
{
	struct draft *d = r->target;
	int64_t n;

	if (!text_i64(value, &n) || n < 1 || n > 65535)
		return complain(r, "port \"%.*s\" is not a number from 1 to 65535", SHOWN(value));
	for (size_t i = 0; i < d->n_ports; i++)
		if (role ? d->ports[i].role && !strcmp(d->ports[i].role, role) : !d->ports[i].role)
			return complain(r, "\"port%s%s\" is set twice", role ? "." : "", role ? role : "");
	if (d->n_ports == PORTS_MAX)
		return complain(r, "a service has at most %d ports", PORTS_MAX);
	d->port_line[d->n_ports] = r->line;
	d->ports[d->n_ports++] = (struct expected_port){role, (uint16_t)n};
	return true;
}

static bool take_port(struct reader *r, const struct key *key, struct text value)
{
	(void)key;
	return add_port(r, NULL, value);
}

static bool take_address(struct reader *r, const struct key *key, struct text value)
{
	unsigned char binary[sizeof(struct in6_addr)];
	char address[ADDRESS_SIZE];

	text_copy(address, sizeof address, text_is(value, "localhost") ? TEXT("127.0.0.1") : value);
	if (value.len >= sizeof address || (inet_pton(AF_INET, address, binary) != 1 && inet_pton(AF_INET6, address, binary) != 1))
		return complain(r, "address \"%.*s\" is not numeric: 127.0.0.1, ::1", SHOWN(value));
	return take_text(r, key, text_of(address));
}

static bool take_version(struct reader *r, const struct key *key, struct text value)
{
	if (value.len && (value.at[0] < '0' || value.at[0] > '9'))
		return complain(r, "version \"%.*s\" does not begin with a number: 4.1, 15", SHOWN(value));
	return take_text(r, key, value);
}

static bool take_needs(struct reader *r, const struct key *key, struct text value)
{
	((struct draft *)r->target)->needs_line = r->line;
	return take_names(r, key, value);
}

static bool take_event_log(struct reader *r, const struct key *key, struct text value)
{
	struct draft *d = r->target;
	struct storage_url url;
	struct err why = {0};

	d->event_log_line = r->line;
	return take_path(r, key, value) && (storage_url(d->e.event_log, &url, &why) || complain(r, "event_log: %s", why.words));
}

static bool take_service_storage(struct reader *r, const struct key *key, struct text value)
{
	((struct draft *)r->target)->storage_line = r->line;
	return take_text(r, key, value);
}

/* draft begins with its expectation, so that offsets hold for both */
#define OF(member) offsetof(struct expectation, member)

static const struct key service_keys[] = {
	{"kind", take_kind, 0, false},
	{"port", take_port, 0, false}, /* and port.ROLE */
	{"address", take_address, OF(address), false},
	{"version", take_version, OF(version), false},
	{"required", take_bool, OF(required), false},
	{"cleartext", take_bool, OF(cleartext), false},
	{"needs", take_needs, OF(needs), true},
	{"container", take_text, OF(container), false},
	{"unit", take_text, OF(unit), false},
	{"process", take_text, OF(process), false},
	{"pidfile", take_path, OF(pidfile), false},
	{"config", take_paths, OF(config), true},
	{"jars", take_paths, OF(jars), true},
	{"progress", take_path, OF(progress), false},
	{"start", take_argv, OF(start), false},
	{"stop", take_argv, OF(stop), false},
	{"directory", take_path, OF(directory), false},
	{"environment", take_path, OF(environment), false},
	{"log", take_path, OF(log), false},
	{"compose", take_paths, OF(compose), true},
	{"compose_service", take_text, OF(compose_service), false},
	{"compose_project", take_text, OF(compose_project), false},
	{"grace", take_span, OF(grace_ms), false},
	{"group", take_text, OF(group), false},
	{"user", take_text, OF(credentials.user), false},
	{"password_file", take_secret_file, OF(credentials.password), false},
	{"password_env", take_secret_env, OF(credentials.password), false},
	{"token_file", take_secret_file, OF(credentials.token), false},
	{"token_env", take_secret_env, OF(credentials.token), false},
	{"database", take_text, OF(credentials.database), false},
	{"mute", take_names, OF(mute), true},
	{"event_log", take_event_log, OF(event_log), false},
	{"storage", take_service_storage, OF(storage), false},
	{0},
};
_Static_assert(sizeof service_keys / sizeof *service_keys <= 65, "a bit of seen for each");

static bool begin_service(struct reader *r, struct text name)
{
	struct draft *d;

	for (size_t i = 0; i < r->n_drafts; i++)
		if (text_is(name, r->drafts[i].e.name))
			return complain(r, "service \"%s\" is there already, from line %u", r->drafts[i].e.name, r->drafts[i].line);
	if (r->n_drafts == SERVICES_MAX)
		return complain(r, "more than %d services", SERVICES_MAX);
	if (!r->drafts)
		r->drafts = mem_new(SERVICES_MAX, sizeof *r->drafts);
	d = &r->drafts[r->n_drafts++];
	*d = (struct draft){.line = r->line, .e = {.name = kept(r, name), .required = true, .address = "127.0.0.1"}};
	r->target = d;
	return true;
}

/* port.ROLE */
static bool other_key(struct reader *r, const char *name, struct text value, bool *taken)
{
	struct text role = text_of(name);

	*taken = text_skip(&role, "port.");
	if (!*taken)
		return true;
	if (!name_is_fit(role))
		return complain(r, "port.PART needs the name of a part");
	return add_port(r, kept(r, role), value);
}

const struct section section_service = {"service", service_keys, begin_service, other_key};

/* ---- what can only be said of the whole ---- */

const struct port_role *part_of(const struct service_kind *kind, const char *role)
{
	for (const struct port_role *p = kind ? kind->ports : NULL; p && p->role; p++)
		if (!strcmp(p->role, role))
			return p;
	return NULL;
}

static bool check_parts(struct reader *r, struct draft *d)
{
	for (size_t i = 0; i < d->n_ports; i++) {
		struct spelling s;

		if (!d->ports[i].role || !d->e.kind || part_of(d->e.kind, d->ports[i].role))
			continue;
		if (r->built_in) {
			d->ports[i--] = d->ports[--d->n_ports];
			continue;
		}
		spelling_begin(&s, d->ports[i].role);
		for (const struct port_role *p = d->e.kind->ports; p && p->role; p++)
			spelling_offer(&s, p->role);
		return spelling_complain(r, d->port_line[i], &s, "unknown part of its kind:", " parts: ");
	}
	return true;
}

/* Which of the named ports is the main one: "port", the kind's main part, or, where only other parts are named, the
 * first of them that may be asked. -1: none. */
static int main_port(const struct draft *d)
{
	int other = -1;

	for (size_t i = 0; i < d->n_ports; i++)
		if (!d->ports[i].role || (d->e.kind && d->e.kind->ports && !strcmp(d->ports[i].role, d->e.kind->ports[0].role)))
			return (int)i;
	for (size_t i = 0; i < d->n_ports && other < 0; i++) {
		const struct port_role *part = part_of(d->e.kind, d->ports[i].role);

		if (!part || part->manner == PORT_ASK)
			other = (int)i;
	}
	return other;
}

static bool settle_ports(struct reader *r, struct draft *d)
{
	struct expected_port *ports, first;
	int at;

	if (!check_parts(r, d))
		return false;
	at = main_port(d);
	if (at < 0 && !(d->e.kind && d->e.kind->ports && d->e.kind->ports[0].port))
		return complain_at(r, d->line, "service \"%s\" has no port", d->e.name);
	if (at < 0) {
		if (d->n_ports == PORTS_MAX)
			return complain_at(r, d->line, "a service has at most %d ports", PORTS_MAX);
		at = (int)d->n_ports++;
		d->ports[at] = (struct expected_port){NULL, d->e.kind->ports[0].port};
	}
	first = d->ports[at];
	if (first.role && d->e.kind && d->e.kind->ports && !strcmp(first.role, d->e.kind->ports[0].role))
		first.role = NULL;
	memmove(d->ports + 1, d->ports, (size_t)at * sizeof *d->ports);
	d->ports[0] = first;
	ports = arena_alloc(r->out->profile.arena, d->n_ports * sizeof *ports);
	if (!ports)
		return complain_at(r, d->line, "the profile is too large");
	memcpy(ports, d->ports, d->n_ports * sizeof *ports);
	d->e.ports = ports;
	d->e.n_ports = d->n_ports;
	return true;
}

int place_of(const struct reader *r, const char *name)
{
	for (size_t i = 0; i < r->n_drafts; i++)
		if (!strcmp(r->drafts[i].e.name, name))
			return (int)i;
	return -1;
}

bool check_names(struct reader *r, const char *const *names, unsigned line, const char *what)
{
	for (; names && *names; names++) {
		struct spelling s;

		if (place_of(r, *names) >= 0)
			continue;
		spelling_begin(&s, *names);
		for (size_t i = 0; i < r->n_drafts; i++)
			spelling_offer(&s, r->drafts[i].e.name);
		return spelling_complain(r, line, &s, what, " services: ");
	}
	return true;
}

/* Follows needs from one service; a way that comes back to it would never end. */
static bool leads_to(const struct reader *r, size_t from, size_t to, bool *visited)
{
	for (const char *const *n = r->drafts[from].e.needs; n && *n; n++) {
		size_t next = (size_t)place_of(r, *n);

		if (next == to)
			return true;
		if (!visited[next]) {
			visited[next] = true;
			if (leads_to(r, next, to, visited))
				return true;
		}
	}
	return false;
}

const struct expectation *named_service(struct reader *r, const char *name, unsigned line, const char *what)
{
	const char *const names[] = {name, NULL};

	return check_names(r, names, line, what) ? &r->drafts[place_of(r, name)].e : NULL;
}

bool settle_storage(struct reader *r, const char *what, const char *at, unsigned line, const char *storage, unsigned storage_line)
{
	const struct expectation *e;
	struct storage_url url = {0};

	storage_url(at, &url, NULL);
	if (url.s3 && !storage)
		return complain_at(r, line, "%s on s3 needs storage = SERVICE, whose S3 and key are used", what);
	if (!storage)
		return true;
	e = named_service(r, storage, storage_line, "storage = unknown service");
	if (!e)
		return false;
	if (!url.s3)
		return complain_at(r, storage_line, "storage is for %s on s3, and this one is a file", what);
	return expected_s3_port(e) ||
		complain_at(r, storage_line, "storage = \"%s\" has no S3: its kind is %s", storage, e->kind ? e->kind->name : "other");
}

static bool settle_event_log(struct reader *r, const struct draft *d)
{
	if (!d->e.event_log)
		return !d->e.storage || complain_at(r, d->storage_line, "storage is for event_log, and there is none");
	if (d->e.kind && !d->e.kind->without)
		return complain_at(r, d->event_log_line, "event_log is for kind = spark-history: a service of kind %s reads none", d->e.kind->name);
	return settle_storage(r, "an event log", d->e.event_log, d->event_log_line, d->e.storage, d->storage_line);
}

static bool settle_service(struct reader *r, struct draft *d)
{
	if (!d->kind_said)
		return complain_at(r, d->line, "service \"%s\" has no kind (kind = other: whatever listens there)", d->e.name);
	if (!d->e.group)
		d->e.group = d->e.kind && d->e.kind->group ? d->e.kind->group : "other";
	if (d->e.version)
		d->e.version_from = "profile";
	return settle_ports(r, d) && check_names(r, d->e.needs, d->needs_line, "needs unknown service") && settle_event_log(r, d);
}

bool settle_services(struct reader *r)
{
	r->out->services = arena_alloc(r->out->profile.arena, (r->n_drafts + 1) * sizeof *r->out->services);
	for (size_t i = 0; i < r->n_drafts; i++)
		if (!settle_service(r, &r->drafts[i]))
			return false;
	for (size_t i = 0; i < r->n_drafts; i++) {
		bool visited[SERVICES_MAX] = {false};

		if (leads_to(r, i, i, visited))
			return complain_at(r, r->drafts[i].needs_line, "needs of \"%s\" lead back to itself", r->drafts[i].e.name);
	}
	return r->out->services || complain(r, "the profile is too large");
}

void publish_services(struct reader *r)
{
	for (size_t i = 0; i < r->n_drafts; i++)
		r->out->services[i] = r->drafts[i].e;
	r->out->profile.services = r->out->services;
	r->out->profile.n_services = r->n_drafts;
}
