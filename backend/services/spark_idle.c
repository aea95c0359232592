// SPDX-License-Identifier: MIT
/*
 * Why an application that a master lists gets nothing done. It waits: no worker has what one executor
 * takes, now or ever. It runs, and its executors die as they come, or are all gone. Pure.
 *
 * A worker takes an executor only where cores and memory for one are free together. The master tells the
 * memory; how many cores, only the application's own settings do. See Spark's Master.scala,
 * scheduleExecutorsOnWorkers; checked on 4.1.4.
 */
#include <stdio.h>
#include <string.h>

#include "spark.h"
#include "spark_page.h"

struct room { /* of all workers that are alive */
	int64_t memory, cores;           /* the most that one has */
	int64_t memory_free, cores_free; /* the most that one has left; the memory of those with cores enough */
	bool fits, ever;                 /* one executor does: now, on an empty worker */
};

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void find_room(const struct json *master, int64_t memory, int64_t cores, struct room *room)
{
	*room = (struct room){0};
	for (const struct json *w = json_first(json_get(master, "workers")); w; w = json_next(w)) {
		int64_t cores_free = spark_number(w, "coresfree"), memory_free = spark_number(w, "memoryfree");

		if (!spark_state_is(w, "state", "ALIVE"))
			continue;
		room->memory = larger(room->memory, spark_number(w, "memory"));
		room->cores = larger(room->cores, spark_number(w, "cores"));
		room->ever |= spark_number(w, "memory") >= memory && spark_number(w, "cores") >= cores;
		room->cores_free = larger(room->cores_free, cores_free);
		room->memory_free = larger(room->memory_free, cores_free >= cores ? memory_free : 0);
		room->fits |= cores_free >= cores && memory_free >= memory;
	}
}

/* It never starts, as the workers are. NULL: it may. */
static const char *never(const struct room *room, int64_t memory, int64_t cores, int64_t most, char *out, size_t size)
{
	if (memory > room->memory) {
		snprintf(out, size, "it can never start: it asks for %lld MiB an executor, the largest worker has %lld MiB", (long long)memory,
			(long long)room->memory);
		return "lower spark.executor.memory, or give a worker more memory";
	}
	if (cores > room->cores) {
		snprintf(out, size, "it can never start: it asks for %lld cores an executor, the largest worker has %lld", (long long)cores,
			(long long)room->cores);
		return "lower spark.executor.cores, or give a worker more cores";
	}
	if (!room->ever) {
		snprintf(out, size, "it can never start: no worker has both %lld cores and %lld MiB, which an executor asks for", (long long)cores,
			(long long)memory);
		return "lower spark.executor.cores or spark.executor.memory";
	}
	if (most && cores > most) {
		snprintf(out, size, "it can never start: it asks for %lld cores an executor, and for %lld in all", (long long)cores, (long long)most);
		return "raise spark.cores.max, or lower spark.executor.cores";
	}
	return NULL;
}

static void why_waiting(const struct json *master, const struct json *app, const struct spark_seen_app *known, struct spark_idle *out)
{
	int64_t memory = spark_number(app, "memoryperexecutor"), cores = known && known->executor_cores ? known->executor_cores : 1;
	struct room room;

	find_room(master, memory, cores, &room);
	if (spark_number(master, "aliveworkers") == 0) {
		snprintf(out->why, sizeof out->why, "no worker is alive");
		out->remedy = "start a worker";
		return;
	}
	out->remedy = never(&room, memory, cores, known ? known->cores_max : 0, out->why, sizeof out->why);
	if (out->remedy)
		return;
	if (room.cores_free == 0) {
		snprintf(out->why, sizeof out->why, "all %lld cores are taken", (long long)spark_number(master, "cores"));
		out->remedy = "stop another application, or limit it by spark.cores.max";
	} else if (room.cores_free < cores) {
		snprintf(out->why, sizeof out->why, "it asks for %lld cores an executor, no worker has more than %lld free", (long long)cores,
			(long long)room.cores_free);
		out->remedy = "stop another application, or lower spark.executor.cores";
	} else if (!room.fits) {
		snprintf(out->why, sizeof out->why, "it asks for %lld MiB an executor, no worker with %s has more than %lld MiB left", (long long)memory,
			cores > 1 ? "cores enough" : "a free core", (long long)room.memory_free);
		out->remedy = "stop another application, or lower spark.executor.memory";
	} else if (known && known->executor_cores) {
		snprintf(out->why, sizeof out->why, "its executors are not there yet");
	} else {
		snprintf(out->why, sizeof out->why, "its executors are not there yet; how many cores one asks for is not known");
	}
}

void spark_why_idle(const struct json *master, const struct json *app, const struct spark_seen_app *known, struct spark_idle *out)
{
	int64_t cores = spark_number(app, "cores"), lost = known ? known->page.lost : 0;
	char span[CLOCK_TEXT];

	*out = (struct spark_idle){.waits = spark_state_is(app, "state", "WAITING") && cores == 0};
	if (known && known->dying)
		snprintf(out->why, sizeof out->why, "its executors die at start: %s%lld died in %s", known->page.cut ? "at least " : "",
			(long long)known->dying, clock_span(span, known->span));
	else if (out->waits)
		why_waiting(master, app, known, out);
	else if (cores == 0 && spark_number(master, "aliveworkers") == 0)
		snprintf(out->why, sizeof out->why, "it has no executor: no worker is alive");
	else if (lost && known->page.alive == 0)
		snprintf(out->why, sizeof out->why, "it has no executor: it lost %s%lld", known->page.cut ? "at least " : "", (long long)lost);
}

static int64_t setting(const struct json *environment, const char *key)
{
	int64_t n;

	for (const struct json *pair = json_first(json_get(environment, "sparkProperties")); pair; pair = json_next(pair)) {
		const struct json *name = json_first(pair);
		const char *said = json_string(name), *value = json_string(json_next(name));

		if (said && value && !strcmp(said, key) && text_i64(text_of(value), &n) && n > 0)
			return n;
	}
	return 0;
}

void spark_read_cores(const struct json *environment, struct spark_seen_app *known)
{
	if (!json_is_array(json_get(environment, "sparkProperties")))
		return;
	known->executor_cores = larger(1, setting(environment, "spark.executor.cores"));
	known->cores_max = setting(environment, "spark.cores.max");
}
