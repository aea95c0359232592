// SPDX-License-Identifier: MIT
/*
 * What a line of a log says of itself. The stamps are those of servers that a lakehouse runs; each was
 * seen in a real log of that server, and each is a case of the unit test.
 */
#include <ctype.h>
#include <string.h>
#include <time.h>

#include "logs.h"

static const struct {
	const char *word;
	enum log_level level;
} words[] = { /* longest first where one begins with another */
	{"TRACE", LOG_TRACE}, {"FINEST", LOG_TRACE}, {"FINER", LOG_TRACE},
	{"DEBUG5", LOG_DEBUG}, {"DEBUG4", LOG_DEBUG}, {"DEBUG3", LOG_DEBUG}, {"DEBUG2", LOG_DEBUG}, {"DEBUG1", LOG_DEBUG}, {"DEBUG", LOG_DEBUG},
	{"FINE", LOG_DEBUG}, {"CONFIG", LOG_DEBUG},
	{"INFO", LOG_INFO}, {"NOTICE", LOG_INFO}, {"LOG", LOG_INFO}, {"STATEMENT", LOG_INFO}, {"DETAIL", LOG_INFO}, {"HINT", LOG_INFO},
	{"CONTEXT", LOG_INFO}, {"QUERY", LOG_INFO},
	{"WARNING", LOG_WARN}, {"WARN", LOG_WARN},
	{"ERROR", LOG_ERROR}, {"ERR", LOG_ERROR}, {"SEVERE", LOG_ERROR}, {"EXCEPTION", LOG_ERROR},
	{"CRITICAL", LOG_FATAL}, {"CRIT", LOG_FATAL}, {"FATAL", LOG_FATAL}, {"PANIC", LOG_FATAL}, {"EMERG", LOG_FATAL}, {"ALERT", LOG_FATAL},
};
enum { N_WORDS = sizeof words / sizeof *words, LEVEL_WITHIN = 80 };

const char *log_level_word(enum log_level level)
{
	static const char *const names[] = {"", "TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"};

	return names[level];
}

bool log_level_named(struct text word, enum log_level *out)
{
	for (size_t i = 0; i < N_WORDS; i++)
		if (word.len == strlen(words[i].word) && !strncasecmp(word.at, words[i].word, word.len)) {
			*out = words[i].level;
			return true;
		}
	return false;
}

/* ---- stamps ---- */

static bool number(struct text *t, size_t digits, int *out)
{
	int n = 0;

	if (t->len < digits)
		return false;
	for (size_t i = 0; i < digits; i++) {
		if (!isdigit((unsigned char)t->at[i]))
			return false;
		n = n * 10 + (t->at[i] - '0');
	}
	*out = n;
	*t = (struct text){t->at + digits, t->len - digits};
	return true;
}

static bool one_of(struct text *t, const char *set)
{
	if (!t->len || !strchr(set, t->at[0]))
		return false;
	t->at++;
	t->len--;
	return true;
}

/* ".123", ",123456": ms of it. */
static int fraction(struct text *t)
{
	struct text rest = *t;
	int ms = 0, scale = 100;

	if (!one_of(&rest, ".,") || !rest.len || !isdigit((unsigned char)rest.at[0]))
		return 0;
	for (; rest.len && isdigit((unsigned char)rest.at[0]); rest.at++, rest.len--) {
		ms += (rest.at[0] - '0') * scale;
		scale /= 10;
	}
	*t = rest;
	return ms;
}

/* "Z", "+0000", "+01:00", " UTC": minutes east; false: none is named. */
static bool zone(struct text *t, int *minutes)
{
	struct text rest = *t;
	int hours, more = 0, sign;

	*minutes = 0;
	if (text_skip(t, "Z") || text_skip(t, " UTC") || text_skip(t, " GMT"))
		return true;
	if (!rest.len || !strchr("+-", rest.at[0]))
		return false;
	sign = rest.at[0] == '-' ? -1 : 1;
	rest.at++;
	rest.len--;
	if (!number(&rest, 2, &hours))
		return false;
	one_of(&rest, ":");
	number(&rest, 2, &more);
	*minutes = sign * (hours * 60 + more);
	*t = rest;
	return true;
}

static int64_t moment(int year, int month, int day, int h, int m, int s, int ms, bool zoned, int minutes)
{
	struct tm tm = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = h, .tm_min = m, .tm_sec = s, .tm_isdst = -1};
	time_t at;

	if (month < 1 || month > 12 || day < 1 || day > 31 || h > 24 || m > 59 || s > 60)
		return -1;
	at = zoned ? timegm(&tm) - (time_t)minutes * 60 : mktime(&tm);
	return at < 0 ? -1 : (int64_t)at * 1000 + ms;
}

static bool clock_of(struct text *t, int *h, int *m, int *s, int *ms)
{
	struct text rest = *t;

	if (!number(&rest, 2, h) || !one_of(&rest, ":") || !number(&rest, 2, m) || !one_of(&rest, ":") || !number(&rest, 2, s))
		return false;
	*ms = fraction(&rest);
	*t = rest;
	return true;
}

/* "2026-11-29 18:04:05,123", "2026-11-29T18:04:05.123Z", "2026/11/29 18:04:05", "26/11/29 18:04:05" */
static int64_t dated(struct text *t)
{
	struct text rest = *t;
	int year, month, day, h, m, s, ms, minutes;
	bool zoned;

	if (number(&rest, 4, &year)) {
		if (!one_of(&rest, "-/") || !number(&rest, 2, &month) || !one_of(&rest, "-/") || !number(&rest, 2, &day))
			return -1;
	} else if (number(&rest, 2, &year)) {
		year += 2000;
		if (!one_of(&rest, "/") || !number(&rest, 2, &month) || !one_of(&rest, "/") || !number(&rest, 2, &day))
			return -1;
	} else
		return -1;
	if (!one_of(&rest, "T ") || !clock_of(&rest, &h, &m, &s, &ms))
		return -1;
	zoned = zone(&rest, &minutes);
	*t = rest;
	return moment(year, month, day, h, m, s, ms, zoned, minutes);
}

static int year_of(int64_t now, int month)
{
	time_t seconds = (time_t)(now / 1000);
	struct tm tm;

	localtime_r(&seconds, &tm);
	/* December's lines read in January are last year's */
	return tm.tm_year + 1900 - (month > tm.tm_mon + 2);
}

/* "I1129 18:04:05.123456 master.go:12" of glog */
static int64_t glog(struct text *t, int64_t now, enum log_level *level)
{
	static const char letters[] = "IWEF";
	static const enum log_level levels[] = {LOG_INFO, LOG_WARN, LOG_ERROR, LOG_FATAL};
	struct text rest = *t;
	const char *letter = rest.len ? strchr(letters, rest.at[0]) : NULL;
	int month, day, h, m, s, ms;
	int64_t at;

	if (!letter || !*letter)
		return -1;
	rest.at++;
	rest.len--;
	if (!number(&rest, 2, &month) || !number(&rest, 2, &day) || !one_of(&rest, " ") || !clock_of(&rest, &h, &m, &s, &ms))
		return -1;
	at = moment(year_of(now, month), month, day, h, m, s, ms, false, 0);
	if (at < 0)
		return -1;
	*level = levels[letter - letters];
	*t = rest;
	return at;
}

/* "Nov 29, 2026 6:04:05 PM" of java.util.logging */
static int64_t julian(struct text *t)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct text rest = *t;
	int month = 0, day, year, h, m, s;
	char name[4];
	const char *at;

	if (rest.len < 22)
		return -1;
	text_copy(name, sizeof name, (struct text){rest.at, 3});
	at = strstr(months, name);
	if (!at || (at - months) % 3)
		return -1;
	month = (int)(at - months) / 3 + 1;
	rest = (struct text){rest.at + 3, rest.len - 3};
	if (!one_of(&rest, " ") || (!number(&rest, 2, &day) && !number(&rest, 1, &day)) || !text_skip(&rest, ", ") || !number(&rest, 4, &year) ||
		!one_of(&rest, " ") || (!number(&rest, 2, &h) && !number(&rest, 1, &h)) || !one_of(&rest, ":") || !number(&rest, 2, &m) ||
		!one_of(&rest, ":") || !number(&rest, 2, &s))
		return -1;
	if (text_skip(&rest, " PM"))
		h = h % 12 + 12;
	else if (text_skip(&rest, " AM"))
		h %= 12;
	*t = rest;
	return moment(year, month, day, h, m, s, 0, false, 0);
}

/* ---- levels ---- */

static bool ends_word(char c)
{
	return !isalnum((unsigned char)c) && c != '_' && c != '.';
}

/* The first word near the beginning that is a level's name, in capitals, or in brackets or before a colon. Moves rest behind it. */
static enum log_level level_in(struct text *rest)
{
	size_t within = rest->len < LEVEL_WITHIN ? rest->len : LEVEL_WITHIN;

	for (size_t i = 0; i < within; i++) {
		if (i && !ends_word(rest->at[i - 1]))
			continue;
		for (size_t k = 0; k < N_WORDS; k++) {
			size_t n = strlen(words[k].word);
			bool whole = i + n <= rest->len && (i + n == rest->len || ends_word(rest->at[i + n]));
			bool marked = i + n < rest->len && (rest->at[i + n] == ':' || rest->at[i + n] == ']' || rest->at[i + n] == ' ') &&
				(rest->at[i + n] == ':' || (i && rest->at[i - 1] == '['));

			if (!whole || strncasecmp(rest->at + i, words[k].word, n) != 0 || (strncmp(rest->at + i, words[k].word, n) != 0 && !marked))
				continue;
			/* "LOG" or "ERROR" of a sentence is none: what comes before a level is short and has no prose */
			rest->at += i + n;
			rest->len -= i + n;
			while (rest->len && strchr(" \t:]-|", rest->at[0])) {
				rest->at++;
				rest->len--;
			}
			return words[k].level;
		}
	}
	return LOG_UNKNOWN;
}

/* {"level":"info",...}: enough of JSON for one key */
static enum log_level level_of_json(struct text line)
{
	static const char *const keys[] = {"\"level\":\"", "\"severity\":\"", "\"levelname\":\"", "\"level\": \""};
	enum log_level level;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (text_has(line, keys[i]) && log_level_named(text_between(line, keys[i], "\""), &level))
			return level;
	return LOG_UNKNOWN;
}

static bool looks_continued(struct text line)
{
	static const char *const begins[] = {
		"\t", "    ", "  at ", " at ", "Caused by:", "Suppressed:", "Traceback (most recent call last)", "... ", "goroutine ", "During handling of the",
		"The above exception was", "}", "==>",
	};

	if (!line.len)
		return true;
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (text_starts(line, begins[i]))
			return strcmp(begins[i], "==>") != 0;
	return false;
}

void log_line_read(struct text line, int64_t now, struct log_line_facts *out)
{
	struct text t = line;

	*out = (struct log_line_facts){.at = -1, .rest = line};
	if (looks_continued(line)) {
		out->continues = true;
		return;
	}
	one_of(&t, "["); /* Kafka's and airflow's stamps stand in brackets */
	out->at = dated(&t);
	if (out->at < 0)
		out->at = glog(&t, now, &out->level);
	if (out->at < 0)
		out->at = julian(&t);
	if (out->at < 0)
		t = line;
	else
		one_of(&t, "]");
	if (!out->level)
		out->level = text_starts(line, "{") ? level_of_json(line) : level_in(&t);
	out->rest = text_trim(t);
}
