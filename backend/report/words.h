// SPDX-License-Identifier: MIT
/* A lake in words, as status, check and ports share them. Private to backend/report/. Pure. */
#ifndef LAKETOP_WORDS_H
#define LAKETOP_WORDS_H

#include "lake.h"

enum { WORDS_SIZE = 256 };

enum verdict verdict_now(const struct service *s); /* unknown until it was judged */
bool is_listed(const struct service *s);           /* among the services, rather than what was found besides */

/* "4.1 to 4.2 (expected 4.1)", "4.0.1, only by a hint"; "" where neither is known */
char *say_version(char out[WORDS_SIZE], const struct service *s);
/* "java pid 921 in container kafka"; "" nobody is known */
char *say_owner(char out[WORDS_SIZE], const struct owner *o);
/* Nothing of nothing; else without its full stop, for what follows brings one: a server's words are a sentence of their own. */
void say_sentence(struct buf *out, const char *before, const char *s);
char *say_endpoint(char out[WORDS_SIZE], const struct endpoint *at); /* "127.0.0.1:9092", "[::1]:9092"; "" none */

/* The value of a figure and the snapshot that it is from; NULL there where it is unknown. */
struct value figure_of(const struct service *s, const struct figure_spec *spec, const struct snapshot **from);

/* ---- what keeps READY away ---- */
struct standing {
	size_t n;                       /* services that count */
	size_t n_serving, n_unknown;
	struct problem problems[LAKE_PROBLEMS]; /* causes before victims */
	size_t n_problems;
	bool bad;                       /* one of them is more than unknown */
	size_t n_warnings;              /* where names are given, only theirs */
	const char *const *names;       /* as they were given */
};
/* names NULL: the required ones. */
void standing_of(const struct lake *lake, const char *const *names, struct standing *out);
enum exit_code standing_code(const struct standing *st);
/* "NOT READY - 2 problems: ...", without a line break */
void standing_say(const struct lake *lake, const struct standing *st, struct buf *out);

#endif
