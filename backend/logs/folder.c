// SPDX-License-Identifier: MIT
/*
 * A folder of logs: the newest files in it become sources of their own, and those that come later as well. Of files
 * whose names differ in their digits alone only the newest counts, unless a moment was asked for: one a day. Airflow's tasks are
 * different: dag_id=D/run_id=R/task_id=T/[map_index=N/]attempt=K.log is one source for each attempt. A retry of an old run touches
 * no folder above its task, so all of the tree is looked at, seldom where that takes long.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "host.h"
#include "logs_own.h"

enum { DEEP = 6, NEWEST = 8, SEEN_MAX = 100000, AGAIN_MS = 3000, AGAIN_TIMES = 50, PATH_SIZE = 256 };

struct found {
	char path[PATH_SIZE];
	int64_t modified;
};

struct walking {
	struct log_reader *r;
	struct host *host;
	struct found found[NEWEST]; /* newest first */
	size_t n, base;             /* base: bytes of the folder's own path */
	unsigned seen;
	char path[PATH_SIZE];       /* of the folder that is listed */
	unsigned depth;
};

static bool is_log(const char *name)
{
	struct text t = text_of(name);

	return text_ends(t, ".log") || text_ends(t, ".out") || text_ends(t, ".err") || text_is(t, "stdout") || text_is(t, "stderr");
}

bool log_is_task(const char *path)
{
	const char *base = strrchr(path, '/');

	return base && !strncmp(base + 1, "attempt=", 8) && strstr(path, "/task_id=");
}

/* What Airflow 3 writes as JSON: also what its parser says of each file of DAGs. */
static bool is_airflows(const char *path)
{
	return log_is_task(path) || strstr(path, "/dag_processor/");
}

/* "postgresql-2026-11-28.log" and "postgresql-2026-11-29.log" */
static bool same_series(const char *a, const char *b)
{
	while (*a || *b) {
		while (isdigit((unsigned char)*a))
			a++;
		while (isdigit((unsigned char)*b))
			b++;
		if (*a != *b)
			return false;
		if (*a) {
			a++;
			b++;
		}
	}
	return true;
}

static void drop(struct walking *w, size_t i)
{
	memmove(w->found + i, w->found + i + 1, (w->n - i - 1) * sizeof w->found[0]);
	w->n--;
}

static void keep(struct walking *w, const char *path, int64_t modified)
{
	int64_t since = reader_options(w->r)->since;
	size_t at = 0;

	if (since && modified < since)
		return;
	for (size_t i = 0; !since && !log_is_task(path) && i < w->n; i++)
		if (same_series(w->found[i].path, path)) {
			if (w->found[i].modified > modified || (w->found[i].modified == modified && strcmp(w->found[i].path, path) > 0))
				return;
			drop(w, i);
		}
	while (at < w->n && w->found[at].modified >= modified)
		at++;
	if (at == NEWEST)
		return;
	if (w->n == NEWEST)
		w->n--;
	memmove(w->found + at + 1, w->found + at, (w->n - at) * sizeof w->found[0]);
	text_copy(w->found[at].path, PATH_SIZE, text_of(path));
	w->found[at].modified = modified;
	w->n++;
}

static bool look_at(void *ctx, const char *name)
{
	struct walking *w = ctx;
	struct file_facts facts;
	size_t len = strlen(w->path);

	if (++w->seen > SEEN_MAX || reader_ended(w->r))
		return false;
	if (name[0] == '.' || (size_t)snprintf(w->path + len, PATH_SIZE - len, "/%s", name) >= PATH_SIZE - len) {
		w->path[len] = '\0'; /* too long a path is none of a log */
		return true;
	}
	if (w->host->stat(w->host, w->path, &facts, NULL) && facts.exists) {
		if (!facts.is_directory && is_log(name)) {
			keep(w, w->path, facts.modified);
		} else if (facts.is_directory && w->depth < DEEP) {
			w->depth++;
			w->host->list(w->host, w->path, look_at, w, NULL);
			w->depth--;
		}
	}
	w->path[len] = '\0';
	return !reader_ended(w->r) && w->seen <= SEEN_MAX;
}

static struct text part_of(const char *path, const char *key)
{
	const char *at = strstr(path, key);

	return at ? text_until(text_of(at + strlen(key)), '/') : TEXT("");
}

/* "ingest_orders.write_bronze", "ingest_orders.load[3] try 2"; else "kafka/server". */
void log_folder_word(char out[NAME_SIZE], const char *service, const char *path)
{
	struct text dag = part_of(path, "/dag_id="), task = part_of(path, "/task_id="), map = part_of(path, "/map_index=");
	struct text attempt = text_until(part_of(path, "/attempt="), '.'), base = text_of(strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	char word[400], more[60] = "", tries[40] = "";

	if (!log_is_task(path)) {
		for (const char *const *end = (const char *const[]){".log", ".out", ".err", NULL}; *end; end++)
			if (base.len > 4 && text_ends(base, *end))
				base.len -= 4;
		for (size_t n = base.len; n > 0; n--) /* "postgresql-2026-11-29_000000": one source, whatever the day */
			if (!strchr("0123456789-_.", base.at[n - 1])) {
				base.len = n;
				break;
			}
		snprintf(word, sizeof word, "%s/%.*s", service, (int)base.len, base.at);
	} else {
		if (map.len)
			snprintf(more, sizeof more, "[%.*s]", (int)(map.len < 20 ? map.len : 20), map.at);
		if (!text_is(attempt, "1"))
			snprintf(tries, sizeof tries, " try %.*s", (int)(attempt.len < 10 ? attempt.len : 10), attempt.at);
		snprintf(word, sizeof word, "%.*s.%.*s%s%s", (int)dag.len, dag.at, (int)task.len, task.at, more, tries);
	}
	text_clean(out, NAME_SIZE, text_of(word));
}

/* The oldest first, so that the newest stands last where sources are listed. False: it cannot be read. */
static bool look(struct walking *w)
{
	struct log_source source = {.kind = LOG_FILE};
	struct err err = {0};
	bool room = true;

	w->n = w->seen = w->depth = 0;
	text_copy(w->path, PATH_SIZE, text_of(reader_source(w->r)->at));
	w->base = strlen(w->path);
	while (w->base > 1 && w->path[w->base - 1] == '/')
		w->path[--w->base] = '\0';
	if (!w->host->list(w->host, w->path, look_at, w, &err) && err.code && !w->seen) {
		reader_say(w->r, err.words);
		return false;
	}
	for (size_t i = w->n; i-- > 0;) {
		source.kind = is_airflows(w->found[i].path) ? LOG_TASK : LOG_FILE;
		text_copy(source.at, sizeof source.at, text_of(w->found[i].path));
		log_folder_word(source.service, reader_source(w->r)->service, source.at);
		room = reader_add(w->r, &source) && room;
	}
	reader_say(w->r, !w->n && reader_options(w->r)->since ? "no log in that folder was written since then" :
		!w->n ? "there is no log in that folder" : w->seen > SEEN_MAX ? "there are too many files in that folder to know the newest" :
		!room ? "more logs come than can be followed at once; open it anew for the newest" : "");
	return true;
}

void log_folder_read(struct log_reader *r)
{
	struct walking *w = mem_new(1, sizeof *w);
	int64_t took;

	w->r = r;
	w->host = reader_host(r);
	do {
		took = clock_ms();
		look(w);
		took = clock_ms() - took;
		reader_caught_up(r);
	} while (reader_options(r)->follow && reader_pause(r, took * AGAIN_TIMES > AGAIN_MS ? took * AGAIN_TIMES : AGAIN_MS) && !reader_ended(r));
	free(w);
}
