// SPDX-License-Identifier: MIT
/*
 * What stands beside a process: the files of the folder that it works in, which are for who may trace it alone, and its children, whose
 * titles everybody may read. Source: proc(5). Any thread.
 */
#include <stdio.h>

#include "local.h"

enum { CHILDREN_MAX = 16384, TITLE_MAX = 512 };

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
