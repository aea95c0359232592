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
#include "logs.h"
#include "panels.h"
#include "show.h"

enum { OPENED_MAX = 64, COPIED_MAX = 16 << 10, STEP = 8, NARROW = 60, SOURCE_WIDEST = 18, LINES_SHOWN = 400, ROW_BYTES = 4096 };

struct pattern { /* compiled once for what was typed */
	char typed[REASON_SIZE];
	struct log_match *match;
	bool wrong; /* it is no expression */
	bool out;   /* "!word": what has it is left out */
};

struct looking {
	char subject[NAME_SIZE]; /* whose logs were opened; "": all */
	char page[NAME_SIZE];    /* whose page that was */
	bool detached;         /* the cursor stays; else it is on the newest */
	int64_t at;            /* of the cursor */
	uint64_t number;
	int row;               /* of the canvas, where the cursor is drawn */
	int height, width;     /* as drawn */
	int only;              /* a source and 1; 0: all */
	enum log_level level;  /* at least */
	bool wrapped, timeless;
	int right;             /* columns that are scrolled out to the left */
	uint64_t opened[OPENED_MAX];
	size_t n_opened;
	struct pattern filter, search;
	int64_t wanted;        /* a moment to stand at once it is read; 0: none */
	bool asked;
	char copied[COPIED_MAX];
};

struct shown { /* one call of draw or act */
	struct looking *l;
	const struct logs *logs;
	enum log_level level;
	int sources;  /* columns of their words; 0: there is one */
	int text;     /* columns left for the words of a line */
};

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

static bool finds(const struct pattern *p, const struct log_entry *e)
{
	return p->match && log_match_in(p->match, (struct text){e->text, e->len}, 0, NULL, NULL);
}

static bool keeps(const struct shown *s, size_t i)
{
	const struct log_entry *e = logs_get(s->logs, i);

	if (s->l->only && e->source + 1 != (unsigned)s->l->only)
		return false;
	if (e->level < s->level && (e->level || s->level > LOG_TRACE))
		return false;
	return !s->l->filter.match || finds(&s->l->filter, e) != s->l->filter.out;
}

/* The next kept one from i on in that direction, i itself included; logs_count(): none. */
static size_t kept(const struct shown *s, size_t i, int by)
{
	for (; i < logs_count(s->logs); i += (size_t)by)
		if (keeps(s, i))
			return i;
	return logs_count(s->logs);
}

static size_t cursor(const struct shown *s)
{
	size_t n = logs_count(s->logs), i;

	if (!s->l->detached)
		return kept(s, n - 1, -1);
	i = kept(s, logs_find(s->logs, s->l->at, s->l->number), 1);
	return i < n ? i : kept(s, n - 1, -1);
}

static struct shown begin(struct looking *l, const struct panel_view *view, const struct canvas *c)
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
	return x + (narrow ? 2 : 6);
}

static int draw_entry(const struct shown *s, struct canvas *c, int y, const struct log_entry *e)
{
	struct text rest = {e->text, e->len}, line;
	int x = draw_margin(s, c, y, e), rows = draw_line(s, c, y, x, level_style(e->level), head_of(e));

	if (!is_open(s->l, e->number)) {
		if (e->lines > 1 && y >= 0 && y < c->height) {
			char more[32];

			snprintf(more, sizeof more, " +%u lines", e->lines - 1);
			canvas_right(c, y, c->width - (int)strlen(more) - 1, (int)strlen(more), STYLE_ACCENT, more);
		}
		return rows;
	}
	text_line(&rest, &line);
	while (rows < LINES_SHOWN && text_line(&rest, &line))
		rows += draw_line(s, c, y + rows, x, STYLE_NORMAL, line);
	return rows;
}

/* ---- the head ---- */

static void draw_state(const struct shown *s, struct pen *pen)
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
	if (l->search.match) {
		snprintf(words, sizeof words, "search: %s", l->search.typed);
		pen_part(pen, STYLE_ACCENT, words, NULL);
	}
	if (logs_gone(s->logs)) {
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
	size_t n = logs_count(s->logs), at = n ? cursor(s) : n, first = at, i;
	int row, below = 0, above = 0;

	if (at == n) {
		canvas_text(c, c->height / 2, 1, -1, STYLE_DIM, n ? "no line here matches" : logs_caught_up(s->logs) ? "nothing was written yet" : "reading ...");
		return;
	}
	/* the cursor keeps its row, unless there is not enough before or behind it */
	row = s->l->detached ? int_clamp(s->l->row, 0, c->height - 1) : c->height - 1;
	for (i = at; i < n && below < c->height - row; i = kept(s, i + 1, 1))
		below += rows_of(s, logs_get(s->logs, i));
	row = int_max(row, c->height - below);
	row = int_max(int_min(row, c->height - rows_of(s, logs_get(s->logs, at))), 0);
	while (above < row && first > 0 && (i = kept(s, first - 1, -1)) < n) {
		first = i;
		above += rows_of(s, logs_get(s->logs, i));
	}
	row = int_min(row, above) - above;
	for (i = first; i < n && row < c->height; i = kept(s, i + 1, 1)) {
		int rows = draw_entry(s, c, row, logs_get(s->logs, i));

		if (i == at && s->l->detached && row >= 0)
			canvas_restyle(c, row, 0, -1, STYLE_SELECTED);
		row += rows;
	}
}

static void draw(struct panel_view *view, void *state, struct canvas *c)
{
	struct looking *l = state;
	struct shown s = begin(l, view, c);
	struct pen pen = {c, 0, 1};
	struct canvas body;
	int top;

	if (!s.logs || !logs_sources(s.logs)) {
		show_wrapped(c, 1, 2, c->width - 4, STYLE_DIM, l->asked || s.logs ?
			"No service says where its log is. In the profile: log = FILE, container = NAME or unit = NAME." : "asking for the logs ...");
		return;
	}
	draw_state(&s, &pen);
	top = 1 + draw_silent(&s, c, 1);
	body = canvas_part(c, top, 0, c->height - top, c->width);
	l->height = body.height;
	l->width = body.width;
	draw_entries(&s, &body);
}

/* ---- acts ---- */

static void stand_at(const struct shown *s, size_t i, int row)
{
	const struct log_entry *e = logs_get(s->logs, i);

	s->l->detached = true;
	s->l->at = e->at;
	s->l->number = e->number;
	s->l->row = int_clamp(row, 0, int_max(s->l->height - 1, 0));
}

static void step(const struct shown *s, int by, int times)
{
	size_t n = logs_count(s->logs), at = cursor(s);
	int row = s->l->detached ? s->l->row : s->l->height - 1;

	if (at == n)
		return;
	for (; times > 0; times--) {
		size_t next = by < 0 && !at ? n : kept(s, at + (size_t)by, by);

		if (next == n)
			break;
		row += by;
		at = next;
	}
	if (by > 0 && kept(s, at + 1, 1) == n && times > 0)
		s->l->detached = false; /* down at the end: it follows again */
	else
		stand_at(s, at, row);
}

/* The next that passes the test in this direction, round the end. */
static unsigned seek(const struct shown *s, int by, bool errors)
{
	size_t n = logs_count(s->logs), at = cursor(s), i = at;

	if (at == n)
		return REACT_HANDLED;
	for (size_t left = n; left; left--) {
		i = by < 0 ? (i ? i - 1 : n - 1) : i + 1 == n ? 0 : i + 1;
		if (keeps(s, i) && (errors ? logs_get(s->logs, i)->level >= LOG_ERROR : finds(&s->l->search, logs_get(s->logs, i)))) {
			stand_at(s, i, s->l->height / 2);
			break;
		}
	}
	return REACT_HANDLED;
}

static void toggle_open(const struct shown *s)
{
	size_t at = cursor(s);
	struct looking *l = s->l;
	uint64_t number;

	if (at == logs_count(s->logs))
		return;
	number = logs_get(s->logs, at)->number;
	stand_at(s, at, l->detached ? l->row : l->height - 1);
	for (size_t i = 0; i < l->n_opened; i++)
		if (l->opened[i] == number) {
			l->opened[i] = l->opened[--l->n_opened];
			return;
		}
	if (l->n_opened == OPENED_MAX) {
		memmove(l->opened, l->opened + 1, (OPENED_MAX - 1) * sizeof l->opened[0]);
		l->n_opened--;
	}
	l->opened[l->n_opened++] = number;
}

/* "@14:05": there. Today's, or yesterday's where that is still to come. */
static bool jump(const struct shown *s, const char *to, int64_t wall)
{
	time_t today = (time_t)(wall / 1000);
	struct log_line_facts facts;
	char line[80];
	struct tm tm;
	size_t i;

	localtime_r(&today, &tm);
	snprintf(line, sizeof line, "%04d-%02d-%02d %.20s%s", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, to + 1, strlen(to) == 6 ? ":00" : "");
	log_line_read(text_of(line), wall, &facts);
	if (to[0] != '@' || facts.at < 0)
		return false;
	i = kept(s, logs_find(s->logs, facts.at > wall ? facts.at - 86400000 : facts.at, 0), 1);
	if (i < logs_count(s->logs))
		stand_at(s, i, s->l->height / 2);
	return true;
}

static unsigned open_logs(struct looking *l, struct panel_view *view, bool all)
{
	const char *subject = all ? "" : view->subject ? view->subject : "";
	const struct service *service = lake_service(view->lake, subject);

	l->asked = true;
	l->detached = false;
	l->only = 0;
	text_copy(l->subject, sizeof l->subject, text_of(subject));
	text_copy(l->page, sizeof l->page, text_of(view->subject));
	view->log_service = subject[0] ? l->subject : NULL;
	l->wanted = view->log_since;
	/* of what does not serve: the moment when it broke */
	if (!l->wanted && service && service->verdict.begun && service->verdict.since_wall && service_verdict(service) != VERDICT_SERVING)
		l->wanted = service->verdict.since_wall;
	view->log_since = l->wanted;
	view->again_ms = l->wanted ? 200 : 0;
	return REACT_LOGS | REACT_HANDLED;
}

static unsigned copy(const struct shown *s, struct panel_view *view)
{
	size_t at = cursor(s);

	if (at == logs_count(s->logs))
		return REACT_HANDLED;
	text_copy(s->l->copied, sizeof s->l->copied, (struct text){logs_get(s->logs, at)->text, logs_get(s->logs, at)->len});
	view->copy = s->l->copied;
	return REACT_HANDLED | REACT_COPY;
}

static unsigned refresh(const struct shown *s, struct panel_view *view)
{
	struct looking *l = s->l;

	if (!s->logs || strcmp(l->page, view->subject ? view->subject : "") != 0)
		return open_logs(l, view, false);
	if (l->wanted && logs_caught_up(s->logs)) {
		size_t i = kept(s, logs_find(s->logs, l->wanted, 0), 1);

		if (i < logs_count(s->logs))
			stand_at(s, i, l->height / 2);
		l->wanted = 0;
	}
	view->again_ms = l->wanted ? 200 : 0;
	return REACT_HANDLED;
}

static void walk(const struct shown *s, enum act what)
{
	struct looking *l = s->l;
	size_t first = kept(s, 0, 1);

	if (what == ACT_UP || what == ACT_DOWN)
		step(s, what == ACT_UP ? -1 : 1, 1);
	else if (what == ACT_PAGE_UP || what == ACT_PAGE_DOWN)
		step(s, what == ACT_PAGE_UP ? -1 : 1, int_max(l->height - 1, 1));
	else if (what == ACT_TOP && first < logs_count(s->logs))
		stand_at(s, first, 0);
	else if (what == ACT_BOTTOM || (what == ACT_FOLLOW && l->detached))
		l->detached = false;
	else if (what == ACT_FOLLOW && cursor(s) < logs_count(s->logs))
		stand_at(s, cursor(s), l->height - 1);
}

static unsigned act(struct panel_view *view, void *state, enum act what)
{
	struct looking *l = state;
	struct shown s = begin(l, view, NULL);

	if (what == ACT_REFRESH)
		return refresh(&s, view);
	if (what == ACT_LOGS)
		return open_logs(l, view, view->by_hand);
	if (!s.logs)
		return REACT_NONE;
	switch ((int)what) {
	case ACT_UP: case ACT_DOWN: case ACT_PAGE_UP: case ACT_PAGE_DOWN: case ACT_TOP: case ACT_BOTTOM: case ACT_FOLLOW:
		walk(&s, what);
		return REACT_HANDLED;
	case ACT_LEFT:
		l->right = int_max(l->right - STEP, 0);
		return REACT_HANDLED;
	case ACT_RIGHT:
		l->right += STEP;
		return REACT_HANDLED;
	case ACT_ENTER:
		toggle_open(&s);
		return REACT_HANDLED;
	case ACT_WRAP:
		l->wrapped = !l->wrapped;
		return REACT_HANDLED;
	case ACT_TIMES:
		l->timeless = !l->timeless;
		return REACT_HANDLED;
	case ACT_LEVEL_UP:
		l->level = l->level < LOG_FATAL ? (l->level < LOG_DEBUG ? LOG_DEBUG : l->level + 1) : LOG_FATAL;
		return REACT_HANDLED;
	case ACT_LEVEL_DOWN:
		l->level = l->level > LOG_DEBUG ? l->level - 1 : LOG_UNKNOWN;
		return REACT_HANDLED;
	case ACT_NEXT_VIEW:
		l->only = (l->only + 1) % ((int)logs_sources(s.logs) + 1);
		return REACT_HANDLED;
	case ACT_PREVIOUS_VIEW:
		l->only = l->only ? l->only - 1 : (int)logs_sources(s.logs);
		return REACT_HANDLED;
	case ACT_NEXT_ERROR: case ACT_PREVIOUS_ERROR:
		return seek(&s, what == ACT_NEXT_ERROR ? 1 : -1, true);
	case ACT_FIND_NEXT: case ACT_FIND_PREVIOUS:
		if (view->search && jump(&s, view->search, view->lake->wall))
			return REACT_HANDLED;
		return seek(&s, what == ACT_FIND_NEXT ? 1 : -1, false);
	case ACT_COPY:
		return copy(&s, view);
	default:
		return REACT_NONE;
	}
}

static void end(void *state)
{
	struct looking *l = state;

	log_match_free(l->filter.match);
	log_match_free(l->search.match);
}

const struct panel panel_logs = {
	.name = "logs",
	.title = "Logs",
	.key = '7',
	.help = "What services write, in one timeline: files, containers, units. It follows until you move up; f or G follows again. Tab shows "
		"one source at a time, l in here all of them. / keeps lines that a regular expression finds, /!word those that have it not; # searches, "
		"n and N go on, @14:05 jumps there. e and E go to the next and last error, + and - raise and lower the level. \"+9 lines\" is "
		"a trace, Enter opens it.",
	.hints = (const struct key_hint[]){{ACT_FOLLOW, "follow"}, {ACT_SEARCH, "search"}, {ACT_NEXT_ERROR, "error"}, {ACT_LEVEL_UP, "level"},
		{ACT_NEXT_VIEW, "source"}, {ACT_WRAP, "wrap"}, {ACT_ENTER, "unfold"}, {ACT_NONE, NULL}},
	.state_size = sizeof(struct looking),
	.draw = draw,
	.act = act,
	.end = end,
	.logs = true,
};
