// SPDX-License-Identifier: MIT
/*
 * The engine's own parts, shared by the files of this folder.
 *
 * Threads: the caller's ("UI thread") owns struct engine but for what stands under its lock; each
 * actor owns its seat. The lock is held for pointer swaps and small copies only.
 */
#ifndef LAKETOP_ACTOR_H
#define LAKETOP_ACTOR_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine.h"
#include "storage.h"
#include "tables.h"

enum { PULSE_MS = 2000, DEPTH_MS = 10000, FIRST_MS = 1000, DEPTH_DEADLINE_MS = 4000, NEWS_MS = 30, CLERKS = 3, NUDGE_MS = 1000, SYSTEMCTL_MS = 2000 };

enum { NEWS_PULSE, NEWS_DEPTH, NEWS_ANSWER, NEWS };

/* What the UI thread tells a service's actor about its port; copied under the lock. */
struct target {
	struct endpoint at;
	bool facts;            /* the host was looked at: the rest is known */
	bool listening;
	uint64_t socket;       /* inode of the listener: another one, another server */
	pid_t owner;           /* who holds the socket, seen; 0 unknown */
	int64_t owner_started; /* ms since 1970; 0 unknown */
	char hint[480];
	bool owner_seen;       /* hint is of who holds the socket, not of who most likely does */
	const struct catalog *catalog; /* JOB_CATALOG: whose tables are read; never another one */
};
uint64_t target_server(const struct target *t); /* tells one server on a port from the next; 0: none is known */

enum job { JOB_HOST, JOB_DOCKER, JOB_SERVICE, JOB_CLERK, JOB_REPLAY, JOB_STREAM, JOB_CATALOG };

struct actor {
	struct engine *engine;
	enum job job;
	char name[NAME_SIZE];
	const struct expectation *expected;  /* JOB_SERVICE; NULL: found */
	const struct service_kind *kind;     /* expected, or found; NULL: unknown */
	int wake;                            /* eventfd: look now */
	int drop, end;                       /* eventfd: nobody wants the answer; readable when that or the engine's cancel is. JOB_SERVICE */
	pthread_t thread;
	bool joined;
	atomic_bool retired;                 /* its service is gone: end */
	atomic_uint requests;
	atomic_size_t bytes;
	uint64_t recorded;                   /* print of its last snapshot: ten thousand tables are not recorded again and again; its own */
	/* under the engine's lock */
	struct target target;
	bool refresh;                        /* depth too, at the next round */
	char ask_view[PLAN_VIEW_SIZE], ask_subject[512]; /* "" nothing is asked */
	bool answering;                      /* what was asked before; drop ends that */
	bool ended;
	struct snapshot *news[NEWS];         /* newest wins */
};

/* A question about a listener that no profile names. */
struct inquiry {
	struct inquiry *next;
	char address[ADDRESS_SIZE];
	uint16_t port;
	uint64_t socket;
	int64_t owner_started;
	char hint[480];
	bool on_demand;   /* "i": the user asked, so HTTP may be tried on the unknown */
	bool explained;   /* a kind is known that may answer: asked before the others */
};

/* What is known of one listener that is not an expected one. UI thread. */
struct found {
	char address[ADDRESS_SIZE];
	uint16_t port;
	uint64_t socket;
	pid_t pid;
	bool asked, answered, seen; /* seen: still there at this look */
	unsigned tries;             /* a server that just starts is silent at first: asked a few times */
	const struct snapshot *pulse; /* the clerk's answer; NULL: none yet */
	struct service *service;      /* the row that was made of it; NULL */
};

struct stream_seat { /* what a stream_view was joined from */
	struct actor *actor;         /* NULL when replaying */
	struct arena *arena;         /* of its lag */
	const struct snapshot *kafka;
	uint64_t kafka_generation;
	struct stream_sample samples[STREAM_SAMPLES]; /* oldest first; each of a look at both sides */
	size_t n_samples;
	uint64_t sampled, sampled_kafka; /* generations of the newest one */
	bool fresh;                  /* its snapshot came after the last join */
};

enum { CATALOGS_FOUND_MAX = 32 };
struct found_catalog { /* what a profile would have said; as long as the engine is */
	struct catalog catalog;
	struct expectation service; /* of a found one */
	struct expected_port ports[1];
	char name[NAME_SIZE], service_name[NAME_SIZE], address[ADDRESS_SIZE], path[64];
};

struct catalog_seat { /* what the engine keeps about a catalog_view */
	struct actor *actor;         /* NULL when replaying */
	bool fresh;                  /* it told something after the last join */
	bool judged, served;         /* its service was, and did, when that was looked at last */
};

struct member { /* a service with what the engine keeps about it */
	struct service service;      /* first: the lake points to it */
	struct actor *actor;         /* NULL when replaying */
	int64_t gone_since;          /* found ones: clock_ms() when its listener vanished; 0 */
	struct history histories[SNAPSHOT_FIGURES_MAX];
	uint64_t depth_taken;        /* generation of the last depth in the histories */
	bool by_part;                /* found by another port than its main one */
	bool settled;                /* its first truth is known: what changes from here is an event */
	bool served;                 /* once, at least: only then does it serve "again" */
	int64_t trouble_since;       /* ms since 1970 */
	uint64_t home;               /* the server that last answered as this service; 0 unknown */
	uint64_t judged;             /* the server that the shown verdict is about; 0 unknown */
	struct rival rival;          /* seen at the last look at the host, or shortly before */
	int64_t changed;             /* clock_ms() when another server was seen that is not asked to the end yet; 0 */
};

enum { MACHINE_DISKS_MAX = 32 };
struct machine { /* what was low at the look before, and for how many in a row memory is */
	bool disks[MACHINE_DISKS_MAX], memory;
	unsigned memory_looks;
};

struct engine {
	struct engine_options options;
	struct host *host;
	const struct profile *profile;
	int cancel;                  /* eventfd, readable for ever once set: every wait ends */
	int news;                    /* timerfd, armed by the first snapshot after a turn */
	int64_t began;
	pthread_mutex_t lock;
	bool news_armed;             /* under the lock */
	struct inquiry *inquiries;   /* under the lock: for the clerk */
	unsigned open_explained, open_all; /* under the lock: inquiries that are not answered yet */
	struct snapshot *answers[64]; /* under the lock: of the clerk */
	size_t n_answers;
	int record;                  /* fd or -1 */
	pthread_mutex_t record_lock;
	atomic_bool unwatched;   /* nobody looks at tables */
	atomic_bool replay_done; /* all is published */
	bool replay_over;        /* and taken */
	/* UI thread */
	struct lake lake;
	struct member **members;
	size_t n_members;
	struct stream_seat *streams; /* as many as lake.n_streams */
	struct catalog_seat *catalogs; /* as many as lake.n_catalogs */
	struct found_catalog **found_catalogs;
	size_t n_found_catalogs;
	struct arena *tables;        /* of lake.tables */
	struct actor **actors;
	size_t n_actors;
	struct found *found;
	size_t n_found;
	const struct snapshot *host_news, *docker_news;
	struct history load, memory;
	struct machine machine;
	uint64_t event_number;
	int64_t nudge_next;          /* clock_ms(): not before this is looked again for a verification's sake */
	struct logs *logs;   /* NULL: nobody looks */
	struct logs *logs_coming, *logs_found; /* shown soon; what a search finds */
	char logs_service[NAME_SIZE];
	bool logs_hidden;    /* lines were taken that no picture shows yet */
	int64_t logs_wait;   /* clock_ms(): what comes is shown, read or not */
	int64_t logs_next, logs_watched; /* clock_ms(): not taken before; looked at last */
	struct ops *ops;             /* NULL before the start is whole */
	bool discovered;             /* the first round of discovery was answered */
	int events_file;             /* fd or -1 */
	bool events_ours;            /* this laketop writes it */
};

/* actor.c */
struct actor *actor_start(struct engine *e, enum job job, const char *name, const struct expectation *expected,
	const struct service_kind *kind, const struct target *target);
void actor_wake(struct actor *a);
void actor_close_ends(struct actor *a);
enum { LOGS_BEFORE_MS = 60000 };
void logs_take(struct engine *e);
void logs_end(struct engine *e, int64_t ms);
int64_t logs_due(const struct engine *e, int64_t due); /* earlier, where there is more to take */
void engine_news(void *engine); /* any thread: a turn is due */
void engine_publish(struct engine *e, struct actor *a, struct snapshot *s); /* any thread; takes the reference */
struct wait actor_wait(const struct engine *e, int64_t ms);
bool record_write(struct engine *e, const struct buf *line); /* under record_lock, or before there is a thread. False: the recording ended */
/* Until the next multiple of interval (plus phase), or a wake. False: the program ends, or the actor's source is gone. */
bool actor_sleep(struct actor *a, int64_t interval, int64_t phase);
int64_t actor_paced(const struct engine *e, int64_t own, int64_t usual); /* a cadence, at the pace that the user chose for all */
void actor_finish(struct snapshot *s, uint64_t generation, int64_t interval);
void *actor_clerk(void *arg);   /* clerk.c */
void *actor_replay(void *arg);  /* replay.c */
void *actor_stream(void *arg);  /* stream.c */
void *actor_catalog(void *arg); /* catalog.c */

/* machine.c: after a look at it, what the box is short of. known: it was looked at before, so that what is new has happened */
void machine_judge(struct engine *e, bool known);

/* files.c: what the profile's files say; only the service's actor calls it */
void files_look(struct host *h, const struct expectation *x, int64_t owner_started, bool listening, struct wait wait, struct snapshot *s);

/* Has it something to tell of a service that does not answer? */
static inline bool tells_without(const struct service_kind *kind, const struct expectation *x)
{
	return kind && kind->without && x && x->event_log;
}

/* clerk.c */
enum { CANDIDATES_MAX = 6 };
/* The kinds that may be asked on a port, in polite order; 0: none explains it. Pure. */
size_t candidates(struct text hint, uint16_t port, const struct service_kind *expected, const struct service_kind *out[CANDIDATES_MAX]);
/* What its owner's words make it. Pure. */
size_t kinds_of_owner(struct text hint, const struct service_kind *out[CANDIDATES_MAX]);
/* Is this port a part of a known kind that must not be asked? Its part in *role; NULL: not to be placed, asked only on demand. Pure. */
bool port_is_silent(struct text hint, uint16_t port, const struct service_kind **kind, const char **role);
/* Makes the probe one of that kind (NULL: none): p->state belongs to *state_kind and is closed when another is asked, and what the
 * profile says (x; NULL: nothing) counts only for the kind that it says it of: another kind's port of the same name is another port,
 * and a credential is not for whoever answers in its owner's place. */
void probe_turn(struct probe *p, const struct service_kind **state_kind, const struct service_kind *kind, const struct expectation *x);
/* Asks them in turn until one says yes. */
enum answered identify_among(struct probe *p, const struct service_kind *const *kinds, size_t n, const struct service_kind **state_kind,
	const struct expectation *x, struct identity *who);
/* Takes the credentials back where who holds the port looks like something else than that kind. */
void probe_withhold(struct probe *p, const struct service_kind *kind);
enum holder holder_of(const struct service_kind *kind, struct text hint, bool seen); /* pure */
void identity_copy(struct arena *arena, struct identity *to, const struct identity *from);

/* streams.c: UI thread */
void streams_begin(struct engine *e);
void streams_take(struct engine *e); /* what their actors published, joined with what Kafka said */
bool stream_take(struct engine *e, struct snapshot *s); /* a snapshot that no actor of ours made; false: no such stream */
void streams_free(struct engine *e);

/* catalogs.c: UI thread */
void catalogs_begin(struct engine *e);
void catalogs_targets(struct engine *e); /* who answers them now, as the host sees it */
void catalogs_judged(struct engine *e);  /* whether their services serve now */
void catalogs_take(struct engine *e);    /* what their actors published; the lake's tables, joined anew where that is news */
bool catalog_take(struct engine *e, struct snapshot *s); /* a snapshot that no actor of ours made; false: no such catalog */
bool catalogs_add(struct engine *e, const struct catalog *c); /* false: it is not asked for, or there are too many */
void catalogs_drop(struct engine *e, size_t i);
void catalogs_free(struct engine *e);
/* catalogs_found.c: UI thread */
void catalogs_found(struct engine *e);   /* services that answer as catalogs, and that no profile lists as such */
const struct catalog *catalog_found_then(struct engine *e, const char *name); /* of a recording; NULL: too many */
bool catalog_is_unlisted(const struct profile *p, const struct expectation *x); /* pure; it would be found as soon as it answers */
void catalogs_found_free(struct engine *e);
/* Pure: every table once, by name, with room in the arena for nothing else. Views without a snapshot have no tables. */
const struct lake_table *lake_join(const struct catalog_view *views, size_t n, struct arena *arena, size_t *n_tables);

/* discover.c, ports.c, events.c, store.c: UI thread */
void discover_listeners(struct engine *e);
void discover_answers(struct engine *e);
struct endpoint found_endpoint(const char *address, uint16_t port); /* of a listener: whom to ask there */
struct member *member_add(struct engine *e, const char *name, const struct expectation *expected, const struct service_kind *kind,
	const struct endpoint *at);
void member_drop(struct engine *e, size_t index);
void target_from_facts(const struct engine *e, const struct member *m, struct target *out);
void ports_build(struct engine *e);
void event_say(struct engine *e, enum severity severity, const char *service, const char *format, ...) __attribute__((format(printf, 4, 5)));
void events_open(struct engine *e);
void history_push(struct history *h, double v, int64_t ms); /* ms: since the one before; 0: it is the first */
void store_judge(struct engine *e);
void store_sum_up(struct engine *e); /* problems and READY, of the members as they are now */
void store_judge_one(struct engine *e, struct member *m); /* a new one: no verdict is shown that was not judged */
void store_take(struct engine *e, struct member *m, struct snapshot *s);
void take_host(struct engine *e, struct snapshot *s); /* engine.c: the newest of host or docker */
void replay_take(struct engine *e, struct snapshot *s); /* a snapshot that no actor of ours made */
bool replay_header_write(struct engine *e, struct buf *out);

#endif
