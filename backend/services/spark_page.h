// SPDX-License-Identifier: MIT
/*
 * What only the pages of Spark's web servers say, read off their tables: rows and cells by tag, never
 * by a tree. Pure, tested and fuzzed as spark.
 */
#ifndef LAKETOP_SERVICES_SPARK_PAGE_H
#define LAKETOP_SERVICES_SPARK_PAGE_H

#include "spark.h"

/* The rows of the table with that id; with NULL of the first table. Takes what is left of it where the page is cut. */
bool page_table(struct text html, const char *id, struct text *rows);
bool page_row(struct text *rows, struct text *row);   /* takes the next one */
bool page_cell(struct text *row, struct text *cell);  /* likewise */
/* Moves behind the first mark; false: it is not there. */
bool page_skip(struct text *t, const char *mark);
/* The text of a cell: tags are left out, entities are characters again, what a click would show is cut off. */
char *page_text(char *out, size_t size, struct text cell);
/* What a click would show: a stack trace; empty where there is none. */
char *page_more(char *out, size_t size, struct text cell);
/* "2 minutes 10 seconds", "447 ms" */
bool page_span(struct text t, int64_t *ms);
/* "Executor Summary (12)": the number behind a heading that is there */
bool page_count(struct text html, const char *heading, int64_t *n);

/*
 * Why a stage, a job, a query failed, in one line: Spark's own words about whose task it was are left
 * out where a cause follows, and of a Python traceback its last line is the cause.
 */
char *spark_reason(char *out, size_t size, struct text reason);

/* ---- the page of one application, by a master ---- */
struct spark_app_page {
	int64_t started;  /* executors that were ever begun; at least, where the page was cut */
	int64_t alive, lost; /* lost: ended, and not because somebody let them go */
	bool cut;
	char ui[96];      /* the address of its driver's web UI; "" not said */
};
bool spark_read_app_page(struct text html, struct spark_app_page *out);

struct spark_seen_app { /* what the page of an active application said */
	char id[SPARK_ID_SIZE];
	struct spark_app_page page;
	int64_t looked;                /* clock_ms(); 0: not yet */
	int64_t was_looked, was_lost;  /* an earlier look, a minute ago at most, and how many were lost by then */
	int64_t dying, span;           /* executors that died within so many ms, while that is a crash loop; 0: it is none */
	int64_t asked_cores;           /* clock_ms(): when its driver was asked for the next two; 0: not yet */
	int64_t executor_cores;        /* of one executor; 1: it takes what there is; 0: not known */
	int64_t cores_max;             /* of all of them; 0: no limit, or not known */
};
/* Takes in a further look; age: ms since the application began; cores: that it holds. */
void spark_see_app(struct spark_seen_app *known, const struct spark_app_page *page, int64_t cores, int64_t age, int64_t now);

#endif
