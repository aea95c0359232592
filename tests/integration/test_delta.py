#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Delta tables that Spark 4.0.5 with Delta 4.4.0 wrote over S3A: figures equal to DESCRIBE DETAIL and DESCRIBE HISTORY; the preview
of OPTIMIZE equal to what OPTIMIZE then did; the preview of VACUUM equal to VACUUM DRY RUN, before and after. One job of Spark says it all. Then
laketop itself runs both, by a Spark Connect that has Delta: what was listed is what went."""
import json
import os
import subprocess
import sys
import tempfile

from check import HOME, ROOT, Lab, end, free_port, laketop, ok, story, until

sys.path.insert(0, str(ROOT / "tests" / "lab"))

TABLES = ("orders", "drivers", "menu_items", "order_events", "kitchens", "waiting_list")
KNOWN_WHOLE = tuple(t for t in TABLES if t != "order_events")  # of that one only a checkpoint's Parquet knows the files


def tool(view):
    """What the one view says of every table, by name."""
    import kit
    from services import DELTA_FOLDER, HOST, port
    with tempfile.NamedTemporaryFile("w", dir=HOME) as key:
        key.write(f"{kit.secret('s3-key')}\n{kit.secret('s3', 40)}\n")
        key.flush()
        done = subprocess.run([str(ROOT / "build" / "release" / "delta"), "-s", f"{HOST}:{port('seaweedfs', 's3')}", "-u", key.name, view,
                               *(f"{DELTA_FOLDER}/{t}" for t in TABLES)], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    return dict(zip(TABLES, map(json.loads, done.stdout.splitlines())))


def truth():
    """One job: what Spark says of all tables, then what OPTIMIZE does to them."""
    from services import DELTA_FOLDER, submit_delta
    answer = HOME / "delta-truth.json"
    argv, env = submit_delta("delta_truth.py", answer, *(f"{DELTA_FOLDER}/{t}" for t in TABLES))
    with open(HOME / "log" / "delta-truth.log", "wb") as log:
        code = subprocess.run(argv, env={**os.environ, **env}, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, timeout=900).returncode
    if code:
        raise RuntimeError(f"Spark ended with {code}; see {HOME / 'log' / 'delta-truth.log'}")
    said = json.loads(answer.read_text())
    return {url.rpartition("/")[2]: s for url, s in said.items()}


def same(name, ours, theirs):
    ok(name, ours == theirs, f"laketop {ours!r}, Spark {theirs!r}")


def listed(document, table):
    """Paths under the table's folder, as VACUUM's own list has them."""
    return sorted(row["what"] for row in document[table]["vacuum"])


def under(paths, table):
    return sorted(p.partition(f"/delta/{table}/")[2].rstrip("/") for p in paths)


def figures(rows, facts, spark):
    for table in TABLES:
        row, detail = rows[table]["tables"][0], spark[table]["detail"]
        said = {f["what"]: f["number"] for f in facts[table]["table"]}
        same(f"{table}-has-as-many-files", row["files"], detail["numFiles"])
        if table not in KNOWN_WHOLE:
            ok(f"{table}-says-what-its-count-lacks", row["measured"] == "about" and "Parquet" in row["words"], row)
            continue
        same(f"{table}-has-as-many-bytes", row["bytes"], detail["sizeInBytes"])
        same(f"{table}-has-as-many-rows", said["records"], spark[table]["rows"])
        same(f"{table}-has-its-protocol", (said["reader version"], said["writer version"]), (detail["minReaderVersion"], detail["minWriterVersion"]))
        same(f"{table}-has-its-id", row["uuid"], detail["id"])


def history(commits, spark):
    for table in TABLES:
        ours, theirs = commits[table]["snapshots"], spark[table]["history"][:len(commits[table]["snapshots"])]
        same(f"{table}-has-its-versions", [c["snapshot"] for c in ours], [h["version"] for h in theirs])
        same(f"{table}-has-its-operations", [c["operation"] for c in ours], [h["operation"] for h in theirs])
        for c, h in zip(ours, theirs):
            metrics = h.get("operationMetrics") or {}
            shown = dict(m.rsplit(" ", 1) for m in (c["metrics"] or "").split(", ") if m)
            wrong = {k: v for k, v in shown.items() if metrics.get(k) != v}
            if wrong or h["operation"] == "WRITE" and int(metrics["numFiles"]) != c["added_files"]:
                ok(f"{table}-version-{c['snapshot']}-did-what-it-says", False, f"{c} against {metrics}")


def optimize(plans, spark):
    for table in KNOWN_WHOLE:
        plan, did = plans[table], spark[table]["optimize"]
        same(f"{table}-optimize-takes-and-makes-as-many-files", (plan["files"], plan["becomes"]), (did["numFilesRemoved"], did["numFilesAdded"]))
        same(f"{table}-optimize-rewrites-as-many-bytes", plan["optimize"] and sum(g["bytes"] for g in plan["optimize"]) or 0,
             did["filesRemoved"]["totalSize"])
        same(f"{table}-optimize-touches-as-many-partitions", plan["partitions"], did["partitionsOptimized"])
    ok("order_events-has-no-preview-and-says-why", plans["order_events"]["files"] is None and "Parquet" in plans["order_events"]["words"],
       plans["order_events"])


def vacuum(before, after, spark):
    for table in KNOWN_WHOLE:
        same(f"{table}-vacuum-is-its-dry-run", listed(before, table), under(spark[table]["vacuum"], table))
        same(f"{table}-vacuum-after-optimize-is-its-dry-run", listed(after, table), under(spark[table]["vacuum_after"], table))
    ok("something-was-there-to-vacuum", any(listed(before, t) for t in KNOWN_WHOLE) and len(listed(after, "menu_items")) > len(listed(before, "menu_items")),
       {t: len(listed(after, t)) for t in KNOWN_WHOLE})


def all_of_it():
    rows, facts, commits, plans, before = (tool(v) for v in ("row", "table", "snapshots", "optimize", "vacuum"))
    errors = {t: d["error"] for v in (rows, facts, commits, plans, before) for t, d in v.items() if d["error"]}
    if not ok("every-table-is-read", not errors, errors):
        return
    spark = truth()
    after = tool("vacuum")
    figures(rows, facts, spark)
    history(commits, spark)
    optimize(plans, spark)
    vacuum(before, after, spark)


def connect(port):
    """Spark Connect 4.0 with Delta, of the settings that the jobs have."""
    from services import HOST, spark_home, submit_delta
    _, env = submit_delta("")
    conf = {"spark.connect.grpc.binding.port": port, "spark.connect.grpc.binding.address": HOST}
    argv = ["bash", os.path.join(spark_home("4.0"), "bin", "spark-submit"), "--master", "local[1]", *(w for k, v in conf.items() for w in ("--conf", f"{k}={v}")),
            "--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    with open(HOME / "log" / "delta-connect.log", "wb") as log:
        return subprocess.Popen(argv, env={**os.environ, **env}, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)


def do(verb, table, profile, state, *words):
    return laketop("do", verb, "delta", f"delta.{table}", "--profile", profile, *words, timeout=300, env={"XDG_STATE_HOME": state})


def acted_on():
    with tempfile.TemporaryDirectory() as state:
        port = free_port()  # none of those that the kernel gives away: the server comes up much later
        profile = os.path.join(state, "profile.ini")
        with open(HOME / "profile.ini", encoding="utf-8") as lines, open(profile, "w", encoding="utf-8") as out:
            out.write(lines.read().replace("kind = delta\n", "kind = delta\nengine = delta-connect\n") +
                      f"\n[service delta-connect]\nkind = spark-connect\nport = {port}\n")
        os.chmod(profile, 0o600)
        server = connect(port)
        try:
            until(240, lambda: laketop("check", "delta-connect", "--profile", profile).returncode == 0, 1)
            done = do("vacuum", "orders", profile, state, "retain=24h", "--yes")
            ok("less-than-a-table-keeps-is-refused-with-the-reason", done.returncode == 2 and "deletedFileRetentionDuration" in done.stderr,
               (done.returncode, done.stderr))
            before = tool("optimize")["drivers"]
            done = do("optimize", "drivers", profile, state, "--yes")
            ok("optimize-makes-as-many-files-as-offered", done.returncode == 0 and before["becomes"] == 1 and f"{before['files']} -> 1 data files" in done.stdout,
               (before, done.stdout, done.stderr))
            files = [r for r in tool("vacuum")["menu_items"]["vacuum"] if r["files"]]
            done = do("vacuum", "menu_items", profile, state, "--yes")
            left = [r for r in tool("vacuum")["menu_items"]["vacuum"] if r["files"]]
            ok("vacuum-removes-the-files-that-it-listed", done.returncode == 0 and f"{len(files)} -> 0 files to remove" in done.stdout and files and not left,
               (done.stdout, done.stderr, left))
        finally:
            os.killpg(server.pid, 15)
            server.wait(120)


def main():
    if sys.argv[1:] == ["here"]:  # the lab's own modules know its ports and keys by the environment
        story(all_of_it)
        story(acted_on)
        return end()
    with Lab("delta", "light", "delta") as own:
        own.up()
        own("seed")
        sys.stdout.flush()
        code = subprocess.run([sys.executable, __file__, "here"], env={**os.environ, **own.env}, stdin=subprocess.DEVNULL).returncode
    sys.exit(code)


if __name__ == "__main__":
    main()
