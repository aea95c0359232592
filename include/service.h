// SPDX-License-Identifier: MIT
/*
 * A kind of service: one const value at the end of its file in backend/services/, and one line in
 * backend/services/kinds.c. Adding a service needs nothing else.
 *
 * Politeness is part of the contract: no question may leave an error line in the log of what is
 * asked; none is sent to a port that neither its number nor its owner explains.
 */
#ifndef LAKETOP_SERVICE_H
#define LAKETOP_SERVICE_H

#include "net.h"
#include "snapshot.h"

enum port_manner {
	PORT_ASK,    /* identify may be asked here */
	PORT_SILENT, /* never asked: it would log an error (Spark RPC, gRPC of others) */
};
struct port_role {
	const char *role;       /* "client", "ui"; the first is the main port */
	uint16_t port;          /* the field's default */
	enum port_manner manner;
	uint16_t often;         /* another number that is common, or 0 */
};

struct service_kind {
	const char *name, *title; /* "kafka", "Kafka broker" */
	const char *group;        /* storage, catalogs, streams, compute, runs */
	const struct port_role *ports;      /* ends with a role of NULL */
	const char *const *owners; /* parts of a process hint that suggest it: "kafka.Kafka"; ends with NULL */
	bool owners_are_all;      /* nothing else is ever this server: to one that looks otherwise no credential is given. A REST catalog
				   * may be anybody's program */
	const struct figure_spec *figures;  /* ends with a name of NULL */
	const struct table_spec *tables;    /* ends with a name of NULL; may be NULL */
	int64_t pulse_ms, depth_ms; /* cadence; 0: 2,000 and 10,000 */
	int64_t first_ms;         /* deadline of the first question after a start; 0: 1,000 */
	bool fleeting;            /* comes and goes by itself: a driver that ends is no failure */
	const char *port_key;     /* what names its main port, as an argument and in its configuration; NULL: nothing does */
	bool firm;                /* with its main port taken it ends: it takes no other one */
	int64_t grace_ms;         /* from process start until not serving is bad; 0: 60,000 */
	const char *leads;        /* a kind whose services start after it, and without which it is not well: a master's workers; NULL: none */
	const char *code_role;    /* the part that runs whatever code it is sent: open to others it is a warning; NULL: none */

	/* Which part a port is, by its process's words; NULL: cannot tell. Pure. NULL: by number only. */
	const char *(*role_of)(struct text hint, uint16_t port);
	/* Who answers at p->at? Cheap. Fills who, whose strings come from p->arena. */
	enum answered (*identify)(struct probe *p, struct identity *who);
	/* Is it still the same and alive? Cheaper than identify; NULL: identify is cheap enough.
	 * who holds what the last identify said; may be left as it is. */
	enum answered (*pulse)(struct probe *p, struct identity *who);
	/* How does it do? Fills health, figures, tables, findings of a PART_DEPTH snapshot. false: s->err says why. */
	bool (*inspect)(struct probe *p, struct snapshot *s);
	/* What is known of it while it does not answer, from the profile's event_log: fills a PART_DEPTH snapshot that is no
	 * evidence of its health. false: s->err says why. NULL: nothing. */
	bool (*without)(struct probe *p, struct snapshot *s);
	/* What is too large or too dear to push is asked for: fills the tables of a PART_ANSWER snapshot.
	 * view is one of views; subject is a name in it ("peek", topic). false: s->err says why. NULL: none. */
	bool (*answer)(struct probe *p, const char *view, const char *subject, struct snapshot *s);
	const char *const *views; /* ends with NULL; may be NULL. ROWS_VIEW: see rows.h */
	int64_t answer_ms;        /* deadline of an answer; 0: 4,000. Until it ends nothing else is asked of this service */
	/* Frees p->state; NULL where there is none. On the actor's thread, while host and net of its last probe live: what
	 * the server holds for us may be given back, in 100 ms at most. */
	void (*close)(void *state);
};

extern const struct service_kind *const service_kinds[]; /* ends with NULL */
const struct service_kind *service_kind_named(const char *name); /* NULL: none */

/* Fills an identity; returns ANSWERED_YES. version, from, source may be NULL; all are cleaned and copied. */
enum answered identity_say(struct probe *p, struct identity *who, const struct service_kind *kind, const char *role, enum sure sure,
	const char *version, const char *from, const char *source);

#endif
