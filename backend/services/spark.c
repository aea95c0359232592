// SPDX-License-Identifier: MIT
/*
 * What the Spark kinds share. Every Spark web server is a Jetty whose root page catches what
 * nobody else handles: 200 proves nothing, so the content type is checked before the body is read.
 *
 * No JSON of a master or worker has its version (the one in /metrics/json/ is Dropwizard's own);
 * their pages have: in the header with a class that begins with "version", from 4.2 on in the
 * footer of a driver.
 * Source: Spark's UIUtils.scala, JsonProtocol.scala, ApiRootResource.scala; checked on 4.0.5, 4.1.4
 * and 4.2.1.
 */
#include "spark.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "kinds.h"
#include "profile.h"

enum { PAGE_MAX = 1 << 20, MOVES_UP = 16, VERSION_EVERY_MS = 60000 };

/* ---- asking ---- */

static bool read_reply(const char *path, const char *type, const struct http_answer *answer, struct spark_reply *out,
	struct err *err)
{
	if (answer->status == 401 || answer->status == 403)
		return err_set(err, ERR_AUTH, "GET %s: asks for a credential (%ld)", path, answer->status);
	if (text_starts(buf_text(&answer->body), "Spark is starting up"))
		return err_set(err, ERR_TIMEOUT, "GET %s: Spark is starting up", path);
	if (answer->status != 200 || !text_starts(text_of(out->type), type))
		return err_set(err, ERR_PROTOCOL, "GET %s answers %ld %s", path, answer->status, out->type);
	out->json = json_parse(buf_text(&answer->body), err);
	return out->json != NULL;
}

bool spark_get(struct probe *p, const struct endpoint *at, const char *path, const char *type, struct spark_reply *out,
	struct err *err)
{
	struct http_request request = {.path = path, .accept = "application/json, text/json", .most = SPARK_BODY_MAX};
	struct http_answer answer;
	bool good;

	*out = (struct spark_reply){0};
	*err = (struct err){0};
	good = http_ask(p, at, &request, &answer, err);
	if (good) {
		out->status = answer.status;
		out->bytes = answer.body.len;
		text_clean(out->type, sizeof out->type, text_until(http_header(&answer, "Content-Type"), ';'));
		out->served = spark_http_date(http_header(&answer, "Date"));
		snprintf(out->source, sizeof out->source, "GET %.60s %ld, %.0f ms", path, answer.status, answer.ms);
		good = read_reply(path, type, &answer, out, err);
	}
	http_answer_free(&answer);
	return good;
}

void spark_reply_free(struct spark_reply *reply)
{
	json_free(reply->json);
	reply->json = NULL;
}

/* A driver leads from / to its jobs; a history server has its own page there. */
static enum spark_rest ask_root(struct probe *p)
{
	struct http_request request = {.path = "/", .most = PAGE_MAX};
	struct http_answer answer;
	struct text location;
	bool driver;

	http_ask(p, &p->at, &request, &answer, NULL);
	location = http_header(&answer, "Location");
	driver = answer.status == 302 && text_has(location, "/jobs/");
	http_answer_free(&answer);
	return driver ? SPARK_REST_DRIVER : SPARK_REST_HISTORY;
}

enum spark_rest spark_ask_rest(struct probe *p, char version[SPARK_VERSION_SIZE], struct spark_reply *reply, struct err *err)
{
	const char *found;
	bool maybe;

	if (!spark_get(p, &p->at, "/api/v1/version", "application/json", reply, err))
		return SPARK_REST_NEITHER;
	found = spark_rest_version(reply->json);
	if (!found) {
		err_set(err, ERR_PROTOCOL, "GET /api/v1/version: not of Spark");
		return SPARK_REST_NEITHER;
	}
	text_copy(version, SPARK_VERSION_SIZE, text_of(found));
	spark_reply_free(reply);
	if (!spark_get(p, &p->at, "/api/v1/applications?limit=2", "application/json", reply, err))
		return SPARK_REST_NEITHER;
	maybe = spark_list_of_driver(reply->json);
	return maybe ? ask_root(p) : SPARK_REST_HISTORY;
}

void spark_ask_version(struct probe *p, const char *path, struct spark_told *told)
{
	struct http_request request = {.path = path, .most = PAGE_MAX};
	struct http_answer answer;

	/* the header is what counts: of a page that is too large its beginning will do */
	http_ask(p, &p->at, &request, &answer, NULL);
	text_copy(told->version, sizeof told->version, spark_page_version(buf_text(&answer.body)));
	told->owner_started = p->owner_started;
	told->asked = clock_ms();
	http_answer_free(&answer);
}

bool spark_version_due(const struct probe *p, const struct spark_told *told)
{
	if (!told->asked || told->owner_started != p->owner_started)
		return true;
	return (!p->owner_started || !told->version[0]) && clock_ms() - told->asked >= VERSION_EVERY_MS;
}

enum answered spark_answered(enum err_code code, bool heard)
{
	switch (code) {
	case ERR_CONNECT:
	case ERR_DNS:
		return ANSWERED_REFUSED;
	case ERR_CANCELLED:
	case ERR_SYSTEM:
	case ERR_USAGE:
		return ANSWERED_NOT_ASKED;
	case ERR_TIMEOUT:
		return ANSWERED_MUTE;
	case ERR_NONE:
	case ERR_TLS:
	case ERR_AUTH:
	case ERR_PROTOCOL:
	case ERR_PARSE:
	case ERR_LIMIT:
		break;
	}
	return heard ? ANSWERED_OTHER : ANSWERED_MUTE; /* who only breaks off may be a proxy before a dead server */
}

enum answered spark_failed(struct probe *p, const struct service_kind *kind, const struct spark_reply *reply,
	const struct err *err, struct identity *who)
{
	/* a locked server does not say which it is: here the expectation is believed, a guess is not */
	if (err->code == ERR_AUTH && p->expected && p->expected->kind == kind)
		return identity_say(p, who, kind, NULL, SURE_UNKNOWN, NULL, NULL, err->words);
	who->source = arena_clean(p->arena, text_of(err->words));
	if (reply->status)
		who->says = arena_printf(p->arena, "HTTP %ld%s%s", reply->status, reply->type[0] ? " " : "", reply->type);
	return spark_answered(err->code, reply->status != 0);
}

/* ---- reading ---- */

/* Letters, digits, and the marks that may be among them. */
static bool plain_word(struct text t, const char *marks)
{
	for (size_t i = 0; i < t.len; i++) {
		char c = t.at[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) && (!c || !strchr(marks, c)))
			return false;
	}
	return t.len > 0;
}

bool spark_is_version(struct text t)
{
	return plain_word(t, ".-+_") && t.len < SPARK_VERSION_SIZE && t.at[0] >= '0' && t.at[0] <= '9' && text_has(t, ".");
}

bool spark_is_id(const char *s)
{
	struct text t = text_of(s);

	return plain_word(t, "-_.") && t.len < SPARK_ID_SIZE && t.at[0] != '.';
}

/* What the first element after mark says. */
static struct text version_after(struct text html, const char *mark, const char *element)
{
	struct text rest = html;
	const char *at = memmem(html.at, html.len, mark, strlen(mark));

	if (!at)
		return TEXT("");
	rest.len -= (size_t)(at - rest.at);
	rest.at = at;
	at = memmem(rest.at, rest.len, element, strlen(element));
	if (!at)
		return TEXT("");
	rest.len -= (size_t)(at - rest.at);
	rest.at = at;
	rest = text_trim(text_until(text_after(rest, '>'), '<'));
	return spark_is_version(rest) ? rest : TEXT("");
}

struct text spark_page_version(struct text html)
{
	struct text version;

	if (!html.len)
		return TEXT("");
	version = version_after(html, "class=\"version", "class=\"version");
	return version.len ? version : version_after(html, "<footer", "<span");
}

bool spark_list_of_driver(const struct json *applications)
{
	const struct json *attempt = json_first(json_get(json_first(applications), "attempts"));
	bool completed;

	return json_is_array(applications) && json_count(applications) == 1 && json_bool(json_get(attempt, "completed"), &completed) &&
	       !completed;
}

const char *spark_rest_version(const struct json *root)
{
	const char *version = json_string(json_get(root, "spark"));

	return version && json_count(root) == 1 && spark_is_version(text_of(version)) ? version : NULL;
}

struct value spark_mebibytes(const struct json *object, const char *key)
{
	int64_t n;

	if (!json_i64(json_get(object, key), &n) || n < 0 || n > INT64_MAX >> 20)
		return value_unknown();
	return value_int(n << 20);
}

int64_t spark_number(const struct json *object, const char *key)
{
	int64_t n;

	return json_i64(json_get(object, key), &n) ? n : 0;
}

bool spark_state_is(const struct json *object, const char *key, const char *state)
{
	const char *s = json_string(json_get(object, key));

	return s && !strcmp(s, state);
}

/* Digits at *t as a number of at most most; moves on. */
static bool take_number(struct text *t, size_t digits, int most, int *out)
{
	int n = 0;

	if (t->len < digits)
		return false;
	for (size_t i = 0; i < digits; i++) {
		if (t->at[i] < '0' || t->at[i] > '9')
			return false;
		n = n * 10 + (t->at[i] - '0');
	}
	t->at += digits;
	t->len -= digits;
	*out = n;
	return n <= most;
}

static bool take_clock(struct text *t, struct tm *tm)
{
	return take_number(t, 2, 23, &tm->tm_hour) && text_skip(t, ":") && take_number(t, 2, 59, &tm->tm_min) && text_skip(t, ":") &&
	       take_number(t, 2, 60, &tm->tm_sec);
}

bool spark_time(const char *s, int64_t *out)
{
	struct text t = text_of(s);
	struct tm tm = {0};
	int ms;

	if (!take_number(&t, 4, 9999, &tm.tm_year) || !text_skip(&t, "-") || !take_number(&t, 2, 12, &tm.tm_mon) ||
	    !text_skip(&t, "-") || !take_number(&t, 2, 31, &tm.tm_mday) || !text_skip(&t, "T") || !take_clock(&t, &tm) ||
	    !text_skip(&t, ".") || !take_number(&t, 3, 999, &ms) || !text_is(t, "GMT"))
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	*out = (int64_t)timegm(&tm) * 1000 + ms;
	return *out > 0; /* Spark writes one ms before 1970 where there is no time yet */
}

struct value spark_time_value(const struct json *object, const char *key)
{
	int64_t ms;

	return spark_time(json_string(json_get(object, key)), &ms) ? value_int(ms) : value_unknown();
}

int64_t spark_http_date(struct text t)
{
	static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	struct tm tm = {.tm_mon = -1};

	t = text_trim(text_after(t, ','));
	if (!take_number(&t, 2, 31, &tm.tm_mday) || !text_skip(&t, " "))
		return 0;
	for (int i = 0; i < 12 && tm.tm_mon < 0; i++)
		if (text_skip(&t, months[i]))
			tm.tm_mon = i;
	if (tm.tm_mon < 0 || !text_skip(&t, " ") || !take_number(&t, 4, 9999, &tm.tm_year) || !text_skip(&t, " ") ||
	    !take_clock(&t, &tm) || !text_is(t, " GMT"))
		return 0;
	tm.tm_year -= 1900;
	return (int64_t)timegm(&tm) * 1000;
}

/* ---- hints ---- */

bool spark_port_near(uint16_t port, uint16_t wanted)
{
	return wanted && port >= wanted && port - wanted <= MOVES_UP;
}

/* ---- addresses ---- */

/* "http://localhost:8082/": the parts of it. */
static bool split_url(const char *url, struct text *host, uint16_t *port)
{
	struct text t = text_of(url);
	int64_t number;
	size_t colon;

	if (!text_skip(&t, "http://") && !text_skip(&t, "spark://"))
		return false;
	t = text_until(t, '/');
	for (colon = t.len; colon > 0 && t.at[colon - 1] != ':'; colon--)
		continue;
	if (colon < 2 || !text_i64((struct text){t.at + colon, t.len - colon}, &number) || number < 1 || number > 65535)
		return false;
	*host = (struct text){t.at, colon - 1};
	*port = (uint16_t)number;
	return true;
}

static bool same_text(struct text a, struct text b)
{
	return a.len > 0 && a.len == b.len && !memcmp(a.at, b.at, a.len);
}

uint16_t spark_port_beside(const char *url, const char *rpc_url, struct text own)
{
	struct text host, rpc_host = TEXT("");
	uint16_t port, rpc;

	if (!split_url(url, &host, &port))
		return 0;
	split_url(rpc_url, &rpc_host, &rpc);
	if (text_is(host, "localhost") || text_starts(host, "127.") || text_is(host, "[::1]") || same_text(host, own) ||
	    same_text(rpc_host, own.len ? own : host))
		return port;
	return 0;
}
