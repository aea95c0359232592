# SPDX-License-Identifier: MIT
"""The ghost kitchens' Delta tables, each with a trait that a dashboard should see. argv: folder of "kitchen history", where they go."""
import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("seed Delta tables").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
q = spark.sql
history, base = sys.argv[1:3]
COLUMNS = {
    "menu_items": "id INT, kitchen_id INT, name STRING, price DECIMAL(8,2)",
    "drivers": "id INT, name STRING, rating DOUBLE",
    "orders": "id BIGINT, kitchen_id INT, customer_id INT, amount DECIMAL(8,2), placed TIMESTAMP",
    "order_events": "order_id BIGINT, type STRING, driver_id INT, at TIMESTAMP",
}
for name, columns in COLUMNS.items():
    spark.read.csv(f"file:{history}/{name}.csv", schema=columns, header=True).createOrReplaceTempView(name)


def at(name):
    return f"delta.`{base}/{name}`"


def table(name, columns=None, partitioned="", **properties):
    options = ", ".join(f"'delta.{k}' = '{v}'" for k, v in properties.items())
    q(f"CREATE TABLE {at(name)} ({columns or COLUMNS[name]}) USING delta {partitioned} {f'TBLPROPERTIES ({options})' if options else ''}")


def folder(path):
    """A Hadoop path, and the file system that it is of."""
    at = spark._jvm.org.apache.hadoop.fs.Path(path)
    return at, at.getFileSystem(spark._jsc.hadoopConfiguration())


def cleaned(name):
    """Drops the commits that a checkpoint made needless: as the log's own cleaning does, which would wait for another day."""
    jvm = spark._jvm
    log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, f"{base}/{name}")
    log.checkpoint()
    where, files = folder(f"{base}/{name}/_delta_log")
    newest = log.update(False, jvm.scala.Option.empty(), jvm.scala.Option.empty()).version()
    for status in files.listStatus(where):
        word = status.getPath().getName()
        if word[:20].isdigit() and int(word[:20]) < newest:
            files.delete(status.getPath(), False)


def orders():
    """Partitioned, with many small files, as a stream with a short trigger leaves them."""
    table("orders", COLUMNS["orders"] + ", day DATE", "PARTITIONED BY (day)")
    for i in range(6):
        q(f"INSERT INTO {at('orders')} SELECT /*+ REPARTITION(3) */ *, date(placed) FROM orders WHERE id % 6 = {i}")


def drivers():
    """Deletion vectors: of two deletes and an update."""
    table("drivers", enableDeletionVectors="true")
    q(f"INSERT INTO {at('drivers')} SELECT /*+ REPARTITION(2) */ * FROM drivers")
    q(f"DELETE FROM {at('drivers')} WHERE id % 10 = 3")
    q(f"UPDATE {at('drivers')} SET rating = 5.0 WHERE id % 50 = 1")
    q(f"DELETE FROM {at('drivers')} WHERE id BETWEEN 700 AND 720")


def menu_items():
    """The menu is written anew at each price change, and what it replaced may go at once; its checkpoint made the older commits needless."""
    table("menu_items", deletedFileRetentionDuration="interval 0 hours")
    for i in range(12):
        q(f"INSERT OVERWRITE {at('menu_items')} SELECT /*+ COALESCE(1) */ id, kitchen_id, name, cast(price + {i} * 0.1 AS DECIMAL(8,2)) FROM menu_items")
    cleaned("menu_items")
    q(f"INSERT OVERWRITE {at('menu_items')} SELECT /*+ REPARTITION(3) */ * FROM menu_items")


def order_events():
    """Without checksums and without its first commits: only its checkpoint knows all its files."""
    spark.conf.set("spark.databricks.delta.writeChecksumFile.enabled", "false")
    table("order_events", deletedFileRetentionDuration="interval 0 hours")
    for i in range(3):
        q(f"INSERT INTO {at('order_events')} SELECT /*+ REPARTITION(30) */ * FROM order_events WHERE order_id % 5 = {i}")
    cleaned("order_events")
    q(f"INSERT INTO {at('order_events')} SELECT /*+ REPARTITION(30) */ * FROM order_events WHERE order_id % 5 = 3")
    spark.conf.unset("spark.databricks.delta.writeChecksumFile.enabled")


def kitchens():
    """Compacted once, and what no commit names lies about: nothing is due but a clearing away."""
    table("kitchens", "id INT, city STRING", "PARTITIONED BY (city)", deletedFileRetentionDuration="interval 0 hours")
    for i in range(6):
        q(f"INSERT INTO {at('kitchens')} SELECT /*+ COALESCE(1) */ id, if(id % 2 = 0, 'New York', 'A:b/c') FROM drivers WHERE id % 60 = {i}")
    q(f"OPTIMIZE {at('kitchens')}")
    q(f"INSERT INTO {at('kitchens')} VALUES (1, 'gone')")
    q(f"DELETE FROM {at('kitchens')} WHERE city = 'gone'")
    for left in ("left-over.parquet", "city=Oslo/left-over.parquet", "_hidden/kept.parquet", ".kept.parquet", "_change_data/old.parquet"):
        where, files = folder(f"{base}/kitchens/{left}")
        files.create(where).close()
    where, files = folder(f"{base}/kitchens/city=empty/deeper")
    files.mkdirs(where)


def waiting_list():
    """Never written to."""
    table("waiting_list", "order_id BIGINT NOT NULL COMMENT 'of orders', items ARRAY<STRUCT<name: STRING, n: INT>>")


top, store = folder(base)
store.delete(top, True)  # whatever an unfinished seed, or the fixture, left
MAKERS = (orders, drivers, menu_items, order_events, kitchens, waiting_list)
for number, make in enumerate(MAKERS, 1):
    print(f"STEP {make.__name__}, {number} of {len(MAKERS)}", flush=True)
    make()
spark.stop()
