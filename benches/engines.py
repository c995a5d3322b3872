"""Time the draw in Spark, with a plain aggregation of Spark over the same columns beside it.

It writes folders of Parquet, one with ids and scores, one with ids and probabilities of ten classes, and takes turns: Spark
counts the ids and sums the other columns, and `labelwise.spark.new` makes an evaluation. The cluster is one process with
two cores. Then Ray Data and Dask read the same folders, with their own sums beside them.

Usage: python benches/engines.py [--rows N] [--rounds R] [--engines NAMES]

It prints one line a measurement. Times are wall times of calls; the seed is 0.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

CLASSES = [f"prob_{c}" for c in range(10)]
FILE = 1_000_000
SCORED: dict[str, Any] = {"columns": {"ids": "id", "scores": "score"}}
BELIEVED: dict[str, Any] = {"columns": {"ids": "id", "probabilities": "prob_*"}, "loss": "accuracy"}


def write_pools(folder: Path, rows: int) -> None:
    """Files of a million rows: ids that are numbers, scores, and probabilities of a model that is mostly sure."""
    random = np.random.default_rng(0)
    for name in ("scored", "believed"):
        (folder / name).mkdir()
    for start in range(0, rows, FILE):
        count = min(FILE, rows - start)
        ids = pa.array(np.arange(start, start + count))
        scores = pa.array(random.exponential(size=count))
        logits = random.normal(0.0, 2.0, (count, len(CLASSES))).astype(np.float32)
        table = np.exp(logits - logits.max(axis=1, keepdims=True))
        table /= table.sum(axis=1, keepdims=True)
        columns = {name: pa.array(table[:, c]) for c, name in enumerate(CLASSES)}
        file = f"part-{start // FILE}.parquet"
        pq.write_table(pa.table({"id": ids, "score": scores}), folder / "scored" / file)
        pq.write_table(pa.table({"id": ids, **columns}), folder / "believed" / file)


def compared(
    what: str, rows: int, rounds: int, folder: Path, plain: Callable[[], Any], draw: Callable[[Path], Any]
) -> None:
    """Both in turns, after one turn that is not counted."""
    ratios, ours, theirs, megabytes = [], [], [], 0.0
    for place in range(rounds + 1):
        start = time.perf_counter()
        plain()
        middle = time.perf_counter()
        out = folder / "e.labelwise"
        draw(out)
        end = time.perf_counter()
        megabytes = out.stat().st_size / 1e6
        out.unlink()
        if place > 0:
            theirs.append(middle - start)
            ours.append(end - middle)
            ratios.append(ours[-1] / theirs[-1])
    print(
        f"{what}, {rows:,} rows: draw {statistics.median(ours):.2f} s, aggregation {statistics.median(theirs):.2f} s, "
        f"ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}); the evaluation has {megabytes:.1f} MB",
        flush=True,
    )


def in_spark(folder: Path, rows: int, rounds: int) -> None:
    """Spark in one process, with two cores."""
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    import labelwise.spark

    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.memory": "4g"}
    spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for name, options, sums in (("scored", SCORED, ["score"]), ("believed", BELIEVED, CLASSES)):
        pool = spark.read.parquet(str(folder / name))
        compared(
            f"Spark, {name}", rows, rounds, folder,
            lambda pool=pool, sums=sums: pool.agg(F.count("id"), F.max("id"), *map(F.sum, sums)).collect(),
            lambda out, pool=pool, options=options: labelwise.spark.new(pool, out=out, **options),
        )  # fmt: skip
    spark.stop()


def in_ray(folder: Path, rows: int, rounds: int) -> None:
    """Ray Data with two processes."""
    import ray
    from ray.data.aggregate import Max, Sum

    import labelwise.ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    ray.data.DataContext.get_current().enable_progress_bars = False
    for name, options, sums in (("scored", SCORED, ["score"]), ("believed", BELIEVED, CLASSES)):
        pool = ray.data.read_parquet(str(folder / name))
        compared(
            f"Ray, {name}", rows, rounds, folder,
            lambda pool=pool, sums=sums: pool.aggregate(Max("id"), *map(Sum, sums)),
            lambda out, pool=pool, options=options: labelwise.ray.new(pool, out=out, **options),
        )  # fmt: skip
    ray.shutdown()


def in_dask(folder: Path, rows: int, rounds: int) -> None:
    """Dask with two processes."""
    import dask.dataframe
    from distributed import Client, LocalCluster

    import labelwise.dask

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        for name, options, sums in (("scored", SCORED, ["score"]), ("believed", BELIEVED, CLASSES)):
            pool = dask.dataframe.read_parquet(str(folder / name))
            compared(
                f"Dask, {name}", rows, rounds, folder,
                lambda pool=pool, sums=sums: pool[["id", *sums]].sum().compute(),
                lambda out, pool=pool, options=options: labelwise.dask.new(pool, out=out, **options),
            )  # fmt: skip


ENGINES = {"spark": in_spark, "ray": in_ray, "dask": in_dask}


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--engines", default="spark,ray,dask")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pools(folder, options.rows)
        for engine in options.engines.split(","):
            ENGINES[engine](folder, options.rows, options.rounds)


if __name__ == "__main__":
    main()
