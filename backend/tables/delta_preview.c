// SPDX-License-Identifier: MIT
/*
 * What OPTIMIZE and VACUUM would do, as rows and figures. VACUUM's view lists the table's folder, as VACUUM
 * would: what begins with "_" or "." is not looked at, save two of Delta's own folders and partitions of
 * columns that are named so.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "delta_own.h"

enum { FOUND_MOST = 200000, FOLDERS_MOST = 20000, SQL_MOST = 3000, VACUUM_MEMORY = 64 << 20 };

static void figure(struct snapshot *s, const char *name, struct value v)
{
	snapshot_figure(s, plan_figures, name, v);
}

/* "COMMAND delta.`s3a://lake/orders`"; none where a name cannot be said safely. */
static const char *statement(const struct delta_table *t, const char *command, const char *sql, struct arena *arena)
{
	struct buf b;
	const char *s = NULL;

	buf_init(&b, SQL_MOST);
	buf_printf(&b, "%s %s", command, sql ? sql : "delta.`");
	for (const char *c = t->url; !sql && *c; c++)
		buf_printf(&b, *c == '`' ? "``" : "%c", *c);
	if (!sql)
		buf_puts(&b, "`");
	if (!b.full && text_is_clean(buf_text(&b)))
		s = arena_copy(arena, buf_text(&b));
	buf_free(&b);
	return s;
}

bool delta_tell_optimize(const struct delta_table *t, const char *sql, struct snapshot *s, struct table *table)
{
	struct delta_optimize o;
	char size[VALUE_TEXT_SIZE];

	if (!delta_optimize(t, s->arena, &o))
		return err_set(&s->err, ERR_LIMIT, "its files take more memory than a preview may");
	for (size_t i = 0; i < o.n_groups; i++) {
		const struct delta_group *g = &o.groups[i];
		struct value *row = table_row(s, table);

		table_set(s, table, row, "what", value_text(g->partition[0] ? arena_clean(s->arena, text_of(g->partition)) : "the table"));
		table_set(s, table, row, "files", value_int(g->files));
		table_set(s, table, row, "becomes", value_int(g->becomes));
		table_set(s, table, row, "bytes", value_int(g->bytes));
		table_set(s, table, row, "why", value_text(g->vectors ? arena_printf(s->arena, "%" PRId64 " with deletion vectors", g->vectors)
			: t->clustered ? "not yet clustered" : "under 1 GiB"));
	}
	figure(s, "files", delta_count(o.files));
	figure(s, "becomes", delta_count(o.becomes));
	figure(s, "bytes", delta_count(o.bytes));
	figure(s, "groups", o.files < 0 ? value_unknown() : value_int((int64_t)o.n_groups));
	figure(s, "partitions", delta_count(o.partitions));
	figure(s, "words", value_text(o.files > 0 ? arena_printf(s->arena, "%" PRId64 " files in %" PRId64 " partition%s become %" PRId64 ", %s rewritten",
		o.files, o.partitions, o.partitions == 1 ? "" : "s", o.becomes, value_show(size, value_int(o.bytes), UNIT_BYTES)) : o.words));
	if (!t->catalog_managed)
		figure(s, "sql", value_text(statement(t, "OPTIMIZE", sql, s->arena)));
	figure(s, "caution", value_text(o.caution));
	return true;
}

/* What VACUUM's own listing finds, folder by folder, with their times. */
struct walk {
	struct probe *p;
	const struct storage *at;
	const struct delta_table *t;
	struct arena *arena;
	struct delta_found *found;
	size_t n, room;
	const char *folder;  /* that is listed now, under the table's; "" itself */
	bool full;
};

static bool is_hidden(const struct delta_table *t, struct text name)
{
	if (t->uniform && text_is(name, "metadata"))
		return true;
	if (!name.len || (name.at[0] != '.' && name.at[0] != '_') || text_starts(name, "_delta_index") || text_starts(name, "_change_data"))
		return false;
	for (size_t i = 0; i < t->n_partition_columns; i++) {
		struct text rest = name;

		if (text_skip(&rest, t->partition_columns[i]) && text_starts(rest, "="))
			return false;
	}
	return true;
}

/* Of files on a disk a listing says the name alone. */
static void look_closer(struct walk *w, struct delta_found *f)
{
	char url[STORAGE_URL_SIZE], path[STORAGE_URL_SIZE];
	struct storage_url u;
	struct file_facts facts;

	if (!storage_child(url, w->t->url, f->path) || !storage_url(url, &u, NULL) || u.s3)
		return;
	if (!w->p->host->stat(w->p->host, text_copy(path, sizeof path, u.path), &facts, NULL) || !facts.exists)
		return;
	f->folder = facts.is_directory;
	f->bytes = facts.size;
	f->modified = facts.modified;
}

static bool each_found(void *ctx, const struct storage_entry *e)
{
	struct walk *w = ctx;
	struct delta_found *f;

	if (is_hidden(w->t, e->name))
		return true;
	if (w->n == FOUND_MOST) {
		w->full = true;
		return false;
	}
	if (w->n == w->room) {
		w->room = w->room ? w->room * 2 : 256;
		w->found = mem_grow(w->found, w->room, sizeof *w->found);
	}
	f = &w->found[w->n++];
	*f = (struct delta_found){.bytes = e->size, .modified = e->when, .folder = e->folder, .why = ""};
	f->path = arena_printf(w->arena, "%s%s%.*s", w->folder, w->folder[0] ? "/" : "", (int)e->name.len, e->name.at);
	if (e->size < 0 && !e->folder)
		look_closer(w, f);
	w->full |= arena_full(w->arena);
	return !w->full;
}

static bool walk_folder(struct walk *w, const char *folder, struct err *err)
{
	char url[STORAGE_URL_SIZE];

	w->folder = folder;
	if (folder[0] ? !storage_child(url, w->t->url, folder) : !text_copy(url, sizeof url, text_of(w->t->url)))
		return err_set(err, ERR_LIMIT, "%.100s: too long a path", folder);
	if (storage_list(w->p, w->at, url, NULL, FOUND_MOST, each_found, w, err) == STORAGE_FAILED)
		return false;
	return !w->full || err_set(err, ERR_LIMIT, "%.120s: more files than a preview looks at", w->t->url);
}

static bool walk_all(struct walk *w, struct err *err)
{
	size_t folders = 0;

	if (!walk_folder(w, "", err))
		return false;
	for (size_t i = 0; i < w->n; i++) { /* grows as folders are met */
		if (!w->found[i].folder)
			continue;
		if (++folders > FOLDERS_MOST)
			return err_set(err, ERR_LIMIT, "%.120s: more folders than a preview looks at", w->t->url);
		if (!walk_folder(w, w->found[i].path, err))
			return false;
	}
	return true;
}

static void tell_found(const struct delta_found *f, struct snapshot *s, struct table *table)
{
	struct value *row = table_row(s, table);

	table_set(s, table, row, "what", value_text(arena_clean(s->arena, text_of(f->path))));
	table_set(s, table, row, "files", value_int(!f->folder));
	table_set(s, table, row, "becomes", value_int(0));
	table_set(s, table, row, "bytes", f->folder ? value_unknown() : delta_count(f->bytes));
	table_set(s, table, row, "when", f->modified > 0 && !f->folder ? value_int(f->modified) : value_unknown());
	table_set(s, table, row, "why", value_text(f->why));
}

static const char *vacuum_words(const struct delta_table *t, const struct delta_vacuum *v, struct arena *arena)
{
	char size[VALUE_TEXT_SIZE], span[CLOCK_TEXT];

	if (v->files < 0)
		return v->words;
	if (!v->files && !v->folders)
		return arena_printf(arena, "nothing to remove: no file in its folder is both older than %s and named by nothing", clock_span(span, t->retention));
	return arena_printf(arena, "%" PRId64 " files and %" PRId64 " folders of %" PRId64 " go, %s freed", v->files, v->folders, v->listed,
		value_show(size, value_int(v->bytes), UNIT_BYTES));
}

bool delta_tell_vacuum(struct probe *p, const struct storage *at, const struct delta_table *t, const char *sql, struct snapshot *s,
	struct table *table)
{
	struct walk w = {.p = p, .at = at, .t = t, .arena = arena_new(VACUUM_MEMORY)};
	struct delta_vacuum v;
	bool good = t->measured != MEASURE_EXACT || walk_all(&w, &s->err);

	if (good) {
		delta_vacuum(t, w.found, w.n, clock_wall_ms(), s->arena, &v);
		for (size_t i = 0; i < w.n; i++)
			if (w.found[i].why[0])
				tell_found(&w.found[i], s, table);
		figure(s, "files", delta_count(v.files));
		figure(s, "bytes", delta_count(v.bytes));
		figure(s, "cutoff", value_int(v.cutoff));
		figure(s, "words", value_text(vacuum_words(t, &v, s->arena)));
		if (!t->catalog_managed)
			figure(s, "sql", value_text(statement(t, "VACUUM", sql, s->arena)));
		figure(s, "caution", value_text(v.caution));
	}
	free(w.found);
	arena_free(w.arena);
	return good;
}
