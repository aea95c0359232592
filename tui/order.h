// SPDX-License-Identifier: MIT
/* "all", or a kind's beginning such as "spark": which services that is, and who comes first. Pure over a lake. */
#ifndef LAKETOP_TUI_ORDER_H
#define LAKETOP_TUI_ORDER_H

#include "lake.h"

struct order {
	const struct service *list[256];
	size_t n;
};
/* name: "all", a service's, or "spark", which is every service whose kind is spark-something. version: only such that expect it; NULL:
 * any. start: with all that they need, which comes first. */
void order_add(struct order *o, const struct lake *lake, const char *name, const char *version, bool start);
void order_reverse(struct order *o, const struct lake *lake); /* who is needed is stopped after who needs it */
bool order_needs_nothing(const struct lake *lake, const struct service *s, const char *verb); /* it is so already */

#endif
