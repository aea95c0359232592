#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What make does beside building: install and uninstall, its help, the one line about a missing library, targets that parse."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from check import ROOT, end, ok, story

THEMES = sorted(path.name for path in (ROOT / "themes").glob("*.theme"))
PACKAGE = {"ncursesw": "libncurses-dev", "libcurl": "libcurl4-openssl-dev", "libcjson": "libcjson-dev", "rdkafka": "librdkafka-dev",
           "libpq": "libpq-dev", "inih": "libinih-dev", "zlib": "zlib1g-dev", "libpcre2-8": "libpcre2-dev", "libzstd": "libzstd-dev", "snappy": "libsnappy-dev"}


def make(*args, env=None):
    return subprocess.run(["make", "--no-print-directory", *args], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600,
                          env={**os.environ, **(env or {})})


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def run(program, *args):
    """The installed one, far from the checkout and with nothing in its environment."""
    return subprocess.run([program, *args], cwd="/", capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=30,
                          env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"})


def installing(destination):
    done = make("install", f"DESTDIR={destination}", "PREFIX=/usr")
    ok("make-install-succeeds", done.returncode == 0, done.stderr[-500:])
    ok("it-installs-the-program-and-the-themes-and-nothing-else",
       files(destination) == sorted(["usr/bin/laketop", *(f"usr/share/laketop/themes/{name}" for name in THEMES)]), files(destination))
    program = destination / "usr" / "bin" / "laketop"
    ok("the-program-may-be-run-by-all", program.stat().st_mode & 0o777 == 0o755, oct(program.stat().st_mode))
    done = run(program, "--version")
    ok("the-installed-program-says-its-version", done.returncode == 0 and done.stdout.startswith("laketop "), done)
    done = run(program, "themes")
    ok("the-installed-program-lists-the-themes", done.returncode == 0 and all(re.search(rf"\b{re.escape(t[:-6])}\b", done.stdout) for t in THEMES), done)
    done = run(program, "status", "--json", "--within", "2s")
    ok("the-installed-program-looks-around", done.returncode in (0, 1, 3) and '"schema": 1' in done.stdout, f"{done.returncode} {done.stderr}")
    text = program.read_bytes()
    ok("no-path-of-the-checkout-is-in-it", str(ROOT).encode() not in text, re.findall(re.escape(str(ROOT)).encode() + rb"[^\0]*", text)[:3])
    done = make("install", f"DESTDIR={destination}", "PREFIX=/usr")
    ok("installing-twice-is-as-good-as-once", done.returncode == 0, done.stderr[-500:])
    done = make("uninstall", f"DESTDIR={destination}", "PREFIX=/usr")
    ok("make-uninstall-succeeds", done.returncode == 0, done.stderr[-500:])
    ok("uninstall-leaves-nothing", files(destination) == [] and not list(destination.rglob("*laketop*")), list(destination.rglob("*")))


def install_and_uninstall():
    destination = pathlib.Path(tempfile.mkdtemp(prefix="laketop-install-"))
    try:
        installing(destination)
    finally:
        shutil.rmtree(destination)


def uninstall_spares_what_others_put_there():
    destination = pathlib.Path(tempfile.mkdtemp(prefix="laketop-install-"))
    try:
        make("install", f"DESTDIR={destination}", "PREFIX=/opt/x")
        ok("PREFIX-is-honoured", (destination / "opt/x/bin/laketop").exists(), files(destination))
        other = destination / "opt/x/bin/other"
        other.write_text("")
        make("uninstall", f"DESTDIR={destination}", "PREFIX=/opt/x")
        ok("uninstall-spares-what-others-put-there", files(destination) == ["opt/x/bin/other"], files(destination))
    finally:
        shutil.rmtree(destination)


def help_lists():
    done = make("help")
    for target in ("laketop", "run", "demo", "demo-stop", "test", "test-full", "asan", "tsan", "bench", "lint", "format", "install", "uninstall", "clean", "help"):
        ok(f"help-tells-of-{target}", re.search(rf"^\s+make {target}\s+\S.*\S", done.stdout, re.M), done.stdout)


def a_missing_library_is_one_line():
    with tempfile.TemporaryDirectory(prefix="laketop-pc-") as folder:
        known = pathlib.Path(folder)
        done = make(env={"PKG_CONFIG_LIBDIR": folder})
        lines = (done.stdout + done.stderr).strip().splitlines()
        ok("without-any-library-one-line-names-all-packages", done.returncode == 2 and len(lines) == 1 and "apt-get install" in lines[0] and
           all(package in re.split(r"[ .]+", lines[0]) for package in PACKAGE.values()), lines)
        for library, package in PACKAGE.items():  # all but one
            for other in PACKAGE:
                (known / f"{other}.pc").write_text(f"Name: {other}\nDescription: x\nVersion: 99\n")
            (known / f"{library}.pc").unlink()
            done = make(env={"PKG_CONFIG_LIBDIR": folder})
            lines = (done.stdout + done.stderr).strip().splitlines()
            ok(f"a-missing-{library}-is-one-line-that-names-{package}", done.returncode == 2 and len(lines) == 1 and
               lines[0].endswith(f"apt-get install {package}.  Stop."), lines)
        for target in ("help", "clean", "uninstall", "demo-stop"):
            done = make("-n", target, env={"PKG_CONFIG_LIBDIR": folder})
            ok(f"{target}-needs-no-library", done.returncode == 0, done.stderr)


def every_target_parses():
    text = (ROOT / "Makefile").read_text()
    targets = sorted(set(re.findall(r"^([a-z][a-z-]*):", text, re.M)))
    ok("there-are-targets", len(targets) > 12, targets)
    for target in targets:
        done = make("-n", target)
        ok(f"make-n-{target}-parses", done.returncode == 0, done.stderr[-300:])
    done = make("-n", "laketop", "FLAVOUR=fast")
    ok("an-unknown-flavour-is-said", done.returncode == 2 and "FLAVOUR is release, asan or tsan" in done.stderr, done.stderr)


for each in (install_and_uninstall, uninstall_spares_what_others_put_there, help_lists, a_missing_library_is_one_line, every_target_parses):
    if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
        story(each)
end()
