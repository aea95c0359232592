// SPDX-License-Identifier: MIT
/*
 * What a process says of itself on its command line, fit for a screen: a JVM by its main class, any
 * other by its program, then the arguments; secrets masked before anything is cut. A hint that
 * orders questions, never an identity. Pure, any thread.
 * Source: java(1) of JDK 17 and 21; spark-submit's own option parser (Spark 4.1).
 */
#include <stdlib.h>
#include <string.h>

#include "../format/secrets.h"
#include "look.h"

enum { ARGUMENTS_MAX = 1024 };

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
	size_t size = t.len * 3 + 1;
	char *clean, *masked;

	if (line->len >= HINT_SIZE - 4)
		return;
	if (line->len)
		put(line, TEXT(" "));
	clean = mem_new(size, 1);
	masked = argument_masked(text_of(text_clean(clean, size, t)), secret);
	put(line, text_of(masked));
	free(masked);
	free(clean);
}

struct words { /* a command line, cut into its arguments */
	struct text at[ARGUMENTS_MAX];
	bool secret[ARGUMENTS_MAX]; /* the value of the flag before it */
	size_t n;
};

static void cut_words(struct text cmdline, struct words *w)
{
	struct arguments so_far = {0};

	w->n = 0;
	while (cmdline.len && w->n < ARGUMENTS_MAX) {
		w->at[w->n] = text_until(cmdline, '\0');
		w->secret[w->n] = argument_is_secret(&so_far, w->at[w->n]);
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
	program = w->n ? program_name(w->at[0]) : TEXT("");
	main_class = text_is(program, "java") ? java_main(w) : w->n;
	put_argument(&line, main_class < w->n ? program_name(w->at[main_class]) : program, false);
	if (main_class < w->n && text_is(w->at[main_class], "org.apache.spark.deploy.SparkSubmit"))
		put_spark(&line, w, main_class + 1);
	else
		put_plain(&line, w, main_class);
	free(w);
	return out;
}
