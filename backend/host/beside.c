// SPDX-License-Identifier: MIT
/*
 * What stands beside a process: the files of the folder that it works in, which are for who may trace it alone, its children, whose
 * titles everybody may read; and which processes there are by what stands in their command lines. Source: proc(5). Any thread.
 */
#include <stdio.h>

#include "local.h"

enum { CHILDREN_MAX = 16384, TITLE_MAX = 512, WORDS_MAX = 65536 };

bool local_read_beside(struct host *h, pid_t pid, const char *name, struct buf *out, struct err *err)
{
	char path[160];
	int len = snprintf(path, sizeof path, "/proc/%d/cwd/%s", (int)pid, name);

	if (len < 0 || (size_t)len >= sizeof path)
		return err_set(err, ERR_LIMIT, "%s: too long a name", name);
	return local_read_file(h, path, out, err);
}

bool local_children(struct host *h, pid_t pid, void (*each)(void *ctx, struct text words), void *ctx, struct err *err)
{
	struct buf list, title;
	struct text rest, word;
	struct err cut = {0};
	char path[64];
	int64_t child;
	bool fine;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	buf_init(&list, CHILDREN_MAX);
	buf_init(&title, TITLE_MAX);
	fine = local_read_file(h, path, &list, err);
	for (rest = buf_text(&list); fine && text_word(&rest, &word);) {
		if (!text_i64(word, &child))
			continue;
		snprintf(path, sizeof path, "/proc/%d/cmdline", (int)child);
		buf_reset(&title);
		if (local_read_file(h, path, &title, &cut) || title.len) /* a longer one is cut */
			each(ctx, buf_text(&title));
	}
	buf_free(&list);
	buf_free(&title);
	return fine;
}

struct search {
	struct host *host;
	const char *part;
	void (*each)(void *ctx, pid_t pid, struct text words);
	void *ctx;
	struct buf words;
};

static bool search_one(void *ctx, const char *name)
{
	struct search *all = ctx;
	struct err cut = {0};
	char path[64];
	int64_t pid;

	if (!text_i64(text_of(name), &pid) || pid <= 0)
		return true;
	snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
	buf_reset(&all->words);
	local_read_file(all->host, path, &all->words, &cut); /* what is longer is cut */
	if (text_has(buf_text(&all->words), all->part))
		all->each(all->ctx, (pid_t)pid, buf_text(&all->words));
	return true;
}

bool local_programs(struct host *h, const char *part, void (*each)(void *ctx, pid_t pid, struct text words), void *ctx, struct err *err)
{
	struct search all = {.host = h, .part = part, .each = each, .ctx = ctx};
	bool fine;

	buf_init(&all.words, WORDS_MAX);
	fine = local_list(h, "/proc", search_one, &all, err);
	buf_free(&all.words);
	return fine;
}
