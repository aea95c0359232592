// SPDX-License-Identifier: MIT
/*
 * What the Spark kinds share: one question to a Spark web server, the version that its pages
 * carry, units, and the words of its processes. The parse halves are pure and fuzzed as spark.
 */
#ifndef LAKETOP_SERVICES_SPARK_H
#define LAKETOP_SERVICES_SPARK_H

#include "../format/eventlog.h"
#include "json.h"
#include "service.h"

enum { SPARK_BODY_MAX = 4 << 20, SPARK_ROWS_MAX = 200, SPARK_VERSION_SIZE = 40, SPARK_ID_SIZE = 96 };

/* ---- asking ---- */
struct spark_reply {
	struct json *json;   /* NULL where the question failed */
	long status;
	char type[40];
	size_t bytes;
	int64_t served;      /* the server's own clock, ms since 1970; 0: it did not say */
	char source[96];     /* "GET /json/ 200, 3 ms" */
};
/* GET of a JSON document of that content type. false: err says why; an answer that is not this is
 * ERR_PROTOCOL, one of 401 or 403 ERR_AUTH. Free it either way. */
bool spark_get(struct probe *p, const struct endpoint *at, const char *path, const char *type, struct spark_reply *out,
	struct err *err);
void spark_reply_free(struct spark_reply *reply);
/* A driver, or a history server? Both have the same REST. reply is of the question that
 * decided or failed: free it. */
enum spark_rest { SPARK_REST_NEITHER, SPARK_REST_DRIVER, SPARK_REST_HISTORY };
enum spark_rest spark_ask_rest(struct probe *p, char version[SPARK_VERSION_SIZE], struct spark_reply *reply, struct err *err);
/* What a page of a server told; a page is dear, so it is remembered. */
struct spark_told {
	char version[SPARK_VERSION_SIZE]; /* "" unknown */
	int64_t owner_started;
	int64_t asked;                    /* clock_ms() */
};
void spark_ask_version(struct probe *p, const char *path, struct spark_told *told);
/* Another process, or nobody can say when it began and it is long ago. */
bool spark_version_due(const struct probe *p, const struct spark_told *told);
enum answered spark_answered(enum err_code code, bool heard); /* heard: something was answered */
/* What a failed question says of who answers; fills who's source, and says where it said something else. */
enum answered spark_failed(struct probe *p, const struct service_kind *kind, const struct spark_reply *reply,
	const struct err *err, struct identity *who);

/* ---- reading; pure ---- */
/* The version in a page of a Spark web server; empty: there is none. */
struct text spark_page_version(struct text html);
/* "4.1.4", "4.2.0-preview5", "5.0.0-SNAPSHOT", "3.5.3-amzn-0" */
bool spark_is_version(struct text t);
/* The list of applications that only a driver gives, unless a history server has but one, which runs. */
bool spark_list_of_driver(const struct json *applications);
/* The JSON of /api/v1/version: of a driver or a history server; NULL: it is not that. */
const char *spark_rest_version(const struct json *root);
struct value spark_mebibytes(const struct json *object, const char *key); /* Spark counts memory in MiB */
int64_t spark_number(const struct json *object, const char *key); /* 0 where it is missing: for sums and comparisons */
bool spark_state_is(const struct json *object, const char *key, const char *state);
/* "2026-11-29T15:44:42.248GMT" as ms since 1970 */
bool spark_time(const char *s, int64_t *out);
struct value spark_time_value(const struct json *object, const char *key);
/* "Sun, 29 Nov 2026 15:43:38 GMT" as ms since 1970; 0: it is not that */
int64_t spark_http_date(struct text t);

/* ---- hints ---- */
/* Spark's web servers move up by at most 16 where their port is taken. */
bool spark_port_near(uint16_t port, uint16_t wanted);

/* The port of a web server, where that is on the machine that own names, or that of the RPC address, where own is "". 0: it is elsewhere,
 * or no address: its word leads nowhere that a profile named. */
uint16_t spark_port_beside(const char *url, const char *rpc_url, struct text own);

bool spark_is_id(const char *s); /* fit for a path: letters, digits, "-", "_", "." */

/* ---- what a driver says of its work: figures and tables of two kinds, for Spark Connect is a driver ---- */
#define SPARK_DRIVER_FIGURES \
	{"jobs_active", "jobs", UNIT_COUNT, FIGURE_ROW | FIGURE_HISTORY, "jobs that run now"}, \
	{"jobs_failed", "failed", UNIT_COUNT, FIGURE_ROW, "failed jobs that the driver remembers (spark.ui.retainedJobs)"}, \
	{"executors", "executors", UNIT_COUNT, FIGURE_ROW | FIGURE_HISTORY, "executors that are alive; the driver is not counted"}, \
	{"executors_dead", "dead", UNIT_COUNT, 0, "executors that ended and are remembered"}, \
	{"cores", "cores", UNIT_CORES, 0, "task slots of all that is alive; of a local driver its own"}, \
	{"stages_active", "stages", UNIT_COUNT, 0, "stages that run now"}, \
	{"stages_pending", "pending", UNIT_COUNT, 0, "stages that wait for others"}, \
	{"tasks_active", "tasks", UNIT_COUNT, FIGURE_HISTORY, "tasks that run now"}, \
	{"tasks_completed", "completed tasks", UNIT_COUNT, FIGURE_HISTORY, "tasks done, of all executors that are remembered"}, \
	{"tasks_failed", "failed tasks", UNIT_COUNT, FIGURE_HISTORY, "failed tasks, of all executors that are remembered"}, \
	{"queries", "queries", UNIT_COUNT, 0, "streaming queries that run"}, \
	{"checkpoints", "checkpoints", UNIT_NONE, 0, "where queries keep checkpoints that name no place of their own"}, \
	{"storage_used", "storage", UNIT_BYTES, 0, "memory that cached data takes"}, \
	{"storage", "storage limit", UNIT_BYTES, 0, "memory that cached data may take"}, \
	{"application", "application", UNIT_NONE, 0, "its id"}, \
	{"name", "name", UNIT_NONE, 0, "as its owner called it"}, \
	{"user", "user", UNIT_NONE, 0, "who started it"}, \
	{"started", "started", UNIT_TIME, 0, "when it was started"}

extern const struct column_spec spark_job_columns[], spark_stage_columns[], spark_executor_columns[], spark_sql_columns[],
	spark_query_columns[];
#define SPARK_DRIVER_TABLES \
	{"jobs", "jobs that run or failed, newest first", spark_job_columns}, \
	{"stages", "stages that run or wait, then the last that ended", spark_stage_columns}, \
	{"executors", "executors, and the driver", spark_executor_columns}, \
	{"sql", "SQL executions, newest first", spark_sql_columns}, \
	{"queries", "streaming queries: those that run, then those that ended", spark_query_columns}

struct spark_specs { /* of the kind that asks; they hold the above */
	const struct figure_spec *figures;
	const struct table_spec *tables;
};

enum { SPARK_STAGES_KEPT = 24, SPARK_WANTED_MAX = 32, SPARK_REASON_SIZE = 200 };

struct spark_stage {
	int64_t id, attempt;
	char name[120], state[16], reason[SPARK_REASON_SIZE];
	int64_t tasks, active, completed, failed;
	int64_t input, output, shuffle_read, shuffle_write, spilled;
	int64_t submitted, ended;  /* ms since 1970; 0: not yet */
	double skew;               /* its slowest task's duration, in those of the median; NAN: not known */
	int64_t slowest;           /* ms */
};
enum { SPARK_TRIGGERS_KEPT = 40 };
struct spark_memory { /* what was learned of one application; all zero at first. Its stages that ended do not change */
	char application[SPARK_ID_SIZE];
	struct spark_stage stages[SPARK_STAGES_KEPT];  /* ended; newest number first, but failed ones stay */
	size_t n_stages;
	int64_t running[SPARK_WANTED_MAX];             /* stages that ran at the last look */
	size_t n_running;
	int64_t forgotten[SPARK_WANTED_MAX];           /* stages that the driver does not know (any more): a ring */
	size_t n_forgotten;
	int64_t sql_at;                                /* where in the list of SQL executions its end was */
	bool sql_found;
	struct spark_trigger { char run[40]; const char *words; } triggers[SPARK_TRIGGERS_KEPT]; /* a ring: a run does not change its own */
	size_t n_triggers;
	bool asked_settings, has_gauges;
	int64_t gauges_tried;                          /* clock_ms(); 0: not yet */
	char checkpoints[200];                         /* spark.sql.streaming.checkpointLocation */
};
struct spark_work { /* what a verdict needs of it */
	char version[SPARK_VERSION_SIZE];
	int64_t now;           /* the driver's clock, ms since 1970 */
	int64_t jobs_active, jobs_failed;
	int64_t starving;      /* ms since 1970: submission of the oldest running job of which no task runs; 0: none */
	int64_t slots;         /* cores of all that is alive */
	int64_t failed_at;     /* newest failure, ms since 1970; 0: none */
	char failed[120];      /* which */
	char failed_why[SPARK_REASON_SIZE]; /* "" not known */
	int64_t executors_lost; /* ended, and not because they were idle */
	int64_t lost_at;
	char lost[120];        /* why the newest one ended */
};
/* spark_work.c. Pure: one REST answer each. */
bool spark_read_application(const struct json *applications, const struct spark_specs *specs, struct snapshot *s,
	char id[SPARK_ID_SIZE], struct spark_work *work);
/* memory: why stages failed; may be NULL. */
void spark_read_jobs(const struct json *jobs, const struct spark_memory *memory, const struct spark_specs *specs, struct snapshot *s,
	struct spark_work *work);
void spark_read_executors(const struct json *executors, const struct spark_specs *specs, struct snapshot *s,
	struct spark_work *work);
/* The lines of a description: of a streaming query's batch its name, run and number. False: it is none. */
bool spark_batch_of(struct text description, struct text *name, struct text *run, int64_t *batch);
/* "orders batch 12", or the description's first line, or the call; NULL: neither. */
const char *spark_title(const struct json *item, char out[120]);
struct value spark_span(int64_t from, int64_t to); /* ms; unknown where one of them is not known */
struct value spark_percent(int64_t part, int64_t whole);

/* ---- spark_stages.c; pure, but for what asks ---- */
void spark_read_stage(const struct json *stage, struct spark_stage *out);
/* Those that run or wait, as far as max: how many. */
size_t spark_read_stages(const struct json *stages, const struct spark_specs *specs, struct snapshot *s, struct spark_stage *out, size_t max);
/* [median, slowest] of a stage's tasks. */
void spark_read_skew(const struct json *summary, struct spark_stage *stage);
void spark_stage_rows(const struct spark_stage *stages, size_t n, int64_t now, struct snapshot *s, struct table *t);
/* Keeps one that ended, in its place. False: there is no room for it; those that failed stay longest. */
bool spark_keep_stage(struct spark_memory *memory, const struct spark_stage *stage);
/* Stages that ended and are not known yet: of jobs that failed or run, those that ran before, those next to them; newest first. */
size_t spark_wanted_stages(const struct spark_memory *memory, const struct json *jobs, const struct spark_stage *now, size_t n,
	int64_t wanted[SPARK_WANTED_MAX]);
const struct spark_stage *spark_kept_stage(const struct spark_memory *memory, int64_t id); /* NULL: not known (yet) */
/* Skew and spill of what ended since then. */
void spark_find_in_stages(const struct spark_memory *memory, int64_t since, struct snapshot *s);
/* Those that ended, as far as they are wanted; the skew of those that run: now, n. */
void spark_ask_stages(struct probe *p, const struct endpoint *at, struct spark_memory *memory, const struct json *jobs,
	struct spark_stage *now, size_t n);

/* ---- spark_sql.c ---- */
/* Pure: rows of one answer of the list, its end first; returns how many it has. */
size_t spark_read_sql(const struct json *list, struct snapshot *s, struct table *t);
/* The newest ones; reply holds them: free it either way. */
bool spark_inspect_sql(struct probe *p, const struct endpoint *at, const struct spark_specs *specs, struct spark_memory *memory,
	struct snapshot *s, struct spark_reply *reply);

/* ---- spark_queries.c; pure, but for what asks ---- */
struct spark_query {
	char begun[24];        /* by the driver's clock, in its own zone; "" unknown */
	char name[96], id[40], run[40], state[16], reason[SPARK_REASON_SIZE];
	int64_t started;       /* ms since 1970; 0 unknown, as are the others below 0 or NAN */
	int64_t batch, batch_ms, gap_ms, state_rows, watermark, last;
	int64_t execution;     /* of SQL, of its newest batch that ended */
	const char *trigger;   /* as far as its plan tells; NULL unknown */
	double input_rate, processing_rate;
	bool active;
};
enum { SPARK_QUERIES_MAX = 40 };
/* The page of streaming queries; now: the server's clock. */
size_t spark_read_queries(struct text html, int64_t now, struct spark_query *out, size_t max, size_t *left_off);
/* The page of one query's run: rates, batch, state, watermark of its newest batch. */
void spark_read_query_page(struct text html, struct spark_query *out);
/* Gauges of the metrics servlet; false: none is of this query. */
bool spark_read_query_gauges(const struct json *metrics, const char *application, struct spark_query *out);
/* The batches that the list of SQL executions has: number, duration, when the newest one began. */
/* By the plan of a batch, one execution with its nodes: "real-time", "continuous", "batches"; NULL: it does not tell. */
const char *spark_read_trigger(const struct json *execution);
void spark_read_query_batches(const struct json *sql, struct spark_query *out);
/* Streaming queries of the application in memory; sql: the newest executions, may be NULL. */
void spark_inspect_queries(struct probe *p, const struct endpoint *at, const struct json *sql, const struct spark_specs *specs,
	struct spark_memory *memory, struct snapshot *s, const struct spark_work *work);

/* ---- all of it ---- */
/* Asks for all of it. false: s->err says what failed; what was had is there. */
bool spark_inspect_driver(struct probe *p, const struct endpoint *at, const struct spark_specs *specs, struct spark_memory *memory,
	struct snapshot *s, struct spark_work *work);
/* A further question, that may fail and must not take the whole probe's time. */
bool spark_ask(struct probe *p, const struct endpoint *at, const char *path, struct spark_reply *out);
/* The path of a part of the application. */
enum { SPARK_PATH_SIZE = SPARK_ID_SIZE + 160 };
const char *spark_part(char out[SPARK_PATH_SIZE], const struct spark_memory *memory, const char *part);
/* Sets the health that follows from work: of a driver that answers. */
void spark_judge_work(const struct spark_work *work, int64_t now, const char *source, struct snapshot *s);
/* Failed jobs, lost executors, skew, spill: of the last ten minutes. */
void spark_find_in_work(const struct spark_work *work, const struct spark_memory *memory, enum severity of_failed_jobs, struct snapshot *s);

/* ---- of single kinds, here for their tests; pure ---- */
bool spark_is_master_status(const char *status);
struct spark_seen_app;
struct spark_idle {
	char why[160];        /* "" nothing keeps it from work, as far as is known */
	const char *remedy;   /* NULL: none */
	bool waits;           /* it has no core, and wants some */
};
/* Why does an application that is active get no work done? Of what the master says; known: of its page, may be NULL. */
void spark_why_idle(const struct json *master, const struct json *app, const struct spark_seen_app *known, struct spark_idle *out);
/* What an executor of it takes, by its driver's /environment. */
void spark_read_cores(const struct json *environment, struct spark_seen_app *known);
/* now: the master's own clock, ms since 1970; 0 unknown. apps: SPARK_PAGES_KEPT of them, or NULL.
 * false: not a master's /json/. */
bool spark_read_master(const struct json *root, int64_t now, const char *source, const struct spark_seen_app *apps,
	const struct spark_specs *specs, struct snapshot *s);

bool spark_is_worker(const struct json *root);
bool spark_read_worker(const struct json *root, const struct spark_specs *specs, struct snapshot *s);
bool spark_read_worker_gauges(const struct json *metrics, const struct spark_specs *specs, struct snapshot *s);
/* The port of its master's web server, where that is on the worker's own machine; 0: it is not, or has none. */
uint16_t spark_master_beside(const struct json *worker);
void spark_judge_worker(const struct json *workers, const char *id, const char *source, struct snapshot *s);
enum { SPARK_APPS_KEPT = 256, SPARK_PAGES_KEPT = 16, SPARK_HEADS_KEPT = 256 };
/* What the first bytes of event logs told. */
struct spark_heads {
	struct spark_head {
		char log[200]; /* its name in the directory */
		char why[120]; /* why nothing is known; "" where it is */
		bool foreign;  /* a file of something else */
		struct eventlog_start start;
	} at[SPARK_HEADS_KEPT]; /* a ring */
	size_t n;
};
/* Fills the table of applications from p->expected->event_log. False: s->err says why it is not, or not all, read. */
bool spark_inspect_event_log(struct probe *p, struct spark_heads *heads, const struct spark_specs *specs, struct snapshot *s);
/* What a history server's event logs said of applications that ended: it does not change. */
struct spark_counted {
	char id[SPARK_ID_SIZE];
	int64_t jobs_failed; /* -1: it could not be told */
};
/* Of rows that no server told of what one said before. */
void spark_keep_counted(const struct spark_counted *counted, size_t n, struct snapshot *s, struct table *t);
/* Adds the rows; returns how many applications are in the list. counted: may be NULL. */
size_t spark_read_history(const struct json *list, bool completed, const struct spark_counted *counted, size_t n_counted, struct snapshot *s,
	struct table *t, int64_t *newest);

#endif
