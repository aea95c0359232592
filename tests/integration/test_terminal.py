#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The terminal: it is taken politely, drawn on sparingly and given back on every way out.

Runs laketop without a profile, on pseudo-terminals and, for job control, in a private tmux.
"""
import base64
import fcntl
import os
import pty
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check import LAKETOP, end, laketop, ok, skip, story, until  # noqa: E402

STATE = tempfile.mkdtemp(prefix="laketop-terminal-")
ENV = {"PATH": os.environ["PATH"], "HOME": STATE, "XDG_STATE_HOME": STATE, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "TZ": "UTC",
       **{k: os.environ[k] for k in ("ASAN_OPTIONS", "TSAN_OPTIONS") if k in os.environ}}
SANITIZED = any(mark in open(LAKETOP, "rb").read() for mark in (b"__asan_", b"__tsan_"))
ANSWER_MS, TRIES = 1000 if SANITIZED else 200, 10
ALTERNATE, BACK, SHOWN = b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[?25h"


class Terminal:
    """laketop on a pty whose other end we hold: also open ourselves, so that its modes can be read afterwards."""

    def __init__(self, *args, cols=100, rows=30, env=None, ignore_hup=False):
        self.master, self.slave = pty.openpty()
        self.size(cols, rows)
        self.before = termios.tcgetattr(self.slave)
        self.out = b""
        self.status = None
        name = os.ttyname(self.slave)
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            fd = os.open(name, os.O_RDWR)  # becomes the controlling terminal
            for target in (0, 1, 2):
                os.dup2(fd, target)
            os.closerange(3, 64)
            for number in (signal.SIGINT, signal.SIGQUIT):  # a job in the background has them ignored, and so would we
                signal.signal(number, signal.SIG_DFL)
            if ignore_hup:
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
            try:
                os.execve(LAKETOP, [LAKETOP, *args], {k: v for k, v in {**ENV, **(env or {})}.items() if v is not None})
            finally:
                os._exit(127)

    def size(self, cols, rows):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def read(self, seconds, wanted=None):
        """Reads for so long, or until wanted appeared in what came; returns what came."""
        got, stop = b"", time.monotonic() + seconds
        while time.monotonic() < stop and not (wanted and wanted in plain(got)):
            if select.select([self.master], [], [], 0.02)[0]:
                try:
                    got += os.read(self.master, 65536)
                except OSError:
                    break
            elif self.gone():
                break
        self.out += got
        return got

    def up(self):
        self.read(60, "quit")
        return self

    def key(self, keys, wanted=None, seconds=None):
        """Reads until wanted came, else for so long: a busy machine gets its time."""
        seconds = seconds or (30 if wanted else 2)
        os.write(self.master, keys if isinstance(keys, bytes) else keys.encode())
        return plain(self.read(seconds, wanted))

    def kill(self, number):
        os.kill(self.pid, number)

    def gone(self):
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def wait(self, seconds=60):
        """ms until it ended, read meanwhile; None where it did not."""
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            self.read(0.005)
            if self.gone():
                self.read(0.05)
                return (time.monotonic() - began) * 1000
        return None

    def close(self):
        if not self.gone():
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.status = -9
        for fd in (self.master, self.slave):
            try:
                os.close(fd)
            except OSError:
                pass

    def restored(self):
        """Empty, or what was not given back."""
        wrong = []
        if termios.tcgetattr(self.slave) != self.before:
            wrong.append("modes differ")
        if ALTERNATE in self.out and self.out.rfind(BACK) < self.out.rfind(ALTERNATE):
            wrong.append("still on the alternate screen")
        if self.out.rfind(b"\x1b[?25l") > self.out.rfind(SHOWN):
            wrong.append("cursor hidden")
        for on in (b"\x1b[?2004h", b"\x1b[?1000h", b"\x1b[?1006;1000h", b"\x1b[?2026h", b"\x1b[?1h"):
            off = on.replace(b"h", b"l")
            if self.out.rfind(on) > self.out.rfind(off):
                wrong.append(f"{on!r} still on")
        return ", ".join(wrong)


def plain(data):
    text = data.decode("utf-8", "replace")
    return re.sub(r"\x1b(\[[0-9;?$]*[ -/]*[@-~]|\][^\a]*\a|[()].|.)", "", text)


def ended(name, terminal, code, took=None):
    """took: ms that are judged; None: how long does not matter here, only that it ends."""
    waited = terminal.wait() if took is None else took
    ok(f"{name}-ends-in-time", waited is not None and (took is None or took <= ANSWER_MS), f"took {waited} ms, at most {ANSWER_MS}")
    ok(f"{name}-exit-code", terminal.status == code, f"{terminal.status} is not {code}")
    ok(f"{name}-gives-the-terminal-back", not terminal.restored(), terminal.restored())
    terminal.close()


def least_start():
    """ms that this machine takes to run it at all."""
    times = []
    for _ in range(10):
        began = time.monotonic()
        laketop("--version", env=ENV)
        times.append((time.monotonic() - began) * 1000)
    return min(times)


def the_first_frame_comes_before_any_answer():
    times, bound = [], 1000 if SANITIZED else max(35, 5 * least_start())
    while len(times) < 20 and min(times, default=bound + 1) > bound:  # how fast it can be is what is bounded: a busy machine may cost a try
        began = time.monotonic()
        t = Terminal(cols=120, rows=40)
        t.read(30, "help")
        times.append((time.monotonic() - began) * 1000)
        t.close()
    ok("first-frame", min(times) <= bound, f"best of {len(times)}: {min(times):.0f} ms, at most {bound:.0f}")
    ok("first-frame-has-title-and-keys", "laketop" in plain(t.out) and "quit" in plain(t.out), plain(t.out)[:200])


def best_of_some(name, end_it, code):
    """How fast it can be is what is bounded: a busy machine may cost a try."""
    for attempt in range(TRIES):
        t = Terminal().up()
        end_it(t)
        took = t.wait()
        if attempt == TRIES - 1 or (took is not None and took <= ANSWER_MS):
            break
        t.close()
    ended(name, t, code, took if took is not None else 60000)


def quitting():
    best_of_some("q", lambda t: os.write(t.master, b"q"), 0)
    best_of_some("ctrl-c", lambda t: os.write(t.master, b"\x03"), 130)
    for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGQUIT, 131), (signal.SIGHUP, 129)):
        best_of_some(number.name.lower(), lambda t, n=number: t.kill(n), code)


def crashing():
    if SANITIZED:
        skip("crashes", "a sanitizer ends the program its own way")
        return
    for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL):
        t = Terminal("--mouse").up()
        t.kill(number)
        name = number.name.lower()
        ended(name, t, -number)
        ok(f"{name}-says-so", "crashed" in plain(t.out), plain(t.out)[-200:])


def a_terminal_that_is_gone():
    for ignored in (False, True):
        times = []
        while len(times) < TRIES and min(times, default=ANSWER_MS + 1) > ANSWER_MS:
            t = Terminal(ignore_hup=ignored).up()
            os.close(t.slave)
            os.close(t.master)
            began = time.monotonic()
            while not t.gone() and time.monotonic() - began < 30:
                time.sleep(0.002)
            times.append((time.monotonic() - began) * 1000)
            if not t.gone():
                t.close()
        ok(f"hangup-{'ignored' if ignored else 'default'}", min(times) <= ANSWER_MS, f"ms: {times}")


def a_terminal_that_takes_nothing():
    for name, settle in (("stopped-output", 1), ("stopped-in-a-frame", 0)):
        for _ in range(TRIES):
            t = Terminal().up()
            t.read(settle)
            termios.tcflow(t.slave, termios.TCOOFF)  # as Ctrl-S does
            t.key("?jjjj", seconds=1)
            t.kill(signal.SIGTERM)
            began = time.monotonic()
            while not t.gone() and time.monotonic() - began < 30:
                time.sleep(0.005)
            took = (time.monotonic() - began) * 1000
            if t.status != 143 or took <= 2 * ANSWER_MS:
                break
            t.close()
        ok(f"{name}-does-not-hold-it", t.status == 143 and took <= 2 * ANSWER_MS, f"{t.status}, {took:.0f} ms")
        ok(f"{name}-modes", termios.tcgetattr(t.slave) == t.before, "modes differ")
        t.close()
    t = Terminal().up()
    termios.tcflow(t.slave, termios.TCOOFF)
    t.key("?", seconds=1.5)
    termios.tcflow(t.slave, termios.TCOON)
    ok("output-goes-on-after-ctrl-q", "search" in plain(t.read(30, "search")), "nothing drawn")
    t.close()


def resizing():
    t = Terminal(cols=80, rows=24).up()
    chance = random.Random(3)
    sizes = [(1, 1), (2, 1), (1, 50), (10, 3), (20, 5), (40, 10), (73, 41), (79, 23), (80, 24), (120, 36), (200, 60), (300, 100)]
    for _ in range(80):
        t.size(*chance.choice(sizes))
        t.read(0.01)
    ok("resize-storm-survived", not t.gone(), f"exit {t.status}")
    t.size(39, 9)
    t.read(0.5)
    t.size(39, 10)
    ok("below-40x10-it-says-so", "needs 40x10" in plain(t.read(30, "needs 40x10")), "no word of it")
    t.size(40, 10)
    ok("40x10-draws", "SERVICE" in plain(t.read(30, "SERVICE")), "no list")
    t.size(80, 24)
    t.read(0.5)
    screen = t.key(b"\x0c", "quit")
    ok("after-the-storm-it-draws-all", "laketop" in screen and "SERVICE" in screen and "quit" in screen, screen[:300])
    for _ in range(200):
        t.kill(signal.SIGWINCH)
    ok("200-resize-signals-in-a-row", "search" in t.key("?", "search") and not t.gone(), "no answer")
    t.key("\x1b", seconds=1)
    t.key("q")
    ended("after-resizes", t, 0)


def unusual_terminals():
    for name in ("dumb",):
        t = Terminal(env={"TERM": name})
        took = t.wait()
        said = plain(t.out)
        ok(f"TERM-{name}-says-what-else", took is not None and t.status == 2 and "laketop status" in said, f"{t.status} {said!r}")
        ok(f"TERM-{name}-gets-no-escape", b"\x1b" not in t.out, repr(t.out))
        ok(f"TERM-{name}-modes", termios.tcgetattr(t.slave) == t.before, "modes differ")
        t.close()
    for name in ("xterm-ghostty", "no-such-terminal", "", None, "vt100", "linux", "ansi", "xterm", "screen", "tmux-256color"):
        t = Terminal(env={"TERM": name}).up()
        ok(f"TERM-{name or ('unset' if name is None else 'empty')}-draws", "SERVICE" in plain(t.out) and "quit" in plain(t.out), plain(t.out)[:200])
        t.key("q")
        t.wait()
        ok(f"TERM-{name or ('unset' if name is None else 'empty')}-restored", t.status == 0 and not t.restored(), f"{t.status} {t.restored()}")
        if name in ("vt100", "linux", "ansi"):
            ok(f"TERM-{name}-no-private-modes", not re.search(rb"\x1b\[\?(2004|2026|1006|1000)", t.out), "asked for what it does not know")
        if name == "vt100":
            ok("TERM-vt100-no-colours", not coloured(t.out), "colours")
        t.close()


def coloured(out):
    named = {str(n).encode() for n in (*range(30, 39), *range(40, 49), *range(90, 98), *range(100, 108))}
    return any(named & set(codes.split(b";")) for codes in re.findall(rb"\x1b\[([0-9;]*)m", out))


def colours():
    t = Terminal().up()
    ok("colours-where-there-are-some", coloured(t.out), "none")
    t.close()
    for name, args, env in (("NO_COLOR", (), {"NO_COLOR": "1"}), ("no-color-option", ("--no-color",), {})):
        t = Terminal(*args, env=env).up()
        t.key("?", "search")
        ok(f"{name}-leaves-attributes-only", not coloured(t.out), "colours")
        t.close()
    t = Terminal(env={"NO_COLOR": ""}).up()
    ok("empty-NO_COLOR-means-colours", coloured(t.out), "none")
    t.close()
    t = Terminal(env={"TERM": "xterm"}).up()
    ok("8-colours", coloured(t.out) and not re.search(rb"\x1b\[([0-9;]*;)?[34]8;5", t.out), "256 colours on a terminal of 8")
    t.close()
    for theme in ("night", "day"):
        t = Terminal("--theme", theme).up()
        ok(f"theme-{theme}", "SERVICE" in plain(t.out), plain(t.out)[:200])
        t.close()


def ascii_only():
    for name, args, env in (("LC_ALL-C", (), {"LC_ALL": "C"}), ("LANG-unset", (), {"LC_ALL": None}), ("ascii-option", ("--ascii",), {})):
        t = Terminal(*args, env=env).up()
        t.key("?", "search")
        t.read(1)
        ok(f"{name}-sends-ascii", all(b < 0x80 for b in t.out), repr([hex(b) for b in t.out if b >= 0x80][:5]))
        t.close()
    t = Terminal(env={"LC_ALL": "xx_YY.UTF-8"}).up()  # not installed here, and still UTF-8
    ok("locale-not-installed-is-still-utf-8", "─" in t.out.decode("utf-8", "replace"), "no line drawn")
    t.close()


def no_terminal():
    done = laketop("--no-color", env=ENV)
    ok("no-terminal-exit-2", done.returncode == 2, f"exit {done.returncode}")
    ok("no-terminal-one-line", done.stderr.count("\n") == 1 and "laketop status" in done.stderr, repr(done.stderr))
    ok("no-terminal-no-escape", "\x1b" not in done.stdout + done.stderr, repr(done.stderr))


def wrong_words():
    for args, word in ((["--profil", "x"], "--profile"), (["stauts"], "status"), (["status", "--josn"], "--json"), (["--theme", "nigth"], "themes"),
                       (["check", "--theme", "day"], "takes no --theme"), (["--json"], "needs a command"), (["status", "--within", "3x"], "2s")):
        done = laketop(*args, env=ENV)
        one = done.stderr.count("\n") == 1
        name = "-".join(args).replace("--", "")
        if args[0] == "--theme":  # is looked at only where there is a terminal
            t = Terminal(*args)
            t.wait()
            ok(f"wrong-{name}", t.status == 2 and word in plain(t.out) and b"\x1b" not in t.out, f"{t.status} {t.out!r}")
            t.close()
        else:
            ok(f"wrong-{name}", done.returncode == 2 and one and word in done.stderr, f"{done.returncode} {done.stderr!r}")


def sequences_nobody_knows_do_nothing():
    t = Terminal(cols=120, rows=40).up()
    t.read(1)
    for junk in (b"\x1b[1;9Q", b"\x1b[<0;10;10M", b"\x1b[27;5;113~", b"\x1bOq", b"\x1b[?2026;0$y", b"\x1b]0;q\a"[:0], b"\xff\xfe", b"\x00"):
        t.key(junk, seconds=0.1)
    for _ in range(150):  # a key that nobody knows, held down
        t.key(b"\x1b[1;99Z", seconds=0.005)
    ok("unknown-sequences-are-dropped", not t.gone(), f"exit {t.status}")
    t.key(b"\x1b[200~q\r!2:quit\r\x03\x1b[201~"[:-6].replace(b"\x03", b"") + b"\x1b[201~", seconds=0.5)
    ok("pasted-text-never-acts", not t.gone(), f"exit {t.status}")
    t.key("/", seconds=0.2)
    screen = t.key(b"\x1b[200~no such\x1b]52;c;eA==\a row\x1b[201~", "row")
    ok("pasted-text-goes-into-the-filter", "no such" in plain(t.out), screen[-200:])
    t.key(b"\x1b", seconds=1)
    t.key(b"\x1b[200~q", seconds=1)  # its end never comes
    for _ in range(30):  # a busy machine may read two keys at once, and they are one paste
        if t.gone() or (t.key("q", seconds=1), t.gone())[1]:
            break
    ended("after-a-paste-without-end", t, 0)
    ok("no-clipboard-escape-from-pasted-text", b"]52;" not in t.out, "OSC 52")


def keys():
    t = Terminal(cols=120, rows=40).up()
    ok("help-opens", "pause" in t.key("?", "What the signs say"), "no help")
    ok("help-searches", "hold the picture" in t.key("/hold", "hold the picture"), "nothing found")
    t.key(b"\x1b", seconds=1)
    t.key("q", seconds=1)
    ok("q-leaves-help-only", not t.gone(), f"exit {t.status}")
    ok("palette-opens", "go to" in t.key(":", "go to"), "no palette")
    t.key("go ports\r", "ADDRESS")
    ok("palette-goes-to-ports", "ADDRESS" in plain(t.out), plain(t.out)[-300:])
    t.key("q", seconds=1)
    ok("q-goes-back-to-the-overview", not t.gone(), f"exit {t.status}")
    ok("pause-says-so", "PAUSED" in t.key("p", "PAUSED"), "no banner")
    t.key("p", seconds=1)
    t.key("m", "mouse on")
    ok("mouse-is-asked-for-by-m-only", t.out.count(b"1000h") == 1, f"{t.out.count(b'1000h')} times")
    t.key("m", "mouse off")
    t.key(b"\x1b\x1b\x1b\x1b", seconds=0.5)
    ok("esc-never-quits", not t.gone(), f"exit {t.status}")
    t.key("q")
    ended("keys", t, 0)


def what_a_terminal_can_besides():
    t = Terminal(cols=120, rows=40).up()
    t.read(0.5)
    ok("sync-is-asked-for-once", t.out.count(b"\x1b[?2026$p") == 1, f"{t.out.count(bytes(b'2026$p'))} times")
    before = len(t.out)
    t.key("?", "search")
    t.key("q", seconds=1)
    ok("no-sync-without-an-answer", b"\x1b[?2026h" not in t.out[before:], "sent")
    t.key(b"\x1b[?2026;2$y", seconds=1)
    before = len(t.out)
    t.key("?", "search")
    t.key("q", seconds=1)
    sent = t.out[before:]
    ok("sync-around-frames-after-an-answer", sent.count(b"\x1b[?2026h") == sent.count(b"\x1b[?2026l") > 0, repr(sent[:200]))
    if until(20, lambda: (t.read(0.5), t.key("gy", "clipboard", 1))[1].find("clipboard") >= 0):
        copied = re.search(rb"\x1b\]52;c;([A-Za-z0-9+/=]+)\a", t.out)
        told = plain(t.out).rsplit("clipboard: ", 1)[1][:20].split("  ")[0].strip()
        ok("copy-is-what-it-says", copied and told and told in base64.b64decode(copied.group(1)).decode(), f"{told!r} {copied!r}")
    else:
        skip("copy", "nothing listens here that could be copied")
    t.key("q", seconds=0.1)
    t.key("q")
    ended("after-sync-and-copy", t, 0)


def idle():
    t = Terminal(cols=120, rows=40).up()
    t.read(6)
    sent = t.read(10)
    ok("idle-sends-less-than-1-kB-a-second", len(sent) <= 10000, f"{len(sent) / 10:.0f} B/s")
    ok("no-clearing-while-it-runs", not re.search(rb"\x1b\[[23]J", sent), "clears the screen")
    ok("no-C1", not re.search(r"[\x80-\x9f]", t.out.decode("utf-8", "replace")), "C1 control")
    before = len(t.out)
    t.key(b"\x0c", "quit")
    ok("ctrl-l-draws-all", len(t.out) - before > 1000, f"{len(t.out) - before} bytes")
    t.close()


def exported_sizes_do_not_count():
    t = Terminal(cols=100, rows=30, env={"LINES": "12", "COLUMNS": "41"}).up()
    ok("LINES-and-COLUMNS-do-not-freeze-the-size", b"\x1b[30;" in t.out or b"\x1b[30d" in t.out, "line 30 is not drawn on")
    t.close()


NOISE = r"""
#include <pthread.h>
#include <unistd.h>
static void *noise(void *unused)
{
	static const char words[] = "library noise \033[2J\033]52;c;eA==\a end\n";
	for (int i = 0; i < 3000; i++) {
		if (write(2, words, sizeof words - 1) < 0)
			break;
		usleep(300);
	}
	return unused;
}
__attribute__((constructor)) static void begin(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, noise, NULL);
}
"""


def what_libraries_print():
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler or SANITIZED:
        skip("library-noise", "no compiler, or a sanitizer that must be heard at once")
        return
    with open(f"{STATE}/noise.c", "w") as f:
        f.write(NOISE)
    subprocess.run([compiler, "-shared", "-fPIC", "-pthread", "-o", f"{STATE}/noise.so", f"{STATE}/noise.c"], check=True)
    t = Terminal(env={"LD_PRELOAD": f"{STATE}/noise.so"})
    t.read(2)
    held = t.out[t.out.find(ALTERNATE):]
    ok("library-noise-stays-off-the-screen", ALTERNATE in held and b"noise" not in held, repr(held[-200:]))
    t.key("q")
    t.wait()
    after = t.out[t.out.rfind(BACK):]
    ok("library-noise-is-told-afterwards", after.count(b"library noise") > 10, repr(after[:200]))
    ok("library-noise-steers-nothing", b"\x1b]52" not in after and b"\x1b[2J" not in after, repr(after[:200]))
    ok("library-noise-is-bounded", len(after) < 80000, f"{len(after)} bytes")
    ok("library-noise-terminal-restored", t.status == 0 and not t.restored(), f"{t.status} {t.restored()}")
    t.close()


def stopping_without_a_shell():
    """In a session without job control nobody could continue it: Ctrl-Z must not stop it."""
    t = Terminal().up()
    t.key(b"\x1a", seconds=0.5)
    ok("ctrl-z-without-job-control-goes-on", "search" in t.key("?", "search"), "no answer")
    t.kill(signal.SIGSTOP)
    time.sleep(0.2)
    t.kill(signal.SIGCONT)
    ok("continued-from-outside-draws-all", "quit" in plain(t.read(30, "quit")), "nothing drawn")
    t.key("qq")
    ended("stopped-and-continued", t, 0)


def job_control():
    if not shutil.which("tmux"):
        skip("job-control", "no tmux")
        return
    sock = os.path.join(STATE, "tmux")
    env = {**ENV, "PS1": "$ "}

    def tmux(*args):
        return subprocess.run(["tmux", "-S", sock, "-f", "/dev/null", *args], env=env, capture_output=True, text=True).stdout

    def shows(text):
        return until(60, lambda: text in tmux("capture-pane", "-p"))

    tmux("new-session", "-d", "-x", "100", "-y", "30", "env PS1='ready> ' bash --norc --noprofile -i")  # root's own prompt is another
    try:
        shows("ready>")
        tmux("send-keys", f"stty -a > {STATE}/before; {LAKETOP}", "Enter")
        ok("tmux-draws", shows("q quit"), tmux("capture-pane", "-p"))
        tmux("send-keys", "C-z")
        ok("ctrl-z-gives-the-shell-back", shows("Stopped"), tmux("capture-pane", "-p"))
        ok("ctrl-z-leaves-no-picture", "SERVICE" not in tmux("capture-pane", "-p"), tmux("capture-pane", "-p"))
        tmux("send-keys", "echo al\"\"ive", "Enter")
        ok("ctrl-z-shell-echoes", shows("alive"), tmux("capture-pane", "-p"))
        tmux("send-keys", "fg", "Enter")
        ok("fg-draws-again", shows("q quit"), tmux("capture-pane", "-p"))
        tmux("resize-window", "-x", "80", "-y", "24")
        ok("tmux-resize", shows("q quit"), tmux("capture-pane", "-p"))
        tmux("send-keys", "q")
        shows("ready>")
        tmux("send-keys", f"stty -a > {STATE}/after; echo sa\"\"ved", "Enter")
        shows("saved")
        before, after = (open(f"{STATE}/{name}").read() for name in ("before", "after"))
        ok("job-control-restores-modes", re.sub(r"rows.*", "", before) == re.sub(r"rows.*", "", after), f"{before} {after}")
        tmux("send-keys", LAKETOP, "Enter")
        shows("q quit")
        pane = tmux("list-panes", "-F", "#{pane_pid}").strip()
        child = subprocess.run(["pgrep", "-P", pane], capture_output=True, text=True).stdout.strip()
        tmux("kill-server")
        ok("closed-window-ends-it", child and until(60, lambda: not os.path.exists(f"/proc/{child}")), f"{child} lives")
    finally:
        tmux("kill-server")


for test in (the_first_frame_comes_before_any_answer, quitting, crashing, a_terminal_that_is_gone, a_terminal_that_takes_nothing, resizing,
             unusual_terminals, colours, ascii_only, no_terminal, wrong_words, sequences_nobody_knows_do_nothing, keys, what_a_terminal_can_besides,
             idle, exported_sizes_do_not_count, what_libraries_print, stopping_without_a_shell, job_control):
    story(test)
shutil.rmtree(STATE, ignore_errors=True)
end()
