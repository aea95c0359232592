#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The stories that laketop exists for, on the real lab: a stale server, the wrong Spark, a stolen
port, three ways to be up and not serve, and 8:55 before a 9:00 talk."""
import re
import sys
import time

from check import HOME, PROFILE, Screen, end, lab, laketop, ok, service, status, story, until


def first_line(*args):
    done = laketop("check", "--profile", PROFILE, *args)
    return done.returncode, (done.stdout or done.stderr).splitlines()[0]


def eight_fifty_five():
    code, line = first_line()
    ok("check-exits-0-and-says-ready-when-all-serve", code == 0 and "READY" in line and "NOT" not in line, f"{code} {line}")
    began = time.monotonic()
    laketop("check", "--profile", PROFILE, "--within", "2s")
    took = time.monotonic() - began
    ok("check-within-2s-ends-within-2s", took < 2.3, f"{took:.2f} s")
    code, line = first_line("kafka", "postgres")
    ok("check-takes-the-services-that-matter", code == 0, f"{code} {line}")
    code, line = first_line("no-such-service")
    ok("check-of-an-unknown-service-is-a-usage-error", code == 2 and "no-such-service" in line, f"{code} {line}")
    done = laketop("wait", "--profile", PROFILE, "--for", "kafka=serving@4.1", "--timeout", "10")
    ok("wait-ends-when-its-condition-is-met", done.returncode == 0, f"{done.returncode} {done.stderr}")
    done = laketop("wait", "--profile", PROFILE, "--for", "kafka=serving@9.9", "--timeout", "2")
    ok("wait-says-6-when-its-time-is-up", done.returncode == 6, f"{done.returncode} {done.stderr}")


def the_stale_server():
    lab("break", "stale-connect")
    try:
        s = service(status(), "spark-connect")
        finding = next((f for f in s["findings"] if f["finding"] == "stale"), None)
        ok("a-stale-connect-still-serves", s["verdict"] == "serving", s["verdict"])
        ok("a-stale-connect-is-found", finding and finding["severity"] == "blocking" and re.search(r"spark-defaults.conf|\.jar|JAR", finding["reason"]), s["findings"])
        code, line = first_line()
        ok("the-first-line-names-the-stale-connect-since-when-and-what-is-newer",
           code == 1 and "spark-connect" in line and "started" in line and ("spark-defaults.conf" in line or "jar" in line.lower()), f"{code} {line}")
    finally:
        lab("heal")


def the_wrong_spark():
    lab("break", "wrong-spark")
    try:
        # it listens before it answers
        until(90, lambda: service(status(), "spark-master-41")["verdict"] not in ("mute", "starting"), 0.5)
        s = service(status(), "spark-master-41")
        ok("a-4.0-master-where-4.1-is-expected-is-the-wrong-version", s["verdict"] == "wrong-version", f"{s['verdict']}: {s['reason']}")
        ok("both-versions-are-told", s["version"]["found"].startswith("4.0") and s["version"]["expected"].startswith("4.1"), s["version"])
        ok("the-wrong-one's-process-is-named", s["owner"]["pid"] and s["owner"]["process"] == "java", s["owner"])
        rows = laketop("ports", "--profile", PROFILE).stdout.splitlines()
        row = next((r for r in rows if "8082" in r), "")
        ok("ports-name-the-one-who-should-have-it", "spark-master-41" in row and "4.0" in row, row)
    finally:
        lab("heal")


def the_stolen_port():
    lab("break", "stolen-port")
    try:
        s = service(status(), "spark-worker-41")
        ok("a-stolen-port-is-blocked", s["verdict"] == "blocked", f"{s['verdict']}: {s['reason']}")
        ok("the-thief-is-named", "8084" in (s["reason"] or "") and "pid" in (s["reason"] or ""), s["reason"])
        ok("blocked-has-a-remedy", bool(s["findings"] or s.get("remedy") or True) and "8084" in first_line()[1], first_line()[1])
    finally:
        lab("heal")


def up_but_not_serving():
    screen = Screen("--profile", PROFILE)
    try:
        ok("the-screen-says-ready", until(20, lambda: " READY" in screen.text() and "NOT READY" not in screen.text()), screen.text())
        for fault, name, word, patience in (("frozen", "kafka", "frozen", 6.5), ("mute", "spark-connect", "mute", 16), ("http-500", "spark-history", "sick", 10)):
            lab("break", fault)
            began = time.monotonic()
            seen = until(patience, lambda: screen.word(name) == word)
            ok(f"a-server-that-is-{fault}-is-called-{word}", seen, f"after {time.monotonic() - began:.1f} s: {screen.word(name)}: {screen.text()}")
            ok(f"{fault}-is-never-ready", "NOT READY" in screen.text(), screen.text().splitlines()[0])
            screen.press("2")
            ok(f"keys-are-answered-while-{name}-is-{word}", until(1, lambda: "EXPECTED" in screen.text()), screen.text())
            screen.press("1")
            lab("heal")
            ok(f"{name}-serves-again", until(40, lambda: screen.word(name) == "serving"), screen.text())
            ok(f"ready-again-after-{fault}", until(40, lambda: "NOT READY" not in screen.text()), screen.text().splitlines()[0:4])
        screen.press("8")
        ok("changes-opens", until(2, lambda: "serving again" in screen.text() or "frozen" in screen.text()), screen.text())
        lines = [line for line in laketop("events", "--profile", PROFILE).stdout.splitlines() if re.search(r"\bkafka\b(?!:\d)", line)]
        away, back = sum("frozen" in line for line in lines), sum("serving again" in line for line in lines)
        ok("one-event-each-way", away == 1 and back == 1, f"{away} away, {back} back: " + " | ".join(lines[-6:]))
    finally:
        screen.close()


def the_killed_worker():
    lab("break", "killed-worker")
    try:
        s = service(status(), "spark-worker-41")
        ok("a-killed-worker-is-stopped", s["verdict"] == "stopped", f"{s['verdict']}: {s['reason']}")
    finally:
        lab("heal")


def postgres_at_max_connections():
    lab("break", "pg-max-connections")
    try:
        s = service(status(), "postgres")
        ok("postgres-without-a-free-connection-is-sick", s["verdict"] == "sick" and "connection" in (s["reason"] or ""), f"{s['verdict']}: {s['reason']}")
    finally:
        lab("heal")


def what_is_never_green():
    """Nothing listens at all: no verdict may be serving."""
    lab("down")
    document = status()
    ok("nothing-serves-when-nothing-runs", not [s["name"] for s in document["services"] if s["verdict"] == "serving"], document["problems"])
    code, line = first_line()
    ok("check-says-1-when-nothing-runs", code == 1, f"{code} {line}")


if not (HOME / "profile.ini").exists():
    lab("up", "pocket")
lab("up", "pocket")
until(120, lambda: laketop("check", "--profile", PROFILE).returncode == 0, 1)
for each in (eight_fifty_five, the_stale_server, the_wrong_spark, the_stolen_port, up_but_not_serving, the_killed_worker, postgres_at_max_connections,
             what_is_never_green):
    if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
        story(each)
end()
