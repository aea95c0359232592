// SPDX-License-Identifier: MIT
/* What the files of backend/ops/ share. */
#ifndef LAKETOP_OPS_OWN_H
#define LAKETOP_OPS_OWN_H

#include "action.h"
#include "lake.h"
#include "service.h"

/* ways.c: start and stop by what a service really is */
extern const struct action_spec action_start, action_stop, action_restart;
/* A start of what serves, a stop of what is not there: nothing is left to do. Pure. */
bool nothing_is_left_open(const struct lake *lake, const struct action_wish *w); /* of a table in a catalog that is known */

/* spark_kill.c, connectors.c, offsets.c, backends.c: parts of a service */
extern const struct action_spec action_kill, action_kill_driver, action_stop_query, action_pause, action_resume, action_restart_connector,
	action_restart_task, action_reset, action_reset_earliest, action_reset_latest, action_terminate;

/* What a master's page says of an application that is to be killed; pure. token: "" it wants none. */
enum kill_page { KILL_OFFERED, KILL_NOT_OFFERED, KILL_NOT_THERE };
enum kill_page spark_kill_page(struct text html, const char *id, char token[80]);
bool spark_killed(struct text body, struct err *err);
/* Where a group is to read on; pure. */
enum aim { AIM_EARLIEST, AIM_LATEST, AIM_OFFSET, AIM_TIME };
struct offset_aim {
	enum aim to;
	int64_t value; /* the offset, or ms since 1970 */
};
bool offset_aim_read(const char *to, int64_t now, struct offset_aim *out); /* now: ms since 1970 */
/* Within what the partition holds. at_time: of the first record that is young enough; -1: there is none. */
int64_t offset_aimed(const struct offset_aim *aim, int64_t beginning, int64_t end, int64_t at_time);
bool task_of(const char *subject, char *connector, size_t size, int64_t *task);

/* Whose secrets are masked in what it says. */
const struct profile *job_profile(const struct action_job *j);

/* asking.c: a probe of the job's service, as the profile says who we are there. For the worker. */
void job_probe(struct action_job *j, struct probe *out);
void job_probe_end(struct probe *p);
bool job_http(struct action_job *j, const struct endpoint *at, struct http_request *request, long *status, struct buf *body, struct err *err);
/* Rows of what a service told last. NULL: nothing is known. "", -1: likewise. */
const struct table *service_table(const struct lake *lake, const char *service, const char *name);
const char *row_text(const struct table *t, size_t row, const char *column);
int64_t row_int(const struct table *t, size_t row, const char *column);
bool row_of(const struct table *t, const char *column, const char *text, size_t *row);
bool seen_since(const struct lake *lake, const char *service, int64_t when); /* clock_ms() */
/* For offer: why something is not listed: it is not there (ERR_USAGE), or the service does not answer (ERR_CONNECT). */
enum err_code unless_known(const struct lake *lake, const char *service, const struct table *listed);
void say_unknown(const struct lake *lake, const char *service, const char *what, char why[200]); /* where that is ERR_CONNECT */
/* For offer: a part of a service of that kind. */
bool target_of_kind(const struct lake *lake, const struct action_wish *w, const char *kind, struct action_target *t, char why[200]);

/* Of one that was left open: was it of that profile (NULL: none)? What another profile calls by the same name is another thing. Pure. */
bool action_was_of(const struct action_shown *s, const struct profile *p);

/* ops.c: how the words of one that failed go on, where its log says more on the next lines */
#define LAST_WORDS "; its last words:"
/* What an earlier laketop began on the wish's thing and never ended. For the worker. */
struct audit_entry;
bool job_left_open(struct action_job *j, struct audit_entry *out);
bool job_end_entry(struct action_job *j, const struct audit_entry *entry, enum action_state how, const char *words, struct err *err);
/* maintain_open.c: and what becomes of it */
extern const struct action_spec action_interrupt;

/* maintain.c: a table, by Spark Connect, spark-sql or Trino */
extern const struct action_spec action_compact, action_expire, action_manifests, action_deletes, action_orphans, action_optimize, action_vacuum;

/* commands.c: programs of the profile; run.c: a runbook */
extern const struct action_spec action_generate, action_load, action_stream, action_stats, action_clean, action_command, action_run;
/* Of a job that is a run. */
const struct run_shown *run_of(const struct action_job *j);
/* laketop ends: what is not over is written down as cancelled there. */
void run_cut_short(struct action_job *j);

/* Fills what the lake knows of a service. False: why says it is not known. */
bool target_fill(const struct lake *lake, const char *service, struct action_target *out, char why[200]);
/* containers.c, of the engine's answers; pure: the last lines of a log, framed or plain; did it end, and how; why it was refused. */
void container_last_words(const struct profile *p, struct text log, char *out, size_t size);
struct container_end {
	bool ended, restarting;
	int64_t code, restarts; /* code -1: not told */
	char error[160];
};
bool container_read(struct text inspected, struct container_end *out); /* false: it is no inspection */
bool container_refused(long status, const char *says, struct err *err); /* false, err says so */
/* units.c, of systemctl's answers; pure */
const char *unit_remedy(struct text said, bool user);
/* The last three lines that say something, without frames of stack traces nor secrets of the profile; lines by '\n'. */
void last_lines(const struct profile *p, struct text log, char *out, size_t size);

/* The end of what a program said tells why: as many whole lines as fit, else the end of the last one. */
void say_why(struct text said, char *out, size_t size);
/* A line that a program said: clean, without secrets, and only then cut. Returns out. */
char *said_words(const struct profile *p, char *out, size_t size, struct text line);
/* An argv as a person would type it, but for secrets, those of the profile and those that their flags or keys tell: words with blanks or
 * quotes stand in single quotes. Appends to out. */
void argv_words(const struct profile *p, const char *const *argv, char *out, size_t size);

#endif
