#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Parts of services are changed, and the servers' own words tell whether it came about: Kafka's tool for the offsets of groups, Connect's
REST server for connectors, the master for Spark's applications, pg_stat_activity for sessions. The same lab has streaming queries, whose
lag is told as their checkpoint and the ends of Kafka's partitions have it."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

from check import ROOT, CannotRun, Lab, end, free_port, laketop, ok, service, skip, status, story, until

sys.path.insert(0, str(ROOT / "tests" / "lab"))
sys.dont_write_bytecode = True
from fetching import java, place  # noqa: E402

own = Lab("parts", "pocket", "streams")
state = tempfile.TemporaryDirectory(prefix="laketop-parts-")


def port_of(name, role="port"):
    text = pathlib.Path(own.profile).read_text()
    return int(re.search(rf"^\[service {name}\]\n(?:[^\[].*\n)*?{role} = (\d+)", text, re.M)[1])


def do(*words):
    done = laketop("do", *words, "--yes", "--profile", own.profile, env={"XDG_STATE_HOME": state.name}, timeout=300)
    return done.returncode, done.stdout + done.stderr


def did(name, *words, code=0, says=()):
    got, text = do(*words)
    return ok(name, got == code and all(s in text for s in says), f"exit {got}: {text}")


# ---- offsets ----

def stands(group):
    """{(topic, partition): (committed, end)} by Kafka's own tool."""
    done = subprocess.run([java(), "-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", place("kafka") + "/*", "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
                           "--bootstrap-server", f"127.0.0.1:{port_of('kafka')}", "--describe", "--group", group], capture_output=True, text=True, timeout=300)
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith(group)]
    return {(r[1], int(r[2])): (int(r[3]), int(r[4])) for r in rows if r[3].isdigit()}


def a_groups_offsets_are_reset():
    until(90, lambda: "loyalty-points" in laketop("lag", "--profile", own.profile).stdout, 1)
    before = stands("loyalty-points")
    ok("the-group-has-committed", sum(c for c, _ in before.values()) > 0, before)
    did("to-the-beginning", "reset-earliest", "kafka", "loyalty-points", says=("OffsetCommit v2 of group loyalty-points", "are read again", "done:"))
    ok("kafka's-tool-says-so-too", all(c == 0 for c, _ in stands("loyalty-points").values()), stands("loyalty-points"))
    did("a-second-time-there-is-nothing-to-change", "reset-earliest", "kafka", "loyalty-points", code=0, says=("nothing to do: it stands there already",))
    did("to-the-end", "reset-latest", "kafka", "loyalty-points", says=("are skipped", "done:"))
    ok("kafka's-tool-says-that-too", sum(c for c, _ in stands("loyalty-points").values()) > 100, stands("loyalty-points"))
    did("to-an-offset", "reset", "kafka", "loyalty-points", "to=3", "topic=order-events", says=("-> 3 (", "done:"))
    ok("each-partition-stands-there-or-at-its-end", all(c == min(3, e) for c, e in stands("loyalty-points").values()), stands("loyalty-points"))
    did("to-a-time-before-every-record", "reset", "kafka", "loyalty-points", "to=2001-01-01T00:00Z", says=("done:",))
    ok("that-is-the-beginning", all(c == 0 for c, _ in stands("loyalty-points").values()), stands("loyalty-points"))
    did("to-a-time-that-has-not-come", "reset", "kafka", "loyalty-points", "to=2101-01-01T00:00Z", says=("done:",))
    did("a-word-that-means-nothing-is-refused", "reset", "kafka", "loyalty-points", "to=yesterday", code=2, says=("to=",))
    did("a-topic-that-it-does-not-read-is-refused", "reset-earliest", "kafka", "loyalty-points", "topic=nobody", code=2, says=("committed nothing",))
    did("a-group-with-members-is-refused", "reset-earliest", "kafka", "order-board", code=1, says=("stop them first",))
    did("a-group-that-is-not-there-is-refused", "reset-earliest", "kafka", "$(reboot)", code=2, says=("has no group",))


# ---- connectors ----

def connector(name):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port_of('kafka-connect')}/connectors/{name}/status", timeout=30) as answer:
            told = json.load(answer)
    except urllib.error.HTTPError as e:
        return str(e), []
    return told["connector"]["state"], [t["state"] for t in told["tasks"]]


def connectors_are_paused_resumed_and_begun_again():
    until(120, lambda: connector("complaints-archive")[1] == ["FAILED"], 1)
    did("a-connector-is-paused", "pause", "kafka-connect", "payments-archive", says=("PUT http://", "/connectors/payments-archive/pause", "done: PAUSED"))
    ok("connect-says-so", connector("payments-archive") == ("PAUSED", ["PAUSED"]), connector("payments-archive"))
    did("a-paused-one-is-not-paused-again", "pause", "kafka-connect", "payments-archive", code=1, says=("PAUSED already",))
    did("it-is-resumed", "resume", "kafka-connect", "payments-archive", says=("done: RUNNING",))
    ok("connect-says-that-too", until(60, lambda: connector("payments-archive") == ("RUNNING", ["RUNNING"])), connector("payments-archive"))
    did("a-connector-is-begun-anew", "restart-connector", "kafka-connect", "payments-archive", says=("includeTasks=true", "done: RUNNING"))
    did("a-task-that-fails-again-is-told-with-its-cause", "restart-task", "kafka-connect", "complaints-archive/0", code=5, says=("failed: FAILED", "Unrecognized token"))
    did("a-task-that-is-not-there-is-refused", "restart-task", "kafka-connect", "complaints-archive/9", code=2, says=("has no task",))
    did("a-connector's-verb-is-for-a-connect-worker", "pause", "kafka", "orders", code=2, says=("is no kafka-connect",))


# ---- sessions ----

def a_session_is_ended():
    password = (own.home / "secret" / "postgres").read_text().strip()
    one = subprocess.Popen(["psql", "-h", "127.0.0.1", "-p", str(port_of("postgres")), "-U", "lake", "iceberg_catalog", "-Atc", "SELECT pg_backend_pid()",
                            "-c", "SELECT pg_sleep(600)"], env={**os.environ, "PGPASSWORD": password, "PGAPPNAME": "victim"}, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    pid = one.stdout.readline().strip()
    ok("the-session-is-there", pid.isdigit(), pid)
    did("a-session-is-ended", "terminate", "postgres", pid, says=("victim", "pg_terminate_backend", "has ended"))
    ok("its-client-is-told", "terminating connection" in one.communicate(timeout=120)[1])
    did("one-that-is-gone-is-refused", "terminate", "postgres", pid, code=1, says=("there is no session",))
    did("what-is-no-number-is-refused", "terminate", "postgres", "1; DROP TABLE x", code=2, says=("is no process id",))


# ---- Spark ----

def apps(name="spark-master-41"):
    with urllib.request.urlopen(f"http://127.0.0.1:{port_of(name)}/json/", timeout=10) as answer:
        return json.load(answer)


def an_application_is_killed():
    app = until(60, lambda: next((a["id"] for a in apps()["activeapps"]), None), 1)
    if not app:
        return skip("an-application-is-killed", "none is active on the master")
    did("an-application-is-killed", "kill", "spark-master-41", app, says=("POST http://", "csrfToken=(of the page", "done: KILLED"))
    ok("the-master-says-so", [a["state"] for a in apps()["completedapps"] if a["id"] == app] == ["KILLED"], apps())
    did("a-killed-one-is-refused", "kill", "spark-master-41", app, code=1, says=("KILLED already",))
    did("an-application-that-is-not-there-is-refused", "kill", "spark-master-41", "app-0&terminate", code=2, says=("lists no",))
    lines = (pathlib.Path(state.name) / "laketop" / "audit.jsonl").read_text()
    ok("no-token-is-in-the-audit", "csrfToken=(" in lines and not re.search(r"csrfToken=[0-9a-f]{8}", lines))


def a_driver_is_killed():
    """Any main class on Spark's class path is a driver that lives."""
    jar = next(pathlib.Path(place("spark-4.1")).rglob("spark-core_*.jar"))
    rest, folder = port_of("spark-master-41", "port.rest"), own.home / "no-events"
    folder.mkdir()
    body = {"action": "CreateSubmissionRequest", "appResource": f"file:{jar}", "clientSparkVersion": "4.1.4", "appArgs": [], "environmentVariables": {},
            "mainClass": "org.apache.spark.deploy.history.HistoryServer", "sparkProperties": {
                "spark.app.name": "victim", "spark.master": f"spark://127.0.0.1:{port_of('spark-master-41', 'port.rpc')}",
                "spark.submit.deployMode": "cluster", "spark.driver.memory": "300m", "spark.driver.cores": "1",
                "spark.history.ui.port": str(free_port()), "spark.history.fs.logDirectory": f"file:{folder}"}}
    request = urllib.request.Request(f"http://127.0.0.1:{rest}/v1/submissions/create", json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        driver = json.load(answer)["submissionId"]
    until(60, lambda: [d for d in apps()["activedrivers"] if d["id"] == driver and d["state"] == "RUNNING"], 0.5)
    did("a-driver-is-killed", "kill-driver", "spark-master-41", driver, says=("/v1/submissions/kill/driver-", "done: KILLED"))
    ok("the-master-says-that-of-the-driver", [d["state"] for d in apps()["completeddrivers"] if d["id"] == driver] == ["KILLED"], apps())
    did("a-killed-driver-is-refused", "kill-driver", "spark-master-41", driver, code=1, says=("KILLED already",))


# ---- streaming queries ----

def ends():
    """{partition: end} by Kafka's own client."""
    sys.path.insert(0, place("client"))
    from confluent_kafka import Consumer, TopicPartition
    consumer = Consumer({"bootstrap.servers": f"127.0.0.1:{port_of('kafka')}", "group.id": "none-of-it", "log_level": 0})
    try:
        known = consumer.list_topics("order-events", timeout=30).topics["order-events"].partitions
        return {p: consumer.get_watermark_offsets(TopicPartition("order-events", p), timeout=30)[1] for p in known}
    finally:
        consumer.close()


def a_querys_lag_is_the_ends_less_its_checkpoint():
    """It reads on, and records come: each partition stands where the file of the told batch says, its end between two of our own looks."""
    query, checkpoint = "orders_per_kitchen", own.home / "data" / "checkpoints" / "orders_per_kitchen"

    def told():
        before = ends()
        done = laketop("lag", "--group", query, "--json", "--profile", own.profile)
        mine = json.loads(done.stdout)["tables"]["streams"] if done.returncode == 0 else []
        told.seen = (mine, before)
        if not mine or mine[0]["batch"] is None or any(p["committed"] is None for p in mine):
            return None
        lines = (checkpoint / "offsets" / str(mine[0]["batch"])).read_text().splitlines()
        return mine, json.loads(lines[-1])["order-events"], before, ends()
    # its driver has to start: a JVM among others
    if not ok("a-streaming-query-tells-where-it-stands", look := until(300, told, 2), getattr(told, "seen", "")):
        return
    mine, by_hand, before, after = look
    ok("it-stands-where-its-checkpoint-says", {str(p["partition"]): p["committed"] for p in mine} == by_hand, (mine, by_hand))
    # of a partition that it read on in after the ends were asked the end is told as at least
    ok("it-ends-where-kafka-says", len(mine) == len(before) and all(before[p["partition"]] <= p["end"] <= after[p["partition"]] for p in mine), (mine, before, after))
    ok("its-lag-is-the-end-less-the-checkpoint", all(p["lag"] == p["end"] - p["committed"] for p in mine), mine)
    ok("its-state-is-told", all(p["query_state"] in ("ok", "slow") and p["state"] == "reads" for p in mine), mine)


try:
    with own:
        own.up()
        until(120, lambda: service(status(profile=own.profile), "kafka-connect")["verdict"] == "serving", 1)
        for each in (a_groups_offsets_are_reset, connectors_are_paused_resumed_and_begun_again, a_session_is_ended, an_application_is_killed, a_driver_is_killed,
                     a_querys_lag_is_the_ends_less_its_checkpoint):
            if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
                story(each)
except CannotRun as e:
    skip("parts", e)
end()
