// SPDX-License-Identifier: MIT
/*
 * Title and hint line. Both are lists of parts, each with a rank: what does not fit is dropped
 * whole, highest rank first, so that the badge and the count of problems are there at any width.
 * Pure over a lake; UI thread.
 */
#include "frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "keymap.h"

enum { PARTS_MAX = 12, PART_SIZE = 160, NAME_MOST = 24 };

struct part {
	char s[PART_SIZE];
	enum style style;
	int rank;      /* 0 is never dropped */
	bool right;    /* belongs to the right edge */
	bool gone;
};

struct parts {
	struct part at[PARTS_MAX];
	size_t n;
};

__attribute__((format(printf, 5, 6))) static void add(struct parts *p, enum style style, int rank, bool right, const char *format, ...)
{
	struct part *part = &p->at[p->n];
	va_list args;

	if (p->n == PARTS_MAX)
		return;
	va_start(args, format);
	vsnprintf(part->s, sizeof part->s, format, args);
	va_end(args);
	part->style = style;
	part->rank = rank;
	part->right = right;
	part->gone = false;
	p->n++;
}

static int width_of(const struct canvas *line, const struct part *part)
{
	return part->gone ? 0 : canvas_columns(line, part->s) + 2;
}

/* Drops the highest ranks until the rest fits. */
static void fit(struct parts *p, const struct canvas *line)
{
	for (;;) {
		struct part *drop = NULL;
		int total = 0;

		for (size_t i = 0; i < p->n; i++) {
			total += width_of(line, &p->at[i]);
			if (!p->at[i].gone && p->at[i].rank > 0 && (!drop || p->at[i].rank > drop->rank))
				drop = &p->at[i];
		}
		if (total <= line->width || !drop)
			return;
		drop->gone = true;
	}
}

static void draw(struct parts *p, struct canvas *line)
{
	int left = 1, right = line->width - 1;

	fit(p, line);
	for (size_t i = p->n; i-- > 0;)
		if (p->at[i].right && !p->at[i].gone) {
			right -= canvas_columns(line, p->at[i].s);
			canvas_text(line, 0, right, -1, p->at[i].style, p->at[i].s);
			right -= 2;
		}
	for (size_t i = 0; i < p->n; i++)
		if (!p->at[i].right && !p->at[i].gone)
			left += canvas_text(line, 0, left, right - left, p->at[i].style, p->at[i].s) + 2;
}

/* ---- title ---- */

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void add_state(struct parts *p, const struct lake *lake)
{
	size_t answered = 0, required = 0;

	for (size_t i = 0; i < lake->n_services; i++) {
		required += lake->services[i]->required;
		answered += lake->services[i]->required && !lake->services[i]->asking;
	}
	if (!required) {
		/* nothing is expected: nothing can be ready */
		if (!lake->facts)
			add(p, STYLE_UNKNOWN, 0, false, "looking");
		else
			add(p, STYLE_ACCENT, 0, false, "%zu service%s", lake->n_services, plural(lake->n_services));
	} else if (!lake->settled)
		add(p, STYLE_UNKNOWN, 0, false, "ASKING %zu of %zu", answered, required);
	else
		add(p, lake->ready ? STYLE_READY : STYLE_NOT_READY, 0, false, lake->ready ? " READY " : " NOT READY ");
	if (lake->n_problems && (lake->settled || !required))
		add(p, STYLE_BAD, 0, false, "%zu problem%s", lake->n_problems, plural(lake->n_problems));
	if (lake->n_warnings && (lake->settled || !required))
		add(p, STYLE_WARN, 3, false, "%zu warning%s", lake->n_warnings, plural(lake->n_warnings));
}

/* "free mem 9.0 of 64 GiB": the unit is said once where both have the same. */
static void add_memory(struct parts *p, const struct box *box)
{
	char available[VALUE_TEXT_SIZE], total[VALUE_TEXT_SIZE];
	char *unit;
	const char *other;

	if (box->memory_total <= 0)
		return;
	value_show(available, value_int(box->memory_available), UNIT_BYTES);
	value_show(total, value_int(box->memory_total), UNIT_BYTES);
	unit = strchr(available, ' ');
	other = strchr(total, ' ');
	if (unit && other && !strcmp(unit, other))
		*unit = '\0';
	add(p, memory_is_low(box, false) ? STYLE_WARN : STYLE_NORMAL, 5, true, "free mem %s of %s", available, total);
}

static void add_disk(struct parts *p, const struct facts *facts)
{
	const struct disk *worst = NULL;
	char free_text[VALUE_TEXT_SIZE];
	bool low = false;

	for (size_t i = 0; i < facts->n_disks; i++) {
		const struct disk *d = &facts->disks[i];
		bool is_low = disk_is_low(d, false);

		if (d->total > 0 && (!worst || is_low > low || (is_low == low && d->free < worst->free))) {
			worst = d;
			low = is_low;
		}
	}
	if (!worst)
		return;
	value_show(free_text, value_int(worst->free), UNIT_BYTES);
	add(p, low ? STYLE_WARN : STYLE_NORMAL, 6, true, "disk %s", free_text);
}

static void add_right(struct parts *p, const struct frame *f)
{
	char words[CLOCK_TEXT];

	if (f->frozen_ms >= 0)
		add(p, STYLE_SELECTED, 0, true, " PAUSED %s ", clock_span(words, f->frozen_ms));
	if (f->lake->replayed)
		add(p, STYLE_INPUT, 1, true, "replay");
	else if (f->lake->locked)
		add(p, STYLE_INPUT, 1, true, "%s", text_starts(text_of(f->lake->locked), "locked") ? "locked" : "read-only");
	if (f->lake->facts) {
		add_memory(p, &f->lake->facts->box);
		add_disk(p, f->lake->facts);
	}
	add(p, STYLE_NORMAL, 4, true, "%s", clock_hms(words, f->wall));
}

/* A profile's name may be a whole list of groups: its beginning is enough to know it by. */
static char *short_name(char out[NAME_MOST + 8], const char *name)
{
	bool fits = strlen(name) <= NAME_MOST;

	text_copy(out, fits ? NAME_MOST + 1 : NAME_MOST, text_of(name));
	if (!fits)
		memcpy(out + strlen(out), "…", sizeof "…");
	return out;
}

static void add_name(struct parts *p, const struct lake *lake)
{
	const char *name = lake->profile ? lake->profile->name : NULL, *host = lake->host ? lake->host : "?";
	char profile[NAME_MOST + 8], demo[NAME_MOST + 8];

	if (name && lake->demo)
		add(p, STYLE_NORMAL, 2, false, "%s/%s @ %.40s", short_name(profile, name), short_name(demo, lake->demo->name), host);
	else if (name)
		add(p, STYLE_NORMAL, 2, false, "%s @ %.40s", short_name(profile, name), host);
	else
		add(p, STYLE_NORMAL, 2, false, "@ %.40s", host);
}

/* What runs is in sight wherever one looks. */
static void add_action(struct parts *p, const struct lake *lake)
{
	char span[CLOCK_TEXT];

	for (size_t i = lake->n_actions; i-- > 0;) {
		const struct action_shown *a = &lake->actions[i];

		if ((a->state == ACTION_RUNNING || a->state == ACTION_VERIFYING) && !a->parent) {
			add(p, STYLE_INPUT, 1, false, " %s: %s %s ", a->title, action_state_word(a->state), clock_span(span, lake->wall - a->begun));
			return;
		}
	}
}

static void compose_title(const struct frame *f, struct parts *p)
{
	p->n = 0;
	add(p, STYLE_TITLE, 1, false, "laketop");
	add_name(p, f->lake);
	add_state(p, f->lake);
	add_action(p, f->lake);
	add_right(p, f);
}

void frame_title(const struct frame *f, struct canvas *line)
{
	struct parts p;

	compose_title(f, &p);
	draw(&p, line);
}

bool frame_has_clock(const struct frame *f, const struct canvas *line)
{
	struct parts p;

	compose_title(f, &p);
	fit(&p, line);
	return !p.at[p.n - 1].gone;
}

/* ---- hints ---- */

/* One hint, where all of it fits; behind one that did not, none is drawn: what stands there stands in the same order at any width. */
static void draw_key(struct canvas *line, int *x, int *end, int code, const char *label)
{
	char key[KEY_NAME];
	int wide;

	if (!label || !code)
		return;
	keymap_name(key, code, line->ascii);
	wide = canvas_columns(line, key) + 1 + canvas_columns(line, label);
	if (*x + wide > *end) {
		*end = 0;
		return;
	}
	canvas_text(line, 0, *x, -1, STYLE_KEY, key);
	canvas_text(line, 0, *x + canvas_columns(line, key) + 1, -1, STYLE_NORMAL, label);
	*x += wide + 2;
}

static void draw_hint(struct canvas *line, int *x, int *end, enum act act)
{
	draw_key(line, x, end, keymap_key(act), act_info(act)->label);
}

static int draw_modes(const struct frame *f, struct canvas *line, int x, int end)
{
	if (f->filter[0])
		x += canvas_printf(line, 0, x, end - x, STYLE_INPUT, "/%s", f->filter) + 2;
	if (f->problems_only)
		x += canvas_text(line, 0, x, end - x, STYLE_INPUT, "problems only") + 2;
	return x;
}

/* How many of the profile's services are not there: said small, they are often meant not to be. */
static int draw_absent(const struct lake *lake, struct canvas *line)
{
	char words[48];
	size_t expected = 0, absent = 0;
	int x;

	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *s = lake->services[i];

		expected += s->expected != NULL;
		absent += s->expected && !s->asking && s->verdict.shown.verdict == VERDICT_ABSENT;
	}
	if (!absent || line->width < 80)
		return line->width - 1;
	snprintf(words, sizeof words, "%zu of %zu absent", absent, expected);
	x = line->width - 1 - canvas_columns(line, words);
	canvas_text(line, 0, x, -1, STYLE_DIM, words);
	return x - 2;
}

void frame_hints(const struct frame *f, struct canvas *line)
{
	static const enum act common[] = {ACT_PROBLEMS, ACT_FILTER, ACT_PALETTE}, rest[] = {ACT_REFRESH, ACT_FREEZE};
	int x = 1, end = line->width - 1;

	if (f->message) {
		canvas_text(line, 0, x, end - x, f->message_style, f->message);
		return;
	}
	end = draw_absent(f->lake, line);
	x = draw_modes(f, line, x, end);
	if (!f->keys)
		return;
	draw_key(line, &x, &end, keymap_key(ACT_BACK), f->root ? "quit" : "back");
	draw_hint(line, &x, &end, ACT_HELP);
	for (const struct key_hint *hint = f->panel->hints; hint && hint->act != ACT_NONE; hint++)
		if (hint->act != ACT_BACK && (!f->panel->takes || f->panel->takes(f->state, hint->act))) /* back is said already */
			draw_key(line, &x, &end, keymap_key(hint->act), hint->label);
	for (size_t i = 0; i < sizeof common / sizeof *common; i++)
		draw_hint(line, &x, &end, common[i]);
	for (size_t i = 0; panels[i]; i++)
		draw_key(line, &x, &end, panels[i]->key, panels[i]->name);
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
		draw_hint(line, &x, &end, rest[i]);
}

void frame_too_small(struct canvas *c)
{
	char words[64];

	snprintf(words, sizeof words, "laketop needs %dx%d, this is %dx%d", SCREEN_MIN_WIDTH, SCREEN_MIN_HEIGHT, c->width, c->height);
	canvas_text(c, c->height / 2, 0, -1, STYLE_NORMAL, words);
}
