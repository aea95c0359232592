# SPDX-License-Identifier: MIT
"""A dockerd of the lab's own: socket, data, bridge and subnet; no image is pulled and no firewall rule is made.

Its containers are named as in lakehouse-at-home: real servers on the host's network, one behind a published
port, and one each that restarts for ever, is unhealthy, has exited."""
import io
import os
import shutil
import socket
import tarfile

import kit
from kit import CACHE, HOME, HOST, ROOT, CannotRun, LabError, home, run

BRIDGE, SUBNET = "laketop0", "172.31.251"
SBIN = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
SMALL, HOSTED = "laketop-lab/busybox:1", "laketop-lab/host:1"
STATES = {  # name: (options, command)
    "mlflow-server": (["-p", f"{HOST}:5000:8000"], ["httpd", "-f", "-p", "8000", "-h", "/etc"]),
    "airflow-scheduler": (["--restart", "always"], ["sh", "-c", "sleep 1; echo no database; exit 3"]),
    "jupyter": (["--health-cmd", "false", "--health-interval", "1s", "--health-retries", "2"], ["sleep", "1000000"]),
    "airflow-init": ([], ["sh", "-c", "echo migrated; exit 0"]),
    "unity-catalog": ([], ["sh", "-c", "echo no such bucket >&2; exit 1"]),
}


def endpoint():
    return "unix://" + home("run", "docker.sock")


def docker(*words, **more):
    return run(["docker", *words], {"DOCKER_HOST": endpoint()}, **more)


def check():
    """CannotRun where a dockerd of ours would be impossible or in the way."""
    if not ROOT:
        raise CannotRun("docker: only root can run a dockerd")
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if (kit.read(f"/proc/{pid}/comm") or "").strip() == "dockerd" and kit.owner_of(pid) != "dockerd":
            raise CannotRun(f"docker: another dockerd runs (pid {pid}); the lab leaves it alone")


def start(_):
    check()
    ip = shutil.which("ip", path=SBIN)
    if not ip:
        raise LabError("no program ip: apt-get install iproute2")
    clean_network()
    run([ip, "link", "add", BRIDGE, "type", "bridge"])
    run([ip, "address", "add", f"{SUBNET}.1/24", "dev", BRIDGE])
    run([ip, "link", "set", BRIDGE, "up"])
    kit.remove(home("run", "docker.sock"))
    return [shutil.which("dockerd", path=SBIN), "--data-root", home("docker", "data"), "--exec-root", home("docker", "exec"),
            "--pidfile", home("docker", "pid"), "-H", endpoint(), "--bridge", BRIDGE, "--fixed-cidr", f"{SUBNET}.0/24",
            "--iptables=false", "--ip-forward=false", "--ip-masq=false",  # published ports go through docker-proxy then
            "--shutdown-timeout", "2"], {"PATH": SBIN}


def ready(_):
    """It answers, and its containers are made."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(2)
        s.connect(home("run", "docker.sock"))
        s.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
        if b" 200 " not in s.recv(64):
            return False
    there = docker("ps", "-a", "--format", "{{.Names}}").split()
    if any(n not in there for n in STATES):
        images()
        for name, (options, command) in STATES.items():
            if name not in there:
                docker("run", "-d", "--init", "--name", name, *options, SMALL, *command)
    return True


def image(tag, folders, links, files, *more):
    """An image from nothing: docker import of a tar that is made here."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        def add(name, kind, mode=0o755, target="", content=b""):
            info = tarfile.TarInfo(name)
            info.type, info.mode, info.linkname, info.size = kind, mode, target, len(content)
            tar.addfile(info, io.BytesIO(content))

        for name in folders:
            add(name, tarfile.DIRTYPE, 0o1777 if name.endswith("tmp") else 0o755)
        for name, target in links.items():
            add(name, tarfile.SYMTYPE, target=target)
        for name, content in files.items():
            add(name, tarfile.REGTYPE, content=content)
    path = home("docker", "image.tar")
    with open(path, "wb") as f:
        f.write(out.getvalue())
    docker("import", *more, path, tag)
    os.unlink(path)


def images():
    with open(shutil.which("busybox", path=SBIN), "rb") as f:
        busybox = f.read()
    image(SMALL, ("bin", "etc", "tmp", "proc", "sys", "dev"), {f"bin/{n}": "busybox" for n in ("sh", "sleep", "echo", "false", "httpd")},
          {"bin/busybox": busybox, "etc/passwd": b"root:x:0:0:root:/:/bin/sh\n"})
    # /sbin stays a folder: --init mounts its init there
    image(HOSTED, ("usr", "sbin", "etc", "opt", "tmp", "var", "var/tmp", "root", "proc", "sys", "dev", "run"),
          {"bin": "usr/bin", "lib": "usr/lib", "lib64": "usr/lib64"}, {}, "-c", "ENV PATH=/usr/local/bin:/usr/bin:/bin")


def hosted(container, argv):
    """A server of this host in a container on the host's network. In the foreground: a signal to docker run reaches it."""
    try:
        docker("rm", "-f", container)
    except LabError:
        pass
    mounts = [w for p in ("/usr", "/etc", "/opt") if os.path.exists(p) for w in ("-v", f"{p}:{p}:ro")]
    return ["docker", "run", "--init", "--name", container, "--network", "host", *mounts, "-v", f"{HOME}:{HOME}", "-v", f"{CACHE}:{CACHE}:ro",
            HOSTED, *argv], {"DOCKER_HOST": endpoint()}


def clean_network():
    ip = shutil.which("ip", path=SBIN)
    if ip and os.path.exists("/sys/class/net/" + BRIDGE):
        run([ip, "link", "delete", BRIDGE])


def clean():
    """Nothing of it stays: no mount, no bridge, no data."""
    if not os.path.isdir(home("docker")):
        return
    mounted = [line.split()[4] for line in (kit.read("/proc/self/mountinfo") or "").splitlines()]
    for where in sorted((m for m in mounted if m.startswith(home("docker") + "/")), reverse=True):
        run(["umount", "-l", where])
    clean_network()
    shutil.rmtree(home("docker"), ignore_errors=True)
    kit.remove(home("run", "docker.sock"))
