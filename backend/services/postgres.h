// SPDX-License-Identifier: MIT
/* What PostgreSQL says before and instead of a session: pure, unit-tested, fuzzed. */
#ifndef LAKETOP_SERVICES_POSTGRES_H
#define LAKETOP_SERVICES_POSTGRES_H

#include "text.h"

enum postgres_hello {
	POSTGRES_NOT,   /* says something else */
	POSTGRES_IS,    /* one byte, as only its protocol answers */
	POSTGRES_OLD,   /* before 12: does not know the question, and said so in its log too */
};
enum postgres_hello postgres_parse_hello(struct text answer);

struct postgres_failure {
	char sqlstate[6];  /* "28P01"; "" where the failure is not the server's word */
	struct text words; /* in the message */
};
/* Takes libpq's message of a failed connection apart (verbosity: verbose). */
void postgres_parse_failure(struct text message, struct postgres_failure *out);

enum postgres_refusal {
	POSTGRES_BROKEN,    /* no session for another reason */
	POSTGRES_REFUSES,   /* this credential, this database: not to be tried again */
	POSTGRES_FULL,      /* no connection slot is left */
	POSTGRES_NOT_READY, /* starts up, shuts down, recovers */
};
enum postgres_refusal postgres_refusal(const struct postgres_failure *failure);

#endif
