// SPDX-License-Identifier: MIT
/* Above: what is broken first, causes before victims, and what helps; or one quiet line that says how well all is. */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "overview_own.h"
#include "show.h"

enum { PROBLEM_LINES = 4 };

/* ---- problems ---- */

static const char *problem_reason(const struct problem *p)
{
	const char *words = p->finding ? p->finding->reason : service_words(p->service);

	return words[0] ? words : verdict_word(service_verdict(p->service));
}

static const char *problem_remedy(const struct problem *p)
{
	return p->finding ? p->finding->remedy : p->service->verdict.begun ? p->service->verdict.shown.remedy : "";
}

/* What helps; of a victim, whose fault it is. */
static char *problem_help(char out[REASON_SIZE], const struct problem *p)
{
	if (p->service->cause && p->service->cause->name)
		snprintf(out, REASON_SIZE, "caused by %.200s", p->service->cause->name);
	else
		text_copy(out, REASON_SIZE, text_of(problem_remedy(p)));
	return out;
}

/* A finding keeps READY away only where it blocks. */
static enum style problem_style(const struct problem *p)
{
	return p->finding ? severity_style(p->finding->severity) : service_style(p->service);
}

static void draw_name(struct canvas *c, int y, int width, const struct problem *p)
{
	show_text(c, y, 1, 2, problem_style(p), p->finding ? "!" : verdict_glyph(service_verdict(p->service), c->ascii));
	show_text(c, y, 4, width, problem_style(p), p->service->name);
}

/* Returns whether the help found room on the line. */
static bool draw_problem(struct canvas *c, int y, int name_width, int right, const struct problem *p)
{
	int x = 4 + name_width + 2, room = right - x, used;
	char help[REASON_SIZE];

	draw_name(c, y, name_width, p);
	used = show_text(c, y, x, room, STYLE_NORMAL, problem_reason(p));
	problem_help(help, p);
	if (!help[0])
		return true;
	if (used + 4 + canvas_columns(c, help) > room)
		return false;
	if (!p->service->cause)
		show_text(c, y, x + used + 2, 2, STYLE_DIM, "→");
	show_text(c, y, x + used + 4, -1, p->service->cause ? STYLE_DIM : STYLE_ACCENT, help);
	return true;
}

static void draw_more(struct canvas *c, int y, const struct lake *lake, size_t from)
{
	char names[REASON_SIZE] = "";
	size_t used = 0;

	for (size_t i = from; i < lake->n_problems && used + NAME_SIZE + 4 < sizeof names; i++)
		used += (size_t)snprintf(names + used, NAME_SIZE + 4, "%s%.*s", i > from ? ", " : "", NAME_SIZE - 1,
			lake->problems[i].service->name);
	canvas_printf(c, y, 4, c->width - 5, STYLE_DIM, "and %zu more: %s", lake->n_problems - from, names);
}

/* What helps against the first broken thing is as important as the thing: it gets a line. */
static bool first_needs_line(const struct canvas *c, const struct problem *p)
{
	return c->height >= OVERVIEW_ROOM_FOR_BOX && !p->service->cause && problem_remedy(p)[0];
}

/* Name and reason do not fit side by side: the reason gets a line of its own. */
static int draw_narrow_problem(struct canvas *c, const struct lake *lake)
{
	const struct problem *p = &lake->problems[0];
	char more[CLOCK_TEXT] = "";
	int y = 0;

	if (lake->n_problems > 1)
		snprintf(more, sizeof more, "+%zu more", lake->n_problems - 1);
	draw_name(c, y, c->width - 7 - (int)strlen(more), p);
	show_text(c, y++, c->width - 1 - (int)strlen(more), -1, STYLE_DIM, more);
	show_text(c, y++, 4, c->width - 5, STYLE_NORMAL, problem_reason(p));
	if (c->height >= 10 && problem_remedy(p)[0]) {
		show_text(c, y, 4, 2, STYLE_DIM, "→");
		show_text(c, y++, 6, c->width - 7, STYLE_ACCENT, problem_remedy(p));
	}
	return y;
}

static int draw_problems(struct canvas *c, const struct lake *lake, int most)
{
	size_t n = lake->n_problems, shown = n <= (size_t)most ? n : most > 1 ? (size_t)most - 1 : 1;
	int width = 0, y = 0;

	if (c->width < OVERVIEW_NARROW)
		return draw_narrow_problem(c, lake);
	for (size_t i = 0; i < shown; i++)
		width = int_max(width, canvas_columns(c, lake->problems[i].service->name));
	width = int_min(width, int_clamp(c->width / 5, 10, 28));
	for (size_t i = 0; i < shown; i++) {
		bool told = draw_problem(c, y++, width, c->width - 1 - (most == 1 && n > 1 ? 9 : 0), &lake->problems[i]);

		if (i == 0 && !told && first_needs_line(c, &lake->problems[0])) {
			show_text(c, y, 4 + width + 2, 2, STYLE_DIM, "→");
			show_text(c, y++, 4 + width + 4, c->width - 9 - width, STYLE_ACCENT, problem_remedy(&lake->problems[0]));
		}
	}
	if (n > shown && most == 1)
		canvas_printf(c, 0, c->width - 9, 8, STYLE_DIM, "+%zu more", n - shown);
	else if (n > shown)
		draw_more(c, y++, lake, shown);
	return y;
}

/* ---- one quiet line ---- */

static void draw_asking(struct canvas *c, int y, const struct lake *lake)
{
	char names[REASON_SIZE] = "";
	size_t used = 0, asked = 0, required = 0;

	for (size_t i = 0; i < lake->n_services; i++) {
		const struct service *s = lake->services[i];

		required += s->required;
		if (!s->required || !s->asking)
			continue;
		if (used + NAME_SIZE + 4 < sizeof names)
			used += (size_t)snprintf(names + used, NAME_SIZE + 4, "%s%.*s", asked ? ", " : "", NAME_SIZE - 1, s->name);
		asked++;
	}
	if (required)
		canvas_printf(c, y, 1, c->width - 2, STYLE_DIM, "asking %zu of %zu … %s", asked, required, names);
	else
		show_text(c, y, 1, c->width - 2, STYLE_DIM, "looking who listens here …");
}

/* "! 3 warnings: machine disk, kafka lag, …": how many first, then as many names as there is room for. */
static void draw_warnings(struct canvas *c, int x, const struct lake *lake)
{
	const struct judged_finding *f;
	const char *whose;
	char words[REASON_SIZE * 2], one[NAME_SIZE * 2];
	int room = c->width - 1 - x;
	size_t said = 0;

	snprintf(words, sizeof words, "! %zu warning%s", lake->n_warnings, lake->n_warnings == 1 ? "" : "s");
	if (canvas_columns(c, words) > room)
		return;
	x += show_text(c, 0, x, -1, STYLE_WARN, words);
	room = c->width - 1 - x;
	for (; (f = lake_warning(lake, said, &whose)); said++) {
		int more = said + 1 < lake->n_warnings ? 3 : 0; /* ", …" */

		snprintf(one, sizeof one, "%s %.60s %.30s", said ? "," : ":", whose, f->name);
		if (canvas_columns(c, one) + more > room)
			break;
		x += show_text(c, 0, x, -1, STYLE_WARN, one);
		room = c->width - 1 - x;
	}
	if (f && said)
		show_text(c, 0, x, -1, STYLE_WARN, ", …");
}

static void draw_ready(struct canvas *c, const struct lake *lake)
{
	char span[CLOCK_TEXT], demo[NAME_SIZE + 20] = "", since[CLOCK_TEXT + 8] = "", words[REASON_SIZE];
	bool one = lake->n_required == 1, narrow = c->width < OVERVIEW_NARROW;
	int x = 4;

	if (lake->demo)
		snprintf(demo, sizeof demo, " of demo %.*s", NAME_SIZE, lake->demo->name);
	if (lake->ready_since > 0)
		snprintf(since, sizeof since, ", for %s",
			clock_span(span, lake->wall > lake->ready_since ? lake->wall - lake->ready_since : 0));
	snprintf(words, sizeof words, "%s %zu %s%s%s %s%s", one ? "the" : "all", lake->n_required,
		narrow ? "required" : "required service",
		narrow || one ? "" : "s", demo, one ? "serves" : "serve", since);
	show_text(c, 0, 1, 2, STYLE_GOOD, verdict_glyph(VERDICT_SERVING, c->ascii));
	x += show_text(c, 0, x, c->width - x - 1, STYLE_NORMAL, words);
	if (lake->n_warnings)
		draw_warnings(c, x + 3, lake);
}

/* Nothing is required: say what there is, and do not judge. */
static void draw_found(struct canvas *c, const struct lake *lake)
{
	size_t serving = 0;

	for (size_t i = 0; i < lake->n_services; i++)
		serving += service_verdict(lake->services[i]) == VERDICT_SERVING;
	canvas_printf(c, 0, 1, c->width - 2, STYLE_NORMAL, "%zu service%s found, %zu serving; %s", lake->n_services,
		lake->n_services == 1 ? "" : "s", serving,
			lake->profile && lake->profile->name ? "none is required" : "no profile says what should be here");
}

/* ---- all of it ---- */

int overview_state_draw(struct canvas *c, const struct lake *lake)
{
	int most = c->height < 10 ? 1 : c->height < OVERVIEW_ROOM_FOR_RULES ? 2 : PROBLEM_LINES, y;

	if (lake->n_problems) {
		y = draw_problems(c, lake, most);
		if (!lake->settled && c->height >= OVERVIEW_ROOM_FOR_BOX)
			draw_asking(c, y++, lake);
		return y;
	}
	if (lake->ready)
		draw_ready(c, lake);
	else if (!lake->settled)
		draw_asking(c, 0, lake);
	else
		draw_found(c, lake);
	return 1;
}

/* It has no row to say it in. The gravest: the others are coloured below. */
int overview_machine_draw(struct canvas *c, int y, const struct lake *lake)
{
	const struct judged_finding *f = &lake->machine[0];
	int x = 4 + canvas_columns(c, lake_machine) + 2, used;

	if (!lake->n_machine || c->height < OVERVIEW_ROOM_FOR_RULES)
		return 0;
	show_text(c, y, 1, 2, STYLE_WARN, "!");
	show_text(c, y, 4, -1, STYLE_WARN, lake_machine);
	used = show_text(c, y, x, c->width - 1 - x, STYLE_NORMAL, f->reason);
	if (x + used + 4 + canvas_columns(c, f->remedy) <= c->width - 1) {
		show_text(c, y, x + used + 2, 2, STYLE_DIM, "→");
		show_text(c, y, x + used + 4, -1, STYLE_ACCENT, f->remedy);
	}
	return 1;
}

/* What an earlier laketop began, and whose end is not known, is not hidden below. */
int overview_cut_short_draw(struct canvas *c, int y, const struct lake *lake)
{
	const struct action_shown *last = NULL;
	char span[CLOCK_TEXT], words[REASON_SIZE];
	size_t n = 0;

	for (size_t i = 0; i < lake->n_actions; i++)
		if (lake->actions[i].state == ACTION_OPEN) {
			last = &lake->actions[i];
			n++;
		}
	if (!last || c->height < 10)
		return 0;
	clock_span(span, lake->wall > last->begun ? lake->wall - last->begun : 0);
	if (n > 1)
		snprintf(words, sizeof words, "%zu actions were cut short, the last %.100s, %s ago; X lists them", n, last->title, span);
	else
		snprintf(words, sizeof words, "%.100s was cut short %s ago: whether it was done is not known; X tells", last->title, span);
	show_text(c, y, 1, 2, STYLE_WARN, "!");
	show_text(c, y, 4, c->width - 5, STYLE_WARN, words);
	return 1;
}
