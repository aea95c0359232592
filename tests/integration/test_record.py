#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What laketop writes: recordings that are judged again as they were, JSON that keeps to its schema, and in all of it no secret."""
import copy
import json
import os
import pathlib
import re
import subprocess
import sys

from check import HOME, LAKETOP, PROFILE, ROOT, awaited, end, lab, laketop, ok, schema_errors, screen, secrets_of, service, status, story, until

SCHEMA = json.loads((ROOT / "tests" / "schema" / "status.json").read_text())
RECORD = HOME / "record"
FAULTS = {  # fault: (service, verdict)
    "stolen-port": ("spark-worker-41", "blocked"), "frozen": ("kafka", "frozen"), "mute": ("spark-connect", "mute"), "http-500": ("spark-history", "sick"),
    "killed-worker": ("spark-worker-41", "stopped"), "stale-connect": ("spark-connect", "serving")}
EVENTS = pathlib.Path(os.environ.get("XDG_STATE_HOME") or pathlib.Path.home() / ".local" / "state") / "laketop"


def outcome(document):
    """All that a verdict is; without times, which go on."""
    def timeless(words):
        return re.sub(r"\b\d+(ms|s|min|h|d)\b", "T", words) if words else words
    return {s["name"]: (s["kind"], s["verdict"], timeless(s["reason"]), s["remedy"], s["caused_by"], s["version"], s["endpoint"], s["owner"]["pid"],
                        [(e["link"], e["state"]) for e in s["evidence"]], [(f["finding"], f["severity"], timeless(f["reason"])) for f in s["findings"]],
                        {name: f["value"] for name, f in s["figures"].items()}) for s in document["services"]}


def differences(a, b):
    return [f"{name}: {p} became {q}" for name in {**a, **b} for p, q in zip(a.get(name, ["missing"]), b.get(name, ["missing"])) if p != q]


def both(name):
    """A look that is recorded, and the same again from its recording, in a network of its own where nothing can be asked."""
    live = json.loads(laketop("status", "--json", "--tables", "--profile", PROFILE, "--record", str(RECORD)).stdout)
    alone = ["unshare", "-n"] if os.geteuid() == 0 else []
    done = subprocess.run([*alone, LAKETOP, "status", "--json", "--tables", "--replay", str(RECORD)],
                          capture_output=True, text=True, timeout=60, env={**os.environ, "PGPASSFILE": "/nonexistent"})
    again = json.loads(done.stdout)
    a, b = outcome(live), outcome(again)
    ok(f"{name}-is-judged-again-as-it-was", a == b, differences(a, b)[:4])
    ok(f"{name}-keeps-its-problems-and-READY", live["ready"] == again["ready"] and [p["service"] for p in live["problems"]] ==
       [p["service"] for p in again["problems"]], f"{live['problems']} {again['problems']}")
    for document, what in ((live, "live"), (again, "replayed")):
        wrong = schema_errors(document, SCHEMA)
        ok(f"{name}-{what}-keeps-to-the-schema", not wrong, wrong[:5])
    return live, again


def a_recording_is_judged_as_it_was():
    live, again = both("a-lake-that-serves")
    ok("a-replay-says-that-it-is-one", again["replayed"] is True and not live.get("replayed"), again.get("replayed"))
    ok("a-replay-keeps-the-tables", {s["name"]: s["tables"] for s in live["services"]} == {s["name"]: s["tables"] for s in again["services"]}, "differ")
    ok("a-replay-is-of-its-time", again["at"] <= live["at"] and all(s["since"] <= again["at"] for s in again["services"]), f"{again['at']} {live['at']}")
    ok("only-its-owner-may-read-a-recording", RECORD.stat().st_mode & 0o77 == 0, oct(RECORD.stat().st_mode))
    text = laketop("status", "--replay", str(RECORD)).stdout
    ok("the-text-of-a-replay-says-so", "replayed" in text, text[:300])


def what_was_found_is_judged_as_it_was():
    """Without a profile everything is found; others may come and go on this machine, the lab's own do not."""
    ports = {s["endpoint"]["port"] for s in status()["services"]}

    def look():
        look.live = json.loads(laketop("status", "--json", "--record", str(RECORD)).stdout)
        return len(ports & {s["endpoint"]["port"] for s in look.live["services"]}) >= len(ports) - 2
    until(60, look, 1)
    live = look.live
    again = json.loads(laketop("status", "--json", "--replay", str(RECORD)).stdout)

    def of(document):
        return {s["endpoint"]["port"]: (s["kind"], s["verdict"], s["version"], s["owner"]["pid"]) for s in document["services"]}
    ok("a-replay-without-a-profile-has-none-either", live["profile"] is None and again["profile"] is None, again["profile"])
    a, b = ({port: told for port, told in of(d).items() if port in ports} for d in (live, again))
    # on ports that were moved nobody guesses Connect and history
    ok("the-lab-is-found", len(a) >= len(ports) - 2, f"{sorted(a)} of {sorted(ports)}")
    ok("what-was-found-is-judged-again-as-it-was", a == b, differences({str(k): v for k, v in a.items()}, {str(k): v for k, v in b.items()})[:4])
    for document, what in ((live, "live"), (again, "replayed")):
        wrong = schema_errors(document, SCHEMA)
        ok(f"what-was-found-{what}-keeps-to-the-schema", not wrong, wrong[:5])


def faults_are_judged_as_they_were():
    for fault, (name, verdict) in FAULTS.items():
        lab("break", fault)
        try:
            until(60, lambda: service(status(), name)["verdict"] == verdict, 0.5)
            live, _ = both(fault)
            ok(f"{fault}-was-in-the-recording", service(live, name)["verdict"] == verdict, service(live, name)["reason"])
        finally:
            lab("heal")
    until(120, lambda: laketop("check", "--profile", PROFILE).returncode == 0, 1)


def a_recording_that_was_cut_or_spoilt():
    laketop("status", "--profile", PROFILE, "--record", str(RECORD))
    whole, spoilt = RECORD.read_bytes(), HOME / "spoilt"
    lines = whole.splitlines(keepends=True)
    for name, content, codes in (
            ("a-recording-without-its-last-bytes", whole[:-100], (0, 1, 3)), ("a-recording-with-a-line-of-nonsense", b"".join([*lines[:3], b"{\xff[\n", *lines[3:]]), (0,)),
            ("a-recording-of-a-first-line", lines[0], (0, 1, 3)), ("a-file-that-is-none", b"hello\n", (2,)), ("an-empty-file", b"", (2,))):
        spoilt.write_bytes(content)
        done = laketop("check", "--replay", str(spoilt))
        ok(f"{name}-ends-with-{codes[0]}-or-alike", done.returncode in codes and len((done.stdout + done.stderr).splitlines()) >= 1, f"{done.returncode} {done.stderr}")
    spoilt.unlink()


def the_schema_is_a_guard():
    """The validator is ours: it must find what is wrong."""
    document = until(60, lambda: (told := status("--tables")) and told["services"][0]["figures"] and told, 1) or status("--tables")
    ok("what-is-right-is-right", not schema_errors(document, SCHEMA), schema_errors(document, SCHEMA)[:5])
    first = document["services"][0]

    def spoil(change):
        other = copy.deepcopy(document)
        change(other, other["services"][0])
        return schema_errors(other, SCHEMA)
    for name, change in (
            ("another-schema", lambda d, s: d.update(schema=2)), ("a-missing-field", lambda d, s: d.pop("ready")), ("a-colour-for-a-verdict", lambda d, s: s.update(verdict="green")),
            ("a-number-as-text", lambda d, s: s.update(age_ms="12")), ("a-truth-as-a-number", lambda d, s: s["owner"].update(pid=True)),
            ("a-port-too-high", lambda d, s: s["endpoint"].update(port=70000)), ("a-negative-age", lambda d, s: s.update(age_ms=-1)),
            ("a-local-time", lambda d, s: d.update(at="2026-11-29T13:05:11+01:00")), ("a-chain-that-is-short", lambda d, s: s["evidence"].pop()),
            ("an-unknown-unit", lambda d, s: next(iter(s["figures"].values())).update(unit="furlongs")),
            ("a-table-of-tables", lambda d, s: s["tables"].update(x=[{"y": {}}]))):
        ok(f"the-schema-refuses-{name}", spoil(change), f"{first['name']} was accepted")
    for args in (("--service", "kafka"), ("--demo", "talk"), ("--within", "0s"), ()):
        done = laketop("status", "--json", "--profile", PROFILE, *args)
        wrong = schema_errors(json.loads(done.stdout), SCHEMA) if done.stdout else [f"{done.returncode} {done.stderr}"]
        ok(f"status-{'-'.join(args).strip('-') or 'plain'}-keeps-to-the-schema", not wrong, wrong[:5])


def on_the_screen(found):
    """Every panel, every service's page to its end, help, and the palette; while it records and keeps its events."""
    with screen("--profile", PROFILE, "--record", str(RECORD), columns=200, lines=60) as it:
        until(60, lambda: " READY" in it.text())
        for key in ("1", "2", "3", "5", "8", "?"):
            it.press(key)
            until(0.6, lambda: False)
            found.append((f"panel {key}", it.text()))
            it.press("Tab")
            until(0.3, lambda: False)
            found.append((f"panel {key}, Tab", it.text()))
            it.press("Escape")
        it.press("1")
        for i in range(len(status()["services"])):
            until(10, lambda: "healthy" not in it.text())
            it.press("g", *["Down"] * i, "Enter")
            until(5, lambda: "healthy" in it.text())
            found.append((f"page {i}", it.text()))
            it.press("G")
            until(0.3, lambda: False)
            found.append((f"end of page {i}", it.text()))
            it.press("q")
        ok("the-pages-of-services-were-seen", sum("healthy" in text for _, text in found) >= 3, [name for name, _ in found])


def no_secret_anywhere():
    secrets = secrets_of(HOME)
    ok("there-are-secrets-to-be-kept", {"s3", "s3-key"} <= set(secrets.values()) and len(secrets) >= 3 and
       any(word in pathlib.Path(PROFILE).read_text() for word in secrets), secrets.values())
    found = []
    for args in (("status", "--json", "--tables"), ("status",), ("status", "--tables"), ("ports", "--json"), ("ports",), ("check",), ("doctor",), ("events",),
                 ("spark", "--json"), ("spark",), ("lag", "--json"), ("lag",)):
        done = laketop(*args, "--profile", PROFILE)
        ok(f"{'-'.join(args)}-says-something", (done.stdout or "no change is known" in done.stderr) and done.returncode in (0, 1, 3),
           f"{done.returncode} {done.stderr}")
        found.append((" ".join(args), done.stdout + done.stderr))
    on_the_screen(found)
    found.append(("the recording", RECORD.read_text()))
    for path in sorted(EVENTS.rglob("*")):
        if path.is_file():
            found.append((f"event log {path.name}", path.read_text(errors="replace")))
    ok("there-is-an-event-log", any(name.startswith("event log") for name, _ in found), EVENTS)

    # a credential that is refused, and a profile with a mistake beside it, are words for an error; secrets are none
    wrong = HOME / "secret" / "wrong"
    wrong.write_text("WrongSecretForATest0123456789\n")
    wrong.chmod(0o600)
    bad = HOME / "wrong.ini"
    bad.write_text(re.sub(r"^password_file = .*$", f"password_file = {wrong}", pathlib.Path(PROFILE).read_text(), flags=re.M))
    try:
        secrets = secrets_of(HOME)
        s = awaited("postgres", lambda s: s["verdict"] == "unknown" and s["reason"], profile=str(bad))
        ok("a-refused-credential-is-never-serving-and-never-down", s["verdict"] == "unknown", f"{s['verdict']}: {s['reason']}")
        for args in (("status", "--json", "--tables"), ("doctor",), ("status", "--record", str(RECORD))):
            done = laketop(*args, "--profile", str(bad))
            found.append((f"refused: {' '.join(args[:2])}", done.stdout + done.stderr))
        found.append(("the recording of a refusal", RECORD.read_text()))
        bad.write_text(f"[service x]\nkind = postgres\nport = 5432\npassword_file = {wrong}\npassword = WrongSecretForATest0123456789\n")
        done = laketop("status", "--profile", str(bad))
        ok("a-password-in-a-profile-is-an-error-that-does-not-repeat-it", done.returncode == 2 and "password" in done.stderr, f"{done.returncode} {done.stderr}")
        found.append(("a profile with a password in it", done.stdout + done.stderr))
        for name, text in found:
            # who is refused is named: for S3 that is the key's id, which is as open as a user's name, and stands in the profile
            there = [file for word, file in secrets.items() if word in text and not ("refus" in name and file == "s3-key")]
            ok(f"no-secret-in-{name.replace(' ', '-')}", not there, there)
    finally:
        wrong.unlink()
        bad.unlink()


lab("up", "pocket")
until(120, lambda: laketop("check", "--profile", PROFILE).returncode == 0, 1)
for each in (a_recording_is_judged_as_it_was, what_was_found_is_judged_as_it_was, a_recording_that_was_cut_or_spoilt, the_schema_is_a_guard, no_secret_anywhere,
             faults_are_judged_as_they_were):
    if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
        story(each)
RECORD.unlink(missing_ok=True)
end()
