#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Spark in depth on the real lab: laketop's figures against the REST answers of masters, drivers and the history server; what
fails shows at the next look; and nobody's log complains of being watched."""
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

from check import AMBIENT, FULL, HOME, KNOWN, LAKETOP, PROFILE, ROOT, end, lab, laketop, ok, settled, skip, status, story, until

sys.path.insert(0, str(ROOT / "tests" / "lab"))
import kit  # noqa: E402
from fetching import Fetcher  # noqa: E402
from services import port, run_pipeline, submit  # noqa: E402 - the lab's own table of ports, and its way to submit

MASTER, HISTORY, CONNECT_UI = port("spark-master-41"), port("spark-history"), port("spark-connect", "ui")
TROUBLE, LOOP, WORKS, IMPORT, WAITS = 4056, 4057, 4058, 4059, 4061  # web UIs of jobs of our own
OWN = str(HOME / "spark-test.ini")
jobs = {}


def rest(at, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{at}{path}", timeout=10) as answer:
        return json.loads(answer.read())


def answers(at):
    """The id of the application whose driver is there."""
    try:
        return rest(at, "/api/v1/applications")[0]["id"]
    except (OSError, ValueError, IndexError):
        return None


def begin(name, mode, seconds, at, **how):
    """A bounded job of our own, in a process group of its own."""
    argv, env = submit("jobs.py", mode, seconds, ui=at, **how)
    log = open(HOME / "log" / f"test-{name}.log", "wb")
    jobs[name] = subprocess.Popen(argv, env={**os.environ, **env}, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                  start_new_session=True)
    return until(240, lambda: answers(at), 0.5)


def finish(name):
    job = jobs.pop(name, None)
    if job and job.poll() is None:
        os.killpg(job.pid, signal.SIGTERM)
    if job:
        job.wait(30)


def spark(profile=OWN):
    return json.loads(laketop("spark", "--json", "--profile", profile).stdout)["tables"]


def own_findings(name):
    document = status("--service", name, profile=OWN)
    return {f["finding"]: f for s in document["services"] for f in s["findings"]}


def rows(table, **those):
    return [r for r in table if all(r.get(k) == v for k, v in those.items())]


def masters_and_workers():
    def same():
        told, master = spark(PROFILE), rest(MASTER, "/json/")
        mine = rows(told["masters"], service="spark-master-41")[0]
        figures = [(mine["workers"], master["aliveworkers"]), (mine["cores"], master["cores"]), (mine["cores_used"], master["coresused"]),
                   (mine["memory"], master["memory"] << 20), (mine["memory_used"], master["memoryused"] << 20), (mine["url"], master["url"])]
        workers = {w["id"]: (w["state"], w["cores"], w["cores_used"]) for w in rows(told["workers"], master="spark-master-41")}
        apps = {a["id"]: (a["name"], a["state"], a["cores"], a["memory"], a["started"] is not None)
                for a in rows(told["applications"], service="spark-master-41")}
        want_workers = {w["id"]: (w["state"], w["cores"], w["coresused"]) for w in master["workers"]}
        want_apps = {a["id"]: (a["name"], a["state"], a["cores"], a["memoryperexecutor"] << 20, True)
                     for a in master["activeapps"] + master["completedapps"]}
        same.why = f"{figures} {workers} {want_workers} {apps} {want_apps}"
        return all(a == b for a, b in figures) and workers == want_workers and apps == want_apps
    ok("a-master-s-figures-are-those-of-its-json", until(60, same, 1), getattr(same, "why", ""))

    def connect():
        it = rows(spark(PROFILE)["connect"], service="spark-connect")[0]
        return [("connect-says-port-version-since-when-and-whether-it-is-stale",
                 it["port"] == port("spark-connect") and it["version"] == "4.1.4" and it["started"] and it["stale"] is False, it)]
    settled(60, connect)


def a_failed_job_is_found_behind_finished():
    """An import fails; the master calls it FINISHED, and the history server knows better."""
    argv, env = submit("jobs.py", "import", ui=IMPORT)
    done = subprocess.run(argv, env={**os.environ, **env}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=400)
    app = re.findall(r"app-\d{14}-\d{4}", done.stdout + done.stderr)
    if not app:
        skip("finished-with-a-failed-job-says-so", f"the import found no core to run on: {done.stderr[-200:]}")
        return

    def joined():
        told = rows(spark(PROFILE)["applications"], service="spark-master-41", id=app[-1])
        joined.why = told
        return told and told[0]["state"] == "FINISHED" and told[0]["jobs_failed"] == 1
    ok("finished-with-a-failed-job-says-so", until(180, joined, 2), getattr(joined, "why", ""))
    completed = rest(HISTORY, "/api/v1/applications?status=completed&limit=3")
    wants = {a["id"]: len(rest(HISTORY, f"/api/v1/applications/{a['id']}/jobs?status=failed")) for a in completed}

    def counted():
        mine = {a["id"]: a["jobs_failed"] for a in spark(PROFILE)["applications"]}
        counted.why = f"{mine} {wants}"
        return all(mine.get(i) == n for i, n in wants.items())
    ok("failed-jobs-are-as-the-history-server-counts-them", until(120, counted, 2), getattr(counted, "why", ""))


def event_logs_tell_what_no_history_server_does():
    """The same applications, by the directory that it reads, while it is down."""
    completed = {a["id"]: a for a in rest(HISTORY, "/api/v1/applications?status=completed&limit=20")}
    kit.stop("spark-history")

    def told():
        seen = {s["name"]: s for s in status("--service", "spark-history", "--tables", profile=PROFILE)["services"]}["spark-history"]
        mine = {a["id"]: a for a in seen.get("tables", {}).get("applications", [])}
        told.why = f"{mine} {list(completed)}"
        return completed and all(i in mine and mine[i]["told_by"] == "event log" and mine[i]["name"] == a["name"] and mine[i]["jobs_failed"] is None
                                 for i, a in completed.items())
    try:
        ok("event-logs-tell-what-no-history-server-does", until(180, told, 2), getattr(told, "why", ""))
    finally:
        lab("up", "pocket")


def a_driver_in_trouble():
    app = begin("trouble", "trouble", 900, TROUBLE, master="local[2]")
    ok("the-job-in-trouble-runs", app, "its web UI does not answer")
    base = f"/api/v1/applications/{app}"
    # its failing, skewed and spilling parts are over when it counts batches
    until(240, lambda: any("batch" in j.get("description", "") for j in rest(TROUBLE, base + "/jobs?status=running")), 1)
    settled(120, lambda: what_is_told_of_trouble(app, base))


def what_is_told_of_trouble(app, base):
    told = spark()
    stages = {(s["id"], s["attempt"]): s for s in rows(told["stages"], driver="trouble")}
    truth = {(s["stageId"], s["attemptId"]): s for s in rest(TROUBLE, base + "/stages")}
    failed = [s for s in truth.values() if s["status"] == "FAILED"]
    names = {"tasks": "numTasks", "failed": "numFailedTasks", "input": "inputBytes", "output": "outputBytes", "spilled": "diskBytesSpilled",
             "shuffle_read": "shuffleReadBytes", "shuffle_write": "shuffleWriteBytes"}
    differ = [(k, mine, s[mine], truth[k][theirs]) for k, s in stages.items() for mine, theirs in names.items()
              if s["state"] in ("COMPLETE", "FAILED") and s[mine] != truth[k][theirs]]
    reasons = [stages.get((s["stageId"], s["attemptId"]), {}).get("reason") or "" for s in failed]
    mine = rows(told["applications"], id=app)[0]
    table = {s["name"]: s for s in status("--service", "trouble", "--tables", profile=OWN)["services"]}["trouble"]["tables"]
    sql = {e["id"]: e for e in table["sql"]}
    want = rest(TROUBLE, base + "/sql?details=false&planDescription=false&offset=0&length=1000")
    executors = {e["id"]: (e["failed"], e["state"] == "alive") for e in table["executors"]}
    findings = own_findings("trouble")
    return [
        ("stages-are-those-of-the-driver", stages and not differ, differ or told["stages"]),
        ("every-failed-stage-says-why-in-one-line",
         failed and all(reasons) and any(r == "ValueError: menu of kitchen 7: price is not a number" for r in reasons), reasons),
        ("failed-jobs-are-those-of-the-driver", mine["jobs_failed"] == len(rest(TROUBLE, base + "/jobs?status=failed")), mine),
        ("version-and-revision-of-the-build", mine["version"] == "4.1.4" and re.fullmatch("[0-9a-f]{40}", mine["revision"] or ""), mine),
        ("sql-executions-are-those-of-the-driver", len(sql) == len(want) and all(sql[e["id"]]["jobs_failed"] == len(e["failedJobIds"]) for e in want),
         (table["sql"], want)),
        ("executors-are-those-of-the-driver", executors == {e["id"]: (e["failedTasks"], e["isActive"]) for e in rest(TROUBLE, base + "/allexecutors")},
         executors),
        ("a-failed-job-is-a-finding-with-its-cause", "job-failed" in findings and " failed: " in findings["job-failed"]["reason"], findings),
    ]


def a_lost_executor():
    app = begin("works", "forecast", 600, WORKS)
    ok("a-job-of-our-own-runs", app, "its web UI does not answer")
    base = f"/api/v1/applications/{app}"
    alive = until(180, lambda: [e for e in rest(WORKS, base + "/executors") if e["id"] != "driver"], 0.5)
    if not alive:
        skip("a-lost-executor-shows", "its executor did not come: the lab's cores are taken")
        return
    pids = [int(p) for p in os.listdir("/proc") if p.isdigit() and words_of(p).count(app) and "CoarseGrainedExecutorBackend" in words_of(p)]
    os.kill(pids[0], signal.SIGKILL)
    until(60, lambda: any(not e["isActive"] for e in rest(WORKS, base + "/allexecutors")), 0.2)
    settled(60, lambda: [("a-lost-executor-shows", "executor-lost" in (found := own_findings("works")), found)])
    finish("works")


def words_of(pid):
    try:
        return pathlib.Path("/proc", str(pid), "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def a_crash_loop():
    begin("loop", "crash-loop", 400, LOOP, conf=("spark.executor.extraJavaOptions=-agentlib:nosuchagent",))

    def seen():
        document = status("--service", "spark-master-41")
        seen.why = [f["reason"] for s in document["services"] for f in s["findings"]]
        return any("executor crash loop" in r for r in seen.why)
    ok("executors-that-die-at-start-are-a-crash-loop", until(180, seen, 1), getattr(seen, "why", ""))

    def died():
        app = rows(spark()["applications"], name="receipt scanner", state="RUNNING")
        return [("the-application-says-how-many-died", app and app[0]["executors_lost"] >= 10 and app[0]["executors_started"] > app[0]["executors_lost"] - 2,
                 app),
                ("its-running-is-no-running", app and " die at start: " in (app[0]["why"] or ""), app)]
    settled(120, died)
    finish("loop")


def an_application_that_waits():
    """It asks for more cores an executor than any worker has: only its driver knows how many."""
    own = begin("waits", "waiting", 300, WAITS, cores=3, conf=("spark.executor.cores=3",))
    ok("a-job-that-waits-is-there", own, "its web UI does not answer")

    def says_why():
        most = max(w["cores"] for w in rest(MASTER, "/json/")["workers"] if w["state"] == "ALIVE")
        app = rows(spark()["applications"], id=own, state="WAITING")
        finding = own_findings("spark-master-41").get("waiting", {})
        why = f"it can never start: it asks for 3 cores an executor, the largest worker has {most}"
        return [("waiting-says-what-no-worker-has", app and app[0]["why"] == why, app),
                ("and-what-helps", why in finding.get("reason", "") and "spark.executor.cores" in finding.get("remedy", ""), finding)]
    settled(120, says_why)
    finish("waits")


def a_killed_worker():
    alive = [w["id"] for w in rest(MASTER, "/json/")["workers"] if w["state"] == "ALIVE"]
    lab("break", "killed")
    try:
        until(90, lambda: any(w["id"] == alive[0] and w["state"] == "DEAD" for w in rest(MASTER, "/json/")["workers"]), 0.2)

        def dead():
            told = spark(PROFILE)
            worker, mine = rows(told["workers"], id=alive[0]), rows(told["masters"], service="spark-master-41")[0]
            return [("a-killed-worker-is-dead", worker and worker[0]["state"] == "DEAD", worker),
                    ("a-master-without-workers-says-so", mine["workers"] == 0 and mine["workers_dead"] >= 1 and mine["verdict"] == "sick", mine)]
        settled(60, dead)
    finally:
        lab("heal")


def flows_of_a_pipeline():
    """A real declarative pipeline in the lab's Connect: what its driver tells against what its client was told."""
    Fetcher().get("spark-client").result()
    made, log = [HOME / "data" / "test-pipeline"], HOME / "log" / "test-pipeline.log"
    made += [HOME / "data" / "spark-warehouse" / t
             for t in ("courier_pings", "courier_tips", "orders", "revenue", "menu_prices", "price_report", "demand")]
    for left in made:
        shutil.rmtree(left, ignore_errors=True)
    argv, env = run_pipeline(f"sc://127.0.0.1:{port('spark-connect')}", "test-pipeline", batches=5)
    with open(log, "wb") as out:
        jobs["pipeline"] = client = subprocess.Popen(argv, env={**os.environ, **env}, stdin=subprocess.DEVNULL, stdout=out,
                                                     stderr=subprocess.STDOUT, start_new_session=True)

    def runs():
        runs.flows = {f["flow"]: f for f in spark(PROFILE)["flows"]}
        return runs.flows.get("courier_pings", {}).get("state") == "RUNNING" or client.poll() is not None
    until(240, runs, 0.5)
    pings, spec = runs.flows.get("courier_pings", {}), str(made[0] / "spark-pipeline.yml")
    ok("a-running-flow-is-told-with-its-pipeline-and-the-spec-file", pings.get("state") == "RUNNING" and pings["kind"] == "streaming" and
       pings["pipeline"] == "kitchen_pipeline" and pings["spec"] == spec and pings["run"] == "RUNNING", runs.flows)
    until(240, lambda: client.poll() is not None, 0.5)
    said = log.read_text(errors="replace")
    truth = {flow: "COMPLETED" for flow in re.findall(r"Flow spark_catalog\.default\.(\w+) has COMPLETED", said)}
    truth |= {flow: "FAILED" for flow in re.findall(r"Flow 'spark_catalog\.default\.(\w+)' has FAILED", said)}
    truth |= {flow: "NOT BEGUN" for flow in re.findall(r"Flow 'spark_catalog\.default\.(\w+)' SKIPPED", said)}

    def ended():
        flows = {f["flow"]: f for f in spark(PROFILE)["flows"]}
        failed = {f["reason"] for s in status("--service", "spark-connect")["services"] for f in s["findings"] if f["finding"] == "flow-failed"}
        return [("each-flow-ends-as-its-client-was-told", len(truth) == 7 and {n: f["state"] for n, f in flows.items()} == truth, (truth, flows)),
                ("a-batch-flow-says-how-many-rows-it-wrote", flows["orders"]["rows"] == 10000 and flows["orders"]["kind"] == "batch", flows["orders"]),
                ("a-flow-is-tried-three-times", flows["menu_prices"]["attempts"] == 3 and flows["courier_tips"]["attempts"] == 3, flows),
                ("a-failed-flow-is-a-finding-with-its-reason", any("flow menu_prices" in r and "a price below zero" in r for r in failed) and
                 any("flow courier_tips" in r and "a tip below zero" in r for r in failed), failed)]
    settled(120, ended)
    finish("pipeline")
    for left in made:
        shutil.rmtree(left, ignore_errors=True)


def complaints(sizes):
    found = []
    for path, size in sizes.items():
        with open(path, "rb") as log:
            log.seek(size)
            found += [f"{path.name}: {line}" for line in log.read().decode("utf-8", "replace").splitlines()
                      if re.search(r"\b(WARN|ERROR|FATAL)\b|Exception|Too large frame", line) and not any(words in line for words in AMBIENT)]
    return found


def nobody_complains():
    """The screen watches; the logs of masters, workers, Connect, history and a driver stay as they are."""
    logs = [HOME / "log" / f"{n}.log" for n in ("spark-master-41", "spark-worker-41", "spark-connect", "spark-history", "test-trouble")]
    sizes = {p: p.stat().st_size for p in logs if p.exists()}
    seconds = 600 if FULL else 60
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(LAKETOP, [LAKETOP, "--profile", OWN])
    until_then = time.monotonic() + seconds
    os.set_blocking(fd, False)
    while time.monotonic() < until_then:
        try:
            while os.read(fd, 65536):
                pass
        except OSError:
            time.sleep(0.1)
    os.kill(pid, signal.SIGTERM)
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        try:
            os.read(fd, 65536)
        except OSError:
            time.sleep(0.05)
    os.close(fd)
    said = complaints(sizes)
    if said and all(any(words in line for words in KNOWN) for line in said):
        skip(f"no-log-complains-in-{seconds}-s-of-watching", f"a session's release was cut short at exit: {said[0]}")
    else:
        ok(f"no-log-complains-in-{seconds}-s-of-watching", not said, said[:5])


if not (HOME / "profile.ini").exists():
    lab("up", "pocket")
lab("up", "pocket")
until(120, lambda: laketop("check", "--profile", PROFILE).returncode == 0, 1)
with open(OWN, "w", encoding="utf-8") as own:
    own.write(pathlib.Path(PROFILE).read_text(encoding="utf-8"))
    for name, at in (("trouble", TROUBLE), ("loop", LOOP), ("works", WORKS)):
        own.write(f"\n[service {name}]\nkind = spark-driver\nport = {at}\nrequired = no\n")
try:
    for each in (masters_and_workers, a_failed_job_is_found_behind_finished, event_logs_tell_what_no_history_server_does, a_driver_in_trouble, nobody_complains, a_lost_executor, a_crash_loop,
                 an_application_that_waits, flows_of_a_pipeline, a_killed_worker):
        if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
            story(each)
finally:
    for name in list(jobs):
        finish(name)
    os.unlink(OWN)
end()
