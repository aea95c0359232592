// SPDX-License-Identifier: MIT
/*
 * What went wrong: one category, which decides how it is shown and whether it is tried again,
 * and one clean sentence that names the endpoint, file or line. Plain value, copied freely.
 */
#ifndef LAKETOP_ERR_H
#define LAKETOP_ERR_H

#include <stdbool.h>

enum err_code {
	ERR_NONE,
	ERR_DNS,
	ERR_CONNECT,   /* refused, unreachable */
	ERR_TLS,
	ERR_AUTH,      /* asked for a credential, or refused ours: never "down" */
	ERR_TIMEOUT,   /* the deadline passed; it may be alive */
	ERR_PROTOCOL,  /* answered, but not in the protocol that was asked */
	ERR_PARSE,     /* the right protocol, with content that makes no sense */
	ERR_LIMIT,     /* a cap was reached: bytes, rows, depth */
	ERR_CANCELLED,
	ERR_SYSTEM,    /* this machine: memory, files, permission */
	ERR_USAGE,     /* the user's own input: profile, arguments */
};

struct err {
	enum err_code code;
	char words[200];
};

/* Fills err (may be NULL) and returns false, so that "return err_set(...)" reads well. Cleans its text. */
bool err_set(struct err *err, enum err_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *err_name(enum err_code code); /* "timeout" */

#endif
