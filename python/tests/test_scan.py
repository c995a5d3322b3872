"""Pools that are read in parts: the kernel in Python, the program, and the queries in DuckDB give the same draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import run
from labelwise import _engine
from labelwise._options import chosen

SIZE = 4000


def table(size: int = SIZE) -> pa.Table:
    rng = np.random.default_rng(3)
    scores = rng.beta(0.4, 2.0, size)
    probabilities = rng.dirichlet([0.5, 0.5, 0.5], size)
    columns: dict[str, Any] = {"id": [f"doc {number}" for number in range(size)], "score": scores}
    columns |= {f"prob_{name}": probabilities[:, place] for place, name in enumerate("abc")}
    columns["prompt"] = [f"text {number}" for number in range(size)]
    return pa.table(columns)


def options(names: dict[str, Any], **more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    made, _ = chosen(pool="scores", columns=names, **more)
    return made["models"][0][1]["columns"], made


def drawn(path: Path, count: int) -> list[tuple[str, float]]:
    study = _engine.Study.open(str(path), True)
    study.ask(count, "", None)
    return history(study)


def history(study: _engine.Study) -> list[tuple[str, float]]:
    draws = study.draws()
    return list(zip(draws["id"], draws["q"], strict=True))


def scanned(pool: pa.Table, cuts: list[int], out: Path, names: dict[str, Any], carry: bool, **more: Any) -> None:
    columns, made = options(names, **more)
    scan = _engine.Scan("scores", pool.schema, columns, made, 300)
    while (work := scan.work()) is not None:
        selected = pool.select(scan.columns)
        parts = []
        for start, end in zip(cuts, cuts[1:], strict=False):
            part = _engine.Part(work)
            for batch in selected.slice(start, end - start).to_batches(max_chunksize=257):
                part.add(batch)
            parts.append(part.bytes())
        scan.take(_engine.merge(parts[::-1]))
    carried = pool.select([scan.id_column, *scan.carry]) if carry else None
    decisions = scan.finish(carried, str(out))
    assert decisions and scan.id_column == "id"


def test_the_kernel_the_program_and_duckdb_draw_alike(tmp_path: Path, program: str) -> None:
    pool = table()
    folder = tmp_path / "scores"
    folder.mkdir()
    for number, start in enumerate(range(0, SIZE, 900)):
        pq.write_table(pool.slice(start, 900), folder / f"part-{number}.parquet", row_group_size=250)
    made = ["--seed", "7", "--loss", "value"]
    run(program, "new", "scores/*.parquet", "--elsewhere", "--ahead", "300", "--scores", "score", "--carry", "prompt",
        "--out", "files.labelwise", *made, folder=tmp_path)  # fmt: skip
    sql = run(program, "sql", "--dialect", "duckdb", "--table", "'scores/*.parquet'", "--scores", "score",
              "--carry", "prompt", "--seed", "7", "--ahead", "300", folder=tmp_path)  # fmt: skip
    with duckdb.connect() as connection:
        connection.execute(f"SET file_search_path = '{tmp_path}'")
        connection.execute(sql.replace("'draws.parquet'", f"'{tmp_path}/draws.parquet'")
                              .replace("'totals.json'", f"'{tmp_path}/totals.json'"))  # fmt: skip
    run(program, "new", "--draws", "draws.parquet", "--totals", "totals.json", "--out", "sql.labelwise",
        "--loss", "value", folder=tmp_path)  # fmt: skip
    names = {"ids": "id", "scores": "score", "carry": ["prompt"]}
    scanned(pool, [0, 5, 5, 1700, SIZE], tmp_path / "kernel.labelwise", names, True, loss="value", seed=7)
    files, by_sql, kernel = (drawn(tmp_path / f"{name}.labelwise", 300) for name in ("files", "sql", "kernel"))
    assert len(files) == 300
    assert files == by_sql
    assert files == kernel
    for name in ("files", "sql", "kernel"):
        run(program, "verify", f"{name}.labelwise", folder=tmp_path)


def test_probabilities_and_a_refresh(tmp_path: Path, program: str) -> None:
    pool, out = table(), tmp_path / "kernel.labelwise"
    names = {"ids": "id", "probabilities": "prob_*"}
    scanned(pool, [0, 1000, SIZE], out, names, False, loss="log_loss", seed=5)
    pq.write_table(pool, tmp_path / "pool.parquet")
    run(program, "new", "pool.parquet", "--elsewhere", "--ahead", "300", "--out", "files.labelwise", "--carry", "prompt",
        "--seed", "5", "--loss", "cross-entropy", folder=tmp_path)  # fmt: skip
    assert drawn(out, 100) == drawn(tmp_path / "files.labelwise", 100)
    study = _engine.Study.open(str(out), True)
    before = {name for name, _ in history(study)}
    for name, _ in history(study)[:80]:
        study.tell([name], ["abc"[len(name) % 3]], "", None, None, False)
    del study
    scan = _engine.Scan.refresh(str(out), pool.schema)
    work = scan.work()
    assert scan.phase == "draw" and work is not None
    part = _engine.Part(work)
    part.add(pool)
    scan.take(part.bytes())
    assert not set(scan.drawn()) & before
    scan.finish()
    assert len(drawn(out, 50)) == 150
    run(program, "verify", "kernel.labelwise", folder=tmp_path)


def test_bad_rows_are_named_on_the_driver(tmp_path: Path) -> None:
    pool = table(500)
    scores = pool.column("score").to_numpy().copy()
    scores[[3, 77, 200]] = np.nan
    nulls = pa.array([None if place == 9 else value for place, value in enumerate(scores)])
    pool = pool.set_column(1, "score", nulls)
    columns, made = options({"ids": "id", "scores": "score"}, loss="value")
    scan = _engine.Scan("scores", pool.schema, columns, made)
    work = scan.work()
    assert work is not None
    part = _engine.Part(work)
    part.add(pool)
    with pytest.raises(_engine.LabelwiseError, match='4 items cannot be used: "doc 200"'):
        scan.take(part.bytes())
    twice = pa.concat_tables([table(50), table(1)])
    part = _engine.Part(work)
    part.add(twice)
    with pytest.raises(_engine.LabelwiseError, match="doc 0"):
        scan.take(part.bytes())
    with pytest.raises(ValueError, match="score"):
        part.add(pool.select(["id", "prompt"]))
