// SPDX-License-Identifier: MIT
/* See delta_own.h. Pure. */
#include "delta_own.h"

#include <stdlib.h>
#include <string.h>

enum { FEATURES_MAX = 64, PROPERTIES_MAX = 500, COLUMNS_MAX = 200, METRICS_MAX = 40, SCHEMAS_MAX = 20, PARTITIONS_MAX = 2000, SLOTS_MIN = 1024 };
static const int64_t TARGET = 1 << 30; /* optimize.maxFileSize of Delta 4.4.0 */

/* ---- what was said of files ---- */

static uint64_t mix(uint64_t h, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 1099511628211u;
	return (h ^ 0x1f) * 1099511628211u;
}

/* The slot of what has this key, or the empty one where it would stand. */
static uint32_t *slot_of(const struct delta_replay *r, uint64_t hash, struct text path, struct text vector)
{
	for (size_t i = (size_t)hash & (r->n_slots - 1);; i = (i + 1) & (r->n_slots - 1)) {
		const struct delta_said *s;

		if (!r->slots[i])
			return &r->slots[i];
		s = &r->said[r->slots[i] - 1];
		if (s->hash == hash && text_is(path, s->path) && text_is(vector, s->vector))
			return &r->slots[i];
	}
}

static void grow_slots(struct delta_replay *r)
{
	size_t n = r->n_slots ? r->n_slots * 2 : SLOTS_MIN;

	free(r->slots);
	r->slots = mem_new(n, sizeof *r->slots);
	r->n_slots = n;
	for (size_t k = 0; k < r->n_said; k++) {
		size_t i = (size_t)r->said[k].hash & (n - 1);

		while (r->slots[i])
			i = (i + 1) & (n - 1);
		r->slots[i] = (uint32_t)k + 1;
	}
}

/* Partitions repeat: the one before is mostly the same. */
static const char *keep(struct delta_replay *r, struct text t, const char *before)
{
	if (!t.len)
		return "";
	return before && text_is(t, before) ? before : arena_copy(r->arena, t);
}

static struct delta_said *say(struct delta_replay *r, const struct delta_entry *e, bool *is_new)
{
	uint64_t hash = mix(mix(14695981039346656037u, e->path.at, e->path.len), e->vector.at, e->vector.len);
	const char *before = r->n_said ? r->said[r->n_said - 1].partition : NULL;
	struct delta_said *s;
	uint32_t *slot;

	if (2 * (r->n_said + 1) > r->n_slots)
		grow_slots(r);
	slot = slot_of(r, hash, e->path, e->vector);
	*is_new = !*slot;
	if (*slot)
		return &r->said[*slot - 1];
	if (r->full)
		return NULL;
	if (r->n_said == r->room_said) {
		r->room_said = r->room_said ? r->room_said * 2 : 256;
		r->said = mem_grow(r->said, r->room_said, sizeof *r->said);
	}
	s = &r->said[r->n_said++];
	*s = (struct delta_said){.hash = hash, .version = -1, .records = -1, .bytes = -1, .at = -1};
	s->path = arena_copy(r->arena, e->path);
	s->vector = keep(r, e->vector, NULL);
	s->vector_path = keep(r, e->vector_path, NULL);
	s->partition = keep(r, e->partition, before);
	s->cube = keep(r, e->cube, NULL);
	s->provider = keep(r, e->provider, NULL);
	if (arena_full(r->arena)) {
		r->n_said--;
		r->full = true;
		return NULL;
	}
	*slot = (uint32_t)r->n_said;
	return s;
}

void delta_replay_begin(struct delta_replay *r, struct arena *arena, struct delta_table *out)
{
	*r = (struct delta_replay){.arena = arena, .out = out};
	delta_scratch_begin(&r->scratch);
}

bool delta_replay_room(struct delta_replay *r, size_t commits)
{
	r->room_kept = arena_alloc(r->arena, commits * sizeof *r->room_kept);
	r->n_kept = commits;
	return r->room_kept != NULL;
}

void delta_replay_free(struct delta_replay *r)
{
	free(r->said);
	free(r->slots);
	free(r->commits);
	free(r->tallies);
	delta_scratch_free(&r->scratch);
}

void delta_replay_commit(struct delta_replay *r, int64_t version)
{
	if (r->n_commits == r->room_commits) {
		r->room_commits = r->room_commits ? r->room_commits * 2 : 32;
		r->commits = mem_grow(r->commits, r->room_commits, sizeof *r->commits);
		r->tallies = mem_grow(r->tallies, r->room_commits, sizeof *r->tallies);
	}
	r->commits[r->n_commits] = (struct delta_commit){.version = version, .when = -1, .operation = "", .engine = "", .files = -1, .bytes = -1,
		.records = -1};
	r->tallies[r->n_commits++] = (struct delta_tally){0};
}

static int64_t or_0(int64_t n)
{
	return n > 0 ? n : 0;
}

int64_t delta_sum(int64_t a, int64_t b)
{
	int64_t c;

	return a < 0 || b < 0 || __builtin_add_overflow(a, b, &c) ? -1 : c;
}

/* The same, where what is not said is found elsewhere or said not to be known. */
static int64_t more(int64_t a, int64_t b)
{
	return b < 0 ? a : delta_sum(a, b);
}

int64_t delta_before(int64_t after, int64_t added, int64_t removed, int64_t readded)
{
	int64_t all = delta_sum(delta_sum(after, removed), readded);

	return all < 0 || added < 0 ? -1 : or_0(all - added);
}

static void take_add(struct delta_replay *r, const struct delta_entry *e)
{
	size_t at = r->n_commits - 1;
	struct delta_commit *c = &r->commits[at];
	struct delta_said *s;
	bool is_new;

	c->added++;
	c->added_bytes = delta_sum(c->added_bytes, e->bytes);
	c->added_records = more(c->added_records, e->records);
	if (e->vector.len) {
		c->vectored++;
		c->vectored_records = more(c->vectored_records, e->records);
	}
	r->tallies[at].no_stats |= e->records < 0;
	s = say(r, e, &is_new);
	if (!s)
		return;
	if (is_new) {
		/* whatever is older than a list of all files and not in it is gone */
		s->live = !r->whole;
		s->bytes = e->bytes;
		s->records = e->records;
		s->deleted = e->deleted;
		s->when = e->modified;
	} else if (s->added && s->at >= 0) { /* a later commit added it again */
		struct delta_tally *t = &r->tallies[s->at];

		t->readded++;
		t->readded_bytes = delta_sum(t->readded_bytes, s->bytes);
		t->readded_records = more(t->readded_records, s->records);
	} else if (!s->added) { /* here is what a later commit removed */
		if (s->no_records && e->records >= 0) {
			r->commits[s->at].removed_records = delta_sum(r->commits[s->at].removed_records, e->records);
			r->tallies[s->at].unresolved--;
		}
		if (s->no_bytes)
			r->commits[s->at].removed_bytes = more(r->commits[s->at].removed_bytes, e->bytes);
		s->records = s->records < 0 ? e->records : s->records;
		s->bytes = s->bytes < 0 ? e->bytes : s->bytes;
	}
	s->added = true;
	s->at = (int64_t)at;
	if (s->version < 0)
		s->version = c->version;
}

static void take_remove(struct delta_replay *r, const struct delta_entry *e)
{
	size_t at = r->n_commits - 1;
	struct delta_commit *c = &r->commits[at];
	struct delta_said *s;
	bool is_new;

	c->removed++;
	c->removed_bytes = more(c->removed_bytes, e->bytes);
	c->removed_records = more(c->removed_records, e->records);
	r->tallies[at].unresolved += e->records < 0;
	s = say(r, e, &is_new);
	if (!s)
		return;
	if (is_new) {
		s->bytes = e->bytes;
		s->records = e->records;
		s->deleted = e->deleted;
		s->when = e->modified;
		s->removed = true;
	}
	s->no_bytes = e->bytes < 0;
	s->no_records = e->records < 0;
	s->added = false;
	s->at = (int64_t)at;
}

void delta_replay_base(struct delta_replay *r, const struct json *files)
{
	struct delta_entry e;
	bool is_new;

	for (const struct json *f = json_first(files); f; f = json_next(f)) {
		struct delta_said *s = delta_entry(f, true, &r->scratch, &e) ? say(r, &e, &is_new) : NULL;

		if (!s) {
			r->full = true;
			return;
		}
		if (!is_new)
			continue;
		s->live = s->added = true;
		s->bytes = e.bytes;
		s->records = e.records;
		s->deleted = e.deleted;
		s->when = e.modified;
	}
	r->whole = true;
}

/* ---- what was said of the table ---- */

static void take_properties(struct delta_replay *r, const struct json *map)
{
	size_t n = json_count(map), i = 0;
	struct iceberg_property *list = arena_alloc(r->arena, (n < PROPERTIES_MAX ? n : PROPERTIES_MAX) * sizeof *list + 1);

	for (const struct json *v = json_first(map); list && v && i < PROPERTIES_MAX; v = json_next(v)) {
		const char *value = json_string(v);

		list[i].key = arena_clean(r->arena, text_of(json_key(v)));
		list[i++].value = arena_clean(r->arena, text_of(value));
	}
	r->out->properties = list;
	r->out->n_properties = i;
}

/* Strings of an array, behind those that are there. */
static size_t take_strings(struct delta_replay *r, const struct json *array, const char **list, size_t n, size_t most)
{
	for (const struct json *v = json_first(array); v && n < most; v = json_next(v)) {
		const char *word = json_string(v);
		bool known = false;

		for (size_t i = 0; word && i < n; i++)
			known |= !strcmp(list[i], word);
		if (word && !known)
			list[n++] = arena_clean(r->arena, text_of(word));
	}
	return n;
}

static const char *word_of(struct delta_replay *r, const struct json *body, const char *key)
{
	return arena_clean(r->arena, text_of(json_string(json_get(body, key))));
}

/* A schema stands in every metaData, whatever changed: it is since the oldest of those that are alike. */
static void take_schema(struct delta_replay *r, const struct json *body, int64_t version)
{
	struct delta_table *t = r->out;
	const char *json = json_string(json_get(body, "schemaString"));

	if (!r->schemas)
		r->schemas = arena_alloc(r->arena, SCHEMAS_MAX * sizeof *r->schemas);
	if (!json || !r->schemas)
		return;
	t->schemas = r->schemas;
	if (t->n_schemas && !strcmp(r->schemas[t->n_schemas - 1].json, json))
		r->schemas[t->n_schemas - 1].version = version;
	else if (t->n_schemas < SCHEMAS_MAX)
		r->schemas[t->n_schemas++] = (struct delta_schema){version, arena_copy(r->arena, text_of(json))};
}

void delta_replay_metadata(struct delta_replay *r, const struct json *body, int64_t version)
{
	struct delta_table *t = r->out;
	const struct json *columns = json_get(body, "partitionColumns");
	const char **list;

	if (json_is_object(body))
		take_schema(r, body, version);
	if (r->metadata || !json_is_object(body))
		return;
	r->metadata = true;
	t->id = word_of(r, body, "id");
	t->name = word_of(r, body, "name");
	t->description = word_of(r, body, "description");
	if (!json_i64(json_get(body, "createdTime"), &t->created))
		t->created = -1;
	take_properties(r, json_get(body, "configuration"));
	list = arena_alloc(r->arena, COLUMNS_MAX * sizeof *list);
	if (list)
		t->n_partition_columns = take_strings(r, columns, list, 0, COLUMNS_MAX);
	t->partition_columns = list;
}

/* Features of readers that the rules here hold for. */
static bool is_known_feature(const char *s)
{
	static const char *const known[] = {
		"columnMapping", "deletionVectors", "timestampNtz", "v2Checkpoint", "vacuumProtocolCheck", "typeWidening", "typeWidening-preview",
		"variantType", "variantType-preview", "variantShredding", "variantShredding-preview", "catalogManaged", "catalogOwned", "catalogOwned-preview",
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(s, known[i]))
			return true;
	return false;
}

static void take_unsupported(struct delta_replay *r, const struct json *readers)
{
	char words[200] = "";
	size_t len = 0;

	for (const struct json *v = json_first(readers); v; v = json_next(v)) {
		const char *word = json_string(v);
		size_t n = word ? strlen(word) : 0;

		if (!n || is_known_feature(word) || len + n + 3 > sizeof words)
			continue;
		memcpy(words + len, ", ", 2);
		memcpy(words + len + (len ? 2 : 0), word, n + 1);
		len += n + (len ? 2 : 0);
	}
	r->out->unsupported = arena_clean(r->arena, text_of(words));
}

void delta_replay_protocol(struct delta_replay *r, const struct json *body)
{
	struct delta_table *t = r->out;
	const struct json *readers = json_get(body, "readerFeatures"), *writers = json_get(body, "writerFeatures");
	const char **list;
	int64_t n;

	if (r->protocol || !json_is_object(body))
		return;
	r->protocol = true;
	t->reader = json_i64(json_get(body, "minReaderVersion"), &n) && n >= 0 && n < 1000 ? (int)n : -1;
	t->writer = json_i64(json_get(body, "minWriterVersion"), &n) && n >= 0 && n < 1000 ? (int)n : -1;
	list = arena_alloc(r->arena, FEATURES_MAX * sizeof *list);
	if (list) {
		t->n_features = take_strings(r, readers, list, 0, FEATURES_MAX);
		t->n_features = take_strings(r, writers, list, t->n_features, FEATURES_MAX);
	}
	t->features = list;
	take_unsupported(r, readers);
	for (size_t i = 0; i < t->n_features; i++)
		t->catalog_managed |= !strcmp(list[i], "catalogManaged") || !strcmp(list[i], "catalogOwned") || !strcmp(list[i], "catalogOwned-preview");
}

/* Liquid clustering: the domain says by which columns; none of them, and the table is as any other. */
void delta_replay_domain(struct delta_replay *r, const struct json *body)
{
	const char *domain = json_string(json_get(body, "domain")), *words = json_string(json_get(body, "configuration"));
	struct json *json;
	bool removed = false;

	if (r->clustering || !domain || strcmp(domain, "delta.clustering") != 0)
		return;
	r->clustering = true;
	json_bool(json_get(body, "removed"), &removed);
	json = words && !removed ? json_parse(text_of(words), NULL) : NULL;
	r->out->clustered = json_count(json_get(json, "clusteringColumns")) > 0;
	json_free(json);
}

static void take_info(struct delta_replay *r, const struct json *body)
{
	struct delta_commit *c = &r->commits[r->n_commits - 1];
	const struct json *metrics = json_get(body, "operationMetrics");
	size_t n = json_count(metrics);
	struct delta_metric *list;

	if (!json_i64(json_get(body, "inCommitTimestamp"), &c->when) && !json_i64(json_get(body, "timestamp"), &c->when))
		c->when = -1;
	c->operation = word_of(r, body, "operation");
	c->engine = word_of(r, body, "engineInfo");
	list = arena_alloc(r->arena, (n < METRICS_MAX ? n : METRICS_MAX) * sizeof *list + 1);
	for (const struct json *m = json_first(metrics); list && m && c->n_metrics < METRICS_MAX; m = json_next(m)) {
		struct value v = json_value(m); /* text mostly; a number by some writers */

		list[c->n_metrics].key = arena_clean(r->arena, text_of(json_key(m)));
		list[c->n_metrics++].value = v.type == VALUE_INT ? arena_printf(r->arena, "%lld", (long long)v.u.i)
			: arena_clean(r->arena, text_of(json_string(m)));
	}
	c->metrics = list;
}

bool delta_replay_action(void *replay, const struct delta_action *action)
{
	struct delta_replay *r = replay;
	struct delta_entry e;

	switch (action->kind) {
	case DELTA_ADD:
	case DELTA_REMOVE:
		if (!delta_entry(action->body, action->kind == DELTA_ADD, &r->scratch, &e))
			r->full = true; /* what has no path, or one beyond all measure: not every file is known */
		else if (action->kind == DELTA_ADD)
			take_add(r, &e);
		else
			take_remove(r, &e);
		break;
	case DELTA_METADATA:
		delta_replay_metadata(r, action->body, r->commits[r->n_commits - 1].version);
		break;
	case DELTA_PROTOCOL:
		delta_replay_protocol(r, action->body);
		break;
	case DELTA_DOMAIN:
		delta_replay_domain(r, action->body);
		break;
	case DELTA_COMMIT_INFO:
		take_info(r, action->body);
		break;
	case DELTA_SIDECAR:
	case DELTA_OTHER_ACTION:
		break;
	}
	return true;
}

/* ---- what it comes to ---- */

static void copy_said(const struct delta_said *s, struct delta_file *f)
{
	*f = (struct delta_file){.path = s->path, .partition = s->partition, .vector_path = s->vector_path, .bytes = s->bytes, .records = s->records,
		.deleted = s->deleted, .when = s->when, .version = s->version, .cube = s->cube, .provider = s->provider};
}

static int by_partition(const void *a, const void *b)
{
	const struct delta_file *x = a, *y = b;
	int order = strcmp(x->partition, y->partition);

	return order ? order : strcmp(x->path, y->path);
}

static int by_files(const void *a, const void *b)
{
	const struct delta_partition *x = a, *y = b;

	if (x->files != y->files)
		return x->files < y->files ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void sum_partitions(struct delta_replay *r)
{
	struct delta_table *t = r->out;
	struct delta_partition *all = mem_new(t->n_list, sizeof *all), *kept, *p = NULL;
	size_t n = 0;

	for (size_t i = 0; i < t->n_list; i++) {
		const struct delta_file *f = &t->list[i];

		if (!p || strcmp(p->name, f->partition) != 0) {
			p = &all[n++];
			p->name = f->partition;
		}
		p->files++;
		p->small += f->bytes >= 0 && f->bytes < t->target / 4 * 3;
		p->bytes = delta_sum(p->bytes, f->bytes);
		p->records = delta_sum(p->records, f->records);
		p->vectors += f->deleted > 0;
	}
	qsort(all, n, sizeof *all, by_files);
	t->n_partitions_all = n;
	n = n < PARTITIONS_MAX ? n : PARTITIONS_MAX;
	kept = arena_alloc(r->arena, n * sizeof *kept + 1);
	if (kept && n)
		memcpy(kept, all, n * sizeof *kept);
	t->partitions = kept;
	t->n_partitions = kept ? n : 0;
	free(all);
}

static void sum_files(struct delta_replay *r)
{
	struct delta_table *t = r->out;

	t->measured = MEASURE_EXACT;
	t->files = (int64_t)t->n_list;
	t->bytes = t->records = t->small = t->vectors = t->deleted = 0;
	for (size_t i = 0; i < t->n_list; i++) {
		const struct delta_file *f = &t->list[i];

		t->bytes = delta_sum(t->bytes, f->bytes);
		t->records = delta_sum(t->records, f->records);
		t->small += f->bytes >= 0 && f->bytes < t->target / 4 * 3;
		t->vectors += f->deleted > 0;
		t->deleted = delta_sum(t->deleted, f->deleted);
	}
	if (t->bytes < 0)
		t->mistrust = "a file's size is missing or negative, or all sizes are more than 63 bits hold";
	sum_partitions(r);
}

/* From the newest version's totals back. */
static void sum_commits(struct delta_replay *r)
{
	int64_t files = r->out->files, bytes = r->out->bytes, records = r->out->records;

	for (size_t i = 0; i < r->n_commits; i++) {
		struct delta_commit *c = &r->commits[i];
		const struct delta_tally *t = &r->tallies[i];

		c->files = files;
		c->bytes = bytes;
		c->records = records;
		if (files >= 0)
			files = or_0(files - c->added + c->removed + t->readded);
		bytes = delta_before(bytes, c->added_bytes, c->removed_bytes, t->readded_bytes);
		records = t->no_stats || t->unresolved ? -1 : delta_before(records, c->added_records, c->removed_records, t->readded_records);
		if (t->no_stats)
			c->added_records = -1;
		if (t->unresolved)
			c->removed_records = -1;
	}
}

void delta_replay_end(struct delta_replay *r)
{
	struct delta_table *t = r->out;
	size_t live = 0, removed = 0;
	struct delta_file *files;
	const char *own = delta_property(t, "delta.targetFileSize");

	if (!own || !delta_size(text_of(own), &t->target) || t->target < 1)
		t->target = TARGET;
	for (size_t i = 0; i < r->n_said; i++)
		live += r->said[i].live;
	files = arena_alloc(r->arena, r->n_said * sizeof *files + 1);
	if (!files)
		r->full = true;
	for (size_t i = 0, l = 0; files && i < r->n_said; i++)
		if (r->said[i].live)
			copy_said(&r->said[i], &files[l++]);
	for (size_t i = 0; files && i < r->n_said; i++)
		if (r->said[i].removed)
			copy_said(&r->said[i], &files[live + removed++]);
	t->removed = files ? files + live : NULL;
	t->n_removed = files ? removed : 0;
	if (r->full)
		r->whole = false;
	if (r->whole) {
		t->list = files;
		t->n_list = live;
		qsort(files, live, sizeof *files, by_partition);
		sum_files(r);
	}
	sum_commits(r);
	t->n_commits_read = r->n_commits < r->n_kept ? r->n_commits : r->n_kept;
	if (t->n_commits_read)
		memcpy(r->room_kept, r->commits, t->n_commits_read * sizeof *r->commits);
	t->commits = r->room_kept;
}
