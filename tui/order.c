// SPDX-License-Identifier: MIT
/* See order.h. */
#include "order.h"

#include <string.h>

#include "service.h"

static bool is_listed(const struct order *o, const struct service *s)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->list[i] == s)
			return true;
	return false;
}

static void add_with_needs(const struct lake *lake, struct order *o, const struct service *s, int depth)
{
	if (!s || !s->expected || is_listed(o, s) || o->n == sizeof o->list / sizeof *o->list || depth > 32)
		return;
	for (const char *const *need = s->expected->needs; need && *need; need++)
		add_with_needs(lake, o, lake_service(lake, *need), depth + 1);
	if (!is_listed(o, s))
		o->list[o->n++] = s;
}

static bool is_wanted(const struct service *s, const char *version)
{
	return !version || (s->expected && s->expected->version && version_meets(s->expected->version, version));
}

void order_add(struct order *o, const struct lake *lake, const char *name, const char *version, bool start)
{
	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *s = lake->services[i];
		bool fits = !strcmp(s->name, name) || (!strcmp(name, "all") && s->required) ||
			(!lake_service(lake, name) && s->expected && s->kind && !strncmp(s->kind->name, name, strlen(name)) && s->kind->name[strlen(name)] == '-');

		if (fits && is_wanted(s, version) && start)
			add_with_needs(lake, o, s, 0);
		else if (fits && is_wanted(s, version) && !is_listed(o, s) && o->n < sizeof o->list / sizeof *o->list)
			o->list[o->n++] = s;
	}
}

void order_reverse(struct order *o, const struct lake *lake)
{
	struct order sorted = {.n = 0};

	for (size_t i = 0; i < o->n; i++)
		add_with_needs(lake, &sorted, o->list[i], 0);
	for (size_t i = 0; i < sorted.n; i++)
		if (!is_listed(o, sorted.list[i])) {
			memmove(sorted.list + i, sorted.list + i + 1, (sorted.n - i - 1) * sizeof *sorted.list);
			sorted.n--;
			i--;
		}
	for (size_t i = 0; i < o->n; i++) /* found ones have no needs */
		if (!is_listed(&sorted, o->list[i]))
			sorted.list[sorted.n++] = o->list[i];
	for (size_t i = 0; i < sorted.n; i++)
		o->list[i] = sorted.list[sorted.n - 1 - i];
	o->n = sorted.n;
}

bool order_needs_nothing(const struct lake *lake, const struct service *s, const char *verb)
{
	enum verdict v = s->verdict.shown.verdict;

	return !strcmp(verb, "start") ? v == VERDICT_SERVING || service_waits_for_others(lake, s)
	     : !strcmp(verb, "stop") ? (v == VERDICT_ABSENT || v == VERDICT_STOPPED) && !s->verdict.shown.owner.pid : false;
}
