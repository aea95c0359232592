// SPDX-License-Identifier: MIT
/* See fixture_replay.h. */
#include "fixture_replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture_bytes.h"

static void next_field(struct text *line, char out[512])
{
	text_copy(out, 512, text_until(*line, '|'));
	*line = text_after(*line, '|');
}

/* Only "*" stands for more than itself: a target has question marks of its own. */
static bool fits(const char *pattern, const char *target)
{
	for (; *pattern != '*'; pattern++, target++) {
		if (*pattern != *target)
			return false;
		if (!*pattern)
			return true;
	}
	for (; *target; target++)
		if (fits(pattern + 1, target))
			return true;
	return fits(pattern + 1, target);
}

/* "Bearer": the request has it; "!Bearer": it has not. */
static bool meets(struct text request, const char *condition)
{
	return condition[0] == '!' ? !text_has(request, condition + 1) : text_has(request, condition);
}

static bool answer(void *ctx, struct text question, struct buf *out)
{
	struct replay *r = ctx;
	char target[2048], name[96];
	struct text index, line, first = text_until(question, '\r');

	atomic_fetch_add(&r->asked, 1);
	text_copy(target, sizeof target, (struct text){first.at, first.len > 9 ? first.len - 9 : 0}); /* without " HTTP/1.1" */
	snprintf(name, sizeof name, "%s/index", r->folder);
	index = recorded(name);
	while (text_line(&index, &line)) {
		char scene[512], pattern[512], condition[512], file[512];

		if (text_starts(line, "#"))
			continue;
		next_field(&line, scene);
		next_field(&line, pattern);
		next_field(&line, condition);
		next_field(&line, file);
		if ((scene[0] == '*' || !strcmp(scene, r->scene)) && fits(pattern, target) && meets(question, condition)) {
			struct text bytes;

			snprintf(name, sizeof name, "%s/%.60s.http", r->folder, file);
			bytes = recorded(name);
			return buf_add(out, bytes.at, bytes.len);
		}
	}
	fprintf(stderr, "%s: no answer to %s\n", r->folder, target);
	abort();
}

void replay_begin(struct replay *r, const char *folder, const char *scene)
{
	r->folder = folder;
	r->scene = scene;
	r->asked = 0;
	r->server = fake_server_start(answer, r);
	fake_probe_begin(&r->f, fake_server_at(r->server), 60000);
}

void replay_end(struct replay *r)
{
	fake_probe_end(&r->f);
	fake_server_stop(r->server);
}
