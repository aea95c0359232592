# SPDX-License-Identifier: MIT
"""The definitions of a declarative pipeline: flows that complete, two that fail, one that is skipped for it, two that run for minutes."""
from pyspark import pipelines as dp
from pyspark.sql import SparkSession
from pyspark.sql.functions import sum as total

spark = SparkSession.active()


def pings():
    """A file of ten a batch."""
    return spark.readStream.schema("courier INT, at INT").option("maxFilesPerTrigger", 1).json(spark.conf.get("kitchen.pings"))


@dp.table
def courier_pings():
    """A streaming flow: a batch takes 5 s."""
    return pings().selectExpr("*", "CASE WHEN courier = 0 THEN reflect('java.lang.Thread', 'sleep', 5000L) END AS slept")


@dp.table
def courier_tips():
    """A streaming flow that fails."""
    return pings().selectExpr("*", "CAST(assert_true(courier < 5, 'a tip below zero') AS STRING) AS right")


@dp.materialized_view
def orders():
    return spark.range(10000).selectExpr("id", "id % 12 AS kitchen_id", "rand(1) * 100 AS amount")


@dp.materialized_view
def revenue():
    return spark.read.table("orders").groupBy("kitchen_id").agg(total("amount").alias("revenue"))


@dp.materialized_view
def menu_prices():
    return spark.range(10).selectExpr("id", "CAST(assert_true(id < 3, 'a price below zero') AS STRING) AS right")


@dp.materialized_view
def price_report():
    return spark.read.table("menu_prices").groupBy("right").count()


@dp.materialized_view
def demand():
    return spark.range(0, int(spark.conf.get("kitchen.batches")), 1, 1).selectExpr("id", "reflect('java.lang.Thread', 'sleep', 5000L) AS slept")
