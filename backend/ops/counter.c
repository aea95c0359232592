// SPDX-License-Identifier: MIT
/*
 * What a program's line says of its progress: "12,345 rows", "rows=12345", "300 of 5000 records", "45%".
 * A figure per second is a rate of its own, and no count. Pure.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"

static const char *const units[] = {"rows", "records", "events", "messages", "orders", "items", "files", "batches", "tables", NULL};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* "12,345", "12_345", "12345": digits, parted or not. Moves past it. */
static bool read_number(const char **at, const char *end, int64_t *n)
{
	const char *s = *at;
	int64_t value = 0;

	if (s == end || *s < '0' || *s > '9')
		return false;
	for (; s < end && ((*s >= '0' && *s <= '9') || ((*s == ',' || *s == '_') && s + 1 < end && s[1] >= '0' && s[1] <= '9')); s++) {
		if (*s == ',' || *s == '_')
			continue;
		if (value > (INT64_MAX - 9) / 10)
			return false;
		value = value * 10 + (*s - '0');
	}
	*at = s;
	*n = value;
	return true;
}

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return s;
}

/* A unit that stands here, as a whole word; NULL: none. */
static const char *unit_at(const char *s, const char *end)
{
	for (size_t i = 0; units[i]; i++) {
		size_t n = strlen(units[i]);

		if ((size_t)(end - s) >= n && !strncasecmp(s, units[i], n) && ((size_t)(end - s) == n || !is_letter(s[n])))
			return units[i];
	}
	return NULL;
}

static bool is_rate(const char *s, const char *end)
{
	s = skip_blanks(s, end);
	return (end - s >= 2 && *s == '/' && (s[1] == 's' || s[1] == ' ')) || (end - s >= 4 && !strncmp(s, "per ", 4));
}

/* A number that begins here, and what it counts. Moves past the number. */
static void read_count(const char **at, const char *end, struct counter *out)
{
	const char *s, *unit;
	int64_t n, total = -1;

	if (!read_number(at, end, &n)) {
		while (*at < end && **at >= '0' && **at <= '9')
			(*at)++;
		return;
	}
	s = *at;
	if (s < end && *s == '.') { /* 3.5 is no count; it may be a share */
		while (s < end && ((*s >= '0' && *s <= '9') || *s == '.'))
			s++;
		*at = s;
		if (s < end && *s == '%' && isnan(out->part) && n <= 100)
			out->part = (double)n / 100;
		return;
	}
	if (s < end && *s == '%') {
		if (isnan(out->part) && n <= 100)
			out->part = (double)n / 100;
		return;
	}
	s = skip_blanks(s, end);
	if (s < end && (*s == '/' || (end - s > 3 && !strncmp(s, "of ", 3)))) {
		const char *after = skip_blanks(s + (*s == '/' ? 1 : 3), end);

		if (read_number(&after, end, &total))
			s = skip_blanks(after, end);
	}
	unit = unit_at(s, end);
	if (!unit)
		return;
	if (is_rate(s + strlen(unit), end)) {
		out->rated = true;
		return;
	}
	if (out->unit)
		return;
	out->unit = unit;
	out->n = n;
	if (total > 0 && n <= total)
		out->part = (double)n / (double)total;
}

void counter_read(struct text line, struct counter *out)
{
	const char *s = line.at, *end = line.at + line.len;

	*out = (struct counter){.part = (double)NAN};
	while (s < end) {
		const char *unit = s == line.at || !is_letter(s[-1]) ? unit_at(s, end) : NULL;

		if (unit) { /* "rows: 12", "rows=12" */
			const char *after = skip_blanks(s + strlen(unit), end);
			int64_t n;

			s += strlen(unit);
			if (after == end || (*after != ':' && *after != '='))
				continue;
			after = skip_blanks(after + 1, end);
			if (!out->unit && read_number(&after, end, &n)) {
				out->unit = unit;
				out->n = n;
				s = after;
			}
		} else if (*s >= '0' && *s <= '9' && (s == line.at || (!is_letter(s[-1]) && s[-1] != '.' && s[-1] != '-'))) {
			read_count(&s, end, out);
		} else
			s++;
	}
}

void pace_take(struct pace *p, const struct counter *c, int64_t now)
{
	if (!c->unit)
		return;
	if (!p->unit || strcmp(p->unit, c->unit) != 0 || c->n < p->last.n)
		*p = (struct pace){.unit = c->unit, .first = {now, c->n}};
	p->last = (struct pace_sample){now, c->n};
	if (p->n && now - p->samples[(p->n - 1) % PACE_SAMPLES].at < PACE_MS)
		return;
	p->samples[p->n++ % PACE_SAMPLES] = p->last;
}

/* Over the last seconds, not over all of it: a pause is seen. */
double pace_rate(const struct pace *p)
{
	const struct pace_sample *then = p->n > PACE_SAMPLES ? &p->samples[p->n % PACE_SAMPLES] : &p->samples[0];

	if (!p->n || p->last.at - then->at < PACE_MS)
		return (double)NAN;
	return (double)(p->last.n - then->n) * 1000 / (double)(p->last.at - then->at);
}

double pace_whole(const struct pace *p)
{
	if (!p->unit || p->last.at - p->first.at < PACE_MS)
		return (double)NAN;
	return (double)(p->last.n - p->first.n) * 1000 / (double)(p->last.at - p->first.at);
}
