// SPDX-License-Identifier: MIT
/*
 * Everything known at one moment, joined and judged: what panels draw and reports print.
 * Built and changed by the engine on the UI thread only, between draws; everybody else reads.
 */
#ifndef LAKETOP_LAKE_H
#define LAKETOP_LAKE_H

#include "action.h"
#include "judge.h"
#include "profile.h"
#include "snapshot.h"

enum { RING_SIZE = 120, LAKE_EVENTS = 500, LAKE_PROBLEMS = 64, LOGS_KNOWN_MAX = 4, MACHINE_FINDINGS_MAX = 8 };

struct ring { /* one figure over time; NAN is a gap */
	double at[RING_SIZE];
	unsigned next, used;
};
double ring_get(const struct ring *r, unsigned back); /* 0 newest; NAN beyond */

struct history {
	const struct figure_spec *spec;
	struct ring ring;
	double rate; /* per second between the newest two; NAN unknown */
};

struct service {
	const char *name;             /* the profile's; "found:8888" where no profile names it */
	const char *group;
	const struct expectation *expected; /* NULL: found */
	const struct service_kind *kind;    /* expected, else what answers; NULL: unknown listener */
	struct endpoint at;
	struct steady verdict;        /* .shown is what a screen shows */
	const struct snapshot *pulse, *depth; /* newest; NULL: none yet. Held by the lake */
	const struct snapshot *answer; /* to the newest engine_ask_view; NULL: none yet */
	struct history *histories;
	size_t n_histories;
	const struct service *cause;  /* the service whose failure explains this one; NULL */
	bool required;                /* by the profile, or the chosen demo */
	bool asking;                  /* a first answer is still awaited */
	char logs[LOGS_KNOWN_MAX][256]; /* files and folders that its process writes, or wrote while it lived */
	size_t n_logs;
};

struct port_row { /* one listener, or one expected port without one */
	uint16_t port;
	char address[ADDRESS_SIZE];
	const struct listener *listener; /* NULL: nobody listens */
	const struct service *expected[3]; /* who wants it; two are a conflict */
	const char *expected_role;
	const struct service *answers;   /* the service that was asked here, or is a part of; NULL: none */
	const struct service_kind *kind; /* what answers, whatever was expected; NULL: unknown */
	char version[NAME_SIZE];
	const char *role;                /* which part of it */
	char words[LINK_VALUE_SIZE];     /* "Spark worker 4.0.5", "not asked", "says: SSH-2.0-..." */
	bool asked;
	const char *silent;              /* the part of its owner's kind that is not even asked on demand: an error in its log; NULL: it may be */
	bool conflict;
	struct owner owner;
};

struct event {
	uint64_t number;  /* counts up */
	int64_t wall;
	char service[NAME_SIZE];
	char words[REASON_SIZE]; /* "serving again after 14 s" */
	enum severity severity;
	bool found;       /* of one that the profile does not name */
};

struct problem { /* in the order of the first line: causes before victims */
	const struct service *service;
	const struct judged_finding *finding; /* NULL: the verdict itself */
};

/*
 * Where a streaming query stands, by its checkpoint, against where Kafka's partitions end. A partition that the
 * checkpoint does not name counts from its beginning; a commit beyond the end was made on a topic of the same name
 * that is gone, and is no lag; what was deleted before it was read is lost, and still counts, as end minus committed.
 */
enum stream_state {
	STREAM_READS,   /* its lag is known */
	STREAM_NEW,     /* not in the checkpoint: its lag counts from the beginning */
	STREAM_RESET,   /* committed beyond the end: lag unknown */
	STREAM_LOST,    /* committed before the beginning: some records are gone */
	STREAM_UNKNOWN, /* its end is not known */
};
const char *stream_state_word(enum stream_state state); /* "reads", "new", "reset?", "data lost", "unknown" */

struct stream_place { /* one partition, by source, topic, number */
	const char *source, *topic;
	int64_t partition;
	struct value committed, beginning, end, lag; /* records; committed unknown: new; end at_least: it was asked before the query read on */
	int64_t lost;          /* records */
	enum stream_state state;
};
struct stream_lag {
	struct value lag;      /* of all, at_least where a part of it is not known */
	int64_t lost;
	size_t n_new, n_reset, n_lost, n_unknown;
	const struct stream_place *places;
	size_t n_places;
	const char *words;     /* why lag is unknown; "" where it is known */
};
/* Pure. stream: its newest snapshot; kafka: the depth of the service that it reads; both may be NULL. In the arena. */
void lake_stream_lag(const struct snapshot *stream, const struct snapshot *kafka, struct arena *arena, struct stream_lag *out);
/* What a PART_STREAM snapshot holds; both end with a name of NULL. */
extern const struct figure_spec stream_figures[];
extern const struct table_spec stream_tables[];

enum { STREAM_SAMPLES = 24 };
struct stream_pace { /* over the last minute or two; known only after some looks */
	bool known;
	double in, out;               /* records per second */
	bool slow;                    /* it gets on, and falls behind all the same */
	char trend[STREAM_SAMPLES + 1]; /* lags as digits 0 to 7, the newest last */
};
struct stream_sample { int64_t at, lag, read, end; }; /* at: clock_ms(); the others sums over its places */
/* Pure. samples: oldest first. */
void lake_stream_pace(const struct stream_sample *samples, size_t n, struct stream_pace *out);
/* What one look adds up to. False: a part of it is not known. Pure. */
bool lake_stream_sample(const struct stream_lag *lag, int64_t now, struct stream_sample *out);

struct stream_view {
	const struct stream *stream;     /* the profile's */
	const struct snapshot *snapshot; /* newest; NULL: none yet. Held by the lake */
	const struct service *kafka;     /* NULL: it names none */
	struct stream_pace pace;
	struct stream_lag lag;           /* joined anew whenever one of both changes; zero before the first snapshot */
};
/* "ok", "slow", "rests", "reset?", "data lost", "unknown": as of the looks that it was joined from. Pure. */
const char *lake_stream_state(const struct stream_view *v);
const char *lake_stream_note(const struct stream_view *v, char out[VALUE_TEXT_SIZE]); /* why; "" where it is ok */

struct catalog_view {
	const struct catalog *catalog;   /* the profile's, or found */
	const struct snapshot *snapshot; /* newest that listed something: kept, with its age, while the catalog is down; NULL: none yet */
	const struct snapshot *failed;   /* newest that did not, where it is newer; NULL: it answers */
	const struct snapshot *answer;   /* to the newest engine_ask_table; NULL: none yet. All three held by the lake */
	const struct service *engine;    /* who shows rows; NULL: none */
};
enum { TABLE_CATALOGS = 4 };
struct lake_table { /* a table, once, however many catalogs know it: by uuid and location */
	struct { const struct catalog_view *view; size_t row; } in[TABLE_CATALOGS]; /* the first is the one it is shown by */
	size_t n_in;
	bool old;                        /* its catalog is down: what is shown is what was */
};

struct lake {
	const char *host;             /* for the title */
	const struct profile *profile;
	const struct demo *demo;      /* NULL: all required ones */
	const struct facts *facts, *docker; /* newest; NULL: none yet */
	int64_t facts_seen, docker_seen, facts_begun; /* clock_ms(); begun: when that look at the machine began */
	struct service **services;    /* the profile's in its order, then found ones by port */
	size_t n_services;
	struct stream_view *streams;  /* the profile's, in its order */
	size_t n_streams;
	struct catalog_view *catalogs; /* the profile's in its order, then found ones */
	size_t n_catalogs;
	struct places *places;        /* where all tables lie, for keepers; as long as the engine is */
	const struct lake_table *tables; /* by name; joined anew when a catalog tells something new */
	size_t n_tables;
	uint64_t joined;              /* counts how often that was */
	struct port_row *ports;       /* by port, then address */
	size_t n_ports;
	const struct action_shown *actions; /* newest last; those that are over stay, a while */
	size_t n_actions;
	const struct run_shown *const *runs; /* runs of runbooks among them, see runbook.h */
	size_t n_runs;
	const struct run_last *last_runs; /* of each runbook that was ever run */
	size_t n_last_runs;
	const struct logs *logs_found; /* where in all of them something is that was looked for; NULL: nothing was */
	const struct logs *logs;      /* what somebody looks at; NULL: nobody asked */
	const char *locked;           /* why nothing may be changed now: "read-only", "locked"; NULL: it may */
	struct event *events;         /* newest last */
	size_t n_events;
	struct problem problems[LAKE_PROBLEMS];
	size_t n_problems, n_warnings; /* problems: what keeps READY away */
	size_t n_absent, n_serving, n_required;
	bool settled;                 /* every required service had its first answer or deadline */
	bool heard_all;               /* every listener was asked or listened to */
	bool ready;
	int64_t ready_since;          /* ms since 1970; 0 not ready */
	const struct history *load, *memory; /* of the box; NULL at first */
	struct judged_finding machine[MACHINE_FINDINGS_MAX]; /* of the box: warnings, for whom it fails says so itself */
	size_t n_machine;
	int64_t now, wall;            /* of this turn */
	uint64_t turn;                /* changes whenever anything shown may have */
	bool replayed;
};

/* The value of a column of catalog_tables' "tables" for a table of the lake. */
struct value lake_table_get(const struct lake_table *t, const char *column);
const struct lake_table *lake_table_named(const struct lake *lake, const char *name); /* "orders.x", or "CATALOG.orders.x"; NULL */
/* All that will be read of it was read, or it is down: what a command waits for. */
bool catalog_is_told(const struct catalog_view *c);
extern const char *const catalog_example[]; /* lines of a profile that list one in PostgreSQL; ends with NULL */
/* "found, not in the profile", and what the profile has to say where it asks for a credential; "" of one that is listed. */
const char *catalog_found_words(const struct catalog_view *c, char out[REASON_SIZE]);
/* The answer to that very question; NULL: not asked, or not yet answered. */
const struct snapshot *catalog_answer_to(const struct catalog_view *c, const char *view, const char *table);
const struct service *lake_service(const struct lake *lake, const char *name);
extern const char lake_machine[]; /* as whose findings and events those of the box are told: "machine" */
/* The nth of the warnings that count (n_warnings), the machine's first, as they may explain others; NULL: there are no more. */
const struct judged_finding *lake_warning(const struct lake *lake, size_t n, const char **whose);
/* The answer to that very question; NULL: not asked, or not yet answered. */
const struct snapshot *service_answer(const struct service *s, const char *view, const char *subject);
bool service_kind_shows(const struct service_kind *kind, const char *view); /* can it be asked for it? false for NULL, of which nothing is known */
const struct history *service_history(const struct service *s, const char *figure);

#endif
