// SPDX-License-Identifier: MIT
/* The command line: what is said is taken, and what is wrong is named with the nearest right word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../tui/options.h"

enum { WORDS_MAX = 48 };

/* Parses words that stand in one string, split at blanks. */
static bool parse(const char *line, struct options *o, struct err *err)
{
	static char words[1024];
	char *argv[WORDS_MAX] = {words}, *save = NULL;
	int argc = 1;
	char *rest;

	text_copy(words, sizeof words, text_of("laketop"));
	rest = words + strlen(words) + 1;
	text_copy(rest, sizeof words - 16, text_of(line));
	for (char *word = strtok_r(rest, " ", &save); word && argc < WORDS_MAX; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	*err = (struct err){0};
	return options_parse(argc, argv, o, err);
}

static void nothing_opens_the_screen(void **state)
{
	struct options o;
	struct err err;

	(void)state;
	assert_true(parse("", &o, &err));
	assert_int_equal(o.command, COMMAND_SCREEN);
	assert_null(o.profile);
	assert_int_equal(o.within, -1);
}

static void options_stand_before_or_after_the_command(void **state)
{
	static const char *const lines[] = {
		"status --json --profile pocket --within 2s", "--json --profile=pocket status --within=2s", "--profile pocket --within 2000ms status --json",
	};
	struct options o;
	struct err err;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_true(parse(lines[i], &o, &err));
		assert_int_equal(o.command, COMMAND_STATUS);
		assert_true(o.json);
		assert_string_equal(o.profile, "pocket");
		assert_int_equal(o.within, 2000);
	}
}

static void a_value_that_looks_like_a_command_is_a_value(void **state)
{
	struct options o;
	struct err err;

	(void)state;
	assert_true(parse("--profile status", &o, &err));
	assert_int_equal(o.command, COMMAND_SCREEN);
	assert_string_equal(o.profile, "status");
}

static void check_takes_names_and_wait_takes_conditions(void **state)
{
	struct options o;
	struct err err;

	(void)state;
	assert_true(parse("check alpha beta --within 500ms gamma", &o, &err));
	assert_string_equal(o.names[0], "alpha");
	assert_string_equal(o.names[2], "gamma");
	assert_null(o.names[3]);
	assert_true(parse("wait --for a=serving@4.1 --for b=absent --timeout 1min", &o, &err));
	assert_string_equal(o.conditions[0], "a=serving@4.1");
	assert_string_equal(o.conditions[1], "b=absent");
	assert_null(o.conditions[2]);
	assert_int_equal(o.timeout, 60000);
}

static void what_is_wrong_is_named_with_the_nearest_right_word(void **state)
{
	static const struct {
		const char *line, *says, *also;
	} wrong[] = {
		{"--profil x", "\"--profil\"", "\"--profile\""},
		{"--prof=x", "\"--prof\"", "\"--profile\""},
		{"status --josn", "\"--josn\"", "\"--json\""},
		{"stauts", "\"stauts\"", "\"status\""},
		{"statsu --json", "\"statsu\"", "\"status\""},
		{"frobnicate", "\"frobnicate\"", "laketop --help"},
		{"--frobnicate", "\"--frobnicate\"", "--help"},
		{"--json", "--json needs a command", ""},
		{"check --theme day", "takes no --theme", ""},
		{"doctor x", "takes no \"x\"", ""},
		{"status --within 3x", "3x", "2s"},
		{"status --within", "--within needs a value", "TIME"},
		{"--profile=", "--profile needs a value", "NAME|FILE"},
		{"status --json=yes", "--json takes no value", ""},
		{"wait", "needs --for", ""},
		{"--record a --replay b", "exclude each other", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct options o;
		struct err err;

		assert_false(parse(wrong[i].line, &o, &err));
		assert_int_equal(err.code, ERR_USAGE);
		if (!strstr(err.words, wrong[i].says) || !strstr(err.words, wrong[i].also))
			fail_msg("%s: %s", wrong[i].line, err.words);
		assert_null(strchr(err.words, '\n'));
	}
}

static void too_many_names_are_refused_not_dropped(void **state)
{
	char line[512] = "check";
	struct options o;
	struct err err;

	(void)state;
	for (size_t i = 0; i <= NAMES_MAX; i++)
		memcpy(line + strlen(line), " a", 3);
	assert_false(parse(line, &o, &err));
}

static void durations_have_a_unit(void **state)
{
	static const struct {
		const char *s;
		int64_t ms;
	} good[] = {{"8", 8000}, {"2s", 2000}, {"500ms", 500}, {"1min", 60000}, {"1m", 60000}, {"1h", 3600000}, {"0", 0}};
	static const char *const bad[] = {"", "s", "-1", "1.5s", "2 s", "99999999999", "2sec", "0x10"};
	int64_t ms;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_true(options_duration(good[i].s, &ms));
		assert_int_equal(ms, good[i].ms);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(options_duration(bad[i], &ms));
}

static void every_option_is_in_the_help_and_is_understood(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 1 << 16);
	options_help(COMMAND_SCREEN, &out);
	for (const struct option_spec *spec = option_specs; spec->name; spec++) {
		const char *value = !strcmp(spec->name, "-n") ? "2" : "2s";
		char line[128];
		struct options o;
		struct err err;
		int command = 0;

		assert_non_null(strstr(out.at, spec->name));
		while (spec->commands && !(spec->commands & (1u << command)))
			command++;
		snprintf(line, sizeof line, "%s%s %s%s%s%s", command_specs[command].name,
			command_specs[command].arguments[0] && command_specs[command].arguments[0] != '[' ? " t" : "", spec->name,
			spec->argument ? "=" : "", spec->argument ? value : "", command == COMMAND_WAIT ? " --for a=serving" : "");
		if (!parse(line, &o, &err))
			fail_msg("%s: %s", line, err.words);
	}
	for (int c = COMMAND_STATUS; c < COMMAND_COUNT; c++)
		assert_non_null(strstr(out.at, command_specs[c].name));
	buf_free(&out);
}

static void the_help_of_a_command_tells_its_options_only(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 1 << 16);
	options_help(COMMAND_WAIT, &out);
	assert_non_null(strstr(out.at, "--timeout"));
	assert_null(strstr(out.at, "--theme"));
	buf_free(&out);
}

static void a_plan_takes_an_action_and_a_table(void **state)
{
	struct options o;
	struct err err;

	(void)state;
	assert_true(parse("plan compact bronze.orders --json", &o, &err));
	assert_int_equal(o.command, COMMAND_PLAN);
	assert_string_equal(o.names[0], "compact");
	assert_string_equal(o.names[1], "bronze.orders");
	assert_false(parse("plan compact", &o, &err));
	assert_string_equal(err.words, "\"laketop plan\" needs ACTION TABLE [name=value...]");
	assert_false(parse("table a b", &o, &err));
	assert_string_equal(err.words, "\"laketop table\" takes TABLE, and no \"b\"");
	assert_true(parse("table a --files", &o, &err));
	assert_true(o.files);
	assert_false(parse("tables --files", &o, &err));
	assert_true(parse("plan --help", &o, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_opens_the_screen),
		cmocka_unit_test(options_stand_before_or_after_the_command),
		cmocka_unit_test(a_value_that_looks_like_a_command_is_a_value),
		cmocka_unit_test(check_takes_names_and_wait_takes_conditions),
		cmocka_unit_test(what_is_wrong_is_named_with_the_nearest_right_word),
		cmocka_unit_test(too_many_names_are_refused_not_dropped),
		cmocka_unit_test(durations_have_a_unit),
		cmocka_unit_test(every_option_is_in_the_help_and_is_understood),
		cmocka_unit_test(the_help_of_a_command_tells_its_options_only),
		cmocka_unit_test(a_plan_takes_an_action_and_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
