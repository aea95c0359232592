// SPDX-License-Identifier: MIT
/* Where the log of a service is: the file that its profile names, its container, its unit. Pure over a lake. */
#include <stdio.h>
#include <string.h>

#include "lake.h"
#include "logs.h"

struct sources {
	struct log_source *out;
	size_t n, most;
	const char *service;
};

static void add(struct sources *s, enum log_kind kind, const char *at)
{
	struct log_source *to = &s->out[s->n];

	if (!at || !*at || s->n == s->most || strlen(at) >= sizeof to->at)
		return;
	for (size_t i = 0; i < s->n; i++) /* two services may share a container */
		if (s->out[i].kind == kind && !strcmp(s->out[i].at, at))
			return;
	*to = (struct log_source){.kind = kind};
	text_copy(to->service, sizeof to->service, text_of(s->service));
	text_copy(to->at, sizeof to->at, text_of(at));
	s->n++;
}

/* What systemd started for its own sake is nobody's log: sessions, scopes, slices. */
static bool is_service_unit(const char *unit)
{
	size_t len = strlen(unit);

	return len > 8 && !strcmp(unit + len - 8, ".service") && strncmp(unit, "user@", 5) != 0 && strncmp(unit, "docker.", 7) != 0 &&
		strncmp(unit, "containerd.", 11) != 0;
}

static const char *composed(const struct facts *docker, const struct expectation *e)
{
	for (size_t i = 0; docker && e->compose_service && i < docker->n_containers; i++) {
		const struct container *c = &docker->containers[i];

		if (!strcmp(c->service, e->compose_service) && (!e->compose_project || !strcmp(c->project, e->compose_project)))
			return c->name;
	}
	return NULL;
}

size_t log_sources_of(const struct lake *lake, const struct service *service, struct log_source *out, size_t n, size_t most)
{
	const struct expectation *e = service->expected;
	const struct owner *owner = &service->verdict.shown.owner;
	struct sources s = {.out = out, .n = n, .most = most, .service = service->name};

	if (e && e->log)
		add(&s, LOG_FILE, e->log);
	if (e && e->container)
		add(&s, LOG_CONTAINER, e->container);
	else if (e && composed(lake->docker, e))
		add(&s, LOG_CONTAINER, composed(lake->docker, e));
	else
		add(&s, LOG_CONTAINER, owner->container);
	if (e && e->unit)
		add(&s, LOG_UNIT, e->unit);
	else if (!owner->container[0] && is_service_unit(owner->unit))
		add(&s, LOG_UNIT, owner->unit);
	return s.n;
}
