// SPDX-License-Identifier: MIT
/*
 * status as one page that is read from top to bottom: no columns, no glyphs, no colour, so that a
 * screen reader and grep have as much of it as an eye. Pure.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "clock.h"
#include "documents.h"
#include "report.h"
#include "service.h"
#include "words.h"

/* "1 cores used" is none: of one, what is counted loses its s. */
static void say_counted(struct buf *out, const char *shown, const char *label)
{
	size_t counted = strcspn(label, " ");
	bool one = counted > 1 && !strcmp(shown, "1") && label[counted - 1] == 's';

	buf_printf(out, "%s %.*s%s", shown, (int)(counted - one), label, label + counted);
}

/* "12,401 lag", "1 worker", "1 core used", "newest 4min ago", "mode standalone", "database size 812 MiB" */
static void say_value(struct buf *out, const struct figure_spec *spec, struct value v, int64_t wall)
{
	char shown[VALUE_TEXT_SIZE], span[CLOCK_TEXT];
	bool labelled = spec->label && spec->label[0];

	value_show(shown, v, spec->unit);
	if (labelled && !(spec->unit == UNIT_TIME && v.type == VALUE_INT && wall >= v.u.i)) {
		say_counted(out, shown, spec->label);
		return;
	}
	for (const char *at = labelled ? spec->label : spec->name; *at; at++)
		buf_printf(out, "%c", *at == '_' ? ' ' : *at);
	if (spec->unit == UNIT_TIME && v.type == VALUE_INT && wall >= v.u.i)
		buf_printf(out, " %s ago", clock_span(span, wall - v.u.i));
	else
		buf_printf(out, " %s", shown);
}

static void say_bytes(struct buf *out, const char *before, int64_t bytes, const char *after)
{
	char shown[VALUE_TEXT_SIZE];

	buf_printf(out, "%s%s%s", before, value_show(shown, value_int(bytes), UNIT_BYTES), after);
}

/* ---- the machine ---- */

static void say_machine(const struct lake *lake, struct buf *out)
{
	const struct facts *f = lake->facts;
	char time[CLOCK_TEXT];

	buf_printf(out, "%s at %s", lake->host ? lake->host : "this machine", clock_hms(time, lake->wall));
	if (lake->replayed)
		buf_puts(out, ", replayed");
	if (f && f->box.memory_total) {
		say_bytes(out, ": ", f->box.memory_available, " of");
		say_bytes(out, " ", f->box.memory_total, " memory available");
		if (f->box.swap_total > f->box.swap_free) {
			say_bytes(out, ", ", f->box.swap_total - f->box.swap_free, " of");
			say_bytes(out, " ", f->box.swap_total, " swap used");
		}
		buf_printf(out, ", load %.2f on %d core%s", f->box.load1, f->box.cores, f->box.cores == 1 ? "" : "s");
	}
	for (size_t i = 0; f && i < f->n_disks; i++)
		if (f->disks[i].total > 0) {
			say_bytes(out, ", ", f->disks[i].free, " free in ");
			buf_puts(out, f->disks[i].path);
		}
	if (f && f->box.oom_kills > 0)
		buf_printf(out, ", %" PRId64 " OOM kill%s since boot", f->box.oom_kills, f->box.oom_kills == 1 ? "" : "s");
	buf_puts(out, "\n");
}

/* ---- a service ---- */

static void say_part(struct buf *out, const char *s)
{
	if (s[0])
		buf_printf(out, ", %s", s);
}

static void say_figures(const struct lake *lake, const struct service *s, bool all, struct buf *out)
{
	const char *before = "; ";

	for (const struct figure_spec *spec = s->kind ? s->kind->figures : NULL; spec && spec->name; spec++) {
		const struct snapshot *from;
		struct value v = figure_of(s, spec, &from);

		if (v.type == VALUE_UNKNOWN || !(all || spec->flags & FIGURE_ROW))
			continue;
		buf_puts(out, before);
		say_value(out, spec, v, lake->wall);
		before = ", ";
	}
}

/* Older than three of its intervals: it says so, whatever it says. */
static void say_age(const struct lake *lake, const struct service *s, struct buf *out)
{
	int64_t age = s->pulse ? lake->now - s->pulse->ended : 0;
	char span[CLOCK_TEXT];

	if (s->pulse && s->pulse->interval > 0 && age > 3 * s->pulse->interval)
		buf_printf(out, "; this is %s old", clock_span(span, age));
}

static void say_trouble(const struct service *s, struct buf *out)
{
	const struct judged *j = &s->verdict.shown;

	if (verdict_now(s) == VERDICT_SERVING)
		return;
	say_sentence(out, ". Reason: ", j->reason);
	if (s->pulse && s->pulse->files.progress && !strstr(j->reason, s->pulse->files.progress))
		say_sentence(out, ". Its start says: ", s->pulse->files.progress);
	if (s->cause)
		buf_printf(out, ". Caused by %s", s->cause->name);
	say_sentence(out, ". Remedy: ", j->remedy);
}

static void say_service(const struct lake *lake, const struct service *s, bool whole, struct buf *out)
{
	const struct owner *o = &s->verdict.shown.owner;
	bool stolen = verdict_now(s) == VERDICT_BLOCKED || verdict_now(s) == VERDICT_IMPOSTOR;
	char words[WORDS_SIZE];

	buf_printf(out, "%s: %s%s", s->name, verdict_word(verdict_now(s)), s->required ? "" : " (not required)");
	say_part(out, say_version(words, s));
	say_part(out, say_endpoint(words, &s->at));
	if (say_owner(words, o)[0])
		buf_printf(out, ", %s%s", stolen ? "held by " : "", words);
	if (o->rss && !stolen)
		say_bytes(out, ", ", o->rss, " memory");
	if (o->pid && isfinite(o->cpu) && !stolen)
		buf_printf(out, ", %.0f%% CPU", 100 * o->cpu); /* of one core, as top counts */
	say_figures(lake, s, whole, out);
	say_age(lake, s, out);
	say_trouble(s, out);
	buf_puts(out, "\n");
}

/* ---- one service in full ---- */

static void say_evidence(const struct lake *lake, const struct service *s, struct buf *out)
{
	buf_puts(out, "\nEvidence\n");
	for (int i = 0; i < LINK_COUNT; i++) {
		const struct link *l = &s->verdict.shown.links[i];
		char span[CLOCK_TEXT];

		buf_printf(out, "%s: %s%s%s", link_word((enum link_name)i), link_state_word(l->state), l->value[0] ? ", " : "", l->value);
		if (l->source[0])
			buf_printf(out, " (%s%s%s)", l->source, l->seen ? ", " : "", l->seen ? clock_span(span, lake->now - l->seen) : "");
		buf_puts(out, "\n");
	}
}

static void say_table(const struct table *t, struct buf *out)
{
	buf_printf(out, "\nTable %s: %s, %zu row%s", t->spec->name, t->spec->help, t->n_rows, t->n_rows == 1 ? "" : "s");
	if (t->left_off)
		buf_printf(out, ", and %zu more that are left off", t->left_off);
	buf_puts(out, "\n");
	for (size_t row = 0; row < t->n_rows; row++) {
		for (size_t i = 0; i < t->n_columns; i++) {
			char shown[VALUE_TEXT_SIZE];

			buf_printf(out, "%s%s %s", i ? ", " : "", t->spec->columns[i].name,
				value_show(shown, t->cells[row * t->n_columns + i], t->spec->columns[i].unit));
		}
		buf_puts(out, "\n");
	}
}

/* ---- sections ---- */

static bool is_shown(const struct service *s, const struct report_options *options)
{
	return !options->service || !strcmp(options->service, s->name);
}

static void heading(struct buf *out, bool *begun, const char *words)
{
	if (!*begun)
		buf_printf(out, "\n%s\n", words);
	*begun = true;
}

static void say_services(const struct lake *lake, const struct report_options *options, struct buf *out)
{
	bool begun = false;

	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *s = lake->services[i];

		if (!is_shown(s, options) || !(is_listed(s) || options->service))
			continue;
		heading(out, &begun, "Services");
		say_service(lake, s, options->service != NULL, out);
		if (options->service)
			say_evidence(lake, s, out);
		for (size_t t = 0; options->tables && s->depth && t < s->depth->n_tables; t++)
			say_table(&s->depth->tables[t], out);
	}
}

static void say_finding(const char *whose, const struct judged_finding *f, struct buf *out)
{
	static const char *const words[] = {
		[SEVERITY_INFO] = "for information", [SEVERITY_WARNING] = "warning", [SEVERITY_BLOCKING] = "blocking",
	};

	buf_printf(out, "%s: %s, %s", whose, words[f->severity], f->name);
	say_sentence(out, ": ", f->reason);
	say_sentence(out, ". Remedy: ", f->remedy);
	buf_puts(out, "\n");
}

static void say_findings(const struct lake *lake, const struct report_options *options, struct buf *out)
{
	bool begun = false;

	for (size_t i = 0; i < lake->n_machine && !options->service; i++) {
		heading(out, &begun, "Findings");
		say_finding(lake_machine, &lake->machine[i], out);
	}
	for (int severity = SEVERITY_BLOCKING; severity >= SEVERITY_INFO; severity--)
		for (size_t i = 0; i < lake->n_services; i++) {
			const struct service *s = lake->services[i];

			if (!is_shown(s, options) || !(is_listed(s) || options->service))
				continue;
			for (size_t k = 0; k < s->verdict.shown.n_findings; k++) {
				const struct judged_finding *f = &s->verdict.shown.findings[k];

				if ((int)f->severity != severity)
					continue;
				heading(out, &begun, "Findings");
				say_finding(s->name, f, out);
			}
		}
}

static void say_found(const struct lake *lake, struct buf *out)
{
	bool begun = false;

	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *s = lake->services[i];
		const struct judged *j = &s->verdict.shown;
		char words[WORDS_SIZE];

		if (is_listed(s))
			continue;
		heading(out, &begun, "Found besides");
		buf_printf(out, "%s: ", say_endpoint(words, &s->at));
		buf_printf(out, "%s%s%s", s->kind ? s->kind->title : "unknown", j->role[0] ? " " : "", j->role);
		say_part(out, say_version(words, s));
		if (s->kind)
			say_part(out, verdict_word(verdict_now(s)));
		say_part(out, say_owner(words, &j->owner));
		if (j->says[0])
			buf_printf(out, ", says: %s", j->says);
		if (j->n_findings)
			buf_printf(out, ", %zu finding%s", j->n_findings, j->n_findings == 1 ? "" : "s");
		buf_puts(out, "\n");
	}
}

void status_text(const struct lake *lake, const struct report_options *options, struct buf *out)
{
	struct standing st;

	standing_of(lake, NULL, &st);
	standing_say(lake, &st, out);
	buf_puts(out, "\n");
	say_machine(lake, out);
	say_services(lake, options, out);
	say_findings(lake, options, out);
	if (!options->service)
		say_found(lake, out);
}

void report_status(const struct lake *lake, const struct report_options *options, struct buf *out)
{
	if (options->json)
		status_json(lake, options, out);
	else
		status_text(lake, options, out);
}

void report_events(const struct lake *lake, struct buf *out)
{
	for (size_t i = 0; i < lake->n_events; i++) {
		const struct event *e = &lake->events[i];
		char time[CLOCK_TEXT];

		/* a time of day says enough of the last day only */
		buf_printf(out, "%s %s%s%s\n", lake->wall - e->wall < 86400000 ? clock_hms(time, e->wall) : clock_rfc3339(time, e->wall),
			e->service, e->service[0] ? ": " : "", e->words);
	}
}
