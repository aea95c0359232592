#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every service of the lab is right in kind and version, also where two have changed places; and
no question of ours leaves a warning or an error in the log of what was asked."""
import glob
import json
import os
import re
import subprocess
import time

from check import AMBIENT, FULL, HOME, KNOWN, LAKETOP, PROFILE, end, lab, laketop, ok, skip, status, story, until

VERSIONS = {  # what the lab installs: name, kind, version, how sure
    "postgres": ("postgres", "15", "exact"), "seaweedfs": ("seaweedfs", "4.48", "exact"), "kafka": ("kafka", "4.1", "range"),
    "spark-master-41": ("spark-master", "4.1.4", "exact"), "spark-worker-41": ("spark-worker", "4.1.4", "exact"),
    "spark-history": ("spark-history", "4.1.4", "exact"), "spark-connect": ("spark-connect", "4.1.4", "exact"),
    "spark-master-40": ("spark-master", "4.0.5", "exact"), "spark-worker-40": ("spark-worker", "4.0.5", "exact"),
    "zookeeper": ("zookeeper", "3.8", "exact"), "kafka-zk": ("kafka", "3.9", "range"),
}
SWAPS = (("postgres", "kafka"), ("zookeeper", "spark-master-41"), ("seaweedfs", "spark-history"), ("spark-connect", "spark-worker-41"))


def by_name(document):
    return {s["name"]: s for s in document["services"]}


def is_of(s, kind, version, sure):
    return s["kind"] == kind and (s["version"]["found"] or "").startswith(version) and s["version"]["sure"] == sure


def all_serve(document):
    names = by_name(document)
    return names if all(s["verdict"] == "serving" and (name not in VERSIONS or is_of(s, *VERSIONS[name])) for name, s in names.items()) else None


def kinds_and_versions():
    names = until(120, lambda: all_serve(status()), 1) or by_name(status())
    for name, s in names.items():
        kind, version, sure = VERSIONS.get(name, (s["kind"], None, None))
        ok(f"{name}-serves", s["verdict"] == "serving", f"{s['verdict']}: {s['reason']}")
        if version:
            ok(f"{name}-is-{kind}-{version}", is_of(s, kind, version, sure), f"{s['kind']} {s['version']}")
    ok("all-services-of-the-table-were-looked-at", len(set(VERSIONS) & set(names)) == len(VERSIONS), f"missing: {set(VERSIONS) - set(names)}")


def found_without_a_profile():
    ports = {5432: "postgres", 9333: "seaweedfs", 9092: "kafka", 8082: "spark-master", 8084: "spark-worker", 15002: "spark-connect", 18080: "spark-history",
             2181: "zookeeper", 9094: "kafka", 8080: "spark-master"}

    def look():
        document = json.loads(laketop("status", "--json").stdout)
        look.found = {s["endpoint"]["port"]: s for s in document["services"]} | {f["port"]: f for f in document["found"]}
        return all(look.found.get(port, {}).get("kind") == kind for port, kind in ports.items())
    until(60, look, 1)
    for port, kind in ports.items():
        ok(f"{port}-is-found-to-be-{kind}", look.found.get(port, {}).get("kind") == kind, look.found.get(port))


def changed_places():
    """Each of a pair is expected where the other is: neither may be called serving, and both are named for what they are."""
    text = (HOME / "profile.ini").read_text()
    ports = {name: re.search(rf"\[service {name}\][^\[]*?^port = (\d+)", text, re.M | re.S)[1] for pair in SWAPS for name in pair}
    kinds = {name: VERSIONS[name][0] for name in ports}
    lines = ["[laketop]", "profile = swapped"]
    pairs = [pair for a, b in SWAPS for pair in ((a, b), (b, a))]
    for name, other in pairs:
        lines += [f"[service {name}]", f"kind = {kinds[name]}", f"port = {ports[other]}"]
    path = HOME / "swapped.ini"
    path.write_text("\n".join(lines) + "\n")
    served = set()

    def look():
        look.document = by_name(status(profile=str(path)))
        served.update(name for name, s in look.document.items() if s["verdict"] == "serving")
        look.rows = {r["port"]: r.get("kind") for r in json.loads(laketop("ports", "--json", "--profile", str(path)).stdout)["tables"]["ports"]}
        return all(look.document[name]["verdict"] in ("impostor", "blocked") and look.rows.get(int(ports[other])) == kinds[other] for name, other in pairs)
    until(60, look, 1)
    for name, other in pairs:
        s = look.document[name]
        ok(f"{name}-where-{other}-answers-is-never-serving", name not in served and s["verdict"] in ("impostor", "blocked"), f"{s['verdict']}: {s['reason']}")
        ok(f"{ports[other]}-is-named-{kinds[other]}", look.rows.get(int(ports[other])) == kinds[other], look.rows)


def logs():
    return sorted(glob.glob(f"{HOME}/log/*.log") + glob.glob(f"{HOME}/data/postgres/**/*.log", recursive=True))


def politeness():
    """Ten minutes in the long run, one here: the screen, a headless status, and every port asked who it is."""
    sizes = {path: os.path.getsize(path) for path in logs()}
    screen = subprocess.Popen(["tmux", "-L", f"polite-{os.getpid()}", "-f", "/dev/null", "new-session", "-x", "100", "-y", "30", "-d", "-s", "t",
                               LAKETOP, "--profile", PROFILE])
    screen.wait()
    try:
        time.sleep(600 if FULL else 60)
        status()
        changed_places()
    finally:
        subprocess.run(["tmux", "-L", f"polite-{os.getpid()}", "kill-server"], check=False)
    for path in logs():
        with open(path, errors="replace") as log:
            log.seek(sizes.get(path, 0))
            bad = [line.rstrip() for line in log if re.search(r"\b(WARN|WARNING|ERROR|FATAL|SEVERE)\b|Exception\b", line)
                   and not any(words in line for words in AMBIENT)]
        name = os.path.basename(path)[:-4]
        if name.startswith(("job-", "fault-", "replay-", "group-", "seed", "stream-")):
            continue  # these ask nobody and are asked by nobody
        known = [line for line in bad if any(words in line for words in KNOWN)]
        if known and len(known) == len(bad):
            skip(f"nothing-bad-in-the-log-of-{name}", f"a session's release was cut short at exit: {known[0]}")
            continue
        ok(f"nothing-bad-in-the-log-of-{name}", not bad, " | ".join(bad[:3]))


lab("up", "pocket", "two-sparks", "zookeeper")
for each in (kinds_and_versions, found_without_a_profile, politeness):
    story(each)
end()
