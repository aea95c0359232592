#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Maintenance of tables on a lab of its own, by a real Spark Connect: what was offered is what came about, as Spark itself then reads the
table; what is ended in the middle leaves it as it was; what is locked runs nothing; and no session stays behind."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request

from check import LAKETOP, ROOT, Lab, end, laketop, ok, story, until

own = Lab("maintain", "pocket")
MERGE = "'write.delete.mode'='merge-on-read'"
SUBMIT = "import json, sys; sys.path.insert(0, sys.argv[1]); from services import submit; print(json.dumps(submit('statements.py', sys.argv[2], " \
         "master='local[2]', conf=['spark.eventLog.enabled=false', 'spark.ui.enabled=false'])))"
state = tempfile.TemporaryDirectory()
ODD = "odd ns.it's-a `table"


def spark(*statements):
    """What another Spark says to each of them."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as lines:
        lines.write("".join(json.dumps({"sql": s}) + "\n" for s in statements))
        lines.flush()
        env = {**os.environ, **own.env}
        argv, more = json.loads(subprocess.run([sys.executable, "-c", SUBMIT, str(ROOT / "tests" / "lab"), lines.name], env=env, check=True,
                                               capture_output=True, text=True).stdout)
        done = subprocess.run(argv, env={**env, **more}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    answers = [json.loads(line[7:]) for line in done.stdout.splitlines() if line.startswith("ANSWER ")][1:]
    wrong = [a["error"] for a in answers if "error" in a]
    if wrong or len(answers) != len(statements):
        raise RuntimeError(f"{wrong[:1] or done.stderr[-500:]}")
    return [a["rows"] for a in answers]


def table(name, times, select, properties="'format-version'='2'", partitioned=""):
    return [f"CREATE TABLE lake.{name} (id BIGINT, part BIGINT) USING iceberg {partitioned} TBLPROPERTIES ({properties})",
            *[f"INSERT INTO lake.{name} SELECT {select}"] * times]


def do(verb, name, *words):
    return laketop("do", verb, "lake", name, "--profile", own.profile, *words, timeout=300, env={"XDG_STATE_HOME": state.name})


def audit():
    try:
        with open(state.name + "/laketop/audit.jsonl", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]
    except FileNotFoundError:
        return []


def ui():
    with open(own.profile, encoding="utf-8") as lines:
        return re.search(r"\[service spark-connect\][^[]*port\.ui = (\d+)", lines.read()).group(1)


def page(path):
    with urllib.request.urlopen(f"http://127.0.0.1:{ui()}{path}", timeout=20) as answer:
        return answer.read().decode()


def released(session):
    """Closed by the server, and without the exception that it throws where a statement still runs in it."""
    with open(own.home / "log" / "spark-connect.log", encoding="utf-8", errors="replace") as lines:
        log = lines.read()
    return re.search(rf"Closing session with userId: laketop and sessionId: {session}", log) and not \
        re.search(rf"RPC error during: releaseSession.*{session}", log)


def session_of(line):
    return re.search(r"session ([0-9a-f-]{36}), operation [0-9a-f-]{36}, server [0-9a-f-]{36}", line["note"]).group(1)


def running():
    return json.loads(page(f"/api/v1/applications/{json.loads(page('/api/v1/applications'))[0]['id']}/jobs?status=running"))


def as_read(name):
    """Files, snapshots, the newest one, as another Spark reads them."""
    return [f"SELECT count(*) AS n FROM lake.{name}.files", f"SELECT count(*) AS n FROM lake.{name}.snapshots",
            f"SELECT snapshot_id AS id, operation FROM lake.{name}.snapshots ORDER BY committed_at DESC LIMIT 1", f"SELECT count(*) AS n FROM lake.{name}.manifests"]


def locked_runs_nothing():
    done = do("compact", "maintain.small", "--yes", "--read-only")
    ok("read-only-refuses-it", done.returncode == 4 and "--read-only" in done.stderr, (done.returncode, done.stderr))
    done = do("compact", "maintain.small")
    ok("without-a-yes-it-shows-the-statement-and-runs-nothing", done.returncode == 4 and "rewrite_data_files(table => '`lake`.`maintain`.`small`')" in
       done.stdout and "nothing was done" in done.stderr, (done.returncode, done.stdout, done.stderr))
    ok("neither-is-in-the-audit", not audit(), audit())


def what_cannot_be_done_says_why():
    for verb, name, words in (("compact", "maintain.nope", "has no table"), ("expire", "maintain.wide", "nothing to expire"),
                              ("compact", "maintain.empty", "nothing to do")):
        done = do(verb, name, "--yes")
        ok(f"{verb}-of-{name}-is-refused-in-words", done.returncode == 2 and words in done.stderr, (done.returncode, done.stderr))
    ok("nothing-of-that-was-begun", not audit(), audit())


def cancelled_in_the_middle():
    job = subprocess.Popen([LAKETOP, "do", "compact", "lake", "maintain.wide", "--yes", "--profile", own.profile], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "XDG_STATE_HOME": state.name})
    said = []
    for line in job.stdout:
        said.append(line)
        if re.search(r"[1-9]\d* tasks done", line):
            job.send_signal(signal.SIGINT)
            break
    said += job.stdout.readlines()
    code, words = job.wait(120), "".join(said)
    ok("ctrl-c-ends-it-with-130", code == 130, (code, words))
    ok("it-says-that-the-table-is-as-it-was-and-of-orphans", "cancelled: interrupted at the server: the table is as it was" in words and "orphans" in words, words)
    ok("no-job-goes-on-at-the-server", until(20, lambda: not running(), 0.5), "a job still runs")
    last = audit()[-1]
    ok("its-end-is-in-the-audit", last["phase"] == "end" and last["state"] == "cancelled" and "interrupted" in last["note"], last)
    ok("its-session-is-released-after-it-has-ended", until(10, lambda: released(session_of(last)), 0.5), last["note"])


def done_as_offered():
    """Preview, words and Spark's own view of the table afterwards are compared."""
    said = {}
    for verb, name in (("compact", "maintain.small"), ("expire", "maintain.small"), ("manifests", "maintain.spread"), ("deletes", "maintain.deleted"),
                       ("compact", ODD)):
        done = do(verb, name, "--yes")
        said[verb, name] = done.stdout
        ok(f"{verb}-of-{name}-is-done", done.returncode == 0 and "  done: " in done.stdout, (done.returncode, done.stdout, done.stderr))
    ok("no-session-is-left-behind", until(10, lambda: all(released(session_of(line)) for line in audit() if line["phase"] == "end"), 0.5), audit())
    small, spread = as_read("maintain.small"), as_read("maintain.spread")
    rows = spark(*small, *spread, "SELECT count(*) AS n FROM lake.`odd ns`.`it's-a ``table`.files", "SELECT count(*) AS n FROM lake.maintain.small")
    words = said["compact", "maintain.small"]
    ok("compaction-offers-six-files-and-six-become-one", "6 files of" in words and " 6 -> 1 data files" in words and rows[0][0]["n"] == 1, (words, rows[0]))
    ok("it-names-the-snapshot-that-spark-sees", f"snapshot {rows[2][0]['id']} (replace)" in words and rows[2][0]["operation"] == "replace", (words, rows[2]))
    ok("no-row-was-lost", rows[9][0]["n"] == 600, rows[9])
    words = said["expire", "maintain.small"]
    ok("expiry-offers-what-it-does", "6 of 7 snapshots" in words and "with them 6 data files" in words and "7 -> 1 snapshots" in words and
       "deleted data files 6" in words and rows[1][0]["n"] == 1, (words, rows[1]))
    words = said["manifests", "maintain.spread"]
    ok("manifests-become-one", "5 manifests" in words and "5 -> 1 manifests" in words and rows[7][0]["n"] == 1, (words, rows[7]))
    words = said["deletes", "maintain.deleted"]
    offered, did = re.search(r"effect +(\d+) .*?becomes? (\d+)", words), re.search(r"rewritten delete files (\d+), added delete files (\d+)", words)
    ok("deletes-are-written-anew-as-offered", offered and did and offered.groups() == did.groups(), words)
    ok("a-name-that-needs-quotes-is-one-name", rows[8][0]["n"] == 1 and "5 -> 1 data files" in said["compact", ODD], (said["compact", ODD], rows[8]))
    ends = [line for line in audit() if line["phase"] == "end" and line["state"] == "done"]
    ok("every-one-is-in-the-audit-as-done", len(ends) >= 5 and all("CALL `lake`.system." in e["exact"] for e in ends), len(ends))


def after_a_cancel_it_is_done():
    job = subprocess.Popen([LAKETOP, "do", "compact", "lake", "maintain.wide", "--yes", "--profile", own.profile], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "XDG_STATE_HOME": state.name})
    words = "".join(job.stdout)
    ok("a-second-try-after-a-cancel-is-done", job.wait(300) == 0 and "300 -> 60 data files" in words, words)


with own:
    own.up()
    until(120, lambda: laketop("check", "--profile", own.profile).returncode == 0, 1)
    spark("CREATE NAMESPACE IF NOT EXISTS lake.maintain", "CREATE NAMESPACE IF NOT EXISTS lake.`odd ns`",
          *table("maintain.small", 6, "id, 0L FROM range(0, 100, 1, 1)",
                 "'format-version'='2','history.expire.max-snapshot-age-ms'='1','history.expire.min-snapshots-to-keep'='1'"),
          *table("maintain.spread", 5, "id, 0L FROM range(0, 10, 1, 1)"), *table("maintain.empty", 0, ""),
          *table("maintain.deleted", 6, "id, 0L FROM range(0, 100, 1, 1)", f"'format-version'='2',{MERGE}"),
          "DELETE FROM lake.maintain.deleted WHERE id < 5", "DELETE FROM lake.maintain.deleted WHERE id < 8",
          *table("`odd ns`.`it's-a ``table`", 5, "id, 0L FROM range(0, 10, 1, 1)"),
          *table("maintain.wide", 5, "id, id % 60 FROM range(0, 600, 1, 1)", partitioned="PARTITIONED BY (part)"))
    for each in (locked_runs_nothing, what_cannot_be_done_says_why, cancelled_in_the_middle, after_a_cancel_it_is_done, done_as_offered):
        if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
            story(each)
state.cleanup()
end()
