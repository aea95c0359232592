// SPDX-License-Identifier: MIT
/*
 * status --json. Scripts rely on it: tests/schema/status.json is its contract. Everything is there
 * always, unknown as null; additions keep the schema's number, anything else raises it. Pure.
 */
#include <math.h>
#include <string.h>

#include "documents.h"
#include "report.h"
#include "service.h"
#include "shapes.h"
#include "words.h"

static void put_known(struct json_writer *w, const char *key, int64_t i, int64_t unknown)
{
	json_put_value(w, key, i == unknown ? value_unknown() : value_int(i), UNIT_NONE);
}

static void put_age(struct json_writer *w, int64_t seen, int64_t now)
{
	json_put_value(w, "age_ms", seen > 0 ? value_int(now > seen ? now - seen : 0) : value_unknown(), UNIT_MS);
}

static void put_findings(struct json_writer *w, const struct judged_finding *findings, size_t n)
{
	json_open(w, "findings", '[');
	for (size_t i = 0; i < n; i++)
		put_finding(w, findings[i].name, findings[i].severity, findings[i].reason, findings[i].remedy);
	json_close(w, ']');
}

static void put_machine(struct json_writer *w, const struct lake *lake)
{
	static const struct box none = {.memory_available = -1, .swap_total = -1, .swap_free = -1};
	const struct facts *f = lake->facts;
	const struct box *box = f && f->box.memory_total ? &f->box : &none;
	int64_t disk = -1;

	for (size_t i = 0; f && i < f->n_disks; i++)
		if (f->disks[i].total > 0 && (disk < 0 || f->disks[i].free < disk))
			disk = f->disks[i].free;
	json_open(w, "machine", '{');
	put_known(w, "memory_total", box->memory_total, 0);
	put_known(w, "memory_available", box->memory_available, -1);
	put_known(w, "swap_total", box->swap_total, -1); /* 0: it has none */
	put_known(w, "swap_free", box->swap_free, -1);
	json_put_real(w, "load", f && f->box.uptime ? f->box.load1 : (double)NAN);
	put_known(w, "disk_free", disk, -1); /* of the fullest of the disks that matter */
	put_known(w, "oom_kills", f ? f->box.oom_kills : -1, -1);
	put_findings(w, lake->machine, lake->n_machine);
	json_close(w, '}');
}

static void put_problems(struct json_writer *w, const struct lake *lake, const char *only)
{
	struct standing st;

	standing_of(lake, NULL, &st);
	json_open(w, "problems", '[');
	for (size_t i = 0; i < st.n_problems; i++) {
		const struct service *s = st.problems[i].service;
		const struct judged_finding *f = st.problems[i].finding;

		if (only && strcmp(only, s->name) != 0)
			continue;
		json_open(w, NULL, '{');
		json_put_text(w, "service", s->name);
		json_put_text(w, "verdict", verdict_key(verdict_now(s)));
		json_put_text(w, "finding", f ? f->name : NULL);
		put_words(w, "reason", f ? f->reason : s->verdict.shown.reason);
		put_words(w, "remedy", f ? f->remedy : s->verdict.shown.remedy);
		json_put_time(w, "since", f ? 0 : s->verdict.since_wall);
		json_put_text(w, "caused_by", s->cause ? s->cause->name : NULL);
		json_close(w, '}');
	}
	json_close(w, ']');
}

void put_owner(struct json_writer *w, const struct owner *o)
{
	json_open(w, "owner", '{');
	put_known(w, "pid", o->pid, 0);
	put_words(w, "process", o->process);
	put_words(w, "container", o->container);
	put_words(w, "unit", o->unit);
	json_put_time(w, "started", o->started);
	put_known(w, "rss", o->rss, 0);
	json_put_real(w, "cpu", o->pid || o->container[0] ? o->cpu : (double)NAN);
	json_put_bool(w, "probable", o->probable);
	json_close(w, '}');
}

static void put_version(struct json_writer *w, const struct service *s)
{
	const struct judged *j = &s->verdict.shown;

	json_open(w, "version", '{');
	put_words(w, "found", j->version);
	put_words(w, "to", j->version_to);
	json_put_text(w, "expected", s->expected ? s->expected->version : NULL);
	json_put_text(w, "sure", sure_word(j->sure));
	put_words(w, "from", j->version_source);
	json_close(w, '}');
}

static void put_endpoint(struct json_writer *w, const struct endpoint *at)
{
	json_open(w, "endpoint", '{');
	put_words(w, "host", at->address);
	put_known(w, "port", at->port, 0);
	json_close(w, '}');
}

static void put_evidence(struct json_writer *w, const struct judged *j, int64_t now)
{
	json_open(w, "evidence", '[');
	for (int i = 0; i < LINK_COUNT; i++) {
		const struct link *l = &j->links[i];

		json_open(w, NULL, '{');
		json_put_text(w, "link", link_word((enum link_name)i));
		json_put_text(w, "state", link_state_word(l->state));
		put_words(w, "value", l->value);
		put_words(w, "source", l->source);
		put_age(w, l->seen, now);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void put_figures(struct json_writer *w, const struct service *s, int64_t now)
{
	json_open(w, "figures", '{');
	for (const struct figure_spec *spec = s->kind ? s->kind->figures : NULL; spec && spec->name; spec++) {
		const struct snapshot *from;
		struct value v = figure_of(s, spec, &from);

		json_open(w, spec->name, '{');
		json_put_value(w, "value", v, spec->unit);
		json_put_text(w, "unit", unit_name(spec->unit));
		if (v.at_least)
			json_put_bool(w, "at_least", true);
		put_age(w, from ? from->ended : 0, now);
		json_close(w, '}');
	}
	json_close(w, '}');
}

static void put_tables(struct json_writer *w, const struct snapshot *s)
{
	size_t n = s ? s->n_tables : 0;

	json_open(w, "tables", '{');
	for (size_t i = 0; i < n; i++)
		put_table(w, s->tables[i].spec->name, &s->tables[i], true);
	json_close(w, '}');
	json_open(w, "left_off", '{');
	for (size_t i = 0; i < n; i++)
		if (s->tables[i].left_off)
			json_put_i64(w, s->tables[i].spec->name, (int64_t)s->tables[i].left_off);
	json_close(w, '}');
}

static void put_service(struct json_writer *w, const struct lake *lake, const struct service *s, bool tables)
{
	const struct judged *j = &s->verdict.shown;

	json_open(w, NULL, '{');
	json_put_text(w, "name", s->name);
	json_put_text(w, "kind", s->kind ? s->kind->name : NULL);
	json_put_bool(w, "required", s->required);
	json_put_text(w, "verdict", verdict_key(verdict_now(s)));
	put_words(w, "reason", j->reason);
	put_words(w, "remedy", j->remedy);
	json_put_text(w, "caused_by", s->cause ? s->cause->name : NULL);
	json_put_text(w, "progress", s->pulse ? s->pulse->files.progress : NULL);
	json_put_time(w, "since", s->verdict.since_wall);
	put_age(w, j->seen, lake->now);
	put_version(w, s);
	put_endpoint(w, &s->at);
	put_owner(w, &j->owner);
	put_evidence(w, j, lake->now);
	put_findings(w, j->findings, j->n_findings);
	put_figures(w, s, lake->now);
	if (tables)
		put_tables(w, s->depth);
	json_close(w, '}');
}

static void put_found(struct json_writer *w, const struct service *s)
{
	const struct judged *j = &s->verdict.shown;

	json_open(w, NULL, '{');
	json_put_text(w, "name", s->name);
	put_known(w, "port", s->at.port, 0);
	put_words(w, "address", s->at.address);
	json_put_text(w, "kind", s->kind ? s->kind->name : NULL);
	put_words(w, "role", j->role);
	json_put_text(w, "verdict", verdict_key(verdict_now(s)));
	put_words(w, "says", j->says);
	put_version(w, s);
	put_owner(w, &j->owner);
	put_findings(w, j->findings, j->n_findings);
	json_close(w, '}');
}

static void put_head(struct json_writer *w, const struct lake *lake)
{
	document_head(w, lake->wall);
	json_put_text(w, "laketop", LAKETOP_VERSION);
	json_put_text(w, "host", lake->host);
	json_put_text(w, "profile", lake->profile ? lake->profile->name : NULL);
	json_put_text(w, "demo", lake->demo ? lake->demo->name : NULL);
	json_put_bool(w, "ready", report_ready(lake) == EXIT_READY);
	json_put_bool(w, "replayed", lake->replayed);
}

void document_head(struct json_writer *w, int64_t wall)
{
	json_put_i64(w, "schema", SCHEMA);
	json_put_time(w, "at", wall);
}

void status_json(const struct lake *lake, const struct report_options *options, struct buf *out)
{
	const char *only = options->service;
	struct json_writer w;

	json_begin(&w, out, true);
	json_open(&w, NULL, '{');
	put_head(&w, lake);
	put_machine(&w, lake);
	put_problems(&w, lake, only);
	for (int found = 0; found < 2; found++) {
		json_open(&w, found ? "found" : "services", '[');
		for (size_t i = 0; i < lake->n_services; i++) {
			const struct service *s = lake->services[i];

			if (is_listed(s) == found || (only && strcmp(only, s->name) != 0))
				continue;
			if (found)
				put_found(&w, s);
			else
				put_service(&w, lake, s, options->tables);
		}
		json_close(&w, ']');
	}
	json_close(&w, '}');
	buf_puts(out, "\n");
}
