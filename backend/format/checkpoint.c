// SPDX-License-Identifier: MIT
/*
 * See checkpoint.h. A file begins with a line of its version; what follows is a line of JSON, and for
 * offsets one line per source. The kind of a source is nowhere said: its offset's shape tells.
 */
#include "checkpoint.h"

#include <stdio.h>
#include <string.h>

#include "json.h"

enum { DIGITS_MAX = 18, OFFSETS_NEWEST = 2, COMMITS_NEWEST = 3, SOURCES_MAX = 1000 };

int64_t checkpoint_batch(struct text name)
{
	int64_t n;

	if (!name.len || name.len > DIGITS_MAX || (name.at[0] == '0' && name.len > 1))
		return -1;
	for (size_t i = 0; i < name.len; i++)
		if (name.at[i] < '0' || name.at[i] > '9')
			return -1;
	return text_i64(name, &n) ? n : -1;
}

/* Takes the line "v1". */
static bool take_version(struct text *rest, int newest, int *out, struct err *err)
{
	struct text line;
	int64_t n;

	if (!rest->len)
		return err_set(err, ERR_PARSE, "it is empty: its writer was killed");
	if (!text_line(rest, &line) || !text_skip(&line, "v") || !text_i64(line, &n) || n < 1)
		return err_set(err, ERR_PARSE, "it does not begin with a version");
	if (n > newest)
		return err_set(err, ERR_PARSE, "it is written in format v%lld, which is newer than the v%d known here", (long long)n, newest);
	*out = (int)n;
	return true;
}

/* A member in ms since 1970; 0 where it is none. */
static int64_t time_of(const struct json *object, const char *key)
{
	int64_t ms;

	return json_i64(json_get(object, key), &ms) && ms > 0 ? ms : 0;
}

bool checkpoint_offsets(struct text file, struct checkpoint_offsets *out, struct err *err)
{
	struct text line;
	struct json *said;

	*out = (struct checkpoint_offsets){.rest = file};
	if (!take_version(&out->rest, OFFSETS_NEWEST, &out->version, err))
		return false;
	if (!text_line(&out->rest, &line))
		return err_set(err, ERR_PARSE, "it breaks off after its version");
	if (!text_trim(line).len)
		return out->version == 1 || err_set(err, ERR_PARSE, "its second line is empty");
	said = json_parse(line, NULL);
	if (!json_is_object(said)) {
		json_free(said);
		return err_set(err, ERR_PARSE, "its second line is no JSON object");
	}
	out->at = time_of(said, "batchTimestampMs");
	out->watermark = time_of(said, "batchWatermarkMs");
	json_free(said);
	return true;
}

bool checkpoint_next(struct checkpoint_offsets *o, struct checkpoint_source *out, struct err *err)
{
	struct text line;

	if (!text_line(&o->rest, &line))
		return false;
	if (o->sources == SOURCES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d sources", SOURCES_MAX);
	snprintf(out->id, sizeof out->id, "%u", o->sources);
	if (o->version == 2) {
		if (!memchr(line.at, ':', line.len))
			return err_set(err, ERR_PARSE, "source %u has no id", o->sources);
		text_clean(out->id, sizeof out->id, text_until(line, ':'));
		line = text_after(line, ':');
	}
	o->sources++;
	out->offset = text_trim(line);
	out->kind = checkpoint_kind(out->offset);
	return true;
}

bool checkpoint_commit(struct text file, int64_t *watermark, struct err *err)
{
	struct json *said;
	struct text line;
	int version;
	bool good;

	*watermark = 0;
	if (!take_version(&file, COMMITS_NEWEST, &version, err))
		return false;
	if (!text_line(&file, &line))
		return err_set(err, ERR_PARSE, "it breaks off after its version");
	said = json_parse(line, NULL);
	good = json_is_object(said) || err_set(err, ERR_PARSE, "its second line is no JSON object");
	if (good)
		*watermark = time_of(said, "nextBatchWatermarkMs");
	json_free(said);
	return good;
}

bool checkpoint_id(struct text file, char out[64], struct err *err)
{
	struct json *said = json_parse(file, NULL);
	const char *id = json_string(json_get(said, "id"));
	bool good = (id && id[0]) || err_set(err, ERR_PARSE, "it does not say the query's id");

	out[0] = '\0';
	if (good)
		text_clean(out, 64, text_of(id));
	json_free(said);
	return good;
}

bool checkpoint_start(struct text file, struct checkpoint_source *out, struct err *err)
{
	struct text line;
	int version;

	*out = (struct checkpoint_source){.kind = CHECKPOINT_NONE};
	/* Kafka's writer puts a zero byte before it, for Spark 2.1.0 */
	if (file.len && file.at[0] == '\0') {
		file.at++;
		file.len--;
	}
	if (!take_version(&file, 1, &version, err))
		return false;
	if (!text_line(&file, &line))
		return err_set(err, ERR_PARSE, "it breaks off after its version");
	out->offset = text_trim(line);
	out->kind = checkpoint_kind(out->offset);
	return true;
}

/* ---- offsets ---- */

const char *checkpoint_kind_word(enum checkpoint_kind kind)
{
	switch (kind) {
	case CHECKPOINT_NONE: return "nothing yet";
	case CHECKPOINT_KAFKA: return "kafka";
	case CHECKPOINT_FILES: return "files";
	case CHECKPOINT_DELTA: return "delta";
	case CHECKPOINT_ICEBERG: return "iceberg";
	case CHECKPOINT_NUMBER: return "number";
	case CHECKPOINT_OTHER: break;
	}
	return "other";
}

static bool partition_of(const char *key, int32_t *out)
{
	int64_t n = checkpoint_batch(text_of(key)); /* digits alone, as there */

	*out = n <= INT32_MAX ? (int32_t)n : -1;
	return n >= 0 && n <= INT32_MAX;
}

/* An object of objects whose keys are partitions and whose values are offsets. A topic may have none. */
static bool is_kafka(const struct json *offset)
{
	size_t partitions = 0;

	for (const struct json *topic = json_first(offset); topic; topic = json_next(topic)) {
		if (!json_is_object(topic))
			return false;
		for (const struct json *p = json_first(topic); p; p = json_next(p)) {
			int32_t partition;
			int64_t next;

			if (!partition_of(json_key(p), &partition) || !json_i64(p, &next))
				return false;
			partitions++;
		}
	}
	return partitions > 0;
}

static enum checkpoint_kind kind_of(const struct json *offset)
{
	int64_t n;

	if (json_i64(offset, &n))
		return CHECKPOINT_NUMBER;
	if (!json_is_object(offset))
		return CHECKPOINT_OTHER;
	if (json_get(offset, "reservoirVersion") && json_get(offset, "reservoirId"))
		return CHECKPOINT_DELTA;
	if (json_get(offset, "snapshot_id") && json_get(offset, "position"))
		return CHECKPOINT_ICEBERG;
	if (json_get(offset, "logOffset"))
		return CHECKPOINT_FILES;
	return is_kafka(offset) ? CHECKPOINT_KAFKA : CHECKPOINT_OTHER;
}

enum checkpoint_kind checkpoint_kind(struct text offset)
{
	struct json *json;
	enum checkpoint_kind kind;

	if (text_is(offset, "-"))
		return CHECKPOINT_NONE;
	json = json_parse(offset, NULL);
	kind = kind_of(json);
	json_free(json);
	return kind;
}

bool checkpoint_kafka(struct text offset, void (*each)(void *ctx, struct text topic, int32_t partition, int64_t next), void *ctx)
{
	struct json *json = json_parse(offset, NULL);
	bool good = json_is_object(json) && is_kafka(json);

	for (const struct json *topic = good ? json_first(json) : NULL; topic; topic = json_next(topic))
		for (const struct json *p = json_first(topic); p; p = json_next(p)) {
			int32_t partition;
			int64_t next;

			if (partition_of(json_key(p), &partition) && json_i64(p, &next))
				each(ctx, text_of(json_key(topic)), partition, next);
		}
	json_free(json);
	return good;
}
