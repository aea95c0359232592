// SPDX-License-Identifier: MIT
/*
 * What the Spark kinds share: one question to a Spark web server, the version that its pages
 * carry, units, and the words of its processes. The parse halves are pure and fuzzed as spark.
 */
#ifndef LAKETOP_SERVICES_SPARK_H
#define LAKETOP_SERVICES_SPARK_H

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
/* The number after an option of a process's words: "--webui-port 8082", "spark.ui.port=4041"; 0: it is not there. */
uint16_t spark_option_port(struct text hint, const char *option);
/* Spark's web servers move up by at most 16 where their port is taken. */
bool spark_port_near(uint16_t port, uint16_t wanted);

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
	{"storage_used", "storage", UNIT_BYTES, 0, "memory that cached data takes"}, \
	{"storage", "storage limit", UNIT_BYTES, 0, "memory that cached data may take"}, \
	{"application", "application", UNIT_NONE, 0, "its id"}, \
	{"name", "name", UNIT_NONE, 0, "as its owner called it"}, \
	{"user", "user", UNIT_NONE, 0, "who started it"}, \
	{"started", "started", UNIT_TIME, 0, "when it was started"}

extern const struct column_spec spark_job_columns[], spark_stage_columns[], spark_executor_columns[];
#define SPARK_DRIVER_TABLES \
	{"jobs", "jobs that run or failed, newest first", spark_job_columns}, \
	{"stages", "stages that run or wait", spark_stage_columns}, \
	{"executors", "executors, and the driver", spark_executor_columns}

struct spark_specs { /* of the kind that asks; they hold the above */
	const struct figure_spec *figures;
	const struct table_spec *tables;
};
struct spark_work { /* what a verdict needs of it */
	char version[SPARK_VERSION_SIZE];
	int64_t jobs_active, jobs_failed;
	int64_t starving;      /* ms since 1970: submission of the oldest running job of which no task runs; 0: none */
	int64_t slots;         /* cores of all that is alive */
	int64_t failed_at;     /* newest failure, ms since 1970; 0: none */
	char failed[120];      /* which */
	int64_t executors_lost; /* ended, and not because they were idle */
	int64_t lost_at;
	char lost[120];        /* why the newest one ended */
};
/* Pure: one REST answer each. */
bool spark_read_application(const struct json *applications, const struct spark_specs *specs, struct snapshot *s,
	char id[SPARK_ID_SIZE], struct spark_work *work);
void spark_read_jobs(const struct json *jobs, const struct spark_specs *specs, struct snapshot *s, struct spark_work *work);
void spark_read_stages(const struct json *stages, const struct spark_specs *specs, struct snapshot *s);
void spark_read_executors(const struct json *executors, const struct spark_specs *specs, struct snapshot *s,
	struct spark_work *work);
/* Asks for all of it. false: s->err says what failed; what was had is there. */
bool spark_inspect_driver(struct probe *p, const struct endpoint *at, const struct spark_specs *specs, struct snapshot *s,
	struct spark_work *work);
/* Sets the health that follows from work: of a driver that answers. */
void spark_judge_work(const struct spark_work *work, int64_t now, const char *source, struct snapshot *s);

/* ---- of single kinds, here for their tests; pure ---- */
bool spark_is_master_status(const char *status);
/* now: the master's own clock, ms since 1970; 0 unknown. false: not a master's /json/. */
bool spark_read_master(const struct json *root, int64_t now, const char *source, const struct spark_specs *specs,
	struct snapshot *s);

bool spark_is_worker(const struct json *root);
bool spark_read_worker(const struct json *root, const struct spark_specs *specs, struct snapshot *s);
bool spark_read_worker_gauges(const struct json *metrics, const struct spark_specs *specs, struct snapshot *s);
/* The port of its master's web server, where that is on the worker's own machine; 0: it is not, or has none. */
uint16_t spark_master_beside(const struct json *worker);
void spark_judge_worker(const struct json *workers, const char *id, const char *source, struct snapshot *s);
/* Adds the rows; returns how many applications are in the list. */
size_t spark_read_history(const struct json *list, bool completed, struct snapshot *s, struct table *t, int64_t *newest);

#endif
