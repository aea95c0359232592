// SPDX-License-Identifier: MIT
/*
 * Every action by every way in, under lock: nothing is run, signalled, asked or written. Both are loops, over action_specs and over the
 * ways in below: a new action is covered by being there, and a way in that did not reach the gate at all would fail unlocked, where each
 * of them must get as far as an action that is offered.
 */
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../backend/ops/ops_own.h"
#include "../../tui/acting.h"
#include "../../tui/keymap.h"
#include "../../tui/offers.h"
#include "../../tui/screen.h"
#include "fixture_ops.h"

enum { MARKS = 2 };

/* What the loop does with a wish of the screen: nothing but asking the gate. */
static uint64_t ask(const struct action_wish *wish)
{
	struct err err = {0};
	uint64_t id = ops_wish(world.ops, &world.lake, wish, &err);

	if (id)
		until(id, ACTION_OFFERED);
	return id;
}

static void take(struct acting *a, enum acting_key what)
{
	struct err err = {0};

	if (what == ACTING_WISHES && a->n_marks)
		for (size_t i = 0; i < a->n_marks; i++) {
			struct action_wish one = a->on;

			memcpy(one.service, a->marks[i].service, sizeof one.service);
			memcpy(one.subject, a->marks[i].subject, sizeof one.subject);
			acting_many(a, i, ask(&one), "no");
		}
	else if (what == ACTING_WISHES)
		acting_one(a, ask(&a->on));
	else if (what == ACTING_CONFIRMS && a->n_marks)
		ops_confirm_all(world.ops, &world.lake, a->run, a->n_run, a->go_on, &err);
	else if (what == ACTING_CONFIRMS)
		ops_confirm(world.ops, &world.lake, a->id, &err);
	else if (what == ACTING_DROPS)
		ops_drop(world.ops, a->id);
}

static void press(struct acting *a, int key)
{
	take(a, acting_press(a, &world.lake, key));
}

static int number_of(const struct action_spec *spec)
{
	int i = 0;

	while (action_specs[i] != spec)
		i++;
	return i;
}

static struct acting *begin(void)
{
	static struct acting a;

	memset(&a, 0, sizeof a);
	return &a;
}

/* Down to the row of that number, and in; a form is left as it is; and a yes, twice. */
static void choose(struct acting *a, int number)
{
	bool found = false;

	for (size_t i = 0; i < a->chooser.n_kept && !found; i++) {
		found = a->chooser.all[a->chooser.kept[i]].number == number;
		if (found)
			a->chooser.selected = i;
	}
	assert_true(found); /* what cannot be done stands there, too, and says why */
	press(a, K_ENTER);
	if (a->mode == ACTING_FORM)
		press(a, K_ENTER);
	press(a, 'y');
	press(a, 'y');
}

static void by_menu(const struct action_spec *spec)
{
	struct acting *a = begin();

	assert_true(acting_menu(a, &world.lake, spec->on, "web", spec->on == ON_SERVICE ? "" : "part"));
	choose(a, number_of(spec));
	chooser_clear(&a->chooser);
}

static void by_marks(const struct action_spec *spec)
{
	const struct action_mark marks[MARKS] = {{"db", ""}, {"web", ""}};
	struct acting *a = begin();

	assert_true(acting_menu_of(a, &world.lake, spec->on, marks, MARKS));
	choose(a, number_of(spec));
	chooser_clear(&a->chooser);
}

/* "r" on one that failed, "i" and "d" on one that was left open. */
static void by_an_old_one(const struct action_spec *spec)
{
	struct action_shown old[2] = {{.id = 7, .state = ACTION_FAILED, .again = true, .part = (double)NAN, .wish = wish_of(spec->verb, "web")}};
	const struct action_shown *actions = world.lake.actions;
	size_t n = world.lake.n_actions;
	struct acting *a = begin();

	old[1] = old[0];
	old[1].id = 8;
	old[1].state = ACTION_OPEN;
	for (size_t i = 0; i < 2; i++)
		for (const char *key = "ridy"; *key; key++) {
			world.lake.actions = old;
			world.lake.n_actions = 2;
			acting_one(a, old[i].id);
			press(a, *key);
			world.lake.actions = actions;
			world.lake.n_actions = n;
			turn();
			press(a, 'y');
		}
}

/* laketop start, do, run: the wish itself. */
static void by_command(const struct action_spec *spec)
{
	struct action_wish w = wish_of(spec->verb, "web");
	struct err err = {0};
	uint64_t id = ask(&w);

	ops_confirm(world.ops, &world.lake, id, &err);
	ops_confirm_all(world.ops, &world.lake, &id, 1, true, &err);
}

/* What the profile offers, in the palette and in X. */
static void by_offer(const struct action_spec *spec)
{
	struct acting *a = begin();

	(void)spec;
	for (int i = 0; i < offers_end(&world.lake); i++) {
		enum acting_key what = acting_offer(a, &world.lake, i);

		if (what == ACTING_STAYS) /* its variables, as they are */
			press(a, K_ENTER);
		take(a, what);
		if (what != ACTING_CLOSES)
			press(a, 'y');
	}
	chooser_clear(&a->chooser);
}

static void do_wish(struct screen *s, const struct wish *wish)
{
	struct err err = {0};

	if (wish->what & WISH_ACT)
		screen_offer(s, ask(wish->action), "no");
	if (wish->what & WISH_CONFIRM)
		ops_confirm(world.ops, &world.lake, wish->id, &err);
	if (wish->what & WISH_LOCK)
		fail_msg("a key has opened the lock");
}

static void key(struct screen *s, struct canvas *c, int k)
{
	struct wish wish = screen_key(s, k);
	int y, x;

	do_wish(s, &wish);
	screen_draw(s, c, &y, &x);
}

static void type_keys(struct screen *s, struct canvas *c, const char *keys)
{
	for (; *keys; keys++)
		key(s, c, (unsigned char)*keys);
}

static bool line_has(const struct canvas *c, int y, const char *words)
{
	char line[400];
	int n = 0;

	for (; n < c->width && n < (int)sizeof line - 1; n++) {
		uint32_t code = c->cells[(ptrdiff_t)y * c->stride + n].code[0];

		line[n] = code > 0 && code < 0x7f ? (char)code : '?';
	}
	line[n] = '\0';
	return strstr(line, words) != NULL;
}

/* The whole screen: "x" or the palette on the first row, then every line of what opens is clicked twice, and pasted into, and said yes to. */
static void by_screen(bool palette)
{
	struct screen *s = screen_new(false);
	struct canvas *c = canvas_new(100, 30, false);
	int y, x;

	screen_show(s, &world.lake);
	for (int line = 2; line < 8; line++) {
		screen_draw(s, c, &y, &x);
		type_keys(s, c, palette ? ":actions" : "gx");
		if (palette)
			key(s, c, K_ENTER);
		for (int click = 0; click < 2; click++) {
			struct wish wish = screen_click(s, c, line);

			do_wish(s, &wish);
			screen_draw(s, c, &y, &x);
		}
		screen_paste(s, TEXT("yyy\nunlock\n"));
		type_keys(s, c, "yY");
		key(s, c, K_ENTER);
		for (int i = 0; i < 4; i++)
			key(s, c, K_ESCAPE);
	}
	canvas_free(c);
	screen_free(s);
}

static void by_mouse(const struct action_spec *spec)
{
	(void)spec;
	by_screen(false);
}

static void by_palette(const struct action_spec *spec)
{
	(void)spec;
	by_screen(true);
}

static const struct way_in {
	const char *name;
	void (*go)(const struct action_spec *spec);
	bool whole; /* goes through all actions by itself */
} ways_in[] = {
	{"menu", by_menu, false}, {"marks", by_marks, false}, {"an old one", by_an_old_one, false}, {"command", by_command, false},
	{"offer", by_offer, true}, {"mouse", by_mouse, true}, {"palette", by_palette, true},
};
enum { WAYS_IN = sizeof ways_in / sizeof *ways_in };

static void nothing_happened(const char *way, const char *verb)
{
	struct buf audit;

	turn();
	for (size_t i = 0; i < world.lake.n_actions; i++)
		fail_msg("%s by %s: %s is %s", verb, way, world.lake.actions[i].title, action_state_word(world.lake.actions[i].state));
	audit = audit_text();
	if (audit.len || atomic_load(&world.touched))
		fail_msg("%s by %s: touched %d, audit of %zu bytes", verb, way, atomic_load(&world.touched), audit.len);
	buf_free(&audit);
}

static void every_way_in_is_shut_to_every_action(void)
{
	size_t n = 0;

	turn();
	for (size_t w = 0; w < WAYS_IN; w++)
		for (size_t i = 0; action_specs[i] && (i == 0 || !ways_in[w].whole); i++, n++) {
			ways_in[w].go(action_specs[i]);
			nothing_happened(ways_in[w].name, ways_in[w].whole ? "all" : action_specs[i]->verb);
		}
	assert_true(n > 4 * 20);
	poll(NULL, 0, 50); /* who might still be at it */
	nothing_happened("a thread", "something");
}

static void locked_no_way_in_reaches_the_world(void **state)
{
	(void)state;
	open_gate(false, true);
	every_way_in_is_shut_to_every_action();
}

static void read_only_none_does(void **state)
{
	(void)state;
	open_gate(true, false);
	every_way_in_is_shut_to_every_action();
}

static void of_a_recording_none_does(void **state)
{
	(void)state;
	open_gate(false, false);
	world.lake.replayed = true;
	every_way_in_is_shut_to_every_action();
}

/* The other half of the truth: each of them is a way in, where the gate is open. */
static void unlocked_each_way_in_runs_something(void **state)
{
	(void)state;
	for (size_t w = 0; w < WAYS_IN; w++) {
		if (w)
			world_up(NULL);
		open_gate(false, false);
		ways_in[w].go(&action_start);
		for (int64_t end = clock_ms() + 60000; !atomic_load(&world.touched) && clock_ms() < end; poll(NULL, 0, 5))
			turn();
		if (!atomic_load(&world.touched))
			fail_msg("%s is no way in", ways_in[w].name);
		if (w + 1 < WAYS_IN)
			world_down(NULL);
	}
}

static void a_disabled_action_says_why(void **state)
{
	struct screen *s = screen_new(false);
	struct canvas *c = canvas_new(100, 30, false);
	int y, x;

	(void)state;
	open_gate(false, true);
	screen_show(s, &world.lake);
	screen_draw(s, c, &y, &x);
	type_keys(s, c, "gx");
	assert_true(line_has(c, 2, "start") && line_has(c, 2, "locked: L unlocks"));
	canvas_free(c);
	screen_free(s);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, world_up, world_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(locked_no_way_in_reaches_the_world),
		TEST(read_only_none_does),
		TEST(of_a_recording_none_does),
		TEST(unlocked_each_way_in_runs_something),
		TEST(a_disabled_action_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
