// SPDX-License-Identifier: MIT
/*
 * Facts in words, and words in their place: shared by the panels. Unknown is "-", never 0; what is
 * old is drawn dim, with its age; nothing is cut within a number. Pure over a lake; UI thread.
 */
#include "show.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wctype.h>

#include "clock.h"
#include "mem.h"

enum { DEFAULT_INTERVAL = 2000, OLD_INTERVALS = 3, FIT_SIZE = REASON_SIZE * 4, SPARK_FROM = 100, SPARK_WIDTH = 8 };

int int_min(int a, int b)
{
	return a < b ? a : b;
}

int int_max(int a, int b)
{
	return a > b ? a : b;
}

int int_clamp(int n, int low, int high)
{
	return n < low ? low : n > high ? high : n;
}

/* ---- a service ---- */

bool service_is(const struct service *s, const char *kind)
{
	return s->kind && !strcmp(s->kind->name, kind);
}

enum verdict service_verdict(const struct service *s)
{
	return s->verdict.begun ? s->verdict.shown.verdict : VERDICT_UNKNOWN;
}

enum style verdict_style(enum verdict v)
{
	switch (v) {
	case VERDICT_BLOCKED:
	case VERDICT_IMPOSTOR:
	case VERDICT_STOPPED:
	case VERDICT_FROZEN:
	case VERDICT_MUTE:
	case VERDICT_WRONG_VERSION:
	case VERDICT_SICK:
		return STYLE_BAD;
	case VERDICT_STARTING:
		return STYLE_ACCENT;
	case VERDICT_SERVING:
		return STYLE_GOOD;
	case VERDICT_ABSENT:
		return STYLE_DIM;
	case VERDICT_UNKNOWN:
	case VERDICT_COUNT:
		break;
	}
	return STYLE_UNKNOWN;
}

enum style severity_style(enum severity severity)
{
	return severity == SEVERITY_BLOCKING ? STYLE_BAD : severity == SEVERITY_WARNING ? STYLE_WARN : STYLE_NORMAL;
}

enum style service_style(const struct service *s)
{
	enum verdict v = service_verdict(s);
	enum style style = verdict_style(v);

	if (s->required)
		return v == VERDICT_ABSENT ? STYLE_BAD : style;
	if (v == VERDICT_STOPPED) /* nobody asked for it */
		return STYLE_DIM;
	return style == STYLE_BAD ? STYLE_WARN : style;
}

unsigned service_findings(const struct service *s, enum severity from)
{
	const struct judged *j = &s->verdict.shown;
	unsigned n = 0;

	for (size_t i = 0; s->verdict.begun && i < j->n_findings; i++)
		n += j->findings[i].severity >= from;
	return n;
}

const char *failed_glyph(bool ascii)
{
	return ascii ? "x" : "⊗";
}

bool service_troubled(const struct service *s)
{
	enum verdict v = service_verdict(s);

	if (service_findings(s, SEVERITY_WARNING))
		return true;
	if (v == VERDICT_SERVING)
		return false;
	/* what is not wanted may well not be there */
	return s->required || (v != VERDICT_ABSENT && v != VERDICT_STOPPED);
}

const char *service_words(const struct service *s)
{
	enum verdict v = service_verdict(s);
	const char *progress = s->pulse ? s->pulse->files.progress : NULL;

	if (v == VERDICT_STARTING && progress && *progress)
		return progress;
	if (s->asking && v == VERDICT_UNKNOWN)
		return "being asked…";
	if (v == VERDICT_SERVING || (v == VERDICT_ABSENT && !s->required))
		return "";
	return s->verdict.begun ? s->verdict.shown.reason : "";
}

static bool version_is_expected(const struct judged *j, const char *expected)
{
	if (j->sure == SURE_RANGE)
		return version_in_range(j->version, j->version_to[0] ? j->version_to : NULL, expected);
	return version_meets(j->version, expected);
}

char *show_version(char out[VALUE_TEXT_SIZE], const struct service *s)
{
	const struct judged *j = &s->verdict.shown;
	const char *expected = s->expected ? s->expected->version : NULL;
	bool known = s->verdict.begun && j->version[0];
	char found[VALUE_TEXT_SIZE - 24] = "-";

	if (known && j->sure == SURE_RANGE && j->version_to[0] && strcmp(j->version, j->version_to) != 0)
		snprintf(found, sizeof found, "%.32s–%.32s", j->version, j->version_to);
	else if (known)
		snprintf(found, sizeof found, "%s%s", j->version, j->sure == SURE_HINT ? "?" : "");
	if (expected && !(known && version_is_expected(j, expected)))
		snprintf(out, VALUE_TEXT_SIZE, "%s (%.20s)", found, expected);
	else
		snprintf(out, VALUE_TEXT_SIZE, "%s", found);
	return out;
}

char *show_owner(char out[VALUE_TEXT_SIZE], const struct owner *o)
{
	const char *maybe = o->probable ? "?" : "";

	if (o->container[0])
		snprintf(out, VALUE_TEXT_SIZE, "%s%s", o->container, maybe);
	else if (o->process[0] && o->pid > 0)
		snprintf(out, VALUE_TEXT_SIZE, "%s %d%s", o->process, (int)o->pid, maybe);
	else if (o->pid > 0)
		snprintf(out, VALUE_TEXT_SIZE, "pid %d%s", (int)o->pid, maybe);
	else if (o->process[0])
		snprintf(out, VALUE_TEXT_SIZE, "%s%s", o->process, maybe);
	else
		snprintf(out, VALUE_TEXT_SIZE, "%s", o->unit[0] ? o->unit : "-");
	return out;
}

char *show_endpoint(char out[VALUE_TEXT_SIZE], const struct endpoint *at)
{
	const char *address = at->address[0] ? at->address : "*";

	if (!at->port)
		snprintf(out, VALUE_TEXT_SIZE, "-");
	else
		snprintf(out, VALUE_TEXT_SIZE, strchr(address, ':') ? "[%s]:%u" : "%s:%u", address, (unsigned)at->port);
	return out;
}

char *show_sentence(char *out, size_t size, const struct service *s)
{
	char version[VALUE_TEXT_SIZE], at[VALUE_TEXT_SIZE];
	const char *words = service_words(s);

	snprintf(out, size, "%s %s %s %s%s%s", s->name, show_endpoint(at, &s->at), verdict_word(service_verdict(s)),
		show_version(version, s),
		words[0] ? ": " : "", words);
	return out;
}

/* ---- ages ---- */

bool is_old(int64_t seen, int64_t interval, int64_t now)
{
	return seen > 0 && now - seen > OLD_INTERVALS * (interval > 0 ? interval : DEFAULT_INTERVAL);
}

bool snapshot_old(const struct snapshot *s, int64_t now)
{
	return s && is_old(s->ended, s->interval, now);
}

int64_t service_age(const struct service *s, const struct lake *lake)
{
	enum verdict v = service_verdict(s);

	if (snapshot_old(s->pulse, lake->now))
		return lake->now - s->pulse->ended;
	/* figures are shown only of what answers */
	if ((v == VERDICT_SERVING || v == VERDICT_WRONG_VERSION) && snapshot_old(s->depth, lake->now))
		return lake->now - s->depth->ended;
	return -1;
}

char *show_age(char out[VALUE_TEXT_SIZE], int64_t seen, int64_t now)
{
	char span[CLOCK_TEXT];

	snprintf(out, VALUE_TEXT_SIZE, "%s", seen > 0 ? clock_span(span, now > seen ? now - seen : 0) : "-");
	return out;
}

/* ---- figures ---- */

char *figure_label(char out[NAME_SIZE], const struct figure_spec *spec)
{
	text_copy(out, NAME_SIZE, text_of(spec->label && spec->label[0] ? spec->label : spec->name));
	for (char *p = out; *p; p++)
		if (*p == '_')
			*p = ' ';
	return out;
}

/* The label as it stands after a number: "3 conns", "1 conn", "1 core used". */
static char *label_after(char out[NAME_SIZE], const struct figure_spec *spec, const char *number)
{
	size_t first;

	text_copy(out, NAME_SIZE, text_of(spec->label ? spec->label : ""));
	first = strcspn(out, " ");
	if (!strcmp(number, "1") && first > 1 && out[first - 1] == 's')
		memmove(out + first - 1, out + first, strlen(out + first) + 1);
	return out;
}

struct value service_figure(const struct service *s, const struct figure_spec *spec, const struct snapshot **from)
{
	const struct snapshot *const sources[] = {s->depth, s->pulse};

	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		struct value v = snapshot_get(sources[i], spec->name);

		if (v.type != VALUE_UNKNOWN) {
			if (from)
				*from = sources[i];
			return v;
		}
	}
	if (from)
		*from = NULL;
	return value_unknown();
}

double history_back(const void *history, int back)
{
	const struct history *h = history;

	return back < 0 ? (double)NAN : ring_get(&h->ring, (unsigned)back);
}

char *show_rate(char out[VALUE_TEXT_SIZE], const struct history *h)
{
	char number[VALUE_TEXT_SIZE];
	bool bytes = h && h->spec->unit == UNIT_BYTES;

	out[0] = '\0';
	if (h && isfinite(h->rate) && fabs(h->rate) >= 0.5)
		snprintf(out, VALUE_TEXT_SIZE, "%s%.80s%s", h->rate > 0 ? "+" : "",
			value_show(number, value_real(h->rate), bytes ? UNIT_BYTES : UNIT_PER_SECOND), bytes ? "/s" : "");
	return out;
}

/* "12,401 lag +310/s"; a time reads the other way round: "newest 6s ago". */
static void figure_words(char out[VALUE_TEXT_SIZE * 3], const struct service *s, const struct figure_spec *f, struct value v,
	const struct lake *lake)
{
	char number[VALUE_TEXT_SIZE], rate[VALUE_TEXT_SIZE] = "", label[NAME_SIZE];

	show_value(number, v, f->unit, lake);
	label_after(label, f, number);
	if (f->unit == UNIT_RECORDS) /* how a lag moves says more than the lag */
		show_rate(rate, service_history(s, f->name));
	snprintf(out, VALUE_TEXT_SIZE * 3, "%s%s%s%s%s", f->unit == UNIT_TIME ? label : number, label[0] ? " " : "",
		f->unit == UNIT_TIME ? number : label, rate[0] ? " " : "", rate);
}

char *show_figures(char out[VALUE_TEXT_SIZE], const struct service *s, const struct lake *lake)
{
	size_t used = 0;

	out[0] = '\0';
	for (const struct figure_spec *f = s->kind ? s->kind->figures : NULL; f && f->name; f++) {
		char words[VALUE_TEXT_SIZE * 3];
		struct value v = service_figure(s, f, NULL);

		if (!(f->flags & FIGURE_ROW) || v.type == VALUE_UNKNOWN)
			continue;
		figure_words(words, s, f, v, lake);
		if (used + 2 + strlen(words) < VALUE_TEXT_SIZE)
			used += (size_t)snprintf(out + used, VALUE_TEXT_SIZE - used, "%s%s", used ? "  " : "", words);
	}
	return out;
}

const struct history *service_trend(const struct service *s)
{
	for (size_t i = 0; i < s->n_histories; i++)
		if ((s->histories[i].spec->flags & FIGURE_HISTORY) && s->histories[i].ring.used > 1)
			return &s->histories[i];
	return NULL;
}

char *show_value(char out[VALUE_TEXT_SIZE], struct value v, enum unit unit, const struct lake *lake)
{
	char span[CLOCK_TEXT];
	double at = value_number(v);

	/* a rate is an estimate: more digits would only move */
	if (unit == UNIT_PER_SECOND && at > 0 && at < 10) {
		snprintf(out, VALUE_TEXT_SIZE, "%s%.1f/s", at < 0.05 ? "<" : "", at < 0.05 ? 0.1 : at);
		return out;
	}
	if (unit != UNIT_TIME || !isfinite(at) || fabs(at) > 1e15)
		return value_show(out, v, unit);
	if (at <= (double)lake->wall)
		snprintf(out, VALUE_TEXT_SIZE, "%s ago", clock_span(span, lake->wall - (int64_t)at));
	else
		snprintf(out, VALUE_TEXT_SIZE, "in %s", clock_span(span, (int64_t)at - lake->wall));
	return out;
}

char *show_cores(char out[VALUE_TEXT_SIZE], double cores)
{
	if (isfinite(cores) && cores >= 0 && cores < 1e6)
		snprintf(out, VALUE_TEXT_SIZE, "%.0f%%", cores * 100);
	else
		snprintf(out, VALUE_TEXT_SIZE, "-");
	return out;
}

/* ---- text in its place ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Bytes of s that take at most width columns. */
static size_t prefix_of(const struct canvas *c, const char *s, int width)
{
	size_t good = 0;
	struct text rest = text_of(s);
	uint32_t code;
	int columns, used = 0;

	while (text_char(&rest, &code, &columns)) {
		size_t end = (size_t)(rest.at - s);
		char one[8];

		text_copy(one, sizeof one, (struct text){s + good, end - good});
		used += canvas_columns(c, one);
		if (used > width)
			break;
		good = end;
	}
	return good;
}

/* Moves a cut at byte n out of a number: "1,027,129" and "4.0.5" are shown whole or not at all. */
static size_t out_of_number(const char *s, size_t n)
{
	size_t start = n;

	while (start && (is_digit(s[start - 1]) || ((s[start - 1] == ',' || s[start - 1] == '.') && start > 1 && is_digit(s[start - 2]))))
		start--;
	if (start == n || !(is_digit(s[n]) || ((s[n] == ',' || s[n] == '.') && is_digit(s[n + 1]))))
		return n;
	return start;
}

/* What fits into width columns: whole parts (double blanks stand between them) while they fit, else
 * words cut with an ellipsis, never within a number. */
static char *show_fit(const struct canvas *c, char *out, size_t size, int width, const char *s)
{
	size_t n, part = 0;

	if (width <= 0 || canvas_columns(c, s) <= width)
		return text_copy(out, size, text_of(width > 0 ? s : ""));
	n = prefix_of(c, s, width - 1);
	for (size_t i = 1; i + 1 < n; i++)
		if (s[i] == ' ' && s[i + 1] == ' ')
			part = i;
	if (part)
		n = part + 1; /* the blank shows that a whole part is missing */
	else
		for (n = out_of_number(s, n); n && s[n - 1] == ' ';)
			n--;
	n = n + 4 < size ? n : size - 4;
	text_copy(out, n + 1, (struct text){s, n});
	n = strlen(out);
	text_copy(out + n, size - n, TEXT("…"));
	return out;
}

int show_tail(struct canvas *c, int y, int x, int width, enum style style, const char *s)
{
	if (width <= 0 || canvas_columns(c, s) <= width)
		return show_text(c, y, x, width, style, s);
	while (*s && canvas_columns(c, s) > width - 1)
		do
			s++;
		while (((unsigned char)*s & 0xc0) == 0x80);
	canvas_text(c, y, x, 1, style, "…");
	return 1 + canvas_text(c, y, x + 1, width - 1, style, s);
}

int show_text(struct canvas *c, int y, int x, int width, enum style style, const char *s)
{
	char fitting[FIT_SIZE];

	if (width < 0 || width > c->width - x)
		width = c->width - x;
	if (width <= 0 || !*s)
		return 0;
	return canvas_text(c, y, x, width, style, show_fit(c, fitting, sizeof fitting, width, s));
}

int show_wrapped(struct canvas *c, int y, int x, int width, enum style style, const char *s)
{
	int line = y;

	if (width < 0 || width > c->width - x)
		width = c->width - x;
	while (width > 0 && *s) {
		char piece[FIT_SIZE];
		size_t n = prefix_of(c, s, width), blank = n;

		if (s[n]) { /* at the last blank, else within a long word */
			while (blank && s[blank] != ' ')
				blank--;
			n = blank ? blank : n;
		}
		if (!n) /* one character wider than the place */
			break;
		canvas_text(c, line++, x, width, style, text_copy(piece, sizeof piece, (struct text){s, n}));
		s += n;
		while (*s == ' ')
			s++;
	}
	return line - y;
}

/* Columns of the tabs from first to last, and of the sign for those before. */
static int tabs_width(const struct canvas *c, int first, int last, void (*label)(const void *ctx, int i, char out[NAME_SIZE]), const void *ctx)
{
	char words[NAME_SIZE];
	int total = first ? 3 : 1;

	for (int i = first; i <= last; i++) {
		label(ctx, i, words);
		total += canvas_columns(c, words) + (i < last ? 3 : 0);
	}
	return total;
}

void show_tabs(struct canvas *c, int y, int n, int current, void (*label)(const void *ctx, int i, char out[NAME_SIZE]), const void *ctx)
{
	int first = 0, x;
	char words[NAME_SIZE];

	while (first < current && tabs_width(c, first, int_min(current + 1, n - 1), label, ctx) + (current + 2 < n ? 4 : 1) > c->width)
		first++;
	if (first)
		canvas_text(c, y, 1, 1, STYLE_DIM, "…");
	x = first ? 3 : 1;
	for (int i = first; i < n; i++) {
		int width;

		label(ctx, i, words);
		width = canvas_columns(c, words);
		if (i > current && x + width + (i + 1 < n ? 4 : 1) > c->width) {
			canvas_text(c, y, x, 1, STYLE_DIM, "…");
			break;
		}
		canvas_text(c, y, x, width, i == current ? STYLE_TITLE : STYLE_DIM, words);
		x += width + 3;
	}
}

void show_rule(struct canvas *c, int y)
{
	canvas_fill(c, y, 1, c->width - 2, STYLE_RULE, "─");
}

void scroller_fit(struct scroller *s, const struct canvas *c, int lines)
{
	s->height = c->height;
	s->lines = lines;
	s->top = int_clamp(s->top, 0, int_max(0, s->lines - s->height));
}

void scroller_marks(const struct scroller *s, struct canvas *c)
{
	if (s->lines - s->top > s->height && c->height > 3)
		canvas_text(c, c->height - 1, c->width - 1, 1, STYLE_DIM, "↓");
	if (s->top > 0 && c->height > 3)
		canvas_text(c, 0, c->width - 1, 1, STYLE_DIM, "↑");
}

bool scroller_act(struct scroller *s, enum act what)
{
	int step = int_max(1, s->height - 2), bottom = int_max(0, s->lines - s->height);
	int to = what == ACT_UP ? s->top - 1 : what == ACT_DOWN ? s->top + 1 : what == ACT_PAGE_UP ? s->top - step :
		what == ACT_PAGE_DOWN ? s->top + step : what == ACT_TOP ? 0 : what == ACT_BOTTOM ? bottom : -1;

	if (what != ACT_UP && what != ACT_PAGE_UP && to < 0)
		return false;
	s->top = int_clamp(to, 0, bottom);
	return true;
}

void pen_part(struct pen *pen, enum style style, const char *s, const struct history *trend)
{
	int columns = canvas_columns(pen->c, s), spark = trend && pen->c->width >= SPARK_FROM ? SPARK_WIDTH : 0;

	if (pen->x + columns + (spark ? spark + 1 : 0) > pen->c->width - 1)
		return;
	pen->x += canvas_text(pen->c, pen->y, pen->x, columns, style, s);
	if (spark) {
		canvas_spark(pen->c, pen->y, pen->x + 1, spark, STYLE_GRAPH, history_back, trend);
		pen->x += spark + 1;
	}
	pen->x += 3;
}

/* ---- filter ---- */

static uint32_t folded(uint32_t code)
{
	return (uint32_t)towlower((wint_t)code);
}

static bool starts_with(struct text cell, struct text word)
{
	uint32_t a, b;
	int columns;

	while (text_char(&word, &b, &columns))
		if (!text_char(&cell, &a, &columns) || folded(a) != folded(b))
			return false;
	return true;
}

static bool is_ascii(struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		if ((unsigned char)t.at[i] >= 0x80)
			return false;
	return true;
}

/* What is most often typed, against thousands of rows at each key: byte by byte. */
static bool contains_ascii(const char *cell, struct text word)
{
	char first[3] = {(char)tolower((unsigned char)word.at[0]), (char)toupper((unsigned char)word.at[0]), '\0'};

	for (cell = strpbrk(cell, first); cell; cell = strpbrk(cell + 1, first))
		if (!strncasecmp(cell, word.at, word.len))
			return true;
	return false;
}

static bool contains(const char *cell, struct text word)
{
	struct text rest = text_of(cell);
	uint32_t code;
	int columns;

	if (word.len && is_ascii(word))
		return contains_ascii(cell, word);
	do
		if (starts_with(rest, word))
			return true;
	while (text_char(&rest, &code, &columns));
	return false;
}

bool row_matches(const char *filter, const char *const *cells, size_t n)
{
	struct text rest = text_of(filter), word;

	while (text_word(&rest, &word)) {
		bool hit = false;

		for (size_t i = 0; i < n && !hit; i++)
			hit = cells[i] && contains(cells[i], word);
		if (!hit)
			return false;
	}
	return true;
}

/* Cells from x that spell word; 0: they do not. */
static int spelled(const struct canvas *c, int y, int x, struct text word)
{
	const struct cell *line = c->cells + (ptrdiff_t)y * c->stride;
	int at = x;
	uint32_t code;
	int columns;

	while (text_char(&word, &code, &columns)) {
		if (columns == 0)
			continue;
		if (at >= c->width || folded(line[at].code[0]) != folded(code))
			return 0;
		at += columns;
	}
	return at <= c->width ? at - x : 0;
}

void show_matches(struct canvas *c, int first_line, const char *filter)
{
	struct text rest = text_of(filter), word;

	while (text_word(&rest, &word))
		for (int y = first_line; y < c->height; y++)
			for (int x = 0; x < c->width; x++)
				canvas_restyle(c, y, x, spelled(c, y, x, word), STYLE_MATCH);
}

size_t *rows_kept(size_t n, bool (*keep)(const void *ctx, size_t i), const void *ctx, size_t *n_kept)
{
	size_t *kept = mem_new(n ? n : 1, sizeof *kept);

	*n_kept = 0;
	for (size_t i = 0; i < n; i++)
		if (keep(ctx, i))
			kept[(*n_kept)++] = i;
	return kept;
}
