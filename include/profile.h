// SPDX-License-Identifier: MIT
/*
 * What should be. Read from INI once at start; immutable afterwards, any thread.
 * Sources: --profile FILE or NAME, $XDG_CONFIG_HOME/laketop/NAME.ini, /etc/laketop/NAME.ini, and
 * the built-in "lakehouse-at-home". laketop never writes one except by "init" to a new file.
 */
#ifndef LAKETOP_PROFILE_H
#define LAKETOP_PROFILE_H

#include "err.h"
#include "host.h"
#include "net.h"
#include "service.h"

struct catalog_kind;

struct expected_port {
	const char *role; /* NULL: the main port */
	uint16_t port;
};

struct expectation { /* [service NAME]; strings are NULL where the profile is silent */
	const char *name;
	const struct service_kind *kind;
	const char *group;          /* the profile's, else the kind's */
	const char *address;        /* numeric; default 127.0.0.1 */
	const struct expected_port *ports; /* the first is the main one */
	size_t n_ports;
	const char *version;        /* "4.1": a prefix in whole parts */
	const char *version_from;   /* where it was read: "profile", ".env of /srv/lakehouse" */
	bool required;
	const char *const *needs;   /* names of services; ends with NULL */
	const char *container, *unit, *process, *pidfile; /* who should own the port */
	const char *const *config;  /* files that must be older than the process; ends with NULL */
	const char *const *jars;    /* files or directories, likewise */
	const char *const *start, *const *stop; /* programs that start and stop it, as argv; NULL where not said */
	const char *directory;      /* where they run */
	const char *environment;    /* a file of NAME=value lines for them */
	const char *log;            /* a file that its output goes to */
	const char *const *compose; /* compose files, in order; ends with NULL */
	const char *compose_service, *compose_project;
	const char *progress;       /* a file whose one line says what its start is doing */
	const char *event_log;      /* of a history server: the URL of the directory that it reads */
	const char *storage;        /* the service whose S3 and key that directory needs; NULL: it is a folder */
	int64_t grace_ms;           /* 0: the kind's */
	struct credentials credentials;
	bool cleartext;             /* the credential may cross a network in clear */
	const char *const *mute;    /* findings that the user does not want to hear of; ends with NULL */
};

struct demo { /* [demo NAME] */
	const char *name;
	const char *const *services;
};

struct stream { /* [stream NAME]: a Structured Streaming query, which commits to no consumer group */
	const char *name;
	const char *checkpoint;   /* its URL, as storage.h reads it */
	const char *kafka;        /* the service whose brokers it reads; NULL: it reads something else */
	const char *storage;      /* the service whose S3 and key the checkpoint needs; NULL: it is a file */
};

struct catalog { /* [catalog NAME]: who knows of tables; strings are NULL where the profile is silent */
	const char *name;
	const struct catalog_kind *kind;
	const struct expectation *service; /* who answers it: PostgreSQL, Polaris; NULL: folders are its tables (kind delta) */
	const char *role;         /* the service's port that speaks it: "iceberg"; NULL: the main one */
	const char *warehouse;    /* JDBC: catalog_name; REST: the warehouse to ask for; Unity Catalog: its catalog. NULL: all there are */
	const char *path;         /* of REST: before /v1: "/api/catalog" */
	const char *realm;        /* of Polaris: its realm's name, where it asks for one */
	const char *const *folders; /* kind delta: URLs of tables; ends with NULL */
	const char *storage;      /* the service whose S3 and key the files need; NULL: they are files */
	const char *engine;       /* the service that browses rows and runs procedures: Spark Connect, Trino; NULL: none */
	const char *engine_catalog; /* what that one calls this catalog; NULL: as we do */
	const char *const *spark_sql; /* the program that runs SQL on it, as argv: "docker exec spark spark-sql"; "-e" and the SQL follow; NULL */
	const char *trino_catalog; /* what Trino calls this catalog; NULL: as the engine, if that is one, else as we do */
	struct credentials credentials; /* its own, else the service's */
	bool found;               /* no profile lists it: its service answered as one */
};

struct runbook_step {
	const char *const *words; /* "wait", "kafka=serving@${version}", "120s": variables are put in when it runs, a word stays one word */
	unsigned line;            /* of the profile */
};

struct runbook { /* [runbook NAME]: steps, in their order */
	const char *name;
	const char *about;        /* what it is for, in the user's words; NULL */
	const struct runbook_step *steps;
	size_t n_steps;
	const struct runbook_variable { const char *name, *value; } *variables; /* var.NAME; others are given when it is run */
	size_t n_variables;
	const char *directory;    /* where its commands run; NULL: where we are */
	const char *environment;  /* a file of NAME=value lines for them */
	int64_t limit_ms;         /* of each of its commands; 0: the usual one */
	unsigned line;
};

enum testdata_verb { TESTDATA_GENERATE, TESTDATA_LOAD, TESTDATA_STREAM, TESTDATA_STATS, TESTDATA_CLEAN, TESTDATA_COUNT };
struct testdata { /* [testdata] */
	const char *const *argv[TESTDATA_COUNT]; /* NULL where not said */
	const char *directory, *environment;
	int64_t limit_ms;         /* of each but stream; 0: the usual one */
};

struct profile {
	const char *name;  /* "pocket"; NULL: none was given, everything is found */
	const char *path;  /* of its file; "built in" */
	const char *place; /* the same, from the root: it tells two of one name apart; "" not known */
	const struct expectation *services;
	size_t n_services;
	const struct demo *demos;
	size_t n_demos;
	const struct stream *streams;
	size_t n_streams;
	const struct catalog *catalogs;
	size_t n_catalogs;
	const struct runbook *runbooks;
	size_t n_runbooks;
	struct testdata testdata;
	const char *const *disks; /* [host] disks; ends with NULL; default "/" */
	const char *const *mute;  /* [host] mute: findings of the machine that are not told; NULL: none */
	const char *theme;        /* [ui] theme; NULL: default */
	int64_t refresh_ms;       /* [ui] refresh; 0: 2,000 */
	const char *project;      /* lakehouse-at-home: the checkout that was found; NULL: none */
	struct arena *arena;
};

/* name_or_path NULL gives the empty profile. NULL on error: err names file, line and what was expected. */
struct profile *profile_load(struct host *host, const char *name_or_path, struct err *err);
/* The same from memory, for tests and built-ins; path is for messages. */
struct profile *profile_parse(struct host *host, struct text ini, const char *path, struct err *err);
void profile_free(struct profile *profile); /* wipes secrets */
const struct expectation *profile_service(const struct profile *profile, const char *name);
const struct stream *profile_stream(const struct profile *profile, const char *name);
const struct catalog *profile_catalog(const struct profile *profile, const char *name);
/* Whom to be for this catalog: its own credentials, else its service's; the database of whichever names one. */
struct credentials catalog_credentials(const struct catalog *catalog);
const struct runbook *profile_runbook(const struct profile *profile, const char *name);
const struct demo *profile_demo(const struct profile *profile, const char *name);
uint16_t expected_role_port(const struct expectation *e, const char *role); /* 0: not named */
uint16_t expected_s3_port(const struct expectation *e); /* named, or its kind's, or of another kind its main port; 0: it has no S3 */

#endif
