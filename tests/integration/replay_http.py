#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replays what a real server answered when it was recorded: replay_http.py FOLDER SCENE PORT.

FOLDER is one of tests/recorded with an index of questions and answers; it is that server's voice and nothing more. Unity
Catalog and Polaris cannot be installed here, so that tests of the whole program meet them so, too."""
import pathlib
import re
import socketserver
import sys

RECORDED = pathlib.Path(__file__).resolve().parent.parent / "recorded"


def rules(folder):
    for line in (RECORDED / folder / "index").read_text().splitlines():
        if not line.startswith("#"):
            scene, pattern, condition, file = line.split("|")
            yield scene, re.compile(".*".join(map(re.escape, pattern.split("*")))), condition, (RECORDED / folder / (file + ".http")).read_bytes()


class Answer(socketserver.StreamRequestHandler):
    def handle(self):
        while first := self.rfile.readline():
            head = first
            while (line := self.rfile.readline()) not in (b"\r\n", b""):
                head += line
            length = re.search(rb"(?i)^content-length: (\d+)", head, re.M)
            request = (head + self.rfile.read(int(length[1]) if length else 0)).decode("utf-8", "replace")
            target = first.decode().rsplit(" ", 1)[0]
            for scene, pattern, condition, said in self.server.rules:
                meets = condition[1:] not in request if condition.startswith("!") else condition in request
                if scene in ("*", self.server.scene) and pattern.fullmatch(target) and meets:
                    self.wfile.write(said)
                    break


class Replay(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads = True, True

    def __init__(self, folder, scene, port=0):
        super().__init__(("127.0.0.1", port), Answer)
        self.rules, self.scene = list(rules(folder)), scene


if __name__ == "__main__":
    Replay(sys.argv[1], sys.argv[2], int(sys.argv[3])).serve_forever()
