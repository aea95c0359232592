// SPDX-License-Identifier: MIT
/* What a user looks for in a log: a regular expression of PCRE2, or what it says letter by letter where it is none. One thread. */
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "logs.h"

enum { EFFORT = 100000, HEAP_KIB = 1024 };

struct log_match {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
};

static bool has_capital(const char *s)
{
	while (*s && !(*s >= 'A' && *s <= 'Z'))
		s++;
	return *s;
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

void log_match_free(struct log_match *m)
{
	if (!m)
		return;
	pcre2_code_free(m->code);
	pcre2_match_data_free(m->data);
	pcre2_match_context_free(m->limits);
	free(m);
}
