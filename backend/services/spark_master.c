// SPDX-License-Identifier: MIT
/*
 * Spark standalone master: the web server on 8080 (8082 is common beside another one), and the
 * REST server for submissions on 6066. Its RPC port says nothing to anybody but Spark, and logs a
 * stack trace for a stray request: it is never asked. Its actor's thread.
 *
 * Who: /json/ has "aliveworkers" and "status"; no JSON has the version, so it is read off the
 * smallest page there is, that of an application which does not exist. Alive: one field of /json/.
 * How: the whole /json/: workers, applications, drivers. Its executors only the page of an
 * application has: asked of a few that are active, its beginning only, and seldom where it is long.
 *
 * An application's state here is no verdict of its work: one whose job failed is FINISHED like any,
 * and one whose executors die at once is RUNNING while they are begun again, forty a second.
 * Source: Spark's JsonProtocol.scala, MasterPage.scala, RestSubmissionServer.scala; checked on 4.0.5,
 * 4.1.4 and 4.2.1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "spark.h"
#include "spark_page.h"

#define SMALL_PAGE "/app/?appId=none"

enum { LATE_MS = 20000, UI_DEFAULT = 8080, REST_DEFAULT = 6066, RPC_DEFAULT = 7077 };
enum { PAGE_MOST = 64 << 10, PAGE_MS = 1000, PAGES_A_LOOK = 6, CUT_AGAIN_MS = 60000, CORES_AGAIN_MS = 15000, CORES_MS = 3000, CORES_A_LOOK = 4 };
enum { LOOP_LEAST = 10, LOOP_MS = 10000, LOOP_WINDOW_MS = 60000, SPARE_MS = 400 };
struct master { /* p->state */
	struct spark_told told;
	struct spark_seen_app apps[SPARK_PAGES_KEPT];
	int64_t look_began;
};

static const char *const statuses[] = {"ALIVE", "STANDBY", "RECOVERING", "COMPLETING_RECOVERY", NULL};

/* ---- reading; pure ---- */

bool spark_is_master_status(const char *status)
{
	for (size_t i = 0; status && statuses[i]; i++)
		if (!strcmp(status, statuses[i]))
			return true;
	return false;
}

/* A worker that is dead and came back under the same address is history. */
static bool came_back(const struct json *workers, const struct json *dead)
{
	const char *address = json_string(json_get(dead, "webuiaddress"));

	for (const struct json *w = json_first(workers); address && w; w = json_next(w))
		if (spark_state_is(w, "state", "ALIVE") && spark_state_is(w, "webuiaddress", address))
			return true;
	return false;
}

static bool is_late(const struct json *worker, int64_t now, int64_t *silent)
{
	int64_t beat;

	if (!spark_state_is(worker, "state", "ALIVE") || !json_i64(json_get(worker, "lastheartbeat"), &beat) || beat <= 0 || beat >= now - LATE_MS)
		return false;
	*silent = now - beat;
	return true;
}

static void worker_row(const struct json *workers, const struct json *worker, int64_t now, struct snapshot *s, struct table *t)
{
	struct value *row = table_row(s, t);
	int64_t silent;

	table_set(s, t, row, "id", json_value_text(worker, "id"));
	table_set(s, t, row, "state", json_value_text(worker, "state"));
	table_set(s, t, row, "host", json_value_text(worker, "host"));
	table_set(s, t, row, "cores", json_value_i64(worker, "cores"));
	table_set(s, t, row, "cores_used", json_value_i64(worker, "coresused"));
	table_set(s, t, row, "memory", spark_mebibytes(worker, "memory"));
	table_set(s, t, row, "memory_used", spark_mebibytes(worker, "memoryused"));
	table_set(s, t, row, "heartbeat", json_value_i64(worker, "lastheartbeat"));
	if (now > 0)
		table_set(s, t, row, "late", value_bool(is_late(worker, now, &silent)));
	if (spark_state_is(worker, "state", "DEAD"))
		table_set(s, t, row, "came_back", value_bool(came_back(workers, worker)));
	table_set(s, t, row, "ui", json_value_text(worker, "webuiaddress"));
}

static void worker_findings(const struct json *workers, const struct json *worker, int64_t now, struct snapshot *s)
{
	const char *id = json_string(json_get(worker, "id")), *state = json_string(json_get(worker, "state"));
	int64_t silent;
	char span[CLOCK_TEXT];

	if (!id || !state)
		return;
	if (!strcmp(state, "DEAD") && !came_back(workers, worker))
		snapshot_finding(s, "worker-dead", SEVERITY_WARNING, "start it again, or wait until the master forgets it", "%s is dead", id);
	else if (is_late(worker, now, &silent))
		snapshot_finding(s, "worker-late", SEVERITY_WARNING, NULL, "%s was last heard of %s ago, by the master's clock", id,
			clock_span(span, silent));
}

static int64_t read_workers(const struct json *workers, int64_t now, const struct spark_specs *specs, struct snapshot *s)
{
	struct table *t = snapshot_table(s, specs->tables, "workers");
	int64_t dead = 0;

	for (const struct json *w = json_first(workers); w; w = json_next(w)) {
		dead += spark_state_is(w, "state", "DEAD") && !came_back(workers, w);
		worker_findings(workers, w, now, s);
		if (t->n_rows < SPARK_ROWS_MAX)
			worker_row(workers, w, now, s, t);
		else
			t->left_off++;
	}
	return dead;
}

static void waiting_finding(const struct json *app, const struct spark_idle *idle, struct snapshot *s)
{
	const char *name = json_string(json_get(app, "name")), *id = json_string(json_get(app, "id"));

	snapshot_finding(s, "waiting", SEVERITY_WARNING, idle->remedy, "%.60s (%s) waits: %s", name ? name : "an application", id ? id : "without id",
		idle->why);
}

static const struct spark_seen_app *seen(const struct spark_seen_app *apps, const char *id)
{
	for (size_t i = 0; apps && id && i < SPARK_PAGES_KEPT; i++)
		if (apps[i].looked && !strcmp(apps[i].id, id))
			return &apps[i];
	return NULL;
}

static struct value counted(int64_t n, bool at_least)
{
	struct value v = value_int(n);

	v.at_least = at_least;
	return v;
}

static void app_row(const struct json *app, const struct spark_seen_app *known, const struct spark_idle *idle, struct snapshot *s, struct table *t)
{
	struct value *row;

	if (t->n_rows >= SPARK_ROWS_MAX) {
		t->left_off++;
		return;
	}
	row = table_row(s, t);
	table_set(s, t, row, "id", json_value_text(app, "id"));
	table_set(s, t, row, "name", json_value_text(app, "name"));
	table_set(s, t, row, "state", json_value_text(app, "state"));
	table_set(s, t, row, "cores", json_value_i64(app, "cores"));
	table_set(s, t, row, "memory", spark_mebibytes(app, "memoryperexecutor"));
	table_set(s, t, row, "user", json_value_text(app, "user"));
	table_set(s, t, row, "started", json_value_i64(app, "starttime"));
	table_set(s, t, row, "duration", json_value_i64(app, "duration"));
	table_set(s, t, row, "why", idle && idle->why[0] ? value_text(idle->why) : value_unknown());
	if (!known)
		return;
	table_set(s, t, row, "executors", counted(known->page.alive, known->page.cut));
	table_set(s, t, row, "executors_started", counted(known->page.started, known->page.cut));
	table_set(s, t, row, "executors_lost", counted(known->page.lost, known->page.cut));
	table_set(s, t, row, "driver_ui", known->page.ui[0] ? value_text(known->page.ui) : value_unknown());
}

static int newer_first(const void *a, const void *b)
{
	const struct json *const *x = a, *const *y = b;
	int64_t first = spark_number(*x, "starttime"), second = spark_number(*y, "starttime");

	return first == second ? 0 : first < second ? 1 : -1;
}

/* Those that run come in no order at all. */
static void app_rows(const struct json *root, bool active, const struct spark_seen_app *apps, struct snapshot *s, struct table *t)
{
	const struct json *list = json_get(root, active ? "activeapps" : "completedapps");
	size_t n = json_count(list), used = 0;
	const struct json **sorted = mem_new(n + 1, sizeof *sorted);
	struct spark_idle idle;

	for (const struct json *app = json_first(list); app && used < n; app = json_next(app))
		sorted[used++] = app;
	qsort(sorted, used, sizeof *sorted, newer_first);
	for (size_t i = 0; i < used; i++) {
		const struct spark_seen_app *known = active ? seen(apps, json_string(json_get(sorted[i], "id"))) : NULL;

		if (active)
			spark_why_idle(root, sorted[i], known, &idle);
		app_row(sorted[i], known, active ? &idle : NULL, s, t);
	}
	free(sorted);
}

static void loop_finding(const struct json *app, const struct spark_seen_app *known, struct snapshot *s)
{
	const char *name = json_string(json_get(app, "name"));
	char span[CLOCK_TEXT];

	if (known && known->dying)
		snapshot_finding(s, "executor-crash-loop", SEVERITY_WARNING, "read the stderr of one of them, on its worker's page",
			"executor crash loop: %s%lld executors of %.60s (%s) died in %s", known->page.cut ? "at least " : "", (long long)known->dying,
			name ? name : "an application", known->id, clock_span(span, known->span));
}

static void read_apps(const struct json *root, const struct spark_seen_app *apps, const struct spark_specs *specs, struct snapshot *s)
{
	struct table *t = snapshot_table(s, specs->tables, "applications");
	struct spark_idle idle;
	int64_t running = 0, waiting = 0;

	for (const struct json *app = json_first(json_get(root, "activeapps")); app; app = json_next(app)) {
		const struct spark_seen_app *known = seen(apps, json_string(json_get(app, "id")));

		spark_why_idle(root, app, known, &idle);
		running += spark_state_is(app, "state", "RUNNING");
		waiting += spark_state_is(app, "state", "WAITING");
		loop_finding(app, known, s);
		if (idle.waits)
			waiting_finding(app, &idle, s);
	}
	app_rows(root, true, apps, s, t);
	app_rows(root, false, NULL, s, t);
	snapshot_figure(s, specs->figures, "applications", value_int(running));
	snapshot_figure(s, specs->figures, "waiting", value_int(waiting));
	snapshot_figure(s, specs->figures, "completed", value_int((int64_t)json_count(json_get(root, "completedapps"))));
}

static struct value text_number(const struct json *object, const char *key)
{
	const char *digits = json_string(json_get(object, key));
	int64_t n;

	return digits && text_i64(text_of(digits), &n) ? value_int(n) : json_value_i64(object, key);
}

static void driver_rows(const struct json *drivers, struct snapshot *s, struct table *t)
{
	for (const struct json *driver = json_first(drivers); driver; driver = json_next(driver)) {
		struct value *row;

		if (t->n_rows >= SPARK_ROWS_MAX) {
			t->left_off++;
			continue;
		}
		row = table_row(s, t);
		table_set(s, t, row, "id", json_value_text(driver, "id"));
		table_set(s, t, row, "state", json_value_text(driver, "state"));
		table_set(s, t, row, "class", json_value_text(driver, "mainclass"));
		table_set(s, t, row, "worker", json_value_text(driver, "worker"));
		table_set(s, t, row, "cores", json_value_i64(driver, "cores"));
		table_set(s, t, row, "memory", spark_mebibytes(driver, "memory"));
		table_set(s, t, row, "started", text_number(driver, "starttime"));
	}
}

static void judge_master(const struct json *root, const char *source, struct snapshot *s)
{
	const char *status = json_string(json_get(root, "status"));
	int64_t alive = spark_number(root, "aliveworkers");

	if (!strcmp(status, "STANDBY"))
		snapshot_health(s, LINK_BAD, source, "is on standby: it takes no worker and no application");
	else if (strcmp(status, "ALIVE") != 0)
		snapshot_health(s, LINK_BAD, source, "recovers its applications and workers (%s)", status);
	else if (alive == 0)
		snapshot_health(s, LINK_BAD, source, "no worker is alive");
	else
		snapshot_health(s, LINK_OK, source, "%lld worker%s alive", (long long)alive, alive == 1 ? " is" : "s are");
}

bool spark_read_master(const struct json *root, int64_t now, const char *source, const struct spark_seen_app *apps,
	const struct spark_specs *specs, struct snapshot *s)
{
	const struct figure_spec *f = specs->figures;
	struct table *drivers;

	if (!spark_is_master_status(json_string(json_get(root, "status"))) || json_is_null(json_get(root, "aliveworkers")))
		return false;
	snapshot_figure(s, f, "status", json_value_text(root, "status"));
	snapshot_figure(s, f, "url", json_value_text(root, "url"));
	snapshot_figure(s, f, "workers", json_value_i64(root, "aliveworkers"));
	snapshot_figure(s, f, "cores", json_value_i64(root, "cores"));
	snapshot_figure(s, f, "cores_used", json_value_i64(root, "coresused"));
	snapshot_figure(s, f, "memory", spark_mebibytes(root, "memory"));
	snapshot_figure(s, f, "memory_used", spark_mebibytes(root, "memoryused"));
	judge_master(root, source, s);
	snapshot_figure(s, f, "workers_dead", value_int(read_workers(json_get(root, "workers"), now, specs, s)));
	read_apps(root, apps, specs, s);
	drivers = snapshot_table(s, specs->tables, "drivers");
	driver_rows(json_get(root, "activedrivers"), s, drivers);
	driver_rows(json_get(root, "completeddrivers"), s, drivers);
	snapshot_figure(s, f, "drivers", value_int((int64_t)json_count(json_get(root, "activedrivers"))));
	return true;
}

static bool is_loop(int64_t died, int64_t span, int64_t alive)
{
	return died >= LOOP_LEAST && died >= alive && span > 0 && died * LOOP_MS > span;
}

/* Do they die as soon as they start? By how many did within the last minute, or ever, if they still do. */
static void judge_loop(struct spark_seen_app *known, int64_t before, int64_t age)
{
	int64_t died = known->page.lost - known->was_lost, span = known->looked - known->was_looked;

	known->dying = 0;
	if (known->was_looked && is_loop(died, span, known->page.alive)) {
		known->dying = died;
		known->span = span;
	} else if (known->page.lost > before && is_loop(known->page.lost, age, known->page.alive)) {
		known->dying = known->page.lost;
		known->span = age;
	}
}

void spark_see_app(struct spark_seen_app *known, const struct spark_app_page *page, int64_t cores, int64_t age, int64_t now)
{
	int64_t before = known->page.lost;

	if (known->looked && (!known->was_looked || now - known->was_looked > LOOP_WINDOW_MS)) {
		known->was_lost = before;
		known->was_looked = known->looked;
	}
	known->page = *page;
	/* what is beyond the end was lost, but for as many as there are cores to run on */
	if (page->cut && page->started - cores > page->lost)
		known->page.lost = page->started - cores;
	known->looked = now;
	judge_loop(known, before, age);
}

/* ---- asking ---- */

static struct master *master_of(struct probe *p)
{
	if (!p->state)
		p->state = mem_new(1, sizeof(struct master));
	return p->state;
}

static struct spark_told *state_of(struct probe *p)
{
	return &master_of(p)->told;
}

/* Its place in what is remembered: its own, else that of one that is no longer active. NULL: there is none. */
static struct spark_seen_app *place_of(struct master *m, const struct json *active, const char *id)
{
	struct spark_seen_app *free_one = NULL;

	for (size_t i = 0; i < SPARK_PAGES_KEPT; i++) {
		const struct json *app = json_first(active);

		if (!strcmp(m->apps[i].id, id))
			return &m->apps[i];
		while (app && !spark_state_is(app, "id", m->apps[i].id))
			app = json_next(app);
		if (!app && !free_one)
			free_one = &m->apps[i];
	}
	if (free_one) {
		*free_one = (struct spark_seen_app){0};
		text_copy(free_one->id, sizeof free_one->id, text_of(id));
	}
	return free_one;
}

static void ask_app(struct probe *p, struct spark_seen_app *known, int64_t age, int64_t cores)
{
	char path[SPARK_ID_SIZE + 20];
	struct http_request request = {.path = path, .most = PAGE_MOST, .timeout_ms = PAGE_MS};
	struct http_answer answer;
	struct spark_app_page page;

	snprintf(path, sizeof path, "/app/?appId=%s", known->id);
	/* of a long page its beginning says how many executors there were */
	http_ask(p, &p->at, &request, &answer, NULL);
	if (spark_read_app_page(buf_text(&answer.body), &page))
		spark_see_app(known, &page, cores, age, clock_ms());
	http_answer_free(&answer);
}

/* Of those that are active: the ones that were looked at longest ago, a few at a time. */
static void ask_apps(struct probe *p, struct master *m, const struct json *root)
{
	const struct json *active = json_get(root, "activeapps");

	for (int asked = 0; asked < PAGES_A_LOOK && wait_left(p->wait) > SPARE_MS; asked++) {
		struct spark_seen_app *oldest = NULL;
		const struct json *of = NULL;

		for (const struct json *app = json_first(active); app; app = json_next(app)) {
			const char *id = json_string(json_get(app, "id"));
			struct spark_seen_app *place = spark_is_id(id) ? place_of(m, active, id) : NULL;

			if (!place || place->looked >= m->look_began || (place->page.cut && clock_ms() - place->looked < CUT_AGAIN_MS))
				continue;
			if (!oldest || place->looked < oldest->looked) {
				oldest = place;
				of = app;
			}
		}
		if (!oldest)
			return;
		ask_app(p, oldest, spark_number(of, "duration"), spark_number(of, "cores"));
		if (oldest->looked < m->look_began)
			return; /* no answer: not again and again */
	}
}

/* How many cores an executor takes, only its driver says: a hundred kilobytes, asked once of one that waits, on this machine alone. */
static void ask_cores(struct probe *p, struct master *m, const struct json *root)
{
	const struct wait wait = p->wait;
	struct err err;
	int asked = 0;

	for (const struct json *app = json_first(json_get(root, "activeapps")); app && asked < CORES_A_LOOK; app = json_next(app)) {
		const char *id = json_string(json_get(app, "id"));
		struct spark_seen_app *known = spark_is_id(id) ? place_of(m, json_get(root, "activeapps"), id) : NULL;
		struct endpoint driver = p->at;
		char path[SPARK_ID_SIZE + 40];
		struct spark_reply reply;

		if (!known || known->executor_cores || spark_number(app, "cores") > 0 || !spark_state_is(app, "state", "WAITING") ||
		    (known->asked_cores && clock_ms() - known->asked_cores < CORES_AGAIN_MS))
			continue;
		driver.port = spark_port_beside(known->page.ui, json_string(json_get(root, "url")), TEXT(""));
		if (!driver.port || wait_left(wait) < SPARE_MS)
			continue;
		known->asked_cores = clock_ms();
		snprintf(path, sizeof path, "/api/v1/applications/%s/environment", id);
		p->wait = wait_for(wait_left(wait) < CORES_MS ? wait_left(wait) : CORES_MS, wait.cancel); /* its REST is set up by the first question */
		if (spark_get(p, &driver, path, "application/json", &reply, &err))
			spark_read_cores(reply.json, known);
		p->wait = wait;
		spark_reply_free(&reply);
		asked++;
	}
}

/* The submission server refuses / with its version; it is a part of the same process. */
static enum answered identify_rest(struct probe *p, struct identity *who)
{
	struct http_answer answer;
	struct err err = {0};
	struct json *root = NULL;
	const char *version;
	int64_t begun = clock_ms();
	enum answered answered;

	if (!http_get(p, &p->at, "/", &answer, &err)) {
		who->source = arena_clean(p->arena, text_of(err.words));
		answered = spark_answered(err.code, answer.status != 0);
	} else {
		root = json_parse(buf_text(&answer.body), NULL);
		version = json_string(json_get(root, "serverSparkVersion"));
		if (version && spark_is_version(text_of(version))) {
			answered = identity_say(p, who, &kind_spark_master, "rest", SURE_EXACT, version, "serverSparkVersion of GET /",
				asked_in(p, "GET /", begun));
		} else {
			who->says = arena_printf(p->arena, "HTTP %ld", answer.status);
			answered = ANSWERED_OTHER;
		}
	}
	json_free(root);
	http_answer_free(&answer);
	return answered;
}

static enum answered identify(struct probe *p, struct identity *who)
{
	struct spark_told *told = state_of(p);
	struct spark_reply reply;
	struct err err;
	enum answered answered;
	const char *status;

	if (role_is(probe_role(p, &kind_spark_master), "rest"))
		return identify_rest(p, who);
	if (!spark_get(p, &p->at, "/json/", "text/json", &reply, &err)) {
		answered = spark_failed(p, &kind_spark_master, &reply, &err, who);
		spark_reply_free(&reply);
		return answered;
	}
	status = json_string(json_get(reply.json, "status"));
	if (!spark_is_master_status(status) || json_is_null(json_get(reply.json, "aliveworkers"))) {
		who->source = arena_clean(p->arena, text_of(reply.source));
		answered = ANSWERED_OTHER;
	} else {
		spark_ask_version(p, SMALL_PAGE, told);
		answered = identity_say(p, who, &kind_spark_master, NULL, SURE_EXACT, told->version[0] ? told->version : NULL,
			"GET " SMALL_PAGE, reply.source);
	}
	spark_reply_free(&reply);
	return answered;
}

static enum answered pulse(struct probe *p, struct identity *who)
{
	struct spark_told *told = state_of(p);
	struct spark_reply reply;
	struct err err;
	enum answered answered;

	if (role_is(who->role, "rest"))
		return identify_rest(p, who);
	if (spark_version_due(p, told))
		return identify(p, who);
	if (!spark_get(p, &p->at, "/json/status", "text/json", &reply, &err)) {
		answered = spark_failed(p, &kind_spark_master, &reply, &err, who);
	} else {
		who->source = arena_clean(p->arena, text_of(reply.source));
		answered = spark_is_master_status(json_string(json_get(reply.json, "status"))) ? ANSWERED_YES : ANSWERED_OTHER;
	}
	spark_reply_free(&reply);
	return answered;
}

static const struct figure_spec figures[] = {
	{"workers", "workers", UNIT_COUNT, FIGURE_ROW | FIGURE_HISTORY, "workers that are alive"},
	{"applications", "apps", UNIT_COUNT, FIGURE_ROW | FIGURE_HISTORY, "applications that run"},
	{"waiting", "waiting", UNIT_COUNT, FIGURE_ROW, "applications that wait for cores or memory"},
	{"completed", "completed", UNIT_COUNT, 0, "applications that ended and are remembered; FINISHED says nothing of their jobs"},
	{"drivers", "drivers", UNIT_COUNT, 0, "drivers that the cluster runs"},
	{"workers_dead", "dead workers", UNIT_COUNT, 0, "workers that were lost and did not come back"},
	{"cores", "cores", UNIT_CORES, 0, "cores of all workers that are alive"},
	{"cores_used", "cores used", UNIT_CORES, FIGURE_HISTORY, "cores that applications hold"},
	{"memory", "memory", UNIT_BYTES, 0, "memory that workers offer"},
	{"memory_used", "memory used", UNIT_BYTES, FIGURE_HISTORY, "memory that applications hold"},
	{"status", "status", UNIT_NONE, 0, "ALIVE, STANDBY, RECOVERING, COMPLETING_RECOVERY"},
	{"url", "url", UNIT_NONE, 0, "what applications and workers connect to"},
	{0},
};

static const struct table_spec tables[] = {
	{"workers", "workers that the master knows", (const struct column_spec[]){
		{"id", VALUE_TEXT, UNIT_NONE, 0, "begins with when it was started"},
		{"state", VALUE_TEXT, UNIT_NONE, 0, "ALIVE, DEAD, DECOMMISSIONED, UNKNOWN"},
		{"host", VALUE_TEXT, UNIT_NONE, 5, "where it runs, as it says"},
		{"cores", VALUE_INT, UNIT_CORES, 1, "cores that it offers"},
		{"cores_used", VALUE_INT, UNIT_CORES, 1, "cores that are taken"},
		{"memory", VALUE_INT, UNIT_BYTES, 2, "memory that it offers"},
		{"memory_used", VALUE_INT, UNIT_BYTES, 2, "memory that is taken"},
		{"late", VALUE_BOOL, UNIT_NONE, 2, "not heard of for 20 s, by the master's clock"},
		{"came_back", VALUE_BOOL, UNIT_NONE, 3, "it is dead, and one that is alive has its address"},
		{"heartbeat", VALUE_INT, UNIT_TIME, 3, "when it was last heard of; every 15 s"},
		{"ui", VALUE_TEXT, UNIT_NONE, 4, "its web UI, as it says"},
		{0},
	}},
	{"applications", "applications, those that run first, newest first", (const struct column_spec[]){
		{"id", VALUE_TEXT, UNIT_NONE, 0, "its id"},
		{"name", VALUE_TEXT, UNIT_NONE, 0, "as its owner called it"},
		{"state", VALUE_TEXT, UNIT_NONE, 0, "WAITING, RUNNING, FINISHED, FAILED, KILLED; of the process, not of its jobs"},
		{"cores", VALUE_INT, UNIT_CORES, 1, "cores that it holds"},
		{"memory", VALUE_INT, UNIT_BYTES, 2, "memory of one executor"},
		{"duration", VALUE_INT, UNIT_MS, 2, "how long it ran"},
		{"why", VALUE_TEXT, UNIT_NONE, 1, "why it waits, or gets nothing done"},
		{"executors", VALUE_INT, UNIT_COUNT, 3, "executors that it has, while it is active"},
		{"executors_started", VALUE_INT, UNIT_COUNT, 3, "executors that were ever begun for it, while it is active"},
		{"executors_lost", VALUE_INT, UNIT_COUNT, 3, "of those the ones that died by themselves"},
		{"started", VALUE_INT, UNIT_TIME, 4, "when it was started"},
		{"user", VALUE_TEXT, UNIT_NONE, 4, "who started it"},
		{"driver_ui", VALUE_TEXT, UNIT_NONE, 5, "its driver's web UI, as it says, while it is active"},
		{0},
	}},
	{"drivers", "drivers that the cluster runs or ran", (const struct column_spec[]){
		{"id", VALUE_TEXT, UNIT_NONE, 0, "its id"},
		{"state", VALUE_TEXT, UNIT_NONE, 0, "SUBMITTED, RUNNING, FINISHED, RELAUNCHING, KILLED, FAILED, ERROR"},
		{"class", VALUE_TEXT, UNIT_NONE, 1, "its main class"},
		{"worker", VALUE_TEXT, UNIT_NONE, 2, "where it runs"},
		{"cores", VALUE_INT, UNIT_CORES, 3, "cores that it holds"},
		{"memory", VALUE_INT, UNIT_BYTES, 3, "memory that it holds"},
		{"started", VALUE_INT, UNIT_TIME, 4, "when it was submitted"},
		{0},
	}},
	{0},
};

static bool inspect(struct probe *p, struct snapshot *s)
{
	static const struct spark_specs specs = {figures, tables};
	struct master *m = master_of(p);
	struct spark_reply reply;
	bool good;

	m->look_began = clock_ms();
	good = spark_get(p, &p->at, "/json/", "text/json", &reply, &s->err);
	if (good && spark_is_master_status(json_string(json_get(reply.json, "status"))))
		ask_apps(p, m, reply.json);
	if (good)
		ask_cores(p, m, reply.json);
	if (good && !spark_read_master(reply.json, reply.served, reply.source, m->apps, &specs, s))
		good = err_set(&s->err, ERR_PARSE, "GET /json/: not of a master");
	spark_reply_free(&reply);
	return good;
}

static const char *role_of(struct text hint, uint16_t port)
{
	uint16_t ui = option_port(hint, "--webui-port"), rpc = option_port(hint, "--port");

	if (!rpc)
		rpc = option_port(hint, "-p");
	if (port == (rpc ? rpc : RPC_DEFAULT))
		return "rpc";
	if (spark_port_near(port, ui ? ui : UI_DEFAULT))
		return "ui";
	return spark_port_near(port, REST_DEFAULT) ? "rest" : NULL;
}

const struct service_kind kind_spark_master = {
	.name = "spark-master",
	.leads = "spark-worker",
	.title = "Spark master",
	.group = "compute",
	.ports = (const struct port_role[]){{"ui", UI_DEFAULT, PORT_ASK, 8082}, {"rpc", RPC_DEFAULT, PORT_SILENT, 7078},
		{"rest", REST_DEFAULT, PORT_ASK, 0}, {0}},
	.owners = (const char *const[]){"org.apache.spark.deploy.master.Master", NULL},
	.code_role = "rest",
	.figures = figures,
	.tables = tables,
	.role_of = role_of,
	.identify = identify,
	.pulse = pulse,
	.inspect = inspect,
	.close = free,
};
