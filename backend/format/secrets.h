// SPDX-License-Identifier: MIT
/*
 * Secrets that nobody has named, known by what stands before them: password=, --token X, mysql -pX, "bearer X", user:password@ of a URL.
 * They become ***. Pure, any thread. What is invisible may hide a key: clean a foreign text first.
 */
#ifndef LAKETOP_SECRETS_H
#define LAKETOP_SECRETS_H

#include "text.h"

struct arguments { /* of one command line, from its program on; zeroed before the first */
	struct text program, before;
};
bool argument_is_secret(struct arguments *so_far, struct text t); /* the whole of the next argument */
char *argument_masked(struct text t, bool secret);                /* secret: the whole of it; free() it */
char *line_masked(struct text line);                              /* that a program said; free() it */
bool key_is_secret(struct text key);                              /* "db.password" */

/* The last part of a program's path. */
struct text program_name(struct text t);

#endif
