// SPDX-License-Identifier: MIT
/*
 * The profile's streams in the lake: the newest snapshot of each, joined with what the depth of its
 * Kafka says, whenever one of the two changes. UI thread; never waits.
 */
#include <stdlib.h>
#include <string.h>

#include "actor.h"

enum { LAG_MOST = 16 << 20 };

void streams_begin(struct engine *e)
{
	size_t n = e->profile->n_streams;

	e->lake.streams = mem_new(n + 1, sizeof *e->lake.streams);
	e->streams = mem_new(n + 1, sizeof *e->streams);
	for (size_t i = 0; i < n; i++) {
		const struct stream *stream = &e->profile->streams[i];

		if (e->options.only && (!stream->kafka || strcmp(e->options.only, stream->kafka) != 0))
			continue;
		e->lake.streams[e->lake.n_streams] = (struct stream_view){
			.stream = stream, .kafka = stream->kafka ? lake_service(&e->lake, stream->kafka) : NULL, .lag.words = "",
		};
		if (!e->options.replay)
			e->streams[e->lake.n_streams].actor = actor_start(e, JOB_STREAM, stream->name, NULL, NULL, NULL);
		e->lake.n_streams++;
	}
}

static void hold(struct stream_view *v, struct snapshot *s)
{
	snapshot_drop(v->snapshot);
	v->snapshot = s;
}

bool stream_take(struct engine *e, struct snapshot *s)
{
	for (size_t i = 0; i < e->lake.n_streams; i++)
		if (!strcmp(e->lake.streams[i].stream->name, s->source)) {
			hold(&e->lake.streams[i], s);
			e->streams[i].fresh = true;
			return true;
		}
	return false;
}

static void keep_pace(struct stream_view *v, struct stream_seat *seat, int64_t now)
{
	struct stream_sample sample;

	if (!lake_stream_sample(&v->lag, now, &sample)) {
		seat->n_samples = 0; /* what is not whole has no pace */
	} else if (!seat->n_samples || (v->snapshot->generation != seat->sampled && seat->kafka_generation != seat->sampled_kafka &&
		now - seat->samples[seat->n_samples - 1].at >= DEPTH_MS / 2)) {
		/* with one side as it was, the other would seem to run away */
		seat->sampled = v->snapshot->generation;
		seat->sampled_kafka = seat->kafka_generation;
		if (seat->n_samples == STREAM_SAMPLES) {
			memmove(seat->samples, seat->samples + 1, (STREAM_SAMPLES - 1) * sizeof *seat->samples);
			seat->n_samples--;
		}
		seat->samples[seat->n_samples++] = sample;
	}
	lake_stream_pace(seat->samples, seat->n_samples, &v->pace);
}

/* Its texts are copies: what it was made of may go. */
static void join(struct stream_view *v, struct stream_seat *seat, int64_t now)
{
	const struct snapshot *kafka = v->kafka ? v->kafka->depth : NULL;
	const struct table *offsets = snapshot_find_table(v->snapshot, "offsets");
	uint64_t generation = kafka ? kafka->generation : 0;

	if (!v->snapshot || (!seat->fresh && seat->kafka == kafka && seat->kafka_generation == generation))
		return;
	seat->fresh = false;
	seat->kafka = kafka;
	seat->kafka_generation = generation;
	arena_free(seat->arena);
	seat->arena = arena_new(LAG_MOST);
	lake_stream_lag(v->snapshot, kafka, seat->arena, &v->lag);
	keep_pace(v, seat, now);
	if (!v->kafka && v->snapshot->err.code == ERR_NONE && offsets && offsets->n_rows)
		v->lag.words = "the profile does not say which Kafka it reads (kafka = SERVICE)";
}

void streams_take(struct engine *e)
{
	for (size_t i = 0; i < e->lake.n_streams; i++) {
		struct stream_seat *seat = &e->streams[i];
		struct snapshot *s = NULL;

		if (seat->actor) {
			pthread_mutex_lock(&e->lock);
			s = seat->actor->news[NEWS_PULSE];
			seat->actor->news[NEWS_PULSE] = NULL;
			pthread_mutex_unlock(&e->lock);
		}
		if (s) {
			hold(&e->lake.streams[i], s);
			seat->fresh = true;
		}
		join(&e->lake.streams[i], seat, e->lake.now);
	}
}

void streams_free(struct engine *e)
{
	for (size_t i = 0; i < e->lake.n_streams; i++) {
		hold(&e->lake.streams[i], NULL);
		arena_free(e->streams[i].arena);
	}
	free(e->lake.streams);
	free(e->streams);
}
