// SPDX-License-Identifier: MIT
/* Below: how the machine does, and what happened last. */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "overview_own.h"
#include "show.h"

static void box_memory(struct pen *pen, const struct box *box, const struct history *trend)
{
	char a[VALUE_TEXT_SIZE], b[VALUE_TEXT_SIZE], words[VALUE_TEXT_SIZE * 3];

	if (box->memory_total <= 0)
		return;
	snprintf(words, sizeof words, "mem %s of %s free", value_show(a, value_int(box->memory_available), UNIT_BYTES),
		value_show(b, value_int(box->memory_total), UNIT_BYTES));
	pen_part(pen, memory_is_low(box, false) ? STYLE_WARN : STYLE_NORMAL, words, trend);
	if (box->swap_total > 0 && box->swap_total > box->swap_free) {
		snprintf(words, sizeof words, "swap %s used", value_show(a, value_int(box->swap_total - box->swap_free), UNIT_BYTES));
		pen_part(pen, STYLE_NORMAL, words, NULL);
	}
}

/* Of a path that is too long its end tells more. */
static void box_disk(struct pen *pen, const struct disk *d, enum style style)
{
	char a[VALUE_TEXT_SIZE], words[sizeof d->path + VALUE_TEXT_SIZE * 2];
	const char *path = d->path, *next;

	value_show(a, d->total > 0 ? value_int(d->free) : value_unknown(), UNIT_BYTES);
	while (canvas_columns(pen->c, path) > int_max(pen->c->width / 3, 12) && (next = strchr(path + 1, '/')))
		path = next;
	snprintf(words, sizeof words, "%s%s %s free", path == d->path ? "" : "…", path, a);
	pen_part(pen, style, words, NULL);
}

void overview_box_draw(struct canvas *c, int y, const struct lake *lake)
{
	struct pen pen = {c, y, 1};
	const struct facts *f = lake->facts;
	enum style style;
	char a[VALUE_TEXT_SIZE], words[VALUE_TEXT_SIZE * 3];

	if (!f) {
		show_text(c, y, 1, c->width - 2, STYLE_DIM, "the machine was not looked at yet");
		return;
	}
	for (size_t i = 0; i < f->n_disks; i++) /* what is short comes first: the rest gives way */
		if (disk_is_low(&f->disks[i], false))
			box_disk(&pen, &f->disks[i], STYLE_WARN);
	if (memory_is_low(&f->box, false))
		box_memory(&pen, &f->box, lake->memory);
	if (tables_line(a, lake, NULL, &style))
		pen_part(&pen, style, a, NULL);
	snprintf(words, sizeof words, "load %.2f of %d cores", f->box.load1, f->box.cores);
	pen_part(&pen, STYLE_NORMAL, words, lake->load);
	if (!memory_is_low(&f->box, false))
		box_memory(&pen, &f->box, lake->memory);
	for (size_t i = 0; i < f->n_disks; i++)
		if (!disk_is_low(&f->disks[i], false))
			box_disk(&pen, &f->disks[i], STYLE_NORMAL);
	if (f->box.oom_kills > 0) {
		snprintf(words, sizeof words, "%s killed for memory since boot", value_show(a, value_int(f->box.oom_kills), UNIT_COUNT));
		pen_part(&pen, STYLE_NORMAL, words, NULL);
	}
	if (lake->docker && (lake->docker->docker == DOCKER_DENIED || lake->docker->docker == DOCKER_DEAD)) {
		snprintf(words, sizeof words, "docker %s", lake->docker->docker == DOCKER_DENIED ? "denied" : "does not answer");
		pen_part(&pen, STYLE_UNKNOWN, words, NULL);
	}
}

void overview_events_draw(struct canvas *c, int y, int lines, const struct lake *lake)
{
	int name = 0;

	if (!lake->n_events)
		show_text(c, y, 1, c->width - 2, STYLE_DIM, "nothing has changed since the start");
	for (size_t i = 0; i < lake->n_events && i < (size_t)lines; i++)
		name = int_max(name, canvas_columns(c, lake->events[lake->n_events - 1 - i].service));
	name = int_min(name, int_clamp(c->width / 5, 10, 28));
	for (int i = 0; i < lines && (size_t)i < lake->n_events; i++) {
		const struct event *e = &lake->events[lake->n_events - 1 - (size_t)i];
		enum style style = severity_style(e->severity);
		char hms[CLOCK_TEXT];
		int x = 11 + (name ? name + 2 : 0);

		show_text(c, y + i, 1, 8, STYLE_DIM, clock_hms(hms, e->wall));
		show_text(c, y + i, 11, name, style, e->service);
		show_text(c, y + i, x, c->width - x - 1, style == STYLE_NORMAL ? STYLE_DIM : style, e->words);
	}
}
