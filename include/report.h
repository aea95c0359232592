// SPDX-License-Identifier: MIT
/*
 * The same facts as text: status, check, wait, ports, and the JSON documents of --json. Pure over a
 * lake; the caller prints. Shapes: tests/schema/status.json. UI or main thread.
 */
#ifndef LAKETOP_REPORT_H
#define LAKETOP_REPORT_H

#include "lake.h"

enum exit_code {
	EXIT_READY = 0, EXIT_NOT_READY = 1, EXIT_USAGE = 2, EXIT_UNKNOWN = 3, EXIT_REFUSED = 4, EXIT_DISAGREES = 5, EXIT_TIME = 6,
};

struct report_options {
	bool json, tables, csv;
	const char *service; /* one; NULL: all */
	const char *group;   /* of lag: its partitions too; NULL: all groups */
};
void report_status(const struct lake *lake, const struct report_options *options, struct buf *out);
void report_ports(const struct lake *lake, const struct report_options *options, struct buf *out);
void report_events(const struct lake *lake, struct buf *out);
/* Masters, workers, applications, stages, queries, Connect. EXIT_UNKNOWN: no Spark answered. */
enum exit_code report_spark(const struct lake *lake, const struct report_options *options, struct buf *out);
/* Consumer groups and streaming queries. EXIT_UNKNOWN: no Kafka answered, or none knows the group. Partitions are asked
 * for: first until report_lag_told, then the questions, then this. */
enum exit_code report_lag(const struct lake *lake, const struct report_options *options, struct buf *out);
extern const char *const report_lag_kinds[]; /* whose services matter to it; ends with NULL */
bool report_lag_told(const struct lake *lake);
struct report_question {
	const char *service, *view, *subject;
};
size_t report_lag_questions(const struct lake *lake, const struct report_options *options, struct report_question *out, size_t most);
/* Every table of every catalog. EXIT_UNKNOWN: no catalog answered. */
enum exit_code report_tables(const struct lake *lake, const struct report_options *options, struct buf *out);
bool report_tables_told(const struct lake *lake); /* every catalog was read, or failed */
/* One table, from the answers to report_table_views, each NULL where it was not asked or did not answer. The last view is of files. */
extern const char *const report_table_views[]; /* ends with NULL */
enum exit_code report_table(const struct lake *lake, const struct lake_table *t, const struct snapshot *const *answers,
	const struct report_options *options, struct buf *out);
/* What a cure would do: plan is the answer to the view of its name, or NULL. */
struct report_action { const char *name, *format; };
extern const struct report_action report_actions[]; /* ends with a name of NULL */
bool report_action_fits(const struct report_action *action, const struct lake_table *t);
enum exit_code report_plan(const struct lake *lake, const struct lake_table *t, const char *action, const struct snapshot *plan,
	const struct report_options *options, struct buf *out);
/* Rows of a table: who is to be asked for them, then what came. notes: what else there is to say, in lines. EXIT_UNKNOWN: the engine
 * knows no such table, or does not answer. */
struct report_rows {
	char service[NAME_SIZE], subject[512];
};
/* engine: a service, for a name that begins with what that calls the catalog; NULL: that of the table's catalog, which the name may begin
 * with. False: err says why nobody can be asked. */
const struct catalog *report_rows_catalog(const struct profile *profile, const char *table); /* that the name begins with; NULL: none */
bool report_rows_ask(const struct profile *profile, const char *engine, const char *table, int64_t limit, struct report_rows *out,
	struct err *err);
enum exit_code report_rows(const struct lake *lake, const struct report_options *options, const struct report_rows *asked, struct buf *out,
	struct buf *notes);
void report_versions(struct buf *out); /* of laketop and its libraries, for --version and doctor */
/* One line, and its exit code. names NULL: the required services. */
enum exit_code report_check(const struct lake *lake, const char *const *names, struct buf *out);
enum exit_code report_ready(const struct lake *lake); /* of status */

/* wait --for SERVICE=VERDICT[@VERSION] */
struct condition {
	char service[NAME_SIZE];
	enum verdict verdict;
	char version[32]; /* "" any */
};
bool condition_parse(const char *s, struct condition *out, struct err *err);
bool condition_met(const struct lake *lake, const struct condition *c);

/* The codec of --record and --replay: one snapshot, one line. */
bool snapshot_write(const struct snapshot *s, struct buf *out);
struct snapshot *snapshot_read(struct text line, struct err *err); /* NULL: err says why */

#endif
