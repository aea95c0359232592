// SPDX-License-Identifier: MIT
/*
 * The loop: waits for keys, signals and news in one poll(2), draws at most once a turn, and never
 * waits for anything else. The only thread that touches the terminal. Signals are blocked before
 * any thread exists and read from a descriptor, so that no handler but the crash handler runs.
 *
 * News are taken at most ten times a second, and after the picture that a key is due: a burst of
 * answers is one picture. While it is frozen the engine is not turned: what comes waits in its slots,
 * the newest wins.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "input.h"
#include "keymap.h"
#include "mem.h"
#include "net.h"
#include "run.h"
#include "save.h"
#include "screen.h"
#include "terminal.h"
#include "theme.h"
#include "trim.h"

enum {
	NEWS_MS = 100, NEWS_LATE_MS = 200, PASTE_MS = 500, STOP_MS = 120, STOP_ACTING_MS = 6000, WHEEL_ROWS = 3, EMPTY_READS_MAX = 100, TRIM_FIRST_MS = 3000,
	TRIM_MS = 5000,
};

struct loop {
	const struct setup *setup;
	struct terminal *terminal;
	struct input *input;
	struct screen *screen;
	struct engine *engine;
	struct canvas *canvas;
	int signals;
	bool dirty, quit, mouse;
	int code;
	int64_t news_next;   /* not before this are news taken again */
	int64_t paste_end;
	int64_t trim_next;
	int empty_reads;     /* in a row: readable, and nothing there */
};

/* ---- drawing ---- */

static void draw(struct loop *l)
{
	int width, height, y, x;

	terminal_size(l->terminal, &width, &height);
	if (!l->canvas || l->canvas->width != width || l->canvas->height != height) {
		canvas_free(l->canvas);
		l->canvas = canvas_new(width, height, l->setup->ascii);
	}
	if (l->engine) {
		engine_watch_tables(l->engine, screen_watches_tables(l->screen));
		engine_watch_logs(l->engine, screen_watches_logs(l->screen));
	}
	screen_draw(l->screen, l->canvas, &y, &x);
	terminal_paint(l->terminal, l->canvas, y, x);
	l->dirty = false;
}

/* ---- wishes ---- */

static void end(struct loop *l, int code)
{
	l->quit = true;
	l->code = code;
}

static void suspend(struct loop *l)
{
	engine_pause(l->engine, true);
	terminal_suspend(l->terminal);
	engine_pause(l->engine, false);
	l->dirty = true;
}

static void toggle_mouse(struct loop *l)
{
	l->mouse = !l->mouse;
	terminal_mouse(l->terminal, l->mouse);
	screen_say(l->screen, STYLE_ACCENT, l->mouse ? "mouse on: a click selects, a second one opens; m gives it back to the terminal"
						     : "mouse off: the terminal selects text");
}

static void copy(struct loop *l, const char *s)
{
	if (terminal_copy(l->terminal, text_of(s)))
		screen_say(l->screen, STYLE_ACCENT, "sent to the terminal's clipboard: %s", s);
	else
		screen_say(l->screen, STYLE_WARN, strlen(s) > COPY_MAX ? "too long for a terminal's clipboard" : "this terminal has no clipboard");
}

static void act_on_many(struct loop *l, const struct wish *wish)
{
	for (size_t i = 0; i < wish->n_marks; i++) {
		struct action_wish one = *wish->action;
		struct err err = {0};
		uint64_t id;

		memcpy(one.service, wish->marks[i].service, sizeof one.service);
		memcpy(one.subject, wish->marks[i].subject, sizeof one.subject);
		id = engine_wish(l->engine, &one, &err);
		screen_offer_many(l->screen, i, id, err.words);
	}
}

static void act(struct loop *l, const struct wish *wish)
{
	struct err err = {0};
	uint64_t id;

	if ((wish->what & WISH_ACT) && wish->n_marks) {
		act_on_many(l, wish);
	} else if (wish->what & WISH_ACT) {
		id = engine_wish(l->engine, wish->action, &err);
		screen_offer(l->screen, id, err.words);
	} else if ((wish->what & WISH_CONFIRM) && wish->n_ids) {
		if (!engine_confirm_all(l->engine, wish->ids, wish->n_ids, wish->go_on, &err))
			screen_say(l->screen, STYLE_BAD, "%s", err.words);
	} else if (wish->what & WISH_CONFIRM) {
		if (!engine_confirm(l->engine, wish->id, &err))
			screen_say(l->screen, STYLE_BAD, "%s", err.words);
	} else if ((wish->what & WISH_CANCEL) && wish->n_ids) {
		for (size_t i = wish->n_ids; i-- > 0;) /* none begins because the one before it ended */
			engine_drop(l->engine, wish->ids[i]);
	} else if (wish->what & WISH_CANCEL) {
		engine_drop(l->engine, wish->id);
	} else if (!engine_lock(l->engine, wish->locked, &err)) {
		screen_say(l->screen, STYLE_WARN, "%s", err.words);
	} else
		screen_say(l->screen, STYLE_ACCENT, wish->locked ? "locked: nothing can be changed; L unlocks" : "unlocked");
}

static void save(struct loop *l, const struct wish *wish)
{
	struct err err = {0};
	bool exists;

	if (save_text(wish->path, wish->save, wish->overwrite, &exists, &err))
		screen_saved(l->screen, false, NULL);
	else
		screen_saved(l->screen, exists, err.words);
}

static void fulfil(struct loop *l, const struct wish *wish)
{
	l->dirty = true;
	if (wish->what & WISH_QUIT)
		end(l, 0);
	if (wish->what & WISH_REFRESH)
		engine_refresh(l->engine, wish->service[0] ? wish->service : NULL);
	if (wish->what & WISH_IDENTIFY)
		engine_ask_port(l->engine, wish->address, wish->port);
	if (wish->what & WISH_LOGS)
		engine_open_logs(l->engine, &wish->logs);
	if (wish->what & WISH_FIND)
		engine_search_logs(l->engine, wish->logs.match[0] ? wish->logs.match : NULL, (int)wish->logs.least);
	if (wish->what & WISH_DROP)
		engine_drop_view(l->engine, wish->service);
	if ((wish->what & WISH_ASK) && wish->ask_catalog)
		engine_ask_table(l->engine, wish->ask_service, wish->ask_view, wish->ask_subject);
	else if (wish->what & WISH_ASK)
		engine_ask_view(l->engine, wish->ask_service, wish->ask_view, wish->ask_subject);
	if (wish->what & (WISH_ACT | WISH_CONFIRM | WISH_CANCEL | WISH_LOCK))
		act(l, wish);
	if (wish->what & WISH_SAVE)
		save(l, wish);
	if (wish->what & WISH_COPY)
		copy(l, wish->copy);
	if (wish->what & WISH_MOUSE)
		toggle_mouse(l);
	if (wish->what & WISH_REDRAW) {
		terminal_resized(l->terminal);
		terminal_forget(l->terminal);
	}
	if (wish->what & WISH_SUSPEND)
		suspend(l);
}

/* ---- input ---- */

static void take_event(struct loop *l, const struct input_event *event)
{
	struct wish wish = {0};

	switch (event->what) {
	case INPUT_KEY:
		wish = screen_key(l->screen, event->key);
		if (wish.what == WISH_QUIT && event->key == 3)
			l->code = EXIT_INTERRUPTED;
		break;
	case INPUT_PASTE:
		screen_paste(l->screen, (struct text){event->text, event->len});
		break;
	case INPUT_CLICK:
		wish = screen_click(l->screen, l->canvas, event->y);
		break;
	case INPUT_WHEEL_UP:
	case INPUT_WHEEL_DOWN:
		wish = screen_wheel(l->screen, event->what == INPUT_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS);
		break;
	case INPUT_SYNC:
		terminal_answered_sync(l->terminal, event->key == 1);
		return;
	}
	fulfil(l, &wish);
}

static void take_input(struct loop *l)
{
	struct input_event event;
	bool pasting = input_pasting(l->input);

	while (!l->quit && input_next(l->input, &event))
		take_event(l, &event);
	if (input_pasting(l->input)) {
		if (!pasting)
			l->paste_end = clock_ms() + PASTE_MS;
		return;
	}
	/* readable again and again, with nothing to read: a terminal that is gone and did not say so */
	l->empty_reads = input_took(l->input) ? 0 : l->empty_reads + 1;
	if (l->empty_reads > EMPTY_READS_MAX)
		end(l, EXIT_GONE);
}

/* ---- signals ---- */

static int block_signals(void)
{
	static const int taken[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		sigaddset(&set, taken[i]);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void take_signal(struct loop *l, int number)
{
	switch (number) {
	case SIGWINCH:
		if (terminal_resized(l->terminal))
			l->dirty = true;
		return;
	case SIGTSTP:
		suspend(l);
		return;
	case SIGCONT: /* stopped by somebody else, without a word */
		terminal_continued(l->terminal);
		engine_pause(l->engine, false);
		l->dirty = true;
		return;
	case SIGHUP:
		end(l, EXIT_GONE);
		return;
	case SIGINT: /* asked once, where something runs: the second one leaves */
		if (screen_asks_to_quit(l->screen))
			l->dirty = true;
		else
			end(l, EXIT_INTERRUPTED);
		return;
	case SIGQUIT:
		end(l, EXIT_QUIT_SIGNAL);
		return;
	default:
		end(l, EXIT_TERMINATED);
	}
}

static void take_signals(struct loop *l)
{
	struct signalfd_siginfo info;

	while (!l->quit && read(l->signals, &info, sizeof info) == (ssize_t)sizeof info)
		take_signal(l, (int)info.ssi_signo);
}

/* ---- the turn ---- */

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static bool frozen(const struct loop *l)
{
	return screen_frozen(l->screen);
}

/* What is open is asked for again, without a key. */
static void tick(struct loop *l)
{
	struct wish wish = screen_tick(l->screen);

	if (wish.what)
		fulfil(l, &wish);
}

static void take_news(struct loop *l, int64_t now)
{
	engine_turn(l->engine);
	l->news_next = now + NEWS_MS;
	l->dirty = true;
	if (now >= l->trim_next) {
		memory_trim();
		l->trim_next = now + TRIM_MS;
	}
}

static int timeout_of(const struct loop *l, int64_t now)
{
	int64_t due = screen_due(l->screen);

	if (!frozen(l))
		due = earlier(due, earlier(engine_due(l->engine) > l->news_next ? engine_due(l->engine) : l->news_next, now + 1000));
	if (!frozen(l) && now < l->news_next) /* until then nobody listens for news */
		due = earlier(due, l->news_next);
	if (input_pasting(l->input))
		due = earlier(due, l->paste_end);
	due = earlier(due, now + 60000);
	return due > now ? (int)(due - now) : 0;
}

static void turn(struct loop *l)
{
	int64_t now = clock_ms();
	bool writable = !l->dirty || terminal_writable(0);
	struct pollfd p[4] = {
		{STDIN_FILENO, POLLIN, 0}, {l->signals, POLLIN, 0},
		{frozen(l) || now < l->news_next ? -1 : engine_fd(l->engine), POLLIN, 0},
		{writable ? -1 : STDOUT_FILENO, POLLOUT, 0},
	};

	if (l->dirty && writable)
		draw(l);
	if (poll(p, 4, timeout_of(l, now)) < 0 && errno != EINTR) {
		end(l, 1);
		return;
	}
	if (p[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		end(l, EXIT_GONE);
	if (p[1].revents)
		take_signals(l);
	if (l->quit)
		return;
	if (p[0].revents & POLLIN)
		take_input(l);
	now = clock_ms();
	if (input_pasting(l->input) && now >= l->paste_end)
		input_end_paste(l->input);
	/* what a key did is painted first: news of ten thousand tables take milliseconds. Keys without end do not keep them out */
	if (!frozen(l) && now >= l->news_next + (p[0].revents ? NEWS_LATE_MS : 0) && (p[2].revents || now >= engine_due(l->engine)))
		take_news(l, now);
	tick(l);
	if (now >= screen_due(l->screen))
		l->dirty = true;
}

/* ---- start and end ---- */

static bool open_terminal(struct loop *l)
{
	const struct options *o = l->setup->options;
	const char *no_color = getenv("NO_COLOR");
	struct theme theme;
	struct terminal_options look = {.theme = &theme, .ascii = l->setup->ascii, .colours = !o->no_color && !(no_color && *no_color)};
	struct err err = {0};

	if (theme_load(l->setup->host, o->theme ? o->theme : l->setup->profile->theme, &theme, &err))
		l->terminal = terminal_open(&look, &err);
	if (!l->terminal)
		fprintf(stderr, "laketop: %s\n", err.words);
	return l->terminal != NULL;
}

static bool start_engine(struct loop *l)
{
	struct engine_options options = engine_options_of(l->setup);
	struct err err = {0};

	l->engine = engine_start(&options, &err);
	if (l->engine)
		return true;
	terminal_close(l->terminal);
	fprintf(stderr, "laketop: %s\n", err.words);
	return false;
}

static void finish(struct loop *l)
{
	struct pollfd p = {STDIN_FILENO, POLLIN, 0};

	input_free(l->input);
	/* the user has the prompt again before anything else is tidied up */
	if (poll(&p, 1, 0) == 1 && (p.revents & (POLLHUP | POLLERR | POLLNVAL)))
		terminal_gone(l->terminal);
	else
		terminal_close(l->terminal);
	/* what runs is cancelled, and a program has a while to end by itself */
	end_engine(l->engine, engine_acting(l->engine) ? STOP_ACTING_MS : STOP_MS, l->code);
	screen_free(l->screen);
	canvas_free(l->canvas);
	close(l->signals);
}

int loop_run(const struct setup *setup)
{
	struct loop l = {.setup = setup};
	struct lake *first;

	signal(SIGPIPE, SIG_IGN);
	l.signals = block_signals();
	if (!open_terminal(&l))
		return 2;
	first = first_lake(setup);
	l.input = input_new();
	l.screen = screen_new(setup->ascii);
	screen_show(l.screen, first);
	draw(&l);
	if (!start_engine(&l))
		return 2;
	screen_show(l.screen, engine_lake(l.engine));
	first_free(first);
	l.trim_next = clock_ms() + TRIM_FIRST_MS;
	terminal_ask_sync(l.terminal);
	if (setup->options->mouse)
		toggle_mouse(&l);
	l.dirty = true;
	while (!l.quit)
		turn(&l);
	finish(&l);
	return l.code;
}
