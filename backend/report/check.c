// SPDX-License-Identifier: MIT
/* check and wait: one line, one exit code. Pure over a lake. */
#include <string.h>

#include "report.h"
#include "words.h"

enum exit_code report_ready(const struct lake *lake)
{
	struct standing st;

	standing_of(lake, NULL, &st);
	return standing_code(&st);
}

enum exit_code report_check(const struct lake *lake, const char *const *names, struct buf *out)
{
	struct standing st;

	for (size_t i = 0; names && names[i]; i++)
		if (!lake_service(lake, names[i]))
			return EXIT_USAGE; /* who asks says so */
	standing_of(lake, names, &st);
	standing_say(lake, &st, out);
	buf_puts(out, "\n");
	return standing_code(&st);
}

/* ---- wait --for SERVICE=VERDICT[@VERSION] ---- */

static bool verdict_parse(struct text t, enum verdict *out, struct err *err)
{
	char words[200] = "";
	size_t used = 0;

	for (int v = 0; v < VERDICT_COUNT; v++) {
		const char *key = verdict_key((enum verdict)v);

		if (text_is(t, key)) {
			*out = (enum verdict)v;
			return true;
		}
		text_copy(words + used, sizeof words - used, text_of(key));
		used += strlen(words + used);
		text_copy(words + used, sizeof words - used, text_of(v < VERDICT_COUNT - 2 ? ", " : v < VERDICT_COUNT - 1 ? " or " : ""));
		used += strlen(words + used);
	}
	return err_set(err, ERR_USAGE, "\"%.*s\" is no verdict: expected %s", (int)(t.len < 40 ? t.len : 40), t.at, words);
}

static bool is_version(struct text t)
{
	return t.len > 0 && t.at[0] >= '0' && t.at[0] <= '9';
}

bool condition_parse(const char *s, struct condition *out, struct err *err)
{
	struct text all = text_of(s), service = text_until(all, '='), wanted = text_after(all, '=');
	struct text verdict = text_until(wanted, '@'), version = text_after(wanted, '@');

	*out = (struct condition){0};
	if (!service.len || service.len == all.len)
		return err_set(err, ERR_USAGE, "\"%s\" is not SERVICE=VERDICT or SERVICE=VERDICT@VERSION", s);
	if (service.len >= sizeof out->service)
		return err_set(err, ERR_USAGE, "the name of a service is shorter than %zu bytes", sizeof out->service);
	if (!verdict_parse(verdict, &out->verdict, err))
		return false;
	if (verdict.len < wanted.len && (!is_version(version) || version.len >= sizeof out->version))
		return err_set(err, ERR_USAGE, "\"%.*s\" is not a version: expected one like 4.1", (int)(version.len < 40 ? version.len : 40),
			version.at);
	text_copy(out->service, sizeof out->service, service);
	text_copy(out->version, sizeof out->version, version);
	return true;
}

bool condition_met(const struct lake *lake, const struct condition *c)
{
	const struct service *s = lake_service(lake, c->service);
	const struct judged *j = s ? &s->verdict.shown : NULL;

	if (!s || verdict_now(s) != c->verdict)
		return false;
	if (!c->version[0])
		return true;
	if (j->sure == SURE_RANGE)
		return version_in_range(j->version, j->version_to[0] ? j->version_to : NULL, c->version);
	return j->sure == SURE_EXACT && version_meets(j->version, c->version);
}
