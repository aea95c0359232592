// SPDX-License-Identifier: MIT
/*
 * The grammar of a profile: which sections and keys there are, and what each may say. libinih
 * finds "key = value"; its lines come through our reader, so that an error names its line, that a
 * section without keys is seen, and that an indented key is a key. The first error ends it: it
 * says what, where, and what was expected.
 *
 * Lists are separated by commas or blanks; a path with a blank stands in double quotes. A list may
 * be continued by naming its key again. Relative paths begin at the profile's folder.
 */
#include <arpa/inet.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog.h"
#include "log.h"
#include "profile_own.h"
#include "storage.h"

enum {
	LINE_BYTES = 4000, PATH_SHOWN = 60, SERVICES_MAX = 200, DEMOS_MAX = 50, STREAMS_MAX = 50, PORTS_MAX = 12, LIST_MAX = 100, WORD_MAX = 40,
	SPELLING_MAX = 32,
	REFRESH_LEAST = 200, REFRESH_MOST = 3600000,
};

struct draft { /* a service while its section is read */
	struct expectation e;
	struct expected_port ports[PORTS_MAX];
	unsigned port_line[PORTS_MAX];
	size_t n_ports;
	bool kind_said;
	unsigned line, needs_line, event_log_line, storage_line;
};

struct demo_draft {
	struct demo demo;
	unsigned line;
};

struct stream_draft {
	struct stream stream;
	unsigned line, checkpoint_line, kafka_line, storage_line;
};

struct catalog_draft {
	struct catalog catalog;
	const char *service;
	bool kind_said;
	unsigned line, service_line, role_line, storage_line, engine_line, folders_line;
};

struct reader;
struct key {
	const char *name;
	bool (*take)(struct reader *r, const struct key *key, struct text value);
	size_t at;       /* where in the section's struct it goes */
	bool repeats;    /* a list: named again, it goes on */
};
struct section {
	const char *name;
	bool has_name;   /* [service NAME] */
	const struct key *keys;
};

struct reader {
	struct loaded *out;
	struct host *host;
	const char *path, *folder;
	bool built_in;
	struct err *err;
	bool failed;
	unsigned failed_line;

	struct text rest;              /* of the file */
	unsigned line;
	const struct section *section; /* NULL: none yet */
	void *target;                  /* what its keys fill */
	uint32_t seen;                 /* keys of this section, by their place in its table */

	struct draft *drafts;
	size_t n_drafts;
	struct demo_draft *demos;
	size_t n_demos;
	struct stream_draft *streams;
	size_t n_streams;
	struct catalog_draft *catalogs;
	size_t n_catalogs;
};

/* ---- errors ---- */

static bool complain_at(struct reader *r, unsigned line, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define complain(r, ...) complain_at(r, (r)->line, __VA_ARGS__)

static bool complain_at(struct reader *r, unsigned line, const char *format, ...)
{
	char words[512];
	size_t len = strlen(r->path);
	va_list args;

	if (r->failed)
		return false;
	r->failed = true;
	r->failed_line = line;
	va_start(args, format);
	vsnprintf(words, sizeof words, format, args);
	va_end(args);
	return err_set(r->err, ERR_USAGE, "%s%s:%u: %s", len > PATH_SHOWN ? "..." : "",
		r->path + (len > PATH_SHOWN ? len - PATH_SHOWN + 3 : 0), line, words);
}

/* Edits that make b of a; short words only. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[SPELLING_MAX + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > SPELLING_MAX || m > SPELLING_MAX)
		return SPELLING_MAX;
	for (unsigned j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		unsigned before = row[0]++;

		for (size_t j = 1; j <= m; j++) {
			unsigned change = before + (a[i - 1] != b[j - 1]), add = row[j - 1] + 1, drop = row[j] + 1;

			before = row[j];
			row[j] = change < add ? change : add;
			row[j] = row[j] < drop ? row[j] : drop;
		}
	}
	return row[m];
}

struct spelling { /* collects the right words, and the one next to the typed one */
	const char *typed, *near;
	unsigned best;
	const char *list[SERVICES_MAX];
	size_t n;
};

static void spelling_begin(struct spelling *s, const char *typed)
{
	s->typed = typed;
	s->near = NULL;
	s->best = (unsigned)strlen(typed) / 2 < 3 ? (unsigned)strlen(typed) / 2 + 1 : 4;
	s->n = 0;
}

static void spelling_offer(struct spelling *s, const char *right)
{
	unsigned d = distance(s->typed, right);

	if (d < s->best) {
		s->best = d;
		s->near = right;
	}
	if (s->n < SERVICES_MAX)
		s->list[s->n++] = right;
}

/* "unknown key "prot": did you mean port?", and what there is, as far as an error has room. */
static bool spelling_complain(struct reader *r, unsigned line, const struct spelling *s, const char *what,
	const char *there_are)
{
	struct buf words;
	size_t room = sizeof r->err->words - (strlen(r->path) < PATH_SHOWN ? strlen(r->path) : PATH_SHOWN) - 16;

	buf_init(&words, 1000);
	buf_printf(&words, "%s \"%.*s\"%s%s%s", what, WORD_MAX, s->typed, s->near ? ": did you mean " : "", s->near ? s->near : "",
		s->near ? "?" : ";");
	for (size_t i = 0; i < s->n; i++) {
		if (words.len + strlen(there_are) + strlen(s->list[i]) > room) {
			buf_puts(&words, i ? ", ..." : "");
			break;
		}
		buf_printf(&words, "%s%s", i ? ", " : there_are, s->list[i]);
	}
	complain_at(r, line, "%s", words.at);
	buf_free(&words);
	return false;
}

/* ---- values ---- */

/* For "%.*s": of a wrong value its beginning will do. */
#define SHOWN(t) (int)((t).len < WORD_MAX ? (t).len : WORD_MAX), (t).at

static const char *kept(struct reader *r, struct text t)
{
	return arena_copy(r->out->profile.arena, t);
}

static void store(struct reader *r, const struct key *key, const void *value, size_t size)
{
	memcpy((char *)r->target + key->at, value, size);
}

static bool take_text(struct reader *r, const struct key *key, struct text value)
{
	const char *s = kept(r, value);

	store(r, key, &s, sizeof s);
	return true;
}

/* A URL is no path. */
static const char *resolved(struct reader *r, struct text path)
{
	const char *home = getenv("HOME");

	if (text_has(path, "://") || text_starts(path, "file:"))
		return kept(r, path);
	if (path.at[0] == '~' && (path.len == 1 || path.at[1] == '/') && home)
		return arena_printf(r->out->profile.arena, "%s%.*s", home, (int)path.len - 1, path.at + 1);
	if (path.at[0] == '/' || !r->folder[0])
		return kept(r, path);
	return arena_printf(r->out->profile.arena, "%s%s%.*s", r->folder, strcmp(r->folder, "/") ? "/" : "", (int)path.len, path.at);
}

static bool take_path(struct reader *r, const struct key *key, struct text value)
{
	const char *s = resolved(r, value);

	store(r, key, &s, sizeof s);
	return true;
}

/* The next item of a list: a word, or what stands in double quotes. */
static bool next_item(struct text *rest, struct text *item)
{
	size_t len = 0;

	while (rest->len && (rest->at[0] == ',' || rest->at[0] == ' ' || rest->at[0] == '\t')) {
		rest->at++;
		rest->len--;
	}
	if (text_skip(rest, "\"")) {
		*item = text_until(*rest, '"');
		*rest = text_after(*rest, '"');
		return item->len > 0;
	}
	while (len < rest->len && rest->at[len] != ',' && rest->at[len] != ' ' && rest->at[len] != '\t')
		len++;
	*item = (struct text){rest->at, len};
	rest->at += len;
	rest->len -= len;
	return len > 0;
}

static bool take_list(struct reader *r, const struct key *key, struct text value, bool paths)
{
	const char *items[LIST_MAX + 1];
	const char *const *old;
	const char **list;
	struct text item;
	size_t n = 0;

	memcpy(&old, (char *)r->target + key->at, sizeof old);
	while (n < LIST_MAX && r->seen && old && old[n]) {
		items[n] = old[n];
		n++;
	}
	while (next_item(&value, &item)) {
		if (n == LIST_MAX)
			return complain(r, "\"%s\" has more than %d entries", key->name, LIST_MAX);
		items[n++] = paths ? resolved(r, item) : kept(r, item);
	}
	list = arena_alloc(r->out->profile.arena, (n + 1) * sizeof *list);
	if (!list)
		return complain(r, "the profile is too large");
	memcpy(list, items, n * sizeof *list);
	store(r, key, &list, sizeof list);
	return true;
}

static bool take_paths(struct reader *r, const struct key *key, struct text value)
{
	return take_list(r, key, value, true);
}

static bool take_names(struct reader *r, const struct key *key, struct text value)
{
	return take_list(r, key, value, false);
}

/* A program and its arguments: words, or what stands in double quotes. A name with a slash is a path. */
static bool take_argv(struct reader *r, const struct key *key, struct text value)
{
	const char **list = arena_alloc(r->out->profile.arena, (LIST_MAX + 1) * sizeof *list);
	size_t n = 0;

	for (value = text_trim(value); list && value.len; value = text_trim(value)) {
		struct text item = value;

		if (n == LIST_MAX)
			return complain(r, "\"%s\" has more than %d words", key->name, LIST_MAX);
		if (text_skip(&value, "\"")) {
			item = text_until(value, '"');
			if (item.len == value.len)
				return complain(r, "\"%s\": a double quote is not closed", key->name);
			value = text_after(value, '"');
		} else {
			item.len = 0;
			while (item.len < value.len && value.at[item.len] != ' ' && value.at[item.len] != '\t')
				item.len++;
			value = (struct text){value.at + item.len, value.len - item.len};
		}
		list[n] = n == 0 && memchr(item.at, '/', item.len) ? resolved(r, item) : kept(r, item);
		n++;
	}
	if (!list || !n)
		return complain(r, "\"%s\" names no program", key->name);
	store(r, key, &list, sizeof list);
	return true;
}

static bool take_bool(struct reader *r, const struct key *key, struct text value)
{
	static const char *const yes[] = {"yes", "true", "on", "1"}, *const no[] = {"no", "false", "off", "0"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		if (text_is(value, yes[i]) || text_is(value, no[i])) {
			bool b = text_is(value, yes[i]);

			store(r, key, &b, sizeof b);
			return true;
		}
	return complain(r, "%s = \"%.*s\" is neither yes nor no", key->name, SHOWN(value));
}

/* "90s", "2min", "500ms"; without a unit: seconds. */
static bool take_span(struct reader *r, const struct key *key, struct text value)
{
	static const struct {
		const char *unit;
		int64_t ms;
	} units[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"m", 60000}, {"min", 60000}, {"h", 3600000}, {"d", 86400000}};
	size_t digits = 0;
	struct text unit;
	int64_t n;

	while (digits < value.len && value.at[digits] >= '0' && value.at[digits] <= '9')
		digits++;
	unit = text_trim((struct text){value.at + digits, value.len - digits});
	for (size_t i = 0; digits && digits < 9 && i < sizeof units / sizeof *units; i++)
		if (text_is(unit, units[i].unit) && text_i64((struct text){value.at, digits}, &n)) {
			n *= units[i].ms;
			store(r, key, &n, sizeof n);
			return n > 0 || complain(r, "%s must be more than nothing", key->name);
		}
	return complain(r, "%s = \"%.*s\" is not a time such as 90s, 2min or 500ms", key->name, SHOWN(value));
}

static bool take_refresh(struct reader *r, const struct key *key, struct text value)
{
	int64_t ms = 0;

	if (!take_span(r, key, value))
		return false;
	memcpy(&ms, (char *)r->target + key->at, sizeof ms);
	return (ms >= REFRESH_LEAST && ms <= REFRESH_MOST) || complain(r, "refresh is from 200ms to 1h");
}

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

static bool take_secret_file(struct reader *r, const struct key *key, struct text value)
{
	const char *path = resolved(r, value), *secret;
	struct file_facts f = {0};
	struct err why = {0};
	struct buf b;
	struct text t;

	buf_init(&b, SECRET_MAX);
	if (!r->host->read_file(r->host, path, &b, &why)) {
		wipe(&b);
		return complain(r, "%s: %s", key->name, why.words[0] ? why.words : path);
	}
	t = buf_text(&b);
	while (t.len && (t.at[t.len - 1] == '\n' || t.at[t.len - 1] == '\r'))
		t.len--;
	if (!t.len || memchr(t.at, '\0', t.len)) {
		wipe(&b);
		return complain(r, "%s: %s %s", key->name, path, t.len ? "is not text" : "is empty");
	}
	secret = loaded_secret(r->out, t);
	wipe(&b);
	store(r, key, &secret, sizeof secret);
	if (r->host->stat(r->host, path, &f, NULL) && (f.mode & 077))
		log_say("profile", "%s can be read by others: chmod 600", path);
	return true;
}

static bool take_secret_env(struct reader *r, const struct key *key, struct text value)
{
	char name[WORD_MAX * 2];
	const char *secret;

	text_copy(name, sizeof name, value);
	secret = getenv(name);
	if (!secret || !secret[0]) {
		/* a matter of this shell, not of the profile: the service will say that it refuses us */
		log_say("profile", "%s:%u: %s names %s, which is not set", r->path, r->line, key->name, name);
		return true;
	}
	secret = loaded_secret(r->out, text_of(secret));
	store(r, key, &secret, sizeof secret);
	return true;
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

/* ---- the keys of a stream ---- */

static bool take_checkpoint(struct reader *r, const struct key *key, struct text value)
{
	struct stream_draft *d = r->target;
	struct storage_url url;
	struct err why = {0};

	d->checkpoint_line = r->line;
	return take_path(r, key, value) && (storage_url(d->stream.checkpoint, &url, &why) || complain(r, "checkpoint: %s", why.words));
}

static bool take_stream_kafka(struct reader *r, const struct key *key, struct text value)
{
	((struct stream_draft *)r->target)->kafka_line = r->line;
	return take_text(r, key, value);
}

static bool take_storage(struct reader *r, const struct key *key, struct text value)
{
	((struct stream_draft *)r->target)->storage_line = r->line;
	return take_text(r, key, value);
}

/* ---- the keys of a catalog ---- */

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

/* draft begins with its expectation, so that offsets hold for both */
#define OF(member) offsetof(struct expectation, member)

static const struct key service_keys[] = {
	{"kind", take_kind, 0, false},
	{"port", take_port, 0, false}, /* and port.ROLE */
	{"address", take_address, OF(address), false},
	{"version", take_version, OF(version), false},
	{"required", take_bool, OF(required), false},
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
_Static_assert(sizeof service_keys / sizeof *service_keys <= 33, "a bit of seen for each");
static const struct key laketop_keys[] = {{"profile", take_text, offsetof(struct profile, name), false}, {0}};
static const struct key demo_keys[] = {{"services", take_names, offsetof(struct demo, services), true}, {0}};
static const struct key stream_keys[] = {
	{"checkpoint", take_checkpoint, offsetof(struct stream, checkpoint), false},
	{"kafka", take_stream_kafka, offsetof(struct stream, kafka), false},
	{"storage", take_storage, offsetof(struct stream, storage), false},
	{0},
};
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
	{"user", take_text, OF_CATALOG(credentials.user), false},
	{"password_file", take_secret_file, OF_CATALOG(credentials.password), false},
	{"password_env", take_secret_env, OF_CATALOG(credentials.password), false},
	{"token_file", take_secret_file, OF_CATALOG(credentials.token), false},
	{"token_env", take_secret_env, OF_CATALOG(credentials.token), false},
	{"database", take_text, OF_CATALOG(credentials.database), false},
	{0},
};
static const struct key host_keys[] = {{"disks", take_paths, offsetof(struct profile, disks), true}, {0}};
static const struct key ui_keys[] = {
	{"theme", take_text, offsetof(struct profile, theme), false},
	{"refresh", take_refresh, offsetof(struct profile, refresh_ms), false},
	{0},
};

enum { SECTION_SERVICE, SECTION_DEMO, SECTION_STREAM, SECTION_CATALOG, SECTION_LAKETOP, SECTION_HOST, SECTION_UI };
static const struct section sections[] = {
	[SECTION_SERVICE] = {"service", true, service_keys},
	[SECTION_DEMO] = {"demo", true, demo_keys},
	[SECTION_STREAM] = {"stream", true, stream_keys},
	[SECTION_CATALOG] = {"catalog", true, catalog_keys},
	[SECTION_LAKETOP] = {"laketop", false, laketop_keys},
	[SECTION_HOST] = {"host", false, host_keys},
	[SECTION_UI] = {"ui", false, ui_keys},
};

/* ---- sections ---- */

static bool name_is_fit(struct text name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.at[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'))
			return false;
	}
	return name.len > 0 && name.len <= WORD_MAX;
}

static bool begin_service(struct reader *r, struct text name)
{
	struct draft *d;

	for (size_t i = 0; i < r->n_drafts; i++)
		if (text_is(name, r->drafts[i].e.name))
			return complain(r, "service \"%s\" is there already, from line %u", r->drafts[i].e.name, r->drafts[i].line);
	if (r->n_drafts == SERVICES_MAX)
		return complain(r, "more than %d services", SERVICES_MAX);
	d = &r->drafts[r->n_drafts++];
	*d = (struct draft){.line = r->line, .e = {.name = kept(r, name), .required = true, .address = "127.0.0.1"}};
	r->target = d;
	return true;
}

static bool begin_demo(struct reader *r, struct text name)
{
	struct demo_draft *d;

	for (size_t i = 0; i < r->n_demos; i++)
		if (text_is(name, r->demos[i].demo.name))
			return complain(r, "demo \"%s\" is there already, from line %u", r->demos[i].demo.name, r->demos[i].line);
	if (r->n_demos == DEMOS_MAX)
		return complain(r, "more than %d demos", DEMOS_MAX);
	d = &r->demos[r->n_demos++];
	*d = (struct demo_draft){.line = r->line, .demo = {.name = kept(r, name)}};
	r->target = &d->demo;
	return true;
}

static bool begin_stream(struct reader *r, struct text name)
{
	struct stream_draft *d;

	for (size_t i = 0; i < r->n_streams; i++)
		if (text_is(name, r->streams[i].stream.name))
			return complain(r, "stream \"%s\" is there already, from line %u", r->streams[i].stream.name, r->streams[i].line);
	if (r->n_streams == STREAMS_MAX)
		return complain(r, "more than %d streams", STREAMS_MAX);
	d = &r->streams[r->n_streams++];
	*d = (struct stream_draft){.line = r->line, .stream = {.name = kept(r, name)}};
	r->target = d;
	return true;
}

static bool begin_catalog(struct reader *r, struct text name)
{
	struct catalog_draft *d;

	for (size_t i = 0; i < r->n_catalogs; i++)
		if (text_is(name, r->catalogs[i].catalog.name))
			return complain(r, "catalog \"%s\" is there already, from line %u", r->catalogs[i].catalog.name, r->catalogs[i].line);
	if (r->n_catalogs == CATALOGS_MAX)
		return complain(r, "more than %d catalogs", CATALOGS_MAX);
	d = &r->catalogs[r->n_catalogs++];
	*d = (struct catalog_draft){.line = r->line, .catalog = {.name = kept(r, name)}};
	r->target = d;
	return true;
}

static bool begin_section(struct reader *r, struct text inside)
{
	struct text rest = inside, word, name;
	struct spelling s;
	char typed[WORD_MAX + 1];

	text_word(&rest, &word);
	name = text_trim(rest);
	r->seen = 0;
	r->section = NULL;
	r->target = &r->out->profile;
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		if (text_is(word, sections[i].name))
			r->section = &sections[i];
	if (!r->section) {
		text_copy(typed, sizeof typed, word);
		spelling_begin(&s, typed);
		for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
			spelling_offer(&s, sections[i].name);
		return spelling_complain(r, r->line, &s, "unknown section", " sections: ");
	}
	if (!r->section->has_name)
		return !name.len || complain(r, "section [%s] has no name", r->section->name);
	if (!name_is_fit(name))
		return complain(r, "[%s NAME] needs a name of letters, digits, - _ and . (at most %d)", r->section->name, WORD_MAX);
	if (r->section == &sections[SECTION_STREAM])
		return begin_stream(r, name);
	if (r->section == &sections[SECTION_CATALOG])
		return begin_catalog(r, name);
	return r->section == &sections[SECTION_SERVICE] ? begin_service(r, name) : begin_demo(r, name);
}

/* ---- lines ---- */

static bool has_controls(struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		if (((unsigned char)t.at[i] < 0x20 && t.at[i] != '\t') || t.at[i] == 0x7f)
			return true;
	return false;
}

/* ini_reader: the next line, without its indentation. */
static char *read_line(char *out, int size, void *stream)
{
	struct reader *r = stream;
	struct text line;

	if (!text_line(&r->rest, &line))
		return NULL;
	r->line++;
	if (r->line == 1)
		text_skip(&line, "\xef\xbb\xbf");
	line = text_trim(line);
	if (has_controls(line))
		complain(r, "this is not text");
	else if (line.len > (size_t)size - 2 || line.len > LINE_BYTES)
		complain(r, "a line has at most %d bytes", LINE_BYTES);
	else if (line.len > 1 && line.at[0] == '[' && memchr(line.at, ']', line.len))
		begin_section(r, text_until((struct text){line.at + 1, line.len - 1}, ']'));
	if (line.len > (size_t)size - 2)
		line.len = (size_t)size - 2;
	text_copy(out, (size_t)size - 1, r->failed ? TEXT("") : line);
	text_copy(out + strlen(out), 2, TEXT("\n"));
	return out;
}

static bool unknown_key(struct reader *r, const char *name)
{
	struct spelling s;
	char what[64];

	spelling_begin(&s, name);
	for (const struct key *k = r->section->keys; k->name; k++)
		spelling_offer(&s, k->name);
	snprintf(what, sizeof what, "unknown key in [%s]:", r->section->name);
	return spelling_complain(r, r->line, &s, what, " keys: ");
}

/* ini_handler: one "key = value" of the current section. */
static int take_key(void *user, const char *section, const char *name, const char *value)
{
	struct reader *r = user;
	struct text v = text_of(value), role = text_of(name);
	const struct key *k;
	uint32_t bit;

	(void)section; /* known since its line was read, and not cut there */
	if (r->failed)
		return 1;
	if (!r->section)
		return complain(r, "\"%.*s\" stands before the first section", WORD_MAX, name);
	if (!v.len)
		return complain(r, "\"%.*s\" says nothing", WORD_MAX, name);
	if (r->section == &sections[SECTION_SERVICE] && text_skip(&role, "port.")) {
		if (!name_is_fit(role))
			return complain(r, "port.PART needs the name of a part");
		return add_port(r, kept(r, role), v);
	}
	for (k = r->section->keys; k->name && strcmp(k->name, name) != 0; k++)
		continue;
	if (!k->name)
		return unknown_key(r, name);
	bit = (uint32_t)1 << (k - r->section->keys);
	if ((r->seen & bit) && !k->repeats)
		return complain(r, "\"%s\" is set twice", name);
	if (!(r->seen & bit) && k->repeats) { /* what stands there is a default */
		const char *const *none = NULL;

		store(r, k, &none, sizeof none);
	}
	r->seen |= bit;
	return k->take(r, k, v);
}

/* ---- what can only be said of the whole ---- */

static const struct port_role *part_of(const struct service_kind *kind, const char *role)
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

static int place_of(const struct reader *r, const char *name)
{
	for (size_t i = 0; i < r->n_drafts; i++)
		if (!strcmp(r->drafts[i].e.name, name))
			return (int)i;
	return -1;
}

static bool check_names(struct reader *r, const char *const *names, unsigned line, const char *what)
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

/* A service that a stream, a catalog or an event log names; NULL: there is none, and that was said. */
static const struct expectation *named_service(struct reader *r, const char *name, unsigned line, const char *what)
{
	const char *const names[] = {name, NULL};

	return check_names(r, names, line, what) ? &r->drafts[place_of(r, name)].e : NULL;
}

/* A URL, called what, and the service whose S3 it needs; NULL: none. */
static bool settle_storage(struct reader *r, const char *what, const char *at, unsigned line, const char *storage, unsigned storage_line)
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

static bool settle_stream(struct reader *r, const struct stream_draft *d)
{
	const struct stream *s = &d->stream;
	const struct expectation *e;

	if (!s->checkpoint)
		return complain_at(r, d->line, "stream \"%s\" has no checkpoint (checkpoint = file:/path or s3://bucket/key)", s->name);
	if (s->kafka) {
		e = named_service(r, s->kafka, d->kafka_line, "kafka = unknown service");
		if (!e)
			return false;
		if (!e->kind || strcmp(e->kind->name, "kafka") != 0)
			return complain_at(r, d->kafka_line, "kafka = \"%s\" is no Kafka: its kind is %s", s->kafka, e->kind ? e->kind->name : "other");
	}
	return settle_storage(r, "a checkpoint", s->checkpoint, d->checkpoint_line, s->storage, d->storage_line);
}

static bool settle_streams(struct reader *r)
{
	struct profile *p = &r->out->profile;
	struct stream *streams = arena_alloc(p->arena, (r->n_streams + 1) * sizeof *streams);

	for (size_t i = 0; i < r->n_streams; i++) {
		if (!settle_stream(r, &r->streams[i]))
			return false;
		if (streams)
			streams[i] = r->streams[i].stream;
	}
	p->streams = streams;
	p->n_streams = streams ? r->n_streams : 0;
	return streams || complain(r, "the profile is too large");
}

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

static bool settle_catalogs(struct reader *r)
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

static bool settle(struct reader *r)
{
	struct profile *p = &r->out->profile;
	struct demo *demos = arena_alloc(p->arena, (r->n_demos + 1) * sizeof *demos);

	r->out->services = arena_alloc(p->arena, (r->n_drafts + 1) * sizeof *r->out->services);
	for (size_t i = 0; i < r->n_drafts; i++)
		if (!settle_service(r, &r->drafts[i]))
			return false;
	for (size_t i = 0; i < r->n_drafts; i++) {
		bool visited[SERVICES_MAX] = {false};

		if (leads_to(r, i, i, visited))
			return complain_at(r, r->drafts[i].needs_line, "needs of \"%s\" lead back to itself", r->drafts[i].e.name);
	}
	for (size_t i = 0; i < r->n_demos; i++) {
		if (!r->demos[i].demo.services)
			return complain_at(r, r->demos[i].line, "demo \"%s\" names no services", r->demos[i].demo.name);
		if (!check_names(r, r->demos[i].demo.services, r->demos[i].line, "demo with unknown service"))
			return false;
	}
	if (!settle_streams(r))
		return false;
	if (!demos || !r->out->services || arena_full(p->arena))
		return complain(r, "the profile is too large");
	for (size_t i = 0; i < r->n_drafts; i++)
		r->out->services[i] = r->drafts[i].e;
	if (!settle_catalogs(r))
		return false;
	for (size_t i = 0; i < r->n_demos; i++)
		demos[i] = r->demos[i].demo;
	p->services = r->out->services;
	p->n_services = r->n_drafts;
	p->demos = demos;
	p->n_demos = r->n_demos;
	return true;
}

/* "pocket" of "/etc/laketop/pocket.ini" */
static const char *stem(struct reader *r)
{
	const char *slash = strrchr(r->path, '/');
	struct text t = text_of(slash ? slash + 1 : r->path);

	if (t.len > 4 && !memcmp(t.at + t.len - 4, ".ini", 4))
		t.len -= 4;
	return kept(r, t);
}

bool profile_read(struct loaded *p, struct host *host, struct text ini, const char *path, const char *folder, bool built_in,
	struct err *err)
{
	struct reader r = {.out = p, .host = host, .path = path, .folder = folder, .built_in = built_in, .err = err, .rest = ini};
	int bad_line;

	r.drafts = mem_new(SERVICES_MAX, sizeof *r.drafts);
	r.demos = mem_new(DEMOS_MAX, sizeof *r.demos);
	r.streams = mem_new(STREAMS_MAX, sizeof *r.streams);
	r.catalogs = mem_new(CATALOGS_MAX, sizeof *r.catalogs);
	ini_max_line = LINE_BYTES + 8; /* libinih's default is 200 */
	bad_line = ini_parse_stream(read_line, &r, take_key, &r);
	if (bad_line > 0 && (!r.failed || (unsigned)bad_line < r.failed_line)) {
		r.failed = false;
		complain_at(&r, (unsigned)bad_line, "this is neither [section] nor key = value");
	}
	if (!r.failed)
		settle(&r);
	free(r.drafts);
	free(r.demos);
	free(r.streams);
	free(r.catalogs);
	if (r.failed)
		return false;
	p->profile.path = arena_copy(p->profile.arena, text_of(path));
	if (!p->profile.name)
		p->profile.name = stem(&r);
	return true;
}
