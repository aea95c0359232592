#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What commands say and end with where nothing runs: no lab is needed. Who wished rightly is told apart from who did not."""
import atexit
import os
import pathlib
import shutil
import socket
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check import end, laketop, ok, story  # noqa: E402

HOME = tempfile.mkdtemp(prefix="laketop-words-")
atexit.register(shutil.rmtree, HOME, True)
ENV = {**os.environ, "HOME": HOME, "XDG_STATE_HOME": HOME, "XDG_CONFIG_HOME": HOME, "LC_ALL": "C.UTF-8", "TZ": "UTC", "LAKETOP_WORDS": "a-secret-word"}


def free_ports(n):
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


NESSIE, TRINO, CONNECT, KAFKA, WEB, PG = free_ports(6)
PROFILE = pathlib.Path(HOME, "words.ini")
PROFILE.write_text(f"""[laketop]
profile = words
[service nessie]
kind = nessie
port = {NESSIE}
[service trino]
kind = trino
port = {TRINO}
[service spark-connect]
kind = spark-connect
port = {CONNECT}
[service kafka]
kind = kafka
port = {KAFKA}
[service web]
kind = other
port = {WEB}
start = /bin/true
[service pg]
kind = postgres
port = {PG}
user = lake
password_env = LAKETOP_WORDS
[catalog lake]
kind = iceberg-rest
service = nessie
engine = spark-connect
[catalog by-command]
kind = iceberg-rest
service = nessie
spark_sql = /bin/false
[catalog by-trino]
kind = iceberg-jdbc
service = pg
engine = trino
""")


def said(*args):
    return laketop(*args, "--profile", str(PROFILE), env=ENV)


def ends(name, code, words, *args):
    done = said(*args)
    ok(name, done.returncode == code and words in done.stdout + done.stderr, (done.returncode, done.stdout, done.stderr))


def what_is_wrong_with_the_world_is_no_usage_error():
    for name, args, words in (
            ("an-engine", ("do", "compact", "lake", "a.b"), "does not serve"), ("a-catalog", ("do", "compact", "by-command", "a.b"), "does not serve"),
            ("a-trino", ("do", "compact", "by-trino", "a.b"), "does not serve"), ("a-broker", ("do", "reset-latest", "kafka", "g"), "groups are not known"),
            ("a-database", ("do", "terminate", "pg", "55"), "refused"), ("a-plan", ("plan", "compact", "lake.a.b"), "cannot be asked"),
            ("a-table", ("table", "lake.a.b"), "cannot be asked"), ("rows", ("rows", "lake.a.b"), "does not answer"), ("lag", ("lag",), "no Kafka"),
            ("tables", ("tables",), "refused"), ("a-log", ("logs", "kafka"), "log = FILE")):
        ends(f"{name}-that-is-down-cannot-be-known", 3, words, *args)


def what_was_wished_wrongly_is_one():
    for name, args, words in (
            ("a-catalog-that-is-not-there", ("do", "compact", "nowhere", "a.b"), "no [catalog nowhere]"),
            ("no-table", ("do", "compact", "lake"), "which table"), ("an-engine-that-is-none", ("do", "compact", "lake", "a.b", "by=x"), "expected"),
            ("an-option-that-is-none", ("do", "compact", "lake", "a.b", "x=1"), "no option"), ("the-wrong-kind", ("do", "kill", "web", "x"), "is no"),
            ("a-log-of-nobody", ("logs", "kafak"), "did you mean"), ("a-verb-that-is-none", ("do", "compcat", "lake", "a.b"), 'did you mean "compact"'),
            ("a-verb-of-nothing", ("do", "start"), "of what? SERVICE"), ("an-interrupt-of-nowhere", ("do", "interrupt", "nowhere", "a.b"), "nothing of it"),
            ("rows-of-who-has-none", ("rows", "lake.a.b", "--service", "web"), "neither Spark Connect nor Trino")):
        ends(f"{name}-is-a-usage-error", 2, words, *args)


def rows_of_a_name_that_two_catalogs_have():
    protocol = '{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n'
    for catalog, tables in (("one", ("orders", "alone")), ("two", ("orders",))):
        for table in tables:
            log = pathlib.Path(HOME, catalog, "sales", table, "_delta_log")
            log.mkdir(parents=True)
            metadata = '{"metaData":{"id":"%s","schemaString":"{}","partitionColumns":[],"configuration":{}}}\n' % (catalog + table)
            (log / f"{0:020}.json").write_text(protocol + metadata)
    profile = pathlib.Path(HOME, "two.ini")
    profile.write_text(f"[laketop]\nprofile = two\n[service spark-connect]\nkind = spark-connect\nport = {CONNECT}\n" + "".join(
        f"[catalog {name}]\nkind = delta\nfolders = {HOME}/{name}/sales\n{engine}" for name, engine in (("one", "engine = spark-connect\n"), ("two", ""))))
    for name, table, code, words in (
            ("is-asked-which", "sales.orders", 2, "say which: one.sales.orders two.sales.orders"), ("is-said-to-be-none", "nosuch", 2, "no catalog lists"),
            ("is-asked-of-its-engine", "sales.alone", 3, "does not answer"), ("and-its-catalog-too", "one.sales.orders", 3, "does not answer")):
        done = laketop("rows", table, "--profile", str(profile), env=ENV)
        ok(f"a-name-{name}", done.returncode == code and words in done.stdout + done.stderr, (done.returncode, done.stdout, done.stderr))


def what_is_so_already_is_no_failure():
    ends("a-stop-of-what-does-not-run", 0, "absent already", "do", "stop", "web")
    ends("an-interrupt-where-nothing-was-left-open", 0, "nothing of it was left open", "do", "interrupt", "lake", "a.b")


def a_service_that_is_not_found_is_said_so_without_a_profile_too():
    done = laketop("check", "nosuch", "--within", "20s", env={**ENV, "PWD": HOME})
    ok("no-such-service", done.returncode == 2 and done.stderr.startswith('laketop: there is no service "nosuch"') and not done.stdout,
       (done.returncode, done.stdout, done.stderr))


def a_line_without_a_stamp_is_as_old_as_its_file():
    log = pathlib.Path(HOME, "unstamped.log")
    log.write_text("ERROR no stamp\n")
    os.utime(log, (1767323045, 1767323045))
    done = said("logs", str(log), "--level", "warn", "--json")
    ok("its-time", '"at":"2026-01-02T03:04:05.000Z"' in done.stdout.replace(" ", "") and '"stamped":false' in done.stdout.replace(" ", ""),
       (done.returncode, done.stdout, done.stderr))


def a_disk_of_the_profile_that_is_not_there_is_told():
    profile = pathlib.Path(HOME, "disk.ini")
    profile.write_text(f"[laketop]\nprofile = disk\n[host]\ndisks = / {HOME}/nowhere\n")
    done = laketop("status", "--profile", str(profile), env=ENV)
    ok("a-path-that-is-none", f"{HOME}/nowhere cannot be looked at: No such file or directory" in done.stdout, (done.returncode, done.stdout, done.stderr))


def what_nobody_can_do_says_so_where_verbs_are_listed():
    done = said("do")
    listed = done.stdout
    ok("do-alone-lists-them", done.returncode == 0 and not done.stderr and said("do", "foo").stderr.count("\n") == 1, (done.returncode, done.stderr))
    lines = {line.split()[0]: line for line in listed.splitlines() if line.startswith("  ")}
    ok("verbs-are-listed", "compact" in lines and "cannot" not in lines["compact"], listed)
    ok("a-query-cannot-be-stopped", "cannot: no interface" in lines.get("stop-query", ""), listed)
    ends("and-says-so-when-it-is-wished", 2, "only streaming queries", "do", "stop-query", "web", "q")


story(what_is_wrong_with_the_world_is_no_usage_error)
story(what_was_wished_wrongly_is_one)
story(rows_of_a_name_that_two_catalogs_have)
story(what_is_so_already_is_no_failure)
story(a_service_that_is_not_found_is_said_so_without_a_profile_too)
story(a_line_without_a_stamp_is_as_old_as_its_file)
story(a_disk_of_the_profile_that_is_not_there_is_told)
story(what_nobody_can_do_says_so_where_verbs_are_listed)
end()
