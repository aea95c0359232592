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

enum postgres_state { POSTGRES_UNTOLD, POSTGRES_STARTS, POSTGRES_RUNS, POSTGRES_STOPS };
/* Of the words of the eighth line of postmaster.pid, as the server of that port wrote it. */
enum postgres_state postgres_state_named(struct text word);
enum postgres_state postgres_parse_lock(struct text file, uint16_t port);
/* Is a server process with that title one that a client waits for, and that a smart shutdown waits for? */
bool postgres_is_session(struct text title);

/* A server's bytes during a login without TLS, looked at before libpq sees them: up to its first ReadyForQuery. All zero at first. */
struct postgres_vet {
	unsigned char head[9]; /* type, length, and of an authentication request which one */
	size_t n_head;
	size_t rest;           /* of this message, to be let through */
	bool done;             /* ReadyForQuery: the login is over */
	bool asks_clear;       /* for the password itself: that message is not to be let through */
};
/* Copies to out (len + 9 bytes) what may be let through, returns how much; *used is how many of the bytes were taken: all, but for
 * what comes after the end. What is held for want of more comes out later. Pure. */
size_t postgres_vet(struct postgres_vet *v, const unsigned char *bytes, size_t len, unsigned char *out, size_t *used);

#endif
