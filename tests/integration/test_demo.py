#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The two commands of the newcomer, "make demo" and "make demo-stop", each time in a fresh home: without a terminal, and as a
person has it, where the lakehouse comes alive on the screen."""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time

from check import ROOT, Lab, end, laketop, ok, screen, story, until

WHAT_A_START_SAYS = ("preparing", "waiting for", "listens, waiting", "fetching", "unpacking", "checking")
ON_ITS_WAY = {"absent", "starting", "serving", "unknown"}
STOP = 'The lakehouse still runs. "make demo" shows it again; "make demo-stop" ends it and leaves nothing running.'
own = Lab("demo", "pocket")


def make(*args, **more):
    return subprocess.Popen(["make", *args], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, **own.env}, **more)


def processes():
    """Everything that the lab started and that still runs: by the home in its environment."""
    mark, found = f"LAKETOP_LAB_HOME={own.home}".encode(), []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if mark in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                found.append(f"{pid} {pathlib.Path(f'/proc/{pid}/cmdline').read_bytes().replace(bytes(1), b' ').decode()[:100]}")
        except OSError:
            pass
    return found


def open_ports(text):
    found = []
    for port in map(int, re.findall(r"^port\S* = (\d+)", text, re.M)):
        with socket.socket() as s:
            s.settimeout(1)
            if s.connect_ex(("127.0.0.1", port)) == 0:
                found.append(port)
    return found


def runs(name):
    done = None

    def check():
        nonlocal done
        done = laketop("check", "--profile", own.profile)
        return done.returncode == 0
    ok(name, until(60, check), f"{done.returncode} {done.stdout}")


def stop(name):
    text = pathlib.Path(own.profile).read_text()
    ok(f"{name}-listens-before-it-is-stopped", open_ports(text), text)
    done = make("demo-stop")
    said, errors = done.communicate(timeout=400)
    ok(f"demo-stop-ends-{name}", done.returncode == 0 and "nothing runs" in said, f"{done.returncode} {said} {errors}")
    ok(f"demo-stop-leaves-no-process-of-{name}", not processes(), processes())
    ok(f"demo-stop-leaves-no-port-of-{name}-open", not open_ports(text), open_ports(text))


def watched(*args):
    """make demo without a terminal; meanwhile laketop looks again and again. Returns what it looked like, and what make did."""
    began = time.monotonic()
    demo = make("demo", *args)
    seen, wrong = [], []
    until(600, lambda: os.path.exists(own.profile) or demo.poll() is not None, 0.01)
    while demo.poll() is None:
        done = laketop("status", "--json", "--within", "2s", "--profile", own.profile)
        if done.returncode not in (0, 1, 3) or done.stderr:
            wrong.append(f"{done.returncode} {done.stderr}")
        seen += json.loads(done.stdout)["services"] if done.stdout else []
        time.sleep(0.1)
    said, errors = demo.communicate()
    return seen, wrong, demo.returncode, said, errors, time.monotonic() - began


def without_a_terminal():
    seen, wrong, code, said, errors, took = watched("LAB=light")
    ok("a-profile-of-what-does-not-run-yet-is-no-error", not wrong and seen, wrong[:3])
    ok("make-demo-without-a-terminal-waits-and-prints-the-status", re.search(r"^READY.*3 of 3 serving", said, re.M) and "Services\n" in said, said[-1500:] + errors)
    ok("it-exits-with-the-code-of-status", code == 0, f"{code} {errors}")
    again = until(60, lambda: (done := laketop("status", "--profile", own.profile)).returncode == code and done, 1) or laketop("status", "--profile", own.profile)
    ok("status-says-the-same-afterwards", again.returncode == code and again.stdout.startswith("READY"), again.stdout[:300])
    names = {s["name"] for s in seen}
    ok("all-three-services-were-there-from-the-beginning", names == {"postgres", "seaweedfs", "kafka"}, names)
    others = {(s["name"], s["verdict"], s["reason"]) for s in seen if s["verdict"] not in ON_ITS_WAY}
    ok("on-its-way-nothing-is-called-worse-than-absent-or-starting", not others, others)
    for name in sorted(names):
        lines = {s["reason"] for s in seen if s["name"] == name and s["verdict"] == "starting"}
        ok(f"while-{name}-starts-its-progress-is-the-reason", any((r or "").startswith(WHAT_A_START_SAYS) for r in lines), lines)
        order = [s["verdict"] for s in seen if s["name"] == name]
        ok(f"{name}-does-not-serve-and-then-not", "serving" not in order or set(order[order.index("serving"):]) == {"serving"}, order)
    stop("light")
    _, wrong, code, _, errors, took = watched("LAB=light")
    print(f"a second run is warm: {took:.1f} s (the bar of 25 s is for an idle machine: a figure, not a test)")
    ok("a-second-run-serves-too", code == 0, f"{code} {errors}")
    print(f"# warm light: {took:.1f} s", flush=True)
    stop("light-again")


def a_port_that_is_taken():
    """What cannot come up is told by status, and by the code."""
    text = pathlib.Path(own.profile).read_text()
    port = int(re.search(r"\[service kafka\][^\[]*?^port = (\d+)", text, re.M | re.S)[1])
    with socket.create_server(("127.0.0.1", port)):
        demo = make("demo", "LAB=light")
        said, errors = demo.communicate(timeout=400)
    ok("what-cannot-start-is-said", f"port {port} is held by" in errors, errors)
    ok("and-status-is-printed-all-the-same", re.search(r"^NOT READY", said, re.M) and re.search(rf"^kafka: blocked.*{port}", said, re.M), said[-1500:])
    ok("and-make-demo-fails", demo.returncode != 0, demo.returncode)
    stop("what-came-up")


def is_ready(text):
    return " READY" in text and "NOT READY" not in text


def on_a_terminal():
    with screen("--norc", "-i", command="bash", env=own.env) as it:
        it.press(f"cd {ROOT}; make demo; echo code $?", "Enter")
        began = time.monotonic()
        opened = until(60, lambda: "SERVICE" in it.text() and "postgres" in it.text(), 0.05)
        took = time.monotonic() - began
        first = it.text()
        ok("the-screen-opens-before-all-serve", opened and not is_ready(first), f"{took:.1f} s: {first}")
        seen = {}

        def row(name):
            found = re.search(rf"^\W{{2,5}}{name}\s+(absent|starting|serving|unknown)\b", it.text(), re.M)
            return found and found[1]

        def watch():
            for name in ("postgres", "kafka", "seaweedfs", "spark-master-41", "spark-worker-41", "spark-connect", "spark-history"):
                if (word := row(name)) and seen.setdefault(name, [word])[-1] != word:
                    seen[name].append(word)
            seen["progress"] = seen.get("progress") or re.search("|".join(WHAT_A_START_SAYS), it.text())
            return is_ready(it.text()) and all(row(n) == "serving" for n in ("kafka", "spark-connect"))
        came = until(400, watch, 0.1)
        print(f"# the pocket lakehouse: screen after {took:.1f} s, ready after {time.monotonic() - began:.1f} s", flush=True)
        ok("the-lakehouse-comes-alive-on-it", came, it.text())
        ok("its-progress-was-on-the-screen", seen.get("progress"), seen)
        for name in ("kafka", "spark-connect"):
            ok(f"{name}-went-from-starting-to-serving-before-the-user's-eyes",
               "starting" in seen.get(name, []) and seen[name][-1] == "serving" and seen[name].count("serving") == 1, seen.get(name))
        it.press("?")
        ok("?-shows-the-keys", until(60, lambda: "quit" in it.text() and "filter" in it.text().lower() or "show only rows" in it.text()), it.text())
        it.press("q")
        until(60, lambda: "show only rows" not in it.text())
        it.press("q")
        ok("q-leaves-with-the-line-how-to-stop-it", until(60, lambda: f"{STOP}\ncode 0" in it.text()), it.text())
        ok("and-gives-the-terminal-back-as-it-was", "make demo; echo" in it.text() and "SERVICE" not in it.text(), it.text())
    runs("the-lakehouse-still-runs")
    with screen("demo", command="make", env=own.env) as it:
        began = time.monotonic()
        ok("make-demo-shows-it-again", until(60, lambda: is_ready(it.text()), 0.05), it.text())
        print(f"# shown again, ready after {time.monotonic() - began:.1f} s", flush=True)
    runs("a-screen-that-is-closed-leaves-it-running-too")
    stop("the-pocket-lakehouse")


with own:
    for each in (without_a_terminal, a_port_that_is_taken, on_a_terminal):
        if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
            story(each)
end()
