// SPDX-License-Identifier: MIT
/*
 * Project Nessie: 19120 speaks its own API and Iceberg REST, 9000 (Quarkus's management) tells health
 * and metrics.
 *
 * Who: GET /api/v2/config names the default branch and the versions of its API. Its own version stands
 * only in the description of its API, 207 kB: asked for once per server, and only as far as it has to
 * be. Where its API asks for a credential, the title of its page tells.
 *
 * It keeps its tables' history in its own commits: a table has one snapshot in Iceberg, whatever was
 * committed. With its storage gone it lists on, and its health says DOWN.
 *
 * Source: projectnessie/nessie; checked on 0.99.0. Thread: its actor's.
 */
#include <stdlib.h>
#include <string.h>

#include "catalogs_look.h"
#include "kinds.h"

enum { VERSION_SIZE = 32, OPENAPI_MOST = 1 << 20, HEAD_MOST = 64 << 10 };
#define OPENAPI "/nessie-openapi/openapi.yaml"

struct nessie { /* p->state */
	void *rest;
	char version[VERSION_SIZE]; /* "" not told */
	bool asked;
	int64_t owner_started;
};

static const struct figure_spec figures[] = {
	CATALOG_FIGURES,
	{"branch", "", UNIT_NONE, 0, "its default branch"},
	{"health", "", UNIT_NONE, 0, "what its management port says: UP or DOWN"},
	{0},
};

static struct nessie *state_of(struct probe *p)
{
	return p->state ? p->state : (p->state = mem_new(1, sizeof(struct nessie)));
}

/* ---- its version ---- */

/* info:\n  title: ...\n  version: 0.99.0 */
static bool read_version(struct text yaml, char out[VERSION_SIZE])
{
	struct text line;
	bool info = false;

	while (text_line(&yaml, &line)) {
		if (text_starts(line, "info:"))
			info = true;
		else if (info && line.len && line.at[0] != ' ' && line.at[0] != '#')
			return false; /* past it */
		else if (info && text_skip(&line, "  version: ")) {
			line = text_trim(line);
			if (line.len > 2 && (line.at[0] == '"' || line.at[0] == '\''))
				line = (struct text){line.at + 1, line.len - 2};
			text_copy(out, VERSION_SIZE, line);
			return line.len > 0 && line.len < VERSION_SIZE && line.at[0] >= '0' && line.at[0] <= '9';
		}
	}
	return false;
}

struct reading {
	struct buf head;
	char version[VERSION_SIZE];
	bool found;
};

/* Lines are looked at when they are whole. */
static bool take_yaml(void *ctx, const char *bytes, size_t len)
{
	struct reading *r = ctx;
	size_t room = r->head.max - r->head.len;
	struct text whole;
	const char *last;

	buf_add(&r->head, bytes, len < room ? len : room);
	whole = buf_text(&r->head);
	last = whole.len ? memrchr(whole.at, '\n', whole.len) : NULL;
	if (last)
		r->found = read_version((struct text){whole.at, (size_t)(last - whole.at) + 1}, r->version);
	return !r->found && len < room;
}

static const char *version_of(struct probe *p)
{
	struct nessie *state = state_of(p);
	struct reading r = {0};
	struct http_request request = {.path = OPENAPI, .most = OPENAPI_MOST, .take = take_yaml, .ctx = &r};
	struct http_answer answer;

	if (!state->asked || state->owner_started != p->owner_started) {
		buf_init(&r.head, HEAD_MOST);
		http_ask(p, &p->at, &request, &answer, NULL);
		state->asked = answer.status != 0;
		state->owner_started = p->owner_started;
		text_copy(state->version, sizeof state->version, text_of(r.found ? r.version : ""));
		http_answer_free(&answer);
		buf_free(&r.head);
	}
	return state->version[0] ? state->version : NULL;
}

/* ---- who ---- */

static bool is_config(struct text body)
{
	struct json *root = json_parse(body, NULL);
	bool good = json_string(json_get(root, "defaultBranch")) && json_get(root, "maxSupportedApiVersion");

	json_free(root);
	return good;
}

/* Its API is closed to us; its page is not. */
static bool has_its_page(struct probe *p)
{
	struct http_answer answer;
	bool itself = catalog_knock(p, &p->at, "/", NULL, &answer) == ANSWERED_YES && text_has(buf_text(&answer.body), "<title>Nessie</title>");

	http_answer_free(&answer);
	return itself;
}

static enum answered identify(struct probe *p, struct identity *who)
{
	static const char path[] = "/api/v2/config";
	struct http_answer answer;
	int64_t begun = clock_ms();
	enum answered said = catalog_knock(p, &p->at, path, NULL, &answer);
	bool itself = said == ANSWERED_YES && answer.status == 200 && is_config(buf_text(&answer.body));
	const char *source = asked_in(p, "GET /api/v2/config", begun);

	if (said == ANSWERED_YES && (answer.status == 401 || answer.status == 403) && has_its_page(p)) {
		itself = true;
		source = asked_in(p, "title of its page", begun);
	}
	if (itself)
		said = identity_say(p, who, &kind_nessie, NULL, SURE_EXACT, version_of(p), "GET " OPENAPI, source);
	else if (said == ANSWERED_YES)
		said = catalog_stranger(p, who, path, &answer);
	http_answer_free(&answer);
	return said;
}

/* ---- how ---- */

static void say_branch(struct probe *p, struct snapshot *s)
{
	struct http_answer answer;
	struct json *root = NULL;

	if (catalog_knock(p, &p->at, "/api/v2/config", NULL, &answer) == ANSWERED_YES && answer.status == 200)
		root = json_parse(buf_text(&answer.body), NULL);
	snapshot_figure(s, figures, "branch", json_value_text(root, "defaultBranch"));
	json_free(root);
	http_answer_free(&answer);
}

static bool inspect(struct probe *p, struct snapshot *s)
{
	const struct catalog c = {.name = "probe", .service = p->expected, .path = "/iceberg"};
	struct quarkus_health health;
	bool told = quarkus_ask_health(p, s, "/q/health", &health);

	say_branch(p, s);
	if (told)
		snapshot_figure(s, figures, "health", value_text(health.up ? "UP" : "DOWN"));
	if (told && !health.up) { /* a table would only wait for the storage that is gone */
		snapshot_health(s, LINK_BAD, "GET /q/health", "answers, and is not well: %s", health.words[0] ? health.words : "it does not say why");
		return true;
	}
	return catalog_inspect(p, s, figures, &c, &state_of(p)->rest, true);
}

static void end(void *state)
{
	struct nessie *nessie = state;

	if (nessie)
		rest_close(nessie->rest);
	free(nessie);
}

static const char *role_of(struct text hint, uint16_t port)
{
	return quarkus_role(hint, port, 19120, 9000);
}

const struct service_kind kind_nessie = {
	.name = "nessie",
	.title = "Nessie",
	.group = "catalogs",
	.ports = (const struct port_role[]){{"api", 19120, PORT_ASK, 0}, {"management", 9000, PORT_SILENT, 0}, {0}},
	.owners = (const char *const[]){"nessie-quarkus", NULL},
	.figures = figures,
	.pulse_ms = 5000,
	.depth_ms = 30000,
	.first_ms = 3000,
	.role_of = role_of,
	.identify = identify,
	.inspect = inspect,
	.close = end,
};
