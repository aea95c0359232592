# SPDX-License-Identifier: MIT
"""What the integration tests share: say what held, ask laketop, wait for the truth.

A test prints "ok NAME", "not ok NAME: why" or "skip NAME: why"; tests/run counts those lines.
"""
import json
import os
import pathlib
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


def lab(*args, timeout=900):
    done = subprocess.run([LAB, *args], capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise RuntimeError(f"lab {' '.join(args)}: exit {done.returncode}: {(done.stdout + done.stderr)[-800:]}")
    return done.stdout


def until(seconds, condition, every=0.2):
    """The first true value of condition(), or its last value when the time is up."""
    end_at = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > end_at:
            return value
        time.sleep(every)
