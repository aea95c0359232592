// SPDX-License-Identifier: MIT
/* Values of a profile's keys, and the errors about them: what, where, and what was expected. */
#include "profile_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

enum { PATH_SHOWN = 60, SPELLING_MAX = 32 };

/* ---- errors ---- */

bool complain_at(struct reader *r, unsigned line, const char *format, ...)
{
	char words[512];
	size_t len = strlen(r->path);
	va_list args;

	if (r->failed)
		return false;
	r->failed = true;
	r->failed_line = line;
	va_start(args, format);
	vsnprintf(words, sizeof words, format, args);
	va_end(args);
	return err_set(r->err, ERR_USAGE, "%s%s:%u: %s", len > PATH_SHOWN ? "..." : "",
		r->path + (len > PATH_SHOWN ? len - PATH_SHOWN + 3 : 0), line, words);
}

/* Edits that make b of a; short words only. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[SPELLING_MAX + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > SPELLING_MAX || m > SPELLING_MAX)
		return SPELLING_MAX;
	for (unsigned j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		unsigned before = row[0]++;

		for (size_t j = 1; j <= m; j++) {
			unsigned change = before + (a[i - 1] != b[j - 1]), add = row[j - 1] + 1, drop = row[j] + 1;

			before = row[j];
			row[j] = change < add ? change : add;
			row[j] = row[j] < drop ? row[j] : drop;
		}
	}
	return row[m];
}

void spelling_begin(struct spelling *s, const char *typed)
{
	s->typed = typed;
	s->near = NULL;
	s->best = (unsigned)strlen(typed) / 2 < 3 ? (unsigned)strlen(typed) / 2 + 1 : 4;
	s->n = 0;
}

void spelling_offer(struct spelling *s, const char *right)
{
	unsigned d = distance(s->typed, right);

	if (d < s->best) {
		s->best = d;
		s->near = right;
	}
	if (s->n < SERVICES_MAX)
		s->list[s->n++] = right;
}

bool spelling_complain(struct reader *r, unsigned line, const struct spelling *s, const char *what,
	const char *there_are)
{
	struct buf words;
	size_t room = sizeof r->err->words - (strlen(r->path) < PATH_SHOWN ? strlen(r->path) : PATH_SHOWN) - 16;

	buf_init(&words, 1000);
	buf_printf(&words, "%s \"%.*s\"%s%s%s", what, WORD_MAX, s->typed, s->near ? ": did you mean " : "", s->near ? s->near : "",
		s->near ? "?" : ";");
	for (size_t i = 0; i < s->n; i++) {
		if (words.len + strlen(there_are) + strlen(s->list[i]) > room) {
			buf_puts(&words, i ? ", ..." : "");
			break;
		}
		buf_printf(&words, "%s%s", i ? ", " : there_are, s->list[i]);
	}
	complain_at(r, line, "%s", words.at);
	buf_free(&words);
	return false;
}

/* ---- values ---- */

const char *kept(struct reader *r, struct text t)
{
	return arena_copy(r->out->profile.arena, t);
}

void store(struct reader *r, const struct key *key, const void *value, size_t size)
{
	memcpy((char *)r->target + key->at, value, size);
}

bool take_text(struct reader *r, const struct key *key, struct text value)
{
	const char *s = kept(r, value);

	store(r, key, &s, sizeof s);
	return true;
}

const char *resolved(struct reader *r, struct text path)
{
	const char *home = getenv("HOME");

	if (text_has(path, "://") || text_starts(path, "file:"))
		return kept(r, path);
	if (path.at[0] == '~' && (path.len == 1 || path.at[1] == '/') && home)
		return arena_printf(r->out->profile.arena, "%s%.*s", home, (int)path.len - 1, path.at + 1);
	if (path.at[0] == '/' || !r->folder[0])
		return kept(r, path);
	if (text_is(path, "."))
		return kept(r, text_of(r->folder));
	text_skip(&path, "./");
	return arena_printf(r->out->profile.arena, "%s%s%.*s", r->folder, strcmp(r->folder, "/") ? "/" : "", (int)path.len, path.at);
}

bool take_path(struct reader *r, const struct key *key, struct text value)
{
	const char *s = resolved(r, value);

	store(r, key, &s, sizeof s);
	return true;
}

bool next_item(struct text *rest, struct text *item)
{
	size_t len = 0;

	while (rest->len && (rest->at[0] == ',' || rest->at[0] == ' ' || rest->at[0] == '\t')) {
		rest->at++;
		rest->len--;
	}
	if (text_skip(rest, "\"")) {
		*item = text_until(*rest, '"');
		*rest = text_after(*rest, '"');
		return item->len > 0;
	}
	while (len < rest->len && rest->at[len] != ',' && rest->at[len] != ' ' && rest->at[len] != '\t')
		len++;
	*item = (struct text){rest->at, len};
	rest->at += len;
	rest->len -= len;
	return len > 0;
}

bool take_list(struct reader *r, const struct key *key, struct text value, bool paths)
{
	const char *items[LIST_MAX + 1];
	const char *const *old;
	const char **list;
	struct text item;
	size_t n = 0;

	memcpy(&old, (char *)r->target + key->at, sizeof old);
	while (n < LIST_MAX && r->seen && old && old[n]) {
		items[n] = old[n];
		n++;
	}
	while (next_item(&value, &item)) {
		if (n == LIST_MAX)
			return complain(r, "\"%s\" has more than %d entries", key->name, LIST_MAX);
		items[n++] = paths ? resolved(r, item) : kept(r, item);
	}
	list = arena_alloc(r->out->profile.arena, (n + 1) * sizeof *list);
	if (!list)
		return complain(r, "the profile is too large");
	memcpy(list, items, n * sizeof *list);
	store(r, key, &list, sizeof list);
	return true;
}

bool take_paths(struct reader *r, const struct key *key, struct text value)
{
	return take_list(r, key, value, true);
}

bool take_names(struct reader *r, const struct key *key, struct text value)
{
	return take_list(r, key, value, false);
}

bool take_words(struct reader *r, const struct key *key, struct text value, const char *const **out)
{
	const char **list = arena_alloc(r->out->profile.arena, (LIST_MAX + 1) * sizeof *list);
	size_t n = 0;

	for (value = text_trim(value); list && value.len; value = text_trim(value)) {
		struct text item = value;

		if (n == LIST_MAX)
			return complain(r, "\"%s\" has more than %d words", key->name, LIST_MAX);
		if (text_skip(&value, "\"")) {
			item = text_until(value, '"');
			if (item.len == value.len)
				return complain(r, "\"%s\": a double quote is not closed", key->name);
			value = text_after(value, '"');
		} else {
			item.len = 0;
			while (item.len < value.len && value.at[item.len] != ' ' && value.at[item.len] != '\t')
				item.len++;
			value = (struct text){value.at + item.len, value.len - item.len};
		}
		list[n++] = kept(r, item);
	}
	*out = list;
	return list || complain(r, "the profile is too large");
}

bool take_argv(struct reader *r, const struct key *key, struct text value)
{
	const char *const *list;
	const char **argv;

	if (!take_words(r, key, value, &list))
		return false;
	if (!list[0])
		return complain(r, "\"%s\" names no program", key->name);
	argv = (const char **)(uintptr_t)list; /* nobody else has it yet */
	if (strchr(argv[0], '/'))
		argv[0] = resolved(r, text_of(argv[0]));
	store(r, key, &list, sizeof list);
	return true;
}

bool take_bool(struct reader *r, const struct key *key, struct text value)
{
	static const char *const yes[] = {"yes", "true", "on", "1"}, *const no[] = {"no", "false", "off", "0"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		if (text_is(value, yes[i]) || text_is(value, no[i])) {
			bool b = text_is(value, yes[i]);

			store(r, key, &b, sizeof b);
			return true;
		}
	return complain(r, "%s = \"%.*s\" is neither yes nor no", key->name, SHOWN(value));
}

/* "90s", "2min", "500ms"; without a unit: seconds. */
bool take_span(struct reader *r, const struct key *key, struct text value)
{
	static const struct {
		const char *unit;
		int64_t ms;
	} units[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"m", 60000}, {"min", 60000}, {"h", 3600000}, {"d", 86400000}};
	size_t digits = 0;
	struct text unit;
	int64_t n;

	while (digits < value.len && value.at[digits] >= '0' && value.at[digits] <= '9')
		digits++;
	unit = text_trim((struct text){value.at + digits, value.len - digits});
	for (size_t i = 0; digits && digits < 9 && i < sizeof units / sizeof *units; i++)
		if (text_is(unit, units[i].unit) && text_i64((struct text){value.at, digits}, &n)) {
			n *= units[i].ms;
			store(r, key, &n, sizeof n);
			return n > 0 || complain(r, "%s must be more than nothing", key->name);
		}
	return complain(r, "%s = \"%.*s\" is not a time such as 90s, 2min or 500ms", key->name, SHOWN(value));
}

bool name_is_fit(struct text name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.at[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'))
			return false;
	}
	return name.len > 0 && name.len <= WORD_MAX;
}

/* ---- secrets ---- */

bool take_secret_file(struct reader *r, const struct key *key, struct text value)
{
	const char *path = resolved(r, value), *secret;
	struct file_facts f = {0};
	struct err why = {0};
	struct buf b;
	struct text t;

	buf_init(&b, SECRET_MAX);
	if (!r->host->read_file(r->host, path, &b, &why)) {
		wipe(&b);
		return complain(r, "%s: %s", key->name, why.words[0] ? why.words : path);
	}
	t = buf_text(&b);
	while (t.len && (t.at[t.len - 1] == '\n' || t.at[t.len - 1] == '\r'))
		t.len--;
	if (!t.len || memchr(t.at, '\0', t.len)) {
		wipe(&b);
		return complain(r, "%s: %s %s", key->name, path, t.len ? "is not text" : "is empty");
	}
	secret = loaded_secret(r->out, t);
	wipe(&b);
	store(r, key, &secret, sizeof secret);
	if (r->host->stat(r->host, path, &f, NULL) && (f.mode & 077))
		log_say("profile", "%s can be read by others: chmod 600", path);
	return true;
}

bool take_secret_env(struct reader *r, const struct key *key, struct text value)
{
	char name[WORD_MAX * 2];
	const char *secret;

	text_copy(name, sizeof name, value);
	secret = getenv(name);
	if (!secret || !secret[0]) {
		/* a matter of this shell, not of the profile: the service will say that it refuses us */
		log_say("profile", "%s:%u: %s names %s, which is not set", r->path, r->line, key->name, name);
		return true;
	}
	secret = loaded_secret(r->out, text_of(secret));
	store(r, key, &secret, sizeof secret);
	return true;
}
