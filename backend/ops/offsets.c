// SPDX-License-Identifier: MIT
/*
 * Where a consumer group reads on is changed by Kafka's own protocol: OffsetCommit as one who is no
 * member (generation -1), which a broker takes only while the group has none. What is offered is the
 * list of partitions with where each stands and where it will; exactly that is committed, and only
 * while each stands where it stood. Only partitions that the group committed are.
 * Source: OffsetCommitRequest.json, GroupCoordinator's validation of it; checked on 4.1.1.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../services/kafka_look.h"
#include "ops_own.h"
#include "snapshot.h"

enum { PLACES_MOST = 10000, ANSWER_MOST = 8 << 20, LINES_SHOWN = 24, SAYS_SIZE = 160 };

struct step { /* one partition */
	char topic[256];
	int32_t partition, leader;
	int64_t from, to, beginning, end;
	bool found;
	int16_t error;
};
struct plan {
	struct offset_aim aim;
	struct step *steps;
	size_t n;
};

static void plan_free(void *state)
{
	struct plan *p = state;

	free(p->steps);
	free(p);
}

/* ---- pure ---- */

bool offset_aim_read(const char *to, int64_t now, struct offset_aim *out)
{
	int64_t n, unit = 0;
	struct tm tm = {0};
	const char *rest;

	*out = (struct offset_aim){.to = AIM_OFFSET};
	if (!strcmp(to, "earliest"))
		out->to = AIM_EARLIEST;
	else if (!strcmp(to, "latest"))
		out->to = AIM_LATEST;
	else if (to[0] >= '0' && to[0] <= '9' && text_i64(text_of(to), &n))
		out->value = n;
	else if (to[0] == '-' && to[1]) { /* "-2h": so long ago */
		size_t digits = strspn(to + 1, "0123456789");
		const char *word = to + 1 + digits;

		unit = !strcmp(word, "s") ? 1000 : !strcmp(word, "min") ? 60000 : !strcmp(word, "h") ? 3600000 : !strcmp(word, "d") ? 86400000 : 0;
		if (!unit || digits > 6 || !text_i64((struct text){to + 1, digits}, &n))
			return false;
		*out = (struct offset_aim){AIM_TIME, now - n * unit};
	} else {
		rest = strptime(to, "%Y-%m-%dT%H:%M", &tm);
		if (rest && rest[0] == ':')
			rest = strptime(rest, ":%S", &tm);
		if (!rest || strcmp(rest, "Z") != 0)
			return false;
		*out = (struct offset_aim){AIM_TIME, (int64_t)timegm(&tm) * 1000};
	}
	return true;
}

int64_t offset_aimed(const struct offset_aim *aim, int64_t beginning, int64_t end, int64_t at_time)
{
	int64_t to = aim->to == AIM_EARLIEST ? beginning : aim->to == AIM_LATEST ? end : aim->to == AIM_OFFSET ? aim->value :
		at_time < 0 ? end : at_time; /* nothing is as young: it goes on with what comes */

	return to < beginning ? beginning : to > end ? end : to;
}

/* ---- offering ---- */

static const char *aim_of(const struct action_wish *w)
{
	return !strcmp(w->verb, "reset-earliest") ? "earliest" : !strcmp(w->verb, "reset-latest") ? "latest" : wish_option(w, "to");
}

static bool offer(const struct lake *lake, const struct action_wish *w, struct action_target *t, char why[200])
{
	const struct table *groups = service_table(lake, w->service, "groups");
	const char *to = aim_of(w);
	struct offset_aim aim;
	size_t row;

	if (!target_of_kind(lake, w, "kafka", t, why))
		return false;
	if (!row_of(groups, "group", w->subject, &row)) {
		t->because = unless_known(lake, w->service, groups);
		if (t->because == ERR_USAGE)
			snprintf(why, 200, "%.50s has no group \"%.80s\"", w->service, w->subject);
		else
			say_unknown(lake, w->service, "groups", why);
		return false;
	}
	if (row_int(groups, row, "members") > 0) {
		snprintf(why, 200, "it has %" PRId64 " member%s: stop them first", row_int(groups, row, "members"),
			row_int(groups, row, "members") == 1 ? "" : "s");
		t->because = ERR_SYSTEM;
		return false;
	}
	if (to && to[0] && !offset_aim_read(to, lake->wall, &aim)) { /* where it is not said yet, prepare asks for it */
		snprintf(why, 200, "laketop do reset %.40s %.60s to=N, to=2026-11-29T20:00Z or to=-2h", w->service, w->subject);
		return false;
	}
	return true;
}

/* ---- asking the cluster ---- */

struct asking {
	struct action_job *job;
	struct probe probe;
	struct snapshot *s;
	struct kafka_look *look;
	const struct kafka_group *group;
	struct plan *plan;
};

static void asking_end(struct asking *a)
{
	if (a->look)
		kafka_look_end(a->look);
	kafka_forget(a->probe.state);
	snapshot_unref(a->s);
	job_probe_end(&a->probe);
}

/* What the group committed, who is in it, and lines to the brokers. asking_end it in either case. */
static bool asking_begin(struct asking *a, struct action_job *j, struct err *err)
{
	struct kafka_line first;
	bool fine;

	*a = (struct asking){.job = j, .plan = j->state, .s = snapshot_new(j->wish.service, PART_ANSWER)};
	job_probe(j, &a->probe);
	kafka_line_begin(&first, &a->probe);
	fine = kafka_line_open(&first, &a->probe.at, err);
	if (fine) {
		a->look = kafka_look_new(&a->probe, a->s, KAFKA_LOOK_GROUPS, j->wish.subject);
		fine = kafka_look_at(a->look, &first) || err_set(err, a->s->err.code, "%s", a->s->err.words);
	}
	kafka_line_end(&first);
	if (!fine)
		return false;
	a->group = kafka_lag_group_named(&a->look->lag, text_of(j->wish.subject));
	if (!a->group)
		return err_set(err, ERR_SYSTEM, "there is no group %.100s any more", j->wish.subject);
	if (a->group->members > 0)
		return err_set(err, ERR_USAGE, "it has %" PRId64 " members by now: stop them first", a->group->members);
	return a->group->told || err_set(err, ERR_SYSTEM, "what it committed was not told: %.120s", a->look->groups_words);
}

static struct kafka_line *line_to(struct asking *a, int32_t broker, struct err *err)
{
	for (size_t i = 0; i < a->look->n_brokers; i++)
		if (a->look->brokers[i].id == broker && a->look->brokers[i].spoken)
			return &a->look->brokers[i].line;
	err_set(err, ERR_CONNECT, "broker %d cannot be asked", (int)broker);
	return NULL;
}

static struct step *step_of(struct plan *p, struct text topic, int32_t partition)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->steps[i].partition == partition && text_is(topic, p->steps[i].topic))
			return &p->steps[i];
	return NULL;
}

static const struct kafka_topic *topic_of(const struct kafka_lag *lag, const struct kafka_commit *c, int32_t *partition)
{
	const struct kafka_topic *t = &lag->topics[lag->places[c->place].topic];

	*partition = (int32_t)(c->place - t->first);
	return t;
}

static bool take_steps(struct asking *a, struct err *err)
{
	const struct kafka_lag *lag = &a->look->lag;
	const char *only = wish_option(&a->job->wish, "topic");
	struct plan *p = a->plan;

	p->steps = mem_new(lag->n_commits + 1, sizeof *p->steps);
	for (size_t i = 0; i < lag->n_commits; i++) {
		const struct kafka_commit *c = &lag->commits[i];
		struct step *s = &p->steps[p->n];
		const struct kafka_topic *t = topic_of(lag, c, &s->partition);

		if (&lag->groups[c->group] != a->group || c->offset < 0 || (only && strcmp(only, t->name) != 0))
			continue;
		if (c->end < 0 || lag->places[c->place].beginning_at == 0)
			return err_set(err, ERR_SYSTEM, "where %.100s/%d begins and ends is not known: it has no leader, or it does not answer", t->name,
				(int)s->partition);
		snprintf(s->topic, sizeof s->topic, "%s", t->name);
		s->leader = lag->places[c->place].leader;
		s->from = c->offset;
		s->end = c->end;
		s->beginning = lag->places[c->place].beginning;
		s->to = -1;
		p->n++;
	}
	if (!p->n)
		return err_set(err, ERR_USAGE, only ? "it committed nothing on that topic" : "it committed nothing: there is nothing to change");
	return p->n <= PLACES_MOST || err_set(err, ERR_LIMIT, "%zu partitions are too many for one time: name a topic=", p->n);
}

static void on_time(void *ctx, struct text topic, int32_t partition, int64_t offset, int16_t error)
{
	struct step *s = step_of(ctx, topic, partition);

	if (!s)
		return;
	s->found = true;
	s->error = error;
	s->to = offset;
}

/* The first record that is as young as that, by the broker that leads each partition. */
static bool ask_times(struct asking *a, struct err *err)
{
	struct plan *p = a->plan;
	struct kafka_wanted *wanted = mem_new(p->n, sizeof *wanted);
	bool good = true;

	for (size_t b = 0; good && b < a->look->n_brokers; b++) {
		struct kafka_line *l;
		struct text frame;
		size_t n = 0;

		for (size_t i = 0; i < p->n; i++)
			if (p->steps[i].leader == a->look->brokers[b].id)
				wanted[n++] = (struct kafka_wanted){text_of(p->steps[i].topic), p->steps[i].partition};
		if (!n)
			continue;
		l = line_to(a, a->look->brokers[b].id, err);
		if (!l) {
			good = false;
			break;
		}
		kafka_line_next(l);
		kafka_ask_edges(&l->question, l->id, p->aim.value, wanted, n);
		good = kafka_line_ask(l, ANSWER_MOST, &frame, err) &&
			(kafka_read_edges(frame, on_time, p) || err_set(err, ERR_PARSE, "its answer about times makes no sense"));
	}
	for (size_t i = 0; good && i < p->n; i++)
		if (!p->steps[i].found || p->steps[i].error)
			good = err_set(err, ERR_SYSTEM, "%.100s/%d does not say what it holds of that time", p->steps[i].topic, (int)p->steps[i].partition);
	free(wanted);
	return good;
}

/* ---- what is offered ---- */

static void say_steps(struct action_job *j, const struct plan *p)
{
	struct buf out;
	int64_t again = 0, skipped = 0;
	size_t changed = 0, shown = 0;

	buf_init(&out, sizeof j->exact);
	buf_printf(&out, "OffsetCommit v2 of group %s, as no member:", j->wish.subject);
	for (size_t i = 0; i < p->n; i++) {
		const struct step *s = &p->steps[i];

		changed += s->to != s->from;
		again += s->to < s->from ? s->from - s->to : 0;
		skipped += s->to > s->from ? s->to - s->from : 0;
		if (s->to != s->from && shown < LINES_SHOWN && out.len + SAYS_SIZE < sizeof j->exact) {
			buf_printf(&out, "\n%.100s/%d: %" PRId64 " -> %" PRId64 " (%+" PRId64 ")", s->topic, (int)s->partition, s->from, s->to,
				s->to - s->from);
			shown++;
		}
	}
	if (changed > shown)
		buf_printf(&out, "\nand %zu more", changed - shown);
	text_copy(j->exact, sizeof j->exact, buf_text(&out));
	buf_free(&out);
	snprintf(j->effect, sizeof j->effect, "%zu of %zu partition%s; %" PRId64 " records are read again, %" PRId64
		" are skipped (offsets, so that gaps count too)", changed, p->n, p->n == 1 ? " changes" : "s change", again, skipped);
	snprintf(j->verify, sizeof j->verify, "the group's committed offsets are these");
}

static bool prepare(struct action_job *j, struct err *err)
{
	struct plan *p = mem_new(1, sizeof *p);
	struct asking a;
	bool fine;

	j->state = p;
	if (!aim_of(&j->wish) || !offset_aim_read(aim_of(&j->wish), clock_wall_ms(), &p->aim))
		return err_set(err, ERR_USAGE, "to= says where: an offset, a time (2026-11-29T20:00Z) or so long ago (-2h)");
	fine = asking_begin(&a, j, err) && take_steps(&a, err) && (p->aim.to != AIM_TIME || ask_times(&a, err));
	asking_end(&a);
	if (!fine)
		return false;
	for (size_t i = 0, same = 0; i < p->n; i++) {
		p->steps[i].to = offset_aimed(&p->aim, p->steps[i].beginning, p->steps[i].end, p->steps[i].to);
		same += p->steps[i].to == p->steps[i].from;
		if (same == p->n)
			return !(j->needless = true) || err_set(err, ERR_USAGE, "nothing to do: it stands there already");
	}
	say_steps(j, p);
	return true;
}

/* ---- running ---- */

/* Does each stand where it stood (committed: where it should now)? */
static bool stands(const struct asking *a, bool committed, struct err *err)
{
	const struct kafka_lag *lag = &a->look->lag;
	size_t met = 0;

	for (size_t i = 0; i < lag->n_commits; i++) {
		int32_t partition;
		const struct kafka_commit *c = &lag->commits[i];
		const struct kafka_topic *t = topic_of(lag, c, &partition);
		const struct step *s = &lag->groups[c->group] == a->group ? step_of(a->plan, text_of(t->name), partition) : NULL;

		if (!s)
			continue;
		met++;
		if (c->offset != (committed ? s->to : s->from))
			return err_set(err, ERR_SYSTEM, "%.100s/%d stands at %" PRId64 " %s", t->name, (int)partition, c->offset,
				committed ? "now: somebody else committed" : "by now, not where it stood when this was offered; nothing was changed");
	}
	return met == a->plan->n || err_set(err, ERR_SYSTEM, "some partitions are not there any more%s", committed ? "" : "; nothing was changed");
}

static void on_committed(void *ctx, struct text topic, int32_t partition, int16_t error)
{
	struct step *s = step_of(ctx, topic, partition);

	if (s) {
		s->found = true;
		s->error = error;
	}
}

static bool all_taken(const struct plan *p, size_t asked, struct err *err)
{
	size_t refused = 0, met = 0;
	const struct step *last = NULL;

	for (size_t i = 0; i < p->n; i++) {
		met += p->steps[i].found;
		if (p->steps[i].found && p->steps[i].error) {
			refused++;
			last = &p->steps[i];
		}
	}
	if (last)
		return err_set(err, ERR_SYSTEM, "%zu of %zu were refused: %.100s/%d: %s", refused, asked, last->topic, (int)last->partition,
			kafka_error_words(last->error) ? kafka_error_words(last->error) : "for a reason that is not known here");
	return met == asked || err_set(err, ERR_PROTOCOL, "the broker answered for %zu of %zu partitions", met, asked);
}

static bool commit(struct asking *a, struct err *err)
{
	struct plan *p = a->plan;
	struct kafka_line *l = line_to(a, a->group->broker, err);
	struct kafka_wanted *wanted = mem_new(p->n, sizeof *wanted);
	int64_t *offsets = mem_new(p->n, sizeof *offsets);
	struct text frame;
	size_t n = 0;
	bool fine = false;

	for (size_t i = 0; i < p->n; i++) {
		p->steps[i].found = false;
		if (p->steps[i].to == p->steps[i].from)
			continue;
		wanted[n] = (struct kafka_wanted){text_of(p->steps[i].topic), p->steps[i].partition};
		offsets[n++] = p->steps[i].to;
	}
	if (l && !kafka_speaks(&l->versions, KAFKA_OFFSET_COMMIT, 2))
		err_set(err, ERR_PROTOCOL, "does not know OffsetCommit v2");
	else if (l) {
		kafka_line_next(l);
		kafka_ask_commit(&l->question, l->id, text_of(a->job->wish.subject), wanted, offsets, n);
		fine = kafka_line_ask(l, ANSWER_MOST, &frame, err) &&
			(kafka_read_commit(frame, on_committed, p) || err_set(err, ERR_PARSE, "its answer to the commit makes no sense")) && all_taken(p, n, err);
	}
	free(offsets);
	free(wanted);
	return fine;
}

static bool run(struct action_job *j, struct err *err)
{
	const struct plan *p = j->state;
	struct asking a;
	bool fine = asking_begin(&a, j, err) && stands(&a, false, err) && commit(&a, err);

	asking_end(&a);
	if (!fine)
		return false;
	fine = asking_begin(&a, j, err) && stands(&a, true, err);
	asking_end(&a);
	if (fine)
		snprintf(j->result, sizeof j->result, "%zu partition%s where %s should", p->n, p->n == 1 ? " stands" : "s stand",
			p->n == 1 ? "it" : "they");
	return fine;
}

static void hint(const struct lake *lake, const struct action_wish *w, const char *option, char out[200])
{
	(void)lake;
	(void)w;
	text_copy(out, 200, !strcmp(option, "to") ? TEXT("an offset, a time (2026-11-29T20:00Z), or so long ago (-2h)") :
		TEXT("this one alone; empty: all that it reads"));
}

static const char *const with_topic[] = {"topic", NULL}, *const with_both[] = {"to", "topic", NULL};
#define ON_OFFSETS .on = ON_GROUP, .hint = hint, .destructive = true, \
	.limit_ms = 60000, .offer = offer, .prepare = prepare, .run = run, .free = plan_free

const struct action_spec action_reset_earliest = {
	.verb = "reset-earliest", .help = "read again from where its partitions begin", .options = with_topic, ON_OFFSETS};
const struct action_spec action_reset_latest = {.verb = "reset-latest", .help = "skip what was not read", .options = with_topic, ON_OFFSETS};
const struct action_spec action_reset = {.verb = "reset", .help = "read on at to=: an offset, a time (2026-11-29T20:00Z), or so long ago (-2h)",
	.options = with_both, ON_OFFSETS};
