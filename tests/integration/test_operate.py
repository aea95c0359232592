#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Start, stop and restart on real things: containers of a real dockerd, docker-compose of Debian, programs; and what is not
here (compose as a plugin of docker, systemd) by the argv that a stand-in first in PATH is given, which proves the argv and
nothing more. Docker's own command line, /proc and the audit tell what is true."""
import json
import os
import pathlib
import re
import shutil
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

from check import LAKETOP, ROOT, TRACED, CannotRun, Lab, awaited, end, free_port, laketop, ok, screen, skip, story, until

sys.path.insert(0, str(ROOT / "tests" / "lab"))
sys.dont_write_bytecode = True
from fetching import java, place  # noqa: E402

own = Lab("operate", "docker")
SOCKET = own.home / "run" / "docker.sock"
IMAGE = "laketop-lab/busybox:1"
room = pathlib.Path(tempfile.mkdtemp(prefix="laketop-operate-"))
STATE = room / "state"
RECORDER = """#!/bin/sh
for a in "$@"; do printf '%s\\n' "$a"; done >> "$RECORDED"; echo == >> "$RECORDED"
"""


def docker(*args, check=True):
    done = subprocess.run(["docker", *args], capture_output=True, text=True, env={**os.environ, "DOCKER_HOST": f"unix://{SOCKET}"}, timeout=120, check=check)
    return done.stdout.strip()


def state_of(container):
    return json.loads(docker("inspect", container))[0]["State"]


def profile(name, **services):
    """Each with its keys; kind other and a short grace unless it says otherwise."""
    lines = ["[laketop]", "profile = operate"]
    for service, keys in services.items():
        lines += [f"[service {service}]", *(f"{k} = {v}" for k, v in {"kind": "other", "grace": "1s", **keys}.items())]
    path = room / f"{name}.ini"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def act(path, *words, env=None, timeout=120):
    """Its exit code, and everything that it said."""
    done = laketop(*words, "--profile", path, env={"XDG_STATE_HOME": str(STATE), **(env or {})}, timeout=timeout)
    return done.returncode, done.stdout + done.stderr


def did(name, path, *words, code=0, says=(), **more):
    begun = time.monotonic()
    got, text = act(path, *words, "--yes", **more)
    ok(name, got == code and all(s in text for s in says), f"exit {got}: {text}")
    return time.monotonic() - begun


def begin(path, *words, env=None):
    """The same, while it goes on."""
    return subprocess.Popen([LAKETOP, *words, "--yes", "--profile", path], env={**os.environ, "XDG_STATE_HOME": str(STATE), **(env or {})},
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=room)


def audit():
    path = STATE / "laketop" / "audit.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def stand_in(name, body=RECORDER):
    folder = room / "bin"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(body)
    path.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "RECORDED": str(room / f"{name}.argv")}


def recorded(name):
    path = room / f"{name}.argv"
    return [c.split("\n") for c in path.read_text().removesuffix("\n==\n").split("\n==\n")] if path.exists() else []


# ---- containers ----

def a_container_is_stopped_started_restarted_by_the_engines_api():
    port = int(docker("port", "mlflow-server").splitlines()[0].rpartition(":")[2])
    path = profile("containers", web={"container": "mlflow-server", "port": port})
    did("a-container-is-stopped", path, "stop", "web", says=("POST /containers/", "docker stop mlflow-server", "done"))
    ok("docker-says-that-it-stopped", state_of("mlflow-server")["Status"] == "exited", state_of("mlflow-server"))
    did("stopping-it-again-does-nothing", path, "stop", "web", says=("already",))
    did("a-container-is-started", path, "start", "web", says=("done: serving",))
    before = state_of("mlflow-server")["StartedAt"]
    did("a-container-is-restarted", path, "restart", "web", says=("done: serving",))
    ok("docker-says-that-it-began-anew", state_of("mlflow-server")["StartedAt"] > before, before)
    docker("pause", "mlflow-server")
    did("a-paused-container-is-unpaused", path, "start", "web", says=("/unpause", "done: serving"))
    lines = audit()
    ok("each-has-its-begin-and-end-in-the-audit", [(one["phase"], one["title"]) for one in lines[:4]] ==
       [("begin", "stop web"), ("end", "stop web"), ("begin", "start web"), ("end", "start web")], lines[:4])
    ok("the-audit-is-for-its-owner-alone", (STATE / "laketop" / "audit.jsonl").stat().st_mode & 0o777 == 0o600)


def a_start_that_fails_is_named():
    path = profile("failing", once={"container": "airflow-init", "port": free_port()}, broken={"container": "unity-catalog", "port": free_port()},
                   held={"container": "held-web", "port": free_port()}, odd={"container": "no-program", "port": free_port()})
    took = did("one-that-exits-at-once-is-named-with-its-code-and-last-words", path, "start", "once", code=1,
               says=("exited at once with 0", "last words", "migrated"))
    ok("and-long-before-its-time-is-up", took < 30, took)
    did("one-that-fails-says-why", path, "start", "broken", code=1, says=("exited at once with 1", "no such bucket"))
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        docker("create", "--name", "held-web", "-p", f"127.0.0.1:{port}:8000", IMAGE, "httpd", "-f", "-p", "8000")
        did("docker's-own-words-about-a-port-that-is-taken-are-shown", path, "start", "held", code=1, says=("HTTP 500", "already in use"))
        named = profile("held", db={"kind": "postgres", "port": port, "start": "/bin/true"})
        did("who-holds-the-port-is-named-before-anything-is-run", named, "start", "db", code=1,
            says=(f"{port} is held by", f"pid {os.getpid()}"))
    docker("create", "--name", "loops", "--restart", "always", IMAGE, "sh", "-c", "sleep 1; echo no catalog; exit 7")
    docker("create", "--name", "later", IMAGE, "sh", "-c", "sleep 5; echo gave up; exit 9")
    more = profile("more", loops={"container": "loops", "port": free_port()}, later={"container": "later", "port": free_port()})
    took = did("one-that-is-begun-again-and-again-is-named", more, "start", "loops", code=1, says=("started again", "last with 7", "no catalog"))
    ok("and-not-waited-for", took < 30, took)
    took = did("one-that-ends-before-it-serves-is-named", more, "start", "later", code=1, says=("exited before it served with 9", "gave up"))
    ok("as-soon-as-it-did", took < 30, took)
    docker("rm", "-f", "loops", "later")
    docker("create", "--name", "no-program", IMAGE, "/no/such/program", check=False)
    did("a-program-that-is-not-in-the-image-is-named", path, "start", "odd", code=1, says=("no such file",))


def a_container_that_is_gone_by_the_yes_is_told_as_404():
    path = profile("gone", lost={"container": "soon-gone", "port": free_port()})
    docker("create", "--name", "soon-gone", IMAGE, "sleep", "1000")
    with screen("--profile", path, env={"XDG_STATE_HOME": str(STATE)}) as it:
        until(60, lambda: it.word("lost") == "stopped")
        it.press("x")
        until(60, lambda: "what to do to lost" in it.text())
        it.press("Enter")
        ok("the-exact-request-is-offered", until(60, lambda: "docker start soon-gone" in it.text() and "Run it?" in it.text()), it.text())
        docker("rm", "-f", "soon-gone")
        it.press("y", "y", "y")
        ok("the-engine's-404-is-shown", until(60, lambda: "HTTP 404" in it.text()), it.text())
    begun = [one for one in audit() if one["title"] == "start lost" and one["phase"] == "begin"]
    ok("three-presses-ran-it-once", len(begun) == 1, begun)


class Between(socketserver.ThreadingUnixStreamServer):
    """The engine's socket, with one who answers in its place, or does something before it is asked, whenever something is to be changed."""
    daemon_threads = True

    def __init__(self, path, act):
        self.act = act
        super().__init__(str(path), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """Who asked has gone: that is what some of these stories are about."""


class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        head = b""
        while b"\r\n\r\n" not in head:
            more = self.request.recv(65536)
            if not more:
                return
            head += more
        if head.startswith(b"POST"):
            answer = self.server.act()
            if answer:
                status, words = answer
                body = json.dumps({"message": words}).encode()
                return self.request.sendall(f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
                                            "Connection: close\r\n\r\n".encode() + body)
        with socket.socket(socket.AF_UNIX) as engine:
            engine.connect(str(SOCKET))
            engine.sendall(head.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
            while piece := engine.recv(65536):
                self.request.sendall(piece)


def what_the_engine_refuses_is_named():
    """By a stand-in for what cannot be had here; by the engine itself where something comes between offer and yes."""
    docker("create", "--name", "asked", IMAGE, "sleep", "1000")
    path = profile("asked", asked={"container": "asked", "port": free_port()})
    for name, answer, says in (("conflict", (409, "removal of container asked is already in progress"), ("HTTP 409", "try again when that is over")),
                               ("gone", (404, "No such container: asked"), ("HTTP 404", "removed meanwhile")),
                               ("broken", (500, "driver failed: Bind for 0.0.0.0:80 failed: port is already allocated"), ("HTTP 500", "key 2"))):
        with Between(room / f"{name}.sock", lambda answer=answer: answer) as between:
            did(f"{name}-is-told-with-what-helps", path, "start", "asked", code=1, says=says, env={"DOCKER_HOST": f"unix://{room}/{name}.sock"})
            between.shutdown()
    with Between(room / "race.sock", lambda: docker("start", "asked") and None) as between:
        one = begin(path, "start", "asked", env={"DOCKER_HOST": f"unix://{room}/race.sock"})
        ok("the-engine's-own-304-is-no-failure", until(60, lambda: state_of("asked")["Status"] == "running") and one.poll() is None, one.poll())
        one.terminate()
        one.wait(60)
        between.shutdown()
    docker("kill", "asked")
    with Between(room / "paused.sock", lambda: (docker("start", "asked"), docker("pause", "asked")) and None) as between:
        did("the-engine's-own-409-says-what-to-do", path, "start", "asked", code=1, says=("HTTP 409", "unpause", "start it once more"),
            env={"DOCKER_HOST": f"unix://{room}/paused.sock"})
        between.shutdown()
    docker("unpause", "asked")
    docker("kill", "asked")
    with Between(room / "mute.sock", lambda: time.sleep(100)) as between:
        one = begin(path, "start", "asked", env={"DOCKER_HOST": f"unix://{room}/mute.sock"})
        until(60, lambda: [a for a in audit() if a["title"] == "start asked" and a["phase"] == "begin" and a["pid"] == one.pid])
        one.terminate()
        took = time.monotonic()
        ok("an-engine-that-hangs-is-let-go-at-once", one.wait(60) == 143 and time.monotonic() - took < 30, one.returncode)
        ok("and-the-audit-says-cancelled", (audit()[-1]["phase"], audit()[-1]["state"]) == ("end", "cancelled"), audit()[-1])
        between.shutdown()
    docker("rm", "-f", "asked")


def who_may_not_ask_the_engine_is_told_the_remedy():
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return skip("no-permission", "only root can become another user here")
    path = profile("denied", web={"container": "mlflow-server", "port": free_port()})
    pathlib.Path(path).chmod(0o644)
    room.chmod(0o755)
    done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", LAKETOP, "start", "web", "--yes", "--profile", path],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, cwd="/",
                          env={**os.environ, "DOCKER_HOST": f"unix://{SOCKET}", "HOME": "/nonexistent", "XDG_STATE_HOME": str(theirs())})
    if "failed to execute" in done.stderr:
        return skip("no-permission", "another user may not run laketop where it lies")
    ok("no-permission-on-the-socket-names-the-group", "permission denied" in done.stderr and "group docker" in done.stderr, done.stdout + done.stderr)


def theirs():
    """A folder that the other user may write to."""
    folder = room / "theirs"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o777)
    return folder


# ---- compose ----

def compose_makes_the_container_that_does_not_exist_yet():
    if not shutil.which("docker-compose"):
        return skip("compose-v1", "no docker-compose (apt-get install docker-compose)")
    port = free_port()
    (room / "compose.yml").write_text(
        f"version: '3'\nservices:\n  composed:\n    image: {IMAGE}\n    container_name: lake-composed\n    network_mode: host\n    init: true\n"
        f"    command: [httpd, -f, -p, '{port}', -h, /etc]\n  missing:\n    image: laketop-lab/none:7\n    network_mode: host\n")
    more = {"compose": room / "compose.yml", "compose_project": "lake"}
    path = profile("compose", composed={"container": "lake-composed", "port": port, **more},
                   missing={"container": "lake-missing", "port": free_port(), **more})
    did("compose-v1-makes-and-starts-it", path, "start", "composed", says=("docker-compose -f", "up -d --no-deps composed", "done: serving"))
    ok("docker-knows-it-by-its-labels", json.loads(docker("inspect", "lake-composed"))[0]["Config"]["Labels"]["com.docker.compose.project"] == "lake")
    did("once-it-exists-the-engine-stops-it", path, "stop", "composed", says=("docker stop lake-composed",))
    did("and-starts-it", path, "start", "composed", says=("docker start lake-composed",))
    did("an-image-that-is-missing-is-named", path, "start", "missing", code=1, says=("laketop-lab/none:7",))
    docker("rm", "-f", "lake-composed")
    stand_in("docker", "#!/bin/sh\nexit 1\n")
    stand_in("docker-compose", "#!/bin/sh\nexit 127\n")
    did("where-compose-is-absent-the-remedy-is-told", path, "start", "composed", code=1, says=("apt-get install docker-compose",),
        env={"PATH": f"{room / 'bin'}:{os.environ['PATH']}"})
    for name in ("docker", "docker-compose"):
        (room / "bin" / name).unlink()


def compose_v2_is_given_this_argv():
    """No plugin is here: a stand-in for docker notes what it is given. Nothing is started by it."""
    env = stand_in("docker")
    file = room / "it's$(touch${IFS}pwned)|x.yml"
    file.write_text("services: {}\n")
    path = profile("plugin", made={"container": "never-made", "port": free_port(), "compose": file, "compose_project": "lake"})
    one = begin(path, "start", "made", env=env)
    ok("compose-v2-argv-recorded-by-a-stand-in-names-reach-it-whole",
       until(60, lambda: recorded("docker")[-1:] == [["compose", "-f", str(file), "-p", "lake", "up", "-d", "--no-deps", "made"]]), recorded("docker"))
    ok("no-shell-ran-what-a-name-holds", not (room / "pwned").exists())
    one.terminate()
    ok("told-to-end-it-ends", one.wait(60) == 143, one.returncode)
    last = audit()[-1]
    ok("and-the-audit-says-that-nobody-waited", (last["phase"], last["title"], last["state"]) == ("end", "start made", "cancelled"), last)


def the_reference_stack_is_started_by_its_compose_files():
    """A checkout of lakehouse-at-home, made small: its compose files, its images by name, and a real Spark in them."""
    home = pathlib.Path(place("spark-4.1")) / "deps"
    if not shutil.which("docker-compose") or not home.is_dir():
        return skip("reference-stack", "no docker-compose, or Spark 4.1 was not fetched (tests/lab/lab fetch pocket)")
    checkout = room / "lakehouse-at-home"
    checkout.mkdir()
    (checkout / "lakehouse").touch(0o755)
    (checkout / ".env").write_text("SPARK_41=4.1.4\n")
    ui, rpc, worker = free_port(), free_port(), free_port()
    java_home = os.path.dirname(os.path.dirname(os.path.realpath(java())))
    mounts = "".join(f"\n      - {p}:{p}:ro" for p in ("/usr", "/etc", "/opt", str(home.parent)) if os.path.exists(p))
    common = f"    network_mode: host\n    init: true\n    volumes:{mounts}\n"

    def one(name, image, variables, *words):
        said = "".join(f"      - {k}={v}\n" for k, v in {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": 1, "JAVA_HOME": java_home,
                                                      "SPARK_DAEMON_MEMORY": "256m", **variables}.items())
        return (f"  {name}:\n    image: apache/spark:{image}-scala2.13-java21-python3-r-ubuntu\n    container_name: {name}\n{common}    environment:\n{said}"
                f"    command: {json.dumps(['bash', str(home / 'bin' / 'spark-class'), *map(str, words)])}\n")

    (checkout / "docker-compose-spark41.yml").write_text(
        "services:\n" + one("spark-master-41", "${SPARK_41}", {"SPARK_MASTER_PORT": rpc, "SPARK_MASTER_WEBUI_PORT": ui},
                            "org.apache.spark.deploy.master.Master", "-h", "127.0.0.1") +
        one("spark-worker-41", "${SPARK_41}", {"SPARK_WORKER_WEBUI_PORT": worker}, "org.apache.spark.deploy.worker.Worker", "-h", "127.0.0.1",
            "-d", "/tmp", "-m", "512m", f"spark://127.0.0.1:{rpc}"))
    (checkout / "docker-compose.yml").write_text(
        "services:\n" + one("spark-master", "4.0.5", {"SPARK_MASTER_PORT": free_port(), "SPARK_MASTER_WEBUI_PORT": free_port()}, "none"))
    docker("tag", "laketop-lab/host:1", "apache/spark:4.1.4-scala2.13-java21-python3-r-ubuntu")
    env = {"LAKEHOUSE_HOME": str(checkout)}
    did("spark-of-a-version-is-started-by-the-compose-file-of-that-version", "lakehouse-at-home", "start", "spark", "--version", "4.1", env=env, timeout=300,
        says=("docker-compose-spark41.yml up -d --no-deps spark-master-41", "docker-compose-spark41.yml up -d --no-deps spark-worker-41",
              "done: serving 4.1.4"))
    ok("in-the-order-of-their-needs", docker("ps", "--format", "{{.Names}}").split()[:2] == ["spark-worker-41", "spark-master-41"], docker("ps"))
    ok("and-no-other-version-is", not docker("ps", "-aq", "--filter", "name=^spark-master$"), docker("ps", "-a"))
    did("what-stands-already-is-said-so", "lakehouse-at-home", "start", "spark", "--version", "4.1", env=env, says=("serving already",))
    did("a-version-that-is-nowhere-is-refused", "lakehouse-at-home", "start", "spark", "--version", "3.5", env=env, code=2, says=("of version 3.5",))
    did("its-containers-are-stopped-the-other-way-round", "lakehouse-at-home", "stop", "spark", "--version", "4.1", env=env,
        says=("docker stop spark-worker-41", "docker stop spark-master-41"))
    docker("rm", "-f", "spark-master-41", "spark-worker-41")


# ---- systemd ----

def systemd_is_given_this_argv():
    """What a real systemd does with it: test_units."""
    env = stand_in("systemctl", RECORDER + 'case "$*" in *--system*LoadState*own*) echo not-found;; *LoadState*) echo loaded;; esac\n')
    path = profile("units", **{name: {"unit": unit, "port": free_port()} for name, unit in (
        ("unit", "lake-web@a\\x2db.service"), ("own", "own.service"), ("odd", "-x.service"))})
    for name, argv in (("unit", ["--no-ask-password", "start", "--", "lake-web@a\\x2db.service"]),
                       ("own", ["--user", "--no-ask-password", "start", "--", "own.service"]), ("odd", ["--no-ask-password", "start", "--", "-x.service"])):
        one = begin(path, "start", name, env=env)
        ok(f"systemctl-argv-recorded-by-a-stand-in-{name}", until(60, lambda: argv in recorded("systemctl")), recorded("systemctl")[-3:])
        one.terminate()
        one.wait(60)


# ---- programs ----

def programs_go_on_without_us():
    port, forked, log = free_port(), free_port(), room / "web.log"
    (room / "env").write_text("# words\nexport COLOUR=\"blue; $(touch pwned)\"\nEMPTY=\n")
    path = profile("programs",
                   web={"port": port, "directory": room, "environment": room / "env", "log": log,
                        "start": f"/bin/sh -c \"echo colour $COLOUR; exec {sys.executable} -m http.server --bind 127.0.0.1 {port}\""},
                   forks={"port": forked, "start": f"/bin/sh -c \"{sys.executable} -m http.server --bind 127.0.0.1 {forked} & exit 0\"",
                          "stop": f"/bin/sh -c \"sleep 90 & kill $(cat {room}/forks.pid)\""},
                   dies={"port": free_port(), "log": room / "dies.log", "start": "/bin/sh -c \"echo no such catalog; exit 7\""},
                   nothing={"port": free_port(), "start": "/no/such/program"},
                   other={"port": port, "kind": "spark-history", "start": f"{sys.executable} -m http.server --bind 127.0.0.1 {port}"})
    did("a-program-is-started-and-serves", path, "start", "web", says=("done: serving",))
    ok("it-lives-on-when-laketop-ended", awaited("web", lambda s: s["verdict"] == "serving", profile=path)["verdict"] == "serving")
    ok("its-environment-comes-from-the-file-and-no-shell-read-it", "colour blue; $(touch pwned)" in log.read_text() and not (room / "pwned").exists(),
       log.read_text())
    did("a-program-is-restarted", path, "restart", "web", says=("done: serving",))
    ok("its-log-is-kept", log.read_text().count("colour blue") == 2, log.read_text())
    did("a-program-is-stopped-by-the-process-that-holds-its-port", path, "stop", "web", says=("kill -TERM", "done"))
    did("one-that-forks-is-started", path, "start", "forks", says=("done: serving",))
    owner = awaited("forks", lambda s: s["owner"]["pid"], profile=path)["owner"]["pid"]
    (room / "forks.pid").write_text(str(owner))
    took = did("a-stop-program-whose-child-holds-the-pipe-does-not-hold-us", path, "stop", "forks", says=("done",))
    ok("it-did-not-wait-for-that-child", took < 60, took)
    did("one-that-ends-at-once-is-named-with-its-code-and-log", path, "start", "dies", code=1, says=("ended with 7", "no such catalog"))
    did("who-runs-and-is-somebody-else-is-done-and-disagrees", path, "start", "other", code=5, says=("impostor",))
    did("a-program-that-is-not-there-is-named", path, "start", "nothing", code=1, says=("/no/such/program: No such file",))


# ---- cut short, and not allowed ----

def what_was_cut_short_is_told_by_the_next_start():
    """One of each kind, killed in its middle."""
    env = stand_in("docker", RECORDER + 'case "$*" in *up*) sleep 60;; esac\n')
    stand_in("systemctl", RECORDER + 'case "$*" in *LoadState*) echo loaded;; *) sleep 60;; esac\n')
    docker("run", "-d", "--name", "stubborn", IMAGE, "sh", "-c", "trap '' TERM; while :; do sleep 1; done")
    (room / "cut.yml").write_text("services: {}\n")
    path = profile("cut", slow={"port": free_port(), "start": "/bin/true", "stop": "/bin/true"}, stubborn={"container": "stubborn", "port": free_port()},
                   made={"container": "never-made", "port": free_port(), "compose": room / "cut.yml"}, unit={"unit": "lake.service", "port": free_port()})
    titles = ("start slow", "restart stubborn", "start made", "start unit")
    for title in titles:
        one = begin(path, *title.split(), env=env)
        ok(f"begun-{title.replace(' ', '-')}", until(60, lambda t=title: [a for a in audit() if a["title"] == t and a["phase"] == "begin" and a["pid"] == one.pid]),
           audit()[-2:])
        one.kill()
        one.wait()
    got, text = act(path, "actions")
    ok("laketop-actions-lists-them-as-left-open", got == 1 and all(t in text for t in titles) and text.count("left open") == 4, text)
    told = json.loads(laketop("actions", "--json", "--profile", path, env={"XDG_STATE_HOME": str(STATE)}).stdout)["actions"]
    ok("and-as-json", ("start slow", "left open", "/bin/true") in [(a["title"], a["state"], a["exact"]) for a in told], told)
    with screen("--profile", path, env={"XDG_STATE_HOME": str(STATE)}) as it:
        ok("the-overview-tells-it-at-the-first-look", until(60, lambda: "4 actions were cut short" in it.text()), it.text())
        it.press("X")
        ok("X-shows-them-in-the-next-start", until(60, lambda: all(t in it.text() for t in titles) and it.text().count("left open") >= 4), it.text())
        below = it.text().partition("the profile's own")[2]
        it.press("G", *["Up"] * len(re.findall(r"^   \S", below, re.M)), "Enter")  # the oldest
        ok("one-says-that-its-end-is-not-known", until(60, lambda: "d dismisses this entry" in it.text() and "start slow" in it.text()), it.text())
        it.press("d")
        ok("d-dismisses-it", until(60, lambda: "3 actions were cut short" in it.text()), it.text())
    last = audit()[-1]
    ok("and-the-audit-says-by-whom", (last["phase"], last["title"], last["state"]) == ("end", "start slow", "cancelled") and "dismissed by" in last["words"], last)
    ok("it-is-not-listed-any-more", act(path, "actions")[1].count("left open") == 3, act(path, "actions")[1])
    docker("rm", "-f", "stubborn")


def leaving_while_one_runs_asks():
    path = profile("leaving", slow={"port": free_port(), "start": "/bin/sleep 120"})
    with screen("--profile", path, env={"XDG_STATE_HOME": str(STATE)}) as it:
        until(60, lambda: it.word("slow") == "absent")
        it.press("x")
        until(60, lambda: "what to do to slow" in it.text())
        it.press("Enter")
        until(60, lambda: "Run it?" in it.text())
        it.press("y")
        until(60, lambda: "c cancels it" in it.text())
        it.press("Escape")
        until(60, lambda: "c cancels it" not in it.text())
        it.press("q")
        ok("q-asks-while-one-runs", until(60, lambda: "An action runs" in it.text()), it.text())
        it.press("n")
        ok("n-stays", until(60, lambda: it.word("slow")), it.text())


def under_read_only_and_lock_nothing_is_spawned():
    env = {"XDG_STATE_HOME": str(STATE), **stand_in("touched")}
    path = profile("forbidden", web={"port": free_port(), "start": "touched", "stop": "touched"}, there={"container": "mlflow-server", "port": free_port()})
    before, lines = state_of("mlflow-server"), len(audit())
    for words in (("start", "web"), ("stop", "there"), ("restart", "there"), ("do", "start", "web"), ("start", "all")):
        got, text = act(path, *words, "--yes", "--read-only", env=env)
        ok(f"read-only-refuses-{'-'.join(words)}", got == 4 and "--read-only" in text, text)
    for option, word in (("--read-only", "read-only"), ("--locked", "locked")):
        trace = room / f"trace{option}"
        with screen("-f", "-qq", "-e", "trace=execve,kill,pidfd_send_signal", "-o", str(trace), LAKETOP, "--profile", path, option, command="strace",
                    env={**env, **TRACED}) as it:
            until(60, lambda: it.word("web") == "absent")
            it.press("x")
            ok(f"{option}-x-says-why-not", until(60, lambda: word in it.text()), it.text())
            it.press("Enter", "y")
            time.sleep(1)
            it.press("Escape", "q")  # strace has written everything when it has ended
            until(60, lambda: not it.text().strip() or it.press("Escape", "q"), 1)
        calls = trace.read_text() if trace.exists() else ""
        ok(f"{option}-nothing-was-run-or-signalled", calls and "touched" not in calls and "pidfd_send_signal" not in calls, calls[-800:])
    ok("nothing-was-touched", not recorded("touched") and state_of("mlflow-server") == before)
    begun = [a for a in audit()[lines:] if a["phase"] == "begin"]  # a laketop of the story before may still write an end
    ok("and-nothing-is-begun-in-the-audit", not begun, begun)


try:
    with own:
        own.up()
        os.environ["DOCKER_HOST"] = f"unix://{SOCKET}"
        for each in (a_container_is_stopped_started_restarted_by_the_engines_api, a_start_that_fails_is_named,
                     a_container_that_is_gone_by_the_yes_is_told_as_404, what_the_engine_refuses_is_named,
                     who_may_not_ask_the_engine_is_told_the_remedy, compose_makes_the_container_that_does_not_exist_yet,
                     the_reference_stack_is_started_by_its_compose_files, compose_v2_is_given_this_argv, systemd_is_given_this_argv, programs_go_on_without_us,
                     what_was_cut_short_is_told_by_the_next_start, leaving_while_one_runs_asks, under_read_only_and_lock_nothing_is_spawned):
            if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
                story(each)
except CannotRun as e:
    skip("operate", e)
finally:
    shutil.rmtree(room, ignore_errors=True)
end()
