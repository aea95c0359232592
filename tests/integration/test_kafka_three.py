#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Three Kafkas, two of them brokers, replication 2: a lost broker, a lost quorum, and both healed again."""
import sys
import time

from check import Lab, end, laketop, ok, service, status, story, until

own = Lab("kafka-three", "kafka-three")
CONTROLLER, ONE, TWO = "kafka-three-controller", "kafka-three-1", "kafka-three-2"
SESSION = 9  # seconds; until then a dead broker is a member in good standing, also to Kafka


def look():
    return status("--tables", profile=own.profile)


def finding(s, name):
    return next((f for f in s["findings"] if f["finding"] == name), None)


def figure(s, name):
    return s["figures"].get(name, {}).get("value")


def topics(s):
    return {t["name"]: t for t in s["tables"].get("topics", [])}


def all_well():
    code = laketop("check", "--profile", own.profile).returncode
    return code == 0


def whole():
    s = service(look(), ONE)
    return s if s["verdict"] == "serving" and figure(s, "brokers") == 2 and figure(s, "under_replicated") == 0 and figure(s, "offline") == 0 else None


def as_the_lab_made_it():
    ok("all-three-serve", until(30, all_well, 1), laketop("check", "--profile", own.profile).stdout)
    # the seed makes topics in the background
    s = until(60, lambda: (s := whole()) and any(t["replicas"] == 2 for t in topics(s).values()) and s, 1)
    ok("topics-have-two-replicas", s, look())
    if not s:
        return
    document = look()
    ok("the-controller-is-told-by-its-node", all(figure(service(document, n), "controller") == 100 for n in (CONTROLLER, ONE, TWO)), s["figures"])
    ok("both-brokers-are-told", sorted((b["id"], b["state"]) for b in s["tables"]["brokers"]) == [(1, "ok"), (2, "ok")], s["tables"]["brokers"])


def a_broker_is_lost():
    before = topics(service(look(), ONE))
    own("break", f"killed:{TWO}")
    began = time.monotonic()
    try:
        document = look()
        s = service(document, TWO)
        ok("a-killed-broker-is-stopped-at-once", s["verdict"] == "stopped", f"{s['verdict']}: {s['reason']}")
        ok("not-ready-without-it", not document["ready"] and [p["service"] for p in document["problems"]][0] == TWO, document["problems"])
        s = until(SESSION + 25, lambda: finding(s := service(look(), ONE), "under-replicated") and s, 0.3)
        if not ok("under-replicated-is-a-finding-after-its-session", s, f"after {time.monotonic() - began:.0f} s: {service(look(), ONE)['findings']}"):
            return
        f = finding(s, "under-replicated")
        hurt = [t for t in topics(s).values() if t["replicas"] == 2 and t["under_replicated"]]
        ok("the-finding-is-a-warning-that-names-topics", f["severity"] == "warning" and any(t["name"] in f["reason"] for t in hurt), f)
        ok("every-partition-with-two-replicas-has-one-left", all(t["under_replicated"] == t["partitions"] for t in hurt) and
           {t["name"] for t in hurt} == {t["name"] for t in before.values() if t["replicas"] == 2}, topics(s))
        ok("the-missing-broker-is-named", any("broker 2" in f["reason"] and "not alive" in f["reason"] for f in s["findings"]), s["findings"])
        ok("one-broker-is-left", figure(s, "brokers") == 1, s["figures"])
        single = [t for t in topics(s).values() if t["replicas"] == 1 and t["offline"]]
        ok("what-has-its-only-replica-there-has-no-leader", figure(s, "offline") == sum(t["offline"] for t in topics(s).values()), topics(s))
        if not single:
            ok("with-a-leader-for-every-partition-it-serves", s["verdict"] == "serving", f"{s['verdict']}: {s['reason']}")
            return
        f = finding(s, "offline")
        # a broker that is younger than its grace is called starting; it is not called serving
        ok("partitions-without-a-leader-are-sick-and-block", s["verdict"] in ("sick", "starting") and "no leader" in s["reason"] and f and f["severity"] == "blocking",
           f"{s['verdict']}: {s['reason']} {f}")
        ok("the-topics-without-a-leader-are-named", any(t["name"] in f["reason"] for t in single), f)
    finally:
        own("heal")
    ok("healed-it-is-whole-again", until(30, whole, 0.5), look())
    ok("and-ready-again", until(10, all_well, 0.5), laketop("check", "--profile", own.profile).stdout)
    ok("no-finding-is-left-of-it", not [f for f in service(look(), ONE)["findings"] if f["finding"] in ("under-replicated", "offline", "broker")],
       service(look(), ONE)["findings"])


def the_quorum_is_lost():
    own("break", "kafka-no-quorum")
    try:
        began = time.monotonic()
        document = look()
        took = time.monotonic() - began
        ok("the-first-look-at-it-is-within-its-8-s", took < 8.5, f"{took:.1f} s")
        s = service(document, CONTROLLER)
        ok("the-controller-is-stopped", s["verdict"] == "stopped", f"{s['verdict']}: {s['reason']}")
        for name in (ONE, TWO):
            s = service(document, name)
            ok(f"{name}-does-not-serve-without-a-quorum", s["verdict"] in ("sick", "starting"), f"{s['verdict']}: {s['reason']}")
            ok(f"{name}-says-that-it-is-the-controllers", "controller" in (s["reason"] or ""), s["reason"])
        problems = {p["service"]: p for p in document["problems"]}
        ok("the-controller-is-the-cause-and-the-brokers-its-victims",
           document["problems"][0]["service"] == CONTROLLER and all(problems[n]["caused_by"] == CONTROLLER for n in (ONE, TWO)), document["problems"])
        done = laketop("check", "--profile", own.profile)
        ok("check-names-the-controller-first", done.returncode == 1 and CONTROLLER in done.stdout.splitlines()[0], done.stdout)
        # one that is a minute old is not starting any more
        ok("a-grown-broker-is-sick-without-a-quorum", until(60, lambda: all(service(look(), n)["verdict"] == "sick" for n in (ONE, TWO)), 1),
           [(service(look(), n)["verdict"], service(look(), n)["reason"]) for n in (ONE, TWO)])
    finally:
        own("heal")
    ok("with-its-controller-it-serves-again", until(30, all_well, 0.5), laketop("check", "--profile", own.profile).stdout)


def every_broker_is_lost():
    own("break", f"killed:{ONE}", f"killed:{TWO}")
    try:
        document = look()
        s = service(document, CONTROLLER)
        ok("a-controller-without-brokers-serves-as-what-it-is", s["verdict"] == "serving", f"{s['verdict']}: {s['reason']}")
        ok("brokers-are-stopped", all(service(document, n)["verdict"] == "stopped" for n in (ONE, TWO)), document["problems"])
        ok("the-controller-is-not-blamed", all(p["caused_by"] is None for p in document["problems"]), document["problems"])
    finally:
        own("heal")
    ok("all-three-serve-again", until(30, lambda: all_well() and whole(), 0.5), look()["problems"])


with own:
    own.up()
    for each in (as_the_lab_made_it, a_broker_is_lost, the_quorum_is_lost, every_broker_is_lost):
        if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
            story(each)
end()
