"""Folders that the tests read, and the engines that read them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import labelwise.dask
import labelwise.ray
import labelwise.spark
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pools import ROWS, even, odd, table, written

# Executors and workers run the same Python.
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
# Workers of Ray give way to everything else on the machine, and so may never start on a busy one.
os.environ["RAY_worker_niceness"] = "0"
os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"


@dataclass
class Engine:
    """An engine: its face in the package, and how it reads a folder and cuts it in another way."""

    name: str
    face: ModuleType
    read: Callable[[Path], Any]
    cut: Callable[[Any], Any]


@pytest.fixture(scope="session")
def rows() -> pa.Table:
    return table(ROWS)


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory, rows: pa.Table) -> Path:
    """A folder of pools: `even`, and `odd` with the same rows; small ones: `small`, `bad`, `twice` and `lacking`."""
    root = tmp_path_factory.mktemp("pools")
    written(root / "even", even(rows, 4))
    written(root / "odd", odd(rows))
    small = rows.slice(0, 3000)
    written(root / "small", even(small, 3))
    scores = small.column("score").to_pylist()
    for place, score in [(2900, None), (17, float("nan")), (1500, -1.0), (2, None), (1200, float("inf")), (2500, None)]:
        scores[place] = score
    bad = small.set_column(2, "score", pa.array(scores, pa.float64(), from_pandas=False))
    written(root / "bad", even(bad, 3))
    # Every row of one part comes again in another.
    written(root / "twice", [*even(small, 3), small.slice(0, 1000)])
    written(root / "lacking", [small.slice(0, 1000), small.slice(1000).drop_columns(["score"])])
    return root


@pytest.fixture(scope="session")
def program() -> str:
    """The program labelwise, which the test command builds."""
    path = os.environ.get("LABELWISE_PROGRAM")
    if not path:
        pytest.fail("LABELWISE_PROGRAM must name the program labelwise: `cargo xtask engines` sets it")
    return path


@pytest.fixture(scope="session")
def run(program: str) -> Callable[..., str]:
    def run(*arguments: str | Path) -> str:
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def port() -> int:
    """A port that is free for Spark Connect."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture(scope="session")
def spark(port: int) -> Iterator[Any]:
    """A cluster of two executors that are processes of their own, with a server of Spark Connect."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.port": str(port),
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config(map=settings)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[None]:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=300_000_000, log_to_driver=False, logging_level="error")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


@pytest.fixture(scope="session")
def dask_cluster() -> Iterator[None]:
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        yield


@pytest.fixture(params=["spark", "ray", "dask"], scope="session")
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine in turn, as a cluster of two processes."""
    if request.param == "spark":
        session = request.getfixturevalue("spark")
        return Engine(
            "spark", labelwise.spark,
            lambda folder: session.read.option("mergeSchema", True).parquet(str(folder)),
            lambda df: df.repartition(7),
        )  # fmt: skip
    if request.param == "ray":
        request.getfixturevalue("ray_cluster")
        import ray

        def read(folder: Path) -> Any:
            parts = [pq.read_table(file) for file in sorted(folder.iterdir())]
            # The reader of Ray 2.60 waits for a minute on files without rows: such a pool comes as blocks, empty ones among them.
            has_empty = any(part.num_rows == 0 for part in parts)
            return ray.data.from_arrow(parts) if has_empty else ray.data.read_parquet(str(folder))

        return Engine("ray", labelwise.ray, read, lambda ds: ds.repartition(7))
    request.getfixturevalue("dask_cluster")
    import dask.dataframe

    return Engine(
        "dask", labelwise.dask,
        lambda folder: dask.dataframe.read_parquet(str(folder)),
        lambda df: df.repartition(npartitions=7),
    )  # fmt: skip
