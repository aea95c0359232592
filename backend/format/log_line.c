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
	bool colon; /* it is a word of prose as well: only with a colon behind it is it a level */
} words[] = {
	{"TRACE", LOG_TRACE, false}, {"FINEST", LOG_TRACE, true}, {"FINER", LOG_TRACE, true},
	{"DEBUG", LOG_DEBUG, false}, {"DEBUG1", LOG_DEBUG, true}, {"DEBUG2", LOG_DEBUG, true}, {"DEBUG3", LOG_DEBUG, true},
	{"DEBUG4", LOG_DEBUG, true}, {"DEBUG5", LOG_DEBUG, true}, {"FINE", LOG_DEBUG, true}, {"CONFIG", LOG_DEBUG, true},
	{"INFO", LOG_INFO, false}, {"NOTICE", LOG_INFO, false}, {"LOG", LOG_INFO, true}, {"STATEMENT", LOG_INFO, true},
	{"DETAIL", LOG_INFO, true}, {"HINT", LOG_INFO, true}, {"CONTEXT", LOG_INFO, true}, {"QUERY", LOG_INFO, true},
	{"WARNING", LOG_WARN, false}, {"WARN", LOG_WARN, false},
	{"ERROR", LOG_ERROR, false}, {"ERR", LOG_ERROR, false}, {"SEVERE", LOG_ERROR, false},
	{"CRITICAL", LOG_FATAL, false}, {"CRIT", LOG_FATAL, false}, {"FATAL", LOG_FATAL, false}, {"PANIC", LOG_FATAL, true},
	{"EMERG", LOG_FATAL, true}, {"ALERT", LOG_FATAL, true}, {"BLOCKING", LOG_ERROR, true},
};
enum { N_WORDS = sizeof words / sizeof *words, LEVEL_WITHIN = 120, TOKENS_MAX = 8 };

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
	if (!t->len || !t->at[0] || !strchr(set, t->at[0]))
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
	if (!rest.len || (rest.at[0] != '+' && rest.at[0] != '-'))
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

/* mktime(3) looks whether the zone's file changed, each time: a log has thousands of lines in the same hour. */
static time_t hour_here(int year, int month, int day, int h)
{
	static _Thread_local struct { int year, month, day, h; time_t at; } last = {.month = -1};
	struct tm tm = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = h, .tm_isdst = -1};

	if (last.month != month || last.h != h || last.day != day || last.year != year) {
		last.year = year;
		last.month = month;
		last.day = day;
		last.h = h;
		last.at = mktime(&tm);
	}
	return last.at;
}

static int64_t moment(int year, int month, int day, int h, int m, int s, int ms, bool zoned, int minutes)
{
	struct tm tm = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = h, .tm_min = m, .tm_sec = s, .tm_isdst = -1};
	time_t at;

	if (month < 1 || month > 12 || day < 1 || day > 31 || h > 24 || m > 59 || s > 60)
		return -1;
	if (zoned)
		at = timegm(&tm) - (time_t)minutes * 60;
	else if ((at = hour_here(year, month, day, h)) >= 0)
		at += m * 60 + s;
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
	if (!one_of(&rest, "T "))
		return -1;
	text_skip(&rest, "- "); /* gin's */
	if (!clock_of(&rest, &h, &m, &s, &ms))
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

/* "[I 2026-11-29 18:04:05.123 ServerApp] " of Jupyter */
static int64_t jupyter(struct text *t, enum log_level *level)
{
	static const char letters[] = "DIWEC";
	static const enum log_level levels[] = {LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR, LOG_FATAL};
	struct text rest = *t;
	const char *letter = rest.len > 3 && rest.at[0] == '[' && rest.at[1] && rest.at[2] == ' ' ? strchr(letters, rest.at[1]) : NULL;
	int64_t at;

	if (!letter)
		return -1;
	rest = (struct text){rest.at + 3, rest.len - 3};
	at = dated(&rest);
	if (at < 0)
		return -1;
	*level = levels[letter - letters];
	*t = text_after(rest, ']');
	return at;
}

/* ---- levels ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void skip(struct text *t, const char *set)
{
	while (one_of(t, set))
		continue;
}

/* A word of the table, as it is written there. */
static bool level_word_is(struct text word, bool colon, enum log_level *out)
{
	for (size_t i = 0; i < N_WORDS; i++)
		if (text_is(word, words[i].word) && (colon || !words[i].colon)) {
			*out = words[i].level;
			return true;
		}
	return false;
}

/* level=info, lvl="warn" */
static bool level_key(struct text token, enum log_level *out)
{
	if (!text_skip(&token, "level=") && !text_skip(&token, "lvl="))
		return false;
	one_of(&token, "\"");
	return log_level_named(text_until(token, '"'), out);
}

/* What stands before a level is no prose: names with marks in them, numbers, what tabs or dashes set apart. */
static bool is_prefix(struct text token, struct text rest)
{
	if (rest.len && rest.at[0] == '\t')
		return true;
	if (text_starts(rest, " - "))
		return true;
	for (size_t i = 0; i < token.len; i++)
		if (isdigit((unsigned char)token.at[i]) || (token.at[i] && strchr(".@/_=", token.at[i]) && i + 1 < token.len))
			return true;
	return false;
}

static bool skip_group(struct text *t, enum log_level *level)
{
	char close = t->at[0] == '[' ? ']' : t->at[0] == '(' ? ')' : t->at[0] == '{' ? '}' : '\0';
	const char *end = close ? memchr(t->at, close, t->len) : NULL;

	if (!end)
		return false;
	if (close == ']')
		log_level_named(text_trim((struct text){t->at + 1, (size_t)(end - t->at) - 1}), level);
	t->len -= (size_t)(end + 1 - t->at);
	t->at = end + 1;
	return true;
}

/* The level that stands before any prose. Moves rest behind it. */
static enum log_level level_in(struct text *rest)
{
	struct text t = *rest;
	enum log_level level = LOG_UNKNOWN;

	for (unsigned tokens = 0; tokens < TOKENS_MAX && t.at - rest->at < LEVEL_WITHIN; tokens++) {
		struct text token, word;

		skip(&t, " \t|-");
		if (!t.len)
			return LOG_UNKNOWN;
		if (skip_group(&t, &level)) {
			if (!level)
				continue;
			skip(&t, " \t:-|");
			*rest = t;
			return level;
		}
		token = word = t;
		for (token.len = 0; token.len < t.len && !is_blank(t.at[token.len]); token.len++)
			continue;
		for (word.len = 0; word.len < token.len && isalnum((unsigned char)word.at[word.len]); word.len++)
			continue;
		if (level_key(token, &level))
			return level; /* the pairs stay as they are */
		if (level_word_is(word, word.len < token.len && token.at[word.len] == ':', &level) &&
			(word.len == token.len || token.at[word.len] == ':' || token.at[word.len] == '|')) {
			*rest = (struct text){t.at + word.len, t.len - word.len};
			skip(rest, " \t:-|");
			return level;
		}
		t = (struct text){t.at + token.len, t.len - token.len};
		if (!is_prefix(token, t))
			return LOG_UNKNOWN;
	}
	return LOG_UNKNOWN;
}

/* The text of the first of these keys of a line of JSON; enough of JSON for that. */
static struct text json_text(struct text line, const char *const *keys)
{
	for (; *keys; keys++) {
		struct text found = text_between(line, *keys, "\"");

		if (found.len)
			return found;
	}
	return (struct text){"", 0};
}

/* {"level":"info","ts":"2026-11-29T18:04:05Z",...} */
static void read_json(struct text line, struct log_line_facts *out)
{
	static const char *const levels[] = {"\"level\":\"", "\"level\": \"", "\"severity\":\"", "\"severity\": \"", "\"levelname\":\"",
		"\"levelname\": \"", "\"log.level\":\"", NULL};
	static const char *const times[] = {"\"timestamp\":\"", "\"timestamp\": \"", "\"time\":\"", "\"time\": \"", "\"ts\":\"", "\"@timestamp\":\"",
		"\"at\":\"", "\"asctime\": \"", NULL};
	struct text time = json_text(line, times);

	out->at = dated(&time);
	log_level_named(json_text(line, levels), &out->level);
}

/* "java.lang.IllegalStateException: why", "ValueError: why", "KeyboardInterrupt": the head or the foot of a trace */
static bool is_exception(struct text line)
{
	static const char *const ends[] = {"Error", "Exception", "Interrupt", "Failure"};
	size_t n = 0;

	while (n < line.len && (isalnum((unsigned char)line.at[n]) || line.at[n] == '.' || line.at[n] == '_' || line.at[n] == '$'))
		n++;
	if (n < line.len && line.at[n] != ':')
		return false;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t len = strlen(ends[i]);

		if (n > len && !memcmp(line.at + n - len, ends[i], len))
			return true;
	}
	return false;
}

static bool looks_continued(struct text line)
{
	static const char *const begins[] = {
		"Caused by:", "Suppressed:", "Traceback (most recent call last)", "... ", "goroutine ", "During handling of the above",
		"The above exception was", "}", ")", "]",
	};

	if (!line.len || is_blank(line.at[0]) || is_exception(line))
		return true;
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (text_starts(line, begins[i]))
			return true;
	return false;
}

void log_line_read(struct text line, int64_t now, struct log_line_facts *out)
{
	struct text t = line;

	*out = (struct log_line_facts){.at = -1, .rest = line};
	if (looks_continued(line)) {
		out->continues = true;
		if (is_exception(line) || text_starts(line, "Traceback"))
			out->level = LOG_ERROR;
		return;
	}
	if (text_starts(line, "{\"")) {
		read_json(line, out);
		return;
	}
	out->at = jupyter(&t, &out->level);
	if (out->at >= 0) {
		out->rest = text_trim(t);
		return;
	}
	if (text_skip(&t, "time="))
		one_of(&t, "\"");
	else if (!text_skip(&t, "[GIN] "))
		one_of(&t, "["); /* Kafka's and airflow's stamps stand in brackets */
	out->at = dated(&t);
	if (out->at < 0)
		out->at = glog(&t, now, &out->level);
	if (out->at < 0)
		out->at = julian(&t);
	if (out->at < 0)
		t = line;
	else
		one_of(&t, "]\"");
	if (!out->level)
		out->level = text_starts(t, "Exception in thread") || text_starts(t, "panic: ") ? LOG_ERROR : level_in(&t);
	out->rest = text_trim(t);
}
