// SPDX-License-Identifier: MIT
/* The manifests of a snapshot and the live files in them, over storage, as far as a budget reaches. */
#include <stdio.h>
#include <string.h>

#include "iceberg_own.h"

enum { PATH_SHOWN = 100 };

struct walk {
	struct probe *probe;
	const struct storage *at;
	struct iceberg_budget *budget;
	bool (*each)(void *ctx, const struct iceberg_file *f);
	void *ctx;
	bool deletes;    /* which manifests are read now */
	bool ended;      /* each wants no more */
	struct buf bytes;
	struct err why;
};

/* Names the file that is at fault, which is no budget's end; the end of a path tells more than its beginning. */
static bool blame(struct err *err, struct text path, const struct err *why)
{
	size_t n = path.len < PATH_SHOWN ? path.len : PATH_SHOWN;

	return err_set(err, why->code == ERR_LIMIT ? ERR_PARSE : why->code, "%s%.*s: %s", n < path.len ? "..." : "", (int)n,
		path.at + path.len - n, why->words);
}

/* A whole file, within its own cap and the budget. */
static bool read_whole(struct probe *p, const struct storage *at, struct text path, struct iceberg_budget *budget, struct buf *out, struct err *err)
{
	char url[STORAGE_URL_SIZE];
	struct err why = {0};
	bool fine;

	if (path.len >= sizeof url)
		return blame(err, path, &(struct err){ERR_PARSE, "a path that is too long"});
	if (budget->bytes <= 0)
		return err_set(err, ERR_LIMIT, "the bytes that a look may read are used up");
	buf_reset(out);
	out->max = budget->bytes < ICEBERG_MANIFEST_MOST ? (size_t)budget->bytes : ICEBERG_MANIFEST_MOST;
	fine = storage_read(p, at, text_copy(url, sizeof url, path), out, &why) == STORAGE_OK;
	budget->bytes -= (int64_t)out->len;
	if (fine)
		return true;
	if (why.code == ERR_LIMIT && budget->bytes > 0)
		why.code = ERR_PARSE; /* no budget's end: the file itself is too much */
	if (err)
		*err = why;
	return false;
}

static bool may_read(const struct iceberg_metadata *m, const struct iceberg_snapshot *s, struct err *err)
{
	if (m->encrypted || s->encrypted)
		return err_set(err, ERR_PROTOCOL, "its manifests are encrypted");
	if (!s->manifest_list[0] && !s->manifests && (!s->kept || s->summary.total_files != 0))
		return err_set(err, ERR_LIMIT, "snapshot %lld: where its manifests are is not known", (long long)s->id);
	return true;
}

/* ---- manifests ---- */

/* Those that format 1 names one by one: all that is known of them is their path. */
static bool each_named(const struct iceberg_snapshot *s, bool (*each)(void *ctx, const struct iceberg_manifest *m), void *ctx)
{
	struct iceberg_manifest m = {.bytes = -1, .spec = -1, .snapshot = s->id, .added_files = -1, .existing_files = -1, .deleted_files = -1,
		.added_records = -1, .existing_records = -1, .deleted_records = -1};

	for (size_t i = 0; i < s->n_manifests; i++) {
		m.path = text_of(s->manifests[i]);
		if (!each(ctx, &m))
			break;
	}
	return true;
}

bool iceberg_load_list(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct iceberg_snapshot *s,
	struct iceberg_budget *budget, struct buf *list, struct err *err)
{
	buf_init(list, ICEBERG_MANIFEST_MOST);
	return may_read(m, s, err) && (!s->manifest_list[0] || read_whole(p, at, text_of(s->manifest_list), budget, list, err));
}

bool iceberg_list_manifests(const struct iceberg_snapshot *s, const struct buf *list, bool (*each)(void *ctx, const struct iceberg_manifest *m),
	void *ctx, struct err *err)
{
	struct err why = {0};

	if (!s->manifest_list[0])
		return each_named(s, each, ctx);
	return iceberg_read_manifest_list(buf_text(list), each, ctx, &why) || blame(err, text_of(s->manifest_list), &why);
}

bool iceberg_each_manifest(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct iceberg_snapshot *s,
	struct iceberg_budget *budget, bool (*each)(void *ctx, const struct iceberg_manifest *m), void *ctx, struct err *err)
{
	struct buf list;
	bool fine = iceberg_load_list(p, at, m, s, budget, &list, err) && iceberg_list_manifests(s, &list, each, ctx, err);

	buf_free(&list);
	return fine;
}

/* ---- files ---- */

static bool take_live(void *ctx, const struct iceberg_file *f)
{
	struct walk *w = ctx;

	if (f->status != ICEBERG_DELETED)
		w->ended = !w->each(w->ctx, f);
	return !w->ended;
}

static bool walk_manifest(void *ctx, const struct iceberg_manifest *m)
{
	struct walk *w = ctx;
	struct err why = {0};

	if (m->deletes != w->deletes || (m->added_files == 0 && m->existing_files == 0))
		return true;
	if (m->encrypted)
		return blame(&w->why, m->path, &(struct err){ERR_PROTOCOL, "is encrypted"});
	if (w->budget->files <= 0)
		return err_set(&w->why, ERR_LIMIT, "the manifests that a look may read are used up");
	w->budget->files--;
	if (!read_whole(w->probe, w->at, m->path, w->budget, &w->bytes, &w->why))
		return false;
	if (!iceberg_read_manifest(buf_text(&w->bytes), m, take_live, w, &why))
		return blame(&w->why, m->path, &why);
	return !w->ended;
}

bool iceberg_list_files(struct probe *p, const struct storage *at, const struct iceberg_snapshot *s, const struct buf *list,
	struct iceberg_budget *budget, bool (*each)(void *ctx, const struct iceberg_file *f), void *ctx, struct err *err)
{
	struct walk w = {.probe = p, .at = at, .budget = budget, .each = each, .ctx = ctx, .deletes = true};
	bool fine;

	buf_init(&w.bytes, ICEBERG_MANIFEST_MOST);
	fine = iceberg_list_manifests(s, list, walk_manifest, &w, err);
	w.deletes = false;
	if (fine && !w.ended && !w.why.code)
		fine = iceberg_list_manifests(s, list, walk_manifest, &w, err);
	buf_free(&w.bytes);
	if (fine && w.why.code && err)
		*err = w.why;
	return fine && !w.why.code;
}

bool iceberg_each_file(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct iceberg_snapshot *s,
	struct iceberg_budget *budget, bool (*each)(void *ctx, const struct iceberg_file *f), void *ctx, struct err *err)
{
	struct buf list;
	bool fine = iceberg_load_list(p, at, m, s, budget, &list, err) && iceberg_list_files(p, at, s, &list, budget, each, ctx, err);

	buf_free(&list);
	return fine;
}
