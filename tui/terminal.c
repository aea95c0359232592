// SPDX-License-Identifier: MIT
/*
 * ncurses, kept to what it is good at: knowing terminals and sending differences. Cells come from
 * a canvas; lines are drawn as characters, not as ACS; nothing is drawn by anybody else.
 *
 * The terminal is given back by terminal_close, by a crash handler that uses write(2) and
 * tcsetattr(3) only, and at exit(3). While it is held, stderr is a small memory file: what
 * libraries print there would land in the middle of the picture; it is printed afterwards.
 *
 * Facts measured on ncurses 6.4: endwin(3) may wait for output to drain, so it is not called
 * where the other end takes nothing; newterm fails for names that the terminfo base lacks
 * (kitty, foot, ghostty), which all understand xterm-256color. UI thread only.
 */
#include "terminal.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "clock.h"
#include "mem.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1 /* a sanitizer's report ends the process without any handler: let it through */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { STDERR_MAX = 64 << 10, CRASH_STACK = 32 << 10, CLOSE_WAIT_MS = 100, ANSWER_MS = 500 };

struct terminal {
	SCREEN *screen;
	int width, height;
	int colours;              /* 0, 8, 16 or 256 */
	bool modern;              /* knows private modes: paste, clipboard, sync */
	bool mouse;
	bool sync;                /* it said so */
	int64_t asked_sync;       /* when; 0: not, or answered */
	struct canvas *shown;     /* what it shows; NULL: unknown */
	bool cursor;
	attr_t attributes[STYLE_COUNT];
};

/* What the crash handler needs. The one piece of state outside of structs: a handler gets no argument. */
static struct {
	volatile sig_atomic_t held;
	struct termios before;
	char restore[256];
	size_t restore_len;
	int errors, real_stderr; /* -1: stderr is not held */
} guard = {.errors = -1, .real_stderr = -1};

/* ---- giving it back, also from a signal handler ---- */

static void write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		bytes += n;
		len -= (size_t)n;
	}
}

/* stderr is itself again, and what was written meanwhile follows, without anything that could steer a terminal. */
static void release_stderr(bool say)
{
	char part[512];
	off_t end, at = 0;
	ssize_t n;

	if (guard.errors < 0)
		return;
	dup2(guard.real_stderr, STDERR_FILENO);
	end = lseek(guard.errors, 0, SEEK_CUR);
	while (say && at < end && (n = pread(guard.errors, part, sizeof part, at)) > 0) {
		if (n > end - at)
			n = (ssize_t)(end - at);
		for (ssize_t i = 0; i < n; i++)
			if ((unsigned char)part[i] >= 0x7f || ((unsigned char)part[i] < 0x20 && part[i] != '\n'))
				part[i] = '?';
		write_all(STDERR_FILENO, part, (size_t)n);
		at += n;
	}
	close(guard.errors);
	close(guard.real_stderr);
	guard.errors = guard.real_stderr = -1;
}

static void hold_stderr(void)
{
	int fd;

	if (SANITIZED)
		return;
	fd = memfd_create("stderr", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	guard.real_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	/* sealed at its size: a library that never stops writing fills nothing */
	if (fd < 0 || guard.real_stderr < 0 || ftruncate(fd, STDERR_MAX) < 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW) < 0 ||
	    dup2(fd, STDERR_FILENO) < 0) {
		close(fd);
		close(guard.real_stderr);
		guard.real_stderr = -1;
		return;
	}
	guard.errors = fd;
}

static void restore_raw(void)
{
	if (!guard.held)
		return;
	guard.held = 0;
	write_all(STDOUT_FILENO, guard.restore, guard.restore_len);
	tcsetattr(STDIN_FILENO, TCSANOW, &guard.before);
}

static void crash(int sig)
{
	static const char words[] = "laketop: crashed; the terminal is restored. Please report this with the lines above.\n";

	if (guard.held) {
		restore_raw();
		release_stderr(true);
		write_all(STDERR_FILENO, words, sizeof words - 1);
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

/* The signals that end us, taken while a paint hangs in write(2): the loop would not see them before Ctrl-Q. */
static const int endings[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};

static void leave_now(int sig)
{
	tcflow(STDOUT_FILENO, TCOON);
	tcflush(STDOUT_FILENO, TCOFLUSH);
	if (!terminal_writable(0))
		guard.restore_len = 0; /* nor would it take this: the modes at least */
	restore_raw();
	release_stderr(true);
	_exit(128 + sig);
}

static void watch_endings(void)
{
	struct sigaction action = {.sa_handler = leave_now}, before;

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (sigaction(endings[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(endings[i], &action, NULL);
}

static void let_endings(int how)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		sigaddset(&set, endings[i]);
	pthread_sigmask(how, &set, NULL);
}

/* What ncurses does not send. It may hang as a paint may. */
static void tell(const char *bytes, size_t len)
{
	let_endings(SIG_UNBLOCK);
	write_all(STDOUT_FILENO, bytes, len);
	let_endings(SIG_BLOCK);
}

static void watch_crashes(void)
{
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
	static char stack[CRASH_STACK]; /* an overflow of the ordinary one is a crash too */
	struct sigaction action = {.sa_handler = crash, .sa_flags = (int)SA_RESETHAND | SA_ONSTACK};
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};

	if (!SANITIZED)
		sigaltstack(&alternate, NULL);
	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		sigaction(fatal[i], &action, NULL);
}

/* Adds a terminfo string without its delays. */
static void restore_add(const char *s)
{
	if (!s || s == (const char *)-1)
		return;
	while (*s && guard.restore_len < sizeof guard.restore) {
		if (s[0] == '$' && s[1] == '<' && strchr(s, '>'))
			s = strchr(s, '>') + 1;
		else
			guard.restore[guard.restore_len++] = *s++;
	}
}

static const char *capability(const char *name)
{
	char copy[16];
	const char *s = tigetstr(text_copy(copy, sizeof copy, text_of(name)));

	return s == (const char *)-1 ? NULL : s;
}

static void prepare_restore(const struct terminal *t)
{
	guard.restore_len = 0;
	if (t->modern)
		restore_add("\033[?2026l\033[?1006;1000l\033[?2004l");
	restore_add(capability("rmkx"));
	restore_add(capability("cnorm"));
	restore_add(capability("sgr0"));
	restore_add(capability("rmcup") ? capability("rmcup") : "\r\n");
	restore_add("\r");
}

/* ---- taking it ---- */

bool terminal_locale(void)
{
	const char *said = NULL;

	/* numbers keep their point: only characters follow the user's locale */
	if (setlocale(LC_CTYPE, "") && !strcmp(nl_langinfo(CODESET), "UTF-8"))
		return true;
	for (const char *const *name = (const char *const[]){"LC_ALL", "LC_CTYPE", "LANG", NULL}; *name && !(said && *said); name++)
		said = getenv(*name);
	setlocale(LC_CTYPE, "C.UTF-8");
	/* a UTF-8 locale that is not installed here is still what the terminal speaks */
	return said && (strcasestr(said, "utf-8") || strcasestr(said, "utf8")) && !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* Asked before newterm, which leaks what it had begun where the name is unknown. */
static bool known_terminal(const char *name)
{
	int status;

	if (setupterm(name, STDOUT_FILENO, &status) != OK)
		return false;
	del_curterm(cur_term);
	return true;
}

static SCREEN *take_screen(void)
{
	const char *const names[] = {getenv("TERM"), "xterm-256color", "ansi", "vt100"};

	/* a terminal with a name of its own is most likely a new one; one without a name an old one */
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i] && *names[i] && (i != 1 || (names[0] && *names[0])) && known_terminal(names[i]))
			return newterm(names[i], stdout, stdin);
	return NULL;
}

static attr_t curses_attributes(unsigned look)
{
	return (look & LOOK_BOLD ? A_BOLD : 0) | (look & LOOK_DIM ? A_DIM : 0) | (look & LOOK_UNDERLINE ? A_UNDERLINE : 0) |
	       (look & LOOK_REVERSE ? A_REVERSE : 0);
}

static void take_colours(struct terminal *t, const struct terminal_options *options)
{
	bool own = true; /* the terminal's own colours can be named */

	t->colours = 0;
	if (options->colours && has_colors() && start_color() == OK && COLOR_PAIRS > STYLE_COUNT) {
		own = use_default_colors() == OK;
		t->colours = COLORS >= 256 ? 256 : COLORS >= 16 ? 16 : COLORS >= 8 ? 8 : 0;
	}
	for (int s = 0; s < STYLE_COUNT; s++) {
		struct look look = theme_look(options->theme, (enum style)s, t->colours);

		t->attributes[s] = curses_attributes(look.attributes);
		if (t->colours)
			init_extended_pair(s + 1, look.fg < 0 && !own ? COLOR_WHITE : look.fg, look.bg < 0 && !own ? COLOR_BLACK : look.bg);
	}
}

static void take_modes(struct terminal *t)
{
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	mouseinterval(0);
	curs_set(0);
	if (t->modern)
		tell("\033[?2004h", 8);
}

struct terminal *terminal_open(const struct terminal_options *options, struct err *err)
{
	struct terminal *t;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		err_set(err, ERR_USAGE, "not a terminal: \"laketop status\" prints the same as text");
		return NULL;
	}
	if (tcgetattr(STDIN_FILENO, &guard.before) < 0) {
		err_set(err, ERR_SYSTEM, "the terminal cannot be read: %s", strerrordesc_np(errno));
		return NULL;
	}
	/* exported sizes would freeze the first size for ever */
	unsetenv("LINES");
	unsetenv("COLUMNS");
	if (!getenv("ESCDELAY"))
		set_escdelay(25);
	t = mem_new(1, sizeof *t);
	t->screen = take_screen();
	if (!t->screen || !capability("cup")) {
		if (t->screen) {
			endwin();
			delscreen(t->screen);
		}
		free(t);
		err_set(err, ERR_USAGE, "this terminal (TERM=%s) cannot place text: \"laketop status\" prints the same line by line",
			getenv("TERM") ? getenv("TERM") : "");
		return NULL;
	}
	t->modern = capability("smcup") && strncmp(termname(), "linux", 5) != 0;
	getmaxyx(stdscr, t->height, t->width);
	prepare_restore(t);
	guard.held = 1;
	atexit(restore_raw);
	watch_crashes();
	watch_endings();
	hold_stderr();
	take_modes(t);
	take_colours(t, options);
	return t;
}

/* ---- every way out ---- */

bool terminal_writable(int ms)
{
	struct pollfd p = {STDOUT_FILENO, POLLOUT, 0};

	return poll(&p, 1, ms) == 1 && (p.revents & POLLOUT);
}

static void leave_curses(struct terminal *t)
{
	if (t->mouse)
		mousemask(0, NULL);
	if (t->modern)
		tell("\033[?2004l", 8);
	if (!capability("rmcup")) { /* nothing to go back to: leave an empty screen, not a dead picture */
		erase();
		refresh();
	}
	endwin();
}

static void free_terminal(struct terminal *t)
{
	delscreen(t->screen);
	canvas_free(t->shown);
	free(t);
}

void terminal_close(struct terminal *t)
{
	if (!t)
		return;
	if (t->asked_sync && clock_ms() - t->asked_sync < ANSWER_MS)
		tcflush(STDIN_FILENO, TCIFLUSH); /* an answer that comes now would land at the shell's prompt */
	if (terminal_writable(CLOSE_WAIT_MS)) {
		leave_curses(t);
		guard.held = 0;
	} else {
		tcflow(STDOUT_FILENO, TCOON);
		tcflush(STDOUT_FILENO, TCOFLUSH);
		restore_raw();
	}
	release_stderr(true);
	free_terminal(t);
}

void terminal_gone(struct terminal *t)
{
	if (!t)
		return;
	guard.held = 0;
	release_stderr(false);
	canvas_free(t->shown); /* ncurses keeps its own: it would write */
	free(t);
}

/* ---- painting ---- */

void terminal_size(const struct terminal *t, int *width, int *height)
{
	*width = t->width;
	*height = t->height;
}

bool terminal_resized(struct terminal *t)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row || !size.ws_col)
		return false;
	if (size.ws_col == t->width && size.ws_row == t->height)
		return false;
	if (resizeterm(size.ws_row, size.ws_col) != OK)
		return false;
	getmaxyx(stdscr, t->height, t->width);
	canvas_free(t->shown);
	t->shown = NULL;
	clearok(curscr, TRUE); /* terminals differ in what they keep of the old size */
	return true;
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return a->code[0] == b->code[0] && a->code[1] == b->code[1] && a->style == b->style;
}

static void paint_cell(const struct terminal *t, const struct cell *cell)
{
	wchar_t codes[3] = {(wchar_t)cell->code[0], (wchar_t)cell->code[1], 0};
	cchar_t curses_cell;

	setcchar(&curses_cell, codes, t->attributes[cell->style], (short)(t->colours ? cell->style + 1 : 0), NULL);
	add_wch(&curses_cell);
}

/* From the first cell that differs to the last one, and never from the middle of a wide character. */
static bool paint_line(const struct terminal *t, const struct cell *new, const struct cell *old, int y)
{
	int first = 0, last = t->width - 1;

	if (old) {
		while (first <= last && same_cell(&new[first], &old[first]))
			first++;
		while (last > first && same_cell(&new[last], &old[last]))
			last--;
	}
	if (first > last)
		return false;
	while (first > 0 && (new[first].code[0] == 0 || (old && old[first].code[0] == 0)))
		first--;
	move(y, first);
	for (int x = first; x <= last; x++)
		if (new[x].code[0] != 0)
			paint_cell(t, &new[x]);
	return true;
}

static void show_cursor(struct terminal *t, int y, int x)
{
	bool wanted = y >= 0 && y < t->height && x >= 0 && x < t->width;

	if (wanted)
		move(y, x);
	if (wanted != t->cursor)
		curs_set(wanted ? 1 : 0);
	t->cursor = wanted;
}

void terminal_paint(struct terminal *t, const struct canvas *c, int y, int x)
{
	bool whole = !t->shown, changed = whole;

	if (c->width != t->width || c->height != t->height)
		return; /* drawn for another size: a new one comes */
	if (whole)
		t->shown = canvas_new(t->width, t->height, false);
	for (int line = 0; line < t->height; line++) {
		const struct cell *new = c->cells + (ptrdiff_t)line * c->stride;
		struct cell *old = t->shown->cells + (ptrdiff_t)line * t->shown->stride;

		if (paint_line(t, new, whole ? NULL : old, line)) {
			memcpy(old, new, (size_t)t->width * sizeof *old);
			changed = true;
		}
	}
	let_endings(SIG_UNBLOCK);
	show_cursor(t, y, x);
	if (changed && t->sync)
		write_all(STDOUT_FILENO, "\033[?2026h", 8);
	wnoutrefresh(stdscr);
	doupdate();
	if (changed && t->sync)
		write_all(STDOUT_FILENO, "\033[?2026l", 8);
	let_endings(SIG_BLOCK);
}

void terminal_forget(struct terminal *t)
{
	canvas_free(t->shown);
	t->shown = NULL;
	clearok(curscr, TRUE);
}

/* ---- suspend and resume ---- */

static void take_again(struct terminal *t)
{
	if (t->modern)
		tell("\033[?2004h", 8);
	if (t->mouse)
		terminal_mouse(t, true);
	guard.held = 1;
	terminal_resized(t);
	terminal_forget(t);
}

void terminal_suspend(struct terminal *t)
{
	struct sigaction stop = {.sa_handler = SIG_DFL}, before;
	bool mouse = t->mouse;
	sigset_t only;

	leave_curses(t);
	t->mouse = mouse;
	guard.held = 0;
	/*
	 * The signal's own action, not SIGSTOP: the kernel leaves it out where no shell is there to
	 * continue us. ncurses has a handler of its own on it.
	 */
	sigemptyset(&only);
	sigaddset(&only, SIGTSTP);
	sigaction(SIGTSTP, &stop, &before);
	raise(SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &only, NULL); /* stops here */
	pthread_sigmask(SIG_BLOCK, &only, NULL);
	sigaction(SIGTSTP, &before, NULL);
	sigemptyset(&only);
	sigaddset(&only, SIGCONT);
	sigtimedwait(&only, NULL, &(struct timespec){0}); /* the one that woke us is answered by this */
	take_again(t);
}

void terminal_continued(struct terminal *t)
{
	bool mouse = t->mouse;

	leave_curses(t);
	t->mouse = mouse;
	take_again(t);
}

/* ---- what a terminal can besides ---- */

void terminal_mouse(struct terminal *t, bool on)
{
	t->mouse = on;
	let_endings(SIG_UNBLOCK);
	mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
	let_endings(SIG_BLOCK);
}

static void base64(struct text t, struct buf *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)t.at;

	for (size_t i = 0; i < t.len; i += 3) {
		size_t left = t.len - i;
		uint32_t n = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (left > 2 ? p[i + 2] : 0);
		char four[4] = {digits[n >> 18 & 63], digits[n >> 12 & 63], left > 1 ? digits[n >> 6 & 63] : '=', left > 2 ? digits[n & 63] : '='};

		buf_add(out, four, sizeof four);
	}
}

bool terminal_copy(struct terminal *t, struct text text)
{
	struct buf out;

	if (!t->modern || !text.len || text.len > COPY_MAX)
		return false;
	buf_init(&out, (COPY_MAX + 2) / 3 * 4 + 16);
	buf_puts(&out, "\033]52;c;");
	base64(text, &out);
	buf_puts(&out, "\a");
	tell(out.at, out.len);
	buf_free(&out);
	return true;
}

void terminal_ask_sync(struct terminal *t)
{
	if (!t->modern)
		return;
	t->asked_sync = clock_ms();
	tell("\033[?2026$p", 9);
}

void terminal_answered_sync(struct terminal *t, bool can)
{
	t->sync = can;
	t->asked_sync = 0;
}

struct terminal_facts terminal_facts(void)
{
	struct winsize size = {0};
	struct terminal_facts facts = {
		.input = isatty(STDIN_FILENO), .output = isatty(STDOUT_FILENO), .name = getenv("TERM") ? getenv("TERM") : "",
		.charset = nl_langinfo(CODESET), .version = curses_version(),
	};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
		facts.width = size.ws_col;
		facts.height = size.ws_row;
	}
	return facts;
}
