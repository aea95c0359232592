// SPDX-License-Identifier: MIT
/*
 * An Iceberg REST catalog that is none of those with a kind of their own: the reference server of
 * Apache Iceberg (image iceberg-rest-fixture), Lakekeeper, Gravitino, or another.
 *
 * Who: GET /v1/config has defaults and overrides. Where the profile expects one, the paths that others
 * put before it are tried, too. SeaweedFS answers alike, with both of them empty: it has a kind of its
 * own. The reference server lists the endpoints of the client's tests, which nobody else has; that of
 * 1.11 was the first to list register-view. No catalog tells its version.
 *
 * Source: Apache Iceberg, RESTCatalogServer and RESTCatalogAdapter 1.11.0 (checked), Lakekeeper and
 * Gravitino by their documentation. Thread: its actor's.
 */
#include <stdlib.h>
#include <string.h>

#include "catalogs_look.h"
#include "kinds.h"

struct iceberg_rest { /* p->state */
	const char *base;       /* where it answered */
	void *rest;
};

static const char *const bases[] = {"", "/iceberg", "/catalog", NULL};

static const struct figure_spec figures[] = {CATALOG_FIGURES, {0}};

static bool is_seaweedfs(const struct json *root)
{
	return !json_count(json_get(root, "defaults")) && !json_count(json_get(root, "overrides")) && !json_get(root, "endpoints");
}

static enum answered name_it(struct probe *p, struct identity *who, const struct http_answer *answer, const char *path, int64_t begun)
{
	struct text body = buf_text(&answer->body);
	struct rest_config config;
	struct json *root = json_parse(body, NULL);
	bool fits = rest_read_config(body, &config, NULL), another = config.nessie || is_seaweedfs(root);
	bool reference = text_has(body, "\"POST https://auth-server.com/token\""), late = text_has(body, "/register-view\"");

	json_free(root);
	if (!fits || another) {
		catalog_stranger(p, who, path, answer);
		if (fits)
			who->says = config.nessie ? "the Iceberg endpoint of Nessie" : "an empty configuration, as SeaweedFS's Iceberg REST catalog has";
		return ANSWERED_OTHER;
	}
	return identity_say(p, who, &kind_iceberg_rest, NULL, SURE_HINT, reference && late ? "1.11" : NULL, "endpoints in /v1/config",
		asked_in(p, arena_printf(p->arena, "GET %s", path), begun));
}

/* An error in Iceberg's shape is one of an Iceberg catalog, whatever it refuses. */
static bool wants_credential(const struct http_answer *answer)
{
	struct text body = buf_text(&answer->body);

	return (answer->status == 401 || answer->status == 403) && text_has(body, "\"error\"") && text_has(body, "\"type\"");
}

static enum answered ask_base(struct probe *p, struct identity *who, const char *base)
{
	const char *path = arena_printf(p->arena, "%s/v1/config", base);
	struct http_answer answer;
	int64_t begun = clock_ms();
	enum answered said = catalog_knock(p, &p->at, path, NULL, &answer);

	if (said == ANSWERED_YES && wants_credential(&answer))
		said = identity_say(p, who, &kind_iceberg_rest, NULL, SURE_UNKNOWN, NULL, NULL,
			asked_in(p, arena_printf(p->arena, "GET %s: asks for a credential", path), begun));
	else if (said == ANSWERED_YES && answer.status == 200)
		said = name_it(p, who, &answer, path, begun);
	else if (said == ANSWERED_YES)
		said = catalog_stranger(p, who, path, &answer);
	http_answer_free(&answer);
	return said;
}

static enum answered identify(struct probe *p, struct identity *who)
{
	struct iceberg_rest *state = p->state ? p->state : (p->state = mem_new(1, sizeof *state));
	bool expected = p->expected && p->expected->kind == &kind_iceberg_rest;
	enum answered said = ask_base(p, who, state->base ? state->base : bases[0]);

	for (size_t i = 1; expected && !state->base && said == ANSWERED_OTHER && bases[i]; i++) {
		said = ask_base(p, who, bases[i]);
		if (said == ANSWERED_YES)
			state->base = bases[i];
	}
	if (said == ANSWERED_OTHER)
		state->base = NULL;
	return said;
}

static bool inspect(struct probe *p, struct snapshot *s)
{
	struct iceberg_rest *state = p->state ? p->state : (p->state = mem_new(1, sizeof *state));
	const struct catalog c = {.name = "probe", .service = p->expected, .path = state->base ? state->base : ""};

	return catalog_inspect(p, s, figures, &c, &state->rest, true);
}

static void end(void *state)
{
	struct iceberg_rest *r = state;

	if (r)
		rest_close(r->rest);
	free(r);
}

/* It has one port, wherever it was told to listen: an environment tells, which no other user sees. */
static const char *role_of(struct text hint, uint16_t port)
{
	(void)port;
	return text_has(hint, "org.apache.iceberg.rest.RESTCatalogServer") ? "api" : NULL;
}

const struct service_kind kind_iceberg_rest = {
	.name = "iceberg-rest",
	.title = "Iceberg REST catalog",
	.group = "catalogs",
	.ports = (const struct port_role[]){{"api", 8181, PORT_ASK, 0}, {0}},
	.owners = (const char *const[]){"org.apache.iceberg.rest.RESTCatalogServer", "iceberg-rest", NULL},
	.figures = figures,
	.pulse_ms = 5000,
	.depth_ms = 30000,
	.first_ms = 3000,
	.role_of = role_of,
	.identify = identify,
	.inspect = inspect,
	.close = end,
};
