# SPDX-License-Identifier: MIT
"""What every part of the lab needs: where things are, processes that are ours, small protocols."""
import datetime
import fcntl
import hashlib
import hmac
import http.client
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.path.abspath(os.environ.get("LAKETOP_LAB_HOME", "/var/tmp/laketop-lab"))
CACHE = os.path.abspath(os.environ.get("LAKETOP_LAB_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "laketop-lab"))
ROOT = os.geteuid() == 0
HOST = "127.0.0.1"


class LabError(Exception):
    """Something a user can act on; printed as one line."""


class CannotRun(LabError):
    """This machine does not allow it: a test skips and says so. Exit code 3."""


# ---- files ----

def home(*parts):
    return os.path.join(HOME, *parts)


def cache(*parts):
    return os.path.join(CACHE, *parts)


def make_home():
    os.makedirs(HOME, exist_ok=True)
    if ROOT:
        os.chmod(HOME, 0o755)  # PostgreSQL runs as another user
    for name in ("run", "log", "etc", "progress", "data", "jars", "fault", "seeded"):
        os.makedirs(home(name), exist_ok=True)
    os.makedirs(home("secret"), mode=0o700, exist_ok=True)


def read(path, default=None):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    except OSError:
        return default


def write(path, text, mode=0o644):
    """Whole or not at all, and only when it differs: laketop compares a configuration's mtime with its process."""
    if read(path) == text:
        return path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as f:
        f.write(text)
    os.rename(path + ".new", path)
    return path


def remove(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def secret_file(name, length=20):
    """The file of a password, which is made when it is first asked for: the password and a newline."""
    path = home("secret", name)
    if not os.path.exists(path):
        write(path, secrets.token_hex(length // 2) + "\n", 0o600)
    return path


def secret(name, length=20):
    return read(secret_file(name, length)).strip()


def tail(path, lines=3):
    return "\n".join((read(path) or "").rstrip().splitlines()[-lines:])


class Locked:
    """One driver at a time changes the lab. The holder's pid is in the file, so that `down` can end an `up`."""

    def __init__(self, name="lock", wait=True):
        self.path, self.wait, self.file = home(name), wait, None

    def __enter__(self):
        self.file = open(self.path, "a+", encoding="utf-8")
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not self.wait:
                self.file.close()
                raise LabError(f"another lab is at work (pid {(read(self.path) or '?').strip()})") from None
            print(f"waiting for another lab (pid {(read(self.path) or '?').strip()})", file=sys.stderr)
            fcntl.flock(self.file, fcntl.LOCK_EX)
        self.file.truncate(0)
        self.file.write(str(os.getpid()))
        self.file.flush()
        return self

    def __exit__(self, *_):
        self.file.truncate(0)
        self.file.close()


# ---- processes: each carries the lab's home and its own name in its environment ----

def marked(name):
    return {"LAKETOP_LAB_HOME": HOME, "LAKETOP_LAB_CACHE": CACHE, "LAKETOP_LAB_NAME": name}


def alive(pid):
    """A zombie has ended, who has not collected it is another matter; but not while threads of it still hold its sockets."""
    stat = read(f"/proc/{pid}/stat")
    if not stat or stat.rpartition(")")[2].split()[0] == "X":
        return False
    try:
        return stat.rpartition(")")[2].split()[0] != "Z" or len(os.listdir(f"/proc/{pid}/task")) > 1
    except OSError:
        return False


def owner_of(pid):
    """The name under which this lab started the process, or None: a user's shell may well carry the home, never a name."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as f:
            words = f.read().split(b"\0")
    except OSError:
        return None
    if b"LAKETOP_LAB_HOME=" + HOME.encode() not in words or not alive(pid):
        return None
    return next((w[17:].decode() for w in words if w.startswith(b"LAKETOP_LAB_NAME=")), None)


def pid_of(name):
    """The live process of a service, or None. A pid that was reused by another program does not count."""
    pid = (read(home("run", name + ".pid")) or "").strip()
    return int(pid) if pid.isdigit() and owner_of(pid) == name else None


def ours():
    return {int(p): n for p in os.listdir("/proc") if p.isdigit() and int(p) != os.getpid() and (n := owner_of(p))}


def spawn(name, argv, env=None, cwd=None):
    log = open(home("log", name + ".log"), "ab")
    log.write(f"-- lab: starting {name} at {time.strftime('%F %T')}\n".encode())
    log.flush()
    p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=cwd or "/",
                         env={**os.environ, **(env or {}), **marked(name)}, start_new_session=True)
    log.close()
    write(home("run", name + ".pid"), f"{p.pid}\n")
    return p


def signal_all(pids, sig):
    for pid in pids:
        try:
            os.kill(pid, sig)
        except ProcessLookupError:
            pass


def end(pids, patience, sig=signal.SIGTERM):
    """Asks the processes to end, waits for them to be gone, then insists."""
    signal_all(pids, signal.SIGCONT)
    signal_all(pids, sig)
    until = time.monotonic() + patience
    while pids := [p for p in pids if alive(p)]:  # one that is just exiting has no environment any more
        if time.monotonic() > until:
            signal_all(pids, signal.SIGKILL)
            until = time.monotonic() + 5
        for pid in pids:  # where they are our children, their end must be collected
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                pass
        time.sleep(0.05)


def stop(name, sig=signal.SIGTERM, patience=20):
    """Ends a service with everything it started."""
    lead = [p for p in [pid_of(name)] if p]
    end(lead, patience, sig)
    end([p for p, n in ours().items() if n == name], 5)
    remove(home("run", name + ".pid"))
    return bool(lead)


def run(argv, env=None, **more):
    """Runs a short command to its end; LabError with its last words where it fails."""
    p = subprocess.run(argv, stdin=more.pop("stdin", subprocess.DEVNULL) if "input" not in more else None, capture_output=True,
                       text=True, env={**os.environ, **(env or {}), **marked("command")}, **more)
    if p.returncode:
        words = (p.stderr or p.stdout).strip().splitlines()
        raise LabError(f"{os.path.basename(argv[0])} ended with {p.returncode}: {words[-1] if words else 'no words'}")
    return p.stdout


# ---- progress: one line that laketop shows while a service is on its way ----

class Progress:
    def __init__(self, name, out=None):
        self.path, self.name, self.out = home("progress", name), name, out
        self.said, self.at, self.phase, self.told = None, 0.0, None, 0.0

    def say(self, line):
        now = time.monotonic()
        phase = line.split(":")[0]
        if line == self.said or (phase == self.phase and now - self.at < 0.5):
            return
        write(self.path, line + "\n")
        if self.out and (phase != self.phase or now - self.told > 5):  # a log need not have every tick
            self.out(f"{self.name}: {line}")
            self.told = now
        self.said, self.at, self.phase = line, now, phase

    def done(self):
        remove(self.path)


# ---- protocols, as far as readiness needs them ----

def http_get(port, path):
    return http_ask(port, "GET", path)


def http_ask(port, method, path, body=None, timeout=2.0):
    """(status, body); OSError where nobody answers."""
    c = http.client.HTTPConnection(HOST, port, timeout=timeout)
    try:
        c.request(method, path, body, {"Accept": "application/json", **({"Content-Type": "application/json"} if body else {})})
        r = c.getresponse()
        return r.status, r.read().decode("utf-8", "replace")
    except http.client.HTTPException as e:
        raise OSError(str(e)) from e
    finally:
        c.close()


def tcp_ask(port, question, size, timeout=2.0):
    with socket.create_connection((HOST, port), timeout) as s:
        s.sendall(question)
        answer = b""
        while len(answer) < size and (part := s.recv(size - len(answer))):
            answer += part
        return answer


def port_open(port):
    with socket.socket() as s:
        s.settimeout(0.5)
        return s.connect_ex((HOST, port)) == 0


def port_owner(port):
    """Who listens there, in words, or None. For messages only."""
    out = subprocess.run(["ss", "-Hltnp", f"sport = :{port}"], capture_output=True, text=True).stdout
    who = re.search(r'"([^"]+)",pid=(\d+)', out)
    return f"{who[1]} (pid {who[2]})" if who else "another process" if out.strip() else None


def kafka_ready(port):
    """ApiVersions v0: correlation id 7 comes back with error 0."""
    question = bytes.fromhex("0000000d" "0012" "0000" "00000007" "0003") + b"lab"
    answer = tcp_ask(port, question, 10)
    return answer[4:] == bytes.fromhex("00000007" "0000")


def s3(port, method, path, key, secret_key, body=b"", timeout=10.0):
    """One S3 request, signed with AWS Signature Version 4. The path must need no quoting. Returns the status."""
    now = datetime.datetime.now(datetime.timezone.utc)
    stamp, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
    host, digest = f"{HOST}:{port}", hashlib.sha256(body).hexdigest()
    headers = {"host": host, "x-amz-content-sha256": digest, "x-amz-date": stamp}
    names = ";".join(sorted(headers))
    canonical = "\n".join([method, path, "", *(f"{k}:{headers[k]}" for k in sorted(headers)), "", names, digest])
    scope = f"{day}/us-east-1/s3/aws4_request"
    to_sign = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    sign = ("AWS4" + secret_key).encode()
    for part in (*scope.split("/"), to_sign):
        sign = hmac.new(sign, part.encode(), hashlib.sha256).digest()
    headers["authorization"] = f"AWS4-HMAC-SHA256 Credential={key}/{scope},SignedHeaders={names},Signature={sign.hex()}"
    c = http.client.HTTPConnection(HOST, port, timeout=timeout)
    try:
        c.request(method, path, body, headers)
        r = c.getresponse()
        r.read()
        return r.status
    except http.client.HTTPException as e:
        raise OSError(str(e)) from e
    finally:
        c.close()


def rss_mb(pid):
    found = re.search(r"VmRSS:\s+(\d+)", read(f"/proc/{pid}/status") or "")
    return int(found[1]) // 1024 if found else 0


def copy_new(source, target):
    """Copies a directory of files unless it is there: whole or not at all."""
    if not os.path.isdir(target):
        shutil.rmtree(target + ".tmp", ignore_errors=True)
        shutil.copytree(source, target + ".tmp")
        os.rename(target + ".tmp", target)
    return target
