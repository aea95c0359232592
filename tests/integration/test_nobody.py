#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""laketop as a user who may see little: no foreign socket's owner, no secret. What it cannot know it calls unknown or probable;
what it tells is right."""
import json
import os
import pathlib
import re
import subprocess
import sys

from check import HOME, LAKETOP, PROFILE, ROOT, end, free_port, lab, laketop, ok, schema_errors, service, skip, status, story, until

SCHEMA = json.loads((ROOT / "tests" / "schema" / "status.json").read_text())
OPEN = str(HOME / "nobody.ini")


def as_user(user, *argv):
    return ["setpriv", f"--reuid={user}", "--regid=nogroup", "--clear-groups", *argv]


def nobody(*args, profile=OPEN, home="/nonexistent"):
    env = {"PATH": "/usr/bin:/bin", "HOME": home, "LC_ALL": "C.UTF-8"}
    return subprocess.run(as_user("nobody", LAKETOP, *args, *(["--profile", profile] if profile else [])), capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, env=env)


def holders():
    """Who really holds each port: every pid that has the listening socket open, as root sees it."""
    out = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=True).stdout
    held = {}
    for line in out.splitlines():
        port = int(line.split()[3].rpartition(":")[2])
        held.setdefault(port, set()).update(map(int, re.findall(r"pid=(\d+)", line)))
    return held


def wrong_owners(rows, held):
    """Owners that are told and are not so, and those that are told for certain though nobody may know."""
    wrong = []
    for port, owner in rows:
        if owner["pid"] and port in held and (owner["pid"] not in held[port] or not owner["probable"]):
            wrong.append(f"{port}: {owner}, really {held[port]}")
    return wrong


def a_profile_with_secrets_that_it_may_not_read():
    done = nobody("status", profile=PROFILE)
    lines = done.stderr.splitlines()
    ok("a-secret-that-may-not-be-read-is-one-line-with-file-and-line-and-no-crash",
       done.returncode == 2 and len(lines) == 1 and re.search(r"profile\.ini:\d+: password_file: .*Permission denied", lines[0]), f"{done.returncode} {done.stderr}")


def status_of_a_stranger():
    truth = until(120, lambda: (told := status("--tables")) and all(s["verdict"] == "serving" for s in told["services"]) and told, 1) or status("--tables")

    def look():
        """A loaded machine may cost a look."""
        look.done = nobody("status", "--json", "--tables")
        return all(s["verdict"] in ("serving", "unknown") for s in json.loads(look.done.stdout)["services"])
    until(60, look, 1)
    done = look.done
    ok("status-works-for-nobody", done.returncode in (0, 1, 3) and not done.stderr, f"{done.returncode} {done.stderr}")
    document, held = json.loads(done.stdout), holders()
    wrong = schema_errors(document, SCHEMA)
    ok("it-keeps-to-the-schema", not wrong, wrong[:5])
    for s in truth["services"]:
        seen = service(document, s["name"])
        # without a credential PostgreSQL and S3 stay unknown; nobody else asks for one
        verdicts = ("serving", "unknown") if s["kind"] in ("postgres", "seaweedfs") else ("serving",)
        ok(f"{s['name']}-is-never-called-worse-for-a-stranger", seen["verdict"] in verdicts, f"{seen['verdict']}: {seen['reason']}")
        ok(f"{s['name']}-is-of-the-same-kind-and-port", (seen["kind"], seen["endpoint"]) == (s["kind"], s["endpoint"]), seen["kind"])
        ok(f"its-owner-of-{s['name']}-is-unknown-or-probable-or-that-of-its-pid-file", seen["owner"]["pid"] in (None, s["owner"]["pid"]), f"{seen['owner']} {s['owner']}")
        link = next(e for e in seen["evidence"] if e["link"] == "owner")
        ok(f"the-owner-of-{s['name']}-never-demotes", link["state"] != "bad", link)
    ok("no-finding-is-made-of-what-is-hidden", not [f for s in document["services"] for f in s["findings"] if f["finding"] in ("foreign-owner", "owner")],
       [s["findings"] for s in document["services"]])
    rows = json.loads(nobody("ports", "--json").stdout)["tables"]["ports"]
    now = holders()
    stable = {port: pids for port, pids in held.items() if now.get(port) == pids}
    wrong = wrong_owners([(row["port"], row["owner"]) for row in rows if row["listens"]], stable)
    ok("ports-tells-no-owner-that-is-not-so-and-none-for-certain", not wrong, wrong[:5])
    ok("ports-tells-of-every-listener-of-the-lab", {s["endpoint"]["port"] for s in truth["services"]} <= {row["port"] for row in rows}, len(rows))


def found_by_a_stranger():
    kafka = service(status(), "kafka")["endpoint"]["port"]

    def look():
        look.done = nobody("status", "--json", profile=None)
        return any(s["kind"] == "kafka" and s["endpoint"]["port"] == kafka for s in json.loads(look.done.stdout)["services"])
    until(60 if kafka == 9092 else 0, look, 1)
    done, document = look.done, json.loads(look.done.stdout)
    ok("without-a-profile-it-works-too", done.returncode in (0, 1, 3) and not schema_errors(document, SCHEMA), f"{done.returncode} {done.stderr}")
    if kafka == 9092:
        ok("a-stranger-finds-kafka", any(s["kind"] == "kafka" and s["endpoint"]["port"] == kafka for s in document["services"]),
           [s["name"] for s in document["services"]])
    else:
        skip("a-stranger-finds-kafka", "its port was moved: without an owner only the usual number explains it")
    wrong = wrong_owners([(s["endpoint"]["port"], s["owner"]) for s in document["services"]], holders())
    ok("what-is-found-has-no-owner-that-is-not-so", not wrong, wrong[:5])


def its_own_and_its_like():
    """Of its own processes it knows; two of another user that could both be the one are guessed at by neither name."""
    ports, servers = [free_port() for _ in range(4)], []
    serve = "import http.server, sys; http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), http.server.BaseHTTPRequestHandler).serve_forever()"
    try:
        for user, port in zip(("nobody", "daemon", "daemon", "games"), ports):
            servers.append(subprocess.Popen(as_user(user, "/usr/bin/python3", "-c", serve, str(port)), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        until(60, lambda: all(port in holders() for port in ports), 0.1)

        def look():
            look.rows = {row["port"]: row["owner"] for row in json.loads(nobody("ports", "--json").stdout)["tables"]["ports"]}
            return all(port in look.rows for port in ports) and look.rows[ports[0]]["pid"]
        until(60, look, 0.5)
        rows = look.rows
        own, one, two, alone = (rows[port] for port in ports)
        ok("its-own-process-is-known-for-certain", own["pid"] == servers[0].pid and not own["probable"], own)
        for name, owner, at in (("one", one, 1), ("the-other", two, 2), ("the-only-one", alone, 3)):
            ok(f"of-another-user's-servers-{name}-is-right-or-unknown", owner["pid"] is None or (owner["pid"] == servers[at].pid and owner["probable"]),
               f"{owner}, really {servers[at].pid}")
    finally:
        for server in servers:
            server.kill()
            server.wait()


def nothing_is_written_where_it_may_not():
    """A home that is not there, and one that may not be written: events have no place, and that is all."""
    for home in ("/nonexistent", "/"):
        done = nobody("check", home=home)
        ok(f"check-works-with-the-home-{home}", done.returncode in (0, 1, 3) and len(done.stdout.splitlines()) == 1, f"{done.returncode} {done.stderr}")
    done = nobody("doctor")
    ok("doctor-works-for-nobody", done.returncode == 0 and "profile" in done.stdout, f"{done.returncode} {done.stderr}")
    done = nobody("status", "--record", str(HOME / "secret" / "x"))
    ok("a-recording-where-it-may-not-write-is-one-line", done.returncode == 2 and len(done.stderr.splitlines()) == 1, f"{done.returncode} {done.stderr}")


if os.geteuid() != 0:
    skip("an-unprivileged-run", "only root can become somebody else")
    end()
lab("up", "pocket")
until(120, lambda: laketop("check", "--profile", PROFILE).returncode == 0, 1)
text = pathlib.Path(PROFILE).read_text()  # the same without what only the lab's own user may read
pathlib.Path(OPEN).write_text(re.sub(r"^(user|password_file) = .*\n", "", text, flags=re.M))
for each in (a_profile_with_secrets_that_it_may_not_read, status_of_a_stranger, found_by_a_stranger, its_own_and_its_like, nothing_is_written_where_it_may_not):
    if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
        story(each)
os.unlink(OPEN)
end()
