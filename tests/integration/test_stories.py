#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The stories that laketop exists for, on the real lab: a stale server, the wrong Spark, a stolen
port, three ways to be up and not serve, and 8:55 before a 9:00 talk."""
import re
import sys
import time

from check import HOME, PROFILE, ROOT, Screen, awaited, end, lab, laketop, ok, screen, status, story, until

sys.path.insert(0, str(ROOT / "tests" / "lab"))
import kit  # noqa: E402
from services import TABLE, port  # noqa: E402 - how the lab starts a Connect


def first_line(*args, code=None, words=""):
    """Exit code and first line; of the first look that ends so, where a code or words are awaited."""
    def look():
        done = laketop("check", "--profile", PROFILE, *args)
        look.said = done.returncode, (done.stdout or done.stderr).splitlines()[0]
        return code in (None, look.said[0]) and words in look.said[1]
    until(60, look, 1)
    return look.said


def port_of(name):
    return re.search(rf"^\[service {name}\]\n(?:[^\[].*\n)*?port = (\d+)", (HOME / "profile.ini").read_text(), re.M)[1]


def seconds(*args):
    began = time.monotonic()
    laketop(*args)
    return time.monotonic() - began


def eight_fifty_five():
    code, line = first_line(code=0)
    ok("check-exits-0-and-says-ready-when-all-serve", code == 0 and "READY" in line and "NOT" not in line, f"{code} {line}")
    # how fast it can be is what is bounded: a busy machine may cost a try
    took = min(seconds("check", "--profile", PROFILE, "--within", "2s") for _ in range(3))
    ok("check-within-2s-ends-within-2s", took < 2.3, f"best of 3: {took:.2f} s")
    code, line = first_line("kafka", "postgres", code=0)
    ok("check-takes-the-services-that-matter", code == 0, f"{code} {line}")
    code, line = first_line("no-such-service")
    ok("check-of-an-unknown-service-is-a-usage-error", code == 2 and "no-such-service" in line, f"{code} {line}")
    done = laketop("wait", "--profile", PROFILE, "--for", "kafka=serving@4.1", "--timeout", "50")
    ok("wait-ends-when-its-condition-is-met", done.returncode == 0, f"{done.returncode} {done.stderr}")
    done = laketop("wait", "--profile", PROFILE, "--for", "kafka=serving@9.9", "--timeout", "2")
    ok("wait-says-6-when-its-time-is-up", done.returncode == 6, f"{done.returncode} {done.stderr}")


def the_stale_server():
    lab("break", "stale-connect")
    try:
        s = awaited("spark-connect", lambda s: s["verdict"] == "serving" and any(f["finding"] == "stale" for f in s["findings"]))
        finding = next((f for f in s["findings"] if f["finding"] == "stale"), None)
        ok("a-stale-connect-still-serves", s["verdict"] == "serving", s["verdict"])
        ok("a-stale-connect-is-found", finding and finding["severity"] == "blocking" and re.search(r"spark-defaults.conf|\.jar|JAR", finding["reason"]), s["findings"])
        code, line = first_line(code=1, words="started")
        ok("the-first-line-names-the-stale-connect-since-when-and-what-is-newer",
           code == 1 and "spark-connect" in line and "started" in line and ("spark-defaults.conf" in line or "jar" in line.lower()), f"{code} {line}")
    finally:
        lab("heal")


def the_wrong_spark():
    lab("break", "wrong-spark")
    try:
        s = awaited("spark-master-41", lambda s: s["verdict"] == "wrong-version", 90)  # it listens before it answers
        ok("a-4.0-master-where-4.1-is-expected-is-the-wrong-version", s["verdict"] == "wrong-version", f"{s['verdict']}: {s['reason']}")
        ok("both-versions-are-told", s["version"]["found"].startswith("4.0") and s["version"]["expected"].startswith("4.1"), s["version"])
        ok("the-wrong-one's-process-is-named", s["owner"]["pid"] and s["owner"]["process"] == "java", s["owner"])

        port = port_of("spark-master-41")

        def row():
            row.told = next((r for r in laketop("ports", "--profile", PROFILE).stdout.splitlines() if f":{port}:" in r), "")
            return "spark-master-41" in row.told and "4.0" in row.told
        ok("ports-name-the-one-who-should-have-it", until(60, row, 0.5), row.told)
    finally:
        lab("heal")


def the_stolen_port():
    lab("break", "stolen-port")
    try:
        s = awaited("spark-worker-41", lambda s: s["verdict"] == "blocked")
        ok("a-stolen-port-is-blocked", s["verdict"] == "blocked", f"{s['verdict']}: {s['reason']}")
        port = port_of("spark-worker-41")
        ok("the-thief-is-named", port in (s["reason"] or "") and "pid" in (s["reason"] or ""), s["reason"])
        code, line = first_line(code=1, words=port)
        ok("the-first-line-names-the-port", code == 1 and port in line, f"{code} {line}")
    finally:
        lab("heal")


def key_is_answered(screen):
    """Of three tries one within a second: a busy machine may cost a try, a panel that waits for a socket costs all."""
    for _ in range(3):
        screen.press("2")
        if until(1, lambda: "EXPECTED" in screen.text(), 0.05):
            return True
        screen.press("1")
        until(20, lambda: "EXPECTED" not in screen.text())
    return False


def is_ready(screen):
    text = screen.text()
    return " READY" in text and "NOT READY" not in text


def up_but_not_serving():
    screen = Screen("--profile", PROFILE)
    try:
        ok("the-screen-says-ready", until(60, lambda: is_ready(screen)), screen.text())
        for fault, name, word in (("frozen", "kafka", "frozen"), ("mute", "spark-connect", "mute"), ("http-500", "spark-history", "sick")):
            lab("break", fault)
            began = time.monotonic()
            seen = until(60, lambda: screen.word(name) == word)
            ok(f"a-server-that-is-{fault}-is-called-{word}", seen, f"after {time.monotonic() - began:.1f} s: {screen.word(name)}: {screen.text()}")
            print(f"# {fault}: called so {time.monotonic() - began:.1f} s after it was", flush=True)
            ok(f"{fault}-is-never-ready", "NOT READY" in screen.text(), screen.text().splitlines()[0])
            ok(f"keys-are-answered-while-{name}-is-{word}", key_is_answered(screen), screen.text())
            screen.press("1")
            lab("heal")
            ok(f"{name}-serves-again", until(90, lambda: screen.word(name) == "serving"), screen.text())
            ok(f"ready-again-after-{fault}", until(90, lambda: is_ready(screen)), screen.text().splitlines()[0:4])
        screen.press("8")
        ok("changes-opens", until(20, lambda: "serving again" in screen.text() or "frozen" in screen.text()), screen.text())
        lines = [line for line in laketop("events", "--profile", PROFILE).stdout.splitlines() if re.match(r"\S+ kafka: ", line)]
        ways = "".join("f" if "frozen" in line else "s" if "serving again" in line else "." for line in lines)
        ok("one-event-each-way", ways.count("f") == 1 and re.search(r"f\.*s(?!s)", ways), f"{ways}: " + " | ".join(lines[-6:]))
    finally:
        screen.close()


def the_second_connect():
    """Who starts one believes that it answers: the old one does. A laketop that looks on sees it come and go."""
    argv, env = TABLE["spark-connect"].start(TABLE["spark-connect"])  # its port stands in its spark-defaults.conf alone
    with screen("--profile", PROFILE, columns=200) as seen:
        ok("ready-before-the-second-one", until(60, lambda: is_ready(seen)), seen.text())
        second = kit.spawn("second-connect", argv, env)
        try:
            code = until(120, second.poll, 0.5)
            ok("a-second-connect-ends-without-its-port", code, (code, kit.tail(kit.home("log", "second-connect.log"))))
            words = rf"pid \d+ was started .* ago for {port('spark-connect')} and could not have it"
            ok("it-is-said-to-have-lost-its-port", until(30, lambda: re.search(words, seen.text()), 0.5), seen.text())
            ok("which-is-not-ready", "NOT READY" in seen.text(), seen.text().splitlines()[0])
            ok("the-old-one-serves-on", seen.word("spark-connect") == "serving", seen.text())
        finally:
            kit.stop("second-connect")


def the_killed_worker():
    lab("break", "killed-worker")
    try:
        s = awaited("spark-worker-41", lambda s: s["verdict"] == "stopped")
        ok("a-killed-worker-is-stopped", s["verdict"] == "stopped", f"{s['verdict']}: {s['reason']}")
    finally:
        lab("heal")


def postgres_at_max_connections():
    lab("break", "pg-max-connections")
    try:
        s = awaited("postgres", lambda s: s["verdict"] == "sick")  # one that leaves makes room for a moment
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
for each in (eight_fifty_five, the_stale_server, the_wrong_spark, the_stolen_port, up_but_not_serving, the_second_connect, the_killed_worker, postgres_at_max_connections,
             what_is_never_green):
    if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
        story(each)
end()
