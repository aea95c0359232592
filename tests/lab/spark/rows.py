# SPDX-License-Identifier: MIT
"""Tables for the test of rows, and what Spark itself says is in them: JSON into the file that argv names.

Every type that Iceberg has, NULL and what looks like it, ids beyond 2^53, columns by the hundred, a name that has to be quoted,
more rows than are ever shown, none at all, and a view that takes for ever."""
import json
import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("tables for the test of rows").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
q = spark.sql
N = "lake.rows_test"
TYPES = ("b BOOLEAN, i INT, l BIGINT, f FLOAT, d DOUBLE, c DECIMAL(38,18), p DECIMAL(4,2), day DATE, at TIMESTAMP, wall TIMESTAMP_NTZ, s STRING, x BINARY, "
         "a ARRAY<STRING>, m MAP<STRING,INT>, t STRUCT<id:BIGINT,name:STRING,list:ARRAY<STRUCT<k:INT,v:DOUBLE>>>")
ROWS = """(1, true, -2147483648, 9223372036854775807, cast(0.1 as float), 0.1, -12345678901234567890.123456789012345678, 12.50, date'1583-01-01',
   timestamp'2026-11-29 12:34:56.123456Z', timestamp_ntz'1969-12-31 23:59:59.5', 'Wok "Around", Ölse', X'00FF10', array('a', null, 'null'), map('k', 1),
   named_struct('id', 9007199254740993, 'name', 'n', 'list', array(named_struct('k', 1, 'v', 0.5D)))),
 (2, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null),
 (3, false, 0, -9223372036854775808, cast('NaN' as float), double('-Infinity'), 0, -0.01, date'9999-12-31', timestamp'1970-01-01 00:00:00Z',
   timestamp_ntz'2026-01-01 00:00:00', 'null', X'', array(), map(), named_struct('id', null, 'name', '', 'list', null)),
 (4, true, 1, 9007199254740993, cast(3.4028235e38 as float), 1.7976931348623157e308, 0.000000000000000001, 99.99, date'1970-01-01',
   timestamp'2026-11-29 12:34:56Z', timestamp_ntz'2026-11-29 12:34:56.1', '', X'41', array('x,y'), map('a', null, 'b', 2), null)"""

q(f"CREATE NAMESPACE IF NOT EXISTS {N}")
for table in ("types", "wide", "many", "empty", "`odd ``name; drop`"):  # of a test before
    q(f"DROP TABLE IF EXISTS {N}.{table}")
q(f"DROP VIEW IF EXISTS {N}.slow")
q(f"CREATE TABLE {N}.types (n INT, {TYPES}) USING iceberg")
q(f"INSERT INTO {N}.types SELECT /*+ COALESCE(1) */ * FROM VALUES {ROWS}")
q(f"CREATE TABLE {N}.wide ({', '.join(f'c{i} INT' for i in range(300))}) USING iceberg")
q(f"INSERT INTO {N}.wide SELECT {', '.join(map(str, range(300)))}")
q(f"CREATE TABLE {N}.`odd ``name; drop` (`a b` INT, `\"q\"` STRING) USING iceberg")
q(f"INSERT INTO {N}.`odd ``name; drop` VALUES (1, 'x')")
q(f"CREATE TABLE {N}.many (id BIGINT) USING iceberg")
q(f"INSERT INTO {N}.many SELECT 9007199254740993 + id FROM range(0, 10050, 1, 1)")
q(f"CREATE TABLE {N}.empty (id BIGINT, name STRING) USING iceberg")
q(f"CREATE VIEW {N}.slow AS SELECT sum(sqrt(id)) AS s FROM range(0, 900000000000, 1, 4)")

nested = {name: f"to_json({name}, map('ignoreNullFields', 'false')) AS {name}" for name in ("a", "m", "t")}
columns = [c.split(" ")[0] for c in TYPES.replace("DECIMAL(38,18)", "D").replace("DECIMAL(4,2)", "D").replace("STRING,INT", "X").split(", ")]
words = q(f"SELECT {', '.join(nested.get(c, f'hex({c}) AS x' if c == 'x' else f'cast({c} AS STRING) AS {c}') for c in columns)} FROM {N}.types ORDER BY n")
ids = [r.id for r in q(f"SELECT id FROM {N}.many ORDER BY id LIMIT 20").collect()]
with open(sys.argv[1], "w", encoding="utf-8") as out:
    json.dump({"types": [r.asDict() for r in words.collect()], "many": ids}, out)
