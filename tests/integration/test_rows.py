#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows of tables on the real lab: every type as Spark itself says it, by Spark Connect and by Trino; caps; errors in words; and
nothing that still runs at a server when nobody waits for it any more."""
import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from check import AMBIENT, FULL, HOME, LAKETOP, PROFILE, ROOT, end, lab, laketop, ok, screen, skip, status, story, until

sys.path.insert(0, str(ROOT / "tests" / "lab"))
import fetching  # noqa: E402
import kit  # noqa: E402
from services import port, submit  # noqa: E402 - the lab's own table of ports, and its way to submit

N = "lake.rows_test"
# what Spark and Iceberg say of any reader: a FileIO that Iceberg itself leaves to the collector, a plan of 300 columns
THEIRS = (*AMBIENT, "Unclosed S3FileIO", "Truncated the string representation of a plan")
UI = port("spark-connect", "ui")
truth = {}


def rows(table, *words, engine="spark-connect"):
    return laketop("rows", table, "--service", engine, "--profile", PROFILE, *words, timeout=120)


def told(table, *words, engine="spark-connect"):
    # 6: its time was up, as may be on a busy machine; asked once more it is warm. A Trino that is busy misses its own heartbeat and has no worker, then
    answered = lambda d: d.returncode != 6 and "has no worker" not in d.stderr
    done = until(240, lambda: answered(d := rows(table, "--json", *words, engine=engine)) and d, 1) or rows(table, "--json", *words, engine=engine)
    if done.returncode:
        raise AssertionError(f"rows {table} by {engine}: {done.returncode} {done.stderr}")
    return json.loads(done.stdout)


def spark_script(path, *words):
    argv, env = submit(path, *words, ui=4779, master="local[1]")
    argv = [path if w.endswith(path) else w for w in argv]
    done = subprocess.run(argv, env={**os.environ, **env}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=400)
    if done.returncode:
        raise AssertionError(f"{path}: {done.stdout[-500:]} {done.stderr[-500:]}")


def rest(path):
    with urllib.request.urlopen(f"http://127.0.0.1:{UI}{path}", timeout=10) as answer:
        return json.loads(answer.read())


def running():
    return rest(f"/api/v1/applications/{rest('/api/v1/applications')[0]['id']}/jobs?status=running")


def same(column, mine, words):
    """One cell against what Spark casts it to."""
    if words is None or mine is None:
        return words is None and mine is None
    if column in ("f", "d"):
        return str(mine) == words if not isinstance(mine, float) else float(words) == mine
    if column == "b":
        return mine is (words == "true")
    if column in ("i", "l"):
        return isinstance(mine, int) and mine == int(words)
    if column == "x":
        return mine == "0x" + words
    if column in ("a", "m", "t"):
        return json.loads(mine) == json.loads(words)
    return mine == (words + "Z" if column == "at" else words)


def differences(document):
    mine = sorted(document["rows"], key=lambda r: r["n"])
    return [(i, c, mine[i][c], w) for i, row in enumerate(truth["types"]) for c, w in row.items() if not same(c, mine[i][c], w)]


def every_type_is_as_spark_says():
    document = told(f"{N}.types")
    wrong = differences(document)
    ok("every-type-by-connect-is-what-spark-says", len(document["rows"]) == len(truth["types"]) and not wrong, wrong)
    ok("columns-have-sparks-types", {c["name"]: c["type"] for c in document["columns"]}["c"] == "decimal(38,18)", document["columns"])
    nulls = [r["s"] for r in sorted(document["rows"], key=lambda r: r["n"])]
    ok("null-is-not-the-text-null-nor-an-empty-one", nulls == ['Wok "Around", Ölse', None, "null", ""], nulls)


def csv_tells_null_from_text():
    raw = rows(f"{N}.types", "--csv").stdout
    lines = list(csv.DictReader(io.StringIO(raw, newline="")))
    ok("csv-is-what-a-reader-of-csv-takes", len(lines) == 4 and {r["n"] for r in lines} == {"1", "2", "3", "4"} and
       {r["l"] for r in lines} == {"9223372036854775807", "", "-9223372036854775808", "9007199254740993"}, raw)
    empty = [line for line in raw.splitlines() if line.startswith("4,")][0]
    ok("an-empty-text-is-quoted-in-csv-and-null-is-not", ',"",0x41,' in empty and "2" + "," * 15 in raw.splitlines(), raw)


def numbers_beyond_2_to_the_53_are_exact():
    ids = sorted(r["id"] for r in told(f"{N}.many", "-n", "10000")["rows"])
    ok("ids-beyond-2^53-are-exact", ids[:20] == truth["many"] or (len(set(ids)) == 10000 and ids[0] >= truth["many"][0]), ids[:3])


def caps_are_told():
    document = told(f"{N}.many", "-n", "10000")
    ok("ten-thousand-rows-are-shown-and-more-is-said", len(document["rows"]) == 10000 and document["more"] is True, len(document["rows"]))
    ok("more-than-that-is-refused", rows(f"{N}.many", "-n", "10001").returncode == 2)
    wide = told(f"{N}.wide")
    ok("of-300-columns-256-are-kept-and-the-rest-is-counted", len(wide["columns"]) == 256 and wide["left_off"] == 44 and
       wide["rows"][0]["c255"] == 255, wide["left_off"])
    empty = told(f"{N}.empty")
    ok("an-empty-table-has-its-columns", empty["rows"] == [] and [c["name"] for c in empty["columns"]] == ["id", "name"], empty)
    odd = told(f"{N}.odd `name; drop")
    ok("a-name-that-needs-quotes-is-one-name", odd["rows"] == [{"a b": 1, '"q"': "x"}], odd)


def errors_are_words():
    done = rows(f"{N}.nope")
    ok("a-table-that-is-not-there-is-said-so", done.returncode == 3 and "no such table" in done.stderr, done.stderr)
    done = laketop("rows", "orders", "--service", "nobody", "--profile", PROFILE)
    ok("an-unknown-engine-is-said-so", done.returncode == 2 and "orders" in done.stderr, done.stderr)
    with tempfile.NamedTemporaryFile("w", suffix=".ini") as own:
        own.write("[service spark-connect]\nkind = spark-connect\nport = 1\n")
        own.flush()
        done = laketop("rows", f"{N}.types", "--service", "spark-connect", "--profile", own.name)
        ok("an-engine-that-does-not-serve-is-said-so", done.returncode == 3 and "does not answer" in done.stderr, (done.returncode, done.stderr))
        done = laketop("rows", f"{N}.types", "--profile", own.name)
        ok("no-engine-is-said-so", done.returncode == 2 and "engine" in done.stderr, done.stderr)


def what_nobody_waits_for_ends():
    done = rows(f"{N}.slow", "--within", "6s")
    ok("a-statement-that-takes-too-long-ends-with-time", done.returncode == 6, (done.returncode, done.stderr))
    ok("it-runs-no-more-at-the-server", until(60, lambda: not running(), 0.3), running())
    asked = subprocess.Popen([LAKETOP, "rows", f"{N}.slow", "--service", "spark-connect", "--profile", PROFILE], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    began = until(60, running, 0.2)
    asked.send_signal(signal.SIGINT)
    code = asked.wait(60)
    ok("ctrl-c-ends-it-here-and-there", began and code == 130 and until(60, lambda: not running(), 0.3), (bool(began), code, running()))


def connects_log_does_not_complain():
    log = HOME / "log" / "spark-connect.log"
    size = log.stat().st_size
    for table in ("types", "wide", "many", "empty"):
        told(f"{N}.{table}")
    time.sleep(1)
    with open(log, "rb") as lines:
        lines.seek(size)
        said = [line for line in lines.read().decode("utf-8", "replace").splitlines()
                if re.search(r"\b(WARN|ERROR|FATAL)\b|Exception", line) and not any(words in line for words in THEIRS)]
    ok("connect-s-log-has-no-complaint-about-reading", not said, said[:5])


def rows_are_on_the_panel():
    """The key that shows them from the list asks the engine, and NULL is a sign of its own."""
    with screen("--profile", PROFILE, columns=160) as seen:
        until(60, lambda: "spark-connect" in seen.text(), 0.3)
        seen.press("4")
        until(60, lambda: "rows_test.types" in seen.text(), 0.5)
        seen.press("/")
        seen.press("-l", "rows_test.types")
        seen.press("Enter")
        until(60, lambda: "rows_test.wide" not in seen.text(), 0.2)
        seen.press("v")
        ok("rows-are-on-the-panel", until(90, lambda: "∅" in seen.text(), 0.5), seen.text()[:1500])


def trino_runs(sql, path="/v1/statement"):
    """By hand, to its end: rows, or what its error is called. One that is busy misses its own heartbeat and has no node, then: it has run nothing of it."""
    first = urllib.request.Request(f"http://127.0.0.1:{port('trino')}{path}", sql.encode(), {"X-Trino-User": "test"})
    question, found, until_then = first, [], time.monotonic() + 120
    while True:
        with urllib.request.urlopen(question, timeout=60) as answer:
            said = json.loads(answer.read())
        found += said.get("data", [])
        question = said.get("nextUri")
        if "error" in said:
            if said["error"]["errorName"] != "NO_NODES_AVAILABLE" or time.monotonic() > until_then:
                raise AssertionError(f"{sql}: {said['error']['message']}")
            time.sleep(1)
            question, found = first, []
        elif not question:
            return found


def cancelled_at_trino():
    """A compaction in the middle: it ends at the server too, which would go on otherwise, and the table stays as it was."""
    trino_runs("CREATE TABLE lake.rows_test.cut WITH (partitioning = ARRAY['linenumber', 'shipmode']) AS SELECT * FROM tpch.tiny.lineitem")
    refs = 'SELECT snapshot_id FROM lake.rows_test."cut$refs"'
    ours = "SELECT query_id, state, error_code FROM system.runtime.queries WHERE source = 'laketop' AND query LIKE 'ALTER TABLE%cut%'"
    for _ in range(3):  # an idle machine may be done before it hears of it
        trino_runs("INSERT INTO lake.rows_test.cut SELECT * FROM tpch.tiny.lineitem")
        before = trino_runs(refs)
        job = subprocess.Popen([LAKETOP, "do", "compact", "lake", "rows_test.cut", "by=trino", "--yes", "--profile", PROFILE], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        began = until(120, lambda: [r for r in trino_runs(ours) if r[1] == "RUNNING"] or job.poll() is not None, 0.05)
        job.send_signal(signal.SIGINT)
        words = "".join(job.stdout.readlines())
        code = job.wait(60)
        if code != 0:
            break
    ok("a-compaction-by-trino-that-is-cancelled-says-so", isinstance(began, list) and began and code == 130 and "the table is as it was" in words, (began, code, words))
    ended = until(20, lambda: [r for r in trino_runs(ours) if r[0] == began[0][0] and r[1] == "FAILED"], 0.3)
    ok("it-ended-at-trino-too", ended and ended[0][2] == "USER_CANCELED", (ended, trino_runs(ours)))
    ok("and-its-table-has-the-same-snapshot", trino_runs(refs) == before, (before, trino_runs(refs)))
    trino_runs("DROP TABLE lake.rows_test.cut")


def trino_says_the_same():
    if not FULL and not os.path.isdir(fetching.place("trino")):
        return skip("trino-tells-the-same-rows", "Trino, 821 MB, is fetched by the long run only")
    if not fetching.java_for_trino():
        return skip("trino-tells-the-same-rows", "no Java 24 or newer with jdk.incubator.vector on this machine")
    before = {f: (HOME / f).read_text() for f in ("groups", "profile.ini")}
    try:
        lab("up", "trino")
        trino_runs("SELECT 1")
        document = told(f"{N}.types", engine="trino")
        wrong = differences(document)
        ok("every-type-by-trino-is-what-spark-says", len(document["rows"]) == len(truth["types"]) and not wrong, wrong)
        many = told(f"{N}.many", "-n", "10000", engine="trino")
        ok("trino-s-rows-are-capped-and-exact", len({r["id"] for r in many["rows"]}) == 10000 and many["more"] is True, len(many["rows"]))
        done = rows(f"{N}.nope", engine="trino")
        ok("trino-says-that-a-table-is-not-there", done.returncode == 3 and "no such table" in done.stderr, done.stderr)
        seen = {s["name"]: s for s in status("--service", "trino", "--tables")["services"]}["trino"]
        ok("trino-serves-and-says-its-version", seen["verdict"] == "serving" and seen["version"]["found"] == "476", seen["version"])
        ours = [r for r in seen["tables"]["queries"] if r["source"] == "laketop"]
        ok("none-of-our-queries-still-runs", ours and all(r["state"] in ("FINISHED", "FAILED") or "system" in r["query"] for r in ours), ours[:3])
        many_name = f"{N}.many".removeprefix("lake.")
        done = laketop("do", "expire", "lake", many_name, "by=trino", "older_than=1d", "--yes", "--profile", PROFILE)
        ok("trino-s-own-shortest-retention-is-said", done.returncode == 2 and "keeps at least 7d" in done.stderr, (done.stdout, done.stderr))
        done = laketop("do", "compact", "lake", many_name, "by=trino", "--yes", "--profile", PROFILE, timeout=300)
        ok("trino-runs-a-compaction-of-the-same-table-by-its-own-rule", done.returncode == 0 and "EXECUTE optimize" in done.stdout and
           ("data files" in done.stdout or "Trino had nothing to do" in done.stdout), (done.stdout, done.stderr))
        cancelled_at_trino()
        ok("no-next-uri-is-told", "/v1/statement/" not in json.dumps(seen), "a nextUri is as good as a password")
    finally:
        kit.stop("trino")
        for name, text in before.items():
            (HOME / name).write_text(text)


lab("up", "pocket")
until(120, lambda: laketop("check", "--profile", PROFILE).returncode == 0, 1)
with tempfile.TemporaryDirectory() as folder:
    spark_script(str(ROOT / "tests" / "lab" / "spark" / "rows.py"), folder + "/truth.json")
    truth = json.loads(open(folder + "/truth.json", encoding="utf-8").read())
for each in (every_type_is_as_spark_says, csv_tells_null_from_text, numbers_beyond_2_to_the_53_are_exact, caps_are_told, errors_are_words,
             connects_log_does_not_complain, what_nobody_waits_for_ends, rows_are_on_the_panel, trino_says_the_same):
    if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
        story(each)
end()
