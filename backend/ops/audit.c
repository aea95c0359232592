// SPDX-License-Identifier: MIT
/*
 * Who changed what, when, how it ended: STATE/audit.jsonl, one line when an action begins and one
 * when it ends, whole lines by O_APPEND, on disk before anything is done. A begin whose end is missing
 * and whose process is gone was cut short: the next start shows it. One whose process lives is in the way of
 * the same thing by any other laketop. Who moves the file away moves nothing out of sight: it is begun anew.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../format/secrets.h"
#include "json.h"
#include "ops.h"
#include "ops_own.h"

enum { AUDIT_TAIL = 4 << 20, AUDIT_MAX = 4 << 20, LOCK_MS = 1000, LINE_MAX_BYTES = 16 << 10, PENDING_MAX = 256 };
enum { SAME_START_MS = 1500, BEGINS_MS = 60000 };

struct audit {
	struct host *host;
	pthread_mutex_t lock; /* of fd: workers write their notes */
	int fd;
	char folder[504], path[520];
	int64_t began; /* this process */
	char run[40]; /* tells this process's actions from another's with the same numbers */
	const struct profile *profile;
};
static const char *const phases[] = {[AUDIT_BEGIN] = "begin", [AUDIT_NOTE] = "note", [AUDIT_END] = "end"};

/* The file of that name, a plain one; -1. */
static int open_file(const char *folder, const char *path, struct err *err)
{
	struct stat st;
	int fd;

	mkdir(folder, 0700);
	fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	err_set(err, ERR_SYSTEM, "%s: %s", path, fd < 0 ? strerrordesc_np(errno) : "is no plain file");
	if (fd >= 0)
		close(fd);
	return -1;
}

struct audit *audit_open(struct host *h, const char *state_dir, const struct profile *profile, struct err *err)
{
	struct audit *a;
	struct stat st;
	char old[524];

	if (!state_dir) {
		err_set(err, ERR_SYSTEM, "there is no home folder to keep it in");
		return NULL;
	}
	a = mem_new(1, sizeof *a);
	pthread_mutex_init(&a->lock, NULL);
	a->host = h;
	a->profile = profile;
	a->began = h->began(h, getpid());
	snprintf(a->folder, sizeof a->folder, "%.500s", state_dir);
	snprintf(a->path, sizeof a->path, "%.500s/audit.jsonl", state_dir);
	snprintf(old, sizeof old, "%s.1", a->path);
	snprintf(a->run, sizeof a->run, "%d.%lld", (int)getpid(), (long long)clock_wall_ms());
	if (stat(a->path, &st) == 0 && st.st_size > AUDIT_MAX)
		rename(a->path, old);
	a->fd = open_file(a->folder, a->path, err);
	if (a->fd >= 0)
		return a;
	audit_close(a);
	return NULL;
}

void audit_close(struct audit *a)
{
	if (!a)
		return;
	if (a->fd >= 0)
		close(a->fd);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

static void put_options(struct json_writer *w, const struct profile *profile, const struct action_wish *wish)
{
	char value[sizeof wish->options[0].value];

	if (!wish->n_options)
		return;
	json_open(w, "options", '{');
	for (size_t i = 0; i < wish->n_options; i++) {
		text_copy(value, sizeof value, key_is_secret(text_of(wish->options[i].name)) ? TEXT("***") : text_of(wish->options[i].value));
		mask_secrets(profile, value, sizeof value);
		json_put_text(w, wish->options[i].name, value);
	}
	json_close(w, '}');
}

/* Another laketop may have begun a new one, somebody may have taken it away: what is written must be found. */
static bool follow_name(struct audit *a, struct err *err)
{
	struct stat ours, named;
	int fd;

	if (fstat(a->fd, &ours) == 0 && stat(a->path, &named) == 0 && ours.st_dev == named.st_dev && ours.st_ino == named.st_ino)
		return true;
	fd = open_file(a->folder, a->path, err);
	if (fd < 0)
		return false;
	close(a->fd);
	a->fd = fd;
	return true;
}

/* A full disk cuts a line in two: the next one begins on its own. */
static bool ends_with_a_line(int fd)
{
	struct stat st;
	char last;

	return fstat(fd, &st) < 0 || st.st_size == 0 || pread(fd, &last, 1, st.st_size - 1) != 1 || last == '\n';
}

static bool write_line(struct audit *a, const char *run, enum audit_phase phase, const struct action_shown *s, const char *note, struct err *err)
{
	struct json_writer w;
	struct buf line;
	ssize_t written;
	bool fine;
	int why;

	if (!follow_name(a, err))
		return false;
	buf_init(&line, LINE_MAX_BYTES);
	buf_puts(&line, ends_with_a_line(a->fd) ? "" : "\n");
	json_begin(&w, &line, false);
	json_open(&w, NULL, '{');
	json_put_time(&w, "at", clock_wall_ms());
	json_put_text(&w, "phase", phases[phase]);
	json_put_text(&w, "run", run);
	json_put_i64(&w, "id", (int64_t)s->id);
	json_put_i64(&w, "pid", getpid());
	json_put_i64(&w, "pid_began_ms", a->began);
	json_put_text(&w, "who", s->who);
	json_put_text(&w, "host", a->host->name);
	json_put_text(&w, "profile", a->profile ? a->profile->name : NULL);
	json_put_text(&w, "verb", s->wish.verb);
	json_put_text(&w, "service", s->wish.service);
	json_put_text(&w, "subject", s->wish.subject);
	put_options(&w, a->profile, &s->wish);
	json_put_text(&w, "title", s->title);
	json_put_text(&w, "exact", s->exact);
	if (note && note[0])
		json_put_text(&w, "note", note);
	json_put_i64(&w, "begun_ms", s->begun);
	if (phase == AUDIT_END) {
		json_put_text(&w, "state", action_state_word(s->state));
		json_put_text(&w, "words", s->words);
		json_put_i64(&w, "ms", s->ended - s->begun);
	}
	json_close(&w, '}');
	buf_puts(&line, "\n");
	written = line.full ? 0 : write(a->fd, line.at, line.len);
	why = written < 0 ? errno : ENOSPC; /* a full disk takes a part */
	fine = !line.full && written == (ssize_t)line.len;
	if (fine && phase == AUDIT_BEGIN && fdatasync(a->fd) != 0) {
		fine = false;
		why = errno;
	}
	if (!fine)
		err_set(err, ERR_SYSTEM, "%s: %s", a->path, line.full ? "the line is too long" : strerrordesc_np(why));
	buf_free(&line);
	return fine;
}

/* ---- what was left open ---- */

struct pending {
	char run[40];
	struct action_shown shown;
	int64_t pid, began; /* of the process that wrote it */
};

static void text_of_json(char *out, size_t size, const struct json *j, const char *key)
{
	const char *s = json_string(json_get(j, key));

	text_clean(out, size, text_of(s ? s : ""));
}

static void drop_pending(struct pending *list, size_t *n, size_t at)
{
	memmove(list + at, list + at + 1, (*n - at - 1) * sizeof *list);
	(*n)--;
}

/* A step that was cut short is done anew by the run that goes on, and with that run the one before is over. */
static void drop_made_good(struct pending *list, size_t *n, const struct json *j)
{
	const char *verb = json_string(json_get(j, "verb")), *subject = json_string(json_get(j, "subject")), *state = json_string(json_get(j, "state"));
	char profile[NAME_SIZE];

	text_of_json(profile, sizeof profile, j, "profile");
	if (!verb || !subject || !state || strcmp(state, action_state_word(ACTION_DONE)) != 0 || (strcmp(verb, "run") != 0 && strcmp(verb, "command") != 0))
		return;
	for (size_t i = *n; i-- > 0;)
		if (!strcmp(list[i].shown.wish.verb, verb) && !strcmp(list[i].shown.wish.subject, subject) && !strcmp(list[i].shown.profile, profile))
			drop_pending(list, n, i);
}

/* Half a line is no JSON, and says all the same whose end it was to be. */
static void read_half(struct text line, struct pending *list, size_t n)
{
	static const char words[] = "it ended, and its end was not written whole (disk full?)";
	char head[120], note[sizeof list->shown.words];

	for (size_t i = 0; i < n; i++) {
		snprintf(head, sizeof head, "\"phase\":\"end\",\"run\":\"%.40s\",\"id\":%llu,", list[i].run, (unsigned long long)list[i].shown.id);
		if (!text_has(line, head) || text_starts(text_of(list[i].shown.words), words))
			continue;
		text_copy(note, sizeof note, text_of(list[i].shown.words));
		snprintf(list[i].shown.words, sizeof list[i].shown.words, "%s%s%.400s", words, note[0] ? "; " : "", note);
	}
}

static void read_line(struct text line, struct pending *list, size_t *n)
{
	struct json *j = json_parse(line, NULL);
	const char *phase = json_string(json_get(j, "phase")), *run = json_string(json_get(j, "run"));
	int64_t id = 0, begun = 0, pid = 0;
	size_t at = 0;

	if (!phase || !run || !json_i64(json_get(j, "id"), &id)) {
		read_half(line, list, *n);
		json_free(j);
		return;
	}
	while (at < *n && (list[at].shown.id != (uint64_t)id || strcmp(list[at].run, run) != 0))
		at++;
	if (!strcmp(phase, phases[AUDIT_BEGIN]) && at == *n && json_i64(json_get(j, "pid"), &pid)) {
		struct pending *p;

		if (*n == PENDING_MAX) /* the newest are told */
			drop_pending(list, n, 0);
		at = *n;
		p = &list[(*n)++];
		*p = (struct pending){.pid = pid, .shown = {.id = (uint64_t)id, .state = ACTION_OPEN, .part = (double)NAN}};
		text_copy(p->run, sizeof p->run, text_of(run));
		text_of_json(p->shown.profile, sizeof p->shown.profile, j, "profile");
		text_of_json(p->shown.title, sizeof p->shown.title, j, "title");
		text_of_json(p->shown.exact, sizeof p->shown.exact, j, "exact");
		text_of_json(p->shown.who, sizeof p->shown.who, j, "who");
		text_of_json(p->shown.wish.verb, sizeof p->shown.wish.verb, j, "verb");
		text_of_json(p->shown.wish.service, sizeof p->shown.wish.service, j, "service");
		text_of_json(p->shown.wish.subject, sizeof p->shown.wish.subject, j, "subject");
		json_i64(json_get(j, "pid_began_ms"), &p->began);
		if (json_moment(json_get(j, "begun_ms"), &begun))
			p->shown.begun = begun;
	} else if (!strcmp(phase, phases[AUDIT_END])) {
		if (at < *n)
			drop_pending(list, n, at);
		drop_made_good(list, n, j);
		at = *n;
	}
	if (at < *n && json_string(json_get(j, "note")))
		text_of_json(list[at].shown.words, sizeof list[at].shown.words, j, "note");
	json_free(j);
}

/* One that still lives is at it; what has only its number by now is another program. */
static bool is_at_it(struct host *h, const struct pending *p)
{
	int64_t began = h->began(h, (pid_t)p->pid);

	return began && llabs(began - p->began) < SAME_START_MS;
}

static void read_file(struct host *h, const char *path, struct pending *list, size_t *n)
{
	struct text rest, line;
	struct buf tail;

	buf_init(&tail, AUDIT_TAIL);
	h->read_tail(h, path, AUDIT_TAIL, &tail, NULL);
	rest = buf_text(&tail);
	while (text_line(&rest, &line))
		read_line(line, list, n);
	buf_free(&tail);
}

/* The begun ones without an end, of the last that was written, before and after the file was begun anew. */
static size_t read_pending(struct host *h, const char *path, struct pending *list)
{
	char old[524];
	size_t n = 0;

	snprintf(old, sizeof old, "%s.1", path);
	read_file(h, old, list, &n);
	read_file(h, path, list, &n);
	return n;
}

/* The same at each look. Numbers of this run begin at 1: those of others stand above them. */
static uint64_t shown_id(const struct pending *p)
{
	uint64_t id = UINT64_C(14695981039346656037) ^ p->shown.id; /* FNV-1a */

	for (const char *at = p->run; *at; at++)
		id = (id ^ (unsigned char)*at) * UINT64_C(1099511628211);
	return id | UINT64_C(1) << 63;
}

/* Of a program that it began: is that still at it? A number that somebody else has by now began at another time. */
static void say_process(struct host *h, struct action_shown *shown)
{
	struct text rest = text_of(shown->words);
	int64_t pid = 0, began;

	if (!text_skip(&rest, "pid ") || !text_i64(rest, &pid) || pid <= 0 || !shown->begun)
		return;
	began = h->began(h, (pid_t)pid);
	snprintf(shown->words, sizeof shown->words, began >= shown->begun - SAME_START_MS && began <= shown->begun + BEGINS_MS ?
		"its program, pid %lld, still runs" : "its program, pid %lld, is over", (long long)pid);
}

static size_t left_open(struct host *h, const char *path, struct action_shown *out, size_t most)
{
	struct pending *list = mem_new(PENDING_MAX, sizeof *list);
	size_t n = read_pending(h, path, list), filled = 0, first;

	for (first = n; first > 0 && filled < most; first--)
		filled += !is_at_it(h, &list[first - 1]);
	filled = 0;
	for (size_t i = first; i < n; i++) {
		if (is_at_it(h, &list[i]))
			continue;
		out[filled] = list[i].shown;
		say_process(h, &out[filled]);
		out[filled++].id = shown_id(&list[i]);
	}
	free(list);
	return filled;
}

size_t audit_left_open(struct audit *a, struct action_shown *out, size_t most)
{
	return left_open(a->host, a->path, out, most);
}

size_t actions_left_open(struct host *h, const char *state_dir, struct action_shown *out, size_t most)
{
	char path[520];

	if (!state_dir)
		return 0;
	snprintf(path, sizeof path, "%.500s/audit.jsonl", state_dir);
	return left_open(h, path, out, most);
}

/* What another profile calls the same is another thing. */
static bool is_on(const struct audit *a, const struct pending *p, const char *service, const char *subject)
{
	return !strcmp(p->shown.wish.service, service) && !strcmp(p->shown.wish.subject, subject) && action_was_of(&p->shown, a->profile);
}

/* By what it is on, or by the number that it is shown with. */
static bool entry_of(struct audit *a, const char *service, const char *subject, uint64_t id, struct audit_entry *out)
{
	struct pending *list = mem_new(PENDING_MAX, sizeof *list);
	bool found = false;

	for (size_t i = read_pending(a->host, a->path, list); i-- > 0 && !found;) {
		found = (id ? shown_id(&list[i]) == id : is_on(a, &list[i], service, subject)) && !is_at_it(a->host, &list[i]);
		if (found) {
			*out = (struct audit_entry){.id = list[i].shown.id, .shown = list[i].shown};
			text_copy(out->run, sizeof out->run, text_of(list[i].run));
		}
	}
	free(list);
	return found;
}

bool audit_entry_of(struct audit *a, const char *service, const char *subject, struct audit_entry *out)
{
	return entry_of(a, service, subject, 0, out);
}

bool audit_entry_shown(struct audit *a, uint64_t id, struct audit_entry *out)
{
	return entry_of(a, "", "", id, out);
}

bool audit_end_entry(struct audit *a, const struct audit_entry *entry, enum action_state how, const char *words, struct err *err)
{
	struct action_shown shown = entry->shown;
	bool fine;

	shown.id = entry->id;
	shown.state = how;
	shown.ended = clock_wall_ms();
	text_clean(shown.words, sizeof shown.words, text_of(words));
	pthread_mutex_lock(&a->lock);
	fine = write_line(a, entry->run, AUDIT_END, &shown, "written by a later laketop", err);
	pthread_mutex_unlock(&a->lock);
	return fine;
}

/* ---- who is at it elsewhere ---- */

static bool goes_beside(const char *verb)
{
	for (size_t i = 0; action_specs[i]; i++)
		if (!strcmp(action_specs[i]->verb, verb))
			return action_specs[i]->beside;
	return false;
}

/* Another laketop on this machine has begun something on the same thing, and lives. */
static bool is_free(struct audit *a, const struct action_shown *s, struct err *err)
{
	struct pending *list = mem_new(PENDING_MAX, sizeof *list);
	bool is_so = true;

	for (size_t i = goes_beside(s->wish.verb) ? 0 : read_pending(a->host, a->path, list); i-- > 0 && is_so;)
		if (list[i].pid != getpid() && is_on(a, &list[i], s->wish.service, s->wish.subject) &&
			!goes_beside(list[i].shown.wish.verb) && is_at_it(a->host, &list[i]))
			is_so = err_set(err, ERR_USAGE, "%.100s is not over yet: another laketop began it (%.60s)", list[i].shown.title, list[i].shown.who);
	free(list);
	return is_so;
}

static bool locked(struct audit *a, struct err *err)
{
	int64_t end = clock_ms() + LOCK_MS;

	while (flock(a->fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return true; /* a file system that knows no locks */
		if (clock_ms() >= end)
			return err_set(err, ERR_SYSTEM, "%s: another laketop holds it", a->path);
		poll(NULL, 0, 5);
	}
	return true;
}

/* Of two that begin the same at the same moment one is first. */
static bool write_begin(struct audit *a, const struct action_shown *s, const char *note, struct err *err)
{
	bool fine;
	int fd;

	if (!follow_name(a, err) || !locked(a, err))
		return false;
	fd = a->fd;
	fine = is_free(a, s, err) && write_line(a, a->run, AUDIT_BEGIN, s, note, err);
	if (fd == a->fd)
		flock(fd, LOCK_UN);
	return fine;
}

bool audit_write(struct audit *a, enum audit_phase phase, const struct action_shown *s, const char *note, struct err *err)
{
	bool fine;

	pthread_mutex_lock(&a->lock);
	fine = phase == AUDIT_BEGIN ? write_begin(a, s, note, err) : write_line(a, a->run, phase, s, note, err);
	pthread_mutex_unlock(&a->lock);
	return fine;
}
