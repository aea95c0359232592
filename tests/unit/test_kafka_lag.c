// SPDX-License-Identifier: MIT
/* How far behind groups are, and whether they get on: over one look, and over many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../backend/services/kafka_look.h"

enum { NOW = 1000000, LOOK_MS = 10000 };


static struct kafka_lag two_topics(void)
{
	struct kafka_lag lag;

	kafka_lag_begin(&lag, NOW, 1700000000000);
	assert_non_null(kafka_lag_topic(&lag, TEXT("orders"), 2));
	assert_non_null(kafka_lag_topic(&lag, TEXT("audit"), 1)); /* not in order */
	kafka_lag_topics_done(&lag, NULL);
	return lag;
}

static void ends(struct kafka_lag *lag, int64_t orders0, int64_t orders1, int64_t audit0)
{
	if (orders0 >= 0)
		kafka_lag_edge(lag, kafka_lag_find(lag, TEXT("orders"), 0), false, orders0, lag->at);
	if (orders1 >= 0)
		kafka_lag_edge(lag, kafka_lag_find(lag, TEXT("orders"), 1), false, orders1, lag->at);
	if (audit0 >= 0)
		kafka_lag_edge(lag, kafka_lag_find(lag, TEXT("audit"), 0), false, audit0, lag->at);
}

/* The only one, told in this look. */
static struct kafka_group *the_group(struct kafka_lag *lag, const char *name)
{
	assert_non_null(kafka_lag_group(lag, text_of(name)));
	kafka_lag_groups_done(lag, NULL);
	kafka_lag_pick(lag, SIZE_MAX);
	lag->groups[0].told = true;
	lag->groups[0].asked_at = lag->at;
	lag->groups[0].state = "Stable";
	return &lag->groups[0];
}

static void lag_is_what_lies_between_commit_and_end(void **state)
{
	struct kafka_lag lag = two_topics();
	struct kafka_group *g = the_group(&lag, "etl");

	(void)state;
	kafka_lag_commit(&lag, g, TEXT("orders"), 0, 10);
	kafka_lag_commit(&lag, g, TEXT("orders"), 1, 20);
	ends(&lag, 110, 20, 7);
	kafka_lag_count(&lag, NULL);
	assert_int_equal(g->lag, 100);
	assert_int_equal(g->partitions, 2);
	assert_int_equal(g->unknown, 0);
	assert_int_equal(kafka_lag_sum(&lag).lag, 100);
	assert_false(kafka_lag_sum(&lag).at_least);
	kafka_lag_end(&lag);
}

static void a_partition_without_a_commit_is_unknown_and_not_zero(void **state)
{
	struct kafka_lag lag = two_topics();
	struct kafka_group *g = the_group(&lag, "replay");

	(void)state;
	kafka_lag_assigned(&lag, g, NULL, TEXT("orders"), 0);
	kafka_lag_assigned(&lag, g, NULL, TEXT("orders"), 1);
	kafka_lag_commit(&lag, g, TEXT("orders"), 1, 0);
	ends(&lag, 500, 120, 0);
	kafka_lag_count(&lag, NULL);
	assert_int_equal(g->lag, 120);
	assert_int_equal(g->partitions, 2); /* assigned and committed is one */
	assert_int_equal(g->unknown, 1);
	assert_true(kafka_lag_sum(&lag).at_least);
	kafka_lag_end(&lag);
}

static void an_end_that_is_not_known_makes_the_sum_at_least(void **state)
{
	struct kafka_lag lag = two_topics();
	struct kafka_group *g = the_group(&lag, "etl");

	(void)state;
	kafka_lag_commit(&lag, g, TEXT("orders"), 0, 10);
	kafka_lag_commit(&lag, g, TEXT("audit"), 0, 1);
	ends(&lag, -1, -1, 4);
	kafka_lag_count(&lag, NULL);
	assert_int_equal(kafka_lag_sum(&lag).lag, 3);
	assert_true(kafka_lag_sum(&lag).at_least);
	kafka_lag_end(&lag);
}

static void lag_is_never_negative_where_a_topic_was_made_anew(void **state)
{
	struct kafka_lag lag = two_topics();
	struct kafka_group *g = the_group(&lag, "etl");

	(void)state;
	kafka_lag_commit(&lag, g, TEXT("audit"), 0, 1000);
	ends(&lag, 0, 0, 3);
	kafka_lag_count(&lag, NULL);
	assert_int_equal(g->lag, 0);
	assert_int_equal(g->unknown, 0);
	assert_int_equal(g->n_reset, 1); /* and it is said */
	assert_int_equal(g->lag_state, KAFKA_LAG_UNKNOWN);
	kafka_lag_end(&lag);
}

static void commits_on_a_topic_that_is_gone_are_dropped(void **state)
{
	struct kafka_lag lag = two_topics();
	struct kafka_group *g = the_group(&lag, "etl");

	(void)state;
	kafka_lag_commit(&lag, g, TEXT("deleted"), 0, 10);
	kafka_lag_commit(&lag, g, TEXT("orders"), 9, 10);
	kafka_lag_count(&lag, NULL);
	assert_int_equal(g->partitions, 0);
	assert_int_equal(kafka_lag_find(&lag, TEXT("order"), 0), UINT32_MAX);
	assert_int_equal(kafka_lag_find(&lag, TEXT("orders"), -1), UINT32_MAX);
	kafka_lag_end(&lag);
}

static void a_group_that_two_brokers_name_counts_once(void **state)
{
	struct kafka_lag lag = two_topics();

	(void)state;
	kafka_lag_group(&lag, TEXT("etl"));
	kafka_lag_group(&lag, TEXT("audit"));
	kafka_lag_group(&lag, TEXT("etl"));
	kafka_lag_groups_done(&lag, NULL);
	assert_int_equal(lag.n_groups, 2);
	assert_string_equal(kafka_lag_group_named(&lag, TEXT("etl"))->name, "etl");
	assert_null(kafka_lag_group_named(&lag, TEXT("et")));
	kafka_lag_end(&lag);
}

static void groups_that_commit_nothing_do_not_make_the_sum_uncertain(void **state)
{
	struct kafka_lag lag = two_topics();

	(void)state;
	kafka_lag_group(&lag, TEXT("lab-connect"))->protocol = "connect";
	kafka_lag_group(&lag, TEXT("sharers"))->type = "share";
	kafka_lag_count(&lag, NULL);
	assert_false(kafka_lag_sum(&lag).at_least);
	kafka_lag_group(&lag, TEXT("etl")); /* its commits were not told */
	assert_true(kafka_lag_sum(&lag).at_least);
	kafka_lag_end(&lag);
}

static void a_topic_of_billions_of_partitions_is_left_off_and_marked(void **state)
{
	struct kafka_lag lag;

	(void)state;
	kafka_lag_begin(&lag, NOW, 1700000000000);
	assert_null(kafka_lag_topic(&lag, TEXT("huge"), (size_t)1 << 31));
	assert_true(lag.full);
	assert_null(kafka_lag_place(&lag, 0));
	kafka_lag_topics_done(&lag, NULL);
	kafka_lag_count(&lag, NULL);
	assert_true(kafka_lag_sum(&lag).at_least);
	kafka_lag_end(&lag);
}

/* ---- Burrow's rules ---- */

enum { LOOKS_MAX = 16 };
struct history { /* of one partition: look by look; commit -1: none, 0, 0 ends it */
	const char *what;
	int64_t looks[LOOKS_MAX][2]; /* commit, end */
	bool members;
	enum kafka_lag_state state;
};

static const struct history histories[] = {
	{"reads all", {{10, 10}, {20, 20}}, true, KAFKA_LAG_OK},
	{"first look, behind, read by somebody", {{10, 500}}, true, KAFKA_LAG_UNKNOWN},
	{"first look, behind, read by nobody", {{10, 500}}, false, KAFKA_LAG_STOPPED},
	{"first look, nothing behind, read by nobody", {{500, 500}}, false, KAFKA_LAG_OK},
	{"no commit", {{-1, 500}}, true, KAFKA_LAG_UNKNOWN},
	{"catches up at once", {{10, 500}, {300, 510}}, true, KAFKA_LAG_OK},
	{"behind, not long enough watched", {{10, 500}, {11, 600}, {12, 700}}, true, KAFKA_LAG_UNKNOWN},
	{"reads, and falls behind all the time", {{10, 100}, {20, 120}, {30, 140}, {40, 160}, {50, 180}, {60, 200}, {70, 220}, {80, 240},
		{90, 260}, {100, 280}, {110, 300}}, true, KAFKA_LAG_SLOW},
	{"reads as fast as is written, for ever behind", {{10, 100}, {20, 110}, {30, 120}, {40, 130}, {50, 140}, {60, 150}, {70, 160}, {80, 170},
		{90, 180}, {100, 190}, {110, 200}}, true, KAFKA_LAG_SLOW},
	{"fell behind, and lately less", {{10, 100}, {20, 120}, {30, 140}, {40, 160}, {50, 180}, {60, 200}, {70, 220}, {80, 240},
		{90, 260}, {100, 280}, {150, 300}}, true, KAFKA_LAG_OK},
	{"does not move, while records come", {{10, 100}, {10, 110}, {10, 120}, {10, 130}, {10, 140}, {10, 150}, {10, 160}, {10, 170}, {10, 180},
		{10, 190}, {10, 200}}, true, KAFKA_LAG_STALLED},
	{"does not move, and nothing comes", {{10, 100}, {10, 100}, {10, 100}, {10, 100}, {10, 100}, {10, 100}, {10, 100}, {10, 100}, {10, 100},
		{10, 100}, {10, 100}}, true, KAFKA_LAG_STALLED},
	{"nobody there any more", {{10, 100}, {10, 110}, {10, 120}, {10, 130}, {10, 140}, {10, 150}, {10, 160}, {10, 170}, {10, 180},
		{10, 190}, {10, 200}}, false, KAFKA_LAG_STOPPED},
	{"commits without being a member: it moves", {{10, 100}, {40, 110}, {30 + 30, 120}}, false, KAFKA_LAG_OK},
	{"commits once a minute", {{0, 100}, {0, 110}, {0, 120}, {0, 130}, {0, 140}, {0, 150}, {150, 160}, {150, 170}, {150, 180},
		{150, 190}, {150, 200}}, true, KAFKA_LAG_OK},
	{"had no lag a moment ago", {{100, 100}, {100, 150}, {100, 200}}, true, KAFKA_LAG_OK},
	{"one behind for ever: a transaction's mark", {{99, 100}, {99, 100}, {99, 100}, {99, 100}, {99, 100}, {99, 100}, {99, 100}, {99, 100},
		{99, 100}, {99, 100}, {99, 100}}, false, KAFKA_LAG_OK},
	{"went back", {{100, 100}, {0, 100}, {10, 100}}, true, KAFKA_LAG_REWOUND},
	{"went back, and is there again", {{100, 110}, {0, 110}, {105, 110}}, true, KAFKA_LAG_OK},
	{"beyond the end", {{100, 100}, {100, 20}}, true, KAFKA_LAG_UNKNOWN},
	{"first commit seen", {{-1, 100}, {10, 100}}, true, KAFKA_LAG_UNKNOWN},
};

static void the_state_of_a_partition_follows_burrows_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof histories / sizeof *histories; i++) {
		const struct history *h = &histories[i];
		struct kafka_commit last = {.offset = -1}, c = last;
		int64_t now = NOW;
		enum kafka_lag_state is;

		for (size_t n = 0; n < LOOKS_MAX && (h->looks[n][0] || h->looks[n][1]); n++, now += LOOK_MS) {
			c = (struct kafka_commit){.offset = h->looks[n][0], .end = h->looks[n][1]};
			kafka_commit_sample(&c, n ? &last : NULL, now);
			last = c;
		}
		is = kafka_commit_state(&c, h->members, now - LOOK_MS);
		if (is != h->state)
			fail_msg("%s: %s, and not %s", h->what, kafka_lag_word(is), kafka_lag_word(h->state));
	}
}

/* ---- over looks ---- */

struct scene { /* of one look: one topic of two partitions, one group */
	int64_t committed[2], ends[2];
	int64_t after;             /* ms since the look before */
	unsigned char id;          /* of the topic */
	bool asked;
};

static struct kafka_lag look(struct kafka_lag *before, const struct scene *scene)
{
	struct kafka_lag lag;
	struct kafka_topic *t;
	struct kafka_group *g;

	kafka_lag_begin(&lag, before ? before->at + scene->after : NOW, 1700000000000);
	t = kafka_lag_topic(&lag, TEXT("orders"), 2);
	t->id[0] = scene->id;
	kafka_lag_topics_done(&lag, before);
	kafka_lag_group(&lag, TEXT("etl"));
	kafka_lag_groups_done(&lag, before);
	g = &lag.groups[0];
	g->state = "Stable";
	for (int32_t i = 0; i < 2; i++)
		if (scene->asked)
			kafka_lag_commit(&lag, g, TEXT("orders"), i, scene->committed[i]);
	if (scene->asked) {
		g->told = true;
		g->asked_at = lag.at;
	}
	for (int32_t i = 0; i < 2; i++)
		kafka_lag_edge(&lag, kafka_lag_find(&lag, TEXT("orders"), i), false, scene->ends[i], lag.at);
	kafka_lag_count(&lag, before);
	if (before)
		kafka_lag_end(before);
	return lag;
}

static void rates_are_what_changed_between_looks(void **state)
{
	const struct scene scenes[] = {{{100, 0}, {200, 50}, 0, 1, true}, {{120, 10}, {300, 50}, 10000, 1, true}, {{140, 20}, {400, 50}, 10000, 1, true}};
	struct kafka_lag lag = look(NULL, &scenes[0]);
	char trend[KAFKA_TREND];
	double in, out, rate;

	(void)state;
	assert_false(kafka_group_rates(&lag.groups[0], &in, &out)); /* one look tells no rate */
	assert_false(kafka_topic_rate(&lag, &lag.topics[0], &rate));
	assert_int_equal(lag.groups[0].moved_wall, 0);              /* nor when it committed last */
	lag = look(&lag, &scenes[1]);
	lag = look(&lag, &scenes[2]);
	assert_true(kafka_group_rates(&lag.groups[0], &in, &out));
	assert_int_equal((int)(in * 10 + 0.5), 100);
	assert_int_equal((int)(out * 10 + 0.5), 30);
	assert_true(kafka_topic_rate(&lag, &lag.topics[0], &rate));
	assert_int_equal((int)(rate + 0.5), 10);
	assert_int_not_equal(lag.groups[0].moved_wall, 0);
	assert_int_equal(lag.groups[0].lag, 290);
	kafka_group_trend(&lag.groups[0], trend);
	assert_string_equal(trend, "357");
	kafka_lag_end(&lag);
}

static void who_was_not_asked_stands_as_it_stood_and_its_age_is_known(void **state)
{
	const struct scene scenes[] = {{{100, 0}, {200, 50}, 0, 1, true}, {{0, 0}, {9000, 9000}, 10000, 1, false}, {{200, 50}, {9000, 9000}, 10000, 1, true}};
	struct kafka_lag lag = look(NULL, &scenes[0]);

	(void)state;
	lag = look(&lag, &scenes[1]);
	assert_int_equal(lag.groups[0].lag, 150); /* not old commits against new ends */
	assert_int_equal(lag.at - lag.groups[0].asked_at, 10000);
	assert_int_equal(lag.groups[0].partitions, 2);
	assert_int_equal(lag.groups[0].n_samples, 1);
	lag = look(&lag, &scenes[2]);
	assert_int_equal(lag.groups[0].lag, 8800 + 8950);
	assert_int_equal(lag.groups[0].n_samples, 2);
	kafka_lag_end(&lag);
}

/* One partition that nobody reads makes the group, and which one it is is told. */
static void a_group_has_the_state_of_its_worst_partition(void **state)
{
	struct scene scene = {{100, 20}, {100, 50}, 0, 1, true};
	struct kafka_lag lag = look(NULL, &scene);
	static struct kafka_look k;

	(void)state;
	k.s = snapshot_new("kafka", PART_DEPTH);
	k.lag = lag;
	assert_string_equal(kafka_group_note(&k, &lag.groups[0]), "too early to tell: whether it gets on shows within 90 s");
	scene.after = 10000;
	for (int i = 0; i < 12; i++) {
		scene.committed[0] += 10;
		scene.ends[0] += 10;
		lag = look(&lag, &scene);
	}
	assert_string_equal(kafka_lag_word(lag.groups[0].lag_state), "stalled");
	assert_int_equal(lag.groups[0].n_worst, 1);
	assert_int_equal(lag.groups[0].worst, lag.groups[0].first + 1);
	k.lag = lag;
	assert_string_equal(kafka_group_note(&k, &lag.groups[0]), "stalled on 1 of 2: orders 1");
	kafka_lag_end(&lag);
	snapshot_unref(k.s);
}

static void a_group_without_commits_says_why_nothing_is_known(void **state)
{
	static struct kafka_look k;
	struct kafka_group g = {.name = "archive", .protocol = "consumer", .type = "classic", .state = "Empty", .told = true,
		.lag_state = KAFKA_LAG_UNKNOWN};

	(void)state;
	k.s = snapshot_new("kafka", PART_DEPTH);
	assert_string_equal(kafka_group_note(&k, &g), "it has committed nothing, and has no member");
	g.state = "Stable";
	g.members = 2;
	assert_string_equal(kafka_group_note(&k, &g), "it has committed nothing, and nothing is assigned to it");
	snapshot_unref(k.s);
}

static void another_topic_of_the_same_name_is_said_and_begins_anew(void **state)
{
	const struct scene scenes[] = {{{100, 0}, {200, 50}, 0, 1, true}, {{100, 0}, {250, 50}, 10000, 2, true}};
	struct kafka_lag lag = look(NULL, &scenes[0]);
	double in, out, rate;

	(void)state;
	lag = look(&lag, &scenes[1]);
	assert_int_equal(lag.topics[0].anew_at, lag.at);
	assert_int_equal(lag.groups[0].n_anew, 2);
	assert_false(kafka_topic_rate(&lag, &lag.topics[0], &rate));
	assert_true(kafka_group_rates(&lag.groups[0], &in, &out));
	assert_int_equal((int)in, 0); /* ends of two topics are not compared */
	kafka_lag_end(&lag);
}

static void without_ids_ends_that_went_back_tell_it(void **state)
{
	const struct scene scenes[] = {{{100, 0}, {200, 50}, 0, 0, true}, {{100, 0}, {20, 50}, 10000, 0, true}};
	struct kafka_lag lag = look(NULL, &scenes[0]);

	(void)state;
	lag = look(&lag, &scenes[1]);
	assert_int_equal(lag.topics[0].anew_at, lag.at);
	assert_int_equal(lag.groups[0].n_reset, 1);
	kafka_lag_end(&lag);
}

static void an_end_that_goes_back_in_the_same_topic_is_a_new_leader_that_does_not_know_it_yet(void **state)
{
	const struct scene scenes[] = {{{100, 0}, {200, 50}, 0, 7, true}, {{100, 0}, {190, 50}, 10000, 7, true}};
	struct kafka_lag lag = look(NULL, &scenes[0]);

	(void)state;
	lag = look(&lag, &scenes[1]);
	assert_int_equal(lag.topics[0].anew_at, 0);
	kafka_lag_end(&lag);
}

static void a_commit_before_the_beginning_lost_data_and_its_lag_is_kafkas(void **state)
{
	struct kafka_lag lag = two_topics();
	struct kafka_group *g = the_group(&lag, "etl");

	(void)state;
	kafka_lag_commit(&lag, g, TEXT("audit"), 0, 10);
	ends(&lag, -1, -1, 500);
	kafka_lag_edge(&lag, kafka_lag_find(&lag, TEXT("audit"), 0), true, 400, lag.at);
	kafka_lag_count(&lag, NULL);
	assert_int_equal(g->lost, 390);
	assert_int_equal(g->lag, 490); /* as kafka-consumer-groups says */
	kafka_lag_end(&lag);
}

static void a_partition_that_is_empty_and_never_committed_does_not_hide_the_others(void **state)
{
	struct kafka_lag lag = two_topics();
	struct kafka_group *g = the_group(&lag, "etl");

	(void)state;
	kafka_lag_commit(&lag, g, TEXT("orders"), 0, 110);
	kafka_lag_assigned(&lag, g, "m-1", TEXT("orders"), 0);
	kafka_lag_assigned(&lag, g, "m-1", TEXT("orders"), 1);
	ends(&lag, 110, 0, -1);
	kafka_lag_edge(&lag, kafka_lag_find(&lag, TEXT("orders"), 1), true, 0, lag.at);
	kafka_lag_count(&lag, NULL);
	assert_int_equal(g->lag_state, KAFKA_LAG_OK);
	assert_int_equal(g->uncommitted, 1);
	assert_string_equal(lag.commits[g->first].member, "m-1");
	kafka_lag_end(&lag);
}

static void groups_take_turns_and_the_busy_ones_come_sooner(void **state)
{
	enum { GROUPS = 30, AT_ONCE = 10, LOOKS = 24 };
	struct kafka_lag before, lag;
	unsigned asked[GROUPS] = {0};

	(void)state;
	for (int round = 0; round < LOOKS; round++) {
		kafka_lag_begin(&lag, NOW + round * LOOK_MS, 1700000000000 + round * LOOK_MS);
		kafka_lag_topics_done(&lag, NULL);
		for (int i = 0; i < GROUPS; i++) {
			char name[8] = {'g', (char)('a' + i / 10), (char)('0' + i % 10), '\0'};

			kafka_lag_group(&lag, text_of(name));
		}
		kafka_lag_groups_done(&lag, round ? &before : NULL);
		kafka_lag_pick(&lag, AT_ONCE);
		for (int i = 0; i < GROUPS; i++)
			if (lag.groups[i].picked) {
				asked[i]++;
				lag.groups[i].asked_at = lag.at;
			}
		if (round)
			kafka_lag_end(&before);
		before = lag;
		for (int i = 0; i < 5; i++)
			before.groups[i].lag = 100;
	}
	kafka_lag_end(&before);
	for (int i = 0; i < GROUPS; i++)
		assert_true(asked[i] >= 5); /* nobody waits for ever */
	assert_true(asked[0] > 2 * asked[GROUPS - 1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lag_is_what_lies_between_commit_and_end),
		cmocka_unit_test(a_partition_without_a_commit_is_unknown_and_not_zero),
		cmocka_unit_test(an_end_that_is_not_known_makes_the_sum_at_least),
		cmocka_unit_test(lag_is_never_negative_where_a_topic_was_made_anew),
		cmocka_unit_test(commits_on_a_topic_that_is_gone_are_dropped),
		cmocka_unit_test(a_group_that_two_brokers_name_counts_once),
		cmocka_unit_test(groups_that_commit_nothing_do_not_make_the_sum_uncertain),
		cmocka_unit_test(a_topic_of_billions_of_partitions_is_left_off_and_marked),
		cmocka_unit_test(the_state_of_a_partition_follows_burrows_rules),
		cmocka_unit_test(rates_are_what_changed_between_looks),
		cmocka_unit_test(who_was_not_asked_stands_as_it_stood_and_its_age_is_known),
		cmocka_unit_test(a_group_has_the_state_of_its_worst_partition),
		cmocka_unit_test(a_group_without_commits_says_why_nothing_is_known),
		cmocka_unit_test(another_topic_of_the_same_name_is_said_and_begins_anew),
		cmocka_unit_test(without_ids_ends_that_went_back_tell_it),
		cmocka_unit_test(an_end_that_goes_back_in_the_same_topic_is_a_new_leader_that_does_not_know_it_yet),
		cmocka_unit_test(a_commit_before_the_beginning_lost_data_and_its_lag_is_kafkas),
		cmocka_unit_test(a_partition_that_is_empty_and_never_committed_does_not_hide_the_others),
		cmocka_unit_test(groups_take_turns_and_the_busy_ones_come_sooner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
