// SPDX-License-Identifier: MIT
/*
 * What catalogs that speak HTTP share.
 *
 * Credentials: a token as it is given, or client credentials that the server's own token endpoint
 * makes one of. That token is kept until shortly before it ends, is made anew once where the server
 * turns it down (401, 419), and is wiped when it goes. Who was refused is not tried again until the
 * credential or the server's process is another: each try would stand in the server's log. No server is
 * given one before it answered, without it, as what it should be; nor in clear over a network, unless the
 * profile allows that.
 *
 * Polaris knows only the scope PRINCIPAL_ROLE:ALL and refuses the usual one; the others take any.
 *
 * Source: Apache Iceberg, rest-catalog-open-api.yaml; checked on Polaris 1.7.0, Unity Catalog 0.6.0
 * (recorded), SeaweedFS 4.48, Nessie 0.99.0 and the fixture of Iceberg 1.11.0. The actor's thread.
 */
#include "web.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../services/kinds.h"
#include "profile.h"
#include "service.h"

enum { BODY_MOST = 8 << 20, PAGES_MOST = 2000, TOKEN_MOST = 16 << 10, REFUSED_MS = 300000, EARLY_MS = 30000, SAYS_PATH = 48, HOST_MOST = 64 };

bool web_escape(struct buf *out, struct text t)
{
	bool good = true;

	for (size_t i = 0; i < t.len && good; i++) {
		unsigned char c = (unsigned char)t.at[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("-._~", c));

		good = plain ? buf_add(out, &t.at[i], 1) : buf_printf(out, "%%%02X", (unsigned)c);
	}
	return good;
}

/* ---- faults ---- */

static void take_words(struct web_fault *out, const char *type, const char *words)
{
	text_copy(out->type, sizeof out->type, text_of(type));
	text_copy(out->words, sizeof out->words, text_trim(text_of(words)));
}

/* {"error":{message,type}} of Iceberg; {error,error_description} of OAuth; {error_code,message} of Unity Catalog;
 * {errorCode,message} of Nessie; {type,message} of Gravitino; {detail} of SCIM. */
static void read_object(const struct json *root, struct web_fault *out)
{
	static const char *const types[] = {"error", "error_code", "errorCode", "type", NULL};
	static const char *const words[] = {"error_description", "message", "detail", NULL};
	const struct json *object = json_is_object(json_get(root, "error")) ? json_get(root, "error") : root;
	const char *type = NULL, *said = NULL;

	for (size_t i = 0; !type && types[i]; i++)
		type = json_string(json_get(object, types[i]));
	for (size_t i = 0; !said && words[i]; i++)
		said = json_string(json_get(object, words[i]));
	take_words(out, type, said);
}

void web_read_fault(struct text body, struct web_fault *out)
{
	struct text trimmed = text_trim(body), line;
	struct json *root = text_starts(trimmed, "{") ? json_parse(trimmed, NULL) : NULL;

	*out = (struct web_fault){0};
	if (root) {
		read_object(root, out);
		json_free(root);
		return;
	}
	/* a page: its title; plain text: its last line, which says what, after "Status: 404" */
	if (text_starts(trimmed, "<")) {
		text_copy(out->words, sizeof out->words, text_trim(text_between(trimmed, "<title>", "</title>")));
		return;
	}
	while (text_line(&trimmed, &line))
		if (text_trim(line).len) {
			text_skip(&line, "Description: ");
			text_copy(out->words, sizeof out->words, text_trim(line));
		}
}

/* A server may repeat what it was given. */
static void hide(char *words, const char *secret)
{
	size_t len = secret ? strlen(secret) : 0;

	for (char *at = len && words ? strstr(words, secret) : NULL; at; at = strstr(at, secret))
		memset(at, '*', len);
}

/* What a status means, in words that end before the server's own; NULL: the number says it. */
static const char *meaning(long status, bool known, bool expected_to_work)
{
	switch (status) {
	case 401:
		return known ? "refuses the credential" : "asks for a credential";
	case 403:
		return !known ? "asks for a credential, or lets nobody see this" :
			expected_to_work ? "denies what it allowed before: the rights were taken, or its database is down" : "does not let this credential see it";
	case 404:
		return "there is no such thing";
	case 406:
		return "does not offer this";
	case 419:
		return "says that the token has ended, of a new one too";
	case 429:
		return "was asked too often";
	case 503:
		return "cannot serve now";
	default:
		return status >= 500 ? "fails" : status >= 300 && status < 400 ? "leads elsewhere" : NULL;
	}
}

static enum err_code code_of(long status)
{
	return status == 401 || status == 403 || status == 419 ? ERR_AUTH : ERR_PROTOCOL;
}

/* Whereto: of the address its host alone, the rest may be a secret. */
static void read_redirect(const struct http_answer *answer, struct web_fault *fault)
{
	struct text to = http_header(answer, "Location"), host;
	bool tls = text_skip(&to, "https://");

	if (answer->status < 300 || answer->status >= 400 || !(tls || text_skip(&to, "http://")))
		return;
	host = text_until(text_until(to, '/'), '?');
	for (struct text after = text_after(host, '@'); after.len; after = text_after(host, '@'))
		host = after;
	snprintf(fault->words, sizeof fault->words, "to %.*s%s", (int)(host.len < HOST_MOST ? host.len : HOST_MOST), host.at,
		tls ? ", by TLS, which laketop does not speak" : ": its place in the profile is to be that");
}

bool web_refused(const struct probe *p, const struct web *w, const char *path, const struct http_answer *answer, struct err *err)
{
	const struct credentials *c = &p->credentials;
	struct text what = text_until(text_of(path), '?');
	const char *const secrets[] = {c->password, c->token, w->token};
	struct web_fault fault;
	const char *words;

	for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
		hide(answer->body.at, secrets[i]); /* before it is cut */
	web_read_fault(buf_text(&answer->body), &fault);
	for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
		hide(fault.words, secrets[i]); /* escapes of JSON are read by now */
	read_redirect(answer, &fault);
	words = meaning(answer->status, c->token || (c->user && c->password), w->worked && text_has(text_of(fault.words), "not allowed"));
	return err_set(err, code_of(answer->status), "%s%.*s: %s (HTTP %ld)%s%s", what.len > SAYS_PATH ? "..." : "",
		(int)(what.len > SAYS_PATH ? SAYS_PATH : what.len), what.len > SAYS_PATH ? what.at + what.len - SAYS_PATH : what.at,
		words ? words : "is refused", answer->status, fault.words[0] ? ": " : "", fault.words);
}

/* ---- the credential ---- */

static void drop_token(struct web *w)
{
	if (w->token)
		explicit_bzero(w->token, strlen(w->token));
	free(w->token);
	w->token = NULL;
}

void web_end(struct web *w)
{
	drop_token(w);
	*w = (struct web){0};
}

/* Another credential, or another server: what was known of the old one is over. */
static void recognise(const struct probe *p, struct web *w)
{
	uint64_t credential = credential_print(&p->credentials);

	if (credential == w->credential && p->owner_started == w->server)
		return;
	drop_token(w);
	w->worked = w->known = false;
	w->refusal = (struct err){0};
	w->credential = credential;
	w->server = p->owner_started;
}

static void wipe(struct buf *buf)
{
	if (buf->at)
		explicit_bzero(buf->at, buf->len);
	buf_free(buf);
}

static const char *const *realm_line(const struct web *w, char line[160], const char *lines[3], const char *etag)
{
	size_t n = 0;

	if (w->realm) {
		snprintf(line, 160, "Polaris-Realm: %.120s", w->realm);
		lines[n++] = line;
	}
	if (etag)
		lines[n++] = etag;
	lines[n] = NULL;
	return lines;
}

static bool post_credentials(struct probe *p, struct web *w, const char *scope, struct http_answer *out, struct err *err)
{
	const char *lines[3];
	char line[160];
	struct http_request request = {.path = w->token_path, .method = "POST", .accept = "application/json",
		.content_type = "application/x-www-form-urlencoded", .most = TOKEN_MOST, .lines = realm_line(w, line, lines, NULL)};
	struct buf body;
	bool came;

	buf_init(&body, TOKEN_MOST);
	buf_puts(&body, "grant_type=client_credentials&client_id=");
	web_escape(&body, text_of(p->credentials.user));
	buf_puts(&body, "&client_secret=");
	web_escape(&body, text_of(p->credentials.password));
	buf_printf(&body, "&scope=%s", scope);
	request.body = body.at;
	came = http_ask(p, &p->at, &request, out, err);
	wipe(&body);
	return came;
}

static bool keep_token(struct web *w, struct text body, struct err *err)
{
	struct json *root = json_parse(body, err);
	const char *token = json_string(json_get(root, "access_token"));
	int64_t seconds;

	if (root && !token)
		err_set(err, ERR_PROTOCOL, "%s: no access_token in the answer", w->token_path);
	if (token && (strlen(token) > TOKEN_MOST / 2 || strpbrk(token, "\r\n")))
		token = NULL, err_set(err, ERR_PROTOCOL, "%s: its token is none", w->token_path);
	if (token) {
		drop_token(w);
		w->token = mem_copy(token);
		if (!json_i64(json_get(root, "expires_in"), &seconds) || seconds <= 0 || seconds > INT32_MAX)
			w->until = INT64_MAX;
		else
			w->until = clock_ms() + seconds * 1000 - (seconds * 500 < EARLY_MS ? seconds * 500 : EARLY_MS);
	}
	json_free(root);
	return token != NULL;
}

static bool no_token(struct probe *p, struct web *w, const struct http_answer *answer, struct err *err)
{
	if (answer->status == 404 || answer->status == 405 || answer->status == 501)
		return err_set(err, ERR_AUTH, "%s: makes no tokens (HTTP %ld): give it one (token_file)", w->token_path, answer->status);
	web_refused(p, w, w->token_path, answer, err);
	if (answer->status == 400 || answer->status == 401)
		err->code = ERR_AUTH;
	return false;
}

static bool get_token(struct probe *p, struct web *w, struct err *err)
{
	static const char *const scopes[] = {"PRINCIPAL_ROLE%3AALL", "catalog"};
	bool good = false, again = true;

	drop_token(w);
	for (size_t i = 0; again && i < sizeof scopes / sizeof *scopes; i++) {
		struct http_answer answer;
		struct web_fault fault;
		bool came = post_credentials(p, w, scopes[i], &answer, err);

		web_read_fault(buf_text(&answer.body), &fault);
		again = came && answer.status == 400 && !strcmp(fault.type, "invalid_scope");
		good = came && answer.status == 200 && keep_token(w, buf_text(&answer.body), err);
		if (came && answer.status != 200)
			no_token(p, w, &answer, err);
		wipe(&answer.body);
		http_answer_free(&answer);
	}
	return good;
}

/* What an Iceberg catalog says of its configuration to anybody, be it that it asks for a credential. */
static enum answered ask_config(struct probe *p, const struct web *w)
{
	struct http_request request = {.path = w->config_path, .accept = "application/json", .most = BODY_MOST};
	struct http_answer answer = {0};
	struct err err = {0};
	struct web_fault fault;
	struct json *root;
	bool fits;

	if (!http_ask(p, &p->at, &request, &answer, &err)) {
		http_answer_free(&answer);
		return net_undialled(&err);
	}
	root = json_parse(buf_text(&answer.body), NULL);
	web_read_fault(buf_text(&answer.body), &fault);
	fits = answer.status == 200 ? json_is_object(json_get(root, "defaults")) || json_is_object(json_get(root, "overrides")) :
		answer.status / 100 == 4 && answer.status != 404 && (fault.type[0] || text_starts(http_header(&answer, "WWW-Authenticate"), "Bearer"));
	json_free(root);
	http_answer_free(&answer);
	return fits ? ANSWERED_YES : ANSWERED_OTHER;
}

static enum answered ask_who(struct probe *p, const struct web *w)
{
	const struct service_kind *kind = p->expected->kind;
	struct probe bare = *p;
	struct identity who = {0};
	enum answered said;

	bare.credentials = (struct credentials){0};
	bare.state = NULL;
	said = kind && kind->identify && !w->is_part ? kind->identify(&bare, &who) : w->config_path[0] ? ask_config(&bare, w) : ANSWERED_OTHER;
	if (bare.state && kind && kind->close)
		kind->close(bare.state);
	p->requests = bare.requests;
	p->bytes = bare.bytes;
	return said;
}

/* False: err says why the credential is not shown to who answers there. */
static bool may_show(struct probe *p, struct web *w, struct err *err)
{
	if (!p->expected || w->known || !(p->credentials.token || (p->credentials.user && p->credentials.password)))
		return true;
	w->known = credential_may_cross(p, err) && (p->holder == HOLDER_RIGHT || credential_is_for(p, ask_who(p, w), err));
	return w->known;
}

static bool makes_tokens(const struct probe *p, const struct web *w)
{
	return !p->credentials.token && p->credentials.user && p->credentials.password && w->token_path[0];
}

/* False: err says why there is no token where one is needed. */
static bool have_token(struct probe *p, struct web *w, struct err *err)
{
	return !makes_tokens(p, w) || (w->token && clock_ms() < w->until) || get_token(p, w, err);
}

static bool is_refused(struct web *w, struct err *err)
{
	if (w->refusal.code && w->server == 0 && clock_ms() - w->refused > REFUSED_MS)
		w->refusal = (struct err){0}; /* whether the server is another one is not known */
	if (w->refusal.code && err)
		*err = w->refusal;
	return w->refusal.code != ERR_NONE;
}

static void remember_refusal(struct web *w, const struct err *why)
{
	w->refusal = *why;
	w->refused = clock_ms();
}

/* ---- asking ---- */

static bool ask_once(struct probe *p, struct web *w, const struct web_question *q, struct http_answer *out, struct err *err)
{
	const char *lines[3];
	char line[160], tag[240];
	struct http_request request = {.path = q->path, .accept = "application/json", .bearer = w->token ? w->token : p->credentials.token,
		.most = q->most ? q->most : BODY_MOST, .timeout_ms = q->timeout_ms, .take = q->take, .ctx = q->ctx};

	snprintf(tag, sizeof tag, "If-None-Match: %s", q->etag ? q->etag : "");
	request.lines = realm_line(w, line, lines, q->etag && q->etag[0] ? tag : NULL);
	return http_ask(p, &p->at, &request, out, err);
}

bool web_ask(struct probe *p, struct web *w, const struct web_question *q, struct http_answer *out, struct err *err)
{
	struct err why = {0};
	bool came = false;

	*out = (struct http_answer){0};
	recognise(p, w);
	if (is_refused(w, err) || !may_show(p, w, err))
		return false;
	for (int tries = 0; tries < 2; tries++) {
		if (!have_token(p, w, &why))
			break;
		http_answer_free(out);
		came = ask_once(p, w, q, out, &why);
		if (!came || (out->status != 401 && out->status != 419) || !w->token)
			break;
		w->until = 0; /* a new one, once */
	}
	if (came && (out->status == 401 || out->status == 419))
		web_refused(p, w, q->path, out, &why);
	if (why.code == ERR_AUTH)
		remember_refusal(w, &why);
	w->worked |= came && out->status / 100 == 2;
	if (!came && err)
		*err = why;
	return came;
}

struct json *web_json(struct probe *p, struct web *w, const char *path, long *status, struct err *err)
{
	struct web_question q = {.path = path};
	struct http_answer answer;
	struct json *root = NULL;
	bool came = web_ask(p, w, &q, &answer, err);

	*status = came ? answer.status : 0;
	if (came && answer.status == 200)
		root = json_parse(buf_text(&answer.body), err);
	else if (came)
		web_refused(p, w, path, &answer, err);
	http_answer_free(&answer);
	return root;
}

/* ---- pages ---- */

static bool next_path(struct buf *out, const char *path, const struct web_pages *how, const char *token)
{
	buf_reset(out);
	return buf_printf(out, "%s%c%s&%s=", path, strchr(path, '?') ? '&' : '?', how->size, how->token) && web_escape(out, text_of(token));
}

/* Follows to the next page. False: there is none, or it would go in circles (cut). */
static bool turn_page(const struct json *root, const struct web_pages *how, char token[WEB_PATH_SIZE / 2], bool *cut)
{
	const char *next = json_string(json_get(root, how->next));

	if (!next || !next[0])
		return false;
	if (!strcmp(next, token) || strlen(next) >= WEB_PATH_SIZE / 2) {
		*cut = true;
		return false;
	}
	text_copy(token, WEB_PATH_SIZE / 2, text_of(next));
	return true;
}

bool web_list(struct probe *p, struct web *w, const char *path, const struct web_pages *how,
	bool (*each)(void *ctx, const struct json *item), void *ctx, bool *cut, long *status, struct err *err)
{
	char token[WEB_PATH_SIZE / 2] = "";
	bool more = true, good = true;
	struct buf at;

	buf_init(&at, WEB_PATH_SIZE * 2);
	for (int page = 0; more && good; page++) {
		struct json *root = next_path(&at, path, how, token) ? web_json(p, w, at.at, status, err) : NULL;

		if (at.full)
			err_set(err, ERR_LIMIT, "%.80s: the path is too long to ask", path);
		good = root != NULL;
		if (good && !json_is_array(json_get(root, how->array)))
			good = err_set(err, ERR_PROTOCOL, "%.80s: has no %s in its answer", path, how->array);
		for (const struct json *item = json_first(json_get(root, how->array)); more && item; item = json_next(item))
			more = each(ctx, item);
		more = more && turn_page(root, how, token, cut);
		if (more && page + 1 == PAGES_MOST) {
			*cut = true;
			more = false;
		}
		json_free(root);
	}
	buf_free(&at);
	return good;
}
