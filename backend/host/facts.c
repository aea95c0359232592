// SPDX-License-Identifier: MIT
/* Finding rows among the facts of a machine. Pure, any thread. */
#include "facts.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

static const int64_t gib = INT64_C(1) << 30;

static bool is_low(int64_t left, int64_t total, int64_t most, bool was)
{
	int64_t least = total / 20 < most ? total / 20 : most;

	return left < least + (was ? least / 4 : 0);
}

bool disk_is_low(const struct disk *d, bool was)
{
	return d->total > 0 && !d->read_only && (is_low(d->free, d->total, 10 * gib, was) || d->inodes_free == 0);
}

bool memory_is_low(const struct box *b, bool was)
{
	return b->memory_total > 0 && is_low(b->memory_available, b->memory_total, 4 * gib, was);
}

static int by_pid(const void *key, const void *row)
{
	pid_t pid = *(const pid_t *)key, other = ((const struct process *)row)->pid;

	return (pid > other) - (pid < other);
}

const struct process *facts_process(const struct facts *f, pid_t pid)
{
	if (!f || !f->n_processes)
		return NULL;
	return bsearch(&pid, f->processes, f->n_processes, sizeof *f->processes, by_pid);
}

/* How well a listener's address answers for the one asked: 3 itself, 2 any IPv6, 1 any, 0 not at all. */
static int address_match(const char *listens, const char *asked)
{
	if (!asked[0] || !strcmp(listens, asked))
		return 3;
	if (!strcmp(listens, "[::]") && strchr(asked, ':'))
		return 2;
	return !strcmp(listens, "*") ? 1 : 0;
}

const struct listener *facts_listener(const struct facts *f, const char *address, uint16_t port)
{
	const struct listener *best = NULL;
	int best_match = 0;

	for (size_t i = 0; f && i < f->n_listeners; i++) {
		const struct listener *l = &f->listeners[i];
		int match = l->port == port ? address_match(l->address, address ? address : "") : 0;

		if (match > best_match) {
			best = l;
			best_match = match;
		}
	}
	return best;
}

const struct container *facts_container(const struct facts *f, const char *id_or_name)
{
	if (!id_or_name || !id_or_name[0])
		return NULL;
	for (size_t i = 0; f && i < f->n_containers; i++)
		if (!strcmp(f->containers[i].id, id_or_name) || !strcmp(f->containers[i].name, id_or_name))
			return &f->containers[i];
	return NULL;
}

/* "127.0.0.1:9097->8000" or "*:4040-4050->4040-4050": does it publish port? */
static bool publishes(struct text one, uint16_t port)
{
	const char *arrow = memmem(one.at, one.len, "->", 2);
	struct text ports, last;
	int64_t low, high;

	if (!arrow)
		return false;
	one.len = (size_t)(arrow - one.at);
	ports = one;
	while (text_after(ports, ':').len) /* the address may be an IPv6 one */
		ports = text_after(ports, ':');
	last = text_after(ports, '-');
	if (!text_i64(text_until(ports, '-'), &low))
		return false;
	if (!text_i64(last, &high))
		high = low;
	return port >= low && port <= high;
}

const struct container *facts_publisher(const struct facts *f, uint16_t port)
{
	for (size_t i = 0; f && i < f->n_containers; i++) {
		struct text rest = text_of(f->containers[i].ports), one;

		while (text_word(&rest, &one))
			if (!text_has(one, "/udp") && publishes(one, port))
				return &f->containers[i];
	}
	return NULL;
}
