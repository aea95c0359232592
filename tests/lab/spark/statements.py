# SPDX-License-Identifier: MIT
"""Runs what a test writes into a pipe (argv), line by line, in one driver: {"sql": ...}, or {"orphans": [catalog table, older than ms]}, which deletes
without the procedure's guard of a day. Each answer is a line that begins with "ANSWER "."""
import json
import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("statements").getOrCreate()
spark.sparkContext.setLogLevel("OFF")


def sql(text):
    return [row.asDict() for row in spark.sql(text).collect()]


def orphans(table, older_than):
    jvm = spark._jvm.org.apache.iceberg.spark
    loaded = jvm.Spark3Util.loadIcebergTable(spark._jsparkSession, table)
    action = jvm.actions.SparkActions.get(spark._jsparkSession).deleteOrphanFiles(loaded).olderThan(older_than)
    return list(action.usePrefixListing(True).execute().orphanFileLocations())


def answer(question):
    try:
        return {"rows": sql(question["sql"]) if "sql" in question else orphans(*question["orphans"])}
    except Exception as e:  # noqa: BLE001 - the test judges it
        return {"error": str(e)[:2000]}


print("ANSWER {}", flush=True)
with open(sys.argv[1], encoding="utf-8") as questions:  # spark-submit keeps standard input to itself
    for line in questions:
        print("ANSWER " + json.dumps(answer(json.loads(line)), default=str), flush=True)
spark.stop()
