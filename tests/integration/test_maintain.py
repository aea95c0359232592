#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Maintenance of tables on a lab of its own, by a real Spark Connect and by spark-sql: what was offered is what came about, as Spark itself then
reads the table; what is ended in the middle leaves it as it was, also where laketop itself is killed; a commit that comes between is a conflict;
what is locked runs nothing; and no session stays behind."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from check import LAKETOP, ROOT, Lab, end, laketop, ok, screen, skip, story, until

sys.path.insert(0, str(ROOT / "tests" / "lab"))
sys.dont_write_bytecode = True
import containers  # noqa: E402
import kit  # noqa: E402

own = Lab("maintain", "pocket")
MERGE = "'write.delete.mode'='merge-on-read'"
SUBMIT = "import json, sys; sys.path.insert(0, sys.argv[1]); from services import submit; print(json.dumps(submit('statements.py', sys.argv[2], " \
         "master='local[2]', conf=['spark.eventLog.enabled=false', 'spark.ui.enabled=false'])))"
state = tempfile.TemporaryDirectory()
MARK = f"maintain-{os.getpid()}"
ODD = "odd ns.it's-a `table`"
PLACE, DOTTED = "maintain.größe 1", 'maintain."a.b"'


class Spark:
    """Another Spark than the one that laketop asks, for all statements."""

    def __init__(self):
        self.pipe = os.path.join(state.name, "pipe")
        os.mkfifo(self.pipe, 0o600)
        env = {**os.environ, **own.env}
        argv, more = json.loads(subprocess.run([sys.executable, "-c", SUBMIT, str(ROOT / "tests" / "lab"), self.pipe], env=env, check=True,
                                               capture_output=True, text=True).stdout)
        self.argv, self.env = argv, {**env, **more}
        self.job = subprocess.Popen(argv, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.read()
        self.questions = open(self.pipe, "w", encoding="utf-8")

    def read(self):
        for line in self.job.stdout:
            if line.startswith("ANSWER "):
                return json.loads(line[7:])
        raise RuntimeError("Spark ended")

    def __call__(self, *statements):
        """What it says to each of them."""
        answers = []
        for sql in statements:
            self.questions.write(json.dumps({"sql": sql}) + "\n")
            self.questions.flush()
            answers.append(self.read())
        wrong = [a["error"] for a in answers if "error" in a]
        if wrong:
            raise RuntimeError(wrong[0][:500])
        return [a["rows"] for a in answers]

    def close(self):
        self.questions.close()
        self.job.wait(60)


def table(name, times, select, properties="'format-version'='2'", partitioned="", catalog="lake"):
    return [f"CREATE TABLE {catalog}.{name} (id BIGINT, part BIGINT) USING iceberg {partitioned} TBLPROPERTIES ({properties})",
            *[f"INSERT INTO {catalog}.{name} SELECT {select}"] * times]


def words_of(verb, name, *words, catalog="lake", profile=None):
    names = name if isinstance(name, list) else [name]
    return ["do", verb, catalog, *names, "--profile", profile or own.profile, *words]


def do(verb, name, *words, **more):
    return laketop(*words_of(verb, name, *words, **more), timeout=300, env={"XDG_STATE_HOME": state.name})


def begin(verb, name, *words, **more):
    return subprocess.Popen([LAKETOP, *words_of(verb, name, *words, **more)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, env={**os.environ, "XDG_STATE_HOME": state.name})


def read_until(job, pattern):
    said = []
    for line in job.stdout:
        said.append(line)
        if re.search(pattern, line):
            break
    return said


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


def left_open():
    return laketop("actions", "--profile", own.profile, "--json", env={"XDG_STATE_HOME": state.name})


def as_read(name):
    """Files, snapshots, the newest one, as another Spark reads them."""
    return [f"SELECT count(*) AS n FROM lake.{name}.files", f"SELECT count(*) AS n FROM lake.{name}.snapshots",
            f"SELECT snapshot_id AS id, operation FROM lake.{name}.snapshots ORDER BY committed_at DESC LIMIT 1", f"SELECT count(*) AS n FROM lake.{name}.manifests"]


def locked_runs_nothing():
    done = do("compact", "maintain.small", "--yes", "--read-only")
    ok("read-only-refuses-it", done.returncode != 0 and "--read-only" in done.stderr, (done.returncode, done.stderr))
    done = do("compact", "maintain.small")
    ok("without-a-yes-it-shows-the-statement-and-runs-nothing", done.returncode != 0 and "rewrite_data_files(table => '`lake`.`maintain`.`small`')" in
       done.stdout and "nothing was done" in done.stderr, (done.returncode, done.stdout, done.stderr))
    ok("neither-is-in-the-audit", not audit(), audit())


def what_cannot_be_done_says_why():
    for verb, name, words, option in (
            ("compact", "maintain.nope", "has no table", ""), ("orphans", "maintain.small", "younger than a day", "older_than=1h"),
            ("compact", "maintain.small", "expected size", "target=huge"), ("compact", "maintain.small", "takes no option", "retain=7d"),
            ("optimize", "maintain.small", "for Delta tables", ""), ("compact", "maintain.small", "Trino", "by=trino"),
            ("compact", "maintain.small", "spark_sql", "by=spark-sql"), ("compact", "maintain.small", "no Airflow", "by=airflow")):
        done = do(verb, name, *([option] if option else []), "--yes")
        ok(f"{verb}-of-{name}-{option}-is-refused-in-words", done.returncode == 2 and words in done.stderr, (done.returncode, done.stderr))
    for verb, name, words in (("expire", "maintain.wide", "nothing to expire"), ("compact", "maintain.empty", "nothing to do"),
            ("interrupt", "maintain.small", "nothing of it was left open")):
        done = do(verb, name, "--yes")
        ok(f"{verb}-of-{name}-has-nothing-to-do-and-that-is-well", done.returncode == 0 and words in done.stdout, (done.returncode, done.stdout, done.stderr))
    ok("nothing-of-that-was-begun", not audit(), audit())


def another_catalog_is_said_before_it_runs():
    other = os.path.join(state.name, "other.ini")
    with open(own.profile, encoding="utf-8") as lines, open(other, "w", encoding="utf-8") as out:
        out.write(lines.read().replace("engine = spark-connect", "engine = spark-connect\nengine_catalog = shore"))
    done = do("compact", "maintain.small", profile=other)
    ok("a-catalog-that-the-engine-does-not-have-is-said", 'CAUTION: the engine was not started with a catalog "shore"' in done.stdout, (done.stdout, done.stderr))


def cancelled_in_the_middle():
    job = begin("compact", "maintain.wide", "--yes")
    said = read_until(job, r"[1-9]\d* tasks done")
    job.send_signal(signal.SIGINT)
    said += job.stdout.readlines()
    code, words = job.wait(120), "".join(said)
    ok("ctrl-c-ends-it-with-130", code == 130, (code, words))
    ok("it-says-that-the-table-is-as-it-was-and-of-orphans", "cancelled: interrupted at the server: the table is as it was" in words and "orphans" in words, words)
    ok("no-job-goes-on-at-the-server", until(60, lambda: not running(), 0.5), "a job still runs")
    last = audit()[-1]
    ok("its-end-is-in-the-audit", last["phase"] == "end" and last["state"] == "cancelled" and "interrupted" in last["note"], last)
    ok("its-session-is-released-after-it-has-ended", until(60, lambda: released(session_of(last)), 0.5), last["note"])


def killed_in_the_middle():
    job = begin("compact", "maintain.wide", "--yes")
    said = read_until(job, r"[1-9]\d* tasks done")
    job.kill()
    job.wait(20)
    left = left_open()
    entries = json.loads(left.stdout)["actions"]
    ok("the-next-start-lists-what-was-cut-short", left.returncode == 1 and [e["subject"] for e in entries] == ["maintain.wide"], (left.stdout, said))
    done = do("interrupt", "maintain.wide", "--yes")
    ok("it-is-found-running-and-interrupted", done.returncode == 0 and "still runs there" in done.stdout and "interrupted at the server, and ended" in
       done.stdout, (done.returncode, done.stdout, done.stderr))
    ok("no-job-of-it-goes-on", until(60, lambda: not running(), 0.5), "a job still runs")
    ok("its-session-is-released-too", until(60, lambda: released(session_of({"note": entries[0]["note"]})), 0.5), entries)
    ok("nothing-is-open-any-more", left_open().returncode == 0, left_open().stdout)


def killed_and_ended_by_itself():
    job = begin("compact", "maintain.left", "--yes")
    read_until(job, r"Spark is planning it")
    job.kill()
    job.wait(20)
    count = "SELECT count(*) AS n FROM lake.maintain.left.files"
    ok("what-nobody-waits-for-ends-at-the-server", until(60, lambda: spark("REFRESH TABLE lake.maintain.left", count)[1][0]["n"] == 1, 0.5), spark(count))
    done = until(60, lambda: (lambda d: "has ended at" in d.stdout and d)(do("interrupt", "maintain.left")), 1)
    ok("it-is-found-to-have-ended", done, "it is still there")
    done = do("interrupt", "maintain.left", "--yes")
    ok("and-its-entry-is-closed", done.returncode == 0 and "ended by itself" in done.stdout and left_open().returncode == 0, (done.stdout, done.stderr))


def a_commit_between_is_a_conflict():
    """A writer drops a partition while the compaction runs that has read it."""
    job = begin("compact", "maintain.wide", "--yes", "--retry")
    said = read_until(job, r"[1-9]\d* tasks done")
    spark("DELETE FROM lake.maintain.wide WHERE part = 7")
    said += job.stdout.readlines()
    code, words = job.wait(300), "".join(said)
    ok("it-is-said-to-be-a-conflict", "failed: conflict: another commit came between" in words, words)
    ok("the-second-try-is-done-of-what-is-there-then", code == 0 and "295 -> 59 data files" in words, (code, words))
    ends = [line["state"] for line in audit() if line["phase"] == "end" and line["subject"] == "maintain.wide"]
    ok("both-are-in-the-audit", ends[-2:] == ["failed", "done"], ends)


def done_as_offered():
    """Preview, words and Spark's own view of the table afterwards are compared."""
    said = {}
    for verb, name in (("compact", "maintain.small"), ("expire", "maintain.small"), ("manifests", "maintain.spread"), ("deletes", "maintain.deleted"),
                       ("compact", ODD)):
        done = do(verb, name, "--yes")
        said[verb, name] = done.stdout
        ok(f"{verb}-of-{name}-is-done", done.returncode == 0 and "  done: " in done.stdout, (done.returncode, done.stdout, done.stderr))
    ends = [line for line in audit() if line["phase"] == "end" and "operation" in line.get("note", "") and line["verb"] != "interrupt"]
    ok("no-session-is-left-behind", until(60, lambda: all(released(session_of(line)) for line in ends if "later laketop" not in line["note"]), 0.5), ends)
    small, spread = as_read("maintain.small"), as_read("maintain.spread")
    spark("REFRESH TABLE lake.maintain.small", "REFRESH TABLE lake.maintain.spread", "REFRESH TABLE lake.`odd ns`.`it's-a ``table```")
    rows = spark(*small, *spread, "SELECT count(*) AS n FROM lake.`odd ns`.`it's-a ``table```.files", "SELECT count(*) AS n FROM lake.maintain.small")
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
    ok("every-one-is-in-the-audit-as-done", len(ends) >= 5 and sum("CALL `lake`.system." in e["exact"] for e in ends) >= 5, len(ends))


def chosen_and_several():
    """One yes for two tables whose names need care; each is chosen for what its own rule would not do."""
    for words in (("plan", "compact", PLACE), ("plan", "compact", PLACE, "min_files=2")):
        done = laketop(*words, "--profile", own.profile)
        due = "3 files of" in done.stdout and "'min-input-files', '2'" in done.stdout
        ok(f"a-plan-{'takes' if len(words) > 3 else 'needs'}-what-is-chosen", due == (len(words) > 3), (done.stdout, done.stderr))
    done = do("compact", [PLACE, "maintain.nope", DOTTED], "min_files=2", "target=1MB", "--yes")
    ok("several-run-one-after-another", done.stdout.count(" 3 -> 1 data files") == 2 and "1 of 2: " in done.stdout and "2 of 2: " in done.stdout,
       (done.stdout, done.stderr))
    ok("one-that-cannot-be-done-is-said-and-is-no-success", done.returncode == 1 and "has no table maintain.nope" in done.stderr, (done.returncode, done.stderr))
    done = do("expire", "maintain.spread", "older_than=1s", "retain_last=2", "--yes")
    spark("REFRESH TABLE lake.maintain.spread")
    rows = spark("SELECT count(*) AS n FROM lake.maintain.spread.snapshots")
    ok("as-many-snapshots-stay-as-were-chosen", done.returncode == 0 and "4 of 6 snapshots" in done.stdout and rows[0][0]["n"] == 2, (done.stdout, rows))


def orphans_that_were_listed_go():
    where = own.home / "data" / "disk" / "maintain" / "files" / "data"
    parquet = next(where.glob("*.parquet"))
    old = time.time() - 5 * 86400
    for name in ("stray-1.parquet", "stray 2.parquet", "young.parquet"):
        shutil.copy(parquet, where / name)
        if name != "young.parquet":
            os.utime(where / name, (old, old))
    for path in where.glob("0*.parquet"):  # in use, and as old
        os.utime(path, (old, old))
    profile = os.path.join(state.name, "disk.ini")
    with open(own.profile, encoding="utf-8") as lines, open(profile, "w", encoding="utf-8") as out:
        out.write(lines.read() + "\n[catalog disk]\nkind = iceberg-jdbc\nservice = postgres\nwarehouse = disk\nengine = spark-connect\n")
    done = do("orphans", "maintain.files", "older_than=6d", "--yes", catalog="disk", profile=profile)
    ok("what-is-younger-than-was-chosen-stays", done.returncode == 0 and "nothing to remove" in done.stdout and (where / "stray-1.parquet").exists(),
       (done.stdout, done.stderr))
    done = do("orphans", "maintain.files", "--yes", catalog="disk", profile=profile)
    ok("the-two-that-were-listed-are-removed", done.returncode == 0 and "effect   2 of " in done.stdout and "removed 2 of 2 that were listed" in done.stdout and
       "2 -> 0 files to remove" in done.stdout, (done.returncode, done.stdout, done.stderr))
    names = sorted(p.name for p in where.glob("*.parquet"))
    ok("and-nothing-else", "young.parquet" in names and len(names) == 3 and not any("stray" in n for n in names), names)
    spark("REFRESH TABLE disk.maintain.files")
    ok("the-table-is-whole", spark("SELECT count(*) AS n FROM disk.maintain.files")[0][0]["n"] == 20, "rows are lost")


def program(*before):
    """A profile that names spark-sql of the same installation, run by what stands before it."""
    script = str(own.home / "spark-sql")  # where a container sees it, too
    at = spark.argv.index("--master")
    with open(script, "w", encoding="utf-8") as out:
        env = {k: v for k, v in spark.env.items() if k.startswith(("SPARK", "JAVA", "PYSPARK"))}
        out.write("#!/bin/sh\n" + "".join(f"export {k}='{v}'\n" for k, v in env.items()) +
                  f"exec bash {spark.argv[at - 1].replace('spark-submit', 'spark-sql')} --master local[1] --conf spark.ui.enabled=false"
                  f" --conf spark.eventLog.enabled=false --conf spark.sql.catalogImplementation=in-memory"
                  f" --conf spark.app.name={MARK} \"$@\"\n")
    os.chmod(script, 0o700)
    profile = os.path.join(state.name, "program.ini")
    with open(own.profile, encoding="utf-8") as lines, open(profile, "w", encoding="utf-8") as out:
        out.write(lines.read().replace("engine = spark-connect", f"engine = spark-connect\nspark_sql = {' '.join([*before, script])}"))
    return profile


def marked():
    """Pids of what the program started."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found += [path.parent.name] if MARK.encode() in path.read_bytes() else []
    return found


def by_a_program():
    done = do("compact", "maintain.program", "by=spark-sql", "--yes", profile=program())
    ok("a-program-runs-it-and-the-table-says-so", done.returncode == 0 and "5 -> 1 data files" in done.stdout and "by spark-sql" in done.stdout,
       (done.returncode, done.stdout, done.stderr))


def by_a_program_in_a_container():
    """As where Spark itself is a container: this host's network, the same Spark, the lab's catalog and S3."""
    try:
        containers.check()
    except kit.CannotRun as e:
        return skip("a-program-in-a-container", e)
    own("fetch", "docker")
    own("start", "dockerd")
    docker = ["docker", "-H", f"unix://{own.home}/run/docker.sock"]
    mounts = [w for p in ("/usr", "/etc", "/opt", kit.CACHE) if os.path.exists(p) for w in ("-v", f"{p}:{p}:ro")] + ["-v", f"{own.home}:{own.home}"]
    try:
        subprocess.run([*docker, "run", "-d", "--init", "--name", "sql", "--network", "host", *mounts, containers.HOSTED, "sleep", "1000000"], check=True,
                       capture_output=True, timeout=120)
        done = do("compact", "maintain.boxed", "by=spark-sql", "--yes", profile=program(*docker, "exec", "sql"))
        ok("a-program-in-a-container-runs-it-and-the-table-says-so", done.returncode == 0 and "done: 5 -> 1 data files" in done.stdout and
           "docker has ended it" in done.stdout + done.stderr, (done.returncode, done.stdout, done.stderr))
    finally:
        subprocess.run([*docker, "rm", "-f", "sql"], check=False, capture_output=True, timeout=120)
        own("stop", "dockerd")


def a_cancelled_program_ends_with_all_that_it_started():
    before = spark(*as_read("maintain.cut"))
    job = begin("compact", "maintain.cut", "by=spark-sql", "--yes", profile=program())
    ok("the-program-has-a-jvm", until(60, marked, 0.1), "none of its processes is seen")
    job.send_signal(signal.SIGINT)
    words = "".join(job.stdout.readlines())
    code = job.wait(120)
    ok("ctrl-c-of-a-program-is-130-too", code == 130, (code, words))
    ok("of-its-processes-none-is-left", until(10, lambda: not marked(), 0.2), marked())
    ok("what-it-left-is-told", "cancelled: ended; the table is as it was" in words and "may stay as orphans" in words and
       spark("REFRESH TABLE lake.maintain.cut", *as_read("maintain.cut"))[1:] == before, (words, before))
    last = audit()[-1]
    ok("and-is-in-the-audit", last["phase"] == "end" and last["state"] == "cancelled" and last["subject"] == "maintain.cut", last)


def seen_on_the_screen():
    """Marked, chosen, confirmed once, seen to be done; before and after stand among the changes."""
    with screen("--profile", own.profile, columns=150, env={"XDG_STATE_HOME": state.name}) as it:
        until(60, lambda: "READY" in it.text(), 0.5)
        it.press("4", "/")
        it.press("-l", "maintain.seen")
        it.press("Enter")
        ok("both-tables-are-listed", until(60, lambda: it.text().count("maintain.seen_") >= 2 and "compact" in it.text(), 0.5), it.text())
        it.press("g", "Space", "Space")
        ok("marks-are-seen", until(60, lambda: "2 marked" in it.text(), 0.2), it.text())
        it.press("x")
        until(60, lambda: "what to do to 2 marked" in it.text(), 0.2)
        it.press("Enter")
        ok("what-it-takes-can-be-typed", until(60, lambda: "min_files" in it.text() and "no Airflow DAG" in it.text(), 0.2), it.text())
        it.press("Tab", "5", "Enter")
        ok("one-question-lists-both", until(60, lambda: "Run these 2? [y/N]" in it.text() and it.text().count("'min-input-files', '5'") == 2, 0.2),
           it.text())
        it.press("y")
        ok("both-are-done", until(120, lambda: it.text().count("5 -> 1 data files") == 2, 0.5), it.text())
        it.press("Escape", "8")
        ok("before-and-after-are-among-the-changes", until(60, lambda: len(re.findall(r"compact lake maintain\.seen_.*5 -> 1 data files", it.text())) == 2, 0.5),
           it.text())


with own:
    own.up()
    until(120, lambda: laketop("check", "--profile", own.profile).returncode == 0, 1)
    spark = Spark()
    few = "id, 0L FROM range(0, 10, 1, 1)"
    spark("CREATE NAMESPACE IF NOT EXISTS lake.maintain", "CREATE NAMESPACE IF NOT EXISTS lake.`odd ns`", "CREATE NAMESPACE IF NOT EXISTS disk.maintain",
          *table("maintain.small", 6, "id, 0L FROM range(0, 100, 1, 1)",
                 "'format-version'='2','history.expire.max-snapshot-age-ms'='1','history.expire.min-snapshots-to-keep'='1'"),
          *table("maintain.spread", 5, few), *table("maintain.empty", 0, ""),
          *table("maintain.deleted", 6, "id, 0L FROM range(0, 100, 1, 1)", f"'format-version'='2',{MERGE}"),
          "DELETE FROM lake.maintain.deleted WHERE id < 5", "DELETE FROM lake.maintain.deleted WHERE id < 8",
          *table("`odd ns`.`it's-a ``table```", 5, few), *table("maintain.left", 5, few), *table("maintain.program", 5, few), *table("maintain.boxed", 5, few), *table("maintain.cut", 5, few),
          *table("maintain.`größe 1`", 3, few), *table("maintain.`a.b`", 3, few), *table("maintain.seen_1", 5, few), *table("maintain.seen_2", 5, few),
          *table("maintain.files", 2, few, catalog="disk"),
          *table("maintain.wide", 5, "id, id % 60 FROM range(0, 600, 1, 1)", partitioned="PARTITIONED BY (part)"))
    for each in (locked_runs_nothing, what_cannot_be_done_says_why, another_catalog_is_said_before_it_runs, cancelled_in_the_middle, killed_in_the_middle,
                 killed_and_ended_by_itself, a_commit_between_is_a_conflict, done_as_offered, chosen_and_several, orphans_that_were_listed_go, by_a_program,
                 by_a_program_in_a_container, a_cancelled_program_ends_with_all_that_it_started, seen_on_the_screen):
        if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
            story(each)
    spark.close()
state.cleanup()
end()
