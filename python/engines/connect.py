"""A client of Spark Connect, which cannot live in the process of a classic session.

Usage: python connect.py ADDRESS FOLDERS OUT
"""

import sys
from pathlib import Path

import labelwise.spark
from pools import BELIEVED, SCORED
from pyspark.sql import SparkSession

address, folders, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
spark = SparkSession.builder.remote(address).getOrCreate()
pool = spark.read.parquet(str(folders / "odd"))
assert "connect" in type(pool).__module__
labelwise.spark.new(pool, out=out / "scored.labelwise", **SCORED)
labelwise.spark.new(pool.repartition(3), out=out / "believed.labelwise", **BELIEVED)
spark.stop()
