# SPDX-License-Identifier: MIT
"""Fills the lake: tables, topics with records and groups, applications. Each step is done once and leaves a mark."""
import csv
import json
import os
import re
import sys
import tarfile
import time

import kit
from fetching import DELTA_ITEMS, Fetcher, place
from kit import HERE, LabError, Progress, home, pid_of, write
from services import (BUCKET, DATABASE, DELTA_FOLDER, TABLE_BUCKET, USER, kitchen, port, psql, s3_put, s3_settings, services_of, submit, submit_delta,
                      weed_shell)

HISTORY = home("data", "history")


def done(step):
    """Nessie keeps its tables in memory: with its process they are gone."""
    if step == "catalogs" and pid_of("nessie") and (kit.read(home("seeded", "nessie")) or "") != f"{pid_of('nessie')}\n":
        return False
    return os.path.exists(home("seeded", step))


def mark(step):
    write(home("seeded", step), time.strftime("%F %T\n"))


STEPS = (  # mark, groups, services of ours that it needs, what a user reads, what it does
    ("topics", ("pocket", "light"), ("kafka",), "topics and groups", lambda p: topics("kafka", 1)),
    ("connectors", ("streams",), ("kafka-connect", "kafka", "postgres"), "connectors", lambda p: connectors()),
    ("topics-zk", ("zookeeper",), ("kafka-zk",), "topics of Kafka 3.9", lambda p: small_topics("kafka-zk", 1)),
    ("topics-docker", ("docker",), ("docker-kafka",), "topics of the container", lambda p: small_topics("docker-kafka", 1)),
    ("topics-three", ("kafka-three",), ("kafka-three-1", "kafka-three-2"), "topics of the three", lambda p: small_topics("kafka-three-1", 2)),
    ("fixture", ("light",), ("postgres", "seaweedfs"), "tables from the fixture", lambda p: fixture()),
    ("delta-fixture", ("light",), ("seaweedfs",), "Delta tables from the fixture", lambda p: delta_fixture()),
    ("delta", ("delta",), ("seaweedfs",), "Delta tables", lambda p: delta(p)),
    ("tables", ("pocket",), ("postgres", "seaweedfs", "spark-master-41", "spark-worker-41"), "tables", lambda p: tables(p)),
    ("catalogs", ("catalogs",), ("iceberg-rest", "postgres", "seaweedfs"), "REST catalogs", lambda p: catalogs()),
    ("applications", ("pocket",), ("postgres", "seaweedfs", "spark-master-41", "spark-worker-41"), "applications", lambda p: applications()),
)


def steps(groups):
    """What is still to do. Only on servers of ours: another's Kafka may hold the port, and is left alone."""
    for step in STEPS:
        mark_, wanted, services, *_ = step
        if set(wanted) & set(groups) and not done(mark_) and all(map(pid_of, services)):
            if mark_ == "fixture" and (done("tables") or "pocket" in groups) or mark_ == "delta-fixture" and (done("delta") or "delta" in groups):
                continue  # the real ones
            yield step


def helpers(groups):
    return [s for s in services_of(groups, helpers=True) if not pid_of(s.name) and all(map(pid_of, s.after))]


def in_background(groups):
    """Starts "lab seed" where there is something to do; up does not wait for it."""
    if (any(steps(groups)) or helpers(groups)) and not pid_of("seed"):
        kit.spawn("seed", [sys.executable, os.path.join(HERE, "lab"), "seed"])


def start_helpers(groups):
    for s in helpers(groups):
        if done(s.seeded):
            kit.spawn(s.name, *s.start(s))


def seed(groups, out):
    progress = Progress("seed", out)
    try:
        start_helpers(groups)
        for name, _, _, title, step in list(steps(groups)):
            progress.say(f"seeding: {title}")
            step(progress)
            mark(name)
            start_helpers(groups)
    finally:
        progress.done()


# ---- Kafka ----

def admin(service):
    sys.path.insert(0, place("client"))
    from confluent_kafka.admin import AdminClient
    return AdminClient({"bootstrap.servers": f"{kit.HOST}:{port(service)}", "client.id": "lab"})


def make_topics(service, wanted):
    """wanted: (name, partitions, replicas, configuration). What is there stays."""
    client = admin(service)
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import NewTopic
    for topic, future in client.create_topics([NewTopic(n, p, r, config=c) for n, p, r, c in wanted]).items():
        try:
            future.result(30)
        except KafkaException as e:
            if e.args[0].name() != "TOPIC_ALREADY_EXISTS":
                raise LabError(f"topic {topic}: {e}") from e


def life(service, command, *words):
    argv, _ = kitchen(command, "--bootstrap", f"{kit.HOST}:{port(service)}", *words)
    kit.run(argv)


def topics(service, replicas):
    bounded = {"retention.bytes": "16777216", "segment.bytes": "4194304"}  # a lab left running must not fill the disk
    make_topics(service, [("order-events", 6, replicas, bounded), ("payments", 3, replicas, bounded), ("driver-positions", 3, replicas, bounded),
                          ("menu-changes", 1, replicas, {"cleanup.policy": "compact"}), ("dead-letters", 1, replicas, {})])
    for topic, hours, number in (("order-events", 24, 1), ("payments", 14, 3), ("driver-positions", 12, 4), ("menu-changes", 9, 5)):
        life(service, "replay", "--topic", topic, "--hours", hours, "--seed", number, "--speed", 0)
    # left behind: it read a part and went; empty: it read all and went. The lagging and the keeping up ones live.
    life(service, "consume", "--topic", "order-events", "--group", "loyalty-points", "--count", 800)
    life(service, "consume", "--topic", "payments", "--group", "night-report", "--drain")


def small_topics(service, replicas):
    """single: one replica per partition even where there are two brokers, so that the loss of one takes partitions offline."""
    make_topics(service, [("orders", 4, replicas, {}), ("single", 4, 1, {})])
    for topic in ("orders", "single"):
        life(service, "replay", "--topic", topic, "--hours", 10, "--speed", 0)
    life(service, "consume", "--topic", "orders", "--group", "courier", "--count", 100)


# ---- Kafka Connect ----

def ask_connect(method, path, body=None):
    """(status, answer)"""
    return kit.http_ask(port("kafka-connect"), method, path, body and json.dumps(body), timeout=95.0)  # Connect's own patience is 90 s


def connector(name, state, **config):
    """Makes a connector and waits until its task is what it is meant to be. The configuration holds a password: no argument."""
    until, said = time.monotonic() + 120, ""
    while time.monotonic() < until:
        code, said = ask_connect("PUT", f"/connectors/{name}/config", {"tasks.max": "1", **{k.replace("_", "."): v for k, v in config.items()}})
        if code in (200, 201):
            break
        if code != 409:  # it rebalances
            raise LabError(f"Connect refuses {name}: {said[:200]}")
        time.sleep(0.5)
    while time.monotonic() < until:
        code, said = ask_connect("GET", f"/connectors/{name}/status")
        if code == 200 and [t["state"] for t in json.loads(said)["tasks"]] == [state]:
            return
        time.sleep(0.3)
    raise LabError(f"the task of connector {name} did not become {state}: {said[:200]}")


def connectors():
    """Two sinks and two sources, one of each with a failed task."""
    sink = {"connector_class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
            "key_converter": "org.apache.kafka.connect.storage.StringConverter"}
    make_topics("kafka", [("complaints", 1, 1, {})])
    from confluent_kafka import Producer
    producer = Producer({"bootstrap.servers": f"{kit.HOST}:{port('kafka')}", "client.id": "lab", "log_level": 4})
    producer.produce("complaints", "the ramen was cold")
    if producer.flush(30):
        raise LabError("Kafka does not take the complaint")
    connector("payments-archive", "RUNNING", topics="payments", file=home("data", "payments.txt"),
              value_converter="org.apache.kafka.connect.storage.StringConverter", **sink)
    connector("complaints-archive", "FAILED", topics="complaints", file=home("data", "complaints.txt"), **sink)  # plain text is no JSON
    source = {"connector_class": "io.debezium.connector.postgresql.PostgresConnector", "database_hostname": kit.HOST,
              "database_port": str(port("postgres")), "database_user": USER, "database_password": kit.secret("postgres"), "database_dbname": DATABASE,
              "plugin_name": "pgoutput", "topic_creation_default_replication_factor": "1", "topic_creation_default_partitions": "1"}
    connector("catalog-changes", "RUNNING", topic_prefix="cdc", slot_name="catalog_changes", publication_name="catalog_changes",
              publication_autocreate_mode="filtered", table_include_list="public.iceberg_tables", heartbeat_interval_ms="30000", **source)
    connector("loyalty-changes", "FAILED", topic_prefix="loyalty", slot_name="loyalty_changes", publication_name="nobody_made_it",
              publication_autocreate_mode="disabled", **source)


# ---- tables ----

def spark_job(name, script, *words, progress=None, may_fail=False, by=submit, **how):
    """Runs a job to its end; its lines "STEP ..." become progress."""
    argv, env = by(script, *words, **how)
    p = kit.spawn(name, argv, env)
    log, begun = home("log", name + ".log"), time.monotonic()
    from_here = os.path.getsize(log)
    while p.poll() is None:
        with open(log, encoding="utf-8", errors="replace") as f:
            f.seek(from_here)
            step = re.findall(r"^STEP (.*)$", f.read(), re.M)
        if progress:
            progress.say(f"seeding tables: {step[-1] if step else 'starting Spark'}, {time.monotonic() - begun:.0f} s")
        time.sleep(0.5)
    kit.remove(home("run", name + ".pid"))
    if p.returncode and not may_fail:
        raise LabError(f"{name} ended with {p.returncode}; see {log}")


def history():
    argv, _ = kitchen("history", "--out", HISTORY)
    kit.run(argv)


def tables(progress):
    history()
    spark_job("seed-tables", "tables.py", HISTORY, progress=progress, cores=2)


def delta(progress):
    """By Spark 4.0: what it and Delta need is fetched here, no service of the group does."""
    fetcher = Fetcher()
    for item in DELTA_ITEMS:
        future = fetcher.get(item)
        while not future.done():
            progress.say(f"seeding Delta tables: {fetcher.status.get(item, item)}")
            time.sleep(0.5)
        future.result()
    history()
    spark_job("seed-delta", "delta.py", HISTORY, DELTA_FOLDER, progress=progress, by=submit_delta)


def delta_fixture():
    """Logs of tables that Delta 4.4.0 once wrote, without their data: figures are whole, rows cannot be read."""
    root = os.path.join(HERE, "..", "recorded", "delta-4.4.0-spark-4.0.5")
    for folder, _, files in os.walk(root):
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), root)
            with open(os.path.join(folder, name), "rb") as f:
                if s3_put(f"/{BUCKET}/delta/{path}", f.read()) != 200:
                    raise LabError(f"SeaweedFS refuses {path}")


def applications():
    """The master calls the first two FINISHED alike; only their jobs say that one failed."""
    spark_job("job-daily-revenue", "jobs.py", "revenue")
    spark_job("job-menu-import", "jobs.py", "import", may_fail=True, conf=("spark.task.maxFailures=1",))
    for name in ("job-demand-forecast", *(s.name for s in services_of(["jobs"], helpers=True))):
        kit.stop(name, patience=5)  # of a master that is gone
    argv, env = submit("jobs.py", "forecast", 900)
    kit.spawn("job-demand-forecast", argv, env)


def fixture():
    """Metadata of tables that Spark once wrote, without their data: figures are whole, rows cannot be read."""
    with tarfile.open(os.path.join(HERE, "fixture", "kitchen-metadata.tar.gz")) as tar:
        for member in tar:
            if member.isfile() and s3_put("/" + member.name, tar.extractfile(member).read()) != 200:
                raise LabError(f"SeaweedFS refuses {member.name}")
    with open(os.path.join(HERE, "fixture", "iceberg_tables.csv"), encoding="utf-8", newline="") as f:
        rows = [r for r in csv.DictReader(f) if r["table_namespace"] == "kitchen"]
    value = lambda v: "'" + v.replace("'", "''") + "'" if v else "NULL"
    psql(None, input="BEGIN;\n" + "".join(
        f"INSERT INTO iceberg_tables ({', '.join(r)}) VALUES ({', '.join(map(value, r.values()))}) ON CONFLICT DO NOTHING;\n" for r in rows)
        + "INSERT INTO iceberg_namespace_properties VALUES ('lake', 'kitchen', 'exists', 'true') ON CONFLICT DO NOTHING;\nCOMMIT;\n")


# ---- Iceberg REST catalogs ----

def rest_tables(catalog, small=()):
    """Nested namespaces, a partitioned table with many small files and a delete, and empty ones. What is there is left alone."""
    import pyarrow
    from pyiceberg.partitioning import PartitionField, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.transforms import IdentityTransform
    from pyiceberg.types import LongType, NestedField, StringType
    for space in (("raw",), ("raw", "nested"), ("silver",)):
        catalog.create_namespace_if_not_exists(space)
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "day", StringType()), NestedField(3, "words", StringType()))
    if not catalog.table_exists(("raw", "events")):
        table = catalog.create_table(("raw", "events"), schema, partition_spec=PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "day")))
        for n in range(6):
            table.append(pyarrow.table({"id": pyarrow.array(range(n * 10, n * 10 + 10), pyarrow.int64()), "day": [f"2026-11-{1 + n % 2:02d}"] * 10,
                                        "words": [f"batch {n}"] * 10}))
        table.delete("id = 3")
    for name in (("raw", "nested", "clicks"), ("silver", "empty"), *small):
        catalog.create_table_if_not_exists(name, schema)


def make_view(name, sql):
    """PyIceberg makes none."""
    column = {"id": 1, "name": "id", "required": False, "type": "long"}
    body = {"name": name, "properties": {}, "schema": {"type": "struct", "schema-id": 0, "fields": [column]},
            "view-version": {"version-id": 1, "timestamp-ms": int(time.time() * 1000), "schema-id": 0, "summary": {"engine-name": "lab"},
                             "default-namespace": ["raw"], "representations": [{"type": "sql", "sql": sql, "dialect": "spark"}]}}
    code, said = kit.http_ask(port("iceberg-rest"), "POST", "/v1/namespaces/silver/views", json.dumps(body), timeout=20.0)
    if code not in (200, 409):
        raise LabError(f"the REST fixture refuses a view: {said[:200]}")


def catalogs():
    sys.path.insert(0, place("pyiceberg"))
    from pyiceberg.catalog import load_catalog
    from pyiceberg.exceptions import TableAlreadyExistsError
    s3 = {**s3_settings(), "s3.region": "us-east-1", "type": "rest"}
    fixture = load_catalog("fixture", uri=f"http://{kit.HOST}:{port('iceberg-rest')}", **s3)
    rest_tables(fixture, small=(("silver", "caf\u00e9 & co"),))
    make_view("recent", "SELECT id FROM raw.events")
    fixture.create_namespace_if_not_exists(("kitchen",))
    # tables that the JDBC catalog has as well: the same ones, in two catalogs
    for line in psql("SELECT table_name, metadata_location FROM iceberg_tables WHERE table_namespace = 'kitchen' ORDER BY 1 LIMIT 3").splitlines():
        name, where = line.split("|")
        try:
            fixture.register_table(("kitchen", name), where)
        except TableAlreadyExistsError:
            pass
    weed_shell(f"s3tables.bucket -create -name {TABLE_BUCKET} -account 000000000000")  # one that is there is left alone
    weed = load_catalog("weed", uri=f"http://{kit.HOST}:{port('seaweedfs', 'iceberg')}", warehouse=TABLE_BUCKET,
                        credential=f"{kit.secret('s3-key')}:{kit.secret('s3', 40)}", **s3)
    rest_tables(weed)
    if pid_of("nessie"):
        s3_put("/" + BUCKET)
        rest_tables(load_catalog("nessie", uri=f"http://{kit.HOST}:{port('nessie')}/iceberg", **s3))
        write(home("seeded", "nessie"), f"{pid_of('nessie')}\n")
