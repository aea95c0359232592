// SPDX-License-Identifier: MIT
/*
 * Secrets of the profile become ***, before anything is cut: the half of a secret is found by nobody afterwards. Pure.
 * Where a text had been cut already, the beginning of a secret at its end counts as one.
 */
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

/* How much of t's beginning is a secret: of several the longest. */
static size_t secret_at(const struct profile *p, struct text t, bool cut)
{
	const char *secret;
	size_t most = 0;

	for (size_t i = 0; secret_of(p, i, &secret); i++) {
		size_t len = secret && secret[0] == t.at[0] ? strlen(secret) : 0;

		if (cut && len > t.len)
			len = t.len;
		if (len >= SECRET_LEAST && len <= t.len && len > most && !memcmp(t.at, secret, len))
			most = len;
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
