#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runbooks and test data on real servers: a book stops PostgreSQL, waits, starts it, fails in its middle and goes on there; laketop
killed while one runs; a dry run; test data into a real Kafka. The audit, /proc and the servers themselves tell what is true."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from check import LAKETOP, TRACED, CannotRun, Lab, awaited, end, laketop, ok, screen, skip, story, until

own = Lab("runbooks", "light")
room = pathlib.Path(tempfile.mkdtemp(prefix="laketop-runbooks-"))
STATE = room / "state"
ENV = {"XDG_STATE_HOME": str(STATE)}
BOOKS = """
[runbook restart]
about = stops the catalog's database and brings it back
step = stop postgres
step = wait postgres=absent 60s
step = command /bin/sh -c "echo $${0}; test -e $${1}" ${word} ROOM/flag
step = start postgres
step = wait postgres=serving@15 120s kafka=serving

[runbook needs]
step = command touch ROOM/needed
step = command echo ${nobody}

[runbook long]
var.seconds = 600
step = command touch ROOM/began
step = command sleep ${seconds}
step = command touch ROOM/ended
"""


def run(*words, timeout=300, env=None):
    """Its exit code, and everything that it said."""
    done = laketop(*words, "--profile", str(room / "books.ini"), env={**ENV, **(env or {})}, timeout=timeout)
    return done.returncode, done.stdout + done.stderr


def did(name, *words, code=0, says=()):
    got, text = run(*words)
    ok(name, got == code and all(s in text for s in says), f"exit {got}: {text}")
    return text


def audit():
    path = STATE / "laketop" / "audit.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def postmaster():
    """The process that the lab started, if it lives."""
    path = own.home / "run" / "postgres.pid"
    pid = int(path.read_text().split()[0]) if path.exists() and path.read_text().strip() else 0
    return pid if pid and pathlib.Path(f"/proc/{pid}").exists() else 0


def a_dry_run_shows_everything_and_runs_nothing():
    pid = postmaster()
    trace = room / "trace"
    done = subprocess.run(["strace", "-f", "-qq", "-e", "trace=execve,kill,pidfd_send_signal", "-o", str(trace), LAKETOP, "run", "restart", "word=a b",
                           "--dry-run", "--profile", str(room / "books.ini")], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300,
                          env={**os.environ, **ENV, **TRACED})
    text = done.stdout + done.stderr
    ok("a-dry-run-shows-each-step-exactly", done.returncode == 0 and "lab stop postgres" in text and "1! stop postgres" in text and
       f"/bin/sh -c 'echo ${{0}}; test -e ${{1}}' 'a b' {room}/flag" in text and "waits at most 60s" in text, text)
    ok("what-cannot-be-known-yet-is-said", "as it is now, before the steps in front of it: postgres runs already" in text, text)
    calls = trace.read_text()
    ok("a-dry-run-spawns-nothing", len(re.findall(r"execve\(", calls)) == 1 and "pidfd_send_signal" not in calls, calls[-800:])
    ok("and-changes-nothing", pid and postmaster() == pid and not audit())


def what_may_not_be_run_is_refused():
    did("an-unset-variable-is-told-with-file-and-line", "run", "needs", "--yes", code=2, says=("books.ini:", "${nobody} is not set", "nobody=..."))
    did("read-only-refuses-a-runbook", "run", "long", "--yes", "--read-only", code=4, says=("--read-only",))
    did("read-only-refuses-test-data", "testdata", "clean", "--yes", "--read-only", code=4, says=("--read-only",))
    (room / "slow.ini").write_text("[laketop]\nprofile = slow\n[testdata]\ngenerate = /bin/sleep 60\nlimit = 1s\n")
    done = laketop("testdata", "generate", "--yes", "--profile", str(room / "slow.ini"), env={"XDG_STATE_HOME": str(room / "slow")})
    ok("its-limit-is-told-by-the-exit-code", done.returncode == 6 and "deadline" in done.stdout, done)
    did("without-a-terminal-nobody-can-say-yes", "run", "long", code=4, says=("--yes",))
    did("a-misspelt-name-is-told-the-nearest", "run", "restrat", code=2, says=("did you mean \"restart\"",))
    did("never-run-is-said", "run", says=("restart", "never", "brings it back"))
    ok("none-of-it-ran", not (room / "needed").exists() and not (room / "began").exists() and not audit(), audit())


def it_fails_in_its_middle_and_goes_on_there():
    before = postmaster()
    text = did("a-book-stops-postgres-and-stops-at-its-failure", "run", "restart", "word=$(touch pwned) x", "--yes", code=1,
               says=("1. stop postgres: done after", "2. wait postgres=absent 60s: done", "failed after", "step 3 of 5", "--resume"))
    ok("no-shell-ran-what-a-variable-holds", "$(touch pwned) x" in text and not pathlib.Path("pwned").exists(), text)
    ok("postgres-is-down", not postmaster())
    did("it-is-remembered", "run", says=("failed at step 3 of 5",))
    (room / "flag").touch()
    text = did("it-is-resumed-with-its-variables", "run", "restart", "--resume", "--yes",
               says=("run restart: 3 of 5 steps", "$(touch pwned) x", "4. start postgres: done", "5. wait", "done: 3 steps"))
    ok("the-steps-before-are-not-run-again", "1. stop" not in text, text)
    after = postmaster()
    ok("postgres-is-another-process-now", after and after != before, (before, after))
    ok("and-serves", awaited("postgres", lambda s: s["verdict"] == "serving", profile=own.profile)["verdict"] == "serving")
    did("nothing-is-left-to-resume", "run", "restart", "--resume", "--yes", code=2, says=("nothing to resume",))
    lines = [(one["phase"], one["verb"]) for one in audit() if one["phase"] != "note"]
    ok("each-step-is-in-the-audit", lines[:5] == [("begin", "run"), ("begin", "stop"), ("end", "stop"), ("begin", "command"), ("end", "command")], lines)
    listed = json.loads(laketop("run", "--json", "--profile", str(room / "books.ini"), env=ENV).stdout)
    last = next(one for one in listed["runbooks"] if one["name"] == "restart")["last"]
    ok("as-json-too", last["state"] == "done" and last["ended"], listed)


def killed_in_its_middle_it_is_open_and_goes_on():
    one = subprocess.Popen([LAKETOP, "run", "long", "--yes", "--profile", str(room / "books.ini")], env={**os.environ, **ENV},
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    program = lambda: next((a["note"] for a in audit() if a["phase"] == "note" and a["verb"] == "command" and a["subject"] == "long:2"), None)  # noqa: E731
    ok("its-second-step-runs", until(60, program) and (room / "began").exists(), audit())
    did("while-it-runs-it-cannot-be-begun-again", "run", "long", "--yes", code=2, says=("runs already, at step 2 of 3",))
    one.send_signal(signal.SIGKILL)
    one.wait()
    pid = program().split()[1]
    did("resuming-tells-of-its-program", "run", "long", "--resume", "--dry-run", says=("2. command sleep 600", f"pid {pid}"))
    os.kill(int(pid), signal.SIGTERM)
    did("killed-it-is-shown-as-cut-short", "run", says=("cut short at step 2 of 3",))
    did("and-among-what-was-left-open", "actions", code=1, says=("run long", "step 2 of 3", "command long:2"))
    (room / "began").unlink()
    did("it-goes-on-at-the-step-that-was-not-finished", "run", "long", "seconds=0", "--resume", "--yes", says=("2. command sleep 0: done", "3. command touch"))
    ok("the-step-before-was-not-run-again", (room / "ended").exists() and not (room / "began").exists())
    did("and-nothing-is-open-any-more", "actions")


def told_to_end_it_ends_its_program():
    one = subprocess.Popen([LAKETOP, "run", "long", "seconds=601", "--yes", "--profile", str(room / "books.ini")], env={**os.environ, **ENV},
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
    sleeps = lambda: subprocess.run(["pgrep", "-fx", "sleep 601"], capture_output=True, text=True).stdout.split()  # noqa: E731
    ok("its-program-runs", until(60, sleeps))
    one.send_signal(signal.SIGINT)
    text, _ = one.communicate(timeout=120)
    ok("ctrl-c-cancels-the-run", one.returncode == 130 and "cancelled" in text and "step 2 of 3" in text, (one.returncode, text))
    ok("and-its-program-is-gone", until(60, lambda: not sleeps()), sleeps())


def test_data_goes_into_a_real_kafka():
    text = did("test-data-is-generated", "testdata", "generate", "--yes", says=("kitchen", "history", "done:", "orders,"))
    made = int(re.search(r"done: (\d+) orders", text)[1])
    files = own.home / "data" / "testdata"
    ok("its-files-are-there", (files / "orders.csv").exists() and len((files / "orders.csv").read_text().splitlines()) == made + 1, made)
    text = did("and-loaded", "testdata", "load", "--yes", says=("events into test-orders", "done:"))
    loaded = int(re.search(r"done: (\d+) events", text)[1])
    text = did("stats-count-them", "testdata", "stats", "--yes", says=(f"orders.csv: {made} rows",))
    ok("as-many-as-kafka-has", f"topic test-orders: {loaded} records in 3 partitions" in text, text)
    one = subprocess.Popen([LAKETOP, "testdata", "stream", "--yes", "--profile", str(room / "books.ini")], env={**os.environ, **ENV},
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
    said = []
    for line in one.stdout:
        said.append(line)
        if "events/s" in line:
            break
    ok("a-stream-tells-its-rate", re.search(r"\d+ events into test-orders \(\d+ events/s\)", said[-1]), said)
    one.send_signal(signal.SIGINT)
    text, _ = one.communicate(timeout=120)
    ok("and-ends-when-it-is-cancelled", one.returncode == 130 and "cancelled" in text, (one.returncode, text))
    text = did("what-was-streamed-is-there", "testdata", "stats", "--yes")
    ok("more-than-before", int(re.search(r"test-orders: (\d+) records", text)[1]) > loaded, text)
    did("and-is-taken-away", "testdata", "clean", "--yes", says=("6 files and topic test-orders taken away",))
    did("all-of-it", "testdata", "stats", "--yes", says=("topic test-orders: none",))


def on_the_screen_it_goes_on_wherever_one_looks():
    (room / "began").unlink(missing_ok=True)
    with screen("--profile", str(room / "books.ini"), env=ENV) as it:
        until(60, lambda: it.word("postgres") == "serving" and it.word("kafka") == "serving")
        it.press(":")
        until(60, lambda: "go to" in it.text())
        it.press(*"run long")
        ok("the-palette-has-runbooks", until(60, lambda: "run long" in it.text() and "3 steps" in it.text()), it.text())
        it.press("Enter")
        ok("its-variables-are-asked-for-first", until(60, lambda: re.search(r"seconds +600 +by itself 600", it.text())), it.text())
        it.press("Enter")
        ok("every-step-is-shown-before-the-yes", until(60, lambda: "Run them all? [y/N]" in it.text() and "command sleep 600" in it.text()), it.text())
        it.press("Enter")
        ok("enter-is-no", until(60, lambda: "Run them all?" not in it.text()) and not (room / "began").exists(), it.text())
        it.press("X")
        ok("x-lists-what-the-profile-offers", until(60, lambda: "generate testdata" in it.text() and "run restart" in it.text()), it.text())
        it.press("Escape", ":")
        until(60, lambda: "go to" in it.text())
        it.press(*"run long", "Enter")
        until(60, lambda: "by itself 600" in it.text())
        it.press("Enter")
        until(60, lambda: "Run them all?" in it.text())
        it.press("y")
        ok("its-steps-are-told", until(60, lambda: re.search(r"●\s+1\. command touch", it.text()) and re.search(r"▶\s+2\. command sleep", it.text())), it.text())
        it.press("Escape", "2")
        ok("it-goes-on-in-another-panel", until(60, lambda: "run long: running" in it.text().splitlines()[0]), it.text())
        it.press("q", "q")
        ok("quitting-asks", until(60, lambda: "Leave? [y/N]" in it.text()), it.text())
        it.press("n")
        it.press("X")
        until(60, lambda: "actions, newest first" in it.text())
        it.press("Enter")
        until(60, lambda: "c cancels it" in it.text())
        it.press("c")
        it.press("X")
        ok("cancelled-it-says-where-to-go-on", until(60, lambda: "resume long" in it.text() or it.press("Escape", "X")), it.text())


try:
    with own:
        own.up()
        (room / "books.ini").write_text(pathlib.Path(own.profile).read_text() + BOOKS.replace("ROOM", str(room)))
        # who has only just begun is not asked at once, and what it is cannot be told
        until(60, lambda: laketop("wait", "--for", "postgres=serving", "--for", "kafka=serving", "--timeout", "10", "--profile", own.profile).returncode == 0)
        for each in (a_dry_run_shows_everything_and_runs_nothing, what_may_not_be_run_is_refused, it_fails_in_its_middle_and_goes_on_there,
                     killed_in_its_middle_it_is_open_and_goes_on, told_to_end_it_ends_its_program, test_data_goes_into_a_real_kafka,
                     on_the_screen_it_goes_on_wherever_one_looks):
            if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
                story(each)
except CannotRun as e:
    skip("runbooks", e)
finally:
    shutil.rmtree(room, ignore_errors=True)
end()
