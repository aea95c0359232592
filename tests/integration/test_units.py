#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Units of a real systemd, PID 1 in namespaces of its own, and of the manager of a user in it: start, stop, whose a port is, how
they fail, and their journal, backwards too. systemctl and journalctl tell what is true."""
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys

from check import LAKETOP, end, goes_backwards, ok, screen, skip, story, until
from own_systemd import UID, OwnSystemd, missing

MANY, BURST = 12000, 3000  # the journal gives hundreds of lines of a burst one stamp
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
own = OwnSystemd()
TALKS = f"""import sys, time
for i in range({MANY}):
    if i % {BURST} == 0:
        sys.stdout.flush(); time.sleep(1.1)
    print("ERROR" if i % 1000 == 777 else "INFO", "line %06d of the many" % i)
print("Traceback (most recent call last):\\n  File \\"x.py\\", line 1\\nValueError: why\\n" + "x" * 6000 + " end of the long one", flush=True)
sys.stdout.buffer.write(b"INFO \\x1b[31mred\\x1b[0m \\xff\\n"); sys.stdout.flush()
while True:
    time.sleep(1); print("INFO tick", flush=True)
"""


def serves(port):
    return f"[Service]\nExecStart={PYTHON} -u -m http.server --bind 127.0.0.1 {port}\n"


def shell(words, more=""):
    return f"[Service]\nExecStart=/bin/sh -c '{words}'\n{more}"


# its network is its own: no port is taken there. "memory.service" is "_memory.service" to the kernel.
UNITS = {
    "memory.service": serves(8001), "talk@.service": serves(8002),
    "fails.service": shell("echo no such catalog >&2; exit 78"), "nothing.service": "[Service]\nExecStart=/no/such/program\n",
    "loop.service": shell("echo round; exit 3", "Restart=always\nRestartSec=300ms\n[Unit]\nStartLimitIntervalSec=0\n"),
    "once.service": shell("echo no such table >&2; exit 5", "Type=oneshot\n"),
    "needs.service": shell("sleep 1000", "[Unit]\nRequires=once.service\nAfter=once.service\n"),
    "late.service": shell("sleep 1000", "Type=notify\nTimeoutStartSec=3\n"), "bad.service": "[Service]\nType=nonsense\n",
}
# the journal learns a user's unit from its process: of one that is gone already it knows none
OWN = {"own.service": serves(8003), "ownfails.service": shell("echo own catalog; sleep 1; exit 7")}
SERVICES = {  # service: (unit, port)
    "web": ("memory", 8001), "talk": ("talk@a\\x2db.service", 8002), "any": ("talk", 8002), "fails": ("fails", 8010), "nothing": ("nothing.service", 8011),
    "loop": ("loop", 8012), "once": ("once", 8013), "needs": ("needs", 8014), "late": ("late", 8015), "bad": ("bad", 8016), "masked": ("masked", 8017),
    "lost": ("lost", 8018), "own": ("own", 8003), "ownfails": ("ownfails", 8019), "chatty": ("chatty", 8020),
}
PROFILE = own.room / "units.ini"
BINARY = own.room / "laketop"  # where that user may run it


def laketop(*words, user=False, **more):
    state = {"XDG_STATE_HOME": own.room / "lake" / "state" if user else "/run/state"}
    return own(BINARY, *words, "--profile", PROFILE, user=user, env=state, timeout=120, **more)


def did(name, *words, code=0, says=(), user=False):
    done = laketop(*words, "--yes", user=user)
    ok(name, done.returncode == code and all(s in done.stdout + done.stderr for s in says), f"exit {done.returncode}: {done.stdout + done.stderr}")


def service(name, user=False):
    return next(s for s in json.loads(laketop("status", "--json", user=user).stdout)["services"] if s["name"] == name)


def entries(*words, user=False):
    return [json.loads(line) for line in laketop("logs", "--json", *words, user=user).stdout.splitlines()]


def shown(unit, what, *options):
    return own("systemctl", *options, "show", "-p", what, "--value", unit).stdout.strip()


@contextlib.contextmanager
def screen_there(*words):
    argv = own.enter(BINARY, "--profile", PROFILE, *words, env={"XDG_STATE_HOME": "/run/state", "TERM": "screen"})
    with screen(*argv[1:], command=argv[0], columns=110, lines=30) as it:
        yield it


# ---- acting ----

def units_are_started_restarted_and_stopped():
    did("a-unit-is-started", "start", "web", says=("systemctl --no-ask-password start -- memory", "done: serving"))
    first = shown("memory", "MainPID")
    s = service("web")
    ok("its-port-is-the-units", (s["verdict"], s["owner"]["unit"], s["owner"]["pid"]) == ("serving", "memory.service", int(first)), s)
    did("it-is-restarted", "restart", "web", says=("done: serving",))
    ok("by-another-process", shown("memory", "MainPID") not in (first, "0"), first)
    did("an-instance-whose-name-is-escaped-is-started", "start", "talk", says=("done: serving",))
    s = service("talk")
    ok("its-port-is-that-instances", (s["verdict"], s["owner"]["unit"]) == ("serving", "talk@a\\x2db.service"), s)
    ok("and-of-the-template-by-its-name", service("any")["verdict"] == "serving", service("any"))
    did("it-is-stopped", "stop", "web", says=("done: stopped",))
    ok("and-systemd-says-so", shown("memory", "ActiveState") == "inactive", shown("memory", "ActiveState"))
    ok("stopped-is-its-verdict", service("web")["verdict"] == "stopped", service("web"))


def a_unit_that_fails_is_named_with_its_own_words():
    did("one-that-ends-at-once", "start", "fails", code=1, says=("exit-code, status 78", "no such catalog"))
    did("one-whose-program-is-not-there", "start", "nothing", code=1, says=("status 203", "/no/such/program: No such file"))
    did("one-that-is-started-again-and-again", "start", "loop", code=1, says=("ends and is started again: exit-code, status 3", "round"))
    s = until(30, lambda: (s := service("loop"))["verdict"] == "sick" and s, 1)
    ok("that-it-is-started-again-is-its-verdict", s and "ends and is started again: exit-code, status 3" in s["reason"], service("loop"))
    did("and-it-is-stopped", "stop", "loop", says=("done: stopped",))
    ok("and-stays-so", shown("loop", "ActiveState") in ("inactive", "failed"), shown("loop", "ActiveState"))
    s = service("fails")
    ok("how-it-failed-is-told-afterwards", (s["verdict"], s["reason"]) == ("stopped", "unit fails failed: exit-code, status 78"), s)
    did("one-whose-job-fails", "start", "once", code=1, says=("control process exited with error code", "no such table"))
    did("one-that-needs-it", "start", "needs", code=1, says=("dependency job for needs.service failed",))
    did("one-that-is-never-ready", "start", "late", code=1, says=("timeout was exceeded", "timed out"))
    did("one-whose-file-is-wrong", "start", "bad", code=1, says=("bad cannot be read (bad-setting)",))
    did("a-masked-one", "start", "masked", code=1, says=("systemctl unmask",))
    did("one-that-nobody-knows", "start", "lost", code=1, says=("knows no unit lost",))
    document = {name: service(name) for name in ("bad", "masked", "lost")}
    ok("each-is-judged-so", [(s["verdict"], s["remedy"]) for s in document.values()] ==
       [("stopped", "systemctl status bad"), ("stopped", "systemctl unmask masked"), ("absent", "start it")], document)


def a_users_own_units():
    did("a-users-unit-is-started-by-his-manager", "start", "own", user=True, says=("systemctl --user", "done: serving"))
    s = service("own", user=True)
    ok("its-port-is-its-own", (s["verdict"], s["owner"]["unit"]) == ("serving", "own.service"), s)
    did("one-that-fails-is-named-with-its-words", "start", "ownfails", user=True, code=1, says=("exit-code, status 7", "own catalog"))
    s = service("ownfails", user=True)
    ok("and-judged-so", (s["reason"], s["remedy"]) == ("unit ownfails failed: exit-code, status 7", "systemctl --user start ownfails"), s)
    ok("he-reads-its-journal", "own catalog" in [e["text"] for e in entries("ownfails", user=True)], entries("ownfails", user=True))
    did("it-is-stopped", "stop", "own", user=True, says=("done: stopped",))
    ok("and-his-manager-says-so", own("systemctl", "--user", "is-active", "own", user=True).stdout.strip() == "inactive")
    done = laketop("logs", "fails", user=True)
    ok("that-the-systems-journal-is-hidden-from-him-is-told", "usermod -aG systemd-journal" in done.stderr, done)
    if not shutil.which("dbus-daemon"):
        return skip("a-system-unit-is-not-his-to-start", "there is no dbus-daemon")
    own("systemctl", "start", "dbus.socket")
    did("a-system-unit-is-not-his-to-start", "start", "fails", user=True, code=1, says=("Failed to start fails.service", "not allowed to this user", "polkit"))


# ---- the journal ----

def the_journal_is_read_as_it_is():
    text = [(e["level"], e["text"]) for e in entries("fails")]
    ok("lines-of-a-unit-and-about-it-come-with-their-levels", ("INFO", "no such catalog") in text and
       ("WARN", "fails.service: Failed with result 'exit-code'.") in text, text)
    ok("of-a-template-those-of-its-instances", any("Serving HTTP" in e["text"] for e in entries("any")), entries("any"))
    lost = laketop("logs", "lost")
    ok("that-there-are-none-is-told", "the journal has no line of this unit" in lost.stderr, lost)
    own("systemctl", "start", "chatty")
    ok("all-that-was-written-comes", until(60, lambda: any("red" in e["text"] for e in entries("chatty", "--since", "10min")), 1))
    told = entries("chatty", "--since", "10min")
    numbers = [int(n) for e in told for n in re.findall(r"line (\d{6})", e["text"])]
    ok("each-line-once-and-in-order", numbers == list(range(MANY)), (len(numbers), numbers[:2], numbers[-2:]))
    last = [e["text"] for e in told if "tick" not in e["text"]][-3:]
    ok("a-trace-is-one-and-a-long-line-whole", last[0].endswith("ValueError: why") and last[1].endswith("x end of the long one"), [t[-60:] for t in last])
    ok("bytes-are-made-clean", "red" in last[2] and "\x1b" not in last[2], last[2][-80:])
    found = [e["text"] for e in entries("chatty", "--match", "line 000777")]
    ok("what-is-looked-for-is-looked-for-in-all-of-it", found == ["ERROR line 000777 of the many"], found)
    errors = entries("chatty", "--level", "error")
    ok("a-level-too", len(errors) == MANY // 1000, errors[-3:])
    out = own.room / "followed"
    with out.open("w") as to:
        child = subprocess.Popen(own.enter("sh", "-c", 'echo $$ > "$0.pid"; exec "$@"', out, BINARY, "logs", "-f", "chatty", "--profile", PROFILE),
                                 stdin=subprocess.DEVNULL, stdout=to)
    ok("it-is-followed", until(30, lambda: out.read_text().count("tick") > 5), out.read_text()[-300:])
    own("sh", "-c", 'kill "$(cat "$0.pid")"', out)
    ok("and-ends-when-it-is-told-to", child.wait(30) in (0, 143, -15), child.returncode)


def the_past_is_shown_backwards():
    moment = next(e["at"] for e in entries("chatty", "--match", f"line {BURST * 2:06d}"))
    with screen_there() as it:
        ok("the-overview-comes", until(30, lambda: it.word("chatty")), it.text())
        it.press("G", "l")
        goes_backwards(it, MANY, BURST, moment)


def begin():
    reason = missing() or own.up()
    if reason:
        return reason
    shutil.copy(LAKETOP, BINARY)
    BINARY.chmod(0o755)
    (own.room / "talks.py").write_text(TALKS)
    for name, body in UNITS.items():
        own.write(name, body)
    for name, body in OWN.items():
        own.write(name, body, user=True)
    own.write("chatty.service", f"[Service]\nLogRateLimitIntervalSec=0\nExecStart={PYTHON} {own.room}/talks.py\n")
    own("ln", "-s", "/dev/null", "/etc/systemd/system/masked.service")
    own("systemctl", "daemon-reload")
    PROFILE.write_text("[laketop]\nprofile = units\n" + "".join(f"[service {name}]\nkind = other\ngrace = 3s\nport = {port}\nunit = {unit}\n"
                                                               for name, (unit, port) in SERVICES.items()))
    own("systemctl", "start", f"user@{UID}")
    return ""


try:
    why = begin()
    if why:
        skip("units", why)
    else:
        print(f"# {own('systemctl', '--version').stdout.splitlines()[0]}")
        for each in (units_are_started_restarted_and_stopped, a_unit_that_fails_is_named_with_its_own_words, a_users_own_units,
                     the_journal_is_read_as_it_is, the_past_is_shown_backwards):
            if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
                story(each)
finally:
    own.down()
ok("nothing-of-it-is-left", not own.left(), own.left())
end()
