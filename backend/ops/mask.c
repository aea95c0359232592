// SPDX-License-Identifier: MIT
/*
 * Secrets of the profile become ***, before anything is cut: the half of a secret is found by nobody afterwards. Pure.
 * A program may write one as JSON or a URL does: that is looked for, too. Where a text had been cut already, the beginning
 * of a secret at its end counts as one.
 */
#include <ctype.h>
#include <string.h>

#include "ops.h"

enum { SECRET_LEAST = 4 }; /* shorter ones would mask words that are no secret */

/* The i-th; false behind the last. NULL: there is none at that place. */
static bool secret_of(const struct profile *p, size_t i, const char **out)
{
	const struct credentials *c;

	if (!p || i / 2 >= p->n_services + p->n_catalogs)
		return false;
	c = i / 2 < p->n_services ? &p->services[i / 2].credentials : &p->catalogs[i / 2 - p->n_services].credentials;
	*out = i % 2 ? c->token : c->password;
	return true;
}

/* How programs write a secret: as it is, in JSON, in a URL. */
enum form { FORM_PLAIN, FORM_JSON, FORM_PERCENT, FORM_COUNT };

/* So many hexadecimal digits; -1: these are none, or too few are left. */
static int hex_of(struct text t, size_t digits)
{
	int n = 0;

	if (t.len < digits)
		return -1;
	for (size_t i = 0; i < digits; i++) {
		char c = t.at[i];

		if (!isxdigit((unsigned char)c))
			return -1;
		n = n * 16 + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return n;
}

struct letter { /* a character as it is meant, and how many bytes it is written with; 0: it is cut off */
	char bytes[5];
	size_t used;
};

/* \u00e9, of two for what is beyond U+FFFF */
static void read_unicode(struct text t, struct letter *out)
{
	int high = hex_of((struct text){t.at + 2, t.len - 2}, 4);
	int low = high >> 10 == 0x36 && t.len >= 12 && t.at[6] == '\\' && t.at[7] == 'u' ? hex_of((struct text){t.at + 8, t.len - 8}, 4) : -1;
	unsigned code = low >> 10 == 0x37 ? 0x10000u + ((unsigned)(high & 0x3FF) << 10) + (unsigned)(low & 0x3FF) : (unsigned)high;
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	if (high < 0)
		return;
	if (high >> 10 == 0x36 && t.len < 12) { /* its other half is cut off */
		out->used = 0;
		return;
	}
	out->used = code < 0x10000 ? 6 : 12;
	out->bytes[0] = (char)(n == 1 ? code : (0xF00u >> n & 0xFFu) | code >> 6 * (n - 1));
	for (size_t i = 1; i < n; i++)
		out->bytes[i] = (char)(0x80u | (code >> 6 * (n - 1 - i) & 0x3Fu));
	out->bytes[n] = '\0';
}

static void read_letter(struct text t, enum form form, struct letter *out)
{
	static const char names[] = "bfnrt", means[] = "\b\f\n\r\t";
	const char *name;
	int code;

	*out = (struct letter){{t.at[0]}, 1};
	if (form == FORM_JSON && t.at[0] == '\\') {
		out->used = t.len < 2 || (t.at[1] == 'u' && t.len < 6) ? 0 : 2;
		name = out->used && t.at[1] ? strchr(names, t.at[1]) : NULL;
		if (out->used)
			out->bytes[0] = name ? means[name - names] : t.at[1];
		if (out->used && t.at[1] == 'u')
			read_unicode(t, out);
	} else if (form == FORM_PERCENT && t.at[0] == '+') {
		out->bytes[0] = ' ';
	} else if (form == FORM_PERCENT && t.at[0] == '%') {
		code = hex_of((struct text){t.at + 1, t.len - 1}, 2);
		out->used = t.len < 3 ? 0 : code < 0 ? 1 : 3;
		if (code >= 0)
			out->bytes[0] = (char)code;
	}
}

/* How much of t's beginning is that secret in that form. */
static size_t written_at(struct text t, const char *secret, enum form form, bool cut)
{
	const char *left = secret;
	size_t at = 0;

	while (*left) {
		struct letter letter = {0};
		size_t n;

		if (at < t.len)
			read_letter((struct text){t.at + at, t.len - at}, form, &letter);
		if (at == t.len || !letter.used)
			return cut && left - secret >= SECRET_LEAST ? t.len : 0;
		n = letter.bytes[0] ? strlen(letter.bytes) : 1;
		if (strncmp(left, letter.bytes, n) != 0)
			return 0;
		left += n;
		at += letter.used;
	}
	return left - secret >= SECRET_LEAST ? at : 0;
}

/* How much of t's beginning is a secret: of several the longest. */
static size_t secret_at(const struct profile *p, struct text t, bool cut)
{
	const char *secret;
	size_t most = 0;

	for (size_t i = 0; secret_of(p, i, &secret); i++)
		for (int form = FORM_PLAIN; secret && form < FORM_COUNT; form++) {
			size_t len = written_at(t, secret, (enum form)form, cut);

			most = len > most ? len : most;
		}
	return most;
}

char *mask_copy(const struct profile *p, char *out, size_t size, struct text t, bool cut)
{
	size_t n = 0, from = 0;

	while (from < t.len && n + 1 < size) {
		size_t secret = secret_at(p, (struct text){t.at + from, t.len - from}, cut);

		if (!secret) {
			out[n++] = t.at[from++];
			continue;
		}
		for (size_t i = 0; i < 3 && n + 1 < size; i++)
			out[n++] = '*';
		from += secret;
	}
	for (; from < t.len && n > 0 && ((unsigned char)t.at[from] & 0xC0) == 0x80; from--) /* no half of a character */
		n--;
	out[n] = '\0';
	return out;
}

void mask_secrets(const struct profile *p, char *s, size_t size)
{
	size_t len = strlen(s);

	mask_copy(p, s, size, (struct text){s, len}, len + 4 > size);
}
