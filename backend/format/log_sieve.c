// SPDX-License-Identifier: MIT
/*
 * Of the bytes of a log only the lines that may be wanted, each with the event that it belongs to: most of a large log
 * is never read line by line. The pattern runs over the bytes as they are; where cleaning would change a line it runs over the
 * cleaned one. What passes is more than what is wanted, never less: who reads it looks again. Pure.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "logs.h"

enum { HELD = 768 << 10, CARRY_MAX = 256 << 10, STAMPS_SURE = 2, STAMPS_LOOKED = 64, CHUNK = 64 };

struct log_sieve {
	struct log_sieve_options o;
	struct log_match *match; /* NULL: by level */
	bool blind;    /* it costs too much: all passes */
	char *held;    /* from the beginning of a line on */
	char *shadow;  /* the same, as it is searched: blanks for tabs */
	char *clean;   /* a line */
	size_t n;
	int64_t place; /* of held[0] */
	size_t odd;    /* the first byte from here on that cleaning changes */
	unsigned stamps;
	bool passed;   /* what stands before held[0] passed */
	bool open;     /* and the event that it belongs to may go on */
	bool in_line;  /* a line that is longer than what can be held: it passes */
};

struct log_sieve *log_sieve_new(const struct log_sieve_options *o)
{
	struct log_match *match = o->pattern ? log_match_new(o->pattern, NULL) : NULL;
	struct log_sieve *s;

	if (match ? !log_match_sifts(match) : o->least < LOG_WARN) {
		log_match_free(match);
		return NULL;
	}
	s = mem_new(1, sizeof *s);
	s->o = *o;
	s->match = match;
	s->held = mem_new(HELD, 1);
	s->shadow = mem_new(HELD, 1);
	s->clean = mem_new(3 * LOG_LINE_MAX + 1, 1);
	return s;
}

void log_sieve_free(struct log_sieve *s)
{
	if (!s)
		return;
	log_match_free(s->match);
	free(s->held);
	free(s->shadow);
	free(s->clean);
	free(s);
}

/* ---- lines ---- */

static size_t line_end(const struct log_sieve *s, size_t at, size_t end)
{
	const char *found = memchr(s->held + at, '\n', end - at);

	return found ? (size_t)(found - s->held) + 1 : end;
}

static size_t line_begin(const struct log_sieve *s, size_t at, size_t from)
{
	const char *found = at > from ? memrchr(s->held + from, '\n', at - from) : NULL;

	return found ? (size_t)(found - s->held) + 1 : from;
}

static void read_line(const struct log_sieve *s, size_t at, size_t end, struct log_line_facts *facts)
{
	size_t len = end - at;

	while (len && (s->held[at + len - 1] == '\n' || s->held[at + len - 1] == '\r'))
		len--;
	log_line_read((struct text){s->held + at, len < LOG_LINE_MAX ? len : LOG_LINE_MAX}, s->o.now, facts);
}

static bool begins_event(const struct log_sieve *s, size_t at, size_t end)
{
	struct log_line_facts facts;

	read_line(s, at, end, &facts);
	return s->stamps >= STAMPS_SURE ? facts.at >= 0 : !facts.continues;
}

static size_t event_begin(const struct log_sieve *s, size_t line, size_t end, size_t from)
{
	while (line > from && !begins_event(s, line, end)) {
		end = line;
		line = line_begin(s, line - 1, from);
	}
	return line;
}

/* Does this log stamp its lines? */
static void look_for_stamps(struct log_sieve *s, size_t end)
{
	size_t at = 0;

	for (unsigned i = 0; s->stamps < STAMPS_SURE && i < STAMPS_LOOKED && at < end; i++) {
		struct log_line_facts facts;
		size_t next = line_end(s, at, end);

		read_line(s, at, next, &facts);
		s->stamps += facts.at >= 0;
		at = next;
	}
}

/* ---- by level ---- */

/* No line is a warning or worse without one of these, in any case; three letters of each are looked for first, many at a time. */
static const struct {
	const char *word;
	unsigned from; /* its three letters */
	enum log_level level;
} words[] = {
	{"warn", 0, LOG_WARN}, {"err", 0, LOG_ERROR}, {"severe", 0, LOG_ERROR}, {"blocking", 3, LOG_ERROR}, {"exception", 0, LOG_ERROR},
	{"failure", 3, LOG_ERROR}, {"crit", 0, LOG_FATAL}, {"fatal", 0, LOG_FATAL}, {"panic", 2, LOG_FATAL}, {"emerg", 0, LOG_FATAL},
	{"alert", 1, LOG_FATAL},
};
enum { N_WORDS = sizeof words / sizeof *words, REACH = 8 };

static unsigned has_letters(const char *at, bool warnings)
{
	unsigned any = 0;

	for (size_t i = 0; i < CHUNK; i++) {
		unsigned char a = (unsigned char)(at[i] | 0x20), b = (unsigned char)(at[i + 1] | 0x20), c = (unsigned char)(at[i + 2] | 0x20);

		any |= (unsigned)((a == 'e') & (b == 'r') & (c == 'r')) | (unsigned)((a == 's') & (b == 'e') & (c == 'v')) |
			(unsigned)((a == 'c') & (b == 'k') & (c == 'i')) | (unsigned)((a == 'e') & (b == 'x') & (c == 'c')) |
			(unsigned)((a == 'l') & (b == 'u') & (c == 'r')) | (unsigned)((a == 'c') & (b == 'r') & (c == 'i')) |
			(unsigned)((a == 'f') & (b == 'a') & (c == 't')) | (unsigned)((a == 'n') & (b == 'i') & (c == 'c')) |
			(unsigned)((a == 'e') & (b == 'm') & (c == 'e')) | (unsigned)((a == 'l') & (b == 'e') & (c == 'r')) |
			(unsigned)((a == 'w') & (b == 'a') & (c == 'r') & warnings) |
			/* glog's letter in front, Jupyter's in a bracket */
			(unsigned)((at[i] == '\n') & ((at[i + 1] == 'E') | (at[i + 1] == 'F') | (at[i + 1] == 'W'))) |
			(unsigned)((at[i] == '[') & (at[i + 2] == ' '));
	}
	return any;
}

static bool bad_here(const struct log_sieve *s, size_t at, size_t end)
{
	char c = s->held[at];

	if (!at || s->held[at - 1] == '\n') {
		if (c == 'E' || c == 'F' || c == 'W' || (c == '[' && at + 2 < end && s->held[at + 2] == ' '))
			return true;
	}
	for (size_t i = 0; i < N_WORDS; i++)
		if ((c | 0x20) == words[i].word[0] && (words[i].level >= LOG_ERROR || s->o.least <= LOG_WARN) &&
			end - at >= strlen(words[i].word) && !strncasecmp(s->held + at, words[i].word, strlen(words[i].word)))
			return true;
	return false;
}

/* The next line that is as bad as that; end: none. */
static size_t next_bad(const struct log_sieve *s, size_t from, size_t end)
{
	bool warnings = s->o.least <= LOG_WARN;
	struct log_line_facts facts;
	size_t at = from;

	while (at < end) {
		/* the letters may stand some way behind the beginning of the word: a chunk that has none is left, but for its end */
		if (at > from && at + CHUNK + 2 <= end && !has_letters(s->held + at - 1, warnings)) {
			at += CHUNK - REACH;
			continue;
		}
		for (size_t to = at + CHUNK < end ? at + CHUNK : end; at < to; at++)
			if (bad_here(s, at, end)) {
				size_t line = line_begin(s, at, from);

				at = line_end(s, at, end);
				read_line(s, line, at, &facts);
				if (facts.level >= s->o.least)
					return line;
				break;
			}
	}
	return end;
}

/* ---- by pattern ---- */

static bool is_odd(char c)
{
	return c != '\n' && (unsigned char)(c - 0x20) >= 0x5f;
}

static size_t next_odd(const struct log_sieve *s, size_t at, size_t end)
{
	while (at + CHUNK <= end) {
		unsigned any = 0;

		for (size_t i = 0; i < CHUNK; i++)
			any |= (unsigned)(s->shadow[at + i] != '\n') & (unsigned)((unsigned char)(s->shadow[at + i] - 0x20) >= 0x5f);
		if (any)
			break;
		at += CHUNK;
	}
	while (at < end && !is_odd(s->shadow[at]))
		at++;
	return at;
}

/* As it will be shown. */
static bool found_clean(struct log_sieve *s, size_t at, size_t end)
{
	size_t len = end - at;

	while (len && (s->held[at + len - 1] == '\n' || s->held[at + len - 1] == '\r'))
		len--;
	text_clean(s->clean, 3 * LOG_LINE_MAX + 1, (struct text){s->held + at, len < LOG_LINE_MAX ? len : LOG_LINE_MAX});
	return log_match_in(s->match, text_of(s->clean), 0, NULL, NULL);
}

static bool found(struct log_sieve *s, size_t from, size_t end, size_t *hit)
{
	int result = end > from ? log_match_raw(s->match, (struct text){s->shadow + from, end - from}, hit) : 0;

	if (result < 0)
		s->blind = true;
	*hit = result < 0 ? from : from + *hit;
	return result != 0;
}

/* The next place in whole lines that may be wanted; end: none. from: where a line begins. */
static size_t next_hit(struct log_sieve *s, size_t from, size_t end)
{
	size_t hit = 0;

	if (!s->match)
		return next_bad(s, from, end);
	while (from < end) {
		size_t line, next;

		if (s->odd < from)
			s->odd = next_odd(s, from, end);
		line = s->odd < end ? line_begin(s, s->odd, from) : end;
		if (found(s, from, line, &hit))
			return hit;
		if (line == end)
			break;
		next = line_end(s, line, end);
		if (!log_match_by_line(s->match) || found_clean(s, line, next))
			return line;
		from = next;
	}
	return end;
}

/* ---- passing ---- */

static bool pass(struct log_sieve *s, size_t from, size_t end)
{
	return end == from || s->o.pass(s->o.ctx, s->held + from, end - from, s->place < 0 ? -1 : s->place + (int64_t)from);
}

/* The end of the event that goes on at a line. */
static size_t event_end(struct log_sieve *s, size_t line, size_t end)
{
	s->open = true;
	while (line < end) {
		size_t next = line_end(s, line, end);

		if (begins_event(s, line, next)) {
			s->open = false;
			break;
		}
		line = next;
	}
	return line;
}

/* Keeps what stands from there on. */
static void carry(struct log_sieve *s, size_t from)
{
	memmove(s->held, s->held + from, s->n - from);
	memmove(s->shadow, s->shadow + from, s->n - from);
	s->n -= from;
	if (s->place >= 0)
		s->place += (int64_t)from;
}

/* Whole lines up to end are decided; what must be held back is carried. */
static bool sift(struct log_sieve *s, size_t end)
{
	size_t done = 0, keep;

	look_for_stamps(s, end);
	s->odd = next_odd(s, 0, end);
	if (s->passed && s->open) {
		done = event_end(s, 0, end);
		if (!pass(s, 0, done))
			return false;
	}
	while (done < end && !s->blind) {
		size_t hit = next_hit(s, done, end), line, first;

		if (hit >= end)
			break;
		line = line_begin(s, hit, done);
		first = event_begin(s, line, line_end(s, line, end), done);
		if (first > done || !s->passed)
			s->o.gap(s->o.ctx, s->stamps >= STAMPS_SURE);
		done = event_end(s, line_end(s, line, end), end);
		if (!pass(s, first, done))
			return false;
		s->passed = true;
	}
	if (s->blind) {
		if (!pass(s, done, end))
			return false;
		done = end;
	}
	if (done == end) {
		carry(s, end);
		return true;
	}
	/* a hit that comes may be of the last event here */
	keep = line_begin(s, end - 1, done);
	keep = event_begin(s, keep, end, end - done > CARRY_MAX ? line_end(s, end - CARRY_MAX, end) : done);
	s->passed = s->passed && keep == done;
	carry(s, keep);
	return true;
}

static void take(struct log_sieve *s, const char *bytes, size_t len)
{
	char *to = s->shadow + s->n;
	size_t i = 0;

	memcpy(s->held + s->n, bytes, len);
	for (; i + CHUNK <= len; i += CHUNK)
		for (size_t k = 0; k < CHUNK; k++)
			to[i + k] = (char)(bytes[i + k] == '\t' ? ' ' : bytes[i + k]);
	for (; i < len; i++)
		to[i] = (char)(bytes[i] == '\t' ? ' ' : bytes[i]);
	s->n += len;
}

bool log_sieve_feed(struct log_sieve *s, const char *bytes, size_t len, int64_t place)
{
	if (!s->n)
		s->place = place;
	while (len) {
		const char *last;
		size_t n = len < HELD - s->n ? len : HELD - s->n;

		if (s->in_line) {
			last = memchr(bytes, '\n', len);
			n = last ? (size_t)(last - bytes) + 1 : len;
			s->in_line = !last;
			if (!s->o.pass(s->o.ctx, bytes, n, s->place))
				return false;
			if (s->place >= 0)
				s->place += (int64_t)n;
			bytes += n;
			len -= n;
			continue;
		}
		take(s, bytes, n);
		bytes += n;
		len -= n;
		if (len == 0 && s->n < HELD / 2)
			return true; /* more at a time costs less */
		last = memrchr(s->held, '\n', s->n);
		if (last && !sift(s, (size_t)(last - s->held) + 1))
			return false;
		if (s->n == HELD) { /* no line, nor event, is wanted that long: it is cut when it is read */
			if (!s->passed)
				s->o.gap(s->o.ctx, s->stamps >= STAMPS_SURE);
			if (!pass(s, 0, s->n))
				return false;
			s->in_line = s->held[s->n - 1] != '\n';
			s->passed = s->open = true;
			carry(s, s->n);
		}
	}
	return true;
}

bool log_sieve_end(struct log_sieve *s)
{
	size_t n = s->n;

	if (!n)
		return true;
	/* the last event may go on: it passes, wanted or not */
	if (memrchr(s->held, '\n', n) && !sift(s, (size_t)((const char *)memrchr(s->held, '\n', n) - s->held) + 1))
		return false;
	if (s->n && !s->passed)
		s->o.gap(s->o.ctx, s->stamps >= STAMPS_SURE);
	if (!pass(s, 0, s->n))
		return false;
	s->passed = s->open = true;
	carry(s, s->n);
	return true;
}
