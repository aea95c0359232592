// SPDX-License-Identifier: MIT
/* What the files of backend/ops/ share. */
#ifndef LAKETOP_OPS_OWN_H
#define LAKETOP_OPS_OWN_H

#include "action.h"
#include "lake.h"

/* ways.c: start and stop by what a service really is */
extern const struct action_spec action_start, action_stop, action_restart;

/* Fills what the lake knows of a service. False: why says it is not known. */
bool target_fill(const struct lake *lake, const char *service, struct action_target *out, char why[200]);
/* containers.c: path of the engine's API. starts: it must live for a moment, too. */
bool container_run(struct action_job *j, const char *path, bool starts, struct err *err);
/* Of the engine's answers; pure: the last line of a log, framed or plain; did it end, and how. */
void container_last_words(struct text log, char *out, size_t size);
bool container_has_ended(struct text inspected, int64_t *code, char *error, size_t size);

/* An argv as a person would type it: words with blanks or quotes stand in single quotes. Appends to out. */
void argv_words(const char *const *argv, char *out, size_t size);

#endif
