// SPDX-License-Identifier: MIT
/*
 * The timeline: a thread per source, one more that hands over what was held back for a trace that did not come, a queue
 * between them and who shows it, and what was taken, by time. The queue and the timeline are bounded by bytes. The
 * whole is shared by its threads and by who opened it: the last one frees it, so that nobody waits for a reader that hangs.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "clock.h"
#include "logs_own.h"

enum { BYTES_DEFAULT = 4 << 20, QUEUE_MAX = 2 << 20, OVERHEAD = sizeof(struct log_entry) + 32, IDLE_MS = 250, STREAMS = 2, PROGRESS_MS = 100,
	BEHIND = 2 << 20 };

struct log_reader {
	struct logs *logs;
	struct log_source source;
	unsigned number;
	pthread_mutex_t lock; /* of the folders */
	struct log_folder *folders[STREAMS];
	struct log_match *match; /* what is kept of it; NULL: all */
	int64_t fed;          /* clock_ms(); 0: nothing is held back */
	_Atomic bool caught_up, over, begins, ends;
	_Atomic int64_t done, total;
	int64_t told;         /* clock_ms() when its progress was news */
	size_t behind;        /* bytes behind the moment of a part */
	char words[200];      /* under the lock of the queue */
};

struct entries {
	struct log_entry **all;
	size_t first, n, room, bytes;
};

struct logs {
	struct log_options options;
	char *pattern;
	struct log_reader readers[LOG_SOURCES_MAX];
	_Atomic size_t n;     /* grows: a folder's reader finds further ones */
	int cancel;
	pthread_mutex_t news_lock;
	void (*news)(void *ctx);
	_Atomic bool ended, full, pressed;
	uint64_t serial;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t room, left;
	struct entries queue;
	uint64_t missed, number;
	unsigned threads;
	bool abandoned;
	/* of who opened it */
	struct entries taken;
	uint64_t gone;
	bool whole;
};

const char *log_kind_word(enum log_kind kind)
{
	static const char *const words[] = {"file", "container", "unit", "events", "worker UI", "task"};

	return words[kind];
}

/* ---- lists of entries ---- */

static size_t weight(const struct log_entry *e)
{
	return e->len + OVERHEAD;
}

static void make_room(struct entries *list, size_t more)
{
	if (list->first + list->n + more <= list->room)
		return;
	if (list->n && list->first)
		memmove(list->all, list->all + list->first, list->n * sizeof(struct log_entry *));
	list->first = 0;
	if (list->n + more > list->room) {
		list->room = (list->n + more) * 2;
		list->all = mem_grow(list->all, list->room, sizeof(struct log_entry *));
	}
}

static void empty(struct entries *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->all[list->first + i]);
	list->first = list->n = list->bytes = 0;
}

static bool before(const struct log_entry *a, int64_t at, uint64_t number)
{
	return a->at < at || (a->at == at && a->number < number);
}

static int by_time(const void *a, const void *b)
{
	const struct log_entry *const *x = a, *const *y = b;

	return before(*x, (*y)->at, (*y)->number) ? -1 : 1;
}

/* ---- readers ---- */

struct host *reader_host(const struct log_reader *r) { return r->logs->options.host; }
size_t reader_n(const struct log_reader *r) { return r->logs->n; }
const struct log_source *reader_source(const struct log_reader *r) { return &r->source; }
const struct log_options *reader_options(const struct log_reader *r) { return &r->logs->options; }
int reader_cancel(const struct log_reader *r) { return r->logs->cancel; }
bool reader_ended(const struct log_reader *r) { return atomic_load(&r->logs->ended); }

bool reader_pause(const struct log_reader *r, int64_t ms)
{
	return wait_fd(wait_for(ms, reader_cancel(r)), -1, 0) == 0;
}

/* Whoever is told may be gone once it was closed: not after that. */
static void tell_news(struct logs *logs)
{
	pthread_mutex_lock(&logs->news_lock);
	if (logs->news)
		logs->news(logs->options.ctx);
	pthread_mutex_unlock(&logs->news_lock);
}

/* What is not read now is there later. */
static bool stays(enum log_kind kind)
{
	return kind == LOG_FILE || kind == LOG_TASK || kind == LOG_WORKER;
}

static bool is_wanted(const struct log_reader *r, const struct log_event *event)
{
	const struct log_options *o = &r->logs->options;

	if (o->since && !o->around && event->at < o->since)
		return false;
	if (event->level < o->least && (event->level || o->least > LOG_TRACE))
		return false;
	return !r->match || log_match_in(r->match, event->text, 0, NULL, NULL);
}

/* Of a part as much as is to be seen behind its moment. */
static bool is_enough(struct log_reader *r, const struct log_event *event)
{
	const struct log_part *part = &r->logs->options.part;
	bool placed = event->place >= 0 && part->place >= 0 && !strcmp(part->file, r->source.at);

	if (part->is && (placed ? event->place >= part->place : event->at >= part->at))
		r->behind += event->text.len + OVERHEAD;
	return r->behind > BEHIND / r->logs->n;
}

static bool take_event(void *ctx, const struct log_event *event)
{
	struct log_reader *r = ctx;
	struct logs *logs = r->logs;
	bool waits = logs->options.patient || stays(r->source.kind), first;
	struct log_entry *e;
	size_t len;

	if (!is_wanted(r, event))
		return !reader_ended(r);
	if (is_enough(r, event))
		return false;
	len = logs->options.brief ? 0 : event->text.len;
	e = mem_new(1, sizeof *e + len + 1);
	*e = (struct log_entry){.at = event->at, .source = r->number, .lines = event->lines, .level = event->level, .stamped = event->stamped,
		.cut = event->cut, .place = event->place, .len = len};
	memcpy(e->text, event->text.at, len);
	e->text[e->len] = '\0';
	pthread_mutex_lock(&logs->lock);
	while (waits && logs->queue.bytes > QUEUE_MAX && !reader_ended(r)) {
		if (!atomic_exchange(&logs->pressed, true)) {
			pthread_mutex_unlock(&logs->lock);
			tell_news(logs);
			pthread_mutex_lock(&logs->lock);
			continue;
		}
		pthread_cond_wait(&logs->room, &logs->lock);
	}
	first = !logs->queue.n;
	if (logs->options.most && logs->number >= logs->options.most)
		atomic_store(&logs->full, true);
	if (atomic_load(&logs->full)) {
		free(e);
	} else if (logs->queue.bytes > QUEUE_MAX || reader_ended(r)) {
		logs->missed += e->lines;
		free(e);
	} else {
		e->number = ++logs->number;
		make_room(&logs->queue, 1);
		logs->queue.all[logs->queue.first + logs->queue.n++] = e;
		logs->queue.bytes += weight(e);
	}
	pthread_mutex_unlock(&logs->lock);
	if (first)
		tell_news(logs);
	return !reader_ended(r) && !atomic_load(&logs->full);
}

bool reader_feed(struct log_reader *r, unsigned stream, const char *bytes, size_t len, int64_t at)
{
	bool wanted;

	pthread_mutex_lock(&r->lock);
	wanted = log_folder_feed(r->folders[stream], bytes, len, at);
	r->fed = clock_ms();
	pthread_mutex_unlock(&r->lock);
	return wanted && !reader_ended(r);
}

void reader_place(struct log_reader *r, int64_t place)
{
	pthread_mutex_lock(&r->lock);
	log_folder_place(r->folders[0], place);
	pthread_mutex_unlock(&r->lock);
}

void reader_stamps(struct log_reader *r)
{
	pthread_mutex_lock(&r->lock);
	log_folder_stamps(r->folders[0]);
	pthread_mutex_unlock(&r->lock);
}

void reader_level(struct log_reader *r, enum log_level level)
{
	pthread_mutex_lock(&r->lock);
	log_folder_tell(r->folders[0], level);
	pthread_mutex_unlock(&r->lock);
}

void reader_flush(struct log_reader *r)
{
	pthread_mutex_lock(&r->lock);
	for (unsigned i = 0; i < STREAMS; i++)
		log_folder_flush(r->folders[i], clock_wall_ms());
	r->fed = 0;
	pthread_mutex_unlock(&r->lock);
}

void reader_caught_up(struct log_reader *r)
{
	if (atomic_exchange(&r->caught_up, true))
		return;
	pthread_mutex_lock(&r->lock);
	for (unsigned i = 0; i < STREAMS; i++)
		log_folder_settle(r->folders[i]);
	pthread_mutex_unlock(&r->lock);
	tell_news(r->logs);
}

void reader_begins(struct log_reader *r)
{
	atomic_store(&r->begins, true);
}

void reader_ends(struct log_reader *r)
{
	atomic_store(&r->ends, true);
}

void reader_progress(struct log_reader *r, int64_t done, int64_t total)
{
	atomic_store(&r->done, done);
	atomic_store(&r->total, total);
	if (clock_ms() - r->told < PROGRESS_MS)
		return;
	r->told = clock_ms();
	tell_news(r->logs);
}

void reader_say(struct log_reader *r, const char *words)
{
	bool changed;

	pthread_mutex_lock(&r->logs->lock);
	changed = strncmp(r->words, words, sizeof r->words - 1) != 0;
	text_clean(r->words, sizeof r->words, text_of(words));
	pthread_mutex_unlock(&r->logs->lock);
	if (changed)
		tell_news(r->logs);
}

/* ---- threads ---- */

static void logs_free(struct logs *logs)
{
	empty(&logs->queue);
	empty(&logs->taken);
	free(logs->queue.all);
	free(logs->taken.all);
	for (size_t i = 0; i < logs->n; i++) {
		for (unsigned k = 0; k < STREAMS; k++)
			log_folder_free(logs->readers[i].folders[k]);
		log_match_free(logs->readers[i].match);
		pthread_mutex_destroy(&logs->readers[i].lock);
	}
	pthread_mutex_destroy(&logs->news_lock);
	pthread_mutex_destroy(&logs->lock);
	pthread_cond_destroy(&logs->room);
	pthread_cond_destroy(&logs->left);
	close(logs->cancel);
	free(logs->pattern);
	free(logs);
}

static void thread_ends(struct logs *logs)
{
	bool last;

	pthread_mutex_lock(&logs->lock);
	last = --logs->threads == 0 && logs->abandoned;
	pthread_cond_broadcast(&logs->left);
	pthread_mutex_unlock(&logs->lock);
	if (last)
		logs_free(logs);
}

bool reader_enough(const struct log_reader *r)
{
	return reader_ended(r) || r->behind > BEHIND / r->logs->n;
}

static void *read_one(void *arg)
{
	static void (*const how[])(struct log_reader *r) = {log_file_read, log_container_read, log_unit_read, log_file_read, log_worker_read, log_file_read};
	struct log_reader *r = arg;

	how[r->source.kind](r);
	reader_flush(r);
	atomic_store(&r->caught_up, true);
	atomic_store(&r->over, true);
	tell_news(r->logs);
	thread_ends(r->logs);
	return NULL;
}

/* An event is whole when the next one begins, or when nothing comes for a while. */
static void *settle_all(void *arg)
{
	struct logs *logs = arg;

	while (wait_fd(wait_for(IDLE_MS, logs->cancel), -1, 0) == 0) {
		bool all_over = true;

		for (size_t i = 0; i < logs->n; i++) {
			struct log_reader *r = &logs->readers[i];

			all_over = all_over && atomic_load(&r->over);
			pthread_mutex_lock(&r->lock);
			if (r->fed && clock_ms() - r->fed >= IDLE_MS) {
				for (unsigned k = 0; k < STREAMS; k++)
					log_folder_settle(r->folders[k]);
				r->fed = 0;
			}
			pthread_mutex_unlock(&r->lock);
		}
		if (all_over)
			break;
	}
	thread_ends(logs);
	return NULL;
}

static bool begin(struct logs *logs, void *(*run)(void *arg), void *arg)
{
	pthread_attr_t attributes;
	pthread_t thread;
	bool fine;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 256 << 10);
	pthread_mutex_lock(&logs->lock);
	fine = pthread_create(&thread, &attributes, run, arg) == 0;
	logs->threads += fine;
	pthread_mutex_unlock(&logs->lock);
	pthread_attr_destroy(&attributes);
	return fine;
}

static void reader_new(struct logs *logs, const struct log_source *source)
{
	struct log_reader *r = &logs->readers[logs->n];

	r->logs = logs;
	r->number = (unsigned)logs->n;
	r->source = *source;
	r->match = logs->pattern ? log_match_new(logs->pattern, NULL) : NULL;
	pthread_mutex_init(&r->lock, NULL);
	for (unsigned k = 0; k < STREAMS; k++)
		r->folders[k] = log_folder_new(take_event, r);
	logs->n++; /* last: others look at all below it */
}

static void reader_begin(struct log_reader *r)
{
	if (begin(r->logs, read_one, r))
		return;
	reader_say(r, "no thread to read it");
	atomic_store(&r->caught_up, true);
	atomic_store(&r->over, true);
}

bool reader_add(struct log_reader *by, const struct log_source *source)
{
	struct logs *logs = by->logs;
	size_t had, i;
	bool room;

	pthread_mutex_lock(&logs->lock);
	had = logs->n;
	for (i = 0; i < had; i++)
		if (logs->readers[i].source.kind == source->kind && !strcmp(logs->readers[i].source.at, source->at))
			break;
	room = had < LOG_SOURCES_MAX;
	if (i == had && room)
		reader_new(logs, source);
	pthread_mutex_unlock(&logs->lock);
	if (i == had && room)
		reader_begin(&logs->readers[had]);
	return i < had || room;
}

struct logs *logs_open(const struct log_options *options)
{
	static _Atomic uint64_t serial;
	struct logs *logs = mem_new(1, sizeof *logs);

	logs->serial = atomic_fetch_add(&serial, 1) + 1;
	logs->options = *options;
	logs->options.sources = NULL; /* the readers have theirs */
	logs->pattern = options->match ? mem_copy(options->match) : NULL;
	logs->options.match = logs->pattern;
	if (!logs->options.bytes)
		logs->options.bytes = BYTES_DEFAULT;
	logs->news = options->news;
	pthread_mutex_init(&logs->news_lock, NULL);
	logs->cancel = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	pthread_mutex_init(&logs->lock, NULL);
	pthread_cond_init(&logs->room, NULL);
	pthread_cond_init(&logs->left, NULL);
	for (size_t i = 0; i < options->n && i < LOG_SOURCES_MAX; i++)
		reader_new(logs, &options->sources[i]);
	for (size_t i = 0, n = logs->n; i < n; i++)
		reader_begin(&logs->readers[i]);
	begin(logs, settle_all, logs);
	return logs;
}

void logs_stop(struct logs *logs)
{
	static const uint64_t one = 1;

	atomic_store(&logs->ended, true);
	pthread_mutex_lock(&logs->lock);
	if (write(logs->cancel, &one, sizeof one) < 0)
		atomic_store(&logs->ended, true); /* it was told before */
	pthread_cond_broadcast(&logs->room);
	pthread_mutex_unlock(&logs->lock);
}

void logs_close(struct logs *logs, int64_t ms)
{
	struct timespec end;
	bool last;

	if (!logs)
		return;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += ms / 1000;
	end.tv_nsec += ms % 1000 * 1000000;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	pthread_mutex_lock(&logs->news_lock);
	logs->news = NULL;
	pthread_mutex_unlock(&logs->news_lock);
	logs_stop(logs);
	pthread_mutex_lock(&logs->lock);
	while (logs->threads && pthread_cond_timedwait(&logs->left, &logs->lock, &end) == 0)
		continue;
	last = !logs->threads;
	logs->abandoned = true;
	pthread_mutex_unlock(&logs->lock);
	if (last)
		logs_free(logs);
}

/* ---- who shows it ---- */

/* What came, in order, into what is there, from the back: mostly it is all newer. */
static void merge(struct entries *into, struct entries *from)
{
	struct log_entry **all;
	size_t i = into->n, k = from->n, w = into->n + from->n;

	make_room(into, from->n);
	qsort(from->all + from->first, from->n, sizeof(struct log_entry *), by_time);
	all = into->all + into->first;
	while (k) {
		struct log_entry *e = from->all[from->first + k - 1];

		if (i && !before(all[i - 1], e->at, e->number)) {
			all[--w] = all[--i];
		} else {
			all[--w] = e;
			k--;
		}
	}
	into->n += from->n;
	into->bytes += from->bytes;
	from->first = from->n = from->bytes = 0;
}

bool logs_turn(struct logs *logs)
{
	struct entries came = {0};

	logs->whole = logs_over(logs); /* asked before the last of it is taken */
	pthread_mutex_lock(&logs->lock);
	if (logs->queue.n) {
		came = logs->queue;
		logs->queue = (struct entries){0};
		atomic_store(&logs->pressed, false);
		pthread_cond_broadcast(&logs->room);
	}
	pthread_mutex_unlock(&logs->lock);
	if (!came.n)
		return false;
	merge(&logs->taken, &came);
	free(came.all);
	while (logs->taken.n > 1 && logs->taken.bytes > logs->options.bytes) {
		struct log_entry *oldest = logs->taken.all[logs->taken.first++];

		logs->taken.n--;
		logs->taken.bytes -= weight(oldest);
		logs->gone += oldest->lines;
		free(oldest);
	}
	return true;
}

bool logs_caught_up(const struct logs *logs)
{
	for (size_t i = 0; i < logs->n; i++)
		if (!atomic_load(&logs->readers[i].caught_up))
			return false;
	return true;
}

bool logs_pressed(const struct logs *logs)
{
	return atomic_load(&logs->pressed);
}

uint64_t logs_serial(const struct logs *logs)
{
	return logs->serial;
}

bool logs_is_part(const struct logs *logs)
{
	return logs->options.part.is;
}

bool logs_begins(const struct logs *logs)
{
	for (size_t i = 0; i < logs->n; i++)
		if (!atomic_load(&logs->readers[i].begins))
			return false;
	return !logs->gone;
}

bool logs_ends(const struct logs *logs)
{
	for (size_t i = 0; logs->options.part.is && i < logs->n; i++)
		if (!atomic_load(&logs->readers[i].ends))
			return false;
	return true;
}

bool logs_full(const struct logs *logs)
{
	return atomic_load(&logs->full);
}

void logs_progress(const struct logs *logs, int64_t *done, int64_t *total)
{
	*done = *total = 0;
	for (size_t i = 0; i < logs->n; i++) {
		*done += atomic_load(&logs->readers[i].done);
		*total += atomic_load(&logs->readers[i].total);
	}
}

bool logs_over(const struct logs *logs)
{
	for (size_t i = 0; i < logs->n; i++)
		if (!atomic_load(&logs->readers[i].over))
			return false;
	return true;
}

bool logs_whole(const struct logs *logs)
{
	return logs->whole;
}

size_t logs_count(const struct logs *logs)
{
	return logs->taken.n;
}

const struct log_entry *logs_get(const struct logs *logs, size_t i)
{
	return logs->taken.all[logs->taken.first + i];
}

size_t logs_find(const struct logs *logs, int64_t at, uint64_t number)
{
	size_t low = 0, high = logs->taken.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (before(logs_get(logs, middle), at, number))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void logs_forget(struct logs *logs)
{
	empty(&logs->taken);
}

uint64_t logs_missed(const struct logs *logs)
{
	struct logs *shared = (struct logs *)(uintptr_t)logs;
	uint64_t missed;

	pthread_mutex_lock(&shared->lock);
	missed = logs->missed;
	pthread_mutex_unlock(&shared->lock);
	return missed;
}

uint64_t logs_gone(const struct logs *logs)
{
	return logs->gone;
}

size_t logs_sources(const struct logs *logs)
{
	return logs->n;
}

const struct log_source *logs_source(const struct logs *logs, size_t i)
{
	return &logs->readers[i].source;
}

void logs_words(const struct logs *logs, size_t source, char out[200])
{
	struct logs *shared = (struct logs *)(uintptr_t)logs;

	pthread_mutex_lock(&shared->lock);
	memcpy(out, logs->readers[source].words, 200);
	pthread_mutex_unlock(&shared->lock);
}
