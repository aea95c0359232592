// SPDX-License-Identifier: MIT
/*
 * What the services that are catalogs share.
 *
 * Health is what a client would meet: the configuration comes, namespaces are listed, and the metadata
 * of a table can be had, for which the server reads storage. One whose storage is down still lists, and
 * its readiness may still be good. A listing that asks for a credential which no profile gives is no
 * illness: nothing more is known then.
 *
 * Source: as of backend/catalogs/rest.c. Thread: its actor's.
 */
#include "catalogs_look.h"

#include <string.h>

#include "kinds.h"

enum { HEALTH_MS = 2500, HEALTH_MOST = 64 << 10, WORDS_MOST = 60 };

enum answered catalog_knock(struct probe *p, const struct endpoint *at, const char *path, const char *const *lines, struct http_answer *out)
{
	struct http_request request = {.path = path, .accept = "application/json, text/plain", .lines = lines};
	struct err err = {0};

	if (http_ask(p, at, &request, out, &err))
		return ANSWERED_YES;
	return err.code == ERR_PROTOCOL && out->heard ? ANSWERED_OTHER : net_undialled(&err);
}

enum answered catalog_stranger(struct probe *p, struct identity *who, const char *path, const struct http_answer *answer)
{
	who->says = arena_printf(p->arena, "HTTP %ld", answer->status);
	who->source = arena_printf(p->arena, "GET %s", path);
	return ANSWERED_OTHER;
}

/* ---- health ---- */

bool catalog_unwell(struct probe *p, struct snapshot *s, const char *source, const struct err *err)
{
	bool given = p->credentials.token || (p->credentials.user && p->credentials.password);

	if (err->code == ERR_AUTH && !text_has(text_of(err->words), "database is down")) {
		snapshot_health(s, LINK_UNKNOWN, source, given ? "%s" : "asks for a credential, and the profile gives none: not looked at further",
			err->words);
		if (given)
			s->err = *err;
		return true;
	}
	snapshot_health(s, LINK_BAD, source, "does not list: %s", err->words);
	if (err->code == ERR_AUTH || err->code == ERR_PROTOCOL || err->code == ERR_PARSE || err->code == ERR_LIMIT)
		return true;
	s->err = *err;
	return false;
}

static void judge_storage(struct snapshot *s, const char *source, const struct rest_look *look, bool storage_is_one)
{
	if (!look->table[0])
		snapshot_health(s, LINK_OK, source, "lists its namespaces; has no table whose metadata would show that storage works");
	else if (look->loaded)
		snapshot_health(s, LINK_OK, source, "lists its namespaces, and reads its tables' metadata");
	else if (look->storage.code == ERR_AUTH)
		snapshot_health(s, LINK_OK, source, "lists its namespaces; %s is not for this credential", look->table);
	else if (storage_is_one)
		snapshot_health(s, LINK_BAD, source, "lists, but cannot read %.60s: %s", look->table, look->storage.words);
	else
		snapshot_finding(s, "storage", SEVERITY_WARNING, "see whether its storage answers, and what credential it has there",
			"lists, but cannot read %.60s: %s", look->table, look->storage.words);
}

bool catalog_inspect(struct probe *p, struct snapshot *s, const struct figure_spec *figures, const struct catalog *c, void **rest,
	bool storage_is_one)
{
	int64_t begun = clock_ms();
	struct rest_look look;
	const char *source;

	rest_look(p, c, rest, &look);
	source = asked_in(p, look.table[0] ? "GET namespaces, a table" : "GET namespaces", begun);
	if (look.namespaces >= 0) {
		snapshot_figure(s, figures, "namespaces", value_int(look.namespaces));
		snapshot_figure(s, figures, "listed", value_real(look.listed_ms));
	}
	if (look.table[0])
		snapshot_figure(s, figures, "table", value_text(look.table));
	if (look.loaded)
		snapshot_figure(s, figures, "loaded", value_real(look.loaded_ms));
	if (look.namespaces < 0)
		return catalog_unwell(p, s, source, &look.err);
	judge_storage(s, source, &look, storage_is_one);
	return true;
}

/* ---- Quarkus ---- */

static bool is_down(const struct json *check)
{
	return text_is(text_of(json_string(json_get(check, "status"))), "DOWN");
}

/* What its data say of why: what is called an error, else the first sentence. Without the class of the exception. */
static const char *why_down(const struct json *check)
{
	const char *found = NULL;

	for (const struct json *d = json_first(json_get(check, "data")); d; d = json_next(d)) {
		struct text key = text_of(json_key(d));
		const char *words = json_string(d), *colon = words ? strstr(words, ": ") : NULL;

		if (!words || !strchr(words, ' '))
			continue;
		if (colon && !memchr(words, ' ', (size_t)(colon - words)) && memchr(words, '.', (size_t)(colon - words)))
			words = colon + 2;
		if (!found || (key.len >= 5 && !memcmp(key.at + key.len - 5, "error", 5)))
			found = words;
	}
	return found;
}

void quarkus_read_health(struct text body, struct quarkus_health *out)
{
	struct json *root = json_parse(body, NULL);
	const char *status = json_string(json_get(root, "status"));

	*out = (struct quarkus_health){.known = status && json_is_array(json_get(root, "checks")), .up = status && !strcmp(status, "UP")};
	for (const struct json *c = json_first(json_get(root, "checks")); c && !out->words[0]; c = json_next(c)) {
		const char *name = json_string(json_get(c, "name")), *why = why_down(c);
		struct buf words;

		if (!is_down(c))
			continue;
		buf_init(&words, sizeof out->words - 1);
		buf_printf(&words, "%.*s%s", WORDS_MOST, name ? name : "a check", why ? ": " : "");
		for (; why && *why && buf_add(&words, why, 1); why++) {
		}
		text_copy(out->words, sizeof out->words, buf_text(&words));
		buf_free(&words);
	}
	json_free(root);
}

bool quarkus_ask_health(struct probe *p, struct snapshot *s, const char *path, struct quarkus_health *out)
{
	struct http_request request = {.path = path, .accept = "application/json", .most = HEALTH_MOST, .timeout_ms = HEALTH_MS};
	struct endpoint at = p->at;
	struct http_answer answer = {0};
	struct err err = {0};

	*out = (struct quarkus_health){0};
	at.port = probe_port(p, "management");
	if (at.port && http_ask(p, &at, &request, &answer, &err) && (answer.status == 200 || answer.status == 503))
		quarkus_read_health(buf_text(&answer.body), out);
	if (err.code == ERR_TIMEOUT)
		snapshot_finding(s, "health", SEVERITY_WARNING, "look at its storage and its database", "its own check of its health takes too long: %s",
			err.words);
	http_answer_free(&answer);
	return out->known;
}
