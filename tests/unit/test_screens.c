// SPDX-License-Identifier: MIT
/*
 * The panels as pictures of text. Each is drawn at six sizes of the terminal, in UTF-8 and ASCII,
 * and compared with tests/screen/NAME.golden, with the style of every piece below the picture.
 * GENERATE=1 writes the files anew: look at them before they are kept.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <locale.h>
#include <time.h>

#include "fixture_lake.h"
#include "fixture_logs.h"
#include "../../panels/panels.h"
#include "panel.h"

enum { GOLDEN_MAX = 4 << 20, CHROME_LINES = 2 /* title and keys are drawn by others */ };

static const struct {
	int width, height;
} sizes[] = {{40, 10}, {60, 20}, {80, 24}, {100, 30}, {200, 50}, {300, 100}};

/* ---- a panel on a lake, with what was done to it ---- */

struct play {
	struct fixture *fixture;
	const struct panel *panel;
	struct panel_view view;
	void *state;
	struct canvas *canvas;
};

static struct play stage_set(const char *panel, enum fixture_which which, const char *subject, int width, int height,
	bool ascii)
{
	struct play s = {.fixture = fixture_new(which), .panel = panel_named(panel), .canvas = canvas_new(width, height, ascii)};

	assert_non_null(s.panel);
	s.state = mem_new(1, s.panel->state_size);
	s.view = (struct panel_view){.lake = fixture_lake(s.fixture), .filter = "", .subject = subject};
	return s;
}

static void stage_strike(struct play *s)
{
	if (s->panel->end)
		s->panel->end(s->state);
	free(s->state);
	canvas_free(s->canvas);
	fixture_free(s->fixture);
}

static void stage_draw(struct play *s)
{
	canvas_clear(s->canvas);
	s->panel->draw(&s->view, s->state, s->canvas);
}

static unsigned stage_act(struct play *s, enum act act)
{
	unsigned reactions = s->panel->act(&s->view, s->state, act);

	if (reactions & REACT_INNER) /* the screen's part: see test_screen.c */
		s->view.filter = "";
	return reactions & ~(unsigned)(REACT_INNER | REACT_OUTER);
}

/* ---- pictures ---- */

static void put_char(struct buf *out, uint32_t u)
{
	char bytes[4] = {(char)u};
	size_t n = 1;

	if (u >= 0x80) {
		n = u < 0x800 ? 2 : u < 0x10000 ? 3 : 4;
		for (size_t i = n - 1; i > 0; i--, u >>= 6)
			bytes[i] = (char)(0x80 | (u & 0x3f));
		bytes[0] = (char)((0xf00u >> n & 0xf0) | u);
	}
	buf_add(out, bytes, n);
}

static const struct cell *cell_at(const struct canvas *c, int y, int x)
{
	return c->cells + (ptrdiff_t)y * c->stride + x;
}

/* One line as it reads, without the blanks at its end. */
static void put_line(struct buf *out, const struct canvas *c, int y)
{
	int end = c->width;

	while (end && cell_at(c, y, end - 1)->code[0] == ' ')
		end--;
	for (int x = 0; x < end; x++)
		for (int i = 0; i < 2 && cell_at(c, y, x)->code[i]; i++)
			put_char(out, cell_at(c, y, x)->code[i]);
}

static void put_styles(struct buf *out, const struct canvas *c, int y)
{
	bool any = false;

	for (int x = 0; x < c->width;) {
		int from = x;
		uint8_t style = cell_at(c, y, x)->style;

		while (x < c->width && cell_at(c, y, x)->style == style)
			x++;
		if (style == STYLE_NORMAL)
			continue;
		if (!any)
			buf_printf(out, "%3d:", y);
		any = true;
		buf_printf(out, " %d-%d %s", from, x - 1, style_name((enum style)style));
	}
	if (any)
		buf_puts(out, "\n");
}

static void put_picture(struct buf *out, const struct canvas *c)
{
	int lines = c->height;

	for (bool blank = true; blank && lines; lines -= blank) {
		struct buf one;

		buf_init(&one, 1 << 16);
		put_line(&one, c, lines - 1);
		blank = one.len == 0;
		buf_free(&one);
	}
	for (int y = 0; y < lines; y++) {
		buf_puts(out, "|");
		put_line(out, c, y);
		buf_puts(out, "\n");
	}
	if (lines < c->height)
		buf_printf(out, "(%d blank lines)\n", c->height - lines);
	for (int y = 0; y < c->height; y++)
		put_styles(out, c, y);
}

/* The whole canvas as text, for a test that looks for words; free() it. */
static char *words_of(const struct canvas *c)
{
	struct buf out;

	buf_init(&out, GOLDEN_MAX);
	for (int y = 0; y < c->height; y++) {
		put_line(&out, c, y);
		buf_puts(&out, "\n");
	}
	return out.at ? out.at : mem_copy("");
}

static bool shows(const struct play *s, const char *words)
{
	char *all = words_of(s->canvas);
	bool found = strstr(all, words) != NULL;

	free(all);
	return found;
}

/* The line that has words in it; -1: none. */
static int line_with(const struct canvas *c, const char *words)
{
	for (int y = 0; y < c->height; y++) {
		struct buf out;
		bool found;

		buf_init(&out, 1 << 16);
		put_line(&out, c, y);
		found = out.at && strstr(out.at, words);
		buf_free(&out);
		if (found)
			return y;
	}
	return -1;
}

/* ---- golden files ---- */

static void read_file(const char *path, struct buf *out)
{
	FILE *f = fopen(path, "re");
	char part[4096];
	size_t n;

	while (f && (n = fread(part, 1, sizeof part, f)) > 0)
		buf_add(out, part, n);
	if (f)
		fclose(f);
}

static void fail_at_difference(const char *path, const char *is, const char *should)
{
	struct text a = text_of(is), b = text_of(should), x, y;
	char section[64] = "";

	for (int line = 1;; line++) {
		bool more = text_line(&a, &x), other = text_line(&b, &y);

		if (!more && !other)
			return;
		x = more ? x : TEXT("(end)");
		y = other ? y : TEXT("(end)");
		if (text_starts(x, "=== "))
			text_copy(section, sizeof section, x);
		if (x.len != y.len || memcmp(x.at, y.at, x.len) != 0)
			fail_msg("%s:%d %s\n  drawn  %.*s\n  golden %.*s\n  (GENERATE=1 writes it anew)", path, line, section, (int)x.len,
				x.at, (int)y.len, y.at);
	}
}

static void check_golden(const char *name, const struct buf *drawn)
{
	char path[200];
	struct buf golden;

	snprintf(path, sizeof path, "tests/screen/%s.golden", name);
	assert_false(drawn->full);
	if (getenv("GENERATE")) {
		FILE *f = fopen(path, "we");

		assert_non_null(f);
		assert_int_equal(fwrite(drawn->at, 1, drawn->len, f), drawn->len);
		fclose(f);
		return;
	}
	buf_init(&golden, GOLDEN_MAX);
	read_file(path, &golden);
	fail_at_difference(path, drawn->at, golden.at ? golden.at : "");
	buf_free(&golden);
}

struct scene {
	const char *name, *panel;
	enum fixture_which which;
	const char *subject, *filter;
	bool problems_only;
	enum act acts[8]; /* after a first drawing */
	const char *answer; /* NULL, or what kafka was asked: "group orders-etl" */
	const char *failed; /* why the answer failed */
	bool logs; /* somebody looks at some */
	const char *search;
};

/* asked: "group orders-etl" */
static void answer(struct play *s, const char *asked, const char *failed)
{
	char view[16];

	text_copy(view, sizeof view, text_until(text_of(asked), ' '));
	if (!strcmp(s->panel->name, "tables"))
		fixture_table_answer(s->fixture, view, strchr(asked, ' ') + 1, failed);
	else
		fixture_answer(s->fixture, view, strchr(asked, ' ') + 1, failed);
}

static void check_scene(const struct scene *scene)
{
	struct host *host = scene->logs ? host_local() : NULL;
	struct logs *logs = scene->logs ? fixture_logs(host) : NULL;
	struct buf drawn;

	buf_init(&drawn, GOLDEN_MAX);
	for (int ascii = 0; ascii < 2; ascii++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			struct play s = stage_set(scene->panel, scene->which, scene->subject, sizes[i].width,
				sizes[i].height - CHROME_LINES, ascii);

			if (scene->answer)
				answer(&s, scene->answer, scene->failed);
			fixture_lake(s.fixture)->logs = logs;
			s.view.filter = scene->filter ? scene->filter : "";
			s.view.search = scene->search;
			s.view.problems_only = scene->problems_only;
			stage_draw(&s);
			for (const enum act *act = scene->acts; *act != ACT_NONE; act++)
				stage_act(&s, *act);
			stage_draw(&s);
			buf_printf(&drawn, "=== %s %dx%d %s\n", scene->name, sizes[i].width, sizes[i].height, ascii ? "ascii" : "utf-8");
			put_picture(&drawn, s.canvas);
			stage_strike(&s);
		}
	logs_close(logs, 20000);
	if (host)
		host->close(host);
	check_golden(scene->name, &drawn);
	buf_free(&drawn);
}

static const struct scene scenes[] = {
	{"overview-pocket", "overview", .which = FIXTURE_POCKET, .acts = {ACT_DOWN, ACT_DOWN}},
	{"overview-trouble", "overview", .which = FIXTURE_TROUBLE},
	{"overview-starting", "overview", .which = FIXTURE_STARTING},
	{"overview-nothing", "overview", .which = FIXTURE_NOTHING},
	{"overview-many", "overview", .which = FIXTURE_MANY, .acts = {ACT_BOTTOM, ACT_UP}},
	{"overview-hostile", "overview", .which = FIXTURE_HOSTILE},
	{"overview-problems-only", "overview", .which = FIXTURE_TROUBLE, .problems_only = true},
	{"overview-filtered", "overview", .which = FIXTURE_MANY, .filter = "KAFKA 1"},
	{"ports-pocket", "ports", .which = FIXTURE_POCKET, .acts = {ACT_DOWN}},
	{"ports-trouble", "ports", .which = FIXTURE_TROUBLE},
	{"ports-nothing", "ports", .which = FIXTURE_NOTHING},
	{"ports-many", "ports", .which = FIXTURE_MANY, .acts = {ACT_PAGE_DOWN}},
	{"ports-hostile", "ports", .which = FIXTURE_HOSTILE},
	{"changes-pocket", "changes", .which = FIXTURE_POCKET},
	{"changes-nothing", "changes", .which = FIXTURE_NOTHING},
	{"changes-many", "changes", .which = FIXTURE_MANY, .acts = {ACT_DOWN, ACT_DOWN}},
	{"changes-hostile", "changes", .which = FIXTURE_HOSTILE},
	{"service-serving", "service", .which = FIXTURE_POCKET, .subject = "kafka"},
	{"service-serving-end", "service", .which = FIXTURE_POCKET, .subject = "kafka", .acts = {ACT_BOTTOM}},
	{"service-table", "service", .which = FIXTURE_POCKET, .subject = "kafka", .acts = {ACT_NEXT_VIEW, ACT_SORT}},
	{"service-long-table", "service", .which = FIXTURE_POCKET, .subject = "kafka", .acts = {ACT_NEXT_VIEW, ACT_NEXT_VIEW,
		ACT_SORT, ACT_SORT, ACT_SORT}},
	{"service-events", "service", .which = FIXTURE_POCKET, .subject = "kafka", .acts = {ACT_PREVIOUS_VIEW}},
	{"service-wrong", "service", .which = FIXTURE_TROUBLE, .subject = "spark-connect"},
	{"service-victim", "service", .which = FIXTURE_TROUBLE, .subject = "spark-history"},
	{"service-starting", "service", .which = FIXTURE_STARTING, .subject = "kafka"},
	{"service-unjudged", "service", .which = FIXTURE_STARTING, .subject = "spark-history"},
	{"service-found", "service", .which = FIXTURE_POCKET, .subject = "found:8888"},
	{"service-kindless", "service", .which = FIXTURE_TROUBLE, .subject = "zookeeper"},
	{"service-gone", "service", .which = FIXTURE_NOTHING, .subject = "kafka"},
	{"kafka-groups", "kafka", .which = FIXTURE_DEEP},
	{"kafka-groups-sorted", "kafka", .which = FIXTURE_DEEP, .acts = {ACT_SORT}, .problems_only = true},
	{"kafka-topics", "kafka", .which = FIXTURE_DEEP, .acts = {ACT_NEXT_VIEW, ACT_DOWN}},
	{"kafka-brokers", "kafka", .which = FIXTURE_DEEP, .acts = {ACT_NEXT_VIEW, ACT_NEXT_VIEW}},
	{"kafka-streams", "kafka", .which = FIXTURE_DEEP, .acts = {ACT_PREVIOUS_VIEW, ACT_PREVIOUS_VIEW}},
	{"kafka-stream", "kafka", .which = FIXTURE_DEEP, .acts = {ACT_PREVIOUS_VIEW, ACT_PREVIOUS_VIEW, ACT_DOWN, ACT_ENTER}},
	{"kafka-connectors", "kafka", .which = FIXTURE_DEEP, .acts = {ACT_PREVIOUS_VIEW}},
	{"kafka-tasks", "kafka", .which = FIXTURE_DEEP, .acts = {ACT_PREVIOUS_VIEW, ACT_DOWN, ACT_ENTER}},
	{"kafka-asking", "kafka", .which = FIXTURE_DEEP, .acts = {ACT_ENTER}},
	{"kafka-group", "kafka", .which = FIXTURE_DEEP, .acts = {ACT_ENTER}, .answer = "group orders-etl"},
	{"kafka-group-failed", "kafka", .which = FIXTURE_DEEP, .acts = {ACT_ENTER}, .answer = "group orders-etl",
		.failed = "no answer within 2 s: the coordinator of orders-etl, broker 2"},
	{"kafka-topic", "kafka", .which = FIXTURE_DEEP, .acts = {ACT_NEXT_VIEW, ACT_ENTER}, .answer = "topic orders"},
	{"kafka-peek", "kafka", .which = FIXTURE_DEEP, .acts = {ACT_NEXT_VIEW, ACT_PEEK, ACT_DOWN}, .answer = "peek orders"},
	{"kafka-record", "kafka", .which = FIXTURE_DEEP, .acts = {ACT_NEXT_VIEW, ACT_PEEK, ACT_ENTER}, .answer = "peek orders"},
	{"kafka-plain", "kafka", .which = FIXTURE_POCKET},
	{"kafka-starting", "kafka", .which = FIXTURE_STARTING},
	{"kafka-nothing", "kafka", .which = FIXTURE_NOTHING},
	{"tables-list", "tables", .which = FIXTURE_TABLES},
	{"tables-ranked", "tables", .which = FIXTURE_TABLES, .acts = {ACT_SORT}},
	{"tables-problems", "tables", .which = FIXTURE_TABLES, .problems_only = true},
	{"tables-nothing", "tables", .which = FIXTURE_NOTHING},
	{"tables-asking", "tables", .which = FIXTURE_TABLES, .acts = {ACT_DOWN, ACT_ENTER, ACT_NEXT_VIEW}},
	{"tables-overview", "tables", .which = FIXTURE_TABLES, .acts = {ACT_DOWN, ACT_ENTER}, .answer = "table bronze.orders"},
	{"tables-old", "tables", .which = FIXTURE_TABLES, .acts = {ACT_ENTER}},
	{"tables-failed", "tables", .which = FIXTURE_TABLES, .filter = "broken", .acts = {ACT_ENTER}},
	{"tables-snapshots", "tables", .which = FIXTURE_TABLES, .acts = {ACT_DOWN, ACT_ENTER, ACT_NEXT_VIEW}, .answer = "snapshots bronze.orders"},
	{"tables-refs", "tables", .which = FIXTURE_TABLES, .acts = {ACT_DOWN, ACT_ENTER, ACT_NEXT_VIEW, ACT_NEXT_VIEW}, .answer = "refs bronze.orders"},
	{"tables-partitions", "tables", .which = FIXTURE_TABLES, .acts = {ACT_DOWN, ACT_ENTER, ACT_NEXT_VIEW, ACT_NEXT_VIEW, ACT_NEXT_VIEW}, .answer = "partitions bronze.orders"},
	{"tables-files", "tables", .which = FIXTURE_TABLES, .acts = {ACT_DOWN, ACT_ENTER, ACT_NEXT_VIEW, ACT_NEXT_VIEW, ACT_NEXT_VIEW, ACT_NEXT_VIEW}, .answer = "files bronze.orders"},
	{"tables-schema", "tables", .which = FIXTURE_TABLES, .acts = {ACT_DOWN, ACT_ENTER, ACT_NEXT_VIEW, ACT_NEXT_VIEW, ACT_NEXT_VIEW, ACT_NEXT_VIEW, ACT_NEXT_VIEW}, .answer = "schema bronze.orders"},
	{"tables-properties", "tables", .which = FIXTURE_TABLES, .acts = {ACT_DOWN, ACT_PEEK, ACT_PREVIOUS_VIEW, ACT_PREVIOUS_VIEW}, .answer = "properties bronze.orders"},
	{"tables-log", "tables", .which = FIXTURE_TABLES, .acts = {ACT_DOWN, ACT_PEEK, ACT_PREVIOUS_VIEW}, .answer = "log bronze.orders"},
	{"tables-rows", "tables", .which = FIXTURE_TABLES, .acts = {ACT_DOWN, ACT_ENTER, ACT_PEEK}, .answer = "rows 200 lake.bronze.orders"},
	{"tables-growth", "tables", .which = FIXTURE_TABLES, .acts = {ACT_DOWN, ACT_PEEK, ACT_NEXT_VIEW}, .answer = "growth bronze.orders"},
	{"tables-compact", "tables", .which = FIXTURE_TABLES, .acts = {ACT_DOWN, ACT_PEEK, ACT_NEXT_VIEW, ACT_NEXT_VIEW}, .answer = "compact bronze.orders"},
	{"tables-orphans", "tables", .which = FIXTURE_TABLES, .acts = {ACT_DOWN, ACT_ENTER, ACT_PREVIOUS_VIEW}, .answer = "orphans bronze.orders"},
	{"tables-view-failed", "tables", .which = FIXTURE_TABLES, .acts = {ACT_DOWN, ACT_ENTER, ACT_NEXT_VIEW}, .answer = "snapshots bronze.orders",
		.failed = "s3://lake/bronze/orders/metadata/snap-1.avro: 404, there is no such object"},
	{"spark-clusters", "spark", .which = FIXTURE_DEEP, .acts = {ACT_DOWN}},
	{"spark-applications", "spark", .which = FIXTURE_DEEP, .acts = {ACT_NEXT_VIEW}},
	{"spark-application", "spark", .which = FIXTURE_DEEP, .acts = {ACT_NEXT_VIEW, ACT_DOWN, ACT_DOWN, ACT_DOWN, ACT_ENTER}},
	{"spark-stages", "spark", .which = FIXTURE_DEEP, .acts = {ACT_NEXT_VIEW, ACT_NEXT_VIEW}},
	{"spark-queries", "spark", .which = FIXTURE_DEEP, .acts = {ACT_PREVIOUS_VIEW, ACT_PREVIOUS_VIEW}},
	{"spark-connect", "spark", .which = FIXTURE_DEEP, .acts = {ACT_PREVIOUS_VIEW}},
	{"spark-trouble", "spark", .which = FIXTURE_TROUBLE},
	{"spark-nothing", "spark", .which = FIXTURE_NOTHING},
	{"logs-nothing", "logs", .which = FIXTURE_NOTHING},
	{"logs-follow", "logs", .which = FIXTURE_POCKET, .logs = true},
	{"logs-held", "logs", .which = FIXTURE_POCKET, .logs = true, .acts = {ACT_PREVIOUS_ERROR, ACT_ENTER, ACT_MARK}, .search = "task"},
	{"logs-wrapped", "logs", .which = FIXTURE_POCKET, .logs = true, .filter = "!DEBUG", .acts = {ACT_WRAP, ACT_TIMES, ACT_UP}},
	{"service-hostile", "service", .which = FIXTURE_HOSTILE, .subject = "日本語のサービス名はとても長いので切られる"},
};

static void every_panel_looks_as_its_golden_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
		check_scene(&scenes[i]);
}

/* ---- what holds at every size ---- */

static const char *const first_service[FIXTURE_COUNT] = {"kafka", "spark-connect", "kafka", "kafka", "kafka-01",
	"emoji-😀😀😀-service", "spark-connect", "kafka"};

static void nothing_is_drawn_outside_the_canvas(void **state)
{
	static const int lengths[] = {0, 1, 2, 3, 5, 8, 13, 21, 39, 58, 80, 99, 132, 201};
	enum { N = sizeof lengths / sizeof *lengths, BORDER = 3 };

	(void)state;
	for (size_t w = 0; w < N; w++)
		for (size_t k = 0; k < N * FIXTURE_COUNT; k++) {
			enum fixture_which which = (enum fixture_which)(k % FIXTURE_COUNT);
			int width = lengths[w], height = lengths[k / FIXTURE_COUNT] / 2;
			struct canvas *whole = canvas_new(width + 2 * BORDER, height + 2 * BORDER, w % 2);

			for (size_t i = 0; panels[i]; i++) {
				struct play s = stage_set(panels[i]->name, which, first_service[which], 1, 1, false);
				struct canvas part = canvas_part(whole, BORDER, BORDER, height, width);

				for (int y = 0; y < whole->height; y++)
					canvas_fill(whole, y, 0, -1, STYLE_INPUT, "~");
				canvas_clear(&part);
				s.panel->draw(&s.view, s.state, &part);
				for (int y = 0; y < whole->height; y++)
					for (int x = 0; x < whole->width; x++)
						if (y < BORDER || y >= BORDER + height || x < BORDER || x >= BORDER + width)
							assert_true(cell_at(whole, y, x)->code[0] == '~' && cell_at(whole, y, x)->style == STYLE_INPUT);
				stage_strike(&s);
			}
			canvas_free(whole);
		}
}

static void an_ascii_screen_has_nothing_but_ascii_on_it(void **state)
{
	(void)state;
	for (int which = 0; which < FIXTURE_COUNT; which++)
		for (size_t i = 0; panels[i]; i++) {
			struct play s = stage_set(panels[i]->name, (enum fixture_which)which, first_service[which], 132, 43, true);

			stage_draw(&s);
			for (int y = 0; y < s.canvas->height; y++)
				for (int x = 0; x < s.canvas->width; x++)
					assert_in_range(cell_at(s.canvas, y, x)->code[0], ' ', '~');
			stage_strike(&s);
		}
}

/* Numbers of a picture, as " 12,401 18 ... ". */
static void put_numbers(struct buf *out, const char *words)
{
	buf_puts(out, " ");
	for (const char *p = words; *p;) {
		size_t n = strspn(p, "0123456789,.");

		if (n && p[0] >= '0' && p[0] <= '9' && strncmp(p + n, " more", 5) != 0) { /* a count of what is not shown may change */
			buf_add(out, p, n);
			buf_puts(out, " ");
		}
		p += n ? n : 1;
	}
}

static void no_number_is_ever_cut(void **state)
{
	static const enum fixture_which lakes[] = {FIXTURE_POCKET, FIXTURE_TROUBLE, FIXTURE_MANY, FIXTURE_DEEP, FIXTURE_TABLES};
	static const char *const shown[] = {"overview", "ports", "changes", "kafka", "spark", "tables"};

	(void)state;
	for (size_t k = 0; k < sizeof lakes / sizeof *lakes * 6; k++) {
		struct play s = stage_set(shown[k % 6], lakes[k / 6], NULL, 500, 60, false);
		struct buf all;
		char *words;

		stage_draw(&s);
		words = words_of(s.canvas);
		buf_init(&all, 1 << 18);
		put_numbers(&all, words);
		free(words);
		for (int width = 40; width < 260; width++) {
			struct text numbers, number;
			struct buf some;

			canvas_free(s.canvas);
			s.canvas = canvas_new(width, 60, false);
			stage_draw(&s);
			words = words_of(s.canvas);
			buf_init(&some, 1 << 18);
			put_numbers(&some, words);
			for (numbers = buf_text(&some); text_word(&numbers, &number);) {
				char whole[80];

				snprintf(whole, sizeof whole, " %.*s ", (int)number.len, number.at);
				if (number.len > 1 && !strstr(all.at, whole))
					fail_msg("%s at %d columns shows %s, which is part of a number", shown[k % 6], width, whole);
			}
			buf_free(&some);
			free(words);
		}
		buf_free(&all);
		stage_strike(&s);
	}
}

static void drawing_twice_gives_the_same_picture(void **state)
{
	(void)state;
	for (int which = 0; which < FIXTURE_COUNT; which++)
		for (size_t i = 0; panels[i]; i++) {
			struct play s = stage_set(panels[i]->name, (enum fixture_which)which, first_service[which], 80, 22, false);
			char *first, *second;

			stage_draw(&s);
			first = words_of(s.canvas);
			stage_draw(&s);
			second = words_of(s.canvas);
			assert_string_equal(first, second);
			free(first);
			free(second);
			stage_strike(&s);
		}
}

static void any_keys_in_any_order_leave_a_panel_well(void **state)
{
	unsigned seed = 20261129;

	(void)state;
	for (int which = 0; which < FIXTURE_COUNT; which++)
		for (size_t i = 0; panels[i]; i++) {
			struct play s = stage_set(panels[i]->name, (enum fixture_which)which, first_service[which], 80, 22, false);

			for (int k = 0; k < 400; k++) {
				seed = seed * 1103515245u + 12345u;
				stage_act(&s, (enum act)(seed >> 16 & 0xff) % ACT_COUNT);
				s.view.problems_only = seed >> 28 == 3;
				s.view.filter = seed >> 28 == 5 ? "a" : seed >> 28 == 6 ? "no such thing" : "";
				if (k % 3 == 0)
					stage_draw(&s);
			}
			stage_strike(&s);
		}
}

/* ---- the overview ---- */

static enum style style_at(const struct canvas *c, int y, const char *words)
{
	struct buf line;
	const char *at;
	int x;

	buf_init(&line, 1 << 16);
	put_line(&line, c, y);
	at = line.at ? strstr(line.at, words) : NULL;
	assert_non_null(at);
	x = text_columns((struct text){line.at, (size_t)(at - line.at)});
	buf_free(&line);
	return (enum style)cell_at(c, y, x)->style;
}

static void the_first_line_says_what_is_broken_and_what_helps(void **state)
{
	struct play s = stage_set("overview", FIXTURE_TROUBLE, NULL, 130, 40, false);

	(void)state;
	stage_draw(&s);
	assert_int_equal(line_with(s.canvas, "8081 is held by spark-worker-40"), 0);
	assert_int_equal(line_with(s.canvas, "→ stop spark-worker-40"), 0);
	assert_int_equal(style_at(s.canvas, 0, "unity-catalog"), STYLE_BAD);
	stage_strike(&s);
}

static void more_than_four_problems_are_counted_not_listed(void **state)
{
	struct play s = stage_set("overview", FIXTURE_MANY, NULL, 130, 60, false);

	(void)state;
	stage_draw(&s);
	assert_int_equal(line_with(s.canvas, "and 6 more: postgres-12"), 3);
	stage_strike(&s);
}

static void a_ready_lake_is_one_quiet_line(void **state)
{
	struct play s = stage_set("overview", FIXTURE_POCKET, NULL, 100, 28, false);

	(void)state;
	stage_draw(&s);
	assert_int_equal(line_with(s.canvas, "all 7 required services serve, for 18min"), 0);
	assert_int_equal(line_with(s.canvas, "────"), 1);
	stage_strike(&s);
}

/* Its path is long, and there is a healthy one before it: the one that is ill is shown, at any width. */
static void a_disk_that_is_full_is_named_above_and_below_at_any_width(void **state)
{
	static const struct disk disks[] = {{.path = "/", .total = INT64_C(200) << 30, .free = INT64_C(90) << 30, .inodes_free = -1},
		{.path = "/var/tmp/lakehouse/of/somebody/data/scratch", .total = 16 << 20, .free = 0, .inodes_free = 40}};

	(void)state;
	for (int width = 40; width <= 160; width += 20) {
		struct play s = stage_set("overview", FIXTURE_POCKET, NULL, width, 28, false);
		struct lake *lake = fixture_lake(s.fixture);
		struct facts facts = *lake->facts;
		int y;

		facts.disks = disks;
		lake->facts = &facts;
		lake->n_machine = 1;
		lake->machine[0] = (struct judged_finding){.name = "disk", .severity = SEVERITY_WARNING, .reason = "/scratch is full: nothing of 16 MiB left",
			.remedy = "free space there"};
		lake->n_warnings = 2;
		stage_draw(&s);
		assert_int_equal(line_with(s.canvas, "machine  /scratch is full"), 1);
		assert_int_equal(line_with(s.canvas, "→ free space there"), width < 80 ? -1 : 1);
		y = line_with(s.canvas, "scratch 0 B free");
		assert_true(y > 20);
		assert_int_equal(style_at(s.canvas, y, "0 B free"), STYLE_WARN);
		stage_strike(&s);
	}
}

static void as_many_warnings_are_named_as_there_is_room_for(void **state)
{
	static const char *const names[] = {"disk", "memory", "lag"};
	static const struct { int width; const char *words; } cases[] = {
		{200, "! 3 warnings: machine disk, machine memory, kafka lag"}, {90, "! 3 warnings: machine disk, …"}, {66, "! 3 warnings"}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct play s = stage_set("overview", FIXTURE_POCKET, NULL, cases[i].width, 28, false);
		struct lake *lake = fixture_lake(s.fixture);

		for (size_t k = 0; k < 2; k++) {
			lake->machine[k] = (struct judged_finding){.severity = SEVERITY_WARNING};
			snprintf(lake->machine[k].name, sizeof lake->machine[k].name, "%s", names[k]);
		}
		lake->n_machine = 2;
		lake->n_warnings = 3;
		stage_draw(&s);
		assert_int_equal(line_with(s.canvas, cases[i].words), 0);
		assert_int_equal(line_with(s.canvas, ", …"), i == 1 ? 0 : -1);
		stage_strike(&s);
	}
}

static void figures_are_whole_where_there_is_room_and_trends_take_none_of_it(void **state)
{
	struct play s = stage_set("overview", FIXTURE_POCKET, NULL, 200, 50, false);
	const struct snapshot *depth = fixture_service(s.fixture, "kafka")->depth;

	(void)state;
	for (size_t i = 0; i < depth->n_figures; i++)
		((struct figure *)(uintptr_t)depth->figures)[i].value.u.i = INT64_C(1234567890123);
	stage_draw(&s);
	assert_true(shows(&s, "1,234,567,890,123 lag +310/s  1,234,567,890,123 topics"));
	stage_strike(&s);
}

static void until_all_have_answered_it_says_who_is_still_asked(void **state)
{
	struct play s = stage_set("overview", FIXTURE_STARTING, NULL, 100, 28, false);

	(void)state;
	stage_draw(&s);
	assert_true(shows(&s, "asking 2 of 6 … spark-connect, spark-history"));
	fixture_lake(s.fixture)->n_problems = 0;
	stage_draw(&s);
	assert_int_equal(line_with(s.canvas, "asking 2 of 6"), 0);
	stage_strike(&s);
}

static void a_starting_service_shows_its_progress_in_place_of_figures(void **state)
{
	struct play s = stage_set("overview", FIXTURE_STARTING, NULL, 160, 28, false);

	(void)state;
	stage_draw(&s);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "kafka            starting"),
		"fetching kafka-server 4.1.1: 48 of 132 MiB"), STYLE_ACCENT);
	stage_strike(&s);
}

static void what_was_never_judged_is_unknown_not_blocked(void **state)
{
	struct play s = stage_set("overview", FIXTURE_STARTING, NULL, 100, 28, false);

	(void)state;
	stage_draw(&s);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "?  spark-history"), "unknown"), STYLE_UNKNOWN);
	stage_strike(&s);
}

static void unknown_is_a_dash_and_never_zero(void **state)
{
	struct play s = stage_set("overview", FIXTURE_STARTING, NULL, 160, 28, false);
	struct buf line;

	(void)state;
	stage_draw(&s);
	buf_init(&line, 1 << 16);
	put_line(&line, s.canvas, line_with(s.canvas, "?  spark-history"));
	assert_null(strstr(line.at, " 0"));
	assert_non_null(strstr(line.at, "  -  "));
	buf_free(&line);
	stage_strike(&s);
}

static void a_sum_with_unknown_parts_says_at_least(void **state)
{
	struct play s = stage_set("overview", FIXTURE_TROUBLE, NULL, 100, 28, false), t = stage_set("overview", FIXTURE_TROUBLE,
		NULL, 100, 28, true);

	(void)state;
	stage_draw(&s);
	stage_draw(&t);
	assert_true(shows(&s, "≥ 120 lag"));
	assert_true(shows(&t, ">= 120 lag"));
	stage_strike(&s);
	stage_strike(&t);
}

static void old_facts_are_dim_and_say_how_old(void **state)
{
	struct play s = stage_set("overview", FIXTURE_TROUBLE, NULL, 120, 28, false);
	int y;

	(void)state;
	stage_draw(&s);
	y = line_with(s.canvas, "●  seaweedfs");
	assert_int_equal(style_at(s.canvas, y, "serving"), STYLE_DIM);
	assert_int_equal(style_at(s.canvas, y, "9s"), STYLE_DIM);
	/* three intervals are not old yet */
	fixture_lake(s.fixture)->now -= 9500 - 6000;
	stage_draw(&s);
	assert_int_equal(style_at(s.canvas, y, "serving"), STYLE_NORMAL);
	assert_int_equal(line_with(s.canvas, "6s"), -1);
	stage_strike(&s);
}

static void what_is_not_required_is_never_red(void **state)
{
	struct play s = stage_set("overview", FIXTURE_TROUBLE, NULL, 120, 40, false);

	(void)state;
	stage_draw(&s);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "nessie"), "sick"), STYLE_WARN);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "zookeeper"), "absent"), STYLE_DIM);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "spark-connect    wrong version"), "wrong version"), STYLE_BAD);
	stage_strike(&s);
}

static void a_row_keeps_its_place_when_its_verdict_changes(void **state)
{
	struct play s = stage_set("overview", FIXTURE_POCKET, NULL, 100, 28, false);
	int before;

	(void)state;
	stage_draw(&s);
	before = line_with(s.canvas, "spark-worker-41  serving");
	fixture_service(s.fixture, "spark-worker-41")->verdict.shown.verdict = VERDICT_FROZEN;
	stage_draw(&s);
	assert_int_equal(line_with(s.canvas, "spark-worker-41  frozen"), before);
	stage_strike(&s);
}

static void the_selection_follows_the_name_when_rows_move(void **state)
{
	struct play s = stage_set("overview", FIXTURE_POCKET, NULL, 100, 28, false);
	struct lake *lake = fixture_lake(s.fixture);
	struct service *first;

	(void)state;
	stage_draw(&s);
	while (!s.view.open || strcmp(s.view.open, "spark-connect") != 0) {
		assert_int_equal(stage_act(&s, ACT_DOWN), REACT_HANDLED);
		assert_int_equal(stage_act(&s, ACT_ENTER), REACT_OPEN);
	}
	first = lake->services[0];
	memmove(lake->services, lake->services + 1, (lake->n_services - 1) * sizeof *lake->services);
	lake->services[--lake->n_services] = first;
	stage_draw(&s);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "spark-connect"), "spark-connect"), STYLE_SELECTED);
	stage_act(&s, ACT_ENTER);
	assert_string_equal(s.view.open, "spark-connect");
	/* and when it goes away, the selection stays where it was */
	lake->n_services = 2;
	stage_draw(&s);
	assert_int_equal(stage_act(&s, ACT_ENTER), REACT_OPEN);
	stage_strike(&s);
}

static void a_filter_takes_every_word_from_any_part_of_a_row(void **state)
{
	struct play s = stage_set("overview", FIXTURE_POCKET, NULL, 100, 28, false);

	(void)state;
	s.view.filter = "SPARK serv 15002";
	stage_draw(&s);
	assert_true(shows(&s, "spark-connect    serving"));
	assert_false(shows(&s, "spark-master-41  serving"));
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "spark-connect    serving"), "15002"), STYLE_MATCH);
	s.view.filter = "égalité";
	stage_draw(&s);
	assert_true(shows(&s, "no service here matches"));
	assert_int_equal(stage_act(&s, ACT_ENTER), REACT_NONE);
	stage_strike(&s);
}

static void problems_only_leaves_out_what_is_well_or_not_wanted(void **state)
{
	struct play s = stage_set("overview", FIXTURE_TROUBLE, NULL, 100, 40, false);

	(void)state;
	s.view.problems_only = true;
	stage_draw(&s);
	assert_true(shows(&s, "spark-connect    wrong version"));
	assert_true(shows(&s, "nessie           sick"));
	assert_true(shows(&s, "●! kafka")); /* serves, and something is wrong besides */
	assert_false(shows(&s, "zookeeper"));
	assert_false(shows(&s, "spark-master-41"));
	stage_strike(&s);
}

static void every_service_of_the_lab_fits_on_eighty_by_twenty_four(void **state)
{
	struct play s = stage_set("overview", FIXTURE_POCKET, NULL, 80, 24 - CHROME_LINES, false);

	(void)state;
	stage_draw(&s);
	for (size_t i = 0; i < fixture_lake(s.fixture)->n_services; i++)
		assert_true(shows(&s, fixture_lake(s.fixture)->services[i]->name));
	stage_strike(&s);
}

/* ---- ports ---- */

static void select_port(struct play *s, const char *port)
{
	s->view.filter = port;
	stage_draw(s);
}

static void the_key_that_asks_who_it_is_says_what_it_does_or_why_not(void **state)
{
	struct play s = stage_set("ports", FIXTURE_POCKET, NULL, 100, 28, false);

	(void)state;
	select_port(&s, "40123");
	assert_int_equal(stage_act(&s, ACT_IDENTIFY), REACT_IDENTIFY);
	assert_int_equal(s.view.port, 40123);
	assert_string_equal(s.view.address, "127.0.0.1");
	assert_string_equal(s.view.say, "asking who is on 127.0.0.1:40123");
	for (size_t i = 0; i < fixture_lake(s.fixture)->n_ports; i++)
		if (fixture_lake(s.fixture)->ports[i].port == 40123)
			text_copy(fixture_lake(s.fixture)->ports[i].address, ADDRESS_SIZE, TEXT("::1"));
	assert_int_equal(stage_act(&s, ACT_IDENTIFY), REACT_IDENTIFY);
	assert_string_equal(s.view.say, "asking who is on [::1]:40123");
	assert_string_equal(s.view.address, "::1");
	select_port(&s, "9092");
	assert_int_equal(stage_act(&s, ACT_IDENTIFY), REACT_HANDLED);
	assert_string_equal(s.view.say, "it is known: 9092 is of kafka, which is asked all the time");
	select_port(&s, "9333");
	assert_int_equal(stage_act(&s, ACT_IDENTIFY), REACT_HANDLED);
	assert_string_equal(s.view.say, "nobody listens on 9333");
	stage_strike(&s);
	s = stage_set("ports", FIXTURE_TROUBLE, NULL, 100, 28, false);
	select_port(&s, "7077");
	assert_int_equal(stage_act(&s, ACT_IDENTIFY), REACT_HANDLED);
	assert_string_equal(s.view.say, "not asked: by its owner 7077 is rpc, where a question only leaves an error in its log");
	stage_strike(&s);
}

static void two_who_want_one_port_are_both_named(void **state)
{
	struct play s = stage_set("ports", FIXTURE_TROUBLE, NULL, 100, 28, false);
	int y;

	(void)state;
	stage_draw(&s);
	y = line_with(s.canvas, "8081");
	assert_int_equal(line_with(s.canvas, "also wanted by spark-worker-40"), y + 1);
	assert_int_equal(style_at(s.canvas, y, "■ blocked"), STYLE_BAD);
	assert_int_equal(line_with(s.canvas, "unity-catalog"), y);
	stage_strike(&s);
}

static void a_port_that_a_serving_service_should_have_and_has_not_is_closed(void **state)
{
	struct play s = stage_set("ports", FIXTURE_POCKET, NULL, 100, 28, false);

	(void)state;
	stage_draw(&s);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "seaweedfs master"), "▲ closed"), STYLE_WARN);
	stage_strike(&s);
}

static void enter_on_a_port_opens_who_answers_there(void **state)
{
	struct play s = stage_set("ports", FIXTURE_TROUBLE, NULL, 100, 28, false);

	(void)state;
	select_port(&s, "8081");
	assert_int_equal(stage_act(&s, ACT_ENTER), REACT_OPEN);
	assert_string_equal(s.view.open, "spark-worker-40");
	assert_int_equal(stage_act(&s, ACT_COPY), REACT_COPY);
	assert_string_equal(s.view.copy, "*:8081");
	stage_strike(&s);
}

static void what_this_user_cannot_see_is_said(void **state)
{
	struct play s = stage_set("ports", FIXTURE_TROUBLE, NULL, 100, 28, false);

	(void)state;
	stage_draw(&s);
	assert_true(shows(&s, "this user does not see everybody's processes"));
	assert_true(shows(&s, "docker denies this user"));
	stage_strike(&s);
}

/* ---- changes ---- */

static void who_stands_on_the_newest_change_sees_newer_ones_come(void **state)
{
	struct play s = stage_set("changes", FIXTURE_MANY, NULL, 80, 12, false);
	struct lake *lake = fixture_lake(s.fixture);

	(void)state;
	lake->n_events -= 3;
	stage_draw(&s);
	lake->n_events += 3;
	stage_draw(&s);
	assert_int_equal(style_at(s.canvas, 1, "12:03:54"), STYLE_SELECTED);
	/* one who has gone down to look at something stays with it */
	lake->n_events -= 3;
	stage_draw(&s);
	stage_act(&s, ACT_DOWN);
	stage_draw(&s);
	assert_int_equal(style_at(s.canvas, 2, "12:01:26"), STYLE_SELECTED);
	lake->n_events += 3;
	stage_draw(&s);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "12:01:26"), "12:01:26"), STYLE_SELECTED);
	stage_strike(&s);
}

static void severity_never_rests_on_colour_alone(void **state)
{
	struct play s = stage_set("changes", FIXTURE_TROUBLE, NULL, 100, 28, true);

	(void)state;
	stage_draw(&s);
	assert_true(shows(&s, "!! unity-catalog"));
	stage_strike(&s);
}

/* ---- the page of a service ---- */

static void tab_goes_through_every_view_and_comes_back(void **state)
{
	static const char *const heads[] = {"EVIDENCE", "GROUP", "TOPIC", "WHAT", "EVIDENCE"};
	struct play s = stage_set("service", FIXTURE_POCKET, "kafka", 100, 40, false);

	(void)state;
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		stage_draw(&s);
		assert_true(shows(&s, heads[i]));
		assert_int_equal(stage_act(&s, ACT_NEXT_VIEW), REACT_HANDLED);
	}
	assert_int_equal(stage_act(&s, ACT_BACK), REACT_CLOSE);
	stage_strike(&s);
}

static void each_link_has_its_state_source_and_age(void **state)
{
	struct play s = stage_set("service", FIXTURE_POCKET, "kafka", 120, 60, false);
	struct link *identity = &fixture_service(s.fixture, "kafka")->verdict.shown.links[LINK_IDENTITY];
	int y;

	(void)state;
	identity->seen = FIXTURE_NOW - 14000;
	stage_draw(&s);
	y = line_with(s.canvas, "identity");
	assert_int_equal(y, line_with(s.canvas, "ApiVersions v3, 2 ms"));
	assert_int_equal(style_at(s.canvas, y, "14s"), STYLE_WARN);
	assert_int_equal(style_at(s.canvas, y, "Kafka broker"), STYLE_DIM);
	for (int i = 0; i < LINK_COUNT; i++)
		assert_true(line_with(s.canvas, link_word((enum link_name)i)) > 0);
	stage_strike(&s);
}

static void the_whole_reason_can_be_read_on_forty_columns(void **state)
{
	struct play s = stage_set("service", FIXTURE_TROUBLE, "spark-connect", 40, 30, false);
	struct buf all;
	struct text rest, word;

	(void)state;
	stage_draw(&s);
	buf_init(&all, 1 << 16);
	for (int y = 0; y < s.canvas->height; y++) {
		put_line(&all, s.canvas, y);
		buf_puts(&all, " ");
	}
	rest = text_of(fixture_service(s.fixture, "spark-connect")->verdict.shown.reason);
	while (text_word(&rest, &word)) {
		char one[64];

		assert_non_null(strstr(all.at, text_copy(one, sizeof one, word)));
	}
	buf_free(&all);
	stage_strike(&s);
}

static void a_table_sorts_numbers_from_the_largest_and_unknown_ones_last(void **state)
{
	struct play s = stage_set("service", FIXTURE_POCKET, "kafka", 100, 60, false);

	(void)state;
	stage_draw(&s);
	stage_act(&s, ACT_NEXT_VIEW);
	stage_act(&s, ACT_NEXT_VIEW);
	for (int i = 0; i < 3; i++)
		assert_int_equal(stage_act(&s, ACT_SORT), REACT_HANDLED);
	stage_draw(&s);
	assert_true(shows(&s, "RECORDS↓"));
	assert_int_equal(line_with(s.canvas, "29,786,741"), line_with(s.canvas, "RECORDS↓") + 1);
	assert_int_equal(line_with(s.canvas, "topic-07"), line_with(s.canvas, "RECORDS↓") + 30);
	stage_act(&s, ACT_SORT_REVERSE);
	stage_draw(&s);
	assert_int_equal(line_with(s.canvas, "topic-07"), line_with(s.canvas, "RECORDS↑") + 30);
	assert_true(shows(&s, "1,200 more rows are there"));
	stage_strike(&s);
}

static void a_time_in_a_table_is_shown_as_its_age(void **state)
{
	struct play s = stage_set("service", FIXTURE_POCKET, "kafka", 100, 30, false);

	(void)state;
	stage_draw(&s);
	stage_act(&s, ACT_NEXT_VIEW);
	stage_draw(&s);
	assert_true(shows(&s, "3h ago"));
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "replay"), "≥ 120"), STYLE_NORMAL);
	stage_strike(&s);
}

static void a_page_scrolls_to_its_end_and_no_further(void **state)
{
	struct play s = stage_set("service", FIXTURE_POCKET, "kafka", 80, 12, false);
	char *end, *further;

	(void)state;
	stage_draw(&s);
	stage_act(&s, ACT_BOTTOM);
	stage_draw(&s);
	assert_true(shows(&s, "12:03:58"));
	end = words_of(s.canvas);
	for (int i = 0; i < 50; i++)
		stage_act(&s, ACT_DOWN);
	stage_draw(&s);
	further = words_of(s.canvas);
	assert_string_equal(end, further);
	free(end);
	free(further);
	stage_act(&s, ACT_TOP);
	stage_draw(&s);
	assert_true(shows(&s, "FINDINGS"));
	stage_strike(&s);
}

static void another_service_begins_at_its_summary(void **state)
{
	struct play s = stage_set("service", FIXTURE_POCKET, "kafka", 80, 22, false);

	(void)state;
	stage_draw(&s);
	stage_act(&s, ACT_NEXT_VIEW);
	s.view.subject = "postgres";
	stage_draw(&s);
	assert_true(shows(&s, "EVIDENCE"));
	stage_strike(&s);
}

static void a_victim_names_its_cause(void **state)
{
	struct play s = stage_set("service", FIXTURE_TROUBLE, "spark-history", 80, 22, false);

	(void)state;
	stage_draw(&s);
	assert_true(shows(&s, "caused by spark-connect (wrong version)"));
	stage_strike(&s);
}

/* ---- kafka ---- */

static void several_clusters_are_named_and_one_is_not(void **state)
{
	struct play s = stage_set("kafka", FIXTURE_DEEP, NULL, 200, 40, false);

	(void)state;
	stage_draw(&s);
	assert_int_equal(line_with(s.canvas, "CLUSTER"), line_with(s.canvas, "GROUP "));
	assert_int_equal(line_with(s.canvas, "kafka-39"), line_with(s.canvas, "courier "));
	fixture_service(s.fixture, "kafka-39")->kind = NULL;
	stage_draw(&s);
	assert_false(shows(&s, "CLUSTER"));
	stage_strike(&s);
}

static void brokers_of_one_cluster_are_one_cluster(void **state)
{
	struct play s = stage_set("kafka", FIXTURE_DEEP, NULL, 200, 40, false);
	struct service *other = fixture_service(s.fixture, "kafka-39"), *kafka = fixture_service(s.fixture, "kafka");

	(void)state;
	other->kind = kafka->kind;
	other->depth = kafka->depth;
	stage_draw(&s);
	assert_true(shows(&s, "groups 12")); /* seven groups and five queries */
	stage_strike(&s);
}

static void what_an_older_broker_does_not_tell_is_a_dash(void **state)
{
	struct play s = stage_set("kafka", FIXTURE_DEEP, NULL, 100, 40, false);
	struct buf line;

	(void)state;
	stage_draw(&s);
	buf_init(&line, 1 << 16);
	put_line(&line, s.canvas, line_with(s.canvas, "courier "));
	assert_non_null(strstr(line.at, "17"));
	assert_non_null(strstr(line.at, "-"));
	assert_null(strstr(line.at, " 0"));
	assert_false(shows(&s, "SOMETHING NEW"));
	buf_free(&line);
	stage_strike(&s);
}

static void problems_only_keeps_every_group_that_is_not_ok(void **state)
{
	struct play s = stage_set("kafka", FIXTURE_DEEP, NULL, 120, 50, false);

	(void)state;
	s.view.problems_only = true;
	stage_draw(&s);
	for (const char *const *g = (const char *const[]){"orders-etl", "audit", "billing", "loyalty", "replay", "spark: gold", "spark: archive", NULL}; *g; g++)
		assert_true(shows(&s, *g));
	assert_false(shows(&s, "dashboards"));
	assert_false(shows(&s, "spark: medallion"));
	stage_strike(&s);
}

/* Its checkpoint is read on while the broker is down. */
static void a_query_is_as_old_as_the_ends_that_its_lag_rests_on(void **state)
{
	struct play s = stage_set("kafka", FIXTURE_DEEP, NULL, 120, 40, false);
	struct snapshot ends = *fixture_service(s.fixture, "kafka")->depth;

	(void)state;
	ends.ended -= 70000;
	stage_act(&s, ACT_PREVIOUS_VIEW);
	stage_act(&s, ACT_PREVIOUS_VIEW);
	stage_draw(&s);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "slow"), "slow"), STYLE_WARN);
	assert_false(shows(&s, "as it was"));
	fixture_service(s.fixture, "kafka")->depth = &ends;
	stage_draw(&s);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "slow"), "slow"), STYLE_DIM);
	assert_true(shows(&s, "as it was 71s ago") || shows(&s, "as it was 70s ago"));
	stage_act(&s, ACT_ENTER);
	stage_draw(&s);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, " new "), "new"), STYLE_DIM);
	stage_strike(&s);
}

static void enter_asks_and_says_so_until_the_answer_is_there(void **state)
{
	struct play s = stage_set("kafka", FIXTURE_DEEP, NULL, 100, 28, false);

	(void)state;
	stage_draw(&s);
	assert_int_equal(stage_act(&s, ACT_ENTER), REACT_HANDLED | REACT_ASK);
	assert_string_equal(s.view.ask_service, "kafka");
	assert_string_equal(s.view.ask_view, "group");
	assert_string_equal(s.view.ask_subject, "orders-etl");
	stage_draw(&s);
	assert_true(shows(&s, "asking kafka…"));
	fixture_answer(s.fixture, "topic", "orders", NULL); /* to another question */
	stage_draw(&s);
	assert_true(shows(&s, "asking kafka…"));
	fixture_answer(s.fixture, "group", "orders-etl", NULL);
	stage_draw(&s);
	assert_true(shows(&s, "1,031,262"));
	assert_true(shows(&s, "asked 2s ago"));
	assert_int_equal(stage_act(&s, ACT_REFRESH), REACT_HANDLED | REACT_ASK);
	assert_int_equal(stage_act(&s, ACT_BACK), REACT_HANDLED);
	assert_int_equal(stage_act(&s, ACT_REFRESH), REACT_NONE); /* nothing is open any more */
	assert_int_equal(stage_act(&s, ACT_BACK), REACT_NONE);
	stage_strike(&s);
}

static void a_failed_answer_says_why(void **state)
{
	struct play s = stage_set("kafka", FIXTURE_DEEP, NULL, 100, 28, false);

	(void)state;
	stage_draw(&s);
	stage_act(&s, ACT_ENTER);
	fixture_answer(s.fixture, "group", "orders-etl", "no answer within 2 s");
	stage_draw(&s);
	assert_true(shows(&s, "no answer within 2 s"));
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "no answer"), "no answer"), STYLE_WARN);
	stage_strike(&s);
}

static void what_cannot_be_asked_is_not_asked(void **state)
{
	struct play s = stage_set("kafka", FIXTURE_DEEP, NULL, 100, 28, false);

	(void)state;
	s.view.filter = "courier 17";
	stage_draw(&s);
	assert_int_equal(stage_act(&s, ACT_ENTER), REACT_HANDLED);
	stage_draw(&s);
	assert_true(shows(&s, "kafka-39 cannot be asked for this"));
	stage_strike(&s);
}

static void a_record_is_shown_whole_with_its_fields_in_lines(void **state)
{
	struct play s = stage_set("kafka", FIXTURE_DEEP, NULL, 100, 40, false);

	(void)state;
	stage_draw(&s);
	stage_act(&s, ACT_NEXT_VIEW);
	assert_int_equal(stage_act(&s, ACT_PEEK), REACT_HANDLED | REACT_ASK);
	assert_string_equal(s.view.ask_view, "peek");
	assert_string_equal(s.view.ask_subject, "orders");
	fixture_answer(s.fixture, "peek", "orders", NULL);
	stage_draw(&s);
	assert_true(shows(&s, "order-4711"));
	assert_int_equal(stage_act(&s, ACT_ENTER), REACT_HANDLED);
	assert_int_equal(stage_act(&s, ACT_REFRESH), REACT_NONE); /* it stays as it is while it is read */
	stage_draw(&s);
	assert_true(shows(&s, "\"order\": 4711,\n"));
	assert_true(shows(&s, "\"dish\": \"tea, green\","));
	assert_true(shows(&s, "\"tags\": []"));
	assert_true(shows(&s, "no onions; ring twice: the bell is weak"));
	assert_int_equal(stage_act(&s, ACT_CANCEL), REACT_HANDLED | REACT_ASK);
	stage_draw(&s);
	assert_true(shows(&s, "newest records of orders"));
	stage_strike(&s);
}

static void a_filter_that_found_a_row_does_not_empty_what_the_row_opens(void **state)
{
	struct play s = stage_set("kafka", FIXTURE_DEEP, NULL, 100, 28, false);

	(void)state;
	s.view.filter = "slow";
	stage_draw(&s);
	stage_act(&s, ACT_ENTER);
	fixture_answer(s.fixture, "group", "orders-etl", NULL);
	stage_draw(&s);
	assert_true(shows(&s, "4,133"));
	s.view.filter = "never";
	stage_draw(&s);
	assert_false(shows(&s, "4,133"));
	assert_true(shows(&s, "never committed here"));
	stage_strike(&s);
}

static void the_selected_group_is_followed_through_any_order(void **state)
{
	struct play s = stage_set("kafka", FIXTURE_DEEP, NULL, 120, 40, false);

	(void)state;
	s.view.filter = "";
	stage_draw(&s);
	stage_act(&s, ACT_DOWN);
	stage_act(&s, ACT_SORT_REVERSE);
	stage_draw(&s);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "audit"), "audit"), STYLE_SELECTED);
	s.view.problems_only = true;
	stage_draw(&s);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "audit"), "audit"), STYLE_SELECTED);
	stage_strike(&s);
}

static void a_source_says_what_it_reads_above_its_tasks(void **state)
{
	struct play s = stage_set("kafka", FIXTURE_DEEP, NULL, 100, 40, false);

	(void)state;
	stage_act(&s, ACT_PREVIOUS_VIEW);
	stage_draw(&s);
	stage_act(&s, ACT_ENTER);
	stage_draw(&s);
	assert_true(shows(&s, "tasks of orders-source   streaming  slot orders_changes  last change 7s ago"));
	stage_strike(&s);
}

static void the_columns_of_a_long_list_stay_while_one_scrolls(void **state)
{
	struct play s = stage_set("kafka", FIXTURE_DEEP, NULL, 100, 40, false);
	struct service *kafka = fixture_service(s.fixture, "kafka");
	struct snapshot *crowd = snapshot_new("kafka", PART_DEPTH);
	struct table *t = snapshot_table(crowd, kafka->kind->tables, "groups");
	const struct snapshot *before = kafka->depth;
	struct buf top, bottom;

	(void)state;
	for (int i = 0; i < 1500; i++) {
		struct value *row = table_row(crowd, t);
		char name[80];

		snprintf(name, sizeof name, i == 1490 ? "a-group-with-a-very-long-name-%04d" : "group-%04d", i);
		table_set(crowd, t, row, "group", value_text(name));
		table_set(crowd, t, row, "topics", value_text(i == 1490 ? "order-events, payments, kitchens" : "orders"));
		table_set(crowd, t, row, "lag", value_int(i == 1490 ? INT64_C(1234567890123) : i));
	}
	crowd->ended = fixture_lake(s.fixture)->now;
	crowd->interval = 10000;
	kafka->depth = crowd;
	buf_init(&top, 1 << 16);
	buf_init(&bottom, 1 << 16);
	stage_draw(&s);
	put_line(&top, s.canvas, line_with(s.canvas, "GROUP "));
	stage_act(&s, ACT_BOTTOM);
	stage_draw(&s);
	stage_draw(&s);
	put_line(&bottom, s.canvas, line_with(s.canvas, "GROUP "));
	assert_string_equal(top.at, bottom.at);
	buf_free(&top);
	buf_free(&bottom);
	kafka->depth = before;
	snapshot_unref(crowd);
	stage_strike(&s);
}

static void a_failed_task_says_why_below_its_connector(void **state)
{
	struct play s = stage_set("kafka", FIXTURE_DEEP, NULL, 120, 40, false);

	(void)state;
	stage_draw(&s);
	stage_act(&s, ACT_PREVIOUS_VIEW);
	stage_draw(&s);
	assert_int_equal(line_with(s.canvas, "NoSuchTableException"), line_with(s.canvas, "lake-sink") + 1);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "NoSuchTableException"), "org.apache"), STYLE_BAD);
	stage_strike(&s);
}

/* ---- spark ---- */

static void workers_stand_below_their_master_and_are_not_told_twice(void **state)
{
	struct play s = stage_set("spark", FIXTURE_DEEP, NULL, 120, 40, false);

	(void)state;
	stage_draw(&s);
	assert_int_equal(line_with(s.canvas, "  spark-worker-41"), line_with(s.canvas, "spark-master-41") + 1);
	assert_int_equal(line_with(s.canvas, "far-away"), line_with(s.canvas, "spark-master-41") + 2);
	assert_int_equal(line_with(s.canvas, "atlas-41000"), -1);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "atlas-40111"), "DEAD"), STYLE_WARN);
	stage_strike(&s);
}

static void an_application_that_two_servers_list_is_listed_once(void **state)
{
	struct play s = stage_set("spark", FIXTURE_DEEP, NULL, 160, 40, false);

	(void)state;
	stage_draw(&s);
	stage_act(&s, ACT_NEXT_VIEW);
	s.view.filter = "daily revenue";
	stage_draw(&s);
	assert_true(shows(&s, "FINISHED"));
	assert_false(shows(&s, "spark-history"));
	assert_true(shows(&s, "2 of its jobs failed")); /* which only the other one knows */
	s.view.filter = "";
	stage_draw(&s);
	assert_true(shows(&s, "Spark Connect server")); /* has no master: only its own word */
	stage_strike(&s);
}

static void an_application_opens_its_driver(void **state)
{
	struct play s = stage_set("spark", FIXTURE_DEEP, NULL, 160, 40, false);

	(void)state;
	stage_draw(&s);
	stage_act(&s, ACT_NEXT_VIEW);
	s.view.filter = "orders-etl";
	assert_int_equal(stage_act(&s, ACT_ENTER), REACT_OPEN);
	assert_string_equal(s.view.open, "found:4040");
	stage_strike(&s);
}

static void an_application_that_ended_opens_what_its_servers_know(void **state)
{
	struct play s = stage_set("spark", FIXTURE_DEEP, NULL, 120, 40, false);

	(void)state;
	stage_draw(&s);
	stage_act(&s, ACT_NEXT_VIEW);
	s.view.filter = "daily revenue";
	assert_int_equal(stage_act(&s, ACT_ENTER), REACT_HANDLED);
	assert_string_equal(s.view.filter, "");
	stage_draw(&s);
	assert_true(shows(&s, "2 of its jobs failed"));
	assert_true(shows(&s, "app-20261129110000-0002"));
	assert_true(shows(&s, "a history server"));
	assert_true(shows(&s, "COMPLETED"));
	assert_int_equal(stage_act(&s, ACT_BACK), REACT_HANDLED);
	stage_draw(&s);
	assert_true(shows(&s, "crash loop"));
	stage_strike(&s);
}

static void a_stale_connect_says_since_when(void **state)
{
	struct play s = stage_set("spark", FIXTURE_DEEP, NULL, 120, 40, false);
	int y;

	(void)state;
	stage_draw(&s);
	stage_act(&s, ACT_PREVIOUS_VIEW);
	stage_draw(&s);
	y = line_with(s.canvas, "spark-connect");
	assert_int_equal(line_with(s.canvas, "41d ago"), y);
	assert_int_equal(line_with(s.canvas, "yes"), y);
	assert_int_equal(line_with(s.canvas, "spark-defaults.conf changed 2h ago"), y + 1);
	stage_strike(&s);
}

static void a_panel_without_its_services_says_how_to_get_there(void **state)
{
	static const char *const shown[] = {"kafka", "spark"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct play s = stage_set(shown[i], FIXTURE_NOTHING, NULL, 100, 28, false);

		for (int k = 0; k < 5; k++) {
			stage_draw(&s);
			assert_int_equal(line_with(s.canvas, "no "), 3);
			stage_act(&s, ACT_NEXT_VIEW);
		}
		stage_strike(&s);
	}
}

/* ---- tables ---- */

static struct play tables_stage(int width, int height)
{
	return stage_set("tables", FIXTURE_TABLES, NULL, width, height, false);
}

static void what_is_due_is_ranked_over_all_tables(void **state)
{
	static const char *const order[] = {"silver.broken", "bronze.orders", "audit.log", "silver.orders_delta"};
	struct play s = tables_stage(120, 40);

	(void)state;
	stage_draw(&s);
	assert_true(line_with(s.canvas, "audit.log") < line_with(s.canvas, "bronze.orders")); /* by name, until asked */
	assert_false(shows(&s, "most due first"));
	s.view.problems_only = true;
	stage_draw(&s);
	assert_true(shows(&s, "most due first"));
	for (size_t i = 0; i + 1 < sizeof order / sizeof *order; i++)
		assert_true(line_with(s.canvas, order[i]) < line_with(s.canvas, order[i + 1]));
	assert_false(shows(&s, "gold.hourly_metrics"));
	s.view.problems_only = false;
	stage_act(&s, ACT_SORT);
	stage_draw(&s);
	for (size_t i = 0; i + 1 < sizeof order / sizeof *order; i++)
		assert_true(line_with(s.canvas, order[i]) < line_with(s.canvas, order[i + 1]));
	assert_true(line_with(s.canvas, "silver.orders_delta") < line_with(s.canvas, "gold.hourly_metrics"));
	stage_strike(&s);
}

static void a_table_in_two_catalogs_is_one_row_that_names_both(void **state)
{
	struct play s = tables_stage(160, 40);

	(void)state;
	stage_draw(&s);
	assert_int_equal(line_with(s.canvas, "lake, polaris"), line_with(s.canvas, "bronze.orders"));
	assert_true(shows(&s, "9 tables"));
	fixture_lake(s.fixture)->n_catalogs = 1;
	stage_draw(&s);
	assert_false(shows(&s, "CATALOG"));
	stage_strike(&s);
}

static void a_catalog_that_is_down_keeps_its_tables_dimmed_and_says_why(void **state)
{
	struct play s = tables_stage(120, 40);
	int y;

	(void)state;
	stage_act(&s, ACT_DOWN);
	stage_draw(&s);
	y = line_with(s.canvas, "audit.log");
	assert_int_equal(style_at(s.canvas, y, "audit.log"), STYLE_DIM);
	assert_int_equal(style_at(s.canvas, y, "4min ago"), STYLE_DIM);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "silver.new"), "silver.new"), STYLE_NORMAL);
	assert_int_equal(style_at(s.canvas, line_with(s.canvas, "127.0.0.1:8181 refuses"), "polaris"), STYLE_WARN);
	stage_strike(&s);
}

/* Of one name in two catalogs, that of the catalog is part of it at any width. */
static void two_tables_of_one_name_are_told_apart(void **state)
{
	struct play s = tables_stage(60, 18);
	struct lake *lake = fixture_lake(s.fixture);
	struct lake_table tables[] = {lake->tables[0], lake->tables[1]};

	(void)state;
	stage_draw(&s);
	assert_false(shows(&s, "CATALOG"));
	tables[1].n_in = 1;
	tables[0].in[0].row = 0; /* polaris' own bronze.orders */
	lake->tables = tables;
	lake->n_tables = 2;
	stage_draw(&s);
	assert_true(shows(&s, "CATALOG"));
	assert_true(shows(&s, "bronze.orders of polaris: ")); /* what x would act on */
	stage_act(&s, ACT_DOWN);
	stage_draw(&s);
	assert_true(shows(&s, "bronze.orders of lake: "));
	stage_strike(&s);
}

static void a_view_is_said_to_be_one(void **state)
{
	struct play s = tables_stage(100, 30);

	(void)state;
	s.view.filter = "some_view";
	stage_draw(&s);
	assert_true(shows(&s, "silver.some_view of lake: a view: it has no files"));
	stage_act(&s, ACT_ENTER);
	stage_draw(&s);
	assert_true(shows(&s, "a view: it has no files"));
	stage_strike(&s);
}

static void what_only_a_summary_says_is_marked_and_what_is_not_known_is_a_dash(void **state)
{
	struct play s = tables_stage(200, 40);
	struct buf line;

	(void)state;
	stage_draw(&s);
	assert_int_equal(line_with(s.canvas, "~41"), line_with(s.canvas, "bronze.payments"));
	assert_int_equal(line_with(s.canvas, "~88,120"), line_with(s.canvas, "bronze.payments"));
	assert_int_equal(line_with(s.canvas, "not read yet"), line_with(s.canvas, "silver.new"));
	buf_init(&line, 1 << 16);
	put_line(&line, s.canvas, line_with(s.canvas, "silver.new"));
	assert_null(strstr(line.at, " 0"));
	buf_free(&line);
	/* a manifest list counts files, and knows no sizes */
	buf_init(&line, 1 << 16);
	put_line(&line, s.canvas, line_with(s.canvas, "audit.log"));
	assert_non_null(strstr(line.at, " 120 "));
	assert_non_null(strstr(line.at, "~1.2 GiB"));
	buf_free(&line);
	stage_strike(&s);
}

static void a_table_opens_and_what_is_due_is_asked_for_after_its_facts(void **state)
{
	struct play s = tables_stage(120, 40);

	(void)state;
	s.view.filter = "bronze.orders";
	stage_draw(&s);
	assert_int_equal(stage_act(&s, ACT_ENTER), REACT_HANDLED | REACT_ASK);
	assert_string_equal(s.view.ask_catalog, "lake");
	assert_string_equal(s.view.ask_view, "table");
	assert_string_equal(s.view.ask_subject, "bronze.orders");
	assert_true(s.view.again_ms > 0);
	stage_draw(&s);
	assert_true(shows(&s, "94 % of files are under 13 MiB")); /* at once */
	assert_true(shows(&s, "s3://lake/bronze/orders"));
	assert_int_equal(stage_act(&s, ACT_REFRESH), REACT_HANDLED); /* nothing while it is awaited */
	fixture_table_answer(s.fixture, "table", "bronze.orders", NULL);
	assert_int_equal(stage_act(&s, ACT_REFRESH), REACT_HANDLED | REACT_ASK);
	assert_string_equal(s.view.ask_view, "compact");
	fixture_table_answer(s.fixture, "compact", "bronze.orders", NULL);
	assert_int_equal(stage_act(&s, ACT_REFRESH), REACT_HANDLED | REACT_ASK);
	assert_string_equal(s.view.ask_view, "expire");
	stage_draw(&s);
	assert_true(shows(&s, "days(placed_at)")); /* the facts are kept, though newer questions were answered */
	assert_int_equal(line_with(s.canvas, "7,633 files of 160 KiB become 42"), line_with(s.canvas, "WHAT WOULD HELP") + 1);
	fixture_table_answer(s.fixture, "expire", "bronze.orders", "3 s were not enough");
	assert_int_equal(stage_act(&s, ACT_REFRESH), REACT_HANDLED); /* all is there */
	stage_draw(&s);
	assert_true(shows(&s, "3 s were not enough"));
	assert_int_equal(stage_act(&s, ACT_BACK), REACT_HANDLED);
	assert_int_equal(stage_act(&s, ACT_REFRESH), REACT_NONE);
	assert_int_equal(stage_act(&s, ACT_BACK), REACT_NONE);
	stage_strike(&s);
}

static void a_preview_is_asked_once_and_again_by_hand(void **state)
{
	struct play s = tables_stage(120, 40);

	(void)state;
	s.view.filter = "bronze.orders";
	stage_draw(&s);
	stage_act(&s, ACT_ENTER);
	stage_act(&s, ACT_PREVIOUS_VIEW);
	assert_string_equal(s.view.ask_view, "orphans");
	fixture_table_answer(s.fixture, "orphans", "bronze.orders", NULL);
	stage_draw(&s);
	assert_true(shows(&s, "every file in its folder is named"));
	assert_int_equal(stage_act(&s, ACT_COPY), REACT_COPY);
	assert_string_equal(s.view.copy, "CALL lake.system.remove_orphan_files(table => 'bronze.orders')");
	fixture_lake(s.fixture)->now += 3600000;
	assert_int_equal(stage_act(&s, ACT_REFRESH), REACT_HANDLED);
	s.view.by_hand = true;
	assert_int_equal(stage_act(&s, ACT_REFRESH), REACT_HANDLED | REACT_ASK);
	assert_string_equal(s.view.ask_view, "orphans");
	stage_strike(&s);
}

static void o_on_files_turns_to_the_next_order_of_them(void **state)
{
	static const char *const views[] = {"files-smallest", "files-oldest", "files"};
	struct play s = tables_stage(120, 40);

	(void)state;
	s.view.filter = "bronze.orders";
	stage_draw(&s);
	stage_act(&s, ACT_ENTER);
	for (int i = 0; i < 4; i++)
		stage_act(&s, ACT_NEXT_VIEW);
	assert_string_equal(s.view.ask_view, "files");
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(stage_act(&s, ACT_SORT), REACT_HANDLED | REACT_ASK);
		assert_string_equal(s.view.ask_view, views[i]);
	}
	stage_act(&s, ACT_NEXT_VIEW);
	assert_string_equal(s.view.ask_view, "schema");
	stage_strike(&s);
}

static void the_id_of_a_row_that_is_opened_has_its_digits_alone(void **state)
{
	struct play s = tables_stage(120, 40);

	(void)state;
	s.view.filter = "bronze.orders";
	stage_draw(&s);
	stage_act(&s, ACT_ENTER);
	fixture_table_answer(s.fixture, "table", "bronze.orders", NULL);
	stage_act(&s, ACT_NEXT_VIEW);
	fixture_table_answer(s.fixture, "snapshots", "bronze.orders", NULL);
	stage_draw(&s);
	stage_act(&s, ACT_ENTER);
	stage_draw(&s);
	assert_false(shows(&s, "COMMITTED")); /* it is one row, whole */
	assert_true(shows(&s, "3051729675574597004"));
	assert_true(shows(&s, "2951729675574597004"));
	stage_strike(&s);
}

static void rows_are_asked_of_the_engine_and_null_is_no_text(void **state)
{
	struct play s = tables_stage(80, 22);
	int y;

	(void)state;
	s.view.filter = "bronze.orders";
	stage_draw(&s);
	assert_true(stage_act(&s, ACT_PEEK) & REACT_ASK);
	assert_string_equal(s.view.ask_service, "spark-connect");
	assert_null(s.view.ask_catalog); /* nor the page's own question, of the key that opened it */
	assert_string_equal(s.view.ask_view, "rows");
	fixture_table_answer(s.fixture, "rows", s.view.ask_subject, NULL);
	stage_act(&s, ACT_DOWN);
	stage_act(&s, ACT_DOWN);
	stage_draw(&s);
	y = line_with(s.canvas, "                 -1");
	assert_int_equal(style_at(s.canvas, y, "∅"), STYLE_DIM);
	assert_int_equal(style_at(s.canvas, y, "NULL"), STYLE_NORMAL);
	assert_true(shows(&s, "9223372036854775807"));
	assert_true(shows(&s, "\"∅\""));
	assert_false(shows(&s, "price"));
	stage_act(&s, ACT_RIGHT);
	stage_act(&s, ACT_RIGHT);
	stage_draw(&s);
	assert_true(shows(&s, "price"));
	assert_false(shows(&s, "order_id"));
	s.view.filter = "ramen";
	stage_draw(&s);
	assert_true(shows(&s, "1 match"));
	assert_int_equal(stage_act(&s, ACT_ENTER), REACT_HANDLED);
	stage_draw(&s);
	assert_true(shows(&s, "ring twice, for the bell is weak"));
	stage_strike(&s);
}

static void a_table_without_an_engine_says_which_line_of_the_profile_names_one(void **state)
{
	struct play s = tables_stage(120, 22);

	(void)state;
	s.view.filter = "audit";
	stage_draw(&s);
	assert_false(stage_act(&s, ACT_PEEK) & REACT_ASK && !s.view.ask_catalog);
	stage_draw(&s);
	assert_true(shows(&s, "engine = SERVICE"));
	stage_strike(&s);
}

static void a_table_that_is_dropped_while_it_is_open_is_said_to_be_gone(void **state)
{
	struct play s = tables_stage(120, 22);

	(void)state;
	s.view.filter = "bronze.orders";
	stage_draw(&s);
	stage_act(&s, ACT_ENTER);
	fixture_lake(s.fixture)->n_tables = 0;
	stage_draw(&s);
	assert_true(shows(&s, "lake does not list bronze.orders any more"));
	assert_int_equal(stage_act(&s, ACT_NEXT_VIEW), REACT_NONE);
	assert_int_equal(stage_act(&s, ACT_BACK), REACT_HANDLED);
	stage_strike(&s);
}

/* A delta table has other cures, a view none. */
static void each_format_has_its_own_views(void **state)
{
	struct play s = stage_set("tables", FIXTURE_TABLES, NULL, 200, 22, false);

	(void)state;
	s.view.filter = "orders_delta";
	stage_draw(&s);
	stage_act(&s, ACT_ENTER);
	stage_draw(&s);
	assert_true(shows(&s, "vacuum"));
	assert_false(shows(&s, "refs"));
	stage_act(&s, ACT_BACK);
	s.view.filter = "some_view";
	stage_draw(&s);
	assert_int_equal(stage_act(&s, ACT_ENTER), REACT_HANDLED); /* nothing is asked */
	stage_draw(&s);
	assert_false(shows(&s, "snapshots"));
	stage_strike(&s);
}

static int64_t ms_of_key(struct play *s, enum act act)
{
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	stage_act(s, act);
	stage_draw(s);
	clock_gettime(CLOCK_MONOTONIC, &to);
	return (to.tv_sec - from.tv_sec) * 1000000 + (to.tv_nsec - from.tv_nsec) / 1000;
}

/* The bar of a key to paint is 30 ms; sanitizers take many times that. */
static void ten_thousand_tables_never_hold_a_key(void **state)
{
	static const struct {
		const char *what, *filter;
		enum act act;
		bool problems;
	} keys[] = {{"down", "", ACT_DOWN, false}, {"end", "", ACT_BOTTOM, false}, {"rank", "", ACT_SORT, false}, {"sort by name", "", ACT_SORT, false},
		{"reverse", "", ACT_SORT_REVERSE, false}, {"problems", "", ACT_UP, true}, {"filter", "table_09", ACT_UP, false},
		{"filter of none", "nothing is called so", ACT_UP, false}, {"open", "", ACT_ENTER, false}};
	struct play s = stage_set("tables", FIXTURE_NOTHING, NULL, 120, 40, false);
	int64_t worst = 0;

	(void)state;
	fixture_free(s.fixture);
	s.fixture = fixture_tables(10000);
	s.view.lake = fixture_lake(s.fixture);
	stage_draw(&s);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		int64_t us;

		s.view.filter = keys[i].filter;
		s.view.problems_only = keys[i].problems;
		us = ms_of_key(&s, keys[i].act);
		worst = us > worst ? us : worst;
		print_message("10,000 tables, %s: %.1f ms\n", keys[i].what, (double)us / 1000);
	}
	assert_true(worst < 3000000); /* what grows by the square takes minutes */
	stage_strike(&s);
}

/* Without colours the glyph alone tells: no two meanings have the same one, in whatever panel. */
static void one_glyph_has_one_meaning(void **state)
{
	struct {
		const char *meaning, *glyph[2];
	} seen[VERDICT_COUNT + MARK_COUNT + 8];
	static const char *const marks[] = {[MARK_GOOD] = "good", [MARK_BUSY] = "coming", [MARK_OFF] = "not there", [MARK_UNKNOWN] = "unknown",
		[MARK_DUE] = "due", [MARK_WARN] = "ill", [MARK_ILL] = "ill", [MARK_BAD] = "failed", [MARK_FAILED] = "failed"};
	static const char *const verdicts[] = {[VERDICT_BLOCKED] = "blocked", [VERDICT_IMPOSTOR] = "impostor", [VERDICT_STOPPED] = "stopped",
		[VERDICT_ABSENT] = "not there", [VERDICT_STARTING] = "coming", [VERDICT_FROZEN] = "frozen", [VERDICT_MUTE] = "frozen",
		[VERDICT_WRONG_VERSION] = "wrong version", [VERDICT_SICK] = "ill", [VERDICT_UNKNOWN] = "unknown", [VERDICT_SERVING] = "good"};
	static const char *const stages[] = {[STAGE_AHEAD] = "not there", [STAGE_RUNS] = "runs", [STAGE_DONE] = "good", [STAGE_FAILED] = "failed",
		[STAGE_CANCELLED] = "stopped"};
	size_t n = 0;

	(void)state;
	for (int v = 0; v < VERDICT_COUNT; v++, n++) {
		seen[n].meaning = verdicts[v];
		for (int a = 0; a < 2; a++)
			seen[n].glyph[a] = verdict_glyph((enum verdict)v, a);
	}
	for (int m = MARK_GOOD; m < MARK_COUNT; m++, n++) {
		seen[n].meaning = marks[m];
		for (int a = 0; a < 2; a++)
			seen[n].glyph[a] = mark_glyph((enum mark)m, a);
	}
	for (int i = 0; i <= STAGE_CANCELLED; i++) {
		if (i == STAGE_PASSED)
			continue;
		seen[n].meaning = stages[i];
		for (int a = 0; a < 2; a++)
			seen[n].glyph[a] = stage_glyph((enum stage)i, a);
		n++;
	}
	seen[n].meaning = "marked";
	seen[n].glyph[0] = "◆";
	seen[n++].glyph[1] = "*";
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			for (int a = 0; a < 2; a++)
				if (strcmp(seen[i].meaning, seen[k].meaning) != 0 && !strcmp(seen[i].glyph[a], seen[k].glyph[a]))
					fail_msg("%s is %s and %s", seen[i].glyph[a], seen[i].meaning, seen[k].meaning);
}

static void what_was_done_loses_its_mark_and_what_was_not_keeps_it(void **state)
{
	static const enum action_state ends[] = {ACTION_DONE, ACTION_FAILED, ACTION_NEEDLESS, ACTION_CANCELLED};
	struct play s = stage_set("tables", FIXTURE_TABLES, NULL, 130, 30, false);
	struct action_shown *shown = mem_new(5, sizeof *shown);

	(void)state;
	shown[0] = (struct action_shown){.id = 3, .state = ACTION_DONE};
	for (size_t i = 0; i < 4; i++)
		stage_act(&s, ACT_MARK);
	assert_int_equal(stage_act(&s, ACT_ACTIONS), REACT_ACT);
	assert_int_equal(s.view.n_act_marks, 4);
	for (size_t i = 0; i < 4; i++) {
		shown[1 + i] = (struct action_shown){.id = 4 + i, .state = ACTION_QUEUED, .wish = {.verb = "compact"}};
		memcpy(shown[1 + i].wish.service, s.view.act_marks[i].service, NAME_SIZE);
		memcpy(shown[1 + i].wish.subject, s.view.act_marks[i].subject, ACTION_SUBJECT_SIZE);
	}
	fixture_lake(s.fixture)->actions = shown;
	fixture_lake(s.fixture)->n_actions = 5;
	stage_draw(&s);
	assert_true(shows(&s, "4 marked"));
	for (size_t i = 0; i < 4; i++)
		shown[1 + i].state = ends[i];
	stage_draw(&s);
	assert_true(shows(&s, "2 marked"));
	assert_int_equal(stage_act(&s, ACT_ACTIONS), REACT_ACT);
	assert_int_equal(s.view.n_act_marks, 2);
	assert_int_equal(strcmp(s.view.act_marks[0].subject, shown[2].wish.subject) == 0 || strcmp(s.view.act_marks[0].subject, shown[4].wish.subject) == 0, 1);
	/* marked anew, it is what is done from now on that counts */
	stage_act(&s, ACT_CANCEL);
	stage_act(&s, ACT_TOP);
	stage_act(&s, ACT_MARK);
	stage_draw(&s);
	assert_true(shows(&s, "1 marked"));
	stage_strike(&s);
	free(shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_glyph_has_one_meaning),
		cmocka_unit_test(what_was_done_loses_its_mark_and_what_was_not_keeps_it),
		cmocka_unit_test(every_panel_looks_as_its_golden_file),
		cmocka_unit_test(nothing_is_drawn_outside_the_canvas),
		cmocka_unit_test(an_ascii_screen_has_nothing_but_ascii_on_it),
		cmocka_unit_test(no_number_is_ever_cut),
		cmocka_unit_test(drawing_twice_gives_the_same_picture),
		cmocka_unit_test(any_keys_in_any_order_leave_a_panel_well),
		cmocka_unit_test(the_first_line_says_what_is_broken_and_what_helps),
		cmocka_unit_test(more_than_four_problems_are_counted_not_listed),
		cmocka_unit_test(a_ready_lake_is_one_quiet_line),
		cmocka_unit_test(a_disk_that_is_full_is_named_above_and_below_at_any_width),
		cmocka_unit_test(as_many_warnings_are_named_as_there_is_room_for),
		cmocka_unit_test(figures_are_whole_where_there_is_room_and_trends_take_none_of_it),
		cmocka_unit_test(until_all_have_answered_it_says_who_is_still_asked),
		cmocka_unit_test(a_starting_service_shows_its_progress_in_place_of_figures),
		cmocka_unit_test(what_was_never_judged_is_unknown_not_blocked),
		cmocka_unit_test(unknown_is_a_dash_and_never_zero),
		cmocka_unit_test(a_sum_with_unknown_parts_says_at_least),
		cmocka_unit_test(old_facts_are_dim_and_say_how_old),
		cmocka_unit_test(what_is_not_required_is_never_red),
		cmocka_unit_test(a_row_keeps_its_place_when_its_verdict_changes),
		cmocka_unit_test(the_selection_follows_the_name_when_rows_move),
		cmocka_unit_test(a_filter_takes_every_word_from_any_part_of_a_row),
		cmocka_unit_test(problems_only_leaves_out_what_is_well_or_not_wanted),
		cmocka_unit_test(every_service_of_the_lab_fits_on_eighty_by_twenty_four),
		cmocka_unit_test(the_key_that_asks_who_it_is_says_what_it_does_or_why_not),
		cmocka_unit_test(two_who_want_one_port_are_both_named),
		cmocka_unit_test(a_port_that_a_serving_service_should_have_and_has_not_is_closed),
		cmocka_unit_test(enter_on_a_port_opens_who_answers_there),
		cmocka_unit_test(what_this_user_cannot_see_is_said),
		cmocka_unit_test(who_stands_on_the_newest_change_sees_newer_ones_come),
		cmocka_unit_test(severity_never_rests_on_colour_alone),
		cmocka_unit_test(tab_goes_through_every_view_and_comes_back),
		cmocka_unit_test(each_link_has_its_state_source_and_age),
		cmocka_unit_test(the_whole_reason_can_be_read_on_forty_columns),
		cmocka_unit_test(a_table_sorts_numbers_from_the_largest_and_unknown_ones_last),
		cmocka_unit_test(a_time_in_a_table_is_shown_as_its_age),
		cmocka_unit_test(a_page_scrolls_to_its_end_and_no_further),
		cmocka_unit_test(another_service_begins_at_its_summary),
		cmocka_unit_test(a_victim_names_its_cause),
		cmocka_unit_test(several_clusters_are_named_and_one_is_not),
		cmocka_unit_test(brokers_of_one_cluster_are_one_cluster),
		cmocka_unit_test(what_an_older_broker_does_not_tell_is_a_dash),
		cmocka_unit_test(problems_only_keeps_every_group_that_is_not_ok),
		cmocka_unit_test(a_query_is_as_old_as_the_ends_that_its_lag_rests_on),
		cmocka_unit_test(enter_asks_and_says_so_until_the_answer_is_there),
		cmocka_unit_test(a_failed_answer_says_why),
		cmocka_unit_test(what_cannot_be_asked_is_not_asked),
		cmocka_unit_test(a_record_is_shown_whole_with_its_fields_in_lines),
		cmocka_unit_test(a_filter_that_found_a_row_does_not_empty_what_the_row_opens),
		cmocka_unit_test(the_selected_group_is_followed_through_any_order),
		cmocka_unit_test(a_source_says_what_it_reads_above_its_tasks),
		cmocka_unit_test(the_columns_of_a_long_list_stay_while_one_scrolls),
		cmocka_unit_test(a_failed_task_says_why_below_its_connector),
		cmocka_unit_test(workers_stand_below_their_master_and_are_not_told_twice),
		cmocka_unit_test(an_application_that_two_servers_list_is_listed_once),
		cmocka_unit_test(an_application_opens_its_driver),
		cmocka_unit_test(an_application_that_ended_opens_what_its_servers_know),
		cmocka_unit_test(a_stale_connect_says_since_when),
		cmocka_unit_test(a_panel_without_its_services_says_how_to_get_there),
		cmocka_unit_test(what_is_due_is_ranked_over_all_tables),
		cmocka_unit_test(a_table_in_two_catalogs_is_one_row_that_names_both),
		cmocka_unit_test(a_catalog_that_is_down_keeps_its_tables_dimmed_and_says_why),
		cmocka_unit_test(two_tables_of_one_name_are_told_apart),
		cmocka_unit_test(a_view_is_said_to_be_one),
		cmocka_unit_test(what_only_a_summary_says_is_marked_and_what_is_not_known_is_a_dash),
		cmocka_unit_test(a_table_opens_and_what_is_due_is_asked_for_after_its_facts),
		cmocka_unit_test(a_preview_is_asked_once_and_again_by_hand),
		cmocka_unit_test(o_on_files_turns_to_the_next_order_of_them),
		cmocka_unit_test(the_id_of_a_row_that_is_opened_has_its_digits_alone),
		cmocka_unit_test(rows_are_asked_of_the_engine_and_null_is_no_text),
		cmocka_unit_test(a_table_without_an_engine_says_which_line_of_the_profile_names_one),
		cmocka_unit_test(a_table_that_is_dropped_while_it_is_open_is_said_to_be_gone),
		cmocka_unit_test(each_format_has_its_own_views),
		cmocka_unit_test(ten_thousand_tables_never_hold_a_key),
	};

	setlocale(LC_ALL, "C.UTF-8");
	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
