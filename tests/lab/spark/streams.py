# SPDX-License-Identifier: MIT
"""Streaming queries from Kafka, each with a trigger of 3 s. argv: bootstrap servers, then NAME=CHECKPOINT of each query."""
import sys

from pyspark.sql import SparkSession
from pyspark.sql.functions import col, count, from_json, window

spark = SparkSession.builder.appName("order streams").getOrCreate()
spark.sparkContext.setLogLevel("WARN")


def records(most):
    """most: records per batch. What retention took away meanwhile is no failure."""
    return (spark.readStream.format("kafka").option("kafka.bootstrap.servers", sys.argv[1]).option("subscribe", "order-events")
            .option("startingOffsets", "earliest").option("failOnDataLoss", "false").option("maxOffsetsPerTrigger", most).load())


def orders_per_kitchen():
    """Keeps up, and keeps state under a watermark."""
    event = from_json(col("value").cast("string"), "type STRING, kitchen_id INT, at TIMESTAMP")
    return (records(2000).select(event.alias("e")).select("e.*").where("type = 'placed'").withWatermark("at", "2 hours")
            .groupBy(window("at", "1 hour"), "kitchen_id").agg(count("*").alias("orders")).writeStream.outputMode("update"))


def order_archive():
    """Falls behind: it takes less than comes."""
    return records(6).selectExpr("CAST(value AS STRING)").writeStream


for name, checkpoint in (word.split("=", 1) for word in sys.argv[2:]):
    (globals()[name]().queryName(name).format("noop").option("checkpointLocation", checkpoint).trigger(processingTime="3 seconds").start())
    print(f"STEP {name} runs", flush=True)
spark.streams.awaitAnyTermination()
