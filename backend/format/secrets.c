// SPDX-License-Identifier: MIT
/* See secrets.h. */
#include "secrets.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mem.h"

enum { KEY_MAX = 128 };

static const char MASK[] = "***";

/* Parts of a key's name, without its separators, that make its value a secret. */
static const char *const secret_parts[] = {
	"password", "passwd", "passphrase", "secret", "token", "credential", "accesskey", "apikey", "privatekey",
	"authorization", "jaasconfig",
};
static const char *const secret_ends[] = {"pass", "pwd"}; /* --requirepass, db.pwd */

/* Programs whose short flag is a password. */
static const struct {
	const char *program, *flag;
} short_flags[] = {
	{"sshpass", "-p"}, {"mysql", "-p"}, {"mysqldump", "-p"}, {"mariadb", "-p"}, {"mongosh", "-p"}, {"redis-cli", "-a"},
	{"ldapsearch", "-w"},
};

bool key_is_secret(struct text key)
{
	char plain[KEY_MAX];
	size_t n = 0;

	if (key.len >= sizeof plain) /* the end of a key says what it is */
		key = (struct text){key.at + key.len - sizeof plain + 1, sizeof plain - 1};
	for (size_t i = 0; i < key.len; i++)
		if (key.at[i] != '.' && key.at[i] != '-' && key.at[i] != '_')
			plain[n++] = (char)tolower((unsigned char)key.at[i]);
	for (size_t i = 0; i < sizeof secret_parts / sizeof *secret_parts; i++)
		if (text_has((struct text){plain, n}, secret_parts[i]))
			return true;
	for (size_t i = 0; i < sizeof secret_ends / sizeof *secret_ends; i++) {
		size_t len = strlen(secret_ends[i]);

		if (n >= len && !memcmp(plain + n - len, secret_ends[i], len))
			return true;
	}
	return false;
}

static bool is_key_char(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '-' || c == '_';
}

/* The name before a '=' or ':' at i: `key=`, `"key": `, `key = `. */
static struct text key_before(struct text t, size_t i)
{
	size_t end = i, start;

	while (end && (t.at[end - 1] == ' ' || t.at[end - 1] == '"' || t.at[end - 1] == '\'' || t.at[end - 1] == '\\'))
		end--;
	start = end;
	while (start && is_key_char(t.at[start - 1]))
		start--;
	return (struct text){t.at + start, end - start};
}

/* Where a secret value begins in an argument; false where there is none. */
static bool secret_at(struct text t, size_t *at)
{
	for (size_t i = 0; i < t.len; i++) {
		bool url = t.len - i > 2 && !memcmp(t.at + i, "://", 3);

		*at = i + 1;
		if ((t.at[i] == '=' || (t.at[i] == ':' && !url)) && key_is_secret(key_before(t, i)))
			return true;
		*at = i + 7;
		if (t.len - i > 7 && !strncasecmp(t.at + i, "bearer ", 7))
			return true;
	}
	return false;
}

/* user:password@ of a URL, in place: the password goes. Over http a lone user may be a token. */
static void mask_userinfo(char *s)
{
	char *url = s;

	while ((url = strstr(url, "://")) != NULL) {
		size_t len = strcspn(url, " \"'");
		char *at = memrchr(url, '@', len), *from = memchr(url + 3, ':', len > 3 ? len - 3 : 0);
		bool web = (url - s >= 4 && !strncmp(url - 4, "http", 4)) || (url - s >= 5 && !strncmp(url - 5, "https", 5));

		if (at && from && from < at)
			from++;
		else
			from = at && web ? url + 3 : NULL;
		if (from && (size_t)(at - from) >= sizeof MASK - 1) {
			memcpy(from, MASK, sizeof MASK - 1);
			memmove(from + sizeof MASK - 1, at, strlen(at) + 1);
		} else if (from) { /* shorter than the mask */
			memset(from, '*', (size_t)(at - from));
		}
		url += 3;
	}
}

/* The last part of a path; but "postgres: 15/main: checkpointer" is a title, not a path. */
struct text program_name(struct text t)
{
	size_t end = 0, start = 0;

	while (end < t.len && t.at[end] != ' ' && t.at[end] != ':')
		if (t.at[end++] == '/')
			start = end;
	return start < t.len ? (struct text){t.at + start, t.len - start} : t;
}

/* Does this flag make the next argument a secret? */
static bool flag_is_secret(struct text t, struct text program)
{
	if (!text_starts(t, "-") || text_is(t, "--no-ask-password") || memchr(t.at, '=', t.len) || memchr(t.at, ':', t.len))
		return false;
	for (size_t i = 0; i < sizeof short_flags / sizeof *short_flags; i++)
		if (text_is(program, short_flags[i].program) && text_is(t, short_flags[i].flag))
			return true;
	return key_is_secret(t);
}

/* Is this argument a flag with its secret behind it: -pSECRET? */
static bool is_attached_secret(struct text t, struct text program)
{
	for (size_t i = 0; i < sizeof short_flags / sizeof *short_flags; i++)
		if (text_is(program, short_flags[i].program) && text_starts(t, short_flags[i].flag) && t.len > 2)
			return true;
	return false;
}

bool argument_is_secret(struct arguments *so_far, struct text t)
{
	struct text before = so_far->before;
	bool login = (text_is(before, "-u") || text_is(before, "--user")) && t.len && memchr(t.at, ':', t.len);
	bool secret;

	if (!so_far->program.len)
		so_far->program = program_name(t);
	secret = login || flag_is_secret(before, so_far->program) || is_attached_secret(t, so_far->program);
	so_far->before = t;
	return secret;
}

char *argument_masked(struct text t, bool secret)
{
	char *out = mem_new(t.len + sizeof MASK, 1);
	size_t visible = 0;

	text_copy(out, t.len + 1, t);
	mask_userinfo(out);
	if (secret || secret_at(text_of(out), &visible))
		memcpy(out + visible, MASK, sizeof MASK);
	return out;
}

/* ---- lines ---- */

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* A word of a line: what begins with a quote, or has one behind its = or :, goes on to the next such quote. */
static size_t word_length(struct text t)
{
	size_t n = 0;

	while (n < t.len && t.at[n] != ' ') {
		char c = t.at[n];
		size_t end = n + 1;

		if (is_quote(c) && (!n || strchr("=:,{[(", t.at[n - 1]))) {
			while (end < t.len && t.at[end] != c)
				end += t.at[end] == '\\' ? 2 : 1;
			n = end < t.len ? end : n;
		}
		n++;
	}
	return n;
}

/* A colon is prose more often than not ("ExpiredToken: the token has expired"), unless its key is quoted or says that it is a password. */
static bool colon_tells(struct text key, struct text line)
{
	static const char *const ends[] = {"password", "passwd", "passphrase", "authorization"};

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (key.len >= strlen(ends[i]) && !strncasecmp(key.at + key.len - strlen(ends[i]), ends[i], strlen(ends[i])))
			return true;
	return key.len && key.at + key.len < line.at + line.len && (is_quote(key.at[key.len]) || key.at[key.len] == '\\');
}

/* "Authorization: Basic X" */
static bool is_scheme(struct text word, bool awaited)
{
	return (word.len == 6 && !strncasecmp(word.at, "bearer", 6)) || (awaited && word.len == 5 && !strncasecmp(word.at, "basic", 5));
}

/* Of a word of the line that ends with = or : (it may be nothing else): is the next one its secret? */
static bool awaits_secret(struct text line, struct text word)
{
	struct text key = key_before(line, (size_t)(word.at - line.at) + word.len - 1);

	return key_is_secret(key) && (text_ends(word, "=") || colon_tells(key, line));
}

static void add_masked(struct buf *out, struct text word, bool secret)
{
	char *masked = argument_masked(word, secret);

	buf_puts(out, masked);
	free(masked);
}

char *line_masked(struct text line)
{
	struct arguments so_far = {0};
	bool awaited = false;
	struct buf out;

	buf_init(&out, 4 * line.len + sizeof MASK);
	buf_puts(&out, "");
	for (size_t at = 0, n; at < line.len; at += n) {
		struct text word = {line.at + at, line.len - at};
		bool open, secret;

		word.len = n = word_length(word);
		if (!n) {
			n = 1;
			buf_add(&out, " ", 1);
			continue;
		}
		open = text_ends(word, "=") || text_ends(word, ":");
		secret = argument_is_secret(&so_far, word);
		if (is_scheme(word, awaited)) {
			buf_add(&out, word.at, n);
			awaited = true;
			continue;
		}
		secret = secret || awaited;
		awaited = open && !secret && awaits_secret(line, word);
		add_masked(&out, (struct text){word.at, open && !secret ? n - 1 : n}, secret);
		if (open && !secret)
			buf_add(&out, word.at + n - 1, 1);
	}
	return out.at; /* with its NUL */
}
