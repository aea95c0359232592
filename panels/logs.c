// SPDX-License-Identifier: MIT
/*
 * What services write, in one timeline: the newest below, as it comes, until one moves up in it. The row where one
 * stands keeps its place while lines come. What was cut to a level, a filter or a source is not drawn, and not
 * stepped on. UI thread only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "logs_own.h"
#include "show.h"

enum { NARROW = 60, SOURCE_WIDEST = 18, LINES_SHOWN = 400, ROW_BYTES = 4096 };

/* ---- which lines ---- */

static void understand(struct pattern *p, const char *typed, bool may_exclude)
{
	if (!strcmp(p->typed, typed))
		return;
	log_match_free(p->match);
	*p = (struct pattern){0};
	text_copy(p->typed, sizeof p->typed, text_of(typed));
	p->out = may_exclude && typed[0] == '!' && typed[1];
	typed += p->out;
	if (!*typed)
		return;
	p->match = log_match_new(typed, NULL);
	p->wrong = !p->match;
}

bool logs_finds(const struct pattern *p, const struct log_entry *e)
{
	return p->match && log_match_in(p->match, (struct text){e->text, e->len}, 0, NULL, NULL);
}

bool logs_keeps(const struct shown *s, size_t i)
{
	const struct log_entry *e = logs_get(s->logs, i);

	if (s->l->only && e->source + 1 != (unsigned)s->l->only)
		return false;
	if (e->level < s->level && (e->level || s->level > LOG_TRACE))
		return false;
	return !s->l->filter.match || logs_finds(&s->l->filter, e) != s->l->filter.out;
}

/* The next kept one from i on in that direction, i itself included; logs_count(): none. */
size_t logs_kept(const struct shown *s, size_t i, int by)
{
	for (; i < logs_count(s->logs); i += (size_t)by)
		if (logs_keeps(s, i))
			return i;
	return logs_count(s->logs);
}

size_t logs_cursor(const struct shown *s)
{
	size_t n = logs_count(s->logs), i;

	if (!s->l->detached)
		return logs_kept(s, n - 1, -1);
	i = logs_kept(s, logs_find(s->logs, s->l->at, s->l->number), 1);
	return i < n ? i : logs_kept(s, n - 1, -1);
}

struct shown logs_shown(struct looking *l, const struct panel_view *view, const struct canvas *c)
{
	struct shown s = {.l = l, .logs = view->lake->logs, .level = l->level};

	if (view->problems_only && s.level < LOG_WARN)
		s.level = LOG_WARN;
	understand(&l->filter, view->filter ? view->filter : "", true);
	understand(&l->search, view->search ? view->search : "", false);
	if (!s.logs || !c)
		return s;
	for (size_t i = 0; logs_sources(s.logs) > 1 && i < logs_sources(s.logs); i++)
		s.sources = int_max(s.sources, canvas_columns(c, logs_source(s.logs, i)->service));
	s.sources = int_min(s.sources, c->width < NARROW ? 8 : SOURCE_WIDEST);
	s.text = c->width - 1 - (s.sources ? s.sources + 1 : 0) - (l->timeless ? 0 : c->width < NARROW ? 9 : 13) - (c->width < NARROW ? 2 : 6);
	s.text = int_max(s.text, 8);
	return s;
}

/* ---- lines that are known again in another timeline ---- */

static uint32_t hash_of(const char *s, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return h ? h : 1;
}

struct spot logs_spot(const struct shown *s, const struct log_entry *e)
{
	const char *file = logs_source(s->logs, e->source)->at;

	return (struct spot){.at = e->at, .place = e->place, .source = hash_of(file, strlen(file)), .text = e->len ? hash_of(e->text, e->len) : 0};
}

bool logs_marked(const struct shown *s, const struct log_entry *e, size_t *which)
{
	struct spot spot;

	if (!s->l->n_marks)
		return false;
	spot = logs_spot(s, e);
	for (size_t i = 0; i < s->l->n_marks; i++)
		if (!memcmp(&s->l->marks[i], &spot, sizeof spot)) {
			if (which)
				*which = i;
			return true;
		}
	return false;
}

/* ---- how they look ---- */

static bool is_open(const struct looking *l, uint64_t number)
{
	for (size_t i = 0; i < l->n_opened; i++)
		if (l->opened[i] == number)
			return true;
	return false;
}

static int rows_of_line(const struct shown *s, struct text line)
{
	int columns = s->l->wrapped ? text_columns(line) : 0;

	return columns <= s->text ? 1 : int_min((columns + s->text - 1) / s->text, LINES_SHOWN);
}

/* The first line without what stands in columns of its own. */
static struct text head_of(const struct log_entry *e)
{
	struct text rest = {e->text, e->len}, line;
	struct log_line_facts facts;

	if (!text_line(&rest, &line))
		return rest;
	log_line_read(line, e->at, &facts);
	return facts.rest.len ? facts.rest : line;
}

static int rows_of(const struct shown *s, const struct log_entry *e)
{
	struct text rest = {e->text, e->len}, line;
	int rows = rows_of_line(s, head_of(e));

	if (!is_open(s->l, e->number))
		return rows;
	text_line(&rest, &line);
	while (rows < LINES_SHOWN && text_line(&rest, &line))
		rows += rows_of_line(s, line);
	return rows;
}

static enum style level_style(enum log_level level)
{
	return level >= LOG_ERROR ? STYLE_BAD : level == LOG_WARN ? STYLE_WARN : level == LOG_DEBUG || level == LOG_TRACE ? STYLE_DIM : STYLE_NORMAL;
}

static enum style source_style(unsigned source)
{
	static const enum style styles[] = {STYLE_ACCENT, STYLE_GOOD, STYLE_GRAPH, STYLE_KEY, STYLE_TITLE, STYLE_HEADING};

	return styles[source % (sizeof styles / sizeof *styles)];
}

static struct text skip_columns(struct text t, int columns)
{
	uint32_t code;
	int wide;

	while (columns > 0 && text_char(&t, &code, &wide))
		columns -= wide;
	return t;
}

static void draw_matches(const struct shown *s, struct canvas *c, int y, int x, int width, struct text piece)
{
	size_t from = 0, at, len;

	while (s->l->search.match && log_match_in(s->l->search.match, piece, from, &at, &len) && len) {
		int before = text_columns((struct text){piece.at, at});

		if (before >= width)
			return;
		canvas_restyle(c, y, x + before, int_min(text_columns((struct text){piece.at + at, len}), width - before), STYLE_MATCH);
		from = at + len;
	}
}

/* One line, in as many rows as it has. Returns them. */
static int draw_line(const struct shown *s, struct canvas *c, int y, int x, enum style style, struct text line)
{
	char row[ROW_BYTES];
	int rows = rows_of_line(s, line);

	if (!s->l->wrapped)
		line = skip_columns(line, s->l->right);
	for (int i = 0; i < rows; i++) {
		struct text next = skip_columns(line, s->text), piece = {line.at, line.len - next.len};

		text_copy(row, sizeof row, piece);
		if (y + i >= 0 && y + i < c->height) {
			canvas_text(c, y + i, x, s->text, style, row);
			draw_matches(s, c, y + i, x, s->text, piece);
			if (!s->l->wrapped && next.len)
				canvas_text(c, y, x + s->text, 1, STYLE_DIM, c->ascii ? ">" : "›");
		}
		line = next;
	}
	return rows;
}

static int draw_margin(const struct shown *s, struct canvas *c, int y, const struct log_entry *e)
{
	char time[CLOCK_TEXT];
	bool narrow = c->width < NARROW;
	const char *word = log_level_word(e->level);
	int x = 0;

	if (!s->l->timeless) {
		clock_hms(time, e->at);
		if (y >= 0 && narrow)
			canvas_text(c, y, x, 8, e->stamped ? STYLE_DIM : STYLE_UNKNOWN, time);
		else if (y >= 0)
			canvas_printf(c, y, x, 12, e->stamped ? STYLE_DIM : STYLE_UNKNOWN, "%s.%03d", time, (int)(e->at % 1000));
		x += narrow ? 9 : 13;
	}
	if (s->sources) {
		if (y >= 0)
			canvas_text(c, y, x, s->sources, source_style(e->source), logs_source(s->logs, e->source)->service);
		x += s->sources + 1;
	}
	if (y >= 0)
		canvas_text(c, y, x, narrow ? 1 : 5, level_style(e->level), word);
	if (y >= 0 && logs_marked(s, e, NULL))
		canvas_text(c, y, x + (narrow ? 1 : 5), 1, STYLE_KEY, "*");
	return x + (narrow ? 2 : 6);
}

static int draw_entry(const struct shown *s, struct canvas *c, int y, const struct log_entry *e)
{
	struct text rest = {e->text, e->len}, line;
	int x = draw_margin(s, c, y, e), rows = draw_line(s, c, y, x, level_style(e->level), head_of(e));

	if (!is_open(s->l, e->number)) {
		if (e->lines > 1 && y + rows > 0 && y + rows <= c->height) {
			char more[32];

			snprintf(more, sizeof more, " +%u lines", e->lines - 1);
			canvas_right(c, y + rows - 1, c->width - (int)strlen(more) - 1, (int)strlen(more), STYLE_ACCENT, more);
		}
		return rows;
	}
	text_line(&rest, &line);
	while (rows < LINES_SHOWN && text_line(&rest, &line))
		rows += draw_line(s, c, y + rows, x, STYLE_NORMAL, line);
	return rows;
}

/* ---- the head ---- */

/* How far it was looked through, and what was found. */
static void draw_found(const struct shown *s, const struct logs *found, struct pen *pen)
{
	char words[300], done_words[VALUE_TEXT_SIZE], total_words[VALUE_TEXT_SIZE];
	const char *what = s->l->sought_level ? "error" : "hit", *plural;
	int64_t done, total;

	if (s->l->words)
		pen_part(pen, STYLE_WARN, s->l->words, NULL);
	if (!found)
		return;
	plural = logs_count(found) == 1 ? "" : "s";
	logs_progress(found, &done, &total);
	value_show(done_words, value_int(done), UNIT_BYTES);
	value_show(total_words, value_int(total), UNIT_BYTES);
	if (logs_full(found))
		snprintf(words, sizeof words, "%zu %ss and more", logs_count(found), what);
	else if (!logs_whole(found))
		snprintf(words, sizeof words, "searched %s of %s, %zu %s%s", done_words, total_words, logs_count(found), what, plural);
	else
		snprintf(words, sizeof words, "%zu %s%s in %s%s", logs_count(found), what, plural, total_words,
			logs_count(found) && (s->l->filter.match || s->l->only || (s->level && !s->l->sought_level)) ? ", also in what the filter hides" : "");
	pen_part(pen, STYLE_ACCENT, words, NULL);
}

static void draw_state(const struct shown *s, const struct logs *found, struct pen *pen)
{
	struct looking *l = s->l;
	uint64_t out = logs_missed(s->logs);
	char words[REASON_SIZE + 80];

	if (l->only) {
		snprintf(words, sizeof words, "only %s", logs_source(s->logs, (size_t)l->only - 1)->service);
		pen_part(pen, STYLE_ACCENT, words, NULL);
	} else {
		snprintf(words, sizeof words, "%zu %s", logs_sources(s->logs), logs_sources(s->logs) == 1 ? logs_source(s->logs, 0)->service : "logs");
		pen_part(pen, STYLE_TITLE, words, NULL);
	}
	if (l->coming)
		pen_part(pen, STYLE_WARN, "reading ...", NULL);
	else if (logs_is_part(s->logs))
		pen_part(pen, STYLE_WARN, logs_ends(s->logs) ? "held: f follows" : "of the past: f goes to the newest", NULL);
	else
		pen_part(pen, l->detached ? STYLE_WARN : STYLE_GOOD, l->detached ? "held: f follows" : "follows", NULL);
	if (s->level > LOG_TRACE) {
		snprintf(words, sizeof words, "from %s", log_level_word(s->level));
		pen_part(pen, STYLE_ACCENT, words, NULL);
	}
	if (out) {
		snprintf(words, sizeof words, "%llu lines dropped", (unsigned long long)out);
		pen_part(pen, STYLE_BAD, words, NULL);
	}
	if (l->filter.wrong || l->search.wrong)
		pen_part(pen, STYLE_BAD, "no regular expression", NULL);
	if (l->n_marks) {
		snprintf(words, sizeof words, "%zu marked", l->n_marks);
		pen_part(pen, STYLE_KEY, words, NULL);
	}
	if (l->search.match) {
		snprintf(words, sizeof words, "search: %s", l->search.typed);
		pen_part(pen, STYLE_ACCENT, words, NULL);
	}
	draw_found(s, found, pen);
	if (logs_gone(s->logs) && !logs_is_part(s->logs)) {
		snprintf(words, sizeof words, "%llu older lines let go", (unsigned long long)logs_gone(s->logs));
		pen_part(pen, STYLE_DIM, words, NULL);
	}
}

/* Sources from which nothing comes, and why. */
static int draw_silent(const struct shown *s, struct canvas *c, int y)
{
	char words[200];
	int lines = 0, most = c->height / 4;

	for (size_t i = 0; i < logs_sources(s->logs) && lines < most; i++) {
		logs_words(s->logs, i, words);
		if (words[0] && (!s->l->only || (size_t)s->l->only == i + 1))
			canvas_printf(c, y + lines++, 1, -1, STYLE_WARN, "%s (%s): %s", logs_source(s->logs, i)->service,
				log_kind_word(logs_source(s->logs, i)->kind), words);
	}
	return lines;
}

/* ---- drawing ---- */

static void draw_entries(const struct shown *s, struct canvas *c)
{
	size_t n = logs_count(s->logs), at = n ? logs_cursor(s) : n, first = at, i;
	int row, below = 0, above = 0;

	if (at == n) {
		canvas_text(c, c->height / 2, 1, -1, STYLE_DIM, n ? "no line here matches" : !logs_caught_up(s->logs) ? "reading ..." :
			s->l->sifted[0] || s->l->sifted_level ? "no line matches" : "nothing was written yet");
		return;
	}
	/* the cursor keeps its row, unless there is not enough before or behind it */
	row = s->l->detached ? int_clamp(s->l->row, 0, c->height - 1) : c->height - 1;
	for (i = at; i < n && below < c->height - row; i = logs_kept(s, i + 1, 1))
		below += rows_of(s, logs_get(s->logs, i));
	row = int_max(row, c->height - below);
	row = int_max(int_min(row, c->height - rows_of(s, logs_get(s->logs, at))), 0);
	while (above < row && first > 0 && (i = logs_kept(s, first - 1, -1)) < n) {
		first = i;
		above += rows_of(s, logs_get(s->logs, i));
	}
	row = int_min(row, above) - above;
	for (i = first; i < n && row < c->height; i = logs_kept(s, i + 1, 1)) {
		int rows = draw_entry(s, c, row, logs_get(s->logs, i));

		if (i == at && s->l->detached && row >= 0)
			canvas_restyle(c, row, 0, -1, STYLE_SELECTED);
		row += rows;
	}
}

static void draw(struct panel_view *view, void *state, struct canvas *c)
{
	struct looking *l = state;
	struct shown s = logs_shown(l, view, c);
	struct pen pen = {c, 0, 1};
	struct canvas body;
	int top;

	if (!s.logs || !logs_sources(s.logs)) {
		char why[240];

		show_wrapped(c, 1, 2, c->width - 4, STYLE_DIM, !l->asked && !s.logs ? "asking for the logs ..." :
			l->subject[0] ? log_sources_why(view->lake, l->subject, why) :
			"No service says where its log is. In the profile: log = FILE, container = NAME or unit = NAME.");
		return;
	}
	draw_state(&s, view->lake->logs_found, &pen);
	top = 1 + draw_silent(&s, c, 1);
	body = canvas_part(c, top, 0, c->height - top, c->width);
	l->height = body.height;
	l->width = body.width;
	draw_entries(&s, &body);
}

static void end(void *state)
{
	struct looking *l = state;

	log_match_free(l->filter.match);
	log_match_free(l->search.match);
	buf_free(&l->copied);
}

const struct panel panel_logs = {
	.name = "logs",
	.title = "Logs",
	.key = '7',
	.help = "What services write, in one timeline: files, containers, units. It follows until you move up; f or G follows again. Going up "
		"past what was read reads what is older, g goes to the very first line. Tab shows one source at a time, l in here all of them. / keeps "
		"lines that a regular expression finds, in all that there is, /!word those that have it not; # searches all of it, n and N go on, Esc ends "
		"that; @14:05, @-5m, @2026-11-29 14:05 jump there. e and E go to the next and last error, + and - raise and lower the level. Space marks "
		"lines; y copies them, S saves them, or all that is shown, to a file. \"+9 lines\" is a trace, Enter opens it.",
	.hints = (const struct key_hint[]){{ACT_FOLLOW, "follow"}, {ACT_SEARCH, "search"}, {ACT_NEXT_ERROR, "next error"}, {ACT_LEVEL_UP, "level"},
		{ACT_NEXT_VIEW, "source"}, {ACT_MARK, "mark"}, {ACT_SAVE, "save"}, {ACT_WRAP, "wrap"}, {ACT_ENTER, "unfold"}, {ACT_NONE, NULL}},
	.state_size = sizeof(struct looking),
	.draw = draw,
	.act = logs_act,
	.end = end,
	.logs = true,
};
