// SPDX-License-Identifier: MIT
/* See delta_log.h. */
#include "delta_log.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION_DIGITS = 20, PART_DIGITS = 10, PATH_MOST = 4096, PARTITION_MOST = 8192, UUID_CHARS = 20, TYPE_DEPTH = 12, TYPE_MOST = 1000 };

/* ---- names ---- */

static bool take_digits(struct text *t, size_t digits, int64_t *out)
{
	if (t->len < digits)
		return false;
	for (size_t i = 0; i < digits; i++)
		if (t->at[i] < '0' || t->at[i] > '9')
			return false;
	if (!text_i64((struct text){t->at, digits}, out))
		return false;
	*t = (struct text){t->at + digits, t->len - digits};
	return true;
}

/* What stands behind "N.checkpoint.". */
static bool checkpoint_name(struct text t, struct delta_name *n)
{
	struct text parts = t;

	n->part = n->parts = 1;
	if (text_is(t, "parquet"))
		return true;
	if (take_digits(&parts, PART_DIGITS, &n->part) && text_skip(&parts, ".") && take_digits(&parts, PART_DIGITS, &n->parts))
		return text_is(parts, ".parquet") && n->part >= 1 && n->part <= n->parts;
	n->part = n->parts = 1;
	t = text_after(t, '.');
	n->json = text_is(t, "json");
	return n->json || text_is(t, "parquet");
}

struct delta_name delta_name(struct text name)
{
	struct delta_name n = {.kind = DELTA_NAME_OTHER, .version = -1, .to = -1}, other = n;

	if (!take_digits(&name, VERSION_DIGITS, &n.version) || !text_skip(&name, "."))
		return other;
	if (text_is(name, "json"))
		n.kind = DELTA_NAME_COMMIT;
	else if (text_is(name, "crc"))
		n.kind = DELTA_NAME_CHECKSUM;
	else if (text_skip(&name, "checkpoint."))
		n.kind = checkpoint_name(name, &n) ? DELTA_NAME_CHECKPOINT : DELTA_NAME_OTHER;
	else if (take_digits(&name, VERSION_DIGITS, &n.to) && text_is(name, ".compacted.json") && n.to >= n.version)
		n.kind = DELTA_NAME_COMPACTED;
	return n.kind == DELTA_NAME_OTHER ? other : n;
}

/* ---- lines ---- */

void delta_lines_begin(struct delta_lines *l, bool (*each)(void *ctx, const struct delta_action *action), void *ctx)
{
	*l = (struct delta_lines){.each = each, .ctx = ctx};
	buf_init(&l->line, DELTA_LINE_MOST);
}

static enum delta_action_kind kind_of(const char *key)
{
	static const struct {
		const char *key;
		enum delta_action_kind kind;
	} known[] = {
		{"add", DELTA_ADD}, {"remove", DELTA_REMOVE}, {"metaData", DELTA_METADATA}, {"protocol", DELTA_PROTOCOL},
		{"commitInfo", DELTA_COMMIT_INFO}, {"domainMetadata", DELTA_DOMAIN}, {"sidecar", DELTA_SIDECAR},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(key, known[i].key))
			return known[i].kind;
	return DELTA_OTHER_ACTION;
}

/* One line holds one action. A checkpoint's writer may name others as null. */
static bool take_line(struct delta_lines *l, struct text line, struct err *err)
{
	struct err why = {0};
	struct json *json;

	l->number++;
	line = text_trim(line);
	if (!line.len || l->ended)
		return true;
	json = json_parse(line, &why);
	if (!json_is_object(json)) {
		json_free(json);
		return err_set(err, ERR_PARSE, "line %lld: %s", (long long)l->number, why.words[0] ? why.words : "no action");
	}
	for (const struct json *item = json_first(json); item && !l->ended; item = json_next(item)) {
		struct delta_action action = {kind_of(json_key(item)), item};

		if (json_is_object(item))
			l->ended = !l->each(l->ctx, &action);
	}
	json_free(json);
	return true;
}

bool delta_lines_feed(struct delta_lines *l, const char *bytes, size_t len, struct err *err)
{
	while (len && !l->ended) {
		const char *end = memchr(bytes, '\n', len);
		size_t n = end ? (size_t)(end - bytes) : len;

		if (!end || l->line.len) {
			if (!buf_add(&l->line, bytes, n))
				return err_set(err, ERR_LIMIT, "line %lld is longer than %d bytes", (long long)l->number + 1, DELTA_LINE_MOST);
		}
		if (end) {
			bool good = take_line(l, l->line.len ? buf_text(&l->line) : (struct text){bytes, n}, err);

			buf_reset(&l->line);
			if (!good)
				return false;
			n++;
		}
		bytes += n;
		len -= n;
	}
	return !l->ended;
}

bool delta_lines_end(struct delta_lines *l, struct err *err)
{
	bool good = take_line(l, buf_text(&l->line), err);

	buf_free(&l->line);
	return good;
}

void delta_lines_free(struct delta_lines *l)
{
	buf_free(&l->line);
}

/* ---- adds and removes ---- */

void delta_scratch_begin(struct delta_scratch *s)
{
	buf_init(&s->path, PATH_MOST);
	buf_init(&s->partition, PARTITION_MOST);
	buf_init(&s->vector, PATH_MOST);
	buf_init(&s->vector_path, PATH_MOST);
}

void delta_scratch_free(struct delta_scratch *s)
{
	buf_free(&s->path);
	buf_free(&s->partition);
	buf_free(&s->vector);
	buf_free(&s->vector_path);
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool put_decoded(struct buf *out, struct text t)
{
	for (size_t i = 0; i < t.len; i++) {
		char c = t.at[i];

		if (c == '%' && i + 2 < t.len && hex(t.at[i + 1]) >= 0 && hex(t.at[i + 2]) >= 0) {
			c = (char)(hex(t.at[i + 1]) * 16 + hex(t.at[i + 2]));
			i += 2;
		}
		if (!buf_add(out, &c, 1))
			return false;
	}
	return true;
}

/* Z85: five characters are four bytes. */
static bool decode_uuid(struct text t, unsigned char out[16])
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

	for (size_t i = 0; i < 4; i++) {
		uint64_t word = 0;

		for (size_t k = 0; k < 5; k++) {
			const char *at = t.at[5 * i + k] ? strchr(digits, t.at[5 * i + k]) : NULL;

			if (!at)
				return false;
			word = word * 85 + (uint64_t)(at - digits);
		}
		if (word > UINT32_MAX)
			return false;
		for (size_t k = 0; k < 4; k++)
			out[4 * i + k] = (unsigned char)(word >> (24 - 8 * k));
	}
	return true;
}

/* "u" names a file by its UUID, behind a folder's random prefix; "p" by its path; "i" is the vector itself. */
static void put_vector_path(struct text type, struct text where, struct buf *out)
{
	unsigned char id[16];

	if (text_is(type, "p")) {
		put_decoded(out, where);
	} else if (text_is(type, "u") && where.len >= UUID_CHARS) {
		struct text uuid = {where.at + where.len - UUID_CHARS, UUID_CHARS};

		if (!decode_uuid(uuid, id))
			return;
		if (where.len > UUID_CHARS)
			buf_printf(out, "%.*s/", (int)(where.len - UUID_CHARS), where.at);
		buf_puts(out, "deletion_vector_");
		for (size_t i = 0; i < 16; i++)
			buf_printf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
		buf_puts(out, ".bin");
	}
}

static int64_t number(const struct json *object, const char *key, int64_t otherwise)
{
	int64_t n;

	return json_i64(json_get(object, key), &n) && n >= 0 ? n : otherwise;
}

static void take_vector(const struct json *vector, struct delta_scratch *s, struct delta_entry *out)
{
	struct text type = text_of(json_string(json_get(vector, "storageType"))), where = text_of(json_string(json_get(vector, "pathOrInlineDv")));
	int64_t offset;

	if (!json_is_object(vector))
		return;
	out->deleted = number(vector, "cardinality", 0);
	if (!buf_printf(&s->vector, "%.*s%.*s", (int)type.len, type.at ? type.at : "", (int)where.len, where.at ? where.at : ""))
		return;
	if (json_i64(json_get(vector, "offset"), &offset))
		buf_printf(&s->vector, "@%lld", (long long)offset);
	put_vector_path(type, where, &s->vector_path);
	out->vector = buf_text(&s->vector);
	out->vector_path = buf_text(&s->vector_path);
}

static void take_partition(const struct json *values, struct buf *out)
{
	for (const struct json *v = json_first(values); v; v = json_next(v)) {
		const char *value = json_string(v);

		buf_printf(out, "%s%s=%s", out->len ? ", " : "", json_key(v), value ? value : "null");
	}
}

/* stats is JSON in a string. */
static int64_t records_of(const struct json *stats)
{
	const char *words = json_string(stats);
	struct json *json = words ? json_parse(text_of(words), NULL) : NULL;
	int64_t n = number(json, "numRecords", -1);

	json_free(json);
	return n;
}

bool delta_entry(const struct json *body, bool add, struct delta_scratch *s, struct delta_entry *out)
{
	struct text path = text_of(json_string(json_get(body, "path")));

	*out = (struct delta_entry){.vector = TEXT(""), .vector_path = TEXT("")};
	buf_reset(&s->path);
	buf_reset(&s->partition);
	buf_reset(&s->vector);
	buf_reset(&s->vector_path);
	if (!path.len || !put_decoded(&s->path, path))
		return false;
	take_partition(json_get(body, "partitionValues"), &s->partition);
	take_vector(json_get(body, "deletionVector"), s, out);
	out->path = buf_text(&s->path);
	out->partition = buf_text(&s->partition);
	out->bytes = number(body, "size", -1);
	out->modified = number(body, add ? "modificationTime" : "deletionTimestamp", add ? -1 : 0);
	out->records = records_of(json_get(body, "stats"));
	out->cube = text_of(json_string(json_path(body, "tags.ZCUBE_ID")));
	out->provider = text_of(json_string(json_get(body, "clusteringProvider")));
	return !s->partition.full && !s->vector.full && !s->vector_path.full;
}

/* ---- words that stand in properties and schemas ---- */

static int64_t unit_ms(struct text unit)
{
	static const struct {
		const char *word;
		int64_t ms;
	} units[] = {{"week", 604800000}, {"day", 86400000}, {"hour", 3600000}, {"minute", 60000}, {"second", 1000}, {"millisecond", 1}};

	if (unit.len && unit.at[unit.len - 1] == 's')
		unit.len--;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (unit.len == strlen(units[i].word) && !strncasecmp(unit.at, units[i].word, unit.len))
			return units[i].ms;
	return 0;
}

bool delta_interval(struct text t, int64_t *ms)
{
	struct text word;
	int64_t sum = 0, n;
	bool any = false;

	if (!text_word(&t, &word))
		return false;
	if (word.len == 8 && !strncasecmp(word.at, "interval", 8) && !text_word(&t, &word))
		return false;
	do {
		struct text unit;

		if (!text_i64(word, &n) || n < 0 || n > 1000000 || !text_word(&t, &unit) || !unit_ms(unit))
			return false;
		sum += n * unit_ms(unit);
		any = true;
	} while (text_word(&t, &word));
	*ms = sum;
	return any;
}

bool delta_size(struct text t, int64_t *bytes)
{
	static const char units[] = "kmgtp";
	int shift = 0;
	const char *unit;

	t = text_trim(t);
	if (t.len > 1 && (t.at[t.len - 1] | 32) == 'b')
		t.len--;
	unit = t.len > 1 ? strchr(units, t.at[t.len - 1] | 32) : NULL;
	if (unit && *unit) {
		shift = 10 * (int)(unit - units + 1);
		t.len--;
	}
	if (!text_i64(text_trim(t), bytes) || *bytes < 0 || *bytes > INT64_MAX >> shift)
		return false;
	*bytes <<= shift;
	return true;
}

static void put_type(const struct json *type, int depth, struct buf *out)
{
	static const struct {
		const char *delta, *sql;
	} names[] = {{"long", "bigint"}, {"integer", "int"}, {"short", "smallint"}, {"byte", "tinyint"}};
	const char *word = json_string(type), *kind = json_string(json_get(type, "type"));

	if (depth == TYPE_DEPTH) {
		buf_puts(out, "...");
	} else if (word) {
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			if (!strcmp(word, names[i].delta))
				word = names[i].sql;
		buf_puts(out, word);
	} else if (kind && !strcmp(kind, "array")) {
		buf_puts(out, "array<");
		put_type(json_get(type, "elementType"), depth + 1, out);
		buf_puts(out, ">");
	} else if (kind && !strcmp(kind, "map")) {
		buf_puts(out, "map<");
		put_type(json_get(type, "keyType"), depth + 1, out);
		buf_puts(out, ",");
		put_type(json_get(type, "valueType"), depth + 1, out);
		buf_puts(out, ">");
	} else {
		buf_puts(out, kind ? kind : "?");
	}
}

void delta_type(const struct json *type, struct buf *out)
{
	put_type(type, 0, out);
}
