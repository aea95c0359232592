// SPDX-License-Identifier: MIT
/*
 * See delta.h. The log is listed as a whole, which tells the newest version, the oldest, and what is
 * missing; then the newest checksum and the commits are read, newest first, as far as the budget reaches.
 * Every add is known by the checksum's own list (Spark writes it for small tables), or when the
 * commits reach back to version 0; else the checksum's totals count, else a checkpoint's hint.
 */
#include "delta_own.h"
#include "plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAMES_MOST = 200000, CHECKSUM_MOST = 16 << 20, HINT_MOST = 1 << 20, COMMITS_DEFAULT = 500,
	TIME_KEPT = 1500,   /* ms of the probe's time that are left for telling what is known */
	INTERVAL = 10,      /* delta.checkpointInterval */
	FEW = 8,            /* names of a listing that looks for one */
	MANY = 4096,        /* bytes of a commit whose size is not known */
};
static const int64_t BYTES_DEFAULT = 32 << 20, RETENTION = 7 * (int64_t)86400000;

const char *delta_property(const struct delta_table *t, const char *key)
{
	for (size_t i = 0; i < t->n_properties; i++)
		if (!strcmp(t->properties[i].key, key))
			return t->properties[i].value;
	return NULL;
}

/* ---- the log's files ---- */

#define ROOM(list, n, room) ((n) < (room) ? (list) : ((room) = (room) ? (room) * 2 : 64, (list) = mem_grow(list, room, sizeof *(list))))

static void take_checkpoint(struct delta_log *l, const struct delta_name *n)
{
	struct delta_checkpoint *c = NULL;

	for (size_t i = l->n_checkpoints; i-- && !c;)
		if (l->checkpoints[i].version == n->version && l->checkpoints[i].parts == n->parts)
			c = &l->checkpoints[i];
	if (!c) {
		ROOM(l->checkpoints, l->n_checkpoints, l->room_checkpoints);
		c = &l->checkpoints[l->n_checkpoints++];
		*c = (struct delta_checkpoint){.version = n->version, .parts = n->parts};
	}
	c->seen++;
	c->uuid |= n->json;
}

bool delta_log_take(struct delta_log *l, const struct storage_entry *e)
{
	struct delta_name n = delta_name(e->name);

	if (e->folder || n.kind == DELTA_NAME_OTHER)
		return true;
	l->files++;
	l->bytes += e->size > 0 ? e->size : 0;
	if (n.kind == DELTA_NAME_COMMIT) {
		ROOM(l->commits, l->n_commits, l->room_commits);
		l->commits[l->n_commits++] = (struct delta_log_file){n.version, e->size, e->when > 0 ? e->when : -1};
	} else if (n.kind == DELTA_NAME_CHECKSUM) {
		ROOM(l->checksums, l->n_checksums, l->room_checksums);
		l->checksums[l->n_checksums++] = n.version;
	} else if (n.kind == DELTA_NAME_CHECKPOINT) {
		take_checkpoint(l, &n);
	} else {
		l->compacted += n.to - n.version + 1;
	}
	return true;
}

static int by_version(const void *a, const void *b)
{
	int64_t x = ((const struct delta_log_file *)a)->version, y = ((const struct delta_log_file *)b)->version;

	return x < y ? -1 : x > y;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

void delta_log_sort(struct delta_log *l)
{
	size_t n = 0;

	if (l->n_commits)
		qsort(l->commits, l->n_commits, sizeof *l->commits, by_version);
	for (size_t i = 0; i < l->n_commits; i++) /* one that two listings told stands once */
		if (!n || l->commits[n - 1].version != l->commits[i].version)
			l->commits[n++] = l->commits[i];
	l->n_commits = n;
	if (l->n_checksums)
		qsort(l->checksums, l->n_checksums, sizeof *l->checksums, by_number);
}

void delta_log_free(struct delta_log *l)
{
	free(l->commits);
	free(l->checksums);
	free(l->checkpoints);
}

/* ---- reading ---- */

struct reading {
	struct probe *p;
	const struct storage *at;
	const char *url;
	struct delta_ask *ask;
	struct arena *arena;
	struct delta_table *out;
	struct delta_log log;
	struct delta_replay replay;
	size_t newest;              /* index of the newest commit that counts; behind it: beyond the catalog's word */
	int64_t hint_version, hint_files; /* _last_checkpoint; -1 */
	int64_t crc_version, crc_files, crc_bytes, crc_deleted, crc_vectors;
};

static bool child(char out[STORAGE_URL_SIZE], const struct reading *r, const char *name, struct err *err)
{
	char part[80];

	snprintf(part, sizeof part, "_delta_log%s%s", name[0] ? "/" : "", name);
	return storage_child(out, r->url, part) || err_set(err, ERR_LIMIT, "the table's URL is too long");
}

/* Of files, a listing says no more than the name. */
static bool each_name(void *ctx, const struct storage_entry *entry)
{
	struct reading *r = ctx;

	return delta_log_take(&r->log, entry);
}

static enum storage_answer list_log(struct reading *r, const char *after, struct err *err)
{
	char url[STORAGE_URL_SIZE];

	if (!child(url, r, "", err))
		return STORAGE_FAILED;
	return storage_list(r->p, r->at, url, after, NAMES_MOST, each_name, r, err);
}

/* A commit's size and time, where the listing did not say them. */
static void look_at_commit(struct reading *r, struct delta_log_file *f)
{
	char url[STORAGE_URL_SIZE], name[32], path[STORAGE_URL_SIZE];
	struct storage_url u;
	struct file_facts facts;

	snprintf(name, sizeof name, "%020" PRId64 ".json", f->version);
	if (f->bytes >= 0 || !child(url, r, name, NULL) || !storage_url(url, &u, NULL) || u.s3)
		return;
	if (r->p->host->stat(r->p->host, text_copy(path, sizeof path, u.path), &facts, NULL) && facts.exists) {
		f->bytes = facts.size;
		f->modified = facts.modified;
	}
}

static void say_known(struct reading *r, char out[96])
{
	struct delta_log_file *f = &r->log.commits[r->log.n_commits - 1];

	look_at_commit(r, f);
	snprintf(out, 96, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, f->version, f->bytes, f->modified, r->ask->latest);
}

/* One question: is what was the newest commit still there, and the newest? */
static bool is_same(struct reading *r)
{
	char after[32], now[96];
	int64_t version;
	bool same;

	if (!text_i64(text_until(text_of(r->ask->known), ' '), &version))
		return false;
	snprintf(after, sizeof after, "%020" PRId64, version);
	same = list_log(r, after, NULL) == STORAGE_OK && r->log.n_commits > 0;
	if (same) {
		delta_log_sort(&r->log);
		say_known(r, now);
		same = !strcmp(now, r->ask->known);
	}
	delta_log_free(&r->log);
	r->log = (struct delta_log){0};
	return same;
}

static void read_hint(struct reading *r)
{
	char url[STORAGE_URL_SIZE];
	struct json *json = NULL;
	struct buf file;

	buf_init(&file, HINT_MOST);
	if (child(url, r, "_last_checkpoint", NULL) && storage_read(r->p, r->at, url, &file, NULL) == STORAGE_OK)
		json = json_parse(buf_text(&file), NULL);
	if (!json_i64(json_get(json, "version"), &r->hint_version))
		r->hint_version = -1;
	if (!json_i64(json_get(json, "numOfAddFiles"), &r->hint_files))
		r->hint_files = -1;
	json_free(json);
	buf_free(&file);
}

static int64_t number(const struct json *json, const char *key)
{
	int64_t n;

	return json_i64(json_get(json, key), &n) && n >= 0 ? n : -1;
}

static void take_checksum(struct reading *r, int64_t version, const struct json *json)
{
	const struct json *files = json_get(json, "allFiles");

	r->crc_files = number(json, "numFiles");
	r->crc_bytes = number(json, "tableSizeBytes");
	r->crc_deleted = number(json, "numDeletedRecordsOpt");
	r->crc_vectors = number(json, "numDeletionVectorsOpt");
	if (r->crc_files < 0 || r->crc_bytes < 0)
		return;
	r->crc_version = version;
	if (json_is_array(files) && (int64_t)json_count(files) == r->crc_files)
		delta_replay_base(&r->replay, files);
	delta_replay_metadata(&r->replay, json_get(json, "metadata"), -1);
	delta_replay_protocol(&r->replay, json_get(json, "protocol"));
	for (const struct json *d = json_first(json_get(json, "domainMetadata")); d; d = json_next(d))
		delta_replay_domain(&r->replay, d);
}

/* A checksum that cannot be read is none: it is a writer's kindness, and never wrong to lack. */
static void read_checksum(struct reading *r, int64_t version)
{
	char url[STORAGE_URL_SIZE], name[32];
	struct json *json = NULL;
	struct buf file;

	snprintf(name, sizeof name, "%020" PRId64 ".crc", version);
	buf_init(&file, CHECKSUM_MOST);
	if (child(url, r, name, NULL) && storage_read(r->p, r->at, url, &file, NULL) == STORAGE_OK)
		json = json_parse(buf_text(&file), NULL);
	if (json_is_object(json))
		take_checksum(r, version, json);
	json_free(json);
	buf_free(&file);
}

struct feed {
	struct delta_lines lines;
	struct err *err;
};

static bool take_bytes(void *ctx, const char *bytes, size_t len)
{
	struct feed *f = ctx;

	return delta_lines_feed(&f->lines, bytes, len, f->err);
}

static bool read_commit(struct reading *r, const struct delta_log_file *file, int64_t most, struct err *err)
{
	char url[STORAGE_URL_SIZE], name[32];
	struct err why = {0}, wrong = {0};
	struct feed feed = {.err = &wrong};
	enum storage_answer answer;

	snprintf(name, sizeof name, "%020" PRId64 ".json", file->version);
	if (!child(url, r, name, err))
		return false;
	delta_replay_commit(&r->replay, file->version);
	delta_lines_begin(&feed.lines, delta_replay_action, &r->replay);
	answer = storage_stream(r->p, r->at, url, most, take_bytes, &feed, &why);
	if (answer == STORAGE_OK && !delta_lines_end(&feed.lines, &wrong))
		answer = STORAGE_FAILED;
	delta_lines_free(&feed.lines);
	if (answer == STORAGE_OK)
		return true;
	if (wrong.code != ERR_NONE)
		return err_set(err, wrong.code, "%s of the log: %s", name, wrong.words);
	return err_set(err, why.code, "%s", why.words);
}

/* Newest first, as far as bytes, commits and time reach. False: the newest cannot be read. */
static bool read_commits(struct reading *r, struct err *err)
{
	int64_t bytes = r->ask->bytes ? r->ask->bytes : BYTES_DEFAULT, commits = r->ask->commits ? r->ask->commits : COMMITS_DEFAULT;
	int64_t before = -1;
	size_t crc = r->log.n_checksums, i;

	commits = commits < (int64_t)r->newest + 1 ? commits : (int64_t)r->newest + 1;
	if (!delta_replay_room(&r->replay, (size_t)commits))
		return err_set(err, ERR_LIMIT, "%.120s: its log takes more memory than is allowed", r->url);
	while (crc && r->log.checksums[crc - 1] > r->log.commits[r->newest].version)
		crc--;
	for (i = r->newest + 1; i-- > 0 && commits-- > 0;) {
		struct delta_log_file *f = &r->log.commits[i];

		if (before >= 0 && f->version != before - 1)
			break; /* a hole: what is older is not its history */
		if (crc && r->log.checksums[crc - 1] == f->version && r->crc_version < 0)
			read_checksum(r, f->version);
		while (crc && r->log.checksums[crc - 1] >= f->version)
			crc--;
		look_at_commit(r, f);
		bytes -= f->bytes >= 0 ? f->bytes : MANY;
		if (before >= 0 && (bytes < 0 || wait_left(r->p->wait) < TIME_KEPT))
			break;
		if (!read_commit(r, f, bytes > 0 ? bytes + f->bytes + MANY : f->bytes + MANY, err)) {
			if (before < 0 || err->code == ERR_CANCELLED)
				return false;
			r->replay.n_commits--; /* half a commit tells nothing; what it said of files of old does no harm */
			r->out->lacks = arena_clean(r->arena, text_of(err->words));
			*err = (struct err){0};
			break;
		}
		if (r->replay.commits[r->replay.n_commits - 1].when < 0)
			r->replay.commits[r->replay.n_commits - 1].when = f->modified;
		before = f->version;
		if (before == 0 && !r->replay.full)
			r->replay.whole = true;
	}
	return true;
}

/* ---- what the listing alone says ---- */

static void take_checkpoints(struct reading *r)
{
	struct delta_table *t = r->out;
	const struct delta_checkpoint *best = NULL;

	for (size_t i = 0; i < r->log.n_checkpoints; i++) {
		const struct delta_checkpoint *c = &r->log.checkpoints[i];

		if (c->seen >= c->parts && c->version <= t->version && (!best || c->version > best->version))
			best = c;
	}
	t->checkpoint = best ? best->version : -1;
	t->checkpoint_kind = !best ? "" : best->uuid ? "by UUID" : best->parts == 1 ? "single file"
		: arena_printf(r->arena, "%" PRId64 " parts", best->parts);
}

/* Readers need every commit behind the checkpoint, or from 0 on. */
static void find_gap(struct reading *r)
{
	struct delta_table *t = r->out;
	int64_t want = t->checkpoint + 1;

	t->gap = -1;
	for (size_t i = 0; i <= r->newest && t->gap < 0; i++) {
		int64_t version = r->log.commits[i].version;

		if (version < want)
			continue;
		if (version > want)
			t->gap = want;
		want++;
	}
}

static bool take_listing(struct reading *r, struct err *err)
{
	struct delta_table *t = r->out;
	struct delta_log *l = &r->log;

	delta_log_sort(l);
	if (!l->n_commits)
		return err_set(err, ERR_PARSE, "its log holds no commit");
	r->newest = l->n_commits - 1;
	while (r->ask->latest >= 0 && r->newest && l->commits[r->newest].version > r->ask->latest)
		r->newest--;
	t->version = l->commits[r->newest].version;
	t->oldest = l->commits[0].version;
	t->n_commits = (int64_t)r->newest + 1;
	t->log_bytes = l->bytes > 0 ? l->bytes : -1;
	t->log_files = l->files;
	t->compacted = l->compacted;
	take_checkpoints(r);
	find_gap(r);
	if (r->ask->latest > t->version)
		t->lacks = arena_printf(r->arena, "its catalog is at version %" PRId64 "; the commits after %" PRId64 " are not yet in the log",
			r->ask->latest, t->version);
	return true;
}

/* ---- counts without every add ---- */

static void count_on(struct reading *r, int64_t version, int64_t files, int64_t bytes, const char *what)
{
	struct delta_table *t = r->out;

	if (t->version - version > (int64_t)r->replay.n_commits)
		return; /* not every commit since then was read */
	t->measured = MEASURE_SUMMARY;
	for (size_t i = 0; i < r->replay.n_commits && r->replay.commits[i].version > version; i++) {
		const struct delta_commit *c = &r->replay.commits[i];
		const struct delta_tally *y = &r->replay.tallies[i];

		files += c->added - c->removed - y->readded;
		bytes = delta_before(bytes, delta_sum(c->removed_bytes, y->readded_bytes), c->added_bytes, 0);
	}
	t->about = version < t->version;
	t->files = files > 0 ? files : 0;
	t->bytes = bytes;
	t->how = arena_printf(r->arena, "%s of version %" PRId64 "%s", what, version, t->about ? ", and the commits since" : "");
}

static void count_without_adds(struct reading *r)
{
	struct delta_table *t = r->out;

	if (r->crc_version >= 0)
		count_on(r, r->crc_version, r->crc_files, r->crc_bytes, "checksum");
	else if (r->hint_version >= 0 && r->hint_version <= t->version && r->hint_files >= 0)
		count_on(r, r->hint_version, r->hint_files, -1, "checkpoint");
	if (r->crc_version == t->version && r->crc_vectors >= 0) {
		t->vectors = r->crc_vectors;
		t->deleted = r->crc_deleted;
	}
}

static void say_how(struct reading *r)
{
	struct delta_table *t = r->out;

	if (t->measured == MEASURE_EXACT) {
		int64_t from = r->replay.n_commits ? r->replay.commits[r->replay.n_commits - 1].version : t->version;

		t->how = from == 0 && r->crc_version < 0 ? arena_printf(r->arena, "every commit from 0 to %" PRId64, t->version)
			: from == 0 ? arena_printf(r->arena, "every commit from 0 to %" PRId64 ", checksum of %" PRId64, t->version, r->crc_version)
			: arena_printf(r->arena, "list in the checksum of version %" PRId64, r->crc_version);
		if (r->crc_version == t->version && (t->files != r->crc_files || t->bytes != r->crc_bytes))
			t->mistrust = arena_printf(r->arena, "checksum says %" PRId64 " files of %" PRId64 " bytes, the commits make it %" PRId64
				" of %" PRId64, r->crc_files, r->crc_bytes, t->files, t->bytes);
	} else if (!t->lacks[0]) {
		t->lacks = r->replay.full ? "not all of its files fit into the memory that is allowed"
			: t->checkpoint >= 0 ? arena_printf(r->arena, "%s would need the Parquet of checkpoint %" PRId64,
				t->measured == MEASURE_NONE ? "a count" : "each file's size and partition", t->checkpoint)
			: t->gap >= 0 ? arena_printf(r->arena, "commit %" PRId64 " is missing", t->gap) : "more commits than were read at once";
	}
}

/* ---- what it adds up to ---- */

static int64_t interval_of(const struct delta_table *t, const char *key, int64_t otherwise)
{
	const char *s = delta_property(t, key);
	int64_t ms;

	return s && delta_interval(text_of(s), &ms) ? ms : otherwise;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A path that came back with another deletion vector is still a file of the table. */
static void count_expired(struct reading *r, const struct delta_file **largest)
{
	struct delta_table *t = r->out;
	const char **live = mem_new(t->n_list, sizeof *live);
	const char *s;

	for (size_t i = 0; i < t->n_list; i++)
		live[i] = t->list[i].path;
	if (t->n_list)
		qsort(live, t->n_list, sizeof *live, by_path);
	t->expired = t->expired_bytes = 0;
	for (size_t i = 0; i < t->n_removed; i++) {
		const struct delta_file *f = &t->removed[i];

		s = f->path;
		if (f->when >= t->now - t->retention || (t->n_list && bsearch(&s, live, t->n_list, sizeof *live, by_path)))
			continue;
		t->expired++;
		t->expired_bytes = plan_add(t->expired_bytes, f->bytes);
		if (!*largest || f->bytes > (*largest)->bytes)
			*largest = f;
	}
	free(live);
}

struct sought {
	struct text name;
	int64_t when; /* 0: it is not there */
};

static bool each_sought(void *ctx, const struct storage_entry *e)
{
	struct sought *s = ctx;
	size_t len = e->name.len < s->name.len ? e->name.len : s->name.len;

	if (e->name.len == s->name.len && !memcmp(e->name.at, s->name.at, len))
		s->when = e->when;
	return !s->when && memcmp(e->name.at, s->name.at, len) <= 0; /* they come by name */
}

/* Its own time, which is what VACUUM goes by; 0: it is not there any more. */
static int64_t time_of(struct reading *r, const char *path)
{
	char url[STORAGE_URL_SIZE], folder[STORAGE_URL_SIZE], before[STORAGE_URL_SIZE];
	struct storage few = r->at ? *r->at : (struct storage){0};
	struct file_facts facts;
	struct storage_url u;
	struct err why = {0};
	const char *slash;
	struct sought s;
	bool whole = path[0] == '/' || strstr(path, ":/");

	if (whole ? strlen(path) >= sizeof url : !storage_child(url, r->url, path))
		return 0;
	if (whole)
		text_copy(url, sizeof url, text_of(path));
	if (!storage_url(url, &u, &why))
		return 0;
	if (!u.s3)
		return r->p->host->stat(r->p->host, text_copy(folder, sizeof folder, u.path), &facts, NULL) && facts.exists ? facts.modified : 0;
	slash = strrchr(url, '/');
	s = (struct sought){.name = text_of(slash + 1)};
	text_copy(folder, sizeof folder, (struct text){url, (size_t)(slash - url)});
	text_copy(before, sizeof before, (struct text){s.name.at, s.name.len ? s.name.len - 1 : 0});
	few.page = FEW;
	storage_list(r->p, &few, folder, before, NAMES_MOST, each_sought, &s, &why);
	return s.when;
}

/* In the week that ends with the last one. */
static double rate_of(const struct delta_table *t)
{
	int64_t oldest = 0, commits = 0;

	for (size_t i = 0; i < t->n_commits_read && t->commits[0].when - t->commits[i].when <= TABLE_RATE_MS; i++) {
		oldest = t->commits[i].when;
		commits++;
	}
	return table_rate(commits, commits ? t->commits[0].when - oldest : 0);
}

static void take_times(struct reading *r)
{
	struct delta_table *t = r->out;
	const struct delta_file *largest = NULL;
	const char *s = delta_property(t, "delta.checkpointInterval");

	if (!s || !text_i64(text_of(s), &t->interval) || t->interval < 1)
		t->interval = INTERVAL;
	t->retention = interval_of(t, "delta.deletedFileRetentionDuration", RETENTION);
	s = delta_property(t, "delta.universalFormat.enabledFormats");
	t->uniform = s && strstr(s, "iceberg");
	t->rate = rate_of(t);
	if (t->n_commits_read)
		t->removed_since = t->commits[t->n_commits_read - 1].version == 0 ? 0 : t->commits[t->n_commits_read - 1].when;
	count_expired(r, &largest);
	if (largest && r->ask->probe) {
		int64_t when = time_of(r, largest->path);

		t->expired_there = when > 0 && when < t->now - t->retention;
		t->expired_young = when >= t->now - t->retention;
	}
}

static void table_begin(struct delta_table *t, const char *url, int64_t now)
{
	*t = (struct delta_table){.url = url, .version = -1, .oldest = -1, .gap = -1, .checkpoint = -1, .checkpoint_kind = "", .id = "", .name = "",
		.description = "", .created = -1, .reader = -1, .writer = -1, .unsupported = "", .how = "", .lacks = "", .mistrust = "",
		.files = -1, .bytes = -1, .records = -1, .vectors = -1, .deleted = -1, .small = -1, .removed_since = INT64_MAX, .rate = (double)NAN,
		.now = now, .n_partitions_all = 0};
}

/* All names; of a log with very many the oldest, then those from the last checkpoint on. */
static enum storage_answer list_all(struct reading *r, struct err *err)
{
	enum storage_answer answer = list_log(r, NULL, err);
	char after[32];

	read_hint(r);
	if (answer != STORAGE_FAILED || err->code != ERR_LIMIT || r->hint_version < 0)
		return answer;
	*err = (struct err){0};
	snprintf(after, sizeof after, "%020" PRId64, r->hint_version);
	return list_log(r, after, err);
}

static enum delta_answer read_all(struct reading *r, struct err *err)
{
	struct err why = {0};
	enum storage_answer answer;

	if (r->ask->known[0] && is_same(r))
		return DELTA_SAME;
	answer = list_all(r, &why);
	if (answer == STORAGE_FAILED) {
		if (err)
			*err = why;
		return DELTA_FAILED;
	}
	if (answer == STORAGE_MISSING || !r->log.files) {
		err_set(err, ERR_SYSTEM, "there is no Delta log in %.120s", r->url);
		return DELTA_GONE;
	}
	if (!take_listing(r, err))
		return DELTA_FAILED;
	if (!read_commits(r, err))
		return DELTA_FAILED;
	count_without_adds(r);
	delta_replay_end(&r->replay);
	say_how(r);
	take_times(r);
	say_known(r, r->ask->known);
	return DELTA_OK;
}

enum delta_answer delta_read(struct probe *p, const struct storage *at, const char *url, struct delta_ask *ask, struct arena *arena,
	struct delta_table *out, struct err *err)
{
	struct reading r = {.p = p, .at = at, .url = arena_copy(arena, text_of(url)), .ask = ask, .arena = arena, .out = out, .hint_version = -1,
		.hint_files = -1, .crc_version = -1, .crc_files = -1};
	struct err local = {0};
	enum delta_answer answer;

	table_begin(out, r.url, clock_wall_ms());
	delta_replay_begin(&r.replay, arena, out);
	answer = read_all(&r, err ? err : &local);
	delta_replay_free(&r.replay);
	delta_log_free(&r.log);
	return answer;
}
