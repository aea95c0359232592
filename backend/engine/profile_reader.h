// SPDX-License-Identifier: MIT
/*
 * What the files share that read a profile: the reader, its errors, values that keys take. A section is
 * a table of keys with a begin and, for what can only be said of the whole, a settle; to add one: a file,
 * and its line in profile_ini.c.
 */
#ifndef LAKETOP_PROFILE_READER_H
#define LAKETOP_PROFILE_READER_H

#include "profile_own.h"

enum { LINE_BYTES = 4000, SERVICES_MAX = 200, LIST_MAX = 100, WORD_MAX = 40 };

struct reader;
struct key {
	const char *name;
	bool (*take)(struct reader *r, const struct key *key, struct text value);
	size_t at;       /* where in the section's struct it goes */
	bool repeats;    /* a list: named again, it goes on */
};
struct section {
	const char *name;
	const struct key *keys;
	bool (*begin)(struct reader *r, struct text name); /* [service NAME]; NULL: it has no name, its keys fill the profile */
	bool (*other)(struct reader *r, const char *name, struct text value, bool *taken); /* a key that is in no table; NULL: none */
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
	uint64_t seen;                 /* keys of this section, by their place in its table */

	/* what its sections gathered, each by its own file; made at the first one, freed at the end */
	struct draft *drafts;
	size_t n_drafts;
	struct demo_draft *demos;
	size_t n_demos;
	struct stream_draft *streams;
	size_t n_streams;
	struct catalog_draft *catalogs;
	size_t n_catalogs;
	struct runbook_draft *runbooks;
	size_t n_runbooks;
};

/* ---- errors: always false; the first one counts ---- */

bool complain_at(struct reader *r, unsigned line, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define complain(r, ...) complain_at(r, (r)->line, __VA_ARGS__)

struct spelling { /* collects the right words, and the one next to the typed one */
	const char *typed, *near;
	unsigned best;
	const char *list[SERVICES_MAX];
	size_t n;
};
void spelling_begin(struct spelling *s, const char *typed);
void spelling_offer(struct spelling *s, const char *right);
/* "unknown key "prot": did you mean port?", and what there is, as far as an error has room. */
bool spelling_complain(struct reader *r, unsigned line, const struct spelling *s, const char *what, const char *there_are);

/* ---- values ---- */

/* For "%.*s": of a wrong value its beginning will do. */
#define SHOWN(t) (int)((t).len < WORD_MAX ? (t).len : WORD_MAX), (t).at

const char *kept(struct reader *r, struct text t);
const char *resolved(struct reader *r, struct text path); /* a URL is no path */
bool next_item(struct text *rest, struct text *item);     /* of a list: a word, or what stands in double quotes */
void store(struct reader *r, const struct key *key, const void *value, size_t size);
bool name_is_fit(struct text name);

bool take_text(struct reader *r, const struct key *key, struct text value);
bool take_path(struct reader *r, const struct key *key, struct text value);
bool take_list(struct reader *r, const struct key *key, struct text value, bool paths);
bool take_paths(struct reader *r, const struct key *key, struct text value);
bool take_names(struct reader *r, const struct key *key, struct text value);
/* Words, or what stands in double quotes. */
bool take_words(struct reader *r, const struct key *key, struct text value, const char *const **out);
/* A program and its arguments: a name with a slash is a path. */
bool take_argv(struct reader *r, const struct key *key, struct text value);
bool take_bool(struct reader *r, const struct key *key, struct text value);
bool take_span(struct reader *r, const struct key *key, struct text value);
bool take_secret_file(struct reader *r, const struct key *key, struct text value);
bool take_secret_env(struct reader *r, const struct key *key, struct text value);

/* ---- profile_services.c ---- */

extern const struct section section_service;
bool settle_services(struct reader *r);
void publish_services(struct reader *r); /* pointers into the profile hold from now on */
int place_of(const struct reader *r, const char *name); /* -1: no such service */
bool check_names(struct reader *r, const char *const *names, unsigned line, const char *what);
/* A service that another section names; NULL: there is none, and that was said. */
const struct expectation *named_service(struct reader *r, const char *name, unsigned line, const char *what);
const struct port_role *part_of(const struct service_kind *kind, const char *role);
/* A URL, called what, and the service whose S3 it needs; NULL: none. */
bool settle_storage(struct reader *r, const char *what, const char *at, unsigned line, const char *storage, unsigned storage_line);

/* ---- profile_streams.c, profile_catalogs.c ---- */

extern const struct section section_demo, section_stream, section_catalog;
bool settle_demos(struct reader *r);
bool settle_streams(struct reader *r);
bool settle_catalogs(struct reader *r);

/* ---- profile_runbooks.c ---- */

extern const struct section section_runbook, section_testdata;
bool settle_runbooks(struct reader *r); /* after everything that steps may name */

#endif
