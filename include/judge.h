// SPDX-License-Identifier: MIT
/*
 * Verdicts. A verdict says who serves; a finding says what is wrong besides; neither is stored
 * without the chain of evidence that it was derived from. judge() is a pure function and is
 * tested as a table. The rules are in README.md, "Verdicts".
 */
#ifndef LAKETOP_JUDGE_H
#define LAKETOP_JUDGE_H

#include "facts.h"
#include "profile.h"
#include "snapshot.h"

struct stream_view;

enum verdict { /* in order of precedence */
	VERDICT_BLOCKED,
	VERDICT_IMPOSTOR,
	VERDICT_STOPPED,
	VERDICT_ABSENT,
	VERDICT_STARTING,
	VERDICT_FROZEN,
	VERDICT_MUTE,
	VERDICT_WRONG_VERSION,
	VERDICT_SICK,
	VERDICT_UNKNOWN,
	VERDICT_SERVING,
	VERDICT_COUNT,
};
const char *verdict_word(enum verdict v);  /* "wrong version" */
const char *verdict_key(enum verdict v);   /* "wrong-version" */
const char *verdict_glyph(enum verdict v, bool ascii);

enum link_name {
	LINK_DECLARED, LINK_RUNNING, LINK_LISTENING, LINK_OWNER, LINK_IDENTITY, LINK_VERSION, LINK_FRESH, LINK_HEALTHY,
	LINK_COUNT,
};
const char *link_word(enum link_name link);
const char *link_state_word(enum link_state state); /* ok, bad, unknown, n/a */

enum { REASON_SIZE = 240, LINK_VALUE_SIZE = 120, JUDGED_FINDINGS_MAX = 12 };

struct link {
	enum link_state state;
	char value[LINK_VALUE_SIZE];  /* in words */
	char source[LINK_VALUE_SIZE]; /* "GET /json/ 200, 3 ms" */
	int64_t seen;                 /* clock_ms(); 0: never */
	int64_t interval;             /* ms between looks */
};

struct judged_finding {
	char name[32];
	enum severity severity;
	char reason[REASON_SIZE], remedy[REASON_SIZE];
};

struct owner { /* who holds the main port, or runs the service; fields as in facts.h */
	pid_t pid;
	bool probable;
	char process[NAME_SIZE];
	char container[NAME_SIZE]; /* its name, else the short id */
	char unit[NAME_SIZE];
	int64_t started, rss;
	double cpu;
	char state;
};

struct question { /* all that a verdict may rest on; any pointer may be NULL */
	const char *name;
	const struct service_kind *kind;       /* expected, or what was found */
	const struct expectation *expected;    /* NULL: found, in no profile */
	struct endpoint at;                    /* the main port */
	const struct facts *host;              /* newest PART_HOST */
	int64_t host_seen, host_interval;
	const struct facts *docker;
	int64_t docker_seen, docker_interval;
	const struct snapshot *pulse, *depth;
	struct freshness fresh;                /* this and the next six: pulse->files, see snapshot.h */
	const char *progress;
	bool pidfile_read;
	enum unit_is unit;
	bool unit_users;
	const char *unit_words;
	pid_t pidfile_pid;                     /* to be checked against the host's processes */
	const struct profile *profile;         /* to name the one who else wants the port */
	struct rival { /* one of the same kind that was started later for the main port, and could not have it; pid 0: none */
		pid_t pid;
		int64_t started, seen; /* ms since 1970 */
	} rival;
	const struct stream_view *streams;     /* all of the lake, see lake.h; those that read it are this one's */
	size_t n_streams;
	bool refused_us;                       /* the credential was refused; not asked again */
	int64_t now, wall;
};

struct judged {
	enum verdict verdict;
	bool definite;       /* counts at once: process gone, port held by another, other kind answers */
	struct link links[LINK_COUNT];
	char reason[REASON_SIZE];  /* "" where it serves */
	char remedy[REASON_SIZE];
	struct owner owner;
	struct judged_finding findings[JUDGED_FINDINGS_MAX];
	size_t n_findings;
	/* who answers, copied: outlives the snapshots */
	const struct service_kind *answers;
	char role[NAME_SIZE], version[NAME_SIZE], version_to[NAME_SIZE], version_source[LINK_VALUE_SIZE], says[LINK_VALUE_SIZE];
	enum sure sure;
	int64_t seen;        /* the pulse's end; 0: never */
};

void judge(const struct question *q, struct judged *out);
/* The newest process whose words ask for that port of that kind, begun after the holder, which is another; where they name no port, it
 * is the configured one (0: the kind's own). False: none. Pure. */
bool rival_of(const struct facts *f, const struct facts *docker, const struct service_kind *kind, const struct endpoint *at, uint16_t configured,
	struct rival *out);
/* It ended. One that lives on has found another port, by its configuration, which its words need not tell. Pure. */
bool rival_has_lost(const struct facts *f, const struct rival *r);

/*
 * Hysteresis of the live screen: three bad in a row make bad, two good make good, a definite
 * fact counts at once. Returns true when the shown verdict changed.
 */
struct steady {
	struct judged shown;
	bool begun;
	unsigned bad_run, good_run;
	uint64_t last_generation; /* of the pulse: one probe counts once */
	int64_t since_wall;       /* ms since 1970: when the shown verdict began */
};
bool steady_take(struct steady *s, const struct judged *fresh, uint64_t generation, int64_t wall);

#endif
