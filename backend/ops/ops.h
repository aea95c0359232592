// SPDX-License-Identifier: MIT
/*
 * The gate, and who runs what passed it. The engine owns one; all of it is for the UI thread, but for
 * what action.h gives to workers. Nothing here waits, except ops_stop (bounded).
 */
#ifndef LAKETOP_OPS_H
#define LAKETOP_OPS_H

#include "engine.h"

struct ops;

struct ops_options {
	struct host *host;
	const struct profile *profile;
	const char *state_dir;      /* for the audit; NULL: without one nothing is changed */
	bool read_only, locked;
	void (*news)(void *ctx);    /* any thread: something changed */
	void *ctx;
};
struct ops *ops_new(const struct ops_options *options);
uint64_t ops_wish(struct ops *o, const struct lake *lake, const struct action_wish *wish, struct err *err);
bool ops_confirm(struct ops *o, const struct lake *lake, uint64_t id, struct err *err);
/* Confirms them all: they run one after another, in that order. go_on: also after one that failed; else those behind it are not run. */
bool ops_confirm_all(struct ops *o, const struct lake *lake, const uint64_t *ids, size_t n, bool go_on, struct err *err);
void ops_drop(struct ops *o, uint64_t id); /* of one that was left open: it is dismissed, and the audit says by whom */
bool ops_lock(struct ops *o, bool locked, struct err *err);
bool ops_acting(struct ops *o);
/* Takes what workers told, settles what runs against the lake, and puts lake.actions anew. said: for the event log. */
void ops_turn(struct ops *o, struct lake *lake,
	void (*said)(void *ctx, enum severity severity, const char *service, const char *words), void *ctx);
/* For runs of runbooks, which are conducted from ops_turn(): a step of parent, offered and confirmed as anybody's. */
uint64_t ops_wish_step(struct ops *o, const struct lake *lake, const struct action_wish *wish, uint64_t parent, struct err *err);
bool ops_shown(struct ops *o, uint64_t id, struct action_shown *out); /* false: gone */
void ops_forget(struct ops *o, uint64_t id);          /* it is not listed once it is over */
const char *ops_state_dir(const struct ops *o);
struct host *ops_host(const struct ops *o);
void ops_mask(const struct ops *o, char *out, size_t size, const char *s); /* clean, lines kept, no secret */
unsigned ops_stop(struct ops *o, int64_t end); /* cancels; how many threads did not end by then. 0: freed */

/* The audit: one JSON line at an action's begin, one at its end, in STATE/audit.jsonl. */
struct audit;
struct audit *audit_open(struct host *h, const char *state_dir, const struct profile *profile, struct err *err); /* NULL: no place */
void audit_close(struct audit *a);
enum audit_phase { AUDIT_BEGIN, AUDIT_NOTE, AUDIT_END };
/* False: it could not be written: then nothing is done. */
bool audit_write(struct audit *a, enum audit_phase phase, const struct action_shown *s, const char *note, struct err *err);
/* Actions that were begun by a process that is no more, and never ended: newest last. Returns how many were filled. */
size_t audit_left_open(struct audit *a, struct action_shown *out, size_t most);
/* The newest of them on that thing, from the file itself. False: there is none. */
struct audit_entry {
	char run[40];   /* whose it is: numbers of another process may be the same */
	uint64_t id;
	struct action_shown shown; /* words: its note */
};
bool audit_entry_of(struct audit *a, const char *service, const char *subject, struct audit_entry *out);
bool audit_entry_shown(struct audit *a, uint64_t id, struct audit_entry *out); /* as audit_left_open() numbers it */
/* Writes the end that its own process could not. */
bool audit_end_entry(struct audit *a, const struct audit_entry *entry, enum action_state how, const char *words, struct err *err);

/* mask.c: secrets of the profile become ***, and only then is anything cut. cut: t was cut already, maybe within one. Returns out. */
char *mask_copy(const struct profile *p, char *out, size_t size, struct text t, bool cut);
void mask_secrets(const struct profile *p, char *s, size_t size); /* in place; what fills its buffer was cut */

#endif
