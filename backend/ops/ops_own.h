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
/* An argv as a person would type it: words with blanks or quotes stand in single quotes. Appends to out. */
void argv_words(const char *const *argv, char *out, size_t size);

#endif
