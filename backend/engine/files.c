// SPDX-License-Identifier: MIT
/*
 * What the files that a profile names say about a service: is something newer than its process,
 * which pid does its pid file hold, what does its start write; and of its unit what systemctl says. On the service's own thread; the
 * host may be slow or far.
 */
#include <stdio.h>
#include <string.h>

#include "../services/kinds.h"
#include "actor.h"

enum { LINE_MAX_BYTES = 200, PROGRESS_MS = 30000, FAILED_MS = 3600000, JARS_MAX = 2000, CONFIG_MAX = 65536 };

struct newest {
	struct host *host;
	const char *folder;   /* while its files are counted */
	int64_t started;
	int64_t at;
	char name[80];        /* of the newest file */
	char newer_in[80];    /* folder of the newer JARs */
	unsigned newer, newer_jars, looked;
	bool known;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void consider(struct newest *n, const char *path, bool jar)
{
	struct file_facts f;

	if (!n->host->stat(n->host, path, &f, NULL) || !f.exists)
		return;
	n->known = true;
	if (f.modified > n->at) {
		n->at = f.modified;
		text_clean(n->name, sizeof n->name, text_of(base_name(path)));
	}
	/* a file system's clock is coarse: the file that a start itself writes is not newer than it */
	if (n->started && f.modified > n->started + 1000) {
		n->newer++;
		n->newer_jars += jar;
	}
}

static bool each_jar(void *ctx, const char *name)
{
	struct newest *n = ctx;
	size_t len = strlen(name);
	char path[512];

	if (len < 4 || strcmp(name + len - 4, ".jar") != 0)
		return true;
	snprintf(path, sizeof path, "%s/%s", n->folder, name);
	consider(n, path, true);
	return ++n->looked < JARS_MAX;
}

static void look_fresh(struct host *h, const struct expectation *x, int64_t started, struct freshness *out)
{
	struct newest n = {.host = h, .started = started};

	for (size_t i = 0; x->config && x->config[i]; i++)
		consider(&n, x->config[i], false);
	for (size_t i = 0; x->jars && x->jars[i]; i++) {
		struct file_facts f;

		if (!h->stat(h, x->jars[i], &f, NULL) || !f.exists)
			continue;
		if (f.is_directory) {
			n.folder = x->jars[i];
			h->list(h, x->jars[i], each_jar, &n, NULL);
		} else {
			consider(&n, x->jars[i], true);
		}
	}
	*out = (struct freshness){.known = n.known, .newest = n.at, .newer = n.newer};
	if (n.newer_jars > 1 && n.newer_jars == n.newer)
		snprintf(out->what, sizeof out->what, "%u JARs", n.newer_jars);
	else if (n.newer > 1)
		snprintf(out->what, sizeof out->what, "%s and %u more", n.name, n.newer - 1);
	else
		text_copy(out->what, sizeof out->what, text_of(n.name));
}

/* Which port its configuration gives its main part; 0: none, or where it stands is not for us. */
static uint16_t look_port(struct host *h, const struct expectation *x)
{
	uint16_t port = 0;

	for (size_t i = 0; x->config && x->config[i] && !port; i++) {
		struct buf file;

		buf_init(&file, CONFIG_MAX);
		if (h->read_file(h, x->config[i], &file, NULL))
			port = settings_port(buf_text(&file), x->kind->port_key);
		buf_free(&file);
	}
	return port;
}

/* The first line of a small file; empty where there is none. */
static struct text first_line(struct host *h, const char *path, struct buf *hold)
{
	struct text rest, line;

	buf_init(hold, LINE_MAX_BYTES);
	h->read_file(h, path, hold, NULL); /* a longer one is cut: the line is what counts */
	rest = buf_text(hold);
	return text_line(&rest, &line) ? text_trim(line) : TEXT("");
}

/* The system's counts first. */
static void look_at_unit(struct host *h, const char *unit, struct wait wait, struct snapshot *s)
{
	struct file_facts f;
	struct unit_state u, own;
	char words[80];

	if (!h->exec || !h->stat(h, "/run/systemd/system", &f, NULL) || !f.exists)
		return;
	/* to who has no bus the system says nothing, and his own manager still does */
	if ((!unit_state_ask(h, unit, false, &u, wait) || unit_state_is(&u) == SYSTEMD_NOWHERE) && unit_state_ask(h, unit, true, &own, wait) &&
	    unit_state_is(&own) != SYSTEMD_NOWHERE) {
		s->files.unit_users = true;
		u = own;
	}
	s->files.unit = (int)unit_state_is(&u);
	s->files.unit_words = arena_clean(s->arena, text_of(s->files.unit == SYSTEMD_WRONG ? u.load : unit_state_words(&u, words, sizeof words)));
}

void files_look(struct host *h, const struct expectation *x, int64_t owner_started, bool listening, struct wait wait, struct snapshot *s)
{
	struct file_facts f;
	struct buf hold;
	int64_t pid;

	if (x->pidfile) {
		struct text line = first_line(h, x->pidfile, &hold);

		/* one that is there and cannot be read says nothing: no permission, no descriptor left */
		s->files.pidfile_read = line.len || !h->stat(h, x->pidfile, &f, NULL) || !f.exists || !f.size;
		if (text_i64(line, &pid) && pid > 0 && pid <= 1 << 30)
			s->files.pidfile_pid = (pid_t)pid;
		buf_free(&hold);
	}
	if (x->unit && !listening)
		look_at_unit(h, x->unit, wait, s);
	if (x->progress && h->stat(h, x->progress, &f, NULL) && f.exists && clock_wall_ms() - f.modified < FAILED_MS) {
		struct text line = first_line(h, x->progress, &hold);

		text_skip(&line, "starting: "); /* the verdict's word stands beside it */
		if (line.len && (clock_wall_ms() - f.modified < PROGRESS_MS || text_starts(line, "failed")))
			s->files.progress = arena_clean(s->arena, line);
		buf_free(&hold);
	}
	if ((x->config && x->config[0]) || (x->jars && x->jars[0]))
		look_fresh(h, x, owner_started, &s->files.fresh);
	if (x->kind && x->kind->port_key)
		s->files.port = look_port(h, x);
}
