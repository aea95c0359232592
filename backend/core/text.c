// SPDX-License-Identifier: MIT
/* Slices, cleaning, widths, versions. Pure, any thread. */
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static const char REPLACEMENT[] = "\xef\xbf\xbd"; /* U+FFFD */

struct text text_of(const char *s)
{
	return (struct text){s ? s : "", s ? strlen(s) : 0};
}

bool text_is(struct text t, const char *s)
{
	size_t len = strlen(s);

	return t.len == len && !memcmp(t.at, s, len);
}

bool text_starts(struct text t, const char *prefix)
{
	size_t len = strlen(prefix);

	return t.len >= len && !memcmp(t.at, prefix, len);
}

bool text_ends(struct text t, const char *end)
{
	size_t len = strlen(end);

	return t.len >= len && !memcmp(t.at + t.len - len, end, len);
}

bool text_has(struct text t, const char *part)
{
	return memmem(t.at, t.len, part, strlen(part)) != NULL;
}

bool text_skip(struct text *t, const char *prefix)
{
	size_t len = strlen(prefix);

	if (!text_starts(*t, prefix))
		return false;
	t->at += len;
	t->len -= len;
	return true;
}

struct text text_until(struct text t, char stop)
{
	const char *end = memchr(t.at, stop, t.len);

	return end ? (struct text){t.at, (size_t)(end - t.at)} : t;
}

struct text text_after(struct text t, char stop)
{
	const char *end = memchr(t.at, stop, t.len);

	return end ? (struct text){end + 1, t.len - (size_t)(end + 1 - t.at)} : TEXT("");
}

struct text text_between(struct text t, const char *before, const char *after)
{
	const char *start = memmem(t.at, t.len, before, strlen(before)), *end;
	size_t left;

	if (!start)
		return TEXT("");
	start += strlen(before);
	left = t.len - (size_t)(start - t.at);
	end = memmem(start, left, after, strlen(after));
	return end ? (struct text){start, (size_t)(end - start)} : TEXT("");
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct text text_trim(struct text t)
{
	while (t.len && blank(t.at[0])) {
		t.at++;
		t.len--;
	}
	while (t.len && blank(t.at[t.len - 1]))
		t.len--;
	return t;
}

bool text_line(struct text *rest, struct text *line)
{
	if (!rest->len)
		return false;
	*line = text_until(*rest, '\n');
	*rest = text_after(*rest, '\n');
	if (line->len && line->at[line->len - 1] == '\r')
		line->len--;
	return true;
}

bool text_word(struct text *rest, struct text *word)
{
	size_t len = 0;

	while (rest->len && blank(rest->at[0])) {
		rest->at++;
		rest->len--;
	}
	while (len < rest->len && !blank(rest->at[len]))
		len++;
	*word = (struct text){rest->at, len};
	rest->at += len;
	rest->len -= len;
	return len > 0;
}

bool text_i64(struct text t, int64_t *out)
{
	char digits[24], *end;
	long long n;

	if (!t.len || t.len >= sizeof digits || blank(t.at[0]) || t.at[0] == '+')
		return false;
	text_copy(digits, sizeof digits, t);
	errno = 0;
	n = strtoll(digits, &end, 10);
	if (errno || end != digits + t.len)
		return false;
	*out = n;
	return true;
}

/* Bytes of the UTF-8 character at p (1 to 4) and its code; 0 where it is not valid. */
static size_t utf8_char(const unsigned char *p, size_t len, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;

	if (!n || n > len)
		return 0;
	*code = n == 1 ? p[0] : p[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (p[i] & 0x3f);
	}
	return *code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : n;
}

char *text_copy(char *out, size_t size, struct text t)
{
	size_t len = t.len < size ? t.len : size - 1;

	/* cut at a character boundary */
	if (len < t.len)
		while (len && ((unsigned char)t.at[len] & 0xc0) == 0x80)
			len--;
	if (len)
		memmove(out, t.at, len);
	out[len] = '\0';
	return out;
}

/* Characters that move, hide or reorder others; a name has no use for them. */
static bool invisible(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || (c >= 0xfe00 && c <= 0xfe0f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||
	       (c >= 0xe0000 && c <= 0xe0fff);
}

static int columns_of(uint32_t code)
{
	return code < 0x7f ? 1 : wcwidth((wchar_t)code);
}

/* What stands for the character at t in clean text: piece and its length; 0 drops it. Moves t on. */
static size_t clean_next(struct text *t, bool first, const char **piece)
{
	const unsigned char *p = (const unsigned char *)t->at;
	uint32_t code = 0;
	size_t n = utf8_char(p, t->len, &code);
	int columns;

	*piece = t->at;
	t->at += n ? n : 1;
	t->len -= n ? n : 1;
	if (!n) {
		*piece = REPLACEMENT;
		return sizeof REPLACEMENT - 1;
	}
	if (code == '\n' || code == '\t' || code == '\r') {
		*piece = " ";
		return 1;
	}
	if (invisible(code))
		return 0;
	columns = columns_of(code);
	if (columns < 0 || (columns == 0 && first)) { /* a combining mark with nothing to stand on */
		*piece = REPLACEMENT;
		return sizeof REPLACEMENT - 1;
	}
	return n;
}

/* How far it is ASCII that needs no look: mostly all of it. */
static size_t plain_run(struct text t)
{
	size_t n = 0;

	while (n < t.len && (unsigned char)(t.at[n] - 0x20) < 0x5f)
		n++;
	return n;
}

char *text_clean(char *out, size_t size, struct text t)
{
	size_t used = 0;

	while (t.len) {
		const char *piece;
		size_t plain = plain_run(t), n;

		if (plain) {
			n = size > used + 1 ? size - used - 1 : 0;
			n = plain < n ? plain : n;
			memcpy(out + used, t.at, n);
			used += n;
			if (n < plain)
				break;
			t = (struct text){t.at + n, t.len - n};
			continue;
		}
		n = clean_next(&t, used == 0, &piece);

		if (used + n + 1 > size)
			break;
		memcpy(out + used, piece, n);
		used += n;
	}
	out[used] = '\0';
	return out;
}

bool text_is_clean(struct text t)
{
	bool first = true;

	while (t.len) {
		const char *at = t.at, *piece;
		size_t n = clean_next(&t, first, &piece);

		if (piece != at || n != (size_t)(t.at - at))
			return false;
		first = false;
	}
	return true;
}

bool text_char(struct text *rest, uint32_t *code, int *columns)
{
	size_t n;

	if (!rest->len)
		return false;
	n = utf8_char((const unsigned char *)rest->at, rest->len, code);
	if (!n) {
		*code = 0xfffd;
		n = 1;
	}
	*columns = columns_of(*code);
	if (*columns < 0)
		*columns = 1;
	rest->at += n;
	rest->len -= n;
	return true;
}

int text_columns(struct text t)
{
	uint32_t code;
	int total = 0, columns;

	while (text_char(&t, &code, &columns))
		total += columns;
	return total;
}

/* ---- versions: whole numbers between dots; what follows the last one is left out ---- */

static bool version_part(const char **s, int64_t *out)
{
	char *end;

	if (**s < '0' || **s > '9')
		return false;
	errno = 0;
	*out = strtoll(*s, &end, 10);
	if (errno)
		return false;
	*s = *end == '.' ? end + 1 : end;
	return true;
}

bool version_meets(const char *found, const char *expected)
{
	int64_t is, should;

	if (!found || !expected)
		return false;
	while (version_part(&expected, &should))
		if (!version_part(&found, &is) || is != should)
			return false;
	/* "4.2.0-preview5" expects that very build */
	return *expected == '\0' || strcmp(found, expected) == 0;
}

static int version_compare(const char *a, const char *b)
{
	int64_t x, y;

	for (;;) {
		bool more_a = version_part(&a, &x), more_b = version_part(&b, &y);

		if (!more_a || !more_b)
			return 0; /* as far as both go they agree */
		if (x != y)
			return x < y ? -1 : 1;
	}
}

bool version_in_range(const char *low, const char *high, const char *expected)
{
	if (!low || !expected)
		return false;
	return version_compare(expected, low) >= 0 && version_compare(expected, high ? high : low) <= 0;
}
