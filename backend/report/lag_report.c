// SPDX-License-Identifier: MIT
/*
 * laketop lag: consumer groups of every Kafka cluster, their partitions where they are wanted, and
 * Spark's streaming queries, which commit to no group. Groups are those of the depth; partitions are
 * asked for. Pure.
 */
#include <string.h>

#include "documents.h"
#include "report.h"
#include "service.h"
#include "shapes.h"

const char *const report_lag_kinds[] = {"kafka", NULL};

static bool is_broker(const struct service *s)
{
	return s->kind && !strcmp(s->kind->name, report_lag_kinds[0]) && snapshot_find_table(s->depth, "groups");
}

/* An id alone proves nothing: the official image has a default one. */
static bool is_same_cluster(const struct service *a, const struct service *b)
{
	struct value x = snapshot_get(a->depth, "cluster_id"), y = snapshot_get(b->depth, "cluster_id");
	const struct table *s = snapshot_find_table(a->depth, "brokers"), *t = snapshot_find_table(b->depth, "brokers");

	if (x.type != VALUE_TEXT || y.type != VALUE_TEXT || value_compare(x, y) != 0 || !s || !t || s->n_rows != t->n_rows)
		return false;
	for (size_t i = 0; i < s->n_rows; i++)
		if (value_compare(table_get(s, i, "address"), table_get(t, i, "address")) != 0)
			return false;
	return true;
}

/* The next cluster from *at on; every broker of one tells the same. NULL: no more. */
static const struct service *next_cluster(const struct lake *lake, const struct report_options *options, size_t *at)
{
	for (; *at < lake->n_services; ++*at) {
		const struct service *s = lake->services[*at];
		size_t other = 0;

		if (!is_broker(s) || (options->service && strcmp(options->service, s->name) != 0))
			continue;
		while (other < *at && !(is_broker(lake->services[other]) && is_same_cluster(lake->services[other], s)))
			other++;
		if (other == *at || options->service)
			return lake->services[(*at)++];
	}
	return NULL;
}

static bool has_group(const struct service *s, const char *group)
{
	const struct table *t = snapshot_find_table(s->depth, "groups");
	struct value wanted = value_text(group);

	for (size_t i = 0; group && t && i < t->n_rows; i++)
		if (value_compare(table_get(t, i, "group"), wanted) == 0)
			return true;
	return !group;
}

bool report_lag_told(const struct lake *lake)
{
	bool told = lake->heard_all || lake->settled;

	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *s = lake->services[i];

		if (!s->expected || !s->expected->kind || strcmp(s->expected->kind->name, report_lag_kinds[0]) != 0)
			continue;
		if (!s->pulse || (s->pulse->who.answered == ANSWERED_YES && !s->depth))
			return false;
		told = true;
	}
	for (size_t i = 0; i < lake->n_streams; i++)
		if (!lake->streams[i].snapshot)
			return false;
	return told;
}

size_t report_lag_questions(const struct lake *lake, const struct report_options *options, struct report_question *out, size_t most)
{
	const struct service *s;
	size_t n = 0, at = 0;

	while ((options->json || options->group) && n < most && (s = next_cluster(lake, options, &at)))
		if (has_group(s, options->group))
			out[n++] = (struct report_question){s->name, options->group ? "group" : "partitions", options->group ? options->group : ""};
	return n;
}

static const struct snapshot *partitions_of(const struct service *s, const struct report_options *options)
{
	return service_answer(s, options->group ? "group" : "partitions", options->group ? options->group : "");
}

/* ---- JSON ---- */

static void json_rows(struct json_writer *w, const struct service *s, const struct table *t, const char *group)
{
	for (size_t row = 0; t && row < t->n_rows; row++) {
		struct value wanted = value_text(group);
		bool at_least = false;

		if (group && value_compare(table_get(t, row, "group"), wanted) != 0)
			continue;
		json_open(w, NULL, '{');
		json_put_text(w, "service", s->name);
		for (size_t i = 0; i < t->n_columns; i++) {
			struct value v = t->cells[row * t->n_columns + i];

			at_least |= v.at_least;
			json_put_value(w, t->spec->columns[i].name, v, t->spec->columns[i].unit);
		}
		if (at_least) { /* lag is the only sum */
			json_open(w, "at_least", '[');
			json_put_text(w, NULL, "lag");
			json_close(w, ']');
		}
		json_close(w, '}');
	}
}

/* A query is asked for as a group is: by its name. */
static bool is_asked_for(const struct stream_view *v, const struct report_options *options)
{
	return !options->group || !strcmp(v->stream->name, options->group);
}

static void json_stream(struct json_writer *w, const struct stream_view *v, const struct stream_place *p)
{
	char note[VALUE_TEXT_SIZE];

	json_open(w, NULL, '{');
	json_put_text(w, "query", v->stream->name);
	json_put_text(w, "checkpoint", v->stream->checkpoint);
	json_put_value(w, "batch", snapshot_get(v->snapshot, "batch"), UNIT_NONE);
	json_put_value(w, "lag", p ? p->lag : v->lag.lag, UNIT_RECORDS);
	json_put_text(w, "topic", p ? p->topic : NULL);
	json_put_value(w, "partition", p ? value_int(p->partition) : value_unknown(), UNIT_NONE);
	json_put_value(w, "committed", p ? p->committed : value_unknown(), UNIT_NONE);
	json_put_value(w, "end", p ? p->end : value_unknown(), UNIT_NONE);
	json_put_text(w, "state", p ? stream_state_word(p->state) : stream_state_word(STREAM_UNKNOWN));
	json_put_text(w, "query_state", lake_stream_state(v));
	put_words(w, "note", lake_stream_note(v, note));
	if (p ? p->end.at_least : v->lag.lag.at_least) {
		json_open(w, "at_least", '[');
		json_put_text(w, NULL, p ? "end" : "lag");
		json_close(w, ']');
	}
	json_close(w, '}');
}

static void lag_json(const struct lake *lake, const struct report_options *options, struct buf *out)
{
	struct json_writer w;
	const struct service *s;
	size_t groups = 0, partitions = 0;

	json_begin(&w, out, true);
	json_open(&w, NULL, '{');
	document_head(&w, lake->wall);
	json_open(&w, "tables", '{');
	json_open(&w, "groups", '[');
	for (size_t at = 0; (s = next_cluster(lake, options, &at));) {
		const struct table *t = snapshot_find_table(s->depth, "groups");

		json_rows(&w, s, t, options->group);
		groups += t->left_off;
	}
	json_close(&w, ']');
	json_open(&w, "partitions", '[');
	for (size_t at = 0; (s = next_cluster(lake, options, &at));) {
		const struct snapshot *answer = partitions_of(s, options);

		if (!answer || !answer->n_tables)
			continue;
		json_rows(&w, s, &answer->tables[0], NULL);
		partitions += answer->tables[0].left_off;
	}
	json_close(&w, ']');
	json_open(&w, "streams", '[');
	for (size_t i = 0; i < lake->n_streams; i++) {
		const struct stream_view *v = &lake->streams[i];

		if (!is_asked_for(v, options))
			continue;
		for (size_t k = 0; k < v->lag.n_places; k++)
			json_stream(&w, v, &v->lag.places[k]);
		if (!v->lag.n_places)
			json_stream(&w, v, NULL);
	}
	json_close(&w, ']');
	json_close(&w, '}');
	json_open(&w, "left_off", '{');
	if (groups)
		json_put_i64(&w, "groups", (int64_t)groups);
	if (partitions)
		json_put_i64(&w, "partitions", (int64_t)partitions);
	json_close(&w, '}');
	json_close(&w, '}');
	buf_puts(out, "\n");
}

/* ---- text ---- */

static const char *word_at(const struct table *t, size_t row, const char *column)
{
	struct value v = table_get(t, row, column);

	return v.type == VALUE_TEXT ? v.u.s : "";
}

static const char *number_at(char shown[VALUE_TEXT_SIZE], const struct table *t, size_t row, const char *column, enum unit unit)
{
	struct value v = table_get(t, row, column);

	return v.type == VALUE_UNKNOWN ? "not known" : value_show(shown, v, unit);
}

/* An offset is a name of a place: no separators. */
static void put_offset(struct buf *out, const char *name, struct value v)
{
	if (v.type == VALUE_INT)
		buf_printf(out, ", %s %lld", name, (long long)v.u.i);
}

static void group_text(const struct table *t, size_t row, struct buf *out)
{
	char shown[VALUE_TEXT_SIZE];
	struct value members = table_get(t, row, "members");
	const char *lag_state = word_at(t, row, "lag_state");

	buf_printf(out, "  %s: %s", word_at(t, row, "group"), lag_state[0] ? lag_state : word_at(t, row, "state"));
	buf_printf(out, ", lag %s", number_at(shown, t, row, "lag", UNIT_RECORDS));
	if (table_get(t, row, "rate_in").type != VALUE_UNKNOWN) {
		buf_printf(out, ", in %s", number_at(shown, t, row, "rate_in", UNIT_PER_SECOND));
		buf_printf(out, ", out %s", number_at(shown, t, row, "rate_out", UNIT_PER_SECOND));
	}
	if (word_at(t, row, "catches_up_words")[0])
		buf_printf(out, ", catches up %s", word_at(t, row, "catches_up_words"));
	if (members.type == VALUE_INT)
		buf_printf(out, ", %lld member%s", (long long)members.u.i, members.u.i == 1 ? "" : "s");
	if (word_at(t, row, "topics")[0])
		buf_printf(out, ", reads %s", word_at(t, row, "topics"));
	if (word_at(t, row, "note")[0])
		buf_printf(out, "; %s", word_at(t, row, "note"));
	buf_puts(out, "\n");
}

static void partitions_text(const struct snapshot *answer, struct buf *out)
{
	const struct table *t = answer && answer->n_tables ? &answer->tables[0] : NULL;
	char shown[VALUE_TEXT_SIZE];

	for (size_t row = 0; t && row < t->n_rows; row++) {
		struct value partition = table_get(t, row, "partition");

		buf_printf(out, "    %s %lld: %s", word_at(t, row, "topic"), partition.type == VALUE_INT ? (long long)partition.u.i : -1,
			word_at(t, row, "lag_state"));
		buf_printf(out, ", lag %s", number_at(shown, t, row, "lag", UNIT_RECORDS));
		put_offset(out, "committed", table_get(t, row, "committed"));
		put_offset(out, "end", table_get(t, row, "end"));
		if (word_at(t, row, "member")[0])
			buf_printf(out, ", member %s", word_at(t, row, "member"));
		if (word_at(t, row, "note")[0])
			buf_printf(out, "; %s", word_at(t, row, "note"));
		buf_puts(out, "\n");
	}
	if (t && t->left_off)
		buf_printf(out, "    and %zu more\n", t->left_off);
	if (answer && answer->err.code != ERR_NONE)
		buf_printf(out, "    %s\n", answer->err.words);
}

static void places_text(const struct stream_lag *lag, struct buf *out)
{
	char shown[VALUE_TEXT_SIZE];

	for (size_t i = 0; i < lag->n_places; i++) {
		const struct stream_place *p = &lag->places[i];

		buf_printf(out, "    %s %lld: %s, lag %s", p->topic, (long long)p->partition, stream_state_word(p->state),
			p->lag.type == VALUE_UNKNOWN ? "not known" : value_show(shown, p->lag, UNIT_RECORDS));
		put_offset(out, "committed", p->committed);
		put_offset(out, p->end.at_least ? "end at least" : "end", p->end);
		buf_puts(out, "\n");
	}
}

static void streams_text(const struct lake *lake, const struct report_options *options, struct buf *out)
{
	char shown[VALUE_TEXT_SIZE];
	size_t n = 0;

	for (size_t i = 0; i < lake->n_streams; i++) {
		const struct stream_view *v = &lake->streams[i];
		const char *note;

		if (!is_asked_for(v, options))
			continue;
		if (!n++)
			buf_puts(out, "streaming queries\n");
		buf_printf(out, "  spark: %s: %s, lag %s", v->stream->name, lake_stream_state(v), v->lag.lag.type == VALUE_UNKNOWN ? "not known" :
			value_show(shown, v->lag.lag, UNIT_RECORDS));
		put_offset(out, "batch", snapshot_get(v->snapshot, "batch"));
		note = lake_stream_note(v, shown);
		buf_printf(out, "%s%s\n", note[0] ? "; " : "", note);
		if (options->group)
			places_text(&v->lag, out);
	}
}

static void lag_text(const struct lake *lake, const struct report_options *options, struct buf *out)
{
	const struct service *s;

	for (size_t at = 0; (s = next_cluster(lake, options, &at));) {
		const struct table *t = snapshot_find_table(s->depth, "groups");

		if (!has_group(s, options->group))
			continue;
		buf_printf(out, "%s\n", s->name);
		for (size_t row = 0; row < t->n_rows; row++) {
			if (options->group && strcmp(word_at(t, row, "group"), options->group) != 0)
				continue;
			group_text(t, row, out);
			if (options->group)
				partitions_text(partitions_of(s, options), out);
		}
		if (!t->n_rows)
			buf_puts(out, "  no groups\n");
		if (t->left_off && !options->group)
			buf_printf(out, "  and %zu more\n", t->left_off);
	}
	streams_text(lake, options, out);
}

enum exit_code report_lag(const struct lake *lake, const struct report_options *options, struct buf *out)
{
	const struct service *s;
	bool answering = false, found = false;

	for (size_t at = 0; (s = next_cluster(lake, options, &at));) {
		answering = true;
		found |= has_group(s, options->group);
	}
	for (size_t i = 0; options->group && i < lake->n_streams; i++)
		found |= is_asked_for(&lake->streams[i], options);
	if (options->json)
		lag_json(lake, options, out);
	else if (!answering)
		buf_puts(out, "no Kafka answers\n");
	else if (!found)
		buf_printf(out, "no group %s is known\n", options->group);
	else
		lag_text(lake, options, out);
	return answering && found ? EXIT_READY : EXIT_UNKNOWN;
}
