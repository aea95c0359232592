// SPDX-License-Identifier: MIT
/* What a user looks for in a log: a regular expression of PCRE2, or what it says letter by letter where it is none. One thread. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "logs.h"

enum { EFFORT = 100000, EFFORT_RAW = 20000000, HEAP_KIB = 1024 };

struct log_match {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
	pcre2_code *raw; /* for ASCII; NULL: the other one will do */
	pcre2_match_context *raw_limits;
	bool sifts, by_line;
};

static bool has_capital(const char *s)
{
	while (*s && !(*s >= 'A' && *s <= 'Z'))
		s++;
	return *s;
}

/* What is found in a part of a text is found, from the same place on, in the whole: unless it looks around, or never gives back. */
static bool can_sift(const char *p)
{
	for (; *p; p++)
		if (*p == '\\') {
			if (!*++p)
				break;
			if (strchr("AzZGKC", *p))
				return false;
		} else if ((*p == '(' && (p[1] == '*' || (p[1] == '?' && p[2] != ':'))) || (strchr("+*?}", *p) && p[1] == '+'))
			return false;
	return true;
}

/* No end of a line is ever part of what it finds: by words that are known to be so. */
static bool is_by_line(const char *p)
{
	for (; *p; p++)
		if (*p == '\\') {
			if (!*++p || (isalnum((unsigned char)*p) && !strchr("dwbBSN", *p)))
				return false;
		} else if (*p == '\n' || *p == '\r' || (*p == '[' && p[1] == '^'))
			return false;
	return true;
}

static bool is_ascii(const char *p)
{
	while (*p && (unsigned char)*p < 0x80)
		p++;
	return !*p;
}

/* The same for ASCII alone: it is faster. */
static void prepare_raw(struct log_match *m, const char *pattern, uint32_t options)
{
	PCRE2_SIZE at;
	int why;

	m->sifts = can_sift(pattern);
	m->by_line = is_by_line(pattern);
	if (is_ascii(pattern))
		m->raw = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options & ~(uint32_t)(PCRE2_UTF | PCRE2_MATCH_INVALID_UTF), &why, &at, NULL);
	if (m->raw)
		pcre2_jit_compile(m->raw, PCRE2_JIT_COMPLETE);
	m->raw_limits = pcre2_match_context_create(NULL);
	if (!m->raw_limits) {
		m->sifts = false;
		return;
	}
	pcre2_set_match_limit(m->raw_limits, EFFORT_RAW);
	pcre2_set_heap_limit(m->raw_limits, HEAP_KIB);
}

struct log_match *log_match_new(const char *pattern, struct err *err)
{
	/* as in less and ripgrep's smart case: a capital letter makes case count. ^ and $ are of each line of an event */
	uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | (has_capital(pattern) ? 0 : PCRE2_CASELESS);
	struct log_match *m;
	PCRE2_UCHAR words[120];
	PCRE2_SIZE at;
	int why;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &why, &at, NULL);

	if (!code) {
		pcre2_get_error_message(why, words, sizeof words);
		err_set(err, ERR_USAGE, "%s: %s, at letter %zu", pattern, (const char *)words, at + 1);
		return NULL;
	}
	m = mem_new(1, sizeof *m);
	m->code = code;
	pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* where there is none, it is only slower */
	m->data = pcre2_match_data_create(1, NULL);
	m->limits = pcre2_match_context_create(NULL);
	if (!m->data || !m->limits) {
		log_match_free(m);
		err_set(err, ERR_SYSTEM, "out of memory");
		return NULL;
	}
	/* a pattern may need longer than the world lasts: it then does not match */
	pcre2_set_match_limit(m->limits, EFFORT);
	pcre2_set_heap_limit(m->limits, HEAP_KIB);
	prepare_raw(m, pattern, options);
	return m;
}

bool log_match_in(const struct log_match *m, struct text t, size_t from, size_t *at, size_t *len)
{
	const PCRE2_SIZE *span;

	if (from > t.len || pcre2_match(m->code, (PCRE2_SPTR)t.at, t.len, from, 0, m->data, m->limits) < 0)
		return false;
	span = pcre2_get_ovector_pointer(m->data);
	if (at)
		*at = span[0];
	if (len)
		*len = span[1] > span[0] ? span[1] - span[0] : 0;
	return true;
}

bool log_match_sifts(const struct log_match *m)
{
	return m->sifts;
}

bool log_match_by_line(const struct log_match *m)
{
	return m->by_line;
}

int log_match_raw(const struct log_match *m, struct text t, size_t *at)
{
	int result = pcre2_match(m->raw ? m->raw : m->code, (PCRE2_SPTR)t.at, t.len, 0, 0, m->data, m->raw_limits);

	if (result < 0)
		return result == PCRE2_ERROR_NOMATCH ? 0 : -1;
	*at = pcre2_get_ovector_pointer(m->data)[0];
	return 1;
}

void log_match_free(struct log_match *m)
{
	if (!m)
		return;
	pcre2_code_free(m->code);
	pcre2_match_data_free(m->data);
	pcre2_match_context_free(m->limits);
	pcre2_code_free(m->raw);
	pcre2_match_context_free(m->raw_limits);
	free(m);
}
