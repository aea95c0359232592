// SPDX-License-Identifier: MIT
/*
 * Trino: the coordinator's HTTP port, 8080. Its actor's thread.
 *
 * Who, and whether it serves: /v1/info, open to all. While "starting" is true it takes statements and
 * fails them; /v1/info/state says ACTIVE all the time and is no help.
 *
 * How: /v1/status for memory, /v1/query for its queries. Both are plain GETs and leave nothing. Nodes and
 * catalogs are to be had by statements only, and each is a row in the history, which keeps 100: they are asked
 * once in ten minutes, with laketop as their source. Rows are a statement each (trino_rows.c). A coordinator
 * without workers takes statements, too, and lets them wait: one that waits so, ours or anybody's, tells it.
 *
 * Over clear-text HTTP a password is never sent: Trino takes none there. A token is, to who answered /v1/info as Trino.
 * Source: ServerInfoResource.java, QueryResource.java, BasicQueryInfo.java; checked on 476.
 */
#include "trino.h"

#include <stdlib.h>
#include <string.h>

#include "kinds.h"

enum { SLOW_MS = 600000, AGAIN_MS = 5000, AGAIN_MOST = 60000, IN_VAIN_MS = 2000 };
enum { PORT = 8080, QUERIES_MAX = 200, QUERY_WORDS = 2000, EPHEMERAL = 32768, GRACE_MS = 180000, FIRST_MS = 3000 };

struct node {
	char id[96], version[32], state[32], uri[160];
	bool coordinator;
};
struct catalog {
	char name[128], connector[64];
};
struct slow { /* p->state: what is asked rarely */
	int64_t next;  /* clock_ms() from when on it is asked */
	int64_t pause; /* before it is asked again while there is no worker; it grows */
	struct node *nodes;
	struct catalog *catalogs;
	size_t n_nodes, n_catalogs, left_off;
	struct err err;
};
enum { NODES_MAX = 500, CATALOGS_MAX = 500 };

/* ---- reading; pure ---- */

static struct value text_at(const struct json *node, const char *path)
{
	return value_text(json_string(json_path(node, path)));
}

static struct value span_at(const struct json *node, const char *path)
{
	int64_t ms;

	return trino_duration(json_string(json_path(node, path)), &ms) ? value_int(ms) : value_unknown();
}

static struct value size_at(const struct json *node, const char *path)
{
	int64_t bytes;

	return trino_size(json_string(json_path(node, path)), &bytes) ? value_int(bytes) : value_unknown();
}

static const char *const waits[] = {"QUEUED", "WAITING_FOR_RESOURCES", "DISPATCHING", NULL};
static const char *const ends[] = {"FINISHED", "FAILED", NULL};

static bool among(const char *word, const char *const *words)
{
	for (; word && *words; words++)
		if (!strcmp(word, *words))
			return true;
	return false;
}

static void query_row(const struct json *q, struct snapshot *s, struct table *t)
{
	const char *sql = json_string(json_get(q, "query"));
	char words[QUERY_WORDS];
	struct value *row = t->n_rows < QUERIES_MAX ? table_row(s, t) : NULL;
	double percent;

	if (!row) {
		t->left_off += t->n_rows >= QUERIES_MAX;
		return;
	}
	table_set(s, t, row, "state", text_at(q, "state"));
	table_set(s, t, row, "user", text_at(q, "session.user"));
	table_set(s, t, row, "source", text_at(q, "session.source"));
	table_set(s, t, row, "query", value_text(text_copy(words, sizeof words, text_of(sql))));
	table_set(s, t, row, "elapsed", span_at(q, "queryStats.elapsedTime"));
	table_set(s, t, row, "queued", span_at(q, "queryStats.queuedTime"));
	if (!among(json_string(json_get(q, "state")), ends) && json_real(json_path(q, "queryStats.progressPercentage"), &percent))
		table_set(s, t, row, "progress", value_real(percent));
	table_set(s, t, row, "memory", size_at(q, "queryStats.peakUserMemoryReservation"));
	table_set(s, t, row, "read", size_at(q, "queryStats.physicalInputDataSize"));
	table_set(s, t, row, "error", text_at(q, "errorCode.name"));
	table_set(s, t, row, "group", json_value(json_first(json_get(q, "resourceGroupId"))));
	table_set(s, t, row, "id", text_at(q, "queryId"));
}

struct queries {
	int64_t running, queued, failed, broken; /* broken: failed by Trino's own fault, or for want of resources */
	int64_t in_vain;                         /* of the queued: they have waited for a worker for some time */
};

static bool is_broken(const struct json *q)
{
	static const char *const faults[] = {"INTERNAL_ERROR", "INSUFFICIENT_RESOURCES", "EXTERNAL", NULL};

	return among(json_string(json_get(q, "errorType")), faults);
}

static bool waits_in_vain(const struct json *q)
{
	const char *state = json_string(json_get(q, "state"));
	int64_t ms;

	return state && !strcmp(state, "WAITING_FOR_RESOURCES") && trino_duration(json_string(json_path(q, "queryStats.elapsedTime")), &ms) &&
		ms >= IN_VAIN_MS;
}

/* Those that run first, then those that wait, then the others as they come. */
static void read_queries(const struct json *list, struct snapshot *s, struct table *t, struct queries *out)
{
	for (int pass = 0; pass < 3; pass++)
		for (const struct json *q = json_first(list); q; q = json_next(q)) {
			const char *state = json_string(json_get(q, "state"));
			int rank = among(state, ends) ? 2 : among(state, waits) ? 1 : 0;

			if (rank != pass || !state)
				continue;
			out->running += rank == 0;
			out->queued += rank == 1;
			out->in_vain += waits_in_vain(q);
			out->failed += !strcmp(state, "FAILED");
			out->broken += !strcmp(state, "FAILED") && is_broken(q);
			query_row(q, s, t);
		}
}

/* The cell of a row by its column's name: columns come and go with versions. */
static const struct json *cell_named(const struct json *columns, const struct json *row, const char *name)
{
	const struct json *cell = json_first(row);

	for (const struct json *c = json_first(columns); c && cell; c = json_next(c), cell = json_next(cell)) {
		const char *own = json_string(json_get(c, "name"));

		if (own && !strcmp(own, name))
			return cell;
	}
	return NULL;
}

static void copy_cell(char *out, size_t size, const struct json *columns, const struct json *row, const char *name)
{
	text_clean(out, size, text_of(json_string(cell_named(columns, row, name))));
}

static bool take_nodes(void *ctx, const struct json *columns, const struct json *data)
{
	struct slow *slow = ctx;

	for (const struct json *row = json_first(data); row; row = json_next(row)) {
		struct node *n;

		if (slow->n_nodes == NODES_MAX) {
			slow->left_off++;
			continue;
		}
		n = &slow->nodes[slow->n_nodes++];
		copy_cell(n->id, sizeof n->id, columns, row, "node_id");
		copy_cell(n->version, sizeof n->version, columns, row, "node_version");
		copy_cell(n->state, sizeof n->state, columns, row, "state");
		copy_cell(n->uri, sizeof n->uri, columns, row, "http_uri");
		json_bool(cell_named(columns, row, "coordinator"), &n->coordinator);
	}
	return true;
}

static bool take_catalogs(void *ctx, const struct json *columns, const struct json *data)
{
	struct slow *slow = ctx;

	for (const struct json *row = json_first(data); row && slow->n_catalogs < CATALOGS_MAX; row = json_next(row)) {
		struct catalog *c = &slow->catalogs[slow->n_catalogs++];

		copy_cell(c->name, sizeof c->name, columns, row, "catalog_name");
		copy_cell(c->connector, sizeof c->connector, columns, row, "connector_name");
	}
	return true;
}

/* ---- who ---- */

/* /v1/info; NULL: err, or what it is instead, says why. */
static struct json *ask_info(struct probe *p, struct http_answer *answer, struct err *err)
{
	struct json *info = NULL;

	if (http_get(p, &p->at, "/v1/info", answer, err) && answer->status == 200)
		info = json_parse(buf_text(&answer->body), NULL);
	if (json_string(json_path(info, "nodeVersion.version")) && json_get(info, "coordinator"))
		return info;
	json_free(info);
	return NULL;
}

static enum answered say_failure(struct probe *p, const struct http_answer *answer, const struct err *err, const char *asked, struct identity *who)
{
	if (text_has(http_header(answer, "WWW-Authenticate"), "Trino"))
		return identity_say(p, who, &kind_trino, NULL, SURE_UNKNOWN, NULL, NULL, arena_printf(p->arena, "%s: asks for a credential", asked));
	if (answer->status > 0) {
		who->says = arena_printf(p->arena, "HTTP %ld, not Trino", answer->status);
		who->source = asked;
		return ANSWERED_OTHER;
	}
	who->source = arena_clean(p->arena, text_of(err->words));
	if (err->code == ERR_CONNECT)
		return ANSWERED_REFUSED;
	if (err->code == ERR_PROTOCOL && answer->heard) {
		who->says = who->source;
		return ANSWERED_OTHER;
	}
	return err->code == ERR_SYSTEM ? ANSWERED_NOT_ASKED : ANSWERED_MUTE;
}

static enum answered identify(struct probe *p, struct identity *who)
{
	int64_t begun = clock_ms();
	struct http_answer answer;
	struct err err = {0};
	struct json *info = ask_info(p, &answer, &err);
	const char *asked = asked_in(p, "GET /v1/info", begun);
	enum answered said;

	if (info)
		said = identity_say(p, who, &kind_trino, NULL, SURE_EXACT, json_string(json_path(info, "nodeVersion.version")), "GET /v1/info", asked);
	else
		said = say_failure(p, &answer, &err, asked, who);
	json_free(info);
	http_answer_free(&answer);
	return said;
}

/* ---- how ---- */

static const struct figure_spec figures[] = {
	{"running", "running", UNIT_COUNT, FIGURE_ROW | FIGURE_HISTORY, "queries that run"},
	{"queued", "queued", UNIT_COUNT, FIGURE_ROW | FIGURE_HISTORY, "queries that wait for a place"},
	{"failed", "failed", UNIT_COUNT, 0, "queries that failed, of those that it remembers"},
	{"nodes", "nodes", UNIT_COUNT, 0, "nodes that are active, the coordinator among them"},
	{"catalogs", "catalogs", UNIT_COUNT, 0, "catalogs that it knows"},
	{"heap_used", "heap", UNIT_BYTES, FIGURE_HISTORY, "of the coordinator"},
	{"heap_most", "heap max", UNIT_BYTES, 0, "what its heap may grow to"},
	{"cpu", "CPU", UNIT_PERCENT, FIGURE_HISTORY, "of the machine, by its process"},
	{"uptime", "up", UNIT_MS, 0, "since its process started"},
	{"environment", "environment", UNIT_NONE, 0, "its node.environment"},
	{0},
};

static const struct table_spec tables[] = {
	{"queries", "queries that run, then those that wait, then those that ended, as far as it remembers them", (const struct column_spec[]){
		{"state", VALUE_TEXT, UNIT_NONE, 0, "QUEUED, PLANNING, RUNNING, FINISHING, FINISHED, FAILED and some between"},
		{"user", VALUE_TEXT, UNIT_NONE, 1, "whose it is"},
		{"source", VALUE_TEXT, UNIT_NONE, 2, "the program that asked; ours is laketop"},
		{"query", VALUE_TEXT, UNIT_NONE, 0, "its beginning"},
		{"elapsed", VALUE_INT, UNIT_MS, 0, "since it came, or until it ended"},
		{"queued", VALUE_INT, UNIT_MS, 3, "how long it waited"},
		{"progress", VALUE_REAL, UNIT_PERCENT, 1, "of its splits"},
		{"memory", VALUE_INT, UNIT_BYTES, 2, "its peak"},
		{"read", VALUE_INT, UNIT_BYTES, 3, "from storage"},
		{"error", VALUE_TEXT, UNIT_NONE, 1, "why it failed"},
		{"group", VALUE_TEXT, UNIT_NONE, 5, "resource group"},
		{"id", VALUE_TEXT, UNIT_NONE, 4, "its id"},
		{0},
	}},
	{"nodes", "nodes, as of the last ten minutes", (const struct column_spec[]){
		{"node", VALUE_TEXT, UNIT_NONE, 0, "its id"},
		{"state", VALUE_TEXT, UNIT_NONE, 0, "active, inactive, shutting_down"},
		{"coordinator", VALUE_BOOL, UNIT_NONE, 1, "whether it coordinates"},
		{"version", VALUE_TEXT, UNIT_NONE, 1, "what it runs"},
		{"address", VALUE_TEXT, UNIT_NONE, 2, "by which the nodes know it"},
		{0},
	}},
	{"catalogs", "catalogs, as of the last ten minutes", (const struct column_spec[]){
		{"catalog", VALUE_TEXT, UNIT_NONE, 0, "its name in SQL"},
		{"connector", VALUE_TEXT, UNIT_NONE, 0, "what reads it"},
		{0},
	}},
	{0},
};

static struct slow *state_of(struct probe *p)
{
	struct slow *slow = p->state;

	if (!slow) {
		slow = mem_new(1, sizeof *slow);
		slow->nodes = mem_new(NODES_MAX, sizeof *slow->nodes);
		slow->catalogs = mem_new(CATALOGS_MAX, sizeof *slow->catalogs);
		p->state = slow;
	}
	return slow;
}

static void close_state(void *state)
{
	struct slow *slow = state;

	free(slow->nodes);
	free(slow->catalogs);
	free(slow);
}

/* Two statements, once in ten minutes. Without a worker they wait until our time is up: then seldom, for each is in the history. */
static void ask_slow(struct probe *p, struct slow *slow)
{
	if (clock_ms() < slow->next)
		return;
	slow->n_nodes = slow->n_catalogs = slow->left_off = 0;
	if (trino_run(p, "SELECT * FROM system.runtime.nodes", take_nodes, slow, &slow->err))
		trino_run(p, "SELECT * FROM system.metadata.catalogs", take_catalogs, slow, &slow->err);
	slow->pause = slow->err.code != ERR_CONNECT ? 0 : !slow->pause ? AGAIN_MS : slow->pause < AGAIN_MOST / 2 ? slow->pause * 2 : AGAIN_MOST;
	if (slow->err.code != ERR_TIMEOUT && slow->err.code != ERR_CANCELLED) /* the first statement after a start loads classes: it comes again */
		slow->next = clock_ms() + (slow->pause ? slow->pause : SLOW_MS);
}

static void tell_slow(const struct slow *slow, struct snapshot *s)
{
	struct table *nodes = snapshot_table(s, tables, "nodes"), *catalogs = snapshot_table(s, tables, "catalogs");
	int64_t active = 0;

	for (size_t i = 0; i < slow->n_nodes; i++) {
		const struct node *n = &slow->nodes[i];
		struct value *row = table_row(s, nodes);

		table_set(s, nodes, row, "node", value_text(n->id));
		table_set(s, nodes, row, "state", value_text(n->state));
		table_set(s, nodes, row, "coordinator", value_bool(n->coordinator));
		table_set(s, nodes, row, "version", value_text(n->version));
		table_set(s, nodes, row, "address", value_text(n->uri));
		active += !strcmp(n->state, "active");
		if (strcmp(n->state, "active") != 0)
			snapshot_finding(s, "node", SEVERITY_WARNING, NULL, "node %s is %s", n->id, n->state);
		if (strcmp(n->version, slow->nodes[0].version) != 0)
			snapshot_finding(s, "versions-differ", SEVERITY_WARNING, "run one version on all nodes", "node %s runs %s, node %s %s",
				n->id, n->version, slow->nodes[0].id, slow->nodes[0].version);
	}
	nodes->left_off = slow->left_off;
	for (size_t i = 0; i < slow->n_catalogs; i++) {
		struct value *row = table_row(s, catalogs);

		table_set(s, catalogs, row, "catalog", value_text(slow->catalogs[i].name));
		table_set(s, catalogs, row, "connector", value_text(slow->catalogs[i].connector));
	}
	if (slow->n_nodes)
		snapshot_figure(s, figures, "nodes", value_int(active));
	if (slow->n_catalogs)
		snapshot_figure(s, figures, "catalogs", value_int((int64_t)slow->n_catalogs));
}

static void ask_status(struct probe *p, struct snapshot *s)
{
	struct http_answer answer;
	struct json *root = NULL;
	double load;

	if (http_get(p, &p->at, "/v1/status", &answer, NULL) && answer.status == 200)
		root = json_parse(buf_text(&answer.body), NULL);
	if (root) {
		snapshot_figure(s, figures, "heap_used", json_value_i64(root, "heapUsed"));
		snapshot_figure(s, figures, "heap_most", json_value_i64(root, "heapAvailable"));
		if (json_real(json_get(root, "processCpuLoad"), &load))
			snapshot_figure(s, figures, "cpu", value_real(load * 100));
	}
	json_free(root);
	http_answer_free(&answer);
}

static bool ask_queries(struct probe *p, struct snapshot *s, int64_t *in_vain)
{
	struct http_answer answer;
	struct json *root = NULL;
	struct queries n = {0};
	bool good = trino_ask(p, "GET", "/v1/query", NULL, &answer, &s->err);

	if (good && answer.status != 200)
		good = trino_refused(&answer, &s->err);
	if (good) {
		root = json_parse(buf_text(&answer.body), &s->err);
		good = json_is_array(root);
	}
	if (good) {
		read_queries(root, s, snapshot_table(s, tables, "queries"), &n);
		snapshot_figure(s, figures, "running", value_int(n.running));
		snapshot_figure(s, figures, "queued", value_int(n.queued));
		snapshot_figure(s, figures, "failed", value_int(n.failed));
		if (n.broken)
			snapshot_finding(s, "queries-failed", SEVERITY_INFO, NULL, "%lld of the queries that it remembers failed by no fault of theirs",
				(long long)n.broken);
	}
	*in_vain = n.in_vain;
	json_free(root);
	http_answer_free(&answer);
	return good;
}

/* Is it ready? True: it is; health and figures say so or not. */
static bool ask_ready(struct probe *p, struct snapshot *s)
{
	int64_t begun = clock_ms();
	struct http_answer answer;
	struct json *info = ask_info(p, &answer, &s->err);
	bool starting = false, coordinator = false;
	const char *up = json_string(json_get(info, "uptime"));

	if (!info && s->err.code == ERR_NONE)
		trino_refused(&answer, &s->err);
	json_bool(json_get(info, "starting"), &starting);
	json_bool(json_get(info, "coordinator"), &coordinator);
	if (info) {
		p->proven = true;
		snapshot_figure(s, figures, "uptime", span_at(info, "uptime"));
		snapshot_figure(s, figures, "environment", text_at(info, "environment"));
		if (starting)
			snapshot_health(s, LINK_BAD, "GET /v1/info", "it is still starting, %s after its process began", up ? up : "some time");
		else
			snapshot_health(s, LINK_OK, asked_in(p, "GET /v1/info", begun), coordinator ? "takes statements" : "a worker, which takes no statements");
	}
	json_free(info);
	http_answer_free(&answer);
	return s->health.state == LINK_OK && coordinator;
}

static bool inspect(struct probe *p, struct snapshot *s)
{
	struct slow *slow = state_of(p);
	int64_t in_vain;

	if (!ask_ready(p, s))
		return s->err.code == ERR_NONE;
	ask_status(p, s);
	if (!ask_queries(p, s, &in_vain)) {
		if (s->err.code == ERR_AUTH)
			snapshot_health(s, LINK_UNKNOWN, "GET /v1/query", "%s", p->credentials.token && !credential_may_cross(p, NULL) ? s->err.words :
				p->credentials.token || p->credentials.user ? "refuses our credential" : "asks for a credential");
		return false;
	}
	if (!in_vain)
		ask_slow(p, slow);
	if (in_vain)
		snapshot_health(s, LINK_BAD, "GET /v1/query", "takes statements, and has no worker: %lld %s for one", (long long)in_vain,
			in_vain == 1 ? "waits" : "wait");
	else if (slow->err.code == ERR_CONNECT)
		snapshot_health(s, LINK_BAD, "SELECT * FROM system.runtime.nodes", "%s", slow->err.words);
	tell_slow(slow, s);
	return true;
}

static bool answer(struct probe *p, const char *view, const char *subject, struct snapshot *s)
{
	(void)view;
	return trino_rows(p, subject, s);
}

/* Its other ports are told by number only: HTTPS, which is not spoken here, and what a Java program opens for itself. */
static const char *role_of(struct text hint, uint16_t port)
{
	return hint.len && port < EPHEMERAL && port != 8443 ? "http" : NULL;
}

const struct service_kind kind_trino = {
	.name = "trino",
	.title = "Trino",
	.group = "compute",
	.ports = (const struct port_role[]){{"http", PORT, PORT_ASK, 0}, {0}},
	.owners = (const char *const[]){"io.trino.server", NULL},
	.figures = figures,
	.tables = tables,
	.first_ms = FIRST_MS,
	.grace_ms = GRACE_MS,
	.role_of = role_of,
	.identify = identify,
	.inspect = inspect,
	.answer = answer,
	.views = (const char *const[]){ROWS_VIEW, NULL},
	.answer_ms = ROWS_MS,
	.close = close_state,
};
