// SPDX-License-Identifier: MIT
/*
 * What a table is like before and after, read from its catalog and its metadata by a keeper of the
 * worker's own, so that no other one's memory answers.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "maintain.h"

static int64_t number_of(const struct table *facts, const char *what)
{
	for (size_t i = 0; facts && i < facts->n_rows; i++) {
		struct value name = table_get(facts, i, "what"), n = table_get(facts, i, "number");

		if (name.type == VALUE_TEXT && !strcmp(name.u.s, what))
			return n.type == VALUE_INT ? n.u.i : -1;
	}
	return -1;
}

static void read_facts(const struct snapshot *s, bool delta, struct table_state *out)
{
	const struct table *facts = snapshot_find_table(s, "table");

	out->files = number_of(facts, "data files");
	out->bytes = number_of(facts, "size of data files");
	out->snapshot = number_of(facts, delta ? "version" : "current snapshot");
	out->deletes = number_of(facts, delta ? "deletion vectors" : "delete files");
	out->snapshots = delta ? -1 : number_of(facts, "snapshots");
	out->manifests = delta ? -1 : number_of(facts, "manifests");
	for (size_t i = 0; facts && i < facts->n_rows; i++) {
		struct value name = table_get(facts, i, "what"), said = table_get(facts, i, "value");

		if (name.type == VALUE_TEXT && !strcmp(name.u.s, "operation") && said.type == VALUE_TEXT)
			text_clean(out->operation, sizeof out->operation, text_of(said.u.s));
	}
}

static struct probe catalog_probe(struct action_job *j, struct wait wait)
{
	const struct catalog *c = j->target.catalog;

	return (struct probe){
		.host = j->host, .net = j->net, .wait = wait, .at = catalog_endpoint(c), .expected = c->service,
		.credentials = catalog_credentials(c), .hint = "",
	};
}

static bool always(void *ctx)
{
	(void)ctx;
	return true;
}

/* A listing is enough. all: until every table was read, for what looks into folders. */
static bool list(struct action_job *j, struct keeper *k, struct wait wait, const struct storage *at, bool all, bool *named, struct err *err)
{
	bool good, unread;

	if (!all)
		keeper_hurry(k, always, NULL);
	do {
		struct snapshot *s = snapshot_new(j->target.catalog->name, PART_CATALOG);
		struct probe p = catalog_probe(j, wait);
		struct value v;

		p.arena = s->arena;
		good = keeper_look(k, &p, at, s);
		if (!good)
			*err = s->err;
		v = snapshot_get(s, "unread");
		*named = snapshot_get(s, "named").type == VALUE_INT;
		unread = good && all && v.type == VALUE_INT && v.u.i > 0;
		snapshot_unref(s);
	} while (unread && wait_left(wait) > MAINTAIN_READ_MS / 4);
	if (unread)
		return err_set(err, ERR_TIMEOUT, "not every table of %.60s could be read in time: another one may lie in its folder", j->target.catalog->name);
	return good || err->code != ERR_NONE || err_set(err, ERR_CONNECT, "%s does not answer", j->target.catalog->name);
}

static struct snapshot *view_of(struct action_job *j, struct keeper *k, struct wait wait, const struct storage *at, const char *name, struct err *err)
{
	struct snapshot *s = snapshot_new(j->target.catalog->name, PART_ANSWER);
	struct probe p = catalog_probe(j, wait);

	p.arena = s->arena;
	p.storage = at;
	if (keeper_answer(k, &p, at, name, j->wish.subject, s))
		return s;
	*err = s->err;
	if (err->code == ERR_NONE)
		err_set(err, ERR_PROTOCOL, "%s says nothing of %.100s", j->target.catalog->name, j->wish.subject);
	snapshot_unref(s);
	return NULL;
}

/* VACUUM takes folders that were empty before it; those that it empties itself are left for the next. */
static void read_left(const struct snapshot *preview, const char *verb, struct table_state *out)
{
	const struct table *t = snapshot_find_table(preview, verb);
	struct value files = snapshot_get(preview, "files");

	if (files.type != VALUE_INT || !t)
		return;
	out->left = files.u.i;
	out->folders = (int64_t)(t->n_rows + t->left_off) - files.u.i;
}

bool table_state_read(struct action_job *j, const char *view, struct wait wait, struct table_state *out, struct snapshot **plan, struct err *err)
{
	const struct chore *chore = chore_of(j->wish.verb);
	struct storage at = profile_storage(j->target.profile, j->target.catalog->storage);
	struct keeper *k = keeper_new(j->target.catalog);
	struct snapshot *facts = NULL, *preview = NULL;
	bool good, named;

	keeper_places(k, j->target.places);
	good = list(j, k, wait, &at, chore->folder, &named, err);
	*out = (struct table_state){.files = -1, .bytes = -1, .deletes = -1, .snapshots = -1, .manifests = -1, .snapshot = -1, .left = -1, .folders = -1,
		.named = named};
	if (good && (plan || chore->proof == PROOF_LEFT)) {
		preview = view_of(j, k, wait, &at, view, err);
		good = preview != NULL;
	}
	if (good) {
		facts = view_of(j, k, wait, &at, "table", err);
		good = facts != NULL;
	}
	if (good) {
		read_facts(facts, chore->format == FORMAT_DELTA, out);
		if (preview && chore->proof == PROOF_LEFT)
			read_left(preview, chore->verb, out);
	}
	keeper_free(k);
	snapshot_unref(facts);
	if (good && plan)
		*plan = preview;
	else
		snapshot_unref(preview);
	return good;
}

/* ---- in words ---- */

static void say_number(char *out, size_t size, const char *what, int64_t before, int64_t after, bool always_said)
{
	size_t len = strlen(out);

	if (before >= 0 && after >= 0 && (always_said || before != after))
		snprintf(out + len, size - len, "%s%" PRId64 " -> %" PRId64 " %s", len ? ", " : "", before, after, what);
}

void table_state_change(const struct table_state *b, const struct table_state *a, bool delta, char *out, size_t size)
{
	char from[VALUE_TEXT_SIZE], to[VALUE_TEXT_SIZE];
	size_t len;

	out[0] = '\0';
	say_number(out, size, "data files", b->files, a->files, true);
	len = strlen(out);
	if (b->bytes >= 0 && a->bytes >= 0)
		snprintf(out + len, size - len, "%s%s -> %s", len ? ", " : "", value_show(from, value_int(b->bytes), UNIT_BYTES),
			value_show(to, value_int(a->bytes), UNIT_BYTES));
	say_number(out, size, delta ? "deletion vectors" : "delete files", b->deletes, a->deletes, false);
	say_number(out, size, "manifests", b->manifests, a->manifests, false);
	say_number(out, size, "snapshots", b->snapshots, a->snapshots, false);
	say_number(out, size, "files to remove", b->left, a->left, false);
	len = strlen(out);
	if (b->snapshot != a->snapshot)
		snprintf(out + len, size - len, "%s%s %" PRId64 "%s%s%s", len ? ", " : "", delta ? "version" : "snapshot", a->snapshot,
			a->operation[0] ? " (" : "", a->operation, a->operation[0] ? ")" : "");
}

bool table_state_same(const struct table_state *b, const struct table_state *a, bool delta, char *out, size_t size)
{
	bool same = a->snapshot == b->snapshot && a->snapshots == b->snapshots;

	snprintf(out, size, "the table %s %s %" PRId64, same ? "is as it was," : "has changed: now", delta ? "version" : "snapshot", a->snapshot);
	return same;
}

static bool has_come_about(enum proof proof, const struct table_state *b, const struct table_state *a)
{
	switch (proof) {
	case PROOF_SNAPSHOT:
		return a->snapshot != b->snapshot;
	case PROOF_EXPIRED:
		return a->snapshots < b->snapshots;
	case PROOF_LEFT:
		return a->left >= 0 && (a->left < b->left || (!b->left && a->folders < b->folders));
	}
	return false;
}

bool maintain_verify(struct action_job *j, const char *who, bool did, const char *said, struct err *err)
{
	const struct chore *chore = chore_of(j->wish.verb);
	const struct maintain *m = j->state;
	struct table_state after;
	struct err unread = {0};
	char change[300];

	action_progress(j, (double)NAN, "%s has ended it%s%.200s; reading the table again", who, said[0] ? ": " : "", said);
	j->fault = FAULT_DISAGREES; /* until it is seen done */
	if (!table_state_read(j, m->view, wait_for(MAINTAIN_READ_MS, j->wait.cancel), &after, NULL, &unread))
		return err_set(err, unread.code, "%s says that it is done, and the table could not be read again: %.110s", who, unread.words);
	table_state_change(&m->before, &after, chore->format == FORMAT_DELTA, change, sizeof change);
	if (!has_come_about(chore->proof, &m->before, &after)) {
		if (did)
			return err_set(err, ERR_PROTOCOL, "%s says %.80s, and the table as %.40s has it is as before: do both mean the same catalog?", who, said,
				j->target.catalog->name);
		j->needless = true;
		snprintf(j->result, sizeof j->result, "nothing has changed: %s had nothing to do, or somebody else did it meanwhile", who);
		return true;
	}
	snprintf(j->result, sizeof j->result, "%s%s%s%s%s", change, said[0] ? "; " : "", said[0] ? who : "", said[0] ? " says: " : "", said);
	return true;
}
