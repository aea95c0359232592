// SPDX-License-Identifier: MIT
/*
 * What rewrite_manifests would do, by RewriteManifestsSparkAction of Iceberg 1.11: all manifests of
 * the current partition spec, those of data and of deletes by themselves, become as many as their
 * bytes fill at commit.manifest.target-size-bytes. One that fits stays.
 */
#include <inttypes.h>
#include <stdio.h>

#include "plan.h"

enum { TARGET = 8 << 20 };

struct kind {
	int64_t manifests, bytes, live, becomes;
	bool rewrites;
};
struct manifests {
	int spec;
	struct kind of[2], others; /* data, deletes; others: of other specs, left alone */
	bool uncounted;            /* format 1 may leave the counts out, which the procedure refuses */
};

static bool take(void *ctx, const struct iceberg_manifest *m)
{
	struct manifests *all = ctx;
	struct kind *k = m->spec == all->spec ? &all->of[m->deletes] : &all->others;

	k->manifests++;
	k->bytes = plan_add(k->bytes, m->bytes);
	k->live = plan_add(k->live, plan_add(m->added_files, m->existing_files));
	all->uncounted = all->uncounted || m->spec < 0 || /* named one by one: all that is known is its path */
		(k != &all->others && (m->added_files < 0 || m->existing_files < 0 || m->deleted_files < 0));
	return true;
}

static void decide(struct kind *k, int64_t target)
{
	int64_t n = k->bytes / target + (k->bytes % target > 0);

	k->rewrites = k->manifests > 1 || (k->manifests == 1 && n != 1);
	k->becomes = !k->rewrites ? 0 : k->live ? n : 0; /* entries of deleted files are not taken along */
}

static void add_row(struct snapshot *s, struct table *t, const char *what, const struct kind *k, const char *why)
{
	struct value *row;

	if (!k->manifests)
		return;
	row = table_row(s, t);
	table_set(s, t, row, "what", value_text(what));
	table_set(s, t, row, "files", value_int(k->manifests));
	table_set(s, t, row, "becomes", value_int(k->rewrites ? k->becomes : k->manifests));
	table_set(s, t, row, "bytes", value_int(k->bytes));
	table_set(s, t, row, "why", value_text(why));
}

static void tell(struct snapshot *s, const struct manifests *all, int64_t target, const struct plan_about *a)
{
	struct table *t = snapshot_table(s, table_views, "manifests");
	static const char *const names[] = {"manifests of data files", "manifests of delete files"};
	int64_t n = 0, becomes = 0, bytes = 0;

	for (size_t i = 0; i < 2; i++) {
		const struct kind *k = &all->of[i];

		n += k->rewrites ? k->manifests : 0;
		becomes += k->becomes;
		bytes = plan_add(bytes, k->rewrites ? k->bytes : 0);
		if (t)
			add_row(s, t, names[i], k, k->rewrites ? "all of the current partition spec are written anew" : "the one there is fits");
	}
	if (t)
		add_row(s, t, "manifests of older partition specs", &all->others, "left alone: the procedure takes one spec at a time");
	if (all->uncounted) {
		plan_say(s, "words", "nothing can be done: a manifest of format 1 does not count its files, and the procedure refuses it");
		return;
	}
	plan_figure(s, "manifests", n);
	plan_figure(s, "becomes", becomes);
	plan_figure(s, "bytes", bytes);
	if (!n) {
		plan_say(s, "words", "nothing to do: %s", all->of[0].manifests ? "the manifest that there is fits" : "there are no manifests of the current spec");
		return;
	}
	plan_say(s, "words", "%" PRId64 " manifests of %s become %" PRId64 ", of up to %s each", n, plan_bytes(bytes / n).s, becomes, plan_bytes(target).s);
	plan_sql(s, a, "rewrite_manifests", "");
}

bool plan_manifests(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct plan_about *a, struct snapshot *s)
{
	struct manifests all = {.spec = m->spec};
	struct iceberg_budget budget = a->budget;
	const struct iceberg_snapshot *now = iceberg_current(m);
	int64_t target = iceberg_number(m, "commit.manifest.target-size-bytes", TARGET);

	if (target < 1) {
		snapshot_table(s, table_views, "manifests");
		plan_say(s, "words", "nothing can be done: commit.manifest.target-size-bytes of %" PRId64 " is no size", target);
		return true;
	}
	if (now && !iceberg_each_manifest(p, at, m, now, &budget, take, &all, &s->err))
		return false;
	decide(&all.of[0], target);
	decide(&all.of[1], target);
	tell(s, &all, target, a);
	return true;
}
