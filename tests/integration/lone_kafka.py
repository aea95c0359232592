# SPDX-License-Identifier: MIT
"""A Kafka broker of a test's own, quiet but for what the test does: its records, its groups, and Kafka's own tool."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from check import LAKETOP, ROOT, free_port

sys.path.insert(0, str(ROOT / "tests" / "lab"))
sys.dont_write_bytecode = True
from fetching import java, place  # noqa: E402

GROUPS, TOPICS, PARTITIONS, RECORDS = 24, 10, 12, 60
CONFIG = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
controller.listener.names=CONTROLLER
log.dirs={home}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
"""
PROFILE = """[laketop]
profile = lone
[service kafka]
kind = kafka
port = {port}
"""


def missing():
    """Why there cannot be one; empty where there can."""
    if not java():
        return "there is no Java"
    for item in ("kafka", "client"):
        if not os.path.isdir(place(item)):
            return f"{place(item)} was not fetched: tests/lab/lab fetch"
    return ""


class Broker:
    def __init__(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="lone-kafka-", dir="/var/tmp"))
        self.port = free_port()
        controller, self.client = free_port((self.port,)), None
        (self.home / "server.properties").write_text(CONFIG.format(home=self.home, port=self.port, controller=controller))
        self.profile = str(self.home / "profile.ini")
        pathlib.Path(self.profile).write_text(PROFILE.format(port=self.port))
        self.log = open(self.home / "kafka.log", "wb")
        self.run("kafka.tools.StorageTool", "format", "-t", "5L6g3nShT-eMCtK--X86sw", "-c", str(self.home / "server.properties"))
        self.process = subprocess.Popen(self.command("kafka.Kafka", str(self.home / "server.properties")), stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=self.log)
        sys.path.insert(0, place("client"))

    def command(self, main, *words):
        return [java(), "-Xmx320m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", place("kafka") + "/*", main, *words]

    def run(self, main, *words, timeout=300):
        return subprocess.run(self.command(main, *words), capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def at(self):
        return {"bootstrap.servers": f"127.0.0.1:{self.port}", "client.id": "test", "log_level": 0}

    def admin(self):
        """Kept: what it was asked for dies with it."""
        from confluent_kafka.admin import AdminClient
        if not self.client:
            self.client = AdminClient(self.at())
        return self.client

    def ready(self, seconds=240):
        end_at = time.monotonic() + seconds
        while True:
            try:
                return self.admin().list_topics(timeout=2)
            except Exception:  # noqa: BLE001 - it starts
                if time.monotonic() > end_at or self.process.poll() is not None:
                    raise
                time.sleep(0.3)

    def make_topics(self, names, partitions):
        from confluent_kafka.admin import NewTopic
        for made in self.admin().create_topics([NewTopic(name, partitions, 1) for name in names]).values():
            made.result(90)

    def produce(self, topic, value, **more):
        from confluent_kafka import Producer
        producer = Producer({**self.at(), "compression.type": "lz4"})
        producer.produce(topic, value, **more)
        assert producer.flush(90) == 0

    def commit(self, group, offsets):
        """offsets: {(topic, partition): offset}. A fresh coordinator refuses single partitions for a while."""
        from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
        wanted = [TopicPartition(t, p, o) for (t, p), o in offsets.items()]
        for _ in range(60):
            try:
                done = list(self.admin().alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, wanted)]).values())[0].result(90)
                if not any(p.error for p in done.topic_partitions):
                    return
            except Exception:  # noqa: BLE001 - no coordinator yet
                pass
            time.sleep(0.5)
        raise RuntimeError(f"{group} cannot commit")

    def consume(self, group, topics, records, **more):
        """A live member that read and committed so many records; the caller closes it."""
        from confluent_kafka import Consumer
        consumer = Consumer({**self.at(), "group.id": group, "auto.offset.reset": "earliest", "enable.auto.commit": False, **more})
        consumer.subscribe(topics)
        last = None
        end_at = time.monotonic() + 120
        while records and time.monotonic() < end_at:
            m = consumer.poll(0.5)
            if m and not m.error():
                last, records = m, records - 1
        if last:
            consumer.commit(message=last, asynchronous=False)
        while not consumer.assignment() and time.monotonic() < end_at:
            consumer.poll(0.2)
        return consumer

    def seed(self):
        """So many topics with so many records, and so many groups that stand somewhere in all of them."""
        from confluent_kafka import Producer
        names = [f"t{i:02d}" for i in range(TOPICS)]
        self.make_topics(names, PARTITIONS)
        producer = Producer({**self.at(), "compression.type": "lz4"})
        for i in range(TOPICS * PARTITIONS * RECORDS):
            producer.produce(names[i % TOPICS], f'{{"order": {i}}}', key=str(i), partition=i // TOPICS % PARTITIONS)
            producer.poll(0)
        assert producer.flush(180) == 0
        for n in range(GROUPS):
            self.commit(f"g{n:02d}", {(t, p): (7 * n + 13 * p + k) % (RECORDS + 1) for k, t in enumerate(names) for p in range(PARTITIONS)
                                      if (n, p) != (3, 5)})

    def theirs(self):
        """Kafka's own words: {(group, topic, partition): (committed, end, lag)}, and how long it took."""
        began = time.monotonic()
        done = self.run("org.apache.kafka.tools.consumer.group.ConsumerGroupCommand", "--bootstrap-server", f"127.0.0.1:{self.port}",
                        "--describe", "--all-groups")
        took = time.monotonic() - began
        number = lambda s: None if s == "-" else int(s)  # noqa: E731
        rows = {}
        for words in map(str.split, done.stdout.splitlines()):
            if len(words) >= 6 and words[0] != "GROUP" and words[1] != "-":
                rows[words[0], words[1], int(words[2])] = tuple(map(number, words[3:6]))
        return rows, took

    def ours(self):
        """The same of laketop."""
        import json
        began = time.monotonic()
        done = subprocess.run([LAKETOP, "lag", "--json", "--profile", self.profile], capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL)
        took = time.monotonic() - began
        document = json.loads(done.stdout)
        rows = {(r["group"], r["topic"], r["partition"]): (r["committed"], r["end"], r["lag"]) for r in document["tables"]["partitions"]}
        return rows, took, document
