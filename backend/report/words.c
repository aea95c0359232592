// SPDX-License-Identifier: MIT
/* A lake in words. Pure. */
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "service.h"
#include "words.h"

enum { SAID_MOST = 6 }; /* problems that the first line names */

enum verdict verdict_now(const struct service *s)
{
	return s->verdict.begun ? s->verdict.shown.verdict : VERDICT_UNKNOWN;
}

bool is_listed(const struct service *s)
{
	return s->expected || s->required;
}

char *say_version(char out[WORDS_SIZE], const struct service *s)
{
	const struct judged *j = &s->verdict.shown;
	const char *expected = s->expected ? s->expected->version : NULL;
	char found[WORDS_SIZE / 2];

	if (!j->version[0] && verdict_now(s) < VERDICT_FROZEN) /* nobody is there to tell one */
		snprintf(found, sizeof found, "%s", "");
	else if (!j->version[0])
		snprintf(found, sizeof found, "%s", expected ? "version not known" : "");
	else if (j->sure == SURE_RANGE && j->version_to[0] && strcmp(j->version, j->version_to) != 0)
		snprintf(found, sizeof found, "%.40s to %.40s", j->version, j->version_to);
	else
		snprintf(found, sizeof found, "%.60s%s", j->version, j->sure == SURE_HINT ? ", only by a hint" : "");
	if (expected && !(j->links[LINK_VERSION].state == LINK_OK && (j->sure == SURE_EXACT || !strcmp(found, expected))))
		snprintf(out, WORDS_SIZE, found[0] ? "%s (expected %.60s)" : "%sexpected %.60s", found, expected);
	else
		text_copy(out, WORDS_SIZE, text_of(found));
	return out;
}

char *say_owner(char out[WORDS_SIZE], const struct owner *o)
{
	const char *place = o->container[0] ? o->container : o->unit, *in = "";
	char pid[24] = "";

	if (o->pid)
		snprintf(pid, sizeof pid, "%spid %d", o->process[0] ? " " : "", (int)o->pid);
	if (o->container[0])
		in = o->pid ? " in container " : "container ";
	else if (o->unit[0])
		in = o->pid ? " of " : "unit ";
	snprintf(out, WORDS_SIZE, "%s%s%s%s%s", o->process, pid, o->pid && o->probable ? ", probably" : "", in, place);
	return out;
}

char *say_endpoint(char out[WORDS_SIZE], const struct endpoint *at)
{
	if (at->port)
		snprintf(out, WORDS_SIZE, strchr(at->address, ':') ? "[%s]:%u" : "%s:%u", at->address, (unsigned)at->port);
	else
		out[0] = '\0';
	return out;
}

void say_sentence(struct buf *out, const char *before, const char *s)
{
	struct text t = text_trim(text_of(s));

	if (t.len > 1 && t.at[t.len - 1] == '.' && t.at[t.len - 2] != '.')
		t.len--;
	if (t.len)
		buf_printf(out, "%s%.*s", before, (int)t.len, t.at);
}

static const struct value *figure_in(const struct snapshot *s, const struct figure_spec *spec)
{
	for (size_t i = 0; s && i < s->n_figures; i++)
		if (s->figures[i].spec == spec)
			return &s->figures[i].value;
	return NULL;
}

struct value figure_of(const struct service *s, const struct figure_spec *spec, const struct snapshot **from)
{
	const struct value *v = figure_in(s->depth, spec);

	*from = v ? s->depth : s->pulse;
	if (!v)
		v = figure_in(s->pulse, spec);
	if (!v)
		*from = NULL;
	return v ? *v : value_unknown();
}

/* ---- what keeps READY away ---- */

static bool is_among(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

static bool counts(const struct service *s, const char *const *names)
{
	return names ? is_among(s->name, names) : s->required;
}

static bool is_known(const struct standing *st, const struct service *s)
{
	for (size_t i = 0; i < st->n_problems; i++)
		if (st->problems[i].service == s)
			return true;
	return false;
}

static void add_problem(struct standing *st, const struct service *s, const struct judged_finding *f)
{
	if (st->n_problems < LAKE_PROBLEMS)
		st->problems[st->n_problems++] = (struct problem){s, f};
	st->bad = st->bad || f || verdict_now(s) != VERDICT_UNKNOWN;
}

static const struct judged_finding *blocking(const struct service *s)
{
	for (size_t i = 0; i < s->verdict.shown.n_findings; i++)
		if (s->verdict.shown.findings[i].severity == SEVERITY_BLOCKING)
			return &s->verdict.shown.findings[i];
	return NULL;
}

void standing_of(const struct lake *lake, const char *const *names, struct standing *out)
{
	*out = (struct standing){.n_warnings = names ? 0 : lake->n_warnings, .names = names};
	/* first as the lake has them in order, then what it does not require and we were asked about */
	for (size_t i = 0; i < lake->n_problems; i++)
		if (counts(lake->problems[i].service, names))
			add_problem(out, lake->problems[i].service, lake->problems[i].finding);
	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *s = lake->services[i];
		enum verdict v = verdict_now(s);

		if (!counts(s, names))
			continue;
		out->n++;
		out->n_serving += v == VERDICT_SERVING;
		out->n_unknown += v == VERDICT_UNKNOWN;
		for (size_t k = 0; names && k < s->verdict.shown.n_findings; k++)
			out->n_warnings += s->verdict.shown.findings[k].severity == SEVERITY_WARNING;
		if (!is_known(out, s) && (v != VERDICT_SERVING || blocking(s)))
			add_problem(out, s, v == VERDICT_SERVING ? blocking(s) : NULL);
	}
}

enum exit_code standing_code(const struct standing *st)
{
	if (st->bad)
		return EXIT_NOT_READY;
	return st->n && !st->n_problems ? EXIT_READY : EXIT_UNKNOWN;
}

static void say_problem(const struct problem *p, bool whole, struct buf *out)
{
	const struct judged *j = &p->service->verdict.shown;
	const char *reason = p->finding ? p->finding->reason : j->reason, *remedy = p->finding ? p->finding->remedy : j->remedy;

	buf_printf(out, "%s %s", p->service->name, p->finding ? p->finding->name : verdict_word(verdict_now(p->service)));
	if (!whole)
		return;
	say_sentence(out, ": ", reason);
	say_sentence(out, ". Remedy: ", remedy);
}

/* The first problem in full, the others by name; a victim is not named beside its cause. */
static void say_problems(const struct standing *st, struct buf *out)
{
	size_t said = 0, left = 0;

	for (size_t i = 0; i < st->n_problems; i++) {
		const struct service *cause = st->problems[i].service->cause;

		if (said && (said >= SAID_MOST || (cause && is_known(st, cause)))) {
			left++;
			continue;
		}
		buf_puts(out, said == 0 ? "" : said == 1 ? "; also " : ", ");
		say_problem(&st->problems[i], said++ == 0, out);
	}
	if (left)
		buf_printf(out, " and %zu more", left);
}

/* ": kafka lag, spark-connect stale" */
static void say_warnings(const struct lake *lake, const struct standing *st, struct buf *out)
{
	const struct judged_finding *f;
	const char *whose;
	size_t said = 0;

	for (size_t i = 0; said < SAID_MOST && (f = lake_warning(lake, i, &whose)); i++)
		if (!st->names || is_among(whose, st->names))
			buf_printf(out, "%s %s %s", said++ ? "," : ":", whose, f->name);
	if (st->n_warnings > said)
		buf_printf(out, " and %zu more", st->n_warnings - said);
}

void standing_say(const struct lake *lake, const struct standing *st, struct buf *out)
{
	const char *profile = lake->profile ? lake->profile->name : NULL;
	const char *of = lake->demo ? lake->demo->name : profile;

	switch (standing_code(st)) {
	case EXIT_READY:
		buf_printf(out, "READY - %zu of %zu serving", st->n_serving, st->n);
		if (st->n_warnings) {
			buf_printf(out, ", %zu warning%s", st->n_warnings, st->n_warnings == 1 ? "" : "s");
			say_warnings(lake, st, out);
		}
		if (of)
			buf_printf(out, " (%s)", of);
		return;
	case EXIT_NOT_READY:
		buf_printf(out, "NOT READY - %zu problem%s: ", st->n_problems, st->n_problems == 1 ? "" : "s");
		break;
	case EXIT_UNKNOWN:
	case EXIT_USAGE:
	case EXIT_REFUSED:
	case EXIT_DISAGREES:
	case EXIT_TIME:
		if (!st->n) {
			buf_puts(out, "UNKNOWN - nothing is required, and nothing of a known kind was found");
			return;
		}
		buf_printf(out, "UNKNOWN - %zu of %zu not known: ", st->n_unknown, st->n);
	}
	say_problems(st, out);
}
