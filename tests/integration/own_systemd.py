# SPDX-License-Identifier: MIT
"""A systemd of a test's own as PID 1: in namespaces of its own, with its own /etc, /run, /dev, journal, network and process numbers.
It sees this machine's other files and cannot write them; when unshare ends, the kernel ends all that is in there."""
import os
import pathlib
import shutil
import subprocess
import tempfile

from check import until

USER, UID = "lake", 4711
MANAGER = """[Unit]
Description=the manager of a user who logged in
[Service]
User=%i
Slice=user-%i.slice
Type=notify
Delegate=yes
RuntimeDirectory=user/%i
RuntimeDirectoryMode=0700
Environment=XDG_RUNTIME_DIR=/run/user/%i
ExecStart=/lib/systemd/systemd --user
KillMode=mixed
"""
TARGET = """[Unit]
Wants=systemd-journald.service systemd-journal-flush.service
[Install]
"""
# by exec, so that systemd is number 1; nothing that it mounts is seen outside
BOOT = r"""set -eu
room=$1
mount --bind "$room" "$room"
mkdir "$room/etc.new"
mount -t tmpfs -o mode=755 tmpfs "$room/etc.new"
cp -a "$room/etc/." "$room/etc.new"
mount --move "$room/etc.new" /etc
mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/dev
for one in null zero full random urandom tty; do : > /run/dev/$one; mount --bind /dev/$one /run/dev/$one; done
mkdir /run/dev/shm
ln -s /proc/self/fd /run/dev/fd
mount --rbind /run/dev /dev
for one in /var/log /var/lib/systemd /lib/systemd/system-generators /lib/systemd/user-generators /lib/systemd/system/*.wants; do
	[ ! -d "$one" ] || mount -t tmpfs -o mode=755 tmpfs "$one"
done
mkdir -p /var/log/journal
mount -t proc proc /proc
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
mount -o remount,bind,ro /
umount -R -l /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
python3 -c 'import fcntl, socket, struct
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sH22x", b"lo", 0x49))'
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin container=lxc /lib/systemd/systemd --system --log-target=journal
"""


def missing():
    """Why there cannot be one; empty where there may."""
    if os.geteuid() != 0:
        return "only root can make namespaces for it"
    for tool in ("systemctl", "journalctl", "unshare", "nsenter", "setpriv"):
        if not shutil.which(tool):
            return f"there is no {tool}"
    return "" if os.path.exists("/lib/systemd/systemd") else "there is no /lib/systemd/systemd"


def _cgroup2():
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        if " - cgroup2 " in line:
            return pathlib.Path(line.split()[4])
    return None


class OwnSystemd:
    def __init__(self):
        self.room = pathlib.Path(tempfile.mkdtemp(prefix="laketop-systemd-", dir="/var/tmp"))
        self.room.chmod(0o755)
        self.group = self.child = self.pid = None

    def _etc(self):
        """This machine's, without its units, mounts and names."""
        etc = self.room / "etc"
        shutil.copytree("/etc", etc, symlinks=True, ignore=lambda folder, names: {"systemd", "fstab", "machine-id", "hostname"} & set(names)
                        if folder == "/etc" else set())
        (etc / "machine-id").write_text("6c616b65746f706c616b65746f700000\n")
        with (etc / "passwd").open("a") as to:
            to.write(f"{USER}:x:{UID}:{UID}::{self.room / USER}:/bin/sh\n")
        with (etc / "group").open("a") as to:
            to.write(f"{USER}:x:{UID}:\n")
        units = etc / "systemd" / "system"
        units.mkdir(parents=True)
        for name in ("systemd-journald-audit.socket", "sys-kernel-tracing.mount"):  # the kernel's own is left alone
            (units / name).symlink_to("/dev/null")
        (etc / "systemd" / "journald.conf").write_text("[Journal]\nAudit=\nReadKMsg=no\n")
        (units / "default.target").write_text(TARGET)
        (units / "user@.service").write_text(MANAGER)
        home = self.room / USER
        (home / ".config" / "systemd" / "user").mkdir(parents=True)
        for folder in (home, home / ".config", home / ".config" / "systemd", home / ".config" / "systemd" / "user"):
            os.chown(folder, UID, UID)

    def up(self):
        """Why it did not come up; empty where it did."""
        at = _cgroup2()
        if not at:
            return "no cgroup2 is mounted here"
        self._etc()
        try:
            self.group = at / self.room.name
            self.group.mkdir()
        except OSError as e:
            self.group = None
            return f"no control group can be made: {e}"
        (self.room / "boot").write_text(BOOT)
        said = (self.room / "said").open("w")
        # its namespace of groups begins where it stands
        self.child = subprocess.Popen(["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec unshare -m -p -u -i -n -C --fork --kill-child sh "$1" "$2"',
                                       self.group, self.room / "boot", self.room], stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        said.close()
        if until(30, self._serves):
            return ""
        return f"it does not come up: {(self.room / 'said').read_text().strip()[-300:]}"

    def _serves(self):
        children = pathlib.Path(f"/proc/{self.child.pid}/task/{self.child.pid}/children")
        if self.child.poll() is not None:
            return True  # run() will say so
        try:
            self.pid = children.read_text().split()[0]
            if pathlib.Path(f"/proc/{self.pid}/comm").read_text().strip() != "systemd":
                return False
        except (OSError, IndexError):
            return False
        return self("systemctl", "is-system-running").stdout.strip() in ("running", "degraded")

    def enter(self, *argv, user=False, env=None):
        """The argv that runs another in there, as root or as that user."""
        who = ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups"] if user else []
        more = {"HOME": self.room / USER, "XDG_RUNTIME_DIR": f"/run/user/{UID}"} if user else {"HOME": "/root"}
        more = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": os.environ.get("TERM", "xterm"), **more, **(env or {})}
        return ["nsenter", "-t", self.pid, "-m", "-p", "-u", "-i", "-n", "-C", *who, "env", "-i", *(f"{k}={v}" for k, v in more.items()), *map(str, argv)]

    def __call__(self, *argv, timeout=60, **more):
        return subprocess.run(self.enter(*argv, **more), capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL)

    def write(self, name, body, user=False):
        """A unit, and whose it is."""
        folder = self.room / USER / ".config" / "systemd" / "user" if user else pathlib.Path("/etc/systemd/system")
        if user:
            (folder / name).write_text(body)
        else:
            subprocess.run(self.enter("sh", "-c", 'cat > "$0"', folder / name), input=body, text=True, check=True, timeout=60)

    def down(self):
        if self.child:
            self.child.kill()  # unshare does not hear SIGTERM; what is in there goes with it
            self.child.wait(30)
        if self.group:
            until(30, self._gone)
        shutil.rmtree(self.room, ignore_errors=True)

    def _gone(self):
        for folder, _, _ in os.walk(self.group, topdown=False):
            try:
                os.rmdir(folder)
            except OSError:
                return False
        return True

    def left(self):
        """What of it is still there: its room, its group, a mount."""
        return [str(at) for at in (self.room, self.group) if at and at.exists()] + \
            [line for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines() if self.room.name in line]
