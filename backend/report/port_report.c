// SPDX-License-Identifier: MIT
/* ports: every listener and every port that should have one, a line or a row each. Pure. */
#include <string.h>

#include "documents.h"
#include "report.h"
#include "service.h"
#include "words.h"

enum { EXPECTED_MOST = sizeof((struct port_row *)0)->expected / sizeof *((struct port_row *)0)->expected };

/* The verdict on the service that should be here, else on the one that is. A part of a serving service
 * that nobody listens for, or that another answers for, does not serve. */
static enum verdict row_verdict(const struct port_row *p)
{
	const struct service *s = p->expected[0] ? p->expected[0] : p->answers;
	enum verdict v = s ? verdict_now(s) : VERDICT_UNKNOWN;

	if (v != VERDICT_SERVING || !p->expected[0])
		return v;
	if (!p->listener)
		return VERDICT_ABSENT;
	return p->answers && p->answers != s ? VERDICT_IMPOSTOR : v;
}

static const char *row_words(const struct port_row *p)
{
	return p->words[0] ? p->words : !p->listener ? "nobody listens" : p->asked ? "does not say who it is" : "not asked";
}

static void put_port(struct json_writer *w, const struct port_row *p)
{
	const struct service *a = p->answers;
	bool itself = a && (!p->kind || a->kind == p->kind); /* else another sits where it should be */

	json_open(w, NULL, '{');
	json_put_i64(w, "port", p->port);
	json_put_text(w, "address", p->address);
	json_put_text(w, "expected", p->expected[0] ? p->expected[0]->name : NULL);
	json_put_text(w, "expected_role", p->expected_role);
	json_open(w, "wanted_by", '[');
	for (int i = 0; i < EXPECTED_MOST && p->expected[i]; i++)
		json_put_text(w, NULL, p->expected[i]->name);
	json_close(w, ']');
	json_put_bool(w, "listens", p->listener != NULL);
	json_put_bool(w, "asked", p->asked);
	json_put_text(w, "answers", itself ? a->name : NULL);
	json_put_text(w, "kind", p->kind ? p->kind->name : NULL);
	json_put_text(w, "role", p->role);
	json_put_text(w, "version", p->version[0] ? p->version : NULL);
	json_put_text(w, "words", row_words(p));
	put_owner(w, &p->owner);
	json_put_bool(w, "conflict", p->conflict);
	json_put_text(w, "verdict", verdict_key(row_verdict(p)));
	json_close(w, '}');
}

static void ports_json(const struct lake *lake, struct buf *out)
{
	struct json_writer w;

	json_begin(&w, out, true);
	json_open(&w, NULL, '{');
	document_head(&w, lake->wall);
	json_open(&w, "tables", '{');
	json_open(&w, "ports", '[');
	for (size_t i = 0; i < lake->n_ports; i++)
		put_port(&w, &lake->ports[i]);
	json_close(&w, ']');
	json_close(&w, '}');
	json_open(&w, "left_off", '{');
	json_close(&w, '}');
	json_close(&w, '}');
	buf_puts(out, "\n");
}

static void say_wanted(const struct port_row *p, struct buf *out)
{
	if (!p->expected[0])
		return;
	buf_printf(out, ", for %s%s%s", p->expected[0]->name, p->expected_role ? " " : "", p->expected_role ? p->expected_role : "");
	for (int i = 1; i < EXPECTED_MOST && p->expected[i]; i++)
		buf_printf(out, " and also for %s", p->expected[i]->name);
	buf_printf(out, " (%s)", verdict_word(row_verdict(p)));
}

static void say_port(const struct port_row *p, struct buf *out)
{
	struct endpoint at = {.port = p->port};
	char words[WORDS_SIZE];

	text_copy(at.address, sizeof at.address, text_of(p->address));
	buf_printf(out, "%s: ", say_endpoint(words, &at));
	buf_puts(out, row_words(p));
	say_wanted(p, out);
	if (say_owner(words, &p->owner)[0])
		buf_printf(out, ", held by %s", words);
	buf_puts(out, "\n");
}

void report_ports(const struct lake *lake, const struct report_options *options, struct buf *out)
{
	if (options->json) {
		ports_json(lake, out);
		return;
	}
	for (size_t i = 0; i < lake->n_ports; i++)
		say_port(&lake->ports[i], out);
}
