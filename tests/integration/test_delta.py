#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Delta tables that Spark 4.0.5 with Delta 4.4.0 wrote over S3A: figures equal to DESCRIBE DETAIL and DESCRIBE HISTORY; the preview
of OPTIMIZE equal to what OPTIMIZE then did; the preview of VACUUM equal to VACUUM DRY RUN, before and after. One job of Spark says it all."""
import json
import os
import subprocess
import sys
import tempfile

from check import HOME, ROOT, Lab, end, ok, story

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
                               *(f"{DELTA_FOLDER}/{t}" for t in TABLES)], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
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
        same(f"{table}-has-as-many-rows", said["rows"], spark[table]["rows"])
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


def main():
    if sys.argv[1:] == ["here"]:  # the lab's own modules know its ports and keys by the environment
        story(all_of_it)
        return end()
    with Lab("delta", "light", "delta") as own:
        own.up()
        own("seed")
        sys.stdout.flush()
        code = subprocess.run([sys.executable, __file__, "here"], env={**os.environ, **own.env}, stdin=subprocess.DEVNULL).returncode
    sys.exit(code)


if __name__ == "__main__":
    main()
