#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables of a real Iceberg JDBC catalog in PostgreSQL, on a real S3: every figure is what Spark counted, every fault is a word in its
own row, a catalog that is down keeps what was last known of it, and ten thousand tables are no matter."""
import json
import os
import pathlib
import signal
import subprocess
import tarfile
import threading
import time

from check import ROOT, Lab, end, laketop, ok, screen, skip, story, sys, until

LAB = Lab("tables", "light")
os.environ.update(LAB.env)  # before the lab's own modules are read: they take their ports from there
sys.path.insert(0, str(ROOT / "tests" / "lab"))
for known in [n for n, m in sys.modules.items() if str(getattr(m, "__file__", "")).startswith(str(ROOT / "tests" / "lab"))]:
    del sys.modules[known]  # ports were chosen by their help, with the shared lab's home
from services import DATABASE, HOST, USER, port, postgres_bin, psql, s3_put, secret  # noqa: E402

FIXTURE = ROOT / "tests" / "lab" / "fixture"
WATCH = str(pathlib.Path(os.environ.get("LAKETOP_TABLES", ROOT / "build" / "release" / "tables")))
TRUTH = json.loads((FIXTURE / "truth-kitchen.json").read_text())["tables"]
MANY = 10000


def profile(name, *catalogs, edit=lambda text: text):
    """The lab's, with other catalogs."""
    text = pathlib.Path(LAB.profile).read_text()
    path = LAB.home / f"{name}.ini"
    path.write_text(edit(text[:text.index("[catalog ")]) + "\n".join(catalogs) + "\n")
    return str(path)


def catalog(name, **keys):
    return f"[catalog {name}]\n" + "".join(f"{k} = {v}\n" for k, v in {"kind": "iceberg-jdbc", "service": "postgres", "storage": "seaweedfs", **keys}.items())


def told(path=None):
    return json.loads(laketop("tables", "--json", "--profile", path or LAB.profile).stdout)["tables"]


def by_name(tables):
    """Those of the JDBC catalog: the lab has Delta tables too, which have a test of their own."""
    return {t["name"].removeprefix("kitchen."): t for t in tables["tables"] if t["catalog"] == "lake"}


def others_are_well(tables, but):
    return all(t["exact"] and not t["error"] for name, t in by_name(tables).items() if name not in (but, "open_orders"))


def figures_are_what_spark_counted():
    mine = by_name(told())
    keys = {"snapshots": "snapshots", "data_files": "data_files", "records": "data_records", "bytes": "data_bytes", "manifests": "manifests",
            "partitions": "partitions", "uuid": None}
    wrong = [f"{name}.{key}: {mine.get(name, {}).get(key)}, Spark says {truth[other] or 0}" for name, truth in TRUTH.items()
             for key, other in keys.items() if other and mine.get(name, {}).get(key) != (truth[other] or 0)]
    deletes = [name for name, truth in TRUTH.items() if mine[name]["delete_files"] != truth["position_delete_files"] + truth["equality_delete_files"]]
    ok("figures-are-what-spark-counted", not wrong and not deletes, f"{wrong} {deletes}")
    ok("all-is-counted-exactly", all(t["exact"] for n, t in mine.items() if n in TRUTH), str({n: t["measured"] for n, t in mine.items()}))
    ok("a-view-is-a-row-without-files", mine["open_orders"]["format"] == "view" and mine["open_orders"]["data_files"] is None, str(mine["open_orders"]))


def one_table_through_two_catalogs_is_one_row():
    tables = told(profile("twice", catalog("lake", warehouse="lake"), catalog("again", warehouse="lake")))
    seen = [t for t in tables["tables"] if t["name"] == "kitchen.orders"]
    ok("one-table-through-two-catalogs-is-one-row", len(seen) == 1 and [a["catalog"] if isinstance(a, dict) else a for a in seen[0]["also_in"]] == ["again"],
       str([(t["catalog"], t["also_in"]) for t in seen]))


def a_database_without_a_catalog_says_so():
    tables = told(profile("none", catalog("lake", database="postgres")))
    ok("a-database-without-a-catalog-says-so", "no iceberg_tables" in (tables["catalogs"][0]["error"] or ""), str(tables["catalogs"]))


def exit_codes():
    """3 where not all of it could be known."""
    ok("tables-that-all-were-read-are-0", laketop("tables", "--profile", profile("fine", catalog("lake", warehouse="lake"))).returncode == 0)
    ok("a-catalog-that-cannot-be-asked-is-3", laketop("tables", "--profile", profile("half", catalog("lake", warehouse="lake"), catalog("no", database="postgres"))).returncode == 3)


def layouts():
    """The oldest layout has no type, others write capitals, iceberg-go its namespaces as JSON; a type of NULL is a table."""
    path = profile("layouts", catalog("lake"))

    def names(sql):
        psql(sql)
        tables = told(path)
        return [(t["name"], t["format"]) for t in tables["tables"]], tables["catalogs"][0]["error"]
    try:
        got = names("""ALTER TABLE iceberg_tables RENAME TO kept; CREATE TABLE iceberg_tables AS SELECT catalog_name, table_namespace, table_name,
                       metadata_location, previous_metadata_location FROM kept WHERE table_name = 'kitchens'""")
        ok("a-catalog-of-the-oldest-layout-is-read", got == ([("kitchen.kitchens", "iceberg")], None), str(got))
        got = names("""INSERT INTO iceberg_tables SELECT 'other', '__iceberg_namespace_v1__:["a.b","c"]', 't.x', metadata_location, NULL FROM iceberg_tables""")
        ok("names-with-dots-and-of-several-catalogs-are-told-apart",
           got == ([("lake.kitchen.kitchens", "iceberg"), ('other."a.b".c."t.x"', "iceberg")], None), str(got))
        plan = laketop("plan", "expire", "lake.kitchen.kitchens", "--profile", path).stdout
        ok("the-catalog-stands-once-in-the-statement", "CALL" not in plan or "`lake`.`kitchen`.`kitchens`" in plan and "`lake`.`lake`" not in plan, plan[:400])
        ok("plan-takes-catalog-and-table-as-do-does", plan and plan == laketop("plan", "expire", "lake", "kitchen.kitchens", "--profile", path).stdout, plan[:400])
        got = names("""DROP TABLE iceberg_tables; CREATE TABLE "ICEBERG_TABLES" AS SELECT catalog_name AS "CATALOG_NAME", table_namespace AS "TABLE_NAMESPACE",
                       table_name AS "TABLE_NAME", metadata_location AS "METADATA_LOCATION", NULLIF(iceberg_type, 'TABLE') AS "ICEBERG_TYPE" FROM kept""")
        ok("a-catalog-in-capitals-is-read", len(got[0]) == len(TRUTH) + 1 and ("kitchen.open_orders", "view") in got[0], str(got))
    finally:
        psql('DROP TABLE IF EXISTS "ICEBERG_TABLES", iceberg_tables; ALTER TABLE kept RENAME TO iceberg_tables')
    try:
        got = names("REVOKE SELECT ON iceberg_tables FROM CURRENT_USER")
        ok("a-forbidden-catalog-says-so", got[0] == [] and "may not read public.iceberg_tables" in got[1], str(got))
    finally:
        psql("GRANT SELECT ON iceberg_tables TO CURRENT_USER")


# ---- faults ----

def missing_metadata():
    was = psql("SELECT metadata_location FROM iceberg_tables WHERE table_name = 'orders'")
    psql(f"UPDATE iceberg_tables SET metadata_location = '{was.replace('/metadata/', '/metadata/9')}' WHERE table_name = 'orders'")
    try:
        tables = told()
    finally:
        psql(f"UPDATE iceberg_tables SET metadata_location = '{was}' WHERE table_name = 'orders'")
    row = by_name(tables)["orders"]
    ok("missing-metadata-is-a-word", "metadata is missing" in (row["error"] or "") and row["health"] == "failed", str(row))
    ok("missing-metadata-disturbs-nobody", others_are_well(tables, "orders"), str(tables["catalogs"]))


def original(url):
    with tarfile.open(FIXTURE / "kitchen-metadata.tar.gz") as tar:
        return tar.extractfile(url.removeprefix("s3://")).read()


def truncated_manifest_list():
    url = TRUTH["order_items"]["newest_snapshot"]["manifest_list"]
    whole = original(url)
    s3_put(url.removeprefix("s3:/"), whole[:len(whole) // 2])
    try:
        tables = told()
    finally:
        s3_put(url.removeprefix("s3:/"), whole)
    row = by_name(tables)["order_items"]
    ok("truncated-manifest-list-is-a-word", bool(row["error"]) and row["health"] == "failed" and row["snapshots"] == 2, str(row))
    ok("truncated-manifest-list-disturbs-nobody", others_are_well(tables, "order_items"), str(tables["catalogs"]))


def refused_key():
    (LAB.home / "secret" / "wrong").write_text("not-the-key-at-all\n")
    (LAB.home / "secret" / "wrong").chmod(0o600)
    text = pathlib.Path(LAB.profile).read_text()
    section = text[text.index("[service seaweedfs]"):].split("\n\n")[0]
    line = next(x for x in section.splitlines() if x.startswith("password_file"))
    tables = told(profile("refused", catalog("lake", warehouse="lake"),
                          edit=lambda t: t.replace(section, section.replace(line, f"password_file = {LAB.home}/secret/wrong"))))
    rows = [t for n, t in by_name(tables).items() if n in TRUTH]
    ok("a-refused-key-is-a-word-in-each-row", all(t["error"] and t["health"] == "failed" for t in rows), str([(t["name"], t["error"]) for t in rows][:3]))
    ok("a-refused-key-is-said-as-refused", all("refuse" in t["error"].lower() or "denied" in t["error"].lower() for t in rows if t["error"]), str(rows[0]["error"]))


class Watch:
    """Looks of one engine that goes on, as they come."""

    def __init__(self, looks, every, path):
        self.child = subprocess.Popen([WATCH, "-n", str(looks), "-e", str(every), path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.looks = []
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for line in self.child.stdout:
            self.looks.append(json.loads(line)["tables"])

    def until(self, seconds, holds):
        """The first look from now on of which it holds."""
        begun = len(self.looks)
        return until(seconds, lambda: next((x for x in self.looks[begun:] if holds(x)), None))

    def end(self):
        self.child.terminate()
        self.child.wait(60)


def a_shutdown_that_waits_is_told_and_not_held_up():
    """A plain kill of PostgreSQL takes no new client and waits for those that are there: laketop is not one of them, nor calls that serving."""
    pid = int((LAB.home / "run" / "postgres.pid").read_text().split()[0])
    client = subprocess.Popen([os.path.join(postgres_bin(), "psql"), "-XqAtc", "SELECT 1", "-f", "-", "-h", HOST, "-p", str(port("postgres")), "-U", USER, "-d", DATABASE],
                              env={**os.environ, "PGPASSWORD": secret("postgres")}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        client.stdout.readline()  # it is in
        with screen("--profile", LAB.profile, columns=180) as seen:
            until(90, lambda: seen.word("postgres") == "serving")
            seen.press("4")
            until(90, lambda: "kitchens" in seen.text())  # the catalog is asked, too
            seen.press("1")
            os.kill(pid, signal.SIGTERM)
            ok("a-server-that-shuts-down-does-not-serve", until(60, lambda: seen.word("postgres") == "sick"), seen.text())
            ok("and-says-whom-it-waits-for", until(60, lambda: "is shutting down, waits for 1 client" in seen.text()), seen.text())
            ok("with-its-last-client-it-ends-for-laketop-holds-none", client.communicate(timeout=60) and until(60, lambda: not alive(pid)), seen.text())
            ok("and-is-gone", until(60, lambda: seen.word("postgres") in ("absent", "stopped")), seen.text())
    finally:
        client.kill()
        LAB.up()


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def through_one_engine():
    """Dropped, made again, and the database gone and back, under the same eyes."""
    watch = Watch(4000, 300, LAB.profile)
    try:
        ok("the-first-look-is-whole", watch.until(90, lambda x: by_name(x).get("orders", {}).get("exact")), str(watch.looks[-1:]))
        psql("CREATE TEMP TABLE x AS SELECT 1; CREATE TABLE kept AS SELECT * FROM iceberg_tables WHERE table_name = 'kitchens';"
             "DELETE FROM iceberg_tables WHERE table_name = 'kitchens'")
        ok("a-dropped-table-vanishes", watch.until(90, lambda x: "kitchens" not in by_name(x)), "it is still there")
        psql("INSERT INTO iceberg_tables SELECT * FROM kept; DROP TABLE kept")
        ok("it-is-there-again", watch.until(90, lambda x: by_name(x).get("kitchens", {}).get("exact")), "it is not")
        os.kill(int((LAB.home / "run" / "postgres.pid").read_text().split()[0]), signal.SIGINT)  # its fast shutdown
        down = watch.until(90, lambda x: x["catalogs"][0]["error"])
        rows = by_name(down) if down else {}
        ok("a-catalog-that-is-down-keeps-its-tables", rows.get("orders", {}).get("data_files") == 28, str(down)[:300])
        ok("they-are-told-as-old-with-their-age", down and all(t["old"] and t["age_ms"] >= 0 for t in rows.values()), str(rows.get("orders")))
        LAB.up()
        up = watch.until(120, lambda x: not x["catalogs"][0]["error"] and not by_name(x)["orders"]["old"])
        ok("it-is-back-by-itself", up, str(watch.looks[-1:])[:300])
    finally:
        watch.end()


# ---- many ----

def seconds_of_key(seen, key):
    before, begun = seen.text(), time.monotonic()
    seen.press(key)
    until(3, lambda: seen.text() != before, 0.005)
    return time.monotonic() - begun


def ten_thousand_tables():
    psql(f"""INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location, iceberg_type)
             SELECT 'big', 'ns' || i % 97, 'table_' || i, (SELECT metadata_location FROM iceberg_tables WHERE table_name = 'kitchens'), 'TABLE'
             FROM generate_series(1, {MANY}) i""")
    path = profile("big", catalog("big", warehouse="big"))
    try:
        begun = time.monotonic()
        done = subprocess.run([WATCH, path], capture_output=True, text=True, timeout=600)
        took = time.monotonic() - begun
        tables = json.loads(done.stdout)["tables"]
        ok("ten-thousand-tables-are-listed", len(tables["tables"]) == MANY and all(t["exact"] for t in tables["tables"]),
           f"{len(tables['tables'])}, {sum(t['exact'] for t in tables['tables'])} exact")
        print(f"  10,000 tables read and counted in {took:.0f} s", flush=True)
        if not (ROOT / "laketop").exists():
            return skip("no-key-waits-for-ten-thousand-tables", "laketop is not built")
        with screen("--profile", path) as seen:
            until(60, lambda: "q quit" in seen.text())
            seen.press("4")
            ok("ten-thousand-tables-are-on-the-screen", until(120, lambda: "ns0.table_" in seen.text()), seen.text()[:400])
            slowest = []
            while len(slowest) < 4 and min(slowest, default=1) >= 0.5:  # a busy machine may cost a try
                slowest.append(max(seconds_of_key(seen, key) for key in ["Down"] * 20 + ["PageDown"] * 5))
            ok("no-key-waits-for-ten-thousand-tables", min(slowest) < 0.5, f"the slowest of each try: {slowest} s")
    finally:
        psql("DELETE FROM iceberg_tables WHERE catalog_name = 'big'")


def polite():
    log = (LAB.home / "log" / "postgres.log").read_text(errors="replace")
    lines = [line for line in log.splitlines() if "ERROR:" in line or "FATAL:" in line]  # a path may have any word
    ok("no-line-in-the-log-of-postgresql", not lines, str(lines[:3]))


with LAB:
    LAB.up()
    LAB("seed")
    for test in (figures_are_what_spark_counted, one_table_through_two_catalogs_is_one_row, a_database_without_a_catalog_says_so, exit_codes, layouts, missing_metadata,
                 truncated_manifest_list, refused_key, a_shutdown_that_waits_is_told_and_not_held_up, polite, through_one_engine, ten_thousand_tables):
        if not sys.argv[1:] or test.__name__ in sys.argv[1:]:
            story(test)
end()
