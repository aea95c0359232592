// SPDX-License-Identifier: MIT
/*
 * What is remembered of a catalog's tables between two looks. A look lists them, reads the metadata of
 * those that the catalog points to anew, and counts their files, newest first, within what a look may
 * cost; the rest comes with the next ones. Of each table its row is kept, never its metadata.
 *
 * One table's failure is a word in its row. It is tried again later and later; who cannot be reached,
 * or refuses us, ends the reading of a look, for the next table would only fail alike. One thread.
 */
#include "keeper_own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TABLES_MOST = 20000,
	LOOK_MS = 2000, SHORT_MS = 2000, TABLE_MS = 10000, /* a table is given a short time first, that it hold up no other */
	SLOW_MS = 120000,                        /* and later all this, as long as no silence is longer than TABLE_MS */
	AGAIN_MS = 30000, AGAIN_MOST = 600000,   /* after a failure: doubled each time */
	RECHECK_MS = 25000, RECHECKS = 200,      /* whose catalog says nothing of changes: at most so many a look */
	AGED_MS = 3600000,                       /* what is due comes with time alone */
	AT_ONCE = 40,                            /* so few new tables are counted as they are read; of more all are read first */
	STRIKES = 3, REFUSALS = 8,
	COLUMNS = TABLE_COLUMNS_MAX,
};
static const int64_t look_bytes = INT64_C(32) << 20;

/* ---- records ---- */

static char *copy_of(struct text t)
{
	char *s = t.len ? mem_new(t.len + 1, 1) : NULL;

	return s ? text_copy(s, t.len + 1, t) : NULL;
}

static void record_free(struct record *r)
{
	free(r->name);
	free(r->at);
	free(r->key);
	free(r->words);
	free(r->known);
	free(r->cells);
	free(r->error);
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct record *)a)->name, ((const struct record *)b)->name);
}

static bool has_metadata(const struct record *r)
{
	return r->format == FORMAT_ICEBERG || r->format == FORMAT_DELTA;
}

/* ---- listing ---- */

struct listing {
	struct record *records;
	size_t n, room, left_off;
};

static bool each_entry(void *ctx, const struct catalog_entry *e)
{
	struct listing *l = ctx;
	struct record *r;

	if (l->n == TABLES_MOST) {
		l->left_off++;
		return true;
	}
	if (l->n == l->room) {
		l->room = l->room ? l->room * 2 : 64;
		l->records = mem_grow(l->records, l->room, sizeof *l->records);
	}
	r = &l->records[l->n++];
	*r = (struct record){.format = e->format, .at = copy_of(e->at), .key = copy_of(e->key), .words = copy_of(e->words)};
	r->name = mem_new(e->name.len * 3 + 1, 1); /* a byte that is no character becomes three */
	text_clean(r->name, e->name.len * 3 + 1, e->name);
	return true;
}

static void take_over(struct record *new, struct record *old)
{
	bool same = new->format == old->format && is_same(new->at, old->at) && is_same(new->key, old->key);

	if (new->format != old->format)
		return;
	new->known = old->known;
	new->cells = old->cells;
	new->committed = old->committed;
	new->checked = old->checked;
	old->known = NULL;
	old->cells = NULL;
	if (!same)
		return;
	new->error = old->error;
	new->read = old->read;
	new->whole = old->whole;
	new->next = old->next;
	new->failures = old->failures;
	old->error = NULL;
}

/* False: one of another table, which only what cannot be shown told apart from this one's. */
static bool is_told_twice(const struct record *a, const struct record *b)
{
	return a->format == b->format && is_same(a->at, b->at) && is_same(a->key, b->key);
}

/* How many tables are left off, as their names cannot be told apart. */
static size_t merge(struct keeper *k, struct listing *l)
{
	size_t old = 0, n = 0, alike = 0;

	if (l->n)
		qsort(l->records, l->n, sizeof *l->records, by_name);
	for (size_t i = 0; i < l->n; i++) {
		if (n && !strcmp(l->records[n - 1].name, l->records[i].name)) {
			alike += !is_told_twice(&l->records[n - 1], &l->records[i]);
			record_free(&l->records[i]);
			continue;
		}
		while (old < k->n_records && strcmp(k->records[old].name, l->records[i].name) < 0)
			old++;
		if (old < k->n_records && !strcmp(k->records[old].name, l->records[i].name))
			take_over(&l->records[i], &k->records[old]);
		l->records[n++] = l->records[i];
	}
	for (size_t i = 0; i < k->n_records; i++)
		record_free(&k->records[i]);
	free(k->records);
	k->records = l->records;
	k->n_records = n;
	k->left_off = l->left_off;
	return alike;
}

static bool list(struct keeper *k, struct probe *p, struct snapshot *s)
{
	struct listing l = {0};
	struct catalog_said said = {0};
	int64_t begun = clock_ms();
	size_t alike;

	if (!k->catalog->kind->list(p, k->catalog, &k->state, each_entry, &l, &said, &s->err)) {
		for (size_t i = 0; i < l.n; i++)
			record_free(&l.records[i]);
		free(l.records);
		return false;
	}
	alike = merge(k, &l);
	if (alike && !said.words[0])
		snprintf(said.words, sizeof said.words, "%zu of its tables left off: the name looks like another's", alike);
	k->said = said;
	k->took = clock_ms() - begun;
	return true;
}

/* ---- reading ---- */

bool keeper_is_closed(const struct storage *at, const char *url)
{
	struct storage_url u;

	return !at->s3.port && url && storage_url(url, &u, NULL) && u.s3;
}

/* The row in one block: its cells, then its texts. */
static struct value *packed(const struct table *t, const struct value *row)
{
	size_t size = t->n_columns * sizeof *row;
	struct value *cells;
	char *texts;

	for (size_t i = 0; i < t->n_columns; i++)
		size += row[i].type == VALUE_TEXT ? strlen(row[i].u.s) + 1 : 0;
	cells = mem_new(size, 1);
	memcpy(cells, row, t->n_columns * sizeof *row);
	texts = (char *)(cells + t->n_columns);
	for (size_t i = 0; i < t->n_columns; i++) {
		size_t len = row[i].type == VALUE_TEXT ? strlen(row[i].u.s) + 1 : 0;

		if (!len)
			continue;
		memcpy(texts, row[i].u.s, len);
		cells[i].u.s = texts;
		texts += len;
	}
	return cells;
}

/* What its metadata says is told, also where its files could not be counted. */
static void failed(struct record *r, const struct table *t, const struct value *row, const struct err *err)
{
	int64_t after = AGAIN_MS;

	if (table_get(t, 0, "format").type != VALUE_UNKNOWN) {
		free(r->cells);
		r->cells = packed(t, row);
	}

	free(r->error);
	r->error = mem_copy(err->words[0] ? err->words : "could not be read");
	for (unsigned i = 0; i < r->failures && after < AGAIN_MOST; i++)
		after *= 2;
	r->failures++;
	r->next = clock_ms() + (after < AGAIN_MOST ? after : AGAIN_MOST);
	r->read = r->whole = false;
}

static void done(struct record *r, const struct table *t, const struct value *row, bool whole)
{
	struct value committed = table_get(t, 0, "committed");

	free(r->cells);
	free(r->error);
	r->cells = packed(t, row);
	r->error = NULL;
	r->read = true;
	r->whole = whole;
	r->failures = 0;
	r->next = 0;
	r->committed = committed.type == VALUE_INT ? committed.u.i : 0;
}

/* One table, on a scratch snapshot. */
static enum read_answer read_one(struct keeper *k, struct probe *p, const struct storage *at, struct record *r, bool exact, struct spending *left,
	struct err *err)
{
	struct snapshot *s = snapshot_new(k->catalog->name, PART_CATALOG);
	struct table *t = snapshot_table(s, catalog_tables, "tables");
	struct value *row = table_row(s, t);
	struct probe sub = *p;
	int64_t end = clock_ms() + (r->slow ? SLOW_MS : SHORT_MS);
	enum read_answer answer;

	sub.wait.deadline = end < p->wait.deadline || r->slow ? end : p->wait.deadline;
	sub.patience_ms = r->slow ? TABLE_MS : 0;
	sub.arena = s->arena;
	answer = r->format == FORMAT_DELTA ? keeper_delta(k, &sub, at, r, left, s, t, row, err) :
		keeper_iceberg(k, &sub, at, r, exact, left, s, t, row, err);
	r->checked = clock_ms();
	left->bytes -= (int64_t)(sub.bytes - p->bytes);
	if (answer == READ_FAILED && err->code == ERR_TIMEOUT && sub.bytes > p->bytes && !r->slow) {
		r->slow = true;
		answer = READ_SAME;
	}
	p->requests = sub.requests;
	p->bytes = sub.bytes;
	if (answer == READ_OK || answer == READ_LATER)
		done(r, t, row, exact && answer == READ_OK);
	else if (answer == READ_FAILED && err->code != ERR_CANCELLED)
		failed(r, t, row, err);
	else if (answer == READ_GONE)
		r->gone = true;
	snapshot_unref(s);
	return answer;
}

enum work { WORK_READ, WORK_RECHECK, WORK_COUNT };

/* Whether the catalog points elsewhere as soon as something was committed. */
static bool listing_tells(const struct keeper *k, const struct record *r)
{
	return !k->catalog->kind->load && r->format == FORMAT_ICEBERG;
}

static bool is_due(const struct keeper *k, const struct record *r, enum work work, int64_t now)
{
	if (!has_metadata(r) || r->gone || now < r->next)
		return false;
	if (work == WORK_READ)
		return !r->read;
	if (work == WORK_COUNT)
		return r->read && !r->whole;
	return r->read && now - r->checked >= (listing_tells(k, r) ? AGED_MS : RECHECK_MS);
}

static int newest_first(const void *a, const void *b)
{
	const struct record *x = *(struct record *const *)a, *y = *(struct record *const *)b;

	if (x->slow != y->slow)
		return x->slow ? 1 : -1;
	if (!x->cells != !y->cells)
		return x->cells ? -1 : 1; /* one that was read before has just been committed to */
	if (x->committed != y->committed)
		return x->committed > y->committed ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int stalest_first(const void *a, const void *b)
{
	const struct record *x = *(struct record *const *)a, *y = *(struct record *const *)b;

	return x->checked < y->checked ? -1 : x->checked > y->checked;
}

/* The next table would only fail alike. */
static bool is_of_storage(const struct err *err)
{
	return err->code == ERR_CONNECT || err->code == ERR_TIMEOUT || err->code == ERR_DNS || err->code == ERR_AUTH;
}

/* False: enough for this look. */
static bool work_through(struct keeper *k, struct probe *p, const struct storage *at, enum work work, struct spending *left, unsigned *strikes,
	unsigned *refusals)
{
	struct record **due = mem_new(k->n_records + 1, sizeof *due);
	int64_t now = clock_ms();
	struct err last = {0};
	size_t n = 0;
	bool more = true;

	for (size_t i = 0; i < k->n_records; i++)
		if (is_due(k, &k->records[i], work, now))
			due[n++] = &k->records[i];
	qsort(due, n, sizeof *due, work == WORK_RECHECK ? stalest_first : newest_first);
	if (work == WORK_RECHECK && n > RECHECKS)
		n = RECHECKS;
	for (size_t i = 0; more && i < n; i++) {
		struct err err = {0};
		enum read_answer answer = read_one(k, p, at, due[i], work == WORK_COUNT || n <= AT_ONCE, left, &err);

		if (answer == READ_FAILED) {
			*strikes += is_of_storage(&err) && err.code != ERR_AUTH;
			*refusals += err.code == ERR_AUTH;
			last = is_of_storage(&err) ? err : last;
		}
		more = clock_ms() < left->until && left->bytes > 0 && *strikes < STRIKES && *refusals < REFUSALS && err.code != ERR_CANCELLED &&
			wait_left(p->wait) > 0 && !(k->hurry && k->hurry(k->hurry_ctx)) && !(answer == READ_LATER && left->bytes < left->whole / 4);
	}
	free(due);
	if (!more)
		k->down = last;
	return more;
}

static void drop_gone(struct keeper *k)
{
	size_t n = 0;

	for (size_t i = 0; i < k->n_records; i++) {
		if (k->records[i].gone)
			record_free(&k->records[i]);
		else
			k->records[n++] = k->records[i];
	}
	k->n_records = n;
}

/* ---- the snapshot ---- */

static size_t column(const struct table *t, const char *name)
{
	size_t i = 0;

	while (strcmp(t->spec->columns[i].name, name) != 0)
		i++;
	return i;
}

static const char *format_words(const struct record *r)
{
	if (r->format == FORMAT_OTHER)
		return r->words ? r->words : "other";
	return r->format == FORMAT_VIEW ? "view" : r->format == FORMAT_DELTA ? "delta" : "iceberg";
}

/* Where it lies as far as its catalog says: of Iceberg its metadata, of what else there is its folder. */
static void put_place(struct snapshot *s, struct table *t, const struct record *r, struct value *row)
{
	if (r->at)
		row[column(t, r->format == FORMAT_ICEBERG ? "metadata" : "location")] = value_text(arena_clean(s->arena, text_of(r->at)));
}

static void put_row(struct snapshot *s, struct table *t, const struct record *r, const char *down, const size_t at[5])
{
	struct value *row = table_row(s, t);

	if (!row)
		return;
	for (size_t i = 0; r->cells && i < t->n_columns; i++) {
		row[i] = r->cells[i];
		if (row[i].type == VALUE_TEXT)
			row[i].u.s = arena_copy(s->arena, text_of(r->cells[i].u.s));
	}
	row[at[0]] = value_text(arena_copy(s->arena, text_of(r->name)));
	if (!r->cells) {
		row[at[1]] = value_text(arena_clean(s->arena, text_of(format_words(r))));
		row[at[2]] = value_text(table_grade_word(GRADE_UNKNOWN));
		put_place(s, t, r, row);
	}
	if (r->error) {
		row[at[2]] = value_text(table_grade_word(GRADE_FAILED));
		row[at[3]] = value_text(arena_copy(s->arena, text_of(r->error)));
	} else if (down && has_metadata(r) && !r->read) {
		row[at[3]] = value_text(down);
	} else if (r->slow && !r->cells) {
		row[at[4]] = value_text("takes more than 2 s to read: it is read after the others");
	}
}

static uint64_t mix(uint64_t hash, uint64_t more)
{
	hash = (hash ^ more) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t print_of_text(uint64_t hash, const char *s)
{
	for (; *s; s++)
		hash = (hash ^ (unsigned char)*s) * UINT64_C(1099511628211); /* FNV-1a */
	return mix(hash, 1);
}

/* Of every row and figure but how long the listing took. */
static uint64_t print_of(const struct snapshot *s, const struct table *t)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < s->n_figures; i++)
		if (strcmp(s->figures[i].spec->name, "listed") != 0)
			hash = s->figures[i].value.type == VALUE_TEXT ? print_of_text(hash, s->figures[i].value.u.s) : mix(hash, (uint64_t)s->figures[i].value.u.i);
	for (size_t i = 0; i < t->n_rows * t->n_columns; i++) {
		const struct value *v = &t->cells[i];
		uint64_t bits = 0;

		if (v->type == VALUE_REAL)
			memcpy(&bits, &v->u.r, sizeof bits);
		else if (v->type == VALUE_BOOL)
			bits = v->u.b;
		else if (v->type == VALUE_INT)
			bits = (uint64_t)v->u.i;
		hash = v->type == VALUE_TEXT ? print_of_text(hash, v->u.s) : mix(hash, bits + (uint64_t)v->type);
	}
	return mix(hash, t->left_off) | 1;
}

/* Without the file that it was said of, which is another table's. */
static const char *cause_of(const struct err *err)
{
	const char *cause = strstr(err->words, ".json: ");

	return cause ? cause + strlen(".json: ") : err->words;
}

static void tell(struct keeper *k, struct snapshot *s)
{
	struct table *t = snapshot_table(s, catalog_tables, "tables");
	const size_t at[5] = {column(t, "name"), column(t, "format"), column(t, "grade"), column(t, "error"), column(t, "words")};
	const char *down = k->down.code ? arena_printf(s->arena, "not read: %s", cause_of(&k->down)) : NULL;
	int64_t tables = 0, views = 0, unread = 0, uncounted = 0, bad = 0;

	table_reserve(s, t, k->n_records);
	for (size_t i = 0; i < k->n_records; i++) {
		const struct record *r = &k->records[i];

		put_row(s, t, r, down, at);
		views += r->format == FORMAT_VIEW;
		tables += r->format != FORMAT_VIEW;
		unread += has_metadata(r) && !r->read && !r->error;
		uncounted += has_metadata(r) && !r->whole && !r->error;
		bad += r->error != NULL;
	}
	t->left_off += k->left_off;
	snapshot_figure(s, catalog_figures, "tables", (struct value){.type = VALUE_INT, .u.i = tables, .at_least = k->said.cut || k->left_off});
	snapshot_figure(s, catalog_figures, "views", value_int(views));
	snapshot_figure(s, catalog_figures, "unread", value_int(unread));
	snapshot_figure(s, catalog_figures, "uncounted", value_int(uncounted));
	snapshot_figure(s, catalog_figures, "failed", value_int(bad));
	snapshot_figure(s, catalog_figures, "listed", value_int(k->took));
	if (k->said.named)
		snapshot_figure(s, catalog_figures, "named", value_int(1));
	if (k->said.words[0])
		snapshot_figure(s, catalog_figures, "cut", value_text(k->said.words));
	else if (k->left_off)
		snapshot_figure(s, catalog_figures, "cut", value_text("of more than 20,000 tables the rest is left off"));
	s->print = print_of(s, t);
}

/* ---- the keeper ---- */

struct keeper *keeper_new(const struct catalog *c)
{
	struct keeper *k = mem_new(1, sizeof *k);

	k->catalog = c;
	return k;
}

void keeper_free(struct keeper *k)
{
	if (!k)
		return;
	keeper_forget(k);
	if (k->catalog->kind->close)
		k->catalog->kind->close(k->state);
	for (size_t i = 0; i < k->n_records; i++)
		record_free(&k->records[i]);
	free(k->records);
	free(k);
}

void keeper_hurry(struct keeper *k, bool (*hurry)(void *ctx), void *ctx)
{
	k->hurry = hurry;
	k->hurry_ctx = ctx;
}

void keeper_places(struct keeper *k, struct places *p)
{
	k->places = p;
}

void keeper_retry(struct keeper *k)
{
	for (size_t i = 0; i < k->n_records; i++) {
		struct record *r = &k->records[i];

		r->next = 0;
		if (!listing_tells(k, r))
			r->checked = clock_ms() - RECHECK_MS;
	}
}

bool keeper_list(struct keeper *k, struct probe *p, const struct storage *at, struct snapshot *s)
{
	p->storage = at; /* who lists tables by their folders looks into them */
	k->listed = list(k, p, s);
	if (k->listed)
		tell(k, s);
	return k->listed;
}

bool keeper_look(struct keeper *k, struct probe *p, const struct storage *at, struct snapshot *s)
{
	struct spending left = {.until = clock_ms() + LOOK_MS, .bytes = look_bytes, .whole = look_bytes};
	unsigned strikes = 0, refusals = 0;

	p->storage = at;
	if (!k->listed && !list(k, p, s))
		return false;
	k->listed = false;
	k->down = (struct err){0};
	if (work_through(k, p, at, WORK_READ, &left, &strikes, &refusals) && work_through(k, p, at, WORK_RECHECK, &left, &strikes, &refusals))
		work_through(k, p, at, WORK_COUNT, &left, &strikes, &refusals);
	if (wait_fd((struct wait){clock_ms(), p->wait.cancel}, -1, 0) < 0)
		return err_set(&s->err, ERR_CANCELLED, "cancelled");
	drop_gone(k);
	tell(k, s);
	return true;
}

bool keeper_unread(const struct keeper *k)
{
	int64_t now = clock_ms();

	for (size_t i = 0; i < k->n_records; i++)
		if (is_due(k, &k->records[i], WORK_READ, now) || is_due(k, &k->records[i], WORK_COUNT, now))
			return true;
	return false;
}

/* Who asks of it waits for its counts. */
static void count_now(struct keeper *k, struct probe *p, const struct storage *at, struct record *r)
{
	struct spending left = {.until = clock_ms() + TABLE_MS, .bytes = look_bytes, .whole = look_bytes};
	struct err err = {0};

	read_one(k, p, at, r, true, &left, &err);
}

bool keeper_answer(struct keeper *k, struct probe *p, const struct storage *at, const char *view, const char *table, struct snapshot *s)
{
	struct record key = {.name = mem_copy(table)}, *r;
	char name[PLAN_VIEW_SIZE];
	struct plan_choice choice;

	r = k->n_records ? bsearch(&key, k->records, k->n_records, sizeof key, by_name) : NULL;
	free(key.name);
	if (!r)
		return err_set(&s->err, ERR_USAGE, "%s has no table %s (any more)", k->catalog->name, table);
	if (r->format == FORMAT_VIEW)
		return err_set(&s->err, ERR_USAGE, "%s is a view: it has no files", table);
	if (!has_metadata(r))
		return err_set(&s->err, ERR_USAGE, "%s is \"%s\", neither Iceberg nor Delta: laketop does not read it", table, format_words(r));
	if (!plan_choice_read(view, clock_wall_ms(), name, &choice, &s->err))
		return false;
	if (r->format == FORMAT_DELTA)
		return keeper_delta_view(k, p, at, r, name, &choice, s);
	if (!strcmp(name, "table") && !r->whole)
		count_now(k, p, at, r);
	return keeper_view(k, p, at, r, name, &choice, s);
}
