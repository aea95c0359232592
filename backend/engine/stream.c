// SPDX-License-Identifier: MIT
/*
 * The actor of one Structured Streaming query: reads its checkpoint every ten seconds and publishes
 * where it stands. Nothing is asked of Spark or Kafka. Commits are listed before offsets, so that
 * a batch that ends in between is never seen as committed and not begun.
 *
 * Hundreds of batches are kept at least, thousands by some. On S3 a listing is paged and in the order
 * of bytes, where 1000 stands between 100 and 101: from the newest batch known it is read on from
 * there, and once more where the numbers grow by a digit; all of it at first, now and then, and when
 * the batch known is gone. Batches may be left out (asynchronous progress writes only some).
 *
 * Source: Spark's checkpoint layout, see checkpoint.h. Thread: its own.
 */
#include <stdio.h>
#include <string.h>

#include "../format/checkpoint.h"
#include "actor.h"
#include "catalog.h"

enum {
	FILE_MAX = 8 << 20, NAMES_MAX = 200000, SOURCES_TRIED = 16,
	PAGE = 1000,          /* names of one page of S3: below it a listing from the beginning costs one question */
	NEAR = 100,           /* names without a newer batch after which none is expected: older ones stand between them */
	WHOLE_EVERY = 30,     /* looks */
	REFUSED_EVERY = 6,    /* intervals: who refuses us is asked less often */
};

struct watch { /* kept between looks */
	const struct stream *stream;
	struct storage storage;
	bool s3;
	int64_t commits, offsets; /* newest known; -1 none */
	uint64_t looks;
};

struct look {
	struct watch *w;
	struct probe *p;
	struct snapshot *s;
	struct table *offsets, *sources;
	const char *source; /* whose offsets come now */
	bool gone;          /* a batch that was listed or remembered is not there */
};

/* ---- the newest batch ---- */

struct newest {
	int64_t batch;
	size_t since; /* names after the newest one */
	bool in_order;
};

static bool each_batch(void *ctx, const struct storage_entry *entry)
{
	struct newest *n = ctx;
	int64_t batch = entry->folder ? -1 : checkpoint_batch(entry->name);

	n->since = batch > n->batch ? 0 : n->since + 1;
	n->batch = batch > n->batch ? batch : n->batch;
	return !n->in_order || n->since < NEAR;
}

static bool list(struct look *l, const char *folder, int64_t after, struct newest *n)
{
	char url[STORAGE_URL_SIZE], name[24] = "";
	struct storage at = l->w->storage;
	enum storage_answer answer;

	if (!storage_child(url, l->w->stream->checkpoint, folder))
		return err_set(&l->s->err, ERR_LIMIT, "the checkpoint's URL is too long");
	if (after >= 0)
		snprintf(name, sizeof name, "%lld", (long long)after);
	n->since = 0;
	n->in_order = after >= 0;
	at.page = after >= 0 ? NEAR : 0;
	answer = storage_list(l->p, &at, url, name, NAMES_MAX, each_batch, n, &l->s->err);
	if (answer == STORAGE_MISSING)
		l->s->err = (struct err){0};
	return answer != STORAGE_FAILED;
}

/* The smallest number of as many digits. */
static int64_t first_alike(int64_t n)
{
	int64_t first = 1;

	while (n / first >= 10)
		first *= 10;
	return first;
}

/* The newest batch in a folder, in *known; -1: there is none. */
static bool find_newest(struct look *l, const char *folder, bool whole, int64_t *known)
{
	struct newest n = {.batch = *known};
	int64_t first;

	if (!l->w->s3 || whole || *known < PAGE) {
		n.batch = -1;
		if (!list(l, folder, -1, &n))
			return false;
		*known = n.batch;
		return true;
	}
	if (!list(l, folder, *known, &n))
		return false;
	/* the first of one digit more stands right behind the first of this many */
	first = first_alike(n.batch);
	if (n.batch / first == 9 && n.batch + 2 * PAGE >= first * 10 && !list(l, folder, first, &n))
		return false;
	*known = n.batch;
	return true;
}

/* ---- its files ---- */

/* Reads one file of the checkpoint. STORAGE_MISSING leaves no error. */
static enum storage_answer read_part(struct look *l, const char *folder, int64_t batch, struct buf *out)
{
	char url[STORAGE_URL_SIZE], part[64];
	enum storage_answer answer;

	snprintf(part, sizeof part, batch < 0 ? "%s" : "%s/%lld", folder, (long long)batch);
	buf_reset(out);
	if (!storage_child(url, l->w->stream->checkpoint, part)) {
		err_set(&l->s->err, ERR_LIMIT, "the checkpoint's URL is too long");
		return STORAGE_FAILED;
	}
	answer = storage_read(l->p, &l->w->storage, url, out, &l->s->err);
	if (answer == STORAGE_MISSING)
		l->s->err = (struct err){0};
	return answer;
}

static bool damaged(struct look *l, const char *folder, int64_t batch, const struct err *why)
{
	if (batch < 0)
		return err_set(&l->s->err, why->code, "%s of the checkpoint: %s", folder, why->words);
	return err_set(&l->s->err, why->code, "%s/%lld of the checkpoint: %s", folder, (long long)batch, why->words);
}

static void figure(struct look *l, const char *name, struct value v)
{
	snapshot_figure(l->s, stream_figures, name, v);
}

static struct value time_value(int64_t ms)
{
	return ms > 0 ? value_int(ms) : value_unknown();
}

static void each_partition(void *ctx, struct text topic, int32_t partition, int64_t next)
{
	struct look *l = ctx;
	struct value *row = table_row(l->s, l->offsets);

	table_set(l->s, l->offsets, row, "source", value_text(l->source));
	table_set(l->s, l->offsets, row, "topic", value_text(arena_clean(l->s->arena, topic)));
	table_set(l->s, l->offsets, row, "partition", value_int(partition));
	table_set(l->s, l->offsets, row, "committed", next >= 0 ? value_int(next) : value_unknown());
}

static void take_source(struct look *l, const struct checkpoint_source *source)
{
	struct value *row = table_row(l->s, l->sources);

	table_set(l->s, l->sources, row, "source", value_text(source->id));
	table_set(l->s, l->sources, row, "kind", value_text(checkpoint_kind_word(source->kind)));
	l->source = source->id;
	if (source->kind == CHECKPOINT_KAFKA)
		checkpoint_kafka(source->offset, each_partition, l);
}

static bool take_offsets(struct look *l, int64_t batch, struct text file)
{
	struct checkpoint_offsets offsets;
	struct checkpoint_source source;
	struct err why = {0};

	if (!checkpoint_offsets(file, &offsets, &why))
		return damaged(l, "offsets", batch, &why);
	while (checkpoint_next(&offsets, &source, &why))
		take_source(l, &source);
	if (why.code != ERR_NONE)
		return damaged(l, "offsets", batch, &why);
	figure(l, "batch", value_int(batch));
	figure(l, "batch_at", time_value(offsets.at));
	figure(l, "watermark", time_value(offsets.watermark));
	figure(l, "sources", value_int(offsets.sources));
	return true;
}

/* No batch is done yet: what each source began with. */
static bool take_starts(struct look *l, struct buf *file)
{
	for (int i = 0; i < SOURCES_TRIED; i++) {
		struct checkpoint_source source;
		struct err why = {0};
		char folder[32];
		enum storage_answer answer;

		snprintf(folder, sizeof folder, "sources/%d", i);
		answer = read_part(l, folder, 0, file);
		if (answer != STORAGE_OK)
			return answer == STORAGE_MISSING;
		if (!checkpoint_start(buf_text(file), &source, &why))
			continue; /* sources of other kinds keep what they like there */
		snprintf(source.id, sizeof source.id, "%d", i);
		take_source(l, &source);
	}
	return true;
}

/* A batch that has begun: since when. What is damaged there is no matter as long as it is not committed. */
static bool take_flight(struct look *l, struct buf *file)
{
	bool in_flight = l->w->offsets > l->w->commits;
	struct checkpoint_offsets offsets;
	enum storage_answer answer;

	figure(l, "in_flight", value_bool(in_flight));
	if (!in_flight)
		return true;
	answer = read_part(l, "offsets", l->w->offsets, file);
	l->gone = l->gone || answer == STORAGE_MISSING;
	if (answer == STORAGE_OK && checkpoint_offsets(buf_text(file), &offsets, NULL))
		figure(l, "in_flight_at", time_value(offsets.at));
	return answer != STORAGE_FAILED;
}

/* A file of the batch that is committed, which must be there. */
static bool read_committed(struct look *l, const char *folder, struct buf *file)
{
	enum storage_answer answer = read_part(l, folder, l->w->commits, file);

	if (answer == STORAGE_MISSING) {
		l->gone = true;
		err_set(&l->s->err, ERR_PARSE, "batch %lld is the newest committed one, and %s/%lld is not in the checkpoint",
			(long long)l->w->commits, folder, (long long)l->w->commits);
	}
	return answer == STORAGE_OK;
}

static bool take_commit(struct look *l, struct buf *file)
{
	int64_t watermark;
	struct err why = {0};

	if (!read_committed(l, "commits", file))
		return false;
	if (!checkpoint_commit(buf_text(file), &watermark, &why))
		return damaged(l, "commits", l->w->commits, &why);
	if (!read_committed(l, "offsets", file) || !take_offsets(l, l->w->commits, buf_text(file)))
		return false;
	if (watermark)
		figure(l, "watermark", value_int(watermark));
	return true;
}

static bool take_query(struct look *l, struct buf *file)
{
	enum storage_answer answer = read_part(l, "metadata", -1, file);
	struct err why = {0};
	char id[64];

	if (answer == STORAGE_MISSING)
		return err_set(&l->s->err, ERR_SYSTEM, "%.120s: no checkpoint is there (yet)", l->w->stream->checkpoint);
	if (answer != STORAGE_OK)
		return false;
	if (!checkpoint_id(buf_text(file), id, &why))
		return damaged(l, "metadata", -1, &why);
	figure(l, "query", value_text(id));
	return true;
}

static bool take_batches(struct look *l, bool whole, struct buf *file)
{
	struct watch *w = l->w;

	if (!find_newest(l, "commits", whole, &w->commits) || !find_newest(l, "offsets", whole, &w->offsets) || !take_flight(l, file))
		return false;
	return w->commits >= 0 ? take_commit(l, file) : take_starts(l, file);
}

static bool look_at(struct look *l)
{
	bool whole = l->w->looks++ % WHOLE_EVERY == 0, good;
	struct buf file;

	buf_init(&file, FILE_MAX);
	l->offsets = snapshot_table(l->s, stream_tables, "offsets");
	l->sources = snapshot_table(l->s, stream_tables, "sources");
	good = take_query(l, &file);
	if (good) {
		good = take_batches(l, whole, &file);
		/* a batch that is remembered may be gone: the checkpoint was made anew, or we slept for long */
		if (l->gone && !l->offsets->n_rows && !l->sources->n_rows) {
			l->s->err = (struct err){0};
			good = take_batches(l, true, &file);
		}
	}
	buf_free(&file);
	return good;
}

/* ---- its life ---- */

static void watch_begin(struct watch *w, const struct engine *e, const struct stream *stream)
{
	struct storage_url url;

	*w = (struct watch){.stream = stream, .storage = profile_storage(e->profile, stream->storage), .commits = -1, .offsets = -1};
	w->s3 = storage_url(stream->checkpoint, &url, NULL) && url.s3;
}

void *actor_stream(void *arg)
{
	struct actor *a = arg;
	struct engine *e = a->engine;
	struct net *net = net_new(e->host);
	int64_t interval = actor_paced(e, 0, DEPTH_MS), now;
	uint64_t generation = 0;
	struct watch w;

	watch_begin(&w, e, profile_stream(e->profile, a->name));
	do {
		struct snapshot *s = snapshot_new(a->name, PART_STREAM);
		struct probe p = {.host = e->host, .net = net, .wait = actor_wait(e, DEPTH_DEADLINE_MS), .hint = "", .arena = s->arena};
		struct look l = {.w = &w, .p = &p, .s = s};

		if (!look_at(&l) || l.gone)
			w.commits = w.offsets = -1; /* begin anew: what went wrong may have been what we knew */
		s->requests = p.requests;
		s->bytes = p.bytes;
		atomic_fetch_add(&a->requests, p.requests);
		atomic_fetch_add(&a->bytes, p.bytes);
		if (s->err.code == ERR_CANCELLED) {
			snapshot_unref(s);
			break;
		}
		now = s->err.code == ERR_AUTH ? interval * REFUSED_EVERY : interval;
		actor_finish(s, ++generation, now);
		engine_publish(e, a, s);
	} while (actor_sleep(a, now, 0));
	net_free(net);
	return NULL;
}
