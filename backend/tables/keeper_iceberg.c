// SPDX-License-Identifier: MIT
/* Iceberg tables for the keeper. */
#include "keeper_own.h"

#include <stdlib.h>

enum read_answer keeper_iceberg(struct keeper *k, struct probe *p, const struct storage *at, struct record *r, bool exact,
	struct spending *left, struct snapshot *s, struct table *t, struct value *row, struct err *err)
{
	(void)k, (void)p, (void)at, (void)r, (void)exact, (void)left, (void)s, (void)t, (void)row;
	err_set(err, ERR_SYSTEM, "its metadata is not read by this build");
	return READ_FAILED;
}

void keeper_forget(struct keeper *k)
{
	free(k->kept_name);
	free(k->kept_at);
	k->kept_name = k->kept_at = NULL;
}
