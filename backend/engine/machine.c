// SPDX-License-Identifier: MIT
/*
 * What the box itself is short of: room on a disk that matters, memory. A warning, never more: it tells what will fail
 * next, and what has failed tells so itself. A disk is short at once; memory after three looks, for it comes and goes.
 * UI thread.
 */
#include <string.h>

#include "actor.h"
#include "evidence.h"
#include "value.h"

enum { MEMORY_LOOKS = 3 };

const char lake_machine[] = "machine";

static bool is_muted(const struct engine *e, const char *name)
{
	for (const char *const *mute = e->profile->mute; mute && *mute; mute++)
		if (!strcmp(*mute, name))
			return true;
	return false;
}

/* NULL: muted, or there is no room. */
static struct judged_finding *find(struct engine *e, const char *name)
{
	struct lake *lake = &e->lake;
	struct judged_finding *f;

	if (lake->n_machine == MACHINE_FINDINGS_MAX || is_muted(e, name))
		return NULL;
	f = &lake->machine[lake->n_machine++];
	*f = (struct judged_finding){.severity = SEVERITY_WARNING};
	text_copy(f->name, sizeof f->name, text_of(name));
	return f;
}

/* Of two paths of one disk the first speaks. */
static bool is_told(const struct facts *f, size_t disk)
{
	for (size_t i = 0; i < disk; i++)
		if (f->disks[i].device && f->disks[i].device == f->disks[disk].device)
			return true;
	return false;
}

static void disk_words(char out[REASON_SIZE], const struct disk *d)
{
	char left[VALUE_TEXT_SIZE], total[VALUE_TEXT_SIZE];

	value_show(left, value_int(d->free), UNIT_BYTES);
	value_show(total, value_int(d->total), UNIT_BYTES);
	if (d->free > 0 && d->inodes_free == 0)
		scene_say(out, REASON_SIZE, "%s takes no more files: none of its inodes is free", d->path);
	else if (d->free > 0)
		scene_say(out, REASON_SIZE, "%s is nearly full: %s of %s left", d->path, left, total);
	else
		scene_say(out, REASON_SIZE, "%s is full: nothing of %s left", d->path, total);
}

/* A path of the profile that is none would never be told of. */
static void judge_path(struct engine *e, const struct disk *d)
{
	struct judged_finding *f = d->why[0] ? find(e, "disk") : NULL;

	if (!f)
		return;
	reason(f, "[host] disks: %s cannot be looked at: %s", d->path, d->why);
	remedy(f, "mount it, or correct the profile");
}

static void judge_disk(struct engine *e, size_t i, bool known)
{
	const struct facts *facts = e->lake.facts;
	const struct disk *d = &facts->disks[i];
	bool *was = &e->machine.disks[i], low = d->total > 0 ? disk_is_low(d, *was) : *was;
	char words[REASON_SIZE], left[VALUE_TEXT_SIZE];
	struct judged_finding *f = low && d->total > 0 && !is_told(facts, i) ? find(e, "disk") : NULL;

	disk_words(words, d);
	if (f) {
		reason(f, "%s", words);
		remedy(f, "free space there, before what writes to it fails");
	}
	if (known && low != *was && !is_told(facts, i) && !is_muted(e, "disk")) {
		if (low)
			event_say(e, SEVERITY_WARNING, lake_machine, "%s", words);
		else
			event_say(e, SEVERITY_INFO, lake_machine, "%s has room again: %s", d->path, value_show(left, value_int(d->free), UNIT_BYTES));
	}
	*was = low;
}

static const struct process *largest(const struct facts *f)
{
	const struct process *most = NULL;

	for (size_t i = 0; i < f->n_processes; i++)
		if (!most || f->processes[i].rss > most->rss)
			most = &f->processes[i];
	return most;
}

static void judge_memory(struct engine *e, bool known)
{
	const struct facts *facts = e->lake.facts;
	const struct process *most = largest(facts);
	struct machine *m = &e->machine;
	bool was = m->memory;
	char left[VALUE_TEXT_SIZE], total[VALUE_TEXT_SIZE], held[VALUE_TEXT_SIZE];
	struct judged_finding *f;

	m->memory_looks = memory_is_low(&facts->box, was) ? m->memory_looks + 1 : 0;
	m->memory = m->memory_looks >= (e->options.headless ? 1 : MEMORY_LOOKS) || (was && m->memory_looks);
	if (known && was && !m->memory && !is_muted(e, "memory"))
		event_say(e, SEVERITY_INFO, lake_machine, "memory is free again: %s",
			value_show(left, value_int(facts->box.memory_available), UNIT_BYTES));
	f = m->memory ? find(e, "memory") : NULL;
	if (!f)
		return;
	reason(f, "memory is nearly full: %s of %s left",
		value_show(left, value_int(facts->box.memory_available), UNIT_BYTES), value_show(total, value_int(facts->box.memory_total), UNIT_BYTES));
	if (most && most->rss > 0)
		remedy(f, "stop what is not needed; %s (pid %d) holds the most, %s", most->name, (int)most->pid,
			value_show(held, value_int(most->rss), UNIT_BYTES));
	else
		remedy(f, "stop what is not needed");
	if (known && !was)
		event_say(e, SEVERITY_WARNING, lake_machine, "%s", f->reason);
}

void machine_judge(struct engine *e, bool known)
{
	const struct facts *facts = e->lake.facts;

	e->lake.n_machine = 0;
	if (!facts)
		return;
	for (size_t i = 0; i < facts->n_disks && i < MACHINE_DISKS_MAX; i++)
		judge_disk(e, i, known);
	for (size_t i = 0; i < facts->n_disks; i++)
		judge_path(e, &facts->disks[i]);
	judge_memory(e, known);
}
