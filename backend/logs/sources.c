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
	return text_ends(text_of(unit), ".service") && strncmp(unit, "user@", 5) != 0 && strncmp(unit, "docker.", 7) != 0 &&
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

/* Of a container, what it prints; its files are not ours to see. */
static const struct process *process_of(const struct lake *lake, const struct owner *owner)
{
	return owner->pid && !owner->probable && !owner->container[0] ? facts_process(lake->facts, owner->pid) : NULL;
}

void log_sources_keep(const struct lake *lake, struct service *service)
{
	const struct process *p = process_of(lake, &service->verdict.shown.owner);

	if (!p || !p->logs || !p->logs[0])
		return;
	for (service->n_logs = 0; service->n_logs < LOGS_KNOWN_MAX && p->logs[service->n_logs]; service->n_logs++)
		text_copy(service->logs[service->n_logs], sizeof service->logs[0], text_of(p->logs[service->n_logs]));
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
	if (s.n > n)
		return s.n;
	for (size_t i = 0; i < service->n_logs; i++) /* nobody says it: what its process writes */
		add(&s, LOG_FILE, service->logs[i]);
	return s.n;
}

/* ---- Spark: what a worker keeps of executors and drivers ---- */

static bool is_a(const struct service *s, const char *kind)
{
	return s->kind && !strcmp(s->kind->name, kind);
}

static const char *words_of(struct value v)
{
	return v.type == VALUE_TEXT ? v.u.s : "";
}

/* What may stand in a URL as it is. */
static bool is_plain(struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", t.at[i]))
			return false;
	return t.len > 0 && t.len < 100;
}

static void add_from_worker(struct sources *s, const struct service *worker, const char *what, const char *word, bool ended)
{
	struct log_source *to = &s->out[s->n];

	for (size_t i = 0; i < s->n; i++)
		if (s->out[i].kind == LOG_WORKER && s->out[i].port == worker->at.port && !strcmp(s->out[i].at, what))
			return;
	if (s->n == s->most)
		return;
	*to = (struct log_source){.kind = LOG_WORKER, .port = worker->at.port, .ended = ended};
	text_copy(to->address, sizeof to->address, text_of(worker->at.address));
	text_copy(to->at, sizeof to->at, text_of(what));
	text_clean(to->service, sizeof to->service, text_of(word));
	s->n++;
}

/* "demand forecast/0": the application's name; where it is not known, what tells its id from others: "0003/0". */
static void add_executor(struct sources *s, const struct service *worker, struct text app, const char *name, const char *number,
	bool ended)
{
	char what[256], word[NAME_SIZE];
	size_t tail = app.len;

	while (tail && app.at[tail - 1] != '-')
		tail--;
	snprintf(what, sizeof what, "appId=%.*s&executorId=%s", (int)app.len, app.at, number);
	snprintf(word, sizeof word, "%.40s%.*s/%s", name, name[0] ? 0 : (int)(app.len - tail), app.at + tail, number);
	add_from_worker(s, worker, what, word, ended);
}

static void add_executors(struct sources *s, const struct service *worker, const char *table, struct text app)
{
	const struct table *t = snapshot_find_table(worker->depth, table);

	for (size_t row = t ? t->n_rows : 0; row-- > 0;) { /* those that ended last come first */
		struct value id = table_get(t, row, "id");
		char number[24];

		if (id.type != VALUE_INT || !text_is(app, words_of(table_get(t, row, "application"))))
			continue;
		snprintf(number, sizeof number, "%lld", (long long)id.u.i);
		add_executor(s, worker, app, words_of(table_get(t, row, "name")), number, !strcmp(table, "ended"));
	}
}

/* of: this worker alone; NULL: all of them. */
static void add_application(struct sources *s, const struct lake *lake, const struct service *of, struct text app)
{
	for (size_t i = 0; !of && i < lake->n_services; i++) { /* its driver, where we know it */
		const struct service *driver = lake->services[i];
		bool is_driver = is_a(driver, "spark-driver") || is_a(driver, "spark-connect");
		const char *id = is_driver ? words_of(snapshot_get(driver->depth, "application")) : "";

		if (is_driver && !id[0])
			id = words_of(snapshot_get(driver->pulse, "application"));
		if (id[0] && text_is(app, id))
			s->n = log_sources_of(lake, driver, s->out, s->n, s->most);
	}
	for (size_t i = 0; i < lake->n_services; i++)
		if (is_a(lake->services[i], "spark-worker") && (!of || of == lake->services[i])) {
			add_executors(s, lake->services[i], "executors", app);
			add_executors(s, lake->services[i], "ended", app);
		}
}

/* The master knows which worker runs it; where it does not, each is asked. */
static void add_driver(struct sources *s, const struct lake *lake, const struct service *of, struct text driver)
{
	const char *runs_at = "";
	char what[256], word[NAME_SIZE];
	bool found = false;

	for (size_t i = 0; i < lake->n_services; i++) {
		const struct table *t = snapshot_find_table(lake->services[i]->depth, "drivers");

		for (size_t row = 0; t && row < t->n_rows; row++)
			if (text_is(driver, words_of(table_get(t, row, "id"))))
				runs_at = words_of(table_get(t, row, "worker"));
	}
	snprintf(what, sizeof what, "driverId=%.*s", (int)driver.len, driver.at);
	snprintf(word, sizeof word, "%.*s", (int)driver.len, driver.at);
	for (int known = 1; known >= 0 && !found; known--)
		for (size_t i = 0; i < lake->n_services; i++) {
			const struct service *w = lake->services[i];

			if (!is_a(w, "spark-worker") || (of && of != w) || (known && !of && strcmp(words_of(snapshot_get(w->depth, "id")), runs_at) != 0))
				continue;
			add_from_worker(s, w, what, word, false);
			found = true;
		}
}

/* "app-1/0" behind "WORKER/", or without it. */
static void add_part(struct sources *s, const struct lake *lake, const struct service *of, struct text part)
{
	struct text id = text_until(part, '/'), executor = text_after(part, '/');

	if (of && !is_a(of, "spark-worker")) /* a master, a driver, a history server: its workers have it */
		of = NULL;
	if (!is_plain(id))
		return;
	if (text_starts(id, "driver-"))
		add_driver(s, lake, of, id);
	else if (!executor.len)
		add_application(s, lake, of, id);
	for (size_t i = 0; executor.len && is_plain(executor) && i < lake->n_services; i++)
		if (is_a(lake->services[i], "spark-worker") && (!of || of == lake->services[i])) {
			char number[32];

			text_copy(number, sizeof number, executor);
			add_executor(s, lake->services[i], id, "", number, false);
		}
}

/* The longest service that a name begins with: "found:8081/app-1" is of "found:8081". */
static const struct service *service_before(const struct lake *lake, const char *name, struct text *part)
{
	for (size_t i = 0; i < lake->n_services; i++) {
		struct text rest = text_of(name);

		if (text_skip(&rest, lake->services[i]->name) && text_skip(&rest, "/")) {
			*part = rest;
			return lake->services[i];
		}
	}
	return NULL;
}

static bool is_part(struct text t)
{
	return text_starts(t, "app-") || text_starts(t, "driver-") || text_starts(t, "local-");
}

size_t log_sources_named(const struct lake *lake, const char *name, struct log_source *out, size_t n, size_t most)
{
	const struct service *service = lake_service(lake, name), *before;
	struct sources s = {.out = out, .n = n, .most = most};
	struct text part = text_of(name);

	if (service)
		return log_sources_of(lake, service, out, n, most);
	before = service_before(lake, name, &part);
	if (before || is_part(part))
		add_part(&s, lake, before, part);
	return s.n;
}

static bool is_seen(const struct service *service)
{
	return service->verdict.shown.owner.pid && !service->verdict.shown.owner.probable;
}

const char *log_sources_why(const struct lake *lake, const char *name, char out[240])
{
	const struct service *service = lake_service(lake, name);
	const struct process *p = service ? process_of(lake, &service->verdict.shown.owner) : NULL;
	struct text part = text_of(name);

	if (!service && (service_before(lake, name, &part) || is_part(part)))
		snprintf(out, 240, "no worker that we know tells of an executor or driver of %.60s; name one: WORKER/%.60s/0", name, name);
	else if (p && p->log_words && p->log_words[0])
		snprintf(out, 240, "%.60s: %s; log = FILE in [service %.60s] says where it is", name, p->log_words, name);
	else if (service && (p ? !p->logs : !is_seen(service) && service->verdict.shown.links[LINK_LISTENING].state == LINK_OK))
		snprintf(out, 240, "%.60s: another user runs it, and hides where it writes; log = FILE in [service %.60s] says it",
			name, name);
	else if (service && service->verdict.begun && !is_seen(service))
		snprintf(out, 240, "%.60s does not run, so nobody tells where it wrote; log = FILE in [service %.60s] says it", name, name);
	else
		snprintf(out, 240, "where the log of %.60s is, nobody knows: name it in the profile: log = FILE, container = NAME or unit = NAME", name);
	return out;
}
