# SPDX-License-Identifier: MIT
"""Applications for the master and the history server: revenue (well), import (its job fails), forecast SECONDS (runs on)."""
import sys
import time

from pyspark.sql import SparkSession

NAMES = {"revenue": "daily revenue", "import": "menu import", "forecast": "demand forecast"}
mode = sys.argv[1]
spark = SparkSession.builder.appName(NAMES[mode]).getOrCreate()
sc = spark.sparkContext

if mode == "revenue":
    spark.sql("SELECT date(placed) AS day, sum(amount) AS revenue FROM lake.kitchen.orders GROUP BY 1 ORDER BY 1").show(40)
elif mode == "import":
    def boom(_):
        raise ValueError("menu of kitchen 7: price is not a number")

    sc.setJobDescription("import menus")
    sc.parallelize(range(4), 2).map(boom).count()
elif mode == "forecast":
    end, batch = time.time() + float(sys.argv[2]), 0

    def slowly(x):
        time.sleep(min(5, max(0, end - time.time())))
        return x

    while time.time() < end:
        sc.setJobDescription(f"batch {batch}")
        sc.parallelize(range(4), 2).map(slowly).count()
        batch += 1
spark.stop()
