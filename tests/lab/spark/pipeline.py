# SPDX-License-Identifier: MIT
"""The definitions of a declarative pipeline: flows that complete, one that fails, one that is skipped for it, one that runs ten minutes."""
from pyspark import pipelines as dp
from pyspark.sql import SparkSession
from pyspark.sql.functions import sum as total

spark = SparkSession.active()


@dp.materialized_view
def orders():
    return spark.range(10000).selectExpr("id", "id % 12 AS kitchen_id", "rand(1) * 100 AS amount")


@dp.materialized_view
def revenue():
    return spark.read.table("orders").groupBy("kitchen_id").agg(total("amount").alias("revenue"))


@dp.materialized_view
def menu_prices():
    return spark.range(10).selectExpr("id", "assert_true(id < 3, 'a price below zero') AS right")


@dp.materialized_view
def price_report():
    return spark.read.table("menu_prices").groupBy("right").count()


@dp.materialized_view
def demand():
    return spark.range(0, 120, 1, 1).selectExpr("id", "reflect('java.lang.Thread', 'sleep', 5000L) AS slept")
