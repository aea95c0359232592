// SPDX-License-Identifier: MIT
/* What the files of the kinds share: who says what, as which part, to whom. */
#include <string.h>

#include "kinds.h"
#include "profile.h"

enum answered identity_say(struct probe *p, struct identity *who, const struct service_kind *kind, const char *role,
	enum sure sure, const char *version, const char *from, const char *source)
{
	*who = (struct identity){
		.answered = ANSWERED_YES,
		.kind = kind,
		.role = role ? arena_clean(p->arena, text_of(role)) : NULL,
		.sure = version ? sure : SURE_UNKNOWN,
		.version = version ? arena_clean(p->arena, text_of(version)) : NULL,
		.from = from ? arena_clean(p->arena, text_of(from)) : NULL,
		.source = source ? arena_clean(p->arena, text_of(source)) : NULL,
	};
	return ANSWERED_YES;
}

const char *probe_role(const struct probe *p, const struct service_kind *kind)
{
	const char *role = NULL;

	for (size_t i = 0; p->expected && i < p->expected->n_ports; i++)
		if (p->expected->ports[i].port == p->at.port)
			return p->expected->ports[i].role ? p->expected->ports[i].role : kind->ports[0].role;
	if (kind->role_of && p->hint)
		role = kind->role_of(text_of(p->hint), p->at.port);
	for (const struct port_role *r = kind->ports; !role && r->role; r++)
		if (r->port == p->at.port || (r->often && r->often == p->at.port))
			role = r->role;
	return role;
}

bool role_is(const char *role, const char *name)
{
	return role && !strcmp(role, name);
}

uint64_t credential_print(const struct credentials *c)
{
	const char *const parts[] = {c->user, c->password, c->token, c->database};
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		for (const char *at = parts[i] ? parts[i] : ""; *at; at++)
			hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
		hash = (hash ^ (parts[i] ? 0xffu : 0xfeu)) * UINT64_C(1099511628211);
	}
	return hash;
}

/* Of this machine, or as good as that: its listener was seen here. */
static bool is_near(const struct probe *p)
{
	return !strncmp(p->at.address, "127.", 4) || !strcmp(p->at.address, "::1") || p->owner_started > 0;
}

bool credential_may_cross(const struct probe *p, struct err *err)
{
	const struct expectation *x = p->expected;

	return is_near(p) || (x && x->cleartext) || err_set(err, ERR_AUTH,
		"its credential is kept: it would cross the network in clear (\"cleartext = yes\" in [service %.60s] allows that)", x ? x->name : "");
}

bool credential_is_for(const struct probe *p, enum answered said, struct err *err)
{
	const struct expectation *x = p->expected;
	const char *title = !x ? "the right one" : x->kind && x->kind->title ? x->kind->title : x->name;

	if (said == ANSWERED_OTHER)
		return err_set(err, ERR_PROTOCOL, "its credential is kept: who answers on %u does not answer as %.60s would", p->at.port, title);
	return said == ANSWERED_YES || err_set(err, ERR_CONNECT, "nobody answers on %u as %.60s would", p->at.port, title);
}

const char *asked_in(struct probe *p, const char *question, int64_t begun)
{
	return arena_printf(p->arena, "%s, %lld ms", question, (long long)(clock_ms() - begun));
}

uint16_t option_port(struct text hint, const char *option)
{
	struct text word, number;
	int64_t port = 0;

	while (text_word(&hint, &word)) {
		if (!text_skip(&word, option))
			continue;
		if (word.len == 0)
			text_word(&hint, &number);
		else if (word.at[0] == '=')
			number = text_after(word, '=');
		else
			continue;
		if (text_i64(number, &port) && port > 0 && port < 65536)
			return (uint16_t)port;
	}
	return 0;
}

uint16_t settings_port(struct text file, const char *key)
{
	struct text line;
	uint16_t found = 0;
	int64_t port;

	while (text_line(&file, &line)) {
		line = text_trim(line);
		if (!text_skip(&line, key) || !line.len || !strchr(" \t=:", line.at[0]))
			continue;
		line = text_trim(line);
		if (line.len && (line.at[0] == '=' || line.at[0] == ':'))
			line = text_trim((struct text){line.at + 1, line.len - 1});
		found = text_i64(line, &port) && port > 0 && port < 65536 ? (uint16_t)port : 0;
	}
	return found;
}

const char *quarkus_role(struct text hint, uint16_t port, uint16_t api, uint16_t management)
{
	uint16_t set_api = option_port(hint, "-Dquarkus.http.port"), set_management = option_port(hint, "-Dquarkus.management.port");

	if (port == (set_management ? set_management : management))
		return "management";
	return port == (set_api ? set_api : api) ? "api" : NULL;
}
