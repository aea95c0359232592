// SPDX-License-Identifier: MIT
/*
 * The profile's catalogs, and found ones, in the lake: the newest snapshot of each, kept while its catalog
 * is down, and all their tables joined: a table that two catalogs know is one, by its uuid and its folder.
 * Joined anew only where a catalog told something new. UI thread; never waits.
 */
#include <stdlib.h>
#include <string.h>

#include "actor.h"
#include "tables.h"

enum { JOIN_MOST = 64 << 20 };

/* ---- the join ---- */

struct columns { size_t name, uuid, location, grade; };

static size_t column_named(const struct table *t, const char *name)
{
	size_t i = 0;

	while (i < t->n_columns && strcmp(t->spec->columns[i].name, name) != 0)
		i++;
	return i;
}

static const char *text_at(const struct lake_table *t, size_t k, const char *column)
{
	const struct table *tables = snapshot_find_table(t->in[k].view->snapshot, "tables");
	struct value v = table_get(tables, t->in[k].row, column);

	return v.type == VALUE_TEXT ? v.u.s : "";
}

static uint64_t hash_more(uint64_t hash, struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		hash = (hash ^ (unsigned char)t.at[i]) * UINT64_C(1099511628211); /* FNV-1a */
	return (hash ^ 0xff) * UINT64_C(1099511628211);
}

/* Where a folder is, whichever way it is written: s3a is s3, file:///x is /x, a slash at the end says nothing. */
static struct text place_of(const char *location)
{
	struct text t = text_of(location);

	if (!text_skip(&t, "s3a://") && !text_skip(&t, "s3n://") && !text_skip(&t, "s3://") && text_skip(&t, "file:"))
		text_skip(&t, "//");
	while (t.len > 1 && t.at[t.len - 1] == '/')
		t.len--;
	return t;
}

struct entry { /* a table with what it is known by: looking that up for each comparison would take most of the time */
	const char *name, *uuid;
	struct text place;
	struct lake_table table;
};
struct join {
	struct entry *entries;
	size_t n;
	uint32_t *slots; /* place in entries + 1; 0: free */
	size_t n_slots;  /* a power of two */
};

/* The one that is there already; NULL: it is new, and *slot is where it belongs. */
static struct entry *seen(struct join *j, const char *uuid, struct text place, size_t *slot)
{
	*slot = hash_more(hash_more(UINT64_C(14695981039346656037), text_of(uuid)), place) & (j->n_slots - 1);
	for (; j->slots[*slot]; *slot = (*slot + 1) & (j->n_slots - 1)) {
		struct entry *e = &j->entries[j->slots[*slot] - 1];

		if (!strcmp(e->uuid, uuid) && e->place.len == place.len && !memcmp(e->place.at, place.at, place.len))
			return e;
	}
	return NULL;
}

/* Shown by a catalog that answers and could read it, rather than by the first of the profile. */
static bool tells_more(const struct lake_table *t, const struct catalog_view *view, const char *grade)
{
	bool down = t->in[0].view->failed != NULL, failed = !strcmp(text_at(t, 0, "grade"), table_grade_word(GRADE_FAILED));

	return !view->failed && strcmp(grade, table_grade_word(GRADE_FAILED)) != 0 && (down || failed);
}

static void add_way(struct entry *e, const struct catalog_view *view, size_t row, const char *name, const char *grade)
{
	struct lake_table *t = &e->table;
	size_t k = t->n_in;

	if (k == TABLE_CATALOGS)
		return;
	t->n_in++;
	t->in[k].view = view;
	t->in[k].row = row;
	if (!tells_more(t, view, grade))
		return;
	t->in[k] = t->in[0];
	t->in[0].view = view;
	t->in[0].row = row;
	t->old = false;
	e->name = name;
}

static const char *cell_text(const struct table *t, size_t row, size_t column)
{
	const struct value *v = column < t->n_columns ? &t->cells[row * t->n_columns + column] : NULL;

	return v && v->type == VALUE_TEXT ? v->u.s : "";
}

static void join_view(struct join *j, const struct catalog_view *view)
{
	const struct table *t = snapshot_find_table(view->snapshot, "tables");
	struct columns at;

	if (!t)
		return;
	at = (struct columns){column_named(t, "name"), column_named(t, "uuid"), column_named(t, "location"), column_named(t, "grade")};
	for (size_t row = 0; row < t->n_rows; row++) {
		const char *name = cell_text(t, row, at.name), *uuid = cell_text(t, row, at.uuid);
		struct text place = place_of(cell_text(t, row, at.location));
		struct entry *same = NULL, *new = &j->entries[j->n];
		size_t slot = 0;

		if (uuid[0])
			same = seen(j, uuid, place, &slot);
		if (same && same->table.in[0].view != view) { /* one catalog may hold a table by two names */
			add_way(same, view, row, name, cell_text(t, row, at.grade));
			continue;
		}
		*new = (struct entry){.name = name, .uuid = uuid, .place = place, .table = {.n_in = 1, .old = view->failed != NULL}};
		new->table.in[0].view = view;
		new->table.in[0].row = row;
		j->n++;
		if (uuid[0] && !same)
			j->slots[slot] = (uint32_t)j->n;
	}
}

static int by_name(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->table.in[0].view->catalog->name, y->table.in[0].view->catalog->name);
}

static bool is_in_order(const struct join *j)
{
	for (size_t i = 1; i < j->n; i++)
		if (by_name(&j->entries[i - 1], &j->entries[i]) > 0)
			return false;
	return true;
}

const struct lake_table *lake_join(const struct catalog_view *views, size_t n, struct arena *arena, size_t *n_tables)
{
	struct join j = {.n_slots = 64};
	struct lake_table *tables;
	size_t rows = 0;

	for (size_t i = 0; i < n; i++) {
		const struct table *t = snapshot_find_table(views[i].snapshot, "tables");

		rows += t ? t->n_rows : 0;
	}
	while (j.n_slots < rows * 2)
		j.n_slots *= 2;
	j.entries = mem_new(rows + 1, sizeof *j.entries);
	j.slots = mem_new(j.n_slots, sizeof *j.slots);
	for (size_t i = 0; i < n; i++)
		join_view(&j, &views[i]);
	if (!is_in_order(&j)) /* one catalog alone tells them by name */
		qsort(j.entries, j.n, sizeof *j.entries, by_name);
	tables = arena_alloc(arena, (j.n + 1) * sizeof *tables);
	for (size_t i = 0; tables && i < j.n; i++)
		tables[i] = j.entries[i].table;
	*n_tables = tables ? j.n : 0;
	free(j.slots);
	free(j.entries);
	return tables;
}

/* ---- what panels ask ---- */

struct value lake_table_get(const struct lake_table *t, const char *column)
{
	return t->n_in ? table_get(snapshot_find_table(t->in[0].view->snapshot, "tables"), t->in[0].row, column) : value_unknown();
}

/* The first whose name is not before it. */
static size_t place_in(const struct lake *lake, const char *name)
{
	size_t low = 0, high = lake->n_tables;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(text_at(&lake->tables[middle], 0, "name"), name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct lake_table *named_in(const struct lake *lake, const char *name, const struct catalog_view *view)
{
	for (size_t i = place_in(lake, name); i < lake->n_tables && !strcmp(text_at(&lake->tables[i], 0, "name"), name); i++)
		for (size_t k = 0; k < lake->tables[i].n_in; k++)
			if (!view || (lake->tables[i].in[k].view == view && !strcmp(text_at(&lake->tables[i], k, "name"), name)))
				return &lake->tables[i];
	/* another catalog shows it by another name */
	for (size_t i = 0; view && i < lake->n_tables; i++)
		for (size_t k = 1; k < lake->tables[i].n_in; k++)
			if (lake->tables[i].in[k].view == view && !strcmp(text_at(&lake->tables[i], k, "name"), name))
				return &lake->tables[i];
	return NULL;
}

const struct lake_table *lake_table_named(const struct lake *lake, const char *name)
{
	const struct lake_table *t = named_in(lake, name, NULL);

	for (size_t i = 0; !t && i < lake->n_catalogs; i++) {
		struct text rest = text_of(name);

		if (text_skip(&rest, lake->catalogs[i].catalog->name) && text_skip(&rest, "."))
			t = named_in(lake, rest.at, &lake->catalogs[i]);
	}
	return t;
}

bool catalog_is_told(const struct catalog_view *c)
{
	struct value unread = snapshot_get(c->snapshot, "unread"), uncounted = snapshot_get(c->snapshot, "uncounted");

	return c->failed || (c->snapshot && unread.u.i <= 0 && uncounted.u.i <= 0);
}

const struct snapshot *catalog_answer_to(const struct catalog_view *c, const char *view, const char *table)
{
	return c->answer && !strcmp(c->answer->view, view) && !strcmp(c->answer->subject, table) ? c->answer : NULL;
}

/* ---- what comes in ---- */

static bool is_wanted(const struct engine *e, const struct catalog *c)
{
	if (e->options.headless && !e->options.tables && !e->options.replay)
		return false;
	return !e->options.only || !strcmp(e->options.only, c->name) || (c->service && !strcmp(e->options.only, c->service->name));
}

static struct actor *start(struct engine *e, const struct catalog *c)
{
	struct target t = {.at = catalog_endpoint(c), .catalog = c};

	return actor_start(e, JOB_CATALOG, c->name, c->service, NULL, &t);
}

bool catalogs_add(struct engine *e, const struct catalog *c)
{
	size_t n = e->lake.n_catalogs;

	if (!is_wanted(e, c) || n == e->profile->n_catalogs + CATALOGS_FOUND_MAX)
		return false;
	e->lake.catalogs[n] = (struct catalog_view){.catalog = c, .engine = c->engine ? lake_service(&e->lake, c->engine) : NULL};
	e->catalogs[n] = (struct catalog_seat){.actor = e->options.replay ? NULL : start(e, c)};
	e->lake.n_catalogs++;
	return true;
}

/* The profile's and what is found have their places for ever: tables point to them. */
void catalogs_begin(struct engine *e)
{
	size_t n = e->profile->n_catalogs;

	e->lake.catalogs = mem_new(n + CATALOGS_FOUND_MAX, sizeof *e->lake.catalogs);
	e->catalogs = mem_new(n + CATALOGS_FOUND_MAX, sizeof *e->catalogs);
	e->lake.places = places_new(e->profile);
	for (size_t i = 0; i < n; i++)
		catalogs_add(e, &e->profile->catalogs[i]);
}

static void look_now(struct engine *e, struct actor *a)
{
	pthread_mutex_lock(&e->lock);
	a->refresh = true;
	pthread_mutex_unlock(&e->lock);
	actor_wake(a);
}

/* Whose service came or went is looked at now, and not when its turn comes: else its tables stand there as if it were well. */
void catalogs_judged(struct engine *e)
{
	for (size_t i = 0; i < e->lake.n_catalogs; i++) {
		struct catalog_seat *seat = &e->catalogs[i];
		const struct service *s = seat->actor && seat->actor->expected ? lake_service(&e->lake, seat->actor->expected->name) : NULL;
		bool serves = s && s->verdict.shown.verdict == VERDICT_SERVING;

		if (!s || s->asking)
			continue;
		if (seat->judged && serves != seat->served && e->lake.catalogs[i].snapshot)
			look_now(e, seat->actor);
		seat->judged = true; /* the first truth of it is no change */
		seat->served = serves;
	}
}

void catalogs_targets(struct engine *e)
{
	for (size_t i = 0; i < e->lake.n_catalogs; i++) {
		struct actor *a = e->catalogs[i].actor;
		const struct listener *l;
		const struct process *p;
		bool differs;

		if (!a || !a->expected || !e->lake.facts)
			continue;
		l = facts_listener(e->lake.facts, a->target.at.address, a->target.at.port); /* who is asked never changes */
		p = l ? facts_process(e->lake.facts, l->pid) : NULL;
		pthread_mutex_lock(&e->lock);
		differs = a->target.facts && (l ? a->target.socket != l->inode : a->target.listening);
		a->target.facts = true;
		a->target.listening = l != NULL;
		a->target.socket = l ? l->inode : a->target.socket;
		a->target.owner_started = p && !l->proxied[0] ? p->started : 0;
		a->target.owner = a->target.owner_started && !l->pid_probable ? p->pid : 0;
		a->refresh = a->refresh || differs; /* another server, or none: what was said holds no longer */
		pthread_mutex_unlock(&e->lock);
		if (differs)
			actor_wake(a);
	}
}

static void hold(const struct snapshot **place, struct snapshot *s)
{
	snapshot_drop(*place);
	*place = s;
}

static void take(struct engine *e, size_t i, struct snapshot *s)
{
	struct catalog_view *v = &e->lake.catalogs[i];

	if (s->part == PART_ANSWER) {
		hold(&v->answer, s);
		return;
	}
	places_tell(e->lake.places, v->catalog, s);
	/* row by row the same: what was joined still holds */
	if (v->failed || s->err.code != ERR_NONE || !v->snapshot || !s->print || v->snapshot->print != s->print)
		e->catalogs[i].fresh = true;
	if (s->err.code != ERR_NONE) {
		hold(&v->failed, s);
	} else {
		hold(&v->snapshot, s);
		hold(&v->failed, NULL);
	}
}

bool catalog_take(struct engine *e, struct snapshot *s)
{
	const struct catalog *c;

	for (size_t i = 0; i < e->lake.n_catalogs; i++)
		if (!strcmp(e->lake.catalogs[i].catalog->name, s->source)) {
			take(e, i, s);
			return true;
		}
	c = e->options.replay ? catalog_found_then(e, s->source) : NULL;
	if (!c || !catalogs_add(e, c))
		return false;
	take(e, e->lake.n_catalogs - 1, s);
	return true;
}

static void join(struct engine *e)
{
	arena_free(e->tables);
	e->tables = arena_new(JOIN_MOST);
	e->lake.tables = lake_join(e->lake.catalogs, e->lake.n_catalogs, e->tables, &e->lake.n_tables);
	e->lake.joined++;
}

void catalogs_take(struct engine *e)
{
	bool fresh = false;

	for (size_t i = 0; i < e->lake.n_catalogs; i++)
		for (int part = 0; part < NEWS && e->catalogs[i].actor; part++) {
			struct snapshot *s;

			pthread_mutex_lock(&e->lock);
			s = e->catalogs[i].actor->news[part];
			e->catalogs[i].actor->news[part] = NULL;
			pthread_mutex_unlock(&e->lock);
			if (s)
				take(e, i, s);
		}
	for (size_t i = 0; i < e->lake.n_catalogs; i++) {
		fresh = fresh || e->catalogs[i].fresh;
		e->catalogs[i].fresh = false;
	}
	if (fresh)
		join(e);
}

static void let_go(struct catalog_view *v)
{
	hold(&v->snapshot, NULL);
	hold(&v->failed, NULL);
	hold(&v->answer, NULL);
}

void catalogs_drop(struct engine *e, size_t i)
{
	size_t after = e->lake.n_catalogs - i - 1;

	if (e->catalogs[i].actor) {
		atomic_store(&e->catalogs[i].actor->retired, true);
		actor_wake(e->catalogs[i].actor);
	}
	let_go(&e->lake.catalogs[i]);
	memmove(&e->lake.catalogs[i], &e->lake.catalogs[i + 1], after * sizeof *e->lake.catalogs);
	memmove(&e->catalogs[i], &e->catalogs[i + 1], after * sizeof *e->catalogs);
	e->lake.n_catalogs--;
	join(e); /* tables point to views that have moved */
}

void engine_ask_table(struct engine *e, const char *catalog, const char *view, const char *table)
{
	for (size_t i = 0; i < e->lake.n_catalogs; i++) {
		struct actor *a = e->catalogs[i].actor;

		if (!a || strcmp(a->name, catalog) != 0)
			continue;
		pthread_mutex_lock(&e->lock);
		text_copy(a->ask_view, sizeof a->ask_view, text_of(view));
		text_copy(a->ask_subject, sizeof a->ask_subject, text_of(table));
		pthread_mutex_unlock(&e->lock);
		actor_wake(a);
	}
}

void catalogs_free(struct engine *e)
{
	for (size_t i = 0; i < e->lake.n_catalogs; i++)
		let_go(&e->lake.catalogs[i]);
	catalogs_found_free(e);
	arena_free(e->tables);
	places_free(e->lake.places);
	free(e->lake.catalogs);
	free(e->catalogs);
}
