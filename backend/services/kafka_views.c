// SPDX-License-Identifier: MIT
/*
 * What is asked of a Kafka cluster and too much to be told with every look: the partitions of a group,
 * of all groups, of a topic, and the newest records of a topic.
 *
 * Each is read anew, but for the partitions of all groups where a look at all of them just ended.
 * Threads: the actor's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "kafka_look.h"
#include "kinds.h"

enum {
	PARTITION_ROWS = 20000, TOPIC_ROWS = 10000, FRESH_MS = 1500,
	PEEK_USUAL = 20, PEEK_MOST = 200, PEEK_PARTITIONS = 64, VALUE_MOST = 8192, KEY_MOST = 256, HEX_MOST = 256, JSON_MOST = 1 << 20,
};

const char *const kafka_view_names[] = {"group", "partitions", "topic", "peek", NULL};

static const struct column_spec partition_columns[] = {
	{"group", VALUE_TEXT, UNIT_NONE, 1, "name"},
	{"topic", VALUE_TEXT, UNIT_NONE, 0, "name"},
	{"partition", VALUE_INT, UNIT_NONE, 0, "number"},
	{"lag_state", VALUE_TEXT, UNIT_NONE, 1, "ok, slow, stalled, stopped, rewound, unknown"},
	{"committed", VALUE_INT, UNIT_NONE, 2, "offset that is read next; unknown: no commit"},
	{"end", VALUE_INT, UNIT_NONE, 2, "offset of the next record"},
	{"lag", VALUE_INT, UNIT_RECORDS, 0, "end less committed; 0 where that is beyond the end"},
	{"member", VALUE_TEXT, UNIT_NONE, 3, "that it is assigned to"},
	{"note", VALUE_TEXT, UNIT_NONE, 2, "no commit, reset?, data lost, topic made anew"},
	{0}};

static const struct table_spec answers[] = {
	{"group", "partitions of a group", partition_columns},
	{"partitions", "partitions of all groups", partition_columns},
	{"topic", "partitions of a topic", (const struct column_spec[]){
		{"partition", VALUE_INT, UNIT_NONE, 0, "number"},
		{"leader", VALUE_INT, UNIT_NONE, 0, "broker; -1: none"},
		{"replicas", VALUE_TEXT, UNIT_NONE, 2, "brokers"},
		{"isr", VALUE_TEXT, UNIT_NONE, 1, "brokers that are in sync"},
		{"beginning", VALUE_INT, UNIT_NONE, 2, "offset of the oldest record"},
		{"end", VALUE_INT, UNIT_NONE, 0, "offset of the next record"},
		{"records", VALUE_INT, UNIT_RECORDS, 1, "between both; gaps count too"},
		{"size", VALUE_INT, UNIT_BYTES, 2, "on its leader"},
		{"note", VALUE_TEXT, UNIT_NONE, 3, "no leader, under-replicated"},
		{0}}},
	{"peek", "newest records", (const struct column_spec[]){
		{"partition", VALUE_INT, UNIT_NONE, 1, "number"},
		{"offset", VALUE_INT, UNIT_NONE, 0, "in the partition"},
		{"timestamp", VALUE_INT, UNIT_TIME, 1, "of the record"},
		{"key", VALUE_TEXT, UNIT_NONE, 2, "as text, or in hex"},
		{"value", VALUE_TEXT, UNIT_NONE, 0, "as text, or in hex"},
		{"headers", VALUE_TEXT, UNIT_NONE, 3, "name=value"},
		{"format", VALUE_TEXT, UNIT_NONE, 2, "JSON, text, hex, null; malformed JSON; cut: longer than is shown"},
		{"size", VALUE_INT, UNIT_BYTES, 3, "of the value"},
		{0}}},
	{0}};

/* ---- partitions of groups ---- */

static void tell_commits(struct snapshot *s, struct table *t, const struct kafka_lag *lag, const struct kafka_group *g)
{
	struct value group = value_text(arena_clean(s->arena, text_of(g->name))), topic = value_unknown();
	uint32_t last = UINT32_MAX;

	for (size_t i = 0; i < g->partitions; i++) {
		const struct kafka_commit *c = &lag->commits[g->first + i];
		const struct kafka_place *place = &lag->places[c->place];
		struct value *row = t->n_rows < PARTITION_ROWS ? table_row(s, t) : NULL;
		int64_t behind = kafka_commit_lag(c);
		char note[64];

		if (!row) {
			t->left_off += t->n_rows >= PARTITION_ROWS;
			continue;
		}
		if (place->topic != last)
			topic = value_text(arena_clean(s->arena, text_of(lag->topics[place->topic].name)));
		last = place->topic;
		row[0] = group; /* one copy for all of its rows */
		row[1] = topic;
		table_set(s, t, row, "partition", value_int(c->place - (int64_t)lag->topics[place->topic].first));
		table_set(s, t, row, "lag_state", value_text(kafka_lag_word(kafka_commit_state(c, kafka_group_has_members(g), g->asked_at))));
		table_set(s, t, row, "committed", c->offset >= 0 ? value_int(c->offset) : value_unknown());
		table_set(s, t, row, "end", c->end >= 0 ? value_int(c->end) : value_unknown());
		table_set(s, t, row, "lag", behind >= 0 ? value_int(behind) : value_unknown());
		table_set(s, t, row, "member", value_text(c->member && c->member[0] ? c->member : NULL));
		kafka_commit_note(lag, c, note);
		table_set(s, t, row, "note", value_text(note[0] ? note : NULL));
	}
}

static void tell_all(struct snapshot *s, const char *view, const struct kafka_lag *lag)
{
	struct table *t = snapshot_table(s, answers, view);

	for (size_t i = 0; i < lag->n_groups; i++)
		tell_commits(s, t, lag, &lag->groups[i]);
}

static bool answer_groups(struct probe *p, struct kafka_line *l, const char *view, const char *group, struct snapshot *s)
{
	struct kafka_look *k = kafka_look_new(p, s, KAFKA_LOOK_GROUPS, group);
	bool good = kafka_look_at(k, l);

	if (good && group && !k->lag.n_groups)
		good = err_set(&s->err, ERR_USAGE, k->groups_whole ? "there is no group %s" : "no broker that answers knows a group %s", group);
	else if (good)
		tell_all(s, view, &k->lag);
	if (good && !k->groups_whole)
		err_set(&s->err, ERR_PROTOCOL, "groups are not all known: %s", k->groups_words[0] ? k->groups_words : "a broker does not answer");
	kafka_look_end(k);
	return good;
}

/* ---- partitions of a topic ---- */

static bool answer_topic(struct probe *p, struct kafka_line *l, const char *topic, struct snapshot *s)
{
	struct kafka_look *k = kafka_look_new(p, s, KAFKA_LOOK_TOPIC, topic);
	struct kafka_topic *found = kafka_look_at(k, l) ? kafka_lag_topic_named(&k->lag, text_of(topic)) : NULL;
	struct table *t = found ? snapshot_table(s, answers, "topic") : NULL;

	if (!found && s->err.code == ERR_NONE)
		err_set(&s->err, ERR_USAGE, "there is no topic %s", topic);
	for (size_t i = 0; found && i < found->n_partitions && i < k->n_lists; i++) {
		const struct kafka_place *place = &k->lag.places[found->first + i];
		const struct kafka_lists *lists = &k->lists[i];
		struct value *row = t->n_rows < TOPIC_ROWS ? table_row(s, t) : NULL;
		bool known = place->end_at >= k->lag.at && place->beginning_at >= k->lag.at;

		t->left_off += !row && t->n_rows >= TOPIC_ROWS;
		table_set(s, t, row, "partition", value_int((int64_t)i));
		table_set(s, t, row, "leader", value_int(place->leader));
		table_set(s, t, row, "replicas", value_text(lists->replicas));
		table_set(s, t, row, "isr", value_text(lists->in_sync));
		table_set(s, t, row, "beginning", place->beginning_at >= k->lag.at ? value_int(place->beginning) : value_unknown());
		table_set(s, t, row, "end", place->end_at >= k->lag.at ? value_int(place->end) : value_unknown());
		table_set(s, t, row, "records", known ? value_int(place->end > place->beginning ? place->end - place->beginning : 0) :
			value_unknown());
		table_set(s, t, row, "size", place->size >= 0 ? value_int(place->size) : value_unknown());
		table_set(s, t, row, "note", value_text(place->leader < 0 ? "no leader" :
			lists->replicas && lists->in_sync && strlen(lists->in_sync) < strlen(lists->replicas) ? "under-replicated" : NULL));
	}
	kafka_look_end(k);
	return found != NULL;
}

/* ---- records ---- */

struct peeked {
	int64_t timestamp, offset, size;
	int32_t partition;
	const char *key, *value, *headers, *format;
};
struct peek {
	struct snapshot *s;
	struct peeked *records;
	size_t n, room;
	bool internal; /* Kafka's own topic: no serialiser of a schema registry wrote there */
};

static bool is_printable(struct text t)
{
	struct text rest = t;
	uint32_t code;
	int columns;

	for (size_t i = 0; i < t.len; i++)
		if (((unsigned char)t.at[i] < 0x20 && t.at[i] != '\n' && t.at[i] != '\r' && t.at[i] != '\t') || t.at[i] == 0x7f)
			return false;
	/* an invalid byte is decoded as U+FFFD, one at a time */
	while (rest.len && text_char(&rest, &code, &columns))
		if (code == 0xfffd)
			return false;
	return true;
}

static const char *in_hex(struct arena *arena, struct text t)
{
	static const char digits[] = "0123456789abcdef";
	char out[HEX_MOST * 3 + 4];
	size_t n = t.len < HEX_MOST ? t.len : HEX_MOST, used = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char byte = (unsigned char)t.at[i];

		if (i)
			out[used++] = ' ';
		out[used++] = digits[byte >> 4];
		out[used++] = digits[byte & 15];
	}
	out[used] = '\0';
	return arena_copy(arena, text_of(out));
}

static bool begins_json(struct text t)
{
	struct text trimmed = text_trim(t);

	return trimmed.len && (trimmed.at[0] == '{' || trimmed.at[0] == '[');
}

static const char *format_of(struct arena *arena, const struct net_record *r, bool internal)
{
	struct err err = {0};
	struct json *json;

	if (!r->has_value)
		return "null";
	if (!is_printable(r->value)) {
		const unsigned char *at = (const unsigned char *)r->value.at;

		if (!internal && r->value.len > 5 && at[0] == 0) /* what schema registries' serialisers write first */
			return arena_printf(arena, "hex; schema id %u?",
				(unsigned)at[1] << 24 | (unsigned)at[2] << 16 | (unsigned)at[3] << 8 | at[4]);
		return r->value.len > HEX_MOST ? "hex, cut" : "hex";
	}
	if (!begins_json(r->value) || r->value.len > JSON_MOST)
		return r->value.len > VALUE_MOST ? "text, cut" : "text";
	json = json_parse(r->value, &err);
	json_free(json);
	if (!json)
		return "malformed JSON";
	return r->value.len > VALUE_MOST ? "JSON, cut" : "JSON";
}

static const char *in_words(struct arena *arena, struct text t, size_t most)
{
	if (!is_printable(t))
		return in_hex(arena, t);
	return arena_clean(arena, (struct text){t.at, t.len < most ? t.len : most});
}

static const char *headers_of(struct arena *arena, const struct net_record *r)
{
	struct buf out;
	const char *words;

	buf_init(&out, VALUE_MOST / 4);
	for (size_t i = 0; i < r->n_headers && i < NET_HEADERS_MAX; i++)
		buf_printf(&out, "%s%s=%s", i ? ", " : "", arena_clean(arena, text_of(r->headers[i].name)),
			in_words(arena, r->headers[i].value, KEY_MOST));
	if (r->n_headers > NET_HEADERS_MAX)
		buf_printf(&out, " and %zu more", r->n_headers - NET_HEADERS_MAX);
	words = out.len ? arena_clean(arena, buf_text(&out)) : NULL;
	buf_free(&out);
	return words;
}

static void on_record(void *ctx, const struct net_record *r)
{
	struct peek *peek = ctx;
	struct arena *arena = peek->s->arena;

	if (peek->n == peek->room)
		return;
	peek->records[peek->n++] = (struct peeked){
		.timestamp = r->timestamp, .offset = r->offset, .partition = r->partition, .size = (int64_t)r->value.len,
		.key = r->has_key ? in_words(arena, r->key, KEY_MOST) : NULL,
		.value = r->has_value ? in_words(arena, r->value, VALUE_MOST) : NULL,
		.headers = headers_of(arena, r), .format = format_of(arena, r, peek->internal),
	};
}

static int newest_first(const void *a, const void *b)
{
	const struct peeked *x = a, *y = b;

	if (x->timestamp != y->timestamp)
		return x->timestamp > y->timestamp ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset > y->offset ? -1 : 1;
	return (x->partition > y->partition) - (x->partition < y->partition);
}

static void tell_records(struct snapshot *s, struct peek *peek, size_t most)
{
	struct table *t = snapshot_table(s, answers, "peek");

	qsort(peek->records, peek->n, sizeof *peek->records, newest_first);
	for (size_t i = 0; i < peek->n && i < most; i++) {
		const struct peeked *r = &peek->records[i];
		struct value *row = table_row(s, t);

		if (!row)
			break;
		table_set(s, t, row, "partition", value_int(r->partition));
		table_set(s, t, row, "offset", value_int(r->offset));
		table_set(s, t, row, "timestamp", r->timestamp > 0 ? value_int(r->timestamp) : value_unknown());
		table_set(s, t, row, "size", value_int(r->size));
		table_set(s, t, row, "format", value_text(r->format));
		for (size_t c = 0; c < t->n_columns; c++) { /* clean, and in the arena already */
			const char *name = t->spec->columns[c].name;
			const char *words = !strcmp(name, "key") ? r->key : !strcmp(name, "value") ? r->value :
				!strcmp(name, "headers") ? r->headers : NULL;

			if (words)
				row[c] = value_text(words);
		}
	}
}

/* "TOPIC" or "TOPIC N": names of topics have no blanks. */
static void read_subject(const char *subject, char topic[256], size_t *most)
{
	struct text rest = text_of(subject), word;
	int64_t n;

	topic[0] = '\0';
	*most = PEEK_USUAL;
	if (text_word(&rest, &word))
		text_copy(topic, 256, word);
	if (text_i64(text_trim(rest), &n) && n > 0)
		*most = n < PEEK_MOST ? (size_t)n : PEEK_MOST;
}

/* The last records of each partition: any of them may have the newest ones. */
static size_t spans_of(const struct kafka_look *k, const struct kafka_topic *t, size_t most, struct net_span spans[PEEK_PARTITIONS])
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_partitions && n < PEEK_PARTITIONS; i++) {
		const struct kafka_place *p = &k->lag.places[t->first + i];
		int64_t from = p->end - (int64_t)most;

		if (p->end_at < k->lag.at || p->beginning_at < k->lag.at || p->end <= p->beginning)
			continue;
		spans[n++] = (struct net_span){(int32_t)i, from > p->beginning ? from : p->beginning, p->end};
	}
	return n;
}

static bool lone_place(const struct probe *p, const char *host, int32_t port, struct endpoint *out)
{
	(void)host; /* a lone broker is reached where it was asked, whatever it advertises */
	(void)port;
	*out = p->at;
	return true;
}

static bool answer_peek(struct probe *p, struct kafka_line *l, const char *subject, struct snapshot *s)
{
	char topic[256];
	size_t most, n = 0;
	struct net_span spans[PEEK_PARTITIONS];
	struct kafka_look *k;
	struct kafka_topic *found;
	struct peek peek = {.s = s};
	bool lone;

	read_subject(subject, topic, &most);
	k = kafka_look_new(p, s, KAFKA_LOOK_TOPIC, topic);
	found = kafka_look_at(k, l) ? kafka_lag_topic_named(&k->lag, text_of(topic)) : NULL;
	lone = k->n_brokers == 1 && !k->brokers_left_off;
	if (found)
		n = spans_of(k, found, most, spans);
	else if (s->err.code == ERR_NONE)
		err_set(&s->err, ERR_USAGE, "there is no topic %s", topic);
	if (found && found->n_partitions > PEEK_PARTITIONS)
		err_set(&s->err, ERR_LIMIT, "records of %zu of its %zu partitions", n, found->n_partitions);
	peek.internal = found && found->internal;
	kafka_look_end(k);
	if (!found)
		return false;
	peek.room = n * most;
	peek.records = mem_new(peek.room + 1, sizeof *peek.records);
	if (n)
		net_records(p, topic, spans, n, lone ? lone_place : kafka_address, on_record, &peek, &s->err);
	tell_records(s, &peek, most);
	free(peek.records);
	return s->err.code == ERR_NONE;
}

/* ---- all of them ---- */

bool kafka_answer(struct probe *p, const char *view, const char *subject, struct snapshot *s)
{
	const struct kafka_memory *memory = p->state;
	bool all = !strcmp(view, "partitions") || !strcmp(subject, "");
	struct kafka_line l;
	bool good = false;

	if (!strcmp(view, "partitions") && memory && memory->begun && memory->whole && clock_ms() - memory->lag.at < FRESH_MS) {
		tell_all(s, view, &memory->lag);
		return true;
	}
	kafka_line_begin(&l, p);
	if (!kafka_line_open(&l, &p->at, &s->err))
		good = false;
	else if (kafka_part(&l.versions) == KAFKA_CONTROLLER)
		err_set(&s->err, ERR_USAGE, "a controller has no topics: ask a broker");
	else if (!strcmp(view, "group") || !strcmp(view, "partitions"))
		good = answer_groups(p, &l, view, all ? NULL : subject, s);
	else
		good = !strcmp(view, "topic") ? answer_topic(p, &l, subject, s) : answer_peek(p, &l, subject, s);
	kafka_line_end(&l);
	return good;
}
