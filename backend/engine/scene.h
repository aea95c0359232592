// SPDX-License-Identifier: MIT
/*
 * What the facts amount to for one service, before the law of judge.c is applied: who holds its
 * main port, does the one that should hold it run, what was heard from it, and how old is all
 * that. Pure, any thread; points into the question's facts.
 */
#ifndef LAKETOP_SCENE_H
#define LAKETOP_SCENE_H

#include "judge.h"

enum being { /* of the process, container or unit that the profile names */
	BEING_UNKNOWN,  /* this user, or this machine, cannot see it: never held against it */
	BEING_NOTHING,  /* nothing of it exists */
	BEING_STOPPED,  /* exists and does not run */
	BEING_RESTARTS, /* Docker or systemd starts it again and again */
	BEING_RUNS,
};

enum whose { /* is the holder of the main port the one that the profile names? */
	WHOSE_UNKNOWN,
	WHOSE_NOBODYS,   /* nobody holds it */
	WHOSE_UNCLAIMED, /* the profile names no owner */
	WHOSE_OURS,
	WHOSE_ANOTHERS,
};

struct scene {
	const struct question *q;
	bool host_known, docker_known; /* looked at, and recently enough to decide on */

	/* the main port */
	const struct listener *listener;     /* NULL: none seen */
	const struct container *publisher;   /* the container that Docker publishes it for */
	const struct process *holder;        /* NULL: unknown, or a proxy of Docker's */
	const struct container *holder_container;
	struct owner held_by;                /* the same in words; empty where nobody holds it */
	bool holder_named;
	enum whose whose;
	const struct expectation *neighbour; /* the other service of the profile that the holder is; NULL */

	/* the one that should hold it */
	enum being being;
	const struct process *process;
	const struct container *container;
	int64_t started;                     /* ms since 1970; 0 unknown */
	bool young;                          /* within its grace */
	char being_words[LINK_VALUE_SIZE];
	const char *being_source;
	bool being_by_docker;

	/* what it said */
	bool heard;              /* a pulse that is recent enough to decide on */
	bool outlived;           /* the host saw the port closed after that pulse */
	enum answered said;
	bool right;              /* the right kind, in the right part, answers */
	bool deep;               /* depth that is recent enough to decide on */
};

void scene_look(const struct question *q, struct scene *s);

/* Formats, cleans, and cuts at a character. */
void scene_say(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "java (pid 4121)", "container kafka", "spark-worker-40 (java, pid 4121)". */
char *scene_holder(const struct scene *s, char out[LINK_VALUE_SIZE]);
bool scene_decides(int64_t now, int64_t seen, int64_t interval); /* not too old to rest a verdict on */
/* Another service of the profile that names one of this one's ports; *port says which. From *from on; NULL: no more. */
const struct expectation *scene_rival(const struct scene *s, size_t *from, uint16_t *port);
uint16_t scene_port(const struct scene *s);
/* The listener is a proxy's, which holds the port for a container; and the container that publishes the port, where it is up. */
bool scene_is_proxy(const struct listener *l, const struct process *p);
const struct container *scene_publisher(const struct facts *docker, uint16_t port);
/* The holder's own words suggest the expected kind: a hint, good enough to call an odd answer its own. */
bool scene_looks_ours(const struct scene *s);

#endif
