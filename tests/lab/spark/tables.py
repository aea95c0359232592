# SPDX-License-Identifier: MIT
"""The ghost kitchens' Iceberg tables, each with a trait that a dashboard should see. argv: folder of "kitchen history"."""
import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("seed kitchen tables").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
q = spark.sql
K = "lake.kitchen"
MERGE_ON_READ = "'write.delete.mode'='merge-on-read','write.update.mode'='merge-on-read','write.merge.mode'='merge-on-read'"
COLUMNS = {
    "kitchens": "id INT, name STRING, city STRING",
    "menu_items": "id INT, kitchen_id INT, name STRING, price DECIMAL(8,2)",
    "drivers": "id INT, name STRING, rating DOUBLE",
    "orders": "id BIGINT, kitchen_id INT, customer_id INT, amount DECIMAL(8,2), placed TIMESTAMP",
    "order_items": "order_id BIGINT, item_id INT, quantity INT",
    "order_events": "order_id BIGINT, type STRING, driver_id INT, at TIMESTAMP",
}
for name, columns in COLUMNS.items():
    spark.read.csv(f"file:{sys.argv[1]}/{name}.csv", schema=columns, header=True).createOrReplaceTempView(name)


def table(name, properties, partitioned="", columns=None):
    q(f"CREATE TABLE {K}.{name} ({columns or COLUMNS[name]}) USING iceberg {partitioned} TBLPROPERTIES ({properties})")


def kitchens():
    """Clean: one small snapshot, nothing to maintain."""
    table("kitchens", "'format-version'='2'")
    q(f"INSERT INTO {K}.kitchens SELECT /*+ COALESCE(1) */ * FROM kitchens")


def menu_items():
    """Many snapshots, compressed metadata: the menu is written anew at each price change."""
    table("menu_items", "'format-version'='2','write.metadata.compression-codec'='gzip'")
    for i in range(30):
        q(f"INSERT OVERWRITE {K}.menu_items SELECT /*+ COALESCE(1) */ id, kitchen_id, name, cast(price + {i} * 0.1 AS DECIMAL(8,2)) FROM menu_items")


def orders():
    """Partitioned by day, two appends."""
    table("orders", "'format-version'='2'", "PARTITIONED BY (days(placed))")
    for i in range(2):
        q(f"INSERT INTO {K}.orders SELECT * FROM orders WHERE id % 2 = {i} ORDER BY placed")


def drivers():
    """Merge-on-read: position deletes of two deletes and an update."""
    table("drivers", f"'format-version'='2',{MERGE_ON_READ}")
    q(f"INSERT INTO {K}.drivers SELECT /*+ REPARTITION(2) */ * FROM drivers")
    q(f"DELETE FROM {K}.drivers WHERE id % 10 = 3")
    q(f"UPDATE {K}.drivers SET rating = 5.0 WHERE id % 50 = 1")
    q(f"DELETE FROM {K}.drivers WHERE id BETWEEN 700 AND 720")


def order_items():
    """Format version 1, with an expired history."""
    table("order_items", "'format-version'='1'")
    for i in range(6):
        q(f"INSERT INTO {K}.order_items SELECT /*+ COALESCE(1) */ * FROM order_items WHERE order_id % 6 = {i}")
    q("CALL lake.system.expire_snapshots(table => 'kitchen.order_items', older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 2)")


def deliveries():
    """Format version 3: deletion vectors."""
    table("deliveries", f"'format-version'='3',{MERGE_ON_READ}", columns="order_id BIGINT, driver_id INT, at TIMESTAMP")
    q(f"INSERT INTO {K}.deliveries SELECT /*+ REPARTITION(3) */ order_id, driver_id, at FROM order_events WHERE type = 'delivered'")
    q(f"DELETE FROM {K}.deliveries WHERE order_id % 20 = 7")
    q(f"DELETE FROM {K}.deliveries WHERE order_id % 20 = 8")


def waiting_list():
    """Never written to."""
    table("waiting_list", "'format-version'='2'", columns="order_id BIGINT, since TIMESTAMP")


def large_orders():
    """A view."""
    q(f"CREATE VIEW {K}.large_orders AS SELECT * FROM {K}.orders WHERE amount > 60")


def order_events():
    """Many small files: five commits of 41 each, as a stream with a short trigger leaves them."""
    table("order_events", "'format-version'='2'")
    for i in range(5):
        q(f"INSERT INTO {K}.order_events SELECT /*+ REPARTITION(41) */ * FROM order_events WHERE order_id % 5 = {i}")


MAKERS = (kitchens, menu_items, orders, drivers, order_items, deliveries, waiting_list, large_orders, order_events)
q(f"CREATE NAMESPACE IF NOT EXISTS {K}")
q(f"DROP VIEW IF EXISTS {K}.large_orders")
for row in q(f"SHOW TABLES IN {K}").collect():  # whatever an unfinished seed, or the fixture, left
    q(f"DROP TABLE IF EXISTS {K}.{row.tableName}")
for number, make in enumerate(MAKERS, 1):
    print(f"STEP {make.__name__}, {number} of {len(MAKERS)}", flush=True)
    make()
spark.stop()
