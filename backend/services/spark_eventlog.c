// SPDX-License-Identifier: MIT
/*
 * Applications by the directory of their event logs, for where no history server answers. A listing tells which
 * logs there are, which ended and when they last grew; each belongs to who ran it, and one that is not ours to
 * read hides no other. Each log's first bytes tell the name, once: they do not change. When an application ended
 * is the time of its files: its last line would cost the whole log. The actor's thread.
 *
 * Source: see format/eventlog.h; checked on logs of 4.1.4.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "spark.h"
#include "storage.h"

enum { FILES_MAX = 50000, PATHS_MAX = 16 << 20, HEADS_MS = 1500, SPARE_MS = 300 };

struct piece { /* a file */
	struct eventlog_file file;
	const char *path;
	int64_t size, when;
	const char *denied; /* the log's folder cannot be read: why */
};

struct walk {
	struct arena *arena;
	const char *folder; /* whose files come now; NULL: the directory itself */
	const char **names; /* of the directory */
	size_t n_names, names_room;
	struct piece *pieces;
	size_t n, room;
};

struct log { /* its files, put together */
	const struct piece *first; /* where its start stands; NULL: there is no such piece */
	struct text name, application;
	int64_t size, modified;
	bool ended;
	const char *denied; /* NULL: it can be read */
};

static struct piece *add(struct walk *w, const char *path, int64_t size, int64_t when)
{
	struct piece *p;

	if (w->n == w->room) {
		w->room = w->room ? w->room * 2 : 256;
		w->pieces = mem_grow(w->pieces, w->room, sizeof *w->pieces);
	}
	p = &w->pieces[w->n];
	*p = (struct piece){.path = path, .size = size > 0 ? size : 0, .when = when};
	w->n += eventlog_path(text_of(path), &p->file);
	return p;
}

static bool each_file(void *ctx, const struct storage_entry *entry)
{
	struct walk *w = ctx;

	add(w, w->folder ? arena_printf(w->arena, "%s/%.*s", w->folder, (int)entry->name.len, entry->name.at) : arena_copy(w->arena, entry->name),
		entry->size, entry->when);
	return !arena_full(w->arena);
}

static bool each_name(void *ctx, const struct storage_entry *entry)
{
	struct walk *w = ctx;

	if (w->n_names == w->names_room) {
		w->names_room = w->names_room ? w->names_room * 2 : 256;
		w->names = mem_grow(w->names, w->names_room, sizeof *w->names);
	}
	w->names[w->n_names++] = arena_copy(w->arena, entry->name);
	return !arena_full(w->arena);
}

static enum storage_answer walk_folder(struct probe *p, struct walk *w, const char *name, struct err *err)
{
	char url[STORAGE_URL_SIZE];
	struct err why = {0};
	enum storage_answer answer;
	struct piece *denied;

	if (!storage_child(url, p->expected->event_log, name))
		return STORAGE_OK;
	w->folder = name;
	answer = storage_walk(p, p->storage, url, FILES_MAX, each_file, w, &why);
	if (answer != STORAGE_FAILED)
		return STORAGE_OK; /* what went meanwhile is not there */
	if (why.code != ERR_SYSTEM) {
		*err = why;
		return STORAGE_FAILED;
	}
	denied = add(w, arena_printf(w->arena, "%s/appstatus_", name), 0, 0);
	denied->denied = arena_copy(w->arena, text_of(why.words));
	return STORAGE_OK;
}

/* On this machine: folder by folder. */
static enum storage_answer walk_folders(struct probe *p, struct walk *w, struct text directory, struct err *err)
{
	enum storage_answer answer = storage_list(p, p->storage, p->expected->event_log, NULL, FILES_MAX, each_name, w, err);
	char path[STORAGE_URL_SIZE];

	for (size_t i = 0; answer == STORAGE_OK && i < w->n_names; i++) {
		struct file_facts f = {0};

		if (w->n >= FILES_MAX || wait_left(p->wait) < SPARE_MS) {
			err_set(err, ERR_LIMIT, "%.160s: more files than there is time or room for", p->expected->event_log);
			return STORAGE_FAILED;
		}
		if (text_starts(text_of(w->names[i]), "eventlog_v2_")) {
			answer = walk_folder(p, w, w->names[i], err);
			continue;
		}
		snprintf(path, sizeof path, "%.*s/%s", (int)directory.len, directory.at, w->names[i]);
		if (p->host->stat(p->host, path, &f, NULL) && f.exists && !f.is_directory)
			add(w, w->names[i], f.size, f.modified);
	}
	return answer;
}

static enum storage_answer walk_all(struct probe *p, struct walk *w, struct err *err)
{
	struct storage_url url;

	if (!storage_url(p->expected->event_log, &url, err))
		return STORAGE_FAILED;
	return url.s3 ? storage_walk(p, p->storage, p->expected->event_log, FILES_MAX, each_file, w, err) : walk_folders(p, w, url.path, err);
}

static int compare_text(struct text a, struct text b)
{
	int c = memcmp(a.at, b.at, a.len < b.len ? a.len : b.len);

	return c ? c : (a.len > b.len) - (a.len < b.len);
}

static int by_log(const void *a, const void *b)
{
	return compare_text(((const struct piece *)a)->file.log, ((const struct piece *)b)->file.log);
}

static int newest_first(const void *a, const void *b)
{
	const struct log *x = a, *y = b;

	return x->modified != y->modified ? (x->modified < y->modified) - (x->modified > y->modified) : compare_text(y->name, x->name);
}

static void add_piece(struct log *log, const struct piece *p)
{
	bool whole = !p->file.status && !p->file.index;

	log->name = p->file.log;
	log->application = p->file.application;
	log->denied = log->denied ? log->denied : p->denied;
	log->size += p->size;
	log->modified = p->when > log->modified ? p->when : log->modified;
	log->ended = log->ended || ((whole || p->file.status) && !p->file.in_progress);
	if (!p->file.status && (!log->first || p->file.index < log->first->file.index))
		log->first = p;
}

static struct log *put_together(struct walk *w, size_t *n)
{
	struct log *logs = mem_new(w->n + 1, sizeof *logs);

	*n = 0;
	if (w->n)
		qsort(w->pieces, w->n, sizeof *w->pieces, by_log);
	for (size_t i = 0; i < w->n; i++) {
		*n += i == 0 || by_log(&w->pieces[i - 1], &w->pieces[i]) != 0;
		add_piece(&logs[*n - 1], &w->pieces[i]);
	}
	if (*n)
		qsort(logs, *n, sizeof *logs, newest_first);
	return logs;
}

/* ---- its start ---- */

static struct spark_head *known_head(struct spark_heads *heads, struct text log)
{
	for (size_t i = 0; i < SPARK_HEADS_KEPT; i++)
		if (heads->at[i].log[0] && text_is(log, heads->at[i].log))
			return &heads->at[i];
	return NULL;
}

/* NULL: not read yet, and it is another look's turn. What cannot be read for the moment is tried again. */
static const struct spark_head *head_of(struct probe *p, struct spark_heads *heads, const struct log *log, int64_t until, struct spark_head *once)
{
	struct spark_head *head = known_head(heads, log->name);
	char url[STORAGE_URL_SIZE];
	struct buf bytes;
	struct err err = {0};
	bool read;

	if (head || !log->first || clock_ms() >= until || wait_left(p->wait) < SPARE_MS)
		return head;
	*once = (struct spark_head){0};
	buf_init(&bytes, EVENTLOG_HEAD);
	read = storage_child(url, p->expected->event_log, log->first->path) && /* a longer one is cut there, and that is what is wanted */
		(storage_read(p, p->storage, url, &bytes, &err) == STORAGE_OK || (err.code == ERR_LIMIT && bytes.len));
	if (read)
		err = (struct err){0};
	if (read && !eventlog_start(buf_text(&bytes), log->first->file.codec, &once->start, &err))
		once->foreign = err.code == ERR_PARSE;
	text_copy(once->why, sizeof once->why, text_of(err.words));
	buf_free(&bytes);
	/* one that is still written may be too young to tell */
	if (read && (log->ended || !err.code) && log->name.len < sizeof once->log) {
		text_copy(once->log, sizeof once->log, log->name);
		heads->at[heads->n++ % SPARK_HEADS_KEPT] = *once;
	}
	return once;
}

/* ---- rows ---- */

static void put_words(struct snapshot *s, struct table *t, struct value *row, const char *column, const char *words)
{
	table_set(s, t, row, column, words && words[0] ? value_text(words) : value_unknown());
}

static void log_row(const struct log *log, const struct spark_head *head, struct snapshot *s, struct table *t)
{
	static const struct spark_head none = {.why = "not read yet"};
	const struct eventlog_start *start = head ? &head->start : &none.start;
	struct value *row = table_row(s, t);
	bool ended = log->ended && !log->denied && log->modified > 0, timed = ended && start->started && log->modified >= start->started;

	put_words(s, t, row, "id", start->id[0] ? start->id : arena_clean(s->arena, log->application));
	put_words(s, t, row, "name", start->name);
	put_words(s, t, row, "state", log->denied ? NULL : log->ended ? "COMPLETED" : "INCOMPLETE");
	put_words(s, t, row, "version", start->version);
	put_words(s, t, row, "user", start->user);
	put_words(s, t, row, "told_by", "event log");
	put_words(s, t, row, "log", arena_clean(s->arena, log->name));
	put_words(s, t, row, "why", start->name[0] ? NULL : log->denied ? log->denied : head ? head->why : none.why);
	table_set(s, t, row, "size", log->denied ? value_unknown() : value_int(log->size));
	table_set(s, t, row, "started", start->started ? value_int(start->started) : value_unknown());
	table_set(s, t, row, "updated", log->modified > 0 ? value_int(log->modified) : value_unknown());
	table_set(s, t, row, "ended", ended ? value_int(log->modified) : value_unknown());
	table_set(s, t, row, "duration", timed ? value_int(log->modified - start->started) : value_unknown());
}

static void put_logs(struct probe *p, struct spark_heads *heads, const struct log *logs, size_t n, const struct spark_specs *specs,
	struct snapshot *s)
{
	struct table *t = snapshot_table(s, specs->tables, "applications");
	int64_t until = clock_ms() + HEADS_MS;

	for (size_t i = 0; i < n; i++) {
		struct spark_head once;
		const struct spark_head *head;

		if (t->n_rows >= SPARK_ROWS_MAX) {
			t->left_off += n - i;
			return;
		}
		head = head_of(p, heads, &logs[i], until, &once);
		if (!head || !head->foreign)
			log_row(&logs[i], head, s, t);
	}
}

bool spark_inspect_event_log(struct probe *p, struct spark_heads *heads, const struct spark_specs *specs, struct snapshot *s)
{
	const char *url = p->expected->event_log;
	struct walk w = {.arena = arena_new(PATHS_MAX)};
	enum storage_answer answer = walk_all(p, &w, &s->err);
	struct log *logs;
	size_t n;

	snapshot_figure(s, specs->figures, "event_log", value_text(url));
	if (answer == STORAGE_OK && arena_full(w.arena)) {
		err_set(&s->err, ERR_LIMIT, "%.160s: more names than there is room for", url);
		answer = STORAGE_FAILED;
	}
	if (answer == STORAGE_OK || w.n) { /* of a listing that breaks off what came is told, and s->err says that it did */
		logs = put_together(&w, &n);
		put_logs(p, heads, logs, n, specs, s);
		free(logs);
	}
	free(w.names);
	free(w.pieces);
	arena_free(w.arena);
	return answer == STORAGE_OK;
}
