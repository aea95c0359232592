// SPDX-License-Identifier: MIT
/*
 * Declarative pipelines (SDP) that run in a Spark Connect server. The reading half is pure and fuzzed as spark.
 */
#ifndef LAKETOP_SERVICES_SPARK_PIPELINES_H
#define LAKETOP_SERVICES_SPARK_PIPELINES_H

#include "spark.h"

enum { PIPELINE_RUNS_MAX = 8, PIPELINE_FLOWS_MAX = 128, PIPELINE_EXECUTIONS_MAX = 256, PIPELINE_NAME_SIZE = 160, PIPELINE_PATH_SIZE = 256 };

struct pipeline_run { /* what a client asked Connect to run */
	char graph[40], session[40], operation[40];
	char state[16];                     /* of its request: RUNNING, FINISHED, FAILED, CLOSED, CANCELED */
	char begun[24];                     /* on the driver's clock, in its own zone: only to be compared */
	char storage[PIPELINE_PATH_SIZE];
	char why[SPARK_REASON_SIZE];        /* "" not told */
	bool dry, over;
	int64_t started;                    /* ms since 1970; 0 unknown */
	/* by the process of its client, and the spec that it names; kept when that has ended */
	char name[PIPELINE_NAME_SIZE], spec[PIPELINE_PATH_SIZE], told_by[60];
	int64_t looked;                     /* clock_ms() of the last search; 0: not yet */
};

enum flow_kind { FLOW_UNKNOWN, FLOW_STREAMING, FLOW_BATCH, FLOW_VIEW };

struct pipeline_flow { /* as a client defined it */
	char graph[40], name[PIPELINE_NAME_SIZE], target[PIPELINE_NAME_SIZE];
	char defined[PIPELINE_PATH_SIZE];   /* "kitchen.py:12" */
	enum flow_kind kind;                /* of its target */
};

struct pipeline_execution { /* an SQL execution in the session of a client */
	int64_t id, submitted, duration;    /* duration: -1 unknown */
	int64_t failed_job, rows;           /* -1: none; not told */
	char session[40], state[16];
	char table[PIPELINE_NAME_SIZE];     /* what it writes, `as`.`its`.`plan`.`says`; "" not told */
	char why[SPARK_REASON_SIZE];
	bool planned, settled;              /* its plan was asked for; it ended, and was asked after that */
};

struct pipelines { /* what was learned of one server */
	struct pipeline_run runs[PIPELINE_RUNS_MAX];   /* newest first */
	size_t n_runs;
	struct pipeline_flow flows[PIPELINE_FLOWS_MAX];
	size_t n_flows, flows_left_off;
	struct pipeline_execution executions[PIPELINE_EXECUTIONS_MAX]; /* by id */
	size_t n_executions;
	int64_t next, first;                /* the first SQL execution that was not seen; that the driver remembers */
	bool lost;                          /* some were dropped before they were seen */
	int64_t asked;                      /* clock_ms() of the last question */
};

/* ---- spark_pipelines_read.c; pure ---- */
/* The page of Connect's requests; now: the server's clock. Adds what is new, renews what is known. */
void pipelines_read_requests(struct text html, int64_t now, struct pipelines *out);
/* One of the list of SQL executions; false: it is not of a client of Connect. */
bool pipelines_read_execution(const struct json *execution, struct pipeline_execution *out);
/* The table that a plan writes; "": it does not say. */
void pipelines_read_plan(struct text plan, char table[PIPELINE_NAME_SIZE]);
int64_t pipelines_read_rows(const struct json *execution); /* -1: not told */
/* Is that the flow's or dataset's name, in full or without its catalog and schema? Both with or without `. */
bool pipelines_is_name(struct text full, struct text name);
/* The values of a spec; "" where it has none. */
void pipelines_read_spec(struct text yaml, char name[PIPELINE_NAME_SIZE], char storage[PIPELINE_PATH_SIZE]);
struct pipeline_client { /* the command line of a client */
	char spec[PIPELINE_PATH_SIZE];      /* "": the one in its folder, or above */
	int64_t port;                       /* of the Connect that it names; 0: none */
};
bool pipelines_read_client(struct text cmdline, struct pipeline_client *out);
/* ---- spark_pipelines_tell.c; pure ---- */
/* The rows of all runs; queries: the table of streaming queries. Findings of flows that failed. */
void pipelines_tell(const struct pipelines *known, const struct table *queries, int64_t now, struct snapshot *s, struct table *t);

/* ---- spark_pipelines.c ---- */
extern const struct column_spec spark_flow_columns[];
/* memory: kept by the caller, NULL at first; free() it. page: Connect's own, with its 40 newest requests. */
void spark_inspect_pipelines(struct probe *p, const struct endpoint *at, struct pipelines **memory, const struct spark_memory *driver,
	const struct spark_specs *specs, struct text page, struct snapshot *s);

#endif
