"""What only Spark has: executors that die, Spark Connect, and more tasks than the driver likes to hear of."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import labelwise.spark
import pytest
from pools import SCORED, opened, seen


def dies_once(marker: str) -> Any:
    """A function for `mapInArrow` that hands on what it gets. In the middle of one part it kills its executor, once."""

    def parent(process: int) -> int:
        with open(f"/proc/{process}/stat") as stat:
            return int(stat.read().rpartition(")")[2].split()[1])

    def is_executor(process: int) -> bool:
        with open(f"/proc/{process}/cmdline") as line:
            return "CoarseGrainedExecutorBackend" in line.read()

    def handed_on(batches: Iterator[Any]) -> Iterator[Any]:
        for place, batch in enumerate(batches):
            yield batch
            if place == 2:
                try:
                    mark = os.open(marker, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
                except FileExistsError:
                    continue
                process = os.getpid()
                while not is_executor(process):
                    process = parent(process)
                os.write(mark, str(process).encode())
                os.close(mark)
                os.kill(process, signal.SIGKILL)

    return handed_on


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_an_executor_that_is_killed_changes_nothing(spark: Any, folders: Path, tmp_path: Path) -> None:
    pool = spark.read.parquet(str(folders / "even"))
    undisturbed = seen(labelwise.spark.new(pool, out=tmp_path / "undisturbed.labelwise", **SCORED))
    marker = tmp_path / "killed"
    dying = pool.mapInArrow(dies_once(str(marker)), pool.schema)
    found = seen(labelwise.spark.new(dying, out=tmp_path / "disturbed.labelwise", **SCORED))
    assert found == undisturbed
    # It was an executor, in the middle of its part.
    killed = int(marker.read_text())
    until = time.monotonic() + 30
    while is_alive(killed) and time.monotonic() < until:
        time.sleep(0.1)
    assert not is_alive(killed)


def test_spark_connect(spark: Any, port: int, folders: Path, tmp_path: Path) -> None:
    script = Path(__file__).with_name("connect.py")
    arguments = [f"sc://127.0.0.1:{port}", str(folders), str(tmp_path)]
    done = subprocess.run([sys.executable, str(script), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pool = spark.read.parquet(str(folders / "even"))
    here = seen(labelwise.spark.new(pool, out=tmp_path / "here.labelwise", **SCORED))
    assert opened(tmp_path / "scored.labelwise") == here


def test_executors_merge_many_sketches(
    spark: Any, folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = spark.read.parquet(str(folders / "small")).repartition(40)
    few = seen(labelwise.spark.new(pool, out=tmp_path / "few.labelwise", tasks=3, **SCORED), 500)
    monkeypatch.setattr(labelwise.spark, "COLLECTED", 8)
    collected = []
    real = type(pool).toArrow

    def counting(df: Any) -> Any:
        found = real(df)
        collected.append(found)
        return found

    monkeypatch.setattr(type(pool), "toArrow", counting)
    many = seen(labelwise.spark.new(pool, out=tmp_path / "many.labelwise", tasks=32, **SCORED), 500)
    assert many == few
    # 32 sketches were made by tasks, and two came to the driver.
    assert [one.num_rows for one in collected if one.column_names == ["sketch"]] == [2]


def test_names_with_points_and_marks(spark: Any, folders: Path, tmp_path: Path) -> None:
    pool = spark.read.parquet(str(folders / "small"))
    plain = seen(labelwise.spark.new(pool, out=tmp_path / "plain.labelwise", **SCORED), 100)
    names = {"id": "request.id", "score": "judge`s score.v2", "prompt": "the prompt"}
    renamed = pool.withColumnsRenamed(names)
    columns = {"ids": names["id"], "scores": names["score"], "carry": [names["prompt"]]}
    options = {**SCORED, "columns": columns}
    found = seen(labelwise.spark.new(renamed, out=tmp_path / "renamed.labelwise", **options), 100)
    assert [one["the prompt"] for one in found["carried"]] == [one["prompt"] for one in plain["carried"]]
    assert found["q"] == plain["q"]
