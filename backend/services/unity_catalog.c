// SPDX-License-Identifier: MIT
/*
 * Unity Catalog OSS. Its front listens on 8080 and talks to a server of its own on the next port, which
 * answers alike on loopback: one service with two ports, the second of which is not asked.
 *
 * Who: GET / says "Hello, Unity Catalog!", with authorization, too. No answer tells its version: the
 * Delta API came with 0.5, metastore_summary with 0.3; behind authorization both are closed, and nothing
 * is known then. Its / answers while its database is gone, its catalogs do not: that is its health.
 * With authorization its lost database looks like lost rights (403 "User not allowed").
 *
 * The Iceberg endpoint is no measure of health: 0.6.0 with authorization fails there (500) even for its
 * administrator.
 *
 * Source: unitycatalog 0.6.0, as recorded; UnityCatalogServer.java 0.2 to 0.6. Thread: its actor's.
 */
#include <stdlib.h>
#include <string.h>

#include "catalogs_look.h"
#include "kinds.h"

#define API "/api/2.1/unity-catalog"
enum { FRONT = 8080 };

struct unity_catalog { /* p->state */
	struct web web;
	bool asked;
	int64_t owner_started;
	const char *from, *to;     /* its version is one of these; NULL: not known */
};

static const struct figure_spec figures[] = {
	{"catalogs", "catalogs", UNIT_COUNT, FIGURE_ROW, "catalogs that it lists"},
	{"listed", "listing", UNIT_MS, FIGURE_ROW | FIGURE_HISTORY, "how long the list of catalogs took"},
	{"metastore", "", UNIT_NONE, 0, "id of its metastore: the same on its second port"},
	{0},
};

static struct unity_catalog *state_of(struct probe *p)
{
	return p->state ? p->state : (p->state = mem_new(1, sizeof(struct unity_catalog)));
}

static long status_of(struct probe *p, const char *path)
{
	struct web_question q = {.path = path};
	struct http_answer answer;
	bool came = web_ask(p, &state_of(p)->web, &q, &answer, NULL);
	long status = came ? answer.status : 0;

	http_answer_free(&answer);
	return status;
}

/* Which releases have what: asked once per server. */
static void infer_version(struct probe *p)
{
	struct unity_catalog *state = state_of(p);
	long summary, delta;

	if (state->asked && state->owner_started == p->owner_started)
		return;
	summary = status_of(p, API "/metastore_summary");
	delta = summary == 200 ? status_of(p, API "/delta/v1/config?catalog=unity&protocol-versions=1.0") : 0;
	state->asked = summary == 200 || summary == 404 || summary == 401;
	state->owner_started = p->owner_started;
	state->from = state->to = NULL;
	if (summary == 404) {
		state->from = "0.2";
		state->to = "0.2.1";
	} else if (delta == 200) {
		state->from = "0.5";
		state->to = "0.6";
	} else if (delta == 404) {
		state->from = "0.3";
		state->to = "0.4";
	}
}

static enum answered greeting(struct probe *p, struct identity *who)
{
	struct http_answer answer;
	enum answered said = catalog_knock(p, &p->at, "/", NULL, &answer);

	if (said == ANSWERED_YES && (answer.status != 200 || !text_is(text_trim(buf_text(&answer.body)), "Hello, Unity Catalog!")))
		said = catalog_stranger(p, who, "/", &answer);
	http_answer_free(&answer);
	return said;
}

static enum answered identify(struct probe *p, struct identity *who)
{
	int64_t begun = clock_ms();
	enum answered said = greeting(p, who);
	struct unity_catalog *state = state_of(p);
	const char *source = asked_in(p, "GET /", begun);

	if (said != ANSWERED_YES)
		return said;
	infer_version(p);
	identity_say(p, who, &kind_unity_catalog, NULL, SURE_RANGE, state->from, "which parts of its API there are", source);
	who->version_to = state->to;
	return ANSWERED_YES;
}

/* ---- how it does ---- */

static bool count_catalog(void *ctx, const struct json *item)
{
	(void)item;
	++*(int64_t *)ctx;
	return true;
}

static bool inspect(struct probe *p, struct snapshot *s)
{
	static const struct web_pages how = {"catalogs", "page_token", "next_page_token", "max_results=100"};
	struct unity_catalog *state = state_of(p);
	struct json *root;
	struct err err = {0};
	int64_t catalogs = 0, begun = clock_ms();
	bool cut = false;
	long status = 0;

	if (!web_list(p, &state->web, API "/catalogs", &how, count_catalog, &catalogs, &cut, &status, &err))
		return catalog_unwell(p, s, asked_in(p, "GET catalogs", begun), &err);
	snapshot_figure(s, figures, "catalogs", value_int(catalogs));
	snapshot_figure(s, figures, "listed", value_int(clock_ms() - begun));
	snapshot_health(s, LINK_OK, asked_in(p, "GET catalogs", begun), "lists its catalogs");
	root = web_json(p, &state->web, API "/metastore_summary", &status, NULL);
	snapshot_figure(s, figures, "metastore", json_value_text(root, "metastore_id"));
	json_free(root);
	return true;
}

static void end(void *state)
{
	struct unity_catalog *unity = state;

	if (unity)
		web_end(&unity->web);
	free(unity);
}

/* "--port 8081" moves both. */
static const char *role_of(struct text hint, uint16_t port)
{
	uint16_t set = option_port(hint, "--port"), front = set ? set : option_port(hint, "-p");

	if (port == (front ? front : FRONT))
		return "api";
	return port == (front ? front : FRONT) + 1 ? "inner" : NULL;
}

const struct service_kind kind_unity_catalog = {
	.name = "unity-catalog",
	.title = "Unity Catalog",
	.group = "catalogs",
	.ports = (const struct port_role[]){{"api", FRONT, PORT_ASK, 0}, {"inner", FRONT + 1, PORT_SILENT, 0}, {0}},
	.owners = (const char *const[]){"io.unitycatalog.server", "unitycatalog-server", NULL},
	.figures = figures,
	.pulse_ms = 5000,
	.depth_ms = 15000,
	.first_ms = 3000,
	.grace_ms = 90000,
	.role_of = role_of,
	.identify = identify,
	.pulse = greeting,
	.inspect = inspect,
	.close = end,
};
