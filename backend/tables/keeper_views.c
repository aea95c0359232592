// SPDX-License-Identifier: MIT
/* What is asked of one table. */
#include "keeper_own.h"

bool keeper_view(struct keeper *k, struct probe *p, const struct storage *at, struct record *r, const char *view, struct snapshot *s)
{
	(void)k, (void)p, (void)at, (void)r;
	return err_set(&s->err, ERR_SYSTEM, "%s: its metadata is not read by this build", view);
}
