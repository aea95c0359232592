// SPDX-License-Identifier: MIT
/*
 * Spark's own lag. Structured Streaming commits to no consumer group: where a query stands is in its
 * checkpoint, and what it has not read yet is where Kafka's partitions end, less that. The two are
 * read at different moments; a commit beyond ends that are older than it is no reset. Pure.
 *
 * Kafka's depth carries the table "ends": topic TEXT, partition INT, beginning INT, end INT.
 * A query that was given some partitions of a topic only (assign) cannot be told from its checkpoint:
 * the others count as new.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "lake.h"

enum {
	REST_MS = 600000,
	NO_LAG = 1,            /* where a transaction's mark leaves a query that has read everything */
	SLOW_MS = 90000,       /* who is watched for less is not told to be slow */
	PACE_MS = 90000, PACE_LEAST_MS = 15000,
};

const struct figure_spec stream_figures[] = {
	{"batch", "batch", UNIT_NONE, FIGURE_ROW, "newest batch that is committed"},
	{"batch_at", "made", UNIT_TIME, FIGURE_ROW, "when that batch was made"},
	{"in_flight", "in flight", UNIT_NONE, FIGURE_ROW, "a later batch has begun, or its query died in it"},
	{"in_flight_at", "begun", UNIT_TIME, 0, "when the newest batch in flight was made"},
	{"watermark", "watermark", UNIT_TIME, 0, "event time up to which the query has seen all"},
	{"query", "query", UNIT_NONE, 0, "id of the query"},
	{"sources", "sources", UNIT_COUNT, 0, "that it reads"},
	{0}};

const struct table_spec stream_tables[] = {
	{"offsets", "where it stands", (const struct column_spec[]){
		{"source", VALUE_TEXT, UNIT_NONE, 2, "of the query: place or id"},
		{"topic", VALUE_TEXT, UNIT_NONE, 0, "of Kafka"},
		{"partition", VALUE_INT, UNIT_NONE, 0, "of the topic"},
		{"committed", VALUE_INT, UNIT_NONE, 0, "the offset that it reads next"},
		{0}}},
	{"sources", "what it reads", (const struct column_spec[]){
		{"source", VALUE_TEXT, UNIT_NONE, 0, "place or id"},
		{"kind", VALUE_TEXT, UNIT_NONE, 0, "kafka, files, delta, iceberg, number, other, nothing yet"},
		{0}}},
	{0}};

const char *stream_state_word(enum stream_state state)
{
	switch (state) {
	case STREAM_READS: return "reads";
	case STREAM_NEW: return "new";
	case STREAM_RESET: return "reset?";
	case STREAM_LOST: return "data lost";
	case STREAM_UNKNOWN: break;
	}
	return "unknown";
}

/* ---- the two sides, in order ---- */

struct place {
	const char *source, *topic;
	int64_t partition;
	struct value committed;
};
struct end {
	const char *topic;
	int64_t partition;
	struct value beginning, end;
};
struct sides {
	struct place *places;
	struct end *ends;
	size_t n_places, n_ends;
	bool ends_are_newer; /* read after the whole checkpoint was */
};

static const char *word(struct value v)
{
	return v.type == VALUE_TEXT ? v.u.s : "";
}

static struct value whole(struct value v)
{
	return v.type == VALUE_INT && v.u.i >= 0 ? v : value_unknown();
}

static int by_number(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int place_order(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = strcmp(x->source, y->source);

	order = order ? order : strcmp(x->topic, y->topic);
	return order ? order : by_number(x->partition, y->partition);
}

static int end_order(const void *a, const void *b)
{
	const struct end *x = a, *y = b;
	int order = strcmp(x->topic, y->topic);

	return order ? order : by_number(x->partition, y->partition);
}

/* Where a column stands; n_columns: it is not there. One look per table, not per cell: there may be many rows. */
static size_t column(const struct table *t, const char *name)
{
	size_t i = 0;

	while (i < t->n_columns && strcmp(t->spec->columns[i].name, name) != 0)
		i++;
	return i;
}

static struct value cell(const struct table *t, size_t row, size_t at)
{
	return at < t->n_columns ? t->cells[row * t->n_columns + at] : value_unknown();
}

static void take_places(struct sides *s, const struct table *t)
{
	size_t source = column(t, "source"), topic = column(t, "topic"), partition = column(t, "partition"), committed = column(t, "committed");

	s->places = mem_new(t->n_rows + 1, sizeof *s->places);
	for (size_t i = 0; i < t->n_rows; i++) {
		struct value p = whole(cell(t, i, partition));
		struct place *place = &s->places[s->n_places];

		*place = (struct place){word(cell(t, i, source)), word(cell(t, i, topic)), p.type == VALUE_INT ? p.u.i : -1, whole(cell(t, i, committed))};
		s->n_places += place->topic[0] && place->partition >= 0;
	}
	qsort(s->places, s->n_places, sizeof *s->places, place_order);
}

static void take_ends(struct sides *s, const struct table *t)
{
	size_t topic = column(t, "topic"), partition = column(t, "partition"), beginning = column(t, "beginning"), end = column(t, "end");

	s->ends = mem_new(t->n_rows + 1, sizeof *s->ends);
	for (size_t i = 0; i < t->n_rows; i++) {
		struct value p = whole(cell(t, i, partition));
		struct end *e = &s->ends[s->n_ends];

		*e = (struct end){word(cell(t, i, topic)), p.type == VALUE_INT ? p.u.i : -1, whole(cell(t, i, beginning)), whole(cell(t, i, end))};
		s->n_ends += e->topic[0] && e->partition >= 0;
	}
	qsort(s->ends, s->n_ends, sizeof *s->ends, end_order);
}

/* The first end of a topic, or where it would be. */
static size_t find_topic(const struct sides *s, const char *topic)
{
	size_t low = 0, high = s->n_ends;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(s->ends[middle].topic, topic) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- one partition ---- */

static void judge_place(struct stream_place *p, bool ends_are_newer)
{
	if (p->end.type != VALUE_INT) {
		p->state = STREAM_UNKNOWN;
	} else if (p->committed.type != VALUE_INT) {
		p->state = p->beginning.type == VALUE_INT ? STREAM_NEW : STREAM_UNKNOWN;
		if (p->state == STREAM_NEW)
			p->lag = value_int(p->end.u.i > p->beginning.u.i ? p->end.u.i - p->beginning.u.i : 0);
	} else if (p->committed.u.i > p->end.u.i && ends_are_newer) {
		p->state = STREAM_RESET;
	} else if (p->committed.u.i > p->end.u.i) { /* it read on after the ends were asked: the end is there by now, or further */
		p->state = STREAM_READS;
		p->lag = value_int(0);
		p->end = p->committed;
		p->end.at_least = true;
	} else {
		p->lag = value_int(p->end.u.i - p->committed.u.i);
		p->state = STREAM_READS;
		if (p->beginning.type == VALUE_INT && p->committed.u.i < p->beginning.u.i) {
			p->state = STREAM_LOST;
			p->lost = p->beginning.u.i - p->committed.u.i;
		}
	}
}

static int64_t add(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b; /* both are never negative */
}

static void count_place(struct stream_lag *out, const struct stream_place *p, int64_t *sum)
{
	out->n_new += p->state == STREAM_NEW;
	out->n_reset += p->state == STREAM_RESET;
	out->n_lost += p->state == STREAM_LOST;
	out->n_unknown += p->state == STREAM_UNKNOWN;
	out->lost = add(out->lost, p->lost);
	if (p->lag.type == VALUE_INT)
		*sum = add(*sum, p->lag.u.i);
}

/* ---- all ---- */

struct joint {
	const struct sides *sides;
	struct stream_place *out;
	size_t n;
	int64_t sum;
	struct stream_lag *lag;
};

static void put_place(struct joint *j, struct stream_place p)
{
	judge_place(&p, j->sides->ends_are_newer);
	count_place(j->lag, &p, &j->sum);
	j->out[j->n++] = p;
}

/* The places from first up to last are of one source and topic: goes along them and the topic's ends. */
static void join_topic(struct joint *j, size_t first, size_t last, const char *source, const char *topic)
{
	const struct sides *s = j->sides;
	size_t e = find_topic(s, topic), at = first;

	for (;;) {
		bool more_ends = e < s->n_ends && !strcmp(s->ends[e].topic, topic);
		struct stream_place p = {.source = source, .topic = topic};

		if (at == last && !more_ends)
			return;
		if (more_ends && (at == last || s->ends[e].partition <= s->places[at].partition)) {
			p.partition = s->ends[e].partition;
			p.beginning = s->ends[e].beginning;
			p.end = s->ends[e].end;
			if (at < last && s->places[at].partition == p.partition)
				p.committed = s->places[at++].committed;
			e++;
		} else {
			p.partition = s->places[at].partition;
			p.committed = s->places[at++].committed;
		}
		put_place(j, p);
	}
}

static void join(struct joint *j, struct arena *arena)
{
	const struct sides *s = j->sides;

	for (size_t first = 0, last; first < s->n_places; first = last) {
		const struct place *p = &s->places[first];

		for (last = first + 1; last < s->n_places; last++)
			if (strcmp(s->places[last].source, p->source) != 0 || strcmp(s->places[last].topic, p->topic) != 0)
				break;
		join_topic(j, first, last, arena_copy(arena, text_of(p->source)), arena_copy(arena, text_of(p->topic)));
	}
}

/* How many rows a join can have: each source's topic may meet all of that topic's ends. */
static size_t most_places(const struct sides *s)
{
	size_t n = s->n_places;

	for (size_t i = 0; i < s->n_places; i++) {
		if (i && !strcmp(s->places[i - 1].source, s->places[i].source) && !strcmp(s->places[i - 1].topic, s->places[i].topic))
			continue;
		for (size_t e = find_topic(s, s->places[i].topic); e < s->n_ends && !strcmp(s->ends[e].topic, s->places[i].topic); e++)
			n++;
	}
	return n;
}

static void sum_up(struct stream_lag *out, int64_t sum, bool cut)
{
	size_t open = out->n_unknown + out->n_reset;

	if (open == out->n_places)
		out->words = out->n_reset ? "all that it committed lies beyond the topic's end" : "Kafka does not tell where these partitions end";
	else
		out->lag = value_int(sum);
	out->lag.at_least = out->lag.type == VALUE_INT && (open || cut);
}

/* A query that was just started has a checkpoint, and nothing in it. */
static const char *why_no_offsets(const struct snapshot *stream)
{
	const struct table *sources = snapshot_find_table(stream, "sources");

	for (size_t i = 0; sources && i < sources->n_rows; i++)
		if (strcmp(word(table_get(sources, i, "kind")), "nothing yet") != 0)
			return "it reads no Kafka";
	return "it has read nothing yet";
}

/* ms since 1970 when it was begun; its monotonic times begin anew where it is replayed. */
static int64_t begun(const struct snapshot *s)
{
	return s->wall - (s->ended - s->begun);
}

void lake_stream_lag(const struct snapshot *stream, const struct snapshot *kafka, struct arena *arena, struct stream_lag *out)
{
	const struct table *offsets = snapshot_find_table(stream, "offsets"), *ends = snapshot_find_table(kafka, "ends");
	struct sides s = {0};
	struct joint j = {.sides = &s, .lag = out};

	*out = (struct stream_lag){.words = ""};
	if (!stream || stream->err.code != ERR_NONE || !offsets || !offsets->n_rows) {
		out->words = !stream ? "its checkpoint is not read yet" : stream->err.code != ERR_NONE ? "its checkpoint cannot be read" :
			why_no_offsets(stream);
		return;
	}
	if (!ends) {
		out->words = "Kafka has not told where its partitions end";
		return;
	}
	s.ends_are_newer = begun(kafka) >= stream->wall;
	take_places(&s, offsets);
	take_ends(&s, ends);
	j.out = arena_alloc(arena, (most_places(&s) + 1) * sizeof *j.out);
	if (j.out)
		join(&j, arena);
	free(s.places);
	free(s.ends);
	out->places = j.out;
	out->n_places = j.n;
	if (!j.out)
		out->words = "it reads more partitions than there is room for";
	else
		sum_up(out, j.sum, offsets->left_off || ends->left_off);
}

bool lake_stream_sample(const struct stream_lag *lag, int64_t now, struct stream_sample *out)
{
	*out = (struct stream_sample){.at = now, .lag = lag->lag.u.i};
	if (lag->lag.type != VALUE_INT || lag->lag.at_least || !lag->n_places)
		return false;
	for (size_t i = 0; i < lag->n_places; i++) {
		const struct stream_place *p = &lag->places[i];

		if (p->end.type != VALUE_INT || p->lag.type != VALUE_INT)
			return false;
		out->end += p->end.u.i;
		out->read += p->end.u.i - p->lag.u.i;
	}
	return true;
}

/* The lowest lag of some samples. */
static int64_t lowest(const struct stream_sample *samples, size_t n)
{
	int64_t low = INT64_MAX;

	for (size_t i = 0; i < n; i++)
		low = samples[i].lag < low ? samples[i].lag : low;
	return low;
}

/* Burrow's rule, but for a lag that goes up and down with the batches of a trigger: its lows are compared, and a low may be
 * seen late by the time between two looks. Without a few batches nothing is told: its trigger may be a long one. */
static bool falls_behind(const struct stream_sample *samples, size_t n, double in)
{
	size_t half = n / 2, moves = 0;
	int64_t gap = 0, before, after;

	for (size_t i = 1; i < n; i++) {
		moves += samples[i].read > samples[i - 1].read;
		gap = samples[i].at - samples[i - 1].at > gap ? samples[i].at - samples[i - 1].at : gap;
	}
	if (n < 2 || moves < 3 || samples[n - 1].at - samples[0].at < SLOW_MS)
		return false;
	before = lowest(samples, half);
	after = lowest(samples + half, n - half);
	return before > NO_LAG && (double)(after - before) > in * (double)gap / 1000;
}

void lake_stream_pace(const struct stream_sample *samples, size_t n, struct stream_pace *out)
{
	const struct stream_sample *first = samples, *last = samples + n - (n > 0);
	int64_t most = 0;

	*out = (struct stream_pace){0};
	for (size_t i = 0; i < n; i++)
		most = samples[i].lag > most ? samples[i].lag : most;
	for (size_t i = 0; i < n; i++)
		out->trend[i] = (char)('0' + (most ? (int)((double)samples[i].lag / (double)most * 7) : 0));
	while (n > 2 && first + 2 < last && last->at - first->at > PACE_MS)
		first++;
	/* what the first seconds tell hangs on where they fall between two batches */
	out->known = n > 1 && last->at - first->at >= PACE_LEAST_MS && last->end >= first->end && last->read >= first->read;
	if (!out->known)
		return;
	out->in = (double)(last->end - first->end) * 1000 / (double)(last->at - first->at);
	out->out = (double)(last->read - first->read) * 1000 / (double)(last->at - first->at);
	out->slow = falls_behind(samples, n, out->in);
}

/* ---- in words ---- */

/* Behind, and no batch for long, as of the look: a trigger that waits, or a query that ended. Its checkpoint does not tell
 * which. Since when; 0: it does not rest. */
static int64_t rests_since(const struct stream_view *v)
{
	struct value begun = snapshot_get(v->snapshot, "in_flight_at"), made = snapshot_get(v->snapshot, "batch_at");
	int64_t seen = begun.type == VALUE_INT ? begun.u.i : made.type == VALUE_INT ? made.u.i : 0;

	return v->lag.lag.type == VALUE_INT && v->lag.lag.u.i > 0 && seen > 0 && v->snapshot->wall - seen > REST_MS ? seen : 0;
}

const char *lake_stream_state(const struct stream_view *v)
{
	bool failed = v->snapshot && v->snapshot->err.code != ERR_NONE;

	if (v->lag.n_reset && !failed)
		return stream_state_word(STREAM_RESET);
	if (failed || !v->snapshot || v->lag.lag.type == VALUE_UNKNOWN)
		return stream_state_word(STREAM_UNKNOWN);
	if (v->lag.n_lost)
		return stream_state_word(STREAM_LOST);
	return rests_since(v) ? "rests" : v->pace.slow ? "slow" : "ok";
}

const char *lake_stream_note(const struct stream_view *v, char out[VALUE_TEXT_SIZE])
{
	char number[VALUE_TEXT_SIZE], span[CLOCK_TEXT];
	int64_t since;

	if (!v->snapshot)
		return "its checkpoint was not read yet";
	if (v->snapshot->err.code != ERR_NONE)
		return v->snapshot->err.words;
	since = rests_since(v);
	if (v->lag.n_reset)
		return "committed beyond the end: the topic was made anew?";
	if (v->lag.n_lost)
		snprintf(out, VALUE_TEXT_SIZE, "%.24s records were deleted before it read them", value_show(number, value_int(v->lag.lost), UNIT_RECORDS));
	else if (since)
		snprintf(out, VALUE_TEXT_SIZE, "no batch for %s: its trigger waits, or it ended", clock_span(span, v->snapshot->wall - since));
	else if (v->pace.slow)
		snprintf(out, VALUE_TEXT_SIZE, "falls behind: its batches take less than comes in");
	else
		return v->lag.words ? v->lag.words : "";
	return out;
}
