# SPDX-License-Identifier: MIT
"""Applications for the master, the drivers' own pages and the history server. argv: which; for those that run on, SECONDS."""
import os
import sys
import threading
import time

from pyspark.sql import SparkSession

NAMES = {"revenue": "daily revenue", "import": "menu import", "forecast": "demand forecast", "waiting": "courier routes",
         "trouble": "menu audit", "crash-loop": "receipt scanner"}
mode = sys.argv[1]
end = time.time() + float(sys.argv[2]) if len(sys.argv) > 2 else 0


def leave():
    """Its jobs may wait for cores that never come."""
    time.sleep(max(0, end - time.time()))
    os._exit(0)


if mode in ("waiting", "crash-loop"):
    threading.Thread(target=leave, daemon=True).start()
spark = SparkSession.builder.appName(NAMES[mode]).getOrCreate()
sc = spark.sparkContext


def boom(_):
    raise ValueError("menu of kitchen 7: price is not a number")


def slowly(x):
    time.sleep(min(5, max(0, end - time.time())))
    return x


def batches(tasks, partitions):
    batch = 0
    while time.time() < end:
        sc.setJobDescription(f"batch {batch}")
        sc.parallelize(range(tasks), partitions).map(slowly).count()
        batch += 1


def skewed(rows):
    """One kitchen has far more orders than the others."""
    for x in rows:
        time.sleep(4 if x == 0 else 0.2)
        yield x


def fails(description, action):
    sc.setJobDescription(description)
    try:
        action()
    except Exception as e:  # as it is meant to
        print(f"{description}: {type(e).__name__}", flush=True)


if mode == "revenue":
    """Well."""
    spark.sql("SELECT date(placed) AS day, sum(amount) AS revenue FROM lake.kitchen.orders GROUP BY 1 ORDER BY 1").show(40)
elif mode == "import":
    """Its job fails, and it with it; the master will call it FINISHED."""
    sc.setJobDescription("import menus")
    sc.parallelize(range(4), 2).map(boom).count()
elif mode == "forecast":
    """Runs on."""
    batches(4, 2)
elif mode in ("waiting", "crash-loop"):
    sc.setJobDescription("plan routes" if mode == "waiting" else "scan receipts")
    sc.parallelize(range(4), 2).count()
elif mode == "trouble":
    """Runs on after a failed stage, a failed SQL execution, a skewed stage and one that spills."""
    fails("import menus", lambda: sc.parallelize(range(4), 2).map(boom).count())
    fails("check prices", lambda: spark.sql("SELECT assert_true(id < 3, 'a price below zero') FROM range(10)").collect())
    sc.setJobDescription("orders by kitchen")
    sc.parallelize(range(8), 8).mapPartitions(skewed).count()
    sc.setJobDescription("sort receipts")
    (spark.range(0, 100000, 1, 2).selectExpr("id", "repeat(cast(id as string), 20) AS text", "rand(1) AS r").sort("r")
     .write.format("noop").mode("overwrite").save())
    batches(4, 2)
spark.stop()
