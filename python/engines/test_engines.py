"""The same rows in Spark, Ray and Dask: the same draws as the documented ones and as the program's, and the same refusals."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import labelwise as lw
import numpy as np
import pyarrow as pa
import pytest
from conftest import Engine
from labelwise import _passes
from pools import BELIEVED, DRAWS, RHO, SCORED, SEED, documented, opened, seen

CLASSES = ["ant", "bee", "cow"]


@pytest.fixture(scope="session")
def by_definition(rows: pa.Table) -> tuple[list[str], list[float]]:
    return documented(rows, DRAWS)


VALUES = ("--loss", "value", "--floor", f"mixture={RHO}")
SCORES = ("--scores", "score", "--id", "id", "--carry", "prompt", "--seed", SEED)


@pytest.fixture(scope="session")
def by_program(run: Callable[..., str], folders: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What the program's own reader makes of the same folder."""
    out = tmp_path_factory.mktemp("program")
    new = ("new", folders / "odd", "--elsewhere")
    run(*new, *SCORES, *VALUES, "--out", out / "scored.labelwise")
    beliefs = ("--probs", "prob_*", "--id", "number", "--carry", "prompt", "--loss", "accuracy", "--seed", SEED)
    run(*new, *beliefs, "--out", out / "believed.labelwise")
    return {name: opened(out / f"{name}.labelwise") for name in ("scored", "believed")}


def test_the_program_and_its_queries_in_duckdb(
    run: Callable[..., str], folders: Path, tmp_path: Path, by_program: dict[str, Any],
    by_definition: tuple[list[str], list[float]],
) -> None:  # fmt: skip
    queries = run("sql", "--dialect", "duckdb", "--table", f"'{folders / 'odd'}/*.parquet'", *SCORES)
    for name in ("draws.parquet", "totals.json"):
        queries = queries.replace(f"'{name}'", f"'{tmp_path / name}'")
    with duckdb.connect() as connection:
        connection.execute(queries)
    given = ("--draws", tmp_path / "draws.parquet", "--totals", tmp_path / "totals.json")
    run("new", *given, *VALUES, "--out", tmp_path / "queried.labelwise")
    queried = opened(tmp_path / "queried.labelwise")
    ids, q = by_definition
    for found in (queried, by_program["scored"]):
        assert found["id"] == ids
        np.testing.assert_allclose(found["q"], q, rtol=1e-12)
    for name in ("q", "carried", "size"):
        assert queried[name] == by_program["scored"][name], name


def test_draws_of_scores(
    engine: Engine, folders: Path, tmp_path: Path, by_definition: tuple[list[str], list[float]], by_program: dict[str, Any]
) -> None:
    e = engine.face.new(engine.read(folders / "even"), out=tmp_path / "even.labelwise", **SCORED)
    found = seen(e)
    ids, q = by_definition
    assert found["id"] == ids
    np.testing.assert_allclose(found["q"], q, rtol=1e-12)
    assert found["carried"] == [{"prompt": f"What is {name.removeprefix('request ')}?"} for name in ids]
    skewed = engine.read(folders / "odd")
    others = {"odd": skewed, "cut": engine.cut(skewed)}
    for name, pool in others.items():
        engine.face.new(pool, out=tmp_path / f"{name}.labelwise", **SCORED)
        assert opened(tmp_path / f"{name}.labelwise") == found, name
    assert by_program["scored"] == found


def test_draws_of_probabilities(engine: Engine, folders: Path, tmp_path: Path, by_program: dict[str, Any]) -> None:
    e = engine.face.new(engine.read(folders / "odd"), out=tmp_path / "odd.labelwise", **BELIEVED)
    assert seen(e) == by_program["believed"]


def test_a_refresh_follows_the_labels(
    engine: Engine, folders: Path, tmp_path: Path, run: Callable[..., str]
) -> None:
    made = tmp_path / "made.labelwise"
    e = engine.face.new(engine.read(folders / "small"), out=made, ahead=500, **BELIEVED)
    asked = e.ask(60)
    e.tell(asked, [CLASSES[int(one.id) % 3] for one in asked])
    copy = e.backup(tmp_path / "copy.labelwise")
    before = seen(lw.open(e.backup(tmp_path / "before.labelwise")), 100)
    again = engine.face.refresh(engine.cut(engine.read(folders / "small")), made)
    run("refresh", copy, folders / "small")
    found = seen(again, 100)
    assert found == opened_with(copy, 100)
    assert found["id"][:60] == before["id"][:60] and found["id"][60:] != before["id"][60:]
    assert len(set(found["id"])) == 160
    with pytest.raises((lw.LabelwiseError, ValueError), match="pool|rows|items"):
        engine.face.refresh(engine.read(folders / "even"), made)
    assert opened_with(made, 0) == seen(again, 0)


def opened_with(path: Path, count: int) -> dict[str, Any]:
    return seen(lw.open(path), count)


def test_scores_that_cannot_be_used_are_named(engine: Engine, folders: Path, tmp_path: Path) -> None:
    with pytest.raises(lw.LabelwiseError) as error:
        engine.face.new(engine.read(folders / "bad"), out=tmp_path / "bad.labelwise", **SCORED)
    assert "6 items cannot be used: " in str(error.value)
    assert re.findall(r'"request (\d+)"', str(error.value)) == ["1200", "1500", "17", "2", "2500"]
    assert not list(tmp_path.iterdir())


def test_ids_in_two_parts_are_named(engine: Engine, folders: Path, tmp_path: Path) -> None:
    with pytest.raises(lw.LabelwiseError, match=r'request \d+'):
        engine.face.new(engine.read(folders / "twice"), out=tmp_path / "twice.labelwise", **SCORED)
    assert not list(tmp_path.iterdir())


def test_a_column_that_one_file_lacks(engine: Engine, folders: Path, tmp_path: Path) -> None:
    # Spark fills it with nulls, which are named; the others do not read the file.
    with pytest.raises(Exception, match="score"):
        engine.face.new(engine.read(folders / "lacking"), out=tmp_path / "lacking.labelwise", **SCORED)
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_done_is_said_before_anything_is_read(engine: Engine, folders: Path, tmp_path: Path) -> None:
    pool = engine.read(folders / "small")
    out = tmp_path / "e.labelwise"
    with pytest.raises((lw.LabelwiseError, ValueError), match="scoer"):
        engine.face.new(pool, out=out, columns={"scores": "scoer", "ids": "id"})
    with pytest.raises(ValueError, match="seed is -1"):
        engine.face.new(pool, out=out, columns={"scores": "score"}, seed=-1)
    with pytest.raises(TypeError, match="labelwise.create"):
        engine.face.new({"id": [1], "score": [0.5]}, out=out)
    assert not out.exists()
    out.touch()
    with pytest.raises(FileExistsError, match="another name"):
        engine.face.new(pool, out=out, **SCORED)


def test_tables_that_begin_anywhere_in_memory() -> None:
    def moved(values: pa.Array) -> pa.Array:
        buffers = [buffer and pa.py_buffer(b"x" + buffer.to_pybytes()).slice(1) for buffer in values.buffers()]
        return pa.Array.from_buffers(values.type, len(values), buffers)

    plain = pa.table({"id": ["a", "b", "c"], "score": [0.1, 0.2, 0.3]})
    crooked = pa.table({name: moved(plain.column(name).chunk(0)) for name in plain.column_names})
    for given in (crooked, crooked.to_batches()[0]):
        straight = _passes.aligned(given)
        addresses = [buffer.address for column in straight.columns for buffer in column.chunk(0).buffers() if buffer]
        assert all(address % 8 == 0 for address in addresses) and straight.equals(plain)
    assert _passes.aligned(plain) is plain
