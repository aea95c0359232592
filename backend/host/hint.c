// SPDX-License-Identifier: MIT
/*
 * What a process says of itself on its command line, fit for a screen: a JVM by its main class, any
 * other by its program, then the arguments; secrets masked before anything is cut. A hint that
 * orders questions, never an identity. Pure, any thread.
 * Source: java(1) of JDK 17 and 21; spark-submit's own option parser (Spark 4.1).
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "look.h"

enum { ARGUMENTS_MAX = 1024, KEY_MAX = 128 };

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

/* Java options that take the next argument. */
static const char *const java_pairs[] = {
	"-cp", "-classpath", "--class-path", "-p", "--module-path", "--upgrade-module-path", "--add-modules", "--add-opens",
	"--add-exports", "--add-reads", "--patch-module", "--limit-modules", "--enable-native-access", "--source",
};

static bool is_one_of(struct text t, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (text_is(t, words[i]))
			return true;
	return false;
}

static bool key_is_secret(struct text key)
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

struct line { /* what is being written */
	char *out;
	size_t len;
};

static void put(struct line *line, struct text t)
{
	text_copy(line->out + line->len, HINT_SIZE - line->len, t);
	line->len += strlen(line->out + line->len);
}

/* One argument, cleaned before it is searched: what is invisible must not hide a key. */
static void put_argument(struct line *line, struct text t, bool secret)
{
	size_t size = t.len * 3 + 1, visible = 0;
	char *clean;

	if (line->len >= HINT_SIZE - 4)
		return;
	if (line->len)
		put(line, TEXT(" "));
	clean = mem_new(size, 1);
	text_clean(clean, size, t);
	mask_userinfo(clean);
	if (secret || secret_at(text_of(clean), &visible)) {
		put(line, (struct text){clean, visible});
		put(line, text_of(MASK));
	} else {
		put(line, text_of(clean));
	}
	free(clean);
}

struct words { /* a command line, cut into its arguments */
	struct text at[ARGUMENTS_MAX];
	bool secret[ARGUMENTS_MAX]; /* the value of the flag before it */
	size_t n;
};

/* The last part of a path; but "postgres: 15/main: checkpointer" is a title, not a path. */
static struct text base_name(struct text t)
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
	if (!text_starts(t, "-") || memchr(t.at, '=', t.len) || memchr(t.at, ':', t.len))
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

static void cut_words(struct text cmdline, struct words *w)
{
	struct text program = base_name(text_until(cmdline, '\0')), before = TEXT("");

	w->n = 0;
	while (cmdline.len && w->n < ARGUMENTS_MAX) {
		struct text t = text_until(cmdline, '\0');
		bool login = (text_is(before, "-u") || text_is(before, "--user")) && t.len && memchr(t.at, ':', t.len);

		w->at[w->n] = t;
		w->secret[w->n] = login || flag_is_secret(before, program) || is_attached_secret(t, program);
		before = t;
		cmdline = text_after(cmdline, '\0');
		w->n++;
	}
	while (w->n && !w->at[w->n - 1].len) /* titles are padded */
		w->n--;
}

/* The index of the main class or JAR; n where the line has none. */
static size_t java_main(const struct words *w)
{
	size_t i = 1;

	while (i < w->n && (text_starts(w->at[i], "-") || text_starts(w->at[i], "@"))) { /* @: a file of arguments */
		if (text_is(w->at[i], "-jar") || text_is(w->at[i], "-m") || text_is(w->at[i], "--module"))
			return i + 1 < w->n ? i + 1 : w->n;
		i += is_one_of(w->at[i], java_pairs, sizeof java_pairs / sizeof *java_pairs) ? 2 : 1;
	}
	return i < w->n ? i : w->n;
}

/* 0: the class and the name of a Spark application; 1: what tells a Connect server; 2: all else. */
static int spark_rank(const struct words *w, size_t i)
{
	struct text t = w->at[i], value = i + 1 < w->n ? w->at[i + 1] : TEXT("");

	if (text_is(t, "--class") || text_is(t, "--name") || text_starts(t, "--class=") || text_starts(t, "--name="))
		return 0;
	if (text_skip(&t, "--conf=") || text_skip(&t, "-c="))
		value = t;
	else if (!text_is(t, "--conf") && !text_is(t, "-c"))
		return 2;
	if (text_starts(value, "spark.connect.") || text_starts(value, "spark.ui.port") || text_starts(value, "spark.app.name"))
		return 1;
	return 2;
}

static bool takes_next(struct text t)
{
	return text_is(t, "--class") || text_is(t, "--name") || text_is(t, "--conf") || text_is(t, "-c");
}

static void put_spark(struct line *line, const struct words *w, size_t from)
{
	for (int rank = 0; rank <= 2; rank++)
		for (size_t i = from; i < w->n; i++) {
			bool pair = takes_next(w->at[i]) && i + 1 < w->n, mine = spark_rank(w, i) == rank;

			if (mine)
				put_argument(line, w->at[i], w->secret[i]);
			if (mine && pair)
				put_argument(line, w->at[i + 1], w->secret[i + 1]);
			i += pair;
		}
}

/* Of what stands before the main class only where Quarkus was told to listen says who it is. */
static void put_plain(struct line *line, const struct words *w, size_t main_class)
{
	for (size_t i = 1; main_class < w->n && i < main_class; i++)
		if (text_starts(w->at[i], "-Dquarkus.") && text_has(w->at[i], ".port="))
			put_argument(line, w->at[i], w->secret[i]);
	for (size_t i = main_class < w->n ? main_class + 1 : 1; i < w->n; i++)
		put_argument(line, w->at[i], w->secret[i]);
}

char *hint_of(char out[HINT_SIZE], struct text cmdline)
{
	struct words *w = mem_new(1, sizeof *w);
	struct line line = {out, 0};
	struct text program;
	size_t main_class;

	out[0] = '\0';
	cut_words(cmdline, w);
	program = w->n ? base_name(w->at[0]) : TEXT("");
	main_class = text_is(program, "java") ? java_main(w) : w->n;
	put_argument(&line, main_class < w->n ? base_name(w->at[main_class]) : program, false);
	if (main_class < w->n && text_is(w->at[main_class], "org.apache.spark.deploy.SparkSubmit"))
		put_spark(&line, w, main_class + 1);
	else
		put_plain(&line, w, main_class);
	free(w);
	return out;
}
