// SPDX-License-Identifier: MIT
/*
 * What a user chooses of a preview, as words after its name: "expire older_than=7d retain_last=5". What
 * the engine would refuse is refused here, with the reason. Pure.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "plan.h"

static const int64_t hour = 3600000, day = 86400000;

static const struct {
	const char *view;
	const char *const *options;
} takes[] = {
	{"compact", (const char *const[]){"target", "min_files", NULL}},
	{"expire", (const char *const[]){"older_than", "retain_last", NULL}},
	{"orphans", (const char *const[]){"older_than", NULL}},
	{"vacuum", (const char *const[]){"retain", NULL}},
};

const char *const *plan_options(const char *view)
{
	static const char *const none[] = {NULL};

	for (size_t i = 0; i < sizeof takes / sizeof *takes; i++)
		if (!strcmp(takes[i].view, view))
			return takes[i].options;
	return none;
}

const char *plan_option_help(const char *option)
{
	static const struct {
		const char *option, *help;
	} helps[] = {
		{"older_than", "7d, 36h, or a day: 2026-11-20"}, {"retain_last", "as many snapshots stay: 5"}, {"retain", "hours, or 10d"},
		{"target", "size of a file: 128MB, 512MB"}, {"min_files", "a group of fewer stays as it is: 2"},
	};

	for (size_t i = 0; i < sizeof helps / sizeof *helps; i++)
		if (!strcmp(helps[i].option, option))
			return helps[i].help;
	return "";
}

/* ---- values ---- */

static bool with_unit(struct text t, const char *const *units, const int64_t *factors, int64_t *out)
{
	size_t digits = 0;
	int64_t n;

	while (digits < t.len && t.at[digits] >= '0' && t.at[digits] <= '9')
		digits++;
	if (digits > 15 || !text_i64((struct text){t.at, digits}, &n))
		return false;
	for (size_t i = 0; units[i]; i++)
		if (strlen(units[i]) == t.len - digits && !strncasecmp(units[i], t.at + digits, t.len - digits)) {
			if (n > INT64_MAX / 1024 / factors[i])
				return false;
			*out = n * factors[i];
			return true;
		}
	return false;
}

static bool is_day(struct text t, int64_t *out)
{
	struct tm tm = {0};
	char s[40];
	const char *end;

	if (t.len >= sizeof s)
		return false;
	end = strptime(text_copy(s, sizeof s, t), "%Y-%m-%d", &tm);
	if (end && (*end == 'T' || *end == ' '))
		end = strptime(end + 1, "%H:%M:%S", &tm);
	if (!end || (strcmp(end, "") && strcmp(end, "Z")))
		return false;
	*out = (int64_t)timegm(&tm) * 1000;
	return *out > 0;
}

static bool take_older_than(const char *view, struct text value, int64_t now, struct plan_choice *out, struct err *err)
{
	static const char *const units[] = {"d", "h", "min", "s", NULL};
	const int64_t factors[] = {day, hour, 60000, 1000};
	int64_t ago;

	if (with_unit(value, units, factors, &ago) && ago < now)
		out->older_than = now - ago;
	else if (!is_day(value, &out->older_than))
		return err_set(err, ERR_USAGE, "older_than=%.*s: expected %s", (int)value.len, value.at, plan_option_help("older_than"));
	if (!strcmp(view, "orphans") && out->older_than > now - day)
		return err_set(err, ERR_USAGE, "older_than=%.*s: files younger than a day may belong to a commit that runs, and the procedure refuses it",
			(int)value.len, value.at);
	if (out->older_than > now)
		return err_set(err, ERR_USAGE, "older_than=%.*s is yet to come", (int)value.len, value.at);
	return true;
}

static bool take_size(struct text value, int64_t *out)
{
	static const char *const units[] = {"KB", "KiB", "MB", "MiB", "GB", "GiB", "", NULL};
	static const int64_t factors[] = {1LL << 10, 1LL << 10, 1LL << 20, 1LL << 20, 1LL << 30, 1LL << 30, 1};

	return with_unit(value, units, factors, out) && *out >= 1024;
}

static bool no_option(const char *view, struct text name, struct err *err)
{
	char all[128] = "";

	for (const char *const *option = plan_options(view); *option; option++) {
		size_t len = strlen(all);

		snprintf(all + len, sizeof all - len, "%s%s", len ? ", " : ": it takes ", *option);
	}
	return err_set(err, ERR_USAGE, "%s takes no option \"%.*s\"%s", view, (int)name.len, name.at, all);
}

static bool take(const char *view, struct text name, struct text value, int64_t now, struct plan_choice *out, struct err *err)
{
	static const char *const spans[] = {"h", "d", "", NULL};
	const int64_t factors[] = {hour, day, hour};
	const char *const *option = plan_options(view);
	bool good;

	while (*option && !text_is(name, *option))
		option++;
	if (!*option)
		return no_option(view, name, err);
	if (text_is(name, "older_than"))
		return take_older_than(view, value, now, out, err);
	if (text_is(name, "retain_last"))
		good = text_i64(value, &out->retain_last) && out->retain_last >= 1;
	else if (text_is(name, "min_files"))
		good = text_i64(value, &out->min_files) && out->min_files >= 1;
	else if (text_is(name, "target"))
		good = take_size(value, &out->target);
	else if ((good = with_unit(value, spans, factors, &out->retain)) && !out->retain)
		out->retain = 1; /* nothing at all is said, too */
	return good || err_set(err, ERR_USAGE, "%s=%.*s: expected %s", *option, (int)value.len, value.at,
		text_is(name, "retain_last") || text_is(name, "min_files") ? "a number from 1 on" : plan_option_help(*option));
}

bool plan_choice_read(const char *view, int64_t now, char name[PLAN_VIEW_SIZE], struct plan_choice *out, struct err *err)
{
	struct text rest = text_of(view), word;

	*out = (struct plan_choice){0};
	name[0] = '\0';
	if (text_word(&rest, &word))
		text_copy(name, PLAN_VIEW_SIZE, word);
	while (text_word(&rest, &word)) {
		struct text option = text_until(word, '=');

		if (option.len + 1 >= word.len)
			return err_set(err, ERR_USAGE, "\"%.*s\": expected NAME=VALUE", (int)word.len, word.at);
		if (!take(name, option, text_after(word, '='), now, out, err))
			return false;
	}
	return true;
}
