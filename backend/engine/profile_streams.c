// SPDX-License-Identifier: MIT
/* [stream NAME] and [demo NAME] of a profile. */
#include <string.h>

#include "profile_reader.h"
#include "storage.h"

enum { DEMOS_MAX = 50, STREAMS_MAX = 50 };

struct demo_draft {
	struct demo demo;
	unsigned line;
};

struct stream_draft {
	struct stream stream;
	unsigned line, checkpoint_line, kafka_line, storage_line;
};

/* ---- demos ---- */

static const struct key demo_keys[] = {{"services", take_names, offsetof(struct demo, services), true}, {0}};

static bool begin_demo(struct reader *r, struct text name)
{
	struct demo_draft *d;

	for (size_t i = 0; i < r->n_demos; i++)
		if (text_is(name, r->demos[i].demo.name))
			return complain(r, "demo \"%s\" is there already, from line %u", r->demos[i].demo.name, r->demos[i].line);
	if (r->n_demos == DEMOS_MAX)
		return complain(r, "more than %d demos", DEMOS_MAX);
	if (!r->demos)
		r->demos = mem_new(DEMOS_MAX, sizeof *r->demos);
	d = &r->demos[r->n_demos++];
	*d = (struct demo_draft){.line = r->line, .demo = {.name = kept(r, name)}};
	r->target = &d->demo;
	return true;
}

const struct section section_demo = {"demo", demo_keys, begin_demo, NULL};

bool settle_demos(struct reader *r)
{
	struct profile *p = &r->out->profile;
	struct demo *demos = arena_alloc(p->arena, (r->n_demos + 1) * sizeof *demos);

	for (size_t i = 0; i < r->n_demos; i++) {
		if (!r->demos[i].demo.services)
			return complain_at(r, r->demos[i].line, "demo \"%s\" names no services", r->demos[i].demo.name);
		if (!check_names(r, r->demos[i].demo.services, r->demos[i].line, "demo with unknown service"))
			return false;
		if (demos)
			demos[i] = r->demos[i].demo;
	}
	p->demos = demos;
	p->n_demos = demos ? r->n_demos : 0;
	return demos || complain(r, "the profile is too large");
}

/* ---- streams ---- */

static bool take_checkpoint(struct reader *r, const struct key *key, struct text value)
{
	struct stream_draft *d = r->target;
	struct storage_url url;
	struct err why = {0};

	d->checkpoint_line = r->line;
	return take_path(r, key, value) && (storage_url(d->stream.checkpoint, &url, &why) || complain(r, "checkpoint: %s", why.words));
}

static bool take_stream_kafka(struct reader *r, const struct key *key, struct text value)
{
	((struct stream_draft *)r->target)->kafka_line = r->line;
	return take_text(r, key, value);
}

static bool take_storage(struct reader *r, const struct key *key, struct text value)
{
	((struct stream_draft *)r->target)->storage_line = r->line;
	return take_text(r, key, value);
}

static const struct key stream_keys[] = {
	{"checkpoint", take_checkpoint, offsetof(struct stream, checkpoint), false},
	{"kafka", take_stream_kafka, offsetof(struct stream, kafka), false},
	{"storage", take_storage, offsetof(struct stream, storage), false},
	{0},
};

static bool begin_stream(struct reader *r, struct text name)
{
	struct stream_draft *d;

	for (size_t i = 0; i < r->n_streams; i++)
		if (text_is(name, r->streams[i].stream.name))
			return complain(r, "stream \"%s\" is there already, from line %u", r->streams[i].stream.name, r->streams[i].line);
	if (r->n_streams == STREAMS_MAX)
		return complain(r, "more than %d streams", STREAMS_MAX);
	if (!r->streams)
		r->streams = mem_new(STREAMS_MAX, sizeof *r->streams);
	d = &r->streams[r->n_streams++];
	*d = (struct stream_draft){.line = r->line, .stream = {.name = kept(r, name)}};
	r->target = d;
	return true;
}

const struct section section_stream = {"stream", stream_keys, begin_stream, NULL};

static bool settle_stream(struct reader *r, const struct stream_draft *d)
{
	const struct stream *s = &d->stream;
	const struct expectation *e;

	if (!s->checkpoint)
		return complain_at(r, d->line, "stream \"%s\" has no checkpoint (checkpoint = file:/path or s3://bucket/key)", s->name);
	if (s->kafka) {
		e = named_service(r, s->kafka, d->kafka_line, "kafka = unknown service");
		if (!e)
			return false;
		if (!e->kind || strcmp(e->kind->name, "kafka") != 0)
			return complain_at(r, d->kafka_line, "kafka = \"%s\" is no Kafka: its kind is %s", s->kafka, e->kind ? e->kind->name : "other");
	}
	return settle_storage(r, "a checkpoint", s->checkpoint, d->checkpoint_line, s->storage, d->storage_line);
}

bool settle_streams(struct reader *r)
{
	struct profile *p = &r->out->profile;
	struct stream *streams = arena_alloc(p->arena, (r->n_streams + 1) * sizeof *streams);

	for (size_t i = 0; i < r->n_streams; i++) {
		if (!settle_stream(r, &r->streams[i]))
			return false;
		if (streams)
			streams[i] = r->streams[i].stream;
	}
	p->streams = streams;
	p->n_streams = streams ? r->n_streams : 0;
	return streams || complain(r, "the profile is too large");
}
