// SPDX-License-Identifier: MIT
/* What the actions share that ask a server by its own protocol: a probe with the profile's credential, rows of the lake. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops_own.h"

enum { PROBE_CAP = 1 << 20 };

void job_probe(struct action_job *j, struct probe *out)
{
	const struct expectation *x = j->target.expected;

	*out = (struct probe){.host = j->host, .net = j->net, .wait = j->wait, .at = j->target.at, .expected = x, .hint = j->target.hint,
		.owner_started = j->target.started, .arena = arena_new(PROBE_CAP)};
	if (x)
		out->credentials = x->credentials;
}

void job_probe_end(struct probe *p)
{
	arena_free(p->arena);
	p->arena = NULL;
}

const struct table *service_table(const struct lake *lake, const char *service, const char *name)
{
	const struct service *s = lake_service(lake, service);

	return s && s->depth && s->depth->err.code == ERR_NONE ? snapshot_find_table(s->depth, name) : NULL;
}

const char *row_text(const struct table *t, size_t row, const char *column)
{
	struct value v = t ? table_get(t, row, column) : value_unknown();

	return v.type == VALUE_TEXT ? v.u.s : "";
}

int64_t row_int(const struct table *t, size_t row, const char *column)
{
	struct value v = t ? table_get(t, row, column) : value_unknown();

	return v.type == VALUE_INT ? v.u.i : -1;
}

bool row_of(const struct table *t, const char *column, const char *text, size_t *row)
{
	for (*row = 0; t && *row < t->n_rows; (*row)++)
		if (!strcmp(row_text(t, *row, column), text))
			return true;
	return false;
}

bool target_of_kind(const struct lake *lake, const struct action_wish *w, const char *kind, struct action_target *t, char why[200])
{
	if (!target_fill(lake, w->service, t, why))
		return false;
	if (!t->kind || strcmp(t->kind->name, kind) != 0) {
		snprintf(why, 200, "%.60s is no %s", w->service, kind);
		return false;
	}
	if (!w->subject[0]) {
		snprintf(why, 200, "%s of what?", w->verb);
		return false;
	}
	return true;
}

enum err_code unless_known(const struct lake *lake, const char *service, const struct table *listed)
{
	const struct service *s = lake_service(lake, service);

	return s && s->verdict.shown.verdict == VERDICT_SERVING && listed ? ERR_USAGE : ERR_CONNECT;
}

void say_unknown(const struct lake *lake, const char *service, const char *what, char why[200])
{
	const struct service *s = lake_service(lake, service);

	if (s && s->verdict.shown.verdict == VERDICT_SERVING)
		snprintf(why, 200, "the %.20s of %.60s are not known yet", what, service);
	else
		snprintf(why, 200, "%.60s does not answer: its %.20s are not known", service, what);
}

bool seen_since(const struct lake *lake, const char *service, int64_t when)
{
	const struct service *s = lake_service(lake, service);

	return s && s->depth && s->depth->err.code == ERR_NONE && s->depth->begun >= when;
}

bool job_http(struct action_job *j, const struct endpoint *at, struct http_request *request, long *status, struct buf *body, struct err *err)
{
	struct http_answer answer = {0};
	struct probe p;
	bool fine;

	job_probe(j, &p);
	request->user = p.credentials.user;
	request->password = p.credentials.password;
	fine = http_ask(&p, at, request, &answer, err);
	*status = answer.status;
	if (fine)
		buf_add(body, answer.body.at, answer.body.len);
	http_answer_free(&answer);
	job_probe_end(&p);
	return fine;
}
