// SPDX-License-Identifier: MIT
/* Values and how a screen shows them. Pure, any thread. */
#include "value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "text.h"

static const char *const unit_names[] = {
	[UNIT_NONE] = "none",       [UNIT_COUNT] = "count",     [UNIT_RECORDS] = "records", [UNIT_BYTES] = "bytes",
	[UNIT_MS] = "ms",           [UNIT_SECONDS] = "seconds", [UNIT_PERCENT] = "percent", [UNIT_CORES] = "cores",
	[UNIT_PER_SECOND] = "per_second", [UNIT_TIME] = "time",
};

const char *unit_name(enum unit unit)
{
	return (unsigned)unit < sizeof unit_names / sizeof *unit_names ? unit_names[unit] : "none";
}

struct value value_int(int64_t i)
{
	return (struct value){.type = VALUE_INT, .u.i = i};
}

struct value value_real(double r)
{
	return isfinite(r) ? (struct value){.type = VALUE_REAL, .u.r = r} : value_unknown();
}

struct value value_bool(bool b)
{
	return (struct value){.type = VALUE_BOOL, .u.b = b};
}

struct value value_text(const char *s)
{
	return s ? (struct value){.type = VALUE_TEXT, .u.s = s} : value_unknown();
}

struct value value_unknown(void)
{
	return (struct value){.type = VALUE_UNKNOWN};
}

const char *value_string(struct value v)
{
	return v.type == VALUE_TEXT ? v.u.s : "";
}

double value_number(struct value v)
{
	switch (v.type) {
	case VALUE_INT:
		return (double)v.u.i;
	case VALUE_REAL:
		return v.u.r;
	case VALUE_BOOL:
		return v.u.b ? 1 : 0;
	case VALUE_TEXT:
	case VALUE_UNKNOWN:
		break;
	}
	return (double)NAN;
}

int value_compare(struct value a, struct value b)
{
	double x, y;

	if (a.type == VALUE_UNKNOWN || b.type == VALUE_UNKNOWN)
		return (a.type == VALUE_UNKNOWN) - (b.type == VALUE_UNKNOWN);
	if (a.type == VALUE_TEXT && b.type == VALUE_TEXT)
		return strcmp(a.u.s, b.u.s);
	if (a.type == VALUE_INT && b.type == VALUE_INT) /* exact beyond 2^53 */
		return (a.u.i > b.u.i) - (a.u.i < b.u.i);
	x = value_number(a);
	y = value_number(b);
	return (x > y) - (x < y);
}

/* 1234567 as 1,234,567 */
static void show_grouped(char *out, size_t size, int64_t i)
{
	char digits[24];
	size_t len = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, i < 0 ? -(uint64_t)i : (uint64_t)i), used = 0;

	if (i < 0 && used + 1 < size)
		out[used++] = '-';
	for (size_t k = 0; k < len && used + 2 < size; k++) {
		if (k && (len - k) % 3 == 0)
			out[used++] = ',';
		out[used++] = digits[k];
	}
	out[used] = '\0';
}

static void show_bytes(char *out, size_t size, double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	size_t u = 0;

	while (fabs(bytes) >= 1024 && u + 1 < sizeof units / sizeof *units) {
		bytes /= 1024;
		u++;
	}
	snprintf(out, size, u && fabs(bytes) < 10 ? "%.1f %s" : "%.0f %s", bytes, units[u]);
}

static void show_ms(char *out, size_t size, double ms)
{
	char span[CLOCK_TEXT];

	if (fabs(ms) < 10)
		snprintf(out, size, "%.3g ms", ms);
	else if (fabs(ms) < 10000)
		snprintf(out, size, "%.0f ms", ms);
	else
		snprintf(out, size, "%s", clock_span(span, (int64_t)ms));
}

static void show_number(char *out, size_t size, struct value v)
{
	if (v.type == VALUE_INT)
		show_grouped(out, size, v.u.i);
	else if (fabs(v.u.r) >= 100)
		show_grouped(out, size, (int64_t)llround(fmin(fmax(v.u.r, -9e18), 9e18)));
	else
		snprintf(out, size, "%.3g", v.u.r);
}

char *value_show(char out[VALUE_TEXT_SIZE], struct value v, enum unit unit)
{
	char words[VALUE_TEXT_SIZE - 8];
	double n = value_number(v);

	switch (v.type) {
	case VALUE_UNKNOWN:
		return text_copy(out, VALUE_TEXT_SIZE, TEXT("-"));
	case VALUE_TEXT:
		return text_clean(out, VALUE_TEXT_SIZE, text_of(v.u.s));
	case VALUE_BOOL:
		return text_copy(out, VALUE_TEXT_SIZE, v.u.b ? TEXT("yes") : TEXT("no"));
	case VALUE_INT:
	case VALUE_REAL:
		break;
	}
	switch (unit) {
	case UNIT_BYTES:
		show_bytes(words, sizeof words, n);
		break;
	case UNIT_MS:
		show_ms(words, sizeof words, n);
		break;
	case UNIT_SECONDS:
		show_ms(words, sizeof words, n * 1000);
		break;
	case UNIT_PERCENT:
		snprintf(words, sizeof words, "%.0f %%", n);
		break;
	case UNIT_CORES:
		snprintf(words, sizeof words, "%.3g", n);
		break;
	case UNIT_TIME:
		clock_hms(words, (int64_t)n);
		break;
	case UNIT_PER_SECOND: {
		char number[VALUE_TEXT_SIZE - 16];

		show_number(number, sizeof number, v);
		snprintf(words, sizeof words, "%s/s", number);
		break;
	}
	case UNIT_NONE: /* an id: its digits */
		if (v.type == VALUE_INT)
			snprintf(words, sizeof words, "%lld", (long long)v.u.i);
		else
			show_number(words, sizeof words, v);
		break;
	case UNIT_COUNT:
	case UNIT_RECORDS:
		show_number(words, sizeof words, v);
		break;
	}
	snprintf(out, VALUE_TEXT_SIZE, "%s%s", v.at_least ? "≥ " : "", words);
	return out;
}
