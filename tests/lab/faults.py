# SPDX-License-Identifier: MIT
"""What can go wrong, made on purpose and undone entirely. "frozen" takes its usual victim, "frozen:postgres" another.

Run as a program it is the server of a fault: mute PORT, http-500 PORT, connections FOLDER PORT USER DATABASE."""
import http.server
import json
import os
import shlex
import signal
import socket
import struct
import subprocess
import sys
import time

import kit
from kit import HOST, LabError, ROOT, home, pid_of, read, remove, write


# ---- the making: each returns (what it did, how to undo it) ----
# undo: helpers to end, frozen services to continue, mounts to take away, services to start again

def victim(name):
    from services import TABLE
    if name not in TABLE or not TABLE[name].kind:
        raise LabError(f"no service {name}")
    if not pid_of(name):
        raise LabError(f"{name} does not run")
    return TABLE[name]


def end(*names):
    from services import TABLE
    for name in names:
        kit.stop(name, TABLE[name].stop_signal, TABLE[name].end_after)


def impostor(name, argv, at, env=None):
    """Starts what sits on the port of another, and waits until it does. By its pid file the service has ended."""
    child = kit.spawn("fault-" + name, argv, env)
    for _ in range(300):
        if kit.port_open(at):
            return {"helpers": ["fault-" + name]}
        if child.poll() is not None:
            break
        time.sleep(0.1)
    raise LabError(f"the impostor did not come up; see {home('log', f'fault-{name}.log')}")


YOUNG = 61  # seconds for which laketop says of what does not answer that it is starting


def stand_in(name, what):
    """The service itself as it were: it has its pid file and is not young."""
    from services import TABLE, port
    s, spare = victim(name), TABLE["spare-" + what]
    if not pid_of(spare.name):
        kit.spawn(spare.name, *spare.start(spare))
    while time.time() < os.path.getmtime(home("run", spare.name + ".pid")) + YOUNG:
        time.sleep(0.2)
    end(name)
    line = os.open(home("run", spare.name + ".line"), os.O_RDWR)  # never waits for a reader
    os.write(line, shlex.join(["env", "LAKETOP_LAB_NAME=" + name, *this(what, port(s))]).encode() + b"\n")
    os.rename(home("run", spare.name + ".pid"), home("run", name + ".pid"))
    for _ in range(300):
        if kit.port_open(port(s)) and pid_of(name):
            os.close(line)
            return {"restart": [name]}
        time.sleep(0.1)
    raise LabError(f"what should be {name} did not come up; see {home('log', spare.name + '.log')}")


def this(*words):
    return [sys.executable, os.path.abspath(__file__), *map(str, words)]


def stale_connect(name="spark-connect"):
    """Spark Connect runs on, but its configuration and a jar changed after it started"""
    victim(name)
    path = home("etc", name, "spark-defaults.conf")
    write(path, read(path).replace("spark.sql.shuffle.partitions 2", "spark.sql.shuffle.partitions 8"), 0o600)
    jar = sorted(os.listdir(home("jars", "iceberg-4.1")))[0]
    os.utime(home("jars", "iceberg-4.1", jar))
    return f"changed {path} and {jar}; {name} still runs with the old ones", {"restart": [name]}


def wrong_spark(name="spark-master-41"):
    """a Spark 4.0 master (fetched if need be) answers on the ports of Spark 4.1's"""
    from fetching import Fetcher
    from services import port, spark_class, spark_env
    s = victim(name)
    Fetcher().get("spark-4.0").result()
    worker = name.replace("master", "worker")
    end(worker, name)
    env = {**spark_env("4.0", "wrong-spark"), "SPARK_DAEMON_MEMORY": "256m"}
    argv = spark_class("4.0", "org.apache.spark.deploy.master.Master", "-h", HOST, "-p", port(s, "rpc"), "--webui-port", port(s))
    return f"Spark 4.0 holds {port(s)} and {port(s, 'rpc')}; {name} and {worker} ended", {
        **impostor("wrong-spark", argv, port(s), env), "restart": [name, worker]}


def stolen_port(name="spark-worker-41"):
    """the service is down and a foreign web server holds its port"""
    from services import port
    s = victim(name)
    end(name)
    os.makedirs(home("data", "foreign"), exist_ok=True)
    argv = [sys.executable, "-m", "http.server", str(port(s)), "--bind", HOST, "--directory", home("data", "foreign")]
    return f"{name} ended; a foreign web server holds {port(s)}", {**impostor(f"stolen-{name}", argv, port(s)), "restart": [name]}


def frozen(name="kafka"):
    """SIGSTOP: the process is there and does nothing"""
    victim(name)
    kit.signal_all([p for p, n in kit.ours().items() if n == name], signal.SIGSTOP)
    return f"stopped {name} (pid {pid_of(name)}) by SIGSTOP", {"frozen": [name], "wait": [name]}


def killed(name="spark-worker-41"):
    """SIGKILL: gone without a word (for Kafka's second broker: killed:kafka-three-2)"""
    victim(name)
    pid = pid_of(name)
    kit.end([pid], 5, signal.SIGKILL)
    return f"killed {name} (pid {pid})", {"restart": [name]}


def mute(name="spark-connect"):
    """the service runs on and listens, and never says a word"""
    return f"{name} says nothing any more", stand_in(name, "mute")


def http_500(name="spark-history"):
    """the service runs on and answers 500 to everything"""
    return f"{name} answers 500 to everything", stand_in(name, "http-500")


def kafka_no_quorum(name="kafka-three-controller"):
    """the three's only controller is killed: brokers answer and cannot change anything"""
    return killed(name)


def pg_max_connections(name="postgres"):
    """every connection slot of PostgreSQL is taken"""
    from services import DATABASE, USER, port, psql
    s = victim(name)
    kit.spawn("fault-connections", this("connections", home("data", name), port(s), USER, DATABASE))
    for _ in range(100):
        time.sleep(0.1)
        try:
            psql("SELECT 1")
        except LabError:
            return f"every connection of {name} is taken", {"helpers": ["fault-connections"], "wait": [name]}
    raise LabError(f"connections are left; see {home('log', 'fault-connections.log')}")


def storage_stopped(name="seaweedfs"):
    """the storage under Nessie and the REST fixture is killed: catalogs list on, and read nothing"""
    return killed(name)


def refused_key(name="seaweedfs"):
    """SeaweedFS, its S3 and its REST catalog, know another key than the profile gives"""
    from services import port
    s = victim(name)
    end(name)
    argv, env = s.start(s)
    config = json.loads(read(home("secret", "s3.json")))
    for known in config["identities"]:
        known["credentials"] = [{"accessKey": "another", "secretKey": "another" * 5}]
    write(home("secret", "s3.json"), json.dumps(config), 0o600)
    kit.spawn(name, argv, env)
    for _ in range(300):
        if kit.port_open(port(s, "iceberg")):
            return f"{name} refuses the key of the profile", {"restart": [name]}
        time.sleep(0.1)
    raise LabError(f"{name} did not come up; see {home('log', name + '.log')}")


def full_disk(_=None):
    """the disk under Spark's scratch folder (a small tmpfs of its own) is full; root only"""
    if not ROOT:
        raise LabError("only root may mount the small disk that this fills")
    where = home("data", "scratch")
    os.makedirs(where, exist_ok=True)
    kit.run(["mount", "-t", "tmpfs", "-o", "size=16m,mode=755", "laketop-lab", where])
    with open(os.path.join(where, "full"), "wb") as f:
        try:
            while True:
                f.write(bytes(65536))
                f.flush()
        except OSError:
            pass
    return f"{where} is a disk of 16 MB, and full", {"mounts": [where]}


FAULTS = {f.__name__.replace("_", "-"): f for f in (
    stale_connect, wrong_spark, stolen_port, frozen, killed, mute, http_500, kafka_no_quorum, pg_max_connections, storage_stopped, refused_key, full_disk)}
FAULTS["killed-worker"] = lambda name="spark-worker-41": killed(name)
FAULTS["killed-worker"].__doc__ = "killed:spark-worker-41"


# ---- the bookkeeping ----

def made():
    return sorted(os.listdir(home("fault"))) if os.path.isdir(home("fault")) else []


def break_(word):
    name, _, target = word.partition(":")
    if name not in FAULTS:
        raise LabError(f"no fault {name}; there are: {', '.join(FAULTS)}")
    note = home("fault", word)
    if os.path.exists(note):
        return f"{word}: already so"
    try:
        line, undo = FAULTS[name](*([target] if target else []))
    except LabError as e:
        raise LabError(f"{word}: {e}") from None
    write(note, json.dumps(undo))
    return f"{word}: {line}"


def heal(words, bring_up):
    """First everything is undone, then what is needed starts: two faults may have met in one service."""
    from services import TABLE
    again, healed = {}, []
    for word in words:
        note = home("fault", word)
        if not os.path.exists(note):
            healed.append(f"{word}: was not so")
            continue
        undo = json.loads(read(note))
        for helper in undo.get("helpers", ()):
            kit.stop(helper)
        kit.signal_all([p for p, n in kit.ours().items() if n in undo.get("frozen", ())], signal.SIGCONT)
        for where in undo.get("mounts", ()):
            unmount(where)
        end(*(n for n in undo.get("restart", ()) if pid_of(n)))
        again.update((n, TABLE[n]) for n in (*undo.get("restart", ()), *undo.get("wait", ())))
        remove(note)
        healed.append(f"{word}: healed")
    failed = bring_up(list(again.values()), lambda line: None)
    if failed:
        raise LabError("; ".join(f"{name}: {e}" for name, e in failed.items()))
    return healed


def unmount(where):
    if os.path.ismount(where):
        subprocess.run(["umount", "-l", where], check=False, capture_output=True)  # lazily: a job may have a file open


def forget_all():
    """For down, which ends all processes anyway."""
    for word in made():
        for where in json.loads(read(home("fault", word)) or "{}").get("mounts", ()):
            unmount(where)
        remove(home("fault", word))


# ---- the servers ----

def serve_mute(number):
    with socket.create_server((HOST, int(number)), backlog=64) as s:
        kept = []
        while True:
            kept.append(s.accept()[0])


class Answer500(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = b"Internal Server Error\n"
        self.send_response(500)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_PUT = do_HEAD = do_GET

    def log_message(self, *_):
        pass


def serve_500(number):
    http.server.ThreadingHTTPServer((HOST, int(number)), Answer500).serve_forever()


def hold_connections(folder, number, user, database):
    """Logs in over the socket, which trusts, until the server refuses; again each second, for others leave."""
    words = b"".join(w.encode() + b"\0" for w in ("user", user, "database", database, "application_name", "lab fault")) + b"\0"
    kept = []
    while True:
        s = socket.socket(socket.AF_UNIX)
        try:
            s.connect(f"{folder}/.s.PGSQL.{number}")
            s.sendall(struct.pack("!ii", len(words) + 8, 196608) + words)
            first = s.recv(1)
        except OSError:
            first = b""
        if first == b"R":
            kept.append(s)
        else:
            s.close()
            time.sleep(1)


if __name__ == "__main__":
    {"mute": serve_mute, "http-500": serve_500, "connections": hold_connections}[sys.argv[1]](*sys.argv[2:])
