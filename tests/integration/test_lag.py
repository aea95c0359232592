#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lag is what Kafka's own tool says, for every partition of every group, on a quiet broker; and what it does not say.

  test_lag.py bench     how fast it is told beside Kafka's own tool, in one run
"""
import statistics
import subprocess
import sys

import lone_kafka
from check import LAKETOP, end, ok, screen, skip, until

RUNS = 9


def group(document, name):
    return next((g for g in document["tables"]["groups"] if g["group"] == name), {})


def every_partition_is_equal(kafka):
    """Also of a member that has not committed everywhere, of the new protocol, and of one that committed beyond the end."""
    kafka.make_topics(["live", "short"], 4)
    for p in range(4):
        kafka.produce("live", "a", partition=p)
        kafka.produce("short", "a", partition=p)
    kafka.commit("beyond", {("short", p): 100 if p == 0 else 1 for p in range(4)})
    members = [kafka.consume("classic", ["live"], 1), kafka.consume("modern", ["live"], 1, **{"group.protocol": "consumer"})]
    try:
        theirs, _ = kafka.theirs()
        # Kafka's tool lets a lag be negative
        theirs = {k: (c, e, lag if lag is None else max(0, lag)) for k, (c, e, lag) in theirs.items()}
        ours, _, document = until(60, lambda: (told := kafka.ours())[0] == theirs and told, 1) or kafka.ours()
        wrong = sorted(set(ours.items()) ^ set(theirs.items()))
        ok("every-partition-of-every-group-is-equal-to-kafkas-tool", ours == theirs and len(ours) >= 2800,
           f"{len(ours)} and {len(theirs)} rows; different: {wrong[:6]}")
        for name, kind in (("classic", "classic"), ("modern", "consumer")):
            g = group(document, name)
            rows = [r for r in document["tables"]["partitions"] if r["group"] == name]
            ok(f"{name}-group-has-a-row-for-each-assigned-partition", len(rows) == 4 and all(r["member"] for r in rows), rows)
            ok(f"{name}-group-without-a-commit-is-unknown-and-not-zero", g.get("type") == kind and g["members"] == 1 and g["lag_known"] is False and
               "no commit on 3 of 4" in g["note"], g)
        g = group(document, "beyond")
        ok("a-commit-beyond-the-end-is-no-lag-and-said", g.get("lag") == 0 and "reset?" in g["note"], g)
        g = group(document, "g01")
        ok("a-group-that-nobody-reads-has-stopped", g.get("lag_state") == "stopped" and g["lag"] > 0, g)
    finally:
        for member in members:
            member.close()


def one_group_is_told_with_its_partitions(kafka):
    done = subprocess.run([LAKETOP, "lag", "--group", "g03", "--profile", kafka.profile], capture_output=True, text=True, timeout=120)
    lines = done.stdout.splitlines()
    ok("a-group-is-told-with-its-partitions", done.returncode == 0 and lines[0] == "kafka" and lines[1].startswith("  g03: stopped, lag ") and
       len(lines) == 2 + 110, done.stdout[:300])
    done = subprocess.run([LAKETOP, "lag", "--group", "nosuch", "--profile", kafka.profile], capture_output=True, text=True, timeout=120)
    ok("a-group-that-is-not-there-is-not-known", done.returncode == 3 and "no group nosuch" in done.stdout, done.stdout)


def a_topic_made_anew_forgets_nothing_silently(kafka):
    """Deleted under a group and made again: its commits are gone, and no lag is left of them."""
    kafka.make_topics(["again"], 1)
    kafka.produce("again", "a")
    kafka.commit("reader", {("again", 0): 1})
    list(kafka.admin().delete_topics(["again"]).values())[0].result(90)
    gone = until(60, lambda: "again" not in kafka.admin().list_topics(timeout=5).topics)
    kafka.make_topics(["again"], 1)
    ours, _, _ = kafka.ours()
    ok("commits-on-a-topic-that-was-deleted-are-gone", gone and ("reader", "again", 0) not in ours, ours.get(("reader", "again", 0)))


def kafkas_own_topic_has_no_schema(kafka):
    """What groups commit begins as a schema registry's serialisers do, and has nothing to do with one."""
    with screen("--profile", kafka.profile, columns=200) as it:
        until(60, lambda: "serving" in it.text())
        it.press("3", "Tab", "/", "__consumer", "Enter")
        until(60, lambda: "__consumer_offsets" in it.text())
        it.press("v")
        until(60, lambda: "newest records of __consumer_offsets" in it.text() and "hex" in it.text())
        ok("kafkas-own-topic-has-no-schema", "newest records of __consumer_offsets" in it.text() and "hex" in it.text() and "schema id" not in it.text(),
           it.text())


def bench(kafka):
    """What is held to: 25 times faster than Kafka's tool, and 100 ms for 24 groups on 120 partitions."""
    ours = [kafka.ours()[1] * 1000 for _ in range(RUNS)]
    theirs = [kafka.theirs()[1] * 1000 for _ in range(3)]
    fast, slow = statistics.median(ours), statistics.median(theirs)
    rows = len(kafka.ours()[0])
    print(f"lag of {lone_kafka.GROUPS} groups on {lone_kafka.TOPICS * lone_kafka.PARTITIONS} partitions, {rows} commits, from start to end of the process")
    print(f"  laketop lag --json               {min(ours):6.0f} ms least, {fast:6.0f} ms median of {RUNS}")
    print(f"  kafka-consumer-groups --describe {min(theirs):6.0f} ms least, {slow:6.0f} ms median of 3: {slow / fast:.0f} times as long")


why = lone_kafka.missing()
if why:
    skip("lag", why)
    end()
broker = lone_kafka.Broker()
try:
    broker.ready()
    broker.seed()
    if sys.argv[1:] == ["bench"]:
        bench(broker)
    else:
        for each in (every_partition_is_equal, one_group_is_told_with_its_partitions, kafkas_own_topic_has_no_schema,
                     a_topic_made_anew_forgets_nothing_silently):
            try:
                each(broker)
            except Exception as e:  # noqa: BLE001 - a test that breaks is a test that failed
                ok(each.__name__, False, repr(e))
finally:
    broker.stop()
end()
