// SPDX-License-Identifier: MIT
/* Files of NAME=value lines for programs that are started. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"

enum { ENVIRONMENT_MAX = 64 << 10, ENVIRONMENT_LINES = 200 };

static bool read_entry(struct text line, struct text *name, struct text *value)
{
	line = text_trim(line);
	text_skip(&line, "export ");
	*name = text_trim(text_until(line, '='));
	*value = text_trim(text_after(line, '='));
	if (!line.len || line.at[0] == '#' || name->len == line.len || !name->len)
		return false;
	if (value->len >= 2 && (value->at[0] == '"' || value->at[0] == '\'') && value->at[value->len - 1] == value->at[0])
		*value = (struct text){value->at + 1, value->len - 2};
	return true;
}

bool environment_read(struct host *h, const char *path, struct environment *out, struct err *err)
{
	struct text rest, line, name, value;
	struct buf content;
	bool fine;

	*out = (struct environment){.list = mem_new(ENVIRONMENT_LINES + 1, sizeof *out->list)};
	buf_init(&content, ENVIRONMENT_MAX);
	fine = h->read_file(h, path, &content, err);
	rest = buf_text(&content);
	while (fine && out->n < ENVIRONMENT_LINES && text_line(&rest, &line)) {
		char *entry;

		if (!read_entry(line, &name, &value) || memchr(value.at, '\0', value.len))
			continue;
		entry = mem_new(name.len + value.len + 2, 1);
		memcpy(entry, name.at, name.len);
		entry[name.len] = '=';
		memcpy(entry + name.len + 1, value.at, value.len);
		out->list[out->n++] = entry;
	}
	if (content.at)
		explicit_bzero(content.at, content.len);
	buf_free(&content);
	return fine;
}

void environment_free(struct environment *e)
{
	for (size_t i = 0; i < e->n; i++) {
		explicit_bzero(e->list[i], strlen(e->list[i]));
		free(e->list[i]);
	}
	free(e->list);
	*e = (struct environment){0};
}
