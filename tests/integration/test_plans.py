#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Previews of maintenance against what Iceberg's own procedures then do: tables of every kind are made by SQL, laketop says what a
procedure would do, the very SQL that it proposes is run, and both are compared to the last file."""
import json
import os
import subprocess
import sys
import time

from check import HOME, ROOT, end, ok, skip, story

sys.path.insert(0, str(ROOT / "tests" / "lab"))
import kit  # noqa: E402 - the lab's own way to its services
from fetching import place  # noqa: E402
from services import copy_new, home, port, s3_put, secret, spark_defaults, submit  # noqa: E402,F401

PLAN = str(ROOT / "build" / "release" / "plan")
HERE = HOME / "plans"  # the warehouse of files
DAY = 86400000
MERGE = "'write.delete.mode'='merge-on-read','write.update.mode'='merge-on-read','write.merge.mode'='merge-on-read'"
spark = None


class Spark:
    """One driver for all statements."""

    def __init__(self):
        copy_new(place("iceberg"), home("jars", "iceberg-4.1"))
        if not os.path.exists(home("etc", "spark-connect", "spark-defaults.conf")):
            spark_defaults()
        conf = ["spark.eventLog.enabled=false", "spark.ui.enabled=false", "spark.sql.catalog.here=org.apache.iceberg.spark.SparkCatalog",
                "spark.sql.catalog.here.type=hadoop", f"spark.sql.catalog.here.warehouse=file:{HERE}"]
        pipe = HOME / "plans.pipe"
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe, 0o600)
        argv, env = submit("statements.py", pipe, master="local[2]", conf=conf)
        self.log = open(HOME / "log" / "test-plans.log", "wb")
        self.job = subprocess.Popen(argv, env={**os.environ, **env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.read()
        self.questions = open(pipe, "w", encoding="utf-8")

    def read(self):
        for line in self.job.stdout:
            if line.startswith("ANSWER "):
                return json.loads(line[7:])
        raise RuntimeError("Spark ended; see log/test-plans.log")

    def ask(self, **question):
        self.questions.write(json.dumps(question) + "\n")
        self.questions.flush()
        answer = self.read()
        if "error" in answer:
            raise RuntimeError(f"{question}: {answer['error'][:600]}")
        return answer["rows"]

    def sql(self, text):
        return self.ask(sql=text)

    def close(self):
        self.questions.close()
        self.job.wait(60)
        self.log.close()


def q(text):
    return spark.sql(text)


def preview(view, table, catalog="lake", name=None, **settings):
    """Figures by name, and rows. table: as SQL has it, without the catalog; name: as laketop's catalog has it."""
    at = q(f"SELECT file FROM {catalog}.{table}.metadata_log_entries ORDER BY timestamp DESC, file DESC LIMIT 1")[0]["file"]
    words = [PLAN, view, name or table, at, f"engine={catalog}", f"s3=127.0.0.1:{port('seaweedfs', 's3')}", f"key={secret('s3-key')}",
             f"secretfile={home('secret', 's3')}", *(f"{k}={v}" for k, v in settings.items())]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words[:4])}: {done.stderr.strip()}")
    figures, rows = {}, []
    for line in done.stdout.splitlines():
        kind, *parts = line.split("\t")
        if kind == "figure":
            figures[parts[0]] = int(parts[1]) if parts[1].lstrip("-").isdigit() else parts[1]
        else:
            rows.append(dict(p.split("=", 1) for p in parts))
    return figures, rows


def fresh(table, columns, properties="'format-version'='2'", partitioned="", catalog="lake"):
    q(f"DROP TABLE IF EXISTS {catalog}.{table} PURGE")
    q(f"CREATE TABLE {catalog}.{table} ({columns}) USING iceberg {partitioned} TBLPROPERTIES ({properties})")


def fill(table, times, select="id, id % 3 AS part FROM range(100)", files=1, catalog="lake"):
    for _ in range(times):
        q(f"INSERT INTO {catalog}.{table} SELECT /*+ REPARTITION({files}) */ {select}")


def compare(what, wanted, got):
    wrong = {k: f"laketop {wanted[k]}, Iceberg {got[k]}" for k in wanted if wanted[k] != got[k]}
    return ok(what, not wrong, f"{wrong}")


# ---- the tables ----

def make_parted():
    fresh("plans.parted", "id BIGINT, part BIGINT", partitioned="PARTITIONED BY (part)")
    fill("plans.parted", 3, "id, id % 3 AS part FROM range(90)")
    fill("plans.parted", 3, "id, 0L AS part FROM range(10)")
    fill("plans.parted", 2, "id, 1L AS part FROM range(10)")


def make_flat():
    fresh("plans.flat", "id BIGINT, part BIGINT", "'format-version'='1'")
    fill("plans.flat", 2, files=20)


def make_sizes():
    """Of about 25 kB the target: some files are right, some too small, one too large."""
    fresh("plans.sizes", "id BIGINT, text STRING", "'format-version'='2','write.target-file-size-bytes'='25000','write.parquet.row-group-size-bytes'='4000',"
          "'write.parquet.compression-codec'='uncompressed'")
    for rows, files in ((2600, 1), (600, 1), (1500, 3), (2200, 4), (40000, 1)):
        fill("plans.sizes", 1, f"id, uuid() AS text FROM range({rows // 5})", files)


def make_specs():
    """Partitioned anew: older files are of another spec."""
    fresh("plans.specs", "id BIGINT, part BIGINT", partitioned="PARTITIONED BY (part)")
    fill("plans.specs", 2)
    q("ALTER TABLE lake.plans.specs REPLACE PARTITION FIELD part WITH bucket(2, id)")
    fill("plans.specs", 6)


def make_heavy():
    """Merge-on-read with deletes of one file each: in the first file 40 % are gone, in the second 20 %."""
    fresh("plans.heavy", "id BIGINT, part BIGINT", f"'format-version'='2','write.delete.granularity'='file',{MERGE}")
    fill("plans.heavy", 1, "id, 0L AS part FROM range(100)")
    fill("plans.heavy", 1, "id, 1L AS part FROM range(100)")
    q("DELETE FROM lake.plans.heavy WHERE (part = 0 AND id < 40) OR (part = 1 AND id < 20)")


def make_wide():
    """The same where a delete file is of a whole partition: its rows do not count by file."""
    fresh("plans.wide", "id BIGINT, part BIGINT", f"'format-version'='2','write.delete.granularity'='partition',{MERGE}")
    fill("plans.wide", 2, "id, 0L AS part FROM range(100)")
    q("DELETE FROM lake.plans.wide WHERE id < 60")


def make_vectors():
    fresh("plans.vectors", "id BIGINT, part BIGINT", f"'format-version'='3',{MERGE}", "PARTITIONED BY (part)")
    fill("plans.vectors", 1, "id, id % 4 AS part FROM range(400)")
    q("DELETE FROM lake.plans.vectors WHERE (part = 0 AND id < 120) OR (part = 1 AND id < 100) OR (part = 2)")
    q("DELETE FROM lake.plans.vectors WHERE part = 1 AND id < 140")


def make_odd():
    q("CREATE NAMESPACE IF NOT EXISTS lake.`odd ns`")
    fresh("`odd ns`.`it's-a \\`table`".replace("\\`", "``"), "id BIGINT, part BIGINT")
    fill("`odd ns`.`it's-a ``table`", 5)


def make_many_deletes():
    """Position deletes of many files in two partitions."""
    fresh("plans.many_deletes", "id BIGINT, part BIGINT", f"'format-version'='2',{MERGE}", "PARTITIONED BY (part)")
    fill("plans.many_deletes", 6, "id, 0L AS part FROM range(100)")
    fill("plans.many_deletes", 2, "id, 1L AS part FROM range(100)")
    q("DELETE FROM lake.plans.many_deletes WHERE id < 5")
    q("DELETE FROM lake.plans.many_deletes WHERE id < 8 AND part = 0")


def make_upgraded():
    """Position deletes of format 2 in a table that is of format 3 since."""
    fresh("plans.upgraded", "id BIGINT, part BIGINT", f"'format-version'='2',{MERGE}")
    fill("plans.upgraded", 5, "id, 0L AS part FROM range(100)")
    q("DELETE FROM lake.plans.upgraded WHERE id < 5")
    q("ALTER TABLE lake.plans.upgraded SET TBLPROPERTIES ('format-version'='3')")


def make_by_partition():
    """Delete files of whole partitions, five of them in one."""
    fresh("plans.by_partition", "id BIGINT, part BIGINT", f"'format-version'='2','write.delete.granularity'='partition',{MERGE}", "PARTITIONED BY (part)")
    fill("plans.by_partition", 2, "id, id % 2 AS part FROM range(100)")
    for i in range(5):
        q(f"DELETE FROM lake.plans.by_partition WHERE part = 0 AND id = {2 * i}")


def make_dangling():
    """Five deletes of files that a compaction has replaced since, and five of files that live."""
    fresh("plans.dangling", "id BIGINT, part BIGINT", f"'format-version'='2',{MERGE}", "PARTITIONED BY (part)")
    fill("plans.dangling", 5, "id, id % 2 AS part FROM range(100)")
    q("DELETE FROM lake.plans.dangling WHERE id < 6")
    q("CALL lake.system.rewrite_data_files(table => 'plans.dangling', where => 'part = 0')")


def make_history():
    """Appends, deletes, a compaction; a tag and two branches; statistics."""
    fresh("plans.history", "id BIGINT, part BIGINT", f"'format-version'='2',{MERGE}")
    fill("plans.history", 2, files=2)
    q("ALTER TABLE lake.plans.history CREATE TAG audit RETAIN 365 DAYS")
    fill("plans.history", 1)
    q("ALTER TABLE lake.plans.history CREATE BRANCH side WITH SNAPSHOT RETENTION 2 SNAPSHOTS")
    q("CALL lake.system.compute_table_stats(table => 'plans.history')")
    q("DELETE FROM lake.plans.history WHERE id < 20")
    q("INSERT OVERWRITE lake.plans.history SELECT id, part FROM lake.plans.history WHERE id < 50")
    q("INSERT INTO lake.plans.history.branch_side SELECT id, 9L FROM range(10)")
    fill("plans.history", 2)
    q("CALL lake.system.rewrite_manifests(table => 'plans.history')")


# ---- compaction ----

def compacts(table, name=None, loosely=False):
    figures, rows = preview("compact", table, name=name)
    said = str(figures["becomes"])
    wanted = {"rewritten_data_files_count": figures["files"], "rewritten_bytes_count": figures["bytes"]}
    if not figures["files"]:
        ok(f"compaction of {table}: no SQL is proposed where nothing is due", "sql" not in figures, str(figures))
    sql = figures.get("sql", f"CALL lake.system.rewrite_data_files(table => '{table}')")
    got = q(sql)[0]
    compare(f"compaction of {table}: files and bytes that are rewritten ({figures['words']})", wanted, got)
    added, expected = got["added_data_files_count"], int(said.removeprefix(">="))
    near = added >= expected if said.startswith(">=") else abs(added - expected) <= (max(1, expected // 5) if loosely else 0)
    ok(f"compaction of {table}: it becomes {said}, and became {added}", near, str(figures))
    ok(f"compaction of {table}: rows add up", sum(int(r["files"]) for r in rows) == figures["files"], str(rows))
    again, _ = preview("compact", table, name=name)
    return again


def test_compaction():
    for make in (make_parted, make_flat, make_specs, make_heavy, make_wide, make_vectors):
        make()
        again = compacts("plans." + make.__name__.removeprefix("make_"))
        if make in (make_parted, make_flat):
            ok(f"compaction: nothing is due after it ({make.__name__})", again["files"] == 0, str(again))
    make_sizes()
    compacts("plans.sizes", loosely=True)
    make_odd()
    compacts("`odd ns`.`it's-a ``table`", name="odd ns.it's-a `table")


# ---- manifests ----

def rewrites_manifests(table):
    figures, _ = preview("manifests", table)
    got = q(figures.get("sql", f"CALL lake.system.rewrite_manifests(table => '{table}')"))[0]
    compare(f"manifests of {table} ({figures['words']})", {"rewritten_manifests_count": figures["manifests"], "added_manifests_count": figures["becomes"]},
            got)


def test_manifests():
    make_parted()
    rewrites_manifests("plans.parted")
    rewrites_manifests("plans.parted")  # nothing is left to do
    make_specs()
    rewrites_manifests("plans.specs")
    make_many_deletes()
    rewrites_manifests("plans.many_deletes")
    make_flat()
    rewrites_manifests("plans.flat")
    fresh("plans.gone", "id BIGINT, part BIGINT")
    fill("plans.gone", 2)
    q("DELETE FROM lake.plans.gone")
    rewrites_manifests("plans.gone")
    fresh("plans.large_list", "id BIGINT, part BIGINT", "'format-version'='2','commit.manifest.target-size-bytes'='8000','commit.manifest-merge.enabled'='false'")
    fill("plans.large_list", 4, files=4)
    rewrites_manifests("plans.large_list")


# ---- position deletes ----

def test_position_deletes():
    for table in ("many_deletes", "dangling", "by_partition", "upgraded", "heavy", "vectors", "flat"):
        globals()["make_" + table]()
        figures, _ = preview("deletes", "plans." + table)
        got = q(figures.get("sql", f"CALL lake.system.rewrite_position_delete_files(table => 'plans.{table}')"))[0]
        compare(f"position deletes of {table} ({figures['words']})", {"rewritten_delete_files_count": figures["files"],
                "added_delete_files_count": figures["becomes"], "rewritten_bytes_count": figures["bytes"]}, got)


# ---- expiry ----

def expires(table, what, **settings):
    figures, rows = preview("expire", table, **settings)
    before = q(f"SELECT count(*) AS n FROM lake.{table}.snapshots")[0]["n"]
    compare(f"expiry of {table}, {what}: snapshots before", {"n": figures["snapshots"] + figures["kept"]}, {"n": before})
    if "sql" not in figures:
        return skip(f"expiry of {table}, {what}", figures["words"])
    got = q(figures["sql"])[0]
    compare(f"expiry of {table}, {what} ({figures['words']})", {
        "deleted_data_files_count": figures["data_files"], "deleted_position_delete_files_count": figures["position_files"],
        "deleted_equality_delete_files_count": figures["equality_files"], "deleted_manifest_files_count": figures["manifests"],
        "deleted_manifest_lists_count": figures["lists"], "deleted_statistics_files_count": figures["statistics"]}, got)
    left = {str(r["snapshot_id"]) for r in q(f"SELECT snapshot_id FROM lake.{table}.snapshots")}
    compare(f"expiry of {table}, {what}: snapshots after", {"n": figures["kept"]}, {"n": len(left)})
    ok(f"expiry of {table}, {what}: those that it names are gone", not left & {r["what"] for r in rows}, str(rows))


def test_expiry():
    soon = int(time.time() * 1000) + DAY
    make_history()
    figures, _ = preview("expire", "plans.history", older=soon, files=1)
    ok("expiry: files that were not counted are unknown, and it says so", figures["data_files"] == "-" and "not counted" in figures["words"], str(figures))
    expires("plans.history", "all but two", older=soon, retain=2)
    expires("plans.history", "all that may go", older=soon)
    q("ALTER TABLE lake.plans.history DROP TAG audit")
    q("ALTER TABLE lake.plans.history DROP BRANCH side")
    expires("plans.history", "without refs", older=soon)
    make_vectors()
    q("CALL lake.system.rewrite_data_files(table => 'plans.vectors', options => map('rewrite-all', 'true'))")
    expires("plans.vectors", "all", older=soon)
    make_flat()
    q("CALL lake.system.rewrite_data_files(table => 'plans.flat')")
    expires("plans.flat", "all", older=soon)
    make_parted()
    middle = q("SELECT unix_millis(committed_at) AS at FROM lake.plans.parted.snapshots ORDER BY committed_at LIMIT 1 OFFSET 4")[0]["at"]
    expires("plans.parted", "to the fifth", older=middle)
    q("ALTER TABLE lake.plans.parted SET TBLPROPERTIES ('gc.enabled'='false')")
    figures, _ = preview("expire", "plans.parted", older=soon)
    q("ALTER TABLE lake.plans.parted SET TBLPROPERTIES ('gc.enabled'='true')")  # else it cannot be dropped with its files
    ok("expiry: where gc is off nothing is proposed", figures["snapshots"] == 0 and "sql" not in figures, str(figures))


# ---- orphans ----

def s3_names(found):
    return sorted(u.removeprefix("s3://lakehouse/warehouse/") for u in found)


def test_orphans_on_s3():
    make_history()
    base = "warehouse/plans/history"
    for name in ("data/left.parquet", "data/a=b%2Fc/x y+z=.parquet", "metadata/left-m0.avro", "data/_hidden/x.parquet", "data/.x", "deep/a/b/c"):
        s3_put_object(f"/lakehouse/{base}/{name}", b"left")
    q("CALL lake.system.expire_snapshots(table => 'plans.history', older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1)")
    later = int(time.time() * 1000) + 10 * DAY
    figures, rows = preview("orphans", "plans.history", now=later)
    ok("orphans on S3: a day that is none yet proposes nothing", preview("orphans", "plans.history")[0]["files"] == 0)
    found = spark.ask(orphans=["lake.plans.history", later - 3 * DAY])
    told = s3_names(f"s3://lakehouse/{base}/{r['what']}" for r in rows)
    ok(f"orphans on S3 are those that the action deletes ({figures['words']})", told == s3_names(found) and figures["files"] == len(found),
       f"laketop {told}, Iceberg {s3_names(found)}")
    figures, rows = preview("orphans", "plans.history", now=later, other="lake.twin=s3a://lakehouse/warehouse/plans//history/")
    ok("orphans: not where another table lies in the same folder", not rows and "sql" not in figures and "same folder" in figures["words"], str(figures))
    figures, rows = preview("orphans", "plans.history", now=later, other="lake.inner=s3://lakehouse/warehouse/plans/history/data/inner")
    ok("orphans: not where another table lies below", not rows and "sql" not in figures, str(figures))
    figures, rows = preview("orphans", "plans.history", now=later, other="lake.history_2=s3://lakehouse/warehouse/plans/history_2")
    ok("orphans: a name that only begins alike is no neighbour", figures.get("files") == 0, str(figures))
    figures, rows = preview("orphans", "plans.history", now=later, files=1)
    ok("orphans: not where manifests were left unread", not rows and "not counted" in figures["words"], str(figures))


def test_orphans_in_files():
    """The real procedure, with times set back."""
    fresh("plans.files", "id BIGINT, part BIGINT", partitioned="PARTITIONED BY (part)", catalog="here")
    fill("plans.files", 3, catalog="here")
    base = HERE / "plans" / "files"
    old = time.time() - 5 * 86400
    for name in ("data/left.parquet", "data/part=9/left two.parquet", "metadata/left.avro", "data/_x/hidden", "data/young.parquet"):
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_bytes(b"left")
    for path in base.rglob("*"):
        if path.is_file() and path.name != "young.parquet":
            os.utime(path, (old, old))
    figures, rows = preview("orphans", "plans.files", catalog="here")
    found = q(figures["sql"].removesuffix(")") + ", dry_run => true)")
    told, real = sorted(r["what"] for r in rows), sorted(f["orphan_file_location"].split("/plans/files/")[1] for f in found)
    ok(f"orphans in files are those of the procedure's dry run ({figures['words']})", told == real and len(told) == 3, f"laketop {told}, Iceberg {real}")
    q(figures["sql"])
    ok("orphans in files: none is left after it ran", preview("orphans", "plans.files", catalog="here")[0]["files"] == 0)
    ok("orphans in files: the young one is still there", (base / "data" / "young.parquet").exists())


def s3_put_object(path, body):
    import urllib.parse
    answer = s3_put(urllib.parse.quote(path, safe="/"), body)
    if answer != 200:
        raise RuntimeError(f"{path}: {answer}")


def main():
    global spark
    if not kit.pid_of("postgres") or not kit.pid_of("seaweedfs"):
        return skip("previews of maintenance", "the lab does not run PostgreSQL and SeaweedFS")
    subprocess.run(["make", "-s", "-C", str(ROOT), "build/release/plan"], check=True)
    spark = Spark()
    try:
        q("CREATE NAMESPACE IF NOT EXISTS lake.plans")
        for test in [globals()[name] for name in (sys.argv[1:] or ("test_compaction", "test_manifests", "test_position_deletes", "test_expiry",
                                                                   "test_orphans_on_s3", "test_orphans_in_files"))]:
            story(test)
    finally:
        spark.close()


main()
end()
