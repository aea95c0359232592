// SPDX-License-Identifier: MIT
/*
 * Apache Polaris: 8181 speaks Iceberg REST and management, 8182 tells health and metrics.
 *
 * Who: GET /api/catalog/v1/config without a credential is refused by 401, with a request id of a shape
 * of its own (a UUID, "_", 19 digits). Where that header is missing, a realm that nobody has is refused
 * by 404, type MissingOrInvalidRealm, before any credential is looked at. No answer tells a version.
 *
 * Readiness is not health: without its schema in the database it is ready and makes no tokens. With a
 * credential its catalogs are listed, and the first one's namespaces and a table; each catalog has a
 * storage of its own, so that a broken one is a finding.
 *
 * Source: Apache Polaris 1.7.0, as recorded. Thread: its actor's.
 */
#include <stdlib.h>
#include <string.h>

#include "catalogs_look.h"
#include "kinds.h"

#define CONFIG_PATH "/api/catalog/v1/config"

struct polaris { /* p->state */
	struct web web;
	void *rest;
	int64_t owner_started;  /* whose realm was asked */
	bool realm_asked, realm_said;
};

static const struct figure_spec figures[] = {
	{"catalogs", "catalogs", UNIT_COUNT, FIGURE_ROW, "that this credential may manage"},
	CATALOG_FIGURES,
	{"ready", "", UNIT_NONE, 0, "what its readiness says, which is not enough: UP or DOWN"},
	{0},
};

static struct polaris *state_of(struct probe *p)
{
	return p->state ? p->state : (p->state = mem_new(1, sizeof(struct polaris)));
}

/* "7fd60566-f4cb-46e0-a3aa-423fb39bd9ba_0000000000000000017" */
static bool is_request_id(struct text id)
{
	if (id.len != 56 || id.at[36] != '_')
		return false;
	for (size_t i = 0; i < id.len; i++)
		if (i != 36 && !strchr(i < 36 ? "0123456789abcdef-" : "0123456789", id.at[i]))
			return false;
	return true;
}

/* Once per server: a realm that nobody has. */
static bool has_realms(struct probe *p)
{
	static const char *const lines[] = {"Polaris-Realm: laketop-probe", NULL};
	struct polaris *state = state_of(p);
	struct http_answer answer;

	if (state->realm_asked && state->owner_started == p->owner_started)
		return state->realm_said;
	state->realm_asked = catalog_knock(p, &p->at, CONFIG_PATH, lines, &answer) == ANSWERED_YES;
	state->realm_said = state->realm_asked && answer.status == 404 && text_has(buf_text(&answer.body), "\"MissingOrInvalidRealm\"");
	state->owner_started = p->owner_started;
	http_answer_free(&answer);
	return state->realm_said;
}

static enum answered identify(struct probe *p, struct identity *who)
{
	struct http_answer answer;
	int64_t begun = clock_ms();
	enum answered said = catalog_knock(p, &p->at, CONFIG_PATH, NULL, &answer);
	const char *source = "GET " CONFIG_PATH " 401";
	bool itself = said == ANSWERED_YES && answer.status == 401 && text_starts(http_header(&answer, "WWW-Authenticate"), "Bearer");

	if (itself && !is_request_id(http_header(&answer, "X-Request-ID"))) {
		itself = has_realms(p);
		source = "GET " CONFIG_PATH " in a realm that nobody has";
	}
	if (itself)
		said = identity_say(p, who, &kind_polaris, NULL, SURE_UNKNOWN, NULL, NULL, asked_in(p, source, begun));
	else if (said == ANSWERED_YES)
		said = catalog_stranger(p, who, CONFIG_PATH, &answer);
	http_answer_free(&answer);
	return said;
}

/* ---- how it does ---- */

struct first { /* the catalogs there are */
	int64_t n;
	char name[WEB_NAME_SIZE];
};

static bool count_catalog(void *ctx, const struct json *item)
{
	struct first *f = ctx;
	const char *name = json_string(json_get(item, "name"));

	if (!f->n++ && name)
		text_copy(f->name, sizeof f->name, text_of(name));
	return true;
}

static bool look_with_credential(struct probe *p, struct snapshot *s)
{
	static const struct web_pages how = {"catalogs", "pageToken", "next-page-token", "pageSize=1000"};
	struct polaris *state = state_of(p);
	struct first first = {0};
	struct catalog c = {.name = "probe", .service = p->expected, .path = "/api/catalog"};
	struct err err = {0};
	int64_t begun = clock_ms();
	bool cut = false, listed;
	long status = 0;

	text_copy(state->web.token_path, sizeof state->web.token_path, TEXT("/api/catalog/v1/oauth/tokens"));
	listed = web_list(p, &state->web, "/api/management/v1/catalogs", &how, count_catalog, &first, &cut, &status, &err);
	if (!listed && status != 403)
		return catalog_unwell(p, s, "GET catalogs", &err);
	if (!listed) {
		snapshot_health(s, LINK_OK, asked_in(p, "GET catalogs", begun), "takes the credential, which may not list catalogs");
		return true;
	}
	snapshot_figure(s, figures, "catalogs", value_int(first.n));
	snapshot_health(s, LINK_OK, asked_in(p, "GET catalogs", begun), "lists its catalogs");
	c.warehouse = first.name;
	return !first.name[0] || catalog_inspect(p, s, figures, &c, &state->rest, false);
}

static bool inspect(struct probe *p, struct snapshot *s)
{
	bool given = p->credentials.token || (p->credentials.user && p->credentials.password);
	struct quarkus_health ready;
	bool told = quarkus_ask_health(p, s, "/q/health/ready", &ready);

	if (told)
		snapshot_figure(s, figures, "ready", value_text(ready.up ? "UP" : "DOWN"));
	if (told && !ready.up) {
		snapshot_health(s, LINK_BAD, "GET /q/health/ready", "is not ready: %s", ready.words[0] ? ready.words : "it does not say why");
		return true;
	}
	if (given)
		return look_with_credential(p, s);
	snapshot_health(s, LINK_UNKNOWN, told ? "GET /q/health/ready" : "", "%sthe profile gives no credential: whether it lists its catalogs is not known",
		told ? "says that it is ready; " : "");
	return true;
}

static void end(void *state)
{
	struct polaris *polaris = state;

	if (polaris) {
		rest_close(polaris->rest);
		web_end(&polaris->web);
	}
	free(polaris);
}

static const char *role_of(struct text hint, uint16_t port)
{
	return quarkus_role(hint, port, 8181, 8182);
}

const struct service_kind kind_polaris = {
	.name = "polaris",
	.title = "Apache Polaris",
	.group = "catalogs",
	.ports = (const struct port_role[]){{"api", 8181, PORT_ASK, 0}, {"management", 8182, PORT_SILENT, 0}, {0}},
	.owners = (const char *const[]){"polaris", NULL},
	.figures = figures,
	.pulse_ms = 5000,
	.depth_ms = 30000,
	.first_ms = 3000,
	.role_of = role_of,
	.identify = identify,
	.inspect = inspect,
	.close = end,
};
