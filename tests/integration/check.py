# SPDX-License-Identifier: MIT
"""What the integration tests share: say what held, ask laketop, wait for the truth.

A test prints "ok NAME", "not ok NAME: why" or "skip NAME: why"; tests/run counts those lines.
"""
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LAKETOP = os.environ.get("LAKETOP", str(ROOT / "laketop"))
HOME = pathlib.Path(os.environ.get("LAKETOP_LAB_HOME", "/var/tmp/laketop-lab"))
LAB = str(ROOT / "tests" / "lab" / "lab")
PROFILE = str(HOME / "profile.ini")
FULL = bool(os.environ.get("LAKETOP_TEST_FULL"))
# what servers say by themselves, asked or not: an application that ends, a JVM without native Hadoop
AMBIENT = ("Got status update for unknown executor", "NativeCodeLoader")
# ours, and known: the release of our session cut short at exit, on a loaded machine only; told as skipped, never as good
KNOWN = ("Stream Error", "Stream closed before write", "Http2Exception$StreamException", "Http2Exception.streamError")
for _name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):  # a make that a test runs is not a part of "make test"
    os.environ.pop(_name, None)
TRACED = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}  # leaks cannot be looked for under strace
_bad = 0


def ok(name, held, why=""):
    global _bad
    if held:
        print(f"ok {name}", flush=True)
    else:
        _bad += 1
        print(f"not ok {name}: {why}", flush=True)
    return bool(held)


def skip(name, why):
    print(f"skip {name}: {why}", flush=True)


def story(function):
    """Runs one test function; what it throws is its failure, and the next one still runs."""
    try:
        function()
    except Exception:  # noqa: BLE001 - a test that breaks is a test that failed
        ok(function.__name__, False, traceback.format_exc(limit=3).replace("\n", " | "))


def end():
    sys.exit(1 if _bad else 0)


def laketop(*args, timeout=60, env=None):
    return subprocess.run([LAKETOP, *args], capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL,
                          env={**os.environ, **(env or {})})


def status(*args, profile=PROFILE):
    return json.loads(laketop("status", "--json", "--profile", profile, *args).stdout)


def service(document, name):
    return next((s for s in document["services"] if s["name"] == name), None)


def settled(seconds, look, every=0.5):
    """look() gives (name, held, why) of all that must hold at one time: told at the first look where all of it does, or as it is at the last."""
    def holds():
        try:
            told = look()
        except (LookupError, TypeError, ValueError, AttributeError, OSError):  # what is asked of is not there yet
            return None
        return told if all(held for _, held, _ in told) else None
    return all([ok(*one) for one in until(seconds, holds, every) or look()])


def awaited(name, holds, seconds=60, **more):
    """The service at the first look of which it holds, or at the last one: a loaded machine may cost a look."""
    last = None

    def look():
        nonlocal last
        last = service(status(**more), name)
        return last and holds(last)
    until(seconds, look, 0.5)
    return last


class CannotRun(RuntimeError):
    """This machine does not allow it: a test skips, and says why."""


def lab(*args, timeout=900, env=None):
    done = subprocess.run([LAB, *args], capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL, env={**os.environ, **(env or {})})
    if done.returncode == 3:
        raise CannotRun(done.stderr.strip().removeprefix("lab: "))
    if done.returncode:
        raise RuntimeError(f"lab {' '.join(args)}: exit {done.returncode}: {(done.stdout + done.stderr)[-800:]}")
    return done.stdout


def until(seconds, condition, every=0.2):
    """The first true value of condition(), or its last value when the time is up."""
    end_at = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > end_at:
            break
        time.sleep(every)
    if not value and seconds >= 5:  # a wait that never comes true is dear, also where its end is no failure
        caller = sys._getframe(1)
        print(f"  waited {seconds} s in vain: {os.path.basename(caller.f_code.co_filename)}:{caller.f_lineno}", flush=True)
    return value


# ---- a lab of a test's own ----

def _is_free(port):
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port(but=()):
    """Below those that the kernel gives away, with the one 10,000 above it, which SeaweedFS takes for gRPC."""
    while True:
        port = random.randrange(11000, 22000)
        if port not in but and _is_free(port) and _is_free(port + 10000):
            return port


def moved_ports(*groups):
    """For LAKETOP_LAB_PORTS: every port of these groups is another one than usual."""
    sys.path.insert(0, str(ROOT / "tests" / "lab"))
    from services import services_of  # noqa: PLC0415 - most tests do not need it
    taken, words = set(), []
    for service_ in services_of(groups) + services_of(groups, helpers=True):
        for role in service_.ports:
            taken.add(port := free_port(taken))
            words.append(f"{service_.name}{'.' + role if role else ''}={port}")
    return " ".join(words)


class Lab:
    """Beside the shared lab: a home of its own in that one's, every port moved; ended and gone afterwards."""

    def __init__(self, name, *groups):
        self.home, self.groups = HOME / f"own-{name}", groups
        self.profile = str(self.home / "profile.ini")
        self.env = {"LAKETOP_LAB_HOME": str(self.home), "LAKETOP_LAB_PORTS": moved_ports(*groups)}

    def __enter__(self):
        HOME.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            HOME.chmod(0o755)  # PostgreSQL runs as another user
        return self

    def __exit__(self, *_):
        self("down")
        shutil.rmtree(self.home, ignore_errors=True)

    def __call__(self, *args):
        return lab(*args, env=self.env)

    def up(self):
        self("up", *self.groups)

    def secrets(self):
        return secrets_of(self.home)


def secrets_of(home):
    """Every password and key of a lab, by the file that holds it."""
    found = {}
    for path in sorted((home / "secret").iterdir()):
        for word in re.findall(r"[0-9A-Za-z]{16,}", path.read_text()):
            found.setdefault(word, path.name)
    return found


# ---- what a person sees ----

class Screen:
    """laketop, or another command, in a terminal of its own, as a person has it on the second monitor."""

    def __init__(self, *args, columns=120, lines=40, command=LAKETOP, env=None):
        self.socket, self.lines = f"laketop-test-{os.getpid()}", lines
        self.tmux("kill-server", check=False)
        self.tmux("new-session", "-d", "-s", "t", "-x", str(columns), "-y", str(lines), *(f"-e{k}={v}" for k, v in (env or {}).items()), command, *args)

    def tmux(self, *args, check=True):
        return subprocess.run(["tmux", "-L", self.socket, "-f", "/dev/null", *args], check=check, capture_output=True, text=True).stdout

    def text(self):
        return self.tmux("capture-pane", "-p", "-t", "t", check=False)

    def word(self, name):
        """The verdict in the row of a service; the lines of problems and events are no rows."""
        found = re.findall(rf"^\W{{2,5}}{name}\s{{2,}}(absent|blocked|frozen|impostor|mute|serving|sick|starting|stopped|unknown|wrong version)\s", self.text(), re.M)
        return found[-1] if found else ""

    def press(self, *keys):
        self.tmux("send-keys", "-t", "t", *keys)

    def close(self):
        self.tmux("kill-server", check=False)


@contextlib.contextmanager
def screen(*args, **more):
    it = Screen(*args, **more)
    try:
        yield it
    finally:
        it.close()


def goes_backwards(it, many, burst, moment):
    """The log of one who wrote "line 000000 of the many" to that number, with a pause before each burst, and then "tick"s: all of
    it is reached from the screen that shows it. moment: of the first line of the third burst."""
    def top():
        seen = re.findall(r"line (\d{6}) of", it.text())
        return int(seen[0]) if seen else many

    middle = many // 2 + burst // 2
    ok("it-opens-at-the-newest", until(30, lambda: re.search(r"INFO +tick", it.text())), it.text())
    it.press("g")
    ok("g-goes-to-the-very-first-line", until(60, lambda: "line 000000" in it.text()), it.text())
    it.press("#")
    until(5, lambda: "search" in it.text())
    it.press(f"line {middle:06d}", "Enter")
    ok("a-search-goes-to-what-it-finds", until(60, lambda: f"line {middle:06d} of" in it.text()), it.text())
    begun, skipped, last, goal = time.monotonic(), 0, top(), middle - 1300
    while last > goal and time.monotonic() - begun < 150:  # over the edge of what is held, among hundreds of lines of one moment
        it.press("PageUp")
        until(1, lambda: top() != last, 0.05)  # a key while it reads is no second one
        skipped, last = max(skipped, last - top()), top()
    ok("pages-go-on-backwards", last <= goal, it.text())
    ok("and-no-line-is-left-out", skipped <= it.lines, skipped)
    it.press("G")
    ok("G-goes-to-the-newest", until(60, lambda: re.search(r"INFO +tick", it.text()) and "follows" in it.text()), it.text())
    it.press("#")
    it.press(f"@{moment[:10]} {moment[11:19]}", "Enter")
    ok("a-time-is-gone-to", until(60, lambda: top() in range(burst * 2 - it.lines, burst * 2 + it.lines)), it.text())


# ---- JSON Schema, as far as ours goes ----

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "number": (int, float), "integer": int}
KEYWORDS = {"$schema", "$defs", "title", "description", "$ref", "type", "const", "enum", "required", "properties", "additionalProperties", "items",
            "minItems", "minimum", "maximum", "pattern"}


def _is_a(value, name):
    return isinstance(value, TYPES[name]) and (name in ("boolean", "null") or not isinstance(value, bool))


def schema_errors(value, schema, root=None, at="$"):
    """Where the value breaks the schema, each as one line."""
    root = root or schema
    if set(schema) - KEYWORDS:
        raise ValueError(f"this validator does not know {sorted(set(schema) - KEYWORDS)}")
    if "$ref" in schema:
        return schema_errors(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, at)
    types = schema.get("type", list(TYPES))
    if not any(_is_a(value, name) for name in ([types] if isinstance(types, str) else types)):
        return [f"{at}: {value!r} is no {types}"]
    wrong = []
    if "const" in schema and value != schema["const"]:
        wrong.append(f"{at}: {value!r} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        wrong.append(f"{at}: {value!r} is none of {schema['enum']}")
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        wrong.append(f"{at}: {value!r} is not like {schema['pattern']}")
    if _is_a(value, "number") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        wrong.append(f"{at}: {value!r} is out of bounds")
    if isinstance(value, dict):
        wrong += [f"{at}: has no {key}" for key in schema.get("required", []) if key not in value]
        for key, one in value.items():
            more = schema.get("properties", {}).get(key, schema.get("additionalProperties", True))
            if more is False:
                wrong.append(f"{at}: {key} is not foreseen")
            elif more is not True:
                wrong += schema_errors(one, more, root, f"{at}.{key}")
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            wrong.append(f"{at}: fewer than {schema['minItems']}")
        for i, one in enumerate(value):
            wrong += schema_errors(one, schema.get("items", {}), root, f"{at}[{i}]")
    return wrong
