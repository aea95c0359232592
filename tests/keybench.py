# SPDX-License-Identifier: MIT
"""Keys on laketop's screen: how long until something is painted. What the screen's thread waited for a processor, which other programs
had, is told apart: only the rest is laketop's own."""
import importlib.machinery
import importlib.util
import os
import pathlib
import select
import statistics
import sys
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZE, ASKED_MS = (160, 45), 30


def module(path):
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    found = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.name, loader))
    loader.exec_module(found)
    return found


tty = module(ROOT / "tests" / "ttybench")


def thread_times(pid):
    """Of the screen's thread: ms that it ran, ms that it was ready to and did not."""
    ran, waited, _ = open(f"/proc/{pid}/task/{pid}/schedstat").read().split()
    return int(ran) / 1e6, int(waited) / 1e6


def press(pid, fd, n, keys=b"jjjjjkkkk"):
    walls, own, ran = [], [], []
    for i in range(n):
        tty.read_until(fd, 0.045)
        before, sent = thread_times(pid), time.monotonic()
        os.write(fd, keys[i % len(keys):i % len(keys) + 1])
        if not select.select([fd], [], [], 2.0)[0]:
            walls.append(2000.0)
            continue
        wall, after = (time.monotonic() - sent) * 1000, thread_times(pid)
        walls.append(wall)
        own.append(max(wall - (after[1] - before[1]), 0))
        ran.append(after[0] - before[0])
        tty.read_until(fd, 0.004)
    return walls, own, ran


def tell(what, walls, own, ran):
    def figures(ms):
        ms = sorted(ms)
        return f"p50 {statistics.median(ms):.1f}, p99 {ms[int(0.99 * len(ms))]:.1f}, max {ms[-1]:.1f} ms"
    p99 = sorted(own)[int(0.99 * len(own))]
    print(f"  {what:<22} {figures(walls)}; without waiting for a processor {figures(own)}; processor time {figures(ran)};"
          f" asked for is p99 < {ASKED_MS} ms: {'kept' if p99 < ASKED_MS else 'NOT KEPT'}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()}", flush=True)
