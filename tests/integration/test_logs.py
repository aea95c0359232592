#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Logs of the lab's servers, whether the profile names them or not, of Spark's executors by their worker's UI, and of files
that are rotated, cut, packed and full of what no terminal should see. Airflow's are recorded ones of 3.1.8; journalctl is a stand-in."""
import contextlib
import datetime
import fcntl
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import urllib.request
from pathlib import Path

from check import HOME, LAKETOP, PROFILE, ROOT, Screen, end, lab, laketop, ok, skip, story, until

home = Path(tempfile.mkdtemp(prefix="logs-", dir=HOME if HOME.is_dir() else "/var/tmp"))
RECORDED = ROOT / "tests" / "recorded" / "airflow-3.1.8"


def stamp(seconds_ago):
    return (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds_ago)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def logs(*args, env=None):
    return laketop("logs", *map(str, args), env=env)


def entries(*args, env=None):
    return [json.loads(line) for line in logs("--json", *args, env=env).stdout.splitlines()]


def profile(name, **services):
    path = home / f"{name}.ini"
    path.write_text("[laketop]\nprofile = " + name + "\n" + "".join(
        f"[service {service}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items()) for service, keys in services.items()))
    return str(path)


@contextlib.contextmanager
def following(*args, env=None):
    """laketop logs -f, and what it printed by now."""
    out = home / "followed"
    with out.open("w") as to:
        child = subprocess.Popen([LAKETOP, "logs", "-f", *map(str, args)], stdout=to, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                 env={**os.environ, **(env or {})})
    try:
        yield child, out.read_text
    finally:
        child.terminate()
        child.wait(60)


# ---- files ----

def several_sources_are_one_timeline():
    a, b = home / "a.log", home / "b.log"
    a.write_text(f"{stamp(40)} INFO first\n{stamp(20)} ERROR third\nTraceback (most recent call last):\n  File \"x.py\", line 1\nValueError: why\n")
    b.write_text(f"{stamp(30)} WARN second\n{stamp(10)} INFO fourth\n")
    path = profile("files", one={"kind": "other", "port": 1, "log": a}, two={"kind": "other", "port": 2, "log": b})
    told = entries("one", "two", "--profile", path)
    ok("lines-of-several-sources-are-in-the-order-of-their-time", [re.search("first|second|third|fourth", e["text"])[0] for e in told] ==
       ["first", "second", "third", "fourth"], told)
    ok("each-json-line-names-service-source-level-and-time", [(e["service"], e["source"], e["level"], e["stamped"]) for e in told] ==
       [("one", "file", "INFO", True), ("two", "file", "WARN", True), ("one", "file", "ERROR", True), ("two", "file", "INFO", True)], told)
    ok("a-trace-is-one-event", told[2]["lines"] == 4 and "ValueError: why" in told[2]["text"], told[2])
    ok("level-keeps-what-is-as-bad", [e["text"].split()[-1] for e in entries("all", "--level", "warn", "--profile", path)] == ["second", "why"])
    ok("since-is-a-moment", [e["service"] for e in entries("one", "two", "--since", "25s", "--profile", path)] == ["one", "two"])
    text = logs("one", "two", "--profile", path).stdout.splitlines()
    ok("as-text-each-line-begins-with-its-service", len(text) == 7 and all(re.match("one|two", line) for line in text), text)


def the_past_may_be_packed():
    now = home / "rotated.log"
    with gzip.open(f"{now}.2.gz", "wt") as to:
        to.write(f"{stamp(300)} INFO oldest\n{stamp(200)} INFO old\n")
    Path(f"{now}.1").write_text(f"{stamp(100)} INFO newer\n")
    now.write_text(f"{stamp(10)} INFO newest\n")
    for name, age in ((f"{now}.2.gz", 200), (f"{now}.1", 100)):  # as those who rotate leave it
        os.utime(name, (time.time() - age, time.time() - age))
    told = entries(now, "--since", "4min")
    ok("since-reads-rotated-and-packed-files", [e["text"].split()[-1] for e in told] == ["old", "newer", "newest"], told)
    ok("without-it-only-the-file-itself", [e["text"].split()[-1] for e in entries(now)] == ["newest"])


def a_followed_file_is_rotated_and_cut():
    path = home / "followed.log"
    path.write_text("begun\n")
    with following(path) as (child, printed):
        until(60, lambda: "begun" in printed())
        with path.open("a") as to:
            to.write("appended\n")
        ok("what-is-appended-comes", until(60, lambda: "appended" in printed()), printed())
        with path.open("a") as to:
            to.write("last words of the old one\n")
            to.flush()
            path.rename(f"{path}.1")
            path.touch()  # as logrotate does, before it tells who writes
            time.sleep(1)
            to.write("written after it was renamed\n")
        path.write_text("first of the new one\n")
        ok("the-rest-of-a-rotated-file-and-the-new-one-come", until(60, lambda: all(
            words in printed() for words in ("first of the new one", "last words", "after it was renamed"))), printed())
        path.write_text("short\n")
        ok("a-file-that-was-cut-is-read-from-its-beginning", until(60, lambda: "short" in printed()), printed())
        path.unlink()
        ok("one-that-is-gone-is-waited-for", not until(2, lambda: child.poll() is not None, 0.5), printed())
        path.write_text("back again, and longer than it was before\n")
        ok("one-that-comes-back-is-followed", until(60, lambda: "back again" in printed()), printed())
        words = ["begun", "appended", "last words", "after it was renamed", "first of the new", "short", "back again"]
        ok("every-line-came-once", [printed().count(word) for word in words] == [1] * len(words), printed())
        child.send_signal(signal.SIGINT)
        ok("ctrl-c-ends-it", child.wait(60) == 130, child.returncode)


def nothing_reaches_the_terminal_uncleaned():
    path = home / "wild.log"
    path.write_bytes(b"\x1b]0;title\x07\x1b[31mred\x1b[2J \xff\xfe\x00binary\x9b31m\r over\n" + f"{stamp(5)} INFO \u202eturned \u009b2J\n".encode() +
                     b"x" * (1 << 20) + b"\n")
    for how in ([], ["--json"]):
        out = subprocess.run([LAKETOP, "logs", *how, str(path), "--since", "1h"], capture_output=True, timeout=60, stdin=subprocess.DEVNULL, check=False).stdout
        wild = sorted(set(re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", out.decode("utf-8", "replace"))))
        ok(f"no-control-character-comes-out{''.join(how)}", b"red" in out and b"binary" in out and not wild, (wild, out[:200]))
        ok(f"a-line-of-a-megabyte-is-cut{''.join(how)}", len(out) < 200000, len(out))


def a_last_piece_that_begins_in_a_long_line():
    path = home / "long.log"
    path.write_bytes(f"{stamp(9)} INFO ".encode() + b"x" * (300 << 10) + f"\n{stamp(5)} WARN whole\n".encode())
    done = logs(str(path))
    ok("half-a-line-is-no-line", done.stdout.count("\n") == 1 and "WARN" in done.stdout, done.stdout[-300:])


def what_cannot_be_written_is_said():
    path = home / "some.log"
    path.write_text(f"{stamp(5)} INFO a line\n" * 1000)
    for command in (["logs", str(path)], ["--help"], ["ports"]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([LAKETOP, *command], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, stdin=subprocess.DEVNULL, check=False)
        ok(f"a-full-disk-is-no-success-{command[0].strip('-')}", done.returncode == 1 and "could be written" in done.stderr, done)
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([LAKETOP, "logs", str(path)], stdout=write, stderr=subprocess.PIPE, text=True, timeout=60, stdin=subprocess.DEVNULL, check=False)
    os.close(write)
    ok("who-has-read-enough-is-no-failure", done.returncode == 0 and not done.stderr, done)


def who_reads_nothing_keeps_nobody():
    path = home / "much.log"
    path.write_text(f"{stamp(5)} INFO a line that is written\n" * 20000)
    child = subprocess.Popen([LAKETOP, "logs", str(path), "-f", "--since", "1h"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)

    def written():
        return int.from_bytes(fcntl.ioctl(child.stdout, termios.FIONREAD, bytes(4)), sys.byteorder)
    ok("it-waits-for-its-reader", until(60, lambda: written() >= 30000), written())  # its pages need not be full
    child.send_signal(signal.SIGTERM)
    try:
        ended = child.wait(60)
    except subprocess.TimeoutExpired:
        ended = child.kill()
    ok("and-can-be-ended-meanwhile", ended == 143, ended)
    child.stdout.close()


def words_for_who_asks_wrongly():
    path = profile("names", kafka={"kind": "kafka", "port": 1}, airflow={"kind": "other", "port": 2, "log": home / "nowhere.log"})
    done = logs("kafkaa", "--profile", path)
    ok("an-unknown-service-is-a-usage-error-with-the-nearest-name", done.returncode == 2 and 'did you mean "kafka"' in done.stderr, done)
    done = logs("kafka", "--profile", path)
    ok("one-whose-log-nobody-knows-is-told-which-key-to-add", done.returncode == 3 and "log = FILE" in done.stderr and "[service kafka]" in done.stderr, done)
    done = logs("kafka/app-1", "--profile", path)
    ok("an-application-that-nobody-knows-is-told-how-to-be-named", done.returncode == 2 and "app-1" in done.stderr and "WORKER" in done.stderr, done)
    done = logs("airflow", "--profile", path)
    ok("a-file-that-is-not-there-is-said", "nowhere.log is not there" in done.stderr and done.returncode == 3, done)
    ok("levels-are-named", logs("kafka", "--level", "loud", "--profile", path).returncode == 2)


# ---- Airflow, by its files; the journal ----

def tasks_of_airflow_3_1_8_by_their_recorded_files():
    run = home / "airflow" / "dag_id=ingest_orders" / "run_id=manual__2026-11-29T22:31:24.452646+00:00"
    for task in ("read_kafka", "write_bronze"):
        (run / f"task_id={task}").mkdir(parents=True)
        (run / f"task_id={task}" / "attempt=1.log").write_bytes((RECORDED / f"{task}.log").read_bytes())
    path = profile("airflow", airflow={"kind": "other", "port": 1, "log": home / "airflow"})
    told = entries("airflow", "--profile", path)
    ok("each-attempt-is-a-source-with-dag-and-task", {e["service"] for e in told} == {"ingest_orders.read_kafka", "ingest_orders.write_bronze"}, told)
    failed = [e for e in told if e["level"] == "ERROR"]
    ok("a-failed-task-is-an-error-with-its-trace", len(failed) == 1 and failed[0]["at"].startswith("2026-11-29T22:31:37.877") and
       'File "/opt/airflow/dags/lab_dags.py", line 34, in write_bronze' in failed[0]["text"] and
       failed[0]["text"].splitlines()[-1].strip() == "RuntimeError: NoSuchTableException: Table does not exist: bronze.orders", failed)
    ok("they-are-in-order-over-tasks", [e["at"] for e in told] == sorted(e["at"] for e in told), [e["at"] for e in told])
    with following("airflow", "--profile", path) as (_, printed):
        until(60, lambda: "NoSuchTable" in printed())
        (run / "task_id=write_bronze" / "attempt=2.log").write_text(json.dumps({"timestamp": stamp(0), "level": "info", "event": "tried\nagain"},
                                                                               separators=(",", ":")) + "\n")
        ok("a-further-attempt-is-found-while-it-is-followed", until(60, lambda: re.search(r"write_bronze try 2 +INFO .*tried\n", printed())), printed())


def journal_by_a_stand_in():
    """No systemd runs here: journalctl is a script that answers as that of systemd 252 does."""
    folder = home / "bin"
    folder.mkdir()
    script = folder / "journalctl"
    script.write_text(f"""#!/bin/sh
printf '%s\\n' "$@" > {home}/argv
case "$*" in *denied*) echo 'Hint: You are currently not seeing messages from other users and the system.
      Users in groups '"'adm', 'systemd-journal'"' can see all messages.' >&2
echo 'No journal files were opened due to insufficient permissions.' >&2; exit 1;; esac
case "$*" in *after-cursor*) exec sleep 60;; esac
cat <<'END'
{{"__CURSOR":"s=1;b=a","__REALTIME_TIMESTAMP":"1795975445123456","_BOOT_ID":"a","PRIORITY":"3","MESSAGE":"before the reboot"}}
{{"__CURSOR":"s=1;b=b","__REALTIME_TIMESTAMP":"1795975545123456","_BOOT_ID":"b","PRIORITY":"6","MESSAGE":[27,91,51,49,109,114,101,100,10,116,119,111]}}
{{"__CURSOR":"s=2;b=b","__REALTIME_TIMESTAMP":"1795975645123456","_BOOT_ID":"b","PRIORITY":"4","MESSAGE":["one","two"]}}
END
""")
    script.chmod(0o755)
    env = {"PATH": f"{folder}:{os.environ['PATH']}"}
    path = profile("units", web={"kind": "other", "port": 1, "unit": "web.service"}, denied={"kind": "other", "port": 2, "unit": "denied.service"})
    told = entries("web", "--profile", path, env=env)
    argv = (home / "argv").read_text().split("\n")
    ok("stand-in-both-the-systems-and-the-users-unit-are-asked-for", "--unit=web.service" in argv and "--user-unit=web.service" in argv, argv)
    ok("stand-in-lines-of-two-boots-come-with-their-levels", [(e["level"], e["source"]) for e in told] == [("ERROR", "unit"), ("INFO", "unit"), ("WARN", "unit")],
       told)
    ok("stand-in-bytes-and-lists-become-clean-lines", "red" in told[1]["text"] and "two" in told[1]["text"] and "\x1b" not in told[1]["text"] and
       told[2]["text"].split() == ["one", "two"], told)
    done = logs("denied", "--profile", path, env=env)
    ok("stand-in-who-may-not-read-the-journal-is-told-what-helps", "usermod -aG systemd-journal" in done.stderr, done)


# ---- the lab's servers ----

def without_logs():
    """The lab's profile without a word of where logs are."""
    path = home / "silent.ini"
    path.write_text(re.sub(r"^log = .*\n", "", Path(PROFILE).read_text(), flags=re.M))
    return str(path)


def servers_whose_profile_names_no_log():
    path, names = without_logs(), ["postgres", "kafka", "seaweedfs"]
    told = entries(*names, "--profile", path)
    ok("each-of-them-has-lines", {e["service"] for e in told} == set(names), {e["service"] for e in told})
    ok("in-one-timeline", [e["at"] for e in told] == sorted(e["at"] for e in told))
    named = entries(*names, "--profile", PROFILE)
    for name in names:
        mine, theirs = ([e["text"] for e in some if e["service"] == name and e["stamped"]] for some in (told, named))
        ok(f"{name}s-are-those-of-the-file-that-the-profile-names", len(set(mine) & set(theirs)) > len(set(mine)) / 2, (mine[-2:], theirs[-2:]))


def executors_by_their_workers_ui():
    port = re.search(r"\[service spark-worker-41\](?:\n.+)*?\nport = (\d+)", Path(PROFILE).read_text())
    if not port:
        return skip("executors-by-their-workers-ui", "no Spark in this lab")

    def seen():
        with urllib.request.urlopen(f"http://127.0.0.1:{port[1]}/json/", timeout=10) as answer:
            worker = json.load(answer)
        return worker["finishedexecutors"] + worker["executors"]

    if not until(120, seen, 1):
        return skip("executors-by-their-workers-ui", "no application ran since the worker was started")
    one = seen()[-1]
    app, name = one["appid"], one["appdesc"]["name"]
    # one that began a moment ago has written nothing
    told = until(60, lambda: entries(f"spark-worker-41/{app}/{one['id']}", "--since", "1h", "--profile", PROFILE), 1) or []
    words = "\n".join(e["text"] for e in told)
    ok("an-executors-log-comes-by-its-worker", "Spark Executor Command" in words and "CoarseGrainedExecutorBackend" in words, words[-500:])
    ok("its-source-is-the-workers-ui", {(e["source"], e["where"]) for e in told} == {("worker UI", f"appId={app}&executorId={one['id']}")}, told[:1])
    told = entries(app, "--profile", PROFILE)
    ok("an-application-is-all-its-executors", f"{name}/{one['id']}" in {e["service"] for e in told}, {e["service"] for e in told})
    done = logs("spark-worker-41/app-none/0", "--profile", PROFILE)
    ok("of-one-that-is-not-there-the-worker-says-so", "the worker has no log of it" in done.stderr, done)
    window = Screen("--profile", PROFILE, columns=150)
    try:
        until(60, lambda: " READY" in window.text() and "NOT READY" not in window.text())
        window.press("5", "Tab")
        ok("applications-are-listed", until(60, lambda: name in window.text()), window.text())
        window.press("/")
        window.press(app, "Enter")
        until(60, lambda: f"/{app}" in window.text() or "filter" in window.text())
        window.press("l")
        ok("l-opens-the-log-of-an-application", until(60, lambda: name[:12] in window.text() and "INFO" in window.text()), window.text())  # the screen cuts it
    finally:
        window.close()
    return None


def l_shows_the_log_until_it_broke():
    pid = int((HOME / "run" / "kafka.pid").read_text())
    window = Screen("--profile", without_logs(), columns=150)
    try:
        ok("kafka-serves", until(60, lambda: window.word("kafka") == "serving"), window.text())
        os.kill(pid, signal.SIGKILL)
        ok("a-killed-one-is-stopped", until(60, lambda: window.word("kafka") == "stopped"), window.text())
        window.press("8")
        until(60, lambda: re.search(r"kafka +stopped", window.text()))
        window.press("/")
        window.press("kafka", "Enter", "l")
        ok("l-on-the-change-shows-what-it-wrote-last", until(60, lambda: logs_of(window, "kafka")), window.text())
        window.press("q", "1", "!")
        until(60, lambda: "problems only" in window.text())
        window.press("g", "/")
        window.press("stopped", "Enter", "l")
        ok("l-on-the-problem-shows-it-too-and-all-levels", until(60, lambda: logs_of(window, "kafka")) and "from WARN" not in window.text(), window.text())
        window.press("q")
        ok("back-there-only-problems-are-shown", until(60, lambda: "problems only" in window.text()), window.text())
    finally:
        window.close()
        lab("up", "pocket")


def logs_of(window, name):
    """The panel shows this one's log, and lines that servers stamped."""
    return re.search(rf"^ *1 {name} ", window.text(), re.M) and re.search(r"^\d\d:\d\d:\d\d\.\d{3} INFO ", window.text(), re.M)


def main():
    files = [several_sources_are_one_timeline, the_past_may_be_packed, a_followed_file_is_rotated_and_cut, nothing_reaches_the_terminal_uncleaned,
             words_for_who_asks_wrongly, a_last_piece_that_begins_in_a_long_line, what_cannot_be_written_is_said, who_reads_nothing_keeps_nobody,
             tasks_of_airflow_3_1_8_by_their_recorded_files, journal_by_a_stand_in]
    servers = [servers_whose_profile_names_no_log, executors_by_their_workers_ui, l_shows_the_log_until_it_broke]
    wanted = [each for each in files + servers if not sys.argv[1:] or each.__name__ in sys.argv[1:]]
    for each in wanted:
        if each in servers and each is next(one for one in wanted if one in servers):
            lab("up", "pocket")
            until(120, lambda: laketop("check", "--profile", PROFILE).returncode == 0, 1)
        story(each)


try:
    main()
finally:
    shutil.rmtree(home, ignore_errors=True)
end()
