#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the machine is short of, and what a port that nothing explains is found to be when it is asked: no server of the lab is needed."""
import contextlib
import http.server
import json
import re
import shutil
import subprocess
import sys
import threading

from check import HOME, ROOT, CannotRun, end, free_port, lab, laketop, ok, schema_errors, screen, skip, story, until

SCHEMA = json.loads((ROOT / "tests" / "schema" / "status.json").read_text())
# by its words a Spark driver, whose UI is where nobody would look for it
DRIVER = ("import http.server, sys\nclass Page(http.server.BaseHTTPRequestHandler):\n"
          " def do_GET(self):\n  self.send_response(200)\n  self.end_headers()\n  self.wfile.write(b'<title>a page of its own</title>')\n"
          "http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Page).serve_forever()")


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def one_service():
    """A profile of one service, which serves; nothing else is required."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = HOME / "own-machine"
    scratch, profile, env = home / "data" / "scratch", home / "machine.ini", {"LAKETOP_LAB_HOME": str(home)}
    scratch.mkdir(parents=True, exist_ok=True)
    profile.write_text(f"[laketop]\nprofile = machine\n[host]\ndisks = / {scratch}\nmute = memory\n"
                       f"[service page]\nkind = other\nport = {server.server_port}\n")
    try:
        yield lambda *words: lab(*words, env=env), str(profile), str(scratch)
    finally:
        server.shutdown()
        lab("heal", env=env)
        shutil.rmtree(home, ignore_errors=True)


def a_full_disk_is_a_warning_beside_ready():
    with one_service() as (own, profile, scratch):
        def machine():
            done = laketop("status", "--json", "--profile", profile)
            machine.code, machine.told = done.returncode, json.loads(done.stdout)
            return [f for f in machine.told["machine"]["findings"] if scratch in f["reason"]]
        try:
            own("break", "full-disk")
        except (CannotRun, RuntimeError) as e:
            skip("a-full-disk-is-told", e)
            return
        found = until(60, machine, 1)
        ok("a-full-disk-is-a-finding-of-the-machine-with-a-remedy",
           len(found) == 1 and found[0]["finding"] == "disk" and found[0]["severity"] == "warning" and "is full" in found[0]["reason"] and found[0]["remedy"], found)
        ok("a-full-disk-keeps-nobody-from-being-ready", machine.code == 0 and machine.told["ready"] and machine.told["problems"] == [], machine.told["problems"])
        ok("what-is-told-of-it-keeps-to-the-schema", not (wrong := schema_errors(machine.told, SCHEMA)), wrong[:5])
        text = laketop("status", "--profile", profile).stdout.splitlines()
        ok("the-first-line-counts-and-names-it", re.match(r"READY - 1 of 1 serving, \d warnings?: machine disk", text[0]), text[0])
        ok("its-line-says-what-to-do", any(re.match(rf"machine: warning, disk: {scratch} is full: .*\. Remedy: free space", line) for line in text), text)
        for columns in (60, 100):
            with screen("--profile", profile, columns=columns, lines=30) as seen:
                short = until(60, lambda: re.search(r"scratch 0 B free", seen.text()))
                ok(f"the-disk-that-is-ill-is-on-the-overview-at-{columns}-columns", short and "machine" in seen.text(), seen.text())
        own("heal")
        ok("it-is-gone-with-its-cause", until(60, lambda: not machine(), 1), machine.told["machine"])


def the_key_that_asks_gets_an_answer():
    port = free_port()
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, str(port), "org.apache.spark.deploy.SparkSubmit"], stderr=subprocess.DEVNULL)
    try:
        with one_service() as (_, profile, __), screen("--profile", profile, columns=140, lines=40) as seen:
            seen.press("2")
            until(60, lambda: "VERDICT" in seen.text() and "ADDRESS" in seen.text())
            seen.press("/")
            seen.press(str(port), "Enter")
            before = until(60, lambda: re.search(rf"{port}.*not asked; by its owner a port of Spark driver", seen.text()))
            ok("a-port-that-cannot-be-placed-is-not-asked-by-itself", before, seen.text())
            seen.press("i")
            after = until(60, lambda: re.search(rf"{port}.*says HTTP 200", seen.text()))
            ok("i-asks-it-who-it-is", after, seen.text())
    finally:
        driver.kill()
        driver.wait()


for each in (a_full_disk_is_a_warning_beside_ready, the_key_that_asks_gets_an_answer):
    if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
        story(each)
end()
