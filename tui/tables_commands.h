// SPDX-License-Identifier: MIT
/* laketop tables, table and plan, which commands.c runs. Main thread. */
#ifndef LAKETOP_TUI_TABLES_COMMANDS_H
#define LAKETOP_TUI_TABLES_COMMANDS_H

#include "report.h"
#include "run.h"

enum { WITHIN_MS = 8000 };

/* ---- of commands.c: running until something holds ---- */
typedef bool (*holds)(const struct lake *lake, const void *ctx);
/* True where it held before the deadline. The lake is the newest one either way. */
bool run_until(struct engine *engine, int64_t deadline, holds test, const void *ctx);

const struct report_action *plan_action(const struct options *o); /* NULL: said which there are */
bool tables_told(const struct lake *lake, const void *engine);
int print_tables(const struct setup *setup, struct engine *engine, struct buf *out);
int print_table(const struct setup *setup, struct engine *engine, struct buf *out);
/* The only table of that name as CATALOG.NAME, by a catalog that has an engine where one does. False: said why, *code is the command's;
 * of one that a silent catalog may have *code is EXIT_UNKNOWN, and nothing is said. */
bool place_table(const struct lake *lake, const char *name, char *out, size_t room, int *code);
int print_plan(const struct setup *setup, struct engine *engine, struct buf *out);

#endif
